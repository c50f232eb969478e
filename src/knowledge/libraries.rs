//! Reads the tables of `rules/libraries`: which paths build a crate's retry policy, what its setters change, and which calls run it.
//! Data only, as the vocabulary is: a table that says something unknown is an error with its place, never skipped.

use std::collections::HashMap;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::entry::Unit;
use super::load::{LoadError, in_file};
use super::table::{Mistake, read};

/// Every library's table, indexed by path.
#[derive(Clone, Debug, Default)]
pub struct Libraries {
    tables: Vec<Library>,
    policies: HashMap<String, (usize, usize)>,
    structs: HashMap<String, (usize, usize)>,
    drivers: HashMap<String, (usize, usize)>,
    crates: HashMap<String, usize>,
    /// What holds of every value of a type, however it was built.
    types: HashMap<String, Option<(Grows, Shakes)>>,
}

/// What one table says.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// The crate's name, `-` written `_`, and other names under which its types are known.
    pub crates: Vec<String>,
    /// What builds a policy.
    pub policies: Vec<Policy>,
    /// What changes one that is being built.
    pub setters: Vec<Setter>,
    /// What runs one.
    pub drivers: Vec<Driver>,
    /// How an operation says that an error is not to be tried again.
    pub errors: Markers,
}

/// Paths that build a policy, and what it is unless setters say otherwise.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Functions that build it.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Its types, where it may be written as a struct.
    #[serde(default)]
    pub structs: Vec<String>,
    /// How the delay changes; absent: nobody can tell.
    pub growth: Option<Grows>,
    /// Its random part; absent: nobody can tell.
    pub jitter: Option<Shakes>,
    /// The first delay, seconds.
    pub first_s: Option<f64>,
    /// The largest delay, seconds; absent: no limit.
    pub cap_s: Option<f64>,
    /// The ratio of one delay to the one before.
    pub factor: Option<f64>,
    /// Attempts after the first; absent: any number.
    pub retries: Option<f64>,
    /// There is a limit on the whole time.
    #[serde(default)]
    pub deadline: bool,
    /// It tells delays only; something else counts the attempts.
    #[serde(default)]
    pub delays_only: bool,
    /// What each argument sets.
    #[serde(default)]
    pub args: Vec<Sets>,
    /// In what unit arguments that are times are given.
    #[serde(default)]
    pub unit: Unit,
    /// Which argument is the operation, where building it runs it too.
    pub operation: Option<usize>,
    /// Which errors it tries again, where building it runs it too.
    pub errors: Option<Retried>,
}

/// Methods, or fields of a policy's struct, that change a policy.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setter {
    /// Methods by name.
    #[serde(default)]
    pub methods: Vec<String>,
    /// Fields by name.
    #[serde(default)]
    pub fields: Vec<String>,
    /// What each argument (a field: its value) sets.
    #[serde(default)]
    pub sets: Vec<Sets>,
    /// In what unit arguments that are times are given.
    #[serde(default)]
    pub unit: Unit,
    /// How the delay changes from here on.
    pub growth: Option<Grows>,
    /// Its random part from here on.
    pub jitter: Option<Shakes>,
    /// Limits that it takes away.
    #[serde(default)]
    pub without: Vec<Limit>,
}

/// What runs a policy.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Driver {
    /// Functions by full path.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Methods by name, of this crate's types or with one as the argument.
    #[serde(default)]
    pub methods: Vec<String>,
    /// Which argument is the policy; absent: the receiver.
    pub policy: Option<usize>,
    /// Which argument is the operation; absent: the receiver.
    pub operation: Option<usize>,
    /// Which errors it tries again.
    pub errors: Retried,
    /// Which argument picks the errors: a predicate, or a value of a type with the method that is asked.
    pub predicate: Option<usize>,
    /// That method.
    pub predicate_method: Option<String>,
    /// Methods called on it later that tell errors apart.
    #[serde(default)]
    pub filters: Vec<String>,
    /// Methods called on it later that may change the delays or their number.
    #[serde(default)]
    pub adjusts: Vec<String>,
    /// It sleeps on the thread.
    #[serde(default)]
    pub blocking: bool,
    /// It is a middleware of remote calls and of nothing else.
    #[serde(default)]
    pub remote: bool,
    /// How the delays change, whatever policy it is given.
    pub growth: Option<Grows>,
    /// Their random part, whatever policy it is given.
    pub jitter: Option<Shakes>,
    /// Every policy that it may be given ends after some attempts.
    #[serde(default)]
    pub bounded: bool,
}

