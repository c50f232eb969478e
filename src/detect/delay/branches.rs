//! Delay arithmetic that branches: `if`, `match`, and what conditions and patterns over numbers decide.
//! Where nobody can tell which branch is taken, both are, and their values are joined; no branch is guessed.

use super::amount::{Amount, Cap, Drawn, is_same};
use super::choices::MOST_ANSWERS;
use super::eval::{Eval, Key};
use super::places::{MOST_ALIASES, MOST_NESTED, is_plain_wrapper};
use crate::body::{
    Arm, BinOp, ExprId, ExprKind, Lit, Local, MacroInput, MethodCall, PatId, PatKind, Path, Stmt, UnOp,
};
use crate::knowledge::{Role, says};
use crate::resolve::{ItemRef, Target};
use std::collections::{BTreeMap, BTreeSet};

impl Eval<'_, '_> {
    /// A `match`: the arms that the value may take, joined.
    pub(super) fn matched(&mut self, value: ExprId, arms: &[Arm]) -> Amount {
        let on = self.eval(value);
        let chosen = self.chosen_arm(value, &on, arms);
        let before = self.env.vars.clone();
        let mut after: Option<BTreeMap<Key, Amount>> = None;
        let mut joined: Option<Amount> = None;
        for (at, arm) in arms.iter().enumerate() {
            let held = match chosen {
                Some(chosen) => Some(chosen == at),
                None => self.pattern_holds(arm.pat, &on),
            };
            if held == Some(false) {
                continue;
            }
            // each arm begins with what was there before all of them
            self.env.vars.clone_from(&before);
            if self.is_hint(arm.pat) {
                self.bind(arm.pat, &Amount::hint());
            } else {
                self.bind_scrutinee(arm.pat, value, &on);
            }
            let leaves = self.leaves(arm.body);
            let val = self.eval(arm.body);
            let sure = held == Some(true) && arm.guard.is_none();
            if !leaves {
                let this = std::mem::replace(&mut self.env.vars, after.take().unwrap_or_default());
                self.merge(this, None);
                after = Some(std::mem::take(&mut self.env.vars));
                joined = Some(joined.map_or(val.clone(), |it| it.or(&val)));
            }
            if sure {
                break;
            }
        }
        // every arm that can be taken leaves
        if joined.is_none() && self.depth == 0 && arms.iter().any(|arm| self.leaves(arm.body)) {
            self.env.left = true;
        }
        self.env.vars = after.unwrap_or(before);
        // `match attempt { 1 => 1, 2 => 5, _ => 30 }`: a table written as arms
        let written = |arm: &Arm| {
            matches!(self.cx.body.pat(arm.pat).kind, PatKind::Lit(_) | PatKind::Range { .. } | PatKind::Or(_))
                && matches!(self.cx.body.expr(arm.body).kind, ExprKind::Lit(_) | ExprKind::Call(..))
        };
        let joined = joined.unwrap_or_else(Amount::unknown);
        if on.moves && arms.iter().filter(|arm| written(arm)).count() > 1 {
            return Amount { table: true, moves: true, ..joined };
        }
        joined
    }

    /// The arm that is tried now, where the policy's own kind decides: `match self.kind { … }`.
    fn chosen_arm(&self, value: ExprId, on: &Amount, arms: &[Arm]) -> Option<usize> {
        if !on.forms.is_empty()
            || on.absent
            || arms.iter().any(|arm| arm.guard.is_some())
            || !self.is_own(value)
        {
            return None;
        }
        let variants: Vec<(usize, Option<&Path>)> =
            arms.iter().map(|arm| self.kind_of(arm.pat)).enumerate().collect();
        let kinds = variants.iter().filter(|(_, path)| path.is_some()).count();
        if kinds < 2 || arms.len() - kinds > 1 || arms.len() > MOST_ANSWERS {
            return None;
        }
        let place = self.place(value, MOST_ALIASES)?;
        let variant_of = |path: Option<&Path>| match self.cx.krate.path(self.cx.at, &path?.segments) {
            Target::Variant(kind, variant) => Some((kind, variant)),
            _ => None,
        };
        let of_crate: Vec<(usize, (ItemRef, String))> =
            variants.iter().filter_map(|(at, path)| Some((*at, variant_of(*path)?))).collect();
        let anywhere = of_crate.iter().filter(|(_, (kind, variant))| self.cx.is_picked(*kind, variant));
        let anywhere: Vec<usize> = anywhere.map(|(at, _)| *at).collect();
        let made_with = self.made_with(value, &of_crate);
        let by_anybody = self.env.choices.by_anybody;
        if !by_anybody && made_with.as_ref().is_some_and(|here| anywhere.iter().any(|at| !here.contains(at)))
        {
            self.env.choices.note_made_elsewhere();
        }
        let picked = if by_anybody { Vec::new() } else { made_with.unwrap_or(anywhere) };
        // where nobody here chooses, somebody else does: any of them
        let among = if picked.is_empty() { (0..arms.len()).collect() } else { picked };
        match among.as_slice() {
            [only] => Some(*only),
            many => many.get(self.env.choices.answer(&place, many.len())).copied(),
        }
    }

