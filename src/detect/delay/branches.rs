//! Delay arithmetic that branches: `if`, `match`, and what conditions and patterns over numbers decide.
//! Where nobody can tell which branch is taken, both are, and their values are joined; no branch is guessed.

use super::amount::{Amount, Cap, is_same};
use super::eval::{Eval, Key};
use crate::body::{Arm, BinOp, ExprId, ExprKind, Lit, Local, MacroInput, PatId, PatKind, Stmt, UnOp};
use crate::knowledge::{Role, says};
use std::collections::BTreeMap;

impl Eval<'_, '_> {
    /// A `match`: the arms that the value may take, joined.
    pub(super) fn matched(&mut self, value: ExprId, arms: &[Arm]) -> Amount {
        let on = self.eval(value);
        let before = self.env.vars.clone();
        let mut after: Option<BTreeMap<Key, Amount>> = None;
        let mut joined: Option<Amount> = None;
        for arm in arms {
            let held = self.pattern_holds(arm.pat, &on);
            if held == Some(false) {
                continue;
            }
            // each arm begins with what was there before all of them
            self.env.vars.clone_from(&before);
            let bound = if self.is_hint(arm.pat) { Amount::hint() } else { on.clone() };
            let fields = self.bind_fields(value, arm.pat);
            if fields.is_empty() {
                self.bind(arm.pat, &bound);
            }
            let leaves = self.leaves(arm.body);
            let val = self.eval(arm.body);
            for (local, field) in fields {
                if let Some(val) = self.env.vars.get(&Key::Local(local)).cloned() {
                    self.env.vars.insert(field, val);
                }
            }
            let sure = held == Some(true) && arm.guard.is_none();
            if !leaves {
                if let Some(others) = after.replace(std::mem::take(&mut self.env.vars)) {
                    self.env.vars = others;
                    let this = after.take().unwrap_or_default();
                    self.merge(this, None);
                    after = Some(std::mem::take(&mut self.env.vars));
                }
                // an arm that gives no delay says nothing of how long the others wait
                if !self.gives_nothing(arm.body) {
                    joined = Some(joined.map_or(val.clone(), |it| it.or(&val)));
                }
            }
            if sure {
                break;
            }
        }
        self.env.vars = after.unwrap_or(before);
        joined.unwrap_or_else(Amount::unknown)
    }

    /// `match *self { Policy::Linear { ref mut attempts, delay } => .. }`: the names are the fields of what is looked at.
    fn bind_fields(&mut self, value: ExprId, pat: PatId) -> Vec<(Local, Key)> {
        let Some(Key::Field(owner)) = self.key(value) else { return Vec::new() };
        if !matches!(self.cx.body.pat(pat).kind, PatKind::Struct(..)) || self.is_hint(pat) {
            return Vec::new();
        }
        let mut fields = Vec::new();
        for (name, local) in self.cx.body.names_in_pat(pat) {
            let field = Key::Field(format!("{owner}.{name}"));
            let val = self.env.vars.get(&field).cloned().unwrap_or_else(Amount::symbol);
            self.env.vars.insert(Key::Local(local), val);
            fields.push((local, field));
        }
        fields
    }

    /// Whether an expression is `None`, a block's last one too: there is no delay then.
    pub(super) fn gives_nothing(&self, id: ExprId) -> bool {
        match &self.cx.body.expr(id).kind {
            ExprKind::Path(path) => path.single() == Some("None"),
            ExprKind::Block(block) => block.tail.is_some_and(|tail| self.gives_nothing(tail)),
            _ => false,
        }
    }

    pub(super) fn branch(&mut self, cond: ExprId, then: ExprId, otherwise: Option<ExprId>) -> Amount {
        match self.truth(cond) {
            Some(true) => self.eval(then),
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
        let mut joined = match (self.gives_nothing(then), self.gives_nothing(no)) {
            (false, true) => yes,
            (true, false) => other,
            _ => yes.or(&other),
        };
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
            ExprKind::Macro(call) if call.path.single() == Some("cfg") => self.plain_build(id),
            ExprKind::Method(call) if call.name == "is_zero" => {
                self.eval(call.receiver).known().map(|value| value == 0.0)
            }
            _ => None,
        }
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

    fn pattern_holds(&mut self, pat: PatId, on: &Amount) -> Option<bool> {
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
            _ => None,
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

fn decide(yes: bool, no: bool) -> Option<bool> {
    if yes {
        Some(true)
    } else if no {
        Some(false)
    } else {
        None
    }
}
