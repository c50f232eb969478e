//! The vocabulary, indexed: each question is a few hash look-ups. Indexes are built once, when tables are loaded.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::agree::agreed;
use super::code::Code;
use super::entry::{Entry, LocalKind, Role};
use super::libraries::Libraries;
use super::load::{Crates, Tables, Vague};
use super::paths::{PathIndex, Pattern};
use super::words::Words;
use semver::VersionReq;

/// What is known of the world, ready to be asked.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    /// Telling words.
    pub words: Words,
    /// Retry crates.
    pub libraries: Libraries,
    /// Code that fixes write, in the order in which it is preferred: a project's own before the program's.
    pub code: Vec<Code>,
    /// How texts write this machine's own address.
    pub this_machine: Vec<String>,
    entries: Vec<Entry>,
    paths: PathIndex,
    macros: HashMap<String, u32>,
    methods: HashMap<String, Named>,
    /// By the last segment of a free function's path, and by the last two of any path.
    tails: HashMap<String, Entry>,
    same: PathIndex,
    stands_for: Vec<Vec<String>>,
    client_crates: HashSet<String>,
    client_families: Vec<String>,
    retrying: HashSet<String>,
}

/// What a method call means.
#[derive(Clone, Copy, Debug)]
pub struct MethodMatch<'a> {
    /// The entry; of a call whose receiver is unknown, only what all entries of that name say.
    pub entry: &'a Entry,
    /// The receiver's type or the name itself says it for sure; else it is worth medium confidence.
    pub certain: bool,
}

/// The entries of one method name.
#[derive(Clone, Debug, Default)]
struct Named {
    /// For a receiver of known type.
    on: Vec<(Pattern, u32)>,
    /// Whatever the receiver.
    any: Vec<u32>,
    /// What those with a receiver say together, by number of arguments; `None` for all numbers that are not listed.
    together: Vec<(Option<usize>, Entry)>,
}

