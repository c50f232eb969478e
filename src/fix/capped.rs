//! A cap on the delay, before its random part where it has one: what is cut off afterwards is random no more.

use super::around::Around;
use super::layout::put;
use super::saturated::{saturated, saturated_step};
use super::{Draft, Wanted, shown};
use crate::body::{BinOp, ExprId, ExprKind};
use crate::model::{Edit, WaitAt};

/// The drafts of an uncapped delay: what grows is capped, else all of it.
pub(super) fn drafts(around: &Around<'_>, wanted: &Wanted<'_>) -> Vec<Draft> {
    let site = wanted.site;
    let waits = wanted.waits();
    if waits.is_empty() || waits.iter().any(|wait| !wait.is_duration) {
        return Vec::new();
    }
    let cap = wanted.cap(site.delay.first_s.value().copied());
    let capped =
        |at: ExprId| put(around, at, &format!("{}.min({})", around.as_receiver(at), around.seconds(cap, at)));
    let each = |part: &dyn Fn(ExprId) -> Option<ExprId>| {
        let edit = |wait: &WaitAt| Some(capped(part(around.expr(&wait.delay)?)?));
        waits.iter().map(edit).collect::<Option<Vec<Edit>>>()
    };
    let before_draw = |at: ExprId| drawn_from(around, at);
    [steps(around, wanted, cap), each(&before_draw), each(&Some)]
        .into_iter()
        .flatten()
        .map(|edits| Draft {
            title: format!("wait at most {}", shown(cap)),
            edits,
            may_be_safe: wanted.is_above_first(cap),
            needs: None,
        })
        .collect()
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
