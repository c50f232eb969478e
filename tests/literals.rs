//! The engine knows no rule and no crate by name: that is data under `rules/`. This lexes `src/` and looks at every string in it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use common::{files_below, in_repository, rules};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use retry_lint::knowledge::Knowledge;
use retry_lint::model::{FACTS, FactType};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The language's own: crates and types that are there without a dependency.
const OWN: [&str; 20] = [
    "std", "core", "alloc", "bool", "char", "str", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize",
    "u8", "u16", "u32", "u64", "u128", "usize",
];

/// Names of crates that are plain words, or names of std, too: they are judged only as the beginning of a path.
const WORDS: [&str; 7] = ["again", "backoff", "ignore", "retry", "time", "toml", "zip"];

#[test]
fn no_string_names_a_rule_or_a_path_into_a_crate() {
    let words: BTreeSet<&str> = FACTS
        .iter()
        .flat_map(|fact| if let FactType::Words(words) = fact.kind { words } else { &[] })
        .copied()
        .collect();
    // A rule may be called what the model calls the fault.
    let names = rules().iter().map(|rule| rule.name.clone()).filter(|name| !words.contains(name.as_str()));
    let names: BTreeSet<String> = names.collect();
    let crates = crates();
    for known in ["tokio", "reqwest", "rand", "fastrand"] {
        assert!(
            crates.contains(known),
            "the vocabulary no longer names {known}: this test looks for nothing"
        );
    }
    let mut report: Vec<String> = Vec::new();
    let files: Vec<PathBuf> = files_below(&in_repository("src"));
    let for_tests: Vec<PathBuf> = files.iter().flat_map(|path| test_modules(path)).collect();
    for path in files {
        if for_tests.iter().any(|module| path.starts_with(module) || path == module.with_extension("rs")) {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for (line, string) in strings(text.parse().unwrap()) {
            let shown = path.strip_prefix(in_repository("")).unwrap().display();
            if names.contains(&string) {
                report.push(format!("{shown}:{line}: names the rule `{string}`"));
            }
            if let Some(path) = crate_path(&string, &crates) {
                report.push(format!("{shown}:{line}: knows `{path}`"));
            }
        }
    }
    assert!(report.is_empty(), "\n{}", report.join("\n"));
}

#[test]
fn the_search_finds_what_it_looks_for() {
    let text = r##"
        /// `tokio::time::sleep` in a doc comment is documentation.
        fn f() { let a = "no-jitter"; let b = r#"call tokio::time::sleep here"#; m!(["reqwest"]); }
        #[cfg(test)]
        mod tests { const A: &str = "reqwest"; }
        #[test]
        fn g() { let a = "fixed-delay"; }
    "##;
    let found: Vec<String> = strings(text.parse().unwrap()).into_iter().map(|(_, string)| string).collect();
    assert_eq!(found, ["no-jitter", "call tokio::time::sleep here", "reqwest"]);
    let crates = BTreeSet::from(["tokio".to_owned(), "reqwest".to_owned()]);
    assert_eq!(crate_path("call tokio::time::sleep here", &crates), Some("tokio::time::sleep".to_owned()));
    assert_eq!(crate_path("reqwest", &crates), Some("reqwest".to_owned()));
    for innocent in
        ["a request to tokio", "std::thread::sleep", "tokio_like::sleep", "crate::tokio", "my_reqwest"]
    {
        assert_eq!(crate_path(innocent, &crates), None, "{innocent}");
    }
}

/// The first segment of every path that the vocabulary lists.
fn crates() -> BTreeSet<String> {
    let knowledge = Knowledge::builtin().unwrap();
    let paths = knowledge.entries().flat_map(|entry| entry.paths.iter().chain(&entry.on));
    let roots =
        paths.filter_map(|path| path.split("::").next()).map(|root| root.trim_end_matches('*').to_owned());
    let mut roots: BTreeSet<String> =
        roots.filter(|root| !root.is_empty() && !OWN.contains(&root.as_str())).collect();
    // Each library's table is named after its crate.
    for path in files_below(&in_repository("rules/libraries")) {
        roots.insert(path.file_stem().unwrap().to_string_lossy().replace('-', "_"));
    }
    roots
}

/// The path into a known crate that a string holds, or the crate's name that it is.
fn crate_path(string: &str, crates: &BTreeSet<String>) -> Option<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if crates.contains(string) {
        return (!WORDS.contains(&string)).then(|| string.to_owned());
    }
    let mut words = string.split(|c: char| !is_word(c) && c != ':');
    let path = words.find(|word| word.split_once("::").is_some_and(|(root, _)| crates.contains(root)))?;
    Some(path.to_owned())
}

/// Strings with their lines; without those of doc comments and attributes, and of what is compiled for tests only.
fn strings(tokens: TokenStream) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    let mut for_tests = false;
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '#' => {
                if let Some(TokenTree::Punct(bang)) = tokens.peek()
                    && bang.as_char() == '!'
                {
                    tokens.next();
                }
                let attribute = match tokens.peek() {
                    Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket => {
                        group.stream().to_string()
                    }
                    _ => continue,
                };
                tokens.next();
                let attribute: String = attribute.split_whitespace().collect();
                for_tests |= attribute == "test" || attribute.starts_with("cfg(test");
            }
            // An item ends with its braces or a semicolon; so does what an attribute says about it.
            TokenTree::Group(group) => {
                if !for_tests {
                    found.extend(strings(group.stream()));
                }
                for_tests &= group.delimiter() != Delimiter::Brace;
            }
            TokenTree::Punct(punct) if punct.as_char() == ';' => for_tests = false,
            TokenTree::Literal(literal) if !for_tests => {
                if let syn::Lit::Str(string) = syn::Lit::new(literal) {
                    found.push((string.span().start().line, string.value()));
                }
            }
            _ => {}
        }
    }
    found
}

/// The modules that a file declares under `#[cfg(test)]`, as folders.
fn test_modules(path: &Path) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(path).unwrap();
    let is_root = ["mod.rs", "lib.rs"].iter().any(|name| path.ends_with(name));
    let folder = if is_root { path.parent().unwrap().to_owned() } else { path.with_extension("") };
    let lines =
        text.lines().zip(text.lines().skip(1)).filter(|(attribute, _)| attribute.trim() == "#[cfg(test)]");
    let names = lines.filter_map(|(_, module)| module.trim().strip_prefix("mod ")?.strip_suffix(';'));
    names.map(|name| folder.join(name)).collect()
}
