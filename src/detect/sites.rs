//! Puts a site together: what a loop was classified as, and what its delay, bounds and errors were read as.

use super::bounds::{Bounds, bounds};
use super::classify::{Classified, classify};
use super::context::{Callee, Context};
use super::delay::{self, Replay, Shown};
use super::errors::errors;
use super::flow::{Followed, LoopRecord, LoopShape, State};
use super::reads::asked_of;
use super::remote;
use super::summary::summary;
use crate::body::{ExprId, ExprKind};
use crate::knowledge::{Role, says};
use crate::model::{BoundKind, Confidence, Evidence, Fact, Growth, Jitter, Kind, Site};

/// The sites among the loops of a body.
pub(crate) fn of_loops(cx: &Context<'_>, followed: &Followed) -> Vec<Site> {
    followed
        .loops
        .iter()
        .filter_map(|(id, record)| {
            let classified = classify(cx, followed, *id, record)?;
            of_loop(cx, followed, *id, record, &classified)
        })
        .collect()
}

/// Calls that hand an operation to an engine that retries it: of this crate, or one that its name tells.
/// What the engine does is told at the engine; the call is listed so that `audit` shows every retry.
pub(crate) fn of_calls(cx: &Context<'_>) -> Vec<Site> {
    let words = cx.words();
    let mut sites = Vec::new();
    for (id, expr) in cx.body.exprs() {
        if !matches!(expr.kind, ExprKind::Call(..) | ExprKind::Method(_)) {
            continue;
        }
        let name = cx.call_name(id);
        let named = says(&words.retry, name)
            || crate::knowledge::parts(name).first().is_some_and(|part| part == "invoke");
        let given = cx.args(id).iter().copied().find(|arg| gives_operation(cx, *arg));
        let certain = match cx.callee(id) {
            Callee::Own(item) if item != cx.at => {
                let inner = summary(cx, item);
                inner.drives_operand || named && inner.loops
            }
            _ => false,
        };
        let by_name = named && given.is_some() && !matches!(cx.callee(id), Callee::Known(..));
        // `delete_with_retries(path, 15)`: the engine has its operation inside
        let inside = certain
            && named
            && given.is_none()
            && matches!(cx.callee(id), Callee::Own(item) if summary(cx, item).loops);
        let operation = if inside { Some(id) } else { given.filter(|_| certain || by_name) };
        let Some(operation) = operation else { continue };
        let Some(mut site) = begin(cx, id, Kind::Library) else { continue };
        site.confidence = Confidence::Medium;
        site.reasons.push("what the engine does is told where it is defined".into());
        site.why.push(cx.evidence(id, "hands this to an engine that retries it"));
        site.operation.text = Fact::Known(cx.text(operation), cx.evidence(operation, "this is tried again"));
        if let Some(answer) = remote::of_expr(cx, operation, super::summary::MOST_CALLS) {
            site.operation.remote = Fact::Known(answer.is, cx.evidence(operation, answer.why));
            if !answer.is {
                site.kind = Kind::Local;
            }
        }
        if let Callee::Own(item) = cx.callee(id)
            && let Some(engine) = engine_of(cx, item)
        {
            // the policy is the engine's, and its faults are told there: here it is only listed
            site.operation.remote = Fact::Unknown;
            site.delay = engine.delay;
            site.attempts = engine.attempts;
            site.errors = engine.errors;
            site.schedule = engine.schedule;
        }
        sites.push(site);
    }
    sites
}

/// The site in an engine's body that drives what it is given.
fn engine_of(cx: &Context<'_>, item: crate::resolve::ItemRef) -> Option<Site> {
    let inner = cx.inside(item)?;
    if !super::flow::is_worth_following(&inner) {
        return None;
    }
    let followed = super::flow::follow(&inner);
    of_loops(&inner, &followed).into_iter().find(|site| site.kind.is_real())
}

fn gives_operation(cx: &Context<'_>, id: ExprId) -> bool {
    match &cx.body.expr(id).kind {
        ExprKind::Closure { .. } | ExprKind::Async(_) => true,
        ExprKind::Path(_) => cx.body.local(id).and_then(|local| cx.init(local)).is_some_and(|init| {
            matches!(cx.body.expr(init).kind, ExprKind::Closure { .. } | ExprKind::Async(_))
        }),
        ExprKind::Ref(inner) => gives_operation(cx, *inner),
        _ => false,
    }
}

