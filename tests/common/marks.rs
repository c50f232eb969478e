//! `//~` marks: what the engine should say about a line. `//~ rule` a finding with its primary place or its site's head there;
//! `//~ fact: value` a site that begins there and of which this is true. `//~^` speaks of the line above, `//~^^` of the one above that.

use super::Judged;
use retry_lint::model::{FACTS, FactInfo, FactType, Site, Value, fact_info};

/// What one mark says.
#[derive(Clone, Debug)]
pub struct Mark {
    pub file: String,
    pub line: u32,
    pub says: Says,
}

#[derive(Clone, Debug)]
pub enum Says {
    /// This rule speaks here.
    Rule(String),
    /// A site begins here, with this fact as it is written.
    Fact(&'static FactInfo, String),
}

/// One way in which what is said and what should be said differ.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    pub file: String,
    pub line: u32,
    pub what: String,
}

/// The marks of a text; `rules` are the names that there are.
pub fn read(file: &str, text: &str, rules: &[&str]) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (line, number) in text.lines().zip(1u32..) {
        // After the first come more of them, in the same comment.
        for mark in line.split("//~").skip(1) {
            let words = mark.trim_start_matches('^');
            let up = (mark.len() - words.len()) as u32;
            for word in words.split(',').map(str::trim).filter(|word| !word.is_empty()) {
                let says = if let Some((fact, value)) = word.split_once(':') {
                    let known = fact_info(fact.trim());
                    let known = known.unwrap_or_else(|| panic!("{file}:{number}: no fact `{fact}`"));
                    Says::Fact(known, value.trim().to_owned())
                } else {
                    assert!(rules.contains(&word), "{file}:{number}: no rule `{word}`");
                    Says::Rule(word.to_owned())
                };
                marks.push(Mark { file: file.to_owned(), line: number - up, says });
            }
        }
    }
    marks
}

/// What differs between what was marked and what the engine says.
pub fn differences(marks: &[Mark], judged: &Judged) -> Vec<Difference> {
    let mut all: Vec<Difference> = Vec::new();
    let mut note =
        |file: &str, line: u32, what: String| all.push(Difference { file: file.to_owned(), line, what });
    let is_at = |mark: &Mark, path: &str, line: u32| mark.file == path && mark.line == line;

    for finding in &judged.findings {
        let (own, site) = (&finding.place, &finding.site.place);
        let expected = marks.iter().any(|mark| {
            matches!(&mark.says, Says::Rule(rule) if *rule == finding.rule)
                && (is_at(mark, &own.path, own.line) || is_at(mark, &site.path, site.line))
        });
        if !expected {
            let what = format!(
                "unexpected {} (site: {} at line {}, {} confidence): {}",
                finding.rule,
                finding.site.kind.word(),
                site.line,
                finding.confidence.word(),
                finding.message
            );
            note(&own.path, own.line, what);
        }
    }
    for mark in marks {
        match &mark.says {
            Says::Rule(rule) => {
                let found = judged.findings.iter().any(|finding| {
                    let (own, site) = (&finding.place, &finding.site.place);
                    finding.rule == *rule
                        && (is_at(mark, &own.path, own.line) || is_at(mark, &site.path, site.line))
                });
                if !found {
                    note(&mark.file, mark.line, format!("missing {rule}; {}", near(judged, mark)));
                }
            }
            Says::Fact(fact, value) => {
                let sites = judged.sites.iter().filter(|site| is_at(mark, &site.place.path, site.place.line));
                let got: Vec<String> = sites.map(|site| shown(&fact.value(site))).collect();
                if !got.iter().any(|got| fits(fact, value, got)) {
                    let got = if got.is_empty() {
                        near(judged, mark)
                    } else {
                        format!("got {}", got.join(" and "))
                    };
                    note(&mark.file, mark.line, format!("expected {}: {value}; {got}", fact.name));
                }
            }
        }
    }
    all.sort();
    all
}

/// What was found around a mark that nothing meets.
fn near(judged: &Judged, mark: &Mark) -> String {
    let around = |site: &Site| {
        let place = &site.place;
        *place.path == *mark.file && place.line <= mark.line + 1 && mark.line <= place.end_line
    };
    let sites = judged.sites.iter().filter(|site| around(site));
    let words: Vec<String> = sites.map(|site| summary(site)).collect();
    if words.is_empty() { "no site there".to_owned() } else { words.join(" and ") }
}

/// A site in one line: what is known of it, text and schedule apart.
pub fn summary(site: &Site) -> String {
    let facts = FACTS
        .iter()
        .filter(|fact| !matches!(fact.kind, FactType::Text | FactType::Schedule) && fact.name != "in_test");
    let known = facts.filter(|fact| fact.value(site) != Value::Unknown);
    let facts: Vec<String> =
        known.map(|fact| format!("{}={}", fact.name, shown(&fact.value(site)))).collect();
    format!("site at line {}: {}", site.place.line, facts.join(" "))
}

/// A fact's value as a mark writes it.
fn shown(value: &Value) -> String {
    match value {
        Value::Word(word) => (*word).to_owned(),
        Value::Bool(it) => it.to_string(),
        Value::Number(it) => rounded(*it),
        Value::Text(text) => text.clone(),
        Value::Unknown => "unknown".to_owned(),
        Value::Schedule(delays) => {
            let delays = delays.iter().map(|[low, high]| {
                if rounded(*low) == rounded(*high) {
                    rounded(*high)
                } else {
                    format!("{}-{}", rounded(*low), rounded(*high))
                }
            });
            delays.collect::<Vec<_>>().join(" ")
        }
    }
}

fn rounded(number: f64) -> String {
    format!("{}", (number * 1e6).round() / 1e6)
}

/// Whether a value is what the mark says; of a schedule, whether it begins so.
fn fits(fact: &FactInfo, wanted: &str, got: &str) -> bool {
    match fact.kind {
        FactType::Schedule => got == wanted || got.starts_with(&format!("{wanted} ")),
        _ => got == wanted,
    }
}
