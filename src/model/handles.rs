//! Where the parts of a policy are written: what a change of the policy takes hold of.
//! Places and names only; what is to be written there is `fix`'s business, and no rule asks for any of it.

use super::Place;

/// What a change of a site's policy takes hold of. Empty where nothing of it is in sight.
#[derive(Clone, Debug, Default)]
pub struct Handles {
    /// The waits between two attempts, in source order.
    pub waits: Vec<WaitAt>,
    /// Some failing trip waits where no place is known.
    pub more_waits: bool,
    /// What counts the attempts.
    pub counter: Option<Counter>,
    /// What the trips do on which the operation succeeded.
    pub success: Success,
    /// The operation of which a failure is tried again.
    pub operation: Option<Place>,
    /// Where the cap cuts the random part off.
    pub clip: Option<Clip>,
    /// The expression that builds a retry crate's policy, with all its setters, and the crate.
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

/// What builds a retry crate's policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyAt {
    /// The crate.
    pub krate: String,
    /// From the constructor to the last setter.
    pub chain: Place,
}
