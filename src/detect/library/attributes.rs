//! Attributes that have the function that they stand on retried: the attribute is the policy, the function's body what is tried again.
//! An argument that the table does not know leaves everything unknown that it could change.

use super::Draft;
use super::drivers::{args_of, name_crate, operation_of};
use super::full_paths;
use super::marked::errors_of;
use super::origin::{Followed, origin};
use super::scope::Scope;
use crate::body::{BinOp, Block, ExprId, ExprKind};
use crate::detect::context::Context;
use crate::detect::sites;
use crate::knowledge::{Library, Policy, Sets};
use crate::model::{BoundKind, Fact, Growth, Kind, Site};

/// An attribute that a table knows.
struct Attribute<'a> {
    /// The attribute as a body of its own.
    cx: Context<'a>,
    library: &'a Library,
    policy: &'a Policy,
}

/// The function at hand, where an attribute of it has it retried.
pub(super) fn of_function(cx: &Context<'_>) -> Vec<Site> {
    known(cx).iter().filter_map(|attribute| site_of(cx, attribute)).collect()
}

/// The policies that attributes of the function at hand are given from elsewhere, and whether its body is known to be remote.
pub(super) fn runs<'a>(cx: &Context<'a>) -> Vec<(Followed<'a>, Site)> {
    let mut found = Vec::new();
    for attribute in known(cx) {
        let Some(site) = site_of(cx, &attribute) else { continue };
        let given = attribute.given();
        found.extend(given.into_iter().map(|policy| (policy, site.clone())));
    }
    found
}

fn known<'a>(cx: &Context<'a>) -> Vec<Attribute<'a>> {
    let tables = &cx.knowledge.libraries;
    let attributes = cx.krate.attributes(cx.at).iter();
    attributes
        .filter_map(|body| {
            let ExprKind::Macro(call) = &body.expr(body.root).kind else { return None };
            let (library, policy) =
                full_paths(cx, &call.path.segments).iter().find_map(|full| tables.retried_by(full))?;
            Some(Attribute { cx: cx.beside(body)?, library, policy })
        })
        .collect()
}

fn site_of(cx: &Context<'_>, attribute: &Attribute<'_>) -> Option<Site> {
    let at = attribute.cx.body.root;
    let operation = if attribute.policy.inline { what_comes_out(cx)? } else { cx.body.root };
    let mut site = sites::begin(&attribute.cx, at, Kind::Library)?;
    site.why.push(attribute.cx.evidence(at, "has this function retried"));
    name_crate(&attribute.cx, attribute.library, at, &mut site);
    operation_of(cx, Some(operation), false, &mut site);
    if attribute.policy.remote {
        site.operation.remote =
            Fact::Known(true, attribute.cx.evidence(at, "what it is for crosses a network"));
    }
    let draft = attribute.draft();
    draft.fill(&mut site);
    // what the policy says for itself is told where it is made
    if !attribute.given().is_empty() {
        site.delay.made_elsewhere = Fact::known(true);
        if site.attempts.kind.is(&BoundKind::Unbounded) {
            site.attempts.kind = Fact::Unknown;
        }
    }
    if let Some(retried) = draft.errors {
        site.errors = errors_of(cx, attribute.library, retried, Some(operation), operation);
    }
    if site.delay.growth.is(&Growth::None) {
        let waits = crate::detect::immediate::waits_in(cx, operation);
        site.operation.waits = if waits { Fact::Unknown } else { Fact::known(false) };
    }
    Some(site)
}

/// What a body gives at its end, where that may be a failure.
fn what_comes_out(cx: &Context<'_>) -> Option<ExprId> {
    let ExprKind::Block(Block { tail, .. }) = &cx.body.expr(cx.body.root).kind else { return None };
    let tail = (*tail)?;
    let succeeds = matches!(cx.body.expr(tail).kind, ExprKind::Call(..)) && cx.call_name(tail) == "Ok";
    (!succeeds).then_some(tail)
}

impl<'a> Attribute<'a> {
    /// What the attribute's arguments make of its policy.
    fn draft(&self) -> Draft {
        let (cx, root) = (&self.cx, self.cx.body.root);
        let scope = Scope::of(cx);
        let mut draft = Draft::new(&scope, self.library, self.policy, root);
        let mut keys = Vec::new();
        for arg in args_of(cx, root) {
            if let ExprKind::Assign(name, value) = &cx.body.expr(*arg).kind {
                keys_in(cx, &cx.base_text(*name), *value, &mut keys);
            }
        }
        // what takes another policy's place goes before what changes it
        keys.sort_by_key(|(key, ..)| {
            !self.library.key(key).is_some_and(|it| it.sets.contains(&Sets::Policy))
        });
        for (key, at, values) in keys {
            if let Some(setter) = self.library.key(&key) {
                draft.set(&scope, setter, at, &values, false);
            } else {
                draft.forget_delay();
                draft.leave_attempts_open();
            }
        }
        draft
    }

    /// The policies that it is given, followed to what builds them.
    fn given(&self) -> Vec<Followed<'a>> {
        let (cx, root) = (&self.cx, self.cx.body.root);
        let by_place = self.policy.args.iter().zip(args_of(cx, root));
        let by_place = by_place.filter(|(sets, _)| **sets == Sets::Policy).map(|(_, arg)| *arg);
        let named = args_of(cx, root).iter().filter_map(|arg| match &cx.body.expr(*arg).kind {
            ExprKind::Assign(name, value) => {
                let setter = self.library.key(&cx.base_text(*name))?;
                (setter.sets.first() == Some(&Sets::Policy)).then_some(*value)
            }
            _ => None,
        });
        by_place.chain(named).filter_map(|arg| origin(cx, arg)).collect()
    }
}

/// A key of an attribute, where it stands, and what it is given.
type Told = (String, ExprId, Vec<ExprId>);

/// What an argument says, key by key: `stop = (attempts(4) | duration(60))` says `stop.attempts` and `stop.duration`, and
/// `wait = random(max = 2)` says `wait.random` and `wait.random.max`.
fn keys_in(cx: &Context<'_>, key: &str, value: ExprId, keys: &mut Vec<Told>) {
    match &cx.body.expr(value).kind {
        ExprKind::Binary(BinOp::BitOr, one, other) => {
            keys_in(cx, key, *one, keys);
            keys_in(cx, key, *other, keys);
        }
        ExprKind::Call(callee, args) if matches!(&cx.body.expr(*callee).kind, ExprKind::Path(path) if path.single().is_some()) =>
        {
            let key = format!("{key}.{}", cx.call_name(value));
            let is_named = |arg: &&ExprId| matches!(cx.body.expr(**arg).kind, ExprKind::Assign(..));
            keys.push((key.clone(), value, args.iter().filter(|arg| !is_named(arg)).copied().collect()));
            for arg in args.iter().filter(is_named) {
                if let ExprKind::Assign(name, value) = &cx.body.expr(*arg).kind {
                    keys.push((format!("{key}.{}", cx.base_text(*name)), *arg, vec![*value]));
                }
            }
        }
        _ => keys.push((key.to_owned(), value, vec![value])),
    }
}
