//! Where an item begins and ends, and what its header says: kind, name, an impl's type and trait, where its body is.
//! Only what stands where an item may stand is one: `fn(u32)`, `impl Trait`, `const { … }`, `unsafe { … }` are not.

use super::lexer::{Kind, Token};
use super::outline::{Reader, Room, is_container};
use super::tells::Called;
use super::words::{Word, word};
use super::{Item, ItemId, ItemKind, Tells};
use crate::body::Span;

/// What has been read before an item's own keyword.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pending {
    /// `pub`, `async`, `unsafe`, … where there are any.
    start: Option<u32>,
    attributes: Option<Span>,
    test: bool,
    pub(super) public: bool,
}

impl Pending {
    pub(super) fn attribute_begins(&mut self, start: u32, end: u32, test: bool) {
        let attributes = self.attributes.get_or_insert(Span { start, end });
        attributes.end = end;
        self.test |= test;
    }

    pub(super) fn attribute_ends(&mut self, end: u32) {
        if let Some(attributes) = &mut self.attributes {
            attributes.end = end;
        }
    }
}

/// An item that has begun and not ended.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)]
pub(super) struct OpenItem {
    pub(super) id: ItemId,
    pub(super) kind: ItemKind,
    pub(super) in_test: bool,
    /// Its body, or value, has begun.
    pub(super) in_body: bool,
    /// It, or an item around it, is parsed as a whole.
    pub(super) in_counted: bool,
    pub(super) too_deep: bool,
    /// Its header holds a telling word.
    pub(super) telling_name: bool,
    pub(super) tells: Tells,
    pub(super) called: Called,
}

/// An item of which the body has not begun.
#[derive(Debug)]
pub(super) struct Header {
    id: ItemId,
    kind: ItemKind,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Names, generics, parameters, types.
    Signature,
    /// An impl behind its type.
    Bounds,
    /// At the `=` of a constant.
    BeforeValue,
    /// In the value of a constant.
    Value,
}

impl Header {
    /// Whether this bracket opens the body. A brace among generics is an argument: `Array<{ N + 1 }>`.
    pub(super) fn body_opens(&self, bracket: u8, angles: u32) -> bool {
        match self.kind {
            ItemKind::Const | ItemKind::Static | ItemKind::Type => false,
            ItemKind::MacroRules => true,
            _ => bracket == b'{' && angles == 0,
        }
    }

    /// Whether a constant's value is being read, which is code.
    pub(super) fn in_value(&self) -> bool {
        matches!(self.stage, Stage::BeforeValue | Stage::Value)
    }

    /// What may stand in the body.
    pub(super) fn room(&self) -> Room {
        match self.kind {
            ItemKind::Fn => Room::Code,
            ItemKind::Mod | ItemKind::Impl | ItemKind::Trait => Room::Items,
            _ => Room::Opaque,
        }
    }
}

