//! No wait after the last attempt: the wait stands under the condition that another attempt follows.

use super::around::Around;
use super::edits::replace;
use super::layout::{following, relative};
use super::{Draft, Wanted};
use crate::body::{ExprKind, PatKind};
use crate::model::Edit;

/// The drafts of a wait that nothing follows, in a loop over a range.
pub(super) fn drafts(around: &Around<'_>, wanted: &Wanted<'_>) -> Vec<Draft> {
    Draft::only("do not wait after the last attempt", edits(around, wanted))
}

fn edits(around: &Around<'_>, wanted: &Wanted<'_>) -> Option<Vec<Edit>> {
    let looped = around.expr(&wanted.site.place)?;
    let ExprKind::For { pat, iter, .. } = around.body.expr(looped).kind else { return None };
    let PatKind::Bind { name, .. } = &around.body.pat(pat).kind else { return None };
    let ExprKind::Range { end: Some(end), inclusive, .. } = around.body.expr(iter).kind else { return None };
    let end = around.text(end);
    let follows = if inclusive { format!("{name} < {end}") } else { format!("{name} + 1 < {end}") };
    wanted
        .site
        .handles
        .waits
        .iter()
        .map(|wait| {
            let call = around.expr(&wait.call)?;
            let statement = around.statement(call).filter(|statement| !statement.is_let)?;
            let indent = around.indent(statement.span.start);
            let text = around.file.slice(statement.span).trim_end_matches(';');
            let inner = format!("{indent}{}", around.step());
            let block = following(around, &inner, &format!("{};", relative(text, indent)?));
            let made = format!("if {follows} {{{block}{}{indent}}}", around.newline());
            Some(replace(&around.file.path, statement.span, made))
        })
        .collect()
}
