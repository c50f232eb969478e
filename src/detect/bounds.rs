//! What ends the attempts. Along trips that all fail and go round again, does anything count, expire or otherwise change that makes them leave?
//! Each failing trip is held against the ways out that give up: what keeps it from taking one is what decides. An exit that speaks of the outcome is no bound.

use super::context::{Callee, Context};
use super::counters::{counted, renews};
use super::flow::{Flow, Followed, LoopRecord, LoopShape, Op, State, Tag, Val, Verdict};
use super::limits::{enclosing_timeout, is_endless};
use super::policies::{Decides, decides};
use super::reads::{Reader, Reads};
use super::remote;
use super::summary::MOST_CALLS;
use super::unlooped::is_polled;
use crate::body::{ExprId, ExprKind, MacroInput};
use crate::knowledge::says;
use crate::model::{BoundKind, Evidence, Outcome};

/// What ends the attempts.
#[derive(Debug, Default)]
pub(crate) struct Bounds {
    pub(crate) kind: Option<BoundKind>,
    pub(crate) evidence: Evidence,
    pub(crate) outcome: Option<Outcome>,
    /// A failing trip watches a stop signal.
    pub(crate) cancel: bool,
}

/// What ends the repetition of one trip, and where that is seen.
type End = (Reads, Option<ExprId>);

/// Reads the bounds of a loop whose failing trips are these.
pub(crate) fn bounds(
    cx: &Context<'_>,
    followed: &Followed,
    id: ExprId,
    record: &LoopRecord,
    failing: &[&State],
    ops: &[Op],
) -> Bounds {
    let mut made = Bounds {
        cancel: failing
            .iter()
            .copied()
            .chain(record.exits.iter().map(|(state, _)| state))
            .any(|state| state.marks.cancel)
            || record.exits.iter().any(|(state, _)| is_told_to_stop(cx, state))
            || is_raced(cx, id)
            || is_raced_by_callers(cx)
            || is_generated(cx, id),
        outcome: record
            .exits
            .iter()
            .filter(|(state, flow)| gives_up(state, flow))
            .find_map(|(_, flow)| outcome_of(flow)),
        ..Bounds::default()
    };
    if let Some(limit) = enclosing_timeout(cx, id) {
        made.kind = Some(BoundKind::Deadline);
        made.evidence = cx.evidence(limit, "this ends it");
        return made;
    }
    if matches!(record.shape, LoopShape::Count | LoopShape::Each)
        && let ExprKind::For { iter, .. } = &cx.body.expr(id).kind
        && !is_endless(cx, *iter)
    {
        made.kind = Some(BoundKind::Bounded);
        made.evidence = cx.evidence(*iter, "this bounds the attempts");
        return made;
    }
    // a trip that never begins where a failing one ended is made once: a flag is set on it
    let again: Vec<&State> = failing.iter().copied().filter(|trip| trip.round > 1).collect();
    // a poll that ends is followed by another
    if again.is_empty() && record.went_on && !record.cut && !is_polled(cx) {
        made.kind = Some(BoundKind::Bounded);
        made.evidence = Evidence::words("what it changes keeps it from a second time");
        return made;
    }
    let again = if again.is_empty() { failing.to_vec() } else { again };
    let trips = Trips { reader: Reader::new(cx, followed, id, ops), id, record, failing, ops };
    made.settle(cx, &trips.ends(&again), record.cut);
    if made.kind == Some(BoundKind::Unbounded) && !trips.another_gives_up(&again) {
        made.outcome = Some(Outcome::Never);
    }
    made
}

