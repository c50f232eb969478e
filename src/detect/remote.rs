//! Does an operation cross a network or hit a shared service? Asked in the order of the design: resolved calls, written types, the receiver, the arguments, the name.
//! The first that answers decides, and its reason is the evidence; the last two answers are of medium confidence.

use super::context::{Callee, Context};
use super::summary::{MOST_CALLS, summary_at};
use crate::body::{ExprId, ExprKind, Lit, Ty};
use crate::knowledge::{LocalKind, Role, Words, is_one_of, parts, says};
use crate::model::Method;
use crate::resolve::Target;

/// An answer and how sure it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    /// Remote, or not.
    pub(crate) is: bool,
    /// Resolved calls or written types show it, not a name.
    pub(crate) certain: bool,
    /// Why, in a few words.
    pub(crate) why: String,
}

fn answer(is: bool, certain: bool, why: impl Into<String>) -> Answer {
    Answer { is, certain, why: why.into() }
}

/// Whether an operation of a body is remote.
pub(crate) fn of_call(cx: &Context<'_>, id: ExprId, left: u32) -> Option<Answer> {
    let callee = cx.callee(id);
    if matches!(&callee, Callee::Own(item) if !summary_at(cx, *item, left.saturating_sub(1)).is_async)
        && reads_from_what_it_is_given(cx, id)
    {
        return by_name(cx, id);
    }
    let shown = by_program(cx, id).or_else(|| by_callee(cx, id, &callee, left));
    // `build_request(&url)`: what a client will be given is of its types, and no request
    if shown.is_none() && !cx.is_awaited(id) && makes_a_value(cx.call_name(id)) {
        return None;
    }
    shown
        .or_else(|| by_written_type(cx, id, &callee))
        .or_else(|| by_receiver(cx, id))
        .or_else(|| by_inner_calls(cx, id, left))
        .or_else(|| by_arguments(cx, id))
        .or_else(|| by_origin(cx, id))
        .or_else(|| by_name(cx, id))
}

/// A command that is run, by the program's name: `Command::new("ssh")`.
fn by_program(cx: &Context<'_>, id: ExprId) -> Option<Answer> {
    reaching(cx, program_of(cx, id)?)
}

fn reaching(cx: &Context<'_>, program: &str) -> Option<Answer> {
    let reaches = is_one_of(&cx.words().remote_programs, program);
    reaches.then(|| answer(true, true, format!("`{program}` reaches a remote side")))
}

/// `Command::new("ssh")`: what makes a command, somebody around runs.
fn by_command(cx: &Context<'_>, id: ExprId) -> Option<Answer> {
    let ExprKind::Call(callee, args) = &cx.body.expr(id).kind else { return None };
    let (ExprKind::Path(path), [program]) = (&cx.body.expr(*callee).kind, args.as_slice()) else {
        return None;
    };
    let is_command = path.segments.iter().rev().take(2).map(String::as_str).eq(["new", "Command"]);
    match &cx.body.expr(*program).kind {
        ExprKind::Lit(Lit::Str(text)) if is_command => reaching(cx, text),
        _ => None,
    }
}

/// Whether a function, or one that it calls, makes the command of a program that reaches a remote side.
pub(super) fn makes_command(cx: &Context<'_>, left: u32) -> bool {
    cx.body.any(cx.body.root, |id| {
        by_command(cx, id).is_some()
            || left > 0
                && matches!(cx.callee(id), Callee::Own(item) if item != cx.at
                    && cx.inside(item).is_some_and(|inner| makes_command(&inner, left - 1)))
    })
}

/// The program that a command runs.
fn program_of<'a>(cx: &Context<'a>, id: ExprId) -> Option<&'a str> {
    let ExprKind::Method(call) = &cx.body.expr(id).kind else { return None };
    if !is_one_of(&cx.words().runs, &call.name) {
        return None;
    }
    let mut at = call.receiver;
    for _ in 0..16 {
        at = match &cx.body.expr(at).kind {
            ExprKind::Method(call) => call.receiver,
            ExprKind::Ref(inner) => *inner,
            ExprKind::Path(_) => cx.body.local(at).and_then(|local| cx.init(local))?,
            ExprKind::Call(_, args) => {
                let [program] = args.as_slice() else { return None };
                let ExprKind::Lit(Lit::Str(text)) = &cx.body.expr(*program).kind else { return None };
                return Some(text);
            }
            _ => return None,
        };
    }
    None
}

