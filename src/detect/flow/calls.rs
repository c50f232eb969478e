//! Calls: what a call does to a path, by what it means.

use super::state::{Event, Test, Verdict};
use super::{Callee, Flow, Paths, Role, State, Tag, Val, Walker, next, wait};
use crate::body::{ExprId, ExprKind, Lit};
use crate::detect::remote::is_operand_type;
use crate::detect::summary::{Summary, summary};
use crate::detect::unlooped::comes_back;
use crate::knowledge::{is_one_of, parts, says};
use smallvec::SmallVec;
use std::collections::BTreeSet;

impl Walker<'_, '_> {
    pub(super) fn call(&mut self, id: ExprId, s: State) -> Paths {
        let operands = self.cx.operands(id);
        let paths = self.eval_all(&operands, s);
        let mut out = Vec::new();
        for (state, flow, vals) in paths {
            match flow {
                Some(flow) => out.push((state, flow)),
                None => out.extend(self.apply(id, &operands, &vals, state)),
            }
        }
        self.joined(out)
    }

    fn apply(&mut self, id: ExprId, operands: &[ExprId], vals: &[Val], mut s: State) -> Paths {
        self.fill_given(id, operands, &mut s);
        if let Some(paths) = self.language(id, vals, &mut s) {
            return paths;
        }
        if operands.iter().any(|operand| self.cx.names_a_hint(*operand) || self.is_hint_of_error(*operand)) {
            s.marks.hint = true;
        }
        // `nap.as_mut().reset(until)`: from here on it waits as this call says
        if let ("reset", Some(Val::Timer(_)), [_]) = (self.cx.call_name(id), vals.first(), self.cx.args(id))
            && let Some(local) = self.receiver_local(id)
        {
            s.set(local, Val::Timer(id));
            return next(s, Val::Unknown);
        }
        let callee = self.cx.callee(id);
        if let Callee::Own(item) = &callee
            && comes_back(self.cx, *item)
        {
            self.found.recursions.push((id, s.clone()));
        }
        match &callee {
            Callee::Known(entry, _) => self.known(id, &entry.role, vals, s),
            Callee::Own(item) => {
                let summary = summary(self.cx, *item);
                self.own(id, &summary, vals, s)
            }
            Callee::Closure(closure) => {
                if let ExprKind::Closure { params, .. } = &self.body().expr(*closure).kind {
                    for (param, arg) in params.iter().zip(operands) {
                        s.trace.push(Event::Bind(param.pat, *arg));
                    }
                }
                self.run(*closure, vals, s)
            }
            Callee::Operand(_) => {
                if self.cx.handed_delay(id).is_some() {
                    wait(id, &mut s);
                }
                // a given function of the outcome is a predicate or a mapper, not the operation; one that is awaited, and is told what
                // something else answered (how much time is left), is the operation itself
                if let Some(op) = vals.iter().find_map(operation_of)
                    && (self.cx.is_awaited(op)
                        || self.found.operands.contains(&op)
                        || !self.is_awaited_here(id))
                {
                    return next(s, self.derived(id, op, vals));
                }
                self.found.operands.insert(id);
                self.operation(id, vals, s)
            }
            Callee::Foreign(_) | Callee::Unknown => self.unknown(id, vals, s),
        }
    }

    /// Whatever a call is given or called on may not be empty any more, save by what only looks at it.
    fn fill_given(&self, id: ExprId, operands: &[ExprId], s: &mut State) {
        let method = matches!(self.body().expr(id).kind, ExprKind::Method(_));
        let looks = matches!(self.cx.call_name(id), "is_empty" | "len" | "iter" | "clone" | "into_iter");
        let wraps = !method && self.cx.call_name(id).starts_with(char::is_uppercase);
        for operand in operands.iter().skip(usize::from(method && looks)) {
            if let Some(local) = self.body().local(*operand).filter(|_| !wraps) {
                s.fill(local);
            }
        }
    }

    /// `Vec::new()`, `Default::default()`, `Reply::empty()`.
    fn makes_nothing(&self, id: ExprId) -> bool {
        let ExprKind::Call(callee, args) = &self.body().expr(id).kind else { return false };
        let ExprKind::Path(path) = &self.body().expr(*callee).kind else { return false };
        let of = path.segments.iter().rev().nth(1).map_or("", String::as_str);
        let collection = || is_one_of(&self.cx.words().collection, &parts(of).join("_"));
        args.is_empty()
            && match path.last() {
                "default" | "empty" => !of.is_empty(),
                "new" => collection(),
                _ => false,
            }
    }

