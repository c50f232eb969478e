//! How a function of the crate says that what it called failed: the `None` or the variant that it builds there and not after success.
//! Read from its text: arms over `Err`, errors dropped by `.ok()`. What the caller makes of it is the caller's flow.

use super::context::{Callee, Context};
use super::summary::summary_at;
use crate::body::{ExprId, ExprKind, PatId, PatKind, Stmt};
use std::collections::BTreeSet;

/// Names of variants, `None` among them.
type Names = BTreeSet<String>;

/// The variants that stand for a failure where this function gives them.
pub(super) fn fails_as(cx: &Context<'_>, left: u32) -> Vec<String> {
    let mut read = Reader { cx, after_failure: Names::new(), after_success: Names::new() };
    cx.body.walk(cx.body.root, &mut |id| {
        read.look(id);
        !matches!(cx.body.expr(id).kind, ExprKind::Closure { .. })
    });
    read.given(cx.body.root, left);
    let Reader { after_failure, after_success, .. } = read;
    after_failure.into_iter().filter(|name| !after_success.contains(name)).collect()
}

struct Reader<'r, 'a> {
    cx: &'r Context<'a>,
    after_failure: Names,
    after_success: Names,
}

impl Reader<'_, '_> {
    fn look(&mut self, id: ExprId) {
        let body = self.cx.body;
        match &body.expr(id).kind {
            ExprKind::Match(_, arms) => {
                for arm in arms {
                    match self.side(arm.pat) {
                        Some(true) => built(self.cx, arm.body, &mut self.after_success),
                        Some(false) => built(self.cx, arm.body, &mut self.after_failure),
                        None => {}
                    }
                }
            }
            ExprKind::If { cond, then, otherwise } => {
                let ExprKind::Let(pat, _) = &body.expr(*cond).kind else { return };
                let Some(well) = self.side(*pat) else { return };
                let (good, bad) = if well { (Some(*then), *otherwise) } else { (*otherwise, Some(*then)) };
                if let Some(good) = good {
                    built(self.cx, good, &mut self.after_success);
                }
                if let Some(bad) = bad {
                    built(self.cx, bad, &mut self.after_failure);
                }
            }
            ExprKind::Block(block) => {
                for stmt in &block.stmts {
                    if let Stmt::Let { pat, otherwise: Some(otherwise), .. } = stmt
                        && self.side(*pat) == Some(true)
                    {
                        built(self.cx, *otherwise, &mut self.after_failure);
                    }
                }
            }
            ExprKind::Try(inner) if self.drops_error(*inner) => {
                self.after_failure.insert("None".to_owned());
            }
            _ => {}
        }
    }

    /// What the function gives at its end: an error dropped there, or what another function gives.
    fn given(&mut self, id: ExprId, left: u32) {
        let body = self.cx.body;
        match &body.expr(id).kind {
            ExprKind::Block(block) => {
                if let Some(tail) = block.tail {
                    self.given(tail, left);
                }
            }
            ExprKind::Await(inner) | ExprKind::Async(inner) => self.given(*inner, left),
            _ if self.drops_error(id) => {
                self.after_failure.insert("None".to_owned());
            }
            ExprKind::Call(..) | ExprKind::Method(_) => {
                if let Callee::Own(item) = self.cx.callee(id)
                    && item != self.cx.at
                {
                    self.after_failure.extend(summary_at(self.cx, item, left.saturating_sub(1)).fails_as);
                }
            }
            _ => {}
        }
    }

    /// `….ok()`
    fn drops_error(&self, id: ExprId) -> bool {
        matches!(&self.cx.body.expr(id).kind, ExprKind::Method(call) if call.name == "ok" && call.args.is_empty())
    }

    /// Whether a pattern is of `Ok` or of `Err`.
    fn side(&self, pat: PatId) -> Option<bool> {
        let PatKind::TupleStruct(path, _) = &self.cx.body.pat(pat).kind else { return None };
        match path.last() {
            "Ok" => Some(true),
            "Err" => Some(false),
            _ => None,
        }
    }
}

/// The variant that an expression gives, or the function by it.
fn built(cx: &Context<'_>, id: ExprId, names: &mut Names) {
    let variant = |name: &str| name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase);
    match &cx.body.expr(id).kind {
        ExprKind::Block(block) => {
            let last = block.stmts.last().and_then(|stmt| match stmt {
                Stmt::Expr(last) => Some(*last),
                Stmt::Let { .. } => None,
            });
            if let Some(end) = block.tail.or(last) {
                built(cx, end, names);
            }
        }
        ExprKind::Return(Some(value)) => built(cx, *value, names),
        ExprKind::If { then, otherwise, .. } => {
            built(cx, *then, names);
            if let Some(otherwise) = otherwise {
                built(cx, *otherwise, names);
            }
        }
        ExprKind::Match(_, arms) => arms.iter().for_each(|arm| built(cx, arm.body, names)),
        ExprKind::Call(..) | ExprKind::Path(_) => {
            let name = cx.call_name(id);
            if variant(name) && !matches!(name, "Ok" | "Err" | "Some") {
                names.insert(name.to_owned());
            }
        }
        ExprKind::Struct(lit) => {
            let name = lit.path.last();
            if variant(name) {
                names.insert(name.to_owned());
            }
        }
        _ => {}
    }
}
