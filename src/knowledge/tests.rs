//! What the tables promise, and that a mistake in one is told where it is.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::mem::discriminant;

use super::load::{Tables, read_file};
use super::*;

fn path(text: &str) -> Vec<String> {
    text.split("::").map(str::to_owned).collect()
}

fn known() -> &'static Knowledge {
    match Knowledge::builtin() {
        Ok(known) => known,
        Err(error) => panic!("{error}"),
    }
}

fn role(entry: Option<&Entry>) -> Option<String> {
    let text = format!("{:?}", entry?.role);
    text.split([' ', '{']).next().map(str::to_lowercase)
}

#[test]
fn every_table_loads_and_says_something() {
    let files: Vec<_> = Knowledge::builtin_files().collect();
    assert!(files.len() >= 9, "{files:?}");
    for (name, text) in files {
        let tables = read_file(name, text).unwrap_or_else(|error| panic!("{error}"));
        assert_ne!(format!("{tables:?}"), format!("{:?}", Tables::default()), "{name} is empty");
    }
}

#[test]
fn no_list_of_words_is_empty() {
    let words = format!("{:#?}", known().words);
    assert!(!words.contains("[]"), "{words}");
}

/// One path, method with receiver, or macro must mean one thing; which of two counts is no question of file order.
#[test]
fn nothing_means_two_things() {
    let mut seen: BTreeMap<String, &Role> = BTreeMap::new();
    let mut clashes = Vec::new();
    for entry in known().entries() {
        let args = entry.args.map_or("_".to_owned(), |args| args.to_string());
        let mut names: Vec<String> = entry.paths.clone();
        names.extend(entry.macros.iter().map(|name| format!("{name}!")));
        for method in &entry.methods {
            names.extend(entry.on.iter().map(|on| format!("{on}.{method}/{args}")));
            if entry.on.is_empty() {
                names.push(format!(".{method}/{args}"));
            }
        }
        for name in names {
            if let Some(before) = seen.insert(name.clone(), &entry.role) {
                clashes.push(format!("{name}: {before:?} and {:?}", entry.role));
            }
        }
    }
    assert!(clashes.is_empty(), "listed twice:\n{}", clashes.join("\n"));
}

/// An alias in a table would be one of two spellings, and the clash test above would miss the other.
#[test]
fn tables_use_the_path_that_re_exports_stand_for() {
    let mut aliases = Vec::new();
    for text in known().entries().flat_map(|entry| entry.paths.iter().chain(&entry.on)) {
        let path = path(text);
        let canonical = known().canonical(&path);
        if *canonical != *path {
            aliases.push(format!("{text} is {}", canonical.join("::")));
        }
    }
    assert!(aliases.is_empty(), "{aliases:#?}");
}

#[test]
fn words_say_what_they_should_in_real_looking_names() {
    let words = &known().words;
    let cases: &[(&[String], &[&str], &[&str])] = &[
        (
            &words.establish,
            &["connect_with_retry", "try_reconnect", "subscribe_to_all", "open_session"],
            &["handle_connection", "join_handles", "disconnect", "fetch"],
        ),
        (
            &words.condition,
            &["wait_for_ready", "poll_until_available", "is_healthy", "await_confirmation"],
            &["poll_next", "fetch_with_retry", "synchronize", "complete_upload"],
        ),
        (
            &words.transient,
            &["RetryLater", "ServiceUnavailable", "Throttled", "RateLimited", "RegionError"],
            &["Connected", "NotRetryable", "Done", "Pending"],
        ),
        (&words.pending, &["InProgress", "NotReady", "Pending"], &["Ready", "Failed"]),
        (
            &words.success,
            &["Done", "Ready", "Completed"],
            &["NotReady", "Unavailable", "Incomplete", "Disconnected"],
        ),
        (
            &words.permanent,
            &["FatalError", "InvalidArgument", "NotFound", "NonRetryable"],
            &["Unavailable", "Retry"],
        ),
        (
            &words.cancel,
            &["shutdown_rx", "cancel_token", "stopped", "ctrl_c"],
            &["Interrupted", "ConnectionClosed", "existing"],
        ),
        (
            &words.attempts,
            &["attempt", "max_retries", "tries", "consecutive_failures"],
            &["country", "index"],
        ),
        (&words.delay, &["retry_delay", "BACKOFF", "sleep_duration"], &["timeout", "display"]),
        (
            &words.hint,
            &["retry_after", "Retry-After", "RetryAfter", "x-ratelimit-reset"],
            &["retry", "after"],
        ),
        (&words.not_an_error, &["WouldBlock", "Interrupted"], &["BlockedByFirewall"]),
    ];
    for (list, yes, no) in cases {
        for name in *yes {
            assert!(says(list, name), "{name} says none of {list:?}");
        }
        for name in *no {
            assert!(!says(list, name), "{name} says one of {list:?}");
        }
    }
}

