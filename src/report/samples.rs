//! Hand-made findings and sites for the tests of this room.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::{Audit, Format, Report, RulePage, Sources, Summary, Surroundings};
use crate::model::{
    BoundKind, Change, Confidence, Edit, ErrorKind, Evidence, Fact, Finding, Fix, Group, Growth, Jitter,
    Kind, Label, Level, Needed, Outcome, Persona, Place, Problem, Safety, Site,
};
use codespan_reporting::term::termcolor::{Ansi, NoColor};
use std::path::Path;
use std::sync::Arc;

/// Everything that a report is made of.
#[derive(Default)]
pub(super) struct Sample {
    pub(super) findings: Vec<Finding>,
    pub(super) sites: Vec<Arc<Site>>,
    pub(super) problems: Vec<Problem>,
    pub(super) summary: Summary,
    pub(super) sources: Sources,
    pub(super) surroundings: Surroundings,
}

impl Sample {
    pub(super) fn report(&self) -> Report<'_> {
        Report {
            findings: &self.findings,
            problems: &self.problems,
            summary: self.summary,
            sources: &self.sources,
            surroundings: &self.surroundings,
        }
    }

    pub(super) fn audit(&self) -> Audit<'_> {
        Audit { sites: &self.sites, problems: &self.problems, summary: self.summary }
    }
}

pub(super) fn written(report: &Report<'_>, format: Format) -> String {
    let mut out = NoColor::new(Vec::new());
    report.write(&mut out, format, false).unwrap();
    String::from_utf8(out.into_inner()).unwrap()
}

/// What a terminal is sent, with `^` for what begins a colour, so that a person can read it.
pub(super) fn written_in_colour(report: &Report<'_>) -> String {
    let mut out = Ansi::new(Vec::new());
    report.write(&mut out, Format::Human, false).unwrap();
    String::from_utf8(out.into_inner()).unwrap().replace('\x1b', "^")
}

pub(super) fn written_audit(audit: &Audit<'_>, format: Format, width: Option<usize>) -> String {
    let mut out = NoColor::new(Vec::new());
    audit.write(&mut out, format, false, width).unwrap();
    String::from_utf8(out.into_inner()).unwrap()
}

/// Compares with a file under `tests/golden`; `UPDATE_GOLDEN=1` writes it, for a person to look at.
pub(super) fn is_golden(name: &str, got: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, got).unwrap();
    }
    let expected = std::fs::read_to_string(&path).expect("golden file").replace("\r\n", "\n");
    assert_eq!(got, expected, "{name} differs; UPDATE_GOLDEN=1 writes it anew");
}

/// The place of the first occurrence of `span`.
pub(super) fn place(path: &str, text: &str, span: &str) -> Place {
    let start = text.find(span).expect("the span is in the text");
    let end = start + span.len();
    let line_column = |at: usize| {
        let before = &text.get(..at).unwrap();
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let column = before.get(line_start..).unwrap().chars().count() + 1;
        (before.matches('\n').count() as u32 + 1, column as u32)
    };
    let (line, column) = line_column(start);
    let (end_line, end_column) = line_column(end);
    Place {
        path: path.into(),
        line,
        column,
        end_line,
        end_column,
        start_byte: start as u32,
        end_byte: end as u32,
    }
}

pub(super) fn label(path: &str, text: &str, span: &str, words: &str, primary: bool) -> Label {
    Label { place: place(path, text, span), text: words.to_owned(), primary }
}

/// A fix of `a.rs` that replaces each span's first occurrence.
pub(super) fn fix(text: &str, edits: &[(&str, &str)], safety: Safety) -> Fix {
    fix_of("a.rs", text, edits, safety)
}

fn fix_of(path: &str, text: &str, edits: &[(&str, &str)], safety: Safety) -> Fix {
    let edit = |(span, replacement): &(&str, &str)| {
        let Place { path, start_byte, end_byte, .. } = place(path, text, span);
        Edit { path, start_byte, end_byte, replacement: (*replacement).to_owned() }
    };
    let edits = edits.iter().map(edit).collect();
    Fix { title: "wait a random part of the delay (full jitter)".to_owned(), safety, edits, needs: None }
}

