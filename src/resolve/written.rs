//! Written types, their paths made full: imports and aliases followed, `Self` and type parameters replaced by what is known of them.
//! Aliases and bounds can make a type grow without end: each question may look at a fixed number of parts.

use super::paths::Space;
use super::prelude::{is_marker, prelude_path};
use super::{Crate, ItemRef, Target};
use crate::body::{Ty, TyShape};
use crate::source::ItemKind;

/// Parts of a type (it, its arguments, theirs) that are made full in one question.
const MAX_PARTS: u32 = 400;
/// How deep arguments and aliases are followed.
const MAX_DEPTH: u32 = 12;

/// The type behind smart pointers and guards: `Client` of `Arc<Client>`, `Pin<Box<Client>>`, `MutexGuard<Client>`.
/// `Option`, `Result`, `Mutex` stay; what takes a value out of them (`?`, `unwrap`, `lock`) is seen by `type_of`.
pub fn peeled(ty: &Ty) -> &Ty {
    peel_while(ty, is_pointer)
}

/// The type behind everything that only holds it: as `peeled`, and `Mutex`, `RwLock`, `RefCell`, `Option`, `Result` too.
pub fn innermost(ty: &Ty) -> &Ty {
    peel_while(ty, |ty| is_pointer(ty) || is_lock(ty) || is_fallible(ty))
}

/// `Mutex<T>` and its like.
pub(super) fn is_lock(ty: &Ty) -> bool {
    let name = ty.name();
    name.ends_with("Mutex") || name.ends_with("RwLock") || name == "RefCell" || name == "Cell"
}

/// `Option` and `Result`, by whatever path.
pub(super) fn is_fallible(ty: &Ty) -> bool {
    matches!(ty.name(), "Option" | "Result")
}

fn is_pointer(ty: &Ty) -> bool {
    matches!(ty.name(), "Box" | "Arc" | "Rc" | "Pin" | "Cow" | "Ref" | "RefMut" | "ManuallyDrop")
        || ty.name().ends_with("Guard")
}

fn peel_while(ty: &Ty, holds: impl Fn(&Ty) -> bool) -> &Ty {
    let mut ty = ty;
    // Types come with a counted depth; nothing that means something is wrapped more often.
    for _ in 0..16 {
        match ty.args.first() {
            Some(inner) if ty.shape == TyShape::Path && holds(ty) => ty = inner,
            _ => break,
        }
    }
    ty
}

/// A type of this path, without arguments.
pub(super) fn plain(path: Vec<String>) -> Ty {
    Ty { path, args: Vec::new(), shape: TyShape::Path }
}

/// A type of one segment with these arguments.
pub(super) fn named(name: &str, args: Vec<Ty>) -> Ty {
    Ty { path: vec![name.to_owned()], args, shape: TyShape::Path }
}

/// A type's path as written types have it: prelude types by their lone name.
pub(super) fn short_prelude(path: Vec<String>) -> Vec<String> {
    match path.last() {
        Some(last) if prelude_path(last).is_some_and(|full| path == full) => vec![last.clone()],
        _ => path,
    }
}

impl Crate {
    /// A type as written inside an item, its path and those of its arguments made full. Prelude types keep their lone name.
    /// A type parameter is `impl` its first bound that says something; one without stays as written.
    pub fn full_type(&self, from: ItemRef, ty: &Ty) -> Ty {
        let mut full = Full { krate: self, left: MAX_PARTS };
        full.within(from, ty, MAX_DEPTH)
    }

    /// The type of a field of a type of this crate.
    pub fn field_type(&self, ty: &Ty, field: &str) -> Option<Ty> {
        let ty = peeled(ty);
        if ty.shape == TyShape::Tuple {
            return ty.args.get(field.parse::<usize>().ok()?).filter(|member| is_known(member)).cloned();
        }
        let item = self.type_item(ty)?;
        let data = self.struct_data(item)?;
        let written = substituted(data.field(field)?, &data.generics, &ty.args);
        Some(self.full_type(item, &written))
    }

    /// The type of what a variant carries, by name or number.
    pub(super) fn variant_field(&self, item: ItemRef, variant: &str, field: &str, args: &[Ty]) -> Option<Ty> {
        let data = self.enum_data(item)?;
        let fields = &data.variant(variant)?.fields;
        let (_, written) = fields.iter().find(|(name, _)| name == field)?;
        Some(self.full_type(item, &substituted(written, &data.generics, args)))
    }

    /// What `Self` is inside an item.
    pub fn self_type(&self, from: ItemRef) -> Option<Ty> {
        let around = self.impl_or_trait_around(from)?;
        if self.kind(around)? == ItemKind::Trait {
            return Some(Ty { path: self.full_path(around), args: Vec::new(), shape: TyShape::Impl });
        }
        let head = self.impl_data(around)?;
        // A header that names itself is no Rust; it would be asked without end.
        if mentions_self(&head.ty, MAX_DEPTH) {
            return None;
        }
        Some(self.full_type(around, &head.ty))
    }

