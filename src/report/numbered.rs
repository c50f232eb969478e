//! Fingerprints that are unique in a report: two equal loops in one function have the same content, and readers that track findings by
//! fingerprint would take them for one.

use super::{Report, fingerprint};
use std::collections::BTreeMap;

/// Each finding's fingerprint, and the how-manieth of that fingerprint it is, from 1.
pub(super) fn numbered(report: &Report<'_>) -> Vec<(String, usize)> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut all = Vec::with_capacity(report.findings.len());
    for finding in report.findings {
        let print = fingerprint(finding, report.sources);
        let count = seen.entry(print.clone()).or_default();
        *count += 1;
        all.push((print, *count));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples;

    #[test]
    fn equal_findings_are_counted() {
        let mut sample = samples::two_files();
        let again = sample.findings.first().cloned();
        sample.findings.extend(again);
        let prints = numbered(&sample.report());
        let counts: Vec<usize> = prints.iter().map(|(_, count)| *count).collect();
        assert_eq!(counts, [1, 1, 1, 2]);
        assert_eq!(prints.first().map(|it| &it.0), prints.last().map(|it| &it.0));
    }
}
