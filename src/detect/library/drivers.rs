//! The calls that run a policy: what they run, which errors go round, and what is known of the policy that they are given.
//! What a table does not tell, and no closure shows, stays unknown.

use super::by_type::built_of_type;
use super::marked::errors_of;
use super::origin::{Followed, origin};
use super::{Series, draft, full_paths, handlers, hints, predicate, series_of_type};
use crate::body::{ExprId, ExprKind, MacroInput};
use crate::detect::context::{Callee, Context};
use crate::detect::summary::MOST_CALLS;
use crate::detect::{errors, likely, refusals, remote, repeats, sites};
use crate::knowledge::{Driver, Library, Retried, Role, says};
use crate::model::{BoundKind, Errors, Fact, Kind, Site};

/// The call that runs a policy, where the policy comes from elsewhere.
pub(super) fn at_driver(cx: &Context<'_>, library: &Library, driver: &Driver, call: ExprId) -> Option<Site> {
    let mut site = sites::begin(cx, call, Kind::Library)?;
    site.place = cx.place(chain_end(cx, call))?;
    site.why.push(cx.evidence(call, "runs a retry policy"));
    name_crate(cx, library, call, &mut site);
    let operation = operation_at(cx, driver, call);
    if operation.is_some_and(|it| is_given(cx, behind_name(cx, it))) {
        site.kind = Kind::Helper;
    }
    operation_of(cx, operation, blocks(cx, driver, call), &mut site);
    if driver.remote {
        site.operation.remote = Fact::Known(true, cx.evidence(call, "every request goes through this"));
    }
    let mut told = None;
    if let Some(policy) = policy_at(cx, driver, call) {
        let adjusted = calls_after(cx, call, &driver.adjusts).is_some();
        told = given_policy(cx, policy, call, adjusted, &mut site);
        if let Some(method) = &driver.policy_method {
            by_own_method(cx, policy, method, &mut site);
        }
    }
    site.delay.made_elsewhere = Fact::known(true);
    if let Some(growth) = driver.growth {
        site.delay.growth = draft::growth_of(growth, cx.evidence(call, "its policies all grow like this"));
    }
    if let Some(jitter) = driver.jitter {
        let at = |text: &str| cx.evidence(call, text);
        site.delay.jitter = draft::jitter_of(
            jitter,
            at("none of its policies has a random part"),
            at("random in each of its policies"),
        );
    }
    if driver.bounded {
        site.attempts.kind = Fact::Known(BoundKind::Bounded, cx.evidence(call, "each of its policies ends"));
    }
    site.errors = errors_at(cx, library, driver, call, told);
    handlers::fill(cx, library, driver, call, &mut site);
    // whatever it is given fails as sockets do, and these failures may pass
    if site.kind == Kind::Helper && cx.body.ret.as_ref().is_some_and(errors::is_io_result) {
        site.errors.retries_permanent = Fact::known(false);
    }
    if driver.blocking || calls_after(cx, call, &driver.blocks).is_some() {
        site.delay.blocking_in_async = Fact::Known(
            sites::in_async(cx, cx.task_around(call)),
            cx.evidence(call, "blocks the thread of the executor"),
        );
    }
    Some(site)
}

/// Whether a run blocks its thread: by the table, or because nobody awaits it.
pub(super) fn blocks(cx: &Context<'_>, driver: &Driver, call: ExprId) -> bool {
    driver.blocking || !cx.is_awaited(call)
}

/// Whether an operation is a parameter: an engine of the crate, in which a retry crate does the work.
fn is_given(cx: &Context<'_>, operation: ExprId) -> bool {
    let local = cx.body.local(operation);
    cx.body.params.iter().any(|param| {
        local == Some(param.pat) && param.ty.as_ref().is_some_and(|ty| remote::is_operand_type(cx, ty))
    })
}

