//! What each call means: the vocabulary's entry for it, a function of the crate, or nothing that we can see.
//! Resolved paths and types first; a name alone answers last, and says so.

use super::context::Context;
use super::summary::is_named_sleep;
use crate::body::{ExprId, ExprKind, Local, Path};
use crate::knowledge::{Entry, Role, Unit, is_one_of, says};
use crate::resolve::{ItemRef, Target};
use std::sync::LazyLock;

/// What a call or macro call means.
#[derive(Clone, Debug)]
pub(crate) enum Callee<'a> {
    /// The vocabulary knows it; false: by its name alone.
    Known(&'a Entry, bool),
    /// A function or method of this crate.
    Own(ItemRef),
    /// A closure bound to a local variable of this body.
    Closure(ExprId),
    /// A parameter that is called.
    Operand(Local),
    /// A function or method of another crate, by full path where it is a function.
    Foreign(Vec<String>),
    /// Nothing that we can see.
    Unknown,
}

/// A wait for as long as the first argument says, or until somebody signals.
static PAUSE: LazyLock<Entry> = LazyLock::new(|| Entry {
    paths: Vec::new(),
    methods: Vec::new(),
    on: Vec::new(),
    macros: Vec::new(),
    certain: true,
    args: None,
    role: Role::Wait { arg: Some(0), unit: Unit::Duration, blocking: false, event: true },
});

impl Callee<'_> {
    /// The role that the vocabulary gives it.
    pub(crate) fn role(&self) -> Option<&Role> {
        match self {
            Self::Known(entry, _) => Some(&entry.role),
            _ => None,
        }
    }
}

