//! `--show-settings`: what holds for the packages that would be read, and where each setting comes from. No source is read.

use super::Status;
use super::args::Options;
use super::configured::{Configuration, configure, real};
use super::error::Stop;
use super::fixing::Texts;
use super::rooms::{self, Card};
use super::run::on_threads;
use super::settings::{Settings, terminal_columns};
use crate::model::{Level, Measure};
use crate::report::{Column, Cut, clean, write_table};
use crate::settings::{Config, LevelSet, Set, shown};
use codespan_reporting::term::termcolor::WriteColor;
use std::path::Path;
use std::sync::Arc;

const DEFAULT: &str = "default";

pub(super) fn show(settings: &Settings, options: &Options, out: &mut dyn WriteColor) -> Result<Status, Stop> {
    let (packages, _) =
        on_threads(settings, || configure(rooms::find(&settings.inputs, &Texts::new())?, options))?;
    let mut held: Vec<(Arc<Configuration>, Vec<String>)> = Vec::new();
    for package in packages {
        let folder = folder_name(package.package.folder().as_deref());
        match held.iter_mut().find(|(by, _)| Arc::ptr_eq(by, &package.by)) {
            Some((_, folders)) => folders.push(folder),
            None => held.push((package.by, vec![folder])),
        }
    }
    for (index, (by, folders)) in held.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        let file = by.config.as_ref().map_or("none", |config| config.source.shown.as_str());
        writeln!(out, "configuration: {}", clean(file))?;
        writeln!(out, "holds for: {}\n", clean(&folders.join(", ")))?;
        let columns =
            ["setting", "value", "from"].map(|title| Column { title, cut: Cut::Never, most: usize::MAX });
        write_table(out, &columns, &rows(by, options), terminal_columns())?;
    }
    out.flush()?;
    Ok(Status::Clean)
}

fn folder_name(folder: Option<&Path>) -> String {
    let folder = shown(&real(folder.unwrap_or(Path::new(""))));
    if folder.is_empty() { ".".to_owned() } else { folder.trim_end_matches('/').to_owned() }
}

fn rows(by: &Configuration, options: &Options) -> Vec<Vec<String>> {
    let none = Config::default();
    let config = by.config.as_deref().unwrap_or(&none);
    let mut rows = Vec::new();
    let mut row = |name: &str, value: String, from: String| rows.push(vec![name.to_owned(), value, from]);
    let all = options.select.iter().any(|word| word.trim().eq_ignore_ascii_case("all"));
    let typed_confidence = match options.min_confidence {
        Some(_) => Some("--min-confidence"),
        None => all.then_some("--select"),
    };
    let confidence = by.selection.min_confidence.word();
    row(
        "min-confidence",
        confidence.to_owned(),
        from(typed_confidence, config, config.min_confidence.as_ref()),
    );
    let fail_on = by.fail_on.map_or("never", Level::word);
    let typed = options.fail_on.map(|_| "--fail-on");
    row("fail-on", fail_on.to_owned(), from(typed, config, config.fail_on.as_ref()));
    let typed = options.include_tests.map(|_| "--include-tests");
    row("include-tests", by.include_tests.to_string(), from(typed, config, config.include_tests.as_ref()));
    let reason = config.require_reason.as_ref();
    row("require-reason", reason.is_none_or(|set| set.value).to_string(), from(None, config, reason));
    let jitter = config.preferred_jitter.as_ref();
    let word = jitter.map_or("full", |set| set.value.word());
    row("preferred-jitter", word.to_owned(), from(None, config, jitter));
    if !config.exclude.written.is_empty() {
        row("exclude", config.exclude.written.join(", "), config.place(&config.exclude.at));
    }
    for (name, paths) in
        [("rules", &config.rules), ("vocabulary", &config.vocabulary), ("libraries", &config.libraries)]
    {
        for path in paths {
            row(name, path.value.clone(), config.place(&path.at));
        }
    }
    for (limit, set) in &config.limits {
        let unit = if limit.measure == Measure::Seconds { " s" } else { "" };
        row(&format!("limits.{}", limit.name), format!("{}{unit}", set.value), config.place(&set.at));
    }
    for card in by.rules.cards() {
        let level = by.selection.level(&card.name);
        let from = level_from(&card, level, config, options);
        row(&format!("levels.{}", card.name), level.word().to_owned(), from);
    }
    for own in &config.overrides {
        for set in &own.levels {
            let name = format!("levels.{} in {}", set.name, own.paths.written.join(", "));
            row(&name, set.level.word().to_owned(), config.place(&set.at));
        }
    }
    rows
}

fn from<T>(typed: Option<&str>, config: &Config, set: Option<&Set<T>>) -> String {
    match (typed, set) {
        (Some(option), _) => option.to_owned(),
        (None, Some(set)) => config.place(&set.at),
        (None, None) => DEFAULT.to_owned(),
    }
}

/// What decided a rule's level: what was typed, a line of the configuration, or its page.
fn level_from(card: &Card, level: Level, config: &Config, options: &Options) -> String {
    let names = |typed: &[String]| {
        typed.iter().any(|word| {
            let word = word.trim();
            word == card.name || word == card.group.word() || word.eq_ignore_ascii_case("all")
        })
    };
    let find = |name: &str| config.levels.iter().find(|set: &&LevelSet| set.name == name);
    let set = find(&card.name).or_else(|| find(card.group.word())).filter(|set| set.level == level);
    if names(&options.ignore) {
        return "--ignore".to_owned();
    }
    match set {
        Some(set) => config.place(&set.at),
        None if !options.select.is_empty() => "--select".to_owned(),
        None if options.pedantic => "--pedantic".to_owned(),
        None => DEFAULT.to_owned(),
    }
}
