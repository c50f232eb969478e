//! `retry-lint check`: the findings, and an exit status that says whether there are any.

use super::args::Options;
use super::error::Stop;
use super::rooms::Rules;
use super::run::{Judges, run};
use super::selection::select;
use super::settings::Settings;
use super::{Status, say};
use crate::report::Report;
use codespan_reporting::term::termcolor::WriteColor;

pub(super) fn check(
    settings: &Settings,
    options: &Options,
    out: &mut dyn WriteColor,
) -> Result<Status, Stop> {
    let rules = Rules::builtin()?;
    let selection = select(options, &rules.cards())?;
    let looked = run(settings, Some(Judges { rules: &rules, selection: &selection }))?;
    say::problems(&looked, settings);
    let report = Report {
        findings: &looked.findings,
        problems: &looked.problems,
        summary: looked.summary,
        sources: &looked.sources,
    };
    report.write(out, settings.format, settings.talk.quiet)?;
    out.flush()?;
    say::extent(&looked, settings.talk);
    if looked.problems.iter().any(|problem| say::fails(problem, settings)) {
        return Ok(Status::Failed);
    }
    let fails = |level| settings.fail_on.is_some_and(|lowest| level >= lowest);
    Ok(if looked.findings.iter().any(|finding| fails(finding.level)) {
        Status::Findings
    } else {
        Status::Clean
    })
}
