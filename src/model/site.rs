//! A site and its policy: what `detect` makes, rules read and `audit` prints.

use super::{
    BoundKind, Confidence, ErrorKind, Fact, Growth, Jitter, Kind, LastError, Method, Outcome, Overflow,
    Place, Reset, SharedBy,
};

/// Seconds.
pub type Seconds = f64;

/// One place in the source where an operation may be tried again.
#[derive(Clone, Debug)]
pub struct Site {
    /// Where: the loop, the policy, the recursive function.
    pub place: Place,
    /// The function around it, as `Type::name` where it is a method; empty at the top of a file.
    pub function: String,
    /// In a test, a bench or an example.
    pub in_test: bool,
    /// What it is.
    pub kind: Kind,
    /// Why it is that: the flow or the name that decided.
    pub why: Vec<super::Evidence>,
    /// What is tried again.
    pub operation: Operation,
    /// The wait between two attempts.
    pub delay: Delay,
    /// What bounds the attempts.
    pub attempts: Attempts,
    /// Which errors are tried again.
    pub errors: Errors,
    /// What happens when the attempts are used up.
    pub exhaustion: Exhaustion,
    /// State kept across attempts.
    pub state: State,
    /// Stop signals.
    pub cancel: Cancel,
    /// The failure is logged, counted or handed to a callback before the next attempt.
    pub visible: Fact<bool>,
    /// The retry crate that it is from.
    pub library: Library,
    /// A circuit breaker or retry budget stands around it.
    pub breaker: Fact<bool>,
    /// Retries inside the operation.
    pub nested: Fact<bool>,
    /// Product of the attempts along the chain of nested sites.
    pub amplification: Fact<f64>,
    /// The way to the innermost nested site.
    pub chain: Vec<Chain>,
    /// The first delays, each `[low, high]` in seconds.
    pub schedule: Fact<Vec<[Seconds; 2]>>,
    /// How sure we are that this is a site of its kind.
    pub confidence: Confidence,
    /// Why not higher.
    pub reasons: Vec<String>,
    /// What comments in the source say of it: `assume[idempotent] …`.
    pub assumed: Vec<Assumed>,
    /// Where its parts are written. No fact: a change of the policy takes hold there.
    pub handles: super::Handles,
}

/// A fact that a comment states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumed {
    /// The comment's word for it.
    pub word: String,
    /// The comment, and the reason that it gives.
    pub evidence: super::Evidence,
}

/// What is tried again.
#[derive(Clone, Debug, Default)]
pub struct Operation {
    /// The call, as written, shortened.
    pub text: Fact<String>,
    /// Crosses a network or hits a shared service.
    pub remote: Fact<bool>,
    /// The HTTP method.
    pub method: Fact<Method>,
    /// May be repeated safely.
    pub idempotent: Fact<bool>,
    /// Nobody waits for its result. Only a comment in the source can say so.
    pub background: Fact<bool>,
    /// Blocks its thread.
    pub blocking: Fact<bool>,
    /// Waits inside while it fails: it retries by itself. What the site's own delay is does not speak of that.
    pub waits: Fact<bool>,
    /// Its input is used up by the first attempt.
    pub consumes: Fact<bool>,
    /// A token, signature or timestamp made before the loop.
    pub stale_input: Fact<bool>,
}

/// The wait between two attempts.
#[derive(Clone, Debug, Default)]
pub struct Delay {
    /// How it changes.
    pub growth: Fact<Growth>,
    /// Made elsewhere, by another crate or by whoever hands it in: its faults are told where it is made.
    pub made_elsewhere: Fact<bool>,
    /// Its random part.
    pub jitter: Fact<Jitter>,
    /// Random part over largest delay, 0 to 1.
    pub jitter_share: Fact<f64>,
    /// The random part is lost at the cap: `min(cap, d + U)`.
    pub jitter_clipped: Fact<bool>,
    /// The same in every process.
    pub jitter_repeats: Fact<bool>,
    /// Stored back into the base.
    pub jitter_feeds_base: Fact<bool>,
    /// `gen_range(0..0)` is possible.
    pub jitter_range_may_be_empty: Fact<bool>,
    /// The first delay, seconds (its high end where it is random).
    pub first_s: Fact<Seconds>,
    /// The largest single delay that the code allows, seconds.
    pub cap_s: Fact<Seconds>,
    /// The largest over the attempts that can really happen, seconds.
    pub largest_s: Fact<Seconds>,
    /// Their sum, seconds.
    pub total_s: Fact<Seconds>,
    /// Whether there is a cap.
    pub capped: Fact<bool>,
    /// The attempt at which the arithmetic panics, wraps, or falls to zero.
    pub overflows_at: Fact<f64>,
    /// Which of them.
    pub overflow: Fact<Overflow>,
    /// A blocking sleep in async code.
    pub blocking_in_async: Fact<bool>,
    /// A failed accept goes round at once.
    pub spins: Fact<bool>,
    /// Waits also after the last attempt.
    pub after_last: Fact<bool>,
    /// Some failing path goes round without the wait.
    pub skipped_on_some_path: Fact<bool>,
    /// A guard, permit, connection or transaction is alive during the wait: its name.
    pub holds: Fact<String>,
    /// The server's hint is capped.
    pub server_capped: Fact<bool>,
    /// The wait may pass the deadline.
    pub may_pass_deadline: Fact<bool>,
    /// A number is used as another unit than its name says.
    pub unit_mismatch: Fact<bool>,
    /// An interval that fires its missed ticks at once.
    pub interval_burst: Fact<bool>,
}

