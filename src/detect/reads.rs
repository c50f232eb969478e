//! What decides a way out of a loop: a counter, a clock, a supply that ends, a stop signal, the outcome itself, or nothing that changes.
//! Variables are followed to what they were bound to on the trip, calls into functions of the crate; what cannot be told is `Other`.

use super::changes::{Changed, changed_in};
use super::context::{Callee, Context};
use super::flow::{Followed, Op, State, Test, Verdict};
use super::policies::{Decides, decides};
use super::remote;
use super::summary::{MOST_CALLS, summary};
use crate::body::{BinOp, ExprId, ExprKind, Local, PatId, PatKind, UnOp};
use crate::knowledge::{LocalKind, Role, parts, says};

/// What a way out depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reads {
    /// Nothing that changes from trip to trip.
    Fixed,
    /// State that something called in the loop may change; by itself, nobody can tell.
    State,
    /// The operation's outcome, or another operation's.
    Outcome,
    /// A stop signal, a channel whose other side is gone.
    Cancel,
    /// Something that nobody can tell.
    Other,
    /// A function of the crate that counts.
    Policy,
    Deadline,
    /// An iterator or policy that ends.
    Supply,
    Counter,
}

/// One loop, of which it is asked what its conditions read.
pub(super) struct Reader<'r, 'a> {
    pub(super) cx: &'r Context<'a>,
    followed: &'r Followed,
    ops: &'r [Op],
    id: ExprId,
    pub(super) changed: Changed,
}

/// Whether a call hands out the next of a limited supply: of delays, tries, permits.
pub(super) fn is_supply(cx: &Context<'_>, call: ExprId) -> bool {
    let name = cx.call_name(call);
    matches!(name, "next" | "pop" | "pop_front" | "next_back" | "checked_sub")
        || name.starts_with("next_") && says(&cx.words().delay, name)
}

/// Whether an operation is one of these, or was made of the outcome of one: `err.kind()`.
pub(super) fn is_about(followed: &Followed, ops: &[Op], op: Op) -> bool {
    let mut at = op;
    // each step leads to what it was made of; a chain longer than this is none that anybody wrote
    for _ in 0..16 {
        if ops.contains(&at) {
            return true;
        }
        match followed.derived.get(&at) {
            Some(from) if *from != at => at = *from,
            _ => return false,
        }
    }
    false
}

/// What a condition asks of one of these operations, or of what was made of its outcome.
pub(super) fn asked_of<'f>(followed: &'f Followed, ops: &[Op], cond: ExprId) -> Option<&'f Test> {
    let (op, test) = followed.tests.get(&cond)?;
    is_about(followed, ops, *op).then_some(test)
}

/// Whether an expression, or one inside it, speaks of one of these operations.
pub(super) fn speaks_of(cx: &Context<'_>, followed: &Followed, ops: &[Op], id: ExprId) -> bool {
    let about = |op: &Op| is_about(followed, ops, *op);
    cx.body.any(id, |inner| {
        ops.contains(&inner)
            || followed.tests.get(&inner).is_some_and(|(op, _)| about(op))
            || followed.speaks.get(&inner).is_some_and(|of| of.iter().any(about))
    })
}

/// Bindings that are followed one after another.
const MOST_BINDINGS: u32 = 4;

impl<'r, 'a> Reader<'r, 'a> {
    pub(super) fn new(cx: &'r Context<'a>, followed: &'r Followed, id: ExprId, ops: &'r [Op]) -> Self {
        Self { cx, followed, ops, id, changed: changed_in(cx, id) }
    }

    /// What a condition reads.
    pub(super) fn condition(&self, cond: ExprId) -> Reads {
        let tested = self.followed.tests.get(&cond);
        if let Some((op, Test::Looked)) = tested
            && !self.is_about(*op)
            && self.is_in_loop(*op)
        {
            return self.look(*op);
        }
        if let ExprKind::Lit(_) = self.cx.body.expr(cond).kind {
            return self.matched(cond).map_or(Reads::Other, |value| self.inside(value, true, MOST_BINDINGS));
        }
        let about = tested.is_some_and(|(op, _)| self.is_about(*op));
        match self.inside(cond, self.compares(cond), MOST_BINDINGS) {
            read if about => read.max(Reads::Outcome),
            Reads::State => Reads::Other,
            read => read,
        }
    }

