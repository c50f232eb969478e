//! Evaluates delay arithmetic at one attempt: expressions and the variables that they read and change, in intervals.
//! It executes nothing else, and each evaluation has a budget of steps. Branches, calls, methods and tables have files of their own.

use super::amount::Amount;
use super::arithmetic::{largest_of, undone};
use super::choices::Choices;
use super::places::MOST_NESTED;
use crate::body::{ExprId, ExprKind, Lit, Local, PatKind, Stmt, Ty, UnOp};
use crate::detect::context::Context;
use crate::knowledge::says;
use crate::model::{Evidence, Overflow};
use crate::resolve::{ItemRef, Target, peeled};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A variable: a local of the body at hand, or a field by its path (`self.backoff.current`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    Local(Local),
    Field(String),
    /// What was waited so far.
    Waited,
    /// How many a list holds that each failure is added to.
    Len(Local),
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
    /// Steps taken so far, on all trips.
    pub(crate) steps: Rc<Cell<u32>>,
    /// Steps at which the expression at hand is given up; `None`: those of the whole replay.
    pub(crate) most: Option<u32>,
    /// What a configuration decides once.
    pub(crate) choices: Choices,
    /// What methods were called on, by the place: where the replay does not begin with a policy, its makers tell its kind.
    pub(crate) receivers: Rc<RefCell<BTreeMap<String, (ItemRef, ExprId)>>>,
    /// What a field is set to where it is made is not what it is when the loop runs: somebody sets it to something else.
    pub(crate) settings_are_open: bool,
    /// A loop is replayed, and nobody follows a policy yet who would come back here.
    pub(crate) may_follow: bool,
    /// Calls of this trip that stepped something, and what they gave: one call is one step.
    pub(crate) stepped: BTreeMap<ExprId, Amount>,
    /// The body at hand was left while this expression was evaluated: `match attempt { 1 => 5, _ => return Err(..) }`.
    pub(crate) left: bool,
    /// A trip was ruled out by the state that another one leaves behind: `match state { State::Wait(n) => … }`.
    pub(crate) by_state: Rc<Cell<bool>>,
    /// How often in a row each expression of the loop told nothing and changed nothing, on any of the trips.
    pub(crate) silent: Rc<RefCell<BTreeMap<ExprId, u8>>>,
}

impl Env {
    /// Whether the steps of the replay are used up.
    pub(super) fn is_spent(&self) -> bool {
        self.steps.get() > MOST_STEPS
    }
}

/// Steps for all attempts of one replay.
const MOST_STEPS: u32 = 40_000;
/// A function that is called from more places tells nothing by its callers.
const MOST_GIVERS: usize = 8;
/// Functions are followed into each other this deep.
pub(super) const MOST_CALLS: u32 = 5;

/// Evaluates expressions of one body.
pub(crate) struct Eval<'c, 'a> {
    pub(crate) cx: &'c Context<'a>,
    pub(crate) env: Env,
    /// What `self` is called by the caller: `self`, `self.backoff`, `retry`.
    pub(super) prefix: String,
    /// The server told what `self` is.
    pub(super) told: bool,
    /// Iterators that a `for` goes over without a name, and what the place is called in which they keep their state.
    pub(super) iterated: BTreeMap<ExprId, String>,
    pub(super) returned: Option<Amount>,
    /// What was waited on branches that returned.
    pub(super) waited_and_left: Option<Amount>,
    pub(super) depth: u32,
    /// Names that stand for a place: parameters given by reference, names in a pattern over a place.
    pub(super) aliases: BTreeMap<Local, String>,
}

impl<'c, 'a> Eval<'c, 'a> {
    pub(crate) fn new(cx: &'c Context<'a>, env: Env) -> Self {
        Self {
            cx,
            env,
            prefix: "self".to_owned(),
            told: false,
            iterated: BTreeMap::new(),
            returned: None,
            waited_and_left: None,
            depth: 0,
            aliases: BTreeMap::new(),
        }
    }

