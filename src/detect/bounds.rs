//! What ends the attempts: the conditions on which failing trips leave the loop, told apart by what they read.
//! A bound holds only where every failing trip passes its test; what a hidden policy decides stays unknown.

use super::context::{Callee, Context};
use super::flow::{Flow, Followed, LoopRecord, LoopShape, Op, State, Tag, Val, Verdict};
use super::reads::{Reads, changed_in, is_about, is_supply, reads};
use crate::body::{ExprId, ExprKind};
use crate::knowledge::{Role, says};
use crate::model::{BoundKind, Evidence, Outcome};

/// What ends the attempts.
#[derive(Debug, Default)]
pub(crate) struct Bounds {
    pub(crate) kind: Option<BoundKind>,
    pub(crate) evidence: Evidence,
    pub(crate) outcome: Option<Outcome>,
    /// A failing trip watches a stop signal.
    pub(crate) cancel: bool,
}

/// Reads the bounds of a loop whose failing trips are these.
pub(crate) fn bounds(
    cx: &Context<'_>,
    followed: &Followed,
    id: ExprId,
    record: &LoopRecord,
    failing: &[&State],
    ops: &[Op],
) -> Bounds {
    let changed = changed_in(cx, id);
    let mut made = Bounds {
        cancel: failing
            .iter()
            .copied()
            .chain(record.exits.iter().map(|(state, _)| state))
            .any(|state| state.marks.cancel),
        ..Bounds::default()
    };
    if let Some(limit) = enclosing_timeout(cx, id) {
        made.kind = Some(BoundKind::Deadline);
        made.evidence = cx.evidence(limit, "this ends it");
        return made;
    }
    if matches!(record.shape, LoopShape::Count | LoopShape::Each)
        && let ExprKind::For { iter, .. } = &cx.body.expr(id).kind
        && !is_endless(cx, *iter)
    {
        made.kind = Some(BoundKind::Bounded);
        made.evidence = cx.evidence(*iter, "this bounds the attempts");
    }
    let mut ways: Vec<(ExprId, bool, Reads)> = Vec::new();
    // a counter, a supply of delays that is looked at as an option: `match delays.next() { Some(d) => …, None => return Err(e) }`
    let mut supplies: Vec<(Op, bool)> = Vec::new();
    for (state, flow) in &record.exits {
        for (cond, truth) in &state.conds {
            let opposed = failing.iter().any(|fail| fail.conds.contains(&(*cond, !*truth)));
            if (opposed || matches!(flow, Flow::Next(_))) && !ways.iter().any(|(it, ..)| it == cond) {
                ways.push((*cond, *truth, reads(cx, followed, ops, *cond, &changed)));
            }
        }
        for look in state.looked.iter().filter(|look| !is_about(followed, ops, look.op)) {
            let all_pass = failing
                .iter()
                .all(|fail| fail.looked.iter().any(|it| it.op == look.op && it.tag != look.tag));
            if all_pass && !supplies.iter().any(|(op, _)| *op == look.op) {
                supplies.push((look.op, is_supply(cx, look.op)));
            }
        }
        if gives_up(state, flow) {
            made.outcome = made.outcome.or(outcome_of(flow));
        }
    }
    if made.kind.is_some() {
        return made;
    }
    let has = |what: Reads| ways.iter().find(|(.., reads)| *reads == what);
    // every failing trip must pass the test, else the bound does not hold for it
    let holds = |what: &[Reads]| {
        failing.iter().all(|state| {
            ways.iter().any(|(cond, truth, reads)| {
                what.contains(reads)
                    && (state.conds.contains(&(*cond, !*truth))
                        || !state.conds.contains(&(*cond, *truth)) && is_head(cx, id, *cond))
            })
        })
    };
    let pick = |what: Reads| has(what).map(|(cond, ..)| *cond);
    let counted = pick(Reads::Counter).or(pick(Reads::Supply));
    if let Some((supply, _)) = supplies.iter().find(|(_, is)| *is) {
        made.kind = Some(BoundKind::Bounded);
        made.evidence = cx.evidence(*supply, "ends when this does");
        return made;
    }
    // what a policy or a home-grown outcome decides, nobody sees here
    let hidden = !supplies.is_empty()
        || ops.iter().any(|op| counts_inside(cx, *op))
        || failing.iter().any(|state| {
            state.looked.iter().any(|look| {
                ops.contains(&look.op)
                    && matches!(look.tag, Tag::Variant(_))
                    && look.verdict == Verdict::Failure
            })
        });
    if let Some(cond) = counted
        && holds(&[Reads::Counter, Reads::Supply, Reads::Deadline])
    {
        made.kind = Some(BoundKind::Bounded);
        made.evidence = cx.evidence(cond, "this bounds the attempts");
    } else if let Some(cond) = pick(Reads::Deadline)
        && holds(&[Reads::Deadline])
    {
        made.kind = Some(BoundKind::Deadline);
        made.evidence = cx.evidence(cond, "this limits the time");
    } else if counted.is_some()
        || pick(Reads::Deadline).is_some()
        || pick(Reads::Other).is_some()
        || followed.cut
        || hidden
    {
        made.kind = None;
    } else if made.cancel || pick(Reads::Cancel).is_some() {
        made.kind = Some(BoundKind::Cancellable);
        made.evidence = pick(Reads::Cancel)
            .map_or_else(Evidence::default, |cond| cx.evidence(cond, "only this stops it"));
    } else {
        made.kind = Some(BoundKind::Unbounded);
        made.evidence = Evidence::words("nothing but success ends it");
        made.outcome = Some(Outcome::Never);
    }
    made
}