/// Which errors go round: what the policy says of them, what a predicate picks, what the table has.
fn errors_at(
    cx: &Context<'_>,
    library: &Library,
    driver: &Driver,
    call: ExprId,
    told: Option<Retried>,
) -> Errors {
    let operation = operation_at(cx, driver, call);
    let picks = predicate_of(cx, driver, call);
    let adjusts = calls_after(cx, call, &driver.adjusts);
    let retried = match picks {
        Some(picks) if predicate::is_always_true(cx, picks) => Retried::All,
        Some(_) => Retried::Picked,
        None if calls_after(cx, call, &driver.filters).is_some() => Retried::Picked,
        None if adjusts.is_some_and(|at| may_stop(cx, at)) => Retried::Picked,
        None => told.unwrap_or(driver.errors),
    };
    let mut made = errors_of(cx, library, retried, operation, call);
    made.honours_retry_after = hints::honoured(cx, library, driver, call);
    if made.retries_4xx.is(&true) && adjusts.is_none() {
        made.honours_retry_after = hints::of_errors(cx, operation.map(|given| behind_name(cx, given)));
    }
    if let Some(picks) = picks {
        let asked = predicate::retries_client_errors(cx, picks, driver.predicate_method.as_deref());
        // a predicate over errors is never asked about a reply that is none
        let comes_out = driver.remote || operation.is_some_and(|it| refusals::of_operand(cx, it));
        if let Some(through) = asked.filter(|through| !through || comes_out) {
            let text =
                if through { "client errors pass this test" } else { "client errors do not pass this test" };
            made.retries_4xx = Fact::Known(through, cx.evidence(picks, text));
        }
    }
    if let Some(adjusts) = adjusts
        && cx.body.any(adjusts, |id| speaks_of_a_hint(cx, id))
    {
        made.honours_retry_after = Fact::Known(true, cx.evidence(adjusts, "the server's hint decides"));
    }
    made
}

/// What tells errors apart for a driver: an argument, or what a method called later is given.
fn predicate_of(cx: &Context<'_>, driver: &Driver, call: ExprId) -> Option<ExprId> {
    let given = driver.predicate.and_then(|at| args_of(cx, call).get(at).copied());
    given.or_else(|| args_of(cx, calls_after(cx, call, &driver.filters)?).first().copied())
}

/// Whether what changes the delay may give none, which ends the attempts.
fn may_stop(cx: &Context<'_>, adjusts: ExprId) -> bool {
    let stops = |cx: &Context<'_>, id: ExprId| match &cx.body.expr(id).kind {
        ExprKind::Path(path) => path.last() == "None",
        ExprKind::Method(call) => matches!(call.name.as_str(), "filter" | "then" | "then_some"),
        _ => false,
    };
    args_of(cx, adjusts).iter().any(|arg| match (&cx.body.expr(*arg).kind, cx.body.local(*arg)) {
        (ExprKind::Path(path), None) => match cx.by_path(path) {
            Some(Callee::Own(item)) => {
                cx.inside(item).is_some_and(|inner| inner.body.any(inner.body.root, |id| stops(&inner, id)))
            }
            _ => false,
        },
        _ => cx.body.any(*arg, |id| stops(cx, id)),
    })
}

fn speaks_of_a_hint(cx: &Context<'_>, id: ExprId) -> bool {
    match &cx.body.expr(id).kind {
        ExprKind::Path(path) => says(&cx.words().hint, path.last()),
        ExprKind::Field(_, name) => says(&cx.words().hint, name),
        ExprKind::Method(call) => says(&cx.words().hint, &call.name),
        _ => false,
    }
}

/// Says which retry crate a site is from, and that nobody maintains it.
pub(super) fn name_crate(cx: &Context<'_>, library: &Library, at: ExprId, site: &mut Site) {
    let Some(name) = library.crates.first() else { return };
    site.library.krate = Fact::Known(name.clone(), cx.evidence(at, "a policy of this crate"));
    if let Some(advisory) = &library.unmaintained {
        site.library.advisory = Fact::Known(advisory.clone(), cx.evidence(at, "nobody maintains this crate"));
    }
}

