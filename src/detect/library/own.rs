//! Policies that functions of the crate build, with the numbers that they are given where they are called, and policies that are changed in a field.
//! Only what a driver runs, or a table knows, is a policy; a name alone makes none.

use super::adapted::hands_on;
use super::built_at;
use super::drivers::name_crate;
use super::origin::origin;
use super::runs::{self, Run};
use super::scope::Scope;
use crate::body::{ExprId, ExprKind, Ty};
use crate::detect::context::{Callee, Context};
use crate::detect::sites;
use crate::knowledge::says;
use crate::model::{Fact, Kind, Site};
use crate::resolve::{ItemRef, Target};

/// Policies that a driver of the crate runs and that functions of the crate build: with what they are given here.
pub(super) fn own_policies(cx: &Context<'_>) -> Vec<Site> {
    let mut sites: Vec<Site> = Vec::new();
    for (id, _) in cx.body.exprs() {
        // the outermost call that still gives it
        if !configures(cx, id) || cx.parent(id).is_some_and(|parent| is_policy_call(cx, parent)) {
            continue;
        }
        let given = cx.args(id);
        let Some(mut policy) = origin(cx, id) else { continue };
        // what a client does by itself is told where the client is built
        if policy.draft.fixed || policy.policy.is_some_and(|it| it.open || it.given_failure) {
            continue;
        }
        // `let growth = Growth::new(first, step); limited(growth, cap)` is one policy
        let parts = given.iter().filter_map(|arg| cx.body.local(*arg).and_then(|local| cx.init(local)));
        let parts: Vec<ExprId> = parts.chain([id]).collect();
        let here = |made: ExprId| {
            parts.iter().any(|part| cx.body.expr(*part).span.contains(cx.body.expr(made).span))
        };
        let elsewhere = policy.made.iter().any(|(at, made)| *at != cx.at || !here(*made));
        let run = runs::runs_of(cx, here);
        // an iterator of the crate may be anything: what runs it tells that it is a policy
        if policy.is_own && run == Run::Nowhere {
            continue;
        }
        let Some(mut site) = sites::begin(cx, id, Kind::Library) else { continue };
        site.why.push(cx.evidence(id, "builds a retry policy"));
        // an iterator counts out what it is given: it is chosen here
        if policy.is_own {
            policy.draft.show_at(&cx.evidence(id, "gives the delays"));
        }
        policy.draft.fill(&mut site);
        site.delay.made_elsewhere = Fact::known(elsewhere);
        run.say(&mut site);
        if !site.operation.remote.is_known() && policy.policy.is_some_and(|it| it.remote) {
            site.operation.remote = Fact::Known(true, cx.evidence(id, "what it is for crosses a network"));
        }
        if let Some(library) = policy.library {
            name_crate(cx, library, id, &mut site);
        }
        sites.push(site);
    }
    sites
}

/// Policies in a field that are changed where they are: `self.backoff = self.backoff.with_max_times(16)`.
pub(super) fn changed_in_place(cx: &Context<'_>) -> Vec<Site> {
    let mut sites = Vec::new();
    for (_, expr) in cx.body.exprs() {
        let ExprKind::Assign(place, value) = expr.kind else { continue };
        let Some(name) = cx.field_path(place) else { continue };
        let root = cx.chain_root(value);
        if root == value || cx.field_path(root).as_ref() != Some(&name) {
            continue;
        }
        let Some(policy) = origin(cx, value) else { continue };
        let Some(mut site) = sites::begin(cx, value, Kind::Library) else { continue };
        site.why.push(cx.evidence(value, "changes a retry policy"));
        policy.draft.fill(&mut site);
        site.delay.made_elsewhere = Fact::known(true);
        if let Some(library) = policy.library {
            name_crate(cx, library, value, &mut site);
        }
        sites.push(site);
    }
    sites
}

/// Whether a call of a function of the crate gives what may be a policy, and says of what numbers.
fn configures(cx: &Context<'_>, id: ExprId) -> bool {
    matches!(cx.callee(id), Callee::Own(item) if may_give_policy(cx, item))
        && cx.args(id).iter().any(|arg| is_written(cx, *arg))
}

/// Whether an expression changes or wraps the policy in it, so that what comes of that is told.
fn is_policy_call(cx: &Context<'_>, id: ExprId) -> bool {
    let passed_on = || cx.parent(id).is_some_and(|parent| is_policy_call(cx, parent));
    match &cx.body.expr(id).kind {
        ExprKind::Try(_) | ExprKind::Ref(_) => passed_on(),
        ExprKind::Method(call) if hands_on(&call.name) => passed_on(),
        ExprKind::Call(callee, _) if is_struct(cx, *callee) => passed_on(),
        ExprKind::Call(..) | ExprKind::Method(_) => {
            !matches!(cx.callee(id), Callee::Own(item) if !may_give_policy(cx, item))
                && origin(cx, id).is_some()
        }
        _ => false,
    }
}

/// `Self(policy)`.
fn is_struct(cx: &Context<'_>, callee: ExprId) -> bool {
    let ExprKind::Path(path) = &cx.body.expr(callee).kind else { return false };
    matches!(cx.krate.path(cx.at, &path.segments), Target::Item(item) if cx.krate.struct_data(item).is_some())
}

/// Whether what a function of the crate gives may be a policy: an iterator, a retry crate's type, or one that is named after retrying.
pub(super) fn may_give_policy(cx: &Context<'_>, item: ItemRef) -> bool {
    fn may(cx: &Context<'_>, ty: &Ty) -> bool {
        let words = cx.words();
        let last = ty.name();
        last.ends_with("Iterator")
            || says(&words.retry, last)
            || says(&words.delay, last)
            || ty.path.first().is_some_and(|first| cx.knowledge.libraries.of_crate(first).is_some())
            || ty.args.iter().any(|arg| may(cx, arg))
    }
    let ret = cx.krate.signature(item).and_then(|signature| signature.ret.clone());
    ret.is_some_and(|ret| may(cx, &cx.krate.full_type(item, &ret)))
}

/// Whether an argument is written here: a number, a constant, a policy that is built here.
fn is_written(cx: &Context<'_>, arg: ExprId) -> bool {
    let amount = Scope::of(cx).amount(arg);
    amount.sized && !amount.unknown || built_at(cx, arg).is_some()
}
