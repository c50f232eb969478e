//! What a project has settled for itself: its configuration, found, read and typed.
//! It knows no rule and looks at no source; what the settings do is the command line's to carry out.

mod config;
mod error;
mod find;
mod globs;
mod keys;
mod schema;
mod template;
mod values;

pub use config::{Config, LevelSet, Override};
pub use error::{ConfigError, Excerpt};
pub use find::{FILE_NAME, Finder, shown};
pub use globs::Globs;
pub use keys::{JITTERS, KEYS, Key, Kind};
pub use schema::schema;
pub use template::template;
pub use values::Set;
