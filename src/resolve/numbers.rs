//! Which number type an arithmetic expression has, as far as it can be told: from what it is made of, and from what it is given to.
//! A wrong width makes a wrong overflow, so a guess is worse than nothing: `i32` is said only of what nothing typed ever touches.

use super::links::Origin;
use super::paths::Space;
use super::types::{Typing, element, is_sequence, number_name};
use super::written::peeled;
use super::{Crate, ItemRef, Target};
use crate::body::{BinOp, Body, ExprId, ExprKind, Lit, Local, MacroInput, Ty, UnOp};
use crate::source::ItemKind;

/// How far a number is followed through variables and operators.
const MAX_DEPTH: u32 = 24;

/// What is known of a number's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Width {
    /// This one.
    Known(&'static str),
    /// Made of integer literals without a suffix alone: what it meets decides.
    FreeInt,
    /// Made of float literals without a suffix alone.
    FreeFloat,
    /// Something that we cannot see.
    Unseen,
}

impl Crate {
    /// The type of a number: `u32`, `u64`, `usize`, `f64`, … as far as it can be told from written types, suffixes, casts, constants, fields, parameters,
    /// returns, and methods that fix their argument. `i32` and `f64` for literals that nothing typed touches in this body.
    pub fn int_type(&self, at: ItemRef, body: &Body, expr: ExprId) -> Option<&'static str> {
        let links = self.links(at, body);
        let typing = Typing::new(self, at, body, &links);
        let mut numbers = Numbers { typing: &typing, open: Vec::new() };
        match numbers.width(expr, MAX_DEPTH) {
            Width::Known(name) => Some(name),
            Width::Unseen => None,
            free => match numbers.wanted(expr, MAX_DEPTH) {
                Width::Known(name) => Some(name),
                Width::FreeInt if free == Width::FreeInt => Some("i32"),
                Width::FreeInt | Width::FreeFloat => Some("f64"),
                Width::Unseen => None,
            },
        }
    }
}

impl Width {
    /// What two numbers of one type are.
    fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Known(name), _) | (_, Self::Known(name)) => Self::Known(name),
            (Self::Unseen, _) | (_, Self::Unseen) => Self::Unseen,
            (Self::FreeFloat, _) | (_, Self::FreeFloat) => Self::FreeFloat,
            (Self::FreeInt, Self::FreeInt) => Self::FreeInt,
        }
    }
}

struct Numbers<'t, 'a> {
    typing: &'t Typing<'a>,
    /// Variables that are being asked.
    open: Vec<Local>,
}

impl Numbers<'_, '_> {
    /// A number's type by what it is made of.
    fn width(&mut self, id: ExprId, depth: u32) -> Width {
        let Some(depth) = self.typing.step(depth) else { return Width::Unseen };
        let body = self.typing.body;
        match &body.expr(id).kind {
            ExprKind::Lit(Lit::Int(_, suffix)) if suffix.is_empty() => Width::FreeInt,
            ExprKind::Lit(Lit::Float(_, suffix)) if suffix.is_empty() => Width::FreeFloat,
            ExprKind::Unary(UnOp::Neg | UnOp::Not | UnOp::Deref, inner) | ExprKind::Ref(inner) => {
                self.width(*inner, depth)
            }
            ExprKind::Binary(BinOp::Shl | BinOp::Shr, left, _) => self.width(*left, depth),
            ExprKind::Binary(op, left, right) if is_arithmetic(*op) => {
                let (left, right) = (self.width(*left, depth), self.width(*right, depth));
                left.with(right)
            }
            ExprKind::Path(_) if body.local(id).is_some() => {
                body.local(id).map_or(Width::Unseen, |local| self.local(local, depth))
            }
            ExprKind::Method(call) if keeps_width(&call.name) => {
                let receiver = self.width(call.receiver, depth);
                if !matches!(receiver, Width::FreeInt | Width::FreeFloat) || !joins_argument(&call.name) {
                    return receiver;
                }
                call.args.iter().fold(receiver, |width, arg| width.with(self.width(*arg, depth)))
            }
            ExprKind::If { then, otherwise, .. } => match otherwise {
                Some(otherwise) => self.width(*then, depth).with(self.width(*otherwise, depth)),
                None => Width::Unseen,
            },
            ExprKind::Block(block) => block.tail.map_or(Width::Unseen, |tail| self.width(tail, depth)),
            _ => self.written(id, depth),
        }
    }

