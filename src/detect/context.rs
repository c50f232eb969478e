//! What one body is read against: its crate, the vocabulary, and what each call in it means.
//! Answers about single expressions; it follows no flow.

pub(crate) use super::callees::Callee;
use super::memo::{Memo, Written, kept};
use crate::body::{Body, ExprId, ExprKind, Lit, Local, PatId, PatKind, Stmt, Ty};
use crate::knowledge::{Knowledge, Role, Words, says};
use crate::model::{Evidence, Place};
use crate::resolve::{Crate, ItemRef, Target, peeled};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::{Rc, Weak};

/// One body in its crate.
pub(crate) struct Context<'a> {
    pub(crate) krate: &'a Crate,
    pub(crate) knowledge: &'a Knowledge,
    pub(crate) memo: &'a Memo,
    pub(crate) at: ItemRef,
    pub(crate) body: &'a Body,
    near: Weak<Neighbours<'a>>,
    pub(super) callees: RefCell<HashMap<ExprId, Callee<'a>>>,
    /// The tallest summary that was asked for while this body's own was made.
    pub(crate) deepest: Cell<u32>,
    /// Functions of the crate that were asked whether they come back to this body.
    pub(super) coming_back: RefCell<HashMap<ItemRef, bool>>,
    parents: Vec<Option<ExprId>>,
    inits: HashMap<Local, ExprId>,
}

/// Bodies that are read beside one another, each set up once. Whoever begins with a body holds them.
#[derive(Default)]
pub(crate) struct Neighbours<'a>(RefCell<HashMap<ItemRef, Option<Rc<Context<'a>>>>>);

impl<'a> Context<'a> {
    pub(crate) fn new(
        krate: &'a Crate,
        knowledge: &'a Knowledge,
        memo: &'a Memo,
        near: &Rc<Neighbours<'a>>,
        at: ItemRef,
        body: &'a Body,
    ) -> Self {
        let mut inits = HashMap::new();
        for (_, expr) in body.exprs() {
            if let ExprKind::Block(block) = &expr.kind {
                for stmt in &block.stmts {
                    if let Stmt::Let { pat, init: Some(init), .. } = stmt
                        && let PatKind::Bind { sub: None, .. } = body.pat(*pat).kind
                    {
                        inits.insert(*pat, *init);
                    }
                }
            }
        }
        Self {
            krate,
            knowledge,
            memo,
            near: Rc::downgrade(near),
            at,
            body,
            callees: RefCell::default(),
            deepest: Cell::new(0),
            coming_back: RefCell::default(),
            parents: body.parents(),
            inits,
        }
    }

    /// Another body of the same item: an attribute's.
    pub(crate) fn beside(&self, body: &'a Body) -> Option<Self> {
        let near = self.near.upgrade()?;
        Some(Self::new(self.krate, self.knowledge, self.memo, &near, self.at, body))
    }

    /// Another function or constant of the same crate; `None` where it has no body to read.
    pub(crate) fn inside(&self, item: ItemRef) -> Option<Rc<Self>> {
        let near = self.near.upgrade()?;
        if let Some(known) = near.0.borrow().get(&item) {
            return known.clone();
        }
        let made = self
            .krate
            .body(item)
            .map(|body| Rc::new(Self::new(self.krate, self.knowledge, self.memo, &near, item, body)));
        near.0.borrow_mut().insert(item, made.clone());
        made
    }

    /// The call that a function of the crate makes and does nothing beside: what comes of the one comes of the other.
    pub(crate) fn handed_on(&self, call: ExprId) -> Option<(Rc<Self>, ExprId)> {
        let Callee::Own(item) = self.callee(call) else { return None };
        self.only_call_of(item)
    }

    /// The call that a function makes and does nothing beside.
    pub(crate) fn only_call_of(&self, item: ItemRef) -> Option<(Rc<Self>, ExprId)> {
        let inner = self.inside(item)?;
        let ExprKind::Block(block) = &inner.body.expr(inner.body.root).kind else { return None };
        let tail = block.tail.filter(|_| block.stmts.is_empty())?;
        let made = match inner.body.expr(tail).kind {
            ExprKind::Await(made) => made,
            _ => tail,
        };
        Some((inner, made))
    }

