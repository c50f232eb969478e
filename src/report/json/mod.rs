//! For machines: one object, schema version 1. Fields are only ever added; the names and meanings of those that are here stay.
//! The types here are the wire's own, so that the model can change without the output doing so. Lines and columns are 1-based, columns
//! count characters, end columns are exclusive. A fact that is not known is null, or the word `unknown` where its values are words.

mod site;

use super::wire::write_pretty;
use super::{Audit, Report, fingerprint, rule_url};
use crate::model::{Chain, Evidence, Finding, Fix, Level, Needed, Place, Problem};
use serde::Serialize;
use site::{number, site_object};
use std::io;

const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct Document {
    schema_version: u32,
    tool: Tool,
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<Vec<WireFinding>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sites: Option<Vec<serde_json::Value>>,
    problems: Vec<WireProblem>,
    summary: WireSummary,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct WireFinding {
    rule: String,
    level: &'static str,
    group: &'static str,
    confidence: &'static str,
    message: String,
    note: String,
    #[serde(flatten)]
    place: WirePlace,
    function: String,
    in_test: bool,
    labels: Vec<WireLabel>,
    site: serde_json::Value,
    chain: Vec<WireChain>,
    fixes: Vec<WireFix>,
    fingerprint: String,
    url: Option<String>,
}

#[derive(Serialize)]
struct WirePlace {
    path: String,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
}

#[derive(Serialize)]
struct WireLabel {
    #[serde(flatten)]
    place: WirePlace,
    text: String,
    primary: bool,
}

/// What shows a fact; without a place where it is shown by an absence.
#[derive(Serialize)]
struct WireEvidence {
    path: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
    end_line: Option<u32>,
    end_column: Option<u32>,
    text: String,
}

#[derive(Serialize)]
struct WireChain {
    path: String,
    line: u32,
    column: u32,
    function: String,
    attempts: serde_json::Value,
}

/// A change of the text that mends a finding.
#[derive(Serialize)]
struct WireFix {
    title: String,
    safety: &'static str,
    edits: Vec<WireEdit>,
    /// The line that the manifest lacks for it.
    needs: Option<String>,
}

#[derive(Serialize)]
struct WireEdit {
    path: String,
    start_byte: u32,
    end_byte: u32,
    replacement: String,
}

#[derive(Serialize)]
struct WireProblem {
    path: String,
    line: Option<u32>,
    column: Option<u32>,
    message: String,
}

#[derive(Serialize)]
struct WireSummary {
    files: usize,
    bytes: u64,
    sites: usize,
    errors: usize,
    warnings: usize,
    notes: usize,
    suppressed: usize,
    baselined: usize,
    sites_known: usize,
    sites_with_unknown: usize,
    bodies: usize,
    bodies_not_followed: usize,
}

/// The findings as one object.
pub(super) fn write_report(out: &mut dyn io::Write, report: &Report<'_>) -> io::Result<()> {
    let findings = report.findings.iter().map(|finding| wire_finding(finding, report)).collect();
    let mut document = document(report);
    document.findings = Some(findings);
    write_pretty(out, &document)
}

/// The sites as one object.
pub(super) fn write_audit(out: &mut dyn io::Write, audit: &Audit<'_>) -> io::Result<()> {
    let nothing = super::Sources::default();
    let nowhere = super::Surroundings::default();
    let report = Report {
        findings: &[],
        problems: audit.problems,
        summary: audit.summary,
        sources: &nothing,
        surroundings: &nowhere,
    };
    let mut document = document(&report);
    document.sites = Some(audit.sites.iter().map(|site| site_object(site)).collect());
    write_pretty(out, &document)
}

fn document(report: &Report<'_>) -> Document {
    let summary = report.summary;
    Document {
        schema_version: SCHEMA_VERSION,
        tool: Tool { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") },
        findings: None,
        sites: None,
        problems: report.problems.iter().map(wire_problem).collect(),
        summary: WireSummary {
            files: summary.files,
            bytes: summary.bytes,
            sites: summary.sites,
            errors: report.count(Level::Error),
            warnings: report.count(Level::Warning),
            notes: report.count(Level::Note),
            suppressed: summary.suppressed,
            baselined: summary.baselined,
            sites_known: summary.known,
            sites_with_unknown: summary.sites.saturating_sub(summary.known),
            bodies: summary.bodies,
            bodies_not_followed: summary.unfollowed,
        },
    }
}

fn wire_finding(finding: &Finding, report: &Report<'_>) -> WireFinding {
    WireFinding {
        rule: finding.rule.clone(),
        level: finding.level.word(),
        group: finding.group.word(),
        confidence: finding.confidence.word(),
        message: finding.message.clone(),
        note: finding.note.clone(),
        place: wire_place(&finding.place),
        function: finding.site.function.clone(),
        in_test: finding.site.in_test,
        labels: finding
            .labels
            .iter()
            .map(|label| WireLabel {
                place: wire_place(&label.place),
                text: label.text.clone(),
                primary: label.primary,
            })
            .collect(),
        site: site_object(&finding.site),
        chain: finding.site.chain.iter().map(wire_chain).collect(),
        fixes: finding.fix.iter().map(wire_fix).collect(),
        fingerprint: fingerprint(finding, report.sources),
        url: rule_url(&finding.rule),
    }
}

fn wire_place(place: &Place) -> WirePlace {
    WirePlace {
        path: place.path.to_string(),
        line: place.line,
        column: place.column,
        end_line: place.end_line,
        end_column: place.end_column,
    }
}

fn wire_evidence(evidence: &Evidence) -> WireEvidence {
    let place = evidence.place.as_ref();
    WireEvidence {
        path: place.map(|place| place.path.to_string()),
        line: place.map(|place| place.line),
        column: place.map(|place| place.column),
        end_line: place.map(|place| place.end_line),
        end_column: place.map(|place| place.end_column),
        text: evidence.text.clone(),
    }
}

fn wire_chain(step: &Chain) -> WireChain {
    WireChain {
        path: step.place.path.to_string(),
        line: step.place.line,
        column: step.place.column,
        function: step.function.clone(),
        attempts: step.attempts.map_or(serde_json::Value::Null, number),
    }
}

fn wire_fix(fix: &Fix) -> WireFix {
    let edits = fix.edits.iter().map(|edit| WireEdit {
        path: edit.path.to_string(),
        start_byte: edit.start_byte,
        end_byte: edit.end_byte,
        replacement: edit.replacement.clone(),
    });
    WireFix {
        title: fix.title.clone(),
        safety: fix.safety.word(),
        edits: edits.collect(),
        needs: fix.needs.as_ref().map(Needed::line),
    }
}

fn wire_problem(problem: &Problem) -> WireProblem {
    let placed = problem.line > 0;
    WireProblem {
        path: problem.path.clone(),
        line: placed.then_some(problem.line),
        column: placed.then_some(problem.column),
        message: problem.message.clone(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use crate::report::{Format, samples};
    use serde_json::Value;

    fn read(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn check_and_audit_as_they_were() {
        let sample = samples::two_files();
        samples::is_golden("check.json", &samples::written(&sample.report(), Format::Json));
        samples::is_golden("audit.json", &samples::written_audit(&sample.audit(), Format::Json, None));
    }

    #[test]
    fn an_empty_report_has_every_field() {
        let sample = samples::Sample::default();
        let json = read(&samples::written(&sample.report(), Format::Json));
        let fields: Vec<&String> = json.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["schema_version", "tool", "findings", "problems", "summary"]);
        assert_eq!(json["findings"], serde_json::json!([]));
        let json = read(&samples::written_audit(&sample.audit(), Format::Json, None));
        assert!(json.get("findings").is_none());
        assert_eq!(json["sites"], serde_json::json!([]));
    }

    #[test]
    fn hostile_text_is_the_same_value_without_a_raw_control() {
        let sample = samples::hostile();
        let text = samples::written(&sample.report(), Format::Json);
        assert!(!text.chars().any(|ch| ch != '\n' && crate::report::clean::is_steering(ch)), "{text}");
        let json = read(&text);
        assert_eq!(json["findings"][0]["message"], sample.findings[0].message.as_str());
        assert_eq!(json["findings"][0]["path"], &*sample.findings[0].place.path);
        assert_eq!(json["problems"][0]["message"], sample.problems[0].message.as_str());
        assert_eq!(json["problems"][0]["line"], Value::Null);
    }

    #[test]
    fn characters_beyond_16_bits_become_two_units() {
        let mut sample = samples::hostile();
        sample.findings[0].message = "\u{e0041}".to_owned();
        let text = samples::written(&sample.report(), Format::Json);
        assert!(text.contains(r#""message": "\udb40\udc41""#), "{text}");
        assert_eq!(read(&text)["findings"][0]["message"], "\u{e0041}");
    }
}
