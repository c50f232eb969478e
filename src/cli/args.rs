//! What was typed, and nothing more: no file, terminal or rule is looked at here. `settings` resolves it.

use super::baseline::BaselineVerb;
use super::cargo::Chosen;
use super::configuring::Configuring;
use super::fixing::FixArgs;
use super::older::Older;
use super::output::OutputArgs;
use crate::model::Confidence;
use crate::report;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Finds retries that hurt the server behind them.
///
/// Without a command it checks: `retry-lint src/` is `retry-lint check src/`.
#[derive(Debug, Parser)]
#[command(name = "retry-lint", version, after_help = EXIT_STATUS)]
pub(super) struct Typed {
    #[command(subcommand)]
    pub(super) verb: Option<Verb>,

    /// Files and folders to check; the current folder if none is given, standard input for `-`.
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,

    #[command(flatten)]
    pub(super) options: Options,

    #[command(flatten)]
    pub(super) talk: Talk,
}

const EXIT_STATUS: &str = "Exit status: 0 nothing at or above --fail-on, 1 findings, 2 the run failed.";

/// Options do not apply to these, though clap would list them.
const PAGE_HELP: &str = "{about}\n\n{usage-heading} {usage}\n\n{positionals}";

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Report retry policies that hurt (the default).
    #[command(after_help = EXIT_STATUS)]
    Check {
        /// Files and folders to check; the current folder if none is given, standard input for `-`.
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
    },
    /// List every retry and its policy, also where nothing is wrong.
    Audit {
        /// Also what looks like a retry and is none: polling, tickers, local work, pacing, failover.
        #[arg(long)]
        all: bool,
        /// Files and folders to look at; the current folder if none is given, standard input for `-`.
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
    },
    /// Accept what is there: `check` leaves out what a baseline has.
    Baseline {
        #[command(subcommand)]
        verb: BaselineVerb,
    },
    /// Print a rule's page: what it flags, why, and what it cannot see.
    #[command(help_template = PAGE_HELP)]
    Explain {
        /// The rule's name, as in the brackets of a finding.
        #[arg(value_name = "RULE")]
        rule: String,
    },
    /// List the rules.
    #[command(help_template = PAGE_HELP)]
    Rules,
    /// Write a `retry-lint.toml` into the current folder, with every setting and what it is for.
    #[command(help_template = PAGE_HELP)]
    Init,
    /// Print completions for a shell.
    #[command(help_template = PAGE_HELP)]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page, in roff.
    #[command(help_template = PAGE_HELP)]
    Man,
}

/// The names of the commands, to tell a misspelt one from a path.
pub(super) const VERBS: [&str; 8] =
    ["check", "audit", "baseline", "explain", "rules", "init", "completions", "man"];

/// What is looked at, and what comes of it.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Checking")]
#[allow(clippy::struct_excessive_bools)]
pub(super) struct Options {
    /// How the result is written.
    #[arg(long, value_enum, global = true, value_name = "FORMAT")]
    pub(super) format: Option<Format>,

    /// Only these rules or groups; `all` is every rule that is not pedantic, at any confidence.
    #[arg(long, global = true, value_name = "RULE,…", value_delimiter = ',')]
    pub(super) select: Vec<String>,

    /// Not these rules or groups.
    #[arg(long, global = true, value_name = "RULE,…", value_delimiter = ',')]
    pub(super) ignore: Vec<String>,

    /// Also the pedantic rules, and notes.
    #[arg(long, global = true)]
    pub(super) pedantic: bool,

    /// Only findings at least this sure [default: high; medium with `--select all`].
    #[arg(long, global = true, value_name = "CONFIDENCE", value_parser = confidence(), hide_possible_values = false)]
    pub(super) min_confidence: Option<Confidence>,

    /// Look at tests, benches and examples too; `=false` not, whatever the configuration says.
    #[arg(long, global = true, value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true", hide_possible_values = true)]
    pub(super) include_tests: Option<bool>,

    /// The lowest level that makes the exit status 1 [default: warning].
    #[arg(long, value_enum, global = true, value_name = "LEVEL")]
    pub(super) fail_on: Option<FailOn>,

    /// Fail if a file cannot be read or parsed.
    #[arg(long, global = true)]
    pub(super) strict: bool,

