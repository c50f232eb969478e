//! What ends the attempts: the conditions on which failing trips leave the loop, told apart by what they read.

use super::context::{Callee, Context};
use super::flow::{Flow, Followed, LoopRecord, LoopShape, Op, State, Tag, Test, Val, Verdict};
use crate::body::{BinOp, ExprId, ExprKind, Local, MacroInput, UnOp};
use crate::knowledge::{Role, says};
use crate::model::{BoundKind, Evidence, Outcome};
use std::collections::BTreeSet;

/// What ends the attempts.
#[derive(Debug, Default)]
pub(crate) struct Bounds {
    pub(crate) kind: Option<BoundKind>,
    pub(crate) evidence: Evidence,
    pub(crate) outcome: Option<Outcome>,
    /// A failing trip watches a stop signal.
    pub(crate) cancel: bool,
}

/// What a condition on the way out reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reads {
    Counter,
    Deadline,
    /// An iterator or policy that ends.
    Supply,
    Cancel,
    /// The operation's outcome.
    Outcome,
    /// Something that nobody can tell.
    Other,
}

/// Reads the bounds of a loop whose failing trips are these.
pub(crate) fn bounds(
    cx: &Context<'_>,
    followed: &Followed,
    id: ExprId,
    record: &LoopRecord,
    failing: &[&State],
    ops: &[Op],
) -> Bounds {
    let changed = changed_in(cx, id);
    let mut made = Bounds {
        cancel: failing
            .iter()
            .copied()
            .chain(record.exits.iter().map(|(state, _)| state))
            .any(|state| state.marks.cancel),
        ..Bounds::default()
    };
    if let Some(limit) = enclosing_timeout(cx, id) {
        made.kind = Some(BoundKind::Deadline);
        made.evidence = cx.evidence(limit, "this ends it");
        return made;
    }
    if matches!(record.shape, LoopShape::Count | LoopShape::Each)
        && let ExprKind::For { iter, .. } = &cx.body.expr(id).kind
        && !is_endless(cx, *iter)
    {
        made.kind = Some(BoundKind::Bounded);
        made.evidence = cx.evidence(*iter, "this bounds the attempts");
    }
    let mut ways: Vec<(ExprId, bool, Reads)> = Vec::new();
    // a counter, a supply of delays that is looked at as an option: `match delays.next() { Some(d) => …, None => return Err(e) }`
    let mut supplies: Vec<(Op, bool)> = Vec::new();
    for (state, flow) in &record.exits {
        for (cond, truth) in &state.conds {
            let opposed = failing.iter().any(|fail| fail.conds.contains(&(*cond, !*truth)));
            if (opposed || matches!(flow, Flow::Next(_))) && !ways.iter().any(|(it, ..)| it == cond) {
                ways.push((*cond, *truth, reads(cx, followed, ops, *cond, &changed)));
            }
        }
        for look in state.looked.iter().filter(|look| !ops.contains(&look.op)) {
            let all_pass = failing
                .iter()
                .all(|fail| fail.looked.iter().any(|it| it.op == look.op && it.tag != look.tag));
            if all_pass && !supplies.iter().any(|(op, _)| *op == look.op) {
                supplies.push((look.op, is_supply(cx, look.op)));
            }
        }
        if gives_up(state, flow) {
            made.outcome = made.outcome.or(outcome_of(flow));
        }
    }
    if made.kind.is_some() {
        return made;
    }
    let has = |what: Reads| ways.iter().find(|(.., reads)| *reads == what);
    // every failing trip must pass the test, else the bound does not hold for it
    let holds = |what: &[Reads]| {
        failing.iter().all(|state| {
            ways.iter().any(|(cond, truth, reads)| {
                what.contains(reads)
                    && (state.conds.contains(&(*cond, !*truth))
                        || !state.conds.contains(&(*cond, *truth)) && is_head(cx, id, *cond))
            })
        })
    };
    let pick = |what: Reads| has(what).map(|(cond, ..)| *cond);
    let counted = pick(Reads::Counter).or(pick(Reads::Supply));
    if let Some((supply, _)) = supplies.iter().find(|(_, is)| *is) {
        made.kind = Some(BoundKind::Bounded);
        made.evidence = cx.evidence(*supply, "ends when this does");
        return made;
    }
    // what a policy or a home-grown outcome decides, nobody sees here
    let hidden = !supplies.is_empty()
        || ops.iter().any(|op| counts_inside(cx, *op))
        || failing.iter().any(|state| {
            state.looked.iter().any(|look| {
                ops.contains(&look.op)
                    && matches!(look.tag, Tag::Variant(_))
                    && look.verdict == Verdict::Failure
            })
        });
    if let Some(cond) = counted
        && holds(&[Reads::Counter, Reads::Supply, Reads::Deadline])
    {
        made.kind = Some(BoundKind::Bounded);
        made.evidence = cx.evidence(cond, "this bounds the attempts");
    } else if let Some(cond) = pick(Reads::Deadline)
        && holds(&[Reads::Deadline])
    {
        made.kind = Some(BoundKind::Deadline);
        made.evidence = cx.evidence(cond, "this limits the time");
    } else if counted.is_some()
        || pick(Reads::Deadline).is_some()
        || pick(Reads::Other).is_some()
        || followed.cut
        || hidden
    {
        made.kind = None;
    } else if made.cancel || pick(Reads::Cancel).is_some() {
        made.kind = Some(BoundKind::Cancellable);
        made.evidence = pick(Reads::Cancel)
            .map_or_else(Evidence::default, |cond| cx.evidence(cond, "only this stops it"));
    } else {
        made.kind = Some(BoundKind::Unbounded);
        made.evidence = Evidence::words("nothing but success ends it");
        made.outcome = Some(Outcome::Never);
    }
    made
}

