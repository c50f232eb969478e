//! Functions that compute a delay for others: from an attempt's number, or from state that they step on each call.
//! Faults of such a delay are reported there, once, unless a loop of the same file that calls it has them already.

use super::context::{Callee, Context};
use super::delay::{self, Amount, Choices, Env, Eval, Key, MOST_ATTEMPTS, Replay, Shown};
use super::{jitter, sites, waits_at};
use crate::body::{ExprId, ExprKind, Local, Param, PatKind, Receiver, Ty};
use crate::knowledge::{Role, is_one_of, says};
use crate::model::{BoundKind, Confidence, Evidence, Fact, Growth, Jitter, Kind, Site};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The schedule that a body computes, where it does.
pub(crate) fn of_body(cx: &Context<'_>) -> Option<Site> {
    let item = cx.krate.item(cx.at)?;
    let words = cx.words();
    let ret = cx.body.ret.as_ref()?;
    let in_seconds = gives_duration(ret);
    let named = says(&words.delay, &item.name) || says(&words.retry, &item.name);
    let around = item
        .parent
        .and_then(|parent| cx.krate.item(crate::resolve::ItemRef { file: cx.at.file, item: parent }));
    let owner_named =
        around.is_some_and(|owner| says(&words.delay, &owner.name) || says(&words.retry, &owner.name));
    // a time at which to try again
    let at_a_time = says(&words.retry, &item.name) && gives_time(ret);
    if !(named || owner_named) || !(in_seconds || at_a_time || named && is_number(ret)) {
        return None;
    }
    let replay = call_repeatedly(cx);
    let mut shown = delay::read(&replay, None);
    let grows = shown.growth.is_some_and(Growth::grows);
    // one more each time, and of no unit: the attempt's number, and no delay
    if !in_seconds && !at_a_time && grows && counts_up(&replay) {
        return None;
    }
    // what does not grow, or cannot be followed, is listed where its form says that it computes: a policy's method, a count, a draw
    let steps_on = steps_on(cx);
    let a_delay =
        says(&words.delay, &item.name) && (owner_named || steps_on || says(&words.retry, &item.name));
    if !grows && !((steps_on || computes(cx)) && (in_seconds || at_a_time || a_delay)) {
        return None;
    }
    let mut site = sites::begin(cx, cx.body.root, Kind::Schedule)?;
    site.place = cx.krate.file(cx.at)?.place(item.span);
    site.confidence = if named && in_seconds { Confidence::High } else { Confidence::Medium };
    if !in_seconds {
        site.reasons.push("it gives a plain number, which may be no time".into());
    } else if !named {
        site.reasons.push("only its type's name says that it is a delay".into());
    }
    site.handles = waits_at::of_schedule(cx, ret);
    let evidence = |text: &str| cx.evidence(cx.body.root, text);
    site.why.push(evidence("computes the delay for others"));
    let users = users(cx);
    if grows && site.confidence == Confidence::High && users == Users::Nobody {
        site.operation.remote = Fact::Known(true, evidence("what waits for it is retried"));
    }
    // of a type that only sounds like a duration, what its methods make is a guess, unless it shows
    let certain = grows || !matches!(ret.name(), name if name.ends_with("Duration") && name != "Duration");
    shown.growth = shown.growth.filter(|_| certain);
    shown.jitter = shown.jitter.filter(|jitter| *jitter != Jitter::None || users != Users::Random);
    // what another function of the crate cuts off is told there
    let clipped = shown.clipped.or_else(|| delay::clips_in_a_variant(&replay).then_some(true));
    // and a cap that callers give is reached or not by what they give
    let told_there = hands_on(cx) || users != Users::Nobody && is_capped_by_callers(cx);
    if let Some(clipped) = clipped.filter(|_| !told_there) {
        site.delay.jitter_clipped = Fact::Known(clipped, evidence("the cap cuts the random part off"));
    }
    // numbers of a function that gives no `Duration` have no unit that we know
    if !in_seconds {
        (shown.first_s, shown.cap_s, shown.schedule) = (None, None, None);
    }
    let growth = if grows { "grows from one call to the next" } else { "the same from one call to the next" };
    say_delays(&mut site, shown, growth, evidence);
    if never_ends(cx, &replay) {
        site.attempts.kind = Fact::Known(BoundKind::Unbounded, evidence("there is always a next one"));
    } else if is_only_none(cx) {
        site.delay.growth = Fact::Known(Growth::None, evidence("there is never a next one"));
        site.attempts.kind = Fact::Known(BoundKind::Bounded, evidence("there is never a next one"));
    }
    if let Some(shown) = jitter::within(cx, cx.body.root).filter(|_| users == Users::Nobody) {
        site.delay.jitter_repeats = Fact::Known(true, shown);
    }
    // where others call it, the overflow is told at their loops; of one of several behind a trait they know nothing
    let is_told_here = users == Users::Nobody || is_one_of_several(cx);
    if let Some((attempt, overflow)) = replay.overflow.as_ref().filter(|_| is_told_here) {
        let at = overflow.at.clone();
        site.delay.overflows_at = Fact::Known(f64::from(*attempt), at.clone());
        site.delay.overflow = Fact::Known(overflow.how, at);
    }
    Some(site)
}

