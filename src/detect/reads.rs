//! What a condition on the way out of a loop reads: a counter, a clock, a supply that ends, a stop signal, the outcome itself.
//! It follows variables to their first values and functions of the crate one call deep; what it cannot tell is `Other`, never a guess.

use super::context::{Callee, Context};
use super::flow::{Followed, Op, Test};
use crate::body::{BinOp, ExprId, ExprKind, Local, MacroInput, UnOp};
use crate::knowledge::{Role, parts, says};
use std::collections::BTreeSet;

/// What a condition on the way out reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reads {
    Counter,
    Deadline,
    /// An iterator or policy that ends.
    Supply,
    Cancel,
    /// The operation's outcome.
    Outcome,
    /// Something that nobody can tell.
    Other,
}

/// Whether a call hands out the next of a limited supply: of delays, tries, permits.
pub(super) fn is_supply(cx: &Context<'_>, call: ExprId) -> bool {
    let name = cx.call_name(call);
    matches!(name, "next" | "pop" | "pop_front" | "next_back" | "checked_sub")
        || name.starts_with("next_") && says(&cx.words().delay, name)
}

pub(super) fn reads(
    cx: &Context<'_>,
    followed: &Followed,
    ops: &[Op],
    cond: ExprId,
    changed: &Changed,
) -> Reads {
    let words = cx.words();
    let mut clock = false;
    let mut counter = false;
    let mut cancel = false;
    let mut supply = false;
    let comparison = is_comparison(cx, cond);
    walk_through(cx, cond, 2, &mut |id| match &cx.body.expr(id).kind {
        ExprKind::Call(..) | ExprKind::Method(_) => match cx.role(id) {
            Some(Role::Clock { .. }) => clock = true,
            Some(Role::Cancel) => cancel = true,
            _ => {
                let name = cx.call_name(id);
                supply |= is_supply(cx, id);
                counter |= says(&words.attempts, name) && comparison;
                cancel |= says(&words.cancel, name);
            }
        },
        ExprKind::Path(path) => {
            if let Some(local) = cx.body.local(id) {
                counter |= changed.locals.contains(&local) && (comparison || id != cond);
            }
            if let Some(name) = path.single() {
                clock |= parts(name).iter().any(|part| part == "deadline" || part == "elapsed");
                cancel |= says(&words.cancel, name) && !comparison;
            }
        }
        ExprKind::Field(_, name) => {
            counter |= cx.field_path(id).is_some_and(|path| changed.fields.contains(&path));
            counter |= comparison && says(&words.attempts, name);
            cancel |= says(&words.cancel, name) && !comparison;
        }
        _ => {}
    });
    if clock {
        return Reads::Deadline;
    }
    let of_main = followed.tests.get(&cond).is_some_and(|(op, _)| is_about(followed, ops, *op));
    if let Some((op, Test::Looked)) = followed.tests.get(&cond) {
        return match (of_main, is_supply(cx, *op)) {
            (true, _) => Reads::Outcome,
            (false, true) => Reads::Supply,
            (false, false) => Reads::Other,
        };
    }
    if counter {
        return Reads::Counter;
    }
    if let ExprKind::Try(inner) = &cx.body.expr(cond).kind
        && !supply
    {
        let own = cx.body.any(*inner, |id| ops.contains(&id));
        return if own { Reads::Outcome } else { Reads::Other };
    }
    if followed.tests.contains_key(&cond) {
        return asked_policy(cx, cond);
    }
    if supply {
        return Reads::Supply;
    }
    if cancel {
        return Reads::Cancel;
    }
    Reads::Other
}

