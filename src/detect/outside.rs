//! A try of the operation outside of its loop: the first one before it, or a last one behind it.
//! It counts as an attempt, and the wait before the last one is a delay between two.

use super::context::Context;
use super::flow::Op;
use crate::body::{ExprId, ExprKind};

/// More tries outside than this are something else.
const MOST_OUTSIDE: usize = 2;

/// How often the same call is written on the way to the loop and behind it.
pub(super) fn tries(cx: &Context<'_>, ops: &[Op]) -> u32 {
    let Some((op, looped)) = ops.iter().find_map(|op| Some((op, cx.loop_around(*op)?))) else { return 0 };
    if ops.iter().any(|other| !cx.is_written_alike(*op, *other)) {
        return 0;
    }
    let alike = |id: ExprId| {
        matches!(cx.body.expr(id).kind, ExprKind::Call(..) | ExprKind::Method(_))
            && cx.is_written_alike(id, *op)
            && cx.is_awaited(id) == cx.is_awaited(*op)
            && is_on_the_way(cx, id, looped)
    };
    let found = cx.body.exprs().filter(|(id, _)| *id != *op && alike(*id)).count();
    if found > MOST_OUTSIDE { 0 } else { found as u32 }
}

/// Whether whoever comes to the loop comes by this call, or to it from there: no branch, loop or closure of its own is around it.
fn is_on_the_way(cx: &Context<'_>, call: ExprId, looped: ExprId) -> bool {
    let around: Vec<ExprId> = cx.around(looped).collect();
    let mut at = call;
    while let Some(parent) = cx.parent(at) {
        if around.contains(&parent) {
            return at != looped;
        }
        let passes = match &cx.body.expr(parent).kind {
            ExprKind::If { cond, .. } => *cond == at,
            ExprKind::Match(value, _) => *value == at,
            ExprKind::Closure { .. }
            | ExprKind::Async(_)
            | ExprKind::Loop { .. }
            | ExprKind::While { .. }
            | ExprKind::For { .. } => false,
            _ => true,
        };
        if !passes {
            return false;
        }
        at = parent;
    }
    false
}
