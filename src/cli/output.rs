//! Where results go beside standard output: files, each in a format of its own. All that can be wrong with them is said before anything is
//! read, and a file is either whole or as it was: it is written beside its place and moved there.

use super::args::Format;
use super::error::{Stop, UserError, nearest};
use crate::report;
use crate::settings::Draft;
use clap::{Args, ValueEnum as _};
use codespan_reporting::term::termcolor::{NoColor, WriteColor};
use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

/// What is written beside standard output, and before it.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(super) struct OutputArgs {
    /// Write the result to a file too, in a format of its own; may be given several times.
    #[arg(long, global = true, value_name = "FORMAT:FILE", value_parser = file_output)]
    pub(super) output: Vec<FileOutput>,

    /// Run `cargo check` (or `cargo clippy`) on the same manifest first and print its messages too. This builds the project: it runs its
    /// build scripts and macros. With `--format cargo` only.
    #[arg(long, value_enum, global = true, value_name = "COMMAND", num_args = 0..=1, require_equals = true, default_missing_value = "check")]
    pub(super) with_check: Option<Check>,
}

/// The command of cargo that checks the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Check {
    Check,
    Clippy,
}

/// A file that a result goes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileOutput {
    pub(super) format: Format,
    pub(super) file: PathBuf,
}

/// What was typed for one file.
fn file_output(typed: &str) -> Result<FileOutput, String> {
    let Some((format, file)) = typed.split_once(':') else {
        return Err("a format and a file are wanted, as in `sarif:retries.sarif`".to_owned());
    };
    let Ok(format) = Format::from_str(format, false) else {
        let words: Vec<String> = Format::value_variants()
            .iter()
            .filter_map(|variant| Some(variant.to_possible_value()?.get_name().to_owned()))
            .collect();
        let meant = match nearest(format, words.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("formats are {}", words.join(", ")),
        };
        return Err(format!("there is no format `{format}`; {meant}"));
    };
    match file {
        "" => Err("the file's name is missing after the `:`".to_owned()),
        "-" => Err("standard output has the format that --format says; name a file here".to_owned()),
        file => Ok(FileOutput { format, file: file.into() }),
    }
}

/// Refuses what cannot be written, before the work is done.
pub(super) fn can_be_written(outputs: &[FileOutput]) -> Result<(), UserError> {
    for (at, output) in outputs.iter().enumerate() {
        let shown = output.file.display();
        if outputs.iter().take(at).any(|other| other.file == output.file) {
            return Err(UserError::new(format!("two results are to be written to `{shown}`"))
                .help("give each --output a file of its own"));
        }
        if output.file.is_dir() {
            return Err(UserError::new(format!("`{shown}` is a folder: no result can be written to it"))
                .help("name a file in it"));
        }
        let folder = folder_of(&output.file);
        if !folder.is_dir() {
            return Err(UserError::new(format!(
                "`{shown}` cannot be written: there is no folder `{}`",
                folder.display()
            ))
            .help("make the folder first, or name another file"));
        }
    }
    Ok(())
}

/// Writes each file. None is moved to its place before all are written.
pub(super) fn write_files(
    outputs: &[FileOutput],
    write: impl Fn(&mut dyn WriteColor, report::Format) -> io::Result<()>,
) -> Result<(), Stop> {
    let mut written: Vec<(&Path, Draft)> = Vec::new();
    for output in outputs {
        let draft = draft(output, &write).map_err(|error| cannot_write(&output.file, &error))?;
        written.extend(draft.map(|draft| (output.file.as_path(), draft)));
    }
    for (file, draft) in written {
        draft.replace().map_err(|error| cannot_write(file, &error))?;
    }
    Ok(())
}

fn cannot_write(file: &Path, error: &io::Error) -> UserError {
    UserError::new(format!("`{}` cannot be written: {error}", file.display()))
        .help("what was there before is unchanged")
}

/// Writes a draft; `None` where the file is no regular one (a pipe, a device) and was written as it is.
fn draft(
    output: &FileOutput,
    write: &impl Fn(&mut dyn WriteColor, report::Format) -> io::Result<()>,
) -> io::Result<Option<Draft>> {
    if output.file.exists() && !output.file.is_file() {
        write_to(OpenOptions::new().write(true).open(&output.file)?, output.format, write)?;
        return Ok(None);
    }
    let mut draft = Draft::beside(&output.file)?;
    write_to(&mut draft, output.format, write)?;
    Ok(Some(draft))
}

fn write_to(
    file: impl io::Write,
    format: Format,
    write: &impl Fn(&mut dyn WriteColor, report::Format) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = NoColor::new(BufWriter::new(file));
    write(&mut out, format.into())?;
    out.flush()
}

/// The folder that a file is to be in.
fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_format_and_a_file() {
        let typed = file_output("sarif:C:/out/a:b.sarif").unwrap();
        assert_eq!(typed, FileOutput { format: Format::Sarif, file: "C:/out/a:b.sarif".into() });
        for (wrong, told) in [
            ("sarif", "a format and a file are wanted"),
            ("sarf:x", "did you mean `sarif`?"),
            ("x.json:y", "there is no format `x.json`"),
            ("json:", "the file's name is missing"),
            ("human:-", "standard output has the format"),
        ] {
            let error = file_output(wrong).unwrap_err();
            assert!(error.contains(told), "{wrong}: {error}");
        }
    }

    #[test]
    fn a_failure_leaves_every_file_as_it_was() {
        let folder = std::env::temp_dir().join(format!("retry-lint-output-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let outputs = [Format::Json, Format::Sarif].map(|format| {
            let file = folder.join(format!("{format:?}"));
            fs::write(&file, "before").unwrap();
            FileOutput { format, file }
        });
        let second_fails = |out: &mut dyn WriteColor, format: report::Format| {
            out.write_all(b"half")?;
            if format == report::Format::Sarif { Err(io::Error::other("full")) } else { Ok(()) }
        };
        assert!(write_files(&outputs, second_fails).is_err());
        let contents = || outputs.iter().map(|it| fs::read_to_string(&it.file).unwrap()).collect::<Vec<_>>();
        assert_eq!(contents(), ["before", "before"]);
        write_files(&outputs, |out, _| out.write_all(b"after")).unwrap();
        assert_eq!(contents(), ["after", "after"]);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "no draft is left");
        fs::remove_dir_all(&folder).unwrap();
    }
}
