//! What a library's table can say: each key of `rules/libraries/*.toml`, typed. Data only; what detection makes of it is not told here.

use serde::Deserialize;
use std::collections::BTreeMap;

use super::super::entry::Unit;
use super::super::versions::Versions;

/// What one table says.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// The crate's name, `-` written `_`, and other names under which its types are known.
    pub crates: Vec<String>,
    /// What builds a policy.
    pub policies: Vec<Policy>,
    /// What changes one that is being built.
    pub setters: Vec<Setter>,
    /// What runs one.
    pub drivers: Vec<Driver>,
    /// How an operation says that an error is not to be tried again.
    pub errors: Markers,
    /// What a handler can decide after a failure.
    pub decisions: Decisions,
    /// Crates whose policies this one runs: its drivers take theirs too.
    pub runs: Vec<String>,
    /// Its setters change the policy in place; else they give a changed one, and one that nobody takes changes nothing.
    pub in_place: bool,
    /// Methods whose first argument, a text, is the key of what the next one sets: `set("retries", "5")`.
    pub properties: Vec<String>,
    /// The advisory that says that nobody maintains the crate.
    pub unmaintained: Option<String>,
}

/// Paths that build a policy, and what it is unless setters say otherwise.
// each is a key of a table, and any of them may hold with any other
#[allow(clippy::struct_excessive_bools)]
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// The versions of the crate for which this holds; absent: all.
    pub versions: Option<Versions>,
    /// Functions that build it.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Methods that make something a policy, by a name that no other crate's have: asked only where the package depends on the crate.
    #[serde(default)]
    pub methods: Vec<String>,
    /// Macros that build it, by full path.
    #[serde(default)]
    pub macros: Vec<String>,
    /// Attributes that have the function that they stand on retried, by full path.
    #[serde(default)]
    pub attributes: Vec<String>,
    /// Such an attribute puts the function's body into its loop as it is: `?` and `return` leave the loop too, and only what the body gives at its end
    /// goes round.
    #[serde(default)]
    pub inline: bool,
    /// Its types, where it may be written as a struct, or is one without fields.
    #[serde(default)]
    pub structs: Vec<String>,
    /// How the delay changes; absent: nobody can tell.
    pub growth: Option<Grows>,
    /// Its random part; absent: nobody can tell.
    pub jitter: Option<Shakes>,
    /// The first delay, seconds.
    pub first_s: Option<f64>,
    /// The largest delay, seconds; absent: no limit.
    pub cap_s: Option<f64>,
    /// The ratio of one delay to the one before.
    pub factor: Option<f64>,
    /// Attempts after the first; absent: any number.
    pub retries: Option<f64>,
    /// There is a limit on the whole time.
    #[serde(default)]
    pub deadline: bool,
    /// Limits of which nobody can tell whether they are there.
    #[serde(default)]
    pub unknown: Vec<Limit>,
    /// What it is for crosses a network, whatever it is.
    #[serde(default)]
    pub remote: bool,
    /// Types, or variants, by which that which is given it stays on this machine all the same: the chain that it is handed to begins with one.
    #[serde(default)]
    pub stays_with: Vec<String>,
    /// Its delays are the crate's own, and no caller can change them.
    #[serde(default)]
    pub fixed: bool,
    /// The cap is applied after the random part, which is lost there.
    #[serde(default)]
    pub clipped: bool,
    /// Methods that no setter lists change nothing here.
    #[serde(default)]
    pub open: bool,
    /// It is for a retry only in a function that is given a failure.
    #[serde(default)]
    pub given_failure: bool,
    /// It tells delays only; something else counts the attempts.
    #[serde(default)]
    pub delays_only: bool,
    /// What each argument sets.
    #[serde(default)]
    pub args: Vec<Sets>,
    /// In what unit arguments that are times are given.
    #[serde(default)]
    pub unit: Unit,
    /// Which argument is the operation, where building it runs it too.
    pub operation: Option<usize>,
    /// Which errors it tries again, where it says so itself and not the call that runs it.
    pub errors: Option<Retried>,
    /// What fixes put behind its last setter.
    #[serde(default)]
    pub changes: Changes,
    /// What it is in other versions, where nobody knows the version. No key: made when the table is asked for a package.
    #[serde(skip)]
    pub others: Vec<Self>,
}

