//! A retry crate's policy in a hand-written loop: its delays by what the crate's table says of constructor and setters.
//! A policy is a value with hidden parts; asking it for the next delay steps a hidden counter.

use super::amount::{Amount, Drawn};
use super::eval::{Eval, Key};
use super::places::MOST_ALIASES;
use super::replay::{MOST_ATTEMPTS, Replay};
use crate::body::{ExprId, MethodCall};
use crate::detect::library::{Series, series, series_given, series_of_type};
use crate::model::{Growth, Jitter};

const FIRST: &str = "#first";
const FACTOR: &str = "#factor";
const CAP: &str = "#cap";
const SHAPE: &str = "#shape";
const DRAW: &str = "#draw";
const STEP: &str = "#step";

impl Eval<'_, '_> {
    /// A call that builds a retry crate's policy, setters included.
    pub(super) fn library_policy(&self, id: ExprId) -> Option<Amount> {
        let follows = self.depth == 0 && self.env.may_follow;
        let made = series(self.cx, id).or_else(|| follows.then(|| series_given(self.cx, id))?);
        policy_of(&made?)
    }

    /// A method of a retry crate's policy: the next delay, or a setter that the policy has already.
    pub(super) fn of_policy(&mut self, call: &MethodCall) -> Option<Amount> {
        if self.cx.knowledge.libraries.tables().is_empty() {
            return None;
        }
        let mut policy = self.eval(call.receiver);
        if policy.part("", SHAPE).is_none() {
            policy = policy_of(&series_of_type(self.cx, &self.cx.type_of(call.receiver)?)?)?;
            self.env.choices.note_made_elsewhere();
        }
        if !call.name.starts_with("next") {
            return Some(policy);
        }
        let place = self.place(call.receiver, MOST_ALIASES)?;
        let key = Key::Field(format!("{place}.{STEP}"));
        let step = self.env.vars.get(&key).map_or(0.0, |step| step.lo);
        self.env.vars.insert(key, Amount { moves: true, ..Amount::exact(step + 1.0) });
        delay_at(&policy, step)
    }
}

/// The delays that a value gives which is a retry crate's policy, one for each attempt.
pub(crate) fn delays_of(policy: &Amount) -> Option<Replay> {
    let waits = (0..MOST_ATTEMPTS).map(|step| delay_at(policy, f64::from(step)).map(Some));
    Some(Replay { waits: waits.collect::<Option<_>>()?, ..Replay::default() })
}

/// The delay that a policy gives after so many others.
fn delay_at(policy: &Amount, step: f64) -> Option<Amount> {
    let part = |name: &str| policy.part("", name).cloned();
    let first = part(FIRST)?;
    let step = Amount { moves: true, ..Amount::exact(step) };
    let grown = match part(SHAPE)?.lo {
        shape if shape < 0.5 => first,
        shape if shape < 1.5 => first.mul(&step.add(&Amount::exact(1.0))),
        _ => first.mul(&super::arithmetic::power(&part(FACTOR)?, &step)),
    };
    let capped = part(CAP).map_or(grown.clone(), |cap| grown.min(&cap));
    let draw = part(DRAW)?;
    let how = draw.drawn;
    let drawn = capped.mul(&draw);
    Some(Amount { drawn: how, clipped: false, ..drawn })
}

/// A policy as a value with hidden parts.
fn policy_of(series: &Series) -> Option<Amount> {
    let Series { growth, jitter, first, factor, capped, cap } = *series;
    let size = |number: Option<f64>| number.map_or_else(Amount::symbol, Amount::exact);
    let shape = match growth {
        Growth::Constant => 0.0,
        Growth::Linear => 1.0,
        Growth::Exponential | Growth::Fibonacci => 2.0,
        _ => return None,
    };
    let draw = match jitter {
        Jitter::None => Amount::exact(1.0),
        Jitter::Full => Amount::between(&Amount::exact(0.0), &Amount::exact(1.0)),
        Jitter::Additive => {
            Amount { drawn: Some(Drawn::Added), ..Amount::between(&Amount::exact(1.0), &Amount::exact(1.75)) }
        }
        _ => {
            Amount { drawn: Some(Drawn::Scaled), ..Amount::between(&Amount::exact(0.5), &Amount::exact(1.5)) }
        }
    };
    let factor = factor.filter(|factor| *factor > 1.0 || shape < 2.0);
    let mut fields = vec![
        (FIRST.to_owned(), size(first)),
        (FACTOR.to_owned(), size(factor)),
        (SHAPE.to_owned(), Amount::exact(shape)),
        (DRAW.to_owned(), draw),
    ];
    if capped {
        fields.push((CAP.to_owned(), size(cap)));
    }
    Some(Amount { unknown: true, moves: true, ..Amount::made_of("", fields) })
}
