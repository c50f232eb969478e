//! Blocks and their statements: what is a value, what is thrown away, which items are left to the outline.

use super::lower::{Lowered, Lowering, of_label, to};
use super::{Block, ExprId, ExprKind, Span, Stmt};
use syn::spanned::Spanned as _;

impl Lowering {
    /// Lowers a block without a label and without a word before it.
    pub(super) fn block(&mut self, block: &syn::Block) -> ExprId {
        self.labelled_block(None, block, self.span(block.brace_token.span.join())).id
    }

    /// Lowers statements as a block that is written at this place.
    pub(super) fn stmts(&mut self, stmts: &[syn::Stmt], span: Span) -> ExprId {
        let block = self.block_of(None, stmts);
        self.push(ExprKind::Block(block), span).id
    }

    /// Lowers a block with a word before it: `unsafe { … }`.
    pub(super) fn worded_block(&mut self, word: proc_macro2::Span, block: &syn::Block) -> Lowered {
        let span = to(self.span(word), self.span(block.brace_token.span.close()));
        self.labelled_block(None, block, span)
    }

    /// Lowers a block that may have a label; `span` is without it.
    pub(super) fn labelled_block(
        &mut self,
        label: Option<&syn::Label>,
        block: &syn::Block,
        span: Span,
    ) -> Lowered {
        let start = label.map_or(span, |label| self.span(label.name.span()));
        let block = self.block_of(label.map(of_label), &block.stmts);
        self.push(ExprKind::Block(block), to(start, span))
    }

    fn block_of(&mut self, label: Option<String>, written: &[syn::Stmt]) -> Block {
        let mut block = Block { label, stmts: Vec::new(), tail: None };
        let mut rest = written;
        while let Some((stmt, mut after)) = rest.split_first() {
            rest = after;
            if is_for_tests(stmt) {
                continue;
            }
            if let syn::Stmt::Local(local) = stmt {
                block.stmts.push(self.local(local));
                continue;
            }
            let Some((mut value, extent, mut semicolon)) = self.stmt_expr(stmt) else { continue };
            let opposite = after.split_first().filter(|(next, _)| exclude_each_other(stmt, next));
            if let Some((next, behind)) = opposite
                && let Some((other, last, ends)) = self.stmt_expr(next)
            {
                // `#[cfg(unix)]`, then `#[cfg(not(unix))]`: each build has one of them
                let cond = self.push(ExprKind::Other, extent).id;
                let kind = ExprKind::If { cond, then: value, otherwise: Some(other) };
                value = self.push(kind, to(extent, last)).id;
                (after, semicolon) = (behind, ends);
                rest = after;
            } else if is_configured(stmt) && (semicolon || !after.is_empty()) {
                // there in some builds only: both ways are read
                let cond = self.push(ExprKind::Other, extent).id;
                let kind = ExprKind::If { cond, then: value, otherwise: None };
                value = self.push(kind, extent).id;
            }
            if after.is_empty() && !semicolon {
                block.tail = Some(value);
            } else {
                block.stmts.push(Stmt::Expr(value));
            }
        }
        block
    }

    /// A statement that is an expression, and whether a semicolon follows.
    fn stmt_expr(&mut self, stmt: &syn::Stmt) -> Option<(ExprId, Span, bool)> {
        match stmt {
            // A stray semicolon.
            syn::Stmt::Expr(syn::Expr::Verbatim(tokens), Some(_)) if tokens.is_empty() => None,
            syn::Stmt::Expr(value, semicolon) => {
                let lowered = self.expr(value);
                Some((lowered.id, lowered.extent, semicolon.is_some()))
            }
            syn::Stmt::Macro(stmt) => {
                let lowered = self.deeper(|this| this.macro_expr(&stmt.mac));
                let lowered = lowered.unwrap_or_else(|| self.other(stmt.span()));
                Some((lowered.id, lowered.extent, stmt.semi_token.is_some()))
            }
            syn::Stmt::Local(_) | syn::Stmt::Item(_) => None,
        }
    }