    /// What a number in a pattern is compared with: `left` of `match (op(), left) { (Err(error), 0) => … }`.
    fn matched(&self, number: ExprId) -> Option<ExprId> {
        let body = self.cx.body;
        let is = |pat: &PatId| matches!(body.pat(*pat).kind, PatKind::Lit(lit) if lit == number);
        body.exprs().find_map(|(_, expr)| {
            let ExprKind::Match(value, arms) = &expr.kind else { return None };
            arms.iter().find_map(|arm| match (&body.pat(arm.pat).kind, &body.expr(*value).kind) {
                (PatKind::Tuple(subs), ExprKind::Tuple(parts)) => {
                    parts.get(subs.iter().position(is)?).copied()
                }
                _ => is(&arm.pat).then_some(*value),
            })
        })
    }

    /// What the answer of a call depends on that a path looked at.
    pub(super) fn look(&self, call: Op) -> Reads {
        if !self.is_in_loop(call) {
            return Reads::Fixed;
        }
        match self.cx.role(call) {
            // a poisoned lock, a full disk: it fails as other operations do
            Some(Role::Guard | Role::Local { kind: LocalKind::Lock | LocalKind::File }) => Reads::Outcome,
            _ if self.speaks(call) => self.call(call).max(Reads::Outcome),
            _ => match self.call(call) {
                Reads::State | Reads::Other if self.is_counted_inside(call) => Reads::Supply,
                Reads::State => Reads::Other,
                read => read,
            },
        }
    }

    /// Whether a call is itself tried again in an inner loop that counts its tries: when those are used up, so is what is around them.
    fn is_counted_inside(&self, call: Op) -> bool {
        let body = self.cx.body;
        self.followed.loops.iter().any(|(inner, record)| {
            let again = |state: &State| state.look(call).is_some_and(|look| look.verdict == Verdict::Failure);
            *inner != self.id
                && self.cx.loop_around(call) == Some(*inner)
                && matches!(&body.expr(*inner).kind, ExprKind::For { iter, .. }
                    if matches!(body.expr(*iter).kind, ExprKind::Range { end: Some(_), .. }))
                && record.backs.iter().any(again)
        })
    }

    pub(super) fn is_about(&self, op: Op) -> bool {
        is_about(self.followed, self.ops, op)
    }

    fn speaks(&self, id: ExprId) -> bool {
        speaks_of(self.cx, self.followed, self.ops, id)
    }

    /// The strongest of what is read anywhere in an expression.
    fn inside(&self, id: ExprId, compares: bool, left: u32) -> Reads {
        let mut read = Reads::Fixed;
        let mut renewed = false;
        self.cx.body.walk(id, &mut |inner| {
            let (found, further) = match &self.cx.body.expr(inner).kind {
                ExprKind::Call(..) | ExprKind::Method(_) => {
                    renewed |= self.measures_this_trip(inner);
                    // how long it waits decides nothing
                    let apart = self.ops.contains(&inner)
                        || self.waits_in_slices(inner)
                        || matches!(self.cx.role(inner), Some(Role::Wait { event: true, .. }));
                    (self.call(inner), !apart)
                }
                ExprKind::Path(_) => (self.path(inner, compares, inner == id, left), true),
                ExprKind::Field(..) => (self.field(inner, compares), true),
                // what stands in an `await` or `?` is looked at by itself
                _ => (Reads::Fixed, true),
            };
            // a clock that is asked beside a growing number is a deadline
            read = if read == Reads::Deadline || found == Reads::Deadline {
                Reads::Deadline
            } else {
                read.max(found)
            };
            further
        });
        if renewed && read == Reads::Deadline { Reads::Outcome } else { read }
    }