/// Writes what is known of a policy that comes from elsewhere into a site; gives the errors that it says it tries again.
fn given_policy(
    cx: &Context<'_>,
    policy: ExprId,
    call: ExprId,
    adjusted: bool,
    site: &mut Site,
) -> Option<Retried> {
    if let Some(Followed { draft, open, .. }) = origin(cx, policy) {
        if open || adjusted {
            draft.fill_shape(site);
        } else {
            draft.fill(site);
            // that nothing ends it is told where it is made
            if site.attempts.kind.is(&BoundKind::Unbounded) {
                site.attempts.kind = Fact::Unknown;
            }
        }
        return draft.errors;
    }
    let ty = cx.type_of(policy)?;
    if let Some(Series { growth, jitter, .. }) = series_of_type(cx, &ty) {
        site.delay.growth = Fact::Known(growth, cx.evidence(call, "runs a policy that grows like this"));
        site.delay.jitter = Fact::Known(jitter, cx.evidence(call, "the random part of its policy"));
    } else if let Some(draft) = built_of_type(cx, &ty) {
        if adjusted {
            draft.fill_shape(site);
        } else {
            draft.fill_form(site);
        }
    }
    None
}

/// What the policy's own type decides after each failure, where it is of this crate: its faults are told there.
fn by_own_method(cx: &Context<'_>, policy: ExprId, method: &str, site: &mut Site) {
    let decides = cx.type_of(policy).and_then(|ty| cx.krate.method(&ty, method));
    let Some(made) = decides.and_then(|item| sites::engine_of(cx, item, sites::MOST_ENGINES)) else { return };
    if !site.attempts.kind.is_known() {
        site.attempts.kind = made.attempts.kind;
    }
    if !site.delay.growth.is_known() {
        site.delay.growth = made.delay.growth;
        site.delay.jitter = made.delay.jitter;
    }
}

/// Arguments of a call or a macro.
pub(super) fn args_of<'a>(cx: &Context<'a>, id: ExprId) -> &'a [ExprId] {
    match &cx.body.expr(id).kind {
        ExprKind::Macro(call) => match &call.input {
            MacroInput::Args(args) => args,
            _ => &[],
        },
        _ => cx.args(id),
    }
}

/// The policy that a driver is given.
pub(super) fn policy_at(cx: &Context<'_>, driver: &Driver, call: ExprId) -> Option<ExprId> {
    given_at(cx, driver.policy, call)
}

/// What a driver runs.
pub(super) fn operation_at(cx: &Context<'_>, driver: &Driver, call: ExprId) -> Option<ExprId> {
    given_at(cx, driver.operation, call)
}

/// An argument of a call; the receiver where the table names none.
fn given_at(cx: &Context<'_>, at: Option<usize>, call: ExprId) -> Option<ExprId> {
    match (at, &cx.body.expr(call).kind) {
        (Some(at), _) => args_of(cx, call).get(at).copied(),
        (None, ExprKind::Method(method)) => Some(method.receiver),
        _ => None,
    }
}

/// Writes what a policy tries again into a site.
pub(super) fn operation_of(cx: &Context<'_>, operation: Option<ExprId>, blocks: bool, site: &mut Site) {
    let Some(operation) = operation.map(|operation| behind_name(cx, operation)) else { return };
    let evidence = cx.evidence(operation, "this is tried again");
    site.operation.text = Fact::Known(cx.text(telling_part(cx, operation)), evidence.clone());
    let answer = match &cx.body.expr(operation).kind {
        // what a helper is given
        ExprKind::Path(_) if cx.body.local(operation).is_some() => {
            remote::of_callers(cx, cx.body.local(operation)).map(|answer| (answer.is, answer.why))
        }
        // a function given by its name
        ExprKind::Path(path) => match cx.by_path(path) {
            Some(Callee::Own(item)) => crate::detect::summary::summary(cx, item)
                .remote
                .map(|is| (is, "what it calls decides".to_owned())),
            _ => None,
        },
        _ => remote::of_expr(cx, operation, MOST_CALLS).map(|answer| (answer.is, answer.why)),
    };
    match answer {
        Some((is, why)) => site.operation.remote = Fact::Known(is, cx.evidence(operation, why)),
        None => {
            if let Some(answer) = likely::of_retried(cx, operation, blocks) {
                sites::say_remote(site, Some(&answer), cx.place(operation));
            }
        }
    }
    if let (Some(method), _) = remote::method_of(cx, operation) {
        site.operation.method = Fact::Known(method, evidence);
    }
    site.operation.idempotent = repeats::idempotent(cx, operation);
}

