//! Members of types and traits: which function a method's name means for a receiver's type.
//! Traits make this a question with several answers; where more than one fits, there is none.

use super::index::members;
use super::prelude::is_common_method;
use super::written::peeled;
use super::{Crate, ItemRef, Target};
use crate::body::{ExprKind, Ty, TyShape};
use crate::source::{Item, ItemKind};

/// Methods of one name that `method_by_name` compares; a name that is more common says nothing.
const MAX_NAMESAKES: usize = 32;

impl Crate {
    /// A method by the receiver's type (as `type_of` gives it): inherent first, then a trait's default or its only impl.
    /// Where a trait's method has no default and several impls, its declaration, which has no body.
    pub fn method(&self, ty: &Ty, name: &str) -> Option<ItemRef> {
        let ty = peeled(ty);
        let found = match self.type_item(ty) {
            Some(item) => self.member(item, name),
            None => self.member_of_foreign(ty, name),
        };
        found.filter(|at| self.kind(*at) == Some(ItemKind::Fn))
    }

    /// The only method of this name and number of arguments (without `self`) in the crate, whatever its type; `None` where there are several or none,
    /// or where std's types have one of the same name.
    pub fn method_by_name(&self, name: &str, args: usize) -> Option<ItemRef> {
        if is_common_method(name) {
            return None;
        }
        let namesakes = self.index.methods(name);
        let productive: Vec<ItemRef> = namesakes.iter().copied().filter(|at| !self.is_test(*at)).collect();
        if productive.len() > MAX_NAMESAKES {
            return None;
        }
        let fits = |at: &ItemRef| {
            self.signature(*at).is_some_and(|head| head.receiver.is_some() && head.params.len() == args)
        };
        let fitting: Vec<ItemRef> = productive.into_iter().filter(fits).collect();
        // A trait's declaration and its one impl are one method.
        let mut with_body =
            fitting.iter().filter(|at| self.item(**at).is_some_and(|item| item.body.is_some()));
        match (fitting.as_slice(), with_body.next(), with_body.next()) {
            ([only], ..) | (_, Some(only), None) => Some(*only),
            // of one impl: alternatives under `#[cfg]`, of which the first holds in some build
            ([first, rest @ ..], ..) if rest.iter().all(|at| self.is_beside(*first, *at)) => Some(*first),
            _ => None,
        }
    }

    fn is_beside(&self, one: ItemRef, other: ItemRef) -> bool {
        let parent = |at: ItemRef| self.item(at).and_then(|item| item.parent);
        one.file == other.file && parent(one).is_some() && parent(one) == parent(other)
    }

    /// The bodies that a trait's method without one may run: those that impls outside of tests write.
    pub fn implementations(&self, declared: ItemRef) -> Vec<ItemRef> {
        let Some(item) = self.item(declared) else { return Vec::new() };
        let around = self.impl_or_trait_around(declared).filter(|at| self.kind(*at) == Some(ItemKind::Trait));
        let Some((at, it)) = around.and_then(|at| Some((at, self.item(at)?))) else { return Vec::new() };
        let impls = self.index.trait_impls(&it.name).iter().copied();
        let impls = impls.filter(|of| !self.is_test(*of) && self.trait_of(*of) == Some(at));
        impls.filter_map(|of| self.own_member(of, &item.name)).collect()
    }

    /// The trait's method that a method of an impl writes out.
    pub fn declaration(&self, written: ItemRef) -> Option<ItemRef> {
        let around = self.impl_or_trait_around(written)?;
        self.own_member(self.trait_of(around)?, &self.item(written)?.name)
    }

    /// Whether a method is written in a trait itself: whoever implements the trait may write another.
    pub fn is_of_trait(&self, written: ItemRef) -> bool {
        self.impl_or_trait_around(written).is_some_and(|at| self.kind(at) == Some(ItemKind::Trait))
    }

    /// A member of a type or trait of this crate: function, constant, associated type.
    pub(super) fn member(&self, item: ItemRef, name: &str) -> Option<ItemRef> {
        match self.kind(item)? {
            ItemKind::Trait => self.trait_member(item, name),
            _ => self.inherent_member(item, name).or_else(|| self.member_by_trait(item, name)),
        }
    }

    /// `Self::name` as written inside an item.
    pub(super) fn self_member(&self, from: ItemRef, name: &str) -> Option<Target> {
        let around = self.impl_or_trait_around(from)?;
        let of_type = self.self_item(from).and_then(|item| self.associated(item, name));
        if of_type.is_some() {
            return of_type;
        }
        if let Some(own) = self.own_member(around, name) {
            return Some(Target::Item(own));
        }
        // Of an impl for another crate's type.
        let mut path = self.foreign_self(around)?;
        path.push(name.to_owned());
        Some(Target::External(path))
    }

    /// The path of another crate's type that an impl is for.
    pub(super) fn foreign_self(&self, around: ItemRef) -> Option<Vec<String>> {
        let head = self.impl_data(around)?;
        match self.plain_type(self.outside(around), &head.ty.path) {
            Target::External(path) => Some(path),
            _ => None,
        }
    }

