//! What is told beside the result, on standard error: problems, errors and what to do about them. Nothing here can fail a run.

use super::args::{Color, Options, Talk};
use super::error::UserError;
use super::fixing::Fixed;
use super::rewriting::{Unwritten, from_here};
use super::run::Looked;
use super::settings::{Settings, color_choice};
use super::surroundings::shown;
use crate::model::{Problem, Unfollowed, unknown_facts};
use crate::report::{self, Summary, clean};
use codespan_reporting::term::termcolor::{self, ColorSpec, StandardStream, WriteColor};
use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::time::Duration;

/// Packages that timings list.
const MOST_TIMES: usize = 5;

/// `error: what`, then the lines that show it, then a `help:` line for each thing to do.
pub(super) fn error(error: &UserError, color: Color) {
    line(color, "error", termcolor::Color::Red, &error.what);
    for shown in &error.shown {
        let _ = writeln!(stderr(color), "  {}", clean(shown));
    }
    for help in &error.help {
        line(color, "help", termcolor::Color::Cyan, help);
    }
}

/// What could not be read, for those who read along; JSON carries it inside.
pub(super) fn problems(looked: &Looked, settings: &Settings) {
    if settings.format == report::Format::Json {
        return;
    }
    for problem in looked.problems.iter().filter(|problem| !settings.talk.quiet || fails(problem, settings)) {
        let (word, color) = if fails(problem, settings) {
            ("error", termcolor::Color::Red)
        } else {
            ("warning", termcolor::Color::Yellow)
        };
        line(settings.talk.color, word, color, &report::problem_line(problem));
    }
}

/// Whether a problem makes the run a failure.
pub(super) fn fails(problem: &Problem, settings: &Settings) -> bool {
    settings.strict && problem.fatal
}

/// What was read and what was left out, with `--verbose`.
pub(super) fn extent(looked: &Looked, talk: Talk) {
    if !talk.verbose {
        return;
    }
    let (summary, left_out) = (looked.summary, looked.left_out);
    let read =
        format!("read {} files of {} packages, {} bytes", summary.files, left_out.packages, summary.bytes);
    line(talk.color, "info", termcolor::Color::Blue, &read);
    if left_out.in_tests > 0 {
        let text = format!("left out {} sites in tests; --include-tests looks at them", left_out.in_tests);
        line(talk.color, "info", termcolor::Color::Blue, &text);
    }
    if left_out.unchanged > 0 {
        let text = format!("left out {} findings on lines that have not changed", left_out.unchanged);
        line(talk.color, "info", termcolor::Color::Blue, &text);
    }
    if left_out.excluded > 0 {
        let text = format!("left out {} files that the configuration excludes", left_out.excluded);
        line(talk.color, "info", termcolor::Color::Blue, &text);
    }
    if left_out.unsure > 0 {
        let text =
            format!("left out {} less certain findings; --min-confidence medium shows them", left_out.unsure);
        line(talk.color, "info", termcolor::Color::Blue, &text);
    }
}

/// How much of it was understood: one line for people, and with `--verbose` each place with its reason.
pub(super) fn coverage(looked: &Looked, settings: &Settings) {
    let talk = settings.talk;
    if talk.quiet || !talk.verbose && settings.format != report::Format::Human {
        return;
    }
    line(talk.color, "info", termcolor::Color::Blue, &covered(looked.summary, talk.verbose));
    if !talk.verbose {
        return;
    }
    for site in looked.sites.iter().filter(|site| site.kind.is_real()) {
        let unknown = unknown_facts(site);
        if !unknown.is_empty() {
            let (place, kind) = (&site.place, site.kind.word());
            let text = format!(
                "{}:{}:{}: of this {kind} is not known: {}",
                place.path,
                place.line,
                place.column,
                unknown.join(", ")
            );
            line(talk.color, "info", termcolor::Color::Blue, &text);
        }
    }
    for body in &looked.unfollowed {
        let Unfollowed { path, line: at, column, name, why, .. } = body;
        let text = format!("{path}:{at}:{column}: `{name}` is not followed to its end: {}", why.words());
        line(talk.color, "info", termcolor::Color::Blue, &text);
    }
}

/// `2 sites: 1 fully known, 1 with unknown facts; 3 of 40 bodies not followed to their end; -v lists them`
fn covered(summary: Summary, listed: bool) -> String {
    let Summary { sites, known, bodies, unfollowed, .. } = summary;
    let unknown = sites.saturating_sub(known);
    let noun = if sites == 1 { "site" } else { "sites" };
    let known = format!("{sites} {noun}: {known} fully known, {unknown} with unknown facts");
    let bodies = format!("{unfollowed} of {bodies} bodies not followed to their end");
    let hint = if listed || unknown + unfollowed == 0 { "" } else { "; -v lists them" };
    format!("{known}; {bodies}{hint}")
}

