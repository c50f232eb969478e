//! Calls that the vocabulary knows, as amounts: what a wait waits, what a generator draws, what a clock or a server tells.
//! Their meaning comes from the tables; this file names no call of any crate.

use super::amount::{Amount, Drawn};
use super::eval::{Eval, Key, MOST_CALLS};
use crate::body::{BinOp, ExprId, ExprKind};
use crate::detect::context::Callee;
use crate::knowledge::{Gives, RandomGives, Role, Unit};
use crate::resolve::{Target, peeled};

impl Eval<'_, '_> {
    pub(super) fn known(
        &mut self,
        id: ExprId,
        role: &Role,
        receiver: Option<ExprId>,
        args: &[ExprId],
    ) -> Amount {
        match role {
            Role::Wait { arg, unit, .. } => {
                let mut waited = self.waited(*arg, *unit, receiver, args);
                if waited.absent {
                    waited = Amount::unknown();
                }
                let sum = match self.env.vars.get(&Key::Waited) {
                    Some(before) => before.add(&waited),
                    None => waited.clone(),
                };
                self.env.vars.insert(Key::Waited, sum);
                waited
            }
            Role::Later { arg, unit } => self.waited(Some(*arg), *unit, receiver, args),
            Role::Random { gives, .. } => self.random(*gives, role, receiver, args),
            Role::Clock { gives: Gives::Now } => Amount::from_now(Amount::exact(0.0)),
            Role::Clock { gives: Gives::Elapsed } => {
                Amount { moves: true, unknown: true, clock: true, ..Amount::symbol() }
            }
            Role::Hint => Amount::hint(),
            Role::Adaptor | Role::Pure => {
                let operand = receiver.or_else(|| args.first().copied());
                operand.map_or_else(Amount::unknown, |operand| match self.cx.body.expr(operand).kind {
                    // `LazyLock::new(|| Duration::from_secs(5))`
                    ExprKind::Closure { .. } => self.apply(operand, &[]),
                    _ => self.eval(operand),
                })
            }
            _ => self.by_name(self.cx.call_name(id), args),
        }
    }

    /// What a generator draws.
    pub(super) fn random(
        &mut self,
        gives: RandomGives,
        role: &Role,
        receiver: Option<ExprId>,
        args: &[ExprId],
    ) -> Amount {
        match gives {
            RandomGives::Range => {
                // `RngExt::random_range(&mut rng, range)`: the generator comes first where it is no receiver
                let range = if receiver.is_none() { args.last() } else { args.first() };
                range.map_or_else(Amount::somehow, |range| self.drawn_from(*range))
            }
            RandomGives::Between => match args {
                [lo, hi, ..] => {
                    let (lo, hi) = (self.eval(*lo), self.eval(*hi));
                    Amount::between(&lo, &hi)
                }
                _ => Amount::somehow(),
            },
            RandomGives::Unit | RandomGives::Any | RandomGives::Bool => {
                Amount::between(&Amount::exact(0.0), &Amount::exact(1.0))
            }
            RandomGives::Around
                if let Some(drawn) =
                    receiver.iter().chain(args).find_map(|operand| self.by_distribution(*operand)) =>
            {
                drawn
            }
            RandomGives::UpToArg | RandomGives::Around => {
                let operand = args.first().copied().or(receiver);
                let base = operand.map_or_else(Amount::symbol, |operand| self.eval(operand));
                drawn_by(role, &base)
            }
        }
    }

    /// What a distribution over a range gives: `Uniform::new(low, high).sample(&mut rng)`.
    fn by_distribution(&mut self, id: ExprId) -> Option<Amount> {
        let made = match &self.cx.body.expr(id).kind {
            ExprKind::Ref(inner) => *inner,
            _ => id,
        };
        let mut made = self.cx.behind_name(made);
        // `Uniform::new(1, 5).unwrap()`, `…?`
        if let ExprKind::Try(inner) = self.cx.body.expr(made).kind {
            made = inner;
        } else if let ExprKind::Method(call) = &self.cx.body.expr(made).kind
            && matches!(call.name.as_str(), "unwrap" | "expect")
        {
            made = call.receiver;
        }
        let ExprKind::Call(_, args) = &self.cx.body.expr(made).kind else { return None };
        if !matches!(self.cx.role(made), Some(Role::Pure)) {
            return None;
        }
        match args.as_slice() {
            [range] => self.ends(*range).map(|(lo, hi)| Amount::between(&lo, &hi)),
            [lo, hi] => {
                let (lo, hi) = (self.eval(*lo), self.eval(*hi));
                Some(Amount::between(&lo, &hi))
            }
            _ => None,
        }
    }

    /// Drawn from a range that is written, here or where a variable, constant or field gets it.
    fn drawn_from(&mut self, range: ExprId) -> Amount {
        self.ends(range).map_or_else(Amount::somehow, |(lo, hi)| Amount::between(&lo, &hi))
    }

