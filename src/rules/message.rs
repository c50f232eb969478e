//! What a finding says: templates (`MiniJinja`) over the facts of one site, with filters for the field's own units.
//! A template sees only the facts that its rule names, unknown ones as undefined, and has fuel; it decides nothing.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::{Environment, Error, UndefinedBehavior, Value};

use super::spread;
use crate::model::{self, FACTS, FactInfo, Jitter, Site, suggested_cap};

/// The texts of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Message,
    Note,
    Help,
}

impl Part {
    pub(super) const ALL: [Self; 3] = [Self::Message, Self::Note, Self::Help];

    /// Its key in the front matter.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Note => "note",
            Self::Help => "help",
        }
    }
}

/// The templates of every rule.
#[derive(Debug)]
pub(super) struct Templates {
    environment: Environment<'static>,
}

impl Templates {
    pub(super) fn new() -> Self {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        // A sentence takes some hundred steps; a template of somebody's own page must not hang the run.
        environment.set_fuel(Some(20_000));
        environment.add_filter("duration", duration);
        environment.add_filter("count", count);
        environment.add_filter("attempts", |number: f64| count(number, "attempt"));
        environment.add_filter("delays", |schedule: Vec<Vec<f64>>| delays(&schedule));
        environment.add_filter("waves", |schedule: Vec<Vec<f64>>| waves(&schedule));
        environment.add_filter("suggested_cap", suggested_cap);
        let mut templates = Self { environment };
        templates.prefer_jitter(Jitter::Full);
        templates
    }

    /// From here on, random delays are proposed in this way.
    pub(super) fn prefer_jitter(&mut self, jitter: Jitter) {
        self.environment.add_filter("draws", move |schedule: Vec<Vec<f64>>| draws(&schedule, jitter));
        self.environment.add_filter("spread", move |delay: &str, of: minijinja::value::Kwargs| {
            spread::spread(delay, &of, jitter)
        });
    }

    /// From here on, no longer cap is suggested.
    pub(super) fn suggest_at_most(&mut self, seconds: f64) {
        self.environment.add_filter("suggested_cap", move |first_s: f64| suggested_cap(first_s).min(seconds));
    }

    /// Takes in a template; an empty one renders as nothing.
    pub(super) fn add(&mut self, rule: &str, part: Part, source: &str) -> Result<(), Error> {
        self.environment.add_template_owned(template_name(rule, part), source.to_owned())
    }

    /// The names that a template looks up, on any of its branches.
    pub(super) fn names(&self, rule: &str, part: Part) -> BTreeSet<String> {
        let template = self.environment.get_template(&template_name(rule, part));
        template.map(|template| template.undeclared_variables(true)).unwrap_or_default().into_iter().collect()
    }

    pub(super) fn render(&self, rule: &str, part: Part, facts: &Value) -> Result<String, Error> {
        let text = self.environment.get_template(&template_name(rule, part))?.render(facts)?;
        // Front matter wraps long sentences; a finding's text is one line.
        Ok(one_line(&text))
    }
}

fn template_name(rule: &str, part: Part) -> String {
    format!("{rule}/{}", part.key())
}

