//! What `--fix` and `--diff` promise: that nothing but what was asked for is changed, that a file keeps its form, and that nothing is written over
//! what could not be had back. Run as a command, over real files and real git repositories.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

#[path = "common/run.rs"]
mod ran;

use ran::Run;
use serde_json::Value;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const MANIFEST: &str = "[package]\nname = \"a\" # ours\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\ntokio = \"1\"\nrand = \"0.9\"\n";
const USES: &str = "use std::time::Duration;\nuse tokio::net::TcpStream;\nuse tokio::time::sleep;\n\n";

/// A delay that grows up to a cap: its fix is safe.
const GROWS: &str = "pub async fn grows(addr: &str) -> std::io::Result<TcpStream> {
    let mut delay = Duration::from_millis(100);
    let mut attempt = 0;
    loop {
        match TcpStream::connect(addr).await {
            Ok(stream) => return Ok(stream),
            Err(error) if attempt == 5 => return Err(error),
            Err(_) => sleep(delay).await,
        }
        attempt += 1;
        delay = (delay * 2).min(Duration::from_secs(30));
    }
}
";

/// The same delay each time: its fix makes callers wait longer, and is unsafe.
const FIXED: &str = "pub async fn fixed(addr: &str) -> std::io::Result<TcpStream> {
    let mut attempt = 0;
    loop {
        match TcpStream::connect(addr).await {
            Ok(stream) => return Ok(stream),
            Err(error) if attempt == 5 => return Err(error),
            Err(_) => sleep(Duration::from_secs(1)).await,
        }
        attempt += 1;
    }
}
";

/// What the safe fix makes of `sleep(delay)`.
const DRAWN: &str = "sleep(delay.mul_f64(rand::random::<f64>())).await";

fn both() -> String {
    format!("{USES}{GROWS}\n{FIXED}")
}

fn grows() -> String {
    format!("{USES}{GROWS}")
}

