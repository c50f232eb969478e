//! Reads the tables of `rules/vocabulary` and answers what a path, method, macro or type means.
//! A table is trusted with nothing: an unknown key, word or path is an error with its place, never skipped.

use std::sync::OnceLock;

use include_dir::{Dir, include_dir};
use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::checks;
use super::code::Code;
use super::entry::{Entry, METHODS, Role};
use super::libraries::Libraries;
use super::lookup::Knowledge;
use super::paths::Pattern;
use super::table::{Fields, Mistake, Tagged, read};
use super::words::Words;

static RULES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/rules");

/// A table that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {what}{}", meant.as_ref().map(|word| format!("; did you mean `{word}`?")).unwrap_or_default())]
pub struct LoadError {
    /// The table's file.
    pub file: String,
    /// The line of the mistake, from 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
    /// The nearest valid word.
    pub meant: Option<String>,
}

/// What one file says.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    /// Entries, in the order of the file.
    pub(crate) calls: Vec<Entry>,
    /// Code that fixes write, in the order of the file.
    pub(crate) code: Vec<Code>,
    /// Crates that reach a remote side, and those that have sockets among much else.
    pub(crate) crates: Crates,
    /// Paths that are another path's re-export.
    pub(crate) same: Vec<(Pattern, Vec<String>)>,
    /// Names that say nothing by themselves.
    pub(crate) vague: Vague,
    /// Telling words.
    pub(crate) words: Words,
    /// Telling addresses.
    pub(crate) addresses: Addresses,
}

/// Addresses that tell where something runs, as they stand in texts.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Addresses {
    /// This machine's own.
    pub(crate) this_machine: Vec<String>,
}

/// Names that too many things have.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Vague {
    /// Of functions without a path.
    pub(crate) functions: Vec<String>,
    /// Of methods without a known receiver.
    pub(crate) methods: Vec<String>,
}

/// What depending on a crate says.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Crates {
    /// They reach a remote side, besides those whose calls are listed.
    pub(crate) clients: Vec<String>,
    /// Runtimes and toolboxes: some of their calls reach a remote side, but depending on them says nothing.
    pub(crate) neutral: Vec<String>,
    /// Types whose requests are tried again by the crate itself, unless it is told not to.
    pub(crate) retrying: Vec<String>,
}

impl Knowledge {
    /// The vocabulary that the program carries; read once.
    pub fn builtin() -> Result<&'static Self, LoadError> {
        static BUILTIN: OnceLock<Result<Knowledge, LoadError>> = OnceLock::new();
        BUILTIN.get_or_init(|| Self::with([], [])).as_ref().map_err(Clone::clone)
    }

    /// What the program carries, and more tables of vocabulary and of libraries, as name and text. Of two entries for one path the later
    /// counts: a project's own goes before the program's.
    pub fn with<'f>(
        vocabulary: impl IntoIterator<Item = (&'f str, &'f str)>,
        libraries: impl IntoIterator<Item = (&'f str, &'f str)>,
    ) -> Result<Self, LoadError> {
        let mut files: Vec<(&str, &str)> = files_in("vocabulary").collect();
        files.extend(vocabulary);
        let mut known = Self::load(files)?;
        let mut files: Vec<(&str, &str)> = files_in("libraries").collect();
        files.extend(libraries);
        known.libraries = Libraries::load(files)?;
        Ok(known)
    }

    /// The files that the program carries, as name and text: a start for those who add tables of their own.
    pub fn builtin_files() -> impl Iterator<Item = (&'static str, &'static str)> {
        files_in("vocabulary")
    }

    /// The vocabulary of these files, as name and text. Of two entries for one path the later counts.
    pub fn load<N: AsRef<str>, T: AsRef<str>>(
        files: impl IntoIterator<Item = (N, T)>,
    ) -> Result<Self, LoadError> {
        let tables: Result<Vec<_>, _> =
            files.into_iter().map(|(name, text)| read_file(name.as_ref(), text.as_ref())).collect();
        Ok(Self::from_tables(tables?))
    }
}

/// The tables in a folder of `rules`.
fn files_in(folder: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    RULES.get_dir(folder).into_iter().flat_map(Dir::files).filter_map(|file| {
        let is_table = file.path().extension().is_some_and(|extension| extension == "toml");
        Some((file.path().to_str().filter(|_| is_table)?, file.contents_utf8()?))
    })
}