/// The facts as nested objects. Every group is there, so that `delay.cap_s is defined` can be asked; an unknown fact is not.
pub(super) fn context(site: &Site, facts: &[&'static FactInfo]) -> Value {
    let mut groups: BTreeMap<&str, BTreeMap<&str, Value>> = BTreeMap::new();
    let mut top: BTreeMap<&str, Value> = BTreeMap::new();
    for (group, _) in FACTS.iter().filter_map(|fact| fact.name.split_once('.')) {
        groups.entry(group).or_default();
    }
    for fact in facts {
        let Some(value) = template_value(fact.value(site)) else { continue };
        match fact.name.split_once('.') {
            Some((group, name)) => groups.entry(group).or_default().insert(name, value),
            None => top.insert(fact.name, value),
        };
    }
    let groups = groups.into_iter().map(|(name, facts)| (name, Value::from_pairs(facts)));
    Value::from_pairs(groups.chain(top))
}

fn template_value(value: model::Value) -> Option<Value> {
    Some(match value {
        model::Value::Word(word) => Value::from(word),
        model::Value::Bool(value) => Value::from(value),
        model::Value::Number(number) => number_value(number),
        model::Value::Text(text) => Value::from(clip(&one_line(&text))),
        model::Value::Schedule(delays) => {
            delays.into_iter().map(|[low, high]| Value::from_iter([low, high])).collect()
        }
        model::Value::Unknown => return None,
    })
}

/// Whole numbers print without `.0`.
fn number_value(number: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT {
        Value::from(number as i64)
    } else {
        Value::from(number)
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An operation is shown in a sentence: beyond this nobody reads it.
fn clip(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}

/// Seconds, in the unit that people would say.
fn duration(seconds: f64) -> String {
    const MINUTE: f64 = 60.0;
    const HOUR: f64 = 3600.0;
    const DAY: f64 = 86_400.0;
    const YEAR: f64 = 365.0 * DAY;
    // Up to two minutes people count in seconds ("90 s", "a minute" is 60 s), up to two days in hours.
    let (unit, name) = match seconds.abs() {
        size if !size.is_finite() => return "endless time".to_owned(),
        size if size > 1000.0 * YEAR => return "over 1000 years".to_owned(),
        size if size >= 2.0 * YEAR => (YEAR, "years"),
        size if size >= 2.0 * DAY => (DAY, "days"),
        size if size >= HOUR => (HOUR, "h"),
        size if size >= 2.0 * MINUTE => (MINUTE, "min"),
        size if size >= 1.0 || size == 0.0 => (1.0, "s"),
        size if size >= 1e-3 => (1e-3, "ms"),
        _ => (1e-6, "µs"),
    };
    format!("{} {name}", short(seconds / unit))
}

/// A number with at most two decimals, and without those that say nothing.
fn short(number: f64) -> String {
    let decimals = if number.abs() < 10.0 { 2 } else { usize::from(number.abs() < 100.0) };
    let text = format!("{number:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// "1 attempt", "5 attempts".
fn count(number: f64, noun: &str) -> String {
    let plural = if (number - 1.0).abs() < f64::EPSILON { "" } else { "s" };
    format!("{} {noun}{plural}", short(number))
}

/// How many delays tell the pattern.
const SHOWN: usize = 4;

/// "1 s, 2 s, 4 s, …": each delay.
fn delays(schedule: &[Vec<f64>]) -> String {
    joined(schedule.iter().map(|range| span(low(range), high(range))))
}

/// "1 s, 3 s, 7 s, …": when the retries come, counted from the first failure and without the time that attempts take.
fn waves(schedule: &[Vec<f64>]) -> String {
    let arrivals = schedule.iter().scan([0.0, 0.0], |[early, late], range| {
        *early += low(range);
        *late += high(range);
        Some(span(*early, *late))
    });
    joined(arrivals)
}

/// "U(0, 1 s), U(0, 2 s), …": the same delays, drawn as is preferred.
fn draws(schedule: &[Vec<f64>], jitter: Jitter) -> String {
    match jitter {
        Jitter::Decorrelated => {
            let base = schedule.first().map_or_else(|| "base".to_owned(), |range| duration(high(range)));
            spread::decorrelated(None, &base)
        }
        Jitter::Equal => joined(schedule.iter().map(|range| {
            let delay = high(range);
            format!("U({}, {})", duration(delay / 2.0), duration(delay))
        })),
        _ => joined(schedule.iter().map(|range| format!("U(0, {})", duration(high(range))))),
    }
}

fn low(range: &[f64]) -> f64 {
    range.first().copied().unwrap_or_default()
}

fn high(range: &[f64]) -> f64 {
    range.last().copied().unwrap_or_default()
}

fn span(low: f64, high: f64) -> String {
    let (low, high) = (duration(low), duration(high));
    if low == high { low } else { format!("{low} to {high}") }
}

fn joined(texts: impl Iterator<Item = String>) -> String {
    let mut shown: Vec<_> = texts.take(SHOWN).collect();
    if shown.len() == SHOWN {
        shown.pop();
        shown.push("…".to_owned());
    }
    shown.join(", ")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::model::fact_info;
    use crate::rules::ways::blank_site;

    #[test]
    fn durations_read_as_people_say_them() {
        for (seconds, text) in [
            (0.0, "0 s"),
            (0.000_25, "250 µs"),
            (0.5, "500 ms"),
            (0.0125, "12.5 ms"),
            (1.0, "1 s"),
            (1.5, "1.5 s"),
            (90.0, "90 s"),
            (120.0, "2 min"),
            (3600.0, "1 h"),
            (1_048_576.0, "12.1 days"),
            (1e9, "31.7 years"),
            (1e18, "over 1000 years"),
            (f64::INFINITY, "endless time"),
        ] {
            assert_eq!(duration(seconds), text);
        }
    }

    #[test]
    fn schedules_read_as_their_pattern() {
        let doubling: Vec<Vec<f64>> = [1.0, 2.0, 4.0, 8.0, 16.0].map(|d| vec![d, d]).to_vec();
        assert_eq!(delays(&doubling), "1 s, 2 s, 4 s, …");
        assert_eq!(waves(&doubling), "1 s, 3 s, 7 s, …");
        assert_eq!(draws(&doubling, Jitter::Full), "U(0, 1 s), U(0, 2 s), U(0, 4 s), …");
        assert_eq!(draws(&doubling, Jitter::Equal), "U(500 ms, 1 s), U(1 s, 2 s), U(2 s, 4 s), …");
        assert_eq!(draws(&doubling, Jitter::Decorrelated), "U(1 s, 3 × w) with w the last wait");
        assert_eq!(delays(&[vec![0.5, 1.0]]), "500 ms to 1 s");
        assert_eq!(delays(&[]), "");
    }

    #[test]
    fn counts_have_their_plural() {
        assert_eq!(count(1.0, "attempt"), "1 attempt");
        assert_eq!(count(5.0, "request"), "5 requests");
    }

    fn rendered(source: &str, set: &[(&str, model::Value)]) -> Result<String, Error> {
        let mut site = blank_site();
        for (name, value) in set {
            assert!(fact_info(name).unwrap().set(&mut site, value));
        }
        let mut templates = Templates::new();
        templates.add("r", Part::Message, source)?;
        let facts: Vec<_> = FACTS.iter().collect();
        templates.render("r", Part::Message, &context(&site, &facts))
    }

    #[test]
    fn a_template_sees_known_facts_and_misses_unknown_ones() {
        let source = "{{ attempts.max | attempts }}{% if delay.cap_s is defined %}, {{ delay.cap_s | duration }}{% endif %}";
        let max = ("attempts.max", model::Value::Number(5.0));
        assert_eq!(rendered(source, std::slice::from_ref(&max)).unwrap(), "5 attempts");
        let cap = ("delay.cap_s", model::Value::Number(0.5));
        assert_eq!(rendered(source, &[max, cap]).unwrap(), "5 attempts, 500 ms");
        assert!(rendered(source, &[]).is_err(), "an unknown number is not a number");
        assert!(rendered("{{ visible }}", &[]).is_err(), "an unknown fact does not print");
        assert!(rendered("{{ schedule | waves }}", &[]).is_err(), "an unknown schedule is not an empty one");
    }

    #[test]
    fn an_operation_is_one_short_line() {
        let long = format!("client\n    .get(url)\n    .header({})", "x".repeat(80));
        let text = rendered("{{ operation.text }}", &[("operation.text", model::Value::Text(long))]).unwrap();
        assert!(text.starts_with("client .get(url) .header(xx"), "{text}");
        assert_eq!(text.chars().count(), 61);
    }

    #[test]
    fn fuel_ends_a_template_that_does_not() {
        let source = "{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}";
        assert!(rendered(source, &[]).is_err());
    }
}
