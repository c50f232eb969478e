//! What a policy takes from another policy, and what becomes of its random part: seeds, and caps that come after it.
//! The constructors and setters themselves are in `draft`.

use super::draft::{Draft, number};
use super::origin::{follow, follow_closure};
use super::scope::Scope;
use super::series_of_type;
use crate::body::{ExprId, ExprKind};
use crate::knowledge::{Library, Limit};
use crate::model::{Evidence, Fact, Growth, Jitter, Site};

/// Only far above the cap is most of the random part lost: where the delay barely comes to it, most draws still stay below.
const WELL_ABOVE: f64 = 2.0;

impl Draft {
    /// Leaves unknown whether limits are there.
    pub(super) fn doubt(&mut self, limits: &[Limit]) {
        for limit in limits {
            match limit {
                Limit::Cap => (self.capped, self.cap) = (Fact::Unknown, Fact::Unknown),
                Limit::Retries => (self.counted, self.calls) = (Fact::Unknown, Fact::Unknown),
                Limit::Deadline => self.deadline = Fact::Unknown,
            }
        }
    }

    /// Of a policy that a method makes: what was set before the method was called. Of what is given under a name, nobody knows.
    pub(super) fn set_before(&mut self, scope: &Scope<'_, '_>, library: &Library, from: ExprId) {
        let cx = scope.cx;
        let ExprKind::Method(call) = &cx.body.expr(from).kind else { return };
        let mut setters = Vec::new();
        let mut at = call.receiver;
        while let ExprKind::Method(before) = &cx.body.expr(at).kind {
            setters.extend(library.setter(&before.name).map(|setter| (setter, at, &before.args)));
            at = before.receiver;
        }
        let made_here = matches!(cx.body.expr(at).kind, ExprKind::Call(..) | ExprKind::Struct(_));
        if !made_here && library.setters.iter().any(|setter| !setter.methods.is_empty()) {
            self.forget_delay();
            self.doubt(&[Limit::Retries, Limit::Deadline]);
        }
        for (setter, at, args) in setters.into_iter().rev() {
            self.set(scope, setter, at, args, false);
        }
    }

    /// Begins with what another policy is: `RetryConfig { jitter: false, ..RetryConfig::aggressive() }`.
    pub(super) fn take_base(&mut self, scope: &Scope<'_, '_>, base: ExprId) {
        match follow(scope, base).filter(|base| !base.open) {
            Some(base) => *self = base.draft,
            None => self.forget(),
        }
    }

    /// Takes the delays of a policy that it is given, and its limits where it has some of its own.
    pub(super) fn take_policy(&mut self, scope: &Scope<'_, '_>, arg: ExprId) {
        let before = self.clone();
        let given = follow(scope, arg).or_else(|| follow_closure(scope, arg));
        if let Some(given) = given.as_ref().filter(|given| !given.open) {
            *self = Self { errors: before.errors, ..given.draft.clone() };
            if given.policy.is_some_and(|policy| policy.delays_only) {
                (self.counted, self.calls, self.deadline) = (before.counted, before.calls, before.deadline);
            }
            return;
        }
        self.forget_delay();
        self.doubt(&[Limit::Retries, Limit::Deadline]);
        let cx = scope.cx;
        // one that others may put in another's place has the same form
        if let Some(given) = given {
            (self.growth, self.jitter) = (given.draft.growth, given.draft.jitter);
        } else if let Some(series) = cx.type_of(arg).and_then(|ty| series_of_type(cx, &ty)) {
            self.growth = Fact::Known(series.growth, cx.evidence(arg, "the policy that it is given"));
            self.jitter = Fact::Known(
                series.jitter,
                cx.evidence(arg, "the random part of the policy that it is given"),
            );
        }
    }

    /// A seed that is written here is the same in every process.
    pub(super) fn seed(&mut self, scope: &Scope<'_, '_>, arg: ExprId, evidence: &Evidence) {
        self.seeded = match number(scope, arg) {
            Some(_) => Fact::Known(true, evidence.clone()),
            None => Fact::Unknown,
        };
    }

    /// Writes what seed and cap make of the random part into a site that has the rest.
    pub(super) fn fill_random(&self, site: &mut Site) {
        if self.jitter.value().is_none_or(|jitter| *jitter == Jitter::None) {
            return;
        }
        match &self.seeded {
            Fact::Known(true, evidence) => {
                // many clients draw the same: for the server there is no random part
                site.delay.jitter = Fact::Known(Jitter::None, evidence.clone());
                site.delay.jitter_repeats = Fact::Known(true, evidence.clone());
                return;
            }
            Fact::Known(false, _) => {}
            Fact::Unknown => site.delay.jitter = Fact::Unknown,
        }
        if !self.clipped || !matches!(site.delay.growth.value(), Some(Growth::Exponential)) {
            return;
        }
        let (Fact::Known(true, evidence), Some(cap)) = (&self.capped, self.cap.value()) else { return };
        let reached = match (self.counted.value(), self.calls.value()) {
            (Some(true), Some(calls)) => {
                let (Some(first), Some(factor)) = (self.first.value(), self.factor.value()) else { return };
                first * factor.powf((calls - 2.0).max(0.0)) >= WELL_ABOVE * cap
            }
            (Some(false), _) => self.factor.value().is_some_and(|factor| *factor > 1.0),
            _ => return,
        };
        site.delay.jitter_clipped = Fact::Known(reached, evidence.clone());
    }
}
