//! Values that are no numbers: tuples, structs and variants written out, and what `Option` and `Result` do with a delay inside.
//! A closure given to an adaptor is run on what is inside.

use super::amount::Amount;
use super::eval::{Eval, Key};
use super::places::MOST_ALIASES;
use crate::body::{ExprId, ExprKind, MethodCall, StructLit};

impl Eval<'_, '_> {
    pub(super) fn tuple(&mut self, items: &[ExprId]) -> Amount {
        match items {
            [] => Amount::unknown(),
            [only] => self.eval(*only),
            _ => {
                let fields = items.iter().enumerate().map(|(at, item)| (at.to_string(), self.eval(*item)));
                let fields = fields.collect();
                Amount { unknown: true, moves: true, ..Amount::made_of("", fields) }
            }
        }
    }

    /// `Policy { base, attempt: 0, ..other }`, `Next::Retry { after }`.
    pub(super) fn literal(&mut self, lit: &StructLit) -> Amount {
        let base = lit.base.map(|base| self.eval(base));
        let mut fields: Vec<(String, Amount)> =
            lit.fields.iter().map(|(name, value)| (name.clone(), self.eval(*value))).collect();
        if let Some([form]) = base.as_ref().map(|base| base.forms.as_slice()) {
            for (name, value) in &form.fields {
                if !fields.iter().any(|(known, _)| known == name) {
                    fields.push((name.clone(), value.clone()));
                }
            }
        }
        let is_variant =
            matches!(self.cx.krate.path(self.cx.at, &lit.path.segments), crate::resolve::Target::Variant(..));
        let made = Amount::made_of(if is_variant { lit.path.last() } else { "" }, fields);
        // a struct is no number, also one with a single field
        if is_variant { made } else { Amount { unknown: true, moves: true, ..made } }
    }

    /// An adaptor of `Option`, `Result` or an iterator's item; `None` where the method is none.
    pub(super) fn adapted(&mut self, call: &MethodCall) -> Option<Amount> {
        let arg = call.args.first().copied();
        let name = call.name.as_str();
        match (name, arg) {
            ("and_then" | "map", Some(closure)) => {
                let val = self.eval(call.receiver);
                if val.absent {
                    return Some(val);
                }
                if !self.may_run(closure) {
                    return None;
                }
                Some(self.run_on(closure, call.receiver, val))
            }
            (
                "ok_or_else" | "map_err" | "inspect" | "inspect_err" | "context" | "with_context" | "filter"
                | "as_mut" | "as_deref" | "as_deref_mut" | "lock" | "write" | "read" | "borrow_mut" | "err",
                _,
            ) => {
                let val = self.eval(call.receiver);
                (!val.unknown || val.absent || !val.forms.is_empty()).then_some(val)
            }
            ("then" | "then_some", Some(value)) => {
                let truth = self.truth(call.receiver);
                if truth == Some(false) {
                    return Some(Amount::absent());
                }
                Some(if name == "then" { self.apply(value, &[]) } else { self.eval(value) })
            }
            // a number that somebody wrote into text is a setting, not what the code computes
            ("parse", None) => {
                let val = self.eval(call.receiver);
                Some(if val.server { val } else { Amount::absent() })
            }
            ("take", None) => {
                let val = self.eval(call.receiver);
                self.store(call.receiver, Amount::absent());
                Some(val)
            }
            _ => None,
        }
    }

    fn may_run(&self, closure: ExprId) -> bool {
        matches!(self.cx.body.expr(closure).kind, ExprKind::Closure { .. } | ExprKind::Path(_))
    }

    /// Runs a closure on what is inside a receiver; where that is a place, the closure's name stands for it.
    fn run_on(&mut self, closure: ExprId, receiver: ExprId, val: Amount) -> Amount {
        if let ExprKind::Closure { params, body, .. } = &self.cx.body.expr(closure).kind
            && let [param] = params.as_slice()
            && let Some(place) = self.place(receiver, MOST_ALIASES)
        {
            if !self.env.vars.contains_key(&Key::Field(place.clone())) && !val.unknown {
                self.env.vars.insert(Key::Field(place.clone()), val.clone());
            }
            self.bind_place(param.pat, &place, &val);
            let outer = self.returned.take();
            let val = self.eval(*body);
            let returned = std::mem::replace(&mut self.returned, outer);
            return returned.map_or(val.clone(), |it| it.or(&val));
        }
        self.apply(closure, &[val])
    }
}