/// The closure behind a variable.
pub(super) fn behind_name(cx: &Context<'_>, id: ExprId) -> ExprId {
    match &cx.body.expr(id).kind {
        ExprKind::Ref(inner) => behind_name(cx, *inner),
        ExprKind::Path(_) => cx.behind_name(id),
        // `{ || … }`
        ExprKind::Block(block) if block.stmts.is_empty() => block.tail.unwrap_or(id),
        _ => id,
    }
}

/// What a closure does, in one expression: the remote call in it, or what it gives.
fn telling_part(cx: &Context<'_>, operation: ExprId) -> ExprId {
    let mut call = None;
    cx.body.walk(operation, &mut |id| {
        if call.is_none() && matches!(cx.role(id), Some(Role::Remote { .. })) {
            call = Some(id);
        }
        call.is_none()
    });
    match (call, &cx.body.expr(operation).kind) {
        (Some(call), _) => call,
        (None, ExprKind::Closure { body, .. }) => *body,
        _ => operation,
    }
}

/// The library and its driver that a call is.
pub(super) fn driver_of<'a>(cx: &Context<'a>, id: ExprId) -> Option<(&'a Library, &'a Driver)> {
    let known = &cx.knowledge.libraries;
    match &cx.body.expr(id).kind {
        ExprKind::Call(callee, _) => match &cx.body.expr(*callee).kind {
            ExprKind::Path(path) => full_paths(cx, &path.segments).iter().find_map(|full| known.run_by(full)),
            _ => None,
        },
        ExprKind::Macro(call) => {
            full_paths(cx, &call.path.segments).iter().find_map(|full| known.run_by_macro(full))
        }
        ExprKind::Method(call) => {
            // by the type of its policy, or what builds it: `retry` is a name that many have
            known.run_by_method(&call.name).find_map(|(library, driver)| {
                let policy = driver.policy.map_or(Some(call.receiver), |at| call.args.get(at).copied())?;
                let takes = |name: &String| library.crates.contains(name) || library.runs.contains(name);
                let by_type = cx.type_of(policy).and_then(|ty| ty.path.first().map(takes));
                let is_its = by_type == Some(true)
                    || origin(cx, policy)
                        .and_then(|it| it.library)
                        .is_some_and(|its| its.crates.iter().any(takes));
                is_its.then_some((library, driver))
            })
        }
        _ => None,
    }
}

/// The last of the calls on a call's result, `await` included.
fn chain_end(cx: &Context<'_>, call: ExprId) -> ExprId {
    let mut at = call;
    while let Some(parent) = cx.parent(at) {
        match &cx.body.expr(parent).kind {
            ExprKind::Method(method) if method.receiver == at => {}
            ExprKind::Await(_) => return parent,
            _ => break,
        }
        at = parent;
    }
    at
}

/// The first call of one of these methods on a call's result.
pub(super) fn calls_after(cx: &Context<'_>, call: ExprId, names: &[String]) -> Option<ExprId> {
    let mut at = call;
    while let Some(parent) = cx.parent(at) {
        match &cx.body.expr(parent).kind {
            ExprKind::Method(method) if method.receiver == at => {
                if names.contains(&method.name) {
                    return Some(parent);
                }
            }
            _ => break,
        }
        at = parent;
    }
    None
}
