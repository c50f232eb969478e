//! Prints what the detector understood of the loops around a line: `cargo run --example flow -- PACKAGE_FOLDER FILE LINE`.
//! For those who work on the detector; its output is no interface.
#![allow(clippy::print_stdout)]

use retry_lint::detect::describe;
use retry_lint::knowledge::Knowledge;
use retry_lint::resolve::Crate;
use retry_lint::source::{Lines, SourceFile, outline};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(root), Some(path), Some(line)) = (args.next(), args.next(), args.next()) else {
        return Err("usage: flow PACKAGE_FOLDER FILE LINE".into());
    };
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(&root).sort_by_file_name() {
        let entry = entry?;
        if entry.path().extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(entry.path())?;
            let shown = entry.path().strip_prefix(&root)?.to_string_lossy().into_owned();
            let outline = outline(&text, &shown);
            files.push(SourceFile {
                path: shown.as_str().into(),
                lines: Lines::new(&text),
                text,
                outline,
                in_test: false,
                context_only: false,
            });
        }
    }
    let manifest = std::fs::read_to_string(std::path::Path::new(&root).join("Cargo.toml")).ok();
    let krate = Crate::new(files, manifest.as_deref());
    println!("{}", describe(&krate, Knowledge::builtin()?, &path, line.parse()?));
    Ok(())
}
