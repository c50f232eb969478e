//! What the configuration promises: which one holds, what it changes, and that a mistake in it ends the run with its place.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "common/run.rs"]
mod ran;

use ran::Run;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A retry with a fixed delay: one finding of `fixed-delay`, a warning of the group `herd`.
const FIXED: &str = "use std::time::Duration;
pub async fn get(client: &reqwest::Client) -> Result<reqwest::Response, reqwest::Error> {
    let mut attempt = 1;
    loop {
        match client.get(\"http://example.org\").send().await {
            Ok(response) => return Ok(response),
            Err(error) if attempt == 5 => return Err(error),
            Err(_) => tokio::time::sleep(Duration::from_secs(1)).await,
        }
        attempt += 1;
    }
}
";

const MANIFEST: &str = "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dependencies]\nreqwest = \"0.12\"\ntokio = \"1\"\n";

fn run(folder: &Path, args: &str) -> Run {
    run_with(folder, args, "")
}

fn run_with(folder: &Path, args: &str, input: &str) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retry-lint"));
    command.args(args.split_whitespace()).current_dir(folder).env_remove("NO_COLOR");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // It may have ended already.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    Run::of(output)
}

/// A package of its own for a test, at the root of a repository, with the retry in `src/lib.rs` and these files.
fn package(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("config").join(name);
    let _ = std::fs::remove_dir_all(&root);
    std::fs::create_dir_all(root.join(".git")).unwrap();
    for (path, text) in [("Cargo.toml", MANIFEST), ("src/lib.rs", FIXED)].iter().chain(files) {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    root
}

fn configured(name: &str, config: &str) -> PathBuf {
    package(name, &[("retry-lint.toml", config)])
}

/// `level[rule]` of each finding, and the exit status.
fn found(folder: &Path, args: &str) -> (Vec<String>, i32) {
    let run = run(folder, &format!("--format concise {args}"));
    assert_eq!(run.stderr, "", "{args}");
    let word = |line: &str| line.split(' ').nth(1).unwrap_or_default().to_owned();
    (run.stdout.lines().map(word).collect(), run.status)
}

fn one(word: &str, status: i32) -> (Vec<String>, i32) {
    (vec![word.to_owned()], status)
}

const NOTHING: (Vec<String>, i32) = (Vec::new(), 0);

#[test]
fn keys_change_what_is_found() {
    let warning = || one("warning[fixed-delay]", 1);
    for (index, (config, args, expected)) in [
        ("", "", warning()),
        ("levels = { fixed-delay = \"error\" }", "", one("error[fixed-delay]", 1)),
        ("levels = { fixed-delay = \"note\" }", "", one("note[fixed-delay]", 0)),
        ("levels = { fixed-delay = \"off\" }", "", NOTHING),
        ("levels = { herd = \"error\" }", "", one("error[fixed-delay]", 1)),
        ("levels = { herd = \"off\" }", "", NOTHING),
        ("levels = { herd = \"off\", fixed-delay = \"note\" }", "", one("note[fixed-delay]", 0)),
        ("fail-on = \"never\"", "", one("warning[fixed-delay]", 0)),
        ("fail-on = \"error\"", "", one("warning[fixed-delay]", 0)),
        ("exclude = [\"other/\"]", "", warning()),
        ("[[overrides]]\npaths = [\"src/\"]\nlevels = { herd = \"note\" }", "", one("note[fixed-delay]", 0)),
        ("[[overrides]]\npaths = [\"*.rs\"]\nlevels = { fixed-delay = \"off\" }", "", NOTHING),
        ("[[overrides]]\npaths = [\"src/other.rs\"]\nlevels = { fixed-delay = \"off\" }", "", warning()),
        (
            "levels = { herd = \"off\" }\n[[overrides]]\npaths = [\"src/\"]\nlevels = { fixed-delay = \"error\" }",
            "",
            one("error[fixed-delay]", 1),
        ),
        (
            "[[overrides]]\npaths = [\"src\"]\nlevels = { herd = \"off\" }\n[[overrides]]\npaths = [\"lib.rs\"]\nlevels = { herd = \"note\" }",
            "",
            one("note[fixed-delay]", 0),
        ),
        // What is typed goes before the file.
        ("fail-on = \"never\"", "--fail-on warning", warning()),
        ("levels = { fixed-delay = \"off\" }", "--select fixed-delay", warning()),
        ("levels = { fixed-delay = \"off\" }", "--select herd", NOTHING),
        ("levels = { fixed-delay = \"error\" }", "--ignore fixed-delay", NOTHING),
        ("levels = { fixed-delay = \"off\" }", "--isolated", warning()),
        ("levels = { fixed-delay = \"off\" }", "src/lib.rs", NOTHING),
        ("exclude = [\"src/\"]", "src/lib.rs", warning()),
        ("exclude = [\"src/\"]", "--force-exclude src/lib.rs", NOTHING),
    ]
    .into_iter()
    .enumerate()
    {
        let folder = configured(&format!("keys-{index}"), config);
        let (mut words, status) = found(&folder, args);
        // the last line counts
        words.retain(|word| word.contains('['));
        assert_eq!((words, status), expected, "{config} {args}");
    }
}

#[test]
fn tests_are_looked_at_where_it_says_so() {
    let files = [("tests/it.rs", FIXED), ("src/lib.rs", ""), ("retry-lint.toml", "include-tests = true\n")];
    let folder = package("tests", &files);
    assert_eq!(found(&folder, "").1, 1);
    assert_eq!(found(&folder, "--include-tests=false").1, 0);
    assert_eq!(found(&folder, "--isolated").1, 0);
    assert_eq!(found(&folder, "--isolated --include-tests").1, 1);
}

#[test]
fn less_certain_findings_are_reported_where_it_says_so() {
    // Nothing but the name tells that this is remote.
    let unsure = FIXED
        .replace("client: &reqwest::Client", "client: &Api")
        .replace("client.get(\"http://example.org\").send()", "client.fetch_remote()");
    let files = [("src/lib.rs", unsure.as_str()), ("retry-lint.toml", "min-confidence = \"medium\"\n")];
    let folder = package("unsure", &files);
    assert_eq!((found(&folder, "").1, found(&folder, "--isolated").1), (1, 0));
    assert_eq!(found(&folder, "--min-confidence high").1, 0);
}

#[test]
fn the_nearest_holds_alone() {
    let off = "levels = { fixed-delay = \"off\" }\n";
    let folder = package(
        "nearest",
        &[
            ("retry-lint.toml", off),
            ("crates/b/Cargo.toml", MANIFEST),
            ("crates/b/src/lib.rs", FIXED),
            ("crates/c/Cargo.toml", MANIFEST),
            ("crates/c/src/lib.rs", FIXED),
            ("crates/c/retry-lint.toml", "fail-on = \"error\"\n"),
            ("own/.git/HEAD", ""),
            ("own/Cargo.toml", MANIFEST),
            ("own/src/lib.rs", FIXED),
        ],
    );
    assert_eq!(run(&folder, "crates/b").status, 0, "the one of the folder above");
    let (found, status) = found(&folder, "crates/c");
    assert!(
        status == 0 && found.contains(&"warning[fixed-delay]".to_owned()),
        "its own, without the other's levels"
    );
    assert_eq!(run(&folder, "own").status, 1, "a repository ends the search");
    assert_eq!(run(&folder, "").status, 1, "each package by its own");
    assert_eq!(run(&folder.join("crates/b/src"), "").status, 0, "from inside");
    assert_eq!(run(&folder, "own --config retry-lint.toml").status, 0, "one for all");
    assert_eq!(run(&folder, "crates/b --isolated").status, 1);
    let piped = run_with(&folder, "- --stdin-filename crates/b/src/new.rs", FIXED);
    assert_eq!(piped.status, 0, "{piped:?}");
}

#[test]
fn a_manifest_has_metadata_for_its_package_or_its_workspace() {
    let levels = "levels = { fixed-delay = \"off\" }\n";
    let of_package = format!("{MANIFEST}[package.metadata.retry-lint]\n{levels}");
    let of_workspace = format!("{MANIFEST}[workspace]\n[workspace.metadata.retry-lint]\n{levels}");
    let folder = |name, manifest: &str, member: &str| {
        let files = [("Cargo.toml", manifest), ("b/Cargo.toml", member), ("b/src/lib.rs", FIXED)];
        package(name, &files)
    };
    let here = folder("metadata-package", &of_package, MANIFEST);
    assert_eq!((run(&here, "src").status, run(&here, "b").status), (0, 1), "a package speaks for itself");
    let here = folder("metadata-workspace", &of_workspace, MANIFEST);
    assert_eq!((run(&here, "src").status, run(&here, "b").status), (0, 0), "a workspace for its members");
    let here = folder("metadata-member", MANIFEST, &of_package);
    assert_eq!((run(&here, "src").status, run(&here, "b").status), (1, 0));
    assert_eq!(run(&here, "src --config b/Cargo.toml").status, 0);
    let refused = run(&here, "src --config Cargo.toml");
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.contains("has no `[package.metadata.retry-lint]`"), "{}", refused.stderr);
}

