//! Literals and operators, from syn's form to ours.

use super::lower::{Lowered, Lowering};
use super::{BinOp, ExprKind, Lit, UnOp};

impl Lowering {
    /// Lowers a literal; a sign that syn keeps in it (in patterns) becomes an operator, as in expressions.
    pub(super) fn literal(&mut self, lit: &syn::Lit) -> Lowered {
        let span = self.span(lit.span());
        let (negative, lit) = value(lit);
        let lowered = self.push(ExprKind::Lit(lit), span);
        if negative { self.push(ExprKind::Unary(UnOp::Neg, lowered.id), span) } else { lowered }
    }
}

/// An operator, and whether it assigns.
pub(super) fn operator(op: syn::BinOp) -> Option<(BinOp, bool)> {
    Some(match op {
        syn::BinOp::Add(_) => (BinOp::Add, false),
        syn::BinOp::Sub(_) => (BinOp::Sub, false),
        syn::BinOp::Mul(_) => (BinOp::Mul, false),
        syn::BinOp::Div(_) => (BinOp::Div, false),
        syn::BinOp::Rem(_) => (BinOp::Rem, false),
        syn::BinOp::And(_) => (BinOp::And, false),
        syn::BinOp::Or(_) => (BinOp::Or, false),
        syn::BinOp::BitXor(_) => (BinOp::BitXor, false),
        syn::BinOp::BitAnd(_) => (BinOp::BitAnd, false),
        syn::BinOp::BitOr(_) => (BinOp::BitOr, false),
        syn::BinOp::Shl(_) => (BinOp::Shl, false),
        syn::BinOp::Shr(_) => (BinOp::Shr, false),
        syn::BinOp::Eq(_) => (BinOp::Eq, false),
        syn::BinOp::Lt(_) => (BinOp::Lt, false),
        syn::BinOp::Le(_) => (BinOp::Le, false),
        syn::BinOp::Ne(_) => (BinOp::Ne, false),
        syn::BinOp::Ge(_) => (BinOp::Ge, false),
        syn::BinOp::Gt(_) => (BinOp::Gt, false),
        syn::BinOp::AddAssign(_) => (BinOp::Add, true),
        syn::BinOp::SubAssign(_) => (BinOp::Sub, true),
        syn::BinOp::MulAssign(_) => (BinOp::Mul, true),
        syn::BinOp::DivAssign(_) => (BinOp::Div, true),
        syn::BinOp::RemAssign(_) => (BinOp::Rem, true),
        syn::BinOp::BitXorAssign(_) => (BinOp::BitXor, true),
        syn::BinOp::BitAndAssign(_) => (BinOp::BitAnd, true),
        syn::BinOp::BitOrAssign(_) => (BinOp::BitOr, true),
        syn::BinOp::ShlAssign(_) => (BinOp::Shl, true),
        syn::BinOp::ShrAssign(_) => (BinOp::Shr, true),
        _ => return None,
    })
}

/// A literal without its sign, and whether it has one.
fn value(lit: &syn::Lit) -> (bool, Lit) {
    match lit {
        // `2f64` is an integer to syn.
        syn::Lit::Int(int) if matches!(int.suffix(), "f32" | "f64") => {
            float(int.base10_digits(), int.suffix())
        }
        syn::Lit::Int(int) => {
            let (negative, digits) = unsigned(int.base10_digits());
            let value = digits.parse().map_or(Lit::Other, |value| Lit::Int(value, int.suffix().to_owned()));
            (negative, value)
        }
        syn::Lit::Float(lit) => float(lit.base10_digits(), lit.suffix()),
        syn::Lit::Bool(bool) => (false, Lit::Bool(bool.value)),
        syn::Lit::Str(text) => (false, Lit::Str(text.value())),
        syn::Lit::Char(char) => (false, Lit::Char(char.value())),
        _ => (false, Lit::Other),
    }
}

fn float(digits: &str, suffix: &str) -> (bool, Lit) {
    let (negative, digits) = unsigned(digits);
    (negative, digits.parse().map_or(Lit::Other, |value| Lit::Float(value, suffix.to_owned())))
}

fn unsigned(digits: &str) -> (bool, &str) {
    digits.strip_prefix('-').map_or((false, digits), |digits| (true, digits))
}