    fn written(&self, id: ExprId, depth: u32) -> Width {
        self.typing.expr(id, depth).map_or(Width::Unseen, |ty| of_type(&ty))
    }

    /// A variable's type: by its written type, by what is bound and assigned to it, and where these are literals by what it is given to.
    fn local(&mut self, local: Local, depth: u32) -> Width {
        if self.open.contains(&local) {
            // Asked while it is being asked: it adds nothing of its own.
            return Width::FreeInt;
        }
        self.open.push(local);
        let mut width = self.bound(local, depth);
        for value in self.typing.links.assigned(local).iter().take(8) {
            if matches!(width, Width::FreeInt | Width::FreeFloat) {
                width = self.width(*value, depth).with(width);
            }
        }
        let uses = self.typing.links.uses(local);
        for used in uses {
            if !matches!(width, Width::FreeInt | Width::FreeFloat) {
                break;
            }
            width = self.wanted(*used, depth).with(width);
        }
        self.open.pop();
        width
    }

    fn bound(&mut self, local: Local, depth: u32) -> Width {
        let typing = self.typing;
        match typing.links.origin(local) {
            Some(Origin::Typed(ty)) => of_type(&typing.full(ty)),
            Some(Origin::Value(value)) => self.width(*value, depth),
            Some(Origin::Element(iterated)) => self.element(*iterated, depth),
            Some(Origin::Inside(..)) => typing.pattern(local, depth).map_or(Width::Unseen, |ty| of_type(&ty)),
            // `let delay;`
            None if !typing.links.assigned(local).is_empty() => Width::FreeInt,
            None => Width::Unseen,
        }
    }

    /// What a `for` over this binds.
    fn element(&mut self, iterated: ExprId, depth: u32) -> Width {
        match &self.typing.body.expr(iterated).kind {
            ExprKind::Range { start, end, .. } => {
                let bounds: Vec<ExprId> = start.iter().chain(end).copied().collect();
                bounds.into_iter().fold(Width::FreeInt, |width, bound| width.with(self.width(bound, depth)))
            }
            ExprKind::Method(call)
                if matches!(call.name.as_str(), "rev" | "skip" | "take" | "step_by" | "into_iter") =>
            {
                self.element(call.receiver, depth)
            }
            ExprKind::Array(items) => {
                items.iter().take(8).fold(Width::FreeInt, |width, item| width.with(self.width(*item, depth)))
            }
            _ => {
                let ty = self.typing.expr(iterated, depth);
                ty.and_then(|ty| element(&ty)).map_or(Width::Unseen, |ty| of_type(&ty))
            }
        }
    }

    /// What type the place wants that an expression stands in. `FreeInt` where it wants none.
    fn wanted(&mut self, id: ExprId, depth: u32) -> Width {
        let typing = self.typing;
        let Some(depth) = typing.step(depth) else { return Width::Unseen };
        let Some(around) = typing.links.parent(id) else {
            return if id == typing.body.root { self.returned() } else { Width::Unseen };
        };
        match &typing.body.expr(around).kind {
            ExprKind::Binary(BinOp::Shl | BinOp::Shr, left, _) => {
                if *left == id {
                    self.wanted(around, depth)
                } else {
                    Width::FreeInt
                }
            }
            ExprKind::Binary(op, left, right) => {
                let other = if *left == id { *right } else { *left };
                self.beside(*op, other, around, depth)
            }
            ExprKind::Assign(place, value) => {
                let other = if *place == id { *value } else { *place };
                self.width(other, depth)
            }
            ExprKind::AssignOp(BinOp::Shl | BinOp::Shr, ..) => Width::FreeInt,
            ExprKind::AssignOp(op, place, value) => {
                let other = if *place == id { *value } else { *place };
                self.beside(*op, other, around, depth)
            }
            ExprKind::Unary(..) | ExprKind::Ref(_) | ExprKind::If { .. } => self.around(id, around, depth),
            ExprKind::Block(_) => self.in_block(id, around, depth),
            ExprKind::Call(callee, args) => args
                .iter()
                .position(|arg| *arg == id)
                .map_or(Width::Unseen, |number| self.argument(*callee, number)),
            ExprKind::Method(call) if call.receiver == id => {
                if keeps_width(&call.name) {
                    self.wanted(around, depth)
                } else {
                    Width::FreeInt
                }
            }
            ExprKind::Method(call) => {
                let number = call.args.iter().position(|arg| *arg == id).unwrap_or_default();
                self.method_argument(call.receiver, &call.name, number, call.args.len(), depth)
            }
            ExprKind::Struct(literal) => {
                let field = literal.fields.iter().find(|(_, value)| *value == id).map(|(name, _)| name);
                let ty = typing.constructed(&literal.path);
                let wanted = ty.zip(field).and_then(|(ty, field)| typing.krate.field_type(&ty, field));
                wanted.map_or(Width::Unseen, |ty| of_type(&ty))
            }
            ExprKind::Range { start, end, .. } => {
                let other = start.iter().chain(end).find(|bound| **bound != id).copied();
                other.map_or(Width::FreeInt, |other| self.width(other, depth))
            }
            ExprKind::Index(base, _) if *base != id => match typing.expr(*base, depth) {
                Some(ty) if is_sequence(peeled(&ty)) => Width::Known("usize"),
                // A map is indexed by its keys.
                _ => Width::Unseen,
            },
            ExprKind::Return(_) => self.returned(),
            // A cast takes any number; a `match`, a condition, a printing macro want none.
            ExprKind::Cast(..) | ExprKind::Match(..) | ExprKind::Let(..) | ExprKind::While { .. } => {
                Width::FreeInt
            }
            ExprKind::Macro(call) => match call.input {
                MacroInput::Args(_) | MacroInput::Matches { .. } => Width::FreeInt,
                _ => Width::Unseen,
            },
            _ => Width::Unseen,
        }
    }

