//! Fixes, by their result: each source in `fixtures/fixes` becomes its `.fixed` twin under `--fix --unsafe-fixes`, and what holds for all of them
//! holds for each. `UPDATE_FIXES=1` writes the twins anew. That they compile and wait as they say, `tests/outside/fixes` shows.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a fix may need and no manifest here lists.
const ADDED: &[&str] = &["--add-dependency", "fastrand"];

/// A source with faults.
struct Fixture {
    name: String,
    text: String,
    /// Rules that propose a change and speak of it still when all fixes are applied.
    stays: BTreeSet<String>,
    needs: Vec<String>,
    /// Rules that are asked for beside those that speak by default.
    select: Vec<String>,
}

#[test]
fn each_source_becomes_its_twin() {
    let folder = laid_out("twins");
    fix(&folder, &["--unsafe-fixes", "--threads", "1"]);
    let mut wrong = Vec::new();
    for fixture in fixtures() {
        let made = source(&folder, &fixture.name);
        let twin = place(&format!("{}.fixed", fixture.name));
        if std::env::var_os("UPDATE_FIXES").is_some() {
            std::fs::write(&twin, &made).unwrap();
        }
        let wanted = std::fs::read_to_string(&twin).unwrap_or_default();
        if made != wanted {
            let diff = similar::TextDiff::from_lines(wanted.as_str(), made.as_str());
            wrong.push(format!("{}:\n{}", fixture.name, diff.unified_diff()));
        }
        assert!(syn::parse_file(&made).is_ok(), "{} is no Rust any more:\n{made}", fixture.name);
        let (before, after) = (line_ends(&fixture.text), line_ends(&made));
        assert_eq!(before, after, "{}: each line ends as lines did", fixture.name);
    }
    assert!(wrong.is_empty(), "UPDATE_FIXES=1 writes the twins anew\n{}", wrong.join("\n"));
}

#[test]
fn what_was_fixed_is_not_found_again_and_is_not_fixed_again() {
    let folder = laid_out("again");
    let before = found(&folder);
    fix(&folder, &["--unsafe-fixes"]);
    let after = found(&folder);
    let nothing = BTreeSet::new();
    for fixture in fixtures() {
        let (said, says) =
            (before.get(&fixture.name).unwrap_or(&nothing), after.get(&fixture.name).unwrap_or(&nothing));
        assert!(!said.is_empty(), "{}: nothing to fix", fixture.name);
        let left: BTreeSet<String> = says.iter().filter(|rule| proposes(rule)).cloned().collect();
        assert_eq!(left, fixture.stays, "{}: what stays (`//@ stays:`)", fixture.name);
        assert!(says.is_subset(said), "{}: {said:?} became {says:?}", fixture.name);
    }
    let once: Vec<String> = fixtures().iter().map(|it| source(&folder, &it.name)).collect();
    fix(&folder, &["--unsafe-fixes"]);
    let twice: Vec<String> = fixtures().iter().map(|it| source(&folder, &it.name)).collect();
    assert_eq!(once, twice, "a second round changes nothing");
}

#[test]
fn safe_fixes_are_some_of_all() {
    let (safe, all) = (laid_out("safe"), laid_out("all"));
    fix(&safe, &[]);
    fix(&all, &["--unsafe-fixes"]);
    let mut changed = 0;
    // where rules are asked besides, what one fix writes the next may write anew
    for fixture in fixtures().iter().filter(|it| it.select.is_empty()) {
        let (few, many) = (source(&safe, &fixture.name), source(&all, &fixture.name));
        changed += usize::from(few != fixture.text);
        let old: BTreeSet<&str> = fixture.text.lines().collect();
        let new: BTreeSet<&str> = many.lines().collect();
        for line in few.lines().filter(|line| !old.contains(line)) {
            assert!(new.contains(line), "{}: only a safe fix alone writes {line}", fixture.name);
        }
    }
    assert!(changed >= 8, "only {changed} sources have safe fixes");
}

