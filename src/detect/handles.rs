//! Where the parts of a hand-written policy are written: its waits and what they are given, what counts its attempts, where success goes round.
//! It says where, and decides nothing: what cannot be pointed at is left out, and then nobody changes it.

use super::classify::failed_ops;
use super::context::{Callee, Context};
use super::flow::{Event, LoopRecord, Op, State, Verdict};
use super::waits_at::waits;
use crate::body::{BinOp, ExprId, ExprKind, Lit, Local, PatId, PatKind, Stmt, Ty};
use crate::knowledge::Role;
use crate::model::{Clip, Counter, FailureAt, Handles, Kind, Place, ReplyAt, Success};
use crate::resolve::Target;

/// Rust's integer types.
const INTEGERS: &[&str] =
    &["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"];

/// The handles of a loop.
pub(crate) fn of_loop(
    cx: &Context<'_>,
    id: ExprId,
    record: &LoopRecord,
    failing: &[&State],
    main: Option<Op>,
    kind: Kind,
) -> Handles {
    let connects = main.filter(|_| kind == Kind::Reconnect);
    let waits = waits(cx, failing, Some(id));
    let waits_too = waiting(record, failing);
    let counter = ranged(cx, id).or_else(|| stepped(cx, id, &waits_too));
    Handles {
        counter_inside: counter.as_ref().and_then(|counter| counter_inside(cx, counter, failing)),
        counter,
        success: success(cx, id, record, failing, connects, matches!(kind, Kind::Retry | Kind::Helper)),
        after_failure_only: waits_too.iter().all(|state| has_failed(state)),
        hinted: failing.iter().any(|state| state.marks.hint),
        clip: clip(cx, id),
        failures: failures(cx, id, failing, main),
        replies: replies(cx, id, failing, main),
        ..waits
    }
}

