//! Whether failures go round that leave open whether the server did the work: a time-out, a connection that was lost, a 5xx. A refused connection
//! or a 429 came before the work, and is none of these. Only what is seen to go round counts.

use super::context::{Callee, Context};
use super::errors::told_by_kind;
use super::flow::{Followed, Op, State, Tag, Test, Verdict};
use super::reads::asked_of;
use crate::body::{ExprId, ExprKind, Lit, PatId, UnOp};
use crate::knowledge::says;
use crate::model::Fact;

/// Statuses by which nobody knows how far the server came. 501 and 503 are given before the work.
const OPEN: [u16; 3] = [500, 502, 504];
/// Predicates are followed through this many calls and variables.
const MOST_STEPS: u32 = 6;

/// Reads the fact off the failing trips.
pub(crate) fn retried(cx: &Context<'_>, followed: &Followed, failing: &[&State], ops: &[Op]) -> Fact<bool> {
    failing.iter().find_map(|state| open(cx, followed, state, ops)).map_or(Fact::Unknown, |place| {
        Fact::Known(true, cx.evidence(place, "whether the server did it is not known when this goes round"))
    })
}

fn open(cx: &Context<'_>, followed: &Followed, state: &State, ops: &[Op]) -> Option<ExprId> {
    let failed =
        state.looked.iter().rev().find(|look| ops.contains(&look.op) && look.verdict == Verdict::Failure)?;
    if let Some((op, codes)) = state.codes.as_ref().filter(|_| failed.tag == Tag::BadStatus) {
        let any = OPEN.iter().any(|code| codes.iter().any(|(from, to)| from <= code && code <= to));
        return any.then_some(*op);
    }
    let asked: Vec<(ExprId, bool)> = state
        .conds
        .iter()
        .copied()
        .filter(|(cond, _)| matches!(asked_of(followed, ops, *cond), Some(Test::About | Test::Transient)))
        .collect();
    let kind = told_by_kind(followed, state, ops);
    if kind.is_some_and(|name| says(&cx.words().unanswered, name)) {
        return Some(failed.op);
    }
    if failed.tag == Tag::Err && asked.is_empty() && state.arms.is_empty() && kind.is_none() {
        return Some(failed.op);
    }
    let by_test = asked.iter().find(|(cond, truth)| *truth && names_open(cx, *cond, MOST_STEPS));
    by_test
        .map(|(cond, _)| *cond)
        .or_else(|| state.arms.iter().any(|pat| is_open_variant(cx, *pat)).then_some(failed.op))
}

/// Whether a test says yes to such a failure: by its own name, or by what the function of the crate asks.
fn names_open(cx: &Context<'_>, root: ExprId, left: u32) -> bool {
    let Some(left) = left.checked_sub(1) else { return false };
    let is = |name: &str| says(&cx.words().unanswered, name);
    let mut found = false;
    cx.body.walk(root, &mut |id| {
        match &cx.body.expr(id).kind {
            ExprKind::Unary(UnOp::Not, _) => return false,
            // `if error.is_timeout() { return false; }` says no to it
            ExprKind::If { then, otherwise, .. } if says_no(cx, *then) => {
                found |= otherwise.is_some_and(|other| names_open(cx, other, left));
                return false;
            }
            ExprKind::Method(call) => found |= is(&call.name),
            ExprKind::Path(path) if path.segments.len() > 1 => found |= is(path.last()),
            // `let again = is_transient(&outcome);`
            ExprKind::Path(_) => {
                let init = cx.body.local(id).and_then(|local| cx.init(local)).filter(|init| *init != id);
                found |= init.is_some_and(|init| names_open(cx, init, left));
            }
            ExprKind::Macro(call) => {
                if let crate::body::MacroInput::Matches { pat, .. } = call.input {
                    found |= is_open_variant(cx, pat);
                }
            }
            _ => {}
        }
        if let Callee::Own(item) = cx.callee(id)
            && item != cx.at
            && let Some(inner) = cx.inside(item)
        {
            found |= names_open(&inner, inner.body.root, left);
        }
        !found
    });
    found
}

/// A block that is, or returns, `false`.
fn says_no(cx: &Context<'_>, id: ExprId) -> bool {
    let is_no = |id: ExprId| match cx.body.expr(id).kind {
        ExprKind::Lit(Lit::Bool(false)) => true,
        ExprKind::Return(Some(value)) => matches!(cx.body.expr(value).kind, ExprKind::Lit(Lit::Bool(false))),
        _ => false,
    };
    is_no(cx.only_in(id))
}

fn is_open_variant(cx: &Context<'_>, pat: PatId) -> bool {
    cx.names_variant(pat, &cx.words().unanswered)
}
