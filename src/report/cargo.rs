//! Compiler messages, one a line, as `cargo check --message-format=json` writes them, for editors and tools that read cargo's output.
//! rust-analyzer drops a line silently in which a field is missing or a word is none of rustc's, so every field is always there.

use super::human::write_finding;
use super::surroundings::{below, is_absolute};
use super::wire::write_line;
use super::{FileAbout, Report, Sources, file_url, rule_url};
use crate::model::{Finding, Fix, Label, Level, Place, Safety};
use codespan_reporting::term::termcolor::NoColor;
use serde::Serialize;
use std::io;

/// Spans of one message: more are no help in an editor, and each has its lines with it.
const MOST_SPANS: usize = 50;
/// Bytes of source that one span carries; a longer one goes without.
const MOST_TEXT: usize = 16 << 10;

#[derive(Serialize)]
struct CompilerMessage<'a> {
    reason: &'static str,
    package_id: &'a str,
    manifest_path: &'a str,
    target: Target<'a>,
    message: Diagnostic,
}

#[derive(Serialize)]
#[allow(clippy::struct_excessive_bools)]
struct Target<'a> {
    kind: &'a [String],
    crate_types: &'a [String],
    name: &'a str,
    src_path: &'a str,
    edition: &'a str,
    doc: bool,
    doctest: bool,
    test: bool,
}

#[derive(Serialize)]
struct Diagnostic {
    message: String,
    code: Option<Code>,
    level: &'static str,
    spans: Vec<Span>,
    children: Vec<Diagnostic>,
    rendered: Option<String>,
}

#[derive(Serialize)]
struct Code {
    code: String,
    explanation: Option<String>,
}

#[derive(Serialize)]
struct Span {
    file_name: String,
    byte_start: u32,
    byte_end: u32,
    line_start: u32,
    line_end: u32,
    column_start: u32,
    column_end: u32,
    is_primary: bool,
    text: Vec<Line>,
    label: Option<String>,
    suggested_replacement: Option<String>,
    suggestion_applicability: Option<&'static str>,
    expansion: Option<()>,
}

#[derive(Serialize)]
struct Line {
    text: String,
    highlight_start: u32,
    highlight_end: u32,
}

/// A message for each finding; nothing where there is none, which tells an editor that all is well.
pub(super) fn write_report(out: &mut dyn io::Write, report: &Report<'_>) -> io::Result<()> {
    for finding in report.findings {
        let path = &*finding.place.path;
        let loose = loose_file(path);
        let unit = &report.surroundings.files.get(path).unwrap_or(&loose).unit;
        let target = &unit.target;
        let message = CompilerMessage {
            reason: "compiler-message",
            package_id: &unit.package_id,
            manifest_path: &unit.manifest_path,
            target: Target {
                kind: &target.kind,
                crate_types: &target.crate_types,
                name: &target.name,
                src_path: &target.src_path,
                edition: &target.edition,
                doc: target.doc,
                doctest: target.doctest,
                test: target.test,
            },
            message: diagnostic(finding, report, &unit.workspace)?,
        };
        write_line(out, &message)?;
    }
    Ok(())
}

/// A file of no package, as cargo sees a script: a package that is one file.
fn loose_file(path: &str) -> FileAbout {
    let path = if is_absolute(path) { path.to_owned() } else { format!("/{path}") };
    FileAbout::loose(path)
}

impl FileAbout {
    /// A file that belongs to no package: one that is this file, as cargo sees a script.
    pub fn loose(absolute: String) -> Self {
        let file = absolute.rsplit('/').next().unwrap_or_default();
        let name = file.strip_suffix(".rs").unwrap_or(file);
        let name = if name.is_empty() { "script" } else { name };
        let unit = super::Unit {
            package_id: format!("path+{}#{name}@0.0.0", file_url(&absolute)),
            manifest_path: absolute.clone(),
            workspace: absolute.rsplit_once('/').map_or_else(String::new, |(folder, _)| folder.to_owned()),
            target: super::Target {
                kind: vec!["bin".to_owned()],
                crate_types: vec!["bin".to_owned()],
                name: name.to_owned(),
                src_path: absolute.clone(),
                edition: "2024".to_owned(),
                doc: true,
                doctest: false,
                test: true,
            },
        };
        Self { absolute, unit }
    }
}

