//! Loops: their trips are followed until nothing new comes back to the head, and what the trips did is recorded.

use super::state::join;
use super::{Event, Flow, MOST_STEPS, Paths, State, Val, Walker};
use crate::body::{ExprId, ExprKind};

/// How a loop is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoopShape {
    /// `loop`
    Loop,
    /// `while`
    While,
    /// `for` over numbers.
    Count,
    /// `for` over anything else.
    Each,
}

/// Trips, each with those that came back after it.
type After = Vec<(State, Vec<State>)>;

/// What the trips of a loop do.
#[derive(Debug)]
pub(crate) struct LoopRecord {
    pub(crate) shape: LoopShape,
    /// The path that came to it first.
    pub(crate) entry: State,
    /// Paths that come back to its head.
    pub(crate) backs: Vec<State>,
    /// Paths that leave it, and how; `Next` is the condition's false side or the exhausted iterator.
    pub(crate) exits: Paths,
    /// The loop around it, if there is one in the same body.
    pub(crate) outer: Option<ExprId>,
    /// The closure or async block that it stands in.
    pub(crate) within: Option<ExprId>,
    /// Trips were followed that begin where an earlier one ended.
    pub(crate) went_on: bool,
    /// Some of its paths were joined only because there were too many.
    pub(crate) cut: bool,
    /// Trips that failed and waited for nothing, each with the trips that came back after it.
    pub(crate) after: After,
}

/// Rounds over a loop's body. The second finds operations at the bottom of a body that are looked at on top of the next trip.
const MOST_ROUNDS: u8 = 3;

impl Walker<'_, '_> {
    pub(super) fn eval_loop(&mut self, id: ExprId, s: State) -> Paths {
        let body = self.body();
        let (label, block, shape) = match &body.expr(id).kind {
            ExprKind::Loop { label, body } => (label.clone(), *body, LoopShape::Loop),
            ExprKind::While { label, body, .. } => (label.clone(), *body, LoopShape::While),
            ExprKind::For { label, body, iter, .. } => {
                let shape = if self.counts(*iter) { LoopShape::Count } else { LoopShape::Each };
                (label.clone(), *body, shape)
            }
            _ => return Vec::new(),
        };
        let prelude = s.trace.len();
        let mut out = Vec::new();
        let (starts, item) = self.starts(id, shape, &s, &mut out);
        // what the iterator itself did, the loop around did
        let outer = starts.first().cloned().unwrap_or(s);
        let mut heads: Vec<(State, ())> = starts.into_iter().map(|state| (state, ())).collect();
        let mut known: Vec<State> = Vec::new();
        let mut backs: Vec<(State, ())> = Vec::new();
        let mut left = Left::default();
        let around = self.scopes.iter().rev().find(|(_, _, is_loop)| *is_loop).map(|(_, id, _)| *id);
        self.scopes.push((label, id, true));
        let cut_before = std::mem::take(&mut self.found.cut);
        let mut went_on = false;
        let mut after = After::new();
        for round in 1..=MOST_ROUNDS {
            went_on |= round > 1;
            let mut came_back: Vec<(State, ())> = Vec::new();
            for (head, ()) in heads.drain(..) {
                let failed = (round > 1 && head.failed_at_once()).then(|| head.clone());
                let before = came_back.len();
                for state in self.enter(id, head, prelude, &item, round, &mut left) {
                    for (state, flow) in self.eval(block, state) {
                        match flow {
                            Flow::Next(_) => came_back.push((state, ())),
                            Flow::Continue(target) if target == id => came_back.push((state, ())),
                            other => left.exits.push((state, other)),
                        }
                    }
                }
                if let Some(failed) = failed {
                    let next = came_back.iter().skip(before).map(|(state, ())| state.clone()).collect();
                    after.push((failed, next));
                }
            }
            self.join(&mut came_back);
            let mut fresh = self.fresh(id, &came_back, &mut known);
            if matches!(shape, LoopShape::Count | LoopShape::Each) {
                // where nothing is left to go over, each of these trips may have been the last
                for (state, ()) in
                    came_back.iter().filter(|(state, ())| !fresh.iter().any(|(it, ())| it.same_way(state)))
                {
                    left.ends.after(state, prelude, round);
                }
            }
            backs.extend(came_back);
            self.join(&mut backs);
            if fresh.is_empty() {
                break;
            }
            join(&mut fresh);
            heads = fresh;
        }
        self.scopes.pop();
        backs.retain(|(state, ())| !left.spent.iter().any(|it| it.same_way(state) || it.ends_as(state)));
        self.join(&mut left.exits);
        let seen_around: Paths = left.exits.iter().cloned().chain(left.ends.around(shape)).collect();
        let mut exits = left.exits;
        exits.extend(left.ends.at_head);
        self.join(&mut exits);
        self.record(id, shape, &outer, around, (backs, after), &exits, went_on);
        self.found.cut |= cut_before;
        for (mut state, flow) in seen_around {
            state.end_trip(&outer);
            out.push(match flow {
                Flow::Break(target, val) if target == id => (state, Flow::Next(val)),
                other => (state, other),
            });
        }
        self.joined(out)
    }

