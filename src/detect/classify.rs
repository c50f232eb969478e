//! What a loop is, by what its trips do: a retry, a reconnect, a helper, or one of the look-alikes.
//! Names decide only what flow cannot; each use of one lowers the confidence and is kept as a reason.

use super::context::Context;
use super::each_item;
use super::flow::{Followed, LoopRecord, LoopShape, Op, State, Tag, Verdict};
use super::questions::{Question, any_succeeded, leaves_after_success};
use super::remote::{self, Answer};
use super::sites::{REMOTE_UNKNOWN, remote_by_a_name};
use super::unlooped::is_polled;
use crate::body::ExprId;
use crate::knowledge::{Role, says};
use crate::model::{Confidence, Evidence, Kind};

/// A loop that is something.
pub(crate) struct Classified<'f> {
    pub(crate) kind: Kind,
    /// The operations whose failure goes round, in source order.
    pub(crate) ops: Vec<Op>,
    /// The one that the site is about.
    pub(crate) main: Option<Op>,
    /// Which trips failed is known: without it, nothing is read of delay and bounds.
    pub(crate) told: bool,
    /// It goes on after success: nobody waits for the one that failed.
    pub(crate) background: bool,
    /// The trips on which one failed.
    pub(crate) failing: Vec<&'f State>,
    pub(crate) remote: Option<Answer>,
    pub(crate) confidence: Confidence,
    pub(crate) reasons: Vec<String>,
    pub(crate) why: Vec<Evidence>,
}

/// What a path round the loop shows of the operations that count.
fn fate(state: &State, counts: &dyn Fn(Op) -> bool) -> Option<Verdict> {
    let looks = || state.looked.iter().filter(|look| counts(look.op));
    if looks().any(|look| look.verdict == Verdict::Failure) {
        return Some(Verdict::Failure);
    }
    if looks().any(|look| look.verdict == Verdict::NotYet) {
        return Some(Verdict::NotYet);
    }
    looks().next().map(|look| look.verdict)
}

/// Operations that failed on a path.
pub(crate) fn failed_ops(state: &State) -> impl Iterator<Item = Op> + '_ {
    state.looked.iter().filter(|look| look.verdict == Verdict::Failure).map(|look| look.op)
}

/// Classifies a loop; `None` where it is nothing that `audit` speaks of.
pub(crate) fn classify<'f>(
    cx: &Context<'_>,
    followed: &'f Followed,
    id: ExprId,
    record: &'f LoopRecord,
) -> Option<Classified<'f>> {
    let q = Question { cx, followed, id };
    let made = by_trips(&q, record);
    let nothing = made.as_ref().is_none_or(|made| made.kind == Kind::Ticker);
    if nothing && matches!(record.shape, LoopShape::Loop | LoopShape::While) {
        let trips: Vec<&'f State> = record.backs.iter().collect();
        return q.is_named_anew(&trips).or(made);
    }
    made
}