#[test]
fn two_in_one_folder_are_refused() {
    let both = format!("{MANIFEST}[package.metadata.retry-lint]\n[workspace.metadata.retry-lint]\n");
    let package_only = format!("{MANIFEST}[package.metadata.retry-lint]\n");
    for (index, files) in
        [&[("Cargo.toml", both.as_str())][..], &[("Cargo.toml", &package_only), ("retry-lint.toml", "")]]
            .into_iter()
            .enumerate()
    {
        let here = package(&format!("two-{index}"), files);
        let refused = run(&here, "");
        assert_eq!((refused.status, refused.stdout.as_str()), (2, ""));
        assert!(refused.stderr.contains("two configurations in one folder: "), "{}", refused.stderr);
        assert!(refused.stderr.contains("help: keep one of them"), "{}", refused.stderr);
    }
}

#[test]
fn mistakes_are_refused_with_their_place_and_the_nearest_name() {
    let cases = [
        ("limts = {}", "1:1: unknown key `limts`", "did you mean `limits`?"),
        ("\n\nxyzzy = 1", "3:1: unknown key `xyzzy`", "there are min-confidence, fail-on,"),
        (
            "levels = { fixed-dealy = \"off\" }",
            "1:12: unknown rule or group `fixed-dealy`",
            "did you mean `fixed-delay`?",
        ),
        ("levels = { herds = \"off\" }", "1:12: unknown rule or group `herds`", "did you mean `herd`?"),
        (
            "levels = { herd = \"warn\" }",
            "1:19: `herd` is one of off, note, warning, error, not `warn`",
            "did you mean `warning`?",
        ),
        ("levels = { herd = 3 }", "1:19: `herd` is one of off, note, warning, error, not a number", "^"),
        ("levels = []", "1:10: `levels` is a table of rules and groups, not a list", "^^"),
        ("[limits]\nmax-dellay = 3", "2:1: unknown limit `max-dellay`", "did you mean `max-delay`?"),
        (
            "[limits]\nmax-delay = \"3 fortnights\"",
            "2:13: `max-delay` is a duration,",
            "not \"3 fortnights\"",
        ),
        ("[limits]\nmax-delay = 0", "2:13: `max-delay` is a duration,", "larger than 0"),
        ("[limits]\nmax-attempts = 2.5", "2:16: `max-attempts` is a whole number", "larger than 0"),
        ("include-tests = \"yes\"", "1:17: `include-tests` is true or false, not a text", "^^^^^"),
        (
            "min-confidence = \"hihg\"",
            "1:18: `min-confidence` is one of medium, high, not `hihg`",
            "did you mean `high`?",
        ),
        (
            "preferred-jitter = \"additive\"",
            "1:20: `preferred-jitter` is one of full, equal, decorrelated",
            "^",
        ),
        ("exclude = \"src\"", "1:11: `exclude` is a list of globs, not a text", "^^^^^"),
        ("exclude = [\"a\", \"b[\", 3]", "1:23: `exclude` is a list of globs, not a number", "^"),
        ("exclude = [\"a\", \"{b\"]", "1:17: `{b` is no glob", "^^^^"),
        ("[[overrides]]\npaths = [\"a\"]", "1:1: `levels` is missing in this override", "^"),
        ("[[overrides]]\npaths = []\nlevels = {}", "2:9: `paths` is empty", "^^"),
        ("[[overrides]]\npath = []", "2:1: unknown key `path` in an override", "did you mean `paths`?"),
        (
            "[[overrides]]\npaths = [\"a\"]\nlevels = { x = \"off\" }",
            "3:12: unknown rule or group `x`",
            "retry-lint rules",
        ),
        ("rules = [\"nowhere\"]", "1:10: `rules` names `nowhere`, but nowhere is not there", "^"),
        ("vocabulary = [\"src\"]", "1:15: `vocabulary` names `src`, in which there is no file `*.toml`", "^"),
        ("fail-on = \"never", "1:17: invalid basic string", "^"),
        ("fail-on = \"note\"\nfail-on = \"note\"", "2:1: duplicate key", "^"),
    ];
    for (index, (config, error, help)) in cases.into_iter().enumerate() {
        let here = configured(&format!("mistakes-{index}"), config);
        for args in ["", "audit", "--show-settings"] {
            let refused = run(&here, args);
            assert_eq!((refused.status, refused.stdout.as_str()), (2, ""), "{config}: {refused:?}");
            let expected = format!("error: retry-lint.toml:{error}");
            assert!(refused.stderr.starts_with(&expected), "{expected}\n{}", refused.stderr);
            assert!(refused.stderr.contains(help), "{help}\n{}", refused.stderr);
        }
    }
}

