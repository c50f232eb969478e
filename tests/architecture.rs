//! What ARCHITECTURE.md promises about the code, as far as reading files can tell.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A file should have 100 to 400 lines; this is where it must be divided.
const MOST_LINES: usize = 900;

#[test]
fn a_room_sees_those_that_the_table_lets_it_see() {
    let table = rooms_of_the_table();
    let rooms = rooms();
    assert_eq!(table.keys().cloned().collect::<BTreeSet<_>>(), rooms, "the table has every module of lib.rs");
    for (room, sees) in &table {
        let mut seen = BTreeSet::new();
        for file in files_of(&format!("src/{room}")) {
            for other in names_after("crate", &file.code) {
                if rooms.contains(other) && other != room {
                    assert!(
                        sees.contains(other),
                        "{} uses `crate::{other}`, which {room} must not see",
                        file.path
                    );
                    seen.insert(other.to_owned());
                }
            }
        }
        let unused: Vec<_> = sees.difference(&seen).collect();
        assert!(
            unused.is_empty() || room == "cli",
            "{room} does not use {unused:?}: the table says too much"
        );
    }
    for file in files_of("src") {
        // the test above would not see these
        assert!(!file.code.contains("crate::{"), "{}: write one `use` a room", file.path);
    }
}

#[test]
fn one_file_of_the_command_line_names_the_engine() {
    for file in files_of("src/cli").iter().filter(|file| file.path != "src/cli/rooms.rs") {
        for room in ["body", "detect", "knowledge", "resolve", "rules", "source"] {
            assert!(!names_after("crate", &file.code).contains(&room), "{} uses `crate::{room}`", file.path);
        }
    }
}

#[test]
fn syn_stays_in_its_room() {
    for file in files_of("src")
        .iter()
        .filter(|file| !file.path.starts_with("src/body/") && !file.path.starts_with("src/fix/"))
    {
        for name in ["syn", "proc_macro2", "quote"] {
            assert!(names_after(name, &file.code).is_empty(), "{} uses {name}", file.path);
        }
    }
}

#[test]
fn the_code_knows_no_rule_and_no_crate_by_name() {
    let rules: BTreeSet<String> = files_below("rules", "md").iter().map(|page| stem(page)).collect();
    let crates = crates_of_the_vocabulary();
    assert!(rules.len() >= 10 && crates.len() >= 50, "{} rules, {} crates", rules.len(), crates.len());
    for file in files_of("src") {
        for text in strings(&file.code) {
            // the closed words of the model are spelt like some rules
            let is_rule = rules.contains(text) && !file.path.starts_with("src/model/");
            assert!(!is_rule, "{} knows the rule `{text}`", file.path);
            // one word may be anything; a path is a crate's
            let first = text.split_once("::").map_or("", |(first, _)| first);
            assert!(!crates.contains(first), "{} knows `{text}`", file.path);
        }
    }
}

#[test]
fn every_file_of_the_code_map_exists_and_every_room_is_on_it() {
    let text = read("ARCHITECTURE.md");
    for path in text
        .split('`')
        .filter(|word| word.starts_with("src/") || word.starts_with("tests/") || word.starts_with("rules/"))
    {
        let path = path.split('*').next().unwrap_or_default();
        assert!(in_repository(path).exists(), "ARCHITECTURE.md names `{path}`, which is not there");
    }
    let map = text.split("\n## ").find(|section| section.starts_with("Code map")).expect("a code map");
    for room in rooms() {
        assert!(map.contains(&format!("- `src/{room}/`")), "the code map leaves out {room}");
    }
}

#[test]
fn every_module_says_what_it_is_for() {
    for file in files_of("src") {
        assert!(file.text.starts_with("//! "), "{} has no head comment", file.path);
    }
}

