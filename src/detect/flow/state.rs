//! What is known on one path through a body: values, outcomes that were looked at, and what happened on this trip round the innermost loop.
//! Plain data with its joins; how expressions change it is told elsewhere.

use crate::body::{ExprId, Local, PatId};
use smallvec::SmallVec;
use std::rc::Rc;

/// One call site whose outcome someone may look at.
pub(crate) type Op = ExprId;

/// What was seen of an outcome.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Tag {
    Ok,
    Err,
    Some,
    None,
    True,
    False,
    /// A status test told a success.
    GoodStatus,
    /// A status test told a failure.
    BadStatus,
    /// A variant that is none of the above, by its path's last segment.
    Variant(Rc<str>),
}

impl Tag {
    /// The only other tag, where there is exactly one.
    pub(crate) fn other(&self) -> Option<Self> {
        Some(match self {
            Self::Ok => Self::Err,
            Self::Err => Self::Ok,
            Self::Some => Self::None,
            Self::None => Self::Some,
            Self::True => Self::False,
            Self::False => Self::True,
            Self::GoodStatus => Self::BadStatus,
            Self::BadStatus => Self::GoodStatus,
            // std's `ControlFlow` has exactly these two
            Self::Variant(name) if &**name == "Break" => Self::Variant("Continue".into()),
            Self::Variant(name) if &**name == "Continue" => Self::Variant("Break".into()),
            Self::Variant(_) => return None,
        })
    }

    /// The tag that a variant's name stands for.
    pub(crate) fn of_variant(name: &str) -> Self {
        match name {
            "Ok" => Self::Ok,
            "Err" => Self::Err,
            "Some" => Self::Some,
            "None" => Self::None,
            _ => Self::Variant(name.into()),
        }
    }
}

/// What an outcome means for the question "try again?".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Verdict {
    Success,
    Failure,
    /// Not a failure, not yet a success: the thing waited for is not there.
    NotYet,
    /// Nobody can tell.
    Unclear,
}

/// What a test of an operation's outcome asks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Test {
    /// `is_ok()` and the like.
    Is(Tag),
    /// Whether the HTTP status is in these ranges.
    Status(SmallVec<[(u16, u16); 2]>),
    /// Whether an error may go away; the test is this call or comparison.
    Transient,
    /// Something else about the outcome that decides nothing by itself.
    About,
    /// A pattern that tells success from failure.
    Looked,
}

/// What an expression or a binding stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Val {
    Unknown,
    Bool(bool),
    /// The whole result of an operation.
    Outcome(Op),
    /// What is inside `Ok(..)`, `Err(..)`, `Some(..)`, a variant of an operation's outcome.
    Payload(Op, Tag),
    /// The HTTP status of an operation's outcome.
    Status(Op),
    /// The exit code of what an operation ran.
    Code(Op),
    /// A truth about an operation's outcome; false: its opposite.
    Test(Op, Test, bool),
    /// A truth that this condition tells; false: its opposite.
    Truth(ExprId, bool),
    /// What a call made of an operation's outcome: a truth about it where it is asked as one, an operation of its own where it is awaited or matched.
    Derived(Op, ExprId),
    /// `Ok(..)`, `Err(..)`, a variant: written here.
    Built(Tag, Box<Val>),
    /// A collection with nothing in it, a default: written here, and not changed since.
    Empty,
    /// Derived from this loop's own item.
    Item(ExprId),
    Tuple(Vec<Val>),
    /// An async block or closure that has not run.
    Deferred(ExprId),
    /// A timer that has not been awaited: the call that made it.
    Timer(ExprId),
    /// A stop signal.
    Cancel,
    /// A server's hint how long to wait.
    Hint(Op),
}

impl Val {
    /// Whether it was made of an operation's outcome.
    fn is_of(&self, op: Op) -> bool {
        match self {
            Self::Outcome(of)
            | Self::Payload(of, _)
            | Self::Status(of)
            | Self::Test(of, ..)
            | Self::Hint(of)
            | Self::Derived(of, _) => *of == op || matches!(self, Self::Derived(_, made) if *made == op),
            Self::Built(_, inner) => inner.is_of(op),
            Self::Tuple(parts) => parts.iter().any(|part| part.is_of(op)),
            _ => false,
        }
    }
}

/// An outcome that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Look {
    pub(crate) op: Op,
    pub(crate) tag: Tag,
    pub(crate) verdict: Verdict,
    /// It was looked at in the head of the loop: the call was made before this trip, which may make another.
    pub(crate) at_head: bool,
}