impl Reader<'_> {
    /// Whether the token begins an item, or may be part of what stands before one.
    pub(super) fn begins_item(&mut self, token: Token, word: Word) -> bool {
        let kind = match word {
            Word::Name => return self.keeps_fresh(token),
            Word::Pub => {
                self.pending.public = true;
                return self.qualifies(token);
            }
            Word::Extern if self.next_is_crate() => {
                self.lexer.next_code();
                self.read_imports();
                return true;
            }
            Word::Use => {
                self.read_imports();
                return true;
            }
            Word::Async | Word::Unsafe | Word::Extern | Word::Soft => return self.qualifies(token),
            Word::Const if !self.next_is_constant() => return self.qualifies(token),
            Word::Const => ItemKind::Const,
            Word::Static if self.next_is_constant() => ItemKind::Static,
            Word::Fn => ItemKind::Fn,
            Word::Impl => ItemKind::Impl,
            Word::Mod => ItemKind::Mod,
            Word::Struct | Word::Union => ItemKind::Struct,
            Word::Enum => ItemKind::Enum,
            Word::Trait => ItemKind::Trait,
            Word::Type => ItemKind::Type,
            Word::MacroRules => ItemKind::MacroRules,
            _ => return false,
        };
        let name = match kind {
            ItemKind::Impl => Some(String::new()),
            _ => self.name_ahead(kind),
        };
        let Some(name) = name else { return false };
        self.begin_item(kind, name, token);
        true
    }

    /// The ABI of `extern "C"`, and the punctuation of attributes.
    fn keeps_fresh(&self, token: Token) -> bool {
        match token.kind {
            Kind::Literal => self.last.1 == Word::Extern,
            Kind::Punct(b'#') => matches!(self.next_kind(), Some(Kind::Open(b'[') | Kind::Punct(b'!'))),
            Kind::Punct(b'!') => {
                self.last.0.kind == Kind::Punct(b'#') && self.next_kind() == Some(Kind::Open(b'['))
            }
            _ => false,
        }
    }

    fn qualifies(&mut self, token: Token) -> bool {
        self.pending.start.get_or_insert(token.start);
        true
    }

    fn next_is_crate(&self) -> bool {
        let mut ahead = self.lexer.clone();
        ahead.next_code().is_some_and(|token| token.kind == Kind::Ident && ahead.text_of(token) == "crate")
    }

    /// `NAME:`, also behind `mut` and `ref`.
    fn next_is_constant(&self) -> bool {
        let mut ahead = self.lexer.clone();
        let mut name = ahead.next_code();
        while name.is_some_and(|token| {
            token.kind == Kind::Ident && matches!(word(ahead.text_of(token)), Word::Mut | Word::Ref)
        }) {
            name = ahead.next_code();
        }
        name.is_some_and(|token| matches!(token.kind, Kind::Ident | Kind::RawIdent))
            && ahead.next_code().is_some_and(|token| token.kind == Kind::Punct(b':'))
    }

    /// The name behind an item's keyword. `None` where none follows: then it was no item (`fn(u32)`, `fn $name`).
    fn name_ahead(&self, kind: ItemKind) -> Option<String> {
        let mut ahead = self.lexer.clone();
        let mut token = ahead.next_code()?;
        if kind == ItemKind::MacroRules {
            if token.kind != Kind::Punct(b'!') {
                return None;
            }
            token = ahead.next_code()?;
        }
        let is_constant = matches!(kind, ItemKind::Const | ItemKind::Static);
        while is_constant && matches!(word(ahead.text_of(token)), Word::Mut | Word::Ref) {
            token = ahead.next_code()?;
        }
        let named = match token.kind {
            Kind::RawIdent => true,
            Kind::Ident => match word(ahead.text_of(token)) {
                Word::Name | Word::Soft | Word::Union | Word::MacroRules => true,
                Word::Underscore => kind == ItemKind::Const,
                _ => false,
            },
            _ => false,
        };
        named.then(|| ahead.text_of(token).to_owned())
    }

    fn begin_item(&mut self, kind: ItemKind, name: String, keyword: Token) {
        // Its `;` is missing: the item before ends here.
        if self.top.header.take().is_some() {
            self.end_item(self.last.0.end, None);
        }
        self.top.counts.end_statement();
        let pending = std::mem::take(&mut self.pending);
        let start = pending.start.unwrap_or(keyword.start);
        let parent = self.open.last();
        let in_test = pending.test || parent.map_or(self.out.test_file, |parent| parent.in_test);
        let in_counted = !is_container(kind) || parent.is_some_and(|parent| parent.in_counted);
        let parent = parent.map(|parent| parent.id);
        let id = ItemId(self.out.items.len() as u32);
        self.out.items.push(Item {
            kind,
            name,
            of_trait: None,
            span: Span { start, end: keyword.end },
            attributes: pending.attributes.unwrap_or(Span { start, end: start }),
            body: None,
            parent,
            in_test,
            too_deep: false,
            tells: Tells::default(),
        });
        // In `impl RetryPolicy`, in `mod backoff`, in `src/retry.rs` every function may be part of a policy.
        let telling_around = self
            .open
            .last()
            .map_or(self.telling_file, |around| is_container(around.kind) && around.telling_name);
        let is_fn = kind == ItemKind::Fn;
        self.open.push(OpenItem {
            id,
            kind,
            in_test,
            in_body: false,
            in_counted,
            too_deep: false,
            telling_name: telling_around,
            tells: Tells { words: is_fn && telling_around, ..Tells::default() },
            called: Called::default(),
        });
        self.top.header = Some(Header { id, kind, stage: Stage::Signature });
        self.top.fresh = false;
    }

    /// What a token that is no bracket adds to the header that is being read.
    pub(super) fn read_header(&mut self, token: Token, word: Word) {
        let angles = self.top.counts.angles;
        let Some(header) = &mut self.top.header else { return };
        if header.stage != Stage::Signature || angles > 0 {
            return;
        }
        match header.kind {
            ItemKind::Const | ItemKind::Static if token.kind == Kind::Punct(b'=') => {
                header.stage = Stage::BeforeValue;
            }
            ItemKind::Impl => self.read_impl(token, word),
            _ => {}
        }
    }

    /// Keeps the last segment of the path that is being read: first of the trait, behind `for` of the type.
    fn read_impl(&mut self, token: Token, word: Word) {
        let is_binder = word == Word::For && self.lifetimes_follow();
        let Some(header) = &mut self.top.header else { return };
        let id = header.id;
        match token.kind {
            // Behind the first bound, arrow or `where` stand other names.
            Kind::Arrow | Kind::Punct(b'+') => header.stage = Stage::Bounds,
            Kind::Ident if word == Word::Where => header.stage = Stage::Bounds,
            Kind::Ident if word == Word::For && !is_binder => {
                if let Some(item) = self.item_mut(id) {
                    item.of_trait = Some(std::mem::take(&mut item.name));
                }
            }
            Kind::Ident | Kind::RawIdent if word == Word::Name => {
                let name = self.span_text(token);
                if let Some(item) = self.item_mut(id) {
                    name.clone_into(&mut item.name);
                }
            }
            _ => {}
        }
    }

    /// Whether a `for` is that of `for<'a>`, not of `Trait for <T as U>::V`.
    fn lifetimes_follow(&self) -> bool {
        let mut ahead = self.lexer.clone();
        ahead.next_code().is_some_and(|token| token.kind == Kind::Punct(b'<'))
            && ahead.next_code().is_some_and(|token| matches!(token.kind, Kind::Lifetime | Kind::Punct(b'>')))
    }

    /// The first token behind a constant's `=`.
    pub(super) fn value_begins(&mut self, token: Token) {
        if let Some(Header { stage: stage @ Stage::BeforeValue, .. }) = &mut self.top.header
            && token.kind != Kind::Punct(b';')
        {
            *stage = Stage::Value;
            self.body_begins(token.start);
        }
    }

    pub(super) fn body_begins(&mut self, start: u32) {
        let Some(open) = self.open.last_mut() else { return };
        open.in_body = true;
        let id = open.id;
        if let Some(item) = self.item_mut(id) {
            item.body = Some(Span { start, end: start });
        }
    }

    /// The innermost item ends; its body ends at `body_end`, or is cut off where that is `None`.
    pub(super) fn end_item(&mut self, end: u32, body_end: Option<u32>) {
        let Some(open) = self.open.pop() else { return };
        let Some(item) = self.item_mut(open.id) else { return };
        item.span.end = end;
        item.tells = open.tells;
        item.too_deep = open.too_deep;
        item.body = item.body.zip(body_end).map(|(body, end)| Span { start: body.start, end });
    }
}
