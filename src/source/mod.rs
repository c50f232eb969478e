//! From paths to outlines: which files are read, and where the items and bodies in them lie.
//! Nothing is parsed here and nothing is judged; what an outline leaves out, nobody behind it sees.

mod attributes;
mod comments;
mod generated;
mod ignores;
mod items;
mod lexer;
mod limits;
mod lines;
mod outline;
mod package;
mod read;
mod tells;
#[cfg(test)]
mod tests;
mod uses;
mod walk;
mod words;

pub use comments::{Comment, ToolLint, comments_for, lints_of};
pub use lines::Lines;
pub use outline::outline;
pub use package::{PackageTexts, package_folder, package_sources, package_texts};
pub use read::{read, read_as, source_file};
pub use walk::{Found, Walk, WalkError, Walked, walk};

use crate::body::Span;
use crate::model::{Place, Problem};
use std::sync::Arc;

/// A file, its text and its outline.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// As shown to the user.
    pub path: Arc<str>,
    /// Its text, exactly as on disk (a BOM and CRLF included).
    pub text: String,
    /// Where lines begin.
    pub lines: Lines,
    /// Its items.
    pub outline: Outline,
    /// The file lies in `tests/`, `benches/`, `examples/`.
    pub in_test: bool,
    /// Read only so that names resolve: nothing in it is reported.
    pub context_only: bool,
}

impl SourceFile {
    /// The place of a span.
    pub fn place(&self, span: Span) -> Place {
        let (line, column) = self.lines.line_column(&self.text, span.start);
        let (end_line, end_column) = self.lines.line_column(&self.text, span.end);
        Place {
            path: self.path.clone(),
            line,
            column,
            end_line,
            end_column,
            start_byte: span.start,
            end_byte: span.end,
        }
    }

    /// The text of a span; empty where it is no range of this file.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }
}

/// What a small lexer finds in a file without parsing it.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// Items in source order; a parent comes before its children.
    pub items: Vec<Item>,
    /// `use` declarations, flattened: `use a::{b as c, d::*}` gives two.
    pub uses: Vec<Use>,
    /// Unbalanced brackets, too deep nesting.
    pub problems: Vec<Problem>,
    /// The file carries an `@generated` mark in a comment near its top.
    pub generated: bool,
    /// `#![cfg(test)]` at its top.
    pub test_file: bool,
}

/// Index of an item in its outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemId(pub u32);

/// An item of a file; also those inside function bodies.
#[derive(Clone, Debug)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// Its name; for an `impl`, the last segment of the type's path (`Foo` of `impl Tr for a::Foo<T>`).
    pub name: String,
    /// For an `impl Trait for Type`: the trait's last segment.
    pub of_trait: Option<String>,
    /// From its first token (attributes and docs not included) to its last.
    pub span: Span,
    /// The attributes before it; empty where there are none.
    pub attributes: Span,
    /// Between (and with) the outermost braces of its body; for constants, the value's expression; for `mod x;` none.
    pub body: Option<Span>,
    /// The item around it.
    pub parent: Option<ItemId>,
    /// Under `#[cfg(test)]`, `#[test]` or the like, its own or around it.
    pub in_test: bool,
    /// Deeper than the limit, or too long a chain: its body must not be parsed.
    pub too_deep: bool,
    /// What its own body holds, items inside it apart.
    pub tells: Tells,
}

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// A function or method.
    Fn,
    /// An `impl` block.
    Impl,
    /// A module, inline or not.
    Mod,
    /// A `const`.
    Const,
    /// A `static`.
    Static,
    /// A `struct`.
    Struct,
    /// An `enum`.
    Enum,
    /// A `trait`.
    Trait,
    /// A `type` alias.
    Type,
    /// A `macro_rules!` definition.
    MacroRules,
}

/// Words and shapes that a body holds, found by the lexer. They decide whether a body is parsed for its own sake; generous on purpose.
/// Only functions, constants, statics and macros have any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)]
pub struct Tells {
    /// `loop`, `while` or `for … in`.
    pub loops: bool,
    /// Calls a function or method of its own name.
    pub recursion: bool,
    /// Words of retrying or waiting: an identifier that contains sleep, retry, retries, backoff, attempt, delay, timer, interval, reconnect, jitter, again, timeout.
    /// A function's signature counts too, and the names of the impls, traits, modules and the file around it: `impl RetryPolicy`, `mod backoff`, `retry.rs`.
    pub words: bool,
    /// A macro that may hide a loop or is called with an operation.
    pub macros: bool,
    /// Calls something of one name twice, and awaits: a request may be sent once more.
    pub twice: bool,
}

impl Tells {
    /// Whether the body may hold a site or compute a schedule.
    pub fn any(self) -> bool {
        self.loops || self.recursion || self.words || self.twice
    }
}

/// One name that a `use` brings in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// Full path as written: `["crate", "a", "b"]`; of a glob, the path before `*`.
    pub path: Vec<String>,
    /// The name it has here; empty for a glob; `_` for `as _`.
    pub name: String,
    /// `pub use`, in any form of `pub`.
    pub public: bool,
    /// The module or function that it stands in; `None` at the top of the file.
    pub scope: Option<ItemId>,
}
