//! What a path means where it is written: items of the scopes around, imports (renamed, glob, re-exported), the module tree, other crates.
//! It takes the first answer that Rust would; where the source leaves two, it is unknown.

use super::lookup::{Found, Lookup, is_type};
use super::prelude::prelude_path;
use super::{Crate, ItemRef, Target};
use crate::source::{ItemId, ItemKind};

/// Which of Rust's namespaces is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Space {
    /// Modules and types: everything left of a `::`, and written types.
    Type,
    /// Functions, constants, statics, and the constructors of structs.
    Value,
    /// Macros made with `macro_rules!`.
    Macro,
}

impl Crate {
    /// What a path means inside an item: imports (grouped, renamed, glob, re-exported), the module tree, `crate`/`self`/`super`/`Self`, prelude names.
    /// A path whose first segment is nothing that this crate defines or imports is `External` as written where it has two or more segments and
    /// its first is a dependency or `std`/`core`/`alloc`/`tokio`-like lower-case name; a single unknown segment is `Unknown`.
    /// `Ok`, `Err`, `Some` and `None` stay unknown; other prelude names are `External` by their path in std.
    pub fn path(&self, from: ItemRef, segments: &[String]) -> Target {
        // A name of two things (`mod retry; use retry::retry;`) means what can be called first.
        let spaces = [Space::Value, Space::Type, Space::Macro].into_iter();
        let mut found = spaces.map(|space| self.path_in(from, segments, space));
        found
            .find(|target| *target != Target::Unknown)
            .or_else(|| self.member_of_bound(from, segments))
            .unwrap_or(Target::Unknown)
    }

    /// `T::name` of a type parameter: what the trait that bounds it declares.
    fn member_of_bound(&self, from: ItemRef, segments: &[String]) -> Option<Target> {
        let [parameter, name] = segments else { return None };
        let bound = self.bound_of(from, parameter)?;
        match self.plain_type(from, &bound.path) {
            Target::Item(item) => self.member(item, name).map(Target::Item),
            _ => None,
        }
    }

    /// The paths of other crates that globs bring into an item's scope (`use tokio::time::*`), in the order of their imports. A name that `path` does
    /// not know may stand in one of them.
    pub fn foreign_globs(&self, from: ItemRef) -> Vec<Vec<String>> {
        let mut lookup = Lookup::new(self, from);
        let mut found = Vec::new();
        let mut scopes = Vec::new();
        let mut next = self.index.inside(&self.files, from);
        while let Some(scope) = next {
            scopes.push(scope);
            next = self.index.scope(scope).filter(|it| !it.is_module).and_then(|it| it.parent);
        }
        let mut seen = scopes.clone();
        scopes.reverse();
        while let Some(scope) = scopes.pop() {
            for import in lookup.globs(scope) {
                match lookup.import_path(scope, import, Space::Type) {
                    Some(Found::Other(Target::External(path))) if !found.contains(&path) => found.push(path),
                    Some(Found::Module(module)) if !seen.contains(&module) => {
                        seen.push(module);
                        scopes.push(module);
                    }
                    _ => {}
                }
            }
        }
        found
    }

    /// As `path`, in one namespace.
    pub(super) fn path_in(&self, from: ItemRef, segments: &[String], space: Space) -> Target {
        self.answer(Lookup::new(self, from), segments, space)
    }

    /// The type or module that a path means, members of types (`Type::Associated`) left out. Whom an impl is for and what an alias stands for is asked
    /// like this: both are asked while members are looked up, and must not ask for members in turn.
    pub(super) fn plain_type(&self, from: ItemRef, segments: &[String]) -> Target {
        self.answer(Lookup::without_members(self, from), segments, Space::Type)
    }

    fn answer(&self, mut lookup: Lookup<'_>, segments: &[String], space: Space) -> Target {
        let Some(scope) = self.index.inside(&self.files, lookup.from()) else { return Target::Unknown };
        if let Some(found) = lookup.resolve(scope, segments, space) {
            return lookup.target(found);
        }
        match segments {
            [only] => {
                let of_prelude = prelude_path(only).map(|path| path.map(str::to_owned).to_vec());
                let of_macro = || self.only_macro(only).filter(|_| space == Space::Macro);
                of_prelude.map(Target::External).or_else(of_macro).unwrap_or(Target::Unknown)
            }
            _ => Target::Unknown,
        }
    }

    /// The full path of an item: `["crate", "net", "Client"]`; roots other than the library's have a second segment of their own that is no identifier.
    pub(super) fn full_path(&self, at: ItemRef) -> Vec<String> {
        let mut path: Vec<String> = self.item(at).map(|item| item.name.clone()).into_iter().collect();
        let mut next = self.index.around(&self.files, at);
        // A module tree of files cannot be deeper than their paths; the limit guards against a cycle all the same.
        for _ in 0..256 {
            let Some(scope) = next.and_then(|id| self.index.scope(id)) else { break };
            if !scope.name.is_empty() {
                path.push(scope.name.clone());
            }
            next = scope.parent;
        }
        path.push("crate".to_owned());
        path.reverse();
        path
    }

    /// The type that a full path (as `full_path` makes it) names.
    pub(super) fn item_of_full_path(&self, path: &[String]) -> Option<ItemRef> {
        let (name, modules) = path.split_last()?;
        let (first, modules) = modules.split_first()?;
        if first != "crate" {
            return None;
        }
        let mut scope = self.index.scope(self.index.first_root?)?;
        for module in modules {
            scope = self.index.scope(*scope.below.get(module)?)?;
        }
        let ids = scope.names.get(name)?;
        let fits = |id: &&ItemId| self.kind(ItemRef { file: scope.file, item: **id }).is_some_and(is_type);
        ids.iter().find(fits).map(|id| ItemRef { file: scope.file, item: *id })
    }

    fn only_macro(&self, name: &str) -> Option<Target> {
        let mut macros =
            self.index.named(name).iter().filter(|at| self.kind(**at) == Some(ItemKind::MacroRules));
        let first = macros.next()?;
        macros.next().is_none().then_some(Target::Item(*first))
    }
}
