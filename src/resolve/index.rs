//! What is where: items by name, methods, impls, and the scopes (modules and bodies) that names are looked up in.
//! Made once from the outlines, without parsing anything; it holds places, never meanings.

use super::ItemRef;
use super::modules::place_modules;
use crate::source::{Item, ItemId, ItemKind, SourceFile};
use std::collections::{HashMap, HashSet};

/// Index of a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ScopeId(pub u32);

/// A module, or the inside of a body that holds items or imports of its own. Everything in it lies in one file.
#[derive(Debug)]
pub(super) struct Scope {
    /// Its file.
    pub(super) file: u32,
    /// The module or function; `None` for a file's top.
    pub(super) owner: Option<ItemId>,
    /// The `mod x;` that declares a file's top.
    pub(super) declared: Option<ItemRef>,
    /// A module, as against a body.
    pub(super) is_module: bool,
    /// `super` of a module, the scope around a body; `None` for a root.
    pub(super) parent: Option<ScopeId>,
    /// Its segment in full paths.
    pub(super) name: String,
    /// The items that stand in it, by name, in source order. Impls are not among them.
    pub(super) names: HashMap<String, Vec<ItemId>>,
    /// The scopes below it, by the segment that leads there.
    pub(super) below: HashMap<String, ScopeId>,
    /// Its imports, as indices into the outline's.
    pub(super) uses: Vec<u32>,
}

/// Where everything is.
#[derive(Debug, Default)]
pub(super) struct Index {
    scopes: Vec<Scope>,
    /// The scope of each file's top.
    pub(super) files: Vec<ScopeId>,
    by_owner: HashMap<ItemRef, ScopeId>,
    /// The root that `crate` means in full paths: the library's, where there is one.
    pub(super) first_root: Option<ScopeId>,
    /// Roots by cargo's rules, as against files that no module declares.
    pub(super) known_roots: Vec<ScopeId>,
    named: HashMap<String, Vec<ItemRef>>,
    methods: HashMap<String, Vec<ItemRef>>,
    impls: HashMap<String, Vec<ItemRef>>,
    trait_impls: HashMap<String, Vec<ItemRef>>,
}

impl Index {
    /// The index of these files; `roots` are the paths of targets that the manifest names.
    pub(super) fn new(files: &[SourceFile], roots: &[String]) -> Self {
        let mut index = Self::default();
        for (file, source) in (0u32..).zip(files) {
            index.add_scopes(file, source);
            index.add_items(file, source);
        }
        place_modules(&mut index, files, roots);
        index
    }

    /// A scope.
    pub(super) fn scope(&self, id: ScopeId) -> Option<&Scope> {
        self.scopes.get(id.0 as usize)
    }

    /// A scope, to be changed while modules are placed.
    pub(super) fn scope_mut(&mut self, id: ScopeId) -> Option<&mut Scope> {
        self.scopes.get_mut(id.0 as usize)
    }

    /// The scope that a module or body item opens.
    pub(super) fn opened_by(&self, at: ItemRef) -> Option<ScopeId> {
        self.by_owner.get(&at).copied()
    }

    /// The innermost scope around (not of) an item.
    pub(super) fn around(&self, files: &[SourceFile], at: ItemRef) -> Option<ScopeId> {
        let items = &files.get(at.file as usize)?.outline.items;
        let mut next = items.get(at.item.0 as usize)?.parent;
        while let Some(parent) = next {
            if let Some(scope) = self.opened_by(ItemRef { file: at.file, item: parent }) {
                return Some(scope);
            }
            next = items.get(parent.0 as usize).and_then(|item| item.parent).filter(|above| *above < parent);
        }
        self.files.get(at.file as usize).copied()
    }

    /// The module that an item lies in.
    pub(super) fn module_around(&self, files: &[SourceFile], at: ItemRef) -> Option<ScopeId> {
        self.outwards(self.around(files, at)?).find(|id| self.scope(*id).is_some_and(|it| it.is_module))
    }

    /// Whether an item lies in a module, or in one below it.
    pub(super) fn lies_in(&self, files: &[SourceFile], at: ItemRef, module: ScopeId) -> bool {
        self.around(files, at).is_some_and(|scope| self.outwards(scope).any(|id| id == module))
    }

