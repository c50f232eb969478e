//! The tables of `rules/libraries`: which paths build a crate's retry policy, what its setters change, and which calls run it.
//! Data only, as the vocabulary is: a table that says something unknown is an error with its place, never skipped.

mod entries;
mod holding;
mod read;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use semver::VersionReq;

use super::load::{LoadError, in_file};

pub use entries::{
    Changes, Decisions, Driver, Grows, Library, Limit, Markers, Policy, Retried, Sets, Setter, Shakes,
};

/// Every library's table, indexed by path.
#[derive(Clone, Debug, Default)]
pub struct Libraries {
    /// The tables as they were read, for all versions.
    told: Arc<Vec<Library>>,
    /// What of them holds.
    tables: Vec<Library>,
    policies: HashMap<String, (usize, usize)>,
    structs: HashMap<String, (usize, usize)>,
    drivers: HashMap<String, (usize, usize)>,
    /// Macros that build a policy, and those that run one.
    building_macros: HashMap<String, (usize, usize)>,
    running_macros: HashMap<String, (usize, usize)>,
    /// Attributes that have a function retried.
    attributes: HashMap<String, (usize, usize)>,
    /// Methods that make a policy, and the tables whose drivers have a method of a name.
    made_by: HashMap<String, Vec<(usize, usize)>>,
    run_by: HashMap<String, Vec<usize>>,
    /// What structs of policies are called.
    struct_names: HashSet<String>,
    crates: HashMap<String, usize>,
    /// What holds of every value of a type, however it was built.
    types: HashMap<String, Option<(Grows, Shakes)>>,
}

impl Libraries {
    /// The tables of these files, as name and text.
    pub fn load<N: AsRef<str>, T: AsRef<str>>(
        files: impl IntoIterator<Item = (N, T)>,
    ) -> Result<Self, LoadError> {
        let told: Result<Vec<Library>, LoadError> = files
            .into_iter()
            .map(|(name, text)| in_file(name.as_ref(), text.as_ref(), read::library))
            .collect();
        Ok(Self::of(&Arc::new(told?), &|_| Vec::new()))
    }

    /// The same tables for a package: of each entry only what holds for the versions that its crates may have there (empty: any).
    /// `None` where that makes no difference. `used`: whether the package may use a crate at all, which is asked first.
    pub fn for_versions(
        &self,
        used: &dyn Fn(&str) -> bool,
        of: &dyn Fn(&str) -> Vec<VersionReq>,
    ) -> Option<Self> {
        let matters = self.told.iter().any(|table| {
            holding::differs(table)
                && table.crates.iter().any(|name| used(name))
                && table.crates.iter().any(|name| !of(name).is_empty())
        });
        matters.then(|| Self::of(&self.told, of))
    }

    fn of(told: &Arc<Vec<Library>>, of: &dyn Fn(&str) -> Vec<VersionReq>) -> Self {
        let mut made = Self { told: Arc::clone(told), ..Self::default() };
        for table in told.iter() {
            made.add(holding::in_force(table, of));
        }
        made
    }

    /// The library that builds a policy with this function, and the policy.
    pub fn built_by(&self, path: &[String]) -> Option<(&Library, &Policy)> {
        self.policy(self.policies.get(&path.join("::"))?)
    }

    /// The library whose policy this struct is, and the policy.
    pub fn written_as(&self, path: &[String]) -> Option<(&Library, &Policy)> {
        self.policy(self.structs.get(&path.join("::"))?)
    }

    /// The library whose policy a macro builds, and the policy.
    pub fn built_by_macro(&self, path: &[String]) -> Option<(&Library, &Policy)> {
        self.policy(self.building_macros.get(&path.join("::"))?)
    }

    /// The library of which an attribute has a function retried, and the policy.
    pub fn retried_by(&self, path: &[String]) -> Option<(&Library, &Policy)> {
        self.policy(self.attributes.get(&path.join("::"))?)
    }

    /// The libraries that make something a policy by this method, and the policies.
    pub fn made_by(&self, method: &str) -> impl Iterator<Item = (&Library, &Policy)> {
        self.made_by.get(method).into_iter().flatten().filter_map(|at| self.policy(at))
    }

    /// Whether the struct of some policy has this name.
    pub fn names_struct(&self, name: &str) -> bool {
        self.struct_names.contains(name)
    }