#[test]
fn a_mistake_in_a_manifest_has_its_place_there() {
    let manifest = format!("{MANIFEST}[package.metadata.retry-lint]\nfail_on = \"note\"\n");
    let here = package("manifest-mistake", &[("Cargo.toml", &manifest)]);
    let refused = run(&here, "");
    assert!(refused.stderr.starts_with("error: Cargo.toml:9:1: unknown key `fail_on`"), "{}", refused.stderr);
    assert!(refused.stderr.contains("help: did you mean `fail-on`?"), "{}", refused.stderr);
    let broken = format!("{manifest}[broken\n");
    let here = package("manifest-broken", &[("Cargo.toml", &broken)]);
    assert_eq!(run(&here, "").status, 2, "it says something to us, and nobody knows what");
}

#[test]
fn a_mistake_below_ends_the_run_before_anything_is_printed() {
    let files = [("b/Cargo.toml", MANIFEST), ("b/src/lib.rs", ""), ("b/retry-lint.toml", "x = 1\n")];
    let refused = run(&package("below", &files), "");
    assert_eq!((refused.status, refused.stdout.as_str()), (2, ""));
    assert!(refused.stderr.starts_with("error: b/retry-lint.toml:1:1: "), "{}", refused.stderr);
}

#[test]
fn files_that_are_no_configuration_are_refused() {
    let here = package("no-file", &[]);
    std::fs::create_dir(here.join("retry-lint.toml")).unwrap();
    for (args, error) in [
        ("", "error: retry-lint.toml: is no configuration"),
        ("--config nowhere.toml", "error: nowhere.toml: cannot be read"),
        ("--config src", "error: src: is no configuration"),
        ("--config src/lib.rs", "error: src/lib.rs:1:"),
    ] {
        let refused = run(&here, args);
        assert_eq!(refused.status, 2, "{args}");
        assert!(refused.stderr.starts_with(error), "{error}\n{}", refused.stderr);
    }
    assert_eq!(run(&here, "--isolated --config x").status, 2);
}

