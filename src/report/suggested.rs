//! A fix in the words and lines that people are shown. The code in it is a stranger's, and partly as long as it likes: lines are cut around what
//! changes, and many are cut to their number.

use super::Sources;
use super::clean::clean;
use super::excerpt::cut_line;
use super::patch::{Fate, Hunk, Row, hunks};
use crate::model::{Finding, Fix, Safety};
use codespan_reporting::term::termcolor::{Color, ColorSpec, WriteColor};
use std::io;

/// Lines of a fix that are shown.
const MOST_ROWS: usize = 20;
/// Unchanged lines that are shown before and after each change.
const AROUND: usize = 1;
/// What codespan gives its numbers and borders.
const NUMBERS: Color = Color::Cyan;

/// `fix (unsafe): double the delay`, and what the manifest lacks for it.
pub(super) fn words(fix: &Fix) -> Vec<String> {
    let mut lines = vec![format!("fix ({}): {}", fix.safety.word(), clean(&fix.title))];
    lines.extend(
        fix.needs.as_ref().map(|needs| format!("needs: `{}` in [dependencies]", clean(&needs.line()))),
    );
    lines
}

/// The lines that change, behind numbers of at least so many digits.
pub(super) fn write_patch(
    out: &mut dyn WriteColor,
    fix: &Fix,
    sources: &Sources,
    digits: usize,
) -> io::Result<()> {
    let (hunks, left_out) = shown(fix, sources, AROUND);
    if hunks.is_empty() {
        return Ok(());
    }
    let last = hunks.iter().flatten().filter_map(|row| row.number).max().unwrap_or(1);
    let digits = digits.max(last.to_string().len());
    write_gutter(out, &" ".repeat(digits), '│')?;
    writeln!(out)?;
    for (at, hunk) in hunks.iter().enumerate() {
        if at > 0 {
            write_gutter(out, &" ".repeat(digits), '·')?;
            writeln!(out)?;
        }
        for row in hunk {
            write_row(out, row, digits)?;
        }
    }
    if left_out > 0 {
        write_gutter(out, &" ".repeat(digits), '·')?;
        writeln!(out, " {}", more(left_out))?;
    }
    Ok(())
}

fn write_gutter(out: &mut dyn WriteColor, number: &str, border: char) -> io::Result<()> {
    out.set_color(ColorSpec::new().set_fg(Some(NUMBERS)))?;
    write!(out, "{number} {border}")?;
    out.reset()
}

fn write_row(out: &mut dyn WriteColor, row: &Row, digits: usize) -> io::Result<()> {
    let number = row.number.map_or_else(String::new, |number| number.to_string());
    let number = format!("{number:>digits$}");
    let (text, changed) = cut_line(&row.text, row.changed.clone());
    let color = match row.fate {
        Fate::Kept => {
            write_gutter(out, &number, '│')?;
            return writeln!(out, "{}", format!(" {text}").trim_end());
        }
        Fate::Removed => Color::Red,
        Fate::Added => Color::Green,
    };
    out.set_color(ColorSpec::new().set_fg(Some(NUMBERS)))?;
    write!(out, "{number} ")?;
    out.set_color(ColorSpec::new().set_fg(Some(color)))?;
    write!(out, "{}", row.fate.mark())?;
    let text = text.trim_end();
    let end = changed.end.min(text.len());
    let start = changed.start.min(end);
    // of a line that is new as a whole there is no part to point at
    let is_part = start > 0 || end < text.len();
    let parts = [(text.get(..start), false), (text.get(start..end), is_part), (text.get(end..), false)];
    if !text.is_empty() {
        write!(out, " ")?;
    }
    for (part, bold) in parts {
        let part = part.unwrap_or_default();
        if !part.is_empty() {
            out.set_color(ColorSpec::new().set_fg(Some(color)).set_bold(bold))?;
            write!(out, "{part}")?;
        }
    }
    out.reset()?;
    writeln!(out)
}

/// The same lines as a unified diff has them, for where there is neither colour nor a gutter.
pub(super) fn plain(fix: &Fix, sources: &Sources) -> Vec<String> {
    let (hunks, left_out) = shown(fix, sources, AROUND);
    let mut lines = Vec::new();
    for (at, hunk) in hunks.iter().enumerate() {
        if at > 0 {
            lines.push("…".to_owned());
        }
        lines.extend(hunk.iter().map(|row| {
            let line = format!("{} {}", row.fate.mark(), cut_line(&row.text, row.changed.clone()).0);
            line.trim_end().to_owned()
        }));
    }
    if left_out > 0 {
        lines.push(more(left_out));
    }
    lines
}

/// The same as Markdown: the words, and a block that shows the lines in colour.
pub(super) fn markdown(fix: &Fix, sources: &Sources) -> String {
    let lines = plain(fix, sources);
    // longer than any fence in the code, which would end the block
    let run = |line: &String| line.split(|ch| ch != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(lines.iter().map(run).max().unwrap_or(0).max(2) + 1);
    let words = words(fix).join("; ");
    if lines.is_empty() {
        return words;
    }
    format!("{words}\n\n{fence}diff\n{}\n{fence}\n", lines.join("\n"))
}

/// The first rows, and how many more there are.
fn shown(fix: &Fix, sources: &Sources, around: usize) -> (Vec<Hunk>, usize) {
    let Some(edit) = fix.edits.first() else { return (Vec::new(), 0) };
    let mut hunks = hunks(fix, sources.text(&edit.path), around);
    let mut room = MOST_ROWS;
    let mut left_out = 0;
    for hunk in &mut hunks {
        let kept = hunk.len().min(room);
        left_out += hunk.len() - kept;
        hunk.truncate(kept);
        room -= kept;
    }
    hunks.retain(|hunk| !hunk.is_empty());
    (hunks, left_out)
}

fn more(lines: usize) -> String {
    if lines == 1 { "… 1 more line".to_owned() } else { format!("… {lines} more lines") }
}

/// How the fixes of some findings are applied, in one line; `None` where there are none.
pub(super) fn how(findings: &[Finding]) -> Option<String> {
    let count =
        |safety| findings.iter().filter(|it| it.fix.as_ref().is_some_and(|fix| fix.safety == safety)).count();
    let (safe, not_safe) = (count(Safety::Safe), count(Safety::Unsafe));
    let safe = (safe > 0).then(|| format!("{safe} safe (--fix)"));
    let not_safe = (not_safe > 0).then(|| format!("{not_safe} unsafe (--fix --unsafe-fixes)"));
    let told: Vec<String> = safe.into_iter().chain(not_safe).collect();
    (!told.is_empty()).then(|| format!("apply fixes: {}; --diff shows them", told.join(", ")))
}
