//! Where a policy comes from: from its use back through variables, setters, parameters, fields, constants and functions of the crate to what builds it.
//! It is told only where every way that can be seen builds the same; one that cannot be followed, and nothing is told.

use super::adapted::{adapt, hands_on};
use super::draft::{Draft, number, setter_of};
use super::scope::{Scope, Value};
use super::{built_at, enclosing, full_paths, is_statement};
use crate::body::{ExprId, ExprKind, Local, MethodCall, Ty, UnOp};
use crate::detect::context::{Callee, Context};
use crate::detect::delay::{Amount, items};
use crate::detect::memo::Written;
use crate::knowledge::{Library, Policy, says};
use crate::resolve::{ItemRef, Target, peeled};

/// Callers and writers of a field that are asked what they give.
const MOST_GIVERS: usize = 12;

/// A policy with what is known of it.
#[derive(Clone, Debug)]
pub(super) struct Followed<'a> {
    pub(super) draft: Draft,
    /// The crate whose policy it is; `None`: an iterator of delays.
    pub(super) library: Option<&'a Library>,
    /// Which of its policies.
    pub(super) policy: Option<&'a Policy>,
    /// What builds it.
    pub(super) made: Vec<Written>,
    /// Whoever uses the crate may give another one.
    pub(super) open: bool,
    /// It is an iterator that is written out, and nothing but its use tells that it is a policy.
    pub(super) is_own: bool,
}

/// The policy that an expression gives.
pub(super) fn origin<'a>(cx: &Context<'a>, value: ExprId) -> Option<Followed<'a>> {
    follow(&Scope::of(cx), value)
}

/// The policy that an expression gives in a function that is given values.
pub(super) fn follow<'a>(scope: &Scope<'_, 'a>, id: ExprId) -> Option<Followed<'a>> {
    scope.step(id, || by_kind(scope, id))
}

fn by_kind<'a>(scope: &Scope<'_, 'a>, id: ExprId) -> Option<Followed<'a>> {
    let cx = scope.cx;
    if let Some((library, policy)) = built_at(cx, id) {
        return Some(built(scope, library, policy, id));
    }
    match &cx.body.expr(id).kind {
        ExprKind::Ref(inner)
        | ExprKind::Unary(UnOp::Deref, inner)
        | ExprKind::Try(inner)
        | ExprKind::Await(inner)
        | ExprKind::Cast(inner, _) => follow(scope, *inner),
        ExprKind::Block(block) => follow(scope, block.tail?),
        ExprKind::If { cond, then, otherwise } => match scope.truth(*cond) {
            Some(true) => follow(scope, *then),
            Some(false) => follow(scope, (*otherwise)?),
            None => either([*then, (*otherwise)?].map(|way| follow(scope, way))),
        },
        ExprKind::Match(_, arms) => {
            let leaves = |id: ExprId| matches!(cx.body.expr(id).kind, ExprKind::Return(_));
            either(arms.iter().filter(|arm| !leaves(arm.body)).map(|arm| follow(scope, arm.body)))
        }
        ExprKind::Path(path) => match cx.body.local(id) {
            Some(local) => variable(scope, local, id),
            None if path.single() == Some("self") => scope.receiver.as_ref()?.policy.clone(),
            None => match cx.krate.path(cx.at, &path.segments) {
                Target::Item(item) => whole(&scope.deeper(&*cx.inside(item)?)?),
                _ => None,
            },
        },
        ExprKind::Field(base, name) => field(scope, *base, name),
        ExprKind::Struct(literal) => {
            let values = literal.fields.iter().map(|(_, value)| *value);
            let mut made = wrapped(scope, id, literal.path.last(), values);
            // `Self { backoff, tried: 0, max_retries: 3 }`
            let limit = literal.fields.iter().find(|(name, value)| {
                says(&cx.words().attempts, name) && number(scope, *value).is_some_and(|most| most > 0.0)
            });
            if let (Some(made), Some((_, value))) = (&mut made, limit) {
                made.draft.count_outside(cx.evidence(*value, "at most so often"));
            }
            made.or_else(|| counted_out(scope, id))
        }
        ExprKind::Call(..) => call(scope, id),
        ExprKind::Method(method) => by_method(scope, id, method),
        ExprKind::Range { .. } | ExprKind::Array(_) => counted_out(scope, id),
        _ => None,
    }
}

/// What a constructor gives.
fn built<'a>(scope: &Scope<'_, 'a>, library: &'a Library, policy: &'a Policy, id: ExprId) -> Followed<'a> {
    Followed {
        draft: Draft::built(scope, library, policy, id),
        library: Some(library),
        policy: Some(policy),
        made: vec![(scope.cx.at, id)],
        open: false,
        is_own: false,
    }
}