    /// A scope and those around it.
    fn outwards(&self, scope: ScopeId) -> impl Iterator<Item = ScopeId> + '_ {
        std::iter::successors(Some(scope), |id| self.scope(*id)?.parent).take(256)
    }

    /// The scope in which names inside an item are looked up.
    pub(super) fn inside(&self, files: &[SourceFile], at: ItemRef) -> Option<ScopeId> {
        self.opened_by(at).or_else(|| self.around(files, at))
    }

    /// Every item of this name, impls and methods apart.
    pub(super) fn named(&self, name: &str) -> &[ItemRef] {
        self.named.get(name).map_or(&[], Vec::as_slice)
    }

    /// Every function of this name in an impl or a trait.
    pub(super) fn methods(&self, name: &str) -> &[ItemRef] {
        self.methods.get(name).map_or(&[], Vec::as_slice)
    }

    /// Every impl for a type of this name.
    pub(super) fn impls(&self, type_name: &str) -> &[ItemRef] {
        self.impls.get(type_name).map_or(&[], Vec::as_slice)
    }

    /// Every impl of a trait of this name.
    pub(super) fn trait_impls(&self, trait_name: &str) -> &[ItemRef] {
        self.trait_impls.get(trait_name).map_or(&[], Vec::as_slice)
    }

    fn add_scopes(&mut self, file: u32, source: &SourceFile) {
        let top = self.add_scope(Scope::new(file, None, true, None, String::new()));
        self.files.push(top);
        let items = &source.outline.items;
        let owners = owners(source);
        // Parents come first in an outline, so that each scope finds the one around it.
        for (id, item) in (0u32..).map(ItemId).zip(items) {
            let is_module = item.kind == ItemKind::Mod;
            if is_module && item.body.is_none() {
                continue;
            }
            let is_body = matches!(item.kind, ItemKind::Fn | ItemKind::Const | ItemKind::Static);
            if !(is_module || is_body && owners.contains(&id)) {
                continue;
            }
            let parent = self.around_in(items, file, item.parent).unwrap_or(top);
            let name = if is_module { item.name.clone() } else { format!("{{{}#{}}}", item.name, id.0) };
            let scope = self.add_scope(Scope::new(file, Some(id), is_module, Some(parent), name.clone()));
            self.by_owner.insert(ItemRef { file, item: id }, scope);
            if let Some(parent) = self.scope_mut(parent) {
                parent.below.entry(name).or_insert(scope);
            }
        }
        for (number, import) in (0u32..).zip(&source.outline.uses) {
            let scope = self.around_in(items, file, import.scope).unwrap_or(top);
            if let Some(scope) = self.scope_mut(scope) {
                scope.uses.push(number);
            }
        }
    }

    fn add_items(&mut self, file: u32, source: &SourceFile) {
        let items = &source.outline.items;
        for (id, item) in (0u32..).map(ItemId).zip(items) {
            let at = ItemRef { file, item: id };
            if item.kind == ItemKind::Impl {
                self.impls.entry(item.name.clone()).or_default().push(at);
                if let Some(of_trait) = &item.of_trait {
                    self.trait_impls.entry(of_trait.clone()).or_default().push(at);
                }
                continue;
            }
            if is_associated(items, item) {
                if item.kind == ItemKind::Fn {
                    self.methods.entry(item.name.clone()).or_default().push(at);
                }
                continue;
            }
            self.named.entry(item.name.clone()).or_default().push(at);
            let scope = self.around_in(items, file, item.parent);
            if let Some(scope) = scope.and_then(|scope| self.scope_mut(scope)) {
                scope.names.entry(item.name.clone()).or_default().push(id);
            }
        }
    }

    fn around_in(&self, items: &[Item], file: u32, mut parent: Option<ItemId>) -> Option<ScopeId> {
        while let Some(id) = parent {
            if let Some(scope) = self.opened_by(ItemRef { file, item: id }) {
                return Some(scope);
            }
            parent = items.get(id.0 as usize).and_then(|item| item.parent).filter(|above| *above < id);
        }
        self.files.get(file as usize).copied()
    }

    fn add_scope(&mut self, scope: Scope) -> ScopeId {
        let id = ScopeId(u32::try_from(self.scopes.len()).unwrap_or(u32::MAX));
        self.scopes.push(scope);
        id
    }
}

/// Modules that are followed upwards to the one that is for tests.
const MOST_MODULES: usize = 64;

impl Index {
    /// `#[cfg(test)] mod x;`: the file of `x` is test code, and so are those of its own modules.
    pub(super) fn mark_test_files(&self, files: &mut [SourceFile]) {
        let declared = |file: u32| self.scope(*self.files.get(file as usize)?)?.declared;
        let is_test = |file: u32| {
            std::iter::successors(declared(file), |at| declared(at.file)).take(MOST_MODULES).any(|at| {
                let file = files.get(at.file as usize);
                file.and_then(|file| file.outline.items.get(at.item.0 as usize))
                    .is_some_and(|item| item.in_test)
            })
        };
        let marked: Vec<usize> = (0u32..)
            .zip(files.iter())
            .map(|(file, _)| file)
            .filter(|file| is_test(*file))
            .map(|file| file as usize)
            .collect();
        for file in marked {
            if let Some(source) = files.get_mut(file) {
                source.in_test = true;
                source.outline.test_file = true;
                for item in &mut source.outline.items {
                    item.in_test = true;
                }
            }
        }
    }
}

impl Scope {
    fn new(file: u32, owner: Option<ItemId>, is_module: bool, parent: Option<ScopeId>, name: String) -> Self {
        Self {
            file,
            owner,
            declared: None,
            is_module,
            parent,
            name,
            names: HashMap::new(),
            below: HashMap::new(),
            uses: Vec::new(),
        }
    }
}

/// The items directly in an impl, trait or body, in source order.
pub(super) fn members(source: &SourceFile, around: ItemId) -> impl Iterator<Item = (ItemId, &Item)> {
    let items = source.outline.items.as_slice();
    let end = items.get(around.0 as usize).map_or(0, |item| item.span.end);
    (0u32..)
        .map(ItemId)
        .zip(items)
        .skip(around.0 as usize + 1)
        .take_while(move |(_, item)| item.span.start < end)
        .filter(move |(_, item)| item.parent == Some(around))
}

/// Whether an item is a member of an impl or trait.
pub(super) fn is_associated(items: &[Item], item: &Item) -> bool {
    item.parent
        .and_then(|parent| items.get(parent.0 as usize))
        .is_some_and(|parent| matches!(parent.kind, ItemKind::Impl | ItemKind::Trait))
}

/// Items whose body holds items or imports. Of them, bodies need a scope of their own; impls and traits hold members, not names.
fn owners(source: &SourceFile) -> HashSet<ItemId> {
    let parents = source.outline.items.iter().filter_map(|item| item.parent);
    parents.chain(source.outline.uses.iter().filter_map(|import| import.scope)).collect()
}
