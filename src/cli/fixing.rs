//! `--fix` and `--diff`: findings' fixes applied round after round, until none is left, and then written or shown. Files are read as often as
//! that takes from memory; the disk is written once, at the end, each file whole or not at all.

use super::args::Options;
use super::configured::real;
use super::error::{Stop, UserError};
use super::run::{Judging, Looked, run};
use super::settings::{Inputs, Settings};
use crate::fix::apply;
use crate::model::{Edit, Finding, Fix, Needed, Problem, Safety};
use crate::settings::{Draft, dirty};
use clap::Args;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rounds of fixes: one fix may make room for the next, and each is smaller than what it mends.
const MOST_ROUNDS: usize = 10;

/// What is done about findings.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Fixing")]
// each is a switch of its own on the command line
#[allow(clippy::struct_excessive_bools)]
pub(super) struct FixArgs {
    /// Apply the safe fixes: those that change nothing but the fault.
    #[arg(long, global = true, conflicts_with = "diff")]
    pub(super) fix: bool,

    /// Fixes that change more than the fault, too: how long callers wait, how often is tried.
    #[arg(long, global = true)]
    pub(super) unsafe_fixes: bool,

    /// Show what `--fix` would change, and change nothing.
    #[arg(long, global = true)]
    pub(super) diff: bool,

    /// Apply fixes although git has changes that are not committed.
    #[arg(long, global = true, requires = "fix")]
    pub(super) allow_dirty: bool,

    /// Where a fix needs a random number and the package depends on no source of one, add this crate to its `Cargo.toml`.
    #[arg(long, global = true, value_name = "CRATE")]
    pub(super) add_dependency: Option<String>,
}

impl FixArgs {
    /// Whether sources are to be changed, or shown as they would be.
    pub(super) fn asked(&self) -> bool {
        self.fix || self.diff
    }
}

/// Texts that stand in for files on disk, by path.
pub(super) type Texts = BTreeMap<PathBuf, String>;

/// What came of fixing.
#[derive(Debug, Default)]
pub(super) struct Fixed {
    /// Each file that changes: as shown, as it was read and as it is now.
    pub(super) files: Vec<Rewritten>,
    /// How many fixes that makes.
    pub(super) count: usize,
    /// Fixes that would need `--unsafe-fixes`.
    pub(super) held_back: usize,
    /// Crates that manifests lack, by the folder of the package.
    pub(super) needs: BTreeMap<PathBuf, BTreeSet<Needed>>,
}

/// A file that changes.
#[derive(Debug)]
pub(super) struct Rewritten {
    pub(super) path: PathBuf,
    pub(super) shown: String,
    pub(super) before: String,
    pub(super) after: String,
}

/// Looks, applies, and looks again until nothing more is to be applied; what is left is what the last look found.
pub(super) fn fixed(
    settings: &Settings,
    options: &Options,
    judging: Judging,
    leave_out: &dyn Fn(&mut Looked),
) -> Result<(Looked, Fixed), Stop> {
    let mut made = Fixed::default();
    let mut texts = Texts::new();
    let mut looked = run(settings, options, Some(judging), &texts)?;
    leave_out(&mut looked);
    for _ in 0..MOST_ROUNDS {
        let chosen = chosen(&looked.findings, options.fixing.unsafe_fixes);
        if chosen.is_empty() {
            break;
        }
        for (path, edits) in by_file(&chosen) {
            let Some(place) = looked.paths.get(&path).cloned() else { continue };
            let before = looked.sources.text(&path);
            let Some(after) = apply(before, &edits) else { continue };
            if !made.files.iter().any(|file| file.path == place) {
                let (shown, before) = (path.to_string(), before.to_owned());
                made.files.push(Rewritten { path: place.clone(), shown, before, after: String::new() });
            }
            texts.insert(place, after);
        }
        made.count += chosen.len();
        for fix in &chosen {
            made.note_need(&looked, fix);
        }
        looked = run(settings, options, Some(judging), &texts)?;
        leave_out(&mut looked);
    }
    for file in &mut made.files {
        file.after = texts.get(&file.path).cloned().unwrap_or_default();
    }
    made.files.retain(|file| file.before != file.after);
    made.files.sort_by(|one, other| one.shown.cmp(&other.shown));
    made.held_back = looked.findings.iter().filter(|it| it.fix.is_some()).count();
    Ok((looked, made))
}

impl Fixed {
    fn note_need(&mut self, looked: &Looked, fix: &Fix) {
        let Some(needs) = fix.needs.clone() else { return };
        let path = fix.edits.first().and_then(|edit| looked.paths.get(&edit.path));
        if let Some(folder) = path.and_then(|path| super::rooms::package_folder(path)) {
            self.needs.entry(folder).or_default().insert(needs);
        }
    }
}

/// The fixes that may be applied together: one a site, none at the same bytes as another.
fn chosen(findings: &[Finding], with_unsafe: bool) -> Vec<&Fix> {
    let mut taken: Vec<&Fix> = Vec::new();
    let mut sites: BTreeSet<(Arc<str>, u32)> = BTreeSet::new();
    for finding in findings {
        let Some(fix) = finding.fix.as_ref().filter(|fix| with_unsafe || fix.safety == Safety::Safe) else {
            continue;
        };
        let apart = |edit: &Edit| {
            taken.iter().flat_map(|other| &other.edits).all(|other| {
                edit.path != other.path
                    || edit.end_byte < other.start_byte
                    || other.end_byte < edit.start_byte
            })
        };
        let site = (finding.site.place.path.clone(), finding.site.place.start_byte);
        if !sites.contains(&site) && fix.edits.iter().all(apart) {
            sites.insert(site);
            taken.push(fix);
        }
    }
    taken
}

