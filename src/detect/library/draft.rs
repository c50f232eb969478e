//! A retry crate's policy while it is being built: what the constructor gives, and what each setter changes.
//! Numbers come from arguments by the same evaluation as delays do; what cannot be evaluated is known to be set, and its size unknown.

use super::Series;
use super::scope::Scope;
use crate::body::{ExprId, ExprKind};
use crate::detect::context::Context;
use crate::detect::delay::{Amount, Cap, MOST_ATTEMPTS, Replay, applied, read, spread_of};
use crate::knowledge::{Grows, Library, Limit, Policy, RandomGives, Role, Sets, Setter, Shakes, Unit};
use crate::model::{BoundKind, Evidence, Fact, Growth, Jitter, Site};

/// Counts from here on never end: `u32::MAX` and the like.
const ENDLESS: f64 = 1_000_000_000.0;
/// Delays listed in a schedule.
const LISTED: usize = 10;
/// Delays on which a function from delay to delay is tried, in seconds: the last is above any cap, the first `FREE` show what it does besides.
const TRIED: [f64; 4] = [1.0, 2.0, 4.0, 1e9];
const FREE: usize = 3;
/// Delays summed up for the largest.
const MOST_DELAYS: u32 = 10_000;

/// What is known of a policy so far.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    growth: Fact<Growth>,
    jitter: Fact<Jitter>,
    first: Fact<f64>,
    capped: Fact<bool>,
    cap: Fact<f64>,
    factor: Fact<f64>,
    /// Whether the attempts are counted.
    counted: Fact<bool>,
    /// How many they are.
    calls: Fact<f64>,
    deadline: Fact<bool>,
}

impl Draft {
    /// What a constructor gives. A struct that takes the rest from a value that we do not see gives nothing but its fields.
    pub(super) fn new(scope: &Scope<'_, '_>, library: &Library, policy: &Policy, from: ExprId) -> Self {
        let cx = scope.cx;
        let at = |text: &str| cx.evidence(from, text);
        let known = |number: Option<f64>, text: &str| {
            number.map_or(Fact::Unknown, |number| Fact::Known(number, at(text)))
        };
        let mut draft = Self {
            growth: policy.growth.map_or(Fact::Unknown, |growth| growth_of(growth, at("the policy of this"))),
            jitter: policy.jitter.map_or(Fact::Unknown, |jitter| {
                jitter_of(jitter, at("without a random part unless asked for"), at("random by default"))
            }),
            first: known(policy.first_s, "starts with this unless told otherwise"),
            capped: Fact::Known(
                policy.cap_s.is_some(),
                at(if policy.cap_s.is_some() { "capped by default" } else { "no cap by default" }),
            ),
            cap: known(policy.cap_s, "capped at this unless told otherwise"),
            factor: known(policy.factor, ""),
            counted: Fact::Known(
                policy.retries.is_some(),
                at(if policy.retries.is_some() {
                    "counted by default"
                } else {
                    "nothing counts the attempts by default"
                }),
            ),
            calls: known(policy.retries.map(|retries| retries + 1.0), "so many by default"),
            deadline: Fact::Known(policy.deadline, at("limited in time by default")),
        };
        if policy.delays_only {
            draft.counted = Fact::Unknown;
            draft.deadline = Fact::Unknown;
        }
        for (sets, arg) in policy.args.iter().zip(cx.args(from)) {
            draft.one(scope, *sets, policy.unit, *arg, &cx.evidence(*arg, "set here"));
        }
        if let ExprKind::Struct(lit) = &cx.body.expr(from).kind {
            if lit.base.is_some_and(|base| !is_default(cx, base)) {
                draft.forget();
            }
            for (name, value) in &lit.fields {
                if let Some(setter) = library.field(name) {
                    draft.apply(scope, setter, &[*value], &cx.evidence(*value, "set here"));
                }
            }
        }
        draft
    }

