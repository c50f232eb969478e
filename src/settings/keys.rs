//! The one list of keys: reading, the schema, the file that `init` writes and its tests all go by it.
//! What a key does is not known here.

use crate::model::{Confidence, Level};

/// The words of `fail-on`.
pub(super) const FAIL_ON: &[&str] = &["never", "note", "warning", "error"];
/// The words of `preferred-jitter`.
pub const JITTERS: &[&str] = &["full", "equal", "decorrelated"];

/// A key of the configuration.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// As it is written.
    pub name: &'static str,
    /// What its value is.
    pub kind: Kind,
    /// What it is for, in one sentence.
    pub about: &'static str,
    /// A value, as TOML: the default where there is one, else an example.
    pub sample: &'static str,
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// True or false.
    Switch,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of globs.
    Globs,
    /// A list of files and folders.
    Paths,
    /// A table of rules and groups, each with a level.
    Levels,
    /// A table of limits.
    Limits,
    /// A list of tables, each with `paths` and `levels`.
    Overrides,
}

/// Every key, values before tables, as TOML wants it.
pub const KEYS: &[Key] = &[
    Key {
        name: "min-confidence",
        kind: Kind::Word(Confidence::WORDS),
        about: "Only findings at least this sure are reported.",
        sample: "\"high\"",
    },
    Key {
        name: "fail-on",
        kind: Kind::Word(FAIL_ON),
        about: "The lowest level of a finding that makes the exit status 1.",
        sample: "\"warning\"",
    },
    Key {
        name: "include-tests",
        kind: Kind::Switch,
        about: "Look at tests, benches and examples too.",
        sample: "false",
    },
    Key {
        name: "require-reason",
        kind: Kind::Switch,
        about: "A comment that suppresses a finding must say why.",
        sample: "true",
    },
    Key {
        name: "preferred-jitter",
        kind: Kind::Word(JITTERS),
        about: "The kind of random delay that help texts propose.",
        sample: "\"full\"",
    },
    Key {
        name: "exclude",
        kind: Kind::Globs,
        about: "Files and folders that are not looked at, as in .gitignore, from this file's folder.",
        sample: "[\"vendor/\", \"src/generated/*.rs\"]",
    },
    Key {
        name: "rules",
        kind: Kind::Paths,
        about: "Rules of your own: pages (*.md), or folders of them.",
        sample: "[\"lint/rules\"]",
    },
    Key {
        name: "vocabulary",
        kind: Kind::Paths,
        about: "What your own functions mean (our sleep, our client): tables (*.toml), or folders of them.",
        sample: "[\"lint/vocabulary\"]",
    },
    Key {
        name: "libraries",
        kind: Kind::Paths,
        about: "What your own retry crates do: tables (*.toml), or folders of them.",
        sample: "[\"lint/libraries\"]",
    },
    Key {
        name: "levels",
        kind: Kind::Levels,
        about: "How loud a rule is, or a group of rules: off, note, warning or error.",
        sample: "{ unbounded = \"error\", hygiene = \"note\" }",
    },
    Key {
        name: "limits",
        kind: Kind::Limits,
        about: "Limits in place of those that rules have by themselves: durations as \"30s\" or seconds, and counts.",
        sample: "{ max-delay = \"120s\" }",
    },
    Key {
        name: "overrides",
        kind: Kind::Overrides,
        about: "Other levels for some files; of several that fit, the last counts.",
        sample: "[{ paths = [\"src/legacy/\"], levels = { herd = \"note\" } }]",
    },
];

/// The levels that can be written.
pub(super) const LEVELS: &[&str] = Level::WORDS;
