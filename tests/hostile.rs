//! Sources that nobody wrote by accident: too deep, too long, broken, misleading. The binary answers each in time, with the exit status that is promised,
//! says what it could not read and where, goes on with the rest, and prints nothing that changes what a terminal shows.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Generous for a debug build on a busy machine; what is quadratic does not get by.
const LIMIT: Duration = Duration::from_secs(60);

/// A retry that brings a finding, to see that what stands around it does not hide it.
const SOUND: &str = "
pub fn sound(addr: &str) -> std::io::Result<std::net::TcpStream> {
    let mut attempt = 0;
    loop {
        match std::net::TcpStream::connect(addr) {
            Ok(stream) => return Ok(stream),
            Err(error) if attempt == 4 => return Err(error),
            Err(_) => std::thread::sleep(std::time::Duration::from_secs(1)),
        }
        attempt += 1;
    }
}
";

struct Run {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

/// What is expected of a file.
#[derive(Clone, Copy, PartialEq)]
enum Told {
    /// It is read: nothing is said about it.
    Nothing,
    /// A part of it is not: a problem with a line.
    Problem,
    /// Either: what matters is that it ends well.
    Either,
}

/// Writes the files and checks the folder in every way of printing, and the exit status with it.
fn check(name: &str, files: &[(&str, &[u8])], told: Told, sound: bool) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for (path, bytes) in files {
        std::fs::write(folder.join(path), bytes).unwrap();
    }
    let expected = Some(i32::from(sound));
    for format in ["human", "concise", "json"] {
        let run = run(&folder, &["check", "--format", format, "--color", "never", "."]);
        assert_eq!(run.status, expected, "{name} as {format}:\n{}\n{}", cut(&run.stdout), cut(&run.stderr));
        for (stream, text) in [("stdout", &run.stdout), ("stderr", &run.stderr)] {
            assert!(!text.contains("internal error"), "{name} as {format}: {}", cut(text));
            let raw = text.chars().find(|c| misleads(*c));
            assert_eq!(raw, None, "{name} as {format}: {:?} on {stream}:\n{}", raw, cut(text));
        }
        if format == "json" {
            let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
            let problems = json["problems"].as_array().unwrap();
            match told {
                Told::Nothing => assert!(problems.is_empty(), "{name}: {problems:?}"),
                Told::Problem => assert!(!problems.is_empty(), "{name}: nothing is said"),
                Told::Either => {}
            }
            for problem in problems {
                assert!(!problem["path"].as_str().unwrap().is_empty(), "{name}: {problem}");
                assert!(!problem["message"].as_str().unwrap().is_empty(), "{name}: {problem}");
            }
        }
    }
    let audit = run(&folder, &["audit", "--all", "--color", "never", "."]);
    assert_eq!(audit.status, Some(0), "{name}: audit:\n{}\n{}", cut(&audit.stdout), cut(&audit.stderr));
    if told == Told::Problem {
        let strict = run(&folder, &["check", "--strict", "--color", "never", "."]);
        assert!(matches!(strict.status, Some(1 | 2)), "{name}: {:?}", strict.status);
    }
}

/// A function with this body, and a sound one after it.
fn body(name: &str, body: &str, told: Told) {
    let text = format!("pub fn hostile() {{\n{body}\n}}\n{SOUND}");
    check(name, &[("hostile.rs", text.as_bytes())], told, true);
}

/// These items, and a sound function after them.
fn items(name: &str, items: &str, told: Told) {
    let text = format!("{items}\n{SOUND}");
    check(name, &[("hostile.rs", text.as_bytes())], told, true);
}

