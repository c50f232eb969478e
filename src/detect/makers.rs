//! Where a policy that a function is given comes from: the constants and constructors of the crate that make it, through parameters, fields and clones.
//! Who uses the crate may give another one; what the crate gives itself is its default. One way that cannot be followed, and nothing is told.

use super::context::Context;
use super::memo::{Written, kept};
use crate::body::{ExprId, ExprKind, Local, UnOp};
use crate::resolve::{ItemRef, Target, peeled};
use std::collections::BTreeSet;

/// Expressions that are followed for one value.
const MOST_FOLLOWED: usize = 300;

impl Context<'_> {
    /// The functions and constants outside of tests in whose bodies the struct that an expression gives is written out;
    /// `None` where some of them are not to be seen.
    pub(crate) fn makers(&self, id: ExprId) -> Option<Vec<ItemRef>> {
        let key = (self.at, id);
        kept(&self.memo.makers, key, || {
            let mut found = Makers::default();
            (found.follow(self, id).is_some() && !found.made.is_empty())
                .then(|| found.made.into_iter().collect())
        })
    }

    /// What `makers` tells of an expression in any body of the crate.
    pub(crate) fn makers_of(&self, (at, id): Written) -> Option<Vec<ItemRef>> {
        if at == self.at { self.makers(id) } else { self.inside(at)?.makers(id) }
    }
}

#[derive(Default)]
struct Makers {
    made: BTreeSet<ItemRef>,
    followed: BTreeSet<(ItemRef, u32)>,
}

impl Makers {
    /// `None` where an expression cannot be followed.
    fn follow(&mut self, cx: &Context<'_>, id: ExprId) -> Option<()> {
        if !self.followed.insert((cx.at, id.0)) {
            return Some(());
        }
        if self.followed.len() > MOST_FOLLOWED {
            return None;
        }
        match &cx.body.expr(id).kind {
            ExprKind::Ref(inner)
            | ExprKind::Unary(UnOp::Deref, inner)
            | ExprKind::Try(inner)
            | ExprKind::Await(inner) => self.follow(cx, *inner),
            ExprKind::Method(call) if call.args.is_empty() && hands_out(&call.name) => {
                self.follow(cx, call.receiver)
            }
            ExprKind::Block(block) => self.follow(cx, block.tail?),
            ExprKind::If { then, otherwise, .. } => {
                self.follow(cx, *then)?;
                self.follow(cx, (*otherwise)?)
            }
            ExprKind::Match(_, arms) => arms.iter().try_for_each(|arm| self.follow(cx, arm.body)),
            ExprKind::Struct(literal) => {
                self.made.insert(cx.at);
                literal.base.map_or(Some(()), |base| self.follow(cx, base))
            }
            ExprKind::Path(path) => match cx.body.local(id) {
                Some(local) => self.local(cx, local),
                None => match cx.krate.path(cx.at, &path.segments) {
                    Target::Item(item) => self.whole(cx, item),
                    _ => None,
                },
            },
            ExprKind::Field(base, name) => {
                let ty = cx.krate.type_of(cx.at, cx.body, *base)?;
                let writes = cx.field_writes(peeled(&ty), name)?;
                writes.into_iter().try_for_each(|write| self.elsewhere(cx, write))
            }
            ExprKind::Call(callee, _) => {
                let ExprKind::Path(path) = &cx.body.expr(*callee).kind else { return None };
                match cx.krate.path(cx.at, &path.segments) {
                    Target::Item(item) => self.whole(cx, item),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn elsewhere(&mut self, cx: &Context<'_>, (at, id): Written) -> Option<()> {
        if at == cx.at { self.follow(cx, id) } else { self.follow(&*cx.inside(at)?, id) }
    }

    /// What a constant is, or a function gives.
    fn whole(&mut self, cx: &Context<'_>, item: ItemRef) -> Option<()> {
        let inner = cx.inside(item)?;
        for (_, expr) in inner.body.exprs() {
            if let ExprKind::Return(value) = expr.kind {
                self.follow(&inner, value?)?;
            }
        }
        self.follow(&inner, inner.body.root)
    }

    fn local(&mut self, cx: &Context<'_>, local: Local) -> Option<()> {
        for (_, expr) in cx.body.exprs() {
            if let ExprKind::Assign(place, value) = expr.kind
                && cx.body.local(place) == Some(local)
            {
                self.follow(cx, value)?;
            }
        }
        match cx.body.param(local) {
            // where nobody here calls it, others do
            Some(at) => cx.given(at)?.into_iter().try_for_each(|(caller, arg)| self.follow(&caller, arg)),
            None => self.follow(cx, cx.init(local)?),
        }
    }
}

/// Methods that give what they are called on, or a copy of it.
fn hands_out(name: &str) -> bool {
    matches!(name, "clone" | "to_owned" | "as_ref" | "as_mut" | "borrow" | "borrow_mut" | "into" | "unwrap")
}
