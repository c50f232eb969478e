//! Which variable a one-segment path names, under Rust's scoping: shadowing, arms, let-chains, closures.
//! Works on the finished arena with a list of things to do, not by recursion; knows nothing of items, so a path that names none stays `None`.

use super::{Arm, Block, Body, ExprId, ExprKind, Local, MacroInput, PatId, PatKind, SelectArm, Stmt};
use std::collections::HashMap;

/// Fills in `Body.binds` and `Body.locals`.
pub(super) fn resolve(body: &mut Body) {
    body.binds = (0..).map(PatId).take(body.pats.len()).collect();
    share_alternatives(body);
    let mut locals = vec![None; body.exprs.len()];
    let mut scopes = Scopes::new(body, &mut locals);
    scopes.run();
    body.locals = locals;
}

/// Makes later alternatives of an or-pattern introduce the locals of the first.
fn share_alternatives(body: &mut Body) {
    // Ids grow from the inside out, so an outer or-pattern has the last word over those inside it.
    for at in (0..).map(PatId).take(body.pats.len()) {
        if !matches!(body.pat(at).kind, PatKind::Or(_)) {
            continue;
        }
        let mut binds = Vec::new();
        body.walk_pat(at, &mut |inside| {
            if let PatKind::Bind { name, .. } = &body.pat(inside).kind {
                binds.push((name.clone(), inside));
            }
        });
        let mut first: HashMap<String, PatId> = HashMap::new();
        for (name, inside) in binds {
            let local = *first.entry(name).or_insert(inside);
            if let Some(slot) = body.binds.get_mut(inside.0 as usize) {
                *slot = local;
            }
        }
    }
}

enum Step {
    Open,
    Close,
    Bind(PatId),
    Visit(ExprId),
}

struct Scopes<'a> {
    body: &'a Body,
    locals: &'a mut [Option<Local>],
    /// What is still to be done; the next step is the last.
    steps: Vec<Step>,
    /// Bindings in sight by name, the innermost last.
    in_sight: HashMap<&'a str, Vec<Local>>,
    /// Names bound since the start, in order; a scope's end takes back those after its mark.
    bound: Vec<&'a str>,
    marks: Vec<usize>,
}

impl<'a> Scopes<'a> {
    fn new(body: &'a Body, locals: &'a mut [Option<Local>]) -> Self {
        let mut steps = vec![Step::Visit(body.root)];
        steps.extend(body.params.iter().rev().map(|param| Step::Bind(param.pat)));
        Self { body, locals, steps, in_sight: HashMap::new(), bound: Vec::new(), marks: Vec::new() }
    }

    fn run(&mut self) {
        while let Some(step) = self.steps.pop() {
            match step {
                Step::Open => self.marks.push(self.bound.len()),
                Step::Close => self.close(),
                Step::Bind(pat) => self.bind(pat),
                Step::Visit(expr) => self.visit(expr),
            }
        }
    }

    fn close(&mut self) {
        let mark = self.marks.pop().unwrap_or(0);
        for name in self.bound.drain(mark.min(self.bound.len())..) {
            if let Some(stack) = self.in_sight.get_mut(name) {
                stack.pop();
            }
        }
    }

    fn bind(&mut self, pat: PatId) {
        let body = self.body;
        body.walk_pat(pat, &mut |at| {
            if let PatKind::Bind { name, .. } = &body.pat(at).kind
                && body.local_of(at) == at
            {
                self.in_sight.entry(name).or_default().push(at);
                self.bound.push(name);
            }
        });
    }

    fn visit(&mut self, id: ExprId) {
        let body = self.body;
        let from = self.steps.len();
        match &body.expr(id).kind {
            ExprKind::Path(path) => self.name(id, path.single()),
            ExprKind::Let(pat, value) => self.steps.extend([Step::Visit(*value), Step::Bind(*pat)]),
            ExprKind::Block(block) => self.block(block),
            // What the condition binds lives in the rest of it and in the block behind it.
            ExprKind::If { cond, then, otherwise } => {
                self.steps.extend([Step::Open, Step::Visit(*cond), Step::Visit(*then), Step::Close]);
                self.steps.extend(otherwise.map(Step::Visit));
            }
            ExprKind::While { cond, body, .. } => {
                self.steps.extend([Step::Open, Step::Visit(*cond), Step::Visit(*body), Step::Close]);
            }
            ExprKind::For { pat, iter, body, .. } => {
                self.steps.extend([
                    Step::Visit(*iter),
                    Step::Open,
                    Step::Bind(*pat),
                    Step::Visit(*body),
                    Step::Close,
                ]);
            }
            ExprKind::Match(value, arms) => {
                self.steps.push(Step::Visit(*value));
                for Arm { pat, guard, body } in arms {
                    self.steps.extend([Step::Open, Step::Bind(*pat)]);
                    self.steps.extend(guard.map(Step::Visit));
                    self.steps.extend([Step::Visit(*body), Step::Close]);
                }
            }
            ExprKind::Closure { params, body, .. } => {
                self.steps.push(Step::Open);
                self.steps.extend(params.iter().map(|param| Step::Bind(param.pat)));
                self.steps.extend([Step::Visit(*body), Step::Close]);
            }
            ExprKind::Macro(call) => self.macro_input(id, &call.input),
            _ => self.steps.extend(body.children(id).into_iter().map(Step::Visit)),
        }
        if let Some(new) = self.steps.get_mut(from..) {
            new.reverse();
        }
    }

    fn name(&mut self, id: ExprId, name: Option<&str>) {
        let local = name.and_then(|name| self.in_sight.get(name)?.last().copied());
        if let Some(slot) = self.locals.get_mut(id.0 as usize) {
            *slot = local;
        }
    }

    fn block(&mut self, block: &Block) {
        self.steps.push(Step::Open);
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { pat, init, otherwise, .. } => {
                    self.steps.extend(init.map(Step::Visit));
                    self.steps.extend(otherwise.map(Step::Visit));
                    self.steps.push(Step::Bind(*pat));
                }
                Stmt::Expr(inner) => self.steps.push(Step::Visit(*inner)),
            }
        }
        self.steps.extend(block.tail.map(Step::Visit));
        self.steps.push(Step::Close);
    }

    fn macro_input(&mut self, id: ExprId, input: &MacroInput) {
        match input {
            MacroInput::Matches { value, pat, guard } => {
                self.steps.extend([Step::Visit(*value), Step::Open, Step::Bind(*pat)]);
                self.steps.extend(guard.map(Step::Visit));
                self.steps.push(Step::Close);
            }
            MacroInput::Select { arms, .. } => {
                for SelectArm { pat, future, guard, body } in arms {
                    // A guard is asked before the future is polled, so it sees nothing of the pattern.
                    self.steps.extend(guard.map(Step::Visit));
                    self.steps.extend(future.map(Step::Visit));
                    self.steps.push(Step::Open);
                    self.steps.extend(pat.map(Step::Bind));
                    self.steps.extend([Step::Visit(*body), Step::Close]);
                }
            }
            MacroInput::Args(_) | MacroInput::Block(_) | MacroInput::Words(_) => {
                self.steps.extend(self.body.children(id).into_iter().map(Step::Visit));
            }
        }
    }
}
