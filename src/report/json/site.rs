//! A site as an object: its place, every fact of the model's table nested by its dotted name, and what shows each.

use super::{wire_chain, wire_evidence, wire_place};
use crate::model::{Evidence, FACTS, FactInfo, FactType, Site, Value as FactValue};
use serde::Serialize;
use serde_json::{Map, Value};

/// A site. New facts come in through the table, without a change here.
pub(super) fn site_object(site: &Site) -> Value {
    let mut object = match json(&wire_place(&site.place)) {
        Value::Object(object) => object,
        _ => Map::new(),
    };
    object.insert("function".to_owned(), Value::String(site.function.clone()));
    for fact in FACTS {
        insert(&mut object, fact.name, fact_value(fact, site));
    }
    object.insert("reasons".to_owned(), json(&site.reasons));
    let assumed: Vec<_> = site.assumed.iter().map(|assumed| wire_evidence(&assumed.evidence)).collect();
    object.insert("assumed".to_owned(), json(&assumed));
    let why: Vec<_> = site.why.iter().map(wire_evidence).collect();
    object.insert("why".to_owned(), json(&why));
    let chain: Vec<_> = site.chain.iter().map(wire_chain).collect();
    object.insert("chain".to_owned(), json(&chain));
    object.insert("evidence".to_owned(), Value::Object(evidence(site)));
    Value::Object(object)
}

/// What shows each fact, by the fact's dotted name.
fn evidence(site: &Site) -> Map<String, Value> {
    let says = |evidence: &&Evidence| evidence.place.is_some() || !evidence.text.is_empty();
    FACTS
        .iter()
        .filter_map(|fact| {
            Some((fact.name.to_owned(), json(&wire_evidence(fact.evidence(site).filter(says)?))))
        })
        .collect()
}

/// Puts `delay.growth` into the object `delay`; the table's names are one or two words long.
fn insert(object: &mut Map<String, Value>, name: &str, value: Value) {
    let Some((group, rest)) = name.split_once('.') else {
        object.insert(name.to_owned(), value);
        return;
    };
    let group = object.entry(group).or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(inner) = group {
        inner.insert(rest.to_owned(), value);
    }
}

fn fact_value(fact: &FactInfo, site: &Site) -> Value {
    match fact.value(site) {
        FactValue::Word(word) => Value::String(word.to_owned()),
        FactValue::Bool(value) => Value::Bool(value),
        FactValue::Number(value) => number(value),
        FactValue::Text(text) => Value::String(text),
        FactValue::Schedule(delays) => {
            delays.into_iter().map(|[low, high]| Value::Array(vec![number(low), number(high)])).collect()
        }
        FactValue::Unknown => match fact.kind {
            FactType::Words(_) => Value::String("unknown".to_owned()),
            _ => Value::Null,
        },
    }
}

/// A number as people write it: `4`, not `4.0`; null where JSON has no such number.
pub(super) fn number(value: f64) -> Value {
    // Beyond 2^53 a float no longer tells neighbours apart, and an integer would pretend to.
    if value.fract() == 0.0 && value.abs() < 9e15 {
        return Value::from(value as i64);
    }
    serde_json::Number::from_f64(value).map_or(Value::Null, Value::Number)
}

/// Plain data of this module's own: it always has a JSON form.
fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::model::{Fact, Growth, Kind};
    use crate::report::samples::place;

    #[test]
    fn every_fact_is_there_and_unknown_is_no_value() {
        let site = Site::new(place("a.rs", "loop {}", "loop {}"), String::new(), Kind::Retry);
        let object = site_object(&site);
        for fact in FACTS {
            let pointer = format!("/{}", fact.name.replace('.', "/"));
            let value = object.pointer(&pointer);
            match fact.kind {
                _ if fact.value(&site) != FactValue::Unknown => assert!(value.is_some(), "{pointer}"),
                FactType::Words(_) => assert_eq!(value, Some(&Value::from("unknown")), "{pointer}"),
                _ => assert_eq!(value, Some(&Value::Null), "{pointer}"),
            }
        }
    }

    #[test]
    fn numbers_are_finite_and_whole_where_they_are() {
        assert_eq!(number(4.0).to_string(), "4");
        assert_eq!(number(0.25).to_string(), "0.25");
        assert_eq!(number(-0.0).to_string(), "0");
        assert_eq!(number(f64::NAN), Value::Null);
        assert_eq!(number(f64::INFINITY), Value::Null);
        assert_eq!(number(1e300).to_string(), "1e+300");
    }

    #[test]
    fn evidence_is_listed_where_it_says_something() {
        let mut site = Site::new(place("a.rs", "loop {}", "loop {}"), String::new(), Kind::Retry);
        site.delay.growth = Fact::Known(Growth::Constant, Evidence::words("no other wait"));
        site.delay.capped = Fact::known(true);
        let object = site_object(&site);
        assert_eq!(object["evidence"]["delay.growth"]["text"], "no other wait");
        assert_eq!(object["evidence"]["delay.growth"]["line"], Value::Null);
        assert!(object["evidence"].get("delay.capped").is_none());
    }
}
