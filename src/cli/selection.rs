//! Which rules are asked, and how sure a finding must be: `--select`, `--ignore`, `--pedantic` and `--min-confidence` against the rules there are.

use super::args::Options;
use super::error::{UserError, nearest};
use super::rooms::Card;
use crate::model::{Confidence, Group, Level, Persona};
use std::collections::BTreeMap;

/// Stands for every rule.
const ALL: &str = "all";

/// The rules to ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Selection {
    /// How loud each selected rule is.
    levels: BTreeMap<String, Level>,
    /// The least sure that is reported.
    pub(super) min_confidence: Confidence,
}

impl Selection {
    /// How loud a rule is; `Off` for one that is not asked.
    pub(super) fn level(&self, rule: &str) -> Level {
        self.levels.get(rule).copied().unwrap_or(Level::Off)
    }
}

/// What was selected, of these rules. An unknown name is an error, and so is a selection that leaves nothing: it would pass for a clean run.
pub(super) fn select(options: &Options, cards: &[Card]) -> Result<Selection, UserError> {
    let selected = names(&options.select, "--select", cards)?;
    let ignored = names(&options.ignore, "--ignore", cards)?;
    let levels: BTreeMap<String, Level> = cards
        .iter()
        .filter(|card| {
            is_selected(card, &selected, options.pedantic) && !ignored.iter().any(|name| name.holds(card))
        })
        // A rule that is off at home and asked for by name says what it has to say quietly.
        .map(|card| (card.name.clone(), card.level.max(Level::Note)))
        .collect();
    if levels.is_empty() && !cards.is_empty() {
        return Err(UserError::new("no rule is left to check")
            .help("`--ignore` takes away everything that `--select` names; leave one of them out"));
    }
    let any_confidence = selected.contains(&Name::All);
    let default = if any_confidence { Confidence::Medium } else { Confidence::High };
    Ok(Selection { levels, min_confidence: options.min_confidence.unwrap_or(default) })
}

/// A name given to `--select` or `--ignore`.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Name {
    All,
    Group(&'static str),
    Rule(String),
}

impl Name {
    fn holds(&self, card: &Card) -> bool {
        match self {
            Self::All => true,
            Self::Group(group) => card.group.word() == *group,
            Self::Rule(rule) => card.name == *rule,
        }
    }
}

/// A rule named by its own name is always meant. Groups and `all` mean their rules that are not pedantic, with `--pedantic` those too;
/// without a selection it is the default set, and `--pedantic` adds the pedantic rules and the notes.
fn is_selected(card: &Card, selected: &[Name], pedantic: bool) -> bool {
    if selected.iter().any(|name| matches!(name, Name::Rule(_)) && name.holds(card)) {
        return true;
    }
    let for_everyone = card.persona == Persona::Default;
    if card.level == Level::Off || !(for_everyone || pedantic) {
        return false;
    }
    if selected.is_empty() {
        return pedantic || card.level >= Level::Warning;
    }
    selected.iter().any(|name| !matches!(name, Name::Rule(_)) && name.holds(card))
}

fn names(typed: &[String], option: &str, cards: &[Card]) -> Result<Vec<Name>, UserError> {
    typed
        .iter()
        .map(|word| word.trim())
        .filter(|word| !word.is_empty())
        .map(|word| name(word, option, cards))
        .collect()
}

fn name(word: &str, option: &str, cards: &[Card]) -> Result<Name, UserError> {
    if word.eq_ignore_ascii_case(ALL) {
        return Ok(Name::All);
    }
    if let Some(group) = Group::WORDS.iter().find(|group| **group == word) {
        return Ok(Name::Group(group));
    }
    if cards.iter().any(|card| card.name == word) {
        return Ok(Name::Rule(word.to_owned()));
    }
    let known = cards.iter().map(|card| card.name.as_str()).chain(Group::WORDS.iter().copied()).chain([ALL]);
    Err(unknown_rule(word, &format!("unknown rule or group `{word}` in {option}"), known))
}

