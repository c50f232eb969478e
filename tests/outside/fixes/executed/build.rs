//! The harness: a module for each source of `fixtures/fixes` that says how it is run, as it is and as it is fixed. The text is the one that the
//! linter sees; only what `std`, `tokio`, `reqwest` and `rand` mean in it is told around it.

use std::fmt::Write as _;
use std::path::Path;

/// The crate that is called `rand` by what a manifest says.
const RAND: [(&str, &str); 4] = [
    ("rand = \"0.7", "rand07"),
    ("rand = \"0.8", "rand08"),
    ("rand = \"0.9", "rand09"),
    ("rand = \"0.10", "rand10"),
];

fn main() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../fixtures/fixes");
    let fixtures = fixtures.canonicalize().expect("fixtures/fixes");
    println!("cargo::rerun-if-changed={}", fixtures.display());
    println!("cargo::rerun-if-changed=build.rs");
    let (mut modules, mut table) = (String::new(), String::new());
    let mut paths: Vec<_> =
        std::fs::read_dir(&fixtures).expect("a folder").map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|it| it == "rs")) {
        let text = std::fs::read_to_string(path).expect("a text");
        let twin = std::fs::read_to_string(path.with_extension("fixed")).expect("a twin");
        let said = |word: &str| text.lines().find_map(|line| line.strip_prefix(&format!("//@ {word}: ")));
        let Some(run) = said("run") else { continue };
        let name = path.file_stem().expect("a name").to_string_lossy();
        let called = run.split('(').next().unwrap_or_default();
        let site = said("site").unwrap_or(called);
        let plan = said("plan").unwrap_or("fail 6");
        // what overflows in the end panics here before it does so there
        let plan_before = said("plan-before").unwrap_or(plan);
        let told = said("told").unwrap_or("0");
        let known_wrong = said("known-wrong").unwrap_or_default();
        module(&mut modules, &name, &text, run);
        module(&mut modules, &format!("{name}_fixed"), &twin, run);
        let _ = writeln!(
            table,
            "Case {{ name: {name:?}, text: {text:?}, twin: {twin:?}, site: {site:?}, plan: {plan:?}, plan_before: {plan_before:?}, known_wrong: {known_wrong:?}, told_s: {told}, \
             before: {name}::client_of_it, after: {name}_fixed::client_of_it }},"
        );
    }
    let _ = writeln!(modules, "pub const CASES: &[Case] = &[\n{table}];");
    let out = Path::new(&std::env::var("OUT_DIR").expect("cargo says it")).join("modules.rs");
    std::fs::write(out, modules).expect("a folder to write to");
}

/// A module of this text, and a function in it that runs one client.
fn module(modules: &mut String, name: &str, text: &str, run: &str) {
    let mut means = "use crate::stands::{reqwest, std, tokio};".to_owned();
    for (listed, krate) in RAND {
        if text.lines().any(|line| line.starts_with(&format!("//@ needs: {listed}"))) {
            let _ = write!(means, " use ::{krate} as rand;");
        }
    }
    // a module inside sees nothing of the names around it
    let text: String = text
        .lines()
        .map(|line| {
            let opens =
                line.trim_start().trim_start_matches("pub ").starts_with("mod ") && line.ends_with('{');
            if opens {
                format!("{line} {means}\n")
            } else {
                format!("{line}\n")
            }
        })
        .collect();
    let client = if run.contains(".await") {
        format!("crate::world::block_on(async {{ let _ = {run}; }});")
    } else {
        format!("let _ = {run};")
    };
    let _ = writeln!(modules, "pub mod {name} {{\n{means}\n{text}\npub fn client_of_it() {{ {client} }}\n}}");
}