/// Reads one file of the vocabulary.
pub(crate) fn read_file(name: &str, text: &str) -> Result<Tables, LoadError> {
    in_file(name, text, tables)
}

/// Reads one file, and gives its mistakes their line.
pub(crate) fn in_file<T>(
    name: &str,
    text: &str,
    read: impl FnOnce(&DeTable<'_>) -> Result<T, Mistake>,
) -> Result<T, LoadError> {
    let document = DeTable::parse(text).map_err(|error| LoadError {
        file: name.to_owned(),
        line: line_of(text, error.span().map_or(0, |span| span.start)),
        what: error.message().to_owned(),
        meant: None,
    })?;
    read(document.get_ref()).map_err(|mistake| LoadError {
        file: name.to_owned(),
        line: line_of(text, mistake.at.as_ref().map_or(0, |at| at.start)),
        meant: mistake.nearest(&[]).map(str::to_owned),
        what: mistake.what,
    })
}

fn line_of(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}

const SECTIONS: &[&str] = &["addresses", "call", "code", "crates", "same", "vague", "words"];

fn tables(document: &DeTable<'_>) -> Result<Tables, Mistake> {
    let mut tables = Tables::default();
    for (key, value) in document {
        match key.get_ref().as_ref() {
            "addresses" => tables.addresses = read(value)?,
            "call" => tables.calls = calls(value)?,
            "code" => tables.code = code(value)?,
            "crates" => {
                tables.crates = read(value)?;
                inside(value, |table| checks::are_crates(table, &["clients", "neutral"], true))?;
            }
            "same" => tables.same = same(value)?,
            "vague" => {
                tables.vague = read(value)?;
                inside(value, |table| checks::are_names(table, &["functions", "methods"]))?;
            }
            "words" => {
                tables.words = read(value)?;
                inside(value, checks::are_words)?;
            }
            other => {
                return Err(Mistake {
                    at: Some(key.span()),
                    what: format!("unknown section `{other}`"),
                    meant: Some((other.to_owned(), SECTIONS)),
                });
            }
        }
    }
    Ok(tables)
}

fn same(value: &Spanned<DeValue<'_>>) -> Result<Vec<(Pattern, Vec<String>)>, Mistake> {
    let Some(pairs) = value.get_ref().as_table() else {
        return Err(Mistake::new(value.span(), "expected `[same]`, a table of paths"));
    };
    let mut same = Vec::new();
    for (path, stands_for) in pairs {
        let target: String = read(stands_for)?;
        let path = Pattern::parse(path.get_ref()).map_err(|what| Mistake::new(path.span(), what))?;
        let target = Pattern::parse(&target).map_err(|what| Mistake::new(stands_for.span(), what))?;
        same.push((path, target.segments));
    }
    Ok(same)
}

/// Checks what a table holds; that it is one, whoever read it has seen.
fn inside(
    value: &Spanned<DeValue<'_>>,
    check: impl FnOnce(&DeTable<'_>) -> Result<(), Mistake>,
) -> Result<(), Mistake> {
    value.get_ref().as_table().map_or(Ok(()), check)
}

fn calls(value: &Spanned<DeValue<'_>>) -> Result<Vec<Entry>, Mistake> {
    let Some(items) = value.get_ref().as_array() else {
        return Err(Mistake::new(value.span(), "expected `[[call]]`, a list of tables"));
    };
    items.iter().map(|item| entry(item).map_err(|mistake| mistake.or_at(&item.span()))).collect()
}

fn code(value: &Spanned<DeValue<'_>>) -> Result<Vec<Code>, Mistake> {
    let Some(items) = value.get_ref().as_array() else {
        return Err(Mistake::new(value.span(), "expected `[[code]]`, a list of tables"));
    };
    let mut all = Vec::new();
    for item in items {
        let code: Code = read(item).map_err(|mistake| mistake.or_at(&item.span()))?;
        if !checks::is_name(&code.krate) {
            let what = format!("`{}` is no crate's name as code writes it: `-` is written `_`", code.krate);
            return Err(Mistake::new(item.span(), what));
        }
        all.push(code);
    }
    Ok(all)
}

/// The keys of an entry that do not belong to its role.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct Names {
    paths: Vec<String>,
    methods: Vec<String>,
    on: Vec<String>,
    macros: Vec<String>,
    certain: bool,
    args: Option<usize>,
}

const NAMES: &[&str] = &["paths", "methods", "on", "macros", "certain", "args", "role"];

fn entry(item: &Spanned<DeValue<'_>>) -> Result<Entry, Mistake> {
    let Some(table) = item.get_ref().as_table() else {
        return Err(Mistake::new(item.span(), "expected a table"));
    };
    let own = |key: &str| NAMES.contains(&key);
    let names = Fields::only(table, |key| own(key) && key != "role");
    let names = Names::deserialize(serde::de::value::MapAccessDeserializer::new(names))?;
    let tag = table.get("role").ok_or_else(|| Mistake::new(item.span(), "`role` is missing"))?;
    let role = Role::deserialize(Tagged { tag, fields: Fields::only(table, |key| !own(key)) })
        .map_err(|mistake| of_role(mistake, tag))?;
    let Names { paths, methods, on, macros, certain, args } = names;
    let entry = Entry { paths, methods, on, macros, certain, args, role };
    check(&entry, table)?;
    Ok(entry)
}

/// Says whose key is unknown or missing, and lets the keys that every entry has be meant as well.
fn of_role(mut mistake: Mistake, tag: &Spanned<DeValue<'_>>) -> Mistake {
    let misspelt_role = mistake.at.as_ref() == Some(&tag.span());
    if misspelt_role {
        return mistake;
    }
    if let Some(role) = tag.get_ref().as_str() {
        mistake.what = format!("{} in a call of role `{role}`", mistake.what);
    }
    let key = mistake.nearest(NAMES);
    if let (Some(key), Some((_, valid))) = (key, &mut mistake.meant)
        && !valid.contains(&key)
    {
        *valid = NAMES;
    }
    mistake.or_at(&tag.span())
}

/// What serde cannot know: an entry names something, its paths are paths, and its keys do not contradict each other.
fn check(entry: &Entry, table: &DeTable<'_>) -> Result<(), Mistake> {
    let at = |key: &str| table.get(key).or(table.get("role")).map_or(0..0, Spanned::span);
    if entry.paths.is_empty() && entry.methods.is_empty() && entry.macros.is_empty() {
        return Err(Mistake::new(
            at("role"),
            "the call names nothing: `paths`, `methods` or `macros` is missing",
        ));
    }
    for (key, set) in
        [("on", !entry.on.is_empty()), ("args", entry.args.is_some()), ("certain", entry.certain)]
    {
        if set && entry.methods.is_empty() {
            return Err(Mistake::new(
                at(key),
                format!("`{key}` speaks of methods, and there are no `methods`"),
            ));
        }
    }
    if entry.certain && !entry.on.is_empty() {
        return Err(Mistake::new(
            at("certain"),
            "`certain` says that the name alone decides, `on` that it does not",
        ));
    }
    for (key, paths) in [("paths", &entry.paths), ("on", &entry.on)] {
        for (position, path) in paths.iter().enumerate() {
            Pattern::parse(path).map_err(|what| Mistake::new(item_at(table, key, position), what))?;
        }
    }
    for (key, names) in [("methods", &entry.methods), ("macros", &entry.macros)] {
        if let Some(position) =
            names.iter().position(|name| name.is_empty() || name.contains([':', '!', '(', '.']))
        {
            return Err(Mistake::new(item_at(table, key, position), "a name of one segment was expected"));
        }
    }
    check_role(&entry.role, &at)
}

/// Words and numbers of a role that serde takes as they come.
fn check_role(role: &Role, at: &dyn Fn(&str) -> std::ops::Range<usize>) -> Result<(), Mistake> {
    match role {
        Role::Remote { method: Some(method), .. } if !METHODS.contains(&method.as_str()) => Err(Mistake {
            at: Some(at("method")),
            what: format!("unknown word `{method}`"),
            meant: Some((method.to_ascii_uppercase(), METHODS)),
        }),
        Role::Predicate { statuses, .. } if statuses.iter().any(|[from, to]| from > to) => Err(Mistake::new(
            at("statuses"),
            "`statuses` are pairs of a first and a last status, lower first",
        )),
        _ => Ok(()),
    }
}

fn item_at(table: &DeTable<'_>, key: &str, position: usize) -> std::ops::Range<usize> {
    let list = table.get(key);
    let item = list.and_then(|list| list.get_ref().as_array()).and_then(|items| items.get(position));
    item.or(list).map_or(0..0, Spanned::span)
}
