//! Where a comment for the tool may stand, and what it is then about.

use super::super::{comments_for, lints_of, source_file};

/// What each comment is about; `-` for nothing.
fn about(text: &str) -> Vec<String> {
    let file = source_file("src/lib.rs".into(), text.into()).unwrap();
    let comments = comments_for(&file, "tool");
    comments
        .iter()
        .map(|comment| comment.about.map_or("-", |span| file.slice(span)).trim().to_owned())
        .collect()
}

#[test]
fn a_comment_is_about_its_line_or_what_comes_next() {
    let cases: &[(&str, &str)] = &[
        // behind code: the code before it on its line
        ("fn f() {\n    a();\n    b(); // tool: x\n    c();\n}", "b();"),
        ("fn f() {\n    loop { // tool: x\n        c();\n    }\n}", "loop {"),
        ("fn f() {\n    c(\n        1, // tool: x\n    );\n}", "1,"),
        ("fn f() {\n    b(); /* tool: x */\n}", "b();"),
        // above a statement, as far as it goes
        ("fn f() {\n    // tool: x\n    b(1, 2);\n    c();\n}", "b(1, 2);"),
        ("fn f() {\n    // tool: x\n\n    // more words\n    b();\n    c();\n}", "b();"),
        (
            "fn f() {\n    // tool: x\n    loop {\n        b();\n    }\n    c();\n}",
            "loop {\n        b();\n    }",
        ),
        ("fn f() {\n    // tool: x\n    'a: while g() { b(); }\n    c();\n}", "'a: while g() { b(); }"),
        (
            "fn f() {\n    // tool: x\n    if a { b() } else if c { d() } else { e() }\n    g();\n}",
            "if a { b() } else if c { d() } else { e() }",
        ),
        (
            "fn f() {\n    // tool: x\n    if let A { b } = c { d() }\n    g();\n}",
            "if let A { b } = c { d() }",
        ),
        (
            "fn f() {\n    // tool: x\n    match a { _ => b }.c().await?;\n    g();\n}",
            "match a { _ => b }.c().await?;",
        ),
        (
            "fn f() {\n    // tool: x\n    let a: Map<B, C> = loop { break d(); };\n    g();\n}",
            "let a: Map<B, C> = loop { break d(); };",
        ),
        ("fn f() {\n    // tool: x\n    a::<B, C>(d);\n    g();\n}", "a::<B, C>(d);"),
        ("fn f() {\n    // tool: x\n    a = B { c };\n    g();\n}", "a = B { c };"),
        ("fn f() {\n    // tool: x\n    tail()\n}\nfn g() {}", "tail()"),
        ("fn f() {\n    /* tool: x */ b(); c();\n}", "b();"),
        // above an arm, an argument, a field, a link of a chain
        (
            "fn f() {\n    match a {\n        // tool: x\n        B { c } => { d() }\n        _ => e,\n    }\n}",
            "B { c } => { d() }",
        ),
        (
            "fn f() {\n    match a {\n        // tool: x\n        B if c > d => e,\n        _ => g,\n    }\n}",
            "B if c > d => e,",
        ),
        ("fn f() {\n    a(\n        // tool: x\n        b.c(d),\n        e,\n    );\n}", "b.c(d),"),
        (
            "fn f() {\n    a\n        // tool: x\n        .b()\n        .c();\n    d();\n}",
            ".b()\n        .c();",
        ),
        ("m! { a; // tool: x\n b }", "m! { a;"),
        // above an item: all of it, attributes and docs between
        ("// tool: x\npub async fn f() { a(); }\nfn g() {}", "pub async fn f() { a(); }"),
        ("// tool: x\n/// Docs.\n#[b(c)]\nfn f() -> D { a() }\nfn g() {}", "#[b(c)]\nfn f() -> D { a() }"),
        ("#[b]\n// tool: x\nfn f() {}\nfn g() {}", "fn f() {}"),
        (
            "// tool: x\nimpl A for B { fn f() {} fn g() {} }\nfn h() {}",
            "impl A for B { fn f() {} fn g() {} }",
        ),
        ("// tool: x\nconst A: [u8; 2] = [1, 2];\nfn h() {}", "const A: [u8; 2] = [1, 2];"),
        ("\u{feff}// tool: x\r\nfn f() {}\r\nfn g() {}", "fn f() {}"),
        // above nothing
        ("fn f() {\n    a();\n    // tool: x\n}", "-"),
        ("fn f() {}\n// tool: x", "-"),
        ("fn f() {\n    // tool: x\n    b(", "b("),
    ];
    for (text, expected) in cases {
        assert_eq!(about(text), [*expected], "{text}");
    }
}

#[test]
fn strings_docs_and_prose_are_no_comments_for_the_tool() {
    let none = [
        "fn f() { let a = \"// tool: x\"; }",
        "fn f() { let a = r#\"\n// tool: x\n\"#; }",
        "/// tool: x\nfn f() {}",
        "//! tool: x\nfn f() {}",
        "/** tool: x */\nfn f() {}",
        "/*! tool: x */\nfn f() {}",
        "/* // tool: x */ fn f() {}",
        "// see tool: x\nfn f() {}",
        "#[doc = \"tool: x\"] fn f() {}",
    ];
    for text in none {
        assert_eq!(about(text), [""; 0], "{text}");
    }
}

#[test]
fn stacked_comments_are_about_the_same() {
    let text = "fn f() {\n    // tool: x\n    // tool: y\n    a(); // tool: z\n}";
    assert_eq!(
        about(text),
        ["a(); // tool: z", "a(); // tool: z", "a();"].map(|it| it.replace(" // tool: z", ""))
    );
}

#[test]
fn many_comments_in_one_endless_statement_stay_quick() {
    let text = format!("fn f() {{ a\n{} }}", "// tool: x\n+ a\n".repeat(100_000));
    assert_eq!(about(&text).len(), 100_000);
}

#[test]
fn attributes_that_name_the_tool() {
    let lints = |text: &str| -> Vec<String> {
        let file = source_file("src/lib.rs".into(), text.into()).unwrap();
        let told = lints_of(&file, "tool");
        told.iter()
            .map(|lint| format!("{}{} {}", if lint.inner { "!" } else { "" }, lint.level, lint.lint))
            .collect()
    };
    assert_eq!(
        lints("#![allow(tool::a_b)]\n#[expect(x, tool::c, reason = \"d\")]\nfn f() {}"),
        ["!allow a_b", "expect c"]
    );
    assert_eq!(lints("#[cfg_attr(x, warn(tool::c))] fn f() { #[deny(tool::d)] a(); }"), ["warn c", "deny d"]);
    let none = [
        "use tool::allow;",
        "fn f() { allow(tool::x); }",
        "#[tool::x] fn f() {}",
        "// #[allow(tool::x)]",
        "#[allow(tool::",
    ];
    for text in none {
        assert_eq!(lints(text), [""; 0], "{text}");
    }
}

#[test]
fn a_file_that_ends_anywhere_is_read() {
    let text = "// tool: ä\n#[allow(tool::b)] fn f() { /* tool: c */ match a { B { c } => d(\"// tool: e\"), _ => g::<H, I>() } // tool: j\n}";
    for (end, _) in text.char_indices() {
        let cut = text.get(..end).unwrap();
        assert!(about(cut).len() <= 3, "{cut}");
        let file = source_file("src/lib.rs".into(), cut.into()).unwrap();
        assert!(lints_of(&file, "tool").len() <= 1, "{cut}");
    }
}
