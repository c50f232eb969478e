//! The flow of attempts: abstract interpretation of one body that keeps paths apart by the outcome of its operations (see ARCHITECTURE.md).
//! It records what each loop's trips do; it classifies nothing and reports nothing.

mod calls;
mod conditions;
mod eval;
mod loops;
mod macros;
mod patterns;
mod places;
mod relevant;
pub(crate) mod state;

pub(crate) use loops::{LoopRecord, LoopShape};
pub(crate) use state::{Event, Op, State, Tag, Test, Val, Verdict};

use super::context::{Callee, Context};
use super::unlooped;
use crate::body::{Body, ExprId, ExprKind, Local, PatId};
use crate::knowledge::Role;
use crate::resolve::ItemRef;
use smallvec::SmallVec;
use state::join;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// How a path goes on after an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// To what comes next, with a value.
    Next(Val),
    /// Out of a loop or labelled block, with a value.
    Break(ExprId, Val),
    /// To the head of a loop.
    Continue(ExprId),
    /// Out of the function, with a value.
    Return(Val),
    /// Nowhere: panics, exits.
    Diverge,
}

/// Paths and how they go on.
pub(crate) type Paths = Vec<(State, Flow)>;

/// What following one body found.
#[derive(Debug, Default)]
pub(crate) struct Followed {
    /// Each loop, by its expression.
    pub(crate) loops: BTreeMap<ExprId, LoopRecord>,
    /// Paths that call the function itself again: the call and the path up to it.
    pub(crate) recursions: Vec<(ExprId, State)>,
    /// Ways out of the function.
    pub(crate) exits: Paths,
    /// Operations whose input is an item of a loop: the loop.
    pub(crate) of_item: BTreeMap<Op, BTreeSet<ExprId>>,
    /// Operations that stand for an operand: a closure, future or macro fragment given from outside.
    pub(crate) operands: BTreeSet<Op>,
    /// Calls that make something of an operation's outcome: the operation.
    pub(crate) derived: BTreeMap<Op, Op>,
    /// Calls that are given an operation's outcome before anybody has looked at it: the operation.
    pub(crate) handed: BTreeMap<Op, Op>,
    /// Expressions that stand for an operation's outcome, for something inside it or made of it: the operations.
    pub(crate) speaks: BTreeMap<ExprId, SmallVec<[Op; 2]>>,
    /// Conditions that asked about an operation's outcome.
    pub(crate) tests: BTreeMap<ExprId, (Op, Test)>,
    /// Some paths were joined, or the step budget ran out.
    pub(crate) cut: bool,
    /// The step budget ran out.
    pub(crate) exhausted: bool,
    /// Some paths were left out: there were too many that no joining makes one.
    pub(crate) lost: bool,
    /// Async blocks and closures that run as tasks of their own.
    pub(crate) spawned: BTreeSet<ExprId>,
    /// What closures do that nobody here runs in place: whoever gets them calls them.
    pub(crate) closures: BTreeMap<ExprId, Paths>,
    /// The blocks that run as tasks of their own, with the path that spawned each.
    pub(crate) spawns: Vec<(ExprId, State)>,
}

/// Steps for one body: some tenths of a second.
const MOST_STEPS: u32 = 120_000;

/// Closures run in place inside each other at most this deep.
const MOST_CLOSURES: u32 = 4;

pub(crate) struct Walker<'c, 'a> {
    cx: &'c Context<'a>,
    found: Followed,
    relevant: HashSet<Local>,
    steps: u32,
    /// Loops and labelled blocks around, innermost last: label, expression, whether it is a loop.
    scopes: Vec<(Option<String>, ExprId, bool)>,
    ran: BTreeSet<ExprId>,
    captured: BTreeMap<ExprId, State>,
    optional: BTreeSet<Op>,
    /// Of replies that come from outside, by the variable that holds them: the first call that asked for the status. `None`: they are nobody's.
    given: Option<BTreeMap<Local, Op>>,
    /// Loops that go over an item of another loop: that one, and those around.
    nested: BTreeMap<ExprId, BTreeSet<ExprId>>,
    depth: u32,
    /// Timers that the function makes are waited for by whoever polls it.
    gives_timers_away: bool,
}

/// Whether a body has anything to follow: a loop, a call of itself, a retry that is neither.
pub(crate) fn is_worth_following(cx: &Context<'_>) -> bool {
    let goes_round = cx.body.exprs().any(|(id, expr)| match &expr.kind {
        ExprKind::Loop { .. } | ExprKind::While { .. } | ExprKind::For { .. } => true,
        ExprKind::Call(..) | ExprKind::Method(_) => is_self(&cx.callee(id), cx.at),
        _ => false,
    });
    goes_round || unlooped::is_worth_following(cx)
}

/// Follows a body: the function itself, and each closure and async block that is not run in place.
pub(crate) fn follow(cx: &Context<'_>) -> Followed {
    let mut walker = Walker::new(cx);
    let exits = walker.eval(cx.body.root, State::default());
    walker.found.exits = exits;
    walker.follow_deferred();
    walker.found.exhausted = walker.steps >= MOST_STEPS;
    walker.found.cut |= walker.found.exhausted;
    walker.found
}