/// Whether an operation is a program that somebody sits before: it reaches a remote side, and is given this process's own input.
pub(super) fn holds_a_session(cx: &Context<'_>, id: ExprId) -> bool {
    by_program(cx, id).is_some()
        && cx.body.any(id, |inner| match &cx.body.expr(inner).kind {
            ExprKind::Method(call) => {
                call.name == "stdin" && call.args.iter().any(|arg| cx.call_name(*arg) == "inherit")
            }
            _ => false,
        })
}

/// What is called on something that was made here on the machine: `OpenOptions::new().write(true).open(path)`.
fn by_origin(cx: &Context<'_>, id: ExprId) -> Option<Answer> {
    let at = cx.chain_root(id);
    let made_here = at != id && matches!(cx.role(at), Some(Role::Local { kind: LocalKind::File }));
    (made_here && !cx.is_awaited(id))
        .then(|| answer(false, true, format!("`{}` stays on the machine", cx.call_name(at))))
}

fn by_callee(cx: &Context<'_>, id: ExprId, callee: &Callee<'_>, left: u32) -> Option<Answer> {
    match callee {
        Callee::Known(entry, certain) => match &entry.role {
            Role::Remote { .. } => {
                Some(answer(true, *certain, format!("`{}` crosses the network", cx.call_name(id))))
            }
            Role::Local { kind } => {
                let certain = *certain && !matches!(kind, LocalKind::Io);
                Some(answer(false, certain, format!("`{}` stays on the machine", cx.call_name(id))))
            }
            Role::Event | Role::Guard | Role::Accept => {
                Some(answer(false, *certain, "waits inside the process"))
            }
            _ => None,
        },
        Callee::Own(item) => {
            let inner = summary_at(cx, *item, left.saturating_sub(1));
            let name = cx.krate.qualified_name(*item);
            inner.remote.map(|is| {
                answer(
                    is,
                    !inner.stays_with_some,
                    format!("`{name}` {}", if is { "reaches a remote side" } else { "stays on the machine" }),
                )
            })
        }
        Callee::Closure(closure) => of_expr(cx, *closure, left),
        Callee::Foreign(path) => {
            let first = path.first().map_or("", String::as_str);
            if !cx.is_awaited(id) && makes_a_value(path.last().map_or("", String::as_str)) {
                return None;
            }
            if cx.knowledge.crate_is_client(first) {
                return Some(answer(true, true, format!("`{first}` is a client")));
            }
            // std's own network types are in the vocabulary; the rest of std stays here
            (matches!(first, "std" | "core" | "alloc")).then(|| Answer {
                is: false,
                certain: true,
                why: "of the standard library".into(),
            })
        }
        Callee::Operand(_) | Callee::Unknown => None,
    }
}

/// `credentials_from_profile(profile)`: it makes a value of what it is given, by values of a client's crate.
fn reads_from_what_it_is_given(cx: &Context<'_>, id: ExprId) -> bool {
    let name = cx.call_name(id);
    let words = cx.words();
    parts(name).iter().skip(1).any(|part| part == "from")
        && !cx.is_awaited(id)
        && !says(&words.remote, name)
        && !says(&words.establish, name)
}

/// `SecretKey::from_slice(…)`, `Endpoint::new(…)`, `url.into_client_request()`: of a client's crate, and yet no request.
pub(super) fn makes_a_value(name: &str) -> bool {
    let first = parts(name).into_iter().next().unwrap_or_default();
    matches!(
        first.as_str(),
        "new"
            | "from"
            | "parse"
            | "default"
            | "builder"
            | "generate"
            | "try"
            | "with"
            | "into"
            | "to"
            | "build"
            | "prepare"
    )
}