impl Knowledge {
    /// The same knowledge for a package whose crates have these versions (`-` written `_`; empty: nobody knows).
    pub fn for_versions(
        &self,
        used: &dyn Fn(&str) -> bool,
        of: &dyn Fn(&str) -> Vec<VersionReq>,
    ) -> Cow<'_, Self> {
        match self.libraries.for_versions(used, of) {
            Some(libraries) => Cow::Owned(Self { libraries, ..self.clone() }),
            None => Cow::Borrowed(self),
        }
    }

    /// What a call of a function means, by its full path after imports were resolved. `core` and `alloc` count as `std`, re-exports as what they are;
    /// an associated function of a listed client or local type means what its type means.
    pub fn call(&self, path: &[String]) -> Option<&Entry> {
        self.entry(self.paths.find(&self.canonical(path))?)
    }

    /// Whether a full path is std's `Duration`, or another name for it.
    pub fn is_duration(&self, path: &[String]) -> bool {
        let full = self.canonical(path);
        full.first().is_some_and(|first| first == "std") && full.last().is_some_and(|last| last == "Duration")
    }

    /// What a macro means, by the last segment of its path.
    pub fn macro_call(&self, path: &[String]) -> Option<&Entry> {
        self.entry(*self.macros.get(path.last()?)?)
    }

    /// What a call of a method means. `receiver`: the full path of its type, references and smart pointers taken off; `args`: number of arguments without it.
    pub fn method(&self, name: &str, receiver: Option<&[String]>, args: usize) -> Option<MethodMatch<'_>> {
        let named = self.methods.get(name)?;
        let takes = |entry: &&Entry| entry.args.is_none_or(|wanted| wanted == args);
        if let Some(receiver) = receiver {
            let receiver = self.canonical(receiver);
            let fitting = named.on.iter().filter(|(pattern, _)| pattern.fits(&receiver));
            let best = fitting
                .filter_map(|(pattern, id)| Some((pattern, self.entry(*id).filter(takes)?)))
                .max_by_key(|(pattern, _)| (!pattern.below, pattern.segments.len()));
            if let Some((_, entry)) = best {
                return Some(MethodMatch { entry, certain: true });
            }
        }
        if let Some(entry) = named.any.iter().filter_map(|id| self.entry(*id)).find(takes) {
            return Some(MethodMatch { entry, certain: entry.certain });
        }
        // A known receiver that no entry lists is somebody else's namesake.
        if receiver.is_some() {
            return None;
        }
        let listed = |number| named.together.iter().find(|(args, _)| *args == number).map(|(_, entry)| entry);
        let numbered =
            named.on.iter().any(|(_, id)| self.entry(*id).is_some_and(|entry| entry.args == Some(args)));
        let entry = listed(if numbered { Some(args) } else { None })?;
        Some(MethodMatch { entry, certain: false })
    }

    /// What a function called by one segment may mean where nothing defines or imports it: what all listed free functions of that name say. Medium confidence at best.
    pub fn bare(&self, name: &str) -> Option<&Entry> {
        self.tails.get(name)
    }

    /// The same for an unresolved path of two segments or more (`Timer::after`, `time::sleep`), by its last two.
    pub fn by_tail(&self, path: &[String]) -> Option<&Entry> {
        match path {
            [] => None,
            [name] => self.bare(name),
            [.., module, name] => self.tails.get(&format!("{module}::{name}")),
        }
    }

    /// Whether this method of a crate's requests makes errors of statuses that tell a failure.
    pub fn raises_statuses(&self, from: &str, method: &str) -> bool {
        self.methods.get(method).is_some_and(|named| {
            named.on.iter().any(|(pattern, id)| {
                pattern.segments.first().is_some_and(|first| first == from)
                    && self.entry(*id).is_some_and(|it| matches!(it.role, Role::Remote { raises: true, .. }))
            })
        })
    }

    /// Whether any crate's method of this name does.
    pub fn may_raise_statuses(&self, method: &str) -> bool {
        self.methods.get(method).is_some_and(|named| {
            named.on.iter().any(|(_, id)| {
                self.entry(*id).is_some_and(|it| matches!(it.role, Role::Remote { raises: true, .. }))
            })
        })
    }

    /// Names of methods that tell a client not to make errors of statuses.
    pub fn keeping_statuses(&self) -> impl Iterator<Item = &str> {
        self.entries
            .iter()
            .filter(|entry| entry.role == Role::KeepsStatus)
            .flat_map(|entry| entry.methods.iter().map(String::as_str))
    }

    /// Whether a type is a client's (`Role::Client`) or a local thing's (`Role::Local`); `None` where nothing is known of it.
    pub fn type_entry(&self, path: &[String]) -> Option<&Entry> {
        self.call(path).filter(|entry| match entry.role {
            Role::Client => true,
            // Parsed data comes from anywhere.
            Role::Local { kind } => kind != LocalKind::Parse,
            _ => false,
        })
    }

    /// Whether a crate, by its name with `_`, reaches a remote side.
    pub fn crate_is_client(&self, name: &str) -> bool {
        let own = [name.to_owned()];
        let stands_for = self.canonical(&own);
        let root = stands_for.first().map_or(name, String::as_str);
        [name, root].iter().any(|name| {
            self.client_crates.contains(*name)
                || self.client_families.iter().any(|family| name.starts_with(family))
        })
    }

    /// Whether a type's requests are tried again by its crate, unless it is told not to.
    pub fn retries_by_itself(&self, ty: &[String]) -> bool {
        self.retrying.contains(&self.canonical(ty).join("::"))
    }

    /// The path that a re-export stands for; the path itself where it is none that the tables know.
    pub fn canonical<'p>(&self, path: &'p [String]) -> Cow<'p, [String]> {
        let mut path = Cow::Borrowed(path);
        // A re-export of a re-export is known; more is a circle in the tables.
        for _ in 0..4 {
            let Some((length, id)) = self.same.longest_beginning(&path) else { break };
            let Some(stands_for) = self.stands_for.get(id as usize) else { break };
            let rest = path.iter().skip(length);
            path = Cow::Owned(stands_for.iter().chain(rest).cloned().collect());
        }
        path
    }

    /// Every entry, in the order of the tables.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }

    fn entry(&self, id: u32) -> Option<&Entry> {
        self.entries.get(id as usize)
    }

    pub(crate) fn from_tables(files: Vec<Tables>) -> Self {
        let mut knowledge = Self::default();
        let mut crates = Crates::default();
        let mut vague = Vague::default();
        let mut calls = Vec::new();
        for file in files {
            knowledge.this_machine.extend(file.addresses.this_machine);
            knowledge.words.extend(file.words);
            for (path, stands_for) in file.same {
                knowledge.same.insert(&path, false, knowledge.stands_for.len() as u32);
                knowledge.stands_for.push(stands_for);
            }
            crates.neutral.extend(file.crates.neutral);
            crates.clients.extend(file.crates.clients);
            knowledge.retrying.extend(file.crates.retrying);
            vague.functions.extend(file.vague.functions);
            vague.methods.extend(file.vague.methods);
            calls.extend(file.calls);
            // what comes later is a project's own
            knowledge.code.splice(0..0, file.code);
        }
        // Only now are all re-exports known.
        for (id, entry) in (0u32..).zip(&calls) {
            knowledge.index(entry, id);
        }
        knowledge.entries = calls;
        knowledge.know_crates(crates);
        knowledge.know_names(vague);
        knowledge
    }

    fn index(&mut self, entry: &Entry, id: u32) {
        for path in patterns(&entry.paths) {
            let path = self.canonical_pattern(&path);
            let is_type = path.segments.last().is_some_and(|name| name.starts_with(char::is_uppercase));
            let opens = is_type && matches!(entry.role, Role::Client | Role::Local { .. });
            self.paths.insert(&path, opens, id);
        }
        self.macros.extend(entry.macros.iter().map(|name| (name.clone(), id)));
        let on: Vec<Pattern> = patterns(&entry.on).map(|path| self.canonical_pattern(&path)).collect();
        for name in &entry.methods {
            let named = self.methods.entry(name.clone()).or_default();
            if entry.on.is_empty() {
                // The later table counts, as with paths.
                named.any.insert(0, id);
            }
            named.on.extend(on.iter().map(|pattern| (pattern.clone(), id)));
        }
    }

    fn canonical_pattern(&self, pattern: &Pattern) -> Pattern {
        Pattern { segments: self.canonical(&pattern.segments).into_owned(), below: pattern.below }
    }

    /// Client crates are those with remote calls, and those listed, without the neutral ones.
    fn know_crates(&mut self, crates: Crates) {
        let remote =
            self.entries.iter().filter(|entry| matches!(entry.role, Role::Client | Role::Remote { .. }));
        let named = remote.flat_map(|entry| patterns(&entry.paths).chain(patterns(&entry.on)));
        let mut clients: HashSet<String> = named.map(|path| path.root().to_owned()).collect();
        clients.extend(crates.clients);
        for name in crates.neutral {
            clients.remove(&name);
        }
        for name in clients {
            match name.strip_suffix('*') {
                Some(family) => self.client_families.push(family.to_owned()),
                None => drop(self.client_crates.insert(name)),
            }
        }
        self.client_families.sort();
    }

    /// What names say alone, the vague ones apart.
    fn know_names(&mut self, vague: Vague) {
        self.tails = tails(&self.entries);
        for name in vague.functions {
            self.tails.remove(&name);
        }
        let vague: HashSet<String> = vague.methods.into_iter().collect();
        for (_, named) in self.methods.iter_mut().filter(|(name, _)| !vague.contains(*name)) {
            named.together = together(named, &self.entries);
        }
    }
}

