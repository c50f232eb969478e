//! `retry-lint baseline`: what is there today is written down, so that `check` speaks of what is new; what is gone is taken out again.

use super::args::{Options, Talk};
use super::configured::here;
use super::error::{Stop, UserError};
use super::fixing::Texts;
use super::older::{Run, read_baseline};
use super::run::{Judging, run};
use super::settings::settings;
use super::{Status, say};
use crate::report::clean;
use crate::settings::Baseline;
use clap::Subcommand;
use codespan_reporting::term::termcolor::WriteColor;
use std::path::{Path, PathBuf};

#[derive(Debug, Subcommand)]
pub(super) enum BaselineVerb {
    /// Write down the findings that there are.
    Write {
        /// Files and folders to check; the current folder if none is given. What the baseline has of others stays.
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
    },
    /// Take out the findings that are found no more.
    Prune {
        /// Files and folders to check; the current folder if none is given. What the baseline has of others stays.
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
    },
}

impl BaselineVerb {
    /// The paths that were typed.
    pub(super) fn paths_mut(&mut self) -> &mut Vec<PathBuf> {
        let (Self::Write { paths } | Self::Prune { paths }) = self;
        paths
    }
}

pub(super) fn baseline(
    verb: &BaselineVerb,
    options: &Options,
    talk: Talk,
    out: &mut dyn WriteColor,
) -> Result<Status, Stop> {
    without_reporting(options)?;
    let (BaselineVerb::Write { paths } | BaselineVerb::Prune { paths }) = verb;
    let settings = settings(paths.clone(), options, talk)?;
    let path = options.older.baseline_file();
    let old = read_baseline(&path)?;
    let names = here(options)?.rule_names();
    let looked = run(&settings, options, Some(Judging { keep_all: true, fixes: false }), &Texts::new())?;
    say::problems(&looked, &settings);
    let seen = Run::new(&looked, &settings.inputs, &names, &path);
    let shown = clean(&path.display().to_string());
    if let BaselineVerb::Write { .. } = verb {
        let mut new = Baseline::of(looked.findings.iter().map(|it| seen.known_as(it, &looked.sources)));
        let old = old.unwrap_or_default();
        new.extend(old.out_of_sight(|path| seen.sight(path), |rule| seen.asked(rule)));
        write(&new, &path)?;
        say_result(out, talk, &format!("{shown}: {} written", findings(new.len())))?;
    } else {
        let Some(old) = old else {
            return Err(UserError::new(format!("there is no baseline `{}`", path.display()))
                .help("`retry-lint baseline write` writes one")
                .into());
        };
        let held = old.hold(&seen.known(&looked), |path| seen.sight(path), |rule| seen.asked(rule));
        if held.pruned != old {
            write(&held.pruned, &path)?;
        }
        let (gone, left) = (findings(held.stale.len()), held.pruned.len());
        say_result(out, talk, &format!("{shown}: {gone} taken out, {left} left"))?;
    }
    let failed = looked.problems.iter().any(|problem| say::fails(problem, &settings));
    Ok(if failed { Status::Failed } else { Status::Clean })
}

fn write(baseline: &Baseline, path: &Path) -> Result<(), UserError> {
    baseline.write(path).map_err(|error| {
        UserError::new(format!("the baseline `{}` cannot be written: {error}", path.display()))
            .help("name a file that can be written with --baseline")
    })
}

fn say_result(out: &mut dyn WriteColor, talk: Talk, text: &str) -> Result<(), Stop> {
    if !talk.quiet {
        writeln!(out, "{text}")?;
    }
    Ok(out.flush()?)
}

fn findings(n: usize) -> String {
    if n == 1 { "1 finding".to_owned() } else { format!("{n} findings") }
}

/// Options that choose how findings are reported: better refused than silently without effect.
fn without_reporting(options: &Options) -> Result<(), UserError> {
    let typed = [
        ("--format", options.format.is_some()),
        ("--fail-on", options.fail_on.is_some()),
        ("--new-from-rev", options.older.new_from_rev.is_some()),
    ];
    match typed.into_iter().chain(options.fixing.typed()).find(|(_, typed)| *typed) {
        Some((name, _)) => Err(UserError::new(format!("`baseline` reports nothing: it takes no {name}"))
            .help("`retry-lint check` takes it")),
        None => Ok(()),
    }
}
