//! What people decided about findings: comments in their source, a baseline, a revision before which all is old.
//! It changes facts before rules are asked and takes findings away afterwards; it recognises and judges nothing itself.

mod assume;
mod baseline;
mod changed;
mod nearest;
mod reach;
mod remark;
mod suppress;

pub use baseline::{Baseline, BaselineError, Held, Known, Sight};
pub use changed::{Changed, RevisionError};
pub use nearest::nearest;
pub use remark::{Remarks, RuleName};
pub use suppress::Hidden;
