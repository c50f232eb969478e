//! What can be read of a macro call's tokens without expanding anything: arguments, `matches!`, `select!`, statements, or words only.
//! First parsed whole, then lowered: a reading that fails leaves nothing behind, and nested calls are parsed once each. A macro's name decides only between readings.

use super::lower::{Lowered, Lowering, to};
use super::types::{lower_path, name};
use super::{ExprKind, MacroCall, MacroInput, SelectArm};
use proc_macro2::{TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::parse::discouraged::Speculative as _;
use syn::parse::{ParseStream, Parser as _, Result};
use syn::spanned::Spanned as _;

/// How many words are kept of what cannot be read.
const MAX_WORDS: usize = 64;

/// A macro's tokens, parsed.
enum Reading {
    Args(Vec<syn::Expr>),
    Matches(Box<Matched>),
    Select(Vec<Choice>, bool),
    Block(Vec<syn::Stmt>),
    Words(Vec<String>),
}

/// What stands in a `matches!`, parsed.
struct Matched {
    value: syn::Expr,
    pat: syn::Pat,
    guard: Option<syn::Expr>,
}

/// An arm of a `select!`, parsed.
struct Choice {
    pat: Option<syn::Pat>,
    future: Option<syn::Expr>,
    guard: Option<syn::Expr>,
    body: syn::Expr,
}

impl Lowering {
    /// Lowers a macro call, as an expression.
    pub(super) fn macro_expr(&mut self, call: &syn::Macro) -> Lowered {
        let span = to(self.span(call.path.span()), self.span(call.delimiter.span().close()));
        let input = self.macro_input(call);
        let captures = match input {
            MacroInput::Args(_) => self.captured_in_formats(&call.tokens),
            MacroInput::Words(_) => self.captured_in_tokens(call.tokens.clone()),
            _ => Vec::new(),
        };
        self.push(ExprKind::Macro(MacroCall { path: lower_path(None, &call.path), input, captures }), span)
    }

    fn macro_input(&mut self, call: &syn::Macro) -> MacroInput {
        match read(call) {
            Reading::Args(args) => MacroInput::Args(args.iter().map(|arg| self.expr(arg).id).collect()),
            Reading::Matches(matched) => {
                let value = self.expr(&matched.value).id;
                let pat = self.pat(&matched.pat);
                let guard = matched.guard.as_ref().map(|guard| self.expr(guard).id);
                MacroInput::Matches { value, pat, guard }
            }
            Reading::Select(choices, biased) => {
                let arms = choices.iter().map(|choice| self.select_arm(choice)).collect();
                MacroInput::Select { arms, biased }
            }
            Reading::Block(stmts) => {
                let span = self.span(call.delimiter.span().join());
                MacroInput::Block(self.stmts(&stmts, span))
            }
            Reading::Words(words) => MacroInput::Words(words),
        }
    }

    fn select_arm(&mut self, choice: &Choice) -> SelectArm {
        let guard = choice.guard.as_ref().map(|guard| self.expr(guard).id);
        let future = choice.future.as_ref().map(|future| self.expr(future).id);
        let pat = choice.pat.as_ref().map(|pat| self.pat(pat));
        SelectArm { pat, future, guard, body: self.expr(&choice.body).id }
    }
}

fn read(call: &syn::Macro) -> Reading {
    let tokens = &call.tokens;
    let called = call.path.segments.last().map_or_else(String::new, |last| name(&last.ident));
    let braces = matches!(call.delimiter, syn::MacroDelimiter::Brace(_));
    if called.ends_with("matches")
        && let Ok(reading) = matches_input.parse2(tokens.clone())
    {
        return reading;
    }
    if (called.ends_with("select") || called.ends_with("select_biased"))
        && let Ok((choices, biased)) = select_input.parse2(tokens.clone())
    {
        return Reading::Select(choices, biased || called.ends_with("biased"));
    }
    if called.starts_with("cfg_")
        && let Ok(branches) = cfg_input.parse2(tokens.clone())
    {
        return Reading::Block(vec![syn::Stmt::Expr(branches, None)]);
    }
    match (|input: ParseStream| args_input(input, !braces)).parse2(tokens.clone()) {
        // `stream! { loop { … } }` is a body, as `stream! { let x = …; loop { … } }` is.
        Ok(args) if braces && matches!(args.as_slice(), [only] if is_block_like(only)) => {
            Reading::Block(args.into_iter().map(|only| syn::Stmt::Expr(only, None)).collect())
        }
        Ok(args) => Reading::Args(args),
        Err(_) => match syn::Block::parse_within.parse2(tokens.clone()) {
            Ok(stmts) => Reading::Block(stmts),
            Err(_) => Reading::Words(words(tokens.clone())),
        },
    }
}

/// `value, pattern if guard`, and whatever follows a further comma.
fn matches_input(input: ParseStream) -> Result<Reading> {
    let value = input.parse()?;
    input.parse::<syn::Token![,]>()?;
    let pat = syn::Pat::parse_multi_with_leading_vert(input)?;
    let guard = if input.parse::<Option<syn::Token![if]>>()?.is_some() { Some(input.parse()?) } else { None };
    if !input.is_empty() {
        input.parse::<syn::Token![,]>()?;
        input.parse::<TokenStream>()?;
    }
    Ok(Reading::Matches(Box::new(Matched { value, pat, guard })))
}

/// Comma-separated expressions, with what log macros put before them.
fn args_input(input: ParseStream, semicolons: bool) -> Result<Vec<syn::Expr>> {
    let mut args = Vec::new();
    while !input.is_empty() {
        skip_field_name(input)?;
        skip_sigil(input)?;
        if input.peek(syn::Token![let]) {
            return Err(input.error("a statement"));
        }
        let arg: syn::Expr = input.parse()?;
        // `"label" => value`, as in metrics; behind a path or a call it would rather be the arm of something.
        let names = matches!(arg, syn::Expr::Lit(_) | syn::Expr::MethodCall(_));
        args.push(arg);
        if input.is_empty() {
            break;
        }
        if semicolons && input.peek(syn::Token![;]) {
            input.parse::<syn::Token![;]>()?;
        } else if names && input.peek(syn::Token![=>]) {
            input.parse::<syn::Token![=>]>()?;
        } else {
            input.parse::<syn::Token![,]>()?;
        }
    }
    Ok(args)
}

/// `target:`, `name =`, `a.b.c =`, `"name" =`.
fn skip_field_name(input: ParseStream) -> Result<()> {
    let ahead = input.fork();
    if ahead.parse::<Option<syn::LitStr>>()?.is_none() {
        if !ahead.peek(syn::Ident::peek_any) {
            return Ok(());
        }
        ahead.call(syn::Ident::parse_any)?;
        if ahead.peek(syn::Token![:]) && !ahead.peek(syn::Token![::]) {
            ahead.parse::<syn::Token![:]>()?;
            input.advance_to(&ahead);
            return Ok(());
        }
        while ahead.peek(syn::Token![.]) && ahead.peek2(syn::Ident::peek_any) {
            ahead.parse::<syn::Token![.]>()?;
            ahead.call(syn::Ident::parse_any)?;
        }
    }
    if ahead.peek(syn::Token![=]) && !ahead.peek(syn::Token![==]) && !ahead.peek(syn::Token![=>]) {
        ahead.parse::<syn::Token![=]>()?;
        input.advance_to(&ahead);
    }
    Ok(())
}

/// `%` and `?` before a logged value.
fn skip_sigil(input: ParseStream) -> Result<()> {
    if input.peek(syn::Token![%]) {
        input.parse::<syn::Token![%]>()?;
    } else if input.peek(syn::Token![?]) {
        input.parse::<syn::Token![?]>()?;
    }
    Ok(())
}

/// The arms of a `select!`, and whether `biased;` stands before them.
fn select_input(input: ParseStream) -> Result<(Vec<Choice>, bool)> {
    syn::custom_keyword!(biased);
    let is_biased = input.peek(biased) && input.peek2(syn::Token![;]);
    if is_biased {
        input.parse::<biased>()?;
        input.parse::<syn::Token![;]>()?;
    }
    let mut choices = Vec::new();
    while !input.is_empty() {
        if input.parse::<Option<syn::Token![,]>>()?.is_none() {
            choices.push(select_choice(input)?);
        }
    }
    Ok((choices, is_biased))
}

fn select_choice(input: ParseStream) -> Result<Choice> {
    input.call(syn::Attribute::parse_outer)?;
    let (pat, future) = select_head(input)?;
    let guard = if input.parse::<Option<syn::Token![,]>>()?.is_some() {
        input.parse::<syn::Token![if]>()?;
        Some(input.parse()?)
    } else {
        None
    };
    input.parse::<syn::Token![=>]>()?;
    let body = syn::Expr::parse_with_earlier_boundary_rule(input)?;
    Ok(Choice { pat, future, guard, body })
}

/// What stands before the `=>` and the guard.
fn select_head(input: ParseStream) -> Result<(Option<syn::Pat>, Option<syn::Expr>)> {
    syn::custom_keyword!(complete);
    let wordy = input.peek(syn::Token![else]) || input.peek(syn::Token![default]) || input.peek(complete);
    if wordy && input.peek2(syn::Token![=>]) {
        input.call(syn::Ident::parse_any)?;
        return Ok((None, None));
    }
    if input.peek(syn::Ident) && input.peek2(syn::token::Paren) {
        let channel = input.peek3(syn::Token![->]);
        // Crossbeam: `recv(r) -> m`, `send(s, v) -> sent`; `default(timeout)` binds nothing.
        if channel || input.peek3(syn::Token![=>]) {
            input.call(syn::Ident::parse_any)?;
            let future = parenthesized(input)?;
            if !channel {
                return Ok((None, Some(future)));
            }
            input.parse::<syn::Token![->]>()?;
            return Ok((Some(syn::Pat::parse_multi_with_leading_vert(input)?), Some(future)));
        }
    }
    let pat = syn::Pat::parse_multi_with_leading_vert(input)?;
    input.parse::<syn::Token![=]>()?;
    Ok((Some(pat), Some(input.parse()?)))
}

/// `if #[cfg(a)] { … } else { … }` and `a => …, _ => …`, as an `if` whose condition nobody can read.
fn cfg_input(input: ParseStream) -> Result<syn::Expr> {
    let mut branches = Vec::new();
    while !input.is_empty() {
        branches.push(if input.peek(syn::Token![if]) { cfg_if_branch(input)? } else { cfg_arm(input)? });
    }
    let chained = branches.into_iter().rev().fold(None, |otherwise, (cond, then_branch)| {
        let Some(cond) = cond else {
            return Some(syn::Expr::Block(syn::ExprBlock {
                attrs: Vec::new(),
                label: None,
                block: then_branch,
            }));
        };
        Some(syn::Expr::If(syn::ExprIf {
            attrs: Vec::new(),
            if_token: syn::Token![if](cond.span()),
            cond: Box::new(syn::Expr::Verbatim(cond)),
            then_branch,
            else_branch: otherwise.map(|otherwise| (syn::token::Else::default(), Box::new(otherwise))),
        }))
    });
    chained.ok_or_else(|| input.error("no branches"))
}

/// `if #[cfg(a)] { … }` with the `else` behind it.
fn cfg_if_branch(input: ParseStream) -> Result<(Option<TokenStream>, syn::Block)> {
    input.parse::<syn::Token![if]>()?;
    let hash: TokenTree = input.parse()?;
    let brackets: TokenTree = input.parse()?;
    let block = input.parse()?;
    input.parse::<Option<syn::Token![else]>>()?;
    Ok((Some([hash, brackets].into_iter().collect()), block))
}

/// `a => …`; the last `{ … }` of `cfg_if!` too.
fn cfg_arm(input: ParseStream) -> Result<(Option<TokenStream>, syn::Block)> {
    if input.peek(syn::token::Brace) {
        return Ok((None, input.parse()?));
    }
    let mut cond = Vec::new();
    while !input.peek(syn::Token![=>]) {
        cond.push(input.parse::<TokenTree>()?);
    }
    input.parse::<syn::Token![=>]>()?;
    let block = match syn::Expr::parse_with_earlier_boundary_rule(input)? {
        syn::Expr::Block(block) => block.block,
        value => {
            let brace_token = syn::token::Brace(value.span());
            syn::Block { brace_token, stmts: vec![syn::Stmt::Expr(value, None)] }
        }
    };
    input.parse::<Option<syn::Token![,]>>()?;
    let default = matches!(cond.as_slice(), [TokenTree::Ident(only)] if only == "_") && input.is_empty();
    Ok((if default { None } else { Some(cond.into_iter().collect()) }, block))
}

/// `(a)` as the expression, `(a, b)` as a tuple.
fn parenthesized(input: ParseStream) -> Result<syn::Expr> {
    let content;
    let paren_token = syn::parenthesized!(content in input);
    let elems = content.parse_terminated(<syn::Expr as syn::parse::Parse>::parse, syn::Token![,])?;
    if elems.len() == 1
        && let Some(only) = elems.first()
    {
        return Ok(only.clone());
    }
    Ok(syn::Expr::Tuple(syn::ExprTuple { attrs: Vec::new(), paren_token, elems }))
}

fn is_block_like(expr: &syn::Expr) -> bool {
    matches!(
        expr,
        syn::Expr::Loop(_)
            | syn::Expr::While(_)
            | syn::Expr::ForLoop(_)
            | syn::Expr::If(_)
            | syn::Expr::Match(_)
            | syn::Expr::Block(_)
            | syn::Expr::Unsafe(_)
    )
}

/// The identifiers among tokens, groups included, in source order.
fn words(tokens: TokenStream) -> Vec<String> {
    let mut words = Vec::new();
    let mut open = vec![tokens.into_iter()];
    while words.len() < MAX_WORDS
        && let Some(inner) = open.last_mut()
    {
        match inner.next() {
            Some(TokenTree::Ident(ident)) => words.push(name(&ident)),
            Some(TokenTree::Group(group)) => open.push(group.stream().into_iter()),
            Some(TokenTree::Punct(_) | TokenTree::Literal(_)) => {}
            None => {
                open.pop();
            }
        }
    }
    words
}