    /// Paths that come to a loop first, and what its items are; those that leave before go out.
    fn starts(&mut self, id: ExprId, shape: LoopShape, s: &State, out: &mut Paths) -> (Vec<State>, Val) {
        let ExprKind::For { iter, .. } = &self.body().expr(id).kind else {
            return (vec![s.clone()], Val::Unknown);
        };
        let mut starts = Vec::new();
        let mut item = Val::Unknown;
        for (state, flow) in self.eval(*iter, s.clone()) {
            match flow {
                Flow::Next(val) => {
                    let around = self.items_in(&val);
                    self.nested.entry(id).or_default().extend(around);
                    item = if shape == LoopShape::Count { Val::Unknown } else { Val::Item(id) };
                    if let (Val::Item(_), LoopShape::Count) = (&val, shape) {
                        item = val;
                    }
                    starts.push(state);
                }
                other => out.push((state, other)),
            }
        }
        (starts, item)
    }

    /// Begins a trip at the head: paths that go into the loop's body.
    fn enter(
        &mut self,
        id: ExprId,
        mut head: State,
        prelude: usize,
        item: &Val,
        round: u8,
        left: &mut Left,
    ) -> Vec<State> {
        let first = round == 1;
        let last = head.clone();
        head.begin_trip(prelude, round);
        match &self.body().expr(id).kind {
            ExprKind::While { cond, .. } => {
                let (answers, escapes) = self.cond(*cond, head);
                if !first && escapes.is_empty() && answers.iter().all(|(_, truth)| !truth) {
                    // a flag or value that this trip set keeps it from going round: the trip is a way out
                    for (mut state, _) in answers {
                        state.did_before(&last);
                        left.exits.push((state, Flow::Next(Val::Unknown)));
                    }
                    left.spent.push(last);
                    return Vec::new();
                }
                left.exits.extend(escapes);
                let mut entered = Vec::new();
                for (mut state, truth) in answers {
                    if truth {
                        state.past_head();
                        entered.push(state);
                    } else {
                        // a condition that asks an operation tells why it ended; what came before is past
                        let counts = !first && state.looked.is_empty();
                        left.ends.push(state, counts.then_some(&last));
                    }
                }
                entered
            }
            ExprKind::For { pat, .. } => {
                left.ends.push(head.clone(), (!first).then_some(&last));
                head.trace.push(Event::Next(id));
                self.bind(*pat, item, head).0
            }
            _ => vec![head],
        }
    }

    /// Where further trips begin: what came back, without what they bind anew, as far as it is not known.
    fn fresh(&self, id: ExprId, came_back: &[(State, ())], known: &mut Vec<State>) -> Vec<(State, ())> {
        let body = self.body();
        let inside = body.expr(id).span;
        let mut fresh = Vec::new();
        for (state, ()) in came_back {
            let mut start = state.clone();
            start.forget(|local| inside.contains(body.pat(local).span));
            if !known.iter().any(|it| same_start(it, &start)) {
                known.push(start.clone());
                fresh.push((start, ()));
            }
        }
        fresh
    }

