//! Calls in delay arithmetic: constructors of durations, closures, and functions of the crate, which are run on the amounts.
//! Functions are followed a limited number of calls deep; one that nobody knows gives an unknown amount.

use super::amount::{Amount, Drawn};
use super::arithmetic::power;
use super::eval::{Env, Eval, Key, MOST_CALLS};
use super::vocabulary::drawn_by;
use crate::body::{ExprId, ExprKind};
use crate::detect::context::Callee;
use crate::detect::summary::is_named_sleep;
use crate::knowledge::{Role, says};
use crate::resolve::ItemRef;
use std::collections::BTreeMap;

impl Eval<'_, '_> {
    pub(super) fn call(&mut self, id: ExprId) -> Amount {
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
    pub(super) fn by_name(&mut self, name: &str, args: &[ExprId]) -> Amount {
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

    pub(super) fn inline(&mut self, item: ItemRef, receiver: Option<ExprId>, args: &[ExprId]) -> Amount {
        let vals: Vec<Amount> = args.iter().map(|arg| self.eval(*arg)).collect();
        self.inline_values(item, receiver, &vals)
    }

    /// Evaluates a function of the crate on these arguments; what it does to its `self` stays.
    fn inline_values(&mut self, item: ItemRef, receiver: Option<ExprId>, given: &[Amount]) -> Amount {
        if self.depth >= MOST_CALLS || item == self.cx.at && self.depth > 0 {
            return Amount::unknown();
        }
        let Some(inner) = self.cx.inside(item) else {
            let name = self.cx.krate.item(item).map_or("", |item| item.name.as_str());
            if is_named_sleep(self.cx.words(), name)
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
                Some(Key::Waited | Key::Len(_)) | None => self.prefix.clone(),
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
        if val.unknown && says(&self.cx.words().hint, name) {
            val = Amount::hint();
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
}
