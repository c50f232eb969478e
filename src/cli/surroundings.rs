//! What formats for other tools tell beside the findings, looked up on the machine: where files really lie, which package they belong to.
//! Asked only where such a format is written.

use super::packages::Packages;
use super::rooms::Card;
use super::run::Looked;
use super::settings::Settings;
use crate::report::{FileAbout, Format, RulePage, Surroundings};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// The folder that paths are told from: the checkout of a CI system where this is run in it, else the current folder.
pub(super) fn root(of_environment: impl Fn(&str) -> Option<PathBuf>) -> PathBuf {
    let here = resolved(Path::new("."));
    let checkouts = ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"].into_iter().filter_map(of_environment);
    let mut checkouts = checkouts.filter(|folder| folder.is_absolute()).map(|folder| resolved(&folder));
    checkouts.find(|folder| here.starts_with(folder)).unwrap_or(here)
}

/// What is around these results; nothing where no format asks for it.
pub(super) fn surroundings(cards: Vec<Card>, looked: &Looked, settings: &Settings) -> Surroundings {
    let files = settings.outputs.iter().map(|output| Format::from(output.format));
    if files.chain([settings.format]).all(Format::lists_sites) {
        return Surroundings::default();
    }
    let root = &settings.root;
    let mut packages = Packages::default();
    let mut around = Surroundings {
        root: shown(root),
        rules: cards.into_iter().map(rule_page).collect(),
        ..Surroundings::default()
    };
    for path in named(looked) {
        let file = resolved(Path::new(path));
        let absolute = shown(&file);
        let about = match packages.unit(&file) {
            Some(unit) => FileAbout { absolute, unit },
            None => FileAbout::loose(absolute),
        };
        around.files.insert(path.to_owned(), about);
    }
    around
}

/// The files that a report names.
fn named(looked: &Looked) -> BTreeSet<&str> {
    let mut named: BTreeSet<&str> = looked.problems.iter().map(|problem| problem.path.as_str()).collect();
    for finding in &looked.findings {
        named.insert(&finding.place.path);
        named.extend(finding.labels.iter().map(|label| &*label.place.path));
        named.extend(finding.site.chain.iter().map(|step| &*step.place.path));
        named.extend(finding.fix.iter().flat_map(|fix| &fix.edits).map(|edit| &*edit.path));
    }
    named
}

fn rule_page(card: Card) -> RulePage {
    let Card { name, title, group, level, persona, page } = card;
    RulePage { name, title, group, level, persona, page }
}

/// An absolute path with links resolved; of a file that is not there (standard input) only its `.` and `..`.
pub(super) fn resolved(path: &Path) -> PathBuf {
    if let Ok(path) = path.canonicalize() {
        return path;
    }
    let here = std::env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default();
    without_dots(&here.join(path))
}

/// A path without its `.` and `..`, as it is written: no link is followed.
pub(super) fn without_dots(path: &Path) -> PathBuf {
    let mut made = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                made.pop();
            }
            part => made.push(part),
        }
    }
    made
}

/// A path with `/` between its parts.
pub(super) fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    if !cfg!(windows) {
        return text.into_owned();
    }
    text.strip_prefix(r"\\?\").unwrap_or(&text).replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_the_checkout_that_this_is_run_in() {
        let here = resolved(Path::new("."));
        let above = here.parent().unwrap_or(&here).to_owned();
        assert_eq!(root(|_| None), here);
        assert_eq!(root(|name| (name == "CI_PROJECT_DIR").then(|| above.clone())), above);
        assert_eq!(root(|_| Some(here.join("src"))), here);
        assert_eq!(root(|_| Some(PathBuf::from("."))), here);
    }

    #[test]
    fn a_file_that_is_not_there_has_a_path_all_the_same() {
        let here = resolved(Path::new("."));
        assert_eq!(resolved(Path::new("no/../such/./file.rs")), here.join("such/file.rs"));
    }
}
