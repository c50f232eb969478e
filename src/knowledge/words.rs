//! Telling words: what a name says where flow cannot tell. Each list is used for one question, named after it.

use serde::Deserialize;

/// The lists of `rules/vocabulary/words.toml`. Words are matched against the parts of a name (`wait_for_ready` has `wait`, `for`, `ready`; `RetryLater` has `retry`, `later`).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Words {
    /// The call makes a connection, session or subscription: connect, dial, subscribe, login, …
    pub establish: Vec<String>,
    /// The caller waits for a condition: wait, until, ready, healthy, poll, …
    pub condition: Vec<String>,
    /// The call crosses a network: fetch, request, send, query, …
    pub remote: Vec<String>,
    /// The call stays on the machine: parse, lock, `read_line`, …
    pub local: Vec<String>,
    /// A variant or predicate that means a failure which may go away: retry, transient, unavailable, …
    pub transient: Vec<String>,
    /// A variant that means "not yet": pending, waiting, progress, …
    pub pending: Vec<String>,
    /// A variant that means success: done, success, finished, …
    pub success: Vec<String>,
    /// A variant that means a failure that stays: terminal, fatal, permanent, …
    pub permanent: Vec<String>,
    /// Long work that ends only when something broke: run, serve, listen, stream, …
    pub session: Vec<String>,
    /// One piece of work, though it is run: `run_command`, `run_one_pass`.
    pub piece: Vec<String>,
    /// A stop signal: shutdown, cancel, stop, quit, …
    pub cancel: Vec<String>,
    /// A helper that retries what it is given: retry, backoff, attempts, …
    pub retry: Vec<String>,
    /// A name that holds or computes a delay: delay, backoff, wait, interval, …
    pub delay: Vec<String>,
    /// A random part: jitter, rand, random, noise, spread, …
    pub random: Vec<String>,
    /// A name of an attempt counter or limit: attempt, retries, tries, …
    pub attempts: Vec<String>,
    /// A name of a server's hint: `retry_after`, …
    pub hint: Vec<String>,
    /// A call that must not be repeated blindly: create, submit, pay, …
    pub unsafe_to_repeat: Vec<String>,
    /// An order, a payment, a message: what is done once, whatever the call's HTTP method is: submit, pay, `place_order`, …
    pub spends: Vec<String>,
    /// A request that only asks, though it may be a POST: query, search, completion, …
    pub reads: Vec<String>,
    /// A key that lets a server drop a repeat, or a condition that does: `idempotency`, `client_order_id`, `if_match`, …
    pub repeat_key: Vec<String>,
    /// What makes a transaction another one: nonce, blockhash.
    pub nonce: Vec<String>,
    /// A failure that leaves open whether the work was done: timeout, `connection_lost`, …
    pub unanswered: Vec<String>,
    /// A field, argument or type name of a remote side: url, endpoint, addr, client, …
    pub remote_things: Vec<String>,
    /// A log or metric call by a home-grown name: log, warn, record, …
    pub log: Vec<String>,
    /// Error kinds that say "try again at once": `would_block`, interrupted, …
    pub not_an_error: Vec<String>,
    /// The next of several: `next_host`, failover, …
    pub failover: Vec<String>,
    /// A predicate or variant that sets apart only what asks for another attempt: `rate_limited`, busy, timeout, …
    pub passing: Vec<String>,
    /// A pooled connection that had gone stale while it lay: stale, reused, `bad_conn`, …
    pub stale: Vec<String>,
    /// Remote calls that decode what they get.
    pub decoding: Vec<String>,
    /// Whole names: remote verbs that half of all types have, so that they tell little alone: get, send, list, …
    pub everyday: Vec<String>,
    /// Single parts: what a readiness or health endpoint is called, a last `z` aside: ready, health, live, …
    pub health: Vec<String>,
    /// Single parts: a call that opens what goes on coming: stream, events, subscription, …
    pub streams: Vec<String>,
    /// Whole names: parameters that count, of a function that computes a delay: n, round, exponent, …
    pub counter: Vec<String>,
    /// First parts of names of functions that only wait: sleep, pause.
    pub sleep: Vec<String>,
    /// Whole names: calls that give one of many, beside std's own: `try_next`, dequeue, …
    pub items: Vec<String>,
    /// First parts: a variant of a retry decision that says to go on: after, yes, now, …
    pub go_on: Vec<String>,
    /// First parts: a call that only asks whether to go on: should, can, …
    pub question: Vec<String>,
    /// A limiter of one's own pace: limiter, throttle, …
    pub limiter: Vec<String>,
    /// A type that waits for something: waiter.
    pub waiter: Vec<String>,
    /// First parts: a call that only reads: get, ping, status, …
    pub asks: Vec<String>,
    /// Whole names: an order, and no signal, where it is awaited: abort, cancel, …
    pub orders: Vec<String>,
    /// Whole names: what a command or a reply says of its end, where 0 is well: code, `exit_status`, …
    pub end_code: Vec<String>,
    /// A test of an error that asks whether it may go away: retryable, resumable, …
    pub retryable: Vec<String>,
    /// Whole names: a method that runs the command that was built: status, output, …
    pub runs: Vec<String>,
    /// First parts: a call that reads what the other side sends: recv, read, …
    pub receives: Vec<String>,
    /// First parts: a call that answers something that happened: `on_connect_event`.
    pub answers: Vec<String>,
    /// Last parts: what retrying is spoken of in, when nothing is retried: status, config, …
    pub records: Vec<String>,
    /// Whole names: programs that reach a remote side: ssh, curl, …
    pub remote_programs: Vec<String>,
    /// Whole names: a call that makes an identifier anew: `new_v4`, …
    pub new_identifier: Vec<String>,
    /// Single parts: what was signed before it is sent: signed, …
    pub signed: Vec<String>,
    /// Single parts: a transaction: tx, …
    pub transaction: Vec<String>,
    /// Whole names of types, `_` between their parts, that are empty when they are made by `new`: vec, `hash_map`, …
    pub collection: Vec<String>,
    /// What was to be made is there already: unique, duplicate, `already_exists`, …
    pub conflict: Vec<String>,
    /// What was asked for is not there: `not_found`, `not_enough`, …
    pub absent: Vec<String>,
    /// The time that was given ran out: timeout, elapsed, …
    pub time_is_up: Vec<String>,
    /// An answer that names another one to be asked: redirect, `leader_hint`, …
    pub redirect: Vec<String>,
    /// What is asked in a rhythm: poll, check, …
    pub rhythm: Vec<String>,
    /// What was picked here belongs to another already: `id_taken`, collision, …
    pub taken: Vec<String>,
    /// A person answers: prompt, `read_line`, …
    pub person: Vec<String>,
}

