//! Policies of retry crates: the calls that build one, the setters that change it, and the call that runs it, as the crates' tables tell.
//! It fills the same model as the loops do. No crate is known here, and what a table does not tell stays unknown.

mod draft;
mod hints;
mod mentioned;
mod parts;
#[cfg(test)]
mod tests;

use super::context::{Callee, Context};
use super::delay::policy_shape;
use super::named::is_named_after_a_condition;
use super::summary::MOST_CALLS;
use super::{errors, immediate, refusals, remote, repeats, sites};
use crate::body::{ExprId, ExprKind, MacroInput, Span, Stmt, Ty};
use crate::knowledge::{Driver, Library, Policy, Retried, Role, Sets, Setter};
use crate::model::{
    BoundKind, Confidence, ErrorKind, Errors, Evidence, Fact, Growth, Jitter, Kind, Place, Site,
};
use crate::resolve::{ItemRef, Target};
use draft::Draft;
pub(crate) use mentioned::Mentioned;
use std::collections::BTreeSet;

/// A policy is followed through this many variables.
const MOST_NAMES: u32 = 4;
/// Callers asked what they do with a policy that a function gives.
const MOST_CALLERS: usize = 16;

/// The policies that a body builds, and the calls in it that run one.
pub(crate) fn of_body(cx: &Context<'_>) -> Vec<Site> {
    let mut sites = Vec::new();
    let mut run: BTreeSet<ExprId> = BTreeSet::new();
    for (id, _) in cx.body.exprs() {
        if let Some((library, policy)) = built_at(cx, id) {
            let mut built = Built::new(cx, library, policy, id);
            built.follow();
            run.extend(built.runs.iter().map(|(call, _)| *call));
            sites.extend(built.sites());
        }
    }
    for (id, _) in cx.body.exprs() {
        if let Some((library, driver)) = driver_of(cx, id)
            && !run.contains(&id)
        {
            sites.extend(at_driver(cx, library, driver, id));
        }
    }
    // a policy that waits the same each time, in what is named after a condition, asks until that holds
    if is_named_after_a_condition(cx.words(), cx.krate.item(cx.at).map_or("", |item| item.name.as_str())) {
        for site in sites.iter_mut().filter(|site| site.delay.growth.is(&Growth::Constant)) {
            site.kind = Kind::Poll;
            site.confidence = Confidence::Medium;
            site.reasons.push("its name says that it waits for a condition".into());
        }
    }
    sites
}

/// A policy that is being built, and where it goes.
struct Built<'c, 'a> {
    cx: &'c Context<'a>,
    library: &'a Library,
    policy: &'a Policy,
    /// What builds it.
    from: ExprId,
    /// The last expression that is still the policy.
    top: ExprId,
    draft: Draft,
    runs: Vec<(ExprId, &'a Driver)>,
    /// Something was done with it that the table does not know.
    lost: bool,
}

impl<'c, 'a> Built<'c, 'a> {
    fn new(cx: &'c Context<'a>, library: &'a Library, policy: &'a Policy, from: ExprId) -> Self {
        let mut draft = Draft::new(cx, library, policy, from);
        draft.set_before(cx, library, from);
        Self { cx, library, policy, from, top: from, draft, runs: Vec::new(), lost: false }
    }

    fn follow(&mut self) {
        let end = self.chain(self.from, false);
        self.top = end;
        self.named(end, MOST_NAMES);
    }

