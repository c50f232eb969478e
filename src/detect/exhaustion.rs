//! What whoever waits gets when the attempts are used up: an error, a value as if it had worked, a panic.
//! Only paths count that leave because of the bound; how an error that is not tried again leaves says nothing here.

use super::bounds::Bounds;
use super::context::Context;
use super::flow::{Flow, Followed, LoopRecord, LoopShape, Op, Paths, State, Tag, Val, Verdict};
use crate::body::{ExprId, ExprKind, PatKind};
use crate::model::{BoundKind, Exhaustion, Fact, LastError, Outcome};

/// What becomes of a failure when a loop has no attempts left.
pub(super) fn exhaustion(
    cx: &Context<'_>,
    followed: &Followed,
    id: ExprId,
    record: &LoopRecord,
    ops: &[Op],
    bounds: &Bounds,
) -> Exhaustion {
    let mut made = Exhaustion::default();
    if let Some(outcome) = bounds.outcome {
        made.outcome = Fact::known(outcome);
    }
    if bounds.outcome == Some(Outcome::Never)
        || record.cut
        || !matches!(bounds.kind, Some(BoundKind::Bounded | BoundKind::Deadline))
    {
        return made;
    }
    let ends = ends(cx, followed, id, record, ops, bounds);
    let Some(first) = ends.first() else { return made };
    let all = |outcome: Outcome| ends.iter().all(|end| outcome_of(end) == Some(outcome));
    let Some(outcome) = outcome_of(first).filter(|outcome| all(*outcome)) else {
        made.outcome = Fact::Unknown;
        return made;
    };
    if outcome == Outcome::Swallowed && leaves_before_its_head(cx, id, record, ops) {
        made.outcome = Fact::Unknown;
        return made;
    }
    let text = match outcome {
        Outcome::Swallowed => "after the last failure what is given looks like a success",
        Outcome::ReturnsError => "after the last failure an error is given",
        _ => "after the last failure it panics",
    };
    made.outcome = Fact::Known(outcome, cx.evidence(id, text));
    let other =
        |end: &Flow| matches!(value_of(end), Some(Val::Built(Tag::Err, inner)) if **inner == Val::Unknown);
    if outcome == Outcome::ReturnsError && ends.iter().all(other) && is_never_named(cx, followed, ops) {
        made.last_error =
            Fact::Known(LastError::Dropped, cx.evidence(id, "nobody looks at the failures in it"));
    }
    made
}

/// `while n < max { … if n == max { return Err(error); } … }`, `for n in 0..=max { … if n < max { wait } else { return Err(error) } }`:
/// the last failure has left before the head is asked, save where there are no attempts at all.
fn leaves_before_its_head(cx: &Context<'_>, id: ExprId, record: &LoopRecord, ops: &[Op]) -> bool {
    let asks_the_same = |cond: ExprId, holds: bool| match &cx.body.expr(id).kind {
        ExprKind::While { cond: head, .. } => {
            let by_head = compared(cx, *head);
            let alike = |one, other| cx.is_written_alike(one, other);
            holds
                && cond != *head
                && compared(cx, cond).into_iter().any(|sides| {
                    by_head.iter().any(|[left, right]| {
                        in_either_order(sides, |side| alike(side, *left), |side| alike(side, *right))
                    })
                })
        }
        ExprKind::For { pat, iter, .. } => {
            let ExprKind::Range { end: Some(end), .. } = cx.body.expr(cx.only_in(*iter)).kind else {
                return false;
            };
            let counts = cx.body.names_in_pat(*pat);
            let is_count = |part: ExprId| counts.iter().any(|(_, local)| cx.body.local(part) == Some(*local));
            let is_end = |part: ExprId| cx.is_written_alike(part, end);
            compared(cx, cond).into_iter().any(|sides| {
                in_either_order(sides, |side| cx.body.any(side, is_count), |side| cx.body.any(side, is_end))
            })
        }
        _ => false,
    };
    record.exits.iter().any(|(state, flow)| {
        matches!(flow, Flow::Return(_))
            && failed(ops, state)
            && state.conds.iter().any(|(cond, holds)| asks_the_same(*cond, *holds))
    })
}