    /// The ends of a range.
    pub(super) fn ends(&mut self, range: ExprId) -> Option<(Amount, Amount)> {
        let body = self.cx.body;
        match &body.expr(range).kind {
            ExprKind::Range { start, end, .. } => {
                let lo = start.map_or_else(|| Amount::exact(0.0), |start| self.eval(start));
                let hi = end.map_or_else(Amount::symbol, |end| self.eval(end));
                Some((lo, hi))
            }
            ExprKind::Ref(inner) => self.ends(*inner),
            ExprKind::Method(call) if call.args.is_empty() && call.name == "clone" => {
                self.ends(call.receiver)
            }
            ExprKind::Path(path) => {
                if let Some(local) = body.local(range) {
                    return self
                        .cx
                        .init(local)
                        .filter(|init| *init != range)
                        .and_then(|init| self.ends(init));
                }
                let Target::Item(item) = self.cx.krate.path(self.cx.at, &path.segments) else { return None };
                let inner = self.cx.inside(item).filter(|_| self.depth < MOST_CALLS)?;
                let mut eval = self.elsewhere(&inner);
                eval.ends(inner.body.root)
            }
            ExprKind::Field(base, name) => {
                let ty = self.cx.krate.type_of(self.cx.at, body, *base)?;
                let (item, value) = self.cx.field_value(peeled(&ty), name)?;
                let inner = self.cx.inside(item).filter(|_| self.depth < MOST_CALLS)?;
                let mut eval = self.elsewhere(&inner);
                eval.ends(value)
            }
            _ => None,
        }
    }

    /// How long a wait waits.
    fn waited(
        &mut self,
        arg: Option<usize>,
        unit: Unit,
        receiver: Option<ExprId>,
        args: &[ExprId],
    ) -> Amount {
        let Some(arg) = arg.and_then(|at| args.get(at)).copied() else {
            // a tick: its timer's period, which does not change
            let period = receiver
                .and_then(|timer| self.cx.body.local(timer))
                .and_then(|local| self.cx.init(local))
                .and_then(|init| {
                    let mut found = None;
                    self.cx.body.walk(init, &mut |id| {
                        if let Some(Role::Interval { arg }) = self.cx.role(id) {
                            found = self.cx.args(id).get(*arg).copied();
                        }
                        found.is_none()
                    });
                    found
                });
            return period.map_or_else(Amount::symbol, |period| self.eval(period));
        };
        let scale = match unit {
            Unit::Duration | Unit::S => 1.0,
            Unit::Ms => 1e-3,
            Unit::Us => 1e-6,
            Unit::Ns => 1e-9,
            Unit::Until => return self.until(arg),
        };
        self.eval(arg).map(|it| it * scale)
    }

    /// How far off a deadline is: what is added to the clock.
    pub(super) fn until(&mut self, id: ExprId) -> Amount {
        // a variable that a trip set anew: `next = Instant::now() + delay`
        if let Some(key) = self.key(id)
            && let Some(ahead) = self.env.vars.get(&key).and_then(Amount::ahead)
        {
            return ahead.clone();
        }
        let target = self.cx.behind_name(id);
        match &self.cx.body.expr(target).kind {
            ExprKind::Binary(BinOp::Add, _, right) => self.eval(*right),
            ExprKind::Method(call) => match (call.name.as_str(), call.args.first()) {
                ("add" | "checked_add", Some(arg)) => self.eval(*arg),
                // a time too far off for its type is no policy
                ("unwrap" | "expect" | "unwrap_or" | "unwrap_or_else", _) => self.until(call.receiver),
                _ => Amount::unknown(),
            },
            ExprKind::Block(block) if block.stmts.is_empty() => {
                block.tail.map_or_else(Amount::unknown, |tail| self.until(tail))
            }
            ExprKind::Call(_, args) => self.until_told_by(target, args),
            _ => Amount::unknown(),
        }
    }

    /// A deadline that a function of the crate computes: `deadline_after(start, interval)`.
    fn until_told_by(&mut self, call: ExprId, args: &[ExprId]) -> Amount {
        let Callee::Own(item) = self.cx.callee(call) else { return Amount::unknown() };
        let Some(inner) = self.cx.inside(item).filter(|_| self.depth < MOST_CALLS) else {
            return Amount::unknown();
        };
        let given: Vec<Amount> = args.iter().map(|arg| self.eval(*arg)).collect();
        let mut eval = self.elsewhere(&inner);
        for (param, val) in inner.body.params.iter().zip(&given) {
            eval.bind(param.pat, val);
        }
        eval.until(inner.body.root)
    }
}

/// What a generator draws that is given the amount to draw around, or up to.
pub(super) fn drawn_by(role: &Role, base: &Amount) -> Amount {
    match role {
        Role::Random { gives: RandomGives::UpToArg, .. } => {
            Amount { lo: 0.0, drawn: Some(Drawn::Range), ..base.clone() }
        }
        _ => Amount {
            lo: base.lo * 0.5,
            hi: base.hi * 1.5,
            raw: base.raw * 1.5,
            drawn: Some(Drawn::Scaled),
            sized: false,
            ..base.clone()
        },
    }
}
