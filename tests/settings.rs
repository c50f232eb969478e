//! What people decide about findings: comments in the source, a baseline, a revision before which all is old. Run as a command, over real files
//! and a real git repository.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const MANIFEST: &str =
    "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dependencies]\ntokio = \"1\"\n";

/// A function that dials for ever, waiting a fixed second: `fixed-delay` and `unbounded`.
fn dialler(name: &str, above: &str, at_loop: &str, at_wait: &str) -> String {
    format!(
        "{above}pub async fn {name}(addr: &str) -> TcpStream {{\n    {at_loop}loop {{\n        match TcpStream::connect(addr).await {{\n            \
         Ok(stream) => return stream,\n            Err(_) => sleep(Duration::from_secs(1)).await,{at_wait}\n        }}\n    }}\n}}\n"
    )
}

fn file(parts: &[String]) -> String {
    format!(
        "use std::time::Duration;\nuse tokio::net::TcpStream;\nuse tokio::time::sleep;\n\n{}",
        parts.join("\n")
    )
}

fn plain(name: &str) -> String {
    dialler(name, "", "", "")
}

/// A folder of its own for a test, with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("settings").join(name);
    let _ = std::fs::remove_dir_all(&root);
    std::fs::create_dir_all(&root).unwrap();
    write(&root, "Cargo.toml", MANIFEST);
    for (path, text) in files {
        write(&root, path, text);
    }
    root
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[derive(Debug)]
struct Run {
    status: i32,
    stdout: String,
    stderr: String,
}

fn run(folder: &Path, args: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retry-lint"));
    for name in ["NO_COLOR", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    of(&command.current_dir(folder).args(args).output().unwrap())
}

fn of(output: &Output) -> Run {
    let stderr = String::from_utf8(output.stderr.clone()).unwrap();
    // how much was understood is for `tests/cli.rs`
    let lines = stderr.split_inclusive('\n').filter(|line| !line.contains(" fully known, "));
    Run {
        status: output.status.code().expect("an exit status, not a signal"),
        stdout: String::from_utf8(output.stdout.clone()).unwrap(),
        stderr: lines.collect(),
    }
}

/// `function rule` of each finding, the summary, and the problems.
fn check(folder: &Path, args: &[&str]) -> (Vec<String>, Value, Vec<String>) {
    let mut all = vec!["check", "--format", "json"];
    all.extend(args);
    let run = run(folder, &all);
    let json: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let found = json["findings"].as_array().unwrap().iter();
    let found = found.map(|it| format!("{} {}", text(&it["function"]), text(&it["rule"]))).collect();
    let problems = json["problems"].as_array().unwrap().iter();
    let problems = problems.map(|it| format!("{}: {}", it["line"], text(&it["message"]))).collect();
    (found, json["summary"].clone(), problems)
}

fn refused(run: &Run, error: &str, help: &str) {
    assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{run:?}");
    assert!(run.stderr.starts_with(&format!("error: {error}")), "{}", run.stderr);
    assert!(run.stderr.contains(help), "{}", run.stderr);
}

#[test]
fn a_comment_hides_what_it_names_where_it_stands() {
    let ignore = |what: &str| format!("// retry-lint: {what} for a reason");
    let line = |what: &str| format!("{}\n", ignore(what));
    let inner = |what: &str| format!("{}\n    ", ignore(what));
    let behind = |what: &str| format!(" {}", ignore(what));
    let cases: [(String, &[&str]); 12] = [
        (plain("f"), &["f unbounded", "f fixed-delay"]),
        (dialler("f", "", &inner("ignore[unbounded]"), ""), &["f fixed-delay"]),
        (dialler("f", "", &inner("ignore[unbounded, fixed-delay]"), ""), &[]),
        (dialler("f", "", "", &behind("ignore[fixed-delay]")), &["f unbounded"]),
        (dialler("f", "", "", &behind("ignore[unbounded]")), &["f fixed-delay"]),
        (dialler("f", &line("ignore[herd]"), "", ""), &["f unbounded"]),
        (dialler("f", &line("ignore[overload, herd]"), "", ""), &[]),
        (dialler("f", &format!("{}#[inline]\n", line("ignore[fixed-delay]")), "", ""), &["f unbounded"]),
        // of another function
        (
            format!("{}{}", dialler("f", &line("ignore[herd,overload]"), "", ""), plain("g")),
            &["g unbounded", "g fixed-delay"],
        ),
        // of the whole file
        (
            format!("{}{}{}", plain("f"), plain("g"), line("ignore-file[unbounded]")),
            &["f fixed-delay", "g fixed-delay"],
        ),
        // not a comment
        (dialler("f", "/// retry-lint: ignore[unbounded] why\n", "", ""), &["f unbounded", "f fixed-delay"]),
        (
            dialler("f", "", "let _ = \"// retry-lint: ignore[unbounded] why\"; ", ""),
            &["f unbounded", "f fixed-delay"],
        ),
    ];
    for (at, (text, expected)) in cases.iter().enumerate() {
        let here = folder(&format!("comment{at}"), &[("src/lib.rs", &file(std::slice::from_ref(text)))]);
        let (found, summary, problems) = check(&here, &[]);
        assert_eq!(found, *expected, "{text}");
        let functions = text.matches("pub async fn").count();
        assert_eq!(summary["suppressed"], 2 * functions - expected.len(), "{text}");
        assert_eq!(problems, [""; 0], "{text}");
    }
}

#[test]
fn in_nested_loops_a_comment_means_the_innermost() {
    let text = "pub async fn f(addr: &str, other: &str) -> (TcpStream, TcpStream) {
    loop {
        match TcpStream::connect(addr).await {
            Ok(stream) => return (stream, loop {
                // retry-lint: ignore[fixed-delay] the inner one
                if let Ok(stream) = TcpStream::connect(other).await {
                    break stream;
                }
                sleep(Duration::from_secs(1)).await;
            }),
            Err(_) => sleep(Duration::from_secs(60)).await,
        }
    }
}
";
    let here = folder("nested", &[("src/lib.rs", &file(&[text.to_owned()]))]);
    let with = check(&here, &["--select", "fixed-delay"]);
    write(&here, "src/lib.rs", &file(&[text.replace("// retry-lint", "// nothing")]));
    let without = check(&here, &["--select", "fixed-delay"]);
    assert_eq!((without.0.len(), with.0.len()), (2, 1), "{without:?} {with:?}");
    assert_eq!(with.2, [""; 0]);
}

