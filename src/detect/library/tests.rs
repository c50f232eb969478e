//! Small functions that build and run policies, and the facts read off them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use crate::knowledge::Knowledge;
use crate::model::{FACTS, Kind, Site, Value};
use crate::resolve::Crate;
use crate::source::{Lines, SourceFile, outline};

const MANIFEST: &str = "[package]\nname = \"app\"\n[dependencies]\nbackon = \"1\"\nbackoff = \"0.4\"\ntokio-retry = \"0.3\"\nretry = \"2\"\nagain = \"0.1\"\ntryhard = \"0.5\"\nreqwest-retry = \"0.9\"\nreqwest = \"0.12\"\ntokio = \"1\"\n";

fn sites(text: &str) -> Vec<Site> {
    let file = SourceFile {
        path: "src/lib.rs".into(),
        text: text.to_owned(),
        lines: Lines::new(text),
        outline: outline(text, "src/lib.rs"),
        in_test: false,
        context_only: false,
    };
    let found = crate::detect::sites(&Crate::new(vec![file], Some(MANIFEST)), Knowledge::builtin().unwrap());
    assert!(found.problems.is_empty(), "{:?}", found.problems);
    found.sites.into_iter().filter(|site| site.kind == Kind::Library).collect()
}

/// One site's facts of these names, as words.
fn facts(site: &Site, names: &[&str]) -> String {
    let word = |name: &str| match FACTS.iter().find(|fact| fact.name == name).unwrap().value(site) {
        Value::Word(word) => word.to_owned(),
        Value::Bool(yes) => yes.to_string(),
        Value::Number(number) => format!("{}", (number * 1000.0).round() / 1000.0),
        Value::Text(text) => text,
        Value::Schedule(list) => format!("{list:?}"),
        Value::Unknown => "?".to_owned(),
    };
    names.iter().map(|name| word(name)).collect::<Vec<_>>().join(" ")
}

const POLICY: &[&str] = &[
    "delay.growth",
    "delay.jitter",
    "delay.first_s",
    "delay.capped",
    "delay.cap_s",
    "attempts.kind",
    "attempts.max",
];

#[track_caller]
fn policy_is(expression: &str, uses: &str, expected: &str) {
    let found = sites(&format!(
        "use std::time::Duration;\n{uses}\npub fn policy(n: usize, d: Duration, o: Option<Duration>) -> impl Sized {{ let _delay = 1;\n {expression} }}\n"
    ));
    assert_eq!(found.len(), 1, "{expression}: {found:#?}");
    assert_eq!(facts(&found[0], POLICY), expected, "{expression}");
    assert_eq!(facts(&found[0], &["operation.remote", "confidence"]), "? high");
}

#[test]
fn defaults_and_setters() {
    let backon = "use backon::{ExponentialBuilder, ConstantBuilder};";
    policy_is("ExponentialBuilder::default()", backon, "exponential none 1 true 60 bounded 4");
    policy_is(
        "ExponentialBuilder::new().with_jitter().with_max_times(5)",
        backon,
        "exponential additive 1 true 60 bounded 6",
    );
    policy_is(
        "ExponentialBuilder::new().without_max_times().without_max_delay()",
        backon,
        "exponential none 1 false ? unbounded ?",
    );
    policy_is(
        "ExponentialBuilder::new().with_max_times(n).with_max_delay(d)",
        backon,
        "exponential none 1 true ? bounded ?",
    );
    policy_is(
        "ExponentialBuilder::new().without_max_times().with_total_delay(Some(d))",
        backon,
        "exponential none 1 true 60 deadline ?",
    );
    policy_is(
        "ExponentialBuilder::new().without_max_times().with_total_delay(o)",
        backon,
        "exponential none 1 true 60 ? ?",
    );
    policy_is(
        "ConstantBuilder::default().with_delay(Duration::from_millis(200))",
        backon,
        "constant none 0.2 ? 1 bounded 4",
    );
    let backoff = "use backoff::{ExponentialBackoff, ExponentialBackoffBuilder};";
    policy_is("ExponentialBackoff::default()", backoff, "exponential proportional 0.5 true 60 deadline ?");
    policy_is(
        "ExponentialBackoff { max_elapsed_time: None, ..Default::default() }",
        backoff,
        "exponential proportional 0.5 true 60 unbounded ?",
    );
    policy_is(
        "ExponentialBackoff { max_elapsed_time: None, ..base() }",
        backoff,
        "exponential ? ? ? ? unbounded ?",
    );
    policy_is(
        "ExponentialBackoffBuilder::new().with_randomization_factor(0.0).build()",
        backoff,
        "exponential none 0.5 true 60 deadline ?",
    );
}