    /// What a type parameter in sight of an item is known to be; `None` where the name is no type parameter.
    fn type_parameter(&self, from: ItemRef, name: &str) -> Option<Parameter<'_>> {
        let mut at = Some(from);
        while let Some(here) = at {
            let item = self.item(here)?;
            let generics = match item.kind {
                ItemKind::Fn => self.signature(here).map_or(&[][..], |head| &head.generics),
                ItemKind::Impl => self.impl_data(here).map_or(&[][..], |head| &head.generics),
                _ => &[],
            };
            if let Some((_, bounds)) = generics.iter().find(|(known, _)| known == name) {
                let telling = bounds.iter().find(|bound| !is_marker(bound.name()));
                return Some(telling.map_or(Parameter::Free, Parameter::Bound));
            }
            let names: &[String] = match item.kind {
                ItemKind::Struct => self.struct_data(here).map_or(&[], |data| &data.generics),
                ItemKind::Enum => self.enum_data(here).map_or(&[], |data| &data.generics),
                ItemKind::Type => self.alias_data(here).map_or(&[], |data| &data.generics),
                _ => &[],
            };
            if names.iter().any(|known| known == name) {
                return Some(Parameter::Free);
            }
            at = item
                .parent
                .filter(|parent| *parent < here.item)
                .map(|item| ItemRef { file: here.file, item });
        }
        None
    }

    /// The trait that bounds a type parameter in sight of an item.
    pub(super) fn bound_of(&self, from: ItemRef, name: &str) -> Option<&Ty> {
        match self.type_parameter(from, name)? {
            Parameter::Bound(bound) => Some(bound),
            Parameter::Free => None,
        }
    }

    pub(super) fn is_type_parameter(&self, from: ItemRef, ty: &Ty) -> bool {
        matches!(ty.path.as_slice(), [only] if self.type_parameter(from, only).is_some())
    }
}

/// A type parameter.
enum Parameter<'a> {
    /// It has a bound that says what can be done with it.
    Bound(&'a Ty),
    /// It may be anything.
    Free,
}

struct Full<'a> {
    krate: &'a Crate,
    left: u32,
}

impl Full<'_> {
    fn within(&mut self, from: ItemRef, ty: &Ty, depth: u32) -> Ty {
        let (Some(left), Some(depth)) = (self.left.checked_sub(1), depth.checked_sub(1)) else {
            return ty.clone();
        };
        self.left = left;
        let args = ty.args.iter().map(|arg| self.within(from, arg, depth)).collect();
        let full = Ty { path: ty.path.clone(), args, shape: ty.shape };
        match full.path.as_slice() {
            [] => full,
            // Made full before.
            [first, ..] if first == "crate" && self.krate.item_of_full_path(&full.path).is_some() => full,
            [only] if only == "Self" => self.krate.self_type(from).unwrap_or(full),
            [first, name] if first == "Self" => self.associated_type(from, name, depth).unwrap_or(full),
            [only] => match self.krate.type_parameter(from, only) {
                Some(Parameter::Bound(bound)) => self.bound(from, bound, depth),
                Some(Parameter::Free) => full,
                None => self.by_path(from, full, depth),
            },
            _ => self.by_path(from, full, depth),
        }
    }

    fn by_path(&mut self, from: ItemRef, mut ty: Ty, depth: u32) -> Ty {
        match self.krate.path_in(from, &ty.path, Space::Type) {
            Target::Item(item) if self.krate.kind(item) == Some(ItemKind::Type) => {
                let Some(alias) = self.krate.alias_data(item) else { return ty };
                let behind = substituted(&alias.ty, &alias.generics, &ty.args);
                self.within(item, &behind, depth)
            }
            Target::Item(item) => {
                ty.path = self.krate.full_path(item);
                ty
            }
            Target::External(path) => {
                ty.path = short_prelude(path);
                ty
            }
            Target::Variant(..) | Target::Unknown => ty,
        }
    }

    /// A parameter with a bound is used by that trait's methods.
    fn bound(&mut self, from: ItemRef, bound: &Ty, depth: u32) -> Ty {
        let mut full = self.within(from, bound, depth);
        if full.shape == TyShape::Path {
            full.shape = TyShape::Impl;
        }
        full
    }

    /// `Self::Name` by the impl around.
    fn associated_type(&mut self, from: ItemRef, name: &str, depth: u32) -> Option<Ty> {
        let around = self.krate.impl_or_trait_around(from)?;
        let item = self.krate.own_member(around, name)?;
        let alias = self.krate.alias_data(item)?;
        Some(self.within(item, &alias.ty, depth))
    }
}

/// Whether something was written or found out.
pub(super) fn is_known(ty: &Ty) -> bool {
    ty.shape != TyShape::Other
}

/// A type with its parameters replaced by arguments; parameters without an argument stay.
pub(super) fn substituted(ty: &Ty, names: &[String], args: &[Ty]) -> Ty {
    if names.is_empty() || args.is_empty() {
        return ty.clone();
    }
    let mut left = MAX_PARTS;
    substituted_within(ty, names, args, &mut left, MAX_DEPTH)
}

fn substituted_within(ty: &Ty, names: &[String], args: &[Ty], left: &mut u32, depth: u32) -> Ty {
    if *left == 0 || depth == 0 {
        return ty.clone();
    }
    *left -= 1;
    if let [only] = ty.path.as_slice() {
        let number = names.iter().position(|name| name == only);
        if let Some(arg) = number.and_then(|number| args.get(number)) {
            return arg.clone();
        }
    }
    let inside = ty.args.iter().map(|arg| substituted_within(arg, names, args, left, depth - 1)).collect();
    Ty { path: ty.path.clone(), args: inside, shape: ty.shape }
}

fn mentions_self(ty: &Ty, depth: u32) -> bool {
    let by_name = ty.path.first().is_some_and(|first| first == "Self");
    by_name || depth > 0 && ty.args.iter().any(|arg| mentions_self(arg, depth - 1))
}
