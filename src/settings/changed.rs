//! Which lines have changed since a revision, as git tells. Only git is run, and of git nothing that runs something else: no hook, no filter,
//! no external diff, no text conversion, no file system monitor, no connection to a partial clone's remote.

use memchr::memmem;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The lines that are new since a revision.
#[derive(Debug, Default)]
pub struct Changed {
    trees: Vec<Tree>,
}

/// Why that cannot be told, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevisionError {
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub help: String,
}

/// A working tree.
#[derive(Debug)]
struct Tree {
    top: PathBuf,
    /// Files that git follows; all else is new.
    tracked: BTreeSet<String>,
    /// Changed lines, first and last, of each file.
    changed: BTreeMap<String, Vec<(u32, u32)>>,
}

impl Changed {
    /// Asks git about the working trees that these paths lie in.
    pub fn since(revision: &str, paths: &[PathBuf]) -> Result<Self, RevisionError> {
        let mut changed = Self::default();
        for path in paths {
            let top = top_of(folder_of(path))?;
            if changed.trees.iter().all(|tree| tree.top != top) {
                changed.trees.push(tree(top, revision)?);
            }
        }
        Ok(changed)
    }

    /// Whether one of these lines (both included) of a file has changed. A file that git does not follow is new as a whole.
    pub fn touches(&self, path: &Path, first: u32, last: u32) -> bool {
        let Ok(path) = std::fs::canonicalize(path) else { return true };
        let below = |tree: &Tree| path.strip_prefix(&tree.top).ok().map(slashed);
        // a working tree may lie in another one
        let inner = self.trees.iter().filter(|tree| path.starts_with(&tree.top));
        let Some(tree) = inner.max_by_key(|tree| tree.top.as_os_str().len()) else { return true };
        let Some(name) = below(tree) else { return true };
        if !tree.tracked.contains(&name) {
            return true;
        }
        let hunks = tree.changed.get(&name);
        hunks.is_some_and(|hunks| hunks.iter().any(|(from, to)| *from <= last && first <= *to))
    }
}

/// A file of the working trees that these paths lie in that has changes which are not committed, or a Rust file that git does not follow: what
/// is done to it git could not take back. `None` where there is none, or no git.
pub fn dirty(paths: &[PathBuf]) -> Result<Option<String>, RevisionError> {
    for path in paths {
        let Ok(top) = top_of(folder_of(path)) else { continue };
        let args = ["status", "--porcelain", "-z", "--untracked-files=all", "--ignore-submodules"];
        let told = git_with(&top, &without_filters(&top)?, &args)?;
        let told = told.map_err(|said| RevisionError {
            what: format!("git cannot tell what has changed: {}", said.trim()),
            help: "run `git status` there, or say --allow-dirty".to_owned(),
        })?;
        let matters = |entry: &&[u8]| !entry.starts_with(b"?? ") || entry.ends_with(b".rs");
        // two letters and a blank, then the name; where that is an old one behind a new one, the new one came first
        let first = told.split(|byte| *byte == 0).find(matters).and_then(|entry| entry.get(3..));
        if let Some(file) = first.filter(|file| !file.is_empty()) {
            return Ok(Some(String::from_utf8_lossy(file).into_owned()));
        }
    }
    Ok(None)
}