/// The error or success type that a function of the crate declares.
fn by_written_type(cx: &Context<'_>, id: ExprId, callee: &Callee<'_>) -> Option<Answer> {
    match callee {
        Callee::Own(item) => {
            if let Some(inner) = cx.inside(*item) {
                return of_type(&inner, inner.body.ret.as_ref()?, 3);
            }
            // a trait's method without a body
            let ret = cx.krate.signature(*item)?.ret.as_ref()?;
            of_type(cx, &cx.krate.full_type(*item, ret), 3)
        }
        // `(self.work)()`: a function in a field
        Callee::Unknown => {
            let ExprKind::Call(function, _) = &cx.body.expr(id).kind else { return None };
            matches!(cx.body.expr(*function).kind, ExprKind::Field(..))
                .then(|| cx.type_of(*function))
                .flatten()
                .and_then(|ty| of_type(cx, &ty, 4))
        }
        _ => None,
    }
}

/// Whether a written type is a client's, or of one.
pub(crate) fn of_type(cx: &Context<'_>, ty: &Ty, left: u32) -> Option<Answer> {
    if left == 0 {
        return None;
    }
    if !ty.path.is_empty()
        && let Target::External(full) = cx.krate.path(cx.at, &ty.path)
    {
        let first = full.first().map_or("", String::as_str);
        if matches!(cx.knowledge.type_entry(&full).map(|entry| &entry.role), Some(Role::Client))
            || cx.knowledge.crate_is_client(first)
        {
            return Some(answer(true, true, format!("its type `{}` is a client's", ty.name())));
        }
    }
    ty.args.iter().find_map(|arg| of_type(cx, arg, left - 1))
}

fn by_receiver(cx: &Context<'_>, id: ExprId) -> Option<Answer> {
    let ExprKind::Method(call) = &cx.body.expr(id).kind else { return None };
    let ty = cx.type_of(call.receiver)?;
    type_is_client(cx, &ty, 3)
}

/// A client's type, or a type of this crate that holds one.
fn type_is_client(cx: &Context<'_>, ty: &Ty, left: u32) -> Option<Answer> {
    cx.memo.client(ty, left, || find_client(cx, ty, left))
}

fn find_client(cx: &Context<'_>, ty: &Ty, left: u32) -> Option<Answer> {
    let first = ty.path.first().map_or("", String::as_str);
    match cx.knowledge.type_entry(&ty.path).map(|entry| &entry.role) {
        Some(Role::Client) => return Some(answer(true, true, format!("`{}` is a client", ty.name()))),
        Some(Role::Local { .. }) => {
            return Some(answer(false, true, format!("`{}` stays on the machine", ty.name())));
        }
        _ => {}
    }
    if cx.knowledge.crate_is_client(first) {
        return Some(answer(true, true, format!("`{}` is of a client crate", ty.name())));
    }
    if left > 0 && first == "crate" {
        let held = cx.fields_of(ty).into_iter().find_map(|(_, field)| {
            type_is_client(cx, crate::resolve::peeled(&field), left - 1).filter(|answer| answer.is)
        });
        if let Some(held) = held {
            return Some(answer(true, held.certain, format!("`{}` holds a client", ty.name())));
        }
    }
    ty.args.iter().find_map(|arg| if left > 0 { type_is_client(cx, arg, left - 1) } else { None })
}

/// The call's own receiver chain and arguments: `client.get(url).send()`, `timeout(d, connect(addr))`, a closure given to it.
fn by_inner_calls(cx: &Context<'_>, id: ExprId, left: u32) -> Option<Answer> {
    if left == 0 {
        return None;
    }
    // what the same trip made is made anew on each: `let reply = client.get(url).send().await; match check(reply) { … }`
    let made = |operand: ExprId| {
        let init = cx.body.local(operand).and_then(|local| cx.init(local))?;
        let looped = cx.loop_around(id)?;
        cx.body.expr(looped).span.contains(cx.body.expr(init).span).then_some(init)
    };
    cx.operands(id)
        .into_iter()
        .filter_map(|operand| {
            of_expr(cx, operand, left - 1).or_else(|| {
                let init = made(operand)?;
                of_expr(cx, init, left - 1).or_else(|| of_fragment(cx, init))
            })
        })
        .find(|answer| answer.is)
}

