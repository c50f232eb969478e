//! Replays the failing trips of a loop, attempt by attempt: which of them are possible, how long they wait, when arithmetic overflows, when a counter ends it.
//! It decides nothing about what the numbers mean.

use super::amount::{Amount, Cap};
use super::choices::{Choices, for_each};
use super::eval::{Env, Eval, Key, Overflowed};
use super::sequences::item_at;
use crate::body::{ExprId, ExprKind, Local, MacroInput};
use crate::detect::context::{Callee, Context};
use crate::detect::flow::{Event, LoopRecord, State, Tag, Verdict};
use crate::detect::immediate::is_limiter;
use crate::detect::summary::summary;
use crate::knowledge::Role;
use std::collections::BTreeMap;

/// Attempts that are replayed: enough for a `Duration` of a millisecond that doubles to overflow.
pub(crate) const MOST_ATTEMPTS: u32 = 100;

/// Attempts that show how a delay grows.
const ENOUGH_ATTEMPTS: u32 = 8;

/// What the failing trips do, attempt by attempt.
#[derive(Clone, Debug, Default)]
pub(crate) struct Replay {
    /// What is waited after attempt 1, 2, …; `None` where that trip does not wait.
    pub(crate) waits: Vec<Option<Amount>>,
    /// What would be waited after those if nothing ended them: growth shows late.
    pub(crate) beyond: Vec<Option<Amount>>,
    /// The attempts that can happen, where numbers end them.
    pub(crate) max: Option<u32>,
    /// The attempt after which arithmetic leaves its range, and where.
    pub(crate) overflow: Option<(u32, Overflowed)>,
    /// The waits of the trips that were taken, by call.
    pub(crate) calls: Vec<ExprId>,
    /// The same for other answers to what a configuration decides.
    pub(crate) others: Vec<Replay>,
    /// A delay came from a policy that is made elsewhere: only its type is known, or the crate gives others in other places.
    pub(crate) made_elsewhere: bool,
    /// The waits are one round each, and no sequence.
    pub(crate) apart: bool,
}

/// Replays failing trips, each given by its path.
pub(crate) fn replay(cx: &Context<'_>, id: ExprId, record: &LoopRecord, trips: &[&State]) -> Replay {
    let made = for_each(false, |choices| replay_with(cx, id, record, trips, choices, false));
    // where no first attempt is possible, or the paths were thrown together, that may be such a limit as well
    let spoilt = made.max.is_none()
        && match made.waits.as_slice() {
            [] => true,
            [Some(only)] => record.cut && only.unknown,
            _ => false,
        };
    if !spoilt && made.max.is_none_or(|max| max > 1) {
        return made;
    }
    // a limit that lets nothing be tried again is what a configuration begins with, not what anybody wrote a loop for
    let open = for_each(false, |choices| replay_with(cx, id, record, trips, choices, true));
    if open.max.is_none_or(|max| max > 1) { open } else { made }
}