/// The folder that a path is or lies in.
fn folder_of(path: &Path) -> &Path {
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

fn slashed(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

fn top_of(folder: &Path) -> Result<PathBuf, RevisionError> {
    let told = git(folder, &["rev-parse", "--show-toplevel"])?;
    let shown = folder.display();
    let told = told.map_err(|said| RevisionError {
        what: format!("`{shown}` is in no git working tree: {}", said.lines().next().unwrap_or_default()),
        help: "leave --new-from-rev out, or use a baseline (`retry-lint baseline write`)".to_owned(),
    })?;
    let top = String::from_utf8_lossy(&told).trim_end_matches(['\n', '\r']).to_owned();
    std::fs::canonicalize(&top).map_err(|error| RevisionError {
        what: format!("git's working tree `{top}` cannot be read: {error}"),
        help: "run it inside of a working tree".to_owned(),
    })
}

fn tree(top: PathBuf, revision: &str) -> Result<Tree, RevisionError> {
    let unknown = || RevisionError {
        what: format!("git knows no revision `{revision}`"),
        help: "fetch it first (a shallow clone has few), or name a branch, tag or commit that is there"
            .to_owned(),
    };
    // what begins with a dash would be an option
    if revision.is_empty() || revision.starts_with('-') {
        return Err(unknown());
    }
    let commit = git(&top, &["rev-parse", "--verify", "--quiet", &format!("{revision}^{{commit}}")])?;
    let commit = commit.map_err(|_| unknown())?;
    let commit = String::from_utf8_lossy(&commit).trim().to_owned();
    let failed = |said: String| RevisionError {
        what: format!("git cannot compare with `{revision}`: {}", said.trim()),
        help: "`git diff` with that revision shows the same".to_owned(),
    };
    let tracked = git(&top, &["ls-files", "-z"])?.map_err(failed)?;
    let tracked = tracked.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let tracked = tracked.map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    let diff = git_with(
        &top,
        &without_filters(&top)?,
        &[
            "diff",
            "-U0",
            "--inter-hunk-context=0",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--no-relative",
            "--ignore-submodules",
            "--text",
            "-M",
            "--src-prefix=a/",
            "--dst-prefix=b/",
            &commit,
            "--",
        ],
    )?;
    let changed = hunks(&diff.map_err(failed)?);
    Ok(Tree { top, tracked, changed })
}

/// Settings that keep a diff from running the filters that the repository's configuration has: a folder that is looked at may bring its own.
fn without_filters(top: &Path) -> Result<Vec<String>, RevisionError> {
    let names = git(
        top,
        &["config", "-z", "--name-only", "--get-regexp", r"^filter\..*\.(clean|process|required)$"],
    )?;
    // it fails where there are none
    let names = names.unwrap_or_default();
    let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(String::from_utf8_lossy);
    let mut settings = Vec::new();
    for name in names {
        if name.contains('=') {
            return Err(RevisionError {
                what: format!("git's setting `{name}` cannot be turned off, and a filter would be run"),
                help: "give the filter a name without `=`".to_owned(),
            });
        }
        let off = if name.ends_with(".required") { "false" } else { "" };
        settings.push(format!("{name}={off}"));
    }
    Ok(settings)
}

/// Runs git: its output, or what it said when it failed.
fn git(folder: &Path, args: &[&str]) -> Result<Result<Vec<u8>, String>, RevisionError> {
    git_with(folder, &[], args)
}

fn git_with(
    folder: &Path,
    settings: &[String],
    args: &[&str],
) -> Result<Result<Vec<u8>, String>, RevisionError> {
    let quiet = [
        "core.fsmonitor=false",
        "core.hooksPath=/dev/null",
        "core.quotePath=false",
        "diff.external=",
        "protocol.allow=never",
    ];
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).arg("--no-pager");
    for setting in quiet.into_iter().chain(settings.iter().map(String::as_str)) {
        command.args(["-c", setting]);
    }
    command.args(args).stdin(Stdio::null());
    command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_NO_LAZY_FETCH", "1").env("GIT_TERMINAL_PROMPT", "0");
    command.env_remove("GIT_EXTERNAL_DIFF").env_remove("GIT_DIFF_OPTS");
    let output = command.output().map_err(|error| RevisionError {
        what: match error.kind() {
            io::ErrorKind::NotFound => "git is not there, and --new-from-rev asks it".to_owned(),
            _ => format!("git cannot be run: {error}"),
        },
        help: "install git, or leave --new-from-rev out".to_owned(),
    })?;
    if output.status.success() {
        return Ok(Ok(output.stdout));
    }
    Ok(Err(String::from_utf8_lossy(&output.stderr).into_owned()))
}

/// The changed lines of each file in a diff without context. Lines of a hunk are counted, not looked at: what they hold may look like anything.
fn hunks(diff: &[u8]) -> BTreeMap<String, Vec<(u32, u32)>> {
    let mut changed: BTreeMap<String, Vec<(u32, u32)>> = BTreeMap::new();
    let mut file: Option<String> = None;
    let mut body = 0_u64;
    for line in diff.split(|byte| *byte == b'\n') {
        if body > 0 {
            // `\ No newline at end of file` belongs to no side
            body -= u64::from(!line.starts_with(b"\\"));
            continue;
        }
        if let Some(name) = line.strip_prefix(b"+++ ") {
            file = file_name(name);
        } else if let Some((old, (start, new))) = line.strip_prefix(b"@@ -").and_then(hunk) {
            body = u64::from(old) + u64::from(new);
            // where lines were only taken away, both neighbours are touched
            let last = if new == 0 { start.saturating_add(1) } else { start.saturating_add(new - 1) };
            if let Some(file) = &file {
                changed.entry(file.clone()).or_default().push((start, last));
            }
        }
    }
    changed
}

/// `1,2 +3,4 @@`: how many lines were there, and where how many are now.
fn hunk(rest: &[u8]) -> Option<(u32, (u32, u32))> {
    let numbers = rest.get(..memmem::find(rest, b" @@")?)?;
    let (old, new) = std::str::from_utf8(numbers).ok()?.split_once(" +")?;
    let side = |text: &str| -> Option<(u32, u32)> {
        match text.split_once(',') {
            Some((start, lines)) => Some((start.parse().ok()?, lines.parse().ok()?)),
            None => Some((text.parse().ok()?, 1)),
        }
    };
    Some((side(old)?.1, side(new)?))
}

/// `b/src/a.rs`, or quoted as C does where the name has odd characters; `None` for `/dev/null`.
fn file_name(shown: &[u8]) -> Option<String> {
    let shown = shown.strip_suffix(b"\t").unwrap_or(shown);
    let plain = match shown.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")) {
        Some(quoted) => unquoted(quoted),
        None => shown.to_vec(),
    };
    plain.strip_prefix(b"b/").map(|name| String::from_utf8_lossy(name).into_owned())
}

