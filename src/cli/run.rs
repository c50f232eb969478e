//! From paths to sites and findings: packages in parallel, each guarded, everything sorted at the end, so that the same input gives the same
//! bytes whatever the number of threads.

use super::args::Options;
use super::configured::{Configuration, Configured, configure};
use super::error::{Stop, UserError};
use super::fixing::Texts;
use super::guard::guarded;
use super::rooms;
use super::settings::Settings;
use crate::model::{Finding, Level, Place, Problem, Site, Unfollowed, unknown_facts};
use crate::report::{Sources, Summary};
use crate::settings::Remarks;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The engine recurses over what it reads, to a counted depth of 128 levels; this holds them in a debug build too.
const STACK: usize = 16 << 20;

/// What a run found.
#[derive(Debug, Default)]
pub(super) struct Looked {
    /// Sites, look-alikes too, sorted; those in tests only where asked for.
    pub(super) sites: Vec<Arc<Site>>,
    /// Findings of selected rules, sorted.
    pub(super) findings: Vec<Finding>,
    /// Findings of selected rules that are not reported: not sure enough, or in tests. Only where they were asked for.
    pub(super) unreported: Vec<Finding>,
    /// The files that were looked at; only where the unreported were asked for.
    pub(super) files: Vec<Arc<str>>,
    /// Sorted, each once.
    pub(super) problems: Vec<Problem>,
    /// Bodies that could not be followed, sorted; those in tests only where asked for.
    pub(super) unfollowed: Vec<Unfollowed>,
    /// The texts that the findings point into.
    pub(super) sources: Sources,
    /// Where those are on disk.
    pub(super) paths: BTreeMap<Arc<str>, PathBuf>,
    pub(super) summary: Summary,
    pub(super) left_out: LeftOut,
    /// How long each package took, by its first file.
    pub(super) took: Vec<(String, Duration)>,
    /// For files with findings: the lowest level that fails the run there.
    fail_on: BTreeMap<Arc<str>, Option<Level>>,
}

impl Looked {
    /// The lowest level that fails the run where this finding is; `None` for never.
    pub(super) fn fail_on(&self, finding: &Finding) -> Option<Level> {
        self.fail_on.get(&finding.place.path).copied().flatten()
    }
}

/// What was found and not reported.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LeftOut {
    /// Findings of selected rules that are not sure enough.
    pub(super) unsure: usize,
    /// Sites in tests.
    pub(super) in_tests: usize,
    /// Findings on lines that are older than the revision that was given.
    pub(super) unchanged: usize,
    /// Files that the configuration excludes.
    pub(super) excluded: usize,
    /// Packages that were looked at, for the same line of `--verbose`.
    pub(super) packages: usize,
}

/// What is asked of a run beside its sites.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judging {
    /// Keep what is not reported too: a baseline may know it.
    pub(super) keep_all: bool,
    /// Look for what mends the findings.
    pub(super) fixes: bool,
}

/// Reads, detects and, where asked to, judges.
/// Files that `texts` has are read from there.
pub(super) fn run(
    settings: &Settings,
    options: &Options,
    judging: Option<Judging>,
    texts: &Texts,
) -> Result<Looked, Stop> {
    on_threads(settings, || {
        let mut input = rooms::find(&settings.inputs, texts)?;
        let problems = std::mem::take(&mut input.problems);
        let (packages, excluded) = configure(input, options)?;
        let parts: Vec<Looked> =
            packages.into_par_iter().map(|package| look_at(package, judging, options, texts)).collect();
        let mut looked = together(parts, problems);
        looked.left_out.excluded = excluded;
        Ok(looked)
    })
}

/// Does some work on the threads of the run, whose stacks are deep enough for it.
pub(super) fn on_threads<T: Send>(
    settings: &Settings,
    work: impl FnOnce() -> Result<T, Stop> + Send,
) -> Result<T, Stop> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.threads).stack_size(STACK).build();
    let pool = pool.map_err(|error| {
        UserError::new(format!("the threads cannot be started: {error}")).help("try `--threads 1`")
    })?;
    pool.install(work)
}