    fn local(&mut self, local: &syn::Local) -> Stmt {
        let init = local.init.as_ref().map(|init| self.expr(&init.expr).id);
        let diverge = local.init.as_ref().and_then(|init| init.diverge.as_ref());
        let otherwise = diverge.map(|(_, otherwise)| self.expr(otherwise).id);
        let (pat, ty) = self.typed_pat(&local.pat);
        let span = to(self.span(local.let_token.span), self.span(local.semi_token.span));
        Stmt::Let { pat, ty, init, otherwise, span }
    }
}

/// Whether a statement is there in tests only.
fn is_for_tests(stmt: &syn::Stmt) -> bool {
    let attributes = match stmt {
        syn::Stmt::Local(local) => &local.attrs,
        syn::Stmt::Macro(call) => &call.attrs,
        syn::Stmt::Expr(syn::Expr::Assign(assign), _) => &assign.attrs,
        syn::Stmt::Expr(syn::Expr::Block(block), _) => &block.attrs,
        syn::Stmt::Expr(syn::Expr::If(choice), _) => &choice.attrs,
        syn::Stmt::Expr(syn::Expr::Call(call), _) => &call.attrs,
        syn::Stmt::Expr(syn::Expr::MethodCall(call), _) => &call.attrs,
        _ => return false,
    };
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

/// Whether a block or a way out stands under `#[cfg(…)]`.
fn is_configured(stmt: &syn::Stmt) -> bool {
    let syn::Stmt::Expr(value, _) = stmt else { return false };
    let attributes = match value {
        syn::Expr::Block(block) => &block.attrs,
        syn::Expr::Return(leaves) => &leaves.attrs,
        syn::Expr::If(choice) => &choice.attrs,
        syn::Expr::Match(choice) => &choice.attrs,
        _ => return false,
    };
    attributes.iter().any(|attribute| attribute.path().is_ident("cfg"))
}

/// Whether one of two statements is there in every build, and never both: `#[cfg(a)]` and `#[cfg(not(a))]`.
fn exclude_each_other(one: &syn::Stmt, other: &syn::Stmt) -> bool {
    let conditions = |stmt| attributes_of(stmt).iter().filter_map(condition_of).collect::<Vec<_>>();
    let negates = |condition: &str, of: &str| {
        syn::parse_str::<syn::MetaList>(condition)
            .is_ok_and(|list| list.path.is_ident("not") && list.tokens.to_string() == of)
    };
    // several conditions leave builds that have neither
    match (conditions(one).as_slice(), conditions(other).as_slice()) {
        ([one], [other]) => negates(one, other) || negates(other, one),
        _ => false,
    }
}

/// What `#[cfg(…)]` asks.
fn condition_of(attribute: &syn::Attribute) -> Option<String> {
    let list = attribute.meta.require_list().ok().filter(|list| list.path.is_ident("cfg"))?;
    Some(list.tokens.to_string())
}

/// The attributes of a statement that is an expression: syn keeps them at its leftmost part.
fn attributes_of(stmt: &syn::Stmt) -> &[syn::Attribute] {
    fn of(value: &syn::Expr) -> &[syn::Attribute] {
        match value {
            syn::Expr::Assign(it) => of(&it.left),
            syn::Expr::Binary(it) => of(&it.left),
            syn::Expr::Await(it) => &it.attrs,
            syn::Expr::Block(it) => &it.attrs,
            syn::Expr::Call(it) => &it.attrs,
            syn::Expr::If(it) => &it.attrs,
            syn::Expr::Macro(it) => &it.attrs,
            syn::Expr::Match(it) => &it.attrs,
            syn::Expr::MethodCall(it) => &it.attrs,
            syn::Expr::Path(it) => &it.attrs,
            syn::Expr::Return(it) => &it.attrs,
            syn::Expr::Try(it) => &it.attrs,
            syn::Expr::Unsafe(it) => &it.attrs,
            _ => &[],
        }
    }
    match stmt {
        syn::Stmt::Expr(value, _) => of(value),
        syn::Stmt::Macro(call) => &call.attrs,
        syn::Stmt::Local(_) | syn::Stmt::Item(_) => &[],
    }
}