    /// Applies the setters called on a value, one on the other; gives the last.
    fn chain(&mut self, from: ExprId, maybe: bool) -> ExprId {
        let mut at = from;
        // what is called on an open policy may already be something else
        let mut kept = from;
        while let Some(parent) = self.cx.parent(at) {
            match &self.cx.body.expr(parent).kind {
                ExprKind::Method(call) if call.receiver == at => {
                    if let Some(driver) =
                        self.library.run_by_method(&call.name).filter(|driver| driver.policy.is_none())
                    {
                        self.runs.push((parent, driver));
                        break;
                    }
                    let Some(setter) = self.library.setter(&call.name) else {
                        if self.policy.open {
                            at = parent;
                            continue;
                        }
                        // `unwrap` of a build that can fail is the policy still; what else is called on it is not known
                        if matches!(
                            call.name.as_str(),
                            "unwrap"
                                | "expect"
                                | "unwrap_or_default"
                                | "into"
                                | "as_ref"
                                | "as_mut"
                                | "to_owned"
                        ) {
                            at = parent;
                            continue;
                        }
                        self.lost = true;
                        break;
                    };
                    self.draft.set(self.cx, setter, parent, &call.args, maybe);
                    kept = parent;
                }
                ExprKind::Call(..) if self.wrapped(parent, at, maybe) => kept = parent,
                ExprKind::Ref(_) | ExprKind::Try(_) => {}
                _ => break,
            }
            at = parent;
        }
        self.run_with(at);
        if self.policy.open { kept } else { at }
    }

    /// Applies a function of the library that is given the policy and gives it back.
    fn wrapped(&mut self, call: ExprId, policy: ExprId, maybe: bool) -> bool {
        let ExprKind::Call(callee, args) = &self.cx.body.expr(call).kind else { return false };
        let ExprKind::Path(path) = &self.cx.body.expr(*callee).kind else { return false };
        let wrapper = full_paths(self.cx, &path.segments).iter().find_map(|full| self.library.wrapper(full));
        let Some(wrapper) = wrapper.filter(|wrapper| args.get(wrapper.policy) == Some(&policy)) else {
            return false;
        };
        self.draft.set(self.cx, wrapper, call, args, maybe);
        true
    }

    /// Whether the policy becomes a part of another one, which is told instead.
    fn is_part(&self, value: ExprId) -> bool {
        let takes = |setter: Option<&Setter>, at: usize| {
            setter.is_some_and(|setter| setter.sets.get(at) == Some(&Sets::Policy))
        };
        let Some(parent) = self.cx.parent(value) else { return false };
        match &self.cx.body.expr(parent).kind {
            ExprKind::Struct(lit) => {
                let field = lit.fields.iter().find(|(_, it)| *it == value).map(|(name, _)| name);
                let outer = built_at(self.cx, parent);
                lit.base == Some(value) && outer.is_some()
                    || outer.zip(field).is_some_and(|((library, _), field)| takes(library.field(field), 0))
            }
            ExprKind::Method(call) => call.args.iter().position(|arg| *arg == value).is_some_and(|at| {
                self.cx.knowledge.libraries.tables().iter().any(|library| {
                    takes(library.setter(&call.name), at)
                        && library.crates.iter().any(|name| self.cx.krate.is_dependency(name))
                })
            }),
            ExprKind::Call(..) => built_at(self.cx, parent).is_some_and(|(_, policy)| {
                self.cx
                    .args(parent)
                    .iter()
                    .position(|arg| *arg == value)
                    .is_some_and(|at| policy.args.get(at) == Some(&Sets::Policy))
            }),
            _ => false,
        }
    }

    /// Whether a call is given this value as its policy.
    fn run_with(&mut self, value: ExprId) {
        let Some(parent) = self.cx.parent(value) else { return };
        let driver = match &self.cx.body.expr(parent).kind {
            ExprKind::Call(..) => driver_of(self.cx, parent).map(|(_, driver)| driver),
            ExprKind::Method(call) => {
                self.library.run_by_method(&call.name).or_else(|| self.run_by_another(&call.name))
            }
            ExprKind::Macro(_) => driver_of(self.cx, parent).map(|(_, driver)| driver),
            _ => None,
        };
        let Some(driver) = driver else { return };
        let given = driver
            .policy
            .and_then(|policy| args_of(self.cx, parent).get(policy))
            .is_some_and(|arg| *arg == value);
        if given {
            self.runs.push((parent, driver));
        }
    }

