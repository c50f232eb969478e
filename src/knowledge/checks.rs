//! What serde cannot know of a table: that names are names, paths are paths and numbers are sizes. Whatever could never meet any code is a
//! mistake with its place, because a table that has no effect looks like one that has. Knows no table's meaning.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::paths::Pattern;
use super::table::{Mistake, read};

/// One of these lists has something in it.
pub(super) fn names_something(table: &DeTable<'_>, keys: &[&str], whose: &str) -> Result<(), Mistake> {
    if keys.iter().any(|key| texts(table, key).next().is_some()) {
        return Ok(());
    }
    let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    let what = format!("the {whose} names nothing: {} is missing", keys.join(" or "));
    Err(Mistake { at: None, what, meant: None })
}

/// These lists hold full paths, without `*`.
pub(super) fn are_paths(table: &DeTable<'_>, keys: &[&str]) -> Result<(), Mistake> {
    for (path, at) in keys.iter().flat_map(|key| texts(table, key)) {
        if path.contains('*') {
            return Err(Mistake::new(at, format!("`{path}` is no path: a library's paths are written out")));
        }
        Pattern::parse(path).map_err(|what| Mistake::new(at, what))?;
    }
    Ok(())
}

/// These lists hold names of one segment.
pub(super) fn are_names(table: &DeTable<'_>, keys: &[&str]) -> Result<(), Mistake> {
    let mut all = keys.iter().flat_map(|key| texts(table, key));
    match all.find(|(name, _)| !is_name(name)) {
        Some((_, at)) => Err(Mistake::new(at, "a name of one segment was expected")),
        None => Ok(()),
    }
}

/// These lists hold names with `.` between them.
pub(super) fn are_keys(table: &DeTable<'_>, keys: &[&str]) -> Result<(), Mistake> {
    let mut all = keys.iter().flat_map(|key| texts(table, key));
    match all.find(|(key, _)| !key.split('.').all(is_name)) {
        Some((_, at)) => Err(Mistake::new(at, "names with `.` between them were expected")),
        None => Ok(()),
    }
}

/// These lists hold crates, as code writes them; with `families` also `aws_sdk_*`.
pub(super) fn are_crates(table: &DeTable<'_>, keys: &[&str], families: bool) -> Result<(), Mistake> {
    for (name, at) in keys.iter().flat_map(|key| texts(table, key)) {
        let name = if families { name.strip_suffix('*').unwrap_or(name) } else { name };
        if !is_name(name) {
            let what = match name.replace('-', "_") {
                meant if is_name(&meant) => {
                    format!("`{name}` is a crate's name as code writes it: `{meant}`")
                }
                _ => format!("`{name}` is no crate's name"),
            };
            return Err(Mistake::new(at, what));
        }
    }
    Ok(())
}

/// All lists of the table hold words as the parts of a name are compared: lower case, `_` between them.
pub(super) fn are_words(table: &DeTable<'_>) -> Result<(), Mistake> {
    for (word, at) in table.keys().flat_map(|key| texts(table, key.get_ref())) {
        if !is_name(word) || word.chars().any(char::is_uppercase) {
            return Err(Mistake::new(at, format!("`{word}` is no word: lower case, `_` between its parts")));
        }
    }
    Ok(())
}

/// These are sizes: finite, and not below zero.
pub(super) fn are_sizes(table: &DeTable<'_>, keys: &[&str]) -> Result<(), Mistake> {
    for key in keys {
        let Some(value) = table.get(*key) else { continue };
        let number: f64 = read(value)?;
        if !(number.is_finite() && number >= 0.0) {
            return Err(Mistake::new(value.span(), format!("`{key}` is a number from 0 on, not {number}")));
        }
    }
    Ok(())
}

/// This is a count.
pub(super) fn is_count(table: &DeTable<'_>, key: &str) -> Result<(), Mistake> {
    are_sizes(table, &[key])?;
    let Some(value) = table.get(key) else { return Ok(()) };
    let number: f64 = read(value)?;
    if number.fract() == 0.0 {
        return Ok(());
    }
    Err(Mistake::new(value.span(), format!("`{key}` is a whole number, not {number}")))
}

/// The texts of a list, each with its place.
fn texts<'t>(table: &'t DeTable<'_>, key: &str) -> impl Iterator<Item = (&'t str, Range<usize>)> {
    let list = table.get(key).map(Spanned::get_ref).and_then(DeValue::as_array);
    list.into_iter().flatten().filter_map(|item| Some((item.get_ref().as_str()?, item.span())))
}

pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c == '_' || c.is_alphanumeric())
}
