//! Helpers that are given a failure: they wait, so that the caller may try again, or hand the failure back.
//! The loop is the caller's; how long is waited, and for what, is told here.

use super::{Again, leaving, site};
use crate::body::{PatKind, Ty};
use crate::detect::bounds::Bounds;
use crate::detect::context::Context;
use crate::detect::flow::{Followed, State, Tag, Val};
use crate::detect::{remote, sites, summary};
use crate::knowledge::parts;
use crate::model::{Kind, Site};

/// Whether a function is given a failure, or the result that may be one.
pub(crate) fn is_given_failure(cx: &Context<'_>) -> bool {
    failure(cx).is_some() || cx.body.params.iter().filter_map(|param| param.ty.as_ref()).any(is_result)
}

fn is_result(ty: &Ty) -> bool {
    ty.name().ends_with("Result")
}

/// The type of the failure that it is given, by its type's name or by its own.
fn failure<'a>(cx: &Context<'a>) -> Option<&'a Ty> {
    cx.body.params.iter().find_map(|param| {
        let ty = param.ty.as_ref()?;
        let names_it = matches!(&cx.body.pat(param.pat).kind, PatKind::Bind { name, .. }
            if parts(name).last().is_some_and(|part| matches!(part.as_str(), "err" | "error")));
        (ty.name().ends_with("Error") || ty.name() == "Status" || names_it).then_some(ty)
    })
}

/// Whether a function may be such a helper.
pub(super) fn may_wait(cx: &Context<'_>) -> bool {
    failure(cx).is_some()
        && cx.body.ret.as_ref().is_some_and(is_result)
        && summary::summary(cx, cx.at).wait.is_some()
}

/// The helper that a body is: it waits on a way out that is no failure, and gives a failure where it has not waited.
pub(super) fn of_body(cx: &Context<'_>, followed: &Followed) -> Option<Site> {
    if !may_wait(cx) || !followed.loops.is_empty() {
        return None;
    }
    let failed = |val: &Val| matches!(val, Val::Built(Tag::Err, _));
    let failing: Vec<&State> = leaving(followed)
        .filter(|(state, val)| !failed(val) && !state.waits.is_empty())
        .map(|(state, _)| state)
        .collect();
    let gives_up = leaving(followed).any(|(state, val)| failed(val) && state.waits.is_empty());
    let waits_always = leaving(followed).all(|(state, val)| failed(val) || !state.waits.is_empty());
    if failing.is_empty() || !gives_up || !waits_always {
        return None;
    }
    let wait = failing.iter().find_map(|state| state.waits.first()).copied()?;
    let again = Again {
        kind: Kind::Helper,
        span: cx.krate.item(cx.at)?.span,
        main: None,
        ops: Vec::new(),
        remote: failure(cx).and_then(|ty| remote::of_type(cx, ty, 3)),
        failing,
        bounds: Bounds::default(),
        most: None,
        replay: None,
        why: cx.evidence(wait, "waits after a failure that it is given, before the caller tries again"),
    };
    let mut site = site(cx, followed, &again)?;
    site.delay.blocking_in_async = crate::model::Fact::Known(
        sites::blocks(cx, wait) && sites::in_async(cx, None),
        cx.evidence(wait, "blocks the thread of the executor"),
    );
    Some(site)
}
