//! Why a run stops, in words for whoever typed the command: what, where, what to do.

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

/// The name that is meant, if one is near.
pub(super) fn nearest<'n>(typed: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    // Jaro-Winkler forgives a slip anywhere and likes a common start; below this, names have little but letters in common.
    const NEAR: f64 = 0.75;
    names
        .into_iter()
        .map(|name| (strsim::jaro_winkler(&typed.to_lowercase(), name), name))
        .filter(|(likeness, _)| *likeness >= NEAR)
        // The first of equals, so that the answer does not depend on the order of the scan.
        .max_by(|(a, first), (b, second)| a.total_cmp(b).then_with(|| second.cmp(first)))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_name_and_a_stranger_finds_none() {
        let names = ["fixed-delay", "no-delay", "no-jitter", "unbounded"];
        assert_eq!(nearest("fixed-dealy", names), Some("fixed-delay"));
        assert_eq!(nearest("no_jitter", names), Some("no-jitter"));
        assert_eq!(nearest("Unbound", names), Some("unbounded"));
        assert_eq!(nearest("zzz", names), None);
        assert_eq!(nearest("", names), None);
    }
}
