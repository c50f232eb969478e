//! The questions that classification asks about a loop: what counts, what is remote, what names say, what leaves and what stays.
//! Each answers about one loop of one body; which answers make which kind is the decision table's business (`classify`).

use super::classify::waits_alike;
use super::context::{Callee, Context};
use super::delay::{Env, Eval, Key};
use super::flow::state::Look;
use super::flow::{Event, Flow, Followed, LoopRecord, LoopShape, Op, State, Tag, Val, Verdict};
use super::remote::{self, Answer};
use super::serves::serves;
use super::summary::{MOST_CALLS, summary};
use crate::body::{ExprId, ExprKind, PatId, PatKind, Path, TyShape, UnOp};
use crate::knowledge::{LocalKind, Role, is_one_of, parts, says};

/// A loop, and what is asked of it.
pub(super) struct Question<'q, 'a> {
    pub(super) cx: &'q Context<'a>,
    pub(super) followed: &'q Followed,
    pub(super) id: ExprId,
}

impl Question<'_, '_> {
    /// Whether an operation counts: it may be what is retried. Waits, locks and tests of local things do not.
    pub(super) fn counts(&self, op: Op) -> bool {
        if let Callee::Own(item) = self.cx.callee(op)
            && summary(self.cx, item).is_wait
        {
            return false;
        }
        if self.only_asks_whether(op) || self.is_paced_by(op) || self.takes_out(op) {
            return false;
        }
        self.cx.may_be_tried(op)
    }

    /// Whether a path goes round because of an error kind that is none: the call was interrupted, or would block.
    pub(super) fn is_no_error(&self, state: &State) -> bool {
        let list = &self.cx.words().not_an_error;
        // a variant may be imported; a variable may be called anything
        let is_variant = |path: &Path| path.segments.len() > 1 || path.last().starts_with(char::is_uppercase);
        let named = |path: &Path| is_variant(path) && says(list, path.last());
        // what asks whether to try again asks about errors
        let asked = |call: ExprId| {
            let name = self.cx.call_name(call);
            says(list, name)
                && !parts(name).iter().any(|part| part == "again")
                && !says(&self.cx.words().retry, name)
        };
        let by_test = state.conds.iter().filter(|(_, truth)| *truth).any(|(cond, _)| {
            self.cx.body.any(*cond, |id| match &self.cx.body.expr(id).kind {
                ExprKind::Path(path) => named(path),
                ExprKind::Method(_) => id == *cond && asked(id),
                _ => false,
            })
        });
        by_test
            // what such a question gives is there only where the answer is yes
            || state.looked.iter().any(|look| look.tag == Tag::Some && asked(look.op))
            || state.looked.iter().any(|look| matches!(&look.tag, Tag::Variant(name) if says(list, name)))
            || state.arms.iter().any(|pat| {
                let mut found = false;
                self.cx.body.walk_pat(*pat, &mut |at| {
                    found |= matches!(&self.cx.body.pat(at).kind, PatKind::Path(path) | PatKind::TupleStruct(path, _) if named(path));
                });
                found
            })
    }

    /// Whether the vocabulary knows an operation to stay in the process: a channel, a lock, a message that comes.
    pub(super) fn stays(&self, op: Op) -> bool {
        self.cx.stays(op)
    }

    /// Whether something that stays in the process failed on a path: `tx.send(reply)` without a receiver.
    pub(super) fn could_not_hand_on(&self, state: &State) -> bool {
        state.looked.iter().any(|look| look.verdict == Verdict::Failure && self.stays(look.op))
    }

    pub(super) fn is_of_item(&self, op: Op) -> bool {
        self.followed.of_item.get(&op).is_some_and(|loops| loops.contains(&self.id))
    }

    pub(super) fn remote(&self, op: Op) -> Option<Answer> {
        if self.gives_panics(op) {
            return Some(Answer { is: false, certain: true, why: "what fails is a panic".into() });
        }
        if self.followed.operands.contains(&op) {
            let operand = match self.cx.callee(op) {
                Callee::Operand(local) => Some(local),
                _ => None,
            };
            return remote::of_callers(self.cx, operand).or_else(|| self.by_helper_name());
        }
        remote::of_call(self.cx, op, MOST_CALLS)
            .or_else(|| self.of_what_it_judges(op))
            .or_else(|| self.of_implementations(op))
            .or_else(|| self.is_declared_only(op).then(|| self.by_retried_variant()).flatten())
    }