#[test]
#[cfg(unix)]
fn a_link_that_leads_nowhere_is_no_missing_configuration() {
    let here = package("dangling", &[]);
    std::os::unix::fs::symlink("nowhere.toml", here.join("retry-lint.toml")).unwrap();
    let refused = run(&here, "");
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.starts_with("error: retry-lint.toml: cannot be read"), "{}", refused.stderr);
}

#[test]
fn what_is_shown_of_a_mistake_is_fit_for_a_terminal() {
    for (name, config, shown) in [
        ("steering", "levels = { \"\u{1b}[31m\" = \"off\" }".to_owned(), "\\x1b"),
        ("mark", "\u{feff}limts = 1\n".to_owned(), "\\u{feff}limts = 1\n    |         ^^^^^\n"),
        ("tab", "\tlimts = 1\r\n".to_owned(), "\\tlimts = 1\n    |   ^^^^^\n"),
        ("long", format!("exclude = [{}3]", "\"x\", ".repeat(5000)), "\"x\", 3]\n"),
        ("deep", format!("levels = {}", "[".repeat(100_000)), "recurs"),
    ] {
        let refused = run(&configured(&format!("terminal-{name}"), &config), "");
        assert_eq!((refused.status, refused.stdout.as_str()), (2, ""), "{name}");
        assert!(refused.stderr.contains(shown), "{name}: {}", refused.stderr);
        assert!(
            !refused.stderr.contains('\u{1b}') && refused.stderr.len() < 1000,
            "{name}: {}",
            refused.stderr
        );
    }
}