/// What holds whichever way it is built.
fn either<'a>(ways: impl IntoIterator<Item = Option<Followed<'a>>>) -> Option<Followed<'a>> {
    let mut ways = ways.into_iter();
    let mut made = ways.next()??;
    for way in ways {
        let way = way?;
        made.draft.agree(&way.draft);
        made.made.extend(way.made);
        made.open |= way.open;
        made.is_own |= way.is_own;
        if made.library.map(|it| &it.crates) != way.library.map(|it| &it.crates) {
            made.library = None;
        }
        if !made.policy.zip(way.policy).is_some_and(|(one, other)| std::ptr::eq(one, other)) {
            made.policy = None;
        }
    }
    Some(made)
}

/// What a whole body gives: a constant's, or a function's with what it returns early.
fn whole<'a>(scope: &Scope<'_, 'a>) -> Option<Followed<'a>> {
    let body = scope.cx.body;
    let fails = |id: ExprId| matches!(scope.cx.call_name(id), "Err" | "None") || is_none(scope.cx, id);
    let returned = body.exprs().filter_map(|(_, expr)| match expr.kind {
        ExprKind::Return(value) => value.filter(|value| !fails(*value)),
        _ => None,
    });
    either(returned.chain([body.root]).map(|value| follow(scope, value)))
}

pub(super) fn is_none(cx: &Context<'_>, id: ExprId) -> bool {
    matches!(&cx.body.expr(id).kind, ExprKind::Path(path) if path.last() == "None")
}

/// A variable as it is where it is used: what it was made, and what was done to it since.
fn variable<'a>(scope: &Scope<'_, 'a>, local: Local, used: ExprId) -> Option<Followed<'a>> {
    if let Some(value) = scope.given.get(&local) {
        return value.policy.clone();
    }
    let cx = scope.cx;
    let Some(init) = cx.init(local) else {
        let at = cx.body.param(local)?;
        return by_callers(scope, at);
    };
    let mut policy = follow(scope, init)?;
    let home = enclosing(cx, init);
    for (id, expr) in cx.body.exprs().filter(|(id, _)| *id > init && *id < used) {
        let maybe = enclosing(cx, id) != home;
        match &expr.kind {
            // `policy = policy.with_jitter()`
            ExprKind::Assign(place, value) if cx.body.local(*place) == Some(local) && *value < used => {
                let known = Value { amount: Amount::unknown(), policy: Some(policy.clone()) };
                let then = follow(&scope.with(local, known), *value)?;
                policy = if maybe { either([Some(policy), Some(then)])? } else { then };
            }
            // `policy.set_jitter(true);`; what a setter by value gives, and nobody takes, changes nothing
            ExprKind::Method(_)
                if is_statement(cx, id)
                    && cx.body.local(cx.chain_root(id)) == Some(local)
                    && policy.library.is_none_or(|library| library.in_place) =>
            {
                let known = Value { amount: Amount::unknown(), policy: Some(policy.clone()) };
                let Some(then) = follow(&scope.with(local, known), id) else { continue };
                policy = if maybe { either([Some(policy), Some(then)])? } else { then };
            }
            // `policy.max_delay = None;`
            ExprKind::Assign(place, value) => {
                if let ExprKind::Field(base, name) = &cx.body.expr(*place).kind
                    && cx.body.local(*base) == Some(local)
                    && let Some(setter) = policy.library.and_then(|library| library.field(name))
                {
                    policy.draft.set(scope, setter, id, &[*value], maybe);
                }
            }
            _ => {}
        }
    }
    Some(policy)
}

/// What all callers give as a parameter.
fn by_callers<'a>(scope: &Scope<'_, 'a>, param: usize) -> Option<Followed<'a>> {
    let given = scope.cx.given(param)?;
    if given.len() > MOST_GIVERS {
        return None;
    }
    either(given.iter().map(|(caller, arg)| follow(&scope.deeper(caller)?, *arg)))
}

