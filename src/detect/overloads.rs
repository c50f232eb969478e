//! Whether replies that say "too much" (429, 503) are among what goes round: by the statuses left on a failing trip, by what a predicate of the crate
//! says yes to, or because every error does and client errors are errors. What becomes of their hint how long to wait is told in `hints`.

use super::context::{Callee, Context};
use super::flow::{Followed, Op, State, Tag, Test, Verdict};
use super::reads::asked_of;
use super::statuses::{is_overload, ranges};
use super::summary::{in_pattern, predicate_statuses};
use crate::body::{BinOp, ExprId, ExprKind, Lit, MacroInput};
use crate::knowledge::Role;
use crate::resolve::ItemRef;

/// Predicates are followed through this many calls, and this deep in each.
const MOST_CALLS: u32 = 4;
const MOST_DEEP: u32 = 24;

/// The test on a failing trip that lets a 429 or 503 go round, or the reply whose statuses do.
pub(crate) fn tested(
    cx: &Context<'_>,
    followed: &Followed,
    failing: &[&State],
    ops: &[Op],
    ruled_out: impl Fn(&State, Op) -> bool,
) -> Option<ExprId> {
    failing.iter().find_map(|state| {
        let mut yes = None;
        let mut open = false;
        for (cond, truth) in &state.conds {
            if !matches!(asked_of(followed, ops, *cond), Some(Test::About | Test::Transient)) {
                continue;
            }
            let says_yes = *truth && says_yes(cx, *cond, MOST_CALLS, MOST_DEEP);
            yes = yes.or(says_yes.then_some(*cond));
            open |= !says_yes;
        }
        let by_status = || {
            let (op, codes) = state.codes.as_ref()?;
            let seen = state
                .looked
                .iter()
                .any(|look| look.op == *op && look.tag == Tag::BadStatus && look.verdict == Verdict::Failure);
            (seen && !open && is_overload(codes) && !ruled_out(state, *op)).then_some(*op)
        };
        yes.or_else(by_status)
    })
}

/// Whether a function of the crate says yes to a 429 or 503.
fn of_function(cx: &Context<'_>, item: ItemRef, calls: u32) -> bool {
    let Some(calls) = calls.checked_sub(1) else { return false };
    cx.inside(item).is_some_and(|inner| says_yes(&inner, inner.body.root, calls, MOST_DEEP))
}

/// Whether a truth value is, or may be, true because a status is 429 or 503.
fn says_yes(cx: &Context<'_>, id: ExprId, calls: u32, deep: u32) -> bool {
    let Some(deep) = deep.checked_sub(1) else { return false };
    if let Some(ranges) = predicate_statuses(cx, id, 0).filter(|ranges| !ranges.is_empty()) {
        return is_overload(&ranges);
    }
    let yes = |id: ExprId| says_yes(cx, id, calls, deep);
    let is_true = |id: ExprId| matches!(cx.body.expr(id).kind, ExprKind::Lit(Lit::Bool(true)));
    match &cx.body.expr(id).kind {
        ExprKind::Block(block) => block.tail.is_some_and(yes) || returns_yes(cx, id, calls, deep),
        ExprKind::If { cond, then, otherwise } => {
            let plain = cx.only_in(*then);
            is_true(plain) && yes(*cond) || !is_true(plain) && yes(*then) || otherwise.is_some_and(yes)
        }
        ExprKind::Match(_, arms) => arms.iter().any(|arm| {
            let plain = cx.only_in(arm.body);
            if !is_true(plain) {
                return yes(arm.body);
            }
            match arm.guard {
                Some(guard) => yes(guard),
                None => in_pattern(cx, arm.pat, is_overload),
            }
        }),
        ExprKind::Macro(call) => match &call.input {
            MacroInput::Matches { pat, guard, .. } => {
                in_pattern(cx, *pat, is_overload) || guard.is_some_and(yes)
            }
            _ => false,
        },
        ExprKind::Binary(BinOp::Or | BinOp::And, left, right) => yes(*left) || yes(*right),
        ExprKind::Ref(inner) | ExprKind::Await(inner) | ExprKind::Return(Some(inner)) => yes(*inner),
        ExprKind::Path(_) => {
            cx.body.local(id).and_then(|local| cx.init(local)).is_some_and(|init| init != id && yes(init))
        }
        ExprKind::Closure { body, .. } => yes(*body),
        ExprKind::Call(..) | ExprKind::Method(_) => match cx.callee(id) {
            Callee::Own(item) => of_function(cx, item, calls),
            // `marked.unwrap_or_else(|| is_transient(&error))`, `status.is_some_and(is_transient)`
            _ => cx.args(id).iter().any(|arg| match &cx.body.expr(*arg).kind {
                ExprKind::Closure { body, .. } => yes(*body),
                ExprKind::Path(path) if cx.body.local(*arg).is_none() => match cx.by_path(path) {
                    Some(Callee::Own(item)) => of_function(cx, item, calls),
                    Some(Callee::Known(entry, _)) => said_by(&entry.role),
                    _ => false,
                },
                _ => false,
            }),
        },
        _ => false,
    }
}

/// Whether the vocabulary says that a test is true of 429 or 503.
pub(crate) fn said_by(role: &Role) -> bool {
    let Role::Predicate { statuses, .. } = role else { return false };
    is_overload(&ranges(statuses).collect::<Vec<_>>())
}

/// `if too_many(status) { return true; }` before a block's end.
fn returns_yes(cx: &Context<'_>, block: ExprId, calls: u32, deep: u32) -> bool {
    cx.body.stmts_of(block).iter().any(|stmt| {
        let crate::body::Stmt::Expr(id) = stmt else { return false };
        let ExprKind::If { cond, then, .. } = &cx.body.expr(*id).kind else { return false };
        let returned = |id: ExprId| match &cx.body.expr(id).kind {
            ExprKind::Return(Some(value)) => Some(*value),
            _ => None,
        };
        let Some(value) = returned(cx.only_in(*then)) else { return false };
        match cx.body.expr(value).kind {
            ExprKind::Lit(Lit::Bool(true)) => says_yes(cx, *cond, calls, deep),
            _ => says_yes(cx, value, calls, deep),
        }
    })
}
