//! Items that are types: what fields a struct has, what variants an enum, what an alias stands for, whom an `impl` is for, what a function promises.
//! Read on demand from the item's own text. What does not parse gives nothing: a type is only ever asked to say more about something else.

use super::types::{generics, lower_type, name, receiver, return_type};
use super::{Receiver, Span, Ty};
use syn::parse::Parse;

/// A struct, or the inside of an enum's variant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StructData {
    /// Names of its type parameters.
    pub generics: Vec<String>,
    /// Its fields in order; a tuple's are named `0`, `1`, …
    pub fields: Vec<(String, Ty)>,
    /// The fields that only its module and those below it see.
    pub hidden: Vec<String>,
}

/// An enum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EnumData {
    /// Names of its type parameters.
    pub generics: Vec<String>,
    /// Its variants in order.
    pub variants: Vec<VariantData>,
}

/// A variant of an enum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VariantData {
    /// Its name.
    pub name: String,
    /// What it carries; a tuple's fields are named `0`, `1`, …
    pub fields: Vec<(String, Ty)>,
}

/// A `type` alias.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AliasData {
    /// Names of its type parameters.
    pub generics: Vec<String>,
    /// What it stands for.
    pub ty: Ty,
}

/// The head of an `impl`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImplData {
    /// Its type parameters with the bounds written for them.
    pub generics: Vec<(String, Vec<Ty>)>,
    /// Whom it is for.
    pub ty: Ty,
    /// The trait, with its arguments.
    pub of_trait: Option<Ty>,
}

/// The head of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    /// Types of its parameters, without `self`.
    pub params: Vec<Ty>,
    /// How `self` is taken, if it is a method.
    pub receiver: Option<Receiver>,
    /// Written return type; `None` for `()`.
    pub ret: Option<Ty>,
    /// `async fn`.
    pub is_async: bool,
    /// Type parameters with the bounds written for them.
    pub generics: Vec<(String, Vec<Ty>)>,
}

impl StructData {
    /// The type of a field.
    pub fn field(&self, name: &str) -> Option<&Ty> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, ty)| ty)
    }
}

impl EnumData {
    /// The variant of this name.
    pub fn variant(&self, name: &str) -> Option<&VariantData> {
        self.variants.iter().find(|variant| variant.name == name)
    }
}

/// Reads a `struct` (or `union`) item.
pub fn parse_struct(text: &str, item: Span) -> Option<StructData> {
    read(slice(text, item)?, |parsed: syn::DeriveInput| match &parsed.data {
        syn::Data::Struct(data) => {
            let (fields, hidden) = (fields(&data.fields), hidden(&data.fields));
            Some(StructData { generics: type_names(&parsed.generics), fields, hidden })
        }
        syn::Data::Union(data) => {
            let fields = syn::Fields::Named(data.fields.clone());
            let (fields, hidden) = (self::fields(&fields), hidden(&fields));
            Some(StructData { generics: type_names(&parsed.generics), fields, hidden })
        }
        syn::Data::Enum(_) => None,
    })
}

fn hidden(fields: &syn::Fields) -> Vec<String> {
    let numbered = fields.iter().enumerate();
    let hidden = numbered.filter(|(_, field)| matches!(field.vis, syn::Visibility::Inherited));
    hidden.map(|(at, field)| field.ident.as_ref().map_or_else(|| at.to_string(), name)).collect()
}

/// Reads an `enum` item.
pub fn parse_enum(text: &str, item: Span) -> Option<EnumData> {
    read(slice(text, item)?, |parsed: syn::ItemEnum| {
        let variants = parsed
            .variants
            .iter()
            .map(|variant| VariantData { name: name(&variant.ident), fields: fields(&variant.fields) });
        Some(EnumData { generics: type_names(&parsed.generics), variants: variants.collect() })
    })
}

/// Reads a `type` alias with a value: a top-level one, or an associated type of an impl.
pub fn parse_alias(text: &str, item: Span) -> Option<AliasData> {
    read(slice(text, item)?, |parsed: syn::ItemType| {
        Some(AliasData { generics: type_names(&parsed.generics), ty: lower_type(&parsed.ty) })
    })
}

/// Reads the written type of a constant or static. `value` is the span of its value, where it has one.
pub fn parse_const_type(text: &str, item: Span, name: &str, value: Option<Span>) -> Option<Ty> {
    let end = value.map_or(item.end, |value| value.start);
    let head = slice(text, Span { start: item.start, end })?;
    // `pub(in crate::a) const NAME: T =`: the colon that counts stands behind the name.
    let after = head
        .match_indices(name)
        .find_map(|(at, _)| head.get(at + name.len()..)?.trim_start().strip_prefix(':'))?;
    let written = after.trim_end().trim_end_matches(['=', ';']);
    read(written, |parsed: syn::Type| Some(lower_type(&parsed)))
}

/// Reads the head of an `impl`; `body` is the span of its braces, which is not looked into.
pub fn parse_impl(text: &str, item: Span, body: Option<Span>) -> Option<ImplData> {
    let head = Span { start: item.start, end: body?.start };
    read(&format!("{} {{}}", slice(text, head)?), |parsed: syn::ItemImpl| {
        let ty = lower_type(&parsed.self_ty);
        let of_trait = parsed.trait_.map(|(path, _)| {
            lower_type(&syn::Type::Path(syn::TypePath { attrs: Vec::new(), qself: None, path }))
        });
        Some(ImplData { generics: generics(&parsed.generics), ty, of_trait })
    })
}

