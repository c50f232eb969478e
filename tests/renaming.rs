//! What the engine understands it understands from what the code does: other names for what a package defines itself, and another order of arms that
//! exclude each other, change no finding of high confidence. Words of the vocabulary stay: that names may tell is its purpose.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout
)]

mod common;

use common::cases::{Case, cases};
use common::rename::{Reordered, renamed, reordered};
use common::{Judged, Package, rules};
use retry_lint::model::Confidence;
use std::collections::BTreeSet;

/// Cases, by the beginning of their name, whose findings still hang on a name or an order. One that no longer does must leave this list.
const PENDING_NAMES: &[&str] = &[];
// Of a result within a reply, `Err(..)` first: that what is left is the inner `Ok(..)` is not kept apart from the outer one.
const PENDING_ORDER: &[&str] =
    &["fixtures/nested.rs:236: the request tries again by itself, and what of its reply fails"];

/// Rule, file and line.
type Told = BTreeSet<(String, String, u32)>;

#[test]
fn names_decide_nothing() {
    let mut changed = 0;
    let report = differing(PENDING_NAMES, |package| {
        let texts: Vec<&str> = package.files.iter().map(|(_, text)| text.as_str()).collect();
        let new = renamed(&texts);
        changed += usize::from(texts != new);
        let files = package.files.iter().zip(new).map(|((path, _), text)| (path.clone(), text)).collect();
        told(&Package { files, manifest: package.manifest.clone() }.judged(1), |_, line, _| line)
    });
    assert!(changed > 200, "only {changed} cases were renamed at all");
    assert!(report.is_empty(), "\n{}", report.join("\n"));
}

#[test]
fn the_order_of_arms_decides_nothing() {
    let mut changed = 0;
    let report = differing(PENDING_ORDER, |package| {
        let new: Vec<Reordered> = package.files.iter().map(|(_, text)| reordered(text)).collect();
        changed += usize::from(new.iter().zip(&package.files).any(|(new, (_, old))| new.text != *old));
        let files =
            package.files.iter().zip(&new).map(|((path, _), new)| (path.clone(), new.text.clone())).collect();
        let judged = Package { files, manifest: package.manifest.clone() }.judged(1);
        told(&judged, |path, _, byte| {
            let at = package.files.iter().position(|(it, _)| it == path).unwrap();
            new[at].old_line(&package.files[at].1, byte as usize)
        })
    });
    assert!(changed > 80, "only {changed} cases were reordered at all");
    assert!(report.is_empty(), "\n{}", report.join("\n"));
}

/// What differs between each case and what a change makes of it.
fn differing(pending: &[&str], mut change: impl FnMut(&Package) -> Told) -> Vec<String> {
    let mut report: Vec<String> = Vec::new();
    for case in all() {
        let before = told(&case.package.judged(1), |_, line, _| line);
        let after = change(&case.package);
        let pending = pending.iter().any(|name| case.name.starts_with(name));
        match (before == after, pending) {
            (true, true) => report.push(format!("{}: the same now: take it off the list", case.name)),
            (false, false) => {
                let lost: Vec<_> =
                    before.difference(&after).map(|(rule, _, line)| format!("-{rule}:{line}")).collect();
                let new: Vec<_> =
                    after.difference(&before).map(|(rule, _, line)| format!("+{rule}:{line}")).collect();
                report.push(format!("{}: {} {}", case.name, lost.join(" "), new.join(" ")));
            }
            _ => {}
        }
    }
    report
}

/// Fixtures and the examples of pages.
fn all() -> Vec<Case> {
    let mut all = cases("fixtures");
    for rule in rules().iter() {
        for (example, number) in rule.examples.iter().zip(1..) {
            let files = example.files.iter().map(|file| (file.path.clone(), file.text.clone())).collect();
            let name = format!("{} (example {number})", rule.file);
            all.push(Case { name, package: Package { files, manifest: example.manifest() } });
        }
    }
    all
}

/// The findings of high confidence, their lines as `line_of` path, line and byte says.
fn told(judged: &Judged, line_of: impl Fn(&str, u32, u32) -> u32) -> Told {
    let sure = judged.findings.iter().filter(|finding| finding.confidence == Confidence::High);
    let place = |it: &retry_lint::model::Finding| {
        let place = &it.place;
        (it.rule.clone(), place.path.to_string(), line_of(&place.path, place.line, place.start_byte))
    };
    sure.map(place).collect()
}

#[test]
fn a_renamed_source_is_the_same_source() {
    let old = "//! Doc.\nuse a::b;\nfn zonk(quux: u8) -> b { let plugh = quux; self.plugh.send(plugh, 'x: 1) }\nconst GRUE: Xyzzy = 1;\nenum Xyzzy { Frob }\n";
    let new = renamed(&[old]);
    let expected = "//! Doc.\nuse a::b;\nfn x3(x2: u8) -> b { let x1 = x2; self.x1.send(x1, 'x: 1) }\nconst X1: X3x = 1;\nenum X3x { X2x }\n";
    let shape = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "");
    assert_eq!(shape(&new[0]), shape(expected), "{}", new[0]);
}

#[test]
fn a_reordered_source_is_the_same_source() {
    let old = "fn f() { match a {\n    Ok(b) => 1,\n    Err(c) if d => 2,\n    Err(_) => { 3 }\n} }\n";
    let new = reordered(old);
    assert_eq!(
        new.text,
        "fn f() { match a {\n    Err(c) if d => 2,\n    Err(_) => { 3 }\n    Ok(b) => 1,\n} }\n"
    );
    let byte = new.text.find("Ok").unwrap();
    assert_eq!(new.old_line(old, byte), 2);
    assert_eq!(new.old_line(old, new.text.find("Err(_)").unwrap()), 4);
    for kept in ["fn f() { match a { b => 1, Ok(c) => 2 } }", "fn f() { match a { Ok(b) => 1, _ => 2 } }"] {
        assert_eq!(reordered(kept).text, kept);
    }
}