#[test]
fn no_file_is_too_long() {
    for folder in ["src", "tests", "examples"] {
        for path in files_below(folder, "rs") {
            let shown = shown(&path);
            let lines = std::fs::read_to_string(&path).unwrap().lines().count();
            assert!(lines <= MOST_LINES, "{shown} has {lines} lines: divide it by subject");
        }
    }
}

/// A source file that is not a test's.
struct File {
    path: String,
    text: String,
    /// Without its tests and its comments.
    code: String,
}

fn files_of(folder: &str) -> Vec<File> {
    let is_test =
        |path: &str| path.contains("/tests/") || path.ends_with("/tests.rs") || path.ends_with("/samples.rs");
    let mut files = Vec::new();
    for path in files_below(folder, "rs") {
        let (path, text) = (shown(&path), std::fs::read_to_string(&path).unwrap());
        if is_test(&path) {
            continue;
        }
        // Tests stand last in their file.
        let without_tests =
            text.find("#[cfg(test)]\n#[allow").or_else(|| text.find("#[cfg(test)]\nmod tests {"));
        let code = text.get(..without_tests.unwrap_or(text.len())).unwrap();
        let is_code = |line: &&str| !line.trim_start().starts_with("//");
        let code = code.lines().filter(is_code).collect::<Vec<_>>().join("\n");
        files.push(File { path, text, code });
    }
    assert!(!files.is_empty(), "no files in {folder}");
    files
}

/// The names that follow `word::` in a text, `crate::model` giving `model`; a word by itself, not the end of another or of a longer path.
fn names_after<'t>(word: &str, text: &'t str) -> Vec<&'t str> {
    let path = format!("{word}::");
    let inside_word = |c: char| c.is_alphanumeric() || "_:$\"".contains(c);
    text.match_indices(&path)
        .filter(|(at, _)| !text.get(..*at).unwrap().ends_with(inside_word))
        .map(|(at, _)| {
            let rest = text.get(at + path.len()..).unwrap();
            rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap()
        })
        .collect()
}

/// The contents of string literals without escapes: enough to find a name.
fn strings(code: &str) -> Vec<&str> {
    code.lines().flat_map(|line| line.split('"').skip(1).step_by(2)).collect()
}

/// The modules of lib.rs.
fn rooms() -> BTreeSet<String> {
    let text = read("src/lib.rs");
    let names = text.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    names.map(str::to_owned).collect()
}

/// The table of rooms: each room, and those that it sees.
fn rooms_of_the_table() -> BTreeMap<String, BTreeSet<String>> {
    let text = read("ARCHITECTURE.md");
    let rows = text
        .lines()
        .skip_while(|line| !line.starts_with("| room |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let all = rooms();
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, room, _, sees, _] = cells.as_slice() else { panic!("a row of three cells, not `{row}`") };
        let sees = match *sees {
            "nothing" => BTreeSet::new(),
            "all" => all.clone(),
            list => list.split(", ").map(str::to_owned).collect(),
        };
        (room.trim_matches('`').to_owned(), sees)
    })
    .collect()
}

/// The crates whose paths the vocabulary lists; std and its parts are the language's.
fn crates_of_the_vocabulary() -> BTreeSet<String> {
    let mut crates = BTreeSet::new();
    for table in files_below("rules/vocabulary", "toml") {
        let text = std::fs::read_to_string(&table).unwrap();
        for path in strings(&text) {
            if let Some((first, _)) = path.split_once("::") {
                crates.insert(first.to_owned());
            }
        }
    }
    crates.retain(|name| !["std", "core", "alloc", "crate"].contains(&name.as_str()) && !name.contains('*'));
    crates
}

fn files_below(folder: &str, extension: &str) -> Vec<PathBuf> {
    let entries = walkdir::WalkDir::new(in_repository(folder))
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.unwrap());
    let paths = entries.map(walkdir::DirEntry::into_path);
    paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect()
}

fn shown(path: &Path) -> String {
    path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap().to_string_lossy().replace('\\', "/")
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn read(path: &str) -> String {
    std::fs::read_to_string(in_repository(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}
