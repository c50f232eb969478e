//! A delay that is the same each time becomes the capped exponential with jitter. By the counter that is there, else by a variable that doubles,
//! which begins anew where the loop goes on after a success. Never `U(0, d)` of the constant: that would halve the wait and double the load.

use super::around::{Around, span_of};
use super::draws::{self, Draws};
use super::edits::{insert, replace};
use super::layout::{as_block, begin_with, broken, following, indented, put, relative};
use super::reach::Cap;
use super::{Draft, Wanted, draw_above, logged};
use crate::body::{ExprId, ExprKind};
use crate::model::{BoundKind, Counter, Edit, Jitter, Kind, Success, WaitAt};

/// Names for the variable that doubles.
const NAMES: &[&str] = &["backoff", "retry_backoff", "next_backoff"];

/// Names for what is drawn of it, where the wait is no statement of its own.
const DRAWN: &[&str] = &["delay", "pause", "drawn_delay"];

/// Names for when was waited last.
const WAITED_AT: &[&str] = &["waited_at", "last_wait"];

/// How the variable grows.
#[derive(Clone, Copy, PartialEq)]
enum Grows {
    Doubled,
    ByDraw,
}

/// The statement that makes it grow, and where it stands beside the wait.
enum Step {
    Before(String),
    After(String),
}

/// The drafts of a constant delay, the smallest first.
pub(super) fn drafts(around: &Around<'_>, wanted: &Wanted<'_>) -> Vec<Draft> {
    let handles = &wanted.site.handles;
    let waits = wanted.waits();
    if waits.is_empty() || waits.iter().any(|wait| !wait.is_duration) {
        return Vec::new();
    }
    let first_s = wanted.site.delay.first_s.value().copied().filter(|first| *first > 0.0);
    let bases = waits.iter().filter_map(|wait| base_of(around, wait));
    let cap = Cap::of(around, wanted, first_s, bases);
    let mut found = Vec::new();
    for draws in draws::of(around, wanted) {
        let up_to = cap.words();
        let draft = |edits: Vec<Edit>| Draft {
            title: format!(
                "double the delay{up_to}, and wait a random part of it ({})",
                wanted.jitter_words()
            ),
            edits,
            may_be_safe: false,
            needs: draws.needs.clone(),
        };
        if wanted.wishes.jitter == Jitter::Decorrelated && !wanted.hinted() {
            found.extend(by_variable(around, wanted, cap, &draws, Grows::ByDraw).map(|edits| Draft {
                title: format!(
                    "draw between the delay and three times the last one{up_to} (decorrelated jitter)"
                ),
                ..draft(edits)
            }));
        }
        if let Some(counter) = counter(wanted) {
            found.extend(by_counter(around, wanted, counter, cap, &draws).map(draft));
        }
        if handles.inside.is_none() {
            found.extend(by_variable(around, wanted, cap, &draws, Grows::Doubled).map(draft));
            found.extend(by_time(around, wanted, cap, &draws).map(draft));
        }
    }
    found
}

/// What counts the attempts where the wait is, if it says how often failures followed on one another.
fn counter<'a>(wanted: &'a Wanted<'_>) -> Option<&'a Counter> {
    let handles = &wanted.site.handles;
    if handles.inside.is_some() {
        return handles.counter_inside.as_ref().filter(|_| handles.success == Success::Leaves);
    }
    // what bounds a retry counts through all of it, whatever succeeds in between
    let bounds = wanted.site.kind == Kind::Retry && wanted.site.attempts.kind.is(&BoundKind::Bounded);
    handles.counter.as_ref().filter(|_| handles.success == Success::Leaves || bounds)
}