    /// Applies a setter. One that is reached on some paths only leaves unknown what it changes.
    pub(super) fn set(
        &mut self,
        scope: &Scope<'_, '_>,
        setter: &Setter,
        call: ExprId,
        args: &[ExprId],
        maybe: bool,
    ) {
        let cx = scope.cx;
        let evidence = match (&cx.body.expr(call).kind, cx.krate.file(cx.at)) {
            (ExprKind::Method(method), Some(file)) => Evidence::at(file.place(method.name_span), "set here"),
            _ => cx.evidence(call, "set here"),
        };
        if !maybe {
            self.apply(scope, setter, args, &evidence);
            return;
        }
        let mut other = self.clone();
        other.apply(scope, setter, args, &evidence);
        self.agree(&other);
    }

    /// Leaves unknown what is not the same in another one.
    pub(super) fn agree(&mut self, other: &Self) {
        agree(&mut self.growth, &other.growth);
        agree(&mut self.jitter, &other.jitter);
        agree(&mut self.first, &other.first);
        agree(&mut self.capped, &other.capped);
        agree(&mut self.cap, &other.cap);
        agree(&mut self.factor, &other.factor);
        agree(&mut self.counted, &other.counted);
        agree(&mut self.calls, &other.calls);
        agree(&mut self.deadline, &other.deadline);
    }

    /// Writes only how the delays grow and are spread into a site.
    pub(super) fn fill_shape(&self, site: &mut Site) {
        site.delay.growth = self.growth_by_factor();
        site.delay.jitter.clone_from(&self.jitter);
    }

    /// How the delays grow: with a ratio of one they do not.
    fn growth_by_factor(&self) -> Fact<Growth> {
        match (&self.growth, self.factor.value()) {
            (Fact::Known(Growth::Exponential, evidence), Some(factor)) if (*factor - 1.0).abs() < 1e-9 => {
                Fact::Known(Growth::Constant, evidence.clone())
            }
            (growth, _) => growth.clone(),
        }
    }

    /// Writes what is known into a site.
    pub(super) fn fill(&self, site: &mut Site) {
        let delay = &mut site.delay;
        delay.growth = self.growth_by_factor();
        delay.jitter.clone_from(&self.jitter);
        delay.first_s.clone_from(&self.first);
        let waits = !self.growth.is(&Growth::None) && self.growth.is_known();
        if waits {
            delay.capped =
                if delay.growth.is(&Growth::Constant) { Fact::Unknown } else { self.capped.clone() };
            if self.capped.is(&true) {
                delay.cap_s.clone_from(&self.cap);
            }
        }
        self.fill_attempts(site);
        self.fill_schedule(site);
    }

    /// The delays one by one, where growth and jitter are known.
    pub(super) fn series(&self) -> Option<Series> {
        let capped = *self.capped.value()?;
        Some(Series {
            growth: *self.growth_by_factor().value()?,
            jitter: *self.jitter.value()?,
            first: self.first.value().copied(),
            factor: self.factor.value().copied(),
            capped,
            cap: self.cap.value().copied().filter(|_| capped),
        })
    }

    fn fill_attempts(&self, site: &mut Site) {
        match (&self.counted, &self.deadline) {
            (Fact::Known(true, evidence), _) => {
                site.attempts.kind = Fact::Known(BoundKind::Bounded, evidence.clone());
                site.attempts.max.clone_from(&self.calls);
            }
            (Fact::Known(false, _), Fact::Known(true, evidence)) => {
                site.attempts.kind = Fact::Known(BoundKind::Deadline, evidence.clone());
            }
            (Fact::Known(false, evidence), Fact::Known(false, _)) => {
                site.attempts.kind = Fact::Known(BoundKind::Unbounded, evidence.clone());
            }
            _ => {}
        }
    }

