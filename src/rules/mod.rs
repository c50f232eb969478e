//! Loads the pages of `rules/`, asks each rule's condition about a site, and words the finding.
//! It sees the model and never syntax, and knows no rule by name: what a rule is stands in its page.

mod condition;
mod error;
mod example;
mod labels;
mod message;
mod page;
mod prose;
mod rehearse;
mod spread;
#[cfg(test)]
mod tests;
mod ways;

use std::sync::Arc;

use include_dir::{Dir, include_dir};

pub use condition::Condition;
pub use error::RuleError;
pub use example::{Example, ExampleFile, Mark};
pub use page::{Cite, Rule};
pub use prose::{HEADINGS, Prose};

use crate::model::{Finding, Jitter, Level, MAX_DELAY, Site};
use message::{Part, Templates};

static PAGES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/rules");

/// Rules, by name.
#[derive(Debug)]
pub struct Rules {
    rules: Vec<Rule>,
    templates: Templates,
}

impl Rules {
    /// The rules that come with the program.
    ///
    /// Their messages are rehearsed by a test and not again at each start: it takes longer than a small run.
    pub fn builtin() -> Result<Self, RuleError> {
        let mut rules = Self::none();
        for page in PAGES.files() {
            let path = page.path();
            if path.extension().is_none_or(|extension| extension != "md") {
                continue;
            }
            let file = format!("rules/{}", path.display());
            rules.insert(&file, page.contents_utf8().unwrap_or_default())?;
        }
        Ok(rules)
    }

    /// These pages, each its file's name and its text.
    pub fn load<'p>(pages: impl IntoIterator<Item = (&'p str, &'p str)>) -> Result<Self, RuleError> {
        let mut rules = Self::none();
        for (file, text) in pages {
            rules.add(file, text)?;
        }
        Ok(rules)
    }

    fn none() -> Self {
        Self { rules: Vec::new(), templates: Templates::new() }
    }

    /// One more page, read and rehearsed. A name that is taken is an error.
    pub fn add(&mut self, file: &str, text: &str) -> Result<(), RuleError> {
        let index = self.insert(file, text)?;
        match self.rules.get(index).map(|rule| rehearse::rehearse(rule, &self.templates)) {
            Some(Err(error)) => {
                self.rules.remove(index);
                Err(error)
            }
            _ => Ok(()),
        }
    }

    /// Puts a limit in the place of each number whose page names it. Whether any does: a limit that no rule reads would have no effect.
    pub fn set_limit(&mut self, limit: &str, value: f64) -> bool {
        if limit == MAX_DELAY {
            self.templates.suggest_at_most(value);
        }
        let mut found = false;
        for rule in &mut self.rules {
            found |= rule.when.set_limit(limit, value);
        }
        found
    }

    /// What messages propose in place of a delay that is not random: full jitter unless this says equal or decorrelated.
    pub fn prefer_jitter(&mut self, jitter: Jitter) {
        self.templates.prefer_jitter(jitter);
    }

    /// Where the rule of this page now stands.
    fn insert(&mut self, file: &str, text: &str) -> Result<usize, RuleError> {
        let rule = page::read_page(file, text)?;
        match self.position(&rule.name) {
            Ok(_) => Err(RuleError {
                file: file.to_owned(),
                line: 1,
                what: format!("there is a rule `{}` already", rule.name),
                nearest: None,
            }),
            Err(index) => {
                rehearse::enlist(&rule, &mut self.templates)?;
                self.rules.insert(index, rule);
                Ok(index)
            }
        }
    }

    fn position(&self, name: &str) -> Result<usize, usize> {
        self.rules.binary_search_by(|rule| rule.name.as_str().cmp(name))
    }

    /// Every rule, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }

    /// The rule of this name.
    pub fn get(&self, name: &str) -> Option<&Rule> {
        self.position(name).ok().and_then(|index| self.rules.get(index))
    }

    /// The name that looks most like this one, for "did you mean".
    pub fn nearest(&self, name: &str) -> Option<&str> {
        error::nearest(name, self.rules.iter().map(|rule| rule.name.as_str()))
    }

    /// What the rules say about a site. `level_of` tells how loud each is; a rule that is `Off` is not asked.
    ///
    /// Look-alikes are left alone, but for a rule whose condition names the `kind` it wants.
    pub fn judge(&self, site: &Arc<Site>, level_of: impl Fn(&Rule) -> Level) -> Vec<Finding> {
        let mut findings = Vec::new();
        for rule in &self.rules {
            let level = level_of(rule);
            if level == Level::Off || !(site.kind.is_real() || rule.when.facts().contains("kind")) {
                continue;
            }
            if rule.when.truth(site) == Some(true) {
                findings.push(self.finding(rule, level, site));
            }
        }
        findings
    }

    fn finding(&self, rule: &Rule, level: Level, site: &Arc<Site>) -> Finding {
        let facts = message::context(site, &rule.printable());
        let say = |part| self.templates.render(&rule.name, part, &facts);
        let labels = labels::labels(rule, site);
        Finding {
            rule: rule.name.clone(),
            level,
            group: rule.group,
            confidence: site.confidence,
            // A rehearsed template does not fail; should one, the finding still says what the rule flags.
            message: say(Part::Message).unwrap_or_else(|_| rule.title.clone()),
            note: say(Part::Note).unwrap_or_default(),
            help: say(Part::Help).unwrap_or_default(),
            place: labels.first().map_or_else(|| site.place.clone(), |label| label.place.clone()),
            labels,
            site: Arc::clone(site),
            change: rule.change,
            fix: None,
        }
    }
}
