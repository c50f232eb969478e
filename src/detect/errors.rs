//! Which errors go round again: all of them, those of some kinds, those of some statuses; and whether some of them cannot go away.

use super::context::{Callee, Context};
use super::flow::{Followed, Op, State, Tag, Test, Val, Verdict};
use super::reads::{asked_of, is_about};
use super::statuses::permanent_4xx;
use super::summary::MOST_CALLS;
use super::{hints, kept, overloads, refusals, remote, unanswered};
use crate::body::{ExprId, ExprKind, PatId, PatKind, Span, Ty};
use crate::knowledge::{LocalKind, Role, says};
use crate::model::{ErrorKind, Errors, Evidence, Fact, Kind};
use crate::resolve::{ItemRef, Target, peeled};

/// Types in types that are looked into for what an error is about: the error, what it wraps, its kind, and one to spare.
const MOST_KINDS: u32 = 4;

/// Functions in which the making of a program's command is looked for, one in the other.
const MOST_MAKERS: u32 = 2;

/// Reads which errors the failing trips try again.
#[allow(clippy::too_many_arguments)]
pub(crate) fn errors(
    cx: &Context<'_>,
    followed: &Followed,
    failing: &[&State],
    left: &[&State],
    ops: &[Op],
    kind: Kind,
    hint: bool,
) -> Errors {
    let mut made = Errors::default();
    let mut decided_elsewhere = kept::is_asked_later(cx);
    let tested = |state: &State| {
        let asked = state
            .conds
            .iter()
            .any(|(cond, _)| matches!(asked_of(followed, ops, *cond), Some(Test::About | Test::Transient)));
        asked || !state.arms.is_empty() || told_by_kind(followed, state, ops).is_some()
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
        // `handle(error).await?`: what is given the error may set some apart
        let handed = failing.iter().flat_map(|state| &state.conds).any(|(cond, _)| {
            followed.tests.get(cond).is_none_or(|(op, _)| !ops.contains(op)) && speaks_of_error(cx, *cond)
        });
        // `match policy.on_error(error) { Flow::Continue(..) => …, Flow::Permanent(error) => … }`
        let decided = failing.iter().flat_map(|state| &state.looked).any(|look| {
            matches!(look.tag, Tag::Variant(_))
                && !ops.contains(&look.op)
                && cx.args(look.op).iter().any(|arg| speaks_of_error(cx, *arg))
        });
        // `Outcome::Again`: the operation itself says what is worth another try
        let says_itself = failing.iter().flat_map(|state| &state.looked).any(|look| {
            ops.contains(&look.op) && look.verdict == Verdict::Failure && matches!(look.tag, Tag::Variant(_))
        });
        decided_elsewhere |= told_apart || handed || decided;
        if failing.iter().all(|state| !tested(state)) && !decided_elsewhere && !says_itself {
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
    made.retries_4xx = retries_4xx(cx, followed, failing, left, ops, status_place);
    // who is given the error, here or on the next round, may set these apart
    if decided_elsewhere && made.retries_4xx.is(&true) {
        made.retries_4xx = Fact::Unknown;
    }
    if made.kind.is(&ErrorKind::All) {
        made.retries_permanent = match let_through(cx, followed, failing, left, ops) {
            // whoever keeps a session alive may have to wait until it is let in again
            Some(op) if kind != Kind::Reconnect && is_handshake(cx, op) => {
                Fact::Known(true, cx.evidence(op, "can be refused (4xx), which no retry mends"))
            }
            _ => permanent(cx, followed, ops),
        };
    }
    made.stale_connection =
        Fact::known(!failing.is_empty() && failing.iter().all(|state| speaks_of_stale(cx, state)));
    let ruled_out = |state: &State, op: Op| {
        moves_on(cx, state, op) || state.conds.iter().any(|(cond, _)| somebody_decides(cx, *cond))
    };
    let every_status = || {
        let all = made.kind.is(&ErrorKind::All) && made.retries_4xx.is(&true);
        ops.first().copied().filter(|_| all)
    };
    let overload = overloads::tested(cx, followed, failing, ops, ruled_out).or_else(every_status);
    made.honours_retry_after = hints::honoured(cx, followed, ops, hint, overload);
    made.retries_unanswered = unanswered::retried(cx, followed, failing, ops);
    made
}

fn retries_4xx(
    cx: &Context<'_>,
    followed: &Followed,
    failing: &[&State],
    left: &[&State],
    ops: &[Op],
    place: Option<ExprId>,
) -> Fact<bool> {
    let mut tested = false;
    for state in failing {
        let bad =
            state.looked.iter().any(|look| look.tag == Tag::BadStatus && look.verdict == Verdict::Failure);
        let Some((op, codes)) = state.codes.as_ref().filter(|_| bad) else { continue };
        if moves_on(cx, state, *op) {
            continue;
        }
        // another test of the same outcome may rule them out: which, nobody sees
        let more = state
            .conds
            .iter()
            .any(|(cond, _)| matches!(asked_of(followed, ops, *cond), Some(Test::About | Test::Transient)));
        if more || state.conds.iter().any(|(cond, _)| somebody_decides(cx, *cond)) {
            continue;
        }
        tested = true;
        let permanent = permanent_4xx(codes);
        // one odd status beside 429 may be a service's own word for "later": 409, 423; a range of them is not
        if permanent > 2 {
            let evidence = place
                .map_or_else(Evidence::default, |cond| cx.evidence(cond, "client errors pass this test"));
            return Fact::Known(true, evidence);
        }
    }
    if let Some(op) = let_through(cx, followed, failing, left, ops)
        && !is_handshake(cx, op)
    {
        return Fact::Known(true, cx.evidence(op, "makes errors of 4xx, and they go round"));
    }
    if tested { Fact::known(false) } else { Fact::Unknown }
}

/// Whether somebody else is asked whether to try again, and says so by a variant: `if let Retry::After(d) = delegate.failed(&reply)`.
fn somebody_decides(cx: &Context<'_>, cond: ExprId) -> bool {
    let ExprKind::Let(pat, asked) = cx.body.expr(cond).kind else { return false };
    let says_again = cx
        .body
        .variant(pat)
        .is_some_and(|path| path.segments.iter().any(|segment| says(&cx.words().retry, segment)));
    says_again
        && match cx.callee(asked) {
            // what a trait's method does if nobody writes another is not all that it may do
            Callee::Own(item) => cx.inside(item).is_none() || cx.krate.is_of_trait(item),
            Callee::Unknown | Callee::Foreign(_) | Callee::Operand(_) => true,
            _ => false,
        }
}

/// Whether a path puts another state in the place that decides what the next trip does: `self.stage = Stage::Failed`, in a loop that matches on it.
fn moves_on(cx: &Context<'_>, state: &State, op: Op) -> bool {
    let mut at = op;
    while let Some(parent) = cx.parent(at) {
        if let ExprKind::Match(scrutinee, arms) = &cx.body.expr(parent).kind
            && let Some(arm) = arms.iter().find(|arm| arm.body == at)
            && let Some(place) = cx.field_path(*scrutinee)
            && let Val::Built(Tag::Variant(next), _) = state.field(&place)
        {
            return cx.body.variant(arm.pat).is_some_and(|path| path.last() != &*next);
        }
        at = parent;
    }
    false
}

/// A subscription or session is opened: a refusal of its handshake is one of its permanent errors, and no request that is answered.
fn is_handshake(cx: &Context<'_>, op: Op) -> bool {
    remote::establishes(cx, op, 4)
}

/// An operation that makes errors of client errors, where a failing trip takes whatever error it has.
fn let_through(
    cx: &Context<'_>,
    followed: &Followed,
    failing: &[&State],
    left: &[&State],
    ops: &[Op],
) -> Option<Op> {
    failing.iter().filter(|state| state.codes.is_none()).find_map(|state| {
        let failed = state.looked.iter().filter(|look| look.tag == Tag::Err && ops.contains(&look.op));
        failed
            .map(|look| look.op)
            .filter(|op| takes_any(cx, followed, state, left, *op))
            .find(|op| refusals::raises(cx, followed, state, *op))
    })
}

/// Whether a failing trip sets no error apart, or only those that ask for another attempt anyway.
fn takes_any(cx: &Context<'_>, followed: &Followed, state: &State, left: &[&State], op: Op) -> bool {
    // a test of something else that is given the error tells errors apart as well
    let about = |cond: ExprId| match followed.tests.get(&cond) {
        Some((of, test)) if *of == op => matches!(test, Test::About | Test::Transient),
        _ => speaks_of_error(cx, cond),
    };
    let told_by_other = |state: &State| {
        state.looked.iter().any(|look| look.op != op && followed.derived.get(&look.op) == Some(&op))
    };
    let passing = |cond: ExprId| says(&cx.words().passing, cx.call_name(cond));
    let taken = state.arms.is_empty()
        && !told_by_other(state)
        && state.conds.iter().all(|(cond, truth)| !about(*cond) || !*truth && passing(*cond));
    taken
        && left.iter().all(|other| {
            let failed = other.looked.iter().any(|look| look.op == op && look.verdict == Verdict::Failure);
            !failed
                || !told_by_other(other)
                    && other.arms.iter().all(|pat| is_variant_of(cx, *pat, &cx.words().passing))
                    && other.conds.iter().all(|(cond, truth)| {
                        !about(*cond) || passing(*cond) || state.conds.contains(&(*cond, *truth))
                    })
        })
}

fn is_variant_of(cx: &Context<'_>, pat: PatId, list: &[String]) -> bool {
    let is = |pat: &PatId| cx.body.variant(*pat).is_some_and(|path| says(list, path.last()));
    match &cx.body.pat(pat).kind {
        PatKind::Or(alternatives) => alternatives.iter().all(is),
        _ => is(&pat),
    }
}

/// The variant by which an error's kind was told apart: `match error.code() { Code::Unavailable => … }`.
pub(super) fn told_by_kind<'s>(followed: &Followed, state: &'s State, ops: &[Op]) -> Option<&'s str> {
    state.looked.iter().find_map(|look| match &look.tag {
        Tag::Variant(name) if !ops.contains(&look.op) && is_about(followed, ops, look.op) => Some(&**name),
        _ => None,
    })
}

