//! Ranges and offsets of errors, in texts that make counting hard.

use super::{range, whole};
use crate::body::{Body, ExprKind, Span, Stmt, parse_const, parse_fn, parse_macro_rules};

/// The source of every expression, shortest first.
fn pieces<'a>(text: &'a str, body: &Body) -> Vec<&'a str> {
    let mut pieces: Vec<&str> =
        body.exprs().map(|(_, expr)| &text[expr.span.start as usize..expr.span.end as usize]).collect();
    pieces.sort_by_key(|piece| (piece.len(), *piece));
    pieces
}

#[test]
fn ranges_are_exact_in_nasty_texts() {
    let function = "fn f() { let π = \"ü\\u{1F600}😀\"; /* ‰ */ g(π).é().await? }";
    for before in [
        "",
        "\u{feff}",
        "// äöü 😀\r\n\r\n",
        "\u{feff}#![x]\r\nmod 日本 {}\r\n/// doc ß\r\n",
        "const S: &str = r##\"\"#🦀\"##;\n",
    ] {
        let text = format!("{before}{function}\nfn after() {{}}");
        let body = parse_fn(&text, range(&text, function)).unwrap();
        assert_eq!(
            pieces(&text, &body),
            [
                "g",
                "π",
                "g(π)",
                "g(π).é()",
                "g(π).é().await",
                "\"ü\\u{1F600}😀\"",
                "g(π).é().await?",
                "{ let π = \"ü\\u{1F600}😀\"; /* ‰ */ g(π).é().await? }",
            ],
            "after {before:?}"
        );
    }
}

#[test]
fn ranges_are_exact_across_lines_ends_and_docs() {
    let text = "fn f() {\r\n    /// döc\r\n    /** ë */\r\n    let a = r#\"x\r\n\"y\"\"#;\r\n    // ŋ\r\n    a\r\n        .b()\r\n}";
    let body = whole(text);
    assert!(pieces(text, &body).contains(&"a\r\n        .b()"));
    assert!(pieces(text, &body).contains(&"r#\"x\r\n\"y\"\"#"));
    let [Stmt::Let { span, .. }] = body.stmts_of(body.root) else { panic!("one statement") };
    assert_eq!(*span, range(text, "let a = r#\"x\r\n\"y\"\"#;"));
}

#[test]
fn ranges_of_every_kind() {
    for (text, piece) in [
        ("((a)).b", "((a)).b"),
        ("(a + b) * (c)", "(a + b) * (c)"),
        ("x = (a)", "x = (a)"),
        ("'l: loop { }", "'l: loop { }"),
        ("'l: for x in y {}", "'l: for x in y {}"),
        ("while a {}", "while a {}"),
        ("unsafe { a }", "unsafe { a }"),
        ("'b: { a }", "'b: { a }"),
        ("async move { a }", "async move { a }"),
        ("move |x| (x)", "move |x| (x)"),
        ("for<'a> |x| x", "for<'a> |x| x"),
        ("async |x| x", "async |x| x"),
        ("if a { b } else { c }", "if a { b } else { c }"),
        ("match a { _ => b }", "match a { _ => b }"),
        ("a as Vec<u8>", "a as Vec<u8>"),
        ("a::b::<C>", "a::b::<C>"),
        ("<A as B>::c", "<A as B>::c"),
        ("S { a: 1, ..b }", "S { a: 1, ..b }"),
        ("a.0.1", "a.0.1"),
        ("(a)..=(b)", "(a)..=(b)"),
        ("..b", "..b"),
        ("return (a)", "return (a)"),
        ("break 'x", "break 'x"),
        ("m ! { a }", "m ! { a }"),
        ("-(1)", "-(1)"),
        ("&mut (a)", "&mut (a)"),
        ("[a; 2]", "[a; 2]"),
        ("#[cfg(x)] a", "a"),
        ("(a)", "a"),
    ] {
        let padded = format!("é {text} é");
        let body = parse_const(&padded, range(&padded, text)).unwrap();
        let span = body.expr(body.root).span;
        assert_eq!(&padded[span.start as usize..span.end as usize], piece, "of `{text}`");
    }
}

#[test]
fn ranges_inside_macros_and_method_names() {
    let text = "fn f() { info!(\"é\", x = m![y.go(1)]); select! { z = é.run() => {} } }";
    let body = whole(text);
    let mut names: Vec<&str> = Vec::new();
    for (_, expr) in body.exprs() {
        if let ExprKind::Method(call) = &expr.kind {
            names.push(&text[call.name_span.start as usize..call.name_span.end as usize]);
        }
    }
    assert_eq!(names, ["go", "run"]);
    assert!(pieces(text, &body).contains(&"y.go(1)"));
    assert!(pieces(text, &body).contains(&"é.run()"));
}

#[test]
fn ranges_of_macro_arms_keep_the_dollar() {
    let item = "macro_rules! m { ($é:expr) => { $crate::g($é) } }";
    let text = format!("// ü\n{item}");
    let arms = parse_macro_rules(&text, range(&text, item));
    assert_eq!(pieces(&text, &arms[0]), ["$é", "$crate::g", "$crate::g($é)"]);
}

#[test]
fn errors_point_at_their_place() {
    for (text, at) in [
        ("fn f() { let = 1; }", "= 1"),
        ("fn f() { a b }", "b }"),
        ("fn é() { a.; }", "; }"),
        ("fn f();", ";"),
        ("fn f() { \"open }", "\"open"),
        ("fn f() {} fn g() {}", "fn g"),
    ] {
        let padded = format!("// ä\r\n{text}\n");
        let error = parse_fn(&padded, range(&padded, text)).unwrap_err();
        assert_eq!(error.offset, range(&padded, at).start, "of `{text}`: {error}");
        assert!(!error.message.is_empty());
    }
}

#[test]
fn text_that_ends_too_early_is_an_error_at_its_end() {
    let error = parse_fn("fn f()", Span { start: 0, end: 6 }).unwrap_err();
    assert_eq!(error.offset, 6);
}

#[test]
fn ranges_outside_the_text_are_errors() {
    for range in [Span { start: 0, end: 99 }, Span { start: 5, end: 2 }, Span { start: 1, end: 2 }] {
        assert!(parse_fn("é fn f() {}", range).is_err(), "{range:?}");
    }
    assert!(parse_macro_rules("x", Span { start: 3, end: 9 }).is_empty());
}

#[test]
fn a_second_parse_on_the_thread_counts_from_its_own_start() {
    let text = "fn f() { aa } fn g() { bb }";
    for piece in ["fn g() { bb }", "fn f() { aa }", "fn g() { bb }"] {
        let body = parse_fn(text, range(text, piece)).unwrap();
        let name = &piece[9..11];
        assert!(pieces(text, &body).contains(&name));
    }
}
