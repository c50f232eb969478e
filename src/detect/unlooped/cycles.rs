//! Functions that come back to themselves through others: `handle` calls `retry_later`, which calls `handle`.
//! Asked only of bodies that wait or are named after retrying; a parser's mutual recursion is none of ours.

use crate::body::ExprKind;
use crate::detect::context::{Callee, Context};
use crate::knowledge::says;
use crate::resolve::ItemRef;
use std::collections::HashSet;

/// Through how many functions it may come back.
const MOST_BETWEEN: u32 = 3;

/// Functions that are looked into, at most.
const MOST_FUNCTIONS: usize = 60;

/// Whether a body may hold a call that comes back to it after a failure.
pub(super) fn may_come_back(cx: &Context<'_>) -> bool {
    asks(cx) && own_calls(cx).into_iter().any(|item| comes_back(cx, item))
}

/// Whether a function of the crate, called here, comes back to this body's.
pub(crate) fn comes_back(cx: &Context<'_>, item: ItemRef) -> bool {
    if item == cx.at {
        return true;
    }
    if let Some(known) = cx.coming_back.borrow().get(&item) {
        return *known;
    }
    let comes = asks(cx) && leads_back(cx, item);
    cx.coming_back.borrow_mut().insert(item, comes);
    comes
}

/// Whether a body is one that may try again by calling on.
fn asks(cx: &Context<'_>) -> bool {
    let name = cx.krate.item(cx.at).map_or("", |item| item.name.as_str());
    says(&cx.words().retry, name) || crate::detect::summary::summary(cx, cx.at).wait.is_some()
}

fn leads_back(cx: &Context<'_>, item: ItemRef) -> bool {
    let mut seen: HashSet<ItemRef> = HashSet::from([item]);
    let mut at = vec![item];
    for _ in 0..MOST_BETWEEN {
        let mut further = Vec::new();
        for item in at {
            let Some(inner) = cx.inside(item) else { continue };
            for called in own_calls(&inner) {
                if called == cx.at {
                    return true;
                }
                if seen.len() < MOST_FUNCTIONS && seen.insert(called) {
                    further.push(called);
                }
            }
        }
        at = further;
    }
    false
}

/// Functions of the crate that a body calls.
fn own_calls(cx: &Context<'_>) -> Vec<ItemRef> {
    let mut found = Vec::new();
    for (id, expr) in cx.body.exprs() {
        if matches!(expr.kind, ExprKind::Call(..) | ExprKind::Method(_))
            && let Callee::Own(item) = cx.callee(id)
            && !found.contains(&item)
        {
            found.push(item);
        }
    }
    found
}