impl Words {
    /// Adds the words of another table.
    pub(crate) fn extend(&mut self, mut other: Self) {
        for (list, more) in self.lists().into_iter().zip(other.lists()) {
            list.append(more);
        }
    }

    fn lists(&mut self) -> [&mut Vec<String>; 59] {
        [
            &mut self.establish,
            &mut self.condition,
            &mut self.remote,
            &mut self.local,
            &mut self.transient,
            &mut self.pending,
            &mut self.success,
            &mut self.permanent,
            &mut self.session,
            &mut self.cancel,
            &mut self.retry,
            &mut self.delay,
            &mut self.random,
            &mut self.attempts,
            &mut self.hint,
            &mut self.unsafe_to_repeat,
            &mut self.spends,
            &mut self.reads,
            &mut self.repeat_key,
            &mut self.nonce,
            &mut self.unanswered,
            &mut self.remote_things,
            &mut self.log,
            &mut self.not_an_error,
            &mut self.failover,
            &mut self.passing,
            &mut self.stale,
            &mut self.decoding,
            &mut self.everyday,
            &mut self.health,
            &mut self.streams,
            &mut self.counter,
            &mut self.sleep,
            &mut self.items,
            &mut self.go_on,
            &mut self.question,
            &mut self.limiter,
            &mut self.waiter,
            &mut self.asks,
            &mut self.orders,
            &mut self.end_code,
            &mut self.retryable,
            &mut self.runs,
            &mut self.remote_programs,
            &mut self.piece,
            &mut self.receives,
            &mut self.answers,
            &mut self.records,
            &mut self.new_identifier,
            &mut self.signed,
            &mut self.transaction,
            &mut self.collection,
            &mut self.conflict,
            &mut self.absent,
            &mut self.time_is_up,
            &mut self.redirect,
            &mut self.rhythm,
            &mut self.taken,
            &mut self.person,
        ]
    }
}

/// The parts of a snake or camel name, in lower case: `HTTPServerError` has `http`, `server`, `error`.
pub fn parts(name: &str) -> Vec<String> {
    let name = name.strip_prefix("r#").unwrap_or(name);
    name.split(|c: char| !c.is_alphanumeric()).flat_map(humps).collect()
}

/// Splits a name without separators at its capitals; a run of capitals is one part up to the last, which starts the next.
fn humps(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut parts: Vec<String> = Vec::new();
    for (position, letter) in letters.iter().enumerate() {
        let before = position.checked_sub(1).and_then(|at| letters.get(at));
        let after = letters.get(position + 1);
        let starts = before.is_none_or(|before| {
            letter.is_uppercase() && (!before.is_uppercase() || after.is_some_and(|c| c.is_lowercase()))
        });
        if starts {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut() {
            part.extend(letter.to_lowercase());
        }
    }
    parts
}

/// Whether a name, or one part of it, is one of these words as it stands.
pub fn is_one_of(list: &[String], name: &str) -> bool {
    list.iter().any(|word| word == name)
}

/// Whether a name says one of these words: a part is the word, or consecutive parts are the parts of a longer one (`retry_after`);
/// not where the word is denied (`NotReady` does not say `ready`, but says `not_ready`).
pub fn says(list: &[String], name: &str) -> bool {
    let parts = parts(name);
    list.iter().any(|word| said(word, &parts))
}

fn said(word: &str, parts: &[String]) -> bool {
    let length = word.split('_').count();
    parts.windows(length).enumerate().any(|(at, window)| {
        let before = at.checked_sub(1).and_then(|before| parts.get(before));
        let denied = before.is_some_and(|part| matches!(part.as_str(), "not" | "non" | "no" | "never"));
        !denied && window.iter().zip(word.split('_')).all(|(part, word)| is_form(part, word))
    })
}

/// The word itself, or its plural or verb form: `retries`, `stopped`, `waiting`.
fn is_form(part: &str, word: &str) -> bool {
    if part == word {
        return true;
    }
    // Short words are parts of too many others once they may end anyhow.
    if word.len() < 4 {
        return false;
    }
    let stem = word.strip_suffix('y').filter(|_| part.ends_with("ies") || part.ends_with("ied"));
    if let Some(stem) = stem {
        return part.strip_prefix(stem).is_some_and(|ending| matches!(ending, "ies" | "ied"));
    }
    let Some(ending) = part.strip_prefix(word) else {
        let silent = word.strip_suffix('e').and_then(|stem| part.strip_prefix(stem));
        return silent == Some("ing");
    };
    let doubled = word.chars().last().and_then(|last| ending.strip_prefix(last));
    matches!(ending, "s" | "es" | "d" | "ed" | "ing") || matches!(doubled, Some("ed" | "ing"))
}
