//! The texts that places point into. Kept apart from the engine's files, so that those can be dropped as soon as a crate is done.

use crate::model::{Edit, Place};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Texts by path as shown to the user.
#[derive(Debug, Default)]
pub struct Sources {
    texts: BTreeMap<Arc<str>, String>,
}

impl Sources {
    /// Keeps a file's text.
    pub fn insert(&mut self, path: Arc<str>, text: String) {
        self.texts.insert(path, text);
    }

    /// A file's text; empty where it was not kept.
    pub fn text(&self, path: &str) -> &str {
        self.texts.get(path).map_or("", String::as_str)
    }

    /// The text of a place; empty where it is no range of its file.
    pub fn slice(&self, place: &Place) -> &str {
        self.text(&place.path).get(place.start_byte as usize..place.end_byte as usize).unwrap_or_default()
    }

    /// A place cut to the end of its first line: a loop of 100 lines is pointed at by its head.
    pub(super) fn head(&self, place: &Place) -> Place {
        let mut head = place.clone();
        let Some(first) = self.slice(place).lines().next() else { return head };
        if place.end_line > place.line {
            let first = first.trim_end();
            head.end_line = place.line;
            head.end_column = place.column + first.chars().count() as u32;
            head.end_byte = place.start_byte + first.len() as u32;
        }
        head
    }

    /// Where an edit's bytes are; a file's byte order mark takes no column.
    pub(super) fn place_of(&self, edit: &Edit) -> Place {
        let text = self.text(&edit.path);
        let line_column = |byte: u32| {
            let before = text.get(..byte as usize).unwrap_or_default();
            let start = before.rfind('\n').map_or(0, |newline| newline + 1);
            let on_line = before.get(start..).unwrap_or_default().trim_start_matches('\u{feff}');
            (before.matches('\n').count() as u32 + 1, on_line.chars().count() as u32 + 1)
        };
        let ((line, column), (end_line, end_column)) =
            (line_column(edit.start_byte), line_column(edit.end_byte));
        let (start_byte, end_byte) = (edit.start_byte, edit.end_byte);
        Place { path: edit.path.clone(), line, column, end_line, end_column, start_byte, end_byte }
    }

    /// The lines that a place touches, whole and without their ends. None where its file was not kept.
    pub(super) fn lines(&self, place: &Place) -> impl Iterator<Item = &str> {
        let text = self.text(&place.path);
        let before = text.get(..place.start_byte as usize).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let count = (place.end_line.saturating_sub(place.line) + 1) as usize;
        let lines = text.get(start..).unwrap_or_default().lines().take(count);
        lines.map(|line| line.strip_prefix('\u{feff}').unwrap_or(line))
    }

    /// Takes in another's texts.
    pub fn extend(&mut self, other: Self) {
        self.texts.extend(other.texts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::place;

    #[test]
    fn the_head_of_a_place_ends_with_its_first_line() {
        let text = "\u{feff}fn é() {\r\n    loop {  \r\n        日本();\r\n    }\r\n}\r\n";
        let mut sources = Sources::default();
        sources.insert("a.rs".into(), text.to_owned());
        let whole = place("a.rs", text, "loop {  \r\n        日本();\r\n    }");
        let head = sources.head(&whole);
        assert_eq!((head.line, head.column, head.end_line, head.end_column), (2, 5, 2, 11));
        assert_eq!(sources.slice(&head), "loop {");
        let lines: Vec<&str> = sources.lines(&whole).collect();
        assert_eq!(lines, ["    loop {  ", "        日本();", "    }"]);
        assert_eq!(sources.lines(&place("a.rs", text, "é")).collect::<Vec<_>>(), ["fn é() {"]);
        let elsewhere = Place { path: "b.rs".into(), ..whole };
        assert_eq!(sources.head(&elsewhere), elsewhere);
    }
}
