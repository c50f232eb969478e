//! Which function of this crate a call runs. By path or by the receiver's type; by a method's name alone only where no other crate can be meant.

use super::paths::Space;
use super::prelude::{is_primitive, is_standard};
use super::types::{MAX_DEPTH, Typing, is_number};
use super::written::peeled;
use super::{Crate, ItemRef, Target};
use crate::body::{Body, ExprId, ExprKind, Path, Ty};
use crate::source::ItemKind;

impl Crate {
    /// The function of this crate that a call or method call runs: by path, by the receiver's type, and where that is unknown by a name that only one
    /// method has.
    pub fn called(&self, at: ItemRef, body: &Body, call: ExprId) -> Option<ItemRef> {
        let found = match &body.expr(call).kind {
            ExprKind::Call(callee, _) => match &body.expr(*callee).kind {
                ExprKind::Path(path) if body.local(*callee).is_none() => self.called_path(at, path),
                _ => None,
            },
            ExprKind::Method(method) => {
                let links = self.links(at, body);
                let typing = Typing::new(self, at, body, &links);
                match typing.expr(method.receiver, MAX_DEPTH) {
                    Some(ty) => self.method(&ty, &method.name),
                    // What another crate's type gives has another crate's methods.
                    None if typing.is_foreign(method.receiver, MAX_DEPTH) => None,
                    None => self.method_by_name(&method.name, method.args.len()),
                }
            }
            _ => None,
        };
        found.filter(|item| self.kind(*item) == Some(ItemKind::Fn))
    }

    fn called_path(&self, at: ItemRef, path: &Path) -> Option<ItemRef> {
        match self.path_in(at, &path.segments, Space::Value) {
            Target::Item(item) => Some(item),
            _ => None,
        }
    }
}

impl Typing<'_> {
    /// Whether an expression without a known type comes from another crate: from a method or function of it that nothing of ours was given to.
    fn is_foreign(&self, id: ExprId, depth: u32) -> bool {
        let Some(depth) = self.step(depth) else { return false };
        match &self.body.expr(id).kind {
            ExprKind::Await(inner) | ExprKind::Try(inner) | ExprKind::Ref(inner) => {
                self.is_foreign(*inner, depth)
            }
            ExprKind::Method(call) => self.gives_foreign(call.receiver, &call.args, depth),
            ExprKind::Field(base, _) => self.gives_foreign(*base, &[], depth),
            ExprKind::Call(callee, args) => match &self.body.expr(*callee).kind {
                ExprKind::Path(path) if self.body.local(*callee).is_none() => {
                    let target = self.krate.path_in(self.at, &path.segments, Space::Value);
                    let is_own_or_std = match &target {
                        Target::External(path) => path.first().is_none_or(|first| is_standard(first)),
                        _ => true,
                    };
                    !is_own_or_std && args.iter().all(|arg| self.cannot_be_own(*arg, depth))
                }
                _ => false,
            },
            ExprKind::Path(_) => match self.body.local(id).and_then(|local| self.links.let_value(local)) {
                Some(value) => self.is_foreign(value, depth),
                None => false,
            },
            _ => false,
        }
    }

    fn gives_foreign(&self, receiver: ExprId, args: &[ExprId], depth: u32) -> bool {
        let from_foreign = match self.expr(receiver, depth) {
            Some(ty) => is_foreign_type(&ty),
            None => self.is_foreign(receiver, depth),
        };
        from_foreign && args.iter().all(|arg| self.cannot_be_own(*arg, depth))
    }

    fn cannot_be_own(&self, arg: ExprId, depth: u32) -> bool {
        match &self.body.expr(arg).kind {
            ExprKind::Lit(_) | ExprKind::Macro(_) => true,
            _ => self.expr(arg, depth).is_some_and(|ty| {
                is_number(&ty) || is_primitive(ty.name()) || ty.name() == "String" || is_foreign_type(&ty)
            }),
        }
    }
}

/// A type of another crate than std, none of whose arguments is of this crate or unknown.
fn is_foreign_type(ty: &Ty) -> bool {
    let ty = peeled(ty);
    let has_home =
        ty.path.len() > 1 && ty.path.first().is_some_and(|first| first != "crate" && !is_standard(first));
    has_home && ty.args.iter().all(|arg| is_foreign_type(arg) || is_number(arg))
}