impl<'a> Context<'a> {
    /// What a call, method call, macro call or path-to-a-macro-operand means.
    pub(crate) fn callee(&self, id: ExprId) -> Callee<'a> {
        if let Some(known) = self.callees.borrow().get(&id) {
            return known.clone();
        }
        let found = self.find_callee(id);
        self.callees.borrow_mut().insert(id, found.clone());
        found
    }

    /// The role that the vocabulary gives a call.
    pub(crate) fn role(&self, id: ExprId) -> Option<&'a Role> {
        match self.callee(id) {
            Callee::Known(entry, _) => Some(&entry.role),
            _ => None,
        }
    }

    fn find_callee(&self, id: ExprId) -> Callee<'a> {
        match &self.body.expr(id).kind {
            ExprKind::Call(callee, args) => {
                let found = self.function(*callee, args.len());
                self.pause(args, &found).unwrap_or(found)
            }
            ExprKind::Method(call) => match self.method(call.receiver, &call.name, call.args.len()) {
                // `upload.abort().await`: whoever is told to stop a task does not wait for it to answer
                Callee::Known(entry, _) if entry.role == Role::Pure && self.is_order(id, &call.name) => {
                    Callee::Unknown
                }
                found => found,
            },
            ExprKind::Macro(call) => match self.knowledge.macro_call(&call.path.segments) {
                Some(entry) => Callee::Known(entry, true),
                None => match self.krate.path(self.at, &call.path.segments) {
                    Target::Item(item) => Callee::Own(item),
                    Target::External(path) => Callee::Foreign(path),
                    _ => Callee::Unknown,
                },
            },
            _ => Callee::Unknown,
        }
    }

    fn is_order(&self, id: ExprId, name: &str) -> bool {
        let awaited = self.parent(id).is_some_and(|at| matches!(self.body.expr(at).kind, ExprKind::Await(_)));
        awaited && is_one_of(&self.words().orders, name)
    }

    fn function(&self, callee: ExprId, args: usize) -> Callee<'a> {
        if let Some(local) = self.body.local(callee) {
            return match self.init(local).map(|init| (init, &self.body.expr(init).kind)) {
                Some((init, ExprKind::Closure { .. })) => Callee::Closure(init),
                Some((init, ExprKind::Path(path))) => self.by_path(path).unwrap_or(Callee::Closure(init)),
                _ => self.sleeper(&self.base_text(callee), args).unwrap_or(Callee::Operand(local)),
            };
        }
        match &self.body.expr(callee).kind {
            // `$sleep(delay)` in a macro's arm
            ExprKind::Path(path)
                if path.single().is_some_and(|name| self.body.fragments.iter().any(|it| it == name)) =>
            {
                self.sleeper(path.last().trim_start_matches('_'), args).unwrap_or(Callee::Unknown)
            }
            ExprKind::Path(path) => {
                self.method_by_path(path, args).or_else(|| self.by_path(path)).unwrap_or(Callee::Unknown)
            }
            // `(self.op)()`: a field that is called, or what a call gave
            _ => Callee::Unknown,
        }
    }

    /// `TcpListener::accept(self)`: a method that is called by its path, where no function of that path is listed.
    fn method_by_path(&self, path: &Path, args: usize) -> Option<Callee<'a>> {
        let args = args.checked_sub(1).filter(|_| path.segments.len() > 1)?;
        let Target::External(full) = self.krate.path(self.at, &path.segments) else { return None };
        let (name, ty) = full.split_last()?;
        // of a listed type's function without an entry of its own, the type is all that is known
        let of_type = self.knowledge.call(ty);
        let own =
            self.knowledge.call(&full).filter(|entry| !of_type.is_some_and(|of| std::ptr::eq(*entry, of)));
        if own.is_some() {
            return None;
        }
        let named_as_types = |ty: &String| ty.starts_with(char::is_uppercase);
        let ty = Some(ty).filter(|ty| ty.last().is_some_and(named_as_types))?;
        let found = self.knowledge.method(name, Some(ty), args)?;
        // a name that means the same on every type is a method's: `Url::parse(text)` is no `text.parse()`
        (found.certain && !found.entry.on.is_empty()).then_some(Callee::Known(found.entry, true))
    }

    /// `timeout(delay, stop.notified())`: what limits the wait for a stop signal is the wait.
    fn pause(&self, args: &[ExprId], found: &Callee<'a>) -> Option<Callee<'a>> {
        let Some(Role::Timeout { limit: 0, future }) = found.role() else { return None };
        let mut on = *args.get(*future)?;
        while let ExprKind::Ref(inner) | ExprKind::Await(inner) = self.body.expr(on).kind {
            on = inner;
        }
        let ExprKind::Method(call) = &self.body.expr(on).kind else { return None };
        let signal = match self.role(on)? {
            Role::Cancel => true,
            Role::Event => says(&self.words().cancel, &self.base_text(call.receiver)),
            _ => false,
        };
        signal.then(|| Callee::Known(&PAUSE, true))
    }

    /// A home-grown or injected sleeper: its name tells.
    fn sleeper(&self, name: &str, args: usize) -> Option<Callee<'a>> {
        if args != 1 || !is_named_sleep(self.words(), name) {
            return None;
        }
        let entry = self.words().sleep.first().and_then(|sleep| self.knowledge.bare(sleep))?;
        Some(Callee::Known(entry, false))
    }

    /// The delay that a call hands to a function given from outside, which then waits it: `on_retry(&error, backoff(n))`.
    pub(crate) fn handed_delay(&self, call: ExprId) -> Option<ExprId> {
        if !matches!(self.callee(call), Callee::Operand(_)) {
            return None;
        }
        self.args(call).iter().copied().find(|arg| {
            let name = match &self.body.expr(*arg).kind {
                ExprKind::Call(..) | ExprKind::Method(_) => self.call_name(*arg),
                ExprKind::Path(path) => path.last(),
                _ => return false,
            };
            says(&self.words().delay, name)
        })
    }

    /// What a path to a function means; `None` where nobody knows.
    pub(crate) fn by_path(&self, path: &Path) -> Option<Callee<'a>> {
        match self.krate.path(self.at, &path.segments) {
            Target::Item(item) => Some(Callee::Own(item)),
            Target::Variant(..) => None,
            Target::External(full) => Some(match self.knowledge.call(&full) {
                Some(entry) => Callee::Known(entry, true),
                None => Callee::Foreign(full),
            }),
            Target::Unknown => self.by_bare_path(path),
        }
    }

    fn by_bare_path(&self, path: &Path) -> Option<Callee<'a>> {
        if let Some(name) = path.single() {
            for mut glob in self.krate.foreign_globs(self.at) {
                glob.push(name.to_owned());
                if let Some(entry) = self.knowledge.call(&glob) {
                    return Some(Callee::Known(entry, true));
                }
            }
            return self.knowledge.bare(name).map(|entry| Callee::Known(entry, false));
        }
        if let Some(entry) =
            self.knowledge.call(&path.segments).or_else(|| self.knowledge.by_tail(&path.segments))
        {
            return Some(Callee::Known(entry, false));
        }
        // `S::sleep(d)` of a type parameter, `rt::sleep(d)` of a module that nobody sees: the name tells
        self.knowledge
            .bare(path.last())
            .filter(|entry| matches!(entry.role, Role::Wait { .. }))
            .map(|entry| Callee::Known(entry, false))
    }

    fn method(&self, receiver: ExprId, name: &str, args: usize) -> Callee<'a> {
        let ty = self.type_of(receiver);
        if let Some(ty) = &ty {
            if let Some(item) = self.krate.method(ty, name) {
                return Callee::Own(item);
            }
            let path = (!ty.path.is_empty() && !self.is_generic(ty.name())).then_some(ty.path.as_slice());
            if let Some(found) = self.knowledge.method(name, path, args) {
                return Callee::Known(found.entry, found.certain);
            }
            if let Some(foreign) = path.filter(|path| path.first().is_some_and(|first| first != "crate")) {
                return Callee::Foreign(foreign.to_vec());
            }
        } else if let Some(found) = self.knowledge.method(name, None, args).filter(|found| found.certain) {
            return Callee::Known(found.entry, true);
        }
        if let Some(item) = self.krate.method_by_name(name, args) {
            return Callee::Own(item);
        }
        if let Some(sleeper) = self.sleeper(name, args) {
            return sleeper;
        }
        match self.knowledge.method(name, None, args) {
            Some(found) => Callee::Known(found.entry, found.certain),
            None => Callee::Unknown,
        }
    }
}
