//! Variables, fields and patterns of delay arithmetic: where a value is kept, under what name a callee finds it, how a pattern takes it apart.
//! A place is named by its root in the function that the replay began with, so that a method steps its caller's state.

use super::amount::Amount;
use super::eval::{Eval, Key};
use super::parts::Form;
use crate::body::{ExprId, ExprKind, Local, PatId, PatKind, Path, UnOp};
use std::collections::BTreeMap;

/// Names that stand for each other, followed this far.
pub(super) const MOST_ALIASES: u32 = 6;
/// Structs inside structs.
pub(super) const MOST_NESTED: u32 = 4;

impl Eval<'_, '_> {
    /// The variable that an expression names.
    pub(crate) fn key(&self, id: ExprId) -> Option<Key> {
        if let Some(local) = self.cx.body.local(id) {
            let key = Key::Local(local);
            return match self.aliases.get(&local) {
                Some(place) if !self.env.vars.contains_key(&key) => Some(Key::Field(place.clone())),
                _ => Some(key),
            };
        }
        if let ExprKind::Unary(UnOp::Deref, inner) | ExprKind::Ref(inner) = &self.cx.body.expr(id).kind {
            return self.key(*inner);
        }
        if !matches!(self.cx.body.expr(id).kind, ExprKind::Field(..)) {
            return None;
        }
        self.place(id, MOST_ALIASES).map(Key::Field)
    }

    /// The name of the place that an expression stands for, through references, guards and the like.
    pub(super) fn place(&self, id: ExprId, left: u32) -> Option<String> {
        let left = left.checked_sub(1)?;
        let body = self.cx.body;
        if let Some(name) = self.iterated.get(&id) {
            return Some(name.clone());
        }
        if let Some(local) = body.local(id) {
            if let Some(alias) = self.aliases.get(&local) {
                return Some(alias.clone());
            }
            let behind = self.cx.init(local).filter(|init| self.only_refers(*init));
            let behind = behind.and_then(|init| self.place(init, left));
            return Some(behind.unwrap_or_else(|| format!("{}#{}", self.depth, local.0)));
        }
        match &body.expr(id).kind {
            ExprKind::Path(path) if path.single() == Some("self") => Some(self.prefix.clone()),
            ExprKind::Field(base, name) => Some(format!("{}.{name}", self.place(*base, MOST_ALIASES)?)),
            ExprKind::Ref(inner)
            | ExprKind::Unary(UnOp::Deref, inner)
            | ExprKind::Try(inner)
            | ExprKind::Await(inner) => self.place(*inner, left),
            ExprKind::Method(call) if call.args.is_empty() && sees_through(&call.name) => {
                self.place(call.receiver, left)
            }
            _ => None,
        }
    }

    /// Whether a value is no copy but a reference or guard: `&mut self.backoff`, `policy.lock().unwrap()`.
    fn only_refers(&self, id: ExprId) -> bool {
        match &self.cx.body.expr(id).kind {
            ExprKind::Ref(inner) => self.place(*inner, MOST_ALIASES).is_some(),
            ExprKind::Try(inner) | ExprKind::Await(inner) => self.only_refers(*inner),
            ExprKind::Method(call) => {
                call.args.is_empty()
                    && sees_through(&call.name)
                    && !matches!(call.name.as_str(), "clone" | "iter")
            }
            _ => false,
        }
    }

    /// Gives the names of a pattern what they stand for in a value.
    pub(crate) fn bind(&mut self, pat: PatId, val: &Amount) {
        let body = self.cx.body;
        match &body.pat(pat).kind {
            PatKind::Bind { sub, .. } => {
                let local = body.local_of(pat);
                self.aliases.remove(&local);
                self.forget(&format!("{}#{}", self.depth, local.0));
                self.env.vars.insert(Key::Local(local), val.clone());
                if let Some(sub) = sub {
                    self.bind(*sub, val);
                }
            }
            PatKind::Tuple(subs) | PatKind::Slice(subs) => self.bind_parts("", numbered(subs), val),
            PatKind::TupleStruct(path, subs) => {
                let variant = if is_plain_wrapper(path) { "" } else { path.last() };
                self.bind_parts(variant, numbered(subs), val);
            }
            PatKind::Struct(path, fields) => {
                let named = fields.iter().map(|(name, sub)| (name.clone(), *sub)).collect();
                self.bind_parts(path.last(), named, val);
            }
            PatKind::Or(alternatives) => {
                for alternative in alternatives {
                    self.bind(*alternative, val);
                }
            }
            _ => {}
        }
    }

    fn bind_parts(&mut self, variant: &str, subs: Vec<(String, PatId)>, val: &Amount) {
        for (name, sub) in subs {
            let part = val.part(variant, &name).or_else(|| val.part("", &name)).cloned();
            self.bind(sub, &part.unwrap_or_else(|| val.clone()));
        }
    }

    /// Binds a pattern to a place: names in it are the place's own fields, and what is stored in them stays there.
    pub(super) fn bind_place(&mut self, pat: PatId, place: &str, val: &Amount) {
        let body = self.cx.body;
        let fields: Vec<(String, PatId)> = match &body.pat(pat).kind {
            PatKind::Bind { sub: None, .. } => {
                let local = body.local_of(pat);
                self.env.vars.remove(&Key::Local(local));
                self.aliases.insert(local, place.to_owned());
                return;
            }
            PatKind::TupleStruct(path, subs) if is_plain_wrapper(path) => {
                for sub in subs {
                    self.bind_place(*sub, place, val);
                }
                return;
            }
            PatKind::TupleStruct(_, subs) => numbered(subs),
            PatKind::Struct(_, fields) => fields.clone(),
            _ => return self.bind(pat, val),
        };
        self.unfold(place, val, MOST_NESTED);
        for (name, sub) in fields {
            let held = val.part(pattern_variant(&body.pat(pat).kind), &name).cloned();
            self.bind_place(sub, &format!("{place}.{name}"), &held.unwrap_or_else(Amount::symbol));
        }
    }

