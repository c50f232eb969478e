//! Full jitter for a delay that grows: the delay is drawn where it is waited, and capped there where nothing caps it.
//! A delay that does not grow is another file's: drawing from it alone would halve the wait and double the load.

use super::around::Around;
use super::draws::{self, Draws};
use super::layout::put;
use super::{Draft, Wanted, capped};
use crate::model::{Edit, Jitter, WaitAt};

/// The drafts of a growing delay: drawn from what is waited, capped too where nothing caps it.
pub(super) fn drafts(around: &Around<'_>, wanted: &Wanted<'_>) -> Vec<Draft> {
    let site = wanted.site;
    let waits = &site.handles.waits;
    if waits.is_empty() || site.handles.more_waits {
        return Vec::new();
    }
    let uncapped = site.delay.capped.is(&false);
    let cap = wanted.cap(site.delay.first_s.value().copied());
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
                may_be_safe: !uncapped && draws.needs.is_none(),
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
        let most = draws.up_to.as_ref().filter(|_| cap.is_none() && wanted.jitter == Jitter::Full)?;
        return Some(put(around, at, &most.replace("{most}", &around.as_receiver(at))));
    }
    let cap = cap.map(|cap| format!(".min({})", around.seconds(cap))).unwrap_or_default();
    Some(put(around, at, &format!("{}{cap}{}", around.as_receiver(at), wanted.draw(draws))))
}
