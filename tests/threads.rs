//! The number of threads changes how fast the answer comes, never a byte of it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::process::{Command, Stdio};

fn answer(args: &[&str], threads: &str) -> (Option<i32>, Vec<u8>, Vec<u8>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retry-lint"));
    command.args(args).args(["--threads", threads, "fixtures"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    let output = command.env_remove("COLUMNS").stdin(Stdio::null()).output().unwrap();
    (output.status.code(), output.stdout, output.stderr)
}

#[test]
fn the_same_bytes_on_one_thread_and_on_many() {
    for verb in ["check", "audit"] {
        let options: &[&str] = if verb == "check" { &["--select", "all", "--pedantic"] } else { &["--all"] };
        for format in ["human", "concise", "json"] {
            let mut args =
                vec![verb, "--include-tests", "--verbose", "--color", "always", "--format", format];
            args.extend(options);
            let one = answer(&args, "1");
            assert!(one.1.len() > 10_000, "{args:?}: {}", String::from_utf8_lossy(&one.2));
            for threads in ["2", "4", "16"] {
                // Not `assert_eq!`: nobody wants to read both.
                assert!(
                    answer(&args, threads) == one,
                    "{args:?}: {threads} threads say something else than one"
                );
            }
        }
    }
}
