//! README.md shows what the program prints: each command in it is run, and each table compared with what it is about.
//!
//! A block of the kind `console` holds lines `$ command`, each followed by its output. Standard output and standard error go into one pipe, so
//! the output is what a terminal would show, in that order; it is plain and as wide as it likes, because a pipe has no width. A last line `…`
//! stands for the rest of an output. A block of the kind `toml` is a configuration, and is used. What cargo itself prints (`cargo run …`) is left out. `$ echo $?` is the exit status of the command before.
//!
//! `UPDATE_README=1 cargo test --test readme` writes anew what is shown; read the difference before it is kept.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use retry_lint::rules::Rules;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// The command that runs the main job, and the one that runs all tests: all that a fresh machine needs.
const SET_UP: [&str; 2] = ["cargo run --release -- examples/herd", "cargo test"];
/// A last line of an output that stands for the rest.
const REST: &str = "…";
/// Lines that are shown of an output with a rest, where nobody has chosen another number.
const SHOWN: usize = 8;

#[test]
fn what_it_shows_is_what_is_printed() {
    let text = read("README.md");
    let shown = with_rules(&with_outputs(&text));
    if std::env::var_os("UPDATE_README").is_some_and(|value| value == "1") {
        std::fs::write(in_repository("README.md"), shown).unwrap();
        return;
    }
    for (line, (is, should)) in (1..).zip(text.lines().zip(shown.lines())) {
        assert_eq!(is, should, "README.md:{line} (left) differs; UPDATE_README=1 writes it anew");
    }
    assert_eq!(text, shown, "README.md is shorter or longer than what is printed");
}

#[test]
fn the_commands_that_set_up_are_those_that_ci_runs() {
    let readme = read("README.md");
    let blocks: Vec<Block<'_>> = blocks(&readme).into_iter().filter(|block| block.kind == "sh").collect();
    let [set_up] = blocks.as_slice() else {
        panic!("one block of commands that no test runs, not {}", blocks.len())
    };
    assert_eq!(set_up.lines, SET_UP);
    let script = read(".ci/run");
    for command in SET_UP {
        let runs = |line: &str| {
            line == command || line.strip_prefix(command).is_some_and(|rest| rest.starts_with(" ||"))
        };
        assert!(script.lines().any(runs), ".ci/run does not run `{command}`");
    }
}

#[test]
fn every_block_is_of_a_kind_that_is_checked() {
    for block in blocks(&read("README.md")) {
        assert!(
            ["console", "sh", "toml", "yaml"].contains(&block.kind),
            "a block of the kind `{}`",
            block.kind
        );
    }
}

#[test]
fn its_configurations_can_be_used() {
    let text = read("README.md");
    let shown = blocks(&text).into_iter().filter(|block| block.kind == "toml");
    for (index, block) in shown.enumerate() {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("readme-{index}.toml"));
        std::fs::write(&file, block.lines.join("\n")).unwrap();
        let command = ["retry-lint", "--show-settings", "--config", file.to_str().unwrap(), "examples/herd"];
        let (output, status) = run(&command);
        assert_eq!(status, 0, "the block of line {}: {output}", block.first);
    }
}

/// The blocks for CI systems name what this repository has: the version, the action's inputs, the hook, the formats.
#[test]
fn what_it_tells_ci_systems_is_there() {
    let text = read("README.md");
    let shown: Vec<Block<'_>> = blocks(&text).into_iter().filter(|block| block.kind == "yaml").collect();
    assert_eq!(shown.len(), 3);
    let (action, hooks) = (read("action.yml"), read(".pre-commit-hooks.yaml"));
    let version = concat!("v", env!("CARGO_PKG_VERSION"));
    assert!(action.contains(concat!("default: ", env!("CARGO_PKG_VERSION"))), "the action's version");
    for line in shown.iter().flat_map(|block| &block.lines) {
        let line = line.trim().trim_start_matches("- ");
        if let Some(tag) = line.strip_prefix("uses: retry-lint/retry-lint@").or(line.strip_prefix("rev: ")) {
            assert_eq!(tag, version);
        }
        if let Some(id) = line.strip_prefix("id: ") {
            assert!(hooks.contains(&format!("- id: {id}\n")), "no hook `{id}`");
        }
        if line.starts_with("paths:") {
            assert!(action.contains("\n  paths:\n"), "no input `paths`");
        }
        if let Some(args) = line.strip_prefix("retry-lint --output gitlab:") {
            let report = args.split(' ').next().unwrap();
            assert!(text.contains(&format!("codequality: {report}")));
        }
    }
}

#[test]
fn its_options_are_those_that_there_are() {
    let help = run(&["retry-lint", "--help"]).0;
    let options = |text: &str| -> BTreeSet<String> {
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
        let is_option =
            |word: &&str| word.strip_prefix("--").is_some_and(|name| name.starts_with(char::is_alphabetic));
        words.filter(is_option).map(str::to_owned).collect()
    };
    let readme = read("README.md");
    let table: String = readme.lines().filter(|line| line.starts_with("| `-")).collect();
    let there_are: BTreeSet<String> =
        options(&help).into_iter().filter(|name| name != "--help" && name != "--version").collect();
    assert_eq!(options(&table), there_are);
    // cargo's own, and the one of `audit` alone
    let mut others: BTreeSet<String> = ["--release", "--path", "--all", "--locked"].map(str::to_owned).into();
    let as_cargo_command =
        Command::new(env!("CARGO_BIN_EXE_cargo-retry-lint")).arg("--help").output().unwrap();
    let of_cargo = options(&String::from_utf8(as_cargo_command.stdout).unwrap());
    others.extend(of_cargo.into_iter().filter(|name| !there_are.contains(name)));
    let told: BTreeSet<String> = options(&readme).into_iter().filter(|name| !others.contains(name)).collect();
    assert_eq!(told, there_are, "an option is told that is not there");
}