    fn path(&self, id: ExprId, compares: bool, alone: bool, left: u32) -> Reads {
        let cx = self.cx;
        let ExprKind::Path(path) = &cx.body.expr(id).kind else { return Reads::Fixed };
        if self.followed.speaks.get(&id).is_some_and(|of| of.iter().any(|op| self.is_about(*op))) {
            return Reads::Outcome;
        }
        let name = path.last();
        let words = cx.words();
        let named =
            if path.single().is_some() && parts(name).iter().any(|it| it == "deadline" || it == "elapsed") {
                Reads::Deadline
            } else if says(&words.cancel, name) && (!compares || path.segments.len() > 1) {
                Reads::Cancel
            } else {
                Reads::Fixed
            };
        let Some(local) = cx.body.local(id) else { return named };
        // a reference into the policy itself: what it counts outlives the call (an optional limit of one's own is read where it is set)
        let of_own = |source: ExprId| {
            cx.body.local(source).is_some() || cx.body.local(cx.chain_root(source)).is_some()
        };
        if compares && self.changed.steps_behind(local) && !self.changed.source(local).is_some_and(of_own) {
            return Reads::Counter;
        }
        if self.is_bound_here(local) {
            let bound = match self.changed.source(local) {
                // the time of this trip limits something only where it is compared
                Some(source) if !compares && matches!(cx.role(source), Some(Role::Clock { .. })) => {
                    Reads::Fixed
                }
                Some(source) if left > 0 && !cx.body.expr(source).span.contains(cx.body.expr(id).span) => {
                    if self.speaks(source) {
                        Reads::Outcome
                    } else {
                        self.inside(source, compares, left - 1)
                    }
                }
                Some(_) => Reads::Other,
                None => Reads::Fixed,
            };
            return if bound == Reads::Fixed { named } else { bound };
        }
        if self.changed.steps(local) && (compares || !alone) {
            return Reads::Counter;
        }
        if self.changed.is_lent(local) && named == Reads::Fixed {
            return Reads::State;
        }
        // a flag that the loop sets tells what happened on a trip
        if self.changed.is_flag(local) && named == Reads::Fixed { Reads::Outcome } else { named }
    }

    fn field(&self, id: ExprId, compares: bool) -> Reads {
        let words = self.cx.words();
        let ExprKind::Field(base, name) = &self.cx.body.expr(id).kind else { return Reads::Fixed };
        if self.speaks(*base) {
            return Reads::Outcome;
        }
        let path = self.cx.field_path(id);
        if path.as_deref().is_some_and(|path| self.changed.steps_field(path))
            || compares && says(&words.attempts, name)
        {
            return Reads::Counter;
        }
        if says(&words.cancel, name) && !compares {
            return Reads::Cancel;
        }
        match path {
            Some(path) if self.changed.is_field_flag(&path) => Reads::Outcome,
            Some(path) if self.changed.may_change(&path) => Reads::State,
            _ => Reads::Fixed,
        }
    }

