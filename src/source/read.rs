//! From a found file to its text and outline. What cannot be read is a problem with a place, never the end of the run.

use super::walk::Found;
use super::{Lines, SourceFile, outline};
use crate::model::Problem;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

/// The largest file that is analysed. Spans are 32 bits wide, and nobody writes such a file by hand.
const LARGEST_FILE: u64 = 64 << 20;

/// Reads a file; `None` where it is generated and was not asked for.
pub fn read(found: &Found) -> Result<Option<SourceFile>, Problem> {
    let bytes = read_bytes(&found.path)
        .map_err(|error| whole_file(&found.shown, format!("cannot be read: {error}")))?;
    let mut file = source_file(found.shown.clone(), bytes)?;
    file.in_test |= found.in_test;
    Ok((found.generated || !file.outline.generated).then_some(file))
}

/// Reads a text in the place of a file's own.
pub fn read_as(found: &Found, text: &str) -> Result<Option<SourceFile>, Problem> {
    let mut file = source_file(found.shown.clone(), text.as_bytes().to_vec())?;
    file.in_test |= found.in_test;
    Ok(Some(file))
}

/// A file of these bytes, for what does not come from a disk.
pub fn source_file(path: Arc<str>, bytes: Vec<u8>) -> Result<SourceFile, Problem> {
    if bytes.len() as u64 > LARGEST_FILE {
        let megabytes = LARGEST_FILE >> 20;
        return Err(whole_file(&path, format!("larger than {megabytes} MiB: not analysed")));
    }
    let text = String::from_utf8(bytes).map_err(|error| not_utf8(&path, &error))?;
    let outline = outline(&text, &path);
    let lines = Lines::new(&text);
    // a fuzzer's entry: whatever it calls, nobody is served by it
    let in_test = outline.test_file || text.lines().any(|line| line.starts_with("fuzz_target!"));
    Ok(SourceFile { path, text, lines, outline, in_test, context_only: false })
}

/// At most one byte more than is analysed, whatever the file says of its size: it may be a device.
fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn not_utf8(path: &str, error: &std::string::FromUtf8Error) -> Problem {
    let valid_bytes = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
    let valid = str::from_utf8(valid_bytes).unwrap_or_default();
    let (line, column) = Lines::new(valid).line_column(valid, valid.len() as u32);
    let message = "not UTF-8: this byte is part of no character, and the file is not analysed".to_owned();
    Problem { path: path.to_owned(), line, column, message, fatal: true }
}

fn whole_file(path: &str, message: String) -> Problem {
    Problem { path: path.to_owned(), line: 0, column: 0, message, fatal: true }
}
