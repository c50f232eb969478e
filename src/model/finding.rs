//! A finding is one rule's report about one site; a problem is a place that could not be read.

use super::{Confidence, Place, Site};

macro_rules! ordered_words {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name { $($(#[$vmeta])* $variant,)+ }

        impl $name {
            /// Every word of this vocabulary.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word as pages, options and JSON spell it.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// The value that a word stands for.
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

ordered_words! {
    /// How loud a finding is.
    Level {
        /// Not reported.
        Off = "off",
        /// Worth knowing.
        Note = "note",
        /// Worth changing.
        Warning = "warning",
        /// Must be changed.
        Error = "error",
    }
}

ordered_words! {
    /// Whom a rule is for.
    Persona {
        /// Everyone.
        Default = "default",
        /// Those who ask for it with `--pedantic`.
        Pedantic = "pedantic",
    }
}

ordered_words! {
    /// What a fault does.
    Group {
        /// Clients come back together.
        Herd = "herd",
        /// The server gets more than it can bear.
        Overload = "overload",
        /// An error that cannot go away is tried again.
        Permanent = "permanent",
        /// Work is done twice.
        Duplicate = "duplicate",
        /// A result or an error is lost.
        Loss = "loss",
        /// Everything else.
        Hygiene = "hygiene",
    }
}

ordered_words! {
    /// The change of policy that a rule proposes; `fix` turns it into edits.
    Change {
        /// Draw the delay: `U(0, d)`, on a capped, growing delay.
        FullJitter = "full-jitter",
        /// Limit the largest single delay.
        CapDelay = "cap-delay",
        /// Arithmetic that stops at the largest value.
        Saturate = "saturate",
        /// Cap first, then draw.
        JitterAfterCap = "jitter-after-cap",
        /// Await the runtime's sleep.
        AsyncSleep = "async-sleep",
        /// Give up after a number of attempts.
        BoundAttempts = "bound-attempts",
        /// Return errors that cannot go away.
        StopOnPermanent = "stop-on-permanent",
        /// Wait as long as the server says.
        HonourRetryAfter = "honour-retry-after",
        /// No wait after the last attempt.
        SkipLastSleep = "skip-last-sleep",
    }
}

/// A piece of source that a finding points at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub place: Place,
    /// A few words; may be empty.
    pub text: String,
    /// The place the finding is about; exactly one label of a finding is primary.
    pub primary: bool,
}

/// One rule's report about one site.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule's name.
    pub rule: String,
    /// How loud.
    pub level: Level,
    /// What the fault does.
    pub group: Group,
    /// How sure.
    pub confidence: Confidence,
    /// What is wrong, in this site's numbers and names.
    pub message: String,
    /// What follows from it; may be empty.
    pub note: String,
    /// What to change; may be empty.
    pub help: String,
    /// Where it is reported: the primary label's place.
    pub place: Place,
    /// What it points at.
    pub labels: Vec<Label>,
    /// The site.
    pub site: std::sync::Arc<Site>,
    /// The change of policy that its rule proposes.
    pub change: Option<Change>,
    /// The source with that change, where it was seen to mend the finding.
    pub fix: Option<super::Fix>,
}

/// A place that could not be read or followed. The run goes on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The file, as shown to the user.
    pub path: String,
    /// Line, 1-based; 0 where the whole file is meant.
    pub line: u32,
    /// Column in characters, 1-based; 0 where the whole file is meant.
    pub column: u32,
    /// What is wrong, and what to do where something can be done.
    pub message: String,
    /// Whether the file's Rust could not be read at all (counts as an error under `--strict`), as against a body that was too deep to follow.
    pub fatal: bool,
}