/// Setters that change a policy for the better, as code: `.with_jitter()`. `{cap}` is a `Duration`, `{attempts}` a number.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Changes {
    /// Makes its delays random.
    pub jitter: Option<String>,
    /// The feature of the crate that this needs.
    pub jitter_feature: Option<String>,
    /// Limits its largest delay.
    pub cap: Option<String>,
    /// Limits its attempts.
    pub bound: Option<String>,
    /// Makes its delays random with numbers that another crate draws, where it has no setter for that: `{draw}` is called on a `Duration`.
    pub drawn: Option<String>,
    /// What builds one that doubles, in the place of one that does not grow; `{arg}` is its first argument.
    pub grows: Option<String>,
    /// What setters are called then that are called otherwise.
    pub renamed: BTreeMap<String, String>,
}

/// Methods, or fields of a policy's struct, that change a policy.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setter {
    /// The versions of the crate for which this holds; absent: all.
    pub versions: Option<Versions>,
    /// Functions that are given a policy and give it back changed, by full path.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Which argument of them the policy is.
    #[serde(default)]
    pub policy: usize,
    /// Methods by name.
    #[serde(default)]
    pub methods: Vec<String>,
    /// Fields by name.
    #[serde(default)]
    pub fields: Vec<String>,
    /// Keys of an attribute: `times` of `#[retry(times = 3)]`, `wait.fixed` of `#[retry(wait = fixed(1))]`, `wait.fixed.max` of what has a name in there.
    #[serde(default)]
    pub keys: Vec<String>,
    /// What each argument (a field, a key: its value) sets.
    #[serde(default)]
    pub sets: Vec<Sets>,
    /// In what unit arguments that are times are given.
    #[serde(default)]
    pub unit: Unit,
    /// The first delay from here on, seconds.
    pub first_s: Option<f64>,
    /// The largest one from here on, seconds.
    pub cap_s: Option<f64>,
    /// How the delay changes from here on.
    pub growth: Option<Grows>,
    /// Its random part from here on.
    pub jitter: Option<Shakes>,
    /// Limits that it takes away.
    #[serde(default)]
    pub without: Vec<Limit>,
    /// Limits of which nobody can tell any more whether they are there.
    #[serde(default)]
    pub unknown: Vec<Limit>,
    /// Which errors are tried again from here on.
    pub errors: Option<Retried>,
    /// What it does in other versions, where nobody knows the version. No key.
    #[serde(skip)]
    pub others: Vec<Self>,
}

impl Setter {
    /// Whether it changes anything: `build` and `clone` do not.
    pub fn says_something(&self) -> bool {
        !self.sets.is_empty()
            || !self.without.is_empty()
            || self.growth.is_some()
            || self.jitter.is_some()
            || self.errors.is_some()
    }
}

/// What runs a policy.
// each is a key of a table, and any of them may hold with any other
#[allow(clippy::struct_excessive_bools)]
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Driver {
    /// The versions of the crate for which this holds; absent: all.
    pub versions: Option<Versions>,
    /// Functions by full path.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Macros by full path.
    #[serde(default)]
    pub macros: Vec<String>,
    /// Methods by name, of this crate's types or with one as the argument.
    #[serde(default)]
    pub methods: Vec<String>,
    /// Which argument is the policy; absent: the receiver.
    pub policy: Option<usize>,
    /// The method by which a policy that the user writes decides after each failure.
    pub policy_method: Option<String>,
    /// Which argument is the operation; absent: the receiver.
    pub operation: Option<usize>,
    /// Which errors it tries again.
    pub errors: Retried,
    /// Which argument picks the errors: a predicate, or a value of a type with the method that is asked; absent: it does so itself.
    pub predicate: Option<usize>,
    /// That method.
    pub predicate_method: Option<String>,
    /// Which argument decides after each failure: a closure, or a value of a type with the method of `[decisions]`.
    pub handler: Option<usize>,
    /// Methods called on it later that tell errors apart.
    #[serde(default)]
    pub filters: Vec<String>,
    /// Methods called on it later that may change the delays or their number.
    #[serde(default)]
    pub adjusts: Vec<String>,
    /// It sleeps on the thread.
    #[serde(default)]
    pub blocking: bool,
    /// It does where one of these methods is called on it later.
    #[serde(default)]
    pub blocks: Vec<String>,
    /// It is a middleware of remote calls and of nothing else.
    #[serde(default)]
    pub remote: bool,
    /// How the delays change, whatever policy it is given.
    pub growth: Option<Grows>,
    /// Their random part, whatever policy it is given.
    pub jitter: Option<Shakes>,
    /// Every policy that it may be given ends after some attempts.
    #[serde(default)]
    pub bounded: bool,
    /// It sees the replies, and never reads how long the server wants it to wait.
    #[serde(default)]
    pub hint_unread: bool,
}

