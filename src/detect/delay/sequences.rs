//! Delays that an iterator gives: ranges, lists, std's adaptors around them, and iterators written by hand.
//! Each item by its index; what an iterator does that is not told here leaves its items unknown.

use super::amount::Amount;
use super::choices::for_each;
use super::eval::{Env, Eval, Key};
use super::places::MOST_ALIASES;
use super::read::jitter;
use super::replay::{MOST_ATTEMPTS, Replay};
use super::tables::pick;
use crate::body::{ExprId, ExprKind, MethodCall};
use crate::detect::context::Context;
use crate::model::{Growth, Jitter};
use std::collections::BTreeMap;

/// What an iterator gives, item by item, in a body in which these variables have these values.
pub(crate) fn items(cx: &Context<'_>, vars: &BTreeMap<Key, Amount>, iter: ExprId) -> Replay {
    for_each(true, |choices| {
        let env = Env { vars: vars.clone(), choices: choices.clone(), ..Env::default() };
        let mut eval = Eval::new(cx, env);
        let mut replay = Replay::default();
        for index in 0..MOST_ATTEMPTS {
            eval.env.stepped.clear();
            let (item, left) = item_at(&mut eval, iter, f64::from(index));
            if !left || item.absent {
                break;
            }
            if item.unknown {
                return Replay { waits: vec![Some(item)], ..Replay::default() };
            }
            replay.waits.push(Some(item));
        }
        replay
    })
}

/// What a closure or function makes of each of some values.
pub(crate) fn applied(
    cx: &Context<'_>,
    vars: &BTreeMap<Key, Amount>,
    callable: ExprId,
    values: &[Amount],
) -> Vec<Amount> {
    let one = |value: &Amount| {
        let mut eval = Eval::new(cx, Env { vars: vars.clone(), ..Env::default() });
        eval.apply(callable, &[value.clone(), Amount::symbol()])
    };
    values.iter().map(one).collect()
}

/// How delays that are made of growing ones are spread.
pub(crate) fn spread_of(delays: &[Amount]) -> Option<Jitter> {
    jitter(&delays.iter().collect::<Vec<_>>(), Growth::Exponential)
}

/// The item of an iterator at an index, and whether there is one.
pub(super) fn item_at(eval: &mut Eval<'_, '_>, iter: ExprId, index: f64) -> (Amount, bool) {
    // chains in chains ask for each other's items again and again
    if !eval.step() {
        return (Amount::unknown(), true);
    }
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
        ExprKind::Method(call) => adapted(eval, iter, call, index),
        ExprKind::Call(_, args) => match (cx.call_name(iter), args.as_slice()) {
            ("successors", [first, next]) => {
                let mut item = eval.eval(*first);
                let mut at = 0.0;
                while at < index && !item.absent {
                    // `.skip(10_000_000_000)`
                    if !eval.step() {
                        return (Amount::unknown(), true);
                    }
                    item = eval.apply(*next, &[item]);
                    at += 1.0;
                }
                let left = !item.absent;
                (Amount { moves: true, ..item }, left)
            }
            ("repeat", [item]) => (eval.eval(*item), true),
            ("repeat_with", [made]) => (eval.apply(*made, &[]), true),
            ("once", [item]) => (eval.eval(*item), index < 1.0),
            _ => by_hand(eval, iter).unwrap_or_else(|| table_item(eval, iter, index)),
        },
        ExprKind::Struct(_) => by_hand(eval, iter).unwrap_or_else(|| table_item(eval, iter, index)),
        ExprKind::Ref(inner) => item_at(eval, *inner, index),
        ExprKind::Path(_) => match cx.body.local(iter).and_then(|local| cx.init(local)) {
            _ if let Some(item) = by_hand(eval, iter) => item,
            Some(init) if !matches!(cx.body.expr(init).kind, ExprKind::Path(_)) => item_at(eval, init, index),
            _ => table_item(eval, iter, index),
        },
        _ => table_item(eval, iter, index),
    }
}

fn adapted(eval: &mut Eval<'_, '_>, iter: ExprId, call: &MethodCall, index: f64) -> (Amount, bool) {
    let arg = call.args.first().copied();
    match (call.name.as_str(), arg) {
        ("take", Some(most)) => {
            let most = eval.eval(most);
            let (item, left) = item_at(eval, call.receiver, index);
            (item, left && most.known().is_none_or(|most| index < most))
        }
        ("skip", Some(skipped)) => match eval.eval(skipped).known() {
            Some(skipped) => item_at(eval, call.receiver, index + skipped),
            None => (Amount::unknown(), true),
        },
        ("map", Some(made)) => {
            let (item, left) = item_at(eval, call.receiver, index);
            (Amount { moves: true, ..eval.apply(made, &[item]) }, left)
        }
        ("chain", Some(then)) => match length(eval, call.receiver, index) {
            Some(first) => item_at(eval, then, index - first),
            None => item_at(eval, call.receiver, index),
        },
        ("rev", None) => {
            let (item, left) = item_at(eval, call.receiver, index);
            (Amount { sized: false, ..item }, left)
        }
        (
            "iter" | "into_iter" | "enumerate" | "copied" | "cloned" | "by_ref" | "iter_mut" | "fuse"
            | "peekable",
            None,
        ) => item_at(eval, call.receiver, index),
        _ => by_hand(eval, iter).unwrap_or_else(|| table_item(eval, iter, index)),
    }
}

/// How many items an iterator has, where it ends before an index.
fn length(eval: &mut Eval<'_, '_>, iter: ExprId, index: f64) -> Option<f64> {
    let mut at = 0.0;
    while at <= index && eval.step() {
        if !item_at(eval, iter, at).1 {
            return Some(at);
        }
        at += 1.0;
    }
    None
}

fn table_item(eval: &mut Eval<'_, '_>, iter: ExprId, index: f64) -> (Amount, bool) {
    match eval.table(iter) {
        Some(table) => (pick(&table, &Amount::exact(index)), index < table.len() as f64),
        None => (Amount::unknown(), true),
    }
}

/// The next item of a type of the crate that implements `Iterator`: its `next` is run, and what it stores in itself stays.
fn by_hand(eval: &mut Eval<'_, '_>, iter: ExprId) -> Option<(Amount, bool)> {
    let next = eval.cx.krate.method(&eval.cx.type_of(iter)?, "next")?;
    eval.iterated.insert(iter, format!("{}#each{}", eval.depth, iter.0));
    let item = eval.inline(next, Some(iter), &[]);
    let left = !item.absent;
    Some((Amount { moves: true, ..item }, left))
}

impl Eval<'_, '_> {
    /// `waits.next()` of a variable that holds a list's or range's iterator: one call is one step.
    pub(super) fn next_item(&mut self, call: &MethodCall) -> Option<Amount> {
        if call.name != "next" || !call.args.is_empty() {
            return None;
        }
        let init = self.cx.init(self.cx.body.local(call.receiver)?)?;
        let key = Key::Field(format!("{}.#item", self.place(call.receiver, MOST_ALIASES)?));
        let step = self.env.vars.get(&key).map_or(0.0, |step| step.lo);
        let (item, left) = item_at(self, init, step);
        if item.unknown {
            return None;
        }
        self.env.vars.insert(key, Amount { moves: true, ..Amount::exact(step + 1.0) });
        Some(if left { Amount { moves: true, ..item } } else { Amount::absent() })
    }
}
