//! One entry of the vocabulary: which calls it names, and what they mean.

use serde::Deserialize;

/// Names some calls and says what they mean. A file of `rules/vocabulary` is a list of these (`[[call]]`).
#[derive(Clone, Debug)]
pub struct Entry {
    /// Functions and associated functions by full path (`tokio::time::sleep`, `reqwest::Client::new`); `*` as last segment stands for anything below, `aws_sdk_*::…` for a family of crates.
    pub paths: Vec<String>,
    /// Methods by name.
    pub methods: Vec<String>,
    /// Receiver types of the methods by full path; with none, the method's name alone decides, at medium confidence unless `certain`.
    pub on: Vec<String>,
    /// Macros by last segment.
    pub macros: Vec<String>,
    /// The name alone says it for sure (`elapsed`, `map_err`), whatever the receiver.
    pub certain: bool,
    /// How many arguments a bare method must have; distinguishes namesakes.
    pub args: Option<usize>,
    /// What the call means.
    pub role: Role,
}

/// HTTP's methods, as tables write them.
pub(crate) const METHODS: &[&str] = &["GET", "HEAD", "OPTIONS", "PUT", "POST", "PATCH", "DELETE"];

/// What a call means.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Role {
    /// Waits for a time that passes.
    Wait {
        /// Which argument says how long; none for a tick.
        #[serde(default)]
        arg: Option<usize>,
        /// In what unit it says so.
        #[serde(default)]
        unit: Unit,
        /// It blocks the thread (as against a future that must be awaited).
        #[serde(default)]
        blocking: bool,
        /// It may end early because something happened (`recv_timeout`, condvar).
        #[serde(default)]
        event: bool,
    },
    /// Runs the closure that it is given once a time has passed, and does not wait for that itself.
    Later {
        /// Which argument says how long.
        arg: usize,
        /// In what unit it says so.
        #[serde(default)]
        unit: Unit,
    },
    /// Makes a repeating timer (`tokio::time::interval`); its `tick` waits.
    Interval {
        /// Which argument is the period.
        arg: usize,
    },
    /// Draws a random value.
    Random {
        /// What it gives.
        gives: RandomGives,
        /// The source is seeded with a constant unless told otherwise (used for generators' constructors).
        #[serde(default)]
        seeded: bool,
    },
    /// Makes a random generator from a given seed.
    Seed,
    /// Reads a clock.
    Clock {
        /// What it gives.
        gives: Gives,
    },
    /// Crosses a network or hits a shared service.
    Remote {
        /// HTTP method, where the call says it (`GET`).
        #[serde(default)]
        method: Option<String>,
        /// May be repeated safely, where the call says it.
        #[serde(default)]
        idempotent: Option<bool>,
        /// Makes a connection, session or subscription.
        #[serde(default)]
        establishes: bool,
        /// Blocks its thread.
        #[serde(default)]
        blocking: bool,
        /// A status that tells a failure comes as an error.
        #[serde(default)]
        raises: bool,
        /// Its client connects again by itself, and waits before it does.
        #[serde(default)]
        waits: bool,
        /// It asks whether something is there yet: who repeats it waits for that.
        #[serde(default)]
        asks: bool,
        /// It takes what comes over what is open already, and sends nothing.
        #[serde(default)]
        receives: bool,
        /// What its server refuses stays refused, and comes as an error as a lost connection does: a statement that is wrong, a signed
        /// transaction that does not hold.
        #[serde(default)]
        refuses: bool,
    },
    /// A type or constructor of a client: its values reach a remote side when their methods are awaited or return results.
    Client,
    /// Stays in the process or on the machine.
    Local {
        /// What it touches.
        #[serde(default)]
        kind: LocalKind,
    },
    /// Passes its receiver's (or first argument's) outcome on: `map_err`, `context`, `await`, `Box::pin`.
    Adaptor,
    /// Passes the outcome of its future on, or fails when time is up.
    Timeout {
        /// Which argument is the limit.
        limit: usize,
        /// Which argument is the future; of a method, the receiver is.
        future: usize,
    },
    /// Runs its argument as a task of its own.
    Spawn,
    /// Never returns: panics, exits, aborts.
    Diverge,
    /// Leaves the function with an error (`bail!`).
    Bail {
        /// Which argument keeps it from doing so where it holds (`ensure!`).
        #[serde(default)]
        unless: Option<usize>,
    },
    /// Makes the failure visible: log, metric, trace.
    Log,
    /// A stop signal: resolves or turns true when work must end.
    Cancel,
    /// Waits for an event that is no time: a message, a notification, a permit.
    Event,
    /// Takes in peers: `accept`.
    Accept,
    /// Tells a status or an error's kind.
    Predicate {
        /// Statuses that make it true, as `[from, to]` pairs.
        #[serde(default)]
        statuses: Vec<[u16; 2]>,
        /// It speaks of errors that may go away.
        #[serde(default)]
        transient: Option<bool>,
    },
    /// Gives the HTTP status of its receiver.
    Status,
    /// Passes its receiver's outcome on, but makes an error of a status that tells a failure (`error_for_status`).
    RaisesStatus,
    /// Tells a client that makes errors of statuses not to.
    KeepsStatus,
    /// Reads the server's hint for the wait (`Retry-After`).
    Hint,
    /// Acquires a guard, permit, connection or transaction that lives as long as its binding.
    Guard,
    /// A circuit breaker or retry budget.
    Breaker,
    /// Has no outcome worth a look: getters, constructors, clones, formatting.
    Pure,
}

/// The unit in which a number says a time.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// A `Duration`.
    #[default]
    Duration,
    /// An `Instant` to wait until.
    Until,
    /// Seconds.
    S,
    /// Milliseconds.
    Ms,
    /// Microseconds.
    Us,
    /// Nanoseconds.
    Ns,
}

/// What a random call gives.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum RandomGives {
    /// A value of the range in its first argument (`gen_range(a..b)`).
    Range,
    /// A value between its first two arguments.
    Between,
    /// A float from 0 to 1.
    Unit,
    /// Any value of its type (`rng.gen::<u32>()`, `random()`), so `% n` gives 0..n; a float: 0 to 1.
    Any,
    /// True or false.
    Bool,
    /// A duration or number from 0 to its receiver (`jitter(d)`): full.
    UpToArg,
    /// The receiver or argument plus or minus a share: other.
    Around,
}

/// What reading a clock gives.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Gives {
    /// A point in time.
    Now,
    /// Time passed since the receiver.
    Elapsed,
}

/// What a local operation touches.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum LocalKind {
    /// Anything in the process.
    #[default]
    Memory,
    /// Files and folders.
    File,
    /// Locks and atomics.
    Lock,
    /// Channels inside the process.
    Channel,
    /// Parsing, decoding, data. The types of such a crate may come from anywhere.
    Parse,
    /// Child processes and signals.
    Process,
    /// Devices, terminals, hardware.
    Device,
    /// A descriptor that reads or writes what it has (`WouldBlock`, `EINTR` loops).
    Io,
}

/// Which argument of a call.
pub type Arg = usize;
