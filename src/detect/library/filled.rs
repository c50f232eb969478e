//! What a draft says, written into a site: the facts that are known, and the schedule where the numbers are.
//! It reads a draft and changes none.

use super::Series;
use super::draft::Draft;
use crate::model::{BoundKind, Fact, Growth, Jitter, Site};

/// Delays listed in a schedule.
const LISTED: usize = 10;
/// Delays summed up for the largest.
const MOST_DELAYS: u32 = 10_000;

impl Draft {
    /// Writes only how the delays grow and are spread into a site.
    pub(super) fn fill_shape(&self, site: &mut Site) {
        site.delay.growth = self.growth_by_factor();
        site.delay.jitter.clone_from(&self.jitter);
    }

    /// Writes also what ends the attempts, and no number: which of several policies it is, nobody knows.
    pub(super) fn fill_form(&self, site: &mut Site) {
        self.fill_shape(site);
        self.fill_attempts(site);
        site.attempts.max = Fact::Unknown;
        // that nothing ends it is told where it is made
        if site.attempts.kind.is(&BoundKind::Unbounded) {
            site.attempts.kind = Fact::Unknown;
        }
    }

    /// How the delays grow: with a ratio of one they do not, and what begins with nothing stays nothing, but for what is added at random.
    fn growth_by_factor(&self) -> Fact<Growth> {
        let steps = matches!(
            self.growth.value(),
            Some(Growth::Constant | Growth::Exponential | Growth::Fibonacci | Growth::Linear)
        );
        if let Fact::Known(first, evidence) = &self.first
            && *first <= 0.0
            && steps
            && !matches!(self.jitter.value(), None | Some(Jitter::Additive | Jitter::Other))
        {
            return Fact::Known(Growth::None, evidence.clone());
        }
        // what begins at its cap stays there
        if let (Some(first), Some(cap), true) = (self.first.value(), self.cap.value(), self.capped.is(&true))
            && steps
            && first >= cap
            && let Some(evidence) = self.cap.evidence()
        {
            return Fact::Known(Growth::Constant, evidence.clone());
        }
        match (&self.growth, self.factor.value()) {
            (Fact::Known(Growth::Exponential, evidence), Some(factor)) if (*factor - 1.0).abs() < 1e-9 => {
                Fact::Known(Growth::Constant, evidence.clone())
            }
            (growth, _) => growth.clone(),
        }
    }

    /// Writes what is known into a site.
    pub(super) fn fill(&self, site: &mut Site) {
        let delay = &mut site.delay;
        delay.growth = self.growth_by_factor();
        delay.jitter.clone_from(&self.jitter);
        delay.first_s.clone_from(&self.first);
        let waits = !delay.growth.is(&Growth::None) && delay.growth.is_known();
        if waits {
            delay.capped =
                if delay.growth.is(&Growth::Constant) { Fact::Unknown } else { self.capped.clone() };
            if self.capped.is(&true) {
                delay.cap_s.clone_from(&self.cap);
            }
        }
        self.fill_attempts(site);
        self.fill_schedule(site);
        self.fill_random(site);
    }

    /// The delays one by one, where growth and jitter are known, and are not the crate's own.
    pub(super) fn series(&self) -> Option<Series> {
        let capped = *self.capped.value().filter(|_| !self.fixed)?;
        Some(Series {
            growth: *self.growth_by_factor().value()?,
            jitter: *self.jitter.value()?,
            first: self.first.value().copied(),
            factor: self.factor.value().copied(),
            capped,
            cap: self.cap.value().copied().filter(|_| capped),
        })
    }

    fn fill_attempts(&self, site: &mut Site) {
        match (&self.counted, &self.deadline) {
            (Fact::Known(true, evidence), _) => {
                site.attempts.kind = Fact::Known(BoundKind::Bounded, evidence.clone());
                site.attempts.max.clone_from(&self.calls);
            }
            (Fact::Known(false, _), Fact::Known(true, evidence)) => {
                site.attempts.kind = Fact::Known(BoundKind::Deadline, evidence.clone());
            }
            (Fact::Known(false, evidence), Fact::Known(false, _)) => {
                site.attempts.kind = Fact::Known(BoundKind::Unbounded, evidence.clone());
            }
            _ => {}
        }
    }

    fn fill_schedule(&self, site: &mut Site) {
        let (Some(first), Some(factor), Some(false | true)) =
            (self.first.value(), self.factor.value(), self.capped.value())
        else {
            return;
        };
        let cap = if self.capped.is(&true) { self.cap.value().copied() } else { Some(f64::INFINITY) };
        let (Some(cap), Some(jitter)) = (cap, self.jitter.value()) else { return };
        let low = match jitter {
            Jitter::None => 1.0,
            Jitter::Full => 0.0,
            // how wide it is differs between versions
            _ => return,
        };
        if !matches!(site.delay.growth.value(), Some(Growth::Constant | Growth::Exponential)) {
            return;
        }
        let retries = site.attempts.max.value().map_or(u32::MAX, |max| (*max - 1.0) as u32);
        let at = |retry: u32| (first * factor.powf(f64::from(retry.min(MOST_DELAYS)))).min(cap);
        let listed = (0..retries).take(LISTED).map(|retry| [low * at(retry), at(retry)]).collect();
        site.schedule = Fact::known(listed);
        if site.attempts.max.is_known() && retries > 0 {
            site.delay.largest_s = Fact::known(at(retries.saturating_sub(1)));
            let total: f64 = (0..retries.min(MOST_DELAYS)).map(at).sum();
            site.delay.total_s = Fact::known(total);
        }
    }
}
