//! Evaluates delay arithmetic at one attempt: expressions, and the functions of the crate that they call, in intervals and in the integer type for overflow.
//! It executes nothing else: a call that it does not know gives an unknown amount.

use super::amount::{Amount, Cap, Drawn, is_same};
use crate::body::{Arm, BinOp, ExprId, ExprKind, Lit, Local, MethodCall, PatId, PatKind, Stmt, Ty, UnOp};
use crate::detect::context::{Callee, Context};
use crate::knowledge::{Gives, RandomGives, Role, Unit, says};
use crate::model::{Evidence, Overflow};
use crate::resolve::{ItemRef, Target, peeled};
use std::collections::BTreeMap;

/// A variable: a local of the body at hand, or a field by its path (`self.backoff.current`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    Local(Local),
    Field(String),
    /// What was waited so far.
    Waited,
}

/// Overflow seen while evaluating: where, how.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Overflowed {
    /// The arithmetic, also where it stands in a function that is called.
    pub(crate) at: Evidence,
    pub(crate) how: Overflow,
}

/// Variables and what was found while evaluating with them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Env {
    pub(crate) vars: BTreeMap<Key, Amount>,
    /// Overflow in the body at hand.
    pub(crate) overflow: Option<Overflowed>,
    /// Variables that this loop changes: their first value is not their only one.
    pub(crate) moving: Vec<Key>,
    pub(crate) steps: u32,
}

/// Steps for one evaluation of one attempt.
const MOST_STEPS: u32 = 20_000;
/// Functions are followed into each other this deep.
const MOST_CALLS: u32 = 5;

/// Evaluates expressions of one body.
pub(crate) struct Eval<'c, 'a> {
    pub(crate) cx: &'c Context<'a>,
    pub(crate) env: Env,
    /// What `self` is called by the caller: `self`, `self.backoff`, `retry`.
    prefix: String,
    returned: Option<Amount>,
    depth: u32,
}

impl<'c, 'a> Eval<'c, 'a> {
    pub(crate) fn new(cx: &'c Context<'a>, env: Env) -> Self {
        Self { cx, env, prefix: "self".to_owned(), returned: None, depth: 0 }
    }

