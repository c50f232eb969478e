//! Files that fixes change, manifests among them: shown as a diff, or written. Each is replaced as a whole or stays as it was, and one that
//! somebody else has changed, or that nobody may write, is left alone.

use super::configured::real;
use super::surroundings;
use crate::model::{Needed, Problem};
use crate::report::is_steering;
use crate::settings::Draft;
use codespan_reporting::term::termcolor::{Color, ColorSpec, WriteColor};
use similar::TextDiff;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// A file that changes.
#[derive(Clone, Debug)]
pub(super) struct Rewritten {
    pub(super) path: PathBuf,
    /// The path as people are told it.
    pub(super) shown: String,
    pub(super) before: String,
    pub(super) after: String,
    /// How many fixes are in it.
    pub(super) fixes: usize,
    /// The manifest that changes with it; without that it would not compile.
    pub(super) manifest: Option<PathBuf>,
}

/// A file that stays as it was, and why.
#[derive(Debug)]
pub(super) struct Unwritten {
    pub(super) path: PathBuf,
    pub(super) shown: String,
    pub(super) why: String,
    pub(super) help: &'static str,
}

impl Unwritten {
    /// The same as a report tells it.
    pub(super) fn problem(&self) -> Problem {
        let message = format!("{}; {}", self.why, self.help);
        Problem { path: self.shown.clone(), line: 0, column: 0, message, fatal: true }
    }
}

/// The manifests with the crates that fixes need, by the folders of the packages; what could not be added is told.
pub(super) fn manifests(needs: &BTreeMap<PathBuf, BTreeSet<Needed>>) -> (Vec<Rewritten>, Vec<Unwritten>) {
    let mut made = Vec::new();
    let mut failed = Vec::new();
    for (folder, needs) in needs {
        let path = folder.join("Cargo.toml");
        let shown = from_here(&surroundings::shown(&path));
        let before = std::fs::read_to_string(&path).map_err(|error| format!("cannot be read: {error}"));
        let with = before.and_then(|text| match with_dependencies(&text, needs) {
            Ok(after) => Ok((text, after)),
            Err(error) => Err(format!("cannot be changed: {error}")),
        });
        match with {
            Ok((before, after)) => {
                made.push(Rewritten { path, shown, before, after, fixes: 0, manifest: None });
            }
            Err(why) => failed.push(Unwritten {
                path,
                shown,
                why,
                help: "add the dependency by hand, then run --fix without --add-dependency",
            }),
        }
    }
    (made, failed)
}

/// A manifest with more dependencies, all else as it was.
fn with_dependencies(text: &str, needs: &BTreeSet<Needed>) -> Result<String, String> {
    let (mark, toml) = text.strip_prefix('\u{feff}').map_or(("", text), |toml| ("\u{feff}", toml));
    let mut document: toml_edit::DocumentMut =
        toml.parse().map_err(|error: toml_edit::TomlError| error.message().to_owned())?;
    let listed = document.entry("dependencies").or_insert_with(toml_edit::table);
    let is_missing = |it: &&Needed| listed.as_table_like().is_none_or(|table| !table.contains_key(&it.name));
    let missing: Vec<&Needed> = needs.iter().filter(is_missing).collect();
    if missing.is_empty() {
        return Ok(text.to_owned());
    }
    for needed in missing {
        if let Some(inline) = listed.as_inline_table_mut() {
            add_inline(inline, needed);
            continue;
        }
        let table = listed.as_table_like_mut().ok_or("`dependencies` is no table")?;
        table.insert(&needed.name, toml_edit::value(&needed.version));
    }
    let made = document.to_string();
    // what renders it ends every line in the same way
    let made = if toml.contains("\r\n") { made.replace("\r\n", "\n").replace('\n', "\r\n") } else { made };
    // nor does it leave the last line as it was, where nothing ended that
    let made = if toml.ends_with('\n') { made } else { made.trim_end_matches(['\r', '\n']).to_owned() };
    Ok(format!("{mark}{made}"))
}

/// `{ a = "1" }`: the blank before the bracket stays there.
fn add_inline(table: &mut toml_edit::InlineTable, needed: &Needed) {
    let mut value = toml_edit::Value::from(&needed.version);
    if let Some((_, last)) = table.iter_mut().last() {
        let blank = last.decor().suffix().and_then(|it| it.as_str()).unwrap_or_default().to_owned();
        last.decor_mut().set_suffix("");
        value.decor_mut().set_suffix(blank);
    }
    value.decor_mut().set_prefix(" ");
    table.insert(&needed.name, value);
}

