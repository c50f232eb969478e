//! The comments that speak to the tool, `// retry-lint: ignore[rule] reason`, read into what they say.
//! A slip in one is a problem with a place and the nearest word; what can be understood still holds, so that a typo in a reason fails no build.

use super::nearest;
use super::reach::Reach;
use crate::body::Span;
use crate::model::{Place, Problem};
use crate::source::{Comment, SourceFile, ToolLint, comments_for, lints_of};

/// The tool's name, as comments and attributes spell it.
const TOOL: &str = "retry-lint";
const TOOL_IN_ATTRIBUTES: &str = "retry_lint";
/// Each is held against every finding of its file; nobody writes so many.
const MOST_IN_A_FILE: usize = 4096;

/// A rule as comments name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleName {
    /// Its name.
    pub name: String,
    /// Its group.
    pub group: &'static str,
    /// It is asked in this run.
    pub asked: bool,
}

/// What the comments of a package say.
#[derive(Debug, Default)]
pub struct Remarks {
    pub(super) remarks: Vec<Remark>,
    /// What cannot be understood, whatever rules there are.
    pub problems: Vec<Problem>,
}

/// One comment.
#[derive(Debug)]
pub(super) struct Remark {
    pub(super) verb: Verb,
    /// What stands between the brackets.
    pub(super) words: Vec<Word>,
    pub(super) reason: String,
    pub(super) place: Place,
    pub(super) reach: Reach,
}

/// A word of a comment and where it stands.
#[derive(Debug)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) place: Place,
}

/// What a comment does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Ignore,
    IgnoreFile,
    Assume,
}

impl Verb {
    const ALL: [(&'static str, Self); 3] =
        [("ignore", Self::Ignore), ("ignore-file", Self::IgnoreFile), ("assume", Self::Assume)];

    fn of(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(name, _)| *name == word).map(|(_, verb)| *verb)
    }

    pub(super) fn word(self) -> &'static str {
        Self::ALL.iter().find(|(_, verb)| *verb == self).map_or("", |(name, _)| name)
    }
}

impl Remarks {
    /// Reads the comments of some files. Without a reason one is a problem where reasons are required; it holds all the same.
    pub fn read<'f>(files: impl Iterator<Item = &'f SourceFile>, require_reason: bool) -> Self {
        let mut all = Self::default();
        for file in files {
            let comments = comments_for(file, TOOL);
            if let Some(comment) = comments.get(MOST_IN_A_FILE) {
                let message = format!(
                    "more than {MOST_IN_A_FILE} comments for {TOOL} in one file: the rest is not read"
                );
                all.problems.push(problem(&file.place(comment.span), message));
            }
            for comment in comments.iter().take(MOST_IN_A_FILE) {
                all.comment(file, comment, require_reason);
            }
            for lint in lints_of(file, TOOL_IN_ATTRIBUTES).iter().take(MOST_IN_A_FILE) {
                all.problems.push(not_stable(file, lint));
            }
        }
        all
    }

    /// Whether no comment says anything.
    pub fn is_empty(&self) -> bool {
        self.remarks.is_empty()
    }

    fn comment(&mut self, file: &SourceFile, comment: &Comment, require_reason: bool) {
        let place = file.place(comment.span);
        let said = match understand(file.slice(comment.inside)) {
            Ok(Some(said)) => said,
            Ok(None) => return,
            Err(message) => {
                self.problems.push(problem(&place, message));
                return;
            }
        };
        if require_reason && said.reason.is_empty() {
            let message = format!("`{}[…]` without a reason: say behind the bracket why", said.verb.word());
            self.problems.push(problem(&place, message));
        }
        let words = said.words.into_iter().map(|(at, text)| {
            let start = comment.inside.start + at as u32;
            Word { text: text.to_owned(), place: file.place(Span { start, end: start + text.len() as u32 }) }
        });
        let reach = match (said.verb, comment.about) {
            (Verb::IgnoreFile, _) => Reach::File,
            (_, Some(about)) => Reach::Part(about),
            (_, None) => Reach::Nothing,
        };
        let (words, reason) = (words.collect(), said.reason.to_owned());
        self.remarks.push(Remark { verb: said.verb, words, reason, place, reach });
    }
}

/// A problem at a place.
pub(super) fn problem(place: &Place, message: String) -> Problem {
    Problem { path: place.path.to_string(), line: place.line, column: place.column, message, fatal: false }
}

struct Said<'t> {
    verb: Verb,
    /// Each with its place in the text.
    words: Vec<(usize, &'t str)>,
    reason: &'t str,
}

