//! What `cargo publish` would ship: all that a build needs, and nothing that only this repository needs.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

#[test]
fn the_package_has_what_a_build_needs_and_no_more() {
    let output = Command::new(env!("CARGO"))
        .args(["package", "--list", "--allow-dirty", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let listed = String::from_utf8(output.stdout).unwrap().replace('\\', "/");
    let listed: BTreeSet<&str> = listed.lines().collect();
    // Sources, and the rules that are built in.
    for folder in ["src", "rules"] {
        let mut files = 0;
        for entry in walkdir::WalkDir::new(in_repository(folder)).into_iter().map(Result::unwrap) {
            if entry.file_type().is_file() {
                let path = entry.path().strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap();
                let path = path.to_string_lossy().replace('\\', "/");
                assert!(listed.contains(path.as_str()), "{path} is not shipped");
                files += 1;
            }
        }
        assert!(files > 10, "{files} files in {folder}");
    }
    for file in ["Cargo.toml", "Cargo.lock", "README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        assert!(listed.contains(file), "{file} is not shipped");
    }
    for path in listed {
        let ours_alone = ["fixtures/", "tests/", "target/", ".ci/", "examples/herd/"]
            .iter()
            .any(|folder| path.starts_with(folder));
        assert!(!ours_alone, "{path} is shipped");
    }
}

#[test]
fn what_a_build_makes_is_ignored() {
    let ignored = std::fs::read_to_string(in_repository(".gitignore")).unwrap();
    assert!(ignored.lines().any(|line| line == "/target"));
}

fn in_repository(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}
