//! What people settled for themselves: a project's configuration, comments in its source, a baseline, a revision before which all is old.
//! It changes facts before rules are asked and takes findings away afterwards; it recognises and judges nothing itself.

mod assume;
mod baseline;
mod changed;
mod config;
mod error;
mod find;
mod globs;
mod keys;
mod nearest;
mod reach;
mod remark;
mod schema;
mod suppress;
mod template;
mod values;
mod whole;

pub use baseline::{Baseline, BaselineError, Held, Known, Sight};
pub use changed::{Changed, RevisionError, dirty};
pub use config::{Config, LevelSet, Override};
pub use error::{ConfigError, Excerpt};
pub use find::{FILE_NAME, Finder, shown};
pub use globs::Globs;
pub use keys::{JITTERS, KEYS, Key, Kind};
pub use nearest::nearest;
pub use remark::{Remarks, RuleName};
pub use schema::schema;
pub use suppress::Hidden;
pub use template::template;
pub use values::Set;
pub use whole::Draft;
