//! Globs of a configuration, by the rules of `.gitignore`: a name matches at any depth, a folder stands for all below it.
//! Paths are matched as they lie below the configuration's folder; nothing here asks the disk.

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::ops::Range;
use std::path::Path;

/// A list of globs.
#[derive(Clone, Debug)]
pub struct Globs {
    /// As they are written.
    pub written: Vec<String>,
    /// The bytes of the file in which they are.
    pub at: Range<usize>,
    matcher: Gitignore,
}

impl Default for Globs {
    fn default() -> Self {
        Self { written: Vec::new(), at: 0..0, matcher: Gitignore::empty() }
    }
}

impl Globs {
    /// Takes these globs, or tells which of them is none, and why.
    pub(super) fn new(written: Vec<String>, at: Range<usize>) -> Result<Self, (usize, String)> {
        let mut builder = GitignoreBuilder::new("");
        // Git takes `a[b` as it stands; here it is rather a slip.
        builder.allow_unclosed_class(false);
        for (index, glob) in written.iter().enumerate() {
            let wrong = |why: String| (index, why);
            if glob.trim().is_empty() || glob.starts_with('#') {
                return Err(wrong("is no glob: it matches nothing".to_owned()));
            }
            if glob.split('/').any(|part| part == "..") {
                return Err(wrong("leaves the folder of the configuration".to_owned()));
            }
            builder.add_line(None, glob).map_err(|error| wrong(format!("is no glob: {error}")))?;
        }
        let matcher = builder.build().map_err(|error| (0, format!("cannot be used: {error}")))?;
        Ok(Self { written, at, matcher })
    }

    /// Whether a file is meant, by its path below the configuration's folder.
    pub fn hold(&self, below: &Path) -> bool {
        !below.has_root() && self.matcher.matched_path_or_any_parents(below, false).is_ignore()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_stands_for_all_below_it() {
        let globs = |list: &[&str]| Globs::new(list.iter().map(|glob| (*glob).to_owned()).collect(), 0..0);
        for (list, path, holds) in [
            (&["vendor/"][..], "vendor/a/b.rs", true),
            (&["vendor"], "x/vendor/b.rs", true),
            (&["/vendor"], "x/vendor/b.rs", false),
            (&["src/*.rs"], "src/a.rs", true),
            (&["src/*.rs"], "src/deep/a.rs", false),
            (&["src/**"], "src/deep/a.rs", true),
            (&["*.rs", "!keep.rs"], "src/keep.rs", false),
            (&[], "src/a.rs", false),
            (&["*"], "/etc/a.rs", false),
        ] {
            assert_eq!(globs(list).unwrap().hold(Path::new(path)), holds, "{list:?} {path}");
        }
        for list in [&["ok", "a[b-"][..], &["ok", ""], &["ok", "# no"], &["ok", "../x"], &["ok", "{a"]] {
            assert_eq!(globs(list).unwrap_err().0, 1, "{list:?}");
        }
    }
}
