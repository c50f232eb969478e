//! Finds what stands under a path: an exact path, a type that the path goes through, or a pattern with `*`.
//! A tree of segments, so that a look-up allocates nothing and costs one step a segment.

use std::collections::HashMap;

/// A path of a table: `tokio::time::sleep`, `std::fs::*` (anything below), `aws_sdk_*::Client` (a family of crates).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// Its segments, without a closing `*`.
    pub(crate) segments: Vec<String>,
    /// It closes with `*`.
    pub(crate) below: bool,
}

impl Pattern {
    /// Reads a path as it is written in a table; says what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (text, below) = text.strip_suffix("::*").map_or((text, false), |before| (before, true));
        let segments: Vec<String> = text.split("::").map(str::to_owned).collect();
        for (position, segment) in segments.iter().enumerate() {
            let name = if position == 0 { segment.strip_suffix('*').unwrap_or(segment) } else { segment };
            if name.is_empty() || name.chars().any(|c| c != '_' && !c.is_ascii_alphanumeric()) {
                return Err(format!(
                    "`{text}` is no path: `*` stands for whole last segments, or for the end of a crate's name"
                ));
            }
        }
        Ok(Self { segments, below })
    }

    /// The first segment: a crate's name, or a family's with its `*`.
    pub(crate) fn root(&self) -> &str {
        self.segments.first().map_or("", String::as_str)
    }

    /// Whether a path is this one, or below it where it closes with `*`.
    pub(crate) fn fits(&self, path: &[String]) -> bool {
        let long_enough =
            if self.below { path.len() > self.segments.len() } else { path.len() == self.segments.len() };
        long_enough
            && self
                .segments
                .iter()
                .zip(path)
                .enumerate()
                .all(|(i, (own, other))| if i == 0 { root_fits(own, other) } else { own == other })
    }
}

/// `core` and `alloc` are doors to `std`.
fn crate_of(segment: &str) -> &str {
    if matches!(segment, "core" | "alloc") { "std" } else { segment }
}

fn root_fits(own: &str, other: &str) -> bool {
    own.strip_suffix('*').map_or_else(|| crate_of(own) == crate_of(other), |family| other.starts_with(family))
}

/// How a path was found; the greater is the more exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    whole: bool,
    depth: usize,
    own_crate: bool,
}

/// Patterns and what stands under each.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathIndex {
    root: Node,
    families: Vec<(String, Node)>,
}

#[derive(Clone, Debug, Default)]
struct Node {
    children: HashMap<String, Node>,
    /// What stands here.
    here: Option<u32>,
    /// What stands here counts for its associated functions as well.
    opens: bool,
    /// What stands for anything below.
    below: Option<u32>,
}

impl PathIndex {
    /// Puts a number under a pattern; a later one replaces an earlier one. `opens`: it counts for what is below too (a type for its constructors).
    pub(crate) fn insert(&mut self, pattern: &Pattern, opens: bool, id: u32) {
        let (start, rest) = self.start_for(pattern);
        let node = rest.iter().fold(start, |node, segment| node.children.entry(segment.clone()).or_default());
        if pattern.below {
            node.below = Some(id);
        } else {
            node.here = Some(id);
            node.opens = opens;
        }
    }

    fn start_for<'p>(&mut self, pattern: &'p Pattern) -> (&mut Node, &'p [String]) {
        let Some((first, rest)) = pattern.segments.split_first() else { return (&mut self.root, &[]) };
        let Some(family) = first.strip_suffix('*') else {
            return (self.root.children.entry(crate_of(first).to_owned()).or_default(), rest);
        };
        let known = self.families.iter().position(|(name, _)| name == family);
        let at = known.unwrap_or(self.families.len());
        if known.is_none() {
            self.families.push((family.to_owned(), Node::default()));
        }
        (self.families.get_mut(at).map_or(&mut self.root, |(_, node)| node), rest)
    }

    /// The most exact pattern that fits a path: the path itself before anything it goes through, the longer before the shorter, a crate before its family.
    pub(crate) fn find(&self, path: &[String]) -> Option<u32> {
        let (first, rest) = path.split_first()?;
        let own = self.root.children.get(crate_of(first)).map(|node| (node, true));
        let families = self
            .families
            .iter()
            .filter(|(family, _)| first.starts_with(family))
            .map(|(_, node)| (node, false));
        own.into_iter()
            .chain(families)
            .filter_map(|(node, own_crate)| descend(node, rest, own_crate))
            .max_by_key(|(rank, _)| *rank)
            .map(|(_, id)| id)
    }

    /// The longest beginning of a path that stands here exactly: how many segments, and its number.
    pub(crate) fn longest_beginning(&self, path: &[String]) -> Option<(usize, u32)> {
        let (first, rest) = path.split_first()?;
        let mut node = self.root.children.get(crate_of(first))?;
        let mut best = node.here.map(|id| (1, id));
        for (segment, length) in rest.iter().zip(2..) {
            let Some(child) = node.children.get(segment) else { break };
            node = child;
            best = node.here.map(|id| (length, id)).or(best);
        }
        best
    }
}

fn descend(start: &Node, rest: &[String], own_crate: bool) -> Option<(Rank, u32)> {
    let mut node = start;
    let mut best = None;
    for (depth, segment) in rest.iter().enumerate() {
        let open = node.below.or(node.here.filter(|_| node.opens));
        best = open.map(|id| (Rank { whole: false, depth, own_crate }, id)).or(best);
        let Some(child) = node.children.get(segment) else { return best };
        node = child;
    }
    node.here.map(|id| (Rank { whole: true, depth: rest.len(), own_crate }, id)).or(best)
}
