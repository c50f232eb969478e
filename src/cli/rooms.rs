//! The other rooms as the commands see them: the only file of this room that names what reads, detects and judges.

use super::error::UserError;
use super::fixing::Texts;
use super::settings::Inputs;
use crate::fix;
pub(super) use crate::fix::{Wishes, chosen};
use crate::knowledge::Knowledge;
use crate::model::Jitter;
use crate::model::{Finding, Group, Level, Persona, Problem, Site, Unfollowed};
use crate::report::Sources;
use crate::resolve::Crate;
use crate::rules;
use crate::settings::Remarks;
use crate::source::{self, Found, PackageTexts, SourceFile, Walk};
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
    /// Those that come with the program, and these pages, each its file's name and its text.
    pub(super) fn with(pages: &[(String, String)]) -> Result<Self, UserError> {
        let refused = |error: rules::RuleError| UserError::new(error.to_string());
        let mut rules = rules::Rules::builtin().map_err(refused)?;
        for (file, text) in pages {
            rules.add(file, text).map_err(refused)?;
        }
        Ok(Self { rules })
    }

    /// Sets a limit where a page asks for it; whether any does.
    pub(super) fn set_limit(&mut self, limit: &str, value: f64) -> bool {
        self.rules.set_limit(limit, value)
    }

    /// What messages propose in place of a delay that is not random.
    pub(super) fn prefer_jitter(&mut self, jitter: Jitter) {
        self.rules.prefer_jitter(jitter);
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

/// What is known of the world: the tables that come with the program, and a project's own.
#[derive(Debug)]
pub(super) struct Known {
    /// `None` for the program's alone, which are read once.
    own: Option<Knowledge>,
}

impl Known {
    /// The program's tables and these, each its file's name and its text.
    pub(super) fn with(
        vocabulary: &[(String, String)],
        libraries: &[(String, String)],
    ) -> Result<Self, UserError> {
        if vocabulary.is_empty() && libraries.is_empty() {
            return Ok(Self { own: None });
        }
        let own = Knowledge::with(named(vocabulary), named(libraries));
        Ok(Self { own: Some(own.map_err(|error| UserError::new(error.to_string()))?) })
    }
}

impl Known {
    /// The crates that a fix may add to a manifest, each once.
    pub(super) fn addable(&self) -> Vec<&str> {
        let code = self.knowledge().map_or(&[][..], |knowledge| &knowledge.code);
        let names: BTreeSet<&str> =
            code.iter().filter(|code| code.add.is_some()).map(|code| code.krate.as_str()).collect();
        names.into_iter().collect()
    }

    /// The tables; `None` only where the program's own cannot be read, which a test keeps out.
    fn knowledge(&self) -> Option<&Knowledge> {
        self.own.as_ref().or_else(|| Knowledge::builtin().ok())
    }
}

fn named(files: &[(String, String)]) -> impl Iterator<Item = (&str, &str)> {
    files.iter().map(|(name, text)| (name.as_str(), text.as_str()))
}

/// The files of a package; what is found in one may depend on any other.
#[derive(Debug)]
pub(super) struct Package {
    krate: Crate,
    /// What of it could not be read.
    pub(super) unread: Vec<Problem>,
    extent: Extent,
    /// What is written of it beside its sources.
    texts: PackageTexts,
    /// Where its files are on disk.
    paths: BTreeMap<Arc<str>, PathBuf>,
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
    /// Files of a package.
    Files {
        /// The folder of their manifest.
        folder: Option<PathBuf>,
        files: Vec<Found>,
        /// Those that are read only so that names resolve.
        context: Vec<Found>,
    },
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
    /// The folder of its manifest.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        match self {
            Self::Text(name, _) => source::package_folder(Path::new(name)),
            Self::Files { folder, .. } => folder.clone(),
        }
    }

    /// The files to be looked at, and whether each was named itself.
    pub(super) fn files(&self) -> impl Iterator<Item = (&Path, bool)> {
        let (text, files) = match self {
            Self::Text(name, _) => (Some((Path::new(name), true)), &[][..]),
            Self::Files { files, .. } => (None, files.as_slice()),
        };
        text.into_iter().chain(files.iter().map(|found| (found.path.as_path(), found.named)))
    }

    /// Leaves out the files for which `excluded` holds, told their path and whether they were named. What is left out still tells what
    /// its names mean.
    pub(super) fn leave_out(&mut self, mut excluded: impl FnMut(&Path, bool) -> bool) {
        match self {
            Self::Text(name, _) if excluded(Path::new(name), true) => {
                *self = Self::Files { folder: None, files: Vec::new(), context: Vec::new() };
            }
            Self::Text(..) => {}
            Self::Files { files, context, .. } => {
                let (out, kept): (Vec<_>, Vec<_>) =
                    std::mem::take(files).into_iter().partition(|it| excluded(&it.path, it.named));
                *files = kept;
                context.extend(out);
            }
        }
    }

    /// Reads it. Packages are read one by one, each when its turn comes: the memory of a run is that of its largest packages.
    /// A file that `texts` has is taken from there.
    pub(super) fn read(self, texts: &Texts) -> Package {
        match self {
            Self::Files { folder, files, context } => package(folder.as_deref(), &files, context, texts),
            Self::Text(name, bytes) => {
                let paths = BTreeMap::from([(Arc::from(name.as_str()), PathBuf::from(&name))]);
                // what its package depends on says what its names mean
                let folder = source::package_folder(Path::new(&name));
                let texts = folder.as_deref().map(source::package_texts).unwrap_or_default();
                let (files, unread) = match source::source_file(name.into(), bytes) {
                    Ok(file) => (vec![file], Vec::new()),
                    Err(problem) => (Vec::new(), vec![problem]),
                };
                Package {
                    krate: Crate::with(files, texts.clone()),
                    unread,
                    extent: Extent::Part,
                    texts,
                    paths,
                }
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

    /// Where some files are on disk.
    pub(super) fn paths(&self, wanted: &BTreeSet<Arc<str>>) -> BTreeMap<Arc<str>, PathBuf> {
        let mut paths = self.paths.clone();
        paths.retain(|shown, _| wanted.contains(shown));
        paths
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
pub(super) fn find(inputs: &Inputs, texts: &Texts) -> Result<Input, UserError> {
    let paths = match inputs {
        Inputs::Stdin(name) if texts.contains_key(name.as_path()) => {
            let bytes = texts.get(name.as_path()).map(|text| text.clone().into_bytes()).unwrap_or_default();
            let text = Unread::Text(name.to_string_lossy().into(), bytes);
            return Ok(Input { packages: vec![text], problems: Vec::new() });
        }
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
    let packages = by_package
        .into_iter()
        .map(|(folder, files)| Unread::Files { folder, files, context: Vec::new() })
        .collect();
    Ok(Input { packages, problems })
}

/// A package of these files; where some were named themselves, the rest of its sources is read too, so that names resolve.
fn package(folder: Option<&Path>, files: &[Found], mut context: Vec<Found>, instead: &Texts) -> Package {
    let read_one = |found: &Found| match instead.get(&found.path) {
        Some(text) => source::read_as(found, text),
        None => source::read(found),
    };
    let mut unread = Vec::new();
    let mut read = Vec::new();
    for (result, found) in files.par_iter().map(read_one).collect::<Vec<_>>().into_iter().zip(files) {
        match result {
            Ok(file) => read.extend(file),
            Err(problem) => unread.push(Problem { path: found.shown.to_string(), ..problem }),
        }
    }
    if let Some(folder) = folder
        && files.iter().any(|found| found.named)
    {
        let known: BTreeSet<PathBuf> = files.iter().chain(&context).map(|found| found.path.clone()).collect();
        let others = source::package_sources(folder).files;
        context.extend(others.into_iter().filter(|other| !known.contains(&other.path)));
    }
    // a file that cannot be read is a problem only of a run that looks at it
    for result in context.par_iter().map(read_one).collect::<Vec<_>>() {
        read.extend(result.ok().flatten().map(|file| SourceFile { context_only: true, ..file }));
    }
    let texts = folder.map(source::package_texts).unwrap_or_default();
    let extent = if unread.is_empty() {
        Extent::Files(folder.map(Path::to_owned), files.iter().map(|found| found.path.clone()).collect())
    } else {
        Extent::Part
    };
    let paths = files.iter().map(|found| (found.shown.clone(), found.path.clone())).collect();
    Package { krate: Crate::with(read, texts.clone()), unread, extent, texts, paths }
}

/// What a package holds.
#[derive(Debug, Default)]
pub(super) struct Held {
    /// Look-alikes too.
    pub(super) sites: Vec<Site>,
    /// What could not be read.
    pub(super) problems: Vec<Problem>,
    /// How many bodies were asked for retries.
    pub(super) bodies: usize,
    /// How many of them are in tests.
    pub(super) in_tests: usize,
    /// Those that could not be followed, or not to their end.
    pub(super) unfollowed: Vec<Unfollowed>,
}

/// Gives each finding the fix that mends it. The edited files are read again for that, the others only for what their names mean.
pub(super) fn suggest(
    package: &Package,
    known: &Known,
    rules: &Rules,
    wishes: Wishes<'_>,
    findings: &mut [Finding],
) {
    let Some(knowledge) = known.knowledge() else { return };
    let look = |changed: Vec<SourceFile>| {
        let remarks = Remarks::read(changed.iter(), false);
        let same = package.krate.files.iter().filter(|file| changed.iter().all(|it| it.path != file.path));
        let same: Vec<SourceFile> =
            same.map(|file| SourceFile { context_only: true, ..file.clone() }).collect();
        let krate = Crate::with(same.into_iter().chain(changed).collect(), package.texts.clone());
        let mut sites = crate::detect::sites(&krate, knowledge).sites;
        remarks.assume(&mut sites);
        sites.into_iter().map(Arc::new).collect()
    };
    let judge = |site: &Arc<Site>| {
        let said = rules.rules.judge(site, |rule| rule.level.max(Level::Note));
        said.into_iter()
            .map(|finding| {
                let rule = rules.rules.get(&finding.rule);
                let heard =
                    rule.is_some_and(|it| it.level >= Level::Warning && it.persona == Persona::Default);
                (finding.rule, heard)
            })
            .collect()
    };
    let bench = fix::Bench { krate: &package.krate, knowledge, wishes, look: &look, judge: &judge };
    fix::suggest(&bench, findings);
}

/// The sites of a package, and what in it could not be followed.
pub(super) fn sites(package: &Package, known: &Known) -> Held {
    let Some(knowledge) = known.knowledge() else { return Held::default() };
    let found = crate::detect::sites(&package.krate, knowledge);
    // what an outline left out was never asked for, so nobody behind it could say so
    let looked_at = package.krate.files.iter().filter(|file| !file.context_only);
    let left_out = looked_at.flat_map(|file| file.outline.problems.iter().cloned());
    Held {
        sites: found.sites,
        problems: left_out.chain(found.problems).collect(),
        bodies: found.bodies,
        in_tests: found.in_tests,
        unfollowed: found.unfollowed,
    }
}
