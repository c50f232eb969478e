//! Retries inside retries: what one attempt calls may try again by itself, and attempts multiply.
//! It holds sites against one another once all are told; it makes none, and speaks only where the inner one ends and its failure comes back to the outer one.

use super::context::{Callee, Context};
use super::summary::{MOST_CALLS, summary};
use crate::body::{ExprId, ExprKind, Span};
use crate::knowledge::Role;
use crate::model::{BoundKind, Chain, Confidence, ErrorKind, Evidence, Fact, Kind, Site};
use crate::resolve::{ItemRef, peeled};
use std::collections::HashMap;

/// The sites of a crate, by the function that they stand in.
pub(super) type Told<'s> = HashMap<ItemRef, Vec<&'s Site>>;

/// What is nested in a site.
pub(super) struct Nested {
    /// The way there, the inner site last.
    chain: Vec<Chain>,
    /// What shows that it is tried again.
    shown: Evidence,
}

impl Nested {
    /// Writes it into the site around.
    pub(super) fn fill(self, site: &mut Site) {
        let own = site.attempts.max.value().copied();
        let inner = self.chain.iter().filter(|step| step.attempts.is_some());
        let product = inner.filter_map(|step| step.attempts).product::<f64>();
        let known = self.chain.last().is_some_and(|step| step.attempts.is_some());
        if let Some(own) = own.filter(|_| known) {
            site.amplification = Fact::Known(own * product, self.shown.clone());
        }
        site.nested = Fact::Known(true, self.shown);
        site.chain = self.chain;
    }
}

/// Variables that an outcome is followed through.
const MOST_NAMES: u32 = 2;

/// Implementations of a trait's method that are asked.
const MOST_BODIES: usize = 8;

/// A receiver's maker is followed through this many variables, fields and functions.
const MOST_MAKERS: u32 = 4;

/// What is nested in each of the sites that stand in this body.
pub(super) fn inside(cx: &Context<'_>, told: &Told<'_>) -> Vec<Option<Nested>> {
    let sites = told.get(&cx.at).into_iter().flatten();
    sites.map(|site| inside_site(cx, told, site)).collect()
}

fn inside_site(cx: &Context<'_>, told: &Told<'_>, site: &Site) -> Option<Nested> {
    if !multiplies(site) {
        return None;
    }
    let search = Search { told, outer: site };
    let work = attempt_of(cx, site)?;
    if site.kind == Kind::Helper {
        return search.given(cx);
    }
    search.beside(cx, &work).or_else(|| search.among(cx, &work, MOST_CALLS))
}

/// Whether a site's attempts are tries for one thing that somebody wants: a connection that is kept alive is another matter, and what never
/// gives up has no number to multiply.
fn multiplies(site: &Site) -> bool {
    let is_told = site.kind != Kind::Library || site.attempts.kind.is_known() || site.errors.kind.is_known();
    matches!(site.kind, Kind::Retry | Kind::Recursion | Kind::Library | Kind::Helper)
        && is_told
        && !matches!(site.attempts.kind.value(), Some(BoundKind::Unbounded | BoundKind::Cancellable))
        && !is_remedy(site)
}

/// Once more, after what was in the way is put right: a fresh token, a new connection. Nothing is multiplied by that.
fn is_remedy(site: &Site) -> bool {
    site.attempts.max.value().is_some_and(|most| *most <= 2.0) || site.errors.stale_connection.is(&true)
}

/// Whether what the inner retry gives up on goes round the outer one: where each picks its errors, they may be different ones.
fn overlaps(outer: &Site, inner: &Site) -> bool {
    let all = |site: &Site| site.errors.kind.is(&ErrorKind::All);
    all(outer) || all(inner) || is_layer(inner)
}

/// Whether a site that an attempt comes to is known to try again, and to end.
fn tries_again(site: &Site) -> bool {
    let ends = matches!(site.attempts.kind.value(), Some(BoundKind::Bounded | BoundKind::Deadline));
    // where a name had to decide that it is a retry, only a count that was followed is believed
    let counted = site.attempts.max.is_known() && site.operation.remote.is(&true);
    let counts = match site.kind {
        Kind::Retry | Kind::Reconnect => ends && (site.confidence == Confidence::High || counted),
        Kind::Recursion => counted,
        Kind::Library => ends,
        _ => false,
    };
    counts && !is_remedy(site) && !site.operation.remote.is(&false)
}

