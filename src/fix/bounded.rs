//! An end to the attempts: counted where a failure is at hand, and that failure is given back as the function gives others back.

use super::around::{Around, has_word, span_of};
use super::edits::{insert, replace};
use super::layout::begin_with;
use super::{Draft, Wanted};
use crate::body::{ExprId, ExprKind};
use crate::model::{Edit, FailureAt};

/// Names for what counts the attempts.
const NAMES: &[&str] = &["attempts", "tries", "failed_attempts"];

/// Attempts where somebody waits for the result, and where nobody does: what the rule's page suggests.
const WAITED_FOR: u32 = 5;
const IN_BACKGROUND: u32 = 10;

/// The drafts of a loop that nothing ends.
pub(super) fn drafts(around: &Around<'_>, wanted: &Wanted<'_>) -> Vec<Draft> {
    let most = if wanted.site.operation.background.is(&true) { IN_BACKGROUND } else { WAITED_FOR };
    let title = format!("give up after {most} attempts, with the last error");
    Draft::only(title, edits(around, wanted, most))
}

fn edits(around: &Around<'_>, wanted: &Wanted<'_>, most: u32) -> Option<Vec<Edit>> {
    let failures = &wanted.site.handles.failures;
    let looped = around.expr(&wanted.site.place)?;
    let before = around.statement(looped)?;
    if failures.is_empty() || !gives_results(around, looped) {
        return None;
    }
    let name = around.free_name(NAMES)?;
    let indent = around.indent(before.span.start);
    let declared = format!("let mut {name} = 0;{}{indent}", around.newline());
    let mut edits = vec![insert(&around.file.path, before.span.start, declared)];
    for failure in failures {
        let body = around.expr(&failure.body)?;
        let (error, renamed) = named(around, failure);
        edits.extend(renamed);
        let given = given_back(around, looped, failure, &error);
        let step = around.step();
        let lines = format!("{name} += 1;\nif {name} == {most} {{\n{step}return Err({given});\n}}");
        edits.push(begin_with(around, body, &lines)?);
    }
    Some(edits)
}

/// Whether `return Err(…)` inside of this loop is the function's own: it gives a `Result`, and no closure or task is between.
pub(super) fn gives_results(around: &Around<'_>, looped: ExprId) -> bool {
    let own = around.body.ret.as_ref().is_some_and(|ret| ret.name().ends_with("Result"));
    let between = around.above(looped).any(|at| {
        matches!(
            around.body.expr(at).kind,
            ExprKind::Closure { .. } | ExprKind::Async(_) | ExprKind::Macro(_)
        )
    });
    own && !between
}

/// The error as the function gives it back: as another place of the loop does, as it is where it is of the same crate, else converted as `?` does.
pub(super) fn given_back(around: &Around<'_>, looped: ExprId, failure: &FailureAt, error: &str) -> String {
    let mut found = None;
    around.body.walk(looped, &mut |at| {
        let given = match around.body.expr(at).kind {
            ExprKind::Return(Some(given)) | ExprKind::Break(_, Some(given)) => Some(given),
            _ => None,
        };
        if let Some(ExprKind::Call(callee, args)) = given.map(|given| &around.body.expr(given).kind)
            && around.text(*callee) == "Err"
            && let [only] = args.as_slice()
            && has_word(around.text(*only), error)
            && found.is_none()
        {
            found = Some(around.text(*only).to_owned());
        }
        true
    });
    found.unwrap_or_else(|| if failure.same_error { error.to_owned() } else { format!("{error}.into()") })
}

/// What a failure is called where it is given back, and the edit that gives it that name.
pub(super) fn named(around: &Around<'_>, failure: &FailureAt) -> (String, Option<Edit>) {
    if failure.error.starts_with('_') {
        let named = replace(&around.file.path, span_of(&failure.pattern), "Err(error)");
        return ("error".to_owned(), Some(named));
    }
    (failure.error.clone(), None)
}