    /// Whether what fails is a panic that was caught, in the operation or at the end of the function that it calls.
    fn gives_panics(&self, op: Op) -> bool {
        let catches = |cx: &Context<'_>, root: ExprId| {
            cx.body.any(root, |id| {
                matches!(cx.body.expr(id).kind, ExprKind::Call(..) | ExprKind::Method(_))
                    && cx.call_name(id) == "catch_unwind"
            })
        };
        catches(self.cx, op)
            || matches!(self.cx.callee(op), Callee::Own(item) if self.cx.inside(item).is_some_and(|inner| {
                match &inner.body.expr(inner.body.root).kind {
                    ExprKind::Block(block) => block.tail.is_some_and(|tail| catches(&inner, tail)),
                    _ => false,
                }
            }))
    }

    /// What judges an operation's outcome is tried again with it.
    fn of_what_it_judges(&self, op: Op) -> Option<Answer> {
        let from = *self.followed.handed.get(&op)?;
        let operand = self.followed.operands.contains(&from);
        let answer = if operand { self.remote(from) } else { remote::of_call(self.cx, from, MOST_CALLS) };
        // `get_parent(path)` is called by a verb that half of all functions have
        let tells = |answer: &Answer| operand || answer.certain || self.cx.is_awaited(from);
        answer.filter(|answer| answer.is && tells(answer))
    }

    /// What one of the implementations in the crate reaches, a trait's method that nobody can tell apart may reach.
    fn of_implementations(&self, op: Op) -> Option<Answer> {
        let Callee::Own(item) = self.cx.callee(op) else { return None };
        let bodies =
            self.cx.krate.implementations(item).into_iter().filter(|body| *body != self.cx.at).take(8);
        let mut reached = bodies.filter(|body| summary(self.cx, *body).remote == Some(true));
        let name = self.cx.krate.qualified_name(reached.next()?);
        Some(Answer { is: true, certain: false, why: format!("`{name}` reaches a remote side") })
    }

    /// Whether a trait of the crate declares the operation and nothing in the crate implements it: whoever calls gives it, as a closure is given.
    fn is_declared_only(&self, op: Op) -> bool {
        matches!(self.cx.callee(op), Callee::Own(item) if self.cx.inside(item).is_none())
    }

    /// Whether something else is established on a trip round: what failed is used again on what was made anew.
    pub(super) fn recovers(&self, states: &[&State], ops: &[Op]) -> bool {
        states.iter().any(|state| {
            state.looked.iter().any(|look| {
                look.verdict == Verdict::Success
                    && state.calls.contains(&look.op)
                    && !ops.contains(&look.op)
                    && self.counts(look.op)
                    && (self.cx.is_awaited(look.op) || !self.is_async())
                    && !self.is_dispatch(state, look.op)
                    && remote::establishes(self.cx, look.op, 3)
            })
        })
    }

    /// Whether an operation is written in the loop, or in a closure that the loop may call.
    pub(super) fn may_come_again(&self, op: Op) -> bool {
        let of_loop: Vec<ExprId> = self.cx.around(self.id).collect();
        std::iter::once(op).chain(self.cx.around(op)).any(|at| {
            at == self.id
                || matches!(self.cx.body.expr(at).kind, ExprKind::Closure { .. } | ExprKind::Async(_))
                    && !of_loop.contains(&at)
        })
    }

    /// Whether the loop runs in async code.
    fn is_async(&self) -> bool {
        let within = self.followed.loops.get(&self.id).and_then(|record| record.within);
        match within.map(|within| &self.cx.body.expr(within).kind) {
            Some(ExprKind::Async(_)) => true,
            Some(ExprKind::Closure { body, .. }) => {
                matches!(self.cx.body.expr(*body).kind, ExprKind::Async(_))
            }
            _ => self.cx.body.is_async,
        }
    }

    /// Whether an operation makes a connection; of what is done for each of several in turn, only by its own name.
    pub(super) fn establishes(&self, op: Op) -> bool {
        let inner = self.followed.of_item.get(&op).into_iter().flatten().any(|looped| {
            self.followed.loops.get(looped).is_some_and(|record| record.outer == Some(self.id))
        });
        if inner {
            return remote::is_named_after_establishing(self.cx.words(), self.cx.call_name(op));
        }
        remote::establishes(self.cx, op, 3)
    }

    /// Whether this is done for each of several in turn, in a loop within this one, whatever became of it last time: what is asked first
    /// whether it needs it is made anew where it broke.
    pub(super) fn is_of_inner_item(&self, op: Op) -> bool {
        !self.is_asked_for(op)
            && self.followed.of_item.get(&op).into_iter().flatten().any(|looped| {
                self.followed
                    .loops
                    .get(looped)
                    .is_some_and(|record| record.outer == Some(self.id) && record.shape == LoopShape::Each)
            })
    }

    /// Whether a condition in the loop decides whether an operation is called.
    pub(super) fn is_asked_for(&self, op: Op) -> bool {
        let body = self.cx.body;
        self.cx.around(op).take_while(|at| *at != self.id).any(|at| match &body.expr(at).kind {
            ExprKind::If { cond, .. } => !body.expr(*cond).span.contains(body.expr(op).span),
            _ => false,
        })
    }

    /// Whether what a failed operation was called on is made anew by another call, on a trip that goes round because it failed.
    pub(super) fn renews(&self, failing: &[&State], ops: &[Op]) -> bool {
        failing.iter().any(|state| {
            let called = |op: &Op| !ops.contains(op) && self.counts(*op) && self.cx.is_awaited(*op);
            let failed = state.looked.iter().filter(|look| look.verdict == Verdict::Failure);
            state.calls.iter().any(called)
                && failed.filter(|look| ops.contains(&look.op)).any(|look| {
                    matches!(&self.cx.body.expr(look.op).kind, ExprKind::Method(call) if self.is_made_anew(call.receiver))
                })
        })
    }

    /// Whether a place is given something in the loop that was awaited.
    fn is_made_anew(&self, place: ExprId) -> bool {
        let body = self.cx.body;
        let same = |left: ExprId| match (body.local(place), body.local(left)) {
            (Some(one), Some(other)) => one == other,
            (None, None) => {
                let path = self.cx.field_path(place);
                path.is_some() && path == self.cx.field_path(left)
            }
            _ => false,
        };
        body.any(self.id, |id| match &body.expr(id).kind {
            ExprKind::Assign(left, right) => {
                same(*left) && body.any(*right, |inner| matches!(body.expr(inner).kind, ExprKind::Await(_)))
            }
            _ => false,
        })
    }

    /// Whether the loop goes on as often as a list is long: each trip is for another of its members, however it is picked.
    pub(super) fn tries_each_of_a_list(&self) -> bool {
        let ExprKind::For { iter, .. } = &self.cx.body.expr(self.id).kind else { return false };
        let ExprKind::Range { end: Some(end), .. } = &self.cx.body.expr(*iter).kind else { return false };
        let end = self.cx.behind_name(*end);
        matches!(&self.cx.body.expr(end).kind, ExprKind::Method(call) if call.name == "len" && call.args.is_empty())
    }

    /// Whether the loop goes on until a list is used up: `while !candidates.is_empty() { let one = pick(&mut candidates); … }`.
    pub(super) fn uses_up_a_list(&self) -> bool {
        let body = self.cx.body;
        let ExprKind::While { cond, .. } = &body.expr(self.id).kind else { return false };
        let ExprKind::Unary(UnOp::Not, asked) = body.expr(*cond).kind else { return false };
        let list = match &body.expr(asked).kind {
            ExprKind::Method(call) if call.name == "is_empty" => body.local(call.receiver),
            _ => None,
        };
        list.is_some()
            && body.any(self.id, |id| match &body.expr(id).kind {
                ExprKind::Method(call) => {
                    matches!(
                        call.name.as_str(),
                        "pop" | "pop_front" | "pop_back" | "remove" | "swap_remove" | "drain"
                    ) && body.local(call.receiver) == list
                }
                ExprKind::Ref(_) => self.cx.lent_place(id).is_some_and(|place| body.local(place) == list),
                _ => false,
            })
    }

    /// Whether the loop goes over the same few again and again: `for (_, host) in (0..MOST).zip(hosts.iter().cycle())`.
    pub(super) fn begins_again(&self) -> bool {
        let ExprKind::For { iter, .. } = &self.cx.body.expr(self.id).kind else { return false };
        self.cx.body.any(*iter, |id| {
            matches!(&self.cx.body.expr(id).kind, ExprKind::Method(call) if call.name == "cycle" && call.args.is_empty())
        })
    }

    /// Whether what failed is put back where it was taken from: then the next one may be the same.
    pub(super) fn puts_back(&self) -> bool {
        let body = self.cx.body;
        let on = |id: ExprId, names: &[&str]| match &body.expr(id).kind {
            ExprKind::Method(call) if names.contains(&call.name.as_str()) => body.local(call.receiver),
            _ => None,
        };
        let mut taken = Vec::new();
        let mut put = Vec::new();
        body.walk(self.id, &mut |id| {
            let names = ["next", "pop", "pop_front", "pop_back", "remove", "swap_remove", "dequeue", "recv"];
            taken.extend(on(id, &names));
            put.extend(on(id, &["push", "push_back", "push_front", "insert", "enqueue", "send"]));
            true
        });
        taken.iter().any(|local| put.contains(local))
    }

    /// A delay that is named after connecting tells what fails: `sleep(self.reconnect_interval)`.
    pub(super) fn waits_to_reconnect(&self, failing: &[&State]) -> Option<Answer> {
        let words = self.cx.words();
        let both = |name: &str| says(&words.establish, name) && says(&words.delay, name);
        let mut found = None;
        for wait in failing.iter().flat_map(|state| &state.waits) {
            self.cx.body.walk(*wait, &mut |id| {
                let name = match &self.cx.body.expr(id).kind {
                    ExprKind::Path(path) => path.last(),
                    ExprKind::Field(_, name) => name,
                    ExprKind::Call(..) | ExprKind::Method(_) => self.cx.call_name(id),
                    _ => return true,
                };
                if both(name) {
                    found = Some(format!("`{name}` is a delay before connecting again"));
                }
                found.is_none()
            });
        }
        found.map(|why| Answer { is: true, certain: false, why })
    }

    /// Whether what failing trips step, and what their waits or bounds depend on, success begins anew: they are waited for otherwise.
    /// Where both come to the same wait, it must be told by what is stepped.
    pub(super) fn begins_anew(&self, failing: &[&State], succeeding: &[&State]) -> bool {
        let eval = Eval::new(self.cx, Env::default());
        let body = self.cx.body;
        let place = |event: &Event| match event {
            Event::Assign(id) => match &body.expr(*id).kind {
                ExprKind::AssignOp(_, left, _) => Some((eval.key(*left)?, true)),
                ExprKind::Assign(left, right) => {
                    let key = eval.key(*left)?;
                    let steps = body.any(*right, |id| eval.key(id).as_ref() == Some(&key));
                    Some((key, steps))
                }
                _ => None,
            },
            _ => None,
        };
        let sets = |state: &State, key: &Key, steps: bool| {
            state.trip_events().iter().filter_map(place).any(|(set, how)| set == *key && how == steps)
        };
        let waiting = || failing.iter().filter(|state| !state.waits.is_empty());
        let waits_for = |state: &State, key: &Key| {
            let told = |wait: &ExprId| body.any(*wait, |id| eval.key(id).as_ref() == Some(key));
            succeeding.iter().all(|other| !waits_alike(self.cx, &state.waits, &other.waits))
                || state.waits.iter().any(told)
        };
        let Some(first) = waiting().next() else { return false };
        first.trip_events().iter().filter_map(place).any(|(key, steps)| {
            steps
                && waiting().all(|state| sets(state, &key, true) && waits_for(state, &key))
                && !succeeding.is_empty()
                && succeeding.iter().all(|state| sets(state, &key, false))
        })
    }

    /// Whether an operation only asks whether something is as it should be that this trip took from elsewhere: the next one takes another.
    pub(super) fn examines_what_it_took(&self, op: Op) -> bool {
        let first = parts(self.cx.call_name(op)).into_iter().next().unwrap_or_default();
        let inside = self.cx.body.expr(self.id).span;
        let taken = |arg: &ExprId| {
            let arg = match self.cx.body.expr(*arg).kind {
                ExprKind::Ref(inner) => inner,
                _ => *arg,
            };
            self.cx.body.local(arg).is_some_and(|local| inside.contains(self.cx.body.pat(local).span))
        };
        matches!(first.as_str(), "is" | "has") && self.cx.args(op).iter().any(taken)
    }

    /// Whether a path leaves after success with a timer set that is written as one of a failing trip's.
    pub(super) fn waits_the_same_after_success(
        &self,
        record: &LoopRecord,
        failing: &[&State],
        ops: &[Op],
    ) -> bool {
        record.exits.iter().any(|(state, _)| {
            let worked = |look: &Look| look.verdict == Verdict::Success && ops.contains(&look.op);
            state.looked.iter().any(worked)
                && failing.iter().any(|fail| waits_alike(self.cx, &state.waits, &fail.waits))
        })
    }

    /// Whether the trip was made for a message that had come before the operation was called: the next one has the next message.
    pub(super) fn is_dispatch(&self, state: &State, op: Op) -> bool {
        state.looked.iter().take_while(|look| look.op != op).any(|look| {
            let is_message = match self.cx.role(look.op) {
                Some(Role::Event | Role::Accept) => true,
                None => {
                    matches!(self.cx.call_name(look.op), "recv" | "accept") && self.cx.is_awaited(look.op)
                }
                _ => false,
            };
            look.verdict == Verdict::Success && is_message
        })
    }

    /// Whether an operation was called for a connection that had been accepted on the same trip.
    pub(super) fn is_of_accepted(&self, state: &State, op: Op) -> bool {
        let before = state.calls.iter().take_while(|call| **call != op);
        before.into_iter().any(|call| {
            matches!(self.cx.role(*call), Some(Role::Accept))
                || self.cx.call_name(*call) == "accept" && self.cx.is_awaited(*call)
        })
    }

    /// Whether the loop fills something up: it compares what there is with what there should be.
    pub(super) fn fills_up(&self) -> bool {
        match &self.cx.body.expr(self.id).kind {
            ExprKind::While { cond, .. } => matches!(self.cx.body.expr(*cond).kind, ExprKind::Binary(..)),
            _ => false,
        }
    }

    /// Whether what was established is used again and again, and established only where it is missing: another trip, with a wait in common,
    /// asks something else of the remote side and does not establish.
    pub(super) fn establishes_beside(&self, failing: &[&State], succeeding: &[&State]) -> bool {
        succeeding.iter().any(|state| {
            state.waits.iter().any(|wait| failing.iter().any(|fail| fail.waits.contains(wait)))
                && state.calls.iter().all(|op| !remote::establishes(self.cx, *op, 3))
                && state.calls.iter().any(|op| self.counts(*op) && self.remote(*op).is_some_and(|it| it.is))
        })
    }

    /// Whether the loop is left with a value once an operation has succeeded that also goes round after success: its reply is tested.
    pub(super) fn looks_for(&self, record: &LoopRecord, called: &[Op]) -> bool {
        record.exits.iter().any(|(state, flow)| {
            let leaves = match flow {
                Flow::Break(_, val) | Flow::Return(val) => !matches!(val, Val::Built(Tag::Err, _)),
                _ => false,
            };
            leaves
                && !state.marks.cancel
                && state.looked.iter().any(|look| {
                    look.verdict == Verdict::Success && called.contains(&look.op) && !self.is_of_item(look.op)
                })
        })
    }

    /// The call that establishes anew on every failing path, after what failed.
    pub(super) fn established_after(
        &self,
        failing: &[&State],
        ops: &[Op],
        counts: &dyn Fn(Op) -> bool,
    ) -> Option<Op> {
        let first = failing.first()?;
        first.calls.iter().copied().find(|op| {
            counts(*op)
                && !ops.contains(op)
                && !self.is_of_item(*op)
                && failing.iter().all(|state| state.calls.contains(op))
                && remote::establishes(self.cx, *op, 3)
                && self.remote(*op).is_some_and(|it| it.is)
        })
    }

    /// The remote call that succeeded on every failing path, and after which the loop is left elsewhere.
    pub(super) fn replied(&self, record: &LoopRecord, failing: &[&State], ops: &[Op]) -> Option<Op> {
        let first = failing.first()?;
        first.calls.iter().copied().find(|op| {
            !ops.contains(op)
                && !self.is_of_item(*op)
                && failing.iter().all(|state| {
                    state.looked.iter().any(|look| look.op == *op && look.verdict == Verdict::Success)
                })
                && self.remote(*op).is_some_and(|it| it.is)
                && leaves_after_success(self.cx, record, &[*op])
        })
    }

    /// Whether success is long work that ended: an inner loop, or a call that runs, serves or listens.
    pub(super) fn is_session(&self, succeeding: &[&State], remote_known: bool) -> bool {
        let words = self.cx.words();
        let long = |name: &str| says(&words.session, name) && !says(&words.piece, name);
        let serving = |op: &Op| self.cx.is_awaited(*op) && serves(self.cx, *op, 2);
        succeeding.iter().any(|state| state.calls.iter().any(serving))
            || succeeding.iter().any(|state| {
            state
                .calls
                .iter()
                .filter(|op| long(self.cx.call_name(**op)) && self.cx.is_awaited(**op))
                .any(|op| self.remote(*op).is_none_or(|answer| answer.is))
        }) || remote_known && self.holds_session_loop()
            // what goes round at once after a success that is no session would never rest
            || remote_known
                && succeeding.iter().any(|state| {
                    state.waits.is_empty()
                        && state.calls.iter().any(|op| self.cx.is_awaited(*op) && self.reads_a_stream(*op))
                })
    }

    /// Whether each failing path waits on a condition variable, and for nothing else: another thread makes what is not there.
    pub(super) fn waits_to_be_woken(&self, failing: &[&State]) -> bool {
        let woken =
            |wait: &ExprId| matches!(self.cx.role(*wait), Some(Role::Wait { event: true, arg: Some(1), .. }));
        failing.iter().all(|state| !state.waits.is_empty() && state.waits.iter().all(woken))
    }

    /// Whether a path went through a stream of the remote side to its end, item by item.
    pub(super) fn is_end_of_stream(&self, state: &State) -> bool {
        let body = self.cx.body;
        let words = &self.cx.words().streams;
        let of_stream = |op: &Op| parts(self.cx.call_name(*op)).iter().any(|part| is_one_of(words, part));
        let mut ended = state.looked.iter().filter(|look| look.verdict == Verdict::NotYet).peekable();
        state.calls.iter().any(of_stream)
            && ended.peek().is_some()
            && ended.all(|look| {
                !self.stays(look.op)
                    && self.cx.around(look.op).any(|at| match &body.expr(at).kind {
                        ExprKind::While { cond, .. } => {
                            at != self.id
                                && body.expr(self.id).span.contains(body.expr(at).span)
                                && matches!(body.expr(*cond).kind, ExprKind::Let(..))
                                && body.expr(*cond).span.contains(body.expr(look.op).span)
                        }
                        _ => false,
                    })
            })
    }

    /// Whether a function of the crate reads a stream to its end before it succeeds: `while let Some(part) = reply.chunk().await? { … }`.
    fn reads_a_stream(&self, op: Op) -> bool {
        let Callee::Own(item) = self.cx.callee(op) else { return false };
        let Some(inner) = self.cx.inside(item).filter(|_| summary(self.cx, item).is_async) else {
            return false;
        };
        inner.body.exprs().any(|(_, expr)| {
            let ExprKind::While { cond, .. } = &expr.kind else { return false };
            let ExprKind::Let(_, value) = &inner.body.expr(*cond).kind else { return false };
            inner.body.any(*value, |id| {
                matches!(&inner.body.expr(id).kind, ExprKind::Await(of)
                    if matches!(&inner.body.expr(*of).kind, ExprKind::Method(call) if call.args.is_empty()
                        && !matches!(inner.role(*of), Some(Role::Event | Role::Local { .. }))))
            })
        })
    }

    /// Whether each trip begins with a wait, before anything is called or asked: what comes after it is periodic work.
    pub(super) fn begins_with_a_wait(&self, record: &LoopRecord) -> bool {
        !record.backs.is_empty() && record.backs.iter().all(|state| self.wait_at_head(state).is_some())
    }

    /// The wait that a trip begins with, what the loop's own condition asks aside.
    fn wait_at_head(&self, state: &State) -> Option<ExprId> {
        let body = self.cx.body;
        let head = match &body.expr(self.id).kind {
            ExprKind::While { cond, .. } => Some(body.expr(*cond).span),
            _ => None,
        };
        let of_head = |id: ExprId| head.is_some_and(|head| head.contains(body.expr(id).span));
        let first = state.trip_events().iter().find(|event| match event {
            Event::Wait(_) => true,
            Event::Call(id) => !of_head(*id) && self.counts(*id),
            Event::Cond(id, _) => !of_head(*id),
            _ => false,
        });
        match first {
            Some(Event::Wait(wait)) => Some(*wait),
            _ => None,
        }
    }

    /// Whether a timer of its own or a message begins each failing trip, and other trips are begun by something else: the arms of a loop over
    /// many events. What fails in one waits for no other's timer; a timer that is named after connecting is the delay before the next try.
    pub(super) fn is_one_arm_of_many(&self, record: &LoopRecord, failing: &[&State], ops: &[Op]) -> bool {
        let ticks = |wait: ExprId| matches!(self.cx.role(wait), Some(Role::Wait { arg: None, .. }));
        let by_tick = |state: &State| match state.waits.as_slice() {
            [wait] => ticks(*wait) && self.wait_at_head(state) == Some(*wait),
            _ => false,
        };
        let by_message = |state: &State| {
            state.waits.is_empty()
                && state.calls.iter().filter(|op| ops.contains(op)).all(|op| self.is_dispatch(state, *op))
        };
        let other = |state: &State| {
            !state.calls.iter().any(|op| ops.contains(op))
                && !state.waits.iter().any(|wait| failing.iter().any(|fail| fail.waits.contains(wait)))
        };
        failing.iter().any(|state| by_tick(state))
            && failing.iter().all(|state| by_tick(state) || by_message(state))
            && record.backs.iter().any(other)
            && self.waits_to_reconnect(failing).is_none()
    }

    fn holds_session_loop(&self) -> bool {
        self.followed.loops.iter().any(|(inner, record)| {
            record.outer == Some(self.id)
                && *inner != self.id
                && matches!(record.shape, LoopShape::Loop | LoopShape::While)
                && record.backs.iter().any(|state| {
                    state.marks.event
                        || state.calls.iter().any(|op| matches!(self.cx.role(*op), Some(Role::Event)))
                })
        })
    }

    /// Whether all these only read, and what they read is thrown away: somebody waits until they answer.
    pub(super) fn only_answers_matter(&self, ops: &[Op]) -> bool {
        let reads = |op: Op| {
            let first = parts(self.cx.call_name(op)).into_iter().next().unwrap_or_default();
            is_one_of(&self.cx.words().asks, &first)
        };
        !ops.is_empty() && ops.iter().all(|op| reads(*op) && self.is_thrown_away(*op))
    }

    /// Whether nobody looks inside what an operation gives, only whether it gave it.
    pub(super) fn is_thrown_away(&self, op: Op) -> bool {
        let body = self.cx.body;
        let mut at = op;
        for _ in 0..8 {
            let Some(parent) = self.cx.parent(at) else { return false };
            match &body.expr(parent).kind {
                ExprKind::Await(_) => at = parent,
                ExprKind::Method(call) => return call.receiver == at && tells_only(&call.name),
                ExprKind::Let(pat, _) => return !self.binds_success(*pat),
                ExprKind::Match(_, arms) => return arms.iter().all(|arm| !self.binds_success(arm.pat)),
                ExprKind::Block(_) => {
                    return self.cx.local_of(at).is_some_and(|local| {
                        let mut uses = body.exprs().filter(|(id, _)| body.local(*id) == Some(local));
                        uses.all(|(id, _)| {
                            self.cx.parent(id).is_some_and(|asked| {
                                matches!(&body.expr(asked).kind, ExprKind::Method(call) if tells_only(&call.name))
                            })
                        })
                    });
                }
                _ => return false,
            }
        }
        false
    }

    /// Whether a pattern takes something out of a success.
    fn binds_success(&self, pat: PatId) -> bool {
        match &self.cx.body.pat(pat).kind {
            PatKind::TupleStruct(path, subs) => {
                path.last() != "Err"
                    && !subs.iter().all(|sub| match &self.cx.body.pat(*sub).kind {
                        PatKind::Wild => true,
                        PatKind::Tuple(parts) => parts.is_empty(),
                        _ => false,
                    })
            }
            PatKind::Wild | PatKind::Path(_) => false,
            _ => true,
        }
    }

    /// Whether the function is named after retrying, not after connecting, and gives its caller an outcome.
    pub(super) fn is_a_retrier(&self, record: &LoopRecord) -> bool {
        let name = self.cx.krate.item(self.cx.at).map_or("", |item| item.name.as_str());
        says(&self.cx.words().retry, name)
            && !says(&self.cx.words().establish, name)
            && record.within.is_none()
            && !self.gives_nothing(record)
    }

    /// Whether the surrounding task keeps what is established alive: a loop around comes back, or the function gives nothing.
    pub(super) fn keeps_alive(&self, record: &LoopRecord) -> bool {
        if let Some(outer) = record.outer.and_then(|outer| self.followed.loops.get(&outer)) {
            return !outer.backs.is_empty()
                && outer.shape != LoopShape::Count
                && outer.shape != LoopShape::Each;
        }
        self.is_task(record) && self.gives_nothing(record) || self.called_round_and_round()
    }

    /// Whether the function is called in a loop of this crate that goes on after it: what it establishes is established again.
    fn called_round_and_round(&self) -> bool {
        self.cx.callers().iter().take(16).any(|(item, call)| {
            let Some(caller) = self.cx.inside(*item) else { return false };
            caller
                .around(*call)
                .any(|at| matches!(caller.body.expr(at).kind, ExprKind::Loop { .. } | ExprKind::While { .. }))
        })
    }

    /// Whether the loop runs as a task of its own.
    pub(super) fn is_task(&self, record: &LoopRecord) -> bool {
        match record.within {
            Some(within) => {
                self.followed.spawned.contains(&within)
                    || matches!(self.cx.body.expr(within).kind, ExprKind::Async(_))
            }
            None => self.gives_nothing(record),
        }
    }

    fn gives_nothing(&self, record: &LoopRecord) -> bool {
        if let Some(within) = record.within {
            // what a task of its own does with what it made is its own business
            let spawned = self.followed.spawned.contains(&within);
            return !record.exits.iter().any(|(_, flow)| match flow {
                Flow::Return(val) => *val != Val::Unknown,
                Flow::Break(_, val) => !spawned && *val != Val::Unknown,
                _ => false,
            });
        }
        self.cx
            .body
            .ret
            .as_ref()
            .is_none_or(|ty| ty.shape == TyShape::Other || ty.shape == TyShape::Tuple && ty.args.is_empty())
    }
}

