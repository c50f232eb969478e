//! The flow of attempts: abstract interpretation of one body that keeps paths apart by the outcome of its operations (see ARCHITECTURE.md).
//! It records what each loop's trips do; it classifies nothing and reports nothing.

mod calls;
mod conditions;
mod loops;
mod patterns;
mod relevant;
pub(crate) mod state;

pub(crate) use loops::{LoopRecord, LoopShape};
pub(crate) use state::{Event, Op, State, Tag, Test, Val, Verdict};

use super::context::{Callee, Context};
use crate::body::{BinOp, Body, ExprId, ExprKind, Lit, Local, MacroInput, PatId, PatKind, Path, Stmt, UnOp};
use crate::knowledge::Role;
use crate::resolve::{ItemRef, Target};
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
    /// Conditions that asked about an operation's outcome.
    pub(crate) tests: BTreeMap<ExprId, (Op, Test)>,
    /// Some paths were joined, or the step budget ran out.
    pub(crate) cut: bool,
    /// Async blocks and closures that run as tasks of their own.
    pub(crate) spawned: BTreeSet<ExprId>,
}

/// Steps for one body: some tenths of a second.
const MOST_STEPS: u32 = 60_000;

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
    depth: u32,
}

/// Whether a body has anything to follow: a loop, or a call of itself.
pub(crate) fn is_worth_following(cx: &Context<'_>) -> bool {
    cx.body.exprs().any(|(id, expr)| match &expr.kind {
        ExprKind::Loop { .. } | ExprKind::While { .. } | ExprKind::For { .. } => true,
        ExprKind::Call(..) | ExprKind::Method(_) => is_self(&cx.callee(id), cx.at),
        _ => false,
    })
}

