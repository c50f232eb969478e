//! A baseline: the findings that were there when it was written, and that a run leaves out. Keyed by what they point at, never by line, so that
//! edits elsewhere, moves and renamed files leave it valid. What is in it and is found no more is stale, and said so.

use super::whole::Draft;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write as _};
use std::num::NonZeroU32;
use std::path::Path;

/// What the file's form is called; a reader of another number cannot read it.
const SCHEMA_VERSION: u32 = 1;

/// A finding as a baseline knows it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Known {
    /// Its file, relative to the folder of the baseline, `/` between its parts.
    pub path: String,
    /// Its rule.
    pub rule: String,
    /// The function that it is in; for those who read the file.
    pub function: String,
    /// Its content hash.
    pub fingerprint: String,
}

/// What is known, each with how often.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    counts: BTreeMap<Known, u32>,
}

/// What a run can say about a file that a baseline names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// It was looked at.
    LookedAt,
    /// It is not there any more, and would have been looked at.
    Gone,
    /// It is not there any more, elsewhere.
    GoneElsewhere,
    /// It was not looked at: nothing can be said.
    Elsewhere,
}

/// What a baseline says about the findings of a run.
#[derive(Debug, Default)]
pub struct Held {
    /// For each finding, whether it was known.
    pub known: Vec<bool>,
    /// The entries that were found no more.
    pub stale: Vec<Known>,
    /// The baseline without them, and with the paths that files have now.
    pub pruned: Baseline,
}

/// Why a baseline cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaselineError {
    /// What is wrong.
    pub what: String,
    /// Line, 1-based; 0 where the whole file is meant.
    pub line: usize,
    /// Column, 1-based.
    pub column: usize,
}

#[derive(Deserialize)]
struct Versioned {
    schema_version: u32,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Document {
    schema_version: u32,
    findings: Vec<Entry>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    path: String,
    rule: String,
    function: String,
    #[serde(deserialize_with = "fingerprint")]
    fingerprint: String,
    count: NonZeroU32,
}

impl Baseline {
    /// Of these findings.
    pub fn of(findings: impl IntoIterator<Item = Known>) -> Self {
        let mut baseline = Self::default();
        for finding in findings {
            baseline.add(finding, 1);
        }
        baseline
    }

    /// From the text of its file.
    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        let Versioned { schema_version } = serde_json::from_str(text)?;
        if schema_version != SCHEMA_VERSION {
            let what = format!(
                "has schema version {schema_version}; this version of the program reads {SCHEMA_VERSION}"
            );
            return Err(BaselineError { what, line: 0, column: 0 });
        }
        let document: Document = serde_json::from_str(text)?;
        let mut baseline = Self::default();
        for Entry { path, rule, function, fingerprint, count } in document.findings {
            baseline.add(Known { path, rule, function, fingerprint }, count.get());
        }
        Ok(baseline)
    }

    /// How many findings it holds.
    pub fn len(&self) -> usize {
        self.counts.values().map(|count| *count as usize).sum()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Takes in what another holds.
    pub fn extend(&mut self, other: Self) {
        for (known, count) in other.counts {
            self.add(known, count);
        }
    }

    /// The entries of which a run can say nothing: their files were not looked at, or their rules not asked.
    #[must_use]
    pub fn out_of_sight(&self, sight: impl Fn(&str) -> Sight, asked: impl Fn(&str) -> bool) -> Self {
        let unseen = |known: &Known| !asked(&known.rule) || !can_be_stale(sight(&known.path));
        let counts = self.counts.iter().filter(|(known, _)| unseen(known));
        Self { counts: counts.map(|(known, count)| (known.clone(), *count)).collect() }
    }

    /// Holds it against what a run found. A finding is known by its content and its file; then by its content alone, where the file that is
    /// named does not have it any more, so that a renamed file stays known and a copy does not.
    pub fn hold(
        &self,
        findings: &[Known],
        sight: impl Fn(&str) -> Sight,
        asked: impl Fn(&str) -> bool,
    ) -> Held {
        let mut left = self.counts.clone();
        let mut held = Held { known: vec![false; findings.len()], ..Held::default() };
        for (finding, known) in findings.iter().zip(&mut held.known) {
            *known = take(&mut left, finding);
            if *known {
                held.pruned.add(finding.clone(), 1);
            }
        }
        let mut movable: BTreeMap<(String, String), Vec<Known>> = BTreeMap::new();
        for entry in left.keys().filter(|entry| sight(&entry.path) != Sight::Elsewhere) {
            movable.entry((entry.rule.clone(), entry.fingerprint.clone())).or_default().push(entry.clone());
        }
        for (finding, known) in findings.iter().zip(&mut held.known).filter(|(_, known)| !**known) {
            let key = (finding.rule.clone(), finding.fingerprint.clone());
            *known =
                movable.get(&key).is_some_and(|entries| entries.iter().any(|entry| take(&mut left, entry)));
            if *known {
                held.pruned.add(finding.clone(), 1);
            }
        }
        for (entry, count) in left {
            if asked(&entry.rule) && can_be_stale(sight(&entry.path)) {
                held.stale.extend(std::iter::repeat_n(entry, count as usize));
            } else {
                held.pruned.add(entry, count);
            }
        }
        held
    }

    /// Its file's text: sorted, one entry after the other, the same for the same findings.
    pub fn text(&self) -> String {
        let entries = self.counts.iter().filter_map(|(known, count)| {
            let Known { path, rule, function, fingerprint } = known.clone();
            Some(Entry { path, rule, function, fingerprint, count: NonZeroU32::new(*count)? })
        });
        let document = Document { schema_version: SCHEMA_VERSION, findings: entries.collect() };
        // plain data: it always has a JSON form
        serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
    }

    /// Writes its file whole or not at all: a run that is stopped leaves the old one.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let mut draft = Draft::beside(path)?;
        draft.write_all(self.text().as_bytes())?;
        draft.replace()
    }