fn look_at(configured: Configured, judging: Option<Judging>, options: &Options, texts: &Texts) -> Looked {
    let started = Instant::now();
    let Configured { package, by } = configured;
    let mut package = package.read(texts);
    let mut looked = Looked { problems: std::mem::take(&mut package.unread), ..Looked::default() };
    looked.left_out.packages = 1;
    for (_, bytes) in package.files() {
        looked.summary.files += 1;
        looked.summary.bytes += bytes as u64;
    }
    let name = package.files().next().map_or_else(String::new, |(path, _)| path.to_string());
    let remarks = package.remarks(by.require_reason());
    looked.problems.extend(remarks.problems.iter().cloned());
    // asked only where it matters: the folder is walked once more
    let mut whole = !remarks.is_empty() && package.is_whole();
    let sites = match guarded(&name, || rooms::sites(&package, &by.known)) {
        Ok(rooms::Held { mut sites, problems, bodies, in_tests, unfollowed }) => {
            looked.problems.extend(problems);
            looked.problems.extend(remarks.assume(&mut sites));
            looked.summary.bodies = if by.include_tests { bodies } else { bodies - in_tests };
            looked.unfollowed = unfollowed;
            looked.unfollowed.retain(|body| by.include_tests || !body.in_test);
            sites
        }
        Err(problem) => {
            looked.problems.push(problem);
            // what nobody looked for is not missing
            whole = false;
            Vec::new()
        }
    };
    let sites = sites.into_iter().map(Arc::new);
    let (in_tests, sites): (Vec<_>, Vec<_>) = sites.partition(|site| site.in_test && !by.include_tests);
    looked.left_out.in_tests = in_tests.iter().filter(|site| site.kind.is_real()).count();
    looked.sites = sites;
    if let Some(judging) = judging {
        judge(&mut looked, &by);
        let aside = Looked { sites: in_tests, ..Looked::default() };
        silence(&mut looked, aside, &remarks, whole, &by, judging);
        if judging.fixes {
            suggest(&mut looked, &package, &by, options);
        }
        let paths = looked.findings.iter().map(|finding| finding.place.path.clone());
        looked.fail_on = paths.map(|path| (path, by.fail_on)).collect();
        let places = looked
            .findings
            .iter()
            .flat_map(|it| it.labels.iter().map(|label| &label.place).chain([&it.place]));
        // of these no more than the fingerprint is asked for
        let places = places.chain(looked.unreported.iter().map(|it| &it.place));
        let mut wanted: BTreeSet<Arc<str>> = places.map(|place| place.path.clone()).collect();
        let fixes = looked.findings.iter().filter_map(|it| it.fix.as_ref());
        wanted.extend(fixes.flat_map(|fix| &fix.edits).map(|edit| edit.path.clone()));
        if judging.keep_all {
            looked.files = package.files().map(|(path, _)| path.clone()).collect();
        }
        looked.paths = package.paths(&wanted);
        looked.sources = package.into_sources(&wanted);
    }
    looked.took.push((name, started.elapsed()));
    looked
}

/// Gives the findings the fixes that mend them. Whoever fails over one has none.
fn suggest(looked: &mut Looked, package: &rooms::Package, by: &Configuration, options: &Options) {
    let wishes = rooms::Wishes {
        jitter: by.jitter(),
        longest_s: by.longest_s(),
        added: options.fixing.add_dependency.as_deref(),
    };
    let mut findings = looked.findings.clone();
    let done = guarded("", || {
        rooms::suggest(package, &by.known, &by.rules, wishes, &mut findings);
        findings
    });
    match done {
        Ok(findings) => looked.findings = findings,
        Err(problem) => looked.problems.push(problem),
    }
}

