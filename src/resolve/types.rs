//! What type a value has, as far as the source says.
use crate::body::Ty;
/// The type behind smart pointers and guards.
pub fn peeled(ty: &Ty) -> &Ty {
    ty
}