    /// The one value that a field of a type has in this crate, and where it is written.
    pub(crate) fn field_value(&self, ty: &Ty, field: &str) -> Option<Written> {
        let key = (ty.path.clone(), field.to_owned());
        kept(&self.memo.fields, key, || self.krate.field_value(ty, field))
    }

    /// All that this crate puts into a field, and where it is written.
    pub(crate) fn field_writes(&self, ty: &Ty, field: &str) -> Option<Vec<Written>> {
        let key = (ty.path.clone(), field.to_owned());
        kept(&self.memo.writes, key, || self.krate.field_writes(ty, field))
    }

    /// Functions of this crate that call this one, with the call.
    pub(crate) fn callers(&self) -> Vec<Written> {
        self.callers_of(self.at)
    }

    /// What the callers outside of tests give this function for a parameter, each in its own body; empty where nobody here calls it,
    /// `None` where one of them cannot be read.
    pub(crate) fn given(&self, param: usize) -> Option<Vec<(Rc<Self>, ExprId)>> {
        let by_trait = self.krate.declaration(self.at).map_or_else(Vec::new, |item| self.callers_of(item));
        let callers =
            self.callers().into_iter().chain(by_trait).filter(|(caller, _)| !self.krate.is_test(*caller));
        callers
            .map(|(caller, call)| {
                let caller = self.inside(caller)?;
                let arg = *caller.args(call).get(param + caller.receivers(call, self)?)?;
                Some((caller, arg))
            })
            .collect()
    }

    /// How many of a call's arguments are no parameters of what is called: by path a method's receiver stands among the arguments.
    pub(super) fn receivers(&self, call: ExprId, called: &Self) -> Option<usize> {
        self.args(call).len().checked_sub(called.body.params.len())
    }

    /// Functions of this crate that call one, with the call.
    pub(crate) fn callers_of(&self, item: ItemRef) -> Vec<Written> {
        kept(&self.memo.callers, item, || self.krate.callers(item))
    }

