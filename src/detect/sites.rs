//! Puts a site together: what a loop was classified as, and what its delay, bounds and errors were read as.

use super::apart::runs_apart;
use super::bounds::{Bounds, bounds, of_kept_alive};
use super::classify::{Classified, classify};
use super::context::{Callee, Context};
use super::delay::{self, Amount, Replay, Shown};
use super::errors::errors;
use super::flow::{Followed, LoopRecord, LoopShape, State};
use super::remote::Answer;
use super::summary::summary;
use super::unlooped::is_polled;
use super::{
    between, counts, exhaustion, handles, immediate, jitter, outside, paced_inside, remote, repeats,
    set_before, waits_at,
};
use crate::body::{ExprId, ExprKind, Lit};
use crate::knowledge::{Role, Words, is_one_of, says};
use crate::model::{BoundKind, Confidence, Delay, Evidence, Fact, Growth, Jitter, Kind, Place, Site};
use crate::resolve::{Crate, ItemRef};

/// The sites among the loops of a body.
pub(crate) fn of_loops(cx: &Context<'_>, followed: &Followed) -> Vec<Site> {
    let each = followed.loops.iter().filter_map(|(id, record)| {
        let classified = classify(cx, followed, *id, record)?;
        of_loop(cx, followed, *id, record, &classified)
    });
    let mut sites: Vec<Site> = each.collect();
    paced_inside::fill(cx, &mut sites);
    sites
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
        let given = cx.args(id).iter().copied().find(|arg| cx.is_work(*arg));
        let named = names_an_engine(words, name, given.is_some())
            || crate::knowledge::parts(name).first().is_some_and(|part| part == "invoke");
        let own = match cx.callee(id) {
            Callee::Own(item) if item != cx.at => Some((item, summary(cx, item))),
            _ => None,
        };
        // what calls a closure in a loop may as well draw with it, measure it or ask it: an engine tries it again after it failed
        let driver = own.as_ref().filter(|(_, inner)| inner.drives_operand).map(|(item, _)| *item);
        let engine = driver.and_then(|item| engine_of(cx, item, MOST_ENGINES));
        let certain = engine.is_some()
            || named && own.as_ref().is_some_and(|(_, inner)| inner.drives_operand || inner.loops);
        let by_name = named && given.is_some() && !matches!(cx.callee(id), Callee::Known(..));
        // `delete_with_retries(path, 15)`: the engine has its operation inside
        let inside = certain
            && named
            && given.is_none()
            && matches!(cx.callee(id), Callee::Own(item) if summary(cx, item).loops);
        let operation = if inside { Some(id) } else { given.filter(|_| certain || by_name) };
        let adapted = operation.is_none().then(|| adapter_of(cx, id)).flatten();
        let named_engine = is_named_engine(cx, name)
            && matches!(cx.callee(id), Callee::Unknown | Callee::Own(_) | Callee::Foreign(_));
        let operation = operation.or(adapted.is_some().then_some(id)).or(named_engine.then_some(id));
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
            && let Some(engine) = adapted.or(engine).or_else(|| engine_of(cx, item, MOST_ENGINES))
        {
            // the policy is the engine's, and its faults are told there: here it is only listed
            site.operation.remote = Fact::Unknown;
            site.delay = engine.delay;
            site.attempts = engine.attempts;
            site.errors = engine.errors;
            site.schedule = engine.schedule;
            set_before::correct(cx, id, item, &mut site);
            if !site.delay.growth.is_known() {
                super::library::say_given(cx, id, &mut site);
            }
            site.operation.idempotent = repeats::idempotent(cx, operation);
        }
        if named_engine && !site.attempts.kind.is_known() {
            site.attempts.kind = number_of_tries(cx, id);
        }
        sites.push(site);
    }
    sites
}

/// The one number that is written among what an engine out of sight is given, where the engine is named after what it counts:
/// `delete_with_retries(path, 15)`. Whether it counts tries or retries, nobody can tell.
fn number_of_tries(cx: &Context<'_>, call: ExprId) -> Fact<BoundKind> {
    let is_number = |arg: &&ExprId| matches!(cx.body.expr(**arg).kind, ExprKind::Lit(Lit::Int(..)));
    let mut numbers = cx.args(call).iter().filter(is_number);
    match (numbers.next(), numbers.next()) {
        (Some(number), None) if cx.call_name(call).ends_with('s') => {
            Fact::Known(BoundKind::Bounded, cx.evidence(*number, "as often as this"))
        }
        _ => Fact::Unknown,
    }
}