/// Whether a way out gives up: after a failure, or without having tried.
fn gives_up(state: &State, flow: &Flow) -> bool {
    let failed = state.looked.iter().any(|look| look.verdict == Verdict::Failure);
    failed || matches!(flow, Flow::Next(_)) || state.looked.is_empty()
}

fn outcome_of(flow: &Flow) -> Option<Outcome> {
    match flow {
        Flow::Return(Val::Built(Tag::Err, _)) | Flow::Break(_, Val::Built(Tag::Err, _)) => {
            Some(Outcome::ReturnsError)
        }
        Flow::Diverge => Some(Outcome::Panics),
        _ => None,
    }
}

fn is_head(cx: &Context<'_>, id: ExprId, cond: ExprId) -> bool {
    match &cx.body.expr(id).kind {
        ExprKind::While { cond: head, .. } => cx.body.expr(*head).span.contains(cx.body.expr(cond).span),
        _ => false,
    }
}

/// Locals and fields that a loop changes.
pub(crate) struct Changed {
    locals: BTreeSet<Local>,
    fields: BTreeSet<String>,
}

fn changed_in(cx: &Context<'_>, id: ExprId) -> Changed {
    let mut changed = Changed { locals: BTreeSet::new(), fields: BTreeSet::new() };
    let mut note = |place: ExprId| {
        let place = match &cx.body.expr(place).kind {
            ExprKind::Unary(UnOp::Deref, inner) | ExprKind::Ref(inner) => *inner,
            _ => place,
        };
        if let Some(local) = cx.body.local(place) {
            changed.locals.insert(local);
        } else if let Some(path) = cx.field_path(place) {
            changed.fields.insert(path);
        }
    };
    cx.body.walk(id, &mut |inner| {
        match &cx.body.expr(inner).kind {
            ExprKind::AssignOp(_, left, _) => note(*left),
            ExprKind::Assign(left, right) => {
                // a step, not a flag or a stored result
                if matches!(
                    cx.body.expr(*right).kind,
                    ExprKind::Binary(..) | ExprKind::Method(_) | ExprKind::Call(..) | ExprKind::Path(_)
                ) {
                    note(*left);
                }
            }
            ExprKind::Method(call)
                if matches!(call.name.as_str(), "fetch_add" | "fetch_sub" | "add_assign" | "sub_assign") =>
            {
                note(call.receiver);
            }
            _ => {}
        }
        true
    });
    changed
}

