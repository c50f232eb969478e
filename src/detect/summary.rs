//! What calling a function of the crate amounts to: does it wait, can it fail, does it reach a remote side, what does it test.
//! Read from its body and those it calls, a limited number of calls deep, so that recursion ends and no order of questions matters.

use super::context::{Callee, Context};
use super::remote;
use super::statuses;
use crate::body::{
    BinOp, Body, ExprId, ExprKind, MacroInput, PatId, PatKind, Signature, Span, TyShape, UnOp,
};
use crate::knowledge::{Role, Words, is_one_of, parts, says};
use crate::resolve::ItemRef;

/// Calls are followed this deep. The sketch of the algorithm found nothing more beyond six.
pub(crate) const MOST_CALLS: u32 = 6;

/// What calling a function amounts to.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools)]
pub(crate) struct Summary {
    /// It waits, and does nothing else that matters: its delay is the caller's delay.
    pub(crate) is_wait: bool,
    /// A wait somewhere in it, by its call, in its own body.
    pub(crate) wait: Option<ExprId>,
    /// It, or what it calls, retries something by itself and waits in between.
    pub(crate) retries: bool,
    /// It tries something in a loop, and waits then: its delays are its own, and no caller's.
    pub(crate) paces_itself: bool,
    /// It gives a `Result` or an `Option`, or its type is unknown.
    pub(crate) fallible: bool,
    /// It gives a bool.
    pub(crate) gives_bool: bool,
    /// `async`, or gives a future.
    pub(crate) is_async: bool,
    /// It reaches a remote side: known to, known not to.
    pub(crate) remote: Option<bool>,
    /// It may run bodies of which some reach a remote side, and some stay on the machine.
    pub(crate) stays_with_some: bool,
    /// It takes `&mut self` and assigns a field of it.
    pub(crate) mutates: bool,
    /// It assigns through a parameter that it is lent: `*delay *= 2`.
    pub(crate) changes_lent: bool,
    /// It never returns.
    pub(crate) diverges: bool,
    /// It is true for these statuses.
    pub(crate) statuses: Option<Vec<(u16, u16)>>,
    /// It reads a server's hint and gives it.
    pub(crate) hint: bool,
    /// It only logs or counts.
    pub(crate) only_logs: bool,
    /// How many calls deep one must follow to know all this.
    pub(crate) height: u32,
    /// Remote calls in it, by itself or by what it calls.
    pub(crate) remote_calls: u32,
    /// Of those the ones that only take what comes.
    pub(crate) received: u32,
    /// It calls a parameter in a loop: an engine that retries what it is given.
    pub(crate) drives_operand: bool,
    /// The variants, `None` among them, by which it says that what it called failed.
    pub(crate) fails_as: Vec<String>,
    /// It holds a loop or policy of its own that waits.
    pub(crate) loops: bool,
    /// It, or what it calls, looks at HTTP statuses or has them made errors.
    pub(crate) tells_status: bool,
}

impl Summary {
    /// Whether it waits at all, in its own body or in a retry that it calls.
    pub(crate) fn waits_somewhere(&self) -> bool {
        self.wait.is_some() || self.retries
    }

    /// Whether all that it does with a remote side is to take what comes from there.
    pub(crate) fn only_receives(&self) -> bool {
        self.received > 0 && self.received == self.remote_calls
    }
}

/// Summary of a function of the same crate.
pub(crate) fn summary(cx: &Context<'_>, item: ItemRef) -> Summary {
    summary_at(cx, item, MOST_CALLS)
}

/// Summary with this many more calls to follow.
pub(crate) fn summary_at(cx: &Context<'_>, item: ItemRef, left: u32) -> Summary {
    if left == 0 {
        cx.deepest.set(BOTTOMLESS);
        return Summary { fallible: true, height: BOTTOMLESS, ..Summary::default() };
    }
    let summary = cx.memo.summary(item, left, || compute(cx, item, left));
    cx.deepest.set(cx.deepest.get().max(summary.height));
    summary
}

/// Whether a name says that its call waits, and nothing else.
pub(crate) fn is_named_sleep(words: &Words, name: &str) -> bool {
    let parts = parts(name);
    // `sleep_duration(n)` computes, it does not wait
    let computes = parts.len() > 1
        && parts
            .last()
            .is_some_and(|last| matches!(last.as_str(), "duration" | "time" | "period" | "secs" | "seconds"));
    !computes && parts.first().is_some_and(|part| is_one_of(&words.sleep, part))
}

