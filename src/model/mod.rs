//! The retry policy of a site and its facts: the ground floor that every other room reads.
//! Plain data. It imports nothing of the project, knows no syntax and does no IO.

mod coverage;
mod fact;
mod facts;
mod finding;
mod fix;
mod handles;
mod limits;
mod place;
mod site;
mod words;

pub use coverage::{Blindness, Unfollowed, unknown_facts};
pub use fact::{Evidence, Fact};
pub use facts::{FACTS, FactInfo, FactType, Value, fact_info};
pub use finding::{Change, Finding, Group, Label, Level, Persona, Problem};
pub use fix::{Edit, Fix, Needed, Safety, edited};
pub use handles::{Clip, Counter, FailureAt, Handles, PolicyAt, ReplyAt, Success, WaitAt};
pub use limits::{LIMITS, LimitInfo, MAX_DELAY, Measure, limit_info, suggested_cap};
pub use place::Place;
pub use site::{
    Assumed, Attempts, Cancel, Chain, Delay, Errors, Exhaustion, Library, Operation, Seconds, Site, State,
};
pub use words::{
    BoundKind, Confidence, ErrorKind, Growth, Jitter, Kind, LastError, Method, Outcome, Overflow, Reset,
    SharedBy,
};
