//! What a function of the crate decides by when it is asked whether to go on: a count that it keeps, a clock, a stop signal, or what it is given.
//! A policy object's method is asked the same question as a condition that is written in the loop.

use super::context::{Callee, Context};
use super::summary::summary;
use crate::body::{BinOp, ExprId, ExprKind};
use crate::knowledge::{Role, says};
use crate::resolve::ItemRef;
use std::collections::BTreeSet;

/// What a function decides by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decides {
    /// It keeps a count in a field, and tests it.
    Counts,
    /// It tests something named after attempts that it does not count itself.
    Unseen,
    Clock,
    Cancel,
    /// What it is given and what never changes.
    Given,
    /// State that others may change.
    State,
}

/// What a function of the crate decides by; those that it calls on its own parts are read with it.
pub(super) fn decides(cx: &Context<'_>, item: ItemRef) -> Decides {
    let Some(inner) = cx.inside(item) else { return Decides::Unseen };
    let mut found = Found::default();
    found.read(&inner, 2);
    let called = summary(cx, item);
    // what talks to somebody numbers its messages too
    let talks = called.is_async || called.remote == Some(true);
    let counts = |field: &String| says(&cx.words().attempts, field) || !talks;
    if found.stepped.intersection(&found.compared).any(counts) {
        return Decides::Counts;
    }
    found.answer()
}

#[derive(Default)]
#[allow(clippy::struct_excessive_bools)]
struct Found {
    stepped: BTreeSet<String>,
    compared: BTreeSet<String>,
    named: bool,
    /// Whether it holds a loop: what it counts by name is a retry of its own.
    loops: bool,
    clock: bool,
    cancel: bool,
    state: bool,
}

impl Found {
    fn answer(&self) -> Decides {
        if self.named && !self.loops {
            return Decides::Unseen;
        }
        if self.clock {
            return Decides::Clock;
        }
        if self.cancel {
            return Decides::Cancel;
        }
        if self.state { Decides::State } else { Decides::Given }
    }

    fn read(&mut self, cx: &Context<'_>, left: u32) {
        let words = cx.words();
        cx.body.walk(cx.body.root, &mut |id| {
            match &cx.body.expr(id).kind {
                ExprKind::Loop { .. } | ExprKind::While { .. } | ExprKind::For { .. } => self.loops = true,
                ExprKind::AssignOp(_, place, _) => self.step(cx, *place),
                ExprKind::Assign(place, value) => {
                    if let Some(name) = field(cx, *place)
                        && cx.body.any(*value, |part| field(cx, part) == Some(name))
                    {
                        self.stepped.insert(name.to_owned());
                    }
                }
                ExprKind::Binary(
                    BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge | BinOp::Eq | BinOp::Ne,
                    left,
                    right,
                ) => {
                    for side in [*left, *right] {
                        self.compare(cx, side);
                    }
                }
                ExprKind::Field(_, name) => self.state |= !says(&words.cancel, name),
                ExprKind::Call(..) | ExprKind::Method(_) => self.call(cx, id, left),
                _ => {}
            }
            true
        });
    }

    fn call(&mut self, cx: &Context<'_>, id: ExprId, left: u32) {
        let words = cx.words();
        if let ExprKind::Method(call) = &cx.body.expr(id).kind {
            match call.name.as_str() {
                "fetch_add" | "fetch_sub" => {
                    self.step(cx, call.receiver);
                }
                "checked_sub" => {
                    self.compared.extend(field(cx, call.receiver).map(str::to_owned));
                }
                _ => {}
            }
            self.cancel |= says(&words.cancel, &cx.base_text(call.receiver));
        }
        // it hands its count to a policy of its own
        if says(&words.retry, cx.call_name(id)) || says(&words.delay, cx.call_name(id)) {
            self.compared.extend(cx.args(id).iter().filter_map(|arg| field(cx, *arg)).map(str::to_owned));
        }
        match cx.callee(id) {
            Callee::Known(entry, _) => match entry.role {
                Role::Clock { .. } => self.clock = true,
                Role::Cancel => self.cancel = true,
                _ => {}
            },
            Callee::Own(item) if left > 0 && item != cx.at && is_of_self(cx, id) => {
                if let Some(inner) = cx.inside(item) {
                    self.read(&inner, left - 1);
                }
            }
            _ => {}
        }
    }

    fn step(&mut self, cx: &Context<'_>, place: ExprId) {
        self.stepped.extend(field(cx, place).map(str::to_owned));
    }

    fn compare(&mut self, cx: &Context<'_>, side: ExprId) {
        let words = cx.words();
        cx.body.walk(side, &mut |id| {
            match &cx.body.expr(id).kind {
                ExprKind::Field(_, name) => {
                    self.compared.insert(name.clone());
                    self.named |= says(&words.attempts, name);
                }
                ExprKind::Path(path) => {
                    self.named |= path.single().is_some_and(|name| says(&words.attempts, name));
                }
                _ => {}
            }
            true
        });
    }
}

/// The field that a place is, behind a `*` or `&`.
fn field<'a>(cx: &Context<'a>, place: ExprId) -> Option<&'a str> {
    match &cx.body.expr(place).kind {
        ExprKind::Field(_, name) => Some(name),
        ExprKind::Ref(inner) | ExprKind::Unary(_, inner) => field(cx, *inner),
        _ => None,
    }
}

/// Whether a method is called on `self` or a part of it.
fn is_of_self(cx: &Context<'_>, call: ExprId) -> bool {
    let ExprKind::Method(method) = &cx.body.expr(call).kind else { return false };
    let mut at = method.receiver;
    for _ in 0..8 {
        match &cx.body.expr(at).kind {
            ExprKind::Field(inner, _) | ExprKind::Ref(inner) | ExprKind::Unary(_, inner) => at = *inner,
            ExprKind::Path(path) => return path.single() == Some("self"),
            _ => return false,
        }
    }
    false
}
