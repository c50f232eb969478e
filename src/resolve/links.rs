//! How the parts of one body hang together: what stands around an expression, what binds a variable, where it is used and assigned.
//! Made once for a body, by one pass over its arena; it knows no types and no names of the world.

use crate::body::{Body, ExprId, ExprKind, Local, MacroInput, Param, PatId, PatKind, Path, Stmt, Ty};
use std::collections::HashMap;

/// Where a pattern gets what it matches.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    /// A parameter of the function, or a written type.
    Typed(Ty),
    /// The value of an expression: `let`, `if let`, `match`, a `select!` arm.
    Value(ExprId),
    /// An item of what a `for` iterates.
    Element(ExprId),
    /// A part of what the pattern around it matches.
    Inside(PatId, Part),
}

/// Which part of a value a pattern inside another matches.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// All of it: `name @ sub`, `a | b`.
    Whole,
    /// `Path(.., it, ..)` by number.
    Numbered(Path, usize),
    /// `Path { name: it }`
    Named(Path, String),
    /// A tuple's member.
    Member(usize),
    /// A slice's.
    Slice,
}

/// The links of one body.
#[derive(Clone, Debug, Default)]
pub(super) struct Links {
    parents: Vec<Option<ExprId>>,
    origins: Vec<Option<Origin>>,
    bound: HashMap<ExprId, PatId>,
    uses: HashMap<Local, Vec<ExprId>>,
    assigned: HashMap<Local, Vec<ExprId>>,
}

impl Links {
    /// Reads the links of a body.
    pub(super) fn new(body: &Body) -> Self {
        let mut links = Self {
            parents: vec![None; body.exprs().count()],
            origins: vec![None; body.pats().count()],
            ..Self::default()
        };
        links.add_params(&body.params);
        for (id, expr) in body.exprs() {
            for child in body.children(id) {
                if let Some(parent) = links.parents.get_mut(child.0 as usize) {
                    *parent = Some(id);
                }
            }
            if let Some(local) = body.local(id) {
                links.uses.entry(local).or_default().push(id);
            }
            links.add_bindings(body, &expr.kind);
        }
        for (id, pat) in body.pats() {
            links.add_parts(body, id, &pat.kind);
        }
        links
    }

    /// The expression around an expression.
    pub(super) fn parent(&self, id: ExprId) -> Option<ExprId> {
        self.parents.get(id.0 as usize).copied().flatten()
    }

    /// Where a pattern gets what it matches.
    pub(super) fn origin(&self, id: PatId) -> Option<&Origin> {
        self.origins.get(id.0 as usize)?.as_ref()
    }

    /// The pattern of the `let` whose value an expression is.
    pub(super) fn bound_by(&self, init: ExprId) -> Option<PatId> {
        self.bound.get(&init).copied()
    }

    /// Where a variable is named, assignments included.
    pub(super) fn uses(&self, local: Local) -> &[ExprId] {
        self.uses.get(&local).map_or(&[], Vec::as_slice)
    }

    /// The values that are assigned to a variable after its `let`.
    pub(super) fn assigned(&self, local: Local) -> &[ExprId] {
        self.assigned.get(&local).map_or(&[], Vec::as_slice)
    }

    fn add_params(&mut self, params: &[Param]) {
        for param in params {
            if let Some(ty) = &param.ty {
                self.set(param.pat, Origin::Typed(ty.clone()));
            }
        }
    }

    fn add_bindings(&mut self, body: &Body, kind: &ExprKind) {
        match kind {
            ExprKind::Let(pat, value) => self.set(*pat, Origin::Value(*value)),
            ExprKind::Match(value, arms) => {
                for arm in arms {
                    self.set(arm.pat, Origin::Value(*value));
                }
            }
            ExprKind::For { pat, iter, .. } => self.set(*pat, Origin::Element(*iter)),
            ExprKind::Closure { params, .. } => self.add_params(params),
            ExprKind::Block(block) => block.stmts.iter().for_each(|stmt| self.add_statement(stmt)),
            ExprKind::Assign(place, value) => {
                if let Some(local) = body.local(*place) {
                    self.assigned.entry(local).or_default().push(*value);
                }
            }
            ExprKind::Macro(call) => self.add_macro(&call.input),
            _ => {}
        }
    }

    fn add_statement(&mut self, stmt: &Stmt) {
        let Stmt::Let { pat, ty, init, .. } = stmt else { return };
        if let Some(init) = init {
            self.bound.insert(*init, *pat);
        }
        match (ty, init) {
            (Some(ty), _) if !ty.path.is_empty() || !ty.args.is_empty() => {
                self.set(*pat, Origin::Typed(ty.clone()))
            }
            (_, Some(init)) => self.set(*pat, Origin::Value(*init)),
            (_, None) => {}
        }
    }

    fn add_macro(&mut self, input: &MacroInput) {
        match input {
            MacroInput::Matches { value, pat, .. } => self.set(*pat, Origin::Value(*value)),
            MacroInput::Select { arms, .. } => {
                for arm in arms {
                    if let (Some(pat), Some(future)) = (arm.pat, arm.future) {
                        self.set(pat, Origin::Value(future));
                    }
                }
            }
            MacroInput::Args(_) | MacroInput::Block(_) | MacroInput::Words(_) => {}
        }
    }

    fn add_parts(&mut self, body: &Body, id: PatId, kind: &PatKind) {
        match kind {
            PatKind::Bind { sub: Some(sub), .. } => self.set(*sub, Origin::Inside(id, Part::Whole)),
            PatKind::Or(alternatives) => {
                for alternative in alternatives {
                    self.set(*alternative, Origin::Inside(id, Part::Whole));
                }
            }
            PatKind::TupleStruct(path, inside) => {
                for (number, part) in before_rest(body, inside).enumerate() {
                    self.set(part, Origin::Inside(id, Part::Numbered(path.clone(), number)));
                }
            }
            PatKind::Struct(path, fields) => {
                for (name, part) in fields {
                    self.set(*part, Origin::Inside(id, Part::Named(path.clone(), name.clone())));
                }
            }
            PatKind::Tuple(inside) => {
                for (number, part) in before_rest(body, inside).enumerate() {
                    self.set(part, Origin::Inside(id, Part::Member(number)));
                }
            }
            PatKind::Slice(inside) => {
                for part in inside {
                    self.set(*part, Origin::Inside(id, Part::Slice));
                }
            }
            _ => {}
        }
    }

    fn set(&mut self, pat: PatId, origin: Origin) {
        if let Some(slot) = self.origins.get_mut(pat.0 as usize) {
            slot.get_or_insert(origin);
        }
    }
}

/// What stands before a `..`; the places of what stands behind it are not to be counted here.
fn before_rest(body: &Body, inside: &[PatId]) -> impl Iterator<Item = PatId> {
    inside.iter().copied().take_while(|pat| !matches!(body.pat(*pat).kind, PatKind::Rest))
}
