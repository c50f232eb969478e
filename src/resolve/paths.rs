//! What a path means where it is written: items of the scopes around, imports (renamed, glob, re-exported), the module tree, other crates.
//! Imports may form cycles and globs may fan out: every question has a budget of steps, and what is not found within it is unknown.

use super::index::{Scope, ScopeId};
use super::prelude::{is_primitive, is_standard, prelude_path};
use super::{Crate, ItemRef, Target};
use crate::source::{ItemId, ItemKind, Use};

/// Look-ups that one question may cost. Real paths take fewer than thirty; a web of globs could take exponentially many.
const MAX_STEPS: u32 = 2_000;
/// Aliases of aliases that are followed.
pub(super) const MAX_ALIASES: usize = 8;
/// Look-ups that may be open inside each other.
const MAX_OPEN: usize = 48;

/// Which of Rust's namespaces is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    /// Modules and types: everything left of a `::`, and written types.
    Type,
    /// Functions, constants, statics, and the constructors of structs.
    Value,
    /// The first of: value, type, macro.
    Any,
}

impl Crate {
    /// What a path means inside an item: imports (grouped, renamed, glob, re-exported), the module tree, `crate`/`self`/`super`/`Self`, prelude names.
    /// A path whose first segment is nothing that this crate defines or imports is `External` as written where it has two or more segments and
    /// its first is a dependency or `std`/`core`/`alloc`/`tokio`-like lower-case name; a single unknown segment is `Unknown`.
    /// `Ok`, `Err`, `Some` and `None` stay unknown; other prelude names are `External` by their path in std.
    pub fn path(&self, from: ItemRef, segments: &[String]) -> Target {
        self.path_in(from, segments, Space::Any)
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
        let lookup = Lookup { members: false, ..Lookup::new(self, from) };
        self.answer(lookup, segments, Space::Type)
    }