    #[allow(clippy::too_many_arguments)]
    fn record(
        &mut self,
        id: ExprId,
        shape: LoopShape,
        entry: &State,
        outer: Option<ExprId>,
        (backs, after): (Vec<(State, ())>, After),
        exits: &Paths,
        went_on: bool,
    ) {
        let cut = self.found.cut || self.steps >= MOST_STEPS;
        let within = self.cx.task_around(id);
        let record = self.found.loops.entry(id).or_insert_with(|| LoopRecord {
            shape,
            entry: entry.clone(),
            backs: Vec::new(),
            exits: Vec::new(),
            outer,
            within,
            went_on: false,
            cut: false,
            after: Vec::new(),
        });
        record.after.extend(after);
        record.went_on |= went_on;
        record.cut |= cut;
        let mut all: Vec<(State, ())> =
            std::mem::take(&mut record.backs).into_iter().map(|state| (state, ())).chain(backs).collect();
        join(&mut all);
        record.backs = all.into_iter().map(|(state, ())| state).collect();
        record.exits.extend(exits.iter().cloned());
        join(&mut record.exits);
    }

    /// Whether a `for` counts: a range, reversed, stepped, enumerated or not.
    fn counts(&self, iter: ExprId) -> bool {
        match &self.body().expr(iter).kind {
            ExprKind::Range { .. } => true,
            ExprKind::Method(call)
                if matches!(call.name.as_str(), "rev" | "step_by" | "into_iter" | "take" | "skip") =>
            {
                self.counts(call.receiver)
            }
            ExprKind::Path(_) => {
                self.body().local(iter).and_then(|local| self.cx.init(local)).is_some_and(|init| {
                    matches!(self.body().expr(init).kind, ExprKind::Range { .. } | ExprKind::Method(_))
                        && self.counts(init)
                })
            }
            ExprKind::Call(_, args) if self.cx.call_name(iter) == "repeat" => args.len() == 1,
            _ => false,
        }
    }
}

/// Paths that left a loop.
#[derive(Default)]
struct Left {
    /// From its body, or its head by what a trip had set.
    exits: Paths,
    ends: Ends,
    /// Trips that came back and then left at the head at once.
    spent: Vec<State>,
}

/// Ways out at a loop's head: the condition's false side, the exhausted iterator.
#[derive(Default)]
struct Ends {
    /// As the loop itself sees them: a trip that has just begun.
    at_head: Paths,
    /// As the loop around sees them, before the first trip.
    untried: Paths,
    /// As the loop around sees them, after a trip: what the last one did was done.
    after_trip: Paths,
}

impl Ends {
    fn push(&mut self, head: State, last: Option<&State>) {
        let flow = Flow::Next(Val::Unknown);
        match last {
            Some(last) => {
                let mut whole = head.clone();
                whole.did_before(last);
                self.after_trip.push((whole, flow.clone()));
            }
            None => self.untried.push((head.clone(), flow.clone())),
        }
        self.at_head.push((head, flow));
    }

    /// A trip after which nothing is left, and of which nothing else is followed.
    fn after(&mut self, last: &State, prelude: usize, round: u8) {
        let mut whole = last.clone();
        whole.begin_trip(prelude, round);
        whole.did_before(last);
        self.after_trip.push((whole, Flow::Next(Val::Unknown)));
    }

    /// A `for` is taken to have something to go over, if anything came back to its head.
    fn around(&mut self, shape: LoopShape) -> Paths {
        let mut all = std::mem::take(&mut self.after_trip);
        let goes_over = matches!(shape, LoopShape::Count | LoopShape::Each) && !all.is_empty();
        if !goes_over {
            all.append(&mut self.untried);
        }
        all
    }
}

/// Whether a trip that starts from one state shows nothing that the other's did not: what was seen and is still carried is the same.
fn same_start(one: &State, other: &State) -> bool {
    one.flags().all(|flag| other.flags().any(|its| its == flag))
        && one.is_in_state_of(other)
        && one
            .seen
            .iter()
            .map(|look| (look.op, &look.tag))
            .eq(other.seen.iter().map(|look| (look.op, &look.tag)))
}
