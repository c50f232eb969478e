//! What the linter says of waits, held against the waits themselves: `executed RETRY_LINT FOLDER`, with the program and a folder to write to.
//!
//! Each source of `fixtures/fixes` that says how it is run is run as it is and as it is fixed, for 200 clients whose operation fails. Each wait
//! must lie in the interval that `audit` prints for it, and the waits of all clients must reach both ends of it. Before the fix all clients
//! arrive in the same 50 ms; afterwards no more of them than waits drawn from the printed intervals bring together.
#![allow(unused)]

// what sources print about their failures, nobody reads here
macro_rules! eprintln {
    ($($what:tt)*) => {{
        let _ = format_args!($($what)*);
    }};
}

mod linter;
mod stands;
mod world;

use linter::Schedule;
use std::path::Path;
use std::process::ExitCode;
use world::Arrival;

include!(concat!(env!("OUT_DIR"), "/modules.rs"));

/// A source, its fixed twin, and how both are run.
pub struct Case {
    pub name: &'static str,
    pub text: &'static str,
    pub twin: &'static str,
    /// The function that the linter names.
    pub site: &'static str,
    /// `fail 4, ok, fail 3`
    pub plan: &'static str,
    /// As far as the source as it is can be run.
    pub plan_before: &'static str,
    /// Why it is known not to wait as said; empty where it must.
    pub known_wrong: &'static str,
    /// What the server says in `Retry-After`, seconds; 0 where it says nothing.
    pub told_s: u32,
    pub before: fn(),
    pub after: fn(),
}

const CLIENTS: usize = 200;

/// A bin of arrivals, seconds.
const BIN_S: f64 = 0.05;

/// The runtime's timers count whole milliseconds, and a wait begins within one.
const TOLERANCE_S: f64 = 0.002_1;

/// So near to an end of its interval, in parts of it, some wait of 200 must come: that none does has a chance of 0.9^200, less than one in a billion.
const NEAR: f64 = 0.1;

/// So many delays are printed of a policy without an end.
const PRINTED: usize = 12;

/// Clients that are drawn from the printed schedule, to know what share of them meets.
const DRAWN: usize = 40_000;

/// How far the share of 200 may lie above the expected one, in standard deviations; many bins are looked at.
const DEVIATIONS: f64 = 5.0;

/// So many times what the server asked for is waited at most.
const TOLD_AT_MOST: f64 = 1.5;

