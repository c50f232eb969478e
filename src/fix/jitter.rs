//! Full jitter for a delay that grows: the delay is drawn where it is waited, and capped there where nothing caps it.
//! A delay that does not grow is another file's: drawing from it alone would halve the wait and double the load.

use super::around::Around;
use super::draws::{self, Draws};
use super::edits::replace;
use super::layout::put;
use super::{Draft, Wanted, capped, reach};
use crate::body::{ExprId, ExprKind};
use crate::model::{Edit, Jitter, WaitAt};

/// The drafts of a growing delay: drawn from what is waited, capped too where nothing caps it.
pub(super) fn drafts(around: &Around<'_>, wanted: &Wanted<'_>) -> Vec<Draft> {
    let site = wanted.site;
    let waits = wanted.waits();
    if waits.is_empty() {
        return Vec::new();
    }
    let first_s = site.delay.first_s.value().copied();
    let cap = wanted.cap(first_s);
    // few attempts from a short start never get there: a cap would be of no use
    let largest_s = site.delay.largest_s.value().copied();
    let is_low = largest_s.is_some_and(|largest| largest <= cap)
        && first_s.is_some_and(|first| reach::stays_below(around, wanted, first, cap));
    let uncapped = site.delay.capped.is(&false) && !is_low;
    draws::of(around, wanted)
        .into_iter()
        .filter_map(|draws| {
            let steps = if uncapped { capped::steps(around, wanted, cap) } else { None };
            let cap_here = (uncapped && steps.is_none()).then_some(cap);
            let drawn: Option<Vec<Edit>> =
                waits.iter().map(|wait| drawn(around, wanted, wait, &draws, cap_here)).collect();
            let edits = drawn.map(|drawn| drawn.into_iter().chain(steps.into_iter().flatten()).collect());
            let what = if uncapped {
                format!("wait at most {}, and a random part of it", super::shown(cap))
            } else {
                "wait a random part of the delay".to_owned()
            };
            Some(Draft {
                title: format!("{what} ({})", wanted.jitter_words()),
                edits: edits?,
                may_be_safe: !uncapped && draws.at_hand && site.handles.inside.is_none(),
                needs: draws.needs.clone(),
            })
        })
        .collect()
}

/// One wait, drawn from.
fn drawn(
    around: &Around<'_>,
    wanted: &Wanted<'_>,
    wait: &WaitAt,
    draws: &Draws,
    cap: Option<f64>,
) -> Option<Edit> {
    let at = around.expr(&wait.delay)?;
    if !wait.is_duration {
        // of what unit a cap would have to be, nobody can tell
        let most = draws.up_to.as_ref().filter(|_| cap.is_none() && wanted.wishes.jitter == Jitter::Full)?;
        return Some(put(around, at, &most.replace("{most}", &around.as_receiver(at))));
    }
    let cap = cap.map(|cap| format!(".min({})", around.seconds(cap, at))).unwrap_or_default();
    let tail = format!("{cap}{}", wanted.draw(draws));
    let plain = || put(around, at, &format!("{}{tail}", around.as_receiver(at)));
    Some(named_first(around, at, &tail).unwrap_or_else(plain))
}

/// A block's value that is chosen gets a name before it is drawn from: `if … { a } else { b }.mul_f64(…)` reads badly.
fn named_first(around: &Around<'_>, at: ExprId, tail: &str) -> Option<Edit> {
    if !matches!(around.body.expr(at).kind, ExprKind::If { .. } | ExprKind::Match(..)) {
        return None;
    }
    let statement = around.statement(at).filter(|it| it.is_tail && it.expr == at)?;
    let name = around.free_name(&["delay", "chosen_delay"])?;
    let indent = around.indent(statement.span.start);
    let text = around.text(at);
    let made = format!("let {name} = {text};{}{indent}{name}{tail}", around.newline());
    Some(replace(&around.file.path, statement.span, made))
}
