//! Which HTTP statuses a predicate that a driver is given sends round again: a closure over an error, a strategy over a reply.
//! It is asked about one status at a time and answers yes, no, or that nobody can tell.

use crate::body::{
    Arm, BinOp, ExprId, ExprKind, Lit, Local, MacroInput, MethodCall, PatId, PatKind, Stmt, UnOp,
};
use crate::detect::context::{Callee, Context};
use crate::detect::statuses::{is_permanent_4xx, status_of};
use crate::detect::summary::{listed_statuses, pattern_statuses};
use crate::knowledge::{Role, says};
use crate::resolve::ItemRef;

/// Expressions and calls inside each other.
const MOST_DEPTH: u32 = 24;
/// So many client errors that no retry mends make a test that lets them through; one odd status may be a service's word for "later".
const FEW: usize = 2;

/// Whether a predicate lets client errors (4xx) go round that no further attempt can change.
pub(super) fn retries_client_errors(
    cx: &Context<'_>,
    predicate: ExprId,
    method: Option<&str>,
) -> Option<bool> {
    let mut through = 0;
    let mut open = false;
    for code in (400..=499u16).filter(|code| is_permanent_4xx(*code)) {
        match asked_about(cx, predicate, method, code) {
            Some(true) => through += 1,
            Some(false) => {}
            None => open = true,
        }
        if through > FEW {
            return Some(true);
        }
    }
    (!open).then_some(false)
}

/// Whether a predicate says nothing but yes.
pub(super) fn is_always_true(cx: &Context<'_>, predicate: ExprId) -> bool {
    match &cx.body.expr(predicate).kind {
        ExprKind::Closure { body, .. } => matches!(cx.body.expr(*body).kind, ExprKind::Lit(Lit::Bool(true))),
        _ => false,
    }
}

fn asked_about(cx: &Context<'_>, predicate: ExprId, method: Option<&str>, code: u16) -> Option<bool> {
    let ask = Ask { cx, code, depth: MOST_DEPTH };
    if let Some(method) = method
        && let Some(ty) = cx.type_of(predicate)
        && let Some(item) = cx.krate.method(&ty, method)
    {
        return ask.function(item);
    }
    ask.called(predicate)
}

/// The question about one status in one body.
struct Ask<'c, 'a> {
    cx: &'c Context<'a>,
    code: u16,
    depth: u32,
}

impl Ask<'_, '_> {
    /// What a closure, or a function given by its name, says.
    fn called(&self, callable: ExprId) -> Option<bool> {
        match &self.cx.body.expr(callable).kind {
            ExprKind::Closure { body, .. } => self.says(*body),
            ExprKind::Ref(inner) => self.called(*inner),
            ExprKind::Path(path) => match self.cx.body.local(callable) {
                Some(local) => self.called(self.cx.init(local).filter(|init| *init != callable)?),
                None => match self.cx.by_path(path)? {
                    Callee::Own(item) => self.function(item),
                    Callee::Known(entry, _) => self.role(&entry.role),
                    _ => None,
                },
            },
            _ => None,
        }
    }

    fn function(&self, item: ItemRef) -> Option<bool> {
        let inner = self.cx.inside(item)?;
        let ask = Ask { cx: &inner, code: self.code, depth: self.depth.checked_sub(1)? };
        ask.says(inner.body.root)
    }

    fn deeper(&self) -> Option<Self> {
        Some(Self { cx: self.cx, code: self.code, depth: self.depth.checked_sub(1)? })
    }

    fn role(&self, role: &Role) -> Option<bool> {
        match role {
            Role::Predicate { statuses, .. } if !statuses.is_empty() => {
                Some(statuses.iter().any(|[from, to]| (*from..=*to).contains(&self.code)))
            }
            _ => None,
        }
    }

