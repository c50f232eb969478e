//! `retry-lint init`: writes a configuration with every setting commented out. What is there already is never touched, and nothing half-written
//! is ever seen under the name.

use super::Status;
use super::error::{Stop, UserError};
use crate::settings::{Draft, FILE_NAME, Finder, template};
use codespan_reporting::term::termcolor::WriteColor;
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

pub(super) fn init(folder: &Path, out: &mut dyn WriteColor) -> Result<Status, Stop> {
    let file = folder.join(FILE_NAME);
    let there = std::path::absolute(folder.join("."));
    let there = there.and_then(|folder| folder.canonicalize()).map_err(|error| not_written(&error))?;
    // A broken one is an error here as well: a second beside it would not mend it.
    if let Some(config) = Finder::default().beside(&there)? {
        return Err(UserError::new(format!("there is a configuration already, in {}", config.source.shown))
            .help("change that one, or move it away first")
            .into());
    }
    write_new(&file, &template()).map_err(|error| not_written(&error))?;
    writeln!(out, "wrote {FILE_NAME}; all of it is commented out")?;
    out.flush()?;
    Ok(Status::Clean)
}

fn not_written(error: &io::Error) -> UserError {
    let told = UserError::new(format!("{FILE_NAME} cannot be written: {error}"));
    match error.kind() {
        ErrorKind::AlreadyExists => told.help("change that one, or move it away first"),
        _ => told.help("may this folder be written to?"),
    }
}

/// A new file, whole or not at all; an error where there is one of that name.
fn write_new(file: &Path, text: &str) -> io::Result<()> {
    let mut draft = Draft::beside(file)?;
    draft.write_all(text.as_bytes())?;
    draft.place()
}
