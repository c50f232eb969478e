//! `--fix` and `--diff`: findings' fixes applied round after round, until none is left. Files are read as often as that takes from memory; the
//! disk is written once, at the end, by `rewriting`.

use super::args::Options;
use super::configured::real;
use super::error::{Stop, UserError, nearest};
use super::output::OutputArgs;
use super::rewriting::{Rewritten, Unwritten, manifests};
use super::rooms;
use super::run::{Judging, Looked, run};
use super::settings::{Inputs, Settings};
use crate::model::{Edit, Finding, Fix, Needed, Safety, edited};
use crate::settings::dirty;
use clap::Args;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

/// Rounds of fixes: one fix may make room for the next, and each is smaller than what it mends.
const MOST_ROUNDS: usize = 10;

/// What is done about findings.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Fixing")]
// each is a switch of its own on the command line
#[allow(clippy::struct_excessive_bools)]
pub(super) struct FixArgs {
    /// Apply the safe fixes: those that change nothing but the fault. What is left is reported.
    #[arg(long, global = true)]
    pub(super) fix: bool,

    /// With --fix or --diff: fixes that change more than the fault, too, such as how long callers wait or how often is tried.
    #[arg(long, global = true)]
    pub(super) unsafe_fixes: bool,

    /// Print what `--fix` would change as a unified diff, and change nothing; exit status 1 if there is something.
    #[arg(long, global = true)]
    pub(super) diff: bool,

    /// With --fix: also where git has changes that are not committed.
    #[arg(long, global = true)]
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