/// Takes away the findings that comments hide. What is not reported anyway counts too: a comment that hides it is not unused.
fn silence(
    looked: &mut Looked,
    mut aside: Looked,
    remarks: &Remarks,
    whole: bool,
    by: &Configuration,
    judging: Judging,
) {
    if !remarks.is_empty() || judging.keep_all {
        judge(&mut aside, by);
        looked.unreported.append(&mut aside.findings);
        looked.unreported.append(&mut aside.unreported);
    }
    let all: Vec<&Finding> = looked.findings.iter().chain(&looked.unreported).collect();
    let hidden = remarks.hide(&all, &by.rule_names());
    looked.problems.extend(hidden.unknown);
    if whole {
        looked.problems.extend(hidden.unused);
    }
    let mut hides = hidden.findings.into_iter();
    let mut silenced: Vec<Finding> =
        looked.findings.extract_if(.., |_| hides.next().unwrap_or_default()).collect();
    looked.unreported.retain(|_| !hides.next().unwrap_or_default());
    tell_once(&mut looked.findings);
    tell_once(&mut silenced);
    looked.summary.suppressed = silenced.len();
    if !judging.keep_all {
        looked.unreported.clear();
    }
}

fn judge(looked: &mut Looked, by: &Configuration) {
    let selection = &by.selection;
    for site in &looked.sites {
        let told = guarded(&site.place.path, || by.rules.judge(site, |rule| selection.loudest(rule)));
        match told {
            Ok(mut findings) => {
                for finding in &mut findings {
                    finding.level = by.level_at(&finding.rule, &finding.place.path);
                }
                findings.retain(|finding| finding.level != Level::Off);
                let (sure, unsure): (Vec<_>, Vec<_>) =
                    findings.into_iter().partition(|finding| finding.confidence >= selection.min_confidence);
                looked.left_out.unsure += unsure.len();
                looked.findings.extend(sure);
                looked.unreported.extend(unsure);
            }
            Err(problem) => looked.problems.push(problem),
        }
    }
}

/// A fault inside a delay function is reported once, there if it can be, and not for each loop that calls it: one change mends them all.
fn tell_once(findings: &mut Vec<Finding>) {
    let at_home = |finding: &Finding| {
        let (place, site) = (&finding.place, &finding.site.place);
        place.path == site.path && site.start_byte <= place.start_byte && place.end_byte <= site.end_byte
    };
    let mut told: BTreeSet<(String, Place)> = findings
        .iter()
        .filter(|finding| at_home(finding))
        .map(|it| (it.rule.clone(), it.place.clone()))
        .collect();
    findings.retain(|it| at_home(it) || told.insert((it.rule.clone(), it.place.clone())));
}

/// One result of many, in an order that depends on nothing but what was found.
fn together(parts: Vec<Looked>, problems: Vec<Problem>) -> Looked {
    let mut all = Looked { problems, ..Looked::default() };
    for part in parts {
        all.sites.extend(part.sites);
        all.took.extend(part.took);
        all.findings.extend(part.findings);
        all.unreported.extend(part.unreported);
        all.files.extend(part.files);
        all.problems.extend(part.problems);
        all.unfollowed.extend(part.unfollowed);
        all.summary.bodies += part.summary.bodies;
        all.sources.extend(part.sources);
        all.paths.extend(part.paths);
        all.fail_on.extend(part.fail_on);
        all.summary.files += part.summary.files;
        all.summary.bytes += part.summary.bytes;
        all.summary.suppressed += part.summary.suppressed;
        all.left_out.unsure += part.left_out.unsure;
        all.left_out.in_tests += part.left_out.in_tests;
        all.left_out.packages += part.left_out.packages;
    }
    all.sites.sort_by(|a, b| order(&a.place).cmp(&order(&b.place)).then_with(|| a.kind.cmp(&b.kind)));
    for findings in [&mut all.findings, &mut all.unreported] {
        findings.sort_by(|a, b| {
            let place = order(&a.place).cmp(&order(&b.place));
            place
                .then_with(|| a.rule.cmp(&b.rule))
                .then_with(|| a.message.cmp(&b.message))
                .then_with(|| order(&a.site.place).cmp(&order(&b.site.place)))
        });
    }
    all.problems.sort();
    all.problems.dedup();
    all.unfollowed.sort();
    let real = || all.sites.iter().filter(|site| site.kind.is_real());
    all.summary.sites = real().count();
    all.summary.known = real().filter(|site| unknown_facts(site).is_empty()).count();
    all.summary.unfollowed = all.unfollowed.len();
    all
}

