//! One number of delay arithmetic: an interval with what is known of its making. Durations are in seconds.
//! Arithmetic only; where the numbers come from is `eval`'s business.

use super::parts::Form;

/// How randomness came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drawn {
    /// Drawn from a range, and nothing added to it.
    Range,
    /// Added to something.
    Added,
    /// Multiplied with something.
    Scaled,
    /// By a helper of which only the randomness is known.
    Somehow,
}

/// An upper limit that was applied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cap {
    /// None.
    No,
    /// Of this size.
    Known(f64),
    /// Of a size that is not written.
    Unknown,
}

/// Whether two numbers are the same one.
#[allow(clippy::float_cmp)] // written values and copies of them, not results that rounding may have moved
pub(super) fn is_same(one: f64, other: f64) -> bool {
    one == other
}

/// A number: the interval it lies in, and how it was made.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::struct_excessive_bools)]
pub(crate) struct Amount {
    /// Least value.
    pub(crate) lo: f64,
    /// Largest value, caps applied.
    pub(crate) hi: f64,
    /// Largest value as if no cap was there: growth is read off this.
    pub(crate) raw: f64,
    /// All its parts have written sizes.
    pub(crate) sized: bool,
    /// An upper limit was applied.
    pub(crate) cap: Cap,
    /// It has a random part.
    pub(crate) drawn: Option<Drawn>,
    /// A limit was applied after the random part came in, and it can bite.
    pub(crate) clipped: bool,
    /// It, or a part of it, changes from attempt to attempt.
    pub(crate) moves: bool,
    /// The server's hint is in it.
    pub(crate) server: bool,
    /// It is nothing but the server's hint, and what is written around it.
    pub(crate) told: bool,
    /// It was read from a written table.
    pub(crate) table: bool,
    /// The random part was drawn from a range that the previous delay decides.
    pub(crate) from_previous: bool,
    /// Nothing is known.
    pub(crate) unknown: bool,
    /// The generator starts from a written seed.
    pub(crate) seeded: bool,
    /// The clock is in it: what is left until a deadline.
    pub(crate) clock: bool,
    /// There is none: `None`, `Err(..)`.
    pub(crate) absent: bool,
    /// There may also be none.
    pub(crate) optional: bool,
    /// What it is when it is no number; several where it may be one or another.
    pub(crate) forms: Vec<Form>,
    /// Some of the interval's width is a branch that nobody can tell, and no draw.
    pub(crate) either: bool,
    /// A limit of unwritten size was applied to it: it does not go on to the end of its type.
    pub(crate) limited: bool,
}

/// The value that stands for a size that is not written. Not 0, 1 or 2, so that growth shows whatever is done with it.
pub(crate) const SYMBOL: f64 = 3.0;

impl Amount {
    /// A written number.
    pub(crate) fn exact(value: f64) -> Self {
        Self {
            lo: value,
            hi: value,
            raw: value,
            sized: true,
            cap: Cap::No,
            drawn: None,
            clipped: false,
            moves: false,
            server: false,
            told: false,
            table: false,
            from_previous: false,
            unknown: false,
            seeded: false,
            clock: false,
            absent: false,
            optional: false,
            forms: Vec::new(),
            either: false,
            limited: false,
        }
    }

    /// A number that does not change and whose size is not written.
    pub(crate) fn symbol() -> Self {
        Self { sized: false, ..Self::exact(SYMBOL) }
    }

    /// Nothing is known.
    pub(crate) fn unknown() -> Self {
        Self { unknown: true, moves: true, ..Self::symbol() }
    }

    /// What a server tells: of any size, and another one each time.
    pub(crate) fn hint() -> Self {
        Self { server: true, told: true, moves: true, ..Self::symbol() }
    }

    /// Random, nobody knows how.
    pub(crate) fn somehow() -> Self {
        Self { drawn: Some(Drawn::Somehow), ..Self::symbol() }
    }

    /// Drawn from between two numbers.
    pub(crate) fn between(lo: &Self, hi: &Self) -> Self {
        let mut made = lo.with(hi);
        made.lo = lo.lo.min(hi.hi);
        made.hi = hi.hi;
        made.raw = hi.raw;
        // `U(base, 3 × previous)`: the end was drawn itself
        made.from_previous |= hi.drawn.is_some();
        made.drawn = Some(Drawn::Range);
        made
    }

    /// Whether its low end is a size that is not written, whole: what was added to that one is another, and no half of it.
    pub(crate) fn is_sum_of_unwritten(&self) -> bool {
        let scale = (self.lo / SYMBOL).log10();
        !self.sized && (scale - scale.round()).abs() < 1e-9
    }

    /// Whether it is one known number.
    pub(crate) fn known(&self) -> Option<f64> {
        (self.sized && !self.unknown && self.drawn.is_none() && is_same(self.lo, self.hi)).then_some(self.lo)
    }