/// What bounds the attempts.
#[derive(Clone, Debug, Default)]
pub struct Attempts {
    /// Which bound.
    pub kind: Fact<BoundKind>,
    /// The most attempts, the first included.
    pub max: Fact<f64>,
    /// What the limit's name counts: `calls` or `retries`.
    pub counts: Fact<String>,
    /// One attempt more or fewer than the limit's name says.
    pub off_by_one: Fact<bool>,
    /// Each attempt has its own time limit.
    pub timeout: Fact<bool>,
}

/// Which errors are tried again.
#[derive(Clone, Debug, Default)]
pub struct Errors {
    /// How they are told apart.
    pub kind: Fact<ErrorKind>,
    /// HTTP statuses 400 to 499, but for 408, 425 and 429, are tried again.
    pub retries_4xx: Fact<bool>,
    /// Errors that cannot go away are tried again.
    pub retries_permanent: Fact<bool>,
    /// Only that a pooled connection had gone stale is tried again.
    pub stale_connection: Fact<bool>,
    /// A cancelled operation is tried again.
    pub retries_cancelled: Fact<bool>,
    /// The server's hint decides the wait.
    pub honours_retry_after: Fact<bool>,
    /// Failures go round that leave open whether the server did the work: time-outs, lost connections, 5xx.
    pub retries_unanswered: Fact<bool>,
}

/// What happens when the attempts are used up.
#[derive(Clone, Debug, Default)]
pub struct Exhaustion {
    /// What the caller sees.
    pub outcome: Fact<Outcome>,
    /// What becomes of the last error.
    pub last_error: Fact<LastError>,
}

/// State kept across attempts.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// When the backoff starts over.
    pub reset: Fact<Reset>,
    /// The policy is built anew for each failure.
    pub rebuilt: Fact<bool>,
    /// One counter for several things.
    pub shared_by: Fact<SharedBy>,
}

/// Stop signals.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    /// One is at hand.
    pub in_scope: Fact<bool>,
    /// The wait watches it.
    pub raced: Fact<bool>,
}

/// The retry crate that a policy is from.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// Its name, as code writes it.
    pub krate: Fact<String>,
    /// The advisory that says that nobody maintains it; told at the package's first site of the crate.
    pub advisory: Fact<String>,
}

/// One step on the way to a nested site.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The call or the nested site.
    pub place: Place,
    /// The function it is in.
    pub function: String,
    /// Its attempts, where known.
    pub attempts: Option<f64>,
}

impl Site {
    /// A site of which nothing but its place and kind is known.
    pub fn new(place: Place, function: String, kind: Kind) -> Self {
        Self {
            place,
            function,
            in_test: false,
            kind,
            why: Vec::new(),
            operation: Operation::default(),
            delay: Delay::default(),
            attempts: Attempts::default(),
            errors: Errors::default(),
            exhaustion: Exhaustion::default(),
            state: State::default(),
            cancel: Cancel::default(),
            visible: Fact::Unknown,
            library: Library::default(),
            breaker: Fact::Unknown,
            nested: Fact::Unknown,
            amplification: Fact::Unknown,
            chain: Vec::new(),
            schedule: Fact::Unknown,
            confidence: Confidence::High,
            reasons: Vec::new(),
            assumed: Vec::new(),
            handles: super::Handles::default(),
        }
    }
}
