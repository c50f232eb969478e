//! Reads the facts of a delay off what the replay observed: growth off the sequence, not off the syntax.

use super::amount::{Amount, Cap, Drawn};
use super::replay::Replay;
use crate::model::{Growth, Jitter};

/// Delays beyond this are no cap in any useful sense: a day, in seconds.
const NO_CAP: f64 = 86_400.0;

/// A constant delay beyond this was read wrong (a clock, a bit mask): a year, in seconds.
const NO_DELAY: f64 = 365.0 * NO_CAP;

/// A cap that no retry before this one meets cuts nothing off in practice.
const SOON: usize = 30;

/// What a sequence of delays shows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shown {
    pub(crate) growth: Option<Growth>,
    pub(crate) jitter: Option<Jitter>,
    pub(crate) jitter_share: Option<f64>,
    pub(crate) clipped: Option<bool>,
    pub(crate) capped: Option<bool>,
    pub(crate) cap_s: Option<f64>,
    pub(crate) first_s: Option<f64>,
    pub(crate) largest_s: Option<f64>,
    pub(crate) total_s: Option<f64>,
    pub(crate) schedule: Option<Vec<[f64; 2]>>,
    pub(crate) server: bool,
}

/// Reads a replay. `attempts`: the most attempts that can happen, where known. Where a configuration decides, only what all its answers share.
pub(crate) fn read(replay: &Replay, attempts: Option<u32>) -> Shown {
    let mut shown = read_one(replay, attempts);
    for other in &replay.others {
        shown.agree(&read_one(other, attempts));
    }
    shown
}

/// Whether some of what a configuration may choose loses its random part at the cap.
pub(crate) fn clips_in_a_variant(replay: &Replay) -> bool {
    let all = std::iter::once(replay).chain(&replay.others);
    !replay.others.is_empty() && all.into_iter().any(|one| read_one(one, None).clipped == Some(true))
}

impl Shown {
    fn agree(&mut self, other: &Self) {
        fn same<T: PartialEq>(one: &mut Option<T>, other: Option<&T>) {
            if one.as_ref() != other {
                *one = None;
            }
        }
        same(&mut self.growth, other.growth.as_ref());
        self.jitter = in_common(self.jitter, other.jitter);
        same(&mut self.jitter_share, other.jitter_share.as_ref());
        same(&mut self.clipped, other.clipped.as_ref());
        same(&mut self.capped, other.capped.as_ref());
        same(&mut self.cap_s, other.cap_s.as_ref());
        same(&mut self.first_s, other.first_s.as_ref());
        same(&mut self.largest_s, other.largest_s.as_ref());
        same(&mut self.total_s, other.total_s.as_ref());
        same(&mut self.schedule, other.schedule.as_ref());
        self.server |= other.server;
    }
}

/// What two ways to draw have in common: that something is drawn, where both draw.
pub(crate) fn in_common(one: Option<Jitter>, other: Option<Jitter>) -> Option<Jitter> {
    let (one, other) = (one?, other?);
    if one == other {
        return Some(one);
    }
    (one != Jitter::None && other != Jitter::None).then_some(Jitter::Other)
}