fn unquoted(quoted: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    let mut bytes = quoted.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            plain.push(byte);
            continue;
        }
        match bytes.next() {
            Some(first @ b'0'..=b'7') => {
                let mut value = u32::from(first - b'0');
                for _ in 0..2 {
                    if let Some(digit) = bytes.next_if(|digit| (b'0'..=b'7').contains(digit)) {
                        value = value * 8 + u32::from(digit - b'0');
                    }
                }
                plain.push(value as u8);
            }
            Some(b'n') => plain.push(b'\n'),
            Some(b't') => plain.push(b'\t'),
            Some(b'r') => plain.push(b'\r'),
            Some(b'a') => plain.push(7),
            Some(b'b') => plain.push(8),
            Some(b'v') => plain.push(11),
            Some(b'f') => plain.push(12),
            Some(other) => plain.push(other),
            None => {}
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(diff: &str) -> Vec<(String, Vec<(u32, u32)>)> {
        hunks(diff.as_bytes()).into_iter().collect()
    }

    #[test]
    fn added_changed_and_removed_lines() {
        let diff = "diff --git a/x.rs b/x.rs\n--- a/x.rs\n+++ b/x.rs\n@@ -1 +1,3 @@ fn f() {\n-a\n+a\n+b\n+c\n@@ -9,2 +11,0 @@\n-x\n-y\n";
        assert_eq!(lines(diff), [("x.rs".to_owned(), vec![(1, 3), (11, 12)])]);
    }

    #[test]
    fn what_looks_like_a_header_inside_a_hunk_is_none() {
        let diff = "--- a/x.rs\n+++ b/x.rs\n@@ -3,2 +3,2 @@\n--- a/no\n-@@ -1 +1 @@\n+++ b/no.rs\n+@@ -7 +7 @@\n\\ No newline at end of file\n--- a/y.rs\n+++ b/y.rs\n@@ -0,0 +1 @@\n+z\n";
        assert_eq!(lines(diff), [("x.rs".to_owned(), vec![(3, 4)]), ("y.rs".to_owned(), vec![(1, 1)])]);
    }

    #[test]
    fn odd_names_and_broken_hunks() {
        assert_eq!(file_name(b"b/a b.rs\t").as_deref(), Some("a b.rs"));
        assert_eq!(file_name(b"\"b/a\\\"\\303\\244\\n.rs\"").as_deref(), Some("a\"ä\n.rs"));
        assert_eq!(file_name(b"/dev/null"), None);
        for broken in ["@@ -1 +x @@", "@@ -1,2", "@@ -1 +99999999999 @@", "@@ -"] {
            assert_eq!(lines(&format!("+++ b/x.rs\n{broken}\n+a\n")), []);
        }
    }
}
