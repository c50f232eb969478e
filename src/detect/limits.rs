//! Limits that stand around a loop and not in it: an iterator that ends, a time limit on the future that the loop is part of.
//! They are read off the syntax around the loop, in its function and in the functions that call it.

use super::context::Context;
use crate::body::{ExprId, ExprKind};
use crate::knowledge::Role;

/// Whether an iterator goes on for ever: `0..`, `repeat(x)`, `.cycle()`; with nothing that takes a number of it.
pub(super) fn is_endless(cx: &Context<'_>, iter: ExprId) -> bool {
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

/// The time limit around a loop, in the same function or in each of those that call it.
pub(super) fn enclosing_timeout(cx: &Context<'_>, id: ExprId) -> Option<ExprId> {
    if let Some(limit) = timeout_around(cx, id, false) {
        return Some(limit);
    }
    let callers = cx.callers();
    let limited = |(item, call): &(crate::resolve::ItemRef, ExprId)| {
        cx.inside(*item).is_some_and(|caller| timeout_around(&caller, *call, true).is_some())
    };
    // an async function is a future as a whole: whoever calls it may limit it
    (cx.body.is_async && !callers.is_empty() && callers.iter().take(16).all(limited)).then_some(id)
}

/// The time limit on the future that an expression is, or is part of.
fn timeout_around(cx: &Context<'_>, id: ExprId, is_future: bool) -> Option<ExprId> {
    let mut at = id;
    let mut deferred = is_future;
    while let Some(parent) = cx.parent(at) {
        match &cx.body.expr(parent).kind {
            ExprKind::Await(_) => deferred = false,
            ExprKind::Async(_) | ExprKind::Closure { .. } => deferred = true,
            ExprKind::Call(..) | ExprKind::Method(_) if deferred => {
                if matches!(cx.role(parent), Some(Role::Timeout { .. })) {
                    return Some(parent);
                }
            }
            ExprKind::Block(_) if deferred => {
                // `let fetching = async { … };`, and the limit where the variable is used
                if let Some(limit) = cx.local_of(at).and_then(|local| timeout_of(cx, local)) {
                    return Some(limit);
                }
            }
            _ => {}
        }
        at = parent;
    }
    None
}

/// A time limit that is put on a variable.
fn timeout_of(cx: &Context<'_>, local: crate::body::Local) -> Option<ExprId> {
    cx.body.exprs().map(|(id, _)| id).find(|id| {
        matches!(cx.role(*id), Some(Role::Timeout { .. }))
            && cx.operands(*id).iter().any(|operand| {
                let operand = match &cx.body.expr(*operand).kind {
                    ExprKind::Ref(inner) => *inner,
                    _ => *operand,
                };
                cx.body.local(operand) == Some(local)
            })
    })
}