/// What the trips say.
#[allow(clippy::too_many_lines)] // the decision table of ARCHITECTURE.md, row by row
fn by_trips<'f>(q: &Question<'_, '_>, record: &'f LoopRecord) -> Option<Classified<'f>> {
    let (cx, followed) = (q.cx, q.followed);
    // what stays in the process fails beside the point, as long as something else is tried
    let beyond = |op: Op| q.counts(op) && !q.stays(op);
    let anything = |op: Op| q.counts(op);
    let goes = |counts: &dyn Fn(Op) -> bool| {
        record
            .backs
            .iter()
            .any(|state| matches!(fate(state, counts), Some(Verdict::Failure | Verdict::NotYet)))
    };
    let counts: &dyn Fn(Op) -> bool = if goes(&beyond) { &beyond } else { &anything };
    let of = |verdict: Verdict| -> Vec<&'f State> {
        record
            .backs
            .iter()
            .filter(|state| fate(state, counts) == Some(verdict) && !q.is_no_error(state))
            .collect()
    };
    let mut failing = of(Verdict::Failure);
    let mut succeeding = of(Verdict::Success);
    let mut not_yet = of(Verdict::NotYet);
    let retry_words = q.speaks_of_retry(record);
    let condition_words = q.waits_for_condition(&[]);
    // "not yet" of something that is counted as retries, and that nobody waits for, is a failure in other words
    let in_words = not_yet.iter().any(|state| {
        state.looked.iter().any(|look| look.verdict == Verdict::NotYet && matches!(look.tag, Tag::Variant(_)))
    });
    let waited = not_yet.iter().any(|state| !state.waits.is_empty());
    if failing.is_empty() && !not_yet.is_empty() && retry_words && !condition_words && (in_words || !waited) {
        failing = std::mem::take(&mut not_yet);
        if succeeding.iter().all(|state| failing.iter().any(|fail| fail.calls == state.calls)) {
            succeeding.clear();
        }
    }
    let any_wait = record.backs.iter().any(|state| !state.waits.is_empty());
    let mut made = Classified {
        kind: Kind::Retry,
        ops: Vec::new(),
        told: true,
        background: false,
        main: None,
        failing: failing.clone(),
        remote: None,
        confidence: Confidence::High,
        reasons: Vec::new(),
        why: Vec::new(),
    };
    // a loop that is counted and waited as retries goes round because something failed, whatever told it
    // an attempt is also what is made once
    let plain = |word: &&String| !word.contains("attempt");
    let words: Vec<String> = cx.words().retry.iter().filter(plain).cloned().collect();
    let strong = q.speaks_of(record, &|name: &str| says(&words, name));
    if failing.is_empty() && any_wait && !condition_words {
        let mut round: Vec<&'f State> = record.backs.iter().filter(|state| !state.waits.is_empty()).collect();
        if !strong {
            // who waits as long as the server says was refused
            round.retain(|state| state.marks.hint);
        }
        let mut called: Vec<(Op, Answer)> = round
            .iter()
            .flat_map(|state| state.calls.iter().copied())
            .filter(|op| counts(*op))
            .filter_map(|op| Some((op, q.remote(op).filter(|it| it.is)?)))
            .collect();
        // what only a name calls remote comes after what is known to be
        let known = |op: Op| matches!(cx.role(op), Some(Role::Remote { .. }));
        called.sort_by_key(|(op, answer)| (!known(*op), !answer.certain));
        // the reply of any of them may be what was found wanting
        let mut asked: Vec<Op> = called.iter().map(|(op, _)| *op).collect();
        asked.sort_unstable();
        asked.dedup();
        let called = called.first().map(|(op, _)| *op);
        if let Some(op) = called.filter(|op| strong || leaves_after_success(cx, record, &[*op])) {
            made.remote = q.remote(op);
            made.main = Some(op);
            made.ops = asked;
            made.failing = round;
            made.confidence = Confidence::Medium;
            made.reasons
                .push("counted as retries; what failed is told by something that we cannot follow".into());
            made.why.push(cx.evidence(op, "this is called again"));
            return Some(made);
        }
    }
    let unclear = of(Verdict::Unclear);
    if failing.is_empty() {
        let trips: Vec<&'f State> = succeeding.iter().chain(&unclear).copied().collect();
        if let Some(anew) = q.establishes_anew(record, &trips, counts) {
            return Some(anew);
        }
    }
    if failing.is_empty() {
        made.kind = if !not_yet.is_empty() {
            if any_wait { Kind::Poll } else { return None }
        } else if any_wait {
            let called: Vec<Op> = record
                .backs
                .iter()
                .flat_map(|state| state.calls.iter().copied())
                .filter(|op| counts(*op) && cx.is_awaited(*op))
                .collect();
            if called.iter().all(|op| q.is_of_item(*op)) {
                Kind::Pace
            } else if q.looks_for(record, &called) {
                Kind::Poll
            } else {
                Kind::Ticker
            }
        } else {
            return None;
        };
        made.main = first_op(not_yet.iter().chain(&succeeding).copied(), counts);
        return Some(made);
    }

    let mut ops: Vec<Op> = Vec::new();
    for state in &failing {
        // what was not yet there beside a failure did not fail
        let failed = state.looked.iter().any(|look| look.verdict == Verdict::Failure && counts(look.op));
        let told = if failed { Verdict::Failure } else { Verdict::NotYet };
        for op in state.looked.iter().filter(|look| look.verdict == told).map(|look| look.op) {
            if counts(op) && !ops.contains(&op) {
                ops.push(op);
            }
        }
    }
    ops.sort_by_key(|op| cx.body.expr(*op).span);
    // a message came, and what was done with it failed: the next trip takes the next message
    if let Some(taken) = ops.iter().copied().find(|op| q.takes_a_message(*op)) {
        let told = |state: &State, op: Op, verdict: Verdict| {
            state.looked.iter().any(|look| look.op == op && look.verdict == verdict)
        };
        if failing.iter().any(|state| told(state, taken, Verdict::Failure)) {
            failing.retain(|state| !told(state, taken, Verdict::Success));
            ops.retain(|op| failing.iter().any(|state| told(state, *op, Verdict::Failure)));
            made.failing.clone_from(&failing);
        }
    }
    // what is called before the loop only is not tried again
    let again = ops.iter().filter(|op| q.may_come_again(**op));
    let answers: Vec<(Op, Option<Answer>)> = again.map(|op| (*op, q.remote(*op))).collect();
    let (main, remote) = answers
        .iter()
        .find(|(_, answer)| answer.as_ref().is_some_and(|answer| answer.is))
        .or_else(|| answers.iter().find(|(_, answer)| answer.is_none()))
        .or_else(|| answers.first())?;
    // what failed before the operation was reached, on this machine, is another matter: a request that cannot be built
    if remote.as_ref().is_some_and(|answer| answer.is) {
        let reaches = |op: Op| match answers.iter().find(|(it, _)| *it == op) {
            Some((_, Some(answer))) => answer.is,
            Some((_, None)) => cx.is_awaited(op) || !remote::makes_a_value(cx.call_name(op)),
            None => true,
        };
        failing.retain(|state| state.looked.iter().any(|look| ops.contains(&look.op) && reaches(look.op)));
        ops.retain(|op| reaches(*op));
        made.failing.clone_from(&failing);
    }
    made.main = Some(*main);
    made.remote.clone_from(remote);
    made.ops.clone_from(&ops);
    made.why.push(cx.evidence(*main, "a failure of this goes round again"));

    // what came back says what failed: the request is what is sent again
    let waits = failing.iter().any(|state| !state.waits.is_empty());
    if remote.is_none()
        && waits
        && let Some(op) = q.replied(record, &failing, &ops)
    {
        made.main = Some(op);
        made.remote = q.remote(op);
        made.why.push(cx.evidence(op, "this is asked again"));
    }
    if made.remote.is_none()
        && let Some(answer) = q.waits_to_reconnect(&failing)
    {
        made.remote = Some(answer);
    }
    let of_item = q.is_of_item(*main)
        || ops.iter().all(|op| q.is_of_item(*op))
        || each_item::is_for_item(cx, q.id, *main)
        // what was taken on this trip is found wanting; the next trip takes another
        || q.examines_what_it_took(*main);
    if (of_item && !q.begins_again() || q.tries_each_of_a_list() || q.uses_up_a_list()) && !q.puts_back() {
        made.kind = Kind::Failover;
        return Some(made);
    }
    let local = answers.iter().all(|(_, answer)| answer.as_ref().is_some_and(|answer| !answer.is));
    // somebody who decides about retries knows of more than what stays here
    if local && !q.asks_about_retry(&failing) {
        made.kind = Kind::Local;
        return Some(made);
    }
    if waits && (q.reads_what_is_there(&ops) || q.takes_what_comes(&failing, &ops)) {
        made.kind = Kind::Poll;
        return Some(made);
    }
    if q.asks_another(record, &failing, &ops) && !q.puts_back() {
        made.kind = Kind::Failover;
        return Some(made);
    }
    if matches!(record.shape, LoopShape::Loop | LoopShape::While)
        && !made.remote.as_ref().is_some_and(|answer| answer.is)
        && let Some(op) = q.established_after(&failing, &ops, counts)
    {
        made.kind = Kind::Reconnect;
        made.remote = q.remote(op);
        made.main = Some(op);
        made.ops = vec![op];
        made.confidence = Confidence::Medium;
        made.told = false;
        made.reasons.push("after a failure it establishes again".into());
        return Some(made);
    }
    let retry_words = retry_words || q.asks_about_retry(&failing);
    let operand = ops.iter().any(|op| followed.operands.contains(op));
    let waits_on_failure = failing.iter().any(|state| !state.waits.is_empty());
    let remote_known = made.remote.as_ref().is_some_and(|answer| answer.is);
    let transient = failing.iter().any(|state| q.asks_whether_it_passes(state));
    if !waits_on_failure && !remote_known && !operand && !retry_words && !transient {
        // an immediate second try of something that nobody knows to be remote: parsers, queues, compare-and-swap
        made.kind = Kind::Local;
        return Some(made);
    }
    let beside = failing.iter().flat_map(|state| &state.looked);
    let missing =
        beside.filter(|look| look.verdict == Verdict::NotYet && counts(look.op)).map(|look| look.op);
    let establishes = ops.iter().copied().chain(missing).any(|op| q.establishes(op));
    let leaves_after_success = leaves_after_success(cx, record, &ops) || q.asks_at_its_head();
    // what succeeded could not be handed on within the process: where it could, it left
    if leaves_after_success && succeeding.iter().all(|state| q.could_not_hand_on(state)) {
        succeeding.clear();
    }
    let at_its_head = q.begins_with_a_wait(record);
    // the stream that was opened came to its end
    let ended = !not_yet.is_empty() && remote_known && not_yet.iter().all(|state| q.is_end_of_stream(state));
    if ended {
        succeeding.append(&mut not_yet);
    }
    let session = ended || q.is_session(&succeeding, remote_known) && !at_its_head;
    // whoever waits for what was started here may as well count attempts
    let comes_up = !strong && q.waits_for_what_it_started(&ops);
    let condition = q.waits_for_condition(&ops)
        || !retry_words && !establishes && q.only_answers_matter(&ops)
        || q.is_told_to_wait(&failing)
        || !retry_words && waits && failing.iter().all(|state| q.is_not_there(state));
    let tried = retry_words || q.named_after_establishing();

    // whoever polls it comes back after success as well, and finds the same timer set
    if is_polled(cx) && q.waits_the_same_after_success(record, &failing, &ops) {
        made.kind = Kind::Poll;
        return Some(made);
    }
    // one kind of message is passed over, and the next one taken
    if !waits
        && ops.iter().all(|op| q.takes_a_message(*op))
        && failing.iter().all(|state| q.is_one_kind(state))
    {
        made.kind = Kind::Ticker;
        return Some(made);
    }
    // whatever else is tried again there, each connection that is accepted is another's
    let mut calling = failing.iter().filter(|state| state.calls.contains(main)).peekable();
    let accepted = calling.peek().is_some() && calling.all(|state| q.is_of_accepted(state, *main));
    if accepted || failing.iter().all(|state| q.is_dispatch(state, *main)) && !retry_words {
        made.kind = Kind::Ticker;
        return Some(made);
    }

    // trips that wait as the failing ones do, and never come to the operation: periodic work, of which this is a part
    let idle = record.backs.iter().any(|state| {
        fate(state, counts).is_none()
            && !state.calls.iter().any(|op| ops.contains(op))
            && state.waits.iter().any(|wait| failing.iter().any(|fail| fail.waits.contains(wait)))
    });
    if idle && !establishes && !retry_words {
        made.kind = Kind::Ticker;
        return Some(made);
    }
    // whatever else of it goes round: it asks whether the process that it waits for still runs
    if comes_up && leaves_after_success && waits_on_failure && !operand {
        made.kind = Kind::Poll;
        made.confidence = Confidence::Medium;
        made.reasons.push("it waits until what was started here answers".into());
        return Some(made);
    }
    // one arm's timer begins work that may connect somewhere: no other arm waits for it
    if !leaves_after_success && !retry_words && q.is_one_arm_of_many(record, &failing, &ops) {
        made.kind = Kind::Ticker;
        return Some(made);
    }
    // each of several in turn, from time to time
    let rests_alike = !ops.iter().any(|op| says(&cx.words().establish, cx.call_name(*op)))
        && record.backs.iter().any(|state| {
            fate(state, counts) != Some(Verdict::Failure)
                && !state.waits.is_empty()
                && failing.iter().any(|fail| fail.waits == state.waits)
        });
    if (at_its_head || rests_alike)
        && !leaves_after_success
        && !q.is_named_after_connections()
        && ops.iter().all(|op| q.is_of_inner_item(*op))
    {
        made.kind = Kind::Ticker;
        return Some(made);
    }
    // a rhythm that success follows too, and no session that could have ended
    if at_its_head
        && !leaves_after_success
        && !retry_words
        && !succeeding.is_empty()
        && !q.is_session(&succeeding, remote_known)
        && !ops.iter().any(|op| q.is_asked_for(*op))
        && !q.is_named_after_connections()
    {
        made.kind = Kind::Ticker;
        return Some(made);
    }
    if succeeding.is_empty() && not_yet.is_empty() {
        if leaves_after_success {
            made.kind = if operand { Kind::Helper } else { Kind::Retry };
            if !remote_known && !operand && !retry_words && q.waits_to_be_woken(&failing) {
                made.kind = Kind::Poll;
                made.confidence = Confidence::Medium;
                made.reasons.push("it waits until somebody wakes it".into());
            } else if condition && (!operand || condition_words && !retry_words) {
                made.kind = Kind::Poll;
                made.confidence = Confidence::Medium;
                made.reasons.push("its name says that it waits for a condition".into());
            } else if !operand
                && (establishes && q.keeps_alive(record) && !q.is_a_retrier(record)
                    || remote::holds_a_session(cx, *main))
            {
                made.kind = Kind::Reconnect;
            }
        } else if establishes || session || remote_known && q.is_task(record) {
            made.kind = Kind::Reconnect;
        } else if retry_words && waits_on_failure && !condition {
            // the reply came, and what it holds was found wanting
            let op = q.replied(record, &failing, &ops)?;
            made.remote = q.remote(op);
            made.main = Some(op);
            made.confidence = Confidence::Medium;
            made.reasons.push("what fails is found in the reply".into());
        } else {
            return None;
        }
    } else {
        let waits_on = |states: &[&State]| -> Vec<ExprId> {
            let mut all: Vec<ExprId> = states.iter().flat_map(|state| state.waits.iter().copied()).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let round: Vec<&State> = succeeding.iter().chain(&not_yet).copied().collect();
        let (on_failure, on_success) = (waits_on(&failing), waits_on(&round));
        // written twice, in two arms, it is the same wait
        let same_wait = waits_alike(cx, &on_failure, &on_success);
        let recovers = remote_known && (q.recovers(&round, &ops) || q.renews(&failing, &ops));
        // a wait that is the same after success or where nothing is there yet: only the operation's own name makes that a reconnect
        let steady = same_wait && !ops.iter().any(|op| says(&cx.words().establish, cx.call_name(*op)));
        // periodic work, which connects somewhere inside
        let periodic = steady && succeeding.iter().any(|state| state.calls.iter().any(|op| ops.contains(op)));
        let reconnects = establishes && !periodic && !q.establishes_beside(&failing, &succeeding);
        // work is taken from a queue, and run
        let queue = steady && !not_yet.is_empty();
        // what checks what it is given, and mends it for its caller
        let retrier = leaves_after_success && q.is_a_retrier(record);
        if (recovers || (reconnects || session && !condition) && !queue) && !retrier {
            made.kind = Kind::Reconnect;
            if !establishes && !recovers {
                made.confidence = Confidence::Medium;
                made.reasons.push("its success looks like a session that ended".into());
            }
        } else if !not_yet.is_empty()
            && same_wait
            && succeeding.is_empty()
            && !(operand && retrier && !condition)
        {
            made.kind = Kind::Poll;
        } else if remote_known && !condition && q.begins_anew(&failing, &succeeding) {
            // periodic work that waits for longer and longer while it fails
            made.background = true;
            made.confidence = Confidence::Medium;
            made.reasons.push("it goes on after success, and waits otherwise then".into());
        } else if (same_wait || !on_success.is_empty()) && leaves_after_success && tried && !condition {
            // success leaves, but some goes round as failure does: its reply was tested and found wanting
            made.kind = if operand { Kind::Helper } else { Kind::Retry };
            made.confidence = Confidence::Medium;
            made.reasons.push("some replies go round as failures do".into());
        } else if same_wait || !on_success.is_empty() {
            made.kind = if succeeding.is_empty() || leaves_after_success { Kind::Poll } else { Kind::Ticker };
        } else if leaves_after_success && (retry_words || !any_succeeded(&succeeding, &ops)) {
            made.kind = if operand { Kind::Helper } else { Kind::Retry };
            made.confidence = Confidence::Medium;
            made.reasons.push("some success goes round as well".into());
        } else {
            // a consumer: what succeeded goes on with the next one, and so does what failed
            made.kind = Kind::Ticker;
        }
    }
    if made.kind.is_real() && !retry_words && q.rests_as_a_poll(&failing) {
        made.confidence = Confidence::Medium;
        made.reasons.push("its rest is named after polling".into());
    }
    if made.kind.is_real() && ops.iter().all(|op| q.names_this_machine(*op)) {
        made.confidence = Confidence::Medium;
        made.reasons.push("it asks a server of this machine".into());
    }
    if made.remote.as_ref().is_none_or(|answer| !answer.certain) && made.kind.is_real() {
        made.confidence = Confidence::Medium;
        made.reasons.push(match &made.remote {
            Some(answer) => remote_by_a_name(&answer.why),
            None => REMOTE_UNKNOWN.into(),
        });
    }
    Some(made)
}

fn first_op<'s>(mut states: impl Iterator<Item = &'s State>, counts: &dyn Fn(Op) -> bool) -> Option<Op> {
    states.find_map(|state| state.looked.iter().map(|look| look.op).find(|op| counts(*op)))
}

/// Whether one of these waits is written as one of those.
pub(super) fn waits_alike(cx: &Context<'_>, waits: &[ExprId], others: &[ExprId]) -> bool {
    waits.iter().any(|wait| others.iter().any(|other| cx.is_written_alike(*wait, *other)))
}