#[test]
fn slips_in_comments_are_told_and_void_nothing() {
    let above = "// retry-lint: ignore[fixed-dealy, fixed-delay] why\n// retry-lint: ignore[unbounded]\n// retry-lint: ignore[all] why\n";
    let text = format!("{}#[allow(retry_lint::no_jitter)]\nfn g() {{}}\n", dialler("f", above, "", ""));
    let here = folder("slips", &[("src/lib.rs", &file(&[text]))]);
    let (found, _, problems) = check(&here, &[]);
    assert_eq!(found, [""; 0]);
    let expected = [
        "5: unknown rule or group `fixed-dealy` in a comment: did you mean `fixed-delay`?",
        "6: `ignore[…]` without a reason: say behind the bracket why",
        "7: `all` hides nothing: name the rules",
        "16: `allow(retry_lint::no_jitter)` is refused by stable Rust (E0710) and not read here: \
         write `// retry-lint: ignore[no-jitter] reason` in its place",
    ];
    assert_eq!(problems, expected);
}

#[test]
fn an_unused_comment_is_told_where_its_rules_were_asked() {
    let above = "// retry-lint: ignore[fixed-delay, no-delay] why\n";
    let tests = format!("#[cfg(test)]\nmod tests {{\n    use super::*;\n{}}}\n", dialler("t", above, "", ""));
    let here = folder("unused", &[("src/lib.rs", &file(&[dialler("f", above, "", ""), tests]))]);
    let unused =
        |line| format!("{line}: unused-suppression: `ignore[no-delay]` hides no finding: take it out");
    assert_eq!(check(&here, &[]).2, [unused(5), unused(18)]);
    assert_eq!(check(&here, &["--select", "fixed-delay"]).2, [""; 0]);
    assert_eq!(check(&here, &["--select", "no-delay"]).2, [unused(5), unused(18)]);
    // a file of a package is not all that may be hidden
    write(&here, "src/other.rs", &file(&[plain("g")]));
    write(&here, "src/net/mod.rs", &file(&[dialler("h", above, "", "")]));
    for part in ["src/lib.rs", "src/net"] {
        assert_eq!(check(&here, &[part]).2, [""; 0], "{part}");
    }
    assert_eq!(check(&here, &["src"]).2.len(), 3);
    assert_eq!(run(&here, &["audit"]).stderr, "");
}

