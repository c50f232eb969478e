//! Whether what a policy is given to stays on this machine, although what the crate is for crosses a network: told by what its chain begins with.
//! Where the chain begins elsewhere, nothing is said.

use super::drivers::args_of;
use crate::body::{ExprId, ExprKind};
use crate::detect::context::Context;
use crate::resolve::Target;

/// Links of a chain that are followed to its beginning.
const MOST_LINKS: u32 = 64;

/// What keeps what a policy is handed to on this machine: `Operator::new(Fs::default())?.layer(policy)`, by types and variants of a table.
pub(super) fn stays_with(cx: &Context<'_>, types: &[String], policy: ExprId) -> Option<ExprId> {
    if types.is_empty() {
        return None;
    }
    let made = cx.body.expr(policy).span;
    let mut at = cx.around(policy).find_map(|id| match &cx.body.expr(id).kind {
        ExprKind::Method(call) if call.args.iter().any(|arg| cx.body.expr(*arg).span.contains(made)) => {
            Some(call.receiver)
        }
        _ => None,
    })?;
    for _ in 0..MOST_LINKS {
        let path = match &cx.body.expr(at).kind {
            ExprKind::Method(call) => {
                at = call.receiver;
                continue;
            }
            ExprKind::Try(inner) | ExprKind::Await(inner) | ExprKind::Ref(inner) => {
                at = *inner;
                continue;
            }
            ExprKind::Path(path) => path,
            ExprKind::Call(callee, _) => match &cx.body.expr(*callee).kind {
                ExprKind::Path(path) => path,
                _ => return None,
            },
            _ => return None,
        };
        if let Some(local) = cx.body.local(at) {
            at = cx.init(local)?;
            continue;
        }
        if let Target::External(full) = cx.krate.path(cx.at, &path.segments) {
            let full = full.join("::");
            let is = |ty: &String| {
                full.strip_prefix(ty.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
            };
            if types.iter().any(is) {
                return Some(at);
            }
        }
        at = *args_of(cx, at).first()?;
    }
    None
}
