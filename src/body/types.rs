//! Written types, paths and generic bounds, from syn's form to ours.
//! Pure functions: nothing here touches the arena or a span.

use super::{Path, Receiver, Ty, TyShape};
use syn::ext::IdentExt as _;
use syn::punctuated::Punctuated;

/// Types nest at most this deep; below it they are `Other`.
const MAX_DEPTH: u32 = 256;

/// A written type.
///
/// `impl Fn(A) -> B` and `dyn Fn(A) -> B` keep the shapes `Impl` and `Dyn`, with the path `Fn` and the arguments `[A, B]`; the shape `Fn` is for `fn(A) -> B`
/// (no path) and for a bound `Fn(A) -> B`. A missing output is the empty tuple. `Future<Output = T>` has the argument `T`.
pub(super) fn lower_type(ty: &syn::Type) -> Ty {
    type_within(ty, MAX_DEPTH)
}

/// A path in an expression, a pattern or a macro call.
pub(super) fn lower_path(qself: Option<&syn::QSelf>, path: &syn::Path) -> Path {
    let generics =
        last_arguments(path).map_or_else(Vec::new, |arguments| arguments_within(arguments, MAX_DEPTH));
    Path { segments: segments(qself, path, MAX_DEPTH), generics }
}

/// The types between `::<` and `>`.
pub(super) fn turbofish(generics: Option<&syn::AngleBracketedGenericArguments>) -> Vec<Ty> {
    generics.map_or_else(Vec::new, |generics| angle_arguments(generics, MAX_DEPTH))
}

/// A written return type; `None` where nothing or `()` is written.
pub(super) fn return_type(output: &syn::ReturnType) -> Option<Ty> {
    match output {
        syn::ReturnType::Default => None,
        syn::ReturnType::Type(_, ty) => Some(lower_type(ty)).filter(|ty| *ty != unit()),
    }
}

/// Generic parameters and the trait bounds written for them; bounds of `where` on anything else (`T::Item`, `Self`) come under its path.
pub(super) fn generics(generics: &syn::Generics) -> Vec<(String, Vec<Ty>)> {
    let mut found: Vec<(String, Vec<Ty>)> = Vec::new();
    for param in &generics.params {
        match param {
            syn::GenericParam::Type(param) => {
                found.push((name(&param.ident), bounds(&param.bounds, MAX_DEPTH)));
            }
            syn::GenericParam::Const(param) => found.push((name(&param.ident), Vec::new())),
            syn::GenericParam::Lifetime(_) => {}
        }
    }
    for predicate in generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
        let syn::WherePredicate::Type(predicate) = predicate else { continue };
        let bounded = lower_type(&predicate.bounded_ty).path.join("::");
        let bounds = bounds(&predicate.bounds, MAX_DEPTH);
        match found.iter_mut().find(|(name, _)| *name == bounded) {
            Some((_, known)) => known.extend(bounds),
            None => found.push((bounded, bounds)),
        }
    }
    found
}

/// How `self` is taken; `self: Pin<&mut Self>` is `Mut`.
pub(super) fn receiver(receiver: &syn::Receiver) -> Receiver {
    match &receiver.kind {
        syn::ReceiverKind::Reference(_, _, mutability) => by_reference(mutability.is_some()),
        syn::ReceiverKind::Typed(_, ty) => typed_receiver(ty),
        _ => Receiver::Value,
    }
}

/// An identifier without `r#`.
pub(super) fn name(ident: &syn::Ident) -> String {
    ident.unraw().to_string()
}

fn typed_receiver(ty: &syn::Type) -> Receiver {
    match ty {
        syn::Type::Reference(reference) => by_reference(reference.mutability.is_some()),
        syn::Type::Path(path) => match last_arguments(&path.path) {
            Some(syn::PathArguments::AngleBracketed(angle)) => match angle.args.first() {
                Some(syn::GenericArgument::Type(syn::Type::Reference(reference))) => {
                    by_reference(reference.mutability.is_some())
                }
                _ => Receiver::Value,
            },
            _ => Receiver::Value,
        },
        _ => Receiver::Value,
    }
}

fn by_reference(mutable: bool) -> Receiver {
    if mutable { Receiver::Mut } else { Receiver::Ref }
}

