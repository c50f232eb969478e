//! Whether an operation may be repeated without doing its work twice: by what it is called, the HTTP method, and a key that lets the server drop
//! the repeat. Which failures leave open whether the work was done is told in `unanswered`. A request that only asks is never said to be harmful.

use super::context::{Callee, Context};
use super::named::names;
use super::remote::method_of;
use crate::body::{ExprId, ExprKind, Lit, Local, PatKind};
use crate::knowledge::{Role, Words, is_one_of, parts, says};
use crate::model::{Fact, Method};
use crate::resolve::ItemRef;

/// Functions are followed this deep for the request that they send, and for a key in it.
const MOST_CALLS: u32 = 3;
/// Implementations of a trait's method that are looked into.
const MOST_IMPLEMENTATIONS: usize = 4;
/// Longer texts are prose.
const LONGEST_NAME: usize = 60;

/// Reads the fact of an operation; `op` is the call, or the closure that a helper is given.
pub(crate) fn idempotent(cx: &Context<'_>, op: ExprId) -> Fact<bool> {
    let attempt = cx.loop_around(op).unwrap_or(op);
    if let Some(key) = made_anew(cx, attempt) {
        return Fact::Known(
            false,
            cx.evidence(key, "made anew for each attempt: the server takes each for a new request"),
        );
    }
    if is_keyed(cx, op) {
        return Fact::Unknown;
    }
    let sent = methods(cx, op, MOST_CALLS);
    if sent.is_empty() {
        return by_name(cx, op);
    }
    if sent.iter().all(|method| !matches!(method, Method::Post | Method::Patch)) {
        return Fact::Known(true, cx.evidence(op, "its HTTP method may be repeated"));
    }
    if sent.iter().any(|method| !matches!(method, Method::Post | Method::Patch)) || !does_something(cx, op) {
        return Fact::Unknown;
    }
    Fact::Known(
        false,
        cx.evidence(op, "a POST or PATCH without a key that tells a repeat from a second request"),
    )
}

/// What the name of a call that is no request says, also of one that a function does nothing beside.
fn by_name(cx: &Context<'_>, op: ExprId) -> Fact<bool> {
    let name = cx.call_name(op);
    // what is not awaited is handed to a queue or pool of one's own: `pool.submit(job)`, `store.try_submit(payload)`
    let spends = |cx: &Context<'_>, call: ExprId| {
        let name = cx.call_name(call);
        says(&cx.words().spends, name) && !only_asks(cx.words(), name) && !is_signed(cx, call)
    };
    let inside =
        || cx.handed_on(op).is_some_and(|(inner, made)| inner.is_awaited(made) && spends(&inner, made));
    if !cx.is_awaited(op) || only_asks(cx.words(), name) || !spends(cx, op) && !inside() {
        return Fact::Unknown;
    }
    Fact::Known(
        false,
        cx.evidence(
            op,
            "named after something that is done once, and no key tells a repeat from a second order",
        ),
    )
}

/// The HTTP methods of the requests in an expression, and in what it calls.
fn methods(cx: &Context<'_>, root: ExprId, left: u32) -> Vec<Method> {
    let mut found: Vec<Method> = method_of(cx, root).0.into_iter().collect();
    let Some(left) = left.checked_sub(1) else { return found };
    cx.body.walk(root, &mut |id| {
        // a request that was built before: `let request = client.post(url);`
        if found.is_empty()
            && let Some(init) = cx.body.local(id).and_then(|local| cx.init(local)).filter(|init| *init != id)
            && !matches!(cx.body.expr(init).kind, ExprKind::Closure { .. } | ExprKind::Async(_))
        {
            found.extend(method_of(cx, init).0);
        }
        if let Callee::Own(item) = cx.callee(id)
            && item != cx.at
            && let Some(inner) = cx.inside(item)
        {
            found.extend(methods(&inner, inner.body.root, left));
        }
        true
    });
    found
}

/// Whether names say that a request changes something, and none that it only asks or opens something.
fn does_something(cx: &Context<'_>, op: ExprId) -> bool {
    let words = cx.words();
    let own = cx.krate.item(cx.at).map_or("", |item| item.name.as_str());
    let mut names = vec![own.to_owned()];
    let mut texts = Vec::new();
    cx.body.walk(op, &mut |id| {
        match &cx.body.expr(id).kind {
            ExprKind::Call(..) | ExprKind::Method(_) if matches!(cx.callee(id), Callee::Own(_)) => {
                names.push(cx.call_name(id).to_owned());
            }
            ExprKind::Lit(Lit::Str(text)) if text.len() <= LONGEST_NAME => texts.push(text.clone()),
            _ => {}
        }
        true
    });
    let asks = |name: &String| only_asks(words, name);
    !names.iter().chain(&texts).any(asks)
        && names.iter().chain(&texts).any(|name| says(&words.unsafe_to_repeat, name))
}

fn only_asks(words: &Words, name: &str) -> bool {
    says(&words.establish, name)
        || says(&words.reads, name)
        || parts(name).first().is_some_and(|first| is_one_of(&words.asks, first))
}

/// The same signed bytes are the same transaction, however often they come.
fn is_signed(cx: &Context<'_>, op: ExprId) -> bool {
    let says_so = |name: &str| parts(name).iter().any(|part| is_one_of(&cx.words().signed, part));
    cx.body.any(op, |id| says_so(cx.call_name(id)) || says_so(&cx.base_text(id)))
        || cx.body.params.iter().any(|param| param.ty.as_ref().is_some_and(|ty| says_so(ty.name())))
}