/// What the crate puts into a field. A setter by which others put in theirs leaves open what it is.
fn field<'a>(scope: &Scope<'_, 'a>, base: ExprId, name: &str) -> Option<Followed<'a>> {
    let cx = scope.cx;
    if let Some((_, held)) = scope.field.as_ref().filter(|(held, _)| held == name) {
        return Some(held.clone());
    }
    let ty = cx.krate.type_of(cx.at, cx.body, base)?;
    let writes = cx.field_writes(peeled(&ty), name)?;
    if writes.len() > MOST_GIVERS {
        return None;
    }
    let mut open = false;
    let mut ways = Vec::new();
    let mut changes = Vec::new();
    for (at, value) in writes {
        let inner = cx.inside(at)?;
        if is_copy(&inner, value, &ty, name) {
            continue;
        }
        if is_handed_in(&inner, value) {
            open = true;
        } else if changes_field(&inner, value, name) {
            changes.push((inner, value));
        } else {
            ways.push(follow(&scope.deeper(&inner)?, value));
        }
    }
    let mut made = either(ways)?;
    // what some function does to it later may be done or not
    for (inner, value) in changes {
        let mut scope = scope.deeper(&inner)?;
        scope.field = Some((name.to_owned(), made.clone()));
        made = either([Some(made), follow(&scope, value)])?;
    }
    made.open |= open;
    Some(made)
}

/// `Self { backoff: self.backoff.clone() }`: what another value of the type has, it got in one of the other ways.
fn is_copy(cx: &Context<'_>, value: ExprId, ty: &Ty, name: &str) -> bool {
    match &cx.body.expr(value).kind {
        ExprKind::Ref(inner) | ExprKind::Unary(UnOp::Deref, inner) => is_copy(cx, *inner, ty, name),
        ExprKind::Method(call) if call.name == "clone" => is_copy(cx, call.receiver, ty, name),
        ExprKind::Field(base, field) if field == name => {
            cx.type_of(*base).is_some_and(|of| peeled(&of).path == peeled(ty).path)
        }
        _ => false,
    }
}

/// `self.backoff.with_max_times(16)`, stored in `self.backoff`.
fn changes_field(cx: &Context<'_>, value: ExprId, name: &str) -> bool {
    let at = cx.chain_root(value);
    at != value && matches!(&cx.body.expr(at).kind, ExprKind::Field(_, field) if field == name)
}

/// Whether a value is made of a parameter that nobody in the crate gives: others do.
fn is_handed_in(cx: &Context<'_>, value: ExprId) -> bool {
    let is_param = |id: ExprId| cx.body.params.iter().any(|param| cx.body.local(id) == Some(param.pat));
    cx.body.any(value, is_param) && cx.given(0).is_some_and(|given| given.is_empty())
}

/// What a constructor of the crate that is named after retrying wraps: its one policy. How often it is asked, the wrapper may count itself.
fn wrapped<'a>(
    scope: &Scope<'_, 'a>,
    id: ExprId,
    name: &str,
    values: impl Iterator<Item = ExprId>,
) -> Option<Followed<'a>> {
    let words = scope.cx.words();
    let own = scope.cx.type_of(id).filter(|ty| !ty.path.is_empty())?;
    if !matches!(scope.cx.krate.path(scope.cx.at, &own.path), Target::Item(_)) {
        return None;
    }
    let name = if name == "Self" { own.name() } else { name };
    if !says(&words.retry, name) && !says(&words.delay, name) {
        return None;
    }
    let mut held = values.filter_map(|value| follow(scope, value));
    let mut made = held.next()?;
    // the same one built, and what it is built from
    if held.any(|other| other.made != made.made) {
        return None;
    }
    made.draft.leave_attempts_open();
    (made.library, made.policy) = (None, None);
    Some(made)
}

/// Delays that are written out: a list, a range, an iterator of std or of the crate.
fn counted_out<'a>(scope: &Scope<'_, 'a>, id: ExprId) -> Option<Followed<'a>> {
    let cx = scope.cx;
    let replay = items(cx, &scope.vars(), id);
    let draft = Draft::of_delays(&replay, &cx.evidence(id, "gives the delays"))?;
    Some(Followed { draft, library: None, policy: None, made: vec![(cx.at, id)], open: false, is_own: true })
}

