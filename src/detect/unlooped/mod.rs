//! Retries that are no loop: a request written out a second time, an iterator's closure, a state machine that is
//! polled, a policy that decides, a job that is put back.
//! Each kind of place finds its trips in what the flow recorded; delays, bounds and errors are read off them as of a loop's.

mod chained;
mod cycles;
mod decided;
mod given;
mod polled;
mod requeued;
mod resent;

pub(crate) use cycles::comes_back;
pub(crate) use given::is_given_failure;
pub(crate) use polled::is_polled;

use super::bounds::Bounds;
use super::context::Context;
use super::delay::{self, Replay};
use super::flow::{Flow, Followed, LoopRecord, LoopShape, Op, State};
use super::remote::{self, Answer};
use super::{sites, waits_at};
use crate::body::{ExprId, Span};
use crate::model::{Evidence, Fact, Kind, Site};

/// Whether a body without a loop may hold such a place, so that it is worth following.
pub(crate) fn is_worth_following(cx: &Context<'_>) -> bool {
    polled::is_polled(cx)
        || decided::decides(cx)
        || resent::may_resend(cx)
        || requeued::may_requeue(cx)
        || given::may_wait(cx)
        || chained::may_chain(cx)
        || cycles::may_come_back(cx)
}

/// Whether the timers that a body makes are waited for by whoever polls it.
pub(crate) fn gives_timers_away(cx: &Context<'_>) -> bool {
    polled::is_polled(cx) || decided::decides(cx)
}

/// The retries of a body that are no loop. `told`: places of its loops and recursions, which say the same where they lie around.
pub(crate) fn of_body(cx: &Context<'_>, followed: &Followed, told: &[Site]) -> Vec<Site> {
    let mut found: Vec<Site> = resent::of_body(cx, followed);
    found.extend(requeued::of_body(cx, followed));
    found.extend(chained::of_body(cx, followed));
    if !told.iter().any(|site| site.kind.is_real()) && found.is_empty() {
        found.extend(polled::of_body(cx, followed));
        found.extend(decided::of_body(cx, followed));
        found.extend(given::of_body(cx, followed));
    }
    found
}

/// What such a place is made of.
struct Again<'s> {
    kind: Kind,
    /// Where it stands.
    span: Span,
    /// Operations that failed.
    ops: Vec<Op>,
    /// The one that it is about, where one is seen.
    main: Option<Op>,
    remote: Option<Answer>,
    /// Paths on which it is tried again.
    failing: Vec<&'s State>,
    bounds: Bounds,
    /// Attempts, where the form tells how many there are.
    most: Option<u32>,
    /// What is waited, where no path of the function shows it.
    replay: Option<Replay>,
    why: Evidence,
}

/// Puts the site together, as of a loop whose body is the whole function.
fn site(cx: &Context<'_>, followed: &Followed, again: &Again<'_>) -> Option<Site> {
    let mut site = sites::begin(cx, cx.body.root, again.kind)?;
    site.place = cx.krate.file(cx.at)?.place(again.span);
    site.why.push(again.why.clone());
    if let Some(main) = again.main {
        let evidence = cx.evidence(main, "this is tried again");
        site.operation.text = Fact::Known(cx.text(main), evidence.clone());
        let (method, blocking) = remote::method_of(cx, main);
        site.operation.method = method.map_or(Fact::Unknown, |method| Fact::Known(method, evidence.clone()));
        site.operation.idempotent = super::repeats::idempotent(cx, main);
        site.operation.blocking = Fact::Known(blocking, evidence);
    }
    sites::say_remote(&mut site, again.remote.as_ref(), again.main.and_then(|main| cx.place(main)));
    let record = whole(followed, &again.failing);
    let shown = || delay::replay(cx, cx.body.root, &record, &again.failing);
    let mut replay = again.replay.clone().unwrap_or_else(shown);
    replay.max = again.most.or(replay.max);
    let left: Vec<&State> = record.exits.iter().map(|(state, _)| state).collect();
    fill(cx, followed, again, &left, &replay, &mut site);
    Some(site)
}

fn fill(
    cx: &Context<'_>,
    followed: &Followed,
    again: &Again<'_>,
    left: &[&State],
    replay: &Replay,
    site: &mut Site,
) {
    site.handles = waits_at::waits(cx, &again.failing, None);
    sites::fill(cx, followed, None, &again.failing, left, &again.ops, &again.bounds, replay, site);
    if again.ops.is_empty() {
        // the failure came from outside: nobody here can tell which errors it may be
        site.errors = crate::model::Errors::default();
    }
}

/// The function as a loop: paths that come back because they failed, and the others that leave.
fn whole(followed: &Followed, failing: &[&State]) -> LoopRecord {
    let is_failing = |state: &State| failing.iter().any(|fail| std::ptr::eq(*fail, state));
    LoopRecord {
        shape: LoopShape::Loop,
        entry: State::default(),
        backs: failing.iter().map(|state| (*state).clone()).collect(),
        exits: followed.exits.iter().filter(|(state, _)| !is_failing(state)).cloned().collect(),
        outer: None,
        within: None,
        went_on: false,
        cut: followed.cut,
        after: Vec::new(),
    }
}

/// Paths that leave the function with a value, panics apart.
fn leaving(followed: &Followed) -> impl Iterator<Item = (&State, &super::flow::Val)> {
    followed.exits.iter().filter_map(|(state, flow)| match flow {
        Flow::Next(val) | Flow::Return(val) => Some((state, val)),
        _ => None,
    })
}

/// Whether an operation may be what is tried again: nothing that waits, logs, computes or stays in the process.
fn counts(cx: &Context<'_>, op: ExprId) -> bool {
    cx.may_be_tried(op) && !cx.stays(op)
}

/// The operation that a place is about: one known to be remote, else one of which that is unknown.
fn main_of(cx: &Context<'_>, ops: &[Op]) -> Option<(Op, Option<Answer>)> {
    let answers: Vec<(Op, Option<Answer>)> =
        ops.iter().map(|op| (*op, remote::of_call(cx, *op, super::summary::MOST_CALLS))).collect();
    let is = |answer: &Option<Answer>| answer.as_ref().map(|answer| answer.is);
    let found = answers.iter().find(|(_, answer)| is(answer) == Some(true));
    found.or_else(|| answers.iter().find(|(_, answer)| answer.is_none())).cloned()
}
