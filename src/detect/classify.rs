//! What a loop is, by what its trips do: a retry, a reconnect, a helper, or one of the look-alikes.
//! Names decide only what flow cannot; each use of one lowers the confidence and is kept as a reason.

use super::context::{Callee, Context};
use super::flow::{Flow, Followed, LoopRecord, LoopShape, Op, State, Tag, Val, Verdict};
use super::remote::{self, Answer};
use crate::body::{ExprId, ExprKind, Lit, PatKind, TyShape};
use crate::knowledge::{Role, says};
use crate::model::{Confidence, Evidence, Kind};

/// A loop that is something.
pub(crate) struct Classified<'f> {
    pub(crate) kind: Kind,
    /// The operations whose failure goes round, in source order.
    pub(crate) ops: Vec<Op>,
    /// The one that the site is about.
    pub(crate) main: Option<Op>,
    /// The trips on which one failed.
    pub(crate) failing: Vec<&'f State>,
    pub(crate) remote: Option<Answer>,
    pub(crate) confidence: Confidence,
    pub(crate) reasons: Vec<String>,
    pub(crate) why: Vec<Evidence>,
}

/// What a path round the loop shows of the operations that count.
fn fate(state: &State, counts: &dyn Fn(Op) -> bool) -> Option<Verdict> {
    let looks = || state.looked.iter().filter(|look| counts(look.op));
    if looks().any(|look| look.verdict == Verdict::Failure) {
        return Some(Verdict::Failure);
    }
    if looks().any(|look| look.verdict == Verdict::NotYet) {
        return Some(Verdict::NotYet);
    }
    looks().next().map(|look| look.verdict)
}

/// Operations that failed on a path.
pub(crate) fn failed_ops(state: &State) -> impl Iterator<Item = Op> + '_ {
    state.looked.iter().filter(|look| look.verdict == Verdict::Failure).map(|look| look.op)
}

struct Question<'q, 'a> {
    cx: &'q Context<'a>,
    followed: &'q Followed,
    id: ExprId,
}

