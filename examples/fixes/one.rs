//! One package: its findings, their fixes, and what is found once they are applied.

use retry_lint::fix::{Bench, apply, suggest};
use retry_lint::knowledge::Knowledge;
use retry_lint::model::{Edit, Finding, Jitter, Level, Persona, Safety, Site};
use retry_lint::resolve::Crate;
use retry_lint::rules::Rules;
use retry_lint::source::{PackageTexts, SourceFile, Walk, package_texts, read, source_file, walk};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// Rounds, as the command has them.
const MOST_ROUNDS: usize = 10;

/// What became of a package.
pub(crate) struct Outcome {
    pub(crate) findings: Vec<Told>,
    /// How many fixes were applied, and to how many files.
    pub(crate) fixed: usize,
    pub(crate) files: usize,
    /// Changed files that are no Rust any more.
    pub(crate) unparsed: Vec<String>,
    /// Findings that a fix was for and that are there still.
    pub(crate) left: Vec<String>,
}

/// A finding, and whether it has a fix.
pub(crate) struct Told {
    pub(crate) rule: String,
    pub(crate) path: String,
    pub(crate) line: u32,
    pub(crate) fixed: bool,
    pub(crate) safe: bool,
    /// The fix needs a crate that the package does not depend on.
    pub(crate) needs: bool,
    pub(crate) why_not: Option<String>,
}

/// Is told what was tried, and the sites that it made.
type Seen<'a> = &'a dyn Fn(&[SourceFile], &[Arc<Site>]);

/// What a package is judged with.
struct Judge<'a> {
    knowledge: &'static Knowledge,
    rules: &'a Rules,
    texts: PackageTexts,
}

/// Fixes a package in memory; `wanted` picks the rules.
pub(crate) fn outcome(root: &Path, wanted: &dyn Fn(&str) -> bool, show: bool) -> Result<Outcome, String> {
    let walked = walk(&[root.to_owned()], &Walk::default());
    let files: Vec<SourceFile> = walked.files.iter().filter_map(|found| read(found).ok().flatten()).collect();
    if files.is_empty() {
        return Err("no sources".to_owned());
    }
    let rules = Rules::builtin().map_err(|error| error.to_string())?;
    let knowledge = Knowledge::builtin().map_err(|error| error.to_string())?;
    let judge = Judge { knowledge, rules: &rules, texts: package_texts(root) };
    let mut krate = Crate::with(files, judge.texts.clone());
    let mut findings = judge.findings(&krate, wanted);
    judge.suggest(&krate, &mut findings);
    let mut outcome =
        Outcome { findings: Vec::new(), fixed: 0, files: 0, unparsed: Vec::new(), left: Vec::new() };
    for finding in &findings {
        let why_not = (show && finding.fix.is_none()).then(|| judge.why_not(&krate, finding));
        outcome.findings.push(told(finding, why_not));
    }
    let mended = mended(&findings);
    let mut changed: BTreeMap<Arc<str>, String> = BTreeMap::new();
    for _ in 0..MOST_ROUNDS {
        let edits = chosen(&findings, &mut outcome.fixed);
        if edits.is_empty() {
            break;
        }
        let texts: Vec<(Arc<str>, String)> = edits
            .iter()
            .filter_map(|(path, edits)| {
                let file = krate.files.iter().find(|file| file.path == *path)?;
                Some((path.clone(), apply(&file.text, edits)?))
            })
            .collect();
        changed.extend(texts.iter().cloned());
        krate = judge.with(&krate, texts);
        findings = judge.findings(&krate, wanted);
        judge.suggest(&krate, &mut findings);
    }
    outcome.files = changed.len();
    for (path, text) in &changed {
        if syn::parse_file(text.strip_prefix('\u{feff}').unwrap_or(text)).is_err() {
            outcome.unparsed.push(path.to_string());
        }
    }
    for finding in &findings {
        if mended.contains(&key(finding)) {
            outcome.left.push(format!("{}:{} {}", finding.place.path, finding.place.line, finding.rule));
        }
    }
    Ok(outcome)
}