    /// What the language itself defines on `Result` and `Option`, whatever the vocabulary says.
    fn language(&mut self, id: ExprId, vals: &[Val], s: &mut State) -> Option<Paths> {
        let name = self.cx.call_name(id);
        let first = vals.first().cloned().unwrap_or(Val::Unknown);
        if let Some(test) = self.listed(id, vals) {
            return Some(next(s.clone(), test));
        }
        if matches!(self.body().expr(id).kind, ExprKind::Call(..)) {
            if self.makes_nothing(id) {
                return Some(next(s.clone(), Val::Empty));
            }
            let wraps = vals.len() == 1 && matches!(name, "Ok" | "Err" | "Some");
            // a variant with data: `Attempt::Retry(e)`
            if wraps || name.starts_with(char::is_uppercase) && matches!(self.cx.callee(id), Callee::Unknown)
            {
                let built = if matches!(first, Val::Item(_)) {
                    first
                } else {
                    Val::Built(self.built_tag(id), Box::new(first))
                };
                return Some(next(s.clone(), built));
            }
            return None;
        }
        if name == "is_empty" && first == Val::Empty {
            return Some(next(s.clone(), Val::Bool(true)));
        }
        let tag = match name {
            "is_ok" | "is_ok_and" => Tag::Ok,
            "is_err" | "is_err_and" => Tag::Err,
            "is_some" | "is_some_and" => Tag::Some,
            "is_none" => Tag::None,
            "unwrap" | "expect" => return Some(unwrap(&first, s)),
            "ok" => {
                if let Val::Outcome(op) | Val::Derived(_, op) = first {
                    self.optional.insert(op);
                    return Some(next(s.clone(), Val::Outcome(op)));
                }
                return Some(next(s.clone(), first));
            }
            "err" => return Some(next(s.clone(), first)),
            // what was there is handed out, and nothing is left
            "take" if vals.len() == 1 && !matches!(self.cx.callee(id), Callee::Own(_)) => {
                let ExprKind::Method(call) = &self.body().expr(id).kind else { return None };
                let local = self.body().local(call.receiver)?;
                s.set(local, Val::Built(Tag::None, Box::new(Val::Unknown)));
                return matches!(first, Val::Built(Tag::None, _)).then(|| next(s.clone(), first));
            }
            "remove" | "swap_remove" if self.takes_out(id) => {
                let (_, looped, _) = self.scopes.iter().rev().find(|(_, _, is_loop)| *is_loop)?;
                return Some(next(s.clone(), Val::Item(*looped)));
            }
            // one of many, or the end of them
            "next" | "next_back" | "pop" | "pop_front" | "pop_back"
                if vals.len() == 1 && !matches!(self.cx.callee(id), Callee::Own(_)) =>
            {
                // one of those that an outcome holds still speaks of it
                if let Some(op) = operation_of(&first) {
                    self.found.derived.insert(id, op);
                }
                return Some(self.operation(id, vals, s.clone()));
            }
            _ => return None,
        };
        let test = match first {
            Val::Outcome(op) => Val::Test(op, Test::Is(tag), true),
            Val::Derived(_, op) => {
                s.called_once(op);
                Val::Test(op, Test::Is(tag), true)
            }
            Val::Payload(op, outer) if outer != Tag::Err => Val::Test(op, Test::Is(tag), true),
            Val::Built(built, _) if built == tag => Val::Bool(true),
            Val::Built(built, _) if built.other() == Some(tag.clone()) => Val::Bool(false),
            _ => Val::Truth(id, true),
        };
        Some(next(s.clone(), test))
    }

    /// `AGAIN.contains(&status)`, `(400..500).contains(&status)`: whether a status is among those of a written list.
    fn listed(&self, id: ExprId, vals: &[Val]) -> Option<Val> {
        let (ExprKind::Method(call), [_, Val::Status(op)]) = (&self.body().expr(id).kind, vals) else {
            return None;
        };
        if call.name != "contains" {
            return None;
        }
        let ranges = crate::detect::summary::listed_statuses(self.cx, call.receiver)?;
        Some(Val::Test(*op, Test::Status(SmallVec::from_vec(ranges)), true))
    }

