//! The little of the source that a finding's labels need, as codespan wants it. Codespan prints raw whatever it is given, and whole
//! lines: so it never sees a file, only the lines that labels touch, each cut to 200 columns around them, escapes and tabs resolved.
//! Work and output are bounded by the number of labels, whatever the length of a line.

use super::Sources;
use super::clean::{clean, push_shown, shown_width};
use crate::model::{Label, Place};
use codespan_reporting::diagnostic;
use codespan_reporting::files::{Error, Files};
use std::collections::BTreeMap;
use std::ops::Range;

/// Columns of a line that are shown.
const COLUMNS: usize = 200;
/// Labels of a finding that are drawn; more make a picture that nobody reads, and codespan's work grows with labels times columns.
const LABELS: usize = 12;
const TAB: usize = 4;

/// Lines of some files.
#[derive(Debug, Default)]
pub(super) struct Excerpt {
    files: Vec<File>,
}

#[derive(Debug, Default)]
struct File {
    name: String,
    text: String,
    lines: Vec<Line>,
    /// The column in the real file of each label's start, by its byte in `text`.
    columns: BTreeMap<usize, usize>,
}

#[derive(Debug)]
struct Line {
    /// What codespan counts lines by: neighbours are 1 apart, others more than 2, so that it never asks for a line between.
    index: usize,
    /// As in the real file.
    number: usize,
    range: Range<usize>,
}

/// The lines that these labels touch, and the labels on them. The primary label comes first; each is cut to the end of its first line,
/// so that a loop of 100 lines is shown by its head.
pub(super) fn excerpt(labels: &[Label], sources: &Sources) -> (Excerpt, Vec<diagnostic::Label<usize>>) {
    let drawn = drawn(labels);
    let mut by_file: Vec<(&str, BTreeMap<u32, Vec<usize>>)> = Vec::new();
    for (at, label) in drawn.iter().enumerate() {
        let path = &*label.place.path;
        let known = by_file.iter().position(|(known, _)| *known == path);
        let slot = known.unwrap_or_else(|| {
            by_file.push((path, BTreeMap::new()));
            by_file.len() - 1
        });
        if let Some((_, lines)) = by_file.get_mut(slot) {
            lines.entry(label.place.line.max(1)).or_default().push(at);
        }
    }

    let mut excerpt = Excerpt::default();
    let mut on_excerpt: Vec<Option<diagnostic::Label<usize>>> = vec![None; drawn.len()];
    for (id, (path, lines)) in by_file.into_iter().enumerate() {
        let text = sources.text(path);
        let mut file = File { name: clean(path), ..File::default() };
        for (number, on_line) in lines {
            let labels = on_line.iter().filter_map(|at| drawn.get(*at));
            let spans: Vec<_> = labels.map(|label| on_first_line(text, &label.place)).collect();
            let start = file.push_line(number as usize);
            let ranges = push_cut_line(&mut file.text, text, &spans, text.starts_with('\u{feff}'));
            file.end_line(start);
            for (at, range) in on_line.into_iter().zip(ranges) {
                let (Some(label), Some(slot)) = (drawn.get(at), on_excerpt.get_mut(at)) else { continue };
                file.columns.entry(range.start).or_insert(label.place.column.max(1) as usize);
                let style = if label.primary {
                    diagnostic::LabelStyle::Primary
                } else {
                    diagnostic::LabelStyle::Secondary
                };
                *slot = Some(diagnostic::Label::new(style, id, range).with_message(clean(&label.text)));
            }
        }
        excerpt.files.push(file);
    }
    (excerpt, on_excerpt.into_iter().flatten().collect())
}

/// The labels to draw: the primary first, no label twice, not too many.
fn drawn(labels: &[Label]) -> Vec<&Label> {
    let mut drawn: Vec<&Label> = Vec::new();
    let primary = labels.iter().filter(|label| label.primary);
    for label in primary.chain(labels.iter().filter(|label| !label.primary)) {
        if drawn.len() < LABELS
            && !drawn.iter().any(|known| known.place == label.place && known.text == label.text)
        {
            drawn.push(label);
        }
    }
    drawn
}

