//! Where the parts of a hand-written policy are written: its waits and what they are given, what counts its attempts, where success goes round.
//! It says where, and decides nothing: what cannot be pointed at is left out, and then nobody changes it.

use super::classify::failed_ops;
use super::context::{Callee, Context};
use super::delay::rearmed;
use super::flow::{Event, LoopRecord, Op, State, Verdict};
use super::summary::summary;
use crate::body::{BinOp, ExprId, ExprKind, Lit, Local, PatId, PatKind, Stmt, Ty};
use crate::knowledge::{Role, Unit};
use crate::model::{Clip, Counter, FailureAt, Handles, Kind, Place, ReplyAt, Success, WaitAt};
use crate::resolve::Target;

/// Rust's integer types.
const INTEGERS: &[&str] =
    &["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"];

/// Names that a delay is followed through.
const MOST_NAMES: u32 = 4;

/// The handles of a loop.
pub(crate) fn of_loop(
    cx: &Context<'_>,
    id: ExprId,
    record: &LoopRecord,
    failing: &[&State],
    main: Option<Op>,
    kind: Kind,
) -> Handles {
    let connects = main.filter(|_| kind == Kind::Reconnect);
    let waits = waits(cx, failing, Some(id));
    let waits_too = waiting(record, failing);
    let counter = ranged(cx, id).or_else(|| stepped(cx, id, &waits_too));
    Handles {
        counter_inside: counter.as_ref().and_then(|counter| counter_inside(cx, counter, failing)),
        counter,
        success: success(cx, id, record, failing, connects, matches!(kind, Kind::Retry | Kind::Helper)),
        after_failure_only: waits_too.iter().all(|state| has_failed(state)),
        hinted: failing.iter().any(|state| state.marks.hint),
        clip: clip(cx, id),
        failures: failures(cx, id, failing, main),
        replies: replies(cx, id, failing, main),
        ..waits
    }
}