    /// The method of another library that runs policies of this one.
    fn run_by_another(&self, method: &str) -> Option<&'a Driver> {
        let takes = |library: &Library| library.runs.iter().any(|name| self.library.crates.contains(name));
        let mut others = self.cx.knowledge.libraries.run_by_method(method);
        others.find_map(|(library, driver)| takes(library).then_some(driver))
    }

    /// Follows a variable that the value is bound to: setters on it, calls that it is given to.
    fn named(&mut self, value: ExprId, left: u32) {
        let Some(local) = self.cx.local_of(value).filter(|_| left > 0) else { return };
        let home = enclosing(self.cx, value);
        let uses: Vec<ExprId> = self
            .cx
            .body
            .exprs()
            .map(|(id, _)| id)
            .filter(|id| *id > value && self.cx.body.local(*id) == Some(local))
            .collect();
        for used in uses {
            if !self.library.in_place && self.is_dropped(used) {
                continue;
            }
            let maybe = enclosing(self.cx, used) != home;
            let end = self.chain(used, maybe);
            let Some(next) = self.cx.local_of(end) else {
                // `policy = policy.with_jitter()`, `policy.set_jitter(…);`
                let assigned = self.cx.parent(end).is_some_and(|parent| {
                    matches!(&self.cx.body.expr(parent).kind, ExprKind::Assign(place, _) if self.cx.body.local(*place) == Some(local))
                });
                if end != used && !maybe && (assigned || self.is_statement(end)) {
                    self.top = end;
                }
                continue;
            };
            if next != local && self.runs.is_empty() {
                if !maybe {
                    self.top = end;
                }
                self.named(end, left - 1);
            }
        }
    }

    /// Whether setters by value are called on the policy, and what they give is thrown away: `builder.with_jitter();` changes nothing.
    fn is_dropped(&self, used: ExprId) -> bool {
        let mut at = used;
        while let Some(parent) = self.cx.parent(at) {
            match &self.cx.body.expr(parent).kind {
                ExprKind::Method(call)
                    if call.receiver == at && self.library.setter(&call.name).is_some() =>
                {
                    at = parent;
                }
                _ => break,
            }
        }
        at != used && self.is_statement(at)
    }

    fn is_statement(&self, id: ExprId) -> bool {
        self.cx.parent(id).is_some_and(|parent| {
            self.cx.body.stmts_of(parent).iter().any(|stmt| matches!(stmt, Stmt::Expr(it) if *it == id))
        })
    }

    fn sites(self) -> Vec<Site> {
        let cx = self.cx;
        if self.lost && self.runs.is_empty() || self.is_part(self.top) {
            return Vec::new();
        }
        // what is wrapped by something that nobody knows may be limited there
        let given_on = |id: ExprId| matches!(&cx.body.expr(id).kind, ExprKind::Call(_, args) if args.contains(&self.top));
        if matches!(cx.body.expr(self.from).kind, ExprKind::Path(_))
            && self.runs.is_empty()
            && cx.parent(self.top).is_some_and(given_on)
        {
            return Vec::new();
        }
        if self.policy.given_failure && !super::unlooped::is_given_failure(cx) {
            return Vec::new();
        }
        let Some(mut site) = sites::begin(cx, self.from, Kind::Library) else { return Vec::new() };
        let Some(place) = self.place(self.top) else { return Vec::new() };
        site.place = place;
        site.why.push(cx.evidence(self.from, "builds a retry policy"));
        let mut made = Vec::new();
        let mut adjusted = false;
        let operation = self.policy.operation.and_then(|at| args_of(cx, self.from).get(at).copied());
        if let Some(retried) = self.draft.errors.filter(|_| self.runs.is_empty() || operation.is_some()) {
            operation_of(cx, operation, &mut site);
            site.errors = errors_of(cx, self.library, retried, operation, self.from);
        } else if let Some((call, driver)) = self.runs.first().copied() {
            adjusted = calls_after(cx, call, &driver.adjusts).is_some();
            let Some(mut driven) = at_driver(cx, self.library, driver, call) else { return Vec::new() };
            if let Some(retried) = self.draft.errors {
                driven.errors = errors_of(cx, self.library, retried, operation_at(cx, driver, call), call);
            }
            if cx.body.expr(call).span.contains(cx.body.expr(self.from).span) {
                site = Site { why: site.why, ..driven };
                site.delay.made_elsewhere = Fact::known(false);
            } else {
                // two places: what is waited is told where the policy is built, what is tried again where it runs
                let mut driven = driven;
                site.operation = driven.operation.clone();
                site.errors.honours_retry_after = std::mem::take(&mut driven.errors.honours_retry_after);
                made.push(driven);
            }
        } else if let Some(remote) = self.run_by_callers() {
            site.operation.remote = Fact::Known(true, remote);
        }
        if !adjusted {
            self.draft.fill(&mut site);
        }
        self.of_crate(&mut site);
        made.push(site);
        made
    }