impl File {
    /// Begins a line; gives where it starts.
    fn push_line(&mut self, number: usize) -> usize {
        let index = match self.lines.last() {
            Some(last) if number == last.number + 1 => last.index + 1,
            Some(last) => last.index + 3,
            None => 0,
        };
        let start = self.text.len();
        self.lines.push(Line { index, number, range: start..start });
        start
    }

    fn end_line(&mut self, start: usize) {
        self.text.push('\n');
        if let Some(line) = self.lines.last_mut() {
            line.range = start..self.text.len();
        }
    }
}

/// One line as it is shown, cut around a part of it; gives that part's range in what is shown.
pub(super) fn cut_line(line: &str, part: Range<usize>) -> (String, Range<usize>) {
    let mut shown = String::new();
    let ranges = push_cut_line(&mut shown, line, &[part], false);
    (shown, ranges.into_iter().next().unwrap_or_default())
}

/// Adds the line that these spans start on, cut around them; gives each span's range in what was added to.
fn push_cut_line(shown: &mut String, text: &str, spans: &[Range<usize>], has_bom: bool) -> Vec<Range<usize>> {
    let windows = windows(text, spans);
    // Where each character of the file went: its byte there, its range in `shown`.
    let mut map: Vec<(usize, Range<usize>)> = Vec::new();
    let mut columns = 0;
    for window in &windows {
        if !at_line_start(text, window.start) {
            shown.push('…');
            columns += 1;
        }
        for (at, ch) in text.get(window.clone()).unwrap_or_default().char_indices() {
            let from = shown.len();
            let is_bom = has_bom && window.start + at == 0;
            if ch == '\t' {
                let spaces = TAB - columns % TAB;
                shown.extend(std::iter::repeat_n(' ', spaces));
                columns += spaces;
            } else if !is_bom {
                push_shown(shown, ch);
                columns += shown_width(ch);
            }
            map.push((window.start + at, from..shown.len()));
        }
    }
    if windows.last().is_some_and(|window| !at_line_end(text, window.end)) {
        shown.push('…');
    }
    spans.iter().map(|span| shown_range(&map, span, shown.len())).collect()
}

/// Where a span of the file went.
fn shown_range(map: &[(usize, Range<usize>)], span: &Range<usize>, line_end: usize) -> Range<usize> {
    let first = map.partition_point(|(at, _)| *at < span.start);
    let past = map.partition_point(|(at, _)| *at < span.end);
    let start = map.get(first).map_or(line_end, |(_, range)| range.start);
    let end = past.checked_sub(1).and_then(|last| map.get(last)).map_or(start, |(_, range)| range.end);
    start..end.max(start)
}

/// A place's bytes up to the end of its first line; no longer than can be shown, so that nobody searches a line of 10 MB for its end.
fn on_first_line(text: &str, place: &Place) -> Range<usize> {
    let start = boundary(text, place.start_byte as usize);
    let end = boundary(text, (place.end_byte as usize).min(start + 4 * COLUMNS)).max(start);
    let span = text.get(start..end).unwrap_or_default();
    let first = span.split('\n').next().unwrap_or_default();
    // Only a span that goes on after its first line is cut there; a written blank at the end of a whole one stays.
    let kept = if first.len() < span.len() { first.trim_end() } else { first };
    start..start + kept.len()
}

/// The stretches of a line that are shown, in order and apart: the whole line where it is short enough, else what is around each span.
fn windows(text: &str, spans: &[Range<usize>]) -> Vec<Range<usize>> {
    let Some(first) = spans.first() else { return Vec::new() };
    if let Some(whole) = short_line(text, first.start) {
        return vec![whole];
    }
    let share = (COLUMNS / spans.len()).max(16);
    let mut windows: Vec<Range<usize>> = spans
        .iter()
        .map(|span| {
            let head = forward(text, span.start, share / 2);
            let end = if span.end <= head { forward(text, span.end, share / 4) } else { head };
            back(text, span.start, share / 4)..end
        })
        .collect();
    windows.sort_by_key(|window| (window.start, window.end));
    let mut apart: Vec<Range<usize>> = Vec::new();
    for window in windows {
        match apart.last_mut() {
            // A mark for what is left out would be no shorter than these few bytes.
            Some(before) if window.start <= before.end + 3 => before.end = before.end.max(window.end),
            _ => apart.push(window),
        }
    }
    apart
}