/// Reads `retry-lint: verb[word, …] reason`. `None` for prose that only begins with the tool's name.
fn understand(text: &str) -> Result<Option<Said<'_>>, String> {
    let Some(rest) = text.trim_start().strip_prefix(TOOL) else { return Ok(None) };
    let after_name = rest.trim_start();
    let (colon, rest) = match after_name.strip_prefix(':') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, after_name),
    };
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    let (word, rest) = rest.split_at(end);
    let list = rest.trim_start().strip_prefix('[');
    let Some(verb) = Verb::of(word) else {
        let near = nearest(word, Verb::ALL.map(|(name, _)| name));
        return match near {
            Some(near) if colon => Err(format!("unknown word `{word}` for {TOOL}: did you mean `{near}`?")),
            None if colon && list.is_some() => Err(format!(
                "unknown word `{word}` for {TOOL}: there are `ignore`, `ignore-file` and `assume`"
            )),
            _ => Ok(None),
        };
    };
    if !colon {
        return if list.is_some() {
            Err(format!("a colon is missing: write `{TOOL}: {word}[…] reason`"))
        } else {
            Ok(None)
        };
    }
    let what = if verb == Verb::Assume { "fact" } else { "rule" };
    let Some(list) = list else {
        return Err(format!("`{word}` names no {what}: write `{TOOL}: {word}[{what}] reason`"));
    };
    // both end where the text ends
    let begins = text.len() - list.len();
    let Some((list, reason)) = list.split_once(']') else {
        return Err(format!("the list of `{word}[` is not closed: a `]` is missing"));
    };
    let mut words = Vec::new();
    let mut at = begins;
    for piece in list.split(',') {
        let name = piece.trim();
        if !name.is_empty() {
            words.push((at + piece.len() - piece.trim_start().len(), name));
        }
        at += piece.len() + 1;
    }
    if words.is_empty() {
        return Err(format!("`{word}[]` names no {what}: write `{TOOL}: {word}[{what}] reason`"));
    }
    let separators = |c: char| c.is_whitespace() || matches!(c, '-' | ':' | '–' | '—');
    Ok(Some(Said { verb, words, reason: reason.trim_start_matches(separators).trim_end() }))
}

fn not_stable(file: &SourceFile, lint: &ToolLint) -> Problem {
    let name = lint.lint.replace('_', "-");
    let instead = if lint.inner { "ignore-file" } else { "ignore" };
    let message = format!(
        "`{}({TOOL_IN_ATTRIBUTES}::{})` is refused by stable Rust (E0710) and not read here: \
         write `// {TOOL}: {instead}[{name}] reason` in its place",
        lint.level, lint.lint
    );
    problem(&file.place(lint.span), message)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// `verb a@place b@place | reason`
    fn said(text: &str) -> Result<Option<String>, String> {
        understand(text).map(|said| {
            said.map(|said| {
                let words: Vec<String> = said.words.iter().map(|(at, word)| format!("{word}@{at}")).collect();
                format!("{} {} | {}", said.verb.word(), words.join(" "), said.reason)
            })
        })
    }

    #[test]
    fn what_a_comment_says() {
        let cases = [
            (" retry-lint: ignore[a-b] why so", "ignore a-b@20 | why so"),
            ("retry-lint:ignore[a,b]why", "ignore a@18 b@20 | why"),
            (" retry-lint : ignore [ a , ä ] -- why: so! [x]", "ignore a@23 ä@27 | why: so! [x]"),
            (" retry-lint: ignore-file[a] — why\r", "ignore-file a@25 | why"),
            (" retry-lint: assume[a]: why ", "assume a@20 | why"),
            (" retry-lint: ignore[a,,]", "ignore a@20 | "),
        ];
        for (text, expected) in cases {
            assert_eq!(said(text).unwrap().as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn prose_says_nothing() {
        for text in [
            "retry-lint",
            "retry-lint found this",
            "retry-lint: see the README",
            "retry-lint ignores this",
            "retry-lint ignore what follows",
            "retry-linter: ignore[a]",
            "retry-lint's ignore[a]",
        ] {
            assert_eq!(said(text), Ok(None), "{text}");
        }
    }

    #[test]
    fn slips_are_told() {
        for (text, told) in [
            ("retry-lint: ignroe[a] b", "did you mean `ignore`?"),
            ("retry-lint: ignore_file[a] b", "did you mean `ignore-file`?"),
            ("retry-lint: xyz[a] b", "there are `ignore`"),
            ("retry-lint ignore[a] b", "a colon is missing"),
            ("retry-lint: ignore a b", "`ignore` names no rule"),
            ("retry-lint: assume", "`assume` names no fact"),
            ("retry-lint: ignore[] b", "`ignore[]` names no rule"),
            ("retry-lint: ignore[a b", "a `]` is missing"),
        ] {
            let error = said(text).unwrap_err();
            assert!(error.contains(told), "{text}: {error}");
        }
    }
}
