//! Which settings hold for which package: what was typed, then the package's configuration, then the defaults.
//! All of it is found, read and checked before any source is; a mistake in it ends the run with nothing done.

use super::args::{FailOn, Options};
use super::error::{Stop, UserError, nearest};
use super::rooms::{Input, Known, Rules, Unread};
use super::selection::{Selection, select};
use crate::model::{Jitter, Level, LimitInfo, MAX_DELAY};
use crate::report::clean;
use crate::settings::{Config, ConfigError, Excerpt, Finder, RuleName, Set};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A page or table above this size is none that a person keeps.
const LARGEST: u64 = 16 << 20;

/// What holds for some packages.
#[derive(Debug)]
pub(super) struct Configuration {
    /// The configuration that was found.
    pub(super) config: Option<Arc<Config>>,
    pub(super) rules: Rules,
    pub(super) known: Known,
    pub(super) selection: Selection,
    pub(super) include_tests: bool,
    /// The lowest level that fails the run; `None` for never.
    pub(super) fail_on: Option<Level>,
}

/// A package, and what holds for it.
#[derive(Debug)]
pub(super) struct Configured {
    pub(super) package: Unread,
    pub(super) by: Arc<Configuration>,
}

impl Configuration {
    /// Whether a comment for the tool without a reason is a problem.
    pub(super) fn require_reason(&self) -> bool {
        self.config.as_ref().and_then(|config| config.require_reason.as_ref()).is_none_or(|set| set.value)
    }

    /// The rules as comments and baselines name them.
    pub(super) fn rule_names(&self) -> Vec<RuleName> {
        let cards = self.rules.cards().into_iter();
        cards
            .map(|card| {
                let asked = self.selection.loudest(&card.name) != Level::Off;
                RuleName { name: card.name, group: card.group.word(), asked }
            })
            .collect()
    }

    /// How delays are to be drawn.
    pub(super) fn jitter(&self) -> Jitter {
        self.config.as_ref().and_then(|it| it.preferred_jitter.as_ref()).map_or(Jitter::Full, |set| set.value)
    }

    /// The longest delay that is allowed, seconds.
    pub(super) fn longest_s(&self) -> Option<f64> {
        let limits = &self.config.as_ref()?.limits;
        limits.iter().find(|(limit, _)| limit.name == MAX_DELAY).map(|(_, set)| set.value)
    }

    /// How loud a rule's findings in a file are, by the path that is shown of it.
    pub(super) fn level_at(&self, rule: &str, shown: &str) -> Level {
        let config = self.config.as_ref().filter(|_| self.selection.is_local());
        let real = config.map(|_| real(Path::new(shown)));
        let below = config.zip(real.as_deref()).and_then(|(config, real)| config.below(real));
        self.selection.level_at(rule, below)
    }
}

/// The packages with what holds for each, and how many files are excluded.
pub(super) fn configure(mut input: Input, options: &Options) -> Result<(Vec<Configured>, usize), Stop> {
    if let Some(chosen) = &options.chosen {
        chosen.keep(&mut input.packages)?;
    }
    let mut finding = Finding::new(options)?;
    let mut configured = Vec::new();
    let mut excluded = 0;
    let mut by_whom = None;
    for mut package in input.packages {
        let by = finding.of(package.folder().as_deref())?;
        if let Some(config) = &by.config {
            let before = package.files().count();
            package.leave_out(|path, named| {
                (!named || options.configuring.force_exclude)
                    && config.below(&real(path)).is_some_and(|below| config.exclude.hold(below))
            });
            let left_out = before - package.files().count();
            excluded += left_out;
            if left_out > 0 {
                by_whom.get_or_insert_with(|| config.source.shown.clone());
            }
        }
        if package.files().next().is_some() {
            configured.push(Configured { package, by });
        }
    }
    if let Some(file) = by_whom.filter(|_| configured.is_empty() && !options.configuring.force_exclude) {
        let what = format!("nothing to read: {file} excludes every file");
        return Err(UserError::new(what).help("name other paths, or change `exclude`").into());
    }
    Ok((configured, excluded))
}

