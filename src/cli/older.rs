//! What is older than what is looked for: a baseline's findings, and lines that a revision has already. Read before the run, so that a mistake in
//! either is told at once; held against the findings after it.

use super::args::Talk;
use super::error::UserError;
use super::moved::Moved;
use super::rewriting::Rewritten;
use super::run::Looked;
use super::say;
use super::settings::Inputs;
use super::surroundings::without_dots;
use crate::model::Finding;
use crate::report::{Sources, fingerprint};
use crate::settings::{Baseline, Changed, Known, RuleName, Sight};
use clap::Args;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The baseline that is used where none is named.
pub(super) const BASELINE: &str = "retry-lint-baseline.json";

/// What is left out because it is old.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(super) struct Older {
    /// Leave out what this file has [default: retry-lint-baseline.json, if it is there].
    #[arg(long, global = true, value_name = "FILE")]
    pub(super) baseline: Option<PathBuf>,

    /// Only findings on lines that have changed since this git revision.
    #[arg(long, global = true, value_name = "REV", allow_hyphen_values = true)]
    pub(super) new_from_rev: Option<String>,
}

/// The same, read.
#[derive(Debug, Default)]
pub(super) struct Read {
    baseline: Option<(PathBuf, Baseline)>,
    changed: Option<Changed>,
}

impl Older {
    /// Reads the baseline and asks git.
    pub(super) fn read(&self, inputs: &Inputs) -> Result<Read, UserError> {
        let path = self.baseline_file();
        let baseline = match read_baseline(&path)? {
            None if self.baseline.is_some() => {
                return Err(UserError::new(format!("no such baseline: `{}`", path.display()))
                    .help("`retry-lint baseline write --baseline FILE` writes one"));
            }
            found => found.map(|baseline| (path, baseline)),
        };
        let changed = match (&self.new_from_rev, inputs) {
            (None, _) => None,
            (Some(_), Inputs::Stdin(_)) => {
                return Err(UserError::new("--new-from-rev is given, but standard input has no revisions")
                    .help("give the file itself in place of `-`"));
            }
            (Some(revision), Inputs::Paths(paths)) => Some(
                Changed::since(revision, paths)
                    .map_err(|error| UserError::new(error.what).help(error.help))?,
            ),
        };
        Ok(Read { baseline, changed })
    }

    /// The baseline's file, which may not be there.
    pub(super) fn baseline_file(&self) -> PathBuf {
        self.baseline.clone().unwrap_or_else(|| PathBuf::from(BASELINE))
    }
}

impl Read {
    /// Whether there is a baseline to hold findings against.
    pub(super) fn has_baseline(&self) -> bool {
        self.baseline.is_some()
    }

    /// Takes away what is old; gives back how many entries of the baseline are stale.
    /// The lines of what was edited in memory are taken as they are on disk.
    pub(super) fn leave_out(
        &self,
        looked: &mut Looked,
        edited: &[Rewritten],
        inputs: &Inputs,
        names: &[RuleName],
    ) -> usize {
        let mut stale = 0;
        if let Some((path, baseline)) = &self.baseline {
            let run = Run::new(looked, inputs, names, path);
            let held = baseline.hold(&run.known(looked), |path| run.sight(path), |rule| run.asked(rule));
            stale = held.stale.len();
            let before = looked.findings.len();
            let mut known = held.known.into_iter();
            looked.findings.retain(|_| !known.next().unwrap_or_default());
            looked.summary.baselined = before - looked.findings.len();
        }
        if let Some(changed) = &self.changed {
            let before = looked.findings.len();
            let moved = Moved::by(edited);
            looked.findings.retain(|finding| is_new(finding, changed, &moved));
            looked.left_out.unchanged = before - looked.findings.len();
        }
        stale
    }

    /// Says that entries of the baseline are stale.
    pub(super) fn say_stale(&self, stale: usize, talk: Talk) {
        let Some((path, _)) = self.baseline.as_ref().filter(|_| stale > 0) else { return };
        let entries = if stale == 1 { "1 finding is".to_owned() } else { format!("{stale} findings are") };
        let text = format!(
            "{}: {entries} found no more; `retry-lint baseline prune` takes them out",
            path.display()
        );
        say::warning(&text, talk);
    }
}

