//! What type a call gives: a constructor its type, this crate's own functions what they say they return, std's methods what they are known to.
//! What another crate's method returns is unknown, save for names that by convention give back the receiver or what it holds.

use super::paths::Space;
use super::prelude::{is_primitive, number_type};
use super::types::{Typing, element, is_map, is_number, is_sequence, number_name, payload, slice_of};
use super::written::{innermost, is_fallible, is_lock, named, peeled, plain, short_prelude, substituted};
use super::{Crate, ItemRef, Target};
use crate::body::{ExprId, ExprKind, MethodCall, Path, Ty, TyShape};
use crate::source::ItemKind;

impl Crate {
    /// The type that a function returns; of an `async fn`, what it gives when awaited. `receiver` is the type it is called on.
    pub(super) fn returned(&self, function: ItemRef, receiver: Option<&Ty>) -> Option<Ty> {
        let head = self.signature(function)?;
        let Some(ret) = &head.ret else {
            return Some(Ty { shape: TyShape::Tuple, ..Ty::default() });
        };
        let of_impl = self.impl_or_trait_around(function).and_then(|around| self.impl_data(around));
        let ret = match (of_impl, receiver) {
            // `impl<T> Pool<T>`: what its parameters are for this receiver.
            (Some(of_impl), Some(receiver)) => {
                let names: Vec<String> = of_impl.ty.args.iter().map(|arg| arg.path.join("::")).collect();
                let known = of_impl.ty.args.iter().all(|arg| self.is_type_parameter(function, arg));
                if known { substituted(ret, &names, &peeled(receiver).args) } else { ret.clone() }
            }
            _ => ret.clone(),
        };
        let full = self.full_type(function, &ret);
        if self.is_type_parameter(function, &full) { None } else { Some(full) }
    }
}

