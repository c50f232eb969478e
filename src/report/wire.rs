//! JSON on its way out. What a stranger wrote may stand in a log that somebody reads on a terminal: no character that could steer one
//! leaves this file raw.

use super::clean::is_steering;
use serde::Serialize;
use std::io;

/// A document for a file: indented, with a line's end.
pub(super) fn write_pretty(out: &mut dyn io::Write, document: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer_pretty(Escaping { out: &mut *out }, document)?;
    writeln!(out)
}

/// One value on one line.
pub(super) fn write_line(out: &mut dyn io::Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(Escaping { out: &mut *out }, value)?;
    writeln!(out)
}

/// Writes JSON with what could steer a terminal as `\uXXXX`: the same value for a reader, and nothing hides in a log that prints it.
/// Such characters stand only inside JSON's strings, where the escape is allowed.
struct Escaping<'o> {
    out: &'o mut dyn io::Write,
}

impl io::Write for Escaping<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        // serde_json hands over whole pieces of strings; anything else is passed on as it is.
        let Ok(text) = std::str::from_utf8(bytes) else { return self.out.write_all(bytes) };
        let mut done = 0;
        for (at, ch) in text.char_indices() {
            if ch == '\n' || !is_steering(ch) {
                continue;
            }
            self.out.write_all(text.get(done..at).unwrap_or_default().as_bytes())?;
            for unit in ch.encode_utf16(&mut [0; 2]) {
                write!(self.out, "\\u{unit:04x}")?;
            }
            done = at + ch.len_utf8();
        }
        self.out.write_all(text.get(done..).unwrap_or_default().as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