/// Whether a name says that its call tries something again. An attempt is also what is made once, and retrying is spoken of in records
/// and settings: where no work is given, those are no engines.
fn names_an_engine(words: &Words, name: &str, given: bool) -> bool {
    let parts = crate::knowledge::parts(name);
    let record = parts.len() > 1 && parts.last().is_some_and(|last| is_one_of(&words.records, last));
    let plain = || parts.iter().any(|part| !part.starts_with("attempt") && says(&words.retry, part));
    says(&words.retry, name)
        && (given && parts.last().is_none_or(|last| last != "attempt") || plain() && !record)
}

/// Engines that hand their operation on to another engine are followed this far.
pub(crate) const MOST_ENGINES: u32 = 3;

/// The site in an engine's body that drives what it is given: its loop, or the engine that it hands it on to.
pub(crate) fn engine_of(cx: &Context<'_>, item: ItemRef, left: u32) -> Option<Site> {
    cx.memo.engine(item, left, || read_engine(cx, item, left))
}

fn read_engine(cx: &Context<'_>, item: ItemRef, left: u32) -> Option<Site> {
    let left = left.checked_sub(1)?;
    let inner = cx.inside(item)?;
    if super::flow::is_worth_following(&inner) {
        let followed = super::flow::follow(&inner);
        let mut sites = of_loops(&inner, &followed);
        sites.extend(super::unlooped::of_body(&inner, &followed, &sites));
        if let Some(site) = sites.into_iter().find(|site| site.kind.is_real()) {
            return Some(site);
        }
    }
    policy_of(&inner).or_else(|| handed_on(&inner, item, left))
}

/// The policy that an engine runs what it is given with.
fn policy_of(inner: &Context<'_>) -> Option<Site> {
    let names_param = |text: &String| inner.body.params.iter().any(|param| is_named(inner, param.pat, text));
    let policies = super::library::of_body(inner);
    let mut of_param: Vec<Site> =
        policies.into_iter().filter(|site| site.operation.text.value().is_some_and(names_param)).collect();
    // what is waited is told where the policy is built, which errors where it runs
    let errors = of_param.iter().map(|site| &site.errors).find(|errors| errors.kind.is_known()).cloned();
    of_param.sort_by_key(|site| !site.attempts.kind.is_known());
    let mut site = of_param.into_iter().next()?;
    site.errors = errors.unwrap_or(site.errors);
    Some(site)
}

/// The engine that an engine hands what it is given on to.
fn handed_on(inner: &Context<'_>, item: crate::resolve::ItemRef, left: u32) -> Option<Site> {
    inner.body.exprs().find_map(|(id, _)| match inner.callee(id) {
        Callee::Own(next) if next != item && summary(inner, next).drives_operand => {
            inner.args(id).iter().find(|arg| hands_on(inner, **arg))?;
            engine_of(inner, next, left)
        }
        _ => None,
    })
}

fn is_named(cx: &Context<'_>, pat: crate::body::PatId, text: &str) -> bool {
    cx.body.names_in_pat(pat).iter().any(|(name, _)| name == text)
}

/// A closure, a future, or the parameter itself.
fn hands_on(cx: &Context<'_>, id: ExprId) -> bool {
    let is_param = |id: ExprId| cx.body.local(id).is_some_and(|local| cx.body.param(local).is_some());
    let inner = match cx.body.expr(id).kind {
        ExprKind::Ref(inner) => inner,
        _ => id,
    };
    cx.is_work(id) || is_param(inner)
}

/// The retry in the type that a constructor makes: an adapter that is polled, around the stream or future that it is given.
fn adapter_of(cx: &Context<'_>, call: ExprId) -> Option<Site> {
    let ExprKind::Call(_, args) = &cx.body.expr(call).kind else { return None };
    if args.is_empty() || !matches!(cx.callee(call), Callee::Own(_)) {
        return None;
    }
    let made = cx.type_of(call)?;
    let polled = ["poll_next", "poll"].iter().find_map(|name| cx.krate.method(&made, name))?;
    if polled == cx.at {
        return None;
    }
    engine_of(cx, polled, MOST_ENGINES).filter(|site| site.kind == Kind::Helper)
}