    /// What a call brings in by itself, its operands apart.
    fn call(&self, call: ExprId) -> Reads {
        let cx = self.cx;
        let words = cx.words();
        if self.ops.contains(&call) {
            return Reads::Outcome;
        }
        let on = match &cx.body.expr(call).kind {
            ExprKind::Method(method) => cx.base_text(method.receiver),
            _ => String::new(),
        };
        let name = cx.call_name(call);
        // what is asked of the outcome itself tells what it is
        if self.receiver_speaks(call) && !matches!(cx.callee(call), Callee::Own(_)) {
            return Reads::Outcome;
        }
        // a wait in slices tells whether somebody stopped it
        if self.waits_in_slices(call) {
            return Reads::Cancel;
        }
        let cancels = says(&words.cancel, name)
            || says(&words.cancel, &on)
            || name == "upgrade"
            || self.is_somebodys_flag(call);
        match cx.callee(call) {
            Callee::Known(entry, _) => match &entry.role {
                Role::Clock { .. } => Reads::Deadline,
                Role::Cancel | Role::Event | Role::Local { kind: LocalKind::Channel } => Reads::Cancel,
                _ if cancels => Reads::Cancel,
                Role::Remote { .. } => Reads::Outcome,
                _ if is_supply(cx, call) => Reads::Supply,
                Role::Guard | Role::Breaker | Role::Local { kind: LocalKind::Lock | LocalKind::Memory } => {
                    Reads::Other
                }
                Role::Local { .. } => Reads::Outcome,
                Role::Wait { event: true, .. } if self.is_given_an_end(call) => Reads::Deadline,
                Role::Wait { event: true, .. } => Reads::Cancel,
                _ => Reads::Fixed,
            },
            _ if cancels => Reads::Cancel,
            _ if is_supply(cx, call) => Reads::Supply,
            Callee::Own(item) => {
                let inner = summary(cx, item);
                match decides(cx, item) {
                    Decides::Counts => Reads::Policy,
                    // it looks at the reply and waits by the clock: how long one wait is, and no end of all
                    Decides::Clock if self.speaks(call) && inner.wait.is_some() => Reads::Other,
                    Decides::Clock if inner.remote != Some(true) => Reads::Deadline,
                    Decides::Cancel if inner.remote != Some(true) => Reads::Cancel,
                    Decides::Unseen => Reads::Other,
                    // by its name it decides about tries, and by more than it is given
                    Decides::State | Decides::Clock if says(&words.retry, name) => Reads::Other,
                    _ if self.speaks(call)
                        || inner.fallible
                        || inner.is_async
                        || inner.remote == Some(true) =>
                    {
                        Reads::Outcome
                    }
                    Decides::Given => Reads::Fixed,
                    _ => Reads::State,
                }
            }
            Callee::Closure(_) => Reads::Fixed,
            Callee::Unknown | Callee::Foreign(_) | Callee::Operand(_) => self.unknown_call(call, name, &on),
        }
    }

    /// A call that nobody can look into: who is asked? What is asked of the outcome alone tells what it is; a policy may count.
    fn unknown_call(&self, call: ExprId, name: &str, on: &str) -> Reads {
        let cx = self.cx;
        let words = cx.words();
        if is_of_the_language(name) || name.starts_with(char::is_uppercase) || self.is_of_a_parameter(call) {
            return Reads::Fixed;
        }
        if self.operand_speaks(call) {
            return match &cx.body.expr(call).kind {
                ExprKind::Method(method) if self.speaks(method.receiver) || method.args.is_empty() => {
                    Reads::Outcome
                }
                // `self.policy.should_retry(&e)` asks somebody else
                ExprKind::Method(_) => Reads::Other,
                _ if cx.args(call).len() > 1 => Reads::Other,
                _ => Reads::Outcome,
            };
        }
        let policy = says(&words.retry, name) || says(&words.retry, on) || says(&words.delay, on);
        if !policy && remote::of_call(cx, call, MOST_CALLS).is_some_and(|answer| answer.is) {
            return Reads::Outcome;
        }
        if says(&words.attempts, name) { Reads::Counter } else { Reads::Other }
    }

    /// Whether a function of the crate that only waits does so in a loop of small sleeps.
    fn waits_in_slices(&self, call: ExprId) -> bool {
        let Callee::Own(item) = self.cx.callee(call) else { return false };
        let inner = summary(self.cx, item);
        inner.is_wait
            && inner.wait.is_some_and(|wait| {
                self.cx.inside(item).is_some_and(|within| within.loop_around(wait).is_some())
            })
    }

    /// Whether an atomic flag is read that nothing in the loop sets: somebody else decides by it.
    fn is_somebodys_flag(&self, call: ExprId) -> bool {
        let body = self.cx.body;
        let ExprKind::Method(method) = &body.expr(call).kind else { return false };
        let flag = |id: ExprId| match &body.expr(id).kind {
            ExprKind::Path(path) => path.single().map(str::to_owned),
            _ => self.cx.field_path(id),
        };
        let is_bool = self
            .cx
            .type_of(method.receiver)
            .is_some_and(|ty| crate::resolve::peeled(&ty).name() == "AtomicBool");
        method.name == "load"
            && is_bool
            && !body.any(self.id, |id| match &body.expr(id).kind {
                ExprKind::Method(other) => {
                    matches!(other.name.as_str(), "store" | "swap" | "fetch_or" | "fetch_and")
                        && flag(other.receiver) == flag(method.receiver)
                }
                _ => false,
            })
    }

