//! What formats for other tools promise to those tools, on real files: that cargo's readers take our lines for cargo's, that paths are told
//! from the right folder, that files are whole, and that nothing but data is written.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "common/run.rs"]
mod ran;

use cargo_metadata::Message;
use cargo_metadata::diagnostic::DiagnosticLevel;
use ran::Run;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A loop that waits the same time, in a line that has more bytes than characters and more UTF-16 units than code points.
const REDIAL: &str = "use std::{net::TcpStream, thread, time::Duration};

pub fn dial(addr: &str) -> std::io::Result<TcpStream> {
    let mut attempt = 1;
    loop {
        match TcpStream::connect(addr) {
            Ok(stream) => return Ok(stream),
            Err(error) if attempt == 5 => return Err(error),
            Err(_) => { let _ = \"é🦀\"; thread::sleep(Duration::from_secs(1)) }
        }
        attempt += 1;
    }
}
";
const SLEEP: &str = "thread::sleep(Duration::from_secs(1))";

fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("formats").join(name);
    let _ = std::fs::remove_dir_all(&root);
    for (path, text) in files {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    root.canonicalize().unwrap()
}

/// Asking for colour as loudly as one can: no format here has any.
fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = plain_command(folder, args);
    command.env("CLICOLOR_FORCE", "1").env("FORCE_COLOR", "1").args(["--color", "always"]);
    command
}

fn plain_command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retry-lint"));
    for name in ["NO_COLOR", "GITHUB_WORKSPACE", "CI_PROJECT_DIR", "CARGO_TERM_COLOR", "RUSTC_WRAPPER"] {
        command.env_remove(name);
    }
    command.args(args).current_dir(folder).stdin(Stdio::null());
    command
}

fn run_with(mut command: Command) -> Run {
    let output = command.output().unwrap();
    Run::of(output)
}

fn run(folder: &Path, args: &[&str]) -> Run {
    run_with(command(folder, args))
}

/// A workspace with what makes package ids and targets differ: a name that is not the folder's, spaces, inherited fields, several targets.
fn workspace(name: &str) -> PathBuf {
    let files = [
        (
            "Cargo.toml",
            "[workspace]\nresolver = \"2\"\nmembers = [\"net\", \"tools/a b\"]\n[workspace.package]\nversion = \"1.2.3-rc.1\"\nedition = \"2021\"\n",
        ),
        ("net/Cargo.toml", "[package]\nname = \"net\"\nversion.workspace = true\nedition.workspace = true\n"),
        ("net/src/lib.rs", "pub mod redial;\n"),
        ("net/src/redial.rs", REDIAL),
        (
            "tools/a b/Cargo.toml",
            "[package]\nname = \"a-b\"\nversion = \"0.3.0\"\nedition = \"2024\"\n[lib]\nname = \"both\"\n",
        ),
        ("tools/a b/src/lib.rs", ""),
        ("tools/a b/src/main.rs", "fn main() { let _ = both_dial(\"\"); }\nuse dial as both_dial;\n"),
        ("tools/a b/src/bin/extra.rs", "fn main() {}\n"),
    ];
    let root = folder(name, &files);
    for file in ["tools/a b/src/main.rs", "tools/a b/src/bin/extra.rs", "tools/a b/src/lib.rs"] {
        let text = std::fs::read_to_string(root.join(file)).unwrap();
        std::fs::write(root.join(file), format!("{text}{REDIAL}")).unwrap();
    }
    root
}

fn messages(text: &str) -> Vec<Message> {
    Message::parse_stream(text.as_bytes()).map(Result::unwrap).collect()
}

