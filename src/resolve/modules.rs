//! The module tree: which file is which module, from the roots through `mod x;`.
//! A file that no module declares is placed by its path, and where that leads nowhere it is a root of its own: nothing is left out.

use super::ItemRef;
use super::index::{Index, ScopeId};
use crate::source::{Item, ItemKind, SourceFile};
use std::collections::HashMap;

/// Gives every file's top scope its parent and name. `declared_roots` are the paths that the manifest names.
pub(super) fn place_modules(index: &mut Index, files: &[SourceFile], declared_roots: &[String]) {
    let paths: HashMap<&str, u32> = files.iter().map(|source| &*source.path).zip(0u32..).collect();
    let mut tree = Tree { index, files, paths, placed: vec![false; files.len()], folders: HashMap::new() };

    for (file, name) in roots(files, declared_roots) {
        if tree.add_root(file, name, folder_of(path_of(files, file))) {
            let top = tree.top(file);
            tree.index.known_roots.extend(top);
        }
    }
    for file in by_depth(files) {
        tree.place_by_path(file);
    }
}

struct Tree<'a> {
    index: &'a mut Index,
    files: &'a [SourceFile],
    paths: HashMap<&'a str, u32>,
    placed: Vec<bool>,
    /// The module whose children lie in a folder.
    folders: HashMap<String, ScopeId>,
}

impl Tree<'_> {
    fn top(&self, file: u32) -> Option<ScopeId> {
        self.index.files.get(file as usize).copied()
    }

    /// Makes a file a root, unless it has a place already.
    fn add_root(&mut self, file: u32, name: String, folder: &str) -> bool {
        let Some(top) = self.top(file) else { return false };
        if !self.take(file) {
            return false;
        }
        // Other roots hang below the first one under a name that is no identifier, so that every full path begins with `crate`.
        let first = *self.index.first_root.get_or_insert(top);
        if let Some(scope) = self.index.scope_mut(first).filter(|_| first != top) {
            scope.below.entry(name.clone()).or_insert(top);
        }
        if let Some(scope) = self.index.scope_mut(top).filter(|_| first != top) {
            scope.name = name;
        }
        self.expand(top, folder.to_owned());
        true
    }

    /// Follows the `mod x;` of a placed file, and theirs.
    fn expand(&mut self, top: ScopeId, folder: String) {
        let mut open = vec![(top, folder)];
        while let Some((scope, folder)) = open.pop() {
            self.folders.entry(folder.clone()).or_insert(scope);
            for (item, name, attribute) in self.declared_modules(scope) {
                let inline = self.index.scope(scope).and_then(|it| it.below.get(&name).copied());
                if let Some(inline) = inline.filter(|inline| self.is_inline(*inline, scope)) {
                    open.push((inline, join(&folder, &name)));
                    continue;
                }
                let Some((file, below)) = self.file_of(scope, &folder, &name, attribute.as_deref()) else {
                    continue;
                };
                let Some(child) = self.top(file) else { continue };
                if let Some(scope) = self.index.scope_mut(scope) {
                    scope.below.entry(name.clone()).or_insert(child);
                }
                if self.take(file) {
                    if let Some(scope_below) = self.index.scope_mut(child) {
                        scope_below.parent = Some(scope);
                        scope_below.declared = Some(item);
                        scope_below.name = name;
                    }
                    open.push((child, below));
                } else {
                    self.prefer_productive(child, item);
                }
            }
        }
    }

    /// Places a file that nothing declares (its `mod` may stand in a macro) below the module whose folder it lies in.
    fn place_by_path(&mut self, file: u32) {
        let path = path_of(self.files, file);
        let (folder, stem) = (folder_of(path), stem_of(path));
        let (name, above) =
            if stem == "mod" { (last_part(folder), folder_of(folder)) } else { (stem, folder) };
        let below = if stem == "mod" { folder.to_owned() } else { join(folder, stem) };
        let parent =
            self.folders.get(above).copied().filter(|_| !matches!(stem, "lib" | "main") && !name.is_empty());
        let Some((parent, top)) = parent.zip(self.top(file)) else {
            let own_folder = if matches!(stem, "mod" | "lib" | "main") { folder.to_owned() } else { below };
            self.add_root(file, path.to_owned(), &own_folder);
            return;
        };
        if !self.take(file) {
            return;
        }
        let name = name.to_owned();
        if let Some(scope) = self.index.scope_mut(parent) {
            scope.below.entry(name.clone()).or_insert(top);
        }
        if let Some(scope) = self.index.scope_mut(top) {
            scope.parent = Some(parent);
            scope.name = name;
        }
        self.expand(top, below);
    }

    /// Of a file that is declared twice, the declaration counts that is not for tests.
    fn prefer_productive(&mut self, child: ScopeId, item: ItemRef) {
        let in_test = |at: ItemRef| {
            let file = self.files.get(at.file as usize);
            file.and_then(|file| file.outline.items.get(at.item.0 as usize)).is_some_and(|item| item.in_test)
        };
        let known = self.index.scope(child).and_then(|scope| scope.declared);
        if known.is_some_and(in_test)
            && !in_test(item)
            && let Some(scope) = self.index.scope_mut(child)
        {
            scope.declared = Some(item);
        }
    }

    /// Marks a file as placed; false if it was.
    fn take(&mut self, file: u32) -> bool {
        self.placed.get_mut(file as usize).is_some_and(|placed| !std::mem::replace(placed, true))
    }

    /// Names of the modules that a scope declares, inline or not, with their `#[path]`.
    fn declared_modules(&self, scope: ScopeId) -> Vec<(ItemRef, String, Option<String>)> {
        let Some(scope) = self.index.scope(scope) else { return Vec::new() };
        let Some(source) = self.files.get(scope.file as usize) else { return Vec::new() };
        let mut items: Vec<_> = scope.names.values().flatten().copied().collect();
        // The table of names has no order of its own.
        items.sort_unstable();
        let modules = items.into_iter().filter_map(|id| {
            let item = source.outline.items.get(id.0 as usize).filter(|item| item.kind == ItemKind::Mod)?;
            let at = ItemRef { file: scope.file, item: id };
            Some((at, item.name.clone(), path_attribute(source, item)))
        });
        modules.collect()
    }

    fn is_inline(&self, child: ScopeId, parent: ScopeId) -> bool {
        let (Some(child), Some(above)) = (self.index.scope(child), self.index.scope(parent)) else {
            return false;
        };
        child.owner.is_some() && child.file == above.file
    }

    /// The file of `mod name;` and the folder of its own children.
    fn file_of(
        &self,
        scope: ScopeId,
        folder: &str,
        name: &str,
        attribute: Option<&str>,
    ) -> Option<(u32, String)> {
        if let Some(written) = attribute {
            let file = self.index.scope(scope)?.file;
            let path = normal(&join(folder_of(path_of(self.files, file)), written));
            let found = *self.paths.get(path.as_str())?;
            return Some((found, folder_of(&path).to_owned()));
        }
        // Raw identifiers name their file without the `r#`.
        let below = join(folder, name.trim_start_matches("r#"));
        let flat = self.paths.get(format!("{below}.rs").as_str());
        let found = *flat.or_else(|| self.paths.get(format!("{below}/mod.rs").as_str()))?;
        Some((found, below))
    }
}