#[test]
fn the_same_bytes_on_one_thread_and_on_many() {
    let folder = laid_out("threads");
    let shown = |threads: &str| {
        let mut args = vec!["--diff", "--unsafe-fixes", "--threads", threads];
        args.extend(ADDED);
        run(&folder, &args)
    };
    let one = shown("1");
    assert!(one.matches("\n+++ ").count() > 40, "{one}");
    for threads in ["2", "16"] {
        // Not `assert_eq!`: nobody wants to read both.
        assert!(shown(threads) == one, "{threads} threads say something else than one");
    }
}

/// Whether a rule's page proposes a change of policy.
fn proposes(rule: &str) -> bool {
    let rules = retry_lint::rules::Rules::builtin().unwrap();
    rules.get(rule).is_some_and(|rule| rule.change.is_some())
}

fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/fixes").join(name)
}

fn fixtures() -> Vec<Fixture> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(place("")).unwrap().map(|it| it.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|it| it == "rs"));
    paths.sort();
    let fixtures: Vec<Fixture> = paths.iter().map(|path| read(path)).collect();
    assert!(fixtures.len() >= 50, "only {} sources", fixtures.len());
    fixtures
}

fn read(path: &Path) -> Fixture {
    let text = std::fs::read_to_string(path).unwrap();
    let said = |word: &str| -> Vec<String> {
        let mark = format!("//@ {word}:");
        text.lines().filter_map(|line| line.strip_prefix(&mark)).map(|it| it.trim().to_owned()).collect()
    };
    let stays = said("stays").iter().flat_map(|it| it.split(", ")).map(str::to_owned).collect();
    Fixture {
        name: path.file_stem().unwrap().to_string_lossy().into_owned(),
        stays,
        needs: said("needs"),
        select: said("select"),
        text,
    }
}

/// Every source as a package of its own, below one folder.
fn laid_out(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fixes").join(name);
    let _ = std::fs::remove_dir_all(&root);
    for fixture in fixtures() {
        let folder = root.join(&fixture.name);
        std::fs::create_dir_all(folder.join("src")).unwrap();
        let select: Vec<String> = fixture.select.iter().map(|rule| format!("{rule} = \"note\"\n")).collect();
        let manifest = format!(
            "[package]\nname = \"{}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n\
             [package.metadata.retry-lint.levels]\n{}\n[dependencies]\n{}\n",
            fixture.name,
            select.concat(),
            fixture.needs.join("\n")
        );
        std::fs::write(folder.join("Cargo.toml"), manifest).unwrap();
        std::fs::write(folder.join("src/lib.rs"), &fixture.text).unwrap();
    }
    root
}

fn source(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name).join("src/lib.rs")).unwrap()
}

fn line_ends(text: &str) -> (bool, bool) {
    let crlf = text.matches("\r\n").count();
    (crlf == text.matches('\n').count(), crlf > 0)
}

fn fix(folder: &Path, args: &[&str]) {
    let mut all = vec!["--fix", "--allow-dirty"];
    all.extend(args);
    all.extend(ADDED);
    run(folder, &all);
}

/// The rules that speak of each source.
fn found(folder: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let told: serde_json::Value = serde_json::from_str(&run(folder, &["--format", "json"])).unwrap();
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for finding in told["findings"].as_array().unwrap() {
        let name = finding["path"].as_str().unwrap().split('/').next().unwrap();
        found.entry(name.to_owned()).or_default().insert(finding["rule"].as_str().unwrap().to_owned());
    }
    assert_eq!(told["problems"].as_array().unwrap().len(), 0, "{}", told["problems"]);
    found
}

fn run(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retry-lint"));
    command.args(["check", "--min-confidence", "medium"]).args(args).current_dir(folder).stdin(Stdio::null());
    let output = command.env_remove("COLUMNS").output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{args:?}: {told}");
    String::from_utf8(output.stdout).unwrap()
}