    fn add(&mut self, known: Known, count: u32) {
        let total = self.counts.entry(known).or_default();
        *total = total.saturating_add(count);
    }
}

fn can_be_stale(sight: Sight) -> bool {
    matches!(sight, Sight::LookedAt | Sight::Gone)
}

/// Takes one of these away, if there is one. The function's name is for readers; a content hash has it in it.
fn take(left: &mut BTreeMap<Known, u32>, known: &Known) -> bool {
    let Some(count) = left.get_mut(known) else { return false };
    *count -= 1;
    if *count == 0 {
        left.remove(known);
    }
    true
}

fn fingerprint<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(text);
    }
    Err(serde::de::Error::custom(format!("`{text}` is no fingerprint: those have 16 hexadecimal digits")))
}

impl From<serde_json::Error> for BaselineError {
    fn from(error: serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        let what = error.to_string();
        // serde_json says the place at the end; it is told apart here
        let what = what.rsplit_once(" at line ").map_or(what.clone(), |(what, _)| what.to_owned());
        Self { what, line, column }
    }
}

impl fmt::Display for BaselineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn known(path: &str, digit: char) -> Known {
        Known {
            path: path.to_owned(),
            rule: "some-rule".to_owned(),
            function: "f".to_owned(),
            fingerprint: digit.to_string().repeat(16),
        }
    }

    /// What is held of `findings`: known or not, stale, and left after pruning.
    fn hold(
        old: &[Known],
        findings: &[Known],
        sight: impl Fn(&str) -> Sight,
    ) -> (Vec<bool>, usize, Baseline) {
        let held = Baseline::of(old.to_vec()).hold(findings, sight, |_| true);
        (held.known, held.stale.len(), held.pruned)
    }

    #[test]
    fn its_text_is_sorted_and_read_back() {
        let baseline = Baseline::of([known("b.rs", '1'), known("a.rs", '2'), known("b.rs", '1')]);
        let text = baseline.text();
        assert_eq!(Baseline::parse(&text).unwrap(), baseline);
        assert_eq!(baseline.len(), 3);
        assert!(text.find("a.rs").unwrap() < text.find("b.rs").unwrap());
        assert!(text.contains("\"count\": 2") && text.ends_with("}\n"), "{text}");
    }

    #[test]
    fn equal_findings_are_counted() {
        let two = [known("a.rs", '1'), known("a.rs", '1')];
        let three = [known("a.rs", '1'), known("a.rs", '1'), known("a.rs", '1')];
        assert_eq!(hold(&two, &three, |_| Sight::LookedAt).0, [true, true, false]);
        let (known_ones, stale, pruned) = hold(&three, &two, |_| Sight::LookedAt);
        assert_eq!((known_ones, stale, pruned.len()), (vec![true, true], 1, 2));
    }

    #[test]
    fn a_renamed_file_stays_known_and_a_copy_does_not() {
        let old = [known("a.rs", '1')];
        let (renamed, stale, pruned) = hold(&old, &[known("b.rs", '1')], |_| Sight::Gone);
        assert_eq!((renamed, stale), (vec![true], 0));
        assert_eq!(pruned, Baseline::of([known("b.rs", '1')]));
        // moved into another file, the old one still there
        assert_eq!(hold(&old, &[known("b.rs", '1')], |_| Sight::LookedAt).0, [true]);
        // copied: the first is where it was
        let copied = [known("0.rs", '1'), known("a.rs", '1')];
        assert_eq!(hold(&old, &copied, |_| Sight::LookedAt).0, [false, true]);
        // copied, and the original not looked at
        let elsewhere = |path: &str| if path == "a.rs" { Sight::Elsewhere } else { Sight::LookedAt };
        assert_eq!(hold(&old, &[known("b.rs", '1')], elsewhere).0, [false]);
    }

    #[test]
    fn only_what_was_looked_for_is_stale() {
        let old = [known("a.rs", '1')];
        for (sight, stale) in
            [(Sight::LookedAt, 1), (Sight::Gone, 1), (Sight::GoneElsewhere, 0), (Sight::Elsewhere, 0)]
        {
            let (_, found, pruned) = hold(&old, &[], |_| sight);
            assert_eq!((found, pruned.len()), (stale, 1 - stale), "{sight:?}");
        }
        let held = Baseline::of(old).hold(&[], |_| Sight::LookedAt, |_| false);
        assert_eq!((held.stale.len(), held.pruned.len()), (0, 1));
    }

    #[test]
    fn a_broken_file_is_told_with_its_place() {
        let good = Baseline::of([known("a.rs", '1')]).text();
        let cases = [
            (String::new(), 1, "EOF while parsing a value"),
            (good.replace("\"findings\"", "<<<<<<< ours\n\"findings\""), 3, "key must be a string"),
            (good.replace("\"count\": 1", "\"count\": 0"), 9, "expected a nonzero u32"),
            (good.replace("\"count\"", "\"cuont\""), 9, "unknown field `cuont`"),
            (good.replace(&"1".repeat(16), "xyz"), 8, "`xyz` is no fingerprint"),
            (good.replace("version\": 1", "version\": 2"), 0, "has schema version 2"),
            ("[]".to_owned(), 1, "invalid length 0"),
        ];
        for (text, line, what) in cases {
            let error = Baseline::parse(&text).unwrap_err();
            assert!(error.what.contains(what) && error.line == line, "{text}\n{error:?}");
            assert!(!error.what.contains("at line"), "{error:?}");
        }
    }
}
