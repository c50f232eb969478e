//! What a retry crate's policy is put around, where nothing tells whether it is remote: such policies are for remote sides, and hardly for anything else.
//! It is believed at medium confidence only, and not where anything within reach is known to stay on the machine.

use super::context::{Callee, Context};
use super::remote::{Answer, is_client_of};
use crate::body::{ExprId, ExprKind};
use crate::knowledge::{LocalKind, Role};

/// Functions of the crate that are looked into, one in the other.
const MOST_CALLS: u32 = 4;

/// Whether what a policy runs crosses a network, as far as that it is retried tells. A call that blocks its thread may as well work with files.
pub(super) fn of_retried(cx: &Context<'_>, operation: ExprId, blocks: bool) -> Option<Answer> {
    let is_given = matches!(cx.body.expr(operation).kind, ExprKind::Path(_));
    let needs_client = blocks || is_given;
    if needs_client && !is_client_of(cx)
        || !is_given && !works(cx, operation)
        || blocks && is_anothers(cx, operation)
    {
        return None;
    }
    (!stays_here(cx, operation, MOST_CALLS)).then(|| Answer {
        is: true,
        certain: false,
        why: "a retry crate runs it, and nothing in it is known to stay on the machine".into(),
    })
}

/// Whether it calls something that may fail and that nobody knows.
fn works(cx: &Context<'_>, root: ExprId) -> bool {
    cx.body.any(root, |id| {
        matches!(cx.body.expr(id).kind, ExprKind::Call(..) | ExprKind::Method(_))
            && matches!(cx.callee(id), Callee::Own(_) | Callee::Unknown | Callee::Operand(_))
            && !cx.call_name(id).starts_with(char::is_uppercase)
    })
}

/// Whether it calls a crate of which nothing is known: without `await` that may be a library of any sort. A variant that is built is no call,
/// and a question about an error does nothing.
fn is_anothers(cx: &Context<'_>, root: ExprId) -> bool {
    let asks_an_error = |id: ExprId, path: &[String]| {
        matches!(cx.body.expr(id).kind, ExprKind::Method(_))
            && path.last().is_some_and(|last| last.ends_with("Error"))
    };
    cx.body.any(root, |id| match cx.callee(id) {
        Callee::Foreign(path)
            if !cx.call_name(id).starts_with(char::is_uppercase) && !asks_an_error(id, &path) =>
        {
            path.first().is_some_and(|first| {
                !matches!(first.as_str(), "std" | "core" | "alloc") && !cx.knowledge.crate_is_client(first)
            })
        }
        _ => false,
    })
}

/// Whether something in it is done with files, processes, devices or locks.
fn stays_here(cx: &Context<'_>, root: ExprId, left: u32) -> bool {
    cx.body.any(root, |id| match cx.callee(id) {
        Callee::Known(entry, _) => match &entry.role {
            Role::Local { kind } => {
                matches!(kind, LocalKind::File | LocalKind::Process | LocalKind::Device | LocalKind::Io)
            }
            // the lock itself is tried again; what works under one, inside, is something else
            Role::Guard => left == MOST_CALLS,
            _ => false,
        },
        Callee::Own(item) => {
            left > 0
                && item != cx.at
                && cx.inside(item).is_some_and(|inner| stays_here(&inner, inner.body.root, left - 1))
        }
        _ => false,
    })
}
