//! The members of a workspace, read off its manifests as text. Asking cargo would run what the project tells it to run.

use super::error::UserError;
use super::surroundings::resolved;
use ignore::gitignore::GitignoreBuilder;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// A manifest above this size is none.
const LARGEST: u64 = 16 << 20;

/// How deep below a workspace a member named by a glob may lie.
const DEEPEST: usize = 8;

/// A package of the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) folder: PathBuf,
    /// What cargo takes where no package is named.
    pub(super) is_default: bool,
}

/// A workspace, or a package that stands for itself.
pub(super) struct Workspace {
    pub(super) folder: PathBuf,
    pub(super) manifest: Table,
}

/// The packages that belong together with a manifest, by their folders.
///
/// # Errors
/// The manifest cannot be read or is none.
pub(super) fn members(manifest: &Path) -> Result<Vec<Member>, UserError> {
    let here = folder_of(manifest);
    let own = read(manifest)?;
    let Workspace { folder: root, manifest: root_manifest } = workspace_of(&here, &own);
    let mut folders: BTreeSet<PathBuf> = BTreeSet::new();
    if root_manifest.contains_key("package") {
        folders.insert(root.clone());
    }
    folders.extend(listed(&root, &root_manifest, "members"));
    // packages that a member depends on by path are members too, where they lie below
    let mut waiting: Vec<PathBuf> = folders.iter().cloned().collect();
    while let Some(folder) = waiting.pop() {
        let Ok(manifest) = read(&folder.join("Cargo.toml")) else { continue };
        for path in paths_of(&manifest) {
            let beside = resolved(&folder.join(path));
            if beside.starts_with(&root)
                && beside.join("Cargo.toml").is_file()
                && folders.insert(beside.clone())
            {
                waiting.push(beside);
            }
        }
    }
    let left_out: BTreeSet<PathBuf> = listed(&root, &root_manifest, "exclude").into_iter().collect();
    folders.retain(|folder| !left_out.contains(folder));
    // a package that its workspace does not list stands for itself
    if own.contains_key("package") && !folders.contains(&here) {
        folders = BTreeSet::from([here.clone()]);
    }
    let defaults: BTreeSet<PathBuf> = if own.contains_key("package") {
        BTreeSet::from([here])
    } else {
        listed(&root, &root_manifest, "default-members").into_iter().collect()
    };
    let mut found = Vec::new();
    for folder in folders {
        let manifest = read(&folder.join("Cargo.toml"))?;
        let Some(name) =
            manifest.get("package").and_then(|package| package.get("name")).and_then(Value::as_str)
        else {
            continue;
        };
        let is_default = defaults.is_empty() || defaults.contains(&folder);
        found.push(Member { name: name.to_owned(), folder, is_default });
    }
    Ok(found)
}

/// The workspace that a package belongs to: the one that it names, else the nearest above unless that excludes it; itself where there is none.
pub(super) fn workspace_of(folder: &Path, manifest: &Table) -> Workspace {
    let own = || Workspace { folder: folder.to_owned(), manifest: manifest.clone() };
    if manifest.contains_key("workspace") {
        return own();
    }
    let at = |folder: PathBuf| {
        let manifest = read(&folder.join("Cargo.toml")).ok()?;
        manifest.contains_key("workspace").then_some(Workspace { folder, manifest })
    };
    let named = manifest.get("package").and_then(|package| package.get("workspace")).and_then(Value::as_str);
    let found = match named {
        Some(named) => at(resolved(&folder.join(named))),
        None => folder.ancestors().skip(1).find_map(|above| at(above.to_owned())),
    };
    found.filter(|found| named.is_some() || !excludes(found, folder)).unwrap_or_else(own)
}

/// Whether a workspace says that a folder below it is none of its members.
fn excludes(workspace: &Workspace, folder: &Path) -> bool {
    let excluded =
        workspace.manifest.get("workspace").and_then(|it| it.get("exclude")).and_then(Value::as_array);
    let mut excluded = excluded.into_iter().flatten().filter_map(Value::as_str);
    excluded.any(|path| folder.starts_with(workspace.folder.join(path)))
}

/// The folders with a manifest that a list of the workspace names, globs among them.
fn listed(root: &Path, manifest: &Table, key: &str) -> Vec<PathBuf> {
    let list = manifest.get("workspace").and_then(|workspace| workspace.get(key)).and_then(Value::as_array);
    let mut found = Vec::new();
    for pattern in list.into_iter().flatten().filter_map(Value::as_str) {
        if !pattern.contains(['*', '?', '[']) {
            found.extend(
                Some(resolved(&root.join(pattern))).filter(|folder| folder.join("Cargo.toml").is_file()),
            );
            continue;
        }
        let mut globs = GitignoreBuilder::new(root);
        if globs.add_line(None, &format!("/{}", pattern.trim_end_matches('/'))).is_err() {
            continue;
        }
        let Ok(globs) = globs.build() else { continue };
        let folders = walkdir::WalkDir::new(root).min_depth(1).max_depth(DEEPEST).sort_by_file_name();
        let folders = folders.into_iter().filter_entry(|entry| {
            entry.file_type().is_dir() && entry.file_name() != "target" && entry.file_name() != ".git"
        });
        for folder in folders.flatten() {
            if globs.matched(folder.path(), true).is_ignore() && folder.path().join("Cargo.toml").is_file() {
                found.push(resolved(folder.path()));
            }
        }
    }
    found
}

/// The paths of a manifest's dependencies.
fn paths_of(manifest: &Table) -> Vec<&str> {
    let tables = ["dependencies", "dev-dependencies", "build-dependencies"];
    let tables = tables.iter().filter_map(|key| manifest.get(*key)?.as_table());
    tables.flat_map(Table::values).filter_map(|value| value.get("path")?.as_str()).collect()
}

fn folder_of(manifest: &Path) -> PathBuf {
    resolved(manifest.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")))
}

/// A manifest's text as a table.
pub(super) fn read(manifest: &Path) -> Result<Table, UserError> {
    let shown = manifest.display();
    // Not a pipe: reading one would wait for ever.
    let about = manifest.metadata().ok().filter(|about| about.is_file() && about.len() <= LARGEST);
    let text = about.and_then(|_| std::fs::read_to_string(manifest).ok());
    let text = text.ok_or_else(|| UserError::new(format!("`{shown}` cannot be read")))?;
    text.parse().map_err(|error: toml::de::Error| {
        UserError::new(format!("`{shown}` is no manifest: {}", error.message()))
            .help("`cargo metadata` says more about it")
    })
}