/// Whether one side is this and the other that.
fn in_either_order(
    [one, other]: [ExprId; 2],
    this: impl Fn(ExprId) -> bool,
    that: impl Fn(ExprId) -> bool,
) -> bool {
    this(one) && that(other) || this(other) && that(one)
}

/// Both sides of each comparison in a condition.
fn compared(cx: &Context<'_>, cond: ExprId) -> Vec<[ExprId; 2]> {
    let mut found = Vec::new();
    cx.body.walk(cond, &mut |inner| {
        if let ExprKind::Binary(op, left, right) = cx.body.expr(inner).kind
            && op.compares()
        {
            found.push([left, right]);
        }
        true
    });
    found
}

/// How the paths end that leave the loop because nothing is left, each to the end of the function.
fn ends(
    cx: &Context<'_>,
    followed: &Followed,
    id: ExprId,
    record: &LoopRecord,
    ops: &[Op],
    bounds: &Bounds,
) -> Vec<Flow> {
    let whole: &Paths = match record.within {
        None => &followed.exits,
        Some(within) => match followed.closures.get(&within) {
            Some(paths) => paths,
            None => return Vec::new(),
        },
    };
    let mut found = Vec::new();
    for (exit, flow) in &record.exits {
        if !is_by_bound(cx, id, record, ops, bounds, exit, flow) {
            continue;
        }
        match flow {
            Flow::Return(_) | Flow::Diverge => found.push(flow.clone()),
            // what a loop around does with it is another trip of that one
            _ if record.outer.is_some() => return Vec::new(),
            Flow::Next(_) | Flow::Break(..) => {
                let after = whole.iter().filter(|(state, _)| goes_on(cx, id, ops, exit, state));
                let before = found.len();
                found.extend(after.map(|(_, flow)| flow.clone()));
                if found.len() == before {
                    return Vec::new();
                }
            }
            Flow::Continue(_) => return Vec::new(),
        }
    }
    found
}

/// Whether a way out is taken because of what bounds the attempts.
fn is_by_bound(
    cx: &Context<'_>,
    id: ExprId,
    record: &LoopRecord,
    ops: &[Op],
    bounds: &Bounds,
    exit: &State,
    flow: &Flow,
) -> bool {
    let Some(place) = &bounds.evidence.place else { return false };
    let is_bound = |expr: ExprId| {
        let span = cx.body.expr(expr).span;
        span.start == place.start_byte && span.end == place.end_byte
    };
    if matches!(flow, Flow::Next(_)) {
        return match (&cx.body.expr(id).kind, record.shape) {
            (ExprKind::For { iter, .. }, _) => is_bound(*iter),
            (ExprKind::While { cond, .. }, LoopShape::While) => cx.body.any(*cond, is_bound),
            _ => false,
        };
    }
    let goes_round = |cond: &(ExprId, bool)| record.backs.iter().any(|back| back.conds.contains(cond));
    failed(ops, exit) && exit.conds.iter().any(|cond| is_bound(cond.0) && !goes_round(cond))
}

fn failed(ops: &[Op], state: &State) -> bool {
    let of_ops = || state.looked.iter().filter(|look| ops.contains(&look.op));
    of_ops().any(|look| look.verdict == Verdict::Failure)
        && of_ops().all(|look| look.verdict != Verdict::Success)
}

/// Whether a path through the whole function may be one that left the loop like this: the last try failed, and it passed the same conditions in it.
fn goes_on(cx: &Context<'_>, id: ExprId, ops: &[Op], exit: &State, path: &State) -> bool {
    let inside = cx.body.expr(id).span;
    let in_loop = |cond: &&(ExprId, bool)| inside.contains(cx.body.expr(cond.0).span);
    let passed =
        |state: &State| -> Vec<(ExprId, bool)> { state.conds.iter().filter(in_loop).copied().collect() };
    let (mut its, mut theirs) = (passed(exit), passed(path));
    its.sort_unstable();
    theirs.sort_unstable();
    failed(ops, path) && its == theirs
}

