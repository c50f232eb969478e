//! Variables, fields and elements: what a path knows of a place, and what an assignment changes.
//! Of places that nothing follows no value is kept; a replay's variables are only noted in the trace.

use super::state::{Event, State, Tag, Val};
use super::{Paths, Walker, next, then};
use crate::body::{ExprId, ExprKind, Local, PatId, Path, UnOp};
use crate::resolve::Target;

impl Walker<'_, '_> {
    /// `hosts[at]`, where the index is one of many or stepped: the loop's own item.
    pub(super) fn indexed_by(&self, index: ExprId, at: &Val) -> Val {
        if let Val::Payload(op, _) = at
            && self.gives_items(*op)
            && let Some((_, looped, _)) = self.scopes.iter().rev().find(|(_, _, is_loop)| *is_loop)
        {
            return Val::Item(*looped);
        }
        self.stepped_index(index)
    }

    /// `hosts[at]` of an index that the loop around steps: the loop's own item.
    fn stepped_index(&self, index: ExprId) -> Val {
        let Some((_, looped, _)) = self.scopes.iter().rev().find(|(_, _, is_loop)| *is_loop) else {
            return Val::Unknown;
        };
        let mut locals = Vec::new();
        self.body().walk(index, &mut |id| {
            locals.extend(self.body().local(id));
            true
        });
        let stepped = self.body().any(*looped, |id| match &self.body().expr(id).kind {
            ExprKind::AssignOp(_, left, _) | ExprKind::Assign(left, _) => {
                self.body().local(*left).is_some_and(|local| locals.contains(&local))
            }
            ExprKind::For { pat, .. } => {
                self.body().names_in_pat(*pat).iter().any(|(_, local)| locals.contains(local))
            }
            _ => false,
        });
        if stepped { Val::Item(*looped) } else { Val::Unknown }
    }

    /// A binding that a replay of the path will need.
    pub(super) fn record_names(&self, value: ExprId, pat: PatId, s: &mut State) {
        if self.body().names_in_pat(pat).iter().any(|(_, local)| self.relevant.contains(local)) {
            s.note(Event::Bind(pat, value));
        }
    }

    pub(super) fn is_relevant(&self, place: ExprId) -> bool {
        if let Some(local) = self.body().local(place) {
            return self.relevant.contains(&local);
        }
        match &self.body().expr(place).kind {
            ExprKind::Tuple(places) => places.iter().any(|place| self.is_relevant(*place)),
            ExprKind::Unary(UnOp::Deref, inner) => self.is_relevant(*inner),
            _ => self.cx.field_path(place).is_some(),
        }
    }

    pub(super) fn assign(&self, id: ExprId, left: ExprId, val: Val, mut s: State) -> State {
        // a timer that is kept is waited for where it is awaited or polled, and changes no number here
        if self.is_relevant(left) && !holds_timer(&val) {
            s.trace.push(Event::Assign(id));
        }
        match &self.body().expr(left).kind {
            ExprKind::Tuple(places) => {
                for (at, place) in places.iter().enumerate() {
                    let part = match &val {
                        Val::Tuple(parts) => parts.get(at).cloned().unwrap_or(Val::Unknown),
                        _ => Val::Unknown,
                    };
                    if let Some(local) = self.body().local(*place) {
                        s.set(local, part);
                    }
                }
            }
            _ => {
                if let Some(local) = self.body().local(left) {
                    if self.is_made_of_itself(id, local) {
                        s.has_moved(local);
                    }
                    s.set(local, val);
                } else {
                    self.body().walk(left, &mut |id| {
                        if let Some(local) = self.body().local(id) {
                            s.fill(local);
                        }
                        true
                    });
                    if let Some(path) = self.cx.field_path(left) {
                        s.set_field(&path, val);
                    }
                }
            }
        }
        s
    }

    /// `size = size / 2`, `body = shorten(body)`: neither a copy of what it was nor what somebody else gave.
    fn is_made_of_itself(&self, id: ExprId, local: Local) -> bool {
        let body = self.body();
        let ExprKind::Assign(_, value) = body.expr(id).kind else { return false };
        // `level.unwrap_or(kept)` may be what it was
        let made = matches!(&body.expr(value).kind, ExprKind::Binary(..) | ExprKind::Call(..));
        made && body.any(value, |inner| body.local(inner) == Some(local))
    }

    pub(super) fn path_value(&mut self, id: ExprId, path: &Path, s: &mut State) -> Val {
        if let Some(local) = self.body().local(id) {
            return s.get(local);
        }
        if let Some(name) = path.single()
            && self.body().fragments.iter().any(|it| it == name)
        {
            s.called(id);
            self.found.operands.insert(id);
            return Val::Outcome(id);
        }
        if path.segments.is_empty() {
            return Val::Unknown;
        }
        let last = path.last();
        if last == "None" {
            return Val::Built(Tag::None, Box::new(Val::Unknown));
        }
        let upper = last.starts_with(char::is_uppercase) && last.chars().any(char::is_lowercase);
        if upper
            && (path.segments.len() > 1
                || matches!(self.cx.krate.path(self.cx.at, &path.segments), Target::Variant(..)))
        {
            return Val::Built(self.variant_tag(path), Box::new(Val::Unknown));
        }
        Val::Unknown
    }

    pub(super) fn field(&mut self, id: ExprId, base: ExprId, name: &str, s: State) -> Paths {
        let path = self.cx.field_path(id);
        let paths = self.eval(base, s);
        let index: Option<usize> = name.parse().ok();
        then(paths, |state, val| {
            let val = match val {
                Val::Tuple(parts) => index.and_then(|at| parts.get(at).cloned()).unwrap_or(Val::Unknown),
                Val::Payload(op, _) | Val::Outcome(op) | Val::Derived(op, _)
                    if name == "status" || name == "status_code" =>
                {
                    Val::Status(op)
                }
                val @ (Val::Payload(..) | Val::Item(_) | Val::Hint(_) | Val::Derived(..)) => val,
                _ => path.as_deref().map_or(Val::Unknown, |path| state.field(path)),
            };
            next(state, val)
        })
    }
}

fn holds_timer(val: &Val) -> bool {
    match val {
        Val::Timer(_) => true,
        Val::Built(_, inner) => holds_timer(inner),
        _ => false,
    }
}
