//! What is told of a delay just before it is waited: `warn!("again in {:?}", PAUSE)`. Once the delay is drawn, that would be wrong: it is drawn
//! before, and what is told is what was drawn.

use super::around::{Around, Statement, words};
use super::edits::{insert, replace};
use super::layout::{broken, indented};
use crate::body::{ExprId, ExprKind, Span, Stmt};
use crate::model::Edit;

/// Names for what is drawn.
const NAMES: &[&str] = &["delay", "pause", "drawn_delay"];

/// The delay drawn before the statement that tells it, and told there by the name that is given back; `None` where nothing tells it.
pub(super) fn drawn_before(
    around: &Around<'_>,
    waits: Statement,
    delay: ExprId,
    drawn: &str,
) -> Option<(&'static str, Vec<Edit>)> {
    let (tells, base) = (before(around, waits)?, around.text(delay));
    let is_name = matches!(around.body.expr(delay).kind, ExprKind::Path(_) | ExprKind::Field(..));
    // a plain word may as well stand in the sentence
    if !is_name || !base.contains(['_', '.', ':']) || around.has_attribute(tells) {
        return None;
    }
    let told: Vec<usize> = words(around.file.slice(tells), base).collect();
    let name = around.free_name(NAMES).filter(|_| !told.is_empty())?;
    let (path, indent) = (&around.file.path, around.indent(tells.start));
    let made = indented(around, &broken(&format!("let {name} = {drawn};"), indent), indent);
    let mut edits = vec![insert(path, tells.start, format!("{made}{}{indent}", around.newline()))];
    edits.extend(told.into_iter().map(|at| {
        let start = tells.start + at as u32;
        replace(path, Span { start, end: start + base.len() as u32 }, name)
    }));
    Some((name, edits))
}

/// The macro's statement right before another one.
fn before(around: &Around<'_>, waits: Statement) -> Option<Span> {
    let ExprKind::Block(block) = &around.body.expr(around.parent(waits.expr)?).kind else { return None };
    let is_it = |stmt: &Stmt| matches!(stmt, Stmt::Expr(expr) if *expr == waits.expr);
    let at = if block.tail == Some(waits.expr) {
        block.stmts.len()
    } else {
        block.stmts.iter().position(is_it)?
    };
    match block.stmts.get(at.checked_sub(1)?)? {
        Stmt::Expr(expr) if matches!(around.body.expr(*expr).kind, ExprKind::Macro(_)) => {
            Some(around.span(*expr))
        }
        _ => None,
    }
}