    fn is_told_or_written(&self) -> bool {
        self.told || !self.moves && !self.unknown && self.drawn.is_none()
    }

    /// What two operands' making says of a result.
    fn with(&self, other: &Self) -> Self {
        Self {
            lo: self.lo,
            hi: self.hi,
            raw: self.raw,
            sized: self.sized && other.sized,
            cap: match (self.cap, other.cap) {
                (Cap::No, cap) | (cap, Cap::No) => cap,
                _ => Cap::Unknown,
            },
            drawn: self.drawn.or(other.drawn),
            clipped: self.clipped || other.clipped,
            moves: self.moves || other.moves,
            server: self.server || other.server,
            told: (self.told || other.told) && self.is_told_or_written() && other.is_told_or_written(),
            table: self.table || other.table,
            from_previous: self.from_previous || other.from_previous,
            unknown: self.unknown || other.unknown,
            seeded: self.seeded || other.seeded,
            clock: self.clock || other.clock,
            absent: false,
            optional: false,
            forms: Vec::new(),
            either: self.either || other.either,
            limited: self.limited || other.limited,
        }
    }

    /// Applies a monotone function to all its values.
    pub(crate) fn map(&self, f: impl Fn(f64) -> f64) -> Self {
        let cap = match self.cap {
            Cap::Known(cap) => Cap::Known(f(cap)),
            other => other,
        };
        Self { lo: f(self.lo), hi: f(self.hi), raw: f(self.raw), cap, ..self.clone() }
    }

    /// Sum.
    pub(crate) fn add(&self, other: &Self) -> Self {
        if let Some(ahead) = self.ahead() {
            return Self::from_now(ahead.add(other));
        }
        let mut made = self.with(other);
        made.lo = self.lo + other.lo;
        made.hi = self.hi + other.hi;
        made.raw = self.raw + other.raw;
        made.cap = sum_of_caps(self, other);
        if made.drawn.is_some() {
            made.drawn = match (self.drawn, other.drawn) {
                (Some(drawn), None) if other.hi == 0.0 => Some(drawn),
                (None, Some(drawn)) if self.hi == 0.0 => Some(drawn),
                _ => Some(Drawn::Added),
            };
        }
        made
    }

    /// Difference, not below zero: delays are not.
    pub(crate) fn sub(&self, other: &Self) -> Self {
        let mut made = self.with(other);
        // an unwritten size is taken away: how much, nobody knows; the shape stays
        let (low, high) = if other.sized { (other.lo, other.hi) } else { (0.0, 0.0) };
        made.lo = (self.lo - high).max(0.0_f64.min(self.lo));
        made.hi = self.hi - low;
        made.raw = self.raw - low;
        made.cap = self.cap;
        if made.drawn.is_some() {
            made.drawn = Some(Drawn::Added);
        }
        made
    }

    /// Product.
    pub(crate) fn mul(&self, other: &Self) -> Self {
        let mut made = self.with(other);
        made.lo = self.lo * other.lo;
        made.hi = self.hi * other.hi;
        made.raw = self.raw * other.raw;
        made.cap = match (self.cap, other.cap) {
            (Cap::No, Cap::No) => Cap::No,
            // a capped number times one that goes on growing is not capped
            (Cap::Known(cap), Cap::No) if !other.moves => Cap::Known(cap * other.hi),
            (Cap::No, Cap::Known(cap)) if !self.moves => Cap::Known(cap * self.hi),
            (Cap::No, _) if self.moves => Cap::No,
            (_, Cap::No) if other.moves => Cap::No,
            _ => Cap::Unknown,
        };
        // `base + (3 × last − base) × U(0, 1)`, where the last was drawn as well and kept
        let keeps = |kept: &Self, drawn: &Self| {
            kept.drawn.is_some()
                && kept.moves
                && drawn.drawn == Some(Drawn::Range)
                && drawn.lo == 0.0
                && !drawn.moves
        };
        made.from_previous |= keeps(self, other) || keeps(other, self);
        if made.drawn.is_some() {
            made.drawn = match (self.drawn, other.drawn) {
                (Some(Drawn::Range), None) | (None, Some(Drawn::Range)) if made.lo == 0.0 => {
                    Some(Drawn::Range)
                }
                _ => Some(Drawn::Scaled),
            };
        }
        made
    }

    /// Quotient.
    pub(crate) fn div(&self, other: &Self) -> Self {
        if other.lo <= 0.0 {
            return Self { unknown: true, ..self.with(other) };
        }
        let mut made = self.with(other);
        made.lo = self.lo / other.hi;
        made.hi = self.hi / other.lo;
        made.raw = self.raw / other.lo;
        made.cap = match self.cap {
            Cap::Known(cap) => Cap::Known(cap / other.lo),
            cap => cap,
        };
        made
    }

