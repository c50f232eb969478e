//! Which files are looked at: those named, and the Rust files of the folders named that nobody has ruled out.
//! Nothing of a file is read here, no link is followed, and the order of the answer depends on the paths alone.

use super::ignores::Ignores;
use super::package::Manifests;
use crate::model::Problem;
use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use walkdir::{DirEntry, WalkDir};

/// How folders are walked.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    /// Leave out what `.gitignore` and `.ignore` files rule out. Git's `info/exclude` and the user's own excludes are not read: they differ between machines.
    pub ignore_files: bool,
    /// Read generated files too.
    pub generated: bool,
}

impl Default for Walk {
    fn default() -> Self {
        Self { ignore_files: true, generated: false }
    }
}

/// A file to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where it is, links resolved.
    pub path: PathBuf,
    /// As it is shown: below the path that was given, `./` left out, `/` between its parts.
    pub shown: Arc<str>,
    /// Named itself, not found in a folder.
    pub named: bool,
    /// Read even if it is generated.
    pub generated: bool,
    /// Lies in `tests/`, `benches/` or `examples/` of its package, or is a `tests.rs`; or its package is one that tests others: of a larger
    /// whole, and named after tests, as a folder that leads to it may be.
    pub in_test: bool,
}

/// What a walk found, and what it could not look at.
#[derive(Debug, Default)]
pub struct Walked {
    /// Each file once, sorted by the path that is shown.
    pub files: Vec<Found>,
    /// In the order in which they were met.
    pub errors: Vec<WalkError>,
}

/// A path that could not be looked at.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    /// A path that was named and is not there.
    #[error("`{shown}`: no such file or folder; check the spelling, and the folder that this is run from")]
    Missing {
        /// The path as given.
        shown: String,
    },
    /// A path that cannot be read.
    #[error("`{shown}` cannot be read ({source}); check its permissions, or leave it out")]
    Unreadable {
        /// The path, below the path that was given.
        shown: String,
        /// It was named itself, not found in a folder.
        named: bool,
        /// What the system says.
        source: io::Error,
    },
}

impl WalkError {
    /// Whether the run failed by it: the path was asked for by name.
    pub fn is_fatal(&self) -> bool {
        matches!(self, Self::Missing { .. } | Self::Unreadable { named: true, .. })
    }

    /// The same as a problem of the path as a whole.
    pub fn problem(&self) -> Problem {
        let (Self::Missing { shown } | Self::Unreadable { shown, .. }) = self;
        Problem { path: shown.clone(), line: 0, column: 0, message: self.to_string(), fatal: self.is_fatal() }
    }
}

/// Finds the files of these paths. A file that is named is always among them; of a folder, the `.rs` files below it, without hidden ones,
/// `target/`, symbolic links and what ignore files rule out.
pub fn walk(paths: &[PathBuf], options: &Walk) -> Walked {
    let mut walked = Walked::default();
    let mut manifests = Manifests::default();
    for path in paths {
        match path.canonicalize() {
            Ok(real) if real.is_dir() => walk_folder(path, &real, *options, &mut manifests, &mut walked),
            Ok(real) => walked.files.push(named_file(path, real, &mut manifests)),
            Err(source) => walked.errors.push(not_reached(path, source)),
        }
    }
    let files = &mut walked.files;
    // Of a file that was reached twice, the one that was named stays.
    files.sort_by(|a, b| a.path.cmp(&b.path).then(b.named.cmp(&a.named)));
    files.dedup_by(|later, first| later.path == first.path);
    files.sort_by(|a, b| a.shown.cmp(&b.shown));
    walked
}

/// A path as it is shown to the user.
pub(super) fn shown(path: &Path) -> String {
    let mut text = String::new();
    for part in path.components() {
        match part {
            Component::CurDir => continue,
            Component::RootDir | Component::Prefix(_) => {}
            Component::ParentDir | Component::Normal(_) if text.is_empty() || text.ends_with('/') => {}
            Component::ParentDir | Component::Normal(_) => text.push('/'),
        }
        let name = if part == Component::RootDir { OsStr::new("/") } else { part.as_os_str() };
        text.push_str(&name.to_string_lossy());
    }
    if text.is_empty() { ".".to_owned() } else { text }
}

