//! Comments that silence a finding: which findings they hide, and which comments hide none.
//! A comment is called unused only where every rule that it names was really asked.

use super::nearest;
use super::reach::{meant, touches};
use super::remark::{Remark, Remarks, RuleName, Verb, Word, problem};
use crate::model::{Finding, Problem};
use std::collections::BTreeMap;

/// What the comments hide.
#[derive(Debug, Default)]
pub struct Hidden {
    /// For each finding, whether a comment hides it.
    pub findings: Vec<bool>,
    /// Names that no rule has.
    pub unknown: Vec<Problem>,
    /// Comments that hide nothing.
    pub unused: Vec<Problem>,
}

impl Remarks {
    /// Holds the comments against all findings of a package, those too that are not reported for another reason.
    pub fn hide(&self, findings: &[&Finding], rules: &[RuleName]) -> Hidden {
        let mut hidden = Hidden { findings: vec![false; findings.len()], ..Hidden::default() };
        for remark in self.remarks.iter().filter(|remark| remark.verb != Verb::Assume) {
            let mut touched: BTreeMap<&str, Vec<_>> = BTreeMap::new();
            for (at, finding) in findings.iter().enumerate() {
                if let Some(touch) = touches(remark.reach, &remark.place.path, finding) {
                    touched.entry(finding.rule.as_str()).or_default().push((at, touch));
                }
            }
            for word in &remark.words {
                let meant_rules: Vec<&RuleName> = rules.iter().filter(|rule| names(word, rule)).collect();
                if meant_rules.is_empty() {
                    hidden.unknown.push(unknown(word, rules));
                    continue;
                }
                let mut used = false;
                for rule in &meant_rules {
                    for at in meant(touched.get(rule.name.as_str()).map_or(&[][..], Vec::as_slice)) {
                        used = true;
                        if let Some(finding) = hidden.findings.get_mut(at) {
                            *finding = true;
                        }
                    }
                }
                if !used && meant_rules.iter().all(|rule| rule.asked) {
                    hidden.unused.push(unused(remark, word));
                }
            }
        }
        hidden
    }
}

fn names(word: &Word, rule: &RuleName) -> bool {
    word.text == rule.name || word.text == rule.group
}

fn unknown(word: &Word, rules: &[RuleName]) -> Problem {
    let text = &word.text;
    let known = rules.iter().flat_map(|rule| [rule.name.as_str(), rule.group]);
    let message = match nearest(text, known) {
        // on purpose: what is hidden unnamed is hidden for ever
        _ if matches!(text.as_str(), "all" | "*") => format!("`{text}` hides nothing: name the rules"),
        Some(near) => format!("unknown rule or group `{text}` in a comment: did you mean `{near}`?"),
        None => format!("unknown rule or group `{text}` in a comment: `retry-lint rules` lists them"),
    };
    problem(&word.place, message)
}

fn unused(remark: &Remark, word: &Word) -> Problem {
    let (verb, text) = (remark.verb.word(), &word.text);
    let message = format!("unused-suppression: `{verb}[{text}]` hides no finding: take it out");
    problem(&word.place, message)
}