/// Whether the operation counts its own calls: a function of this crate that steps a field named after attempts.
fn counts_inside(cx: &Context<'_>, op: Op) -> bool {
    let Callee::Own(item) = cx.callee(op) else { return false };
    let Some(inner) = cx.inside(item) else { return true };
    let mut found = false;
    inner.body.walk(inner.body.root, &mut |id| {
        found |= match &inner.body.expr(id).kind {
            ExprKind::AssignOp(_, left, _) => matches!(&inner.body.expr(*left).kind, ExprKind::Field(_, name) if says(&cx.words().attempts, name)),
            ExprKind::Field(_, name) => name.starts_with("max_") && says(&cx.words().attempts, name),
            _ => false,
        };
        !found
    });
    found
}

/// Whether a call hands out the next of a limited supply: of delays, tries, permits.
fn is_supply(cx: &Context<'_>, call: ExprId) -> bool {
    let name = cx.call_name(call);
    matches!(name, "next" | "next_backoff" | "next_delay" | "pop" | "pop_front" | "next_back" | "checked_sub")
        || name.starts_with("next_") && says(&cx.words().delay, name)
}

fn reads(cx: &Context<'_>, followed: &Followed, ops: &[Op], cond: ExprId, changed: &Changed) -> Reads {
    let words = cx.words();
    let mut clock = false;
    let mut counter = false;
    let mut cancel = false;
    let mut supply = false;
    let comparison = is_comparison(cx, cond);
    walk_through(cx, cond, 2, &mut |id| match &cx.body.expr(id).kind {
        ExprKind::Call(..) | ExprKind::Method(_) => match cx.role(id) {
            Some(Role::Clock { .. }) => clock = true,
            Some(Role::Cancel) => cancel = true,
            _ => {
                let name = cx.call_name(id);
                supply |= is_supply(cx, id);
                counter |= says(&words.attempts, name) && comparison;
                cancel |= says(&words.cancel, name);
            }
        },
        ExprKind::Path(path) => {
            if let Some(local) = cx.body.local(id) {
                counter |= changed.locals.contains(&local) && (comparison || id != cond);
            }
            if let Some(name) = path.single() {
                clock |=
                    crate::knowledge::parts(name).iter().any(|part| part == "deadline" || part == "elapsed");
                cancel |= says(&words.cancel, name) && !comparison;
            }
        }
        ExprKind::Field(_, name) => {
            counter |= cx.field_path(id).is_some_and(|path| changed.fields.contains(&path));
            counter |= comparison && says(&words.attempts, name);
            cancel |= says(&words.cancel, name) && !comparison;
        }
        _ => {}
    });
    if clock {
        return Reads::Deadline;
    }
    let of_main = followed.tests.get(&cond).is_some_and(|(op, _)| ops.contains(op));
    if let Some((op, Test::Looked)) = followed.tests.get(&cond) {
        return match (of_main, is_supply(cx, *op)) {
            (true, _) => Reads::Outcome,
            (false, true) => Reads::Supply,
            (false, false) => Reads::Other,
        };
    }
    if counter {
        return Reads::Counter;
    }
    if let ExprKind::Try(inner) = &cx.body.expr(cond).kind
        && !supply
    {
        let mut own = false;
        cx.body.walk(*inner, &mut |id| {
            own |= ops.contains(&id);
            !own
        });
        return if own { Reads::Outcome } else { Reads::Other };
    }
    if followed.tests.contains_key(&cond) {
        return asked_policy(cx, cond);
    }
    if supply {
        return Reads::Supply;
    }
    if cancel {
        return Reads::Cancel;
    }
    Reads::Other
}