impl Judge<'_> {
    /// What `check` would tell outside of tests, the less certain too.
    fn findings(&self, krate: &Crate, wanted: &dyn Fn(&str) -> bool) -> Vec<Finding> {
        let mut findings = Vec::new();
        for site in retry_lint::detect::sites(krate, self.knowledge).sites {
            if site.in_test {
                continue;
            }
            let level_of = |rule: &retry_lint::rules::Rule| {
                if wanted(&rule.name) && rule.change.is_some() { rule.level } else { Level::Off }
            };
            findings.extend(self.rules.judge(&Arc::new(site), level_of));
        }
        // a fault of a delay function is told once, there
        let at_home: BTreeSet<(String, u32, Arc<str>)> = findings
            .iter()
            .filter(|it| is_at_home(it))
            .map(|it| (it.rule.clone(), it.place.start_byte, it.place.path.clone()))
            .collect();
        let mut told = at_home.clone();
        findings.retain(|it| {
            is_at_home(it) || told.insert((it.rule.clone(), it.place.start_byte, it.place.path.clone()))
        });
        findings
    }

    /// The package with some texts changed.
    fn with(&self, krate: &Crate, texts: Vec<(Arc<str>, String)>) -> Crate {
        let mut files = krate.files.clone();
        for (path, text) in texts {
            if let (Some(file), Ok(made)) = (
                files.iter_mut().find(|file| file.path == path),
                source_file(path.clone(), text.into_bytes()),
            ) {
                *file = SourceFile { in_test: file.in_test, ..made };
            }
        }
        Crate::with(files, self.texts.clone())
    }

    fn suggest(&self, krate: &Crate, findings: &mut [Finding]) {
        self.suggest_seen(krate, findings, &|_, _| {});
    }

    fn suggest_seen(&self, krate: &Crate, findings: &mut [Finding], seen: Seen<'_>) {
        let look = |changed: Vec<SourceFile>| {
            let same = krate.files.iter().filter(|file| changed.iter().all(|it| it.path != file.path));
            let same = same.map(|file| SourceFile { context_only: true, ..file.clone() });
            let files = same.chain(changed.iter().cloned()).collect();
            let found =
                retry_lint::detect::sites(&Crate::with(files, self.texts.clone()), self.knowledge).sites;
            let sites: Vec<Arc<Site>> = found.into_iter().map(Arc::new).collect();
            seen(&changed, &sites);
            sites
        };
        let bench = Bench {
            krate,
            knowledge: self.knowledge,
            jitter: Jitter::Full,
            longest_s: None,
            added: None,
            look: &look,
            judge: &|site| self.said(site),
        };
        suggest(&bench, findings);
    }

    fn said(&self, site: &Arc<Site>) -> Vec<(String, bool)> {
        let said = self.rules.judge(site, |rule| rule.level.max(Level::Note));
        said.into_iter()
            .map(|finding| {
                let rule = self.rules.get(&finding.rule);
                let heard =
                    rule.is_some_and(|it| it.level >= Level::Warning && it.persona == Persona::Default);
                (finding.rule, heard)
            })
            .collect()
    }

    /// What a change could take hold of, and how what was tried was received.
    fn why_not(&self, krate: &Crate, finding: &Finding) -> String {
        let handles = &finding.site.handles;
        let file = krate.files.iter().find(|file| file.path == finding.site.place.path);
        let text_of = |place: &retry_lint::model::Place| {
            let text = file.and_then(|it| it.text.get(place.start_byte as usize..place.end_byte as usize));
            text.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let waits: Vec<String> = handles
            .waits
            .iter()
            .map(|wait| {
                let kind = if wait.is_duration { "" } else { ", a number" };
                let direct = if wait.direct { "" } else { ", by a helper" };
                format!("{} <- {}{kind}{direct}", text_of(&wait.call), text_of(&wait.delay))
            })
            .collect();
        let tried = RefCell::new(Vec::new());
        let seen = |changed: &[SourceFile], sites: &[Arc<Site>]| {
            let mut lines = Vec::new();
            for file in changed {
                let before = krate.files.iter().find(|it| it.path == file.path);
                let before = before.map_or("", |it| it.text.as_str());
                let diff = similar::TextDiff::from_lines(before, file.text.as_str());
                lines.push(diff.unified_diff().context_radius(0).to_string());
            }
            for site in sites.iter().filter(|site| site.function == finding.site.function) {
                let (growth, jitter) = (site.delay.growth.value(), site.delay.jitter.value());
                let rules: Vec<String> = self.said(site).into_iter().map(|(rule, _)| rule).collect();
                lines.push(format!(
                    "  then {} at line {} ({growth:?}, {jitter:?}): {}\n",
                    site.kind.word(),
                    site.place.line,
                    rules.join(" ")
                ));
            }
            tried.borrow_mut().push(lines.concat());
        };
        let mut alone = [finding.clone()];
        self.suggest_seen(krate, &mut alone, &seen);
        let alone = if alone.first().is_some_and(|it| it.fix.is_some()) { " FIXED WHEN ALONE" } else { "" };
        let tried = tried.into_inner();
        format!(
            "{} {:?} in {}; library {:?}; waits [{}]{}; counter {:?}; success {:?}{alone}; {} tried\n{}",
            finding.site.kind.word(),
            finding.site.delay.growth.value(),
            finding.site.function,
            finding.site.library.krate.value(),
            waits.join(" | "),
            if handles.more_waits { " and more" } else { "" },
            handles.counter.as_ref().map(|it| format!("{}: {} from {}", it.name, it.ty, it.first)),
            match &handles.success {
                retry_lint::model::Success::Leaves => "leaves".to_owned(),
                retry_lint::model::Success::GoesOn(blocks) => format!("goes on ({})", blocks.len()),
                retry_lint::model::Success::Unseen => "unseen".to_owned(),
            },
            tried.len(),
            tried.first().map_or("", String::as_str)
        )
    }
}

