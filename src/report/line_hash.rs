//! The fingerprint of a line that GitHub's upload action computes where a report has none. Its result is what GitHub tracks an alert by, so
//! it must be the same to the bit; a report that comes by another way than the action has only ours.

use std::collections::HashMap;

/// Kept characters that go into one hash.
const WINDOW: usize = 100;
const FACTOR: u64 = 37;
const LINE_FEED: u16 = b'\n' as u16;
const CARRIAGE_RETURN: u16 = b'\r' as u16;
const END_OF_FILE: u16 = u16::MAX;

/// The hash of each line, `hash:n` for the nth line of this hash. A line's hash is that of the 100 characters (UTF-16, white space but
/// line ends left out) that begin with it.
pub(super) fn line_hashes(text: &str) -> Vec<String> {
    let mut hasher = Hasher::default();
    let mut line_begins = true;
    let mut after_return = false;
    for unit in text.encode_utf16() {
        let second_of_two = after_return && unit == LINE_FEED;
        after_return = unit == CARRIAGE_RETURN;
        if unit == u16::from(b' ') || unit == u16::from(b'\t') || second_of_two {
            continue;
        }
        let unit = if unit == CARRIAGE_RETURN { LINE_FEED } else { unit };
        hasher.take(unit, line_begins);
        line_begins = unit == LINE_FEED;
    }
    hasher.take(END_OF_FILE, line_begins);
    for _ in 0..WINDOW {
        hasher.take(0, false);
    }
    hasher.hashes
}

struct Hasher {
    /// The characters in the window, as a ring, each with whether a line begins with it.
    ring: [(u16, bool); WINDOW],
    at: usize,
    hash: u64,
    /// `37^100`: what the oldest character was multiplied by.
    oldest_factor: u64,
    hashes: Vec<String>,
    seen: HashMap<u64, usize>,
}

impl Default for Hasher {
    fn default() -> Self {
        Self {
            ring: [(0, false); WINDOW],
            at: 0,
            hash: 0,
            oldest_factor: FACTOR.wrapping_pow(WINDOW as u32),
            hashes: Vec::new(),
            seen: HashMap::new(),
        }
    }
}

impl Hasher {
    fn take(&mut self, unit: u16, line_begins: bool) {
        let Some(slot) = self.ring.get_mut(self.at) else { return };
        let (oldest, of_line) = std::mem::replace(slot, (unit, line_begins));
        if of_line {
            let seen = self.seen.entry(self.hash).or_default();
            *seen += 1;
            self.hashes.push(format!("{:x}:{seen}", self.hash));
        }
        let without_oldest = self.oldest_factor.wrapping_mul(u64::from(oldest));
        self.hash = self.hash.wrapping_mul(FACTOR).wrapping_add(u64::from(unit)).wrapping_sub(without_oldest);
        self.at = (self.at + 1) % WINDOW;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers_of_the_action() {
        assert_eq!(line_hashes(""), ["c129715d7a2bc9a3:1"]);
        let four = ["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"];
        assert_eq!(line_hashes(" a\nb\n  \t\tc\n d"), four);
        assert_eq!(line_hashes(" a\r\nb\r\n  \t\tc\r\n d"), four);
        assert_eq!(line_hashes(" a\rb\r  \t\tc\r d"), four);
    }

    #[test]
    fn every_line_has_one_and_equal_ones_are_counted() {
        let text = "same\n".repeat(300);
        let hashes = line_hashes(&text);
        assert_eq!(hashes.len(), 301);
        let (first, second) =
            (hashes.first().map_or("", String::as_str), hashes.get(1).map_or("", String::as_str));
        assert_eq!(first.trim_end_matches(":1"), second.trim_end_matches(":2"));
    }
}
