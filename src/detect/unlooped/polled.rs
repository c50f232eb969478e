//! Hand-written futures and streams: whoever polls them is the loop.
//! A failure that leaves a timer behind, or a state in which the request is made anew, is followed by the next attempt at a later poll.

use super::{Again, counts, leaving, site};
use crate::body::{Arm, BinOp, ExprId, ExprKind, Lit, Local};
use crate::detect::bounds::Bounds;
use crate::detect::classify::failed_ops;
use crate::detect::context::Context;
use crate::detect::delay;
use crate::detect::flow::{Event, Followed, Op, State, Tag, Val};
use crate::detect::remote::{self, Answer};
use crate::detect::summary::MOST_CALLS;
use crate::detect::{hints, refusals, sites};
use crate::knowledge::Role;
use crate::model::{ErrorKind, Fact, Kind, Site};
use crate::resolve::Target;

/// Whether a function is polled: it takes a task's context and gives a `Poll`.
pub(crate) fn is_polled(cx: &Context<'_>) -> bool {
    cx.body.ret.as_ref().is_some_and(|ty| ty.name() == "Poll")
        && cx.body.params.iter().any(|param| param.ty.as_ref().is_some_and(|ty| ty.name() == "Context"))
}

/// The retry of a polled function.
pub(super) fn of_body(cx: &Context<'_>, followed: &Followed) -> Option<Site> {
    if !is_polled(cx) {
        return None;
    }
    let failed = |state: &State| -> Vec<Op> { failed_ops(state).filter(|op| may_fail(cx, *op)).collect() };
    let mut trips: Vec<State> = Vec::new();
    let mut replay = None;
    for (state, _) in leaving(followed).filter(|(state, _)| !failed(state).is_empty()) {
        if !state.waits.is_empty() {
            trips.push(state.clone());
        } else if let Some(made) = made_anew(cx, state) {
            let trip = waiting_in(cx, made, state);
            let counted = trip.waits.first().and_then(|wait| Some((*wait, counted_by(cx, *wait)?)));
            replay = replay.or(counted.map(|(wait, counter)| delay::replay_counted(cx, wait, counter)));
            trips.push(trip);
        }
    }
    // a tick that is asked for beside it begins other work
    for trip in &mut trips {
        trip.waits.retain(|wait| cx.call_name(*wait) != "poll_tick");
    }
    let mut ops: Vec<Op> = trips.iter().flat_map(failed).collect();
    ops.sort_unstable();
    ops.dedup();
    let main = *ops.first()?;
    let again = Again {
        kind: if holds_what_it_is_given(cx) { Kind::Helper } else { Kind::Reconnect },
        span: cx.krate.item(cx.at)?.span,
        main: Some(main),
        remote: remote_of(cx, &ops),
        ops,
        failing: trips.iter().collect(),
        bounds: Bounds::default(),
        most: None,
        replay,
        why: cx.evidence(main, "after a failure of this the next poll begins anew"),
    };
    let mut site = site(cx, followed, &again)?;
    refused(cx, followed, &again.ops, &mut site);
    // another of its states may wait
    sites::forget_no_delay(&mut site);
    Some(site)
}

/// Client errors of the request that the function puts into the future that it polls: `self.request = Some(Box::pin(async { … }))`.
fn refused(cx: &Context<'_>, followed: &Followed, ops: &[Op], site: &mut Site) {
    if !site.errors.kind.is(&ErrorKind::All) || site.errors.retries_4xx.is_known() {
        return;
    }
    let kept = cx.body.exprs().find_map(|(_, expr)| match &expr.kind {
        ExprKind::Assign(left, right) if cx.field_path(*left).is_some() => {
            let mut block = None;
            cx.body.walk(*right, &mut |id| {
                let is = matches!(cx.body.expr(id).kind, ExprKind::Async(_)) && refusals::of_operand(cx, id);
                block = block.or(is.then_some(id));
                block.is_none()
            });
            block
        }
        _ => None,
    });
    let Some(block) = kept else { return };
    site.errors.retries_4xx = Fact::Known(true, cx.evidence(block, "makes errors of 4xx, and they go round"));
    site.errors.honours_retry_after = hints::honoured(cx, followed, ops, false, Some(block));
}

/// Whether an operation of a polled function may be the request: what is polled is somebody's future, whoever defined `poll`.
fn may_fail(cx: &Context<'_>, op: Op) -> bool {
    let stays = matches!(cx.call_name(op), "poll_recv" | "poll_closed" | "poll_flush" | "poll_shutdown");
    // `while let Poll::Ready(Some(item)) = stream.poll_next(cx)`: after an item comes the next
    let takes_items = cx.loop_around(op).is_some_and(|at| match cx.body.expr(at).kind {
        ExprKind::While { cond, .. } => cx.body.any(cond, |id| id == op),
        _ => false,
    });
    !stays && !takes_items && (cx.call_name(op).contains("poll") || counts(cx, op))
}

/// Remote by the operation itself, or by what the function puts into the future that it polls.
fn remote_of(cx: &Context<'_>, ops: &[Op]) -> Option<Answer> {
    let is = |answer: &Answer| answer.is;
    let by_op = ops.iter().find_map(|op| remote::of_call(cx, *op, MOST_CALLS).filter(is));
    by_op.or_else(|| remote::of_expr(cx, cx.body.root, MOST_CALLS).filter(is))
}

