//! Small crates as lists of files, questions about them, and answers in words.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod paths;
mod types;
mod uses;

use super::{Crate, ItemRef, Target};
use crate::body::{Body, ExprId, ExprKind, Stmt, Ty};
use crate::source::{Lines, SourceFile, outline};

/// A crate of `(path, text)` files without a manifest.
fn krate(files: &[(&str, &str)]) -> Crate {
    krate_of("[package]\nname = \"app\"\n[dependencies]\ntokio = \"1\"\nreqwest = \"0.12\"\n", files)
}

fn krate_of(manifest: &str, files: &[(&str, &str)]) -> Crate {
    let files = files.iter().map(|(path, text)| SourceFile {
        path: (*path).into(),
        text: (*text).to_owned(),
        lines: Lines::new(text),
        outline: outline(text, path),
        in_test: false,
        context_only: false,
    });
    Crate::new(files.collect(), Some(manifest))
}

/// The only item of this qualified name (`Client::get`), or of the name alone.
fn item(krate: &Crate, name: &str) -> ItemRef {
    let mut found = krate.items().filter(|(at, item)| {
        krate.qualified_name(*at) == name && !matches!(item.kind, crate::source::ItemKind::Impl)
    });
    let (at, _) = found.next().unwrap_or_else(|| panic!("no item {name}"));
    assert!(found.next().is_none(), "several items {name}");
    at
}

/// An item by its module and qualified name.
fn name_of(krate: &Crate, at: ItemRef) -> String {
    let mut path = krate.full_path(at);
    path.pop();
    path.push(krate.qualified_name(at));
    path.join("::")
}

fn words(krate: &Crate, target: &Target) -> String {
    match target {
        Target::Item(at) => name_of(krate, *at),
        Target::Variant(at, name) => format!("variant {}::{name}", name_of(krate, *at)),
        Target::External(path) => format!("extern {}", path.join("::")),
        Target::Unknown => "unknown".to_owned(),
    }
}

/// Asks what each path means inside the item `from`.
#[track_caller]
fn assert_paths(krate: &Crate, from: &str, questions: &[(&str, &str)]) {
    let from = item(krate, from);
    for (path, answer) in questions {
        let segments: Vec<String> = path.split("::").map(str::to_owned).collect();
        assert_eq!(words(krate, &krate.path(from, &segments)), *answer, "what {path} means");
    }
}

/// The value that a body ends with.
fn last_expr(body: &Body) -> ExprId {
    let mut at = body.root;
    loop {
        match &body.expr(at).kind {
            ExprKind::Block(block) => match (block.tail, block.stmts.last()) {
                (Some(tail), _) => at = tail,
                (None, Some(Stmt::Expr(last))) => at = *last,
                _ => return at,
            },
            _ => return at,
        }
    }
}

impl Crate {
    /// The type of this name, as others ask for it.
    fn self_named(&self, name: &str) -> Ty {
        Ty { path: self.full_path(item(self, name)), ..Ty::default() }
    }

    fn type_of_field(&self, ty: &str, field: &str) -> Ty {
        self.field_type(&self.self_named(ty), field).unwrap()
    }
}
