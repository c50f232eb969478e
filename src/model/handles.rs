//! Where the parts of a policy are written: what a change of the policy takes hold of.
//! Places and names only; what is to be written there is `fix`'s business, and no rule asks for any of it.

use super::Place;

/// What a change of a site's policy takes hold of. Empty where nothing of it is in sight.
#[derive(Clone, Debug, Default)]
pub struct Handles {
    /// The waits between two attempts, in source order.
    pub waits: Vec<WaitAt>,
    /// The one wait, where it stands in a function that is called for it.
    pub inside: Option<WaitAt>,
    /// Some failing trip waits where no place is known.
    pub more_waits: bool,
    /// On some failing trip the server's hint was read: the wait may be what it says.
    pub hinted: bool,
    /// What counts the attempts.
    pub counter: Option<Counter>,
    /// The same in the function that waits for its caller.
    pub counter_inside: Option<Counter>,
    /// Nothing waits there but trips on which something failed.
    pub after_failure_only: bool,
    /// What the trips do on which the operation succeeded.
    pub success: Success,
    /// Where a failure of the operation is at hand, and goes round.
    pub failures: Vec<FailureAt>,
    /// What the operation's reply is called where it is at hand.
    pub replies: Vec<ReplyAt>,
    /// Where the cap cuts the random part off.
    pub clip: Option<Clip>,
    /// What builds the policy of a retry crate.
    pub policy: Option<PolicyAt>,
}

/// One wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitAt {
    /// The call that waits; of a function that computes a delay, its body.
    pub call: Place,
    /// The expression whose value is the delay: what the call is given, or what a variable was given that only holds it.
    pub delay: Place,
    /// What the call itself is given: the same place, or the variable's.
    pub given: Place,
    /// What is waited where nobody says how long on that trip: `hint.unwrap_or(this)`; what is drawn then is never shorter.
    pub fallback: Option<Place>,
    /// A `Duration`, and no number.
    pub is_duration: bool,
    /// The call waits by itself (`sleep(d)`), and is not a function that waits inside.
    pub direct: bool,
}

/// A variable that counts the attempts: one more on each failing trip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// Its name.
    pub name: String,
    /// Its integer type; empty where only its literals say so.
    pub ty: String,
    /// Its value at the first wait.
    pub first: u32,
}

/// What follows when the operation succeeded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Success {
    /// The loop is left.
    #[default]
    Leaves,
    /// It goes round: these blocks are entered then, and what grew while it failed begins anew in them.
    GoesOn(Vec<Place>),
    /// It goes round, and where that is decided cannot be seen.
    Unseen,
}

/// A match arm, or the block of an `if let`, that is entered with the operation's error and does not leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureAt {
    /// Its body.
    pub body: Place,
    /// Its pattern.
    pub pattern: Place,
    /// It is a match arm.
    pub is_arm: bool,
    /// What the error is called there; `_` where it has no name.
    pub error: String,
    /// The crate whose call failed, where that is known: its error is the crate's own.
    pub krate: Option<String>,
    /// The function gives errors of that crate back as they are.
    pub same_error: bool,
}

/// A variable that holds what the operation was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyAt {
    /// What binds it: its name's place.
    pub bound: Place,
    /// Its name.
    pub name: String,
    /// The crate that was called.
    pub krate: String,
}

/// `min(cap, grown + drawn)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clip {
    /// The whole.
    pub whole: Place,
    /// What is capped, as written: the sum, or the variable that holds it.
    pub capped: Place,
    /// The sum.
    pub sum: Place,
    /// Its part that grows.
    pub grown: Place,
    /// Its part that is drawn.
    pub drawn: Place,
    /// The cap.
    pub cap: Place,
}

/// What builds a retry crate's policy, and the setters that would change it, as code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyAt {
    /// From the constructor to the last setter.
    pub chain: Place,
    /// The constructor alone.
    pub made: Place,
    /// Makes its delays random.
    pub jitter: Option<String>,
    /// Limits its largest delay to `{cap}`, a `Duration`; called on what was made, before anything else.
    pub cap: Option<String>,
    /// Limits its attempts to `{attempts}`.
    pub bound: Option<String>,
    /// Makes its delays random by what `{draw}` does to a `Duration`.
    pub drawn: Option<String>,
    /// What builds one that doubles instead.
    pub grows: Option<String>,
    /// Setters that are called otherwise then: the name here, and there.
    pub renamed: Vec<(String, String)>,
}
