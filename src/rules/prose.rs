//! The prose of a page: its fixed headings, and the Rust blocks under two of them. Knows nothing of rules or conditions.

use super::error::nearest;

/// What a page says, section by section, as Markdown without the headings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prose {
    /// What the rule flags. Its first sentence is the rule's title.
    pub what: String,
    /// Why that is a fault.
    pub why: String,
    /// Code that it flags.
    pub flags: String,
    /// Code that it leaves alone.
    pub does_not_flag: String,
    /// What it cannot see.
    pub limits: String,
}

/// The headings of a page, in their order.
pub const HEADINGS: [&str; 5] = ["What it flags", "Why", "Flags", "Does not flag", "Limits"];

/// A fenced block of Rust in a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// The heading it stands under.
    pub(super) heading: &'static str,
    /// Its first line of code, 1-based in the text given.
    pub(super) line: u32,
    pub(super) code: String,
}

/// Where prose is wrong: line in the text given, what, nearest name.
pub(super) type ProseFault = (u32, String, Option<String>);

/// Reads Markdown below the front matter.
pub(super) fn read_prose(text: &str) -> Result<(Prose, Vec<Block>), ProseFault> {
    let mut sections: Vec<(&'static str, String)> = Vec::new();
    let mut blocks: Vec<Block> = Vec::new();
    let mut fence: Option<Fence> = None;
    for (line, number) in text.lines().zip(1u32..) {
        let heading = if fence.is_none() { line.strip_prefix("## ") } else { None };
        if let Some(heading) = heading {
            let known = known_heading(heading.trim(), number)?;
            if sections.iter().any(|(name, _)| *name == known) {
                return Err((number, format!("`## {known}` stands here for the second time"), None));
            }
            sections.push((known, String::new()));
            continue;
        }
        let Some((heading, section)) = sections.last_mut() else {
            if line.trim().is_empty() {
                continue;
            }
            return Err((number, format!("text before the first heading, `## {}`", HEADINGS[0]), None));
        };
        section.push_str(line);
        section.push('\n');
        fence = step(fence, line, number, heading, &mut blocks);
    }
    if let Some(fence) = fence {
        return Err((fence.line, "this block is never closed".to_owned(), None));
    }
    // The end of the page is where a missing heading would be written.
    let end = u32::try_from(text.lines().count()).unwrap_or(u32::MAX).max(1);
    let mut take = |name: &str| match sections.iter_mut().find(|(known, _)| *known == name) {
        Some((_, section)) => Ok(section.trim().to_owned()),
        None => Err((end, format!("the heading `## {name}` is missing"), None)),
    };
    let [what, why, flags, does_not_flag, limits] = HEADINGS;
    let prose = Prose {
        what: take(what)?,
        why: take(why)?,
        flags: take(flags)?,
        does_not_flag: take(does_not_flag)?,
        limits: take(limits)?,
    };
    Ok((prose, blocks))
}

fn known_heading(heading: &str, line: u32) -> Result<&'static str, ProseFault> {
    HEADINGS.into_iter().find(|known| *known == heading).ok_or_else(|| {
        let nearest = nearest(heading, HEADINGS).map(|name| format!("## {name}"));
        (line, format!("unknown heading `## {heading}`"), nearest)
    })
}

/// An open fence: how it was opened, and whether it holds Rust.
struct Fence {
    line: u32,
    marker: String,
    rust: bool,
}

/// What one line does to the fence: opens, fills or closes it.
fn step(
    fence: Option<Fence>,
    line: &str,
    number: u32,
    heading: &'static str,
    blocks: &mut Vec<Block>,
) -> Option<Fence> {
    let Some(fence) = fence else {
        let marker = fence_marker(line)?;
        let rust = line.trim_start_matches(['`', '~']).trim() == "rust";
        if rust {
            blocks.push(Block { heading, line: number + 1, code: String::new() });
        }
        return Some(Fence { line: number, marker: marker.to_owned(), rust });
    };
    if line.trim_end() == fence.marker {
        return None;
    }
    if fence.rust
        && let Some(block) = blocks.last_mut()
    {
        block.code.push_str(line);
        block.code.push('\n');
    }
    Some(fence)
}

fn fence_marker(line: &str) -> Option<&str> {
    ["```", "~~~"].into_iter().find_map(|fence| {
        let first = fence.chars().next()?;
        let length = line.len() - line.trim_start_matches(first).len();
        (length >= fence.len()).then(|| line.get(..length)).flatten()
    })
}

/// The first sentence, as one line without its full stop.
pub(super) fn first_sentence(text: &str) -> String {
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = line.find(". ").unwrap_or(line.len());
    line.get(..end).unwrap_or(&line).trim_end_matches('.').to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    const PAGE: &str = "\n## What it flags\nA wait. And more.\n## Why\n\n## Flags\n```rust\nfn f() {}\n## not a heading\n```\n\
        ```toml\nx = 1\n```\n## Does not flag\n~~~~rust\nfn g() {}\n~~~~\n## Limits\n";

    #[test]
    fn sections_and_rust_blocks_are_told_apart() {
        let (prose, blocks) = read_prose(PAGE).unwrap();
        assert_eq!(prose.what, "A wait. And more.");
        assert_eq!(prose.limits, "");
        assert_eq!(blocks.len(), 2);
        assert_eq!(
            blocks[0],
            Block { heading: "Flags", line: 8, code: "fn f() {}\n## not a heading\n".into() }
        );
        assert_eq!(blocks[1].heading, "Does not flag");
    }

    #[test]
    fn wrong_headings_are_named_with_their_line() {
        let (line, what, near) =
            read_prose(&PAGE.replace("## Does not flag", "## Does not flags")).unwrap_err();
        assert_eq!((line, near.as_deref()), (14, Some("## Does not flag")));
        assert!(what.contains("`## Does not flags`"), "{what}");
        let (_, what, _) = read_prose(&PAGE.replace("## Limits\n", "")).unwrap_err();
        assert_eq!(what, "the heading `## Limits` is missing");
        let (line, ..) = read_prose(&PAGE.replace("## Limits", "## Why")).unwrap_err();
        assert_eq!(line, 18);
        assert!(read_prose(&format!("stray\n{PAGE}")).is_err());
    }

    #[test]
    fn an_open_fence_is_an_error_where_it_opens() {
        let (line, what, _) = read_prose(&format!("{PAGE}\n```rust\nfn h()")).unwrap_err();
        assert_eq!((line, what.as_str()), (20, "this block is never closed"));
    }

    #[test]
    fn the_title_is_one_line() {
        assert_eq!(
            first_sentence("A wait\nthat never `a.b` grows. More.\n\nEnd."),
            "A wait that never `a.b` grows"
        );
        assert_eq!(first_sentence("Alone."), "Alone");
    }
}