#[test]
fn a_call_is_known_by_its_path() {
    let cases = [
        ("tokio::time::sleep", "wait"),
        ("rocket::tokio::time::sleep", "wait"),
        ("actix_web::rt::time::sleep", "wait"),
        ("std::thread::sleep", "wait"),
        ("smol::Timer::after", "wait"),
        ("gloo_timers::future::TimeoutFuture::new", "wait"),
        ("gloo::timers::future::sleep", "wait"),
        ("tokio::time::interval", "interval"),
        ("core::time::Duration::from_secs", "pure"),
        ("tokio::time::Duration::from_secs", "pure"),
        ("std::time::Instant::now", "clock"),
        ("chrono::Utc::now", "clock"),
        ("rand::random", "random"),
        ("rand::thread_rng", "pure"),
        ("rand::rngs::StdRng::seed_from_u64", "seed"),
        ("reqwest::Client::new", "client"),
        ("reqwest::get", "remote"),
        ("std::net::TcpStream::connect", "remote"),
        ("std::net::TcpListener::bind", "local"),
        ("std::fs::File::open", "local"),
        ("alloc::sync::Arc::new", "pure"),
        ("serde_json::from_str", "local"),
        ("tokio::time::timeout", "timeout"),
        ("tokio::spawn", "spawn"),
        ("std::process::exit", "diverge"),
        ("std::process::Command::new", "local"),
        ("Box::pin", "adaptor"),
        ("tokio::signal::ctrl_c", "cancel"),
    ];
    for (call, expected) in cases {
        assert_eq!(role(known().call(&path(call))).as_deref(), Some(expected), "{call}");
    }
    for unknown in [
        "sleep",
        "crate::net::connect",
        "tokio",
        "reqwest",
        "tokio::time",
        "my_std::fs::read",
        "serde_jsonx::from_str",
        "std::time::Duration",
    ] {
        assert_eq!(role(known().call(&path(unknown))), None, "{unknown}");
    }
    assert_eq!(known().call(&[]).map(|entry| &entry.role), None);
}

#[test]
fn details_of_waits_are_exact() {
    let wait = |call: &str| known().call(&path(call)).unwrap().role.clone();
    let made = |unit, blocking, event| Role::Wait { arg: Some(0), unit, blocking, event };
    assert_eq!(wait("tokio::time::sleep"), made(Unit::Duration, false, false));
    assert_eq!(wait("tokio::time::sleep_until"), made(Unit::Until, false, false));
    assert_eq!(wait("std::thread::sleep_ms"), made(Unit::Ms, true, false));
    assert_eq!(wait("gloo_timers::future::TimeoutFuture::new"), made(Unit::Ms, false, false));
    assert_eq!(wait("std::thread::park_timeout"), made(Unit::Duration, true, true));
    assert_eq!(wait("libc::usleep"), made(Unit::Us, true, false));
}