    /// The arms whose variants this policy is made with, wherever it comes from in this crate.
    fn made_with(&self, value: ExprId, variants: &[(usize, (ItemRef, String))]) -> Option<Vec<usize>> {
        let ExprKind::Field(base, _) = self.cx.body.expr(value).kind else { return None };
        let makers = match &self.cx.body.expr(base).kind {
            ExprKind::Path(path) if path.single() == Some("self") => {
                let receiver = self.env.receivers.borrow().get(&self.prefix).copied()?;
                self.cx.makers_of(receiver)?
            }
            _ => self.cx.makers(base)?,
        };
        let mut among = BTreeSet::new();
        for maker in makers {
            let builds =
                |(_, (kind, variant)): &&(usize, (ItemRef, String))| self.cx.builds(maker, *kind, variant);
            let built: Vec<usize> = variants.iter().filter(builds).map(|(at, _)| *at).collect();
            // it is given the kind itself
            if built.is_empty() {
                return None;
            }
            among.extend(built);
        }
        Some(among.into_iter().collect())
    }

    /// The variant that a pattern asks for, where it is none of `Option`'s and `Result`'s.
    fn kind_of(&self, pat: PatId) -> Option<&Path> {
        let path = self.cx.body.variant(pat)?;
        let is_std = is_plain_wrapper(path) || matches!(path.last(), "None" | "Err");
        (!is_std || matches!(self.cx.krate.path(self.cx.at, &path.segments), Target::Variant(..)))
            .then_some(path)
    }

    /// `self`, or a field of it.
    fn is_own(&self, id: ExprId) -> bool {
        match &self.cx.body.expr(id).kind {
            ExprKind::Path(path) => path.single() == Some("self"),
            ExprKind::Field(inner, _) | ExprKind::Ref(inner) | ExprKind::Unary(UnOp::Deref, inner) => {
                self.is_own(*inner)
            }
            _ => false,
        }
    }

    pub(super) fn branch(&mut self, cond: ExprId, then: ExprId, otherwise: Option<ExprId>) -> Amount {
        match self.truth(cond) {
            Some(true) => {
                if let ExprKind::Let(pat, value) = &self.cx.body.expr(cond).kind {
                    let val = self.eval(*value);
                    self.bind(*pat, &val);
                }
                self.eval(then)
            }
            Some(false) => otherwise.map_or_else(Amount::unknown, |no| self.eval(no)),
            None => {
                // what a branch does that nobody knows to be taken overflows for nobody
                let overflow = self.env.overflow.clone();
                let joined = self.either(cond, then, otherwise);
                self.env.overflow = overflow;
                joined
            }
        }
    }

    /// Both branches of a condition that nobody can tell.
    fn either(&mut self, cond: ExprId, then: ExprId, otherwise: Option<ExprId>) -> Amount {
        let capped = self.caps_in_condition(cond);
        if let ExprKind::Let(pat, value) = &self.cx.body.expr(cond).kind {
            let val = self.eval(*value);
            self.bind(*pat, &val);
        }
        let before = self.env.vars.clone();
        let yes_leaves = self.leaves(then);
        let yes = self.eval(then);
        let after_yes = std::mem::replace(&mut self.env.vars, before);
        if yes_leaves
            && let Some(waited) = after_yes.get(&Key::Waited)
            && !self.env.vars.contains_key(&Key::Waited)
        {
            self.waited_and_left = Some(waited.clone());
        }
        let Some(no) = otherwise else {
            if !yes_leaves {
                self.merge(after_yes, capped.as_ref());
            }
            return Amount::unknown();
        };
        let no_leaves = self.leaves(no);
        let other = self.eval(no);
        if yes_leaves {
            return other;
        }
        if no_leaves {
            self.env.vars = after_yes;
            return yes;
        }
        self.merge(after_yes, capped.as_ref());
        let mut joined = yes.or(&other);
        // a coin decides
        if self.cx.body.any(cond, |id| matches!(self.cx.role(id), Some(Role::Random { .. }))) {
            joined.drawn = joined.drawn.or(Some(Drawn::Somehow));
        }
        if capped.is_some() && joined.cap == Cap::No {
            joined.cap = Cap::Unknown;
        }
        joined
    }

