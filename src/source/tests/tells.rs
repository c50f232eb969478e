use super::super::{Tells, outline};
use super::{item, read};

fn tells(text: &str) -> Tells {
    item(&read(text), "f").tells
}

#[test]
fn finds_loops() {
    for body in [
        "loop {}",
        "while a {}",
        "for a in b {}",
        "'a: loop {}",
        "|| loop {}",
        "async { for (a, b) in c {} }",
        "m! { loop {} }",
    ] {
        assert!(tells(&format!("fn f() {{ {body} }}")).loops, "{body}");
    }
    for body in [
        "let a: Box<dyn for<'a> Fn(&'a u8)>;",
        "fn g() { loop {} }",
        "\"loop\"; r#loop();",
        "impl A for B {}",
        "// loop",
    ] {
        assert!(!tells(&format!("fn f() {{ {body} }}")).loops, "{body}");
    }
    assert!(tells("const f: A = || loop {};").loops);
    assert!(tells("static f: A = || { while a {} };").loops);
    assert!(tells("macro_rules! f { ($a:expr) => { for _ in 0..3 { $a } } }").loops);
}

#[test]
fn finds_recursion() {
    for body in
        ["f()", "self.f(a)", "Self::f::<u8>(a)", "f::<u8>()", "|| { f() }", "a.and_then(Self::f)", "r#f()"]
    {
        assert!(tells(&format!("fn f() {{ {body} }}")).recursion, "{body}");
    }
    for body in ["g()", "self.f", "f!()", "fn g() { f() }", "let f = 1;", "(f)(1)"] {
        assert!(!tells(&format!("fn f() {{ {body} }}")).recursion, "{body}");
    }
}

#[test]
fn finds_telling_words() {
    for text in [
        "fn f() { tokio::time::sleep(a) }",
        "fn f() { a.maxRetries }",
        "fn f() { BACKOFF }",
        "fn f() { r#retry }",
        "fn f(attempts: u32) { a(attempts) }",
        "fn f() -> ExponentialBackoff { a() }",
        "impl RetryPolicy for A { fn f() { 1 } }",
        "impl Default for Jitter { fn f() { 1 } }",
        "mod backoff { impl A { fn f() { 1 } } }",
        "const f: u8 = DELAY;",
        "const f: Delay = 1;",
    ] {
        assert!(tells(text).words, "{text}");
    }
    for text in [
        "fn f() { \"retry\" }",
        "fn f() { 1 } // retry",
        "fn f() { fn g() { sleep() } }",
        "fn sleep() { fn f() { 1 } }",
        "fn f() { tim_er }",
    ] {
        assert!(!tells(text).words, "{text}");
    }
    assert!(item(&outline("fn f() { 1 }", "src/retry_strategy.rs"), "f").tells.words);
    assert!(!item(&outline("fn f() { 1 }", "retry/lib.rs"), "f").tells.words);
}

#[test]
fn finds_macros_that_may_hide_something() {
    for body in ["attempt_it!(g())", "a::b! { c }", "g![1]", "info!(\"a\")"] {
        assert!(tells(&format!("fn f() {{ {body} }}")).macros, "{body}");
    }
    for body in ["println!(\"a\")", "vec![1]", "if !(a) {}", "a != (b)", "return !(a)"] {
        assert!(!tells(&format!("fn f() {{ {body} }}")).macros, "{body}");
    }
}

#[test]
fn says_any_for_what_may_hold_a_site() {
    let some = |change: fn(&mut Tells)| {
        let mut tells = Tells::default();
        change(&mut tells);
        tells.any()
    };
    assert!(
        some(|tells| tells.loops = true)
            && some(|tells| tells.recursion = true)
            && some(|tells| tells.words = true)
    );
    assert!(!some(|tells| tells.macros = true) && !Tells::default().any());
}

#[test]
fn a_request_that_is_awaited_twice_tells() {
    assert!(tells("async fn f() { match op(1).await { Ok(a) => a, Err(_) => op(1).await } }").twice);
    // what a field or parameter holds is called by an expression
    assert!(tells("async fn f() { let a = (call)(1).await; if a { a } else { (call)(1).await } }").twice);
    // never awaited, or of different names
    assert!(!tells("fn f() { op(1); op(1); }").twice);
    assert!(!tells("async fn f() { one(1).await; other(1).await; }").twice);
    // what any body calls again and again
    assert!(!tells("async fn f() { op(a.clone(), b.clone()).await.unwrap(); g().unwrap() }").twice);
}
