//! Variables that a macro's tokens read without saying so as an expression: `{name}` in a format string, names among tokens that nothing parses.
//! They are lowered as paths, so that whoever asks what is read finds them; which names are variables at all is told by `scopes`.

use super::lower::Lowering;
use super::types::name;
use super::{ExprId, ExprKind, Path};
use proc_macro2::{Literal, TokenStream, TokenTree};

/// How many are kept of one macro call.
const MAX_CAPTURES: usize = 64;

impl Lowering {
    /// What the format strings among a macro's arguments capture.
    pub(super) fn captured_in_formats(&mut self, tokens: &TokenStream) -> Vec<ExprId> {
        let mut found = Vec::new();
        for token in tokens.clone() {
            if let TokenTree::Literal(literal) = token {
                found.extend(self.captured_in(&literal));
            }
        }
        found.truncate(MAX_CAPTURES);
        found
    }

    /// The names among tokens that are read as expressions are, and what the format strings of macros inside capture.
    pub(super) fn captured_in_tokens(&mut self, tokens: TokenStream) -> Vec<ExprId> {
        let mut found = Vec::new();
        // groups that are still to be read, and whether each is a macro's
        let mut open = vec![(tokens, false)];
        while let Some((tokens, of_macro)) = open.pop() {
            let tokens: Vec<TokenTree> = tokens.into_iter().collect();
            for (at, token) in tokens.iter().enumerate() {
                if found.len() >= MAX_CAPTURES {
                    return found;
                }
                match token {
                    TokenTree::Group(group) => {
                        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
                        open.push((group.stream(), is_punct(before, '!')));
                    }
                    TokenTree::Literal(literal) if of_macro => found.extend(self.captured_in(literal)),
                    TokenTree::Ident(ident) if is_read(&tokens, at) => {
                        found.push(self.read_of(name(ident), ident.span()));
                    }
                    _ => {}
                }
            }
        }
        found
    }

    fn captured_in(&mut self, literal: &Literal) -> Vec<ExprId> {
        let syn::Lit::Str(text) = syn::Lit::new(literal.clone()) else { return Vec::new() };
        captures(&text.value()).into_iter().map(|name| self.read_of(name, literal.span())).collect()
    }

    fn read_of(&mut self, name: String, at: proc_macro2::Span) -> ExprId {
        let span = self.span(at);
        self.push(ExprKind::Path(Path { segments: vec![name], generics: Vec::new() }), span).id
    }
}

/// Whether a name among tokens is read: no field, method, key, part of a path, macro or place that is set.
fn is_read(tokens: &[TokenTree], at: usize) -> bool {
    let before = |steps: usize| at.checked_sub(steps).and_then(|at| tokens.get(at));
    let after = |steps: usize| tokens.get(at + steps);
    let twice = |sign: char| is_punct(before(1), sign) && is_punct(before(2), sign);
    let belongs = is_punct(before(1), '.') && !twice('.') || twice(':') || is_punct(before(1), '\'');
    let is_set = is_punct(after(1), '=') && !is_punct(after(2), '=');
    !belongs && !is_set && !is_punct(after(1), ':') && !is_punct(after(1), '!')
}

fn is_punct(token: Option<&TokenTree>, sign: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
}

/// The names in the braces of a format string: `{name}`, `{name:>width$}` reads both.
fn captures(format: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = format;
    while let Some(open) = rest.find('{') {
        let Some(inside) = rest.get(open + 1..) else { break };
        if let Some(escaped) = inside.strip_prefix('{') {
            rest = escaped;
            continue;
        }
        let Some(close) = inside.find('}') else { break };
        let Some(held) = inside.get(..close) else { break };
        let (argument, spec) = held.split_once(':').unwrap_or((held, ""));
        names.extend(identifier(argument.trim()));
        // `width$` and `.precision$`
        let parts = spec.split('$');
        let before_a_sign = parts.clone().count().saturating_sub(1);
        for part in parts.take(before_a_sign) {
            let word = part.rfind(|sign: char| !sign.is_alphanumeric() && sign != '_').map_or(0, |at| at + 1);
            names.extend(part.get(word..).and_then(identifier));
        }
        rest = inside.get(close + 1..).unwrap_or_default();
    }
    names
}

fn identifier(text: &str) -> Option<String> {
    let named = text.starts_with(|first: char| first.is_alphabetic() || first == '_');
    let whole = text.chars().all(|sign| sign.is_alphanumeric() || sign == '_');
    (named && whole && text != "_").then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::captures;

    #[test]
    fn names_in_braces_are_captured_and_nothing_else_is() {
        assert_eq!(captures("http://{host}:{port}/{id:>5}?{0}{}"), ["host", "port", "id"]);
        assert_eq!(captures("{value:width$.precision$} {{not}} {open"), ["value", "width", "precision"]);
        assert_eq!(captures("{\"key\": 1} {a.b} {1a} {_}"), Vec::<String>::new());
    }
}
