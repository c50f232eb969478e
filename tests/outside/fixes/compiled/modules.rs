//! Each source of `fixtures/fixes` that depends on this package's source of random numbers, and its `.fixed` twin, as modules.

use std::fmt::Write as _;
use std::path::Path;

/// What a manifest says of each source of random numbers; those with none get fastrand.
const SOURCES: [(&str, &str); 5] = [
    ("rand07", "rand = \"0.7"),
    ("rand08", "rand = \"0.8"),
    ("rand09", "rand = \"0.9"),
    ("rand10", "rand = \"0.10"),
    ("getrandom", "getrandom = "),
];

fn main() {
    let package = std::env::var("CARGO_PKG_NAME").expect("cargo says it");
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../../fixtures/fixes");
    let fixtures = fixtures.canonicalize().expect("fixtures/fixes");
    println!("cargo::rerun-if-changed={}", fixtures.display());
    let mut modules = String::new();
    let mut paths: Vec<_> =
        std::fs::read_dir(&fixtures).expect("a folder").map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|it| it == "rs")) {
        let text = std::fs::read_to_string(path).expect("a text");
        let needs = |wanted: &str| {
            text.lines()
                .filter_map(|line| line.strip_prefix("//@ needs: "))
                .any(|line| line.starts_with(wanted))
        };
        let source =
            SOURCES.iter().find(|(_, wanted)| needs(wanted)).map_or("fastrand", |(source, _)| source);
        if package.strip_prefix("compiled-") != Some(source) {
            continue;
        }
        let name = path.file_stem().expect("a name").to_string_lossy();
        let (before, after) = (path.display(), path.with_extension("fixed"));
        let after = after.display();
        let _ = writeln!(modules, "#[path = {:?}]\npub mod {name};", before.to_string());
        let _ = writeln!(modules, "#[path = {:?}]\npub mod {name}_fixed;", after.to_string());
    }
    let out = Path::new(&std::env::var("OUT_DIR").expect("cargo says it")).join("modules.rs");
    std::fs::write(out, modules).expect("a folder to write to");
}