#[test]
fn what_it_links_to_is_there() {
    for document in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        let text = read(document);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.contains("://") || link.starts_with('#') {
                continue;
            }
            let path = link.split('#').next().unwrap_or_default();
            assert!(in_repository(path).exists(), "{document} links to `{path}`, which is not there");
        }
    }
}

/// A fenced block: its kind, its lines, and where the first of them is in the text's lines.
struct Block<'t> {
    kind: &'t str,
    lines: Vec<&'t str>,
    first: usize,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut open = false;
    for (number, line) in text.lines().enumerate() {
        match line.strip_prefix("```") {
            Some(kind) if !open => {
                blocks.push(Block { kind, lines: Vec::new(), first: number + 1 });
                open = true;
            }
            Some(_) => open = false,
            None if open => blocks.last_mut().unwrap().lines.push(line),
            None => {}
        }
    }
    assert!(!open, "a block that does not end");
    blocks
}

/// The text with the outputs that its commands have.
fn with_outputs(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut made = String::new();
    let mut at = 0;
    for block in blocks(text).iter().filter(|block| block.kind == "console") {
        for line in lines.iter().take(block.first).skip(at) {
            writeln!(made, "{line}").unwrap();
        }
        made += &console(block);
        at = block.first + block.lines.len();
    }
    for line in lines.iter().skip(at) {
        writeln!(made, "{line}").unwrap();
    }
    made
}

/// A block's commands, each with its output.
fn console(block: &Block<'_>) -> String {
    assert!(
        block.lines.first().is_some_and(|line| line.starts_with("$ ")),
        "line {}: output of no command",
        block.first + 1
    );
    let mut made = String::new();
    let mut status = 0;
    let mut lines = block.lines.iter().peekable();
    while let Some(line) = lines.next() {
        let mut shown = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with("$ ")) {
            shown.push(*line);
        }
        let command = line.strip_prefix("$ ").unwrap();
        let output;
        if command == "echo $?" {
            output = format!("{status}\n");
        } else {
            (output, status) = run(&words(command));
        }
        writeln!(made, "{line}").unwrap();
        if shown.last() == Some(&REST) {
            let kept = if shown.len() == 1 { SHOWN } else { shown.len() - 1 };
            assert!(output.lines().count() > kept, "`{command}` has no rest to leave out");
            for line in output.lines().take(kept) {
                writeln!(made, "{line}").unwrap();
            }
            writeln!(made, "{REST}").unwrap();
        } else {
            made += &output;
        }
    }
    made
}

/// The words of a command, which needs no shell.
fn words(command: &str) -> Vec<&str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || " -_./=,".contains(c);
    assert!(
        command.chars().all(plain),
        "`{command}` needs a shell: it cannot be checked, and no block of the kind `console` may have it"
    );
    command.split_whitespace().collect()
}

/// What a command prints, and its exit status.
fn run(words: &[&str]) -> (String, i32) {
    let (["retry-lint", args @ ..] | ["cargo", "run", "--release", "--", args @ ..]) = words else {
        panic!("`{}` cannot be checked, and no block of the kind `console` may have it", words.join(" "))
    };
    let mut command = Command::new(env!("CARGO_BIN_EXE_retry-lint"));
    command.args(args).current_dir(env!("CARGO_MANIFEST_DIR")).stdin(Stdio::null());
    for name in [
        "NO_COLOR",
        "CLICOLOR_FORCE",
        "FORCE_COLOR",
        "CARGO_TERM_COLOR",
        "COLUMNS",
        "RUST_BACKTRACE",
        "GITHUB_WORKSPACE",
        "CI_PROJECT_DIR",
    ] {
        command.env_remove(name);
    }
    let (mut reader, writer) = std::io::pipe().unwrap();
    let mut child = command.stdout(writer.try_clone().unwrap()).stderr(writer).spawn().unwrap();
    // It holds the pipe's other end, and the output would never end.
    drop(command);
    let mut output = String::new();
    reader.read_to_string(&mut output).unwrap();
    (output, child.wait().unwrap().code().expect("an exit status, not a signal"))
}

/// The text with the rules that there are in its table of rules.
fn with_rules(text: &str) -> String {
    let mut made = String::new();
    let mut lines = text.lines().peekable();
    let mut tables = 0;
    while let Some(line) = lines.next() {
        writeln!(made, "{line}").unwrap();
        if !line.starts_with("| rule |") {
            continue;
        }
        tables += 1;
        writeln!(made, "{}", lines.next().unwrap()).unwrap();
        while lines.next_if(|line| line.starts_with('|')).is_some() {}
        for rule in Rules::builtin().unwrap().iter() {
            let title = rule.title.replace('|', "\\|");
            writeln!(made, "| [`{0}`](rules/{0}.md) | {1} | {title} |", rule.name, rule.level.word())
                .unwrap();
        }
    }
    assert_eq!(tables, 1, "one table of rules");
    made
}

fn in_repository(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn read(path: &str) -> String {
    std::fs::read_to_string(in_repository(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}
