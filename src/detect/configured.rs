//! Policies of the crate's own types, told where they are given their numbers: `const REGION: Backoff = Backoff::new(2, 500, 10);`.
//! That holds once it is known which of the crate's types are policies, so it comes after all sites. What a loop knows of its policy is told there.

use super::context::{Callee, Context, Neighbours};
use super::delay::{self, Amount, Env, Eval, MOST_ATTEMPTS, Replay};
use super::memo::Memo;
use super::{Found, schedules, sites, within};
use crate::body::{ExprId, ExprKind, Ty};
use crate::knowledge::{Knowledge, says};
use crate::model::{BoundKind, Fact, Growth, Kind, Place, Site};
use crate::resolve::{Crate, ItemRef, peeled};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// Functions and constants that are looked into; where more speak of the crate's policy types, none is.
const MOST_PLACES: usize = 200;

/// Structs in structs that are looked into for a policy.
const MOST_DEPTH: u32 = 4;

/// The policy types of a crate by their paths.
type Types = BTreeMap<Vec<String>, PolicyType>;

/// What is known of a policy type.
#[derive(Default)]
struct PolicyType {
    /// The methods that are asked for a delay.
    asked: Vec<ItemRef>,
    /// How all policies of the type are spread is told at one of them.
    is_told: bool,
}

/// The policies of the crate's own types that it builds with numbers, outside of tests.
pub(super) fn of_crate(
    krate: &Crate,
    knowledge: &Knowledge,
    memo: &Memo,
    items: &[ItemRef],
    parts: &[Found],
) -> Vec<Site> {
    let mut types = Types::new();
    for (at, part) in items.iter().zip(parts) {
        let is_policy = |site: &Site| !site.in_test && matches!(site.kind, Kind::Schedule | Kind::Helper);
        let tells = |site: &Site| site.kind == Kind::Schedule && site.delay.jitter.is_known();
        if part.sites.iter().any(is_policy)
            && let Some(path) = policy_type(krate, knowledge, *at)
        {
            let ty = types.entry(path).or_default();
            ty.asked.push(*at);
            ty.is_told |= part.sites.iter().any(tells);
        }
    }
    let names: Vec<&String> = types.keys().filter_map(|path| path.last()).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let places: Vec<ItemRef> =
        krate.items().map(|(at, _)| at).filter(|at| may_build(krate, *at, &names)).collect();
    if places.len() > MOST_PLACES {
        return Vec::new();
    }
    let of_item = |at: &ItemRef| {
        let told = || {
            let near = Rc::new(Neighbours::default());
            let body = krate.body(*at)?;
            Some(of_body(&Context::new(krate, knowledge, memo, &near, *at, body), &types))
        };
        // the body has its sites, and its problem, from the first reading
        catch_unwind(AssertUnwindSafe(told)).ok().flatten()
    };
    let mut found: Vec<Site> = places.par_iter().filter_map(of_item).flatten().collect();
    let told: Vec<&Place> = parts.iter().flat_map(|part| &part.sites).map(|site| &site.place).collect();
    let is_told = |place: &Place| {
        told.iter().any(|other| other.path == place.path && (within(other, place) || within(place, other)))
    };
    found.retain(|site| !is_told(&site.place));
    found
}

/// The type that a method is of, where its name says that it is a policy.
fn policy_type(krate: &Crate, knowledge: &Knowledge, at: ItemRef) -> Option<Vec<String>> {
    krate.signature(at)?.receiver?;
    let ty = own_type(krate, at)?;
    let says_so = says(&knowledge.words.retry, ty.name()) || says(&knowledge.words.delay, ty.name());
    says_so.then_some(ty.path)
}

fn own_type(krate: &Crate, at: ItemRef) -> Option<Ty> {
    krate.self_type(at).filter(|ty| !ty.path.is_empty())
}

/// Whether an item outside of tests speaks of one of these types, or is a member of it.
fn may_build(krate: &Crate, at: ItemRef, names: &[&String]) -> bool {
    let (Some(item), Some(file)) = (krate.item(at), krate.file(at)) else { return false };
    let text = file.slice(item.span);
    item.body.is_some()
        && !file.context_only
        && !krate.is_test(at)
        && (names.iter().any(|name| text.contains(name.as_str()))
            || text.contains("Self")
                && own_type(krate, at).is_some_and(|ty| names.iter().any(|name| *name == ty.name())))
}

fn of_body(cx: &Context<'_>, types: &Types) -> Vec<Site> {
    let mut told: Vec<(ExprId, Site)> = Vec::new();
    for (id, _) in cx.body.exprs() {
        let Some(ty) = built_type(cx, id).and_then(|ty| types.get(&ty.path)) else { continue };
        if !gives_numbers(cx, id) {
            continue;
        }
        // a loop that asks the policy tells what it knows of it
        let asks = |at| matches!(cx.callee(at), Callee::Own(item) if ty.asked.contains(&item));
        let is_part = cx.around(id).any(|around| told.iter().any(|(outer, _)| *outer == around));
        if is_part || cx.body.exprs().any(|(at, _)| asks(at)) {
            continue;
        }
        told.extend(site(cx, id, ty).map(|site| (id, site)));
    }
    told.into_iter().map(|(_, site)| site).collect()
}

