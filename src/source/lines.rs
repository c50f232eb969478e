//! Bytes to lines and columns. A lookup is bounded even in a file that is one line of ten megabytes.

use memchr::memchr_iter;

/// Bytes between two counts of characters: what a lookup counts at most, twice.
const STEP: usize = 4096;
const BOM: &str = "\u{feff}";

/// Where the lines of a text begin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// First byte of each line but the first.
    starts: Vec<u32>,
    /// Characters before each multiple of `STEP`; empty where the text is ASCII and characters are bytes.
    chars: Vec<u32>,
}

impl Lines {
    /// The lines of a text, ended by `\n` or `\r\n`.
    pub fn new(text: &str) -> Self {
        let starts = memchr_iter(b'\n', text.as_bytes()).map(|newline| newline as u32 + 1).collect();
        if text.is_ascii() {
            return Self { starts, chars: Vec::new() };
        }
        let mut before = 0;
        let chars = text.as_bytes().chunks(STEP).map(|chunk| {
            let first = before;
            before += count_chars(chunk);
            first
        });
        Self { starts, chars: chars.collect() }
    }

    /// Line and column of a byte, both from 1, columns in characters; a byte order mark takes no column. A byte inside a character means that
    /// character, one behind the text its end. `text` must be the text that this was made of.
    pub fn line_column(&self, text: &str, byte: u32) -> (u32, u32) {
        let mut at = (byte as usize).min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let earlier = self.starts.partition_point(|&start| start as usize <= at);
        let line_start = earlier.checked_sub(1).and_then(|last| self.starts.get(last)).copied().unwrap_or(0);
        let mut columns =
            self.chars_before(text, at).saturating_sub(self.chars_before(text, line_start as usize));
        if line_start == 0 && text.starts_with(BOM) {
            columns = columns.saturating_sub(1);
        }
        (earlier as u32 + 1, columns + 1)
    }

    /// How many lines there are; an empty text has one.
    pub fn count(&self) -> u32 {
        self.starts.len() as u32 + 1
    }

    fn chars_before(&self, text: &str, byte: usize) -> u32 {
        let step = byte / STEP;
        // A text whose length is a multiple of `STEP` has no count at its very end.
        let Some((step, before)) = self.chars.get(step).map(|&before| (step, before)).or_else(|| {
            let last = self.chars.len().checked_sub(1)?;
            Some((last, self.chars.get(last).copied()?))
        }) else {
            return byte as u32;
        };
        before + text.as_bytes().get(step * STEP..byte).map_or(0, count_chars)
    }
}

/// Characters that begin in these bytes.
fn count_chars(bytes: &[u8]) -> u32 {
    bytes.iter().map(|&byte| u32::from(byte & 0xc0 != 0x80)).sum()
}