/// Writes what a sequence of delays shows into a site; `growth` tells where it was seen that they grow.
pub(super) fn say_delays(site: &mut Site, shown: Shown, growth: &str, evidence: impl Fn(&str) -> Evidence) {
    if let Some(known) = shown.growth {
        site.delay.growth = Fact::Known(known, evidence(growth));
    }
    if let Some(jitter) = shown.jitter {
        let text = if jitter == Jitter::None { "no random part in it" } else { "with a random part" };
        site.delay.jitter = Fact::Known(jitter, evidence(text));
    }
    if let Some(capped) = shown.capped {
        site.delay.capped =
            Fact::Known(capped, evidence(if capped { "capped" } else { "nothing caps this" }));
    }
    site.delay.first_s = shown.first_s.map_or(Fact::Unknown, Fact::known);
    site.delay.cap_s = shown.cap_s.map_or(Fact::Unknown, Fact::known);
    site.schedule = shown.schedule.map_or(Fact::Unknown, Fact::known);
}

/// Whether whoever calls it has only a trait that other types of the crate implement too.
fn is_one_of_several(cx: &Context<'_>) -> bool {
    let calls = cx.callers().into_iter().any(|(item, _)| cx.krate.item(item).is_some_and(|it| !it.in_test));
    !calls && cx.krate.declaration(cx.at).is_some_and(|declared| cx.krate.implementations(declared).len() > 1)
}

/// `delay.min(max)`, where `max` is a parameter.
fn is_capped_by_callers(cx: &Context<'_>) -> bool {
    let is_param = |id: ExprId| cx.body.local(id).is_some_and(|local| cx.body.param(local).is_some());
    cx.body.exprs().any(|(id, _)| {
        matches!(cx.call_name(id), "min" | "clamp") && cx.args(id).iter().any(|arg| is_param(*arg))
    })
}

/// Whether a function gives one more each time.
fn counts_up(replay: &Replay) -> bool {
    let known: Vec<f64> = replay.waits.iter().flatten().map(|wait| wait.raw).take(4).collect();
    known.len() > 2
        && known.iter().zip(known.iter().skip(1)).all(|(one, next)| (next - one - 1.0).abs() < 1e-9)
}

/// Whether a policy is asked for its next delay: the form tells it, whatever it answers.
fn steps_on(cx: &Context<'_>) -> bool {
    let name = cx.krate.item(cx.at).map_or("", |item| item.name.as_str());
    cx.body.receiver == Some(Receiver::Mut)
        && cx.body.params.is_empty()
        && says(&cx.words().delay, name)
        && crate::knowledge::parts(name).first().is_some_and(|part| part == "next")
}

/// Whether a policy that steps itself gives a delay however often it is asked.
fn never_ends(cx: &Context<'_>, replay: &Replay) -> bool {
    let alone = std::iter::once(replay).chain(&replay.others);
    let always = |replay: &Replay| {
        replay.waits.len() == MOST_ATTEMPTS as usize
            && replay.waits.iter().flatten().all(|wait| !wait.unknown && !wait.optional && !wait.absent)
    };
    let may_end = cx.body.exprs().any(|(_, expr)| match &expr.kind {
        ExprKind::Try(_) => true,
        ExprKind::Path(path) => matches!(path.last(), "None" | "Err"),
        _ => false,
    });
    cx.body.receiver.is_some()
        && (cx.body.receiver == Some(Receiver::Mut) || cx.krate.declaration(cx.at).is_some())
        && cx.body.params.is_empty()
        && alone.into_iter().all(always)
        && !may_end
}

/// Whether a body only picks the function of this crate that computes the delay.
fn hands_on(cx: &Context<'_>) -> bool {
    let words = cx.words();
    let mut asked = false;
    let plain = cx.body.exprs().all(|(id, expr)| match &expr.kind {
        ExprKind::Call(..) | ExprKind::Method(_) => {
            let own = matches!(cx.callee(id), Callee::Own(_));
            asked |= own;
            own || cx.args(id).is_empty() || !says(&words.delay, cx.call_name(id))
        }
        // whether there is a delay at all is no arithmetic on it
        ExprKind::Binary(op, left, right) => {
            op.compares() && ![left, right].iter().any(|side| says(&words.delay, &cx.base_text(**side)))
        }
        ExprKind::Assign(..) | ExprKind::AssignOp(..) => false,
        _ => true,
    });
    plain && asked && !cx.body.exprs().any(|(id, _)| matches!(cx.role(id), Some(Role::Random { .. })))
}

