//! Comments that state a fact: `// retry-lint: assume[idempotent] PUT carries a version`. They hide nothing; they tell the model what the
//! source cannot show, rules judge by it, and `audit` shows who said so.

use super::nearest;
use super::reach::{meant, touches_site};
use super::remark::{Remark, Remarks, Verb, Word, problem};
use crate::model::{Assumed, Evidence, Fact, Problem, Site};

/// Writes a fact into a site.
type Write = fn(&mut Site, Evidence);

/// What can be stated.
const FACTS: [(&str, Write); 3] = [
    ("idempotent", |site, evidence| site.operation.idempotent = Fact::Known(true, evidence)),
    ("local", |site, evidence| site.operation.remote = Fact::Known(false, evidence)),
    ("background", |site, evidence| site.operation.background = Fact::Known(true, evidence)),
];

impl Remarks {
    /// Writes what the comments state into the sites that they are about; gives back words that state nothing and comments that are about no site.
    pub fn assume(&self, sites: &mut [Site]) -> Vec<Problem> {
        let mut problems = Vec::new();
        for remark in self.remarks.iter().filter(|remark| remark.verb == Verb::Assume) {
            let touched: Vec<_> = sites
                .iter()
                .enumerate()
                .filter_map(|(at, site)| Some((at, touches_site(remark.reach, &remark.place.path, site)?)))
                .collect();
            let about = meant(&touched);
            if about.is_empty() {
                let message = "`assume[…]` stands at no retry: nothing is assumed".to_owned();
                problems.push(problem(&remark.place, message));
            }
            for word in &remark.words {
                let Some((_, write)) = FACTS.iter().find(|(name, _)| *name == word.text) else {
                    problems.push(unknown(word));
                    continue;
                };
                for at in &about {
                    let Some(site) = sites.get_mut(*at) else { continue };
                    let evidence = evidence(remark, word);
                    write(site, evidence.clone());
                    site.assumed.push(Assumed { word: word.text.clone(), evidence });
                }
            }
        }
        problems
    }
}

fn evidence(remark: &Remark, word: &Word) -> Evidence {
    let reason = if remark.reason.is_empty() { String::new() } else { format!(": {}", remark.reason) };
    Evidence::at(remark.place.clone(), format!("assumed {}{reason}", word.text))
}

fn unknown(word: &Word) -> Problem {
    let text = &word.text;
    let known = FACTS.map(|(name, _)| name);
    let message = match nearest(text, known) {
        Some(near) => format!("unknown fact `{text}` in a comment: did you mean `{near}`?"),
        None => format!("unknown fact `{text}` in a comment: there are `{}`", known.join("`, `")),
    };
    problem(&word.place, message)
}