/// Writes what changed, manifests first: a source whose manifest could not be changed is left as well. What was not written is told.
pub(super) fn write(files: &[Rewritten], mut failed: Vec<Unwritten>) -> Vec<Unwritten> {
    let is_manifest = |file: &&Rewritten| files.iter().any(|it| it.manifest.as_ref() == Some(&file.path));
    let (manifests, sources): (Vec<_>, Vec<_>) = files.iter().partition(is_manifest);
    for file in manifests.into_iter().chain(sources) {
        let without = file.manifest.as_ref().is_some_and(|path| failed.iter().any(|it| it.path == *path));
        let written = if without {
            Err(("is left as it is, because its manifest was not changed".to_owned(), "mend that first"))
        } else {
            write_one(file)
        };
        if let Err((why, help)) = written {
            failed.push(Unwritten { path: file.path.clone(), shown: file.shown.clone(), why, help });
        }
    }
    failed
}

fn write_one(file: &Rewritten) -> Result<(), (String, &'static str)> {
    let cannot = |error: io::Error| {
        (format!("cannot be written: {error}"), "it is as it was; mend its permissions, or its folder's")
    };
    let now = std::fs::read(&file.path)
        .map_err(|error| (format!("cannot be read again: {error}"), "it is left as it is"))?;
    if now != file.before.as_bytes() {
        return Err(("has changed since it was read, and is left as it is".to_owned(), "run --fix again"));
    }
    let about = std::fs::metadata(&file.path).map_err(cannot)?;
    // a file is replaced by its folder's leave, not by its own
    if about.permissions().readonly() {
        return Err((
            "is read-only, and is left as it is".to_owned(),
            "make it writable, and run --fix again",
        ));
    }
    replace(&file.path, &file.after, about.permissions()).map_err(cannot)
}

fn replace(path: &Path, text: &str, permissions: std::fs::Permissions) -> io::Result<()> {
    let mut draft = Draft::beside(path)?;
    // before anything is in it that not everybody may read
    draft.permissions(permissions)?;
    draft.write_all(text.as_bytes())?;
    draft.replace()
}

/// A unified diff of all that changes, as `git apply` takes it.
pub(super) fn diff(files: &[Rewritten], out: &mut dyn WriteColor) -> io::Result<()> {
    let of = |color| ColorSpec::new().set_fg(Some(color)).clone();
    for file in files {
        for (number, line) in diff_of(file).split_inclusive('\n').enumerate() {
            let color = match line.as_bytes().first() {
                _ if number < 2 => ColorSpec::new().set_bold(true).clone(),
                Some(b'@') => of(Color::Cyan),
                Some(b'-') => of(Color::Red),
                Some(b'+') => of(Color::Green),
                _ => ColorSpec::new(),
            };
            let (text, end) = line.strip_suffix('\n').map_or((line, ""), |text| (text, "\n"));
            if color.is_none() {
                write!(out, "{line}")?;
                continue;
            }
            out.set_color(&color)?;
            write!(out, "{text}")?;
            out.reset()?;
            write!(out, "{end}")?;
        }
    }
    Ok(())
}

fn diff_of(file: &Rewritten) -> String {
    // for git a line ends with `\n` and nothing else
    let before: Vec<&str> = file.before.split_inclusive('\n').collect();
    let after: Vec<&str> = file.after.split_inclusive('\n').collect();
    let changed = TextDiff::configure().newline_terminated(true).diff_slices(&before, &after);
    let name = from_here(&file.shown);
    let (old, new) = (quoted(&format!("a/{name}")), quoted(&format!("b/{name}")));
    changed.unified_diff().header(&old, &new).to_string()
}

/// A path as a patch has it: from the current folder, without dots, which git would refuse.
pub(super) fn from_here(shown: &str) -> String {
    let path = surroundings::without_dots(Path::new(shown));
    let here = real(Path::new("."));
    let below = real(Path::new(shown));
    let name = match below.strip_prefix(&here) {
        Ok(below) if path.is_absolute() || shown.starts_with("..") => surroundings::shown(below),
        _ => surroundings::shown(&path),
    };
    name.trim_start_matches('/').to_owned()
}