/// What ends a loop that establishes the same again and again, where it is not told what ended before: these trips have no failure that
/// could be held against the ways out. Known only where no way out, and no condition that paths thrown together may have lost, counts or times.
pub(crate) fn of_kept_alive(
    cx: &Context<'_>,
    followed: &Followed,
    id: ExprId,
    record: &LoopRecord,
    trips: &[&State],
    ops: &[Op],
) -> Option<(BoundKind, Evidence)> {
    let endless = matches!(record.shape, LoopShape::Loop | LoopShape::While);
    if !endless || trips.is_empty() || hides_a_way_out(cx, id) || enclosing_timeout(cx, id).is_some() {
        return None;
    }
    // tries that are counted inside are this loop's bound as well
    let around = cx.body.expr(id).span;
    let counts_inside = |(inner, of): (&ExprId, &LoopRecord)| {
        *inner != id && of.shape == LoopShape::Count && around.contains(cx.body.expr(*inner).span)
    };
    if followed.loops.iter().any(counts_inside) {
        return None;
    }
    let held = Trips { reader: Reader::new(cx, followed, id, ops), id, record, failing: trips, ops };
    if record.cut && held.counts_anywhere() {
        return None;
    }
    let mut cancel = is_raced(cx, id) || is_generated(cx, id);
    for trip in trips {
        cancel |= trip.marks.cancel;
        for (exit, flow) in &record.exits {
            cancel |= held.goes_on(trip, exit, flow)? == Reads::Cancel;
        }
    }
    let kind = if cancel { BoundKind::Cancellable } else { BoundKind::Unbounded };
    Some((kind, Evidence::words("nothing counts or times how often it is established again")))
}

/// Whether a loop holds a macro that may leave it: one that cannot be read, or is named after retrying.
fn hides_a_way_out(cx: &Context<'_>, id: ExprId) -> bool {
    cx.body.any(id, |inner| {
        let ExprKind::Macro(call) = &cx.body.expr(inner).kind else { return false };
        match &call.input {
            MacroInput::Words(words) => {
                words.iter().any(|word| matches!(word.as_str(), "break" | "continue" | "return"))
            }
            _ => says(&cx.words().retry, call.path.last()),
        }
    })
}

/// Whether a way out is taken because an error says so: `Err(Error::Cancelled) => return`. Whoever stops the operation stops the loop.
fn is_told_to_stop(cx: &Context<'_>, exit: &State) -> bool {
    let words = &cx.words().cancel;
    exit.arms.iter().any(|pat| cx.names_variant(*pat, words))
        || exit.looked.iter().any(|look| {
            look.verdict == Verdict::Failure && matches!(&look.tag, Tag::Variant(name) if says(words, name))
        })
}

/// Whether a loop runs in an arm of a `select!` in which another arm is a stop signal.
fn is_raced(cx: &Context<'_>, id: ExprId) -> bool {
    cx.around(id).any(|at| {
        let ExprKind::Macro(call) = &cx.body.expr(at).kind else { return false };
        let MacroInput::Select { arms, .. } = &call.input else { return false };
        let around = |future: ExprId| cx.body.any(future, |inner| inner == id);
        arms.iter().any(|arm| arm.future.is_some_and(around))
            && cx.listens_to_a_signal(arms.iter().filter_map(|arm| arm.future).filter(|it| !around(*it)))
    })
}

/// Whether each who calls this function drops it when a stop signal comes: `select! { made = self.connect() => …, _ = stop.recv() => return }`.
fn is_raced_by_callers(cx: &Context<'_>) -> bool {
    let callers = cx.callers();
    let mut callers = callers.iter().filter(|(caller, _)| !cx.krate.is_test(*caller)).take(8).peekable();
    callers.peek().is_some()
        && callers.all(|(caller, call)| cx.inside(*caller).is_some_and(|inner| is_raced(&inner, *call)))
}

/// Whether a loop runs inside a generator (`stream! { … yield … }`): whoever drops the stream ends it.
fn is_generated(cx: &Context<'_>, id: ExprId) -> bool {
    cx.around(id).any(|at| {
        let ExprKind::Macro(call) = &cx.body.expr(at).kind else { return false };
        let MacroInput::Block(block) = call.input else { return false };
        cx.body.any(block, |inner| matches!(cx.body.expr(inner).kind, ExprKind::Yield(_)))
    })
}

