//! Conditions: which paths find them true and which false, and what that tells about outcomes.

use super::state::Verdict;
use super::{Flow, Paths, State, Tag, Test, Val, Walker, next, then};
use crate::body::{BinOp, ExprId, ExprKind, Lit, MacroInput, UnOp};
use smallvec::SmallVec;

/// Paths with the condition's answer, and paths that left while it was evaluated.
type Answers = (Vec<(State, bool)>, Paths);

impl Walker<'_, '_> {
    /// Splits a path by a condition.
    pub(super) fn cond(&mut self, id: ExprId, s: State) -> Answers {
        let body = self.body();
        let (mut answers, escapes) = match &body.expr(id).kind {
            ExprKind::Binary(BinOp::And, left, right) => self.both(*left, *right, true, s),
            ExprKind::Binary(BinOp::Or, left, right) => self.both(*left, *right, false, s),
            ExprKind::Unary(UnOp::Not, inner) => {
                let (answers, escapes) = self.cond(*inner, s);
                (answers.into_iter().map(|(state, truth)| (state, !truth)).collect(), escapes)
            }
            ExprKind::Let(pat, value) => self.matches(id, *value, *pat, None, s),
            ExprKind::Macro(call) => match &call.input {
                MacroInput::Matches { value, pat, guard } => self.matches(id, *value, *pat, *guard, s),
                _ => self.plain(id, s),
            },
            ExprKind::Block(block) if block.stmts.is_empty() && block.tail.is_some() => {
                self.cond(block.tail.unwrap_or(id), s)
            }
            _ => self.plain(id, s),
        };
        if answers.len() > 1 {
            self.join(&mut answers);
        }
        (answers, escapes)
    }

    /// Paths that both sides of a condition leave alike (`if attempt > 1 { info!("again") }`) are one: it decided nothing. Kept apart, each such
    /// condition doubles the paths, until too many are joined that are not alike.
    pub(super) fn forget_idle(&self, cond: ExprId, held: &mut Paths, not: &mut Paths) {
        let body = self.body();
        let around = body.expr(cond).span;
        let inside = |id: ExprId| around.contains(body.expr(id).span);
        // what is asked of numbers, and calls nothing: what a call says may come back in another one's answer
        let is_plain = |id: ExprId| {
            !matches!(
                &body.expr(id).kind,
                ExprKind::Call(..) | ExprKind::Method(_) | ExprKind::Macro(_) | ExprKind::Let(..)
            )
        };
        if !matches!(&body.expr(cond).kind, ExprKind::Binary(op, ..) if is_comparison(*op))
            || body.any(cond, |id| !is_plain(id))
        {
            return;
        }
        let mut at = 0;
        while let Some((first, flow)) = held.get(at) {
            let alike = |(other, its): &(State, Flow)| flow == its && first.alike_but(other, &inside);
            if matches!(flow, Flow::Next(_)) && not.iter().any(alike) {
                let (first, flow) = (first.clone(), flow.clone());
                let alike = |(other, its): &(State, Flow)| flow == *its && first.alike_but(other, &inside);
                let mut state = first.clone();
                // `a || b` holds in two ways
                for (twin, _) in held.iter().skip(at + 1).chain(&*not).filter(|it| alike(it)) {
                    state.absorb(twin);
                }
                state.forget_conds(&inside);
                let mut later = held.split_off(at + 1);
                later.retain(|it| !alike(it));
                held.extend(later);
                not.retain(|it| !alike(it));
                if let Some(merged) = held.get_mut(at) {
                    merged.0 = state;
                }
            }
            at += 1;
        }
    }

    fn both(&mut self, left: ExprId, right: ExprId, go_on: bool, s: State) -> Answers {
        let (lefts, mut escapes) = self.cond(left, s);
        let mut answers = Vec::new();
        for (state, truth) in lefts {
            if truth != go_on {
                answers.push((state, truth));
                continue;
            }
            let (rights, more) = self.cond(right, state);
            answers.extend(rights);
            escapes.extend(more);
        }
        (answers, escapes)
    }

