//! A retry crate's policy while it is being built: what the constructor gives, and what each setter changes.
//! Numbers come from arguments by the same evaluation as delays do; what cannot be evaluated is known to be set, and its size unknown.

use super::drivers::args_of;
use super::scope::Scope;
use crate::body::{ExprId, ExprKind, Lit, MethodCall, PatKind};
use crate::detect::context::Context;
use crate::detect::delay::in_common;
use crate::knowledge::{
    Grows, Library, Limit, Policy, RandomGives, Retried, Role, Sets, Setter, Shakes, Unit,
};
use crate::model::{Evidence, Fact, Growth, Jitter};

/// Counts from here on never end: `u32::MAX` and the like.
const ENDLESS: f64 = 1_000_000_000.0;

/// What is known of a policy so far.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) growth: Fact<Growth>,
    pub(super) jitter: Fact<Jitter>,
    pub(super) first: Fact<f64>,
    pub(super) capped: Fact<bool>,
    pub(super) cap: Fact<f64>,
    pub(super) factor: Fact<f64>,
    /// Whether the attempts are counted.
    pub(super) counted: Fact<bool>,
    /// How many they are.
    pub(super) calls: Fact<f64>,
    pub(super) deadline: Fact<bool>,
    /// Which errors are tried again, where the policy says so.
    pub(super) errors: Option<Retried>,
    /// Whether the random parts come from a seed that is written here.
    pub(super) seeded: Fact<bool>,
    /// Whether the cap is applied after the random part.
    pub(super) clipped: bool,
    /// Whether the delays are the crate's own, so that no caller can be blamed.
    pub(super) fixed: bool,
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
            errors: policy.errors,
            seeded: Fact::known(false),
            clipped: policy.clipped,
            fixed: policy.fixed,
        };
        if policy.delays_only {
            draft.doubt(&[Limit::Retries, Limit::Deadline]);
        }
        draft.doubt(&policy.unknown);
        for (sets, arg) in policy.args.iter().zip(args_of(cx, from)) {
            draft.one(scope, *sets, policy.unit, *arg, &cx.evidence(*arg, "set here"));
        }
        if let ExprKind::Struct(lit) = &cx.body.expr(from).kind {
            if let Some(base) = lit.base.filter(|base| !is_default(cx, *base)) {
                draft.take_base(scope, base);
            }
            for (name, value) in &lit.fields {
                if let Some(setter) = library.field(name) {
                    draft.apply(scope, setter, &[*value], &cx.evidence(*value, "set here"));
                }
            }
        }
        for other in &policy.others {
            draft.agree(&Self::new(scope, library, other, from));
        }
        draft
    }

    /// The same with what was set before, where a method makes the policy.
    pub(super) fn built(scope: &Scope<'_, '_>, library: &Library, policy: &Policy, from: ExprId) -> Self {
        let mut draft = Self::new(scope, library, policy, from);
        draft.set_before(scope, library, from);
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

    /// Shows what is known of the delays here, and not in the iterator that counts them out.
    pub(super) fn show_at(&mut self, evidence: &Evidence) {
        show(&mut self.growth, evidence);
        show(&mut self.jitter, evidence);
        show(&mut self.first, evidence);
        show(&mut self.capped, evidence);
        show(&mut self.cap, evidence);
    }

    /// Leaves unknown what is not the same in another one.
    pub(super) fn agree(&mut self, other: &Self) {
        agree(&mut self.growth, &other.growth);
        self.agree_on_jitter(other);
        agree(&mut self.first, &other.first);
        agree(&mut self.capped, &other.capped);
        agree(&mut self.cap, &other.cap);
        agree(&mut self.factor, &other.factor);
        agree(&mut self.counted, &other.counted);
        agree(&mut self.calls, &other.calls);
        agree(&mut self.deadline, &other.deadline);
        agree(&mut self.seeded, &other.seeded);
        self.clipped &= other.clipped;
        self.fixed |= other.fixed;
        if self.errors != other.errors {
            self.errors = Some(Retried::Unknown);
        }
    }

    /// Of two ways to draw it is still known that something is drawn.
    fn agree_on_jitter(&mut self, other: &Self) {
        let common = in_common(self.jitter.value().copied(), other.jitter.value().copied());
        self.jitter = match (common, std::mem::take(&mut self.jitter)) {
            (Some(common), Fact::Known(_, evidence)) => Fact::Known(common, evidence),
            _ => Fact::Unknown,
        };
    }

    /// Something else counts the attempts, or may.
    pub(super) fn leave_attempts_open(&mut self) {
        (self.counted, self.calls, self.deadline) = (Fact::Unknown, Fact::Unknown, Fact::Unknown);
    }

    /// What wraps the policy counts the attempts itself.
    pub(super) fn count_outside(&mut self, evidence: Evidence) {
        self.counted = Fact::Known(true, evidence);
    }

    /// The whole time is limited.
    pub(super) fn end_by_time(&mut self, evidence: &Evidence) {
        self.deadline = Fact::Known(true, evidence.clone());
    }

    /// Some delays at the front are left out.
    pub(super) fn forget_first(&mut self) {
        (self.first, self.calls) = (Fact::Unknown, Fact::Unknown);
    }

    pub(super) fn forget(&mut self) {
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
            seeded: Fact::Unknown,
            ..self.clone()
        };
    }

    fn apply(&mut self, scope: &Scope<'_, '_>, setter: &Setter, args: &[ExprId], evidence: &Evidence) {
        let before = (!setter.others.is_empty()).then(|| self.clone());
        self.apply_one(scope, setter, args, evidence);
        for (other, mut made) in setter.others.iter().zip(std::iter::repeat(before).flatten()) {
            made.apply_one(scope, other, args, evidence);
            self.agree(&made);
        }
    }

    /// What a setter of one version does.
    fn apply_one(&mut self, scope: &Scope<'_, '_>, setter: &Setter, args: &[ExprId], evidence: &Evidence) {
        if setter.growth == Some(Grows::Unknown) {
            self.forget_delay();
        }
        self.errors = setter.errors.or(self.errors);
        if let Some(growth) = setter.growth {
            self.growth = growth_of(growth, evidence.clone());
            self.factor = match growth {
                Grows::Exponential => Fact::Known(2.0, evidence.clone()),
                Grows::Constant => Fact::Known(1.0, evidence.clone()),
                _ => Fact::Unknown,
            };
        }
        if let Some(first) = setter.first_s {
            self.first = Fact::Known(first, evidence.clone());
        }
        if let Some(cap) = setter.cap_s {
            self.capped = Fact::Known(true, evidence.clone());
            self.cap = Fact::Known(cap, evidence.clone());
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
        self.doubt(&setter.unknown);
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
            Sets::Offset => {
                self.first =
                    known(self.first.value().zip(time(scope, arg, unit)).map(|(first, more)| first + more));
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
            Sets::DeadlineUnlessZero => {
                self.deadline = number(scope, arg)
                    .map_or(Fact::Unknown, |time| Fact::Known(time > 0.0, evidence.clone()));
            }
            Sets::JitterIf => {
                self.jitter = match number(scope, arg) {
                    // the setter may have said which
                    Some(flag) if flag > 0.0 && self.jitter.value().is_some_and(|it| *it != Jitter::None) => {
                        return;
                    }
                    Some(flag) if flag > 0.0 => Fact::Known(Jitter::Full, evidence.clone()),
                    Some(_) => Fact::Known(Jitter::None, evidence.clone()),
                    None => Fact::Unknown,
                };
            }
            Sets::DelayOfAttempt => self.by_attempt(scope, arg, evidence),
            Sets::Share => {
                self.jitter = match number(scope, arg) {
                    Some(share) if share <= 0.0 => Fact::Known(Jitter::None, evidence.clone()),
                    // the table may have said of what kind
                    Some(_) if self.jitter.value().is_some_and(|it| *it != Jitter::None) => return,
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
            Sets::Seed => self.seed(scope, arg, evidence),
            Sets::Policy => self.take_policy(scope, arg),
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
            Some(Role::Random { gives: RandomGives::Around, .. }) => {
                self.jitter = Fact::Known(Jitter::Proportional, evidence.clone());
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

    pub(super) fn forget_delay(&mut self) {
        self.growth = Fact::Unknown;
        self.jitter = Fact::Unknown;
        self.first = Fact::Unknown;
        self.capped = Fact::Unknown;
        self.cap = Fact::Unknown;
        self.factor = Fact::Unknown;
    }
}

/// What a method changes, and the arguments that say to what: of a property, those behind its name.
pub(super) fn setter_of<'a>(
    cx: &Context<'_>,
    library: &'a Library,
    call: &'a MethodCall,
) -> Option<(&'a Setter, &'a [ExprId])> {
    if library.properties.contains(&call.name) {
        let (name, values) = call.args.split_first()?;
        let ExprKind::Lit(Lit::Str(name)) = &cx.body.expr(*name).kind else { return None };
        return Some((library.key(name)?, values));
    }
    Some((library.setter(&call.name)?, &call.args))
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
        _ if is_taken_out(cx, arg) => Maybe::Some(arg),
        _ => match cx.type_of(arg) {
            Some(ty) if ty.name() == "Option" && number(scope, arg).is_none() => Maybe::Unknown,
            Some(_) => Maybe::Some(arg),
            None if number(scope, arg).is_some() => Maybe::Some(arg),
            // a field or parameter of a type that nobody sees
            None => Maybe::Unknown,
        },
    }
}

/// Whether a variable is what `Some(x)` held: that is no option itself.
fn is_taken_out(cx: &Context<'_>, arg: ExprId) -> bool {
    let Some(local) = cx.body.local(arg) else { return false };
    cx.body.pats().any(|(_, pat)| match &pat.kind {
        PatKind::TupleStruct(path, subs) => path.last() == "Some" && subs.contains(&local),
        _ => false,
    })
}

fn is_default(cx: &Context<'_>, base: ExprId) -> bool {
    matches!(cx.body.expr(base).kind, ExprKind::Call(..)) && cx.call_name(base) == "default"
}

/// A written number, also behind constants and sums, or as a text: `"500"`, `500.to_string()`.
pub(super) fn number(scope: &Scope<'_, '_>, arg: ExprId) -> Option<f64> {
    let said = match &scope.cx.body.expr(arg).kind {
        ExprKind::Lit(Lit::Str(text)) => return text.trim().parse().ok(),
        ExprKind::Ref(inner) => *inner,
        _ => arg,
    };
    let said = match &scope.cx.body.expr(said).kind {
        ExprKind::Method(call) if call.name == "to_string" && call.args.is_empty() => call.receiver,
        _ => said,
    };
    let amount = scope.amount(said);
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
        Shakes::Equal => Fact::Known(Jitter::Equal, present),
        Shakes::Decorrelated => Fact::Known(Jitter::Decorrelated, present),
        Shakes::Unknown => Fact::Unknown,
    }
}

/// Forgets a fact that is not the same on another path.
fn show<T>(fact: &mut Fact<T>, evidence: &Evidence) {
    if let Fact::Known(_, shown) = fact {
        *shown = evidence.clone();
    }
}

fn agree<T: PartialEq>(fact: &mut Fact<T>, other: &Fact<T>) {
    if fact.value() != other.value() {
        *fact = Fact::Unknown;
    }
}
