//! A policy from the call that builds it on: the setters that change it, through variables, and the calls that run it.
//! Back from a use to what builds it leads `origin`.

use super::adapted::hands_on;
use super::draft::setter_of;
use super::drivers::{
    args_of, at_driver, behind_name, calls_after, driver_of, name_crate, operation_at, operation_of,
};
use super::marked::errors_of;
use super::origin::origin;
use super::own::may_give_policy;
use super::scope::Scope;
use super::stays::stays_with;
use super::{Draft, built_at, enclosing, full_paths, is_statement, runs};
use crate::body::{ExprId, ExprKind, Span};
use crate::detect::context::{Callee, Context};
use crate::detect::unlooped::is_given_failure;
use crate::detect::{immediate, sites, waits_at};
use crate::knowledge::{Changes, Driver, Library, Policy, Sets, Setter, says};
use crate::model::{Confidence, Fact, Growth, Kind, Place, PolicyAt, Site, WaitAt};

/// A policy is followed through this many variables.
const MOST_NAMES: u32 = 4;

/// A policy that is being built, and where it goes.
pub(super) struct Built<'c, 'a> {
    cx: &'c Context<'a>,
    library: &'a Library,
    policy: &'a Policy,
    /// What builds it.
    from: ExprId,
    /// The last expression that is still the policy.
    top: ExprId,
    /// The last setter that says something of it, in the expression that builds it; what builds it where there is none.
    last: ExprId,
    pub(super) draft: Draft,
    pub(super) runs: Vec<(ExprId, &'a Driver)>,
    /// Something was done with it that the table does not know.
    lost: bool,
    /// Whether it is followed through functions of the crate: not where one of those asks for the delays.
    pub(super) through: bool,
}

impl<'c, 'a> Built<'c, 'a> {
    pub(super) fn new(cx: &'c Context<'a>, library: &'a Library, policy: &'a Policy, from: ExprId) -> Self {
        let draft = Draft::built(&Scope::of(cx), library, policy, from);
        Self {
            cx,
            library,
            policy,
            from,
            top: from,
            last: from,
            draft,
            runs: Vec::new(),
            lost: false,
            through: true,
        }
    }

    pub(super) fn follow(&mut self) {
        let end = self.chain(self.from, false);
        self.top = end;
        self.named(end, MOST_NAMES);
    }

    /// What is known of it; `None` where something was done with it that the table does not know.
    pub(super) fn known(self) -> Option<Draft> {
        (!self.lost).then_some(self.draft)
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
                    let Some((setter, args)) = setter_of(self.cx, self.library, call) else {
                        if self.policy.open {
                            at = parent;
                            continue;
                        }
                        if self.handed_through(parent) {
                            (at, kept) = (parent, parent);
                            continue;
                        }
                        // `unwrap` of a build that can fail is the policy still; what else is called on it is not known
                        if hands_on(&call.name) {
                            at = parent;
                            continue;
                        }
                        self.lost = true;
                        break;
                    };
                    self.draft.set(&Scope::of(self.cx), setter, parent, args, maybe);
                    if !maybe && setter.says_something() {
                        self.last = parent;
                    }
                    kept = parent;
                }
                ExprKind::Call(..) if self.wrapped(parent, at, maybe) => kept = parent,
                ExprKind::Call(..) | ExprKind::Method(_) if self.handed_through(parent) => kept = parent,
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
        self.draft.set(&Scope::of(self.cx), wrapper, call, args, maybe);
        true
    }

    /// A function of the crate that is given the policy and gives it back, limited: `clamp(Fibonacci::from_millis(500), most)`.
    fn handed_through(&mut self, call: ExprId) -> bool {
        if !self.through
            || self.policy.open
            || !matches!(self.cx.callee(call), Callee::Own(item) if may_give_policy(self.cx, item))
        {
            return false;
        }
        let Some(given) = origin(self.cx, call).filter(|it| it.made.contains(&(self.cx.at, self.from)))
        else {
            return false;
        };
        self.draft = given.draft;
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
                if end != used && !maybe && (assigned || is_statement(self.cx, end)) {
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
        at != used && is_statement(self.cx, at)
    }

    pub(super) fn sites(self) -> Vec<Site> {
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
        if self.policy.given_failure && !is_given_failure(cx) {
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
            operation_of(cx, operation, false, &mut site);
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
                site.operation = driven.operation.clone();
                site.confidence = driven.confidence;
                site.reasons.clone_from(&driven.reasons);
                site.errors.honours_retry_after = std::mem::take(&mut driven.errors.honours_retry_after);
                made.push(driven);
            }
        } else {
            runs::runs_of(cx, |made| made == self.from).say(&mut site);
        }
        if adjusted {
            self.draft.fill_shape(&mut site);
        } else {
            self.draft.fill(&mut site);
        }
        self.of_crate(&mut site);
        if self.is_handed_out_of_sight() && !site.operation.remote.is_known() {
            site.confidence = Confidence::Medium;
            site.reasons.push("what it is handed to cannot be read, and is not named after retrying".into());
        }
        site.handles.policy = self.handle();
        site.handles.inside = self.delay_function();
        made.push(site);
        made
    }

