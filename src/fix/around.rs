//! The source around a site, as a change of it needs it: the body by its expressions, the statement that one stands in, indentation, what is
//! called how here. It looks only; what is written in its place is told elsewhere.

use crate::body::{Body, ExprId, ExprKind, Span, Stmt};
use crate::knowledge::Knowledge;
use crate::model::Place;
use crate::resolve::{Crate, ItemRef, Target};
use crate::source::{ItemId, ItemKind, SourceFile};

/// One body, and the file that it stands in.
pub(super) struct Around<'a> {
    pub(super) krate: &'a Crate,
    pub(super) knowledge: &'a Knowledge,
    pub(super) at: ItemRef,
    pub(super) file: &'a SourceFile,
    pub(super) body: &'a Body,
    parents: Vec<Option<ExprId>>,
}

/// A statement of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Statement {
    /// From its first token to its semicolon, where it has one.
    pub(super) span: Span,
    /// Its expression, or what a `let` is given.
    pub(super) expr: ExprId,
    /// The block's value, without a semicolon.
    pub(super) is_tail: bool,
    /// `let … = …`
    pub(super) is_let: bool,
}

impl<'a> Around<'a> {
    /// The body that a place stands in; `None` where nothing there could be read.
    pub(super) fn of(krate: &'a Crate, knowledge: &'a Knowledge, place: &Place) -> Option<Self> {
        let (number, file) = (0_u32..).zip(&krate.files).find(|(_, file)| file.path == place.path)?;
        let wanted = span_of(place);
        let holds = |span: Option<Span>| span.is_some_and(|span| span.contains(wanted));
        let items = (0_u32..).zip(&file.outline.items).filter(|(_, item)| {
            matches!(item.kind, ItemKind::Fn | ItemKind::Const | ItemKind::Static | ItemKind::MacroRules)
                && (holds(item.body) || item.kind == ItemKind::MacroRules && item.span.contains(wanted))
        });
        let (item, outlined) = items.max_by_key(|(_, item)| item.span.start)?;
        // what an exported macro writes is compiled in another crate, which may not have what is written here
        if file.slice(outlined.attributes).contains("macro_export") {
            return None;
        }
        let at = ItemRef { file: number, item: ItemId(item) };
        let arm = |body: &&Body| body.expr(body.root).span.contains(wanted);
        let body = krate.body(at).or_else(|| krate.macro_arms(at).iter().find(arm))?;
        Some(Self { krate, knowledge, at, file, body, parents: body.parents() })
    }

    /// The expression that is written at a place.
    pub(super) fn expr(&self, place: &Place) -> Option<ExprId> {
        let wanted = span_of(place);
        self.body.exprs().filter(|(_, expr)| expr.span == wanted).map(|(id, _)| id).last()
    }

    pub(super) fn span(&self, id: ExprId) -> Span {
        self.body.expr(id).span
    }

