//! How right the program is on labelled code: `cargo run --release --example score -- LABELS.jsonl ROOTS.tsv [--only WORD] [--show]`.
//! Prints the figures and writes `SCORE.md` beside the labels (not with `--only`, which is a part). No test: it reads some thousand files.
//!
//! A finding meets a label where both are in one file and the finding's site overlaps the label's lines, the label with the nearest head first.
//! Left out: test code, labels of confidence `low`, rules without labels. A rule in a label's `may` counts in neither direction. A source of
//! `exhaustive.txt` has all its sites labelled: a finding that meets no label is false there, elsewhere it is `unlabelled`, outside the
//! precision. Of a fact, an unknown answer is unread, apart from wrong.
#![allow(clippy::print_stdout, clippy::indexing_slicing)]

mod labels;
mod page;
mod tally;

use labels::{Exhaustive, read_labels};
use page::{figures, page, read_whys, unexplained};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use tally::{Miss, Tally};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let show = args.iter().position(|arg| arg == "--show").map(|at| args.remove(at)).is_some();
    let (file, roots, only) = match args.as_slice() {
        [file, roots] => (PathBuf::from(file), roots, None),
        [file, roots, flag, word] if flag == "--only" => (PathBuf::from(file), roots, Some(word)),
        _ => return Err("usage: score LABELS.jsonl ROOTS.tsv [--only WORD] [--show]".into()),
    };
    let labels = read_labels(&file)?;
    let exhaustive = Exhaustive::read(&file.with_file_name("exhaustive.txt"))?;
    let whys = read_whys(&file.with_file_name("why.tsv"))?;
    let mut tally = Tally::new();
    let mut sources = 0;
    for row in std::fs::read_to_string(roots)?.lines() {
        let Some((source, root)) = row.split_once('\t') else { continue };
        if only.is_some_and(|word| !source.contains(word.as_str())) {
            continue;
        }
        sources += 1;
        let (findings, sites) = retry_lint::cli::measured(Path::new(root))?;
        let here = labels.get(source).map_or(&[][..], Vec::as_slice);
        tally.add(source, root, here, &exhaustive, (&findings, &sites));
    }
    print!("{}", figures(&tally));
    if show {
        list(&tally);
    }
    println!("{} places are not explained in why.tsv", unexplained(&tally, &whys));
    if only.is_none() {
        let text = page(&tally, &whys, sources, &today()?);
        std::fs::write(file.with_file_name("SCORE.md"), text)?;
    }
    Ok(())
}

/// Every place that is not as labelled.
fn list(tally: &Tally) {
    for ((label, site), number) in &tally.kinds {
        println!("kind {label:10} audited as {site:10} {number}");
    }
    for (title, misses) in [("fp", &tally.false_alarms), ("fn", &tally.misses)] {
        println!("--- {title}");
        for Miss { src, path, line, rule, words } in misses {
            println!("{src} {path}:{line} {rule}  [{words}]");
        }
    }
    let lists = [("unlabelled", &tally.unlabelled), ("misread", &tally.misread), ("missing", &tally.sites)];
    for (title, lines) in lists {
        println!("--- {title}");
        for line in lines {
            println!("{line}");
        }
    }
}

/// The date, from the days since 1970 (years begin in March, so that the odd day is the last).
fn today() -> Result<String, Box<dyn Error>> {
    let days = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs() / 86_400 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, past) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    Ok(format!("{:04}-{month:02}-{day:02}", era * 400 + year + past))
}