#[test]
fn a_name_alone_says_what_all_its_functions_say() {
    for (name, expected) in [
        ("sleep", "wait"),
        ("time::sleep", "wait"),
        ("Timer::after", "wait"),
        ("thread_rng", "pure"),
        ("timeout", "timeout"),
    ] {
        assert_eq!(role(known().by_tail(&path(name))).as_deref(), Some(expected), "{name}");
    }
    let Some(Role::Wait { blocking, .. }) = known().bare("sleep").map(|entry| entry.role.clone()) else {
        panic!()
    };
    assert!(!blocking, "some block, some do not");
    // Associated functions say nothing without their type.
    for name in ["new", "after_millis", "connect_timeout", "no_such_function"] {
        assert_eq!(role(known().bare(name)), None, "{name}");
    }
}

#[test]
fn a_method_is_known_by_its_receiver_or_its_name() {
    let cases = [
        // name, receiver, args, role, certain
        ("elapsed", None, 0, Some(("clock", true))),
        ("elapsed", Some("crate::Clock"), 0, Some(("clock", true))),
        ("gen_range", None, 1, Some(("random", true))),
        ("map_err", None, 1, Some(("adaptor", true))),
        ("sleep", Some("crate::Timer"), 1, Some(("wait", false))),
        ("sleep", None, 0, None),
        ("tick", None, 0, Some(("wait", false))),
        ("tick", Some("tokio::time::Interval"), 0, Some(("wait", true))),
        ("tick", Some("crate::game::World"), 0, None),
        ("send", None, 1, None),
        ("send", Some("tokio::sync::mpsc::Sender"), 1, Some(("local", true))),
        ("send", Some("reqwest::RequestBuilder"), 0, Some(("remote", true))),
        ("send", Some("crate::Thing"), 0, None),
        ("recv_timeout", None, 1, Some(("wait", true))),
        ("read", None, 1, None),
        ("read", Some("std::fs::File"), 1, Some(("local", true))),
        ("write_all", None, 1, None),
        ("next", None, 0, None),
        ("spawn", Some("std::process::Command"), 0, Some(("local", true))),
        ("spawn", None, 1, Some(("spawn", false))),
        ("is_server_error", None, 0, Some(("predicate", true))),
        ("status", None, 0, Some(("status", false))),
        ("clone", None, 0, Some(("pure", true))),
        ("get", None, 1, None),
        ("pop", None, 0, None),
        ("no_such_method", None, 0, None),
    ];
    for (name, receiver, args, expected) in cases {
        let receiver = receiver.map(path);
        let found = known().method(name, receiver.as_deref(), args);
        let found = found.map(|found| (role(Some(found.entry)).unwrap(), found.certain));
        let expected = expected.map(|(role, certain)| (role.to_owned(), certain));
        assert_eq!(found, expected, "{name} on {receiver:?}");
    }
}

#[test]
fn a_macro_is_known_by_its_last_segment() {
    for (name, expected) in [
        ("tracing::warn", "log"),
        ("println", "log"),
        ("panic", "diverge"),
        ("anyhow::bail", "bail"),
        ("format", "pure"),
        ("select", ""),
    ] {
        let found = role(known().macro_call(&path(name)));
        assert_eq!(found.unwrap_or_default(), expected, "{name}");
    }
    assert_eq!(known().macro_call(&path("ensure")).unwrap().role, Role::Bail { unless: Some(0) });
}

#[test]
fn types_tell_remote_from_local() {
    for (ty, expected) in [
        ("reqwest::Client", "client"),
        ("tokio::net::TcpStream", "client"),
        ("std::fs::File", "local"),
        ("tokio::sync::mpsc::Sender", "local"),
        // Data, and containers of anything, say neither.
        ("serde_json::Value", ""),
        ("http::Response", ""),
        ("std::sync::Mutex", ""),
        ("std::path::PathBuf", ""),
        ("std::io::Error", ""),
        ("String", ""),
        ("crate::Client", ""),
    ] {
        assert_eq!(role(known().type_entry(&path(ty))).unwrap_or_default(), expected, "{ty}");
    }
}

#[test]
fn crates_that_reach_a_remote_side() {
    for name in
        ["reqwest", "tokio_tungstenite", "tungstenite", "async_nats", "aws_sdk_s3", "kube_client", "ethers"]
    {
        assert!(known().crate_is_client(name), "{name}");
    }
    for name in ["std", "tokio", "async_std", "serde_json", "rand", "parking_lot", "http", "reqwest_", ""] {
        assert!(!known().crate_is_client(name), "{name}");
    }
}

