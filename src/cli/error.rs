//! Why a run stops, in words for whoever typed the command: what, where, what to do.

pub(super) use crate::settings::nearest;
use std::fmt;
use std::io;

/// A run that cannot go on.
#[derive(Debug)]
pub(super) enum Stop {
    /// Something that the user can change. Exit status 2.
    User(UserError),
    /// The output could not be written. A closed pipe is no failure: whoever read it had enough.
    Output(io::Error),
}

/// What is wrong and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UserError {
    pub(super) what: String,
    /// The lines of a file that show it.
    pub(super) shown: Vec<String>,
    pub(super) help: Vec<String>,
}

impl UserError {
    pub(super) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), shown: Vec::new(), help: Vec::new() }
    }

    /// Adds lines that show it.
    pub(super) fn shown(mut self, lines: impl IntoIterator<Item = String>) -> Self {
        self.shown.extend(lines);
        self
    }

    /// Adds something to do about it.
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }
}

impl fmt::Display for UserError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl From<UserError> for Stop {
    fn from(error: UserError) -> Self {
        Self::User(error)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
