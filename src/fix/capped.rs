//! A cap on the delay, before its random part where it has one: what is cut off afterwards is random no more.

use super::around::Around;
use super::layout::put;
use super::{Draft, Wanted, shown};
use crate::body::{BinOp, ExprId, ExprKind};
use crate::model::Edit;

/// The drafts of an uncapped delay: what grows is capped, else all of it.
pub(super) fn drafts(around: &Around<'_>, wanted: &Wanted<'_>) -> Vec<Draft> {
    let site = wanted.site;
    let waits = &site.handles.waits;
    if waits.is_empty() || site.handles.more_waits || waits.iter().any(|wait| !wait.is_duration) {
        return Vec::new();
    }
    let cap = wanted.cap(site.delay.first_s.value().copied());
    let draft = |at: &dyn Fn(ExprId) -> Option<ExprId>| {
        let edits: Option<Vec<Edit>> = waits
            .iter()
            .map(|wait| {
                let at = at(around.expr(&wait.delay)?)?;
                Some(put(around, at, &format!("{}.min({})", around.as_receiver(at), around.seconds(cap))))
            })
            .collect();
        Some(Draft {
            title: format!("wait at most {}", shown(cap)),
            edits: edits?,
            may_be_safe: wanted.is_above_first(cap),
            needs: None,
        })
    };
    let before_draw = |at: ExprId| drawn_from(around, at);
    [draft(&before_draw), draft(&Some)].into_iter().flatten().collect()
}

/// What grows in `d.mul_f64(draw)` and `d + draw`.
fn drawn_from(around: &Around<'_>, at: ExprId) -> Option<ExprId> {
    match &around.body.expr(at).kind {
        ExprKind::Method(call) if call.name.starts_with("mul_f") => Some(call.receiver),
        ExprKind::Binary(BinOp::Add, left, _) => Some(*left),
        _ => None,
    }
}
