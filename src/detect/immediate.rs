//! Where a failing trip has no wait: whether there is really none, or one that we cannot see, or one on the way to the next try.
//! What the waits that are there amount to is told in `delay`.

use super::context::{Callee, Context};
use super::delay::{self, Replay};
use super::flow::{Event, Followed, LoopRecord, State, Verdict};
use super::reads::asked_of;
use super::summary::{MOST_CALLS, asks_something, summary};
use crate::body::{ExprId, ExprKind, MacroInput, PatId, PatKind};
use crate::knowledge::{Role, is_one_of, parts, says};

/// Whether a failing trip may wait where we cannot see it: in the operation itself, in a call that nobody knows, in a macro.
pub(super) fn may_wait_unseen(
    cx: &Context<'_>,
    followed: &Followed,
    failing: &[&State],
    ops: &[ExprId],
) -> bool {
    let hides = |call: ExprId| {
        if ops.contains(&call) { waits_around(cx, call) } else { may_wait(cx, call) }
    };
    failing.iter().any(|state| {
        state.marks.event
            || state.calls.iter().any(|call| hides(*call) && !followed.operands.contains(call))
            || state.conds.iter().any(|(cond, _)| {
                cx.body.any(*cond, |id| {
                    matches!(cx.body.expr(id).kind, ExprKind::Call(..) | ExprKind::Method(_))
                        && !ops.contains(&id)
                        && may_wait(cx, id)
                })
            })
    }) || ops.iter().any(|op| {
        near_unread_macro(cx, *op) || calls_what_is_given(cx, *op, ops) || delay::put_off(cx, *op).is_some()
    })
}

/// Whether a call beside the operation may wait. An awaited call that nobody knows works; a wait is named as one, or is told of the failure.
fn may_wait(cx: &Context<'_>, call: ExprId) -> bool {
    let words = cx.words();
    let lists = [&words.delay, &words.retry, &words.condition, &words.limiter];
    let named = |name: &str| lists.iter().any(|list| says(list, name));
    match cx.callee(call) {
        Callee::Own(item) => {
            let name = cx.call_name(call);
            let unread = cx.is_awaited(call) || cx.inside(item).is_none();
            summary(cx, item).waits_somewhere() || says(&words.delay, name) || unread && named(name)
        }
        Callee::Operand(_) => true,
        Callee::Unknown | Callee::Foreign(_) | Callee::Closure(_) => {
            let on = match &cx.body.expr(call).kind {
                ExprKind::Method(method) => named(&cx.base_text(method.receiver)),
                _ => false,
            };
            let hint = |arg: &ExprId| says(&words.hint, &cx.base_text(*arg));
            let told = |arg: &ExprId| hint(arg) || tells_of_failure(cx, *arg);
            named(cx.call_name(call)) || cx.is_awaited(call) && (on || cx.args(call).iter().any(told))
        }
        Callee::Known(entry, _) => {
            matches!(entry.role, Role::Event | Role::Timeout { .. } | Role::Accept | Role::Guard)
        }
    }
}

/// Whether each try of an operation waits: before it begins, or after it failed. What retries by itself, or waits for something in between,
/// has its own delays.
fn waits_around(cx: &Context<'_>, op: ExprId) -> bool {
    let Callee::Own(item) = cx.callee(op) else { return false };
    let inside = summary(cx, item);
    let Some(inner) = cx.inside(item) else { return inside.wait.is_some() };
    let Some(wait) = inside.wait else { return puts_off(&inner) };
    if inner.loop_around(wait).is_some() {
        return !inside.paces_itself;
    }
    let (root, span) = (inner.body.root, inner.body.expr(wait).span);
    !(asks_something(&inner, root, MOST_CALLS, |call| call.end <= span.start)
        && asks_something(&inner, root, MOST_CALLS, |call| call.start >= span.end))
}

/// Whether a function tells somebody else how long to hold back: `self.limiter.add_delay(&url, duration)`.
fn puts_off(cx: &Context<'_>) -> bool {
    let delay = |name: &str| says(&cx.words().delay, name);
    cx.body.exprs().any(|(id, expr)| match &expr.kind {
        ExprKind::Method(call) => {
            delay(&call.name)
                && matches!(cx.callee(id), Callee::Unknown | Callee::Foreign(_) | Callee::Own(_))
                && call.args.iter().any(|arg| delay(&cx.base_text(*arg)))
        }
        _ => false,
    })
}

/// Whether a call waits for a limiter of one's own pace: that is no delay before another try, whatever it waits.
pub(super) fn is_limiter(cx: &Context<'_>, wait: ExprId) -> bool {
    let ExprKind::Method(call) = &cx.body.expr(wait).kind else { return false };
    let list = &cx.words().limiter;
    says(list, &cx.base_text(call.receiver))
        || cx.type_of(call.receiver).is_some_and(|ty| says(list, ty.name()))
}