fn read_one(replay: &Replay, attempts: Option<u32>) -> Shown {
    // the wait after the last attempt is no delay between two
    let between =
        attempts.map_or(replay.waits.len(), |max| (max.saturating_sub(1) as usize).min(replay.waits.len()));
    let waits: Vec<&Amount> = replay.waits.iter().flatten().collect();
    let Some(first) = waits.first() else {
        let growth = (!replay.waits.is_empty()).then_some(Growth::None);
        return Shown { growth, ..Shown::default() };
    };
    // how a size that nobody can follow is spread may still be plain
    let spread =
        || waits.iter().all(|wait| wait.drawn.is_some()).then(|| jitter(&waits, Growth::Constant)).flatten();
    let server = waits.iter().any(|wait| wait.server);
    if waits.iter().all(|wait| wait.told) {
        // what the server says is waited as it is, unless a draw is seen
        let plain = || waits.iter().all(|wait| wait.drawn.is_none()).then_some(Jitter::None);
        return Shown {
            growth: Some(Growth::Server),
            jitter: spread().or_else(plain),
            server,
            ..Shown::default()
        };
    }
    if replay.apart {
        let known = waits.iter().all(|wait| !wait.unknown);
        let jitter = known.then(|| jitter(&waits, Growth::Constant)).flatten();
        return Shown { jitter, server, ..Shown::default() };
    }
    if waits.iter().any(|wait| wait.unknown) {
        return Shown { jitter: spread(), server, ..Shown::default() };
    }
    let mut shown = Shown { server, ..Shown::default() };
    let onward = onward(&waits, replay);
    if falls(&onward) {
        return Shown { jitter: spread(), ..shown };
    }
    let growth = growth(&onward);
    if growth == Growth::Constant && first.sized && first.hi > NO_DELAY {
        return Shown { server, ..Shown::default() };
    }
    shown.growth = Some(growth);
    shown.jitter = jitter(&onward, growth);
    // the cap belongs to decorrelated jitter: `min(cap, U(base, 3 × previous))`
    let soon = waits.iter().take(attempts.map_or(SOON, |max| max as usize));
    shown.clipped =
        Some(shown.jitter != Some(Jitter::Decorrelated) && soon.into_iter().any(|wait| wait.clipped));
    let waits_seen = &waits;
    let last_of_all = onward.last().copied().unwrap_or(first);
    let grows = matches!(growth, Growth::Linear | Growth::Exponential | Growth::Fibonacci);
    let last = waits_seen.last().copied().unwrap_or(first);
    let settles =
        waits.len() > 6 && waits.iter().rev().take(3).all(|wait| (wait.hi - last.hi).abs() <= last.hi * 1e-9);
    if grows {
        let by_limit = last_of_all.cap != Cap::No || waits.iter().any(|wait| wait.cap != Cap::No);
        let bounded_by_attempts = attempts.is_some();
        let capped =
            by_limit && !matches!(last.cap, Cap::Known(cap) if cap > NO_CAP) || settles && last.hi <= NO_CAP;
        shown.capped =
            if capped || !bounded_by_attempts || replay.waits.len() > 1 { Some(capped) } else { None };
        // a limit beyond a day is none, but it says that the code reckons with such delays
        if let Cap::Known(limit) = last.cap
            && !capped
        {
            shown.largest_s = Some(limit);
        }
        if let Cap::Known(cap) = last.cap
            && capped
        {
            shown.cap_s = Some(cap);
        } else if capped && settles && last.sized {
            shown.cap_s = Some(last.hi);
        }
    } else {
        shown.capped = Some(true);
        shown.cap_s = last.sized.then_some(last.hi);
    }
    let sized: Vec<&Amount> = replay.waits.iter().take(between.max(1)).flatten().collect();
    if sized.iter().all(|wait| wait.sized) && !sized.is_empty() {
        shown.first_s = Some(first.hi);
        let largest = sized.iter().map(|wait| wait.hi).fold(0.0, f64::max);
        if attempts.is_some() || shown.capped == Some(true) {
            shown.largest_s = Some(largest);
        }
        if attempts.is_some() {
            shown.total_s = Some(sized.iter().map(|wait| wait.hi).sum());
        }
        shown.schedule = Some(sized.iter().take(12).map(|wait| [wait.lo.max(0.0), wait.hi]).collect());
    } else if let Some(cap) = shown.cap_s {
        shown.largest_s = Some(cap);
    }
    if first.drawn.is_some() && last.hi > 0.0 && last.drawn != Some(Drawn::Somehow) {
        shown.jitter_share = Some(((last.hi - last.lo) / last.hi).clamp(0.0, 1.0));
    }
    shown
}

/// The delays that show how the sequence goes on. Where the last attempt is followed by no wait, those beyond it do not follow on the others.
fn onward<'a>(waits: &[&'a Amount], replay: &'a Replay) -> Vec<&'a Amount> {
    let beyond: Vec<&Amount> = replay.beyond.iter().flatten().filter(|wait| !wait.unknown).collect();
    let gap = waits.len() > 1 && matches!(replay.waits.last(), Some(None));
    match (gap, waits.len() > 2, beyond.len() > 2) {
        (true, true, _) => waits.to_vec(),
        (true, false, true) => beyond,
        _ => waits.iter().copied().chain(beyond).collect(),
    }
}

/// Whether the second wait is shorter than the first: two waits of different paths, and no one's policy.
fn falls(waits: &[&Amount]) -> bool {
    matches!(waits, [first, second, ..] if second.raw < first.raw * 0.98 && !first.table)
}

/// How a sequence grows.
pub(crate) fn growth(waits: &[&Amount]) -> Growth {
    let raw: Vec<f64> = waits.iter().map(|wait| wait.raw).collect();
    let rising: Vec<f64> = rising_part(&raw);
    let Some(first) = waits.first() else { return Growth::None };
    if rising.len() < 2 {
        if first.raw == 0.0 && waits.iter().all(|wait| wait.raw == 0.0) {
            return Growth::None;
        }
        if first.table && waits.len() > 1 {
            return Growth::Table;
        }
        let drawn_alone = first.drawn == Some(Drawn::Range) && !first.moves;
        return if drawn_alone { Growth::Random } else { Growth::Constant };
    }
    if waits.iter().any(|wait| wait.table) {
        return Growth::Table;
    }
    shape(&rising)
}

