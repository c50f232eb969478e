//! Loops that establish anew what ended where nobody looks: a stream, a task, a session in another function. No trip shows what failed,
//! so nothing but the kind is told of them. What a message asks for is no such thing, nor is one step of a longer handshake.

use super::classify::Classified;
use super::context::Callee;
use super::flow::{LoopRecord, LoopShape, Op, State, Tag};
use super::questions::Question;
use crate::body::ExprKind;
use crate::knowledge::{parts, says};
use crate::model::{Confidence, Kind};

impl Question<'_, '_> {
    /// Makes of a loop on which no failure is seen to go round a reconnect, where it establishes something again and again.
    pub(super) fn establishes_anew<'f>(
        &self,
        record: &LoopRecord,
        trips: &[&'f State],
        counts: &dyn Fn(Op) -> bool,
    ) -> Option<Classified<'f>> {
        if !matches!(record.shape, LoopShape::Loop | LoopShape::While) || self.fills_up() {
            return None;
        }
        let each = trips.iter().flat_map(|state| state.calls.iter().map(|op| (*state, *op)));
        let op = each
            .filter(|(state, op)| !state.marks.event && !self.is_dispatch(state, *op))
            .map(|(_, op)| op)
            .find(|op| {
                counts(*op) && !self.is_of_item(*op) && !self.answers_challenge(*op) && self.connects(*op)
            })?;
        self.reconnect(op, trips)
    }

    /// The same for a loop that is nothing else, where a name says that the call establishes *again*, or that it did: `self.reconnect()`.
    /// Then it may also be done for a message that came, but for one that orders it.
    pub(super) fn is_named_anew<'f>(&self, trips: &[&'f State]) -> Option<Classified<'f>> {
        // what each message asks for is done for each message
        if let ExprKind::While { cond, .. } = &self.cx.body.expr(self.id).kind
            && self.cx.body.any(*cond, |id| matches!(self.cx.body.expr(id).kind, ExprKind::Await(_)))
        {
            return None;
        }
        let again = |name: &str| {
            let words = &self.cx.words().establish;
            parts(name).iter().any(|part| part.starts_with("re") && says(words, part))
        };
        let sure = |op: Op| {
            self.counts(op)
                && self.cx.loop_around(op) == Some(self.id)
                && self
                    .remote(op)
                    .is_some_and(|it| it.is && (it.certain || matches!(self.cx.callee(op), Callee::Own(_))))
        };
        let op = trips.iter().find_map(|state| {
            let called = state
                .calls
                .iter()
                .copied()
                .find(|op| again(self.cx.call_name(*op)) && sure(*op) && !self.is_ordered(state, *op));
            called.or_else(|| {
                let told = |tag: &Tag| matches!(tag, Tag::Variant(name) if again(name));
                state.looked.iter().find(|look| told(&look.tag) && sure(look.op)).map(|look| look.op)
            })
        })?;
        self.reconnect(op, trips)
    }

    fn reconnect<'f>(&self, op: Op, trips: &[&'f State]) -> Option<Classified<'f>> {
        let remote = self.remote(op)?;
        Some(Classified {
            kind: Kind::Reconnect,
            ops: vec![op],
            main: Some(op),
            told: false,
            background: false,
            failing: trips.iter().copied().filter(|state| state.calls.contains(&op)).collect(),
            remote: Some(remote),
            confidence: Confidence::Medium,
            reasons: vec!["it establishes again and again; what ended before is not told".into()],
            why: vec![self.cx.evidence(op, "established again here")],
        })
    }

    /// Whether a call makes a connection, by its name, and is more than named so.
    fn connects(&self, op: Op) -> bool {
        says(&self.cx.words().establish, self.cx.call_name(op))
            && self.remote(op).is_some_and(|it| it.is && it.certain)
    }

    /// Whether a call is given what the trip before worked out: the next answer to a challenge.
    fn answers_challenge(&self, op: Op) -> bool {
        let body = self.cx.body;
        let given: Vec<_> = self.cx.args(op).iter().filter_map(|arg| body.local(*arg)).collect();
        body.any(self.id, |id| match &body.expr(id).kind {
            ExprKind::Assign(left, _) => body.local(*left).is_some_and(|local| given.contains(&local)),
            _ => false,
        })
    }

    /// Whether a message's own words were looked at before: it is the order that it carries.
    fn is_ordered(&self, state: &State, op: Op) -> bool {
        state.looked.iter().take_while(|look| look.op != op).any(|look| {
            matches!(look.tag, Tag::Variant(_))
                && (self.stays(look.op) || self.cx.call_name(look.op) == "recv")
        })
    }
}