    fn fill_schedule(&self, site: &mut Site) {
        let (Some(first), Some(factor), Some(false | true)) =
            (self.first.value(), self.factor.value(), self.capped.value())
        else {
            return;
        };
        let cap = if self.capped.is(&true) { self.cap.value().copied() } else { Some(f64::INFINITY) };
        let (Some(cap), Some(jitter)) = (cap, self.jitter.value()) else { return };
        let low = match jitter {
            Jitter::None => 1.0,
            Jitter::Full => 0.0,
            // how wide it is differs between versions
            _ => return,
        };
        if !matches!(site.delay.growth.value(), Some(Growth::Constant | Growth::Exponential)) {
            return;
        }
        let retries = site.attempts.max.value().map_or(u32::MAX, |max| (*max - 1.0) as u32);
        let at = |retry: u32| (first * factor.powf(f64::from(retry.min(MOST_DELAYS)))).min(cap);
        let listed = (0..retries).take(LISTED).map(|retry| [low * at(retry), at(retry)]).collect();
        site.schedule = Fact::known(listed);
        if site.attempts.max.is_known() && retries > 0 {
            site.delay.largest_s = Fact::known(at(retries.saturating_sub(1)));
            let total: f64 = (0..retries.min(MOST_DELAYS)).map(at).sum();
            site.delay.total_s = Fact::known(total);
        }
    }

    /// Delays that are known one by one; `None` where nothing of them is.
    pub(super) fn of_delays(delays: &Replay, evidence: &Evidence) -> Option<Self> {
        let shown = read(delays, None);
        let growth = shown.growth.filter(|growth| *growth != Growth::None)?;
        let told = |number: Option<f64>| number.map_or(Fact::Unknown, |it| Fact::Known(it, evidence.clone()));
        let ends = delays.others.is_empty() && delays.waits.len() < MOST_ATTEMPTS as usize;
        let listed = shown.schedule.as_deref().unwrap_or_default();
        let factor = match listed {
            [[_, first], [_, second], ..] if growth == Growth::Exponential && *first > 0.0 => {
                Some(second / first)
            }
            _ => (growth == Growth::Constant).then_some(1.0),
        };
        Some(Self {
            growth: Fact::Known(growth, evidence.clone()),
            jitter: shown.jitter.map_or(Fact::Unknown, |jitter| Fact::Known(jitter, evidence.clone())),
            first: told(shown.first_s),
            capped: shown.capped.map_or(Fact::Unknown, |capped| Fact::Known(capped, evidence.clone())),
            cap: told(shown.cap_s),
            factor: told(factor),
            counted: if delays.others.is_empty() {
                Fact::Known(ends, evidence.clone())
            } else {
                Fact::Unknown
            },
            calls: told(ends.then_some(delays.waits.len() as f64 + 1.0)),
            deadline: Fact::Known(false, evidence.clone()),
        })
    }

    /// Takes the delays of another one, and leaves how many they are.
    pub(super) fn take_delays(&mut self, other: &Self) {
        let attempts = (self.counted.clone(), self.calls.clone(), self.deadline.clone());
        *self = other.clone();
        (self.counted, self.calls, self.deadline) = attempts;
    }

    /// Something else counts the attempts, or may.
    pub(super) fn leave_attempts_open(&mut self) {
        (self.counted, self.calls, self.deadline) = (Fact::Unknown, Fact::Unknown, Fact::Unknown);
    }

    /// The whole time is limited.
    pub(super) fn end_by_time(&mut self, evidence: &Evidence) {
        self.deadline = Fact::Known(true, evidence.clone());
    }

    /// Some delays at the front are left out.
    pub(super) fn forget_first(&mut self) {
        (self.first, self.calls) = (Fact::Unknown, Fact::Unknown);
    }

    fn forget(&mut self) {
        *self = Self {
            growth: self.growth.clone(),
            jitter: Fact::Unknown,
            first: Fact::Unknown,
            capped: Fact::Unknown,
            cap: Fact::Unknown,
            factor: Fact::Unknown,
            counted: self.counted.clone(),
            calls: Fact::Unknown,
            deadline: Fact::Unknown,
        };
    }