fn of_loop(
    cx: &Context<'_>,
    followed: &Followed,
    id: ExprId,
    record: &LoopRecord,
    classified: &Classified<'_>,
) -> Option<Site> {
    let mut site = begin(cx, id, classified.kind)?;
    site.confidence = classified.confidence;
    site.reasons.clone_from(&classified.reasons);
    site.why.clone_from(&classified.why);
    if site.why.is_empty()
        && let Some(main) = classified.main
    {
        site.why.push(cx.evidence(main, "asked again here"));
    }
    operation(cx, classified, &mut site);
    if !site.kind.is_real() {
        // a thread that an executor needs is blocked by a poll as well
        if let Some(wait) = record.backs.iter().find_map(|state| state.waits.first()) {
            site.delay.blocking_in_async = Fact::Known(
                blocks(cx, *wait) && in_async(cx, record.within),
                cx.evidence(*wait, "blocks the thread of the executor"),
            );
        }
        return Some(site);
    }
    if !classified.told {
        return Some(site);
    }
    let bounds = bounds(cx, followed, id, record, &classified.failing, &classified.ops);
    let replay = delay::replay(cx, id, record, &classified.failing);
    let left: Vec<&State> = record.exits.iter().map(|(state, _)| state).collect();
    fill(
        cx,
        followed,
        record.within,
        &classified.failing,
        &left,
        &classified.ops,
        &bounds,
        &replay,
        &mut site,
    );
    if record.shape == LoopShape::Each
        && bounds.kind == Some(BoundKind::Bounded)
        && site.delay.growth.is(&Growth::None)
        && site.kind == Kind::Retry
    {
        // an iterator that is not a count and is never waited for: which it is, a list of targets or a number of tries, nobody can tell
        site.confidence = Confidence::Medium;
    }
    Some(site)
}

/// A site of which only the place is known.
pub(crate) fn begin(cx: &Context<'_>, id: ExprId, kind: Kind) -> Option<Site> {
    let place = cx.place(id)?;
    let mut site = Site::new(place, cx.krate.qualified_name(cx.at), kind);
    site.in_test = cx.krate.item(cx.at).is_some_and(|item| item.in_test)
        || cx.krate.file(cx.at).is_some_and(|file| file.in_test || file.outline.test_file);
    Some(site)
}

fn operation(cx: &Context<'_>, classified: &Classified<'_>, site: &mut Site) {
    let Some(main) = classified.main else { return };
    let evidence = cx.evidence(main, "this is tried again");
    site.operation.text = Fact::Known(cx.text(main), evidence.clone());
    if let Some(answer) = &classified.remote {
        site.operation.remote =
            Fact::Known(answer.is, Evidence { text: answer.why.clone(), ..evidence.clone() });
    }
    let (method, idempotent, blocking) = remote::method_of(cx, main);
    if let Some(method) = method {
        site.operation.method = Fact::Known(method, evidence.clone());
    }
    if let Some(idempotent) = idempotent {
        site.operation.idempotent = Fact::Known(idempotent, evidence.clone());
    }
    site.operation.blocking = Fact::Known(blocking, evidence);
}

/// Fills delay, attempts, errors and the rest from what was read of the failing trips.
#[allow(clippy::too_many_arguments)]
pub(crate) fn fill(
    cx: &Context<'_>,
    followed: &Followed,
    within: Option<ExprId>,
    failing: &[&State],
    left: &[&State],
    ops: &[ExprId],
    bounds: &Bounds,
    replay: &Replay,
    site: &mut Site,
) {
    let waits: Vec<ExprId> = failing.iter().flat_map(|state| state.waits.iter().copied()).collect();
    let wait = replay.calls.first().or(waits.first()).copied();
    attempts(bounds, replay, site);
    let max = site.attempts.max.value().map(|max| *max as u32);
    let shown = delay::read(replay, max);
    let unseen = may_wait_unseen(cx, followed, failing, ops);
    delay_facts(cx, &shown, replay, wait, !waits.is_empty(), unseen, site);
    if let Some(wait) = wait {
        let blocks = blocks(cx, wait) && in_async(cx, within);
        site.delay.blocking_in_async =
            Fact::Known(blocks, cx.evidence(wait, "blocks the thread of the executor"));
    }
    let without = failing.iter().find(|state| state.waits.is_empty());
    if let (Some(without), Some(_)) = (without, wait) {
        let looked = without.looked.iter().rev().find(|look| ops.contains(&look.op)).map(|look| look.op);
        let place = looked.or(ops.first().copied());
        let unseen = may_wait_unseen(cx, followed, &[*without], ops);
        let skips = !unseen && skips(followed, replay, failing, ops);
        site.delay.skipped_on_some_path = Fact::Known(
            skips,
            place.map_or_else(Evidence::default, |op| {
                cx.evidence(op, "a failure of this goes round without a wait")
            }),
        );
    } else if wait.is_some() {
        site.delay.skipped_on_some_path = Fact::known(false);
    }
    site.errors = errors(
        cx,
        followed,
        failing,
        left,
        ops,
        shown.server || failing.iter().any(|state| state.marks.hint),
    );
    if let Some(outcome) = bounds.outcome {
        site.exhaustion.outcome = Fact::known(outcome);
    }
    site.cancel.raced = Fact::known(failing.iter().any(|state| state.marks.cancel));
    site.visible = Fact::known(failing.iter().all(|state| state.marks.log));
    site.attempts.timeout = Fact::known(failing.iter().any(|state| state.marks.timeout));
}

