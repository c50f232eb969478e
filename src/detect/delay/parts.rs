//! What an amount holds when it is no number: a tuple, a struct, a variant with what it carries; or nothing at all.
//! Plain data with its joins; how expressions build it and patterns take it apart is `eval`'s business.

use super::amount::Amount;

/// Alternatives that one value may be, before nobody can follow them.
const MOST_FORMS: usize = 12;

/// Under this name a point in time holds how far ahead of the clock it was set.
const AHEAD: &str = "ahead of now";

/// One form of a value: a struct or tuple, or one variant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Form {
    /// The variant's name; empty for a struct or tuple.
    pub(crate) variant: String,
    /// What it carries, by name or number.
    pub(crate) fields: Vec<(String, Amount)>,
}

impl Amount {
    /// No delay at all: `None`, `Err(..)`, a branch that gives nothing.
    pub(crate) fn absent() -> Self {
        Self { absent: true, ..Self::unknown() }
    }

    /// A struct, tuple or variant. One that carries one number is as good as that number.
    pub(crate) fn made_of(variant: &str, fields: Vec<(String, Self)>) -> Self {
        let value = match fields.as_slice() {
            [(_, only)] => only.clone(),
            _ => Self::unknown(),
        };
        Self { absent: false, forms: vec![Form { variant: variant.to_owned(), fields }], ..value }
    }

    /// A point in time, this far from when it was asked for.
    pub(crate) fn from_now(ahead: Self) -> Self {
        let form = Form { variant: String::new(), fields: vec![(AHEAD.to_owned(), ahead)] };
        Self { clock: true, forms: vec![form], ..Self::unknown() }
    }

    /// How far ahead a point in time was set.
    pub(crate) fn ahead(&self) -> Option<&Self> {
        self.part("", AHEAD).filter(|_| self.clock)
    }

    /// What it holds under a name; of a variant, `None` where it may be that one and nobody knows what it carries.
    pub(crate) fn part(&self, variant: &str, name: &str) -> Option<&Self> {
        let form = self.forms.iter().find(|form| form.variant == variant)?;
        form.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value)
    }

    /// What it holds under a name, whatever it is.
    pub(crate) fn part_of_any(&self, name: &str) -> Option<Self> {
        let all = self.forms.iter().flat_map(|form| &form.fields);
        all.filter(|(field, _)| field == name)
            .map(|(_, value)| value.clone())
            .reduce(|one, other| one.or(&other))
    }

    /// Whether it is this variant, where that is known.
    pub(crate) fn is_variant(&self, variant: &str) -> Option<bool> {
        let mut unlike = self.forms.iter().filter(|form| form.variant != variant);
        if self.forms.is_empty() || self.forms.iter().any(|form| form.variant.is_empty()) {
            return None;
        }
        match (unlike.next().is_some(), self.forms.iter().any(|form| form.variant == variant)) {
            (true, true) => None,
            (_, is) => Some(is),
        }
    }

    /// The forms of either of two values.
    pub(super) fn forms_of_either(&self, other: &Self) -> Vec<Form> {
        if self.forms.is_empty() || other.forms.is_empty() {
            // beside something that nobody can take apart, the known form is still one of the answers
            return Vec::new();
        }
        let mut made = self.forms.clone();
        for form in &other.forms {
            match made.iter_mut().find(|known| known.variant == form.variant) {
                Some(known) => known.join(form),
                None => made.push(form.clone()),
            }
        }
        if made.len() > MOST_FORMS { Vec::new() } else { made }
    }
}

impl Form {
    fn join(&mut self, other: &Self) {
        for (name, value) in &mut self.fields {
            if let Some((_, also)) = other.fields.iter().find(|(field, _)| field == name) {
                *value = value.or(also);
            }
        }
    }
}
