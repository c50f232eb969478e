//! What the command promises to whoever types it or runs it in CI: exit status, what goes to which stream, and words for each mistake.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "common/run.rs"]
mod ran;

use ran::Run;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The binary, without what the surroundings might tell it.
fn binary(path: &str) -> Command {
    let mut command = Command::new(path);
    for name in ["NO_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "CARGO_TERM_COLOR", "COLUMNS", "RUST_BACKTRACE"]
    {
        command.env_remove(name);
    }
    command.stdin(Stdio::null());
    command
}

fn retry_lint(args: &[&str]) -> Command {
    let mut command = binary(env!("CARGO_BIN_EXE_retry-lint"));
    command.args(args);
    command
}

fn run(folder: &Path, args: &[&str]) -> Run {
    Run::of(retry_lint(args).current_dir(folder).output().unwrap())
}

impl Run {
    /// Failed before anything was found, and said why.
    fn is_refused(&self, error: &str, help: &str) {
        assert_eq!(self.status, 2, "{self:?}");
        assert_eq!(self.stdout, "");
        assert!(self.stderr.starts_with(&format!("error: {error}")), "{}", self.stderr);
        assert!(self.stderr.contains(help), "{}", self.stderr);
    }
}

/// A folder of its own for a test, with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli").join(name);
    let _ = std::fs::remove_dir_all(&root);
    std::fs::create_dir_all(&root).unwrap();
    for (path, text) in files {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    root
}

fn clean_folder(name: &str) -> PathBuf {
    folder(
        name,
        &[
            ("src/lib.rs", "pub fn one() -> u8 {\n    1\n}\n"),
            ("src/two.rs", "pub fn two() -> u8 {\n    2\n}\n"),
        ],
    )
}

#[test]
fn wrong_usage_is_refused() {
    let here = clean_folder("usage");
    run(&here, &["--frobnicate"]).is_refused("unexpected argument '--frobnicate'", "Usage:");
    run(&here, &["--format", "xml"]).is_refused("invalid value 'xml'", "human, concise, json");
    run(&here, &["explain"]).is_refused("the following required arguments were not provided", "<RULE>");
    run(&here, &["--threads", "0", "src"]).is_refused("invalid value '0'", "1..=1024");
    run(&here, &["-q", "-v"]).is_refused("the argument '--quiet' cannot be used with '--verbose'", "Usage:");
    run(&here, &["rules", "--strict"]).is_refused("`rules` takes no options", "help: ");
    run(&here, &["audit", "--pedantic"])
        .is_refused("`audit` lists sites and asks no rule: it takes no --pedantic", "help: ");
    run(&here, &["-", "src"]).is_refused("`-` is given together with other paths", "help: ");
}

#[test]
fn names_that_no_rule_has_are_refused_with_the_nearest() {
    let here = clean_folder("names");
    run(&here, &["--select", "overlaod"])
        .is_refused("unknown rule or group `overlaod` in --select\n", "help: did you mean `overload`?\n");
    run(&here, &["--ignore", "herd,xyzzy"])
        .is_refused("unknown rule or group `xyzzy` in --ignore\n", "help: `retry-lint rules` lists");
    run(&here, &["explain", "xyzzy"]).is_refused("unknown rule `xyzzy`\n", "help: `retry-lint rules` lists");
}

#[test]
fn paths_that_are_not_there_are_refused() {
    let here = clean_folder("paths");
    run(&here, &["src", "scr"]).is_refused("no such file or folder: `scr`\n", "help: ");
    run(&here, &["audti"])
        .is_refused("no such file or folder: `audti`\n", "help: did you mean the command `audit`?\n");
    run(&here, &["a\u{1b}[31m"]).is_refused("no such file or folder: `a\\x1b[31m`\n", "help: ");
}

#[test]
fn nothing_to_read_does_not_pass_for_clean() {
    let here = folder("nothing", &[("README.md", "no Rust here\n"), ("empty/.keep", "")]);
    for args in [&[][..], &["."], &["empty"], &["audit"]] {
        run(&here, args).is_refused("nothing to read", "help: ");
    }
}

#[test]
fn a_clean_folder_is_zero_with_and_without_a_verb() {
    let here = clean_folder("clean");
    let bare = run(&here, &[]);
    let covered =
        "info: 0 sites: 0 fully known, 0 with unknown facts; 0 of 0 bodies not followed to their end\n";
    assert_eq!((bare.status, bare.stderr.as_str()), (0, covered));
    assert_eq!(bare.stdout, "no findings in 2 files; 0 sites\n");
    for args in [&["."][..], &["src"], &["check"], &["check", "src"], &["--color", "never", "check", "src"]] {
        assert_eq!(run(&here, args), bare, "{args:?}");
    }
    assert_eq!(run(&here, &["--quiet", "src"]).stdout, "");
    assert_eq!(run(&here, &["audit"]).stdout, "0 sites in 2 files\n");
}

#[test]
fn verbose_talks_on_standard_error_only() {
    let here = clean_folder("verbose");
    let run = run(&here, &["-v", "src"]);
    assert_eq!(run.stdout, "no findings in 2 files; 0 sites\n");
    assert!(run.stderr.starts_with("info: read 2 files"), "{}", run.stderr);
}

/// Loops in loops are gone through again and again: where the budget of steps ends that, it is said, and a few loops stay below it.
#[test]
fn a_budget_that_runs_out_is_told() {
    for (loops, runs_out) in [(4, false), (16, true)] {
        let nest = format!(
            "fn nest(v: &mut Vec<u32>) {{\n{}f();{}\n}}\n",
            "while v.pop() {".repeat(loops),
            "}".repeat(loops)
        );
        let here = folder(
            &format!("budget-{loops}"),
            &[("Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\n"), ("src/lib.rs", &nest)],
        );
        let told = run(&here, &["-v", "--fail-on", "never"]);
        assert_eq!(told.status, 0);
        let said = "info: src/lib.rs:1:1: `nest` is not followed to its end: the budget of steps ran out\n";
        assert_eq!(told.stderr.contains(said), runs_out, "{}", told.stderr);
        let counted = format!("{} of 1 bodies not followed to their end", u32::from(runs_out));
        assert!(told.stderr.contains(&counted), "{}", told.stderr);
    }
}

/// Silence is told from blindness: what is not known and what could not be followed is counted, and listed with `-v`.
#[test]
fn what_was_not_understood_is_told() {
    let retry = "pub async fn get(http: &reqwest::Client) -> reqwest::Result<reqwest::Response> {\n    let mut n = 0;\n    loop {\n        match http.get(\"http://a/\").send().await {\n            Ok(reply) => return Ok(reply),\n            Err(error) if n == 3 => return Err(error),\n            Err(_) => WAIT.await,\n        }\n        n += 1;\n    }\n}\n";
    let known = retry.replace("WAIT", "tokio::time::sleep(std::time::Duration::from_secs(1))");
    let unknown = retry.replace("WAIT", "tokio::time::sleep(theirs::delay(n))");
    let deep = format!("fn deep() {}{}\n", "{".repeat(300), "}".repeat(300));
    let hidden = "fn hidden() {\n    theirs! { 3 times => loop fetch => sleep }\n}\n";
    let said = "fn said() {\n    let retries = 3;\n    theirs! { select a from b where retrieves }\n}\n";
    // more ways out than are kept apart
    let steps: Vec<String> = (0..40).map(|n| format!("        http.get(\"{n}\").send().await?;\n")).collect();
    let steps = steps.concat();
    let wide = format!(
        "async fn wide(http: &reqwest::Client) -> reqwest::Result<()> {{\n    loop {{\n{steps}    }}\n}}\n"
    );
    let here = folder(
        "coverage",
        &[
            (
                "Cargo.toml",
                "[package]\nname = \"a\"\nversion = \"0.1.0\"\n[dependencies]\nreqwest = \"0.12\"\ntokio = \"1\"\n",
            ),
            ("src/lib.rs", "mod deep;\nmod hidden;\nmod known;\nmod said;\nmod unknown;\nmod wide;\n"),
            ("src/known.rs", &known),
            ("src/unknown.rs", &unknown),
            ("src/deep.rs", &deep),
            ("src/hidden.rs", hidden),
            ("src/said.rs", said),
            ("src/wide.rs", &wide),
            ("tests/deep.rs", &deep),
        ],
    );
    let run = |args: &[&str]| run(&here, args);
    let plain = run(&["--fail-on", "never"]);
    let counted =
        "info: 2 sites: 1 fully known, 1 with unknown facts; 3 of 6 bodies not followed to their end";
    assert!(plain.stderr.contains(&format!("{counted}; -v lists them\n")), "{}", plain.stderr);
    assert_eq!(plain.status, 0, "it fails nothing");
    let listed = run(&["-v", "--fail-on", "never"]);
    assert_eq!(listed.status, 0);
    for line in [
        format!("{counted}\n"),
        "info: src/unknown.rs:3:5: of this retry is not known: delay.growth, delay.jitter\n".to_owned(),
        "info: src/deep.rs:1:1: `deep` is not followed to its end: it nests too deep\n".to_owned(),
        "info: src/hidden.rs:2:5: `hidden` is not followed to its end: a macro in it cannot be read without expanding it\n".to_owned(),
        "info: src/wide.rs:1:1: `wide` is not followed to its end: it has too many paths, and some were left out\n".to_owned(),
    ] {
        assert!(listed.stderr.contains(&line), "{line}{}", listed.stderr);
    }
    assert!(!listed.stderr.contains("src/said.rs"), "{}", listed.stderr);
    assert!(!run(&["-q", "--fail-on", "never"]).stderr.contains("fully known"));
    let audited = run(&["audit"]);
    assert!(audited.stderr.contains(counted), "{}", audited.stderr);
    let json: serde_json::Value =
        serde_json::from_str(&run(&["--format", "json", "--fail-on", "never"]).stdout).unwrap();
    for (field, expected) in [
        ("sites", 2),
        ("sites_known", 1),
        ("sites_with_unknown", 1),
        ("bodies", 6),
        ("bodies_not_followed", 3),
    ] {
        assert_eq!(json.pointer(&format!("/summary/{field}")), Some(&expected.into()), "{field}");
    }
}

#[test]
fn json_is_the_whole_of_standard_output() {
    let here = clean_folder("json");
    for (args, list) in
        [(&["--format", "json"][..], "findings"), (&["audit", "--all", "--format=json", "src"], "sites")]
    {
        let run = run(&here, args);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""));
        let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(json.pointer("/schema_version"), Some(&1.into()));
        assert_eq!(json.get(list), Some(&serde_json::json!([])));
        assert_eq!(json.pointer("/summary/files"), Some(&2.into()));
    }
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let here = clean_folder("threads");
    let one = run(&here, &["--format=json", "--threads=1"]);
    assert_eq!(run(&here, &["--format=json", "--threads=7"]), one);
}

