//! Which versions of a crate a package may be built with: by the `Cargo.lock` that lists the package, else by what its manifest asks for.
//! Both are read as text, and only when somebody asks. Nothing here knows what a version means.

use semver::{Comparator, Op, Version, VersionReq};
use std::sync::OnceLock;
use toml::{Table, Value};

use crate::source::PackageTexts;

/// What is written of a package's versions.
#[derive(Debug, Default)]
pub(super) struct Versions {
    texts: PackageTexts,
    read: OnceLock<Read>,
}

/// A package that the code may use whatever features and targets are chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// What the code calls it.
    pub name: String,
    /// Its default features are on.
    pub default_features: bool,
    /// The features that are asked for.
    pub features: Vec<String>,
}

/// The texts, parsed.
#[derive(Debug, Default)]
struct Read {
    manifest: Table,
    workspace: Table,
    /// The packages of the lock; empty where it does not list this one.
    locked: Vec<Locked>,
    /// What the lock says that this package depends on: `name`, or `name version`.
    own: Vec<String>,
}

#[derive(Debug)]
struct Locked {
    name: String,
    version: Version,
}

impl Versions {
    pub(super) fn new(texts: PackageTexts) -> Self {
        Self { texts, read: OnceLock::new() }
    }

    /// Whether the manifest may list this crate, by its name with `_`: a look at its text that costs nothing.
    pub(super) fn may_list(&self, name: &str) -> bool {
        let text = self.texts.manifest.as_deref().unwrap_or_default();
        text.contains(name) || text.contains(&name.replace('_', "-"))
    }

    /// The versions that a crate may have, by its name with `_`; empty where nothing is known of it.
    pub(super) fn of(&self, name: &str) -> Vec<VersionReq> {
        let read = self.read.get_or_init(|| read(&self.texts));
        let locked = read.locked_as(name);
        if locked.is_empty() { read.asked_for(name) } else { locked }
    }
}

impl Versions {
    /// What `[dependencies]` says of a package, by its name with `_`; `None` also where it is optional, for some targets or for tests only.
    pub(super) fn dependency(&self, package: &str) -> Option<Dependency> {
        let read = self.read.get_or_init(|| read(&self.texts));
        let listed = read.manifest.get("dependencies")?.as_table()?;
        listed.iter().find_map(|(key, own)| {
            let inherited = own.get("workspace").and_then(Value::as_bool) == Some(true);
            let above = if inherited { Some(read.of_workspace(key)?) } else { None };
            let says = |key: &str| own.get(key).or_else(|| above.and_then(|above| above.get(key)));
            let called = says("package").and_then(Value::as_str).unwrap_or(key);
            let optional = own.get("optional").and_then(Value::as_bool) == Some(true);
            if optional || !is_called(called, package) {
                return None;
            }
            let features =
                [Some(own), above].into_iter().flatten().filter_map(|it| it.get("features")?.as_array());
            Some(Dependency {
                name: key.replace('-', "_"),
                default_features: says("default-features").and_then(Value::as_bool) != Some(false),
                features: features.flatten().filter_map(Value::as_str).map(str::to_owned).collect(),
            })
        })
    }

    /// Whether there is a manifest to add to.
    pub(super) fn has_manifest(&self) -> bool {
        self.texts.manifest.is_some()
    }
}

impl Read {
    fn locked_as(&self, name: &str) -> Vec<VersionReq> {
        let all = || self.locked.iter().filter(|locked| is_called(&locked.name, name));
        let mut direct = Vec::new();
        for dependency in &self.own {
            let mut words = dependency.split(' ');
            if words.next().is_some_and(|own| is_called(own, name)) {
                let version = words.next();
                direct
                    .extend(all().filter(|locked| {
                        version.is_none_or(|version| locked.version.to_string() == version)
                    }));
            }
        }
        // what the package uses through another crate may be any of those that are there
        let found: Vec<&Locked> = if direct.is_empty() { all().collect() } else { direct };
        found.into_iter().map(|locked| exactly(&locked.version)).collect()
    }

    fn asked_for(&self, name: &str) -> Vec<VersionReq> {
        let targets = self.manifest.get("target").and_then(Value::as_table);
        let tables = std::iter::once(&self.manifest)
            .chain(targets.into_iter().flat_map(Table::values).filter_map(Value::as_table));
        let mut found = Vec::new();
        for table in tables {
            for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
                for (key, asked) in table.get(section).and_then(Value::as_table).into_iter().flatten() {
                    let inherited = asked.get("workspace").and_then(Value::as_bool) == Some(true);
                    let asked = if inherited { self.of_workspace(key) } else { Some(asked) };
                    let package = asked.and_then(|asked| asked.get("package")).and_then(Value::as_str);
                    if is_called(package.unwrap_or(key), name) {
                        // a path or a repository without a version may be any
                        let Some(version) = asked.and_then(version_of) else { return Vec::new() };
                        found.push(version);
                    }
                }
            }
        }
        found
    }

    fn of_workspace(&self, key: &str) -> Option<&Value> {
        [&self.workspace, &self.manifest]
            .iter()
            .find_map(|table| table.get("workspace")?.get("dependencies")?.get(key))
    }
}

