//! Findings and sites as bytes: for people (`human`, `concise`) and for machines (`json`, and what other tools ask for).
//! Reads the model and never syntax. Nothing here decides what is reported; whatever it is given is printed, in the order given.
//! Source text, messages and paths come from strangers: on the way to a terminal all of them pass through `clean`.

mod cargo;
mod clean;
mod concise;
mod excerpt;
mod fingerprint;
mod github;
mod gitlab;
mod human;
mod json;
mod line_hash;
mod numbered;
mod patch;
mod phrase;
mod sarif;
mod sources;
mod suggested;
mod surroundings;
mod table;
mod uri;
mod wire;

pub use clean::{clean, is_steering};
pub use fingerprint::fingerprint;
pub use sources::Sources;
pub use surroundings::{FileAbout, RulePage, Surroundings, Target, Unit};
pub use table::{Column, Cut, write_table};
pub use uri::file_url;

use crate::model::{Finding, Level, Problem, Site};
use codespan_reporting::term::termcolor::WriteColor;
use std::io;
use std::sync::Arc;

/// How findings and sites are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// With the source, for people.
    #[default]
    Human,
    /// One line each.
    Concise,
    /// One JSON object, schema version 1.
    Json,
    /// SARIF 2.1.0, as code scanning reads it.
    Sarif,
    /// Workflow commands that annotate a pull request on GitHub.
    Github,
    /// GitLab's code quality report.
    Gitlab,
    /// Compiler messages, one a line, as `cargo check` writes them.
    Cargo,
}

impl Format {
    /// Whether it can list sites; the others have a form for findings only.
    pub fn lists_sites(self) -> bool {
        matches!(self, Self::Human | Self::Concise | Self::Json)
    }
}

/// How much was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Files read, those read only for names not counted.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Sites of a real kind; tests count only where they are looked at.
    pub sites: usize,
    /// Those of them that are fully known.
    pub known: usize,
    /// Bodies that were asked for retries.
    pub bodies: usize,
    /// Those of them that could not be followed, or not to their end.
    pub unfollowed: usize,
    /// Findings hidden by a comment.
    pub suppressed: usize,
    /// Findings hidden by a baseline.
    pub baselined: usize,
}

/// What `check` found.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// The findings, sorted.
    pub findings: &'a [Finding],
    /// What could not be read, sorted.
    pub problems: &'a [Problem],
    /// How much was looked at.
    pub summary: Summary,
    /// The text that the places point into.
    pub sources: &'a Sources,
    /// What formats for other tools tell beside the findings.
    pub surroundings: &'a Surroundings,
}

/// What `audit` found.
#[derive(Clone, Copy, Debug)]
pub struct Audit<'a> {
    /// The sites, sorted.
    pub sites: &'a [Arc<Site>],
    /// What could not be read, sorted.
    pub problems: &'a [Problem],
    /// How much was looked at.
    pub summary: Summary,
}

impl Report<'_> {
    /// How many findings are of this level.
    pub fn count(&self, level: Level) -> usize {
        self.findings.iter().filter(|finding| finding.level == level).count()
    }

    /// Writes the findings; with `quiet` without the line of totals.
    pub fn write(&self, out: &mut dyn WriteColor, format: Format, quiet: bool) -> io::Result<()> {
        match format {
            Format::Human => human::write_report(out, self, quiet),
            Format::Concise => concise::write_report(out, self),
            Format::Json => json::write_report(out, self),
            Format::Sarif => sarif::write_report(out, self),
            Format::Github => github::write_report(out, self, quiet),
            Format::Gitlab => gitlab::write_report(out, self),
            Format::Cargo => cargo::write_report(out, self),
        }
    }
}

impl Audit<'_> {
    /// Writes the sites; with `quiet` without the line of totals; for people in so many columns (`None`: as many as it takes).
    pub fn write(
        &self,
        out: &mut dyn WriteColor,
        format: Format,
        quiet: bool,
        width: Option<usize>,
    ) -> io::Result<()> {
        match format {
            Format::Human => human::write_audit(out, self, quiet, width),
            Format::Concise => concise::write_audit(out, self),
            Format::Json => json::write_audit(out, self),
            Format::Sarif | Format::Github | Format::Gitlab | Format::Cargo => {
                Err(io::Error::new(io::ErrorKind::Unsupported, "this format has no form for sites"))
            }
        }
    }
}

/// Where a rule's page can be read; rules come with the program, so its repository has them.
fn rule_url(rule: &str) -> Option<String> {
    let repository = env!("CARGO_PKG_REPOSITORY");
    (!repository.is_empty()).then(|| format!("{repository}/blob/main/rules/{rule}.md"))
}

/// A problem as one line: `path:line:column: message`.
pub fn problem_line(problem: &Problem) -> String {
    let path = clean(&problem.path);
    let message = clean(&problem.message);
    if problem.line == 0 {
        return format!("{path}: {message}");
    }
    format!("{path}:{}:{}: {message}", problem.line, problem.column.max(1))
}

#[cfg(test)]
mod samples;