/// A test of an outcome by a call: who is asked? The outcome itself or a function of it tells what it is; a policy may count.
fn asked_policy(cx: &Context<'_>, cond: ExprId) -> Reads {
    let words = cx.words();
    match cx.callee(cond) {
        Callee::Own(item) => {
            let counts = cx.inside(item).is_some_and(|inner| {
                inner.body.any(inner.body.root, |id| match &inner.body.expr(id).kind {
                    ExprKind::Path(path) => path.single().is_some_and(|name| says(&words.attempts, name)),
                    ExprKind::Field(_, name) => says(&words.attempts, name),
                    _ => false,
                })
            });
            let seen = cx.inside(item).is_some();
            if counts || !seen { Reads::Other } else { Reads::Outcome }
        }
        Callee::Known(..) => Reads::Outcome,
        Callee::Unknown | Callee::Foreign(_) | Callee::Operand(_) | Callee::Closure(_) => {
            match &cx.body.expr(cond).kind {
                // `e.is_timeout()` asks the error; `self.policy.should_retry(&e)` asks somebody else
                ExprKind::Method(call) if !call.args.is_empty() => Reads::Other,
                ExprKind::Call(_, args) if args.len() > 1 => Reads::Other,
                _ => Reads::Outcome,
            }
        }
    }
}

fn is_comparison(cx: &Context<'_>, cond: ExprId) -> bool {
    match &cx.body.expr(cond).kind {
        ExprKind::Binary(BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge | BinOp::Eq | BinOp::Ne, ..) => true,
        ExprKind::Unary(UnOp::Not, inner) => is_comparison(cx, *inner),
        ExprKind::Method(call) => matches!(
            call.name.as_str(),
            "is_zero" | "is_some_and" | "is_none_or" | "contains" | "lt" | "le" | "gt" | "ge" | "eq"
        ),
        _ => false,
    }
}

/// Walks an expression, and the first values of the locals in it.
fn walk_through(cx: &Context<'_>, id: ExprId, left: u32, visit: &mut dyn FnMut(ExprId)) {
    let mut locals = Vec::new();
    cx.body.walk(id, &mut |inner| {
        visit(inner);
        if let Some(local) = cx.body.local(inner) {
            locals.push(local);
        }
        if let ExprKind::Macro(call) = &cx.body.expr(inner).kind
            && let MacroInput::Matches { value, .. } = &call.input
        {
            visit(*value);
        }
        true
    });
    if left == 0 {
        return;
    }
    for local in locals {
        if let Some(init) = cx.init(local) {
            walk_through(cx, init, left - 1, visit);
        }
    }
}

/// Locals and fields that a loop changes.
pub(super) struct Changed {
    locals: BTreeSet<Local>,
    fields: BTreeSet<String>,
}

pub(super) fn changed_in(cx: &Context<'_>, id: ExprId) -> Changed {
    let mut changed = Changed { locals: BTreeSet::new(), fields: BTreeSet::new() };
    let mut note = |place: ExprId| {
        let place = match &cx.body.expr(place).kind {
            ExprKind::Unary(UnOp::Deref, inner) | ExprKind::Ref(inner) => *inner,
            _ => place,
        };
        if let Some(local) = cx.body.local(place) {
            changed.locals.insert(local);
        } else if let Some(path) = cx.field_path(place) {
            changed.fields.insert(path);
        }
    };
    cx.body.walk(id, &mut |inner| {
        match &cx.body.expr(inner).kind {
            ExprKind::AssignOp(_, left, _) => note(*left),
            ExprKind::Assign(left, right) => {
                // a step, not a flag or a stored result
                if matches!(
                    cx.body.expr(*right).kind,
                    ExprKind::Binary(..) | ExprKind::Method(_) | ExprKind::Call(..) | ExprKind::Path(_)
                ) {
                    note(*left);
                }
            }
            ExprKind::Method(call)
                if matches!(call.name.as_str(), "fetch_add" | "fetch_sub" | "add_assign" | "sub_assign") =>
            {
                note(call.receiver);
            }
            _ => {}
        }
        true
    });
    changed
}

/// Whether an operation is one of these, or was made of the outcome of one: `err.kind()`.
pub(super) fn is_about(followed: &Followed, ops: &[Op], op: Op) -> bool {
    ops.contains(&op) || followed.derived.get(&op).is_some_and(|from| ops.contains(from))
}