fn by_file<'f>(fixes: &[&'f Fix]) -> BTreeMap<Arc<str>, Vec<&'f Edit>> {
    let mut files: BTreeMap<Arc<str>, Vec<&Edit>> = BTreeMap::new();
    for edit in fixes.iter().flat_map(|fix| &fix.edits) {
        files.entry(edit.path.clone()).or_default().push(edit);
    }
    files
}

/// A unified diff of all that changes, as `git apply` takes it.
pub(super) fn diff(fixed: &Fixed, out: &mut dyn std::io::Write) -> std::io::Result<()> {
    for file in &fixed.files {
        let changed = similar::TextDiff::from_lines(&file.before, &file.after);
        let mut unified = changed.unified_diff();
        write!(out, "{}", unified.header(&format!("a/{}", file.shown), &format!("b/{}", file.shown)))?;
    }
    Ok(())
}

/// Refuses to write where nothing could be taken back: on standard input, or over changes that are not committed.
pub(super) fn may_write(settings: &Settings, fixing: &FixArgs) -> Result<(), UserError> {
    let Inputs::Paths(paths) = &settings.inputs else {
        return Err(UserError::new("what comes on standard input cannot be fixed in its place")
            .help("use `--diff`, which prints the changes"));
    };
    if fixing.allow_dirty {
        return Ok(());
    }
    let Some(file) = dirty(paths).map_err(|error| UserError::new(error.what).help(error.help))? else {
        return Ok(());
    };
    Err(UserError::new(format!(
        "there are changes that are not committed (`{file}`): a fix could not be told from them"
    ))
    .help("commit or stash them first, or say --allow-dirty"))
}

/// Writes what changed; a file that somebody else has changed since it was read is left alone, and told.
pub(super) fn write(fixed: &Fixed) -> Vec<Problem> {
    fixed.files.iter().filter_map(|file| write_one(file).err()).collect()
}

fn write_one(file: &Rewritten) -> Result<(), Problem> {
    let problem =
        |message: String| Problem { path: file.shown.clone(), line: 0, column: 0, message, fatal: true };
    let now = std::fs::read(&file.path).map_err(|error| problem(format!("cannot be read again: {error}")))?;
    if now != file.before.as_bytes() {
        return Err(problem(
            "has changed since it was read, and is left as it is; run --fix again".to_owned(),
        ));
    }
    replace(&file.path, &file.after)
        .map_err(|error| problem(format!("cannot be written: {error}; it is as it was")))
}

fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let about = std::fs::metadata(path)?;
    let mut draft = Draft::beside(path)?;
    draft.write_all(text.as_bytes())?;
    draft.permissions(about.permissions())?;
    draft.replace()
}

/// Adds the crates that fixes need to the manifests of their packages; what could not be added is told.
pub(super) fn add_dependencies(fixed: &Fixed) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (folder, needs) in &fixed.needs {
        let path = folder.join("Cargo.toml");
        let added = std::fs::read_to_string(&path)
            .map_err(|error| error.to_string())
            .and_then(|text| with_dependencies(&text, needs))
            .and_then(|text| replace(&real(&path), &text).map_err(|error| error.to_string()));
        if let Err(error) = added {
            let lines: Vec<String> = needs.iter().map(Needed::line).collect();
            problems.push(Problem {
                path: path.to_string_lossy().into_owned(),
                line: 0,
                column: 0,
                message: format!(
                    "cannot be changed ({error}): add `{}` to [dependencies]",
                    lines.join("`, `")
                ),
                fatal: true,
            });
        }
    }
    problems
}

/// A manifest with more dependencies, all else as it was.
fn with_dependencies(text: &str, needs: &BTreeSet<Needed>) -> Result<String, String> {
    let mut document: toml_edit::DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| error.message().to_owned())?;
    let listed = document.entry("dependencies").or_insert_with(toml_edit::table);
    let listed = listed.as_table_like_mut().ok_or("`dependencies` is no table")?;
    for needed in needs {
        if !listed.contains_key(&needed.name) {
            listed.insert(&needed.name, toml_edit::value(&needed.version));
        }
    }
    Ok(document.to_string())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_is_added_and_all_else_stays() {
        let needs = BTreeSet::from([Needed { name: "fastrand".to_owned(), version: "2".to_owned() }]);
        let text = "[package]\nname = \"a\" # ours\n\n[dependencies]\ntokio = \"1\"   # the runtime\n\n[features]\nx = []\n";
        let with = with_dependencies(text, &needs).unwrap();
        assert_eq!(with, text.replace("runtime\n", "runtime\nfastrand = \"2\"\n"));
        assert_eq!(with_dependencies(&with, &needs).unwrap(), with, "twice is once");
        assert_eq!(
            with_dependencies("[package]\nname = \"a\"\n", &needs).unwrap(),
            "[package]\nname = \"a\"\n\n[dependencies]\nfastrand = \"2\"\n"
        );
        assert!(with_dependencies("[package", &needs).is_err());
    }
}
