//! Functions that call themselves again after a failure, or come back to themselves through others.
//! The function is the loop: paths that reach the call with a failed operation, or with the failure that it was given, are its failing trips.

use super::bounds::Bounds;
use super::context::Context;
use super::flow::{Flow, Followed, Op, State, Tag, Val, Verdict, is_self};
use super::remote;
use super::summary::MOST_CALLS;
use super::unlooped::is_given_failure;
use super::{sites, waits_at};
use crate::body::{ExprId, ExprKind, Lit, UnOp};
use crate::knowledge::says;
use crate::model::{BoundKind, Evidence, Fact, Kind, Site};

/// The recursion of a body, where there is one after a failure.
pub(crate) fn of_body(cx: &Context<'_>, followed: &Followed) -> Option<Site> {
    let (call, _) = followed.recursions.first()?;
    if is_split(followed) {
        return None;
    }
    let direct = is_self(&cx.callee(*call), cx.at);
    // what is handed a failure and comes back through others has its operation there
    let given = !direct && is_given_failure(cx);
    let failing: Vec<&State> = followed
        .recursions
        .iter()
        .filter(|(call, state)| {
            given || state.looked.iter().any(|look| look.verdict == Verdict::Failure && look.op != *call)
        })
        .map(|(_, state)| state)
        .collect();
    let mut ops: Vec<Op> = Vec::new();
    for state in &failing {
        for op in super::classify::failed_ops(state) {
            // one of several that are asked in turn is no operation of the whole cycle
            let in_turn = !direct && followed.of_item.contains_key(&op);
            if cx.may_be_tried(op) && !in_turn && !ops.contains(&op) && op != *call {
                ops.push(op);
            }
        }
    }
    if given && ops.is_empty() && !failing.is_empty() {
        ops.push(*call);
    }
    ops.sort_by_key(|op| cx.body.expr(*op).span);
    // a failed step of a tree walk is no retry: the operation must be remote, or the path must wait
    let waits = failing.iter().any(|state| !state.waits.is_empty());
    let answers: Vec<_> = ops.iter().map(|op| (*op, remote::of_call(cx, *op, MOST_CALLS))).collect();
    let (main, answer) = answers
        .iter()
        .find(|(_, answer)| answer.as_ref().is_some_and(|answer| answer.is))
        .or_else(|| answers.iter().find(|(_, answer)| answer.is_none()))?;
    if !waits && answer.is_none() {
        return None;
    }
    let otherwise = direct && followed.recursions.iter().all(|(call, _)| is_another_way(cx, *call));
    let kind = if otherwise { Kind::Failover } else { Kind::Recursion };
    let mut site = sites::begin(cx, cx.body.root, kind)?;
    if let Some(item) = cx.krate.item(cx.at)
        && let Some(file) = cx.krate.file(cx.at)
    {
        site.place = file.place(item.span);
    }
    site.why.push(cx.evidence(*call, "calls itself again after a failure"));
    site.operation.text = Fact::Known(cx.text(*main), cx.evidence(*main, "this is tried again"));
    sites::say_remote(&mut site, answer.as_ref(), cx.place(*main));
    let bounds = bounds(cx, followed, *call, &failing);
    let mut replay = if direct {
        super::delay::replay_calls(cx, *call, &failing)
    } else {
        // what the functions between make of the arguments is not followed
        super::delay::replay_once(cx, &failing)
    };
    if let Some(wait) = failing.iter().flat_map(|state| &state.waits).next() {
        replay.calls = vec![*wait];
    }
    site.handles = waits_at::waits(cx, &failing, None);
    let left: Vec<&State> = followed.exits.iter().map(|(state, _)| state).collect();
    sites::fill(cx, followed, None, &failing, &left, &ops, &bounds, &replay, &mut site);
    if direct && followed.recursions.iter().all(|(call, _)| puts_a_flag_out(cx, *call, &failing)) {
        site.attempts.kind = Fact::Known(BoundKind::Bounded, cx.evidence(*call, "the next one has no next"));
        site.attempts.max = Fact::Known(2.0, cx.evidence(*call, "the next one has no next"));
    }
    if !direct {
        // the functions between may wait
        sites::forget_no_delay(&mut site);
    }
    Some(site)
}