    fn built_tag(&self, id: ExprId) -> Tag {
        if let ExprKind::Call(callee, _) = &self.body().expr(id).kind
            && let ExprKind::Path(path) = &self.body().expr(*callee).kind
        {
            return self.variant_tag(path);
        }
        Tag::of_variant(self.cx.call_name(id))
    }

    #[allow(clippy::too_many_lines)] // one arm a role: the table of what roles do belongs in one place
    fn known(&mut self, id: ExprId, role: &Role, vals: &[Val], mut s: State) -> Paths {
        let first = vals.first().cloned().unwrap_or(Val::Unknown);
        match role {
            Role::Wait { blocking, event, .. } => {
                if *event {
                    s.marks.event = true;
                }
                if *blocking {
                    wait(id, &mut s);
                    if *event {
                        s.called(id);
                        return next(s, Val::Outcome(id));
                    }
                    return next(s, Val::Unknown);
                }
                // nobody awaits it here: it is kept, and polled later
                if self.gives_timers_away && self.depth == 0 {
                    wait(id, &mut s);
                }
                next(s, Val::Timer(id))
            }
            Role::Diverge => vec![(s, Flow::Diverge)],
            Role::Bail { .. } => vec![(s, Flow::Return(Val::Built(Tag::Err, Box::new(Val::Unknown))))],
            Role::Log => {
                s.marks.log = true;
                next(s, Val::Unknown)
            }
            Role::Cancel => {
                // a method that cancels, or a token's constructor, is no signal that is watched here: it is looked at
                next(s, Val::Cancel)
            }
            Role::Adaptor | Role::RaisesStatus => {
                // the first operand that carries an outcome: the receiver, or `Box::pin(op)`'s argument
                let carried = vals.iter().find(|val| carries(val)).cloned();
                // a kept future or stream is polled: what it gives is an outcome
                if carried.is_none() && self.gives_timers_away && self.cx.call_name(id).contains("poll") {
                    return self.operation(id, vals, s);
                }
                let val = carried.unwrap_or(first);
                if let Some(op) = operation_of(&val)
                    && super::super::refusals::makes_errors(self.cx, id)
                {
                    s.raises(op);
                    // `send().and_then(check).await`: what is sent is looked at only once it is awaited
                    if let Val::Derived(_, made) = val {
                        s.raises(made);
                    }
                }
                next(s, val)
            }
            Role::Timeout { future, .. } => {
                s.marks.timeout = true;
                let method = matches!(self.body().expr(id).kind, ExprKind::Method(_));
                // with a method, the receiver stands before the arguments
                let at = if method { 0 } else { *future };
                let val = vals.get(at).cloned().unwrap_or(Val::Unknown);
                match val {
                    Val::Deferred(inner) => self.run(inner, &[], s),
                    Val::Unknown | Val::Cancel | Val::Payload(..) => self.operation(id, vals, s),
                    val => next(s, val),
                }
            }
            // what comes back to this function once a time has passed is its next try; anything else is another's business
            Role::Later { .. }
                if let Some(inner) =
                    vals.iter().find_map(deferred).filter(|inner| self.calls_itself(*inner)) =>
            {
                wait(id, &mut s);
                let paths = self.run(inner, &[], s);
                paths
                    .into_iter()
                    .map(|(state, flow)| match flow {
                        Flow::Next(_) => (state, Flow::Next(Val::Unknown)),
                        other => (state, other),
                    })
                    .collect()
            }
            Role::Spawn | Role::Later { .. } => {
                for val in vals {
                    if let Val::Deferred(inner) = val {
                        self.found.spawned.insert(*inner);
                        self.found.spawns.push((*inner, s.clone()));
                    }
                }
                next(s, Val::Unknown)
            }
            Role::Event => {
                if let ExprKind::Method(call) = &self.body().expr(id).kind
                    && says(&self.cx.words().cancel, &self.cx.base_text(call.receiver))
                {
                    return next(s, Val::Cancel);
                }
                s.marks.event = true;
                s.called(id);
                next(s, Val::Outcome(id))
            }
            Role::Accept => {
                s.marks.accept = true;
                s.called(id);
                next(s, Val::Outcome(id))
            }
            Role::Predicate { statuses, transient } => {
                let given = || if statuses.is_empty() { None } else { self.given_reply(id) };
                let Some(op) = vals.iter().find_map(operation_of).or_else(given) else {
                    return next(s, Val::Truth(id, true));
                };
                if !statuses.is_empty() {
                    let ranges = crate::detect::statuses::ranges(statuses).collect();
                    return next(s, Val::Test(op, Test::Status(ranges), true));
                }
                let test = if *transient == Some(true) { Test::Transient } else { Test::About };
                next(s, Val::Test(op, test, true))
            }
            // `command.status()?` runs something
            Role::Status if self.may_fail(id) => self.operation(id, vals, s),
            Role::Status => match vals.iter().find_map(operation_of).or_else(|| self.given_reply(id)) {
                Some(op) => next(s, Val::Status(op)),
                None => next(s, Val::Unknown),
            },
            Role::Hint => {
                s.marks.hint = true;
                next(s, vals.iter().find_map(operation_of).map_or(Val::Unknown, Val::Hint))
            }
            Role::Remote { .. } | Role::Guard | Role::Breaker => self.operation(id, vals, s),
            Role::Local { .. } => match first {
                Val::Item(_) if !self.cx.is_awaited(id) => next(s, first),
                _ => self.operation(id, vals, s),
            },
            Role::Pure if self.is_order(id) => self.operation(id, vals, s),
            Role::Pure
            | Role::KeepsStatus
            | Role::Client
            | Role::Seed
            | Role::Interval { .. }
            | Role::Random { .. }
            | Role::Clock { .. } => {
                let carried = vals.iter().find(|val| carries(val)).cloned();
                // a request that is still put together: `client.post(url).json(&order)`
                if let Some(Val::Outcome(op)) = carried
                    && !self.cx.is_awaited(op)
                {
                    for val in vals.iter().filter(|val| matches!(val, Val::Item(_))) {
                        self.note_item(op, val);
                    }
                }
                if let Some(Val::Status(op)) = carried {
                    return next(s, Val::Status(op));
                }
                match carried {
                    // a getter on a reply or an error still speaks of it
                    Some(
                        val @ (Val::Payload(..)
                        | Val::Item(_)
                        | Val::Hint(_)
                        | Val::Outcome(_)
                        | Val::Test(..)),
                    ) => next(s, val),
                    _ => next(s, Val::Unknown),
                }
            }
        }
    }