/// The whole line around a byte, if it fits.
fn short_line(text: &str, at: usize) -> Option<Range<usize>> {
    let start = back(text, at, COLUMNS);
    let end = forward(text, start, COLUMNS);
    (at_line_start(text, start) && at_line_end(text, end)).then_some(start..end)
}

/// So many columns back in the line.
fn back(text: &str, at: usize, columns: usize) -> usize {
    let mut used = 0;
    let mut from = at;
    for (start, ch) in text.get(..at).unwrap_or_default().char_indices().rev() {
        used += columns_of(ch);
        if ch == '\n' || used > columns {
            break;
        }
        from = start;
    }
    from
}

/// So many columns on in the line.
fn forward(text: &str, at: usize, columns: usize) -> usize {
    let mut used = 0;
    let rest = text.get(at..).unwrap_or_default();
    for (offset, ch) in rest.char_indices() {
        used += columns_of(ch);
        if used > columns || at_line_end(text, at + offset) {
            return at + offset;
        }
    }
    at + rest.len()
}

fn columns_of(ch: char) -> usize {
    if ch == '\t' { TAB } else { shown_width(ch) }
}

fn at_line_start(text: &str, at: usize) -> bool {
    text.get(..at).is_some_and(|before| before.is_empty() || before.ends_with('\n'))
}

fn at_line_end(text: &str, at: usize) -> bool {
    text.get(at..)
        .is_none_or(|after| after.is_empty() || after.starts_with('\n') || after.starts_with("\r\n"))
}

/// The character boundary at or before a byte.
fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl Excerpt {
    fn file(&self, id: usize) -> Result<&File, Error> {
        self.files.get(id).ok_or(Error::FileMissing)
    }
}

impl<'a> Files<'a> for Excerpt {
    type FileId = usize;
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, id: usize) -> Result<&'a str, Error> {
        Ok(&self.file(id)?.name)
    }

    fn source(&'a self, id: usize) -> Result<&'a str, Error> {
        Ok(&self.file(id)?.text)
    }

    fn line_index(&'a self, id: usize, byte: usize) -> Result<usize, Error> {
        let lines = &self.file(id)?.lines;
        let at = lines.partition_point(|line| line.range.start <= byte).saturating_sub(1);
        lines.get(at).map(|line| line.index).ok_or(Error::FileMissing)
    }

    fn line_number(&'a self, id: usize, index: usize) -> Result<usize, Error> {
        self.file(id)?.line(index).map(|line| line.number)
    }

    fn column_number(&'a self, id: usize, _index: usize, byte: usize) -> Result<usize, Error> {
        Ok(self.file(id)?.columns.get(&byte).copied().unwrap_or(1))
    }

    fn line_range(&'a self, id: usize, index: usize) -> Result<Range<usize>, Error> {
        self.file(id)?.line(index).map(|line| line.range.clone())
    }
}