/// Whether a call of itself names another way of doing it where it was told one: `connect(url, Tls::Native, Some(true))`.
/// A plain number or flag may count the attempts.
fn is_another_way(cx: &Context<'_>, call: ExprId) -> bool {
    let is_variant = |arg: ExprId| {
        matches!(&cx.body.expr(arg).kind, ExprKind::Path(path)
        if path.segments.len() > 1 && path.last().starts_with(char::is_uppercase) && path.last().chars().any(char::is_lowercase))
    };
    let is_given = |arg: ExprId| {
        matches!(&cx.body.expr(arg).kind, ExprKind::Call(..)
        if cx.call_name(arg) == "Some" && cx.args(arg).iter().all(|given| matches!(cx.body.expr(*given).kind, ExprKind::Lit(_))))
    };
    let words = &cx.words().attempts;
    let params = &cx.body.params;
    let args = cx.args(call);
    let skipped = args.len().saturating_sub(params.len());
    args.iter().skip(skipped).zip(params).any(|(arg, param)| {
        let counts = cx.body.names_in_pat(param.pat).iter().any(|(name, _)| says(words, name));
        !counts && (is_variant(*arg) || is_given(*arg))
    })
}

/// Whether a call of itself passes a plain flag where the way to it asked for the other: `if again { fetch(url, false) }`.
fn puts_a_flag_out(cx: &Context<'_>, call: ExprId, failing: &[&State]) -> bool {
    let args = cx.args(call);
    let skipped = args.len().saturating_sub(cx.body.params.len());
    args.iter().skip(skipped).zip(&cx.body.params).any(|(arg, param)| {
        let ExprKind::Lit(Lit::Bool(given)) = cx.body.expr(*arg).kind else { return false };
        let is_it = |id: ExprId| cx.body.local(id) == Some(param.pat);
        let asked = |state: &&State| {
            state.conds.iter().any(|(cond, truth)| {
                is_it(*cond) && *truth != given
                    || matches!(cx.body.expr(*cond).kind, ExprKind::Unary(UnOp::Not, inner) if is_it(inner) && *truth == given)
            })
        };
        !failing.is_empty() && failing.iter().all(asked)
    })
}

/// Whether one path comes to two of the calls: the work is split, and each does a part of it.
fn is_split(followed: &Followed) -> bool {
    let is_call = |op: &Op| followed.recursions.iter().any(|(call, _)| call == op);
    followed
        .recursions
        .iter()
        .any(|(call, state)| state.calls.iter().any(|before| before != call && is_call(before)))
}

/// A counter among the arguments that is tested on the way bounds it; arguments that never change bound nothing.
fn bounds(cx: &Context<'_>, followed: &Followed, call: ExprId, failing: &[&State]) -> Bounds {
    let mut made = Bounds { cancel: failing.iter().any(|state| state.marks.cancel), ..Bounds::default() };
    let stepped: Vec<&ExprId> = cx
        .args(call)
        .iter()
        .filter(|arg| {
            matches!(
                cx.body.expr(**arg).kind,
                ExprKind::Binary(..) | ExprKind::Method(_) | ExprKind::Lit(_) | ExprKind::Call(..)
            )
        })
        .collect();
    let tested = failing.iter().flat_map(|state| &state.conds).any(|(cond, _)| {
        let mut found = false;
        cx.body.walk(*cond, &mut |id| {
            if let ExprKind::Path(path) = &cx.body.expr(id).kind {
                found |= path.single().is_some_and(|name| says(&cx.words().attempts, name));
                found |= cx.body.local(id).is_some_and(|local| cx.body.param(local).is_some() && !stepped.is_empty());
            }
            found |= matches!(&cx.body.expr(id).kind, ExprKind::Field(_, name) if says(&cx.words().attempts, name));
            !found
        });
        found
    });
    if tested || stepped.iter().any(|arg| matches!(cx.body.expr(**arg).kind, ExprKind::Lit(_))) {
        made.kind = Some(BoundKind::Bounded);
        made.evidence = cx.evidence(call, "a counter is handed on");
    } else if stepped.is_empty()
        // a task or job that gives no result here may be dropped by somebody else
        && cx.task_around(call).is_none()
        && failing.iter().all(|state| state.conds.iter().all(|(cond, _)| followed.tests.contains_key(cond)))
    {
        made.kind = Some(BoundKind::Unbounded);
        made.evidence = Evidence::words("nothing but success ends it");
    }
    if made.kind == Some(BoundKind::Unbounded) {
        made.outcome = Some(crate::model::Outcome::Never);
    } else if followed.exits.iter().any(|(_, flow)| {
        matches!(flow, Flow::Return(Val::Built(Tag::Err, _)) | Flow::Next(Val::Built(Tag::Err, _)))
    }) {
        made.outcome = Some(crate::model::Outcome::ReturnsError);
    }
    made
}