    /// Whether a closure calls the function that it is written in.
    fn calls_itself(&self, closure: ExprId) -> bool {
        self.body().any(closure, |id| super::is_self(&self.cx.callee(id), self.cx.at))
    }

    /// Whether a method of this crate is named as those that give an HTTP status, and its type says so too.
    fn gives_status(&self, call: ExprId) -> bool {
        let named = self.cx.knowledge.method(self.cx.call_name(call), None, self.cx.args(call).len());
        let Callee::Own(item) = self.cx.callee(call) else { return false };
        named.is_some_and(|found| matches!(found.entry.role, Role::Status))
            && self.cx.inside(item).is_some_and(|inner| {
                inner.body.ret.as_ref().is_some_and(|ty| matches!(ty.name(), "StatusCode" | "u16"))
            })
    }

    /// A reply, or a status, that a parameter holds: the first call that asked stands for what gave it.
    fn given_reply(&mut self, call: ExprId) -> Option<super::Op> {
        let holder = *self.cx.operands(call).first()?;
        let local = self.body().local(holder)?;
        self.body().params.iter().find(|param| param.pat == local)?;
        Some(*self.given.as_mut()?.entry(local).or_insert(call))
    }

    fn own(&mut self, id: ExprId, summary: &Summary, vals: &[Val], mut s: State) -> Paths {
        if summary.mutates || summary.changes_lent {
            s.note(Event::Step(id));
        }
        if summary.diverges {
            return vec![(s, Flow::Diverge)];
        }
        if summary.is_wait {
            wait(id, &mut s);
            if summary.gives_bool {
                return next(s, Val::Truth(id, true));
            }
            if summary.fallible {
                s.called(id);
                return next(s, Val::Outcome(id));
            }
            return next(s, Val::Unknown);
        }
        // what is called after a failure and waits inside waits between two attempts, whatever else it does
        if summary.wait.is_some()
            && s.looked.iter().any(|look| look.verdict == Verdict::Failure)
            && !summary.paces_itself
        {
            wait(id, &mut s);
        }
        if summary.is_async
            && self.cx.call_name(id) == "timeout"
            && let Some(limited) =
                vals.iter().find(|val| matches!(val, Val::Outcome(_) | Val::Derived(..) | Val::Deferred(_)))
        {
            // a runtime's own, behind a module of the crate: what it limits is what is tried
            s.marks.timeout = true;
            return match limited {
                Val::Deferred(inner) => self.run(*inner, &[], s),
                val => next(s, val.clone()),
            };
        }
        if let Some(statuses) = &summary.statuses
            && let Some(op) = vals.iter().find_map(operation_of)
        {
            let ranges: SmallVec<[(u16, u16); 2]> = statuses.iter().copied().collect();
            return next(s, Val::Test(op, Test::Status(ranges), true));
        }
        if let Some(op) = vals.iter().find_map(operation_of)
            && self.gives_status(id)
        {
            return next(s, Val::Status(op));
        }
        if summary.gives_bool && !summary.is_async {
            return match vals.iter().find_map(operation_of) {
                Some(op) => {
                    let test = self.test_by_name(id);
                    next(s, Val::Test(op, test, true))
                }
                None if summary.remote != Some(true) => next(s, Val::Truth(id, true)),
                None => self.operation(id, vals, s),
            };
        }
        if summary.hint {
            s.marks.hint = true;
            return next(s, vals.iter().find_map(operation_of).map_or(Val::Unknown, Val::Hint));
        }
        if !summary.fallible && !summary.is_async && summary.remote != Some(true) {
            let carried = vals.iter().find(|val| carries(val)).cloned();
            return match carried {
                Some(Val::Item(item)) => next(s, Val::Item(item)),
                Some(val) => match operation_of(&val) {
                    Some(op) => {
                        // a home-grown outcome made of this one: looked at by its variants
                        next(s, self.derived(id, op, vals))
                    }
                    None => next(s, Val::Unknown),
                },
                None if summary.only_logs => {
                    s.marks.log = true;
                    next(s, Val::Unknown)
                }
                None => self.unknown(id, vals, s),
            };
        }
        // an outcome that is handed on before anybody looks at it: what comes back speaks of it
        let handed = vals.iter().skip(usize::from(self.is_method(id))).find_map(|val| match val {
            Val::Outcome(op) | Val::Derived(_, op) => Some(*op),
            _ => None,
        });
        if let Some(op) = handed.filter(|op| s.look(*op).is_none()) {
            self.found.handed.insert(id, op);
        }
        self.operation(id, vals, s)
    }

