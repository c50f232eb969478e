use super::super::{ItemId, outline};

/// `path = name` of each name that is brought in, `pub` before it where it is public.
fn uses(text: &str) -> Vec<String> {
    let line = |one: &super::super::Use| {
        let public = if one.public { "pub " } else { "" };
        format!("{public}{} = {}", one.path.join("::"), one.name)
    };
    outline(text, "a.rs").uses.iter().map(line).collect()
}

#[test]
fn flattens_trees() {
    let cases: [(&str, &[&str]); 13] = [
        ("use a::b;", &["a::b = b"]),
        ("pub(crate) use a::b as c;", &["pub a::b = c"]),
        ("use a::{b as c, d::*};", &["a::b = c", "a::d = "]),
        (
            "use a::{self, b::{self as s, c, d::{e}}, f,};",
            &["a = a", "a::b = s", "a::b::c = c", "a::b::d::e = e", "a::f = f"],
        ),
        (
            "use ::a::b; use crate::c; use self::d; use super::super::e;",
            &["a::b = b", "crate::c = c", "self::d = d", "super::super::e = e"],
        ),
        ("use a::T as _;", &["a::T = _"]),
        ("use {a, b::c};", &["a = a", "b::c = c"]),
        ("use r#a::r#match;", &["a::match = match"]),
        ("use super::*;", &["super = "]),
        ("use a::{};", &[]),
        ("use crate as me;", &["crate = me"]),
        ("extern crate a; extern crate b as c;", &["a = a", "b = c"]),
        ("fn f() -> impl A + use<'a> { }", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(uses(text), expected, "{text}");
    }
}

#[test]
fn knows_where_a_use_stands() {
    let outline = outline("use a; mod m { use b; fn f() { { use c; } } } use d;", "a.rs");
    let scopes: Vec<_> =
        outline.uses.iter().map(|one| (one.name.as_str(), one.scope.map(|ItemId(id)| id))).collect();
    assert_eq!(scopes, [("a", None), ("b", Some(0)), ("c", Some(1)), ("d", None)]);
}

#[test]
fn leaves_out_what_no_person_writes() {
    let deep = format!("use {}b{}; use c;", "a::{".repeat(300), "}".repeat(300));
    assert!(uses(&deep).iter().all(|one| one == "c = c"), "{:?}", uses(&deep));
    let long = format!("use {}b; use c;", "a::".repeat(10_000));
    assert_eq!(uses(&long), ["c = c"]);
    let many = format!("use a::{{{}}};", "b,".repeat(100_000));
    assert_eq!(uses(&many).len(), 1 << 16);
}
