//! Edits of one text: put in order, held against one another, applied. They know nothing of what they say.

use crate::body::Span;
use crate::model::{Edit, Site, edited};
use std::collections::BTreeSet;
use std::sync::Arc;

/// An edit that replaces a stretch.
pub(super) fn replace(path: &Arc<str>, span: Span, replacement: impl Into<String>) -> Edit {
    Edit { path: path.clone(), start_byte: span.start, end_byte: span.end, replacement: replacement.into() }
}

/// An edit that puts something before a byte.
pub(super) fn insert(path: &Arc<str>, at: u32, text: impl Into<String>) -> Edit {
    replace(path, Span { start: at, end: at }, text)
}

/// Of some changes, each of a site, those that can be applied together, the first before the next: one a site, none at the same bytes as
/// another. By their positions.
pub(super) fn together<'e>(changes: impl Iterator<Item = (&'e Site, &'e [Edit])>) -> Vec<usize> {
    let mut taken: Vec<usize> = Vec::new();
    let mut sites: BTreeSet<(&str, u32)> = BTreeSet::new();
    let mut edits: Vec<&Edit> = Vec::new();
    for (at, (site, its)) in changes.enumerate() {
        let apart = its.iter().all(|edit| edits.iter().all(|other| !edit.touches(other)));
        if apart && sites.insert((&*site.place.path, site.place.start_byte)) {
            edits.extend(its);
            taken.push(at);
        }
    }
    taken
}

/// The text with these edits, in any order; `None` where they overlap one another or leave the text.
pub(super) fn apply(text: &str, edits: &[&Edit]) -> Option<String> {
    let mut edits = edits.to_vec();
    edits.sort_by_key(|edit| (edit.start_byte, edit.end_byte));
    edited(text, 0, edits)
}

/// Where a byte lies once these edits are applied. What is inserted at it comes before it.
pub(super) fn moved(byte: u32, edits: &[&Edit]) -> i64 {
    edits
        .iter()
        .filter(|edit| edit.end_byte <= byte)
        .map(|edit| i64::from(edit.replacement.len() as u32) - i64::from(edit.end_byte - edit.start_byte))
        .sum::<i64>()
        + i64::from(byte)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_applied_in_the_order_of_the_text() {
        let path: Arc<str> = "a.rs".into();
        let edits = [insert(&path, 6, "!"), replace(&path, Span { start: 0, end: 1 }, "H")];
        let all: Vec<&Edit> = edits.iter().collect();
        assert_eq!(apply("hello world", &all).unwrap(), "Hello !world");
        assert_eq!(moved(6, &all), 7);
        assert_eq!(moved(5, &all), 5);
    }

    #[test]
    fn edits_that_touch_are_not_both_applied() {
        let path: Arc<str> = "a.rs".into();
        let one = replace(&path, Span { start: 0, end: 4 }, "x");
        assert!(one.touches(&insert(&path, 4, "y")));
        assert!(!one.touches(&insert(&path, 5, "y")));
        assert!(!one.touches(&insert(&"b.rs".into(), 1, "y")));
        let two = replace(&path, Span { start: 2, end: 6 }, "z");
        assert_eq!(apply("hello world", &[&one, &two]), None);
        assert_eq!(apply("h", &[&one]), None);
    }
}
