//! Findings and sites held against the labels, and the figures that come of it.

use crate::labels::{Exhaustive, Label};
use retry_lint::model::{Finding, Place, Site, Value, fact_info};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// The rules of which the labels speak.
pub(crate) const RULES: [&str; 14] = [
    "fixed-delay",
    "no-jitter",
    "no-delay",
    "unbounded",
    "no-delay-cap",
    "retries-4xx",
    "retries-all-errors",
    "ignores-retry-after",
    "non-idempotent",
    "jitter-clipped",
    "backoff-overflow",
    "swallowed",
    "blocking-sleep",
    "nested-retry",
];

/// The five rules of the promise.
pub(crate) const FIVE: [&str; 5] = ["fixed-delay", "no-jitter", "unbounded", "no-delay-cap", "retries-4xx"];

/// Kinds that are retries; the others are look-alikes.
const REAL: [&str; 6] = ["retry", "reconnect", "library", "helper", "recursion", "schedule"];

/// What was told beside a label, or not told.
#[derive(Debug)]
pub(crate) struct Miss {
    pub(crate) src: String,
    pub(crate) path: String,
    /// The label's line; the finding's where there is no label.
    pub(crate) line: u32,
    pub(crate) rule: String,
    /// What the label or the finding says.
    pub(crate) words: String,
}

/// Right, wrong and missed findings of one rule.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) right: usize,
    pub(crate) wrong: usize,
    pub(crate) missed: usize,
    /// Met no label where not everything is labelled.
    pub(crate) unlabelled: usize,
}

/// Told facts of one sort.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Told {
    pub(crate) right: usize,
    pub(crate) wrong: usize,
    pub(crate) unread: usize,
}

/// All that is counted.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) rules: BTreeMap<String, Counts>,
    pub(crate) told: [(&'static str, Told); 3],
    pub(crate) found: usize,
    pub(crate) wanted: usize,
    pub(crate) false_sites: usize,
    pub(crate) look_alikes: usize,
    pub(crate) total: usize,
    pub(crate) kinds: BTreeMap<(String, String), usize>,
    pub(crate) false_alarms: Vec<Miss>,
    pub(crate) misses: Vec<Miss>,
    pub(crate) unlabelled: Vec<String>,
    /// Sites that are not listed, or listed and none.
    pub(crate) sites: Vec<String>,
    /// Facts that are told wrongly.
    pub(crate) misread: Vec<String>,
}

/// The labels of one source, by path.
struct Here<'l> {
    labels: &'l [Label],
    by_path: HashMap<&'l str, Vec<usize>>,
}

impl Here<'_> {
    /// The label that a place of a site meets: of those that overlap it, the one that begins nearest, then the shortest.
    fn meets(&self, path: &str, site: &Place) -> Option<usize> {
        let (first, last) = (site.line, site.line.max(site.end_line));
        let at = self.by_path.get(path)?.iter().filter_map(|at| Some((*at, self.labels.get(*at)?)));
        at.filter(|(_, label)| label.overlaps(first, last))
            .min_by_key(|(_, label)| (label.line.abs_diff(first), label.last() - label.line))
            .map(|(at, _)| at)
    }
}

impl Tally {
    pub(crate) fn new() -> Self {
        Self { told: ["delay", "jitter", "attempts"].map(|name| (name, Told::default())), ..Self::default() }
    }

