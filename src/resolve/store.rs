//! What of each item has been parsed: on first use, once, whoever asks first on whatever thread.
//! Nothing that a text contains may stop a run: what does not parse, or makes the parser panic, is kept as a problem.

use super::links::Links;
use super::{Crate, ItemRef};
use crate::body::{
    AliasData, Body, BodyError, EnumData, ImplData, Signature, Span, StructData, Ty, parse_alias,
    parse_attributes, parse_const, parse_const_type, parse_enum, parse_fn, parse_impl, parse_macro_rules,
    parse_signature, parse_struct,
};
use crate::model::Problem;
use crate::source::{Item, ItemKind, SourceFile};
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

/// A slot for each item of each file.
#[derive(Debug)]
pub(super) struct Store {
    items: Vec<Vec<Slot>>,
}

#[derive(Debug, Default)]
struct Slot {
    /// The body of a function, constant, static, or the arms of a macro.
    bodies: OnceLock<Bodies>,
    /// The head of a function or impl, the inside of a type.
    data: OnceLock<Data>,
    /// The attributes of a function.
    attributes: OnceLock<Vec<Body>>,
    /// The links of a body.
    links: OnceLock<Box<Links>>,
}

#[derive(Debug, Default)]
struct Bodies {
    read: Vec<Body>,
    problem: Option<Box<Problem>>,
}

#[derive(Debug)]
enum Data {
    Nothing,
    Struct(Box<StructData>),
    Enum(Box<EnumData>),
    Alias(Box<AliasData>),
    Impl(Box<ImplData>),
    Fn(Box<Signature>),
    Const(Box<Ty>),
}

impl Store {
    /// Empty slots for these files.
    pub(super) fn new(files: &[SourceFile]) -> Self {
        let slots = |source: &SourceFile| source.outline.items.iter().map(|_| Slot::default()).collect();
        Self { items: files.iter().map(slots).collect() }
    }

    fn slot(&self, at: ItemRef) -> Option<&Slot> {
        self.items.get(at.file as usize)?.get(at.item.0 as usize)
    }
}

impl Crate {
    /// The parsed body of a function, constant or static (its value); parsed on first use and kept. `None` where it has none, is too deep or does not parse.
    pub fn body(&self, at: ItemRef) -> Option<&Body> {
        let item = self.item(at)?;
        if !matches!(item.kind, ItemKind::Fn | ItemKind::Const | ItemKind::Static) {
            return None;
        }
        self.bodies(at)?.read.first()
    }

    /// The arms of a `macro_rules!` item that parse as expressions or statements.
    pub fn macro_arms(&self, at: ItemRef) -> &[Body] {
        let is_macro = self.kind(at) == Some(ItemKind::MacroRules);
        self.bodies(at).filter(|_| is_macro).map_or(&[], |bodies| bodies.read.as_slice())
    }

    /// The attributes of a function that can be read, each as a call.
    pub fn attributes(&self, at: ItemRef) -> &[Body] {
        let (Some(source), Some(item), Some(slot)) = (self.file(at), self.item(at), self.store.slot(at))
        else {
            return &[];
        };
        if item.kind != ItemKind::Fn {
            return &[];
        }
        // The parser is not ours: a panic in it is an attribute that says nothing.
        let read = || catch_unwind(AssertUnwindSafe(|| parse_attributes(&source.text, item.attributes)));
        slot.attributes.get_or_init(|| read().unwrap_or_default())
    }

    /// What could not be parsed among the bodies that were asked for so far, sorted.
    pub fn problems(&self) -> Vec<Problem> {
        let slots = self.store.items.iter().flatten();
        let read = slots.filter_map(|slot| slot.bodies.get());
        let mut problems: Vec<Problem> =
            read.filter_map(|bodies| bodies.problem.as_deref().cloned()).collect();
        problems.sort();
        problems
    }

    /// The head of a function; the bodyless ones of traits have one too.
    pub fn signature(&self, at: ItemRef) -> Option<&Signature> {
        match self.data(at)? {
            Data::Fn(data) => Some(data),
            _ => None,
        }
    }

    /// The fields of a struct.
    pub fn struct_data(&self, at: ItemRef) -> Option<&StructData> {
        match self.data(at)? {
            Data::Struct(data) => Some(data),
            _ => None,
        }
    }