fn patterns(paths: &[String]) -> impl Iterator<Item = Pattern> {
    // They were checked when their table was read.
    paths.iter().filter_map(|path| Pattern::parse(path).ok())
}

/// What all entries of a name say, where they say one thing.
fn tails(entries: &[Entry]) -> HashMap<String, Entry> {
    let mut roles: BTreeMap<String, Vec<&Role>> = BTreeMap::new();
    for entry in entries {
        for path in patterns(&entry.paths).filter(|path| !path.below) {
            let [before @ .., module, name] = path.segments.as_slice() else { continue };
            // `new` of a type says nothing without the type; a free function's name does.
            if module.starts_with(char::is_lowercase) && name.starts_with(char::is_lowercase) {
                roles.entry(name.clone()).or_default().push(&entry.role);
            }
            if !before.is_empty() {
                roles.entry(format!("{module}::{name}")).or_default().push(&entry.role);
            }
        }
    }
    let named = |(name, roles): (String, Vec<&Role>)| Some((name, nameless(agreed(roles)?, None)));
    roles.into_iter().filter_map(named).collect()
}

fn together(named: &Named, entries: &[Entry]) -> Vec<(Option<usize>, Entry)> {
    let all: Vec<&Entry> = named.on.iter().filter_map(|(_, id)| entries.get(*id as usize)).collect();
    let mut numbers: Vec<Option<usize>> = all.iter().map(|entry| entry.args).chain([None]).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let said = |number: Option<usize>| {
        let takes = |entry: &&&Entry| entry.args.is_none() || entry.args == number;
        let role = agreed(all.iter().filter(takes).map(|entry| &entry.role))?;
        Some((number, nameless(role, number)))
    };
    numbers.into_iter().filter_map(said).collect()
}

fn nameless(role: Role, args: Option<usize>) -> Entry {
    Entry { paths: vec![], methods: vec![], on: vec![], macros: vec![], certain: false, args, role }
}
