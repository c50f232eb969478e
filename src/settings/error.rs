//! What is wrong with a configuration, with its place: whoever wrote it should not have to look for it.
//! Which of the names that would have been right is meant, the command line says.

use std::ops::Range;

/// What is wrong, where, and what could have been meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The file, as it is shown.
    pub file: String,
    /// Where in it; none where it is about the file as a whole.
    pub at: Option<Box<Excerpt>>,
    /// What is wrong, in words.
    pub what: String,
    /// The name written and those that it could have been.
    pub meant: Option<Box<(String, Vec<String>)>>,
    /// What to do about it.
    pub help: Option<String>,
}

/// Some characters of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The line, 1-based.
    pub line: usize,
    /// The first of the characters, 1-based.
    pub column: usize,
    /// The one after the last.
    pub end_column: usize,
    /// The whole line.
    pub text: String,
}

impl ConfigError {
    /// About a file as a whole.
    pub(super) fn whole(file: &str, what: impl Into<String>) -> Self {
        Self { file: file.to_owned(), at: None, what: what.into(), meant: None, help: None }
    }

    /// About some bytes of it.
    pub(super) fn at(file: &str, text: &str, at: &Range<usize>, what: impl Into<String>) -> Self {
        Self { at: Some(Box::new(excerpt(text, at))), ..Self::whole(file, what) }
    }

    /// A name that is none of these.
    pub(super) fn or_meant<'n>(mut self, written: &str, valid: impl IntoIterator<Item = &'n str>) -> Self {
        let valid = valid.into_iter().map(str::to_owned).collect();
        self.meant = Some(Box::new((written.to_owned(), valid)));
        self
    }

    /// What to do about it.
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// A range that goes on below its first line is cut there.
fn excerpt(text: &str, at: &Range<usize>) -> Excerpt {
    let before = text.get(..at.start).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = text.get(start..).unwrap_or_default().lines().next().unwrap_or_default();
    let column = text.get(start..at.start).unwrap_or_default().chars().count() + 1;
    let inside = text.get(at.clone()).unwrap_or_default().lines().next().unwrap_or_default();
    Excerpt {
        line: before.matches('\n').count() + 1,
        column,
        end_column: column + inside.chars().count().max(1),
        text: line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_characters_and_stay_on_their_line() {
        let text = "a = 1\né = \"ö\nx\"\n";
        let at = |range| {
            let found = excerpt(text, &range);
            (found.line, found.column, found.end_column)
        };
        assert_eq!(at(0..1), (1, 1, 2));
        assert_eq!(at(6..8), (2, 1, 2));
        assert_eq!(at(11..16), (2, 5, 7));
        assert_eq!(at(99..100), (4, 1, 2));
    }
}