#[test]
fn later_tables_count_and_patterns_go_by_exactness() {
    let table = r#"
        [[call]]
        role = "local"
        paths = ["a::*", "a::b::C"]
        [[call]]
        role = "remote"
        paths = ["a::b::*", "fam_*::Client::connect"]
        [[call]]
        role = "client"
        paths = ["fam_*::Client", "fam_x::*", "same::*"]
        [same]
        "door" = "a::b"
        "outer" = "door"
        "round" = "round::again"
    "#;
    let more = "[[call]]\nrole = \"pure\"\npaths = [\"same::*\"]\n";
    let known = Knowledge::load([("one", table), ("two", more)]).unwrap();
    for (call, expected) in [
        ("a::x", "local"),
        ("a::x::y::z", "local"),
        ("a::b::x", "remote"),
        ("a::b::C", "local"),
        ("a::b::C::new", "local"),
        ("door::x", "remote"),
        ("outer::C", "local"),
        ("fam_y::Client::connect", "remote"),
        ("fam_y::Client::new", "client"),
        ("fam_x::Client::connect", "remote"),
        ("fam_x::other", "client"),
        ("same::x", "pure"),
    ] {
        assert_eq!(role(known.call(&path(call))).as_deref(), Some(expected), "{call}");
    }
    for call in ["a", "fam_y::Other", "fa_y::Client", "round::x"] {
        assert_eq!(role(known.call(&path(call))), None, "{call}");
    }
    assert!(known.crate_is_client("fam_anything"));
}

#[test]
fn methods_of_one_name_must_agree_to_count_without_a_receiver() {
    let table = |second: &str| {
        format!(
            "[[call]]\nrole = \"remote\"\nmethod = \"GET\"\nmethods = [\"ask\"]\non = [\"a::A\"]\n\
             [[call]]\nrole = {second}\nmethods = [\"ask\"]\non = [\"b::B\"]\n"
        )
    };
    let same = Knowledge::load([("t", table("\"remote\""))]).unwrap();
    let found = same.method("ask", None, 3).unwrap();
    let plain = Role::Remote {
        method: None,
        idempotent: None,
        establishes: false,
        blocking: false,
        raises: false,
        waits: false,
        asks: false,
        receives: false,
        refuses: false,
    };
    assert_eq!((found.certain, &found.entry.role), (false, &plain));
    let other = Knowledge::load([("t", table("\"local\""))]).unwrap();
    assert!(other.method("ask", None, 3).is_none());
    assert!(other.method("ask", Some(&path("b::B")), 3).unwrap().certain);
    let numbered = Knowledge::load([("t", table("\"local\"\nargs = 1"))]).unwrap();
    assert!(numbered.method("ask", None, 1).is_none());
    assert_eq!(role(numbered.method("ask", None, 3).map(|found| found.entry)).as_deref(), Some("remote"));
}

