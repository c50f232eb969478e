//! What a `Cargo.toml` says that names need: the package's own name, its dependencies, where its roots lie.
//! A manifest that does not parse says nothing; that is no error here, cargo tells its owner.

use std::collections::BTreeSet;
use toml::{Table, Value};

/// What a manifest says.
#[derive(Debug, Default)]
pub(super) struct Manifest {
    /// The package's name, `-` written `_`.
    pub package: Option<String>,
    /// The names that dependencies have in the code, sorted.
    pub dependencies: Vec<String>,
    /// `path` of `[lib]` and of every `[[bin]]`, `[[example]]`, `[[test]]`, `[[bench]]`.
    pub roots: Vec<String>,
}

/// Reads a manifest's text.
pub(super) fn manifest(text: &str) -> Manifest {
    let Ok(table) = text.parse::<Table>() else { return Manifest::default() };
    let mut names = BTreeSet::new();
    collect_dependencies(&table, &mut names);
    for target in table.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values) {
        if let Some(target) = target.as_table() {
            collect_dependencies(target, &mut names);
        }
    }
    let name = table.get("package").and_then(|package| package.get("name")).and_then(Value::as_str);
    let lib_name = table.get("lib").and_then(|lib| lib.get("name")).and_then(Value::as_str);
    Manifest {
        package: lib_name.or(name).map(code_name),
        dependencies: names.into_iter().collect(),
        roots: root_paths(&table),
    }
}

fn collect_dependencies(table: &Table, names: &mut BTreeSet<String>) {
    for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
        if let Some(listed) = table.get(section).and_then(Value::as_table) {
            names.extend(listed.keys().map(|key| code_name(key)));
        }
    }
}

fn root_paths(table: &Table) -> Vec<String> {
    let lib = table.get("lib").into_iter();
    let others = ["bin", "example", "test", "bench"]
        .into_iter()
        .filter_map(|section| table.get(section).and_then(Value::as_array))
        .flatten();
    lib.chain(others)
        .filter_map(|target| target.get("path").and_then(Value::as_str))
        .map(|path| path.trim_start_matches("./").to_owned())
        .collect()
}

fn code_name(name: &str) -> String {
    name.replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::manifest;

    #[test]
    fn dependencies_of_every_section_by_the_name_that_code_uses() {
        let read = manifest(
            "[package]\nname = \"my-app\"\n[dependencies]\ntokio = \"1\"\nweb = { package = \"reqwest\", version = \"0.12\" }\n\
             [dev-dependencies]\ntest-case = \"3\"\n[build-dependencies]\ncc = \"1\"\n\
             [target.'cfg(unix)'.dependencies]\nnix = \"0.29\"\n[dependencies.retry-policies]\nversion = \"0.4\"\n",
        );
        assert_eq!(read.package.as_deref(), Some("my_app"));
        assert_eq!(read.dependencies, ["cc", "nix", "retry_policies", "test_case", "tokio", "web"]);
    }

    #[test]
    fn a_library_may_have_another_name_than_its_package() {
        let read = manifest(
            "[package]\nname = \"a\"\n[lib]\nname = \"b\"\npath = \"./core.rs\"\n[[bin]]\nname = \"c\"\npath = \"cli/c.rs\"",
        );
        assert_eq!(read.package.as_deref(), Some("b"));
        assert_eq!(read.roots, ["core.rs", "cli/c.rs"]);
    }

    #[test]
    fn a_broken_manifest_says_nothing() {
        let read = manifest("[package\nname =");
        assert_eq!((read.package, read.dependencies.len()), (None, 0));
    }
}