    /// Evaluates in another body, one call deeper, with nothing known of its variables.
    pub(super) fn elsewhere<'i>(&self, cx: &'i Context<'a>) -> Eval<'i, 'a> {
        Eval { depth: self.depth + 1, ..Eval::new(cx, Env::default()) }
    }

    /// The value of the whole body, early returns included.
    pub(crate) fn run(&mut self) -> Amount {
        let root = self.cx.body.root;
        let val = self.eval(root);
        // a body that ends in a statement has given what it returned; an early return beside a value is one of two answers
        if let Some(left) = self.waited_and_left.take() {
            let waited = self.env.vars.get(&Key::Waited).map_or(left.clone(), |stayed| stayed.or(&left));
            self.env.vars.insert(Key::Waited, waited);
        }
        let gives = !matches!(&self.cx.body.expr(root).kind, ExprKind::Block(block) if block.tail.is_none());
        match self.returned.take() {
            Some(returned) if gives => returned.or(&val),
            Some(returned) => returned,
            None => val,
        }
    }

    /// Carries out a step of a field of `self` that is written elsewhere, whatever the value is called there.
    pub(crate) fn step_elsewhere(&mut self, inner: &Context<'a>, step: ExprId, field: &str) {
        let (ExprKind::Assign(place, _) | ExprKind::AssignOp(_, place, _)) = &inner.body.expr(step).kind
        else {
            return;
        };
        let here = Key::Field(format!("self.{field}"));
        let mut eval = self.elsewhere(inner);
        let Some(there) = eval.key(*place) else { return };
        if let Some(val) = self.env.vars.get(&here) {
            eval.env.vars.insert(there.clone(), val.clone());
        }
        eval.eval(step);
        self.env.vars.extend(eval.env.vars.remove(&there).map(|val| (here, val)));
    }

    /// Takes a step; false where none is left.
    pub(super) fn step(&self) -> bool {
        self.env.steps.set(self.env.steps.get() + 1);
        self.env.steps.get() <= self.env.most.unwrap_or(MOST_STEPS).min(MOST_STEPS)
    }

    /// Evaluates an expression.
    pub(crate) fn eval(&mut self, id: ExprId) -> Amount {
        if !self.step() {
            return Amount::unknown();
        }
        let body = self.cx.body;
        if let Some(whole) = undone(self.cx, id) {
            return self.eval(whole);
        }
        match &body.expr(id).kind {
            ExprKind::Lit(Lit::Int(value, _)) => Amount::exact(*value as f64),
            ExprKind::Lit(Lit::Float(value, _)) => Amount::exact(*value),
            ExprKind::Lit(Lit::Bool(flag)) => Amount::exact(f64::from(*flag)),
            ExprKind::Unary(UnOp::Not, inner) => {
                self.truth(*inner).map_or_else(Amount::unknown, |flag| Amount::exact(f64::from(!flag)))
            }
            ExprKind::Path(path) => self.path(id, &path.segments),
            ExprKind::Unary(UnOp::Neg, inner) => {
                let inner = self.eval(*inner);
                Amount { lo: -inner.hi, hi: -inner.lo, raw: -inner.lo, ..inner }
            }
            // whoever goes on behind it has one
            ExprKind::Try(inner) => Amount { optional: false, ..self.eval(*inner) },
            ExprKind::Unary(_, inner) | ExprKind::Ref(inner) | ExprKind::Await(inner) => self.eval(*inner),
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
                let mut val = self.binary(id, *op, *left, *right);
                // `next += period` from where it stood: a period later than the last one
                if val.ahead().is_some() {
                    val = Amount::from_now(self.eval(*right));
                }
                self.store(*left, val.clone());
                val
            }
            ExprKind::Call(..) => self.call(id),
            ExprKind::Method(call) => self.method(id, call),
            ExprKind::Array(items) => match items.as_slice() {
                [only] => self.eval(*only),
                _ => Amount::unknown(),
            },
            ExprKind::Tuple(items) => self.tuple(items),
            ExprKind::Struct(lit) => self.literal(lit),
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

    fn path(&mut self, id: ExprId, segments: &[String]) -> Amount {
        if let Some(local) = self.cx.body.local(id) {
            let val = self.local(local);
            // `retry_after` that a reply's headers gave, however they were read
            let told = val.unknown
                && !val.server
                && (says(&self.cx.words().hint, self.local_name(local)) || self.is_taken_from_hint(local));
            return if told { Amount::hint() } else { val };
        }
        let last = segments.last().map_or("", String::as_str);
        if last == "self" {
            let held = self.env.vars.get(&Key::Field(self.prefix.clone()));
            return held.map_or_else(Amount::unknown, |val| self.gathered(&self.prefix, val, MOST_NESTED));
        }
        match self.cx.krate.path(self.cx.at, segments) {
            Target::Item(item) => return self.constant(item),
            Target::Variant(_, name) => return Amount::made_of(&name, Vec::new()),
            _ => {}
        }
        match last {
            "None" => Amount::absent(),
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
            return self.gathered(&format!("{}#{}", self.depth, local.0), val, MOST_NESTED);
        }
        if let Some(place) = self.aliases.get(&local) {
            let key = Key::Field(place.clone());
            let symbol = || Amount { moves: self.env.moving.contains(&key), ..Amount::symbol() };
            return self.env.vars.get(&key).cloned().unwrap_or_else(symbol);
        }
        let moving = self.env.moving.contains(&key);
        if let Some(init) = self.cx.init(local) {
            // its own value must not be asked for while it is made
            self.env.vars.insert(key.clone(), Amount::symbol());
            let mut val = self.eval(init);
            val.moves |= moving;
            self.env.vars.insert(key, val.clone());
            return val;
        }
        let Some(param) = self.cx.body.param(local) else {
            return Amount { moves: moving, unknown: !self.is_closure_param(local), ..Amount::symbol() };
        };
        match self.given_alike(param).filter(|_| !moving) {
            Some(val) => {
                self.env.vars.insert(key, val.clone());
                val
            }
            None => Amount { moves: moving, ..Amount::symbol() },
        }
    }

    /// The one number that all who can call the function in which the loop stands give it for a parameter.
    fn given_alike(&self, param: usize) -> Option<Amount> {
        // what all give today the parameter was not made for
        let open = self.env.settings_are_open;
        if open || self.depth > 0 || !self.env.may_follow || !self.cx.krate.is_internal(self.cx.at) {
            return None;
        }
        // how often is a number; a delay that is given says less than what is made of it
        let ty = self.cx.body.params.get(param).and_then(|it| it.ty.as_ref())?;
        if !matches!(ty.name(), "u8" | "u16" | "u32" | "u64" | "usize" | "i32" | "i64" | "isize") {
            return None;
        }
        let given = self.cx.given(param)?;
        if given.len() > MOST_GIVERS {
            return None;
        }
        let mut found: Option<Amount> = None;
        for (caller, arg) in &given {
            // a setting is what others choose, whatever it begins with
            let arg = caller.behind_name(*arg);
            let is_open = |id| match &caller.body.expr(id).kind {
                ExprKind::Field(..) | ExprKind::Call(..) | ExprKind::Method(_) | ExprKind::Macro(_) => true,
                _ => caller.body.local(id).is_some(),
            };
            if caller.body.any(arg, is_open) {
                return None;
            }
            let val = self.elsewhere(caller).eval(arg);
            let number = val.known().filter(|_| val.sized && val.drawn.is_none())?;
            if found.as_ref().is_some_and(|it| it.known() != Some(number)) {
                return None;
            }
            found = Some(Amount { moves: false, ..val });
        }
        found
    }

    fn local_name(&self, local: Local) -> &str {
        match &self.cx.body.pat(local).kind {
            PatKind::Bind { name, .. } => name,
            _ => "",
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
        if self.told
            && matches!(&self.cx.body.expr(base).kind, ExprKind::Path(path) if path.single() == Some("self"))
        {
            return Amount::hint();
        }
        if let Some(key) = self.key(id) {
            if let Some(val) = self.env.vars.get(&key) {
                return val.clone();
            }
            let moves = self.env.moving.contains(&key);
            let whole = self.eval(base);
            let val = match whole.forms.as_slice() {
                [_] => whole.part_of_any(name),
                _ => None,
            };
            let val = val.unwrap_or_else(|| self.field_of_type(base, name));
            let val = if moves { Amount { moves: true, ..val } } else { val };
            self.env.vars.insert(key, val.clone());
            return val;
        }
        let inner = self.eval(base);
        if let Some(part) = inner.part_of_any(name) {
            return part;
        }
        if inner.unknown { Amount::unknown() } else { Amount { sized: false, ..inner } }
    }

    fn field_of_type(&mut self, base: ExprId, name: &str) -> Amount {
        if self.depth < MOST_CALLS
            && let Some(ty) = self.cx.krate.type_of(self.cx.at, self.cx.body, base)
            && (!self.env.settings_are_open || self.cx.krate.is_fixed_field(peeled(&ty), name))
            && let Some((item, value)) = self.cx.field_value(peeled(&ty), name)
            && let Some(inner) = self.cx.inside(item)
        {
            let mut eval = self.elsewhere(&inner);
            let val = eval.eval(value);
            // a policy is no number, but its parts are known
            if (!val.unknown || !val.forms.is_empty()) && val.drawn.is_none() {
                return Amount { moves: false, ..val };
            }
        }
        Amount::symbol()
    }
}
