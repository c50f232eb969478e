//! The outline of a file: its items, their bodies' places and telling words, from its tokens alone.
//! One pass without recursion. It must find every function that a parser would find, and get something out of files that no parser reads.

use super::generated::Marks;
use super::items::{Header, OpenItem, Pending};
use super::lexer::{Kind, Lexer, Token};
use super::limits::{Ahead, Closed, Counts};
use super::tells::is_telling_file;
use super::uses::read_use;
use super::words::{TellingParts, Word, word};
use super::{Item, ItemId, ItemKind, Lines, Outline};
use crate::model::Problem;

/// Brackets whose contents are followed. Deeper ones are only matched: a hostile file must not cost memory by the bracket.
const MOST_FRAMES: usize = 1024;

/// Finds the items of a file; `path` is for its problems.
pub fn outline(text: &str, path: &str) -> Outline {
    let mut reader = Reader::new(text, path);
    if u32::try_from(text.len()).is_err() {
        reader.problem(0, "too large to be analysed".to_owned(), true);
        return reader.out;
    }
    while let Some(token) = reader.lexer.next() {
        if token.kind == Kind::Comment {
            reader.out.generated |= reader.marks.note(text, token);
        } else {
            reader.token(token);
        }
    }
    reader.finish();
    reader.out
}

/// What may stand between two brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// Items: a file, a module, an impl, the arguments of a macro that is called among items.
    Items,
    /// Statements, and items among them.
    Code,
    /// No items that we look for: types, attributes, arguments of macros in code.
    Opaque,
}

/// What closing a bracket ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    Nothing,
    /// The item whose body it was.
    Item,
    /// `#[…]`: what stood before it goes on.
    Attribute,
    /// `pub(…)` before an item: it goes on.
    Visibility,
}

/// An open bracket and what has been read behind it.
#[derive(Debug)]
pub(super) struct Frame {
    /// The byte that opened it; 0 for the file itself.
    bracket: u8,
    /// Which kinds of brackets are open, this one included.
    within: u8,
    start: u32,
    pub(super) room: Room,
    ends: Ends,
    /// The item that has begun here and whose body has not.
    pub(super) header: Option<Header>,
    /// An item may begin with the next token.
    pub(super) fresh: bool,
    pub(super) counts: Counts,
}

pub(super) struct Reader<'t> {
    text: &'t str,
    path: &'t str,
    pub(super) lexer: Lexer<'t>,
    pub(super) out: Outline,
    pub(super) top: Frame,
    pub(super) below: Vec<Frame>,
    /// Brackets beyond `MOST_FRAMES`.
    spilled: Vec<u8>,
    pub(super) open: Vec<OpenItem>,
    pub(super) pending: Pending,
    pub(super) telling: TellingParts<'t>,
    pub(super) telling_file: bool,
    /// The last two tokens and what they are as words.
    pub(super) last: (Token, Word),
    pub(super) before_last: (Token, Word),
    unbalanced: bool,
    /// For the places of problems, made when there is one.
    lines: Option<Lines>,
    marks: Marks,
}

const NO_TOKEN: (Token, Word) = (Token { kind: Kind::Comment, start: 0, end: 0 }, Word::Keyword);

impl<'t> Reader<'t> {
    fn new(text: &'t str, path: &'t str) -> Self {
        Self {
            text,
            path,
            lexer: Lexer::new(text),
            out: Outline::default(),
            top: Frame {
                bracket: 0,
                within: 0,
                start: 0,
                room: Room::Items,
                ends: Ends::Nothing,
                header: None,
                fresh: true,
                counts: Counts::default(),
            },
            below: Vec::new(),
            spilled: Vec::new(),
            open: Vec::new(),
            pending: Pending::default(),
            telling: TellingParts::new(text),
            telling_file: is_telling_file(path),
            last: NO_TOKEN,
            before_last: NO_TOKEN,
            unbalanced: false,
            lines: None,
            marks: Marks::new(text),
        }
    }

    fn token(&mut self, token: Token) {
        let word = if token.kind == Kind::Ident { word(self.lexer.text_of(token)) } else { Word::Name };
        self.value_begins(token);
        self.tell(token, word);
        if !self.spilled.is_empty() {
            self.spill(token);
        } else if let Kind::Open(bracket) = token.kind {
            self.count(token, word);
            self.open_bracket(token, bracket);
        } else if let Kind::Close(bracket) = token.kind {
            self.close_bracket(token, bracket);
        } else {
            self.among_items(token, word);
            self.count(token, word);
            self.check_limits(token);
        }
        self.before_last = self.last;
        self.last = (token, word);
    }

