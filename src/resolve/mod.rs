//! Names over outlines: which item, constant, method or foreign path a name means, and what type a value has, as far as the source says.
//! Bodies are parsed when somebody asks. It answers "unknown" rather than guess; it never judges.

mod bindings;
mod cache;
mod called;
mod callers;
mod calls;
mod fields;
mod index;
mod internal;
mod links;
mod lookup;
mod manifest;
mod members;
mod methods;
mod modules;
mod numbers;
mod paths;
mod prelude;
mod store;
#[cfg(test)]
mod tests;
mod types;
mod versions;
mod words;
mod written;

pub use versions::Dependency;
pub use written::{innermost, peeled};

use crate::source::{Item, ItemId, ItemKind, PackageTexts, SourceFile};
use semver::VersionReq;

/// The files of one package, and what its names mean.
#[derive(Debug)]
pub struct Crate {
    /// Its files, sorted by path.
    pub files: Vec<SourceFile>,
    /// Names of the packages that its `Cargo.toml` lists, `-` written `_`, renamed ones as the code calls them; sorted; empty where there is none.
    pub dependencies: Vec<String>,
    /// The name under which its other targets import its library, `-` written `_`.
    pub package: Option<String>,
    versions: versions::Versions,
    index: index::Index,
    store: store::Store,
    looked_up: cache::Cache,
}

/// An item of a crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemRef {
    /// Index of its file in the crate.
    pub file: u32,
    /// Its index in the file's outline.
    pub item: ItemId,
}

/// What a path means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// An item of this crate: a function (methods and associated functions too), constant, type, module, macro.
    Item(ItemRef),
    /// A variant of an enum of this crate.
    Variant(ItemRef, String),
    /// Something of another crate, by its full path after every `use` and rename: `["tokio", "time", "sleep"]`.
    External(Vec<String>),
    /// Nothing that we can see.
    Unknown,
}

impl Crate {
    /// A crate of these files; `manifest` is the text of its `Cargo.toml`.
    pub fn new(files: Vec<SourceFile>, manifest: Option<&str>) -> Self {
        Self::with(files, PackageTexts { manifest: manifest.map(str::to_owned), ..PackageTexts::default() })
    }

    /// A crate of these files, and what is written beside them.
    pub fn with(mut files: Vec<SourceFile>, texts: PackageTexts) -> Self {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let said = texts.manifest.as_deref().map(manifest::manifest).unwrap_or_default();
        let index = index::Index::new(&files, &said.roots);
        index.mark_test_files(&mut files);
        let store = store::Store::new(&files);
        let (dependencies, package) = (said.dependencies, said.package);
        let versions = versions::Versions::new(texts);
        Self { files, dependencies, package, versions, index, store, looked_up: cache::Cache::new() }
    }

    /// The item itself.
    pub fn item(&self, at: ItemRef) -> Option<&Item> {
        self.files.get(at.file as usize)?.outline.items.get(at.item.0 as usize)
    }

    /// The file of an item.
    pub fn file(&self, at: ItemRef) -> Option<&SourceFile> {
        self.files.get(at.file as usize)
    }

    /// Every item, by file and source order.
    pub fn items(&self) -> impl Iterator<Item = (ItemRef, &Item)> {
        (0u32..).zip(&self.files).flat_map(|(file, source)| {
            (0u32..)
                .zip(&source.outline.items)
                .map(move |(item, it)| (ItemRef { file, item: ItemId(item) }, it))
        })
    }

    /// Whether the manifest lists a package under this name.
    pub fn is_dependency(&self, name: &str) -> bool {
        self.dependencies.binary_search_by(|listed| listed.as_str().cmp(name)).is_ok()
    }

    /// Whether the manifest may list a package of this name (`-` written `_`), perhaps under another.
    pub fn may_list(&self, name: &str) -> bool {
        self.versions.may_list(name)
    }

    /// The versions that a package of this name (`-` written `_`) may have here; empty where nothing is known of it.
    pub fn versions(&self, name: &str) -> Vec<VersionReq> {
        self.versions.of(name)
    }

    /// What `[dependencies]` says of a package of this name (`-` written `_`) that the code may use in any case.
    pub fn dependency(&self, package: &str) -> Option<Dependency> {
        self.versions.dependency(package)
    }

    /// Whether it has a `Cargo.toml`.
    pub fn has_manifest(&self) -> bool {
        self.versions.has_manifest()
    }

    /// `Type::name` of a method, `name` of a function, empty for neither.
    pub fn qualified_name(&self, at: ItemRef) -> String {
        let Some(item) = self.item(at) else { return String::new() };
        let around = item.parent.and_then(|parent| self.item(ItemRef { file: at.file, item: parent }));
        match around {
            Some(parent) if matches!(parent.kind, ItemKind::Impl | ItemKind::Trait) => {
                format!("{}::{}", parent.name, item.name)
            }
            _ => item.name.clone(),
        }
    }
}