#[test]
#[allow(clippy::too_many_lines)] // one table
fn a_mistake_is_told_with_its_line_and_the_nearest_word() {
    let cases = [
        (
            "[[call]]\nrole = \"wait\"\npath = [\"a::b\"]\n",
            3,
            "unknown key `path` in a call of role `wait`",
            Some("paths"),
        ),
        (
            "[[call]]\nrole = \"wait\"\npaths = [\"a::b\"]\narg = 0\nunits = \"ms\"\n",
            5,
            "unknown key `units`",
            Some("unit"),
        ),
        (
            "[[call]]\nrole = \"log\"\npaths = [\"a::b\"]\narg = 0\n",
            4,
            "unknown key `arg` in a call of role `log`",
            Some("args"),
        ),
        ("\n[[call]]\nrole = \"wiat\"\npaths = [\"a::b\"]\n", 3, "unknown word `wiat`", Some("wait")),
        (
            "[[call]]\nrole = \"wait\"\npaths = [\"a::b\"]\nunit = \"mss\"\n",
            4,
            "unknown word `mss`",
            Some("ms"),
        ),
        (
            "[[call]]\nrole = \"interval\"\npaths = [\"a::b\"]\n",
            2,
            "`arg` is missing in a call of role `interval`",
            None,
        ),
        ("[[call]]\npaths = [\"a::b\"]\n", 1, "`role` is missing", None),
        ("[[call]]\nrole = \"pure\"\n", 2, "the call names nothing", None),
        ("[[call]]\nrole = \"pure\"\npaths = [\n  \"a::b\",\n  \"a::*::b\",\n]\n", 5, "is no path", None),
        ("[[call]]\nrole = \"pure\"\nmethods = [\"a\", \"b::c\"]\n", 3, "a name of one segment", None),
        (
            "[[call]]\nrole = \"pure\"\npaths = [\"a::b\"]\non = [\"c::D\"]\n",
            4,
            "`on` speaks of methods",
            None,
        ),
        (
            "[[call]]\nrole = \"pure\"\nmethods = [\"b\"]\non = [\"c::D\"]\ncertain = true\n",
            5,
            "`certain` says",
            None,
        ),
        ("[[call]]\nrole = \"wait\"\narg = \"first\"\npaths = [\"a::b\"]\n", 3, "invalid type", None),
        ("[[call]]\nrole = 3\npaths = [\"a::b\"]\n", 2, "expected variant", None),
        ("[[calls]]\nrole = \"pure\"\n", 1, "unknown section `calls`", Some("call")),
        ("call = 3\n", 1, "expected `[[call]]`", None),
        ("[words]\ncancel = []\nremotes = []\n", 3, "unknown key `remotes`", Some("remote")),
        ("[words]\ncancel = [1]\n", 2, "invalid type", None),
        ("[crates]\nclient = []\n", 2, "unknown key `client`", Some("clients")),
        ("[same]\n\"a::*::b\" = \"c\"\n", 2, "is no path", None),
        (
            "[[call]]\nrole = \"remote\"\npaths = [\"a::b\"]\nmethod = \"GTE\"\n",
            4,
            "unknown word `GTE`",
            Some("GET"),
        ),
        (
            "[[call]]\nrole = \"remote\"\npaths = [\"a::b\"]\nmethod = \"post\"\n",
            4,
            "unknown word `post`",
            Some("POST"),
        ),
        (
            "[[call]]\nrole = \"predicate\"\npaths = [\"a::b\"]\nstatuses = [[599, 500]]\n",
            4,
            "lower first",
            None,
        ),
        (
            "[[call]]\nrole = \"predicate\"\npaths = [\"a::b\"]\nstatuses = [[500]]\n",
            4,
            "invalid length",
            None,
        ),
        ("[[call]]\nrole = \"wait\"\npaths = [\"a::b\"]\narg = -1\n", 4, "invalid value", None),
        ("[[call]]\nrole = \"wait\"\npaths = [\"a::b\"]\nblocking = \"no\"\n", 4, "invalid type", None),
        (
            "[[call]]\nrole = \"random\"\npaths = [\"a::b\"]\ngives = \"rnage\"\n",
            4,
            "unknown word `rnage`",
            Some("range"),
        ),
        ("[[call]]\nrole = \"random\"\npaths = [\"a::b\"]\n", 2, "`gives` is missing", None),
        (
            "[[call]]\nrole = \"local\"\npaths = [\"a::b\"]\nkind = \"flie\"\n",
            4,
            "unknown word `flie`",
            Some("file"),
        ),
        (
            "[[call]]\nrole = \"clock\"\npaths = [\"a::b\"]\ngives = \"nwo\"\n",
            4,
            "unknown word `nwo`",
            Some("now"),
        ),
        ("[same]\n\"a\" = \"b\"\n\"c\" = \"d:e\"\n", 3, "is no path", None),
        ("[same]\n\"a\" = 1\n", 2, "invalid type", None),
        ("same = 1\n", 1, "expected `[same]`", None),
        ("[vague]\nfunctions = [\"a::b\"]\n", 2, "a name of one segment", None),
        ("[vague]\nmethod = []\n", 2, "unknown key `method`", Some("methods")),
        ("[crates]\nclients = [\n  \"our_db\",\n  \"our-rpc\",\n]\n", 4, "`our_rpc`", None),
        ("[words]\nretry = [\"\"]\n", 2, "is no word", None),
        ("[words]\nretry = [\"Nochmal\"]\n", 2, "is no word", None),
        ("[words]\nretry = \"again\"\n", 2, "invalid type", None),
        ("call = [1]\n", 1, "expected a table", None),
        ("[[call]]\nrole = \"pure\"\nrole = \"log\"\n", 3, "duplicate", None),
        ("[[call]]\nrole = \"pure\npaths = []\n", 2, "", None),
    ];
    for (text, line, what, meant) in cases {
        let error = Knowledge::load([("tables/own.toml", text)]).expect_err(text);
        assert_eq!((error.line, error.meant.as_deref()), (line, meant), "{text}\n{error}");
        assert!(error.what.contains(what), "{text}\n{error}");
        assert!(error.to_string().starts_with(&format!("tables/own.toml:{line}: ")), "{error}");
    }
}

