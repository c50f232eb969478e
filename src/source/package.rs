//! Which package a file belongs to, and the package's other files, so that a file that is named alone is judged with what its names mean.

use super::walk::{Walk, Walked, walk};
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

/// A manifest above this size is none.
const LARGEST_MANIFEST: u64 = 16 << 20;

/// The folder of the package that a file belongs to: the nearest above it with a `Cargo.toml` that has a `[package]`.
/// Relative where the file's path is, so that what is shown of it stays short.
pub fn package_folder(file: &Path) -> Option<PathBuf> {
    folders_above(file).find(|folder| has_package(&folder.join("Cargo.toml")))
}

/// The Rust files below a package's `src/`, generated ones too.
pub fn package_sources(package: &Path) -> Walked {
    let sources = package.join("src");
    if !sources.is_dir() {
        return Walked::default();
    }
    walk(&[sources], &Walk { generated: true, ..Walk::default() })
}

/// What is written of a package beside its sources.
#[derive(Clone, Debug, Default)]
pub struct PackageTexts {
    /// Its `Cargo.toml`.
    pub manifest: Option<String>,
    /// The nearest `Cargo.toml` above it that makes a workspace.
    pub workspace: Option<String>,
    /// The nearest `Cargo.lock`.
    pub lock: Option<String>,
}

/// The texts of the package in this folder.
pub fn package_texts(folder: &Path) -> PackageTexts {
    // named like a file in it, so that the folder itself is asked first
    let above: Vec<PathBuf> = folders_above(&folder.join("Cargo.toml")).collect();
    let workspace = above.iter().skip(1).map(|folder| folder.join("Cargo.toml")).find_map(|path| {
        small_text(&path).filter(|text| text.lines().any(|line| line.trim_start().starts_with("[workspace")))
    });
    PackageTexts {
        manifest: small_text(&folder.join("Cargo.toml")),
        workspace,
        lock: above.iter().find_map(|folder| small_text(&folder.join("Cargo.lock"))),
    }
}

/// A text that a person or cargo keeps. Not a pipe: reading one would wait for ever.
fn small_text(path: &Path) -> Option<String> {
    path.metadata().ok().filter(|about| about.is_file() && about.len() <= LARGEST_MANIFEST)?;
    std::fs::read_to_string(path).ok()
}

/// Where the nearest `Cargo.toml` is, of any kind, remembered by folder: a walk asks for each file.
#[derive(Debug, Default)]
pub(super) struct Manifests {
    folders: HashMap<PathBuf, Option<PathBuf>>,
    tests: HashMap<PathBuf, bool>,
}

impl Manifests {
    /// The folder of the manifest nearest to a file, whose path is absolute.
    pub(super) fn folder_of(&mut self, file: &Path) -> Option<&Path> {
        let folder = file.parent()?;
        let nearest = self.folders.entry(folder.to_owned()).or_insert_with(|| {
            folder.ancestors().find(|above| above.join("Cargo.toml").is_file()).map(Path::to_owned)
        });
        nearest.as_deref()
    }

    /// Whether a file's package is there to test others: below the outermost manifest, its name or a folder that leads to it has a word for
    /// tests (`tests-fuzz/`, `crates/e2e/`, `tests/runner/`, `node-test-utils`). What stands alone, or at the top, is what is tested.
    pub(super) fn is_for_tests(&mut self, file: &Path) -> bool {
        let Some(package) = self.folder_of(file).map(Path::to_owned) else { return false };
        if let Some(known) = self.tests.get(&package) {
            return *known;
        }
        let outermost = package.ancestors().skip(1).filter(|above| above.join("Cargo.toml").is_file()).last();
        let is = outermost.is_some_and(|top| {
            let mut folders = package.strip_prefix(top).into_iter().flat_map(Path::components);
            folders.any(|folder| is_named_after_tests(&folder.as_os_str().to_string_lossy()))
                || package_name(&package).is_some_and(|name| is_named_after_tests(&name))
        });
        self.tests.insert(package, is);
        is
    }
}

/// The name that the manifest in a folder gives its package.
fn package_name(folder: &Path) -> Option<String> {
    let table = small_text(&folder.join("Cargo.toml"))?.parse::<toml::Table>().ok()?;
    Some(table.get("package")?.get("name")?.as_str()?.to_owned())
}

/// Whether a whole word of a name says that it tests, fuzzes or measures: `latest` and `testnet` do not.
fn is_named_after_tests(name: &str) -> bool {
    name.split(|c: char| !c.is_alphanumeric()).any(|word| {
        matches!(
            word.to_ascii_lowercase().as_str(),
            "test"
                | "tests"
                | "testing"
                | "e2e"
                | "fuzz"
                | "fuzzing"
                | "fuzzer"
                | "fuzzers"
                | "bench"
                | "benches"
                | "benchmark"
                | "benchmarks"
                | "benchmarking"
        )
    })
}

/// The folders above a file, `..` where its path has no more parts: as many as there really are.
fn folders_above(file: &Path) -> impl Iterator<Item = PathBuf> {
    let count = std::path::absolute(file).map_or(0, |file| file.components().count());
    let first = file.parent().unwrap_or(Path::new("")).to_owned();
    std::iter::successors(Some(first), |folder| Some(above(folder))).take(count)
}

fn above(folder: &Path) -> PathBuf {
    match folder.components().next_back() {
        Some(Component::Normal(_)) => folder.parent().unwrap_or(Path::new("")).to_owned(),
        Some(Component::RootDir | Component::Prefix(_)) => folder.to_owned(),
        Some(Component::CurDir) | None => PathBuf::from(".."),
        Some(Component::ParentDir) => folder.join(".."),
    }
}

fn has_package(manifest: &Path) -> bool {
    let Some(text) = small_text(manifest) else { return false };
    match text.parse::<toml::Table>() {
        Ok(table) => table.contains_key("package"),
        // Broken, but its author still means a package.
        Err(_) => text.lines().any(|line| line.trim() == "[package]"),
    }
}
