//! Which draft mends a finding: each is tried on the text, the text is read again, and the site is held against what it was.
//! Several are tried at once where they touch neither the same site nor the same bytes. It asks others to read and to judge.

use super::edits::{apply, moved, overlap};
use super::{Draft, Wanted, drafts};
use crate::knowledge::Knowledge;
use crate::model::{Change, Confidence, Edit, FACTS, Finding, Fix, Jitter, Safety, Site};
use crate::resolve::Crate;
use crate::source::{SourceFile, source_file};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// Rounds of trying: more than any finding has drafts, so that a package is read again a bounded number of times.
const MOST_ROUNDS: usize = 12;

/// A rule that speaks of a site, and whether it is heard by default.
pub type Spoken = (String, bool);

/// What fixes are tried on.
pub struct Bench<'a> {
    /// The package as it is.
    pub krate: &'a Crate,
    /// What is known of the world.
    pub knowledge: &'a Knowledge,
    /// How delays are to be drawn.
    pub jitter: Jitter,
    /// The longest delay that the configuration allows, seconds.
    pub longest_s: Option<f64>,
    /// The crate that may be added to the manifest.
    pub added: Option<&'a str>,
    /// Reads the package with these files in the place of theirs: the sites in them.
    pub look: &'a dyn Fn(Vec<SourceFile>) -> Vec<Arc<Site>>,
    /// The rules that speak of a site, by name, and whether each is heard by default.
    pub judge: &'a dyn Fn(&Arc<Site>) -> Vec<Spoken>,
}

impl std::fmt::Debug for Bench<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bench")
            .field("jitter", &self.jitter)
            .field("added", &self.added)
            .finish_non_exhaustive()
    }
}

/// A finding whose drafts are still to be tried.
struct Open {
    finding: usize,
    drafts: VecDeque<Draft>,
}

/// Gives each finding the fix that mends it, where there is one.
pub fn suggest(bench: &Bench<'_>, findings: &mut [Finding]) {
    let mut open: Vec<Open> = findings
        .iter()
        .enumerate()
        .filter_map(|(number, finding)| {
            let wanted = Wanted {
                site: &finding.site,
                jitter: bench.jitter,
                longest_s: bench.longest_s,
                added: bench.added,
            };
            let drafts = drafts(bench.krate, bench.knowledge, finding, &wanted);
            let drafts: VecDeque<Draft> = drafts
                .into_iter()
                .filter(|draft| edited(bench, &draft.edits.iter().collect::<Vec<_>>()).is_some())
                .collect();
            (!drafts.is_empty()).then_some(Open { finding: number, drafts })
        })
        .collect();
    for _ in 0..MOST_ROUNDS {
        if open.is_empty() {
            return;
        }
        let tried = batch(&open, findings);
        let edits: Vec<&Edit> = tried
            .iter()
            .filter_map(|at| open.get(*at)?.drafts.front())
            .flat_map(|draft| &draft.edits)
            .collect();
        let sites = tried.iter().filter_map(|at| findings.get(open.get(*at)?.finding));
        let sites: BTreeSet<Arc<str>> = sites.map(|finding| finding.site.place.path.clone()).collect();
        let seen = read_again(bench, &edits, &sites);
        let mut mended: Vec<(usize, Fix)> = Vec::new();
        for at in &tried {
            let Some((one, draft)) = open.get(*at).and_then(|one| Some((one, one.drafts.front()?))) else {
                continue;
            };
            let Some(finding) = findings.get(one.finding) else { continue };
            if let Some(safety) = seen.as_ref().and_then(|sites| mends(bench, finding, draft, &edits, sites))
            {
                mended.push((one.finding, fix_of(draft, safety)));
            }
        }
        for at in tried {
            if let Some(one) = open.get_mut(at) {
                one.drafts.pop_front();
            }
        }
        for (number, fix) in mended {
            open.retain(|one| one.finding != number);
            if let Some(finding) = findings.get_mut(number) {
                finding.fix = Some(fix);
            }
        }
        open.retain(|one| !one.drafts.is_empty());
    }
}

/// Those whose next drafts can be tried together: one a site, none of them at the same bytes.
fn batch(open: &[Open], findings: &[Finding]) -> Vec<usize> {
    let mut taken: Vec<usize> = Vec::new();
    let mut sites: BTreeSet<(Arc<str>, u32)> = BTreeSet::new();
    let mut edits: Vec<&Edit> = Vec::new();
    for (at, one) in open.iter().enumerate() {
        let (Some(draft), Some(finding)) = (one.drafts.front(), findings.get(one.finding)) else { continue };
        let site = (finding.site.place.path.clone(), finding.site.place.start_byte);
        let free = draft.edits.iter().all(|edit| edits.iter().all(|other| !overlap(edit, other)));
        if free && sites.insert(site) {
            edits.extend(&draft.edits);
            taken.push(at);
        }
    }
    taken
}

