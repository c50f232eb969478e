//! A rule's `[when]`: plain TOML, typed against the table of facts when it is read, and asked of a site in three values.
//! Unknown stays unknown through `any` and `not`, so that a rule can only speak of what is known. It never looks at source.

use std::collections::BTreeSet;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::Fault;
use crate::model::{FACTS, FactInfo, FactType, LIMITS, Measure, Site, Value, fact_info, limit_info};

/// Lines that must all be true of a site.
#[derive(Debug)]
pub struct Condition {
    pub(super) clauses: Vec<Clause>,
}

#[derive(Debug)]
pub(super) enum Clause {
    Fact(&'static FactInfo, Test),
    /// At least one of these.
    Any(Vec<Condition>),
    Not(Condition),
}

/// What a line asks of a fact.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Test {
    /// It is one of these words.
    OneOf(Vec<String>),
    Is(bool),
    Within(Bounds),
    /// Whether it is known at all: the one question that an unknown fact answers.
    Known(bool),
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Bounds {
    pub(super) above: Option<f64>,
    pub(super) at_least: Option<f64>,
    pub(super) below: Option<f64>,
    /// The limit of the configuration that takes the number's place where it is set.
    pub(super) setting: Option<&'static str>,
}

impl Condition {
    /// Whether it holds at this site; `None` where what is known does not decide it.
    pub fn truth(&self, site: &Site) -> Option<bool> {
        all(self.clauses.iter().map(|clause| clause.truth(site)))
    }

    /// The dotted names of the facts that it reads.
    pub fn facts(&self) -> BTreeSet<&'static str> {
        let mut facts = BTreeSet::new();
        self.collect_facts(&mut facts);
        facts
    }

    fn collect_facts(&self, facts: &mut BTreeSet<&'static str>) {
        for clause in &self.clauses {
            match clause {
                Clause::Fact(fact, _) => {
                    facts.insert(fact.name);
                }
                Clause::Any(branches) => {
                    for branch in branches {
                        branch.collect_facts(facts);
                    }
                }
                Clause::Not(inner) => inner.collect_facts(facts),
            }
        }
    }

    /// Puts a limit of the configuration in the place of each number that names it; whether any does.
    pub(super) fn set_limit(&mut self, limit: &str, value: f64) -> bool {
        let mut found = false;
        for clause in &mut self.clauses {
            match clause {
                Clause::Fact(_, Test::Within(bounds)) => found |= bounds.set_limit(limit, value),
                Clause::Fact(..) => {}
                Clause::Any(branches) => {
                    for branch in branches {
                        found |= branch.set_limit(limit, value);
                    }
                }
                Clause::Not(inner) => found |= inner.set_limit(limit, value),
            }
        }
        found
    }

    /// Reads the table `[when]`; faults have byte ranges of the TOML text.
    pub(super) fn read(table: &Spanned<DeValue>) -> Result<Self, Fault> {
        read_lines(table, 0)
    }
}

impl Clause {
    fn truth(&self, site: &Site) -> Option<bool> {
        match self {
            Self::Fact(fact, test) => test.truth(&fact.value(site)),
            Self::Any(branches) => {
                // any = not all not, which keeps the three values in one place.
                all(branches.iter().map(|branch| branch.truth(site).map(|truth| !truth))).map(|none| !none)
            }
            Self::Not(inner) => inner.truth(site).map(|truth| !truth),
        }
    }
}

/// Kleene's and: false wins, then unknown.
fn all(truths: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut result = Some(true);
    for truth in truths {
        match truth {
            Some(false) => return Some(false),
            Some(true) => {}
            None => result = None,
        }
    }
    result
}

impl Test {
    pub(super) fn truth(&self, value: &Value) -> Option<bool> {
        if let Self::Known(wanted) = self {
            return Some((*value != Value::Unknown) == *wanted);
        }
        match (self, value) {
            (Self::OneOf(words), Value::Word(word)) => Some(words.iter().any(|wanted| wanted == word)),
            (Self::OneOf(words), Value::Text(text)) => Some(words.contains(text)),
            (Self::Is(wanted), Value::Bool(value)) => Some(wanted == value),
            (Self::Within(bounds), Value::Number(value)) => Some(bounds.contain(*value)),
            _ => None,
        }
    }
}