    /// After a branch that nobody can tell: either value. A growing variable that an unwritten limit guards is capped by it.
    fn merge(&mut self, after_yes: BTreeMap<Key, Amount>, capped: Option<&Key>) {
        for (key, yes) in after_yes {
            let mut joined = match self.env.vars.get(&key) {
                Some(no) => yes.or(no),
                None => yes,
            };
            if capped == Some(&key) {
                joined.cap = Cap::Unknown;
            }
            self.env.vars.insert(key, joined);
        }
    }

    /// `delay < self.max`: the growing side, where the other is a limit of unwritten size.
    pub(crate) fn caps_in_condition(&mut self, cond: ExprId) -> Option<Key> {
        let ExprKind::Binary(BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge, left, right) =
            self.cx.body.expr(cond).kind
        else {
            return None;
        };
        let (l, r) = (self.eval(left), self.eval(right));
        if l.moves && !r.moves && !r.sized && !r.unknown {
            return self.key(left);
        }
        if r.moves && !l.moves && !l.sized && !l.unknown {
            return self.key(right);
        }
        None
    }

    /// Whether a branch always leaves the function or the loop.
    fn leaves(&self, id: ExprId) -> bool {
        match &self.cx.body.expr(id).kind {
            ExprKind::Return(_) | ExprKind::Break(..) | ExprKind::Continue(_) => true,
            ExprKind::Block(block) => {
                block.tail.is_some_and(|tail| self.leaves(tail))
                    || block.stmts.iter().any(|stmt| matches!(stmt, Stmt::Expr(id) if self.leaves(*id)))
            }
            ExprKind::Macro(_) => matches!(self.cx.role(id), Some(Role::Diverge | Role::Bail { .. })),
            _ => false,
        }
    }

