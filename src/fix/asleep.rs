//! The runtime's own sleep, awaited, in the place of one that blocks the thread.

use super::around::Around;
use super::draws::usable;
use super::layout::put;
use super::{Draft, Wanted};
use crate::knowledge::{Code, Does};
use crate::model::Edit;

/// The drafts of a blocking wait in async code, one for each runtime that the crate depends on.
pub(super) fn drafts(around: &Around<'_>, wanted: &Wanted<'_>) -> Vec<Draft> {
    let handles = &wanted.site.handles;
    if handles.waits.is_empty() || handles.waits.iter().any(|wait| !wait.direct || !wait.is_duration) {
        return Vec::new();
    }
    let sleeps = |code: &&Code| code.does == Does::Sleep;
    let written: Vec<String> =
        around.knowledge.code.iter().filter(sleeps).filter_map(|code| usable(around, code)).collect();
    let only = written.len() == 1;
    written
        .iter()
        .filter_map(|code| {
            let edits: Option<Vec<Edit>> = handles
                .waits
                .iter()
                .map(|wait| {
                    let (call, given) = (around.expr(&wait.call)?, around.expr(&wait.given)?);
                    let sleep = code.replace("{delay}", around.text(given));
                    Some(put(around, call, &format!("{sleep}.await")))
                })
                .collect();
            Some(Draft {
                title: "await the runtime's sleep".to_owned(),
                edits: edits?,
                may_be_safe: only,
                needs: None,
            })
        })
        .collect()
}
