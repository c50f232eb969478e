//! The examples of every rule's page, run: what stands under "Flags" brings this rule where it is marked and no other rule; what stands under
//! "Does not flag" does not bring it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use common::{Package, rules};
use retry_lint::model::Persona;
use retry_lint::rules::{Example, Rule};

/// Examples that the engine cannot do yet, as rule and the number of the example in its page, from 1. One that begins to pass must leave this list.
const PENDING: &[(&str, usize)] =
    &[("jitter-clipped", 1), ("no-delay", 2), ("retries-4xx", 2), ("retries-all-errors", 1)];

#[test]
fn every_example_is_as_its_page_says() {
    let mut report: Vec<String> = Vec::new();
    for rule in rules().iter() {
        for (example, number) in rule.examples.iter().zip(1..) {
            let wrong = wrong(rule, example);
            let place = format!("{}:{} (example {number})", rule.file, example.line);
            match (wrong.is_empty(), PENDING.contains(&(rule.name.as_str(), number))) {
                (true, true) => report.push(format!("{place} passes now: take it off the list")),
                (false, false) => report.push(format!("{place}:\n    {}", wrong.join("\n    "))),
                _ => {}
            }
        }
    }
    assert!(report.is_empty(), "\n{}", report.join("\n"));
}

#[test]
fn every_page_has_examples_of_both_sorts() {
    for rule in rules().iter() {
        assert!(rule.examples.iter().any(|example| example.fires), "{}", rule.name);
        assert!(rule.examples.iter().any(|example| !example.fires), "{}", rule.name);
    }
}

fn wrong(rule: &Rule, example: &Example) -> Vec<String> {
    let files = example.files.iter().map(|file| (file.path.clone(), file.text.clone())).collect();
    // its own rule is asked whatever its persona
    let asked = |asked: &Rule| asked.persona == Persona::Default || asked.name == rule.name;
    let judged = Package { files, manifest: example.manifest() }.judged_by(1, asked);
    let mut wrong: Vec<String> = judged
        .problems
        .iter()
        .map(|problem| format!("{}:{}: {}", problem.path, problem.line, problem.message))
        .collect();
    for finding in &judged.findings {
        let place = &finding.place;
        let at = |path: &str, line: u32| {
            example.expected.iter().any(|mark| mark.path == path && mark.line == line)
        };
        let marked = at(&place.path, place.line) || at(&finding.site.place.path, finding.site.place.line);
        // Quiet examples are quiet about their own rule; that others have nothing to say either keeps a page to its subject.
        if finding.rule != rule.name || !marked {
            wrong.push(format!(
                "unexpected {} at {}:{}: {}",
                finding.rule, place.path, place.line, finding.message
            ));
        }
    }
    for mark in &example.expected {
        let met = judged.findings.iter().any(|finding| {
            let (own, site) = (&finding.place, &finding.site.place);
            let at = |path: &str, line: u32| path == mark.path && line == mark.line;
            finding.rule == rule.name && (at(&own.path, own.line) || at(&site.path, site.line))
        });
        if !met {
            let sites: Vec<String> = judged.sites.iter().map(|site| common::marks::summary(site)).collect();
            wrong.push(format!("missing at {}:{}; {}", mark.path, mark.line, sites.join(" and ")));
        }
    }
    wrong
}
