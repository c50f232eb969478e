//! Waiting that looks like trying again: for a process that was started here, for an element of a page, for bytes that may be there.
//! Asked about one loop of one body, as `questions` does; what follows from it is the decision table's business (`classify`).

use super::context::Callee;
use super::flow::{Op, State};
use super::immediate;
use super::questions::Question;
use super::summary::summary;
use crate::body::{ExprId, ExprKind, Lit};
use crate::knowledge::{LocalKind, Role, says};

impl Question<'_, '_> {
    /// Whether the loop waits until something answers that was started on this machine: it asks whether the process still runs; or two of
    /// these hold: a process is started before, the address is this machine's own, nobody uses what is answered.
    pub(super) fn waits_for_what_it_started(&self, ops: &[Op]) -> bool {
        if self.asks_for_a_process() {
            return true;
        }
        let started = || self.starts_a_process_before();
        let here = || ops.iter().all(|op| self.names_this_machine(*op));
        let unused = || ops.iter().all(|op| self.is_thrown_away(*op));
        !ops.is_empty() && (here() && (unused() || started()) || unused() && started())
    }

    /// `child.try_wait()` in the loop.
    fn asks_for_a_process(&self) -> bool {
        let body = self.cx.body;
        body.any(self.id, |id| {
            matches!(&body.expr(id).kind, ExprKind::Method(call) if call.name == "try_wait" && call.args.is_empty())
        })
    }

    /// Whether a process is started before the loop, here or in a function of the crate that is called here.
    fn starts_a_process_before(&self) -> bool {
        let start = self.cx.body.expr(self.id).span.start;
        let mut calls = self.cx.body.exprs().filter(|(_, expr)| expr.span.end <= start);
        calls.any(|(id, _)| {
            starts_a_process(self.cx, id)
                || matches!(self.cx.callee(id), Callee::Own(item) if self.cx.inside(item).is_some_and(|inner| {
                    inner.body.exprs().any(|(id, _)| starts_a_process(&inner, id))
                }))
        })
    }

    /// Whether the address that an operation is given, or the variable that holds it, is written as this machine's own.
    pub(super) fn names_this_machine(&self, op: Op) -> bool {
        self.writes_loopback(op, 3)
    }

    fn writes_loopback(&self, id: ExprId, left: u32) -> bool {
        let Some(left) = left.checked_sub(1) else { return false };
        let cx = self.cx;
        // what stands in where nothing is configured is no address that anybody must have
        let stands_in = cx.body.any(id, |inner| {
            matches!(&cx.body.expr(inner).kind, ExprKind::Method(call) if call.name.starts_with("unwrap_or"))
        });
        !stands_in
            && cx.body.any(id, |inner| match &cx.body.expr(inner).kind {
                ExprKind::Lit(Lit::Str(text)) => names_loopback(&cx.knowledge.this_machine, text),
                ExprKind::Path(path) if path.segments.len() > 1 => path.last() == "LOCALHOST",
                ExprKind::Path(_) => cx
                    .body
                    .local(inner)
                    .and_then(|local| cx.init(local))
                    .is_some_and(|init| self.writes_loopback(init, left)),
                _ => false,
            })
    }

    /// Whether all operations only read, from a descriptor that does not block: nothing there is no failure of a request.
    pub(super) fn reads_what_is_there(&self, ops: &[Op]) -> bool {
        let body = self.cx.body;
        let blocks_not = || {
            body.exprs().any(|(_, expr)| match &expr.kind {
                ExprKind::Method(call) => {
                    call.name == "set_nonblocking"
                        && call
                            .args
                            .first()
                            .is_some_and(|arg| matches!(body.expr(*arg).kind, ExprKind::Lit(Lit::Bool(true))))
                }
                _ => false,
            })
        };
        !ops.is_empty() && ops.iter().all(|op| immediate::receives(self.cx, *op)) && blocks_not()
    }

    /// Whether every failing trip was told by a text what it came to, and one was told that it is not yet there: `authorization_pending`.
    pub(super) fn is_told_to_wait(&self, failing: &[&State]) -> bool {
        let body = self.cx.body;
        let texts = |state: &State| -> Vec<String> {
            let mut found = Vec::new();
            for (cond, _) in state.conds.iter().filter(|(_, holds)| *holds) {
                body.walk(*cond, &mut |id| {
                    if let ExprKind::Lit(Lit::Str(text)) = &body.expr(id).kind {
                        found.push(text.clone());
                    }
                    true
                });
            }
            found
        };
        let pending = |text: &String| says(&self.cx.words().pending, text);
        let told: Vec<Vec<String>> = failing.iter().map(|state| texts(state)).collect();
        told.iter().all(|texts| !texts.is_empty()) && told.iter().flatten().any(pending)
    }

    /// Whether an operation gives the next of what somebody else sends: a message, an event.
    pub(super) fn takes_a_message(&self, op: Op) -> bool {
        let taken = immediate::receives(self.cx, op) || matches!(self.cx.call_name(op), "poll" | "accept");
        taken && matches!(self.cx.body.expr(op).kind, ExprKind::Method(_)) && self.cx.is_awaited(op)
    }

    /// Whether a trip goes round because what was asked for is not there: by a variant, not by a status.
    pub(super) fn is_not_there(&self, state: &State) -> bool {
        let body = self.cx.body;
        let words = &self.cx.words().absent;
        let is_variant = |name: &str| name.chars().any(char::is_lowercase) && says(words, name);
        state.arms.iter().any(|pat| self.cx.names_variant(*pat, words))
            || state.conds.iter().any(|(cond, truth)| {
                *truth
                    && body.any(*cond, |id| match &body.expr(id).kind {
                        ExprKind::Path(path) => path.segments.len() > 1 && is_variant(path.last()),
                        _ => false,
                    })
            })
    }

    /// Whether a trip goes round for errors that are named one by one.
    pub(super) fn is_one_kind(&self, state: &State) -> bool {
        let body = self.cx.body;
        state.arms.iter().any(|pat| {
            let mut named = false;
            body.walk_pat(*pat, &mut |at| {
                named |= body
                    .variant(at)
                    .is_some_and(|path| !matches!(path.last(), "Err" | "Ok" | "Some" | "None"));
            });
            named
        })
    }

    /// Whether all that fails is taking what comes over what is open already, and nothing is sent or opened on the way: nobody is asked anything.
    pub(super) fn takes_what_comes(&self, failing: &[&State], ops: &[Op]) -> bool {
        let receives = |op: Op| match self.cx.callee(op) {
            Callee::Known(entry, _) => matches!(entry.role, Role::Remote { receives: true, .. }),
            Callee::Own(item) => summary(self.cx, item).only_receives(),
            _ => false,
        };
        !ops.is_empty()
            && ops.iter().all(|op| receives(*op))
            && failing
                .iter()
                .flat_map(|state| &state.calls)
                .all(|call| receives(*call) || self.remote(*call).is_none_or(|answer| !answer.is))
    }
}

fn starts_a_process(cx: &super::context::Context<'_>, id: ExprId) -> bool {
    cx.call_name(id) == "spawn" && matches!(cx.role(id), Some(Role::Local { kind: LocalKind::Process }))
}

/// Whether a text names this machine: an address of it, and no longer name that begins like one.
fn names_loopback(addresses: &[String], text: &str) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-');
    addresses.iter().any(|address| {
        text.match_indices(address.as_str())
            .any(|(at, _)| !text.get(at + address.len()..).is_some_and(|rest| rest.starts_with(goes_on)))
    })
}
