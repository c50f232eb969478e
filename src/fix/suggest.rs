//! Which draft mends a finding: each is tried on the text, the text is read again, and the site is held against what it was.
//! Several are tried at once where they touch neither the same site nor the same bytes. It asks others to read and to judge.

use super::edits::{apply, moved, together};
use super::{Draft, Wanted, Wishes, drafts};
use crate::knowledge::Knowledge;
use crate::model::{Change, Confidence, Edit, FACTS, Finding, Fix, Safety, Site};
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
    /// How changes are to be written.
    pub wishes: Wishes<'a>,
    /// Reads the package with these files in the place of theirs: the sites in them.
    pub look: &'a dyn Fn(Vec<SourceFile>) -> Vec<Arc<Site>>,
    /// The rules that speak of a site, by name, and whether each is heard by default.
    pub judge: &'a dyn Fn(&Arc<Site>) -> Vec<Spoken>,
}

impl std::fmt::Debug for Bench<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bench").field("wishes", &self.wishes).finish_non_exhaustive()
    }
}

/// A finding whose drafts are still to be tried, the next one first.
struct Open {
    finding: usize,
    drafts: VecDeque<Draft>,
}

/// Gives each finding the fix that mends it, where there is one.
pub fn suggest(bench: &Bench<'_>, findings: &mut [Finding]) {
    let mut open: Vec<Open> = Vec::new();
    for (number, finding) in findings.iter().enumerate() {
        let wanted = Wanted { site: &finding.site, wishes: bench.wishes };
        let drafts = drafts(bench.krate, bench.knowledge, finding, &wanted);
        open.push(Open { finding: number, drafts: drafts.into() });
    }
    for _ in 0..MOST_ROUNDS {
        open.retain(|one| !one.drafts.is_empty());
        if open.is_empty() {
            return;
        }
        let tried = next(&mut open, findings);
        let edits: Vec<&Edit> = tried.iter().flat_map(|(_, draft)| &draft.edits).collect();
        let sites = tried.iter().filter_map(|(number, _)| findings.get(*number));
        let sites: BTreeSet<Arc<str>> = sites.map(|finding| finding.site.place.path.clone()).collect();
        let Some(seen) = read_again(bench, &edits, &sites) else { continue };
        for (number, draft) in &tried {
            let Some(finding) = findings.get_mut(*number) else { continue };
            if let Some(safety) = mends(bench, finding, draft, &edits, &seen) {
                finding.fix = Some(fix_of(draft, safety));
                open.retain(|one| one.finding != *number);
            }
        }
    }
}

/// Takes the next draft of each finding, as far as they can be tried together.
fn next(open: &mut [Open], findings: &[Finding]) -> Vec<(usize, Draft)> {
    let firsts =
        open.iter().filter_map(|one| Some((&*findings.get(one.finding)?.site, &*one.drafts.front()?.edits)));
    let taken = together(firsts);
    let mut tried = Vec::new();
    for at in taken {
        let draft = open.get_mut(at).and_then(|one| Some((one.finding, one.drafts.pop_front()?)));
        tried.extend(draft);
    }
    tried
}

/// The sites of the files that are edited, and of those that the sites stand in.
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
    let Draft { title, edits, needs, .. } = draft.clone();
    Fix { title, safety, edits, needs }
}
