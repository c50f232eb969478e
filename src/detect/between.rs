//! The delay of a loop that waits in a trip of its own: a state machine whose failed state hands over to one that rests.
//! Where each failing trip is followed by such trips only, both are one attempt. What is waited, and how often, is read of it elsewhere.

use super::context::Context;
use super::flow::{LoopRecord, Op, State};
use crate::body::ExprId;

/// The failing trips with the trips that wait after them; `None` where one of them waits itself, or where the next trip may be a try.
pub(super) fn with_the_rest(
    cx: &Context<'_>,
    id: ExprId,
    record: &LoopRecord,
    failing: &[&State],
    ops: &[Op],
) -> Option<Vec<State>> {
    if record.after.is_empty() || record.cut || failing.iter().any(|state| !state.waits.is_empty()) {
        return None;
    }
    // what a trip takes from a list is another's turn
    let takes_another = |state: &State| {
        let one_of_many = ["pop", "pop_front", "pop_back", "next", "next_back", "remove", "recv", "dequeue"];
        state.calls.iter().any(|call| one_of_many.contains(&cx.call_name(*call)))
    };
    let rests = |state: &State| {
        let tries = state.calls.iter().any(|call| ops.contains(call))
            || state.looked.iter().any(|look| ops.contains(&look.op));
        !tries && !state.waits.is_empty() && !takes_another(state)
    };
    let inside = cx.body.expr(id).span;
    let mut whole = Vec::new();
    for failed in failing {
        // what comes next is decided by what a trip leaves behind
        let mut left = (*failed).clone();
        left.forget(|local| inside.contains(cx.body.pat(local).span));
        let mut followed = record.after.iter().filter(|(trip, _)| trip.leaves_the_same(&left)).peekable();
        followed.peek()?;
        for (_, next) in followed {
            if next.is_empty() || !next.iter().all(rests) {
                return None;
            }
            whole.extend(next.iter().map(|next| failed.and_then(next)));
        }
    }
    Some(whole)
}
