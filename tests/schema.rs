//! The JSON schema of the configuration is what the list of keys makes of it, and says of files what reading them says.
//!
//! `UPDATE_SCHEMA=1 cargo test --test schema` writes it anew.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use retry_lint::rules::Rules;
use retry_lint::settings::{KEYS, schema};
use std::path::Path;

const FILE: &str = "schema/retry-lint.schema.json";

#[test]
fn it_is_up_to_date() {
    let rules = Rules::builtin().unwrap();
    let made = schema(rules.iter().map(|rule| rule.name.as_str()));
    let made = format!("{}\n", serde_json::to_string_pretty(&made).unwrap());
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    if std::env::var_os("UPDATE_SCHEMA").is_some_and(|value| value == "1") {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, made).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(file).unwrap().replace("\r\n", "\n");
    assert_eq!(kept, made, "{FILE} differs; UPDATE_SCHEMA=1 writes it anew");
}

#[test]
fn it_has_every_key_and_no_other() {
    let made = schema([]);
    let properties = made.get("properties").and_then(serde_json::Value::as_object).unwrap();
    let keys: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
    assert_eq!(properties.keys().map(String::as_str).collect::<Vec<_>>(), keys);
    assert_eq!(made.get("additionalProperties"), Some(&false.into()));
    for (name, property) in properties {
        let about = property.get("description").and_then(serde_json::Value::as_str);
        assert!(about.is_some_and(|about| about.ends_with('.')), "{name}");
    }
}