#[test]
fn iterators_of_delays() {
    let uses = "use tokio_retry::strategy::{ExponentialBackoff, FixedInterval, jitter};";
    policy_is(
        "ExponentialBackoff::from_millis(10).factor(2).map(jitter).take(3)",
        uses,
        "exponential full 0.02 false ? bounded 4",
    );
    policy_is(
        "ExponentialBackoff::from_millis(10).max_delay(Duration::from_secs(1))",
        uses,
        "exponential none 0.01 true 1 unbounded ?",
    );
    policy_is("ExponentialBackoff::from_millis(1)", uses, "constant none 0.001 ? ? unbounded ?");
    policy_is("FixedInterval::from_millis(500).take(usize::MAX)", uses, "constant none 0.5 ? ? unbounded ?");
    // nobody can tell what the function makes of the delays
    policy_is("FixedInterval::from_millis(500).map(spread).take(2)", uses, "? ? ? ? ? bounded 3");
    policy_is(
        "ExponentialBackoff::from_millis(10).map(|d| d.min(Duration::from_secs(2))).take(2)",
        uses,
        "exponential none 0.01 true 2 bounded 3",
    );
}

#[test]
fn a_setter_on_some_paths_leaves_its_fact_unknown() {
    let found = sites(
        "use backon::ExponentialBuilder;\npub fn backoff(shake: bool) -> ExponentialBuilder {\n let mut b = ExponentialBuilder::default().without_max_times();\n if shake {\n b = b.with_jitter();\n }\n b\n}\n",
    );
    assert_eq!(facts(&found[0], POLICY), "exponential ? 1 true 60 unbounded ?");
}

const OPERATION: &[&str] = &["operation.remote", "errors.kind", "errors.retries_permanent"];

#[track_caller]
fn operation_is(body: &str, uses: &str, expected: &str) {
    let found = sites(&format!(
        "{uses}\npub async fn fetch(client: &reqwest::Client, url: &str) -> Result<String, Error> {{ let retry_delay = 1;\n {body} }}\n"
    ));
    assert_eq!(found.len(), 1, "{body}: {found:#?}");
    assert_eq!(facts(&found[0], OPERATION), expected, "{body}");
}

#[test]
fn which_errors_go_round() {
    let uses = "use backoff::{ExponentialBackoff, future::retry};";
    let run = |inside: &str| format!("retry(ExponentialBackoff::default(), || async {{ {inside} }}).await");
    operation_is(&run("Ok(client.get(url).send().await?.text().await?)"), uses, "true all ?");
    operation_is(&run("Ok(client.get(url).send().await?.json::<String>().await?)"), uses, "true all true");
    // what is encoded is the request
    operation_is(
        &run("Ok(client.post(url).body(serde_json::to_vec(url)?).send().await?.text().await?)"),
        uses,
        "true all ?",
    );
    operation_is(
        &run("client.get(url).send().await.map_err(backoff::Error::permanent)?; Ok(1)"),
        uses,
        "true ? ?",
    );
    operation_is(
        &run(
            "match client.get(url).send().await { Ok(r) => Ok(r), Err(e) => Err(backoff::Error::transient(e)) }",
        ),
        uses,
        "true all ?",
    );
    let uses = "use backon::{ExponentialBuilder, Retryable};";
    operation_is(
        "(|| client.get(url).send()).retry(ExponentialBuilder::default()).await",
        uses,
        "true all ?",
    );
    operation_is(
        "(|| client.get(url).send()).retry(ExponentialBuilder::default()).when(passing).await",
        uses,
        "true classified ?",
    );
    let uses = "use retry::{OperationResult, delay::Fixed, retry};";
    operation_is("retry(Fixed::from_millis(100).take(5), || client.get(url).send())", uses, "true all ?");
}