    /// The smaller of two: the one that does not move caps the other.
    pub(crate) fn min(&self, other: &Self) -> Self {
        // what is left until the deadline cuts the last delay short, and is no cap of the others
        match (self.clock, other.clock) {
            (true, false) => return other.clone(),
            (false, true) => return self.clone(),
            _ => {}
        }
        let first_grows = self.moves && (!self.unknown || !other.moves || other.unknown);
        let (grown, limit) = if first_grows || !other.moves { (self, other) } else { (other, self) };
        let mut made = grown.with(limit);
        // what grows below a limit that nobody knows (the time that is left) is capped by it
        made.unknown = grown.unknown || limit.unknown && limit.moves && !grown.moves;
        made.raw = grown.raw;
        if limit.sized && !limit.unknown {
            // `(j × d).min(j × cap)`: the limit is drawn as well, and cuts nothing off
            if grown.drawn.is_some() && limit.drawn.is_none() && grown.raw > limit.hi {
                made.clipped = true;
            }
            made.cap = Cap::Known(match grown.cap {
                Cap::Known(cap) => cap.min(limit.hi),
                _ => limit.hi,
            });
            made.lo = grown.lo.min(limit.lo);
            made.hi = grown.hi.min(limit.hi);
            // a written limit holds whatever the size of what it limits
            made.sized = grown.sized;
        } else {
            made.clipped |= grown.drawn.is_some() && limit.drawn.is_none() && !limit.unknown && grown.moves;
            made.cap = Cap::Unknown;
            made.limited = true;
            made.lo = grown.lo;
            made.hi = grown.hi;
        }
        made.drawn = grown.drawn.or(limit.drawn);
        made
    }

    /// The larger of two.
    pub(crate) fn max(&self, other: &Self) -> Self {
        let mut made = self.with(other);
        let counts = other.sized || other.moves;
        let (lo, hi, raw) = if counts { (other.lo, other.hi, other.raw) } else { (0.0, 0.0, 0.0) };
        if self.sized || self.moves {
            made.lo = self.lo.max(lo);
            made.hi = self.hi.max(hi);
            made.raw = self.raw.max(raw);
        } else {
            made.lo = lo.max(self.lo);
            made.hi = hi.max(self.hi);
            made.raw = raw.max(self.raw);
        }
        made.cap = if self.moves { self.cap } else { other.cap };
        made.drawn = self.drawn.or(other.drawn);
        made
    }

    /// Either of two: a branch that nobody can tell.
    pub(crate) fn or(&self, other: &Self) -> Self {
        match (self.absent, other.absent) {
            (true, _) => return Self { optional: true, ..other.clone() },
            (_, true) => return Self { optional: true, ..self.clone() },
            _ => {}
        }
        // the server's hint and a fallback: the fallback is what the code computes, and where nobody can read it, nothing is known
        let are_numbers = self.forms.is_empty() || other.forms.is_empty();
        if self.server != other.server && are_numbers {
            let own = if self.server { other } else { self };
            return Self { server: true, optional: self.optional || other.optional, ..own.clone() };
        }
        let mut made = self.with(other);
        made.told = self.told && other.told;
        made.either |= !is_same(self.lo, other.lo) || !is_same(self.hi, other.hi);
        made.lo = self.lo.min(other.lo);
        made.hi = self.hi.max(other.hi);
        made.raw = self.raw.max(other.raw);
        made.cap = match (self.cap, other.cap) {
            (Cap::Known(a), Cap::Known(b)) => Cap::Known(a.max(b)),
            // one branch hands out the cap itself: `if d > MAX { MAX } else { d }`
            (Cap::No, cap) if !self.moves => cap,
            (cap, Cap::No) if !other.moves => cap,
            (Cap::No, _) | (_, Cap::No) => Cap::No,
            _ => Cap::Unknown,
        };
        made.optional = self.optional || other.optional;
        made.forms = self.forms_of_either(other);
        made
    }
}

fn sum_of_caps(one: &Amount, other: &Amount) -> Cap {
    match (one.cap, other.cap) {
        (Cap::No, Cap::No) => Cap::No,
        (Cap::Known(cap), Cap::No) if !other.moves => Cap::Known(cap + other.hi),
        (Cap::No, Cap::Known(cap)) if !one.moves => Cap::Known(cap + one.hi),
        (Cap::Known(a), Cap::Known(b)) => Cap::Known(a + b),
        // a capped part beside one that goes on growing
        (Cap::No, _) if one.moves && one.drawn.is_none() => Cap::No,
        (_, Cap::No) if other.moves && other.drawn.is_none() => Cap::No,
        _ => Cap::Unknown,
    }
}
