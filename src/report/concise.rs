//! One line each, for editors, `grep` and short logs.

use super::clean::clean;
use super::{Audit, Report, phrase};
use crate::model::{Place, Safety};
use codespan_reporting::term::termcolor::WriteColor;
use std::io;

/// `path:line:column: level[rule] message`, and behind it `[fix]` where `--fix` mends it, `[unsafe fix]` where `--unsafe-fixes` does.
pub(super) fn write_report(out: &mut dyn WriteColor, report: &Report<'_>) -> io::Result<()> {
    for finding in report.findings {
        let (place, level) = (at(&finding.place), finding.level.word());
        let mark = match finding.fix.as_ref().map(|fix| fix.safety) {
            Some(Safety::Safe) => " [fix]",
            Some(Safety::Unsafe) => " [unsafe fix]",
            None => "",
        };
        writeln!(out, "{place}: {level}[{}] {}{mark}", clean(&finding.rule), clean(&finding.message))?;
    }
    Ok(())
}

/// `path:line:column: kind operation; waits …; random …; ends …; sureness`
pub(super) fn write_audit(out: &mut dyn WriteColor, audit: &Audit<'_>) -> io::Result<()> {
    for site in audit.sites {
        writeln!(
            out,
            "{}: {} {}; waits {}; random {}; ends {}; {}",
            at(&site.place),
            site.kind.word(),
            clean(&phrase::operation(site)),
            phrase::waits(site),
            phrase::random(site),
            phrase::ends(site),
            site.confidence.word(),
        )?;
    }
    Ok(())
}

fn at(place: &Place) -> String {
    format!("{}:{}:{}", clean(&place.path), place.line, place.column)
}

#[cfg(test)]
mod tests {
    use crate::report::{Format, samples};

    #[test]
    fn a_finding_is_one_line_whatever_is_in_it() {
        let sample = samples::hostile();
        assert_eq!(
            samples::written(&sample.report(), Format::Concise),
            "src/\\x1b[2J\\u{202e}.rs:1:5: warning[no-delay] tries\\n\\x1b]0;title\\x07 again \\u{2066}at once [unsafe fix]\n"
        );
    }

    #[test]
    fn findings_and_sites_in_order() {
        let sample = samples::two_files();
        samples::is_golden("check.txt", &samples::written(&sample.report(), Format::Concise));
        samples::is_golden(
            "audit-concise.txt",
            &samples::written_audit(&sample.audit(), Format::Concise, None),
        );
    }
}