/// Whether a call's name says that it retries by itself: `delete_with_retries`.
fn is_named_engine(cx: &Context<'_>, name: &str) -> bool {
    let parts = crate::knowledge::parts(name);
    matches!(parts.as_slice(), [_, .., with, last] if with == "with" && last != "attempt" && says(&cx.words().retry, last))
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
    if classified.background || site.kind.is_real() && runs_apart(cx, id) {
        site.operation.background = Fact::known(true);
    }
    if !site.kind.is_real() {
        // a thread that an executor needs is blocked by a poll as well; but what is called for something else, and waits inside,
        // is no wait of this loop's
        let waits =
            |wait: &&ExprId| !matches!(cx.callee(**wait), Callee::Own(item) if !summary(cx, item).is_wait);
        let backs: Vec<&State> = record.backs.iter().collect();
        site.handles = waits_at::waits(cx, &backs, Some(id));
        if let Some(wait) = record.backs.iter().find_map(|state| state.waits.iter().find(waits)) {
            site.delay.blocking_in_async = Fact::Known(
                blocks(cx, *wait) && in_async(cx, record.within),
                cx.evidence(*wait, "blocks the thread of the executor"),
            );
        }
        if site.kind == Kind::Poll {
            site.exhaustion.outcome = exhaustion::of_poll(cx, followed, id, record);
        }
        return Some(site);
    }
    if !classified.told {
        // what establishes again and waits between its own tries is all the pace that there is
        if classified.failing.iter().all(|state| state.waits.is_empty())
            && immediate::waits_inside(cx, followed, &classified.ops) == Some(true)
        {
            let shown =
                classified.main.map_or_else(Evidence::default, |op| cx.evidence(op, "has its own delays"));
            site.operation.waits = Fact::Known(true, shown.clone());
            site.delay.growth = Fact::Known(Growth::None, shown.clone());
            site.delay.jitter = Fact::Known(Jitter::None, shown);
        }
        if let Some((kind, shown)) =
            of_kept_alive(cx, followed, id, record, &classified.failing, &classified.ops)
        {
            site.attempts.kind = Fact::Known(kind, shown);
        }
        return Some(site);
    }
    let rested = between::with_the_rest(cx, id, record, &classified.failing, &classified.ops);
    let failing: Vec<&State> =
        rested.as_ref().map_or_else(|| classified.failing.clone(), |whole| whole.iter().collect());
    let bounds = bounds(cx, followed, id, record, &failing, &classified.ops);
    let replay = delay::replay(cx, id, record, &failing);
    site.handles = handles::of_loop(cx, id, record, &failing, classified.main, classified.kind);
    let left: Vec<&State> = record.exits.iter().map(|(state, _)| state).collect();
    fill(cx, followed, record.within, &failing, &left, &classified.ops, &bounds, &replay, &mut site);
    counts::fill(cx, id, record, &failing, &classified.ops, &mut site);
    if failing.iter().any(|state| !state.waits.is_empty())
        && let Some(shown) = jitter::in_loop(cx, id)
    {
        site.delay.jitter_repeats = Fact::Known(true, shown);
    }
    site.exhaustion = exhaustion::exhaustion(cx, followed, id, record, &classified.ops, &bounds);
    // whoever polls a future comes back later, and in another of its states
    if immediate::waits_between(record, &classified.ops)
        || is_polled(cx)
        || immediate::asks_to_wait(cx, &failing)
        || failing.iter().any(|state| state.marks.timeout)
            && classified.ops.iter().any(|op| immediate::receives(cx, *op))
    {
        forget_no_delay(&mut site);
    }
    if record.shape == LoopShape::Each
        && bounds.kind == Some(BoundKind::Bounded)
        && site.delay.growth.is(&Growth::None)
        && site.kind == Kind::Retry
    {
        // an iterator that is not a count and is never waited for: which it is, a list of targets or a number of tries, nobody can tell
        site.confidence = Confidence::Medium;
        site.reasons.push("not known whether the iterator counts tries or lists targets".into());
    }
    Some(site)
}

/// Leaves open that there is no delay, where a wait may be out of sight.
pub(crate) fn forget_no_delay(site: &mut Site) {
    if site.delay.growth.is(&Growth::None) {
        site.delay.growth = Fact::Unknown;
        site.delay.jitter = Fact::Unknown;
    }
}

/// Whether an item is test code, its own or by its file.
pub(crate) fn in_test(krate: &Crate, at: ItemRef) -> bool {
    krate.item(at).is_some_and(|item| item.in_test)
        || krate.file(at).is_some_and(|file| file.in_test || file.outline.test_file)
}

