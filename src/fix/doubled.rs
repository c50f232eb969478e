//! A delay that is the same each time becomes the capped exponential with jitter. By the counter that is there, else by a variable that doubles,
//! which begins anew where the loop goes on after a success. Never `U(0, d)` of the constant: that would halve the wait and double the load.

use super::around::{Around, span_of};
use super::draws::{self, Draws};
use super::edits::{insert, replace};
use super::layout::{as_block, begin_with, broken, following, indented, put, relative};
use super::{Draft, Wanted, shown};
use crate::body::{ExprId, ExprKind};
use crate::model::{Counter, Edit, Jitter, Kind, Success, WaitAt};

/// Names for the variable that doubles.
const NAMES: &[&str] = &["backoff", "retry_backoff", "next_backoff"];

/// Names for what is drawn of it, where the wait is no statement of its own.
const DRAWN: &[&str] = &["delay", "pause", "drawn_delay"];

/// Doublings where the base is not known: the cap is 32 times the base then.
const DOUBLINGS: u32 = 5;

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
    let durations = handles.waits.iter().all(|wait| wait.is_duration);
    if handles.waits.is_empty() || handles.more_waits || !durations {
        return Vec::new();
    }
    let first_s = wanted.site.delay.first_s.value().copied().filter(|first| *first > 0.0);
    let cap = first_s.map(|first| wanted.cap(Some(first)));
    let mut found = Vec::new();
    for draws in draws::of(around, wanted) {
        let up_to = cap.map_or_else(|| "to 32 times of it".to_owned(), |cap| format!("to {}", shown(cap)));
        let draft = |edits: Vec<Edit>| Draft {
            title: format!(
                "double the delay up {up_to}, and wait a random part of it ({})",
                wanted.jitter_words()
            ),
            edits,
            may_be_safe: false,
            needs: draws.needs.clone(),
        };
        if wanted.wishes.jitter == Jitter::Decorrelated && !wanted.hinted() {
            found.extend(by_variable(around, wanted, cap, &draws, Grows::ByDraw).map(|edits| Draft {
                title: format!(
                    "draw between the delay and three times the last one, up {up_to} (decorrelated jitter)"
                ),
                ..draft(edits)
            }));
        }
        if let Some(counter) = handles.counter.as_ref().filter(|_| handles.success == Success::Leaves) {
            found.extend(by_counter(around, wanted, counter, cap, &draws).map(draft));
        }
        found.extend(by_variable(around, wanted, cap, &draws, Grows::Doubled).map(draft));
    }
    found
}

/// `base * 2^n`, by the number of the attempt.
fn by_counter(
    around: &Around<'_>,
    wanted: &Wanted<'_>,
    counter: &Counter,
    cap: Option<f64>,
    draws: &Draws,
) -> Option<Vec<Edit>> {
    let number = match counter.ty.as_str() {
        "u32" => counter.name.clone(),
        "u8" | "u16" => format!("u32::from({})", counter.name),
        // an integer of any type may be cast
        _ => format!("{} as u32", counter.name),
    };
    let exponent = if counter.first == 0 { number } else { format!("{number} - {}", counter.first) };
    wanted
        .site
        .handles
        .waits
        .iter()
        .map(|wait| {
            let at = around.expr(&wait.delay)?;
            let base = around.as_receiver(at);
            let grown = if let Some(cap) = cap {
                let cap = around.seconds(cap, at);
                format!("{base}.saturating_mul(2u32.saturating_pow({exponent})).min({cap})")
            } else {
                let exponent =
                    if exponent.contains(' ') { format!("({exponent})") } else { exponent.clone() };
                format!("{base}.saturating_mul(2u32.pow({exponent}.min({DOUBLINGS})))")
            };
            Some(put(around, at, &format!("{grown}{}", wanted.draw(draws))))
        })
        .collect()
}

/// A variable that holds the delay, doubled after each wait.
fn by_variable(
    around: &Around<'_>,
    wanted: &Wanted<'_>,
    cap: Option<f64>,
    draws: &Draws,
    grows: Grows,
) -> Option<Vec<Edit>> {
    let handles = &wanted.site.handles;
    let looped = around.expr(&wanted.site.place)?;
    let before = around.statement(looped)?;
    let waits: Vec<(ExprId, &WaitAt)> =
        handles.waits.iter().map(|wait| Some((around.expr(&wait.delay)?, wait))).collect::<Option<_>>()?;
    let (first, _) = *waits.first()?;
    let base = around.line(first);
    let alike = waits.iter().all(|(at, _)| around.line(*at) == base);
    // what stands in an inner loop begins anew with it, and not with this one
    let is_own = |(at, _): &(ExprId, &WaitAt)| around.loop_around(*at) == Some(looped);
    if !alike || !waits.iter().all(is_own) || !can_come_before(around, first, looped) {
        return None;
    }
    let name = around.free_name(NAMES)?;
    let cap = match cap {
        Some(cap) => around.seconds(cap, first),
        None => format!("{}.saturating_mul({})", around.as_receiver(first), 2_u32.pow(DOUBLINGS)),
    };
    let path = &around.file.path;
    let indent = around.indent(before.span.start);
    let declared = indented(around, &broken(&format!("let mut {name} = {base};"), indent), indent);
    let mut edits = vec![insert(path, before.span.start, format!("{declared}{}{indent}", around.newline()))];
    let (argument, step) = match grows {
        Grows::Doubled => {
            let argument = format!("{name}{}", wanted.draw(draws));
            (argument, Step::After(format!("{name} = {name}.saturating_mul(2).min({cap});")))
        }
        // U(base, 3 * previous), capped: the delay is its own state
        Grows::ByDraw => {
            let (base, share) = (around.as_receiver(first), &draws.share);
            let spread = format!("{name}.saturating_mul(3).saturating_sub({base}).mul_f64({share})");
            (name.to_owned(), Step::Before(format!("{name} = {base}.saturating_add({spread}).min({cap});")))
        }
    };
    for (at, wait) in &waits {
        edits.extend(stepped(around, wait, *at, &argument, &step)?);
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

/// Whether an expression can be evaluated before the loop: it reads nothing that is bound inside, and changes nothing.
fn can_come_before(around: &Around<'_>, at: ExprId, looped: ExprId) -> bool {
    let inside = around.span(looped);
    !around.body.any(at, |id| {
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
    let call = around.expr(&wait.call)?;
    let waited = match around.parent(call) {
        Some(parent) if matches!(around.body.expr(parent).kind, ExprKind::Await(_)) => parent,
        _ => call,
    };
    let statement = around.statement(waited)?;
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
    if !statement.is_let && statement.expr == waited {
        let semicolon = if statement.is_tail { ";" } else { "" };
        let after = format!("{semicolon}{}", following(around, indent, &broken(step, indent)));
        return Some(vec![put(around, delay, drawn), insert(path, statement.span.end, after)]);
    }
    // what is waited among other things is drawn before: a `select!`, a race
    if wait.given != wait.delay || span_of(&wait.given) != around.span(delay) {
        return None;
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