fn run(folder: &Path, args: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retry-lint"));
    for name in ["NO_COLOR", "CLICOLOR_FORCE", "COLUMNS", "RUST_BACKTRACE"] {
        command.env_remove(name);
    }
    command.args(args).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Both pipes are read while it runs, else a long output would stop it.
    let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let out = std::thread::spawn(move || {
        let mut text = Vec::new();
        out.read_to_end(&mut text).map(|_| text)
    });
    let err = std::thread::spawn(move || {
        let mut text = Vec::new();
        err.read_to_end(&mut text).map(|_| text)
    });
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if began.elapsed() > LIMIT {
            child.kill().unwrap();
            panic!("{args:?} in {}: no answer after {LIMIT:?}", folder.display());
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let text = |it: std::thread::JoinHandle<std::io::Result<Vec<u8>>>| {
        String::from_utf8(it.join().unwrap().unwrap()).unwrap()
    };
    Run { status: status.code(), stdout: text(out), stderr: text(err) }
}

/// Characters that a terminal acts on in place of showing them.
fn misleads(c: char) -> bool {
    let bidi =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    bidi || c.is_control() && c != '\n'
}

fn cut(text: &str) -> String {
    text.chars().take(2_000).collect()
}

fn times(text: &str, count: usize) -> String {
    text.repeat(count)
}

fn nested(open: &str, core: &str, close: &str, depth: usize) -> String {
    format!("{}{core}{}", times(open, depth), times(close, depth))
}

#[test]
fn nesting_within_the_limit_is_read() {
    body("blocks-100", &nested("{", "", "}", 100), Told::Nothing);
    body("loops-100", &nested("loop { ", "break;", " }", 100), Told::Nothing);
    body("parentheses-100", &format!("let _ = {};", nested("(", "1", ")", 100)), Told::Nothing);
}

#[test]
fn nested_blocks_and_loops() {
    for depth in [500, 20_000] {
        body(&format!("loops-{depth}"), &nested("loop { ", "break;", " }", depth), Told::Problem);
        body(&format!("blocks-{depth}"), &nested("{", "", "}", depth), Told::Problem);
        body(&format!("unsafe-{depth}"), &nested("unsafe {", "", "}", depth), Told::Problem);
        body(&format!("async-{depth}"), &nested("let _ = async {", "", "};", depth), Told::Problem);
        body(&format!("labels-{depth}"), &nested("'a: while true {", "", "}", depth), Told::Problem);
        body(&format!("matches-{depth}"), &nested("match 1 { _ => ", "()", "}", depth), Told::Problem);
        body(&format!("functions-{depth}"), &nested("fn f() {", "", "}", depth), Told::Problem);
    }
}

#[test]
fn nested_expressions() {
    for depth in [500, 20_000] {
        let cases: [(&str, &str, &str); 10] = [
            ("parentheses", "(", ")"),
            ("arrays", "[", "]"),
            ("calls", "f(", ")"),
            ("closures", "|| ", ""),
            ("closures-with-arguments", "|x| ", ""),
            ("closures-with-blocks", "|| { ", " }"),
            ("async-closures", "async move || ", ""),
            ("structs", "S { s: ", " }"),
            ("macros", "m!(", ")"),
            ("vec", "vec![", "]"),
        ];
        for (name, open, close) in cases {
            body(
                &format!("{name}-{depth}"),
                &format!("let _ = {};", nested(open, "1", close, depth)),
                Told::Either,
            );
        }
    }
}

#[test]
fn long_chains() {
    let chained = |link: &str, count| format!("let _ = a{};", times(link, count));
    let before = |link: &str, count| format!("let _ = {}a;", times(link, count));
    for (name, text) in [
        ("plus", chained(" + 1", 200_000)),
        ("or", chained(" || b", 200_000)),
        ("methods", chained(".b()", 200_000)),
        ("fields", chained(".b", 200_000)),
        ("awaits", chained(".await", 200_000)),
        ("questions", chained("?", 200_000)),
        ("casts", chained(" as u8", 200_000)),
        ("indices", chained("[0]", 200_000)),
        ("calls", chained("()", 200_000)),
        ("ranges", chained("..b", 200_000)),
        ("assignments", chained(" = b", 200_000)),
        ("not", before("!", 200_000)),
        ("minus", before("-", 200_000)),
        ("stars", before("*", 200_000)),
        ("references", before("&", 200_000)),
        ("mutable-references", before("&mut ", 100_000)),
        ("returns", before("return ", 100_000)),
        ("breaks", before("break ", 100_000)),
        ("labels", before("'a: ", 100_000)),
        ("paths", format!("let _ = {}a;", times("a::", 200_000))),
        ("if-lets", format!("if true {} {{}}", times("&& let Some(x) = a", 20_000))),
        ("else-ifs", format!("if a {{}}{}", times(" else if a {}", 5_000))),
        ("let-elses", times("let Some(a) = b else { return };\n", 5_000)),
        ("arms", format!("match a {{ {} _ => {{}} }}", times("1 => {}\n", 20_000))),
        ("alternatives", format!("match a {{ {} 2 => {{}} }}", times("1 | ", 100_000))),
        ("statements", times("a();\n", 50_000)),
    ] {
        body(&format!("chain-{name}"), &text, Told::Either);
    }
}

#[test]
fn nested_types_and_patterns() {
    for depth in [500, 20_000] {
        for (name, text) in [
            ("generics", format!("let a: {};", nested("A<", "B", ">", depth))),
            ("generics-spaced", format!("let a: {};", nested("A<", "B", " >", depth))),
            ("turbofish", format!("let a = f::<{}>();", nested("A<", "B", ">", depth))),
            ("tuples", format!("let a: {};", nested("(", "B", ",)", depth))),
            ("slices", format!("let a: {};", nested("[", "B", "]", depth))),
            ("references", format!("let a: {}B;", times("&", depth))),
            ("pointers", format!("let a: {}B;", times("*const ", depth))),
            ("functions", format!("let a: {};", nested("fn(", "B", ")", depth))),
            ("results", format!("let a: {}B;", times("fn() -> ", depth))),
            ("patterns", format!("let {} = a;", nested("Some(", "b", ")", depth))),
            ("reference-patterns", format!("let {}b = a;", times("&", depth))),
            ("bindings", format!("let {}_ = a;", times("a @ ", depth))),
        ] {
            body(&format!("type-{name}-{depth}"), &text, Told::Either);
        }
        items(
            &format!("signature-{depth}"),
            &format!("fn f(a: {}) {{}}", nested("A<", "B", ">", depth)),
            Told::Either,
        );
        items(
            &format!("field-{depth}"),
            &format!("struct S {{ a: {} }}", nested("A<", "B", ">", depth)),
            Told::Either,
        );
        items(
            &format!("bounds-{depth}"),
            &format!("fn f<T: {}>() {{}}", nested("Fn(", "B", ")", depth)),
            Told::Either,
        );
        items(
            &format!("impl-{depth}"),
            &format!("impl {} {{ fn f() {{}} }}", nested("A<", "B", ">", depth)),
            Told::Either,
        );
        items(
            &format!("constant-{depth}"),
            &format!("const A: u8 = {};", nested("(", "1", ")", depth)),
            Told::Either,
        );
        items(&format!("array-{depth}"), &format!("const A: u8 = {}1;", times("!", depth)), Told::Either);
    }
}

#[test]
fn nested_items() {
    for depth in [500, 20_000] {
        items(&format!("modules-{depth}"), &nested("mod a {", "", "}", depth), Told::Either);
        items(&format!("uses-{depth}"), &format!("use {};", nested("a::{", "b", "}", depth)), Told::Either);
        items(
            &format!("attributes-{depth}"),
            &format!("#[{}]\nfn a() {{}}", nested("a(", "b", ")", depth)),
            Told::Either,
        );
        items(
            &format!("many-attributes-{depth}"),
            &format!("{} fn a() {{}}", times("#[a]", depth)),
            Told::Either,
        );
        items(
            &format!("macro-rules-{depth}"),
            &format!("macro_rules! m {{ ($a:expr) => {{ {} }} }}", nested("loop {", "$a", "}", depth)),
            Told::Either,
        );
        items(
            &format!("macro-pattern-{depth}"),
            &format!("macro_rules! m {{ ({}) => {{}} }}", nested("$(", "a", ")*", depth)),
            Told::Either,
        );
    }
}

#[test]
fn comments_and_literals() {
    items("comments", &nested("/*", " ", "*/", 50_000), Told::Nothing);
    items("comment-lines", &times("// a\n", 100_000), Told::Nothing);
    items("doc-lines", &format!("{}pub struct A;", times("/// a\n", 50_000)), Told::Nothing);
    items("raw-string", &format!("const A: &str = r{0}\"a\"{0};", times("#", 200)), Told::Nothing);
    items("long-identifier", &format!("fn {}() {{}}", times("a", 1 << 20)), Told::Nothing);
    items("long-number", &format!("const A: u8 = {};", times("1", 100_000)), Told::Nothing);
    items("lifetimes", &format!("fn f<{}>() {{}}", times("'a, ", 50_000)), Told::Either);
}

#[test]
fn what_never_ends() {
    for (name, end) in [
        ("comment", "/* and so on"),
        ("string", "const A: &str = \"and so on"),
        ("raw-string", "const A: &str = r##\"and so on\"#"),
        ("byte-string", "const A: &[u8] = b\"and so on"),
        ("brace", "fn f() { if a {"),
        ("parenthesis", "fn f(a: u8"),
        ("bracket", "const A: [u8; 3] = [1, 2"),
        ("attribute", "#[derive("),
        ("macro", "m! { a"),
    ] {
        let text = format!("{SOUND}\n{end}\n");
        check(&format!("unended-{name}"), &[("hostile.rs", text.as_bytes())], Told::Problem, true);
    }
    for (name, text) in [
        ("closing", "}}}}"),
        ("crossed", "fn f() { ( } )"),
        ("words", "this is no Rust at all, is it"),
        ("half", "fn f( { loop { match x { Ok( => } }"),
        ("lone-quote", "'"),
        ("quoted-word", "const A: char = 'ab"),
        ("hash", "#"),
        ("dollars", "$$$"),
    ] {
        check(&format!("broken-{name}"), &[("hostile.rs", text.as_bytes())], Told::Either, false);
    }
}

#[test]
fn bytes_that_are_no_text() {
    let invalid = [SOUND.as_bytes(), b"\n// \xff\xfe\x80\n"].concat();
    check("invalid-utf-8", &[("hostile.rs", &invalid), ("sound.rs", SOUND.as_bytes())], Told::Problem, true);
    check("empty", &[("hostile.rs", b"")], Told::Nothing, false);
    check("byte-order-mark", &[("hostile.rs", b"\xef\xbb\xbf")], Told::Nothing, false);
    check(
        "two-byte-order-marks",
        &[("hostile.rs", b"\xef\xbb\xbf\xef\xbb\xbffn f() {}")],
        Told::Either,
        false,
    );
    check("nuls", &[("hostile.rs", &vec![0; 100_000]), ("sound.rs", SOUND.as_bytes())], Told::Either, true);
    let nul_inside = SOUND.replace("attempt += 1;", "\0attempt += 1;");
    check(
        "nul-inside",
        &[("hostile.rs", nul_inside.as_bytes()), ("sound.rs", SOUND.as_bytes())],
        Told::Either,
        true,
    );
    let utf_16: Vec<u8> = format!("\u{feff}{SOUND}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    check("utf-16", &[("hostile.rs", &utf_16), ("sound.rs", SOUND.as_bytes())], Told::Problem, true);
    check("carriage-returns", &[("hostile.rs", SOUND.replace('\n', "\r\n").as_bytes())], Told::Nothing, true);
    check(
        "lone-carriage-returns",
        &[("hostile.rs", SOUND.replace('\n', "\r").as_bytes())],
        Told::Either,
        true,
    );
    check("form-feeds", &[("hostile.rs", SOUND.replace("    ", "\u{c}").as_bytes())], Told::Nothing, true);
    check("tabs", &[("hostile.rs", SOUND.replace("    ", "\t").as_bytes())], Told::Nothing, true);
}

#[test]
fn long_lines() {
    let filler = times("x", 10 << 20);
    let with_string = format!("pub const A: &str = \"{filler}\";");
    check("long-string", &[("hostile.rs", with_string.as_bytes())], Told::Nothing, false);
    let one_line = format!("{} pub const A: &str = \"{filler}\";", SOUND.replace('\n', " "));
    check("long-line", &[("hostile.rs", one_line.as_bytes())], Told::Nothing, true);
    let wait = "Err(_) => std";
    let inside = SOUND
        .replace(wait, &format!("Err(_) => {{ let _ = \"{filler}\"; }} Err(_) => std"))
        .replace('\n', " ");
    check("long-before-the-wait", &[("hostile.rs", inside.as_bytes())], Told::Nothing, true);
    let many: String =
        (0..2_000).map(|n| SOUND.replace("sound", &format!("sound_{n}")).replace('\n', " ")).collect();
    check("many-in-one-line", &[("hostile.rs", many.as_bytes())], Told::Nothing, true);
}

#[test]
fn characters_that_mislead() {
    let wide = SOUND.replace("Err(_) => std", "/* 漢字 ＡＢＣ 👩‍👩‍👧‍👦 e\u{301} */ Err(_) => std");
    check("wide", &[("hostile.rs", wide.as_bytes())], Told::Nothing, true);
    for (name, mark) in [
        ("escape", "\u{1b}[2J\u{1b}[31m"),
        ("bell", "\u{7}\u{8}\u{7f}"),
        ("c1", "\u{9b}31m\u{85}"),
        ("bidi", "\u{202e}\u{2066}\u{2069}\u{200f}\u{61c}"),
        ("carriage-return", "a\rb"),
    ] {
        let comment = SOUND.replace("Err(_) => std", &format!("/* {mark} */ Err(_) => std"));
        check(&format!("{name}-in-comment"), &[("hostile.rs", comment.as_bytes())], Told::Either, true);
        // A string must not hold this one; it breaks the function.
        let breaks = mark.contains('\r');
        let string = SOUND.replace("connect(addr)", &format!("connect(\"{mark}:80\")"));
        let told = if breaks { Told::Problem } else { Told::Either };
        check(&format!("{name}-in-operation"), &[("hostile.rs", string.as_bytes())], told, !breaks);
        let broken = format!("fn f() {{ \"{mark}\n{SOUND}");
        check(&format!("{name}-in-problem"), &[("hostile.rs", broken.as_bytes())], Told::Problem, false);
    }
}

#[cfg(unix)]
#[test]
fn file_names_that_mislead() {
    use std::os::unix::ffi::OsStrExt as _;
    for (name, file) in [
        ("escape", "a\u{1b}[31m.rs".as_bytes()),
        ("bidi", "a\u{202e}sr.rs".as_bytes()),
        ("newline", b"a\nb.rs"),
        ("quote", b"a\"b'c`.rs"),
        ("backslash", b"a\\b.rs"),
        ("dash", b"-rf.rs"),
        ("not-utf-8", b"a\xff.rs"),
    ] {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile").join(format!("name-{name}"));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let path: PathBuf = folder.join(std::ffi::OsStr::from_bytes(file));
        std::fs::write(path, SOUND).unwrap();
        for format in ["human", "concise", "json"] {
            let run = run(&folder, &["check", "--format", format, "--color", "never", "."]);
            assert_eq!(run.status, Some(1), "{name} as {format}:\n{}\n{}", run.stdout, run.stderr);
            let raw = run.stdout.chars().chain(run.stderr.chars()).find(|c| misleads(*c));
            assert_eq!(raw, None, "{name} as {format}:\n{}", run.stdout);
        }
    }
}

#[test]
fn folders_and_links() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile").join("folders");
    let _ = std::fs::remove_dir_all(&folder);
    let mut deep = folder.clone();
    for _ in 0..60 {
        deep.push("a");
    }
    std::fs::create_dir_all(&deep).unwrap();
    std::fs::write(deep.join("sound.rs"), SOUND).unwrap();
    std::fs::create_dir_all(folder.join("folder.rs")).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&folder, folder.join("round")).unwrap();
        std::os::unix::fs::symlink("nowhere", folder.join("dangling.rs")).unwrap();
    }
    let run = run(&folder, &["check", "--format", "json", "."]);
    assert_eq!(run.status, Some(1), "{}\n{}", run.stdout, run.stderr);
}