/// Where the request is made anew in the state that a path leaves behind.
fn made_anew(cx: &Context<'_>, state: &State) -> Option<ExprId> {
    state.fields().find_map(|(field, val)| match val {
        Val::Built(Tag::None, _) => made_where_empty(cx, field),
        Val::Built(Tag::Variant(name), _) => made_in_state(cx, field, name),
        _ => None,
    })
}

/// `self.request.get_or_insert_with(|| …)`, or an assignment of a call behind `self.request.is_none()`.
fn made_where_empty(cx: &Context<'_>, field: &str) -> Option<ExprId> {
    let is_field = |id: ExprId| cx.field_path(id).is_some_and(|path| path == field);
    cx.body.exprs().find_map(|(_, expr)| match &expr.kind {
        ExprKind::Method(call) if call.name == "get_or_insert_with" && is_field(call.receiver) => {
            call.args.first().copied()
        }
        ExprKind::If { cond, then, .. } => {
            let asks = cx.body.any(*cond, |id| {
                matches!(&cx.body.expr(id).kind, ExprKind::Method(call) if call.name == "is_none" && is_field(call.receiver))
            });
            asks.then(|| assigned_in(cx, *then, field)).flatten()
        }
        _ => None,
    })
}

/// An arm for a state in which the field is given what a call makes.
fn made_in_state(cx: &Context<'_>, field: &str, name: &str) -> Option<ExprId> {
    cx.body.exprs().find_map(|(_, expr)| {
        let ExprKind::Match(_, arms) = &expr.kind else { return None };
        let is_state = |arm: &&Arm| cx.body.variant(arm.pat).is_some_and(|path| path.last() == name);
        let arm = arms.iter().find(is_state)?;
        assigned_in(cx, arm.body, field)
    })
}

/// The value, made by a call, that a field is given inside an expression.
fn assigned_in(cx: &Context<'_>, root: ExprId, field: &str) -> Option<ExprId> {
    let mut found = None;
    cx.body.walk(root, &mut |id| {
        if let ExprKind::Assign(left, right) = &cx.body.expr(id).kind
            && cx.field_path(*left).is_some_and(|path| path == field)
            && cx.body.any(*right, |id| is_request(cx, id))
        {
            found = Some(*right);
        }
        found.is_none()
    });
    found
}

/// Whether a call may make a request: nothing that wraps, and no variant.
fn is_request(cx: &Context<'_>, id: ExprId) -> bool {
    matches!(cx.body.expr(id).kind, ExprKind::Call(..) | ExprKind::Method(_))
        && !cx.call_name(id).starts_with(char::is_uppercase)
        && !matches!(cx.role(id), Some(Role::Wait { .. } | Role::Adaptor | Role::Pure))
}

/// The path, with the wait that stands in what is made anew.
fn waiting_in(cx: &Context<'_>, made: ExprId, state: &State) -> State {
    let mut trip = state.clone();
    cx.body.walk(made, &mut |id| {
        if trip.waits.is_empty() && matches!(cx.role(id), Some(Role::Wait { event: false, .. })) {
            trip.waits.push(id);
            // what it is made of outside of the block changes from poll to poll: only a size that is written here is known
            if !cx.args(id).iter().any(|arg| cx.body.any(*arg, |inner| cx.body.local(inner).is_some())) {
                trip.trace.push(Event::Wait(id));
            }
        }
        true
    });
    trip
}

/// The parameter that counts the failures, where a wait is made with it and the function hands it on with one more.
fn counted_by(cx: &Context<'_>, wait: ExprId) -> Option<Local> {
    let counts = |local: Local| {
        let is_it = |id: ExprId| cx.body.local(id) == Some(local);
        let is_one = |id: ExprId| matches!(cx.body.expr(id).kind, ExprKind::Lit(Lit::Int(1, _)));
        cx.body.exprs().any(|(_, expr)| match &expr.kind {
            ExprKind::Binary(BinOp::Add, left, right) => is_it(*left) && is_one(*right),
            ExprKind::Method(call) => {
                matches!(call.name.as_str(), "saturating_add" | "wrapping_add")
                    && is_it(call.receiver)
                    && call.args.first().is_some_and(|by| is_one(*by))
            }
            _ => false,
        })
    };
    let made_with = |local: Local| {
        let of_it = |id: ExprId| cx.body.local(id) == Some(local);
        cx.args(wait).iter().any(|arg| {
            cx.body.any(*arg, |id| {
                let init = cx.body.local(id).and_then(|named| cx.init(named));
                of_it(id) || init.is_some_and(|init| cx.body.any(init, of_it))
            })
        })
    };
    cx.body.params.iter().map(|param| param.pat).find(|local| made_with(*local) && counts(*local))
}

/// Whether the type holds a field of one of its type parameters: an adapter around somebody's stream or service.
fn holds_what_it_is_given(cx: &Context<'_>) -> bool {
    let Target::Item(item) = cx.krate.path(cx.at, &["Self".to_owned()]) else { return false };
    cx.krate.struct_data(item).is_some_and(|data| {
        data.fields.iter().any(|(_, ty)| ty.path.len() == 1 && data.generics.iter().any(|it| it == ty.name()))
    })
}
