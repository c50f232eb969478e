//! A policy of which only the type is known, where the type's policies differ: what all have in common that the crate itself builds of it.
//! Who uses the crate may give another one; what the crate builds is its default. It tells no numbers.

use super::built::Built;
use super::built_at;
use super::draft::Draft;
use crate::body::Ty;
use crate::detect::context::Context;
use crate::knowledge::Policy;
use crate::resolve::peeled;

/// Functions and constants that are looked into for one type; where more speak of it, nothing is told.
const MOST_PLACES: usize = 24;

/// What the policies of a type have in common that the crate builds outside of tests; `None` where it builds none, or one cannot be followed.
pub(super) fn built_of_type(cx: &Context<'_>, ty: &Ty) -> Option<Draft> {
    let ty = peeled(ty);
    let path = ty.path.join("::");
    let makes = |policy: &Policy| {
        policy.paths.iter().filter_map(|path| path.rsplit_once("::")).any(|(of, _)| of == path)
            || policy.structs.contains(&path)
    };
    let places = cx.speaking_of(ty.name());
    if places.len() > MOST_PLACES {
        return None;
    }
    let mut common: Option<Draft> = None;
    for at in places {
        let Some(inner) = cx.inside(at) else { continue };
        for (id, _) in inner.body.exprs() {
            let Some((library, policy)) = built_at(&inner, id).filter(|(_, policy)| makes(policy)) else {
                continue;
            };
            let mut built = Built::new(&inner, library, policy, id);
            built.follow();
            let draft = built.known()?;
            match &mut common {
                Some(common) => common.agree(&draft),
                None => common = Some(draft),
            }
        }
    }
    common
}