/// Whether a test that was passed, or the variant that matched, says that a pooled connection was stale.
fn speaks_of_stale(cx: &Context<'_>, state: &State) -> bool {
    let list = &cx.words().stale;
    let by_test = state.conds.iter().any(|(cond, truth)| {
        *truth
            && cx.body.any(*cond, |id| match &cx.body.expr(id).kind {
                ExprKind::Path(path) => says(list, path.last()),
                ExprKind::Field(_, name) => says(list, name),
                ExprKind::Method(call) => says(list, &call.name),
                _ => false,
            })
    });
    by_test || state.arms.iter().any(|pat| is_variant_of(cx, *pat, list))
}

/// Whether a condition asks something of what an `Err(..)` holds, or of what is called after an error.
fn speaks_of_error(cx: &Context<'_>, cond: ExprId) -> bool {
    let is_err =
        |pat: PatId| matches!(&cx.body.pat(pat).kind, PatKind::TupleStruct(path, _) if path.last() == "Err");
    let bound = |local: PatId| {
        cx.body.exprs().any(|(_, expr)| match &expr.kind {
            ExprKind::Match(_, arms) => arms.iter().any(|arm| is_err(arm.pat) && holds(cx, arm.pat, local)),
            ExprKind::Let(pat, _) => is_err(*pat) && holds(cx, *pat, local),
            _ => false,
        })
    };
    cx.body.any(cond, |id| match &cx.body.expr(id).kind {
        ExprKind::Path(path) => {
            path.single().is_some_and(|name| matches!(name, "e" | "err" | "error"))
                || cx.body.local(id).is_some_and(bound)
        }
        _ => false,
    })
}

