//! For which versions of a crate an entry of a table holds, and whether those that a project may be built with are among them.
//! Pre-releases count as their release: what a `2.0.0-rc.1` does is what 2.0 does.

use semver::{Comparator, Op, VersionReq};
use serde::Deserialize;
use serde::de::Error;

/// Major, minor, patch.
type Number = (u64, u64, u64);

/// The versions from one on and below another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Versions {
    from: Number,
    below: Number,
}

/// Whether an entry holds for what a project may be built with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    /// For all of it, or for a part; or nobody knows the version.
    Perhaps,
    /// For none of it.
    Never,
}

impl Versions {
    const ALL: Self = Self { from: (0, 0, 0), below: (u64::MAX, u64::MAX, u64::MAX) };

    /// The versions that a requirement allows.
    pub(super) fn of(requirement: &VersionReq) -> Self {
        requirement.comparators.iter().map(span).fold(Self::ALL, |both, one| Self {
            from: both.from.max(one.from),
            below: both.below.min(one.below),
        })
    }

    /// Whether some version is in both.
    pub(super) fn meet(self, other: Self) -> bool {
        self.from.max(other.from) < self.below.min(other.below)
    }

    /// Whether an entry of these versions may hold where a project allows those.
    pub(super) fn hold(self, allowed: &[VersionReq]) -> Holds {
        let may = allowed.is_empty() || allowed.iter().any(|one| self.meet(Self::of(one)));
        if may { Holds::Perhaps } else { Holds::Never }
    }
}

impl<'de> Deserialize<'de> for Versions {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let requirement: VersionReq = text
            .parse()
            .map_err(|error| D::Error::custom(format!("no versions: {error}; write `>=1, <2`")))?;
        let versions = Self::of(&requirement);
        if versions.from >= versions.below {
            return Err(D::Error::custom(format!("no version is `{text}`")));
        }
        Ok(versions)
    }
}

/// The versions of one comparison. What is left out of a version is anything, as in a manifest.
fn span(one: &Comparator) -> Versions {
    let (minor, patch) = (one.minor.unwrap_or(0), one.patch.unwrap_or(0));
    let from = (one.major, minor, patch);
    let next_patch = (one.major, minor, patch.saturating_add(1));
    let next_minor = (one.major, minor.saturating_add(1), 0);
    let next_major = (one.major.saturating_add(1), 0, 0);
    // the versions that are written alike
    let alike = match (one.minor, one.patch) {
        (None, _) => next_major,
        (_, None) => next_minor,
        _ => next_patch,
    };
    let below = |below: Number| Versions { from, below };
    match one.op {
        Op::Greater => Versions { from: alike, ..Versions::ALL },
        Op::GreaterEq => Versions { from, ..Versions::ALL },
        Op::Less => Versions { below: from, ..Versions::ALL },
        Op::LessEq => Versions { below: alike, ..Versions::ALL },
        Op::Tilde if one.minor.is_some() => below(next_minor),
        Op::Caret if one.major > 0 || one.minor.is_none() => below(next_major),
        Op::Caret if minor > 0 || one.patch.is_none() => below(next_minor),
        _ => below(alike),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn holds(entry: &str, allowed: &[&str]) -> bool {
        let allowed: Vec<VersionReq> = allowed.iter().map(|text| text.parse().unwrap()).collect();
        Versions::of(&entry.parse().unwrap()).hold(&allowed) == Holds::Perhaps
    }

    #[test]
    fn a_version_is_in_a_range_or_not() {
        for (entry, version, expected) in [
            (">=1, <2", "=1.4.0", true),
            (">=1, <2", "=2.0.0", false),
            (">=1.5, <2", "=1.4.9", false),
            ("<1.5", "=1.4.9", true),
            (">1", "=1.9.0", false),
            ("<=1", "=1.9.0", true),
            ("<2", "=2.0.0-rc.2", false),
            ("0.3", "=0.4.1", false),
            ("0.0.3", "=0.0.4", false),
            ("~1.2", "=1.3.0", false),
            ("1.*", "=1.3.0", true),
            ("*", "=9.0.0", true),
        ] {
            assert_eq!(holds(entry, &[version]), expected, "{entry} {version}");
        }
    }

    #[test]
    fn a_requirement_allows_some_of_a_range() {
        assert!(holds(">=1.5, <2", &["1"]));
        assert!(!holds(">=2", &["1.6"]));
        assert!(holds(">=2", &["1.6", "2"]), "two versions are in use");
        assert!(holds(">=2", &[]), "nobody knows the version");
    }
}
