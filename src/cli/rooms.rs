//! The other rooms as the commands see them: the only file of this room that names what reads, detects and judges.

use super::error::UserError;
use super::settings::Inputs;
use crate::model::{Finding, Group, Level, Persona, Problem, Site};
use crate::report::Sources;
use crate::resolve::Crate;
use crate::rules;
use crate::settings::Remarks;
use crate::source::{self, Found, SourceFile, Walk};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};
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

/// The folder of the package that a file belongs to.
pub(super) fn package_folder(file: &Path) -> Option<PathBuf> {
    source::package_folder(file)
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
        page: page
            .map(|(heading, text)| format!("## {heading}\n\n{}\n", text.trim()))
            .collect::<Vec<_>>()
            .join("\n"),
    }
}

/// The files of a package; what is found in one may depend on any other.
#[derive(Debug)]
pub(super) struct Package {
    krate: Crate,
    /// What of it could not be read.
    pub(super) unread: Vec<Problem>,
    extent: Extent,
}

/// How much of a package is looked at.
#[derive(Debug)]
enum Extent {
    /// A part, whatever else there is.
    Part,
    /// These files, of the package in this folder.
    Files(Option<PathBuf>, BTreeSet<PathBuf>),
}

/// A package that is still to be read.
#[derive(Debug)]
pub(super) enum Unread {
    /// The text that came on standard input, and the name it goes by.
    Text(String, Vec<u8>),
    /// Files, and the folder of their manifest.
    Files(Option<PathBuf>, Vec<Found>),
}

/// What there is to read.
#[derive(Debug)]
pub(super) struct Input {
    /// Sorted by their folders.
    pub(super) packages: Vec<Unread>,
    /// What could not be walked.
    pub(super) problems: Vec<Problem>,
}

impl Unread {
    /// Reads it. Packages are read one by one, each when its turn comes: the memory of a run is that of its largest packages.
    pub(super) fn read(self) -> Package {
        match self {
            Self::Files(folder, files) => package(folder.as_deref(), &files),
            Self::Text(name, bytes) => {
                let (files, unread) = match source::source_file(name.into(), bytes) {
                    Ok(file) => (vec![file], Vec::new()),
                    Err(problem) => (Vec::new(), vec![problem]),
                };
                Package { krate: Crate::new(files, None), unread, extent: Extent::Part }
            }
        }
    }
}

impl Package {
    /// Path and size of each file that is looked at; those read only for their names are left out.
    pub(super) fn files(&self) -> impl Iterator<Item = (&Arc<str>, usize)> {
        self.krate.files.iter().filter(|file| !file.context_only).map(|file| (&file.path, file.text.len()))
    }

    /// What the comments of those files say to the tool.
    pub(super) fn remarks(&self, require_reason: bool) -> Remarks {
        Remarks::read(self.krate.files.iter().filter(|file| !file.context_only), require_reason)
    }

    /// Whether all of it is looked at; else a finding elsewhere in it may be missing.
    pub(super) fn is_whole(&self) -> bool {
        match &self.extent {
            Extent::Part => false,
            Extent::Files(None, _) => true,
            Extent::Files(Some(folder), files) => {
                source::package_sources(folder).files.iter().all(|found| files.contains(&found.path))
            }
        }
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

/// Finds the files and puts those of one package together. Called on the threads of the run.
pub(super) fn find(inputs: &Inputs) -> Result<Input, UserError> {
    let paths = match inputs {
        Inputs::Stdin(name) => {
            let mut bytes = Vec::new();
            std::io::stdin()
                .read_to_end(&mut bytes)
                .map_err(|error| UserError::new(format!("standard input cannot be read: {error}")))?;
            let text = Unread::Text(name.to_string_lossy().into(), bytes);
            return Ok(Input { packages: vec![text], problems: Vec::new() });
        }
        Inputs::Paths(paths) => paths,
    };
    let walked = source::walk(paths, &Walk::default());
    let mut problems = Vec::new();
    for error in walked.errors {
        if error.is_fatal() {
            return Err(UserError::new(error.to_string()));
        }
        problems.push(error.problem());
    }
    if walked.files.is_empty() {
        return Err(UserError::new("nothing to read: no .rs files there")
            .help("give a folder or a file with Rust in it; ignored files (.gitignore) are left out"));
    }
    // asked once for each folder of files: its manifest is parsed each time
    let mut above: BTreeMap<Option<&Path>, Option<PathBuf>> = BTreeMap::new();
    for found in &walked.files {
        above.entry(found.path.parent()).or_insert_with(|| source::package_folder(&found.path));
    }
    let folders: Vec<Option<PathBuf>> =
        walked.files.iter().map(|found| above.get(&found.path.parent()).cloned().flatten()).collect();
    let mut by_package: BTreeMap<Option<PathBuf>, Vec<Found>> = BTreeMap::new();
    for (found, folder) in walked.files.into_iter().zip(folders) {
        by_package.entry(folder).or_default().push(found);
    }
    let packages = by_package.into_iter().map(|(folder, files)| Unread::Files(folder, files)).collect();
    Ok(Input { packages, problems })
}

/// A package of these files; where some were named themselves, the rest of its sources is read too, so that names resolve.
fn package(folder: Option<&Path>, files: &[Found]) -> Package {
    let mut unread = Vec::new();
    let mut read = Vec::new();
    for (result, found) in files.par_iter().map(source::read).collect::<Vec<_>>().into_iter().zip(files) {
        match result {
            Ok(file) => read.extend(file),
            Err(problem) => unread.push(Problem { path: found.shown.to_string(), ..problem }),
        }
    }
    if let Some(folder) = folder
        && files.iter().any(|found| found.named)
    {
        let others = source::package_sources(folder).files;
        let others = others.iter().filter(|other| files.iter().all(|found| found.path != other.path));
        for other in others {
            // a file that cannot be read is a problem only of a run that looks at it
            if let Ok(Some(file)) = source::read(other) {
                read.push(SourceFile { context_only: true, ..file });
            }
        }
    }
    let manifest = folder.and_then(|folder| std::fs::read_to_string(folder.join("Cargo.toml")).ok());
    let extent = if unread.is_empty() {
        Extent::Files(folder.map(Path::to_owned), files.iter().map(|found| found.path.clone()).collect())
    } else {
        Extent::Part
    };
    Package { krate: Crate::new(read, manifest.as_deref()), unread, extent }
}

/// The sites of a package, look-alikes too, and what in it could not be followed.
pub(super) fn sites(package: &Package) -> (Vec<Site>, Vec<Problem>) {
    let Ok(knowledge) = crate::knowledge::Knowledge::builtin() else { return (Vec::new(), Vec::new()) };
    let found = crate::detect::sites(&package.krate, knowledge);
    // what an outline left out was never asked for, so nobody behind it could say so
    let looked_at = package.krate.files.iter().filter(|file| !file.context_only);
    let left_out = looked_at.flat_map(|file| file.outline.problems.iter().cloned());
    (found.sites, left_out.chain(found.problems).collect())
}
