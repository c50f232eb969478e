//! The table of numeric methods that delays are computed with: std's own, on integers, floats and durations.
//! Other methods are the vocabulary's or the crate's; one that nobody knows gives an unknown amount.

use super::amount::{Amount, Drawn};
use super::arithmetic::power;
use super::eval::{Eval, Key};
use super::replay::MOST_ATTEMPTS;
use crate::body::{ExprId, ExprKind, MethodCall};
use crate::detect::context::Callee;
use crate::knowledge::says;
use crate::model::Overflow;

impl Eval<'_, '_> {
    /// A method by its name; the one table of numeric methods.
    // one table, in one place
    #[allow(clippy::too_many_lines)]
    pub(super) fn method(&mut self, id: ExprId, call: &MethodCall) -> Amount {
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
                match self.largest(receiver).filter(|_| name == "saturating_pow") {
                    // a small type's end is a cap that delays come to
                    Some(largest) if largest < f64::from(u32::MAX) => made.min(&Amount::exact(largest)),
                    _ => made,
                }
            }
            ("checked_shl" | "wrapping_shl" | "unbounded_shl" | "overflowing_shl", Some(arg)) => {
                let (l, r) = (self.eval(receiver), self.eval(arg));
                l.mul(&r.map(f64::exp2))
            }
            ("exp2", None) => self.eval(receiver).map(f64::exp2),
            ("exp" | "sqrt", None) => {
                self.eval(receiver).map(if name == "exp" { f64::exp } else { f64::sqrt })
            }
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
            ("subsec_millis" | "timestamp_subsec_millis", None) => self.below_a_second(receiver, 1e3),
            ("subsec_micros" | "timestamp_subsec_micros", None) => self.below_a_second(receiver, 1e6),
            ("subsec_nanos" | "timestamp_subsec_nanos" | "nanosecond", None) => {
                self.below_a_second(receiver, 1e9)
            }
            ("as_millis" | "num_milliseconds" | "whole_milliseconds", None) => {
                self.eval(receiver).map(|it| it * 1e3)
            }
            ("as_micros" | "num_microseconds" | "whole_microseconds", None) => {
                self.by_clock(receiver).map(|it| it * 1e6)
            }
            ("as_nanos" | "num_nanoseconds" | "whole_nanoseconds" | "timestamp_nanos", None) => {
                self.by_clock(receiver).map(|it| it * 1e9)
            }
            ("as_secs" | "as_secs_f64" | "as_secs_f32" | "num_seconds" | "seconds" | "secs", None) => {
                self.eval(receiver)
            }
            ("unwrap_or" | "unwrap_or_else" | "unwrap_or_default", _) => self.fallback(name, receiver, arg),
            ("fetch_add" | "fetch_sub", Some(arg)) if call.args.len() == 2 => {
                let (held, step) = (self.eval(receiver), self.eval(arg));
                let next = if name == "fetch_add" { held.add(&step) } else { held.sub(&step) };
                self.stepped_in_place(id, receiver, held, next)
            }
            ("store" | "swap", Some(arg)) if call.args.len() == 2 => {
                let (held, next) = (self.eval(receiver), self.eval(arg));
                self.stepped_in_place(id, receiver, held, next)
            }
            ("get_or_init" | "get_or_insert_with", Some(arg)) => {
                let held = self.eval(receiver);
                if held.unknown || held.absent { self.apply(arg, &[]) } else { held }
            }
            ("len", None) => match self.filled(receiver) {
                unknown if unknown.unknown => match self.table(receiver) {
                    Some(table) if !table.is_empty() => Amount::exact(table.len() as f64),
                    _ => unknown,
                },
                filled => filled,
            },
            ("fold", Some(first)) => match call.args.get(1) {
                Some(step) => self.fold(receiver, first, *step),
                None => Amount::unknown(),
            },
            ("map" | "and_then" | "with", Some(arg)) if self.is_callable(arg) => {
                let val = self.eval(receiver);
                self.mapped(&val, arg)
            }
            ("map_or" | "map_or_else", Some(arg)) => self.mapped_or(name, call, arg),
            (
                "unwrap" | "expect" | "into" | "try_into" | "clone" | "to_owned" | "copied" | "cloned"
                | "abs" | "round" | "floor" | "ceil" | "trunc" | "as_ref" | "get" | "await" | "ok" | "to_std"
                | "into_inner" | "load" | "borrow" | "deref" | "unsigned_abs" | "ok_or",
                _,
            ) if !(name == "get" && arg.is_some()) => self.eval(receiver),
            ("get", Some(index)) => self.entry(receiver, index),
            ("or", Some(other)) => self.otherwise(receiver, other),
            ("first" | "last", None) if let Some(end) = self.end_of(receiver, name) => end,
            ("milliseconds" | "millis" | "ms", None) => self.eval(receiver).map(|it| it * 1e-3),
            ("minutes", None) => self.eval(receiver).map(|it| it * 60.0),
            _ => match self.cx.callee(id) {
                Callee::Own(item) => self.once(id, |eval| eval.inline(item, Some(receiver), &call.args)),
                _ if let Some(val) = self.once_known(id, |eval| eval.of_policy(call)) => val,
                _ if let Some(val) = self.once_known(id, |eval| eval.next_item(call)) => val,
                _ if let Some(val) = self.adapted(call) => val,
                Callee::Known(entry, _) => self.known(id, &entry.role, Some(receiver), &call.args),
                _ => self.unknown_method(name, receiver, &call.args),
            },
        }
    }

    /// The clock in steps so fine that no two processes read the same: what is left of it over a division is a draw.
    /// In milliseconds and above it is not: those are aligned to (`period - now % period`).
    fn by_clock(&mut self, receiver: ExprId) -> Amount {
        let val = self.eval(receiver);
        if val.clock { Amount { drawn: Some(Drawn::Range), forms: Vec::new(), ..val } } else { val }
    }

    /// What the clock shows below a second: as good as drawn.
    fn below_a_second(&mut self, receiver: ExprId, scale: f64) -> Amount {
        let val = self.eval(receiver);
        let seconds = if val.clock { Amount::between(&Amount::exact(0.0), &Amount::exact(1.0)) } else { val };
        seconds.map(|it| it * scale)
    }

    /// An atomic that is stepped gives what it held; one call is one step. Where nobody can follow it, it still changes.
    fn stepped_in_place(&mut self, id: ExprId, place: ExprId, held: Amount, next: Amount) -> Amount {
        self.once(id, |eval| {
            if eval.key(place).is_none() {
                return Amount::unknown();
            }
            eval.store(place, next);
            Amount { moves: true, ..held }
        })
    }

    /// `table.get(n).or(table.last())`.
    fn otherwise(&mut self, receiver: ExprId, other: ExprId) -> Amount {
        let val = self.eval(receiver);
        if val.absent { self.eval(other) } else { val }
    }

    fn unknown_method(&mut self, name: &str, receiver: ExprId, args: &[ExprId]) -> Amount {
        if says(&self.cx.words().hint, name) || says(&self.cx.words().random, name) {
            return self.by_name(name, args);
        }
        if args.iter().any(|arg| self.cx.names_a_hint(*arg)) {
            return Amount::hint();
        }
        // an adaptor on a hint still is the hint
        let base = self.eval(receiver);
        if base.server { base } else { Amount::unknown() }
    }

    /// `(0..n).fold(base, |delay, _| delay * 2)`: as often as the range is long.
    fn fold(&mut self, range: ExprId, first: ExprId, step: ExprId) -> Amount {
        let mut val = self.eval(first);
        let Some((lo, hi)) = self.ends(range) else { return Amount::unknown() };
        let moves = lo.moves || hi.moves;
        if hi.unknown || !hi.sized && !hi.moves {
            return Amount::unknown();
        }
        let items = (0..MOST_ATTEMPTS).map(|item| lo.hi + f64::from(item)).take_while(|item| *item < hi.hi);
        for item in items {
            val = self.apply(step, &[val, Amount { moves, ..Amount::exact(item) }]);
        }
        Amount { moves, ..val }
    }

    fn is_callable(&self, id: ExprId) -> bool {
        matches!(self.cx.body.expr(id).kind, ExprKind::Closure { .. } | ExprKind::Path(_))
    }

    /// `hint.map_or(own, |told| told.max(own))`.
    fn mapped_or(&mut self, name: &str, call: &MethodCall, other: ExprId) -> Amount {
        let val = self.eval(call.receiver);
        let other = if name == "map_or" { self.eval(other) } else { self.apply(other, &[]) };
        // `last.map_or(FIRST, |last| last * 2)` of what the loop stores: there is none, or there is one
        if val.absent {
            return other;
        }
        if val.moves
            && !val.optional
            && !val.unknown
            && !val.server
            && let Some(made) = call.args.get(1)
        {
            return self.mapped(&val, *made);
        }
        if val.unknown && !val.server {
            return Amount::unknown();
        }
        match call.args.get(1) {
            Some(made) => self.mapped(&val, *made).or(&other),
            None => val.or(&other),
        }
    }

    /// How many a list holds, where it counts the failures.
    fn filled(&self, list: ExprId) -> Amount {
        let filled = self.cx.body.local(list).and_then(|local| self.env.vars.get(&Key::Len(local)));
        filled.cloned().unwrap_or_else(Amount::unknown)
    }

    /// What a closure makes of a value; whatever it makes of the server's hint is the server's.
    fn mapped(&mut self, val: &Amount, made: ExprId) -> Amount {
        let of = self.apply(made, std::slice::from_ref(val));
        if of.unknown && val.server { val.clone() } else { of }
    }

    /// `hint.unwrap_or(own)`, `checked.unwrap_or(MAX)`.
    fn fallback(&mut self, name: &str, receiver: ExprId, arg: Option<ExprId>) -> Amount {
        let val = self.eval(receiver);
        let Some(arg) = arg else {
            let nothing = Amount::exact(0.0);
            return match (val.absent, val.optional) {
                (true, _) => nothing,
                (_, true) => Amount { optional: false, ..val }.or(&nothing),
                _ => val,
            };
        };
        let other = if name == "unwrap_or_else" { self.apply(arg, &[]) } else { self.eval(arg) };
        // a conversion that does not fit says nothing of what does
        if matches!(&self.cx.body.expr(receiver).kind, ExprKind::Call(..))
            && self.cx.call_name(receiver) == "try_from"
        {
            return val;
        }
        let checked = match &self.cx.body.expr(receiver).kind {
            ExprKind::Method(inner) => inner.name.starts_with("checked_") || inner.name == "try_into",
            _ => false,
        };
        // the fallback of a checked operation is its limit, not a second answer
        if checked {
            return val.min(&other).with_raw(val.raw);
        }
        // what somebody may hook in is theirs; what the code does without is the fallback
        if val.optional && !val.server && (val.unknown || !val.sized && !val.moves) {
            return other;
        }
        if val.unknown && !val.server && !val.absent {
            return Amount::unknown();
        }
        Amount { optional: other.optional, ..val.or(&other) }
    }
}

impl Amount {
    fn with_raw(mut self, raw: f64) -> Self {
        self.raw = raw;
        self
    }
}