/// Whether a method tells only whether something succeeded.
fn tells_only(name: &str) -> bool {
    matches!(name, "is_ok" | "is_err" | "is_some" | "is_none")
}

/// Whether a path leaves the loop on which no operation of these is known to have failed, and one was called.
pub(super) fn leaves_after_success(cx: &Context<'_>, record: &LoopRecord, ops: &[Op]) -> bool {
    record.exits.iter().any(|(state, flow)| {
        if matches!(flow, Flow::Diverge) || is_deserted(cx, state, ops) {
            return false;
        }
        let failed =
            state.looked.iter().any(|look| ops.contains(&look.op) && look.verdict == Verdict::Failure);
        let gives_error =
            matches!(flow, Flow::Return(Val::Built(Tag::Err, _)) | Flow::Break(_, Val::Built(Tag::Err, _)));
        let called = state.calls.iter().any(|op| ops.contains(op))
            || state.looked.iter().any(|look| ops.contains(&look.op))
            // called on the trip before, and given as it is
            || matches!(flow, Flow::Return(Val::Outcome(op)) | Flow::Break(_, Val::Outcome(op)) if ops.contains(op));
        called && !failed && !gives_error
    })
}

/// Whether a path leaves because, after one of these operations, nobody sends messages any more: it would have gone on with the next one.
fn is_deserted(cx: &Context<'_>, state: &State, ops: &[Op]) -> bool {
    let after = state.looked.iter().skip_while(|look| !ops.contains(&look.op)).skip(1);
    let gone = |look: &&Look| {
        matches!(look.verdict, Verdict::Failure | Verdict::NotYet)
            && !ops.contains(&look.op)
            && matches!(cx.role(look.op), Some(Role::Event | Role::Local { kind: LocalKind::Channel }))
    };
    after.last().as_ref().is_some_and(gone)
}

/// Whether one of these operations succeeded on a path; `connect` may have, where only `send` is what failed.
pub(super) fn any_succeeded(states: &[&State], ops: &[Op]) -> bool {
    states.iter().any(|state| {
        state.looked.iter().any(|look| ops.contains(&look.op) && look.verdict == Verdict::Success)
    })
}