/// Files that fixes were to change and that stay as they were. They fail the run.
pub(super) fn unwritten(files: &[Unwritten], talk: Talk) {
    for file in files {
        error(&UserError::new(format!("{}: {}", file.shown, file.why)).help(file.help), talk.color);
    }
}

/// What fixes changed, what they need, and what was held back.
pub(super) fn fixes(fixed: &Fixed, options: &Options, settings: &Settings) {
    let (fixing, talk) = (&options.fixing, settings.talk);
    let (sources, manifests): (Vec<_>, Vec<_>) = fixed.files.iter().partition(|file| file.fixes > 0);
    let counted =
        |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    let info = |text: String| {
        if !talk.quiet {
            line(talk.color, "info", termcolor::Color::Blue, &text);
        }
    };
    let count: usize = sources.iter().map(|file| file.fixes).sum();
    let made = format!("{} in {}", counted(count, "fix", "fixes"), counted(sources.len(), "file", "files"));
    match (fixing.fix, count) {
        (true, 0) => info("no fixes to apply".to_owned()),
        (true, _) => info(format!("applied {made}")),
        (false, 0) => info("no fixes to show".to_owned()),
        (false, _) => info(format!("--fix would apply {made}")),
    }
    if fixing.fix {
        for manifest in manifests {
            info(format!("added a dependency to {}", manifest.shown));
        }
    }
    // in words for people the report itself has told
    let told = fixing.fix && settings.format == report::Format::Human;
    if fixed.held_back > 0 && !fixing.unsafe_fixes && !told {
        let left = counted(fixed.held_back, "unsafe fix", "unsafe fixes");
        info(format!("left out {left}: more than the fault would change; add --unsafe-fixes for that"));
    }
    for (folder, needs) in &fixed.needs {
        for needed in needs {
            let manifest = from_here(&shown(&folder.join("Cargo.toml")));
            let text = format!(
                "the fixes need a source of random numbers: add `{}` to [dependencies] of {manifest}, or say --add-dependency {}",
                needed.line(),
                needed.name
            );
            line(talk.color, "warning", termcolor::Color::Yellow, &text);
        }
    }
}

/// How often each rule spoke, the most frequent first.
pub(super) fn statistics(looked: &Looked, talk: Talk) {
    if !talk.statistics {
        return;
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in &looked.findings {
        *counts.entry(&finding.rule).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(rule, count)| (std::cmp::Reverse(*count), *rule));
    for (rule, count) in counts {
        line(talk.color, "info", termcolor::Color::Blue, &format!("{count:>5} {rule}"));
    }
}

/// How long it took, and the packages that took longest.
pub(super) fn timings(looked: &Looked, whole: Duration, talk: Talk) {
    if !talk.timings {
        return;
    }
    let megabytes = looked.summary.bytes as f64 / 1e6;
    let text = format!("{:.2} s for {} files, {megabytes:.1} MB", whole.as_secs_f64(), looked.summary.files);
    line(talk.color, "info", termcolor::Color::Blue, &text);
    let mut took: Vec<&(String, Duration)> = looked.took.iter().collect();
    took.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    for (name, time) in took.into_iter().take(MOST_TIMES) {
        line(talk.color, "info", termcolor::Color::Blue, &format!("{:>8.2} s {name}", time.as_secs_f64()));
    }
}

/// Something to know that fails nothing.
pub(super) fn warning(text: &str, talk: Talk) {
    if !talk.quiet {
        line(talk.color, "warning", termcolor::Color::Yellow, text);
    }
}

fn line(color: Color, word: &str, of: termcolor::Color, text: &str) {
    // Where standard error is closed there is nobody to tell.
    let _ = write_line(&mut stderr(color), word, of, text);
}

fn stderr(color: Color) -> StandardStream {
    StandardStream::stderr(color_choice(color, &io::stderr()))
}

fn write_line(out: &mut dyn WriteColor, word: &str, of: termcolor::Color, text: &str) -> io::Result<()> {
    out.set_color(ColorSpec::new().set_fg(Some(of)).set_bold(true))?;
    write!(out, "{word}")?;
    out.reset()?;
    writeln!(out, ": {}", clean(text))
}
