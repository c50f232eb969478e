//! Loops that take in peers and go round at once where that fails: no descriptor is left, and the loop burns a core until one is.
//! Only what the vocabulary knows to accept counts, and only where no failure leaves and none waits.

use super::context::{Callee, Context};
use super::flow::{Followed, LoopRecord, Op, State, Verdict};
use super::{immediate, sites};
use crate::body::{ExprKind, PatId, Stmt};
use crate::knowledge::Role;
use crate::model::{Fact, Kind, Site};

/// Implementations of a trait's method that are asked.
const MOST_IMPLEMENTATIONS: usize = 8;

/// Says of the loops of a body whether a failed accept spins; one that is no site yet becomes one.
pub(super) fn of_body(cx: &Context<'_>, followed: &Followed, told: &mut Vec<Site>) {
    for (id, record) in &followed.loops {
        let Some(op) = spins(cx, followed, record) else { continue };
        let Some(place) = cx.place(*id) else { continue };
        let evidence = cx.evidence(op, "a failure of this goes round at once");
        let known = told.iter().position(|site| site.place == place);
        let at = if let Some(at) = known {
            at
        } else {
            let Some(mut site) = sites::begin(cx, *id, Kind::Local) else { continue };
            site.why.push(evidence.clone());
            site.operation.text = Fact::Known(cx.text(op), cx.evidence(op, "this is tried again"));
            told.push(site);
            told.len() - 1
        };
        if let Some(site) = told.get_mut(at) {
            site.delay.spins = Fact::Known(true, evidence);
        }
    }
}

/// The accept whose every failure goes round without a wait.
fn spins(cx: &Context<'_>, followed: &Followed, record: &LoopRecord) -> Option<Op> {
    if record.cut {
        return None;
    }
    let accepts = |op: Op| {
        accepts(cx, op)
            || cx.handed_on(op).is_some_and(|(inner, made)| accepts(&inner, made))
            || accepts_by_trait(cx, op)
    };
    let failed = |state: &State| {
        let of = state.looked.iter().find(|look| accepts(look.op) && look.verdict == Verdict::Failure);
        of.map(|look| look.op)
    };
    let op = record.backs.iter().find_map(failed)?;
    let leaves = record.exits.iter().any(|(state, _)| failed(state).is_some());
    let failing: Vec<&State> = record.backs.iter().filter(|state| failed(state).is_some()).collect();
    // `error!(parent: node.span(), "{error}")`: what a log is told is no work
    let is_logged = |call: Op| cx.around(call).any(|at| matches!(cx.role(at), Some(Role::Log)));
    let works = |call: &Op| !accepts(*call) && !is_logged(*call);
    let waits = failing.iter().any(|state| !state.waits.is_empty() || state.calls.iter().any(works));
    (!leaves && !waits && !immediate::may_wait_unseen(cx, followed, &failing, &[op])).then_some(op)
}

fn accepts(cx: &Context<'_>, op: Op) -> bool {
    matches!(cx.callee(op), Callee::Known(entry, true) if matches!(entry.role, Role::Accept))
        && is_of_listener(cx, op)
}

/// Whether a trait's method is called that all of the crate's own types answer by accepting, and by nothing else.
fn accepts_by_trait(cx: &Context<'_>, op: Op) -> bool {
    let Callee::Own(item) = cx.callee(op) else { return false };
    if cx.inside(item).is_some() || gives_an_option(cx, op) {
        return false;
    }
    let mut bodies = cx.krate.implementations(item);
    bodies.retain(|body| !sites::in_test(cx.krate, *body));
    !bodies.is_empty()
        && bodies.len() <= MOST_IMPLEMENTATIONS
        && bodies
            .into_iter()
            .all(|body| cx.only_call_of(body).is_some_and(|(inner, made)| accepts(&inner, made)))
}

/// Whether a listener is asked for the next peer. A handshake with one that came (`accept_async(stream)`) fails for that peer alone, and so does
/// what is awaited of a listener that gives `None` at its end: a connection that is still to be made.
fn is_of_listener(cx: &Context<'_>, op: Op) -> bool {
    let asks = match &cx.body.expr(op).kind {
        ExprKind::Method(call) => call.args.is_empty(),
        // `TcpListener::accept(self)`
        ExprKind::Call(callee, args) => {
            args.len() == 1
                && matches!(&cx.body.expr(*callee).kind, ExprKind::Path(path) if path.segments.len() > 1)
        }
        _ => false,
    };
    asks && !gives_an_option(cx, op)
}

fn gives_an_option(cx: &Context<'_>, op: Op) -> bool {
    let body = cx.body;
    let is_some = |pat: PatId| body.variant(pat).is_some_and(|path| path.last() == "Some");
    let awaited = cx.parent(op).filter(|parent| matches!(body.expr(*parent).kind, ExprKind::Await(_)));
    let given = awaited.unwrap_or(op);
    let Some(around) = cx.parent(given) else { return false };
    match &body.expr(around).kind {
        ExprKind::Let(pat, _) => is_some(*pat),
        ExprKind::Match(_, arms) => arms.iter().any(|arm| is_some(arm.pat)),
        _ => body.stmts_of(around).iter().any(
            |stmt| matches!(stmt, Stmt::Let { pat, init: Some(init), .. } if *init == given && is_some(*pat)),
        ),
    }
}
