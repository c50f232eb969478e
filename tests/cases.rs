//! `fixtures/cases/`: the shape of one public bug report each. `bad.rs` must bring the rules that `expect.json` lists, at their line or in their
//! site, and no other; `good.rs` nothing. `twins.toml` writes both again with the operation elsewhere: these must come out the same.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use common::{Package, in_repository};
use retry_lint::model::{Finding, Persona};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What the engine cannot do yet: there is no rule for these. A case that begins to pass must leave this list.
const PENDING: &[&str] = &[
    "012-server-sends-retry-zero",
    "059-last-error-never-set",
    "061-next-backoff-unwrapped",
    "062-token-signed-before-the-loop",
    "063-body-taken-by-first-attempt",
    "065-pool-slot-kept-while-waiting",
    "067-delay-stays-at-the-top",
    "069-reset-on-bare-connect",
    "071-session-eats-the-retry-budget",
    "074-jitter-zero-panics",
    "075-one-budget-for-many-items",
];

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

/// Twins that do not come out the same yet.
const TWINS_PENDING: &[&str] = &[];

/// A case written again: pieces of its text swapped, in both forms and in each, and a second file beside it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Twin {
    #[serde(default)]
    swap: Vec<(String, String)>,
    #[serde(default)]
    bad: Vec<(String, String)>,
    #[serde(default)]
    good: Vec<(String, String)>,
    /// The text of `src/far.rs`.
    file: Option<String>,
    /// The same for the good form, where it is another.
    good_file: Option<String>,
}

impl Twin {
    fn written(&self, text: &str, swaps: &[(String, String)], file: Option<&str>) -> Package {
        let mut text = text.to_owned();
        for (from, to) in self.swap.iter().chain(swaps) {
            assert!(text.contains(from), "no `{from}` in\n{text}");
            text = text.replace(from, to);
        }
        let mut files = vec![("src/lib.rs".to_owned(), text)];
        if let Some(file) = file {
            files[0].1.push_str("\nmod far;\n");
            files.push(("src/far.rs".to_owned(), file.to_owned()));
        }
        Package { files, manifest: String::new() }
    }
}

#[test]
fn every_case_is_as_it_says() {
    let mut report: Vec<String> = Vec::new();
    for folder in folders() {
        note(&mut report, &name_of(&folder), &wrong(&folder), PENDING);
    }
    assert!(report.is_empty(), "\n{}", report.join("\n"));
}

#[test]
fn every_twin_comes_out_the_same() {
    let mut report: Vec<String> = Vec::new();
    for folder in folders() {
        let twins: BTreeMap<String, Twin> = toml::from_str(&read(&folder.join("twins.toml"))).unwrap();
        assert_eq!(twins.len(), 2, "{}: one elsewhere, one given", folder.display());
        for (which, twin) in twins {
            let name = format!("{} {which}", name_of(&folder));
            note(&mut report, &name, &differs(&folder, &twin), TWINS_PENDING);
        }
    }
    assert!(report.is_empty(), "\n{}", report.join("\n"));
}

/// Notes what is wrong and not expected to be, or right and expected not to be.
fn note(report: &mut Vec<String>, name: &str, wrong: &[String], pending: &[&str]) {
    match (wrong.is_empty(), pending.contains(&name)) {
        (true, true) => report.push(format!("{name} passes now: take it off the list")),
        (false, false) => report.push(format!("{name}: {}", wrong.join("; "))),
        _ => {}
    }
}

fn folders() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(in_repository("fixtures/cases")).unwrap();
    let mut folders: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    assert!(!folders.is_empty());
    folders
}

fn name_of(folder: &Path) -> String {
    folder.file_name().unwrap().to_string_lossy().into_owned()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// How a twin's findings differ from those of what it was made of.
fn differs(folder: &Path, twin: &Twin) -> Vec<String> {
    let mut differs = Vec::new();
    for (form, swaps, file) in [
        ("bad", &twin.bad, &twin.file),
        ("good", &twin.good, twin.good_file.as_ref().map_or(&twin.file, |_| &twin.good_file)),
    ] {
        let text = read(&folder.join(format!("{form}.rs")));
        let (is, was) = (
            rules_in(&twin.written(&text, swaps, file.as_deref())),
            rules_in(&Package { files: vec![("src/lib.rs".to_owned(), text)], manifest: String::new() }),
        );
        if is != was {
            differs.push(format!("{form}: {was:?} became {is:?}"));
        }
    }
    differs
}

fn rules_in(package: &Package) -> BTreeSet<String> {
    let judged = package.judged_by(1, |rule| rule.persona == Persona::Default);
    assert!(judged.problems.is_empty(), "{:?}", judged.problems);
    judged.findings.into_iter().map(|finding| finding.rule).collect()
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