    /// The variants of an enum.
    pub fn enum_data(&self, at: ItemRef) -> Option<&EnumData> {
        match self.data(at)? {
            Data::Enum(data) => Some(data),
            _ => None,
        }
    }

    /// The written type of a constant or static.
    pub(super) fn const_type(&self, at: ItemRef) -> Option<&Ty> {
        match self.data(at)? {
            Data::Const(data) => Some(data),
            _ => None,
        }
    }

    /// The links of a body; kept where it is the item's own, made anew for any other (a macro's arm).
    pub(super) fn links<'a>(&'a self, at: ItemRef, body: &Body) -> Cow<'a, Links> {
        let own = self.body(at).filter(|own| std::ptr::eq(*own, body));
        match own.and_then(|_| self.store.slot(at)) {
            Some(slot) => Cow::Borrowed(slot.links.get_or_init(|| Box::new(Links::new(body)))),
            None => Cow::Owned(Links::new(body)),
        }
    }

    pub(super) fn alias_data(&self, at: ItemRef) -> Option<&AliasData> {
        match self.data(at)? {
            Data::Alias(data) => Some(data),
            _ => None,
        }
    }

    pub(super) fn impl_data(&self, at: ItemRef) -> Option<&ImplData> {
        match self.data(at)? {
            Data::Impl(data) => Some(data),
            _ => None,
        }
    }

    fn bodies(&self, at: ItemRef) -> Option<&Bodies> {
        let (source, item, slot) = (self.file(at)?, self.item(at)?, self.store.slot(at)?);
        if item.too_deep {
            return None;
        }
        Some(slot.bodies.get_or_init(|| read_bodies(source, item)))
    }

    fn data(&self, at: ItemRef) -> Option<&Data> {
        let (source, item, slot) = (self.file(at)?, self.item(at)?, self.store.slot(at)?);
        if item.too_deep {
            return None;
        }
        // The parser is not ours: a panic in it is an item that says nothing.
        let read = || catch_unwind(AssertUnwindSafe(|| read_data(source, item))).unwrap_or(Data::Nothing);
        Some(slot.data.get_or_init(read))
    }
}

fn read_bodies(source: &SourceFile, item: &Item) -> Bodies {
    match catch_unwind(AssertUnwindSafe(|| parse_bodies(source, item))) {
        Ok(Ok(read)) => Bodies { read, problem: None },
        Ok(Err(error)) => failed(source, error.offset, error.message),
        Err(_) => failed(
            source,
            item.span.start,
            format!("reading the body of `{}` failed inside the parser; it is left out", item.name),
        ),
    }
}

fn parse_bodies(source: &SourceFile, item: &Item) -> Result<Vec<Body>, BodyError> {
    let text = source.text.as_str();
    match (item.kind, item.body) {
        (ItemKind::Fn, Some(_)) => parse_fn(text, item.span).map(|body| vec![body]),
        (ItemKind::Const | ItemKind::Static, Some(value)) => parse_const(text, value).map(|body| vec![body]),
        (ItemKind::MacroRules, _) => Ok(parse_macro_rules(text, item.span)),
        _ => Ok(Vec::new()),
    }
}

fn failed(source: &SourceFile, offset: u32, message: String) -> Bodies {
    let place = source.place(Span { start: offset, end: offset });
    let (path, line, column) = (source.path.to_string(), place.line, place.column);
    Bodies { read: Vec::new(), problem: Some(Box::new(Problem { path, line, column, message, fatal: true })) }
}

fn read_data(source: &SourceFile, item: &Item) -> Data {
    let text = source.text.as_str();
    let read = match item.kind {
        ItemKind::Fn => parse_signature(text, item.span, item.body).map(|data| Data::Fn(Box::new(data))),
        ItemKind::Struct => parse_struct(text, item.span).map(|data| Data::Struct(Box::new(data))),
        ItemKind::Enum => parse_enum(text, item.span).map(|data| Data::Enum(Box::new(data))),
        ItemKind::Type => parse_alias(text, item.span).map(|data| Data::Alias(Box::new(data))),
        ItemKind::Impl => parse_impl(text, item.span, item.body).map(|data| Data::Impl(Box::new(data))),
        ItemKind::Const | ItemKind::Static => {
            parse_const_type(text, item.span, &item.name, item.body).map(|data| Data::Const(Box::new(data)))
        }
        ItemKind::Mod | ItemKind::Trait | ItemKind::MacroRules => None,
    };
    read.unwrap_or(Data::Nothing)
}