/// Whether some failing trip really goes round without a wait, because of how the operation failed: a wait behind a condition that nobody
/// can read, or only on the first attempt, is no skip.
fn skips(followed: &Followed, replay: &Replay, failing: &[&State], ops: &[ExprId]) -> bool {
    // numbers decided it: the trip without a wait is the first (or the last) only
    let replayed = replay.waits.iter().skip(1).take(8).all(Option::is_some);
    let numbers = |state: &State| -> Vec<super::flow::Event> {
        let is_number = |event: &super::flow::Event| matches!(event, super::flow::Event::Cond(..));
        state.trip_events().iter().filter(|event| is_number(event)).copied().collect()
    };
    let by_numbers = failing.iter().filter(|state| state.waits.is_empty()).all(|without| {
        let waiting = failing.iter().filter(|state| !state.waits.is_empty());
        numbers(without).iter().any(|event| waiting.clone().all(|with| !numbers(with).contains(event)))
    });
    if replayed && by_numbers {
        return false;
    }
    let asks = |cond: ExprId| asked_of(followed, ops, cond).is_some();
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

fn attempts(bounds: &Bounds, replay: &Replay, site: &mut Site) {
    match (replay.max, bounds.kind) {
        (Some(max), _) => {
            site.attempts.kind = Fact::Known(BoundKind::Bounded, bounds.evidence.clone());
            site.attempts.max = Fact::Known(f64::from(max), bounds.evidence.clone());
        }
        (None, Some(kind)) => site.attempts.kind = Fact::Known(kind, bounds.evidence.clone()),
        (None, None) => {}
    }
}

fn delay_facts(
    cx: &Context<'_>,
    shown: &Shown,
    replay: &Replay,
    wait: Option<ExprId>,
    waits: bool,
    unseen: bool,
    site: &mut Site,
) {
    let evidence = |text: &str| wait.map_or_else(Evidence::default, |wait| cx.evidence(wait, text));
    let delay = &mut site.delay;
    let growth = match (shown.growth, waits) {
        (Some(Growth::None), true) => None,
        (growth, true) => growth,
        (_, false) if unseen => None,
        (_, false) => Some(Growth::None),
    };
    if let Some(growth) = growth {
        let text = match growth {
            Growth::None => "nothing is waited for",
            Growth::Constant => "waits the same each time",
            Growth::Random => "waits a random time",
            Growth::Server => "waits as long as the server says",
            Growth::Table => "waits as a table says",
            Growth::Linear => "waits longer each time",
            Growth::Exponential | Growth::Fibonacci => "waits a multiple longer each time",
        };
        delay.growth = Fact::Known(growth, evidence(text));
    }
    let jitter = if waits { shown.jitter } else { Some(Jitter::None) };
    if let Some(jitter) = jitter.filter(|_| growth.is_some()) {
        let text = if jitter == Jitter::None { "no random part in it" } else { "with a random part" };
        delay.jitter = Fact::Known(jitter, evidence(text));
    }
    let number = |value: Option<f64>, text: &str| match value {
        Some(value) if value.is_finite() => Fact::Known(value, evidence(text)),
        _ => Fact::Unknown,
    };
    delay.jitter_share = number(shown.jitter_share, "its random share");
    delay.first_s = number(shown.first_s, "the first delay");
    delay.cap_s = number(shown.cap_s, "the largest delay");
    delay.largest_s = number(shown.largest_s, "the largest delay that can happen");
    delay.total_s = number(shown.total_s, "all delays together");
    if let Some(clipped) = shown.clipped {
        delay.jitter_clipped = Fact::Known(clipped, evidence("the cap cuts the random part off"));
    }
    if let Some(capped) = shown.capped {
        delay.capped = Fact::Known(capped, evidence(if capped { "capped" } else { "nothing caps this" }));
    }
    if let Some(schedule) = &shown.schedule {
        site.schedule = Fact::Known(schedule.clone(), evidence("the first delays"));
    }
    if let Some((attempt, overflow)) = &replay.overflow {
        let reachable = replay.max.is_none_or(|max| *attempt <= max);
        if reachable {
            let at = overflow.at.clone();
            site.delay.overflows_at = Fact::Known(f64::from(*attempt), at.clone());
            site.delay.overflow = Fact::Known(overflow.how, at);
        }
    }
}

/// Whether a failing trip may wait where we cannot see it: in the operation itself, in a call that nobody knows, in a macro.
fn may_wait_unseen(cx: &Context<'_>, followed: &Followed, failing: &[&State], ops: &[ExprId]) -> bool {
    let words = cx.words();
    let hides = |call: ExprId, is_op: bool| match cx.callee(call) {
        Callee::Own(item) => {
            let inner = summary(cx, item);
            inner.wait.is_some() || !is_op && inner.is_async && cx.inside(item).is_none()
        }
        Callee::Operand(_) => true,
        Callee::Unknown | Callee::Foreign(_) | Callee::Closure(_) => {
            let name = cx.call_name(call);
            !is_op && (cx.is_awaited(call) || says(&words.delay, name) || says(&words.retry, name))
        }
        Callee::Known(entry, _) => {
            matches!(entry.role, Role::Event | Role::Timeout { .. } | Role::Accept | Role::Guard) && !is_op
        }
    };
    if ops.iter().any(|op| followed.operands.contains(op) && !matches!(cx.callee(*op), Callee::Operand(_))) {
        return true;
    }
    failing.iter().any(|state| {
        state.marks.event
            || state
                .calls
                .iter()
                .any(|call| hides(*call, ops.contains(call)) && !followed.operands.contains(call))
            || state.conds.iter().any(|(cond, _)| {
                cx.body.any(*cond, |id| {
                    matches!(cx.body.expr(id).kind, ExprKind::Call(..) | ExprKind::Method(_))
                        && !ops.contains(&id)
                        && (cx.is_awaited(id) || matches!(cx.callee(id), Callee::Operand(_)))
                })
            })
    }) || ops.iter().any(|op| near_unread_macro(cx, *op))
}

/// Whether the loop around an operation calls a macro whose tokens say nothing, or one of this crate's.
fn near_unread_macro(cx: &Context<'_>, op: ExprId) -> bool {
    let mut around = op;
    while let Some(parent) = cx.parent(around) {
        around = parent;
        if matches!(
            cx.body.expr(parent).kind,
            ExprKind::Loop { .. } | ExprKind::While { .. } | ExprKind::For { .. }
        ) {
            break;
        }
    }
    let mut found = false;
    cx.body.walk(around, &mut |id| {
        if let ExprKind::Macro(call) = &cx.body.expr(id).kind {
            let known = matches!(cx.callee(id), Callee::Known(..));
            let unread = matches!(call.input, crate::body::MacroInput::Words(_)) && !known;
            found |= unread || matches!(cx.callee(id), Callee::Own(_));
        }
        !found
    });
    found
}

/// Whether a wait blocks its thread: itself, or inside the function that it calls.
fn blocks(cx: &Context<'_>, wait: ExprId) -> bool {
    match cx.callee(wait) {
        Callee::Known(entry, certain) => {
            certain && matches!(entry.role, Role::Wait { blocking: true, event: false, .. })
        }
        Callee::Own(item) => {
            let inner = summary(cx, item);
            !inner.is_async
                && inner.wait.is_some_and(|wait| cx.inside(item).is_some_and(|inner| blocks(&inner, wait)))
        }
        _ => false,
    }
}

/// Whether code inside this closure or async block (or the function itself) runs on an executor.
pub(crate) fn in_async(cx: &Context<'_>, within: Option<ExprId>) -> bool {
    match within.map(|within| &cx.body.expr(within).kind) {
        Some(ExprKind::Async(_)) => true,
        Some(ExprKind::Closure { is_async, .. }) => *is_async,
        _ => cx.body.is_async,
    }
}