/// Follows one closure, async block or whole body for its ways out only. The statuses of replies that it is given are told apart as well.
pub(crate) fn follow_exits(cx: &Context<'_>, root: ExprId) -> Followed {
    let mut walker = Walker::new(cx);
    walker.given = Some(BTreeMap::new());
    let mut going = if matches!(cx.body.expr(root).kind, ExprKind::Closure { .. } | ExprKind::Async(_)) {
        walker.run(root, &[], State::default())
    } else {
        walker.eval(root, State::default())
    };
    // a future that is given back is run by whoever gets it: a closure's async block, a boxed one
    for _ in 0..2 {
        going = going
            .into_iter()
            .flat_map(|(state, flow)| match flow {
                Flow::Next(Val::Deferred(inner)) | Flow::Return(Val::Deferred(inner)) => {
                    walker.run(inner, &[], state)
                }
                other => vec![(state, other)],
            })
            .collect();
    }
    walker.found.exits = going;
    walker.found.cut |= walker.steps >= MOST_STEPS;
    walker.found
}

impl<'c, 'a> Walker<'c, 'a> {
    fn new(cx: &'c Context<'a>) -> Self {
        Self {
            cx,
            found: Followed::default(),
            relevant: relevant::relevant_locals(cx),
            steps: 0,
            scopes: Vec::new(),
            ran: BTreeSet::new(),
            captured: BTreeMap::new(),
            optional: BTreeSet::new(),
            given: None,
            nested: BTreeMap::new(),
            depth: 0,
            gives_timers_away: unlooped::gives_timers_away(cx),
        }
    }
}

impl<'a> Walker<'_, 'a> {
    fn body(&self) -> &'a Body {
        self.cx.body
    }

    /// Closures and async blocks that nothing ran in place: bodies of their own, with what they capture.
    fn follow_deferred(&mut self) {
        let deferred: Vec<ExprId> = self
            .body()
            .exprs()
            .filter(|(_, expr)| matches!(expr.kind, ExprKind::Closure { .. } | ExprKind::Async(_)))
            .map(|(id, _)| id)
            .collect();
        for id in deferred.into_iter().rev() {
            if self.ran.contains(&id) {
                continue;
            }
            let mut start = self.captured.remove(&id).unwrap_or_default();
            let (prelude, round) = (start.trace.len(), start.round);
            start.begin_trip(prelude, round);
            let paths = self.run(id, &[], start);
            if matches!(self.body().expr(id).kind, ExprKind::Closure { .. }) {
                self.found.closures.insert(id, paths);
            }
        }
    }

    /// Runs a closure or async block in place: its returns are its value.
    fn run(&mut self, id: ExprId, args: &[Val], mut s: State) -> Paths {
        let body = self.body();
        self.ran.insert(id);
        if self.depth >= MOST_CLOSURES {
            return vec![(s, Flow::Next(Val::Unknown))];
        }
        let inner = match &body.expr(id).kind {
            ExprKind::Closure { params, body: inner, .. } => {
                for (at, param) in params.iter().enumerate() {
                    let val = args.get(at).cloned().unwrap_or(Val::Unknown);
                    s = self.bind_all(param.pat, &val, s);
                }
                *inner
            }
            ExprKind::Async(inner) => *inner,
            _ => return vec![(s, Flow::Next(Val::Unknown))],
        };
        self.depth += 1;
        let scopes = std::mem::take(&mut self.scopes);
        let paths = self.eval(inner, s);
        self.scopes = scopes;
        self.depth -= 1;
        paths
            .into_iter()
            .map(|(state, flow)| match flow {
                Flow::Return(val) => (state, Flow::Next(val)),
                other => (state, other),
            })
            .collect()
    }

    /// Binds where the pattern cannot fail: every match joined into one path.
    fn bind_all(&mut self, pat: PatId, val: &Val, s: State) -> State {
        let fallback = s.clone();
        let (matched, _) = self.bind(pat, val, s);
        matched.into_iter().next().unwrap_or(fallback)
    }

    fn target(&self, label: Option<&str>, loops_only: bool) -> Option<ExprId> {
        let found = self.scopes.iter().rev().find(|(its, _, is_loop)| match label {
            Some(label) => {
                its.as_deref().is_some_and(|it| it.trim_start_matches('\'') == label.trim_start_matches('\''))
            }
            None => *is_loop || !loops_only,
        });
        found.map(|(_, id, _)| *id)
    }

    /// Joins paths, and notes where more than alike ones became one.
    fn join<K: PartialEq>(&mut self, paths: &mut Vec<(State, K)>) {
        let joined = join(paths);
        self.found.cut |= joined.cut;
        self.found.lost |= joined.lost;
    }

    fn joined(&mut self, mut paths: Paths) -> Paths {
        if paths.len() > 1 {
            self.join(&mut paths);
        }
        paths
    }

    fn joined_states(&mut self, states: Vec<State>) -> Vec<State> {
        if states.len() < 2 {
            return states;
        }
        let mut paths: Vec<(State, ())> = states.into_iter().map(|state| (state, ())).collect();
        self.join(&mut paths);
        paths.into_iter().map(|(state, ())| state).collect()
    }
}

/// One path that goes on with a value.
pub(super) fn next(s: State, val: Val) -> Paths {
    vec![(s, Flow::Next(val))]
}

/// Goes on where a path has a value; the others leave as they are.
pub(super) fn then(paths: Paths, mut go: impl FnMut(State, Val) -> Paths) -> Paths {
    let mut out = Vec::with_capacity(paths.len());
    for (state, flow) in paths {
        match flow {
            Flow::Next(val) => out.extend(go(state, val)),
            other => out.push((state, other)),
        }
    }
    out
}

/// A path waits here.
pub(super) fn wait(call: ExprId, s: &mut State) {
    if !s.waits.contains(&call) {
        s.waits.push(call);
    }
    s.trace.push(Event::Wait(call));
}

/// Whether a function is this body's own: it calls itself.
pub(crate) fn is_self(callee: &Callee<'_>, at: ItemRef) -> bool {
    matches!(callee, Callee::Own(item) if *item == at)
}