/// `$call`: what the macro's callers write there.
fn of_fragment(cx: &Context<'_>, id: ExprId) -> Option<Answer> {
    let ExprKind::Path(path) = &cx.body.expr(id).kind else { return None };
    let is_fragment = path.single().is_some_and(|name| cx.body.fragments.iter().any(|it| it == name));
    is_fragment.then(|| of_callers(cx, None)).flatten()
}

/// Whether an expression holds a remote call: true if one does, false if what it calls stays here, else unknown.
pub(crate) fn of_expr(cx: &Context<'_>, root: ExprId, left: u32) -> Option<Answer> {
    let mut found: Option<Answer> = None;
    let mut local = None;
    let mut unknown = false;
    if left == 0 {
        return None;
    }
    cx.body.walk(root, &mut |id| {
        if !matches!(cx.body.expr(id).kind, ExprKind::Call(..) | ExprKind::Method(_)) {
            return true;
        }
        let callee = cx.callee(id);
        // what is spawned is another's business, unless it is waited for here
        if matches!(callee.role(), Some(Role::Log))
            || matches!(callee.role(), Some(Role::Spawn | Role::Later { .. })) && !cx.is_awaited(id)
        {
            return false;
        }
        let said = by_program(cx, id)
            .or_else(|| by_command(cx, id))
            .or_else(|| by_callee(cx, id, &callee, left))
            .or_else(|| by_receiver(cx, id).filter(|_| cx.is_awaited(id)));
        match said {
            Some(said) if said.is => {
                if found.as_ref().is_none_or(|it| said.certain && !it.certain) {
                    found = Some(said);
                }
            }
            Some(said) => local = local.take().or(Some(said)),
            None => {
                let may_hide = matches!(
                    callee,
                    Callee::Unknown | Callee::Foreign(_) | Callee::Operand(_) | Callee::Own(_)
                );
                // a variant or struct that is built is no call
                unknown |= may_hide && !cx.call_name(id).starts_with(char::is_uppercase);
            }
        }
        true
    });
    match found {
        Some(found) => Some(found),
        None if !unknown => local,
        None => None,
    }
}

/// Whether a function of this crate reaches a remote side.
pub(crate) fn of_function(cx: &Context<'_>, left: u32) -> Option<bool> {
    of_expr(cx, cx.body.root, left).filter(|answer| answer.certain).map(|answer| answer.is)
}

fn by_arguments(cx: &Context<'_>, id: ExprId) -> Option<Answer> {
    for operand in cx.operands(id) {
        if let Some(ty) = cx.type_of(operand)
            && type_is_client(cx, &ty, 1).is_some_and(|answer| answer.is)
        {
            return Some(answer(true, true, format!("it is given a `{}`", ty.name())));
        }
    }
    // a request is handed about in any executor, an endpoint is not
    let handed_about = |name: &str| {
        !cx.is_awaited(id)
            && matches!(cx.callee(id), Callee::Own(_))
            && parts(name).last().is_some_and(|last| last == "request" || last == "response")
    };
    for operand in cx.operands(id) {
        let mut hit = None;
        cx.body.walk(operand, &mut |inner| {
            match &cx.body.expr(inner).kind {
                ExprKind::Lit(Lit::Str(text)) if text.contains("://") => hit = Some("a URL".to_owned()),
                ExprKind::Path(path)
                    if path
                        .single()
                        .is_some_and(|name| says(&cx.words().remote_things, name) && !handed_about(name)) =>
                {
                    hit = Some(format!("`{}`", path.last()));
                }
                ExprKind::Field(_, name) if says(&cx.words().remote_things, name) && !handed_about(name) => {
                    hit = Some(format!("`{name}`"));
                }
                _ => {}
            }
            hit.is_none()
                && !matches!(cx.body.expr(inner).kind, ExprKind::Closure { .. } | ExprKind::Async(_))
        });
        if let Some(hit) = hit
            && (cx.is_awaited(id)
                || says(&cx.words().remote, cx.call_name(id))
                || says(&cx.words().establish, cx.call_name(id)))
        {
            return Some(answer(true, false, format!("it is given {hit}")));
        }
    }
    None
}