/// A retry policy that every request of a client goes through.
fn is_layer(site: &Site) -> bool {
    site.kind == Kind::Library && site.operation.remote.is(&true) && !site.operation.text.is_known()
}

fn is_call(cx: &Context<'_>, id: ExprId) -> bool {
    matches!(cx.body.expr(id).kind, ExprKind::Call(..) | ExprKind::Method(_))
}

fn is_sure(cx: &Context<'_>, call: ExprId) -> bool {
    match &cx.body.expr(call).kind {
        ExprKind::Method(method) => cx.type_of(method.receiver).is_some(),
        _ => true,
    }
}

fn span_of(place: &crate::model::Place) -> Span {
    Span { start: place.start_byte, end: place.end_byte }
}

/// What one attempt of a site does, as far as it is written in the body: the operation, and what of it is made in the same round.
fn attempt_of(cx: &Context<'_>, site: &Site) -> Option<Vec<Span>> {
    let whole = span_of(&site.place);
    let main = span_of(site.operation.text.evidence()?.place.as_ref()?);
    // the call of an engine that has its operation inside is no attempt
    if main == whole && site.kind == Kind::Library {
        return None;
    }
    if leaves_at_once(cx, main, whole) {
        return None;
    }
    let mut work = vec![main];
    // `let reply = fetch().await?;`, and then `reply.bytes()` fails: head and body of one request
    let call = cx.body.exprs().find(|(id, expr)| expr.span == main && is_call(cx, *id));
    let mut root = call.map(|(id, _)| id);
    for _ in 0..16 {
        root = match root.map(|id| &cx.body.expr(id).kind) {
            Some(ExprKind::Method(call)) => Some(call.receiver),
            Some(ExprKind::Await(inner) | ExprKind::Ref(inner)) => Some(*inner),
            _ => break,
        };
    }
    let made = root.and_then(|id| cx.body.local(id)).and_then(|local| cx.init(local));
    let made = made.filter(|init| is_call(cx, bare(cx, *init)));
    work.extend(made.map(|init| cx.body.expr(init).span).filter(|made| whole.contains(*made)));
    Some(work)
}

/// What is awaited, or handed up by `?`.
fn bare(cx: &Context<'_>, id: ExprId) -> ExprId {
    match &cx.body.expr(id).kind {
        ExprKind::Try(inner) | ExprKind::Await(inner) => match &cx.body.expr(*inner).kind {
            ExprKind::Await(awaited) => *awaited,
            _ => *inner,
        },
        _ => id,
    }
}

/// `dial().await?` in the loop itself: its failure goes round no more.
fn leaves_at_once(cx: &Context<'_>, main: Span, whole: Span) -> bool {
    let Some((call, _)) = cx.body.exprs().find(|(id, expr)| expr.span == main && is_call(cx, *id)) else {
        return false;
    };
    let inside = cx.task_around(call).is_some_and(|task| whole.contains(cx.body.expr(task).span));
    let handed_up = |at: ExprId| matches!(cx.body.expr(at).kind, ExprKind::Try(_));
    let passes = |at: &ExprId| {
        matches!(cx.body.expr(*at).kind, ExprKind::Await(_) | ExprKind::Method(_) | ExprKind::Try(_))
    };
    !inside && cx.around(call).take_while(passes).any(handed_up)
}

/// Whether a loop over a list stands between two sites: what the inner one gives up on, the next member of the list may do.
pub(super) fn goes_over_several(cx: &Context<'_>, whole: Span, inner: Span) -> bool {
    cx.body.exprs().any(|(_, expr)| match &expr.kind {
        ExprKind::For { iter, .. } => {
            let between = whole.contains(expr.span) && expr.span.contains(inner);
            between
                && expr.span != whole
                && expr.span != inner
                && !matches!(cx.body.expr(*iter).kind, ExprKind::Range { .. })
        }
        _ => false,
    })
}

struct Search<'t, 's> {
    told: &'t Told<'s>,
    /// The site in whose attempts something is looked for.
    outer: &'t Site,
}

