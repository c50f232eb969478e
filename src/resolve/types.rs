//! What type an expression has, as far as the source says: read off written types, constructors and this crate's own signatures.
//! No inference: a question is a short walk with a budget of steps, and what it does not find is unknown.

use super::links::Links;
use super::paths::Space;
use super::prelude::{is_primitive, number_type};
use super::written::{is_fallible, is_known, named, peeled, plain, short_prelude};
use super::{Crate, ItemRef, Target};
use crate::body::{
    BinOp, Block, Body, ExprId, ExprKind, Lit, MacroCall, MacroInput, Path, Ty, TyShape, UnOp,
};
use crate::source::ItemKind;
use std::cell::Cell;

/// Expressions, patterns and variables that one question may look at.
const MAX_STEPS: u32 = 400;
/// How many of them may wait for each other.
const MAX_DEPTH: u32 = 24;

impl Crate {
    /// The type of an expression, its path made full (`["tokio", "net", "TcpStream"]`, `["crate", "net", "Client"]`), as far as the source says:
    /// literals' suffixes, written types, parameters, fields, constructors (`T::new`, `T::connect`, `T { .. }`, builders that return `Self`), return types of
    /// this crate's functions, `?`/`await`/`unwrap`/`clone`/`&`/`as_ref`/`lock` seen through. `Box`, `Arc`, `Rc`, `Option`… are kept as written.
    /// Another crate's constructor gives its type bare, also where it returns a future or a `Result` of it.
    pub fn type_of(&self, at: ItemRef, body: &Body, expr: ExprId) -> Option<Ty> {
        let links = self.links(at, body);
        Typing::new(self, at, body, &links).expr(expr, MAX_DEPTH).filter(is_known)
    }

    /// The function of this crate that a call or method call runs: by path, by the receiver's type, and where that is unknown by a name that only one
    /// method has.
    pub fn called(&self, at: ItemRef, body: &Body, call: ExprId) -> Option<ItemRef> {
        let found = match &body.expr(call).kind {
            ExprKind::Call(callee, _) => match &body.expr(*callee).kind {
                ExprKind::Path(path) if body.local(*callee).is_none() => {
                    match self.path_in(at, &path.segments, Space::Value) {
                        Target::Item(item) => Some(item),
                        _ => None,
                    }
                }
                _ => None,
            },
            ExprKind::Method(method) => match self.type_of(at, body, method.receiver) {
                Some(ty) => self.method(&ty, &method.name),
                None => self.method_by_name(&method.name, method.args.len()),
            },
            _ => None,
        };
        found.filter(|item| self.kind(*item) == Some(ItemKind::Fn))
    }
}

/// One question about one body.
pub(super) struct Typing<'a> {
    pub(super) krate: &'a Crate,
    pub(super) at: ItemRef,
    pub(super) body: &'a Body,
    pub(super) links: &'a Links,
    steps: Cell<u32>,
}

impl<'a> Typing<'a> {
    pub(super) fn new(krate: &'a Crate, at: ItemRef, body: &'a Body, links: &'a Links) -> Self {
        Self { krate, at, body, links, steps: Cell::new(0) }
    }

    /// Counts a step; `None` where the budget or the depth is used up.
    pub(super) fn step(&self, depth: u32) -> Option<u32> {
        self.steps.set(self.steps.get() + 1);
        if self.steps.get() > MAX_STEPS { None } else { depth.checked_sub(1) }
    }