/// The trips that come back and wait as a failing one does, whatever they saw: what is waited there changes for all of them.
fn waiting<'s>(record: &'s LoopRecord, failing: &[&'s State]) -> Vec<&'s State> {
    let as_failing = |state: &&State| {
        state.waits.iter().any(|wait| failing.iter().any(|other| other.waits.contains(wait)))
    };
    record.backs.iter().filter(as_failing).collect()
}

/// Whether something failed on a trip.
fn has_failed(state: &State) -> bool {
    state.looked.iter().any(|look| look.verdict == Verdict::Failure && !look.at_head)
}

/// What counts the attempts in the function that waits for its caller: the parameter that is given the caller's counter as it is.
fn counter_inside(cx: &Context<'_>, counter: &Counter, failing: &[&State]) -> Option<Counter> {
    let mut calls = failing.iter().flat_map(|state| state.waits.iter().copied());
    let call = calls.next().filter(|first| calls.all(|other| other == *first))?;
    let Callee::Own(item) = cx.callee(call) else { return None };
    let is_counter = |arg: &ExprId| matches!(&cx.body.expr(*arg).kind, ExprKind::Path(path) if path.single() == Some(counter.name.as_str()));
    let at = cx.args(call).iter().position(is_counter)?;
    let inner = cx.inside(item)?;
    let param = inner.body.params.get(at.checked_sub(cx.receivers(call, &inner)?)?)?;
    let ty = param.ty.as_ref().filter(|ty| INTEGERS.contains(&ty.name()))?;
    let PatKind::Bind { name, mutable: false, .. } = &inner.body.pat(param.pat).kind else { return None };
    Some(Counter { name: name.clone(), ty: ty.name().to_owned(), first: counter.first })
}

/// The first `(grown + drawn).min(cap)` in here, or `min(…)` of them.
pub(super) fn clip(cx: &Context<'_>, within: ExprId) -> Option<Clip> {
    let mut found = None;
    cx.body.walk(within, &mut |id| {
        if found.is_none() && cx.call_name(id) == "min" {
            found = clip_of(cx, id);
        }
        found.is_none()
    });
    found
}

fn clip_of(cx: &Context<'_>, id: ExprId) -> Option<Clip> {
    let operands = cx.operands(id);
    let [one, other] = operands.as_slice() else { return None };
    [(*one, *other), (*other, *one)].into_iter().find_map(|(capped, cap)| {
        let sum = cx.behind_name(capped);
        let (left, right) = match &cx.body.expr(sum).kind {
            ExprKind::Binary(BinOp::Add, left, right) => (*left, *right),
            ExprKind::Method(call) if call.name == "saturating_add" => (call.receiver, *call.args.first()?),
            _ => return None,
        };
        let (grown, drawn) = match (draws(cx, left), draws(cx, right)) {
            (false, true) => (left, right),
            (true, false) => (right, left),
            _ => return None,
        };
        // a random part that is measured by what grows would have to be cut with it
        if shares_a_variable(cx, grown, drawn) {
            return None;
        }
        Some(Clip {
            whole: cx.place(id)?,
            capped: cx.place(capped)?,
            sum: cx.place(sum)?,
            grown: cx.place(grown)?,
            drawn: cx.place(drawn)?,
            cap: cx.place(cap)?,
        })
    })
}

/// Whether two expressions read the same variable, also behind a name.
fn shares_a_variable(cx: &Context<'_>, one: ExprId, other: ExprId) -> bool {
    let reads = |id: ExprId| {
        let at = cx.behind_name(id);
        let mut found: Vec<Local> = Vec::new();
        cx.body.walk(at, &mut |inner| {
            found.extend(cx.body.local(inner));
            true
        });
        found.extend(cx.body.local(id));
        found
    };
    let drawn = reads(other);
    reads(one).iter().any(|local| drawn.contains(local))
}

/// Whether an expression draws a random value, or is a variable that was drawn.
fn draws(cx: &Context<'_>, id: ExprId) -> bool {
    let at = cx.behind_name(id);
    cx.body.any(at, |inner| matches!(cx.role(inner), Some(Role::Random { .. })))
}

/// The variable of a `for` over a range that begins with a written number.
fn ranged(cx: &Context<'_>, id: ExprId) -> Option<Counter> {
    let ExprKind::For { pat, iter, .. } = &cx.body.expr(id).kind else { return None };
    let PatKind::Bind { name, .. } = &cx.body.pat(*pat).kind else { return None };
    let ExprKind::Range { start: Some(start), end, .. } = cx.body.expr(*iter).kind else { return None };
    let ExprKind::Lit(Lit::Int(first, suffix)) = &cx.body.expr(start).kind else { return None };
    let first = u32::try_from(*first).ok()?;
    let by_end =
        || end.and_then(|end| integer_type(cx, end)).or_else(|| compared(cx, cx.body.local_of(*pat)));
    let ty = Some(suffix.clone()).filter(|suffix| !suffix.is_empty()).or_else(by_end);
    Some(Counter { name: name.clone(), ty: ty.unwrap_or_default(), first })
}

/// The variable that every trip that waits moves on by one, and that nothing else changes.
fn stepped(cx: &Context<'_>, id: ExprId, waiting: &[&State]) -> Option<Counter> {
    let looped = cx.body.expr(id).span;
    let mut found: Option<Counter> = None;
    for (place, local) in steps_in(cx, id) {
        let PatKind::Bind { name, .. } = &cx.body.pat(local).kind else { continue };
        let Some(init) = cx.init(local).filter(|init| !looped.contains(cx.body.expr(*init).span)) else {
            continue;
        };
        let ExprKind::Lit(Lit::Int(start, suffix)) = &cx.body.expr(init).kind else { continue };
        let mut before = waiting.iter().map(|state| steps_before_wait(cx, state, local));
        let Some(first) = before.next().flatten() else { continue };
        if before.any(|other| other != Some(first)) {
            continue;
        }
        let Ok(start) = u32::try_from(*start) else { continue };
        let by_use = || integer_type(cx, place).or_else(|| compared(cx, local));
        let ty = Some(suffix.clone()).filter(|suffix| !suffix.is_empty()).or_else(by_use);
        let counter = Counter { name: name.clone(), ty: ty.unwrap_or_default(), first: start + first };
        found.get_or_insert(counter);
    }
    found
}

/// Assignments `n += 1` in a loop whose variable nothing else there assigns.
fn steps_in(cx: &Context<'_>, id: ExprId) -> Vec<(ExprId, Local)> {
    let mut steps: Vec<(ExprId, Local)> = Vec::new();
    let mut others: Vec<Local> = Vec::new();
    cx.body.walk(id, &mut |at| {
        match &cx.body.expr(at).kind {
            ExprKind::AssignOp(BinOp::Add, left, right) if is_one(cx, *right) => {
                steps.extend(cx.body.local(*left).map(|local| (*left, local)));
            }
            ExprKind::AssignOp(_, left, _) | ExprKind::Assign(left, _) => others.extend(cx.body.local(*left)),
            _ => {}
        }
        true
    });
    steps.retain(|(_, local)| !others.contains(local));
    steps
}

fn is_one(cx: &Context<'_>, id: ExprId) -> bool {
    matches!(cx.body.expr(id).kind, ExprKind::Lit(Lit::Int(1, _)))
}

/// How often a failing trip moves a variable on before it waits; `None` where it does so not just once in all.
fn steps_before_wait(cx: &Context<'_>, trip: &State, local: Local) -> Option<u32> {
    let (mut before, mut after, mut waited) = (0, 0, false);
    for event in trip.trip_events() {
        match event {
            Event::Wait(_) => waited = true,
            Event::Assign(id) => {
                if let ExprKind::AssignOp(_, left, _) = cx.body.expr(*id).kind
                    && cx.body.local(left) == Some(local)
                {
                    *(if waited { &mut after } else { &mut before }) += 1;
                }
            }
            _ => {}
        }
    }
    (waited && before + after == 1).then_some(before)
}

/// The type of what a variable is compared with, or that of a parameter that it is given to.
fn compared(cx: &Context<'_>, local: Local) -> Option<String> {
    cx.body.exprs().find_map(|(id, expr)| match &expr.kind {
        ExprKind::Binary(op, left, right) if op.compares() => {
            let (left, right) = (*left, *right);
            let other = if cx.body.local(left) == Some(local) { right } else { left };
            let either = [left, right].iter().any(|side| cx.body.local(*side) == Some(local));
            either.then(|| integer_type(cx, other)).flatten()
        }
        ExprKind::Method(call) if call.name.ends_with("pow") => {
            call.args.iter().any(|arg| cx.body.local(*arg) == Some(local)).then(|| "u32".to_owned())
        }
        ExprKind::Call(..) | ExprKind::Method(_) => given_to(cx, id, local),
        _ => None,
    })
}

/// The integer type of the parameter of this crate's function that a variable is given to.
fn given_to(cx: &Context<'_>, call: ExprId, local: Local) -> Option<String> {
    let at = cx.args(call).iter().position(|arg| cx.body.local(*arg) == Some(local))?;
    let Callee::Own(item) = cx.callee(call) else { return None };
    let inner = cx.inside(item)?;
    let ty = inner.body.params.get(at.checked_sub(cx.receivers(call, &inner)?)?)?.ty.as_ref()?;
    INTEGERS.contains(&ty.name()).then(|| ty.name().to_owned())
}

/// The integer type of an expression, where it is written somewhere.
pub(super) fn integer_type(cx: &Context<'_>, id: ExprId) -> Option<String> {
    let ty = cx.type_of(id)?;
    INTEGERS.contains(&ty.name()).then(|| ty.name().to_owned())
}

/// What becomes of trips on which what failed elsewhere succeeded.
/// Of a connection that is kept alive, that it was made is the success, whatever fails in it later.
fn success(
    cx: &Context<'_>,
    id: ExprId,
    record: &LoopRecord,
    failing: &[&State],
    connects: Option<Op>,
    retries: bool,
) -> Success {
    let ops: Vec<Op> = match connects {
        Some(op) => vec![op],
        None => failing.iter().flat_map(|state| failed_ops(state)).collect(),
    };
    let worked = |state: &&State| {
        let of = |verdict| {
            state.looked.iter().any(|look| look.verdict == verdict && ops.contains(&look.op) && !look.at_head)
        };
        // a reply that tells a failure inside is a failure, although it came
        let failed = || connects.is_none() && failing.iter().any(|trip| std::ptr::eq(*trip, *state));
        of(Verdict::Success) && !of(Verdict::Failure) && !failed()
    };
    // of a retry what waits and tries again is no success: that one leaves
    let backs: Vec<&State> =
        record.backs.iter().filter(worked).filter(|state| !retries || state.waits.is_empty()).collect();
    if backs.is_empty() {
        // what is never left goes on after a success as well, wherever that is told
        return if record.exits.is_empty() { Success::Unseen } else { Success::Leaves };
    }
    // a wait that comes only after a success is never longer than the first: what would double is set back before
    let begun = |state: &&State| {
        state.looked.iter().any(|look| look.verdict == Verdict::Success && connects == Some(look.op))
    };
    let never_grows = |wait: &ExprId| failing.iter().filter(|state| state.waits.contains(wait)).all(&begun);
    if failing.iter().flat_map(|state| &state.waits).any(never_grows) {
        return Success::Unseen;
    }
    let blocks = blocks_of_success(cx, id, &ops);
    // every such trip must come through one of them, and that shows by what it binds there
    if blocks.is_empty() { Success::Unseen } else { Success::GoesOn(blocks) }
}

/// The arms and blocks that are entered with the operation's error and do not leave.
fn failures(cx: &Context<'_>, id: ExprId, failing: &[&State], main: Option<Op>) -> Vec<FailureAt> {
    let ops: Vec<Op> = failing.iter().flat_map(|state| failed_ops(state)).collect();
    let krate = main.and_then(|op| crate_of(cx, op));
    let gives = cx.body.ret.as_ref().and_then(|ret| error_crate(cx, ret));
    let same_error = krate.is_some() && krate == gives;
    let mut found = Vec::new();
    let mut add = |pat, body: ExprId, is_arm| {
        let Some(error) = error_name(cx, pat).filter(|_| !leaves(cx, body)) else { return };
        let pattern = cx.krate.file(cx.at).map(|file| file.place(cx.body.pat(pat).span));
        if let (Some(body), Some(pattern)) = (cx.place(body), pattern) {
            found.push(FailureAt { body, pattern, is_arm, error, krate: krate.clone(), same_error });
        }
    };
    cx.body.walk(id, &mut |at| {
        match &cx.body.expr(at).kind {
            ExprKind::Match(value, arms) if is_of(cx, *value, &ops) => {
                for arm in arms.iter().filter(|arm| arm.guard.is_none()) {
                    add(arm.pat, arm.body, true);
                }
            }
            ExprKind::If { cond, then, .. } => {
                if let ExprKind::Let(pat, value) = cx.body.expr(*cond).kind
                    && is_of(cx, value, &ops)
                {
                    add(pat, *then, false);
                }
            }
            _ => {}
        }
        !is_inner(cx, id, at)
    });
    found
}

/// The variables of a loop that hold the reply of an operation that failed by what it answered.
fn replies(cx: &Context<'_>, id: ExprId, failing: &[&State], main: Option<Op>) -> Vec<ReplyAt> {
    let mut ops: Vec<Op> =
        failing.iter().flat_map(|state| state.looked.iter().map(|look| look.op)).chain(main).collect();
    ops.sort_unstable();
    ops.dedup();
    let mut found: Vec<ReplyAt> = Vec::new();
    let mut add = |pat: PatId, value: ExprId, whole: bool| {
        let at = reply_of(cx, value, whole);
        let Some(krate) = ops.iter().find(|op| **op == at).and_then(|op| crate_of(cx, *op)) else { return };
        let inside = match &cx.body.pat(pat).kind {
            PatKind::TupleStruct(path, inside) if !whole && path.last() == "Ok" => inside.first().copied(),
            PatKind::Bind { .. } if whole => Some(pat),
            _ => None,
        };
        let Some(bound) = inside else { return };
        let PatKind::Bind { name, sub: None, .. } = &cx.body.pat(bound).kind else { return };
        let place = cx.krate.file(cx.at).map(|file| file.place(cx.body.pat(bound).span));
        found.extend(place.map(|bound| ReplyAt { bound, name: name.clone(), krate }));
    };
    cx.body.walk(id, &mut |at| {
        match &cx.body.expr(at).kind {
            ExprKind::Match(value, arms) => arms.iter().for_each(|arm| add(arm.pat, *value, false)),
            ExprKind::Let(pat, value) => add(*pat, *value, false),
            ExprKind::Block(block) => {
                for stmt in &block.stmts {
                    if let Stmt::Let { pat, init: Some(init), otherwise, .. } = stmt {
                        add(*pat, *init, otherwise.is_none());
                    }
                }
            }
            _ => {}
        }
        !is_inner(cx, id, at)
    });
    found
}

/// The call whose reply a value is: without `.await`, and where it is the reply and no `Result` of it, without `?`.
fn reply_of(cx: &Context<'_>, value: ExprId, whole: bool) -> ExprId {
    let mut at = if whole { value } else { cx.behind_name(value) };
    let mut opened = false;
    loop {
        match &cx.body.expr(at).kind {
            ExprKind::Try(inner) if whole && !opened => (at, opened) = (*inner, true),
            ExprKind::Method(call)
                if whole && !opened && matches!(call.name.as_str(), "unwrap" | "expect") =>
            {
                (at, opened) = (call.receiver, true);
            }
            ExprKind::Await(inner) => at = *inner,
            // a `Result` that is bound as it is
            _ if whole && !opened => return value,
            _ => return at,
        }
    }
}

/// What `Err(name)` binds.
fn error_name(cx: &Context<'_>, pat: PatId) -> Option<String> {
    let PatKind::TupleStruct(path, inside) = &cx.body.pat(pat).kind else { return None };
    let [only] = inside.as_slice() else { return None };
    match &cx.body.pat(*only).kind {
        _ if path.last() != "Err" => None,
        PatKind::Bind { name, sub: None, .. } => Some(name.clone()),
        PatKind::Wild => Some("_".to_owned()),
        _ => None,
    }
}

/// Whether a block ends by leaving.
fn leaves(cx: &Context<'_>, body: ExprId) -> bool {
    let last = match cx.body.block(body) {
        Some(block) => block.tail.or(match block.stmts.last() {
            Some(Stmt::Expr(last)) => Some(*last),
            _ => None,
        }),
        None => Some(body),
    };
    last.is_some_and(|last| {
        matches!(cx.body.expr(last).kind, ExprKind::Return(_) | ExprKind::Break(..))
            || matches!(cx.role(last), Some(Role::Diverge | Role::Bail { .. }))
    })
}

/// The crate whose call an operation is.
fn crate_of(cx: &Context<'_>, op: Op) -> Option<String> {
    let path = match &cx.body.expr(op).kind {
        ExprKind::Method(call) => cx.type_of(call.receiver).or_else(|| cx.type_of(cx.chain_root(op)))?.path,
        ExprKind::Call(callee, _) => match &cx.body.expr(*callee).kind {
            ExprKind::Path(path) => match cx.krate.path(cx.at, &path.segments) {
                Target::External(full) => full,
                _ => return None,
            },
            _ => return None,
        },
        _ => return None,
    };
    path.first().filter(|first| *first != "crate").cloned()
}

/// The crate of the errors that a type gives: of `Result<T, a::Error>` and `a::Result<T>`.
fn error_crate(cx: &Context<'_>, ret: &Ty) -> Option<String> {
    let named = if ret.args.len() == 2 { ret.args.get(1)? } else { ret };
    match cx.krate.path(cx.at, &named.path) {
        Target::External(full) => full.first().cloned(),
        _ => None,
    }
}

/// Whether a value is what one of these operations gave, also behind a name.
fn is_of(cx: &Context<'_>, value: ExprId, ops: &[Op]) -> bool {
    let value = cx.behind_name(value);
    ops.iter().any(|op| cx.body.expr(value).span.contains(cx.body.expr(*op).span))
}

/// What an inner loop or task does is its own business.
fn is_inner(cx: &Context<'_>, looped: ExprId, at: ExprId) -> bool {
    let kind = &cx.body.expr(at).kind;
    at != looped && (kind.is_loop() || matches!(kind, ExprKind::Closure { .. }))
}

/// The blocks that are entered when one of these operations succeeded: `Ok(..) => { … }`, `if let Ok(..) = op { … }`.
fn blocks_of_success(cx: &Context<'_>, id: ExprId, ops: &[Op]) -> Vec<Place> {
    let mut found = Vec::new();
    cx.body.walk(id, &mut |at| {
        match &cx.body.expr(at).kind {
            ExprKind::Match(value, arms) if is_of(cx, *value, ops) => {
                let succeed = arms.iter().filter(|arm| tells_success(cx, arm.pat, *value));
                found.extend(succeed.map(|arm| arm.body));
            }
            ExprKind::If { cond, then, .. } => {
                if let ExprKind::Let(pat, value) = cx.body.expr(*cond).kind
                    && tells_success(cx, pat, value)
                    && is_of(cx, value, ops)
                {
                    found.push(*then);
                }
            }
            _ => {}
        }
        !is_inner(cx, id, at)
    });
    // what leaves begins nothing anew
    found.into_iter().filter(|block| !leaves(cx, *block)).filter_map(|block| cx.place(block)).collect()
}

/// Whether a pattern takes nothing but successes. `Ok(Err(_))` is the failure that a time limit lets through, and of `Ok(result)` behind one
/// nobody can tell.
fn tells_success(cx: &Context<'_>, pat: PatId, value: ExprId) -> bool {
    let PatKind::TupleStruct(path, inside) = &cx.body.pat(pat).kind else { return false };
    let mut call = cx.behind_name(value);
    while let ExprKind::Await(inner) = cx.body.expr(call).kind {
        call = inner;
    }
    let limited = matches!(cx.role(call), Some(Role::Timeout { .. }));
    let opened = inside.iter().all(|inner| cx.body.variant(*inner).is_some());
    matches!(path.last(), "Ok" | "Some")
        && (opened || !limited)
        && !inside.iter().any(|inner| tells_failure(cx, *inner))
}

/// Whether a pattern takes a failure somewhere inside.
fn tells_failure(cx: &Context<'_>, pat: PatId) -> bool {
    match &cx.body.pat(pat).kind {
        PatKind::TupleStruct(path, inside) => {
            path.last() == "Err" || inside.iter().any(|inner| tells_failure(cx, *inner))
        }
        PatKind::Or(either) => either.iter().any(|one| tells_failure(cx, *one)),
        _ => false,
    }
}