/// The error for a name that no rule has.
pub(super) fn unknown_rule<'n>(
    word: &str,
    what: &str,
    known: impl IntoIterator<Item = &'n str>,
) -> UserError {
    let error = UserError::new(what);
    match nearest(word, known) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error,
    }
    .help("`retry-lint rules` lists the rules and their groups")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn cards() -> Vec<Card> {
        let card = |name: &str, group, level, persona| Card {
            name: name.to_owned(),
            title: String::new(),
            group,
            level,
            persona,
            page: String::new(),
        };
        vec![
            card("fixed", Group::Herd, Level::Warning, Persona::Default),
            card("spin", Group::Overload, Level::Error, Persona::Default),
            card("quiet", Group::Herd, Level::Note, Persona::Default),
            card("asleep", Group::Herd, Level::Off, Persona::Default),
            card("picky", Group::Herd, Level::Warning, Persona::Pedantic),
        ]
    }

    fn selected(words: &[&str]) -> (Vec<String>, Confidence) {
        let selection = select(&options(words), &cards()).unwrap();
        (selection.levels.into_keys().collect(), selection.min_confidence)
    }

    fn options(words: &[&str]) -> Options {
        let typed = <super::super::args::Typed as clap::Parser>::try_parse_from(
            std::iter::once(&"retry-lint").chain(words),
        );
        typed.unwrap().options
    }

    #[test]
    fn the_default_set_is_everyones_warnings_at_high_confidence() {
        let expected =
            |names: &[&str], confidence| (names.iter().map(|name| (*name).to_owned()).collect(), confidence);
        let cases: [(&[&str], &[&str], Confidence); 12] = [
            (&[], &["fixed", "spin"], Confidence::High),
            (&["--min-confidence=medium"], &["fixed", "spin"], Confidence::Medium),
            (&["--pedantic"], &["fixed", "picky", "quiet", "spin"], Confidence::High),
            (&["--select=all"], &["fixed", "quiet", "spin"], Confidence::Medium),
            (&["--select=all", "--min-confidence=high"], &["fixed", "quiet", "spin"], Confidence::High),
            (&["--select=all", "--pedantic"], &["fixed", "picky", "quiet", "spin"], Confidence::Medium),
            (&["--select=quiet"], &["quiet"], Confidence::High),
            (&["--select=picky,asleep"], &["asleep", "picky"], Confidence::High),
            (&["--select=herd"], &["fixed", "quiet"], Confidence::High),
            (&["--select=herd", "--select= spin,"], &["fixed", "quiet", "spin"], Confidence::High),
            (&["--ignore=herd"], &["spin"], Confidence::High),
            (&["--select=all", "--ignore=fixed,overload"], &["quiet"], Confidence::Medium),
        ];
        for (words, names, confidence) in cases {
            assert_eq!(selected(words), expected(names, confidence), "{words:?}");
        }
    }

    #[test]
    fn a_rule_that_is_off_is_a_note_when_asked_for() {
        let selection = select(&options(&["--select=asleep,spin"]), &cards()).unwrap();
        assert_eq!(selection.level("asleep"), Level::Note);
        assert_eq!(selection.level("spin"), Level::Error);
        assert_eq!(selection.level("fixed"), Level::Off);
    }

    #[test]
    fn unknown_names_are_errors_with_the_nearest() {
        let error = select(&options(&["--ignore=fixd"]), &cards()).unwrap_err();
        assert_eq!(error.what, "unknown rule or group `fixd` in --ignore");
        assert_eq!(error.help.first().unwrap(), "did you mean `fixed`?");
        let error = select(&options(&["--select=overlord"]), &cards()).unwrap_err();
        assert_eq!(error.help.first().unwrap(), "did you mean `overload`?");
    }

    #[test]
    fn a_selection_that_leaves_nothing_is_an_error() {
        assert!(select(&options(&["--ignore=all"]), &cards()).is_err());
        assert!(select(&options(&["--select=fixed", "--ignore=herd"]), &cards()).is_err());
    }
}