/// Classifies a loop; `None` where it is nothing that `audit` speaks of.
#[allow(clippy::too_many_lines)] // the decision table of ARCHITECTURE.md, row by row
pub(crate) fn classify<'f>(
    cx: &Context<'_>,
    followed: &'f Followed,
    id: ExprId,
    record: &'f LoopRecord,
) -> Option<Classified<'f>> {
    let q = Question { cx, followed, id };
    // what stays in the process fails beside the point, as long as something else is tried
    let beyond = |op: Op| q.counts(op) && !q.stays(op);
    let anything = |op: Op| q.counts(op);
    let goes = |counts: &dyn Fn(Op) -> bool| {
        record
            .backs
            .iter()
            .any(|state| matches!(fate(state, counts), Some(Verdict::Failure | Verdict::NotYet)))
    };
    let counts: &dyn Fn(Op) -> bool = if goes(&beyond) { &beyond } else { &anything };
    let of = |verdict: Verdict| -> Vec<&'f State> {
        record
            .backs
            .iter()
            .filter(|state| fate(state, counts) == Some(verdict) && !q.is_no_error(state))
            .collect()
    };
    let mut failing = of(Verdict::Failure);
    let mut succeeding = of(Verdict::Success);
    let mut not_yet = of(Verdict::NotYet);
    let retry_words = q.speaks_of_retry(record);
    let condition_words = q.waits_for_condition(&[]);
    // "not yet" of something that is counted as retries, and that nobody waits for, is a failure in other words
    let in_words = not_yet.iter().any(|state| {
        state.looked.iter().any(|look| look.verdict == Verdict::NotYet && matches!(look.tag, Tag::Variant(_)))
    });
    let waited = not_yet.iter().any(|state| !state.waits.is_empty());
    if failing.is_empty() && !not_yet.is_empty() && retry_words && !condition_words && (in_words || !waited) {
        failing = std::mem::take(&mut not_yet);
        if succeeding.iter().all(|state| failing.iter().any(|fail| fail.calls == state.calls)) {
            succeeding.clear();
        }
    }
    let any_wait = record.backs.iter().any(|state| !state.waits.is_empty());
    let mut made = Classified {
        kind: Kind::Retry,
        ops: Vec::new(),
        main: None,
        failing: failing.clone(),
        remote: None,
        confidence: Confidence::High,
        reasons: Vec::new(),
        why: Vec::new(),
    };
    // a loop that is counted and waited as retries goes round because something failed, whatever told it
    let strong = q.speaks_of(record, &|name: &str| {
        says(&cx.words().retry, name) && !name.to_ascii_lowercase().contains("attempt")
    });
    if failing.is_empty() && strong && any_wait && !condition_words {
        let round: Vec<&'f State> = record.backs.iter().filter(|state| !state.waits.is_empty()).collect();
        let called = round
            .iter()
            .flat_map(|state| state.calls.iter().copied())
            .find(|op| counts(*op) && q.remote(*op).is_some_and(|it| it.is));
        if let Some(op) = called {
            made.remote = q.remote(op);
            made.main = Some(op);
            made.ops = vec![op];
            made.failing = round;
            made.confidence = Confidence::Medium;
            made.reasons
                .push("counted as retries; what failed is told by something that we cannot follow".into());
            made.why.push(cx.evidence(op, "this is called again"));
            return Some(made);
        }
    }
    if failing.is_empty() && matches!(record.shape, LoopShape::Loop | LoopShape::While) {
        let again = succeeding.iter().flat_map(|state| state.calls.iter().copied()).find(|op| {
            counts(*op)
                && !q.is_of_item(*op)
                && says(&cx.words().establish, cx.call_name(*op))
                && q.remote(*op).is_some_and(|it| it.is)
        });
        if let Some(op) = again {
            made.kind = Kind::Reconnect;
            made.remote = q.remote(op);
            made.main = Some(op);
            made.ops = vec![op];
            made.failing = succeeding.iter().copied().filter(|state| state.calls.contains(&op)).collect();
            made.confidence = Confidence::Medium;
            made.reasons.push("it establishes again and again; what ended before is not told".into());
            made.why.push(cx.evidence(op, "established again here"));
            return Some(made);
        }
    }
    if failing.is_empty() {
        made.kind = if !not_yet.is_empty() {
            if any_wait { Kind::Poll } else { return None }
        } else if any_wait {
            let ignored = record
                .backs
                .iter()
                .any(|state| state.calls.iter().any(|op| counts(*op) && cx.is_awaited(*op)));
            if ignored { Kind::Ticker } else { Kind::Pace }
        } else {
            return None;
        };
        made.main = first_op(not_yet.iter().chain(&succeeding).copied(), counts);
        return Some(made);
    }

    let mut ops: Vec<Op> = Vec::new();
    for state in &failing {
        for op in state
            .looked
            .iter()
            .filter(|look| matches!(look.verdict, Verdict::Failure | Verdict::NotYet))
            .map(|look| look.op)
        {
            if counts(op) && !ops.contains(&op) {
                ops.push(op);
            }
        }
    }
    ops.sort_by_key(|op| cx.body.expr(*op).span);
    let answers: Vec<(Op, Option<Answer>)> = ops.iter().map(|op| (*op, q.remote(*op))).collect();
    let (main, remote) = answers
        .iter()
        .find(|(_, answer)| answer.as_ref().is_some_and(|answer| answer.is))
        .or_else(|| answers.iter().find(|(_, answer)| answer.is_none()))
        .or_else(|| answers.first())?;
    made.main = Some(*main);
    made.remote.clone_from(remote);
    made.ops.clone_from(&ops);
    made.why.push(cx.evidence(*main, "a failure of this goes round again"));

    let all_of_item = ops.iter().all(|op| q.is_of_item(*op));
    if all_of_item {
        made.kind = Kind::Failover;
        return Some(made);
    }
    if answers.iter().all(|(_, answer)| answer.as_ref().is_some_and(|answer| !answer.is)) {
        made.kind = Kind::Local;
        return Some(made);
    }
    let operand = ops.iter().any(|op| followed.operands.contains(op));
    let waits_on_failure = failing.iter().any(|state| !state.waits.is_empty());
    let remote_known = made.remote.as_ref().is_some_and(|answer| answer.is);
    if !waits_on_failure && !remote_known && !operand && !retry_words {
        // an immediate second try of something that nobody knows to be remote: parsers, queues, compare-and-swap
        made.kind = Kind::Local;
        return Some(made);
    }
    let establishes = ops.iter().any(|op| remote::establishes(cx, *op, 3));
    let leaves_after_success = leaves_after_success(record, &ops);
    let session = q.is_session(&succeeding);
    let condition = q.waits_for_condition(&ops);

    if succeeding.is_empty() && not_yet.is_empty() {
        if leaves_after_success {
            made.kind = if operand { Kind::Helper } else { Kind::Retry };
            if condition && !operand {
                made.kind = Kind::Poll;
                made.confidence = Confidence::Medium;
                made.reasons.push("its name says that it waits for a condition".into());
            } else if establishes && !operand && q.keeps_alive(record) {
                made.kind = Kind::Reconnect;
            }
        } else if establishes || session || remote_known && q.is_task(record) {
            made.kind = Kind::Reconnect;
        } else {
            return None;
        }
    } else {
        let waits_on = |states: &[&State]| -> Vec<ExprId> {
            let mut all: Vec<ExprId> = states.iter().flat_map(|state| state.waits.iter().copied()).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let round: Vec<&State> = succeeding.iter().chain(&not_yet).copied().collect();
        let (on_failure, on_success) = (waits_on(&failing), waits_on(&round));
        let same_wait = on_failure.iter().any(|wait| on_success.contains(wait));
        if establishes || session && !condition {
            made.kind = Kind::Reconnect;
            if !establishes {
                made.confidence = Confidence::Medium;
                made.reasons.push("its success looks like a session that ended".into());
            }
        } else if !not_yet.is_empty() && same_wait && succeeding.is_empty() {
            made.kind = Kind::Poll;
        } else if (same_wait || !on_success.is_empty()) && leaves_after_success && retry_words && !condition {
            // success leaves, but some goes round as failure does: its reply was tested and found wanting
            made.kind = if operand { Kind::Helper } else { Kind::Retry };
            made.confidence = Confidence::Medium;
            made.reasons.push("some replies go round as failures do".into());
        } else if same_wait || !on_success.is_empty() {
            made.kind = if succeeding.is_empty() || leaves_after_success { Kind::Poll } else { Kind::Ticker };
        } else if leaves_after_success && (retry_words || !any_succeeded(&succeeding, &ops)) {
            made.kind = if operand { Kind::Helper } else { Kind::Retry };
            made.confidence = Confidence::Medium;
            made.reasons.push("some success goes round as well".into());
        } else {
            // a consumer: what succeeded goes on with the next one, and so does what failed
            made.kind = Kind::Ticker;
        }
    }
    if made.remote.as_ref().is_none_or(|answer| !answer.certain) && made.kind.is_real() {
        made.confidence = Confidence::Medium;
        made.reasons.push(match &made.remote {
            Some(answer) => format!("remote by a name: {}", answer.why),
            None => "not known whether the operation is remote".into(),
        });
    }
    Some(made)
}