/// Why a site is less certain: nothing tells whether its operation is remote.
pub(crate) const REMOTE_UNKNOWN: &str = "not known whether the operation is remote";

/// Why a site is less certain: that its operation is remote is told by a name.
pub(crate) fn remote_by_a_name(why: &str) -> String {
    format!("remote by a name: {why}")
}

/// Writes whether the operation is remote, and what of that makes the site less certain.
pub(crate) fn say_remote(site: &mut Site, answer: Option<&Answer>, place: Option<Place>) {
    let Some(answer) = answer else {
        site.confidence = Confidence::Medium;
        site.reasons.push(REMOTE_UNKNOWN.into());
        return;
    };
    site.operation.remote = Fact::Known(answer.is, Evidence { place, text: answer.why.clone() });
    if !answer.certain {
        site.confidence = Confidence::Medium;
        site.reasons.push(remote_by_a_name(&answer.why));
    }
}

/// A site of which only the place is known.
pub(crate) fn begin(cx: &Context<'_>, id: ExprId, kind: Kind) -> Option<Site> {
    let place = cx.place(id)?;
    let mut site = Site::new(place, cx.krate.qualified_name(cx.at), kind);
    site.delay.made_elsewhere = Fact::known(false);
    site.in_test = in_test(cx.krate, cx.at);
    Some(site)
}

fn operation(cx: &Context<'_>, classified: &Classified<'_>, site: &mut Site) {
    let Some(main) = classified.main else { return };
    let failed = reply_that_fails(cx, main).unwrap_or(main);
    let evidence = cx.evidence(failed, "this is tried again");
    site.operation.text = Fact::Known(cx.text(failed), evidence.clone());
    if let Some(answer) = &classified.remote {
        site.operation.remote =
            Fact::Known(answer.is, Evidence { text: answer.why.clone(), ..evidence.clone() });
    }
    let (method, blocking) = remote::method_of(cx, main);
    if let Some(method) = method {
        site.operation.method = Fact::Known(method, evidence.clone());
    }
    site.operation.idempotent = repeats::idempotent(cx, main);
    site.operation.blocking = Fact::Known(blocking, evidence);
}

fn forget_delay(site: &mut Site) {
    let made_elsewhere = std::mem::take(&mut site.delay.made_elsewhere);
    site.delay = Delay { made_elsewhere, ..Delay::default() };
    site.schedule = Fact::Unknown;
}

