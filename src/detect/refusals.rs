//! Whether a client error (4xx) that a server answers comes out of a call as an error.
//! Read from the ways out of what is called, a limited number of calls deep. Who tries again, and which errors it sets apart, is told in `errors`.

use super::context::{Callee, Context};
use super::flow::{self, Flow, Followed, Op, State, Tag, Test, Val, Verdict};
use super::remote;
use super::statuses::permanent_4xx;
use super::summary::{MOST_CALLS, summary};
use crate::body::{ExprId, ExprKind, Local};
use crate::knowledge::Role;
use crate::resolve::{ItemRef, Target};
use std::rc::Rc;

/// Whether an operation that a body calls, or that its callers give it, failed on a path for all that is known because the server answered
/// 400, 401, 403 or 404.
pub(crate) fn raises(cx: &Context<'_>, followed: &Followed, state: &State, op: Op) -> bool {
    if followed.operands.contains(&op) {
        return given(cx, op);
    }
    state.raised.contains(&op) || of_call(cx, op, MOST_CALLS)
}

/// Whether an adaptor makes errors of statuses: by itself, or by the function that it is given.
pub(crate) fn makes_errors(cx: &Context<'_>, call: ExprId) -> bool {
    if matches!(cx.role(call), Some(Role::RaisesStatus)) {
        return true;
    }
    cx.args(call).iter().any(|arg| match &cx.body.expr(*arg).kind {
        ExprKind::Path(path) => {
            let named = cx.knowledge.method(path.last(), None, 0);
            path.segments.len() > 1
                && named.is_some_and(|found| matches!(found.entry.role, Role::RaisesStatus))
        }
        ExprKind::Closure { .. } => cx.body.any(*arg, |id| matches!(cx.role(id), Some(Role::RaisesStatus))),
        _ => false,
    })
}

fn of_call(cx: &Context<'_>, op: Op, left: u32) -> bool {
    let raised = match cx.callee(op) {
        Callee::Known(..) | Callee::Unknown => is_sent_by_raising_client(cx, op) && !keeps_statuses(cx),
        Callee::Own(item) => of_item(cx, item, left),
        Callee::Closure(closure) => leaves_with_refusal(cx, closure, left),
        _ => false,
    };
    raised || checked_after(cx, op, left)
}

/// Whether a request is sent by a client that makes errors of statuses: `agent.get(url).set(name, value).call()`, however the request was put together.
pub(crate) fn is_sent_by_raising_client(cx: &Context<'_>, call: ExprId) -> bool {
    let ExprKind::Method(sent) = &cx.body.expr(call).kind else { return false };
    if !cx.knowledge.may_raise_statuses(&sent.name) {
        return false;
    }
    let mut at = sent.receiver;
    for _ in 0..16 {
        // a builder's own methods have no type that we know, or somebody else's
        let ty = cx.type_of(at).unwrap_or_default();
        if ty.path.first().is_some_and(|from| cx.knowledge.raises_statuses(from, &sent.name)) {
            return true;
        }
        at = match &cx.body.expr(at).kind {
            ExprKind::Method(call) => call.receiver,
            ExprKind::Call(callee, _) => {
                let ExprKind::Path(path) = &cx.body.expr(*callee).kind else { return false };
                let Target::External(full) = cx.krate.path(cx.at, &path.segments) else { return false };
                return full.first().is_some_and(|from| cx.knowledge.raises_statuses(from, &sent.name));
            }
            _ => match cx.body.local(at).and_then(|local| cx.init(local)) {
                Some(init) if init != at => init,
                _ => return false,
            },
        };
    }
    false
}

fn of_item(cx: &Context<'_>, item: ItemRef, left: u32) -> bool {
    // what speaks of no status, however deep, is not followed
    if left == 0 || item == cx.at || !summary(cx, item).tells_status {
        return false;
    }
    cx.memo.refusal(item, left, || {
        if let Some(inner) = cx.inside(item) {
            return leaves_with_refusal(&inner, inner.body.root, left - 1);
        }
        // a trait's method: which body runs, nobody sees, so that all must
        let bodies = cx.krate.implementations(item);
        !bodies.is_empty() && bodies.iter().all(|body| of_item(cx, *body, left - 1))
    })
}