fn is_at_home(finding: &Finding) -> bool {
    let (place, site) = (&finding.place, &finding.site.place);
    place.path == site.path && site.start_byte <= place.start_byte && place.end_byte <= site.end_byte
}

fn told(finding: &Finding, why_not: Option<String>) -> Told {
    let fix = finding.fix.as_ref();
    Told {
        rule: finding.rule.clone(),
        path: finding.place.path.to_string(),
        line: finding.place.line,
        fixed: fix.is_some(),
        safe: fix.is_some_and(|fix| fix.safety == Safety::Safe),
        needs: fix.is_some_and(|fix| fix.needs.is_some()),
        why_not,
    }
}

/// What a finding is about, whatever line it is at by then.
fn key(finding: &Finding) -> (String, Arc<str>, String) {
    (finding.rule.clone(), finding.site.place.path.clone(), finding.site.function.clone())
}

/// What should be gone: findings whose every like in the function has a fix.
fn mended(findings: &[Finding]) -> BTreeSet<(String, Arc<str>, String)> {
    let left: BTreeSet<_> = findings.iter().filter(|it| it.fix.is_none()).map(key).collect();
    findings.iter().map(key).filter(|key| !left.contains(key)).collect()
}

/// The edits of fixes that go together, by file.
fn chosen<'f>(findings: &'f [Finding], count: &mut usize) -> BTreeMap<Arc<str>, Vec<&'f Edit>> {
    let mut taken: BTreeMap<Arc<str>, Vec<&Edit>> = BTreeMap::new();
    let mut sites = BTreeSet::new();
    for finding in findings {
        let Some(fix) = &finding.fix else { continue };
        let apart = |edit: &Edit| {
            taken
                .get(&edit.path)
                .into_iter()
                .flatten()
                .all(|other| edit.end_byte < other.start_byte || other.end_byte < edit.start_byte)
        };
        let site = (finding.site.place.path.clone(), finding.site.place.start_byte);
        if fix.edits.iter().all(apart) && sites.insert(site) {
            *count += 1;
            for edit in &fix.edits {
                taken.entry(edit.path.clone()).or_default().push(edit);
            }
        }
    }
    taken
}