#[test]
fn a_policy_is_told_where_it_is_built_and_only_in_what_was_asked_for() {
    let policy = "use std::time::Duration;\npub struct Backoff { now: u64 }\nimpl Backoff {\n    \
        pub const fn new(first: u64) -> Self { Self { now: first } }\n    \
        pub fn next_delay(&mut self) -> Duration {\n        let now = self.now;\n        \
        self.now = (now * 2).min(9_000);\n        Duration::from_millis(now)\n    }\n}\n";
    let built = "pub const REGION: crate::policy::Backoff = crate::policy::Backoff::new(200);\n";
    let here = folder(
        "built",
        &[
            ("Cargo.toml", "[package]\nname = \"built\"\nversion = \"0.1.0\"\nedition = \"2024\"\n"),
            ("src/lib.rs", "pub mod policy;\npub mod regions;\n"),
            ("src/policy.rs", policy),
            ("src/regions.rs", built),
        ],
    );
    let whole = run(&here, &["audit"]);
    assert!(whole.stdout.contains("src/regions.rs:1"), "{whole:?}");
    let alone = run(&here, &["audit", "src/policy.rs"]);
    assert!(alone.stdout.contains("src/policy.rs:5"), "{alone:?}");
    assert!(!alone.stdout.contains("regions.rs"), "{alone:?}");
}

