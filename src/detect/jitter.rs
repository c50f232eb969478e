//! Whether the random part of a delay is one: drawn from a generator that starts the same in every process, or computed, it spreads nobody.
//! Only what is written out counts; a seed or a number from elsewhere may differ from process to process.

use super::context::{Callee, Context};
use crate::body::{ExprId, ExprKind, PatKind};
use crate::knowledge::{Role, is_one_of, says};
use crate::model::Evidence;

/// Variables and operators that are followed for one number.
const MOST_STEPS: u32 = 12;

/// What shows that the random part of a loop's delay is the same for everybody, in the loop or in a function that computes the delay for it.
pub(super) fn in_loop(cx: &Context<'_>, looped: ExprId) -> Option<Evidence> {
    if let Some(shown) = within(cx, looped) {
        return Some(shown);
    }
    let mut found = None;
    cx.body.walk(looped, &mut |id| {
        if found.is_none()
            && let Callee::Own(item) = cx.callee(id)
            && item != cx.at
            && let Some(inner) = cx.inside(item)
            && gives_delay(cx, &inner, id)
        {
            let same = |_| cx.evidence(id, "this gives everybody the same");
            found = within(&inner, inner.body.root).map(same);
        }
        found.is_none()
    });
    found
}

/// The same of a body or a part of one.
pub(super) fn within(cx: &Context<'_>, part: ExprId) -> Option<Evidence> {
    let draws = |id: ExprId| matches!(cx.role(id), Some(Role::Random { .. }));
    if cx.body.any(part, draws) { seeded(cx, part) } else { computed(cx, part) }
}

/// Whether a call computes a delay: its name or its place says so, and it gives a number or a time.
fn gives_delay(cx: &Context<'_>, inner: &Context<'_>, call: ExprId) -> bool {
    let gives = inner.body.ret.as_ref().is_some_and(|ty| {
        matches!(ty.name(), "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "f32" | "f64" | "Duration")
    });
    let waits = |at: ExprId| matches!(cx.role(at), Some(Role::Wait { .. }));
    gives && (says(&cx.words().delay, cx.call_name(call)) || cx.around(call).take(6).any(waits))
}

/// A generator made from a constant, from which something is drawn.
fn seeded(cx: &Context<'_>, within: ExprId) -> Option<Evidence> {
    let mut found = None;
    cx.body.walk(within, &mut |id| {
        if found.is_none()
            && let ExprKind::Method(call) = &cx.body.expr(id).kind
            && matches!(cx.role(id), Some(Role::Random { .. }))
            && let Some(init) = cx.body.local(call.receiver).and_then(|local| cx.init(local))
            && matches!(cx.callee(init), Callee::Known(entry, true) if matches!(entry.role, Role::Seed))
            && cx.args(init).iter().all(|arg| is_constant(cx, *arg))
        {
            found = Some(cx.evidence(init, "every process draws the same from this"));
        }
        found.is_none()
    });
    found
}

fn is_constant(cx: &Context<'_>, id: ExprId) -> bool {
    match &cx.body.expr(id).kind {
        ExprKind::Lit(_) => true,
        ExprKind::Path(path) => {
            path.last().chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        }
        ExprKind::Array(items) => items.iter().all(|item| is_constant(cx, *item)),
        ExprKind::Repeat(value, _) => is_constant(cx, *value),
        _ => false,
    }
}

/// A variable named after a random part that plain arithmetic makes of numbers that everybody has.
fn computed(cx: &Context<'_>, within: ExprId) -> Option<Evidence> {
    let mut found = None;
    for (pat, _) in cx.body.pats() {
        let PatKind::Bind { name, .. } = &cx.body.pat(pat).kind else { continue };
        let Some(init) = cx.init(pat).filter(|_| says(&cx.words().random, name)) else { continue };
        let inside = cx.body.expr(within).span.contains(cx.body.expr(init).span);
        if inside && is_plain(cx, init) && is_arithmetic(cx, init) {
            found = found.or(Some(cx.evidence(init, "no draw: everybody computes the same")));
        }
    }
    found
}

fn is_arithmetic(cx: &Context<'_>, id: ExprId) -> bool {
    cx.body.any(id, |inner| matches!(cx.body.expr(inner).kind, ExprKind::Binary(..)))
}

/// Literals, constants and variables made of such, and operators between them.
fn is_plain(cx: &Context<'_>, id: ExprId) -> bool {
    plain_within(cx, id, MOST_STEPS)
}

fn plain_within(cx: &Context<'_>, id: ExprId, left: u32) -> bool {
    let Some(left) = left.checked_sub(1) else { return false };
    let go = |id: ExprId| plain_within(cx, id, left);
    match &cx.body.expr(id).kind {
        ExprKind::Lit(_) => true,
        ExprKind::Binary(_, one, other) => go(*one) && go(*other),
        ExprKind::Cast(inner, _) | ExprKind::Ref(inner) => go(*inner),
        ExprKind::Path(_) => match cx.body.local(id) {
            Some(local) => match cx.init(local) {
                Some(init) => go(init),
                // a parameter may come from anywhere; one that counts tries counts the same for all
                None => cx.body.params.iter().any(|param| {
                    param.pat == local
                        && matches!(&cx.body.pat(param.pat).kind, PatKind::Bind { name, .. } if says(&cx.words().attempts, name) || is_one_of(&cx.words().counter, name))
                }),
            },
            None => is_constant(cx, id),
        },
        ExprKind::Method(call) => {
            matches!(
                call.name.as_str(),
                "min" | "max" | "pow" | "saturating_mul" | "saturating_add" | "saturating_pow" | "saturating_sub" | "wrapping_mul" | "wrapping_add"
            ) && go(call.receiver)
                && call.args.iter().all(|arg| go(*arg))
        }
        _ => false,
    }
}