#[test]
fn an_assumption_is_a_fact_with_the_comment_as_evidence() {
    let above = "// retry-lint: assume[idempotent, background] a dial changes nothing\n";
    let local = "// retry-lint: assume[local] a socket of this machine\n    ";
    let text = file(&[dialler("f", above, "", ""), dialler("g", "", local, ""), plain("h")]);
    let here = folder("assume", &[("src/lib.rs", &text)]);
    let (found, summary, problems) = check(&here, &[]);
    assert_eq!(found, ["f fixed-delay", "h unbounded", "h fixed-delay"]);
    assert_eq!((&summary["suppressed"], problems.len()), (&Value::from(0), 0), "an assumption hides nothing");
    let json: Value = serde_json::from_str(&run(&here, &["audit", "--format", "json"]).stdout).unwrap();
    let (f, g) = (&json["sites"][0], &json["sites"][1]);
    assert_eq!((&f["operation"]["idempotent"], &f["operation"]["background"]), (&true.into(), &true.into()));
    assert_eq!(f["evidence"]["operation.idempotent"]["text"], "assumed idempotent: a dial changes nothing");
    assert_eq!(f["evidence"]["operation.idempotent"]["line"], 5);
    assert_eq!(f["assumed"].as_array().unwrap().len(), 2);
    assert_eq!((&g["operation"]["remote"], &g["operation"]["idempotent"]), (&false.into(), &Value::Null));
    let table = run(&here, &["audit"]).stdout;
    assert!(table.contains("high, assumed idempotent, assumed background\n"), "{table}");
    // of no retry, and no fact
    write(&here, "src/lib.rs", "// retry-lint: assume[idempotnt] why\nfn f() {}\n");
    let told = [
        "1: `assume[…]` stands at no retry: nothing is assumed",
        "1: unknown fact `idempotnt` in a comment: did you mean `idempotent`?",
    ];
    assert_eq!(check(&here, &[]).2, told);
}

#[test]
fn people_are_told_how_to_silence_and_what_is_hidden() {
    let text = file(&[dialler("f", "// retry-lint: ignore[herd] why\n", "", "")]);
    let here = folder("told", &[("src/lib.rs", &text)]);
    let shown = run(&here, &[]).stdout;
    let end = "\nsilence a false one: // retry-lint: ignore[RULE] reason\n1 finding (1 warning) in 1 file; 1 site; 1 silenced by comments\n";
    assert!(shown.ends_with(end), "{shown}");
    assert_eq!(run(&here, &["baseline", "write"]).stdout, "retry-lint-baseline.json: 1 finding written\n");
    let shown = run(&here, &[]);
    assert_eq!(shown.stdout, "no findings in 1 file; 1 site; 1 silenced by comments, 1 in the baseline\n");
    assert_eq!((shown.status, shown.stderr.as_str()), (0, ""));
    assert!(!run(&here, &["-q", "--baseline", "no.json"]).stdout.contains("silence"));
}

#[test]
fn a_baseline_outlives_an_edit_a_move_and_a_rename() {
    let here = folder("baseline", &[("src/lib.rs", &file(&[plain("f"), plain("g")]))]);
    git(&here, &["init", "-q", "-b", "main"]);
    commit(&here, "first");
    assert_eq!(run(&here, &["baseline", "write"]).stdout, "retry-lint-baseline.json: 4 findings written\n");
    let known = |expected: &[&str], baselined: usize| {
        let (found, summary, problems) = check(&here, &[]);
        assert_eq!(found, expected);
        assert_eq!((&summary["baselined"], problems.len()), (&Value::from(baselined), 0));
    };
    known(&[], 4);
    // lines above, and a new function: only that is new
    write(&here, "src/lib.rs", &file(&["// a\n// b\n".to_owned(), plain("new"), plain("f"), plain("g")]));
    known(&["new unbounded", "new fixed-delay"], 4);
    let new = check(&here, &["--new-from-rev", "HEAD", "--baseline", "retry-lint-baseline.json"]);
    assert_eq!(new.0, ["new unbounded", "new fixed-delay"]);
    // moved within the file, and formatted
    let formatted = plain("f")
        .replace("sleep(Duration::from_secs(1)).await", "sleep( Duration::from_secs(1) )\n    .await");
    write(&here, "src/lib.rs", &file(&[plain("g"), formatted]));
    known(&[], 4);
    // the file renamed
    std::fs::create_dir_all(here.join("src/net")).unwrap();
    std::fs::rename(here.join("src/lib.rs"), here.join("src/net/dial.rs")).unwrap();
    known(&[], 4);
    // from another folder, by another name
    let elsewhere = run(&here.join("src"), &["--baseline", "../retry-lint-baseline.json", "net"]);
    assert_eq!(elsewhere.status, 0, "{elsewhere:?}");
    // one mended: stale, and taken out
    write(&here, "src/net/dial.rs", &file(&[plain("g")]));
    let stale = run(&here, &[]);
    assert_eq!(
        (stale.status, stale.stderr.as_str()),
        (
            0,
            "warning: retry-lint-baseline.json: 2 findings are found no more; `retry-lint baseline prune` takes them out\n"
        )
    );
    assert_eq!(run(&here, &["--select", "no-delay"]).stderr, "", "a rule that is not asked finds nothing");
    let pruned = run(&here, &["baseline", "prune"]).stdout;
    assert_eq!(pruned, "retry-lint-baseline.json: 2 findings taken out, 2 left\n");
    let text = std::fs::read_to_string(here.join("retry-lint-baseline.json")).unwrap();
    assert!(text.contains("src/net/dial.rs") && !text.contains("src/lib.rs"), "{text}");
    assert_eq!(run(&here, &[]).stderr, "");
    // written again: the same bytes
    run(&here, &["baseline", "write"]);
    assert_eq!(std::fs::read_to_string(here.join("retry-lint-baseline.json")).unwrap(), text);
    let names: Vec<_> = std::fs::read_dir(&here).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert!(names.iter().all(|name| !name.to_string_lossy().ends_with(".new")), "{names:?}");
}

