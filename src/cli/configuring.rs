//! What was typed about the configuration; `configured` finds and reads it.

use clap::Args;
use std::path::PathBuf;

/// Which configuration holds.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Configuration")]
pub(super) struct Configuring {
    /// This configuration for all that is read, in place of the nearest `retry-lint.toml`.
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "isolated")]
    pub(super) config: Option<PathBuf>,

    /// No configuration at all.
    #[arg(long, global = true)]
    pub(super) isolated: bool,

    /// Print the settings that hold and where each comes from, and read no source.
    #[arg(long, global = true)]
    pub(super) show_settings: bool,

    /// Leave out what the configuration excludes even where it is named here: for hooks that pass file names.
    #[arg(long, global = true)]
    pub(super) force_exclude: bool,
}