fn read(texts: &PackageTexts) -> Read {
    let parsed =
        |text: &Option<String>| text.as_ref().and_then(|text| text.parse::<Table>().ok()).unwrap_or_default();
    let mut read =
        Read { manifest: parsed(&texts.manifest), workspace: parsed(&texts.workspace), ..Read::default() };
    let own = read.manifest.get("package").and_then(|package| package.get("name")).and_then(Value::as_str);
    let lock = parsed(&texts.lock);
    let packages: Vec<&Table> = lock
        .get("package")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_table)
        .collect();
    // a lock that lies above by chance says nothing of this package
    let listed = packages.iter().find(|package| {
        !package.contains_key("source") && package.get("name").and_then(Value::as_str) == own
    });
    let Some(listed) = listed.filter(|_| own.is_some()) else { return read };
    let names = listed.get("dependencies").and_then(Value::as_array);
    read.own = names.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    read.locked = packages
        .iter()
        .filter_map(|package| {
            let text = |key: &str| package.get(key).and_then(Value::as_str);
            Some(Locked { name: text("name")?.to_owned(), version: text("version")?.parse().ok()? })
        })
        .collect();
    read
}

fn is_called(package: &str, name: &str) -> bool {
    package.replace('-', "_") == name
}

fn version_of(asked: &Value) -> Option<VersionReq> {
    asked.as_str().or_else(|| asked.get("version").and_then(Value::as_str))?.parse().ok()
}

fn exactly(version: &Version) -> VersionReq {
    VersionReq {
        comparators: vec![Comparator {
            op: Op::Exact,
            major: version.major,
            minor: Some(version.minor),
            patch: Some(version.patch),
            pre: version.pre.clone(),
        }],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = "version = 4\n\
        [[package]]\nname = \"app\"\nversion = \"0.1.0\"\ndependencies = [\n \"backon 1.4.0\",\n \"reqwest-retry\",\n]\n\
        [[package]]\nname = \"backon\"\nversion = \"0.4.4\"\nsource = \"registry\"\n\
        [[package]]\nname = \"backon\"\nversion = \"1.4.0\"\nsource = \"registry\"\n\
        [[package]]\nname = \"reqwest-retry\"\nversion = \"0.9.1\"\nsource = \"registry\"\n\
        [[package]]\nname = \"retry-policies\"\nversion = \"0.5.2\"\nsource = \"registry\"\n\
        [[package]]\nname = \"tower\"\nversion = \"0.4.13\"\nsource = \"registry\"\n\
        [[package]]\nname = \"tower\"\nversion = \"0.5.3\"\nsource = \"registry\"\n";

    fn of(name: &str, manifest: &str, lock: &str, workspace: &str) -> Vec<String> {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let texts = PackageTexts { manifest: text(manifest), lock: text(lock), workspace: text(workspace) };
        Versions::new(texts).of(name).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_lock_says_which_version_the_package_itself_depends_on() {
        let manifest = "[package]\nname = \"app\"\n[dependencies]\nbackon = \"1\"\nreqwest-retry = \"0.9\"\n";
        assert_eq!(of("backon", manifest, LOCK, ""), ["=1.4.0"]);
        assert_eq!(of("reqwest_retry", manifest, LOCK, ""), ["=0.9.1"]);
        assert_eq!(of("retry_policies", manifest, LOCK, ""), ["=0.5.2"], "used through another crate");
        assert_eq!(of("tower", manifest, LOCK, ""), ["=0.4.13", "=0.5.3"], "either");
    }

    #[test]
    fn a_lock_that_does_not_list_the_package_is_another_projects() {
        let manifest = "[package]\nname = \"other\"\n[dependencies]\nbackon = \"1.6\"\n";
        assert_eq!(of("backon", manifest, LOCK, ""), ["^1.6"]);
    }

    #[test]
    fn without_a_lock_the_manifest_says_what_may_be() {
        let manifest = "[package]\nname = \"app\"\n[dependencies]\nretry-policies = { version = \"0.4\" }\n\
            delays = { package = \"backon\", version = \"1.2\" }\ntower = { workspace = true }\nretry = { path = \"../retry\" }\n\
            [target.'cfg(unix)'.dev-dependencies]\nagain = \"0.1\"\n";
        let workspace = "[workspace.dependencies]\ntower = { version = \"0.5\", features = [\"retry\"] }\n";
        assert_eq!(of("retry_policies", manifest, "", workspace), ["^0.4"]);
        assert_eq!(of("backon", manifest, "", workspace), ["^1.2"]);
        assert_eq!(of("tower", manifest, "", workspace), ["^0.5"]);
        assert_eq!(of("again", manifest, "", workspace), ["^0.1"]);
        for unknown in ["retry", "tokio"] {
            assert!(of(unknown, manifest, "", workspace).is_empty(), "{unknown}");
        }
        assert!(of("backon", "[package", "no lock", "").is_empty());
    }
}
