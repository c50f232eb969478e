//! Turns a TOML table into typed data through serde, and keeps the place of each mistake and the words that would have been right.
//! Exists because the usual errors name neither the line of a tagged table's key nor the word that was meant. Knows no table's meaning.

use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer, MapAccess, SeqAccess, VariantAccess,
    Visitor, value::StrDeserializer,
};
use serde::forward_to_deserialize_any;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

/// What is wrong in a table, and where.
#[derive(Clone, Debug)]
pub(crate) struct Mistake {
    /// Bytes of the text it is about; none while it is still being passed outwards.
    pub(crate) at: Option<Range<usize>>,
    /// What is wrong, in words.
    pub(crate) what: String,
    /// The word written and those that it could have been.
    pub(crate) meant: Option<(String, &'static [&'static str])>,
}

impl Mistake {
    /// A mistake at a place.
    pub(crate) fn new(at: Range<usize>, what: impl Into<String>) -> Self {
        Self { at: Some(at), what: what.into(), meant: None }
    }

    /// The same mistake, at this place unless it knows a closer one.
    pub(crate) fn or_at(mut self, at: &Range<usize>) -> Self {
        self.at.get_or_insert_with(|| at.clone());
        self
    }

    /// The valid word nearest to the one written, of those the mistake knows and these.
    pub(crate) fn nearest(&self, more: &[&'static str]) -> Option<&'static str> {
        let (written, valid) = self.meant.as_ref()?;
        nearest(written, valid.iter().chain(more).copied())
    }
}

/// The candidate that looks most like a word; `None` where none is near.
fn nearest(word: &str, candidates: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    candidates
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        // Beyond half of the letters a suggestion is a guess that misleads.
        .filter(|(distance, candidate)| *distance * 2 <= word.len().max(candidate.len()))
        .min()
        .map(|(_, candidate)| candidate)
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Mistake {}

impl Error for Mistake {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { at: None, what: message.to_string(), meant: None }
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Self { at: None, what: format!("unknown key `{field}`"), meant: Some((field.to_owned(), expected)) }
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self {
            at: None,
            what: format!("unknown word `{variant}`"),
            meant: Some((variant.to_owned(), expected)),
        }
    }

    fn missing_field(field: &'static str) -> Self {
        Self { at: None, what: format!("`{field}` is missing"), meant: None }
    }
}

/// A value of a table, ready for serde.
pub(crate) struct Node<'a, 'i>(pub(crate) &'a Spanned<DeValue<'i>>);

/// Reads a value as `T`.
pub(crate) fn read<'a, T: Deserialize<'a>>(value: &'a Spanned<DeValue<'_>>) -> Result<T, Mistake> {
    T::deserialize(Node(value))
}

impl<'de> Deserializer<'de> for Node<'de, '_> {
    type Error = Mistake;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        let read = match self.0.get_ref() {
            DeValue::String(text) => visitor.visit_borrowed_str(text),
            DeValue::Boolean(yes) => visitor.visit_bool(*yes),
            DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) => visitor.visit_i64(number),
                Err(error) => Err(Mistake::custom(error)),
            },
            DeValue::Float(number) => match number.as_str().parse() {
                Ok(number) => visitor.visit_f64(number),
                Err(error) => Err(Mistake::custom(error)),
            },
            DeValue::Datetime(_) => Err(Mistake::custom("a date has no meaning here")),
            DeValue::Array(items) => visitor.visit_seq(Items(items.iter())),
            DeValue::Table(table) => visitor.visit_map(Fields::of(table)),
        };
        read.map_err(|mistake| mistake.or_at(&self.0.span()))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        visitor.visit_some(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        let DeValue::String(word) = self.0.get_ref() else {
            return Err(Mistake::new(
                self.0.span(),
                format!("expected a word, found {}", self.0.get_ref().type_str()),
            ));
        };
        let word: StrDeserializer<'_, Mistake> = word.as_ref().into_deserializer();
        word.deserialize_enum(name, variants, visitor).map_err(|mistake| mistake.or_at(&self.0.span()))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

struct Items<'a, 'i>(<&'a DeArray<'i> as IntoIterator>::IntoIter);

impl<'de> SeqAccess<'de> for Items<'de, '_> {
    type Error = Mistake;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Mistake> {
        self.0.next().map(|item| seed.deserialize(Node(item))).transpose()
    }
}

type Field<'a, 'i> = (&'a Spanned<std::borrow::Cow<'i, str>>, &'a Spanned<DeValue<'i>>);

/// Some of a table's keys, with their values.
pub(crate) struct Fields<'a, 'i> {
    rest: std::vec::IntoIter<Field<'a, 'i>>,
    value: Option<&'a Spanned<DeValue<'i>>>,
}

impl<'a, 'i> Fields<'a, 'i> {
    /// All keys of a table.
    pub(crate) fn of(table: &'a DeTable<'i>) -> Self {
        Self::only(table, |_| true)
    }

    /// The keys that a test accepts.
    pub(crate) fn only(table: &'a DeTable<'i>, keep: impl Fn(&str) -> bool) -> Self {
        let rest: Vec<_> = table.iter().filter(|(key, _)| keep(key.get_ref())).collect();
        Self { rest: rest.into_iter(), value: None }
    }
}

impl<'de> MapAccess<'de> for Fields<'de, '_> {
    type Error = Mistake;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Mistake> {
        let Some((key, value)) = self.rest.next() else { return Ok(None) };
        self.value = Some(value);
        let name: StrDeserializer<'_, Mistake> = key.get_ref().as_ref().into_deserializer();
        seed.deserialize(name).map(Some).map_err(|mistake| mistake.or_at(&key.span()))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Mistake> {
        let value = self.value.take().ok_or_else(|| Mistake::custom("a value was read before its key"))?;
        // what a value's own reading finds wrong knows no place
        seed.deserialize(Node(value)).map_err(|mistake| mistake.or_at(&value.span()))
    }
}

/// A word and the keys beside it, read as an enum: the word is the variant, the keys are its fields.
pub(crate) struct Tagged<'a, 'i> {
    /// The word.
    pub(crate) tag: &'a Spanned<DeValue<'i>>,
    /// The keys that belong to it.
    pub(crate) fields: Fields<'a, 'i>,
}

impl<'de> Deserializer<'de> for Tagged<'de, '_> {
    type Error = Mistake;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        visitor.visit_enum(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option enum
        unit unit_struct newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

impl<'de, 'i> EnumAccess<'de> for Tagged<'de, 'i> {
    type Error = Mistake;
    type Variant = Fields<'de, 'i>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self::Variant), Mistake> {
        Ok((seed.deserialize(Node(self.tag))?, self.fields))
    }
}

impl<'de> VariantAccess<'de> for Fields<'de, '_> {
    type Error = Mistake;

    // serde itself would swallow the keys of a word that has none.
    fn unit_variant(mut self) -> Result<(), Mistake> {
        match self.rest.next() {
            None => Ok(()),
            Some((key, _)) => Err(Mistake::unknown_field(key.get_ref(), &[]).or_at(&key.span())),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, Mistake> {
        Err(Mistake::custom("a word with keys was expected"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Mistake> {
        Err(Mistake::custom("a word with keys was expected"))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        visitor.visit_map(self)
    }
}
