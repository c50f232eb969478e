//! Which errors a policy tries again, as a crate's table has it: all, those that are not marked as permanent, those that a predicate picks.
//! What the predicate says of a status is asked in `predicate`.

use super::drivers::behind_name;
use super::full_paths;
use crate::body::{Arm, ExprId, ExprKind, PatId, PatKind, Ty};
use crate::detect::context::{Callee, Context};
use crate::detect::{errors, refusals};
use crate::knowledge::{Library, Retried};
use crate::model::{ErrorKind, Errors, Fact};
use crate::resolve::{ItemRef, Target};

/// What is known of the errors of a policy that a call runs.
pub(super) fn errors_of(
    cx: &Context<'_>,
    library: &Library,
    retried: Retried,
    operation: Option<ExprId>,
    call: ExprId,
) -> Errors {
    let mut made = Errors { stale_connection: Fact::known(false), ..Errors::default() };
    let operation = operation.map(|operation| behind_name(cx, operation));
    let all = match retried {
        Retried::All => true,
        Retried::Marked => operation.is_some_and(|operation| marks_nothing(cx, library, operation, 2)),
        Retried::Picked => {
            made.kind = Fact::Known(ErrorKind::Classified, cx.evidence(call, "a predicate picks the errors"));
            false
        }
        Retried::Status => {
            made.kind = Fact::Known(ErrorKind::Status, cx.evidence(call, "statuses are told apart"));
            made.retries_4xx = Fact::known(false);
            false
        }
        Retried::Unknown => false,
    };
    if all {
        made.kind = Fact::Known(ErrorKind::All, cx.evidence(call, "any error of the operation goes round"));
        made.retries_unanswered = Fact::Known(
            true,
            cx.evidence(call, "whether the server did it is not known when any error goes round"),
        );
        made.retries_permanent =
            operation.map_or(Fact::Unknown, |operation| errors::permanent_inside(cx, operation));
        if let Some(operation) = operation.filter(|operation| refusals::of_operand(cx, *operation)) {
            made.retries_4xx =
                Fact::Known(true, cx.evidence(operation, "makes errors of 4xx, and they go round"));
        }
    }
    made
}

/// Whether no error of an operation is marked as permanent, in it or in what it calls: only then all of them go round.
fn marks_nothing(cx: &Context<'_>, library: &Library, root: ExprId, left: u32) -> bool {
    let is = |path: &[String], list: &[String]| {
        full_paths(cx, path).iter().any(|full| list.contains(&full.join("::")))
    };
    let mut clean = left > 0;
    cx.body.walk(root, &mut |id| {
        match &cx.body.expr(id).kind {
            ExprKind::Path(path) if cx.body.local(id).is_none() => {
                let own = || matches!(cx.krate.path(cx.at, &path.segments), Target::Item(item) if of_crate_type(cx, library, item));
                clean &= !is(&path.segments, &library.errors.permanent) && !own();
            }
            ExprKind::Struct(lit) => clean &= !is(&lit.path.segments, &library.errors.permanent),
            ExprKind::Method(call) if library.errors.permanent_methods.contains(&call.name) => clean = false,
            ExprKind::Method(_) | ExprKind::Call(..) => {
                if let Callee::Own(item) = cx.callee(id)
                    && of_crate_type(cx, library, item)
                {
                    clean &= cx.inside(item).is_some_and(|inner| marks_nothing(&inner, library, inner.body.root, left - 1));
                }
            }
            // `Err(error) => RetryError::to_transient(error)`: whatever it is
            ExprKind::Match(_, arms) if takes_any_error(cx, arms) => {}
            // an operation that looks at its errors may say anything of them
            ExprKind::Match(..) | ExprKind::Macro(_) => {
                let speaks = |inner: ExprId| matches!(&cx.body.expr(inner).kind, ExprKind::Path(path) if path.segments.len() > 1 && library.errors.transient.iter().chain(&library.errors.permanent).any(|marker| marker.ends_with(path.last())));
                clean &= !cx.body.any(id, speaks);
            }
            _ => {}
        }
        clean
    });
    clean
}

/// Whether a match tells a success from a failure, and no failure from another.
fn takes_any_error(cx: &Context<'_>, arms: &[Arm]) -> bool {
    let is_plain = |arm: &Arm| {
        arm.guard.is_none()
            && match &cx.body.pat(arm.pat).kind {
                PatKind::TupleStruct(path, inner) => {
                    let takes_all = |pat: &PatId| {
                        matches!(cx.body.pat(*pat).kind, PatKind::Wild | PatKind::Bind { sub: None, .. })
                    };
                    path.last() == "Ok" || path.last() == "Err" && inner.iter().all(takes_all)
                }
                _ => false,
            }
    };
    arms.len() == 2 && arms.iter().all(is_plain)
}

/// Whether a function of the crate gives a type of the library: its error says whether to go on.
fn of_crate_type(cx: &Context<'_>, library: &Library, item: ItemRef) -> bool {
    fn names(library: &Library, ty: &Ty) -> bool {
        ty.path.first().is_some_and(|first| library.crates.contains(first))
            || ty.args.iter().any(|arg| names(library, arg))
    }
    let Some(ret) = cx.krate.signature(item).and_then(|signature| signature.ret.clone()) else {
        return false;
    };
    names(library, &cx.krate.full_type(item, &ret))
}
