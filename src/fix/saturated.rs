//! Arithmetic that stops at the largest value in the place of arithmetic that panics, wraps or falls to zero.

use super::around::Around;
use super::edits::replace;
use super::layout::put;
use super::{Draft, Wanted};
use crate::body::{BinOp, ExprId, ExprKind, Lit, Span};
use crate::model::Edit;

/// The drafts of an overflow: the operation that leaves its range, then also what is computed from it.
pub(super) fn drafts(around: &Around<'_>, wanted: &Wanted<'_>) -> Vec<Draft> {
    let shown = wanted.site.delay.overflows_at.evidence().and_then(|shown| shown.place.as_ref());
    let Some(first) = shown.and_then(|place| around.expr(place)) else { return Vec::new() };
    let mut at = first;
    let mut found: Vec<Draft> = Vec::new();
    loop {
        if let Some(edit) = edit(around, at) {
            found.push(Draft {
                title: "stop at the largest value instead of overflowing".to_owned(),
                edits: vec![edit],
                may_be_safe: true,
                needs: None,
            });
        }
        let Some(parent) = around.parent(at).filter(|parent| is_arithmetic(around, *parent)) else { break };
        at = parent;
    }
    found
}

fn edit(around: &Around<'_>, at: ExprId) -> Option<Edit> {
    if let ExprKind::AssignOp(_, left, _) = around.body.expr(at).kind {
        let made = saturated_step(around, at)?;
        return Some(put(around, at, &format!("{} = {made}", around.text(left))));
    }
    let made = saturated(around, at)?;
    if made == around.text(at) {
        return None;
    }
    // a method binds tighter than the operator did: parentheses around it are in the way
    let Span { start, end } = around.span(at);
    let whole = Span { start: start.saturating_sub(1), end: end + 1 };
    let in_parentheses = around.file.slice(whole).starts_with('(') && around.file.slice(whole).ends_with(')');
    let is_receiver = around.parent(at).is_some_and(|parent| around.is_receiver(parent, at));
    if in_parentheses && is_receiver {
        return Some(replace(&around.file.path, whole, made));
    }
    Some(put(around, at, &made))
}

/// What `a *= b` stores, saturating.
pub(super) fn saturated_step(around: &Around<'_>, at: ExprId) -> Option<String> {
    let ExprKind::AssignOp(op, left, right) = around.body.expr(at).kind else { return None };
    Some(format!("{}.{}({})", around.text(left), method_of(op)?, saturated(around, right)?))
}

fn is_arithmetic(around: &Around<'_>, at: ExprId) -> bool {
    match &around.body.expr(at).kind {
        ExprKind::Binary(op, ..) | ExprKind::AssignOp(op, ..) => {
            method_of(*op).is_some() || *op == BinOp::Shl
        }
        ExprKind::Method(call) => call.name == "pow",
        _ => false,
    }
}

fn method_of(op: BinOp) -> Option<&'static str> {
    match op {
        BinOp::Add => Some("saturating_add"),
        BinOp::Mul => Some("saturating_mul"),
        _ => None,
    }
}

/// An expression with all its sums, products and powers saturating; `None` where one cannot be written so.
pub(super) fn saturated(around: &Around<'_>, at: ExprId) -> Option<String> {
    match &around.body.expr(at).kind {
        ExprKind::Binary(op, left, right) if method_of(*op).is_some() => {
            let method = method_of(*op)?;
            // a number without a type has no methods; both ways round it is the same sum and product
            let (on, with) = if has_type(around, *left) { (*left, *right) } else { (*right, *left) };
            let receiver = if saturated(around, on)? == around.text(on) {
                around.as_receiver(on)
            } else {
                saturated(around, on)?
            };
            has_type(around, on).then_some(())?;
            Some(format!("{receiver}.{method}({})", saturated(around, with)?))
        }
        ExprKind::Binary(BinOp::Shl, left, right) => {
            let ExprKind::Lit(Lit::Int(_, suffix)) = &around.body.expr(*left).kind else { return None };
            // a checked shift sees only shifts that are too wide, and not the bits that are lost before
            (!suffix.is_empty()).then(|| {
                let (left, right) = (around.text(*left), around.text(*right));
                format!("{left}.saturating_mul(2{suffix}.saturating_pow({right}))")
            })
        }
        ExprKind::Method(call) if call.name == "pow" => {
            let args: Vec<&str> = call.args.iter().map(|arg| around.text(*arg)).collect();
            Some(format!("{}.saturating_pow({})", around.as_receiver(call.receiver), args.join(", ")))
        }
        _ => Some(around.text(at).to_owned()),
    }
}

/// Whether the type of a number is known without what it is used with.
fn has_type(around: &Around<'_>, at: ExprId) -> bool {
    match &around.body.expr(at).kind {
        ExprKind::Lit(Lit::Int(_, suffix)) => !suffix.is_empty(),
        ExprKind::Binary(_, left, right) => has_type(around, *left) || has_type(around, *right),
        _ => true,
    }
}
