//! `--with-check`: cargo's own messages before ours. An editor that is given this program in place of `cargo check` would else lose the
//! compiler's. It is the only thing here that builds the project, and is never done unasked.

use super::error::{Stop, UserError};
use super::output::Check;
use super::settings::{Inputs, Settings};
use super::surroundings::resolved;
use crate::report::Surroundings;
use serde_json::Value;
use std::collections::HashMap;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What is left to say when our own messages are written.
#[derive(Debug, Default)]
pub(super) struct Checked {
    /// cargo says that it is done; readers may stop there, so it comes last.
    last: Vec<u8>,
    /// Package ids by manifest, as this cargo spells them: an editor clears what it shows by them.
    ids: HashMap<String, String>,
    /// cargo failed, also where only the project did not compile.
    pub(super) failed: bool,
}

/// Runs cargo, if that was asked for, and passes its lines on.
pub(super) fn with_check(settings: &Settings, out: &mut dyn Write) -> Result<Checked, Stop> {
    let Some(check) = settings.with_check else { return Ok(Checked::default()) };
    let manifest = manifest(&settings.inputs)?;
    let word = match check {
        Check::Check => "check",
        Check::Clippy => "clippy",
    };
    // Set where cargo started us: the same toolchain then.
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut child = Command::new(&cargo)
        .args([word, "--workspace", "--all-targets", "--message-format=json", "--manifest-path"])
        .arg(&manifest)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| {
            UserError::new(format!("`{} {word}` cannot be run: {error}", cargo.display()))
                .help("leave --with-check out, or put cargo where it is found")
        })?;
    let mut checked = Checked::default();
    let passed = child.stdout.take().map_or(Ok(()), |lines| pass(BufReader::new(lines), &mut checked, out));
    if passed.is_err() {
        // Nobody reads any more: its result would be for nobody.
        let _ = child.kill();
    }
    let status = child.wait();
    passed?;
    checked.failed = !status.is_ok_and(|status| status.success());
    Ok(checked)
}

impl Checked {
    /// Puts cargo's ids in the place of those that were worked out here.
    pub(super) fn correct(&self, around: &mut Surroundings) {
        for about in around.files.values_mut() {
            if let Some(id) = self.ids.get(&about.unit.manifest_path) {
                about.unit.package_id.clone_from(id);
            }
        }
    }

    /// Says what cargo said last.
    pub(super) fn finish(&self, out: &mut dyn Write) -> std::io::Result<()> {
        out.write_all(&self.last)
    }
}

fn pass(mut lines: impl std::io::BufRead, checked: &mut Checked, out: &mut dyn Write) -> std::io::Result<()> {
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        let read: Option<Value> = serde_json::from_slice(&line).ok();
        let text = |key: &str| read.as_ref()?.get(key)?.as_str();
        if text("reason") == Some("build-finished") {
            checked.last.append(&mut line);
            continue;
        }
        if let (Some(manifest), Some(id)) = (text("manifest_path"), text("package_id")) {
            checked.ids.insert(manifest.to_owned(), id.to_owned());
        }
        out.write_all(&line)?;
        // An editor shows how far the build is.
        out.flush()?;
        line.clear();
    }
    Ok(())
}

/// The manifest nearest to what is read.
fn manifest(inputs: &Inputs) -> Result<PathBuf, UserError> {
    let from = match inputs {
        Inputs::Paths(paths) => paths.first().map_or(Path::new("."), PathBuf::as_path),
        Inputs::Stdin(_) => Path::new("."),
    };
    let from = resolved(from);
    let found = from.ancestors().map(|folder| folder.join("Cargo.toml")).find(|manifest| manifest.is_file());
    found.ok_or_else(|| {
        UserError::new("--with-check finds no Cargo.toml at what is read, or above it")
            .help("leave --with-check out, or give the folder of a package")
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn lines_pass_as_they_are_and_the_end_comes_last() {
        let lines = b"{\"reason\":\"compiler-artifact\",\"package_id\":\"i\",\"manifest_path\":\"/m\"}\nnot json \xff\n{\"reason\":\"build-finished\",\"success\":true}\n";
        let (mut checked, mut out) = (Checked::default(), Vec::new());
        pass(&lines[..], &mut checked, &mut out).unwrap();
        checked.finish(&mut out).unwrap();
        assert_eq!(out, lines);
        assert_eq!(checked.ids.get("/m").map(String::as_str), Some("i"));
        assert!(checked.last.starts_with(b"{\"reason\":\"build-finished\""));
    }
}