/// Whether a name speaks of a wait and of no request. `sleep_before_reconnect`: the remote word tells the occasion.
fn speaks_of_waiting(words: &Words, name: &str) -> bool {
    says(&words.delay, name) && !says(&words.remote, name) || is_named_sleep(words, name)
}

/// `read_and_sleep`: the wait is what it ends with, whatever else it looks after meanwhile.
fn ends_in_sleep(words: &Words, name: &str) -> bool {
    let parts = parts(name);
    parts.len() > 1 && parts.last().is_some_and(|part| is_one_of(&words.sleep, part) && part != "delay")
}

/// Height of a summary that came to the end of what it may follow.
const BOTTOMLESS: u32 = u32::MAX - 1;

fn compute(cx: &Context<'_>, item: ItemRef, left: u32) -> Summary {
    let words = cx.words();
    let Some(cx) = cx.inside(item) else {
        // a trait's method without a body: its name is all there is
        let name = cx.krate.item(item).map_or("", |item| item.name.as_str());
        let bodies = cx.krate.implementations(item).into_iter().take(8);
        let bodies: Vec<Summary> = bodies.map(|body| summary_at(cx, body, left - 1)).collect();
        let tallest = bodies.iter().map(|body| body.height).max();
        return Summary {
            fallible: true,
            // `fn delay(&self, attempt: u32) -> Duration` says how long, and waits for nobody
            is_wait: is_named_sleep(words, name) && !gives_a_number(cx.krate.signature(item)),
            tells_status: bodies.iter().any(|body| body.tells_status),
            // that all stay here shows nothing: others may implement it too
            remote: bodies.iter().any(|body| body.remote == Some(true)).then_some(true),
            stays_with_some: bodies.iter().any(|body| body.remote == Some(false) || body.stays_with_some),
            height: tallest.map_or(0, |height| height.saturating_add(1).min(BOTTOMLESS)),
            ..Summary::default()
        };
    };
    // a function that comes back to itself makes its summary inside its summary
    let outer = cx.deepest.replace(0);
    let mut made = read(&cx, item, left);
    made.paces_itself = made.wait.is_some_and(|wait| tries_before(&cx, wait, left));
    let deepest = cx.deepest.replace(outer);
    Summary { height: if deepest == BOTTOMLESS { BOTTOMLESS } else { deepest + 1 }, ..made }
}

fn gives_a_number(head: Option<&Signature>) -> bool {
    let Some(ret) = head.and_then(|head| head.ret.as_ref()) else { return false };
    let given = ret.args.first().filter(|_| ret.name() == "Option").unwrap_or(ret);
    given.name().ends_with("Duration")
        || matches!(given.name(), "u32" | "u64" | "u128" | "usize" | "f32" | "f64")
}

/// What a function says of itself before its body is read.
fn declared(body: &Body) -> Summary {
    let ret = body.ret.as_ref();
    Summary {
        is_async: body.is_async || ret.is_some_and(|ty| ty.name().contains("Future") || ty.name() == "Pin"),
        fallible: ret.is_some_and(|ty| {
            matches!(ty.name(), "Result" | "Option" | "ControlFlow")
                || ty.name().ends_with("Result")
                || ty.shape == TyShape::Impl
        }),
        gives_bool: ret.is_some_and(|ty| ty.path.len() == 1 && ty.name() == "bool"),
        ..Summary::default()
    }
}

