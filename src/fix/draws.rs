//! Where a random number comes from in this crate: what it depends on already, else what it would have to add.
//! The code is the vocabulary's; here it is only chosen.

use super::Wanted;
use super::around::Around;
use crate::knowledge::{Code, Does};
use crate::model::Needed;

/// Code that draws.
#[derive(Clone, Debug)]
pub(super) struct Draws {
    /// A float from 0 to 1.
    pub(super) share: String,
    /// A whole number from 0 to `{most}`.
    pub(super) up_to: Option<String>,
    /// What the manifest lacks.
    pub(super) needs: Option<Needed>,
    /// Listed, or added with the fix.
    pub(super) at_hand: bool,
}

/// The sources of random numbers at hand, the preferred first; where there is none, the one that can be added.
pub(super) fn of(around: &Around<'_>, wanted: &Wanted<'_>) -> Vec<Draws> {
    let shares = || around.knowledge.code.iter().filter(|code| code.does == Does::DrawShare);
    let mut found: Vec<Draws> = shares()
        .filter_map(|code| {
            let share = usable(around, code)?;
            let up_to = around
                .knowledge
                .code
                .iter()
                .filter(|other| other.does == Does::DrawUpTo && other.krate == code.krate);
            let up_to = up_to.into_iter().find_map(|code| usable(around, code));
            Some(Draws { share, up_to, needs: None, at_hand: true })
        })
        .collect();
    let added = |code: &&Code| code.add.is_some() && wanted.wishes.added == Some(code.krate.as_str());
    // what has no manifest has none that it could be added to
    if !found.is_empty() || !around.krate.has_manifest() {
        return found;
    }
    match shares().find(added) {
        // asked for: it is written into the manifest with the fix
        Some(code) => found.push(Draws { at_hand: true, ..missing(code) }),
        None => found.extend(shares().filter(|code| code.add.is_some()).map(missing)),
    }
    found
}

/// A source that the manifest does not list.
fn missing(code: &Code) -> Draws {
    let version = code.add.clone().unwrap_or_default();
    let needs = Needed { name: code.krate.clone(), version };
    Draws { share: named(code, &code.krate), up_to: None, needs: Some(needs), at_hand: false }
}

/// The code, where the crate that it needs is one that this one may use.
pub(super) fn usable(around: &Around<'_>, code: &Code) -> Option<String> {
    let listed = around.krate.dependency(&code.krate)?;
    let has = code.feature.as_ref().is_none_or(|feature| {
        code.by_default && listed.default_features
            || listed.features.iter().any(|it| it == feature || it == "full")
    });
    (has && code.holds(&around.krate.versions(&code.krate))).then(|| named(code, &listed.name))
}

fn named(code: &Code, krate: &str) -> String {
    code.write.replace("{crate}", krate)
}
