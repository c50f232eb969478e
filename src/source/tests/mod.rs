//! What the rest of the program relies on when it reads outlines, lines and walks.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod comments;
mod items;
mod limits;
mod lines;
mod tells;
mod uses;
mod walk;

use super::{Item, ItemKind, Outline, outline};
use crate::body::Span;

fn read(text: &str) -> Outline {
    outline(text, "src/lib.rs")
}

fn text_of(text: &str, span: Span) -> &str {
    &text[span.start as usize..span.end as usize]
}

fn item<'o>(outline: &'o Outline, name: &str) -> &'o Item {
    outline.items.iter().find(|item| item.name == name).unwrap_or_else(|| panic!("no item {name}"))
}

/// `kind name` of each item, indented by how deep it lies.
fn tree(outline: &Outline) -> Vec<String> {
    let line = |item: &Item| {
        let around = std::iter::successors(item.parent, |id| outline.items[id.0 as usize].parent).count();
        let of = item.of_trait.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
        format!("{}{} {}{of}", "  ".repeat(around), word(item.kind), item.name)
    };
    outline.items.iter().map(line).collect()
}

fn word(kind: ItemKind) -> String {
    format!("{kind:?}").to_lowercase()
}
