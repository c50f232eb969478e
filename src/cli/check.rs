//! `retry-lint check`: the findings, and an exit status that says whether there are any.

use super::args::Options;
use super::configured::here;
use super::error::Stop;
use super::fixing::{self, Texts};
use super::output::write_files;
use super::run::{Judging, Looked, run};
use super::settings::Settings;
use super::surroundings::surroundings;
use super::with_check::with_check;
use super::{Status, say, show};
use crate::model::Level;
use crate::report::{Report, Surroundings};
use codespan_reporting::term::termcolor::WriteColor;
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
    let checked = with_check(settings, out)?;
    let names = here.rule_names();
    let older = options.older.read(&settings.inputs)?;
    let started = Instant::now();
    if options.fixing.fix {
        fixing::may_write(settings, &options.fixing)?;
    }
    let judging = Judging { keep_all: older.has_baseline(), fixes: true };
    let leave_out = |looked: &mut Looked| older.leave_out(looked, &settings.inputs, &names);
    if options.fixing.asked() {
        return fix(settings, options, judging, &|looked| _ = leave_out(looked), out);
    }
    let mut looked = run(settings, options, Some(judging), &Texts::new())?;
    let stale = leave_out(&mut looked);
    let mut around = surroundings(here.rules.cards(), &looked, settings);
    checked.correct(&mut around);
    let status = tell(settings, &looked, &around, out)?;
    checked.finish(out)?;
    out.flush()?;
    say::timings(&looked, started.elapsed(), settings.talk);
    older.say_stale(stale, settings.talk);
    Ok(if checked.failed { Status::Failed } else { status })
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

/// `--diff` shows what fixes change and `--fix` changes it; what is left is told as ever.
fn fix(
    settings: &Settings,
    options: &Options,
    judging: Judging,
    leave_out: &dyn Fn(&mut Looked),
    out: &mut dyn WriteColor,
) -> Result<Status, Stop> {
    let (mut looked, fixed) = fixing::fixed(settings, options, judging, leave_out)?;
    if options.fixing.diff {
        say::problems(&looked, settings);
        fixing::diff(&fixed, out)?;
        out.flush()?;
        say::fixes(&fixed, options, settings.talk);
        let failed = looked.problems.iter().any(|problem| say::fails(problem, settings));
        return Ok(match (failed, fixed.files.is_empty()) {
            (true, _) => Status::Failed,
            (false, true) => Status::Clean,
            (false, false) => Status::Findings,
        });
    }
    let unwritten = fixing::write(&fixed);
    let added =
        if options.fixing.add_dependency.is_some() { fixing::add_dependencies(&fixed) } else { Vec::new() };
    let failed = !unwritten.is_empty() || !added.is_empty();
    looked.problems.extend(unwritten);
    looked.problems.extend(added);
    let around = surroundings(here(options)?.rules.cards(), &looked, settings);
    let status = tell(settings, &looked, &around, out)?;
    say::fixes(&fixed, options, settings.talk);
    Ok(if failed { Status::Failed } else { status })
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