/// How an operation says that an error is not to be tried again.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Markers {
    /// Paths that make such an error.
    pub permanent: Vec<String>,
    /// Methods that make one.
    pub permanent_methods: Vec<String>,
    /// Paths that make one that is tried again.
    pub transient: Vec<String>,
}

/// How a delay changes.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Grows {
    /// There is none.
    None,
    /// It does not.
    Constant,
    /// By a constant difference.
    Linear,
    /// By a constant ratio.
    Exponential,
    /// As the sum of the last two.
    Fibonacci,
    /// Nobody can tell.
    Unknown,
}

/// The random part of a delay.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Shakes {
    /// None.
    None,
    /// From zero to the delay.
    Full,
    /// Added to the delay.
    Additive,
    /// A share of the delay, up or down.
    Proportional,
    /// Nobody can tell.
    Unknown,
}

/// What an argument sets.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Sets {
    /// The first delay.
    First,
    /// The first delay in milliseconds, and the ratio as the same number.
    Base,
    /// What the first delay is multiplied with.
    Scale,
    /// The ratio of one delay to the one before.
    Factor,
    /// The largest delay; `None` or absent for no limit.
    Cap,
    /// The most attempts after the first; `None` for any number.
    Retries,
    /// The most attempts.
    Calls,
    /// A limit on the whole time; `None` for none.
    Deadline,
    /// Whether there is full jitter, as a boolean.
    JitterIf,
    /// The share of the delay that is random; 0 for none.
    Share,
    /// A variant that is called after its jitter: `None`, `Full`.
    JitterNamed,
    /// A function from delay to delay.
    Map,
    /// A function from the attempt's number, from 1 on, to the delay.
    DelayOfAttempt,
    /// Nothing that matters here.
    Nothing,
}

/// A limit that a setter takes away.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// On one delay.
    Cap,
    /// On the attempts.
    Retries,
    /// On the whole time.
    Deadline,
}

/// Which errors are tried again.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Retried {
    /// Every one.
    All,
    /// Those that the operation does not mark as permanent.
    Marked,
    /// Those that a predicate picks.
    Picked,
    /// By the HTTP status, as the crate has it: no client errors but those that pass.
    Status,
    /// Nobody can tell.
    Unknown,
}

impl Libraries {
    /// The tables of these files, as name and text.
    pub fn load<N: AsRef<str>, T: AsRef<str>>(
        files: impl IntoIterator<Item = (N, T)>,
    ) -> Result<Self, LoadError> {
        let mut made = Self::default();
        for (name, text) in files {
            let table = in_file(name.as_ref(), text.as_ref(), library)?;
            made.add(table);
        }
        Ok(made)
    }

    /// The library that builds a policy with this function, and the policy.
    pub fn built_by(&self, path: &[String]) -> Option<(&Library, &Policy)> {
        self.policy(self.policies.get(&path.join("::"))?)
    }

    /// The library whose policy this struct is, and the policy.
    pub fn written_as(&self, path: &[String]) -> Option<(&Library, &Policy)> {
        self.policy(self.structs.get(&path.join("::"))?)
    }

