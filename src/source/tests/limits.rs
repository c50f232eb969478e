use super::{item, read};

/// The body of a function, repeated `n` times around a middle.
fn nested(open: &str, middle: &str, close: &str, n: usize) -> String {
    format!("fn f() {{ {}{middle}{} }}", open.repeat(n), close.repeat(n))
}

#[track_caller]
fn assert_deep(text: &str, deep: bool) {
    let outline = read(text);
    let short = &text[..text.len().min(60)];
    assert_eq!(item(&outline, "f").too_deep, deep, "{short}");
    assert_eq!(outline.problems.len(), usize::from(deep), "{short}: {:?}", outline.problems);
}

#[test]
fn marks_what_nests_too_deep() {
    let shapes = [
        ("(", "x", ")"),
        ("[", "x", "]"),
        ("{", "x", "}"),
        ("loop {", "x", "}"),
        ("if a {", "x", "}"),
        ("if a && b < c {", "x", "}"),
        ("match a { _ => ", "x", "}"),
        ("g(", "x", ")"),
        ("m!(", "x", ")"),
        ("S { a: ", "x", "}"),
        ("!", "x", ""),
        ("-", "x", ""),
        ("&", "x", ""),
        ("&mut ", "x", ""),
        ("&raw const ", "x", ""),
        ("*", "x", ""),
        ("|a| ", "x", ""),
        ("|a, b| ", "x", ""),
        ("#[a] |a, b| ", "x", ""),
        ("|| ", "x", ""),
        ("return ", "x", ""),
        ("a = ", "x", ""),
        ("S {} = ", "x", ""),
        ("..", "x", ""),
        ("..a == b || ", "x", ""),
        ("", "if a {}", " else if b {}"),
        ("", "if a {}", " else if let Some(b) = c {}"),
        ("", "if a {}", " else if { b } {}"),
        ("A::<", "u8", ">::b"),
        ("<", "A", ">::b"),
        ("x as A<B, ", "u8", ">"),
        ("x as A<(), ", "u8", ">"),
        ("x as fn() -> ", "u8", ""),
        ("&'a ", "x", ""),
        ("x as A<dyn for<'a> Fn() -> ", "u8", ">"),
        ("let a @ ", "b", " = 1"),
        ("fn g() {", "x", "}"),
    ];
    for (open, middle, close) in shapes {
        assert_deep(&nested(open, middle, close, 50), false);
        assert_deep(&nested(open, middle, close, 300), true);
        assert_deep(&nested(open, middle, close, 20_000), true);
    }
}

#[test]
fn allows_exactly_the_limit() {
    // The function's own braces are a level.
    assert_deep(&nested("(", "x", ")", 127), false);
    assert_deep(&nested("(", "x", ")", 128), true);
    assert_deep(&nested("!", "x", "", 128), false);
    assert_deep(&nested("!", "x", "", 129), true);
    assert_deep(&nested("", "x", " + x", 4_096), false);
    assert_deep(&nested("", "x", " + x", 4_097), true);
    assert_deep(&nested("", "x", ".g(y)", 4_096), false);
    assert_deep(&nested("", "x", ".g(y)", 4_097), true);
}

#[test]
fn marks_chains_that_are_too_long() {
    for link in [" + x", " && x", ".a", ".a()", "?", ".await", "[0]", "()", " as u8", " | x"] {
        assert_deep(&nested("", "x", link, 4_000), false);
        assert_deep(&nested("", "x", link, 5_000), true);
    }
    // Long chains inside each other add up.
    let inner = ".a".repeat(2_000);
    assert_deep(&format!("fn f() {{ g(g(x{inner}){inner}){inner} }}"), true);
    assert_deep(&format!("fn f() {{ g(x{inner}, y{inner}, z{inner}) }}"), false);
}

#[test]
fn leaves_long_but_flat_code_alone() {
    let flat = [
        format!("fn f() {{ [{}] }}", "-1 + 2 * x(3), ".repeat(20_000)),
        format!("fn f() {{ {} }}", "a.b().c = d + -e;".repeat(20_000)),
        format!(
            "fn f() {{ {} }}",
            "if a < b { c } else if let Some(d) = e { return g } else { h }".repeat(5_000)
        ),
        format!("fn f() {{ match a {{ {} }} }}", "A if b < c => |d| !e, (x, y) => {} &z => {}".repeat(5_000)),
        format!("fn f() {{ {} }}", "let a: A<B, C<D>> = b as &E; ".repeat(5_000)),
        format!("fn f() {{ match a {{ {} => 1 }} }}", "A | ".repeat(4_000) + "B"),
        format!("fn f() {{ {} }}", "{ } ".repeat(5_000)),
        format!("fn f() where {} {{}}", "T: Fn(A) -> B + for<'a> C<'a>, ".repeat(5_000)),
        format!("fn f() {{ g!{{ {} }} }}", "<p class='a'>{ x } \"y\"</p>".repeat(1_000)),
        format!("{} fn f() {{}} {}", "mod m { ".repeat(500), "}".repeat(500)),
    ];
    for text in flat {
        assert_deep(&text, false);
    }
}

#[test]
fn marks_every_item_that_is_parsed_together() {
    let deep = "(".repeat(200) + &")".repeat(200);
    let text = format!("impl A {{ fn f() {{ impl B {{ fn g() {{ {deep} }} fn h() {{}} }} }} fn i() {{}} }}");
    let outline = read(&text);
    let marked: Vec<_> = outline.items.iter().filter(|item| item.too_deep).map(|item| &item.name).collect();
    assert_eq!(marked, ["f", "g"]);
    assert_eq!(outline.problems.len(), 1);
    let problem = &outline.problems[0];
    assert_eq!(problem.message, "nested deeper than 128 levels: this body is not analysed");
    assert!(!problem.fatal);
    // The braces of `f`, `impl B` and `g` are three levels: the 126th bracket is too deep.
    let place = text.find("((").unwrap() + 126;
    assert_eq!((problem.line, problem.column as usize), (1, place));
}

#[test]
fn limits_headers_and_types_too() {
    let deep = |open: &str, close: &str| format!("{}u8{}", open.repeat(200), close.repeat(200));
    for text in [
        format!("fn f(x: {}) {{}}", deep("(", ")")),
        format!("struct f {{ x: {} }}", deep("A<", ">")),
        format!("const f: u8 = {};", deep("[", "]")),
        format!("type f = {};", deep("&", "")),
        format!("macro_rules! f {{ () => {{ {} }} }}", deep("(", ")")),
    ] {
        assert_deep(&text, true);
    }
    let header = format!("impl f<{}> {{}}", deep("(", ")"));
    assert_deep(&header, true);
}
