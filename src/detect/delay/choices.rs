//! What a configuration decides once: which implementation of a trait a policy is, which variant a kind is.
//! Each answer is replayed by itself; only facts on which all answers agree are told.

use super::replay::Replay;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Answers to one question that are tried.
pub(super) const MOST_ANSWERS: usize = 8;
/// Replays in all.
const MOST_RUNS: usize = 24;

/// Questions by name: the answer taken, and those that were met without one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choices {
    taken: Rc<BTreeMap<String, usize>>,
    open: Rc<RefCell<BTreeMap<String, usize>>>,
    made_elsewhere: Rc<Cell<bool>>,
    /// Who asks is outside of the crate: also what nobody in it chooses is an answer.
    pub(super) by_anybody: bool,
}

impl Choices {
    /// The answer to a question that has so many.
    pub(super) fn answer(&self, question: &str, answers: usize) -> usize {
        if let Some(taken) = self.taken.get(question) {
            return *taken;
        }
        self.open.borrow_mut().insert(question.to_owned(), answers);
        0
    }

    /// Notes that the policy at hand is made elsewhere: only its type is known, or the crate gives others in other places.
    pub(super) fn note_made_elsewhere(&self) {
        self.made_elsewhere.set(true);
    }
}

/// Replays once for each way to answer what is asked on the way.
pub(crate) fn for_each(by_anybody: bool, run: impl Fn(&Choices) -> Replay) -> Replay {
    let mut waiting: Vec<BTreeMap<String, usize>> = vec![BTreeMap::new()];
    let mut done: Vec<Replay> = Vec::new();
    let mut runs = 0;
    while let Some(taken) = waiting.pop() {
        runs += 1;
        let choices = Choices { taken: Rc::new(taken.clone()), by_anybody, ..Choices::default() };
        let mut replay = run(&choices);
        replay.made_elsewhere = choices.made_elsewhere.get();
        let open =
            choices.open.borrow().iter().next().map(|(question, answers)| (question.clone(), *answers));
        let Some((question, answers)) = open else {
            done.push(replay);
            continue;
        };
        if runs + waiting.len() + answers > MOST_RUNS {
            return Replay { waits: vec![Some(super::Amount::unknown())], ..Replay::default() };
        }
        for answer in (0..answers).rev() {
            let mut taken = taken.clone();
            taken.insert(question.clone(), answer);
            waiting.push(taken);
        }
    }
    together(done)
}

/// One of several replays with the others beside it. One that never waits says that the policy is off.
fn together(mut done: Vec<Replay>) -> Replay {
    let made_elsewhere = done.iter().any(|replay| replay.made_elsewhere);
    let waits = |replay: &Replay| replay.waits.iter().any(Option::is_some);
    if done.iter().any(waits) {
        done.retain(waits);
    }
    let mut done = done.into_iter();
    let Some(mut first) = done.next() else { return Replay::default() };
    first.others = done.collect();
    first.made_elsewhere = made_elsewhere;
    if first.others.iter().any(|other| other.max != first.max) {
        first.max = None;
    }
    if first.others.iter().any(|other| other.overflow.is_none()) {
        first.overflow = None;
    }
    first
}
