//! A finding's change of policy, as edits of the text: the smallest that do it, in the style around them. What is proposed was seen to mend the
//! finding: the changed text was read again. Nothing here writes to a disk, and no rule or crate is known by name.

mod around;
mod asleep;
mod bounded;
mod capped;
mod clipped;
mod doubled;
mod draws;
mod edits;
mod hinted;
mod jitter;
mod last;
mod layout;
mod logged;
mod permanent;
mod reach;
mod saturated;
mod setters;
mod suggest;

pub use suggest::{Bench, Spoken, suggest};

use crate::knowledge::Knowledge;
use crate::model::{Change, Edit, Finding, Fix, Growth, Jitter, Needed, Safety, Site, WaitAt, suggested_cap};
use crate::resolve::Crate;
use around::Around;
use draws::Draws;

/// Edits that may mend a finding; whether they do is seen when the changed text is read again.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) title: String,
    pub(crate) edits: Vec<Edit>,
    /// Nothing but the fault changes, if the facts say so too.
    pub(crate) may_be_safe: bool,
    pub(crate) needs: Option<Needed>,
}

impl Draft {
    /// The only draft of a change that alters more than the fault, where it can be written.
    fn only(title: impl Into<String>, edits: Option<Vec<Edit>>) -> Vec<Self> {
        let title = title.into();
        edits.map(|edits| Self { title, edits, may_be_safe: false, needs: None }).into_iter().collect()
    }
}

/// How changes are to be written.
#[derive(Clone, Copy, Debug)]
pub struct Wishes<'a> {
    /// How a delay is drawn.
    pub jitter: Jitter,
    /// The longest delay that the configuration allows, seconds.
    pub longest_s: Option<f64>,
    /// The crate that may be added to the manifest.
    pub added: Option<&'a str>,
}

/// What is wanted of a site's code.
pub(crate) struct Wanted<'a> {
    pub(crate) site: &'a Site,
    pub(crate) wishes: Wishes<'a>,
}

/// The fixes that may be applied together, the first finding's before the next one's.
pub fn chosen(findings: &[Finding], with_unsafe: bool) -> Vec<&Fix> {
    let may = |fix: &&Fix| with_unsafe || fix.safety == Safety::Safe;
    let mut fixes: Vec<(&Finding, &Fix)> =
        findings.iter().filter_map(|it| Some((it, it.fix.as_ref().filter(may)?))).collect();
    // a delay gets its own random part before a server's word stands beside it
    fixes.sort_by_key(|(finding, _)| finding.change == Some(Change::HonourRetryAfter));
    let together = edits::together(fixes.iter().map(|(finding, fix)| (&*finding.site, &*fix.edits)));
    together.into_iter().filter_map(|at| fixes.get(at)).map(|(_, fix)| *fix).collect()
}

/// What may be changed for a finding, the preferred draft first.
pub(crate) fn drafts(
    krate: &Crate,
    knowledge: &Knowledge,
    finding: &Finding,
    wanted: &Wanted<'_>,
) -> Vec<Draft> {
    let Some(change) = finding.change else { return Vec::new() };
    // the place of a function that is a site is all of it: what is changed lies inside
    let handles = &wanted.site.handles;
    let wait = handles.waits.first().or(handles.inside.as_ref());
    let waits = wait.map_or(&wanted.site.place, |wait| &wait.delay);
    let place = if handles.policy.is_some() { &wanted.site.place } else { waits };
    let at = |place| Around::of(krate, knowledge, place);
    let mut drafts = at(place).map(|around| rendered(&around, wanted, change)).unwrap_or_default();
    // the delays of a policy may be what a function of the crate gives
    if drafts.is_empty() && handles.policy.is_some() && grows_without_jitter(wanted, change) {
        drafts = at(waits).map(|around| jitter::drafts(&around, wanted)).unwrap_or_default();
    }
    for draft in &mut drafts {
        // two waits may be given one variable
        draft.edits.sort();
        draft.edits.dedup();
    }
    drafts.retain(|draft| {
        draft.edits.iter().zip(draft.edits.iter().skip(1)).all(|(one, next)| one.end_byte <= next.start_byte)
    });
    drafts
}

