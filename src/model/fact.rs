//! A fact is known, with the evidence for it, or unknown. Unknown is an answer of its own, never a default value.

use super::Place;

/// What the source shows for a fact: where, and a few words about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Where it is shown; `None` for facts that hold because something is absent.
    pub place: Option<Place>,
    /// A few words, as in a label under source: "waits here", "no random part in it".
    pub text: String,
}

impl Evidence {
    /// Evidence at a place.
    pub fn at(place: Place, text: impl Into<String>) -> Self {
        Self { place: Some(place), text: text.into() }
    }

    /// Evidence that is an absence, or that has no one place.
    pub fn words(text: impl Into<String>) -> Self {
        Self { place: None, text: text.into() }
    }
}

/// A fact about a site.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Fact<T> {
    /// The source shows it.
    Known(T, Evidence),
    /// The source does not show it, or we could not follow.
    #[default]
    Unknown,
}

impl<T> Fact<T> {
    /// A known fact shown at a place.
    pub fn at(value: T, place: Place, text: impl Into<String>) -> Self {
        Self::Known(value, Evidence::at(place, text))
    }

    /// A known fact without one place that shows it.
    pub fn known(value: T) -> Self {
        Self::Known(value, Evidence::default())
    }

    /// The value, where it is known.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Known(value, _) => Some(value),
            Self::Unknown => None,
        }
    }

    /// The evidence, where the fact is known.
    pub fn evidence(&self) -> Option<&Evidence> {
        match self {
            Self::Known(_, evidence) => Some(evidence),
            Self::Unknown => None,
        }
    }

    /// Whether the fact is known to have this value.
    pub fn is(&self, value: &T) -> bool
    where
        T: PartialEq,
    {
        self.value() == Some(value)
    }

    /// Whether the fact is known.
    pub fn is_known(&self) -> bool {
        matches!(self, Self::Known(..))
    }
}