#[test]
fn names_fall_into_parts() {
    for (name, expected) in [
        ("wait_for_ready", "wait for ready"),
        ("RetryLater", "retry later"),
        ("HTTPServerError", "http server error"),
        ("MAX_RETRIES", "max retries"),
        ("sendV2Request", "send v2 request"),
        ("http2Client", "http2 client"),
        ("__private", "private"),
        ("r#try", "try"),
        ("retry-after", "retry after"),
        ("reqwest::Client", "reqwest client"),
        ("x", "x"),
        ("", ""),
        ("_", ""),
        ("ÜberGröße", "über größe"),
    ] {
        assert_eq!(parts(name).join(" "), expected, "{name}");
    }
}

#[test]
fn a_name_says_a_word_only_as_a_part_of_it() {
    let list = |words: &str| words.split(' ').map(str::to_owned).collect::<Vec<_>>();
    for (words, name) in [
        ("retry", "retry"),
        ("retry", "max_retries"),
        ("retry", "Retried"),
        ("retry", "isRetrying"),
        ("wait", "waiting_for_peer"),
        ("stop", "stopped"),
        ("cancel", "is_cancelled"),
        ("cache", "cached"),
        ("cache", "caching"),
        ("fetch", "fetches"),
        ("retry_after", "get_retry_after_header"),
        ("retry_after", "RetryAfter"),
        ("a b retry", "retry"),
        ("not_ready", "NotReady"),
        ("ready", "ReadyNotBusy"),
    ] {
        assert!(says(&list(words), name), "{words} in {name}");
    }
    for (words, name) in [
        ("retry", "retryable_error"),
        ("wait", "await"),
        ("run", "runs"),
        ("run", "prune"),
        ("ready", "already"),
        ("retry_after", "after_retry"),
        ("retry_after", "retry"),
        ("get", "gets"),
        ("log", "login"),
        ("time", "timid"),
        ("ready busy", "NotReady"),
        ("retry", "no_retry"),
        ("retryable", "NonRetryable"),
        ("", "x"),
    ] {
        assert!(!says(&list(words), name), "{words} in {name}");
    }
    assert!(!says(&[], "retry"));
}

/// A role that tables of this folder never give is a word that nobody may use yet.
#[test]
fn every_role_is_given() {
    let given: Vec<_> = known().entries().map(|entry| discriminant(&entry.role)).collect();
    for text in [
        "wait",
        "seed",
        "client",
        "local",
        "adaptor",
        "spawn",
        "diverge",
        "bail",
        "log",
        "cancel",
        "event",
        "accept",
        "predicate",
        "status",
        "hint",
        "guard",
        "breaker",
        "pure",
        "remote",
    ] {
        let table = format!("[[call]]\nrole = \"{text}\"\npaths = [\"a::b\"]\n");
        let one = Knowledge::load([("t", table)]).unwrap();
        let wanted = discriminant(&one.entries().next().unwrap().role);
        assert!(given.contains(&wanted), "{text}");
    }
}
