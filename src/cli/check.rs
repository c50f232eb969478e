//! `retry-lint check`: the findings, and an exit status that says whether there are any.

use super::args::Options;
use super::configured::here;
use super::error::Stop;
use super::fixing::{self, Asked};
use super::output::write_files;
use super::rewriting::{self, Rewritten, Unwritten};
use super::rooms::Card;
use super::run::{Judging, Looked};
use super::settings::Settings;
use super::surroundings::surroundings;
use super::with_check::with_check;
use super::{Status, say, show};
use crate::model::Level;
use crate::report::{Report, Surroundings};
use codespan_reporting::term::termcolor::WriteColor;
use std::cell::Cell;
use std::time::Instant;

pub(super) fn check(
    settings: &Settings,
    options: &Options,
    out: &mut dyn WriteColor,
) -> Result<Status, Stop> {
    if options.configuring.show_settings {
        return show::show(settings, options, out);
    }
    // what has no package of its own, and the names that comments and the baseline may use, are those of the current folder
    let here = here(options)?;
    fixing::can_be_done(settings, options, &here.known.addable())?;
    let checked = with_check(settings, out)?;
    let names = here.rule_names();
    let older = options.older.read(&settings.inputs)?;
    let started = Instant::now();
    let stale = Cell::new(0);
    let leave_out = |looked: &mut Looked, edited: &[Rewritten]| {
        stale.set(older.leave_out(looked, edited, &settings.inputs, &names));
    };
    let judging = Judging { keep_all: older.has_baseline(), fixes: true };
    let asked = Asked { settings, options, judging, leave_out: &leave_out };
    let (looked, status) = if options.fixing.diff {
        diff(&asked, out)?
    } else if options.fixing.fix {
        fix(&asked, here.rules.cards(), out)?
    } else {
        let looked = asked.look(&[])?;
        let mut around = surroundings(here.rules.cards(), &looked, settings);
        checked.correct(&mut around);
        let status = tell(settings, &looked, &around, out)?;
        (looked, status)
    };
    checked.finish(out)?;
    out.flush()?;
    say::timings(&looked, started.elapsed(), settings.talk);
    older.say_stale(stale.get(), settings.talk);
    Ok(if checked.failed { Status::Failed } else { status })
}

/// Prints what fixes would change.
fn diff(asked: &Asked<'_>, out: &mut dyn WriteColor) -> Result<(Looked, Status), Stop> {
    let settings = asked.settings;
    let (looked, fixed) = fixing::fixed(asked)?;
    say::problems(&looked, settings);
    say::unwritten(&fixed.failed, settings.talk);
    rewriting::diff(&fixed.files, out)?;
    out.flush()?;
    say::fixes(&fixed, asked.options, settings);
    say::statistics(&looked, settings.talk);
    let failed = !fixed.failed.is_empty() || looked.problems.iter().any(|it| say::fails(it, settings));
    let status = match (failed, fixed.files.is_empty()) {
        (true, _) => Status::Failed,
        (false, true) => Status::Clean,
        (false, false) => Status::Findings,
    };
    Ok((looked, status))
}

/// Applies fixes, and tells as ever what is left.
fn fix(asked: &Asked<'_>, cards: Vec<Card>, out: &mut dyn WriteColor) -> Result<(Looked, Status), Stop> {
    let settings = asked.settings;
    let (mut looked, mut fixed) = fixing::fixed(asked)?;
    let unwritten = rewriting::write(&fixed.files, std::mem::take(&mut fixed.failed));
    if !unwritten.is_empty() {
        // what was not written is not mended
        fixed.files.retain(|file| unwritten.iter().all(|it| it.path != file.path));
        looked = asked.look(&fixed.files)?;
    }
    say::unwritten(&unwritten, settings.talk);
    looked.problems.extend(unwritten.iter().map(Unwritten::problem));
    looked.problems.sort();
    let around = surroundings(cards, &looked, settings);
    let status = tell(settings, &looked, &around, out)?;
    say::fixes(&fixed, asked.options, settings);
    Ok((looked, if unwritten.is_empty() { status } else { Status::Failed }))
}

/// Writes what was found, and says beside it how it was found.
fn tell(
    settings: &Settings,
    looked: &Looked,
    around: &Surroundings,
    out: &mut dyn WriteColor,
) -> Result<Status, Stop> {
    say::problems(looked, settings);
    let report = Report {
        findings: &looked.findings,
        problems: &looked.problems,
        summary: looked.summary,
        sources: &looked.sources,
        surroundings: around,
    };
    write_files(&settings.outputs, |out, format| report.write(out, format, settings.talk.quiet))?;
    report.write(out, settings.format, settings.talk.quiet)?;
    out.flush()?;
    say::extent(looked, settings.talk);
    say::coverage(looked, settings);
    say::statistics(looked, settings.talk);
    let failed = looked.problems.iter().any(|problem| say::fails(problem, settings));
    let findings = looked.findings.iter().map(|finding| (finding.level, looked.fail_on(finding)));
    Ok(status(findings, failed))
}

/// A file that failed the run weighs more than findings: what was found is not all there is. Each finding comes with the lowest level
/// that fails where it is.
fn status(findings: impl IntoIterator<Item = (Level, Option<Level>)>, failed: bool) -> Status {
    if failed {
        return Status::Failed;
    }
    let fails = |(level, lowest): (Level, Option<Level>)| lowest.is_some_and(|lowest| level >= lowest);
    if findings.into_iter().any(fails) { Status::Findings } else { Status::Clean }
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
            let findings = notes_and_warnings.map(|level| (level, fail_on));
            assert_eq!(status(findings, false), expected, "{fail_on:?}");
        }
        assert_eq!(status([(Level::Note, Some(Level::Warning))], false), Status::Clean);
        assert_eq!(status([], false), Status::Clean);
        let where_it_fails = [(Level::Note, None), (Level::Note, Some(Level::Note))];
        assert_eq!(status(where_it_fails, false), Status::Findings);
    }

    #[test]
    fn a_file_that_fails_the_run_weighs_more_than_findings() {
        assert_eq!(status([(Level::Error, Some(Level::Warning))], true), Status::Failed);
        assert_eq!(status([], true), Status::Failed);
    }
}
