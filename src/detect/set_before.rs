//! What a builder's setters change in the policy of an engine before it is run: `Retry::new().max_retries(5).retry(…)`.
//! Only setters that store their argument in the field that bounds the engine tell a number; where it cannot be followed, the number is unknown.

use super::context::{Callee, Context};
use super::delay::{Env, Eval};
use crate::body::{ExprId, ExprKind, Span};
use crate::model::{Fact, Site};
use crate::resolve::{ItemRef, peeled};

/// Links of a chain that are followed back.
const MOST_LINKS: u32 = 16;

/// Corrects how often an engine's call tries by what the receiver's setters say. `site` has the engine's own numbers.
pub(super) fn correct(cx: &Context<'_>, call: ExprId, engine: ItemRef, site: &mut Site) {
    let Some(most) = site.attempts.max.value().copied() else { return };
    let Some((field, arg)) = set_before(cx, call, |field| bounds(cx, engine, site, field)) else { return };
    let number = |cx: &Context<'_>, id: ExprId| Eval::new(cx, Env::default()).eval(id).known();
    let given = number(cx, arg);
    let default = receiver_of(cx, call)
        .and_then(|receiver| cx.type_of(receiver))
        .and_then(|ty| cx.field_value(peeled(&ty), &field))
        .and_then(|(at, value)| number(&*cx.inside(at)?, value));
    site.attempts.max = match (given, default) {
        // a bound counts tries, or tries after the first
        (Some(given), Some(default)) if [0.0, 1.0].contains(&(most - default)) => {
            Fact::Known(given + most - default, cx.evidence(arg, "this many are set here"))
        }
        _ => Fact::Unknown,
    };
}

fn receiver_of(cx: &Context<'_>, call: ExprId) -> Option<ExprId> {
    match &cx.body.expr(call).kind {
        ExprKind::Method(call) => Some(call.receiver),
        _ => None,
    }
}

/// The last setter before a call that stores what it is given in a field that matters: the field, and what it is given.
fn set_before(cx: &Context<'_>, call: ExprId, matters: impl Fn(&str) -> bool) -> Option<(String, ExprId)> {
    let mut at = receiver_of(cx, call)?;
    for _ in 0..MOST_LINKS {
        at = match &cx.body.expr(at).kind {
            ExprKind::Method(set) => {
                if let ([arg], Callee::Own(item)) = (set.args.as_slice(), cx.callee(at))
                    && let Some(field) = stored_in(cx, item).filter(|field| matters(field))
                {
                    return Some((field, *arg));
                }
                set.receiver
            }
            ExprKind::Ref(inner) | ExprKind::Try(inner) | ExprKind::Await(inner) => *inner,
            _ => cx.body.local(at).and_then(|local| cx.init(local)).filter(|init| *init != at)?,
        };
    }
    None
}

/// The field of `self` in which a method stores its only argument.
fn stored_in(cx: &Context<'_>, item: ItemRef) -> Option<String> {
    let inner = cx.inside(item)?;
    inner.body.exprs().find_map(|(_, expr)| {
        let ExprKind::Assign(place, value) = &expr.kind else { return None };
        let ExprKind::Field(base, name) = &inner.body.expr(*place).kind else { return None };
        let on_self =
            matches!(&inner.body.expr(*base).kind, ExprKind::Path(path) if path.single() == Some("self"));
        let given = inner.body.local(*value).is_some_and(|local| inner.body.param(local).is_some());
        (on_self && given).then(|| name.clone())
    })
}

/// Whether what bounds an engine's attempts reads a field.
fn bounds(cx: &Context<'_>, engine: ItemRef, site: &Site, field: &str) -> bool {
    let Some(place) = site.attempts.max.evidence().and_then(|shown| shown.place.as_ref()) else {
        return false;
    };
    let Some(file) = cx.krate.file(engine).filter(|file| *file.path == *place.path) else { return false };
    let text = file.slice(Span { start: place.start_byte, end: place.end_byte });
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == field)
}
