//! Names that were looked up before. A crate asks the same few thousand questions over and over, and each may walk a web of globs.

use super::index::ScopeId;
use super::lookup::Found;
use super::paths::Space;
use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, PoisonError};

/// Parts of the table, each with a lock of its own, so that threads seldom wait for each other.
const SHARDS: usize = 64;

/// All that an answer depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) scope: ScopeId,
    pub(super) space: Space,
    pub(super) globs: bool,
    pub(super) in_test: bool,
    pub(super) members: bool,
    pub(super) name: String,
}

/// The answers so far.
#[derive(Debug)]
pub(super) struct Cache {
    shards: Vec<Mutex<HashMap<Key, Option<Found>>>>,
    hasher: RandomState,
}

impl Cache {
    /// No answers.
    pub(super) fn new() -> Self {
        Self { shards: (0..SHARDS).map(|_| Mutex::default()).collect(), hasher: RandomState::new() }
    }

    /// The answer to a question, found now where it was not asked before.
    pub(super) fn answer(&self, key: Key, find: impl FnOnce() -> Option<Found>) -> Option<Found> {
        let Some(shard) = self.shard(&key) else { return find() };
        // Not held while searching: a search asks other questions.
        let known = shard.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(known) = known {
            return known;
        }
        let found = find();
        shard.lock().unwrap_or_else(PoisonError::into_inner).insert(key, found.clone());
        found
    }

    fn shard(&self, key: &Key) -> Option<&Mutex<HashMap<Key, Option<Found>>>> {
        let number = self.hasher.hash_one(key) as usize % SHARDS;
        self.shards.get(number)
    }
}