    pub(crate) fn words(&self) -> &'a Words {
        &self.knowledge.words
    }

    /// The expression around this one.
    pub(crate) fn parent(&self, id: ExprId) -> Option<ExprId> {
        self.parents.get(id.0 as usize).copied().flatten()
    }

    /// Whether an operation may be what is tried again: nothing that waits, logs, computes, guards or watches for a stop.
    pub(super) fn may_be_tried(&self, op: ExprId) -> bool {
        !matches!(
            self.role(op),
            Some(
                Role::Wait { .. } | Role::Later { .. } | Role::Cancel | Role::Log | Role::Pure | Role::Guard
            )
        )
    }

    /// Whether an operation is known to stay in the process: its failure is beside the point where something else is tried.
    pub(super) fn stays(&self, op: ExprId) -> bool {
        matches!(self.role(op), Some(Role::Local { .. } | Role::Event | Role::Accept))
    }

    /// What a plain `let` gives a local at first.
    pub(crate) fn init(&self, local: Local) -> Option<ExprId> {
        self.inits.get(&local).copied()
    }

    /// What a plain `let` gives the variable that an expression names; the expression itself where it names none.
    pub(crate) fn behind_name(&self, id: ExprId) -> ExprId {
        self.body.local(id).and_then(|local| self.init(local)).unwrap_or(id)
    }

    /// What a chain of methods begins with; the expression itself where it is none.
    pub(crate) fn chain_root(&self, id: ExprId) -> ExprId {
        let mut at = id;
        while let ExprKind::Method(call) = &self.body.expr(at).kind {
            at = call.receiver;
        }
        at
    }

    /// The only expression of a block; the expression itself where it is none, or holds more.
    pub(crate) fn only_in(&self, id: ExprId) -> ExprId {
        let ExprKind::Block(block) = &self.body.expr(id).kind else { return id };
        match (block.stmts.as_slice(), block.tail) {
            ([], Some(tail)) => tail,
            ([Stmt::Expr(only)], None) => *only,
            _ => id,
        }
    }

    /// Whether a pattern, or one inside it, is a variant whose name one of these words is in.
    pub(crate) fn names_variant(&self, pat: PatId, list: &[String]) -> bool {
        let mut found = false;
        self.body.walk_pat(pat, &mut |at| {
            found |= self.body.variant(at).is_some_and(|path| says(list, path.last()));
        });
        found
    }

    /// The expressions that an expression stands in, the innermost first.
    pub(crate) fn around(&self, id: ExprId) -> impl Iterator<Item = ExprId> {
        std::iter::successors(self.parent(id), |at| self.parent(*at))
    }

    /// The innermost closure or async block that an expression stands in.
    pub(crate) fn task_around(&self, id: ExprId) -> Option<ExprId> {
        self.around(id)
            .find(|at| matches!(self.body.expr(*at).kind, ExprKind::Closure { .. } | ExprKind::Async(_)))
    }

    /// The innermost loop that an expression stands in.
    pub(crate) fn loop_around(&self, id: ExprId) -> Option<ExprId> {
        self.around(id).find(|at| self.body.expr(*at).kind.is_loop())
    }

    /// The local that a plain `let` makes of this expression.
    pub(crate) fn local_of(&self, init: ExprId) -> Option<Local> {
        self.inits.iter().find(|(_, it)| **it == init).map(|(local, _)| *local)
    }

    /// Where an expression is written.
    pub(crate) fn place(&self, id: ExprId) -> Option<Place> {
        Some(self.krate.file(self.at)?.place(self.body.expr(id).span))
    }

    /// Evidence at an expression.
    pub(crate) fn evidence(&self, id: ExprId, text: impl Into<String>) -> Evidence {
        Evidence { place: self.place(id), text: text.into() }
    }

    /// An expression as written, on one line, cut to 80 characters.
    pub(crate) fn text(&self, id: ExprId) -> String {
        let words: Vec<&str> = self.written(id).split_whitespace().collect();
        let mut line = words.join(" ").replace(" .", ".");
        if line.chars().count() > 80 {
            line = line.chars().take(79).collect::<String>() + "…";
        }
        line
    }

    /// Whether two expressions are written alike, but for blanks and line breaks.
    pub(crate) fn is_written_alike(&self, one: ExprId, other: ExprId) -> bool {
        let bare = |id: ExprId| self.written(id).chars().filter(|c| !c.is_whitespace());
        one == other || bare(one).eq(bare(other))
    }

    fn written(&self, id: ExprId) -> &'a str {
        self.krate.file(self.at).map_or("", |file| file.slice(self.body.expr(id).span))
    }

    /// The type of an expression, smart pointers seen through.
    pub(crate) fn type_of(&self, id: ExprId) -> Option<Ty> {
        self.krate.type_of(self.at, self.body, id).map(|ty| peeled(&ty).clone())
    }

    /// The fields of a struct of this crate, their types made full.
    pub(crate) fn fields_of(&self, ty: &Ty) -> Vec<(String, Ty)> {
        let Target::Item(item) = self.krate.path(self.at, &ty.path) else { return Vec::new() };
        let Some(data) = self.krate.struct_data(item) else { return Vec::new() };
        data.fields.iter().map(|(name, field)| (name.clone(), self.krate.full_type(item, field))).collect()
    }

    /// Whether a name is a generic parameter of this body.
    pub(crate) fn is_generic(&self, name: &str) -> bool {
        self.body.generics.iter().any(|(it, _)| it == name)
    }

    /// Whether an argument is something to do: a closure or an async block, also behind a name.
    pub(crate) fn is_work(&self, arg: ExprId) -> bool {
        let is =
            |id: ExprId| matches!(self.body.expr(id).kind, ExprKind::Closure { .. } | ExprKind::Async(_));
        match &self.body.expr(arg).kind {
            ExprKind::Path(_) => self.body.local(arg).and_then(|local| self.init(local)).is_some_and(is),
            ExprKind::Ref(inner) => self.is_work(*inner),
            _ => is(arg),
        }
    }

    /// Whether one of these futures is a stop signal.
    pub(crate) fn listens_to_a_signal(&self, mut futures: impl Iterator<Item = ExprId>) -> bool {
        futures.any(|future| {
            self.body.any(future, |id| matches!(self.role(id), Some(Role::Cancel)))
                || says(&self.words().cancel, &self.base_text(future))
        })
    }

    /// `headers.get("retry-after")`: the text tells what is read.
    pub(crate) fn names_a_hint(&self, arg: ExprId) -> bool {
        match &self.body.expr(arg).kind {
            ExprKind::Lit(Lit::Str(text)) => says(&self.words().hint, text),
            // `header::RETRY_AFTER`
            ExprKind::Path(path) => path.segments.len() > 1 && says(&self.words().hint, path.last()),
            _ => false,
        }
    }

    /// The parameter or variable that a call calls.
    pub(crate) fn called_local(&self, call: ExprId) -> Option<Local> {
        match self.callee(call) {
            Callee::Operand(local) => Some(local),
            _ => None,
        }
    }

    /// The arguments of a call, without its receiver.
    pub(crate) fn args(&self, id: ExprId) -> &'a [ExprId] {
        match &self.body.expr(id).kind {
            ExprKind::Call(_, args) => args,
            ExprKind::Method(call) => &call.args,
            _ => &[],
        }
    }

    /// Receiver (of a method) or nothing, and arguments.
    pub(crate) fn operands(&self, id: ExprId) -> Vec<ExprId> {
        match &self.body.expr(id).kind {
            ExprKind::Call(_, args) => args.clone(),
            ExprKind::Method(call) => {
                std::iter::once(call.receiver).chain(call.args.iter().copied()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The last name of what a call calls: `send` of `client.send(x)`, `sleep` of `tokio::time::sleep(d)`.
    pub(crate) fn call_name(&self, id: ExprId) -> &'a str {
        match &self.body.expr(id).kind {
            ExprKind::Call(callee, _) => match &self.body.expr(*callee).kind {
                ExprKind::Path(path) => path.last(),
                ExprKind::Field(_, name) => name,
                _ => "",
            },
            ExprKind::Method(call) => &call.name,
            ExprKind::Macro(call) => call.path.last(),
            ExprKind::Path(path) => path.last(),
            _ => "",
        }
    }

    /// `self.a.b` as the path `a.b`, `conn.a` of a local as `conn.a`; `None` for anything else.
    pub(crate) fn field_path(&self, id: ExprId) -> Option<String> {
        match &self.body.expr(id).kind {
            ExprKind::Field(base, name) => {
                let base = self.field_path(*base).or_else(|| self.base_name(*base))?;
                Some(format!("{base}.{name}"))
            }
            ExprKind::Ref(inner) | ExprKind::Unary(crate::body::UnOp::Deref, inner) => {
                self.field_path(*inner)
            }
            _ => None,
        }
    }

    /// The place that an argument lends to be changed: `delay` of `&mut delay`.
    pub(crate) fn lent_place(&self, arg: ExprId) -> Option<ExprId> {
        let ExprKind::Ref(place) = self.body.expr(arg).kind else { return None };
        let after = self.krate.file(self.at)?.slice(self.body.expr(arg).span).strip_prefix('&')?;
        after.trim_start().starts_with("mut ").then_some(place)
    }

    /// The last name of a path or field: `shutdown` of `self.shutdown`; empty for anything else.
    pub(crate) fn base_text(&self, id: ExprId) -> String {
        match &self.body.expr(id).kind {
            ExprKind::Path(path) => path.last().to_owned(),
            ExprKind::Field(_, name) => name.clone(),
            ExprKind::Ref(inner) => self.base_text(*inner),
            ExprKind::Method(call) if call.args.is_empty() => self.base_text(call.receiver),
            _ => String::new(),
        }
    }

    fn base_name(&self, id: ExprId) -> Option<String> {
        match &self.body.expr(id).kind {
            ExprKind::Path(path) => path.single().map(str::to_owned),
            ExprKind::Ref(inner) | ExprKind::Unary(crate::body::UnOp::Deref, inner) => self.base_name(*inner),
            _ => None,
        }
    }

    /// Whether the value of this expression is awaited, through adaptors and `?`.
    pub(crate) fn is_awaited(&self, id: ExprId) -> bool {
        let mut at = id;
        for _ in 0..12 {
            let Some(parent) = self.parent(at) else { return false };
            match &self.body.expr(parent).kind {
                ExprKind::Await(_) | ExprKind::Macro(_) => return true,
                ExprKind::Call(..) | ExprKind::Try(_) | ExprKind::Ref(_) | ExprKind::Method(_) => {}
                _ => return false,
            }
            at = parent;
        }
        false
    }
}