/// Whether a way out gives up: after a failure, or without having tried.
fn gives_up(state: &State, flow: &Flow) -> bool {
    let failed = state.looked.iter().any(|look| look.verdict == Verdict::Failure);
    failed || matches!(flow, Flow::Next(_)) || state.looked.is_empty()
}

fn outcome_of(flow: &Flow) -> Option<Outcome> {
    match flow {
        Flow::Return(Val::Built(Tag::Err, _)) | Flow::Break(_, Val::Built(Tag::Err, _)) => {
            Some(Outcome::ReturnsError)
        }
        Flow::Diverge => Some(Outcome::Panics),
        _ => None,
    }
}

fn is_head(cx: &Context<'_>, id: ExprId, cond: ExprId) -> bool {
    match &cx.body.expr(id).kind {
        ExprKind::While { cond: head, .. } => cx.body.expr(*head).span.contains(cx.body.expr(cond).span),
        _ => false,
    }
}

/// Whether the operation counts its own calls: a function of this crate that steps a field named after attempts.
fn counts_inside(cx: &Context<'_>, op: Op) -> bool {
    let Callee::Own(item) = cx.callee(op) else { return false };
    let Some(inner) = cx.inside(item) else { return true };
    inner.body.any(inner.body.root, |id| match &inner.body.expr(id).kind {
            ExprKind::AssignOp(_, left, _) => matches!(&inner.body.expr(*left).kind, ExprKind::Field(_, name) if says(&cx.words().attempts, name)),
            ExprKind::Field(_, name) => name.starts_with("max_") && says(&cx.words().attempts, name),
            _ => false,
        })
}

/// Whether an iterator goes on for ever: `0..`, `repeat(x)`, `.cycle()`; with nothing that takes a number of it.
fn is_endless(cx: &Context<'_>, iter: ExprId) -> bool {
    match &cx.body.expr(iter).kind {
        ExprKind::Range { end, .. } => end.is_none(),
        ExprKind::Method(call) => match call.name.as_str() {
            "take" | "take_while" | "zip" => false,
            "cycle" => true,
            _ => is_endless(cx, call.receiver),
        },
        ExprKind::Call(_, args) => {
            matches!(cx.call_name(iter), "repeat" | "repeat_with" | "successors" | "from_fn")
                && args.len() < 3
        }
        ExprKind::Path(_) => cx
            .body
            .local(iter)
            .and_then(|local| cx.init(local))
            .is_some_and(|init| init != iter && is_endless(cx, init)),
        _ => false,
    }
}

/// The time limit around the loop, in the same function.
fn enclosing_timeout(cx: &Context<'_>, id: ExprId) -> Option<ExprId> {
    let mut at = id;
    let mut inside_deferred = false;
    while let Some(parent) = cx.parent(at) {
        match &cx.body.expr(parent).kind {
            ExprKind::Async(_) | ExprKind::Closure { .. } => inside_deferred = true,
            ExprKind::Call(..) | ExprKind::Method(_) if inside_deferred => {
                if matches!(cx.role(parent), Some(Role::Timeout { .. })) {
                    return Some(parent);
                }
            }
            _ => {}
        }
        at = parent;
    }
    None
}