/// A name as git writes one that has a quote, a control character or one that is not to be seen.
fn quoted(name: &str) -> String {
    if !name.chars().any(|ch| ch == '"' || ch == '\\' || is_steering(ch)) {
        return name.to_owned();
    }
    let mut made = "\"".to_owned();
    for ch in name.chars() {
        match ch {
            '"' | '\\' => made.extend(['\\', ch]),
            ch if is_steering(ch) => {
                for byte in ch.encode_utf8(&mut [0; 4]).bytes() {
                    // Writing to a String cannot fail.
                    let _ = write!(made, "\\{byte:03o}");
                }
            }
            ch => made.push(ch),
        }
    }
    made + "\""
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_dependency_is_added_and_all_else_stays() {
        let needs = BTreeSet::from([Needed { name: "fastrand".to_owned(), version: "2".to_owned() }]);
        let with = |text: &str| with_dependencies(text, &needs).unwrap();
        for (before, after) in [
            (
                "[package]\nname = \"a\" # ours\n\n[dependencies]\ntokio = \"1\"   # the runtime\n\n[features]\nx = []\n",
                "[package]\nname = \"a\" # ours\n\n[dependencies]\ntokio = \"1\"   # the runtime\nfastrand = \"2\"\n\n[features]\nx = []\n",
            ),
            ("[package]\nname = \"a\"\n", "[package]\nname = \"a\"\n\n[dependencies]\nfastrand = \"2\"\n"),
            (
                "\u{feff}[package]\r\nname = \"a\"\r\n[dependencies]\r\ntokio.workspace = true\r\n",
                "\u{feff}[package]\r\nname = \"a\"\r\n[dependencies]\r\ntokio.workspace = true\r\nfastrand = \"2\"\r\n",
            ),
            (
                "dependencies = { a = \"1\" }\npackage.name = \"a\"\n",
                "dependencies = { a = \"1\", fastrand = \"2\" }\npackage.name = \"a\"\n",
            ),
        ] {
            assert_eq!(with(before), after);
            assert_eq!(with(after), after, "twice is once");
        }
        assert!(with_dependencies("[package", &needs).is_err());
        assert!(with_dependencies("dependencies = 1", &needs).is_err());
    }

    fn file(name: &str) -> (PathBuf, Rewritten) {
        let folder = std::env::temp_dir().join(format!("retry-lint-rewriting-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a.rs");
        fs::write(&path, "before").unwrap();
        let (before, after) = ("before".to_owned(), "after".to_owned());
        (folder, Rewritten { path, shown: "a.rs".to_owned(), before, after, fixes: 1, manifest: None })
    }

    #[test]
    fn what_somebody_else_has_changed_is_left_alone() {
        let (folder, file) = file("changed");
        fs::write(&file.path, "theirs").unwrap();
        let failed = write(std::slice::from_ref(&file), Vec::new());
        assert!(failed.first().unwrap().why.contains("has changed since it was read"), "{failed:?}");
        assert_eq!(fs::read_to_string(&file.path).unwrap(), "theirs");
        fs::remove_file(&file.path).unwrap();
        assert!(write_one(&file).unwrap_err().0.contains("cannot be read again"));
        fs::write(&file.path, "before").unwrap();
        assert!(write(std::slice::from_ref(&file), Vec::new()).is_empty());
        assert_eq!(fs::read_to_string(&file.path).unwrap(), "after");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "a draft is left");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_source_stays_where_its_manifest_does() {
        let (folder, mut file) = file("manifest");
        let path = folder.join("Cargo.toml");
        file.manifest = Some(path.clone());
        let (before, after) = ("as read".to_owned(), "x".to_owned());
        fs::write(&path, "other").unwrap();
        let manifest =
            Rewritten { path, shown: "Cargo.toml".to_owned(), before, after, fixes: 0, manifest: None };
        let failed = write(&[file.clone(), manifest], Vec::new());
        let told: Vec<&str> = failed.iter().map(|it| it.shown.as_str()).collect();
        assert_eq!(told, ["Cargo.toml", "a.rs"]);
        assert_eq!(fs::read_to_string(&file.path).unwrap(), "before");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn names_are_written_as_git_reads_them() {
        assert_eq!(quoted("a/b c é.rs"), "a/b c é.rs");
        assert_eq!(quoted("a/\"\\\n\u{202e}"), "\"a/\\\"\\\\\\012\\342\\200\\256\"");
        assert_eq!(from_here("./src/./a.rs"), "src/a.rs");
        assert_eq!(from_here("<stdin>"), "<stdin>");
        let here = std::env::current_dir().unwrap().join("src/lib.rs");
        assert_eq!(from_here(here.to_str().unwrap()), "src/lib.rs");
    }

    #[test]
    fn lines_of_a_diff_end_where_git_ends_them() {
        let (before, after) = ("// a\rb\r\nx".to_owned(), "// a\rb\r\ny".to_owned());
        let file = Rewritten {
            path: "a.rs".into(),
            shown: "a.rs".to_owned(),
            before,
            after,
            fixes: 1,
            manifest: None,
        };
        assert_eq!(
            diff_of(&file),
            "--- a/a.rs\n+++ b/a.rs\n@@ -1,2 +1,2 @@\n // a\rb\r\n-x\n\\ No newline at end of file\n+y\n\\ No newline at end of file\n"
        );
    }
}