/// What holds in the current folder, for commands that read no source.
pub(super) fn here(options: &Options) -> Result<Arc<Configuration>, UserError> {
    Finding::new(options)?.of(None)
}

/// Configurations as they are asked for, each made once.
struct Finding<'o> {
    options: &'o Options,
    finder: Finder,
    named: Option<Arc<Config>>,
    made: BTreeMap<Option<PathBuf>, Arc<Configuration>>,
}

impl<'o> Finding<'o> {
    fn new(options: &'o Options) -> Result<Self, UserError> {
        let named = options.configuring.config.as_deref().map(Finder::named).transpose()?;
        Ok(Self { options, finder: Finder::default(), named, made: BTreeMap::new() })
    }

    /// What holds for the package in this folder; without one, in the current folder.
    fn of(&mut self, folder: Option<&Path>) -> Result<Arc<Configuration>, UserError> {
        let config = self.config(folder.unwrap_or(Path::new("")))?;
        let key = config.as_ref().map(|config| config.source.folder.clone());
        if let Some(made) = self.made.get(&key) {
            return Ok(Arc::clone(made));
        }
        let made = Arc::new(configuration(config, self.options)?);
        self.made.insert(key, Arc::clone(&made));
        Ok(made)
    }

    fn config(&mut self, folder: &Path) -> Result<Option<Arc<Config>>, ConfigError> {
        if self.options.configuring.isolated {
            return Ok(None);
        }
        if let Some(named) = &self.named {
            return Ok(Some(Arc::clone(named)));
        }
        self.finder.nearest(&real(folder))
    }
}

fn configuration(config: Option<Arc<Config>>, options: &Options) -> Result<Configuration, UserError> {
    let none = Config::default();
    let told = config.as_deref().unwrap_or(&none);
    let mut rules = Rules::with(&own_files(told, "rules", &told.rules, "md")?)?;
    let vocabulary = own_files(told, "vocabulary", &told.vocabulary, "toml")?;
    let libraries = own_files(told, "libraries", &told.libraries, "toml")?;
    let known = Known::with(&vocabulary, &libraries)?;
    for (limit, set) in &told.limits {
        if !rules.set_limit(limit.name, set.value) {
            return Err(unread_limit(told, limit, set));
        }
    }
    if let Some(jitter) = &told.preferred_jitter {
        rules.prefer_jitter(jitter.value);
    }
    let selection = select(options, &rules.cards(), told)?;
    let include_tests = options.include_tests.or(told.include_tests.as_ref().map(|set| set.value));
    let fail_on = options.fail_on.map(typed_level).or(told.fail_on.as_ref().map(|set| set.value));
    Ok(Configuration {
        rules,
        known,
        selection,
        include_tests: include_tests.unwrap_or(false),
        fail_on: Some(fail_on.unwrap_or(Level::Warning)).filter(|level| *level != Level::Off),
        config,
    })
}

fn typed_level(fail_on: FailOn) -> Level {
    match fail_on {
        FailOn::Error => Level::Error,
        FailOn::Warning => Level::Warning,
        FailOn::Note => Level::Note,
        FailOn::Never => Level::Off,
    }
}

/// A limit without a rule that asks for it would be passed over without a word.
fn unread_limit(config: &Config, limit: &LimitInfo, set: &Set<f64>) -> UserError {
    let what = format!("no rule reads the limit `{}`: it would have no effect", limit.name);
    UserError::from(config.error(&set.at, what)).help(format!(
        "take it out, or add a rule whose page asks for it: `{{ above = …, setting = \"{}\" }}`",
        limit.name
    ))
}

