//! Policies that a middleware asks: given the result of a request, they answer with a future to wait for, or with nothing.
//! The middleware is the loop; each `Some` is one more attempt.

use super::{Again, leaving, site, whole};
use crate::body::Ty;
use crate::detect::bounds::bounds;
use crate::detect::context::Context;
use crate::detect::flow::{Followed, State, Tag, Val};
use crate::detect::remote;
use crate::knowledge::says;
use crate::model::{Kind, Site};

/// Whether a method decides about another attempt: named after retrying, given a result, it gives an optional future.
pub(super) fn decides(cx: &Context<'_>) -> bool {
    let Some(ret) = cx.body.ret.as_ref().filter(|ty| ty.name() == "Option") else { return false };
    let name = cx.krate.item(cx.at).map_or("", |item| item.name.as_str());
    cx.body.receiver.is_some()
        && says(&cx.words().retry, name)
        && ret.args.first().is_some_and(is_future)
        && result(cx).is_some()
}

fn is_future(ty: &Ty) -> bool {
    ty.name() == "Future" || ty.args.iter().any(is_future)
}

/// The type of the result that it is given.
fn result<'a>(cx: &Context<'a>) -> Option<&'a Ty> {
    cx.body.params.iter().filter_map(|param| param.ty.as_ref()).find(|ty| ty.name().ends_with("Result"))
}

/// The policy that a body is.
pub(super) fn of_body(cx: &Context<'_>, followed: &Followed) -> Option<Site> {
    if !decides(cx) {
        return None;
    }
    let failing: Vec<&State> = leaving(followed)
        .filter(|(_, val)| !matches!(val, Val::Built(Tag::None, _)))
        .map(|(state, _)| state)
        .collect();
    failing.first()?;
    let record = whole(followed, &failing);
    let again = Again {
        kind: Kind::Helper,
        span: cx.krate.item(cx.at)?.span,
        main: None,
        ops: Vec::new(),
        remote: remote::of_type(cx, result(cx)?, 3),
        bounds: bounds(cx, followed, cx.body.root, &record, &failing, &[]),
        failing,
        most: None,
        replay: None,
        why: cx.evidence(cx.body.root, "decides whether a request is made again"),
    };
    site(cx, followed, &again)
}
