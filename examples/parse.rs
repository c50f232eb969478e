//! Parses every `.rs` file below some folders with syn and drops the trees: the yardstick for the time that a run takes.
//! `cargo run --release --example parse -- FOLDER…`; for measuring only.
#![allow(clippy::print_stdout)]

fn main() {
    let (mut files, mut bytes, mut broken) = (0u32, 0u64, 0u32);
    for folder in std::env::args().skip(1) {
        for entry in walkdir::WalkDir::new(folder).into_iter().flatten() {
            if entry.path().extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let Ok(text) = std::fs::read_to_string(entry.path()) else { continue };
            files += 1;
            bytes += text.len() as u64;
            broken += u32::from(syn::parse_file(&text).is_err());
        }
    }
    println!("{files} files, {bytes} bytes, {broken} that syn does not parse");
}