    fn apply(&mut self, scope: &Scope<'_, '_>, setter: &Setter, args: &[ExprId], evidence: &Evidence) {
        if let Some(growth) = setter.growth {
            self.growth = growth_of(growth, evidence.clone());
            self.factor = match growth {
                Grows::Exponential => Fact::Known(2.0, evidence.clone()),
                Grows::Constant => Fact::Known(1.0, evidence.clone()),
                _ => Fact::Unknown,
            };
        }
        if let Some(jitter) = setter.jitter {
            self.jitter = jitter_of(jitter, evidence.clone(), evidence.clone());
        }
        for limit in &setter.without {
            match limit {
                Limit::Cap => (self.capped, self.cap) = (Fact::Known(false, evidence.clone()), Fact::Unknown),
                Limit::Retries => {
                    (self.counted, self.calls) = (Fact::Known(false, evidence.clone()), Fact::Unknown);
                }
                Limit::Deadline => self.deadline = Fact::Known(false, evidence.clone()),
            }
        }
        for (sets, arg) in setter.sets.iter().zip(args) {
            self.one(scope, *sets, setter.unit, *arg, evidence);
        }
    }

    /// Applies one argument of an adaptor that is std's.
    pub(super) fn one_of(&mut self, scope: &Scope<'_, '_>, sets: Sets, arg: ExprId, evidence: &Evidence) {
        self.one(scope, sets, Unit::Duration, arg, evidence);
    }

    /// What one argument sets.
    fn one(&mut self, scope: &Scope<'_, '_>, sets: Sets, unit: Unit, arg: ExprId, evidence: &Evidence) {
        let cx = scope.cx;
        let known = |number: Option<f64>| {
            number.map_or(Fact::Unknown, |number| Fact::Known(number, evidence.clone()))
        };
        match sets {
            Sets::First => self.first = known(time(scope, arg, unit)),
            Sets::Base => {
                let base = number(scope, arg);
                self.first = known(base.map(|base| base / 1000.0));
                self.factor = known(base);
            }
            Sets::Scale => {
                self.first =
                    known(self.first.value().zip(number(scope, arg)).map(|(first, scale)| first * scale));
            }
            Sets::Factor => self.factor = known(number(scope, arg)),
            Sets::Cap => match option(scope, arg) {
                Maybe::None => {
                    (self.capped, self.cap) = (Fact::Known(false, evidence.clone()), Fact::Unknown);
                }
                Maybe::Some(arg) => {
                    let most = time(scope, arg, unit);
                    // `Duration::MAX` is none
                    let real = !cx.text(arg).ends_with("::MAX") && most.is_none_or(|most| most < ENDLESS);
                    self.capped = Fact::Known(real, evidence.clone());
                    self.cap = known(most.filter(|_| real));
                }
                Maybe::Unknown => (self.capped, self.cap) = (Fact::Unknown, Fact::Unknown),
            },
            Sets::Retries => self.count(scope, arg, 1.0, evidence),
            Sets::Calls => self.count(scope, arg, 0.0, evidence),
            Sets::Deadline => {
                self.deadline = match option(scope, arg) {
                    Maybe::None => Fact::Known(false, evidence.clone()),
                    Maybe::Some(_) => Fact::Known(true, evidence.clone()),
                    Maybe::Unknown => Fact::Unknown,
                };
            }
            Sets::JitterIf => {
                self.jitter = match number(scope, arg) {
                    Some(flag) if flag > 0.0 => Fact::Known(Jitter::Full, evidence.clone()),
                    Some(_) => Fact::Known(Jitter::None, evidence.clone()),
                    None => Fact::Unknown,
                };
            }
            Sets::DelayOfAttempt => {
                self.forget_delay();
                let attempts: Vec<Amount> = (1..=MOST_ATTEMPTS)
                    .map(|attempt| Amount { moves: true, ..Amount::exact(f64::from(attempt)) })
                    .collect();
                let waits = applied(cx, &scope.vars(), arg, &attempts).into_iter().map(Some).collect();
                if let Some(read) = Self::of_delays(&Replay { waits, ..Replay::default() }, evidence) {
                    self.take_delays(&read);
                }
            }
            Sets::Share => {
                self.jitter = match number(scope, arg) {
                    Some(share) if share <= 0.0 => Fact::Known(Jitter::None, evidence.clone()),
                    Some(_) => Fact::Known(Jitter::Proportional, evidence.clone()),
                    None => Fact::Unknown,
                };
            }
            Sets::JitterNamed => {
                self.jitter = match cx.call_name(arg) {
                    "None" => Fact::Known(Jitter::None, evidence.clone()),
                    "Full" => Fact::Known(Jitter::Full, evidence.clone()),
                    "Bounded" => Fact::Known(Jitter::Other, evidence.clone()),
                    _ => Fact::Unknown,
                };
            }
            Sets::Map => self.map(scope, arg, evidence),
            Sets::Nothing => {}
        }
    }

