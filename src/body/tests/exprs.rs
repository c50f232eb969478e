//! Every kind of expression, statement and pattern.

use super::{dump, expr, stmts, whole, with_stack};
use crate::body::{ExprId, ExprKind, Lit};

fn check(table: &[(&str, &str)], dump: fn(&str) -> String) {
    for (text, expected) in table {
        assert_eq!(dump(text), *expected, "of `{text}`");
    }
}

#[test]
fn expressions_of_every_kind() {
    check(
        &[
            ("42", "42"),
            ("1_000u64", "1000u64"),
            ("0xff", "255"),
            ("340282366920938463463374607431768211456", "LIT"),
            ("1.5e3", "1500.0"),
            ("2f32", "2.0f32"),
            ("true", "true"),
            (r#""a\n""#, r#""a\n""#),
            ("r#\"raw\"#", "\"raw\""),
            ("'x'", "'x'"),
            ("b\"bytes\"", "LIT"),
            ("a::b::<u8>::c", "a::b::c<u8>"),
            ("::std::mem::drop", "::std::mem::drop"),
            ("<T as a::Trait>::f", "T::f"),
            ("<[u8]>::len", "_::len"),
            ("r#type", "type"),
            ("-x", "(Neg x)"),
            ("!x", "(Not x)"),
            ("*x", "(Deref x)"),
            ("a + b * c", "(Add a (Mul b c))"),
            ("(a + b) * c", "(Mul (Add a b) c)"),
            ("a << 1 | b >> 2 ^ c & d", "(BitOr (Shl a 1) (BitXor (Shr b 2) (BitAnd c d)))"),
            ("a - b / c % d", "(Sub a (Rem (Div b c) d))"),
            ("a < b && c >= d || e != f", "(Or (And (Lt a b) (Ge c d)) (Ne e f))"),
            ("a <= b", "(Le a b)"),
            ("a > b", "(Gt a b)"),
            ("a == b", "(Eq a b)"),
            ("a = b", "(= a b)"),
            ("a = b = c", "(= a (= b c))"),
            ("_ = f()", "(= OTHER (call f))"),
            ("a += 1", "(Add= a 1)"),
            ("a <<= 1", "(Shl= a 1)"),
            ("f(a, b)", "(call f a b)"),
            ("(self.f)(a)", "(call (field self f) a)"),
            ("a.b(c).d::<u8>()", "(.d<u8> (.b a c))"),
            ("a.b.0.1", "(field (field (field a b) 0) 1)"),
            ("a[0][1]", "(index (index a 0) 1)"),
            ("(a,)", "(tuple a)"),
            ("()", "(tuple)"),
            ("[a, b]", "(array a b)"),
            ("[0; n]", "(repeat 0 n)"),
            ("S { a, b: 1, ..base }", "(struct S a:a b:1 ..base)"),
            ("S { 0: a }", "(struct S 0:a)"),
            ("a..b", "(range a .. b)"),
            ("..=b", "(range ..= b)"),
            ("a..", "(range a ..)"),
            ("..", "(range ..)"),
            ("a as u32 as f64", "(as (as a u32) f64)"),
            ("&mut a", "(& a)"),
            ("&raw const a", "(& a)"),
            ("a?.b()?", "(? (.b (? a)))"),
            ("f().await?", "(? (await (call f)))"),
            ("unsafe { f() }", "{(call f)}"),
            ("const { 1 }", "{1}"),
            ("try { f()? }", "{(? (call f))}"),
            ("'a: { break 'a 1 }", "'a {(break 'a 1)}"),
            ("if a { b } else if c { d } else { e }", "(if a {b} (if c {d} {e}))"),
            ("if let Some(x) = a && x { b }", "(if (And (let Some(x) a) x) {b})"),
            ("match a { X if b => c, Y | Z => d }", "(match a [=X if b => c] [=Y|=Z => d])"),
            ("loop { break }", "(loop {(break)})"),
            ("'a: loop { continue 'a }", "(loop 'a {(continue 'a)})"),
            ("'w: while a { continue }", "(while 'w a {(continue)})"),
            ("while let Some(x) = it.next() {}", "(while (let Some(x) (.next it)) {})"),
            ("'f: for (i, x) in a.iter() { f(x) }", "(for 'f (i x) (.iter a) {(call f x)})"),
            ("return", "(return)"),
            ("return Err(e)", "(return (call Err e))"),
            ("|a, b: &u8| a", "(|a, b: u8| a)"),
            ("move || -> u8 { 1 }", "(|| {1})"),
            ("async move |x| f(x).await", "(async |x| (await (call f x)))"),
            ("async move { f().await }", "(async {(await (call f))})"),
            ("yield a", "(yield a)"),
            ("yield", "(yield)"),
        ],
        expr,
    );
}

#[test]
fn statements_and_tails() {
    check(
        &[
            ("a; b", "{a; b}"),
            ("a; b;", "{a; b;}"),
            (";;", "{}"),
            ("if a {} b", "{(if a {}); b}"),
            ("loop {}", "{(loop {})}"),
            ("loop {};", "{(loop {});}"),
            ("let x;", "{let x;}"),
            ("let x: Option<u8> = None;", "{let x: Option<u8> = None;}"),
            ("let Some(x) = a else { return };", "{let Some(x) = a else {(return)};}"),
            ("m! { a } b", "{(m! args[a]); b}"),
            ("m! { a }", "{(m! args[a])}"),
            ("m!(a);", "{(m! args[a]);}"),
            ("m! { a }.await", "{(await (m! args[a]))}"),
            (
                "tokio::select! { x = a => x }.await?; b",
                "{(? (await (tokio::select! select[x = a => x]))); b}",
            ),
            ("fn inner() {} const C: u8 = 1; use a::b; a", "{a}"),
            ("a; fn inner() {}", "{a;}"),
        ],
        stmts,
    );
}

#[test]
fn patterns_of_every_kind() {
    let of = |pattern: &str| {
        let dumped = expr(&format!("match a {{ {pattern} => b }}"));
        dumped.strip_prefix("(match a [").unwrap().strip_suffix(" => b])").unwrap().to_owned()
    };
    for (pattern, expected) in [
        ("_", "_"),
        ("x", "x"),
        ("_x", "_x"),
        ("mut x", "mut x"),
        ("ref mut x", "mut x"),
        ("ref X", "X"),
        ("None", "=None"),
        ("MAX", "=MAX"),
        ("io::ErrorKind::TimedOut", "=io::ErrorKind::TimedOut"),
        ("x @ 1..=5", "x@1..=5"),
        ("400..", "400.."),
        ("..=A::B", "..=A::B"),
        ("Ok(Some(x))", "Ok(Some(x))"),
        ("E::S { code, source: Some(s), .. }", "E::S{code:code source:Some(s)}"),
        ("S { ref a, mut b }", "S{a:a b:mut b}"),
        ("(a, .., b)", "(a .. b)"),
        ("[first, rest @ ..]", "[first rest@..]"),
        ("A | B(_)", "=A|B(_)"),
        ("| A", "=A"),
        ("&(ref x)", "x"),
        ("-1", "(Neg 1)"),
        ("-1.5", "(Neg 1.5)"),
        ("\"s\"", "\"s\""),
        ("m!(x)", "OTHER"),
        ("Some(x) if x > 1 && y", "Some(x) if (And (Gt x 1) y)"),
    ] {
        assert_eq!(of(pattern), expected, "of `{pattern}`");
    }
}

#[test]
fn hundred_levels_of_nesting_are_read() {
    with_stack(|| {
        for (open, close) in [
            ("loop { ", " }"),
            ("(", ")"),
            ("|x| ", ""),
            ("f(", ")"),
            ("if a { ", " }"),
            ("match a { Some(b) => ", " }"),
            ("async { ", " }"),
            ("m!(", ")"),
            ("m! { let y = ", "; }"),
            ("tokio::select! { x = a => ", " }"),
            ("-", ""),
            ("[", "]"),
        ] {
            let text = format!("fn f() {{ {}x{} }}", open.repeat(100), close.repeat(100));
            let body = whole(&text);
            let others = body.exprs().filter(|(_, expr)| matches!(expr.kind, ExprKind::Other)).count();
            assert_eq!(others, 0, "of `{open}`");
            assert!(dump::expr(&body, body.root).contains('x'), "of `{open}`");
        }
    });
}

#[test]
fn long_chains_are_read_whole() {
    with_stack(|| {
        for (link, wanted) in
            [(".a()", 4_000), (" + 1", 8_000), ("?", 4_000), ("(1)", 8_000), (".await", 4_000)]
        {
            let body = whole(&format!("fn f() {{ x{} }}", link.repeat(4_000)));
            let mut seen = 0;
            body.walk(body.root, &mut |_| {
                seen += 1;
                true
            });
            // The links, what they hold, the `x` and the block.
            assert_eq!(seen, wanted + 2, "of `{link}`");
        }
    });
}

#[test]
fn below_the_limit_of_depth_nothing_is_read() {
    with_stack(|| {
        // Macros hide their depth from syn, so that only the count here can stop them.
        let text = format!("fn f() {{ {}1{} }}", "m!(".repeat(1_200), ")".repeat(1_200));
        let body = whole(&text);
        let others = body.exprs().filter(|(_, expr)| matches!(expr.kind, ExprKind::Other)).count();
        assert_eq!(others, 1);
        assert!(!body.exprs().any(|(_, expr)| matches!(expr.kind, ExprKind::Lit(Lit::Int(1, _)))));
    });
}

#[test]
fn children_are_in_order_of_evaluation() {
    let children = |text: &str| {
        let body = whole(&format!("fn f() {{ {text} }}"));
        let root = body.block(body.root).unwrap().tail.unwrap();
        let dumped: Vec<String> = body.children(root).iter().map(|id| dump::expr(&body, *id)).collect();
        dumped.join(" ")
    };
    for (text, expected) in [
        ("a = b", "b a"),
        ("a += b", "b a"),
        ("a.m(b, c)", "a b c"),
        ("f(a, b)", "f a b"),
        ("S { x: a, ..b }", "a b"),
        ("{ let x = a else { b }; c; d }", "a {b} c d"),
        ("match a { X if b => c, _ => d }", "a b c d"),
        ("for x in a { b }", "a {b}"),
        ("while a { b }", "a {b}"),
        ("if a { b } else { c }", "a {b} {c}"),
        ("|x| a", "a"),
        ("m!(a, b)", "a b"),
        ("matches!(a, Some(x) if b)", "a b"),
        ("select! { x = a, if b => c, y = d => e, else => f }", "b a d c e f"),
        ("a[b]", "a b"),
    ] {
        assert_eq!(children(text), expected, "of `{text}`");
    }
}

#[test]
fn walking_goes_parents_first_and_can_be_kept_out() {
    let body = whole("fn f() { a(b, || c(d)); e }");
    let mut seen = Vec::new();
    body.walk(body.root, &mut |id| {
        if let ExprKind::Path(path) = &body.expr(id).kind {
            seen.extend(path.segments.clone());
        }
        !matches!(body.expr(id).kind, ExprKind::Closure { .. })
    });
    assert_eq!(seen, ["a", "b", "e"]);
}

#[test]
fn children_come_before_parents() {
    let body = whole("fn f() { for i in 0..3 { if let Ok(x) = m!(a.b(i)) { return x } } }");
    for (id, _) in body.exprs() {
        assert!(body.children(id).iter().all(|child| *child < id));
    }
    assert_eq!(body.root, ExprId(body.exprs().count() as u32 - 1));
}

#[test]
fn blocks_are_seen_through_async_and_macros() {
    let body = whole("fn f() { async { a; b; } }");
    let tail = body.block(body.root).unwrap().tail.unwrap();
    assert_eq!(body.stmts_of(tail).len(), 2);
    let body = whole("fn f() { stream! { a; b; c; } }");
    let tail = body.block(body.root).unwrap().tail.unwrap();
    assert_eq!(body.stmts_of(tail).len(), 3);
    assert!(body.block(ExprId(0)).is_none());
}