/// Something that a later replay of the path needs: bindings and assignments of variables that delays or bounds depend on, tests, waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Event {
    /// `let pattern = expr`, an arm's pattern and what it is matched against.
    Bind(PatId, ExprId),
    /// `a = b`, `a += b`: the assignment.
    Assign(ExprId),
    /// A call of this crate's that may change its receiver.
    Step(ExprId),
    /// An operation is called.
    Call(Op),
    /// A condition and its answer.
    Cond(ExprId, bool),
    /// A wait: the call, or the await of a stored timer.
    Wait(ExprId),
    /// The next item of a `for`.
    Next(ExprId),
}

/// Marks of a trip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(clippy::struct_excessive_bools)]
pub(crate) struct Marks {
    /// A failure was logged, counted or stored.
    pub(crate) log: bool,
    /// A stop signal was watched.
    pub(crate) cancel: bool,
    /// A stop signal was raced against a wait.
    pub(crate) raced: bool,
    /// A server's hint was read.
    pub(crate) hint: bool,
    /// A wait for an event (message, permit) took place.
    pub(crate) event: bool,
    /// A peer was taken in.
    pub(crate) accept: bool,
    /// An attempt was limited in time.
    pub(crate) timeout: bool,
}

impl Marks {
    fn union(self, other: Self) -> Self {
        Self {
            log: self.log || other.log,
            cancel: self.cancel || other.cancel,
            raced: self.raced || other.raced,
            hint: self.hint || other.hint,
            event: self.event || other.event,
            accept: self.accept || other.accept,
            timeout: self.timeout || other.timeout,
        }
    }
}

/// Ranges of HTTP statuses, both ends included.
pub(crate) type Codes = SmallVec<[(u16, u16); 4]>;

/// One path.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// Outcomes decided on this path, oldest first.
    pub(crate) seen: SmallVec<[Look; 4]>,
    /// Outcomes decided on this trip, also of operations that were called again since.
    pub(crate) looked: SmallVec<[Look; 4]>,
    /// Operations called on this trip, decided or not.
    pub(crate) calls: SmallVec<[Op; 4]>,
    /// Waits of this trip, by call.
    pub(crate) waits: SmallVec<[ExprId; 2]>,
    /// Conditions passed on this trip.
    pub(crate) conds: SmallVec<[(ExprId, bool); 6]>,
    /// HTTP statuses that the last operation's reply can still have, once one was tested.
    pub(crate) codes: Option<(Op, Codes)>,
    /// Patterns of payloads that matched on this trip: variants of errors and replies.
    pub(crate) arms: SmallVec<[PatId; 2]>,
    /// Operations of which this path made a status that tells a failure an error (`error_for_status`), before anything else is asked of them.
    pub(crate) raised: SmallVec<[Op; 2]>,
    /// Variables that this trip computed anew from what they were: `id += 1`.
    pub(crate) moved: SmallVec<[Local; 2]>,
    /// What else happened on this trip.
    pub(crate) marks: Marks,
    /// Since the function's start, of outer loops only the current trip.
    pub(crate) trace: Vec<Event>,
    /// Where this trip begins in the trace.
    pub(crate) trip: usize,
    /// Which round over the loop's body made this trip, the first being 1; of joined paths the last.
    pub(crate) round: u8,
    env: SmallVec<[(Local, Val); 6]>,
    fields: SmallVec<[(Rc<str>, Val); 2]>,
}

impl State {
    pub(crate) fn get(&self, local: Local) -> Val {
        self.env.iter().rev().find(|(it, _)| *it == local).map_or(Val::Unknown, |(_, val)| val.clone())
    }

    pub(crate) fn set(&mut self, local: Local, val: Val) {
        self.env.retain(|(it, _)| *it != local);
        if val != Val::Unknown {
            self.env.push((local, val));
        }
    }

    pub(crate) fn field(&self, path: &str) -> Val {
        self.fields.iter().find(|(it, _)| &**it == path).map_or(Val::Unknown, |(_, val)| val.clone())
    }

    pub(crate) fn set_field(&mut self, path: &str, val: Val) {
        self.fields.retain(|(it, _)| &**it != path);
        if val != Val::Unknown {
            self.fields.push((path.into(), val));
        }
    }

    /// Something may have been put into what a local holds.
    pub(crate) fn fill(&mut self, local: Local) {
        if matches!(self.get(local), Val::Empty) {
            self.set(local, Val::Unknown);
        }
    }

    /// Something may have been put into anything.
    pub(crate) fn fill_all(&mut self) {
        self.env.retain(|(_, val)| *val != Val::Empty);
    }

