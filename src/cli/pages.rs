//! What a package of this program ships beside it, made from the one description of its options: shell completions and the manual page.

use super::Status;
use super::args::Typed;
use super::error::Stop;
use clap::CommandFactory as _;
use clap_complete::{Shell, generate};
use codespan_reporting::term::termcolor::WriteColor;

/// `retry-lint completions SHELL`.
pub(super) fn completions(shell: Shell, out: &mut dyn WriteColor) -> Result<Status, Stop> {
    let mut made = Vec::new();
    generate(shell, &mut Typed::command(), "retry-lint", &mut made);
    out.write_all(&made)?;
    out.flush()?;
    Ok(Status::Clean)
}

/// `retry-lint man`: roff.
pub(super) fn man(out: &mut dyn WriteColor) -> Result<Status, Stop> {
    let mut made = Vec::new();
    clap_mangen::Man::new(Typed::command()).render(&mut made)?;
    out.write_all(&made)?;
    out.flush()?;
    Ok(Status::Clean)
}