fn replay_with(
    cx: &Context<'_>,
    id: ExprId,
    record: &LoopRecord,
    trips: &[&State],
    choices: &Choices,
    settings_are_open: bool,
) -> Replay {
    let mut made = Replay::default();
    let choices = choices.clone();
    let mut env = Env {
        moving: moving_keys(cx, trips),
        choices,
        settings_are_open,
        may_follow: true,
        ..Env::default()
    };
    // what was bound before the loop: only what the trips do not get anew
    let mut eval = Eval::new(cx, env);
    for event in &record.entry.trace {
        run(&mut eval, *event);
    }
    for key in eval.env.moving.clone() {
        if let Some(val) = eval.env.vars.get_mut(&key) {
            val.moves = true;
        }
    }
    env = eval.env;
    env.overflow = None;
    env.stepped.clear();
    let mut trips: Vec<&State> = trips.to_vec();
    let mut told: Vec<&[Event]> = Vec::new();
    trips.retain(|trip| {
        let new = !told.contains(&trip.trip_events());
        told.push(trip.trip_events());
        new
    });
    let steps = trips.iter().any(|trip| {
        trip.trip_events()
            .iter()
            .any(|event| matches!(event, Event::Assign(_) | Event::Step(_) | Event::Next(_)))
    });
    // where nothing is stepped, unless the wait itself steps something, all attempts are alike; a few show it
    let filled = filled_lists(cx, id);
    let most = if steps || !filled.is_empty() { MOST_ATTEMPTS } else { 40 };
    for attempt in 1..=most {
        for list in &filled {
            // on a trip it is read before or after this failure is added
            let after = Amount::exact(f64::from(attempt));
            let empty = cx.init(*list).is_some_and(|init| is_empty_list(cx, init));
            let held = Amount { lo: after.lo - 1.0, moves: true, sized: empty, either: true, ..after };
            env.vars.insert(Key::Len(*list), held);
        }
        env.by_state.set(false);
        let (mut taken, mut called_before_end) = likeliest(cx, id, &trips, &env, attempt, true);
        if taken.is_none() && attempt == 1 {
            // some trip is the first, whatever its patterns ask
            (taken, called_before_end) = likeliest(cx, id, &trips, &env, attempt, false);
        }
        let Some((after, trip)) = taken else {
            // trips that do not fail come between, and what they do is not replayed
            if env.by_state.get() {
                return Replay { waits: vec![Some(Amount::unknown())], ..made };
            }
            // of paths that were thrown together the tests of one are left: that nothing is ever tried by them shows nothing of the loop
            if attempt == 1 && record.cut && !is_empty_from_start(cx, id, &env) {
                return Replay { waits: vec![Some(Amount::unknown())], ..made };
            }
            let asks = |event: &Event| matches!(event, Event::Bind(..));
            let by_pattern = attempt == 1 && trips.iter().any(|trip| trip.trip_events().iter().any(asks));
            made.max = (!by_pattern).then_some(if called_before_end { attempt } else { attempt - 1 });
            made.beyond = beyond(cx, id, &trips, env, attempt);
            break;
        };
        // the attempts seen until the steps were used up show the policy, what comes after shows nothing
        if attempt > ENOUGH_ATTEMPTS && after.is_spent() {
            break;
        }
        env = after;
        for call in &trip.waits {
            if !made.calls.contains(call) {
                made.calls.push(*call);
            }
        }
        if made.overflow.is_none()
            && let Some(overflow) = &env.overflow
            && can_come(&made.waits)
        {
            made.overflow = Some((attempt, overflow.clone()));
        }
        // what an inner loop waited is not in the trace: how long that was nobody can tell
        let inside = trip.waits.iter().any(|wait| !trip.trip_events().contains(&Event::Wait(*wait)));
        let waited = env.vars.get(&Key::Waited).cloned();
        made.waits.push(if inside { Some(Amount::unknown()) } else { waited });
    }
    made
}

