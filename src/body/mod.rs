//! One parsed item as a flat, `Send` arena of expressions with byte ranges in the file.
//! The only room besides `fix` that sees syn: everything behind it reads these types. It knows no names of the world.

mod attributes;
mod blocks;
mod captures;
mod data;
mod literals;
mod lower;
mod macro_rules;
mod macros;
mod parse;
mod patterns;
mod scopes;
#[cfg(test)]
mod tests;
mod types;
mod visit;

pub use attributes::parse_attributes;
pub use data::{
    AliasData, EnumData, ImplData, Signature, StructData, VariantData, parse_alias, parse_const_type,
    parse_enum, parse_impl, parse_signature, parse_struct,
};
pub use parse::{BodyError, parse_const, parse_fn, parse_macro_rules};

use smallvec::SmallVec;

/// A range of bytes in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// Byte after the last.
    pub end: u32,
}

impl Span {
    /// Whether the other span lies inside this one.
    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// Index of an expression in its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(pub u32);

/// Index of a pattern in its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PatId(pub u32);

/// A local variable: the binding pattern that introduces it (an or-pattern's alternatives share the first one's).
pub type Local = PatId;

/// A function, closure-bearing constant or macro arm with everything inside it. Closures and async blocks stay in place, as expressions.
#[derive(Clone, Debug)]
pub struct Body {
    exprs: Vec<Expr>,
    pats: Vec<Pat>,
    /// Which local a one-segment path names, by expression; made by `scopes`.
    locals: Vec<Option<Local>>,
    /// The local that a binding pattern introduces, by pattern: itself, or the first of its name in an or-pattern; made by `scopes`.
    binds: Vec<Local>,
    /// Parameters, without `self`.
    pub params: Vec<Param>,
    /// How `self` is taken, if it is a method.
    pub receiver: Option<Receiver>,
    /// Written return type; `None` for `()`.
    pub ret: Option<Ty>,
    /// `async fn`.
    pub is_async: bool,
    /// Generic parameters and the bounds written for them, `where` included: `F: Fn() -> Fut` gives `("F", [Fn(..) -> Fut])`.
    pub generics: Vec<(String, Vec<Ty>)>,
    /// The body's value: a block, a constant's expression.
    pub root: ExprId,
    /// Macro fragments that stand for an expression (`$op:expr` is read as the path `_op`), for macro arms only.
    pub fragments: Vec<String>,
}

/// How a method takes `self`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiver {
    /// `self`
    Value,
    /// `&self`
    Ref,
    /// `&mut self`
    Mut,
}

/// A parameter of a function or closure.
#[derive(Clone, Debug)]
pub struct Param {
    /// What it binds.
    pub pat: PatId,
    /// Its written type.
    pub ty: Option<Ty>,
}

/// A written type, references and parentheses stripped: `&'a mut Foo<Bar>` is `Foo` of `[Bar]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ty {
    /// Path segments, without generic arguments: `["std", "time", "Duration"]`. Empty where there is no path (tuples, arrays).
    pub path: Vec<String>,
    /// Generic arguments of the last segment that has some; a tuple's or array's members; inputs of `Fn(..)`, its output last.
    pub args: Vec<Ty>,
    /// What kind of type was written.
    pub shape: TyShape,
}

/// What kind of type was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TyShape {
    /// A path.
    #[default]
    Path,
    /// `impl Trait`; `path` is the first trait's. `impl Fn(A) -> B` too: path `Fn`, arguments `[A, B]`.
    Impl,
    /// `dyn Trait`; `path` is the first trait's. `dyn Fn(A) -> B` too.
    Dyn,
    /// `(A, B)`; `()` has no args.
    Tuple,
    /// `[T]`, `[T; N]`.
    Slice,
    /// `fn(A) -> B` (no path), or `Fn(A) -> B` as a bound. Without an output the last argument is `()`.
    Fn,
    /// `_`, `!`, macros and the rest.
    Other,
}

impl Ty {
    /// The last segment: `Duration` of `std::time::Duration`; empty where there is no path.
    pub fn name(&self) -> &str {
        self.path.last().map_or("", String::as_str)
    }
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it is written.
    pub span: Span,
}

