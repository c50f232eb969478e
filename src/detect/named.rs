//! What names say about a loop where flow cannot tell: of the function, of what bounds the loop, of the calls and waits in it.
//! Each says so by a list of `rules/vocabulary/words.toml`; what follows from it is the decision table's business (`classify`).

use super::flow::{LoopRecord, Op, State, Tag, Test};
use super::questions::Question;
use super::remote::Answer;
use crate::body::{ExprId, ExprKind, Lit, MacroInput};
use crate::knowledge::{Role, Words, is_one_of, parts, says};

/// Whether a name says that somebody waits for a condition: `wait_for_ready`.
pub(super) fn is_named_after_a_condition(words: &Words, name: &str) -> bool {
    says(&words.condition, name) && !says(&words.retry, name) && !says(&words.establish, name)
}

/// Whether an expression itself names such a thing: a text, a path, a field, a method, a word among a macro's tokens.
pub(super) fn names(kind: &ExprKind, is: impl Fn(&str) -> bool) -> bool {
    match kind {
        ExprKind::Lit(Lit::Str(text)) => is(text),
        ExprKind::Path(path) => path.segments.iter().any(|segment| is(segment)),
        ExprKind::Field(_, name) => is(name),
        ExprKind::Method(call) => is(&call.name),
        ExprKind::Struct(lit) => lit.fields.iter().any(|(name, _)| is(name)),
        ExprKind::Macro(call) => {
            matches!(&call.input, MacroInput::Words(words) if words.iter().any(|word| is(word)))
        }
        _ => false,
    }
}

impl Question<'_, '_> {
    /// `pending.take()` empties a variable, it asks nobody.
    pub(super) fn takes_out(&self, op: Op) -> bool {
        self.cx.call_name(op) == "take" && self.cx.args(op).is_empty() && !self.cx.is_awaited(op)
    }

    /// `policy.should_retry(..)` is asked about an operation, it is none.
    pub(super) fn only_asks_whether(&self, op: Op) -> bool {
        let first = parts(self.cx.call_name(op)).into_iter().next().unwrap_or_default();
        is_one_of(&self.cx.words().question, &first) && !self.cx.is_awaited(op)
    }

    /// Whether a limiter of the caller's own pace is asked.
    pub(super) fn is_paced_by(&self, op: Op) -> bool {
        match &self.cx.body.expr(op).kind {
            ExprKind::Method(call) => says(&self.cx.words().limiter, &self.cx.base_text(call.receiver)),
            _ => false,
        }
    }

    /// A helper with no caller in sight: its name, and whether its crate talks to anybody.
    pub(super) fn by_helper_name(&self) -> Option<Answer> {
        let name = self.cx.krate.item(self.cx.at).map_or("", |item| item.name.as_str());
        let clients = self.cx.krate.dependencies.iter().any(|name| self.cx.knowledge.crate_is_client(name));
        let asks = self.cx.body.is_async || clients;
        if let Some(answer) = self.by_retried_variant() {
            return Some(answer);
        }
        (asks && (says(&self.cx.words().retry, name) || says(&self.cx.words().remote, name)))
            .then(|| Answer { is: true, certain: false, why: format!("`{name}` is a retry helper") })
    }

    /// How a shared service refuses, in the variant of an error that async code tries again.
    pub(super) fn by_retried_variant(&self) -> Option<Answer> {
        let variant = self.cx.body.is_async.then(|| self.retried_variant()).flatten()?;
        Some(Answer { is: true, certain: false, why: format!("`{variant}` is how a shared service refuses") })
    }

    /// An error variant named in the loop that says that another try may do.
    fn retried_variant(&self) -> Option<String> {
        let mut found = None;
        for (pat, _) in self.cx.body.pats() {
            if let Some(path) = self.cx.body.variant(pat)
                && path.segments.len() > 1
                && says(&self.cx.words().transient, path.last())
            {
                found = Some(path.last().to_owned());
            }
        }
        found
    }

    /// Whether a trip goes round because an error was asked whether it may go away, by a name that says so.
    pub(super) fn asks_whether_it_passes(&self, state: &State) -> bool {
        state.conds.iter().any(|(cond, truth)| {
            *truth
                && matches!(self.followed.tests.get(cond), Some((_, Test::Transient)))
                && says(&self.cx.words().retryable, self.cx.call_name(*cond))
        })
    }

