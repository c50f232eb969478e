//! What was typed becomes a run, and a run an exit status. One file a command; what they have in common is reading (`run`) and talking (`say`).
//! Only the result goes to standard output.

mod args;
mod audit;
mod baseline;
mod cargo;
mod check;
mod configured;
mod configuring;
mod error;
mod explain;
mod fixing;
mod guard;
mod init;
mod moved;
mod older;
mod output;
mod packages;
mod pages;
mod rewriting;
mod rooms;
mod rules;
mod run;
mod say;
mod selection;
mod settings;
mod show;
mod surroundings;
mod with_check;
mod workspace;

use crate::model::{Confidence, Finding, Site};
use args::{Options, Talk, Typed, Verb};
use cargo::CargoTyped;
use clap::Parser as _;
use codespan_reporting::term::termcolor::BufferedStandardStream;
use error::{Stop, UserError};
use fixing::Texts;
use run::{Judging, run};
use settings::{color_choice, settings, without_judging, without_options};
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    /// Nothing at or above the level that fails.
    Clean,
    /// Findings at or above it.
    Findings,
    /// The run itself failed.
    Failed,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        match status {
            Status::Clean => Self::SUCCESS,
            Status::Findings => Self::from(1),
            Status::Failed => Self::from(2),
        }
    }
}

/// The program: `args` as the system gives them, its own name first.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    match Typed::try_parse_from(args) {
        Ok(typed) => done(typed.talk, || command(typed)),
        Err(error) => told_by_clap(&error).into(),
    }
}

/// The same as a cargo command: cargo calls `cargo-retry-lint retry-lint …`. Packages and targets may be chosen as for cargo's own.
pub fn cargo_main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut args: Vec<OsString> = args.into_iter().collect();
    if args.get(1).is_some_and(|arg| arg == "retry-lint") {
        args.remove(1);
    }
    if let Some(name) = args.first_mut() {
        // So that usage lines show what was typed.
        *name = "cargo retry-lint".into();
    }
    match CargoTyped::try_parse_from(args) {
        Ok(CargoTyped { cargo, mut typed }) => done(typed.talk, || {
            cargo::choose(&cargo, &mut typed)?;
            command(typed)
        }),
        Err(error) => told_by_clap(&error).into(),
    }
}

/// All that a run over a folder finds, for the programs that measure this one: the findings of every rule that is not pedantic, at any
/// confidence, and every site, look-alikes too; tests as well.
#[doc(hidden)]
pub fn measured(folder: &Path) -> Result<(Vec<Finding>, Vec<Arc<Site>>), String> {
    measure(folder, true, &|settings, options| {
        let judging = Judging { keep_all: false, fixes: false };
        let looked = run(settings, options, Some(judging), &Texts::new())?;
        Ok((looked.findings, looked.sites))
    })
}

/// What fixes make of a folder, for the same programs.
#[doc(hidden)]
#[derive(Debug)]
pub struct MeasuredFixes {
    /// What was found outside of tests, with the fixes for it.
    pub findings: Vec<Finding>,
    /// Each file that they change, as it would be.
    pub files: Vec<(String, String)>,
    /// What would be found then.
    pub left: Vec<Finding>,
}

/// Fixes a folder in memory, as `--fix --unsafe-fixes` does on disk.
#[doc(hidden)]
pub fn measured_fixes(folder: &Path) -> Result<MeasuredFixes, String> {
    measure(folder, false, &|settings, options| {
        let judging = Judging { keep_all: false, fixes: true };
        let asked = fixing::Asked { settings, options, judging, leave_out: &|_, _| {} };
        let findings = asked.look(&[])?.findings;
        let (left, fixed) = fixing::fixed(&asked)?;
        let files = fixed.files.into_iter().map(|file| (file.shown, file.after)).collect();
        Ok(MeasuredFixes { findings, files, left: left.findings })
    })
}

/// Does something with a folder, every rule asked that is not pedantic, at any confidence.
fn measure<T>(
    folder: &Path,
    include_tests: bool,
    work: &dyn Fn(&settings::Settings, &Options) -> Result<T, Stop>,
) -> Result<T, String> {
    let options = Options {
        select: vec!["all".to_owned()],
        min_confidence: Some(Confidence::Medium),
        include_tests: Some(include_tests),
        fixing: fixing::FixArgs { unsafe_fixes: true, ..fixing::FixArgs::default() },
        ..Options::default()
    };
    let settings =
        settings(vec![folder.to_owned()], &options, Talk::default()).map_err(|error| error.what)?;
    work(&settings, &options).map_err(|stop| match stop {
        Stop::User(error) => error.what,
        Stop::Output(error) => error.to_string(),
    })
}

fn done(talk: Talk, work: impl FnOnce() -> Result<Status, Stop> + std::panic::UnwindSafe) -> ExitCode {
    guard::note_panics();
    match guard::guarded("", work) {
        Ok(Ok(status)) => status,
        Ok(Err(stop)) => stopped(&stop, talk),
        Err(problem) => stopped(&Stop::User(UserError::new(problem.message)), talk),
    }
    .into()
}

fn command(typed: Typed) -> Result<Status, Stop> {
    let talk = typed.talk;
    let mut out = BufferedStandardStream::stdout(color_choice(talk.color, &io::stdout()));
    match &typed.verb {
        None => check::check(&settings(typed.paths, &typed.options, talk)?, &typed.options, &mut out),
        Some(Verb::Check { paths }) => {
            check::check(&settings(paths.clone(), &typed.options, talk)?, &typed.options, &mut out)
        }
        Some(Verb::Audit { all, paths }) => {
            without_judging(&typed.options)?;
            audit::audit(&settings(paths.clone(), &typed.options, talk)?, &typed.options, *all, &mut out)
        }
        Some(Verb::Baseline { verb }) => baseline::baseline(verb, &typed.options, talk, &mut out),
        Some(Verb::Explain { rule }) => {
            without_options(&typed, "explain", true)?;
            explain::explain(rule, &typed.options, &mut out)
        }
        Some(Verb::Rules) => {
            without_options(&typed, "rules", true)?;
            rules::rules(&typed.options, &mut out)
        }
        Some(Verb::Completions { shell }) => {
            without_options(&typed, "completions", false)?;
            pages::completions(*shell, &mut out)
        }
        Some(Verb::Man) => {
            without_options(&typed, "man", false)?;
            pages::man(&mut out)
        }
        Some(Verb::Init) => {
            without_options(&typed, "init", false)?;
            init::init(Path::new(""), &mut out)
        }
    }
}

fn stopped(stop: &Stop, talk: Talk) -> Status {
    match stop {
        Stop::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => Status::Clean,
        Stop::Output(error) => {
            say::error(&UserError::new(format!("the result cannot be written: {error}")), talk.color);
            Status::Failed
        }
        Stop::User(error) => {
            say::error(error, talk.color);
            Status::Failed
        }
    }
}

/// Help and version are results; everything else that clap says is an error in what was typed.
fn told_by_clap(error: &clap::Error) -> Status {
    match (error.print(), error.use_stderr()) {
        (_, true) => Status::Failed,
        (Err(output), false) if output.kind() != io::ErrorKind::BrokenPipe => Status::Failed,
        (_, false) => Status::Clean,
    }
}
