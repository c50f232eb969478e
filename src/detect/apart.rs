//! Work that nobody waits for: in a task or thread of its own, or in a function that is called from nowhere else.
//! It follows calls upwards and reads no values; that the one who started it may still stop it is `bounds`' business.

use super::context::Context;
use crate::body::{ExprId, ExprKind};
use crate::knowledge::Role;

/// Functions that are followed upwards, one after another, and callers of each.
const MOST_CALLS: u32 = 3;
const MOST_CALLERS: usize = 8;

/// Whether an expression runs where nobody waits for it: in something that is spawned and not joined, here or in all that call this function.
pub(super) fn runs_apart(cx: &Context<'_>, id: ExprId) -> bool {
    is_apart(cx, id, MOST_CALLS)
}

fn is_apart(cx: &Context<'_>, id: ExprId, left: u32) -> bool {
    if cx.around(id).any(|at| is_spawned(cx, at)) {
        return true;
    }
    let Some(left) = left.checked_sub(1) else { return false };
    let callers = cx.callers();
    let mut callers = callers.iter().filter(|(caller, _)| !cx.krate.is_test(*caller)).peekable();
    callers.peek().is_some()
        && callers.clone().count() <= MOST_CALLERS
        && callers.all(|(caller, call)| {
            *caller != cx.at && cx.inside(*caller).is_some_and(|inner| is_apart(&inner, *call, left))
        })
}

/// `tokio::spawn(async move { … });`, `thread::spawn(|| …)` as long as nobody asks for what becomes of it at once.
fn is_spawned(cx: &Context<'_>, at: ExprId) -> bool {
    matches!(cx.body.expr(at).kind, ExprKind::Call(..) | ExprKind::Method(_))
        && matches!(cx.role(at), Some(Role::Spawn))
        && !cx.is_awaited(at)
        && !is_joined(cx, at)
}

fn is_joined(cx: &Context<'_>, spawn: ExprId) -> bool {
    cx.around(spawn).any(|at| matches!(&cx.body.expr(at).kind, ExprKind::Method(call) if call.name == "join"))
}
