//! What value a field of this crate's types has: the one constant that is written wherever the field is written.
//! A field that anybody could fill from outside (a foreign derive, a parameter) has no value that we can see.

use super::prelude::is_standard_derive;
use super::types::Typing;
use super::written::peeled;
use super::{Crate, ItemRef};
use crate::body::{BinOp, Body, ExprId, ExprKind, Local, PatKind, Ty};
use crate::source::ItemKind;

/// Bodies that may be read to answer one question; a field that is written in more places is no constant.
const MAX_BODIES: usize = 64;
/// How deep a constant's expression may be.
const MAX_DEPTH: u32 = 8;

/// A place in a body that writes the field.
enum Place {
    Literal(ExprId),
    Assigned(ExprId),
    Stepped,
}

/// What such a place says about the field.
enum Write {
    /// This constant.
    Constant(ExprId),
    /// Something that is not to be seen.
    Other,
}

impl Crate {
    /// The one value that a field has wherever this crate writes it (struct literals, `Default`, builder setters apart), with the item whose body it is in;
    /// `None` where it differs, comes from a parameter, or is not to be seen.
    pub fn field_value(&self, ty: &Ty, field: &str) -> Option<(ItemRef, ExprId)> {
        let item = self.type_item(peeled(ty))?;
        self.struct_data(item)?.field(field)?;
        if self.made_by_derive(item) {
            return None;
        }
        let mut found: Option<(ItemRef, ExprId)> = None;
        let candidates = self.functions_seeing(item, field);
        if candidates.len() > MAX_BODIES {
            return None;
        }
        for at in candidates {
            if self.is_test(at) {
                continue;
            }
            let Some(body) = self.body(at) else { continue };
            for write in self.constants_written(at, body, item, field) {
                let Write::Constant(value) = write else { return None };
                match found {
                    Some(known) if !self.same_text(known, (at, value)) => return None,
                    Some(_) => {}
                    None => found = Some((at, value)),
                }
            }
        }
        found
    }

    /// Whether nobody can choose what a field holds: it is private, and only made as part of its struct, never set.
    pub fn is_fixed_field(&self, ty: &Ty, field: &str) -> bool {
        let Some(item) = self.type_item(peeled(ty)) else { return false };
        let hidden = self.struct_data(item).is_some_and(|data| data.hidden.iter().any(|name| name == field));
        let candidates = self.functions_seeing(item, field);
        hidden
            && candidates.len() <= MAX_BODIES
            // what a macro of the crate does with it stands in no function
            && !self.items().any(|(at, it)| {
                it.kind == ItemKind::MacroRules
                    && self.file(at).is_some_and(|file| {
                        let mut words = file.slice(it.span).split(|c: char| !c.is_alphanumeric() && c != '_');
                        words.any(|word| word == field)
                    })
            })
            && !candidates.into_iter().any(|at| {
                let Some(body) = self.body(at) else { return false };
                !self.is_test(at)
                    && self.writes(at, body, item, field).iter().any(|it| !matches!(it, Place::Literal(_)))
            })
    }

    /// All that this crate's own code puts into a field, each with the item whose body it is in; what a derive or a user of the crate puts there is apart.
    /// `None` where nothing is, or a part of it cannot be seen.
    pub fn field_writes(&self, ty: &Ty, field: &str) -> Option<Vec<(ItemRef, ExprId)>> {
        let item = self.type_item(peeled(ty))?;
        self.struct_data(item)?.field(field)?;
        let candidates = self.functions_seeing(item, field);
        if candidates.len() > MAX_BODIES {
            return None;
        }
        let mut found = Vec::new();
        for at in candidates.into_iter().filter(|at| !self.is_test(*at)) {
            let Some(body) = self.body(at) else { continue };
            for place in self.writes(at, body, item, field) {
                match place {
                    Place::Literal(value) | Place::Assigned(value) => found.push((at, value)),
                    Place::Stepped => return None,
                }
            }
        }
        (!found.is_empty()).then_some(found)
    }

    /// The writes that step a field, wherever they are: `self.delay *= 2`, `self.tries = self.tries + 1`.
    pub fn field_steps(&self, ty: &Ty, field: &str) -> Vec<(ItemRef, ExprId)> {
        let Some(item) = self.type_item(peeled(ty)) else { return Vec::new() };
        let candidates = self.functions_seeing(item, field);
        if candidates.len() > MAX_BODIES {
            return Vec::new();
        }
        let mut found = Vec::new();
        for at in candidates {
            if self.is_test(at) {
                continue;
            }
            let Some(body) = self.body(at) else { continue };
            let is_field = |place: ExprId| self.may_be_field(at, body, place, item, field);
            for (id, expr) in body.exprs() {
                let steps = match &expr.kind {
                    ExprKind::AssignOp(_, place, _) => is_field(*place),
                    ExprKind::Assign(place, value) => is_field(*place) && body.any(*value, is_field),
                    _ => false,
                };
                if steps {
                    found.push((at, id));
                }
            }
        }
        found
    }

    /// The functions that name a field and may see it.
    fn functions_seeing(&self, of: ItemRef, field: &str) -> Vec<ItemRef> {
        let hidden = self.struct_data(of).is_some_and(|data| data.hidden.iter().any(|name| name == field));
        let module = hidden.then(|| self.index.module_around(&self.files, of)).flatten();
        self.functions_that(field, MAX_BODIES + 1, |at| {
            module.is_none_or(|module| self.index.lies_in(&self.files, at, module))
        })
    }