    #[command(flatten)]
    pub(super) older: Older,

    /// The name of what comes in on standard input.
    #[arg(long, global = true, value_name = "PATH")]
    pub(super) stdin_filename: Option<PathBuf>,

    /// Threads to use [default: one for each processor].
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) threads: Option<u16>,

    #[command(flatten)]
    pub(super) output: OutputArgs,

    #[command(flatten)]
    pub(super) configuring: Configuring,

    #[command(flatten)]
    pub(super) fixing: FixArgs,

    /// What cargo's options choose; the paths are its folders then.
    #[arg(skip)]
    pub(super) chosen: Option<Chosen>,
}

/// How it talks while it works.
#[derive(Args, Clone, Copy, Debug, Default)]
#[command(next_help_heading = "Output")]
// each is a switch of its own on the command line
#[allow(clippy::struct_excessive_bools)]
pub(super) struct Talk {
    /// Whether to use colour.
    #[arg(long, value_enum, global = true, value_name = "WHEN", default_value_t)]
    pub(super) color: Color,

    /// Nothing but findings and errors.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(super) quiet: bool,

    /// Say how often each rule spoke.
    #[arg(long, global = true)]
    pub(super) statistics: bool,

    /// Say how long it took, and for which packages longest.
    #[arg(long, global = true)]
    pub(super) timings: bool,

    /// Say what was read, what was left out, and what of it is not known and why.
    #[arg(short, long, global = true)]
    pub(super) verbose: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// With the source, for people.
    Human,
    /// One line each.
    Concise,
    /// One JSON object.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// Annotations, for GitHub's workflows.
    Github,
    /// GitLab's code quality report.
    Gitlab,
    /// Compiler messages as cargo writes them, for editors.
    Cargo,
}

impl From<Format> for report::Format {
    fn from(format: Format) -> Self {
        match format {
            Format::Human => Self::Human,
            Format::Concise => Self::Concise,
            Format::Json => Self::Json,
            Format::Sarif => Self::Sarif,
            Format::Github => Self::Github,
            Format::Gitlab => Self::Gitlab,
            Format::Cargo => Self::Cargo,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOn {
    Error,
    Warning,
    Note,
    Never,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    Always,
    Never,
}

fn confidence() -> impl clap::builder::TypedValueParser<Value = Confidence> {
    let words = Confidence::WORDS.iter().rev().copied();
    PossibleValuesParser::new(words).map(|word| Confidence::from_word(&word).unwrap_or(Confidence::High))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    fn typed(words: &str) -> Typed {
        Typed::try_parse_from(std::iter::once("retry-lint").chain(words.split_whitespace())).unwrap()
    }

    #[test]
    fn clap_agrees_with_these_types() {
        Typed::command().debug_assert();
    }

    #[test]
    fn every_verb_is_listed() {
        let command = Typed::command();
        let verbs: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        assert_eq!(verbs, VERBS);
    }

    #[test]
    fn check_is_the_verb_of_those_who_name_none() {
        assert!(typed("").verb.is_none() && typed("").paths.is_empty());
        assert_eq!(typed("src tests").paths, [PathBuf::from("src"), PathBuf::from("tests")]);
        assert_eq!(typed("src audit").paths, [PathBuf::from("src"), PathBuf::from("audit")]);
        assert_eq!(typed("-").paths, [PathBuf::from("-")]);
    }

    #[test]
    fn options_may_stand_before_and_after_the_verb() {
        let both = typed("--format json --pedantic check src --select a,b --select c");
        assert!(matches!(&both.verb, Some(Verb::Check { paths }) if paths.len() == 1));
        assert_eq!(both.options.format, Some(Format::Json));
        assert!(both.options.pedantic);
        assert_eq!(both.options.select, ["a", "b", "c"]);
    }

    #[test]
    fn confidence_and_threads_are_checked_when_typed() {
        assert_eq!(typed("--min-confidence medium").options.min_confidence, Some(Confidence::Medium));
        for wrong in ["--min-confidence low", "--threads 0", "--fail-on off", "-q -v", "explain"] {
            let words = std::iter::once("retry-lint").chain(wrong.split_whitespace());
            assert!(Typed::try_parse_from(words).is_err(), "{wrong}");
        }
    }
}
