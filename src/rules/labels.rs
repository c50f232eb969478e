//! What a finding points at: the evidence its rule cites, then why this is a retry, where it waits and what bounds it. Each place once.

use super::page::Rule;
use crate::model::{Evidence, Label, Place, Site, fact_info};

/// The labels of a rule's finding at a site; the first is the primary one.
pub(super) fn labels(rule: &Rule, site: &Site) -> Vec<Label> {
    let mut cited = rule.cites.iter().map(|cite| {
        let evidence: Vec<_> = cite.facts.iter().filter_map(|fact| fact.evidence(site)).collect();
        // Of a group, the first fact that can be pointed at; an absence has words but no place.
        evidence.iter().find(|evidence| evidence.place.is_some()).or(evidence.first()).copied()
    });
    let primary = primary(cited.next().flatten(), site);
    let context = ["delay.growth", "attempts.kind", "attempts.max"];
    let context = context.iter().filter_map(|name| fact_info(name)?.evidence(site));
    let mut labels = vec![primary];
    for evidence in cited.flatten().chain(&site.why).chain(context) {
        let Some(place) = &evidence.place else { continue };
        if labels.iter().all(|label| !same(&label.place, place)) {
            labels.push(Label { place: place.clone(), text: evidence.text.clone(), primary: false });
        }
    }
    labels
}

fn primary(evidence: Option<&Evidence>, site: &Site) -> Label {
    let place = evidence.and_then(|evidence| evidence.place.clone()).unwrap_or_else(|| site.place.clone());
    let text = evidence.map(|evidence| evidence.text.clone()).unwrap_or_default();
    Label { place, text, primary: true }
}

fn same(one: &Place, other: &Place) -> bool {
    one.path == other.path && one.start_byte == other.start_byte && one.end_byte == other.end_byte
}