    /// `gate.hold(slow.retry_after)`: what an error carries; a field of one's own is a setting.
    fn is_hint_of_error(&self, operand: ExprId) -> bool {
        let ExprKind::Field(base, name) = &self.body().expr(operand).kind else { return false };
        let own =
            matches!(&self.body().expr(*base).kind, ExprKind::Path(path) if path.single() == Some("self"));
        !own && matches!(self.body().expr(*base).kind, ExprKind::Path(_)) && says(&self.cx.words().hint, name)
    }

    fn is_method(&self, id: ExprId) -> bool {
        matches!(self.body().expr(id).kind, ExprKind::Method(_))
    }

    fn unknown(&mut self, id: ExprId, vals: &[Val], mut s: State) -> Paths {
        let name = self.cx.call_name(id);
        let words = self.cx.words();
        if self.cx.args(id).iter().any(|arg| self.lends_number(*arg)) {
            s.note(Event::Step(id));
        }
        if says(&words.hint, name) {
            s.marks.hint = true;
            if let Some(op) = vals.iter().find_map(operation_of) {
                return next(s, Val::Hint(op));
            }
        }
        if vals.iter().any(|val| matches!(val, Val::Cancel)) {
            return next(s, Val::Cancel);
        }
        // `stop.cancelled()`, `shutdown.recv()`: by the name of the call, or of what it is called on
        let on = match &self.body().expr(id).kind {
            ExprKind::Method(call) => self.cx.base_text(call.receiver),
            _ => String::new(),
        };
        if says(&words.cancel, name) && self.cx.args(id).is_empty() && !self.is_order(id)
            || says(&words.cancel, &on)
        {
            return next(s, Val::Cancel);
        }
        if says(&words.log, name) && !self.cx.is_awaited(id) {
            s.marks.log = true;
            return next(s, Val::Unknown);
        }
        if let Some(op) = vals.iter().find_map(operation_of) {
            return next(s, self.derived(id, op, vals));
        }
        if let Some(Val::Timer(timer)) = vals.first() {
            return next(s, Val::Timer(*timer));
        }
        self.operation(id, vals, s)
    }