/// Follows a body: the function itself, and each closure and async block that is not run in place.
pub(crate) fn follow(cx: &Context<'_>) -> Followed {
    let mut walker = Walker {
        cx,
        found: Followed::default(),
        relevant: relevant::relevant_locals(cx),
        steps: 0,
        scopes: Vec::new(),
        ran: BTreeSet::new(),
        captured: BTreeMap::new(),
        optional: BTreeSet::new(),
        depth: 0,
    };
    let exits = walker.eval(cx.body.root, State::default());
    walker.found.exits = exits;
    walker.follow_deferred();
    walker.found.cut |= walker.steps >= MOST_STEPS;
    walker.found
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
            let start = self.captured.remove(&id).unwrap_or_default();
            self.run(id, &[], start);
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

    /// Evaluates an expression on one path.
    #[allow(clippy::too_many_lines)] // the one match over what expressions there are
    pub(super) fn eval(&mut self, id: ExprId, mut s: State) -> Paths {
        self.steps += 1;
        if self.steps >= MOST_STEPS {
            return Vec::new();
        }
        let body = self.body();
        let expr = body.expr(id);
        match &expr.kind {
            ExprKind::Lit(Lit::Bool(truth)) => next(s, Val::Bool(*truth)),
            ExprKind::Lit(_) | ExprKind::Other => next(s, Val::Unknown),
            ExprKind::Path(path) => {
                let val = self.path_value(id, path, &mut s);
                next(s, val)
            }
            ExprKind::Unary(UnOp::Not, inner) => {
                let paths = self.eval(*inner, s);
                then(paths, |state, val| next(state, negate(val)))
            }
            ExprKind::Unary(_, inner) | ExprKind::Cast(inner, _) | ExprKind::Ref(inner) => {
                self.eval(*inner, s)
            }
            ExprKind::Binary(BinOp::And | BinOp::Or, ..) | ExprKind::Let(..) => {
                let (answers, mut out) = self.cond(id, s);
                out.extend(answers.into_iter().map(|(state, truth)| (state, Flow::Next(Val::Bool(truth)))));
                out
            }
            ExprKind::Binary(op, left, right) => self.binary(id, *op, *left, *right, s),
            ExprKind::Assign(left, right) => {
                let paths = self.eval(*right, s);
                let left = *left;
                then(paths, |state, val| next(self.assign(id, left, val, state), Val::Unknown))
            }
            ExprKind::AssignOp(_, left, right) => {
                let paths = self.eval(*right, s);
                let left = *left;
                then(paths, |mut state, _| {
                    if self.is_relevant(left) {
                        state.trace.push(Event::Assign(id));
                    }
                    if let Some(local) = body.local(left) {
                        state.set(local, Val::Unknown);
                    }
                    next(state, Val::Unknown)
                })
            }
            ExprKind::Call(..) | ExprKind::Method(_) => self.call(id, s),
            ExprKind::Field(base, name) => self.field(id, *base, name, s),
            ExprKind::Index(base, index) => {
                let (base, index) = (*base, *index);
                let paths = self.eval(index, s);
                let item = self.stepped_index(index);
                then(paths, |state, _| {
                    let paths = self.eval(base, state);
                    then(paths, |state, val| {
                        next(state, if matches!(val, Val::Item(_)) { val } else { item.clone() })
                    })
                })
            }
            ExprKind::Tuple(items) => {
                let paths = self.eval_all(items, s);
                paths
                    .into_iter()
                    .map(|(state, flow, vals)| (state, flow.unwrap_or(Flow::Next(Val::Tuple(vals)))))
                    .collect()
            }
            ExprKind::Array(items) => {
                let paths = self.eval_all(items, s);
                paths
                    .into_iter()
                    .map(|(state, flow, vals)| (state, flow.unwrap_or(Flow::Next(item_among(&vals)))))
                    .collect()
            }
            ExprKind::Repeat(value, _) => self.eval(*value, s),
            ExprKind::Struct(lit) => {
                let fields: Vec<ExprId> =
                    lit.fields.iter().map(|(_, value)| *value).chain(lit.base).collect();
                let tag = Tag::of_variant(lit.path.last());
                let paths = self.eval_all(&fields, s);
                paths
                    .into_iter()
                    .map(|(state, flow, vals)| {
                        let inner = vals.into_iter().find(|val| *val != Val::Unknown).unwrap_or(Val::Unknown);
                        let built = if matches!(inner, Val::Item(_)) {
                            inner
                        } else {
                            Val::Built(tag.clone(), Box::new(inner))
                        };
                        (state, flow.unwrap_or(Flow::Next(built)))
                    })
                    .collect()
            }
            ExprKind::Range { start, end, .. } => {
                let ends: Vec<ExprId> = start.iter().chain(end).copied().collect();
                let paths = self.eval_all(&ends, s);
                paths
                    .into_iter()
                    .map(|(state, flow, _)| (state, flow.unwrap_or(Flow::Next(Val::Unknown))))
                    .collect()
            }
            ExprKind::Try(inner) => {
                let paths = self.eval(*inner, s);
                then(paths, |state, val| raise(id, val, state))
            }
            ExprKind::Await(inner) => {
                let paths = self.eval(*inner, s);
                then(paths, |state, val| self.awaited(val, state))
            }
            ExprKind::Block(block) => {
                if block.label.is_some() {
                    self.scopes.push((block.label.clone(), id, false));
                }
                let paths = self.block(&block.stmts, block.tail, s);
                if block.label.is_none() {
                    return paths;
                }
                self.scopes.pop();
                paths
                    .into_iter()
                    .map(|(state, flow)| match flow {
                        Flow::Break(target, val) if target == id => (state, Flow::Next(val)),
                        other => (state, other),
                    })
                    .collect()
            }
            ExprKind::If { cond, then: yes, otherwise } => {
                let (answers, mut out) = self.cond(*cond, s);
                for (state, truth) in answers {
                    match (truth, otherwise) {
                        (true, _) => out.extend(self.eval(*yes, state)),
                        (false, Some(no)) => out.extend(self.eval(*no, state)),
                        (false, None) => out.push((state, Flow::Next(Val::Unknown))),
                    }
                }
                self.joined(out)
            }
            ExprKind::Match(scrutinee, arms) => {
                let paths = self.eval(*scrutinee, s);
                let out = then(paths, |state, val| {
                    let mut out = Vec::new();
                    let mut left = vec![state];
                    for arm in arms {
                        let mut unmatched = Vec::new();
                        for state in left {
                            let (matched, not) = self.bind(arm.pat, &val, state);
                            unmatched.extend(not);
                            for mut state in matched {
                                self.record_names(*scrutinee, arm.pat, &mut state);
                                if let Some(truth) = self.optional_arm(arm.pat) {
                                    told(*scrutinee, &val, truth, &mut state);
                                }
                                let Some(guard) = arm.guard else {
                                    out.extend(self.eval(arm.body, state));
                                    continue;
                                };
                                let (answers, escapes) = self.cond(guard, state);
                                out.extend(escapes);
                                for (state, truth) in answers {
                                    if truth {
                                        out.extend(self.eval(arm.body, state));
                                    } else {
                                        unmatched.push(state);
                                    }
                                }
                            }
                        }
                        left = self.joined_states(unmatched);
                    }
                    out
                });
                self.joined(out)
            }
            ExprKind::Loop { .. } | ExprKind::While { .. } | ExprKind::For { .. } => self.eval_loop(id, s),
            ExprKind::Break(label, value) => {
                let Some(target) = self.target(label.as_deref(), label.is_none()) else {
                    return vec![(s, Flow::Diverge)];
                };
                match value {
                    Some(value) => {
                        let paths = self.eval(*value, s);
                        then(paths, |state, val| vec![(state, Flow::Break(target, val))])
                    }
                    None => vec![(s, Flow::Break(target, Val::Unknown))],
                }
            }
            ExprKind::Continue(label) => match self.target(label.as_deref(), true) {
                Some(target) => vec![(s, Flow::Continue(target))],
                None => vec![(s, Flow::Diverge)],
            },
            ExprKind::Return(value) => match value {
                Some(value) => {
                    let paths = self.eval(*value, s);
                    then(paths, |state, val| vec![(state, Flow::Return(val))])
                }
                None => vec![(s, Flow::Return(Val::Unknown))],
            },
            ExprKind::Closure { .. } | ExprKind::Async(_) => {
                self.captured.entry(id).or_insert_with(|| s.clone());
                next(s, Val::Deferred(id))
            }
            ExprKind::Yield(value) => match value {
                Some(value) => {
                    let paths = self.eval(*value, s);
                    then(paths, |state, _| next(state, Val::Unknown))
                }
                None => next(s, Val::Unknown),
            },
            ExprKind::Macro(_) => self.macro_call(id, s),
        }
    }

    /// `hosts[at]` of an index that the loop around steps: the loop's own item.
    fn stepped_index(&self, index: ExprId) -> Val {
        let Some((_, looped, _)) = self.scopes.iter().rev().find(|(_, _, is_loop)| *is_loop) else {
            return Val::Unknown;
        };
        let mut locals = Vec::new();
        self.body().walk(index, &mut |id| {
            locals.extend(self.body().local(id));
            true
        });
        let mut stepped = false;
        self.body().walk(*looped, &mut |id| {
            stepped |= match &self.body().expr(id).kind {
                ExprKind::AssignOp(_, left, _) | ExprKind::Assign(left, _) => {
                    self.body().local(*left).is_some_and(|local| locals.contains(&local))
                }
                ExprKind::For { pat, .. } => {
                    self.body().names_in_pat(*pat).iter().any(|(_, local)| locals.contains(local))
                }
                _ => false,
            };
            !stepped
        });
        if stepped { Val::Item(*looped) } else { Val::Unknown }
    }

    fn block(&mut self, stmts: &[Stmt], tail: Option<ExprId>, s: State) -> Paths {
        let mut out = Vec::new();
        let mut states = vec![s];
        for stmt in stmts {
            let mut paths = Vec::new();
            for state in states {
                paths.extend(match stmt {
                    Stmt::Expr(id) => self.eval(*id, state),
                    Stmt::Let { pat, init, otherwise, .. } => self.let_stmt(*pat, *init, *otherwise, state),
                });
            }
            states = Vec::new();
            for (state, flow) in self.joined(paths) {
                match flow {
                    // what a statement's value was, nobody asks
                    Flow::Next(_) => states.push(state),
                    other => out.push((state, other)),
                }
            }
            states = self.joined_states(states);
            if states.is_empty() {
                return out;
            }
        }
        for state in states {
            match tail {
                Some(tail) => out.extend(self.eval(tail, state)),
                None => out.push((state, Flow::Next(Val::Unknown))),
            }
        }
        self.joined(out)
    }

    fn let_stmt(&mut self, pat: PatId, init: Option<ExprId>, otherwise: Option<ExprId>, s: State) -> Paths {
        let Some(init) = init else { return next(s, Val::Unknown) };
        let paths = self.eval(init, s);
        then(paths, |state, val| {
            let (matched, not) = self.bind(pat, &val, state);
            let splits = otherwise.is_some() && !matched.is_empty() && !not.is_empty();
            let mut out: Paths = matched
                .into_iter()
                .map(|mut state| {
                    self.record_names(init, pat, &mut state);
                    if splits {
                        told(init, &val, true, &mut state);
                    }
                    (state, Flow::Next(Val::Unknown))
                })
                .collect();
            if let Some(otherwise) = otherwise {
                for mut state in not {
                    if splits {
                        told(init, &val, false, &mut state);
                    }
                    out.extend(self.eval(otherwise, state));
                }
            }
            out
        })
    }

    /// `Some(..)` and `Ok(..)` say yes, `None` and `Err(..)` no.
    fn optional_arm(&self, pat: PatId) -> Option<bool> {
        match &self.body().pat(pat).kind {
            PatKind::Path(path) | PatKind::TupleStruct(path, _) => match path.last() {
                "Some" | "Ok" => Some(true),
                "None" | "Err" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    /// A binding that a replay of the path will need.
    fn record_names(&self, value: ExprId, pat: PatId, s: &mut State) {
        if s.trace.len() < 256 {
            for (_, local) in self.body().names_in_pat(pat) {
                if self.relevant.contains(&local) {
                    s.trace.push(Event::Bind(local, value));
                }
            }
        }
    }

    fn is_relevant(&self, place: ExprId) -> bool {
        match self.body().local(place) {
            Some(local) => self.relevant.contains(&local),
            None => {
                self.cx.field_path(place).is_some()
                    || matches!(self.body().expr(place).kind, ExprKind::Unary(UnOp::Deref, inner) if self.is_relevant(inner))
            }
        }
    }

    fn assign(&self, id: ExprId, left: ExprId, val: Val, mut s: State) -> State {
        if self.is_relevant(left) {
            s.trace.push(Event::Assign(id));
        }
        match &self.body().expr(left).kind {
            ExprKind::Tuple(places) => {
                for (at, place) in places.iter().enumerate() {
                    let part = match &val {
                        Val::Tuple(parts) => parts.get(at).cloned().unwrap_or(Val::Unknown),
                        _ => Val::Unknown,
                    };
                    if let Some(local) = self.body().local(*place) {
                        s.set(local, part);
                    }
                }
            }
            _ => {
                if let Some(local) = self.body().local(left) {
                    s.set(local, val);
                } else if let Some(path) = self.cx.field_path(left) {
                    s.set_field(&path, val);
                }
            }
        }
        s
    }

    fn path_value(&mut self, id: ExprId, path: &Path, s: &mut State) -> Val {
        if let Some(local) = self.body().local(id) {
            return s.get(local);
        }
        if let Some(name) = path.single()
            && self.body().fragments.iter().any(|it| it == name)
        {
            s.called(id);
            self.found.operands.insert(id);
            return Val::Outcome(id);
        }
        if path.segments.is_empty() {
            return Val::Unknown;
        }
        let last = path.last();
        if last == "None" {
            return Val::Built(Tag::None, Box::new(Val::Unknown));
        }
        let upper = last.starts_with(char::is_uppercase) && last.chars().any(char::is_lowercase);
        if upper
            && (path.segments.len() > 1
                || matches!(self.cx.krate.path(self.cx.at, &path.segments), Target::Variant(..)))
        {
            return Val::Built(Tag::of_variant(last), Box::new(Val::Unknown));
        }
        Val::Unknown
    }

    fn field(&mut self, id: ExprId, base: ExprId, name: &str, s: State) -> Paths {
        let path = self.cx.field_path(id);
        let paths = self.eval(base, s);
        let index: Option<usize> = name.parse().ok();
        then(paths, |state, val| {
            let val = match val {
                Val::Tuple(parts) => index.and_then(|at| parts.get(at).cloned()).unwrap_or(Val::Unknown),
                Val::Payload(op, _) | Val::Outcome(op) if name == "status" || name == "status_code" => {
                    Val::Status(op)
                }
                val @ (Val::Payload(..) | Val::Item(_) | Val::Hint(_)) => val,
                _ => path.as_deref().map_or(Val::Unknown, |path| state.field(path)),
            };
            next(state, val)
        })
    }

    /// Evaluates in order; a path that leaves has its flow, the others their values.
    fn eval_all(&mut self, ids: &[ExprId], s: State) -> Vec<(State, Option<Flow>, Vec<Val>)> {
        let mut going = vec![(s, Vec::with_capacity(ids.len()))];
        let mut out = Vec::new();
        for id in ids {
            let mut next_going = Vec::new();
            for (state, vals) in going {
                for (state, flow) in self.eval(*id, state) {
                    match flow {
                        Flow::Next(val) => {
                            let mut vals = vals.clone();
                            vals.push(val);
                            next_going.push((state, vals));
                        }
                        other => out.push((state, Some(other), Vec::new())),
                    }
                }
            }
            going = next_going;
            if going.len() > 1 {
                self.found.cut |= join(&mut going);
            }
        }
        out.extend(going.into_iter().map(|(state, vals)| (state, None, vals)));
        out
    }

    /// `.await`
    fn awaited(&mut self, val: Val, mut s: State) -> Paths {
        match val {
            Val::Timer(call) => {
                wait(call, &mut s);
                next(s, Val::Unknown)
            }
            Val::Cancel => {
                s.marks.cancel = true;
                next(s, Val::Cancel)
            }
            Val::Deferred(deferred) => self.run(deferred, &[], s),
            Val::Derived(_, op) => {
                s.called(op);
                next(s, Val::Outcome(op))
            }
            other => next(s, other),
        }
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

    fn joined(&mut self, mut paths: Paths) -> Paths {
        if paths.len() > 1 {
            self.found.cut |= join(&mut paths);
        }
        paths
    }

    fn joined_states(&mut self, states: Vec<State>) -> Vec<State> {
        if states.len() < 2 {
            return states;
        }
        let mut paths: Vec<(State, ())> = states.into_iter().map(|state| (state, ())).collect();
        self.found.cut |= join(&mut paths);
        paths.into_iter().map(|(state, ())| state).collect()
    }

    fn macro_call(&mut self, id: ExprId, s: State) -> Paths {
        let body = self.body();
        let ExprKind::Macro(call) = &body.expr(id).kind else { return next(s, Val::Unknown) };
        match &call.input {
            MacroInput::Matches { .. } => {
                let (answers, mut out) = self.cond(id, s);
                out.extend(answers.into_iter().map(|(state, truth)| (state, Flow::Next(Val::Bool(truth)))));
                out
            }
            MacroInput::Select { arms, .. } => {
                let mut out = Vec::new();
                for arm in arms {
                    let mut states = vec![s.clone()];
                    if let Some(guard) = arm.guard {
                        let (answers, escapes) = self.cond(guard, s.clone());
                        out.extend(escapes);
                        states =
                            answers.into_iter().filter(|(_, truth)| *truth).map(|(state, _)| state).collect();
                    }
                    for state in states {
                        let Some(future) = arm.future else {
                            out.extend(self.eval(arm.body, state));
                            continue;
                        };
                        let paths = self.eval(future, state);
                        let paths = then(paths, |state, val| self.awaited(val, state));
                        out.extend(then(paths, |state, val| {
                            let matched = match arm.pat {
                                Some(pat) => self.bind(pat, &val, state).0,
                                None => vec![state],
                            };
                            matched.into_iter().flat_map(|state| self.eval(arm.body, state)).collect()
                        }));
                    }
                }
                self.joined(out)
            }
            MacroInput::Block(block) => {
                let paths = self.eval(*block, s);
                then(paths, |state, _| next(state, Val::Unknown))
            }
            MacroInput::Args(args) => self.macro_args(id, args, s),
            MacroInput::Words(_) => self.macro_args(id, &[], s),
        }
    }

    fn macro_args(&mut self, id: ExprId, args: &[ExprId], s: State) -> Paths {
        let callee = self.cx.callee(id);
        let role = callee.role().cloned();
        let awaits = matches!(role, Some(Role::Remote { .. } | Role::Event));
        let paths = self.eval_all(args, s);
        let mut out = Vec::new();
        for (mut state, flow, vals) in paths {
            if let Some(flow) = flow {
                out.push((state, flow));
                continue;
            }
            match &role {
                Some(Role::Diverge) => out.push((state, Flow::Diverge)),
                Some(Role::Bail { unless }) => {
                    let built = Val::Built(Tag::Err, Box::new(Val::Unknown));
                    if unless.is_some() {
                        let mut on = state.clone();
                        on.conds.push((id, true));
                        out.push((on, Flow::Next(Val::Unknown)));
                        state.conds.push((id, false));
                    }
                    out.push((state, Flow::Return(built)));
                }
                Some(Role::Log) => {
                    state.marks.log = true;
                    out.push((state, Flow::Next(Val::Unknown)));
                }
                Some(Role::Adaptor) => {
                    let val = vals.into_iter().next().unwrap_or(Val::Unknown);
                    out.extend(self.awaited(val, state));
                }
                _ if awaits => {
                    state.called(id);
                    out.push((state, Flow::Next(Val::Outcome(id))));
                }
                _ => {
                    // a macro that nobody knows, given operations: it may await them
                    let val = vals.iter().find(|val| matches!(val, Val::Outcome(_) | Val::Item(_))).cloned();
                    out.push((state, Flow::Next(val.unwrap_or(Val::Unknown))));
                }
            }
        }
        out
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

/// What a pattern that splits paths tells, where the value is no operation's outcome: a condition like any other.
fn told(value: ExprId, val: &Val, truth: bool, s: &mut State) {
    if matches!(val, Val::Unknown | Val::Item(_) | Val::Truth(..)) && !s.conds.contains(&(value, truth)) {
        s.conds.push((value, truth));
    }
}

/// `?`: a failure leaves the function, a success goes on with what is inside.
fn raise(id: ExprId, val: Val, mut s: State) -> Paths {
    match val {
        Val::Built(Tag::Err | Tag::None, _) => vec![(s, Flow::Return(val))],
        Val::Built(Tag::Ok | Tag::Some, inner) => next(s, *inner),
        Val::Outcome(op) | Val::Payload(op, Tag::Ok | Tag::Some) | Val::Derived(_, op) => {
            if matches!(val, Val::Derived(..)) {
                s.called(op);
            }
            if matches!(val, Val::Outcome(_))
                && let Some(look) = s.look(op)
            {
                let tag = look.tag.clone();
                return match tag {
                    Tag::Err | Tag::None => {
                        vec![(s, Flow::Return(Val::Built(tag.clone(), Box::new(Val::Payload(op, tag)))))]
                    }
                    _ => next(s, Val::Payload(op, tag)),
                };
            }
            let mut failed = s.clone();
            failed.decide(op, Tag::Err, Verdict::Failure);
            failed.conds.push((id, false));
            let gone = Flow::Return(Val::Built(Tag::Err, Box::new(Val::Payload(op, Tag::Err))));
            s.decide(op, Tag::Ok, Verdict::Success);
            s.conds.push((id, true));
            vec![(failed, gone), (s, Flow::Next(Val::Payload(op, Tag::Ok)))]
        }
        other => {
            let mut failed = s.clone();
            failed.conds.push((id, false));
            s.conds.push((id, true));
            let inner = if matches!(other, Val::Item(_)) { other } else { Val::Unknown };
            vec![(failed, Flow::Return(Val::Built(Tag::Err, Box::new(Val::Unknown)))), (s, Flow::Next(inner))]
        }
    }
}

/// A path waits here.
pub(super) fn wait(call: ExprId, s: &mut State) {
    if !s.waits.contains(&call) {
        s.waits.push(call);
    }
    s.trace.push(Event::Wait(call));
}

fn negate(val: Val) -> Val {
    match val {
        Val::Bool(truth) => Val::Bool(!truth),
        Val::Test(op, test, truth) => Val::Test(op, test, !truth),
        Val::Truth(id, truth) => Val::Truth(id, !truth),
        Val::Outcome(op) => Val::Test(op, Test::Is(Tag::True), false),
        other => other,
    }
}

/// The loop item among some values, if one is.
fn item_among(vals: &[Val]) -> Val {
    vals.iter().find(|val| matches!(val, Val::Item(_))).cloned().unwrap_or(Val::Unknown)
}

/// Whether a function is this body's own: it calls itself.
pub(super) fn is_self(callee: &Callee<'_>, at: ItemRef) -> bool {
    matches!(callee, Callee::Own(item) if *item == at)
}
