//! `use` trees, flattened. A tree nests as deep as its author likes, and each name repeats its whole path: both are limited, and what is beyond is left out.

use super::lexer::{Kind, Lexer, Token};
use super::words::{Word, word};
use super::{ItemId, Use};

/// Names that one file may bring in.
const MOST_USES: usize = 1 << 16;
/// Segments of a path.
const LONGEST_PATH: usize = 32;
/// Groups within groups.
const DEEPEST_GROUP: usize = 128;

/// Reads the tree behind `use`, or the name behind `extern crate`, up to its `;` or to what cannot be part of one, and leaves the lexer there.
pub(super) fn read_use(lexer: &mut Lexer, public: bool, scope: Option<ItemId>, into: &mut Vec<Use>) {
    let mut tree = Tree { public, scope, ..Tree::default() };
    loop {
        let before = lexer.clone();
        let Some(token) = lexer.next_code() else { return tree.finish_branch(into) };
        match token.kind {
            Kind::Ident if word(lexer.text_of(token)) == Word::As => tree.renamed = true,
            Kind::Ident | Kind::RawIdent if can_be_segment(lexer, token) => tree.word(lexer.text_of(token)),
            Kind::PathSep => {}
            Kind::Punct(b'*') => tree.glob = true,
            Kind::Punct(b',') => tree.finish_branch(into),
            Kind::Open(b'{') if tree.groups.len() < DEEPEST_GROUP => tree.open_group(),
            Kind::Close(b'}') if !tree.groups.is_empty() => {
                tree.finish_branch(into);
                tree.close_group();
            }
            Kind::Punct(b';') => return tree.finish_branch(into),
            _ => {
                *lexer = before;
                return;
            }
        }
    }
}

#[derive(Default)]
#[allow(clippy::struct_excessive_bools)]
struct Tree {
    /// Segments of the branch that is being read, those of the groups around it first.
    path: Vec<String>,
    /// How many segments each open group starts with.
    groups: Vec<usize>,
    /// Behind `as`.
    renamed: bool,
    rename: Option<String>,
    glob: bool,
    /// The branch was a group: it names nothing itself.
    grouped: bool,
    public: bool,
    scope: Option<ItemId>,
}

impl Tree {
    fn word(&mut self, text: &str) {
        if self.renamed {
            self.rename = Some(text.to_owned());
        } else if self.path.len() <= LONGEST_PATH {
            self.path.push(text.to_owned());
        }
    }

    fn open_group(&mut self) {
        self.groups.push(self.path.len());
    }

    fn close_group(&mut self) {
        self.groups.pop();
        self.grouped = true;
    }

    /// Adds what the branch names, and goes back to the path of the group around it.
    fn finish_branch(&mut self, into: &mut Vec<Use>) {
        let around = self.groups.last().copied().unwrap_or(0);
        let named = self.glob || self.path.len() > around;
        let fits = self.path.len() <= LONGEST_PATH && into.len() < MOST_USES;
        if named && fits && !self.grouped {
            into.push(self.branch());
        }
        self.path.truncate(around);
        self.renamed = false;
        self.rename = None;
        self.glob = false;
        self.grouped = false;
    }

    fn branch(&mut self) -> Use {
        let mut path = self.path.clone();
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let name = match self.rename.take() {
            _ if self.glob => String::new(),
            Some(rename) => rename,
            None => path.last().cloned().unwrap_or_default(),
        };
        Use { path, name, public: self.public, scope: self.scope }
    }
}

/// Keywords end a tree whose `;` is missing, so that the item behind it is still found.
fn can_be_segment(lexer: &Lexer, token: Token) -> bool {
    token.kind == Kind::RawIdent
        || matches!(
            word(lexer.text_of(token)),
            Word::Name | Word::Underscore | Word::Soft | Word::Union | Word::MacroRules
        )
}
