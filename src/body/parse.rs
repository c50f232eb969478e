//! From a range of a file's text to a `Body`: the doors of this room.
//! Each parses its own slice and nothing around it, reads every span out, and lets go of syn's tree and of proc-macro2's map of spans before it returns.

use super::lower::Lowering;
use super::{Body, Param, Span, macro_rules, types};
use proc_macro2::TokenStream;
use std::str::FromStr as _;

/// Why a body could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BodyError {
    /// Where in the file, in bytes.
    pub offset: u32,
    /// What is wrong there.
    pub message: String,
}

/// Reads a function, method or trait method with a body. `item` is its range in the file's text, from its first token (attributes may be left out)
/// to its closing brace.
///
/// The caller has checked how deep the text nests (128 levels). As every function here, it makes all `proc_macro2` spans that the thread holds invalid: nobody may
/// keep a syn tree of their own across the call.
pub fn parse_fn(text: &str, item: Span) -> Result<Body, BodyError> {
    read(text, item, |tokens| {
        // The widest of syn's three forms of a function: visibility, `default`, `self` and a body.
        let function: syn::ImplItemFn = syn::parse2(tokens)?;
        Ok(lower_fn(&function, item))
    })
}

/// Reads the value of a constant or static. `value` is the range of the expression alone.
pub fn parse_const(text: &str, value: Span) -> Result<Body, BodyError> {
    read(text, value, |tokens| {
        let expr: syn::Expr = syn::parse2(tokens)?;
        let mut lowering = Lowering::new(value.start);
        let root = lowering.expr(&expr).id;
        Ok(lowering.finish(root))
    })
}

/// Reads the right-hand sides of a `macro_rules!` item. `item` is its range from the word `macro_rules` on. `$x` is read as the path `_x`, and of a repetition its content
/// once. Arms that are neither statements nor an expression, or have nothing to run, are left out.
pub fn parse_macro_rules(text: &str, item: Span) -> Vec<Body> {
    read(text, item, |tokens| Ok(macro_rules::arms(tokens, item))).unwrap_or_default()
}

pub(super) fn read<T>(
    text: &str,
    range: Span,
    lower: impl FnOnce(TokenStream) -> syn::Result<T>,
) -> Result<T, BodyError> {
    let Some(slice) = text.get(range.start as usize..range.end as usize) else {
        return Err(BodyError { offset: range.start, message: "no text in this range".to_owned() });
    };
    let outcome = TokenStream::from_str(slice)
        .map_err(syn::Error::from)
        .and_then(lower)
        .map_err(|error| body_error(&error, range));
    // proc-macro2 keeps every text that a thread ever parsed, to answer for its spans. They are all read out by now.
    proc_macro2::extra::invalidate_current_thread_spans();
    outcome
}

fn body_error(error: &syn::Error, range: Span) -> BodyError {
    let at = error.span().byte_range();
    // Where the text ends too early, there is no token to point at, and the span is the empty one at 0.
    let offset = if at == (0..0) { range.end } else { range.start.saturating_add(at.start as u32) };
    BodyError { offset, message: error.to_string() }
}

fn lower_fn(function: &syn::ImplItemFn, item: Span) -> Body {
    let mut lowering = Lowering::new(item.start);
    let mut params = Vec::new();
    let mut receiver = None;
    for input in &function.sig.inputs {
        match input {
            syn::FnArg::Receiver(taken) => receiver = Some(types::receiver(taken)),
            syn::FnArg::Typed(typed) => {
                let pat = lowering.pat(&typed.pat);
                params.push(Param { pat, ty: Some(types::lower_type(&typed.ty)) });
            }
        }
    }
    let root = lowering.block(&function.block);
    let mut body = lowering.unresolved(root);
    body.params = params;
    body.receiver = receiver;
    body.ret = types::return_type(&function.sig.output);
    body.is_async = function.sig.asyncness.is_some();
    body.generics = types::generics(&function.sig.generics);
    super::scopes::resolve(&mut body);
    body
}
