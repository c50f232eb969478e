//! Checks that no labelled retry is lost by what the outline skips: `cargo run --release --example skipped -- LABELS.jsonl ROOTS.tsv`.
//! An outline decides which bodies are parsed at all; a place in a body that it leaves out, nobody behind it can find.
#![allow(clippy::print_stdout)]

use retry_lint::source::{Item, ItemKind, SourceFile, Walk, read, walk};
use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

/// Kinds of labels that are retries; the others are look-alikes.
const REAL: [&str; 6] = ["retry", "reconnect", "library", "helper", "recursion", "schedule"];

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(labels), Some(roots)) = (args.next(), args.next()) else {
        return Err("usage: skipped LABELS.jsonl ROOTS.tsv".into());
    };
    let by_source = labels_of(&std::fs::read_to_string(labels)?)?;
    let (mut places, mut lost, mut bodies, mut kept) = (0, 0, 0, 0);
    for row in std::fs::read_to_string(roots)?.lines() {
        let Some((source, root)) = row.split_once('\t') else { continue };
        let files = files_of(root);
        for item in files.values().flat_map(|file| &file.outline.items).filter(|item| is_body(item)) {
            bodies += 1;
            kept += usize::from(is_kept(item));
        }
        for label in by_source.get(source).into_iter().flatten() {
            places += 1;
            if let Some(why) = why_lost(&files, label) {
                lost += 1;
                println!("lost ({why}): {source} {}:{} {}", label.path, label.line, label.kind);
            }
        }
    }
    println!("{places} labelled retries, {lost} lost; {kept} of {bodies} bodies are kept");
    Ok(if lost == 0 && places > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A labelled place.
struct Label {
    path: String,
    line: usize,
    end: usize,
    kind: String,
}

/// The labels of retries outside test code, by their source.
fn labels_of(text: &str) -> Result<BTreeMap<String, Vec<Label>>, Box<dyn Error>> {
    let mut labels: BTreeMap<String, Vec<Label>> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let row: serde_json::Value = serde_json::from_str(line)?;
        let word = |name: &str| row.get(name).and_then(|it| it.as_str()).unwrap_or_default().to_owned();
        let number = |name: &str| row.get(name).and_then(serde_json::Value::as_u64).map(|it| it as usize);
        let Some(line) = number("line") else { continue };
        let test_code = row.get("test_code").and_then(serde_json::Value::as_bool) == Some(true);
        let label =
            Label { path: word("path"), line, end: number("end").unwrap_or(line), kind: word("kind") };
        if !test_code && REAL.contains(&label.kind.as_str()) {
            labels.entry(word("src")).or_default().push(label);
        }
    }
    Ok(labels)
}

/// The files that a run reads, by their path below the root.
fn files_of(root: &str) -> BTreeMap<String, SourceFile> {
    let walked = walk(&[PathBuf::from(root)], &Walk::default());
    let files = walked.files.iter().filter_map(|found| read(found).ok().flatten());
    files
        .map(|file| {
            let below = file.path.strip_prefix(root).unwrap_or(&file.path).trim_start_matches('/');
            (below.to_owned(), file)
        })
        .collect()
}

fn is_body(item: &Item) -> bool {
    item.body.is_some()
        && matches!(item.kind, ItemKind::Fn | ItemKind::MacroRules | ItemKind::Const | ItemKind::Static)
}

/// Whether a body is parsed for its own sake.
fn is_kept(item: &Item) -> bool {
    !item.too_deep && (item.tells.any() || item.kind == ItemKind::MacroRules)
}

/// Why nobody sees the place; `None` where a body that holds it is kept.
fn why_lost(files: &BTreeMap<String, SourceFile>, label: &Label) -> Option<&'static str> {
    let Some(file) = files.get(&label.path) else { return Some("its file is not read") };
    let holding: Vec<&Item> = file
        .outline
        .items
        .iter()
        .filter(|item| {
            let place = file.place(item.span);
            is_body(item) && place.line as usize <= label.end && label.line <= place.end_line as usize
        })
        .collect();
    if holding.is_empty() {
        return Some("no body holds it");
    }
    (!holding.iter().any(|item| is_kept(item))).then_some("its body tells nothing")
}
