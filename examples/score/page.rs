//! The figures as text, and the page that is committed: what is wrong and missing stands in it place by place, with the reason that people gave.

use crate::tally::{Counts, FIVE, Miss, RULES, Tally, Told};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Reasons by source, path, line and rule.
pub(crate) type Whys = BTreeMap<(String, String, u32, String), String>;

/// What stands where nobody has looked yet.
const UNEXPLAINED: &str = "not explained yet";

/// Reads `why.tsv`; its first line names the columns.
pub(crate) fn read_whys(file: &Path) -> std::io::Result<Whys> {
    let text = match std::fs::read_to_string(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        text => text?,
    };
    let mut whys = Whys::new();
    for (number, row) in text.lines().enumerate().skip(1).filter(|(_, row)| !row.trim().is_empty()) {
        let cells: Vec<&str> = row.split('\t').collect();
        let &[src, path, line, rule, why] = cells.as_slice() else {
            let what = format!("{}:{}: five columns are wanted", file.display(), number + 1);
            return Err(std::io::Error::other(what));
        };
        let Ok(line) = line.parse() else {
            let what = format!("{}:{}: `{line}` is no line", file.display(), number + 1);
            return Err(std::io::Error::other(what));
        };
        whys.insert((src.to_owned(), path.to_owned(), line, rule.to_owned()), why.to_owned());
    }
    Ok(whys)
}

/// The table of rules and the lines below it.
pub(crate) fn figures(tally: &Tally) -> String {
    let mut out = format!(
        "{:22}{:>5}{:>5}{:>5}{:>12}   {:22}{:22}\n",
        "rule", "tp", "fp", "fn", "unlabelled", "precision", "recall"
    );
    let of = |rules: &[&str]| -> Counts {
        let mut sum = Counts::default();
        for counts in rules.iter().filter_map(|rule| tally.rules.get(*rule)) {
            sum.right += counts.right;
            sum.wrong += counts.wrong;
            sum.missed += counts.missed;
            sum.unlabelled += counts.unlabelled;
        }
        sum
    };
    let named =
        RULES.iter().filter(|rule| tally.rules.contains_key(**rule)).map(|rule| (*rule, of(&[*rule])));
    for (name, counts) in named.chain([("the five of the card", of(&FIVE)), ("all", of(&RULES))]) {
        let Counts { right, wrong, missed, unlabelled } = counts;
        let (precision, recall) = (cell(right, right + wrong), cell(right, right + missed));
        let _ =
            writeln!(out, "{name:22}{right:5}{wrong:5}{missed:5}{unlabelled:12}   {precision:22}{recall:22}");
    }
    let Tally { found, wanted, false_sites, look_alikes, .. } = *tally;
    let _ = writeln!(
        out,
        "real sites that audit lists: {found}/{wanted} = {}; look-alikes listed as real: {false_sites}/{look_alikes} = {}",
        ratio(found, wanted),
        ratio(false_sites, look_alikes)
    );
    for (name, Told { right, wrong, unread }) in tally.told {
        let told = right + wrong;
        let all = told + unread;
        let _ = writeln!(
            out,
            "  {name}: right {right}/{told} = {} of what is told; unread {unread}/{all} = {}",
            ratio(right, told),
            ratio(unread, all)
        );
    }
    let _ = writeln!(out, "findings in all, test code apart: {}", tally.total);
    out
}

/// How many places have no reason yet.
pub(crate) fn unexplained(tally: &Tally, whys: &Whys) -> usize {
    tally.false_alarms.iter().chain(&tally.misses).filter(|miss| why(miss, whys) == UNEXPLAINED).count()
}

/// The page.
pub(crate) fn page(tally: &Tally, whys: &Whys, sources: usize, date: &str) -> String {
    let mut out = format!(
        "# The last score\n\n{date}, retry-lint {}, {sources} sources in the versions of [crates.txt](crates.txt), all labels. \
         [README.md](README.md) tells what is counted, and how this page is written anew.\n\n```\n{}```\n",
        env!("CARGO_PKG_VERSION"),
        figures(tally)
    );
    let parts = [("False positives", &tally.false_alarms), ("Misses", &tally.misses)];
    for (title, misses) in parts {
        let _ = write!(out, "\n## {title}\n\n| place | rule | why |\n|---|---|---|\n");
        for miss in misses {
            let Miss { src, path, line, rule, .. } = miss;
            let _ =
                writeln!(out, "| {src} `{path}:{line}` | {rule} | {} |", why(miss, whys).replace('|', "\\|"));
        }
    }
    let _ = write!(
        out,
        "\nReasons come from `why.tsv`; {} places are not explained yet.\n",
        unexplained(tally, whys)
    );
    out
}

fn why<'w>(miss: &Miss, whys: &'w Whys) -> &'w str {
    let key = (miss.src.clone(), miss.path.clone(), miss.line, miss.rule.clone());
    whys.get(&key).map_or(UNEXPLAINED, String::as_str)
}

fn ratio(part: usize, all: usize) -> String {
    if all == 0 { "nan".to_owned() } else { format!("{:.3}", part as f64 / all as f64) }
}

/// A share and the interval in which it lies with 95 % (Wilson).
fn cell(part: usize, all: usize) -> String {
    if all == 0 {
        return "nan (nan to nan)".to_owned();
    }
    let (z, n) = (1.96, all as f64);
    let p = part as f64 / n;
    let d = 1.0 + z * z / n;
    let middle = p + z * z / (2.0 * n);
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    format!("{} ({:.2} to {:.2})", ratio(part, all), (middle - half) / d, (middle + half) / d)
}
