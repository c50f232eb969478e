//! Whether a crate's driver passes the server's hint how long to wait by: its table says that it reads none, and which replies it sends again
//! its strategy says. Where a strategy cannot be read, nothing is told.

use super::drivers::args_of;
use super::full_paths;
use crate::body::{ExprId, ExprKind, Ty};
use crate::detect::context::{Callee, Context};
use crate::detect::hints::{is_named_under, names_hint};
use crate::detect::overloads::said_by;
use crate::detect::statuses::is_overload;
use crate::detect::summary::{MOST_CALLS, predicate_statuses};
use crate::knowledge::{Driver, Library, Retried, Role};
use crate::model::Fact;
use crate::resolve::ItemRef;

/// Reads the fact of a call that runs a policy.
pub(super) fn honoured(cx: &Context<'_>, library: &Library, driver: &Driver, call: ExprId) -> Fact<bool> {
    let sends_again = match driver.predicate {
        None => driver.errors == Retried::Status,
        Some(at) => {
            args_of(cx, call).get(at).is_some_and(|arg| is_overload_strategy(cx, library, driver, *arg))
        }
    };
    if !driver.hint_unread || !sends_again {
        return Fact::Unknown;
    }
    Fact::Known(
        false,
        cx.evidence(call, "sends 429 and 503 again by its own delay, and reads no `Retry-After`"),
    )
}

/// The same where every error of an operation goes round, and statuses are errors.
pub(super) fn of_errors(cx: &Context<'_>, operation: Option<ExprId>) -> Fact<bool> {
    match operation {
        Some(operation) if !is_named_under(cx, operation) => Fact::Known(
            false,
            cx.evidence(operation, "429 and 503 are errors of this, and their `Retry-After` is not read"),
        ),
        _ => Fact::Unknown,
    }
}

/// Whether a value of a type of the crate has 429 or 503 sent again, and has no eye for a hint itself.
fn is_overload_strategy(cx: &Context<'_>, library: &Library, driver: &Driver, arg: ExprId) -> bool {
    if names_overload(cx, library, arg) {
        return true;
    }
    let written = || match &cx.body.expr(arg).kind {
        ExprKind::Path(path) => Some(Ty { path: path.segments.clone(), ..Ty::default() }),
        _ => None,
    };
    let decides = |ty: &Ty| cx.krate.method(ty, driver.predicate_method.as_deref()?);
    let method =
        cx.type_of(arg).and_then(|ty| decides(&ty)).or_else(|| written().and_then(|ty| decides(&ty)));
    method.is_some_and(|item| {
        !names_hint(cx, item, MOST_CALLS) && speaks_of_overload(cx, library, item, MOST_CALLS)
    })
}

fn speaks_of_overload(cx: &Context<'_>, library: &Library, item: ItemRef, left: u32) -> bool {
    let (Some(inner), Some(left)) = (cx.inside(item), left.checked_sub(1)) else { return false };
    inner.body.exprs().any(|(id, _)| {
        let by_status = || match inner.role(id) {
            Some(role @ Role::Predicate { .. }) => said_by(role),
            _ => predicate_statuses(&inner, id, 0).is_some_and(|ranges| is_overload(&ranges)),
        };
        names_overload(&inner, library, id)
            || by_status()
            || matches!(inner.callee(id), Callee::Own(next) if next != item && speaks_of_overload(&inner, library, next, left))
    })
}

/// A function or value of the library that has them sent again.
fn names_overload(cx: &Context<'_>, library: &Library, id: ExprId) -> bool {
    let ExprKind::Path(path) = &cx.body.expr(id).kind else { return false };
    cx.body.local(id).is_none()
        && full_paths(cx, &path.segments)
            .iter()
            .any(|full| library.errors.overloads.contains(&full.join("::")))
}