/// A path as written: `a::b::<T>::c` is `["a", "b", "c"]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// Its segments without generic arguments. A leading `::` gives an empty first segment. `<T as Trait>::f` is `["T", "f"]`.
    pub segments: Vec<String>,
    /// The last turbofish: `parse::<u64>` has `[u64]`.
    pub generics: Vec<Ty>,
}

impl Path {
    /// The only segment of a one-segment path.
    pub fn single(&self) -> Option<&str> {
        match self.segments.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// The last segment; empty for an empty path.
    pub fn last(&self) -> &str {
        self.segments.last().map_or("", String::as_str)
    }
}

/// What an expression is. Parentheses, groups, `unsafe` and `const` blocks' braces leave no node of their own but their content.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A literal.
    Lit(Lit),
    /// A path, or a variable.
    Path(Path),
    /// `-x`, `!x`, `*x`.
    Unary(UnOp, ExprId),
    /// `a + b`, `a < b`, `a && b`.
    Binary(BinOp, ExprId, ExprId),
    /// `a = b`
    Assign(ExprId, ExprId),
    /// `a += b`
    AssignOp(BinOp, ExprId, ExprId),
    /// `f(a)`
    Call(ExprId, Vec<ExprId>),
    /// `r.name(a)`
    Method(MethodCall),
    /// `e.name`, `e.0`
    Field(ExprId, String),
    /// `e[i]`
    Index(ExprId, ExprId),
    /// `(a, b)`
    Tuple(Vec<ExprId>),
    /// `[a, b]`
    Array(Vec<ExprId>),
    /// `[value; length]`
    Repeat(ExprId, ExprId),
    /// `Path { field: value, ..base }`
    Struct(StructLit),
    /// `a..b`, `a..=b`
    Range {
        /// Left of the dots.
        start: Option<ExprId>,
        /// Right of the dots.
        end: Option<ExprId>,
        /// `..=`
        inclusive: bool,
    },
    /// `e as T`
    Cast(ExprId, Ty),
    /// `&e`, `&mut e`
    Ref(ExprId),
    /// `e?`
    Try(ExprId),
    /// `e.await`
    Await(ExprId),
    /// `{ … }`, labelled or not.
    Block(Block),
    /// `if c { a } else { b }`; the condition may be a `Let` or an `&&` chain with `Let`s in it.
    If {
        /// The condition.
        cond: ExprId,
        /// The block.
        then: ExprId,
        /// The other block, or another `If`.
        otherwise: Option<ExprId>,
    },
    /// `let p = e` inside a condition.
    Let(PatId, ExprId),
    /// `match e { … }`
    Match(ExprId, Vec<Arm>),
    /// `loop { … }`
    Loop {
        /// `'label:`
        label: Option<String>,
        /// The block.
        body: ExprId,
    },
    /// `while c { … }`
    While {
        /// `'label:`
        label: Option<String>,
        /// The condition.
        cond: ExprId,
        /// The block.
        body: ExprId,
    },
    /// `for p in e { … }`
    For {
        /// `'label:`
        label: Option<String>,
        /// What is bound.
        pat: PatId,
        /// What is iterated.
        iter: ExprId,
        /// The block.
        body: ExprId,
    },
    /// `break 'label value`; labels are kept without their `'`, here and in loops and blocks.
    Break(Option<String>, Option<ExprId>),
    /// `continue 'label`
    Continue(Option<String>),
    /// `return e`
    Return(Option<ExprId>),
    /// `|a| e`
    Closure {
        /// Its parameters.
        params: Vec<Param>,
        /// Its value.
        body: ExprId,
        /// `async |a| e`
        is_async: bool,
    },
    /// `async { … }`; also the body of `stream!`-like macros (see `Macro`).
    Async(ExprId),
    /// `yield e`
    Yield(Option<ExprId>),
    /// A macro call.
    Macro(MacroCall),
    /// What syn keeps as tokens, and the rest.
    Other,
}

impl ExprKind {
    /// `loop`, `while` or `for`.
    pub fn is_loop(&self) -> bool {
        matches!(self, Self::Loop { .. } | Self::While { .. } | Self::For { .. })
    }
}

