//! Values of a configuration, typed: each is what its key asks for, or an error with its place.
//! Names of rules are not checked here: which there are is known only when the pages are loaded.

use super::config::Source;
use super::error::ConfigError;
use super::globs::Globs;
use crate::model::{LimitInfo, Measure};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value, and where it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set<T> {
    /// The value.
    pub value: T,
    /// Its bytes in the file.
    pub at: Range<usize>,
}

pub(super) type Value<'i> = Spanned<DeValue<'i>>;

impl Source {
    /// What a value should have been.
    pub(super) fn mismatch(&self, key: &str, wanted: &str, value: &Value) -> ConfigError {
        let what = format!("`{key}` is {wanted}, not {}", in_words(value.get_ref()));
        self.error(&value.span(), what)
    }

    pub(super) fn switch(&self, key: &str, value: &Value) -> Result<Set<bool>, ConfigError> {
        let Some(yes) = value.get_ref().as_bool() else {
            return Err(self.mismatch(key, "true or false", value));
        };
        Ok(Set { value: yes, at: value.span() })
    }

    pub(super) fn word<T>(
        &self,
        key: &str,
        words: &[&str],
        value: &Value,
        from_word: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Set<T>, ConfigError> {
        let one_of = format!("one of {}", words.join(", "));
        let Some(word) = value.get_ref().as_str() else {
            return Err(self.mismatch(key, &one_of, value));
        };
        let known = words.contains(&word).then(|| from_word(word)).flatten();
        known.map(|known| Set { value: known, at: value.span() }).ok_or_else(|| {
            let what = format!("`{key}` is {one_of}, not `{word}`");
            self.error(&value.span(), what).or_meant(word, words.iter().copied())
        })
    }

    pub(super) fn texts(&self, key: &str, of: &str, value: &Value) -> Result<Vec<Set<String>>, ConfigError> {
        let Some(items) = value.get_ref().as_array() else {
            return Err(self.mismatch(key, &format!("a list of {of}"), value));
        };
        let text = |item: &Value| match item.get_ref().as_str() {
            Some(text) => Ok(Set { value: text.to_owned(), at: item.span() }),
            None => Err(self.mismatch(key, &format!("a list of {of}"), item)),
        };
        items.iter().map(text).collect()
    }

    pub(super) fn globs(&self, key: &str, value: &Value) -> Result<Globs, ConfigError> {
        let written = self.texts(key, "globs", value)?;
        let globs = written.iter().map(|glob| glob.value.clone()).collect();
        Globs::new(globs, value.span()).map_err(|(index, why)| {
            let at = written.get(index).map_or_else(|| value.span(), |glob| glob.at.clone());
            let glob = written.get(index).map(|glob| glob.value.as_str()).unwrap_or_default();
            self.error(&at, format!("`{glob}` {why}"))
        })
    }

    pub(super) fn table<'v, 'i>(
        &self,
        key: &str,
        of: &str,
        value: &'v Value<'i>,
    ) -> Result<&'v DeTable<'i>, ConfigError> {
        value.get_ref().as_table().ok_or_else(|| self.mismatch(key, &format!("a table of {of}"), value))
    }

    pub(super) fn limit(&self, limit: &LimitInfo, value: &Value) -> Result<f64, ConfigError> {
        let name = limit.name;
        let (wanted, read) = match limit.measure {
            Measure::Count => ("a whole number from 1", count(value.get_ref())),
            Measure::Seconds => (
                "a duration, as \"30s\", \"500ms\", \"2min\" or a number of seconds",
                seconds(value.get_ref()),
            ),
        };
        if let Some(read) = read {
            return Ok(read);
        }
        Err(match value.get_ref() {
            DeValue::String(text) => {
                self.error(&value.span(), format!("`{name}` is {wanted}, not \"{text}\""))
            }
            DeValue::Integer(_) | DeValue::Float(_) => {
                self.error(&value.span(), format!("`{name}` is {wanted}, and larger than 0"))
            }
            _ => self.mismatch(name, wanted, value),
        })
    }
}

fn count(value: &DeValue) -> Option<f64> {
    let DeValue::Integer(number) = value else { return None };
    let number = u32::from_str_radix(number.as_str(), number.radix()).ok()?;
    (number > 0).then_some(f64::from(number))
}

/// Seconds of a duration; `None` for what is none, or not larger than 0.
fn seconds(value: &DeValue) -> Option<f64> {
    let seconds = match value {
        DeValue::Integer(number) if number.radix() == 10 => number.as_str().parse().ok()?,
        DeValue::Float(number) => number.as_str().parse().ok()?,
        DeValue::String(text) => duration(text)?,
        _ => return None,
    };
    (f64::is_finite(seconds) && seconds > 0.0).then_some(seconds)
}

fn duration(text: &str) -> Option<f64> {
    let text = text.trim();
    let unit_at = text.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
    let (number, unit) = text.split_at_checked(unit_at)?;
    let unit = match unit.trim_start() {
        "ms" => 0.001,
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * unit)
}

fn in_words(value: &DeValue) -> &'static str {
    match value {
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
    }
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn durations_have_a_unit() {
        for (text, seconds) in [
            ("30s", Some(30.0)),
            ("500 ms", Some(0.5)),
            ("2min", Some(120.0)),
            ("1.5h", Some(5400.0)),
            ("1d", Some(86_400.0)),
            ("30", None),
            ("s", None),
            ("-1s", None),
            ("1.2.3s", None),
            ("1 fortnight", None),
            ("", None),
        ] {
            assert_eq!(duration(text), seconds, "{text}");
        }
    }
}
