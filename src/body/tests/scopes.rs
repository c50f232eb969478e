//! Which binding a name means. In the texts, `name§1` means the first binding of that name in source order, `name§0` none at all.

use super::whole;
use crate::body::{Body, ExprKind, PatKind, parse_fn};

const MARK: char = '§';

/// Takes the marks out of a text and compares each marked use with the binding it means.
fn check(marked: &str) {
    let mut text = String::new();
    let mut wanted: Vec<(String, usize)> = Vec::new();
    let mut rest = marked;
    while let Some(at) = rest.find(MARK) {
        let (before, after) = rest.split_at(at);
        text.push_str(before);
        let digits = after.chars().skip(1).take_while(char::is_ascii_digit).count();
        let number = after[MARK.len_utf8()..][..digits].parse().unwrap();
        let name = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap();
        wanted.push((name.to_owned(), number));
        rest = &after[MARK.len_utf8() + digits..];
    }
    text.push_str(rest);
    let body = whole(&text);
    let mut used: Vec<(u32, String, usize)> = Vec::new();
    for (id, expr) in body.exprs() {
        if let ExprKind::Path(path) = &expr.kind
            && let Some(name) = path.single()
            && wanted.iter().any(|(marked, _)| marked == name)
        {
            let number = body.local(id).map_or(0, |local| number_of(&body, name, local));
            used.push((expr.span.start, name.to_owned(), number));
        }
    }
    used.sort();
    let used: Vec<(String, usize)> = used.into_iter().map(|(_, name, number)| (name, number)).collect();
    assert_eq!(used, wanted, "of `{text}`");
}

/// 1 for the first binding of this name in the text, and so on.
fn number_of(body: &Body, name: &str, local: crate::body::PatId) -> usize {
    let mut bindings: Vec<_> = body
        .pats()
        .filter(|(_, pat)| matches!(&pat.kind, PatKind::Bind { name: bound, .. } if bound == name))
        .map(|(id, pat)| (pat.span.start, id))
        .collect();
    bindings.sort();
    1 + bindings.iter().position(|(_, id)| *id == local).unwrap()
}

#[test]
fn names_mean_the_binding_in_scope() {
    for text in [
        "fn f() { x§0 }",
        "fn f(x: u8) { x§1 }",
        "fn f((x, y): (u8, u8)) { x§1; y§1 }",
        "fn f() { let x = 1; x§1; let x = x§1 + 1; x§2 }",
        "fn f(x: u8) { { let x = 2; x§2 } x§1 }",
        "fn f(x: u8) { let x = { let x = x§1; x§3 }; x§2 }",
        "fn f() { let x; x§1 = 1; }",
        "fn f(x: u8) { match a { Some(x) if x§2 > 1 => x§2, None => x§1, x => x§3 } }",
        "fn f(x: u8) { if let Some(x) = x§1 { x§2 } else { x§1 }; x§1 }",
        "fn f(x: u8) { if let Some(x) = x§1 && x§2 && let Ok(x) = x§2 { x§3 } else if x§1 { x§1 } }",
        "fn f(x: u8) { while let Some(x) = x§1 { x§2 } x§1 }",
        "fn f(x: u8) { for x in x§1 { x§2 } x§1 }",
        "fn f(x: u8) { |x| x§2; x§1 }",
        "fn f(x: u8) { |y: u8| { x§1; y§1 }; y§0 }",
        "fn f(x: u8) { let x = || x§1; x§2() }",
        "fn f(x: u8) { async { let x = x§1; x§2 }; x§1 }",
        "fn f(x: u8) { let Some(x) = g(x§1) else { return x§1 }; x§2 }",
        "fn f() { match a { A(x) | B(x, _) | C { x } => x§1 } }",
        "fn f() { match a { ((A(x) | B(x)), 1) | (x, 2) => x§1 } }",
        "fn f() { let [x, rest @ ..] = a; x§1; rest§1 }",
        "fn f() { let whole @ Some(part) = a; whole§1; part§1 }",
        "fn f(x: u8) { S { x§1 } }",
        "fn f(x: u8) { m!(x§1, |x| x§2, y = x§1) }",
        "fn f(x: u8) { matches!(x§1, Some(x) if x§2); x§1 }",
        "fn f(x: u8) { select! { x = x§1, if x§1 => x§2, _ = x§1 => x§1 } x§1 }",
        "fn f(x: u8) { stream! { let x = x§1; yield x§2; } x§1 }",
        "fn f(x: u8) { x§1.y; a.x; x::y; x§1[x§1]; S { x: 1 } }",
        "fn f(x: u8) { 'x: loop { break 'x x§1 } }",
        "fn f(x: fn()) { x§1(); g::<x>(); }",
        "fn f(&self, x: u8) { self§0; x§1 }",
        "fn f(x: u8) { if a { let x = 1; } x§1 }",
        "fn f(x: u8) { if b && x§1 { x§1 } }",
        "fn f() { loop { let x = 1; } x§0 }",
        "fn f() { match a { X => X§0 } }",
    ] {
        check(text);
    }
}

#[test]
fn raw_and_plain_names_are_one() {
    let body = whole("fn f(r#type: u8) { r#type }");
    let (id, _) = body.exprs().find(|(_, expr)| matches!(expr.kind, ExprKind::Path(_))).unwrap();
    assert_eq!(body.local(id), Some(body.params[0].pat));
}

#[test]
fn alternatives_share_a_local() {
    let text = "fn f() { match a { A(x, y) | B(y, x) => x } }";
    let body = whole(text);
    let (top, _) = body.pats().find(|(_, pat)| matches!(pat.kind, PatKind::Or(_))).unwrap();
    let names = body.names_in_pat(top);
    assert_eq!(names.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["x", "y"]);
    let second = body.pat_children(top)[1];
    assert_eq!(body.names_in_pat(second), [names[1].clone(), names[0].clone()]);
    assert_eq!(body.local_of(names[0].1), names[0].1);
}

#[test]
fn many_names_are_resolved_in_good_time() {
    let lets: String = (0..20_000).map(|i| format!("let x{i} = 1; let y = x{i};")).collect();
    let text = format!("fn f() {{ {lets} y }}");
    let body = parse_fn(&text, crate::body::Span { start: 0, end: text.len() as u32 }).unwrap();
    let free =
        body.exprs().filter(|(id, expr)| matches!(expr.kind, ExprKind::Path(_)) && body.local(*id).is_none());
    assert_eq!(free.count(), 0);
}
