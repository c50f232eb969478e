//! What was typed, resolved against the machine: where to read, what a terminal can show, how many threads. Later steps ask nothing of the
//! environment again.

use super::args::{Color, Format, Options, Talk, Typed, VERBS};
use super::configuring::Configuring;
use super::error::{UserError, nearest};
use super::output::{Check, FileOutput, can_be_written};
use super::surroundings::root;
use crate::report;
use clap::ValueEnum as _;
use codespan_reporting::term::termcolor::ColorChoice;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// What is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Inputs {
    /// These files and folders.
    Paths(Vec<PathBuf>),
    /// Standard input, by this name.
    Stdin(PathBuf),
}

/// How a run over sources goes.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) inputs: Inputs,
    pub(super) format: report::Format,
    /// Files that the result goes to as well.
    pub(super) outputs: Vec<FileOutput>,
    /// The folder that formats for other tools tell paths from.
    pub(super) root: PathBuf,
    /// What of cargo is run first.
    pub(super) with_check: Option<Check>,
    pub(super) strict: bool,
    /// Threads; 0 for one for each processor.
    pub(super) threads: usize,
    pub(super) talk: Talk,
}

/// The settings of a run over these paths.
pub(super) fn settings(paths: Vec<PathBuf>, options: &Options, talk: Talk) -> Result<Settings, UserError> {
    can_be_written(&options.output.output)?;
    let with_check = options.output.with_check;
    if with_check.is_some() && options.format != Some(Format::Cargo) {
        return Err(UserError::new("--with-check is given without `--format cargo`")
            .help("cargo's messages are in no other format"));
    }
    Ok(Settings {
        inputs: inputs(paths, options.stdin_filename.as_deref())?,
        format: options.format.map_or(report::Format::Human, report::Format::from),
        outputs: options.output.output.clone(),
        root: root(|name| std::env::var_os(name).map(PathBuf::from)),
        with_check,
        strict: options.strict,
        threads: options.threads.map_or(0, usize::from),
        talk,
    })
}

fn inputs(paths: Vec<PathBuf>, stdin_filename: Option<&Path>) -> Result<Inputs, UserError> {
    let from_stdin = paths.iter().any(|path| path.as_os_str() == "-");
    if from_stdin && paths.len() > 1 {
        return Err(UserError::new("`-` is given together with other paths")
            .help("standard input is one file of its own: give `-` alone"));
    }
    if from_stdin {
        return Ok(Inputs::Stdin(stdin_filename.unwrap_or(Path::new("<stdin>")).to_owned()));
    }
    if stdin_filename.is_some() {
        return Err(UserError::new("--stdin-filename is given, but standard input is not read")
            .help("give `-` in place of the paths"));
    }
    if let Some(missing) = paths.iter().find(|path| !path.exists()) {
        return Err(no_such_path(missing));
    }
    Ok(Inputs::Paths(if paths.is_empty() { vec![PathBuf::from(".")] } else { paths }))
}

fn no_such_path(path: &Path) -> UserError {
    let shown = path.display().to_string();
    let error = UserError::new(format!("no such file or folder: `{shown}`"));
    match nearest(&shown, VERBS) {
        Some(verb) => error.help(format!("did you mean the command `{verb}`?")),
        None => error.help("paths are taken from the current folder"),
    }
}

/// Options that choose findings, typed for a command that lists sites: better refused than silently without effect.
pub(super) fn without_judging(options: &Options) -> Result<(), UserError> {
    let typed = [
        ("--select", !options.select.is_empty()),
        ("--ignore", !options.ignore.is_empty()),
        ("--pedantic", options.pedantic),
        ("--min-confidence", options.min_confidence.is_some()),
        ("--fail-on", options.fail_on.is_some()),
        ("--baseline", options.older.baseline.is_some()),
        ("--new-from-rev", options.older.new_from_rev.is_some()),
    ];
    let typed = typed.into_iter().chain(options.fixing.typed());
    let files = options.output.output.iter().map(|output| output.format);
    if let Some(format) =
        options.format.into_iter().chain(files).find(|it| !report::Format::from(*it).lists_sites())
    {
        let word = format.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
        return Err(UserError::new(format!("`audit` lists sites, and `{word}` is a format for findings"))
            .help("`audit` writes human, concise and json; `retry-lint check` writes the others"));
    }
    match { typed }.find(|(_, typed)| *typed) {
        Some((name, _)) => {
            Err(UserError::new(format!("`audit` lists sites and asks no rule: it takes no {name}"))
                .help("`retry-lint check` takes it"))
        }
        None => Ok(()),
    }
}