    /// Whether an argument lends a variable, to be changed, that may be a delay or a counter.
    fn lends_number(&self, arg: ExprId) -> bool {
        self.cx.lent_place(arg).is_some_and(|place| {
            let init = self.cx.behind_name(place);
            matches!(self.body().expr(init).kind, ExprKind::Lit(Lit::Int(..) | Lit::Float(..)))
                || self.cx.type_of(place).is_some_and(|ty| matches!(ty.name(), "Duration" | "TimeDelta"))
        })
    }

    /// The variable that a chain of methods begins with.
    fn receiver_local(&self, id: ExprId) -> Option<crate::body::Local> {
        self.body().local(self.cx.chain_root(id))
    }

    /// Whether something is told to stop, and its answer awaited: no signal.
    fn is_order(&self, id: ExprId) -> bool {
        is_one_of(&self.cx.words().orders, self.cx.call_name(id)) && self.cx.is_awaited(id)
    }

    /// Whether the call itself is awaited.
    fn is_awaited_here(&self, id: ExprId) -> bool {
        self.cx.parent(id).is_some_and(|at| matches!(self.body().expr(at).kind, ExprKind::Await(_)))
    }

    /// Whether what a call gives is awaited or handed up by `?`, through adaptors.
    fn may_fail(&self, id: ExprId) -> bool {
        let mut at = id;
        for _ in 0..4 {
            let Some(parent) = self.cx.parent(at) else { return false };
            match &self.body().expr(parent).kind {
                ExprKind::Try(_) | ExprKind::Await(_) => return true,
                ExprKind::Method(call) if call.receiver == at => at = parent,
                _ => return false,
            }
        }
        false
    }

    /// What a call makes of an operation's outcome.
    fn derived(&mut self, id: ExprId, op: super::Op, vals: &[Val]) -> Val {
        for val in vals {
            self.note_item(id, val);
        }
        self.found.derived.insert(id, op);
        Val::Derived(op, id)
    }

    /// An operation: its outcome is open until somebody looks.
    fn operation(&mut self, id: ExprId, vals: &[Val], mut s: State) -> Paths {
        for val in vals {
            self.note_item(id, val);
        }
        if self.cx.operands(id).iter().any(|operand| self.is_given_operation(*operand)) {
            self.found.operands.insert(id);
        }
        s.called(id);
        s.trace.push(Event::Call(id));
        next(s, Val::Outcome(id))
    }

    /// Whether an expression is a parameter that is a function or a future: whoever gets it runs it.
    fn is_given_operation(&self, id: ExprId) -> bool {
        let id = match &self.body().expr(id).kind {
            ExprKind::Ref(inner) => *inner,
            _ => id,
        };
        self.body().local(id).is_some_and(|local| {
            self.body().params.iter().any(|param| {
                param.pat == local && param.ty.as_ref().is_some_and(|ty| is_operand_type(self.cx, ty))
            })
        })
    }

    fn note_item(&mut self, id: ExprId, val: &Val) {
        let mut items = self.items_in(val);
        // what comes out of an operation that waits for a message, or gives one of many, is an item too
        if let Val::Payload(op, _) | Val::Derived(op, _) | Val::Outcome(op) = val
            && self.gives_items(*op)
            && let Some(looped) = self.loop_that_took(*op)
        {
            items.insert(looped);
        }
        if !items.is_empty() {
            self.found.of_item.entry(id).or_default().extend(items);
        }
    }

    /// The innermost loop at hand in which a message was taken: in one further inside it stays the same.
    fn loop_that_took(&self, op: ExprId) -> Option<ExprId> {
        let body = self.body();
        let mut loops = self.scopes.iter().rev().filter(|(_, _, is_loop)| *is_loop).map(|(_, id, _)| *id);
        loops.find(|looped| body.expr(*looped).span.contains(body.expr(op).span))
    }