fn first_op<'s>(mut states: impl Iterator<Item = &'s State>, counts: &dyn Fn(Op) -> bool) -> Option<Op> {
    states.find_map(|state| state.looked.iter().map(|look| look.op).find(|op| counts(*op)))
}

impl Question<'_, '_> {
    /// Whether an operation counts: it may be what is retried. Waits, locks and tests of local things do not.
    fn counts(&self, op: Op) -> bool {
        if let Callee::Own(item) = self.cx.callee(op)
            && super::summary::summary(self.cx, item).is_wait
        {
            return false;
        }
        !matches!(
            self.cx.role(op),
            Some(Role::Wait { .. } | Role::Cancel | Role::Log | Role::Pure | Role::Guard)
        )
    }

    /// Whether a path goes round because of an error kind that is none: the call was interrupted, or would block.
    fn is_no_error(&self, state: &State) -> bool {
        let list = &self.cx.words().not_an_error;
        let named = |path: &crate::body::Path| path.segments.len() > 1 && says(list, path.last());
        let by_test = state.conds.iter().filter(|(_, truth)| *truth).any(|(cond, _)| {
            let mut found = false;
            self.cx.body.walk(*cond, &mut |id| {
                found |= matches!(&self.cx.body.expr(id).kind, ExprKind::Path(path) if named(path));
                !found
            });
            found
        });
        by_test
            || state.looked.iter().any(|look| matches!(&look.tag, Tag::Variant(name) if says(list, name)))
            || state.arms.iter().any(|pat| {
                matches!(&self.cx.body.pat(*pat).kind, PatKind::Path(path) | PatKind::TupleStruct(path, _) if named(path))
            })
    }

