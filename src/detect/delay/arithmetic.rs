//! Operators on amounts, and whether the result leaves the range of its integer type.
//! Overflow is noted only where it comes for sure; a size that is not written overflows for nobody.

use super::amount::{Amount, Cap, Drawn};
use super::eval::{Eval, Overflowed};
use crate::body::{BinOp, ExprId, ExprKind};
use crate::detect::context::Context;
use crate::model::Overflow;

/// What is left of `d - j + j`, where both are the same draw: `d`.
pub(super) fn undone(cx: &Context<'_>, id: ExprId) -> Option<ExprId> {
    let (outer, inner, by) = sum(cx, id)?;
    let (first, whole, before) = sum(cx, inner)?;
    let drawn =
        |id| matches!(cx.body.expr(id).kind, ExprKind::Call(..) | ExprKind::Method(_) | ExprKind::Macro(_));
    // a call may give something else the second time
    (outer != first && cx.is_written_alike(by, before) && !cx.body.any(by, drawn)).then_some(whole)
}

/// Whether something is added, what to, and what; the same of what is taken away.
fn sum(cx: &Context<'_>, id: ExprId) -> Option<(bool, ExprId, ExprId)> {
    match &cx.body.expr(id).kind {
        ExprKind::Binary(BinOp::Add, left, right) => Some((true, *left, *right)),
        ExprKind::Binary(BinOp::Sub, left, right) => Some((false, *left, *right)),
        ExprKind::Method(call) => match (call.name.as_str(), call.args.as_slice()) {
            ("saturating_add" | "wrapping_add", [by]) => Some((true, call.receiver, *by)),
            ("saturating_sub" | "wrapping_sub", [by]) => Some((false, call.receiver, *by)),
            _ => None,
        },
        _ => None,
    }
}

impl Eval<'_, '_> {
    pub(super) fn binary(&mut self, id: ExprId, op: BinOp, left: ExprId, right: ExprId) -> Amount {
        let (l, r) = (self.eval(left), self.eval(right));
        self.arithmetic(id, op, &l, &r, left)
    }

    pub(super) fn arithmetic(
        &mut self,
        id: ExprId,
        op: BinOp,
        l: &Amount,
        r: &Amount,
        typed: ExprId,
    ) -> Amount {
        let made = match op {
            BinOp::Add => l.add(r),
            BinOp::Sub => l.sub(r),
            BinOp::Mul => l.mul(r),
            BinOp::Div => l.div(r),
            BinOp::Shl => {
                let bits = self.largest(typed).map(|largest| (largest + 1.0).log2());
                if let Some(bits) = bits
                    && r.hi >= bits
                    && r.moves
                {
                    self.note_overflow(id, Overflow::Wraps);
                }
                l.mul(&r.map(f64::exp2))
            }
            BinOp::Shr => l.div(&r.map(f64::exp2)),
            BinOp::Rem => {
                let random = l.drawn.is_some();
                let mut made =
                    Amount { lo: 0.0, hi: r.hi, raw: r.raw, moves: l.moves || r.moves, ..l.clone() };
                made.sized = r.sized;
                made.drawn = random.then_some(Drawn::Range);
                // a remainder of what names the item (`id % n`) spreads the items, though no dice are thrown
                if !random && !l.sized && !l.moves && !l.unknown {
                    made.drawn = Some(Drawn::Somehow);
                }
                // a remainder of anything else is spread over the range, but by what, nobody knows
                made.unknown = r.unknown || !random && l.unknown;
                made.clock = r.clock;
                made.forms = Vec::new();
                return made;
            }
            BinOp::BitXor | BinOp::BitAnd | BinOp::BitOr => Amount { unknown: true, ..l.add(r) },
            _ => return Amount::unknown(),
        };
        if matches!(op, BinOp::Add | BinOp::Mul | BinOp::Shl) {
            self.check_range(id, &made, typed, Overflow::Panics);
        }
        made
    }

    /// Notes overflow where the value leaves its type's range for sure.
    pub(super) fn check_range(&mut self, id: ExprId, made: &Amount, typed: ExprId, how: Overflow) {
        // below a limit of unwritten size it stays, wherever that is
        if !made.moves || made.unknown || made.limited {
            return;
        }
        let Some(largest) = self.largest(typed).or_else(|| self.largest(id)) else { return };
        // a saturated value is the largest itself, give or take what an `f64` cannot tell
        if made.hi > largest * 1.001 {
            self.note_overflow(id, how);
        }
    }

    fn note_overflow(&mut self, at: ExprId, how: Overflow) {
        if self.env.overflow.is_none() {
            self.env.overflow = Some(Overflowed { at: self.cx.evidence(at, "leaves its type's range"), how });
        }
    }

    /// The largest value of an expression's type; a `Duration`'s is 2^64 seconds.
    pub(super) fn largest(&self, id: ExprId) -> Option<f64> {
        if let Some(number) = self.cx.krate.int_type(self.cx.at, self.cx.body, id) {
            return largest_of(number);
        }
        let ty = self.cx.type_of(id)?;
        largest_of(ty.name())
    }
}

pub(super) fn power(base: &Amount, exponent: &Amount) -> Amount {
    let mut made = base.mul(exponent);
    made.lo = base.lo.powf(exponent.lo);
    made.hi = base.hi.powf(exponent.hi);
    made.raw = base.raw.powf(exponent.raw);
    made.cap = match exponent.cap {
        Cap::Known(cap) => Cap::Known(base.hi.powf(cap)),
        cap => cap,
    };
    made
}

/// The largest value of a numeric type; a `Duration`'s is 2^64 seconds.
pub(crate) fn largest_of(ty: &str) -> Option<f64> {
    Some(match ty {
        "u8" => f64::from(u8::MAX),
        "u16" => f64::from(u16::MAX),
        "u32" => f64::from(u32::MAX),
        "u64" | "usize" | "Duration" => u64::MAX as f64,
        "u128" => u128::MAX as f64,
        "i8" => f64::from(i8::MAX),
        "i16" => f64::from(i16::MAX),
        "i32" => f64::from(i32::MAX),
        "i64" | "isize" => i64::MAX as f64,
        "i128" => i128::MAX as f64,
        _ => return None,
    })
}
