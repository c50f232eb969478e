//! What stands inside types, impls and traits, and what `Self` and aliases lead to.
//! Whom an impl is for and what an alias stands for are asked without members of types, so that these questions end.

use super::{Crate, ItemRef, Target};
use crate::source::ItemKind;

/// Aliases of aliases that are followed.
const MAX_ALIASES: usize = 8;

impl Crate {
    /// The type or trait that an item's `Self` is: of the impl or trait around it.
    pub(super) fn self_item(&self, from: ItemRef) -> Option<ItemRef> {
        let around = self.impl_or_trait_around(from)?;
        match self.kind(around)? {
            ItemKind::Trait => Some(around),
            _ => self.impl_type(around),
        }
    }

    pub(super) fn self_target(&self, from: ItemRef) -> Option<Target> {
        if let Some(item) = self.self_item(from) {
            return Some(Target::Item(item));
        }
        self.foreign_self(self.impl_or_trait_around(from)?).map(Target::External)
    }

    /// The impl or trait that an item stands in, or is.
    pub(super) fn impl_or_trait_around(&self, from: ItemRef) -> Option<ItemRef> {
        let mut at = from;
        loop {
            let item = self.item(at)?;
            if matches!(item.kind, ItemKind::Impl | ItemKind::Trait) {
                return Some(at);
            }
            let parent = item.parent.filter(|parent| *parent < at.item)?;
            at = ItemRef { file: at.file, item: parent };
        }
    }

    /// The type of this crate that an impl is for.
    pub(super) fn impl_type(&self, at: ItemRef) -> Option<ItemRef> {
        let head = self.impl_data(at)?;
        match self.plain_type(self.outside(at), &head.ty.path) {
            Target::Item(item) if self.kind(item) == Some(ItemKind::Type) => self.behind_alias(item),
            Target::Item(item) => Some(item),
            _ => None,
        }
    }

    /// The member of a type, trait or enum: `Client::new`, `Policy::MAX`, `Kind::Timeout`.
    pub(super) fn associated(&self, item: ItemRef, name: &str) -> Option<Target> {
        match self.kind(item)? {
            ItemKind::Enum => self.variant(item, name).or_else(|| self.member(item, name).map(Target::Item)),
            ItemKind::Struct | ItemKind::Trait => self.member(item, name).map(Target::Item),
            ItemKind::Type => {
                if let Some(behind) = self.behind_alias(item) {
                    return self.associated(behind, name);
                }
                let mut path = self.foreign_alias(item)?;
                path.push(name.to_owned());
                Some(Target::External(path))
            }
            _ => None,
        }
    }

    /// The struct, enum or trait of this crate that an alias stands for in the end.
    pub(super) fn behind_alias(&self, alias: ItemRef) -> Option<ItemRef> {
        match self.alias_target(alias)? {
            Target::Item(item) => Some(item),
            _ => None,
        }
    }

    fn foreign_alias(&self, alias: ItemRef) -> Option<Vec<String>> {
        match self.alias_target(alias)? {
            Target::External(path) => Some(path),
            _ => None,
        }
    }

    fn alias_target(&self, alias: ItemRef) -> Option<Target> {
        let mut at = alias;
        for _ in 0..MAX_ALIASES {
            let written = self.alias_data(at)?;
            match self.plain_type(self.outside(at), &written.ty.path) {
                Target::Item(item) if self.kind(item) == Some(ItemKind::Type) => at = item,
                target => return Some(target),
            }
        }
        None
    }

    /// A variant of an enum.
    pub(super) fn variant(&self, item: ItemRef, name: &str) -> Option<Target> {
        let data = self.enum_data(item)?;
        data.variant(name).map(|_| Target::Variant(item, name.to_owned()))
    }

    /// The item around which names of an impl's header are looked up: what it stands in.
    pub(super) fn outside(&self, at: ItemRef) -> ItemRef {
        match self.item(at).and_then(|item| item.parent) {
            Some(parent) => ItemRef { file: at.file, item: parent },
            None => at,
        }
    }

    /// What an item is.
    pub(super) fn kind(&self, at: ItemRef) -> Option<ItemKind> {
        self.item(at).map(|item| item.kind)
    }
}
