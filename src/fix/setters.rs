//! A retry crate's policy: one more setter behind those that are there. Which one, the crate's table says.

use super::around::{Around, has_word, span_of, words};
use super::draws;
use super::edits::{insert, replace};
use super::layout::put;
use super::{Draft, Wanted, shown};
use crate::body::Span;
use crate::model::{Change, Edit, Growth, Needed, PolicyAt};

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
    let random = random(around, wanted, policy);
    let needs = random.as_ref().and_then(|(_, needs)| needs.clone());
    let at_hand = needs.is_none();
    let random = || random.as_ref().map(|(setter, _)| setter.clone());
    let bound = || Some(policy.bound.as_ref()?.replace("{attempts}", &ATTEMPTS.to_string()));
    let none = String::new;
    let uncapped = wanted.site.delay.capped.is(&false);
    let constant = wanted.site.delay.growth.is(&Growth::Constant);
    let (first, last, title, may_be_safe) = match change {
        Change::FullJitter if constant => {
            let edits = doubled(around, policy, &capped().unwrap_or_default(), random());
            let title = "double the delay, and wait a random part of it".to_owned();
            return edits
                .map(|edits| Draft { title, edits, may_be_safe: false, needs })
                .into_iter()
                .collect();
        }
        Change::FullJitter if uncapped => {
            (capped(), random(), format!("wait at most {}, and a random part of it", shown(cap)), false)
        }
        Change::FullJitter => (Some(none()), random(), "wait a random part of the delay".to_owned(), at_hand),
        Change::CapDelay => {
            let title = format!("wait at most {}", shown(cap));
            (capped(), Some(none()), title, wanted.is_above_first(cap))
        }
        Change::BoundAttempts => (Some(none()), bound(), format!("give up after {ATTEMPTS} attempts"), false),
        _ => return Vec::new(),
    };
    let edits = first.zip(last).and_then(|(first, last)| behind(around, policy, &first, &last));
    let needs = needs.filter(|_| change == Change::FullJitter);
    edits.map(|edits| Draft { title, edits, may_be_safe, needs }).into_iter().collect()
}

/// What makes the policy's delays random: the crate's own setter, else one that is given what another crate draws, and what that may need.
fn random(around: &Around<'_>, wanted: &Wanted<'_>, policy: &PolicyAt) -> Option<(String, Option<Needed>)> {
    if let Some(jitter) = &policy.jitter {
        return Some((jitter.clone(), None));
    }
    let draws = draws::of(around, wanted).into_iter().next()?;
    Some((policy.drawn.as_ref()?.replace("{draw}", &wanted.draw(&draws)), draws.needs))
}

/// A policy that doubles in the place of one that waits the same each time, capped where it can be, and random: from the crate's table.
fn doubled(around: &Around<'_>, policy: &PolicyAt, cap: &str, jitter: Option<String>) -> Option<Vec<Edit>> {
    let (grows, jitter) = (policy.grows.as_ref()?, jitter?);
    let (made, chain) = (span_of(&policy.made), span_of(&policy.chain));
    let mut rest = around.file.slice(Span { start: made.end, ..chain }).to_owned();
    for (here, there) in &policy.renamed {
        rest = rest.replace(&format!(".{here}("), &format!(".{there}("));
    }
    let (grows, import) = imported(around, made, grows).unwrap_or_else(|| (grows.clone(), None));
    let chain = put(around, around.expr(&policy.chain)?, &format!("{grows}{cap}{rest}{jitter}"));
    Some(import.into_iter().chain([chain]).collect())
}

/// The constructor by its type's name alone, and the import that has that name in the place of one that nothing else here needs.
fn imported(around: &Around<'_>, made: Span, grows: &str) -> Option<(String, Option<Edit>)> {
    let (old, _) = around.file.slice(made).split_once("::")?;
    let (path, _) = grows.split_once('(')?;
    let (ty, _) = path.rsplit_once("::")?;
    let (_, new) = ty.rsplit_once("::")?;
    let text = &around.file.text;
    let mut uses = words(text, old).filter(|at| *at != made.start as usize);
    let import = uses.next().filter(|_| uses.next().is_none())?;
    let statement = text.get(..import)?.rfind(';').map_or(0, |at| at + 1);
    let is_import = has_word(text.get(statement..import)?, "use") && words(text, new).next().is_none();
    if !is_import {
        return None;
    }
    let span = Span { start: import as u32, end: (import + old.len()) as u32 };
    let short = grows.strip_prefix(ty)?;
    Some((format!("{new}{short}"), Some(replace(&around.file.path, span, new))))
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
