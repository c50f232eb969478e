//! Which package and target a file belongs to, in cargo's own words, read off the manifests: asking cargo would run what the project tells
//! it to run (a toolchain file, a wrapper in its configuration), and this program runs nothing of the project.

use super::rooms::package_folder;
use super::surroundings::shown;
use super::workspace::{read, workspace_of};
use crate::report::{Target, Unit, file_url};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use toml::{Table, Value};

/// Packages by their folder, each read once.
#[derive(Default)]
pub(super) struct Packages {
    folders: HashMap<PathBuf, Option<Rc<Package>>>,
}

impl Packages {
    /// The package and target of a file, whose path is absolute; `None` where it belongs to none.
    pub(super) fn unit(&mut self, file: &Path) -> Option<Unit> {
        let folder = package_folder(file)?;
        let package = self.folders.entry(folder).or_insert_with_key(|folder| package(folder).map(Rc::new));
        package.as_ref().map(|package| package.unit(file))
    }
}

/// A package, as its manifest says it.
struct Package {
    folder: PathBuf,
    workspace: PathBuf,
    id: String,
    name: String,
    edition: String,
    manifest: Table,
}

fn package(folder: &Path) -> Option<Package> {
    let manifest = read(&folder.join("Cargo.toml")).ok()?;
    let package = manifest.get("package")?.as_table()?;
    let name = package.get("name")?.as_str()?.to_owned();
    let workspace = workspace_of(folder, &manifest);
    let inherited = |key: &str| -> Option<String> {
        let value = package.get(key)?;
        if value.get("workspace").and_then(Value::as_bool) != Some(true) {
            return value.as_str().map(str::to_owned);
        }
        let of_workspace = workspace.manifest.get("workspace")?.get("package")?.get(key)?;
        of_workspace.as_str().map(str::to_owned)
    };
    let version = inherited("version").unwrap_or_else(|| "0.0.0".to_owned());
    let url = file_url(&shown(folder));
    let last = url.rsplit('/').next().unwrap_or_default();
    // cargo leaves the name out where the folder says it.
    let id =
        if last == name { format!("path+{url}#{version}") } else { format!("path+{url}#{name}@{version}") };
    let edition = inherited("edition").unwrap_or_else(|| "2015".to_owned());
    Some(Package { folder: folder.to_owned(), workspace: workspace.folder, id, name, edition, manifest })
}

impl Package {
    fn unit(&self, file: &Path) -> Unit {
        Unit {
            package_id: self.id.clone(),
            manifest_path: shown(&self.folder.join("Cargo.toml")),
            workspace: shown(&self.workspace),
            target: self.target(file),
        }
    }

    /// The target whose sources a file is most likely part of. Modules are not followed: which target an editor shows a message for does
    /// not depend on it.
    fn target(&self, file: &Path) -> Target {
        let inside = file.strip_prefix(&self.folder).unwrap_or(file);
        let mut parts = inside.iter().map(|part| part.to_string_lossy());
        let (first, second, third) = (parts.next(), parts.next(), parts.next());
        let build = self.named("build").unwrap_or("build.rs");
        if inside == Path::new(build) {
            return self.of_kind("custom-build", "build-script-build", file);
        }
        let bins = self.manifest.get("bin").and_then(Value::as_array).into_iter().flatten();
        for bin in bins {
            let text = |key: &str| bin.get(key).and_then(Value::as_str);
            if let (Some(name), Some(path)) = (text("name"), text("path"))
                && inside == Path::new(path)
            {
                return self.of_kind("bin", name, file);
            }
        }
        match (first.as_deref(), second.as_deref(), third.as_deref()) {
            (Some("tests"), Some(name), inner) => self.below("test", name, inner, file),
            (Some("examples"), Some(name), inner) => self.below("example", name, inner, file),
            (Some("benches"), Some(name), inner) => self.below("bench", name, inner, file),
            (Some("src"), Some("bin"), Some(name)) => {
                self.below("bin", name, inside.iter().nth(3).map(|_| ""), file)
            }
            (Some("src"), Some("main.rs"), None) => self.of_kind("bin", &self.name, file),
            _ => self
                .lib()
                .unwrap_or_else(|| self.of_kind("bin", &self.name, &self.folder.join("src/main.rs"))),
        }
    }

    fn named(&self, key: &str) -> Option<&str> {
        self.manifest.get("package")?.get(key)?.as_str()
    }

    /// A target of its own in a folder of such: a file, or a folder with a `main.rs`.
    fn below(&self, kind: &str, name: &str, inner: Option<&str>, file: &Path) -> Target {
        if inner.is_none() {
            return self.of_kind(kind, name.strip_suffix(".rs").unwrap_or(name), file);
        }
        let main =
            file.ancestors().find(|folder| folder.ends_with(name)).map(|folder| folder.join("main.rs"));
        self.of_kind(kind, name, main.as_deref().filter(|main| main.is_file()).unwrap_or(file))
    }

    fn lib(&self) -> Option<Target> {
        let lib = self.manifest.get("lib");
        let text = |key: &str| lib?.get(key)?.as_str();
        let is = |key: &str| lib.and_then(|lib| lib.get(key)).and_then(Value::as_bool);
        let path = self.folder.join(text("path").unwrap_or("src/lib.rs"));
        if !path.is_file() {
            return None;
        }
        let name = text("name").map_or_else(|| self.name.replace('-', "_"), str::to_owned);
        let listed = lib.and_then(|lib| lib.get("crate-type").or_else(|| lib.get("crate_type")));
        let mut types: Vec<String> = listed
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect();
        if is("proc-macro").or_else(|| is("proc_macro")) == Some(true) {
            types = vec!["proc-macro".to_owned()];
        }
        if types.is_empty() {
            types.push("lib".to_owned());
        }
        let documented = types.iter().any(|kind| ["lib", "rlib", "proc-macro"].contains(&kind.as_str()));
        Some(Target {
            crate_types: types.clone(),
            doc: is("doc").unwrap_or(true),
            doctest: documented && is("doctest").unwrap_or(true),
            test: is("test").unwrap_or(true),
            kind: types,
            ..self.of_kind("lib", &name, &path)
        })
    }

    fn of_kind(&self, kind: &str, name: &str, root: &Path) -> Target {
        Target {
            kind: vec![kind.to_owned()],
            crate_types: vec!["bin".to_owned()],
            name: name.to_owned(),
            src_path: shown(root),
            edition: self.edition.clone(),
            doc: kind == "bin",
            doctest: false,
            test: ["bin", "test"].contains(&kind),
        }
    }
}