#[test]
fn a_configuration_that_excludes_everything_does_not_pass_for_clean() {
    let here = configured("everything", "exclude = [\"*.rs\"]\n");
    let refused = run(&here, "");
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.starts_with("error: nothing to read: retry-lint.toml excludes every file"));
    assert_eq!(run(&here, "--force-exclude .").status, 0);
}

#[test]
fn what_is_excluded_still_tells_what_its_names_mean() {
    let here = package(
        "context",
        &[
            ("src/lib.rs", &format!("mod pause;\n{}", FIXED.replace("tokio::time::sleep", "pause::rest"))),
            (
                "src/pause.rs",
                "pub async fn rest(time: std::time::Duration) {\n    tokio::time::sleep(time).await\n}\n",
            ),
            ("retry-lint.toml", "exclude = [\"pause.rs\"]\n"),
        ],
    );
    let run = run(&here, "-v --format concise");
    assert!(run.stdout.contains("warning[fixed-delay]"), "{run:?}");
    assert!(run.stderr.contains("left out 1 files that the configuration excludes"), "{}", run.stderr);
}

#[test]
fn limits_and_the_preferred_jitter_reach_the_rules() {
    let doubling = FIXED
        .replace("let mut attempt = 1;", "let mut attempt = 1;\n    let mut delay = Duration::from_secs(1);")
        .replace("Duration::from_secs(1)).await", "delay).await")
        .replace("attempt += 1;", "attempt += 1;\n        delay *= 2;");
    let told = |name: &str, config: &str| {
        run(&package(name, &[("src/lib.rs", &doubling), ("retry-lint.toml", config)]), "").stdout
    };
    let by_default = told("limits-none", "");
    assert!(!by_default.contains("no-delay-cap"), "{by_default}");
    assert!(by_default.contains("U(0, 1 s), U(0, 2 s), U(0, 4 s)"), "{by_default}");
    let limited = told("limits-5", "preferred-jitter = \"equal\"\nlimits.max-delay = \"5s\"\n");
    assert!(
        limited.contains("warning[no-delay-cap]: the exponential delay has no cap: it reaches 8 s"),
        "{limited}"
    );
    assert!(limited.contains("wait at most 5 s: min(5 s, d) in place of d"), "{limited}");
    assert!(limited.contains("U(500 ms, 1 s), U(1 s, 2 s), U(2 s, 4 s)"), "{limited}");
    let decorrelated = told("limits-d", "preferred-jitter = \"decorrelated\"\nlimits.max-delay = 8\n");
    assert!(!decorrelated.contains("no-delay-cap"), "{decorrelated}");
    assert!(decorrelated.contains("U(1 s, 3 × w) with w the last wait"), "{decorrelated}");
}

