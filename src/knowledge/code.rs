//! Code that a fix may write, by the crate that it needs and that crate's versions. Templates only: what is put into them, and where the
//! result goes, is `fix`'s business.

use serde::Deserialize;

use super::versions::{Holds, Versions};
use semver::VersionReq;

/// What a piece of code does.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
pub enum Does {
    /// Draws a float from 0 to 1.
    DrawShare,
    /// Draws a whole number from 0 to `{most}`, that included.
    DrawUpTo,
    /// Waits `{delay}` without blocking the thread; awaited.
    Sleep,
    /// Gives the `Option` of how long a server that answered `{reply}` wants to be left alone; `{duration}` is std's type.
    ReadHint,
    /// Tells whether `{error}`, the crate's own, is a refusal that no further attempt changes.
    IsPermanent,
}

/// A piece of code for the versions of a crate.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Code {
    /// What it does.
    pub does: Does,
    /// The crate, as code writes it.
    #[serde(rename = "crate")]
    pub krate: String,
    /// The versions that have it.
    versions: Versions,
    /// A feature that must be on: the manifest lists it, or it is one of the default ones and those are not turned off.
    #[serde(default)]
    pub feature: Option<String>,
    /// The feature is a default one.
    #[serde(default)]
    pub by_default: bool,
    /// The code; `{crate}` is the crate's name here.
    pub write: String,
    /// Methods that leave what they are called on as it is: after others a reply is gone.
    #[serde(default)]
    pub keeps: Vec<String>,
    /// The version to ask for where the crate is not listed: only crates with this are proposed.
    #[serde(default)]
    pub add: Option<String>,
}

impl Code {
    /// Whether what a project may be built with has it; where nothing is known of the version, it may not.
    pub fn holds(&self, versions: &[VersionReq]) -> bool {
        let one_of =
            |version: &VersionReq| self.versions.hold(std::slice::from_ref(version)) == Holds::Perhaps;
        !versions.is_empty() && versions.iter().all(one_of)
    }
}