fn not_reached(path: &Path, source: io::Error) -> WalkError {
    let shown = shown(path);
    match source.kind() {
        io::ErrorKind::NotFound => WalkError::Missing { shown },
        _ => WalkError::Unreadable { shown, named: true, source },
    }
}

fn named_file(given: &Path, real: PathBuf, manifests: &mut Manifests) -> Found {
    // Without a package only the path that was typed can tell, and an absolute one tells of folders that are none of ours.
    let typed = if given.is_relative() { given } else { Path::new("") };
    let in_test = match manifests.folder_of(&real) {
        Some(package) => is_test_path(real.strip_prefix(package).unwrap_or(&real)),
        None => is_test_path(typed),
    };
    let in_test = in_test || manifests.is_for_tests(&real);
    Found { path: real, shown: shown(given).into(), named: true, generated: true, in_test }
}

fn walk_folder(given: &Path, root: &Path, options: Walk, manifests: &mut Manifests, walked: &mut Walked) {
    let mut ignores = options.ignore_files.then(|| Ignores::above(root));
    let mut entries = WalkDir::new(root).sort_by_file_name().into_iter();
    while let Some(entry) = entries.next() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                walked.errors.push(unreadable(given, root, error));
                continue;
            }
        };
        let is_folder = entry.file_type().is_dir();
        let is_root = entry.depth() == 0;
        let left_out = !is_root && (is_hidden(&entry) || is_folder && is_target(&entry));
        let ruled_out = ignores.as_mut().is_some_and(|ignores| {
            ignores.leave(entry.depth());
            !is_root && ignores.ignore(entry.path(), is_folder)
        });
        if is_folder && (left_out || ruled_out) {
            entries.skip_current_dir();
        } else if is_folder {
            if let Some(ignores) = &mut ignores {
                ignores.enter(entry.path(), entry.depth());
            }
        } else if !left_out && !ruled_out && is_rust_file(&entry) {
            walked.files.push(found_file(given, root, entry.into_path(), options, manifests));
        }
    }
}

fn found_file(given: &Path, root: &Path, path: PathBuf, options: Walk, manifests: &mut Manifests) -> Found {
    let below = path.strip_prefix(root).unwrap_or(&path);
    let shown = shown(&given.join(below)).into();
    let package = manifests.folder_of(&path).unwrap_or(root);
    let in_test = is_test_path(path.strip_prefix(package).unwrap_or(below)) || manifests.is_for_tests(&path);
    Found { path, shown, named: false, generated: options.generated, in_test }
}

fn unreadable(given: &Path, root: &Path, error: walkdir::Error) -> WalkError {
    let path = error.path().unwrap_or(root);
    let below = path.strip_prefix(root).unwrap_or(path);
    let named = below.as_os_str().is_empty();
    let shown = shown(&given.join(below));
    WalkError::Unreadable { shown, named, source: error.into() }
}

/// Links are neither files nor folders here: what they lead to is found in its own place, or is outside.
fn is_rust_file(entry: &DirEntry) -> bool {
    entry.file_type().is_file() && entry.path().extension() == Some(OsStr::new("rs"))
}

fn is_hidden(entry: &DirEntry) -> bool {
    entry.file_name().as_encoded_bytes().starts_with(b".")
}

/// Cargo's output. A module may be called `target`, so the name alone is not enough.
fn is_target(entry: &DirEntry) -> bool {
    let path = entry.path();
    entry.file_name() == "target"
        && (path.join("CACHEDIR.TAG").is_file() || path.with_file_name("Cargo.toml").is_file())
}

/// Whether a path below its package is one of test code.
fn is_test_path(below: &Path) -> bool {
    let folders = below.parent().into_iter().flat_map(Path::components);
    let mut names = folders.map(Component::as_os_str);
    let test_folder = |name: &OsStr| {
        ["tests", "benches", "examples", "test_utils", "testutils"].iter().any(|it| name == *it)
    };
    let test_file = |name: &OsStr| ["tests.rs", "test_utils.rs", "testutils.rs"].iter().any(|it| name == *it);
    names.any(test_folder) || below.file_name().is_some_and(test_file)
}
