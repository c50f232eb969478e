//! What an attribute says about test code. Nothing else of attributes is read here.

use super::lexer::{Kind, Lexer, Token};

/// Whether the attribute whose `[` the lexer has just passed makes test code of what it stands on:
/// `#[test]`, `#[tokio::test]`, `#[rstest]`, `#[test_case(…)]`, `#[bench]`, `#[cfg(test)]`, `#[cfg(any(test, …))]`; not `#[cfg(not(test))]`.
pub(super) fn is_test(mut lexer: Lexer) -> bool {
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
