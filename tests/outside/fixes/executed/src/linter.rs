//! What the linter prints for each source: its schedule.

use crate::Case;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The first delays, each from low to high, seconds.
pub type Schedule = Vec<[f64; 2]>;

/// The schedule of each case, by its name: of its site, if that has a known one.
pub fn schedules(
    program: &Path,
    folder: &Path,
    cases: &[Case],
    text: impl Fn(&Case) -> &'static str,
) -> BTreeMap<&'static str, Schedule> {
    let _ = fs::remove_dir_all(folder);
    for case in cases {
        let needs: Vec<&str> =
            case.text.lines().filter_map(|line| line.strip_prefix("//@ needs: ")).collect();
        let manifest = format!(
            "[package]\nname = \"{}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\nfastrand = \"2\"\n{}\n",
            case.name,
            // what a fix has added is listed by then
            needs.iter().filter(|line| !line.starts_with("fastrand")).copied().collect::<Vec<_>>().join("\n")
        );
        let package = folder.join(case.name);
        fs::create_dir_all(package.join("src")).expect("a folder to write to");
        fs::write(package.join("Cargo.toml"), manifest).expect("a folder to write to");
        fs::write(package.join("src/lib.rs"), text(case)).expect("a folder to write to");
    }
    let output = Command::new(program)
        .args(["audit", "--format", "json", "."])
        .current_dir(folder)
        .output()
        .expect("the linter runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let mut schedules = BTreeMap::new();
    for site in told["sites"].as_array().expect("sites") {
        let (path, function) = (site["path"].as_str().unwrap_or(""), site["function"].as_str().unwrap_or(""));
        let is_of = |case: &&Case| path.split('/').next() == Some(case.name) && function == case.site;
        let Some(case) = cases.iter().find(is_of) else { continue };
        let delays = site["schedule"].as_array().map(|delays| {
            delays.iter().map(|it| [it[0].as_f64().unwrap_or(0.0), it[1].as_f64().unwrap_or(0.0)]).collect()
        });
        if let Some(delays) = delays {
            schedules.insert(case.name, delays);
        }
    }
    schedules
}