impl Bounds {
    fn set_limit(&mut self, limit: &str, value: f64) -> bool {
        if self.setting != Some(limit) {
            return false;
        }
        for bound in [&mut self.above, &mut self.at_least, &mut self.below].into_iter().flatten() {
            *bound = value;
        }
        true
    }

    fn contain(&self, value: f64) -> bool {
        self.above.is_none_or(|bound| value > bound)
            && self.at_least.is_none_or(|bound| value >= bound)
            && self.below.is_none_or(|bound| value < bound)
    }
}

/// `any` and `not` inside each other. Deeper conditions are unreadable; the limit also bounds every recursion here.
const DEEPEST: u32 = 8;

fn read_lines(table: &Spanned<DeValue>, depth: u32) -> Result<Condition, Fault> {
    if depth > DEEPEST {
        return Err(Fault::new(table.span(), format!("`any` and `not` nest deeper than {DEEPEST}")));
    }
    let Some(lines) = table.get_ref().as_table() else {
        return Err(Fault::new(table.span(), "a table of conditions is wanted here"));
    };
    let mut clauses = Vec::new();
    for (key, value) in lines {
        match key.get_ref().as_ref() {
            "any" => clauses.push(Clause::Any(read_branches(value, depth)?)),
            "not" if value.get_ref().is_array() => {
                clauses.extend(read_branches(value, depth)?.into_iter().map(Clause::Not));
            }
            "not" => clauses.push(Clause::Not(read_lines(value, depth + 1)?)),
            name => read_facts(key, name, value, &mut clauses)?,
        }
    }
    if clauses.is_empty() {
        return Err(Fault::new(table.span(), "a condition without lines holds everywhere; give it one"));
    }
    Ok(Condition { clauses })
}

fn read_branches(value: &Spanned<DeValue>, depth: u32) -> Result<Vec<Condition>, Fault> {
    let Some(branches) = value.get_ref().as_array() else {
        return Err(Fault::new(value.span(), "`any` is a list of tables: write `[[when.any]]`"));
    };
    let branches: Vec<_> =
        branches.iter().map(|branch| read_lines(branch, depth + 1)).collect::<Result<_, _>>()?;
    if branches.is_empty() {
        return Err(Fault::new(value.span(), "an empty list never holds; give it a table"));
    }
    Ok(branches)
}

/// A dotted key is a table in a table: descends until the names so far are a fact's.
fn read_facts(
    key: &Spanned<std::borrow::Cow<'_, str>>,
    name: &str,
    value: &Spanned<DeValue>,
    clauses: &mut Vec<Clause>,
) -> Result<(), Fault> {
    if let Some(fact) = fact_info(name) {
        clauses.push(Clause::Fact(fact, read_test(fact, value)?));
        return Ok(());
    }
    let group = format!("{name}.");
    let is_group = FACTS.iter().any(|fact| fact.name.starts_with(&group));
    match value.get_ref().as_table() {
        // Facts have two parts at most, so this recursion is one deep.
        Some(inner) if is_group => {
            for (key, value) in inner {
                read_facts(key, &format!("{group}{}", key.get_ref()), value, clauses)?;
            }
            Ok(())
        }
        _ if is_group => Err(Fault::new(key.span(), format!("`{name}` is a group of facts, not a fact"))),
        _ => Err(Fault::unknown(key.span(), "fact", name, FACTS.iter().map(|fact| fact.name))),
    }
}

fn read_test(fact: &'static FactInfo, value: &Spanned<DeValue>) -> Result<Test, Fault> {
    if let Some(table) = value.get_ref().as_table() {
        return read_comparison(fact, table, value);
    }
    match (fact.kind, value.get_ref()) {
        (FactType::Words(_) | FactType::Text, DeValue::String(_)) => {
            Ok(Test::OneOf(vec![read_word(fact, value)?]))
        }
        (FactType::Words(_) | FactType::Text, DeValue::Array(words)) if !words.is_empty() => {
            words.iter().map(|word| read_word(fact, word)).collect::<Result<_, _>>().map(Test::OneOf)
        }
        (FactType::Bool, DeValue::Boolean(wanted)) => Ok(Test::Is(*wanted)),
        _ => Err(mismatch(fact, value)),
    }
}

