//! How what is written fits in: one edit where the line stays short, the whole statement laid out anew where it does not.
//! It decides nothing about what is written.

use super::around::Around;
use super::edits::{insert, replace};
use crate::body::{ExprId, ExprKind, Span};
use crate::model::Edit;
use proc_macro2::{TokenStream, TokenTree};

/// Beyond this rustfmt breaks a line.
pub(super) const WIDTH: usize = 100;

/// Names for a value that is too long to stand where it is used.
const NAMES: &[&str] = &["delay", "pause", "wait_time"];

/// Puts `text` in the place of an expression. Where that makes a line too long, it gets a `let` of its own before the statement, if nothing in
/// that would be lost when it is written anew: a comment, a block, a macro's own form.
pub(super) fn put(around: &Around<'_>, at: ExprId, text: &str) -> Edit {
    let plain = replace(&around.file.path, around.span(at), text);
    // what hangs behind the last of several lines reads as if it belonged to that
    let named_first = behind_lines(around, at, text).and_then(|tail| {
        let value = around.text(at);
        in_arm(around, at, value, tail).or_else(|| in_statement(around, at, value, tail))
    });
    if let Some(edit) = named_first {
        return edit;
    }
    if fits(around, around.span(at), text) {
        return plain;
    }
    in_arm(around, at, text, "").or_else(|| in_statement(around, at, text, "")).unwrap_or(plain)
}

/// In a statement, which keeps its own form; what is called on the value is called where it is used.
fn in_statement(around: &Around<'_>, at: ExprId, text: &str, called: &str) -> Option<Edit> {
    let statement =
        around.statement(at).filter(|statement| is_plain(around, statement.expr, statement.span, at))?;
    if around.has_attribute(statement.span) {
        return None;
    }
    let indent = around.indent(statement.span.start);
    let whole = if statement.is_let && statement.expr == at {
        if !called.is_empty() {
            let text = format!("{text}{}{indent}{called}", around.newline());
            return Some(replace(&around.file.path, around.span(at), text));
        }
        printed(&with(around, statement.span, at, text)?)?
    } else {
        let name = around.free_name(NAMES)?;
        let uses = relative(&with(around, statement.span, at, &format!("{name}{called}"))?, indent)?;
        // what only the long delay broke is one line again
        let uses = if uses.contains('\n') { printed(&uses).unwrap_or(uses) } else { uses };
        format!("{}\n{uses}", printed(&format!("let {name} = {text};"))?)
    };
    Some(replace(&around.file.path, statement.span, indented(around, &whole, indent)))
}

/// In a match arm that has no block yet: it gets one.
fn in_arm(around: &Around<'_>, at: ExprId, text: &str, called: &str) -> Option<Edit> {
    let arm = around.arm_body(at).filter(|arm| *arm != at)?;
    let span = around.span(arm);
    if !is_plain(around, arm, span, at) {
        return None;
    }
    let name = around.free_name(NAMES)?;
    let uses = with(around, span, at, &format!("{name}{called}"))?;
    let uses = relative(&uses, around.indent(span.start))?;
    let whole = format!("{}\n{uses}", printed(&format!("let {name} = {text};"))?);
    Some(as_block(around, span, &whole))
}

/// A block of these lines in the place of a match arm's body. A comma behind it is left out: a block needs none.
pub(super) fn as_block(around: &Around<'_>, body: Span, lines: &str) -> Edit {
    let indent = around.indent(body.start);
    let inner = format!("{indent}{}", around.step());
    let block = format!("{{{}{}{indent}}}", following(around, &inner, lines), around.newline());
    let follows = around.file.text.get(body.end as usize..).unwrap_or_default();
    let end = body.end + u32::from(follows.starts_with(','));
    replace(&around.file.path, Span { end, ..body }, block)
}

/// These lines at the start of a block; of an arm without one, a block that begins with them.
pub(super) fn begin_with(around: &Around<'_>, block: ExprId, lines: &str) -> Option<Edit> {
    let (span, path) = (around.span(block), &around.file.path);
    let text = around.text(block);
    let indent = around.indent(span.start);
    let inner = format!("{indent}{}", around.step());
    if matches!(around.body.expr(block).kind, ExprKind::Block(_)) && text.starts_with('{') {
        let first = text.get(1..)?;
        // a block on one line is opened up
        let begun = following(around, &inner, lines);
        let opened = if first.trim() == "}" {
            format!("{begun}{}{indent}", around.newline())
        } else if first.trim_start_matches([' ', '\t']).starts_with(['\n', '\r']) {
            begun
        } else {
            format!("{begun}{}{inner}", around.newline())
        };
        return Some(insert(path, span.start + 1, opened));
    }
    Some(as_block(around, span, &format!("{lines}\n{}", relative(text, indent)?)))
}

