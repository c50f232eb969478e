//! Whether a counter that a condition reads bounds a trip: it does where the trip moves it on.
//! What a trip does to it is read off the trip's events; a counter that moves where none can be seen is trusted.

use super::flow::{Event, State, Verdict};
use super::reads::{Reader, Reads};
use crate::body::{ExprId, ExprKind, Lit, Local};

/// What a trip does to a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Move {
    On,
    Anew,
}

/// How far a condition that reads a counter bounds a trip.
pub(super) fn counted(reader: &Reader<'_, '_>, failing: &[&State], trip: &State, cond: ExprId) -> Reads {
    let counters = counters_in(reader, cond);
    let seen = failing.iter().any(|state| moves(reader, state, &counters).contains(&Move::On));
    if counters.is_empty() || counts_elsewhere(reader, cond) || !seen {
        return Reads::Counter;
    }
    match moves(reader, trip, &counters).as_slice() {
        // where it can be seen that this trip does not move it, it bounds others only
        [] => Reads::Outcome,
        its if its.contains(&Move::On) => Reads::Counter,
        _ => renewed(trip),
    }
}

/// What it means that a trip begins anew what a condition counts; `None` where it does not.
pub(super) fn renews(reader: &Reader<'_, '_>, trip: &State, cond: ExprId) -> Option<Reads> {
    moves(reader, trip, &counters_in(reader, cond)).contains(&Move::Anew).then(|| renewed(trip))
}

/// Begun anew after something worked, it is a budget for each time; without that, nobody can tell.
fn renewed(trip: &State) -> Reads {
    let worked = trip.looked.iter().any(|look| look.verdict == Verdict::Success);
    if worked { Reads::Counter } else { Reads::Other }
}

/// The locals in a condition that the loop steps.
fn counters_in(reader: &Reader<'_, '_>, cond: ExprId) -> Vec<Local> {
    let mut counters = Vec::new();
    reader.cx.body.walk(cond, &mut |id| {
        counters.extend(reader.cx.body.local(id).filter(|local| reader.changed.steps(*local)));
        true
    });
    counters
}

/// Whether something else in a condition may count as well.
fn counts_elsewhere(reader: &Reader<'_, '_>, cond: ExprId) -> bool {
    reader
        .cx
        .body
        .any(cond, |id| matches!(reader.cx.body.expr(id).kind, ExprKind::Call(..) | ExprKind::Method(_)))
}

fn moves(reader: &Reader<'_, '_>, trip: &State, counters: &[Local]) -> Vec<Move> {
    let body = reader.cx.body;
    let is_one = |place: ExprId| body.local(place).is_some_and(|local| counters.contains(&local));
    let assigned = trip.trip_events().iter().filter_map(|event| match event {
        Event::Assign(id) => Some(*id),
        _ => None,
    });
    assigned
        .filter_map(|id| match &body.expr(id).kind {
            ExprKind::AssignOp(_, left, _) if is_one(*left) => Some(Move::On),
            ExprKind::Assign(left, right) if is_one(*left) => {
                let anew = matches!(body.expr(*right).kind, ExprKind::Lit(Lit::Int(..)));
                Some(if anew { Move::Anew } else { Move::On })
            }
            _ => None,
        })
        .collect()
}
