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
        let mut outer = s.clone();
        let prelude = s.trace.len();
        let (starts, item, mut out) = match &body.expr(id).kind {
            ExprKind::For { iter, .. } => self.items(id, *iter, shape, s),
            _ => (vec![s], Val::Unknown, Vec::new()),
        };
        // what the iterator itself did, the loop around did
        if let Some(start) = starts.first() {
            outer = start.clone();
        }
        let mut heads: Vec<(State, ())> = starts.into_iter().map(|state| (state, ())).collect();
        let mut known: Vec<State> = Vec::new();
        let mut backs: Vec<(State, ())> = Vec::new();
        let mut exits: Paths = Vec::new();
        // ways out at the head, as the record and as the loop around sees them
        let mut ends = Ends::default();
        let mut spent: Vec<State> = Vec::new();
        let around = self.scopes.iter().rev().find(|(_, _, is_loop)| *is_loop).map(|(_, id, _)| *id);
        self.scopes.push((label, id, true));
        let cut_before = std::mem::take(&mut self.found.cut);
        let mut went_on = false;
        for round in 1..=MOST_ROUNDS {
            went_on |= round > 1;
            let mut came_back: Vec<(State, ())> = Vec::new();
            for (mut head, ()) in heads.drain(..) {
                let last = head.clone();
                head.begin_trip(prelude, round);
                let mut entered = Vec::new();
                match &body.expr(id).kind {
                    ExprKind::While { cond, .. } => {
                        let (answers, escapes) = self.cond(*cond, head);
                        let ends_here =
                            round > 1 && escapes.is_empty() && answers.iter().all(|(_, truth)| !truth);
                        if ends_here {
                            // a flag or value that this trip set keeps it from going round: the trip is a way out
                            for (mut state, _) in answers {
                                state.did_before(&last);
                                exits.push((state, Flow::Next(Val::Unknown)));
                            }
                            spent.push(last);
                            continue;
                        }
                        exits.extend(escapes);
                        for (state, truth) in answers {
                            if truth {
                                entered.push(state);
                            } else {
                                // a condition that asks an operation tells why it ended; what came before is past
                                let counts = round > 1 && state.looked.is_empty();
                                ends.push(state, counts.then_some(&last));
                            }
                        }
                    }
                    ExprKind::For { pat, .. } => {
                        ends.push(head.clone(), (round > 1).then_some(&last));
                        head.trace.push(Event::Next(id));
                        entered = self.bind(*pat, &item, head).0;
                    }
                    _ => entered.push(head),
                }
                for state in entered {
                    for (state, flow) in self.eval(block, state) {
                        match flow {
                            Flow::Next(_) => came_back.push((state, ())),
                            Flow::Continue(target) if target == id => came_back.push((state, ())),
                            Flow::Break(target, val) if target == id => {
                                exits.push((state, Flow::Break(id, val)));
                            }
                            other => exits.push((state, other)),
                        }
                    }
                }
            }
            self.found.cut |= join(&mut came_back);
            let mut fresh = self.fresh(id, &came_back, &mut known);
            backs.extend(came_back);
            self.found.cut |= join(&mut backs);
            if fresh.is_empty() {
                break;
            }
            join(&mut fresh);
            heads = fresh;
        }
        self.scopes.pop();
        backs.retain(|(state, ())| !spent.iter().any(|it| it.same_way(state)));
        self.found.cut |= join(&mut exits);
        let seen_around: Paths = exits.iter().cloned().chain(ends.around(shape)).collect();
        exits.extend(ends.at_head);
        self.found.cut |= join(&mut exits);
        self.record(id, shape, &outer, around, backs, &exits, went_on);
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

    /// The iterator of a `for`: the paths on which there is one, what its items stand for, and the paths that left before.
    fn items(&mut self, id: ExprId, iter: ExprId, shape: LoopShape, s: State) -> (Vec<State>, Val, Paths) {
        let (mut starts, mut item, mut left) = (Vec::new(), Val::Unknown, Vec::new());
        for (state, flow) in self.eval(iter, s) {
            match flow {
                Flow::Next(val) => {
                    item = if shape == LoopShape::Count { Val::Unknown } else { Val::Item(id) };
                    let around = self.items_in(&val);
                    self.nested.entry(id).or_default().extend(around);
                    if let (Val::Item(_), LoopShape::Count) = (&val, shape) {
                        item = val;
                    }
                    starts.push(state);
                }
                other => left.push((state, other)),
            }
        }
        (starts, item, left)
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
        backs: Vec<(State, ())>,
        exits: &Paths,
        went_on: bool,
    ) {
        let cut = self.found.cut || self.steps >= MOST_STEPS;
        let within = self.enclosing_deferred(id);
        let record = self.found.loops.entry(id).or_insert_with(|| LoopRecord {
            shape,
            entry: entry.clone(),
            backs: Vec::new(),
            exits: Vec::new(),
            outer,
            within,
            went_on: false,
            cut: false,
        });
        record.went_on |= went_on;
        record.cut |= cut;
        let mut all: Vec<(State, ())> =
            std::mem::take(&mut record.backs).into_iter().map(|state| (state, ())).chain(backs).collect();
        join(&mut all);
        record.backs = all.into_iter().map(|(state, ())| state).collect();
        record.exits.extend(exits.iter().cloned());
        join(&mut record.exits);
    }

    fn enclosing_deferred(&self, id: ExprId) -> Option<ExprId> {
        let mut at = self.cx.parent(id);
        while let Some(parent) = at {
            if matches!(self.body().expr(parent).kind, ExprKind::Closure { .. } | ExprKind::Async(_)) {
                return Some(parent);
            }
            at = self.cx.parent(parent);
        }
        None
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
        && one
            .seen
            .iter()
            .map(|look| (look.op, &look.tag))
            .eq(other.seen.iter().map(|look| (look.op, &look.tag)))
}
