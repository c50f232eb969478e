//! The configuration as a JSON schema, for editors: made from the list of keys, so that the two cannot differ.

use super::keys::{KEYS, Key, Kind, LEVELS};
use crate::model::{Group, LIMITS, Measure};
use serde_json::{Map, Value, json};

/// The schema; `rules` are offered as names, but others are allowed: there may be own ones.
pub fn schema<'r>(rules: impl IntoIterator<Item = &'r str>) -> Value {
    let names: Vec<&str> = Group::WORDS.iter().copied().chain(rules).collect();
    let properties: Map<String, Value> =
        KEYS.iter().map(|key| (key.name.to_owned(), property(key, &names))).collect();
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "retry-lint.toml",
        "description": "The configuration of retry-lint",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    })
}

fn property(key: &Key, names: &[&str]) -> Value {
    let mut made = Map::new();
    made.insert("description".to_owned(), key.about.into());
    made.extend(of_kind(key.kind, names));
    Value::Object(made)
}

fn of_kind(kind: Kind, names: &[&str]) -> Map<String, Value> {
    let made = match kind {
        Kind::Switch => json!({ "type": "boolean" }),
        Kind::Word(words) => json!({ "enum": words }),
        Kind::Globs | Kind::Paths => {
            json!({ "type": "array", "items": { "type": "string", "minLength": 1 } })
        }
        Kind::Levels => levels(names),
        Kind::Limits => {
            let limits: Map<String, Value> =
                LIMITS.iter().map(|limit| (limit.name.to_owned(), of_measure(limit.measure))).collect();
            json!({ "type": "object", "additionalProperties": false, "properties": limits })
        }
        Kind::Overrides => json!({
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": false,
                "required": ["paths", "levels"],
                "properties": {
                    "paths": { "type": "array", "minItems": 1, "items": { "type": "string", "minLength": 1 } },
                    "levels": levels(names),
                },
            },
        }),
    };
    if let Value::Object(made) = made { made } else { Map::new() }
}

fn levels(names: &[&str]) -> Value {
    let level = json!({ "enum": LEVELS });
    let offered: Map<String, Value> = names.iter().map(|name| ((*name).to_owned(), level.clone())).collect();
    json!({ "type": "object", "properties": offered, "additionalProperties": level })
}

fn of_measure(measure: Measure) -> Value {
    match measure {
        Measure::Count => json!({ "type": "integer", "minimum": 1 }),
        Measure::Seconds => json!({
            "anyOf": [
                { "type": "number", "exclusiveMinimum": 0 },
                { "type": "string", "pattern": "^\\s*[0-9]+(\\.[0-9]+)?\\s*(ms|s|m|min|h|d)\\s*$" },
            ],
        }),
    }
}