/// `base * 2^n`, by the number of the attempt.
fn by_counter(
    around: &Around<'_>,
    wanted: &Wanted<'_>,
    counter: &Counter,
    cap: Cap,
    draws: &Draws,
) -> Option<Vec<Edit>> {
    let number = match counter.ty.as_str() {
        "u32" => counter.name.clone(),
        "u8" | "u16" => format!("u32::from({})", counter.name),
        // an integer of any type may be cast
        _ => format!("{} as u32", counter.name),
    };
    let exponent = match counter.first {
        0 => number,
        // others that call it may count otherwise
        first if wanted.site.handles.inside.is_some() => format!("{number}.saturating_sub({first})"),
        first => format!("{number} - {first}"),
    };
    let mut edits = Vec::new();
    let mut texts = wanted.waits().iter().map(|wait| around.expr(&wait.delay).map(|at| around.line(at)));
    let first = texts.next();
    let alike = texts.all(|text| Some(text) == first);
    for wait in wanted.waits() {
        // what somebody else decided on a trip is no constant of this loop
        if !alike && wait.fallback.is_none() {
            let (delay, looped) = (around.expr(&wait.delay)?, around.expr(&wanted.site.place)?);
            can_come_before(around, delay, looped).then_some(())?;
        }
        let at = base_of(around, wait)?;
        let base = around.as_receiver(at);
        let grown = match cap {
            Cap::At(cap) => {
                let cap = around.seconds(cap, at);
                format!("{base}.saturating_mul(2u32.saturating_pow({exponent})).min({cap})")
            }
            Cap::Out => format!("{base}.saturating_mul(2u32.saturating_pow({exponent}))"),
            Cap::Times(doublings) => {
                let exponent =
                    if exponent.contains(' ') { format!("({exponent})") } else { exponent.clone() };
                format!("{base}.saturating_mul(2u32.pow({exponent}.min({doublings})))")
            }
        };
        if wait.fallback.is_some() {
            let (given, above) = above_hint(around, wait, at, draws)?;
            edits.push(replace(&around.file.path, around.span(at), grown));
            edits.push(put(around, given, &above));
        } else {
            let made = format!("{grown}{}", wanted.draw(draws));
            let statement = waited(around, wait).and_then(|waited| around.statement(waited));
            match statement.and_then(|it| logged::drawn_before(around, it, at, &made)) {
                Some((name, told)) => {
                    edits.extend(told);
                    edits.push(replace(&around.file.path, around.span(at), name));
                }
                None => edits.push(put(around, at, &made)),
            }
        }
    }
    Some(edits)
}

/// A variable that holds the delay, doubled after each wait.
fn by_variable(
    around: &Around<'_>,
    wanted: &Wanted<'_>,
    cap: Cap,
    draws: &Draws,
    grows: Grows,
) -> Option<Vec<Edit>> {
    let handles = &wanted.site.handles;
    let looped = loop_of_waits(around, wanted)?;
    let before = around.statement(looped)?;
    let waits = waits_alike(around, wanted, looped)?;
    let (first, _) = *waits.first()?;
    // what stands in an inner loop begins anew with it, and not with this one
    if !waits.iter().all(|(at, _)| around.loop_around(*at) == Some(looped)) {
        return None;
    }
    let base = around.line(first);
    let name = around.free_name(NAMES)?;
    let cap = cap.of_code(around, first).map(|cap| format!(".min({cap})")).unwrap_or_default();
    let mut edits = vec![declared(around, before.span.start, name, &base)];
    let (argument, step) = match grows {
        Grows::Doubled => {
            let argument = format!("{name}{}", wanted.draw(draws));
            (argument, Step::After(format!("{name} = {name}.saturating_mul(2){cap};")))
        }
        // U(base, 3 * previous), capped: the delay is its own state
        Grows::ByDraw => {
            let (base, share) = (around.as_receiver(first), &draws.share);
            let spread = format!("{name}.saturating_mul(3).saturating_sub({base}).mul_f64({share})");
            (name.to_owned(), Step::Before(format!("{name} = {base}.saturating_add({spread}){cap};")))
        }
    };
    for (at, wait) in &waits {
        if wait.fallback.is_none() {
            edits.extend(stepped(around, wait, *at, &argument, &step)?);
            continue;
        }
        if grows == Grows::ByDraw {
            return None;
        }
        let (given, above) = above_hint(around, wait, *at, draws)?;
        edits.push(replace(&around.file.path, around.span(*at), name));
        edits.extend(stepped(around, wait, given, &above, &step)?);
    }
    match &handles.success {
        Success::Leaves => {}
        Success::Unseen => return None,
        // of a retry it may be no success at all: a reply that came, and tells a failure
        Success::GoesOn(_) if wanted.site.kind != Kind::Reconnect => return None,
        Success::GoesOn(blocks) => {
            for block in blocks {
                edits.push(begin_with(around, around.expr(block)?, &format!("{name} = {base};"))?);
            }
        }
    }
    Some(edits)
}