/// A package of its own for a test, with these files; above it git finds nothing.
fn package(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fixing").join(name);
    let _ = fs::remove_dir_all(&root);
    write(&root, "Cargo.toml", MANIFEST);
    for (path, text) in files {
        write(&root, path, text);
    }
    root.canonicalize().unwrap()
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn read(root: &Path, path: &str) -> String {
    fs::read_to_string(root.join(path)).unwrap()
}

impl Run {
    /// Failed, said so, and said what to do.
    fn is_refused(&self, error: &str, help: &str) {
        assert_eq!((self.status, self.stdout.as_str()), (2, ""), "{self:?}");
        assert!(self.stderr.starts_with(&format!("error: {error}")), "{}", self.stderr);
        assert!(self.stderr.contains(&format!("help: {help}")), "{}", self.stderr);
    }
}

fn without_git_above(program: &str, folder: &Path) -> Command {
    let mut command = Command::new(program);
    for name in
        ["NO_COLOR", "CLICOLOR_FORCE", "CARGO_TERM_COLOR", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"]
    {
        command.env_remove(name);
    }
    let tests = Path::new(env!("CARGO_TARGET_TMPDIR")).canonicalize().unwrap().join("fixing");
    command.env("GIT_CEILING_DIRECTORIES", tests).current_dir(folder).stdin(Stdio::null());
    command
}

fn run(folder: &Path, args: &[&str]) -> Run {
    Run::of(without_git_above(env!("CARGO_BIN_EXE_retry-lint"), folder).args(args).output().unwrap())
}

fn with_input(mut command: Command, input: &str) -> Run {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    Run::of(child.wait_with_output().unwrap())
}

fn git(folder: &Path, args: &[&str]) -> String {
    let settings = [
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@t",
        "-c",
        "core.autocrlf=false",
        "-c",
        "commit.gpgsign=false",
    ];
    let output = without_git_above("git", folder).args(settings).args(args).output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn commit(folder: &Path) {
    git(folder, &["init", "--quiet"]);
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "-m", "all"]);
}

#[test]
fn a_diff_is_what_git_applies_and_changes_nothing() {
    // an end of lines of another kind, none at the end, a blank in a name
    let crlf = both().trim_end().replace('\n', "\r\n");
    let files = [("src/lib.rs", both()), ("src/a b/c é.rs", crlf)];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let shown = package("diff", &files);
    let fixed = package("diff-fixed", &files);
    commit(&shown);
    for below in ["", "src"] {
        let folder = shown.join(below);
        let run = run(&folder, &["--diff", "--unsafe-fixes"]);
        assert_eq!(run.status, 1, "{run:?}");
        assert!(run.stdout.starts_with("--- a/") && run.stdout.contains("\n+++ b/"), "{run:?}");
        assert!(!run.stdout.contains("warning["), "{run:?}");
        assert!(run.stderr.contains("info: --fix would apply 4 fixes in 2 files\n"), "{run:?}");
        assert_eq!(git(&shown, &["status", "--porcelain"]), "", "it changes nothing");
        let mut apply = without_git_above("git", &folder);
        apply.args(["apply", "--whitespace=nowarn", "-"]);
        let applied = with_input(apply, &run.stdout);
        assert_eq!((applied.status, applied.stderr.as_str()), (0, ""));
        self::run(&fixed, &["--fix", "--unsafe-fixes"]);
        for (path, before) in &files {
            assert_ne!(read(&shown, path), *before);
            assert_eq!(read(&shown, path), read(&fixed, path), "{below} {path}");
        }
        let none = self::run(&folder, &["--diff", "--unsafe-fixes"]);
        assert_eq!((none.status, none.stdout.as_str()), (0, ""), "{none:?}");
        git(&shown, &["checkout", "--quiet", "."]);
    }
    let safe = run(&shown, &["--diff"]);
    assert_eq!((safe.status, safe.stdout.matches("\n+  ").count()), (1, 2), "{safe:?}");
    assert!(
        safe.stderr.contains(
            "info: left out 2 unsafe fixes: more than the fault would change; add --unsafe-fixes for that\n"
        ),
        "{safe:?}"
    );
    let colour = run(&shown, &["--diff", "--color", "always"]);
    assert!(colour.stdout.contains("\u{1b}[31m-  ") && colour.stdout.contains("\u{1b}[32m+  "), "{colour:?}");
}

#[test]
fn safe_fixes_unless_more_is_asked_for_and_each_once() {
    let root = package("safe", &[("src/lib.rs", &both())]);
    let left = run(&root, &["--fix", "--format", "concise"]);
    let safe = read(&root, "src/lib.rs");
    assert_eq!(safe, both().replace("sleep(delay).await", DRAWN));
    assert_eq!(left.status, 1, "one is left: {left:?}");
    assert!(left.stdout.starts_with("src/lib.rs:25:23: warning[fixed-delay] "), "{left:?}");
    assert!(left.stdout.ends_with(" [unsafe fix]\n") && left.stdout.lines().count() == 1, "{left:?}");
    assert_eq!(
        left.stderr,
        "info: applied 1 fix in 1 file\ninfo: left out 1 unsafe fix: more than the fault would change; add --unsafe-fixes for that\n"
    );
    let again = run(&root, &["--fix"]);
    assert!(again.stderr.contains("info: no fixes to apply\n"), "{again:?}");
    assert!(again.stdout.contains("apply fixes: 1 unsafe (--fix --unsafe-fixes)"), "{again:?}");
    assert_eq!(read(&root, "src/lib.rs"), safe);
    let all = run(&root, &["--fix", "--unsafe-fixes"]);
    assert_eq!((all.status, all.stdout.as_str()), (0, "no findings in 1 file; 2 sites\n"), "{all:?}");
    let fixed = read(&root, "src/lib.rs");
    assert_ne!(fixed, safe);
    let again = run(&root, &["--fix", "--unsafe-fixes"]);
    assert_eq!((again.status, read(&root, "src/lib.rs")), (0, fixed));
    assert_eq!(read(&root, "Cargo.toml"), MANIFEST);
}

#[test]
fn the_preferred_jitter_is_what_is_written() {
    let unbounded = format!(
        "{USES}pub async fn dial(addr: &str) -> TcpStream {{\n    loop {{\n        \
         if let Ok(stream) = TcpStream::connect(addr).await {{\n            return stream;\n        }}\n        \
         sleep(Duration::from_secs(3)).await;\n    }}\n}}\n"
    );
    for (jitter, written) in [
        ("full", ".mul_f64(rand::random::<f64>())"),
        ("equal", ".mul_f64(0.5 + rand::random::<f64>() / 2.0)"),
        ("decorrelated", ".saturating_mul(3)"),
    ] {
        let root = package(&format!("jitter-{jitter}"), &[("src/lib.rs", &unbounded)]);
        write(&root, "retry-lint.toml", &format!("preferred-jitter = \"{jitter}\"\n"));
        run(&root, &["--fix", "--unsafe-fixes", "--select", "fixed-delay"]);
        let fixed = read(&root, "src/lib.rs");
        assert!(fixed.contains(written), "{jitter}:\n{fixed}");
        let again =
            run(&root, &["--select", "fixed-delay", "--select", "jitter-clipped", "--select", "no-jitter"]);
        assert_eq!(
            (again.status, again.stdout.as_str()),
            (0, "no findings in 1 file; 1 site\n"),
            "{again:?}"
        );
    }
}

#[test]
fn nothing_is_written_over_what_git_has_not() {
    let root = package("dirty", &[("src/lib.rs", &grows()), ("notes.txt", "1\n")]);
    commit(&root);
    write(&root, "notes.txt", "2\n");
    let refused = run(&root, &["--fix"]);
    refused
        .is_refused("there are changes that are not committed (`notes.txt`)", "commit or stash them first");
    assert_eq!(read(&root, "src/lib.rs"), grows());
    git(&root, &["add", "notes.txt"]);
    run(&root.join("src"), &["--fix"])
        .is_refused("there are changes that are not committed (`notes.txt`)", "");
    git(&root, &["commit", "--quiet", "-m", "notes"]);
    // what git does not follow cannot be had back from it
    write(&root, "src/new.rs", &grows());
    run(&root, &["--fix"]).is_refused("there are changes that are not committed (`src/new.rs`)", "");
    assert_eq!(run(&root, &["--diff"]).status, 1, "a diff writes nothing");
    assert_eq!(run(&root, &["--fix", "--allow-dirty"]).status, 0);
    assert_eq!(read(&root, "src/new.rs"), grows().replace("sleep(delay).await", DRAWN));

    let root = package("committed", &[("src/lib.rs", &grows())]);
    commit(&root);
    write(&root, "other.txt", "not ours\n");
    assert_eq!(run(&root, &["--fix"]).status, 0);
    assert_eq!(read(&root, "src/lib.rs"), grows().replace("sleep(delay).await", DRAWN));
}

#[test]
fn standard_input_has_a_diff_and_no_place() {
    let root = package("stdin", &[("src/lib.rs", "")]);
    let run = |args: &[&str]| {
        let mut command = without_git_above(env!("CARGO_BIN_EXE_retry-lint"), &root);
        command.args(args);
        with_input(command, &grows())
    };
    run(&["--fix", "-"])
        .is_refused("what comes on standard input cannot be fixed in its place", "use `--diff`");
    let diff = run(&["--diff", "--stdin-filename", "src/lib.rs", "-"]);
    assert_eq!(diff.status, 1, "{diff:?}");
    assert!(diff.stdout.starts_with("--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ "), "{diff:?}");
    assert!(diff.stdout.contains(&format!("\n+            Err(_) => {DRAWN},\n")), "{diff:?}");
    assert_eq!(read(&root, "src/lib.rs"), "");
}

#[test]
fn a_file_keeps_its_form() {
    let crlf = format!("\u{feff}{}", grows().trim_end().replace('\n', "\r\n"));
    let root = package("form", &[("src/lib.rs", &crlf), ("src/tabs.rs", &grows().replace("    ", "\t"))]);
    assert_eq!(run(&root, &["--fix"]).status, 0);
    assert_eq!(read(&root, "src/lib.rs"), crlf.replace("sleep(delay).await", DRAWN));
    assert_eq!(
        read(&root, "src/tabs.rs"),
        grows().replace("    ", "\t").replace("sleep(delay).await", DRAWN)
    );
    let left: Vec<_> = fs::read_dir(root.join("src")).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "no draft is left: {left:?}");
}