    fn operand_speaks(&self, call: ExprId) -> bool {
        self.cx.operands(call).iter().any(|operand| self.speaks(*operand))
    }

    fn receiver_speaks(&self, call: ExprId) -> bool {
        matches!(&self.cx.body.expr(call).kind, ExprKind::Method(method) if self.speaks(method.receiver))
    }

    /// Whether a method is called on the parameter of a closure: on one of many, which is no policy.
    fn is_of_a_parameter(&self, call: ExprId) -> bool {
        let ExprKind::Method(method) = &self.cx.body.expr(call).kind else { return false };
        let mut at = method.receiver;
        for _ in 0..MOST_BINDINGS {
            let Some(local) = self.cx.body.local(at).filter(|local| self.is_bound_here(*local)) else {
                return false;
            };
            match self.changed.source(local) {
                Some(source) => at = source,
                None => return true,
            }
        }
        false
    }

    /// Whether a wait is given a point in time that was fixed before the loop.
    fn is_given_an_end(&self, call: ExprId) -> bool {
        self.cx.args(call).iter().filter_map(|arg| self.cx.body.local(*arg)).any(|local| {
            !self.is_bound_here(local) && self.cx.init(local).is_some_and(|init| self.is_instant(init, 3))
        })
    }

    fn is_instant(&self, id: ExprId, left: u32) -> bool {
        self.cx.body.any(id, |part| {
            matches!(self.cx.role(part), Some(Role::Clock { .. }))
                || left > 0
                    && self
                        .cx
                        .body
                        .local(part)
                        .and_then(|local| self.cx.init(local))
                        .is_some_and(|init| init != id && self.is_instant(init, left - 1))
        })
    }

    fn is_in_loop(&self, call: Op) -> bool {
        self.cx.body.expr(self.id).span.contains(self.cx.body.expr(call).span)
    }

    fn is_bound_here(&self, local: Local) -> bool {
        self.cx.body.expr(self.id).span.contains(self.cx.body.pat(local).span)
    }

    /// Whether a call measures time from an instant that the trip itself took: a limit for one attempt, none for all.
    fn measures_this_trip(&self, call: ExprId) -> bool {
        let cx = self.cx;
        let started_here = |id: ExprId| {
            cx.body.local(id).is_some_and(|local| {
                self.is_bound_here(local)
                    && self.changed.source(local).is_some_and(|source| {
                        matches!(cx.role(source), Some(Role::Clock { .. }))
                            || matches!(cx.body.expr(source).kind, ExprKind::Binary(BinOp::Add, left, _) if matches!(cx.role(left), Some(Role::Clock { .. })))
                    })
            })
        };
        match &cx.body.expr(call).kind {
            ExprKind::Method(method) => match method.name.as_str() {
                "elapsed" => started_here(method.receiver),
                "duration_since" | "saturating_duration_since" | "checked_duration_since" => {
                    method.args.iter().any(|arg| started_here(*arg))
                }
                _ => false,
            },
            _ => false,
        }
    }

    fn compares(&self, cond: ExprId) -> bool {
        match &self.cx.body.expr(cond).kind {
            ExprKind::Binary(BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge | BinOp::Eq | BinOp::Ne, ..) => {
                true
            }
            ExprKind::Unary(UnOp::Not, inner) => self.compares(*inner),
            ExprKind::Method(call) => matches!(
                call.name.as_str(),
                "is_zero" | "is_some_and" | "is_none_or" | "contains" | "lt" | "le" | "gt" | "ge" | "eq"
            ),
            _ => false,
        }
    }
}

/// What the language itself defines on its own types: what comes of it depends on the operands alone.
fn is_of_the_language(name: &str) -> bool {
    matches!(
        name,
        "is_some"
            | "is_none"
            | "is_ok"
            | "is_err"
            | "is_some_and"
            | "is_none_or"
            | "is_zero"
            | "unwrap"
            | "expect"
            | "ok"
            | "err"
            | "eq"
            | "ne"
            | "lt"
            | "le"
            | "gt"
            | "ge"
            | "Ok"
            | "Err"
            | "Some"
    )
}
