//! Policies that a middleware asks: given the result of a request, they answer with a future to wait for, or with nothing.
//! The middleware is the loop; each `Some` is one more attempt.

use super::{Again, leaving, site, whole};
use crate::body::{ExprId, ExprKind, Ty};
use crate::detect::bounds::bounds;
use crate::detect::context::Context;
use crate::detect::flow::{Followed, State, Tag, Val};
use crate::detect::remote::{self, Answer};
use crate::knowledge::says;
use crate::model::{Fact, Growth, Kind, Site};
use crate::resolve::Target;

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
        remote: remote::of_type(cx, result(cx)?, 3).or_else(|| is_of_reply(result(cx)?)),
        bounds: bounds(cx, followed, cx.body.root, &record, &failing, &[]),
        failing: failing.clone(),
        most: None,
        replay: None,
        why: cx.evidence(cx.body.root, "decides whether a request is made again"),
    };
    let mut site = site(cx, followed, &again)?;
    if let Some(ready) = gives_ready(cx) {
        let waits = failing.iter().filter(|state| !state.waits.is_empty()).count();
        let evidence = cx.evidence(ready, "asks for another attempt at once");
        // it is asked about a reply or an error, not about a pooled connection
        site.errors.stale_connection = Fact::known(false);
        if waits == 0 {
            site.delay.growth = Fact::Known(Growth::None, evidence);
        } else if waits < failing.len() {
            site.delay.skipped_on_some_path = Fact::Known(true, evidence);
        }
    }
    Some(site)
}

/// `Result<Response, E>`: whoever is asked about a reply asks something remote.
fn is_of_reply(ty: &Ty) -> Option<Answer> {
    let ok = ty.args.first()?;
    ok.name().ends_with("Response").then(|| Answer {
        is: true,
        certain: true,
        why: "it is asked about a reply".to_owned(),
    })
}

/// The future that is ready at once, where that is what the policy gives to wait for.
fn gives_ready(cx: &Context<'_>) -> Option<ExprId> {
    cx.body.exprs().map(|(id, _)| id).find(|id| {
        let ExprKind::Call(callee, _) = &cx.body.expr(*id).kind else { return false };
        let ExprKind::Path(path) = &cx.body.expr(*callee).kind else { return false };
        let from_future = path.segments.iter().rev().nth(1).is_some_and(|it| it == "future")
            || matches!(cx.krate.path(cx.at, &path.segments), Target::External(full) if full.iter().any(|it| it == "future"));
        // what follows a wait is no future of its own, and what only some builds give says nothing of the others
        let inside = cx.around(*id).any(|at| match cx.body.expr(at).kind {
            ExprKind::Closure { .. } | ExprKind::Async(_) => true,
            ExprKind::If { cond, .. } => matches!(cx.body.expr(cond).kind, ExprKind::Other),
            _ => false,
        });
        path.last() == "ready" && from_future && !inside
    })
}