/// A variable that holds the delay, doubled after each wait, which begins anew where the last wait is longer ago than it ever gets: where connections
/// are kept alive, and none can be seen to have succeeded, one that lasted did.
fn by_time(around: &Around<'_>, wanted: &Wanted<'_>, cap: Cap, draws: &Draws) -> Option<Vec<Edit>> {
    let handles = &wanted.site.handles;
    // who waits also where all is well would wait ever longer for nothing
    if wanted.site.kind != Kind::Reconnect
        || handles.success == Success::Leaves
        || !handles.after_failure_only
    {
        return None;
    }
    let looped = around.expr(&wanted.site.place)?;
    let before = around.statement(looped)?;
    let waits = waits_alike(around, wanted, looped)?;
    let (first, _) = *waits.first()?;
    let is_own = |at: ExprId, wait: &WaitAt| {
        around.loop_around(at) == Some(looped) || leaves_inner_loop(around, wait).is_some()
    };
    if !waits.iter().all(|(at, wait)| is_own(*at, wait)) {
        return None;
    }
    let (name, waited_at) = (around.free_name(NAMES)?, around.free_name(WAITED_AT)?);
    // without a cap there would be no telling what lasted
    let (base, cap) = (around.line(first), cap.of_code(around, first)?);
    let now = format!("{}::now()", around.instant());
    let indent = around.indent(before.span.start);
    let mut first_edit = declared(around, before.span.start, name, &base);
    let clock = format!("let mut {waited_at} = {now};{}{indent}", around.newline());
    first_edit.replacement.push_str(&clock);
    let mut edits = vec![first_edit];
    let argument = format!("{name}{}", wanted.draw(draws));
    let step = format!("{name} = {name}.saturating_mul(2).min({cap});\n{waited_at} = {now};");
    for (at, wait) in &waits {
        // what would have to be laid out anew has no statement of its own
        let statement = around.statement(waited(around, wait)?)?;
        if statement.is_let || around.arm_body(statement.expr) == Some(statement.expr) {
            return None;
        }
        let indent = around.indent(statement.span.start);
        let anew = format!("if {waited_at}.elapsed() > {cap} {{\n{}{name} = {base};\n}}", around.step());
        let anew = format!("{}{}{indent}", indented(around, &anew, indent), around.newline());
        edits.push(insert(&around.file.path, statement.span.start, anew));
        edits.extend(stepped(around, wait, *at, &argument, &Step::After(step.clone()))?);
    }
    Some(edits)
}

/// The loop whose trips a variable grows by: the site's, or an inner one that does all the waiting, each time round.
fn loop_of_waits(around: &Around<'_>, wanted: &Wanted<'_>) -> Option<ExprId> {
    let looped = around.expr(&wanted.site.place)?;
    let mut inner = None;
    for wait in &wanted.site.handles.waits {
        let at = around.expr(&wait.delay)?;
        if inner.is_some_and(|inner| around.loop_around(at) != Some(inner)) {
            return Some(looped);
        }
        inner = around.loop_around(at);
    }
    let inner = inner.filter(|inner| *inner != looped && around.span(looped).contains(around.span(*inner)));
    let each_time = |inner: &ExprId| {
        let body = around.body_of_loop(*inner);
        wanted.site.handles.waits.iter().all(|wait| {
            let statement = waited(around, wait).and_then(|waited| around.statement(waited));
            statement.is_some_and(|it| around.parent(it.expr) == body && !it.is_let)
        })
    };
    Some(inner.filter(each_time).unwrap_or(looped))
}

/// What is waited where somebody may have said how long, drawn above that; what is written in the call itself has both in one place.
fn above_hint(around: &Around<'_>, wait: &WaitAt, base: ExprId, draws: &Draws) -> Option<(ExprId, String)> {
    let given = around.expr(&wait.given)?;
    let apart = !span_of(&wait.given).contains(around.span(base));
    apart.then(|| (given, format!("{}{}", around.as_receiver(given), draw_above(&draws.share))))
}

/// What doubles of a wait.
fn base_of(around: &Around<'_>, wait: &WaitAt) -> Option<ExprId> {
    around.expr(wait.fallback.as_ref().unwrap_or(&wait.delay))
}

/// The delays of the waits and those, if they are written alike and can be read before the loop.
fn waits_alike<'w>(
    around: &Around<'_>,
    wanted: &'w Wanted<'_>,
    looped: ExprId,
) -> Option<Vec<(ExprId, &'w WaitAt)>> {
    let waits = &wanted.site.handles.waits;
    let waits: Vec<(ExprId, &WaitAt)> =
        waits.iter().map(|wait| Some((base_of(around, wait)?, wait))).collect::<Option<_>>()?;
    let (first, _) = *waits.first()?;
    let base = around.line(first);
    let alike = waits.iter().all(|(at, _)| around.line(*at) == base);
    (alike && can_come_before(around, first, looped)).then_some(waits)
}

/// Whether a wait in an inner loop is followed by leaving that: `continue 'outer`.
fn leaves_inner_loop(around: &Around<'_>, wait: &WaitAt) -> Option<()> {
    let statement = around.statement(waited(around, wait)?)?;
    let rest = around.file.text.get(statement.span.end as usize..)?;
    rest.trim_start().starts_with("continue '").then_some(())
}