    /// Whether the loop's own condition asks, by its name, whether to try again: where it says no, success leaves.
    pub(super) fn asks_at_its_head(&self) -> bool {
        let ExprKind::While { cond, .. } = &self.cx.body.expr(self.id).kind else { return false };
        self.cx.body.any(*cond, |id| match &self.cx.body.expr(id).kind {
            ExprKind::Method(_) | ExprKind::Call(..) => says(&self.cx.words().retry, self.cx.call_name(id)),
            _ => false,
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
        // `?` is no bound: what is handed to the operation says nothing about the loop, unless it runs here
        let bounds = conds.flat_map(|(cond, _)| match self.cx.body.expr(*cond).kind {
            ExprKind::Try(_) => self.closures_in(*cond),
            _ => vec![*cond],
        });
        for cond in bounds {
            self.cx.body.walk(cond, &mut |id| {
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
        let decided = record.backs.iter().flat_map(|state| &state.looked);
        let says_more = |name: &str| parts(name).len() > 1 && says_so(name);
        if decided.into_iter().any(|look| matches!(&look.tag, Tag::Variant(name) if says_more(name))) {
            return true;
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
        let says_so = |name: &str| is_named_after_a_condition(words, name);
        // of an operation's name, the verb decides: `wait_for_tx` waits, `send_and_confirm_tx` sends
        let verb = |name: &str| parts(name).into_iter().find(|part| part != "try").unwrap_or_default();
        let asks = |op: &Op| matches!(self.cx.role(*op), Some(Role::Remote { asks: true, .. }));
        self.belongs_to_a_waiter()
            || says_so(name)
            || ops.iter().any(asks)
            || ops.iter().any(|op| says_so(&verb(self.cx.call_name(*op))) || self.asks_for_health(*op))
    }

    /// Whether each failing trip rests for what is named after polling: `sleep(self.poll_interval)`.
    pub(super) fn rests_as_a_poll(&self, failing: &[&State]) -> bool {
        let words = self.cx.words();
        let says_so = |name: &str| {
            parts(name).iter().any(|part| is_one_of(&words.rhythm, part)) && !says(&words.retry, name)
        };
        let named = |wait: &ExprId| self.cx.body.any(*wait, |id| names(&self.cx.body.expr(id).kind, says_so));
        let mut waits = failing.iter().flat_map(|state| &state.waits).peekable();
        waits.peek().is_some() && waits.all(named)
    }

    /// Whether the function is named after making a connection: its first word says so.
    pub(super) fn named_after_establishing(&self) -> bool {
        let name = self.cx.krate.item(self.cx.at).map_or("", |item| item.name.as_str());
        let verb = parts(name).into_iter().find(|part| part != "try").unwrap_or_default();
        says(&self.cx.words().establish, &verb)
    }

    /// Whether the function's name speaks of connections anywhere: `keep_connected`.
    pub(super) fn is_named_after_connections(&self) -> bool {
        let name = self.cx.krate.item(self.cx.at).map_or("", |item| item.name.as_str());
        says(&self.cx.words().establish, name)
    }

    /// Whether something named after retrying was asked on these paths.
    pub(super) fn asks_about_retry(&self, states: &[&State]) -> bool {
        let mut looked = states.iter().flat_map(|state| &state.looked);
        looked.any(|look| says(&self.cx.words().retry, self.cx.call_name(look.op)))
    }

    fn closures_in(&self, id: ExprId) -> Vec<ExprId> {
        let mut found = Vec::new();
        self.cx.body.walk(id, &mut |inner| {
            let closure = matches!(self.cx.body.expr(inner).kind, ExprKind::Closure { .. });
            if closure {
                found.push(inner);
            }
            !closure
        });
        found
    }

    fn belongs_to_a_waiter(&self) -> bool {
        let name = self.cx.krate.qualified_name(self.cx.at);
        let words = self.cx.words();
        name.rsplit_once("::").is_some_and(|(of, method)| {
            says(&words.waiter, of)
                // `HealthChecker::check`
                || parts(of).iter().any(|part| is_one_of(&words.health, part))
                    && parts(method).iter().any(|part| is_one_of(&words.rhythm, part))
        })
    }

    /// Whether an operation's text names a readiness or health endpoint.
    fn asks_for_health(&self, op: Op) -> bool {
        let list = &self.cx.words().health;
        let says_so = |text: &str| parts(text).iter().any(|part| is_one_of(list, part.trim_end_matches('z')));
        let body = self.cx.body;
        // the address may have been put together before
        let made = |id: ExprId| body.local(id).and_then(|local| self.cx.init(local));
        body.any(op, |id| match &body.expr(id).kind {
            ExprKind::Lit(Lit::Str(text)) => says_so(text),
            ExprKind::Path(path) => {
                path.single().is_some_and(says_so)
                    || made(id).is_some_and(|made| {
                        body.any(made, |inner| {
                            matches!(&body.expr(inner).kind, ExprKind::Lit(Lit::Str(text)) if says_so(text))
                        })
                    })
            }
            _ => false,
        })
    }
}