/// Reads the head of a function, with a body or without.
pub fn parse_signature(text: &str, item: Span, body: Option<Span>) -> Option<Signature> {
    let end = body.map_or(item.end, |body| body.start);
    let head = slice(text, Span { start: item.start, end })?.trim_end().trim_end_matches(';');
    // A function of an impl is the widest form; it needs a body.
    read(&format!("{head} {{}}"), |parsed: syn::ImplItemFn| {
        let params = parsed.sig.inputs.iter().filter_map(|input| match input {
            syn::FnArg::Typed(param) => Some(lower_type(&param.ty)),
            syn::FnArg::Receiver(_) => None,
        });
        Some(Signature {
            params: params.collect(),
            receiver: parsed.sig.receiver().map(receiver),
            ret: return_type(&parsed.sig.output),
            is_async: parsed.sig.asyncness.is_some(),
            generics: generics(&parsed.sig.generics),
        })
    })
}

fn read<P: Parse, T>(text: &str, lower: impl FnOnce(P) -> Option<T>) -> Option<T> {
    let read = syn::parse_str(text).ok().and_then(lower);
    // proc-macro2 keeps every text that a thread ever parsed, to answer for its spans. Nobody here asks for one.
    proc_macro2::extra::invalidate_current_thread_spans();
    read
}

fn fields(fields: &syn::Fields) -> Vec<(String, Ty)> {
    let named = fields.iter().enumerate().map(|(number, field)| {
        let name = field.ident.as_ref().map_or_else(|| number.to_string(), name);
        (name, lower_type(&field.ty))
    });
    named.collect()
}

fn type_names(generics: &syn::Generics) -> Vec<String> {
    generics.type_params().map(|param| name(&param.ident)).collect()
}

fn slice(text: &str, span: Span) -> Option<&str> {
    text.get(span.start as usize..span.end as usize)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn all(text: &str) -> Span {
        Span { start: 0, end: text.len() as u32 }
    }

    /// From the last opening brace on.
    fn braces(text: &str) -> Option<Span> {
        Some(Span { start: text.rfind('{')? as u32, end: text.len() as u32 })
    }

    #[test]
    fn fields_of_structs_by_name_and_number() {
        let text = "pub struct P<T> { #[x] pub wait: std::time::Duration, r#type: Option<T> }";
        let data = parse_struct(text, all(text)).unwrap();
        assert_eq!(data.generics, ["T"]);
        assert_eq!(data.field("wait").unwrap().path, ["std", "time", "Duration"]);
        assert_eq!(data.field("type").unwrap().name(), "Option");
        let text = "struct T(u8, pub u16);";
        assert_eq!(parse_struct(text, all(text)).unwrap().field("1").unwrap().path, ["u16"]);
        let text = "union U { a: u8 }";
        assert_eq!(parse_struct(text, all(text)).unwrap().field("a").unwrap().path, ["u8"]);
        let text = "struct Broken { a: }";
        assert_eq!(parse_struct(text, all(text)), None);
    }

    #[test]
    fn variants_and_aliases() {
        let text = "enum E<T> { A, B(T), C { code: u16 } = 3 }";
        let data = parse_enum(text, all(text)).unwrap();
        assert_eq!(data.variant("C").unwrap().fields.first().unwrap().0, "code");
        assert_eq!(data.variant("D"), None);
        let text = "pub type Res<T> = Result<T, E>;";
        let data = parse_alias(text, all(text)).unwrap();
        assert_eq!((data.generics.len(), data.ty.args.len()), (1, 2));
    }

    #[test]
    fn heads_of_impls_and_functions() {
        let text = "unsafe impl<T: Dial> a::Tr<u8> for b::C<T> where T: Send { fn f( }";
        let data = parse_impl(text, all(text), braces(text)).unwrap();
        assert_eq!(data.ty.path, ["b", "C"]);
        assert_eq!(data.of_trait.unwrap().path, ["a", "Tr"]);
        assert_eq!(data.generics.first().unwrap().0, "T");
        let text = "pub(in crate::a) async fn f<F>(&mut self, n: u32) -> Option<F> where F: Fn() { broken( }";
        let head = parse_signature(text, all(text), braces(text)).unwrap();
        assert_eq!((head.params.len(), head.receiver, head.is_async), (1, Some(Receiver::Mut), true));
        let text = "fn declared(self);";
        assert_eq!(parse_signature(text, all(text), None).unwrap().receiver, Some(Receiver::Value));
    }

    #[test]
    fn types_of_constants() {
        let text = "pub(in crate::MAX) const MAX: Option<u32> = Some(3);";
        let value = Span { start: text.find("Some").unwrap() as u32, end: text.len() as u32 - 1 };
        assert_eq!(parse_const_type(text, all(text), "MAX", Some(value)).unwrap().name(), "Option");
        let text = "const LEN: usize;";
        assert_eq!(parse_const_type(text, all(text), "LEN", None).unwrap().name(), "usize");
    }
}
