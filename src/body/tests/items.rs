//! Signatures, types and generics; constants; macro arms.

use super::{arms, dump, range, whole};
use crate::body::{Receiver, parse_const};

fn signature(text: &str) -> String {
    let body = whole(&format!("{text} {{}}"));
    let ret = body.ret.as_ref().map_or_else(String::new, |ret| format!(" -> {}", dump::ty(ret)));
    format!("({}){ret}", dump::params(&body, &body.params))
}

#[test]
fn functions_of_every_place_are_read() {
    for text in [
        "fn f() {}",
        "pub(crate) const unsafe extern \"C\" fn f() {}",
        "default async fn f(&self) {}",
        "pub(in crate::a) fn f(self: Box<Self>) where Self: Sized {}",
        "#[inline] fn f() { #![allow(x)] }",
    ] {
        assert_eq!(dump::expr(&whole(text), whole(text).root), "{}", "of `{text}`");
    }
    assert!(whole("async fn f() {}").is_async);
    assert!(!whole("fn f() { async {}; }").is_async);
}

#[test]
fn receivers() {
    for (written, expected) in [
        ("", None),
        ("x: u8", None),
        ("self", Some(Receiver::Value)),
        ("mut self", Some(Receiver::Value)),
        ("&self", Some(Receiver::Ref)),
        ("&'a mut self", Some(Receiver::Mut)),
        ("self: Arc<Self>", Some(Receiver::Value)),
        ("self: &Arc<Self>", Some(Receiver::Ref)),
        ("self: Pin<&mut Self>", Some(Receiver::Mut)),
    ] {
        assert_eq!(whole(&format!("fn f({written}) {{}}")).receiver, expected, "of `{written}`");
    }
}

#[test]
fn written_types() {
    for (text, expected) in [
        ("fn f(&self, a: u8, (b, c): (u8, X))", "(a: u8, (b c): tuple<u8, X>)"),
        ("fn f(a: &'a mut std::time::Duration)", "(a: std::time::Duration)"),
        ("fn f(a: impl Fn(A) -> B + Send)", "(a: impl Fn<A, B>)"),
        ("fn f(a: Box<dyn Fn() -> F + 'a>)", "(a: Box<dyn Fn<F>>)"),
        ("fn f(a: fn(x: A))", "(a: fn <A, tuple>)"),
        ("fn f(a: [T; 3], b: &[T])", "(a: slice<T>, b: slice<T>)"),
        ("fn f(a: *const T, b: !, c: m!())", "(a: other<T>, b: other, c: other)"),
        ("fn f(a: impl 'static + Send + Future<Output = T>)", "(a: impl Send)"),
        (
            "fn f() -> Result<(), Box<dyn std::error::Error>>",
            "() -> Result<tuple, Box<dyn std::error::Error>>",
        ),
        ("fn f() -> impl Future<Output = Result<T, E>>", "() -> impl Future<Result<T, E>>"),
        ("fn f() -> Self", "() -> Self"),
        ("fn f() -> <T as a::Trait>::X", "() -> T::X"),
        ("fn f() -> ()", "()"),
        ("fn f() -> A<'a, 3, T>", "() -> A<other, T>"),
        ("fn f() -> a::B<C>::D", "() -> a::B::D<C>"),
        ("fn f(a: &(dyn Send + Sync))", "(a: dyn Send)"),
    ] {
        assert_eq!(signature(text), expected, "of `{text}`");
    }
}

#[test]
fn generics_and_their_bounds() {
    let body = whole(
        "fn f<'a, F: Fn(&A) -> Fut + Send, Fut, const N: usize, T: ?Sized>() where Fut: Future<Output = R>, T::Item: Clone, F: Sync, 'a: 'static {}",
    );
    let generics: Vec<String> = body
        .generics
        .iter()
        .map(|(name, bounds)| {
            format!("{name}: {}", bounds.iter().map(dump::ty).collect::<Vec<_>>().join(" + "))
        })
        .collect();
    assert_eq!(
        generics,
        ["F: fn Fn<A, Fut> + Send + Sync", "Fut: Future<R>", "N: ", "T: ", "T::Item: Clone"]
    );
}

#[test]
fn constants_are_read_by_their_value() {
    let text = "const LIMIT: Duration = Duration::from_secs(5);";
    let body = parse_const(text, range(text, "Duration::from_secs(5)")).unwrap();
    assert_eq!(dump::expr(&body, body.root), "(call Duration::from_secs 5)");
    assert!(parse_const(text, range(text, "= Duration")).is_err());
}

fn only_arm(text: &str) -> (String, String) {
    let mut arms = arms(text);
    assert_eq!(arms.len(), 1, "of `{text}`");
    let (dumped, fragments) = arms.remove(0);
    (dumped, fragments.join(" "))
}

#[test]
fn macro_arms_are_read_as_bodies() {
    for (text, expected, fragments) in [
        (
            "macro_rules! retry { ($op:expr) => { loop { if let Ok(x) = $op { break x } } }; }",
            "(loop {(if (let Ok(x) _op) {(break x)})})",
            "_op",
        ),
        (
            "macro_rules! retry ( ($op:expr, $n:expr) => {{ let mut i = 0; i += $n; $op }} );",
            "{let mut i = 0; (Add= i _n); _op}",
            "_n _op",
        ),
        ("macro_rules! m { ($($x:expr),* $(,)?) => { f($($x),*, 1) } }", "(call f _x 1)", "_x"),
        (
            "macro_rules! m { ($a:expr $(, $b:ident)*) => [ $crate::f($a $(, $b)*) ] }",
            "(call crate::f _a _b)",
            "_a",
        ),
        ("macro_rules! m { ($b:block) => { loop $b } }", "(loop {_b})", "_b"),
        ("macro_rules! m { ($b:block, $t:ty) => { let x: $t = $b; } }", "{let x: _t = {_b};}", "_b"),
        ("macro_rules! m { ($l:lifetime) => { $l: loop { break $l } } }", "(loop '_l {(break '_l)})", ""),
        (
            "macro_rules! m { ($p:pat => $e:expr) => { match x { $p => $e, _ => 1 } } }",
            "(match x [_p => _e] [_ => 1])",
            "_e",
        ),
        ("macro_rules! m { ($($b:tt)*) => { async move { $($b)* }.await } }", "(await (async {_b}))", "_b"),
        ("macro_rules! m { ($v:vis $n:ident) => { $v fn $n() {} f() } }", "{(call f)}", ""),
        ("macro_rules! m { ($($p:pat)|+) => { matches!(x, $($p)|+) } }", "(matches! matches[x, _p])", ""),
        ("macro_rules! m { ($f:ident.$g:ident) => { $f.$g() } }", "(._g _f)", ""),
    ] {
        assert_eq!(only_arm(text), (expected.to_owned(), fragments.to_owned()), "of `{text}`");
    }
}

#[test]
fn macro_arms_that_cannot_be_read_are_left_out() {
    let text = "macro_rules! m { (a) => { + * }; (b) => { 1 }; (c) => { struct S; }; (d) => {}; (e) => { $$x }; (f) => { 2 } }";
    let dumped: Vec<String> = arms(text).into_iter().map(|(dumped, _)| dumped).collect();
    assert_eq!(dumped, ["1", "2"]);
    assert!(arms("macro_rules! m").is_empty());
    assert!(arms("macro_rules! m { (a) =>").is_empty());
}