/// `receiver.name::<generics>(args)`
#[derive(Clone, Debug)]
pub struct MethodCall {
    /// Left of the dot.
    pub receiver: ExprId,
    /// The method.
    pub name: String,
    /// Where its name is written.
    pub name_span: Span,
    /// The turbofish.
    pub generics: Vec<Ty>,
    /// The arguments.
    pub args: Vec<ExprId>,
}

/// `Path { fields, ..base }`
#[derive(Clone, Debug)]
pub struct StructLit {
    /// Its type or variant.
    pub path: Path,
    /// Its fields, as written.
    pub fields: Vec<(String, ExprId)>,
    /// `..base`
    pub base: Option<ExprId>,
}

/// `{ stmts; tail }`
#[derive(Clone, Debug)]
pub struct Block {
    /// `'label:`
    pub label: Option<String>,
    /// Statements, in order.
    pub stmts: Vec<Stmt>,
    /// The value, where the last expression has no semicolon.
    pub tail: Option<ExprId>,
}

/// A statement. Items inside bodies are left out: the outline has them.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// `let p: T = e else { … };`
    Let {
        /// What is bound.
        pat: PatId,
        /// The written type.
        ty: Option<Ty>,
        /// The value.
        init: Option<ExprId>,
        /// `else { … }`
        otherwise: Option<ExprId>,
        /// The whole statement.
        span: Span,
    },
    /// `e;` or a block-like `e`.
    Expr(ExprId),
}

/// `pat if guard => body`
#[derive(Clone, Debug)]
pub struct Arm {
    /// The pattern.
    pub pat: PatId,
    /// The guard.
    pub guard: Option<ExprId>,
    /// The value.
    pub body: ExprId,
}

/// A macro call and what of its tokens could be read.
#[derive(Clone, Debug)]
pub struct MacroCall {
    /// The macro's path.
    pub path: Path,
    /// How its tokens were read.
    pub input: MacroInput,
    /// What its tokens read besides: `{name}` in a format string, names among tokens that nobody can parse. Paths all, variables or not.
    pub captures: Vec<ExprId>,
}

/// How a macro's tokens were read: the first reading that parses, in this order.
#[derive(Clone, Debug)]
pub enum MacroInput {
    /// Comma-separated expressions (`name = value` gives the value): `println!("{}", e)`, `vec![a, b]`, `retry!(op().await)`, `join!(a, b)`.
    /// `matches!(e, P if g)` is not here but an `If`-less `Match`-like node: see `Matches`.
    Args(Vec<ExprId>),
    /// `expr, pat if guard`: `matches!`, `assert_matches!`.
    Matches {
        /// What is looked at.
        value: ExprId,
        /// The pattern.
        pat: PatId,
        /// The guard.
        guard: Option<ExprId>,
    },
    /// `pat = future, if guard => handler` (tokio, with `biased;` and `else =>`) or `pat = future => handler` (futures), `recv(r) -> m => handler` (crossbeam: pattern `m`, future `r`).
    Select {
        /// Its arms, in order.
        arms: Vec<SelectArm>,
        /// Whether arms are tried in order.
        biased: bool,
    },
    /// Statements: `try_stream! { … }` and the like, read as one block; also a lone loop, `if`, `match` or block in braces (`stream! { loop { … } }`).
    /// `cfg_if!` and `cfg_select!` are an `If` chain in it, with `Other` for conditions.
    Block(ExprId),
    /// Nothing that we can read; the words (identifiers) in it, at most 64.
    Words(Vec<String>),
}

/// One arm of a `select!`.
#[derive(Clone, Debug)]
pub struct SelectArm {
    /// What is bound; `None` for `else`, `default` and `complete`.
    pub pat: Option<PatId>,
    /// What is waited for; `None` for `else`, `default` and `complete`. Of `send(s, v)` the tuple of both; of `default(timeout)` the timeout.
    pub future: Option<ExprId>,
    /// `, if guard`
    pub guard: Option<ExprId>,
    /// What is done.
    pub body: ExprId,
}

