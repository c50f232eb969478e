//! Which variables a replay of a path needs: those that waits and bounds depend on. Others' bindings would only multiply paths.

use super::Walker;
use crate::body::{BinOp, ExprId, ExprKind, Lit, Local, PatId, PatKind, Stmt, UnOp};
use crate::detect::context::Context;
use crate::knowledge::Role;
use std::collections::HashSet;

/// Locals in the backward slice of waits' durations and of comparisons.
pub(super) fn relevant_locals(cx: &Context<'_>) -> HashSet<Local> {
    let body = cx.body;
    let mut found = HashSet::new();
    for (id, expr) in body.exprs() {
        match &expr.kind {
            ExprKind::Call(..) | ExprKind::Method(_) if waits(cx, id) || sets_anew(cx, id) => {
                for arg in cx.args(id) {
                    add(cx, *arg, &mut found);
                }
            }
            ExprKind::Binary(
                BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge | BinOp::Eq | BinOp::Ne,
                left,
                right,
            ) => {
                // only plain numbers: a comparison of two calls' results is no counter
                for side in [left, right] {
                    if is_plain(cx, *side) {
                        add(cx, *side, &mut found);
                    }
                }
            }
            ExprKind::For { iter, .. } => add(cx, *iter, &mut found),
            // `let mut again = false`: a counter of two
            ExprKind::Block(block) => found.extend(block.stmts.iter().filter_map(|stmt| flag(cx, stmt))),
            _ => {}
        }
    }
    // what a relevant variable is made of is relevant too
    for _ in 0..6 {
        let before = found.len();
        for (_, expr) in body.exprs() {
            match &expr.kind {
                ExprKind::Assign(left, right) | ExprKind::AssignOp(_, left, right) => {
                    let targets = match &body.expr(*left).kind {
                        ExprKind::Unary(UnOp::Deref, inner) => std::slice::from_ref(inner),
                        ExprKind::Tuple(places) => places.as_slice(),
                        _ => std::slice::from_ref(left),
                    };
                    let is_found =
                        |place: &ExprId| body.local(*place).is_some_and(|local| found.contains(&local));
                    if targets.iter().any(is_found) {
                        add(cx, *right, &mut found);
                    }
                }
                // `if let Some(delay) = policy.next()`, `match state { Retry(delay) => … }`
                ExprKind::Let(pat, value) => add_bound(cx, *pat, *value, &mut found),
                ExprKind::Match(value, arms) => {
                    for arm in arms {
                        add_bound(cx, arm.pat, *value, &mut found);
                    }
                }
                ExprKind::Block(block) => {
                    for stmt in &block.stmts {
                        if let Stmt::Let { pat, init: Some(init), .. } = stmt
                            && body.names_in_pat(*pat).iter().any(|(_, local)| found.contains(local))
                        {
                            add(cx, *init, &mut found);
                        }
                    }
                }
                _ => {}
            }
        }
        if found.len() == before {
            break;
        }
    }
    found
}

fn flag(cx: &Context<'_>, stmt: &Stmt) -> Option<Local> {
    let Stmt::Let { pat, init: Some(init), .. } = stmt else { return None };
    let written = matches!(cx.body.expr(*init).kind, ExprKind::Lit(Lit::Bool(_)));
    let changes = matches!(cx.body.pat(*pat).kind, PatKind::Bind { mutable: true, .. });
    (written && changes).then(|| cx.body.local_of(*pat))
}

/// What a pattern takes apart is relevant where one of its names is.
fn add_bound(cx: &Context<'_>, pat: PatId, value: ExprId, found: &mut HashSet<Local>) {
    if cx.body.names_in_pat(pat).iter().any(|(_, local)| found.contains(local)) {
        add(cx, value, found);
    }
}

fn waits(cx: &Context<'_>, call: ExprId) -> bool {
    match cx.callee(call) {
        super::Callee::Known(entry, _) => {
            matches!(entry.role, Role::Wait { .. } | Role::Later { .. } | Role::Interval { .. })
        }
        super::Callee::Own(item) => crate::detect::summary::summary(cx, item).is_wait,
        super::Callee::Closure(_) => true,
        super::Callee::Operand(_) => cx.handed_delay(call).is_some(),
        _ => false,
    }
}

/// `timer.as_mut().reset(until)`.
fn sets_anew(cx: &Context<'_>, call: ExprId) -> bool {
    cx.call_name(call) == "reset" && cx.args(call).len() == 1
}

fn is_plain(cx: &Context<'_>, id: ExprId) -> bool {
    match &cx.body.expr(id).kind {
        ExprKind::Path(_) | ExprKind::Lit(_) | ExprKind::Field(..) => true,
        ExprKind::Unary(_, inner) | ExprKind::Cast(inner, _) | ExprKind::Ref(inner) => is_plain(cx, *inner),
        ExprKind::Binary(_, left, right) => is_plain(cx, *left) && is_plain(cx, *right),
        ExprKind::Method(call) => call.args.is_empty() && is_plain(cx, call.receiver),
        _ => false,
    }
}

fn add(cx: &Context<'_>, id: ExprId, found: &mut HashSet<Local>) {
    cx.body.walk(id, &mut |inner| {
        if let Some(local) = cx.body.local(inner)
            && matches!(cx.body.pat(local).kind, PatKind::Bind { .. })
        {
            found.insert(local);
        }
        !matches!(cx.body.expr(inner).kind, ExprKind::Async(_))
    });
}

impl Walker<'_, '_> {
    /// Whether a condition reads a variable that a replay follows.
    pub(super) fn is_relevant_condition(&self, id: ExprId) -> bool {
        self.body().any(id, |inner| {
            self.body().local(inner).is_some_and(|local| self.relevant.contains(&local))
                || matches!(self.body().expr(inner).kind, ExprKind::Field(..))
                    && self.cx.field_path(inner).is_some()
        })
    }
}
