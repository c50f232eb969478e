//! The right-hand sides of `macro_rules!` arms, made readable as plain Rust: `$x` becomes `_x`, `$( … ),*` its content.
//! Tokens are exchanged, not text, so each keeps the place it is written at. Nothing is expanded and no call is looked at.

use super::lower::Lowering;
use super::types::name;
use super::{Body, ExprKind, Span};
use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, TokenStream, TokenTree};
use std::collections::BTreeMap;
use syn::parse::Parser as _;

/// Groups nest at most this deep; an arm that nests deeper is left out.
const MAX_DEPTH: u32 = 256;

/// Fragments by name: `expr` for `$op:expr`.
type Fragments = BTreeMap<String, String>;

/// The arms that can be read, as bodies. `tokens` is the whole item, written at `item`.
pub(super) fn arms(tokens: TokenStream, item: Span) -> Vec<Body> {
    let Some(TokenTree::Group(rules)) =
        tokens.into_iter().filter(|token| matches!(token, TokenTree::Group(_))).last()
    else {
        return Vec::new();
    };
    let mut bodies = Vec::new();
    let mut matcher = None;
    for token in rules.stream() {
        let TokenTree::Group(group) = token else { continue };
        match matcher.take() {
            None => matcher = Some(group),
            Some(matcher) => bodies.extend(arm(&matcher, &group, item)),
        }
    }
    bodies
}

fn arm(matcher: &Group, transcriber: &Group, item: Span) -> Option<Body> {
    let mut fragments = Fragments::new();
    collect_fragments(matcher.stream(), &mut fragments);
    let tokens = substitute(transcriber.stream(), &fragments, MAX_DEPTH)?;
    let mut lowering = Lowering::new(item.start);
    let span = lowering.span(transcriber.span());
    let stmts = match syn::Block::parse_within.parse2(tokens.clone()) {
        Ok(stmts) => stmts,
        Err(_) => vec![syn::Stmt::Expr(syn::parse2(tokens).ok()?, None)],
    };
    let root = match stmts.as_slice() {
        // `{{ … }}`, and an expression alone.
        [syn::Stmt::Expr(only, None)] => lowering.expr(only).id,
        stmts => lowering.stmts(stmts, span),
    };
    let mut body = lowering.finish(root);
    // An arm that defines items and no more.
    if matches!(&body.expr(root).kind, ExprKind::Block(block) if block.stmts.is_empty() && block.tail.is_none())
    {
        return None;
    }
    let operations =
        fragments.iter().filter(|(_, kind)| matches!(kind.as_str(), "expr" | "expr_2021" | "block" | "tt"));
    body.fragments = operations.map(|(name, _)| format!("_{name}")).collect();
    Some(body)
}

/// Finds `$name:kind` in a matcher, also in its repetitions.
fn collect_fragments(matcher: TokenStream, fragments: &mut Fragments) {
    let mut open = vec![matcher];
    while let Some(tokens) = open.pop() {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for window in tokens.windows(4) {
            if let [
                TokenTree::Punct(dollar),
                TokenTree::Ident(fragment),
                TokenTree::Punct(colon),
                TokenTree::Ident(kind),
            ] = window
                && dollar.as_char() == '$'
                && colon.as_char() == ':'
            {
                fragments.insert(name(fragment), name(kind));
            }
        }
        open.extend(tokens.iter().filter_map(|token| match token {
            TokenTree::Group(group) => Some(group.stream()),
            _ => None,
        }));
    }
}

/// The tokens without `$`; `None` where they nest too deep.
fn substitute(tokens: TokenStream, fragments: &Fragments, left: u32) -> Option<TokenStream> {
    let left = left.checked_sub(1)?;
    let mut plain = TokenStream::new();
    let mut rest = tokens.into_iter().peekable();
    while let Some(token) = rest.next() {
        let dollar = match token {
            TokenTree::Punct(punct) if punct.as_char() == '$' => punct,
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), substitute(group.stream(), fragments, left)?);
                inner.set_span(group.span());
                plain.extend([TokenTree::Group(inner)]);
                continue;
            }
            other => {
                plain.extend([other]);
                continue;
            }
        };
        match rest.next() {
            Some(TokenTree::Ident(fragment)) => plain.extend(stand_in(&dollar, &fragment, fragments)),
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {
                plain.extend(substitute(group.stream(), fragments, left)?);
                skip_repetition(&mut rest);
            }
            // `${count(x)}`, `$$`: no meaning without expansion; the arm will not parse and is left out.
            other => plain.extend([TokenTree::Punct(dollar)].into_iter().chain(other)),
        }
    }
    Some(plain)
}

/// What stands for `$fragment`, at the same place.
fn stand_in(dollar: &Punct, fragment: &Ident, fragments: &Fragments) -> Vec<TokenTree> {
    let span = dollar.span().join(fragment.span()).unwrap_or_else(|| fragment.span());
    let fragment = name(fragment);
    // `$op.$await`: nothing else is called so, and an arm for sync callers gives a method's name
    if matches!(fragment.as_str(), "crate" | "await") {
        return vec![Ident::new(&fragment, span).into()];
    }
    let ident = TokenTree::from(Ident::new(&format!("_{fragment}"), span));
    match fragments.get(&fragment).map(String::as_str) {
        // May be empty, and no other word may stand in its place.
        Some("vis") => Vec::new(),
        Some("lifetime") => {
            let mut quote = Punct::new('\'', Spacing::Joint);
            quote.set_span(span);
            vec![quote.into(), ident]
        }
        // So that `loop $body` can be read.
        Some("block") => {
            let mut block = Group::new(Delimiter::Brace, ident.into());
            block.set_span(span);
            vec![block.into()]
        }
        _ => vec![ident],
    }
}

/// Skips the separator and the `*`, `+` or `?` behind `$( … )`.
fn skip_repetition(rest: &mut std::iter::Peekable<proc_macro2::token_stream::IntoIter>) {
    // A separator is one token, which may be up to three signs (`..=`).
    for _ in 0..4 {
        match rest.peek() {
            Some(TokenTree::Punct(punct)) => {
                let ends = matches!(punct.as_char(), '*' | '+' | '?');
                rest.next();
                if ends {
                    return;
                }
            }
            Some(_) => {
                rest.next();
            }
            None => return,
        }
    }
}