    /// What holds of every policy that the crate builds like this.
    fn of_crate(&self, site: &mut Site) {
        let cx = self.cx;
        if self.policy.remote {
            site.operation.remote =
                Fact::Known(true, cx.evidence(self.from, "what it is for crosses a network"));
        }
        if self.policy.fixed {
            site.delay.made_elsewhere =
                Fact::Known(true, cx.evidence(self.from, "its delays are the crate's own"));
        }
        if site.delay.growth.is(&Growth::None) && !site.operation.waits.is_known() {
            let operation = self
                .runs
                .first()
                .and_then(|(call, driver)| operation_at(cx, driver, *call))
                .or_else(|| self.policy.operation.and_then(|at| args_of(cx, self.from).get(at).copied()));
            let waits =
                operation.map_or(!self.policy.remote, |it| immediate::waits_in(cx, behind_name(cx, it)));
            site.operation.waits = if waits { Fact::Unknown } else { Fact::known(false) };
        }
        name_crate(cx, self.library, self.from, site);
    }

    /// Where a caller runs a remote operation with the policy that this function gives.
    fn run_by_callers(&self) -> Option<Evidence> {
        if !of_crate_type(self.cx, self.library, self.cx.at) {
            return None;
        }
        self.cx.callers().iter().filter(|(item, _)| *item != self.cx.at).take(MOST_CALLERS).find_map(
            |(item, call)| {
                let caller = self.cx.inside(*item)?;
                let mut given = Built::new(&caller, self.library, self.policy, *call);
                given.follow();
                given.runs.iter().find_map(|(run, driver)| {
                    let driven = at_driver(&caller, self.library, driver, *run)?;
                    driven
                        .operation
                        .remote
                        .is(&true)
                        .then(|| caller.evidence(*run, "runs it around a remote call"))
                })
            },
        )
    }

    fn place(&self, end: ExprId) -> Option<Place> {
        let (from, to) = (self.cx.body.expr(self.from).span, self.cx.body.expr(end).span);
        Some(
            self.cx
                .krate
                .file(self.cx.at)?
                .place(Span { start: from.start.min(to.start), end: from.end.max(to.end) }),
        )
    }
}