/// Path, line, column; then where it ends.
fn order(place: &Place) -> (&str, u32, u32, u32) {
    (&place.path, place.line, place.column, place.end_byte)
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::model::{Confidence, Group, Kind, Level};

    fn site(path: &str, line: u32, column: u32) -> Arc<Site> {
        let place = Place {
            path: path.into(),
            line,
            column,
            end_line: line,
            end_column: column + 1,
            start_byte: 0,
            end_byte: 1,
        };
        Arc::new(Site::new(place, String::new(), Kind::Retry))
    }

    fn finding(site: &Arc<Site>, rule: &str) -> Finding {
        Finding {
            rule: rule.to_owned(),
            level: Level::Warning,
            group: Group::Herd,
            confidence: Confidence::High,
            message: String::new(),
            note: String::new(),
            help: String::new(),
            place: site.place.clone(),
            labels: Vec::new(),
            site: site.clone(),
            change: None,
            fix: None,
        }
    }

    #[test]
    fn the_order_does_not_depend_on_who_was_first() {
        let sites = [site("a.rs", 2, 1), site("a.rs", 10, 1), site("a.rs", 10, 5), site("b.rs", 1, 1)];
        let part = |of: &[usize], rule: &str| Looked {
            sites: of.iter().map(|at| sites[*at].clone()).collect(),
            findings: of.iter().map(|at| finding(&sites[*at], rule)).collect(),
            ..Looked::default()
        };
        let told = |looked: Looked| {
            let shown = |place: &Place| format!("{}:{}:{}", place.path, place.line, place.column);
            let sites: Vec<String> = looked.sites.iter().map(|site| shown(&site.place)).collect();
            let findings: Vec<String> =
                looked.findings.iter().map(|it| format!("{} {}", shown(&it.place), it.rule)).collect();
            (sites, findings)
        };
        let one = told(together(vec![part(&[3, 1], "x"), part(&[0, 2], "x"), part(&[1], "b")], Vec::new()));
        let two = told(together(vec![part(&[1], "b"), part(&[2, 0], "x"), part(&[1, 3], "x")], Vec::new()));
        assert_eq!(one, two);
        assert_eq!(one.1, ["a.rs:2:1 x", "a.rs:10:1 b", "a.rs:10:1 x", "a.rs:10:5 x", "b.rs:1:1 x"]);
    }

    #[test]
    fn a_fault_of_a_delay_function_is_told_there_only() {
        let home = site("a.rs", 1, 1);
        let mut user = finding(&site("b.rs", 7, 1), "x");
        user.place = home.place.clone();
        let mut findings = vec![finding(&home, "x"), user.clone(), finding(&home, "y")];
        tell_once(&mut findings);
        let told: Vec<_> = findings.iter().map(|it| (&*it.site.place.path, it.rule.as_str())).collect();
        assert_eq!(told, [("a.rs", "x"), ("a.rs", "y")]);
        let mut without = vec![user.clone(), user];
        tell_once(&mut without);
        assert_eq!(without.len(), 1);
    }

    #[test]
    fn a_problem_is_told_once() {
        let problem = |line| Problem {
            path: "a.rs".to_owned(),
            line,
            column: 1,
            message: "deep".to_owned(),
            fatal: false,
        };
        let part = || Looked { problems: vec![problem(2), problem(1)], ..Looked::default() };
        assert_eq!(together(vec![part(), part()], vec![problem(2)]).problems, [problem(1), problem(2)]);
    }
}
