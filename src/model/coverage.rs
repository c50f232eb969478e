//! How much of what was looked at was understood, so that silence can be told from blindness: the facts of a site that are not known, and the
//! bodies that could not be followed. Nothing is judged here.

use super::{Kind, Site, Value, fact_info};

/// What is asked of a delay.
const OF_A_DELAY: [&str; 2] = ["delay.growth", "delay.jitter"];

/// What is asked beside it of a place that calls an operation.
const OF_A_CALL: [&str; 3] = ["operation.remote", "attempts.kind", "errors.kind"];

/// Of a delay that grows.
const OF_GROWTH: &str = "delay.capped";

/// The facts that a site of its kind should have and of which nothing is known; none where it is fully known.
pub fn unknown_facts(site: &Site) -> Vec<&'static str> {
    // a schedule is asked for a delay and calls nothing
    let of_a_call: &[&str] = if site.kind == Kind::Schedule { &[] } else { &OF_A_CALL };
    let grows = site.delay.growth.value().is_some_and(|growth| growth.grows());
    let asked = of_a_call.iter().chain(&OF_A_DELAY).copied().chain(grows.then_some(OF_GROWTH));
    asked.filter(|name| fact_info(name).is_some_and(|fact| fact.value(site) == Value::Unknown)).collect()
}

/// Why a body could not be followed, or not to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Blindness {
    /// It nests too deep, or is too long a chain.
    Depth,
    /// It does not parse.
    Syntax,
    /// A macro holds a loop or words of retrying, and cannot be read without expanding it.
    Macro,
    /// The budget of steps ran out.
    Steps,
    /// Too many paths at one point; some were left out.
    Paths,
    /// The analysis itself failed.
    Failure,
}

impl Blindness {
    /// The same in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Depth => "it nests too deep",
            Self::Syntax => "it does not parse",
            Self::Macro => "a macro in it cannot be read without expanding it",
            Self::Steps => "the budget of steps ran out",
            Self::Paths => "it has too many paths, and some were left out",
            Self::Failure => "the analysis failed",
        }
    }
}

/// A body that could not be followed, or not to its end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unfollowed {
    /// The file, as shown to the user.
    pub path: String,
    /// Line, 1-based.
    pub line: u32,
    /// Column in characters, 1-based.
    pub column: u32,
    /// The function's or macro's name.
    pub name: String,
    /// What was in the way.
    pub why: Blindness,
    /// In a test, a bench or an example.
    pub in_test: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{BoundKind, ErrorKind, Jitter, Place};
    use crate::model::{Fact, Growth};

    #[test]
    fn what_is_asked_of_a_site() {
        let place = Place {
            path: "a.rs".into(),
            line: 1,
            column: 1,
            end_line: 1,
            end_column: 2,
            start_byte: 0,
            end_byte: 1,
        };
        let mut site = Site::new(place, String::new(), Kind::Retry);
        assert_eq!(
            unknown_facts(&site),
            ["operation.remote", "attempts.kind", "errors.kind", "delay.growth", "delay.jitter"]
        );
        site.operation.remote = Fact::known(true);
        site.attempts.kind = Fact::known(BoundKind::Bounded);
        site.errors.kind = Fact::known(ErrorKind::All);
        site.delay.growth = Fact::known(Growth::Constant);
        site.delay.jitter = Fact::known(Jitter::None);
        assert!(unknown_facts(&site).is_empty());
        site.delay.growth = Fact::known(Growth::Exponential);
        assert_eq!(unknown_facts(&site), ["delay.capped"]);
        site.attempts.kind = Fact::Unknown;
        site.kind = Kind::Schedule;
        assert_eq!(unknown_facts(&site), ["delay.capped"]);
    }

    #[test]
    fn every_fact_that_is_asked_for_is_one() {
        for name in OF_A_DELAY.iter().chain(&OF_A_CALL).chain([&OF_GROWTH]) {
            assert!(fact_info(name).is_some(), "{name}");
        }
    }
}