/// A finding about one span of one file.
pub(super) fn finding_in(path: &str, text: &str, span: &str) -> (Finding, Sources) {
    let mut sources = Sources::default();
    sources.insert(path.into(), text.to_owned());
    let primary = label(path, text, span, "waits here", true);
    let site = Site::new(primary.place.clone(), "f".to_owned(), Kind::Retry);
    let finding = Finding {
        rule: "fixed-delay".to_owned(),
        level: Level::Warning,
        group: Group::Herd,
        confidence: Confidence::High,
        message: "every client waits the same time".to_owned(),
        note: String::new(),
        help: String::new(),
        place: primary.place.clone(),
        labels: vec![primary],
        site: Arc::new(site),
        change: None,
        fix: None,
    };
    (finding, sources)
}

const CLIENT: &str = include_str!("../../tests/golden/client.rs.txt");
const POLICY: &str = "pub const RETRY_DELAY: Duration = Duration::from_secs(1);\r\n\r\npub fn policy() -> Policy {\r\n\tPolicy::new(RETRY_DELAY).max(u32::MAX)\r\n}\r\n";

#[allow(clippy::too_many_lines)] // one finding after the other
/// Two files, two sites, three findings of different levels, one of them with labels in both files; a problem.
pub(super) fn two_files() -> Sample {
    let mut sources = Sources::default();
    sources.insert("src/client.rs".into(), CLIENT.to_owned());
    sources.insert("src/policy.rs".into(), POLICY.to_owned());
    let client = |span: &str, words: &str, primary| label("src/client.rs", CLIENT, span, words, primary);
    let policy = |span: &str, words: &str, primary| label("src/policy.rs", POLICY, span, words, primary);
    let (head, _) = CLIENT.split_once("        Err(Error").expect("the loop's end");
    let whole_loop = head.get(CLIENT.find("for attempt").unwrap()..).unwrap().trim_end();
    let sleep = "tokio::time::sleep(RETRY_DELAY).await";
    let fetch = "self.http.get(url).send().await";

    let mut first =
        Site::new(place("src/client.rs", CLIENT, whole_loop), "Client::fetch".to_owned(), Kind::Retry);
    let shown = |span: &str| place("src/client.rs", CLIENT, span);
    first.why = vec![Evidence::at(place("src/client.rs", CLIENT, whole_loop), "tried again by this loop")];
    first.operation.text = Fact::at(fetch.to_owned(), shown(fetch), "what is tried again");
    first.operation.remote = Fact::at(true, shown(fetch), "a request to a server");
    first.delay.growth = Fact::at(Growth::Constant, shown(sleep), "the same each time");
    first.delay.jitter = Fact::Known(Jitter::None, Evidence::words("no random source in the delay"));
    first.delay.first_s = Fact::at(1.0, place("src/policy.rs", POLICY, "RETRY_DELAY"), "one second");
    first.delay.total_s = Fact::known(f64::INFINITY);
    first.attempts.kind = Fact::at(BoundKind::Bounded, shown("0..5"), "5 attempts");
    first.attempts.max = Fact::at(5.0, shown("0..5"), "5 attempts");
    first.errors.kind = Fact::known(ErrorKind::All);
    first.exhaustion.outcome = Fact::known(Outcome::ReturnsError);
    first.schedule = Fact::known(vec![[1.0, 1.0], [1.0, 1.0], [0.5, 1.5]]);
    let first = Arc::new(first);

    let mut second =
        Site::new(place("src/policy.rs", POLICY, "Policy::new"), "policy".to_owned(), Kind::Library);
    second.attempts.kind = Fact::known(BoundKind::Unbounded);
    second.confidence = Confidence::Medium;
    second.reasons = vec!["the policy's type was not found".to_owned()];
    let second = Arc::new(second);

    let mut doubled = fix_of(
        "src/client.rs",
        CLIENT,
        &[
            ("for attempt", "let mut backoff = RETRY_DELAY;\n        for attempt"),
            (
                "RETRY_DELAY).await;",
                "backoff.mul_f64(fastrand::f64())).await;\n            backoff = backoff.saturating_mul(2).min(Duration::from_secs(30));",
            ),
        ],
        Safety::Unsafe,
    );
    doubled.title = "double the delay up to 30 s, and wait a random part of it (full jitter)".to_owned();
    doubled.needs = Some(Needed { name: "fastrand".to_owned(), version: "2".to_owned() });
    let mut limited = fix_of("src/policy.rs", POLICY, &[("u32::MAX", "10")], Safety::Safe);
    limited.title = "give up after 10 attempts".to_owned();

    let fixed_delay = Finding {
        rule: "fixed-delay".to_owned(),
        level: Level::Warning,
        group: Group::Herd,
        confidence: Confidence::High,
        message: "every client waits the same 1s".to_owned(),
        note: "clients that fail together come back together".to_owned(),
        help: "wait a random time up to a cap that doubles\nthat is \"full jitter\"".to_owned(),
        place: shown(sleep),
        labels: vec![
            client(whole_loop, "tried again by this loop", false),
            policy("RETRY_DELAY", "one second", false),
            client(sleep, "the same each time", true),
            client(fetch, "what is tried again", false),
        ],
        site: first.clone(),
        change: Some(Change::FullJitter),
        fix: Some(doubled),
    };
    let swallowed = Finding {
        rule: "silent-retry".to_owned(),
        level: Level::Note,
        group: Group::Hygiene,
        confidence: Confidence::High,
        message: "nobody sees the failures".to_owned(),
        note: String::new(),
        help: String::new(),
        place: shown("continue"),
        labels: vec![client("continue", "", true)],
        site: first.clone(),
        change: None,
        fix: None,
    };
    let unbounded = Finding {
        rule: "unbounded".to_owned(),
        level: Level::Error,
        group: Group::Overload,
        confidence: Confidence::Medium,
        message: "nothing ends these attempts".to_owned(),
        note: String::new(),
        help: "set a limit that a caller can wait for".to_owned(),
        place: place("src/policy.rs", POLICY, "max(u32::MAX)"),
        labels: vec![
            policy("max(u32::MAX)", "as good as no limit", true),
            policy("Policy::new", "this policy", false),
        ],
        site: second.clone(),
        change: None,
        fix: Some(limited),
    };
    Sample {
        findings: vec![fixed_delay, swallowed, unbounded],
        sites: vec![first, second],
        problems: vec![Problem {
            path: "src/broken.rs".to_owned(),
            line: 3,
            column: 7,
            message: "expected `}`".to_owned(),
            fatal: true,
        }],
        summary: Summary {
            files: 12,
            bytes: 3_456,
            sites: 2,
            known: 1,
            bodies: 40,
            unfollowed: 3,
            ..Summary::default()
        },
        sources,
        surroundings: Surroundings { rules: rule_pages(), ..Surroundings::default() },
    }
}

