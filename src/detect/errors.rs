//! Which errors go round again: all of them, those of some kinds, those of some statuses; and whether some of them cannot go away.

use super::context::{Callee, Context};
use super::flow::{Followed, Op, State, Tag, Test, Verdict};
use super::reads::asked_of;
use super::remote;
use super::statuses::PASSING_4XX;
use crate::body::{ExprId, ExprKind, Span, Ty};
use crate::knowledge::{LocalKind, Role, says};
use crate::model::{ErrorKind, Errors, Evidence, Fact};
use crate::resolve::Target;
use crate::source::ItemKind;

/// Reads which errors the failing trips try again.
pub(crate) fn errors(
    cx: &Context<'_>,
    followed: &Followed,
    failing: &[&State],
    left: &[&State],
    ops: &[Op],
    hint: bool,
) -> Errors {
    let mut made = Errors::default();
    let tested =
        |state: &State| {
            state.conds.iter().any(|(cond, _)| {
                matches!(asked_of(followed, ops, *cond), Some(Test::About | Test::Transient))
            }) || !state.arms.is_empty()
        };
    let by_status = failing.iter().any(|state| state.codes.is_some());
    let status_place =
        failing.iter().flat_map(|state| &state.conds).find_map(|(cond, _)| match followed.tests.get(cond) {
            Some((_, Test::Status(_))) => Some(*cond),
            _ => None,
        });
    let untested: Vec<&&State> =
        failing.iter().filter(|state| !tested(state) && state.codes.is_none()).collect();
    made.kind = if by_status {
        Fact::Known(
            ErrorKind::Status,
            status_place
                .map_or_else(Evidence::default, |cond| cx.evidence(cond, "statuses are told apart here")),
        )
    } else if !untested.is_empty() {
        // one untested way round takes every error, whatever the others do: unless all of it was tested before
        // nor where some failure leaves by what it is
        let told_apart = left.iter().any(|state| {
            tested(state)
                && state.looked.iter().any(|look| ops.contains(&look.op) && look.verdict == Verdict::Failure)
        });
        if failing.iter().all(|state| !tested(state)) && !told_apart {
            Fact::Known(
                ErrorKind::All,
                ops.first()
                    .map_or_else(Evidence::default, |op| cx.evidence(*op, "any error of this goes round")),
            )
        } else {
            Fact::Unknown
        }
    } else {
        Fact::Known(ErrorKind::Classified, Evidence::default())
    };
    made.retries_4xx = retries_4xx(cx, followed, failing, ops, status_place);
    if made.kind.is(&ErrorKind::All) {
        made.retries_permanent = permanent(cx, ops);
    }
    if hint {
        made.honours_retry_after = Fact::known(true);
    }
    made
}

fn retries_4xx(
    cx: &Context<'_>,
    followed: &Followed,
    failing: &[&State],
    ops: &[Op],
    place: Option<ExprId>,
) -> Fact<bool> {
    let mut tested = false;
    for state in failing {
        let bad =
            state.looked.iter().any(|look| look.tag == Tag::BadStatus && look.verdict == Verdict::Failure);
        let Some((_, codes)) = state.codes.as_ref().filter(|_| bad) else { continue };
        // another test of the same outcome may rule them out: which, nobody sees
        let more = state
            .conds
            .iter()
            .any(|(cond, _)| matches!(asked_of(followed, ops, *cond), Some(Test::About | Test::Transient)));
        if more {
            continue;
        }
        tested = true;
        let permanent = (400..=499u16)
            .filter(|code| !PASSING_4XX.contains(code))
            .filter(|code| codes.iter().any(|(from, to)| from <= code && code <= to))
            .count();
        // one odd status beside 429 may be a service's own word for "later": 409, 423; a range of them is not
        if permanent > 2 {
            let evidence = place
                .map_or_else(Evidence::default, |cond| cx.evidence(cond, "client errors pass this test"));
            return Fact::Known(true, evidence);
        }
    }
    // statuses made errors, and every error tried again
    let all = failing.iter().all(|state| state.codes.is_none() && state.arms.is_empty());
    if all
        && failing.iter().any(|state| state.conds.is_empty() || !state.looked.is_empty())
        && let Some(raised) =
            ops.iter().find_map(|op| raises_status(cx, *op, 1).or_else(|| callers_raise(cx, *op)))
    {
        let untested =
            failing.iter().any(|state| state.conds.iter().all(|(cond, _)| !speaks_of_error(cx, *cond)));
        if untested {
            return Fact::Known(true, cx.evidence(raised, "makes 4xx errors, and every error goes round"));
        }
    }
    if tested { Fact::known(false) } else { Fact::Unknown }
}

fn speaks_of_error(cx: &Context<'_>, cond: ExprId) -> bool {
    let mut found = false;
    cx.body.walk(cond, &mut |id| {
        if let ExprKind::Path(path) = &cx.body.expr(id).kind {
            found |= path.single().is_some_and(|name| matches!(name, "e" | "err" | "error"));
        }
        !found
    });
    found
}

