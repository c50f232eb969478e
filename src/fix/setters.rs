//! A retry crate's policy: one more setter behind those that are there. Which one, the crate's table says.

use super::around::{Around, span_of};
use super::edits::insert;
use super::{Draft, Wanted, shown};
use crate::model::{Change, Edit, Place, PolicyAt};

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
    let at_end =
        |setter: &String| behind(around, &policy.chain, &setter.replace("{attempts}", &ATTEMPTS.to_string()));
    let at_start = |setter: String| behind(around, &policy.made, &setter);
    let (edits, title, may_be_safe) = match change {
        Change::FullJitter if wanted.site.delay.capped.is(&false) => {
            let edits = capped().zip(policy.jitter.as_ref()).map(|(cap, jitter)| {
                if policy.made == policy.chain {
                    vec![at_start(format!("{cap}{jitter}"))]
                } else {
                    vec![at_start(cap), at_end(jitter)]
                }
            });
            (edits, format!("wait at most {}, and a random part of it", shown(cap)), false)
        }
        Change::FullJitter => (
            policy.jitter.as_ref().map(|it| vec![at_end(it)]),
            "wait a random part of the delay".to_owned(),
            true,
        ),
        Change::CapDelay => {
            let safe = wanted.is_above_first(cap);
            (capped().map(|it| vec![at_start(it)]), format!("wait at most {}", shown(cap)), safe)
        }
        Change::BoundAttempts => (
            policy.bound.as_ref().map(|it| vec![at_end(it)]),
            format!("give up after {ATTEMPTS} attempts"),
            false,
        ),
        _ => return Vec::new(),
    };
    edits.map(|edits| Draft { title, edits, may_be_safe, needs: None }).into_iter().collect()
}

/// Behind an expression: on a line of its own where its last setter has one.
fn behind(around: &Around<'_>, place: &Place, setter: &str) -> Edit {
    let span = span_of(place);
    let chain = around.file.slice(span);
    let last = chain.rfind('\n').map_or("", |at| chain.get(at + 1..).unwrap_or_default());
    let own_line = last.trim_start().starts_with('.');
    let before =
        if own_line { format!("{}{}", around.newline(), around.indent(span.end)) } else { String::new() };
    insert(&around.file.path, span.end, format!("{before}{setter}"))
}
