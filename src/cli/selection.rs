//! Which rules are asked, how loud they are, and how sure a finding must be: `--select`, `--ignore`, `--pedantic` and `--min-confidence`, then the
//! configuration, against the rules there are.

use super::args::Options;
use super::error::{UserError, nearest};
use super::rooms::Card;
use crate::model::{Confidence, Group, Level, Persona};
use crate::settings::{Config, Globs, LevelSet};
use std::collections::BTreeMap;
use std::path::Path;

/// Stands for every rule.
const ALL: &str = "all";

/// The rules to ask.
#[derive(Clone, Debug)]
pub(super) struct Selection {
    /// How loud each selected rule is.
    levels: BTreeMap<String, Level>,
    /// How loud rules are in some files, in the order of the configuration.
    local: Vec<(Globs, BTreeMap<String, Level>)>,
    /// The least sure that is reported.
    pub(super) min_confidence: Confidence,
}

impl Selection {
    /// How loud a rule is; `Off` for one that is not asked.
    pub(super) fn level(&self, rule: &str) -> Level {
        self.levels.get(rule).copied().unwrap_or(Level::Off)
    }

    /// How loud a rule is where it is loudest: whether it is worth asking.
    pub(super) fn loudest(&self, rule: &str) -> Level {
        let local = self.local.iter().filter_map(|(_, levels)| levels.get(rule).copied());
        local.fold(self.level(rule), Level::max)
    }

    /// Whether the level of a rule depends on the file.
    pub(super) fn is_local(&self) -> bool {
        !self.local.is_empty()
    }

    /// How loud a rule is in a file, whose path is below the configuration's folder.
    pub(super) fn level_at(&self, rule: &str, below: Option<&Path>) -> Level {
        let here = |(globs, _): &&(Globs, _)| below.is_some_and(|path| globs.hold(path));
        let levels = self.local.iter().rev().filter(here);
        levels.into_iter().find_map(|(_, levels)| levels.get(rule).copied()).unwrap_or(self.level(rule))
    }
}

/// What was selected, of these rules. An unknown name is an error, and so is a selection that leaves nothing: it would pass for a clean run.
pub(super) fn select(options: &Options, cards: &[Card], config: &Config) -> Result<Selection, UserError> {
    let selected = names(&options.select, "--select", cards)?;
    let ignored = names(&options.ignore, "--ignore", cards)?;
    for set in config.level_sets() {
        if !known(cards).any(|name| name == set.name) {
            let error = config.unknown(&set.at, "rule or group", &set.name, known(cards));
            return Err(UserError::from(error).help(LISTED));
        }
    }
    let asked = |card: &Card, told| {
        is_selected(card, told, &selected, options.pedantic) && !ignored.iter().any(|name| name.holds(card))
    };
    let levels: BTreeMap<String, Level> = cards
        .iter()
        .filter_map(|card| {
            let told = told(&config.levels, card);
            asked(card, told).then(|| (card.name.clone(), loud(card, told)))
        })
        .collect();
    let typed = !options.select.is_empty() || !options.ignore.is_empty();
    if levels.is_empty() && !cards.is_empty() && typed {
        return Err(UserError::new("no rule is left to check").help(
            "`--ignore`, or a level `off` in the configuration, takes away everything that `--select` names; leave one of them out",
        ));
    }
    let local = config.overrides.iter().map(|own| {
        let here = cards.iter().filter_map(|card| {
            let told = told(&own.levels, card)?;
            // What is off there was asked for elsewhere, or not at all.
            let counts =
                told.level == Level::Off || asked(card, Some(told)) || levels.contains_key(&card.name);
            counts.then(|| (card.name.clone(), told.level))
        });
        (own.paths.clone(), here.collect())
    });
    let any_confidence = selected.contains(&Name::All).then_some(Confidence::Medium);
    let configured = config.min_confidence.as_ref().map(|set| set.value);
    let min_confidence = options.min_confidence.or(any_confidence).or(configured);
    Ok(Selection {
        local: local.collect(),
        levels,
        min_confidence: min_confidence.unwrap_or(Confidence::High),
    })
}

/// What a configuration says of a rule.
#[derive(Clone, Copy, Debug)]
struct Told {
    level: Level,
    /// It names the rule itself, not its group.
    by_name: bool,
}

fn told(levels: &[LevelSet], card: &Card) -> Option<Told> {
    let find = |name: &str| levels.iter().find(|set| set.name == name).map(|set| set.level);
    let by_name = find(&card.name).map(|level| Told { level, by_name: true });
    by_name.or_else(|| Some(Told { level: find(card.group.word())?, by_name: false }))
}

/// How loud a rule is that is asked. One that is off, and asked for by name, says quietly what it has to say.
fn loud(card: &Card, told: Option<Told>) -> Level {
    let level = told.map_or(card.level, |told| told.level);
    if level == Level::Off { card.level.max(Level::Note) } else { level }
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
/// without a selection it is the default set, and `--pedantic` adds the pedantic rules and the notes. A rule that the configuration gives a
/// level by its own name is in the default set; the level of a group wakes no rule that sleeps by itself.
fn is_selected(card: &Card, told: Option<Told>, selected: &[Name], pedantic: bool) -> bool {
    if selected.iter().any(|name| matches!(name, Name::Rule(_)) && name.holds(card)) {
        return true;
    }
    let wanted = told.is_some_and(|told| told.by_name);
    let level = told.map_or(card.level, |told| told.level);
    let sleeps = card.level == Level::Off && !wanted;
    let for_everyone = card.persona == Persona::Default || wanted;
    if level == Level::Off || sleeps || !(for_everyone || pedantic) {
        return false;
    }
    if selected.is_empty() {
        return pedantic || wanted || level >= Level::Warning;
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
    Err(unknown_rule(word, &format!("unknown rule or group `{word}` in {option}"), known(cards).chain([ALL])))
}

/// The names of rules and groups.
fn known(cards: &[Card]) -> impl Iterator<Item = &str> {
    cards.iter().map(|card| card.name.as_str()).chain(Group::WORDS.iter().copied())
}

const LISTED: &str = "`retry-lint rules` lists the rules and their groups";

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
    .help(LISTED)
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
        let selection = select(&options(words), &cards(), &Config::default()).unwrap();
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
        let selection = select(&options(&["--select=asleep,spin"]), &cards(), &Config::default()).unwrap();
        assert_eq!(selection.level("asleep"), Level::Note);
        assert_eq!(selection.level("spin"), Level::Error);
        assert_eq!(selection.level("fixed"), Level::Off);
    }

    #[test]
    fn unknown_names_are_errors_with_the_nearest() {
        let error = select(&options(&["--ignore=fixd"]), &cards(), &Config::default()).unwrap_err();
        assert_eq!(error.what, "unknown rule or group `fixd` in --ignore");
        assert_eq!(error.help.first().unwrap(), "did you mean `fixed`?");
        let error = select(&options(&["--select=overlord"]), &cards(), &Config::default()).unwrap_err();
        assert_eq!(error.help.first().unwrap(), "did you mean `overload`?");
    }

    #[test]
    fn a_selection_that_leaves_nothing_is_an_error() {
        assert!(select(&options(&["--ignore=all"]), &cards(), &Config::default()).is_err());
        assert!(
            select(&options(&["--select=fixed", "--ignore=herd"]), &cards(), &Config::default()).is_err()
        );
    }
}
