//! What an attribute says about test code. Nothing else of attributes is read here.

use super::lexer::{Kind, Lexer, Token};
use super::outline::Reader;

impl Reader<'_> {
    /// Notes an attribute whose `[` this is: for the item behind it, or with `#!` for the one around it.
    pub(super) fn read_attribute(&mut self, bracket: Token) {
        let test = is_test(self.lexer.clone());
        if self.last.0.kind == Kind::Punct(b'#') {
            self.pending.attribute_begins(self.last.0.start, bracket.end, test);
        } else if test {
            self.inner_test();
        }
    }

    /// `#![cfg(test)]`, for the file or for the item that it stands in.
    fn inner_test(&mut self) {
        if let Some(item) = self.open.last_mut() {
            item.in_test = true;
            let id = item.id;
            if let Some(item) = self.item_mut(id) {
                item.in_test = true;
            }
        } else if self.below.is_empty() {
            self.out.test_file = true;
        }
    }
}

/// Whether the attribute whose `[` the lexer has just passed makes test code of what it stands on:
/// `#[test]`, `#[tokio::test]`, `#[rstest]`, `#[test_case(…)]`, `#[bench]`, `#[cfg(test)]`, `#[cfg(any(test, …))]`; not `#[cfg(not(test))]`.
fn is_test(mut lexer: Lexer) -> bool {
    let mut name = "";
    loop {
        match lexer.next_code() {
            Some(token) if is_word(token) => name = lexer.text_of(token),
            Some(Token { kind: Kind::PathSep, .. }) => {}
            Some(Token { kind: Kind::Open(b'('), .. }) if name == "cfg" => return holds_test(lexer),
            _ => break,
        }
    }
    matches!(name, "test" | "bench" | "rstest") || name.starts_with("test_") || name.ends_with("_test")
}

/// Whether a `cfg` predicate, behind its `(`, names `test` other than under a `not(…)`.
/// Brackets of other kinds end it, so that a broken attribute is never read beyond its own end.
fn holds_test(mut lexer: Lexer) -> bool {
    let mut depth = 1_usize;
    // Depth of the outermost `not(…)` that is open.
    let mut negated = None;
    let mut name = "";
    while let Some(token) = lexer.next_code() {
        match token.kind {
            Kind::Open(b'(') => {
                depth += 1;
                if name == "not" && negated.is_none() {
                    negated = Some(depth);
                }
            }
            Kind::Close(b')') => {
                // A name stands for itself where no `(` or `=` follows it.
                if name == "test" && negated.is_none() {
                    return true;
                }
                if negated == Some(depth) {
                    negated = None;
                }
                depth -= 1;
                if depth == 0 {
                    return false;
                }
            }
            Kind::Open(_) | Kind::Close(_) => return false,
            Kind::Punct(b',') if name == "test" && negated.is_none() => return true,
            _ => {}
        }
        name = if is_word(token) { lexer.text_of(token) } else { "" };
    }
    false
}

fn is_word(token: Token) -> bool {
    matches!(token.kind, Kind::Ident | Kind::RawIdent)
}