/// The operation's own call where it, or a function that it calls, turns statuses into errors.
fn raises_status(cx: &Context<'_>, op: Op, left: u32) -> Option<ExprId> {
    let mut around = op;
    for _ in 0..8 {
        let Some(parent) = cx.parent(around) else { break };
        match &cx.body.expr(parent).kind {
            ExprKind::Method(call) if call.receiver == around => {
                if matches!(cx.role(parent), Some(Role::RaisesStatus)) {
                    return Some(parent);
                }
            }
            ExprKind::Await(_) | ExprKind::Try(_) => {}
            _ => break,
        }
        around = parent;
    }
    inner_raises(cx, op, left).then_some(op)
}

/// A macro's operand: what its callers give it decides.
fn callers_raise(cx: &Context<'_>, op: Op) -> Option<ExprId> {
    let ExprKind::Path(_) = &cx.body.expr(op).kind else { return None };
    let raises = remote::macro_calls(cx)
        .iter()
        .any(|(caller, args)| args.iter().any(|arg| inner_raises(caller, *arg, 2)));
    raises.then_some(op)
}

fn inner_raises(cx: &Context<'_>, op: ExprId, left: u32) -> bool {
    let mut found = false;
    cx.body.walk(op, &mut |id| {
        if matches!(cx.body.expr(id).kind, ExprKind::Call(..) | ExprKind::Method(_)) {
            found |= match cx.callee(id) {
                Callee::Known(entry, _) => matches!(entry.role, Role::RaisesStatus),
                Callee::Own(item) if left > 0 && item != cx.at => {
                    cx.inside(item).is_some_and(|inner| inner_raises(&inner, inner.body.root, left - 1))
                }
                _ => false,
            };
        }
        // a macro's fragment: what its callers give is asked elsewhere
        !found
    });
    found
}

/// Whether some error of these operations cannot go away: a variant of their error type says so, or a reply is decoded inside.
fn permanent(cx: &Context<'_>, ops: &[Op]) -> Fact<bool> {
    for op in ops {
        let Callee::Own(item) = cx.callee(*op) else { continue };
        let Some(inner) = cx.inside(item) else { continue };
        if let Some(error) = inner.body.ret.as_ref().and_then(|ty| ty.args.get(1))
            && let Some(name) = permanent_variant(&inner, error)
        {
            return Fact::Known(
                true,
                cx.evidence(*op, format!("can fail with `{name}`, which no retry mends")),
            );
        }
        if decodes(&inner) {
            return Fact::Known(
                true,
                cx.evidence(*op, "decodes the reply as well: a reply of the wrong shape is fetched again"),
            );
        }
    }
    Fact::Unknown
}

fn permanent_variant(cx: &Context<'_>, error: &Ty) -> Option<String> {
    let Target::Item(item) = cx.krate.path(cx.at, &error.path) else { return None };
    if cx.krate.item(item)?.kind != ItemKind::Enum {
        return None;
    }
    let data = cx.krate.enum_data(item)?;
    data.variants.iter().map(|variant| variant.name.clone()).find(|name| says(&cx.words().permanent, name))
}

/// The same of a closure that a retry crate runs: a reply decoded in it, or in a function that it calls.
pub(crate) fn permanent_inside(cx: &Context<'_>, root: ExprId) -> Fact<bool> {
    let mut remote = Vec::new();
    let mut decoding = Vec::new();
    let mut called = Vec::new();
    cx.body.walk(root, &mut |id| {
        match cx.role(id) {
            Some(Role::Local { kind: LocalKind::Parse }) => decoding.push(id),
            Some(Role::Remote { .. }) => remote.push(cx.body.expr(id).span),
            _ if matches!(cx.callee(id), Callee::Own(_)) => called.push(id),
            _ => {}
        }
        // with an argument, the same name writes the request
        if let ExprKind::Method(call) = &cx.body.expr(id).kind
            && call.args.is_empty()
            && cx.words().decoding.contains(&call.name)
        {
            decoding.push(id);
        }
        true
    });
    // what is written before the call, or given to it, is the request
    let of_reply = |id: &ExprId| {
        let own = cx.body.expr(*id).span;
        remote.iter().any(|call| call.end < own.end) && !is_given_to(cx, *id, &remote)
    };
    match decoding.into_iter().find(of_reply) {
        Some(decoded) => Fact::Known(
            true,
            cx.evidence(decoded, "decodes the reply as well: a reply of the wrong shape is fetched again"),
        ),
        None => permanent(cx, &called),
    }
}

/// Whether an expression is an argument in a chain of calls that begins with one of these: `client.post(url).body(this)`.
fn is_given_to(cx: &Context<'_>, id: ExprId, remote: &[Span]) -> bool {
    let mut at = id;
    while let Some(parent) = cx.parent(at) {
        if let ExprKind::Method(call) = &cx.body.expr(parent).kind
            && call.receiver != at
            && remote.iter().any(|call_span| cx.body.expr(call.receiver).span.contains(*call_span))
        {
            return true;
        }
        at = parent;
    }
    false
}

fn decodes(cx: &Context<'_>) -> bool {
    let mut remote = false;
    let mut parse = false;
    cx.body.walk(cx.body.root, &mut |id| {
        match cx.role(id) {
            Some(Role::Remote { .. }) => remote = true,
            Some(Role::Local { kind: LocalKind::Parse }) => parse = true,
            _ => {}
        }
        true
    });
    remote && parse
}