    /// Whether a derive makes values of a type, by `Default` or from outside (a configuration, arguments): of derives that are not std's we cannot know.
    fn made_by_derive(&self, item: ItemRef) -> bool {
        let (Some(source), Some(it)) = (self.file(item), self.item(item)) else { return false };
        let attributes = source.slice(it.attributes);
        let lists = attributes.split("derive(").skip(1).filter_map(|after| after.split_once(')'));
        let mut names =
            lists.flat_map(|(names, _)| names.split(',')).map(str::trim).filter(|name| !name.is_empty());
        names.any(|name| !is_standard_derive(name.rsplit("::").next().unwrap_or(name)))
    }

    /// Where a body writes a field, in the order of the arena.
    fn writes(&self, at: ItemRef, body: &Body, item: ItemRef, field: &str) -> Vec<Place> {
        let links = self.links(at, body);
        let typing = Typing::new(self, at, body, &links);
        let mut found = Vec::new();
        for (_, expr) in body.exprs() {
            match &expr.kind {
                ExprKind::Struct(literal) => {
                    let Some((_, value)) = literal.fields.iter().find(|(name, _)| name == field) else {
                        continue;
                    };
                    let made = typing.constructed(&literal.path).and_then(|ty| self.type_item(&ty));
                    if made == Some(item) {
                        found.push(Place::Literal(*value));
                    }
                }
                ExprKind::Assign(place, value) if self.may_be_field(at, body, *place, item, field) => {
                    found.push(Place::Assigned(*value));
                }
                ExprKind::AssignOp(_, place, _) if self.may_be_field(at, body, *place, item, field) => {
                    found.push(Place::Stepped);
                }
                _ => {}
            }
        }
        found
    }

    /// The same as constants, setters apart.
    fn constants_written(&self, at: ItemRef, body: &Body, item: ItemRef, field: &str) -> Vec<Write> {
        let links = self.links(at, body);
        let typing = Typing::new(self, at, body, &links);
        let places = self.writes(at, body, item, field).into_iter();
        places
            .filter_map(|place| match place {
                Place::Assigned(value) if is_setter(body, value) => None,
                Place::Literal(value) | Place::Assigned(value) => Some(write(&typing, value)),
                Place::Stepped => Some(Write::Other),
            })
            .collect()
    }

    /// Whether a place is the field of this type, or of something unknown.
    fn may_be_field(&self, at: ItemRef, body: &Body, place: ExprId, item: ItemRef, field: &str) -> bool {
        let ExprKind::Field(base, name) = &body.expr(place).kind else { return false };
        name == field
            && self.type_of(at, body, *base).is_none_or(|ty| self.type_item(peeled(&ty)) == Some(item))
    }

    /// Whether two expressions are written alike, spaces apart.
    fn same_text(&self, a: (ItemRef, ExprId), b: (ItemRef, ExprId)) -> bool {
        // a variable is another one in another place
        let plain = |(at, expr): (ItemRef, ExprId)| {
            self.body(at).is_some_and(|body| !body.any(expr, |id| body.local(id).is_some()))
        };
        if !plain(a) || !plain(b) {
            return false;
        }
        let text = |(at, expr): (ItemRef, ExprId)| {
            let (source, body) = (self.file(at)?, self.body(at)?);
            Some(
                source.slice(body.expr(expr).span).chars().filter(|c| !c.is_whitespace()).collect::<String>(),
            )
        };
        text(a).is_some_and(|a| text(b) == Some(a))
    }
}

impl Typing<'_> {
    /// The value of a variable that is bound once and never assigned, or the expression itself.
    fn constant_behind(&self, value: ExprId) -> ExprId {
        let Some(local) = self.body.local(value) else { return value };
        let plain = matches!(&self.body.pat(local).kind, PatKind::Bind { mutable: false, sub: None, .. });
        match self.links.let_value(local) {
            Some(init) if plain && self.links.assigned(local).is_empty() => init,
            _ => value,
        }
    }
}

fn write(typing: &Typing<'_>, value: ExprId) -> Write {
    let value = typing.constant_behind(value);
    if is_constant(typing, value, MAX_DEPTH) { Write::Constant(value) } else { Write::Other }
}

/// Whether the value of an assignment is a parameter of a method that takes `self`: a setter tells what may be, not what is.
fn is_setter(body: &Body, value: ExprId) -> bool {
    let is_param = |local: Local| body.param(local).is_some();
    let value = match &body.expr(value).kind {
        // `Some(value)`, `value.into()`
        ExprKind::Call(_, args) if args.len() == 1 => args.first().copied().unwrap_or(value),
        ExprKind::Method(call) if call.args.is_empty() => call.receiver,
        _ => value,
    };
    body.receiver.is_some() && body.local(value).is_some_and(is_param)
}

/// Whether an expression is made of literals, constants and calls over them alone.
fn is_constant(typing: &Typing<'_>, id: ExprId, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let body = typing.body;
    let inside = |id: &ExprId| is_constant(typing, *id, depth);
    match &body.expr(id).kind {
        ExprKind::Lit(_) => true,
        ExprKind::Path(_) if body.local(id).is_some() => {
            let behind = typing.constant_behind(id);
            behind != id && inside(&behind)
        }
        ExprKind::Path(path) => path.single() != Some("self"),
        ExprKind::Unary(_, inner) | ExprKind::Cast(inner, _) | ExprKind::Ref(inner) => inside(inner),
        ExprKind::Binary(op, left, right) => {
            !matches!(op, BinOp::And | BinOp::Or) && inside(left) && inside(right)
        }
        ExprKind::Call(callee, args) => inside(callee) && args.iter().all(inside),
        ExprKind::Method(call) => inside(&call.receiver) && call.args.iter().all(inside),
        ExprKind::Tuple(items) | ExprKind::Array(items) => items.iter().all(inside),
        _ => false,
    }
}
