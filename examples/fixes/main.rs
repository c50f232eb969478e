//! How many findings get a fix, on real crates: `cargo run --release --example fixes -- ROOTS.tsv [--only WORD] [--show] [--all-rules]`.
//! Each finding's fix is made and tried as `check` does it, all that go together are applied, and what then stands there is parsed as a whole and
//! read again. `--show` prints each finding without a fix: what a change could take hold of, what was tried, and what was said of it then.
#![allow(clippy::print_stdout)]

mod one;

use one::{Outcome, outcome};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

/// The rules whose findings should get a fix in three of four cases.
const ASKED: [&str; 2] = ["fixed-delay", "no-jitter"];

/// The engine recurses over what it reads, to a counted depth; the command's threads have as much.
const STACK: usize = 16 << 20;

/// What is asked for on the command line.
#[derive(Default)]
struct Asked {
    roots: String,
    only: String,
    show: bool,
    all_rules: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let asked = asked()?;
    let rows = std::fs::read_to_string(&asked.roots)?;
    let rows: Vec<(&str, &str)> = rows
        .lines()
        .filter_map(|row| row.split_once('\t'))
        .filter(|(source, _)| source.contains(&asked.only))
        .collect();
    rayon::ThreadPoolBuilder::new().stack_size(STACK).build_global()?;
    let wanted = |rule: &str| asked.all_rules || ASKED.contains(&rule);
    let outcomes: Vec<(&str, Result<Outcome, String>)> = rows
        .par_iter()
        .map(|(source, root)| (*source, outcome(Path::new(root), &wanted, asked.show)))
        .collect();
    let mut tally: BTreeMap<String, Tally> = BTreeMap::new();
    let (mut crates, mut broken, mut spoken) = (0, 0, 0);
    for (source, outcome) in &outcomes {
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(error) => {
                println!("{source}: not read ({error})");
                continue;
            }
        };
        crates += usize::from(!outcome.findings.is_empty());
        for finding in &outcome.findings {
            tally.entry(finding.rule.clone()).or_default().count(finding);
            if let Some(why) = &finding.why_not {
                println!("--- {source} {}:{} {}: {why}", finding.path, finding.line, finding.rule);
            }
        }
        for file in &outcome.unparsed {
            broken += 1;
            println!("DOES NOT PARSE: {source} {file}");
        }
        for finding in &outcome.left {
            spoken += 1;
            println!("STILL SAID: {source} {finding}");
        }
        if asked.show && outcome.fixed > 0 {
            println!("fixed: {source}: {} fixes in {} files", outcome.fixed, outcome.files);
        }
    }
    let mut whole = Tally::default();
    for (rule, part) in &tally {
        println!("{rule:20} {}", part.line());
        whole.add(part);
    }
    println!("{:20} {}", "all", whole.line());
    println!("{} crates read, {crates} with such findings", outcomes.len());
    println!("{broken} changed files do not parse; {spoken} fixed findings are found again");
    Ok(())
}

/// Findings of one rule.
#[derive(Default)]
struct Tally {
    findings: usize,
    fixed: usize,
    safe: usize,
    needs: usize,
}

impl Tally {
    fn count(&mut self, finding: &one::Told) {
        self.findings += 1;
        self.fixed += usize::from(finding.fixed);
        self.safe += usize::from(finding.safe);
        self.needs += usize::from(finding.needs);
    }

    fn add(&mut self, other: &Self) {
        self.findings += other.findings;
        self.fixed += other.fixed;
        self.safe += other.safe;
        self.needs += other.needs;
    }

    fn line(&self) -> String {
        let share = |part: usize| part as f64 / (self.findings as f64).max(1.0);
        format!(
            "{:4} findings, {:4} with a fix ({:.2}), {:3} with a safe one ({:.2}), {:3} whose crate must be added",
            self.findings,
            self.fixed,
            share(self.fixed),
            self.safe,
            share(self.safe),
            self.needs
        )
    }
}

fn asked() -> Result<Asked, Box<dyn Error>> {
    let mut asked = Asked::default();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--only" => asked.only = args.next().ok_or("--only needs a word")?,
            "--show" => asked.show = true,
            "--all-rules" => asked.all_rules = true,
            _ => asked.roots = arg,
        }
    }
    if asked.roots.is_empty() {
        return Err("usage: fixes ROOTS.tsv [--only WORD] [--show] [--all-rules]".into());
    }
    Ok(asked)
}
