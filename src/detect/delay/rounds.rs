//! Replays of what comes again without a loop of its own: a function that calls itself, a closure that is run later, a wait made with a count that is handed on.
//! What one round does is told by `replay` and `eval`; here is only how the next round begins.

use super::amount::Amount;
use super::choices::for_each;
use super::eval::{Env, Eval, Key};
use super::replay::{MOST_ATTEMPTS, Replay, aside, run, wait};
use crate::body::{ExprId, ExprKind, Local, Param};
use crate::detect::context::Context;
use crate::detect::flow::{Event, State};
use crate::knowledge::says;
use crate::resolve::{Target, peeled};
use std::collections::BTreeMap;

/// Replays paths that lead to a call of the function itself: each round's parameters are what the call before gave.
pub(crate) fn replay_calls(cx: &Context<'_>, call: ExprId, paths: &[&State]) -> Replay {
    // `pool.execute_after(delay, || …)`: the call that runs it later waits
    let put_off = paths.iter().find_map(|path| Some((path, put_off(cx, call)?)));
    let waiting = paths.iter().find(|path| !path.waits.is_empty()).map(|path| (path, None));
    let later = put_off.map(|(path, delay)| (path, Some(delay)));
    let Some((path, delay)) = waiting.or(later) else { return Replay::default() };
    for_each(false, |choices| {
        let mut made = Replay::default();
        made.calls.extend(delay.and_then(|delay| cx.parent(delay)));
        let mut params = changed(cx, call);
        for _ in 1..=12 {
            let env = Env { vars: params.clone(), choices: choices.clone(), ..Env::default() };
            let mut eval = Eval::new(cx, env.clone());
            if !comes(&mut eval, &path.trace) {
                break;
            }
            made.waits.push(match delay {
                Some(delay) => Some(Eval::new(cx, env).eval(delay)),
                None => eval.env.vars.get(&Key::Waited).cloned(),
            });
            params = handed_on(&mut eval, call);
        }
        made
    })
}

/// The parameters that a round hands on as something else: what they begin with, only the callers would tell.
fn changed(cx: &Context<'_>, call: ExprId) -> BTreeMap<Key, Amount> {
    let mut vars = BTreeMap::new();
    for (param, arg) in cx.body.params.iter().zip(cx.args(call)) {
        for (_, local) in cx.body.names_in_pat(param.pat) {
            if cx.body.local(*arg) != Some(local) {
                vars.insert(Key::Local(local), Amount { moves: true, ..Amount::symbol() });
            }
        }
    }
    vars
}

/// Runs a path; false where it needs a delay that its policy does not give.
fn comes(eval: &mut Eval<'_, '_>, events: &[Event]) -> bool {
    events.iter().all(|event| {
        let Event::Bind(pat, value) = *event else {
            run(eval, *event);
            return true;
        };
        let val = aside(eval, value);
        let cannot = val.absent && eval.pattern_holds(pat, &val) == Some(false);
        eval.bind(pat, &val);
        !cannot
    })
}

/// What the next round begins with: its parameters, and the state of a policy that is handed on whole.
fn handed_on(eval: &mut Eval<'_, '_>, call: ExprId) -> BTreeMap<Key, Amount> {
    let cx = eval.cx;
    let mut next = BTreeMap::new();
    for (param, arg) in cx.body.params.iter().zip(cx.args(call)) {
        let val = eval.eval(*arg);
        for (_, local) in cx.body.names_in_pat(param.pat) {
            let same = cx.body.local(*arg) == Some(local);
            next.insert(Key::Local(local), Amount { moves: !same, ..val.clone() });
            let parts = format!("0#{}.", local.0);
            let held = eval
                .env
                .vars
                .iter()
                .filter(|(key, _)| same && matches!(key, Key::Field(name) if name.starts_with(&parts)));
            next.extend(held.map(|(key, val)| (key.clone(), val.clone())));
        }
    }
    next
}

fn is_of_crate(cx: &Context<'_>, param: &Param) -> bool {
    let Some(ty) = &param.ty else { return false };
    matches!(cx.krate.path(cx.at, &peeled(ty).path), Target::Item(item) if cx.krate.struct_data(item).is_some())
}

/// Replays such paths once each, with nothing known of the parameters: all that the rounds have in common.
pub(crate) fn replay_once(cx: &Context<'_>, paths: &[&State]) -> Replay {
    for_each(false, |choices| {
        let mut made = Replay { apart: true, ..Replay::default() };
        for path in paths.iter().filter(|path| !path.waits.is_empty()) {
            let mut eval = Eval::new(cx, Env { choices: choices.clone(), ..Env::default() });
            // what the functions between make of a plain delay or count may be anything; a policy goes on as it is
            for param in cx.body.params.iter().filter(|param| !is_of_crate(cx, param)) {
                eval.bind(param.pat, &Amount::unknown());
            }
            if comes(&mut eval, &path.trace) {
                let waited = eval.env.vars.get(&Key::Waited).cloned();
                made.waits.push(Some(waited.unwrap_or_else(Amount::unknown)));
            }
        }
        made
    })
}

/// Replays a wait that is made with a parameter which counts the failures: whoever calls adds one each time.
pub(crate) fn replay_counted(cx: &Context<'_>, call: ExprId, counter: Local) -> Replay {
    let mut made = Replay { calls: vec![call], ..Replay::default() };
    for attempt in 1..=MOST_ATTEMPTS {
        let mut eval = Eval::new(cx, Env::default());
        let count = Amount { moves: true, ..Amount::exact(f64::from(attempt)) };
        eval.env.vars.insert(Key::Local(counter), count);
        wait(&mut eval, call);
        made.waits.push(eval.env.vars.remove(&Key::Waited));
    }
    made
}

/// The delay after which something else runs the closure that an expression stands in: `pool.execute_after(delay, || …)`.
pub(crate) fn put_off(cx: &Context<'_>, id: ExprId) -> Option<ExprId> {
    let says_delay = |arg: &ExprId| says(&cx.words().delay, &cx.base_text(*arg));
    let is_call = |at: ExprId| matches!(cx.body.expr(at).kind, ExprKind::Call(..) | ExprKind::Method(_));
    let mut at = id;
    let mut deferred = false;
    while let Some(parent) = cx.parent(at) {
        deferred |= matches!(cx.body.expr(at).kind, ExprKind::Closure { .. } | ExprKind::Async(_));
        if deferred && is_call(parent) {
            let after = cx.args(parent).iter().copied().find(|arg| *arg != at && says_delay(arg));
            if after.is_some() {
                return after;
            }
            // `Box::new(move || …)` is the same closure
            deferred = matches!(cx.call_name(parent), "new" | "pin" | "boxed");
        }
        at = parent;
    }
    None
}
