//! The other rooms as the commands see them: the only file of this room that names what reads, detects and judges.

use super::error::UserError;
use super::settings::Inputs;
use crate::model::{Finding, Group, Level, Persona, Problem, Site};
use crate::report::Sources;
use crate::resolve::Crate;
use crate::rules;
use crate::source::SourceFile;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// A rule as the commands need it.
#[derive(Clone, Debug)]
pub(super) struct Card {
    pub(super) name: String,
    /// What it flags, in one line.
    pub(super) title: String,
    pub(super) group: Group,
    pub(super) level: Level,
    pub(super) persona: Persona,
    /// Its prose, in Markdown.
    pub(super) page: String,
}

/// The rules.
#[derive(Debug)]
pub(super) struct Rules {
    rules: rules::Rules,
}

impl Rules {
    /// Those that come with the program.
    pub(super) fn builtin() -> Result<Self, UserError> {
        // The pages are the program's own, and tested: this fails in a build that was tampered with.
        let rules = rules::Rules::builtin().map_err(|error| UserError::new(error.to_string()))?;
        Ok(Self { rules })
    }

    /// Each rule's card, by name.
    pub(super) fn cards(&self) -> Vec<Card> {
        self.rules.iter().map(card).collect()
    }

    /// What the rules say about a site, each as loud as `level_of` tells by the rule's name.
    pub(super) fn judge(&self, site: &Arc<Site>, level_of: impl Fn(&str) -> Level) -> Vec<Finding> {
        self.rules.judge(site, |rule| level_of(&rule.name))
    }
}

fn card(rule: &rules::Rule) -> Card {
    let prose = &rule.prose;
    let sections = [&prose.what, &prose.why, &prose.flags, &prose.does_not_flag, &prose.limits];
    let page = rules::HEADINGS.iter().zip(sections).filter(|(_, text)| !text.trim().is_empty());
    Card {
        name: rule.name.clone(),
        title: rule.title.clone(),
        group: rule.group,
        level: rule.level,
        persona: rule.persona,
        page: page.map(|(heading, text)| format!("## {heading}\n\n{}\n", text.trim())).collect::<Vec<_>>().join("\n"),
    }
}

/// The files of a package; what is found in one may depend on any other.
#[derive(Debug)]
pub(super) struct Package {
    krate: Crate,
}

/// What was read.
#[derive(Debug)]
pub(super) struct Input {
    /// Sorted by their first file.
    pub(super) packages: Vec<Package>,
    /// What could not be read.
    pub(super) problems: Vec<Problem>,
}

impl Package {
    /// Path and size of each file that is looked at; those read only for their names are left out.
    pub(super) fn files(&self) -> impl Iterator<Item = (&Arc<str>, usize)> {
        self.krate.files.iter().filter(|file| !file.context_only).map(|file| (&file.path, file.text.len()))
    }

    /// The texts of some files; the rest of the package is let go.
    pub(super) fn into_sources(self, wanted: &BTreeSet<Arc<str>>) -> Sources {
        let mut sources = Sources::default();
        for file in self.krate.files.into_iter().filter(|file| wanted.contains(&file.path)) {
            sources.insert(file.path, file.text);
        }
        sources
    }
}

/// Reads the files and puts those of one package together. Called on the threads of the run.
pub(super) fn read(inputs: &Inputs) -> Result<Input, UserError> {
    let mut by_root: std::collections::BTreeMap<std::path::PathBuf, Vec<SourceFile>> = std::collections::BTreeMap::new();
    match inputs {
        Inputs::Stdin(name) => {
            let text = std::io::read_to_string(std::io::stdin())
                .map_err(|error| UserError::new(format!("standard input cannot be read: {error}")))?;
            by_root.entry(std::path::PathBuf::new()).or_default().push(file(name, text));
        }
        Inputs::Paths(paths) => {
            for root in paths {
                for entry in ignore::WalkBuilder::new(root).build() {
                    let entry = entry.map_err(|error| UserError::new(error.to_string()))?;
                    let is_rust = entry.path().extension().is_some_and(|extension| extension == "rs");
                    if entry.file_type().is_some_and(|kind| kind.is_file()) && is_rust {
                        let Ok(text) = std::fs::read_to_string(entry.path()) else { continue };
                        let root = entry.path().ancestors().find(|dir| dir.join("Cargo.toml").is_file());
                        by_root.entry(root.unwrap_or(Path::new("")).to_owned()).or_default().push(file(entry.path(), text));
                    }
                }
            }
        }
    }
    if by_root.is_empty() {
        return Err(UserError::new("nothing to read: no .rs files there")
            .help("give a folder or a file with Rust in it; ignored files (.gitignore) are left out"));
    }
    let packages = by_root
        .into_iter()
        .map(|(root, files)| {
            let manifest = std::fs::read_to_string(root.join("Cargo.toml")).ok();
            Package { krate: Crate::new(files, manifest.as_deref()) }
        })
        .collect();
    Ok(Input { packages, problems: Vec::new() })
}

fn file(path: &Path, text: String) -> SourceFile {
    let shown = path.to_string_lossy().replace('\\', "/");
    let shown: Arc<str> = shown.strip_prefix("./").unwrap_or(&shown).into();
    let outline = crate::source::outline(&text, &shown);
    let in_test = shown.split('/').any(|part| matches!(part, "tests" | "benches" | "examples"));
    SourceFile { path: shown, lines: crate::source::Lines::new(&text), text, outline, in_test, context_only: false }
}

/// The sites of a package, look-alikes too, and what in it could not be followed.
pub(super) fn sites(package: &Package) -> (Vec<Site>, Vec<Problem>) {
    let Ok(knowledge) = crate::knowledge::Knowledge::builtin() else { return (Vec::new(), Vec::new()) };
    let found = crate::detect::sites(&package.krate, knowledge);
    (found.sites, found.problems)
}