    /// What is known of fields, by their paths.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, &Val)> {
        self.fields.iter().map(|(path, val)| (&**path, val))
    }

    pub(crate) fn look(&self, op: Op) -> Option<&Look> {
        self.seen.iter().rev().find(|look| look.op == op)
    }

    pub(crate) fn last(&self) -> Option<&Look> {
        self.seen.last()
    }

    /// Adds what a replay may need; a path that is too long for one does without.
    pub(super) fn note(&mut self, event: Event) {
        if self.trace.len() < MOST_EVENTS {
            self.trace.push(event);
        }
    }

    /// The operation is called (again): what was seen of it is forgotten.
    pub(crate) fn called(&mut self, op: Op) {
        self.seen.retain(|look| look.op != op);
        self.raised.retain(|it| *it != op);
        if self.codes.as_ref().is_some_and(|(of, _)| *of == op) {
            self.codes = None;
        }
        if !self.calls.contains(&op) {
            self.calls.push(op);
        }
    }

    /// The operation is called, unless this trip has come to it already: a value that was made of another is looked at late.
    pub(crate) fn called_once(&mut self, op: Op) {
        if !self.calls.contains(&op) {
            let raised = self.raised.contains(&op);
            self.called(op);
            if raised {
                self.raises(op);
            }
        }
    }

    /// A status of an operation's reply that tells a failure is made an error.
    pub(crate) fn raises(&mut self, op: Op) {
        if !self.raised.contains(&op) {
            self.raised.push(op);
        }
    }

    pub(crate) fn decide(&mut self, op: Op, tag: Tag, verdict: Verdict) {
        self.seen.retain(|look| look.op != op);
        // what the call before this trip came to is why there is one
        self.looked.retain(|look| look.op != op || look.at_head);
        self.looked.push(Look { op, tag: tag.clone(), verdict, at_head: false });
        self.seen.push(Look { op, tag, verdict, at_head: false });
    }

    /// An outcome that an earlier trip decided is asked on this one.
    pub(crate) fn look_again(&mut self, op: Op) {
        let told = self.looked.iter().any(|look| look.op == op);
        if let Some(look) = self.look(op).filter(|_| !told).cloned() {
            self.looked.push(look);
        }
    }

    /// What was looked at so far was looked at in the head of the loop.
    pub(crate) fn past_head(&mut self) {
        for look in &mut self.looked {
            look.at_head = true;
        }
    }

    /// A reply's status was tested against these ranges.
    pub(crate) fn narrow_codes(&mut self, op: Op, ranges: &[(u16, u16)], holds: bool) {
        let before = match self.codes.take() {
            Some((of, codes)) if of == op => codes,
            _ => SmallVec::from_slice(&[(100, 599)]),
        };
        let mut after = Codes::new();
        if holds {
            for (a, b) in &before {
                for (c, d) in ranges {
                    if a.max(c) <= b.min(d) {
                        after.push((*a.max(c), *b.min(d)));
                    }
                }
            }
        } else {
            after = before;
            for (c, d) in ranges {
                let mut rest = Codes::new();
                for (a, b) in after {
                    if b < *c || a > *d {
                        rest.push((a, b));
                        continue;
                    }
                    if a < *c {
                        rest.push((a, c - 1));
                    }
                    if b > *d {
                        rest.push((d + 1, b));
                    }
                }
                after = rest;
            }
        }
        self.codes = Some((op, after));
    }

    /// Forgets locals that a new trip binds anew, and outcomes that nothing it keeps speaks of: paths that differ in them alone are one.
    pub(crate) fn forget(&mut self, bound_anew: impl Fn(Local) -> bool) {
        self.env.retain(|(local, _)| !bound_anew(*local));
        let env = &self.env;
        let fields = &self.fields;
        self.seen.retain(|look| {
            env.iter().any(|(_, val)| val.is_of(look.op)) || fields.iter().any(|(_, val)| val.is_of(look.op))
        });
    }

    /// Flags whose value is known here.
    pub(crate) fn flags(&self) -> impl Iterator<Item = (Local, bool)> + '_ {
        self.env.iter().filter_map(|(local, val)| match val {
            Val::Bool(truth) => Some((*local, *truth)),
            _ => None,
        })
    }

    /// Whether variables and fields hold the same variants that were written here: a state machine's state.
    pub(crate) fn is_in_state_of(&self, other: &Self) -> bool {
        fn has<K: PartialEq>(one: &[(K, Val)], all: &[(K, Val)]) -> bool {
            one.iter().all(|(place, val)| {
                variant(val)
                    .is_none_or(|tag| all.iter().any(|(its, val)| its == place && variant(val) == Some(tag)))
            })
        }
        has(&self.env, &other.env)
            && has(&other.env, &self.env)
            && has(&self.fields, &other.fields)
            && has(&other.fields, &self.fields)
    }

    /// Whether something failed on this trip, and nothing was waited for.
    pub(crate) fn failed_at_once(&self) -> bool {
        self.waits.is_empty() && self.looked.iter().any(|look| look.verdict == Verdict::Failure)
    }

    /// Whether another trip leaves the same flags and variants behind.
    pub(crate) fn leaves_the_same(&self, other: &Self) -> bool {
        let has = |one: &Self, all: &Self| one.flags().all(|flag| all.flags().any(|its| its == flag));
        has(self, other) && has(other, self) && self.is_in_state_of(other)
    }

    /// This trip and the one after it as one.
    pub(crate) fn and_then(&self, next: &Self) -> Self {
        let mut both = next.clone();
        both.did_before(self);
        both.conds = self.conds.iter().chain(&next.conds).copied().collect();
        both.arms = self.arms.iter().chain(&next.arms).copied().collect();
        both.codes = next.codes.clone().or_else(|| self.codes.clone());
        both.trace = self.trace.iter().chain(next.trip_events()).copied().collect();
        both.trip = self.trip;
        both.round = self.round.max(next.round);
        both
    }

    /// A new trip begins.
    pub(crate) fn begin_trip(&mut self, prelude: usize, round: u8) {
        self.round = round;
        self.trace.truncate(prelude);
        self.trip = self.trace.len();
        self.calls.clear();
        self.looked.clear();
        self.waits.clear();
        self.conds.clear();
        self.arms.clear();
        self.raised.clear();
        self.moved.clear();
        self.marks = Marks::default();
    }

    /// The trip through an inner loop is over: what the outer trip had done before comes back.
    pub(crate) fn end_trip(&mut self, outer: &Self) {
        let conds = std::mem::take(&mut self.conds);
        self.conds.clone_from(&outer.conds);
        self.conds.extend(conds);
        self.arms.clone_from(&outer.arms);
        for op in &outer.raised {
            self.raises(*op);
        }
        self.did_before(outer);
        self.trip = outer.trip;
        self.round = outer.round;
    }

    /// What another path did and saw came before what this one did and saw.
    pub(crate) fn did_before(&mut self, before: &Self) {
        let mut whole = before.clone();
        for op in &self.calls {
            if !whole.calls.contains(op) {
                whole.calls.push(*op);
            }
        }
        for look in &self.looked {
            whole.looked.retain(|it| it.op != look.op);
            whole.looked.push(look.clone());
        }
        for wait in &self.waits {
            if !whole.waits.contains(wait) {
                whole.waits.push(*wait);
            }
        }
        for local in &before.moved {
            self.has_moved(*local);
        }
        self.calls = whole.calls;
        self.looked = whole.looked;
        self.waits = whole.waits;
        self.marks = whole.marks.union(self.marks);
    }

    /// A variable was computed anew from what it was.
    pub(crate) fn has_moved(&mut self, local: Local) {
        if !self.moved.contains(&local) {
            self.moved.push(local);
        }
    }

    /// The events of this trip.
    pub(crate) fn trip_events(&self) -> &[Event] {
        self.trace.get(self.trip..).unwrap_or_default()
    }

    /// Whether two paths may go on as one: the same outcomes, waits and replay.
    pub(crate) fn same_way(&self, other: &Self) -> bool {
        self.seen == other.seen
            && self.looked == other.looked
            && self.waits == other.waits
            && self.codes == other.codes
            && self.raised == other.raised
            && self.trace == other.trace
            && self.keeps_tests_of(other)
            && other.keeps_tests_of(self)
    }

    /// Whether two paths differ only in how these conditions were answered, and know the same of all values.
    pub(super) fn alike_but(&self, other: &Self, conds: &impl Fn(ExprId) -> bool) -> bool {
        fn others<'s>(
            state: &'s State,
            conds: &'s impl Fn(ExprId) -> bool,
        ) -> impl Iterator<Item = &'s Event> {
            state.trace.iter().filter(move |event| !matches!(event, Event::Cond(id, _) if conds(*id)))
        }
        let passed =
            |one: &Self, all: &Self| one.conds.iter().all(|it| conds(it.0) || all.conds.contains(it));
        let asked =
            |state: &Self| state.trace.iter().any(|it| matches!(it, Event::Cond(id, _) if conds(*id)));
        asked(self)
            && asked(other)
            && self.trip == other.trip
            && self.seen == other.seen
            && self.looked == other.looked
            && self.waits == other.waits
            && self.codes == other.codes
            && self.raised == other.raised
            && self.calls == other.calls
            && self.arms == other.arms
            && self.env == other.env
            && self.fields == other.fields
            && passed(self, other)
            && passed(other, self)
            && others(self, conds).eq(others(other, conds))
    }

    /// Forgets how these conditions were answered.
    pub(super) fn forget_conds(&mut self, conds: &impl Fn(ExprId) -> bool) {
        self.conds.retain(|it| !conds(it.0));
        let (before, trip) = (self.trace.get(..self.trip).unwrap_or_default(), self.trip);
        let gone = before.iter().filter(|event| matches!(event, Event::Cond(id, _) if conds(*id))).count();
        self.trace.retain(|event| !matches!(event, Event::Cond(id, _) if conds(*id)));
        self.trip = trip - gone;
    }

    /// Whether what a variable asks of an outcome here (`let again = status.is_server_error();`) it asks there: joined, the answer would be lost.
    fn keeps_tests_of(&self, other: &Self) -> bool {
        other.env.iter().all(|(local, val)| !matches!(val, Val::Test(..)) || self.get(*local) == *val)
    }

    /// Whether another trip ended as this one: the same outcomes, waits and flags.
    pub(crate) fn ends_as(&self, other: &Self) -> bool {
        self.looked == other.looked
            && self.waits == other.waits
            && self.raised == other.raised
            && self.flags().eq(other.flags())
    }

    /// Whether two paths may go on as one when there are too many: the same last outcome and the same emptiness of waits.
    fn same_fate(&self, other: &Self) -> bool {
        self.last().map(|look| (look.op, look.verdict)) == other.last().map(|look| (look.op, look.verdict))
            && self.waits.is_empty() == other.waits.is_empty()
    }

    pub(super) fn absorb(&mut self, other: &Self) {
        for (local, val) in &mut self.env {
            if other.get(*local) != *val {
                *val = Val::Unknown;
            }
        }
        self.env.retain(|(_, val)| *val != Val::Unknown);
        for (path, val) in &mut self.fields {
            if other.field(path) != *val {
                *val = Val::Unknown;
            }
        }
        self.fields.retain(|(_, val)| *val != Val::Unknown);
        for op in &other.calls {
            if !self.calls.contains(op) {
                self.calls.push(*op);
            }
        }
        self.conds.retain(|cond| other.conds.contains(cond));
        self.arms.retain(|arm| other.arms.contains(arm));
        for op in &other.raised {
            self.raises(*op);
        }
        self.moved.retain(|local| other.moved.contains(local));
        self.marks = self.marks.union(other.marks);
        self.round = self.round.max(other.round);
    }
}