#[test]
#[cfg(unix)]
fn permissions_and_links_stay() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let root =
        package("modes", &[("src/lib.rs", &grows()), ("src/run.rs", &grows()), ("shared.txt", &grows())]);
    let set =
        |path: &str, mode| fs::set_permissions(root.join(path), fs::Permissions::from_mode(mode)).unwrap();
    let mode = |path: &str| fs::metadata(root.join(path)).unwrap().permissions().mode() & 0o7777;
    set("src/lib.rs", 0o640);
    set("src/run.rs", 0o755);
    symlink("../shared.txt", root.join("src/link.rs")).unwrap();
    let run = run(&root, &["--fix", "src/lib.rs", "src/run.rs", "src/link.rs"]);
    assert_eq!(run.status, 0, "{run:?}");
    assert_eq!((mode("src/lib.rs"), mode("src/run.rs")), (0o640, 0o755));
    assert!(fs::symlink_metadata(root.join("src/link.rs")).unwrap().is_symlink());
    for path in ["src/lib.rs", "src/run.rs", "shared.txt"] {
        assert_eq!(read(&root, path), grows().replace("sleep(delay).await", DRAWN), "{path}");
    }
}

#[test]
#[cfg(unix)]
fn what_cannot_be_written_fails_the_run_and_is_still_reported() {
    use std::os::unix::fs::PermissionsExt as _;
    let root = package("read-only", &[("src/lib.rs", &grows()), ("src/other.rs", &grows())]);
    let set =
        |path: &str, mode| fs::set_permissions(root.join(path), fs::Permissions::from_mode(mode)).unwrap();
    set("src/lib.rs", 0o444);
    let failed = run(&root, &["--fix", "--format", "json"]);
    assert_eq!(failed.status, 2, "{failed:?}");
    assert!(
        failed.stderr.contains("error: src/lib.rs: is read-only, and is left as it is\nhelp: "),
        "{failed:?}"
    );
    assert!(failed.stderr.contains("info: applied 1 fix in 1 file\n"), "{failed:?}");
    assert_eq!(read(&root, "src/lib.rs"), grows());
    assert_eq!(read(&root, "src/other.rs"), grows().replace("sleep(delay).await", DRAWN));
    let json: Value = serde_json::from_str(&failed.stdout).unwrap();
    let findings = json["findings"].as_array().unwrap();
    assert_eq!((findings.len(), &findings[0]["path"]), (1, &"src/lib.rs".into()), "{json}");
    assert_eq!(json["problems"][0]["path"], "src/lib.rs");

    set("src/lib.rs", 0o644);
    set("src", 0o555);
    // whoever may write everywhere sees nothing of it
    if fs::File::create(root.join("src/probe")).is_err() {
        let failed = run(&root, &["--fix"]);
        assert_eq!(failed.status, 2, "{failed:?}");
        assert!(failed.stderr.contains("error: src/lib.rs: cannot be written: "), "{failed:?}");
        assert_eq!(read(&root, "src/lib.rs"), grows());
    }
    set("src", 0o755);
}

