//! What can be wrong with a page, said with its place and the nearest valid name.
//! Every check of this room ends in one of these; nothing here decides what is valid.

use std::ops::Range;

/// What is wrong with a rule's page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {what}{}", hint(.nearest.as_deref()))]
pub struct RuleError {
    /// The page, as it was named to us.
    pub file: String,
    /// Line in the page, 1-based.
    pub line: u32,
    /// What is wrong.
    pub what: String,
    /// The valid name that is nearest to what was written.
    pub nearest: Option<String>,
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// A fault at a byte range of the front matter, before its file and line are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) at: Range<usize>,
    pub(super) what: String,
    pub(super) nearest: Option<String>,
}

impl Fault {
    pub(super) fn new(at: Range<usize>, what: impl Into<String>) -> Self {
        Self { at, what: what.into(), nearest: None }
    }

    /// A name that is none of those that are valid there.
    pub(super) fn unknown<'n>(
        at: Range<usize>,
        kind: &str,
        name: &str,
        valid: impl IntoIterator<Item = &'n str>,
    ) -> Self {
        let nearest = nearest(name, valid).map(str::to_owned);
        Self { at, what: format!("unknown {kind} `{name}`"), nearest }
    }
}

/// The valid name that looks most like `name`, where one looks alike at all. A dotted name may have lost its first part.
pub(super) fn nearest<'n>(name: &str, valid: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    // Below this, jaro pairs words that only share a few letters (`table` and `constant` have 0.57).
    const ALIKE: f64 = 0.75;
    let alike = |candidate: &str| {
        let last = candidate.rsplit('.').next().unwrap_or(candidate);
        strsim::jaro(name, candidate).max(strsim::jaro(name, last))
    };
    let mut best = None;
    for candidate in valid {
        let score = alike(candidate);
        if score >= ALIKE && best.is_none_or(|(_, top)| score > top) {
            best = Some((candidate, score));
        }
    }
    best.map(|(candidate, _)| candidate)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_finds_its_name_and_a_stranger_finds_none() {
        let names = ["delay.growth", "delay.jitter", "attempts.max"];
        assert_eq!(nearest("delay.grwth", names), Some("delay.growth"));
        assert_eq!(nearest("jiter", names), Some("delay.jitter"));
        assert_eq!(nearest("zzz", names), None);
    }

    #[test]
    fn an_error_reads_as_one_line() {
        let error = RuleError {
            file: "rules/x.md".into(),
            line: 7,
            what: "unknown fact `delay.grwth`".into(),
            nearest: Some("delay.growth".into()),
        };
        assert_eq!(
            error.to_string(),
            "rules/x.md:7: unknown fact `delay.grwth`; did you mean `delay.growth`?"
        );
    }
}
