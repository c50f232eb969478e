//! Circuit breakers and retry budgets around a site: what the vocabulary knows to be one is asked on the way to each attempt, or around them all.
//! Says that one stands there, and nothing of how it is set.

use super::context::Context;
use crate::body::{ExprId, Span};
use crate::knowledge::Role;
use crate::model::{Fact, Site};

/// Says of each real site of a body whether a breaker stands around it; of one that may stand elsewhere, nothing.
pub(crate) fn mark(cx: &Context<'_>, sites: &mut [Site]) {
    let asked = |(id, _): &(ExprId, &crate::body::Expr)| matches!(cx.role(*id), Some(Role::Breaker));
    let breakers: Vec<ExprId> = cx.body.exprs().filter(asked).map(|(id, _)| id).collect();
    if breakers.is_empty() {
        return;
    }
    for site in sites.iter_mut().filter(|site| site.kind.is_real()) {
        let place = Span { start: site.place.start_byte, end: site.place.end_byte };
        let around = breakers.iter().find(|id| {
            let span = cx.body.expr(**id).span;
            place.contains(span) || span.contains(place)
        });
        if let Some(id) = around {
            site.breaker = Fact::Known(true, cx.evidence(*id, "a breaker stands around the operation"));
        }
    }
}
