//! Delays of a policy that are code and no setter: given one by one, as a function of the attempt, or of another delay.
//! They are evaluated as a loop's delays are; what comes out is told in a draft.

use super::draft::Draft;
use super::scope::Scope;
use crate::body::ExprId;
use crate::detect::delay::{Amount, Cap, MOST_ATTEMPTS, Replay, applied, read, spread_of};
use crate::model::{Evidence, Fact, Growth, Jitter};

/// Delays on which a function from delay to delay is tried, in seconds: the last is above any cap, the first `FREE` show what it does besides.
const TRIED: [f64; 4] = [1.0, 2.0, 4.0, 1e9];
const FREE: usize = 3;

impl Draft {
    /// Delays that are known one by one; `None` where nothing of them is.
    pub(super) fn of_delays(delays: &Replay, evidence: &Evidence) -> Option<Self> {
        let shown = read(delays, None);
        let growth = shown.growth.filter(|growth| *growth != Growth::None)?;
        let told = |number: Option<f64>| number.map_or(Fact::Unknown, |it| Fact::Known(it, evidence.clone()));
        let ends = delays.others.is_empty() && delays.waits.len() < MOST_ATTEMPTS as usize;
        let listed = shown.schedule.as_deref().unwrap_or_default();
        let factor = match listed {
            [[_, first], [_, second], ..] if growth == Growth::Exponential && *first > 0.0 => {
                Some(second / first)
            }
            _ => (growth == Growth::Constant).then_some(1.0),
        };
        Some(Self {
            growth: Fact::Known(growth, evidence.clone()),
            jitter: shown.jitter.map_or(Fact::Unknown, |jitter| Fact::Known(jitter, evidence.clone())),
            first: told(shown.first_s),
            capped: shown.capped.map_or(Fact::Unknown, |capped| Fact::Known(capped, evidence.clone())),
            cap: told(shown.cap_s),
            factor: told(factor),
            counted: if delays.others.is_empty() {
                Fact::Known(ends, evidence.clone())
            } else {
                Fact::Unknown
            },
            calls: told(ends.then_some(delays.waits.len() as f64 + 1.0)),
            deadline: Fact::Known(false, evidence.clone()),
            errors: None,
            seeded: Fact::known(false),
            clipped: false,
            fixed: false,
        })
    }

    /// Takes the delays of another one, and leaves how many they are.
    pub(super) fn take_delays(&mut self, other: &Self) {
        *self = Self {
            counted: self.counted.clone(),
            calls: self.calls.clone(),
            deadline: self.deadline.clone(),
            errors: self.errors,
            ..other.clone()
        };
    }

    /// Takes the delays that a function of the attempt gives.
    pub(super) fn by_attempt(&mut self, scope: &Scope<'_, '_>, arg: ExprId, evidence: &Evidence) {
        self.forget_delay();
        let attempts: Vec<Amount> = (1..=MOST_ATTEMPTS)
            .map(|attempt| Amount { moves: true, ..Amount::exact(f64::from(attempt)) })
            .collect();
        let waits = applied(scope.cx, &scope.vars(), arg, &attempts).into_iter().map(Some).collect();
        if let Some(read) = Self::of_delays(&Replay { waits, ..Replay::default() }, evidence) {
            self.take_delays(&read);
        }
    }

    /// Tries a function on some delays: what it leaves, draws and cuts off is read off what comes out.
    pub(super) fn mapped(&mut self, scope: &Scope<'_, '_>, arg: ExprId, evidence: &Evidence) {
        let tried: Vec<Amount> =
            TRIED.iter().map(|delay| Amount { moves: true, ..Amount::exact(*delay) }).collect();
        let made = applied(scope.cx, &scope.vars(), arg, &tried);
        let Some(spread) = spread_of(&made).filter(|_| !made.iter().any(|it| it.unknown || it.absent)) else {
            self.forget_delay();
            return;
        };
        let ratio = ratio(&made, |it| it.raw);
        let grows_on = ratio.or_else(|| ratio_of_drawn(&made)).is_some();
        if let Some(ratio) = ratio {
            let sized = made.iter().all(|delay| delay.sized);
            let scaled = |fact: &Fact<f64>| match fact {
                Fact::Known(number, evidence) if sized => Fact::Known(number * ratio, evidence.clone()),
                _ => Fact::Unknown,
            };
            if (ratio - 1.0).abs() > 1e-6 {
                (self.first, self.cap) = (scaled(&self.first), scaled(&self.cap));
            }
        } else if grows_on {
            (self.first, self.cap) = (Fact::Unknown, Fact::Unknown);
        } else {
            self.forget_delay();
        }
        if spread != Jitter::None {
            self.jitter = Fact::Known(spread, evidence.clone());
        }
        // `|d| d.min(CAP)`
        match made.last().map(|delay| delay.cap) {
            Some(Cap::Known(cap)) => {
                self.capped = Fact::Known(true, evidence.clone());
                self.cap = Fact::Known(cap, evidence.clone());
            }
            Some(Cap::Unknown) => {
                (self.capped, self.cap) = (Fact::Known(true, evidence.clone()), Fact::Unknown);
            }
            _ => {}
        }
    }
}

/// The ratio of what comes out to what was tried, where it is one.
fn ratio(made: &[Amount], part: impl Fn(&Amount) -> f64) -> Option<f64> {
    let mut ratios = made.iter().zip(TRIED).take(FREE).map(|(delay, tried)| part(delay) / tried);
    let first = ratios.next().filter(|ratio| *ratio > 0.0)?;
    ratios.all(|ratio| (ratio - first).abs() <= first * 1e-6).then_some(first)
}

/// The same of the low end, where something random is added.
fn ratio_of_drawn(made: &[Amount]) -> Option<f64> {
    made.iter().all(|delay| delay.drawn.is_some()).then(|| ratio(made, |it| it.lo)).flatten()
}
