//! Answers that are kept for a whole crate, so that each is worked out once.
//! Each depends only on its key: threads may race for them, and neither their order nor their number shows.

use super::library::Runs;
use super::remote::Answer;
use super::summary::Summary;
use crate::body::{ExprId, Ty};
use crate::model::Site;
use crate::resolve::ItemRef;
use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;
use std::sync::{Mutex, OnceLock, PoisonError};

/// An expression, and the item in whose body it stands.
pub(super) type Written = (ItemRef, ExprId);
/// A type's path and the name of a field of it.
pub(super) type FieldOf = (Vec<String>, String);

/// Answers kept for a whole crate.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    summaries: Mutex<HashMap<(ItemRef, u32), Summary>>,
    pub(super) fields: Mutex<HashMap<FieldOf, Option<Written>>>,
    pub(super) writes: Mutex<HashMap<FieldOf, Option<Vec<Written>>>>,
    pub(super) callers: Mutex<HashMap<ItemRef, Vec<Written>>>,
    pub(super) makers: Mutex<HashMap<Written, Option<Vec<ItemRef>>>>,
    pub(super) picked: Mutex<HashMap<(ItemRef, String), bool>>,
    clients: Mutex<HashMap<(Ty, u32), Option<Answer>>>,
    refusals: Mutex<HashMap<(ItemRef, u32), bool>>,
    hints: Mutex<HashMap<(ItemRef, u32), bool>>,
    engines: Mutex<HashMap<(ItemRef, u32), Option<Site>>>,
    naming_hints: OnceLock<BTreeSet<String>>,
    keeps_statuses: OnceLock<bool>,
    pub(super) runs: OnceLock<Runs>,
}

impl Memo {
    /// The summary of a function with this many calls to follow. One that needed fewer holds for any larger number.
    pub(crate) fn summary(&self, item: ItemRef, left: u32, find: impl FnOnce() -> Summary) -> Summary {
        let summaries = || self.summaries.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let known = summaries();
            let whole = known.get(&(item, WHOLE)).filter(|summary| summary.height <= left);
            if let Some(summary) = whole.or_else(|| known.get(&(item, left))) {
                return summary.clone();
            }
        }
        let made = find();
        // it never came to the end of what it may follow: it is the same however much that is
        let key = if made.height <= left { WHOLE } else { left };
        summaries().insert((item, key), made.clone());
        made
    }

    /// Whether a type is a client's.
    pub(crate) fn client(&self, ty: &Ty, left: u32, find: impl FnOnce() -> Option<Answer>) -> Option<Answer> {
        kept(&self.clients, (ty.clone(), left), find)
    }

    /// Whether a function fails with a client error, with this many calls to follow.
    pub(crate) fn refusal(&self, item: ItemRef, left: u32, find: impl FnOnce() -> bool) -> bool {
        kept(&self.refusals, (item, left), find)
    }

    /// Whether a function speaks of a server's hint how long to wait, with this many calls to follow.
    pub(crate) fn hint(&self, item: ItemRef, left: u32, find: impl FnOnce() -> bool) -> bool {
        kept(&self.hints, (item, left), find)
    }

    /// The site in the body of a function that retries what it is given, with this many engines to follow: asked at each of its calls.
    pub(crate) fn engine(
        &self,
        item: ItemRef,
        left: u32,
        find: impl FnOnce() -> Option<Site>,
    ) -> Option<Site> {
        kept(&self.engines, (item, left), find)
    }

    /// Whether a function of this name speaks of a server's hint.
    pub(crate) fn names_hint(&self, name: &str, find: impl FnOnce() -> BTreeSet<String>) -> bool {
        self.naming_hints.get_or_init(find).contains(name)
    }

    /// Whether the crate has a client keep statuses from being errors.
    pub(crate) fn keeps_statuses(&self, find: impl FnOnce() -> bool) -> bool {
        *self.keeps_statuses.get_or_init(find)
    }
}

/// The answer to a question, found now where it was not asked before. Nothing is held while it is found: that asks other questions.
pub(super) fn kept<K: Eq + Hash, V: Clone>(
    answers: &Mutex<HashMap<K, V>>,
    key: K,
    find: impl FnOnce() -> V,
) -> V {
    let answers = || answers.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = answers().get(&key) {
        return known.clone();
    }
    let made = find();
    answers().insert(key, made.clone());
    made
}

/// Key of a summary that is whole.
const WHOLE: u32 = u32::MAX;
