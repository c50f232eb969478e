//! A stretch of source text, in the units that people and machines read.

use std::sync::Arc;

/// A stretch of one file. Lines and columns are 1-based, columns count characters, the end column is exclusive; bytes are offsets in the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file, as it is shown to the user (relative where it was given so, `/` between its parts).
    pub path: Arc<str>,
    /// First line.
    pub line: u32,
    /// First column, in characters.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// Column after the last character.
    pub end_column: u32,
    /// First byte.
    pub start_byte: u32,
    /// Byte after the last.
    pub end_byte: u32,
}