/// Whether a trip goes round because a time was up, and for nothing else: `Err(error) if error.is_timeout()`, `Err(Error::Timeout(_))`.
pub(super) fn ran_out_of_time(cx: &Context<'_>, state: &State) -> bool {
    let words = &cx.words().time_is_up;
    let is_said = |pat: PatId| {
        let mut each = cx.names_variant(pat, words);
        cx.body.walk_pat(pat, &mut |at| {
            if let PatKind::Or(alternatives) = &cx.body.pat(at).kind {
                each &= alternatives.iter().all(|one| cx.names_variant(*one, words));
            }
        });
        each
    };
    state.arms.iter().any(|pat| is_said(*pat))
        || state.conds.iter().any(|(cond, truth)| {
            *truth
                && matches!(cx.body.expr(*cond).kind, ExprKind::Method(_))
                && says(words, cx.call_name(*cond))
        })
}

/// Whether a trip waits only before its operation (somebody was told the hint, and holds back the next try) or for the hint itself.
pub(super) fn holds_back_as_told(cx: &Context<'_>, state: &State, ops: &[ExprId]) -> bool {
    let events = state.trip_events();
    let called = events.iter().position(|event| matches!(event, Event::Call(op) if ops.contains(op)));
    let told = |wait: ExprId| cx.args(wait).iter().any(|arg| says(&cx.words().hint, &cx.base_text(*arg)));
    called.is_some_and(|called| {
        events.iter().enumerate().all(|(at, event)| match event {
            Event::Wait(wait) => at < called || told(*wait),
            _ => true,
        })
    })
}

/// Whether an operation reads what the other side sends: it takes as long as its time limit, or as that side takes.
pub(super) fn receives(cx: &Context<'_>, op: ExprId) -> bool {
    let first = parts(cx.call_name(op)).into_iter().next().unwrap_or_default();
    is_one_of(&cx.words().receives, &first)
}

/// Whether something in a closure, or in the function that a path names, may wait.
pub(super) fn waits_in(cx: &Context<'_>, work: ExprId) -> bool {
    if let ExprKind::Path(path) = &cx.body.expr(work).kind {
        return !matches!(cx.by_path(path), Some(Callee::Own(item)) if !summary(cx, item).waits_somewhere());
    }
    cx.body.any(work, |id| match &cx.body.expr(id).kind {
        ExprKind::Call(..) | ExprKind::Method(_) => {
            matches!(cx.role(id), Some(Role::Wait { .. })) || waits_around(cx, id) || may_wait(cx, id)
        }
        ExprKind::Macro(call) => matches!(call.input, MacroInput::Words(_)),
        _ => false,
    })
}

/// Whether an operation waits inside while it fails; of one that is given, nobody knows.
pub(super) fn waits_inside(cx: &Context<'_>, followed: &Followed, ops: &[ExprId]) -> Option<bool> {
    let waits = |op: &ExprId| match cx.callee(*op) {
        Callee::Own(item) => summary(cx, item).waits_somewhere(),
        Callee::Known(entry, _) => matches!(entry.role, Role::Remote { waits: true, .. }),
        _ => false,
    };
    if ops.iter().any(waits) {
        return Some(true);
    }
    let given = |op: &ExprId| matches!(cx.callee(*op), Callee::Operand(_)) && !followed.operands.contains(op);
    (!ops.iter().any(given)).then_some(false)
}

/// Whether the loop around an operation calls another function that it was given: it may wait, as `on_retry(&error, delay)` does.
fn calls_what_is_given(cx: &Context<'_>, op: ExprId, ops: &[ExprId]) -> bool {
    cx.loop_around(op).is_some_and(|looped| {
        cx.body.any(looped, |id| {
            matches!(cx.body.expr(id).kind, ExprKind::Call(..))
                && !ops.contains(&id)
                && matches!(cx.callee(id), Callee::Operand(_))
                && cx.args(id).iter().any(|arg| tells_of_failure(cx, *arg))
        })
    })
}

/// An error, or a delay: what a hook between two tries is given.
fn tells_of_failure(cx: &Context<'_>, arg: ExprId) -> bool {
    cx.body.any(arg, |id| match &cx.body.expr(id).kind {
        ExprKind::Path(path) => path
            .single()
            .is_some_and(|name| matches!(name, "e" | "err" | "error") || says(&cx.words().delay, name)),
        ExprKind::Call(..) | ExprKind::Method(_) => says(&cx.words().delay, cx.call_name(id)),
        _ => false,
    })
}

/// Whether the loop around an operation calls a macro whose tokens say nothing, or one of this crate's that speaks of waiting.
fn near_unread_macro(cx: &Context<'_>, op: ExprId) -> bool {
    let mut found = false;
    cx.body.walk(cx.loop_around(op).unwrap_or(cx.body.root), &mut |id| {
        if let ExprKind::Macro(call) = &cx.body.expr(id).kind {
            let known = matches!(cx.callee(id), Callee::Known(..));
            let unread = matches!(call.input, MacroInput::Words(_)) && !known;
            let own = match cx.callee(id) {
                Callee::Own(item) => cx.krate.item(item).is_none_or(|item| item.tells.words),
                _ => false,
            };
            found |= unread || own;
        }
        !found
    });
    found
}