fn read(cx: &Context<'_>, item: ItemRef, left: u32) -> Summary {
    let body = cx.body;
    let name = cx.krate.item(item).map_or("", |item| item.name.as_str());
    let ret = body.ret.as_ref();
    let mut made = declared(body);
    let mut other_work = false;
    let mut logs = 0u32;
    let mut calls = 0u32;
    // a channel's `subscribe` is called like a client's
    let mut remote_by_name = 0u32;
    body.walk(body.root, &mut |id| {
        match &body.expr(id).kind {
            ExprKind::Loop { .. } | ExprKind::While { .. } | ExprKind::For { .. } => made.loops = true,
            ExprKind::Assign(left, _) | ExprKind::AssignOp(_, left, _) => {
                made.mutates |=
                    body.receiver == Some(crate::body::Receiver::Mut) && cx.field_path(*left).is_some();
            }
            ExprKind::Call(..) | ExprKind::Method(_) | ExprKind::Macro(_) => {
                let callee = cx.callee(id);
                calls += 1;
                made.tells_status |= speaks_of_statuses(cx, id);
                made.retries |= retries_work(cx, id);
                match &callee {
                    Callee::Known(entry, certain) => match &entry.role {
                        Role::Wait { event: false, .. } => made.wait = made.wait.or(Some(id)),
                        Role::Log => logs += 1,
                        Role::Remote { .. } | Role::Accept => {
                            other_work = true;
                            made.remote_calls += 1;
                            made.received +=
                                u32::from(matches!(entry.role, Role::Remote { receives: true, .. }));
                            remote_by_name += u32::from(!certain);
                        }
                        Role::Guard | Role::Event => other_work = true,
                        Role::Hint => made.hint = true,
                        Role::Spawn | Role::Later { .. } => {
                            other_work = true;
                            return false;
                        }
                        _ => {}
                    },
                    Callee::Own(inner) if *inner != item => {
                        let inner = summary_at(cx, *inner, left - 1);
                        made.tells_status |= inner.tells_status;
                        made.retries |=
                            inner.retries || inner.loops && inner.wait.is_some() && !inner.is_wait;
                        if inner.is_wait {
                            made.wait = made.wait.or(Some(id));
                        } else if inner.remote == Some(true) || inner.loops && inner.wait.is_some() {
                            other_work = true;
                            made.remote_calls += u32::from(inner.remote == Some(true));
                            made.received += u32::from(inner.remote == Some(true) && inner.only_receives());
                        } else if inner.only_logs {
                            logs += 1;
                        }
                    }
                    Callee::Operand(_) => {
                        other_work = true;
                        made.drives_operand |= cx.loop_around(id).is_some();
                    }
                    Callee::Unknown | Callee::Foreign(_) if cx.is_awaited(id) => {
                        // an awaited call that nobody knows may be the very operation
                        other_work |=
                            !matches!(body.expr(id).kind, ExprKind::Macro(_)) && !is_pinned_sleep(cx, id);
                    }
                    _ => {}
                }
                if let ExprKind::Macro(call) = &body.expr(id).kind
                    && matches!(call.input, MacroInput::Words(_))
                {
                    other_work |= call.path.last() != "format_args" && callee.role().is_none();
                }
            }
            _ => {}
        }
        true
    });
    // a name that says so: what else it does (watch for a stop signal, log) is beside the point
    let takes_time =
        body.params.iter().any(|param| param.ty.as_ref().is_some_and(|ty| ty.name() == "Duration"));
    let speaks = speaks_of_waiting(cx.words(), name);
    let named = speaks && made.remote_calls == 0
        || speaks && takes_time && !made.loops && made.remote_calls == remote_by_name;
    made.is_wait = made.wait.is_some() && (named || !other_work && !made.loops)
        || takes_time && ends_in_sleep(cx.words(), name);
    made.only_logs =
        calls > 0 && logs > 0 && made.wait.is_none() && !other_work && !made.fallible && ret.is_none();
    made.hint =
        (made.hint || says(&cx.words().hint, name)) && made.wait.is_none() && !other_work && ret.is_some();
    made.diverges = ret.is_some_and(|ty| ty.shape == TyShape::Other) && never_returns(cx, body.root);
    if made.gives_bool {
        made.statuses = predicate_statuses(cx, body.root, 0).filter(|ranges| !ranges.is_empty());
    }
    if ret.is_some() && !made.gives_bool {
        made.fails_as = super::fails_as::fails_as(cx, left);
    }
    made.remote = remote::of_function(cx, left);
    made.changes_lent = changes_lent(cx, item, left);
    made
}

/// Whether a function assigns through a parameter, or hands it on to one that does.
fn changes_lent(cx: &Context<'_>, item: ItemRef, left: u32) -> bool {
    cx.body.any(cx.body.root, |id| match &cx.body.expr(id).kind {
        ExprKind::Assign(place, _) | ExprKind::AssignOp(_, place, _) => is_lent(cx, *place),
        ExprKind::Call(..) | ExprKind::Method(_) => {
            cx.args(id).iter().any(|arg| hands_on(cx, *arg))
                && matches!(cx.callee(id), Callee::Own(inner)
                    if inner != item && summary_at(cx, inner, left - 1).changes_lent)
        }
        _ => false,
    })
}