/// Whether a body computes a delay: draws, multiplies, counts, or steps its own state.
fn computes(cx: &Context<'_>) -> bool {
    let counted = cx.body.params.iter().any(|param| says(&cx.words().attempts, named_as(cx, param)));
    let stepped = cx.body.receiver == Some(Receiver::Mut);
    let draws = cx.body.exprs().any(|(id, _)| matches!(cx.role(id), Some(Role::Random { .. })));
    draws
        || counted
        || stepped
            && cx.body.exprs().any(|(_, expr)| {
                matches!(expr.kind, ExprKind::Assign(..) | ExprKind::AssignOp(..) | ExprKind::Binary(..))
            })
}

/// Who calls the function, as far as this crate shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Users {
    /// Nobody that we see: through a trait, from outside.
    Nobody,
    /// Functions that draw something random: the jitter may be theirs.
    Random,
    /// Others: what they do with the delay is told at their sites.
    Some,
}

fn users(cx: &Context<'_>) -> Users {
    // who has only the trait calls its declaration
    let by_trait = cx.krate.declaration(cx.at).map_or_else(Vec::new, |declared| cx.callers_of(declared));
    let callers: Vec<_> = cx
        .callers()
        .into_iter()
        .chain(by_trait)
        .filter(|(item, _)| *item != cx.at && cx.krate.item(*item).is_some_and(|it| !it.in_test))
        .filter(|(item, call)| cx.inside(*item).is_none_or(|caller| !is_callback(&caller, *call)))
        .collect();
    if callers.is_empty() {
        return Users::Nobody;
    }
    let random = callers.iter().any(|(item, _)| {
        cx.inside(*item).is_some_and(|caller| {
            caller.body.exprs().any(|(id, _)| matches!(caller.role(id), Some(Role::Random { .. })))
        })
    });
    if random { Users::Random } else { Users::Some }
}

/// Whether a call stands in a closure that only hands its own parameter on: who calls that closure is not seen.
fn is_callback(caller: &Context<'_>, call: ExprId) -> bool {
    let closure = caller.around(call).find_map(|at| match &caller.body.expr(at).kind {
        ExprKind::Closure { params, .. } => Some(params),
        _ => None,
    });
    closure.is_some_and(|params| {
        let own = |arg: &ExprId| {
            caller.body.local(*arg).is_some_and(|local| params.iter().any(|param| param.pat == local))
        };
        !params.is_empty() && caller.args(call).iter().all(own)
    })
}

/// `fn next_delay(&mut self) -> Option<Duration> { None }`: a policy that never tries again.
fn is_only_none(cx: &Context<'_>) -> bool {
    let ExprKind::Block(block) = &cx.body.expr(cx.body.root).kind else { return false };
    block.stmts.is_empty()
        && block.tail.is_some_and(
            |tail| matches!(&cx.body.expr(tail).kind, ExprKind::Path(path) if path.single() == Some("None")),
        )
}

/// Calls the function again and again: parameters that count go up by one, fields keep what it gave them.
fn call_repeatedly(cx: &Context<'_>) -> Replay {
    delay::for_each(true, |choices| call_with(cx, choices, BTreeMap::new()))
}

/// The same with fields that hold something when it is called first.
pub(super) fn call_with(cx: &Context<'_>, choices: &Choices, mut fields: BTreeMap<Key, Amount>) -> Replay {
    let words = cx.words();
    let mut replay = Replay::default();
    let counted: Vec<_> = cx
        .body
        .params
        .iter()
        .filter(|param| {
            let number = param.ty.as_ref().is_some_and(is_number);
            let name = named_as(cx, param);
            number && (says(&words.attempts, name) || is_one_of(&words.counter, name))
        })
        .map(|param| param.pat)
        .collect();
    // beside a count, a delay may be anything: its name tells
    let is_previous = |param: &&Param| {
        let name = named_as(cx, param).trim_start_matches('_');
        counted.is_empty() || name.starts_with("last") || name.starts_with("prev")
    };
    let previous: Vec<_> = cx
        .body
        .params
        .iter()
        .filter(|param| param.ty.as_ref().is_some_and(gives_duration))
        .filter(is_previous)
        .map(|param| param.pat)
        .collect();
    let steps = if counted.is_empty() { stepped_elsewhere(cx) } else { Vec::new() };
    let drawn = drawn_by_callers(cx);
    let mut last: Option<Amount> = None;
    for attempt in 1..=MOST_ATTEMPTS {
        let mut env = Env { choices: choices.clone(), ..Env::default() };
        env.vars.clone_from(&fields);
        for local in &counted {
            env.vars.insert(Key::Local(*local), Amount { moves: true, ..Amount::exact(f64::from(attempt)) });
        }
        // `fn next(current: Duration) -> Duration`: what it gave is what it gets
        if let ([only], Some(last)) = (previous.as_slice(), &last) {
            env.vars.insert(Key::Local(*only), Amount { moves: true, ..last.clone() });
        }
        for (local, given) in &drawn {
            env.vars.insert(Key::Local(*local), given.clone());
        }
        let mut eval = Eval::new(cx, env);
        eval.expect_steps();
        // state that another function of the type steps: a failure that is reported to it
        if attempt > 1 {
            for (field, inner, step) in &steps {
                eval.step_elsewhere(inner, *step, field);
            }
        }
        let val = eval.run();
        // no delay is the end of it
        if val.absent {
            return replay;
        }
        if val.unknown {
            return Replay { waits: vec![Some(val)], ..Replay::default() };
        }
        if replay.overflow.is_none()
            && let Some(overflow) = eval.env.overflow
            && delay::can_come(&replay.waits)
        {
            replay.overflow = Some((attempt, overflow));
        }
        fields = eval.env.vars.into_iter().filter(|(key, _)| matches!(key, Key::Field(_))).collect();
        last = Some(val.clone());
        replay.waits.push(Some(val));
    }
    replay
}

