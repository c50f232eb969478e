//! Ways through a body: the one place that knows which expressions and patterns stand inside which.
//! Walks keep their own stack: a chain of thousands of calls must not become as many frames.

use super::{
    Arm, Block, Body, ExprId, ExprKind, Local, MacroInput, MethodCall, PatId, PatKind, SelectArm, Stmt,
    StructLit,
};
use std::collections::BTreeSet;

impl Body {
    /// The expressions directly inside an expression, in the order in which they would be evaluated: statements' values, arms' guards and bodies,
    /// closures' bodies and macros' inputs included. Literals inside patterns are not among them.
    pub fn children(&self, id: ExprId) -> Vec<ExprId> {
        let mut found = Vec::new();
        self.push_children(id, &mut found);
        found
    }

    /// Visits an expression and everything inside it, parents first, in the order of `children`; `false` keeps out of what is inside.
    pub fn walk(&self, id: ExprId, visit: &mut dyn FnMut(ExprId) -> bool) {
        let mut open = vec![id];
        while let Some(at) = open.pop() {
            if !visit(at) {
                continue;
            }
            let from = open.len();
            self.push_children(at, &mut open);
            if let Some(inside) = open.get_mut(from..) {
                inside.reverse();
            }
        }
    }

    /// Whether an expression, or one inside it, is like this; looks no further than the first.
    pub fn any(&self, id: ExprId, mut is: impl FnMut(ExprId) -> bool) -> bool {
        let mut open = vec![id];
        while let Some(at) = open.pop() {
            if is(at) {
                return true;
            }
            self.push_children(at, &mut open);
        }
        false
    }

    /// The expression that each one stands directly inside of, by expression; none for the root.
    pub fn parents(&self) -> Vec<Option<ExprId>> {
        let mut parents = vec![None; self.exprs.len()];
        for (id, _) in self.exprs() {
            for child in self.children(id) {
                if let Some(parent) = parents.get_mut(child.0 as usize) {
                    *parent = Some(id);
                }
            }
        }
        parents
    }

    /// The block that an expression is: a block itself, an `async` block's, or the statements of a macro. `None` for anything else.
    pub fn block(&self, id: ExprId) -> Option<&Block> {
        match &self.expr(id).kind {
            ExprKind::Block(block) => Some(block),
            ExprKind::Async(inner) => self.plain_block(*inner),
            ExprKind::Macro(call) => match call.input {
                MacroInput::Block(inner) => self.plain_block(inner),
                _ => None,
            },
            _ => None,
        }
    }

    /// The statements of the block that an expression is (see `block`), the tail apart; none for anything else.
    pub fn stmts_of(&self, id: ExprId) -> &[Stmt] {
        self.block(id).map_or(&[], |block| &block.stmts)
    }

    /// The patterns directly inside a pattern, in source order.
    pub fn pat_children(&self, id: PatId) -> Vec<PatId> {
        match &self.pat(id).kind {
            PatKind::Bind { sub, .. } => sub.iter().copied().collect(),
            PatKind::TupleStruct(_, inside) => inside.to_vec(),
            PatKind::Struct(_, fields) => fields.iter().map(|(_, pat)| *pat).collect(),
            PatKind::Tuple(inside) | PatKind::Slice(inside) | PatKind::Or(inside) => inside.clone(),
            PatKind::Wild
            | PatKind::Rest
            | PatKind::Path(_)
            | PatKind::Lit(_)
            | PatKind::Range { .. }
            | PatKind::Other => Vec::new(),
        }
    }

    /// Whether one of these variables is named in an expression.
    pub fn mentions(&self, within: ExprId, names: &BTreeSet<Local>) -> bool {
        self.any(within, |part| self.local(part).is_some_and(|local| names.contains(&local)))
    }

    /// The variables that a pattern binds, in source order; each name once, by the local it stands for.
    pub fn names_in_pat(&self, id: PatId) -> Vec<(String, PatId)> {
        let mut names: Vec<(String, PatId)> = Vec::new();
        self.walk_pat(id, &mut |at| {
            if let PatKind::Bind { name, .. } = &self.pat(at).kind
                && names.iter().all(|(known, _)| known != name)
            {
                names.push((name.clone(), self.local_of(at)));
            }
        });
        names
    }

