//! Replays the failing trips of a loop, attempt by attempt: which of them are possible, how long they wait, when arithmetic overflows, when a counter ends it.
//! It decides nothing about what the numbers mean.

use super::amount::{Amount, Cap};
use super::eval::{Env, Eval, Key, Overflowed};
use super::tables::pick;
use crate::body::{ExprId, ExprKind};
use crate::detect::context::Context;
use crate::detect::flow::{Event, LoopRecord, State};

/// Attempts that are replayed: enough for a `Duration` of a millisecond that doubles to overflow.
pub(crate) const MOST_ATTEMPTS: u32 = 100;

/// What the failing trips do, attempt by attempt.
#[derive(Debug, Default)]
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
}

/// Replays failing trips, each given by its path.
pub(crate) fn replay(cx: &Context<'_>, id: ExprId, record: &LoopRecord, trips: &[&State]) -> Replay {
    let mut made = Replay::default();
    let mut env = Env { moving: moving_keys(cx, trips), ..Env::default() };
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
    let most = if steps { MOST_ATTEMPTS } else { 40 };
    for attempt in 1..=most {
        let mut taken: Option<(Env, &State)> = None;
        let mut called_before_end = false;
        for trip in &trips {
            let mut eval = Eval::new(cx, env.clone());
            eval.env.vars.remove(&Key::Waited);
            let (possible, called) = run_trip(&mut eval, id, trip.trip_events(), attempt, false);
            called_before_end |= called;
            if !possible {
                continue;
            }
            let better = taken.as_ref().is_none_or(|(best, _)| {
                let wait = |env: &Env| env.vars.contains_key(&Key::Waited);
                wait(&eval.env) && !wait(best) || wait(&eval.env) == wait(best) && grows_more(&eval.env, best)
            });
            if better {
                taken = Some((eval.env, *trip));
            }
        }
        let Some((after, trip)) = taken else {
            made.max = Some(if called_before_end { attempt } else { attempt - 1 });
            made.beyond = beyond(cx, id, &trips, env, attempt);
            break;
        };
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
            run_trip(&mut eval, id, trip.trip_events(), attempt, true);
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

/// Replays paths that lead to a call of the function itself: each round's parameters are what the call before gave.
pub(crate) fn replay_calls(cx: &Context<'_>, call: ExprId, paths: &[&State]) -> Replay {
    let mut made = Replay::default();
    let Some(path) = paths.iter().find(|path| !path.waits.is_empty()) else { return made };
    let mut params = Env::default();
    for _ in 1..=12 {
        let mut eval = Eval::new(cx, params.clone());
        for event in &path.trace {
            run(&mut eval, *event);
        }
        made.waits.push(eval.env.vars.get(&Key::Waited).cloned());
        let mut next = Env::default();
        for (param, arg) in cx.body.params.iter().zip(cx.args(call)) {
            let val = eval.eval(*arg);
            for (_, local) in cx.body.names_in_pat(param.pat) {
                let same = cx.body.local(*arg) == Some(local);
                next.vars.insert(Key::Local(local), Amount { moves: !same, ..val.clone() });
            }
        }
        params = next;
    }
    made
}

/// Of two possible trips that both wait, the one whose wait is larger when nothing caps it: a constant wait beside a growing one is the exception.
fn grows_more(one: &Env, other: &Env) -> bool {
    match (one.vars.get(&Key::Waited), other.vars.get(&Key::Waited)) {
        (Some(one), Some(other)) => !one.unknown && one.moves && !other.moves,
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
                && let Some(key) = eval.key(*left)
                && !keys.contains(&key)
            {
                keys.push(key);
            }
        }
    }
    keys
}

/// Runs one trip; false where numbers rule it out, and whether an operation had been called by then.
fn run_trip(
    eval: &mut Eval<'_, '_>,
    id: ExprId,
    events: &[Event],
    attempt: u32,
    for_ever: bool,
) -> (bool, bool) {
    let mut called = false;
    for event in events {
        match event {
            Event::Cond(cond, truth) => {
                if !for_ever && eval.truth(*cond).is_some_and(|is| is != *truth) {
                    return (false, called);
                }
                if let Some(key) = eval.caps_in_condition(*cond)
                    && let Some(val) = eval.env.vars.get_mut(&key)
                    && val.cap == Cap::No
                {
                    val.cap = Cap::Unknown;
                }
            }
            Event::Next(looped) if *looped == id => {
                if !next_item(eval, id, attempt) && !for_ever {
                    return (false, called);
                }
            }
            Event::Call(_) => called = true,
            other => run(eval, *other),
        }
    }
    (true, called)
}

fn run(eval: &mut Eval<'_, '_>, event: Event) {
    match event {
        Event::Bind(local, value) => {
            let val = eval.eval(value);
            // made anew on each trip from what is there then
            eval.env.vars.insert(Key::Local(local), val);
        }
        Event::Assign(id) | Event::Step(id) | Event::Wait(id) => {
            eval.eval(id);
        }
        Event::Cond(..) | Event::Next(_) | Event::Call(_) => {}
    }
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

/// The item of an iterator at an index, and whether there is one.
fn item_at(eval: &mut Eval<'_, '_>, iter: ExprId, index: f64) -> (Amount, bool) {
    let cx = eval.cx;
    match &cx.body.expr(iter).kind {
        ExprKind::Range { start, end, inclusive } => {
            let first = start.map_or_else(|| Amount::exact(0.0), |start| eval.eval(start));
            let at = first.add(&Amount::exact(index));
            let mut left = true;
            if let Some(end) = end {
                let end = eval.eval(*end);
                if let (Some(end), Some(at)) = (end.known(), at.known()) {
                    left = at < end || *inclusive && at <= end;
                }
            }
            (Amount { moves: true, ..at }, left)
        }
        ExprKind::Method(call) => {
            let arg = call.args.first().copied();
            match (call.name.as_str(), arg) {
                ("take", Some(most)) => {
                    let most = eval.eval(most);
                    let (item, left) = item_at(eval, call.receiver, index);
                    (item, left && most.known().is_none_or(|most| index < most))
                }
                ("rev", None) => {
                    let (item, left) = item_at(eval, call.receiver, index);
                    (Amount { sized: false, ..item }, left)
                }
                ("iter" | "into_iter" | "enumerate" | "copied" | "cloned" | "by_ref" | "iter_mut", None) => {
                    item_at(eval, call.receiver, index)
                }
                _ => table_item(eval, iter, index),
            }
        }
        ExprKind::Ref(inner) => item_at(eval, *inner, index),
        ExprKind::Path(_) => match cx.body.local(iter).and_then(|local| cx.init(local)) {
            Some(init) if !matches!(cx.body.expr(init).kind, ExprKind::Path(_)) => item_at(eval, init, index),
            _ => table_item(eval, iter, index),
        },
        _ => table_item(eval, iter, index),
    }
}

fn table_item(eval: &mut Eval<'_, '_>, iter: ExprId, index: f64) -> (Amount, bool) {
    match eval.table(iter) {
        Some(table) => (pick(&table, &Amount::exact(index)), index < table.len() as f64),
        None => (Amount::unknown(), true),
    }
}
