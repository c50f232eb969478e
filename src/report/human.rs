//! For people: findings with the source they are about, sites as a table that answers how long does it wait, is it random, does it end.

use super::clean::clean;
use super::excerpt::{Excerpt, excerpt};
use super::phrase::{self, count};
use super::table::{Column, Cut, write_table};
use super::{Audit, Report, Sources, suggested};
use crate::model::{BoundKind, Finding, Level};
use codespan_reporting::diagnostic::{self, Diagnostic, Severity};
use codespan_reporting::files::{self, Files as _};
use codespan_reporting::term;
use codespan_reporting::term::termcolor::{ColorSpec, WriteColor};
use std::io;

/// Each finding with its source, then the totals.
pub(super) fn write_report(out: &mut dyn WriteColor, report: &Report<'_>, quiet: bool) -> io::Result<()> {
    for finding in report.findings {
        write_finding(out, finding, report.sources)?;
    }
    if quiet {
        return Ok(());
    }
    if let Some(how) = suggested::how(report.findings) {
        writeln!(out, "{how}")?;
    }
    if !report.findings.is_empty() {
        writeln!(out, "silence a false one: // retry-lint: ignore[RULE] reason")?;
    }
    writeln!(out, "{}", totals(report))
}

/// One finding with its source, and an empty line.
pub(super) fn write_finding(
    out: &mut dyn WriteColor,
    finding: &Finding,
    sources: &Sources,
) -> io::Result<()> {
    let (files, labels) = excerpt(&finding.labels, sources);
    let digits = digits(&files, &labels);
    let diagnostic = Diagnostic::new(severity(finding.level))
        .with_code(clean(&finding.rule))
        .with_message(clean(&finding.message))
        .with_labels(labels)
        .with_notes(notes(finding));
    let mut above = WithoutLastEnd { out, held: false };
    term::emit_to_write_style(&mut above, &term::Config::default(), &files, &diagnostic).map_err(as_io)?;
    if let Some(fix) = &finding.fix {
        suggested::write_patch(out, fix, sources, digits)?;
    }
    writeln!(out)
}

/// Digits of the largest number in the gutter.
fn digits(files: &Excerpt, labels: &[diagnostic::Label<usize>]) -> usize {
    let number = |label: &diagnostic::Label<usize>| {
        files.line_number(label.file_id, files.line_index(label.file_id, label.range.end).ok()?).ok()
    };
    labels.iter().filter_map(number).max().unwrap_or(1).to_string().len()
}

/// Keeps back the last end of a line: codespan ends with an empty line, and something may have to come before it.
struct WithoutLastEnd<'o> {
    out: &'o mut dyn WriteColor,
    held: bool,
}

impl WithoutLastEnd<'_> {
    fn let_go(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.held) { self.out.write_all(b"\n") } else { Ok(()) }
    }
}

impl io::Write for WithoutLastEnd<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        self.let_go()?;
        let kept = bytes.strip_suffix(b"\n");
        self.out.write_all(kept.unwrap_or(bytes))?;
        self.held = kept.is_some();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl WriteColor for WithoutLastEnd<'_> {
    fn supports_color(&self) -> bool {
        self.out.supports_color()
    }

    fn set_color(&mut self, spec: &ColorSpec) -> io::Result<()> {
        self.let_go()?;
        self.out.set_color(spec)
    }

    fn reset(&mut self) -> io::Result<()> {
        self.let_go()?;
        self.out.reset()
    }
}

fn severity(level: Level) -> Severity {
    match level {
        Level::Error => Severity::Error,
        Level::Warning => Severity::Warning,
        Level::Note | Level::Off => Severity::Note,
    }
}

/// `note: …`, `help: …`, `fix (safe): …` and `needs: …`, each under its word where it has several lines.
fn notes(finding: &Finding) -> Vec<String> {
    [("note", &finding.note), ("help", &finding.help)]
        .into_iter()
        .filter(|(_, text)| !text.trim().is_empty())
        .map(|(word, text)| {
            let lines: Vec<String> = text.trim().lines().map(clean).collect();
            format!("{word}: {}", lines.join("\n      "))
        })
        .chain(finding.fix.iter().flat_map(suggested::words))
        .collect()
}

/// `3 findings (2 warnings, 1 note) in 12 files; 20 sites; 1 silenced by comments, 4 in the baseline`
pub(super) fn totals(report: &Report<'_>) -> String {
    let summary = report.summary;
    let hidden: Vec<String> =
        [(summary.suppressed, "silenced by comments"), (summary.baselined, "in the baseline")]
            .into_iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, how)| format!("{n} {how}"))
            .collect();
    let hidden = if hidden.is_empty() { String::new() } else { format!("; {}", hidden.join(", ")) };
    let looked_at = format!("in {}; {}{hidden}", count(summary.files, "file"), count(summary.sites, "site"));
    if report.findings.is_empty() {
        return format!("no findings {looked_at}");
    }
    let levels: Vec<String> = [(Level::Error, "error"), (Level::Warning, "warning"), (Level::Note, "note")]
        .into_iter()
        .map(|(level, word)| (report.count(level), word))
        .filter(|(n, _)| *n > 0)
        .map(|(n, word)| count(n, word))
        .collect();
    format!("{} ({}) {looked_at}", count(report.findings.len(), "finding"), levels.join(", "))
}

