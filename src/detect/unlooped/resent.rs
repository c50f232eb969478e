//! Once more: a request that failed is sent again, written out a second time.
//! Two calls of the same thing with the same arguments, and the second only where the first failed.

use super::{Again, leaving, site};
use crate::body::{ExprId, ExprKind, Span, UnOp};
use crate::detect::bounds::Bounds;
use crate::detect::context::{Callee, Context};
use crate::detect::flow::{Followed, Op, State, Verdict};
use crate::detect::remote::{self, Answer};
use crate::detect::summary::{MOST_CALLS, summary};
use crate::knowledge::Role;
use crate::model::{BoundKind, Kind, Site};

/// Whether two calls of a body may be the same request.
pub(super) fn may_resend(cx: &Context<'_>) -> bool {
    !pairs(cx).is_empty()
}

/// Calls that may be one request and its repetition, in source order.
fn pairs(cx: &Context<'_>) -> Vec<(Op, Op)> {
    let calls: Vec<ExprId> = cx
        .body
        .exprs()
        .filter(|(_, expr)| matches!(expr.kind, ExprKind::Call(..) | ExprKind::Method(_)))
        .map(|(id, _)| id)
        .collect();
    let named = |id: ExprId| !cx.call_name(id).is_empty() || is_given(cx, id);
    let mut found = Vec::new();
    for first in calls.iter().copied().filter(|id| named(*id) && is_request(cx, *id)) {
        let start = cx.body.expr(first).span.start;
        for second in calls.iter().copied().filter(|id| *id != first && cx.body.expr(*id).span.start >= start)
        {
            // names are compared first: texts are long
            let again = if cx.call_name(first) == cx.call_name(second) {
                same_request(cx, first, second)
            } else {
                hands_on(cx, first, second)
            };
            if again {
                found.push((first, second));
            }
        }
    }
    found
}

fn is_given(cx: &Context<'_>, call: ExprId) -> bool {
    matches!(cx.callee(call), Callee::Operand(_))
}

/// Whether a call may be a request: given from outside, known to be remote, or awaited and not known to be anything else.
fn is_request(cx: &Context<'_>, call: ExprId) -> bool {
    match cx.callee(call) {
        Callee::Known(entry, _) => matches!(entry.role, Role::Remote { .. }),
        Callee::Own(item) => {
            let inner = summary(cx, item);
            !inner.is_wait && (inner.fallible || inner.is_async) && inner.remote != Some(false)
        }
        Callee::Operand(_) => true,
        Callee::Closure(_) => false,
        Callee::Foreign(_) | Callee::Unknown => cx.is_awaited(call),
    }
}

/// Whether two calls are written alike, clones and borrows apart.
fn same_request(cx: &Context<'_>, one: ExprId, other: ExprId) -> bool {
    let (one, other) = (&cx.body.expr(one).kind, &cx.body.expr(other).kind);
    let all = |these: &[ExprId], those: &[ExprId]| {
        these.len() == those.len() && these.iter().zip(those).all(|(it, its)| same(cx, *it, *its))
    };
    match (one, other) {
        (ExprKind::Call(callee, args), ExprKind::Call(its, its_args)) => {
            same(cx, *callee, *its) && all(args, its_args)
        }
        (ExprKind::Method(call), ExprKind::Method(its)) => {
            call.name == its.name && all(&call.args, &its.args) && same(cx, call.receiver, its.receiver)
        }
        _ => false,
    }
}

/// Whether the second call is of a function that makes the first call in turn, with all that the first was given.
fn hands_on(cx: &Context<'_>, first: ExprId, second: ExprId) -> bool {
    let (Callee::Own(operation), Callee::Own(through)) = (cx.callee(first), cx.callee(second)) else {
        return false;
    };
    let args = cx.args(first);
    operation != through
        && through != cx.at
        && !args.is_empty()
        && args.iter().all(|arg| cx.args(second).iter().any(|its| same(cx, *arg, *its)))
        && cx.inside(through).is_some_and(|inner| {
            inner.body.exprs().any(|(id, expr)| {
                matches!(expr.kind, ExprKind::Call(..) | ExprKind::Method(_))
                    && matches!(inner.callee(id), Callee::Own(item) if item == operation)
            })
        })
}

