//! What of a body could not be followed, told by name and reason. It finds no site and changes none: it only says where one may be missing.

use super::context::Context;
use super::flow::Followed;
use super::sites;
use crate::body::{ExprKind, MacroInput};
use crate::knowledge::{Words, says};
use crate::model::{Blindness, Place, Unfollowed};
use crate::resolve::{Crate, ItemRef};

/// A body of which nothing or not all was followed.
pub(super) fn unfollowed(
    krate: &Crate,
    at: ItemRef,
    place: Option<Place>,
    why: Blindness,
) -> Option<Unfollowed> {
    let (file, item) = (krate.file(at)?, krate.item(at)?);
    let Place { path, line, column, .. } = place.unwrap_or_else(|| file.place(item.span));
    Some(Unfollowed {
        path: path.to_string(),
        line,
        column,
        name: item.name.clone(),
        why,
        in_test: sites::in_test(krate, at),
    })
}

/// What the walk over a body had to leave out.
pub(super) fn of_walk(cx: &Context<'_>, followed: &Followed) -> Option<Unfollowed> {
    let why = match (followed.exhausted, followed.lost) {
        (true, _) => Blindness::Steps,
        (false, true) => Blindness::Paths,
        (false, false) => return None,
    };
    unfollowed(cx.krate, cx.at, None, why)
}

/// The first macro in a body that may hide a retry: its tokens are no Rust, and among them is a loop or a word of retrying.
pub(super) fn of_macros(cx: &Context<'_>) -> Option<Unfollowed> {
    let (id, _) = cx.body.exprs().find(|(_, expr)| {
        let ExprKind::Macro(call) = &expr.kind else { return false };
        let named = says(&cx.words().retry, call.path.last());
        matches!(&call.input, MacroInput::Words(words) if named || tells(cx.words(), words))
    })?;
    unfollowed(cx.krate, cx.at, cx.place(id), Blindness::Macro)
}

fn tells(known: &Words, words: &[String]) -> bool {
    let has = |keyword: &str| words.iter().any(|word| word == keyword);
    // `impl … for …` is no loop
    has("loop")
        || has("while")
        || has("for") && has("in")
        || words.iter().any(|word| says(&known.retry, word))
}
