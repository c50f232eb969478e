//! Whether the server's hint how long to wait (`Retry-After` and its kin) is read between a failure and the next attempt.
//! That it is not read is told only where 429 or 503 go round, and nothing in sight, however deep, so much as names a hint.

use super::context::{Callee, Context};
use super::flow::{Followed, Op};
use super::named::names;
use super::reads::is_about;
use super::summary::{MOST_CALLS, summary};
use crate::body::{Body, ExprId, ExprKind, PatKind, Span, Ty};
use crate::knowledge::{Words, is_one_of, says};
use crate::model::Fact;
use crate::resolve::ItemRef;
use crate::source::ItemKind;
use std::collections::BTreeSet;

/// Longer texts are prose: "please retry after a while" reads no header.
const LONGEST_NAME: usize = 40;
/// Callers of a helper that are asked.
const MOST_CALLERS: usize = 16;

/// Reads the fact. `overload` is where a 429 or 503 is seen to go round.
pub(crate) fn honoured(
    cx: &Context<'_>,
    followed: &Followed,
    ops: &[Op],
    read: bool,
    overload: Option<ExprId>,
) -> Fact<bool> {
    if read {
        return Fact::known(true);
    }
    let of_outcome = || followed.derived.iter().filter(|(_, of)| is_about(followed, ops, **of));
    if let Some((call, _)) = of_outcome().find(|(call, _)| gives_hint(cx, **call)) {
        return Fact::Known(true, cx.evidence(*call, "reads how long the server wants it to wait"));
    }
    match overload {
        Some(place) if !may_be_read(cx, followed, ops) => Fact::Known(
            false,
            cx.evidence(place, "429 or 503 goes round here, and its `Retry-After` is not read"),
        ),
        _ => Fact::Unknown,
    }
}

/// Whether a function, or one that it calls, names a hint.
pub(crate) fn names_hint(cx: &Context<'_>, item: ItemRef, left: u32) -> bool {
    let Some(left) = left.checked_sub(1) else { return false };
    cx.memo.hint(item, left, || match cx.inside(item) {
        Some(inner) => body_names_hint(&inner, left) || has_naming_twin(cx, item),
        // a trait's method: any of the bodies may run
        None => cx.krate.implementations(item).iter().any(|body| names_hint(cx, *body, left)),
    })
}

/// Whether a function of the same name in the same file names one: which of the two is built, a feature says.
fn has_naming_twin(cx: &Context<'_>, item: ItemRef) -> bool {
    let name = cx.krate.item(item).map_or("", |it| it.name.as_str());
    cx.krate.items().any(|(other, it)| {
        other != item
            && other.file == item.file
            && it.name == name
            && it.body.is_some()
            && cx.inside(other).is_some_and(|inner| is_named_in(inner.body, cx.words()))
    })
}

fn body_names_hint(cx: &Context<'_>, left: u32) -> bool {
    is_named_in(cx.body, cx.words())
        || cx.body.exprs().any(|(id, _)| match cx.callee(id) {
            Callee::Own(item) if item != cx.at => names_hint(cx, item, left),
            // which of the crate's functions of that name it is, nobody knows
            Callee::Unknown => {
                let name = cx.call_name(id);
                !is_one_of(&cx.words().everyday, name) && cx.memo.names_hint(name, || functions_naming(cx))
            }
            _ => false,
        })
}

/// The functions of the crate that speak of a hint, by name. Read from their text: most bodies are never parsed.
fn functions_naming(cx: &Context<'_>) -> BTreeSet<String> {
    let hints: Vec<String> = cx.words().hint.iter().map(|word| word.replace('_', "")).collect();
    let speaks = |text: &str| {
        // comments read nothing
        text.lines().filter_map(|line| line.split("//").next()).any(|line| {
            let plain: String = line.chars().filter(|c| !matches!(c, '_' | '-')).collect();
            let plain = plain.to_ascii_lowercase();
            hints.iter().any(|hint| plain.contains(hint.as_str()))
        })
    };
    let text = |item: ItemRef, body: Span| Some(cx.krate.file(item)?.slice(body));
    cx.krate
        .items()
        .filter(|(_, it)| it.kind == ItemKind::Fn && !it.in_test)
        .filter(|(item, it)| it.body.and_then(|body| text(*item, body)).is_some_and(speaks))
        .map(|(_, it)| it.name.clone())
        .collect()
}

