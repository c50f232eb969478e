//! How macro calls are read.

use super::super::{Span, parse_attributes};
use super::{dump, expr, stmts};

#[test]
fn readings_of_macro_calls() {
    for (text, expected) in [
        ("m!()", "(m! args[])"),
        ("a::b::m!(x)", "(a::b::m! args[x])"),
        ("println!(\"{} {x}\", a.b(), c = d,)", "(println! args[\"{} {x}\", (.b a), d])"),
        ("vec![0; n]", "(vec! args[0, n])"),
        ("vec![a, b]", "(vec! args[a, b])"),
        (
            "info!(target: \"t\", %a, ?b.c, d.e = %f, g = ?h, \"k k\" = 1, \"msg {}\", i)",
            "(info! args[\"t\", a, (field b c), f, h, 1, \"msg {}\", i])",
        ),
        ("info!(parent: &span, \"m\")", "(info! args[(& span), \"m\"])"),
        ("slog::info!(log, \"m\"; \"k\" => v)", "(slog::info! args[log, \"m\", \"k\", v])"),
        ("m!(a == b, c::d, e::<f>())", "(m! args[(Eq a b), c::d, (call e<f>)])"),
        ("assert!(a == b, \"m\")", "(assert! args[(Eq a b), \"m\"])"),
        ("retry!(|| async { op().await })", "(retry! args[(|| (async {(await (call op))}))])"),
        ("join!(a(), b())", "(join! args[(call a), (call b)])"),
        ("m!(outer!(a), inner![b])", "(m! args[(outer! args[a]), (inner! args[b])])"),
        ("matches!(e, Some(x) if x > 1)", "(matches! matches[e, Some(x) if (Gt x 1)])"),
        ("matches!(e, A | B,)", "(matches! matches[e, =A|=B])"),
        ("assert_matches!(e, Err(_), \"m {}\", x)", "(assert_matches! matches[e, Err(_)])"),
        ("matches!(e)", "(matches! args[e])"),
        ("stream! { let x = 1; yield x; }", "(stream! block{let x = 1; (yield x);})"),
        ("stream! { loop { yield f().await; } }", "(stream! block{(loop {(yield (await (call f)));})})"),
        ("try_stream! { for a in b { yield a } }", "(try_stream! block{(for a b {(yield a)})})"),
        ("retry! { op().await }", "(retry! args[(await (call op))])"),
        ("m! { a(); b(); }", "(m! block{(call a); (call b);})"),
        ("m!(let x = 1; x)", "(m! block{let x = 1; x})"),
        (
            "cfg_if! { if #[cfg(a)] { b() } else if #[cfg(c)] { d() } else { e() } }",
            "(cfg_if! block{(if OTHER {(call b)} (if OTHER {(call d)} {(call e)}))})",
        ),
        (
            "cfg_select! { unix => f(), windows => { g() } _ => h() }",
            "(cfg_select! block{(if OTHER {(call f)} (if OTHER {(call g)} {(call h)}))})",
        ),
        ("json!({ \"a\": b, \"c\": [d] })", "(json! words[b d])"),
        ("m!(a b c)", "(m! words[a b c])"),
        ("quote! { fn #name() {} }", "(quote! words[fn name])"),
    ] {
        assert_eq!(expr(text), expected, "of `{text}`");
    }
}

#[test]
fn words_are_at_most_sixty_four() {
    let read = expr(&format!("m!({})", "a b ".repeat(50)));
    assert_eq!(read.matches(['a', 'b']).count(), 64);
}

#[test]
fn selects_of_three_crates() {
    for (text, expected) in [
        (
            "tokio::select! { biased; _ = stop.cancelled() => break, r = f(), if ok && n > 1 => { g(r) } Some(x) = s.next() => x.h(), else => return, }",
            "(tokio::select! biased select[_ = (.cancelled stop) => (break), r = (call f) if (And ok (Gt n 1)) => {(call g r)}, Some(x) = (.next s) => (.h x), - = - => (return)])",
        ),
        ("select! { a = x => {} b = &mut y => {}, }", "(select! select[a = x => {}, b = (& y) => {}])"),
        (
            "futures::select_biased! { a = x.fuse() => 1, default => 2, complete => 3 }",
            "(futures::select_biased! biased select[a = (.fuse x) => 1, - = - => 2, - = - => 3])",
        ),
        (
            "crossbeam::select! { recv(r) -> m => f(m), send(s, v) -> e => g(e), default(d) => h(), default => i() }",
            "(crossbeam::select! select[m = r => (call f m), e = (tuple s v) => (call g e), - = d => (call h), - = - => (call i)])",
        ),
        (
            "select! { Ok(x) | Err(x) = f() => match x { A => 1, _ => 2 }, y = async { g().await } => y }",
            "(select! select[Ok(x)|Err(x) = (call f) => (match x [=A => 1] [_ => 2]), y = (async {(await (call g))}) => y])",
        ),
        ("select!(a, b)", "(select! args[a, b])"),
    ] {
        assert_eq!(expr(text), expected, "of `{text}`");
    }
}

#[test]
fn macros_as_statements() {
    assert_eq!(
        stmts("select! { a = x => {} } loop { tokio::select! { a = x => a } }"),
        "{(select! select[a = x => {}]); (loop {(tokio::select! select[a = x => a])})}"
    );
    assert_eq!(stmts("let x = m!(a).await?;"), "{let x = (? (await (m! args[a])));}");
}

#[test]
fn an_attribute_is_read_as_a_call() {
    let read = |text: &str| parse_attributes(text, Span { start: 0, end: text.len() as u32 });
    let bodies = read("#[a::retry(times = 3, wait = fixed(1))]\n#[doc = \"words\"]\n#[inline]");
    let called: Vec<String> = bodies.iter().map(|body| dump::expr(body, body.root)).collect();
    assert_eq!(called, ["(a::retry! args[(= times 3), (= wait (call fixed 1))])", "(inline! args[])"]);
    assert!(read("#[retry(1 2)]").is_empty(), "no list of expressions");
    assert!(read("no attribute").is_empty());
    let deep = |levels: usize| format!("#[retry({}1{})]", "(".repeat(levels), ")".repeat(levels));
    assert_eq!(read(&deep(20)).len(), 1);
    assert!(read(&deep(2_000)).is_empty() && read(&deep(200)).is_empty());
    assert!(read(&format!("#[retry({}true)]", "!".repeat(500))).is_empty());
}