    /// What a token is to the items here: it begins one, prepares one, or is part of one's header.
    fn among_items(&mut self, token: Token, word: Word) {
        if self.top.fresh && self.top.room != Room::Opaque && self.begins_item(token, word) {
            return;
        }
        self.top.fresh = false;
        if token.kind == Kind::Punct(b';') {
            if self.top.header.take().is_some() {
                self.end_item(token.end, Some(self.last.0.end));
            }
            self.refresh();
        } else {
            self.read_header(token, word);
        }
    }

    /// An item may begin behind this token.
    pub(super) fn refresh(&mut self) {
        if self.top.room == Room::Opaque {
            return;
        }
        self.top.fresh = matches!(self.top.bracket, 0 | b'{') || self.top.room == Room::Items;
        self.pending = Pending::default();
    }

    fn open_bracket(&mut self, token: Token, bracket: u8) {
        let (room, ends) = self.what_opens(bracket);
        if self.below.len() >= MOST_FRAMES {
            self.check_limits(token);
            self.spilled.push(bracket);
            return;
        }
        if ends == Ends::Attribute && self.top.fresh {
            self.read_attribute(token);
        }
        if ends == Ends::Item {
            self.top.header = None;
            self.body_begins(token.start);
        }
        // What stands before an item is kept through the brackets among it.
        if self.top.fresh && !matches!(ends, Ends::Attribute | Ends::Visibility) {
            self.top.fresh = false;
            self.pending = Pending::default();
        }
        let counted = self.in_counted_item();
        let inner = Frame {
            bracket,
            within: self.top.within | kind_bit(bracket),
            start: token.start,
            room,
            ends,
            header: None,
            fresh: room == Room::Items || room == Room::Code && bracket == b'{',
            counts: self.top.counts.inside(counted),
        };
        self.below.push(std::mem::replace(&mut self.top, inner));
        self.check_limits(token);
    }

    /// What stands behind a bracket that opens now, and what ends with it.
    fn what_opens(&self, bracket: u8) -> (Room, Ends) {
        let (last, last_word) = self.last;
        let bang = last.kind == Kind::Punct(b'!');
        let behind_hash =
            last.kind == Kind::Punct(b'#') || bang && self.before_last.0.kind == Kind::Punct(b'#');
        if bracket == b'[' && behind_hash {
            return (Room::Opaque, Ends::Attribute);
        }
        if bracket == b'(' && last_word == Word::Pub && self.top.fresh {
            return (Room::Opaque, Ends::Visibility);
        }
        if let Some(header) = &self.top.header {
            if header.body_opens(bracket, self.top.counts.angles) {
                return (header.room(), Ends::Item);
            }
            if !header.in_value() {
                return (Room::Opaque, Ends::Nothing);
            }
        }
        let calls_macro = bang && is_macro_name(self.before_last);
        match self.top.room {
            // A macro among items may define items; one in code is part of that code.
            Room::Items if self.top.header.is_none() => (Room::Items, Ends::Nothing),
            Room::Items | Room::Code if !calls_macro => (Room::Code, Ends::Nothing),
            _ => (Room::Opaque, Ends::Nothing),
        }
    }

    fn close_bracket(&mut self, token: Token, bracket: u8) {
        let opener = opener(bracket);
        if self.top.bracket != opener {
            if self.top.within & kind_bit(opener) == 0 {
                self.imbalance(token.start, format!("`{}` closes nothing", char::from(bracket)));
                return;
            }
            let message = format!("this `{}` is not closed", char::from(self.top.bracket));
            self.imbalance(self.top.start, message);
            while self.top.bracket != opener && self.pop(token.start, None) {}
        }
        self.pop(token.end, Some(token.start));
    }

    /// Leaves the innermost bracket; `false` where there is none. `close` is where its closing bracket begins, if it has one.
    fn pop(&mut self, end: u32, close: Option<u32>) -> bool {
        let Some(outer) = self.below.pop() else { return false };
        let inner = std::mem::replace(&mut self.top, outer);
        if inner.header.is_some() {
            self.end_item(close.unwrap_or(end), close.map(|_| self.last.0.end));
        }
        let is_block = inner.bracket == b'{';
        let was = match inner.ends {
            Ends::Attribute => Closed::Attribute,
            _ if is_block => Closed::Block,
            _ => Closed::Group,
        };
        self.top.counts.closed(&inner.counts, was);
        self.check_limits_at(inner.start);
        match inner.ends {
            Ends::Attribute => self.pending.attribute_ends(end),
            Ends::Visibility => {}
            Ends::Item => {
                self.end_item(end, close.map(|_| end));
                self.top.counts.end_statement();
                self.refresh();
            }
            Ends::Nothing if is_block => self.refresh(),
            Ends::Nothing => self.top.fresh = false,
        }
        true
    }