#[test]
fn a_policy_and_its_driver_are_two_places() {
    let found = sites(
        "use backon::{ExponentialBuilder, Retryable};\npub async fn fetch(client: &reqwest::Client, url: &str) {\n let policy = ExponentialBuilder::default()\n .with_max_times(7);\n let get = || client.get(url).send();\n let _ = get.retry(policy).await;\n}\n",
    );
    let lines: Vec<_> = found.iter().map(|site| (site.place.line, site.place.end_line)).collect();
    assert_eq!(lines, [(3, 4), (6, 6)]);
    assert_eq!(
        facts(&found[0], &["delay.jitter", "attempts.max", "operation.remote", "errors.kind"]),
        "none 8 true ?"
    );
    assert_eq!(
        facts(&found[1], &["delay.jitter", "attempts.max", "operation.remote", "errors.kind"]),
        "none 8 true all"
    );
}

#[test]
fn callers_tell_what_a_given_policy_is_for() {
    let text = |operation: &str| {
        format!(
            "use backon::{{ExponentialBuilder, Retryable}};\nfn backoff() -> ExponentialBuilder {{\n ExponentialBuilder::new()\n}}\npub async fn fetch(client: &reqwest::Client, url: &str) {{\n let policy = backoff();\n let _ = (|| {operation}).retry(policy).await;\n}}\n"
        )
    };
    let told = &["delay.jitter", "operation.remote", "confidence"];
    let remote = |operation: &str| facts(&sites(&text(operation))[0], told);
    assert_eq!(remote("client.get(url).send()"), "none true high");
    assert_eq!(remote("unseen(url)"), "none true medium");
    assert_eq!(remote("std::fs::read(url)"), "none ? high");
}

#[test]
fn a_middleware_is_remote_by_nature() {
    let found = sites(
        "use reqwest_retry::{RetryTransientMiddleware, policies::ExponentialBackoff};\npub fn client() {\n let policy = ExponentialBackoff::builder().build_with_max_retries(3);\n build(RetryTransientMiddleware::new_with_policy(policy));\n}\n",
    );
    assert_eq!(facts(&found[0], POLICY), "exponential full 1 true 1800 bounded 4");
    assert_eq!(facts(&found[0], &["operation.remote"]), "true");
    assert_eq!(
        facts(&found[1], &["operation.remote", "errors.kind", "errors.retries_4xx"]),
        "true status false"
    );
}

#[test]
fn crates_whose_call_is_policy_and_driver_at_once() {
    let head = "pub async fn fetch(client: &reqwest::Client, url: &str) {\n";
    let found = sites(&format!(
        "{head} let _ = tryhard::retry_fn(|| client.get(url).send()).retries(10).await;\n}}\n"
    ));
    assert_eq!(
        facts(
            &found[0],
            &["delay.growth", "delay.capped", "attempts.max", "operation.remote", "errors.kind"]
        ),
        "none ? 11 true all"
    );
    let found = sites(&format!("{head} let _ = again::retry(|| client.get(url).send()).await;\n}}\n"));
    assert_eq!(
        facts(
            &found[0],
            &["delay.growth", "delay.capped", "attempts.max", "operation.remote", "errors.kind"]
        ),
        "exponential false 6 true all"
    );
    assert_eq!((found.len(), found[0].schedule.value().map(Vec::len)), (1, Some(5)));
}
