//! Refusals that no further attempt changes are given back at once: an arm of their own before the one that tries again.

use super::around::Around;
use super::bounded::{given_back, gives_results, named};
use super::draws::usable;
use super::edits::insert;
use super::layout::indented;
use super::{Draft, Wanted};
use crate::knowledge::Does;
use crate::model::Edit;

/// The drafts where permanent errors go round.
pub(super) fn drafts(around: &Around<'_>, wanted: &Wanted<'_>) -> Vec<Draft> {
    Draft::only("give permanent errors back at once", edits(around, wanted))
}

fn edits(around: &Around<'_>, wanted: &Wanted<'_>) -> Option<Vec<Edit>> {
    let failures = &wanted.site.handles.failures;
    let looped = around.expr(&wanted.site.place)?;
    if failures.is_empty() || !gives_results(around, looped) {
        return None;
    }
    failures
        .iter()
        .map(|failure| {
            let start = failure.is_arm.then_some(failure.pattern.start_byte)?;
            let krate = failure.krate.as_deref()?;
            let tells = around
                .knowledge
                .code
                .iter()
                .filter(|code| code.does == Does::IsPermanent && code.krate == krate)
                .find_map(|code| usable(around, code))?;
            let (name, _) = named(around, failure);
            let tells = tells.replace("{error}", &name);
            let given = given_back(around, looped, failure, &name);
            let indent = around.indent(start);
            let step = around.step();
            let tells = tells.replace('\n', &format!("\n{step}"));
            let arm = format!("Err({name})\n{step}if {tells} =>\n{{\n{step}return Err({given});\n}}");
            let arm = format!("{}{}{indent}", indented(around, &arm, indent), around.newline());
            Some(insert(&around.file.path, start, arm))
        })
        .collect()
}