fn read_word(fact: &'static FactInfo, value: &Spanned<DeValue>) -> Result<String, Fault> {
    let Some(word) = value.get_ref().as_str() else { return Err(mismatch(fact, value)) };
    match fact.kind {
        FactType::Words(words) if !words.contains(&word) => {
            let kind = format!("word for `{}`, which has {},", fact.name, list(words));
            Err(Fault::unknown(value.span(), &kind, word, words.iter().copied()))
        }
        _ => Ok(word.to_owned()),
    }
}

fn read_comparison(
    fact: &'static FactInfo,
    table: &DeTable,
    value: &Spanned<DeValue>,
) -> Result<Test, Fault> {
    const COMPARISONS: [&str; 5] = ["above", "at_least", "below", "known", "setting"];
    let mut bounds = Bounds::default();
    for (key, operand) in table {
        let name = key.get_ref().as_ref();
        if name == "known" {
            return match operand.get_ref() {
                DeValue::Boolean(wanted) if table.len() == 1 => Ok(Test::Known(*wanted)),
                DeValue::Boolean(_) => Err(Fault::new(key.span(), "`known` stands alone")),
                _ => Err(Fault::new(operand.span(), "`known` is true or false")),
            };
        }
        let bound = match name {
            "above" => &mut bounds.above,
            "at_least" => &mut bounds.at_least,
            "below" => &mut bounds.below,
            "setting" => {
                bounds.setting = Some(read_setting(fact, operand)?);
                continue;
            }
            _ => return Err(Fault::unknown(key.span(), "comparison", name, COMPARISONS)),
        };
        if fact.kind != FactType::Number {
            return Err(Fault::new(key.span(), format!("`{name}` compares numbers, and {}", describe(fact))));
        }
        *bound = Some(read_number(operand)?);
    }
    let numbers = [bounds.above, bounds.at_least, bounds.below].into_iter().flatten().count();
    if bounds.setting.is_some() && numbers != 1 {
        let what =
            "`setting` names the limit that takes one number's place: give one, which holds without it";
        return Err(Fault::new(value.span(), what));
    }
    if numbers == 0 {
        return Err(mismatch(fact, value));
    }
    Ok(Test::Within(bounds))
}

/// A limit's name; what it measures must be what the fact measures.
fn read_setting(fact: &'static FactInfo, value: &Spanned<DeValue>) -> Result<&'static str, Fault> {
    let Some(name) = value.get_ref().as_str() else {
        return Err(Fault::new(value.span(), "`setting` is the name of a limit"));
    };
    let Some(limit) = limit_info(name) else {
        return Err(Fault::unknown(value.span(), "limit", name, LIMITS.iter().map(|limit| limit.name)));
    };
    if fact.name.ends_with("_s") != (limit.measure == Measure::Seconds) {
        let what = format!("`{name}` and `{}` do not measure the same", fact.name);
        return Err(Fault::new(value.span(), what));
    }
    Ok(limit.name)
}

fn read_number(value: &Spanned<DeValue>) -> Result<f64, Fault> {
    let number = match value.get_ref() {
        DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().parse::<f64>().ok(),
        DeValue::Float(float) => float.as_str().parse::<f64>().ok(),
        _ => None,
    };
    // Underscores are gone by now; what does not parse or is no number compares with nothing.
    number
        .filter(|number| number.is_finite())
        .ok_or_else(|| Fault::new(value.span(), "a decimal number is wanted here"))
}

fn mismatch(fact: &'static FactInfo, value: &Spanned<DeValue>) -> Fault {
    let what = format!("{}; it cannot be {}", describe(fact), in_words(value.get_ref()));
    Fault::new(value.span(), what)
}

/// What a fact can have, with how to ask for it.
fn describe(fact: &'static FactInfo) -> String {
    let name = fact.name;
    match fact.kind {
        FactType::Words(words) => format!("`{name}` is one or a list of {}", list(words)),
        FactType::Bool => format!("`{name}` is true or false"),
        FactType::Number => format!("`{name}` is a number, asked as `{{ above = 3 }}`"),
        FactType::Text => format!("`{name}` is text"),
        FactType::Schedule => format!("`{name}` can only be asked whether it is known"),
    }
}

fn in_words(value: &DeValue) -> &'static str {
    match value {
        DeValue::Array(items) if items.is_empty() => "an empty list",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "an empty table",
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a bare number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
    }
}

fn list(words: &[&str]) -> String {
    let quoted: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}
