//! What is known of a function's parameters while a policy is followed through it: the numbers and policies that its caller gives.
//! It only evaluates; what a policy is, and where it comes from, is `origin`'s business.

use super::origin::Followed;
use crate::body::{ExprId, Local};
use crate::detect::context::Context;
use crate::detect::delay::{Amount, Env, Eval, Key};
use crate::resolve::ItemRef;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::rc::Rc;

/// Functions are followed into each other this deep.
const MOST_CALLS: u32 = 5;
/// Expressions are followed into each other this deep, over all functions.
const MOST_DEPTH: u32 = 120;
/// Expressions that are followed for one policy.
const MOST_STEPS: u32 = 2_000;

/// A value that a function is given.
#[derive(Clone, Debug)]
pub(super) struct Value<'a> {
    pub(super) amount: Amount,
    pub(super) policy: Option<Followed<'a>>,
}

/// One body, and what it is given.
#[derive(Clone)]
pub(super) struct Scope<'c, 'a> {
    pub(super) cx: &'c Context<'a>,
    pub(super) given: BTreeMap<Local, Value<'a>>,
    pub(super) receiver: Option<Value<'a>>,
    /// What a field holds before it is changed in place.
    pub(super) field: Option<(String, Followed<'a>)>,
    left: u32,
    steps: Rc<Cell<u32>>,
    depth: Rc<Cell<u32>>,
    known: Rc<Known<'a>>,
}

/// What was found where nothing is given: many ways lead through the same functions.
#[derive(Default)]
struct Known<'a> {
    policies: RefCell<HashMap<(ItemRef, ExprId, u32), Option<Followed<'a>>>>,
    amounts: RefCell<HashMap<(ItemRef, ExprId), Amount>>,
}

impl<'c, 'a> Scope<'c, 'a> {
    /// A body of which nobody says what it is given.
    pub(super) fn of(cx: &'c Context<'a>) -> Self {
        Self {
            cx,
            given: BTreeMap::new(),
            receiver: None,
            field: None,
            left: MOST_CALLS,
            steps: Rc::new(Cell::new(MOST_STEPS)),
            depth: Rc::new(Cell::new(0)),
            known: Rc::default(),
        }
    }

    /// Another body, one call deeper, in which nothing is known; `None` where the calls are used up.
    pub(super) fn deeper<'i>(&self, cx: &'i Context<'a>) -> Option<Scope<'i, 'a>> {
        Some(Scope {
            cx,
            given: BTreeMap::new(),
            receiver: None,
            field: None,
            left: self.left.checked_sub(1)?,
            steps: Rc::clone(&self.steps),
            depth: Rc::clone(&self.depth),
            known: Rc::clone(&self.known),
        })
    }

    /// The same body with a variable that holds a value.
    pub(super) fn with(&self, local: Local, value: Value<'a>) -> Self {
        let mut scope = self.clone();
        scope.given.insert(local, value);
        scope
    }

    /// The policy that an expression gives, found by a step one deeper; `None` where no step or depth is left.
    pub(super) fn step(
        &self,
        id: ExprId,
        find: impl FnOnce() -> Option<Followed<'a>>,
    ) -> Option<Followed<'a>> {
        if !self.is_blank() {
            return self.deep(find);
        }
        once(&self.known.policies, (self.cx.at, id, self.left), || self.deep(find))
    }

    /// Whether nothing is known of what the body is given.
    fn is_blank(&self) -> bool {
        self.given.is_empty() && self.receiver.is_none() && self.field.is_none()
    }

    fn deep<T>(&self, go: impl FnOnce() -> Option<T>) -> Option<T> {
        self.steps.set(self.steps.get().checked_sub(1)?);
        let depth = self.depth.get();
        if depth >= MOST_DEPTH {
            return None;
        }
        self.depth.set(depth + 1);
        let found = go();
        self.depth.set(depth);
        found
    }

    /// What an expression is as a number, or as a struct of numbers.
    pub(super) fn amount(&self, id: ExprId) -> Amount {
        let count = || Eval::new(self.cx, Env { vars: self.vars(), ..Env::default() }).eval(id);
        if !self.is_blank() {
            return count();
        }
        once(&self.known.amounts, (self.cx.at, id), count)
    }

    /// Whether a condition holds, where what is given decides it.
    pub(super) fn truth(&self, cond: ExprId) -> Option<bool> {
        if self.given.is_empty() {
            return None;
        }
        Eval::new(self.cx, Env { vars: self.vars(), ..Env::default() }).truth(cond)
    }

    /// The numbers that are given, by the variables and fields that hold them.
    pub(super) fn vars(&self) -> BTreeMap<Key, Amount> {
        let known = |value: &Value<'_>| {
            !value.amount.unknown || value.amount.absent || !value.amount.forms.is_empty()
        };
        let mut vars: BTreeMap<Key, Amount> = self
            .given
            .iter()
            .filter(|(_, value)| known(value))
            .map(|(local, value)| (Key::Local(*local), value.amount.clone()))
            .collect();
        if let Some([form]) = self.receiver.as_ref().map(|value| value.amount.forms.as_slice()) {
            let fields =
                form.fields.iter().map(|(name, value)| (Key::Field(format!("self.{name}")), value.clone()));
            vars.extend(fields);
        }
        vars
    }
}

/// What was found before, or is found now; nothing is borrowed while it is.
fn once<K: Eq + Hash, V: Clone>(known: &RefCell<HashMap<K, V>>, key: K, find: impl FnOnce() -> V) -> V {
    if let Some(known) = known.borrow().get(&key) {
        return known.clone();
    }
    let found = find();
    known.borrow_mut().insert(key, found.clone());
    found
}