/// `op().and_then(check)`: a function of the crate that makes an error of the reply.
fn checked_after(cx: &Context<'_>, op: Op, left: u32) -> bool {
    let mut around = op;
    while let Some(parent) = cx.parent(around) {
        match &cx.body.expr(parent).kind {
            ExprKind::Method(call) if call.receiver == around => {
                let checks = |arg: &ExprId| {
                    let ExprKind::Path(path) = &cx.body.expr(*arg).kind else { return false };
                    cx.body.local(*arg).is_none()
                        && matches!(cx.by_path(path), Some(Callee::Own(item)) if of_item(cx, item, left))
                };
                if matches!(cx.role(parent), Some(Role::Adaptor)) && call.args.iter().any(checks) {
                    return true;
                }
            }
            ExprKind::Await(_) | ExprKind::Try(_) => {}
            _ => return false,
        }
        around = parent;
    }
    false
}

/// Whether some way out of a function, closure or async block is a failure because of such a status.
fn leaves_with_refusal(cx: &Context<'_>, root: ExprId, left: u32) -> bool {
    let followed = flow::follow_exits(cx, root);
    followed.exits.iter().any(|(state, flow)| match flow {
        Flow::Next(Val::Built(Tag::Err, inner)) | Flow::Return(Val::Built(Tag::Err, inner)) => {
            let cause = operation_of(inner);
            by_status(cx, &followed, state, cause) || by_error(cx, &followed, state, cause, left)
        }
        Flow::Next(Val::Outcome(op)) | Flow::Return(Val::Outcome(op)) => match state.look(*op) {
            None => state.raised.contains(op) || of_call(cx, *op, left),
            Some(_) => by_error(cx, &followed, state, Some(*op), left),
        },
        // `let reply = request.send().await?; reply.error_for_status()`
        Flow::Next(Val::Payload(op, Tag::Ok)) | Flow::Return(Val::Payload(op, Tag::Ok)) => {
            state.raised.contains(op)
        }
        _ => false,
    })
}

/// A status was tested, told a failure, and an error was made of it.
fn by_status(cx: &Context<'_>, followed: &Followed, state: &State, cause: Option<Op>) -> bool {
    let Some((op, codes)) = &state.codes else { return false };
    let bad = state.look(*op).is_some_and(|look| look.tag == Tag::BadStatus);
    bad && permanent_4xx(codes) > 2
        && cause.is_none_or(|cause| cause == *op)
        && !left_by_other_error(cx, followed, state, *op)
        && !is_told_apart(followed, state, *op)
}

/// A call inside failed, and it makes errors of such statuses.
fn by_error(cx: &Context<'_>, followed: &Followed, state: &State, cause: Option<Op>, left: u32) -> bool {
    let last = || state.last().filter(|look| look.verdict == Verdict::Failure).map(|look| look.op);
    let Some(op) = cause.or_else(last) else { return false };
    state.look(op).is_some_and(|look| look.tag == Tag::Err)
        && !left_by_other_error(cx, followed, state, op)
        && !is_told_apart(followed, state, op)
        && (state.raised.contains(&op) || of_call(cx, op, left))
}

/// Whether what left at last is a `?` after something else.
fn left_by_other_error(cx: &Context<'_>, followed: &Followed, state: &State, op: Op) -> bool {
    let Some((cond, false)) = state.conds.last() else { return false };
    matches!(cx.body.expr(*cond).kind, ExprKind::Try(inner) if !cx.body.any(inner, |id| id == op))
        && followed.tests.get(cond).is_none_or(|(of, _)| *of != op)
        && state.last().is_none_or(|look| look.op != op)
}

