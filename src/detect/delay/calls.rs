//! Calls in delay arithmetic: constructors of durations, closures, and functions of the crate, which are run on the amounts.
//! Functions are followed a limited number of calls deep; one that nobody knows gives an unknown amount.

use super::amount::{Amount, Drawn};
use super::arithmetic::power;
use super::choices::MOST_ANSWERS;
use super::eval::{Env, Eval, Key, MOST_CALLS};
use super::places::{MOST_ALIASES, MOST_NESTED};
use super::vocabulary::drawn_by;
use crate::body::{ExprId, ExprKind, PatId, PatKind};
use crate::detect::context::Callee;
use crate::detect::summary::{is_named_sleep, summary};
use crate::knowledge::{Role, says};
use crate::resolve::{ItemRef, Target};
use std::collections::BTreeMap;
use std::rc::Rc;

impl Eval<'_, '_> {
    pub(super) fn call(&mut self, id: ExprId) -> Amount {
        let args = self.cx.args(id);
        let name = self.cx.call_name(id);
        // `Timeout::new(3_000, || …)` is named as a duration is made
        if let Callee::Known(entry, _) = self.cx.callee(id)
            && matches!(entry.role, Role::Later { .. })
        {
            return self.known(id, &entry.role, None, args);
        }
        // before the names of durations' constructors: `ExponentialBackoff::from_millis(2)` is none
        if let Some(policy) = self.library_policy(id) {
            return policy;
        }
        let is_own_default = || {
            name == "default"
                && matches!(self.cx.callee(id), Callee::Own(item) if self.cx.inside(item).is_some())
        };
        if let Some(made) = self.duration_constructor(name, args).filter(|_| !is_own_default()) {
            return made;
        }
        if (matches!(name, "Some" | "Ok" | "Box" | "Reverse") || self.is_non_zero(id)) && args.len() == 1 {
            return args.first().map_or_else(Amount::unknown, |arg| self.eval(*arg));
        }
        if let Some(made) = self.constructed(id, name, args) {
            return made;
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
            Callee::Own(item) => self.once(id, |eval| eval.inline_function(item, args)),
            Callee::Closure(closure) => {
                let vals: Vec<Amount> = args.iter().map(|arg| self.eval(*arg)).collect();
                self.apply(closure, &vals)
            }
            // `u64::from(n)`, `f64::from(x)`, `u64::pow(2, n)`
            _ if matches!(name, "from" | "try_from" | "new") && args.len() == 1 => {
                args.first().map_or_else(Amount::unknown, |arg| match self.cx.body.expr(*arg).kind {
                    ExprKind::Closure { .. } => self.apply(*arg, &[]),
                    _ => self.eval(*arg),
                })
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

    /// `NonZeroU8::new(5)`.
    fn is_non_zero(&self, call: ExprId) -> bool {
        let ExprKind::Call(callee, _) = &self.cx.body.expr(call).kind else { return false };
        let ExprKind::Path(path) = &self.cx.body.expr(*callee).kind else { return false };
        path.last() == "new" && path.segments.iter().rev().nth(1).is_some_and(|ty| ty.starts_with("NonZero"))
    }

    /// A call that nobody knows: random where its name says so, else unknown.
    pub(super) fn by_name(&mut self, name: &str, args: &[ExprId]) -> Amount {
        // what is lent to who knows whom is no more what it was
        for place in args.iter().filter_map(|arg| self.cx.lent_place(*arg)) {
            if let Some(val) = self.key(place).and_then(|key| self.env.vars.get_mut(&key)) {
                *val = Amount { moves: true, ..Amount::unknown() };
            }
        }
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
    pub(super) fn apply(&mut self, callable: ExprId, vals: &[Amount]) -> Amount {
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
                        Some(Callee::Own(item)) => return self.inline_values(item, None, vals, &[]),
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

    /// A variant or tuple struct, with what it is given.
    fn constructed(&mut self, id: ExprId, name: &str, args: &[ExprId]) -> Option<Amount> {
        if name == "Err" {
            return Some(Amount::absent());
        }
        let ExprKind::Call(callee, _) = &self.cx.body.expr(id).kind else { return None };
        let ExprKind::Path(path) = &self.cx.body.expr(*callee).kind else { return None };
        let variant = match self.cx.krate.path(self.cx.at, &path.segments) {
            Target::Variant(_, variant) => variant,
            Target::Item(item) if self.cx.krate.struct_data(item).is_some() => String::new(),
            // `ControlFlow::Break(x)` of std
            Target::External(full) if full.iter().rev().nth(1).is_some_and(|it| it == "ControlFlow") => {
                name.to_owned()
            }
            _ => return None,
        };
        let fields = args.iter().enumerate().map(|(at, arg)| (at.to_string(), self.eval(*arg))).collect();
        Some(Amount::made_of(&variant, fields))
    }

    pub(super) fn inline(&mut self, item: ItemRef, receiver: Option<ExprId>, args: &[ExprId]) -> Amount {
        let vals: Vec<Amount> = args.iter().map(|arg| self.eval(*arg)).collect();
        self.inline_values(item, receiver, &vals, args)
    }

    /// A call by path: `Policy::next(&mut policy)` gives its receiver as an argument.
    fn inline_function(&mut self, item: ItemRef, args: &[ExprId]) -> Amount {
        let is_method = self.cx.inside(item).is_some_and(|inner| inner.body.receiver.is_some());
        match args.split_first() {
            Some((receiver, rest)) if is_method => self.inline(item, Some(*receiver), rest),
            _ => self.inline(item, None, args),
        }
    }

    /// Evaluates a function of the crate on these arguments; what it does to its `self` and to what it is lent stays.
    fn inline_values(
        &mut self,
        item: ItemRef,
        receiver: Option<ExprId>,
        given: &[Amount],
        args: &[ExprId],
    ) -> Amount {
        if self.depth >= MOST_CALLS || item == self.cx.at && self.depth > 0 {
            return Amount::unknown();
        }
        let declared = self.cx.krate.item(item).map_or("", |item| item.name.as_str());
        // a runtime's sleeper waits as it is told, whatever runtime it is
        let sleeper = self.cx.inside(item).is_none() && is_named_sleep(self.cx.words(), declared);
        let item = if sleeper { item } else { self.implementation(item) };
        let Some(inner) = self.cx.inside(item) else {
            let name = declared;
            if is_named_sleep(self.cx.words(), name)
                && let Some(wait) = given.first()
            {
                // in what unit, only its body would tell
                self.env.vars.insert(Key::Waited, Amount { sized: false, ..wait.clone() });
            }
            return self.by_name(name, &[]);
        };
        let (prefix, told) = self.prefix_for(receiver);
        let mut aliases = BTreeMap::new();
        let mut lent = Vec::new();
        for ((param, arg), val) in inner.body.params.iter().zip(args).zip(given) {
            let Some(local) = Eval::new(&inner, Env::default()).named_param(param.pat) else { continue };
            if let Some(place) = self.place(*arg, MOST_ALIASES) {
                self.unfold(&place, val, MOST_NESTED);
                aliases.insert(local, place);
            }
            // a variable that may itself be lent is handed on; what the callee owns is its own
            let handed = matches!(self.cx.body.expr(*arg).kind, ExprKind::Ref(_))
                || !matches!(inner.body.pat(local).kind, PatKind::Bind { mutable: true, .. });
            if let Some(key) = self.key(*arg).filter(|_| handed) {
                lent.push((local, key));
            }
        }
        // what the caller has waited so far is none of the callee's
        let before = self.env.vars.remove(&Key::Waited);
        let env = Env {
            vars: self.shared(),
            overflow: None,
            moving: self.env.moving.clone(),
            steps: self.env.steps.clone(),
            most: self.env.most,
            choices: self.env.choices.clone(),
            receivers: Rc::clone(&self.env.receivers),
            ..Env::default()
        };
        let mut eval = Eval { env, prefix, told, aliases, ..self.elsewhere(&inner) };
        for (param, val) in inner.body.params.iter().zip(given) {
            eval.bind_param(param.pat, val);
        }
        if receiver.is_some() {
            eval.expect_steps();
        }
        let mut val = eval.run();
        let name = self.cx.krate.item(item).map_or("", |item| item.name.as_str());
        let waiting = summary(self.cx, item);
        if waiting.is_wait {
            eval.wait_as_given(given);
        } else if self.depth > 0 && waiting.wait.is_some() && self.waits_itself() {
            // beside a wait of its own, what a function waits inside another is that one's operation
            eval.env.vars.remove(&Key::Waited);
        }
        // a home-grown generator: how it draws, its bits tell nobody
        let unread = val.unknown || !val.sized && !name.contains("jitter");
        if val.drawn.is_none() && unread && says(&self.cx.words().random, name) {
            val = match given.first() {
                // `rand_below(bound)`, `random(d)`: from nothing to what it is given; `jitter(d)`: who knows
                Some(bound) if !name.contains("jitter") => Amount::between(&Amount::exact(0.0), bound),
                Some(base) => Amount { drawn: Some(Drawn::Somehow), sized: false, ..base.clone() },
                None => Amount::somehow(),
            };
        }
        // how a server's hint is parsed, and what stands in for one that cannot be, is no policy of ours
        if (val.unknown || !val.moves && val.drawn.is_none()) && says(&self.cx.words().hint, name) {
            val = Amount::hint();
        }
        if self.env.overflow.is_none() {
            self.env.overflow = eval.env.overflow;
        }
        for (local, key) in lent {
            if let Some(val) = eval.env.vars.get(&Key::Local(local)) {
                self.env.vars.insert(key, val.clone());
            }
        }
        let own = format!("{}#", self.depth + 1);
        for (key, val) in eval.env.vars {
            // its own variables end with it
            let ends =
                matches!(&key, Key::Local(_)) || matches!(&key, Key::Field(name) if name.starts_with(&own));
            if !ends {
                self.env.vars.insert(key, val);
            }
        }
        self.env.moving = eval.env.moving;
        if let Some(before) = before {
            let sum = self.env.vars.get(&Key::Waited).map_or(before.clone(), |waited| before.add(waited));
            self.env.vars.insert(Key::Waited, sum);
        }
        val
    }

    /// Whether the body at hand has a wait of its own.
    fn waits_itself(&self) -> bool {
        self.cx.body.exprs().any(|(id, _)| match self.cx.callee(id) {
            Callee::Known(entry, _) => matches!(entry.role, Role::Wait { event: false, .. }),
            Callee::Own(item) => summary(self.cx, item).is_wait,
            _ => false,
        })
    }

    /// A function that waits, by a loop of small sleeps or in a way that nobody can follow: as long as it was told.
    fn wait_as_given(&mut self, given: &[Amount]) {
        // how long one of many small sleeps is says nothing
        let in_slices =
            summary(self.cx, self.cx.at).wait.is_some_and(|wait| self.cx.loop_around(wait).is_some());
        let plain = |waited: &Amount| in_slices && waited.drawn.is_none();
        if self.env.vars.get(&Key::Waited).is_some_and(|waited| !waited.unknown && !plain(waited)) {
            return;
        }
        let mut told = self.cx.body.params.iter().zip(given).filter(|(param, val)| {
            !val.unknown && param.ty.as_ref().is_some_and(|ty| matches!(ty.name(), "Duration" | "TimeDelta"))
        });
        if let (Some((_, only)), None) = (told.next(), told.next()) {
            self.env.vars.insert(Key::Waited, only.clone());
        }
    }

    /// The body behind a trait's method: the only one, or the one that is tried now.
    fn implementation(&self, item: ItemRef) -> ItemRef {
        if self.cx.inside(item).is_some() {
            return item;
        }
        let bodies = self.cx.krate.implementations(item);
        match bodies.len() {
            0 => item,
            1 => bodies.first().copied().unwrap_or(item),
            many if many <= MOST_ANSWERS => {
                let taken = self.env.choices.answer(&format!("{item:?}"), many);
                bodies.get(taken).copied().unwrap_or(item)
            }
            _ => item,
        }
    }

    /// One call in the body at hand is one step, however often its value is asked for on a trip.
    pub(super) fn once(&mut self, id: ExprId, call: impl FnOnce(&mut Self) -> Amount) -> Amount {
        self.once_known(id, |eval| Some(call(eval))).unwrap_or_else(Amount::unknown)
    }

    pub(super) fn once_known(
        &mut self,
        id: ExprId,
        call: impl FnOnce(&mut Self) -> Option<Amount>,
    ) -> Option<Amount> {
        if let Some(known) = self.env.stepped.get(&id).filter(|_| self.depth == 0) {
            return Some(known.clone());
        }
        let val = call(self)?;
        if self.depth == 0 {
            self.env.stepped.insert(id, val.clone());
        }
        Some(val)
    }

    /// What `self` of a method that is called is called here, and whether the server told it; the fields of a struct that was made here are written down.
    fn prefix_for(&mut self, receiver: Option<ExprId>) -> (String, bool) {
        let Some(receiver) = receiver else { return ("self".to_owned(), false) };
        let Some(place) = self.place(receiver, MOST_ALIASES) else {
            return (format!("{}#?", self.depth), false);
        };
        let val = self.eval(receiver);
        self.unfold(&place, &val, MOST_NESTED);
        self.env.receivers.borrow_mut().entry(place.clone()).or_insert((self.cx.at, receiver));
        (place, val.server)
    }

    fn bind_param(&mut self, pat: PatId, val: &Amount) {
        let alias =
            self.named_param(pat).and_then(|local| self.aliases.get(&local).map(|it| (local, it.clone())));
        self.bind(pat, val);
        if let Some((local, place)) = alias {
            self.aliases.insert(local, place);
        }
    }

    /// Fields that this body steps change from one call to the next, also before they first do.
    pub(crate) fn expect_steps(&mut self) {
        for key in self.stepped_fields() {
            if let Some(val) = self.env.vars.get_mut(&key) {
                val.moves = true;
            }
            if !self.env.moving.contains(&key) {
                self.env.moving.push(key);
            }
        }
    }
}