#[test]
fn a_dependency_is_only_asked_for() {
    let manifest = MANIFEST.replace("rand = \"0.9\"\n", "");
    let root = package("needs", &[("Cargo.toml", &manifest), ("src/lib.rs", &grows())]);
    let plain = run(&root, &[]);
    assert!(plain.stdout.contains("= fix (unsafe): wait a random part of the delay"), "{plain:?}");
    assert!(plain.stdout.contains("= needs: `fastrand = \"2\"` in [dependencies]\n"), "{plain:?}");
    let fixed = run(&root, &["--fix", "--unsafe-fixes"]);
    assert!(
        fixed.stderr.contains("warning: the fixes need a source of random numbers: add `fastrand = \"2\"` to [dependencies] of Cargo.toml, or say --add-dependency fastrand\n"),
        "{fixed:?}"
    );
    assert_eq!(read(&root, "Cargo.toml"), manifest);
    assert!(read(&root, "src/lib.rs").contains("delay.mul_f64(fastrand::f64())"));
}

#[test]
fn a_dependency_that_is_added_makes_the_fix_safe() {
    let lib = grows();
    let manifest = MANIFEST.replace("rand = \"0.9\"\n", "");
    let bare = "[package]\nname = \"b\"\nversion.workspace = true\n";
    let root = package(
        "added",
        &[
            (
                "Cargo.toml",
                "[workspace]\nmembers = [\"a\", \"b\"]\n[workspace.package]\nversion = \"0.1.0\"\n",
            ),
            ("a/Cargo.toml", &manifest),
            ("a/src/lib.rs", &lib),
            ("b/Cargo.toml", bare),
            ("b/src/lib.rs", &lib),
            ("b/src/fixed.rs", &format!("{USES}{FIXED}")),
        ],
    );
    let args = ["--add-dependency", "fastrand"];
    let shown = run(&root, &[&["--diff"][..], &args].concat());
    assert_eq!(shown.status, 1, "{shown:?}");
    assert!(
        shown.stdout.contains("--- a/a/Cargo.toml\n") && shown.stdout.contains("\n+fastrand = \"2\"\n"),
        "{shown:?}"
    );
    assert_eq!(read(&root, "a/Cargo.toml"), manifest);
    let fixed = run(&root, &[&["--fix"][..], &args].concat());
    assert!(fixed.stderr.contains("info: applied 2 fixes in 2 files\n"), "{fixed:?}");
    assert!(fixed.stderr.contains("info: added a dependency to a/Cargo.toml\n"), "{fixed:?}");
    assert_eq!(read(&root, "a/Cargo.toml"), format!("{manifest}fastrand = \"2\"\n"));
    assert_eq!(read(&root, "b/Cargo.toml"), format!("{bare}\n[dependencies]\nfastrand = \"2\"\n"));
    for member in ["a", "b"] {
        assert!(read(&root, &format!("{member}/src/lib.rs")).contains("delay.mul_f64(fastrand::f64())"));
    }
    assert_eq!(
        read(&root, "b/src/fixed.rs"),
        format!("{USES}{FIXED}"),
        "that one is unsafe for other reasons"
    );
    let again = run(&root, &[&["--fix"][..], &args].concat());
    assert!(again.stderr.contains("info: no fixes to apply\n"), "{again:?}");
    assert_eq!(read(&root, "a/Cargo.toml").matches("fastrand").count(), 1);
}

