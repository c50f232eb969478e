//! How far a delay gets that a fix makes grow, and by what that is decided: by what is written down, or by whoever configures it.

use super::around::{Around, has_word};
use super::{Wanted, shown};
use crate::body::{BinOp, ExprId, ExprKind, Local, Stmt};
use crate::model::{BoundKind, Jitter};

/// Doublings where the base is not known: the cap is 32 times the base then.
const DOUBLINGS: u32 = 5;

/// Where what doubles ends.
#[derive(Clone, Copy)]
pub(super) enum Cap {
    /// At so many seconds.
    At(f64),
    /// After so many doublings, whatever they begin with: nobody knows, or others decide.
    Times(u32),
    /// Nowhere: the few attempts that there are never get far.
    Out,
}

impl Cap {
    pub(super) fn of(
        around: &Around<'_>,
        wanted: &Wanted<'_>,
        first_s: Option<f64>,
        mut bases: impl Iterator<Item = ExprId>,
    ) -> Self {
        let Some(first_s) = first_s else { return Self::Times(DOUBLINGS) };
        let cap = wanted.cap(Some(first_s));
        if wanted.wishes.longest_s.is_none() && !bases.all(|base| is_written(around, base)) {
            // what was configured, a cap in seconds might cut down
            return Self::Times((cap / first_s).log2().ceil().clamp(1.0, 10.0) as u32);
        }
        let is_out =
            wanted.wishes.jitter != Jitter::Decorrelated && stays_below(around, wanted, first_s, cap);
        if is_out { Self::Out } else { Self::At(cap) }
    }

    /// The cap as code.
    pub(super) fn of_code(self, around: &Around<'_>, base: ExprId) -> Option<String> {
        match self {
            Self::At(cap) => Some(around.seconds(cap, base)),
            Self::Times(doublings) => {
                Some(format!("{}.saturating_mul({})", around.as_receiver(base), 2_u32.pow(doublings)))
            }
            Self::Out => None,
        }
    }

    pub(super) fn words(self) -> String {
        match self {
            Self::At(cap) => format!(" up to {}", shown(cap)),
            Self::Times(doublings) => format!(" up to {} times of it", 2_u32.pow(doublings)),
            Self::Out => String::new(),
        }
    }
}

/// Names behind names, at most.
const DEEP: usize = 4;

/// More attempts than this, and what doubles is to be capped whatever it reaches: the next one who adds some will not think of it.
const FEW: f64 = 8.0;

/// Whether the delay, doubled from here, never gets to the cap, however often it is tried; a cap would be of no use then. It must be
/// written down how often: a limit that callers set may be any.
pub(super) fn stays_below(around: &Around<'_>, wanted: &Wanted<'_>, first_s: f64, cap: f64) -> bool {
    let attempts = &wanted.site.attempts;
    let Some(most) = attempts.max.value().copied().filter(|most| *most <= FEW) else { return false };
    attempts.kind.is(&BoundKind::Bounded)
        && bound_is_written(around, wanted)
        // no wait follows the last attempt; one that does is one more
        && first_s * 2_f64.powf((most - 1.0).max(0.0)) <= cap
}

/// Whether what bounds a loop is written down: the range that it goes through, else what its counter is compared with.
fn bound_is_written(around: &Around<'_>, wanted: &Wanted<'_>) -> bool {
    let Some(looped) = around.expr(&wanted.site.place) else { return false };
    if let ExprKind::For { iter, .. } = around.body.expr(looped).kind {
        return is_written(around, iter);
    }
    let Some(counter) = &wanted.site.handles.counter else { return false };
    let counts = |id: ExprId| has_word(around.text(id), &counter.name);
    let mut limits: Vec<ExprId> = Vec::new();
    around.body.walk(looped, &mut |id| {
        if let ExprKind::Binary(op, left, right) = around.body.expr(id).kind
            && matches!(op, BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge | BinOp::Eq)
        {
            limits.extend(Some(right).filter(|_| counts(left)));
            limits.extend(Some(left).filter(|_| counts(right)));
        }
        true
    });
    !limits.is_empty() && limits.into_iter().all(|limit| is_written(around, limit))
}

/// Whether a value is made of literals and constants only: neither a field nor a parameter, which hold what somebody else decided.
fn is_written(around: &Around<'_>, at: ExprId) -> bool {
    written(around, at, DEEP)
}

fn written(around: &Around<'_>, at: ExprId, deep: usize) -> bool {
    !around.body.any(at, |id| match &around.body.expr(id).kind {
        ExprKind::Field(..) | ExprKind::Index(..) => true,
        ExprKind::Path(_) => around.body.local(id).is_some_and(|local| {
            deep == 0 || !given(around, local).is_some_and(|init| written(around, init, deep - 1))
        }),
        _ => false,
    })
}

/// What a `let` gives a variable.
fn given(around: &Around<'_>, local: Local) -> Option<ExprId> {
    around.body.exprs().find_map(|(_, expr)| {
        let ExprKind::Block(block) = &expr.kind else { return None };
        block.stmts.iter().find_map(|stmt| match stmt {
            Stmt::Let { pat, init, .. } if *pat == local => *init,
            _ => None,
        })
    })
}
