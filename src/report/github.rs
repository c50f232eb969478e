//! Workflow commands: lines that GitHub's runner turns into annotations of a pull request. The runner reads every line of a log that
//! begins with `::`, so no text of a stranger may begin a line, or end a property before its time.

use super::clean::clean;
use super::human::totals;
use super::{Report, rule_url, suggested};
use crate::model::{Finding, Level};
use codespan_reporting::term::termcolor::WriteColor;
use std::io;

/// The loudest first, because a step shows only ten of a kind; then the totals, as plain text.
pub(super) fn write_report(out: &mut dyn WriteColor, report: &Report<'_>, quiet: bool) -> io::Result<()> {
    let mut findings: Vec<&Finding> = report.findings.iter().collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    for finding in findings {
        write_finding(out, finding, report)?;
    }
    for problem in report.problems {
        let file = property(&report.surroundings.path(&problem.path));
        let place = match problem.line {
            0 => String::new(),
            line => format!(",line={line},col={}", problem.column.max(1)),
        };
        let message = data(&clean(&problem.message));
        writeln!(out, "::warning file={file}{place},title=not analysed::{message}")?;
    }
    if quiet {
        return Ok(());
    }
    writeln!(out, "{}", totals(report))
}

fn write_finding(out: &mut dyn WriteColor, finding: &Finding, report: &Report<'_>) -> io::Result<()> {
    let command = match finding.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note | Level::Off => "notice",
    };
    // One line only: columns are allowed on one line alone, and a loop of 100 lines would be marked at its end.
    let place = report.sources.head(&finding.place);
    let columns = if place.line == place.end_line {
        format!(",col={},endColumn={}", place.column, place.end_column)
    } else {
        String::new()
    };
    writeln!(
        out,
        "::{command} file={},line={},endLine={}{columns},title={}::{}",
        property(&report.surroundings.path(&place.path)),
        place.line,
        place.end_line,
        property(&finding.rule),
        data(&message(finding, report)),
    )
}

/// The message, then note, help, the fix with its lines, and where the rule's page is, each on a line of its own.
fn message(finding: &Finding, report: &Report<'_>) -> String {
    let mut lines = vec![clean(&finding.message)];
    for (word, text) in [("note", &finding.note), ("help", &finding.help)] {
        let mut more = text.trim().lines().map(clean);
        lines.extend(more.next().map(|first| format!("{word}: {first}")));
        lines.extend(more);
    }
    if let Some(fix) = &finding.fix {
        lines.extend(suggested::words(fix));
        lines.extend(suggested::plain(fix, report.sources));
    }
    lines.extend(rule_url(&finding.rule));
    lines.join("\n")
}

/// A message as the runner reads it back.
fn data(text: &str) -> String {
    // `%` first: it is what the others become.
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property, as the runner reads it back.
fn property(text: &str) -> String {
    data(&clean(text)).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use crate::report::{Format, samples};

    #[test]
    fn annotations_as_they_were() {
        let sample = samples::two_files();
        samples::is_golden("check-github.txt", &samples::written(&sample.report(), Format::Github));
    }

    #[test]
    fn no_text_begins_a_command_or_a_property() {
        let path = "src/a,b:c%0A::error::.rs";
        let (mut finding, sources) =
            samples::finding_in(path, "loop { f(\"::error::x\") }", "f(\"::error::x\")");
        finding.message = "50% of\r\n::error::`f(\"::error::x\")`, all: of %0A it".to_owned();
        finding.note = "one\n::stop-commands::x\r::error::y".to_owned();
        let sample = samples::Sample { findings: vec![finding], sources, ..samples::Sample::default() };
        let text = samples::written(&sample.report(), Format::Github);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2, "{text}");
        let (properties, message) =
            lines[0].strip_prefix("::warning ").and_then(|it| it.split_once("::")).unwrap_or_default();
        assert_eq!(
            properties,
            "file=src/a%2Cb%3Ac%250A%3A%3Aerror%3A%3A.rs,line=1,endLine=1,col=8,endColumn=23,title=fixed-delay"
        );
        // What `clean` makes visible stays visible; the ends of lines are those of the note alone.
        assert!(message.starts_with(r#"50%25 of\r\n::error::`f("::error::x")`, all: of %250A it%0Anote: one%0A::stop-commands::x\r::error::y%0A"#), "{message}");
        assert!(!text.contains('\r'));
        assert!(!lines[1].starts_with("::"));
    }

    #[test]
    fn a_place_of_many_lines_is_its_first() {
        let text = "fn f() {\n    loop {\n        日本();\n    }\n}\n";
        let (finding, sources) = samples::finding_in("a.rs", text, "loop {\n        日本();\n    }");
        let sample = samples::Sample { findings: vec![finding], sources, ..samples::Sample::default() };
        let text = samples::written(&sample.report(), Format::Github);
        assert!(text.starts_with("::warning file=a.rs,line=2,endLine=2,col=5,endColumn=11,"), "{text}");
    }
}
