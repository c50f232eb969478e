//! Policies of retry crates: the calls that build one, the setters that change it, and the call that runs it, as the crates' tables tell.
//! It fills the same model as the loops do. No crate is known here, and what a table does not tell stays unknown.

mod draft;
mod drivers;
mod origin;
mod own;
mod predicate;
mod runs;
mod scope;
#[cfg(test)]
mod tests;

use super::context::{Callee, Context};
use super::sites;
use crate::body::{ExprId, ExprKind, Span, Stmt, Ty};
use crate::knowledge::{Driver, Library, Policy};
use crate::model::{Evidence, Fact, Growth, Jitter, Kind, Place, Site};
use crate::resolve::Target;
use draft::Draft;
use drivers::{at_driver, calls_after, driver_of, errors_of, operation_of};
use origin::origin;
use own::{changed_in_place, may_give_policy, own_policies};
use scope::Scope;
use std::collections::BTreeSet;

pub(crate) use runs::Runs;

/// A policy is followed through this many variables.
const MOST_NAMES: u32 = 4;

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
    sites.extend(changed_in_place(cx));
    let built: Vec<Place> = sites.iter().map(|site| site.place.clone()).collect();
    sites.extend(own_policies(cx).into_iter().filter(|site| !built.contains(&site.place)));
    for (id, _) in cx.body.exprs() {
        if let Some((library, driver)) = driver_of(cx, id)
            && !run.contains(&id)
        {
            sites.extend(at_driver(cx, library, driver, id));
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
    /// Whether it is followed through functions of the crate: not where one of those asks for the delays.
    through: bool,
}

impl<'c, 'a> Built<'c, 'a> {
    fn new(cx: &'c Context<'a>, library: &'a Library, policy: &'a Policy, from: ExprId) -> Self {
        let draft = Draft::new(&Scope::of(cx), library, policy, from);
        Self { cx, library, policy, from, top: from, draft, runs: Vec::new(), lost: false, through: true }
    }

    fn follow(&mut self) {
        let end = self.chain(self.from, false);
        self.top = end;
        self.named(end, MOST_NAMES);
    }

    /// Applies the setters called on a value, one on the other; gives the last.
    fn chain(&mut self, from: ExprId, maybe: bool) -> ExprId {
        let mut at = from;
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
                        if self.handed_through(parent) {
                            at = parent;
                            continue;
                        }
                        // `unwrap` of a build that can fail is the policy still; what else is called on it is not known
                        self.lost |= !matches!(
                            call.name.as_str(),
                            "unwrap"
                                | "expect"
                                | "unwrap_or_default"
                                | "into"
                                | "as_ref"
                                | "as_mut"
                                | "to_owned"
                        );
                        break;
                    };
                    self.draft.set(&Scope::of(self.cx), setter, parent, &call.args, maybe);
                }
                ExprKind::Ref(_) | ExprKind::Try(_) => {}
                ExprKind::Call(..) | ExprKind::Method(_) if self.handed_through(parent) => {}
                _ => break,
            }
            at = parent;
        }
        self.run_with(at);
        at
    }

    /// A function of the crate that is given the policy and gives it back, limited: `clamp(Fibonacci::from_millis(500), most)`.
    fn handed_through(&mut self, call: ExprId) -> bool {
        if !self.through
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

    /// Whether a call is given this value as its policy.
    fn run_with(&mut self, value: ExprId) {
        let Some(parent) = self.cx.parent(value) else { return };
        let driver = match &self.cx.body.expr(parent).kind {
            ExprKind::Call(..) => driver_of(self.cx, parent).map(|(_, driver)| driver),
            ExprKind::Method(call) => self.library.run_by_method(&call.name),
            _ => None,
        };
        let Some(driver) = driver else { return };
        let given = driver
            .policy
            .and_then(|policy| self.cx.args(parent).get(policy))
            .is_some_and(|arg| *arg == value);
        if given {
            self.runs.push((parent, driver));
        }
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

    fn is_statement(&self, id: ExprId) -> bool {
        self.cx.parent(id).is_some_and(|parent| {
            self.cx.body.stmts_of(parent).iter().any(|stmt| matches!(stmt, Stmt::Expr(it) if *it == id))
        })
    }

    fn sites(self) -> Vec<Site> {
        let cx = self.cx;
        if self.lost && self.runs.is_empty() {
            return Vec::new();
        }
        let Some(mut site) = sites::begin(cx, self.from, Kind::Library) else { return Vec::new() };
        let Some(place) = self.place(self.top) else { return Vec::new() };
        site.place = place;
        site.why.push(cx.evidence(self.from, "builds a retry policy"));
        let mut made = Vec::new();
        let mut adjusted = false;
        if let Some(retried) = self.policy.errors {
            let operation = self.policy.operation.and_then(|at| cx.args(self.from).get(at).copied());
            operation_of(cx, operation, &mut site);
            site.errors = errors_of(cx, self.library, retried, operation, self.from);
        } else if let Some((call, driver)) = self.runs.first().copied() {
            adjusted = calls_after(cx, call, &driver.adjusts).is_some();
            let Some(driven) = at_driver(cx, self.library, driver, call) else { return Vec::new() };
            if cx.body.expr(call).span.contains(cx.body.expr(self.from).span) {
                site = Site { why: site.why, ..driven };
                site.delay.made_elsewhere = Fact::known(false);
            } else {
                // two places: what is waited is told where the policy is built, what is tried again where it runs
                site.operation = driven.operation.clone();
                made.push(driven);
            }
        } else if let Some(Some(remote)) = runs::runs_of(cx, |made| made == self.from) {
            site.operation.remote = Fact::Known(true, remote);
        }
        if adjusted {
            self.draft.fill_shape(&mut site);
        } else {
            self.draft.fill(&mut site);
        }
        made.push(site);
        made
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
    let mut built = Built { through: false, ..Built::new(cx, library, policy, from) };
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
        _ => None,
    }
}
