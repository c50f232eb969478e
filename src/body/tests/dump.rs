//! A body as one line: `(operator operand …)`, names bare, `{ … }` a block.

use crate::body::{
    Block, Body, ExprId, ExprKind, Lit, MacroInput, Param, PatId, PatKind, Path, Stmt, Ty, TyShape,
};

pub(super) fn expr(body: &Body, id: ExprId) -> String {
    let e = |id: &ExprId| expr(body, *id);
    let all = |ids: &[ExprId]| ids.iter().map(|id| format!(" {}", e(id))).collect::<String>();
    let opt = |id: &Option<ExprId>| id.as_ref().map_or_else(String::new, |id| format!(" {}", e(id)));
    let label =
        |label: &Option<String>| label.as_ref().map_or_else(String::new, |label| format!(" '{label}"));
    match &body.expr(id).kind {
        ExprKind::Lit(lit) => literal(lit),
        ExprKind::Path(path) => self::path(path),
        ExprKind::Unary(op, inner) => format!("({op:?} {})", e(inner)),
        ExprKind::Binary(op, left, right) => format!("({op:?} {} {})", e(left), e(right)),
        ExprKind::Assign(place, value) => format!("(= {} {})", e(place), e(value)),
        ExprKind::AssignOp(op, place, value) => format!("({op:?}= {} {})", e(place), e(value)),
        ExprKind::Call(callee, args) => format!("(call {}{})", e(callee), all(args)),
        ExprKind::Method(call) => {
            format!("(.{}{} {}{})", call.name, angle(&call.generics), e(&call.receiver), all(&call.args))
        }
        ExprKind::Field(inner, name) => format!("(field {} {name})", e(inner)),
        ExprKind::Index(inner, index) => format!("(index {} {})", e(inner), e(index)),
        ExprKind::Tuple(items) => format!("(tuple{})", all(items)),
        ExprKind::Array(items) => format!("(array{})", all(items)),
        ExprKind::Repeat(item, len) => format!("(repeat {} {})", e(item), e(len)),
        ExprKind::Struct(literal) => {
            let fields: String =
                literal.fields.iter().map(|(name, value)| format!(" {name}:{}", e(value))).collect();
            let base = literal.base.as_ref().map_or_else(String::new, |base| format!(" ..{}", e(base)));
            format!("(struct {}{fields}{base})", self::path(&literal.path))
        }
        ExprKind::Range { start, end, inclusive } => {
            format!("(range{} {}{})", opt(start), if *inclusive { "..=" } else { ".." }, opt(end))
        }
        ExprKind::Cast(inner, ty) => format!("(as {} {})", e(inner), self::ty(ty)),
        ExprKind::Ref(inner) => format!("(& {})", e(inner)),
        ExprKind::Try(inner) => format!("(? {})", e(inner)),
        ExprKind::Await(inner) => format!("(await {})", e(inner)),
        ExprKind::Block(block) => self::block(body, block),
        ExprKind::If { cond, then, otherwise } => format!("(if {} {}{})", e(cond), e(then), opt(otherwise)),
        ExprKind::Let(bound, value) => format!("(let {} {})", pat(body, *bound), e(value)),
        ExprKind::Match(value, arms) => {
            let arms: String = arms
                .iter()
                .map(|arm| {
                    let guard =
                        arm.guard.as_ref().map_or_else(String::new, |guard| format!(" if {}", e(guard)));
                    format!(" [{}{guard} => {}]", pat(body, arm.pat), e(&arm.body))
                })
                .collect();
            format!("(match {}{arms})", e(value))
        }
        ExprKind::Loop { label: name, body } => format!("(loop{} {})", label(name), e(body)),
        ExprKind::While { label: name, cond, body } => {
            format!("(while{} {} {})", label(name), e(cond), e(body))
        }
        ExprKind::For { label: name, pat: bound, iter, body: inner } => {
            format!("(for{} {} {} {})", label(name), pat(body, *bound), e(iter), e(inner))
        }
        ExprKind::Break(name, value) => format!("(break{}{})", label(name), opt(value)),
        ExprKind::Continue(name) => format!("(continue{})", label(name)),
        ExprKind::Return(value) => format!("(return{})", opt(value)),
        ExprKind::Closure { params, body: inner, is_async } => {
            format!(
                "({}|{}| {})",
                if *is_async { "async " } else { "" },
                self::params(body, params),
                e(inner)
            )
        }
        ExprKind::Async(inner) => format!("(async {})", e(inner)),
        ExprKind::Yield(value) => format!("(yield{})", opt(value)),
        ExprKind::Macro(call) => format!("({}! {})", self::path(&call.path), macro_input(body, &call.input)),
        ExprKind::Other => "OTHER".to_owned(),
    }
}

