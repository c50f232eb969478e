//! What formats for other tools tell beside the findings: every rule, where files really lie, which package and target they belong to.
//! Plain data; whoever has looked at the machine fills it in.

use crate::model::{Group, Level, Persona};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What is around a report. Empty, it leaves paths as they are shown.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Every rule, by name: also those that did not speak, so that a rule's number is the same in all reports.
    pub rules: Vec<RulePage>,
    /// The folder that paths are told from: absolute, `/` between its parts. Empty: as they are shown.
    pub root: String,
    /// Files by the path that is shown.
    pub files: BTreeMap<String, FileAbout>,
}

/// A rule, for those who have not its page at hand.
#[derive(Clone, Debug)]
pub struct RulePage {
    /// Its name.
    pub name: String,
    /// What it flags, in one line.
    pub title: String,
    /// What the fault does.
    pub group: Group,
    /// How loud.
    pub level: Level,
    /// Whom it is for.
    pub persona: Persona,
    /// Its prose, in Markdown.
    pub page: String,
}

/// A file that a report names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileAbout {
    /// Its absolute path, links resolved, `/` between its parts.
    pub absolute: String,
    /// What cargo would compile it as.
    pub unit: Unit,
}

/// A package and a target in it, in cargo's words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unit {
    /// As `cargo metadata` has it.
    pub package_id: String,
    /// The manifest's absolute path.
    pub manifest_path: String,
    /// The workspace's folder: compiler messages tell paths from here.
    pub workspace: String,
    /// The target.
    pub target: Target,
}

/// A target, in cargo's words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)]
pub struct Target {
    /// `lib`, `bin`, `test`, ….
    pub kind: Vec<String>,
    /// `lib`, `bin`, `proc-macro`, ….
    pub crate_types: Vec<String>,
    /// Its name.
    pub name: String,
    /// The absolute path of its root file.
    pub src_path: String,
    /// The edition.
    pub edition: String,
    /// It has documentation.
    pub doc: bool,
    /// Its documentation is tested.
    pub doctest: bool,
    /// `cargo test` runs it.
    pub test: bool,
}

impl Surroundings {
    /// A file's path from the root, or its absolute path where it lies outside.
    pub(super) fn path<'p>(&'p self, shown: &'p str) -> Cow<'p, str> {
        let Some(about) = self.files.get(shown) else { return Cow::Borrowed(shown) };
        Cow::Borrowed(below(&about.absolute, &self.root).unwrap_or(&about.absolute))
    }
}

/// The rest of a path that lies below a folder.
pub(super) fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(folder.trim_end_matches('/'))?.strip_prefix('/')?;
    (!rest.is_empty()).then_some(rest)
}

/// Whether a path is absolute.
pub(super) fn is_absolute(path: &str) -> bool {
    // Elsewhere `c:` is a name like any other.
    path.starts_with('/') || (cfg!(windows) && path.as_bytes().get(1) == Some(&b':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_told_from_the_root_if_it_lies_below() {
        let about = |absolute: &str| FileAbout { absolute: absolute.to_owned(), ..FileAbout::default() };
        let mut around = Surroundings { root: "/work/project".to_owned(), ..Surroundings::default() };
        around.files.insert("a.rs".to_owned(), about("/work/project/net/a.rs"));
        around.files.insert("../b.rs".to_owned(), about("/work/projects/b.rs"));
        assert_eq!(around.path("a.rs"), "net/a.rs");
        assert_eq!(around.path("../b.rs"), "/work/projects/b.rs");
        assert_eq!(around.path("c.rs"), "c.rs");
    }
}
