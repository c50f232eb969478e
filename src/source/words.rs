//! The language's own words, sorted by what they mean to an outline, and the words that tell of retrying.

use aho_corasick::{AhoCorasick, FindIter};
use std::iter::Peekable;
use std::sync::LazyLock;

/// What a word is to an outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// No keyword; also `self`, `Self`, `super`, `crate`, `true`, `await`, which stand where names do.
    Name,
    Underscore,
    As,
    Async,
    Const,
    Else,
    Enum,
    Extern,
    Fn,
    For,
    If,
    Impl,
    Loop,
    MacroRules,
    Match,
    Mod,
    Mut,
    Pub,
    Ref,
    Static,
    Struct,
    Trait,
    Type,
    Union,
    Unsafe,
    Use,
    Where,
    While,
    /// `default`, `auto`, `safe`: before an item they belong to it, elsewhere they are names.
    Soft,
    /// `return`, `break`, `yield` and the like: an expression may follow.
    Jump,
    /// Any other keyword.
    Keyword,
}

/// Sorts a word.
pub(super) fn word(text: &str) -> Word {
    // Most words are no keywords, and most of those are longer or begin with a capital.
    if text.len() > "macro_rules".len() || text.starts_with(|first: char| first.is_ascii_uppercase()) {
        return Word::Name;
    }
    match text {
        "_" => Word::Underscore,
        "as" => Word::As,
        "async" => Word::Async,
        "const" => Word::Const,
        "else" => Word::Else,
        "enum" => Word::Enum,
        "extern" => Word::Extern,
        "fn" => Word::Fn,
        "for" => Word::For,
        "if" => Word::If,
        "impl" => Word::Impl,
        "loop" => Word::Loop,
        "macro_rules" => Word::MacroRules,
        "match" => Word::Match,
        "mod" => Word::Mod,
        "mut" => Word::Mut,
        "pub" => Word::Pub,
        "ref" => Word::Ref,
        "static" => Word::Static,
        "struct" => Word::Struct,
        "trait" => Word::Trait,
        "type" => Word::Type,
        "union" => Word::Union,
        "unsafe" => Word::Unsafe,
        "use" => Word::Use,
        "where" => Word::Where,
        "while" => Word::While,
        "default" | "auto" | "safe" => Word::Soft,
        "return" | "break" | "yield" | "box" | "become" => Word::Jump,
        "continue" | "dyn" | "in" | "let" | "move" => Word::Keyword,
        _ => Word::Name,
    }
}

/// Whether a macro of this name is one of the standard library's that only format, assert or build: they hide no loop and run nothing again.
pub(super) fn is_plain_macro(name: &str) -> bool {
    matches!(
        name,
        "print"
            | "println"
            | "eprint"
            | "eprintln"
            | "write"
            | "writeln"
            | "format"
            | "format_args"
            | "panic"
            | "todo"
            | "unimplemented"
            | "unreachable"
            | "assert"
            | "assert_eq"
            | "assert_ne"
            | "debug_assert"
            | "debug_assert_eq"
            | "debug_assert_ne"
            | "vec"
            | "matches"
            | "concat"
            | "stringify"
            | "env"
            | "option_env"
            | "cfg"
            | "line"
            | "file"
            | "column"
            | "module_path"
            | "include_str"
            | "include_bytes"
            | "dbg"
            | "compile_error"
            | "addr_of"
    )
}

/// Whether calls of this name are written again and again in any body: they say nothing about a request.
pub(super) fn is_plain_call(name: &str) -> bool {
    matches!(
        name,
        "clone"
            | "into"
            | "from"
            | "new"
            | "default"
            | "unwrap"
            | "expect"
            | "unwrap_or"
            | "unwrap_or_else"
            | "unwrap_or_default"
            | "map"
            | "map_err"
            | "and_then"
            | "ok"
            | "ok_or"
            | "ok_or_else"
            | "as_ref"
            | "as_mut"
            | "as_str"
            | "to_string"
            | "to_owned"
            | "to_vec"
            | "iter"
            | "into_iter"
            | "collect"
            | "len"
            | "is_empty"
            | "is_some"
            | "is_none"
            | "is_ok"
            | "is_err"
            | "insert"
            | "push"
            | "contains"
            | "lock"
            | "borrow"
            | "context"
            | "with_context"
            | "try_into"
            | "write_str"
            | "field"
            | "await"
    )
}

const TELLING: [&str; 12] = [
    "sleep",
    "retry",
    "retries",
    "backoff",
    "attempt",
    "delay",
    "timer",
    "interval",
    "reconnect",
    "jitter",
    "again",
    "timeout",
];

/// `None` cannot happen with these patterns; then every name would count as telling, which costs time only.
static TELLING_PARTS: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::builder().ascii_case_insensitive(true).build(TELLING).ok());

/// Finds the words of retrying or waiting that names contain.
/// One pass over the whole text beside the lexer is cheaper than a search in each name. A part has only letters, so no match ever spans two names.
pub(super) struct TellingParts<'t> {
    matches: Option<Peekable<FindIter<'static, 't>>>,
}

impl<'t> TellingParts<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { matches: TELLING_PARTS.as_ref().map(|parts| parts.find_iter(text).peekable()) }
    }

    /// Whether the name at these bytes contains one; must be asked in the order of the text.
    pub(super) fn in_name(&mut self, start: u32, end: u32) -> bool {
        let Some(matches) = &mut self.matches else { return true };
        while matches.next_if(|found| found.start() < start as usize).is_some() {}
        matches.peek().is_some_and(|found| found.end() <= end as usize)
    }
}