    /// Evaluates in another body, one call deeper, with nothing known of its variables.
    fn elsewhere<'i>(&self, cx: &'i Context<'a>) -> Eval<'i, 'a> {
        Eval { depth: self.depth + 1, ..Eval::new(cx, Env::default()) }
    }

    /// The value of the whole body, early returns included.
    pub(crate) fn run(&mut self) -> Amount {
        let root = self.cx.body.root;
        let val = self.eval(root);
        // a body that ends in a statement has given what it returned; an early return beside a value is one of two answers
        let gives = !matches!(&self.cx.body.expr(root).kind, ExprKind::Block(block) if block.tail.is_none());
        match self.returned.take() {
            Some(returned) if gives => returned.or(&val),
            Some(returned) => returned,
            None => val,
        }
    }

    /// The variable that an expression names.
    pub(crate) fn key(&self, id: ExprId) -> Option<Key> {
        if let Some(local) = self.cx.body.local(id) {
            return Some(Key::Local(local));
        }
        if let ExprKind::Unary(UnOp::Deref, inner) | ExprKind::Ref(inner) = &self.cx.body.expr(id).kind {
            return self.key(*inner);
        }
        let path = self.cx.field_path(id)?;
        Some(Key::Field(self.rebased(&path)))
    }

    fn rebased(&self, path: &str) -> String {
        match path.strip_prefix("self.") {
            Some(rest) => format!("{}.{rest}", self.prefix),
            None if path == "self" => self.prefix.clone(),
            None => format!("{}#{path}", self.depth),
        }
    }

    /// Evaluates an expression.
    #[allow(clippy::too_many_lines)] // the one match over what delay arithmetic is written with
    pub(crate) fn eval(&mut self, id: ExprId) -> Amount {
        self.env.steps += 1;
        if self.env.steps > MOST_STEPS {
            return Amount::unknown();
        }
        let body = self.cx.body;
        match &body.expr(id).kind {
            ExprKind::Lit(Lit::Int(value, _)) => Amount::exact(*value as f64),
            ExprKind::Lit(Lit::Float(value, _)) => Amount::exact(*value),
            ExprKind::Path(path) => self.path(id, &path.segments),
            ExprKind::Unary(UnOp::Neg, inner) => {
                let inner = self.eval(*inner);
                Amount { lo: -inner.hi, hi: -inner.lo, raw: -inner.lo, ..inner }
            }
            ExprKind::Unary(_, inner)
            | ExprKind::Ref(inner)
            | ExprKind::Try(inner)
            | ExprKind::Await(inner) => self.eval(*inner),
            ExprKind::Cast(inner, ty) => self.cast(*inner, ty),
            ExprKind::Binary(op, left, right) => self.binary(id, *op, *left, *right),
            ExprKind::Field(base, name) => self.field(id, *base, name),
            ExprKind::Index(base, index) => self.index(*base, *index),
            ExprKind::Block(block) => {
                for stmt in &block.stmts {
                    self.stmt(stmt);
                }
                block.tail.map_or_else(Amount::unknown, |tail| self.eval(tail))
            }
            ExprKind::If { cond, then, otherwise } => self.branch(*cond, *then, *otherwise),
            ExprKind::Match(value, arms) => self.matched(*value, arms),
            ExprKind::Return(value) => {
                let val = value.map_or_else(Amount::unknown, |value| self.eval(value));
                self.returned = Some(self.returned.take().map_or(val.clone(), |it| it.or(&val)));
                val
            }
            ExprKind::Assign(left, right) => {
                let val = self.eval(*right);
                self.store(*left, val.clone());
                val
            }
            ExprKind::AssignOp(op, left, right) => {
                let val = self.binary(id, *op, *left, *right);
                self.store(*left, val.clone());
                val
            }
            ExprKind::Call(..) => self.call(id),
            ExprKind::Method(call) => self.method(id, call),
            ExprKind::Tuple(items) | ExprKind::Array(items) => match items.as_slice() {
                [only] => self.eval(*only),
                _ => Amount::unknown(),
            },
            _ => Amount::unknown(),
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Expr(id) => {
                self.eval(*id);
            }
            Stmt::Let { pat, init: Some(init), .. } => {
                let val = self.eval(*init);
                self.bind(*pat, &val);
            }
            Stmt::Let { .. } => {}
        }
    }

    /// Gives every name of a pattern the value; a name inside a variant gets what is inside.
    pub(crate) fn bind(&mut self, pat: PatId, val: &Amount) {
        for (_, local) in self.cx.body.names_in_pat(pat) {
            self.env.vars.insert(Key::Local(local), val.clone());
        }
    }

    /// Stores a value in a variable or field.
    pub(crate) fn store(&mut self, place: ExprId, mut val: Amount) {
        if let Some(key) = self.key(place) {
            val.moves = true;
            self.env.vars.insert(key, val);
        }
    }

    /// A `match`: the arms that the value may take, joined.
    fn matched(&mut self, value: ExprId, arms: &[Arm]) -> Amount {
        let on = self.eval(value);
        let mut joined: Option<Amount> = None;
        for arm in arms {
            let held = self.pattern_holds(arm.pat, &on);
            if held == Some(false) {
                continue;
            }
            if self.is_hint(arm.pat) {
                self.bind(arm.pat, &Amount::hint());
            } else {
                self.bind(arm.pat, &on);
            }
            if self.leaves(arm.body) {
                self.eval(arm.body);
                continue;
            }
            let val = self.eval(arm.body);
            joined = Some(joined.map_or(val.clone(), |it| it.or(&val)));
            if held == Some(true) && arm.guard.is_none() {
                break;
            }
        }
        joined.unwrap_or_else(Amount::unknown)
    }

    fn branch(&mut self, cond: ExprId, then: ExprId, otherwise: Option<ExprId>) -> Amount {
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
            ExprKind::Method(call) if call.name == "is_zero" => {
                self.eval(call.receiver).known().map(|value| value == 0.0)
            }
            _ => None,
        }
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

    fn path(&mut self, id: ExprId, segments: &[String]) -> Amount {
        if let Some(local) = self.cx.body.local(id) {
            return self.local(local);
        }
        let last = segments.last().map_or("", String::as_str);
        if let Target::Item(item) = self.cx.krate.path(self.cx.at, segments) {
            return self.constant(item);
        }
        match last {
            "MAX" => {
                let ty = segments.iter().rev().nth(1).map_or("", String::as_str);
                Amount::exact(largest_of(ty).unwrap_or(f64::from(u32::MAX) * f64::from(u32::MAX)))
            }
            "MIN" | "ZERO" => Amount::exact(0.0),
            _ if segments.len() == 1 && self.cx.body.fragments.iter().any(|it| it == last) => {
                Amount::symbol()
            }
            _ if last.chars().all(|c| c.is_uppercase() || c.is_ascii_digit() || c == '_') => Amount::symbol(),
            _ => Amount::unknown(),
        }
    }

    fn constant(&mut self, item: ItemRef) -> Amount {
        if self.depth >= MOST_CALLS {
            return Amount::symbol();
        }
        let Some(inner) = self.cx.inside(item) else { return Amount::symbol() };
        let mut eval = self.elsewhere(&inner);
        let val = eval.eval(inner.body.root);
        // a constant is one value, whatever it is made of
        if val.unknown { Amount::symbol() } else { Amount { moves: false, ..val } }
    }

    fn local(&mut self, local: Local) -> Amount {
        let key = Key::Local(local);
        if let Some(val) = self.env.vars.get(&key) {
            return val.clone();
        }
        let moving = self.env.moving.contains(&key);
        match self.cx.init(local) {
            Some(init) => {
                // its own value must not be asked for while it is made
                self.env.vars.insert(key.clone(), Amount::symbol());
                let mut val = self.eval(init);
                val.moves |= moving;
                self.env.vars.insert(key, val.clone());
                val
            }
            None if self.cx.body.params.iter().any(|param| param.pat == local) => {
                Amount { moves: moving, ..Amount::symbol() }
            }
            None => Amount { moves: moving, unknown: !self.is_closure_param(local), ..Amount::symbol() },
        }
    }

    fn is_closure_param(&self, local: Local) -> bool {
        self.cx.body.exprs().any(|(_, expr)| match &expr.kind {
            ExprKind::Closure { params, .. } => params.iter().any(|param| param.pat == local),
            _ => false,
        })
    }

    fn cast(&mut self, inner: ExprId, ty: &Ty) -> Amount {
        let val = self.eval(inner);
        // a cast of a float saturates, of an integer wraps: neither is taken as growth
        match largest_of(ty.name()) {
            Some(largest) if val.hi > largest => val.map(|it| it.min(largest)),
            _ => val,
        }
    }

    fn field(&mut self, id: ExprId, base: ExprId, name: &str) -> Amount {
        if let Some(key) = self.key(id) {
            if let Some(val) = self.env.vars.get(&key) {
                return val.clone();
            }
            let moves = self.env.moving.contains(&key);
            let val = self.field_of_type(base, name);
            let val = if moves { Amount { moves: true, ..val } } else { val };
            self.env.vars.insert(key, val.clone());
            return val;
        }
        let inner = self.eval(base);
        if inner.unknown { Amount::unknown() } else { Amount { sized: false, ..inner } }
    }

    fn field_of_type(&mut self, base: ExprId, name: &str) -> Amount {
        if self.depth < MOST_CALLS
            && let Some(ty) = self.cx.krate.type_of(self.cx.at, self.cx.body, base)
            && let Some((item, value)) = self.cx.field_value(peeled(&ty), name)
            && let Some(inner) = self.cx.inside(item)
        {
            let mut eval = self.elsewhere(&inner);
            let val = eval.eval(value);
            if !val.unknown && val.drawn.is_none() {
                return Amount { moves: false, ..val };
            }
        }
        Amount::symbol()
    }

    fn index(&mut self, base: ExprId, index: ExprId) -> Amount {
        let at = self.eval(index);
        let Some(table) = self.table(base) else { return Amount::unknown() };
        pick(&table, &at)
    }

    /// The values of a written list, behind variables and constants.
    pub(crate) fn table(&mut self, id: ExprId) -> Option<Vec<Amount>> {
        match &self.cx.body.expr(id).kind {
            ExprKind::Array(items) => Some(items.iter().map(|item| self.eval(*item)).collect()),
            ExprKind::Ref(inner) => self.table(*inner),
            ExprKind::Macro(call) => match &call.input {
                crate::body::MacroInput::Args(items) if call.path.last() == "vec" => {
                    Some(items.iter().map(|item| self.eval(*item)).collect())
                }
                _ => None,
            },
            ExprKind::Method(call)
                if matches!(
                    call.name.as_str(),
                    "iter" | "into_iter" | "copied" | "cloned" | "to_vec" | "as_slice"
                ) =>
            {
                self.table(call.receiver)
            }
            ExprKind::Method(call) if call.name == "map" && call.args.len() == 1 => {
                let values = self.table(call.receiver)?;
                let arg = *call.args.first()?;
                Some(values.iter().map(|value| self.apply(arg, std::slice::from_ref(value))).collect())
            }
            ExprKind::Path(path) => {
                if let Some(local) = self.cx.body.local(id) {
                    return self.cx.init(local).and_then(|init| self.table(init));
                }
                let Target::Item(item) = self.cx.krate.path(self.cx.at, &path.segments) else { return None };
                let inner = self.cx.inside(item).filter(|_| self.depth < MOST_CALLS)?;
                let mut eval = self.elsewhere(&inner);
                eval.table(inner.body.root)
            }
            _ => None,
        }
    }

    fn binary(&mut self, id: ExprId, op: BinOp, left: ExprId, right: ExprId) -> Amount {
        let (l, r) = (self.eval(left), self.eval(right));
        self.arithmetic(id, op, &l, &r, left)
    }

    fn arithmetic(&mut self, id: ExprId, op: BinOp, l: &Amount, r: &Amount, typed: ExprId) -> Amount {
        let made = match op {
            BinOp::Add => l.add(r),
            BinOp::Sub => l.sub(r),
            BinOp::Mul => l.mul(r),
            BinOp::Div => l.div(r),
            BinOp::Shl => {
                let bits = self.largest(typed).map(|largest| (largest + 1.0).log2());
                if let Some(bits) = bits
                    && r.hi >= bits
                    && r.moves
                {
                    self.note_overflow(id, Overflow::Wraps);
                }
                l.mul(&r.map(f64::exp2))
            }
            BinOp::Shr => l.div(&r.map(f64::exp2)),
            BinOp::Rem => {
                let random = l.drawn.is_some();
                let mut made =
                    Amount { lo: 0.0, hi: r.hi, raw: r.raw, moves: l.moves || r.moves, ..l.clone() };
                made.sized = r.sized;
                made.drawn = random.then_some(Drawn::Range);
                // a remainder of anything else is spread over the range, but by what, nobody knows
                made.unknown = r.unknown || !random && l.unknown;
                return made;
            }
            BinOp::BitXor | BinOp::BitAnd | BinOp::BitOr => Amount { unknown: true, ..l.add(r) },
            _ => return Amount::unknown(),
        };
        if matches!(op, BinOp::Add | BinOp::Mul | BinOp::Shl) {
            self.check_range(id, &made, typed, Overflow::Panics);
        }
        made
    }

    /// Notes overflow where the value leaves its type's range for sure.
    fn check_range(&mut self, id: ExprId, made: &Amount, typed: ExprId, how: Overflow) {
        if !made.moves || made.unknown {
            return;
        }
        let Some(largest) = self.largest(typed).or_else(|| self.largest(id)) else { return };
        // a saturated value is the largest itself, give or take what an `f64` cannot tell
        if made.hi > largest * 1.001 {
            self.note_overflow(id, how);
        }
    }

    fn note_overflow(&mut self, at: ExprId, how: Overflow) {
        if self.env.overflow.is_none() {
            self.env.overflow = Some(Overflowed { at: self.cx.evidence(at, "leaves its type's range"), how });
        }
    }

    /// The largest value of an expression's type; a `Duration`'s is 2^64 seconds.
    fn largest(&self, id: ExprId) -> Option<f64> {
        if let Some(number) = self.cx.krate.int_type(self.cx.at, self.cx.body, id) {
            return largest_of(number);
        }
        let ty = self.cx.type_of(id)?;
        largest_of(ty.name())
    }

    fn call(&mut self, id: ExprId) -> Amount {
        let args = self.cx.args(id);
        let name = self.cx.call_name(id);
        if let Some(made) = self.duration_constructor(name, args) {
            return made;
        }
        if matches!(name, "Some" | "Ok" | "Box" | "Reverse") && args.len() == 1 {
            return args.first().map_or_else(Amount::unknown, |arg| self.eval(*arg));
        }
        // `mem::replace(&mut delay, next)`: the old value, and the new one stored
        if let ("replace", [place, value]) = (name, args) {
            let old = self.eval(*place);
            let new = self.eval(*value);
            self.store(*place, new);
            return Amount { moves: true, ..old };
        }
        if matches!(name, "min" | "max") && args.len() == 2 {
            let vals: Vec<Amount> = args.iter().map(|arg| self.eval(*arg)).collect();
            if let [one, other] = vals.as_slice() {
                return if name == "min" { one.min(other) } else { one.max(other) };
            }
        }
        match self.cx.callee(id) {
            Callee::Known(entry, _) => self.known(id, &entry.role, None, args),
            Callee::Own(item) => self.inline(item, None, args),
            Callee::Closure(closure) => {
                let vals: Vec<Amount> = args.iter().map(|arg| self.eval(*arg)).collect();
                self.apply(closure, &vals)
            }
            // `u64::from(n)`, `f64::from(x)`, `u64::pow(2, n)`
            _ if matches!(name, "from" | "try_from" | "new") && args.len() == 1 => {
                args.first().map_or_else(Amount::unknown, |arg| self.eval(*arg))
            }
            _ if matches!(name, "pow" | "powi" | "powf" | "saturating_pow") && args.len() == 2 => {
                let vals: Vec<Amount> = args.iter().map(|arg| self.eval(*arg)).collect();
                match vals.as_slice() {
                    [base, exponent] => power(base, exponent),
                    _ => Amount::unknown(),
                }
            }
            Callee::Foreign(_) | Callee::Unknown | Callee::Operand(_) => self.by_name(name, args),
        }
    }

    /// A call that nobody knows: random where its name says so, else unknown.
    fn by_name(&mut self, name: &str, args: &[ExprId]) -> Amount {
        if says(&self.cx.words().hint, name) {
            return Amount::hint();
        }
        if says(&self.cx.words().random, name) {
            let base = args.first().map_or_else(Amount::symbol, |arg| self.eval(*arg));
            return Amount { drawn: Some(Drawn::Somehow), sized: false, ..base };
        }
        Amount::unknown()
    }

    fn duration_constructor(&mut self, name: &str, args: &[ExprId]) -> Option<Amount> {
        let scale = match name {
            "from_secs" | "from_secs_f64" | "from_secs_f32" | "seconds" | "try_seconds"
            | "try_from_secs_f64" => 1.0,
            "from_millis" | "milliseconds" | "try_milliseconds" => 1e-3,
            "from_micros" | "microseconds" => 1e-6,
            "from_nanos" | "nanoseconds" => 1e-9,
            "from_mins" | "minutes" | "try_minutes" => 60.0,
            "from_hours" | "hours" => 3600.0,
            "new" if args.len() == 2 => {
                let secs = args.first().map(|arg| self.eval(*arg))?;
                let nanos = args.get(1).map(|arg| self.eval(*arg))?;
                return Some(secs.add(&nanos.map(|it| it * 1e-9)));
            }
            "default" if args.is_empty() => return Some(Amount::symbol()),
            _ => return None,
        };
        let [arg] = args else { return None };
        let val = self.eval(*arg);
        Some(val.map(|it| it * scale))
    }

    /// Runs a closure, or a function named by path, on values.
    fn apply(&mut self, callable: ExprId, vals: &[Amount]) -> Amount {
        match &self.cx.body.expr(callable).kind {
            ExprKind::Closure { params, body, .. } => {
                for (at, param) in params.iter().enumerate() {
                    if let Some(val) = vals.get(at) {
                        self.bind(param.pat, val);
                    }
                }
                let outer = self.returned.take();
                let val = self.eval(*body);
                let returned = std::mem::replace(&mut self.returned, outer);
                returned.map_or(val.clone(), |it| it.or(&val))
            }
            ExprKind::Path(path) => {
                let name = path.last();
                let scale = match name {
                    "from_secs" | "from_secs_f64" | "from_secs_f32" => 1.0,
                    "from_millis" => 1e-3,
                    "from_micros" => 1e-6,
                    "from_nanos" => 1e-9,
                    _ => match self.cx.by_path(path) {
                        Some(Callee::Own(item)) => return self.inline_values(item, None, vals),
                        Some(Callee::Known(entry, _)) if matches!(entry.role, Role::Random { .. }) => {
                            let base = vals.first().cloned().unwrap_or_else(Amount::symbol);
                            return drawn_by(&entry.role, &base);
                        }
                        _ => return Amount::unknown(),
                    },
                };
                vals.first().map_or_else(Amount::unknown, |val| val.map(|it| it * scale))
            }
            _ => Amount::unknown(),
        }
    }

    fn inline(&mut self, item: ItemRef, receiver: Option<ExprId>, args: &[ExprId]) -> Amount {
        let vals: Vec<Amount> = args.iter().map(|arg| self.eval(*arg)).collect();
        self.inline_values(item, receiver, &vals)
    }

    /// Evaluates a function of the crate on these arguments; what it does to its `self` stays.
    pub(crate) fn inline_values(
        &mut self,
        item: ItemRef,
        receiver: Option<ExprId>,
        given: &[Amount],
    ) -> Amount {
        if self.depth >= MOST_CALLS || item == self.cx.at && self.depth > 0 {
            return Amount::unknown();
        }
        let Some(inner) = self.cx.inside(item) else {
            let name = self.cx.krate.item(item).map_or("", |item| item.name.as_str());
            if crate::detect::summary::is_named_sleep(name)
                && let Some(wait) = given.first()
            {
                // in what unit, only its body would tell
                self.env.vars.insert(Key::Waited, Amount { sized: false, ..wait.clone() });
            }
            return self.by_name(name, &[]);
        };
        let prefix = match receiver {
            Some(receiver) => match self.key(receiver) {
                Some(Key::Field(path)) => path,
                Some(Key::Local(local)) => format!("{}#{}", self.depth, local.0),
                Some(Key::Waited) | None => self.prefix.clone(),
            },
            None => "self".to_owned(),
        };
        let mut vars: BTreeMap<Key, Amount> = self
            .env
            .vars
            .iter()
            .filter(|(key, _)| !matches!(key, Key::Local(_)))
            .map(|(key, val)| (key.clone(), val.clone()))
            .collect();
        for (param, val) in inner.body.params.iter().zip(given) {
            for (_, local) in inner.body.names_in_pat(param.pat) {
                vars.insert(Key::Local(local), val.clone());
            }
        }
        let env = Env { vars, overflow: None, moving: self.env.moving.clone(), steps: self.env.steps };
        let mut eval = Eval { env, prefix, ..self.elsewhere(&inner) };
        let mut val = eval.run();
        let name = self.cx.krate.item(item).map_or("", |item| item.name.as_str());
        // a home-grown generator: how it draws, its bits tell nobody
        if val.drawn.is_none() && val.unknown && says(&self.cx.words().random, name) {
            val = match given.first() {
                // `rand_below(bound)`, `random(d)`: from nothing to what it is given; `jitter(d)`: who knows
                Some(bound) if !name.contains("jitter") => Amount::between(&Amount::exact(0.0), bound),
                Some(base) => Amount { drawn: Some(Drawn::Somehow), sized: false, ..base.clone() },
                None => Amount::somehow(),
            };
        }
        self.env.steps = eval.env.steps;
        if self.env.overflow.is_none() {
            self.env.overflow = eval.env.overflow;
        }
        for (key, val) in eval.env.vars {
            if !matches!(key, Key::Local(_)) {
                self.env.vars.insert(key, val);
            }
        }
        val
    }

    fn known(&mut self, id: ExprId, role: &Role, receiver: Option<ExprId>, args: &[ExprId]) -> Amount {
        match role {
            Role::Wait { arg, unit, .. } => {
                let waited = self.waited(*arg, *unit, receiver, args);
                let sum = match self.env.vars.get(&Key::Waited) {
                    Some(before) => before.add(&waited),
                    None => waited.clone(),
                };
                self.env.vars.insert(Key::Waited, sum);
                waited
            }
            Role::Random { gives, .. } => self.random(*gives, role, receiver, args),
            Role::Clock { gives: Gives::Elapsed | Gives::Now } => {
                Amount { moves: true, unknown: true, ..Amount::symbol() }
            }
            Role::Hint => Amount::hint(),
            Role::Adaptor | Role::Pure => {
                let operand = receiver.or_else(|| args.first().copied());
                operand.map_or_else(Amount::unknown, |operand| self.eval(operand))
            }
            _ => self.by_name(self.cx.call_name(id), args),
        }
    }

    /// What a generator draws.
    fn random(
        &mut self,
        gives: RandomGives,
        role: &Role,
        receiver: Option<ExprId>,
        args: &[ExprId],
    ) -> Amount {
        match gives {
            RandomGives::Range => args.first().map_or_else(Amount::somehow, |range| self.drawn_from(*range)),
            RandomGives::Between => match args {
                [lo, hi, ..] => {
                    let (lo, hi) = (self.eval(*lo), self.eval(*hi));
                    Amount::between(&lo, &hi)
                }
                _ => Amount::somehow(),
            },
            RandomGives::Unit | RandomGives::Any | RandomGives::Bool => {
                Amount::between(&Amount::exact(0.0), &Amount::exact(1.0))
            }
            RandomGives::UpToArg | RandomGives::Around => {
                let operand = args.first().copied().or(receiver);
                let base = operand.map_or_else(Amount::symbol, |operand| self.eval(operand));
                drawn_by(role, &base)
            }
        }
    }

    /// Drawn from a range that is written, here or where a variable gets it.
    fn drawn_from(&mut self, range: ExprId) -> Amount {
        let body = self.cx.body;
        if let ExprKind::Range { start, end, .. } = &body.expr(range).kind {
            let lo = start.map_or_else(|| Amount::exact(0.0), |start| self.eval(start));
            let hi = end.map_or_else(Amount::symbol, |end| self.eval(end));
            return Amount::between(&lo, &hi);
        }
        let init = body.local(range).and_then(|local| self.cx.init(local));
        match init.map(|init| &body.expr(init).kind) {
            Some(ExprKind::Range { start: Some(start), end: Some(end), .. }) => {
                let (lo, hi) = (self.eval(*start), self.eval(*end));
                Amount::between(&lo, &hi)
            }
            _ => Amount::somehow(),
        }
    }

    /// How long a wait waits.
    fn waited(
        &mut self,
        arg: Option<usize>,
        unit: Unit,
        receiver: Option<ExprId>,
        args: &[ExprId],
    ) -> Amount {
        let Some(arg) = arg.and_then(|at| args.get(at)).copied() else {
            // a tick: its timer's period, which does not change
            let period = receiver
                .and_then(|timer| self.cx.body.local(timer))
                .and_then(|local| self.cx.init(local))
                .and_then(|init| {
                    let mut found = None;
                    self.cx.body.walk(init, &mut |id| {
                        if let Some(Role::Interval { arg }) = self.cx.role(id) {
                            found = self.cx.args(id).get(*arg).copied();
                        }
                        found.is_none()
                    });
                    found
                });
            return period.map_or_else(Amount::symbol, |period| self.eval(period));
        };
        let scale = match unit {
            Unit::Duration | Unit::S => 1.0,
            Unit::Ms => 1e-3,
            Unit::Us => 1e-6,
            Unit::Ns => 1e-9,
            Unit::Until => return self.until(arg),
        };
        self.eval(arg).map(|it| it * scale)
    }

    /// How far off a deadline is: what is added to the clock.
    fn until(&mut self, id: ExprId) -> Amount {
        let target = self.cx.body.local(id).and_then(|local| self.cx.init(local)).unwrap_or(id);
        match &self.cx.body.expr(target).kind {
            ExprKind::Binary(BinOp::Add, _, right) => self.eval(*right),
            ExprKind::Method(call) if matches!(call.name.as_str(), "add" | "checked_add") => {
                call.args.first().map_or_else(Amount::unknown, |arg| self.eval(*arg))
            }
            _ => Amount::unknown(),
        }
    }

    #[allow(clippy::too_many_lines)] // the one table of numeric methods
    fn method(&mut self, id: ExprId, call: &MethodCall) -> Amount {
        let receiver = call.receiver;
        let arg = call.args.first().copied();
        let name = call.name.as_str();
        match (name, arg) {
            (
                "saturating_mul" | "checked_mul" | "wrapping_mul" | "mul_f64" | "mul_f32" | "mul",
                Some(arg),
            ) => {
                let (l, r) = (self.eval(receiver), self.eval(arg));
                let made = l.mul(&r);
                // who writes `wrapping_` reckons with it
                if matches!(name, "mul_f64" | "mul_f32" | "mul") {
                    self.check_range(id, &made, receiver, Overflow::Panics);
                }
                made
            }
            ("saturating_add" | "checked_add" | "wrapping_add" | "add", Some(arg)) => {
                let (l, r) = (self.eval(receiver), self.eval(arg));
                l.add(&r)
            }
            ("saturating_sub" | "checked_sub" | "wrapping_sub" | "sub" | "abs_diff", Some(arg)) => {
                let (l, r) = (self.eval(receiver), self.eval(arg));
                l.sub(&r)
            }
            (
                "div_f64" | "div_f32" | "checked_div" | "saturating_div" | "div" | "div_ceil"
                | "div_duration_f64",
                Some(arg),
            ) => {
                let (l, r) = (self.eval(receiver), self.eval(arg));
                l.div(&r)
            }
            ("pow" | "powi" | "powf" | "saturating_pow" | "checked_pow" | "wrapping_pow", Some(arg)) => {
                let (base, exponent) = (self.eval(receiver), self.eval(arg));
                let made = power(&base, &exponent);
                if name == "pow" {
                    self.check_range(id, &made, receiver, Overflow::Panics);
                }
                made
            }
            ("checked_shl" | "wrapping_shl" | "unbounded_shl" | "overflowing_shl", Some(arg)) => {
                let (l, r) = (self.eval(receiver), self.eval(arg));
                l.mul(&r.map(f64::exp2))
            }
            ("exp2", None) => self.eval(receiver).map(f64::exp2),
            ("exp", None) => self.eval(receiver).map(f64::exp),
            ("sqrt", None) => self.eval(receiver).map(f64::sqrt),
            ("min", Some(arg)) => {
                let (l, r) = (self.eval(receiver), self.eval(arg));
                l.min(&r)
            }
            ("max", Some(arg)) => {
                let (l, r) = (self.eval(receiver), self.eval(arg));
                l.max(&r)
            }
            ("clamp", Some(low)) => {
                let (val, low) = (self.eval(receiver), self.eval(low));
                let high = call.args.get(1).map_or_else(Amount::symbol, |high| self.eval(*high));
                val.max(&low).min(&high)
            }
            ("as_millis" | "num_milliseconds" | "subsec_millis" | "whole_milliseconds", None) => {
                self.eval(receiver).map(|it| it * 1e3)
            }
            ("as_micros" | "num_microseconds", None) => self.eval(receiver).map(|it| it * 1e6),
            ("as_nanos" | "num_nanoseconds" | "subsec_nanos", None) => self.eval(receiver).map(|it| it * 1e9),
            ("as_secs" | "as_secs_f64" | "as_secs_f32" | "num_seconds" | "seconds" | "secs", None) => {
                self.eval(receiver)
            }
            ("unwrap_or" | "unwrap_or_else" | "map_or" | "unwrap_or_default", _) => {
                self.fallback(name, receiver, arg)
            }
            (
                "unwrap" | "expect" | "into" | "try_into" | "clone" | "to_owned" | "copied" | "cloned"
                | "abs" | "round" | "floor" | "ceil" | "trunc" | "as_ref" | "get" | "await" | "ok" | "to_std"
                | "into_inner" | "load" | "borrow" | "deref" | "unsigned_abs" | "ok_or" | "or",
                _,
            ) if !(name == "get" && arg.is_some()) => self.eval(receiver),
            ("get", Some(index)) => self.index(receiver, index),
            ("milliseconds" | "millis" | "ms", None) => self.eval(receiver).map(|it| it * 1e-3),
            ("minutes", None) => self.eval(receiver).map(|it| it * 60.0),
            _ => match self.cx.callee(id) {
                Callee::Known(entry, _) => self.known(id, &entry.role, Some(receiver), &call.args),
                Callee::Own(item) => self.inline(item, Some(receiver), &call.args),
                _ => self.unknown_method(name, receiver, &call.args),
            },
        }
    }

    fn unknown_method(&mut self, name: &str, receiver: ExprId, args: &[ExprId]) -> Amount {
        if says(&self.cx.words().hint, name) || says(&self.cx.words().random, name) {
            return self.by_name(name, args);
        }
        // an adaptor on a hint still is the hint
        let base = self.eval(receiver);
        if base.server { base } else { Amount::unknown() }
    }

    /// `hint.unwrap_or(own)`, `checked.unwrap_or(MAX)`.
    fn fallback(&mut self, name: &str, receiver: ExprId, arg: Option<ExprId>) -> Amount {
        let val = self.eval(receiver);
        let Some(arg) = arg else { return val };
        let other = if name == "unwrap_or_else" { self.apply(arg, &[]) } else { self.eval(arg) };
        let checked = match &self.cx.body.expr(receiver).kind {
            ExprKind::Method(inner) => inner.name.starts_with("checked_") || inner.name == "try_into",
            _ => false,
        };
        // the fallback of a checked operation is its limit, not a second answer
        if checked {
            return val.min(&other).with_raw(val.raw);
        }
        if val.unknown && !val.server {
            return Amount::unknown();
        }
        val.or(&other)
    }
}