/// The sites of the files that are edited; `None` where one of them is no Rust any more.
fn read_again(bench: &Bench<'_>, edits: &[&Edit], sites: &BTreeSet<Arc<str>>) -> Option<Vec<Arc<Site>>> {
    let mut texts = edited(bench, edits)?;
    // a site may be in another file than what is changed for it
    let untouched = bench.krate.files.iter().filter(|file| sites.contains(&file.path));
    let untouched: Vec<&SourceFile> =
        untouched.filter(|file| texts.iter().all(|(edited, _)| edited.path != file.path)).collect();
    texts.extend(untouched.into_iter().map(|file| (file, file.text.clone())));
    let mut files = Vec::new();
    for (before, text) in texts {
        let mut file = source_file(before.path.clone(), text.into_bytes()).ok()?;
        file.in_test = before.in_test;
        files.push(file);
    }
    Some((bench.look)(files))
}

/// The files that are edited, with their new texts. Not parsed as a whole: a file may be deeper than any parser goes; that the site is found
/// again shows that its function is Rust.
fn edited<'b>(bench: &'b Bench<'_>, edits: &[&Edit]) -> Option<Vec<(&'b SourceFile, String)>> {
    let mut by_file: BTreeMap<&Arc<str>, Vec<&Edit>> = BTreeMap::new();
    for edit in edits {
        by_file.entry(&edit.path).or_default().push(edit);
    }
    let mut files = Vec::new();
    for (path, edits) in by_file {
        let before = bench.krate.files.iter().find(|file| file.path == *path)?;
        let text = apply(&before.text, &edits)?;
        files.push((before, text));
    }
    Some(files)
}

/// Whether the site is there again and its fault is gone, and how far the change may be trusted.
fn mends(
    bench: &Bench<'_>,
    finding: &Finding,
    draft: &Draft,
    edits: &[&Edit],
    sites: &[Arc<Site>],
) -> Option<Safety> {
    let before = &finding.site;
    let in_file: Vec<&Edit> = edits.iter().copied().filter(|edit| edit.path == before.place.path).collect();
    let start = moved(before.place.start_byte, &in_file);
    let after = sites.iter().find(|site| {
        site.place.path == before.place.path
            && i64::from(site.place.start_byte) == start
            && site.kind == before.kind
            && site.function == before.function
    })?;
    let (said, says) = ((bench.judge)(before), (bench.judge)(after));
    let new = |(rule, heard): &Spoken| *heard && said.iter().all(|(other, _)| other != rule);
    if says.iter().any(|(rule, _)| *rule == finding.rule) || says.iter().any(new) {
        return None;
    }
    let same = FACTS
        .iter()
        .all(|fact| may_alter(finding.change, fact.name) || fact.value(before) == fact.value(after));
    let as_certain = after.confidence == before.confidence || after.confidence == Confidence::High;
    Some(if draft.may_be_safe && same && as_certain { Safety::Safe } else { Safety::Unsafe })
}

/// Whether a change is there to alter a fact (the table of safe fixes in ARCHITECTURE.md).
fn may_alter(change: Option<Change>, fact: &str) -> bool {
    let altered: &[&str] = match change {
        Some(Change::FullJitter) => &[
            "delay.jitter",
            "delay.jitter_share",
            "delay.jitter_clipped",
            "delay.jitter_repeats",
            "delay.jitter_feeds_base",
            "delay.jitter_range_may_be_empty",
            "delay.first_s",
            "delay.total_s",
            "schedule",
        ],
        Some(Change::CapDelay | Change::Saturate | Change::JitterAfterCap) => &[
            "delay.capped",
            "delay.cap_s",
            "delay.largest_s",
            "delay.total_s",
            "delay.overflows_at",
            "delay.overflow",
            "delay.jitter_clipped",
            "delay.jitter_share",
            "schedule",
        ],
        Some(Change::AsyncSleep) => &["delay.blocking_in_async"],
        _ => &[],
    };
    altered.contains(&fact)
}

fn fix_of(draft: &Draft, safety: Safety) -> Fix {
    let mut edits = draft.edits.clone();
    edits.sort();
    Fix { title: draft.title.clone(), safety, edits, needs: draft.needs.clone() }
}