fn type_within(ty: &syn::Type, left: u32) -> Ty {
    let Some(left) = left.checked_sub(1) else { return other(Vec::new()) };
    match ty {
        syn::Type::Path(path) => path_type(path.qself.as_ref(), &path.path, left),
        syn::Type::Reference(reference) => type_within(&reference.elem, left),
        syn::Type::Paren(paren) => type_within(&paren.elem, left),
        syn::Type::Group(group) => type_within(&group.elem, left),
        syn::Type::Tuple(tuple) => {
            let args = tuple.elems.iter().map(|elem| type_within(elem, left)).collect();
            Ty { path: Vec::new(), args, shape: TyShape::Tuple }
        }
        syn::Type::Slice(slice) => sequence(&slice.elem, left),
        syn::Type::Array(array) => sequence(&array.elem, left),
        syn::Type::ImplTrait(traits) => first_trait(&traits.bounds, TyShape::Impl, left),
        syn::Type::TraitObject(object) => first_trait(&object.bounds, TyShape::Dyn, left),
        syn::Type::FnPtr(pointer) => Ty {
            path: Vec::new(),
            args: signature(&pointer.inputs, &pointer.output, left),
            shape: TyShape::Fn,
        },
        syn::Type::Ptr(pointer) => other(vec![type_within(&pointer.elem, left)]),
        _ => other(Vec::new()),
    }
}

fn path_type(qself: Option<&syn::QSelf>, path: &syn::Path, left: u32) -> Ty {
    let arguments = last_arguments(path);
    let shape = match arguments {
        Some(syn::PathArguments::Parenthesized(_)) => TyShape::Fn,
        _ => TyShape::Path,
    };
    let args = arguments.map_or_else(Vec::new, |arguments| arguments_within(arguments, left));
    Ty { path: segments(qself, path, left), args, shape }
}

fn segments(qself: Option<&syn::QSelf>, path: &syn::Path, left: u32) -> Vec<String> {
    let written = path.segments.iter().map(|segment| name(&segment.ident));
    let Some(qself) = qself else {
        return path.leading_colon.map(|_| String::new()).into_iter().chain(written).collect();
    };
    // `<T as Trait>::f`: the trait's own segments are the first `position` ones.
    let mut owner = type_within(&qself.ty, left).path;
    if owner.is_empty() {
        owner.push("_".to_owned());
    }
    owner.extend(written.skip(qself.position));
    owner
}

fn last_arguments(path: &syn::Path) -> Option<&syn::PathArguments> {
    path.segments.iter().rev().map(|segment| &segment.arguments).find(|arguments| !arguments.is_empty())
}

fn arguments_within(arguments: &syn::PathArguments, left: u32) -> Vec<Ty> {
    match arguments {
        syn::PathArguments::None => Vec::new(),
        syn::PathArguments::AngleBracketed(angle) => angle_arguments(angle, left),
        syn::PathArguments::Parenthesized(paren) => signature(&paren.inputs, &paren.output, left),
    }
}

fn angle_arguments(angle: &syn::AngleBracketedGenericArguments, left: u32) -> Vec<Ty> {
    angle.args.iter().filter_map(|argument| generic_argument(argument, left)).collect()
}

fn generic_argument(argument: &syn::GenericArgument, left: u32) -> Option<Ty> {
    match argument {
        syn::GenericArgument::Lifetime(_) => None,
        syn::GenericArgument::Type(ty) => Some(type_within(ty, left)),
        syn::GenericArgument::AssocType(assoc) => Some(type_within(&assoc.ty, left)),
        // Kept, so that what follows stays at its position.
        _ => Some(other(Vec::new())),
    }
}

fn signature(
    inputs: &Punctuated<syn::NamedArg, syn::Token![,]>,
    output: &syn::ReturnType,
    left: u32,
) -> Vec<Ty> {
    let output = match output {
        syn::ReturnType::Default => unit(),
        syn::ReturnType::Type(_, ty) => type_within(ty, left),
    };
    inputs.iter().map(|input| type_within(&input.ty, left)).chain([output]).collect()
}

fn first_trait(bounds: &Punctuated<syn::TypeParamBound, syn::Token![+]>, shape: TyShape, left: u32) -> Ty {
    let first = self::bounds(bounds, left).into_iter().next().unwrap_or_default();
    Ty { shape, ..first }
}

fn bounds(bounds: &Punctuated<syn::TypeParamBound, syn::Token![+]>, left: u32) -> Vec<Ty> {
    let traits = bounds.iter().filter_map(|bound| match bound {
        // `?Sized` takes a bound away.
        syn::TypeParamBound::Trait(bound) if bound.maybe.is_none() => Some(&bound.path),
        _ => None,
    });
    traits.map(|path| path_type(None, path, left)).collect()
}

fn sequence(elem: &syn::Type, left: u32) -> Ty {
    Ty { path: Vec::new(), args: vec![type_within(elem, left)], shape: TyShape::Slice }
}

fn unit() -> Ty {
    Ty { path: Vec::new(), args: Vec::new(), shape: TyShape::Tuple }
}

fn other(args: Vec<Ty>) -> Ty {
    Ty { path: Vec::new(), args, shape: TyShape::Other }
}
