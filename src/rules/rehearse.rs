//! Renders a rule's messages over made-up sites, so that a template that fails on some site fails when the page is loaded.
//! It judges the page only: no real site, no source.

use std::collections::BTreeSet;

use super::error::{RuleError, nearest};
use super::message::{Part, Templates, context};
use super::page::{Rule, Text};
use super::ways::{Way, ways};
use crate::model::{FactInfo, Site, Value, fact_info};

/// Takes the rule's templates in, and checks that they name only facts that `when` or `cites` name.
pub(super) fn enlist(rule: &Rule, templates: &mut Templates) -> Result<(), RuleError> {
    let printable: BTreeSet<_> = rule.printable().iter().map(|fact| fact.name).collect();
    for part in Part::ALL {
        let text = rule.text(part);
        templates
            .add(&rule.name, part, &text.source)
            .map_err(|error| fault(rule, part, &error.to_string()))?;
        let names = templates.names(&rule.name, part);
        let Some(name) = names.iter().find(|name| !printable.contains(name.as_str())) else { continue };
        let what = if fact_info(name).is_some() {
            format!("prints `{name}`, which neither `when` nor `cites` names")
        } else {
            format!("prints `{name}`, which is no fact")
        };
        let nearest = nearest(name, printable.iter().copied()).map(str::to_owned);
        return Err(RuleError { nearest, ..fault(rule, part, &what) });
    }
    Ok(())
}

/// Renders its messages over sites for every way in which it fires, with what they look up known and unknown.
pub(super) fn rehearse(rule: &Rule, templates: &Templates) -> Result<(), RuleError> {
    let ways = ways(&rule.when).ok_or_else(|| when_fault(rule, "has too many alternatives"))?;
    if ways.is_empty() {
        return Err(when_fault(rule, "holds nowhere: its lines contradict each other"));
    }
    let printable = rule.printable();
    for part in Part::ALL {
        let names = templates.names(&rule.name, part);
        let looked_up: Vec<_> = printable.iter().copied().filter(|fact| names.contains(fact.name)).collect();
        for way in &ways {
            for site in sites(way, &looked_up) {
                rehearse_on(rule, templates, part, &site, &looked_up)?;
            }
        }
    }
    Ok(())
}

fn rehearse_on(
    rule: &Rule,
    templates: &Templates,
    part: Part,
    site: &Site,
    looked_up: &[&'static FactInfo],
) -> Result<(), RuleError> {
    let unknown = looked_up.iter().filter(|fact| fact.value(site) == Value::Unknown);
    let unknown: Vec<_> = unknown.map(|fact| format!("`{}`", fact.name)).collect();
    let somewhere = if unknown.is_empty() {
        String::new()
    } else {
        format!(" of which {} is unknown", unknown.join(", "))
    };
    match templates.render(&rule.name, part, &context(site, looked_up)) {
        Err(error) => {
            let hint = if unknown.is_empty() { "" } else { ": ask `{% if … is defined %}` first" };
            Err(fault(rule, part, &format!("fails at a site{somewhere} ({error}){hint}")))
        }
        Ok(text) if text.is_empty() && part == Part::Message => {
            Err(fault(rule, part, &format!("says nothing at a site{somewhere}")))
        }
        Ok(_) => Ok(()),
    }
}

/// Sites on which the way holds: every pair of values of two facts, with the rest known and with the rest unknown.
fn sites(way: &Way, facts: &[&'static FactInfo]) -> Vec<Site> {
    let values: Vec<(&'static FactInfo, Vec<Value>)> =
        facts.iter().map(|fact| (*fact, way.values(fact))).collect();
    let mut known = way.site();
    let mut unknown = way.site();
    for (fact, values) in &values {
        if let (Some(first), Some(last)) = (values.first(), values.last()) {
            fact.set(&mut known, first);
            // Unknown is the last candidate, where a fact may be unknown at all.
            fact.set(&mut unknown, last);
        }
    }
    let mut sites = vec![known.clone(), unknown.clone()];
    for (index, (one, ones)) in values.iter().enumerate() {
        for (other, others) in values.iter().skip(index) {
            for (first, second) in
                ones.iter().flat_map(|first| others.iter().map(move |second| (first, second)))
            {
                for base in [&known, &unknown] {
                    let mut site = base.clone();
                    other.set(&mut site, second);
                    one.set(&mut site, first);
                    sites.push(site);
                }
            }
        }
    }
    sites
}

fn when_fault(rule: &Rule, what: &str) -> RuleError {
    RuleError { file: rule.file.clone(), line: rule.when_line, what: format!("`when` {what}"), nearest: None }
}

fn fault(rule: &Rule, part: Part, what: &str) -> RuleError {
    RuleError {
        file: rule.file.clone(),
        line: rule.text(part).line,
        what: format!("`{}` {what}", part.key()),
        nearest: None,
    }
}

impl Rule {
    pub(super) fn text(&self, part: Part) -> &Text {
        match part {
            Part::Message => &self.message,
            Part::Note => &self.note,
            Part::Help => &self.help,
        }
    }
}