/// Of the trips that are possible at an attempt the one to go on with: one that waits, and longer each time. Also whether an operation was called.
fn likeliest<'t>(
    cx: &Context<'_>,
    id: ExprId,
    trips: &[&'t State],
    env: &Env,
    attempt: u32,
    strict: bool,
) -> (Option<(Env, &'t State)>, bool) {
    let mut taken: Option<(Env, &State)> = None;
    let mut called_before_end = false;
    for trip in trips {
        let mut eval = Eval::new(cx, env.clone());
        eval.env.vars.remove(&Key::Waited);
        eval.env.stepped.clear();
        let (possible, called) = run_trip(&mut eval, id, trip, attempt, strict, false);
        called_before_end |= called;
        if !possible {
            continue;
        }
        let better = taken.as_ref().is_none_or(|(best, than)| {
            let wait = |env: &Env| env.vars.contains_key(&Key::Waited);
            // what is waited inside something else that was called for is the exception
            let own = |trip: &State| trip.waits.iter().any(|wait| !waits_inside(cx, *wait));
            if wait(&eval.env) && wait(best) && own(trip) != own(than) {
                return own(trip);
            }
            wait(&eval.env) && !wait(best)
                || wait(&eval.env) == wait(best)
                    && (grows_more(&eval.env, best) || trip.waits == than.waits && goes_on(&eval.env, best))
        });
        if better {
            taken = Some((eval.env, *trip));
        }
    }
    (taken, called_before_end)
}

/// Whether anybody lives to see this attempt: the waits before it take less than a year, in seconds.
pub(crate) fn can_come(waits: &[Option<Amount>]) -> bool {
    waits
        .iter()
        .flatten()
        .map(|wait| if wait.sized || wait.cap == Cap::No { wait.hi } else { 0.0 })
        .sum::<f64>()
        < 365.0 * 86_400.0
}

/// Goes on past the end, with the trip that waits most.
fn beyond(cx: &Context<'_>, id: ExprId, trips: &[&State], mut env: Env, from: u32) -> Vec<Option<Amount>> {
    let mut waits = Vec::new();
    for attempt in from..from + 8 {
        let mut taken: Option<Env> = None;
        for trip in trips {
            let mut eval = Eval::new(cx, env.clone());
            eval.env.vars.remove(&Key::Waited);
            eval.env.stepped.clear();
            run_trip(&mut eval, id, trip, attempt, false, true);
            let waited = eval.env.vars.contains_key(&Key::Waited);
            if waited && taken.as_ref().is_none_or(|best| grows_more(&eval.env, best)) {
                taken = Some(eval.env);
            }
        }
        let Some(after) = taken else { break };
        env = after;
        waits.push(env.vars.get(&Key::Waited).cloned());
    }
    waits
}

/// Of two possible trips that both wait, the one whose wait is larger when nothing caps it: a constant wait beside a growing one is the exception.
fn grows_more(one: &Env, other: &Env) -> bool {
    match (one.vars.get(&Key::Waited), other.vars.get(&Key::Waited)) {
        // what the server says is the exception too
        (Some(one), Some(other)) if one.told != other.told => other.told,
        (Some(one), Some(other)) => !one.unknown && one.moves && !other.moves,
        _ => false,
    }
}

/// Of two trips with the same wait, the one whose wait is longer: the other began anew (`failures = 0`).
fn goes_on(one: &Env, other: &Env) -> bool {
    match (one.vars.get(&Key::Waited), other.vars.get(&Key::Waited)) {
        (Some(one), Some(other)) => {
            let plain = |wait: &Amount| wait.moves && !wait.unknown && !wait.server && !wait.table;
            plain(one) && plain(other) && one.raw > other.raw
        }
        _ => false,
    }
}

/// Lists that something is added to inside the loop: `errors.push(error)` counts the failures.
fn filled_lists(cx: &Context<'_>, looped: ExprId) -> Vec<Local> {
    let mut found = Vec::new();
    cx.body.walk(looped, &mut |id| {
        if let ExprKind::Method(call) = &cx.body.expr(id).kind
            && matches!(call.name.as_str(), "push" | "push_back")
            && let Some(list) = cx.body.local(call.receiver)
            && !found.contains(&list)
        {
            found.push(list);
        }
        true
    });
    found
}

/// `vec![]`, `Vec::new()`, `Vec::with_capacity(n)`.
fn is_empty_list(cx: &Context<'_>, init: ExprId) -> bool {
    match &cx.body.expr(init).kind {
        ExprKind::Macro(call) => matches!(&call.input, MacroInput::Args(items) if items.is_empty()),
        ExprKind::Call(..) => matches!(cx.call_name(init), "new" | "with_capacity" | "default"),
        _ => false,
    }
}

/// Variables and fields that the trips change.
fn moving_keys(cx: &Context<'_>, trips: &[&State]) -> Vec<Key> {
    let eval = Eval::new(cx, Env::default());
    let mut keys = Vec::new();
    for trip in trips {
        for event in trip.trip_events() {
            if let Event::Assign(id) = event
                && let ExprKind::Assign(left, _) | ExprKind::AssignOp(_, left, _) = &cx.body.expr(*id).kind
            {
                for key in assigned(cx, *left).into_iter().filter_map(|place| eval.key(place)) {
                    if !keys.contains(&key) {
                        keys.push(key);
                    }
                }
            }
        }
    }
    keys
}

/// What an assignment stores in: `(previous, current) = …` in both.
fn assigned(cx: &Context<'_>, left: ExprId) -> Vec<ExprId> {
    match &cx.body.expr(left).kind {
        ExprKind::Tuple(places) => places.clone(),
        _ => vec![left],
    }
}

/// Runs one trip; false where numbers rule it out, and whether an operation had been called by then.
fn run_trip(
    eval: &mut Eval<'_, '_>,
    id: ExprId,
    trip: &State,
    attempt: u32,
    strict: bool,
    for_ever: bool,
) -> (bool, bool) {
    let mut called = false;
    let cx = eval.cx;
    let events = trip.trip_events();
    // a wait inside something else that is called (it retries by itself) is this trip's delay where it has no other
    let beside = |id: ExprId| waits_inside(cx, id) || is_limiter(cx, id);
    let waits_itself = events.iter().any(|event| matches!(event, Event::Wait(id) if !beside(*id)));
    for event in events {
        match event {
            Event::Wait(id) if waits_itself && beside(*id) => {
                aside(eval, *id);
            }
            // what steps and waits is called once
            Event::Step(id) if events.contains(&Event::Wait(*id)) => {}
            Event::Cond(cond, truth) => {
                let holds = told(eval, *cond, |eval| {
                    let holds = eval.truth(*cond);
                    if let Some(key) = eval.caps_in_condition(*cond)
                        && let Some(val) = eval.env.vars.get_mut(&key)
                        && val.cap == Cap::No
                    {
                        val.cap = Cap::Unknown;
                    }
                    holds
                });
                if !for_ever && holds.is_some_and(|is| is != *truth) {
                    return (false, called);
                }
            }
            Event::Next(looped) if *looped == id => {
                if !next_item(eval, id, attempt) && !for_ever {
                    return (false, called);
                }
            }
            Event::Call(_) => called = true,
            Event::Step(step) if fails_in(cx, trip, *step) => {
                let before = eval.env.vars.clone();
                run(eval, *event);
                keep_what_success_resets(&mut eval.env, before);
            }
            Event::Bind(pat, value) => {
                eval.env.left = false;
                let failed = fails_in(cx, trip, *value);
                let before = failed.then(|| eval.env.vars.clone());
                let mut val = aside(eval, *value);
                let left = std::mem::take(&mut eval.env.left);
                if let Some(before) = before {
                    keep_what_success_resets(&mut eval.env, before);
                }
                let mut cannot = (strict || val.absent) && eval.pattern_holds(*pat, &val) == Some(false);
                // no delay given is the end; a pattern that cannot match is another trip's. But what an operation that failed on this trip
                // would have given otherwise says nothing
                if cannot && failed {
                    val = Amount::unknown();
                    cannot = false;
                }
                let moves = eval.key(*value).is_some_and(|key| eval.env.moving.contains(&key));
                if cannot && !val.absent && moves {
                    eval.env.by_state.set(true);
                }
                if !for_ever && (cannot || left) {
                    return (false, called);
                }
                eval.bind(*pat, &val);
            }
            other => run(eval, *other),
        }
    }
    (true, called)
}

/// What an operation that failed would have begun anew once it had succeeded (`*backoff = self.first;` after its `connect().await?`) stays.
fn keep_what_success_resets(env: &mut Env, before: BTreeMap<Key, Amount>) {
    for (key, was) in before {
        if key == Key::Waited || was.unknown {
            continue;
        }
        if let Some(now) = env.vars.get_mut(&key).filter(|now| !now.unknown && now.hi < was.hi) {
            *now = was;
        }
    }
}

/// Whether a value is the outcome of an operation that is known to have failed on a trip, as an error and not as a delay left out.
fn fails_in(cx: &Context<'_>, trip: &State, value: ExprId) -> bool {
    let mut at = value;
    loop {
        at = match &cx.body.expr(at).kind {
            ExprKind::Await(inner) | ExprKind::Ref(inner) => *inner,
            ExprKind::Method(call) if matches!(cx.role(at), Some(Role::Adaptor)) => call.receiver,
            _ => break,
        };
    }
    trip.looked.iter().any(|look| look.op == at && look.verdict == Verdict::Failure && look.tag == Tag::Err)
}

/// Whether a call waits among other things that it does, or is given the delay without a word that it waits.
fn waits_inside(cx: &Context<'_>, call: ExprId) -> bool {
    match cx.callee(call) {
        Callee::Own(item) => !summary(cx, item).is_wait,
        Callee::Operand(_) => true,
        _ => false,
    }
}

/// Evaluates what is no wait of the trip's own, whatever it waits inside.
pub(super) fn aside(eval: &mut Eval<'_, '_>, id: ExprId) -> Amount {
    let says_something =
        |val: &Amount| !val.unknown || val.server || val.absent || val.moves || !val.forms.is_empty();
    told(eval, id, |eval| Some(eval.eval(id)).filter(says_something)).unwrap_or_else(Amount::unknown)
}

/// Whether a function of the crate is called: that may be long, and arithmetic is not.
fn calls_own(cx: &Context<'_>, id: ExprId) -> bool {
    cx.body.any(id, |id| {
        matches!(cx.body.expr(id).kind, ExprKind::Call(..) | ExprKind::Method(_))
            && matches!(cx.callee(id), Callee::Own(_))
    })
}

/// Attempts after which what told nothing and changed nothing is taken to go on like that: an operation's own body need not be replayed.
const MOST_SILENT: u8 = 2;

/// Steps for one expression of the loop: what takes more is the operation's own work, and no delay's arithmetic.
const MOST_STEPS_OF_ONE: u32 = 400;

/// Asks an expression of the loop, whatever it waits inside; `None` also where it never told anything.
fn told<T>(
    eval: &mut Eval<'_, '_>,
    id: ExprId,
    ask: impl FnOnce(&mut Eval<'_, '_>) -> Option<T>,
) -> Option<T> {
    if eval.env.silent.borrow().get(&id).is_some_and(|times| *times >= MOST_SILENT) && calls_own(eval.cx, id)
    {
        return None;
    }
    let before = (eval.env.vars.clone(), eval.env.stepped.len(), eval.env.overflow.clone());
    let most = eval.env.steps.get() + MOST_STEPS_OF_ONE;
    eval.env.most = Some(most);
    let answer = ask(eval);
    eval.env.most = None;
    let (vars, stepped, overflow) = before;
    if eval.env.steps.get() > most {
        eval.env.vars = vars;
        eval.env.silent.borrow_mut().insert(id, MOST_SILENT);
        return None;
    }
    match vars.get(&Key::Waited) {
        Some(waited) => eval.env.vars.insert(Key::Waited, waited.clone()),
        None => eval.env.vars.remove(&Key::Waited),
    };
    let changed = eval.env.stepped.len() != stepped || eval.env.overflow != overflow || eval.env.vars != vars;
    let mut silent = eval.env.silent.borrow_mut();
    let times = silent.entry(id).or_default();
    *times = if answer.is_some() || changed { 0 } else { times.saturating_add(1) };
    answer
}

pub(super) fn run(eval: &mut Eval<'_, '_>, event: Event) {
    match event {
        Event::Bind(pat, value) => {
            let val = aside(eval, value);
            // made anew on each trip from what is there then
            eval.bind(pat, &val);
        }
        Event::Assign(id) | Event::Step(id) => {
            aside(eval, id);
        }
        Event::Wait(id) => wait(eval, id),
        Event::Cond(..) | Event::Next(_) | Event::Call(_) => {}
    }
}

/// The deadline that a timer which is kept is set to again: `nap.as_mut().reset(Instant::now() + d)`.
pub(crate) fn rearmed(cx: &Context<'_>, call: ExprId) -> Option<ExprId> {
    if let ExprKind::Method(method) = &cx.body.expr(call).kind
        && let ("reset", [until]) = (method.name.as_str(), method.args.as_slice())
    {
        return Some(*until);
    }
    let timer = cx.local_of(call)?;
    cx.body.exprs().find_map(|(_, expr)| {
        let ExprKind::Method(method) = &expr.kind else { return None };
        let [until] = method.args.as_slice() else { return None };
        let mut on = method.receiver;
        while let ExprKind::Method(inner) = &cx.body.expr(on).kind {
            on = inner.receiver;
        }
        (method.name == "reset" && cx.body.local(on) == Some(timer)).then_some(*until)
    })
}

/// Adds what a call waits, or what a stored timer that is awaited was made to wait.
pub(super) fn wait(eval: &mut Eval<'_, '_>, call: ExprId) {
    let before = eval.env.vars.remove(&Key::Waited);
    let val = if let Some(until) = rearmed(eval.cx, call) {
        // armed again on each trip, whatever it was made with
        let val = eval.until(until);
        eval.env.vars.insert(Key::Waited, val.clone());
        val
    } else if let Some(delay) = eval.cx.handed_delay(call) {
        // in what unit, only its callers would tell
        Amount { sized: false, ..eval.eval(delay) }
    } else {
        eval.eval(call)
    };
    let Some(waited) = eval.env.vars.remove(&Key::Waited).or((!val.unknown).then_some(val)) else {
        if let Some(before) = before {
            eval.env.vars.insert(Key::Waited, before);
        }
        return;
    };
    let sum = before.map_or(waited.clone(), |before| before.add(&waited));
    eval.env.vars.insert(Key::Waited, sum);
}

/// Whether a `for` has nothing to go over.
fn is_empty_from_start(cx: &Context<'_>, id: ExprId, env: &Env) -> bool {
    !next_item(&mut Eval::new(cx, env.clone()), id, 1)
}

/// Binds the item of a `for` at an attempt; false where there is none left.
fn next_item(eval: &mut Eval<'_, '_>, id: ExprId, attempt: u32) -> bool {
    let cx = eval.cx;
    let ExprKind::For { pat, iter, .. } = &cx.body.expr(id).kind else { return true };
    let index = f64::from(attempt - 1);
    let (item, left) = item_at(eval, *iter, index);
    let names = cx.body.names_in_pat(*pat);
    // `(n, delay)` of `enumerate()`: the first is the count
    let enumerated = matches!(&cx.body.expr(*iter).kind, ExprKind::Method(call) if call.name == "enumerate");
    for (at, (_, local)) in names.iter().enumerate() {
        let val = if enumerated && at == 0 && names.len() > 1 {
            Amount { moves: true, ..Amount::exact(index) }
        } else {
            item.clone()
        };
        eval.env.vars.insert(Key::Local(*local), val);
    }
    left
}
