//! The attributes of an item, each read as if it were a macro call: `#[retry(times = 3)]` is the call of `retry` with `times = 3`.
//! Attributes are a language of their own; what is no list of expressions says nothing here. Names mean nothing.

use super::lower::Lowering;
use super::parse::read;
use super::types::lower_path;
use super::{Body, ExprKind, MacroCall, MacroInput, Span};
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;

/// A text longer than this is a page of documentation.
const MOST_BYTES: usize = 4_000;
/// Brackets and prefix operators in it: as deep as it can nest.
const MOST_LEVELS: usize = 128;

/// Reads the attributes in a range of the text, each as a body of one call; `name = value` among its arguments is an assignment. Documentation, and
/// what nobody can read, is left out.
pub fn parse_attributes(text: &str, range: Span) -> Vec<Body> {
    let Some(slice) = text.get(range.start as usize..range.end as usize) else { return Vec::new() };
    let opens = |c: &char| matches!(c, '(' | '[' | '{' | '<' | '!' | '-' | '*' | '&' | '|');
    if slice.len() > MOST_BYTES || slice.chars().filter(opens).count() > MOST_LEVELS {
        return Vec::new();
    }
    read(text, range, |tokens| {
        let attributes = syn::Attribute::parse_outer.parse2(tokens)?;
        Ok(attributes.iter().filter_map(|attribute| lower(attribute, range)).collect())
    })
    .unwrap_or_default()
}

fn lower(attribute: &syn::Attribute, range: Span) -> Option<Body> {
    let args: Vec<syn::Expr> = match &attribute.meta {
        syn::Meta::Path(_) => Vec::new(),
        syn::Meta::List(list) => Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated
            .parse2(list.tokens.clone())
            .ok()?
            .into_iter()
            .collect(),
        syn::Meta::NameValue(_) => return None,
    };
    let mut lowering = Lowering::new(range.start);
    let (pound, brackets) = (attribute.pound_token.span, attribute.bracket_token.span.close());
    let span = Span { start: lowering.span(pound).start, end: lowering.span(brackets).end };
    let args = args.iter().map(|arg| lowering.expr(arg).id).collect();
    let path = lower_path(None, attribute.path());
    let call = MacroCall { path, input: MacroInput::Args(args), captures: Vec::new() };
    let root = lowering.push(ExprKind::Macro(call), span).id;
    Some(lowering.finish(root))
}
