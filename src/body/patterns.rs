//! From syn's patterns to ours: the only match over syn's kinds of pattern.
//! What a lone name means (a variable or a constant) is decided here by its case alone, as nothing else is to be seen.

use super::lower::{Lowering, member_name};
use super::types::{lower_path, lower_type, name};
use super::{ExprId, Pat, PatId, PatKind, Path, Ty};
use syn::spanned::Spanned as _;

impl Lowering {
    /// Lowers a pattern and those inside it.
    pub(super) fn pat(&mut self, pat: &syn::Pat) -> PatId {
        self.deeper(|this| this.pat_within(pat)).unwrap_or_else(|| self.other_pat(pat))
    }

    /// A pattern that may have a type behind it: `x: u32`.
    pub(super) fn typed_pat(&mut self, pat: &syn::Pat) -> (PatId, Option<Ty>) {
        match pat {
            syn::Pat::Type(typed) => (self.pat(&typed.pat), Some(lower_type(&typed.ty))),
            _ => (self.pat(pat), None),
        }
    }

    /// A pattern that may have a guard behind it: `Some(x) if x > 0`.
    pub(super) fn guarded_pat(&mut self, pat: &syn::Pat) -> (PatId, Option<ExprId>) {
        match pat {
            syn::Pat::Guard(guarded) => (self.pat(&guarded.pat), Some(self.expr(&guarded.guard).id)),
            _ => (self.pat(pat), None),
        }
    }

    fn pat_within(&mut self, pat: &syn::Pat) -> PatId {
        let kind = match pat {
            syn::Pat::Paren(paren) => return self.pat(&paren.pat),
            syn::Pat::Reference(reference) => return self.pat(&reference.pat),
            syn::Pat::Type(typed) => return self.pat(&typed.pat),
            syn::Pat::Wild(_) => PatKind::Wild,
            syn::Pat::Rest(_) => PatKind::Rest,
            syn::Pat::Ident(ident) => self.ident_pat(ident),
            syn::Pat::Path(path) => PatKind::Path(lower_path(path.qself.as_ref(), &path.path)),
            syn::Pat::TupleStruct(tuple) => {
                let inside = tuple.elems.iter().map(|elem| self.pat(elem)).collect();
                PatKind::TupleStruct(lower_path(tuple.qself.as_ref(), &tuple.path), inside)
            }
            syn::Pat::Struct(literal) => {
                let fields =
                    literal.fields.iter().map(|field| (member_name(&field.member), self.pat(&field.pat)));
                let fields = fields.collect();
                PatKind::Struct(lower_path(literal.qself.as_ref(), &literal.path), fields)
            }
            syn::Pat::Tuple(tuple) => PatKind::Tuple(tuple.elems.iter().map(|elem| self.pat(elem)).collect()),
            syn::Pat::Slice(slice) => PatKind::Slice(slice.elems.iter().map(|elem| self.pat(elem)).collect()),
            syn::Pat::Or(or) => PatKind::Or(or.cases.iter().map(|case| self.pat(case)).collect()),
            syn::Pat::Lit(lit) => PatKind::Lit(self.literal(&lit.lit).id),
            syn::Pat::Range(range) => PatKind::Range {
                start: range.start.as_ref().map(|start| self.expr(start).id),
                end: range.end.as_ref().map(|end| self.expr(end).id),
                inclusive: matches!(range.limits, syn::RangeLimits::Closed(_)),
            },
            _ => PatKind::Other,
        };
        self.push_pat(Pat { kind, span: self.span(pat.span()) })
    }

    fn ident_pat(&mut self, ident: &syn::PatIdent) -> PatKind {
        let bound = name(&ident.ident);
        let bare = ident.by_ref.is_none() && ident.mutability.is_none() && ident.subpat.is_none();
        if bare && is_constant_name(&bound) {
            return PatKind::Path(Path { segments: vec![bound], generics: Vec::new() });
        }
        let sub = ident.subpat.as_ref().map(|(_, sub)| self.pat(sub));
        PatKind::Bind { name: bound, mutable: ident.mutability.is_some(), sub }
    }

    fn other_pat(&mut self, pat: &syn::Pat) -> PatId {
        self.push_pat(Pat { kind: PatKind::Other, span: self.span(pat.span()) })
    }
}

fn is_constant_name(name: &str) -> bool {
    name.trim_start_matches('_').starts_with(char::is_uppercase)
}
