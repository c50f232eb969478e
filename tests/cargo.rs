//! `cargo retry-lint` on a real workspace: which packages and targets are looked at, that cargo itself finds the command, and that nothing of
//! the project is run.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const LOOP: &str = "pub async fn fetch(client: &reqwest::Client) -> reqwest::Result<reqwest::Response> {\n    loop {\n        match client.get(\"http://localhost/\").send().await {\n            Ok(response) => return Ok(response),\n            Err(_) => tokio::time::sleep(std::time::Duration::from_secs(1)).await,\n        }\n    }\n}\n";

struct Workspace(PathBuf);

impl Workspace {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("retry-lint-cargo-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let made = Self(folder);
        made.write("Cargo.toml", "[workspace]\nmembers = [\"crates/*\", \"tool\"]\nexclude = [\"crates/old\"]\ndefault-members = [\"tool\"]\nresolver = \"2\"\n");
        for (member, name) in
            [("crates/api", "the-api"), ("crates/db", "the-db"), ("crates/old", "old"), ("tool", "tool")]
        {
            made.write(
                &format!("{member}/Cargo.toml"),
                &format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
            );
            for file in ["src/lib.rs", "src/main.rs", "src/bin/more.rs", "tests/it.rs", "examples/show.rs"] {
                made.write(&format!("{member}/{file}"), LOOP);
            }
        }
        made
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// The files with findings, told from the workspace, and the exit status.
    fn found(&self, below: &str, args: &[&str]) -> (Vec<String>, i32) {
        let output = self.run(below, args);
        let text = String::from_utf8(output.stdout).unwrap();
        let root = std::fs::canonicalize(&self.0).unwrap();
        let mut files: Vec<String> = text
            .lines()
            .filter_map(|line| line.split(".rs:").next())
            .map(|path| {
                let full = std::fs::canonicalize(self.0.join(below).join(format!("{path}.rs"))).unwrap();
                full.strip_prefix(&root).unwrap().to_str().unwrap().to_owned()
            })
            .collect();
        files.dedup();
        (files, output.status.code().unwrap())
    }

    fn run(&self, below: &str, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-retry-lint"));
        command.arg("retry-lint").args(args).current_dir(self.0.join(below));
        command.output().unwrap()
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn of(member: &str, files: &[&str]) -> Vec<String> {
    files.iter().map(|file| format!("{member}/{file}")).collect()
}

const ALL: [&str; 3] = ["src/bin/more.rs", "src/lib.rs", "src/main.rs"];

#[test]
fn packages_are_chosen_as_for_cargo() {
    let workspace = Workspace::new("packages");
    let concise = |args: &[&str]| -> Vec<String> {
        let mut all = vec!["--format", "concise"];
        all.extend(args);
        workspace.found("", &all).0
    };
    assert_eq!(concise(&[]), of("tool", &ALL), "the default members");
    assert_eq!(concise(&["-p", "the-db"]), of("crates/db", &ALL));
    let both: Vec<String> = [of("crates/api", &ALL), of("tool", &ALL)].concat();
    assert_eq!(concise(&["--workspace", "--exclude", "the-db"]), both);
    assert_eq!(concise(&["--manifest-path", "crates/api/Cargo.toml"]), of("crates/api", &ALL));
    assert_eq!(
        workspace.found("crates/db/src", &["--format", "concise"]).0,
        of("crates/db", &ALL),
        "the package around"
    );
    assert_eq!(
        workspace.found("crates/old", &["--format", "concise"]).0,
        of("crates/old", &ALL),
        "excluded, and alone"
    );
}

#[test]
fn targets_are_chosen_as_for_cargo() {
    let workspace = Workspace::new("targets");
    let of_tool = |kind: &str| workspace.found("tool", &["--format", "concise", kind]).0;
    assert_eq!(of_tool("--lib"), of("tool", &["src/lib.rs"]));
    assert_eq!(of_tool("--bins"), of("tool", &["src/bin/more.rs", "src/main.rs"]));
    assert_eq!(of_tool("--tests"), of("tool", &["tests/it.rs"]));
    assert_eq!(of_tool("--examples"), of("tool", &["examples/show.rs"]));
}

#[test]
fn mistakes_say_what_is_there() {
    let workspace = Workspace::new("mistakes");
    for (args, words) in [
        (vec!["-p", "the-ap"], "did you mean `the-api`?"),
        (vec!["--manifest-path", "nowhere/Cargo.toml"], "no such manifest"),
        (vec!["--manifest-path", "tool"], "is no Cargo.toml"),
        (vec!["-p", "tool", "tool/src"], "paths are given together with packages"),
        (vec!["-p", "tool", "rules"], "reads no source"),
        (vec!["-p", "tool", "--workspace"], "cannot be used with"),
    ] {
        let output = workspace.run("", &args);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains(words), "{args:?}: {error}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
    workspace.write("tool/Cargo.toml", "[package\n");
    let output = workspace.run("tool", &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("is no manifest"));
}

#[test]
fn nothing_of_the_project_is_run() {
    let workspace = Workspace::new("hostile");
    let mark = workspace.0.join("was-run");
    let touch = format!("touch '{}'", mark.display());
    workspace.write("run.sh", &format!("#!/bin/sh\n{touch}\n"));
    let script = workspace.0.join("run.sh");
    let wrapper = script.display();
    workspace.write(
        ".cargo/config.toml",
        &format!("[build]\nrustc = \"{wrapper}\"\nrustc-wrapper = \"{wrapper}\"\n[alias]\nmetadata = \"!{wrapper}\"\n"),
    );
    workspace.write("rust-toolchain.toml", "[toolchain]\nchannel = \"no-such-channel\"\n");
    workspace.write("tool/build.rs", &format!("fn main() {{ std::fs::write({mark:?}, \"\").unwrap(); }}\n"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let (files, status) = workspace.found("", &["--workspace", "--format", "concise"]);
    assert_eq!((files.len(), status), (9, 1));
    assert!(!mark.exists(), "something of the project was run");
    assert!(!workspace.0.join("target").exists() && !workspace.0.join("Cargo.lock").exists());
}

/// cargo finds the command by its name on the path.
#[test]
fn cargo_itself_calls_it() {
    let workspace = Workspace::new("called");
    let binary = Path::new(env!("CARGO_BIN_EXE_cargo-retry-lint"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(binary.parent().unwrap().to_owned()).chain(std::env::split_paths(&path));
    let output = Command::new(env!("CARGO"))
        .args(["retry-lint", "-p", "the-api", "--lib", "--format", "concise"])
        .env("PATH", std::env::join_paths(paths).unwrap())
        .current_dir(&workspace.0)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8(output.stdout).unwrap().contains("lib.rs:"));
}