#[test]
fn what_is_hidden_is_not_fixed() {
    let hidden =
        grows().replace("    loop {", "    // retry-lint: ignore[no-jitter] one client only\n    loop {");
    let root = package("hidden", &[("src/lib.rs", &hidden)]);
    assert_eq!(run(&root, &["--fix", "--unsafe-fixes"]).status, 0);
    assert_eq!(read(&root, "src/lib.rs"), hidden);

    let root = package("baseline", &[("src/lib.rs", &both())]);
    assert_eq!(run(&root, &["baseline", "write", "--select", "fixed-delay"]).status, 0);
    let run = run(&root, &["--fix", "--unsafe-fixes"]);
    assert_eq!(
        (run.status, run.stdout.as_str()),
        (0, "no findings in 1 file; 2 sites; 1 in the baseline\n"),
        "{run:?}"
    );
    assert_eq!(read(&root, "src/lib.rs"), both().replace("sleep(delay).await", DRAWN));
}

/// Lines that a fix has moved are still as old as they were.
#[test]
fn what_is_older_than_the_revision_is_not_fixed() {
    let forever = |name: &str, end: &str| {
        format!(
            "pub async fn {name}(addr: &str) -> TcpStream {{{end}loop {{{end}match TcpStream::connect(addr).await {{{end}Ok(stream) => return stream,{end}Err(_) => sleep(Duration::from_secs(1)).await,{end}}}{end}}}{end}}}\n"
        )
    };
    let (one, old, two) = (forever("one", "\n"), forever("old", " "), forever("two", "\n"));
    let root = package("older", &[("src/lib.rs", &format!("{USES}{old}"))]);
    commit(&root);
    write(&root, "src/lib.rs", &format!("{USES}{one}{old}{two}"));
    let args = ["--fix", "--unsafe-fixes", "--allow-dirty", "--select", "fixed-delay"];
    let run = |more: &[&str]| self::run(&root, &[&args[..], more].concat());
    let some = run(&["--new-from-rev", "HEAD"]);
    let fixed = read(&root, "src/lib.rs");
    assert!(some.stderr.contains("info: applied 2 fixes in 1 file\n"), "{some:?}");
    assert!(fixed.contains(&old), "{fixed}");
    assert_eq!((some.status, some.stdout.starts_with("no findings")), (0, true), "{some:?}");
    assert!(run(&[]).stderr.contains("info: applied 1 fix in 1 file\n"), "it could have been");
}

#[test]
fn what_is_left_is_told_in_any_format() {
    let root = package("left", &[("src/lib.rs", &both())]);
    let json = run(&root, &["--fix", "--format", "json"]);
    assert_eq!((json.status, json.stderr.lines().next()), (1, Some("info: applied 1 fix in 1 file")));
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["findings"].as_array().unwrap().len(), 1);
    let fix = &json["findings"][0]["fixes"][0];
    assert_eq!((&fix["safety"], &fix["needs"]), (&"unsafe".into(), &Value::Null));
    let (edit, text) = (&fix["edits"][0], read(&root, "src/lib.rs"));
    let range = edit["start_byte"].as_u64().unwrap() as usize..edit["end_byte"].as_u64().unwrap() as usize;
    assert!(
        text[range.clone()].contains("Duration::from_secs(1)"),
        "not of the file as it is now: {range:?}"
    );
    let quiet = run(&root, &["--fix", "--unsafe-fixes", "-q"]);
    assert_eq!((quiet.status, quiet.stdout.as_str(), quiet.stderr.as_str()), (0, "", ""));
}