    /// Matches brackets that are too deep to follow.
    fn spill(&mut self, token: Token) {
        match token.kind {
            Kind::Open(bracket) => self.spilled.push(bracket),
            Kind::Close(bracket) if self.spilled.last() == Some(&opener(bracket)) => {
                self.spilled.pop();
            }
            Kind::Close(bracket) => {
                self.imbalance(token.start, format!("`{}` closes nothing", char::from(bracket)));
            }
            _ => {}
        }
    }

    fn count(&mut self, token: Token, word: Word) {
        let ahead = match token.kind {
            Kind::Punct(b'<') | Kind::Shl if matches!(self.last.0.kind, Kind::Literal | Kind::Close(_)) => {
                Ahead::AfterValue
            }
            Kind::Shl if self.next_kind() == Some(Kind::Literal) => Ahead::Literal,
            Kind::Punct(b'<') if matches!(self.last.1, Word::For | Word::Unsafe) => Ahead::AfterBinder,
            _ => Ahead::Other,
        };
        if self.in_signature() {
            self.top.counts.signature_token(token.kind, word, ahead);
        } else {
            self.top.counts.token(token.kind, word, ahead);
        }
    }

    fn in_signature(&self) -> bool {
        self.top.header.as_ref().is_some_and(|header| !header.in_value())
    }

    pub(super) fn next_kind(&self) -> Option<Kind> {
        self.lexer.clone().next_code().map(|token| token.kind)
    }

    fn check_limits(&mut self, token: Token) {
        self.check_limits_at(token.start);
    }

    /// Marks the items around this place where they nest too deep: the innermost, and each whose body a parser would read together with it.
    fn check_limits_at(&mut self, at: u32) {
        let Some(exceeded) = self.top.counts.exceeded() else { return };
        if !self.in_counted_item() || self.open.last().is_none_or(|item| item.too_deep) {
            return;
        }
        let mut known = false;
        let innermost = self.open.len() - 1;
        for (index, item) in self.open.iter_mut().enumerate() {
            if index == innermost || !is_container(item.kind) {
                known |= item.too_deep;
                item.too_deep = true;
            }
        }
        if !known {
            self.problem(at, exceeded.message(), false);
        }
    }

    /// Whether nesting counts here: in everything that is parsed at once, not between the braces of modules and impls.
    fn in_counted_item(&self) -> bool {
        self.open.last().is_some_and(|item| item.in_counted || !item.in_body)
    }

    pub(super) fn item_mut(&mut self, id: ItemId) -> Option<&mut Item> {
        self.out.items.get_mut(id.0 as usize)
    }

    pub(super) fn span_text(&self, token: Token) -> &'t str {
        self.lexer.text_of(token)
    }

    /// Reads what `use` brings in; the lexer stands behind `use` or `extern crate`.
    pub(super) fn read_imports(&mut self) {
        let scope = self.open.last().map(|item| item.id);
        read_use(&mut self.lexer, self.pending.public, scope, &mut self.out.uses);
        self.refresh();
    }

    /// Closes what the file leaves open.
    fn finish(&mut self) {
        let end = self.text.len() as u32;
        if let Some(start) = self.lexer.unterminated {
            self.imbalance(start, "this string or comment is not ended".to_owned());
        } else if !self.below.is_empty() {
            let message = format!("this `{}` is not closed", char::from(self.top.bracket));
            self.imbalance(self.top.start, message);
        }
        while self.pop(end, None) {}
        if self.top.header.take().is_some() {
            self.end_item(end, None);
        }
    }

    /// Only the first is reported: the others follow from it.
    fn imbalance(&mut self, at: u32, message: String) {
        if !std::mem::replace(&mut self.unbalanced, true) {
            self.problem(at, message, true);
        }
    }

    fn problem(&mut self, at: u32, message: String, fatal: bool) {
        let lines = self.lines.get_or_insert_with(|| Lines::new(self.text));
        let (line, column) = lines.line_column(self.text, at);
        self.out.problems.push(Problem { path: self.path.to_owned(), line, column, message, fatal });
    }
}

pub(super) fn is_container(kind: ItemKind) -> bool {
    matches!(kind, ItemKind::Mod | ItemKind::Impl | ItemKind::Trait)
}

pub(super) fn is_macro_name((token, word): (Token, Word)) -> bool {
    let is_name = matches!(word, Word::Name | Word::Soft | Word::Union);
    token.kind == Kind::RawIdent || token.kind == Kind::Ident && is_name
}

fn opener(close: u8) -> u8 {
    match close {
        b')' => b'(',
        b']' => b'[',
        _ => b'{',
    }
}

fn kind_bit(bracket: u8) -> u8 {
    match bracket {
        b'(' => 1,
        b'[' => 2,
        _ => 4,
    }
}
