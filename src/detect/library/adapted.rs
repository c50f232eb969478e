//! What std's adaptors do to an iterator of delays that is a policy: limits, maps, ends.
//! An adaptor that is not told here makes it unknown.

use super::draft::Draft;
use super::origin::{Followed, is_none};
use super::scope::Scope;
use crate::body::{ExprId, ExprKind, MethodCall};
use crate::knowledge::Sets;
use crate::model::Evidence;

/// Methods that give what they are called on, or a copy of it.
pub(super) fn hands_on(name: &str) -> bool {
    matches!(
        name,
        "clone"
            | "cloned"
            | "copied"
            | "to_owned"
            | "as_ref"
            | "as_mut"
            | "borrow"
            | "borrow_mut"
            | "deref"
            | "into"
            | "iter"
            | "into_iter"
            | "by_ref"
            | "inspect"
            | "fuse"
            | "peekable"
            | "unwrap"
            | "expect"
            | "unwrap_or_default"
            | "boxed"
    )
}

/// What std's adaptors do to an iterator of delays; false where nobody can tell.
pub(super) fn adapt(scope: &Scope<'_, '_>, policy: &mut Followed<'_>, id: ExprId, call: &MethodCall) -> bool {
    let evidence = scope.cx.evidence(id, "set here");
    match (call.name.as_str(), call.args.as_slice()) {
        ("take", [most]) => policy.draft.one_of(scope, Sets::Retries, *most, &evidence),
        ("map", [made]) => policy.draft.one_of(scope, Sets::Map, *made, &evidence),
        ("skip" | "step_by", [_]) => policy.draft.forget_first(),
        ("scan", [_, made]) => scanned(scope, &mut policy.draft, *made, &evidence),
        ("take_while" | "map_while" | "filter" | "filter_map" | "chain" | "cycle" | "zip", _) => {
            policy.draft.leave_attempts_open();
            if call.name != "take_while" {
                policy.draft.forget_delay();
            }
        }
        _ => return false,
    }
    true
}

/// `delays.scan(Duration::ZERO, |waited, delay| …)`: where the closure hands its delay on, it only ends the delays; where it adds them up, by the time.
fn scanned(scope: &Scope<'_, '_>, draft: &mut Draft, made: ExprId, evidence: &Evidence) {
    let body = scope.cx.body;
    let ExprKind::Closure { params, body: inside, .. } = &body.expr(made).kind else {
        draft.leave_attempts_open();
        draft.forget_delay();
        return;
    };
    let item = params.get(1).map(|param| param.pat);
    let is_item = |id: ExprId| item.is_some() && body.local(id) == item;
    let hands_on = body.any(*inside, |id| match &body.expr(id).kind {
        ExprKind::Call(_, args) => {
            scope.cx.call_name(id) == "Some" && args.first().is_some_and(|arg| is_item(*arg))
        }
        _ => false,
    });
    let adds_up = body.any(*inside, |id| match &body.expr(id).kind {
        ExprKind::AssignOp(_, _, value) => is_item(*value),
        _ => false,
    });
    if !hands_on {
        draft.forget_delay();
    }
    if adds_up && body.any(*inside, |id| is_none(scope.cx, id)) {
        draft.end_by_time(evidence);
    } else {
        draft.leave_attempts_open();
    }
}
