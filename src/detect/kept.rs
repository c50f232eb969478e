//! An error that is kept, and about which somebody is asked on the next round: `last = Some(error)`, and on top `match policy.next(&last) { … }`.
//! It tells only that somebody is asked; what he answers is not followed.

use super::context::{Callee, Context};
use crate::body::{ExprKind, Local, PatKind};
use std::collections::BTreeSet;

/// Whether a body keeps an error and decides by what a function of the crate, or one that nobody sees, makes of it.
pub(super) fn is_asked_later(cx: &Context<'_>) -> bool {
    let body = cx.body;
    let mut errors: BTreeSet<Local> = BTreeSet::new();
    for (pat, it) in body.pats() {
        if matches!(&it.kind, PatKind::TupleStruct(path, _) if path.last() == "Err") {
            errors.extend(body.names_in_pat(pat).into_iter().map(|(_, local)| local));
        }
    }
    let mut kept: BTreeSet<Local> = BTreeSet::new();
    for (_, expr) in body.exprs() {
        if let ExprKind::Assign(place, value) = expr.kind
            && body.mentions(value, &errors)
        {
            kept.extend(body.local(place));
        }
    }
    if kept.is_empty() {
        return false;
    }
    for (_, expr) in body.exprs() {
        if let ExprKind::Let(pat, value) = expr.kind
            && body.mentions(value, &kept)
        {
            kept.extend(body.names_in_pat(pat).into_iter().map(|(_, local)| local));
        }
    }
    body.exprs().any(|(_, expr)| {
        let (ExprKind::Match(asked, _) | ExprKind::If { cond: asked, .. }) = expr.kind else { return false };
        body.any(asked, |call| {
            matches!(body.expr(call).kind, ExprKind::Call(..) | ExprKind::Method(_))
                && !matches!(cx.callee(call), Callee::Known(..))
                && cx.args(call).iter().any(|arg| body.mentions(*arg, &kept))
        })
    })
}
