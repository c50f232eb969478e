//! Which bodies name something of a library that the package uses, though they hold no word of retrying: `ConnectionManagerConfig::new()`.
//! Names only, to decide what is worth parsing; what they mean is told elsewhere.

use crate::knowledge::{Knowledge, Library};
use crate::resolve::{Crate, ItemRef};
use aho_corasick::AhoCorasick;

/// The names to look for; `None` where the package uses no library that has any.
pub(crate) struct Mentioned(Option<AhoCorasick>);

impl Mentioned {
    /// The names of the libraries that a package's manifest lists.
    pub(crate) fn new(krate: &Crate, knowledge: &Knowledge) -> Self {
        let used = knowledge.libraries.tables().iter().filter(|library| {
            library.crates.iter().any(|name| krate.is_dependency(name) || krate.may_list(name))
        });
        let mut names: Vec<&str> = used.flat_map(telling).collect();
        names.sort_unstable();
        names.dedup();
        Self(if names.is_empty() { None } else { AhoCorasick::new(names).ok() })
    }

    /// Whether an item's body, or an attribute of it, names one of them.
    pub(crate) fn in_item(&self, krate: &Crate, at: ItemRef) -> bool {
        let Some(names) = &self.0 else { return false };
        let (Some(item), Some(file)) = (krate.item(at), krate.file(at)) else { return false };
        [item.body, Some(item.attributes)].into_iter().flatten().any(|span| names.is_match(file.slice(span)))
    }
}

/// The type in a path, or the function where it has none; methods that make a policy.
fn telling(library: &Library) -> Vec<&str> {
    let is_type = |name: &&str| name.starts_with(char::is_uppercase);
    let of_path = |path: &'_ str| -> Option<usize> {
        let last = path.rfind("::").map_or(0, |at| at + 2);
        let before = path.get(..last.saturating_sub(2))?;
        let owner = before.rfind("::").map_or(0, |at| at + 2);
        Some(if before.get(owner..).as_ref().is_some_and(is_type) { owner } else { last })
    };
    let first_name = |path| {
        let name: &str = str::get(path, of_path(path)?..)?;
        name.split("::").next().filter(|name| !name.is_empty())
    };
    let policies = library
        .policies
        .iter()
        .flat_map(|it| it.paths.iter().chain(&it.structs).chain(&it.macros).chain(&it.attributes));
    let drivers = library.drivers.iter().flat_map(|it| it.paths.iter().chain(&it.macros));
    let methods = library.policies.iter().flat_map(|it| it.methods.iter());
    policies
        .chain(drivers)
        .map(String::as_str)
        .filter_map(first_name)
        .chain(methods.map(String::as_str))
        .collect()
}