/// Whether what is wanted is a random part of delays that grow, and that a function gives.
fn grows_without_jitter(wanted: &Wanted<'_>, change: Change) -> bool {
    let is_constant = wanted.site.delay.growth.is(&Growth::Constant);
    change == Change::FullJitter && !is_constant && wanted.site.handles.inside.is_some()
}

/// The change, written by whoever knows that kind.
fn rendered(around: &Around<'_>, wanted: &Wanted<'_>, change: Change) -> Vec<Draft> {
    if let Some(policy) = &wanted.site.handles.policy {
        return setters::drafts(around, wanted, change, policy);
    }
    match change {
        Change::FullJitter if wanted.site.delay.growth.is(&Growth::Constant) => {
            doubled::drafts(around, wanted)
        }
        Change::FullJitter => jitter::drafts(around, wanted),
        Change::CapDelay => capped::drafts(around, wanted),
        Change::Saturate => saturated::drafts(around, wanted),
        Change::JitterAfterCap => clipped::drafts(around, wanted),
        Change::AsyncSleep => asleep::drafts(around, wanted),
        Change::SkipLastSleep => last::drafts(around, wanted),
        Change::BoundAttempts => bounded::drafts(around, wanted),
        Change::StopOnPermanent => permanent::drafts(around, wanted),
        Change::HonourRetryAfter => hinted::drafts(around, wanted),
    }
}

impl Wanted<'_> {
    /// The waits whose delay may be changed where they stand: those of the site, or the one that a function makes for it. None where
    /// another one is out of sight.
    fn waits(&self) -> &[WaitAt] {
        let handles = &self.site.handles;
        match &handles.inside {
            Some(inside) => std::slice::from_ref(inside),
            None if handles.more_waits => &[],
            None => &handles.waits,
        }
    }

    /// The cap for a delay that starts so, in seconds.
    fn cap(&self, first_s: Option<f64>) -> f64 {
        let cap = suggested_cap(first_s.unwrap_or_default());
        self.wishes.longest_s.map_or(cap, |longest| cap.min(longest))
    }

    /// Whether a cap leaves the first delays as they are, seconds: what is then cut off comes late only.
    fn is_above_first(&self, cap: f64) -> bool {
        let schedule = self.site.schedule.value();
        schedule.is_some_and(|delays| delays.iter().take(FIRST).all(|[_, high]| *high <= cap))
    }

    /// `.mul_f64(…)`: what is drawn from a delay.
    fn draw(&self, draws: &Draws) -> String {
        let share = &draws.share;
        let hinted = self.hinted();
        match self.wishes.jitter {
            // never earlier than the server asked for
            _ if hinted => draw_above(share),
            Jitter::Equal => format!(".mul_f64(0.5 + {share} / 2.0)"),
            _ => format!(".mul_f64({share})"),
        }
    }

    /// The wait may be what the server asked for.
    fn hinted(&self) -> bool {
        self.site.handles.hinted || self.site.errors.honours_retry_after.is(&true)
    }

    fn jitter_words(&self) -> &'static str {
        match self.wishes.jitter {
            _ if self.hinted() => "equal jitter above the server's hint",
            Jitter::Equal => "equal jitter",
            _ => "full jitter",
        }
    }
}

/// `.mul_f64(…)`: what is drawn from a delay that is never to be shortened.
fn draw_above(share: &str) -> String {
    format!(".mul_f64(1.0 + {share} / 2.0)")
}

/// The delays that a safe cap leaves as they are: those before the first six attempts.
const FIRST: usize = 6;

/// Seconds as people say them.
fn shown(seconds: f64) -> String {
    if seconds < 1.0 { format!("{:.0} ms", seconds * 1000.0) } else { format!("{seconds} s") }
}
