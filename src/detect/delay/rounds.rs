//! Replays of what comes again without a loop of its own: a function that calls itself, a closure that is run later, a wait made with a count that is handed on.
//! What one round does is told by `replay` and `eval`; here is only how the next round begins.

use super::amount::Amount;
use super::eval::{Env, Eval, Key};
use super::replay::{MOST_ATTEMPTS, Replay, run, wait};
use crate::body::{ExprId, ExprKind, Local};
use crate::detect::context::Context;
use crate::detect::flow::State;
use crate::knowledge::says;

/// Replays paths that lead to a call of the function itself: each round's parameters are what the call before gave.
pub(crate) fn replay_calls(cx: &Context<'_>, call: ExprId, paths: &[&State]) -> Replay {
    let mut made = Replay::default();
    // `pool.execute_after(delay, || …)`: the call that runs it later waits
    let put_off = paths.iter().find_map(|path| Some((path, put_off(cx, call)?)));
    if let (Some((_, delay)), true) = (put_off, paths.iter().all(|path| path.waits.is_empty())) {
        made.calls.extend(cx.parent(delay));
    }
    let waiting = paths.iter().find(|path| !path.waits.is_empty()).map(|path| (path, None));
    let later = put_off.map(|(path, delay)| (path, Some(delay)));
    let Some((path, delay)) = waiting.or(later) else { return made };
    let mut params = Env::default();
    for (param, arg) in cx.body.params.iter().zip(cx.args(call)) {
        for (_, local) in cx.body.names_in_pat(param.pat) {
            if cx.body.local(*arg) != Some(local) {
                params.vars.insert(Key::Local(local), Amount { moves: true, ..Amount::symbol() });
            }
        }
    }
    for _ in 1..=12 {
        let mut eval = Eval::new(cx, params.clone());
        for event in &path.trace {
            run(&mut eval, *event);
        }
        let waited = match delay {
            Some(delay) => Some(Eval::new(cx, params.clone()).eval(delay)),
            None => eval.env.vars.get(&Key::Waited).cloned(),
        };
        made.waits.push(waited);
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