fn call<'a>(scope: &Scope<'_, 'a>, id: ExprId) -> Option<Followed<'a>> {
    let cx = scope.cx;
    let args = cx.args(id);
    let name = cx.call_name(id);
    let ExprKind::Call(callee, _) = &cx.body.expr(id).kind else { return None };
    let ExprKind::Path(path) = &cx.body.expr(*callee).kind else { return None };
    let around = path.segments.iter().rev().nth(1).map_or("", String::as_str);
    match (around, name, args) {
        ("", "Some" | "Ok" | "Box", [inner]) | ("Box" | "Arc" | "Rc" | "Some" | "Ok" | "Cow", _, [inner]) => {
            return follow(scope, *inner);
        }
        ("LazyLock" | "Lazy" | "LazyCell" | "OnceLock" | "OnceCell", _, [inner]) => {
            return follow_closure(scope, *inner);
        }
        _ => {}
    }
    // a function of a library that is given the policy and gives it back changed
    let wrapper = full_paths(cx, &path.segments)
        .into_iter()
        .find_map(|full| cx.knowledge.libraries.of_crate(full.first()?)?.wrapper(&full));
    if let Some(wrapper) = wrapper {
        let mut policy = follow(scope, *args.get(wrapper.policy)?)?;
        policy.draft.set(scope, wrapper, id, args, false);
        return Some(policy);
    }
    if let Callee::Own(item) = cx.callee(id) {
        let is_method = cx.inside(item).is_some_and(|inner| inner.body.receiver.is_some());
        let (receiver, args) = match args.split_first() {
            Some((receiver, rest)) if is_method => (Some(*receiver), rest),
            _ => (None, args),
        };
        let mut policy = inside(scope, item, receiver, args).or_else(|| counted_out(scope, id))?;
        // a constructor of an iterator: where it is called, not where its fields are filled
        if policy.is_own && cx.type_of(id).is_some_and(|ty| cx.krate.method(&ty, "next").is_some()) {
            policy.made = vec![(cx.at, id)];
        }
        return Some(policy);
    }
    match cx.krate.path(cx.at, &path.segments) {
        // a tuple struct around a policy
        Target::Item(item) if cx.krate.struct_data(item).is_some() => {
            wrapped(scope, id, name, args.iter().copied())
        }
        // a conversion into a wrapper, or an iterator of std
        Target::External(_) | Target::Unknown
            if matches!(name, "repeat" | "repeat_with" | "once" | "successors" | "from_fn") =>
        {
            counted_out(scope, id)
        }
        _ => None,
    }
}

/// What a closure, or a function that is given by its name, makes.
pub(super) fn follow_closure<'a>(scope: &Scope<'_, 'a>, id: ExprId) -> Option<Followed<'a>> {
    let cx = scope.cx;
    match &cx.body.expr(id).kind {
        ExprKind::Closure { body, .. } => follow(scope, *body),
        ExprKind::Path(path) => {
            if let Some(Callee::Own(item)) = cx.by_path(path) {
                return whole(&scope.deeper(&*cx.inside(item)?)?);
            }
            let paths = full_paths(cx, &path.segments);
            let (library, policy) = paths.iter().find_map(|full| cx.knowledge.libraries.built_by(full))?;
            Some(built(scope, library, policy, id))
        }
        _ => None,
    }
}

/// What a function of the crate gives when it is given this.
fn inside<'a>(
    scope: &Scope<'_, 'a>,
    item: ItemRef,
    receiver: Option<ExprId>,
    args: &[ExprId],
) -> Option<Followed<'a>> {
    let inner = scope.cx.inside(item)?;
    if item == scope.cx.at {
        return None;
    }
    let value = |id: ExprId| Value { amount: scope.amount(id), policy: follow(scope, id) };
    let mut called = scope.deeper(&inner)?;
    called.receiver = receiver.map(value);
    called.given = inner.body.params.iter().zip(args).map(|(param, arg)| (param.pat, value(*arg))).collect();
    whole(&called)
}

fn by_method<'a>(scope: &Scope<'_, 'a>, id: ExprId, call: &MethodCall) -> Option<Followed<'a>> {
    let cx = scope.cx;
    let name = call.name.as_str();
    if let Some(mut policy) = follow(scope, call.receiver) {
        if let Some((setter, args)) = policy.library.and_then(|library| setter_of(cx, library, call)) {
            policy.draft.set(scope, setter, id, args, false);
            return Some(policy);
        }
        if hands_on(name) {
            return Some(policy);
        }
        if let Callee::Own(item) = cx.callee(id) {
            return inside(scope, item, Some(call.receiver), &call.args);
        }
        // what is made of numbers one by one is no more what they were
        if policy.library.is_none()
            && name == "map"
            && let Some(made) = counted_out(scope, id)
        {
            policy.draft.take_delays(&made.draft);
            return Some(policy);
        }
        let known = adapt(scope, &mut policy, id, call);
        return known.then_some(policy);
    }
    match (name, call.args.as_slice()) {
        // what somebody may hook in is theirs; what the code does without is the fallback
        ("unwrap_or", [other]) => opened(follow(scope, *other)?),
        ("unwrap_or_else", [other]) => opened(follow_closure(scope, *other)?),
        ("get_or_init", [made]) => follow_closure(scope, *made),
        _ => match cx.callee(id) {
            Callee::Own(item) => inside(scope, item, Some(call.receiver), &call.args),
            _ => None,
        },
    }
}

#[allow(clippy::unnecessary_wraps)] // in line with the other ways
fn opened(mut policy: Followed<'_>) -> Option<Followed<'_>> {
    policy.open = true;
    Some(policy)
}
