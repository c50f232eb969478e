//! `.gitignore` and `.ignore` files, from the root of the repository down to the folder that is being walked.
//! The matching is the `ignore` crate's; here is only which files count where.

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::path::Path;

/// An ignore file above this size is no list that a person keeps; compiling it would only cost memory.
const LARGEST_IGNORE_FILE: u64 = 1 << 20;

/// The ignore files that count at one place of a walk.
#[derive(Debug, Default)]
pub(super) struct Ignores {
    /// From the outermost folder to the innermost.
    folders: Vec<Folder>,
}

#[derive(Debug)]
struct Folder {
    /// Depth in the walk; `None` above the folder where it began.
    depth: Option<usize>,
    gitignore: Option<Gitignore>,
    ignore: Option<Gitignore>,
    /// A repository begins here: what Git was told further out does not count.
    repository: bool,
}

impl Ignores {
    /// What counts in the folders above `root` (an absolute path) for what is below; nothing where no repository is around it.
    pub(super) fn above(root: &Path) -> Self {
        let mut folders = Vec::new();
        let begins = |folder: &&Path| folder.join(".git").exists();
        let Some(repository) = root.ancestors().find(begins) else { return Self::default() };
        for folder in root.ancestors().skip(1).take_while(|folder| folder.starts_with(repository)) {
            folders.push(Folder::read(folder, None));
        }
        folders.reverse();
        Self { folders }
    }

    /// The walk is at an entry of this depth: folders that are no longer around it do not count.
    pub(super) fn leave(&mut self, depth: usize) {
        while self.folders.last().is_some_and(|folder| folder.depth.is_some_and(|inner| inner >= depth)) {
            self.folders.pop();
        }
    }

    /// The walk goes into this folder.
    pub(super) fn enter(&mut self, folder: &Path, depth: usize) {
        self.folders.push(Folder::read(folder, Some(depth)));
    }

    /// Whether a file or folder is ruled out: the innermost rule that speaks of it decides, `.ignore` before `.gitignore`.
    pub(super) fn ignore(&self, path: &Path, is_folder: bool) -> bool {
        let innermost = || self.folders.iter().rev();
        let own = innermost().filter_map(|folder| folder.ignore.as_ref());
        // Up to and with the folder in which the innermost repository begins.
        let outside = innermost().position(|folder| folder.repository).map_or(usize::MAX, |at| at + 1);
        let git = innermost().take(outside).filter_map(|folder| folder.gitignore.as_ref());
        own.chain(git)
            .map(|rules| rules.matched(path, is_folder))
            .find(|matched| !matched.is_none())
            .is_some_and(|matched| matches!(matched, Match::Ignore(_)))
    }
}

impl Folder {
    fn read(folder: &Path, depth: Option<usize>) -> Self {
        Self {
            depth,
            gitignore: rules(folder, ".gitignore"),
            ignore: rules(folder, ".ignore"),
            repository: folder.join(".git").exists(),
        }
    }
}

/// The rules of an ignore file. Lines that are no rules are skipped, as Git does.
fn rules(folder: &Path, name: &str) -> Option<Gitignore> {
    let file = folder.join(name);
    // Not a pipe: reading one would wait for ever.
    let readable = file.metadata().is_ok_and(|about| about.is_file() && about.len() <= LARGEST_IGNORE_FILE);
    if !readable {
        return None;
    }
    let mut builder = GitignoreBuilder::new(folder);
    builder.add(file);
    builder.build().ok().filter(|rules| !rules.is_empty())
}