pub(super) fn pat(body: &Body, id: PatId) -> String {
    let p = |id: &PatId| pat(body, *id);
    let all = |ids: &[PatId]| ids.iter().map(p).collect::<Vec<_>>().join(" ");
    let bound = |id: &Option<ExprId>| id.as_ref().map_or_else(String::new, |id| expr(body, *id));
    match &body.pat(id).kind {
        PatKind::Wild => "_".to_owned(),
        PatKind::Rest => "..".to_owned(),
        PatKind::Bind { name, mutable, sub } => {
            let sub = sub.as_ref().map_or_else(String::new, |sub| format!("@{}", p(sub)));
            format!("{}{name}{sub}", if *mutable { "mut " } else { "" })
        }
        PatKind::Path(path) => format!("={}", self::path(path)),
        PatKind::TupleStruct(path, inside) => format!("{}({})", self::path(path), all(inside)),
        PatKind::Struct(path, fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(name, field)| format!("{name}:{}", p(field))).collect();
            format!("{}{{{}}}", self::path(path), fields.join(" "))
        }
        PatKind::Tuple(inside) => format!("({})", all(inside)),
        PatKind::Slice(inside) => format!("[{}]", all(inside)),
        PatKind::Or(cases) => cases.iter().map(p).collect::<Vec<_>>().join("|"),
        PatKind::Lit(lit) => expr(body, *lit),
        PatKind::Range { start, end, inclusive } => {
            format!("{}{}{}", bound(start), if *inclusive { "..=" } else { ".." }, bound(end))
        }
        PatKind::Other => "OTHER".to_owned(),
    }
}

pub(super) fn ty(ty: &Ty) -> String {
    let shape = match ty.shape {
        TyShape::Path => "",
        TyShape::Impl => "impl ",
        TyShape::Dyn => "dyn ",
        TyShape::Tuple => "tuple",
        TyShape::Slice => "slice",
        TyShape::Fn => "fn ",
        TyShape::Other => "other",
    };
    format!("{shape}{}{}", ty.path.join("::"), angle(&ty.args))
}

pub(super) fn params(body: &Body, params: &[Param]) -> String {
    let params = params.iter().map(|param| {
        let ty = param.ty.as_ref().map_or_else(String::new, |written| format!(": {}", ty(written)));
        format!("{}{ty}", pat(body, param.pat))
    });
    params.collect::<Vec<_>>().join(", ")
}

fn block(body: &Body, block: &Block) -> String {
    let mut parts: Vec<String> =
        block.stmts.iter().map(|stmt| format!("{};", self::stmt(body, stmt))).collect();
    parts.extend(block.tail.map(|tail| expr(body, tail)));
    let label = block.label.as_ref().map_or_else(String::new, |label| format!("'{label} "));
    format!("{label}{{{}}}", parts.join(" "))
}

fn stmt(body: &Body, stmt: &Stmt) -> String {
    match stmt {
        Stmt::Expr(inner) => expr(body, *inner),
        Stmt::Let { pat: bound, ty: written, init, otherwise, .. } => {
            let written = written.as_ref().map_or_else(String::new, |written| format!(": {}", ty(written)));
            let init = init.map_or_else(String::new, |init| format!(" = {}", expr(body, init)));
            let otherwise =
                otherwise.map_or_else(String::new, |inner| format!(" else {}", expr(body, inner)));
            format!("let {}{written}{init}{otherwise}", pat(body, *bound))
        }
    }
}

fn macro_input(body: &Body, input: &MacroInput) -> String {
    let e = |id: &ExprId| expr(body, *id);
    let guard = |id: &Option<ExprId>| id.as_ref().map_or_else(String::new, |id| format!(" if {}", e(id)));
    match input {
        MacroInput::Args(args) => format!("args[{}]", args.iter().map(e).collect::<Vec<_>>().join(", ")),
        MacroInput::Matches { value, pat: bound, guard: asked } => {
            format!("matches[{}, {}{}]", e(value), pat(body, *bound), guard(asked))
        }
        MacroInput::Select { arms, biased } => {
            let arms = arms.iter().map(|arm| {
                let bound = arm.pat.map_or_else(|| "-".to_owned(), |bound| pat(body, bound));
                let future = arm.future.map_or_else(|| "-".to_owned(), |future| expr(body, future));
                format!("{bound} = {future}{} => {}", guard(&arm.guard), e(&arm.body))
            });
            let arms = arms.collect::<Vec<_>>().join(", ");
            format!("{}select[{arms}]", if *biased { "biased " } else { "" })
        }
        MacroInput::Block(inner) => format!("block{}", e(inner)),
        MacroInput::Words(words) => format!("words[{}]", words.join(" ")),
    }
}

fn path(path: &Path) -> String {
    format!("{}{}", path.segments.join("::"), angle(&path.generics))
}

fn angle(types: &[Ty]) -> String {
    if types.is_empty() {
        return String::new();
    }
    format!("<{}>", types.iter().map(ty).collect::<Vec<_>>().join(", "))
}

fn literal(lit: &Lit) -> String {
    match lit {
        Lit::Int(value, suffix) => format!("{value}{suffix}"),
        Lit::Float(value, suffix) => format!("{value:?}{suffix}"),
        Lit::Bool(value) => value.to_string(),
        Lit::Str(value) => format!("{value:?}"),
        Lit::Char(value) => format!("{value:?}"),
        Lit::Other => "LIT".to_owned(),
    }
}