/// An option that was typed for a command that has no use for it. `configured`: it reads the configuration.
pub(super) fn without_options(typed: &Typed, verb: &str, configured: bool) -> Result<(), UserError> {
    let Configuring { config, isolated, .. } = &typed.options.configuring;
    let of_use = Configuring { config: config.clone(), isolated: *isolated, ..Configuring::default() };
    let configuring = if configured { of_use } else { Configuring::default() };
    if typed.options == (Options { configuring, ..Options::default() }) {
        return Ok(());
    }
    let more = if configured { "--config, --isolated, " } else { "" };
    Err(UserError::new(format!("`{verb}` takes no options but {more}--color, --quiet and --verbose"))
        .help("the other options are for `check` and `audit`"))
}

/// Whether a stream is written in colour.
pub(super) fn color_choice(color: Color, stream: &impl IsTerminal) -> ColorChoice {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let colored = match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => wants_color(variable, stream.is_terminal()),
    };
    if colored { ColorChoice::Always } else { ColorChoice::Never }
}

/// What the environment says of colour, the strongest first: <https://no-color.org>, <https://bixense.com/clicolors>, cargo's own variable.
fn wants_color(variable: impl Fn(&str) -> Option<String>, is_terminal: bool) -> bool {
    if variable("NO_COLOR").is_some() {
        return false;
    }
    if variable("CLICOLOR_FORCE").is_some_and(|value| value != "0") {
        return true;
    }
    match variable("CARGO_TERM_COLOR").as_deref() {
        Some("always") => true,
        Some("never") => false,
        _ => is_terminal && variable("TERM").is_none_or(|term| term != "dumb"),
    }
}

/// The columns of the terminal that standard output is; `None` where it is none.
pub(super) fn terminal_columns() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(std::io::stdout())?;
    Some(usize::from(width.0))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn standard_input_stands_alone_and_has_a_name() {
        let dash = || PathBuf::from("-");
        assert_eq!(inputs(vec![dash()], None), Ok(Inputs::Stdin("<stdin>".into())));
        assert_eq!(inputs(vec![dash()], Some(Path::new("a.rs"))), Ok(Inputs::Stdin("a.rs".into())));
        assert!(inputs(vec![dash(), "src".into()], None).is_err());
        assert!(inputs(vec![], Some(Path::new("a.rs"))).is_err());
    }

    #[test]
    fn the_environment_decides_on_color() {
        let wants = |set: &[(&str, &str)], is_terminal| {
            let variable = |name: &str| {
                set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            };
            wants_color(variable, is_terminal)
        };
        assert!(wants(&[], true) && !wants(&[], false));
        assert!(!wants(&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], true));
        assert!(wants(&[("CLICOLOR_FORCE", "1")], false) && !wants(&[("CLICOLOR_FORCE", "0")], false));
        assert!(wants(&[("CARGO_TERM_COLOR", "always")], false));
        assert!(!wants(&[("CARGO_TERM_COLOR", "never")], true) && !wants(&[("TERM", "dumb")], true));
    }

    #[test]
    fn no_path_is_the_current_folder() {
        assert_eq!(inputs(vec![], None), Ok(Inputs::Paths(vec![".".into()])));
    }

    #[test]
    fn a_misspelt_command_is_told_from_a_path() {
        let error = inputs(vec!["audti".into()], None).unwrap_err();
        assert_eq!(error.help, ["did you mean the command `audit`?"]);
        let error = inputs(vec!["no/such/thing".into()], None).unwrap_err();
        assert_eq!(error.what, "no such file or folder: `no/such/thing`");
    }
}
