//! The table of facts: every fact's dotted name, its type, and how to read it off a site.
//! Conditions are typed against it, JSON is printed from it, `audit` and messages name facts by it. The one place that lists them.

use super::{
    BoundKind, Confidence, ErrorKind, Evidence, Fact, Growth, Jitter, Kind, LastError, Method, Outcome,
    Overflow, Reset, SharedBy, Site,
};

/// What values a fact can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactType {
    /// One word of a closed list.
    Words(&'static [&'static str]),
    /// True or false.
    Bool,
    /// A number; its unit is in the fact's name (`_s` seconds) or its documentation.
    Number,
    /// Free text.
    Text,
    /// A list of `[low, high]` pairs in seconds.
    Schedule,
}

/// A fact's value at one site.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// One word of a closed list.
    Word(&'static str),
    /// True or false.
    Bool(bool),
    /// A number.
    Number(f64),
    /// Free text.
    Text(String),
    /// `[low, high]` pairs in seconds.
    Schedule(Vec<[f64; 2]>),
    /// Not known.
    Unknown,
}

/// One fact of the model.
#[derive(Debug)]
pub struct FactInfo {
    /// Dotted name, as rules and JSON spell it.
    pub name: &'static str,
    /// What values it can have.
    pub kind: FactType,
    value: fn(&Site) -> Value,
    evidence: fn(&Site) -> Option<&Evidence>,
    write: fn(&mut Site, &Value) -> bool,
}

impl FactInfo {
    /// The fact's value at this site.
    pub fn value(&self, site: &Site) -> Value {
        (self.value)(site)
    }

    /// The evidence for it, where it is known and has any.
    pub fn evidence<'s>(&self, site: &'s Site) -> Option<&'s Evidence> {
        (self.evidence)(site)
    }

    /// Gives the fact this value at a made-up site, keeping its evidence; false where the fact cannot have it.
    /// Rules are rehearsed on such sites; `detect` writes the fields themselves.
    pub fn set(&self, site: &mut Site, value: &Value) -> bool {
        (self.write)(site, value)
    }
}

/// The fact of this dotted name.
pub fn fact_info(name: &str) -> Option<&'static FactInfo> {
    FACTS.iter().find(|fact| fact.name == name)
}

fn read<T>(fact: &Fact<T>, to: impl FnOnce(&T) -> Value) -> Value {
    fact.value().map_or(Value::Unknown, to)
}

fn write<T>(fact: &mut Fact<T>, value: &Value, from: impl FnOnce(&Value) -> Option<T>) -> bool {
    if *value == Value::Unknown {
        *fact = Fact::Unknown;
        return true;
    }
    let Some(value) = from(value) else { return false };
    let evidence = fact.evidence().cloned().unwrap_or_default();
    *fact = Fact::Known(value, evidence);
    true
}

/// For the few facts of a site that are never unknown.
fn write_always<T>(field: &mut T, value: Option<T>) -> bool {
    let Some(value) = value else { return false };
    *field = value;
    true
}

fn word<T>(value: &Value, from_word: impl FnOnce(&str) -> Option<T>) -> Option<T> {
    match value {
        Value::Word(word) => from_word(word),
        _ => None,
    }
}

macro_rules! fact {
    ($name:literal, words $words:ident, $($field:ident).+) => {
        FactInfo {
            name: $name,
            kind: FactType::Words($words::WORDS),
            value: |site| read(&site.$($field).+, |word| Value::Word(word.word())),
            evidence: |site| site.$($field).+.evidence(),
            write: |site, value| write(&mut site.$($field).+, value, |value| word(value, $words::from_word)),
        }
    };
    ($name:literal, $kind:ident, $($field:ident).+) => {
        FactInfo {
            name: $name,
            kind: FactType::$kind,
            value: |site| read(&site.$($field).+, |value| Value::$kind(value.clone())),
            evidence: |site| site.$($field).+.evidence(),
            write: |site, value| {
                write(&mut site.$($field).+, value, |value| match value {
                    Value::$kind(value) => Some(value.clone()),
                    _ => None,
                })
            },
        }
    };
}

