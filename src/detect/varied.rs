//! Whether the next try asks for something else: another key after a conflict, a smaller part, the next number.
//! Then a failure is answered by another request, and what is said of repeated ones is beside the point. It classifies nothing.

use super::changes::{Changed, changed_in};
use super::context::{Callee, Context};
use super::flow::{LoopRecord, LoopShape, Op, State};
use super::questions::Question;
use crate::body::{ExprId, ExprKind, Lit, Local, PatKind, Stmt};
use crate::knowledge::{Role, says};
use std::collections::BTreeSet;

/// Bindings that are followed one after another.
const MOST_BINDINGS: u32 = 4;

/// What an operation is given, as far as the loop has a say in it.
#[derive(Default)]
struct Inputs {
    locals: BTreeSet<Local>,
    /// Something in it is drawn anew on each trip.
    drawn: bool,
}

impl Question<'_, '_> {
    /// Whether on every failing trip what each of these operations is given becomes another for the next.
    pub(super) fn asks_another(&self, record: &LoopRecord, failing: &[&State], ops: &[Op]) -> bool {
        let changed = changed_in(self.cx, self.id);
        !ops.is_empty() && ops.iter().all(|op| self.varies(record, failing, *op, &changed))
    }

    fn varies(&self, record: &LoopRecord, failing: &[&State], op: Op, changed: &Changed) -> bool {
        let mut inputs = Inputs::default();
        self.add_inputs(op, changed, MOST_BINDINGS, &mut inputs);
        if inputs.locals.iter().any(|local| self.numbers(record, *local) || self.is_typed_in(*local)) {
            return true;
        }
        // who waits in between hopes that the same will do
        if failing.iter().any(|state| !state.waits.is_empty()) {
            return false;
        }
        let moved = |local: &Local| failing.iter().all(|state| state.moved.contains(local));
        let words = self.cx.words();
        let all_say = |list: &[String]| failing.iter().all(|state| self.is_refused_as(state, list));
        inputs.locals.iter().any(moved)
            || inputs.drawn && all_say(&words.conflict)
            // who is told that it is another's picks another, wherever that is done
            || all_say(&words.taken)
            || failing.iter().all(|state| self.turns_to_another(state))
    }

    /// The variables that an expression reads, through what they are bound to on the trip; limits in time, headers and logs apart.
    fn add_inputs(&self, id: ExprId, changed: &Changed, left: u32, inputs: &mut Inputs) {
        let cx = self.cx;
        let mut bound = Vec::new();
        let mut beside: Vec<ExprId> = Vec::new();
        cx.body.walk(id, &mut |inner| {
            if beside.contains(&inner) {
                return false;
            }
            match &cx.body.expr(inner).kind {
                ExprKind::Call(..) | ExprKind::Method(_) | ExprKind::Macro(_) => {
                    if matches!(cx.role(inner), Some(Role::Log))
                        || says(&cx.words().delay, cx.call_name(inner))
                    {
                        return false;
                    }
                    inputs.drawn |= matches!(cx.role(inner), Some(Role::Random { .. }))
                        || says(&cx.words().random, cx.call_name(inner));
                    beside.extend(given_beside(cx, inner));
                }
                ExprKind::Path(_) => {
                    if let Some(local) = cx.body.local(inner)
                        && !self.is_counter(local)
                        && inputs.locals.insert(local)
                    {
                        bound.extend(changed.source(local).filter(|source| *source != id));
                    }
                }
                _ => {}
            }
            true
        });
        let Some(left) = left.checked_sub(1) else { return };
        for source in bound {
            self.add_inputs(source, changed, left, inputs);
        }
    }

    /// Whether a variable is the number of the trip, and the loop goes over numbers and not over tries.
    fn numbers(&self, record: &LoopRecord, local: Local) -> bool {
        let ExprKind::For { pat, iter, .. } = &self.cx.body.expr(self.id).kind else { return false };
        let words = self.cx.words();
        let counts_tries = |name: &str| says(&words.attempts, name) || says(&words.retry, name);
        record.shape == LoopShape::Count
            && self.cx.body.names_in_pat(*pat).iter().any(|(_, it)| *it == local)
            && !self.cx.body.any(*iter, |id| match &self.cx.body.expr(id).kind {
                ExprKind::Path(path) => counts_tries(path.last()),
                ExprKind::Field(_, name) => counts_tries(name),
                _ => false,
            })
    }

    /// Whether a variable's name says that it counts tries, or that it is a time.
    fn is_counter(&self, local: Local) -> bool {
        let words = self.cx.words();
        let PatKind::Bind { name, .. } = &self.cx.body.pat(local).kind else { return true };
        [&words.attempts, &words.retry, &words.delay].iter().any(|list| says(list, name))
            || name.contains("timeout")
    }

