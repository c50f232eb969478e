//! Iterators as loops: `(0..tries).find_map(|_| op().ok())`, `repeat_n((), n).scan(…)`.
//! The closure is the loop's body, where the iterator only counts and a failure asks for the next.

use super::{Again, counts, main_of, site};
use crate::body::{ExprId, ExprKind};
use crate::detect::bounds::Bounds;
use crate::detect::classify::failed_ops;
use crate::detect::context::Context;
use crate::detect::delay::{Amount, Replay};
use crate::detect::flow::{Flow, Followed, Op, State, Tag, Val, Verdict};
use crate::detect::remote;
use crate::model::{BoundKind, Evidence, Kind, Site};

/// Whether a body has a closure that an iterator which counts calls again and again.
pub(super) fn may_chain(cx: &Context<'_>) -> bool {
    cx.body.exprs().any(|(id, _)| chain(cx, id).is_some())
}

/// The closure of a chain, and whether something ends the counting.
fn chain(cx: &Context<'_>, id: ExprId) -> Option<(ExprId, bool)> {
    let ExprKind::Method(call) = &cx.body.expr(id).kind else { return None };
    let asks = matches!(
        call.name.as_str(),
        "scan"
            | "find_map"
            | "filter_map"
            | "map"
            | "flat_map"
            | "any"
            | "find"
            | "try_fold"
            | "try_for_each"
    );
    let closure = *call.args.last()?;
    if !asks || !matches!(cx.body.expr(closure).kind, ExprKind::Closure { .. }) {
        return None;
    }
    Some((closure, counting(cx, call.receiver)?))
}

/// Whether an iterator only counts, and whether it ends; `None` where it gives items.
fn counting(cx: &Context<'_>, iter: ExprId) -> Option<bool> {
    match &cx.body.expr(iter).kind {
        ExprKind::Range { end, .. } => Some(end.is_some()),
        ExprKind::Call(_, args) => match (cx.call_name(iter), args.len()) {
            ("repeat_n", 2) => Some(true),
            ("repeat", 1) | ("repeat_with" | "successors" | "from_fn", _) => Some(false),
            _ => None,
        },
        ExprKind::Method(call) => match call.name.as_str() {
            "take" | "take_while" => counting(cx, call.receiver).map(|_| true),
            "rev" | "into_iter" | "skip" => counting(cx, call.receiver),
            _ => None,
        },
        _ => None,
    }
}

/// Chains of a body that ask again after a failure.
pub(super) fn of_body(cx: &Context<'_>, followed: &Followed) -> Vec<Site> {
    let mut found = Vec::new();
    for (id, _) in cx.body.exprs() {
        if let Some((closure, ends)) = chain(cx, id)
            && let Some(site) = of_chain(cx, followed, id, closure, ends)
        {
            found.push(site);
        }
    }
    found
}

fn of_chain(cx: &Context<'_>, followed: &Followed, id: ExprId, closure: ExprId, ends: bool) -> Option<Site> {
    let paths = &told_apart(cx, id, followed.closures.get(&closure)?);
    let failed = |state: &State| -> Vec<Op> { failed_ops(state).filter(|op| counts(cx, *op)).collect() };
    let failing: Vec<&State> = paths
        .iter()
        .filter(|(state, flow)| asks_for_next(flow) && !failed(state).is_empty())
        .map(|(state, _)| state)
        .collect();
    let mut ops: Vec<Op> = failing.iter().flat_map(|state| failed(state)).collect();
    ops.sort_unstable();
    ops.dedup();
    let operand = ops.iter().any(|op| followed.operands.contains(op));
    let (main, remote) = if operand {
        let main = *ops.iter().find(|op| followed.operands.contains(op))?;
        (main, remote::of_callers(cx, cx.called_local(main)))
    } else {
        main_of(cx, &ops)?
    };
    let waits = failing.iter().any(|state| !state.waits.is_empty());
    let succeeds = paths.iter().any(|(state, flow)| {
        !asks_for_next(flow) && state.looked.iter().any(|look| look.verdict == Verdict::Success)
    });
    let known = remote.as_ref().is_some_and(|answer| answer.is);
    if failing.is_empty() || !succeeds || !(known || operand && waits) {
        return None;
    }
    let replay = waits_by_number(cx, closure, &failing)
        .then(|| Replay { waits: vec![Some(Amount::unknown())], ..Replay::default() });
    let again = Again {
        kind: if operand { Kind::Helper } else { Kind::Retry },
        span: cx.body.expr(id).span,
        main: Some(main),
        ops,
        remote,
        failing,
        bounds: Bounds {
            kind: ends.then_some(BoundKind::Bounded),
            evidence: Evidence::words("the iterator counts the attempts"),
            ..Bounds::default()
        },
        most: None,
        replay,
        why: cx.evidence(main, "a failure of this asks the iterator for the next attempt"),
    };
    site(cx, followed, &again)
}

/// Whether a wait is made of the number that the iterator gives: how it grows is not followed.
fn waits_by_number(cx: &Context<'_>, closure: ExprId, failing: &[&State]) -> bool {
    let ExprKind::Closure { params, .. } = &cx.body.expr(closure).kind else { return false };
    // the item comes last; what `scan` keeps comes before it, and is followed
    let names: Vec<_> = params.last().into_iter().flat_map(|param| cx.body.names_in_pat(param.pat)).collect();
    let given = |id: ExprId| cx.body.local(id).is_some_and(|local| names.iter().any(|(_, it)| *it == local));
    failing.iter().flat_map(|state| &state.waits).any(|wait| cx.body.any(*wait, given))
}

/// A closure that gives the outcome itself (`find_map(|_| connect().ok())`) asks for the next where that failed: both ways, each as its own path.
fn told_apart(cx: &Context<'_>, chain: ExprId, paths: &[(State, Flow)]) -> Vec<(State, Flow)> {
    let mut told = Vec::new();
    for (state, flow) in paths {
        match flow {
            Flow::Next(Val::Outcome(op)) | Flow::Return(Val::Outcome(op))
                if cx.call_name(chain) == "find_map" && state.look(*op).is_none() =>
            {
                let (mut failed, mut done) = (state.clone(), state.clone());
                failed.decide(*op, Tag::Err, Verdict::Failure);
                done.decide(*op, Tag::Ok, Verdict::Success);
                told.push((failed, Flow::Next(Val::Built(Tag::None, Box::new(Val::Unknown)))));
                told.push((done, Flow::Next(Val::Payload(*op, Tag::Ok))));
            }
            _ => told.push((state.clone(), flow.clone())),
        }
    }
    told
}

/// Whether what a closure gives asks for the next: `None`, `Some(None)`, `false`, `Continue`.
fn asks_for_next(flow: &Flow) -> bool {
    match flow {
        Flow::Next(val) | Flow::Return(val) => nothing(val),
        _ => false,
    }
}

fn nothing(val: &Val) -> bool {
    match val {
        Val::Built(Tag::None, _) | Val::Bool(false) => true,
        Val::Built(Tag::Some, inner) => nothing(inner),
        Val::Built(Tag::Variant(name), _) => &**name == "Continue",
        _ => false,
    }
}