/// The files that a key of the configuration names, as name and text; of a folder, those of this kind, sorted.
fn own_files(
    config: &Config,
    key: &str,
    paths: &[Set<String>],
    extension: &str,
) -> Result<Vec<(String, String)>, UserError> {
    let mut read = Vec::new();
    for set in paths {
        let wrong = |what: &str| config.error(&set.at, format!("`{key}` names `{}`, {what}", set.value));
        let path = config.resolve(&set.value);
        let files = if path.is_dir() { files_in(&path, extension) } else { Ok(vec![path]) };
        let files = files.map_err(|error| wrong(&format!("which cannot be read: {error}")))?;
        if files.is_empty() {
            return Err(wrong(&format!("in which there is no file `*.{extension}`")).into());
        }
        for file in files {
            let shown = shown_beside(config, &file);
            // Not a pipe: reading one would wait for ever.
            if !file.metadata().is_ok_and(|about| about.is_file() && about.len() <= LARGEST) {
                return Err(wrong(&format!("but {shown} is not there, or no file that can be read")).into());
            }
            let text = std::fs::read_to_string(&file)
                .map_err(|error| wrong(&format!("but {shown} cannot be read: {error}")))?;
            read.push((shown, text));
        }
    }
    Ok(read)
}

fn files_in(folder: &Path, extension: &str) -> std::io::Result<Vec<PathBuf>> {
    let paths = std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut files = paths.collect::<Result<Vec<_>, _>>()?;
    files.retain(|path| path.extension() == Some(OsStr::new(extension)));
    files.sort();
    Ok(files)
}

/// A file as it is shown: from where the configuration itself is shown.
fn shown_beside(config: &Config, file: &Path) -> String {
    let beside = Path::new(&config.source.shown).parent().unwrap_or(Path::new(""));
    let below = config.below(file).map(|below| beside.join(below));
    below.as_deref().unwrap_or(file).display().to_string().replace('\\', "/")
}

/// A path without links, so that it can be held against a configuration's folder; as it is written where nothing is there.
pub(super) fn real(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let written = || std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    path.canonicalize().unwrap_or_else(|_| {
        // A new file's folder may be there already.
        let folder =
            path.parent().map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
        let folder = folder.and_then(|folder| folder.canonicalize().ok());
        folder.zip(path.file_name()).map_or_else(written, |(folder, name)| folder.join(name))
    })
}

impl From<ConfigError> for UserError {
    fn from(error: ConfigError) -> Self {
        let meant = error.meant.as_deref();
        let near = meant.and_then(|(written, valid)| {
            nearest(written, valid.iter().map(String::as_str)).map(str::to_owned)
        });
        let mut told = match &error.at {
            None => Self::new(format!("{}: {}", error.file, error.what)),
            Some(at) => Self::new(format!("{}:{}:{}: {}", error.file, at.line, at.column, error.what))
                .shown(lines(at)),
        };
        if let Some(near) = near {
            told = told.help(format!("did you mean `{near}`?"));
        } else if let Some((_, valid)) = meant.filter(|_| error.what.starts_with("unknown")) {
            told = told.help(format!("there are {}", valid.join(", ")));
        }
        match error.help {
            Some(help) => told.help(help),
            None => told,
        }
    }
}

/// The line of an excerpt, cut around it where it is long, and one that marks it.
fn lines(at: &Excerpt) -> [String; 2] {
    const BEFORE: usize = 60;
    const SHOWN: usize = 120;
    let number = at.line.to_string();
    let left_out = at.column.saturating_sub(1 + BEFORE);
    let text: String = at.text.chars().skip(left_out).take(SHOWN).collect();
    let before: String = text.chars().take(at.column.saturating_sub(1 + left_out)).collect();
    let marked = at.end_column.saturating_sub(at.column).clamp(1, SHOWN - BEFORE);
    let blank = " ".repeat(number.len());
    // What steers a terminal is shown as an escape, which is wider.
    let before = " ".repeat(clean(&before).chars().count());
    [format!("{number} | {text}"), format!("{blank} | {before}{}", "^".repeat(marked))]
}

impl From<ConfigError> for Stop {
    fn from(error: ConfigError) -> Self {
        Self::User(error.into())
    }
}
