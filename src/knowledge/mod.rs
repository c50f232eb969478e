//! What is known of the world: the tables of `rules/vocabulary` and `rules/libraries`, typed and indexed.
//! Data only. Nothing here looks at source, and no crate's name stands in this code.

mod entry;
mod load;
mod words;

pub use entry::{Arg, Entry, Gives, LocalKind, RandomGives, Role, Unit};
pub use load::{Knowledge, LoadError, MethodMatch};
pub use words::Words;