/// Whether a trip that does not come to the operation waits: the next try has waited then, though the failing trip has not.
pub(super) fn waits_between(record: &LoopRecord, ops: &[ExprId]) -> bool {
    record.backs.iter().any(|state| {
        let tries = state.calls.iter().any(|call| ops.contains(call))
            || state.looked.iter().any(|look| ops.contains(&look.op));
        !tries && !state.waits.is_empty()
    })
}

/// Whether some failing trip really goes round without a wait, because of how the operation failed: a wait behind a condition that nobody
/// can read, or only on the first attempt, is no skip.
pub(super) fn skips(
    cx: &Context<'_>,
    followed: &Followed,
    replay: &Replay,
    failing: &[&State],
    ops: &[ExprId],
) -> bool {
    // what failed on it after it had waited by itself (`next_timeout(…)`) paces the next try
    let waited_inside = |state: &&State| {
        state.looked.iter().any(|look| {
            look.verdict == Verdict::Failure
                && (cx.call_name(look.op).contains("timeout")
                    || matches!(cx.callee(look.op), Callee::Own(item) if summary(cx, item).waits_somewhere()))
        })
    };
    if failing.iter().filter(|state| state.waits.is_empty()).any(waited_inside) {
        return false;
    }
    let asks = |cond: ExprId| asked_of(followed, ops, cond).is_some();
    let is_of_op = |call: ExprId| ops.iter().any(|op| cx.body.any(*op, |id| id == call));
    // the first condition on which two trips differ: where it asks how the operation failed, what follows is beside the point
    let parted_by_outcome = |with: &State, without: &State| {
        let parted = without.conds.iter().find(|(cond, truth)| with.conds.contains(&(*cond, !*truth)));
        parted.is_some_and(|(cond, truth)| {
            !asks_for_delay(cx, *cond) && (asks(*cond) || !*truth && is_limit(cx, *cond))
        })
            // something else done in between makes it another attempt: a redirect, a fresh token, a new connection
            && without.calls.iter().all(|call| is_of_op(*call) || !cx.is_awaited(*call))
    };
    let parted = failing.iter().filter(|state| state.waits.is_empty()).any(|without| {
        failing.iter().filter(|state| !state.waits.is_empty()).all(|with| parted_by_outcome(with, without))
    });
    if parted {
        return true;
    }
    // numbers decided it: the trip without a wait is the first (or the last) only
    let replayed = replay.waits.iter().skip(1).take(8).all(Option::is_some);
    let numbers = |state: &State| -> Vec<Event> {
        let is_number = |event: &Event| matches!(event, Event::Cond(..));
        state.trip_events().iter().filter(|event| is_number(event)).copied().collect()
    };
    let by_numbers = failing.iter().filter(|state| state.waits.is_empty()).all(|without| {
        let waiting = failing.iter().filter(|state| !state.waits.is_empty());
        numbers(without).iter().any(|event| waiting.clone().all(|with| !numbers(with).contains(event)))
    });
    if replayed && by_numbers {
        return false;
    }
    let conds = |state: &State, of_outcome: bool| -> Vec<(ExprId, bool)> {
        state.conds.iter().filter(|(cond, _)| asks(*cond) == of_outcome).copied().collect()
    };
    failing.iter().filter(|state| state.waits.is_empty()).any(|without| {
        failing.iter().filter(|state| !state.waits.is_empty()).all(|with| {
            let same_outcome = with.arms == without.arms && conds(with, true) == conds(without, true);
            // beside the outcome, the same conditions: the outcome alone decides
            !same_outcome && conds(without, false).iter().all(|cond| conds(with, false).contains(cond))
        })
    })
}

/// Whether a closure that the function is given waits between two tries, by its name: `wait_retry()`.
pub(super) fn asks_to_wait(cx: &Context<'_>, failing: &[&State]) -> bool {
    failing.iter().flat_map(|state| &state.calls).any(|call| {
        matches!(cx.callee(*call), Callee::Operand(_)) && says(&cx.words().delay, cx.call_name(*call))
    })
}

/// `if !delay.is_zero()`, `if backoff > Duration::ZERO`, `if let Some(delay) = self.delay`: whoever sets no delay wants none.
fn asks_for_delay(cx: &Context<'_>, cond: ExprId) -> bool {
    let delay = |id: ExprId| says(&cx.words().delay, &cx.base_text(id));
    cx.body.any(cond, |id| match &cx.body.expr(id).kind {
        ExprKind::Method(call) => call.name == "is_zero" && delay(call.receiver),
        ExprKind::Binary(_, left, right) => delay(*left) || delay(*right),
        ExprKind::Let(_, value) => delay(*value) && !says(&cx.words().hint, &cx.base_text(*value)),
        _ => false,
    })
}

/// `let Some(attempts) = limit`: where no limit is set, there is none, whatever else is left out with it.
fn is_limit(cx: &Context<'_>, cond: ExprId) -> bool {
    let ExprKind::Let(_, value) = cx.body.expr(cond).kind else { return false };
    cx.body.any(value, |id| match &cx.body.expr(id).kind {
        ExprKind::Path(path) => path.single().is_some_and(|name| says(&cx.words().attempts, name)),
        ExprKind::Field(_, name) => says(&cx.words().attempts, name),
        _ => false,
    })
}