#[test]
fn cargos_reader_takes_our_lines_for_cargos() {
    let root = workspace("cargo");
    let run = run(&root, &["--format", "cargo"]);
    assert_eq!((run.status, run.stderr.as_str()), (1, ""), "{run:?}");
    let metadata = cargo_metadata::MetadataCommand::new()
        .current_dir(&root)
        .no_deps()
        .other_options(["--offline".to_owned()])
        .exec()
        .unwrap();
    let mut names = Vec::new();
    for message in messages(&run.stdout) {
        let Message::CompilerMessage(message) = message else { panic!("{message:?}") };
        let package = metadata.packages.iter().find(|package| package.id == message.package_id);
        let package = package.unwrap_or_else(|| panic!("cargo knows no package {}", message.package_id));
        assert!(package.targets.contains(&message.target), "{:?}\n{:?}", message.target, package.targets);
        names.push(format!("{} {}", package.name, message.target.name));
        let diagnostic = message.message;
        assert_eq!(diagnostic.level, DiagnosticLevel::Warning);
        assert_eq!(diagnostic.code.unwrap().code, "retry_lint::fixed_delay");
        let primary: Vec<_> = diagnostic.spans.iter().filter(|span| span.is_primary).collect();
        assert_eq!(primary.len(), 1);
        let span = primary[0];
        let text = std::fs::read_to_string(root.join(&span.file_name)).unwrap();
        assert_eq!(text.get(span.byte_start as usize..span.byte_end as usize), Some(SLEEP));
        let line: Vec<char> = text.lines().nth(span.line_start - 1).unwrap().chars().collect();
        assert_eq!(line[span.column_start - 1..span.column_end - 1].iter().collect::<String>(), SLEEP);
        assert_eq!(span.text[0].text, line.iter().collect::<String>());
        assert!(diagnostic.rendered.unwrap().starts_with("warning[fixed-delay]: "));
        assert!(diagnostic.children.iter().any(|child| child.message.starts_with("see https://")));
    }
    names.sort();
    assert_eq!(names, ["a-b a-b", "a-b both", "a-b extra", "net net"]);
    let from_within = self::run(&root.join("net/src"), &["--format", "cargo"]);
    assert!(from_within.stdout.contains("\"file_name\":\"net/src/redial.rs\""), "{from_within:?}");
}

#[test]
fn a_clean_run_and_a_file_of_no_package() {
    let root = folder("loose", &[("a.rs", "fn f() {}\n"), ("b/redial.rs", REDIAL)]);
    let clean = run(&root, &["--format", "cargo", "a.rs"]);
    assert_eq!((clean.status, clean.stdout.as_str()), (0, ""));
    let found = messages(&run(&root, &["--format", "cargo", "b/redial.rs"]).stdout);
    assert!(matches!(&found[..], [Message::CompilerMessage(_)]), "{found:?}");
}

#[test]
fn with_check_cargos_own_messages_come_first() {
    let root = workspace("with-check");
    let mut checked = command(&root, &["--format=cargo", "--with-check"]);
    checked.env("CARGO_TARGET_DIR", root.join("target")).env("CARGO_NET_OFFLINE", "true");
    let run = run_with(checked);
    assert_eq!(run.status, 1, "{run:?}");
    let messages = messages(&run.stdout);
    let ours = |message: &Message| matches!(message, Message::CompilerMessage(it) if it.message.code.as_ref().is_some_and(|code| code.code.starts_with("retry_lint::")));
    let first = messages.iter().position(ours).unwrap();
    let artifacts = messages.iter().take(first).filter(|it| matches!(it, Message::CompilerArtifact(_)));
    assert!(artifacts.count() >= 4, "{}", run.stdout);
    assert_eq!(messages.iter().filter(|it| ours(it)).count(), 4);
    assert!(matches!(messages.last(), Some(Message::BuildFinished(it)) if it.success));

    std::fs::write(root.join("net/src/lib.rs"), "pub mod redial; fn broken() -> u8 { \"\" }\n").unwrap();
    let mut checked = command(&root, &["--format=cargo", "--with-check"]);
    checked.env("CARGO_TARGET_DIR", root.join("target")).env("CARGO_NET_OFFLINE", "true");
    let run = run_with(checked);
    assert_eq!(run.status, 2, "{run:?}");
    assert!(self::messages(&run.stdout).iter().any(ours), "{}", run.stdout);
}

#[test]
fn without_check_nothing_is_built() {
    let root = workspace("no-check");
    run(&root, &["--format", "cargo"]);
    assert!(!root.join("target").exists() && !root.join("Cargo.lock").exists());
    let refused = run(&root, &["--with-check"]);
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.contains("--with-check is given without `--format cargo`"), "{refused:?}");
}

#[test]
fn paths_are_told_from_the_checkout_that_ci_names() {
    let root = workspace("checkout");
    let told = |format: &str, variable: &str| {
        let mut command = command(&root.join("net"), &["--format", format, "src"]);
        command.env(variable, &root);
        run_with(command).stdout
    };
    assert!(told("github", "GITHUB_WORKSPACE").starts_with("::warning file=net/src/redial.rs,line=9,"));
    assert!(told("gitlab", "CI_PROJECT_DIR").contains("\"path\": \"net/src/redial.rs\""));
    assert!(told("sarif", "GITHUB_WORKSPACE").contains("\"uri\": \"net/src/redial.rs\""));
    assert!(told("sarif", "HOME").contains("\"uri\": \"src/redial.rs\""));
    // An absolute path is the same file, and is told the same way.
    let absolute = root.join("net/src/redial.rs");
    let run = run(&root, &["--format", "sarif", absolute.to_str().unwrap()]);
    assert!(run.stdout.contains("\"uri\": \"net/src/redial.rs\""), "{}", run.stdout);
}