/// The rules of the findings, and one that does not speak.
fn rule_pages() -> Vec<RulePage> {
    let page = |name: &str, title: &str, group, level, persona| RulePage {
        name: name.to_owned(),
        title: title.to_owned(),
        group,
        level,
        persona,
        page: format!(
            "## What it flags\n\n{title}. See [why](https://example.org).\n\n## Flags\n\n```rust\nloop {{}}\n```\n"
        ),
    };
    vec![
        page("fixed-delay", "The same wait each time", Group::Herd, Level::Warning, Persona::Default),
        page("no-delay", "No wait", Group::Overload, Level::Warning, Persona::Default),
        page("silent-retry", "Failures that nobody sees", Group::Hygiene, Level::Note, Persona::Pedantic),
        page("unbounded", "No end", Group::Overload, Level::Error, Persona::Default),
    ]
}

/// A finding in a file whose name, text and words try to steer the terminal.
pub(super) fn hostile() -> Sample {
    let path = "src/\x1b[2J\u{202e}.rs";
    let text = "let \u{202e}x\u{2066} = \x1b[31mf(\"日本\u{200b}\")\t\t.await;\x07";
    let (mut finding, sources) =
        finding_in(path, text, "\u{202e}x\u{2066} = \x1b[31mf(\"日本\u{200b}\")\t\t.await");
    finding.rule = "no-delay".to_owned();
    finding.message = "tries\n\x1b]0;title\x07 again \u{2066}at once".to_owned();
    finding.note = "one\r\ntwo \x1b[1mbold".to_owned();
    finding.labels.push(label(path, text, "日本", "wide\n\x1b[0m", false));
    let steering = "\x1b[32mg(\u{202e}\"```\")\r\n\t\x07";
    let mut fix = fix_of(path, text, &[("日本", steering)], Safety::Unsafe);
    fix.title = "put \x1b]0;g\u{2066}\nthere".to_owned();
    fix.needs = Some(Needed { name: "a\x1b[1m".to_owned(), version: "1\u{202e}".to_owned() });
    finding.fix = Some(fix);
    let problem = Problem {
        path: path.to_owned(),
        line: 0,
        column: 0,
        message: "not read: \x1b[5mblink \u{202d}".to_owned(),
        fatal: true,
    };
    let sites = vec![finding.site.clone()];
    Sample {
        findings: vec![finding],
        sites,
        problems: vec![problem],
        summary: Summary { files: 1, bytes: text.len() as u64, sites: 1, ..Summary::default() },
        sources,
        surroundings: Surroundings::default(),
    }
}