    fn answer(&self, mut lookup: Lookup<'_>, segments: &[String], space: Space) -> Target {
        let Some(scope) = self.index.inside(&self.files, lookup.from) else { return Target::Unknown };
        if let Some(found) = lookup.resolve(scope, segments, space) {
            return lookup.target(found);
        }
        match segments {
            [only] => {
                let of_prelude = prelude_path(only).map(|path| path.map(str::to_owned).to_vec());
                of_prelude.map(Target::External).or_else(|| self.only_macro(only)).unwrap_or(Target::Unknown)
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

    /// The type or trait that an item's `Self` is: of the impl or trait around it.
    pub(super) fn self_item(&self, from: ItemRef) -> Option<ItemRef> {
        let around = self.impl_or_trait_around(from)?;
        match self.kind(around)? {
            ItemKind::Trait => Some(around),
            _ => self.impl_type(around),
        }
    }

    fn self_target(&self, from: ItemRef) -> Option<Target> {
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
    fn variant(&self, item: ItemRef, name: &str) -> Option<Target> {
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

    pub(super) fn kind(&self, at: ItemRef) -> Option<ItemKind> {
        self.item(at).map(|item| item.kind)
    }

    fn only_macro(&self, name: &str) -> Option<Target> {
        let mut macros =
            self.index.named(name).iter().filter(|at| self.kind(**at) == Some(ItemKind::MacroRules));
        let first = macros.next()?;
        macros.next().is_none().then_some(Target::Item(*first))
    }
}

/// What a part of a path means. A file's top is a module without an item of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Found {
    Module(ScopeId),
    Other(Target),
}

/// One question and what it has cost so far.
struct Lookup<'a> {
    krate: &'a Crate,
    from: ItemRef,
    /// The asking item is test code: of two definitions, tests' own one is meant.
    in_test: bool,
    /// Whether members of types are looked up.
    members: bool,
    steps: u32,
    open: Vec<(ScopeId, Space, String)>,
}

impl<'a> Lookup<'a> {
    fn new(krate: &'a Crate, from: ItemRef) -> Self {
        let in_test = krate.item(from).is_some_and(|item| item.in_test);
        Self { krate, from, in_test, members: true, steps: 0, open: Vec::new() }
    }

    /// `None` where the path leads nowhere; `Unknown` where it leads to more than one thing.
    fn resolve(&mut self, scope: ScopeId, segments: &[String], space: Space) -> Option<Found> {
        let (first, rest) = segments.split_first()?;
        match first.as_str() {
            "" => self.foreign(rest),
            "crate" | "$crate" => {
                let root = self.root_of(scope)?;
                self.descend_or_guess(root, rest, space)
            }
            "self" => {
                let module = self.module_of(scope)?;
                self.descend_or_guess(module, rest, space)
            }
            "super" => self.resolve_super(scope, rest, space),
            "Self" if !self.members => None,
            "Self" => {
                let target = match rest {
                    [] => self.krate.self_target(self.from),
                    [name] => self.krate.self_member(self.from, name),
                    _ => None,
                };
                target.map(Found::Other)
            }
            _ => self.resolve_name(scope, segments, space),
        }
    }

    fn resolve_super(&mut self, scope: ScopeId, mut rest: &[String], space: Space) -> Option<Found> {
        let mut module = self.module_of(scope)?;
        loop {
            let Some(parent) = self.scope(module)?.parent else {
                // A file given by itself has nothing above it that we can see.
                return self.guess(rest, space);
            };
            module = self.module_of(parent)?;
            match rest.split_first() {
                Some((again, below)) if again == "super" => rest = below,
                _ => return self.descend_or_guess(module, rest, space),
            }
        }
    }

    fn resolve_name(&mut self, scope: ScopeId, segments: &[String], space: Space) -> Option<Found> {
        let (first, rest) = segments.split_first()?;
        let first_space = if rest.is_empty() { space } else { Space::Type };
        // A dependency's name is hardly ever brought by a glob, and asking all globs for `std` is what would cost most.
        let is_crate = first_space != Space::Value && (is_standard(first) || self.krate.is_dependency(first));
        let found = self.lexical(scope, first, first_space, !is_crate);
        if let Some(found) = found {
            return if rest.is_empty() { Some(found) } else { self.below(found, rest, space) };
        }
        if rest.is_empty() {
            return None;
        }
        if self.krate.package.as_deref() == Some(first) {
            if let Some(root) = self.krate.index.first_root {
                return self.descend_or_guess(root, rest, space);
            }
        }
        if let Some(path) = prelude_path(first) {
            let path = path.iter().map(|part| (*part).to_owned()).chain(rest.iter().cloned());
            return Some(Found::Other(Target::External(path.collect())));
        }
        let is_lower = first.starts_with(|letter: char| letter.is_lowercase() || letter == '_');
        (is_crate || is_lower || is_primitive(first))
            .then(|| Found::Other(Target::External(segments.to_vec())))
    }

    /// `::name::…`
    fn foreign(&mut self, segments: &[String]) -> Option<Found> {
        let (first, rest) = segments.split_first()?;
        if self.krate.package.as_deref() == Some(first) {
            let root = self.krate.index.first_root?;
            return self.descend_or_guess(root, rest, Space::Any);
        }
        Some(Found::Other(Target::External(segments.to_vec())))
    }

    /// A name in the scopes around, up to the module.
    fn lexical(&mut self, scope: ScopeId, name: &str, space: Space, globs: bool) -> Option<Found> {
        let mut next = Some(scope);
        while let Some(id) = next {
            if let Some(found) = self.find(id, name, space, globs) {
                return Some(found);
            }
            next = self.scope(id).filter(|it| !it.is_module).and_then(|it| it.parent);
        }
        None
    }

    /// A name in one scope: its items, then named imports, then globs.
    fn find(&mut self, scope: ScopeId, name: &str, space: Space, globs: bool) -> Option<Found> {
        self.steps += 1;
        let key = (scope, space, name.to_owned());
        if self.steps > MAX_STEPS || self.open.len() > MAX_OPEN || self.open.contains(&key) {
            return None;
        }
        self.open.push(key);
        let found = self
            .find_item(scope, name, space)
            .or_else(|| self.find_import(scope, name, space))
            .or_else(|| if globs { self.find_in_globs(scope, name, space) } else { None });
        self.open.pop();
        found
    }

    fn find_item(&self, scope: ScopeId, name: &str, space: Space) -> Option<Found> {
        let it = self.scope(scope)?;
        let ids = it.names.get(name)?;
        let of = |fits: fn(ItemKind) -> bool| self.pick(it, ids, fits);
        match space {
            Space::Type => of(is_type_or_module),
            Space::Value => of(is_value).or_else(|| of(is_constructor)),
            Space::Any => of(is_value).or_else(|| of(is_type_or_module)).or_else(|| of(is_macro)),
        }
    }

    /// Of several definitions under one name (`#[cfg]` chooses one) the one for code like the asking one; types and modules by the first, functions
    /// and constants by none: their bodies differ.
    fn pick(&self, scope: &Scope, ids: &[ItemId], fits: fn(ItemKind) -> bool) -> Option<Found> {
        let refs = ids.iter().map(|item| ItemRef { file: scope.file, item: *item });
        let fitting: Vec<ItemRef> = refs.filter(|at| self.krate.kind(*at).is_some_and(fits)).collect();
        let alike = |at: &&ItemRef| self.krate.item(**at).is_some_and(|item| item.in_test == self.in_test);
        let mut preferred = fitting.iter().filter(alike);
        match (fitting.as_slice(), preferred.next(), preferred.next()) {
            ([], ..) => None,
            ([only], ..) | (_, Some(only), None) => Some(self.found_item(*only)),
            ([first, ..], ..) if self.krate.kind(*first).is_some_and(is_type_or_module) => {
                Some(self.found_item(*first))
            }
            _ => Some(Found::Other(Target::Unknown)),
        }
    }

    fn find_import(&mut self, scope: ScopeId, name: &str, space: Space) -> Option<Found> {
        let krate = self.krate;
        let it = krate.index.scope(scope)?;
        let uses = &krate.files.get(it.file as usize)?.outline.uses;
        let named = it
            .uses
            .iter()
            .filter_map(|number| uses.get(*number as usize))
            .filter(|import| import.name == name);
        for import in named {
            // Alternatives under `#[cfg]` each hold in some build; the first one does.
            if let Some(found) = self.import_path(scope, import, space) {
                return Some(found);
            }
        }
        None
    }

    fn find_in_globs(&mut self, scope: ScopeId, name: &str, space: Space) -> Option<Found> {
        let mut found: Option<Found> = None;
        for import in self.globs(scope) {
            let here = match self.import_path(scope, import, Space::Type) {
                Some(Found::Module(below)) => self.find_visible(below, scope, name, space),
                Some(Found::Other(Target::Item(around))) => {
                    self.krate.variant(around, name).map(Found::Other)
                }
                _ => None,
            };
            match (here, &found) {
                (Some(here), Some(other)) if here != *other => return Some(Found::Other(Target::Unknown)),
                (Some(here), _) => found = Some(here),
                (None, _) => {}
            }
        }
        found
    }

    /// What a glob of `module` brings to `scope`: items, and the imports that are public or that a module below may see.
    fn find_visible(&mut self, module: ScopeId, scope: ScopeId, name: &str, space: Space) -> Option<Found> {
        if self.is_below(scope, module) {
            return self.find(module, name, space, true);
        }
        if let Some(found) = self.find_item(module, name, space) {
            return Some(found);
        }
        let krate = self.krate;
        let it = krate.index.scope(module)?;
        let uses = &krate.files.get(it.file as usize)?.outline.uses;
        let public = it
            .uses
            .iter()
            .filter_map(|number| uses.get(*number as usize))
            .any(|import| import.public && (import.name == name || import.name.is_empty()));
        if public { self.find(module, name, space, true) } else { None }
    }

    fn globs(&self, scope: ScopeId) -> Vec<&'a Use> {
        let Some(it) = self.krate.index.scope(scope) else { return Vec::new() };
        let Some(source) = self.krate.files.get(it.file as usize) else { return Vec::new() };
        let uses = it.uses.iter().filter_map(|number| source.outline.uses.get(*number as usize));
        uses.filter(|import| import.name.is_empty()).collect()
    }

    /// What the path of an import means.
    fn import_path(&mut self, scope: ScopeId, import: &Use, space: Space) -> Option<Found> {
        if let [only] = import.path.as_slice() {
            let is_crate = is_standard(only) || self.krate.is_dependency(only);
            let keyword = matches!(only.as_str(), "crate" | "self" | "super" | "Self");
            if is_crate && !keyword {
                return Some(Found::Other(Target::External(import.path.clone())));
            }
            if !keyword {
                let local = self.lexical(scope, only, space, false);
                return local.or_else(|| Some(Found::Other(Target::External(import.path.clone()))));
            }
        }
        self.resolve(scope, &import.path, space)
    }

    /// The rest of a path below what its beginning means.
    fn below(&mut self, start: Found, rest: &[String], space: Space) -> Option<Found> {
        let Some((name, after)) = rest.split_first() else { return Some(start) };
        match start {
            Found::Module(scope) => self.descend(scope, rest, space),
            Found::Other(Target::External(mut path)) => {
                path.extend(rest.iter().cloned());
                Some(Found::Other(Target::External(path)))
            }
            Found::Other(Target::Item(item)) if self.krate.kind(item) == Some(ItemKind::Mod) => {
                self.guess(rest, space)
            }
            Found::Other(Target::Item(item)) if after.is_empty() => self.associated(item, name),
            Found::Other(_) => None,
        }
    }

    fn descend(&mut self, scope: ScopeId, segments: &[String], space: Space) -> Option<Found> {
        let (name, rest) = segments.split_first()?;
        let found = self.find(scope, name, if rest.is_empty() { space } else { Space::Type }, true)?;
        if rest.is_empty() { Some(found) } else { self.below(found, rest, space) }
    }

    /// As `descend`; where the tree has no such module, the only item of that name in the crate.
    fn descend_or_guess(&mut self, scope: ScopeId, segments: &[String], space: Space) -> Option<Found> {
        if segments.is_empty() {
            return Some(Found::Module(scope));
        }
        if let Some(found) = self.descend(scope, segments, space) {
            return Some(found);
        }
        // Where the first module is there, what it lacks was made by a macro, and a namesake elsewhere is something else.
        let known =
            segments.first().is_some_and(|first| self.find(scope, first, Space::Type, true).is_some());
        let lone = self.root_of(scope).is_none_or(|root| !self.krate.index.known_roots.contains(&root));
        if !known && (segments.len() > 1 || lone) { self.guess(segments, space) } else { None }
    }

    /// The only item of a path's last name, or the member of the only type of its last but one.
    fn guess(&mut self, segments: &[String], space: Space) -> Option<Found> {
        let krate = self.krate;
        let only = |name: &str, fits: fn(ItemKind) -> bool| {
            let mut fitting = krate.index.named(name).iter().filter(|at| {
                let Some(item) = krate.item(**at) else { return false };
                fits(item.kind) && item.in_test <= self.in_test
            });
            let first = fitting.next()?;
            fitting.next().is_none().then_some(*first)
        };
        let (name, before) = segments.split_last()?;
        let item = match space {
            Space::Type => only(name, is_type),
            Space::Value => only(name, |kind| is_value(kind) || is_constructor(kind)),
            Space::Any => only(name, |kind| is_value(kind) || is_type(kind)),
        };
        if let Some(item) = item {
            return Some(Found::Other(Target::Item(item)));
        }
        let around = only(before.last()?, is_type)?;
        self.associated(around, name)
    }

    fn associated(&self, item: ItemRef, name: &str) -> Option<Found> {
        let found =
            if self.members { self.krate.associated(item, name) } else { self.krate.variant(item, name) };
        found.map(Found::Other)
    }

    fn found_item(&self, at: ItemRef) -> Found {
        self.module_scope(at).map_or(Found::Other(Target::Item(at)), Found::Module)
    }

    /// The scope of a module item: inline, or its file's.
    fn module_scope(&self, module: ItemRef) -> Option<ScopeId> {
        let index = &self.krate.index;
        let item = self.krate.item(module).filter(|item| item.kind == ItemKind::Mod)?;
        index.opened_by(module).or_else(|| {
            let around = index.around(&self.krate.files, module)?;
            index.scope(around)?.below.get(&item.name).copied()
        })
    }

    /// A module's item is its inline one or the `mod x;` that declares it; a root has none.
    fn target(&self, found: Found) -> Target {
        let scope = match found {
            Found::Other(target) => return target,
            Found::Module(scope) => scope,
        };
        let Some(it) = self.scope(scope) else { return Target::Unknown };
        let inline = it.owner.map(|item| ItemRef { file: it.file, item });
        inline.or(it.declared).map_or(Target::Unknown, Target::Item)
    }

    fn scope(&self, id: ScopeId) -> Option<&'a Scope> {
        self.krate.index.scope(id)
    }

    /// The module that a scope lies in, or is.
    fn module_of(&self, scope: ScopeId) -> Option<ScopeId> {
        let mut id = scope;
        for _ in 0..256 {
            let it = self.scope(id)?;
            if it.is_module {
                return Some(id);
            }
            id = it.parent?;
        }
        None
    }

    fn root_of(&self, scope: ScopeId) -> Option<ScopeId> {
        let mut id = scope;
        for _ in 0..256 {
            match self.scope(id)?.parent {
                Some(parent) => id = parent,
                None => return Some(id),
            }
        }
        None
    }

    fn is_below(&self, scope: ScopeId, module: ScopeId) -> bool {
        let mut next = Some(scope);
        for _ in 0..256 {
            match next {
                Some(id) if id == module => return true,
                Some(id) => next = self.scope(id).and_then(|it| it.parent),
                None => return false,
            }
        }
        false
    }
}

fn is_type(kind: ItemKind) -> bool {
    matches!(kind, ItemKind::Struct | ItemKind::Enum | ItemKind::Trait | ItemKind::Type)
}

fn is_type_or_module(kind: ItemKind) -> bool {
    is_type(kind) || kind == ItemKind::Mod
}

fn is_value(kind: ItemKind) -> bool {
    matches!(kind, ItemKind::Fn | ItemKind::Const | ItemKind::Static)
}

fn is_constructor(kind: ItemKind) -> bool {
    kind == ItemKind::Struct
}

fn is_macro(kind: ItemKind) -> bool {
    kind == ItemKind::MacroRules
}
