//! Where the lines of a text that has been edited in memory stand on disk: a revision and whoever compares with it know the disk only.

use super::rewriting::Rewritten;
use similar::{Algorithm, DiffTag, capture_diff_slices};
use std::collections::BTreeMap;
use std::ops::Range;

/// Lines of edited files.
#[derive(Debug, Default)]
pub(super) struct Moved {
    /// In order, by the path that is shown.
    files: BTreeMap<String, Vec<Stretch>>,
}

/// Lines that follow one another.
#[derive(Debug)]
struct Stretch {
    now: Range<u32>,
    on_disk: Range<u32>,
    /// They are the same lines; else some took the place of the others.
    same: bool,
}

impl Moved {
    /// By the edits of these files.
    pub(super) fn by(files: &[Rewritten]) -> Self {
        let files = files.iter().map(|file| (file.shown.clone(), stretches(&file.before, &file.after)));
        Self { files: files.collect() }
    }

    /// The lines on disk of these lines, both included; `None` where all of them are new.
    pub(super) fn on_disk(&self, path: &str, first: u32, last: u32) -> Option<(u32, u32)> {
        let Some(stretches) = self.files.get(path) else { return Some((first, last)) };
        let mut found: Option<(u32, u32)> = None;
        for Stretch { now, on_disk, same } in stretches {
            let (from, to) = (first.max(now.start), last.min(now.end.saturating_sub(1)));
            if from > to || on_disk.is_empty() {
                continue;
            }
            let lines = if *same {
                (on_disk.start + (from - now.start), on_disk.start + (to - now.start))
            } else {
                (on_disk.start, on_disk.end - 1)
            };
            found = Some(found.map_or(lines, |(start, _)| (start, lines.1)));
        }
        found
    }
}

fn stretches(before: &str, after: &str) -> Vec<Stretch> {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let from_one = |lines: Range<usize>| lines.start as u32 + 1..lines.end as u32 + 1;
    capture_diff_slices(Algorithm::Myers, &old, &new)
        .iter()
        .map(|op| {
            let (tag, olds, news) = op.as_tag_tuple();
            Stretch { now: from_one(news), on_disk: from_one(olds), same: tag == DiffTag::Equal }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_as_they_are_on_disk() {
        let file = Rewritten {
            path: "a.rs".into(),
            shown: "a.rs".to_owned(),
            before: "a\nb\nc\nd\n".to_owned(),
            after: "a\nnew\nb\nC1\nC2\nd\n".to_owned(),
            fixes: 1,
            manifest: None,
        };
        let moved = Moved::by(&[file]);
        let on_disk = |first, last| moved.on_disk("a.rs", first, last);
        assert_eq!(on_disk(1, 1), Some((1, 1)));
        assert_eq!(on_disk(2, 2), None);
        assert_eq!(on_disk(2, 3), Some((2, 2)));
        assert_eq!(on_disk(4, 4), Some((3, 3)));
        assert_eq!(on_disk(6, 6), Some((4, 4)));
        assert_eq!(on_disk(1, 6), Some((1, 4)));
        assert_eq!(moved.on_disk("b.rs", 7, 9), Some((7, 9)));
    }
}