    fn matches(
        &mut self,
        id: ExprId,
        value: ExprId,
        pat: crate::body::PatId,
        guard: Option<ExprId>,
        s: State,
    ) -> Answers {
        let mut answers = Vec::new();
        let mut escapes = Vec::new();
        for (state, flow) in self.eval(value, s) {
            let Flow::Next(val) = flow else {
                escapes.push((state, flow));
                continue;
            };
            let (matched, not) = self.bind(pat, &val, state);
            let certain = matched.is_empty() || not.is_empty();
            if let Val::Outcome(op) | Val::Payload(op, _) | Val::Derived(_, op) = &val {
                self.found.tests.entry(id).or_insert((*op, Test::Looked));
            }
            for mut state in matched {
                self.record_names(value, pat, &mut state);
                if !certain {
                    self.passed(id, true, &mut state);
                }
                match guard {
                    Some(guard) => {
                        let (more, left) = self.cond(guard, state);
                        answers.extend(more);
                        escapes.extend(left);
                    }
                    None => answers.push((state, true)),
                }
            }
            for mut state in not {
                if !certain {
                    self.passed(id, false, &mut state);
                }
                answers.push((state, false));
            }
        }
        (answers, escapes)
    }

    fn plain(&mut self, id: ExprId, s: State) -> Answers {
        let mut answers = Vec::new();
        let mut escapes = Vec::new();
        for (state, flow) in self.eval(id, s) {
            match flow {
                Flow::Next(val) => answers.extend(self.split_value(id, &val, state)),
                other => escapes.push((state, other)),
            }
        }
        (answers, escapes)
    }

    /// A condition was passed with this answer.
    fn passed(&self, id: ExprId, truth: bool, s: &mut State) {
        if !s.conds.contains(&(id, truth)) {
            s.conds.push((id, truth));
        }
        if self.is_relevant_condition(id) {
            s.trace.push(super::Event::Cond(id, truth));
        }
    }

    /// What a truth value tells about outcomes, on both its sides.
    pub(super) fn split_value(&mut self, id: ExprId, val: &Val, s: State) -> Vec<(State, bool)> {
        match val {
            Val::Bool(truth) => {
                let mut s = s;
                // a flag: how often it holds, the replay tells
                if self.body().local(id).is_some() {
                    s.note(super::Event::Cond(id, *truth));
                }
                vec![(s, *truth)]
            }
            Val::Outcome(op) if self.bool_is_outcome(*op) => {
                self.split_test(id, *op, &Test::Is(Tag::True), true, &s)
            }
            Val::Test(op, test, positive) => self.split_test(id, *op, test, *positive, &s),
            Val::Derived(op, call) => {
                let test = self.test_by_name(*call);
                self.split_test(*call, *op, &test, true, &s)
            }
            Val::Payload(op, _) => self.split_test(id, *op, &Test::About, true, &s),
            Val::Truth(told, positive) => match said_before(id, *told, &s) {
                Some(truth) => vec![(s, truth == *positive)],
                None => self.both_sides(*told, *positive, s),
            },
            Val::Outcome(op) => self.both_sides(*op, true, s),
            Val::Cancel => {
                let mut s = s;
                s.marks.cancel = true;
                self.both_sides(id, true, s)
            }
            _ => self.both_sides(id, true, s),
        }
    }

    fn both_sides(&self, id: ExprId, positive: bool, s: State) -> Vec<(State, bool)> {
        let mut no = s.clone();
        let mut yes = s;
        self.passed(id, positive, &mut yes);
        self.passed(id, !positive, &mut no);
        vec![(yes, true), (no, false)]
    }

    /// Whether a bool that a call gives is its outcome: it was awaited, or reaches a remote side.
    fn bool_is_outcome(&self, op: ExprId) -> bool {
        self.cx.is_awaited(op)
            || self.found.operands.contains(&op)
            || crate::knowledge::says(&self.cx.words().establish, self.cx.call_name(op))
    }

    fn split_test(
        &mut self,
        id: ExprId,
        op: ExprId,
        test: &Test,
        positive: bool,
        s: &State,
    ) -> Vec<(State, bool)> {
        let mut out = Vec::with_capacity(2);
        for truth in [true, false] {
            let mut state = s.clone();
            let holds = truth == positive;
            let feasible = match test {
                Test::Is(tag) => match if holds { Some(tag.clone()) } else { tag.other() } {
                    Some(tag) => self.narrow(op, &tag, &mut state),
                    None => true,
                },
                Test::Status(ranges) => {
                    narrow_status(op, ranges, holds, &mut state);
                    true
                }
                Test::Transient => {
                    match state.look(op).map(|look| look.tag.clone()) {
                        None | Some(Tag::Err) if holds => state.decide(op, Tag::Err, Verdict::Failure),
                        Some(Tag::Ok | Tag::Some) if holds => {
                            state.decide(op, Tag::BadStatus, Verdict::Failure);
                        }
                        _ => {}
                    }
                    true
                }
                Test::About | Test::Looked => true,
            };
            if feasible {
                self.found.tests.entry(id).or_insert_with(|| (op, test.clone()));
                self.passed(id, holds, &mut state);
                out.push((state, truth));
            }
        }
        out
    }