/// Whether a function gives delays.
pub(super) fn gives_delays(cx: &Context<'_>) -> bool {
    cx.body.ret.as_ref().is_some_and(gives_duration)
}

/// A parameter's name, where it is a plain one.
fn named_as<'a>(cx: &Context<'a>, param: &Param) -> &'a str {
    match &cx.body.pat(param.pat).kind {
        PatKind::Bind { name, .. } => name,
        _ => "",
    }
}

/// Parameters for which every caller gives a draw: `backoff(attempt, rng.random())`.
fn drawn_by_callers(cx: &Context<'_>) -> Vec<(Local, Amount)> {
    let fractions = cx.body.params.iter().enumerate().filter(|(_, param)| {
        param.ty.as_ref().is_some_and(|ty| matches!(ty.name(), "f32" | "f64" | "u64" | "u32"))
    });
    fractions
        .filter_map(|(at, param)| {
            let given = cx.given(at)?.into_iter();
            let given: Vec<Amount> =
                given.map(|(caller, arg)| Eval::new(&caller, Env::default()).eval(arg)).collect();
            let all = given.iter().all(|val| val.drawn.is_some() && !val.unknown);
            let (first, rest) = given.split_first().filter(|_| all)?;
            let joined = rest.iter().fold(first.clone(), |all, val| all.or(val));
            matches!(cx.body.pat(param.pat).kind, PatKind::Bind { .. })
                .then(|| (cx.body.local_of(param.pat), joined))
        })
        .collect()
}

/// Steps of the fields that a body computes with and does not write, each with the body that it is in. A mere getter computes nothing.
fn stepped_elsewhere<'a>(cx: &Context<'a>) -> Vec<(String, Rc<Context<'a>>, ExprId)> {
    let mut found = Vec::new();
    let mut fields: Vec<&str> = Vec::new();
    let computes = cx.body.exprs().any(|(_, expr)| match &expr.kind {
        ExprKind::Binary(..) => true,
        ExprKind::Method(call) => !call.args.is_empty(),
        _ => false,
    });
    for (_, expr) in cx.body.exprs().filter(|_| computes) {
        if matches!(expr.kind, ExprKind::Assign(..) | ExprKind::AssignOp(..)) {
            return Vec::new();
        }
        if let ExprKind::Field(base, name) = &expr.kind
            && matches!(&cx.body.expr(*base).kind, ExprKind::Path(path) if path.single() == Some("self"))
            && !fields.contains(&name.as_str())
        {
            fields.push(name);
            let Some(ty) = cx.krate.type_of(cx.at, cx.body, *base) else { continue };
            // a second step of the same field is another way to the same end
            let Some((item, step)) = cx.krate.field_steps(&ty, name).first().copied() else { continue };
            found.extend(cx.inside(item).map(|inner| (name.clone(), inner, step)));
        }
    }
    found
}

fn gives_duration(ty: &Ty) -> bool {
    ty.name().ends_with("Duration")
        || ty.name() == "TimeDelta"
        || matches!(ty.name(), "Option" | "Result") && ty.args.first().is_some_and(gives_duration)
}

fn gives_time(ty: &Ty) -> bool {
    matches!(ty.name(), "DateTime" | "OffsetDateTime" | "Instant" | "SystemTime")
        || ty.name() == "Option" && ty.args.first().is_some_and(gives_time)
}

fn is_number(ty: &Ty) -> bool {
    matches!(ty.name(), "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i32" | "i64" | "f32" | "f64")
        || ty.name() == "Option" && ty.args.first().is_some_and(is_number)
}