    /// Beside another operand.
    fn beside(&mut self, op: BinOp, other: ExprId, around: ExprId, depth: u32) -> Width {
        let ty = self.typing.expr(other, depth);
        if ty.is_some_and(|ty| ty.name() == "Duration") {
            // `Duration * u32`, `u32 * Duration`, `Duration / u32`: std has no other.
            return if matches!(op, BinOp::Mul | BinOp::Div) { Width::Known("u32") } else { Width::Unseen };
        }
        match self.width(other, depth) {
            free @ (Width::FreeInt | Width::FreeFloat) if is_arithmetic(op) => {
                self.wanted(around, depth).with(free)
            }
            width => width,
        }
    }

    /// Through something that is of the same type as what it holds.
    fn around(&mut self, id: ExprId, around: ExprId, depth: u32) -> Width {
        match &self.typing.body.expr(around).kind {
            ExprKind::If { cond, .. } if *cond == id => Width::FreeInt,
            _ => self.wanted(around, depth),
        }
    }

    fn in_block(&mut self, id: ExprId, around: ExprId, depth: u32) -> Width {
        let body = self.typing.body;
        let ExprKind::Block(block) = &body.expr(around).kind else { return Width::Unseen };
        if let Some(pat) = self.typing.links.bound_by(id) {
            return self.let_binding(pat, depth);
        }
        if block.tail != Some(id) {
            return Width::FreeInt;
        }
        if around == body.root {
            return self.returned();
        }
        self.wanted(around, depth)
    }

    /// As the value of a `let`.
    fn let_binding(&mut self, pat: Local, depth: u32) -> Width {
        match self.typing.links.origin(pat) {
            Some(Origin::Typed(ty)) => of_type(&self.typing.full(ty)),
            _ => self.local(self.typing.body.local_of(pat), depth),
        }
    }

    fn returned(&self) -> Width {
        let typing = self.typing;
        match typing.krate.kind(typing.at) {
            Some(ItemKind::Const | ItemKind::Static) => {
                typing.krate.const_type(typing.at).map_or(Width::Unseen, |ty| of_type(&typing.full(ty)))
            }
            _ => typing.body.ret.as_ref().map_or(Width::Unseen, |ty| of_type(&typing.full(ty))),
        }
    }

