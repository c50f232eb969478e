//! From syn's tree to the arena: the only match over syn's kinds of expression.
//! Spans are put together from tokens and children, never by printing a tree again, and chains (`a.b().c()`, `a + b + c`) are lowered in a loop, so that neither time nor stack grows
//! with their square or their length. Names mean nothing here.

use super::literals::operator;
use super::types::{lower_path, lower_type, name, turbofish};
use super::{Arm, Body, Expr, ExprId, ExprKind, MethodCall, Param, Pat, Span, StructLit, UnOp, scopes};
use smallvec::SmallVec;
use syn::spanned::Spanned as _;

/// Expressions nest at most this deep, macros' tokens included; below it they are `Other`. Callers refuse texts deeper than 128 levels: this is the belt to those braces.
const MAX_DEPTH: u32 = 1_000;

/// A body in the making.
pub(super) struct Lowering {
    exprs: Vec<Expr>,
    pats: Vec<Pat>,
    /// Where in the file the parsed slice begins, in bytes.
    base: u32,
    depth: u32,
}

/// An expression just lowered.
#[derive(Clone, Copy)]
pub(super) struct Lowered {
    /// Its index.
    pub(super) id: ExprId,
    /// Where it is written with the parentheses around it, which the node itself leaves out.
    pub(super) extent: Span,
}

impl Lowering {
    /// Nothing yet, of a slice that begins at this byte of the file.
    pub(super) fn new(base: u32) -> Self {
        Self { exprs: Vec::new(), pats: Vec::new(), base, depth: 0 }
    }

    /// The body with this root, its variables resolved.
    pub(super) fn finish(self, root: ExprId) -> Body {
        let mut body = self.unresolved(root);
        scopes::resolve(&mut body);
        body
    }

    /// The body with this root, for a caller that adds parameters before it resolves variables.
    pub(super) fn unresolved(self, root: ExprId) -> Body {
        Body {
            exprs: self.exprs,
            pats: self.pats,
            locals: Vec::new(),
            binds: Vec::new(),
            params: Vec::new(),
            receiver: None,
            ret: None,
            is_async: false,
            generics: Vec::new(),
            root,
            fragments: Vec::new(),
        }
    }

    /// Lowers an expression and everything inside it.
    pub(super) fn expr(&mut self, expr: &syn::Expr) -> Lowered {
        self.deeper(|this| {
            let mut links: SmallVec<[&syn::Expr; 8]> = SmallVec::new();
            let mut at = expr;
            while let Some(head) = head(at) {
                links.push(at);
                at = head;
            }
            let mut lowered = this.lone(at);
            while let Some(link) = links.pop() {
                lowered = this.link(link, lowered);
            }
            lowered
        })
        .unwrap_or_else(|| self.other(expr.span()))
    }

