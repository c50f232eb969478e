//! A fix: edits of the text that change a site's policy, and how far they may be trusted.
//! Plain data; `fix` makes them, `report` prints them, the edge writes them.

/// A change of the source that mends a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, in a few words.
    pub title: String,
    /// Whether it may be applied unasked.
    pub safety: Safety,
    /// The edits, all in one file, in source order; none overlaps another.
    pub edits: Vec<Edit>,
    /// A crate that the code needs then and that the manifest does not list: the line to add to `[dependencies]`.
    pub needs: Option<Needed>,
}

/// One replacement.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// The file, as shown to the user.
    pub path: std::sync::Arc<str>,
    /// First byte that is replaced.
    pub start_byte: u32,
    /// Byte after the last; the first one for an insertion.
    pub end_byte: u32,
    /// What stands there instead.
    pub replacement: String,
}

impl Edit {
    /// Whether another one touches the same bytes. What is inserted side by side does too: nobody could tell which comes first.
    pub fn touches(&self, other: &Self) -> bool {
        self.path == other.path && self.start_byte <= other.end_byte && other.start_byte <= self.end_byte
    }
}

/// A dependency that is missing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Needed {
    /// The crate's name.
    pub name: String,
    /// The version to ask for.
    pub version: String,
}

/// How far a fix may be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Safety {
    /// It changes more than the fault: how long callers wait, how often is tried, which errors come back.
    Unsafe,
    /// Only the fault changes; `--fix` applies it.
    Safe,
}

impl Safety {
    /// The word that JSON and people are told.
    pub fn word(self) -> &'static str {
        match self {
            Self::Unsafe => "unsafe",
            Self::Safe => "safe",
        }
    }
}

/// A piece of a file that begins at byte `from`, with these edits, which are in order; `None` where one overlaps another or leaves the piece.
pub fn edited<'e>(text: &str, from: u32, edits: impl IntoIterator<Item = &'e Edit>) -> Option<String> {
    let mut made = String::with_capacity(text.len() + 256);
    let mut done = 0;
    for edit in edits {
        let start = edit.start_byte.checked_sub(from)? as usize;
        let end = edit.end_byte.checked_sub(from)? as usize;
        made.push_str(text.get(done..start)?);
        text.get(start..end)?;
        made.push_str(&edit.replacement);
        done = end;
    }
    made.push_str(text.get(done..)?);
    Some(made)
}

impl Needed {
    /// The line of a manifest.
    pub fn line(&self) -> String {
        format!("{} = \"{}\"", self.name, self.version)
    }
}
