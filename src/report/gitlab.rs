//! GitLab's code quality report: an array of issues. GitLab shows neither the rule nor more than one line of text, and tells issues apart by
//! their fingerprint alone.

use super::Report;
use super::numbered::numbered;
use super::suggested::markdown;
use super::wire::write_pretty;
use crate::model::{Finding, Level};
use serde::Serialize;
use std::io;

#[derive(Serialize)]
struct Issue {
    description: String,
    check_name: String,
    fingerprint: String,
    severity: &'static str,
    location: Location,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Content>,
}

/// What the format has for a longer text, as Markdown; GitLab itself does not show it.
#[derive(Serialize)]
struct Content {
    body: String,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
    end: u32,
}

/// The findings as an array.
pub(super) fn write_report(out: &mut dyn io::Write, report: &Report<'_>) -> io::Result<()> {
    let issues: Vec<Issue> = report
        .findings
        .iter()
        .zip(numbered(report))
        .map(|(finding, print)| issue(finding, print, report))
        .collect();
    write_pretty(out, &issues)
}

fn issue(finding: &Finding, (print, count): (String, usize), report: &Report<'_>) -> Issue {
    Issue {
        description: format!("{}: {}", finding.rule, finding.message),
        check_name: finding.rule.clone(),
        // The first keeps the bare one, so that it stays the same when a second comes.
        fingerprint: if count == 1 { print } else { format!("{print}-{count}") },
        severity: match finding.level {
            Level::Error => "major",
            Level::Warning => "minor",
            Level::Note | Level::Off => "info",
        },
        location: Location {
            path: report.surroundings.path(&finding.place.path).into_owned(),
            lines: Lines { begin: finding.place.line, end: finding.place.end_line },
        },
        content: finding.fix.as_ref().map(|fix| Content { body: markdown(fix, report.sources) }),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::report::{Format, samples};
    use serde_json::Value;
    use std::collections::BTreeSet;

    #[test]
    fn issues_as_they_were() {
        let sample = samples::two_files();
        samples::is_golden("check-gitlab.json", &samples::written(&sample.report(), Format::Gitlab));
        let nothing = samples::Sample::default();
        assert_eq!(samples::written(&nothing.report(), Format::Gitlab), "[]\n");
    }

    #[test]
    fn no_two_issues_have_one_fingerprint() {
        let mut sample = samples::two_files();
        let again = sample.findings.clone();
        sample.findings.extend(again.iter().cloned());
        sample.findings.extend(again);
        let issues: Vec<Value> =
            serde_json::from_str(&samples::written(&sample.report(), Format::Gitlab)).unwrap();
        let prints: BTreeSet<&str> =
            issues.iter().filter_map(|issue| issue.get("fingerprint")?.as_str()).collect();
        assert_eq!(prints.len(), 9);
    }
}