fn diagnostic(finding: &Finding, report: &Report<'_>, workspace: &str) -> io::Result<Diagnostic> {
    let mut rendered = NoColor::new(Vec::new());
    write_finding(&mut rendered, finding, report.sources)?;
    let children = [("note", finding.note.clone()), ("help", finding.help.clone())].into_iter();
    let page = rule_url(&finding.rule).map(|url| ("note", format!("see {url}")));
    let children = children.chain(page).filter(|(_, text)| !text.trim().is_empty());
    let suggestion = finding.fix.as_ref().map(|fix| suggestion(fix, report, workspace));
    Ok(Diagnostic {
        message: finding.message.clone(),
        code: Some(Code {
            code: format!("retry_lint::{}", finding.rule.replace('-', "_")),
            explanation: None,
        }),
        level: match finding.level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note | Level::Off => "note",
        },
        spans: spans(finding, report, workspace),
        children: children
            .map(|(level, text)| child(level, text.trim().to_owned(), Vec::new()))
            .chain(suggestion)
            .collect(),
        rendered: Some(String::from_utf8_lossy(&rendered.into_inner()).into_owned()),
    })
}

fn child(level: &'static str, message: String, spans: Vec<Span>) -> Diagnostic {
    Diagnostic { message, code: None, level, spans, children: Vec::new(), rendered: None }
}

/// A fix as rustc writes one of several parts: one child whose spans are all replaced together. What may be applied unasked is what
/// `cargo fix` would apply.
fn suggestion(fix: &Fix, report: &Report<'_>, workspace: &str) -> Diagnostic {
    let applicability = match fix.safety {
        Safety::Safe => "MachineApplicable",
        Safety::Unsafe => "MaybeIncorrect",
    };
    let spans = fix.edits.iter().map(|edit| {
        let place = report.sources.place_of(edit);
        let span = span(file_name(&place, report, workspace), &place, "", true, report.sources);
        Span {
            suggested_replacement: Some(edit.replacement.clone()),
            suggestion_applicability: Some(applicability),
            ..span
        }
    });
    let needs = fix.needs.as_ref().map(|needs| format!("; needs `{}` in [dependencies]", needs.line()));
    child("help", format!("{}{}", fix.title, needs.unwrap_or_default()), spans.collect())
}

/// A file as cargo names it: from the workspace's folder.
fn file_name(place: &Place, report: &Report<'_>, workspace: &str) -> String {
    match report.surroundings.files.get(&*place.path) {
        Some(about) => below(&about.absolute, workspace).unwrap_or(&about.absolute).to_owned(),
        None => place.path.to_string(),
    }
}

/// The primary place first; without a primary span a message is not shown.
fn spans(finding: &Finding, report: &Report<'_>, workspace: &str) -> Vec<Span> {
    let name = |place: &Place| file_name(place, report, workspace);
    let is_primary = |label: &&Label| label.primary;
    let primary = finding.labels.iter().find(is_primary);
    let primary_text = primary.map_or("", |label| label.text.as_str());
    let first = span(name(&finding.place), &finding.place, primary_text, true, report.sources);
    // One without a label would be dropped.
    let others = finding.labels.iter().filter(|label| !label.primary && !label.text.is_empty());
    let others =
        others.map(|label| span(name(&label.place), &label.place, &label.text, false, report.sources));
    std::iter::once(first).chain(others).take(MOST_SPANS).collect()
}

fn span(file_name: String, place: &Place, label: &str, is_primary: bool, sources: &Sources) -> Span {
    Span {
        file_name,
        byte_start: place.start_byte,
        byte_end: place.end_byte,
        line_start: place.line,
        line_end: place.end_line,
        column_start: place.column,
        column_end: place.end_column,
        is_primary,
        text: lines(place, sources),
        label: (!label.is_empty()).then(|| label.to_owned()),
        suggested_replacement: None,
        suggestion_applicability: None,
        expansion: None,
    }
}