    /// The type of an expression.
    pub(super) fn expr(&self, id: ExprId, depth: u32) -> Option<Ty> {
        let depth = self.step(depth)?;
        match &self.body.expr(id).kind {
            ExprKind::Lit(lit) => literal_type(lit),
            ExprKind::Path(path) => match self.body.local(id) {
                Some(local) => self.local(local, depth),
                None => self.path(path),
            },
            ExprKind::Unary(UnOp::Deref, inner) => {
                let ty = self.expr(*inner, depth)?;
                match peeled(&ty) {
                    // A reference, which types do not show.
                    inside if *inside == ty => Some(ty),
                    _ => ty.args.into_iter().next(),
                }
            }
            ExprKind::Await(inner) => self.expr(*inner, depth).map(awaited),
            ExprKind::Try(inner) => self.expr(*inner, depth).and_then(payload),
            ExprKind::Unary(_, inner) | ExprKind::Ref(inner) => self.expr(*inner, depth),
            ExprKind::Async(inner) => self.expr(*inner, depth),
            ExprKind::Binary(op, left, right) => self.binary(*op, *left, *right, depth),
            ExprKind::Call(callee, args) => self.call(*callee, args, depth),
            ExprKind::Method(method) => self.method(method, depth),
            ExprKind::Field(base, name) => {
                let base = self.expr(*base, depth)?;
                self.krate.field_type(&base, name)
            }
            ExprKind::Index(base, index) => {
                let base = self.expr(*base, depth)?;
                match &self.body.expr(*index).kind {
                    ExprKind::Range { .. } => Some(base),
                    _ => element(&base),
                }
            }
            ExprKind::Tuple(items) => {
                let args = items.iter().map(|item| self.expr(*item, depth).unwrap_or_else(unknown)).collect();
                Some(Ty { path: Vec::new(), args, shape: TyShape::Tuple })
            }
            ExprKind::Array(items) => self.first_known(items, depth).map(slice_of),
            ExprKind::Repeat(item, _) => self.expr(*item, depth).map(slice_of),
            ExprKind::Struct(literal) => self.constructed(&literal.path),
            ExprKind::Cast(_, ty) => Some(self.full(ty)).filter(|ty| is_known(ty)),
            ExprKind::Block(block) => self.block(block, depth),
            ExprKind::If { then, otherwise, .. } => {
                self.expr(*then, depth).or_else(|| self.expr((*otherwise)?, depth))
            }
            ExprKind::Match(_, arms) => arms.iter().find_map(|arm| self.expr(arm.body, depth)),
            ExprKind::Macro(call) => self.macro_call(call, depth),
            ExprKind::Let(..) => Some(named("bool", Vec::new())),
            _ => None,
        }
    }

    /// A written type, made full where the body stands.
    pub(super) fn full(&self, ty: &Ty) -> Ty {
        self.krate.full_type(self.at, ty)
    }

    /// The type that a struct literal's or tuple constructor's path makes.
    pub(super) fn constructed(&self, path: &Path) -> Option<Ty> {
        if path.single() == Some("Self") {
            return self.krate.self_type(self.at);
        }
        let made = match self.krate.path_in(self.at, &path.segments, Space::Type) {
            Target::Item(item) if self.krate.kind(item) == Some(ItemKind::Type) => {
                return Some(self.full(&plain(path.segments.clone())));
            }
            Target::Item(item) | Target::Variant(item, _) => self.krate.full_path(item),
            Target::External(path) => short_prelude(path),
            Target::Unknown => return None,
        };
        Some(Ty { args: path.generics.iter().map(|arg| self.full(arg)).collect(), ..plain(made) })
    }

    /// The type of a path that is no variable: `self`, constants, unit structs and variants.
    fn path(&self, path: &Path) -> Option<Ty> {
        if path.single() == Some("self") {
            return self.krate.self_type(self.at);
        }
        match self.krate.path_in(self.at, &path.segments, Space::Value) {
            Target::Item(item) => match self.krate.kind(item)? {
                ItemKind::Const | ItemKind::Static => {
                    Some(self.krate.full_type(item, self.krate.const_type(item)?)).filter(is_known)
                }
                ItemKind::Struct => Some(plain(self.krate.full_path(item))),
                _ => None,
            },
            Target::Variant(item, name) => {
                let data = self.krate.enum_data(item)?.variant(&name)?;
                data.fields.is_empty().then(|| plain(self.krate.full_path(item)))
            }
            // `u64::MAX`
            Target::External(path) => match path.as_slice() {
                [.., owner, name]
                    if is_primitive(owner) && name.chars().all(|c| c.is_uppercase() || c == '_') =>
                {
                    Some(named(owner, Vec::new()))
                }
                _ => None,
            },
            Target::Unknown => None,
        }
    }

