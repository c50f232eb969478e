//! `cargo retry-lint`: which packages and targets are looked at, in cargo's own words. The manifests are read as text; cargo is not asked, and
//! nothing of the project is run: no build script, no wrapper or toolchain that a configuration names.

use super::args::{Typed, Verb};
use super::error::{UserError, nearest};
use super::packages::Packages;
use super::rooms::Unread;
use super::surroundings::resolved;
use super::workspace::{Member, members};
use crate::settings::shown;
use clap::{Args, Parser};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// As `retry-lint`, and cargo's options.
#[derive(Debug, Parser)]
#[command(name = "cargo retry-lint", version)]
pub(super) struct CargoTyped {
    #[command(flatten)]
    pub(super) cargo: CargoArgs,
    #[command(flatten)]
    pub(super) typed: Typed,
}

/// What cargo's own commands have.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Packages and targets")]
#[allow(clippy::struct_excessive_bools)]
pub(super) struct CargoArgs {
    /// Only this package of the workspace.
    #[arg(short, long, global = true, value_name = "PKG", conflicts_with = "workspace")]
    package: Vec<String>,

    /// All packages of the workspace.
    #[arg(long, global = true)]
    workspace: bool,

    /// With --workspace: not this package.
    #[arg(long, global = true, value_name = "PKG", requires = "workspace")]
    exclude: Vec<String>,

    /// The manifest to begin with [default: the nearest Cargo.toml].
    #[arg(long, global = true, value_name = "PATH")]
    manifest_path: Option<PathBuf>,

    /// Only the library.
    #[arg(long, global = true)]
    lib: bool,

    /// Only the binaries.
    #[arg(long, global = true)]
    bins: bool,

    /// Only the tests.
    #[arg(long, global = true)]
    tests: bool,

    /// Only the examples.
    #[arg(long, global = true)]
    examples: bool,
}

impl CargoArgs {
    fn kinds(&self) -> BTreeSet<&'static str> {
        let asked = [(self.lib, "lib"), (self.bins, "bin"), (self.tests, "test"), (self.examples, "example")];
        asked.into_iter().filter(|(is, _)| *is).map(|(_, kind)| kind).collect()
    }

    /// Whether targets were asked for that count as tests.
    fn asks_for_tests(&self) -> bool {
        self.tests || self.examples
    }

    fn chooses(&self) -> bool {
        !self.package.is_empty() || self.workspace || self.manifest_path.is_some() || !self.kinds().is_empty()
    }
}

/// The packages and targets that a run is about. Their folders are what is walked, so that the configuration, ignore files and marks of
/// generated code hold as in any other run; this takes away what else lies in them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Chosen {
    /// The folders of the packages, links resolved.
    folders: BTreeSet<PathBuf>,
    /// The kinds of targets; empty for all.
    kinds: BTreeSet<&'static str>,
}

impl Chosen {
    /// Drops the packages that were not chosen, and leaves out the files of other targets.
    ///
    /// # Errors
    /// Nothing is left.
    pub(super) fn keep(&self, packages: &mut Vec<Unread>) -> Result<(), UserError> {
        // a package inside another one's folder is its own
        packages.retain(|package| package.folder().is_some_and(|folder| self.folders.contains(&folder)));
        if !self.kinds.is_empty() {
            let mut units = Packages::default();
            for package in packages.iter_mut() {
                package.leave_out(|file, _| {
                    let unit = units.unit(file);
                    !unit.is_some_and(|unit| unit.target.kind.iter().any(|kind| is_kind(&self.kinds, kind)))
                });
            }
        }
        if packages.iter().any(|package| package.files().next().is_some()) {
            return Ok(());
        }
        Err(UserError::new("nothing to read: these packages have no such targets")
            .help("leave out `--lib`, `--bins`, `--tests` and `--examples` to see all"))
    }
}

/// Puts the folders of the chosen packages where no paths were typed.
pub(super) fn choose(cargo: &CargoArgs, typed: &mut Typed) -> Result<(), UserError> {
    let paths = match &mut typed.verb {
        None => &mut typed.paths,
        Some(Verb::Check { paths } | Verb::Audit { paths, .. }) => paths,
        Some(Verb::Baseline { verb }) => verb.paths_mut(),
        Some(_) if cargo.chooses() => {
            return Err(UserError::new("packages or targets are chosen for a command that reads no source")
                .help("leave them out"));
        }
        Some(_) => return Ok(()),
    };
    if paths.is_empty() {
        let chosen = chosen(cargo)?;
        paths.extend(chosen.folders.iter().map(|folder| match shown(folder) {
            here if here.is_empty() => PathBuf::from("."),
            shown => PathBuf::from(shown),
        }));
        typed.options.chosen = Some(chosen);
    } else if cargo.chooses() {
        return Err(UserError::new("paths are given together with packages or targets")
            .help("give either paths or cargo's options"));
    }
    if cargo.asks_for_tests() && typed.options.include_tests.is_none() {
        typed.options.include_tests = Some(true);
    }
    Ok(())
}

/// What cargo's options choose.
///
/// # Errors
/// No manifest, one that is none, a package that the workspace does not have.
fn chosen(cargo: &CargoArgs) -> Result<Chosen, UserError> {
    let manifest = manifest(cargo.manifest_path.as_deref())?;
    let folders = folders(cargo, &members(&manifest)?)?;
    if folders.is_empty() {
        // no path at all would mean the current folder
        return Err(UserError::new("nothing to read: no package is left").help("leave out `--exclude`"));
    }
    Ok(Chosen { folders, kinds: cargo.kinds() })
}

fn is_kind(kinds: &BTreeSet<&str>, kind: &str) -> bool {
    let kind = match kind {
        "rlib" | "dylib" | "cdylib" | "staticlib" | "proc-macro" => "lib",
        other => other,
    };
    kinds.contains(kind)
}

fn manifest(given: Option<&Path>) -> Result<PathBuf, UserError> {
    if let Some(path) = given {
        if path.file_name().is_none_or(|name| name != "Cargo.toml") {
            return Err(UserError::new(format!("`{}` is no Cargo.toml", path.display()))
                .help("--manifest-path takes the path of a manifest, its name included"));
        }
        if !path.is_file() {
            return Err(UserError::new(format!("no such manifest: `{}`", path.display())));
        }
        return Ok(path.to_owned());
    }
    let here = resolved(Path::new("."));
    let found = here.ancestors().map(|folder| folder.join("Cargo.toml")).find(|path| path.is_file());
    found.ok_or_else(|| {
        UserError::new("no Cargo.toml here or above")
            .help("go into a package, or name one with --manifest-path; `retry-lint PATH` needs no manifest")
    })
}

fn folders(cargo: &CargoArgs, members: &[Member]) -> Result<BTreeSet<PathBuf>, UserError> {
    let names = || members.iter().map(|member| member.name.as_str());
    for asked in cargo.package.iter().chain(&cargo.exclude) {
        if !names().any(|name| name == asked) {
            let error = UserError::new(format!("no package `{asked}` in this workspace"));
            return Err(match nearest(asked, names()) {
                Some(name) => error.help(format!("did you mean `{name}`?")),
                None => error.help(format!("it has {}", names().collect::<Vec<_>>().join(", "))),
            });
        }
    }
    let wanted = |name: &String, is_default: bool| {
        if cargo.workspace {
            !cargo.exclude.contains(name)
        } else if cargo.package.is_empty() {
            is_default
        } else {
            cargo.package.contains(name)
        }
    };
    let chosen = members.iter().filter(|member| wanted(&member.name, member.is_default));
    Ok(chosen.map(|member| member.folder.clone()).collect())
}