    /// A condition over numbers, where they decide it.
    pub(crate) fn truth(&mut self, id: ExprId) -> Option<bool> {
        match &self.cx.body.expr(id).kind {
            ExprKind::Lit(Lit::Bool(truth)) => Some(*truth),
            ExprKind::Unary(UnOp::Not, inner) => self.truth(*inner).map(|truth| !truth),
            ExprKind::Binary(BinOp::And, left, right) => match (self.truth(*left), self.truth(*right)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            ExprKind::Binary(BinOp::Or, left, right) => match (self.truth(*left), self.truth(*right)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            ExprKind::Binary(op, left, right) => {
                let (l, r) = (self.eval(*left), self.eval(*right));
                if l.unknown || r.unknown || !l.sized || !r.sized {
                    return None;
                }
                let (less, more) = (l.hi < r.lo, l.lo > r.hi);
                let same = l.known().is_some() && l.known() == r.known();
                match op {
                    BinOp::Lt => decide(less, more || same),
                    BinOp::Le => decide(less || same, more),
                    BinOp::Gt => decide(more, less || same),
                    BinOp::Ge => decide(more || same, less),
                    BinOp::Eq => decide(same, less || more),
                    BinOp::Ne => decide(less || more, same),
                    _ => None,
                }
            }
            ExprKind::Let(pat, value) => {
                let on = self.eval(*value);
                self.pattern_holds(*pat, &on)
            }
            ExprKind::Macro(call) if call.path.single() == Some("cfg") => self.plain_build(id),
            ExprKind::Method(call) if call.name == "is_zero" => {
                self.eval(call.receiver).known().map(|value| value == 0.0)
            }
            ExprKind::Method(call) if matches!(call.name.as_str(), "is_none_or" | "is_some_and") => {
                self.holds_inside(call)
            }
            // a flag of the function's own: `let mut again = false`
            ExprKind::Path(_) if self.cx.body.local(id).is_some() => {
                let flag = self.key(id).and_then(|key| self.env.vars.get(&key))?;
                flag.known().map(|value| value != 0.0)
            }
            _ => None,
        }
    }

    /// `limit.is_none_or(|most| attempts < most)`.
    fn holds_inside(&mut self, call: &MethodCall) -> Option<bool> {
        let val = self.eval(call.receiver);
        if val.absent {
            return Some(call.name == "is_none_or");
        }
        let ExprKind::Closure { params, body, .. } = &self.cx.body.expr(*call.args.first()?).kind else {
            return None;
        };
        let [param] = params.as_slice() else { return None };
        self.bind(param.pat, &val);
        self.truth(*body).filter(|_| !val.optional)
    }

    /// `cfg!(test)`: what is shipped is built without; of features and targets nobody knows.
    fn plain_build(&self, id: ExprId) -> Option<bool> {
        let args = match &self.cx.body.expr(id).kind {
            ExprKind::Macro(call) => match &call.input {
                MacroInput::Args(args) => args.as_slice(),
                _ => return None,
            },
            ExprKind::Call(_, args) if self.cx.call_name(id) == "not" => {
                return args.first().and_then(|only| self.plain_build(*only)).map(|is| !is);
            }
            ExprKind::Path(path) => {
                return matches!(path.single(), Some("test" | "debug_assertions")).then_some(false);
            }
            _ => return None,
        };
        args.first().and_then(|only| self.plain_build(*only))
    }

    pub(super) fn pattern_holds(&mut self, pat: PatId, on: &Amount) -> Option<bool> {
        let body = self.cx.body;
        match &body.pat(pat).kind {
            PatKind::Lit(lit) => {
                let against = self.eval(*lit).known()?;
                on.known().map(|value| is_same(value, against))
            }
            PatKind::Range { start, end, inclusive } => {
                let value = on.known()?;
                let from = match start {
                    Some(start) => self.eval(*start).known()?,
                    None => f64::MIN,
                };
                let to = match end {
                    Some(end) => self.eval(*end).known()?,
                    None => f64::MAX,
                };
                Some(value >= from && (value < to || *inclusive && is_same(value, to)))
            }
            PatKind::Or(pats) => {
                let mut unsure = false;
                for pat in pats {
                    match self.pattern_holds(*pat, on) {
                        Some(true) => return Some(true),
                        Some(false) => {}
                        None => unsure = true,
                    }
                }
                if unsure { None } else { Some(false) }
            }
            PatKind::Wild | PatKind::Bind { sub: None, .. } => Some(true),
            PatKind::TupleStruct(path, _) if is_plain_wrapper(path) => presence(on),
            PatKind::Path(path) if path.last() == "None" => presence(on).map(|there| !there),
            PatKind::TupleStruct(path, _) if path.last() == "Err" => presence(on).map(|there| !there),
            PatKind::Path(path) | PatKind::TupleStruct(path, _) | PatKind::Struct(path, _) => {
                on.is_variant(path.last())
            }
            _ => None,
        }
    }

    /// Binds an arm's pattern; over a place, names in it are the place's own.
    fn bind_scrutinee(&mut self, pat: PatId, value: ExprId, on: &Amount) {
        let takes_apart = match &self.cx.body.pat(pat).kind {
            PatKind::Struct(..) => true,
            PatKind::TupleStruct(path, _) => !is_plain_wrapper(path),
            _ => false,
        };
        match self.place(value, MOST_ALIASES).filter(|_| takes_apart) {
            Some(place) => self.bind_place(pat, &place, on),
            None => self.bind(pat, on),
        }
    }

    /// Whether a name is bound to what a failure says of the wait: `Err(Api::RateLimited { retry_after: Some(d) })`.
    pub(super) fn is_taken_from_hint(&self, local: Local) -> bool {
        let body = self.cx.body;
        let within = |pat: PatId| self.takes_from_hint(pat, local, MOST_NESTED);
        body.exprs().any(|(_, expr)| match &expr.kind {
            ExprKind::Match(_, arms) => arms.iter().any(|arm| within(arm.pat)),
            ExprKind::Let(pat, _) => within(*pat),
            _ => false,
        })
    }

    fn takes_from_hint(&self, pat: PatId, local: Local, left: u32) -> bool {
        let body = self.cx.body;
        let holds = |sub: PatId| body.names_in_pat(sub).iter().any(|(_, it)| *it == local);
        let Some(left) = left.checked_sub(1) else { return false };
        let inside = |sub: &PatId| holds(*sub) && self.takes_from_hint(*sub, local, left);
        match &body.pat(pat).kind {
            PatKind::Struct(_, fields) => fields.iter().any(|(name, sub)| {
                holds(*sub) && (self.is_hint(pat) || says(&self.cx.words().hint, name)) || inside(sub)
            }),
            PatKind::TupleStruct(_, subs) => {
                subs.iter().any(|sub| holds(*sub) && self.is_hint(pat) || inside(sub))
            }
            PatKind::Tuple(subs) | PatKind::Or(subs) => subs.iter().any(inside),
            _ => false,
        }
    }

    /// Whether a pattern takes a time out of a variant that says that the server told it: `Throttled(after)`, `RetryAfter(d)`.
    fn is_hint(&self, pat: PatId) -> bool {
        let words = self.cx.words();
        match &self.cx.body.pat(pat).kind {
            PatKind::TupleStruct(path, _) | PatKind::Struct(path, _) => {
                says(&words.hint, path.last())
                    || crate::knowledge::parts(path.last())
                        .iter()
                        .any(|part| part.starts_with("throttl") || part == "flood")
            }
            _ => false,
        }
    }
}

/// Whether there is a value, where that is known: what may be either is not.
fn presence(on: &Amount) -> Option<bool> {
    match on.forms.is_empty() || on.optional {
        _ if on.absent => Some(false),
        true => None,
        false => Some(true),
    }
}

fn decide(yes: bool, no: bool) -> Option<bool> {
    if yes {
        Some(true)
    } else if no {
        Some(false)
    } else {
        None
    }
}
