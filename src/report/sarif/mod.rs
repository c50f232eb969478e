//! SARIF 2.1.0, for GitHub's code scanning and whoever else reads it. GitHub refuses a whole file for one missing field and shows an alert
//! in a pull request only if all its lines are in the diff: so everything that it asks for is always there, and a finding's region is one
//! line, with the rest as context and related locations. Columns count code points, as ours do, and the file says so.

mod fixes;
mod results;
mod rules;

use super::surroundings::is_absolute;
use super::uri::relative_uri;
use super::wire::write_pretty;
use super::{Report, Surroundings, file_url};
use crate::model::{Place, Problem};
use results::{ResultObject, results};
use rules::{Rule, rule};
use serde::Serialize;
use std::io;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// What relative paths start from: for GitHub the checkout.
const ROOT: &str = "%SRCROOT%";

#[derive(Serialize)]
struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    invocations: [Invocation; 1],
    column_kind: &'static str,
    results: Vec<ResultObject>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    version: &'static str,
    semantic_version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    information_uri: Option<&'static str>,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    tool_execution_notifications: Vec<Notification>,
    #[serde(skip_serializing_if = "Option::is_none")]
    working_directory: Option<Artifact>,
}

#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: Message,
    locations: [Location; 1],
}

#[derive(Serialize)]
struct Message {
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    markdown: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
// SARIF's own names.
#[allow(clippy::struct_field_names)]
struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logical_locations: Vec<LogicalLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context_region: Option<Region>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation {
    fully_qualified_name: String,
    kind: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Artifact {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri_base_id: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
}

impl Message {
    fn text(text: String) -> Self {
        Self { text, markdown: None }
    }
}

impl PhysicalLocation {
    fn of(place: &Place, around: &Surroundings) -> Self {
        let region = Some(region(place));
        Self { artifact_location: artifact(&place.path, around), region, context_region: None }
    }
}

impl Location {
    fn of(place: &Place, around: &Surroundings) -> Self {
        let physical_location = PhysicalLocation::of(place, around);
        Self { id: None, physical_location, logical_locations: Vec::new(), message: None }
    }
}

/// The findings as a log of one run.
pub(super) fn write_report(out: &mut dyn io::Write, report: &Report<'_>) -> io::Result<()> {
    let around = report.surroundings;
    let repository = env!("CARGO_PKG_REPOSITORY");
    let log = Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver {
                    name: env!("CARGO_PKG_NAME"),
                    version: env!("CARGO_PKG_VERSION"),
                    semantic_version: env!("CARGO_PKG_VERSION"),
                    information_uri: (!repository.is_empty()).then_some(repository),
                    rules: around.rules.iter().map(rule).collect(),
                },
            },
            invocations: [Invocation {
                execution_successful: true,
                tool_execution_notifications: report
                    .problems
                    .iter()
                    .map(|problem| notification(problem, around))
                    .collect(),
                working_directory: working_directory(report),
            }],
            column_kind: "unicodeCodePoints",
            results: results(report),
        }],
    };
    write_pretty(out, &log)
}

/// What could not be read: no result, but a reader should know that there may be more.
fn notification(problem: &Problem, around: &Surroundings) -> Notification {
    let column = problem.column.max(1);
    let line = problem.line;
    let region = (line > 0).then_some(Region {
        start_line: line,
        start_column: column,
        end_line: line,
        end_column: column,
    });
    let physical_location =
        PhysicalLocation { artifact_location: artifact(&problem.path, around), region, context_region: None };
    Notification {
        level: if problem.fatal { "error" } else { "warning" },
        message: Message::text(problem.message.clone()),
        locations: [Location { id: None, physical_location, logical_locations: Vec::new(), message: None }],
    }
}

/// Where absolute paths lie, for the reader that must make them relative; without one it is nobody's business.
fn working_directory(report: &Report<'_>) -> Option<Artifact> {
    let around = report.surroundings;
    let findings = report.findings.iter().map(|finding| &*finding.place.path);
    let mut paths = findings.chain(report.problems.iter().map(|problem| problem.path.as_str()));
    let outside = !around.root.is_empty() && paths.any(|path| is_absolute(&around.path(path)));
    outside.then(|| Artifact { uri: format!("{}/", file_url(&around.root)), uri_base_id: None })
}

fn artifact(path: &str, around: &Surroundings) -> Artifact {
    let path = around.path(path);
    if is_absolute(&path) {
        return Artifact { uri: file_url(&path), uri_base_id: None };
    }
    Artifact { uri: relative_uri(&path), uri_base_id: Some(ROOT) }
}

fn region(place: &Place) -> Region {
    Region {
        start_line: place.line.max(1),
        start_column: place.column.max(1),
        end_line: place.end_line.max(1),
        end_column: place.end_column.max(1),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use crate::report::{FileAbout, Format, samples};
    use serde_json::{Value, json};

    fn run_of(sample: &samples::Sample) -> Value {
        let mut log: Value =
            serde_json::from_str(&samples::written(&sample.report(), Format::Sarif)).unwrap();
        log["runs"][0].take()
    }

    #[test]
    fn a_log_as_it_was() {
        let sample = samples::two_files();
        samples::is_golden("check.sarif", &samples::written(&sample.report(), Format::Sarif));
    }

    #[test]
    fn an_empty_run_has_what_is_required() {
        let run = run_of(&samples::Sample::default());
        assert_eq!(run["results"], json!([]));
        assert_eq!(run["columnKind"], "unicodeCodePoints");
        assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    }

    #[test]
    fn hostile_text_is_the_same_value_without_a_raw_control() {
        let sample = samples::hostile();
        let text = samples::written(&sample.report(), Format::Sarif);
        assert!(!text.chars().any(|ch| ch != '\n' && crate::report::clean::is_steering(ch)), "{text}");
        let run = run_of(&sample);
        let location = &run["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(location["artifactLocation"]["uri"], "src/%1B%5B2J%E2%80%AE.rs");
        let notification = &run["invocations"][0]["toolExecutionNotifications"][0];
        assert_eq!(notification["message"]["text"], sample.problems[0].message.as_str());
        assert!(notification["locations"][0]["physicalLocation"].get("region").is_none());
    }

    #[test]
    fn a_path_outside_is_absolute_and_says_so() {
        let (finding, sources) = samples::finding_in("../b c.rs", "loop {}", "loop {}");
        let mut sample = samples::Sample { findings: vec![finding], sources, ..samples::Sample::default() };
        sample.surroundings.root = "/work/app".to_owned();
        let about = FileAbout { absolute: "/work/b c.rs".to_owned(), ..FileAbout::default() };
        sample.surroundings.files.insert("../b c.rs".to_owned(), about);
        let run = run_of(&sample);
        let place = &run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
        assert_eq!(place, &json!({ "uri": "file:///work/b%20c.rs" }));
        assert_eq!(run["invocations"][0]["workingDirectory"]["uri"], "file:///work/app/");
    }

    #[test]
    #[cfg(not(windows))]
    fn a_colon_in_a_name_makes_no_scheme() {
        let (finding, sources) = samples::finding_in("g:h/a.rs", "loop {}", "loop {}");
        let sample = samples::Sample { findings: vec![finding], sources, ..samples::Sample::default() };
        let place = &run_of(&sample)["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
        assert_eq!(place, &json!({ "uri": "g%3Ah/a.rs", "uriBaseId": "%SRCROOT%" }));
    }
}