/// The call that runs a policy, where the policy comes from elsewhere.
fn at_driver(cx: &Context<'_>, library: &Library, driver: &Driver, call: ExprId) -> Option<Site> {
    let mut site = sites::begin(cx, call, Kind::Library)?;
    site.place = cx.place(chain_end(cx, call))?;
    site.why.push(cx.evidence(call, "runs a retry policy"));
    name_crate(cx, library, call, &mut site);
    let operation = operation_at(cx, driver, call);
    operation_of(cx, operation, &mut site);
    if driver.remote {
        site.operation.remote = Fact::Known(true, cx.evidence(call, "every request goes through this"));
    }
    let policy = driver.policy.and_then(|at| args_of(cx, call).get(at).copied());
    if let Some((growth, jitter)) = policy.and_then(|policy| policy_shape(cx, policy)) {
        site.delay.growth = Fact::Known(growth, cx.evidence(call, "runs a policy that grows like this"));
        site.delay.jitter = Fact::Known(jitter, cx.evidence(call, "the random part of its policy"));
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
    let retried =
        if calls_after(cx, call, &driver.filters).is_some() { Retried::Picked } else { driver.errors };
    site.errors = errors_of(cx, library, retried, operation, call);
    site.errors.honours_retry_after = hints::honoured(cx, library, driver, call);
    if site.errors.retries_4xx.is(&true) && calls_after(cx, call, &driver.adjusts).is_none() {
        site.errors.honours_retry_after = hints::of_errors(cx, operation.map(|given| behind_name(cx, given)));
    }
    if driver.blocking {
        site.delay.blocking_in_async = Fact::Known(
            sites::in_async(cx, cx.task_around(call)),
            cx.evidence(call, "blocks the thread of the executor"),
        );
    }
    Some(site)
}

/// Says which retry crate a site is from, and that nobody maintains it.
fn name_crate(cx: &Context<'_>, library: &Library, at: ExprId, site: &mut Site) {
    let Some(name) = library.crates.first() else { return };
    site.library.krate = Fact::Known(name.clone(), cx.evidence(at, "a policy of this crate"));
    if let Some(advisory) = &library.unmaintained {
        site.library.advisory = Fact::Known(advisory.clone(), cx.evidence(at, "nobody maintains this crate"));
    }
}

/// What a driver runs.
fn operation_at(cx: &Context<'_>, driver: &Driver, call: ExprId) -> Option<ExprId> {
    match (driver.operation, &cx.body.expr(call).kind) {
        (Some(at), _) => args_of(cx, call).get(at).copied(),
        (None, ExprKind::Method(method)) => Some(method.receiver),
        _ => None,
    }
}

/// Arguments of a call or a macro.
fn args_of<'a>(cx: &Context<'a>, id: ExprId) -> &'a [ExprId] {
    match &cx.body.expr(id).kind {
        ExprKind::Macro(call) => match &call.input {
            MacroInput::Args(args) => args,
            _ => &[],
        },
        _ => cx.args(id),
    }
}

fn operation_of(cx: &Context<'_>, operation: Option<ExprId>, site: &mut Site) {
    let Some(operation) = operation.map(|operation| behind_name(cx, operation)) else { return };
    let evidence = cx.evidence(operation, "this is tried again");
    site.operation.text = Fact::Known(cx.text(telling_part(cx, operation)), evidence.clone());
    let answer = match &cx.body.expr(operation).kind {
        // a function given by its name
        ExprKind::Path(path) => match cx.by_path(path) {
            Some(Callee::Own(item)) => {
                super::summary::summary(cx, item).remote.map(|is| (is, "what it calls decides".to_owned()))
            }
            _ => None,
        },
        _ => remote::of_expr(cx, operation, MOST_CALLS).map(|answer| (answer.is, answer.why)),
    };
    if let Some((is, why)) = answer {
        site.operation.remote = Fact::Known(is, cx.evidence(operation, why));
    }
    if let (Some(method), _) = remote::method_of(cx, operation) {
        site.operation.method = Fact::Known(method, evidence);
    }
    site.operation.idempotent = repeats::idempotent(cx, operation);
}

