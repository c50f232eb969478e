//! From bodies to sites: follows the flow of attempts in each function, classifies what goes round, and reads the policy of what retries.
//! It recovers meaning and reports nothing; no rule, crate or message to a user is known here.

mod accepts;
mod anew;
mod apart;
mod between;
mod blind;
mod bounds;
mod breakers;
mod callees;
mod changes;
mod classify;
mod configured;
mod context;
mod counters;
mod counts;
mod delay;
mod describe;
mod each_item;
mod errors;
mod exhaustion;
mod fails_as;
mod flow;
mod handles;
mod hints;
mod immediate;
mod jitter;
mod kept;
mod library;
mod likely;
mod limits;
mod makers;
mod memo;
mod named;
mod nested;
mod outside;
mod overloads;
mod paced_inside;
mod picked;
mod policies;
mod questions;
mod reads;
mod recursion;
mod refusals;
mod remote;
mod repeats;
mod schedules;
mod serves;
mod set_before;
mod sites;
mod statuses;
mod summary;
mod unanswered;
mod unlooped;
mod varied;
mod waited_for;
mod waits_at;

#[doc(hidden)]
pub use describe::describe;

use crate::knowledge::Knowledge;
use crate::model::{Blindness, Fact, Place, Problem, Site, Unfollowed};
use crate::resolve::{Crate, ItemRef};
use crate::source::ItemKind;
use context::{Context, Neighbours};
use memo::Memo;
use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// What a crate holds.
#[derive(Debug, Default)]
pub struct Found {
    /// Every site and look-alike, by place.
    pub sites: Vec<Site>,
    /// Bodies that could not be read or followed.
    pub problems: Vec<Problem>,
    /// How many bodies were asked for sites.
    pub bodies: usize,
    /// How many of them are in tests, benches and examples.
    pub in_tests: usize,
    /// Bodies that could not be followed, or not to their end, by place.
    pub unfollowed: Vec<Unfollowed>,
}

/// Finds every site of a crate. The same bytes for any number of threads: each function is read by itself.
pub fn sites(krate: &Crate, knowledge: &Knowledge) -> Found {
    let memo = Memo::default();
    let knowledge = &*knowledge.for_versions(&|name| krate.may_list(name), &|name| krate.versions(name));
    let mentioned = library::Mentioned::new(krate, knowledge);
    let items: Vec<ItemRef> = krate
        .items()
        .filter(|(at, item)| {
            let context_only = krate.file(*at).is_none_or(|file| file.context_only);
            let asked = item.tells.any() || item.too_deep || item.kind == ItemKind::MacroRules;
            !context_only && item.body.is_some() && (asked || mentioned.in_item(krate, *at))
        })
        .map(|(at, _)| at)
        .collect();
    let mut parts: Vec<Found> = items
        .par_iter()
        .map(|at| {
            let mut part = catch_unwind(AssertUnwindSafe(|| sites_of(krate, knowledge, &memo, *at)))
                .unwrap_or_else(|_| broken(krate, *at));
            part.in_tests = if sites::in_test(krate, *at) { part.bodies } else { 0 };
            part
        })
        .collect();
    nest(krate, knowledge, &memo, &items, &mut parts);
    let configured = configured::of_crate(krate, knowledge, &memo, &items, &parts);
    let mut found = Found { sites: configured, ..Found::default() };
    for part in parts {
        found.sites.extend(part.sites);
        found.problems.extend(part.problems);
        found.bodies += part.bodies;
        found.in_tests += part.in_tests;
        found.unfollowed.extend(part.unfollowed);
    }
    found.problems.extend(krate.problems());
    found.sites.sort_by(|a, b| (&a.place, a.kind).cmp(&(&b.place, b.kind)));
    say_once(&mut found.sites);
    found.problems.sort();
    found.problems.dedup();
    found.unfollowed.sort();
    found.unfollowed.dedup();
    found
}

/// That nobody maintains a crate is a fact of the package: it is told at its first site, before those of tests.
fn say_once(sites: &mut [Site]) {
    let mut said: Vec<String> = Vec::new();
    for in_test in [false, true] {
        for site in sites.iter_mut().filter(|site| site.in_test == in_test) {
            let Some(advisory) = site.library.advisory.value() else { continue };
            if said.contains(advisory) {
                site.library.advisory = Fact::Unknown;
            } else {
                said.push(advisory.clone());
            }
        }
    }
}