/// Whether a place is its caller's: behind a parameter that is a reference.
fn is_lent(cx: &Context<'_>, place: ExprId) -> bool {
    let mut base = place;
    let mut behind = false;
    loop {
        base = match &cx.body.expr(base).kind {
            ExprKind::Field(inner, _) | ExprKind::Index(inner, _) => *inner,
            ExprKind::Unary(UnOp::Deref, inner) => {
                behind = true;
                *inner
            }
            _ => break,
        };
    }
    let Some(local) = cx.body.local(base) else { return false };
    // `state.delay = …` of a parameter that is its own variable changes nothing outside
    let own = base == place || matches!(cx.body.pat(local).kind, PatKind::Bind { mutable: true, .. });
    cx.body.param(local).is_some() && (behind || !own)
}

/// Whether an argument is what the caller lent, or a part of it.
fn hands_on(cx: &Context<'_>, arg: ExprId) -> bool {
    let is_param = |local| cx.body.param(local).is_some();
    cx.body.local(arg).is_some_and(is_param) || cx.lent_place(arg).is_some_and(|place| is_lent(cx, place))
}

/// Whether the loop around a wait tries something before it.
fn tries_before(cx: &Context<'_>, wait: ExprId, left: u32) -> bool {
    let start = cx.body.expr(wait).span.start;
    cx.loop_around(wait).is_some_and(|looped| asks_something(cx, looped, left, |call| call.end <= start))
}

/// Whether something that may fail is asked at such a place within an expression.
pub(super) fn asks_something(
    cx: &Context<'_>,
    within: ExprId,
    left: u32,
    place: impl Fn(Span) -> bool,
) -> bool {
    cx.body.any(within, |id| {
        matches!(cx.body.expr(id).kind, ExprKind::Call(..) | ExprKind::Method(_))
            && place(cx.body.expr(id).span)
            && match cx.callee(id) {
                Callee::Own(item) => {
                    let asked = summary_at(cx, item, left - 1);
                    asked.wait.is_none() && asked.fallible
                }
                Callee::Known(entry, _) => matches!(entry.role, Role::Remote { .. }),
                Callee::Operand(_) => true,
                Callee::Unknown | Callee::Foreign(_) | Callee::Closure(_) => cx.is_awaited(id),
            }
    })
}

/// `retry(|| …)`: a call that is named so, and is given what to do.
fn retries_work(cx: &Context<'_>, call: ExprId) -> bool {
    says(&cx.words().retry, cx.call_name(call)) && cx.args(call).iter().any(|arg| cx.is_work(*arg))
}

fn speaks_of_statuses(cx: &Context<'_>, call: ExprId) -> bool {
    match cx.role(call) {
        Some(Role::Status) => true,
        Some(Role::Predicate { statuses, .. }) => !statuses.is_empty(),
        _ => super::refusals::makes_errors(cx, call) || super::refusals::is_sent_by_raising_client(cx, call),
    }
}

fn is_pinned_sleep(cx: &Context<'_>, id: ExprId) -> bool {
    matches!(cx.call_name(id), "as_mut" | "pin" | "reset" | "into_inner")
}

fn never_returns(cx: &Context<'_>, root: ExprId) -> bool {
    cx.body.any(root, |id| matches!(cx.role(id), Some(Role::Diverge)))
}

/// The statuses for which a condition over one status is true: `s.is_server_error() || s == 429`, `matches!(s, 500..=599)`.
pub(crate) fn predicate_statuses(cx: &Context<'_>, id: ExprId, depth: u32) -> Option<Vec<(u16, u16)>> {
    if depth > 12 {
        return None;
    }
    let go = |id: ExprId| predicate_statuses(cx, id, depth + 1);
    match &cx.body.expr(id).kind {
        ExprKind::Block(block) => {
            let tail = block.tail?;
            go(tail)
        }
        ExprKind::Binary(BinOp::Or, left, right) => match (go(*left), go(*right)) {
            (Some(mut one), Some(other)) => {
                one.extend(other);
                Some(one)
            }
            _ => None,
        },
        ExprKind::Binary(op @ (BinOp::Eq | BinOp::Ge | BinOp::Gt | BinOp::Lt | BinOp::Le), left, right) => {
            if !speaks_of_status(cx, *left) {
                return None;
            }
            let code = statuses::status_of(cx, *right)?;
            Some(match op {
                BinOp::Eq => vec![(code, code)],
                BinOp::Ge => vec![(code, 599)],
                BinOp::Gt => vec![(code + 1, 599)],
                BinOp::Lt => vec![(100, code - 1)],
                _ => vec![(100, code)],
            })
        }
        ExprKind::Binary(BinOp::And, left, right) => {
            let (one, other) = (go(*left)?, go(*right)?);
            let mut both = Vec::new();
            for (a, b) in &one {
                for (c, d) in &other {
                    if a.max(c) <= b.min(d) {
                        both.push((*a.max(c), *b.min(d)));
                    }
                }
            }
            Some(both)
        }
        ExprKind::Method(call) => match cx.role(id) {
            Some(Role::Predicate { statuses, .. }) if !statuses.is_empty() => {
                Some(statuses::ranges(statuses).collect())
            }
            _ if call.name == "contains" && call.args.len() == 1 => listed_statuses(cx, call.receiver),
            _ => None,
        },
        ExprKind::Macro(call) => match &call.input {
            MacroInput::Matches { value, pat, guard: None } if speaks_of_status(cx, *value) => {
                pattern_statuses(cx, *pat)
            }
            _ => None,
        },
        ExprKind::Match(value, arms) if speaks_of_status(cx, *value) => {
            let mut ranges = Vec::new();
            for arm in arms {
                if let ExprKind::Lit(crate::body::Lit::Bool(true)) = cx.body.expr(arm.body).kind {
                    ranges.extend(pattern_statuses(cx, arm.pat)?);
                }
            }
            Some(ranges)
        }
        _ => None,
    }
}