fn holds(cx: &Context<'_>, pat: PatId, local: PatId) -> bool {
    cx.body.names_in_pat(pat).iter().any(|(_, name)| *name == local)
}

/// Whether some error of these operations cannot go away: a variant of their error type says so, or a reply is decoded inside.
fn permanent(cx: &Context<'_>, followed: &Followed, ops: &[Op]) -> Fact<bool> {
    // whatever a helper is given fails as sockets do, and these failures may pass
    if !ops.is_empty() && ops.iter().all(|op| followed.operands.contains(op) && fails_as_io(cx, *op)) {
        return Fact::known(false);
    }
    permanent_of(cx, ops, 1)
}

/// Whether an operation's error is `io::Error`, as its written type says.
fn fails_as_io(cx: &Context<'_>, op: Op) -> bool {
    let outcome =
        cx.parent(op).filter(|parent| matches!(cx.body.expr(*parent).kind, ExprKind::Await(_))).unwrap_or(op);
    cx.type_of(outcome).is_some_and(|ty| is_io_result(&ty))
}

/// Whether a type is a `Result` with an `io::Error`.
pub(super) fn is_io_result(ty: &Ty) -> bool {
    let is_io =
        |ty: &Ty, last: &str| ty.name() == last && ty.path.iter().rev().nth(1).is_some_and(|it| it == "io");
    is_io(ty, "Result") || ty.args.get(1).is_some_and(|error| is_io(error, "Error"))
}

