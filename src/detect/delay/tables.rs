//! Delays that are written as a list: `[1, 5, 30]`, `vec![..]`, and the constants and adaptors around one.
//! Only lists whose elements are written out; what fills a list step by step is not followed.

use super::amount::Amount;
use super::eval::{Eval, MOST_CALLS};
use crate::body::{ExprId, ExprKind, MacroInput};
use crate::resolve::Target;

impl Eval<'_, '_> {
    pub(super) fn index(&mut self, base: ExprId, index: ExprId) -> Amount {
        let at = self.eval(index);
        let Some(table) = self.table(base) else { return Amount::unknown() };
        pick(&table, &at)
    }

    /// `table.get(index)`: nothing is there past its end.
    pub(super) fn entry(&mut self, base: ExprId, index: ExprId) -> Amount {
        if self.cx.names_a_hint(index) {
            return Amount::hint();
        }
        let at = self.eval(index);
        let Some(table) = self.table(base) else { return Amount::unknown() };
        match at.known() {
            Some(index) if index >= table.len() as f64 => Amount::absent(),
            _ => pick(&table, &at),
        }
    }

    /// The first or last of a written list.
    pub(super) fn end_of(&mut self, base: ExprId, which: &str) -> Option<Amount> {
        let table = self.table(base)?;
        let item = if which == "first" { table.first() } else { table.last() };
        Some(item.map_or_else(Amount::absent, |item| Amount { table: true, moves: true, ..item.clone() }))
    }

    /// The values of a written list, behind variables and constants.
    pub(crate) fn table(&mut self, id: ExprId) -> Option<Vec<Amount>> {
        match &self.cx.body.expr(id).kind {
            ExprKind::Array(items) => Some(items.iter().map(|item| self.eval(*item)).collect()),
            ExprKind::Ref(inner) => self.table(*inner),
            ExprKind::Macro(call) => match &call.input {
                MacroInput::Args(items) if call.path.last() == "vec" => {
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