/// Whether the failures of an operation are told apart on this path, or on another that gives no error of it.
fn is_told_apart(followed: &Followed, state: &State, op: Op) -> bool {
    let tested = |state: &State| {
        let about = |cond: &ExprId| match followed.tests.get(cond) {
            Some((of, test)) => *of == op && matches!(test, Test::About | Test::Transient),
            None => false,
        };
        !state.arms.is_empty() || state.conds.iter().any(|(cond, _)| about(cond))
    };
    tested(state)
        || followed.exits.iter().any(|(other, flow)| {
            let failed = other.look(op).is_some_and(|look| look.verdict == Verdict::Failure);
            let gives_error =
                matches!(flow, Flow::Next(Val::Built(Tag::Err, _)) | Flow::Return(Val::Built(Tag::Err, _)));
            failed && !gives_error && tested(other)
        })
}

fn operation_of(val: &Val) -> Option<Op> {
    match val {
        Val::Outcome(op) | Val::Payload(op, _) | Val::Derived(op, _) | Val::Status(op) => Some(*op),
        Val::Built(_, inner) => operation_of(inner),
        _ => None,
    }
}

/// Whether the crate tells a client not to make errors of statuses: of which calls, nobody follows.
fn keeps_statuses(cx: &Context<'_>) -> bool {
    cx.memo.keeps_statuses(|| {
        let names: Vec<&str> = cx.knowledge.keeping_statuses().collect();
        cx.krate.items().any(|(item, it)| {
            let text = it.body.and_then(|body| Some(cx.krate.file(item)?.slice(body)));
            text.is_some_and(|text| names.iter().any(|name| text.contains(name)))
        })
    })
}

/// What the callers give a helper, a closure, future or macro operand: one that raises is enough, for the helper serves all.
fn given(cx: &Context<'_>, op: Op) -> bool {
    if !cx.body.fragments.is_empty() {
        return remote::macro_calls(cx)
            .iter()
            .any(|(caller, args)| args.iter().any(|arg| of_operand(caller, *arg)));
    }
    operands(cx, cx.called_local(op)).iter().any(|(caller, arg)| of_operand(caller, *arg))
}

/// What at most 16 callers of a function give for a parameter; for any, where it is not said which.
fn operands<'a>(cx: &Context<'a>, operand: Option<Local>) -> Vec<(Rc<Context<'a>>, ExprId)> {
    let at = operand.and_then(|local| cx.body.param(local));
    let mut found = Vec::new();
    for (item, call) in cx.callers().iter().take(16) {
        let Some(caller) = cx.inside(*item) else { continue };
        if cx.krate.item(*item).is_some_and(|item| item.in_test) {
            continue;
        }
        let args = caller.args(*call);
        let args = match at.and_then(|at| args.get(at)) {
            Some(arg) => vec![*arg],
            None => args.to_vec(),
        };
        found.extend(args.into_iter().map(|arg| (caller.clone(), arg)));
    }
    found
}

/// Whether a closure, future or function that is given to whoever retries it fails with client errors.
pub(crate) fn of_operand(caller: &Context<'_>, arg: ExprId) -> bool {
    match &caller.body.expr(arg).kind {
        ExprKind::Closure { .. } | ExprKind::Async(_) => leaves_with_refusal(caller, arg, MOST_CALLS),
        ExprKind::Call(..) | ExprKind::Method(_) => of_call(caller, arg, MOST_CALLS),
        ExprKind::Ref(inner) | ExprKind::Await(inner) | ExprKind::Try(inner) => of_operand(caller, *inner),
        ExprKind::Path(path) => match caller.body.local(arg) {
            Some(local) => caller.init(local).is_some_and(|init| init != arg && of_operand(caller, init)),
            None => {
                matches!(caller.by_path(path), Some(Callee::Own(item)) if of_item(caller, item, MOST_CALLS))
            }
        },
        _ => false,
    }
}
