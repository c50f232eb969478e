//! The other rooms as the commands see them: the only file of this room that names what reads, detects and judges.

use super::error::UserError;
use super::settings::Inputs;
use crate::model::{Finding, Group, Level, Persona, Problem, Site};
use crate::report::Sources;
use crate::rules;
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
    // JOIN: resolve::Crate
    files: Vec<File>,
}

#[derive(Debug)]
struct File {
    path: Arc<str>,
    text: String,
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
        self.files.iter().map(|file| (&file.path, file.text.len()))
    }

    /// The texts of some files; the rest of the package is let go.
    pub(super) fn into_sources(self, wanted: &BTreeSet<Arc<str>>) -> Sources {
        let mut sources = Sources::default();
        for file in self.files.into_iter().filter(|file| wanted.contains(&file.path)) {
            sources.insert(file.path, file.text);
        }
        sources
    }
}

/// Reads the files and puts those of one package together. Called on the threads of the run.
pub(super) fn read(inputs: &Inputs) -> Result<Input, UserError> {
    // JOIN: source::walk, source::read, resolve::Crate::new. Until then every file is a package of its own.
    let mut files = Vec::new();
    match inputs {
        Inputs::Stdin(name) => {
            let text = std::io::read_to_string(std::io::stdin())
                .map_err(|error| UserError::new(format!("standard input cannot be read: {error}")))?;
            files.push(File { path: shown(name), text });
        }
        Inputs::Paths(paths) => {
            for root in paths {
                for entry in ignore::WalkBuilder::new(root).build() {
                    let entry = entry.map_err(|error| UserError::new(error.to_string()))?;
                    let is_rust = entry.path().extension().is_some_and(|extension| extension == "rs");
                    if entry.file_type().is_some_and(|kind| kind.is_file()) && is_rust {
                        let text = std::fs::read_to_string(entry.path()).map_err(|error| {
                            UserError::new(format!("`{}` cannot be read: {error}", entry.path().display()))
                        })?;
                        files.push(File { path: shown(entry.path()), text });
                    }
                }
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    if files.is_empty() {
        return Err(UserError::new("nothing to read: no .rs files there")
            .help("give a folder or a file with Rust in it; ignored files (.gitignore) are left out"));
    }
    let packages = files.into_iter().map(|file| Package { files: vec![file] }).collect();
    Ok(Input { packages, problems: Vec::new() })
}

fn shown(path: &Path) -> Arc<str> {
    let shown = path.to_string_lossy().replace('\\', "/");
    shown.strip_prefix("./").unwrap_or(&shown).into()
}

/// The sites of a package, look-alikes too, and what in it could not be followed.
pub(super) fn sites(package: &Package) -> (Vec<Site>, Vec<Problem>) {
    // JOIN: detect::sites(&package.krate, Knowledge::builtin()?)
    let _ = package;
    (Vec::new(), Vec::new())
}
