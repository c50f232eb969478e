//! Expressions and statements: how each kind of syntax goes on from one path, and with what value.
//! What calls, macros, conditions, patterns, loops and places do stands in files of their own; nothing is classified here.

use super::calls::operation_of;
use super::state::{Event, State, Tag, Test, Val, Verdict};
use super::{Flow, MOST_STEPS, Paths, Walker, next, then, wait};
use crate::body::{Arm, BinOp, ExprId, ExprKind, Lit, PatId, PatKind, Stmt, StructLit, UnOp};
use crate::detect::summary::is_named_sleep;

impl Walker<'_, '_> {
    /// Evaluates an expression on one path.
    pub(super) fn eval(&mut self, id: ExprId, s: State) -> Paths {
        self.steps += 1;
        if self.steps >= MOST_STEPS {
            return Vec::new();
        }
        let paths = self.eval_kind(id, s);
        for (_, flow) in &paths {
            if let Flow::Next(val) = flow
                && let Some(op) = operation_of(val)
            {
                let ops = self.found.speaks.entry(id).or_default();
                if !ops.contains(&op) {
                    ops.push(op);
                }
            }
        }
        paths
    }

    #[allow(clippy::too_many_lines)] // the one match over what expressions there are
    fn eval_kind(&mut self, id: ExprId, mut s: State) -> Paths {
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
            ExprKind::Ref(inner) => {
                if let Some(local) = body.local(*inner) {
                    s.fill(local);
                }
                self.eval(*inner, s)
            }
            ExprKind::Unary(_, inner) | ExprKind::Cast(inner, _) => self.eval(*inner, s),
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
            ExprKind::AssignOp(op, left, right) => {
                let paths = self.eval(*right, s);
                let left = *left;
                // bits are flags: what was seen, and not what is asked for
                let moves = !matches!(op, BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor);
                then(paths, |mut state, _| {
                    if self.is_relevant(left) {
                        state.trace.push(Event::Assign(id));
                    }
                    if let Some(local) = body.local(left) {
                        state.set(local, Val::Unknown);
                        if moves {
                            state.has_moved(local);
                        }
                    }
                    next(state, Val::Unknown)
                })
            }
            ExprKind::Call(..) | ExprKind::Method(_) => self.call(id, s),
            ExprKind::Field(base, name) => self.field(id, *base, name, s),
            ExprKind::Index(base, index) => {
                let (base, index) = (*base, *index);
                let paths = self.eval(index, s);
                then(paths, |state, at| {
                    let item = self.indexed_by(index, &at);
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
            ExprKind::Array(items) if items.is_empty() => next(s, Val::Empty),
            ExprKind::Array(items) => {
                let paths = self.eval_all(items, s);
                paths
                    .into_iter()
                    .map(|(state, flow, vals)| (state, flow.unwrap_or(Flow::Next(item_among(&vals)))))
                    .collect()
            }
            ExprKind::Repeat(value, _) => self.eval(*value, s),
            ExprKind::Struct(lit) => self.built(lit, s),
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
                let named = self.names_a_sleep(*inner);
                then(paths, |mut state, val| {
                    // a future of the crate's own, built here: what it does is in its `poll`
                    if matches!(val, Val::Built(Tag::Variant(_), _)) {
                        state.called(id);
                        state.trace.push(Event::Call(id));
                        return next(state, Val::Outcome(id));
                    }
                    if named && !matches!(val, Val::Timer(_) | Val::Deferred(_)) {
                        wait(id, &mut state);
                    }
                    self.awaited(val, state)
                })
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
                let (answers, out) = self.cond(*cond, s);
                let (mut held, mut not) = (Vec::new(), Vec::new());
                for (state, truth) in answers {
                    match (truth, otherwise) {
                        (true, _) => held.extend(self.eval(*yes, state)),
                        (false, Some(no)) => not.extend(self.eval(*no, state)),
                        (false, None) => not.push((state, Flow::Next(Val::Unknown))),
                    }
                }
                self.forget_idle(*cond, &mut held, &mut not);
                let out = out.into_iter().chain(held).chain(not).collect();
                self.joined(out)
            }
            ExprKind::Match(scrutinee, arms) => {
                let paths = self.eval(*scrutinee, s);
                let out = then(paths, |state, val| {
                    let val = self.end_code(*scrutinee, &val, &state).map_or(val, Val::Code);
                    self.arms(*scrutinee, arms, &val, state)
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
                self.body().walk(id, &mut |inner| {
                    if let Some(local) = body.local(inner) {
                        s.fill(local);
                    }
                    true
                });
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

    /// The arms of a `match` in turn: each gets the paths that the ones before it let through.
    fn arms(&mut self, scrutinee: ExprId, arms: &[Arm], val: &Val, s: State) -> Paths {
        let mut out = Vec::new();
        let mut left = vec![s];
        for arm in arms {
            let mut unmatched = Vec::new();
            for state in left {
                let (matched, mut not) = self.bind(arm.pat, val, state);
                if let Some(truth) = self.optional_arm(arm.pat)
                    && self.takes_all(arm.pat)
                {
                    for state in &mut not {
                        told(scrutinee, val, !truth, state);
                    }
                }
                unmatched.extend(not);
                for mut state in matched {
                    self.record_names(scrutinee, arm.pat, &mut state);
                    if let Some(truth) = self.optional_arm(arm.pat) {
                        told(scrutinee, val, truth, &mut state);
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
    }

    /// A struct or variant that is built: what its fields carry is inside.
    fn built(&mut self, lit: &StructLit, s: State) -> Paths {
        let fields: Vec<ExprId> = lit.fields.iter().map(|(_, value)| *value).chain(lit.base).collect();
        let tag = self.variant_tag(&lit.path);
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

    pub(super) fn block(&mut self, stmts: &[Stmt], tail: Option<ExprId>, s: State) -> Paths {
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

    /// Whether a variant's pattern takes whatever the variant holds.
    fn takes_all(&self, pat: PatId) -> bool {
        let body = self.body();
        body.pat_children(pat).into_iter().all(|sub| {
            matches!(body.pat(sub).kind, PatKind::Bind { sub: None, .. } | PatKind::Wild | PatKind::Rest)
        })
    }

    /// Evaluates in order; a path that leaves has its flow, the others their values.
    pub(super) fn eval_all(&mut self, ids: &[ExprId], s: State) -> Vec<(State, Option<Flow>, Vec<Val>)> {
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
                self.join(&mut going);
            }
        }
        out.extend(going.into_iter().map(|(state, vals)| (state, None, vals)));
        out
    }

    /// `sleep.await`: a timer that was made elsewhere, by its name.
    fn names_a_sleep(&self, id: ExprId) -> bool {
        self.body().local(id).is_some_and(|_| {
            matches!(&self.body().expr(id).kind, ExprKind::Path(path) if is_named_sleep(self.cx.words(), path.last()))
        })
    }

    /// `.await`
    pub(super) fn awaited(&mut self, val: Val, mut s: State) -> Paths {
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
                s.called_once(op);
                next(s, Val::Outcome(op))
            }
            other => next(s, other),
        }
    }
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
                s.called_once(op);
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

fn negate(val: Val) -> Val {
    match val {
        Val::Bool(truth) => Val::Bool(!truth),
        Val::Test(op, test, truth) => Val::Test(op, test, !truth),
        Val::Truth(id, truth) => Val::Truth(id, !truth),
        Val::Outcome(op) => Val::Test(op, Test::Is(Tag::True), false),
        other => other,
    }
}

/// The loop item among some values, or in a tuple among them.
fn item_among(vals: &[Val]) -> Val {
    let items = vals.iter().flat_map(|val| match val {
        Val::Tuple(parts) => parts.as_slice(),
        _ => std::slice::from_ref(val),
    });
    items.into_iter().find(|val| matches!(val, Val::Item(_))).cloned().unwrap_or(Val::Unknown)
}
