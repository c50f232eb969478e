//! The filter between strangers' text and a terminal. A control sequence can recolour or overwrite a report, a bidi override can
//! turn code around, an invisible character can hide in it: all of them are shown as escapes, as Rust would write them.

use std::fmt::Write as _;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Longest text in one line of a report, in columns: far more than any message needs, little enough that a hostile name can't flood a log.
const LONGEST: usize = 1_000;

/// One line fit for a terminal: what could steer it is an escape, what is too long ends in `…`.
pub fn clean(text: &str) -> String {
    let mut shown = String::with_capacity(text.len().min(LONGEST));
    let mut columns = 0;
    for ch in text.chars() {
        columns += shown_width(ch);
        if columns > LONGEST {
            shown.push('…');
            break;
        }
        push_shown(&mut shown, ch);
    }
    shown
}

/// Adds a character as it is shown: itself, or its escape.
pub(super) fn push_shown(shown: &mut String, ch: char) {
    if !is_steering(ch) {
        shown.push(ch);
        return;
    }
    // Writing to a String cannot fail.
    let _ = match ch {
        '\n' => write!(shown, "\\n"),
        '\r' => write!(shown, "\\r"),
        '\t' => write!(shown, "\\t"),
        '\0'..='\x7f' => write!(shown, "\\x{:02x}", u32::from(ch)),
        _ => write!(shown, "\\u{{{:x}}}", u32::from(ch)),
    };
}

/// Columns that a character takes as it is shown; at least one, so that a limit in columns is one in characters too.
pub(super) fn shown_width(ch: char) -> usize {
    if !is_steering(ch) {
        return ch.width().unwrap_or(1).max(1);
    }
    match ch {
        '\n' | '\r' | '\t' => 2,
        '\0'..='\x7f' => 4,
        _ => 4 + (u32::from(ch).max(1).ilog2() as usize + 4) / 4,
    }
}

/// Whether a character steers the terminal or the direction of text, or is not to be seen at all.
pub fn is_steering(ch: char) -> bool {
    ch.is_control()
        || matches!(ch,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Columns of a text.
pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// At most this many columns: the start of the text, and `…` where some is left out.
pub(super) fn cut_end(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = 1;
    for ch in text.chars() {
        used += ch.width().unwrap_or(0);
        if used > columns {
            break;
        }
        kept.push(ch);
    }
    kept.push('…');
    kept
}

/// At most this many columns: the end of the text, and `…` where some is left out.
pub(super) fn cut_start(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut used = 1;
    let mut from = text.len();
    for (at, ch) in text.char_indices().rev() {
        used += ch.width().unwrap_or(0);
        if used > columns {
            break;
        }
        from = at;
    }
    format!("…{}", text.get(from..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_becomes_an_escape() {
        assert_eq!(clean("a\x1b[31mb\u{202e}c\u{feff}\n\t\u{9b}"), r"a\x1b[31mb\u{202e}c\u{feff}\n\t\u{9b}");
        assert_eq!(clean("tag \u{e0041}, zwj \u{200d}"), r"tag \u{e0041}, zwj \u{200d}");
        assert_eq!(clean("日本語, naïve, 🦀"), "日本語, naïve, 🦀");
    }

    #[test]
    fn the_width_of_an_escape_is_the_width_that_it_has() {
        for ch in ['\n', '\x1b', '\0', '\u{85}', '\u{ad}', '\u{202e}', '\u{feff}', '\u{e0041}', 'a', '日'] {
            let mut shown = String::new();
            push_shown(&mut shown, ch);
            assert_eq!(shown_width(ch), width(&shown), "{ch:?}");
        }
    }

    #[test]
    fn a_long_text_is_cut() {
        let shown = clean(&"\u{202e}".repeat(1_000_000));
        assert!(width(&shown) <= LONGEST + 1, "{}", width(&shown));
        assert!(shown.ends_with('…'));
    }

    #[test]
    fn cutting_counts_columns_not_characters() {
        assert_eq!(cut_end("日本語テキスト", 7), "日本語…");
        assert_eq!(cut_end("日本語テキスト", 6), "日本…");
        assert_eq!(cut_start("crates/net/src/client.rs:120", 14), "…client.rs:120");
        assert_eq!(cut_end("short", 5), "short");
        assert_eq!(cut_start("日本語", 3), "…語");
    }
}