    /// Whether the vocabulary knows an operation to stay in the process: a channel, a lock, a message that comes.
    fn stays(&self, op: Op) -> bool {
        matches!(self.cx.role(op), Some(Role::Local { .. } | Role::Event | Role::Accept))
    }

    fn is_of_item(&self, op: Op) -> bool {
        self.followed.of_item.get(&op).is_some_and(|loops| loops.contains(&self.id))
    }

    fn remote(&self, op: Op) -> Option<Answer> {
        if self.followed.operands.contains(&op) {
            let operand = match self.cx.callee(op) {
                Callee::Operand(local) => Some(local),
                _ => None,
            };
            return remote::of_callers(self.cx, operand).or_else(|| self.by_helper_name());
        }
        remote::of_call(self.cx, op, super::summary::MOST_CALLS)
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

    /// Whether success is long work that ended: an inner loop, or a call that runs, serves or listens.
    fn is_session(&self, succeeding: &[&State]) -> bool {
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
    fn speaks_of_retry(&self, record: &LoopRecord) -> bool {
        self.speaks_of(record, &|name: &str| says(&self.cx.words().retry, name))
    }

    /// Whether the function, or what bounds the loop, has a name that says so.
    fn speaks_of(&self, record: &LoopRecord, says_so: &dyn Fn(&str) -> bool) -> bool {
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
    fn waits_for_condition(&self, ops: &[Op]) -> bool {
        let words = self.cx.words();
        let name = self.cx.krate.item(self.cx.at).map_or("", |item| item.name.as_str());
        let says_so = |name: &str| {
            says(&words.condition, name) && !says(&words.retry, name) && !says(&words.establish, name)
        };
        // of an operation's name, the verb decides: `wait_for_tx` waits, `send_and_confirm_tx` sends
        let verb = |name: &str| {
            crate::knowledge::parts(name).into_iter().find(|part| part != "try").unwrap_or_default()
        };
        says_so(name)
            || ops.iter().any(|op| says_so(&verb(self.cx.call_name(*op))) || self.asks_for_health(*op))
    }

    /// Whether an operation's text names a readiness or health endpoint.
    fn asks_for_health(&self, op: Op) -> bool {
        let mut found = false;
        self.cx.body.walk(op, &mut |id| {
            let text = match &self.cx.body.expr(id).kind {
                ExprKind::Lit(Lit::Str(text)) => text.as_str(),
                ExprKind::Path(path) => path.single().unwrap_or_default(),
                _ => "",
            };
            found |= crate::knowledge::parts(text)
                .iter()
                .any(|part| matches!(part.trim_end_matches('z'), "ready" | "health" | "live" | "alive"));
            !found
        });
        found
    }

    /// Whether the surrounding task keeps what is established alive: a loop around comes back, or the function gives nothing.
    fn keeps_alive(&self, record: &LoopRecord) -> bool {
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
    fn is_task(&self, record: &LoopRecord) -> bool {
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
fn leaves_after_success(record: &LoopRecord, ops: &[Op]) -> bool {
    record.exits.iter().any(|(state, flow)| {
        if matches!(flow, Flow::Diverge) {
            return false;
        }
        let failed =
            state.looked.iter().any(|look| ops.contains(&look.op) && look.verdict == Verdict::Failure);
        let gives_error =
            matches!(flow, Flow::Return(Val::Built(Tag::Err, _)) | Flow::Break(_, Val::Built(Tag::Err, _)));
        let called = state.calls.iter().any(|op| ops.contains(op))
            || state.looked.iter().any(|look| ops.contains(&look.op));
        called && !failed && !gives_error
    })
}

/// Whether one of these operations succeeded on a path; `connect` may have, where only `send` is what failed.
fn any_succeeded(states: &[&State], ops: &[Op]) -> bool {
    states.iter().any(|state| {
        state.looked.iter().any(|look| ops.contains(&look.op) && look.verdict == Verdict::Success)
    })
}