    /// The library that runs a policy with a macro, and how.
    pub fn run_by_macro(&self, path: &[String]) -> Option<(&Library, &Driver)> {
        self.driver(self.running_macros.get(&path.join("::"))?)
    }

    /// The libraries that run policies with this method, and how.
    pub fn run_by_method(&self, method: &str) -> impl Iterator<Item = (&Library, &Driver)> {
        let tables = self.run_by.get(method).into_iter().flatten();
        tables
            .filter_map(|table| self.tables.get(*table))
            .filter_map(move |table| Some((table, table.run_by_method(method)?)))
    }

    /// The library that runs a policy with this function, and how.
    pub fn run_by(&self, path: &[String]) -> Option<(&Library, &Driver)> {
        self.driver(self.drivers.get(&path.join("::"))?)
    }

    /// The library of a crate's name, `-` written `_`.
    pub fn of_crate(&self, name: &str) -> Option<&Library> {
        self.tables.get(*self.crates.get(name)?)
    }

    /// How every policy of a type grows, and how it is spread, whoever built it.
    pub fn of_type(&self, path: &[String]) -> Option<(Grows, Shakes)> {
        *self.types.get(&path.join("::"))?
    }

    /// Every table.
    pub fn tables(&self) -> &[Library] {
        &self.tables
    }

    fn policy(&self, (table, policy): &(usize, usize)) -> Option<(&Library, &Policy)> {
        let table = self.tables.get(*table)?;
        Some((table, table.policies.get(*policy)?))
    }

    fn driver(&self, (table, driver): &(usize, usize)) -> Option<(&Library, &Driver)> {
        let table = self.tables.get(*table)?;
        Some((table, table.drivers.get(*driver)?))
    }

    fn add(&mut self, table: Library) {
        let at = self.tables.len();
        self.crates.extend(table.crates.iter().map(|name| (name.clone(), at)));
        for (number, policy) in table.policies.iter().enumerate() {
            self.policies.extend(policy.paths.iter().map(|path| (path.clone(), (at, number))));
            self.structs.extend(policy.structs.iter().map(|path| (path.clone(), (at, number))));
            self.building_macros.extend(policy.macros.iter().map(|path| (path.clone(), (at, number))));
            self.attributes.extend(policy.attributes.iter().map(|path| (path.clone(), (at, number))));
            let last = |path: &String| path.rsplit("::").next().unwrap_or_default().to_owned();
            self.struct_names.extend(policy.structs.iter().map(last));
            for method in &policy.methods {
                self.made_by.entry(method.clone()).or_default().push((at, number));
            }
        }
        self.add_types(&table);
        for (number, driver) in table.drivers.iter().enumerate() {
            self.drivers.extend(driver.paths.iter().map(|path| (path.clone(), (at, number))));
            self.running_macros.extend(driver.macros.iter().map(|path| (path.clone(), (at, number))));
            for method in &driver.methods {
                let tables = self.run_by.entry(method.clone()).or_default();
                tables.retain(|table| *table != at);
                tables.push(at);
            }
        }
        self.tables.push(table);
    }
}

impl Libraries {
    /// A type's policies are alike where its constructors agree and no setter changes it afterwards.
    fn add_types(&mut self, table: &Library) {
        let changes = |setter: &Setter| {
            setter.growth.is_some()
                || setter.jitter.is_some()
                || setter
                    .sets
                    .iter()
                    .any(|sets| matches!(sets, Sets::JitterIf | Sets::Share | Sets::JitterNamed))
        };
        if table.setters.iter().any(changes) {
            return;
        }
        // what nobody can change is not asked for its delays
        for policy in table.policies.iter().filter(|policy| !policy.fixed) {
            let known = policy.growth.zip(policy.jitter);
            let built = policy.paths.iter().filter_map(|path| path.rsplit_once("::")).map(|(ty, _)| ty);
            for ty in built.chain(policy.structs.iter().map(String::as_str)) {
                let named_as_types = |last: &str| last.starts_with(char::is_uppercase);
                if !ty.rsplit("::").next().is_some_and(named_as_types) {
                    continue;
                }
                let held = self.types.entry(ty.to_owned()).or_insert(known);
                if *held != known {
                    *held = None;
                }
            }
        }
    }
}
