//! Handlers that decide after each failure what is done: a closure, or a method of a type of the crate, that gives one of a library's decisions.
//! Read is what is written out: waits that are constants, no wait at all, and whether any decision gives up.

use super::draft::number;
use super::full_paths;
use super::scope::Scope;
use crate::body::{ExprId, ExprKind};
use crate::detect::context::{Callee, Context};
use crate::knowledge::{Decisions, Driver, Library};
use crate::model::{BoundKind, ErrorKind, Evidence, Fact, Growth, Jitter, Site};
use crate::resolve::ItemRef;
use std::rc::Rc;

/// Functions that a handler hands the decision on to.
const MOST_CALLS: u32 = 3;

/// What a handler may decide.
#[derive(Default)]
struct Decided {
    /// Waits, in seconds where they are written; with the place.
    waits: Vec<(Option<f64>, Evidence)>,
    at_once: Option<Evidence>,
    gives_up: bool,
    /// A decision comes from somewhere that nobody sees.
    open: bool,
}

/// Writes what the handler of a call decides into its site.
pub(super) fn fill(cx: &Context<'_>, library: &Library, driver: &Driver, call: ExprId, site: &mut Site) {
    let Some(handler) = driver.handler.and_then(|at| super::drivers::args_of(cx, call).get(at).copied())
    else {
        return;
    };
    let mut decided = Decided::default();
    asked(cx, library, handler, &mut decided);
    if decided.open || decided.waits.is_empty() && decided.at_once.is_none() {
        return;
    }
    let shown = decided.at_once.clone().or_else(|| decided.waits.first().map(|(_, at)| at.clone()));
    let Some(shown) = shown else { return };
    if !decided.gives_up {
        site.attempts.kind = Fact::Known(BoundKind::Unbounded, shown.clone());
        site.errors.kind = Fact::Known(ErrorKind::All, shown.clone());
    }
    site.delay.made_elsewhere = Fact::known(false);
    match (decided.waits.as_slice(), &decided.at_once) {
        ([], Some(at_once)) => {
            site.delay.growth = Fact::Known(Growth::None, at_once.clone());
            site.delay.jitter = Fact::Known(Jitter::None, at_once.clone());
            site.operation.waits = Fact::known(false);
        }
        ([(Some(first), at), rest @ ..], None) if rest.iter().all(|(other, _)| *other == Some(*first)) => {
            site.delay.growth = Fact::Known(Growth::Constant, at.clone());
            site.delay.jitter = Fact::Known(Jitter::None, at.clone());
            site.delay.first_s = Fact::Known(*first, at.clone());
        }
        _ => {}
    }
}

/// A closure, a function by its name, or a value whose type has the method that is asked.
fn asked(cx: &Context<'_>, library: &Library, handler: ExprId, decided: &mut Decided) {
    let at = match &cx.body.expr(handler).kind {
        ExprKind::Path(_) => cx.behind_name(handler),
        _ => handler,
    };
    if let ExprKind::Closure { body, .. } = cx.body.expr(at).kind {
        decisions_in(cx, library, body, MOST_CALLS, decided);
        return;
    }
    let by_name = || match &cx.body.expr(at).kind {
        ExprKind::Path(path) => match cx.by_path(path)? {
            Callee::Own(item) => Some(item),
            _ => None,
        },
        _ => None,
    };
    let method = || cx.krate.method(&cx.type_of(at)?, library.decisions.method.as_deref()?);
    match method().or_else(by_name) {
        Some(item) => function(cx, library, item, MOST_CALLS, decided),
        None => decided.open = true,
    }
}

fn function(cx: &Context<'_>, library: &Library, item: ItemRef, left: u32, decided: &mut Decided) {
    let inner: Option<Rc<Context<'_>>> = cx.inside(item).filter(|_| left > 0 && item != cx.at);
    match inner {
        Some(inner) => decisions_in(&inner, library, inner.body.root, left - 1, decided),
        None => decided.open = true,
    }
}

fn decisions_in(cx: &Context<'_>, library: &Library, root: ExprId, left: u32, decided: &mut Decided) {
    let Decisions { waits, at_once, gives_up, .. } = &library.decisions;
    cx.body.walk(root, &mut |id| {
        let named = |id: ExprId, list: &[String]| match &cx.body.expr(id).kind {
            ExprKind::Path(path) if cx.body.local(id).is_none() => {
                full_paths(cx, &path.segments).iter().any(|full| list.contains(&full.join("::")))
            }
            _ => false,
        };
        match &cx.body.expr(id).kind {
            ExprKind::Call(callee, args) if named(*callee, waits) => {
                let wait = args.first().and_then(|arg| number(&Scope::of(cx), *arg));
                decided.waits.push((wait, cx.evidence(id, "waits so long after each failure")));
            }
            ExprKind::Path(_) if named(id, at_once) => {
                decided.at_once = Some(cx.evidence(id, "tries again at once"));
            }
            ExprKind::Path(_) => decided.gives_up |= named(id, gives_up),
            ExprKind::Call(..) | ExprKind::Method(_) => match cx.callee(id) {
                Callee::Own(item) if gives_decision(cx, library, item) => {
                    function(cx, library, item, left, decided);
                }
                // a field that is called, somebody's closure
                Callee::Operand(_) => decided.open = true,
                _ => {}
            },
            _ => {}
        }
        true
    });
}

fn gives_decision(cx: &Context<'_>, library: &Library, item: ItemRef) -> bool {
    let ret = cx.krate.signature(item).and_then(|signature| signature.ret.clone());
    ret.map(|ret| cx.krate.full_type(item, &ret))
        .is_some_and(|ty| ty.path.first().is_some_and(|first| library.crates.contains(first)))
}