impl Search<'_, '_> {
    /// A site of the same body that stands in what an attempt does, or around its operation.
    fn beside(&self, cx: &Context<'_>, work: &[Span]) -> Option<Nested> {
        let whole = span_of(&self.outer.place);
        let inner = self.told.get(&cx.at)?.iter().find(|other| {
            let span = span_of(&other.place);
            span != whole
                && whole.contains(span)
                && tries_again(other)
                && overlaps(self.outer, other)
                && other.operation.remote.is(&true)
                && !goes_over_several(cx, whole, span)
                && work
                    .iter()
                    .any(|part| part.contains(span) || span.contains(*part) && !span.contains(whole))
        })?;
        Some(found(inner))
    }

    /// What the calls in some pieces of a body come to.
    fn among(&self, cx: &Context<'_>, work: &[Span], left: u32) -> Option<Nested> {
        let left = left.checked_sub(1)?;
        for (id, expr) in cx.body.exprs() {
            if !is_call(cx, id) || !work.iter().any(|part| part.contains(expr.span)) {
                continue;
            }
            // the operation itself is what failed; of what it does inside, the failure must come back
            if !work.contains(&expr.span) && !comes_back(cx, id) {
                continue;
            }
            let found = match cx.callee(id) {
                // of a method whose receiver's type nobody knows, the name alone was found
                Callee::Own(item) if item != cx.at && is_sure(cx, id) => self.through(cx, id, item, left),
                _ => self.by_client(cx, id),
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// What a call of a function of the crate comes to.
    fn through(&self, cx: &Context<'_>, call: ExprId, item: ItemRef, left: u32) -> Option<Nested> {
        let Some(inner) = cx.inside(item) else {
            // a trait's method: what one of the crate's own types does there is enough
            let bodies = cx.krate.implementations(item).into_iter().take(MOST_BODIES);
            return bodies
                .filter(|body| cx.inside(*body).is_some())
                .find_map(|body| self.through(cx, call, body, left));
        };
        let asked = summary(cx, item);
        if !(asked.fallible || asked.is_async) || asked.drives_operand {
            return None;
        }
        let sites = self.told.get(&item).into_iter().flatten();
        let direct = sites.copied().find(|site| {
            // what a decorator wraps is no second one of its own
            tries_again(site)
                && site.place != self.outer.place
                && overlaps(self.outer, site)
                && (site.operation.remote.is(&true)
                    || site.operation.remote.value().is_none() && asked.remote == Some(true))
        });
        let mut nested = match direct {
            Some(site) => found(site),
            None => self.among(&inner, &[inner.body.expr(inner.body.root).span], left)?,
        };
        if let Some(place) = cx.place(call) {
            let function = cx.krate.qualified_name(cx.at);
            nested.chain.insert(0, Chain { place, function, attempts: None });
        }
        Some(nested)
    }

    /// A client that tries again by itself: by its type, or because it was made so.
    fn by_client(&self, cx: &Context<'_>, call: ExprId) -> Option<Nested> {
        let ExprKind::Method(method) = &cx.body.expr(call).kind else { return None };
        let mut at = method.receiver;
        let by_type = |id: ExprId| cx.type_of(id).is_some_and(|ty| cx.knowledge.retries_by_itself(&ty.path));
        for _ in 0..16 {
            // of calls that hand such a client to an engine of the crate it is told once, at the engine
            let is_handed = self.outer.kind == Kind::Library && self.outer.confidence != Confidence::High;
            if !is_handed && by_type(at) {
                let place = cx.place(call)?;
                let function = cx.krate.qualified_name(cx.at);
                let shown = cx.evidence(call, "the client tries this again by itself");
                return Some(Nested { chain: vec![Chain { place, function, attempts: None }], shown });
            }
            if let Some(nested) = self.made_to_retry(cx, at, MOST_MAKERS) {
                return Some(nested);
            }
            at = match &cx.body.expr(at).kind {
                ExprKind::Method(call) => call.receiver,
                ExprKind::Await(inner) | ExprKind::Ref(inner) | ExprKind::Try(inner) => *inner,
                _ => return None,
            };
        }
        None
    }

    /// Whether a value was made with a layer that tries its requests again.
    fn made_to_retry(&self, cx: &Context<'_>, id: ExprId, left: u32) -> Option<Nested> {
        let left = left.checked_sub(1)?;
        match &cx.body.expr(id).kind {
            ExprKind::Ref(inner) | ExprKind::Try(inner) | ExprKind::Await(inner) => {
                self.made_to_retry(cx, *inner, left)
            }
            ExprKind::Path(_) => {
                let local = cx.body.local(id)?;
                if let Some(param) = cx.body.param(local) {
                    return self.given_to_retry(cx, param, left);
                }
                let init = cx.init(local)?;
                let span = cx.body.expr(init).span;
                self.layer_in(cx.at, Some(span)).or_else(|| self.made_to_retry(cx, init, left))
            }
            ExprKind::Field(base, name) => {
                let ty = cx.krate.type_of(cx.at, cx.body, *base)?;
                let writes = cx.field_writes(peeled(&ty), name)?;
                writes.into_iter().find_map(|(at, value)| {
                    let inner = cx.inside(at)?;
                    let span = inner.body.expr(value).span;
                    self.layer_in(at, Some(span)).or_else(|| self.made_to_retry(&inner, value, left))
                })
            }
            ExprKind::Call(..) | ExprKind::Method(_) => match cx.callee(id) {
                Callee::Own(item) => self.layer_in(item, None),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether all callers give a parameter something that was made so.
    fn given_to_retry(&self, cx: &Context<'_>, param: usize, left: u32) -> Option<Nested> {
        let given = cx.given(param).filter(|given| given.len() <= MOST_BODIES)?;
        let made: Option<Vec<Nested>> =
            given.iter().map(|(caller, arg)| self.made_to_retry(caller, *arg, left)).collect();
        made?.into_iter().next()
    }

    /// A retry policy that every request of what is made goes through.
    fn layer_in(&self, item: ItemRef, within: Option<Span>) -> Option<Nested> {
        let layer = self.told.get(&item)?.iter().find(|site| {
            is_layer(site)
                && tries_again(site)
                && within.is_none_or(|span| span.contains(span_of(&site.place)))
        })?;
        Some(found(layer))
    }

    /// Of an engine's operand its callers are asked: each gives it something that tries again.
    fn given(&self, cx: &Context<'_>) -> Option<Nested> {
        let in_test = |item: ItemRef| cx.krate.item(item).is_none_or(|item| item.in_test);
        let callers = cx.callers().into_iter().filter(|(item, _)| *item != cx.at && !in_test(*item));
        let found: Option<Vec<Nested>> = callers
            .map(|(item, call)| {
                let caller = cx.inside(item)?;
                let work: Vec<Span> = caller
                    .args(call)
                    .iter()
                    .filter(|arg| caller.is_work(**arg))
                    .map(|arg| caller.body.expr(*arg).span)
                    .collect();
                self.among(&caller, &work, MOST_CALLS)
            })
            .collect();
        found?.into_iter().next()
    }
}

fn found(site: &Site) -> Nested {
    let attempts = site.attempts.max.value().copied();
    let words = match attempts {
        Some(most) if most.fract() == 0.0 => format!("each attempt tries up to {most} times here"),
        _ => "each attempt tries again here".to_owned(),
    };
    let shown = Evidence { place: Some(site.place.clone()), text: words };
    let step = Chain { place: site.place.clone(), function: site.function.clone(), attempts };
    Nested { chain: vec![step], shown }
}

/// Whether a call's failure comes back to whoever asked: it is handed up by `?`, or is what the function or closure gives.
fn comes_back(cx: &Context<'_>, call: ExprId) -> bool {
    comes_back_through(cx, call, MOST_NAMES)
}

fn comes_back_through(cx: &Context<'_>, call: ExprId, left: u32) -> bool {
    let mut at = call;
    while let Some(parent) = cx.parent(at) {
        match &cx.body.expr(parent).kind {
            ExprKind::Try(_) | ExprKind::Return(_) => return true,
            ExprKind::Call(..) if matches!(cx.role(parent), Some(Role::Spawn)) => return false,
            ExprKind::Block(block) if block.tail != Some(at) => {
                // `let reply = fetch().await; …; reply.map_err(…)`
                let Some((local, left)) = cx.local_of(at).zip(left.checked_sub(1)) else { return false };
                let speaks = |id: ExprId| cx.body.local(id) == Some(local);
                return cx.body.exprs().any(|(id, _)| speaks(id) && comes_back_through(cx, id, left));
            }
            ExprKind::If { cond, .. } if *cond == at => return false,
            ExprKind::Match(value, _) if *value == at => return false,
            ExprKind::Let(..) | ExprKind::For { .. } | ExprKind::While { .. } | ExprKind::Loop { .. } => {
                return false;
            }
            _ => {}
        }
        at = parent;
    }
    true
}
