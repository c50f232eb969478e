//! What a comment reaches: the findings and sites that its line, statement, item or file touches.
//! A comment deep inside nested loops means the innermost one that it can mean.

use crate::body::Span;
use crate::model::{Finding, Place, Site};

/// The part of a file that a comment is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// All of it.
    File,
    /// These bytes.
    Part(Span),
    /// Nothing follows the comment.
    Nothing,
}

/// How a comment touches something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touch {
    /// It is about this.
    Direct,
    /// It stands inside, among others perhaps: the loop around it has this many bytes.
    Around(u32),
}

/// How a comment of this file touches a finding: by what the finding points at, or by its site.
pub(super) fn touches(reach: Reach, path: &str, finding: &Finding) -> Option<Touch> {
    let site = &finding.site.place;
    match reach {
        Reach::Nothing => None,
        Reach::File => (*finding.place.path == *path || *site.path == *path).then_some(Touch::Direct),
        Reach::Part(part) => {
            let mut places = finding.labels.iter().map(|label| &label.place).chain([&finding.place]);
            // a label that is the whole loop says no more than that the comment stands in it
            if places.any(|place| *place.path == *path && place != site && overlaps(part, place)) {
                return Some(Touch::Direct);
            }
            touches_place(part, path, site)
        }
    }
}

/// How a comment touches a site: by what is tried again there, or by all of it.
pub(super) fn touches_site(reach: Reach, path: &str, site: &Site) -> Option<Touch> {
    match reach {
        Reach::Nothing => None,
        Reach::File => (*site.place.path == *path).then_some(Touch::Direct),
        Reach::Part(part) => {
            let operation = site.operation.text.evidence().and_then(|evidence| evidence.place.as_ref());
            if operation.is_some_and(|place| *place.path == *path && overlaps(part, place)) {
                return Some(Touch::Direct);
            }
            touches_place(part, path, &site.place)
        }
    }
}

/// Which of these are meant: those that the comment is about; where there are none, the innermost around it.
pub(super) fn meant(touched: &[(usize, Touch)]) -> Vec<usize> {
    let direct: Vec<usize> =
        touched.iter().filter(|(_, touch)| *touch == Touch::Direct).map(|(at, _)| *at).collect();
    if !direct.is_empty() {
        return direct;
    }
    let around = |touch: &Touch| if let Touch::Around(size) = touch { *size } else { 0 };
    let Some(innermost) = touched.iter().map(|(_, touch)| around(touch)).min() else { return direct };
    touched.iter().filter(|(_, touch)| around(touch) == innermost).map(|(at, _)| *at).collect()
}

fn touches_place(part: Span, path: &str, place: &Place) -> Option<Touch> {
    if *place.path != *path || !overlaps(part, place) {
        return None;
    }
    let begins_here = part.start <= place.start_byte && place.start_byte < part.end;
    Some(if begins_here { Touch::Direct } else { Touch::Around(place.end_byte - place.start_byte) })
}

fn overlaps(part: Span, place: &Place) -> bool {
    part.start < place.end_byte && place.start_byte < part.end
}