    /// Stores a value in a variable or field.
    pub(crate) fn store(&mut self, place: ExprId, mut val: Amount) {
        if let ExprKind::Tuple(places) = &self.cx.body.expr(place).kind {
            for (at, place) in places.iter().enumerate() {
                let part = val.part("", &at.to_string()).cloned().unwrap_or_else(Amount::unknown);
                self.store(*place, part);
            }
            return;
        }
        if let Some(key) = self.key(place) {
            let name = match &key {
                Key::Field(name) => name.clone(),
                Key::Local(local) => format!("{}#{}", self.depth, local.0),
                Key::Waited | Key::Len(_) => return,
            };
            self.forget(&name);
            val.moves = true;
            self.env.vars.insert(key, val);
        }
    }

    /// A place has a new value: what was known of its fields was the old one's.
    fn forget(&mut self, place: &str) {
        let below = format!("{place}.");
        self.env.vars.retain(|key, _| !matches!(key, Key::Field(name) if name.starts_with(&below)));
    }

    /// Writes a struct's fields down as places of their own, where nothing was stored in them since.
    pub(super) fn unfold(&mut self, place: &str, val: &Amount, left: u32) {
        let ([form], true) = (val.forms.as_slice(), left > 0) else { return };
        for (name, value) in &form.fields {
            let name = format!("{place}.{name}");
            self.unfold(&name, value, left - 1);
            let moves = self.env.moving.contains(&Key::Field(name.clone()));
            self.env
                .vars
                .entry(Key::Field(name))
                .or_insert_with(|| Amount { moves: value.moves || moves, ..value.clone() });
        }
    }

    /// The fields of a value, by the names that its own methods give them.
    pub(crate) fn fields_of_self(&mut self, val: &Amount) -> BTreeMap<Key, Amount> {
        let prefix = self.prefix.clone();
        self.unfold(&prefix, val, MOST_NESTED);
        let below = format!("{prefix}.");
        let own = |key: &Key| matches!(key, Key::Field(name) if name.starts_with(&below));
        self.env
            .vars
            .iter()
            .filter(|(key, _)| own(key))
            .map(|(key, val)| (key.clone(), val.clone()))
            .collect()
    }

    /// A struct as it is by now: what was stored in its fields since it was made is in it.
    pub(super) fn gathered(&self, place: &str, val: &Amount, left: u32) -> Amount {
        let ([form], true) = (val.forms.as_slice(), left > 0) else { return val.clone() };
        let fields = form.fields.iter().map(|(name, value)| {
            let below = format!("{place}.{name}");
            let now = self.env.vars.get(&Key::Field(below.clone())).unwrap_or(value);
            (name.clone(), self.gathered(&below, now, left - 1))
        });
        let form = Form { variant: form.variant.clone(), fields: fields.collect() };
        Amount { forms: vec![form], ..val.clone() }
    }

    /// The variables that a callee sees: state behind `self` and references, by the names that the callee gives it.
    pub(super) fn shared(&self) -> BTreeMap<Key, Amount> {
        self.env
            .vars
            .iter()
            .filter(|(key, _)| !matches!(key, Key::Local(_)))
            .map(|(key, val)| (key.clone(), val.clone()))
            .collect()
    }

    /// Fields of `self` that the body at hand changes: their first value is not their only one.
    pub(super) fn stepped_fields(&self) -> Vec<Key> {
        let mut keys = Vec::new();
        for (_, expr) in self.cx.body.exprs() {
            let place = match &expr.kind {
                ExprKind::Assign(left, _) | ExprKind::AssignOp(_, left, _) => *left,
                ExprKind::Call(_, args) => match args.as_slice() {
                    // `mem::replace(&mut self.delay, next)`
                    [first, _] if matches!(self.cx.body.expr(*first).kind, ExprKind::Ref(_)) => *first,
                    _ => continue,
                },
                _ => continue,
            };
            if let Some(key @ Key::Field(_)) = self.key(place)
                && !keys.contains(&key)
            {
                keys.push(key);
            }
        }
        keys
    }

    /// The local that stands for a parameter, where it is a plain name.
    pub(super) fn named_param(&self, pat: PatId) -> Option<Local> {
        matches!(self.cx.body.pat(pat).kind, PatKind::Bind { .. }).then(|| self.cx.body.local_of(pat))
    }
}

/// `Some(x)`, `Ok(x)`: the value inside is what counts.
pub(super) fn is_plain_wrapper(path: &Path) -> bool {
    matches!(path.last(), "Some" | "Ok" | "Ready")
}

fn pattern_variant(kind: &PatKind) -> &str {
    match kind {
        PatKind::TupleStruct(path, _) | PatKind::Struct(path, _) | PatKind::Path(path) => path.last(),
        _ => "",
    }
}

fn numbered(subs: &[PatId]) -> Vec<(String, PatId)> {
    subs.iter().enumerate().map(|(at, sub)| (at.to_string(), *sub)).collect()
}

/// Methods that give access to what they are called on.
fn sees_through(name: &str) -> bool {
    matches!(
        name,
        "as_ref"
            | "as_mut"
            | "as_deref"
            | "as_deref_mut"
            | "borrow"
            | "borrow_mut"
            | "by_ref"
            | "clone"
            | "deref"
            | "deref_mut"
            | "expect"
            | "get_mut"
            | "iter"
            | "load"
            | "lock"
            | "read"
            | "unwrap"
            | "write"
    )
}