/// A literal.
#[derive(Clone, Debug, PartialEq)]
pub enum Lit {
    /// An integer that fits, with its suffix (`u32`) or an empty one.
    Int(u128, String),
    /// A float, with its suffix or an empty one.
    Float(f64, String),
    /// `true`, `false`
    Bool(bool),
    /// A string.
    Str(String),
    /// A character.
    Char(char),
    /// Byte strings and the rest.
    Other,
}

/// A prefix operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnOp {
    /// `-`
    Neg,
    /// `!`
    Not,
    /// `*`
    Deref,
}

/// An infix operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl BinOp {
    /// Whether it compares, and gives a truth.
    pub fn compares(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge)
    }
}

/// A pattern.
#[derive(Clone, Debug)]
pub struct Pat {
    /// What it is.
    pub kind: PatKind,
    /// Where it is written.
    pub span: Span,
}

/// What a pattern is. References, parentheses, `box` and type ascriptions leave no node of their own.
#[derive(Clone, Debug)]
pub enum PatKind {
    /// `_`
    Wild,
    /// `..`
    Rest,
    /// `name`, `ref mut name`, `name @ sub`. A lone lower-case name binds; a lone upper-case one is a `Path`.
    Bind {
        /// The variable.
        name: String,
        /// `mut` before it.
        mutable: bool,
        /// After the `@`.
        sub: Option<PatId>,
    },
    /// `None`, `Kind::Timeout`
    Path(Path),
    /// `Ok(x)`, `Error::Io(e)`
    TupleStruct(Path, SmallVec<[PatId; 2]>),
    /// `Error::Status { code, .. }`
    Struct(Path, Vec<(String, PatId)>),
    /// `(a, b)`
    Tuple(Vec<PatId>),
    /// `[a, .., b]`
    Slice(Vec<PatId>),
    /// `a | b`
    Or(Vec<PatId>),
    /// `5`
    Lit(ExprId),
    /// `400..=499`
    Range {
        /// Left of the dots.
        start: Option<ExprId>,
        /// Right of the dots.
        end: Option<ExprId>,
        /// `..=`
        inclusive: bool,
    },
    /// A guard nested in a pattern, macros and the rest.
    Other,
}

impl Body {
    /// The expression of this index.
    pub fn expr(&self, id: ExprId) -> &Expr {
        self.exprs.get(id.0 as usize).unwrap_or(&NOTHING)
    }

    /// The pattern of this index.
    pub fn pat(&self, id: PatId) -> &Pat {
        self.pats.get(id.0 as usize).unwrap_or(&ANYTHING)
    }

    /// Which parameter a local variable is, the receiver not counted; `None` for any other.
    pub fn param(&self, local: Local) -> Option<usize> {
        self.params.iter().position(|param| param.pat == local)
    }

    /// The path of the variant or struct that a pattern asks for.
    pub fn variant(&self, id: PatId) -> Option<&Path> {
        match &self.pat(id).kind {
            PatKind::Path(path) | PatKind::TupleStruct(path, _) | PatKind::Struct(path, _) => Some(path),
            _ => None,
        }
    }

    /// Every expression; children come before their parents.
    pub fn exprs(&self) -> impl Iterator<Item = (ExprId, &Expr)> {
        (0..).map(ExprId).zip(&self.exprs)
    }

    /// Every pattern.
    pub fn pats(&self) -> impl Iterator<Item = (PatId, &Pat)> {
        (0..).map(PatId).zip(&self.pats)
    }

    /// The local variable that a path expression names; `None` for anything else.
    pub fn local(&self, id: ExprId) -> Option<Local> {
        self.locals.get(id.0 as usize).copied().flatten()
    }

    /// The local variable that a binding pattern introduces: itself, save for the later alternatives of an or-pattern.
    pub fn local_of(&self, id: PatId) -> Local {
        self.binds.get(id.0 as usize).copied().unwrap_or(id)
    }
}

static NOTHING: Expr = Expr { kind: ExprKind::Other, span: Span { start: 0, end: 0 } };
static ANYTHING: Pat = Pat { kind: PatKind::Other, span: Span { start: 0, end: 0 } };