#[test]
fn standard_input_is_a_file() {
    let here = clean_folder("stdin");
    let mut child = retry_lint(&["-", "--stdin-filename", "src/new.rs"])
        .current_dir(&here)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"fn f() {}\n").unwrap();
    let run = Run::of(child.wait_with_output().unwrap());
    assert_eq!((run.status, run.stdout.as_str()), (0, "no findings in 1 file; 0 sites\n"), "{run:?}");
}

#[test]
fn help_and_version_are_results() {
    let here = clean_folder("help");
    let help = run(&here, &["--help"]);
    assert_eq!((help.status, help.stderr.as_str()), (0, ""));
    for word in ["audit", "explain", "--select", "--fail-on", "Exit status"] {
        assert!(help.stdout.contains(word), "{word}\n{}", help.stdout);
    }
    assert_eq!(run(&here, &["--version"]).stdout, format!("retry-lint {}\n", env!("CARGO_PKG_VERSION")));
    assert!(!run(&here, &["rules", "--help"]).stdout.contains("--select"));
}

#[test]
fn colour_only_where_it_was_asked_for() {
    let here = clean_folder("colour");
    assert!(!run(&here, &["rules"]).stdout.contains('\u{1b}'));
    assert!(run(&here, &["rules", "--color", "always"]).stdout.contains('\u{1b}'));
    assert!(!run(&here, &["--format", "json", "--color", "always"]).stdout.contains('\u{1b}'));
    assert!(run(&here, &["--color", "always", "nowhere"]).stderr.contains('\u{1b}'));
}

