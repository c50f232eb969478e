//! `cargo retry-lint`: the same as `retry-lint`, called by cargo.

use std::process::ExitCode;

fn main() -> ExitCode {
    retry_lint::cli::cargo_main(std::env::args_os())
}