    /// The type or trait of this crate that a type names: by full path, or by a lone name that only one type has.
    pub(super) fn type_item(&self, ty: &Ty) -> Option<ItemRef> {
        if let Some(found) = self.item_of_full_path(&ty.path) {
            return Some(found);
        }
        let [only] = ty.path.as_slice() else { return None };
        let is_type = |at: &&ItemRef| {
            matches!(self.kind(**at), Some(ItemKind::Struct | ItemKind::Enum | ItemKind::Trait))
        };
        let mut types = self.index.named(only).iter().filter(is_type);
        let first = types.next()?;
        types.next().is_none().then_some(*first)
    }

    /// What an impl or trait itself holds under a name.
    pub(super) fn own_member(&self, around: ItemRef, name: &str) -> Option<ItemRef> {
        let source = self.file(around)?;
        let named = members(source, around.item).filter(|(_, item)| item.name == name && is_member(item));
        // of `#[cfg(test)]` and its opposite the one that is built is meant
        let found = named.min_by_key(|(_, item)| item.in_test)?;
        Some(ItemRef { file: around.file, item: found.0 })
    }

    /// Whether an item, or its whole file, is compiled for tests only.
    pub fn is_test(&self, at: ItemRef) -> bool {
        self.item(at).is_some_and(|item| item.in_test) || self.file(at).is_some_and(|file| file.in_test)
    }

    fn impls_of(&self, item: ItemRef) -> Vec<ItemRef> {
        let Some(it) = self.item(item) else { return Vec::new() };
        let impls = self.index.impls(&it.name);
        impls.iter().copied().filter(|at| self.impl_type(*at) == Some(item)).collect()
    }

    fn inherent_member(&self, item: ItemRef, name: &str) -> Option<ItemRef> {
        let inherent = |at: &ItemRef| self.item(*at).is_some_and(|it| it.of_trait.is_none());
        let impls = self.impls_of(item).into_iter().filter(inherent);
        self.only_productive(impls.filter_map(|at| self.own_member(at, name)).collect())
    }

    fn member_by_trait(&self, item: ItemRef, name: &str) -> Option<ItemRef> {
        let of_trait = |at: &ItemRef| self.item(*at).is_some_and(|it| it.of_trait.is_some());
        let impls: Vec<ItemRef> = self.impls_of(item).into_iter().filter(of_trait).collect();
        let written: Vec<ItemRef> = impls.iter().filter_map(|at| self.own_member(*at, name)).collect();
        if !written.is_empty() {
            return self.only_productive(written);
        }
        let defaults = impls.iter().filter_map(|at| self.own_member(self.trait_of(*at)?, name));
        let mut defaults: Vec<ItemRef> = defaults.collect();
        defaults.dedup();
        self.only_productive(defaults)
    }

    /// The trait of this crate that an impl is of.
    fn trait_of(&self, at: ItemRef) -> Option<ItemRef> {
        let of_trait = self.impl_data(at)?.of_trait.as_ref()?;
        match self.plain_type(self.outside(at), &of_trait.path) {
            Target::Item(item) => Some(item),
            _ => None,
        }
    }

    /// A trait's member for a receiver that is only known to have the trait.
    fn trait_member(&self, item: ItemRef, name: &str) -> Option<ItemRef> {
        let declared = self.own_member(item, name)?;
        let trait_name = &self.item(item)?.name;
        let impls = self.index.trait_impls(trait_name).iter().copied();
        let impls: Vec<ItemRef> =
            impls.filter(|at| !self.is_test(*at) && self.trait_of(*at) == Some(item)).collect();
        let written: Vec<ItemRef> = impls.iter().filter_map(|at| self.own_member(*at, name)).collect();
        let has_default = self.item(declared).is_some_and(|it| it.body.is_some());
        match (written.as_slice(), has_default) {
            // a stand-in that does nothing is what is given where there is nobody: whoever is there gives another
            ([only], false) if impls.len() == 1 && self.only_succeeds(*only) => Some(declared),
            ([only], _) if impls.len() == 1 => Some(*only),
            ([], true) | (_, false) => Some(declared),
            // The default or an impl's own: the body that runs cannot be told.
            _ => None,
        }
    }

    /// Whether a body calls nothing, and gives `Ok(..)`.
    fn only_succeeds(&self, at: ItemRef) -> bool {
        let Some(body) = self.body(at) else { return false };
        let mut succeeds = false;
        for (_, expr) in body.exprs() {
            match &expr.kind {
                ExprKind::Method(_) | ExprKind::Await(_) | ExprKind::Loop { .. } => return false,
                ExprKind::Call(callee, _) => match &body.expr(*callee).kind {
                    ExprKind::Path(path) if path.single() == Some("Ok") => succeeds = true,
                    _ => return false,
                },
                _ => {}
            }
        }
        succeeds
    }

    /// A method that an impl of this crate gives to another crate's type.
    fn member_of_foreign(&self, ty: &Ty, name: &str) -> Option<ItemRef> {
        if matches!(ty.shape, TyShape::Impl | TyShape::Dyn) {
            return None;
        }
        let impls = self.index.impls(ty.name()).iter().copied();
        let same = impls.filter(|at| self.foreign_self(*at).is_some_and(|path| path == ty.path));
        self.only_productive(same.filter_map(|at| self.own_member(at, name)).collect())
    }

    /// The one that is not test code, or the only one.
    fn only_productive(&self, mut found: Vec<ItemRef>) -> Option<ItemRef> {
        if found.len() > 1 {
            found.retain(|at| !self.is_test(*at));
        }
        match found.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }
}

fn is_member(item: &Item) -> bool {
    matches!(item.kind, ItemKind::Fn | ItemKind::Const | ItemKind::Type)
}
