//! Where a word stands in the texts: a cheap way to the few bodies that are worth parsing for a question.

use super::{Crate, ItemRef};
use crate::source::{ItemId, ItemKind};

impl Crate {
    /// The first `limit` functions, constants and statics whose body calls something of this name, by file and source order. Modules and fields
    /// may be called alike, and stand in more bodies.
    pub(super) fn functions_calling(&self, name: &str, limit: usize) -> Vec<ItemRef> {
        self.functions_where(name, limit, is_called, |_| true)
    }

    /// The same of bodies that hold a word, and may be meant.
    pub(super) fn functions_that(
        &self,
        word: &str,
        limit: usize,
        may: impl Fn(ItemRef) -> bool,
    ) -> Vec<ItemRef> {
        self.functions_where(word, limit, |_| true, may)
    }

    fn functions_where(
        &self,
        word: &str,
        limit: usize,
        goes_on: impl Fn(&[u8]) -> bool,
        may: impl Fn(ItemRef) -> bool,
    ) -> Vec<ItemRef> {
        let finder = memchr::memmem::Finder::new(word);
        let mut found: Vec<ItemRef> = Vec::new();
        for (file, source) in (0u32..).zip(&self.files) {
            let text = source.text.as_bytes();
            for start in finder.find_iter(text).filter(|start| is_word(text, *start, word.len())) {
                if !goes_on(text.get(start + word.len()..).unwrap_or_default()) {
                    continue;
                }
                let Some(at) = self.code_around(file, start as u32) else { continue };
                // Words of one function come one after the other, save where another is nested in it.
                if found.iter().rev().take(8).any(|known| *known == at) || !may(at) {
                    continue;
                }
                found.push(at);
                if found.len() == limit {
                    return found;
                }
            }
        }
        found
    }

    /// The innermost function, constant or static in whose body a byte lies.
    fn code_around(&self, file: u32, byte: u32) -> Option<ItemRef> {
        let items = &self.files.get(file as usize)?.outline.items;
        let after = items.partition_point(|item| item.span.start <= byte);
        let mut next = after.checked_sub(1);
        while let Some(number) = next {
            let item = items.get(number)?;
            let has_code = matches!(item.kind, ItemKind::Fn | ItemKind::Const | ItemKind::Static);
            if has_code && item.body.is_some_and(|body| body.start <= byte && byte < body.end) {
                return Some(ItemRef { file, item: ItemId(number as u32) });
            }
            next = item.parent.map(|parent| parent.0 as usize).filter(|parent| *parent < number);
        }
        None
    }
}

fn is_word(text: &[u8], start: usize, length: usize) -> bool {
    let is_part = |byte: Option<&u8>| {
        byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80)
    };
    let before = start.checked_sub(1).and_then(|at| text.get(at));
    !is_part(before) && !is_part(text.get(start + length))
}

/// Whether what follows a name calls it: `(`, or types in `::<…>` first.
fn is_called(after: &[u8]) -> bool {
    let after = after.trim_ascii_start();
    after.starts_with(b"(")
        || after.strip_prefix(b"::").is_some_and(|types| types.trim_ascii_start().starts_with(b"<"))
}
