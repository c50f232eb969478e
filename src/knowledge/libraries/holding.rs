//! Which entries of a table hold for a package, by the versions that the crate may have there.
//! Where several may hold for one name, the first carries the others: who asks believes only what all of them say.

use std::collections::BTreeMap;

use semver::VersionReq;

use super::super::versions::{Holds, Versions};
use super::{Driver, Library, Policy, Retried, Setter};

/// An entry of a table: what it names, and for which versions.
pub(super) trait Entry: Clone {
    /// The keys under which it names things.
    const LISTS: &'static [&'static str];

    /// The names under each key.
    fn names(&self) -> Vec<&Vec<String>>;
    /// The same, to be changed.
    fn names_mut(&mut self) -> Vec<&mut Vec<String>>;
    /// The versions for which it holds.
    fn versions(&self) -> Option<Versions>;
    /// Adds what may hold instead.
    fn or(&mut self, others: Vec<Self>);
}

/// Whether something in a table holds for some versions only.
pub(super) fn differs(table: &Library) -> bool {
    fn any<E: Entry>(entries: &[E]) -> bool {
        entries.iter().any(|entry| entry.versions().is_some())
    }
    any(&table.policies) || any(&table.setters) || any(&table.drivers)
}

/// What of a table may hold where its crates have these versions.
pub(super) fn in_force(table: &Library, of: &dyn Fn(&str) -> Vec<VersionReq>) -> Library {
    if !differs(table) {
        return table.clone();
    }
    let allowed: BTreeMap<&str, Vec<VersionReq>> =
        table.crates.iter().map(|name| (name.as_str(), of(name))).collect();
    Library {
        policies: holding(&table.policies, table, &allowed),
        setters: holding(&table.setters, table, &allowed),
        drivers: holding(&table.drivers, table, &allowed),
        ..table.clone()
    }
}

fn holding<E: Entry>(entries: &[E], table: &Library, allowed: &BTreeMap<&str, Vec<VersionReq>>) -> Vec<E> {
    let may_hold = |entry: &&E| {
        let Some(versions) = entry.versions() else { return true };
        // of the crate that its paths name; a method is of the first crate of which something is known
        let named = entry.names().into_iter().flatten().find_map(|name| name.split_once("::"));
        let allowed = match named {
            Some((first, _)) => allowed.get(first),
            None => table
                .crates
                .iter()
                .filter_map(|name| allowed.get(name.as_str()))
                .find(|allowed| !allowed.is_empty()),
        };
        versions.hold(allowed.map_or(&[], Vec::as_slice)) == Holds::Perhaps
    };
    let mut kept: Vec<E> = entries.iter().filter(may_hold).cloned().collect();
    let mut by_name: BTreeMap<(usize, String), Vec<usize>> = BTreeMap::new();
    for (number, entry) in kept.iter().enumerate() {
        for (list, names) in entry.names().into_iter().enumerate() {
            for name in names {
                by_name.entry((list, name.clone())).or_default().push(number);
            }
        }
    }
    by_name.retain(|_, who| who.len() > 1);
    let mut shared = Vec::new();
    for ((list, name), who) in by_name {
        let mut all = who.iter().filter_map(|number| kept.get(*number)).cloned();
        if let Some(mut first) = all.next() {
            let others: Vec<E> = all.collect();
            for (number, names) in first.names_mut().into_iter().enumerate() {
                *names = if number == list { vec![name.clone()] } else { Vec::new() };
            }
            first.or(others);
            shared.push(first);
        }
        for number in who {
            if let Some(names) =
                kept.get_mut(number).and_then(|entry| entry.names_mut().into_iter().nth(list))
            {
                names.retain(|other| *other != name);
            }
        }
    }
    kept.extend(shared);
    kept
}

impl Entry for Policy {
    const LISTS: &'static [&'static str] = &["paths", "structs", "methods", "macros", "attributes"];

    fn names(&self) -> Vec<&Vec<String>> {
        vec![&self.paths, &self.structs, &self.methods, &self.macros, &self.attributes]
    }

    fn names_mut(&mut self) -> Vec<&mut Vec<String>> {
        vec![&mut self.paths, &mut self.structs, &mut self.methods, &mut self.macros, &mut self.attributes]
    }

    fn versions(&self) -> Option<Versions> {
        self.versions
    }

    fn or(&mut self, others: Vec<Self>) {
        for other in &others {
            if self.errors != other.errors {
                self.errors = Some(Retried::Unknown);
            }
            self.remote &= other.remote;
            self.fixed |= other.fixed;
            self.given_failure |= other.given_failure;
        }
        self.others = others;
    }
}