    /// Runs this one level deeper; `None` below the last.
    pub(super) fn deeper<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let lowered = lower(self);
        self.depth -= 1;
        Some(lowered)
    }

    /// Adds an expression.
    pub(super) fn push(&mut self, kind: ExprKind, span: Span) -> Lowered {
        let id = ExprId(self.exprs.len() as u32);
        self.exprs.push(Expr { kind, span });
        Lowered { id, extent: span }
    }

    /// Adds a pattern.
    pub(super) fn push_pat(&mut self, pat: Pat) -> super::PatId {
        let id = super::PatId(self.pats.len() as u32);
        self.pats.push(pat);
        id
    }

    /// Where in the file these tokens are.
    pub(super) fn span(&self, tokens: proc_macro2::Span) -> Span {
        let range = tokens.byte_range();
        Span {
            start: self.base.saturating_add(range.start as u32),
            end: self.base.saturating_add(range.end as u32),
        }
    }

    /// Adds an end of the chain that begins with `head`.
    fn link(&mut self, link: &syn::Expr, head: Lowered) -> Lowered {
        let start = head.extent;
        match link {
            syn::Expr::Paren(paren) => {
                Lowered { id: head.id, extent: self.span(paren.paren_token.span.join()) }
            }
            syn::Expr::Binary(binary) => {
                let right = self.expr(&binary.right);
                let kind = match operator(binary.op) {
                    Some((op, true)) => ExprKind::AssignOp(op, head.id, right.id),
                    Some((op, false)) => ExprKind::Binary(op, head.id, right.id),
                    None => ExprKind::Other,
                };
                self.push(kind, to(start, right.extent))
            }
            syn::Expr::Assign(assign) => {
                let right = self.expr(&assign.right);
                self.push(ExprKind::Assign(head.id, right.id), to(start, right.extent))
            }
            syn::Expr::MethodCall(call) => self.method(call, head),
            syn::Expr::Call(call) => {
                let args = self.exprs(&call.args);
                let end = self.span(call.paren_token.span.close());
                self.push(ExprKind::Call(head.id, args), to(start, end))
            }
            syn::Expr::Field(field) => {
                let (name, end) = match &field.member {
                    syn::Member::Named(ident) => (name(ident), ident.span()),
                    syn::Member::Unnamed(index) => (index.index.to_string(), index.span),
                };
                let end = self.span(end);
                self.push(ExprKind::Field(head.id, name), to(start, end))
            }
            syn::Expr::Index(index) => {
                let inside = self.expr(&index.index).id;
                let end = self.span(index.bracket_token.span.close());
                self.push(ExprKind::Index(head.id, inside), to(start, end))
            }
            syn::Expr::Try(tried) => {
                let end = self.span(tried.question_token.span());
                self.push(ExprKind::Try(head.id), to(start, end))
            }
            syn::Expr::Await(awaited) => {
                let end = self.span(awaited.await_token.span());
                self.push(ExprKind::Await(head.id), to(start, end))
            }
            syn::Expr::Cast(cast) => {
                let end = self.span(cast.ty.span());
                self.push(ExprKind::Cast(head.id, lower_type(&cast.ty)), to(start, end))
            }
            // A group of a macro's making; `head` gives no other kind.
            _ => head,
        }
    }

    /// An expression that begins with a token of its own.
    fn lone(&mut self, expr: &syn::Expr) -> Lowered {
        match expr {
            syn::Expr::Lit(lit) => self.literal(&lit.lit),
            syn::Expr::Path(path) => {
                let kind = ExprKind::Path(lower_path(path.qself.as_ref(), &path.path));
                self.push(kind, self.path_span(path.qself.as_ref(), &path.path))
            }
            syn::Expr::Macro(call) => self.macro_expr(&call.mac),
            syn::Expr::Block(block) => {
                let span = self.span(block.block.brace_token.span.join());
                self.labelled_block(block.label.as_ref(), &block.block, span)
            }
            syn::Expr::Unsafe(block) => self.worded_block(block.unsafe_token.span, &block.block),
            syn::Expr::Const(block) => self.worded_block(block.const_token.span, &block.block),
            syn::Expr::TryBlock(block) => self.worded_block(block.try_token.span, &block.block),
            syn::Expr::Async(block) => {
                let inner = self.block(&block.block);
                let span = to(self.span(block.async_token.span), self.expr_span(inner));
                self.push(ExprKind::Async(inner), span)
            }
            syn::Expr::If(branch) => self.branch(branch),
            syn::Expr::Let(bound) => {
                let value = self.expr(&bound.expr);
                let pat = self.pat(&bound.pat);
                let span = to(self.span(bound.let_token.span), value.extent);
                self.push(ExprKind::Let(pat, value.id), span)
            }
            syn::Expr::Match(choice) => self.choice(choice),
            syn::Expr::Loop(_) | syn::Expr::While(_) | syn::Expr::ForLoop(_) => self.loops(expr),
            syn::Expr::Closure(closure) => self.closure(closure),
            syn::Expr::Break(leave) => {
                let value = leave.expr.as_ref().map(|value| self.expr(value));
                let mut span = self.span(leave.break_token.span);
                span.end = leave.label.as_ref().map_or(span.end, |label| self.span(label.span()).end);
                let kind = ExprKind::Break(leave.label.as_ref().map(label_name), value.map(|value| value.id));
                self.push(kind, until(span, value))
            }
            syn::Expr::Continue(next) => {
                let mut span = self.span(next.continue_token.span);
                span.end = next.label.as_ref().map_or(span.end, |label| self.span(label.span()).end);
                self.push(ExprKind::Continue(next.label.as_ref().map(label_name)), span)
            }
            syn::Expr::Return(leave) => {
                let value = leave.expr.as_ref().map(|value| self.expr(value));
                let span = until(self.span(leave.return_token.span), value);
                self.push(ExprKind::Return(value.map(|value| value.id)), span)
            }
            syn::Expr::Yield(given) => {
                let value = given.expr.as_ref().map(|value| self.expr(value));
                let span = until(self.span(given.yield_token.span), value);
                self.push(ExprKind::Yield(value.map(|value| value.id)), span)
            }
            syn::Expr::Unary(unary) => {
                let inner = self.expr(&unary.expr);
                let span = to(self.span(unary.op.span()), inner.extent);
                let kind = match unary.op {
                    syn::UnOp::Deref(_) => ExprKind::Unary(UnOp::Deref, inner.id),
                    syn::UnOp::Not(_) => ExprKind::Unary(UnOp::Not, inner.id),
                    syn::UnOp::Neg(_) => ExprKind::Unary(UnOp::Neg, inner.id),
                    _ => ExprKind::Other,
                };
                self.push(kind, span)
            }
            syn::Expr::Reference(reference) => {
                let inner = self.expr(&reference.expr);
                let span = to(self.span(reference.and_token.span), inner.extent);
                self.push(ExprKind::Ref(inner.id), span)
            }
            syn::Expr::RawAddr(address) => {
                let inner = self.expr(&address.expr);
                let span = to(self.span(address.and_token.span), inner.extent);
                self.push(ExprKind::Ref(inner.id), span)
            }
            syn::Expr::Tuple(tuple) => {
                let items = self.exprs(&tuple.elems);
                self.push(ExprKind::Tuple(items), self.span(tuple.paren_token.span.join()))
            }
            syn::Expr::Array(array) => {
                let items = self.exprs(&array.elems);
                self.push(ExprKind::Array(items), self.span(array.bracket_token.span.join()))
            }
            syn::Expr::Repeat(repeat) => {
                let (item, len) = (self.expr(&repeat.expr).id, self.expr(&repeat.len).id);
                self.push(ExprKind::Repeat(item, len), self.span(repeat.bracket_token.span.join()))
            }
            syn::Expr::Struct(literal) => self.struct_literal(literal),
            syn::Expr::Range(range) => self.range(range),
            _ => self.other(expr.span()),
        }
    }

    /// Without attributes, which syn counts as part of the expression.
    fn path_span(&self, qself: Option<&syn::QSelf>, path: &syn::Path) -> Span {
        let span = self.span(path.span());
        qself.map_or(span, |qself| to(self.span(qself.lt_token.span()), span))
    }

    /// An expression that nobody can read.
    pub(super) fn other(&mut self, tokens: proc_macro2::Span) -> Lowered {
        self.push(ExprKind::Other, self.span(tokens))
    }

    fn exprs<'a>(&mut self, exprs: impl IntoIterator<Item = &'a syn::Expr>) -> Vec<ExprId> {
        exprs.into_iter().map(|expr| self.expr(expr).id).collect()
    }

    fn method(&mut self, call: &syn::ExprMethodCall, receiver: Lowered) -> Lowered {
        let args = self.exprs(&call.args);
        let kind = ExprKind::Method(MethodCall {
            receiver: receiver.id,
            name: name(&call.method),
            name_span: self.span(call.method.span()),
            generics: turbofish(call.turbofish.as_ref()),
            args,
        });
        let end = self.span(call.paren_token.span.close());
        self.push(kind, to(receiver.extent, end))
    }

    fn struct_literal(&mut self, literal: &syn::ExprStruct) -> Lowered {
        let fields =
            literal.fields.iter().map(|field| (member_name(&field.member), self.expr(&field.expr).id));
        let fields = fields.collect();
        let base = literal.rest.as_ref().map(|base| self.expr(base).id);
        let start = self.path_span(literal.qself.as_ref(), &literal.path);
        let span = to(start, self.span(literal.brace_token.span.close()));
        let path = lower_path(literal.qself.as_ref(), &literal.path);
        self.push(ExprKind::Struct(StructLit { path, fields, base }), span)
    }

    fn range(&mut self, range: &syn::ExprRange) -> Lowered {
        let start = range.start.as_ref().map(|start| self.expr(start));
        let end = range.end.as_ref().map(|end| self.expr(end));
        let dots = self.span(range.limits.span());
        let span = to(start.map_or(dots, |start| start.extent), end.map_or(dots, |end| end.extent));
        let inclusive = matches!(range.limits, syn::RangeLimits::Closed(_));
        let (start, end) = (start.map(|start| start.id), end.map(|end| end.id));
        self.push(ExprKind::Range { start, end, inclusive }, span)
    }

    fn branch(&mut self, branch: &syn::ExprIf) -> Lowered {
        let cond = self.expr(&branch.cond).id;
        let then = self.block(&branch.then_branch);
        let otherwise = branch.else_branch.as_ref().map(|(_, otherwise)| self.expr(otherwise));
        let span = until(to(self.span(branch.if_token.span), self.expr_span(then)), otherwise);
        self.push(ExprKind::If { cond, then, otherwise: otherwise.map(|otherwise| otherwise.id) }, span)
    }

    fn choice(&mut self, choice: &syn::ExprMatch) -> Lowered {
        let value = self.expr(&choice.expr).id;
        let arms = choice.arms.iter().map(|arm| {
            let (pat, guard) = self.guarded_pat(&arm.pat);
            Arm { pat, guard, body: self.expr(&arm.body).id }
        });
        let arms = arms.collect();
        let span = to(self.span(choice.match_token.span), self.span(choice.brace_token.span.close()));
        self.push(ExprKind::Match(value, arms), span)
    }

    fn loops(&mut self, expr: &syn::Expr) -> Lowered {
        let (label, word, kind) = match expr {
            syn::Expr::While(looped) => {
                let cond = self.expr(&looped.cond).id;
                let (label, body) = (looped.label.as_ref(), self.block(&looped.body));
                (label, looped.while_token.span, ExprKind::While { label: label.map(of_label), cond, body })
            }
            syn::Expr::ForLoop(looped) => {
                let iter = self.expr(&looped.expr).id;
                let pat = self.pat(&looped.pat);
                let (label, body) = (looped.label.as_ref(), self.block(&looped.body));
                (label, looped.for_token.span, ExprKind::For { label: label.map(of_label), pat, iter, body })
            }
            syn::Expr::Loop(looped) => {
                let (label, body) = (looped.label.as_ref(), self.block(&looped.body));
                (label, looped.loop_token.span, ExprKind::Loop { label: label.map(of_label), body })
            }
            _ => return self.other(expr.span()),
        };
        let (ExprKind::While { body, .. } | ExprKind::For { body, .. } | ExprKind::Loop { body, .. }) = kind
        else {
            return self.other(expr.span());
        };
        let start = label.map_or_else(|| self.span(word), |label| self.span(label.name.span()));
        self.push(kind, to(start, self.expr_span(body)))
    }

    fn closure(&mut self, closure: &syn::ExprClosure) -> Lowered {
        let params = closure.inputs.iter().map(|input| {
            let (pat, ty) = self.typed_pat(input);
            Param { pat, ty }
        });
        let params = params.collect();
        let body = self.expr(&closure.body);
        let first = closure
            .lifetimes
            .as_ref()
            .map(|lifetimes| lifetimes.for_token.span)
            .or_else(|| closure.constness.map(|word| word.span))
            .or_else(|| closure.asyncness.map(|word| word.span))
            .or_else(|| closure.capture.map(|word| word.span))
            .unwrap_or_else(|| closure.inputs_begin.span());
        let kind = ExprKind::Closure { params, body: body.id, is_async: closure.asyncness.is_some() };
        self.push(kind, to(self.span(first), body.extent))
    }

    /// Where an expression that is lowered already is written.
    pub(super) fn expr_span(&self, id: ExprId) -> Span {
        self.exprs.get(id.0 as usize).map_or_else(Span::default, |expr| expr.span)
    }
}