/// The closure behind a variable.
fn behind_name(cx: &Context<'_>, id: ExprId) -> ExprId {
    match &cx.body.expr(id).kind {
        ExprKind::Ref(inner) => behind_name(cx, *inner),
        ExprKind::Path(_) => cx.body.local(id).and_then(|local| cx.init(local)).unwrap_or(id),
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

fn errors_of(
    cx: &Context<'_>,
    library: &Library,
    retried: Retried,
    operation: Option<ExprId>,
    call: ExprId,
) -> Errors {
    let mut made = Errors { stale_connection: Fact::known(false), ..Errors::default() };
    let operation = operation.map(|operation| behind_name(cx, operation));
    let all = match retried {
        Retried::All => true,
        Retried::Marked => operation.is_some_and(|operation| marks_nothing(cx, library, operation, 2)),
        Retried::Picked => {
            made.kind = Fact::Known(ErrorKind::Classified, cx.evidence(call, "a predicate picks the errors"));
            false
        }
        Retried::Status => {
            made.kind = Fact::Known(ErrorKind::Status, cx.evidence(call, "statuses are told apart"));
            made.retries_4xx = Fact::known(false);
            false
        }
        Retried::Unknown => false,
    };
    if all {
        made.kind = Fact::Known(ErrorKind::All, cx.evidence(call, "any error of the operation goes round"));
        made.retries_unanswered = Fact::Known(
            true,
            cx.evidence(call, "whether the server did it is not known when any error goes round"),
        );
        made.retries_permanent =
            operation.map_or(Fact::Unknown, |operation| errors::permanent_inside(cx, operation));
        if let Some(operation) = operation.filter(|operation| refusals::of_operand(cx, *operation)) {
            made.retries_4xx =
                Fact::Known(true, cx.evidence(operation, "makes errors of 4xx, and they go round"));
        }
    }
    made
}

/// Whether no error of an operation is marked as permanent, in it or in what it calls: only then all of them go round.
fn marks_nothing(cx: &Context<'_>, library: &Library, root: ExprId, left: u32) -> bool {
    let is = |path: &[String], list: &[String]| {
        full_paths(cx, path).iter().any(|full| list.contains(&full.join("::")))
    };
    let mut clean = left > 0;
    cx.body.walk(root, &mut |id| {
        match &cx.body.expr(id).kind {
            ExprKind::Path(path) if cx.body.local(id).is_none() => {
                let own = || matches!(cx.krate.path(cx.at, &path.segments), Target::Item(item) if of_crate_type(cx, library, item));
                clean &= !is(&path.segments, &library.errors.permanent) && !own();
            }
            ExprKind::Struct(lit) => clean &= !is(&lit.path.segments, &library.errors.permanent),
            ExprKind::Method(call) if library.errors.permanent_methods.contains(&call.name) => clean = false,
            ExprKind::Method(_) | ExprKind::Call(..) => {
                if let Callee::Own(item) = cx.callee(id)
                    && of_crate_type(cx, library, item)
                {
                    clean &= cx.inside(item).is_some_and(|inner| marks_nothing(&inner, library, inner.body.root, left - 1));
                }
            }
            // an operation that looks at its errors may say anything of them
            ExprKind::Match(..) | ExprKind::Macro(_) => {
                let speaks = |inner: ExprId| matches!(&cx.body.expr(inner).kind, ExprKind::Path(path) if path.segments.len() > 1 && library.errors.transient.iter().chain(&library.errors.permanent).any(|marker| marker.ends_with(path.last())));
                clean &= !cx.body.any(id, speaks);
            }
            _ => {}
        }
        clean
    });
    clean
}

/// Whether a function of the crate gives a type of the library: its error says whether to go on.
fn of_crate_type(cx: &Context<'_>, library: &Library, item: ItemRef) -> bool {
    fn names(library: &Library, ty: &Ty) -> bool {
        ty.path.first().is_some_and(|first| library.crates.contains(first))
            || ty.args.iter().any(|arg| names(library, arg))
    }
    let Some(ret) = cx.krate.signature(item).and_then(|signature| signature.ret.clone()) else {
        return false;
    };
    names(library, &cx.krate.full_type(item, &ret))
}

/// The library and its driver that a call is.
fn driver_of<'a>(cx: &Context<'a>, id: ExprId) -> Option<(&'a Library, &'a Driver)> {
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
            // by the type of its policy: `retry` is a name that many have
            known.run_by_method(&call.name).find_map(|(library, driver)| {
                let policy = driver.policy.map_or(Some(call.receiver), |at| call.args.get(at).copied())?;
                let ty = cx.type_of(policy)?;
                let first = ty.path.first()?;
                let takes = library.crates.contains(first) || library.runs.contains(first);
                takes.then_some((library, driver))
            })
        }
        _ => None,
    }
}