    pub(super) fn text(&self, id: ExprId) -> &'a str {
        self.file.slice(self.span(id))
    }

    /// The text of an expression on one line, without the breaks that its own place gave it.
    pub(super) fn line(&self, id: ExprId) -> String {
        let text = self.text(id);
        if !text.contains('\n') || text.contains("//") {
            return text.to_owned();
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        words.join(" ").replace("( ", "(").replace(", )", ")").replace(" )", ")").replace(" .", ".")
    }

    pub(super) fn parent(&self, id: ExprId) -> Option<ExprId> {
        self.parents.get(id.0 as usize).copied().flatten()
    }

    /// A call with the `.await` behind it, where there is one.
    pub(super) fn awaited(&self, call: ExprId) -> ExprId {
        let awaits = |parent: &ExprId| matches!(self.body.expr(*parent).kind, ExprKind::Await(_));
        self.parent(call).filter(awaits).unwrap_or(call)
    }

    /// The expressions that one stands in, the innermost first.
    pub(super) fn above(&self, id: ExprId) -> impl Iterator<Item = ExprId> {
        std::iter::successors(self.parent(id), |at| self.parent(*at))
    }

    /// The innermost loop that an expression stands in.
    pub(super) fn loop_around(&self, id: ExprId) -> Option<ExprId> {
        self.above(id).find(|at| self.body.expr(*at).kind.is_loop())
    }

    /// The block of a loop.
    pub(super) fn body_of_loop(&self, looped: ExprId) -> Option<ExprId> {
        match &self.body.expr(looped).kind {
            ExprKind::Loop { body, .. } | ExprKind::While { body, .. } | ExprKind::For { body, .. } => {
                Some(*body)
            }
            _ => None,
        }
    }

    /// The innermost statement that an expression stands in, itself included; none beyond a closure or task.
    pub(super) fn statement(&self, id: ExprId) -> Option<Statement> {
        let mut inner = id;
        loop {
            let outer = self.parent(inner)?;
            if let Some(found) = self.statement_of(outer, inner) {
                return Some(found);
            }
            if matches!(self.body.expr(outer).kind, ExprKind::Closure { .. }) {
                return None;
            }
            inner = outer;
        }
    }

    /// The match arm's body that an expression stands in, if no statement or closure is nearer.
    pub(super) fn arm_body(&self, id: ExprId) -> Option<ExprId> {
        let mut inner = id;
        loop {
            let outer = self.parent(inner)?;
            match &self.body.expr(outer).kind {
                ExprKind::Match(_, arms) if arms.iter().any(|arm| arm.body == inner) => return Some(inner),
                ExprKind::Block(_) | ExprKind::Closure { .. } | ExprKind::Macro(_) => return None,
                _ => inner = outer,
            }
        }
    }

    fn statement_of(&self, block: ExprId, inside: ExprId) -> Option<Statement> {
        let ExprKind::Block(block) = &self.body.expr(block).kind else { return None };
        if block.tail == Some(inside) {
            return Some(Statement { span: self.span(inside), expr: inside, is_tail: true, is_let: false });
        }
        block.stmts.iter().find_map(|stmt| match stmt {
            Stmt::Let { init: Some(init), otherwise, span, .. }
                if *init == inside || *otherwise == Some(inside) =>
            {
                Some(Statement { span: *span, expr: *init, is_tail: false, is_let: true })
            }
            Stmt::Expr(expr) if *expr == inside => {
                let span = self.span(*expr);
                let end = self.semicolon_after(span.end).unwrap_or(span.end);
                Some(Statement { span: Span { end, ..span }, expr: *expr, is_tail: false, is_let: false })
            }
            _ => None,
        })
    }

    /// Whether an attribute stands before a statement: what is put between them, or behind, is not meant.
    pub(super) fn has_attribute(&self, statement: Span) -> bool {
        let before = self.file.text.get(..statement.start as usize).unwrap_or_default().trim_end();
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        before.ends_with(']') && before.get(line..).is_some_and(|line| line.trim_start().starts_with("#["))
    }

    /// The byte after the semicolon that follows at once.
    fn semicolon_after(&self, end: u32) -> Option<u32> {
        let rest = self.file.text.get(end as usize..)?;
        let blank = rest.len() - rest.trim_start().len();
        rest.trim_start().starts_with(';').then_some(end + blank as u32 + 1)
    }

    /// What the line of a byte begins with.
    pub(super) fn indent(&self, byte: u32) -> &'a str {
        let before = self.file.text.get(..byte as usize).unwrap_or_default();
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        let line = self.file.text.get(line..).unwrap_or_default();
        let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
        line.get(..blank).unwrap_or_default()
    }

    /// One step of indentation, as the lines of this file have it.
    pub(super) fn step(&self) -> &'static str {
        if self.file.text.lines().any(|line| line.starts_with('\t')) { "\t" } else { "    " }
    }

    /// How lines end here.
    pub(super) fn newline(&self) -> &'static str {
        // by the first of them: a file of one long line is not searched through for each finding
        let before = self.file.text.find('\n').and_then(|end| self.file.text.get(..end));
        if before.is_some_and(|line| line.ends_with('\r')) { "\r\n" } else { "\n" }
    }

    /// A name that nothing in this item has: the first of these that is free.
    pub(super) fn free_name(&self, wanted: &[&'static str]) -> Option<&'static str> {
        let text = self.krate.item(self.at).map_or("", |item| self.file.slice(item.span));
        wanted.iter().copied().find(|name| !has_word(text, name))
    }

    /// How `Duration` is called: as the expression next to it writes it, by its name where that is imported, else by its path. In a macro
    /// by its path: names mean what they mean where it is called.
    pub(super) fn duration(&self, beside: ExprId) -> String {
        let is_macro = self.krate.item(self.at).is_some_and(|item| item.kind == ItemKind::MacroRules);
        let written = self.body.exprs().find_map(|(id, expr)| match &expr.kind {
            ExprKind::Path(path) if self.span(beside).contains(self.span(id)) => {
                let (_, ty) = path.segments.split_last()?;
                self.is_duration_path(ty).then(|| ty.join("::"))
            }
            _ => None,
        });
        match written {
            Some(written) => written,
            None if !is_macro && self.is_duration_path(&["Duration".to_owned()]) => "Duration".to_owned(),
            None => "std::time::Duration".to_owned(),
        }
    }

    /// How std's `Instant` is called: by its name where that is imported, else by its path.
    pub(super) fn instant(&self) -> &'static str {
        let std = ["std", "time", "Instant"];
        let is_std = matches!(self.krate.path(self.at, &["Instant".to_owned()]), Target::External(full) if full == std);
        if is_std { "Instant" } else { "std::time::Instant" }
    }

    /// Whether a path is std's `Duration`, or another name for it.
    fn is_duration_path(&self, path: &[String]) -> bool {
        matches!(self.krate.path(self.at, path), Target::External(full) if self.knowledge.is_duration(&full))
    }

    /// `Duration::from_secs(30)`, or in milliseconds where that says it exactly.
    pub(super) fn seconds(&self, seconds: f64, beside: ExprId) -> String {
        let duration = self.duration(beside);
        if seconds.fract() == 0.0 {
            return format!("{duration}::from_secs({seconds:.0})");
        }
        format!("{duration}::from_millis({:.0})", seconds * 1000.0)
    }

    /// Whether an expression is what a method is called on, or an operand that binds tighter than a sum.
    pub(super) fn is_receiver(&self, outer: ExprId, inner: ExprId) -> bool {
        match &self.body.expr(outer).kind {
            ExprKind::Method(call) => call.receiver == inner,
            ExprKind::Binary(..) | ExprKind::Unary(..) | ExprKind::Cast(..) | ExprKind::Field(..) => true,
            _ => false,
        }
    }

    /// An expression as the receiver of a method.
    pub(super) fn as_receiver(&self, id: ExprId) -> String {
        let text = self.text(id);
        let binds = matches!(
            self.body.expr(id).kind,
            ExprKind::Path(_)
                | ExprKind::Call(..)
                | ExprKind::Method(_)
                | ExprKind::Field(..)
                | ExprKind::Index(..)
                | ExprKind::Macro(_)
                | ExprKind::Await(_)
                | ExprKind::Try(_)
                | ExprKind::Tuple(_)
                | ExprKind::Lit(_)
        );
        // parentheses leave no node: what is written with them may begin before its first part
        if binds || text.starts_with('(') && text.ends_with(')') && closes_at_end(text) {
            text.to_owned()
        } else {
            format!("({text})")
        }
    }
}

/// Whether the parenthesis that a text begins with is closed by the one that it ends with.
fn closes_at_end(text: &str) -> bool {
    let mut open = 0_u32;
    let last = text.len() - 1;
    text.char_indices().all(|(at, c)| {
        match c {
            '(' => open += 1,
            ')' => open = open.saturating_sub(1),
            _ => {}
        }
        open > 0 || at == last
    })
}

/// The bytes of a place.
pub(super) fn span_of(place: &Place) -> Span {
    Span { start: place.start_byte, end: place.end_byte }
}

/// Whether a text has a word.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    words(text, word).next().is_some()
}

/// Where a text has a word: between characters that no name has.
pub(super) fn words<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> {
    let part = |c: char| c == '_' || c.is_alphanumeric();
    text.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let before = text.get(..*at).and_then(|it| it.chars().next_back());
        let after = text.get(at + word.len()..).and_then(|it| it.chars().next());
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}
