//! `retry-lint check`: the findings, and an exit status that says whether there are any.

use super::args::Options;
use super::error::Stop;
use super::output::write_files;
use super::rooms::Rules;
use super::run::{Judges, run};
use super::selection::{Selection, select};
use super::settings::Settings;
use super::surroundings::surroundings;
use super::with_check::with_check;
use super::{Status, say};
use crate::model::Level;
use crate::report::Report;
use crate::settings::RuleName;
use codespan_reporting::term::termcolor::WriteColor;

pub(super) fn check(
    settings: &Settings,
    options: &Options,
    out: &mut dyn WriteColor,
) -> Result<Status, Stop> {
    let rules = Rules::builtin()?;
    let selection = select(options, &rules.cards())?;
    let checked = with_check(settings, out)?;
    let names = rule_names(&rules, &selection);
    let older = options.older.read(&settings.inputs)?;
    let judges =
        Judges { rules: &rules, selection: &selection, names: &names, keep_all: older.has_baseline() };
    let mut looked = run(settings, Some(judges))?;
    let stale = older.leave_out(&mut looked, &settings.inputs, &names);
    say::problems(&looked, settings);
    let mut around = surroundings(rules.cards(), &looked, settings);
    checked.correct(&mut around);
    let report = Report {
        findings: &looked.findings,
        problems: &looked.problems,
        summary: looked.summary,
        sources: &looked.sources,
        surroundings: &around,
    };
    write_files(&settings.outputs, |out, format| report.write(out, format, settings.talk.quiet))?;
    report.write(out, settings.format, settings.talk.quiet)?;
    checked.finish(out)?;
    out.flush()?;
    say::extent(&looked, settings.talk);
    older.say_stale(stale, settings.talk);
    let failed = checked.failed || looked.problems.iter().any(|problem| say::fails(problem, settings));
    Ok(status(looked.findings.iter().map(|finding| finding.level), failed, settings.fail_on))
}

/// The rules as comments and baselines name them.
pub(super) fn rule_names(rules: &Rules, selection: &Selection) -> Vec<RuleName> {
    let cards = rules.cards().into_iter();
    cards
        .map(|card| {
            let asked = selection.level(&card.name) != Level::Off;
            RuleName { name: card.name, group: card.group.word(), asked }
        })
        .collect()
}

/// A file that failed the run weighs more than findings: what was found is not all there is.
fn status(levels: impl IntoIterator<Item = Level>, failed: bool, fail_on: Option<Level>) -> Status {
    if failed {
        return Status::Failed;
    }
    let Some(lowest) = fail_on else { return Status::Clean };
    if levels.into_iter().any(|level| level >= lowest) { Status::Findings } else { Status::Clean }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_fail_at_the_level_that_was_asked_for() {
        let notes_and_warnings = [Level::Note, Level::Warning];
        for (fail_on, expected) in [
            (Some(Level::Error), Status::Clean),
            (Some(Level::Warning), Status::Findings),
            (Some(Level::Note), Status::Findings),
            (None, Status::Clean),
        ] {
            assert_eq!(status(notes_and_warnings, false, fail_on), expected, "{fail_on:?}");
        }
        assert_eq!(status([Level::Note], false, Some(Level::Warning)), Status::Clean);
        assert_eq!(status([], false, Some(Level::Note)), Status::Clean);
    }

    #[test]
    fn a_file_that_fails_the_run_weighs_more_than_findings() {
        assert_eq!(status([Level::Error], true, Some(Level::Warning)), Status::Failed);
        assert_eq!(status([], true, None), Status::Failed);
    }
}