impl Entry for Setter {
    const LISTS: &'static [&'static str] = &["paths", "methods", "fields", "keys"];

    fn names(&self) -> Vec<&Vec<String>> {
        vec![&self.paths, &self.methods, &self.fields, &self.keys]
    }

    fn names_mut(&mut self) -> Vec<&mut Vec<String>> {
        vec![&mut self.paths, &mut self.methods, &mut self.fields, &mut self.keys]
    }

    fn versions(&self) -> Option<Versions> {
        self.versions
    }

    fn or(&mut self, others: Vec<Self>) {
        self.others = others;
    }
}

impl Entry for Driver {
    const LISTS: &'static [&'static str] = &["paths", "methods", "macros"];

    fn names(&self) -> Vec<&Vec<String>> {
        vec![&self.paths, &self.methods, &self.macros]
    }

    fn names_mut(&mut self) -> Vec<&mut Vec<String>> {
        vec![&mut self.paths, &mut self.methods, &mut self.macros]
    }

    fn versions(&self) -> Option<Versions> {
        self.versions
    }

    /// A driver has no numbers: what differs is unknown at once. Where the arguments themselves lie elsewhere, the first is believed.
    fn or(&mut self, others: Vec<Self>) {
        for other in others {
            if self.errors != other.errors {
                self.errors = Retried::Unknown;
            }
            self.filters.extend(other.filters);
            self.adjusts.extend(other.adjusts);
            self.blocks.extend(other.blocks);
            self.blocking &= other.blocking;
            self.remote &= other.remote;
            self.bounded &= other.bounded;
            self.hint_unread &= other.hint_unread;
            self.growth = self.growth.filter(|growth| Some(*growth) == other.growth);
            self.jitter = self.jitter.filter(|jitter| Some(*jitter) == other.jitter);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::{Grows, Libraries, Sets};
    use semver::VersionReq;

    const TABLE: &str = "crates = [\"a\", \"b\"]\n\
        [[policy]]\npaths = [\"a::new\", \"a::old\"]\nversions = \"<2\"\ngrowth = \"constant\"\n\
        [[policy]]\npaths = [\"a::new\"]\nversions = \">=2\"\ngrowth = \"linear\"\n\
        [[setter]]\nmethods = [\"times\"]\nversions = \"<2\"\nsets = [\"calls\"]\n\
        [[setter]]\nmethods = [\"times\"]\nversions = \">=2\"\nsets = [\"retries\"]\n";

    fn growth(libraries: &Libraries, path: &str) -> Option<(Option<Grows>, usize)> {
        let path: Vec<String> = path.split("::").map(str::to_owned).collect();
        libraries.built_by(&path).map(|(_, policy)| (policy.growth, policy.others.len()))
    }

    #[test]
    fn a_known_version_takes_its_entries_an_unknown_one_all() {
        let all = Libraries::load([("a.toml", TABLE)]).unwrap();
        assert_eq!(growth(&all, "a::new"), Some((Some(Grows::Constant), 1)));
        assert_eq!(growth(&all, "a::old"), Some((Some(Grows::Constant), 0)));
        let version = |text: &str| -> Vec<VersionReq> { vec![text.parse().unwrap()] };
        let new = all
            .for_versions(&|_| true, &|name| if name == "a" { version("=2.1.0") } else { Vec::new() })
            .unwrap();
        assert_eq!(growth(&new, "a::new"), Some((Some(Grows::Linear), 0)));
        assert_eq!(growth(&new, "a::old"), None, "it is no longer there");
        assert_eq!(new.of_crate("a").unwrap().setter("times").unwrap().sets, [Sets::Retries]);
        let old = all
            .for_versions(&|_| true, &|name| if name == "a" { version("1.3") } else { Vec::new() })
            .unwrap();
        assert_eq!(growth(&old, "a::new"), Some((Some(Grows::Constant), 0)));
        assert!(all.for_versions(&|_| true, &|_| Vec::new()).is_none());
    }
}
