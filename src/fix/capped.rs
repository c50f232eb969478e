//! A cap on the delay, before its random part where it has one: what is cut off afterwards is random no more.

use super::around::Around;
use super::layout::put;
use super::saturated::{saturated, saturated_step};
use super::{Draft, Wanted, shown};
use crate::body::{BinOp, ExprId, ExprKind};
use crate::model::Edit;

/// The drafts of an uncapped delay: what grows is capped, else all of it.
pub(super) fn drafts(around: &Around<'_>, wanted: &Wanted<'_>) -> Vec<Draft> {
    let site = wanted.site;
    let waits = wanted.waits();
    if waits.is_empty() || waits.iter().any(|wait| !wait.is_duration) {
        return Vec::new();
    }
    let cap = wanted.cap(site.delay.first_s.value().copied());
    let draft = |at: &dyn Fn(ExprId) -> Option<ExprId>| {
        let edits: Option<Vec<Edit>> = waits
            .iter()
            .map(|wait| {
                let at = at(around.expr(&wait.delay)?)?;
                Some(put(around, at, &format!("{}.min({})", around.as_receiver(at), around.seconds(cap, at))))
            })
            .collect();
        Some(Draft {
            title: format!("wait at most {}", shown(cap)),
            edits: edits?,
            may_be_safe: wanted.is_above_first(cap),
            needs: None,
        })
    };
    let at_steps = steps(around, wanted, cap).map(|edits| Draft {
        title: format!("wait at most {}", shown(cap)),
        edits,
        may_be_safe: wanted.is_above_first(cap),
        needs: None,
    });
    let before_draw = |at: ExprId| drawn_from(around, at);
    at_steps.into_iter().chain([draft(&before_draw), draft(&Some)].into_iter().flatten()).collect()
}

/// The cap where a variable grows, so that it never leaves its range either: `delay *= 2` is `delay = delay.saturating_mul(2).min(cap)`.
/// `None` where what is waited is no variable that grows in one place of the loop.
pub(super) fn steps(around: &Around<'_>, wanted: &Wanted<'_>, cap: f64) -> Option<Vec<Edit>> {
    let looped = around.expr(&wanted.site.place)?;
    let mut edits: Vec<Edit> = Vec::new();
    for wait in &wanted.site.handles.waits {
        let at = around.expr(&wait.delay)?;
        let grown = drawn_from(around, at).unwrap_or(at);
        let local = around.body.local(grown)?;
        let assigned = |id: &ExprId| match around.body.expr(*id).kind {
            ExprKind::Assign(place, _) | ExprKind::AssignOp(_, place, _) => {
                around.body.local(place) == Some(local)
            }
            _ => false,
        };
        let mut all: Vec<ExprId> = Vec::new();
        around.body.walk(looped, &mut |id| {
            all.extend(Some(id).filter(assigned));
            true
        });
        let [step] = all.as_slice() else { return None };
        let name = around.text(grown);
        let made = match around.body.expr(*step).kind {
            ExprKind::Assign(_, value) => saturated(around, value)?,
            _ => saturated_step(around, *step)?,
        };
        let made = if made.contains(' ') && !made.ends_with(')') { format!("({made})") } else { made };
        let edit = put(around, *step, &format!("{name} = {made}.min({})", around.seconds(cap, *step)));
        if !edits.contains(&edit) {
            edits.push(edit);
        }
    }
    Some(edits)
}

/// What grows in `d.mul_f64(draw)` and `d + draw`.
fn drawn_from(around: &Around<'_>, at: ExprId) -> Option<ExprId> {
    match &around.body.expr(at).kind {
        ExprKind::Method(call) if call.name.starts_with("mul_f") => Some(call.receiver),
        ExprKind::Binary(BinOp::Add, left, _) => Some(*left),
        _ => None,
    }
}
