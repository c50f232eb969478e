//! The server's own word of how long to wait, where the reply that has it is at hand: at least as long, and a random part more; else the loop's own delay.
//! Where no reply is in scope, or it may be gone, there is no fix: what is guessed would be worse than none.

use super::around::{Around, Statement, span_of};
use super::draws::{self, Draws, usable};
use super::edits::{insert, replace};
use super::layout::{WIDTH, broken, indented, printed, relative, with};
use super::{Draft, Wanted, draw_above};
use crate::body::{ExprId, ExprKind, Local, Span};
use crate::knowledge::{Code, Does};
use crate::model::{Edit, Jitter, ReplyAt, WaitAt};

/// Names for what the server says.
const NAMES: &[&str] = &["retry_after", "hint", "told_delay"];

/// Seconds that a server is waited for at most: one may ask for a year, or for more than a `Duration` holds.
const LONGEST_S: f64 = 300.0;

/// Names for what is waited.
const PAUSES: &[&str] = &["pause", "wait_time"];

/// The drafts of a wait that does not ask the server: one for each source of random numbers.
pub(super) fn drafts(around: &Around<'_>, wanted: &Wanted<'_>) -> Vec<Draft> {
    let handles = &wanted.site.handles;
    if handles.more_waits || handles.waits.iter().any(|wait| !wait.is_duration) {
        return Vec::new();
    }
    draws::of(around, wanted)
        .into_iter()
        .filter_map(|draws| {
            let edits: Vec<Edit> = handles
                .waits
                .iter()
                .filter_map(|wait| told(around, wanted, wait, &draws))
                .flatten()
                .collect();
            (!edits.is_empty()).then(|| Draft {
                title: "wait as long as the server asks for, and a random part more".to_owned(),
                edits,
                may_be_safe: false,
                needs: draws.needs.clone(),
            })
        })
        .collect()
}

/// One wait, by what the reply says.
fn told(around: &Around<'_>, wanted: &Wanted<'_>, wait: &WaitAt, draws: &Draws) -> Option<Vec<Edit>> {
    let (given, call) = (around.expr(&wait.given)?, around.expr(&wait.call)?);
    let statement = around.statement(call).filter(|it| is_statement(around, *it, call))?;
    let (code, reply) = wanted
        .site
        .handles
        .replies
        .iter()
        .filter_map(|reply| Some((code(around, reply)?, reply)))
        .find(|(code, reply)| is_there(around, code, reply, statement.span))?;
    let name = around.free_name(NAMES)?;
    let write = usable(around, code)?;
    let read = write.replace("{reply}", &reply.name).replace("{duration}", &around.duration(given));
    let (indent, path) = (around.indent(statement.span.start), &around.file.path);
    let made = broken(&format!("let {name} = {};", one_line(&read)), indent);
    let made = format!("{}{}{indent}", indented(around, &made, indent), around.newline());
    let limit =
        around.seconds(wanted.wishes.longest_s.map_or(LONGEST_S, |longest| longest.min(LONGEST_S)), given);
    let (pause, above) = (around.free_name(PAUSES)?, draw_above(&draws.share));
    // never earlier than the server asked for; what has no random part of its own is drawn from as well
    let bare = wanted.site.delay.jitter.is(&Jitter::None);
    let (each, both) = if bare { ("", &*above) } else { (&*above, "") };
    let own = around.line(given);
    let (told, step) = (format!("told.min({limit}){each}"), around.step());
    let chosen = lines_of(
        &format!("let {pause} = match {name} {{\n{step}Some(told) => {told},\n{step}None => {own},\n}};"),
        indent,
    );
    let made = format!("{made}{}{}{indent}", indented(around, &chosen, indent), around.newline());
    let waits = relative(&with(around, statement.span, given, &format!("{pause}{both}"))?, indent)?;
    // what only the long delay broke is one line again
    let waits = if waits.contains('\n') { printed(&waits).unwrap_or(waits) } else { waits };
    let waits = indented(around, &waits, indent);
    Some(vec![insert(path, statement.span.start, made), replace(path, statement.span, waits)])
}

/// Lines as they are, or laid out anew where one is too long.
fn lines_of(statement: &str, indent: &str) -> String {
    let fits = statement.lines().all(|line| indent.chars().count() + line.chars().count() <= WIDTH);
    if fits { statement.to_owned() } else { printed(statement).unwrap_or_else(|| statement.to_owned()) }
}

/// A statement that does nothing but wait: what is put before it is done before nothing else.
fn is_statement(around: &Around<'_>, statement: Statement, call: ExprId) -> bool {
    !statement.is_let && !around.has_attribute(statement.span) && statement.expr == around.awaited(call)
}

fn code<'a>(around: &Around<'a>, reply: &ReplyAt) -> Option<&'a Code> {
    around.knowledge.code.iter().find(|code| {
        code.does == Does::ReadHint && code.krate == reply.krate && usable(around, code).is_some()
    })
}

/// Code on one line, to be laid out where it stands.
fn one_line(code: &str) -> String {
    code.lines().map(str::trim).collect()
}

/// Whether a reply is in scope at a wait, under its name, and nothing on the way has taken it.
fn is_there(around: &Around<'_>, code: &Code, reply: &ReplyAt, wait: Span) -> bool {
    let bound = span_of(&reply.bound);
    let uses: Vec<(ExprId, Local)> =
        around.body.exprs().filter_map(|(id, _)| Some((id, around.body.local(id)?))).collect();
    let is_it = |local: Local| around.body.pat(local).span == bound;
    if !in_scope(around, bound, wait) {
        return false;
    }
    uses.iter().all(|(id, local)| {
        let at = around.span(*id);
        let between = at.start >= bound.end && at.end <= wait.start;
        let is_named_so = around.text(*id) == reply.name;
        !between || if is_it(*local) { keeps(around, code, *id) } else { !is_named_so }
    })
}

/// Whether what a pattern binds is in scope there.
fn in_scope(around: &Around<'_>, bound: Span, wait: Span) -> bool {
    let holds = |id: ExprId| around.span(id).contains(wait);
    around.body.exprs().any(|(_, expr)| match &expr.kind {
        ExprKind::Match(_, arms) => {
            arms.iter().any(|arm| around.body.pat(arm.pat).span.contains(bound) && holds(arm.body))
        }
        ExprKind::If { cond, then, .. } => match around.body.expr(*cond).kind {
            ExprKind::Let(pat, _) => around.body.pat(pat).span.contains(bound) && holds(*then),
            _ => false,
        },
        ExprKind::Block(block) => {
            let binds = block.stmts.iter().any(|stmt| match stmt {
                crate::body::Stmt::Let { pat, span, .. } => {
                    around.body.pat(*pat).span.contains(bound) && span.end <= wait.start
                }
                crate::body::Stmt::Expr(_) => false,
            });
            binds && expr.span.contains(wait)
        }
        _ => false,
    })
}

/// Whether a use leaves the reply where it is: it only looks, or the path leaves the function or loop with it.
fn keeps(around: &Around<'_>, code: &Code, used: ExprId) -> bool {
    let looks = around.parent(used).is_some_and(|parent| match &around.body.expr(parent).kind {
        ExprKind::Method(call) => call.receiver == used && code.keeps.contains(&call.name),
        ExprKind::Ref(_) | ExprKind::Macro(_) => true,
        _ => false,
    });
    looks
        || around
            .above(used)
            .any(|at| matches!(around.body.expr(at).kind, ExprKind::Return(_) | ExprKind::Break(..)))
}