#[test]
fn equal_findings_of_a_file_are_counted_and_a_part_writes_its_part() {
    let twice =
        plain("f").replace("    loop", "    if addr.is_empty() { loop").replace("    }\n}\n", "    } }\n}\n");
    let body = plain("f");
    let loop_text = body.get(body.find("    loop").unwrap()..body.len() - 2).unwrap();
    let twice = twice.trim_end().strip_suffix('}').unwrap().to_owned() + loop_text + "}\n";
    let here = folder("equal", &[("src/a.rs", &file(&[plain("f")])), ("src/b.rs", &file(&[plain("h")]))]);
    run(&here, &["baseline", "write"]);
    write(&here, "src/a.rs", &file(&[twice]));
    assert_eq!(check(&here, &[]).0, ["f unbounded", "f fixed-delay"], "the second one of each");
    // of a.rs anew; what is in b.rs stays
    let written = run(&here, &["baseline", "write", "src/a.rs"]);
    assert_eq!(written.stdout, "retry-lint-baseline.json: 6 findings written\n");
    assert_eq!(check(&here, &[]).0, [""; 0]);
}

#[test]
fn a_baseline_that_cannot_be_used_is_refused() {
    let here = folder("broken", &[("src/lib.rs", "pub fn f() {}\n")]);
    refused(
        &run(&here, &["--baseline", "no.json"]),
        "no such baseline: `no.json`\n",
        "help: `retry-lint baseline write",
    );
    refused(
        &run(&here, &["baseline", "prune"]),
        "there is no baseline `retry-lint-baseline.json`\n",
        "help: ",
    );
    write(&here, "retry-lint-baseline.json", "{\n  \"schema_version\": 1,\n<<<<<<< HEAD\n");
    for args in [&[][..], &["baseline", "write"], &["baseline", "prune"]] {
        refused(&run(&here, args), "retry-lint-baseline.json:3:1: ", "help: mend it, or delete it");
    }
    write(&here, "new.json", "{\"schema_version\": 7, \"more\": []}");
    refused(&run(&here, &["--baseline", "new.json"]), "new.json: has schema version 7", "help: ");
    refused(&run(&here, &["--baseline", "src"]), "the baseline `src` cannot be read", "help: ");
    let nowhere = run(&here, &["baseline", "write", "--baseline", "no/where.json"]);
    refused(&nowhere, "the baseline `no/where.json` cannot be written", "help: ");
    refused(
        &run(&here, &["audit", "--baseline", "x"]),
        "`audit` lists sites and asks no rule: it takes no --baseline",
        "",
    );
    refused(&run(&here, &["baseline", "write", "--format", "json"]), "`baseline` reports nothing", "help: ");
    assert_eq!(run(&here, &["baseline"]).status, 2);
}