/// Every fact, in the order in which JSON prints them.
pub const FACTS: &[FactInfo] = &[
    FactInfo {
        name: "kind",
        kind: FactType::Words(Kind::WORDS),
        value: |site| Value::Word(site.kind.word()),
        evidence: |site| site.why.first(),
        write: |site, value| write_always(&mut site.kind, word(value, Kind::from_word)),
    },
    FactInfo {
        name: "in_test",
        kind: FactType::Bool,
        value: |site| Value::Bool(site.in_test),
        evidence: |_| None,
        write: |site, value| {
            let value = if let Value::Bool(value) = value { Some(*value) } else { None };
            write_always(&mut site.in_test, value)
        },
    },
    fact!("operation.text", Text, operation.text),
    fact!("operation.remote", Bool, operation.remote),
    fact!("operation.method", words Method, operation.method),
    fact!("operation.idempotent", Bool, operation.idempotent),
    fact!("operation.background", Bool, operation.background),
    fact!("operation.blocking", Bool, operation.blocking),
    fact!("operation.waits", Bool, operation.waits),
    fact!("operation.consumes", Bool, operation.consumes),
    fact!("operation.stale_input", Bool, operation.stale_input),
    fact!("delay.growth", words Growth, delay.growth),
    fact!("delay.made_elsewhere", Bool, delay.made_elsewhere),
    fact!("delay.jitter", words Jitter, delay.jitter),
    fact!("delay.jitter_share", Number, delay.jitter_share),
    fact!("delay.jitter_clipped", Bool, delay.jitter_clipped),
    fact!("delay.jitter_repeats", Bool, delay.jitter_repeats),
    fact!("delay.jitter_feeds_base", Bool, delay.jitter_feeds_base),
    fact!("delay.jitter_range_may_be_empty", Bool, delay.jitter_range_may_be_empty),
    fact!("delay.first_s", Number, delay.first_s),
    fact!("delay.cap_s", Number, delay.cap_s),
    fact!("delay.largest_s", Number, delay.largest_s),
    fact!("delay.total_s", Number, delay.total_s),
    fact!("delay.capped", Bool, delay.capped),
    fact!("delay.overflows_at", Number, delay.overflows_at),
    fact!("delay.overflow", words Overflow, delay.overflow),
    fact!("delay.blocking_in_async", Bool, delay.blocking_in_async),
    fact!("delay.spins", Bool, delay.spins),
    fact!("delay.after_last", Bool, delay.after_last),
    fact!("delay.skipped_on_some_path", Bool, delay.skipped_on_some_path),
    fact!("delay.holds", Text, delay.holds),
    fact!("delay.server_capped", Bool, delay.server_capped),
    fact!("delay.may_pass_deadline", Bool, delay.may_pass_deadline),
    fact!("delay.unit_mismatch", Bool, delay.unit_mismatch),
    fact!("delay.interval_burst", Bool, delay.interval_burst),
    fact!("attempts.kind", words BoundKind, attempts.kind),
    fact!("attempts.max", Number, attempts.max),
    fact!("attempts.counts", Text, attempts.counts),
    fact!("attempts.off_by_one", Bool, attempts.off_by_one),
    fact!("attempts.timeout", Bool, attempts.timeout),
    fact!("errors.kind", words ErrorKind, errors.kind),
    fact!("errors.retries_4xx", Bool, errors.retries_4xx),
    fact!("errors.retries_permanent", Bool, errors.retries_permanent),
    fact!("errors.stale_connection", Bool, errors.stale_connection),
    fact!("errors.retries_cancelled", Bool, errors.retries_cancelled),
    fact!("errors.honours_retry_after", Bool, errors.honours_retry_after),
    fact!("errors.retries_unanswered", Bool, errors.retries_unanswered),
    fact!("exhaustion.outcome", words Outcome, exhaustion.outcome),
    fact!("exhaustion.last_error", words LastError, exhaustion.last_error),
    fact!("state.reset", words Reset, state.reset),
    fact!("state.rebuilt", Bool, state.rebuilt),
    fact!("state.shared_by", words SharedBy, state.shared_by),
    fact!("cancel.in_scope", Bool, cancel.in_scope),
    fact!("cancel.raced", Bool, cancel.raced),
    fact!("visible", Bool, visible),
    fact!("library.crate", Text, library.krate),
    fact!("library.advisory", Text, library.advisory),
    fact!("breaker", Bool, breaker),
    fact!("nested", Bool, nested),
    fact!("amplification", Number, amplification),
    fact!("schedule", Schedule, schedule),
    FactInfo {
        name: "confidence",
        kind: FactType::Words(Confidence::WORDS),
        value: |site| Value::Word(site.confidence.word()),
        evidence: |_| None,
        write: |site, value| write_always(&mut site.confidence, word(value, Confidence::from_word)),
    },
];
