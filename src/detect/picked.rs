//! Which variants of a kind the crate's own code chooses: of a policy with five kinds, those that some function or constant really asks for.
//! A constructor that nobody here calls chooses nothing; neither do tests.

use super::context::Context;
use super::memo::kept;
use crate::body::{ExprKind, Path};
use crate::resolve::{ItemRef, Target};
use crate::source::ItemKind;

/// Functions and constants that are looked into for one variant.
const MOST_PLACES: usize = 48;

impl Context<'_> {
    /// Whether code outside of tests chooses this variant.
    pub(crate) fn is_picked(&self, kind: ItemRef, variant: &str) -> bool {
        let key = (kind, variant.to_owned());
        kept(&self.memo.picked, key, || self.find_picked(kind, variant))
    }

    fn find_picked(&self, kind: ItemRef, variant: &str) -> bool {
        let places = self.speaking_of(&format!("::{variant}"));
        places.into_iter().take(MOST_PLACES).any(|at| self.builds(at, kind, variant) && self.is_used(at))
    }

    /// Functions and constants outside of tests whose text holds these words.
    pub(crate) fn speaking_of(&self, words: &str) -> Vec<ItemRef> {
        let is_code = |kind| matches!(kind, ItemKind::Fn | ItemKind::Const | ItemKind::Static);
        let items = self.krate.items().filter(|(at, item)| {
            is_code(item.kind)
                && !item.in_test
                && self
                    .krate
                    .file(*at)
                    .is_some_and(|file| !file.in_test && file.slice(item.span).contains(words))
        });
        items.map(|(at, _)| at).collect()
    }

    /// Whether a body makes a value of this variant: as an expression, not as a pattern.
    pub(crate) fn builds(&self, at: ItemRef, kind: ItemRef, variant: &str) -> bool {
        let Some(inner) = self.inside(at) else { return false };
        let means = |path: &Path| {
            path.last() == variant
                && matches!(inner.krate.path(at, &path.segments), Target::Variant(of, _) if of == kind)
        };
        let mut compared = Vec::new();
        for (_, expr) in inner.body.exprs() {
            if let ExprKind::Binary(_, left, right) = expr.kind {
                compared.extend([left, right]);
            }
        }
        inner.body.exprs().any(|(id, expr)| match &expr.kind {
            ExprKind::Path(path) => means(path) && !compared.contains(&id),
            ExprKind::Struct(lit) => means(&lit.path),
            _ => false,
        })
    }

    /// Whether somebody asks for what a function gives. A constructor is asked by name; anything else runs by itself.
    fn is_used(&self, at: ItemRef) -> bool {
        let Some(item) = self.krate.item(at) else { return false };
        let constructs = item.kind == ItemKind::Fn
            && self.krate.signature(at).is_some_and(|head| head.receiver.is_none())
            && item.parent.is_some_and(|parent| {
                self.krate
                    .item(ItemRef { file: at.file, item: parent })
                    .is_some_and(|it| it.kind == ItemKind::Impl)
            });
        if !constructs {
            return true;
        }
        let call = format!("::{}(", item.name);
        self.speaking_of(&call).into_iter().any(|user| user != at)
    }
}