#[test]
fn cargo_calls_it_with_its_own_name_first() {
    let here = clean_folder("cargo");
    let cargo = |args: &[&str]| {
        let mut command = binary(env!("CARGO_BIN_EXE_cargo-retry-lint"));
        Run::of(command.args(args).current_dir(&here).output().unwrap())
    };
    assert_eq!(cargo(&["retry-lint", "src"]), run(&here, &["src"]));
    assert_eq!(cargo(&["src"]), run(&here, &["src"]));
    assert_eq!(cargo(&["retry-lint", "--version"]).status, 0);
    let usage = cargo(&["retry-lint", "--frobnicate"]).stderr;
    assert!(usage.contains("Usage: cargo retry-lint"), "{usage}");
}

#[test]
fn a_reader_that_had_enough_is_no_failure() {
    let here = clean_folder("pipe");
    for args in [&["src"][..], &["--format", "json"], &["audit"], &["rules"], &["--help"], &["--version"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output =
            retry_lint(args).current_dir(&here).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        let run = Run::of(output);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{args:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_a_failure() {
    let here = clean_folder("full");
    for args in [&["src"][..], &["--format", "json"], &["rules"], &["--help"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output =
            retry_lint(args).current_dir(&here).stdout(full).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn completions_and_the_manual_page_are_made() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = run(Path::new("."), &["completions", shell]);
        assert_eq!(run.status, 0);
        assert!(run.stdout.contains("min-confidence"), "{shell}");
    }
    let page = run(Path::new("."), &["man"]);
    assert_eq!(page.status, 0);
    assert!(page.stdout.starts_with(".ie") && page.stdout.contains(".SH OPTIONS"));
}

#[test]
fn statistics_and_timings_stay_off_standard_output() {
    let plain = run(Path::new("."), &["--format", "json", "examples/herd"]);
    let told = run(Path::new("."), &["--format", "json", "examples/herd", "--statistics", "--timings"]);
    assert_eq!(plain.stdout, told.stdout);
    assert!(told.stderr.contains("1 fixed-delay") && told.stderr.contains(" s for 4 files"));
}