fn value_of(flow: &Flow) -> Option<&Val> {
    match flow {
        Flow::Next(val) | Flow::Return(val) => Some(val),
        _ => None,
    }
}

fn outcome_of(flow: &Flow) -> Option<Outcome> {
    match flow {
        Flow::Diverge => return Some(Outcome::Panics),
        Flow::Next(_) | Flow::Return(_) => {}
        _ => return None,
    }
    match value_of(flow)? {
        Val::Built(Tag::Err, _) => Some(Outcome::ReturnsError),
        Val::Built(Tag::Ok, inner) if says_nothing(inner) => Some(Outcome::Swallowed),
        _ => None,
    }
}

/// `()`, `None`, an empty collection: what a success might give as well.
fn says_nothing(val: &Val) -> bool {
    match val {
        Val::Empty | Val::Built(Tag::None, _) => true,
        Val::Tuple(parts) => parts.iter().all(says_nothing),
        _ => false,
    }
}

/// Whether what failed is thrown away unseen wherever it is told from a success: `Err(_)`, `is_err()`.
fn is_never_named(cx: &Context<'_>, followed: &Followed, ops: &[Op]) -> bool {
    let speaks = |id: ExprId| followed.speaks.get(&id).is_some_and(|of| of.iter().any(|op| ops.contains(op)));
    let mut looks = 0;
    let mut named = false;
    for (_, expr) in cx.body.exprs() {
        let pats = match &expr.kind {
            ExprKind::Match(value, arms) if speaks(*value) => arms.iter().map(|arm| arm.pat).collect(),
            ExprKind::Let(pat, value) if speaks(*value) => {
                looks += u32::from(
                    matches!(&cx.body.pat(*pat).kind, PatKind::TupleStruct(path, _) if path.last() == "Ok"),
                );
                vec![*pat]
            }
            ExprKind::Try(value) if speaks(*value) => {
                named = true;
                continue;
            }
            _ => continue,
        };
        for pat in pats {
            let failing = match &cx.body.pat(pat).kind {
                PatKind::TupleStruct(variant, _) => variant.last() == "Err",
                PatKind::Bind { .. } => true,
                _ => false,
            };
            looks += u32::from(failing);
            named |= failing && !cx.body.names_in_pat(pat).is_empty();
        }
    }
    looks > 0 && !named
}

/// What a function gives where a count of polls ran out, and nothing tells it from what was waited for having come.
pub(super) fn of_poll(
    cx: &Context<'_>,
    followed: &Followed,
    id: ExprId,
    record: &LoopRecord,
) -> Fact<Outcome> {
    let counts = record.shape == LoopShape::Count && record.outer.is_none() && record.within.is_none();
    if !counts || record.cut || followed.cut {
        return Fact::Unknown;
    }
    let inside = cx.body.expr(id).span;
    let unpassed =
        |state: &State| !state.conds.iter().any(|(cond, _)| inside.contains(cx.body.expr(*cond).span));
    let ran_out: Vec<&Flow> = followed
        .exits
        .iter()
        .filter(|(state, _)| unpassed(state) && !state.waits.is_empty())
        .map(|(_, flow)| flow)
        .collect();
    let nothing = |flow: &&Flow| matches!(value_of(flow), Some(Val::Built(Tag::Ok, inner)) if matches!(&**inner, Val::Tuple(parts) if parts.is_empty()));
    if ran_out.is_empty() || !ran_out.iter().all(nothing) {
        return Fact::Unknown;
    }
    Fact::Known(Outcome::Swallowed, cx.evidence(id, "when the count is over this gives `Ok(())` as well"))
}
