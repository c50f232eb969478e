//! What type a variable has: by its written type, by what is bound to it, by the part of a value that its pattern takes.

use super::Target;
use super::links::{Origin, Part};
use super::paths::Space;
use super::types::{Typing, awaited, element, is_map, payload};
use super::written::{is_fallible, is_known, peeled};
use crate::body::{ExprId, ExprKind, Local, PatId, Path, Ty, TyShape};
use crate::source::ItemKind;

impl Typing<'_> {
    /// The type of a variable.
    pub(super) fn local(&self, local: Local, depth: u32) -> Option<Ty> {
        let depth = self.step(depth)?;
        let bound = self.pattern(local, depth);
        let tells = bound.as_ref().is_some_and(|ty| !is_fallible(ty) || !ty.args.is_empty());
        if tells {
            return bound;
        }
        // `let client;` and `let mut client = None;` say more where they are assigned.
        let assigned = self.links.assigned(local).iter().take(4);
        assigned.filter_map(|value| self.expr(*value, depth)).next().or(bound)
    }

    /// The type of what a pattern matches.
    pub(super) fn pattern(&self, pat: PatId, depth: u32) -> Option<Ty> {
        let depth = self.step(depth)?;
        let found = match self.links.origin(pat)? {
            Origin::Typed(ty) => Some(self.full(ty)),
            Origin::Value(value) => self.expr(*value, depth).map(awaited),
            Origin::Element(iterated) => self.element_of(*iterated, depth),
            Origin::Inside(around, part) => {
                let around = self.pattern(*around, depth);
                self.part(around, part)
            }
        };
        found.filter(is_known)
    }

    fn element_of(&self, iterated: ExprId, depth: u32) -> Option<Ty> {
        if let ExprKind::Range { start, end, .. } = &self.body.expr(iterated).kind {
            let bounds = start.iter().chain(end);
            return bounds.filter_map(|bound| self.expr(*bound, depth)).next();
        }
        element(&self.expr(iterated, depth)?)
    }

    fn part(&self, around: Option<Ty>, part: &Part) -> Option<Ty> {
        match part {
            Part::Whole => around,
            Part::Slice => element(&around?),
            Part::Member(number) => {
                let around = around?;
                let tuple = peeled(&around);
                if tuple.shape != TyShape::Tuple && !is_map(tuple) {
                    return None;
                }
                tuple.args.get(*number).cloned()
            }
            Part::Numbered(path, number) => self.unwrapped(around, path, &number.to_string()),
            Part::Named(path, field) => self.unwrapped(around, path, field),
        }
    }

    /// What a variant's or struct's pattern takes out.
    fn unwrapped(&self, around: Option<Ty>, path: &Path, field: &str) -> Option<Ty> {
        match (path.last(), path.segments.len()) {
            ("Some" | "Ok", 1) => return payload(around?),
            ("Err", 1) => return around?.args.into_iter().nth(1),
            _ => {}
        }
        let args = around.as_ref().map_or(&[][..], |ty| &peeled(ty).args);
        match self.krate.path_in(self.at, &path.segments, Space::Any) {
            Target::Variant(item, name) => self.krate.variant_field(item, &name, field, args),
            Target::Item(item) if self.krate.kind(item) == Some(ItemKind::Struct) => {
                let made = self.constructed(path)?;
                let ty = around.filter(|ty| peeled(ty).path == made.path).unwrap_or(made);
                self.krate.field_type(&ty, field)
            }
            _ => None,
        }
    }
}