fn by_name(cx: &Context<'_>, id: ExprId) -> Option<Answer> {
    let name = cx.call_name(id);
    let words = cx.words();
    let awaited = cx.is_awaited(id) || is_limited(cx, id);
    let clients = is_client_of(cx);
    let establishes = says(&words.establish, name);
    if awaited && (clients && says(&words.remote, name) || establishes) {
        return Some(answer(true, false, format!("`{name}` names a remote call")));
    }
    // without `await`, a name must say more than `get` or `send`: those are every map's and channel's
    // what connects and is told nothing reaches the one place that it was made for
    let first = || parts(name).into_iter().next().unwrap_or_default();
    let connects = establishes && cx.args(id).is_empty() && says(&words.establish, &first());
    if !awaited
        && (clients || connects)
        && !is_one_of(&words.everyday, name)
        && (says(&words.remote, name) && name.contains('_') || establishes)
        && !says(&words.local, name)
    {
        return Some(answer(true, false, format!("`{name}` names a remote call")));
    }
    if !awaited && says(&words.local, name) {
        return Some(answer(false, false, format!("`{name}` names a local call")));
    }
    None
}

/// Whether the crate depends on a client.
pub(super) fn is_client_of(cx: &Context<'_>) -> bool {
    cx.krate.dependencies.iter().any(|name| cx.knowledge.crate_is_client(name))
}

/// `timeout(limit, options.connect()).await`: what is limited is awaited with it.
fn is_limited(cx: &Context<'_>, id: ExprId) -> bool {
    cx.parent(id).is_some_and(|around| {
        matches!(cx.body.expr(around).kind, ExprKind::Call(..))
            && cx.call_name(around) == "timeout"
            && cx.is_awaited(around)
    })
}

/// Whether what a helper's callers give it is remote.
pub(crate) fn of_callers(cx: &Context<'_>, operand: Option<crate::body::Local>) -> Option<Answer> {
    if !cx.body.fragments.is_empty() {
        let mut local = None;
        for (caller, args) in macro_calls(cx) {
            for arg in args {
                match of_expr(&caller, arg, 5).or_else(|| awaited_by_name(&caller, arg)) {
                    Some(said) if said.is => {
                        return Some(answer(
                            true,
                            said.certain,
                            format!("`{}` gives it a remote call", caller.krate.qualified_name(caller.at)),
                        ));
                    }
                    other => local = local.or(other),
                }
            }
        }
        return local;
    }
    let at = operand.and_then(|local| cx.body.param(local));
    let mut local = None;
    // what tests give it stands in for what is meant
    let in_test = cx.krate.is_test(cx.at);
    let callers = cx.callers().into_iter().filter(|(item, _)| in_test || !cx.krate.is_test(*item));
    for (item, call) in callers.take(16) {
        let Some(caller) = cx.inside(item) else { continue };
        let args = caller.args(call);
        let given: Vec<ExprId> = match at.and_then(|at| args.get(at)) {
            Some(arg) => vec![*arg],
            None => args.to_vec(),
        };
        for arg in given {
            let target = match &caller.body.expr(arg).kind {
                ExprKind::Path(path) if caller.body.local(arg).is_none() => match caller.by_path(path) {
                    Some(Callee::Own(item)) => {
                        summary_at(&caller, item, 3).remote.map(|is| answer(is, true, "its caller gives it"))
                    }
                    _ => None,
                },
                ExprKind::Path(_) => caller
                    .body
                    .local(arg)
                    .and_then(|local| caller.init(local))
                    .and_then(|init| of_expr(&caller, init, 4)),
                _ => of_expr(&caller, arg, 4).or_else(|| awaited_by_name(&caller, arg)),
            };
            match target {
                Some(said) if said.is => {
                    return Some(answer(
                        true,
                        said.certain,
                        format!("`{}` gives it a remote call", caller.krate.qualified_name(item)),
                    ));
                }
                other => local = local.or(other),
            }
        }
    }
    local
}

