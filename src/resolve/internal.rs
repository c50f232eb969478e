//! Whether a function can be called from this crate alone: what its callers here give it is then all that it is ever given.
//! Answered from the text of outlines; where a `pub use` may hand it out, or a trait calls it, the answer is no.

use super::index::Scope;
use super::{Crate, ItemRef};
use crate::source::{ItemKind, SourceFile};

impl Crate {
    /// Whether only this crate's own code can call a function: it, its type, or a module around it is not `pub`, or it lies in a program.
    pub fn is_internal(&self, at: ItemRef) -> bool {
        let Some(item) = self.item(at).filter(|item| item.kind == ItemKind::Fn) else { return false };
        let around = item.parent.and_then(|parent| self.item(ItemRef { file: at.file, item: parent }));
        let mut names = vec![item.name.as_str()];
        if let Some(around) = around.filter(|around| matches!(around.kind, ItemKind::Impl | ItemKind::Trait))
        {
            if around.kind == ItemKind::Trait || around.of_trait.is_some() {
                return false;
            }
            names.push(&around.name);
        }
        if !self.is_pub(at) {
            return true;
        }
        let mut hidden = names.get(1).is_some_and(|name| {
            self.index.named(name).iter().any(|of| self.is_type(*of) && !self.is_pub(*of))
        });
        let mut next = self.index.module_around(&self.files, at);
        // modules may be nested only as deep as outlines go
        while let Some(scope) = next.and_then(|id| self.index.scope(id)) {
            next = scope.parent;
            match scope.owner.map(|owner| ItemRef { file: scope.file, item: owner }).or(scope.declared) {
                Some(module) if scope.is_module && !self.is_pub(module) => {
                    hidden = true;
                    names.push(&scope.name);
                }
                None if next.is_none() && self.is_program(scope) => return true,
                _ => {}
            }
        }
        hidden && !self.is_handed_out(&names)
    }

    /// Whether some `pub use` may name one of these.
    fn is_handed_out(&self, names: &[&str]) -> bool {
        let uses = self.files.iter().flat_map(|source| &source.outline.uses).filter(|import| import.public);
        uses.flat_map(|import| &import.path).any(|part| names.contains(&part.as_str()))
    }

    /// Whether a file's top is a program's, that nothing can depend on.
    fn is_program(&self, root: &Scope) -> bool {
        let path = self.files.get(root.file as usize).map_or("", |file| &*file.path);
        path == "main.rs" || path.ends_with("src/main.rs") || path.contains("src/bin/")
    }

    fn is_type(&self, at: ItemRef) -> bool {
        matches!(self.kind(at), Some(ItemKind::Struct | ItemKind::Enum))
    }

    /// Whether an item is `pub` without a limit.
    fn is_pub(&self, at: ItemRef) -> bool {
        let text =
            self.file(at).zip(self.item(at)).map_or("", |(file, item)| SourceFile::slice(file, item.span));
        text.strip_prefix("pub").is_some_and(|after| {
            after.starts_with(char::is_whitespace) && !after.trim_start().starts_with('(')
        })
    }
}
