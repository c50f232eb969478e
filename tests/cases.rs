//! `fixtures/cases/`: the shape of one public bug report each. `bad.rs` must bring the rules that `expect.json` lists, at their line or in their
//! site, and no other; `good.rs` nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use common::{Package, in_repository};
use retry_lint::model::{Finding, Persona};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// What the engine cannot do yet. A case that begins to pass must leave this list.
const PENDING: &[&str] = &[];

#[derive(Deserialize)]
struct Expect {
    bad: Vec<Wanted>,
    /// What a strict linter may add without being wrong, by form.
    #[serde(default)]
    may: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
struct Wanted {
    rule: String,
    line: u32,
    /// First and last line of the loop, policy or function.
    site: Option<(u32, u32)>,
}

#[test]
fn every_case_is_as_it_says() {
    let mut report: Vec<String> = Vec::new();
    let mut folders: Vec<_> = std::fs::read_dir(in_repository("fixtures/cases"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.sort();
    assert!(!folders.is_empty());
    for folder in folders {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let wrong = wrong(&folder);
        match (wrong.is_empty(), PENDING.contains(&name.as_str())) {
            (true, true) => report.push(format!("{name} passes now: take it off the list")),
            (false, false) => report.push(format!("{name}: {}", wrong.join("; "))),
            _ => {}
        }
    }
    assert!(report.is_empty(), "\n{}", report.join("\n"));
}

fn wrong(folder: &Path) -> Vec<String> {
    let expect = std::fs::read_to_string(folder.join("expect.json")).unwrap();
    let expect: Expect = serde_json::from_str(&expect).unwrap();
    let (bad, good) = (findings(&folder.join("bad.rs")), findings(&folder.join("good.rs")));
    let may =
        |form: &str, rule: &str| expect.may.get(form).is_some_and(|may| may.iter().any(|it| it == rule));
    let mut wrong = Vec::new();
    for wanted in &expect.bad {
        if !bad.iter().any(|finding| meets(finding, wanted)) {
            wrong.push(format!("missing {}:{}", wanted.rule, wanted.line));
        }
    }
    for finding in &bad {
        if !expect.bad.iter().any(|wanted| wanted.rule == finding.rule) && !may("bad", &finding.rule) {
            wrong.push(format!("noise {}:{}", finding.rule, finding.place.line));
        }
    }
    for finding in &good {
        if !may("good", &finding.rule) {
            wrong.push(format!("noise in good {}:{}", finding.rule, finding.place.line));
        }
    }
    wrong
}

fn meets(finding: &Finding, wanted: &Wanted) -> bool {
    let line = finding.place.line;
    let in_site = wanted.site.is_some_and(|(first, last)| (first..=last).contains(&line));
    finding.rule == wanted.rule && (line == wanted.line || in_site)
}

fn findings(path: &Path) -> Vec<Finding> {
    let text = std::fs::read_to_string(path).unwrap();
    let package = Package { files: vec![("src/lib.rs".to_owned(), text)], manifest: String::new() };
    package.judged_by(1, |rule| rule.persona == Persona::Default).findings
}