/// The paths that a written path may stand for.
fn full_paths(cx: &Context<'_>, segments: &[String]) -> Vec<Vec<String>> {
    match cx.krate.path(cx.at, segments) {
        Target::External(full) => {
            // a function that is called like its crate hides the crate once it is imported: `a::a::b` is `a::b` too
            let doubled = full.iter().zip(full.iter().skip(1)).take_while(|(one, next)| one == next).count();
            (0..=doubled).map(|skipped| full.iter().skip(skipped).cloned().collect()).collect()
        }
        Target::Unknown => cx
            .krate
            .foreign_globs(cx.at)
            .into_iter()
            .map(|glob| glob.into_iter().chain(segments.iter().cloned()).collect())
            .collect(),
        _ => Vec::new(),
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
fn calls_after(cx: &Context<'_>, call: ExprId, names: &[String]) -> Option<ExprId> {
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

/// The block, arm, loop or closure that decides whether an expression is reached.
fn enclosing(cx: &Context<'_>, id: ExprId) -> Option<ExprId> {
    cx.around(id).find(|at| {
        matches!(
            cx.body.expr(*at).kind,
            ExprKind::Block(_) | ExprKind::Closure { .. } | ExprKind::Async(_) | ExprKind::Match(..)
        )
    })
}

/// The delays of a policy that somebody asks for one by one.
pub(super) struct Series {
    pub(super) growth: Growth,
    pub(super) jitter: Jitter,
    pub(super) first: Option<f64>,
    pub(super) factor: Option<f64>,
    pub(super) capped: bool,
    /// `None` also where the cap's size is not written.
    pub(super) cap: Option<f64>,
}

/// The delays of the policy that an expression builds, where the table tells them.
pub(super) fn series(cx: &Context<'_>, from: ExprId) -> Option<Series> {
    let (library, policy) = built_at(cx, from)?;
    let mut built = Built::new(cx, library, policy, from);
    built.follow();
    built.draft.series()
}

/// The delays that every policy of a type has, whoever built it; that it has no cap, nobody can tell then.
pub(super) fn series_of_type(cx: &Context<'_>, ty: &Ty) -> Option<Series> {
    let ends = matches!(ty.name(), "Take" | "Skip" | "Peekable" | "Fuse");
    let ty = if ends { ty.args.first()? } else { ty };
    let (growth, jitter) = cx.knowledge.libraries.of_type(&ty.path)?;
    Some(Series {
        growth: *draft::growth_of(growth, Evidence::default()).value()?,
        jitter: *draft::jitter_of(jitter, Evidence::default(), Evidence::default()).value()?,
        first: None,
        factor: None,
        capped: true,
        cap: None,
    })
}

/// The policy that an expression builds.
fn built_at<'a>(cx: &Context<'a>, id: ExprId) -> Option<(&'a Library, &'a Policy)> {
    let known = &cx.knowledge.libraries;
    match &cx.body.expr(id).kind {
        ExprKind::Call(callee, _) => match &cx.body.expr(*callee).kind {
            ExprKind::Path(path) => {
                full_paths(cx, &path.segments).iter().find_map(|full| known.built_by(full))
            }
            _ => None,
        },
        ExprKind::Struct(lit) => {
            full_paths(cx, &lit.path.segments).iter().find_map(|full| known.written_as(full))
        }
        // a struct without fields
        ExprKind::Path(path)
            if known.names_struct(path.last()) && !is_callee(cx, id) && cx.body.local(id).is_none() =>
        {
            full_paths(cx, &path.segments).iter().find_map(|full| known.written_as(full))
        }
        ExprKind::Macro(call) => {
            full_paths(cx, &call.path.segments).iter().find_map(|full| known.built_by_macro(full))
        }
        ExprKind::Method(call) => known
            .made_by(&call.name)
            .find(|(library, _)| library.crates.iter().any(|name| cx.krate.is_dependency(name))),
        _ => None,
    }
}

fn is_callee(cx: &Context<'_>, id: ExprId) -> bool {
    cx.parent(id)
        .is_some_and(|parent| matches!(cx.body.expr(parent).kind, ExprKind::Call(callee, _) if callee == id))
}