    /// Those that were typed, for commands that have no use for them.
    pub(super) fn typed(&self) -> [(&'static str, bool); 5] {
        [
            ("--fix", self.fix),
            ("--unsafe-fixes", self.unsafe_fixes),
            ("--diff", self.diff),
            ("--allow-dirty", self.allow_dirty),
            ("--add-dependency", self.add_dependency.is_some()),
        ]
    }
}

/// Texts that stand in for files on disk, by path.
pub(super) type Texts = BTreeMap<PathBuf, String>;

/// What came of fixing.
#[derive(Debug, Default)]
pub(super) struct Fixed {
    /// Each file that changes, by the path that is shown; manifests too.
    pub(super) files: Vec<Rewritten>,
    /// Manifests that could not be changed.
    pub(super) failed: Vec<Unwritten>,
    /// Fixes that would need `--unsafe-fixes`.
    pub(super) held_back: usize,
    /// Crates that manifests lack and that nobody asked to add, by the folder of the package.
    pub(super) needs: BTreeMap<PathBuf, BTreeSet<Needed>>,
}

/// Refuses options that say nothing together, or cannot be followed. `addable`: the crates that fixes may add.
pub(super) fn can_be_done(settings: &Settings, options: &Options, addable: &[&str]) -> Result<(), UserError> {
    let FixArgs { fix, unsafe_fixes, diff, allow_dirty, add_dependency } = &options.fixing;
    if *fix && *diff {
        return Err(UserError::new("--fix is given together with --diff")
            .help("--diff shows what --fix would change: first the one, then the other"));
    }
    if *unsafe_fixes && !options.fixing.asked() {
        return Err(UserError::new("--unsafe-fixes is given without --fix or --diff").help(
            "`--fix --unsafe-fixes` applies them, `--diff --unsafe-fixes` shows what that would change",
        ));
    }
    if *allow_dirty && !fix {
        return Err(UserError::new("--allow-dirty is given without --fix").help("nothing else writes"));
    }
    if let Some(name) = add_dependency
        && !addable.contains(&name.as_str())
    {
        let error = UserError::new(format!("unknown crate `{name}` in --add-dependency"));
        return Err(match nearest(name, addable.iter().copied()) {
            Some(meant) => error.help(format!("did you mean `{meant}`?")),
            None => error.help(format!("fixes can add {}", addable.join(", "))),
        });
    }
    let OutputArgs { output, with_check } = &options.output;
    if *diff && (options.format.is_some() || !output.is_empty()) {
        return Err(UserError::new("--diff prints a unified diff: it takes no --format and no --output")
            .help("`--format json` without --diff has the edits of each fix"));
    }
    if options.fixing.asked() && with_check.is_some() {
        return Err(UserError::new("--with-check is given together with --fix or --diff")
            .help("cargo would speak of the files as they were"));
    }
    if *fix { may_write(settings, *allow_dirty) } else { Ok(()) }
}

/// Refuses to write where nothing could be taken back: on standard input, or over changes that are not committed.
fn may_write(settings: &Settings, allow_dirty: bool) -> Result<(), UserError> {
    let Inputs::Paths(paths) = &settings.inputs else {
        return Err(UserError::new("what comes on standard input cannot be fixed in its place")
            .help("use `--diff`, which prints the changes"));
    };
    if allow_dirty {
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

/// What is asked of a run that may fix.
pub(super) struct Asked<'a> {
    pub(super) settings: &'a Settings,
    pub(super) options: &'a Options,
    pub(super) judging: Judging,
    /// Takes from what was found what is not asked for; these files have other lines than on disk.
    pub(super) leave_out: &'a dyn Fn(&mut Looked, &[Rewritten]),
}

impl Asked<'_> {
    /// What is found where these files are as they would be.
    pub(super) fn look(&self, files: &[Rewritten]) -> Result<Looked, Stop> {
        let texts: Texts = files.iter().map(|file| (file.path.clone(), file.after.clone())).collect();
        let mut looked = run(self.settings, self.options, Some(self.judging), &texts)?;
        (self.leave_out)(&mut looked, files);
        Ok(looked)
    }
}

/// Looks, applies, and looks again until nothing more is to be applied; what is left is what the last look found.
pub(super) fn fixed(asked: &Asked<'_>) -> Result<(Looked, Fixed), Stop> {
    let fixing = &asked.options.fixing;
    let mut files: Vec<Rewritten> = Vec::new();
    let mut needs: BTreeMap<PathBuf, BTreeSet<Needed>> = BTreeMap::new();
    let mut looked = asked.look(&[])?;
    for _ in 0..MOST_ROUNDS {
        let mut applied = 0;
        for of_file in by_file(&rooms::chosen(&looked.findings, fixing.unsafe_fixes)) {
            applied += apply(&looked, &of_file, &mut files, &mut needs);
        }
        if applied == 0 {
            break;
        }
        looked = asked.look(&files)?;
    }
    files.retain(|file| file.before != file.after);
    let mut made = Fixed { files, ..Fixed::default() };
    made.add(needs, fixing.add_dependency.as_deref());
    made.files.sort_by(|one, other| one.shown.cmp(&other.shown));
    let is_unsafe = |it: &&Finding| it.fix.as_ref().is_some_and(|fix| fix.safety == Safety::Unsafe);
    made.held_back = looked.findings.iter().filter(is_unsafe).count();
    Ok((looked, made))
}

/// Applies fixes of one file to its text; gives how many.
fn apply(
    looked: &Looked,
    of_file: &[&Fix],
    files: &mut Vec<Rewritten>,
    needs: &mut BTreeMap<PathBuf, BTreeSet<Needed>>,
) -> usize {
    let mut edits: Vec<&Edit> = of_file.iter().flat_map(|fix| &fix.edits).collect();
    edits.sort();
    let Some(shown) = edits.first().map(|edit| edit.path.clone()) else { return 0 };
    let Some(path) = looked.paths.get(&shown) else { return 0 };
    // one file by two names is changed by the first
    let target = real(path);
    if files.iter().any(|file| file.path != *path && real(&file.path) == target) {
        return 0;
    }
    let before = looked.sources.text(&shown);
    let Some(after) = edited(before, 0, edits) else { return 0 };
    let at = files.iter().position(|file| file.path == *path).unwrap_or_else(|| {
        let (path, shown, before) = (path.clone(), shown.to_string(), before.to_owned());
        files.push(Rewritten { path, shown, before, after: String::new(), fixes: 0, manifest: None });
        files.len() - 1
    });
    let needed: Vec<&Needed> = of_file.iter().filter_map(|fix| fix.needs.as_ref()).collect();
    let folder = rooms::package_folder(path).filter(|_| !needed.is_empty());
    if let Some(file) = files.get_mut(at) {
        file.after = after;
        file.fixes += of_file.len();
        if let Some(folder) = folder {
            file.manifest = Some(folder.join("Cargo.toml"));
            needs.entry(folder).or_default().extend(needed.into_iter().cloned());
        }
    }
    of_file.len()
}

impl Fixed {
    /// Adds the crate that may be added to the manifests that lack it; of all others is only told that they are missing.
    fn add(&mut self, mut needs: BTreeMap<PathBuf, BTreeSet<Needed>>, added: Option<&str>) {
        let mut to_add = BTreeMap::new();
        for (folder, missing) in &mut needs {
            let (ours, others): (BTreeSet<Needed>, BTreeSet<Needed>) =
                std::mem::take(missing).into_iter().partition(|it| Some(it.name.as_str()) == added);
            *missing = others;
            if !ours.is_empty() {
                to_add.insert(folder.clone(), ours);
            }
        }
        needs.retain(|_, missing| !missing.is_empty());
        let (changed, failed) = manifests(&to_add);
        let is_touched = |path: &PathBuf| {
            changed.iter().any(|it| it.path == *path && it.before != it.after)
                || failed.iter().any(|it| it.path == *path)
        };
        for file in &mut self.files {
            file.manifest = file.manifest.take().filter(is_touched);
        }
        self.files.extend(changed.into_iter().filter(|file| file.before != file.after));
        (self.failed, self.needs) = (failed, needs);
    }
}

/// The fixes of each file; a fix is of one file only.
fn by_file<'f>(fixes: &[&'f Fix]) -> Vec<Vec<&'f Fix>> {
    let mut grouped: BTreeMap<Arc<str>, Vec<&Fix>> = BTreeMap::new();
    for fix in fixes {
        if let Some(edit) = fix.edits.first() {
            grouped.entry(edit.path.clone()).or_default().push(fix);
        }
    }
    grouped.into_values().collect()
}
