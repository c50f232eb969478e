//! Where waits are written, and what they are given: the delay, what stands for it where nobody says how long, the value of a function that gives one.
//! What cannot be pointed at is left out, and then nobody changes it.

use super::callees::Callee;
use super::context::Context;
use super::delay::rearmed;
use super::flow::State;
use super::handles::{clip, integer_type};
use super::summary::summary;
use crate::body::{BinOp, ExprId, ExprKind, PatKind, Ty};
use crate::knowledge::{Role, Unit};
use crate::model::{Handles, WaitAt};
use crate::resolve::Target;

/// Names that a delay is followed through.
const MOST_NAMES: u32 = 4;

/// The handles of failing paths that no loop of this body holds: their waits alone.
pub(crate) fn waits(cx: &Context<'_>, failing: &[&State], looped: Option<ExprId>) -> Handles {
    let mut calls: Vec<ExprId> = failing.iter().flat_map(|state| state.waits.iter().copied()).collect();
    calls.sort_by_key(|call| cx.body.expr(*call).span);
    calls.dedup();
    let told_only: Vec<ExprId> =
        calls.iter().copied().filter(|call| is_told_only(cx, *call, failing)).collect();
    calls.retain(|call| !told_only.contains(call));
    let found: Vec<Option<WaitAt>> = calls.iter().map(|call| wait_at(cx, *call, looped)).collect();
    let inside = match calls.as_slice() {
        [only] => wait_inside(cx, *only),
        _ => None,
    };
    Handles {
        inside: inside.filter(|_| found.iter().all(Option::is_none)),
        more_waits: found.iter().any(Option::is_none),
        waits: found.into_iter().flatten().collect(),
        ..Handles::default()
    }
}

/// Whether a call is somebody's who is told how long is waited, and waits not: something beside it waits on each failing trip.
fn is_told_only(cx: &Context<'_>, call: ExprId, failing: &[&State]) -> bool {
    let waits_itself =
        |other: &ExprId| *other != call && matches!(cx.role(*other), Some(Role::Wait { arg: Some(_), .. }));
    matches!(cx.callee(call), Callee::Operand(_))
        && failing
            .iter()
            .filter(|state| state.waits.contains(&call))
            .all(|state| state.waits.iter().any(waits_itself))
}

/// The handle of a function that computes a delay: the value that it gives, where it gives one in one place.
pub(crate) fn of_schedule(cx: &Context<'_>, ret: &Ty) -> Handles {
    let is_duration = is_duration(cx, ret);
    let leaves_early = cx.body.exprs().any(|(id, expr)| {
        matches!(expr.kind, ExprKind::Return(_) | ExprKind::Try(_)) && cx.task_around(id).is_none()
    });
    let call = cx.place(cx.body.root);
    let value = value_of(cx, cx.body.root).filter(|_| !leaves_early);
    let (Some(call), Some(delay)) = (call, value.and_then(|value| cx.place(value))) else {
        return Handles { more_waits: true, ..Handles::default() };
    };
    let given = delay.clone();
    Handles {
        waits: vec![WaitAt { call, delay, given, fallback: None, is_duration, direct: true }],
        clip: clip(cx, cx.body.root),
        ..Handles::default()
    }
}

/// The same of a closure that gives a `Duration`.
pub(crate) fn of_closure(cx: &Context<'_>, body: ExprId) -> Option<WaitAt> {
    let value = if cx.body.block(body).is_some() { value_of(cx, body)? } else { body };
    let leaves_early = cx.body.any(body, |id| matches!(cx.body.expr(id).kind, ExprKind::Return(_)));
    let is_duration = cx.type_of(value).is_some_and(|ty| is_duration(cx, &ty));
    let delay = cx.place(value).filter(|_| is_duration && !leaves_early)?;
    Some(WaitAt {
        call: cx.place(body)?,
        given: delay.clone(),
        delay,
        fallback: None,
        is_duration,
        direct: true,
    })
}