    fn argument(&self, callee: ExprId, number: usize) -> Width {
        let typing = self.typing;
        let ExprKind::Path(path) = &typing.body.expr(callee).kind else { return Width::Unseen };
        if typing.body.local(callee).is_some() {
            return Width::Unseen;
        }
        match typing.krate.path_in(typing.at, &path.segments, Space::Value) {
            Target::Item(item) if typing.krate.kind(item) == Some(ItemKind::Fn) => {
                let head = typing.krate.signature(item);
                // `Type::method(&it, a)` counts `self` among its arguments.
                let own = head.map_or(0, |head| usize::from(head.receiver.is_some()));
                number.checked_sub(own).map_or(Width::Unseen, |number| self.param(item, number))
            }
            Target::Item(item) => {
                let ty = typing.krate.struct_data(item).and_then(|data| data.field(&number.to_string()));
                ty.map_or(Width::Unseen, |ty| of_type(&typing.krate.full_type(item, ty)))
            }
            Target::External(path) => match path.as_slice() {
                [.., owner, name] if owner == "Duration" => duration_argument(name, number),
                _ => Width::Unseen,
            },
            _ => Width::Unseen,
        }
    }

    fn method_argument(
        &mut self,
        receiver: ExprId,
        name: &str,
        number: usize,
        args: usize,
        depth: u32,
    ) -> Width {
        let typing = self.typing;
        let ty = typing.expr(receiver, depth);
        let own = match &ty {
            Some(ty) => typing.krate.method(ty, name),
            None => typing.krate.method_by_name(name, args),
        };
        if let Some(own) = own {
            return self.param(own, number);
        }
        // A reader's `take` wants another type than an iterator's.
        let is_range = matches!(typing.body.expr(receiver).kind, ExprKind::Range { .. });
        let counts_items = is_range || ty.as_ref().is_some_and(|ty| is_sequence(peeled(ty)));
        let is_duration = ty.is_some_and(|ty| ty.name() == "Duration");
        match name {
            "pow" | "checked_pow" | "saturating_pow" | "wrapping_pow" | "overflowing_pow" | "checked_shl"
            | "checked_shr" | "wrapping_shl" | "wrapping_shr" | "rotate_left" | "rotate_right" => {
                Width::Known("u32")
            }
            "powi" => Width::Known("i32"),
            "saturating_mul" | "checked_mul" | "checked_div" if is_duration => Width::Known("u32"),
            "mul_f64" | "div_f64" => Width::Known("f64"),
            "mul_f32" | "div_f32" => Width::Known("f32"),
            "nth" | "skip" | "take" | "step_by" | "truncate" | "reserve" if counts_items => {
                Width::Known("usize")
            }
            _ if joins_argument(name) => self.width(receiver, depth),
            _ => Width::Unseen,
        }
    }

    fn param(&self, function: ItemRef, number: usize) -> Width {
        let krate = self.typing.krate;
        let ty = krate.signature(function).and_then(|head| head.params.get(number));
        ty.map_or(Width::Unseen, |ty| of_type(&krate.full_type(function, ty)))
    }
}

fn of_type(ty: &Ty) -> Width {
    number_name(peeled(ty)).map_or(Width::Unseen, Width::Known)
}

fn is_arithmetic(op: BinOp) -> bool {
    use BinOp::{Add, BitAnd, BitOr, BitXor, Div, Mul, Rem, Sub};
    matches!(op, Add | Sub | Mul | Div | Rem | BitAnd | BitOr | BitXor)
}

/// Methods of numbers that give a number of the same type.
fn keeps_width(name: &str) -> bool {
    const PREFIXES: [&str; 2] = ["saturating_", "wrapping_"];
    matches!(
        name,
        "pow"
            | "powi"
            | "powf"
            | "abs"
            | "sqrt"
            | "floor"
            | "ceil"
            | "round"
            | "trunc"
            | "exp"
            | "exp2"
            | "ln"
            | "clone"
    ) || joins_argument(name)
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Of these the arguments are of the receiver's type.
fn joins_argument(name: &str) -> bool {
    let plain = ["saturating_", "wrapping_", "checked_", "overflowing_"]
        .into_iter()
        .find_map(|prefix| name.strip_prefix(prefix));
    matches!(
        plain.unwrap_or(name),
        "min" | "max" | "clamp" | "rem_euclid" | "div_euclid" | "abs_diff" | "powf" | "mul_add"
    ) || matches!(plain, Some("add" | "sub" | "mul" | "div" | "rem"))
}

fn duration_argument(name: &str, number: usize) -> Width {
    match (name, number) {
        ("from_secs" | "from_millis" | "from_micros" | "from_nanos" | "from_mins" | "from_hours", _)
        | ("new", 0) => Width::Known("u64"),
        ("new", _) => Width::Known("u32"),
        ("from_secs_f64", _) => Width::Known("f64"),
        ("from_secs_f32", _) => Width::Known("f32"),
        _ => Width::Unseen,
    }
}