/// A test of an outcome by a call: who is asked? The outcome itself or a function of it tells what it is; a policy may count.
fn asked_policy(cx: &Context<'_>, cond: ExprId) -> Reads {
    let words = cx.words();
    match cx.callee(cond) {
        Callee::Own(item) => {
            let counts = cx.inside(item).is_some_and(|inner| {
                let mut found = false;
                inner.body.walk(inner.body.root, &mut |id| {
                    found |= match &inner.body.expr(id).kind {
                        ExprKind::Path(path) => path.single().is_some_and(|name| says(&words.attempts, name)),
                        ExprKind::Field(_, name) => says(&words.attempts, name),
                        _ => false,
                    };
                    !found
                });
                found
            });
            let seen = cx.inside(item).is_some();
            if counts || !seen { Reads::Other } else { Reads::Outcome }
        }
        Callee::Known(..) => Reads::Outcome,
        Callee::Unknown | Callee::Foreign(_) | Callee::Operand(_) | Callee::Closure(_) => {
            match &cx.body.expr(cond).kind {
                // `e.is_timeout()` asks the error; `self.policy.should_retry(&e)` asks somebody else
                ExprKind::Method(call) if !call.args.is_empty() => Reads::Other,
                ExprKind::Call(_, args) if args.len() > 1 => Reads::Other,
                _ => Reads::Outcome,
            }
        }
    }
}

fn is_comparison(cx: &Context<'_>, cond: ExprId) -> bool {
    match &cx.body.expr(cond).kind {
        ExprKind::Binary(BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge | BinOp::Eq | BinOp::Ne, ..) => true,
        ExprKind::Unary(UnOp::Not, inner) => is_comparison(cx, *inner),
        ExprKind::Method(call) => matches!(
            call.name.as_str(),
            "is_zero" | "is_some_and" | "is_none_or" | "contains" | "lt" | "le" | "gt" | "ge" | "eq"
        ),
        _ => false,
    }
}

/// Walks an expression, and the first values of the locals in it.
fn walk_through(cx: &Context<'_>, id: ExprId, left: u32, visit: &mut dyn FnMut(ExprId)) {
    let mut locals = Vec::new();
    cx.body.walk(id, &mut |inner| {
        visit(inner);
        if let Some(local) = cx.body.local(inner) {
            locals.push(local);
        }
        if let ExprKind::Macro(call) = &cx.body.expr(inner).kind
            && let MacroInput::Matches { value, .. } = &call.input
        {
            visit(*value);
        }
        true
    });
    if left == 0 {
        return;
    }
    for local in locals {
        if let Some(init) = cx.init(local) {
            walk_through(cx, init, left - 1, visit);
        }
    }
}

/// Whether an iterator goes on for ever: `0..`, `repeat(x)`, `.cycle()`; with nothing that takes a number of it.
fn is_endless(cx: &Context<'_>, iter: ExprId) -> bool {
    match &cx.body.expr(iter).kind {
        ExprKind::Range { end, .. } => end.is_none(),
        ExprKind::Method(call) => match call.name.as_str() {
            "take" | "take_while" | "zip" => false,
            "cycle" => true,
            _ => is_endless(cx, call.receiver),
        },
        ExprKind::Call(_, args) => {
            matches!(cx.call_name(iter), "repeat" | "repeat_with" | "successors" | "from_fn")
                && args.len() < 3
        }
        ExprKind::Path(_) => cx
            .body
            .local(iter)
            .and_then(|local| cx.init(local))
            .is_some_and(|init| init != iter && is_endless(cx, init)),
        _ => false,
    }
}

/// The time limit around the loop, in the same function.
fn enclosing_timeout(cx: &Context<'_>, id: ExprId) -> Option<ExprId> {
    let mut at = id;
    let mut inside_deferred = false;
    while let Some(parent) = cx.parent(at) {
        match &cx.body.expr(parent).kind {
            ExprKind::Async(_) | ExprKind::Closure { .. } => inside_deferred = true,
            ExprKind::Call(..) | ExprKind::Method(_) if inside_deferred => {
                if matches!(cx.role(parent), Some(Role::Timeout { .. })) {
                    return Some(parent);
                }
            }
            _ => {}
        }
        at = parent;
    }
    None
}
