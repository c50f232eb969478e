//! Replays a function that calls itself again: a round is one run of its body, and what it hands on is what the next begins with.
//! Loops are `replay`'s business.

use super::amount::Amount;
use super::choices::for_each;
use super::eval::{Env, Eval, Key};
use super::replay::{Replay, aside, run};
use crate::body::{ExprId, Param};
use crate::detect::context::Context;
use crate::detect::flow::{Event, State};
use crate::resolve::{Target, peeled};
use std::collections::BTreeMap;

/// Replays paths that lead to a call of the function itself: each round's parameters are what the call before gave.
pub(crate) fn replay_calls(cx: &Context<'_>, call: ExprId, paths: &[&State]) -> Replay {
    let Some(path) = paths.iter().find(|path| !path.waits.is_empty()) else { return Replay::default() };
    for_each(|choices| {
        let mut made = Replay::default();
        let mut params = BTreeMap::new();
        for _ in 1..=12 {
            let env = Env { vars: params, choices: choices.clone(), ..Env::default() };
            let mut eval = Eval::new(cx, env);
            if !comes(&mut eval, &path.trace) {
                break;
            }
            made.waits.push(eval.env.vars.get(&Key::Waited).cloned());
            params = handed_on(&mut eval, call);
        }
        made
    })
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
    for_each(|choices| {
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