    fn binary(&self, op: BinOp, left: ExprId, right: ExprId, depth: u32) -> Option<Ty> {
        match op {
            BinOp::And
            | BinOp::Or
            | BinOp::Eq
            | BinOp::Ne
            | BinOp::Lt
            | BinOp::Le
            | BinOp::Gt
            | BinOp::Ge => {
                return Some(named("bool", Vec::new()));
            }
            BinOp::Shl | BinOp::Shr => return self.expr(left, depth),
            _ => {}
        }
        let left = self.expr(left, depth);
        // Number by number is of either's type; a number before something else (`2 * timeout`) is of the other's.
        if left.as_ref().is_none_or(is_number) {
            return self
                .expr(right, depth)
                .filter(|right| left.is_some() || !is_number(right) || op != BinOp::Mul)
                .or(left);
        }
        let left = left?;
        // Two points in time give a span; what a difference of anything else gives is its own affair.
        if op == BinOp::Sub
            && self.expr(right, depth).is_some_and(|right| right == left && left.name() != "Duration")
        {
            return None;
        }
        Some(left)
    }

    fn block(&self, block: &Block, depth: u32) -> Option<Ty> {
        self.expr(block.tail?, depth)
    }

    fn macro_call(&self, call: &MacroCall, depth: u32) -> Option<Ty> {
        match (call.path.last(), &call.input) {
            ("vec", MacroInput::Args(items)) => {
                Some(named("Vec", self.first_known(items, depth).into_iter().collect()))
            }
            ("format", _) => Some(named("String", Vec::new())),
            ("matches", _) => Some(named("bool", Vec::new())),
            _ => None,
        }
    }

    fn first_known(&self, items: &[ExprId], depth: u32) -> Option<Ty> {
        // A long table says with its first few entries what the others are.
        items.iter().take(4).find_map(|item| self.expr(*item, depth))
    }
}

/// What `?` and `unwrap` take out; a type that is no `Option` or `Result` comes from a constructor whose result was not written.
pub(super) fn payload(ty: Ty) -> Option<Ty> {
    if is_fallible(&ty) { ty.args.into_iter().next().filter(is_known) } else { Some(ty) }
}

/// What `await` gives: a future's output; calls of `async fn` already have the type of their output.
pub(super) fn awaited(ty: Ty) -> Ty {
    let future = peeled(&ty);
    match future.args.last() {
        Some(output) if future.name().ends_with("Future") => output.clone(),
        _ => ty,
    }
}

/// What a `for` over a value of this type binds, and what an index gives.
pub(super) fn element(ty: &Ty) -> Option<Ty> {
    let ty = peeled(ty);
    if is_map(ty) {
        return Some(Ty { path: Vec::new(), args: ty.args.clone(), shape: TyShape::Tuple });
    }
    let holds = ty.shape == TyShape::Slice || is_sequence(ty) || ty.name() == "Option";
    ty.args.first().filter(|element| holds && is_known(element)).cloned()
}

/// `Vec`, `VecDeque`, `HashSet`, slices and their like.
pub(super) fn is_sequence(ty: &Ty) -> bool {
    let name = ty.name();
    ty.shape == TyShape::Slice
        || matches!(
            name,
            "BinaryHeap" | "LinkedList" | "Iter" | "IterMut" | "IntoIter" | "Iterator" | "IntoIterator"
        )
        || ["Vec", "Deque", "Set"].iter().any(|end| name.ends_with(end))
}

/// `HashMap`, `BTreeMap` and their like.
pub(super) fn is_map(ty: &Ty) -> bool {
    ty.name().ends_with("Map") && ty.args.len() >= 2
}

/// Whether a type is one of Rust's number types.
pub(super) fn is_number(ty: &Ty) -> bool {
    number_name(ty).is_some()
}

/// The number type that a type is.
pub(super) fn number_name(ty: &Ty) -> Option<&'static str> {
    match ty.path.as_slice() {
        [only] => number_type(only),
        [first, .., last] if super::prelude::is_standard(first) => number_type(last),
        _ => None,
    }
}

pub(super) fn slice_of(element: Ty) -> Ty {
    Ty { path: Vec::new(), args: vec![element], shape: TyShape::Slice }
}

pub(super) fn unknown() -> Ty {
    Ty { shape: TyShape::Other, ..Ty::default() }
}

fn literal_type(lit: &Lit) -> Option<Ty> {
    let name = match lit {
        Lit::Int(_, suffix) | Lit::Float(_, suffix) => number_type(suffix)?,
        Lit::Bool(_) => "bool",
        Lit::Str(_) => "str",
        Lit::Char(_) => "char",
        Lit::Other => return None,
    };
    Some(named(name, Vec::new()))
}