/// How far an error's type is looked into is given: a loop may tell errors apart by what nobody sees, a policy has a setter for it.
fn permanent_of(cx: &Context<'_>, ops: &[Op], kinds: u32) -> Fact<bool> {
    for op in ops {
        if matches!(cx.role(*op), Some(Role::Remote { refuses: true, .. })) {
            return Fact::Known(true, cx.evidence(*op, "what the server refuses here, no retry mends"));
        }
        let Callee::Own(item) = cx.callee(*op) else { continue };
        // what gives nothing keeps its failures to itself
        let Some(gives) = cx.krate.signature(item).and_then(|head| head.ret.as_ref()) else { continue };
        let gives = cx.krate.full_type(item, gives);
        if let Some(name) = gives.args.get(1).and_then(|error| permanent_variant(cx, item, error, kinds)) {
            return Fact::Known(
                true,
                cx.evidence(*op, format!("can fail with `{name}`, which no retry mends")),
            );
        }
        let Some(inner) = cx.inside(item) else { continue };
        if decodes(&inner) {
            return Fact::Known(
                true,
                cx.evidence(*op, "decodes the reply as well: a reply of the wrong shape is fetched again"),
            );
        }
        if remote::makes_command(&inner, MOST_MAKERS) {
            return Fact::Known(
                true,
                cx.evidence(*op, "a program's exit tells a refused login and a lost connection alike"),
            );
        }
    }
    Fact::Unknown
}

/// The variant of an error's type, or of the kind that it holds, that says that no retry mends it: `struct Error { kind: ErrorKind }`.
fn permanent_variant(cx: &Context<'_>, from: ItemRef, error: &Ty, left: u32) -> Option<String> {
    let left = left.checked_sub(1)?;
    let Target::Item(item) = cx.krate.path(from, &peeled(error).path) else { return None };
    if let Some(data) = cx.krate.struct_data(item) {
        return data.fields.iter().find_map(|(_, ty)| permanent_variant(cx, item, ty, left));
    }
    let data = cx.krate.enum_data(item)?;
    let told =
        data.variants.iter().map(|variant| &variant.name).find(|name| says(&cx.words().permanent, name));
    told.cloned().or_else(|| {
        let kinds = data.variants.iter().flat_map(|variant| &variant.fields);
        // a variant may carry any other error; a kind is what this one is about
        kinds
            .filter(|(_, ty)| ty.name().ends_with("Kind"))
            .find_map(|(_, ty)| permanent_variant(cx, item, ty, left))
    })
}

/// The same of a closure that a retry crate runs: a reply decoded in it, or in a function that it calls.
pub(crate) fn permanent_inside(cx: &Context<'_>, root: ExprId) -> Fact<bool> {
    let mut sent = Vec::new();
    let mut decoding = Vec::new();
    let mut called = Vec::new();
    cx.body.walk(root, &mut |id| {
        match cx.role(id) {
            Some(Role::Local { kind: LocalKind::Parse }) => decoding.push(id),
            Some(Role::Remote { refuses, .. }) => {
                sent.push(cx.body.expr(id).span);
                if *refuses {
                    called.push(id);
                }
            }
            _ if matches!(cx.callee(id), Callee::Own(_)) => {
                if remote::of_call(cx, id, MOST_CALLS).is_some_and(|answer| answer.is) {
                    sent.push(cx.body.expr(id).span);
                }
                called.push(id);
            }
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
        sent.iter().any(|call| call.end < own.end) && !is_given_to(cx, *id, &sent)
    };
    match decoding.into_iter().find(of_reply) {
        Some(decoded) => Fact::Known(
            true,
            cx.evidence(decoded, "decodes the reply as well: a reply of the wrong shape is fetched again"),
        ),
        None => permanent_of(cx, &called, MOST_KINDS),
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