/// Whether a type is std's `Duration`, or one that may be missing.
fn is_duration(cx: &Context<'_>, ty: &Ty) -> bool {
    if ty.name() == "Option" {
        return ty.args.first().is_some_and(|inner| is_duration(cx, inner));
    }
    matches!(cx.krate.path(cx.at, &ty.path), Target::External(full) if cx.knowledge.is_duration(&full))
}

/// The expression whose value a block has: its tail, or what a variable holds that is only given on.
fn value_of(cx: &Context<'_>, id: ExprId) -> Option<ExprId> {
    let tail = cx.body.block(id)?.tail?;
    let inside = match &cx.body.expr(tail).kind {
        ExprKind::Call(_, args) if cx.call_name(tail) == "Some" => *args.first()?,
        _ => tail,
    };
    Some(held(cx, inside, None))
}

/// The wait that a function of the crate makes for its caller, in that function.
fn wait_inside(cx: &Context<'_>, call: ExprId) -> Option<WaitAt> {
    let Callee::Own(item) = cx.callee(call) else { return None };
    let wait = summary(cx, item).wait?;
    let inner = cx.inside(item)?;
    wait_at(&inner, wait, None)
}

fn wait_at(cx: &Context<'_>, call: ExprId, looped: Option<ExprId>) -> Option<WaitAt> {
    let args = cx.args(call);
    if let Some(until) = rearmed(cx, call) {
        // a timer that is set for other ends too is none of this loop's delays
        if !is_after_failure(cx, until) {
            return None;
        }
        let given = ahead(cx, until)?;
        let (call, delay) = (cx.place(call)?, cx.place(held(cx, given, looped))?);
        return Some(WaitAt {
            call,
            delay,
            given: cx.place(given)?,
            fallback: None,
            is_duration: true,
            direct: false,
        });
    }
    let (given, is_duration, direct) = match cx.callee(call) {
        Callee::Known(entry, _) => match &entry.role {
            // of a point in time what it is ahead of now; it is none that another wait could be given
            Role::Wait { arg: Some(arg), unit: Unit::Until, .. } => {
                // one that is kept may be set for other ends
                let awaited = |at: &ExprId| matches!(cx.body.expr(*at).kind, ExprKind::Await(_));
                cx.parent(call).filter(awaited)?;
                (ahead(cx, *args.get(*arg)?)?, true, false)
            }
            Role::Wait { arg: Some(arg), unit, .. } => {
                let given = *args.get(*arg)?;
                // a closure that is called `sleep` may be given a number
                (given, *unit == Unit::Duration && integer_type(cx, given).is_none(), true)
            }
            _ => return None,
        },
        // a plain number may as well be that of the attempt
        Callee::Own(_) | Callee::Operand(_) | Callee::Foreign(_) | Callee::Unknown => {
            let of_own_type = |arg: ExprId| cx.type_of(arg).is_some_and(|ty| is_duration(cx, &ty));
            let mut durations = args
                .iter()
                .enumerate()
                .filter(|(at, arg)| of_own_type(**arg) || is_given_as_duration(cx, call, *at));
            match (durations.next(), durations.next()) {
                (Some((_, given)), None) => (*given, true, false),
                (None, _) => (cx.handed_delay(call)?, false, false),
                _ => return None,
            }
        }
        Callee::Closure(_) => return None,
    };
    Some(WaitAt {
        call: cx.place(call)?,
        delay: cx.place(held(cx, given, looped))?,
        given: cx.place(given)?,
        fallback: looped.and_then(|looped| cx.place(fallback(cx, given, looped, MOST_NAMES)?)),
        is_duration,
        direct,
    })
}

