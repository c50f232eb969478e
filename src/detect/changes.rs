//! What a loop changes: the locals and fields that it steps or sets, what it lends out, and what each local in it was bound to.
//! It follows no paths; which trip makes which change is asked of the trip's events.

use super::context::{Callee, Context};
use super::summary::summary;
use crate::body::{ExprId, ExprKind, Lit, Local, Receiver, Stmt, UnOp};
use std::collections::{BTreeMap, BTreeSet};

/// What a loop changes.
#[derive(Default)]
pub(super) struct Changed {
    stepped: BTreeSet<Local>,
    /// Of these, references: what is counted is kept elsewhere.
    stepped_behind: BTreeSet<Local>,
    stepped_fields: BTreeSet<String>,
    flags: BTreeSet<Local>,
    field_flags: BTreeSet<String>,
    /// Passed on by reference, and declared `mut`.
    lent: BTreeSet<Local>,
    /// Variables and fields on which methods are called that may change what they hold.
    shaken: BTreeSet<String>,
    sources: BTreeMap<Local, ExprId>,
}

/// Reads what a loop changes.
pub(super) fn changed_in(cx: &Context<'_>, id: ExprId) -> Changed {
    let mut changed = Changed::default();
    cx.body.walk(id, &mut |inner| {
        changed.note(cx, inner);
        true
    });
    changed
}

impl Changed {
    /// Whether the loop moves a local on: adds to it, takes from it, computes it anew.
    pub(super) fn steps(&self, local: Local) -> bool {
        self.stepped.contains(&local)
    }

    /// Whether the loop moves on what a local refers to: `*left -= 1`.
    pub(super) fn steps_behind(&self, local: Local) -> bool {
        self.stepped_behind.contains(&local)
    }

    pub(super) fn steps_field(&self, path: &str) -> bool {
        self.stepped_fields.contains(path)
    }

    pub(super) fn is_flag(&self, local: Local) -> bool {
        self.flags.contains(&local)
    }

    pub(super) fn is_field_flag(&self, path: &str) -> bool {
        self.field_flags.contains(path)
    }

    pub(super) fn is_lent(&self, local: Local) -> bool {
        self.lent.contains(&local)
    }

    /// Whether a call in the loop may change a field.
    pub(super) fn may_change(&self, path: &str) -> bool {
        let within = |outer: &String| {
            path.strip_prefix(outer.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.shaken.iter().any(within)
    }

    /// The value that a local of the loop's body is bound to, or to a part of.
    pub(super) fn source(&self, local: Local) -> Option<ExprId> {
        self.sources.get(&local).copied()
    }

    fn note(&mut self, cx: &Context<'_>, id: ExprId) {
        let bind = |sources: &mut BTreeMap<Local, ExprId>, pat, value: ExprId| {
            for (_, local) in cx.body.names_in_pat(pat) {
                sources.insert(local, value);
            }
        };
        match &cx.body.expr(id).kind {
            ExprKind::AssignOp(_, left, _) => self.step(cx, *left),
            ExprKind::Assign(left, right) => self.assign(cx, *left, *right),
            ExprKind::Method(call) => {
                if matches!(
                    call.name.as_str(),
                    "fetch_add" | "fetch_sub" | "add_assign" | "sub_assign" | "push" | "push_back" | "insert"
                ) {
                    self.step(cx, call.receiver);
                }
                self.shake(cx, id, call.receiver);
                call.args.iter().for_each(|arg| self.lend(cx, *arg));
            }
            ExprKind::Call(_, args) => args.iter().for_each(|arg| self.lend(cx, *arg)),
            ExprKind::Block(block) => {
                for stmt in &block.stmts {
                    if let Stmt::Let { pat, init: Some(init), .. } = stmt {
                        bind(&mut self.sources, *pat, *init);
                    }
                }
            }
            ExprKind::Match(value, arms) => {
                for arm in arms {
                    bind(&mut self.sources, arm.pat, *value);
                }
            }
            ExprKind::Let(pat, value) => bind(&mut self.sources, *pat, *value),
            ExprKind::For { pat, iter, .. } => bind(&mut self.sources, *pat, *iter),
            _ => {}
        }
    }

    fn assign(&mut self, cx: &Context<'_>, left: ExprId, right: ExprId) {
        if let ExprKind::Tuple(places) = &cx.body.expr(left).kind {
            for place in places {
                self.flag(cx, *place);
            }
            return;
        }
        let mut value = right;
        while let ExprKind::Try(inner)
        | ExprKind::Await(inner)
        | ExprKind::Cast(inner, _)
        | ExprKind::Ref(inner) = &cx.body.expr(value).kind
        {
            value = *inner;
        }
        match &cx.body.expr(value).kind {
            ExprKind::Binary(..) | ExprKind::Method(_) | ExprKind::Call(..) | ExprKind::Path(_) => {
                self.step(cx, left);
            }
            ExprKind::Lit(Lit::Bool(_)) => self.flag(cx, left),
            _ => {}
        }
    }

    fn step(&mut self, cx: &Context<'_>, place: ExprId) {
        let refers = matches!(cx.body.expr(place).kind, ExprKind::Unary(UnOp::Deref, _));
        let place = behind(cx, place);
        if let Some(local) = cx.body.local(place) {
            self.stepped.insert(local);
            if refers {
                self.stepped_behind.insert(local);
            }
        } else if let Some(path) = cx.field_path(place) {
            self.stepped_fields.insert(path);
        }
    }

    fn flag(&mut self, cx: &Context<'_>, place: ExprId) {
        let place = behind(cx, place);
        if let Some(local) = cx.body.local(place) {
            self.flags.insert(local);
        } else if let Some(path) = cx.field_path(place) {
            self.field_flags.insert(path);
        }
    }

    fn lend(&mut self, cx: &Context<'_>, arg: ExprId) {
        let ExprKind::Ref(inner) = &cx.body.expr(arg).kind else { return };
        if let Some(local) = cx.body.local(*inner)
            && matches!(cx.body.pat(local).kind, crate::body::PatKind::Bind { mutable: true, .. })
        {
            self.lent.insert(local);
        }
        self.shake_place(cx, *inner);
    }

    /// A method with `&self` changes no plain field; of one that nobody can look into nobody knows.
    fn shake(&mut self, cx: &Context<'_>, call: ExprId, receiver: ExprId) {
        let changes = match cx.callee(call) {
            Callee::Own(item) => summary(cx, item).mutates,
            Callee::Known(..) => false,
            _ => true,
        };
        if changes {
            self.shake_place(cx, receiver);
        }
    }

    fn shake_place(&mut self, cx: &Context<'_>, place: ExprId) {
        let name = match &cx.body.expr(behind(cx, place)).kind {
            ExprKind::Path(path) => path.single().map(str::to_owned),
            _ => cx.field_path(place),
        };
        self.shaken.extend(name.filter(|name| cx.body.receiver != Some(Receiver::Ref) || !is_of_self(name)));
    }
}

fn behind(cx: &Context<'_>, place: ExprId) -> ExprId {
    match &cx.body.expr(place).kind {
        ExprKind::Unary(UnOp::Deref, inner) | ExprKind::Ref(inner) => *inner,
        _ => place,
    }
}

fn is_of_self(path: &str) -> bool {
    path == "self" || path.starts_with("self.")
}