impl Amount {
    fn with_raw(mut self, raw: f64) -> Self {
        self.raw = raw;
        self
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

fn power(base: &Amount, exponent: &Amount) -> Amount {
    let mut made = base.mul(exponent);
    made.lo = base.lo.powf(exponent.lo);
    made.hi = base.hi.powf(exponent.hi);
    made.raw = base.raw.powf(exponent.raw);
    made.cap = match exponent.cap {
        Cap::Known(cap) => Cap::Known(base.hi.powf(cap)),
        cap => cap,
    };
    made
}

fn drawn_by(role: &Role, base: &Amount) -> Amount {
    match role {
        Role::Random { gives: RandomGives::UpToArg, .. } => {
            Amount { lo: 0.0, drawn: Some(Drawn::Range), ..*base }
        }
        _ => Amount {
            lo: base.lo * 0.5,
            hi: base.hi * 1.5,
            raw: base.raw * 1.5,
            drawn: Some(Drawn::Scaled),
            sized: false,
            ..*base
        },
    }
}

/// The element of a table at an index, or any of them.
pub(crate) fn pick(table: &[Amount], at: &Amount) -> Amount {
    let Some(last) = table.last() else { return Amount::unknown() };
    let chosen = match at.known() {
        Some(index) => table.get(index as usize).unwrap_or(last).clone(),
        None => table
            .iter()
            .skip(1)
            .fold(table.first().cloned().unwrap_or_else(Amount::unknown), |all, it| all.or(it)),
    };
    Amount { table: true, moves: true, ..chosen }
}

/// The largest value of a numeric type; a `Duration`'s is 2^64 seconds.
pub(crate) fn largest_of(ty: &str) -> Option<f64> {
    Some(match ty {
        "u8" => f64::from(u8::MAX),
        "u16" => f64::from(u16::MAX),
        "u32" => f64::from(u32::MAX),
        "u64" | "usize" | "Duration" => u64::MAX as f64,
        "u128" => u128::MAX as f64,
        "i8" => f64::from(i8::MAX),
        "i16" => f64::from(i16::MAX),
        "i32" => f64::from(i32::MAX),
        "i64" | "isize" => i64::MAX as f64,
        "i128" => i128::MAX as f64,
        _ => return None,
    })
}
