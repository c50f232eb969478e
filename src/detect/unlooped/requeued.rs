//! Jobs that are put back: after a failure a task is spawned that waits, and then sends the job to where it came from.
//! The loop is whoever receives.

use super::{Again, counts, main_of, site};
use crate::body::{ExprId, ExprKind};
use crate::detect::bounds::Bounds;
use crate::detect::classify::failed_ops;
use crate::detect::context::{Callee, Context};
use crate::detect::flow::{Event, Followed, Op, State};
use crate::detect::remote;
use crate::knowledge::{Role, says};
use crate::model::{Fact, Kind, Site};

/// Whether a body spawns a block that waits and then gives something back.
pub(super) fn may_requeue(cx: &Context<'_>) -> bool {
    cx.body.exprs().any(|(id, _)| {
        matches!(cx.role(id), Some(Role::Spawn | Role::Later { .. }))
            && cx.args(id).iter().any(|block| wait_and_return(cx, *block).is_some())
    })
}

/// The wait of a block that first waits, and then sends or calls back.
fn wait_and_return(cx: &Context<'_>, block: ExprId) -> Option<ExprId> {
    if !matches!(cx.body.expr(block).kind, ExprKind::Async(_) | ExprKind::Closure { .. }) {
        return None;
    }
    // `set_timeout(move || …, delay)`: what is given the closure waits before it
    let mut wait = cx.parent(block).filter(|call| matches!(cx.role(*call), Some(Role::Later { .. })));
    let mut returned = false;
    cx.body.walk(block, &mut |id| {
        let call = matches!(cx.body.expr(id).kind, ExprKind::Call(..) | ExprKind::Method(_));
        match (wait, cx.callee(id)) {
            (None, Callee::Known(entry, _)) if matches!(entry.role, Role::Wait { event: false, .. }) => {
                wait = Some(id);
            }
            (Some(_), Callee::Own(item)) => returned |= super::comes_back(cx, item),
            (Some(_), _) if call => returned |= is_told_to_retry(cx, id),
            _ => {}
        }
        // what is inside a call is evaluated before it, but stands behind it
        !returned
    });
    wait.filter(|_| returned)
}

/// Whether a message is sent whose name, or whose receiver's, says that something is tried again.
fn is_told_to_retry(cx: &Context<'_>, call: ExprId) -> bool {
    let sends = matches!(
        cx.call_name(call),
        "send"
            | "try_send"
            | "unbounded_send"
            | "blocking_send"
            | "start_send"
            | "enqueue"
            | "push"
            | "push_back"
    );
    let words = cx.words();
    let telling = |name: &str| says(&words.retry, name) || says(&words.establish, name);
    sends
        && cx.body.any(call, |id| match &cx.body.expr(id).kind {
            ExprKind::Path(path) => path.segments.iter().any(|name| telling(name)),
            ExprKind::Struct(lit) => lit.path.segments.iter().any(|name| telling(name)),
            ExprKind::Field(_, name) => telling(name),
            _ => false,
        })
}

/// What a path does after it spawned the task: the state that the next failure finds.
fn after_spawn<'f>(followed: &'f Followed, spawned: &State) -> &'f [Event] {
    let later = |(state, _): &'f (State, _)| state.trace.strip_prefix(spawned.trace.as_slice());
    followed.exits.iter().filter_map(later).max_by_key(|events| events.len()).unwrap_or_default()
}

/// Jobs that a body puts back after a failure.
pub(super) fn of_body(cx: &Context<'_>, followed: &Followed) -> Vec<Site> {
    let mut found = Vec::new();
    for (block, state) in &followed.spawns {
        let failed: Vec<Op> = failed_ops(state).filter(|op| counts(cx, *op)).collect();
        let Some(wait) = wait_and_return(cx, *block).filter(|_| !failed.is_empty()) else { continue };
        let Some((main, answer)) = main_of(cx, &failed) else { continue };
        let mut trip: State = state.clone();
        trip.waits.push(wait);
        trip.trace.push(Event::Wait(wait));
        trip.trace.extend(after_spawn(followed, state));
        let again = Again {
            kind: if remote::establishes(cx, main, 3) { Kind::Reconnect } else { Kind::Retry },
            span: crate::body::Span {
                start: cx.body.expr(main).span.start,
                end: cx.body.expr(*block).span.end,
            },
            main: Some(main),
            ops: failed,
            remote: answer,
            failing: vec![&trip],
            bounds: Bounds::default(),
            most: None,
            replay: None,
            why: cx.evidence(wait, "after a failure a task waits here, and then asks for it again"),
        };
        if let Some(mut site) = site(cx, followed, &again)
            && !found.iter().any(|other: &Site| other.place == site.place)
        {
            site.errors.kind = Fact::Unknown;
            // who counts the tries is elsewhere: whether they ever come to the cap, nobody can tell
            site.delay.jitter_clipped = Fact::Unknown;
            found.push(site);
        }
    }
    found
}