/// The type of what an expression builds.
fn built_type(cx: &Context<'_>, id: ExprId) -> Option<Ty> {
    match &cx.body.expr(id).kind {
        ExprKind::Call(..) => {
            let Callee::Own(item) = cx.callee(id) else { return None };
            let signature = cx.krate.signature(item).filter(|it| it.receiver.is_none())?;
            let made = cx.krate.full_type(item, signature.ret.as_ref()?);
            let may_fail = matches!(made.name(), "Option" | "Result");
            let made = if may_fail { made.args.first()? } else { &made };
            Some(peeled(made).clone())
        }
        // of what a constructor is given, its callers tell
        ExprKind::Struct(lit) if cx.body.params.is_empty() && cx.body.receiver.is_none() => {
            let written = Ty { path: lit.path.segments.clone(), ..Ty::default() };
            Some(cx.krate.full_type(cx.at, &written))
        }
        _ => None,
    }
}

/// Whether an expression builds something with numbers that are written there.
fn gives_numbers(cx: &Context<'_>, id: ExprId) -> bool {
    match &cx.body.expr(id).kind {
        ExprKind::Struct(lit) => lit.fields.iter().any(|(_, value)| is_written(cx, *value)),
        _ => cx.args(id).iter().any(|arg| is_written(cx, *arg)),
    }
}

/// Whether a value is a number or holds one.
fn is_written(cx: &Context<'_>, value: ExprId) -> bool {
    fn holds_number(val: &Amount) -> bool {
        val.sized && !val.unknown
            || val.forms.iter().flat_map(|form| &form.fields).any(|(_, part)| holds_number(part))
    }
    holds_number(&Eval::new(cx, Env::default()).eval(value))
}

fn site(cx: &Context<'_>, id: ExprId, ty: &PolicyType) -> Option<Site> {
    let mut site = sites::begin(cx, id, Kind::Library)?;
    site.why.push(cx.evidence(id, "builds a retry policy of the crate"));
    let replay = delays(cx, id, &ty.asked)?;
    // the policy ends where it gives no more
    let ends =
        replay.others.is_empty() && !replay.waits.is_empty() && replay.waits.len() < MOST_ATTEMPTS as usize;
    let known = replay.waits.iter().flatten().all(|wait| !wait.unknown);
    let attempts = (ends && known).then_some(replay.waits.len() + 1);
    let shown = delay::read(&replay, attempts.and_then(|most| u32::try_from(most).ok()));
    let evidence = |text: &str| cx.evidence(id, text);
    let grows = shown.growth.is_some_and(Growth::grows);
    schedules::say_delays(&mut site, shown, "gives these delays", evidence);
    if let Some(attempts) = attempts {
        site.attempts.kind = Fact::Known(BoundKind::Bounded, evidence("there are no more delays then"));
        site.attempts.max = Fact::Known(attempts as f64, evidence("one more than there are delays"));
    }
    if grows && !ty.is_told && !is_told_in_a_loop(cx, &ty.asked) {
        site.operation.remote = Fact::Known(true, evidence("what waits for it is retried"));
    }
    Some(site)
}

/// The delays of the policy that an expression builds: what it answers when it is asked again and again, or those of the retry crate's policy in it.
fn delays(cx: &Context<'_>, id: ExprId, asked: &[ItemRef]) -> Option<Replay> {
    let inner =
        asked.iter().find_map(|asked| cx.inside(*asked).filter(|inner| schedules::gives_delays(inner)));
    let answered = inner.map(|inner| {
        delay::for_each(true, |choices| {
            let env = || Env { choices: choices.clone(), ..Env::default() };
            let val = Eval::new(cx, env()).eval(id);
            let fields = Eval::new(&inner, env()).fields_of_self(&val);
            until_the_end(schedules::call_with(&inner, choices, fields))
        })
    });
    let is_known = |replay: &Replay| replay.waits.iter().flatten().all(|wait| !wait.unknown);
    let held = || held_policy(&Eval::new(cx, Env::default()).eval(id), MOST_DEPTH);
    // one that gives no delay at all never tries again
    if answered.as_ref().is_some_and(|replay| replay.waits.is_empty()) {
        return None;
    }
    answered.filter(is_known).or_else(held).or_else(|| Some(Replay::default()))
}

/// The delays before the first that there may not be: `if self.tried >= self.most { return None; }`.
fn until_the_end(mut replay: Replay) -> Replay {
    let end =
        replay.waits.iter().position(|wait| wait.as_ref().is_none_or(|wait| wait.optional || wait.absent));
    if let Some(end) = end.filter(|end| *end > 0) {
        replay.waits.truncate(end);
    }
    replay
}

/// The delays of the retry crate's policy that a value holds.
fn held_policy(val: &Amount, left: u32) -> Option<Replay> {
    let left = left.checked_sub(1)?;
    let mut parts = val.forms.iter().flat_map(|form| &form.fields);
    delay::delays_of(val).or_else(|| parts.find_map(|(_, part)| held_policy(part, left)))
}

/// Whether who asks a policy of this type knows which one it is, and so tells what holds of it.
fn is_told_in_a_loop(cx: &Context<'_>, asked: &[ItemRef]) -> bool {
    let knows = |(caller, call): (ItemRef, ExprId)| {
        let Some(inner) = cx.inside(caller).filter(|_| !cx.krate.is_test(caller)) else { return false };
        let ExprKind::Method(method) = &inner.body.expr(call).kind else { return true };
        !Eval::new(&inner, Env::default()).eval(method.receiver).forms.is_empty()
    };
    asked.iter().any(|item| cx.callers_of(*item).into_iter().any(knows))
}