fn same(cx: &Context<'_>, one: ExprId, other: ExprId) -> bool {
    cx.is_written_alike(bare(cx, one), bare(cx, other))
}

/// What is cloned or borrowed.
fn bare(cx: &Context<'_>, id: ExprId) -> ExprId {
    let mut at = id;
    loop {
        at = match &cx.body.expr(at).kind {
            ExprKind::Ref(inner) | ExprKind::Unary(UnOp::Deref, inner) => *inner,
            ExprKind::Method(call)
                if call.args.is_empty()
                    && matches!(
                        call.name.as_str(),
                        "clone"
                            | "to_owned"
                            | "to_string"
                            | "to_vec"
                            | "as_ref"
                            | "as_mut"
                            | "as_str"
                            | "cloned"
                    ) =>
            {
                call.receiver
            }
            ExprKind::Call(_, args) if cx.call_name(at) == "clone" => match args.as_slice() {
                [only] => *only,
                _ => return at,
            },
            _ => return at,
        };
    }
}

/// Requests that are sent once more.
pub(super) fn of_body(cx: &Context<'_>, followed: &Followed) -> Vec<Site> {
    let mut found: Vec<Site> = Vec::new();
    for (first, second) in pairs(cx) {
        // a last attempt after a loop of attempts is that loop's
        if cx.loop_around(first) != cx.loop_around(second) {
            continue;
        }
        let operand = is_given(cx, first);
        let Some(answer) = remote_of(cx, first, operand) else { continue };
        let failing = after_failure(cx, followed, first, second);
        if failing.is_empty() {
            continue;
        }
        let again = Again {
            kind: if operand { Kind::Helper } else { Kind::Retry },
            span: Span { start: cx.body.expr(first).span.start, end: cx.body.expr(second).span.end },
            main: Some(first),
            ops: vec![first],
            remote: answer,
            failing,
            bounds: Bounds {
                kind: Some(BoundKind::Bounded),
                evidence: cx.evidence(second, "once more, and no more"),
                ..Bounds::default()
            },
            most: Some(2),
            replay: None,
            why: cx.evidence(second, "asked once more after a failure"),
        };
        // one request may be several calls: `client.get(url)` and its `send()`
        let inside = |site: &Site| found.iter().any(|it| it.place.line == site.place.line);
        if let Some(site) = site(cx, followed, &again).filter(|site| !inside(site)) {
            found.push(site);
        }
    }
    found
}

/// Whether the request is remote; `None` where it is known, or likely, not to be.
#[allow(clippy::option_option)]
fn remote_of(cx: &Context<'_>, op: Op, operand: bool) -> Option<Option<Answer>> {
    if operand {
        return match remote::of_callers(cx, cx.called_local(op)) {
            Some(answer) => answer.is.then_some(Some(answer)),
            None => cx.body.is_async.then_some(None),
        };
    }
    remote::of_call(cx, op, MOST_CALLS).filter(|answer| answer.is).map(Some)
}

/// Paths on which the second call follows a failure of the first; none where it follows a success too.
fn after_failure<'s>(cx: &Context<'_>, followed: &'s Followed, first: Op, second: Op) -> Vec<&'s State> {
    let mut failing = Vec::new();
    for state in paths_through(cx, followed, second) {
        if !state.calls.contains(&second) {
            continue;
        }
        let look = state.looked.iter().find(|look| look.op == first);
        match look.map(|look| look.verdict) {
            Some(Verdict::Failure) => failing.push(state),
            _ => return Vec::new(),
        }
    }
    failing
}

/// The paths on which a call may lie: round and out of the loop around it, or out of the function.
fn paths_through<'s>(cx: &Context<'_>, followed: &'s Followed, call: Op) -> Vec<&'s State> {
    if let Some(record) = cx.around(call).find_map(|at| followed.loops.get(&at)) {
        return record.backs.iter().chain(record.exits.iter().map(|(state, _)| state)).collect();
    }
    leaving(followed).map(|(state, _)| state).collect()
}