/// The sources that can be run must be at least so many.
const LEAST_CASES: usize = 25;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().collect();
    let [_, program, folder] = args.as_slice() else {
        println!("usage: executed RETRY_LINT FOLDER");
        return ExitCode::from(2);
    };
    let folder = Path::new(folder);
    let before = linter::schedules(Path::new(program), &folder.join("before"), CASES, |case| case.text);
    let after = linter::schedules(Path::new(program), &folder.join("after"), CASES, |case| case.twin);
    let (mut wrong, mut held) = (0, 0);
    println!("{:36} {:>6} {:>7} {:>7} {:>9}", "source", "waits", "before", "after", "expected");
    for case in CASES.iter().filter(|case| case.told_s > 0) {
        let faults = told(case);
        for fault in &faults {
            println!("    WRONG {fault}");
        }
        wrong += usize::from(!faults.is_empty());
    }
    for case in CASES.iter().filter(|case| case.told_s == 0) {
        let schedules = (before.get(case.name), after.get(case.name));
        let (Some(before), Some(after)) = schedules else {
            println!("{:36} no schedule is printed for it", case.name);
            continue;
        };
        held += 1;
        let first = Seen::of(&plan(case.plan_before), 0, case.before);
        let then = Seen::of(&plan(case.plan), 0, case.after);
        let (before, after) = (&first.as_far(before), &then.as_far(after));
        let mut faults = first.against(before, "before");
        faults.extend(then.against(after, "after"));
        let (share, fixed) = (first.largest_share(), then.largest_share());
        let alike = before.iter().all(|[low, high]| high - low < TOLERANCE_S);
        if alike && share < 1.0 {
            faults.push(format!("before: waits are the same, and only {share:.2} of the clients meet"));
        }
        let expected = expected_share(after, &then);
        let most = expected + DEVIATIONS * (expected * (1.0 - expected) / CLIENTS as f64).sqrt();
        if fixed > most {
            faults.push(format!("after: {fixed:.3} of the clients meet, at most {most:.3} should"));
        }
        println!("{:36} {:6} {share:7.2} {fixed:7.2} {expected:9.2}", case.name, then.waits());
        let known = !case.known_wrong.is_empty();
        for fault in &faults {
            println!("    {} {fault}", if known { "known to be wrong:" } else { "WRONG" });
        }
        if known && faults.is_empty() {
            println!("    WRONG it is right by now: take `known-wrong` out of its head");
        }
        wrong += usize::from(known == faults.is_empty());
    }
    println!("{held} sources held against their schedules, before and after; {wrong} wrong");
    if wrong > 0 || held < LEAST_CASES {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

/// What is not as the server asked for. No schedule is printed where it says how long: by its word each wait is held.
fn told(case: &Case) -> Vec<String> {
    let told_s = f64::from(case.told_s);
    let first = Seen::of(&plan(case.plan_before), case.told_s, case.before);
    let then = Seen::of(&plan(case.plan), case.told_s, case.after);
    let of = |seen: &Seen| -> Vec<f64> {
        seen.clients.iter().flat_map(|arrivals| waits(arrivals)).map(|(_, wait_s)| wait_s).collect()
    };
    let (before, after) = (of(&first), of(&then));
    let (least, most) = after
        .iter()
        .fold((f64::MAX, 0.0_f64), |(least, most), wait_s| (least.min(*wait_s), most.max(*wait_s)));
    println!("{:36} {:6} told {told_s} s: waits {least:.2} to {most:.2} s", case.name, then.waits());
    let mut faults = Vec::new();
    if before.iter().all(|wait_s| *wait_s >= told_s) {
        faults.push("before: nobody comes earlier than told".to_owned());
    }
    if after.is_empty() || least < told_s - TOLERANCE_S || most > TOLD_AT_MOST * told_s + TOLERANCE_S {
        faults.push(format!("after: waits are {least:.3} to {most:.3} s, told were {told_s} s"));
    }
    if most - least < NEAR * told_s {
        faults.push("after: all wait as long".to_owned());
    }
    faults
}

/// `fail 4, ok, fail 3`: whether each attempt succeeds.
fn plan(text: &str) -> Vec<bool> {
    let mut plan = Vec::new();
    for part in text.split(", ") {
        match part.strip_prefix("fail ") {
            Some(times) => plan.extend(vec![false; times.parse().expect("a number")]),
            None => plan.push(true),
        }
    }
    plan
}

/// The attempts of all clients.
struct Seen {
    clients: Vec<Vec<Arrival>>,
}

impl Seen {
    fn of(plan: &[bool], told_s: u32, client: fn()) -> Self {
        Self { clients: (0..CLIENTS).map(|_| world::attempts(plan, told_s, client)).collect() }
    }

    /// How many waits after a failure the first client made.
    fn waits(&self) -> usize {
        self.clients.first().map_or(0, |arrivals| waits(arrivals).count())
    }

    /// The schedule for as many waits as there were: what no longer changes at its printed end goes on so.
    fn as_far(&self, schedule: &Schedule) -> Schedule {
        let mut schedule = schedule.clone();
        if let [.., one, last] = *schedule.as_slice() {
            if one == last && schedule.len() >= PRINTED {
                schedule.resize(self.waits().max(schedule.len()), last);
            }
        }
        schedule
    }

    /// What is not as the schedule says.
    fn against(&self, schedule: &Schedule, when: &str) -> Vec<String> {
        let mut faults = Vec::new();
        let mut ends = vec![(f64::MAX, f64::MIN); schedule.len()];
        if self.waits() == 0 {
            faults.push(format!("{when}: nobody waits"));
        }
        'clients: for arrivals in &self.clients {
            for (number, wait_s) in waits(arrivals) {
                // a schedule is printed to a limit
                let (Some([low, high]), Some(end)) = (schedule.get(number), ends.get_mut(number)) else {
                    continue;
                };
                if wait_s < low - TOLERANCE_S || wait_s > high + TOLERANCE_S {
                    faults
                        .push(format!("{when}: wait {number} is {wait_s:.3} s, said to be {low} to {high}"));
                    break 'clients;
                }
                *end = (end.0.min(wait_s), end.1.max(wait_s));
            }
        }
        for (number, ([low, high], (least, most))) in schedule.iter().zip(&ends).enumerate() {
            let near = NEAR * (high - low) + TOLERANCE_S;
            if least <= most && faults.is_empty() && (*least > low + near || *most < high - near) {
                faults.push(format!(
                    "{when}: wait {number} is {least:.3} to {most:.3}, said to be {low} to {high}"
                ));
            }
        }
        faults
    }

    /// The largest share of clients that come back in the same bin.
    fn largest_share(&self) -> f64 {
        let times = self.clients.iter().map(|arrivals| arrivals.iter().skip(1).map(|it| it.at_s).collect());
        largest_share(times, CLIENTS)
    }
}

/// The waits after failures: their number since the last success, and how long.
fn waits(arrivals: &[Arrival]) -> impl Iterator<Item = (usize, f64)> + '_ {
    let mut number = 0;
    arrivals.windows(2).filter_map(move |two| {
        let [one, next] = two else { return None };
        if one.succeeds {
            number = 0;
            return None;
        }
        number += 1;
        Some((number - 1, next.at_s - one.at_s))
    })
}

/// The share of clients in the bin that holds the most of them.
fn largest_share(clients: impl Iterator<Item = Vec<f64>>, count: usize) -> f64 {
    let mut bins: std::collections::BTreeMap<u64, usize> = std::collections::BTreeMap::new();
    for times in clients {
        let own: std::collections::BTreeSet<u64> = times.iter().map(|at_s| (at_s / BIN_S) as u64).collect();
        for bin in own {
            *bins.entry(bin).or_default() += 1;
        }
    }
    bins.values().max().copied().unwrap_or_default() as f64 / count as f64
}

/// The share that meets where waits are drawn from the schedule, evenly; as many as were seen, the success between included.
fn expected_share(schedule: &Schedule, seen: &Seen) -> f64 {
    let mut random = fastrand::Rng::with_seed(7);
    let Some(pattern) = seen.clients.first() else { return 0.0 };
    let mut draw = || {
        let (mut at_s, mut number, mut times) = (0.0, 0, Vec::new());
        for arrival in pattern.iter().take(pattern.len() - 1) {
            if arrival.succeeds {
                number = 0;
            } else if let Some([low, high]) = schedule.get(number) {
                at_s += low + random.f64() * (high - low);
                number += 1;
            }
            times.push(at_s);
        }
        times
    };
    let drawn: Vec<Vec<f64>> = (0..DRAWN).map(|_| draw()).collect();
    largest_share(drawn.into_iter(), DRAWN)
}