    /// Adds what was found in one source. Paths of places begin with `root`.
    pub(crate) fn add(
        &mut self,
        source: &str,
        root: &str,
        labels: &[Label],
        exhaustive: &Exhaustive,
        found: (&[Finding], &[Arc<Site>]),
    ) {
        let mut by_path: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, label) in labels.iter().enumerate() {
            by_path.entry(&label.path).or_default().push(at);
        }
        let here = Here { labels, by_path };
        let got = self.add_findings(source, root, &here, exhaustive, found.0);
        for (at, label) in labels.iter().enumerate().filter(|(_, label)| label.counts()) {
            for rule in label.expect.iter().filter(|rule| !got.contains(&(at, rule.as_str()))) {
                self.of(rule).missed += 1;
                self.misses.push(Miss {
                    src: source.to_owned(),
                    path: label.path.clone(),
                    line: label.line,
                    rule: rule.clone(),
                    words: format!("{}; {}", label.kind, label.note),
                });
            }
        }
        self.add_sites(source, root, &here, found.1);
    }

    fn of(&mut self, rule: &str) -> &mut Counts {
        self.rules.entry(rule.to_owned()).or_default()
    }

    fn add_findings<'f>(
        &mut self,
        source: &str,
        root: &str,
        here: &Here<'_>,
        exhaustive: &Exhaustive,
        findings: &'f [Finding],
    ) -> BTreeSet<(usize, &'f str)> {
        let mut got = BTreeSet::new();
        for finding in findings.iter().filter(|finding| RULES.contains(&finding.rule.as_str())) {
            let (rule, path) = (finding.rule.as_str(), below(&finding.place.path, root));
            let told = |line: u32, words: String| Miss {
                src: source.to_owned(),
                path: path.to_owned(),
                line,
                rule: rule.to_owned(),
                words,
            };
            let Some(at) = here.meets(path, &finding.site.place) else {
                if finding.site.in_test {
                    continue;
                }
                self.total += 1;
                if exhaustive.has(source, path) {
                    self.of(rule).wrong += 1;
                    let words = format!("{} (no label there)", finding.message);
                    self.false_alarms.push(told(finding.place.line, words));
                } else {
                    self.of(rule).unlabelled += 1;
                    let place = format!("{source} {path}:{}", finding.place.line);
                    self.unlabelled.push(format!("{place} {rule}: {}", finding.message));
                }
                continue;
            };
            let Some(label) = here.labels.get(at).filter(|label| label.counts()) else { continue };
            if !got.insert((at, rule)) {
                continue;
            }
            self.total += 1;
            if label.expect.iter().any(|it| it == rule) {
                self.of(rule).right += 1;
            } else if !label.may.iter().any(|it| it == rule) {
                self.of(rule).wrong += 1;
                let words = format!("{} (label: {}; {})", finding.message, label.kind, label.note);
                self.false_alarms.push(told(label.line, words));
            }
        }
        got
    }

    fn add_sites(&mut self, source: &str, root: &str, here: &Here<'_>, sites: &[Arc<Site>]) {
        let mut at: HashMap<usize, &Site> = HashMap::new();
        let mut sorted: Vec<&Site> = sites.iter().map(AsRef::as_ref).collect();
        sorted.sort_by_key(|site| Reverse(site.kind.is_real()));
        for site in sorted {
            if let Some(label) = here.meets(below(&site.place.path, root), &site.place) {
                at.entry(label).or_insert(site);
            }
        }
        for (number, label) in here.labels.iter().enumerate().filter(|(_, label)| label.counts()) {
            let site = at.get(&number).copied();
            let kind = site.map_or("-", |site| site.kind.word());
            let is_real = site.is_some_and(|site| site.kind.is_real());
            *self.kinds.entry((label.kind.clone(), kind.to_owned())).or_default() += 1;
            let place = format!("{source} {}:{}  [{}; {}]", label.path, label.line, label.kind, label.note);
            let second = label.kind2.as_deref().filter(|kind| !kind.is_empty());
            if !REAL.contains(&label.kind.as_str()) {
                self.look_alikes += 1;
                if is_real && !second.is_some_and(|kind| REAL.contains(&kind)) {
                    self.false_sites += 1;
                    self.sites.push(format!("false site as {kind}: {place}"));
                }
                continue;
            }
            // the readers differ on whether this is a retry at all
            if second.is_some_and(|kind| !REAL.contains(&kind)) {
                continue;
            }
            self.wanted += 1;
            let Some(site) = site.filter(|_| is_real) else {
                self.sites.push(format!("not listed ({kind}): {place}"));
                continue;
            };
            self.found += 1;
            self.add_facts(label, site, &place);
        }
    }

    fn add_facts(&mut self, label: &Label, site: &Site, place: &str) {
        let asked = [
            (&label.delay, "delay.growth"),
            (&label.jitter, "delay.jitter"),
            (&label.attempts, "attempts.kind"),
        ];
        for ((name, told), (wanted, fact)) in self.told.iter_mut().zip(asked) {
            if ["n/a", "param", "unknown"].contains(&wanted.as_str()) {
                continue;
            }
            match fact_info(fact).map_or(Value::Unknown, |fact| fact.value(site)) {
                Value::Word(word) if accepts(name, wanted, word) => told.right += 1,
                Value::Word(word) => {
                    told.wrong += 1;
                    self.misread.push(format!("{name} {word}, label {wanted}: {place}"));
                }
                _ => told.unread += 1,
            }
        }
    }
}

/// Whether a label's word accepts a fact's.
fn accepts(fact: &str, label: &str, word: &str) -> bool {
    let others: &[&str] = match (fact, label) {
        ("delay", "fixed") => &["constant"],
        ("delay", "exponential") => &["exponential", "fibonacci"],
        ("delay", "linear") => &["linear", "fibonacci"],
        ("jitter", "additive") => &["additive", "proportional", "other"],
        ("jitter", "other") => &["full", "equal", "decorrelated", "additive", "proportional", "other"],
        ("attempts", "unbounded") => &["unbounded", "cancellable"],
        ("attempts", "bounded") => &["bounded", "deadline"],
        _ => return word == label,
    };
    others.contains(&word)
}

fn below<'p>(path: &'p str, root: &str) -> &'p str {
    path.strip_prefix(root).map_or(path, |rest| rest.trim_start_matches('/'))
}