impl Bounds {
    /// The weakest of what ends each trip is what ends them all.
    fn settle(&mut self, cx: &Context<'_>, ends: &[End], cut: bool) {
        let weakest = ends.iter().min_by_key(|(reads, _)| reads);
        let has = |what: Reads| ends.iter().any(|(reads, _)| *reads == what);
        let Some((reads, place)) = weakest.copied() else { return };
        let at =
            |words: &str| place.map_or_else(|| Evidence::words(words), |place| cx.evidence(place, words));
        match reads {
            Reads::Counter | Reads::Supply | Reads::Policy => {
                self.kind = Some(BoundKind::Bounded);
                self.evidence = at("this bounds the attempts");
            }
            Reads::Deadline => {
                self.kind = Some(BoundKind::Deadline);
                self.evidence = at("this limits the time");
            }
            Reads::Other => {}
            // paths that were thrown together may have lost the test that bounds them
            _ if cut || has(Reads::Other) => {}
            _ if self.cancel || has(Reads::Cancel) => {
                let signal = ends.iter().find(|(reads, _)| *reads == Reads::Cancel).and_then(|(_, at)| *at);
                self.kind = Some(BoundKind::Cancellable);
                self.evidence =
                    signal.map_or_else(Evidence::default, |at| cx.evidence(at, "only this stops it"));
            }
            _ => {
                self.kind = Some(BoundKind::Unbounded);
                self.evidence = Evidence::words("nothing but success ends it");
            }
        }
    }
}

/// The trips and ways out of one loop.
struct Trips<'t, 'a> {
    reader: Reader<'t, 'a>,
    id: ExprId,
    record: &'t LoopRecord,
    failing: &'t [&'t State],
    ops: &'t [Op],
}

impl Trips<'_, '_> {
    /// What ends each of these trips.
    fn ends(&self, trips: &[&State]) -> Vec<End> {
        let ways: Vec<Vec<End>> = trips.iter().map(|trip| self.ways(trip)).collect();
        let counters: Vec<ExprId> = ways
            .iter()
            .flatten()
            .filter(|(reads, _)| *reads == Reads::Counter)
            .filter_map(|(_, at)| *at)
            .collect();
        let best: Vec<End> = ways
            .iter()
            .zip(trips)
            .map(|(ways, trip)| {
                let best =
                    ways.iter().copied().max_by_key(|(reads, _)| *reads).unwrap_or((Reads::Fixed, None));
                // it does not come to the test, but begins anew what the others count
                let renewed =
                    counters.iter().find_map(|cond| Some((renews(&self.reader, trip, *cond)?, Some(*cond))));
                match renewed {
                    Some(renewed) if best.0 < Reads::Policy => renewed,
                    _ => best,
                }
            })
            .collect();
        let bounded = best.iter().any(|(reads, _)| *reads >= Reads::Policy);
        // an optional limit: where it is not set, nothing ends the trip, and where it is, another trip is taken
        let is_configured = |ways: &[End], best: &End| {
            best.0 <= Reads::Outcome
                && ways.iter().any(|(reads, place)| *reads == Reads::Fixed && place.is_some())
        };
        ways.iter()
            .zip(best)
            .filter(|(ways, best)| !(bounded && is_configured(ways, best)))
            .map(|(_, best)| best)
            .collect()
    }

    /// Whether each of these trips first asks something else of a remote side that leaves when it fails: who is down is not asked for ever.
    fn another_gives_up(&self, trips: &[&State]) -> bool {
        let cx = self.reader.cx;
        let leaves = |op: Op| {
            self.record.exits.iter().any(|(exit, flow)| {
                gives_up(exit, flow) && exit.look(op).is_some_and(|look| look.verdict == Verdict::Failure)
            })
        };
        trips.iter().all(|trip| {
            let others = trip.looked.iter().filter(|look| look.verdict == Verdict::Success);
            others.map(|look| look.op).any(|op| {
                !self.ops.contains(&op)
                    && leaves(op)
                    && remote::of_call(cx, op, MOST_CALLS).is_some_and(|answer| answer.is)
            })
        })
    }

    /// What keeps a trip from the ways out: for each that no nearer one explains, the conditions and outcomes that differ.
    fn ways(&self, trip: &State) -> Vec<End> {
        let mut found: Vec<End> = self.ops.iter().filter_map(|op| self.counts_inside(*op, trip)).collect();
        // what failed on it was told by something that was not followed: neither was what ends it
        let failed = |verdict: Verdict| matches!(verdict, Verdict::Failure | Verdict::NotYet);
        if !trip.looked.iter().any(|look| self.reader.is_about(look.op) && failed(look.verdict)) {
            found.push((Reads::Other, None));
        }
        let mut differences: Vec<Vec<ExprId>> = Vec::new();
        for (exit, flow) in &self.record.exits {
            if self.is_success(trip, exit) || self.is_end_of_items(flow) {
                continue;
            }
            let differs = self.differences(trip, exit);
            if !differs.is_empty() {
                differences.push(differs);
            } else if let Some(reads) = self.unexplained(trip, exit, flow) {
                found.push((reads, None));
            }
        }
        let least = |these: &Vec<ExprId>| {
            !differences
                .iter()
                .any(|other| other.len() < these.len() && other.iter().all(|it| these.contains(it)))
        };
        for these in differences.iter().filter(|these| least(these)) {
            for id in these {
                found.push((self.decided_by(trip, *id), Some(*id)));
            }
        }
        found
    }

