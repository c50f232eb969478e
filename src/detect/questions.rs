//! The questions that classification asks about a loop: what counts, what is remote, what names say, what leaves and what stays.
//! Each answers about one loop of one body; which answers make which kind is the decision table's business (`classify`).

use super::context::{Callee, Context};
use super::flow::{Flow, Followed, LoopRecord, LoopShape, Op, State, Tag, Val, Verdict};
use super::remote::{self, Answer};
use super::summary::{MOST_CALLS, summary};
use crate::body::{ExprId, ExprKind, Lit, PatKind, Path, TyShape};
use crate::knowledge::{Role, is_one_of, parts, says};

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
        !matches!(
            self.cx.role(op),
            Some(Role::Wait { .. } | Role::Cancel | Role::Log | Role::Pure | Role::Guard)
        )
    }

    /// Whether a path goes round because of an error kind that is none: the call was interrupted, or would block.
    pub(super) fn is_no_error(&self, state: &State) -> bool {
        let list = &self.cx.words().not_an_error;
        let named = |path: &Path| path.segments.len() > 1 && says(list, path.last());
        let by_test = state.conds.iter().filter(|(_, truth)| *truth).any(|(cond, _)| {
            self.cx
                .body
                .any(*cond, |id| matches!(&self.cx.body.expr(id).kind, ExprKind::Path(path) if named(path)))
        });
        by_test
            || state.looked.iter().any(|look| matches!(&look.tag, Tag::Variant(name) if says(list, name)))
            || state.arms.iter().any(|pat| {
                matches!(&self.cx.body.pat(*pat).kind, PatKind::Path(path) | PatKind::TupleStruct(path, _) if named(path))
            })
    }

    /// Whether the vocabulary knows an operation to stay in the process: a channel, a lock, a message that comes.
    pub(super) fn stays(&self, op: Op) -> bool {
        matches!(self.cx.role(op), Some(Role::Local { .. } | Role::Event | Role::Accept))
    }

    pub(super) fn is_of_item(&self, op: Op) -> bool {
        self.followed.of_item.get(&op).is_some_and(|loops| loops.contains(&self.id))
    }

    pub(super) fn remote(&self, op: Op) -> Option<Answer> {
        if self.followed.operands.contains(&op) {
            let operand = match self.cx.callee(op) {
                Callee::Operand(local) => Some(local),
                _ => None,
            };
            return remote::of_callers(self.cx, operand).or_else(|| self.by_helper_name());
        }
        remote::of_call(self.cx, op, MOST_CALLS)
    }

    /// A helper with no caller in sight: its name, and whether its crate talks to anybody.
    fn by_helper_name(&self) -> Option<Answer> {
        let name = self.cx.krate.item(self.cx.at).map_or("", |item| item.name.as_str());
        let clients = self.cx.krate.dependencies.iter().any(|name| self.cx.knowledge.crate_is_client(name));
        let asks = self.cx.body.is_async || clients;
        if self.cx.body.is_async
            && let Some(variant) = self.retried_variant()
        {
            return Some(Answer {
                is: true,
                certain: false,
                why: format!("`{variant}` is how a shared service refuses"),
            });
        }
        (asks && (says(&self.cx.words().retry, name) || says(&self.cx.words().remote, name)))
            .then(|| Answer { is: true, certain: false, why: format!("`{name}` is a retry helper") })
    }

    /// An error variant named in the loop that says that another try may do.
    fn retried_variant(&self) -> Option<String> {
        let mut found = None;
        for (_, pat) in self.cx.body.pats() {
            if let PatKind::Path(path) | PatKind::TupleStruct(path, _) | PatKind::Struct(path, _) = &pat.kind
                && path.segments.len() > 1
                && says(&self.cx.words().transient, path.last())
            {
                found = Some(path.last().to_owned());
            }
        }
        found
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
                && leaves_after_success(record, &[*op])
        })
    }

    /// Whether success is long work that ended: an inner loop, or a call that runs, serves or listens.
    pub(super) fn is_session(&self, succeeding: &[&State]) -> bool {
        let words = self.cx.words();
        succeeding.iter().any(|state| {
            state
                .calls
                .iter()
                .any(|op| says(&words.session, self.cx.call_name(*op)) && self.cx.is_awaited(*op))
        }) || self.holds_session_loop()
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

    /// Whether the function, or what bounds the loop, is named after retrying.
    pub(super) fn speaks_of_retry(&self, record: &LoopRecord) -> bool {
        self.speaks_of(record, &|name: &str| says(&self.cx.words().retry, name))
    }

    /// Whether the function, or what bounds the loop, has a name that says so.
    pub(super) fn speaks_of(&self, record: &LoopRecord, says_so: &dyn Fn(&str) -> bool) -> bool {
        let name = self.cx.krate.item(self.cx.at).map_or("", |item| item.name.as_str());
        if says_so(name) {
            return true;
        }
        let conds = record
            .backs
            .iter()
            .chain(record.exits.iter().map(|(state, _)| state))
            .flat_map(|state| &state.conds);
        let mut named = false;
        for (cond, _) in conds {
            self.cx.body.walk(*cond, &mut |id| {
                named |= match &self.cx.body.expr(id).kind {
                    ExprKind::Path(path) => path.single().is_some_and(says_so),
                    ExprKind::Field(_, name) => says_so(name),
                    ExprKind::Method(call) => says_so(&call.name),
                    ExprKind::Call(..) => says_so(self.cx.call_name(id)),
                    _ => false,
                };
                !named
            });
            if named {
                return true;
            }
        }
        if let ExprKind::For { pat, iter, .. } = &self.cx.body.expr(self.id).kind {
            let bound = self.cx.body.names_in_pat(*pat).iter().any(|(name, _)| says_so(name));
            self.cx.body.walk(*iter, &mut |id| {
                named |= match &self.cx.body.expr(id).kind {
                    ExprKind::Path(path) => says_so(path.last()),
                    ExprKind::Field(_, name) => says_so(name),
                    _ => false,
                };
                !named
            });
            return bound || named;
        }
        false
    }

    /// Whether the function or the operation is named after a condition that somebody waits for.
    pub(super) fn waits_for_condition(&self, ops: &[Op]) -> bool {
        let words = self.cx.words();
        let name = self.cx.krate.item(self.cx.at).map_or("", |item| item.name.as_str());
        let says_so = |name: &str| {
            says(&words.condition, name) && !says(&words.retry, name) && !says(&words.establish, name)
        };
        // of an operation's name, the verb decides: `wait_for_tx` waits, `send_and_confirm_tx` sends
        let verb = |name: &str| parts(name).into_iter().find(|part| part != "try").unwrap_or_default();
        says_so(name)
            || ops.iter().any(|op| says_so(&verb(self.cx.call_name(*op))) || self.asks_for_health(*op))
    }

    /// Whether an operation's text names a readiness or health endpoint.
    fn asks_for_health(&self, op: Op) -> bool {
        let list = &self.cx.words().health;
        let mut found = false;
        self.cx.body.walk(op, &mut |id| {
            let text = match &self.cx.body.expr(id).kind {
                ExprKind::Lit(Lit::Str(text)) => text.as_str(),
                ExprKind::Path(path) => path.single().unwrap_or_default(),
                _ => "",
            };
            found |= parts(text).iter().any(|part| is_one_of(list, part.trim_end_matches('z')));
            !found
        });
        found
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
            let mut at = caller.parent(*call);
            while let Some(parent) = at {
                if matches!(caller.body.expr(parent).kind, ExprKind::Loop { .. } | ExprKind::While { .. }) {
                    return true;
                }
                at = caller.parent(parent);
            }
            false
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
        if record.within.is_some() {
            return !record
                .exits
                .iter()
                .any(|(_, flow)| matches!(flow, Flow::Return(val) if *val != Val::Unknown));
        }
        self.cx
            .body
            .ret
            .as_ref()
            .is_none_or(|ty| ty.shape == TyShape::Other || ty.shape == TyShape::Tuple && ty.args.is_empty())
    }
}

/// Whether a path leaves the loop on which no operation of these is known to have failed, and one was called.
pub(super) fn leaves_after_success(record: &LoopRecord, ops: &[Op]) -> bool {
    record.exits.iter().any(|(state, flow)| {
        if matches!(flow, Flow::Diverge) {
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

/// Whether one of these operations succeeded on a path; `connect` may have, where only `send` is what failed.
pub(super) fn any_succeeded(states: &[&State], ops: &[Op]) -> bool {
    states.iter().any(|state| {
        state.looked.iter().any(|look| ops.contains(&look.op) && look.verdict == Verdict::Success)
    })
}