/// What is waited where nobody says how long on a trip: of `hint.unwrap_or(delay)` the delay, also behind names and with something added, and what
/// a variable begins with that is told another delay.
fn fallback(cx: &Context<'_>, given: ExprId, looped: ExprId, left: u32) -> Option<ExprId> {
    let left = left.checked_sub(1)?;
    let span = cx.body.expr(looped).span;
    if let Some(local) = cx.body.local(given) {
        let init = cx.init(local).filter(|init| span.contains(cx.body.expr(*init).span))?;
        let is_told = cx.body.any(looped, |id| {
            matches!(cx.body.expr(id).kind, ExprKind::Assign(place, _) if cx.body.local(place) == Some(local))
        });
        return fallback(cx, init, looped, left).or(Some(init).filter(|_| is_told));
    }
    match &cx.body.expr(given).kind {
        ExprKind::Binary(BinOp::Add, one, _) => fallback(cx, *one, looped, left),
        ExprKind::Method(call) => {
            let arg = *call.args.first()?;
            match call.name.as_str() {
                "saturating_add" => fallback(cx, call.receiver, looped, left),
                // a setting that may be missing is the same on each trip
                "unwrap_or" if is_of_trip(cx, call.receiver, looped) => Some(arg),
                "unwrap_or_else" if is_of_trip(cx, call.receiver, looped) => {
                    let ExprKind::Closure { body, .. } = cx.body.expr(arg).kind else { return None };
                    match cx.body.block(body) {
                        Some(block) => block.tail.filter(|_| block.stmts.is_empty()),
                        None => Some(body),
                    }
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether an expression reads what a trip binds.
fn is_of_trip(cx: &Context<'_>, id: ExprId, looped: ExprId) -> bool {
    let span = cx.body.expr(looped).span;
    cx.body.any(id, |at| cx.body.local(at).is_some_and(|local| span.contains(cx.body.pat(local).span)))
}

/// Whether an expression stands in an arm or block that is entered with an error.
fn is_after_failure(cx: &Context<'_>, id: ExprId) -> bool {
    let span = cx.body.expr(id).span;
    let is_error = |pat| cx.body.variant(pat).is_some_and(|path| path.last() == "Err");
    cx.body.exprs().any(|(_, expr)| match &expr.kind {
        ExprKind::Match(_, arms) => {
            arms.iter().any(|arm| is_error(arm.pat) && cx.body.expr(arm.body).span.contains(span))
        }
        ExprKind::If { cond, then, .. } => match cx.body.expr(*cond).kind {
            ExprKind::Let(pat, _) => is_error(pat) && cx.body.expr(*then).span.contains(span),
            _ => false,
        },
        _ => false,
    })
}

/// What is added to now: `Instant::now() + delay`.
fn ahead(cx: &Context<'_>, until: ExprId) -> Option<ExprId> {
    let ExprKind::Binary(BinOp::Add, now, delay) = cx.body.expr(cx.behind_name(until)).kind else {
        return None;
    };
    // ahead of anything else it is no delay: a deadline, a period
    let ExprKind::Call(callee, _) = &cx.body.expr(now).kind else { return None };
    let ExprKind::Path(path) = &cx.body.expr(*callee).kind else { return None };
    // of another clock the difference may be of another type
    let is_instant = path.segments.ends_with(&["Instant".to_owned(), "now".to_owned()]);
    is_instant.then_some(delay)
}

/// Whether the function of the crate that is called takes a `Duration` there.
fn is_given_as_duration(cx: &Context<'_>, call: ExprId, at: usize) -> bool {
    let Callee::Own(item) = cx.callee(call) else { return false };
    let Some(inner) = cx.inside(item) else { return false };
    let param = cx.receivers(call, &inner).and_then(|shift| inner.body.params.get(at.checked_sub(shift)?));
    // what may be missing is no amount
    param.and_then(|it| it.ty.as_ref()).is_some_and(|ty| ty.name() != "Option" && is_duration(&inner, ty))
}

/// What a variable that never changes was given, where that is made anew on each trip; so that what is logged is what is waited.
fn held(cx: &Context<'_>, given: ExprId, looped: Option<ExprId>) -> ExprId {
    let made = || {
        let local = cx.body.local(given)?;
        let PatKind::Bind { mutable: false, .. } = cx.body.pat(local).kind else { return None };
        let init = cx.init(local)?;
        let inside = looped.is_none_or(|looped| cx.body.expr(looped).span.contains(cx.body.expr(init).span));
        inside.then_some(init)
    };
    // what is chosen between several stays as it is: each way has its own sense
    let simple =
        |init: &ExprId| !matches!(cx.body.expr(*init).kind, ExprKind::Match(..) | ExprKind::If { .. });
    made().filter(simple).unwrap_or(given)
}
