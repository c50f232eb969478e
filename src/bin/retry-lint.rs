//! The `retry-lint` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    retry_lint::cli::main(std::env::args_os())
}