    /// The library that runs a policy with this function, and how.
    pub fn run_by(&self, path: &[String]) -> Option<(&Library, &Driver)> {
        let (table, driver) = self.drivers.get(&path.join("::"))?;
        let table = self.tables.get(*table)?;
        Some((table, table.drivers.get(*driver)?))
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

    fn add(&mut self, table: Library) {
        let at = self.tables.len();
        self.crates.extend(table.crates.iter().map(|name| (name.clone(), at)));
        for (number, policy) in table.policies.iter().enumerate() {
            self.policies.extend(policy.paths.iter().map(|path| (path.clone(), (at, number))));
            self.structs.extend(policy.structs.iter().map(|path| (path.clone(), (at, number))));
        }
        self.add_types(&table);
        for (number, driver) in table.drivers.iter().enumerate() {
            self.drivers.extend(driver.paths.iter().map(|path| (path.clone(), (at, number))));
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
        for policy in &table.policies {
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

impl Library {
    /// What a method changes.
    pub fn setter(&self, method: &str) -> Option<&Setter> {
        self.setters.iter().find(|setter| setter.methods.iter().any(|name| name == method))
    }

    /// What a field changes.
    pub fn field(&self, field: &str) -> Option<&Setter> {
        self.setters.iter().find(|setter| setter.fields.iter().any(|name| name == field))
    }

    /// How a method runs a policy.
    pub fn run_by_method(&self, method: &str) -> Option<&Driver> {
        self.drivers.iter().find(|driver| driver.methods.iter().any(|name| name == method))
    }
}

const SECTIONS: &[&str] = &["crates", "policy", "setter", "driver", "errors"];

fn library(document: &DeTable<'_>) -> Result<Library, Mistake> {
    let mut made = Library::default();
    for (key, value) in document {
        match key.get_ref().as_ref() {
            "crates" => made.crates = read(value)?,
            "policy" => made.policies = list(value)?,
            "setter" => made.setters = list(value)?,
            "driver" => made.drivers = list(value)?,
            "errors" => made.errors = read(value)?,
            other => {
                return Err(Mistake {
                    at: Some(key.span()),
                    what: format!("unknown section `{other}`"),
                    meant: Some((other.to_owned(), SECTIONS)),
                });
            }
        }
    }
    if made.crates.is_empty() {
        return Err(Mistake::new(0..0, "`crates` is missing: whose table is this?"));
    }
    Ok(made)
}

fn list<'a, T: Deserialize<'a>>(value: &'a Spanned<DeValue<'_>>) -> Result<Vec<T>, Mistake> {
    let Some(items) = value.get_ref().as_array() else {
        return Err(Mistake::new(value.span(), "expected `[[…]]`, a list of tables"));
    };
    items.iter().map(|item| read(item).map_err(|mistake: Mistake| mistake.or_at(&item.span()))).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn mistake(text: &str) -> String {
        Libraries::load([("libraries/a.toml", text)]).unwrap_err().to_string()
    }

    #[test]
    fn a_broken_table_says_where() {
        let text = "crates = [\"a\"]\n[[policy]]\npaths = [\"a::new\"]\ngrowth = \"exponental\"\n";
        assert_eq!(
            mistake(text),
            "libraries/a.toml:4: unknown word `exponental`; did you mean `exponential`?"
        );
        let text = "crates = [\"a\"]\n\n[[setter]]\nmethod = [\"with\"]\n";
        assert_eq!(mistake(text), "libraries/a.toml:4: unknown key `method`; did you mean `methods`?");
        let text = "crates = [\"a\"]\n[[driver]]\npaths = [\"a::run\"]\n";
        assert_eq!(mistake(text), "libraries/a.toml:2: `errors` is missing");
        assert_eq!(
            mistake("crates = [\"a\"]\n[[polices]]\n"),
            "libraries/a.toml:2: unknown section `polices`; did you mean `policy`?"
        );
        assert_eq!(mistake("[[policy]]\n"), "libraries/a.toml:1: `crates` is missing: whose table is this?");
    }

    #[test]
    fn paths_are_found() {
        let text = "crates = [\"a\"]\n[[policy]]\npaths = [\"a::B::new\"]\nstructs = [\"a::B\"]\nretries = 3\n[[setter]]\nmethods = [\"cap\"]\nfields = [\"max\"]\nsets = [\"cap\"]\n";
        let known = Libraries::load([("a.toml", text)]).unwrap();
        let path = |text: &str| text.split("::").map(str::to_owned).collect::<Vec<_>>();
        let (library, policy) = known.built_by(&path("a::B::new")).unwrap();
        assert_eq!(policy.retries, Some(3.0));
        assert_eq!(library.setter("cap").unwrap().sets, [Sets::Cap]);
        assert!(library.field("max").is_some() && library.field("cap").is_none());
        assert!(known.written_as(&path("a::B")).is_some() && known.built_by(&path("a::B")).is_none());
    }
}
