//! How many findings get a fix, on real crates: `cargo run --release --example fixes -- ROOTS.tsv [--only WORD] [--show] [--all-rules]`.
//! `--fix --unsafe-fixes` in memory: what then stands there is parsed as a whole, and read again. `--show` prints each finding without a fix, and
//! what a change could take hold of.
#![allow(clippy::print_stdout)]

use rayon::prelude::*;
use retry_lint::cli::{MeasuredFixes, measured_fixes};
use retry_lint::model::{Finding, Safety};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::Path;

/// The rules whose findings should get a fix in three of four cases.
const ASKED: [&str; 2] = ["fixed-delay", "no-jitter"];

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
    let wanted = |it: &&Finding| {
        if asked.all_rules { it.change.is_some() } else { ASKED.contains(&it.rule.as_str()) }
    };
    let measured: Vec<(&str, Result<MeasuredFixes, String>)> =
        rows.par_iter().map(|(source, root)| (*source, measured_fixes(Path::new(root)))).collect();
    let mut tally: BTreeMap<String, Tally> = BTreeMap::new();
    let (mut crates, mut broken, mut spoken) = (0, 0, 0);
    for (source, made) in &measured {
        let made = match made {
            Ok(made) => made,
            Err(error) => {
                println!("{source}: not read ({error})");
                continue;
            }
        };
        crates += usize::from(made.findings.iter().any(|it| wanted(&it)));
        for finding in made.findings.iter().filter(wanted) {
            tally.entry(finding.rule.clone()).or_default().count(finding);
            if asked.show && finding.fix.is_none() {
                let (path, line) = (&finding.place.path, finding.place.line);
                println!("--- {source} {path}:{line} {}: {:?}", finding.rule, finding.site.handles);
            }
        }
        for (file, text) in &made.files {
            if syn::parse_file(text.strip_prefix('\u{feff}').unwrap_or(text)).is_err() {
                broken += 1;
                println!("DOES NOT PARSE: {source} {file}");
            }
        }
        let unfixed: BTreeSet<_> = made.findings.iter().filter(|it| it.fix.is_none()).map(key).collect();
        let mended: BTreeSet<_> = made.findings.iter().map(key).filter(|it| !unfixed.contains(it)).collect();
        for finding in made.left.iter().filter(|it| mended.contains(&key(it))) {
            spoken += 1;
            println!("STILL SAID: {source} {}:{} {}", finding.place.path, finding.place.line, finding.rule);
        }
    }
    let mut whole = Tally::default();
    for (rule, part) in &tally {
        println!("{rule:20} {}", part.line());
        whole.add(part);
    }
    println!("{:20} {}", "all", whole.line());
    println!("{} crates read, {crates} with such findings", measured.len());
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
    fn count(&mut self, finding: &Finding) {
        let fix = finding.fix.as_ref();
        self.findings += 1;
        self.fixed += usize::from(fix.is_some());
        self.safe += usize::from(fix.is_some_and(|fix| fix.safety == Safety::Safe));
        self.needs += usize::from(fix.is_some_and(|fix| fix.needs.is_some()));
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

/// A finding whatever its line.
fn key(finding: &Finding) -> (&str, &str, &str) {
    (&finding.rule, &finding.site.place.path, &finding.site.function)
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
