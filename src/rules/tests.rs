//! What must hold for every rule that comes with the program, and what a page may not get wrong.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::collections::BTreeSet;
use std::sync::Arc;

use super::ways::{Way, blank_site, ways};
use super::*;
use crate::model::{Confidence, Evidence, Fact, FactType, Growth, Jitter, Kind, Place, Value, fact_info};

fn builtin() -> Rules {
    Rules::builtin().unwrap_or_else(|error| panic!("{error}"))
}

fn always(rule: &Rule) -> Level {
    rule.level
}

fn fires(rules: &Rules, rule: &str, site: &Site) -> bool {
    let found = rules.judge(&Arc::new(site.clone()), |candidate| {
        if candidate.name == rule { Level::Warning } else { Level::Off }
    });
    !found.is_empty()
}

// ---- every rule that comes with the program

#[test]
fn every_message_holds_on_every_site_on_which_its_rule_fires() {
    let rules = builtin();
    for rule in rules.iter() {
        rehearse::rehearse(rule, &rules.templates).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn every_rule_fires_in_each_of_its_ways_and_falls_silent_when_a_fact_becomes_unknown() {
    let rules = builtin();
    for rule in rules.iter() {
        for way in ways(&rule.when).unwrap() {
            let site = way.site();
            assert!(fires(&rules, &rule.name, &site), "{} is silent on {way:?}", rule.name);
            for ask in &way.asks {
                check_silence(&rules, rule, &way, ask.fact);
            }
        }
    }
}

/// Sets one fact that the way reads to unknown.
fn check_silence(rules: &Rules, rule: &Rule, way: &Way, fact: &'static crate::model::FactInfo) {
    let mut site = way.site();
    let was_known = fact.value(&site) != Value::Unknown;
    // Kind, test code and confidence are never unknown.
    if !was_known || !fact.set(&mut site, &Value::Unknown) {
        return;
    }
    // A condition may ask that a fact be unknown; there, and only there, not knowing it is an answer.
    let asked = ways(&rule.when).unwrap().iter().any(|other| {
        other.asks.iter().any(|ask| ask.fact.name == fact.name && ask.values().contains(&Value::Unknown))
    });
    assert!(
        asked || !fires(rules, &rule.name, &site),
        "{} fires although `{}` is unknown",
        rule.name,
        fact.name
    );
}

#[test]
fn no_rule_fires_on_a_site_of_which_nothing_is_known() {
    let rules = builtin();
    for kind in Kind::WORDS {
        let mut site = blank_site();
        site.kind = Kind::from_word(kind).unwrap();
        let found = rules.judge(&Arc::new(site), always);
        assert!(found.is_empty(), "{kind}: {found:?}");
    }
}

#[test]
fn messages_name_the_problem_in_lower_case_without_a_full_stop() {
    check_styles(&builtin());
}

#[test]
fn messages_hold_and_read_well_for_every_setting() {
    for jitter in [Jitter::Equal, Jitter::Decorrelated] {
        let mut rules = builtin();
        rules.prefer_jitter(jitter);
        assert!(rules.set_limit(MAX_DELAY, 5.0), "a rule reads it");
        for rule in rules.iter() {
            rehearse::rehearse(rule, &rules.templates).unwrap_or_else(|error| panic!("{error}"));
        }
        check_styles(&rules);
    }
}

fn check_styles(rules: &Rules) {
    for rule in rules.iter() {
        for way in ways(&rule.when).unwrap() {
            for site in [way.site(), filled(rule, &way)] {
                let found = rules.judge(&Arc::new(site), |candidate| {
                    if candidate.name == rule.name { Level::Warning } else { Level::Off }
                });
                check_style(found.first().unwrap());
            }
        }
    }
}

/// The way's site with everything known that its rule may print.
fn filled(rule: &Rule, way: &Way) -> Site {
    let mut site = way.site();
    for fact in rule.printable() {
        fact.set(&mut site, way.values(fact).first().unwrap());
    }
    site
}

fn check_style(finding: &Finding) {
    assert!(!finding.message.is_empty(), "{}", finding.rule);
    for text in [&finding.message, &finding.note, &finding.help] {
        assert!(!text.starts_with(char::is_uppercase), "{}: {text}", finding.rule);
        assert!(!text.ends_with('.'), "{}: {text}", finding.rule);
        assert!(!text.contains("  ") && !text.contains(" ,"), "{}: {text}", finding.rule);
        assert!(text.chars().count() < 200, "{}: {text}", finding.rule);
    }
}

#[test]
fn every_page_is_complete() {
    for rule in builtin().iter() {
        let flags = rule.examples.iter().filter(|example| example.fires).count();
        let silent = rule.examples.len() - flags;
        assert!(flags >= 2 && silent >= 2, "{}: {flags} that flag, {silent} that do not", rule.name);
        assert!(rule.since.starts_with("0."), "{}", rule.name);
        assert!(!rule.title.is_empty() && rule.title.len() < 120, "{}: {}", rule.name, rule.title);
        assert!(!rule.prose.why.is_empty() && !rule.prose.limits.is_empty(), "{}", rule.name);
        assert!(!rule.help.source.is_empty() && !rule.note.source.is_empty(), "{}", rule.name);
    }
}

#[test]
fn rules_come_in_order_and_are_found_by_name() {
    let rules = builtin();
    let names: Vec<_> = rules.iter().map(|rule| rule.name.as_str()).collect();
    let sorted: BTreeSet<_> = names.iter().copied().collect();
    assert_eq!(names, sorted.into_iter().collect::<Vec<_>>());
    for name in names {
        assert_eq!(rules.get(name).unwrap().name, name);
    }
    assert!(rules.get("no-such-rule").is_none());
}

#[test]
fn every_page_in_the_folder_is_in_the_program() {
    let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/rules")).unwrap();
    let names = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let pages: BTreeSet<_> = names.filter_map(|name| name.strip_suffix(".md").map(str::to_owned)).collect();
    let built_in: BTreeSet<_> = builtin().iter().map(|rule| rule.name.clone()).collect();
    // Cargo does not see a page that was added to the folder.
    assert_eq!(pages, built_in, "touch src/rules/mod.rs to embed the folder again");
}

// ---- one page, well and badly written

const PAGE: &str = r#"+++
name = "own-rule"
group = "herd"
level = "warning"
cites = ["delay", "attempts.max"]
message = "waits {{ delay.first_s | duration }}{% if attempts.max is defined %} of {{ attempts.max | attempts }}{% endif %}"
note = "an {{ delay.growth }} delay"

[when]
kind = ["retry", "library"]
operation.remote = true
delay.first_s = { above = 2, below = 60 }
delay.growth = "exponential"
[[when.any]]
attempts.kind = "unbounded"
[[when.any]]
breaker = false
[when.not]
delay.jitter = ["full", "equal"]
+++

## What it flags
Long waits. And so on.
## Why
## Flags
```rust
fn f() {} //~ own-rule
```
## Does not flag
## Limits
"#;

fn load(text: &str) -> Result<Rules, RuleError> {
    Rules::load([("pages/own-rule.md", text)])
}

/// The page with one text put in place of another, and what is wrong with it.
fn broken(from: &str, to: &str) -> RuleError {
    assert!(PAGE.contains(from), "{from}");
    match load(&PAGE.replacen(from, to, 1)) {
        Ok(_) => panic!("`{to}` was accepted"),
        Err(error) => error,
    }
}

fn set(site: &mut Site, name: &str, value: &Value) {
    assert!(fact_info(name).unwrap().set(site, value), "{name} {value:?}");
}

fn own_site() -> Site {
    let mut site = blank_site();
    set(&mut site, "operation.remote", &Value::Bool(true));
    set(&mut site, "delay.first_s", &Value::Number(3.0));
    set(&mut site, "delay.growth", &Value::Word("exponential"));
    set(&mut site, "delay.jitter", &Value::Word("none"));
    set(&mut site, "breaker", &Value::Bool(false));
    site
}

#[test]
fn a_page_is_read_as_it_stands() {
    let rules = load(PAGE).unwrap();
    let rule = rules.get("own-rule").unwrap();
    assert_eq!(rule.title, "Long waits");
    assert!(rule.is_default());
    assert_eq!(
        rule.cites[0].facts.len(),
        crate::model::FACTS.iter().filter(|f| f.name.starts_with("delay.")).count()
    );
    assert_eq!(rule.examples[0].line, 27, "the first line of code in the page");
    assert_eq!(rules.nearest("own-rul"), Some("own-rule"));
    load(&PAGE.replace('\n', "\r\n")).unwrap();
}

#[test]
fn every_line_of_a_condition_counts() {
    let rules = load(PAGE).unwrap();
    assert!(fires(&rules, "own-rule", &own_site()));
    for (name, value) in [
        ("kind", Value::Word("schedule")),
        ("operation.remote", Value::Bool(false)),
        ("delay.first_s", Value::Number(2.0)),
        ("delay.first_s", Value::Number(60.0)),
        ("delay.growth", Value::Word("linear")),
        ("delay.jitter", Value::Word("equal")),
        ("delay.jitter", Value::Unknown),
        ("breaker", Value::Bool(true)),
        ("breaker", Value::Unknown),
    ] {
        let mut site = own_site();
        set(&mut site, name, &value);
        assert!(!fires(&rules, "own-rule", &site), "{name} = {value:?}");
    }
    let mut other_branch = own_site();
    set(&mut other_branch, "breaker", &Value::Unknown);
    set(&mut other_branch, "attempts.kind", &Value::Word("unbounded"));
    assert!(fires(&rules, "own-rule", &other_branch), "true wins over unknown in any");
}

#[test]
fn a_limit_takes_the_place_of_the_number_that_names_it_and_of_no_other() {
    let text = PAGE.replace("{ above = 2, below = 60 }", "{ above = 2, setting = \"max-delay\" }");
    let mut rules = load(&text).unwrap();
    assert!(fires(&rules, "own-rule", &own_site()));
    assert!(!rules.set_limit("max-total", 9.0), "no page reads it");
    assert!(fires(&rules, "own-rule", &own_site()));
    assert!(rules.set_limit(MAX_DELAY, 3.0));
    assert!(!fires(&rules, "own-rule", &own_site()));
    for (setting, what) in [
        ("{ above = 2, setting = \"max-dellay\" }", "unknown limit `max-dellay`"),
        ("{ above = 2, setting = \"max-attempts\" }", "do not measure the same"),
        ("{ above = 2, setting = 3 }", "the name of a limit"),
        ("{ setting = \"max-delay\" }", "give one, which holds without it"),
        ("{ above = 2, below = 9, setting = \"max-delay\" }", "give one, which holds without it"),
    ] {
        assert!(broken("{ above = 2, below = 60 }", setting).what.contains(what), "{setting}");
    }
}

#[test]
fn known_is_asked_in_two_values() {
    let text = PAGE.replace("breaker = false", "delay.cap_s = { known = false }");
    let rules = load(&text).unwrap();
    let mut site = own_site();
    assert!(fires(&rules, "own-rule", &site));
    set(&mut site, "delay.cap_s", &Value::Number(9.0));
    assert!(!fires(&rules, "own-rule", &site));
}

#[test]
fn wrong_front_matter_is_named_with_its_line_and_the_nearest_name() {
    for (from, to, line, what, nearest) in [
        ("group = \"herd\"", "grup = \"herd\"", 3, "unknown key `grup`", Some("group")),
        ("\"herd\"", "\"herds\"", 3, "unknown group `herds`", Some("herd")),
        ("\"warning\"", "\"loud\"", 4, "unknown level `loud`", None),
        ("\"attempts.max\"]", "\"attempts.mx\"]", 5, "unknown fact `attempts.mx`", Some("attempts.max")),
        ("cites = [\"delay\", \"attempts.max\"]", "cites = []", 5, "`cites` is a list", None),
        ("note =", "change = \"full-jiter\"\nnote =", 7, "unknown change `full-jiter`", Some("full-jitter")),
        (
            "operation.remote",
            "operation.remot",
            11,
            "unknown fact `operation.remot`",
            Some("operation.remote"),
        ),
        ("remote = true", "remote = \"yes\"", 11, "`operation.remote` is true or false", None),
        ("remote = true", "remote = { above = 1 }", 11, "`above` compares numbers", None),
        ("above = 2", "abov = 2", 12, "unknown comparison `abov`", Some("above")),
        ("{ above = 2, below = 60 }", "3", 12, "it cannot be a bare number", None),
        ("{ above = 2, below = 60 }", "{}", 12, "it cannot be an empty table", None),
        ("{ above = 2, below = 60 }", "{ known = true, above = 1 }", 12, "`known` stands alone", None),
        ("\"exponential\"", "\"exponetial\"", 13, "unknown word for `delay.growth`", Some("exponential")),
        ("\"exponential\"", "[]", 13, "it cannot be an empty list", None),
        ("\"exponential\"", "true", 13, "it cannot be true or false", None),
        ("[when.not]\ndelay.jitter", "[when.not]\njitter", 19, "unknown fact `jitter`", Some("delay.jitter")),
        ("delay.jitter = [\"full\", \"equal\"]", "", 18, "a condition without lines", None),
        ("breaker = false", "delay = 3", 17, "`delay` is a group of facts", None),
        (
            "[[when.any]]\nattempts.kind = \"unbounded\"\n[[when.any]]",
            "[when.any]",
            14,
            "`any` is a list of tables",
            None,
        ),
        ("name = \"own-rule\"", "name = \"Own Rule\"", 2, "a rule's name is lower-case words", None),
        (
            "name = \"own-rule\"",
            "name = \"other\"",
            2,
            "must be in a file `other.md`, not `own-rule.md`",
            None,
        ),
        ("name = \"own-rule\"", "name = own", 2, "", None),
        ("level = \"warning\"\n", "", 2, "the key `level` is missing", None),
        ("+++\nname", "name", 1, "a page begins with a line `+++`", None),
        ("+++\n\n## What", "\n## What", 1, "not closed", None),
        ("## Limits", "## Limit", 30, "unknown heading `## Limit`", Some("## Limits")),
        ("//~ own-rule", "//~ other", 27, "marks `other`", None),
    ] {
        let error = broken(from, to);
        assert!(error.what.contains(what), "{to}: {error}");
        assert_eq!(error.line, line, "{to}: {error}");
        assert_eq!(error.nearest.as_deref(), nearest, "{to}: {error}");
        assert_eq!(error.file, "pages/own-rule.md");
    }
}

#[test]
fn wrong_messages_are_refused_when_the_page_is_loaded() {
    for (from, to, what) in [
        ("{{ delay.growth }}", "{{ delay.growt }}", "prints `delay.growt`, which is no fact"),
        ("{{ delay.growth }}", "{{ visible }}", "prints `visible`, which neither `when` nor `cites` names"),
        ("{{ delay.growth }}", "{{ delay.cap_s }}", "of which `delay.cap_s` is unknown"),
        ("{{ delay.growth }}", "{{ attempts.kind }}", "`attempts.kind`"),
        ("{{ delay.growth }}", "{{ delay.growth | duration }}", "fails at a site"),
        ("{{ delay.growth }}", "{{ delay.growth | nosuch }}", "nosuch"),
        ("{{ delay.growth }}", "{% if %}", "`note`"),
        ("waits {{ delay.first_s | duration }}{%", "{%", "`message` says nothing at a site"),
    ] {
        let error = broken(from, to);
        assert!(error.what.contains(what), "{to}: {error}");
        assert!(error.line == 6 || error.line == 7, "{to}: {error}");
    }
    assert_eq!(broken("{{ delay.growth }}", "{{ delay.growt }}").nearest.as_deref(), Some("delay.growth"));
}

#[test]
fn a_condition_that_cannot_come_true_is_refused() {
    let error = broken("{ above = 2, below = 60 }", "{ above = 60, below = 2 }");
    assert!(error.what.contains("holds nowhere"), "{error}");
    let error = broken("delay.jitter = [\"full\", \"equal\"]", "kind = [\"library\", \"retry\"]");
    assert!(error.what.contains("holds nowhere"), "{error}");
}

#[test]
fn nesting_and_alternatives_have_limits() {
    let deep = format!("{}breaker = true{}", "not = {".repeat(20), "}".repeat(20));
    assert!(broken("breaker = false", &deep).what.contains("nest deeper than"));
    let branch = "any = [{ breaker = true }, { visible = true }, { nested = true }]";
    let wide = format!(
        "any = [{}]",
        vec![format!("{{ {branch}, not = [{{ {branch} }}, {{ {branch} }}] }}"); 40].join(", ")
    );
    let many = format!("[when.not]\nnot = [{}]", vec![format!("{{ {wide} }}"); 8].join(", "));
    assert!(broken("[when.not]", &many).what.contains("too many alternatives"));
}

#[test]
fn a_name_is_taken_once() {
    let error = Rules::load([("own-rule.md", PAGE), ("more/own-rule.md", PAGE)]).unwrap_err();
    assert_eq!(error.to_string(), "more/own-rule.md:1: there is a rule `own-rule` already");
    let mut rules = builtin();
    rules.add("own-rule.md", PAGE).unwrap();
    assert!(rules.get("own-rule").is_some());
    assert!(rules.add("own-rule.md", "").is_err());
}

#[test]
fn a_refused_page_leaves_no_rule_behind() {
    let mut rules = load(PAGE).unwrap();
    let other = PAGE.replace("own-rule", "second").replace("{{ delay.growth }}", "{{ delay.cap_s }}");
    assert!(rules.add("second.md", &other).is_err());
    assert_eq!(rules.iter().count(), 1);
}

// ---- the finding

fn place(start: u32) -> Place {
    Place { start_byte: start, end_byte: start + 1, line: start, ..blank_site().place }
}

#[test]
fn a_finding_points_at_the_evidence_once_and_at_the_cited_fact_first() {
    let mut site = own_site();
    site.confidence = Confidence::Medium;
    site.delay.growth = Fact::at(Growth::Exponential, place(7), "waits here");
    site.delay.first_s = Fact::at(3.0, place(8), "3 s");
    site.attempts.max = Fact::at(5.0, place(9), "5 attempts");
    site.why = vec![
        Evidence::at(place(7), "again"),
        Evidence::at(place(4), "comes back"),
        Evidence::words("no place"),
    ];
    let rules = load(PAGE).unwrap();
    let finding = rules.judge(&Arc::new(site), |_| Level::Error).remove(0);
    assert_eq!(finding.place, place(7));
    assert_eq!((finding.level, finding.confidence), (Level::Error, Confidence::Medium));
    assert_eq!(finding.message, "waits 3 s of 5 attempts");
    assert_eq!(finding.note, "an exponential delay");
    let labels: Vec<_> =
        finding.labels.iter().map(|label| (label.place.line, label.text.as_str(), label.primary)).collect();
    assert_eq!(
        labels,
        [(7, "waits here", true), (9, "5 attempts", false), (4, "comes back", false)],
        "a group is pointed at once"
    );
}

#[test]
fn a_finding_without_evidence_is_at_its_site() {
    let rules = load(PAGE).unwrap();
    let finding = rules.judge(&Arc::new(own_site()), always).remove(0);
    assert_eq!(finding.place, own_site().place);
    assert_eq!(finding.labels.len(), 1);
    assert!(finding.labels[0].primary);
}

#[test]
fn look_alikes_are_judged_only_by_rules_that_ask_for_a_kind() {
    let mut site = own_site();
    site.kind = Kind::Poll;
    let anything = PAGE.replace("kind = [\"retry\", \"library\"]\n", "");
    assert!(!fires(&load(&anything).unwrap(), "own-rule", &site));
    let polls = PAGE.replace("[\"retry\", \"library\"]", "\"poll\"");
    assert!(fires(&load(&polls).unwrap(), "own-rule", &site));
}

#[test]
fn every_fact_can_be_written_and_read_back() {
    for fact in crate::model::FACTS {
        let value = match fact.kind {
            FactType::Words(words) => Value::Word(words.last().unwrap()),
            FactType::Bool => Value::Bool(true),
            FactType::Number => Value::Number(2.5),
            FactType::Text => Value::Text("x".into()),
            FactType::Schedule => Value::Schedule(vec![[0.0, 1.0]]),
        };
        let mut site = blank_site();
        assert!(fact.set(&mut site, &value), "{}", fact.name);
        assert_eq!(fact.value(&site), value, "{}", fact.name);
        assert!(!fact.set(&mut site, &Value::Word("no such word")), "{}", fact.name);
        assert_eq!(fact.value(&site), value, "{}", fact.name);
    }
}
