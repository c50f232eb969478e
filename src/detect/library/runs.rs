//! Who runs a policy that is built in one place and run in another: every driver of the crate is followed back to what builds its policy.
//! Asked for the whole crate once; it answers only whether some run is around a remote call.

use super::attributes;
use super::drivers::{blocks, driver_of, operation_at, operation_of, policy_at};
use super::origin::{Followed, origin};
use crate::body::ExprId;
use crate::detect::context::{Context, Neighbours};
use crate::detect::memo::Written;
use crate::detect::{remote::Answer, sites};
use crate::model::{Confidence, Kind, Place, Site};
use crate::source::ItemKind;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What builds policies, with the place at which one is run around a remote call, where there is such a place.
pub(crate) type Runs = BTreeMap<Written, Option<Around>>;

/// A place at which a policy is run around a remote call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Around {
    place: Option<Place>,
    /// It is known that the call is remote, and not only likely.
    certain: bool,
}

/// Where a policy is run.
#[derive(PartialEq)]
pub(super) enum Run {
    /// Nobody in the crate runs it, as far as it can be followed.
    Nowhere,
    /// Not known to be around a remote call.
    Somewhere,
    /// Around a remote call, here.
    Remote(Around),
}

impl Run {
    /// Writes into a site what the run tells of the operation.
    pub(super) fn say(self, site: &mut Site) {
        let Self::Remote(Around { place, certain }) = self else { return };
        let why = if certain {
            "runs it around a remote call"
        } else {
            "a retry crate runs it here, around nothing that is known to stay on the machine"
        };
        sites::say_remote(site, Some(&Answer { is: true, certain, why: why.into() }), place);
    }
}

/// Where a policy that is built in an expression of the body at hand is run.
pub(super) fn runs_of(cx: &Context<'_>, is_made_here: impl Fn(ExprId) -> bool) -> Run {
    let mut found = Run::Nowhere;
    let from = (cx.at, ExprId(0));
    let to = (cx.at, ExprId(u32::MAX));
    for ((_, made), remote) in all(cx).range(from..=to) {
        if is_made_here(*made) {
            match remote {
                Some(around) if around.certain => return Run::Remote(around.clone()),
                Some(around) => found = Run::Remote(around.clone()),
                None if found == Run::Nowhere => found = Run::Somewhere,
                None => {}
            }
        }
    }
    found
}

fn all<'a>(cx: &Context<'a>) -> &'a Runs {
    cx.memo.runs.get_or_init(|| find(cx))
}

fn find(cx: &Context<'_>) -> Runs {
    let mut runs = Runs::new();
    let depends = |name: &String| cx.krate.is_dependency(name);
    let tables = cx.knowledge.libraries.tables();
    if !tables.iter().any(|table| table.crates.iter().any(depends)) {
        return runs;
    }
    let by_attribute = tables.iter().any(|table| {
        table.crates.iter().any(depends) && table.policies.iter().any(|policy| !policy.attributes.is_empty())
    });
    for (at, item) in cx.krate.items() {
        if item.kind != ItemKind::Fn
            || item.in_test
            || !(item.tells.words || by_attribute && item.attributes.start < item.attributes.end)
        {
            continue;
        }
        let Some(body) = cx.krate.body(at) else { continue };
        let near = Rc::new(Neighbours::default());
        let cx = Context::new(cx.krate, cx.knowledge, cx.memo, &near, at, body);
        for (policy, site) in attributes::runs(&cx) {
            let place = || site.why.first().and_then(|shown| shown.place.clone());
            let around = site
                .operation
                .remote
                .is(&true)
                .then(|| Around { place: place(), certain: site.confidence == Confidence::High });
            note(&mut runs, policy, around.as_ref());
        }
        for (call, _) in body.exprs() {
            let Some((_, driver)) = driver_of(&cx, call) else { continue };
            let Some(policy) = policy_at(&cx, driver, call).and_then(|policy| origin(&cx, policy)) else {
                continue;
            };
            let Some(mut site) = crate::detect::sites::begin(&cx, call, Kind::Library) else { continue };
            operation_of(&cx, operation_at(&cx, driver, call), blocks(&cx, driver, call), &mut site);
            let around = (driver.remote || site.operation.remote.is(&true)).then(|| Around {
                place: cx.place(call),
                certain: driver.remote || site.confidence == Confidence::High,
            });
            note(&mut runs, policy, around.as_ref());
        }
    }
    runs
}

fn note(runs: &mut Runs, policy: Followed<'_>, around: Option<&Around>) {
    for made in policy.made {
        let known = runs.entry(made).or_default();
        if known.as_ref().is_none_or(|known| !known.certain) {
            *known = around.cloned().or(known.take());
        }
    }
}