    /// The loops whose items a value is made of.
    pub(super) fn items_in(&self, val: &Val) -> BTreeSet<ExprId> {
        match val {
            Val::Item(item) => {
                let around = self.nested.get(item).into_iter().flatten().copied();
                around.chain(std::iter::once(*item)).collect()
            }
            Val::Built(_, inner) => self.items_in(inner),
            Val::Tuple(parts) => parts.iter().flat_map(|part| self.items_in(part)).collect(),
            Val::Payload(op, _) | Val::Derived(op, _) | Val::Outcome(op) => {
                self.found.of_item.get(op).cloned().unwrap_or_default()
            }
            _ => BTreeSet::new(),
        }
    }

    /// Whether a call is what a `while let` goes over, as a `for` goes over an iterator.
    fn heads_while_let(&self, op: ExprId) -> bool {
        let Some(asked) = self.cx.parent(op) else { return false };
        let ExprKind::Let(_, value) = self.body().expr(asked).kind else { return false };
        value == op
            && self.cx.parent(asked).is_some_and(
                |looped| matches!(self.body().expr(looped).kind, ExprKind::While { cond, .. } if cond == asked),
            )
    }

    /// `found.remove(at)`: one of a list by its place, which is then gone. What is asked for by a key is what it was.
    fn takes_out(&self, op: ExprId) -> bool {
        let ExprKind::Method(call) = &self.body().expr(op).kind else { return false };
        let [at] = call.args.as_slice() else { return false };
        matches!(call.name.as_str(), "remove" | "swap_remove")
            && !matches!(self.body().expr(*at).kind, ExprKind::Ref(_))
            && !matches!(self.cx.callee(op), Callee::Own(_))
            && (self.body().local(call.receiver).is_some() || self.cx.field_path(call.receiver).is_some())
            && !self.may_fail(op)
    }

    /// Whether an operation gives one of many: a message, a job, the next element.
    pub(super) fn gives_items(&self, op: ExprId) -> bool {
        match self.cx.role(op) {
            Some(Role::Event | Role::Accept) => true,
            _ if self.heads_while_let(op) || self.takes_out(op) => true,
            _ if !matches!(self.body().expr(op).kind, ExprKind::Method(_)) => false,
            _ if self.cx.call_name(op) == "next" && self.cx.args(op).is_empty() => true,
            Some(Role::Remote { .. }) | None => {
                let name = self.cx.call_name(op);
                matches!(name, "next" | "accept" | "recv" | "try_recv" | "pop")
                    || name.starts_with("pop_")
                    || is_one_of(&self.cx.words().items, name)
            }
            _ => false,
        }
    }
}

/// `unwrap`: success goes on with what is inside, failure panics.
fn unwrap(val: &Val, s: &mut State) -> Paths {
    match val {
        Val::Outcome(op) | Val::Derived(_, op) => {
            if let Some(look) = s.look(*op) {
                let tag = look.tag.clone();
                return match tag {
                    Tag::Err | Tag::None => vec![(s.clone(), Flow::Diverge)],
                    _ => next(s.clone(), Val::Payload(*op, tag)),
                };
            }
            let mut failed = s.clone();
            failed.decide(*op, Tag::Err, Verdict::Failure);
            s.decide(*op, Tag::Ok, Verdict::Success);
            vec![(failed, Flow::Diverge), (s.clone(), Flow::Next(Val::Payload(*op, Tag::Ok)))]
        }
        Val::Built(Tag::Ok | Tag::Some, inner) => next(s.clone(), (**inner).clone()),
        other => next(s.clone(), other.clone()),
    }
}

/// Whether a value carries something about an operation, an item or a timer.
fn carries(val: &Val) -> bool {
    !matches!(val, Val::Unknown | Val::Bool(_) | Val::Built(..) | Val::Tuple(_) | Val::Truth(..))
}

/// The operation that a value speaks of.
pub(super) fn operation_of(val: &Val) -> Option<super::Op> {
    match val {
        Val::Outcome(op)
        | Val::Payload(op, _)
        | Val::Status(op)
        | Val::Test(op, ..)
        | Val::Hint(op)
        | Val::Derived(op, _) => Some(*op),
        Val::Built(_, inner) => operation_of(inner),
        _ => None,
    }
}

/// What a value has of a closure or block that was not run yet.
fn deferred(val: &Val) -> Option<ExprId> {
    match val {
        Val::Deferred(inner) => Some(*inner),
        _ => None,
    }
}