    /// Decides an outcome's tag; false where the path has seen another one.
    fn narrow(&mut self, op: ExprId, tag: &Tag, s: &mut State) -> bool {
        match s.look(op) {
            Some(look) if look.tag == *tag => true,
            Some(look) if look.tag.other().as_ref() == Some(tag) => false,
            _ => {
                let verdict = self.verdict(op, tag);
                s.decide(op, tag.clone(), verdict);
                true
            }
        }
    }

    /// `connection.connected()`, `is_attached()`: it asks how things stand, and does nothing.
    fn asks_for_a_state(&self, op: ExprId) -> bool {
        let parts = crate::knowledge::parts(self.cx.call_name(op));
        let done = parts.last().is_some_and(|last| last.ends_with("ed"));
        done && !self.cx.is_awaited(op) && self.cx.args(op).is_empty()
    }

    /// What a tag of an operation's outcome means.
    pub(super) fn verdict(&self, op: ExprId, tag: &Tag) -> Verdict {
        let words = self.cx.words();
        match tag {
            Tag::Ok | Tag::Some | Tag::True | Tag::GoodStatus => Verdict::Success,
            Tag::Err | Tag::BadStatus => Verdict::Failure,
            Tag::None if self.optional.contains(&op) => Verdict::Failure,
            Tag::False
                if crate::knowledge::says(&words.establish, self.cx.call_name(op))
                    && !self.asks_for_a_state(op) =>
            {
                Verdict::Failure
            }
            // what should have been made is not there: `connect(..).await` gave `None`
            Tag::None if self.makes_something(op) => Verdict::Failure,
            Tag::None if self.fails_as(op, "None") => Verdict::Failure,
            Tag::Variant(name) if self.fails_as(op, name) => Verdict::Failure,
            Tag::None | Tag::False => Verdict::NotYet,
            Tag::Variant(name) => {
                let says = |list: &[String]| crate::knowledge::says(list, name);
                if says(&words.transient) || says(&words.permanent) || is_error_name(name) {
                    Verdict::Failure
                } else if says(&words.pending) {
                    Verdict::NotYet
                } else if says(&words.success) {
                    Verdict::Success
                } else {
                    Verdict::Unclear
                }
            }
        }
    }

    /// Whether this is how a function of the crate says that what it called failed.
    fn fails_as(&self, op: ExprId, variant: &str) -> bool {
        match self.cx.callee(op) {
            super::Callee::Own(item) => {
                let summary = crate::detect::summary::summary(self.cx, item);
                // what only parses fails because of what it got
                summary.remote == Some(true) && summary.fails_as.iter().any(|it| it == variant)
            }
            _ => false,
        }
    }

    /// Whether an awaited call makes a connection by its name, and not takes one out of a pool.
    fn makes_something(&self, op: ExprId) -> bool {
        let name = self.cx.call_name(op);
        self.cx.is_awaited(op)
            && crate::detect::remote::is_named_after_establishing(self.cx.words(), name)
            && !crate::knowledge::parts(name).iter().any(|part| part == "get")
    }

    /// What a call on an outcome asks, by its name, where nothing else tells.
    pub(super) fn test_by_name(&self, call: ExprId) -> Test {
        let name = self.cx.call_name(call);
        let words = self.cx.words();
        let name = match self.cx.callee(call) {
            super::Callee::Operand(local) => match &self.body().pat(local).kind {
                crate::body::PatKind::Bind { name, .. } => name,
                _ => name,
            },
            _ => name,
        };
        if crate::knowledge::says(&words.transient, name) || crate::knowledge::says(&words.retry, name) {
            Test::Transient
        } else {
            Test::About
        }
    }

    /// `a == b`, `a < b`: a test of a status where one side is one, else a truth that this expression tells.
    pub(super) fn binary(&mut self, id: ExprId, op: BinOp, left: ExprId, right: ExprId, s: State) -> Paths {
        let paths = self.eval(left, s);
        then(paths, |state, l| {
            let paths = self.eval(right, state);
            then(paths, |state, r| {
                if let Some(of) = self.compared_with_nought(op, left, right, &l, &state) {
                    let well = Val::Test(of, Test::Is(Tag::GoodStatus), op == BinOp::Eq);
                    return next(state, well);
                }
                #[allow(clippy::unnested_or_patterns)]
                // an error on either side goes before what is derived on either
                let val = match (&l, &r) {
                    (Val::Status(operation), _) => self.status_test(id, *operation, op, right),
                    (_, Val::Status(operation)) => self.status_test(id, *operation, op, left),
                    (Val::Payload(operation, Tag::Err), _)
                    | (_, Val::Payload(operation, Tag::Err))
                    | (Val::Derived(operation, _), _)
                    | (_, Val::Derived(operation, _)) => Val::Test(*operation, Test::About, true),
                    (Val::Outcome(operation), Val::Bool(truth))
                    | (Val::Bool(truth), Val::Outcome(operation)) => {
                        Val::Test(*operation, Test::Is(Tag::True), *truth == (op == BinOp::Eq))
                    }
                    _ if is_comparison(op) => Val::Truth(id, true),
                    (Val::Item(item), _) | (_, Val::Item(item)) => Val::Item(*item),
                    _ => Val::Unknown,
                };
                next(state, val)
            })
        })
    }