    /// Visits a pattern and those inside it, parents first, in source order.
    pub fn walk_pat(&self, id: PatId, visit: &mut dyn FnMut(PatId)) {
        let mut open = vec![id];
        while let Some(at) = open.pop() {
            visit(at);
            open.extend(self.pat_children(at).into_iter().rev());
        }
    }

    fn plain_block(&self, id: ExprId) -> Option<&Block> {
        match &self.expr(id).kind {
            ExprKind::Block(block) => Some(block),
            _ => None,
        }
    }

    fn push_children(&self, id: ExprId, out: &mut Vec<ExprId>) {
        match &self.expr(id).kind {
            ExprKind::Lit(_) | ExprKind::Path(_) | ExprKind::Continue(_) | ExprKind::Other => {}
            ExprKind::Unary(_, inner)
            | ExprKind::Field(inner, _)
            | ExprKind::Cast(inner, _)
            | ExprKind::Ref(inner)
            | ExprKind::Try(inner)
            | ExprKind::Await(inner)
            | ExprKind::Let(_, inner)
            | ExprKind::Async(inner)
            | ExprKind::Loop { body: inner, .. }
            | ExprKind::Closure { body: inner, .. } => out.push(*inner),
            ExprKind::Binary(_, first, second)
            | ExprKind::Index(first, second)
            | ExprKind::Repeat(first, second) => out.extend([*first, *second]),
            // The right side is evaluated before the place on the left.
            ExprKind::Assign(place, value) | ExprKind::AssignOp(_, place, value) => {
                out.extend([*value, *place]);
            }
            ExprKind::Call(callee, args) => {
                out.push(*callee);
                out.extend(args);
            }
            ExprKind::Method(MethodCall { receiver, args, .. }) => {
                out.push(*receiver);
                out.extend(args);
            }
            ExprKind::Tuple(items) | ExprKind::Array(items) => out.extend(items),
            ExprKind::Struct(StructLit { fields, base, .. }) => {
                out.extend(fields.iter().map(|(_, value)| *value));
                out.extend(base);
            }
            ExprKind::Range { start, end, .. } => {
                out.extend(start);
                out.extend(end);
            }
            ExprKind::Block(block) => push_block(block, out),
            ExprKind::If { cond, then, otherwise } => {
                out.extend([*cond, *then]);
                out.extend(otherwise);
            }
            ExprKind::Match(value, arms) => {
                out.push(*value);
                for Arm { guard, body, .. } in arms {
                    out.extend(guard);
                    out.push(*body);
                }
            }
            ExprKind::While { cond: first, body, .. } | ExprKind::For { iter: first, body, .. } => {
                out.extend([*first, *body]);
            }
            ExprKind::Break(_, value) | ExprKind::Return(value) | ExprKind::Yield(value) => out.extend(value),
            ExprKind::Macro(call) => {
                push_macro(&call.input, out);
                out.extend(&call.captures);
            }
        }
    }
}

fn push_block(block: &Block, out: &mut Vec<ExprId>) {
    for stmt in &block.stmts {
        match stmt {
            Stmt::Let { init, otherwise, .. } => {
                out.extend(init);
                out.extend(otherwise);
            }
            Stmt::Expr(inner) => out.push(*inner),
        }
    }
    out.extend(&block.tail);
}

fn push_macro(input: &MacroInput, out: &mut Vec<ExprId>) {
    match input {
        MacroInput::Args(args) => out.extend(args),
        MacroInput::Matches { value, guard, .. } => {
            out.push(*value);
            out.extend(guard);
        }
        // All futures are made before any of them is polled.
        MacroInput::Select { arms, .. } => {
            for SelectArm { guard, future, .. } in arms {
                out.extend(guard);
                out.extend(future);
            }
            out.extend(arms.iter().map(|arm| arm.body));
        }
        MacroInput::Block(inner) => out.push(*inner),
        MacroInput::Words(_) => {}
    }
}
