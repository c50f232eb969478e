//! The cases of `fixtures/`: each from one `//@ case:` to the next, together with the head of its file; and each folder with a `Cargo.toml`.

use super::{Package, files_below, in_repository};
use std::path::{Path, PathBuf};

/// Something to check by itself.
pub struct Case {
    /// The file or folder, and the case's title.
    pub name: String,
    pub package: Package,
}

/// A file of cases.
pub struct Subject {
    pub head: String,
    /// Title and text, the `//@ case:` line first; and the line in the file at which it begins, 1-based.
    pub cases: Vec<(String, String, usize)>,
}

/// Whether a folder holds what the engine cannot do yet.
pub fn is_pending(folder: &Path) -> bool {
    folder.components().any(|part| part.as_os_str() == "pending")
}

/// The files of cases below a folder; `fixtures` without what is pending and what has its own test.
pub fn subjects(below: &str) -> Vec<PathBuf> {
    let root = in_repository(below);
    let files = files_below(&root).into_iter().filter(|path| path.extension().is_some_and(|it| it == "rs"));
    files
        .filter(|path| {
            let inside = path.strip_prefix(&root).unwrap();
            let apart = ["pending", "cases", "fixes"].iter().any(|apart| inside.starts_with(apart));
            !apart
                && !path
                    .ancestors()
                    .skip(1)
                    .take_while(|it| **it != root)
                    .any(|it| it.join("Cargo.toml").exists())
        })
        .collect()
}

pub fn cases(below: &str) -> Vec<Case> {
    let mut all = Vec::new();
    for path in subjects(below) {
        let subject = read_subject(&path);
        for (title, text, line) in &subject.cases {
            all.push(case_of(&path, &subject, title, text, *line));
        }
    }
    all.extend(crates(below).iter().map(|folder| crate_case(folder)));
    all
}

/// The folders below another that are crates, under the same limits as `subjects`.
pub fn crates(below: &str) -> Vec<PathBuf> {
    let root = in_repository(below);
    let manifests = files_below(&root).into_iter().filter(|path| path.ends_with("Cargo.toml"));
    let folders = manifests.map(|manifest| manifest.parent().unwrap().to_owned());
    let apart = |folder: &Path| folder.starts_with(in_repository("fixtures/cases"));
    folders.filter(|folder| is_pending(folder) == is_pending(&root) && !apart(folder)).collect()
}

pub fn crate_case(folder: &Path) -> Case {
    let name = folder.strip_prefix(in_repository("")).unwrap().display().to_string();
    Case { name, package: Package::of_folder(folder) }
}

pub fn read_subject(path: &Path) -> Subject {
    let text = std::fs::read_to_string(path).unwrap();
    let mut subject = Subject { head: String::new(), cases: Vec::new() };
    for (line, number) in text.lines().zip(1..) {
        if let Some(title) = line.strip_prefix("//@ case:") {
            subject.cases.push((title.trim().to_owned(), String::new(), number));
        }
        let into = subject.cases.last_mut().map_or(&mut subject.head, |(_, text, _)| text);
        into.push_str(line);
        into.push('\n');
    }
    assert!(!subject.cases.is_empty(), "{} has no `//@ case:`", path.display());
    subject
}

/// The head and the case, with empty lines for the cases in between, so that lines are those of the file.
pub fn case_of(path: &Path, subject: &Subject, title: &str, text: &str, line: usize) -> Case {
    let gap = line - 1 - subject.head.lines().count();
    let whole = format!("{}{}{text}", subject.head, "\n".repeat(gap));
    let shown = path.strip_prefix(in_repository("")).unwrap().display().to_string();
    let mut package = Package::of_file(&whole);
    shown.clone_into(&mut package.files[0].0);
    // Modules are found from the root of a package: a file alone is its root.
    package.manifest = format!("{}\n[lib]\npath = \"{shown}\"\n", package.manifest);
    Case { name: format!("{shown}:{line}: {title}"), package }
}
