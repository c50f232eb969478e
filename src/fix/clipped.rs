//! The cap first, then the random part: `min(cap, d + U)` becomes `min(cap, d) + U`, which may pass the cap by no more than it draws.

use super::around::{Around, span_of};
use super::edits::replace;
use super::layout::put;
use super::{Draft, Wanted};
use crate::model::Edit;

/// The drafts where a cap cuts the random part off.
pub(super) fn drafts(around: &Around<'_>, wanted: &Wanted<'_>) -> Vec<Draft> {
    let Some(clip) = &wanted.site.handles.clip else { return Vec::new() };
    let edits = || -> Option<Vec<Edit>> {
        let (whole, sum) = (around.expr(&clip.whole)?, around.expr(&clip.sum)?);
        let (grown, drawn) = (around.expr(&clip.grown)?, around.expr(&clip.drawn)?);
        let cap = around.text(around.expr(&clip.cap)?);
        let made = format!("{}.min({cap}) + {}", around.as_receiver(grown), around.text(drawn));
        let is_receiver = around.parent(whole).is_some_and(|parent| around.is_receiver(parent, whole));
        if span_of(&clip.whole).contains(span_of(&clip.sum)) {
            let made = if is_receiver { format!("({made})") } else { made };
            return Some(vec![put(around, whole, &made)]);
        }
        // the sum has a name of its own: it is capped where it is made, and used as it is
        let name = around.file.slice(span_of(&clip.capped));
        Some(vec![put(around, sum, &made), replace(&around.file.path, around.span(whole), name)])
    };
    Draft::only("cap the delay first, then add the random part", edits())
}
