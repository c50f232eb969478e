//! Whether a function makes a connection and then serves it: it reads message after message from what it connected, and returns when that ended.
//! Told by where the messages come from, never by the function's name; rows that a query gives come from no connection of this kind.

use super::context::{Callee, Context};
use super::remote;
use crate::body::{ExprId, ExprKind, Local, Stmt};
use crate::knowledge::{Role, is_one_of, parts};

/// Steps back from a message to the connection that it came from.
const MOST_STEPS: u32 = 12;

/// Whether what is called here connects and serves, itself or in a function that it awaits.
pub(super) fn serves(cx: &Context<'_>, op: ExprId, left: u32) -> bool {
    let (Some(left), Callee::Own(item)) = (left.checked_sub(1), cx.callee(op)) else { return false };
    let Some(inner) = cx.inside(item) else { return false };
    inner.body.exprs().any(|(id, expr)| match &expr.kind {
        ExprKind::Method(call) => {
            reads(&inner, id)
                && inner.loop_around(id).is_some()
                && is_connection(&inner, call.receiver, MOST_STEPS)
                || inner.is_awaited(id) && serves(&inner, id, left)
        }
        ExprKind::Call(..) => inner.is_awaited(id) && serves(&inner, id, left),
        _ => false,
    })
}

/// `read.next().await`, `socket.recv().await`
fn reads(cx: &Context<'_>, id: ExprId) -> bool {
    let first = parts(cx.call_name(id)).into_iter().next().unwrap_or_default();
    is_one_of(&cx.words().receives, &first) && cx.is_awaited(id)
}

/// Whether a value is a connection that was made in this body, or a half of one.
fn is_connection(cx: &Context<'_>, id: ExprId, left: u32) -> bool {
    let Some(left) = left.checked_sub(1) else { return false };
    let made = |id: ExprId| match cx.role(id) {
        Some(Role::Remote { establishes, .. }) => *establishes,
        Some(_) => false,
        None => remote::is_named_after_establishing(cx.words(), cx.call_name(id)),
    };
    match &cx.body.expr(id).kind {
        ExprKind::Method(call) => {
            let halves = matches!(call.name.as_str(), "split" | "into_split" | "fuse" | "by_ref" | "get_mut");
            let same = halves || matches!(cx.role(id), Some(Role::Adaptor | Role::Timeout { .. }));
            made(id) || same && is_connection(cx, call.receiver, left)
        }
        ExprKind::Call(_, args) => {
            let wraps = matches!(cx.role(id), Some(Role::Adaptor | Role::Timeout { .. }))
                || cx.call_name(id) == "new" && args.len() <= 2;
            made(id) || wraps && args.iter().any(|arg| is_connection(cx, *arg, left))
        }
        ExprKind::Ref(inner) | ExprKind::Try(inner) | ExprKind::Await(inner) => {
            is_connection(cx, *inner, left)
        }
        ExprKind::Path(_) => cx
            .body
            .local(id)
            .and_then(|local| given_at(cx, local))
            .is_some_and(|init| is_connection(cx, init, left)),
        _ => false,
    }
}

/// What a `let` gives a local, also one of several: `let (write, read) = socket.split();`.
fn given_at(cx: &Context<'_>, local: Local) -> Option<ExprId> {
    cx.init(local).or_else(|| {
        cx.body.exprs().find_map(|(id, _)| {
            cx.body.stmts_of(id).iter().find_map(|stmt| {
                let Stmt::Let { pat, init, .. } = stmt else { return None };
                cx.body.names_in_pat(*pat).iter().any(|(_, it)| *it == local).then_some(*init).flatten()
            })
        })
    })
}