impl Typing<'_> {
    /// The type of `callee(args)`.
    pub(super) fn call(&self, callee: ExprId, args: &[ExprId], depth: u32) -> Option<Ty> {
        let ExprKind::Path(path) = &self.body.expr(callee).kind else { return None };
        if let Some(local) = self.body.local(callee) {
            let ty = self.local(local, depth)?;
            return if ty.shape == TyShape::Fn || ty.name().starts_with("Fn") {
                ty.args.into_iter().last()
            } else {
                None
            };
        }
        match self.krate.path_in(self.at, &path.segments, Space::Value) {
            Target::Item(item) => match self.krate.kind(item)? {
                ItemKind::Fn => self.krate.returned(item, None),
                ItemKind::Struct => self.constructed(path),
                _ => None,
            },
            Target::Variant(item, _) => Some(plain(self.krate.full_path(item))),
            Target::External(full) => self.foreign_call(&full, path, args, depth),
            Target::Unknown => {
                let wrapped = |name| Some(named(name, vec![self.expr(*args.first()?, depth)?]));
                match path.single()? {
                    "Some" => wrapped("Option"),
                    "Ok" => wrapped("Result"),
                    "Self" => self.krate.self_type(self.at),
                    _ => None,
                }
            }
        }
    }

    /// The type of `receiver.name(args)`.
    pub(super) fn method(&self, call: &MethodCall, depth: u32) -> Option<Ty> {
        let name = call.name.as_str();
        let receiver = self.expr(call.receiver, depth);
        if let Some(ty) = &receiver {
            if let Some(own) = self.krate.method(ty, name) {
                return self.krate.returned(own, Some(ty));
            }
        }
        if let Some(ty) = fixed_by_name(name) {
            return Some(named(ty, Vec::new()));
        }
        match name {
            "parse" | "try_into" => return Some(named("Result", vec![self.full(call.generics.first()?)])),
            "collect" | "sum" | "product" | "into" => return call.generics.first().map(|ty| self.full(ty)),
            "min" | "max" | "clamp" | "saturating_add" | "saturating_sub" | "wrapping_add"
                if receiver.is_none() =>
            {
                // `2.min(limit)`: both sides are of one type.
                return self.expr(*call.args.first()?, depth).filter(is_number);
            }
            _ => {}
        }
        self.of_receiver(receiver?, name, call, depth)
    }

    /// What a method gives by the receiver's type and convention.
    fn of_receiver(&self, ty: Ty, name: &str, call: &MethodCall, depth: u32) -> Option<Ty> {
        match name {
            "clone" | "as_ref" | "as_mut" | "borrow" | "borrow_mut" | "deref" | "deref_mut" | "to_owned"
            | "by_ref"
                if !is_lock(peeled(&ty)) =>
            {
                return Some(ty);
            }
            "unwrap" | "expect" | "unwrap_or" | "unwrap_or_else" | "unwrap_or_default" => return payload(ty),
            "inner" | "get_ref" | "into_inner" => {
                return if innermost(&ty) == &ty { None } else { Some(innermost(&ty).clone()) };
            }
            _ => {}
        }
        let inside = peeled(&ty).clone();
        if let Some(number) = number_name(&inside) {
            return of_number(number, name);
        }
        if is_lock(&inside) {
            return of_lock(inside, name);
        }
        if is_fallible(&inside) {
            return self.of_fallible(inside, name, call, depth);
        }
        if is_map(&inside) || is_sequence(&inside) {
            return of_collection(inside, name);
        }
        of_time(inside, name)
    }

    fn of_fallible(&self, ty: Ty, name: &str, call: &MethodCall, depth: u32) -> Option<Ty> {
        match name {
            "ok" => payload(ty).map(|inside| named("Option", vec![inside])),
            "err" | "unwrap_err" | "expect_err" => {
                let error = ty.args.into_iter().nth(1)?;
                Some(if name == "err" { named("Option", vec![error]) } else { error })
            }
            "ok_or" | "ok_or_else" => payload(ty).map(|inside| named("Result", vec![inside])),
            // The error is another one; what was hoped for is the same.
            "map_err" | "or_else" | "context" | "with_context" => {
                payload(ty).map(|inside| named("Result", vec![inside]))
            }
            "inspect" | "inspect_err" | "or" | "filter" | "take" | "cloned" | "copied" | "as_deref"
            | "as_deref_mut" | "replace" => Some(ty),
            "get_or_insert" | "get_or_insert_with" | "insert" => payload(ty),
            "map_or" => self.expr(*call.args.first()?, depth),
            _ => None,
        }
    }

    /// What another crate's function gives: its type, where it looks like a constructor.
    fn foreign_call(&self, full: &[String], written: &Path, args: &[ExprId], depth: u32) -> Option<Ty> {
        let (name, owner) = full.split_last()?;
        let owner_name = owner.last()?;
        let argument = || args.first().and_then(|arg| self.expr(*arg, depth));
        match (owner_name.as_str(), name.as_str()) {
            ("Arc" | "Rc" | "Clone", "clone") | ("mem", "take" | "replace") => return argument(),
            ("Result" | "Option", "Ok" | "Some") => return Some(named(owner_name, vec![argument()?])),
            _ => {}
        }
        if let Some(number) = number_type(owner_name) {
            return if is_constructor(name) {
                Some(named(number, Vec::new()))
            } else {
                of_number(number, name)
            };
        }
        let is_type = owner_name.starts_with(char::is_uppercase) || is_primitive(owner_name);
        if !is_type || !is_constructor(name) {
            return None;
        }
        let written_args: Vec<Ty> = written.generics.iter().map(|ty| self.full(ty)).collect();
        let mut ty = plain(short_prelude(owner.to_vec()));
        ty.args = if written_args.is_empty() && holds_its_argument(owner_name) {
            argument().into_iter().collect()
        } else {
            written_args
        };
        Some(ty)
    }
}

/// Types whose constructor takes what they hold.
fn holds_its_argument(name: &str) -> bool {
    let ty = named(name, vec![Ty::default()]);
    is_lock(&ty) || peeled(&ty) != &ty
}

/// Whether a function of a type is by its name one that makes a value of it. `builder` makes something else.
fn is_constructor(name: &str) -> bool {
    const PREFIXES: [&str; 8] =
        ["new_", "from", "with_", "connect_", "open_", "bind_", "try_new", "try_from"];
    matches!(name, "new" | "default" | "connect" | "open" | "bind" | "create" | "now" | "pin")
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Methods whose name alone says what they give, in std and in all that copies it.
fn fixed_by_name(name: &str) -> Option<&'static str> {
    Some(match name {
        "as_secs" => "u64",
        "as_millis" | "as_micros" | "as_nanos" => "u128",
        "subsec_millis" | "subsec_micros" | "subsec_nanos" => "u32",
        "as_secs_f64" => "f64",
        "as_secs_f32" => "f32",
        "to_string" => "String",
        _ => return None,
    })
}