/// The trips that come back and wait as a failing one does, whatever they saw: what is waited there changes for all of them.
fn waiting<'s>(record: &'s LoopRecord, failing: &[&'s State]) -> Vec<&'s State> {
    let as_failing = |state: &&State| {
        state.waits.iter().any(|wait| failing.iter().any(|other| other.waits.contains(wait)))
    };
    record.backs.iter().filter(as_failing).collect()
}

/// Whether something failed on a trip.
fn has_failed(state: &State) -> bool {
    state.looked.iter().any(|look| look.verdict == Verdict::Failure && !look.at_head)
}

/// What counts the attempts in the function that waits for its caller: the parameter that is given the caller's counter as it is.
fn counter_inside(cx: &Context<'_>, counter: &Counter, failing: &[&State]) -> Option<Counter> {
    let mut calls = failing.iter().flat_map(|state| state.waits.iter().copied());
    let call = calls.next().filter(|first| calls.all(|other| other == *first))?;
    let Callee::Own(item) = cx.callee(call) else { return None };
    let is_counter = |arg: &ExprId| matches!(&cx.body.expr(*arg).kind, ExprKind::Path(path) if path.single() == Some(counter.name.as_str()));
    let at = cx.args(call).iter().position(is_counter)?;
    let inner = cx.inside(item)?;
    let param = inner.body.params.get(at.checked_sub(receivers(cx, call, &inner)?)?)?;
    let ty = param.ty.as_ref().filter(|ty| INTEGERS.contains(&ty.name()))?;
    let PatKind::Bind { name, mutable: false, .. } = &inner.body.pat(param.pat).kind else { return None };
    Some(Counter { name: name.clone(), ty: ty.name().to_owned(), first: counter.first })
}

/// How many of a call's arguments are no parameters: by path a method's receiver stands among the arguments.
fn receivers(cx: &Context<'_>, call: ExprId, inner: &Context<'_>) -> Option<usize> {
    cx.args(call).len().checked_sub(inner.body.params.len())
}

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
    let param = receivers(cx, call, &inner).and_then(|shift| inner.body.params.get(at.checked_sub(shift)?));
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

/// The first `(grown + drawn).min(cap)` in here, or `min(…)` of them.
fn clip(cx: &Context<'_>, within: ExprId) -> Option<Clip> {
    let mut found = None;
    cx.body.walk(within, &mut |id| {
        if found.is_none() && cx.call_name(id) == "min" {
            found = clip_of(cx, id);
        }
        found.is_none()
    });
    found
}

fn clip_of(cx: &Context<'_>, id: ExprId) -> Option<Clip> {
    let operands = cx.operands(id);
    let [one, other] = operands.as_slice() else { return None };
    [(*one, *other), (*other, *one)].into_iter().find_map(|(capped, cap)| {
        let sum = cx.behind_name(capped);
        let (left, right) = match &cx.body.expr(sum).kind {
            ExprKind::Binary(BinOp::Add, left, right) => (*left, *right),
            ExprKind::Method(call) if call.name == "saturating_add" => (call.receiver, *call.args.first()?),
            _ => return None,
        };
        let (grown, drawn) = match (draws(cx, left), draws(cx, right)) {
            (false, true) => (left, right),
            (true, false) => (right, left),
            _ => return None,
        };
        // a random part that is measured by what grows would have to be cut with it
        if shares_a_variable(cx, grown, drawn) {
            return None;
        }
        Some(Clip {
            whole: cx.place(id)?,
            capped: cx.place(capped)?,
            sum: cx.place(sum)?,
            grown: cx.place(grown)?,
            drawn: cx.place(drawn)?,
            cap: cx.place(cap)?,
        })
    })
}

/// Whether two expressions read the same variable, also behind a name.
fn shares_a_variable(cx: &Context<'_>, one: ExprId, other: ExprId) -> bool {
    let reads = |id: ExprId| {
        let at = cx.behind_name(id);
        let mut found: Vec<Local> = Vec::new();
        cx.body.walk(at, &mut |inner| {
            found.extend(cx.body.local(inner));
            true
        });
        found.extend(cx.body.local(id));
        found
    };
    let drawn = reads(other);
    reads(one).iter().any(|local| drawn.contains(local))
}

/// Whether an expression draws a random value, or is a variable that was drawn.
fn draws(cx: &Context<'_>, id: ExprId) -> bool {
    let at = cx.behind_name(id);
    cx.body.any(at, |inner| matches!(cx.role(inner), Some(Role::Random { .. })))
}

/// The variable of a `for` over a range that begins with a written number.
fn ranged(cx: &Context<'_>, id: ExprId) -> Option<Counter> {
    let ExprKind::For { pat, iter, .. } = &cx.body.expr(id).kind else { return None };
    let PatKind::Bind { name, .. } = &cx.body.pat(*pat).kind else { return None };
    let ExprKind::Range { start: Some(start), end, .. } = cx.body.expr(*iter).kind else { return None };
    let ExprKind::Lit(Lit::Int(first, suffix)) = &cx.body.expr(start).kind else { return None };
    let first = u32::try_from(*first).ok()?;
    let by_end =
        || end.and_then(|end| integer_type(cx, end)).or_else(|| compared(cx, cx.body.local_of(*pat)));
    let ty = Some(suffix.clone()).filter(|suffix| !suffix.is_empty()).or_else(by_end);
    Some(Counter { name: name.clone(), ty: ty.unwrap_or_default(), first })
}

/// The variable that every trip that waits moves on by one, and that nothing else changes.
fn stepped(cx: &Context<'_>, id: ExprId, waiting: &[&State]) -> Option<Counter> {
    let looped = cx.body.expr(id).span;
    let mut found: Option<Counter> = None;
    for (place, local) in steps_in(cx, id) {
        let PatKind::Bind { name, .. } = &cx.body.pat(local).kind else { continue };
        let Some(init) = cx.init(local).filter(|init| !looped.contains(cx.body.expr(*init).span)) else {
            continue;
        };
        let ExprKind::Lit(Lit::Int(start, suffix)) = &cx.body.expr(init).kind else { continue };
        let mut before = waiting.iter().map(|state| steps_before_wait(cx, state, local));
        let Some(first) = before.next().flatten() else { continue };
        if before.any(|other| other != Some(first)) {
            continue;
        }
        let Ok(start) = u32::try_from(*start) else { continue };
        let by_use = || integer_type(cx, place).or_else(|| compared(cx, local));
        let ty = Some(suffix.clone()).filter(|suffix| !suffix.is_empty()).or_else(by_use);
        let counter = Counter { name: name.clone(), ty: ty.unwrap_or_default(), first: start + first };
        found.get_or_insert(counter);
    }
    found
}

/// Assignments `n += 1` in a loop whose variable nothing else there assigns.
fn steps_in(cx: &Context<'_>, id: ExprId) -> Vec<(ExprId, Local)> {
    let mut steps: Vec<(ExprId, Local)> = Vec::new();
    let mut others: Vec<Local> = Vec::new();
    cx.body.walk(id, &mut |at| {
        match &cx.body.expr(at).kind {
            ExprKind::AssignOp(BinOp::Add, left, right) if is_one(cx, *right) => {
                steps.extend(cx.body.local(*left).map(|local| (*left, local)));
            }
            ExprKind::AssignOp(_, left, _) | ExprKind::Assign(left, _) => others.extend(cx.body.local(*left)),
            _ => {}
        }
        true
    });
    steps.retain(|(_, local)| !others.contains(local));
    steps
}

fn is_one(cx: &Context<'_>, id: ExprId) -> bool {
    matches!(cx.body.expr(id).kind, ExprKind::Lit(Lit::Int(1, _)))
}

/// How often a failing trip moves a variable on before it waits; `None` where it does so not just once in all.
fn steps_before_wait(cx: &Context<'_>, trip: &State, local: Local) -> Option<u32> {
    let (mut before, mut after, mut waited) = (0, 0, false);
    for event in trip.trip_events() {
        match event {
            Event::Wait(_) => waited = true,
            Event::Assign(id) => {
                if let ExprKind::AssignOp(_, left, _) = cx.body.expr(*id).kind
                    && cx.body.local(left) == Some(local)
                {
                    *(if waited { &mut after } else { &mut before }) += 1;
                }
            }
            _ => {}
        }
    }
    (waited && before + after == 1).then_some(before)
}

/// The type of what a variable is compared with, or that of a parameter that it is given to.
fn compared(cx: &Context<'_>, local: Local) -> Option<String> {
    cx.body.exprs().find_map(|(id, expr)| match &expr.kind {
        ExprKind::Binary(op, left, right) if op.compares() => {
            let (left, right) = (*left, *right);
            let other = if cx.body.local(left) == Some(local) { right } else { left };
            let either = [left, right].iter().any(|side| cx.body.local(*side) == Some(local));
            either.then(|| integer_type(cx, other)).flatten()
        }
        ExprKind::Method(call) if call.name.ends_with("pow") => {
            call.args.iter().any(|arg| cx.body.local(*arg) == Some(local)).then(|| "u32".to_owned())
        }
        ExprKind::Call(..) | ExprKind::Method(_) => given_to(cx, id, local),
        _ => None,
    })
}

/// The integer type of the parameter of this crate's function that a variable is given to.
fn given_to(cx: &Context<'_>, call: ExprId, local: Local) -> Option<String> {
    let at = cx.args(call).iter().position(|arg| cx.body.local(*arg) == Some(local))?;
    let Callee::Own(item) = cx.callee(call) else { return None };
    let inner = cx.inside(item)?;
    let ty = inner.body.params.get(at.checked_sub(receivers(cx, call, &inner)?)?)?.ty.as_ref()?;
    INTEGERS.contains(&ty.name()).then(|| ty.name().to_owned())
}

/// The integer type of an expression, where it is written somewhere.
fn integer_type(cx: &Context<'_>, id: ExprId) -> Option<String> {
    let ty = cx.type_of(id)?;
    INTEGERS.contains(&ty.name()).then(|| ty.name().to_owned())
}

/// What becomes of trips on which what failed elsewhere succeeded.
/// Of a connection that is kept alive, that it was made is the success, whatever fails in it later.
fn success(
    cx: &Context<'_>,
    id: ExprId,
    record: &LoopRecord,
    failing: &[&State],
    connects: Option<Op>,
    retries: bool,
) -> Success {
    let ops: Vec<Op> = match connects {
        Some(op) => vec![op],
        None => failing.iter().flat_map(|state| failed_ops(state)).collect(),
    };
    let worked = |state: &&State| {
        let of = |verdict| {
            state.looked.iter().any(|look| look.verdict == verdict && ops.contains(&look.op) && !look.at_head)
        };
        // a reply that tells a failure inside is a failure, although it came
        let failed = || connects.is_none() && failing.iter().any(|trip| std::ptr::eq(*trip, *state));
        of(Verdict::Success) && !of(Verdict::Failure) && !failed()
    };
    // of a retry what waits and tries again is no success: that one leaves
    let backs: Vec<&State> =
        record.backs.iter().filter(worked).filter(|state| !retries || state.waits.is_empty()).collect();
    if backs.is_empty() {
        return Success::Leaves;
    }
    // a wait that comes only after a success is never longer than the first: what would double is set back before
    let begun = |state: &&State| {
        state.looked.iter().any(|look| look.verdict == Verdict::Success && connects == Some(look.op))
    };
    let never_grows = |wait: &ExprId| failing.iter().filter(|state| state.waits.contains(wait)).all(&begun);
    if failing.iter().flat_map(|state| &state.waits).any(never_grows) {
        return Success::Unseen;
    }
    let blocks = blocks_of_success(cx, id, &ops);
    // every such trip must come through one of them, and that shows by what it binds there
    if blocks.is_empty() { Success::Unseen } else { Success::GoesOn(blocks) }
}

/// The arms and blocks that are entered with the operation's error and do not leave.
fn failures(cx: &Context<'_>, id: ExprId, failing: &[&State], main: Option<Op>) -> Vec<FailureAt> {
    let ops: Vec<Op> = failing.iter().flat_map(|state| failed_ops(state)).collect();
    let krate = main.and_then(|op| crate_of(cx, op));
    let gives = cx.body.ret.as_ref().and_then(|ret| error_crate(cx, ret));
    let same_error = krate.is_some() && krate == gives;
    let mut found = Vec::new();
    let mut add = |pat, body: ExprId, is_arm| {
        let Some(error) = error_name(cx, pat).filter(|_| !leaves(cx, body)) else { return };
        let pattern = cx.krate.file(cx.at).map(|file| file.place(cx.body.pat(pat).span));
        if let (Some(body), Some(pattern)) = (cx.place(body), pattern) {
            found.push(FailureAt { body, pattern, is_arm, error, krate: krate.clone(), same_error });
        }
    };
    cx.body.walk(id, &mut |at| {
        match &cx.body.expr(at).kind {
            ExprKind::Match(value, arms) if is_of(cx, *value, &ops) => {
                for arm in arms.iter().filter(|arm| arm.guard.is_none()) {
                    add(arm.pat, arm.body, true);
                }
            }
            ExprKind::If { cond, then, .. } => {
                if let ExprKind::Let(pat, value) = cx.body.expr(*cond).kind
                    && is_of(cx, value, &ops)
                {
                    add(pat, *then, false);
                }
            }
            _ => {}
        }
        !is_inner(cx, id, at)
    });
    found
}

/// The variables of a loop that hold the reply of an operation that failed by what it answered.
fn replies(cx: &Context<'_>, id: ExprId, failing: &[&State], main: Option<Op>) -> Vec<ReplyAt> {
    let mut ops: Vec<Op> =
        failing.iter().flat_map(|state| state.looked.iter().map(|look| look.op)).chain(main).collect();
    ops.sort_unstable();
    ops.dedup();
    let mut found: Vec<ReplyAt> = Vec::new();
    let mut add = |pat: PatId, value: ExprId, whole: bool| {
        let at = reply_of(cx, value, whole);
        let Some(krate) = ops.iter().find(|op| **op == at).and_then(|op| crate_of(cx, *op)) else { return };
        let inside = match &cx.body.pat(pat).kind {
            PatKind::TupleStruct(path, inside) if !whole && path.last() == "Ok" => inside.first().copied(),
            PatKind::Bind { .. } if whole => Some(pat),
            _ => None,
        };
        let Some(bound) = inside else { return };
        let PatKind::Bind { name, sub: None, .. } = &cx.body.pat(bound).kind else { return };
        let place = cx.krate.file(cx.at).map(|file| file.place(cx.body.pat(bound).span));
        found.extend(place.map(|bound| ReplyAt { bound, name: name.clone(), krate }));
    };
    cx.body.walk(id, &mut |at| {
        match &cx.body.expr(at).kind {
            ExprKind::Match(value, arms) => arms.iter().for_each(|arm| add(arm.pat, *value, false)),
            ExprKind::Let(pat, value) => add(*pat, *value, false),
            ExprKind::Block(block) => {
                for stmt in &block.stmts {
                    if let Stmt::Let { pat, init: Some(init), otherwise, .. } = stmt {
                        add(*pat, *init, otherwise.is_none());
                    }
                }
            }
            _ => {}
        }
        !is_inner(cx, id, at)
    });
    found
}

/// The call whose reply a value is: without `.await`, and where it is the reply and no `Result` of it, without `?`.
fn reply_of(cx: &Context<'_>, value: ExprId, whole: bool) -> ExprId {
    let mut at = if whole { value } else { cx.behind_name(value) };
    let mut opened = false;
    loop {
        match &cx.body.expr(at).kind {
            ExprKind::Try(inner) if whole && !opened => (at, opened) = (*inner, true),
            ExprKind::Method(call)
                if whole && !opened && matches!(call.name.as_str(), "unwrap" | "expect") =>
            {
                (at, opened) = (call.receiver, true);
            }
            ExprKind::Await(inner) => at = *inner,
            // a `Result` that is bound as it is
            _ if whole && !opened => return value,
            _ => return at,
        }
    }
}

/// What `Err(name)` binds.
fn error_name(cx: &Context<'_>, pat: PatId) -> Option<String> {
    let PatKind::TupleStruct(path, inside) = &cx.body.pat(pat).kind else { return None };
    let [only] = inside.as_slice() else { return None };
    match &cx.body.pat(*only).kind {
        _ if path.last() != "Err" => None,
        PatKind::Bind { name, sub: None, .. } => Some(name.clone()),
        PatKind::Wild => Some("_".to_owned()),
        _ => None,
    }
}

/// Whether a block ends by leaving.
fn leaves(cx: &Context<'_>, body: ExprId) -> bool {
    let last = match cx.body.block(body) {
        Some(block) => block.tail.or(match block.stmts.last() {
            Some(Stmt::Expr(last)) => Some(*last),
            _ => None,
        }),
        None => Some(body),
    };
    last.is_some_and(|last| {
        matches!(cx.body.expr(last).kind, ExprKind::Return(_) | ExprKind::Break(..))
            || matches!(cx.role(last), Some(Role::Diverge | Role::Bail { .. }))
    })
}

/// The crate whose call an operation is.
fn crate_of(cx: &Context<'_>, op: Op) -> Option<String> {
    let path = match &cx.body.expr(op).kind {
        ExprKind::Method(call) => cx.type_of(call.receiver).or_else(|| cx.type_of(cx.chain_root(op)))?.path,
        ExprKind::Call(callee, _) => match &cx.body.expr(*callee).kind {
            ExprKind::Path(path) => match cx.krate.path(cx.at, &path.segments) {
                Target::External(full) => full,
                _ => return None,
            },
            _ => return None,
        },
        _ => return None,
    };
    path.first().filter(|first| *first != "crate").cloned()
}

/// The crate of the errors that a type gives: of `Result<T, a::Error>` and `a::Result<T>`.
fn error_crate(cx: &Context<'_>, ret: &Ty) -> Option<String> {
    let named = if ret.args.len() == 2 { ret.args.get(1)? } else { ret };
    match cx.krate.path(cx.at, &named.path) {
        Target::External(full) => full.first().cloned(),
        _ => None,
    }
}

/// Whether a value is what one of these operations gave, also behind a name.
fn is_of(cx: &Context<'_>, value: ExprId, ops: &[Op]) -> bool {
    let value = cx.behind_name(value);
    ops.iter().any(|op| cx.body.expr(value).span.contains(cx.body.expr(*op).span))
}

/// What an inner loop or task does is its own business.
fn is_inner(cx: &Context<'_>, looped: ExprId, at: ExprId) -> bool {
    let kind = &cx.body.expr(at).kind;
    at != looped && (kind.is_loop() || matches!(kind, ExprKind::Closure { .. }))
}

/// The blocks that are entered when one of these operations succeeded: `Ok(..) => { … }`, `if let Ok(..) = op { … }`.
fn blocks_of_success(cx: &Context<'_>, id: ExprId, ops: &[Op]) -> Vec<Place> {
    let is_success = |pat| cx.body.variant(pat).is_some_and(|path| matches!(path.last(), "Ok" | "Some"));
    let mut found = Vec::new();
    cx.body.walk(id, &mut |at| {
        match &cx.body.expr(at).kind {
            ExprKind::Match(value, arms) if is_of(cx, *value, ops) => {
                found.extend(arms.iter().filter(|arm| is_success(arm.pat)).map(|arm| arm.body));
            }
            ExprKind::If { cond, then, .. } => {
                if let ExprKind::Let(pat, value) = cx.body.expr(*cond).kind
                    && is_success(pat)
                    && is_of(cx, value, ops)
                {
                    found.push(*then);
                }
            }
            _ => {}
        }
        !is_inner(cx, id, at)
    });
    // what leaves begins nothing anew
    found.into_iter().filter(|block| !leaves(cx, *block)).filter_map(|block| cx.place(block)).collect()
}
