//! Who calls a function of this crate. The text says where its name stands; only those bodies are parsed, and only calls that resolve to it count.

use super::{Crate, ItemRef};
use crate::body::{Body, Expr, ExprId, ExprKind};
use crate::source::ItemKind;

/// Bodies that are looked through for calls. What is called from more places is no helper whose callers tell something.
const MAX_BODIES: usize = 64;

impl Crate {
    /// Functions of this crate that call this one, with the call's expression, by file and source order. At most 64 bodies in which its name (or
    /// a name under which it is imported) is called are looked through.
    pub fn callers(&self, at: ItemRef) -> Vec<(ItemRef, ExprId)> {
        let Some(item) = self.item(at).filter(|item| item.kind == ItemKind::Fn) else { return Vec::new() };
        let names = self.names_of(&item.name);
        let mut candidates = Vec::new();
        for name in &names {
            candidates.extend(self.functions_calling(name, MAX_BODIES));
        }
        candidates.sort_unstable();
        candidates.dedup();
        candidates.truncate(MAX_BODIES);

        let mut found = Vec::new();
        for from in candidates {
            let Some(body) = self.body(from) else { continue };
            // Resolving a method call asks for its receiver's type; names are compared first.
            let called = body.exprs().filter(|(_, expr)| {
                called_name(body, expr).is_some_and(|name| names.iter().any(|it| it == name))
            });
            let calls = called.map(|(id, _)| id).filter(|id| self.called(from, body, *id) == Some(at));
            found.extend(calls.map(|call| (from, call)));
        }
        found
    }

    /// A function's name and those that imports give it.
    fn names_of(&self, name: &str) -> Vec<String> {
        let uses = self.files.iter().flat_map(|source| &source.outline.uses);
        let renamed = uses.filter(|import| import.path.last().is_some_and(|last| last == name));
        let mut names: Vec<String> = renamed
            .map(|import| import.name.clone())
            .filter(|name| !name.is_empty() && name != "_")
            .collect();
        names.push(name.to_owned());
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// The name by which an expression calls something.
fn called_name<'a>(body: &'a Body, expr: &'a Expr) -> Option<&'a str> {
    match &expr.kind {
        ExprKind::Method(call) => Some(&call.name),
        ExprKind::Call(callee, _) => match &body.expr(*callee).kind {
            ExprKind::Path(path) => Some(path.last()),
            _ => None,
        },
        _ => None,
    }
}