#[test]
fn columns_are_code_points_in_sarif() {
    let root = folder("columns", &[("a b#.rs", REDIAL)]);
    let log: Value = serde_json::from_str(&run(&root, &["--format", "sarif"]).stdout).unwrap();
    let run = &log["runs"][0];
    let place = &run["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a%20b%23.rs");
    let line: Vec<char> = REDIAL.lines().nth(8).unwrap().chars().collect();
    let column = |name: &str| place["region"][name].as_u64().unwrap() as usize - 1;
    assert_eq!(line[column("startColumn")..column("endColumn")].iter().collect::<String>(), SLEEP);
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let index = run["results"][0]["ruleIndex"].as_u64().unwrap() as usize;
    assert_eq!(rules[index]["id"], run["results"][0]["ruleId"]);
    for rule in rules {
        for text in ["shortDescription", "fullDescription", "help"] {
            assert!(!rule[text]["text"].as_str().unwrap().is_empty(), "{rule}");
        }
    }
}

#[test]
fn one_run_writes_several_files() {
    let root = workspace("several");
    let args = [
        "--format",
        "concise",
        "--output",
        "sarif:out.sarif",
        "--output",
        "human:../several/out.txt",
        "--output=github:out.gh",
    ];
    let several = run(&root, &args);
    assert_eq!(several.status, 1, "{several:?}");
    assert_eq!(several.stdout, run(&root, &["--format", "concise"]).stdout);
    for (file, format) in [("out.sarif", "sarif"), ("out.gh", "github")] {
        assert_eq!(
            std::fs::read_to_string(root.join(file)).unwrap(),
            run(&root, &["--format", format]).stdout
        );
    }
    let human = std::fs::read_to_string(root.join("out.txt")).unwrap();
    assert!(human.starts_with("warning[fixed-delay]") && !human.contains('\u{1b}'), "{human}");
    let audit = run(&root, &["audit", "--output", "json:sites.json"]);
    assert_eq!(audit.status, 0, "{audit:?}");
    assert!(std::fs::read_to_string(root.join("sites.json")).unwrap().contains("\"sites\""));
    let left = std::fs::read_dir(&root)
        .unwrap()
        .filter(|it| it.as_ref().unwrap().file_name().to_string_lossy().starts_with('.'));
    assert_eq!(left.count(), 0, "no draft is left");
}

#[test]
fn what_cannot_be_written_is_refused_before_the_run() {
    let root = folder("refused", &[("redial.rs", REDIAL)]);
    for (args, error) in [
        (
            &["--output", "sarif:no/such/out.sarif"][..],
            "error: `no/such/out.sarif` cannot be written: there is no folder `no/such`",
        ),
        (&["--output", "sarif:."], "error: `.` is a folder"),
        (&["--output", "json:a", "--output", "sarif:a"], "error: two results are to be written to `a`"),
        (
            &["--output", "sarf:a"],
            "error: invalid value 'sarf:a' for '--output <FORMAT:FILE>': there is no format `sarf`; did you mean `sarif`?",
        ),
        (&["audit", "--format", "sarif"], "error: `audit` lists sites, and `sarif` is a format for findings"),
        (
            &["audit", "--output", "github:a"],
            "error: `audit` lists sites, and `github` is a format for findings",
        ),
        (&["rules", "--output", "json:a"], "error: `rules` takes no options"),
    ] {
        let run = run_with(plain_command(&root, args));
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{args:?}");
        assert!(run.stderr.starts_with(error), "{}", run.stderr);
        assert!(!root.join("a").exists());
    }
}

#[test]
fn machines_get_data_and_nothing_else() {
    let root = folder("data", &[("redial.rs", REDIAL), ("broken.rs", "fn f( {\n    loop {}\n")]);
    for format in ["sarif", "github", "gitlab", "cargo", "json"] {
        let run = run(&root, &["--format", format]);
        assert!(!run.stdout.contains('\u{1b}'), "{format}");
        match format {
            "sarif" | "gitlab" | "json" => drop(serde_json::from_str::<Value>(&run.stdout).unwrap()),
            "cargo" => {
                assert!(messages(&run.stdout).iter().all(|it| matches!(it, Message::CompilerMessage(_))));
            }
            _ => assert!(run.stdout.starts_with("::warning ")),
        }
    }
}
