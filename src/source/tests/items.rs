use super::super::ItemKind;
use super::{item, read, text_of, tree};

#[test]
fn finds_items_of_every_kind_and_level() {
    let text = r#"#!/usr/bin/env run
mod a { pub(in crate::x) async unsafe extern "C" fn deep<T: A<B>>(f: fn(u32) -> T) -> impl Tr where T: B { fn inner() { struct S; } } }
mod elsewhere;
const N: u32 = 1;
pub const fn six() -> u32 { const { 6 } }
static mut COUNT: [u8; 2] = [1, 2];
struct Pair(u32, fn(u32) -> u32);
union Bits { a: u32, b: f32 }
enum E { A { r#fn: u32 }, B = { 3 } }
trait Tr: Sized { const K: u32; type Out; fn without(&self); fn with(&self) { loop {} } }
type Alias<T> = Vec<T>;
macro_rules! m { ($x:expr) => { fn not_an_item() {} } }
default impl<T> Tr for Vec<T> { default fn with(&self) {} }
extern "C" { fn foreign(x: i32, ...); static ERRNO: i32; }
const _: () = { fn in_const() {} };
"#;
    let expected = [
        "mod a",
        "  fn deep",
        "    fn inner",
        "      struct S",
        "mod elsewhere",
        "const N",
        "fn six",
        "static COUNT",
        "struct Pair",
        "struct Bits",
        "enum E",
        "trait Tr",
        "  const K",
        "  type Out",
        "  fn without",
        "  fn with",
        "type Alias",
        "macrorules m",
        "impl Vec of Tr",
        "  fn with",
        "fn foreign",
        "static ERRNO",
        "const _",
        "  fn in_const",
    ];
    let outline = read(text);
    assert_eq!(tree(&outline), expected);
    assert_eq!(outline.problems, []);
}

#[test]
fn takes_nothing_for_an_item_that_is_none() {
    let none = [
        "fn f() { unsafe { g() } const { 1 }; async { 2 }; async move { 3 }; static || 4; }",
        "fn f() { let x: fn(u32) -> u32 = g; x as *const u8; match y { const { 1 } => {} _ => {} } }",
        "fn f() { let _ = \"fn g() {}\"; let _ = r#\"fn h() {}\"#; } // fn i() {}\n/* fn j() {} /* */ fn k() {} */",
        "fn f() { default(); auto = 1; union.x(); let r#fn = 1; r#struct { r#mod: 1 }; }",
        "fn f() { quote! { fn g() {} impl X { fn h() {} } } }",
        "fn f(#[attr(fn g() {})] x: u32) { #[attr(fn h() {})] y }",
        "fn f() { b'\\''; '\\''; b\"\\\" fn g() {}\"; c\"fn h() {}\"; br##\"\"# fn i() {}\"##; '\"'; }",
        "fn f<'a>(x: &'a str) -> Box<dyn for<'b> Fn(&'b str) + 'a> { 'x: loop { break 'x } }",
    ];
    for text in none {
        let outline = read(text);
        assert_eq!(tree(&outline), ["fn f"], "{text}");
        assert_eq!(outline.problems, [], "{text}");
    }
}

#[test]
fn names_an_impl_by_its_type_and_trait() {
    let cases = [
        ("impl Foo {}", None, "Foo"),
        ("impl<T> m::Foo<T> where T: X {}", None, "Foo"),
        ("impl<T: A<B>> Tr<X> for &'a mut m::Foo<T> where T: Other {}", Some("Tr"), "Foo"),
        ("unsafe impl<const N: usize> a::Tr for [u8; N] {}", Some("Tr"), ""),
        ("impl !Send for Foo {}", Some("Send"), "Foo"),
        ("impl Tr for dyn Foo + Send {}", Some("Tr"), "Foo"),
        ("impl<F: Fn() -> A> Tr for F where for<'a> F: B<'a> {}", Some("Tr"), "F"),
        ("impl Tr for fn(A) -> B {}", Some("Tr"), ""),
        ("impl<T> Tr for Array<{ N + 1 }, T> {}", Some("Tr"), "Array"),
        ("impl Tr for r#struct {}", Some("Tr"), "struct"),
        ("impl<T> From<Box<dyn Fn(T) -> U>> for <T as X>::Out {}", Some("From"), "Out"),
    ];
    for (text, of_trait, name) in cases {
        let outline = read(text);
        let found = &outline.items[0];
        assert_eq!((found.of_trait.as_deref(), found.name.as_str()), (of_trait, name), "{text}");
        assert_eq!(outline.items.len(), 1, "{text}");
        assert_eq!(text_of(text, found.body.unwrap()), "{}", "{text}");
    }
}

#[test]
fn knows_spans_of_items_attributes_and_bodies() {
    let text = "/// Doc.\n#[a(\"]\")]\n// why\n#[b] pub(crate) async fn go<const N: usize = { 1 }>(x: [u8; { 2 }]) -> A<{ 3 }> { 4 }\ntrait T { fn none(); }\nconst C: A<B = u8> = [1; 2][0] ;\nconst D: u8;\nm! { static ref S: u8 = f({ 5 }) }\nmacro_rules! n ( () => () );";
    let outline = read(text);
    let go = item(&outline, "go");
    assert_eq!(text_of(text, go.attributes), "#[a(\"]\")]\n// why\n#[b]");
    assert!(text_of(text, go.span).starts_with("pub(crate) async fn go"));
    assert!(text_of(text, go.span).ends_with("{ 4 }"));
    let bodies = [
        ("go", Some("{ 4 }")),
        ("none", None),
        ("T", Some("{ fn none(); }")),
        ("C", Some("[1; 2][0]")),
        ("D", None),
        ("S", Some("f({ 5 })")),
        ("n", Some("( () => () )")),
    ];
    for (name, body) in bodies {
        assert_eq!(item(&outline, name).body.map(|body| text_of(text, body)), body, "{name}");
    }
    assert_eq!(text_of(text, item(&outline, "none").attributes), "");
    assert_eq!(text_of(text, item(&outline, "C").span), "const C: A<B = u8> = [1; 2][0] ;");
}

#[test]
fn looks_into_macros_that_are_called_among_items() {
    let text = "cfg_if::cfg_if! { if #[cfg(unix)] { fn a() {} } else { mod b { fn c() {} } } }
cfg_rt! { pub async fn d() { m! { fn no() {} } } impl X { fn e(&self) {} } }
thread_local!(static F: u8 = 1);
fn g() { cfg! { fn no() {} } h(|| { fn i() {} }) }";
    let expected = ["fn a", "mod b", "  fn c", "fn d", "impl X", "  fn e", "static F", "fn g", "  fn i"];
    assert_eq!(tree(&read(text)), expected);
}

#[test]
fn tells_test_code() {
    let tests = [
        "#[test] fn f() {}",
        "#[tokio::test(flavor = \"x\")] async fn f() {}",
        "#[rstest] fn f() {}",
        "#[test_case(1; \"one\")] #[ignore] pub fn f() {}",
        "#[bench] fn f() {}",
        "#[cfg(test)] fn f() {}",
        "#[cfg(any(test, feature = \"x\"))] fn f() {}",
        "#[cfg(all(unix, test))] mod m { impl X { fn f() {} } }",
        "#[cfg(all(not(unix), test))] fn f() {}",
        "mod m { #![cfg(test)] fn f() {} }",
        "#![cfg(test)] fn f() {}",
        "#[test] fn g() { fn f() {} }",
    ];
    for text in tests {
        assert!(item(&read(text), "f").in_test, "{text}");
    }
    let others = [
        "fn f() {}",
        "#[cfg(not(test))] fn f() {}",
        "#[cfg(all(unix, not(any(test, windows))))] fn f() {}",
        "#[cfg(feature = \"test\")] fn f() {}",
        "#[cfg(test = \"x\")] fn f() {}",
        "#[cfg_attr(test, allow(dead_code))] fn f() {}",
        "#[doc(test)] fn f() {}",
        "#[cfg(test)] mod m {} fn f() {}",
        "#[cfg(test)] use a::b; fn f() {}",
        "fn g() { #[cfg(test)] g(); fn f() {} }",
        "#[derive(test)] fn f() {}",
    ];
    for text in others {
        assert!(!item(&read(text), "f").in_test, "{text}");
    }
    assert!(read("// c\n#![cfg(test)]").test_file);
    assert!(!read("mod m { #![cfg(test)] }").test_file);
}

#[test]
fn goes_on_behind_what_is_unbalanced() {
    let cases = [
        ("fn a() { g( } fn b() {}", vec!["fn a", "fn b"], (1, 11)),
        ("fn a() {} } fn b() {}", vec!["fn a", "fn b"], (1, 11)),
        ("fn a() {\n if x { }\nfn b() {}", vec!["fn a", "  fn b"], (1, 8)),
        ("fn a() {}\nfn b() { \"never", vec!["fn a", "fn b"], (2, 10)),
        ("fn a() {}\n/* /* */", vec!["fn a"], (2, 1)),
        ("mod a { fn b( }\nfn c() {}", vec!["mod a", "  fn b", "fn c"], (1, 13)),
        ("fn a(x: [u8; 2) {} fn b() {}", vec!["fn a", "fn b"], (1, 9)),
    ];
    for (text, items, place) in cases {
        let outline = read(text);
        assert_eq!(tree(&outline), items, "{text}");
        assert_eq!(outline.problems.len(), 1, "{text}");
        let problem = &outline.problems[0];
        assert_eq!((problem.line, problem.column), place, "{text}: {}", problem.message);
        assert!(problem.fatal);
    }
    let cut_off = read("fn a() { b(); ");
    assert_eq!(cut_off.items[0].body, None, "what has no end is not parsed");
}

#[test]
fn goes_on_behind_a_missing_semicolon() {
    assert_eq!(tree(&read("use a::b\nfn c() {}")), ["fn c"]);
    assert_eq!(tree(&read("const A: u8 = { 1 }\nfn b() {}")), ["const A", "fn b"]);
}

#[test]
fn starts_behind_a_mark_and_a_shebang() {
    for text in [
        "\u{feff}fn a() {}",
        "\u{feff}#!/bin/x fn b() {}\nfn a() {}",
        "#![x]\nfn a() {}",
        "#! [x]\nfn a() {}",
    ] {
        let outline = read(text);
        assert_eq!(tree(&outline), ["fn a"], "{text}");
        assert_eq!(text_of(text, outline.items[0].span), "fn a() {}");
    }
}

#[test]
fn knows_generated_files_by_their_first_lines() {
    let mark = concat!("@", "generated");
    let head = "//\n".repeat(9);
    let generated = [
        format!("// {mark} by a tool"),
        format!("{head}/* {mark}\n*/"),
        "// This file is automatically generated by x.\n// DO NOT EDIT".to_owned(),
        "//! Automatically generated. Do not edit!".to_owned(),
    ];
    for text in generated {
        assert!(read(&text).generated, "{text}");
    }
    let written = [
        format!("{head}//\n// {mark}"),
        format!("{head}/*\n{mark} */"),
        format!("const X: &str = \"{mark}\";"),
        "// automatically generated".to_owned(),
        "// do not edit by hand".to_owned(),
    ];
    for text in written {
        assert!(!read(&text).generated, "{text}");
    }
}

#[test]
fn takes_raw_names_without_their_mark() {
    let outline = read("fn r#match() {} struct r#union; const r#type: u8 = 1;");
    assert_eq!(tree(&outline), ["fn match", "struct union", "const type"]);
    assert_eq!(outline.items[0].kind, ItemKind::Fn);
}
