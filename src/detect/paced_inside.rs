//! Loops that wait nowhere but in a loop within them: a session that ended, and then the tries to connect again. What the inner one was read
//! as paces the outer one too. Its faults are told there: here nothing is found wanting.

use super::context::{Callee, Context};
use super::nested::goes_over_several;
use super::summary::summary;
use crate::body::{ExprKind, Span};
use crate::knowledge::Role;
use crate::model::{Fact, Growth, Kind, Site};

/// Fills in, for the sites of a body, the delay of those whose only wait is that of one site within them.
pub(super) fn fill(cx: &Context<'_>, sites: &mut [Site]) {
    let told: Vec<Site> = sites.to_vec();
    leave_to_the_inner(&told, sites);
    for outer in sites.iter_mut().filter(|site| site.kind.is_real() && !site.delay.growth.is_known()) {
        let around = span_of(outer);
        let mut within = told
            .iter()
            .filter(|site| site.kind.is_real() && span_of(site) != around && around.contains(span_of(site)));
        let (Some(inner), None) = (within.next(), within.next()) else { continue };
        let waits = inner.delay.growth.is_known() && !inner.delay.growth.is(&Growth::None);
        // how long a round over several takes nobody can tell
        if !waits || waits_beside(cx, around, span_of(inner)) || goes_over_several(cx, around, span_of(inner))
        {
            continue;
        }
        outer.delay.growth = inner.delay.growth.clone();
        outer.delay.jitter = inner.delay.jitter.clone();
        outer.delay.made_elsewhere = Fact::known(true);
        if outer.kind == Kind::Reconnect && !outer.attempts.kind.is_known() {
            outer.attempts.kind = inner.attempts.kind.clone();
        }
    }
}

/// What supervises in a task of its own, and waits where the loop within it waits, has that one's delay.
fn leave_to_the_inner(told: &[Site], sites: &mut [Site]) {
    let supervises = |site: &&mut Site| site.kind.is_real() && site.operation.background.is(&true);
    for outer in sites.iter_mut().filter(supervises) {
        let around = span_of(outer);
        let waits = match &outer.delay.growth {
            Fact::Known(growth, evidence) if *growth != Growth::None => evidence.place.as_ref(),
            _ => None,
        };
        let Some(waits) = waits else { continue };
        let at = Span { start: waits.start_byte, end: waits.end_byte };
        let inside = |site: &&Site| {
            let span = span_of(site);
            site.kind.is_real() && span != around && around.contains(span) && span.contains(at)
        };
        if told.iter().any(|site| inside(&site)) {
            outer.delay.made_elsewhere = Fact::known(true);
        }
    }
}

/// Whether something in the outer loop waits outside the inner one.
fn waits_beside(cx: &Context<'_>, outer: Span, inner: Span) -> bool {
    cx.body.exprs().any(|(id, expr)| {
        matches!(expr.kind, ExprKind::Call(..) | ExprKind::Method(_) | ExprKind::Macro(_))
            && outer.contains(expr.span)
            && !inner.contains(expr.span)
            && match cx.callee(id) {
                Callee::Own(item) => summary(cx, item).is_wait,
                Callee::Known(entry, _) => matches!(entry.role, Role::Wait { .. }),
                _ => false,
            }
    })
}

fn span_of(site: &Site) -> Span {
    Span { start: site.place.start_byte, end: site.place.end_byte }
}