/// What should tell a repeat from a new request, but is made inside of the attempt: a random key in its header, a nonce that a transaction gets.
fn made_anew(cx: &Context<'_>, attempt: ExprId) -> Option<ExprId> {
    let inside = |id: ExprId| cx.body.expr(attempt).span.contains(cx.body.expr(id).span);
    let mut found = None;
    cx.body.walk(attempt, &mut |id| {
        if found.is_some() {
            return false;
        }
        let args = cx.args(id);
        let made = |arg: &ExprId| {
            let given = match cx.body.expr(*arg).kind {
                ExprKind::Ref(given) => given,
                _ => *arg,
            };
            match cx.body.local(given).and_then(|local| cx.init(local)) {
                Some(init) => inside(init) && draws(cx, init),
                None => draws(cx, given),
            }
        };
        found = if is_key_written(cx, args) {
            args.iter().copied().find(|arg| made(arg))
        } else {
            keys_of(cx, id).into_iter().filter_map(|at| args.get(at).copied()).find(|arg| made(arg))
        };
        true
    });
    found.or_else(|| new_nonce(cx, attempt))
}

/// `.header("Idempotency-Key", key)`: whether one of these arguments is the name of such a key.
fn is_key_written(cx: &Context<'_>, args: &[ExprId]) -> bool {
    args.iter().any(|arg| matches!(&cx.body.expr(*arg).kind, ExprKind::Lit(Lit::Str(text)) if says(&cx.words().repeat_key, text)))
}

/// Which arguments of a function of the crate, or of what implements it, it sends as the key of a request.
fn keys_of(cx: &Context<'_>, call: ExprId) -> Vec<usize> {
    let Callee::Own(item) = cx.callee(call) else { return Vec::new() };
    let bodies =
        std::iter::once(item).chain(cx.krate.implementations(item)).filter_map(|item| cx.inside(item));
    let mut found = Vec::new();
    for inner in bodies.take(MOST_IMPLEMENTATIONS) {
        for (id, _) in inner.body.exprs() {
            let args = inner.args(id);
            if !is_key_written(&inner, args) {
                continue;
            }
            let locals = args.iter().filter_map(|arg| inner.body.local(*arg));
            found.extend(locals.filter_map(|local| inner.body.param(local)));
        }
    }
    found
}

/// Whether a value is drawn, or a new identifier.
fn draws(cx: &Context<'_>, root: ExprId) -> bool {
    cx.body.any(root, |id| {
        matches!(cx.role(id), Some(Role::Random { .. }))
            || is_one_of(&cx.words().new_identifier, cx.call_name(id))
    })
}

/// A nonce that the attempt asks for, where a transaction is made of it in the same attempt.
fn new_nonce(cx: &Context<'_>, attempt: ExprId) -> Option<ExprId> {
    let mut nonces: Vec<(Local, ExprId)> = Vec::new();
    cx.body.walk(attempt, &mut |id| {
        for stmt in cx.body.stmts_of(id) {
            if let crate::body::Stmt::Let { pat, init: Some(init), .. } = stmt {
                let named = cx.body.names_in_pat(*pat).into_iter();
                let named = named.filter(|(name, _)| says(&cx.words().nonce, name));
                nonces.extend(named.map(|(_, local)| (local, *init)));
            }
        }
        true
    });
    let transaction = |name: &str| parts(name).iter().any(|part| is_one_of(&cx.words().transaction, part));
    nonces.into_iter().find_map(|(nonce, init)| {
        let used = cx.body.any(attempt, |id| {
            let is_transaction = match &cx.body.expr(id).kind {
                ExprKind::Call(callee, _) => match &cx.body.expr(*callee).kind {
                    ExprKind::Path(path) => path.segments.iter().any(|segment| transaction(segment)),
                    _ => false,
                },
                ExprKind::Method(call) => transaction(&call.name),
                _ => false,
            };
            is_transaction && cx.args(id).iter().any(|arg| cx.body.local(*arg) == Some(nonce))
        });
        // what the attempt only computes may be the same each time
        (used && cx.body.any(init, |id| cx.is_awaited(id))).then_some(init)
    })
}

/// Whether the function around a request, or what makes the request, so much as names what lets a repeat be dropped.
fn is_keyed(cx: &Context<'_>, op: ExprId) -> bool {
    let called = |root: ExprId| {
        cx.body.any(root, |id| matches!(cx.callee(id), Callee::Own(next) if next != cx.at && names_key(cx, next, MOST_CALLS)))
    };
    // what is sent was made before: `let request = self.request(body);`
    let made_before = || {
        cx.body.any(op, |id| {
            cx.body.local(id).and_then(|local| cx.init(local)).is_some_and(|init| init != op && called(init))
        })
    };
    is_named_in(cx) || called(op) || made_before()
}

fn is_named_in(cx: &Context<'_>) -> bool {
    let is = |name: &str| name.len() <= LONGEST_NAME && says(&cx.words().repeat_key, name);
    cx.body.exprs().any(|(_, expr)| names(&expr.kind, is))
        || cx.body.pats().any(|(_, pat)| matches!(&pat.kind, PatKind::Bind { name, .. } if is(name)))
}

/// Whether a function, or one that it calls, names such a thing.
fn names_key(cx: &Context<'_>, item: ItemRef, left: u32) -> bool {
    let Some(left) = left.checked_sub(1) else { return false };
    let Some(inner) = cx.inside(item) else { return false };
    is_named_in(&inner)
        || inner.body.exprs().any(|(id, _)| {
            matches!(inner.callee(id), Callee::Own(next) if next != item && names_key(&inner, next, left))
        })
}