    /// Conditions that a trip passed otherwise than a way out, and operations whose outcome was another one there.
    fn differences(&self, trip: &State, exit: &State) -> Vec<ExprId> {
        let has = |state: &State, cond: ExprId, truth: bool| state.conds.contains(&(cond, truth));
        let conds = exit.conds.iter().filter(|(cond, truth)| {
            !has(trip, *cond, *truth) && (has(trip, *cond, !*truth) || self.is_head(*cond))
        });
        let looks = exit
            .looked
            .iter()
            .filter(|look| trip.looked.iter().any(|its| its.op == look.op && !may_be(&look.tag, &its.tag)));
        let mut all: Vec<ExprId> = conds.map(|(cond, _)| *cond).chain(looks.map(|look| look.op)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// What decides between a trip and a way out that differ in no condition; `None` where it is no way of giving up.
    fn unexplained(&self, trip: &State, exit: &State, flow: &Flow) -> Option<Reads> {
        if exit.marks.cancel {
            return Some(Reads::Cancel);
        }
        if trip.arms != exit.arms || trip.codes != exit.codes {
            return Some(Reads::Outcome);
        }
        if matches!(flow, Flow::Diverge) {
            return None;
        }
        let inside = self.reader.cx.body.expr(self.id).span;
        let timer = exit.waits.iter().find(|wait| !trip.waits.contains(wait));
        match timer {
            // a timer that was set before the loop ends it
            Some(timer) if !inside.contains(self.reader.cx.body.expr(*timer).span) => Some(Reads::Deadline),
            _ => Some(Reads::Other),
        }
    }

    /// What decides a way out that is taken because something failed, or ended, that was never asked on a trip.
    fn elsewhere(&self, trip: &State, exit: &State) -> Option<Reads> {
        let last = exit.looked.last()?;
        let ended = matches!(last.verdict, Verdict::Failure | Verdict::NotYet);
        if !ended || trip.looked.iter().any(|its| its.op == last.op) {
            return None;
        }
        match self.reader.look(last.op) {
            Reads::Cancel => Some(Reads::Cancel),
            reads if reads < Reads::Policy && self.is_work(last.op) => Some(Reads::Outcome),
            _ => None,
        }
    }

    /// Whether a call does something, and does not decide whether to go on: it is awaited or remote, and not named after tries.
    fn is_work(&self, op: Op) -> bool {
        let cx = self.reader.cx;
        let (words, name) = (cx.words(), cx.call_name(op));
        !says(&words.attempts, name)
            && !says(&words.delay, name)
            && (cx.is_awaited(op) || remote::of_call(cx, op, MOST_CALLS).is_some_and(|answer| answer.is))
    }

    /// Whether a trip is kept from a way out by nothing that counts, times or hands out; `Cancel` where a stop signal keeps it.
    fn goes_on(&self, trip: &State, exit: &State, flow: &Flow) -> Option<Reads> {
        let differs = self.differences(trip, exit);
        let reads: Vec<Reads> = if differs.is_empty() {
            self.elsewhere(trip, exit).or_else(|| self.unexplained(trip, exit, flow)).into_iter().collect()
        } else {
            let is_look = |id: ExprId| trip.looked.iter().any(|look| look.op == id);
            let decides = |id: &ExprId| match self.decided_by(trip, *id) {
                Reads::Other if is_look(*id) && self.is_work(*id) => Reads::Outcome,
                reads => reads,
            };
            differs.iter().map(decides).collect()
        };
        let read = reads.into_iter().max().unwrap_or(Reads::Fixed);
        (read < Reads::Other).then_some(read)
    }

    /// What a condition or a look at an outcome reads, as far as it bounds this trip.
    fn decided_by(&self, trip: &State, id: ExprId) -> Reads {
        if self.ops.contains(&id) {
            return Reads::Outcome;
        }
        let is_look = trip.looked.iter().any(|look| look.op == id);
        let reads = if is_look { self.reader.look(id) } else { self.reader.condition(id) };
        if reads == Reads::Counter { counted(&self.reader, self.failing, trip, id) } else { reads }
    }

    /// Whether the operation itself decides how often it is tried: it counts its own calls.
    fn counts_inside(&self, op: Op, trip: &State) -> Option<End> {
        let cx = self.reader.cx;
        let in_words = trip.looked.iter().any(|look| {
            look.op == op
                && matches!(look.tag, Tag::Variant(_))
                && matches!(look.verdict, Verdict::Failure | Verdict::NotYet)
        });
        match cx.callee(op) {
            Callee::Own(item) => match decides(cx, item) {
                Decides::Counts => Some((Reads::Policy, Some(op))),
                // one that only answers `Err` is an operation as any other, whoever implements it
                Decides::Unseen | Decides::Clock if in_words => Some((Reads::Other, Some(op))),
                // its name says that it decides about tries
                _ if in_words && says(&cx.words().attempts, cx.call_name(op)) => {
                    Some((Reads::Other, Some(op)))
                }
                _ => None,
            },
            // an outcome in words of its own may come of a policy that nobody sees here
            _ if in_words
                && !remote::of_call(cx, op, MOST_CALLS).is_some_and(|answer| answer.is && answer.certain) =>
            {
                Some((Reads::Other, Some(op)))
            }
            _ => None,
        }
    }

    /// Whether a path leaves because the operation succeeded where it failed on a trip.
    fn is_success(&self, trip: &State, exit: &State) -> bool {
        let mut of_op = exit.looked.iter().filter(|look| self.reader.is_about(look.op)).peekable();
        let open = |op: Op, tag: &Tag| trip.looked.iter().any(|its| its.op == op && may_be(tag, &its.tag));
        of_op.peek().is_some()
            && of_op.all(|look| {
                !matches!(look.verdict, Verdict::Failure | Verdict::NotYet) && !open(look.op, &look.tag)
            })
    }

    /// Whether some condition in the loop counts or times, whichever paths it is on.
    fn counts_anywhere(&self) -> bool {
        let body = self.reader.cx.body;
        body.any(self.id, |inner| {
            let cond = match &body.expr(inner).kind {
                ExprKind::If { cond, .. } | ExprKind::While { cond, .. } => Some(*cond),
                _ => None,
            };
            cond.is_some_and(|cond| self.reader.condition(cond) >= Reads::Policy)
        })
    }

    fn is_end_of_items(&self, flow: &Flow) -> bool {
        matches!(flow, Flow::Next(_)) && matches!(self.record.shape, LoopShape::Count | LoopShape::Each)
    }

    fn is_head(&self, cond: ExprId) -> bool {
        let body = self.reader.cx.body;
        match &body.expr(self.id).kind {
            ExprKind::While { cond: head, .. } => body.expr(*head).span.contains(body.expr(cond).span),
            _ => false,
        }
    }
}

/// Whether an outcome that was seen so far may turn out to be another: a reply is `Ok` before its status or variant is asked, and a poll
/// `Ready` before what is ready.
fn may_be(seen: &Tag, other: &Tag) -> bool {
    seen == other
        || matches!(seen, Tag::Variant(name) if &**name == "Ready")
        || matches!(seen, Tag::Ok | Tag::Some)
            && matches!(other, Tag::GoodStatus | Tag::BadStatus | Tag::Variant(_))
}

/// Whether a way out gives up: after a failure, or without having tried.
fn gives_up(state: &State, flow: &Flow) -> bool {
    let failed = state.looked.iter().any(|look| look.verdict == Verdict::Failure);
    failed || matches!(flow, Flow::Next(_)) || state.looked.is_empty()
}

fn outcome_of(flow: &Flow) -> Option<Outcome> {
    match flow {
        Flow::Return(Val::Built(Tag::Err, _)) | Flow::Break(_, Val::Built(Tag::Err, _)) => {
            Some(Outcome::ReturnsError)
        }
        Flow::Diverge => Some(Outcome::Panics),
        _ => None,
    }
}
