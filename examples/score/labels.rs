//! The labels of real places, and the sources in which all of them are labelled.

use serde::Deserialize;
use std::collections::HashMap;
use std::error::Error;
use std::path::Path;

/// A place in real code, read and labelled by hand.
#[derive(Debug, Deserialize)]
pub(crate) struct Label {
    pub(crate) src: String,
    pub(crate) path: String,
    pub(crate) line: u32,
    pub(crate) end: u32,
    pub(crate) kind: String,
    /// What a second reader called it.
    pub(crate) kind2: Option<String>,
    pub(crate) test_code: bool,
    pub(crate) confidence: String,
    pub(crate) delay: String,
    pub(crate) jitter: String,
    pub(crate) attempts: String,
    /// The rules that must speak here.
    pub(crate) expect: Vec<String>,
    /// Those on which two readers differ: they count in neither direction.
    #[serde(default)]
    pub(crate) may: Vec<String>,
    pub(crate) note: String,
}

impl Label {
    /// Whether it counts: not in test code, not uncertain.
    pub(crate) fn counts(&self) -> bool {
        !self.test_code && self.confidence != "low"
    }

    /// Whether a place of this file overlaps it.
    pub(crate) fn overlaps(&self, first: u32, last: u32) -> bool {
        self.line <= last && first <= self.last()
    }

    pub(crate) fn last(&self) -> u32 {
        if self.end == 0 { self.line } else { self.end }
    }
}

/// The labels by their source, in the order of the file.
pub(crate) fn read_labels(file: &Path) -> Result<HashMap<String, Vec<Label>>, Box<dyn Error>> {
    let mut labels: HashMap<String, Vec<Label>> = HashMap::new();
    for line in std::fs::read_to_string(file)?.lines().filter(|line| !line.trim().is_empty()) {
        let label: Label = serde_json::from_str(line)?;
        labels.entry(label.src.clone()).or_default().push(label);
    }
    Ok(labels)
}

/// Sources in which every site is labelled: a finding without a label is a false one there.
pub(crate) struct Exhaustive(Vec<Vec<String>>);

impl Exhaustive {
    pub(crate) fn read(file: &Path) -> Result<Self, Box<dyn Error>> {
        let text = std::fs::read_to_string(file)?;
        let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
        Ok(Self(lines.map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()))
    }

    pub(crate) fn has(&self, source: &str, path: &str) -> bool {
        let words: Vec<&str> = source.split_whitespace().collect();
        self.0.iter().any(|entry| match entry.as_slice() {
            [kind, ..] if kind == "crate" => {
                words.len() >= entry.len() && entry.iter().eq(&words[..entry.len()])
            }
            [kind, repository, rest @ ..] if kind == "github" => {
                let folder = rest.last().map(|folder| format!("{}/", folder.trim_end_matches('/')));
                words.get(..2) == Some(&[kind, repository])
                    && folder.is_none_or(|folder| path.starts_with(&folder))
            }
            _ => false,
        })
    }
}
