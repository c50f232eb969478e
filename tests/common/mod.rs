//! What the tests of the engine share: a package in memory, what the engine says about it, and the marks that say what it should say.
//! Each test uses a part of it.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic
)]

pub mod cases;
pub mod marks;
pub mod rename;

use retry_lint::detect;
use retry_lint::knowledge::Knowledge;
use retry_lint::model::{Finding, Problem, Site};
use retry_lint::resolve::Crate;
use retry_lint::rules::{Rule, Rules};
use retry_lint::source::{Lines, SourceFile, outline};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// As the command has it: what it recurses over, it recurses over to a counted depth.
const STACK: usize = 16 << 20;

/// The files of one package, in memory.
#[derive(Clone, Debug, Default)]
pub struct Package {
    /// Path and text.
    pub files: Vec<(String, String)>,
    /// The text of its `Cargo.toml`.
    pub manifest: String,
}

/// What the engine says about a package, every rule asked, at any confidence.
#[derive(Debug)]
pub struct Judged {
    pub sites: Vec<Arc<Site>>,
    pub findings: Vec<Finding>,
    pub problems: Vec<Problem>,
}

impl Package {
    /// A package of one file, which says itself what it depends on: `//@ needs: tokio = "1"`.
    pub fn of_file(text: &str) -> Self {
        let needs = text.lines().filter_map(|line| line.trim_start().strip_prefix("//@ needs:"));
        let needs: Vec<&str> = needs.map(str::trim).collect();
        Self {
            files: vec![("src/lib.rs".to_owned(), text.to_owned())],
            manifest: format!(
                "[package]\nname = \"fixture\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n{}\n",
                needs.join("\n")
            ),
        }
    }

    /// A package that lies in a folder.
    pub fn of_folder(folder: &Path) -> Self {
        let mut files = Vec::new();
        for path in files_below(folder).iter().filter(|path| path.extension().is_some_and(|it| it == "rs")) {
            let shown = path.strip_prefix(folder).unwrap().to_string_lossy().replace('\\', "/");
            files.push((shown, std::fs::read_to_string(path).unwrap()));
        }
        Self { files, manifest: std::fs::read_to_string(folder.join("Cargo.toml")).unwrap() }
    }

    /// The same package with every text changed.
    pub fn map(&self, change: impl Fn(&str) -> String) -> Self {
        let files = self.files.iter().map(|(path, text)| (path.clone(), change(text))).collect();
        Self { files, manifest: self.manifest.clone() }
    }

    /// What the engine says, on this many threads.
    pub fn judged(&self, threads: usize) -> Judged {
        self.judged_by(threads, |_| true)
    }

    /// The same, with only these rules asked.
    pub fn judged_by(&self, threads: usize, asked: impl Fn(&Rule) -> bool + Sync) -> Judged {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build().unwrap();
        pool.install(|| {
            let files = self.files.iter().map(|(path, text)| source_file(path, text)).collect();
            let krate = Crate::new(files, Some(&self.manifest));
            let found = detect::sites(&krate, Knowledge::builtin().unwrap());
            let rules = rules();
            let sites: Vec<Arc<Site>> = found.sites.into_iter().map(Arc::new).collect();
            let mut findings = Vec::new();
            for site in &sites {
                let level_of =
                    |rule: &Rule| if asked(rule) { rule.level } else { retry_lint::model::Level::Off };
                findings.extend(rules.judge(site, level_of));
            }
            Judged { sites, findings, problems: found.problems }
        })
    }
}

/// The rules that come with the program.
pub fn rules() -> &'static Rules {
    static RULES: OnceLock<Rules> = OnceLock::new();
    RULES.get_or_init(|| Rules::builtin().unwrap())
}

fn source_file(path: &str, text: &str) -> SourceFile {
    SourceFile {
        path: path.into(),
        lines: Lines::new(text),
        outline: outline(text, path),
        text: text.to_owned(),
        in_test: false,
        context_only: false,
    }
}

/// A path inside the repository.
pub fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Every file below a folder, sorted; none where there is no folder.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    if !folder.exists() {
        return Vec::new();
    }
    let entries = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().map(Result::unwrap);
    entries.filter(|entry| entry.file_type().is_file()).map(walkdir::DirEntry::into_path).collect()
}