/// A function of the crate that is given the reply or error, and gives a time or waits, and speaks of a hint.
fn gives_hint(cx: &Context<'_>, call: ExprId) -> bool {
    let Callee::Own(item) = cx.callee(call) else { return false };
    let gives_time = cx.inside(item).is_some_and(|inner| inner.body.ret.as_ref().is_some_and(is_time));
    (gives_time || summary(cx, item).wait.is_some()) && names_hint(cx, item, MOST_CALLS)
}

fn is_time(ty: &Ty) -> bool {
    ty.name() == "Duration" || ty.args.iter().any(|arg| arg.name() == "Duration")
}

/// Whether something on the way, or whoever gives or gets what failed, could read a hint.
fn may_be_read(cx: &Context<'_>, followed: &Followed, ops: &[Op]) -> bool {
    let outcome = |id: &ExprId| {
        followed.speaks.get(id).is_some_and(|of| of.iter().any(|op| is_about(followed, ops, *op)))
    };
    body_names_hint(cx, MOST_CALLS)
        || cx.body.exprs().any(|(id, _)| is_stranger(cx, id) && cx.args(id).iter().any(outcome))
        || ops.iter().any(|op| followed.operands.contains(op)) && is_read_by_operand(cx)
}

/// Whether what a helper is given reads a hint itself: it may wait inside.
fn is_read_by_operand(cx: &Context<'_>) -> bool {
    cx.callers().iter().take(MOST_CALLERS).any(|(item, call)| {
        let Some(caller) = cx.inside(*item) else { return true };
        caller.args(*call).iter().any(|arg| is_named_under(&caller, *arg))
    })
}

/// Whether an expression, or what it calls, names a hint.
pub(crate) fn is_named_under(cx: &Context<'_>, root: ExprId) -> bool {
    let is = |name: &str| says(&cx.words().hint, name);
    cx.body.any(root, |id| {
        is(cx.call_name(id))
            || is(&cx.base_text(id))
            || cx.names_a_hint(id)
            || matches!(cx.callee(id), Callee::Own(next) if next != cx.at && names_hint(cx, next, MOST_CALLS))
    })
}

/// A call of which nobody here sees what it does with what it is given, and that may wait, or say how long to.
fn is_stranger(cx: &Context<'_>, call: ExprId) -> bool {
    let words = cx.words();
    let speaks = |name: &str| says(&words.delay, name) || says(&words.retry, name);
    let stranger = match cx.callee(call) {
        Callee::Unknown | Callee::Foreign(_) | Callee::Operand(_) => true,
        // whoever implements the trait may read what it likes
        Callee::Own(item) => cx.krate.is_of_trait(item),
        _ => false,
    };
    if !stranger {
        return false;
    }
    let on = match &cx.body.expr(call).kind {
        ExprKind::Method(method) => cx.base_text(method.receiver),
        ExprKind::Call(..) => String::new(),
        _ => return false,
    };
    let name = cx.call_name(call);
    // a variant keeps what it is given
    !name.starts_with(char::is_uppercase) && (speaks(name) || speaks(&on) || says(&words.limiter, &on))
}

/// Whether a body so much as names a hint: a field, a header, a method, a variable; or what a throttled reply carries.
fn is_named_in(body: &Body, words: &Words) -> bool {
    let is = |name: &str| name.len() <= LONGEST_NAME && says(&words.hint, name);
    let in_expr =
        |kind: &ExprKind| names(kind, is) || matches!(kind, ExprKind::Struct(lit) if is(lit.path.last()));
    let in_pat = |kind: &PatKind| match kind {
        PatKind::Bind { name, .. } => is(name),
        PatKind::Path(path) => is(path.last()),
        PatKind::TupleStruct(path, inside) => {
            let binds = inside.iter().any(|pat| matches!(body.pat(*pat).kind, PatKind::Bind { .. }));
            is(path.last()) || binds && says(&words.passing, path.last())
        }
        PatKind::Struct(path, fields) => is(path.last()) || fields.iter().any(|(name, _)| is(name)),
        _ => false,
    };
    body.exprs().any(|(_, expr)| in_expr(&expr.kind)) || body.pats().any(|(_, pat)| in_pat(&pat.kind))
}