/// A stretch with `text` in the place of an expression in it.
pub(super) fn with(around: &Around<'_>, whole: Span, at: ExprId, text: &str) -> Option<String> {
    let inside = around.span(at);
    let before = around.file.slice(Span { start: whole.start, end: inside.start });
    let after = around.file.slice(Span { start: inside.end, end: whole.end });
    whole.contains(inside).then(|| format!("{before}{text}{after}"))
}

/// Lines as they stand where the first one begins: all others get the indentation.
pub(super) fn indented(around: &Around<'_>, text: &str, indent: &str) -> String {
    let mut made = String::new();
    for (number, line) in text.lines().enumerate() {
        if number > 0 {
            made.push_str(around.newline());
        }
        if number > 0 && !line.is_empty() {
            made.push_str(indent);
        }
        made.push_str(line);
    }
    made
}

/// Lines that follow the one that is there.
pub(super) fn following(around: &Around<'_>, indent: &str, text: &str) -> String {
    format!("{}{indent}{}", around.newline(), indented(around, text, indent))
}

/// Lines without the indentation that their own place gives them; `None` where a text goes over several of them, whose blanks are its own.
pub(super) fn relative(text: &str, indent: &str) -> Option<String> {
    if text.contains('\n') && has_text_over_lines(text) {
        return None;
    }
    let lines: Vec<&str> = text.lines().map(|line| line.strip_prefix(indent).unwrap_or(line)).collect();
    Some(lines.join("\n"))
}

/// Whether a literal in a piece of code has a line break in it; what does not lex may have one.
fn has_text_over_lines(code: &str) -> bool {
    fn any(tokens: TokenStream) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Group(group) => any(group.stream()),
            TokenTree::Literal(literal) => literal.to_string().contains('\n'),
            _ => false,
        })
    }
    let found = code.parse::<TokenStream>().map_or(true, any);
    proc_macro2::extra::invalidate_current_thread_spans();
    found
}

fn fits(around: &Around<'_>, span: Span, text: &str) -> bool {
    let source = &around.file.text;
    let before = source.get(..span.start as usize).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let after = source.get(span.end as usize..).unwrap_or_default();
    let end = after.find('\n').unwrap_or(after.len());
    let line = format!(
        "{}{text}{}",
        before.get(start..).unwrap_or_default(),
        after.get(..end).unwrap_or_default().trim_end()
    );
    line.lines().all(|line| line.chars().count() <= WIDTH)
}

/// What a text calls on a call that goes over several lines.
fn behind_lines<'t>(around: &Around<'_>, at: ExprId, text: &'t str) -> Option<&'t str> {
    let before = around.text(at);
    let is_call = matches!(around.body.expr(at).kind, ExprKind::Call(..));
    let called = text.strip_prefix(before).filter(|called| !called.is_empty());
    called.filter(|called| is_call && before.contains('\n') && called.len() < WIDTH / 2)
}

/// Whether what stands around an expression can be written anew: it holds no comment, no macro and no block.
fn is_plain(around: &Around<'_>, whole: ExprId, span: Span, at: ExprId) -> bool {
    let text = around.file.slice(span);
    let blocks = around.body.any(whole, |id| {
        // a loop, a branch and a task have a block inside
        id != at
            && matches!(
                around.body.expr(id).kind,
                ExprKind::Block(_) | ExprKind::Macro(_) | ExprKind::Closure { .. } | ExprKind::Match(..)
            )
    });
    !blocks && !text.contains("//") && !text.contains("/*")
}

/// A statement, on several lines where it is too long for one with this indentation.
pub(super) fn broken(statement: &str, indent: &str) -> String {
    let fits = statement.chars().count() + indent.chars().count() <= WIDTH;
    if fits { statement.to_owned() } else { printed(statement).unwrap_or_else(|| statement.to_owned()) }
}

/// A statement, laid out without indentation.
pub(super) fn printed(statement: &str) -> Option<String> {
    let file: syn::File = syn::parse_str(&format!("async fn f() {{ {statement} }}")).ok()?;
    let printed = prettyplease::unparse(&file);
    proc_macro2::extra::invalidate_current_thread_spans();
    let inside = printed.trim_end().strip_prefix("async fn f() {\n")?.strip_suffix("\n}")?;
    let lines: Vec<&str> = inside.lines().map(|line| line.strip_prefix("    ").unwrap_or(line)).collect();
    Some(lines.join("\n"))
}
