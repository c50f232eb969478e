//! One configuration, read and typed. Nothing is merged and nothing skipped: a key that is unknown or of the wrong type is an error.
//! What it sets and what it leaves open stay apart, so that the command line and defaults can be told from it.

use super::error::ConfigError;
use super::globs::Globs;
use super::keys::{FAIL_ON, JITTERS, KEYS, LEVELS};
use super::values::{Set, Value};
use crate::model::{Confidence, Jitter, LIMITS, Level, LimitInfo, limit_info};
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::de::DeTable;

/// A configuration's file.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// As it is shown.
    pub shown: String,
    /// The folder that its paths and globs are relative to, absolute.
    pub folder: PathBuf,
    pub(super) text: String,
}

/// What a configuration says; what it does not say is `None` or empty.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Its file.
    pub source: Source,
    /// The least sure that is reported.
    pub min_confidence: Option<Set<Confidence>>,
    /// The lowest level that fails a run; `Off` for never.
    pub fail_on: Option<Set<Level>>,
    /// Whether tests are looked at.
    pub include_tests: Option<Set<bool>>,
    /// Whether a suppression needs a reason.
    pub require_reason: Option<Set<bool>>,
    /// What help texts propose.
    pub preferred_jitter: Option<Set<Jitter>>,
    /// What is not looked at.
    pub exclude: Globs,
    /// Pages of own rules, or folders of them.
    pub rules: Vec<Set<String>>,
    /// Own tables of the vocabulary, or folders of them.
    pub vocabulary: Vec<Set<String>>,
    /// Own tables of retry crates, or folders of them.
    pub libraries: Vec<Set<String>>,
    /// How loud rules and groups are.
    pub levels: Vec<LevelSet>,
    /// Limits in place of those that pages have.
    pub limits: Vec<(&'static LimitInfo, Set<f64>)>,
    /// Other levels for some files, in the order of the file.
    pub overrides: Vec<Override>,
}

/// The level of a rule or group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelSet {
    /// The rule or group.
    pub name: String,
    /// How loud it is.
    pub level: Level,
    /// Where the name is written.
    pub at: Range<usize>,
}

/// Other levels for some files.
#[derive(Clone, Debug)]
pub struct Override {
    /// The files.
    pub paths: Globs,
    /// How loud rules and groups are there.
    pub levels: Vec<LevelSet>,
}

impl Source {
    pub(super) fn error(&self, at: &Range<usize>, what: impl Into<String>) -> ConfigError {
        ConfigError::at(&self.shown, &self.text, at, what)
    }
}

impl Config {
    /// An error at a place of this configuration.
    pub fn error(&self, at: &Range<usize>, what: impl Into<String>) -> ConfigError {
        self.source.error(at, what)
    }

    /// An error about a name that is none of those that are valid there.
    pub fn unknown<'n>(
        &self,
        at: &Range<usize>,
        kind: &str,
        name: &str,
        valid: impl IntoIterator<Item = &'n str>,
    ) -> ConfigError {
        self.error(at, format!("unknown {kind} `{name}`")).or_meant(name, valid)
    }

    /// Where bytes of it are, for people: its file and the line.
    pub fn place(&self, at: &Range<usize>) -> String {
        let before = self.source.text.get(..at.start).unwrap_or_default();
        format!("{}:{}", self.source.shown, before.matches('\n').count() + 1)
    }

    /// The levels and those of the overrides, each name where it is written.
    pub fn level_sets(&self) -> impl Iterator<Item = &LevelSet> {
        self.levels.iter().chain(self.overrides.iter().flat_map(|own| &own.levels))
    }

    /// A path of this configuration, from its folder on.
    pub fn resolve(&self, path: &str) -> PathBuf {
        self.source.folder.join(path)
    }

    /// An absolute path as it lies below the configuration's folder; `None` where it lies elsewhere.
    pub fn below<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        path.strip_prefix(&self.source.folder).ok()
    }
}

/// Reads the table that holds a configuration's keys.
pub(super) fn read(source: Source, table: &DeTable) -> Result<Config, ConfigError> {
    let mut config = Config::default();
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        match name {
            "min-confidence" => {
                let words = Confidence::WORDS;
                config.min_confidence = Some(source.word(name, words, value, Confidence::from_word)?);
            }
            "fail-on" => config.fail_on = Some(source.word(name, FAIL_ON, value, fail_on)?),
            "include-tests" => config.include_tests = Some(source.switch(name, value)?),
            "require-reason" => config.require_reason = Some(source.switch(name, value)?),
            "preferred-jitter" => {
                config.preferred_jitter = Some(source.word(name, JITTERS, value, Jitter::from_word)?);
            }
            "exclude" => config.exclude = source.globs(name, value)?,
            "rules" => config.rules = source.texts(name, "paths", value)?,
            "vocabulary" => config.vocabulary = source.texts(name, "paths", value)?,
            "libraries" => config.libraries = source.texts(name, "paths", value)?,
            "levels" => config.levels = levels(&source, value)?,
            "limits" => config.limits = limits(&source, value)?,
            "overrides" => config.overrides = overrides(&source, value)?,
            _ => {
                let error = source.error(&key.span(), format!("unknown key `{name}`"));
                return Err(error.or_meant(name, KEYS.iter().map(|key| key.name)));
            }
        }
    }
    config.source = source;
    Ok(config)
}

fn fail_on(word: &str) -> Option<Level> {
    if word == "never" { Some(Level::Off) } else { Level::from_word(word) }
}

fn levels(source: &Source, value: &Value) -> Result<Vec<LevelSet>, ConfigError> {
    let table = source.table("levels", "rules and groups", value)?;
    let mut levels = Vec::new();
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        let level = source.word(name, LEVELS, value, Level::from_word)?.value;
        levels.push(LevelSet { name: name.to_owned(), level, at: key.span() });
    }
    Ok(levels)
}

fn limits(source: &Source, value: &Value) -> Result<Vec<(&'static LimitInfo, Set<f64>)>, ConfigError> {
    let table = source.table("limits", "limits", value)?;
    let mut limits = Vec::new();
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        let Some(limit) = limit_info(name) else {
            let error = source.error(&key.span(), format!("unknown limit `{name}`"));
            return Err(error.or_meant(name, LIMITS.iter().map(|limit| limit.name)));
        };
        limits.push((limit, Set { value: source.limit(limit, value)?, at: key.span() }));
    }
    Ok(limits)
}

fn overrides(source: &Source, value: &Value) -> Result<Vec<Override>, ConfigError> {
    const OVERRIDE: [&str; 2] = ["paths", "levels"];
    let Some(items) = value.get_ref().as_array() else {
        return Err(source.mismatch("overrides", "a list of tables, `[[overrides]]`", value));
    };
    let mut overrides = Vec::new();
    for item in items {
        let table = source.table("overrides", "`paths` and `levels`", item)?;
        for (key, _) in table {
            let name = key.get_ref().as_ref();
            if !OVERRIDE.contains(&name) {
                let error = source.error(&key.span(), format!("unknown key `{name}` in an override"));
                return Err(error.or_meant(name, OVERRIDE));
            }
        }
        let wanted = |key: &str| {
            let missing = || source.error(&item.span(), format!("`{key}` is missing in this override"));
            table.get(key).ok_or_else(missing)
        };
        let paths = wanted("paths")?;
        let globs = source.globs("paths", paths)?;
        if globs.written.is_empty() {
            return Err(source.error(&paths.span(), "`paths` is empty: this override is for no file"));
        }
        overrides.push(Override { paths: globs, levels: levels(source, wanted("levels")?)? });
    }
    Ok(overrides)
}