fn variant(val: &Val) -> Option<&Tag> {
    match val {
        Val::Built(tag @ (Tag::Variant(_) | Tag::None | Tag::Some), _) => Some(tag),
        _ => None,
    }
}

/// Events of a path after which only calls, waits and stores are still written down.
const MOST_EVENTS: usize = 256;

/// More paths than this at one point are joined by fate. The sketch of the algorithm stopped gaining at 32.
const MOST_PATHS: usize = 24;

/// What joining did beyond making one of those that are alike.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Joined {
    /// Some were joined only because there were too many.
    pub(crate) cut: bool,
    /// Even then there were too many, and some were left out.
    pub(crate) lost: bool,
}

/// Joins paths that may go on as one.
pub(crate) fn join<K: PartialEq>(paths: &mut Vec<(State, K)>) -> Joined {
    join_by(paths, State::same_way);
    if paths.len() <= MOST_PATHS {
        return Joined::default();
    }
    join_by(paths, State::same_fate);
    let lost = paths.len() > MOST_PATHS;
    paths.truncate(MOST_PATHS);
    Joined { cut: true, lost }
}

fn join_by<K: PartialEq>(paths: &mut Vec<(State, K)>, same: impl Fn(&State, &State) -> bool) {
    let mut kept: Vec<(State, K)> = Vec::with_capacity(paths.len());
    for (state, flow) in paths.drain(..) {
        match kept.iter_mut().find(|(it, its)| *its == flow && same(it, &state)) {
            Some((it, _)) => it.absorb(&state),
            None => kept.push((state, flow)),
        }
    }
    *paths = kept;
}