/// The part before the sequence settles.
fn rising_part(raw: &[f64]) -> Vec<f64> {
    let mut part: Vec<f64> = Vec::new();
    for value in raw {
        if !value.is_finite() || *value > 1e15 {
            break;
        }
        if part.last().is_some_and(|last| (last - value).abs() <= last.abs() * 1e-9) {
            // a first repetition (0, 0, 1 or 1, 1, 2) is no end
            if part.len() > 1 {
                break;
            }
            part.pop();
        }
        part.push(*value);
    }
    part
}

fn shape(values: &[f64]) -> Growth {
    let values: Vec<f64> = values.iter().copied().take(12).skip_while(|value| *value == 0.0).collect();
    let pairs = || values.iter().zip(values.iter().skip(1));
    let differences: Vec<f64> = pairs().map(|(a, b)| b - a).collect();
    let near = |a: f64, b: f64| (a - b).abs() <= 0.02 * a.abs().max(b.abs());
    let all_near = |list: &[f64]| list.iter().zip(list.iter().skip(1)).all(|(a, b)| near(*a, *b));
    let ratios: Vec<f64> = pairs().map(|(a, b)| b / a).collect();
    if values.len() < 3 {
        return if ratios.first().is_some_and(|ratio| *ratio > 1.0) {
            Growth::Exponential
        } else {
            Growth::Linear
        };
    }
    // the last of the rise may have been cut by the cap
    let inner = |list: &[f64]| list.get(..list.len().saturating_sub(1)).map_or(Vec::new(), <[f64]>::to_vec);
    if all_near(&differences) || differences.len() > 3 && all_near(&inner(&differences)) {
        return Growth::Linear;
    }
    // the first delay may be of another making
    if differences.get(1..).is_some_and(|later| later.len() > 3 && all_near(later)) {
        return Growth::Linear;
    }
    let geometric = |ratios: &[f64]| all_near(ratios) && ratios.first().is_some_and(|ratio| *ratio > 1.0);
    let difference_ratios: Vec<f64> =
        differences.iter().zip(differences.iter().skip(1)).map(|(a, b)| b / a).collect();
    if geometric(&ratios) || ratios.len() > 2 && geometric(&inner(&ratios)) {
        return Growth::Exponential;
    }
    let sums = values
        .iter()
        .zip(values.iter().skip(1))
        .zip(values.iter().skip(2))
        .all(|((a, b), c)| near(a + b, *c));
    if sums {
        return Growth::Fibonacci;
    }
    // `base + 2^n`: the differences have the constant ratio
    if geometric(&difference_ratios) || difference_ratios.len() > 2 && geometric(&inner(&difference_ratios)) {
        return Growth::Exponential;
    }
    // quadratic and the like: faster than by a constant step, and that is what counts
    Growth::Exponential
}

/// How a sequence is spread.
pub(crate) fn jitter(waits: &[&Amount], growth: Growth) -> Option<Jitter> {
    let drawn: Vec<&&Amount> = waits.iter().filter(|wait| wait.drawn.is_some()).collect();
    let Some(one) = drawn.first() else { return Some(Jitter::None) };
    // the first delay may be without (`0` on the first try)
    let how = one.drawn?;
    let near = |a: f64, b: f64| (a - b).abs() <= 0.02 * a.abs().max(b.abs());
    if how == Drawn::Somehow {
        return Some(Jitter::Other);
    }
    if drawn.iter().any(|wait| wait.from_previous) {
        return Some(Jitter::Decorrelated);
    }
    let all = |test: &dyn Fn(&Amount) -> bool| drawn.iter().all(|wait| test(wait));
    // an end that a branch decides tells nothing of what is drawn on top of it
    if all(&|wait| wait.lo <= wait.hi * 0.02 && (how != Drawn::Added || !wait.either)) {
        return Some(Jitter::Full);
    }
    // nothing but a draw: spread over all that it can be
    if how == Drawn::Range && growth == Growth::Random {
        return Some(Jitter::Full);
    }
    if all(&|wait| near(wait.lo * 2.0, wait.hi)) && how != Drawn::Scaled && !one.is_sum_of_unwritten() {
        return Some(Jitter::Equal);
    }
    Some(match how {
        Drawn::Scaled => Jitter::Proportional,
        Drawn::Added => Jitter::Additive,
        // `U(least, base × 2^n)`: the low end stays while the high end grows
        Drawn::Range
            if growth != Growth::Constant
                && one.lo > 0.0
                && drawn.iter().all(|wait| near(wait.lo, one.lo)) =>
        {
            Jitter::Full
        }
        Drawn::Range | Drawn::Somehow => Jitter::Other,
    })
}
