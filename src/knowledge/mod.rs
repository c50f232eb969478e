//! What is known of the world: the tables of `rules/vocabulary` and `rules/libraries`, typed and indexed.
//! Data only. Nothing here looks at source, and no crate's name stands in this code.

mod agree;
mod checks;
mod code;
mod entry;
mod libraries;
mod load;
mod lookup;
mod paths;
mod table;
mod versions;
mod words;

#[cfg(test)]
mod tests;

pub use code::{Code, Does};
pub use entry::{Arg, Entry, Gives, LocalKind, RandomGives, Role, Unit};
pub use libraries::{
    Changes, Decisions, Driver, Grows, Libraries, Library, Limit, Markers, Policy, Retried, Sets, Setter,
    Shakes,
};
pub use load::LoadError;
pub use lookup::{Knowledge, MethodMatch};
pub use words::{Words, is_one_of, parts, says};