#[test]
fn standard_input_is_read_alike() {
    use std::io::Write as _;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for (text, status) in
        [(nested("fn f() { loop {", "", "}}", 20_000), 0), (SOUND.to_owned(), 1), (String::new(), 0)]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_retry-lint"));
        command.args(["check", "--format", "json", "-"]).current_dir(folder);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(text.as_bytes()).unwrap();
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn delays_that_take_long_to_count() {
    let tried = |delays: &str| {
        format!(
            "for delay in {delays} {{\n\
                 if std::net::TcpStream::connect(\"db:1\").is_ok() {{ return; }}\n\
                 std::thread::sleep(std::time::Duration::from_millis(delay));\n\
             }}"
        )
    };
    let repeated = "std::iter::repeat(1).take(9)";
    for (name, delays) in [
        ("skipped", "std::iter::successors(Some(1), |d| Some(d * 2)).skip(10_000_000_000)".to_owned()),
        ("unknown", "std::iter::successors(Some(1), anything()).skip(10_000_000_000)".to_owned()),
        ("chained", format!("{repeated}{}", times(&format!(".chain({repeated})"), 30))),
        ("behind", format!("{repeated}.chain(std::iter::repeat(2)).skip(10_000_000_000)")),
        ("folded", "0..(-9_000_000_000_000_000_000i64..5).fold(1, |delay, _| delay * 2)".to_owned()),
    ] {
        body(&format!("delays-{name}"), &tried(&delays), Told::Nothing);
    }
}