const OWN_RULE: &str = "+++
name    = \"few-attempts\"
group   = \"overload\"
level   = \"error\"
cites   = [\"attempts.max\"]
message = \"{{ attempts.max | attempts }} are too many here\"

[when]
attempts.max = { above = 10, setting = \"max-attempts\" }
+++

## What it flags

More attempts than we want.

## Why

We say so.

## Flags

## Does not flag

## Limits
";

#[test]
fn own_rules_are_rules() {
    let config = "rules = [\"lint\"]\nlevels = { few-attempts = \"note\" }\nlimits = { max-attempts = 4 }\n";
    let files =
        |config| [("lint/few-attempts.md", OWN_RULE), ("lint/README.txt", ""), ("retry-lint.toml", config)];
    let here = package("own-rules", &files(config));
    let told = run(&here, "--format concise --select few-attempts");
    assert!(told.stdout.contains("note[few-attempts] 5 attempts are too many here"), "{told:?}");
    assert!(run(&here, "explain few-attempts").stdout.contains("More attempts than we want"));
    assert!(run(&here, "rules").stdout.contains("few-attempts"));
    let here = package("own-rules-default", &files("rules = [\"lint/few-attempts.md\"]\n"));
    assert!(!run(&here, "").stdout.contains("few-attempts"), "ten by default");
    let broken = OWN_RULE.replace("attempts.max = {", "attempts.mox = {");
    let files = [("lint/few-attempts.md", broken.as_str()), ("retry-lint.toml", "rules = [\"lint\"]\n")];
    let refused = run(&package("own-rules-broken", &files), "");
    assert_eq!(refused.status, 2);
    assert!(
        refused
            .stderr
            .contains("lint/few-attempts.md:9: unknown fact `attempts.mox`; did you mean `attempts.max`?"),
        "{}",
        refused.stderr
    );
}

/// A mistake in what the project brings along ends the run with nothing linted, whatever sort of file it is in.
#[test]
fn a_mistake_in_an_own_file_is_told_and_nothing_is_linted() {
    let vocabulary = |text: &str| ("vocabulary", "ours.toml", text.to_owned());
    let library = |text: &str| ("libraries", "ours.toml", format!("crates = [\"ours\"]\n{text}"));
    let page = |from: &str, to: &str| {
        assert!(OWN_RULE.contains(from), "{from}");
        ("rules", "few-attempts.md", OWN_RULE.replace(from, to))
    };
    let cases = [
        (vocabulary("[[cal]]\n"), "1: unknown section `cal`; did you mean `call`?"),
        (
            vocabulary("[[call]]\nrole = \"wait\"\npath = []\n"),
            "3: unknown key `path` in a call of role `wait`; did you mean `paths`?",
        ),
        (vocabulary("[[call]]\nrole = \"wait\"\npaths = [\"a:b\"]\n"), "3: `a:b` is no path"),
        (vocabulary("[words]\nretrry = []\n"), "2: unknown key `retrry`; did you mean `retry`?"),
        (vocabulary("[words]\nretry = [\"Again\"]\n"), "2: `Again` is no word"),
        (
            vocabulary("[crates]\nclients = [\"our-db\"]\n"),
            "2: `our-db` is a crate's name as code writes it: `our_db`",
        ),
        (vocabulary("[[call]\n"), "1: "),
        (
            library("[[policy]]\npaths = [\"ours::new\"]\ngrowth = \"linaer\"\n"),
            "4: unknown word `linaer`; did you mean `linear`?",
        ),
        (
            library("[[policy]]\npaths = [\"ours::new\"]\nretries = -1\n"),
            "4: `retries` is a number from 0 on, not -1",
        ),
        (library("[[setter]]\nsets = [\"cap\"]\n"), "2: the setter names nothing"),
        (library("[[drivers]]\n"), "2: unknown section `drivers`; did you mean `driver`?"),
        (page("group   =", "gruop   ="), "3: unknown key `gruop`; did you mean `group`?"),
        (
            page("\"error\"", "\"eror\""),
            "4: unknown level `eror`: it is one of off, note, warning, error; did you mean `error`?",
        ),
        (page("above = 10", "abvoe = 10"), "9: unknown comparison `abvoe`; did you mean `above`?"),
        (
            page("\"max-attempts\"", "\"max-attempt\""),
            "9: unknown limit `max-attempt`; did you mean `max-attempts`?",
        ),
        (
            page("{{ attempts.max |", "{{ attempts.mox |"),
            "6: `message` prints `attempts.mox`, which is no fact; did you mean `attempts.max`?",
        ),
        (page("## Why", "## Whi"), "16: unknown heading `## Whi`; did you mean `## Why`?"),
    ];
    for (number, ((key, file, text), expected)) in cases.into_iter().enumerate() {
        let config = format!("{key} = [\"lint\"]\n");
        let file = format!("lint/{file}");
        let here = package(
            &format!("own-mistake-{number}"),
            &[(file.as_str(), text.as_str()), ("retry-lint.toml", config.as_str())],
        );
        for args in ["", "audit", "rules"] {
            let refused = run(&here, args);
            assert_eq!((refused.status, refused.stdout.as_str()), (2, ""), "{text}");
            let expected = format!("error: {file}:{expected}");
            assert!(refused.stderr.starts_with(&expected), "{text}\n{expected}\n{}", refused.stderr);
        }
    }
}

#[test]
fn own_vocabulary_and_own_libraries_are_known() {
    let slept = FIXED.replace("tokio::time::sleep", "ours::pause");
    let table = "[[call]]\nrole = \"wait\"\narg = 0\npaths = [\"ours::pause\"]\n";
    let here = package(
        "vocabulary",
        &[
            ("src/lib.rs", &slept),
            ("lint/ours.toml", table),
            ("retry-lint.toml", "vocabulary = [\"lint\"]\n"),
        ],
    );
    assert!(run(&here, "").stdout.contains("warning[fixed-delay]"));
    assert!(!run(&here, "--isolated").stdout.contains("warning[fixed-delay]"));
    let broken = table.replace("role = \"wait\"", "role = \"wiat\"");
    let files = [("lint/ours.toml", broken.as_str()), ("retry-lint.toml", "vocabulary = [\"lint\"]\n")];
    let refused = run(&package("vocabulary-broken", &files), "");
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.starts_with("error: lint/ours.toml:2: unknown word `wiat`"), "{}", refused.stderr);

    let policy = "pub fn retry_policy() -> ours::Steps {\n    ours::Steps::new()\n}\n";
    let table = "crates = [\"ours\"]\n[[policy]]\npaths = [\"ours::Steps::new\"]\ngrowth = \"constant\"\njitter = \"none\"\nfirst_s = 1.0\nretries = 3\n";
    let manifest = MANIFEST.replace("tokio", "ours = \"1\"\ntokio");
    let here = package(
        "libraries",
        &[
            ("Cargo.toml", &manifest),
            ("src/lib.rs", policy),
            ("lint/ours.toml", table),
            ("retry-lint.toml", "libraries = [\"lint/ours.toml\"]\n"),
        ],
    );
    assert!(run(&here, "audit").stdout.contains("library"), "{:?}", run(&here, "audit"));
    assert!(!run(&here, "audit --isolated").stdout.contains("library"));
}

const OWN_CRATE: &str = "crates = [\"ours\"]\nunmaintained = \"OURS-7\"\n\n\
    [[policy]]\npaths = [\"ours::Steps::new\"]\nversions = \"<2\"\ngrowth = \"exponential\"\njitter = \"none\"\nfirst_s = 1.0\nfactor = 2.0\nretries = 3\n\n\
    [[policy]]\npaths = [\"ours::Steps::new\"]\nversions = \">=2\"\ngrowth = \"exponential\"\njitter = \"full\"\nfirst_s = 1.0\nfactor = 2.0\nretries = 3\n\n\
    [[setter]]\nmethods = [\"times\"]\nsets = [\"calls\"]\n\n\
    [[driver]]\npaths = [\"ours::again\"]\npolicy = 0\noperation = 1\nerrors = \"picked\"\n";

const OWN_USE: &str = "pub async fn connect(addr: &str) -> std::io::Result<tokio::net::TcpStream> {\n    \
    ours::again(ours::Steps::new().times(5), || tokio::net::TcpStream::connect(addr)).await\n}\n";

/// A package that uses a crate of the house, of a version that its manifest asks for and perhaps its lock has.
fn of_the_house(name: &str, asked: &str, locked: Option<&str>, table: &str) -> PathBuf {
    let manifest = MANIFEST.replace("tokio", &format!("ours = \"{asked}\"\ntokio"));
    let lock = locked.map_or_else(String::new, |version| {
        format!(
            "version = 4\n[[package]]\nname = \"{}\"\nversion = \"0.1.0\"\ndependencies = [\"ours\"]\n\
             [[package]]\nname = \"ours\"\nversion = \"{version}\"\nsource = \"registry\"\n",
            name_in(MANIFEST)
        )
    });
    let mut files = vec![
        ("Cargo.toml", manifest.as_str()),
        ("src/lib.rs", OWN_USE),
        ("lint/ours.toml", table),
        ("retry-lint.toml", "libraries = [\"lint\"]\n"),
    ];
    if locked.is_some() {
        files.push(("Cargo.lock", lock.as_str()));
    }
    package(name, &files)
}

fn name_in(manifest: &str) -> String {
    let line = manifest.lines().find_map(|line| line.strip_prefix("name = ")).unwrap();
    line.trim_matches('"').to_owned()
}

#[test]
fn a_crate_of_the_house_is_told_by_a_table_alone() {
    let jitter = "warning[no-jitter]";
    let old = run(&of_the_house("house-old", "1", None, OWN_CRATE), "");
    assert!(old.stdout.contains(jitter), "{}{}", old.stdout, old.stderr);
    let all = run(&of_the_house("house-old", "1", None, OWN_CRATE), "--select all").stdout;
    assert!(all.contains("note[unmaintained-retry-crate]") && all.contains("OURS-7"), "{all}");
    assert!(!run(&of_the_house("house-new", "2", None, OWN_CRATE), "").stdout.contains(jitter));
    let either = run(&of_the_house("house-either", "*", None, OWN_CRATE), "");
    assert!(
        !either.stdout.contains(jitter),
        "of an unknown version only what all have is told: {}",
        either.stdout
    );
    assert!(
        run(&of_the_house("house-locked-old", "*", Some("1.4.0"), OWN_CRATE), "").stdout.contains(jitter)
    );
    assert!(
        !run(&of_the_house("house-locked-new", "*", Some("2.0.1"), OWN_CRATE), "").stdout.contains(jitter)
    );
}

#[test]
fn a_mistake_in_a_table_of_the_house_ends_the_run() {
    for (right, wrong, told) in [
        (
            "errors = \"picked\"",
            "errors = \"piked\"",
            "lint/ours.toml:30: unknown word `piked`; did you mean `picked`?",
        ),
        ("[[setter]]", "[[seter]]", "lint/ours.toml:22: unknown section `seter`; did you mean `setter`?"),
        (
            "versions = \"<2\"",
            "verions = \"<2\"",
            "lint/ours.toml:6: unknown key `verions`; did you mean `versions`?",
        ),
        (
            "versions = \"<2\"",
            "versions = \"<3\"",
            "lint/ours.toml:13: `ours::Steps::new` is told twice for the same version",
        ),
        ("retries = 3", "retries = \"3\"", "lint/ours.toml:11: "),
        (
            "unmaintained",
            "unmaintaned",
            "lint/ours.toml:2: unknown section `unmaintaned`; did you mean `unmaintained`?",
        ),
    ] {
        let broken = OWN_CRATE.replacen(right, wrong, 1);
        let refused = run(&of_the_house("house-broken", "1", None, &broken), "");
        assert_eq!((refused.status, refused.stdout.as_str()), (2, ""), "{wrong}");
        assert!(refused.stderr.contains(told), "{wrong}: {}", refused.stderr);
    }
}

#[test]
fn settings_are_shown_with_where_they_come_from() {
    let config = "fail-on = \"error\"\n[levels]\nfixed-delay = \"off\"\n[limits]\nmax-delay = \"1min\"\n";
    let here = configured("show", config);
    let shown = run(&here, "--show-settings --min-confidence medium --ignore no-delay");
    assert_eq!((shown.status, shown.stderr.as_str()), (0, ""));
    let squeezed: Vec<String> =
        shown.stdout.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    for line in [
        "configuration: retry-lint.toml",
        "holds for: .",
        "min-confidence medium --min-confidence",
        "fail-on error retry-lint.toml:1",
        "include-tests false default",
        "require-reason true default",
        "limits.max-delay 60 s retry-lint.toml:5",
        "levels.fixed-delay off retry-lint.toml:3",
        "levels.no-delay off --ignore",
        "levels.unbounded warning default",
    ] {
        assert!(squeezed.contains(&line.to_owned()), "{line}\n{}", shown.stdout);
    }
    assert!(run(&here, "--show-settings --isolated").stdout.starts_with("configuration: none\n"));
    assert_eq!(run(&here, "rules --show-settings").status, 2);
}

#[test]
fn init_writes_a_file_that_sets_nothing_and_never_replaces_one() {
    let here = package("init", &[]);
    let before = run(&here, "--show-settings").stdout;
    let made = run(&here, "init");
    assert_eq!((made.status, made.stderr.as_str()), (0, ""));
    let written = std::fs::read_to_string(here.join("retry-lint.toml")).unwrap();
    assert_eq!(run(&here, "").status, 1, "it is read and changes nothing");
    let after = run(&here, "--show-settings").stdout;
    assert_eq!(after.replace("configuration: retry-lint.toml", "configuration: none"), before);
    let refused = run(&here, "init");
    assert_eq!((refused.status, refused.stdout.as_str()), (2, ""));
    assert!(refused.stderr.contains("help: "), "{}", refused.stderr);
    assert_eq!(std::fs::read_to_string(here.join("retry-lint.toml")).unwrap(), written);
    let left: Vec<_> = std::fs::read_dir(&here).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 4, "no draft is left: {left:?}");

    let manifest = format!("{MANIFEST}[package.metadata.retry-lint]\n");
    let refused = run(&package("init-manifest", &[("Cargo.toml", &manifest)]), "init");
    assert_eq!(refused.status, 2, "there would be two in one folder");
    let broken = configured("init-broken", "broken");
    assert_eq!(run(&broken, "init").status, 2);
    assert_eq!(std::fs::read_to_string(broken.join("retry-lint.toml")).unwrap(), "broken");
}