#[test]
fn only_what_changed_since_a_revision() {
    let here =
        folder("revision", &[("src/a.rs", &file(&[plain("f")])), ("src/ä b.rs", &file(&[plain("g")]))]);
    git(&here, &["init", "-q", "-b", "main"]);
    // what a user has set must not change what is read
    for (name, value) in [
        ("color.diff", "always"),
        ("diff.noprefix", "true"),
        ("diff.external", "false"),
        ("core.fsmonitor", "false-is-run"),
        ("diff.relative", "true"),
    ] {
        git(&here, &["config", name, value]);
    }
    commit(&here, "first");
    let new = |args: &[&str]| {
        let mut all = vec!["--new-from-rev", "HEAD"];
        all.extend(args);
        check(&here, &all).0
    };
    assert_eq!(new(&[]), [""; 0]);
    // a line of one, and lines above it
    let waits_longer = plain("f").replace("from_secs(1)", "from_secs(2)");
    write(&here, "src/a.rs", &file(&["// a\n".to_owned(), waits_longer]));
    let told = new(&[]);
    assert!(
        told.contains(&"f fixed-delay".to_owned()) && !told.iter().any(|it| it.starts_with('g')),
        "{told:?}"
    );
    // a name with odd characters, from another folder
    write(&here, "src/ä b.rs", &file(&[plain("g").replace("loop {", "loop { // changed")]));
    assert_eq!(check(&here.join("src"), &["--new-from-rev", "main", "ä b.rs"]).0, ["g unbounded"]);
    // a file that git does not follow is new
    git(&here, &["checkout", "-q", "."]);
    write(&here, "src/new.rs", &file(&[plain("h")]));
    assert_eq!(new(&[]), ["h unbounded", "h fixed-delay"]);
    // committed, it is old
    commit(&here, "second");
    assert_eq!(new(&[]), [""; 0]);
    assert_eq!(check(&here, &["--new-from-rev", "HEAD~1"]).0, ["h unbounded", "h fixed-delay"]);
    for revision in ["no-such", "--output=x", "", "HEAD:src/a.rs"] {
        refused(
            &run(&here, &["--new-from-rev", revision]),
            &format!("git knows no revision `{revision}`\n"),
            "help: ",
        );
    }
    assert!(!here.join("x").exists());
    refused(
        &run(&here, &["--new-from-rev", "HEAD", "-"]),
        "--new-from-rev is given, but standard input",
        "help: ",
    );
}

#[test]
fn nothing_that_a_repository_configures_is_run() {
    let here = folder(
        "filters",
        &[("src/a.rs", &file(&[plain("f")])), (".gitattributes", "*.rs filter=own diff=own\n")],
    );
    git(&here, &["init", "-q", "-b", "main"]);
    commit(&here, "first");
    let runs = format!("touch '{}'; cat", here.join("ran").display());
    for name in [
        "filter.own.clean",
        "filter.own.process",
        "diff.own.textconv",
        "diff.own.command",
        "diff.external",
        "core.fsmonitor",
    ] {
        git(&here, &["config", name, &runs]);
    }
    git(&here, &["config", "filter.own.required", "true"]);
    write(
        &here,
        "src/a.rs",
        &file(&["// a\n".to_owned(), plain("f").replace("from_secs(1)", "from_secs(2)")]),
    );
    let told = check(&here, &["--new-from-rev", "HEAD"]).0;
    assert!(told.contains(&"f fixed-delay".to_owned()), "{told:?}");
    assert!(!here.join("ran").exists());
    git(&here, &["config", "filter.a=b.clean", &runs]);
    refused(
        &run(&here, &["--new-from-rev", "HEAD"]),
        "git's setting `filter.a=b.clean` cannot be turned off",
        "help: ",
    );
}

#[test]
fn without_git_a_revision_is_refused() {
    let here = folder("no-git", &[("src/lib.rs", "pub fn f() {}\n")]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_retry-lint"));
    let output =
        command.current_dir(&here).args(["--new-from-rev", "HEAD"]).env("PATH", "").output().unwrap();
    refused(&of(&output), "git is not there, and --new-from-rev asks it\n", "help: install git");
    let outside = std::env::temp_dir().join(format!("retry-lint-outside-{}", std::process::id()));
    std::fs::create_dir_all(&outside).unwrap();
    write(&outside, "a.rs", "fn f() {}\n");
    let told = run(&outside, &["--new-from-rev", "HEAD"]);
    std::fs::remove_dir_all(&outside).unwrap();
    refused(&told, "`.` is in no git working tree", "help: ");
}

fn git(folder: &Path, args: &[&str]) {
    let mut command = Command::new("git");
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    let output = command.current_dir(folder).args(args).output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn commit(folder: &Path, message: &str) {
    git(folder, &["add", "-A"]);
    let me = [
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b.c",
        "-c",
        "commit.gpgsign=false",
        "-c",
        "core.fsmonitor=false",
    ];
    let mut args: Vec<&str> = me.to_vec();
    args.extend(["commit", "-q", "-m", message]);
    git(folder, &args);
}