/// The lines of a span, each with the columns that the span has of it: readers turn columns into their own units by them.
fn lines(place: &Place, sources: &Sources) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut bytes = 0;
    for (number, text) in (place.line..).zip(sources.lines(place)) {
        bytes += text.len();
        if bytes > MOST_TEXT {
            return Vec::new();
        }
        let last = text.chars().count() as u32 + 1;
        lines.push(Line {
            text: text.to_owned(),
            highlight_start: if number == place.line { place.column } else { 1 },
            highlight_end: if number == place.end_line { place.end_column } else { last },
        });
    }
    lines
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use crate::report::{FileAbout, Format, Target, Unit, samples};
    use serde_json::{Value, json};

    fn messages(sample: &samples::Sample) -> Vec<Value> {
        let text = samples::written(&sample.report(), Format::Cargo);
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn messages_as_they_were() {
        let mut sample = samples::two_files();
        let words = |word: &str| vec![word.to_owned()];
        let unit = Unit {
            package_id: "path+file:///work/app#0.1.0".to_owned(),
            manifest_path: "/work/app/Cargo.toml".to_owned(),
            workspace: "/work/app".to_owned(),
            target: Target {
                kind: words("lib"),
                crate_types: words("lib"),
                name: "app".to_owned(),
                src_path: "/work/app/src/lib.rs".to_owned(),
                edition: "2024".to_owned(),
                doc: true,
                doctest: true,
                test: true,
            },
        };
        for path in ["src/client.rs", "src/policy.rs"] {
            let about = FileAbout { absolute: format!("/work/app/{path}"), unit: unit.clone() };
            sample.surroundings.files.insert(path.to_owned(), about);
        }
        samples::is_golden("check-cargo.jsonl", &samples::written(&sample.report(), Format::Cargo));
        let nothing = samples::Sample::default();
        assert_eq!(samples::written(&nothing.report(), Format::Cargo), "");
    }

    #[test]
    fn columns_count_characters_and_lines_go_with_them() {
        let text = "fn é() {\r\n    \"日本\".f(|| {\r\n        g()\r\n    })\r\n}\r\n";
        let (finding, sources) = samples::finding_in("a.rs", text, "f(|| {\r\n        g()\r\n    })");
        let sample = samples::Sample { findings: vec![finding], sources, ..samples::Sample::default() };
        let message = &messages(&sample)[0];
        let span = &message["message"]["spans"][0];
        assert_eq!(
            (
                &span["byte_start"],
                &span["line_start"],
                &span["column_start"],
                &span["line_end"],
                &span["column_end"]
            ),
            (&json!(24), &json!(2), &json!(10), &json!(4), &json!(7))
        );
        assert_eq!(
            span["text"],
            json!([
                { "text": "    \"日本\".f(|| {", "highlight_start": 10, "highlight_end": 16 },
                { "text": "        g()", "highlight_start": 1, "highlight_end": 12 },
                { "text": "    })", "highlight_start": 1, "highlight_end": 7 },
            ])
        );
        assert_eq!(message["package_id"], "path+file:///a.rs#a@0.0.0");
    }

    #[test]
    fn hostile_text_stays_on_its_line() {
        let sample = samples::hostile();
        let text = samples::written(&sample.report(), Format::Cargo);
        assert_eq!(text.lines().count(), 1);
        assert!(!text.trim_end().chars().any(crate::report::clean::is_steering), "{text}");
        assert_eq!(messages(&sample)[0]["message"]["message"], sample.findings[0].message.as_str());
    }

    #[test]
    fn a_long_line_is_not_repeated_for_each_finding() {
        let text = format!("{}sleep(d)", "日".repeat(1_000_000));
        let (finding, sources) = samples::finding_in("a.rs", &text, "sleep(d)");
        let findings: Vec<_> = std::iter::repeat_n(finding, 50).collect();
        let sample = samples::Sample { findings, sources, ..samples::Sample::default() };
        assert!(samples::written(&sample.report(), Format::Cargo).len() < 50 * 4_000);
    }
}
