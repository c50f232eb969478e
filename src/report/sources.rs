//! The texts that places point into. Kept apart from the engine's files, so that those can be dropped as soon as a crate is done.

use crate::model::Place;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Texts by path as shown to the user.
#[derive(Debug, Default)]
pub struct Sources {
    texts: BTreeMap<Arc<str>, String>,
}

impl Sources {
    /// Keeps a file's text.
    pub fn insert(&mut self, path: Arc<str>, text: String) {
        self.texts.insert(path, text);
    }

    /// A file's text; empty where it was not kept.
    pub fn text(&self, path: &str) -> &str {
        self.texts.get(path).map_or("", String::as_str)
    }

    /// The text of a place; empty where it is no range of its file.
    pub fn slice(&self, place: &Place) -> &str {
        self.text(&place.path).get(place.start_byte as usize..place.end_byte as usize).unwrap_or_default()
    }

    /// Takes in another's texts.
    pub fn extend(&mut self, other: Self) {
        self.texts.extend(other.texts);
    }
}