/// Where a macro of this crate is called, at most 16 functions of it, and with what.
pub(crate) fn macro_calls<'a>(cx: &Context<'a>) -> Vec<(std::rc::Rc<Context<'a>>, Vec<ExprId>)> {
    let Some(name) = cx.krate.item(cx.at).map(|item| format!("{}!", item.name)) else { return Vec::new() };
    let mut found = Vec::new();
    for (item, it) in cx.krate.items() {
        let here =
            it.body.and_then(|body| Some(cx.krate.file(item)?.slice(body).contains(&name))).unwrap_or(false);
        if !here || it.kind != crate::source::ItemKind::Fn || found.len() >= 16 {
            continue;
        }
        let Some(caller) = cx.inside(item) else { continue };
        for (id, expr) in caller.body.exprs() {
            if let ExprKind::Macro(call) = &expr.kind
                && let crate::body::MacroInput::Args(args) = &call.input
                && matches!(caller.callee(id), Callee::Own(target) if target == cx.at)
            {
                found.push((caller.clone(), args.clone()));
            }
        }
    }
    found
}

fn awaited_by_name(cx: &Context<'_>, root: ExprId) -> Option<Answer> {
    let mut found = None;
    cx.body.walk(root, &mut |id| {
        if found.is_none() && matches!(cx.body.expr(id).kind, ExprKind::Call(..) | ExprKind::Method(_)) {
            found = by_arguments(cx, id).or_else(|| by_name(cx, id)).filter(|answer| answer.is);
        }
        found.is_none()
    });
    found
}

/// The HTTP method that an operation's chain names, and whether it blocks its thread.
pub(crate) fn method_of(cx: &Context<'_>, id: ExprId) -> (Option<Method>, bool) {
    let mut method = None;
    let mut blocking = false;
    cx.body.walk(id, &mut |inner| {
        if let Some(Role::Remote { method: said, blocking: blocks, .. }) = cx.role(inner) {
            method = method.or(said.as_deref().and_then(Method::from_word));
            blocking |= *blocks;
        }
        true
    });
    (method, blocking)
}

/// Whether an operation makes a connection, session or subscription: by the vocabulary, what it calls, or its name.
pub(crate) fn establishes(cx: &Context<'_>, id: ExprId, left: u32) -> bool {
    if left == 0 {
        return false;
    }
    match cx.callee(id) {
        Callee::Known(entry, _) => match &entry.role {
            Role::Remote { establishes, .. } => return *establishes,
            Role::Local { .. } => return false,
            _ => {}
        },
        Callee::Own(item) => {
            let inside = cx.inside(item);
            if is_named_after_establishing(cx.words(), cx.call_name(id)) {
                // `options.connect_timeout()` gives a value, and asks nobody
                let called = summary_at(cx, item, MOST_CALLS);
                let asks = called.is_async || called.fallible || called.remote == Some(true);
                return asks || inside.is_none_or(|inner| inner.body.ret.is_none());
            }
            let Some(inner) = inside else { return false };
            let mut found = false;
            inner.body.walk(inner.body.root, &mut |call| {
                if !found && matches!(inner.body.expr(call).kind, ExprKind::Call(..) | ExprKind::Method(_)) {
                    found = match inner.callee(call) {
                        Callee::Known(entry, _) => {
                            matches!(entry.role, Role::Remote { establishes: true, .. })
                        }
                        Callee::Own(next) if next != item && left > 1 => establishes(&inner, call, left - 1),
                        _ => false,
                    };
                }
                !found
            });
            return found;
        }
        _ => {}
    }
    is_named_after_establishing(cx.words(), cx.call_name(id))
}

/// Whether a name says that its call makes a connection: `connect`, and not `on_connect_event`, which answers one, or `authenticated`, a view.
pub(crate) fn is_named_after_establishing(words: &Words, name: &str) -> bool {
    let first = parts(name).into_iter().next().unwrap_or_default();
    says(&words.establish, name) && !is_one_of(&words.answers, &first) && !first.ends_with("ed")
}

/// Whether a parameter's written type is a function or a future.
pub(crate) fn is_operand_type(cx: &Context<'_>, ty: &Ty) -> bool {
    let callable = |ty: &Ty| {
        matches!(ty.shape, crate::body::TyShape::Fn)
            || matches!(ty.name(), "Fn" | "FnMut" | "FnOnce" | "Future" | "AsyncFn" | "AsyncFnMut")
    };
    callable(ty)
        || ty.args.iter().any(callable)
        || cx
            .body
            .generics
            .iter()
            .any(|(name, bounds)| ty.path.len() == 1 && ty.name() == name && bounds.iter().any(callable))
}