/// The expression that another one begins with, where `Lowering::link` goes on from it.
fn head(expr: &syn::Expr) -> Option<&syn::Expr> {
    match expr {
        syn::Expr::Paren(paren) => Some(&paren.expr),
        syn::Expr::Group(group) => Some(&group.expr),
        syn::Expr::Binary(binary) => Some(&binary.left),
        syn::Expr::Assign(assign) => Some(&assign.left),
        syn::Expr::MethodCall(call) => Some(&call.receiver),
        syn::Expr::Call(call) => Some(&call.func),
        syn::Expr::Field(field) => Some(&field.base),
        syn::Expr::Index(index) => Some(&index.expr),
        syn::Expr::Try(tried) => Some(&tried.expr),
        syn::Expr::Await(awaited) => Some(&awaited.base),
        syn::Expr::Cast(cast) => Some(&cast.expr),
        _ => None,
    }
}

/// The name of a field, or its number.
pub(super) fn member_name(member: &syn::Member) -> String {
    match member {
        syn::Member::Named(ident) => name(ident),
        syn::Member::Unnamed(index) => index.index.to_string(),
    }
}

/// From where one begins to where the other ends.
pub(super) fn to(start: Span, end: Span) -> Span {
    Span { start: start.start, end: end.end }
}

fn until(span: Span, last: Option<Lowered>) -> Span {
    last.map_or(span, |last| to(span, last.extent))
}

/// The name of a label that is jumped to, without the `'`.
pub(super) fn label_name(label: &syn::Lifetime) -> String {
    name(&label.ident)
}

/// The name of a label that is put on something.
pub(super) fn of_label(label: &syn::Label) -> String {
    label_name(&label.name)
}
