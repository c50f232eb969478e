//! Whether a file says of itself that a machine wrote it. Only comments near its top count, not what a generator prints further down.

use super::lexer::Token;

/// Lines in which a mark counts.
const HEAD_LINES: usize = 10;
/// Written in two parts, or this file would mark itself.
const MARK: &str = concat!("@", "generated");

/// What the comments near the top have said so far.
#[derive(Debug)]
pub(super) struct Marks {
    head_end: u32,
    automatic: bool,
    not_to_edit: bool,
}

impl Marks {
    pub(super) fn new(text: &str) -> Self {
        let head_end = memchr::memchr_iter(b'\n', text.as_bytes()).nth(HEAD_LINES - 1).unwrap_or(text.len());
        Self { head_end: head_end as u32, automatic: false, not_to_edit: false }
    }

    /// Whether the file is generated, as far as this comment and those before it say.
    pub(super) fn note(&mut self, text: &str, comment: Token) -> bool {
        if comment.start >= self.head_end {
            return false;
        }
        let range = comment.start as usize..comment.end.min(self.head_end) as usize;
        let said = text.get(range).unwrap_or_default();
        let lower = said.to_ascii_lowercase();
        self.automatic |= lower.contains("automatically generated");
        self.not_to_edit |= lower.contains("do not edit");
        said.contains(MARK) || self.automatic && self.not_to_edit
    }
}