fn is_new(finding: &Finding, changed: &Changed, moved: &Moved) -> bool {
    let mut places = finding.labels.iter().map(|label| &label.place).chain([&finding.place]);
    places.any(|place| {
        let on_disk = moved.on_disk(&place.path, place.line, place.end_line);
        on_disk.is_some_and(|(first, last)| changed.touches(Path::new(&*place.path), first, last))
    })
}

/// A baseline's file; `None` where there is none.
pub(super) fn read_baseline(path: &Path) -> Result<Option<Baseline>, UserError> {
    let shown = path.display();
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(UserError::new(format!("the baseline `{shown}` cannot be read: {error}"))
                .help("mend its permissions or its text, or name another one with --baseline"));
        }
    };
    let baseline = Baseline::parse(&text).map_err(|error| {
        let place = if error.line == 0 { String::new() } else { format!(":{}:{}", error.line, error.column) };
        UserError::new(format!("{shown}{place}: {error}"))
            .help("mend it, or delete it and write it anew with `retry-lint baseline write`")
    })?;
    Ok(Some(baseline))
}

/// What a run looked at, in a baseline's terms.
#[derive(Debug)]
pub(super) struct Run<'a> {
    /// The folder that its paths are relative to.
    folder: PathBuf,
    looked_at: BTreeSet<String>,
    given: Vec<String>,
    names: &'a [RuleName],
}

impl<'a> Run<'a> {
    /// Of a run that kept all.
    pub(super) fn new(looked: &Looked, inputs: &Inputs, names: &'a [RuleName], baseline: &Path) -> Self {
        let folder = absolute(baseline.parent().unwrap_or(Path::new("")));
        let looked_at = looked.files.iter().map(|path| key(Path::new(&**path), &folder)).collect();
        let given = match inputs {
            Inputs::Paths(paths) => paths.iter().map(|path| key(path, &folder)).collect(),
            Inputs::Stdin(_) => Vec::new(),
        };
        Self { folder, looked_at, given, names }
    }

    /// All findings, those that are reported first.
    pub(super) fn known(&self, looked: &Looked) -> Vec<Known> {
        let all = looked.findings.iter().chain(&looked.unreported);
        all.map(|finding| self.known_as(finding, &looked.sources)).collect()
    }

    /// A finding as the baseline knows it.
    pub(super) fn known_as(&self, finding: &Finding, sources: &Sources) -> Known {
        Known {
            path: key(Path::new(&*finding.place.path), &self.folder),
            rule: finding.rule.clone(),
            function: finding.site.function.clone(),
            fingerprint: fingerprint(finding, sources),
        }
    }

    /// What the run can say of a file that the baseline names.
    pub(super) fn sight(&self, path: &str) -> Sight {
        if self.looked_at.contains(path) {
            return Sight::LookedAt;
        }
        if self.folder.join(path).exists() {
            return Sight::Elsewhere;
        }
        let below = |given: &String| given.is_empty() || Path::new(path).starts_with(given);
        if self.given.iter().any(below) { Sight::Gone } else { Sight::GoneElsewhere }
    }

    /// Whether the run would have found it again; a rule that there is no more finds nothing.
    pub(super) fn asked(&self, rule: &str) -> bool {
        self.names.iter().find(|name| name.name == rule).is_none_or(|name| name.asked)
    }
}

/// A path as a baseline writes it: relative to the baseline's folder, whatever the current one is.
fn key(shown: &Path, folder: &Path) -> String {
    let path = absolute(shown);
    path.strip_prefix(folder).unwrap_or(shown).to_string_lossy().replace('\\', "/")
}

/// The path from the root, without `.` and `..`; links are not followed, as they are not in what is shown.
fn absolute(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    std::path::absolute(path).map_or_else(|_| path.to_owned(), |path| without_dots(&path))
}