fn of_number(number: &'static str, name: &str) -> Option<Ty> {
    let own = named(number, Vec::new());
    match name {
        "count_ones" | "count_zeros" | "leading_zeros" | "trailing_zeros" | "ilog2" | "ilog10" | "ilog" => {
            Some(named("u32", Vec::new()))
        }
        "pow" | "powi" | "powf" | "abs" | "min" | "max" | "clamp" | "sqrt" | "exp" | "exp2" | "ln"
        | "floor" | "ceil" | "round" | "trunc" | "rem_euclid" | "div_euclid" | "div_ceil"
        | "next_power_of_two" | "mul_add" | "isqrt" | "max_value" | "min_value" | "clone" | "abs_diff"
        | "signum" | "rotate_left" | "rotate_right" => Some(own),
        "cmp" | "is_power_of_two" | "is_nan" => None,
        _ if name.starts_with("saturating_") || name.starts_with("wrapping_") => Some(own),
        _ if name.starts_with("checked_") => Some(named("Option", vec![own])),
        _ => None,
    }
}

fn of_lock(ty: Ty, name: &str) -> Option<Ty> {
    let is_std = ty.path.first().is_some_and(|first| first == "std");
    let fails = is_std && !matches!(ty.name(), "RefCell" | "Cell");
    let inside = ty.args.into_iter().next()?;
    match name {
        // Poisoning is std's own; others' locks give the guard.
        "lock" | "read" | "write" if fails => Some(named("Result", vec![inside])),
        "try_lock" | "try_read" | "try_write" => Some(named("Result", vec![inside])),
        "lock" | "read" | "write" | "borrow" | "borrow_mut" | "get_mut" | "get" | "blocking_lock"
        | "lock_owned" | "take" => Some(inside),
        _ => None,
    }
}

fn of_collection(ty: Ty, name: &str) -> Option<Ty> {
    let optional = |inside: Ty| named("Option", vec![inside]);
    match name {
        "iter" | "iter_mut" | "into_iter" | "drain" | "rev" | "skip" | "take" | "step_by" | "chain"
        | "cloned" | "copied" | "peekable" | "filter" | "skip_while" | "take_while" | "cycle" | "fuse"
        | "inspect" | "as_slice" | "to_vec" => Some(ty),
        "len" | "count" | "capacity" => Some(named("usize", Vec::new())),
        "enumerate" => {
            let args = vec![named("usize", Vec::new()), element(&ty)?];
            Some(slice_of(Ty { path: Vec::new(), args, shape: TyShape::Tuple }))
        }
        "keys" | "into_keys" if is_map(&ty) => ty.args.into_iter().next().map(slice_of),
        "values" | "values_mut" | "into_values" if is_map(&ty) => ty.args.into_iter().nth(1).map(slice_of),
        "get" | "get_mut" | "remove" | "insert" if is_map(&ty) => ty.args.into_iter().nth(1).map(optional),
        "swap_remove" | "remove" if ty.name().ends_with("Vec") => element(&ty),
        "get" | "get_mut" | "first" | "last" | "first_mut" | "last_mut" | "pop" | "next" | "pop_front"
        | "pop_back" | "front" | "back" | "front_mut" | "back_mut" | "peek" | "nth" | "find" | "min"
        | "max" => element(&ty).map(optional),
        _ => None,
    }
}

fn of_time(ty: Ty, name: &str) -> Option<Ty> {
    let duration = || plain(["std", "time", "Duration"].map(str::to_owned).to_vec());
    match (ty.name(), name) {
        ("Instant", "elapsed" | "duration_since" | "saturating_duration_since") => Some(duration()),
        ("Duration", "min" | "max" | "clamp" | "mul_f64" | "mul_f32" | "div_f64" | "div_f32") => Some(ty),
        ("Duration", _) if name.starts_with("saturating_") => Some(ty),
        ("Duration", _) if name.starts_with("checked_") => Some(named("Option", vec![ty])),
        _ => None,
    }
}
