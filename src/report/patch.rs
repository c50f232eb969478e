//! A fix as lines: those that go, those that come, and a little around them. Worked out from the edits alone: the rest of the file is not
//! looked at, however long it is. It knows nothing of how that is shown.

use crate::model::{Edit, Fix, edited};
use similar::{Algorithm, DiffTag, capture_diff_slices};
use std::ops::Range;

/// Bytes of touched lines that are compared; a fix that touches more is told by its title alone.
const LARGEST: usize = 64 << 10;

/// What becomes of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Kept,
    Removed,
    Added,
}

impl Fate {
    /// The mark of a unified diff.
    pub(super) fn mark(self) -> char {
        match self {
            Self::Kept => ' ',
            Self::Removed => '-',
            Self::Added => '+',
        }
    }
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) fate: Fate,
    /// From 1, in the file as it is; an added one has none there.
    pub(super) number: Option<u32>,
    /// Without its end.
    pub(super) text: String,
    /// The bytes in which it differs from the line that it goes or comes for; all of it where there is none.
    pub(super) changed: Range<usize>,
}

/// Lines that follow one another.
pub(super) type Hunk = Vec<Row>;

/// What a fix changes of its file's text, with so many lines around it; nothing where the edits do not fit the text.
pub(super) fn hunks(fix: &Fix, text: &str, around: usize) -> Vec<Hunk> {
    let Some(stretches) = stretches(&fix.edits, text) else { return Vec::new() };
    let mut hunks: Vec<Hunk> = Vec::new();
    let mut at = 0;
    let mut numbers = Numbers { next: 1 };
    for stretch in stretches {
        let (Some(between), Some(old)) = (text.get(at..stretch.bytes.start), text.get(stretch.bytes.clone()))
        else {
            return Vec::new();
        };
        let Some(new) = edited(old, stretch.bytes.start as u32, stretch.edits) else { return Vec::new() };
        let lines = between.matches('\n').count();
        let after = if hunks.is_empty() { 0 } else { around };
        if hunks.is_empty() || lines > 2 * around {
            hunks.last_mut().into_iter().for_each(|last| numbers.keep(last, between, after));
            let skipped = lines.saturating_sub(after + around);
            numbers.next += skipped as u32;
            let from: usize = between
                .split_inclusive('\n')
                .rev()
                .take(lines - skipped - after.min(lines))
                .map(str::len)
                .sum();
            let mut hunk = Hunk::new();
            numbers.keep(&mut hunk, between.get(between.len() - from..).unwrap_or_default(), around);
            hunks.push(hunk);
        } else if let Some(last) = hunks.last_mut() {
            numbers.keep(last, between, lines);
        }
        if let Some(last) = hunks.last_mut() {
            numbers.change(last, old, &new);
        }
        at = stretch.bytes.end;
    }
    if let Some(last) = hunks.last_mut() {
        numbers.keep(last, text.get(at..).unwrap_or_default(), around);
    }
    hunks.iter().flat_map(|hunk| near(hunk, around)).collect()
}

/// The rows that are no farther than so many from one that changes: an edit may touch lines that stay as they are.
fn near(hunk: &[Row], around: usize) -> Vec<Hunk> {
    let is_near = |at: usize| {
        let window = hunk.get(at.saturating_sub(around)..hunk.len().min(at + around + 1));
        window.is_some_and(|rows| rows.iter().any(|row| row.fate != Fate::Kept))
    };
    let mut kept: Vec<Hunk> = Vec::new();
    let mut goes_on = false;
    for (at, row) in hunk.iter().enumerate() {
        if is_near(at) {
            if !goes_on {
                kept.push(Hunk::new());
            }
            kept.last_mut().into_iter().for_each(|hunk| hunk.push(row.clone()));
        }
        goes_on = is_near(at);
    }
    kept
}

/// Whole lines that some edits touch.
struct Stretch<'f> {
    bytes: Range<usize>,
    edits: &'f [Edit],
}

/// The lines that the edits touch, each once; `None` where they do not fit the text, or are too many.
fn stretches<'f>(edits: &'f [Edit], text: &str) -> Option<Vec<Stretch<'f>>> {
    let mut found: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    for (number, edit) in edits.iter().enumerate() {
        let (start, end) = (edit.start_byte as usize, edit.end_byte as usize);
        let first = text.get(..start)?.rfind('\n').map_or(0, |newline| newline + 1);
        let last = text.get(end..)?.find('\n').map_or(text.len(), |newline| end + newline + 1);
        match found.last_mut() {
            Some((bytes, of)) if first < bytes.end => {
                *bytes = bytes.start..last.max(bytes.end);
                of.end = number + 1;
            }
            _ => found.push((first..last, number..number + 1)),
        }
    }
    let written: usize = edits.iter().map(|edit| edit.replacement.len()).sum();
    let touched: usize = found.iter().map(|(bytes, _)| bytes.len()).sum();
    if written + touched > LARGEST {
        return None;
    }
    found.into_iter().map(|(bytes, of)| Some(Stretch { bytes, edits: edits.get(of)? })).collect()
}

/// The number of the next line.
struct Numbers {
    next: u32,
}

impl Numbers {
    /// The first lines of a text, at most so many.
    fn keep(&mut self, hunk: &mut Hunk, text: &str, most: usize) {
        for line in text.split_inclusive('\n').take(most) {
            self.push(hunk, Fate::Kept, without_end(line), None);
        }
    }