    fn count(&mut self, scope: &Scope<'_, '_>, arg: ExprId, more: f64, evidence: &Evidence) {
        let cx = scope.cx;
        match option(scope, arg) {
            Maybe::None => (self.counted, self.calls) = (Fact::Known(false, evidence.clone()), Fact::Unknown),
            Maybe::Unknown => (self.counted, self.calls) = (Fact::Unknown, Fact::Unknown),
            Maybe::Some(arg) => {
                let count = number(scope, arg);
                let endless = cx.text(arg).ends_with("::MAX") || count.is_some_and(|count| count >= ENDLESS);
                self.counted = Fact::Known(!endless, evidence.clone());
                self.calls = count
                    .filter(|_| !endless)
                    .map_or(Fact::Unknown, |count| Fact::Known(count + more, evidence.clone()));
            }
        }
    }

    /// A function from delay to delay: one that the vocabulary knows to draw, a closure that draws or limits. Any other may do anything.
    fn map(&mut self, scope: &Scope<'_, '_>, arg: ExprId, evidence: &Evidence) {
        let cx = scope.cx;
        let named = match &cx.body.expr(arg).kind {
            ExprKind::Path(path) => cx.by_path(path).and_then(|callee| callee.role().cloned()),
            _ => None,
        };
        match named {
            Some(Role::Random { gives: RandomGives::UpToArg, .. }) => {
                self.jitter = Fact::Known(Jitter::Full, evidence.clone());
                return;
            }
            Some(Role::Random { .. }) => {
                self.jitter = Fact::Known(Jitter::Other, evidence.clone());
                return;
            }
            _ => {}
        }
        self.mapped(scope, arg, evidence);
    }

    /// Tries a function on some delays: what it leaves, draws and cuts off is read off what comes out.
    fn mapped(&mut self, scope: &Scope<'_, '_>, arg: ExprId, evidence: &Evidence) {
        let tried: Vec<Amount> =
            TRIED.iter().map(|delay| Amount { moves: true, ..Amount::exact(*delay) }).collect();
        let made = applied(scope.cx, &scope.vars(), arg, &tried);
        let Some(spread) = spread_of(&made).filter(|_| !made.iter().any(|it| it.unknown || it.absent)) else {
            self.forget_delay();
            return;
        };
        let ratio = ratio(&made, |it| it.raw);
        let grows_on = ratio.or_else(|| ratio_of_drawn(&made)).is_some();
        if let Some(ratio) = ratio {
            let sized = made.iter().all(|delay| delay.sized);
            let scaled = |fact: &Fact<f64>| match fact {
                Fact::Known(number, evidence) if sized => Fact::Known(number * ratio, evidence.clone()),
                _ => Fact::Unknown,
            };
            if (ratio - 1.0).abs() > 1e-6 {
                (self.first, self.cap) = (scaled(&self.first), scaled(&self.cap));
            }
        } else if grows_on {
            (self.first, self.cap) = (Fact::Unknown, Fact::Unknown);
        } else {
            self.forget_delay();
        }
        if spread != Jitter::None {
            self.jitter = Fact::Known(spread, evidence.clone());
        }
        // `|d| d.min(CAP)`
        match made.last().map(|delay| delay.cap) {
            Some(Cap::Known(cap)) => {
                self.capped = Fact::Known(true, evidence.clone());
                self.cap = Fact::Known(cap, evidence.clone());
            }
            Some(Cap::Unknown) => {
                (self.capped, self.cap) = (Fact::Known(true, evidence.clone()), Fact::Unknown)
            }
            _ => {}
        }
    }

