//! The ways in which a condition comes true, and made-up sites for each: what messages are rehearsed on and rules are tested with.
//! It knows conditions and the table of facts, never a rule.

use std::sync::Arc;

use super::condition::{Bounds, Clause, Condition, Test};
use crate::model::{FactInfo, FactType, Kind, Place, Site, Value};

/// One way in which a condition comes true: what it then asks of each fact that it reads.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) asks: Vec<Ask>,
}

/// What a way asks of one fact: tests that must come out as given.
#[derive(Clone, Debug)]
pub(super) struct Ask {
    pub(super) fact: &'static FactInfo,
    tests: Vec<(Test, bool)>,
}

/// Conditions people write have a handful; the limit keeps `any` inside `any` from multiplying without end.
const MOST_WAYS: usize = 512;

/// Every way in which the condition can come true; `None` where there are too many to tell.
pub(super) fn ways(condition: &Condition) -> Option<Vec<Way>> {
    let ways = expand(condition, true)?;
    Some(ways.into_iter().filter(Way::is_possible).collect())
}

/// The condition (or, where not `wanted`, its opposite) as alternatives of asks.
fn expand(condition: &Condition, wanted: bool) -> Option<Vec<Way>> {
    let clauses = condition.clauses.iter().map(|clause| match clause {
        Clause::Fact(fact, test) => {
            Some(vec![Way { asks: vec![Ask { fact, tests: vec![(test.clone(), wanted)] }] }])
        }
        Clause::Any(branches) => combine(branches.iter().map(|branch| expand(branch, wanted)), !wanted),
        Clause::Not(inner) => expand(inner, !wanted),
    });
    combine(clauses, wanted)
}

/// Alternatives that must all hold multiply; alternatives of which one must hold add up.
fn combine(parts: impl Iterator<Item = Option<Vec<Way>>>, all: bool) -> Option<Vec<Way>> {
    let mut result = if all { vec![Way { asks: Vec::new() }] } else { Vec::new() };
    for part in parts {
        let part = part?;
        if all {
            result = result.iter().flat_map(|way| part.iter().map(move |other| way.and(other))).collect();
        } else {
            result.extend(part);
        }
        if result.len() > MOST_WAYS {
            return None;
        }
    }
    Some(result)
}

impl Way {
    fn and(&self, other: &Self) -> Self {
        let mut both = self.clone();
        for ask in &other.asks {
            match both.asks.iter_mut().find(|known| known.fact.name == ask.fact.name) {
                Some(known) => known.tests.extend(ask.tests.iter().cloned()),
                None => both.asks.push(ask.clone()),
            }
        }
        both
    }

    fn is_possible(&self) -> bool {
        self.asks.iter().all(|ask| !ask.values().is_empty())
    }

    /// Values of this fact with which the way still holds, `Unknown` among them where that will do.
    pub(super) fn values(&self, fact: &'static FactInfo) -> Vec<Value> {
        match self.asks.iter().find(|ask| ask.fact.name == fact.name) {
            Some(ask) => ask.values(),
            None => candidates(fact, &[]),
        }
    }

    /// A site that satisfies it; whatever it does not ask for is unknown.
    pub(super) fn site(&self) -> Site {
        let mut site = blank_site();
        for ask in &self.asks {
            if let Some(value) = ask.values().first() {
                ask.fact.set(&mut site, value);
            }
        }
        site
    }
}

impl Ask {
    pub(super) fn values(&self) -> Vec<Value> {
        let mut values = candidates(self.fact, &self.tests);
        values.retain(|value| self.tests.iter().all(|(test, wanted)| test.truth(value) == Some(*wanted)));
        values
    }
}

/// A site of which only the place is known.
pub(super) fn blank_site() -> Site {
    let place = Place {
        path: Arc::from("src/lib.rs"),
        line: 1,
        column: 1,
        end_line: 1,
        end_column: 2,
        start_byte: 0,
        end_byte: 1,
    };
    Site::new(place, String::new(), Kind::Retry)
}

/// Values worth trying: every word, and numbers on both sides of each bound and of each way a duration is written. Unknown last.
fn candidates(fact: &'static FactInfo, tests: &[(Test, bool)]) -> Vec<Value> {
    let mut values: Vec<Value> = match fact.kind {
        FactType::Words(words) => words.iter().map(|word| Value::Word(word)).collect(),
        FactType::Bool => vec![Value::Bool(true), Value::Bool(false)],
        FactType::Number => {
            let around = tests.iter().flat_map(|(test, _)| match test {
                Test::Within(bounds) => numbers_around(bounds),
                _ => Vec::new(),
            });
            around.chain([5.0, 1.0, 2.0, 0.0, 0.25, 1.5, 90.0, 5000.0, 1e12]).map(Value::Number).collect()
        }
        FactType::Text => {
            let named = tests.iter().flat_map(|(test, _)| match test {
                Test::OneOf(words) => words.clone(),
                _ => Vec::new(),
            });
            named.chain(["client.get(url).send()".to_owned()]).map(Value::Text).collect()
        }
        FactType::Schedule => {
            vec![
                Value::Schedule(vec![[1.0, 1.0], [2.0, 2.0], [4.0, 4.0], [8.0, 8.0]]),
                Value::Schedule(vec![[0.0, 0.5]]),
                Value::Schedule(Vec::new()),
            ]
        }
    };
    // A few facts are never unknown: they refuse the value.
    if fact.set(&mut blank_site(), &Value::Unknown) {
        values.push(Value::Unknown);
    }
    values
}

fn numbers_around(bounds: &Bounds) -> Vec<f64> {
    let bounds = [bounds.above, bounds.at_least, bounds.below];
    bounds.into_iter().flatten().flat_map(|bound| [bound + 1.0, bound, bound - 1.0]).collect()
}