    fn change(&mut self, hunk: &mut Hunk, old: &str, new: &str) {
        let old: Vec<&str> = old.split_inclusive('\n').map(without_end).collect();
        let new: Vec<&str> = new.split_inclusive('\n').map(without_end).collect();
        for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
            let (tag, olds, news) = op.as_tag_tuple();
            let (olds, news) = (old.get(olds).unwrap_or_default(), new.get(news).unwrap_or_default());
            if tag == DiffTag::Equal {
                for line in olds {
                    self.push(hunk, Fate::Kept, line, None);
                }
                continue;
            }
            let parts: Vec<_> = olds.iter().zip(news).map(|(old, new)| differing(old, new)).collect();
            for (at, line) in olds.iter().enumerate() {
                self.push(hunk, Fate::Removed, line, parts.get(at).map(|part| part.0.clone()));
            }
            for (at, line) in news.iter().enumerate() {
                self.push(hunk, Fate::Added, line, parts.get(at).map(|part| part.1.clone()));
            }
        }
    }

    fn push(&mut self, hunk: &mut Hunk, fate: Fate, line: &str, changed: Option<Range<usize>>) {
        let number = (fate != Fate::Added).then_some(self.next);
        self.next += u32::from(fate != Fate::Added);
        let changed = changed.unwrap_or(0..line.len());
        hunk.push(Row { fate, number, text: line.to_owned(), changed });
    }
}

/// A line without its end; a byte order mark is no part of it.
fn without_end(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    line.strip_prefix('\u{feff}').unwrap_or(line)
}

/// Where two lines differ: all between what they begin and end with alike.
fn differing(old: &str, new: &str) -> (Range<usize>, Range<usize>) {
    let alike = |pair: &(char, char)| pair.0 == pair.1;
    let before: usize = old.chars().zip(new.chars()).take_while(alike).map(|(ch, _)| ch.len_utf8()).sum();
    let rests = (old.get(before..).unwrap_or_default(), new.get(before..).unwrap_or_default());
    let pairs = rests.0.chars().rev().zip(rests.1.chars().rev());
    let after: usize = pairs.take_while(alike).map(|(ch, _)| ch.len_utf8()).sum();
    (before..old.len() - after, before..new.len() - after)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::model::Safety;

    fn fix(edits: &[(usize, usize, &str)]) -> Fix {
        let edit = |&(start, end, text): &(usize, usize, &str)| Edit {
            path: "a.rs".into(),
            start_byte: start as u32,
            end_byte: end as u32,
            replacement: text.to_owned(),
        };
        let edits = edits.iter().map(edit).collect();
        Fix { title: String::new(), safety: Safety::Safe, edits, needs: None }
    }

    /// `3-old` or `+new` for each line, `…` between hunks.
    fn picture(text: &str, edits: &[(usize, usize, &str)], around: usize) -> Vec<String> {
        let hunks = hunks(&fix(edits), text, around);
        let number = |row: &Row| row.number.map_or_else(String::new, |number| number.to_string());
        let shown = |row: &Row| format!("{}{}{}", number(row), row.fate.mark(), row.text);
        let hunks: Vec<Vec<String>> = hunks.iter().map(|hunk| hunk.iter().map(shown).collect()).collect();
        hunks.join(&"…".to_owned())
    }

    const TEN: &str = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj";

    #[test]
    fn lines_that_go_and_come_with_their_numbers() {
        assert_eq!(picture(TEN, &[(4, 5, "C")], 1), ["2 b", "3-c", "+C", "4 d"]);
        assert_eq!(picture(TEN, &[(4, 4, "new\n")], 1), ["2 b", "+new", "3 c"]);
        assert_eq!(picture(TEN, &[(4, 6, "")], 1), ["2 b", "3-c", "4 d"]);
        assert_eq!(picture(TEN, &[(18, 19, "J")], 2), ["8 h", "9 i", "10-j", "+J"]);
        assert_eq!(picture(TEN, &[(0, 1, "A")], 0), ["1-a", "+A"]);
    }

    #[test]
    fn what_is_far_apart_is_shown_apart() {
        let two = [(2, 2, "new\n"), (14, 15, "H")];
        assert_eq!(picture(TEN, &two, 1), ["1 a", "+new", "2 b", "…", "7 g", "8-h", "+H", "9 i"]);
        assert_eq!(picture(TEN, &[(4, 5, "C"), (8, 9, "E")], 1).join(" "), "2 b 3-c +C 4 d 5-e +E 6 f");
        assert_eq!(picture(TEN, &[(4, 5, "C"), (6, 7, "D")], 0), ["3-c", "+C", "4-d", "+D"]);
        assert_eq!(picture(TEN, &[(4, 5, "C"), (10, 11, "F")], 0), ["3-c", "+C", "…", "6-f", "+F"]);
    }

    #[test]
    fn edits_on_one_line_are_one_change() {
        let rows = &hunks(&fix(&[(0, 0, "<"), (3, 3, ">")]), "日本\r\nx", 0)[0];
        assert_eq!(rows.len(), 2);
        assert_eq!((rows[0].text.as_str(), rows[1].text.as_str()), ("日本", "<日>本"));
        assert_eq!((rows[0].changed.clone(), rows[1].changed.clone()), (0..3, 0..5));
    }

    #[test]
    fn edits_that_do_not_fit_show_nothing() {
        for edits in [&[(1, 2, "")][..], &[(0, 9, "")], &[(3, 0, "")], &[(0, 3, ""), (0, 3, "")]] {
            assert!(hunks(&fix(edits), "日本", 1).is_empty(), "{edits:?}");
        }
        assert!(hunks(&fix(&[(0, 0, "x")]), &"a".repeat(LARGEST), 1).is_empty());
    }
}
