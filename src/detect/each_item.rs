//! A loop over several things does for each what it does: read off the text, where the values went ways that no path tells.
//! Only loops over a list or an iterator are asked; what counts attempts or gives delays is none.

use super::context::Context;
use crate::body::{ExprId, ExprKind, Local, Stmt};
use crate::knowledge::{is_one_of, says};
use std::collections::BTreeSet;

/// Variables that are made of each other are followed so often.
const MOST_ROUNDS: u32 = 6;

/// Whether an operation is for one of several things: it is made of the thing, or what the thing is decides whether it is done.
pub(super) fn is_for_item(cx: &Context<'_>, looped: ExprId, op: ExprId) -> bool {
    let items = items(cx, looped);
    !items.is_empty() && (is_picked(cx, looped, op, &items) || is_made(cx, looped, op, items))
}

/// `for (button, colour) in &mut query { match *button { Pressed => sign_in()?, … } }`.
fn is_picked(cx: &Context<'_>, looped: ExprId, op: ExprId, items: &BTreeSet<Local>) -> bool {
    cx.around(op).take_while(|at| *at != looped).any(|at| match &cx.body.expr(at).kind {
        ExprKind::If { cond: asked, .. } | ExprKind::Match(asked, _) => {
            !cx.body.expr(*asked).span.contains(cx.body.expr(op).span) && cx.body.mentions(*asked, items)
        }
        _ => false,
    })
}

/// `let mut request = client.get(url(host)); for header in … { request = request.header(header); } request.send()`.
fn is_made(cx: &Context<'_>, looped: ExprId, op: ExprId, mut made: BTreeSet<Local>) -> bool {
    for _ in 0..MOST_ROUNDS {
        let before = made.len();
        cx.body.walk(looped, &mut |id| {
            spread(cx, id, &mut made);
            true
        });
        if made.len() == before {
            break;
        }
    }
    cx.body.mentions(op, &made)
}

/// The names of the item of a loop over several things; none where it counts or gives delays.
fn items(cx: &Context<'_>, looped: ExprId) -> BTreeSet<Local> {
    let ExprKind::For { pat, iter, .. } = &cx.body.expr(looped).kind else { return BTreeSet::new() };
    let names = cx.body.names_in_pat(*pat);
    let words = cx.words();
    let counts = |name: &str| {
        says(&words.attempts, name) || is_one_of(&words.counter, name) || says(&words.delay, name)
    };
    let is_range = cx.body.any(*iter, |id| matches!(cx.body.expr(id).kind, ExprKind::Range { .. }));
    if is_range || names.iter().any(|(name, _)| counts(name)) {
        return BTreeSet::new();
    }
    names.into_iter().map(|(_, local)| local).collect()
}

/// Adds what an expression makes of what is known already.
fn spread(cx: &Context<'_>, id: ExprId, made: &mut BTreeSet<Local>) {
    let body = cx.body;
    let mut take = |pat, value: ExprId| {
        if body.mentions(value, made) {
            made.extend(body.names_in_pat(pat).into_iter().map(|(_, local)| local));
        }
    };
    match &body.expr(id).kind {
        ExprKind::Block(block) => {
            for stmt in &block.stmts {
                if let Stmt::Let { pat, init: Some(init), .. } = stmt {
                    take(*pat, *init);
                }
            }
        }
        ExprKind::Let(pat, value) | ExprKind::For { pat, iter: value, .. } => take(*pat, *value),
        ExprKind::Match(value, arms) => arms.iter().for_each(|arm| take(arm.pat, *value)),
        ExprKind::Assign(place, value) | ExprKind::AssignOp(_, place, value)
            if body.mentions(*value, made) =>
        {
            made.extend(body.local(*place));
        }
        // what is given the item holds it: a buffer, a recogniser
        ExprKind::Method(call) if call.args.iter().any(|arg| body.mentions(*arg, made)) => {
            made.extend(body.local(call.receiver));
        }
        _ => {}
    }
}