/// How an operation says that an error is not to be tried again.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Markers {
    /// Paths that make such an error.
    pub permanent: Vec<String>,
    /// Methods that make one.
    pub permanent_methods: Vec<String>,
    /// Paths that make one that is tried again.
    pub transient: Vec<String>,
    /// Functions by which a strategy has 429 and 503 tried again.
    pub overloads: Vec<String>,
}

/// What a handler can decide after a failure, by the paths of what it gives.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Decisions {
    /// The method that is asked, where the handler is no closure.
    pub method: Option<String>,
    /// To try again after the time that is the first argument.
    pub waits: Vec<String>,
    /// To try again at once.
    pub at_once: Vec<String>,
    /// To try no more.
    pub gives_up: Vec<String>,
}

/// How a delay changes.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Grows {
    /// There is none.
    None,
    /// It does not.
    Constant,
    /// By a constant difference.
    Linear,
    /// By a constant ratio.
    Exponential,
    /// As the sum of the last two.
    Fibonacci,
    /// Nobody can tell.
    Unknown,
}

/// The random part of a delay.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Shakes {
    /// None.
    None,
    /// From zero to the delay.
    Full,
    /// Added to the delay.
    Additive,
    /// A share of the delay, up or down.
    Proportional,
    /// From half of the delay to all of it.
    Equal,
    /// From the first delay to a multiple of the one before.
    Decorrelated,
    /// Nobody can tell.
    Unknown,
}

/// What an argument sets.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Sets {
    /// The first delay.
    First,
    /// The first delay in milliseconds, and the ratio as the same number.
    Base,
    /// What the first delay is multiplied with.
    Scale,
    /// What is added to each delay.
    Offset,
    /// The ratio of one delay to the one before.
    Factor,
    /// The largest delay; `None` or absent for no limit.
    Cap,
    /// The most attempts after the first; `None` for any number.
    Retries,
    /// The most attempts.
    Calls,
    /// A limit on the whole time; `None` for none.
    Deadline,
    /// The same, and 0 for none.
    DeadlineUnlessZero,
    /// Whether there is a random part, as a boolean: full, unless the setter says which.
    JitterIf,
    /// The share of the delay that is random; 0 for none.
    Share,
    /// A seed: with the same one in every process, the random parts are the same too.
    Seed,
    /// A policy, whose delays it takes, and whose limits on attempts where it has some.
    Policy,
    /// A variant that is called after its jitter: `None`, `Full`.
    JitterNamed,
    /// A function from delay to delay.
    Map,
    /// A function from the attempt's number, from 1 on, to the delay.
    DelayOfAttempt,
    /// Nothing that matters here.
    Nothing,
}

/// A limit, for setters that take one away.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// On one delay.
    Cap,
    /// On the attempts.
    Retries,
    /// On the whole time.
    Deadline,
}

/// Which errors are tried again.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Retried {
    /// Every one.
    All,
    /// Those that the operation does not mark as permanent.
    Marked,
    /// Those that a predicate picks.
    Picked,
    /// By the HTTP status, as the crate has it: no client errors but those that pass.
    Status,
    /// Nobody can tell.
    Unknown,
}

impl Library {
    /// What a method changes.
    pub fn setter(&self, method: &str) -> Option<&Setter> {
        self.setters.iter().find(|setter| setter.methods.iter().any(|name| name == method))
    }

    /// What a field changes.
    pub fn field(&self, field: &str) -> Option<&Setter> {
        self.setters.iter().find(|setter| setter.fields.iter().any(|name| name == field))
    }

    /// What an attribute's key changes.
    pub fn key(&self, key: &str) -> Option<&Setter> {
        self.setters.iter().find(|setter| setter.keys.iter().any(|name| name == key))
    }

    /// What a function changes of the policy that it is given.
    pub fn wrapper(&self, path: &[String]) -> Option<&Setter> {
        let path = path.join("::");
        self.setters.iter().find(|setter| setter.paths.contains(&path))
    }

    /// How a method runs a policy.
    pub fn run_by_method(&self, method: &str) -> Option<&Driver> {
        self.drivers.iter().find(|driver| driver.methods.iter().any(|name| name == method))
    }
}