/// `let mut name = base;` on a line before this byte.
fn declared(around: &Around<'_>, before: u32, name: &str, base: &str) -> Edit {
    let indent = around.indent(before);
    let declared = indented(around, &broken(&format!("let mut {name} = {base};"), indent), indent);
    insert(&around.file.path, before, format!("{declared}{}{indent}", around.newline()))
}

/// Statements, each on a line of its own or on several.
fn laid_out(steps: &str, indent: &str) -> String {
    steps.lines().map(|step| broken(step, indent)).collect::<Vec<_>>().join("\n")
}

/// The call that waits, awaited.
fn waited(around: &Around<'_>, wait: &WaitAt) -> Option<ExprId> {
    Some(around.awaited(around.expr(&wait.call)?))
}

/// Whether an expression can be evaluated before the loop: it reads nothing that is bound inside, and changes nothing.
fn can_come_before(around: &Around<'_>, at: ExprId, looped: ExprId) -> bool {
    let inside = around.span(looped);
    let mut assigned: Vec<&str> = Vec::new();
    around.body.walk(looped, &mut |id| {
        if let ExprKind::Assign(place, _) | ExprKind::AssignOp(_, place, _) = around.body.expr(id).kind {
            assigned.push(around.text(place));
        }
        true
    });
    // what a trip changes is not what it was before the loop
    !around.body.any(at, |id| assigned.contains(&around.text(id)))
        && !around.body.any(at, |id| {
            around.body.local(id).is_some_and(|local| inside.contains(around.body.pat(local).span))
                || matches!(
                    around.body.expr(id).kind,
                    ExprKind::Await(_) | ExprKind::Try(_) | ExprKind::Closure { .. } | ExprKind::Macro(_)
                )
        })
}

/// The wait with what is drawn in place of its delay, and the step behind it.
fn stepped(around: &Around<'_>, wait: &WaitAt, delay: ExprId, drawn: &str, step: &Step) -> Option<Vec<Edit>> {
    let path = &around.file.path;
    let waited = waited(around, wait)?;
    let statement = around.statement(waited)?;
    if around.has_attribute(statement.span) {
        return None;
    }
    let indent = around.indent(statement.span.start);
    let newline = around.newline();
    if around.arm_body(waited) == Some(waited) {
        return Some(vec![arm_with(around, waited, delay, drawn, step)?]);
    }
    let step = match step {
        Step::After(step) => step,
        Step::Before(step) => {
            let step = indented(around, &broken(step, indent), indent);
            let before = insert(path, statement.span.start, format!("{step}{newline}{indent}"));
            return Some(vec![before, replace(path, around.span(delay), drawn)]);
        }
    };
    let told = logged::drawn_before(around, statement, delay, drawn);
    if !statement.is_let && statement.expr == waited {
        let semicolon = if statement.is_tail { ";" } else { "" };
        let after = format!("{semicolon}{}", following(around, indent, &laid_out(step, indent)));
        let (drawn, mut edits) = told.unwrap_or((drawn, Vec::new()));
        edits.extend([put(around, delay, drawn), insert(path, statement.span.end, after)]);
        return Some(edits);
    }
    // what is waited among other things is drawn before: a `select!`, a race
    if wait.given != wait.delay || span_of(&wait.given) != around.span(delay) {
        return None;
    }
    if let Some((name, mut edits)) = told {
        edits.push(insert(path, statement.span.start, format!("{step}{newline}{indent}")));
        edits.push(replace(path, around.span(delay), name));
        return Some(edits);
    }
    let name = around.free_name(DRAWN)?;
    let before = format!("let {name} = {drawn};{newline}{indent}{step}{newline}{indent}");
    Some(vec![insert(path, statement.span.start, before), replace(path, around.span(delay), name)])
}

/// `Err(_) => sleep(d).await,` as a block.
fn arm_with(around: &Around<'_>, body: ExprId, delay: ExprId, drawn: &str, step: &Step) -> Option<Edit> {
    let (whole, inside) = (around.span(body), around.span(delay));
    if !whole.contains(inside) {
        return None;
    }
    let text = around.text(body);
    let (from, to) = ((inside.start - whole.start) as usize, (inside.end - whole.start) as usize);
    let waits = format!("{}{drawn}{};", text.get(..from)?, text.get(to..)?);
    let waits = relative(&waits, around.indent(whole.start))?;
    let both = match step {
        Step::After(step) => format!("{waits}\n{step}"),
        Step::Before(step) => format!("{step}\n{waits}"),
    };
    Some(as_block(around, whole, &both))
}
