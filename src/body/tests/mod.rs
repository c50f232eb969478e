//! Looks into bodies through a dump of them, one line a body.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::format_collect
)]

mod dump;
mod exprs;
mod items;
mod macros;
mod scopes;
mod spans;

use super::{Body, Span, parse_const, parse_fn, parse_macro_rules};

/// The range of a piece of the text.
fn range(text: &str, piece: &str) -> Span {
    let start = text.find(piece).unwrap_or_else(|| panic!("no `{piece}` in `{text}`"));
    Span { start: start as u32, end: (start + piece.len()) as u32 }
}

/// The body of a function that is the whole text.
fn whole(text: &str) -> Body {
    parse_fn(text, Span { start: 0, end: text.len() as u32 })
        .unwrap_or_else(|error| panic!("{error} in `{text}`"))
}

/// The dump of an expression.
fn expr(text: &str) -> String {
    let body = parse_const(text, Span { start: 0, end: text.len() as u32 });
    let body = body.unwrap_or_else(|error| panic!("{error} in `{text}`"));
    dump::expr(&body, body.root)
}

/// The dump of a function's statements.
fn stmts(text: &str) -> String {
    let body = whole(&format!("fn f() {{ {text} }}"));
    dump::expr(&body, body.root)
}

/// The dumps of a macro's arms.
fn arms(text: &str) -> Vec<(String, Vec<String>)> {
    let bodies = parse_macro_rules(text, Span { start: 0, end: text.len() as u32 });
    bodies.iter().map(|body| (dump::expr(body, body.root), body.fragments.clone())).collect()
}

/// Runs with the stack that analysis threads have.
fn with_stack(run: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        std::thread::Builder::new().stack_size(16 << 20).spawn_scoped(scope, run).unwrap().join().unwrap();
    });
}
