#!/usr/bin/env python3
"""Runs our hook under the real pre-commit, on a repository made for it.

    tests/outside/pre_commit.py

pre-commit builds the hook from the last commit of this checkout (what is not committed is not tested). Where pre-commit is missing, pip puts it
into a folder that is thrown away. CARGO_TARGET_DIR is kept from run to run, so that the build is not done twice.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

PACKAGE = "pre-commit==4.3.0"
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
CALLER = """pub async fn fetch(client: &reqwest::Client) -> reqwest::Result<reqwest::Response> {
    loop {
        match client.get("http://api.example.com/").send().await {
            Ok(response) => return Ok(response),
            Err(_) => crate::pause::nap().await,
        }
    }
}
"""
PAUSE = """pub async fn nap() {
    tokio::time::sleep(std::time::Duration::from_secs(7)).await;
}
"""


def main():
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        program = pre_commit(scratch / "packages")
        project = made(scratch / "project")
        environment = dict(program[1], PRE_COMMIT_HOME=str(scratch / "home"))
        environment.setdefault("CARGO_TARGET_DIR", str(REPOSITORY / "target"))

        def run(*arguments):
            done = subprocess.run(
                [*program[0], "run", "--color=never", *arguments], cwd=project, env=environment, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )
            print(f"$ pre-commit run {' '.join(arguments)}\n{done.stdout}")
            return done.returncode, done.stdout

        checks = []

        def check(what, holds):
            checks.append(holds)
            print(f"{'ok' if holds else 'FAILED'}: {what}\n")

        status, text = run("--all-files")
        check("a finding fails the hook", status == 1 and "fixed-delay" in text and "src/caller.rs" in text)
        check("an excluded file stays out although its name is passed", "src/legacy.rs" not in text)
        status, text = run("--files", "src/caller.rs")
        check("a changed file is judged with its crate's other files", status == 1 and "7 s" in text)
        check("only the changed file is reported on", "in 1 file" in text)
        status, text = run("--files", "src/pause.rs")
        check("a file without findings passes", status == 0 and "Passed" in text)
        status, text = run("--files", "src/legacy.rs")
        check("only an excluded file passes", status == 0 and "Passed" in text)
        print(f"{sum(checks)} passed, {len(checks) - sum(checks)} failed")
        return 0 if all(checks) else 1


def pre_commit(folder):
    """The command that runs it, and its environment."""
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", folder, PACKAGE],
        check=True,
    )
    return [sys.executable, "-m", "pre_commit"], dict(os.environ, PYTHONPATH=str(folder))


def made(folder):
    (folder / "src").mkdir(parents=True)
    revision = git(REPOSITORY, "rev-parse", "HEAD").strip()
    files = {
        "Cargo.toml": '[package]\nname = "project"\nversion = "0.1.0"\nedition = "2024"\n\n[dependencies]\nreqwest = "0.12"\n',
        "retry-lint.toml": 'exclude = ["src/legacy.rs"]\n',
        "src/lib.rs": "mod caller;\nmod legacy;\nmod pause;\n",
        "src/caller.rs": CALLER,
        "src/legacy.rs": CALLER,
        "src/pause.rs": PAUSE,
        ".pre-commit-config.yaml": f"repos:\n- repo: {REPOSITORY}\n  rev: {revision}\n  hooks:\n  - id: retry-lint\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    return folder


def git(folder, *arguments):
    return subprocess.run(["git", *arguments], cwd=folder, check=True, text=True, stdout=subprocess.PIPE).stdout


if __name__ == "__main__":
    sys.exit(main())
