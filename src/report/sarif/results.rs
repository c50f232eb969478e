//! Findings as SARIF's results: one place each, the others as related locations that the message links to, and as the steps of a flow
//! where they lie in other functions or files.

use super::fixes::{FixObject, fix_object};
use super::rules::level_word;
use super::{Location, LogicalLocation, Message, region};
use crate::model::{Finding, Label, Place};
use crate::report::line_hash::line_hashes;
use crate::report::numbered::numbered;
use crate::report::{Report, Surroundings};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Related locations that GitHub shows of a result.
const MOST_RELATED: usize = 100;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ResultObject {
    rule_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    level: &'static str,
    message: Message,
    locations: [Location; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
    partial_fingerprints: Fingerprints,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    code_flows: Vec<CodeFlow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<FixObject>,
    properties: Properties,
}

#[derive(Serialize)]
struct Fingerprints {
    /// GitHub tracks alerts by this one. Left out where the file's text was not kept: a wrong one is worse than none.
    #[serde(rename = "primaryLocationLineHash", skip_serializing_if = "Option::is_none")]
    line_hash: Option<String>,
    #[serde(rename = "retryLint/v1")]
    own: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CodeFlow {
    thread_flows: [ThreadFlow; 1],
}

#[derive(Serialize)]
struct ThreadFlow {
    locations: Vec<Step>,
}

#[derive(Serialize)]
struct Step {
    location: Location,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Properties {
    group: &'static str,
    confidence: &'static str,
    in_test: bool,
}

pub(super) fn results(report: &Report<'_>) -> Vec<ResultObject> {
    let mut hashes: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let numbered = numbered(report).into_iter();
    let results = report.findings.iter().zip(numbered).map(|(finding, (print, count))| {
        let path = &*finding.place.path;
        let of_file = hashes.entry(path).or_insert_with(|| match report.sources.text(path) {
            "" => Vec::new(),
            text => line_hashes(text),
        });
        let line_hash = of_file.get((finding.place.line as usize).saturating_sub(1)).cloned();
        let prints = Fingerprints { line_hash, own: format!("{print}:{count}") };
        result(finding, prints, report)
    });
    results.collect()
}

fn result(finding: &Finding, prints: Fingerprints, report: &Report<'_>) -> ResultObject {
    let around = report.surroundings;
    let related: Vec<&Label> =
        finding.labels.iter().filter(|label| !label.primary).take(MOST_RELATED).collect();
    ResultObject {
        rule_id: finding.rule.clone(),
        rule_index: around.rules.iter().position(|rule| rule.name == finding.rule),
        level: level_word(finding.level),
        message: Message::text(message(finding, &related)),
        locations: [primary(finding, report)],
        related_locations: (1..)
            .zip(&related)
            .map(|(id, label)| Location { id: Some(id), ..said(&label.place, &label.text, around) })
            .collect(),
        partial_fingerprints: prints,
        code_flows: code_flow(finding, around).into_iter().collect(),
        fixes: finding.fix.iter().map(|fix| fix_object(fix, report)).collect(),
        properties: Properties {
            group: finding.group.word(),
            confidence: finding.confidence.word(),
            in_test: finding.site.in_test,
        },
    }
}

/// The head of the place; the whole of it is the context.
fn primary(finding: &Finding, report: &Report<'_>) -> Location {
    let head = report.sources.head(&finding.place);
    let mut location = Location::of(&head, report.surroundings);
    if head != finding.place {
        location.physical_location.context_region = Some(region(&finding.place));
    }
    if !finding.site.function.is_empty() {
        let fully_qualified_name = finding.site.function.clone();
        location.logical_locations.push(LogicalLocation { fully_qualified_name, kind: "function" });
    }
    location
}

/// The message is the first sentence, which is an alert's title; note, help and links to the related locations follow.
fn message(finding: &Finding, related: &[&Label]) -> String {
    let mut text = sentence(&finding.message);
    for part in [&finding.note, &finding.help] {
        if !part.trim().is_empty() {
            text.push('\n');
            text.push_str(&sentence(part));
        }
    }
    for (id, label) in (1..).zip(related) {
        let words = if label.text.is_empty() { "related" } else { label.text.trim() };
        let words: String = words.chars().filter(|ch| !"[]\\".contains(*ch)).collect();
        text.push_str(if id == 1 { "\nSee: [" } else { ", [" });
        // Writing to a String cannot fail.
        let _ = write!(text, "{words}]({id})");
    }
    text
}

/// With a full stop, and with nothing in it that a reader would make a link of: the words are partly a stranger's code.
fn sentence(text: &str) -> String {
    let text = text.trim().replace("](", "] (");
    if text.ends_with(['.', '!', '?', '…']) { text } else { text + "." }
}

/// The way through functions or files, where there is one: to the retries inside, or to where the policy is made, ending with the finding.
fn code_flow(finding: &Finding, around: &Surroundings) -> Option<CodeFlow> {
    let here = said(&finding.place, &finding.message, around);
    let chain = &finding.site.chain;
    let locations: Vec<Location> = if chain.is_empty() {
        let site = &finding.site.place;
        let outside = |place: &Place| {
            place.path != site.path || place.end_byte <= site.start_byte || site.end_byte <= place.start_byte
        };
        if !finding.labels.iter().any(|label| outside(&label.place)) {
            return None;
        }
        let labels = finding.labels.iter().filter(|label| !label.primary).take(MOST_RELATED);
        labels.map(|label| said(&label.place, &label.text, around)).chain([here]).collect()
    } else {
        let steps = chain.iter().take(MOST_RELATED).map(|step| {
            let attempts =
                step.attempts.map_or_else(|| "attempts unknown".to_owned(), |n| format!("{n} attempts"));
            said(&step.place, &format!("{}: {attempts}", step.function), around)
        });
        std::iter::once(here).chain(steps).collect()
    };
    let locations = locations.into_iter().map(|location| Step { location }).collect();
    Some(CodeFlow { thread_flows: [ThreadFlow { locations }] })
}

fn said(place: &Place, words: &str, around: &Surroundings) -> Location {
    let message = (!words.trim().is_empty()).then(|| Message::text(words.replace("](", "] (")));
    Location { message, ..Location::of(place, around) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use crate::model::Chain;
    use crate::report::{Format, samples};
    use serde_json::{Value, json};
    use std::sync::Arc;

    fn results_of(sample: &samples::Sample) -> Value {
        let mut log: Value =
            serde_json::from_str(&samples::written(&sample.report(), Format::Sarif)).unwrap();
        log["runs"][0]["results"].take()
    }

    #[test]
    fn regions_count_code_points_and_stay_on_a_line() {
        let text = "fn f() {\n    /* 🦀é */ loop {\n        日本();\n    }\n}\n";
        let (finding, sources) = samples::finding_in("a.rs", text, "loop {\n        日本();\n    }");
        let sample = samples::Sample { findings: vec![finding], sources, ..samples::Sample::default() };
        let place = &results_of(&sample)[0]["locations"][0]["physicalLocation"];
        assert_eq!(
            place["region"],
            json!({ "startLine": 2, "startColumn": 14, "endLine": 2, "endColumn": 20 })
        );
        assert_eq!(place["contextRegion"]["endLine"], 4);
    }

    #[test]
    fn the_index_is_that_of_the_rule() {
        let sample = samples::two_files();
        for result in results_of(&sample).as_array().unwrap() {
            let index = result["ruleIndex"].as_u64().unwrap() as usize;
            assert_eq!(result["ruleId"], sample.surroundings.rules[index].name.as_str());
        }
    }

    #[test]
    fn a_strangers_code_makes_no_link() {
        let (mut finding, sources) = samples::finding_in("a.rs", "f[0](url)", "f[0](url)");
        finding.message = "`f[0](https://evil.example)` is tried again".to_owned();
        finding.labels.push(samples::label("a.rs", "f[0](url)", "url", "a[1] \\ here](9)", false));
        let sample = samples::Sample { findings: vec![finding], sources, ..samples::Sample::default() };
        let result = &results_of(&sample)[0];
        assert_eq!(
            result["message"]["text"],
            "`f[0] (https://evil.example)` is tried again.\nSee: [a1  here(9)](1)"
        );
    }

    #[test]
    fn a_flow_where_the_places_are_in_more_than_one_function() {
        let mut sample = samples::two_files();
        let all = results_of(&sample);
        let flow = all[0]["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap();
        assert_eq!(flow.len(), 4);
        assert_eq!(flow[3]["location"]["message"]["text"], sample.findings[0].message.as_str());
        assert!(all[1].get("codeFlows").is_none());
        let mut site = (*sample.findings[1].site).clone();
        let inner = sample.findings[2].place.clone();
        site.chain = vec![Chain { place: inner, function: "policy".to_owned(), attempts: Some(3.0) }];
        sample.findings[1].site = Arc::new(site);
        let all = results_of(&sample);
        let flow = all[1]["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap();
        assert_eq!(flow[1]["location"]["message"]["text"], "policy: 3 attempts");
    }
}