fn speaks_of_status(cx: &Context<'_>, id: ExprId) -> bool {
    cx.body.any(id, |inner| match &cx.body.expr(inner).kind {
        ExprKind::Path(path) => {
            parts(path.last()).iter().any(|part| part.starts_with("status") || part == "code")
        }
        ExprKind::Field(_, name) => name.contains("status"),
        ExprKind::Method(_) => matches!(cx.role(inner), Some(Role::Status)),
        _ => false,
    })
}

/// The statuses that a pattern accepts; `None` where one of its parts is no status.
pub(crate) fn pattern_statuses(cx: &Context<'_>, pat: PatId) -> Option<Vec<(u16, u16)>> {
    match &cx.body.pat(pat).kind {
        PatKind::Or(pats) => {
            let mut all = Vec::new();
            for pat in pats {
                all.extend(pattern_statuses(cx, *pat)?);
            }
            Some(all)
        }
        PatKind::Lit(lit) => statuses::status_of(cx, *lit).map(|code| vec![(code, code)]),
        PatKind::Path(path) => statuses::status_named(path).map(|code| vec![(code, code)]),
        PatKind::TupleStruct(_, subs) => match subs.as_slice() {
            [sub] => pattern_statuses(cx, *sub),
            _ => None,
        },
        PatKind::Range { start, end, inclusive } => {
            let from = start.and_then(|id| statuses::status_of(cx, id)).unwrap_or(100);
            let to =
                end.map_or(Some(599), |id| number(cx, id).map(|to| if *inclusive { to } else { to - 1 }))?;
            Some(vec![(from, to)])
        }
        _ => None,
    }
}

/// Whether a pattern, or one inside it, accepts such statuses.
pub(crate) fn in_pattern(cx: &Context<'_>, pat: PatId, is: impl Fn(&[(u16, u16)]) -> bool) -> bool {
    let mut found = false;
    cx.body.walk_pat(pat, &mut |at| {
        found |= pattern_statuses(cx, at).is_some_and(|ranges| is(&ranges));
    });
    found
}

fn number(cx: &Context<'_>, id: ExprId) -> Option<u16> {
    match &cx.body.expr(id).kind {
        ExprKind::Lit(crate::body::Lit::Int(value, _)) => {
            u16::try_from(*value).ok().filter(|value| *value > 0)
        }
        _ => None,
    }
}

/// The statuses of a written list or constant list.
pub(crate) fn listed_statuses(cx: &Context<'_>, id: ExprId) -> Option<Vec<(u16, u16)>> {
    match &cx.body.expr(id).kind {
        ExprKind::Array(items) => {
            items.iter().map(|item| statuses::status_of(cx, *item).map(|code| (code, code))).collect()
        }
        ExprKind::Ref(inner) => listed_statuses(cx, *inner),
        ExprKind::Range { start: Some(start), end: Some(end), inclusive } => {
            let (from, to) = (statuses::status_of(cx, *start)?, number(cx, *end)?);
            Some(vec![(from, if *inclusive { to } else { to - 1 })])
        }
        ExprKind::Path(path) => {
            let crate::resolve::Target::Item(item) = cx.krate.path(cx.at, &path.segments) else {
                return None;
            };
            let inner = cx.inside(item).filter(|_| item != cx.at)?;
            listed_statuses(&inner, inner.body.root)
        }
        _ => None,
    }
}
