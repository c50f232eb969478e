//! How what is written fits in: one edit where the line stays short, the whole statement laid out anew where it does not.
//! It decides nothing about what is written.

use super::around::{Around, Statement};
use super::edits::replace;
use crate::body::{ExprId, ExprKind, Span};
use crate::model::Edit;

/// Beyond this rustfmt breaks a line.
const WIDTH: usize = 100;

/// Puts `text` in the place of an expression. Where that makes a line too long, the statement around it is laid out anew, if nothing in it
/// would be lost by that: a comment, or a macro's own form.
pub(super) fn put(around: &Around<'_>, at: ExprId, text: &str) -> Edit {
    let plain = replace(&around.file.path, around.span(at), text);
    if fits(around, around.span(at), text) {
        return plain;
    }
    let statement = around.statement(at).filter(|statement| is_plain(around, *statement, at));
    statement.and_then(|statement| laid_out(around, statement, around.span(at), text)).unwrap_or(plain)
}

/// Lines of a block, each with this indentation, as they follow another line.
pub(super) fn lines(around: &Around<'_>, indent: &str, lines: &[String]) -> String {
    lines.iter().map(|line| format!("{}{indent}{line}", around.newline())).collect()
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

/// Whether a statement can be printed anew: it holds no comment, no macro and no block.
fn is_plain(around: &Around<'_>, statement: Statement, at: ExprId) -> bool {
    let text = around.file.slice(statement.span);
    let blocks = around.body.any(statement.expr, |id| {
        id != at
            && matches!(
                around.body.expr(id).kind,
                ExprKind::Block(_)
                    | ExprKind::Macro(_)
                    | ExprKind::Closure { .. }
                    | ExprKind::Async(_)
                    | ExprKind::Match(..)
                    | ExprKind::If { .. }
                    | ExprKind::Loop { .. }
                    | ExprKind::While { .. }
                    | ExprKind::For { .. }
            )
    });
    !blocks && !text.contains("//") && !text.contains("/*")
}

/// The statement as prettyplease prints it, with the indentation that it has.
fn laid_out(around: &Around<'_>, statement: Statement, inside: Span, text: &str) -> Option<Edit> {
    let whole = around.file.slice(statement.span);
    let (from, to) = (inside.start - statement.span.start, inside.end - statement.span.start);
    let made = format!("{}{text}{}", whole.get(..from as usize)?, whole.get(to as usize..)?);
    let printed = printed(&made)?;
    let indent = around.indent(statement.span.start);
    let joined = printed
        .lines()
        .enumerate()
        .map(|(number, line)| match (number, line) {
            (0, line) => line.to_owned(),
            (_, "") => around.newline().to_owned(),
            (_, line) => format!("{}{indent}{line}", around.newline()),
        })
        .collect::<String>();
    Some(replace(&around.file.path, statement.span, joined))
}

/// A statement, laid out without indentation.
fn printed(statement: &str) -> Option<String> {
    let file: syn::File = syn::parse_str(&format!("async fn f() {{ {statement} }}")).ok()?;
    let printed = prettyplease::unparse(&file);
    proc_macro2::extra::invalidate_current_thread_spans();
    let inside = printed.trim_end().strip_prefix("async fn f() {\n")?.strip_suffix("\n}")?;
    let lines: Vec<&str> = inside.lines().map(|line| line.strip_prefix("    ").unwrap_or(line)).collect();
    Some(lines.join("\n"))
}
