//! The delay of a loop that waits in a trip of its own: a state machine whose failed state hands over to one that rests.
//! Where each failing trip is followed by such trips only, both are one attempt. What is waited, and how often, is read of it elsewhere.

use super::flow::{LoopRecord, Op, State};

/// The failing trips with the trips that wait after them; `None` where one of them waits itself, or where the next trip may be a try.
pub(super) fn with_the_rest(record: &LoopRecord, failing: &[&State], ops: &[Op]) -> Option<Vec<State>> {
    let rests = |state: &State| {
        let tries = state.calls.iter().any(|call| ops.contains(call))
            || state.looked.iter().any(|look| ops.contains(&look.op));
        !tries && !state.waits.is_empty()
    };
    let mut whole = Vec::new();
    for failed in failing {
        if record.cut || !failed.waits.is_empty() {
            return None;
        }
        let mut next = record.after.iter().filter(|(trip, _)| trip.is_trip(failed)).peekable();
        next.peek()?;
        for (_, next) in next {
            if next.is_empty() || !next.iter().all(rests) {
                return None;
            }
            whole.extend(next.iter().map(|next| failed.and_then(next)));
        }
    }
    (!whole.is_empty()).then_some(whole)
}