fn sites_of(krate: &Crate, knowledge: &Knowledge, memo: &Memo, at: ItemRef) -> Found {
    let mut found = Found::default();
    let bodies: Vec<&crate::body::Body> = match krate.item(at).map(|item| item.kind) {
        Some(ItemKind::MacroRules) => krate.macro_arms(at).iter().collect(),
        Some(ItemKind::Fn) => krate.body(at).into_iter().collect(),
        Some(ItemKind::Const | ItemKind::Static) => return of_constant(krate, knowledge, memo, at),
        _ => Vec::new(),
    };
    if let Some(why) = unread(krate, at).filter(|_| bodies.is_empty()) {
        found.bodies += 1;
        found.unfollowed.extend(blind::unfollowed(krate, at, None, why));
    }
    let near = Rc::new(Neighbours::default());
    for body in bodies {
        let cx = Context::new(krate, knowledge, memo, &near, at, body);
        found.bodies += 1;
        if flow::is_worth_following(&cx) {
            let followed = flow::follow(&cx);
            found.unfollowed.extend(blind::of_walk(&cx, &followed));
            let mut told = sites::of_loops(&cx, &followed);
            accepts::of_body(&cx, &followed, &mut told);
            told.extend(recursion::of_body(&cx, &followed));
            found.sites.extend(unlooped::of_body(&cx, &followed, &told));
            found.sites.extend(told);
        }
        found.unfollowed.extend(blind::of_macros(&cx));
        let policies = library::of_body(&cx);
        // a call that a library's table explains is told once
        found.sites.extend(
            sites::of_calls(&cx)
                .into_iter()
                .filter(|call| !policies.iter().any(|policy| within(&call.place, &policy.place))),
        );
        found.sites.extend(policies);
        found.sites.extend(schedules::of_body(&cx));
        breakers::mark(&cx, &mut found.sites);
    }
    found
}

/// Why nothing of an item could be read; `None` where there is nothing to read.
fn unread(krate: &Crate, at: ItemRef) -> Option<Blindness> {
    let item = krate.item(at)?;
    match item.kind {
        ItemKind::Fn | ItemKind::MacroRules if item.too_deep => Some(Blindness::Depth),
        ItemKind::Fn => Some(Blindness::Syntax),
        // arms that make items, or patterns only, hide nothing
        ItemKind::MacroRules if item.tells.loops => Some(Blindness::Macro),
        _ => None,
    }
}

/// Says of each site what tries again inside it: that shows only once all are told.
fn nest(krate: &Crate, knowledge: &Knowledge, memo: &Memo, items: &[ItemRef], parts: &mut [Found]) {
    let mut told = nested::Told::new();
    for (at, part) in items.iter().zip(parts.iter()) {
        told.insert(*at, part.sites.iter().filter(|site| site.kind.is_real()).collect());
    }
    let inside: Vec<Vec<Option<nested::Nested>>> = items
        .par_iter()
        .map(|at| {
            let of_item = || {
                let near = Rc::new(Neighbours::default());
                let body = krate.body(*at).filter(|_| told.get(at).is_some_and(|sites| !sites.is_empty()));
                let cx = body.map(|body| Context::new(krate, knowledge, memo, &near, *at, body));
                cx.map(|cx| nested::inside(&cx, &told))
            };
            catch_unwind(AssertUnwindSafe(of_item)).ok().flatten().unwrap_or_default()
        })
        .collect();
    for (part, inside) in parts.iter_mut().zip(inside) {
        let real = part.sites.iter_mut().filter(|site| site.kind.is_real());
        for (site, nested) in real.zip(inside) {
            if let Some(nested) = nested {
                nested.fill(site);
            }
        }
    }
}

/// A constant may hold a policy, and nothing else: one that holds none is no body that was asked.
fn of_constant(krate: &Crate, knowledge: &Knowledge, memo: &Memo, at: ItemRef) -> Found {
    let near = Rc::new(Neighbours::default());
    let sites: Vec<Site> = krate
        .body(at)
        .map(|body| library::of_body(&Context::new(krate, knowledge, memo, &near, at, body)))
        .unwrap_or_default();
    Found { bodies: usize::from(!sites.is_empty()), sites, ..Found::default() }
}

/// Whether a place lies in another of the same file.
fn within(inner: &Place, outer: &Place) -> bool {
    outer.start_byte <= inner.start_byte && inner.end_byte <= outer.end_byte
}

/// A body that made us panic: a problem of that file, and the run goes on.
fn broken(krate: &Crate, at: ItemRef) -> Found {
    let mut found = Found { bodies: 1, ..Found::default() };
    found.unfollowed.extend(blind::unfollowed(krate, at, None, Blindness::Failure));
    if let (Some(file), Some(item)) = (krate.file(at), krate.item(at)) {
        let place = file.place(item.span);
        found.problems.push(Problem {
            path: place.path.to_string(),
            line: place.line,
            column: place.column,
            message: format!(
                "internal error while reading `{}`: it is not analysed; please report this",
                item.name
            ),
            fatal: false,
        });
    }
    found
}
