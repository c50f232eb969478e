//! A fix as SARIF tells it: the regions that go, in the columns of all other regions, and the text that comes.

use super::{Artifact, Message, Region, artifact, region};
use crate::model::{Fix, Needed};
use crate::report::Report;
use serde::Serialize;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FixObject {
    description: Message,
    artifact_changes: Vec<ArtifactChange>,
    properties: Properties,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactChange {
    artifact_location: Artifact,
    replacements: Vec<Replacement>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Replacement {
    deleted_region: Region,
    #[serde(skip_serializing_if = "Option::is_none")]
    inserted_content: Option<Content>,
}

#[derive(Serialize)]
struct Content {
    text: String,
}

/// SARIF has no word for how far a fix may be trusted.
#[derive(Serialize)]
struct Properties {
    safety: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    needs: Option<String>,
}

pub(super) fn fix_object(fix: &Fix, report: &Report<'_>) -> FixObject {
    let replacements = fix.edits.iter().map(|edit| Replacement {
        deleted_region: region(&report.sources.place_of(edit)),
        inserted_content: (!edit.replacement.is_empty()).then(|| Content { text: edit.replacement.clone() }),
    });
    // all edits are in one file
    let change = fix.edits.first().map(|edit| ArtifactChange {
        artifact_location: artifact(&edit.path, report.surroundings),
        replacements: replacements.collect(),
    });
    FixObject {
        description: Message::text(fix.title.clone()),
        artifact_changes: change.into_iter().collect(),
        properties: Properties { safety: fix.safety.word(), needs: fix.needs.as_ref().map(Needed::line) },
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use crate::model::Safety;
    use crate::report::{Format, samples};
    use serde_json::{Value, json};

    #[test]
    fn regions_count_code_points_and_an_insertion_is_empty() {
        let text = "\u{feff}/*🦀*/ a();\r\n/*é*/ b();\r\n";
        let (mut finding, sources) = samples::finding_in("a.rs", text, "b()");
        finding.fix = Some(samples::fix(text, &[("a()", "z()"), ("", "x\r\n"), ("b()", "")], Safety::Safe));
        let fix = finding.fix.as_mut().unwrap();
        // the insertion stands before `b`
        let at = text.find("b()").unwrap() as u32;
        (fix.edits[1].start_byte, fix.edits[1].end_byte) = (at, at);
        let sample = samples::Sample { findings: vec![finding], sources, ..samples::Sample::default() };
        let log: Value = serde_json::from_str(&samples::written(&sample.report(), Format::Sarif)).unwrap();
        let change = &log["runs"][0]["results"][0]["fixes"][0]["artifactChanges"][0];
        assert_eq!(change["artifactLocation"]["uri"], "a.rs");
        let region = |line: u32, from: u32, to: u32| json!({ "startLine": line, "startColumn": from, "endLine": line, "endColumn": to });
        assert_eq!(
            change["replacements"],
            json!([
                { "deletedRegion": region(1, 7, 10), "insertedContent": { "text": "z()" } },
                { "deletedRegion": region(2, 7, 7), "insertedContent": { "text": "x\r\n" } },
                { "deletedRegion": region(2, 7, 10) },
            ])
        );
    }
}