impl File {
    fn line(&self, index: usize) -> Result<&Line, Error> {
        let max = self.lines.last().map_or(0, |line| line.index);
        let found = self.lines.binary_search_by_key(&index, |line| line.index);
        found.ok().and_then(|at| self.lines.get(at)).ok_or(Error::LineTooLarge { given: index, max })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::report::clean::width;
    use crate::report::samples::label;

    /// The lines shown, each with a line of marks below for each label on it.
    fn picture(text: &str, marked: &[&str]) -> Vec<String> {
        let mut sources = Sources::default();
        sources.insert("a.rs".into(), text.to_owned());
        let labels: Vec<Label> = marked.iter().map(|span| label("a.rs", text, span, "", false)).collect();
        let (excerpt, placed) = excerpt(&labels, &sources);
        let file = &excerpt.files[0];
        let mut rows = Vec::new();
        for line in &file.lines {
            rows.push(file.text[line.range.clone()].trim_end_matches('\n').to_owned());
            for label in placed.iter().filter(|label| line.range.contains(&label.range.start)) {
                let before = width(&file.text[line.range.start..label.range.start]);
                rows.push(format!(
                    "{}{}",
                    " ".repeat(before),
                    "^".repeat(width(&file.text[label.range.clone()]))
                ));
            }
        }
        rows
    }

    #[test]
    fn marks_stand_under_what_they_mark() {
        assert_eq!(
            picture("a\n\tlet é = f(\"日本\");\r\nb", &["f(\"日本\")"]),
            ["    let é = f(\"日本\");", "            ^^^^^^^^^"]
        );
        assert_eq!(
            picture("x\t= \u{202e}evil\x1b;", &["\u{202e}evil"]),
            ["x   = \\u{202e}evil\\x1b;", "      ^^^^^^^^^^^^"]
        );
        assert_eq!(picture("\u{feff}loop {}", &["loop"]), ["loop {}", "^^^^"]);
    }

    #[test]
    fn a_span_of_many_lines_is_shown_by_its_first() {
        assert_eq!(
            picture("  loop {  \r\n    f();\n  }\n", &["loop {  \r\n    f();\n  }"]),
            ["  loop {  ", "  ^^^^^^"]
        );
    }

    #[test]
    fn a_long_line_is_cut_around_each_label() {
        let text = format!("{}first{}second{}", "a".repeat(5_000), "b".repeat(5_000), "c".repeat(5_000));
        let rows = picture(&text, &["first", "second"]);
        assert_eq!(rows.len(), 3);
        assert!(width(&rows[0]) <= COLUMNS, "{}", width(&rows[0]));
        let expected =
            format!("…{a}first{b}…{b}second{c}…", a = "a".repeat(25), b = "b".repeat(25), c = "c".repeat(25));
        assert_eq!(rows[0], expected);
        assert_eq!(rows[1].find('^').unwrap(), 26);
        assert_eq!(rows[1].trim().len(), 5);
        assert_eq!(rows[2].trim().len(), 6);
    }

    #[test]
    fn a_label_longer_than_the_line_may_be_is_cut_too() {
        let text = format!("let x = {};", "y".repeat(1_000_000));
        let rows = picture(&text, &[&text[8..1_000_000]]);
        assert!(width(&rows[0]) <= COLUMNS);
        assert!(rows[0].starts_with("let x = yyy") && rows[0].ends_with("y…"));
        assert_eq!(rows[1].trim().len(), 100);
    }

    #[test]
    fn characters_without_width_do_not_escape_the_limit() {
        let text = format!("x{}y", "\u{301}".repeat(1_000_000));
        assert!(picture(&text, &["y"])[0].len() < 1_000);
    }

    #[test]
    fn a_span_at_the_end_or_past_it_is_no_panic() {
        let mut sources = Sources::default();
        sources.insert("a.rs".into(), "é".to_owned());
        for (start, end) in [(0, 0), (1, 1), (2, 2), (1, 2), (2, 1), (7, 9), (u32::MAX, u32::MAX)] {
            let mut marked = label("a.rs", "é", "é", "", true);
            (marked.place.start_byte, marked.place.end_byte) = (start, end);
            let (excerpt, placed) = excerpt(std::slice::from_ref(&marked), &sources);
            assert!(placed[0].range.end <= excerpt.files[0].text.len(), "{start}..{end}");
        }
    }

    #[test]
    fn an_unknown_file_gives_an_empty_line() {
        let (excerpt, placed) = excerpt(&[label("a.rs", "ab", "b", "", true)], &Sources::default());
        assert_eq!(excerpt.files[0].text, "\n");
        assert_eq!(placed[0].range, 0..0);
    }
}
