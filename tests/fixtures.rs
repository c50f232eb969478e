//! `fixtures/`: sources that say what should be found in them. Each *case* (from one `//@ case:` to the next, together with the head of its file)
//! is a crate of its own, so is each folder with a `Cargo.toml`. Nothing is expected where nothing is marked: see `common::marks`.
//!
//! What the engine cannot do yet lies in `fixtures/pending/`, is checked alike, and must still fail. When a case there begins to pass, move it:
//! `cargo test --test fixtures -- --ignored sort` does.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout
)]

mod common;

use common::cases::{Case, case_of, cases, crate_case, crates, is_pending, read_subject, subjects};
use common::marks::{self, Difference};
use common::{Judged, Package, in_repository, rules};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

#[test]
fn every_case_is_as_it_says() {
    let mut report = String::new();
    for case in cases("fixtures") {
        let found = check(&case);
        if !found.is_empty() {
            writeln!(report, "{}\n{}", case.name, lines(&found)).unwrap();
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

#[test]
fn what_is_pending_still_fails() {
    let mut passing = String::new();
    for case in cases("fixtures/pending") {
        let found = check(&case);
        if found.is_empty() {
            writeln!(passing, "{}", case.name).unwrap();
        }
        // With `--nocapture`: what is missing.
        println!("{}\n{}", case.name, lines(&found));
    }
    assert!(passing.is_empty(), "these pass now; move them out of fixtures/pending:\n{passing}");
}

#[test]
fn every_rule_and_every_kind_is_marked_somewhere() {
    let mut marked = BTreeSet::new();
    for case in cases("fixtures").iter().chain(&cases("fixtures/pending")) {
        for mark in marks_of(&case.package) {
            marked.insert(match mark.says {
                marks::Says::Rule(rule) => rule,
                marks::Says::Fact(fact, value) => format!("{}: {value}", fact.name),
            });
        }
    }
    for rule in rules().iter() {
        assert!(marked.contains(&rule.name), "no fixture fires {}", rule.name);
    }
    for kind in retry_lint::model::Kind::WORDS {
        assert!(marked.contains(&format!("kind: {kind}")), "no fixture is a {kind}");
    }
}

/// Moves cases between `fixtures/` and `fixtures/pending/` by whether they pass. For those who work on the detector.
#[test]
#[ignore = "changes files"]
fn sort() {
    for folder in crates("fixtures").into_iter().chain(crates("fixtures/pending")) {
        if check(&crate_case(&folder)).is_empty() == is_pending(&folder) {
            let there = counterpart(&folder);
            std::fs::create_dir_all(there.parent().unwrap()).unwrap();
            std::fs::rename(&folder, there).unwrap();
        }
    }
    for path in subjects("fixtures").into_iter().chain(subjects("fixtures/pending")).collect::<BTreeSet<_>>()
    {
        let other = counterpart(&path);
        let pending = path.parent().is_some_and(is_pending);
        let subject = read_subject(&path);
        let (passing, failing): (Vec<_>, Vec<_>) = subject
            .cases
            .iter()
            .partition(|(title, text, line)| check(&case_of(&path, &subject, title, text, *line)).is_empty());
        let (stay, go) = if pending { (failing, passing) } else { (passing, failing) };
        if go.is_empty() {
            continue;
        }
        let mut there =
            if other.exists() { std::fs::read_to_string(&other).unwrap() } else { subject.head.clone() };
        for (_, text, _) in go {
            there = format!("{}\n\n{}", there.trim_end(), text.trim_end());
        }
        std::fs::create_dir_all(other.parent().unwrap()).unwrap();
        std::fs::write(&other, there.trim_end().to_owned() + "\n").unwrap();
        if stay.is_empty() {
            std::fs::remove_file(&path).unwrap();
            continue;
        }
        let mut here = subject.head.clone();
        for (_, text, _) in stay {
            here = format!("{}\n\n{}", here.trim_end(), text.trim_end());
        }
        std::fs::write(&path, here.trim_end().to_owned() + "\n").unwrap();
    }
}

/// What is wrong with a case; and what holds for every source is true of it.
fn check(case: &Case) -> Vec<Difference> {
    for (path, text) in &case.package.files {
        // A case that is no Rust shows nothing.
        syn::parse_file(text).unwrap_or_else(|error| panic!("{}: {path}: {error}", case.name));
    }
    let judged = case.package.judged(1);
    assert_eq!(judged.problems, [], "{}", case.name);
    invariants(case, &judged);
    marks::differences(&marks_of(&case.package), &judged)
}

/// The number of threads changes nothing, the ends of lines nothing, a byte order mark nothing but bytes.
fn invariants(case: &Case, judged: &Judged) {
    assert_eq!(format!("{judged:?}"), format!("{:?}", case.package.judged(4)), "{}: threads", case.name);
    let crlf = case.package.map(|text| text.replace('\n', "\r\n"));
    assert_eq!(told(judged), told(&crlf.judged(1)), "{}: CRLF", case.name);
    let marked = case.package.map(|text| format!("\u{feff}{text}"));
    assert_eq!(told(judged), told(&marked.judged(1)), "{}: byte order mark", case.name);
}

/// What a reader sees of it, bytes apart.
fn told(judged: &Judged) -> Vec<String> {
    let place = |place: &retry_lint::model::Place| format!("{}:{}:{}", place.path, place.line, place.column);
    let findings =
        judged.findings.iter().map(|it| format!("{} {} {}", place(&it.place), it.rule, it.message));
    let sites = judged.sites.iter().map(|it| format!("{} {}", place(&it.place), marks::summary(it)));
    findings.chain(sites).collect()
}

fn marks_of(package: &Package) -> Vec<marks::Mark> {
    let names: Vec<&str> = rules().iter().map(|rule| rule.name.as_str()).collect();
    package.files.iter().flat_map(|(path, text)| marks::read(path, text, &names)).collect()
}

fn lines(differences: &[Difference]) -> String {
    let lines = differences.iter().map(|it| format!("    {}:{}: {}\n", it.file, it.line, it.what));
    lines.collect::<Vec<_>>().concat()
}

/// Where a case goes when it begins to pass, or no longer does.
fn counterpart(path: &Path) -> PathBuf {
    let (root, pending) = (in_repository("fixtures"), in_repository("fixtures/pending"));
    match path.strip_prefix(&pending) {
        Ok(below) => root.join(below),
        Err(_) => pending.join(path.strip_prefix(&root).unwrap()),
    }
}
