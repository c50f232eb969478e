//! A retry crate's policy: one more setter behind those that are there. Which one, the crate's table says.

use super::around::{Around, span_of};
use super::edits::insert;
use super::layout::put;
use super::{Draft, Wanted, shown};
use crate::body::Span;
use crate::model::{Change, Edit, Growth, PolicyAt};

/// Attempts that are proposed where nothing bounds them.
const ATTEMPTS: u32 = 5;

/// The draft of a policy that a crate builds.
pub(super) fn drafts(
    around: &Around<'_>,
    wanted: &Wanted<'_>,
    change: Change,
    policy: &PolicyAt,
) -> Vec<Draft> {
    let cap = wanted.cap(wanted.site.delay.first_s.value().copied());
    let capped = || {
        let made = around.expr(&policy.made)?;
        Some(policy.cap.as_ref()?.replace("{cap}", &around.seconds(cap, made)))
    };
    let random = || policy.jitter.clone();
    let bound = || Some(policy.bound.as_ref()?.replace("{attempts}", &ATTEMPTS.to_string()));
    let none = String::new;
    let uncapped = wanted.site.delay.capped.is(&false);
    let constant = wanted.site.delay.growth.is(&Growth::Constant);
    let (first, last, title, may_be_safe) = match change {
        Change::FullJitter if constant => {
            return Draft::only("double the delay, and wait a random part of it", doubled(around, policy));
        }
        Change::FullJitter if uncapped => {
            (capped(), random(), format!("wait at most {}, and a random part of it", shown(cap)), false)
        }
        Change::FullJitter => (Some(none()), random(), "wait a random part of the delay".to_owned(), true),
        Change::CapDelay => {
            let title = format!("wait at most {}", shown(cap));
            (capped(), Some(none()), title, wanted.is_above_first(cap))
        }
        Change::BoundAttempts => (Some(none()), bound(), format!("give up after {ATTEMPTS} attempts"), false),
        _ => return Vec::new(),
    };
    let edits = first.zip(last).and_then(|(first, last)| behind(around, policy, &first, &last));
    edits.map(|edits| Draft { title, edits, may_be_safe, needs: None }).into_iter().collect()
}

/// A policy that doubles in the place of one that waits the same each time, and random: from the crate's table, as written there.
fn doubled(around: &Around<'_>, policy: &PolicyAt) -> Option<Vec<Edit>> {
    let (grows, jitter) = (policy.grows.as_ref()?, policy.jitter.as_ref()?);
    let (made, chain) = (span_of(&policy.made), span_of(&policy.chain));
    let rest = around.file.slice(Span { start: made.end, ..chain });
    Some(vec![put(around, around.expr(&policy.chain)?, &format!("{grows}{rest}{jitter}"))])
}

/// One setter behind what is made, one behind the last setter, either of which may be none: on lines of their own where the others have one.
fn behind(around: &Around<'_>, policy: &PolicyAt, first: &str, last: &str) -> Option<Vec<Edit>> {
    let (made, chain) = (span_of(&policy.made), span_of(&policy.chain));
    if !around.file.slice(chain).contains('\n') {
        let rest = around.file.slice(Span { start: made.end, ..chain });
        let whole = format!("{}{first}{rest}{last}", around.file.slice(made));
        return Some(vec![put(around, around.expr(&policy.chain)?, &whole)]);
    }
    let on_a_line = |at: Span, setter: &str| {
        let text = format!("{}{}{setter}", around.newline(), around.indent(chain.end));
        (!setter.is_empty()).then(|| insert(&around.file.path, at.end, text))
    };
    if made.end == chain.end {
        return Some(on_a_line(chain, &format!("{first}{last}")).into_iter().collect());
    }
    Some([on_a_line(made, first), on_a_line(chain, last)].into_iter().flatten().collect())
}
