//! Policies of retry crates: the calls that build one, the setters that change it, and the call that runs it, as the crates' tables tell.
//! It fills the same model as the loops do. No crate is known here, and what a table does not tell stays unknown.

mod adapted;
mod attributes;
mod built;
mod by_type;
mod delays;
mod draft;
mod drivers;
mod filled;
mod handlers;
mod hints;
mod marked;
mod mentioned;
mod origin;
mod own;
mod parts;
mod predicate;
mod runs;
mod scope;
mod stays;
#[cfg(test)]
mod tests;

use super::context::{Callee, Context};
use super::named::is_named_after_a_condition;
use crate::body::{ExprId, ExprKind, Stmt, Ty};
use crate::knowledge::{Library, Policy};
use crate::model::{Confidence, Evidence, Fact, Growth, Jitter, Kind, Place, Site};
use crate::resolve::Target;
use built::Built;
use draft::Draft;
use drivers::{at_driver, driver_of};
pub(crate) use mentioned::Mentioned;
use own::{changed_in_place, own_policies};
pub(crate) use runs::Runs;
use std::collections::BTreeSet;

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
    sites.extend(attributes::of_function(cx));
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

/// The paths that a written path may stand for.
fn full_paths(cx: &Context<'_>, segments: &[String]) -> Vec<Vec<String>> {
    match cx.krate.path(cx.at, segments) {
        Target::External(full) => {
            // a function or macro that is called like a crate hides the crate once it is imported: `a::a::b` is `a::b` too, and
            // `a_macros::a::b` where `a` is a crate
            let is_crate = |(at, name): &(usize, &String)| {
                *at == 0 || full.first() == Some(name) || cx.krate.is_dependency(name)
            };
            let firsts = full.iter().enumerate().filter(is_crate).map(|(at, _)| at);
            firsts.map(|skipped| full.iter().skip(skipped).cloned().collect()).collect()
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

/// Whether an expression is a statement of its own.
fn is_statement(cx: &Context<'_>, id: ExprId) -> bool {
    cx.parent(id).is_some_and(|parent| {
        cx.body.stmts_of(parent).iter().any(|stmt| matches!(stmt, Stmt::Expr(it) if *it == id))
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
    built.through = false;
    built.follow();
    built.draft.series()
}

/// The delays that a function of the crate gives one by one, limited and adapted as it may be: `backoff(most).next()`.
pub(super) fn series_given(cx: &Context<'_>, call: ExprId) -> Option<Series> {
    if !matches!(cx.callee(call), Callee::Own(item) if own::may_give_policy(cx, item)) {
        return None;
    }
    let given = origin::origin(cx, call).filter(|given| !given.open)?;
    let made = given.draft.series()?;
    // by how much a line rises is not among what a draft knows
    let first = made.first.filter(|_| made.growth != Growth::Linear);
    Some(Series { first, ..made })
}

/// Writes how the one policy that an engine of the crate is given delays into the site of that call.
pub(crate) fn say_given(cx: &Context<'_>, call: ExprId, site: &mut Site) {
    // an iterator that nobody runs as a policy may count anything
    let mut given =
        cx.args(call).iter().filter_map(|arg| origin::origin(cx, *arg)).filter(|given| !given.is_own);
    if let (Some(policy), None) = (given.next(), given.next()) {
        policy.draft.fill_shape(site);
        site.delay.made_elsewhere = Fact::known(true);
    }
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