/// The table of sites, then the totals.
pub(super) fn write_audit(
    out: &mut dyn WriteColor,
    audit: &Audit<'_>,
    quiet: bool,
    width: Option<usize>,
) -> io::Result<()> {
    let columns = [
        Column { title: "place", cut: Cut::Start, most: usize::MAX },
        Column { title: "kind", cut: Cut::Never, most: usize::MAX },
        Column { title: "operation", cut: Cut::End, most: 60 },
        Column { title: "waits", cut: Cut::End, most: 40 },
        Column { title: "random", cut: Cut::Never, most: usize::MAX },
        Column { title: "ends", cut: Cut::Never, most: usize::MAX },
        Column { title: "sure", cut: Cut::Never, most: usize::MAX },
    ];
    let rows: Vec<Vec<String>> = audit
        .sites
        .iter()
        .map(|site| {
            vec![
                format!("{}:{}", site.place.path, site.place.line),
                site.kind.word().to_owned(),
                phrase::operation(site),
                phrase::waits(site),
                phrase::random(site),
                phrase::ends(site),
                phrase::sure(site),
            ]
        })
        .collect();
    if !rows.is_empty() {
        write_table(out, &columns, &rows, width)?;
    }
    if quiet {
        return Ok(());
    }
    if !rows.is_empty() {
        writeln!(out)?;
    }
    writeln!(out, "{}", audit_totals(audit))
}

/// `20 sites in 12 files; 3 without an end, 12 without randomness`
fn audit_totals(audit: &Audit<'_>) -> String {
    let sites = audit.sites;
    let looked_at = format!("{} in {}", count(sites.len(), "site"), count(audit.summary.files, "file"));
    let never = sites.iter().filter(|site| site.attempts.kind.is(&BoundKind::Unbounded)).count();
    let fixed = sites.iter().filter(|site| phrase::waits_without_random(site)).count();
    let unknown =
        sites.iter().filter(|site| !site.attempts.kind.is_known() || !site.delay.jitter.is_known()).count();
    let told: Vec<String> =
        [(never, "without an end"), (fixed, "without randomness"), (unknown, "known only in part")]
            .into_iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, what)| format!("{n} {what}"))
            .collect();
    if told.is_empty() { looked_at } else { format!("{looked_at}; {}", told.join(", ")) }
}

fn as_io(error: files::Error) -> io::Error {
    match error {
        files::Error::Io(error) => error,
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use crate::model::Safety;
    use crate::report::clean::{is_steering, width};
    use crate::report::{Format, samples};
    use std::time::Instant;

    #[test]
    fn findings_with_their_source() {
        let sample = samples::two_files();
        samples::is_golden("check-human.txt", &samples::written(&sample.report(), Format::Human));
    }

    #[test]
    fn sites_as_a_table() {
        let sample = samples::two_files();
        samples::is_golden("audit-human.txt", &samples::written_audit(&sample.audit(), Format::Human, None));
        samples::is_golden("audit-80.txt", &samples::written_audit(&sample.audit(), Format::Human, Some(80)));
    }

    #[test]
    fn nothing_that_steers_a_terminal_comes_through() {
        let sample = samples::hostile();
        let shown = samples::written(&sample.report(), Format::Human);
        samples::is_golden("hostile-human.txt", &shown);
        let table = samples::written_audit(&sample.audit(), Format::Human, None);
        for text in [shown, table] {
            assert!(!text.chars().any(|ch| ch != '\n' && is_steering(ch)), "{text}");
        }
    }

    /// In colour and on a terminal, a fix ends as it began: with nothing on.
    #[test]
    fn a_fix_in_colour() {
        let sample = samples::two_files();
        samples::is_golden("check-colour.txt", &samples::written_in_colour(&sample.report()));
    }

    #[test]
    fn a_line_of_ten_megabytes_is_quick_and_stays_small() {
        let text = format!("{}sleep(d){}", "a\u{202e}日 ".repeat(700_000), "b".repeat(5_000_000));
        let (mut finding, sources) = samples::finding_in("a.rs", &text, "sleep(d)");
        finding.labels.push(samples::label("a.rs", &text, &text, "the whole file", false));
        finding.fix = Some(samples::fix(&text, &[("sleep(d)", "sleep(d / 2)")], Safety::Safe));
        let findings: Vec<_> = std::iter::repeat_n(finding, 200).collect();
        let sample = samples::Sample { findings, sources, ..samples::Sample::default() };
        let before = Instant::now();
        let shown = samples::written(&sample.report(), Format::Human);
        // Finding the line's ends by looking at all of it would take minutes here; a slow machine does this in a tenth of the limit.
        assert!(before.elapsed().as_secs() < 10, "{:?}", before.elapsed());
        assert!(shown.len() < 200 * 2_000, "{}", shown.len());
        assert!(shown.lines().all(|line| width(line) < 300));
    }

    #[test]
    fn many_labels_on_one_line_stay_small() {
        let text = "x".repeat(100_000);
        let (mut finding, sources) = samples::finding_in("a.rs", &text, "x");
        for at in 0..10_000_u32 {
            let mut label = samples::label("a.rs", &text, "x", "here", false);
            (label.place.start_byte, label.place.end_byte) = (at * 10, at * 10 + 1);
            finding.labels.push(label);
        }
        let sample = samples::Sample { findings: vec![finding], sources, ..samples::Sample::default() };
        assert!(samples::written(&sample.report(), Format::Human).len() < 10_000);
    }

    #[test]
    fn totals_count_levels_in_words() {
        let mut sample = samples::two_files();
        let last_line = |sample: &samples::Sample| {
            samples::written(&sample.report(), Format::Human).lines().last().map(str::to_owned)
        };
        assert_eq!(
            last_line(&sample).as_deref(),
            Some("3 findings (1 error, 1 warning, 1 note) in 12 files; 2 sites")
        );
        sample.findings.clear();
        sample.summary.files = 1;
        assert_eq!(last_line(&sample).as_deref(), Some("no findings in 1 file; 2 sites"));
    }
}