    /// Whether an expression says that it is tried again.
    fn says(&self, id: ExprId) -> Option<bool> {
        let ask = self.deeper()?;
        let body = ask.cx.body;
        match &body.expr(id).kind {
            ExprKind::Lit(Lit::Bool(flag)) => Some(*flag),
            ExprKind::Unary(UnOp::Not, inner) => ask.says(*inner).map(|it| !it),
            ExprKind::Unary(_, inner) | ExprKind::Ref(inner) | ExprKind::Await(inner) => ask.says(*inner),
            ExprKind::Return(Some(value)) => ask.says(*value),
            ExprKind::Binary(BinOp::And, left, right) => match (ask.says(*left), ask.says(*right)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), right) => right,
                (left, Some(true)) => left,
                _ => None,
            },
            ExprKind::Binary(BinOp::Or, left, right) => match (ask.says(*left), ask.says(*right)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), right) => right,
                (left, Some(false)) => left,
                _ => None,
            },
            ExprKind::Binary(op, left, right) => ask.compared(*op, *left, *right),
            ExprKind::Block(block) => ask.block(&block.stmts, block.tail),
            ExprKind::If { cond, then, otherwise } => {
                let way = |id: ExprId| ask.says(id);
                match (ask.says(*cond), otherwise) {
                    (Some(true), _) => way(*then),
                    (Some(false), Some(otherwise)) => way(*otherwise),
                    (None, Some(otherwise)) => way(*then).filter(|it| way(*otherwise) == Some(*it)),
                    _ => None,
                }
            }
            ExprKind::Let(pat, value) => ask.matches(*pat, *value),
            ExprKind::Match(value, arms) => ask.arms(*value, arms),
            ExprKind::Path(path) => match body.local(id) {
                Some(local) => ask.says(ask.cx.init(local).filter(|init| *init != id)?),
                None => ask.word(path.last()),
            },
            ExprKind::Call(_, args) => match (ask.cx.call_name(id), args.as_slice()) {
                ("Some" | "Ok", [inner]) => ask.says(*inner),
                ("None" | "Err", _) => Some(false),
                _ => match ask.cx.callee(id) {
                    Callee::Own(item) => ask.function(item),
                    _ => None,
                },
            },
            ExprKind::Method(call) => ask.method(id, call),
            ExprKind::Macro(call) => match &call.input {
                MacroInput::Matches { value, pat, guard: None } => ask.matches(*pat, *value),
                _ => None,
            },
            _ => None,
        }
    }

    /// A variant that says what to do: `Retryable::Transient`, `Retryable::Fatal`; `None` where nothing is the matter.
    fn word(&self, name: &str) -> Option<bool> {
        let words = self.cx.words();
        if name == "None" || says(&words.permanent, name) {
            return Some(false);
        }
        (says(&words.transient, name) || says(&words.retry, name)).then_some(true)
    }

    fn block(&self, stmts: &[Stmt], tail: Option<ExprId>) -> Option<bool> {
        for stmt in stmts {
            let Stmt::Expr(id) = stmt else { continue };
            match &self.cx.body.expr(*id).kind {
                // `if status == 403 { return false; }`
                ExprKind::If { cond, then, otherwise: None } if self.leaves(*then) => {
                    let asked = self.says(*cond)?;
                    if asked {
                        return self.says(*then);
                    }
                }
                ExprKind::Return(Some(value)) => return self.says(*value),
                _ if self
                    .cx
                    .body
                    .any(*id, |it| matches!(self.cx.body.expr(it).kind, ExprKind::Return(_))) =>
                {
                    return None;
                }
                _ => {}
            }
        }
        self.says(tail?)
    }

    fn leaves(&self, id: ExprId) -> bool {
        let is_return = |id: ExprId| matches!(self.cx.body.expr(id).kind, ExprKind::Return(_));
        match &self.cx.body.expr(id).kind {
            ExprKind::Block(block) => match (block.tail, block.stmts.last()) {
                (Some(tail), _) => is_return(tail),
                (None, Some(Stmt::Expr(last))) => is_return(*last),
                _ => false,
            },
            _ => is_return(id),
        }
    }

    fn compared(&self, op: BinOp, left: ExprId, right: ExprId) -> Option<bool> {
        let (other, turned) = match (self.is_status(left), self.is_status(right)) {
            (true, _) => (right, false),
            (_, true) => (left, true),
            _ => return None,
        };
        // `err.status() == Some(StatusCode::NOT_FOUND)`
        let other = match &self.cx.body.expr(other).kind {
            ExprKind::Call(_, args) if self.cx.call_name(other) == "Some" => *args.first()?,
            _ => other,
        };
        let code = status_of(self.cx, other)?;
        let (one, two) = if turned { (code, self.code) } else { (self.code, code) };
        Some(match op {
            BinOp::Eq => one == two,
            BinOp::Ne => one != two,
            BinOp::Lt => one < two,
            BinOp::Le => one <= two,
            BinOp::Gt => one > two,
            BinOp::Ge => one >= two,
            _ => return None,
        })
    }

    /// Whether an expression is the status that is asked about.
    fn is_status(&self, id: ExprId) -> bool {
        let body = self.cx.body;
        match &body.expr(id).kind {
            ExprKind::Ref(inner) | ExprKind::Unary(UnOp::Deref, inner) | ExprKind::Try(inner) => {
                self.is_status(*inner)
            }
            ExprKind::Method(call) => {
                matches!(self.cx.role(id), Some(Role::Status))
                    || matches!(call.name.as_str(), "as_u16" | "unwrap" | "clone" | "code")
                        && self.is_status(call.receiver)
            }
            ExprKind::Path(path) => match body.local(id) {
                Some(local) => self.is_status_local(id, local, path.last()),
                None => false,
            },
            _ => false,
        }
    }

    fn is_status_local(&self, id: ExprId, local: Local, name: &str) -> bool {
        match self.cx.init(local) {
            Some(init) => self.is_status(init),
            None => {
                name.starts_with("status") || self.cx.type_of(id).is_some_and(|ty| ty.name() == "StatusCode")
            }
        }
    }

    fn matches(&self, pat: PatId, value: ExprId) -> Option<bool> {
        if self.is_status(value) {
            return self.accepts(pat);
        }
        // a reply came, and it has the status
        match &self.cx.body.pat(pat).kind {
            PatKind::TupleStruct(path, _) if path.last() == "Ok" => Some(true),
            PatKind::TupleStruct(path, _) if path.last() == "Err" => Some(false),
            _ => None,
        }
    }

    fn accepts(&self, pat: PatId) -> Option<bool> {
        match &self.cx.body.pat(pat).kind {
            PatKind::Wild | PatKind::Bind { sub: None, .. } => return Some(true),
            PatKind::Path(path) if path.last() == "None" => return Some(false),
            PatKind::TupleStruct(path, subs) if path.last() == "Some" => {
                let [sub] = subs.as_slice() else { return None };
                return self.accepts(*sub);
            }
            _ => {}
        }
        let codes = pattern_statuses(self.cx, pat)?;
        Some(codes.iter().any(|(from, to)| (*from..=*to).contains(&self.code)))
    }

    fn arms(&self, value: ExprId, arms: &[Arm]) -> Option<bool> {
        for arm in arms {
            let fits = match (&self.cx.body.pat(arm.pat).kind, self.is_status(value)) {
                (PatKind::Wild | PatKind::Bind { sub: None, .. }, _) => Some(true),
                _ => self.matches(arm.pat, value),
            };
            let holds = match (fits?, arm.guard) {
                (false, _) => false,
                (true, None) => true,
                (true, Some(guard)) => self.says(guard)?,
            };
            if holds {
                return self.says(arm.body);
            }
        }
        None
    }

    fn method(&self, id: ExprId, call: &MethodCall) -> Option<bool> {
        let name = call.name.as_str();
        match (name, call.args.as_slice()) {
            ("is_none", []) if self.is_status(call.receiver) => return Some(false),
            ("is_some", []) if self.is_status(call.receiver) => return Some(true),
            ("map_or" | "map_or_else", [_, made]) if self.is_status(call.receiver) => {
                return self.called(*made);
            }
            ("is_some_and" | "is_none_or" | "map", [made]) if self.is_status(call.receiver) => {
                return self.called(*made);
            }
            ("unwrap_or" | "unwrap_or_default" | "unwrap_or_else" | "into", _) => {
                return self.says(call.receiver);
            }
            ("contains", [given]) if self.is_status(*given) => {
                let codes = listed_statuses(self.cx, call.receiver)?;
                return Some(codes.iter().any(|(from, to)| (*from..=*to).contains(&self.code)));
            }
            _ => {}
        }
        match self.cx.callee(id) {
            Callee::Known(entry, _) => self.role(&entry.role),
            Callee::Own(item) => self.function(item),
            _ => None,
        }
    }
}