/// What goes round where the request's own failure does not: `let reply = ask().await?;`, and then `reply.bytes().await` fails.
fn reply_that_fails(cx: &Context<'_>, main: ExprId) -> Option<ExprId> {
    let passes = |at: &ExprId| {
        matches!(cx.body.expr(*at).kind, ExprKind::Await(_) | ExprKind::Method(_) | ExprKind::Try(_))
    };
    let handed_up =
        cx.around(main).take_while(passes).find(|at| matches!(cx.body.expr(*at).kind, ExprKind::Try(_)))?;
    let (reply, looped) = (cx.local_of(handed_up)?, cx.loop_around(main)?);
    let mut read = cx.body.exprs().filter(|(id, expr)| {
        let of_reply =
            matches!(&expr.kind, ExprKind::Method(call) if cx.body.local(call.receiver) == Some(reply));
        of_reply
            && cx.is_awaited(*id)
            && cx.loop_around(*id) == Some(looped)
            && (matches!(cx.role(*id), Some(Role::Adaptor | Role::Pure))
                || cx.words().decoding.iter().any(|name| name == cx.call_name(*id)))
    });
    let (first, _) = read.next()?;
    let kept =
        cx.around(first).take_while(passes).all(|at| !matches!(cx.body.expr(at).kind, ExprKind::Try(_)));
    (kept && read.next().is_none()).then_some(first)
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
    attempts(cx, ops, bounds, replay, site);
    let max = site.attempts.max.value().map(|max| *max as u32);
    let shown = delay::read(replay, max);
    let unseen = immediate::may_wait_unseen(cx, followed, failing, ops);
    if let Some(waits) = immediate::waits_inside(cx, followed, ops) {
        // who waited until the time was up sends nothing at full speed
        let took_its_time = failing.iter().all(|state| immediate::ran_out_of_time(cx, state));
        site.operation.waits = Fact::known(waits || took_its_time);
    }
    delay_facts(cx, &shown, replay, wait, unseen, site);
    if !waits.is_empty() && waits.iter().all(|wait| immediate::is_limiter(cx, *wait)) {
        // one's own pace: how long it holds back after a failure, it knows alone
        forget_delay(site);
    }
    let hinted = failing.iter().all(|state| {
        state.marks.hint && !state.waits.is_empty() && immediate::holds_back_as_told(cx, state, ops)
    });
    // a wait of a size that nobody knows may be what the hint was given to
    let by_hint = site.delay.growth.is(&Growth::Constant) && !site.delay.first_s.is_known();
    if hinted && (by_hint || !site.delay.growth.is_known()) {
        site.delay.growth = Fact::Known(
            Growth::Server,
            wait.map_or_else(Evidence::default, |wait| cx.evidence(wait, "waits as long as the server says")),
        );
    }
    if let Some(wait) = wait {
        let blocks = blocks(cx, wait) && in_async(cx, within);
        site.delay.blocking_in_async =
            Fact::Known(blocks, cx.evidence(wait, "blocks the thread of the executor"));
    }
    let without = failing.iter().find(|state| state.waits.is_empty());
    if let (Some(without), false) = (without, waits.is_empty()) {
        let looked = without.looked.iter().rev().find(|look| ops.contains(&look.op)).map(|look| look.op);
        let place = looked.or(ops.first().copied());
        // one path waits here and another inside what is called: the delay of neither is that of all
        if looked.is_some_and(|op| immediate::waits_inside(cx, followed, &[op]) == Some(true)) {
            forget_delay(site);
        }
        let unseen = immediate::may_wait_unseen(cx, followed, &[*without], ops);
        let skips = !unseen && immediate::skips(cx, followed, replay, failing, ops);
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
        site.kind,
        shown.server || failing.iter().any(|state| state.marks.hint),
    );
    if let Some(outcome) = bounds.outcome {
        site.exhaustion.outcome = Fact::known(outcome);
    }
    site.cancel.raced = Fact::known(failing.iter().any(|state| state.marks.cancel || state.marks.raced));
    site.visible = Fact::known(failing.iter().all(|state| state.marks.log));
    site.attempts.timeout = Fact::known(failing.iter().any(|state| state.marks.timeout));
}

fn attempts(cx: &Context<'_>, ops: &[ExprId], bounds: &Bounds, replay: &Replay, site: &mut Site) {
    match (replay.max, bounds.kind) {
        // what ends one poll does not end the polling
        (Some(max), kind) if kind == Some(BoundKind::Bounded) || !is_polled(cx) => {
            let max = f64::from(max + outside::tries(cx, ops));
            site.attempts.kind = Fact::Known(BoundKind::Bounded, bounds.evidence.clone());
            site.attempts.max = Fact::Known(max, bounds.evidence.clone());
        }
        (_, Some(kind)) => site.attempts.kind = Fact::Known(kind, bounds.evidence.clone()),
        _ => {}
    }
}

fn delay_facts(
    cx: &Context<'_>,
    shown: &Shown,
    replay: &Replay,
    wait: Option<ExprId>,
    unseen: bool,
    site: &mut Site,
) {
    let waits = wait.is_some();
    let evidence = |text: &str| wait.map_or_else(Evidence::default, |wait| cx.evidence(wait, text));
    let delay = &mut site.delay;
    let growth = match (shown.growth, waits) {
        // a wait of nothing is none; one that the replay did not come to may be anything
        (Some(Growth::None), true) => {
            let nothing = |wait: &Option<Amount>| wait.as_ref().and_then(Amount::known) == Some(0.0);
            replay.waits.iter().all(nothing).then_some(Growth::None)
        }
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
    // how it is spread can be told without how it grows; that it is not, only where several policies or rounds agree on it
    let agreed =
        |jitter: &Jitter| waits && (*jitter != Jitter::None || replay.apart || !replay.others.is_empty());
    if let Some(jitter) = jitter.filter(|jitter| growth.is_some() || agreed(jitter)) {
        let text = if jitter == Jitter::None { "no random part in it" } else { "with a random part" };
        delay.jitter = Fact::Known(jitter, evidence(text));
    }
    delay.made_elsewhere = Fact::known(replay.made_elsewhere);
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

/// Whether a wait blocks its thread: itself, or inside the function that it calls.
pub(crate) fn blocks(cx: &Context<'_>, wait: ExprId) -> bool {
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
