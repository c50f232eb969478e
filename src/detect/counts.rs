//! How a limit's name and its number agree, and whether the last try is waited for as well.
//! Read off the way the loop is written; what cannot be read is left unknown.

use super::context::Context;
use super::flow::state::Look;
use super::flow::{Event, Flow, LoopRecord, LoopShape, Op, State, Verdict};
use super::outside;
use crate::body::{ExprId, ExprKind, Lit};
use crate::knowledge::parts;
use crate::model::{Fact, Site};

/// Fills what a loop's limit tells of its attempts.
pub(super) fn fill(
    cx: &Context<'_>,
    id: ExprId,
    record: &LoopRecord,
    failing: &[&State],
    ops: &[Op],
    site: &mut Site,
) {
    let ExprKind::For { iter, .. } = &cx.body.expr(id).kind else { return };
    if record.shape != LoopShape::Count || record.cut {
        return;
    }
    if let Some(end) = counted_from_zero_and_inclusive(cx, *iter) {
        site.attempts.counts =
            Fact::Known("calls".into(), cx.evidence(end, "this is how many there should be"));
        site.attempts.off_by_one = Fact::Known(true, cx.evidence(*iter, "this makes one more"));
    }
    if let Some(wait) = waits_after_last(cx, failing, ops)
        .filter(|_| !ends_before(record, ops) && outside::tries(cx, ops) == 0)
    {
        site.delay.after_last =
            Fact::Known(true, cx.evidence(wait, "this is waited for after the last attempt too"));
    }
}

/// `0..=MAX_ATTEMPTS`: the limit, where it is named after attempts and after nothing that comes behind the first.
fn counted_from_zero_and_inclusive(cx: &Context<'_>, iter: ExprId) -> Option<ExprId> {
    let ExprKind::Range { start: Some(start), end: Some(end), inclusive: true } = &cx.body.expr(iter).kind
    else {
        return None;
    };
    let ExprKind::Lit(Lit::Int(0, _)) = &cx.body.expr(*start).kind else { return None };
    let name = cx.base_text(*end);
    let names = parts(&name);
    let calls = names.iter().any(|part| matches!(part.as_str(), "attempts" | "tries"));
    (calls && !names.iter().any(|part| part.starts_with("retr") || part == "extra")).then_some(*end)
}

/// Whether some failure leaves from inside: the last one may be it.
fn ends_before(record: &LoopRecord, ops: &[Op]) -> bool {
    record.exits.iter().any(|(state, flow)| {
        let failed = |look: &Look| ops.contains(&look.op) && look.verdict == Verdict::Failure;
        !matches!(flow, Flow::Next(_)) && state.looked.iter().any(failed)
    })
}

/// The wait that every failing trip comes to after its try, the last one with it.
fn waits_after_last(cx: &Context<'_>, failing: &[&State], ops: &[Op]) -> Option<ExprId> {
    let late = |state: &&State| {
        let events = state.trip_events();
        let called = ops.iter().map(|op| cx.body.expr(*op).span.end).max()?;
        events.iter().rev().find_map(|event| match event {
            Event::Wait(wait) if cx.body.expr(*wait).span.start >= called => Some(*wait),
            _ => None,
        })
    };
    let waits: Option<Vec<ExprId>> = failing.iter().map(late).collect();
    waits?.first().copied()
}