    /// Whether a trip calls what turns to the next of several, or went round because that was done: `self.rotate_endpoint()`.
    fn turns_to_another(&self, state: &State) -> bool {
        let (cx, words) = (self.cx, self.cx.words());
        let turns = |call: ExprId| {
            let name = cx.call_name(call);
            says(&words.failover, name) && !says(&words.establish, name) && !says(&words.retry, name)
        };
        let is_asked = |cond: ExprId| {
            cx.body.any(cond, |id| {
                matches!(cx.body.expr(id).kind, ExprKind::Call(..) | ExprKind::Method(_))
                    && says(&words.redirect, cx.call_name(id))
            })
        };
        state.calls.iter().any(|call| turns(*call))
            || state.conds.iter().any(|(cond, holds)| *holds && is_asked(*cond))
    }

    /// Whether somebody types a variable's value in, each time anew: `read_line(&mut answer)`, `token = prompt("Token")?`.
    fn is_typed_in(&self, local: Local) -> bool {
        let body = self.cx.body;
        let words = &self.cx.words().person;
        let asks = |value: ExprId| {
            body.any(value, |id| {
                matches!(body.expr(id).kind, ExprKind::Call(..) | ExprKind::Method(_))
                    && says(words, self.cx.call_name(id))
                    && !self.cx.is_awaited(id)
            })
        };
        body.any(self.id, |id| match &body.expr(id).kind {
            ExprKind::Assign(place, value) => body.local(*place) == Some(local) && asks(*value),
            ExprKind::Block(block) => block.stmts.iter().any(|stmt| match stmt {
                Stmt::Let { pat, init: Some(init), .. } => {
                    body.names_in_pat(*pat).iter().any(|(_, it)| *it == local) && asks(*init)
                }
                _ => false,
            }),
            ExprKind::Method(call) => {
                call.name == "read_line"
                    && self.cx.base_text(call.receiver).contains("stdin")
                    && call.args.iter().any(|arg| matches!(body.expr(*arg).kind, ExprKind::Ref(inner) if body.local(inner) == Some(local)))
            }
            _ => false,
        })
    }

    /// Whether a trip goes round for a reason that one of these words names: what was asked for is there already.
    fn is_refused_as(&self, state: &State, words: &[String]) -> bool {
        let body = self.cx.body;
        state.conds.iter().filter(|(_, truth)| *truth).any(|(cond, _)| {
            body.any(*cond, |id| match &body.expr(id).kind {
                ExprKind::Path(path) => says(words, path.last()),
                ExprKind::Method(call) => says(words, &call.name),
                ExprKind::Lit(Lit::Str(text)) => says(words, text),
                _ => false,
            })
        }) || state.arms.iter().any(|pat| self.cx.names_variant(*pat, words))
    }
}

/// Arguments that do not change what is asked for: a limit in time, a header, what a function of the crate only logs or compares.
fn given_beside(cx: &Context<'_>, call: ExprId) -> Vec<ExprId> {
    let name = cx.call_name(call);
    if name.contains("timeout")
        || name.contains("header")
        || matches!(cx.role(call), Some(Role::Timeout { .. }))
    {
        return cx.args(call).iter().copied().filter(|arg| !cx.is_work(*arg) && !is_call(cx, *arg)).collect();
    }
    let Callee::Own(item) = cx.callee(call) else { return Vec::new() };
    let Some(inner) = cx.inside(item) else { return Vec::new() };
    let args = cx.args(call);
    // `Self::ask(self, n)`: the receiver is an argument
    let skipped = args.len().saturating_sub(inner.body.params.len());
    let params = inner.body.params.iter();
    args.iter()
        .skip(skipped)
        .zip(params)
        .filter(|(_, param)| only_notes(&inner, param.pat))
        .map(|(arg, _)| *arg)
        .collect()
}

fn is_call(cx: &Context<'_>, id: ExprId) -> bool {
    matches!(cx.body.expr(id).kind, ExprKind::Call(..) | ExprKind::Method(_) | ExprKind::Await(_))
}

/// Whether a function only logs a parameter, or compares it.
fn only_notes(cx: &Context<'_>, param: Local) -> bool {
    let mut reads = cx.body.exprs().filter(|(id, _)| cx.body.local(*id) == Some(param));
    reads.all(|(id, _)| {
        cx.around(id).take(4).any(|at| match &cx.body.expr(at).kind {
            ExprKind::Binary(op, ..) => op.compares(),
            ExprKind::Call(..) | ExprKind::Method(_) | ExprKind::Macro(_) => {
                matches!(cx.role(at), Some(Role::Log))
            }
            _ => false,
        })
    })
}
