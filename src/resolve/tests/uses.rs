use super::{item, krate};

/// The text of a field's value, or `?`.
fn value(text: &str, ty: &str, field: &str) -> String {
    let krate = krate(&[("src/lib.rs", text)]);
    let ty = krate.self_named(ty);
    let Some((at, expr)) = krate.field_value(&ty, field) else { return "?".to_owned() };
    let span = krate.body(at).unwrap().expr(expr).span;
    krate.file(at).unwrap().slice(span).to_owned()
}

const STRUCT: &str =
    "use std::time::Duration; pub struct P { wait: Duration, max: u32 }\nconst MAX: u32 = 4;\n";

#[test]
fn a_field_written_alike_everywhere() {
    let text = "impl P { fn new() -> Self { Self { wait: Duration::from_secs(5), max: MAX } }
        fn with_wait(mut self, wait: Duration) -> Self { self.wait = wait; self } }
        fn other() -> P { let max = MAX; P { wait: Duration::from_secs( 5 ), max } }
        #[cfg(test)]\nmod tests { fn t() { super::P { wait: Duration::from_secs(1), max: 1 }; } }";
    let text = format!("{STRUCT}{text}");
    assert_eq!(value(&text, "P", "wait"), "Duration::from_secs(5)");
    assert_eq!(value(&text, "P", "max"), "MAX");
    assert_eq!(value(&text, "P", "missing"), "?");
}

#[test]
fn a_field_whose_value_is_not_one_constant() {
    for text in [
        // From a parameter, from two places, counted, written through something unknown.
        "impl P { fn new(wait: Duration) -> Self { Self { wait, max: 3 } } }",
        "fn a() { P { wait: Duration::from_secs(1), max: 3 }; } fn b() { P { wait: Duration::from_secs(2), max: 3 }; }",
        "fn a(mut p: P) { P { wait: Duration::from_secs(1), max: 3 }; p.wait += Duration::from_secs(1); }",
        "fn a() { P { wait: Duration::from_secs(1), max: 3 }; unheard_of().wait = x; }",
        "fn a() { P { wait: load(n), max: 3 }; let n = 3; P { wait: load(n), max: 3 }; }",
        "",
    ] {
        assert_eq!(value(&format!("{STRUCT}{text}"), "P", "wait"), "?", "{text}");
    }
}

#[test]
fn a_field_of_the_same_name_in_another_type_does_not_count() {
    let text = "pub struct Q { wait: u32 } fn a(q: &mut Q) { P { wait: Duration::from_secs(1), max: 3 }; Q { wait: 7 }; q.wait = 9; }";
    assert_eq!(value(&format!("{STRUCT}{text}"), "P", "wait"), "Duration::from_secs(1)");
}

#[test]
fn a_type_that_a_derive_can_make_has_no_value_of_its_own() {
    for (derive, answer) in
        [("Debug, Clone", "3"), ("Debug, Default", "?"), ("Clone, serde::Deserialize", "?")]
    {
        let text =
            format!("#[derive({derive})]\npub struct P {{ max: u32 }}\nfn f() -> P {{ P {{ max: 3 }} }}");
        assert_eq!(value(&text, "P", "max"), answer, "{derive}");
    }
}

/// Names of a function's callers and the texts of the calls.
fn callers(files: &[(&str, &str)], name: &str) -> Vec<String> {
    let krate = krate(files);
    let found = krate.callers(item(&krate, name)).into_iter().map(|(from, call)| {
        let span = krate.body(from).unwrap().expr(call).span;
        format!("{}: {}", krate.qualified_name(from), krate.file(from).unwrap().slice(span))
    });
    found.collect()
}

#[test]
fn callers_by_path_import_and_method() {
    let files = [
        (
            "src/lib.rs",
            "mod net;\nuse net::{dial as ring, Client};\nfn a() { ring(1); ring(2) }\nfn b() { net::dial(3); }\nfn c() { dial(4); } // dial()\nfn d(c: &Client) { c.again(5) }",
        ),
        (
            "src/net.rs",
            "pub fn dial(n: u32) { if n > 0 { dial(n) } }\npub struct Client;\nimpl Client { pub fn again(&self, n: u32) { self.again(n); Self::again(self, n); } }\nstruct Other; impl Other { fn again(&self, n: u32) {} fn x(&self) { self.again(6); } }\nfn e() { let dial = |n| n; dial(7); x.again(8) }",
        ),
    ];
    assert_eq!(callers(&files, "dial"), ["a: ring(1)", "a: ring(2)", "b: net::dial(3)", "dial: dial(n)"]);
    assert_eq!(
        callers(&files, "Client::again"),
        ["d: c.again(5)", "Client::again: self.again(n)", "Client::again: Self::again(self, n)"]
    );
    assert_eq!(callers(&files, "Other::again"), ["Other::x: self.again(6)"]);
    assert_eq!(callers(&files, "b"), [""; 0]);
}

#[test]
fn callers_are_found_among_many_that_only_name_it() {
    let mut text =
        String::from("mod retry { pub struct Retry; impl Retry { pub fn retry(&self, n: u32) {} } }\n");
    for n in 0..80 {
        text += &["fn f", &n.to_string(), "() { let retry = retry::Retry; drop(retry); }\n"].concat();
    }
    text += "fn g(r: retry::Retry) { r.retry(1) }\nfn h(r: retry::Retry) { r.retry ::<u8>(2) }\n";
    assert_eq!(callers(&[("src/lib.rs", &text)], "Retry::retry"), ["g: r.retry(1)", "h: r.retry ::<u8>(2)"]);
}

#[test]
fn a_lone_method_name_counts_where_the_receiver_is_unknown() {
    let files = [(
        "src/lib.rs",
        "struct A; impl A { fn redial(&self) {} }
        async fn f(a: A) { unheard_of().redial(); unheard_of().redial(1);
            // Of another crate, which knows nothing of ours; and of one that may give back what it was given.
            reqwest::get(\"x\").await.redial(); reqwest::Client::new().get(1).send().await?.redial();
            tokio::time::timeout(5, a).await.redial(); }",
    )];
    let found = callers(&files, "A::redial");
    assert_eq!(found, ["f: unheard_of().redial()", "f: tokio::time::timeout(5, a).await.redial()"]);
}

#[test]
fn threads_that_ask_at_once_get_the_same_answers() {
    // Modules that all bring each other's names, each with a function that calls the next one's.
    let mut text = String::new();
    for n in 0..40 {
        let next = (n + 1) % 40;
        text += &["mod m", "N {\n pub use super::*; pub fn f", "N() { f", "X() } }\npub use m", "N::*;\n"]
            .concat()
            .replace('N', &n.to_string())
            .replace('X', &next.to_string());
    }
    let ask = |krate: &super::Crate| -> Vec<String> {
        let functions: Vec<_> = krate.items().map(|(at, _)| at).collect();
        let answers = functions
            .iter()
            .map(|at| format!("{:?} {:?}", krate.callers(*at), krate.path(*at, &["f7".to_owned()])));
        answers.collect()
    };
    let alone = ask(&krate(&[("src/lib.rs", &text)]));
    let shared = krate(&[("src/lib.rs", &text)]);
    std::thread::scope(|scope| {
        let asked: Vec<_> = (0..4).map(|_| scope.spawn(|| ask(&shared))).collect();
        for thread in asked {
            assert_eq!(thread.join().unwrap(), alone);
        }
    });
}