    pub(super) fn forget_delay(&mut self) {
        self.growth = Fact::Unknown;
        self.jitter = Fact::Unknown;
        self.first = Fact::Unknown;
        self.capped = Fact::Unknown;
        self.cap = Fact::Unknown;
        self.factor = Fact::Unknown;
    }
}

/// The ratio of what comes out to what was tried, where it is one.
fn ratio(made: &[Amount], part: impl Fn(&Amount) -> f64) -> Option<f64> {
    let mut ratios = made.iter().zip(TRIED).take(FREE).map(|(delay, tried)| part(delay) / tried);
    let first = ratios.next().filter(|ratio| *ratio > 0.0)?;
    ratios.all(|ratio| (ratio - first).abs() <= first * 1e-6).then_some(first)
}

/// The same of the low end, where something random is added.
fn ratio_of_drawn(made: &[Amount]) -> Option<f64> {
    made.iter().all(|delay| delay.drawn.is_some()).then(|| ratio(made, |it| it.lo)).flatten()
}

/// An argument that may be an option.
enum Maybe {
    None,
    Some(ExprId),
    Unknown,
}

fn option(scope: &Scope<'_, '_>, arg: ExprId) -> Maybe {
    let cx = scope.cx;
    match &cx.body.expr(arg).kind {
        ExprKind::Path(path) if path.last() == "None" => Maybe::None,
        ExprKind::Call(callee, args) => match (&cx.body.expr(*callee).kind, args.as_slice()) {
            (ExprKind::Path(path), [inner]) if path.single() == Some("Some") => Maybe::Some(*inner),
            _ => Maybe::Some(arg),
        },
        _ if scope.amount(arg).absent => Maybe::None,
        _ => match cx.type_of(arg) {
            Some(ty) if ty.name() == "Option" && number(scope, arg).is_none() => Maybe::Unknown,
            Some(_) => Maybe::Some(arg),
            None if number(scope, arg).is_some() => Maybe::Some(arg),
            // a field or parameter of a type that nobody sees
            None => Maybe::Unknown,
        },
    }
}

fn is_default(cx: &Context<'_>, base: ExprId) -> bool {
    matches!(cx.body.expr(base).kind, ExprKind::Call(..)) && cx.call_name(base) == "default"
}

/// A written number, also behind constants and sums.
fn number(scope: &Scope<'_, '_>, arg: ExprId) -> Option<f64> {
    let amount = scope.amount(arg);
    (amount.sized && !amount.unknown && amount.drawn.is_none()).then_some(amount.hi)
}

/// A written time, in seconds.
fn time(scope: &Scope<'_, '_>, arg: ExprId, unit: Unit) -> Option<f64> {
    let scale = match unit {
        Unit::Duration | Unit::S => 1.0,
        Unit::Ms => 1e-3,
        Unit::Us => 1e-6,
        Unit::Ns => 1e-9,
        Unit::Until => return None,
    };
    Some(number(scope, arg)? * scale)
}

pub(super) fn growth_of(growth: Grows, evidence: Evidence) -> Fact<Growth> {
    let growth = match growth {
        Grows::None => Growth::None,
        Grows::Constant => Growth::Constant,
        Grows::Linear => Growth::Linear,
        Grows::Exponential => Growth::Exponential,
        Grows::Fibonacci => Growth::Fibonacci,
        Grows::Unknown => return Fact::Unknown,
    };
    Fact::Known(growth, evidence)
}

pub(super) fn jitter_of(jitter: Shakes, absent: Evidence, present: Evidence) -> Fact<Jitter> {
    match jitter {
        Shakes::None => Fact::Known(Jitter::None, absent),
        Shakes::Full => Fact::Known(Jitter::Full, present),
        Shakes::Additive => Fact::Known(Jitter::Additive, present),
        Shakes::Proportional => Fact::Known(Jitter::Proportional, present),
        Shakes::Unknown => Fact::Unknown,
    }
}

/// Forgets a fact that is not the same on another path.
fn agree<T: PartialEq>(fact: &mut Fact<T>, other: &Fact<T>) {
    if fact.value() != other.value() {
        *fact = Fact::Unknown;
    }
}