/// Cargo's roots, the library first, each with the segment that stands for it in full paths.
fn roots(files: &[SourceFile], declared: &[String]) -> Vec<(u32, String)> {
    let source_folders: Vec<&str> = files
        .iter()
        .filter(|source| source.path.ends_with("src/lib.rs") || source.path.ends_with("src/main.rs"))
        .map(|source| folder_of(&source.path))
        .collect();
    let in_source = |path: &str| source_folders.iter().any(|folder| is_below(path, folder));
    let beside_source = |path: &str| source_folders.iter().any(|folder| folder_of(folder) == folder_of(path));

    let mut found: Vec<(u32, usize, u32, String)> = Vec::new();
    for (file, source) in (0u32..).zip(files) {
        let path = &*source.path;
        let parts: Vec<&str> = path.split('/').collect();
        let rank = match parts.as_slice() {
            [.., "src", "lib.rs"] => 0,
            [.., "src", "main.rs"] => 2,
            _ if declared.iter().any(|root| is_at(path, root)) => 1,
            [.., "src", "bin", _] | [.., "src", "bin", _, "main.rs"] => 3,
            // `src/tests/x.rs` is a module of the library, not an integration test.
            [.., "tests" | "examples" | "benches", _]
            | [.., "tests" | "examples" | "benches", _, "main.rs"]
                if !in_source(path) =>
            {
                4
            }
            [.., "build.rs"] if beside_source(path) => 5,
            _ => continue,
        };
        found.push((rank, parts.len(), file, path.to_owned()));
    }
    found.sort();
    found.into_iter().map(|(_, _, file, name)| (file, name)).collect()
}

fn is_at(path: &str, suffix: &str) -> bool {
    path.strip_suffix(suffix).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Files with the nearest to the top first, and in one folder `lib.rs`, `main.rs`, `mod.rs` first: parents before children.
fn by_depth(files: &[SourceFile]) -> Vec<u32> {
    let mut order: Vec<(usize, bool, u32)> = (0u32..)
        .zip(files)
        .map(|(file, source)| {
            let stem = stem_of(&source.path);
            let depth =
                source.path.split('/').count() - usize::from(stem == "mod" && source.path.contains('/'));
            (depth, !matches!(stem, "lib" | "main" | "mod"), file)
        })
        .collect();
    order.sort_unstable();
    order.into_iter().map(|(_, _, file)| file).collect()
}

/// The value of `#[path = "…"]`.
fn path_attribute(source: &SourceFile, item: &Item) -> Option<String> {
    let text = source.slice(item.attributes);
    let after = text.split_once("path")?.1.trim_start().strip_prefix('=')?.trim_start().strip_prefix('"')?;
    after.split_once('"').map(|(path, _)| path.to_owned())
}

fn path_of(files: &[SourceFile], file: u32) -> &str {
    files.get(file as usize).map_or("", |source| &*source.path)
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

fn stem_of(path: &str) -> &str {
    let name = last_part(path);
    name.strip_suffix(".rs").unwrap_or(name)
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// A path without `.` and `..`, as far as they can be taken away.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}