#[test]
fn options_that_do_not_apply_are_refused() {
    let root = package("options", &[("src/lib.rs", &both())]);
    for (args, error, help) in [
        (&["audit", "--fix"][..], "`audit` lists sites and asks no rule: it takes no --fix", ""),
        (
            &["audit", "--add-dependency", "fastrand"],
            "`audit` lists sites and asks no rule: it takes no --add-dependency",
            "",
        ),
        (&["baseline", "write", "--diff"], "`baseline` reports nothing: it takes no --diff", ""),
        (&["rules", "--fix"], "`rules` takes no options", ""),
        (&["--fix", "--diff"], "--fix is given together with --diff", "--diff shows what --fix would change"),
        (&["--unsafe-fixes"], "--unsafe-fixes is given without --fix or --diff", "`--fix --unsafe-fixes`"),
        (&["--diff", "--allow-dirty"], "--allow-dirty is given without --fix", "nothing else writes"),
        (
            &["--diff", "--format", "json"],
            "--diff prints a unified diff: it takes no --format",
            "`--format json`",
        ),
        (&["--diff", "--output", "json:out"], "--diff prints a unified diff: it takes no --format", ""),
        (
            &["--fix", "--format", "cargo", "--with-check"],
            "--with-check is given together with --fix",
            "cargo would",
        ),
        (
            &["--fix", "--add-dependency", "fastrnd"],
            "unknown crate `fastrnd` in --add-dependency\n",
            "did you mean `fastrand`?\n",
        ),
        (
            &["--add-dependency", "serde"],
            "unknown crate `serde` in --add-dependency\n",
            "fixes can add fastrand\n",
        ),
    ] {
        run(&root, args).is_refused(error, help);
    }
    assert_eq!(read(&root, "src/lib.rs"), both());
    assert!(!root.join("out").exists());
}

#[test]
fn files_of_several_packages_and_one_file_by_two_names() {
    let member = MANIFEST.replace("\"a\"", "\"b\"").replace("rand = \"0.9\"\n", "fastrand = \"2\"\n");
    let files = [
        ("Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]\n"),
        ("a/Cargo.toml", MANIFEST),
        ("a/src/lib.rs", &grows()),
        ("b/Cargo.toml", &member),
        ("b/src/lib.rs", &grows()),
    ];
    let root = package("several", &files);
    let absolute = root.join("a/src/lib.rs");
    let run = run(&root, &["--fix", "a/src/lib.rs", "./a/src/lib.rs", absolute.to_str().unwrap(), "a", "b"]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.stderr.contains("info: applied 2 fixes in 2 files\n"), "{run:?}");
    assert_eq!(read(&root, "a/src/lib.rs"), grows().replace("sleep(delay).await", DRAWN));
    assert!(read(&root, "b/src/lib.rs").contains("sleep(delay.mul_f64(fastrand::f64())).await"));

    let root = package("cargo", &files);
    let mut cargo = without_git_above(env!("CARGO_BIN_EXE_cargo-retry-lint"), &root.join("a"));
    let run = Run::of(cargo.args(["retry-lint", "-p", "b", "--fix"]).output().unwrap());
    assert_eq!(run.status, 0, "{run:?}");
    assert_eq!(read(&root, "a/src/lib.rs"), grows(), "another package");
    assert!(read(&root, "b/src/lib.rs").contains("fastrand::f64()"));
}

#[test]
#[cfg(unix)]
fn a_link_and_what_it_leads_to_are_changed_once() {
    let root = package("linked", &[("src/lib.rs", &grows())]);
    std::os::unix::fs::symlink("lib.rs", root.join("src/also.rs")).unwrap();
    let run = run(&root, &["--fix", "src/also.rs", "src/lib.rs"]);
    assert!(run.status < 2, "{run:?}");
    assert_eq!(read(&root, "src/lib.rs"), grows().replace("sleep(delay).await", DRAWN));
}