    /// What holds of every policy that the crate builds like this.
    fn of_crate(&self, site: &mut Site) {
        let cx = self.cx;
        if self.policy.remote {
            site.operation.remote = match stays_with(cx, &self.policy.stays_with, self.from) {
                Some(at) => Fact::Known(false, cx.evidence(at, "what it is for stays on this machine")),
                None => Fact::Known(true, cx.evidence(self.from, "what it is for crosses a network")),
            };
        }
        if self.draft.fixed {
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

    /// Whether the policy goes to a function that nobody can read, and whose path does not say that it retries: it may pace reports with it.
    fn is_handed_out_of_sight(&self) -> bool {
        let cx = self.cx;
        let Some(call) = cx.parent(self.top).filter(|_| self.runs.is_empty()) else { return false };
        let ExprKind::Call(callee, args) = &cx.body.expr(call).kind else { return false };
        let ExprKind::Path(path) = &cx.body.expr(*callee).kind else { return false };
        args.contains(&self.top)
            && matches!(cx.callee(call), Callee::Foreign(_) | Callee::Unknown)
            && path.last().starts_with(char::is_lowercase)
            && !full_paths(cx, &path.segments)
                .iter()
                .flatten()
                .chain(&path.segments)
                .any(|part| says(&cx.words().retry, part) || says(&cx.words().delay, part) || part == "new")
    }

    /// Where a change of the policy takes hold.
    fn handle(&self) -> Option<PolicyAt> {
        let Changes { jitter, jitter_feature, cap, bound, drawn, grows, renamed } =
            self.policy.changes.clone();
        let jitter = jitter.filter(|_| jitter_feature.is_none_or(|feature| self.has_feature(&feature)));
        let (chain, made) = (self.place(self.last)?, self.place(self.from)?);
        let arg = args_of(self.cx, self.from).first().map(|arg| {
            let file = self.cx.krate.file(self.cx.at);
            let text = file.map_or("", |file| file.slice(self.cx.body.expr(*arg).span));
            // an operand that binds less tightly than what is written behind it
            let binds = matches!(
                self.cx.body.expr(*arg).kind,
                ExprKind::Lit(_)
                    | ExprKind::Path(_)
                    | ExprKind::Call(..)
                    | ExprKind::Method(_)
                    | ExprKind::Field(..)
            );
            (text, if binds { text.to_owned() } else { format!("({text})") })
        });
        let given = |grows: String| match &arg {
            Some((text, operand)) => {
                Some(grows.replace("({arg})", &format!("({text})")).replace("{arg}", operand))
            }
            None => Some(grows).filter(|grows| !grows.contains("{arg}")),
        };
        let grows = grows.and_then(given);
        let renamed = renamed.into_iter().collect();
        Some(PolicyAt { chain, made, jitter, cap, bound, drawn, grows, renamed })
    }

    /// The value of the function of the attempt that gives the delays, where one setter is given one.
    fn delay_function(&self) -> Option<WaitAt> {
        let cx = self.cx;
        let mut given = None;
        let mut at = self.from;
        while let Some(parent) = cx.parent(at) {
            let ExprKind::Method(call) = &cx.body.expr(parent).kind else { break };
            let sets = self.library.setter(&call.name).filter(|_| call.receiver == at)?.sets.first();
            if sets == Some(&Sets::DelayOfAttempt) {
                given = call.args.first().copied();
            }
            if parent == self.last {
                break;
            }
            at = parent;
        }
        match &cx.body.expr(given?).kind {
            ExprKind::Path(path) => {
                let Some(Callee::Own(item)) = cx.by_path(path) else { return None };
                let inner = cx.inside(item)?;
                let ret = inner.body.ret.as_ref()?;
                waits_at::of_schedule(&inner, ret).waits.pop()
            }
            ExprKind::Closure { body, .. } => waits_at::of_closure(cx, *body),
            _ => None,
        }
        .filter(|wait| wait.is_duration)
    }

    /// Whether the manifest asks for a feature of the crate.
    fn has_feature(&self, feature: &str) -> bool {
        let listed = self.library.crates.iter().find_map(|name| self.cx.krate.dependency(name));
        listed.is_some_and(|listed| listed.features.iter().any(|it| it == feature))
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