    /// `code == 0`: the operation whose end this tells.
    fn compared_with_nought(
        &self,
        op: BinOp,
        left: ExprId,
        right: ExprId,
        val: &Val,
        s: &State,
    ) -> Option<ExprId> {
        let nought = matches!(self.body().expr(right).kind, ExprKind::Lit(Lit::Int(0, _)));
        if !nought || !matches!(op, BinOp::Eq | BinOp::Ne) {
            return None;
        }
        self.end_code(left, val, s)
    }

    /// The operation of which this value is the exit code: a command that ran, a reply that says how it went.
    pub(super) fn end_code(&self, id: ExprId, val: &Val, s: &State) -> Option<ExprId> {
        let (Val::Payload(op, _) | Val::Derived(op, _) | Val::Outcome(op)) = val else { return None };
        let failed = s.look(*op).is_some_and(|look| look.verdict == Verdict::Failure);
        (!failed && crate::knowledge::is_one_of(&self.cx.words().end_code, self.said_last(id))).then_some(*op)
    }

    /// The name that a value goes by: `code` of `status.code().unwrap_or(255)`.
    fn said_last(&self, id: ExprId) -> &str {
        match &self.body().expr(id).kind {
            ExprKind::Path(path) => path.last(),
            ExprKind::Field(_, name) => name,
            ExprKind::Ref(inner) | ExprKind::Cast(inner, _) | ExprKind::Unary(_, inner) => {
                self.said_last(*inner)
            }
            ExprKind::Method(call) if call.name.starts_with("unwrap") => self.said_last(call.receiver),
            ExprKind::Method(call) => &call.name,
            _ => "",
        }
    }

    fn status_test(&self, id: ExprId, operation: ExprId, op: BinOp, against: ExprId) -> Val {
        let Some(code) = super::super::statuses::status_of(self.cx, against) else {
            return Val::Test(operation, Test::About, true);
        };
        let ranges: SmallVec<[(u16, u16); 2]> = match op {
            BinOp::Eq | BinOp::Ne => SmallVec::from_iter([(code, code)]),
            BinOp::Ge => SmallVec::from_iter([(code, 599)]),
            BinOp::Gt => SmallVec::from_iter([(code.saturating_add(1), 599)]),
            BinOp::Lt => SmallVec::from_iter([(100, code.saturating_sub(1))]),
            BinOp::Le => SmallVec::from_iter([(100, code)]),
            _ => return Val::Truth(id, true),
        };
        Val::Test(operation, Test::Status(ranges), op != BinOp::Ne)
    }
}

/// What a condition told on this trip, where it is asked again through a variable.
fn said_before(asked: ExprId, told: ExprId, s: &State) -> Option<bool> {
    let said = |truth: bool| s.conds.contains(&(told, truth));
    (asked != told && said(true) != said(false)).then(|| said(true))
}

/// A status turned out to lie in these ranges, or not to.
pub(super) fn narrow_status(op: ExprId, ranges: &[(u16, u16)], holds: bool, s: &mut State) {
    s.narrow_codes(op, ranges, holds);
    let seen = s.look(op).map(|look| look.tag.clone());
    if matches!(seen, Some(Tag::Err | Tag::None)) {
        return;
    }
    let bad = !ranges.is_empty() && ranges.iter().all(|(from, _)| *from >= 400);
    let good = !ranges.is_empty() && ranges.iter().all(|(_, to)| *to < 400);
    match (bad, good, holds) {
        (true, _, true) | (_, true, false) => s.decide(op, Tag::BadStatus, Verdict::Failure),
        (_, true, true) => s.decide(op, Tag::GoodStatus, Verdict::Success),
        // what else it may be, an earlier look told
        _ => s.look_again(op),
    }
}

fn is_comparison(op: BinOp) -> bool {
    matches!(op, BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge)
}

fn is_error_name(name: &str) -> bool {
    crate::knowledge::parts(name)
        .iter()
        .any(|part| matches!(part.as_str(), "err" | "error" | "failed" | "failure" | "fail"))
}
