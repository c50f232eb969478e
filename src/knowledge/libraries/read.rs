//! Reads a library's table, and says what is wrong with one: file, line, and the nearest word that would have been right.

use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::super::checks;
use super::super::table::{Mistake, read};
use super::holding::Entry;
use super::{Driver, Library, Policy, Setter};

const SECTIONS: &[&str] = &[
    "crates",
    "runs",
    "in_place",
    "properties",
    "unmaintained",
    "policy",
    "setter",
    "driver",
    "errors",
    "decisions",
];

/// What one file says.
pub(super) fn library(document: &DeTable<'_>) -> Result<Library, Mistake> {
    let mut made = Library::default();
    for (key, value) in document {
        match key.get_ref().as_ref() {
            "crates" => {
                made.crates = read(value)?;
                checks::are_crates(document, &["crates"], false)?;
            }
            "runs" => {
                made.runs = read(value)?;
                checks::are_crates(document, &["runs"], false)?;
            }
            "in_place" => made.in_place = read(value)?,
            "properties" => {
                made.properties = read(value)?;
                checks::are_names(document, &["properties"])?;
            }
            "unmaintained" => made.unmaintained = Some(read(value)?),
            "policy" => {
                let told = list(value, check_policy)?;
                told.iter().try_for_each(|(policy, at)| does_not_shrink(policy, at))?;
                made.policies = each_once(told)?;
            }
            "setter" => made.setters = each_once(list(value, check_setter)?)?,
            "driver" => made.drivers = each_once(list(value, check_driver)?)?,
            "errors" => {
                made.errors = read(value)?;
                value.get_ref().as_table().map_or(Ok(()), check_errors)?;
            }
            "decisions" => {
                made.decisions = read(value)?;
                let paths = |table| checks::are_paths(table, &["waits", "at_once", "gives_up"]);
                value.get_ref().as_table().map_or(Ok(()), paths)?;
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
    if made.crates.is_empty() {
        return Err(Mistake::new(0..0, "`crates` is missing: whose table is this?"));
    }
    Ok(made)
}

fn check_policy(table: &DeTable<'_>) -> Result<(), Mistake> {
    checks::names_something(table, Policy::LISTS, "policy")?;
    checks::are_paths(table, &["paths", "structs", "macros", "attributes"])?;
    checks::are_names(table, &["methods"])?;
    checks::are_sizes(table, &["first_s", "cap_s", "factor"])?;
    checks::is_count(table, "retries")
}

fn check_setter(table: &DeTable<'_>) -> Result<(), Mistake> {
    checks::names_something(table, Setter::LISTS, "setter")?;
    checks::are_paths(table, &["paths"])?;
    checks::are_names(table, &["methods", "fields"])?;
    checks::are_sizes(table, &["first_s", "cap_s"])?;
    checks::are_keys(table, &["keys"])
}

fn check_driver(table: &DeTable<'_>) -> Result<(), Mistake> {
    checks::names_something(table, Driver::LISTS, "driver")?;
    checks::are_paths(table, &["paths", "macros"])?;
    checks::are_names(table, &["methods", "filters", "adjusts", "blocks"])
}

fn check_errors(table: &DeTable<'_>) -> Result<(), Mistake> {
    checks::are_paths(table, &["permanent", "transient", "overloads"])?;
    checks::are_names(table, &["permanent_methods"])
}

fn list<'a, T: Deserialize<'a>>(
    value: &'a Spanned<DeValue<'_>>,
    check: impl Fn(&DeTable<'_>) -> Result<(), Mistake>,
) -> Result<Vec<(T, Range<usize>)>, Mistake> {
    let Some(items) = value.get_ref().as_array() else {
        return Err(Mistake::new(value.span(), "expected `[[…]]`, a list of tables"));
    };
    let one = |item: &'a Spanned<DeValue<'_>>| {
        let made = read(item)?;
        item.get_ref().as_table().map_or(Ok(()), &check)?;
        Ok(made)
    };
    items
        .iter()
        .map(|item| {
            let entry = one(item).map_err(|mistake: Mistake| mistake.or_at(&item.span()))?;
            Ok((entry, item.span()))
        })
        .collect()
}

fn does_not_shrink(policy: &Policy, at: &Range<usize>) -> Result<(), Mistake> {
    if policy.factor.is_some_and(|factor| factor < 1.0) {
        return Err(Mistake::new(
            at.clone(),
            "a `factor` below 1 lets delays shrink: nothing is known of such policies",
        ));
    }
    Ok(())
}

/// The entries, no two of which say the same name for one version.
fn each_once<E: Entry>(entries: Vec<(E, Range<usize>)>) -> Result<Vec<E>, Mistake> {
    for (position, (entry, at)) in entries.iter().enumerate() {
        for (earlier, _) in entries.iter().take(position) {
            if entry.versions().zip(earlier.versions()).is_some_and(|(one, other)| !one.meet(other)) {
                continue;
            }
            for (list, others) in entry.names().into_iter().zip(earlier.names()) {
                if let Some(twice) = list.iter().find(|name| others.contains(name)) {
                    let what = format!("`{twice}` is told twice for the same version");
                    return Err(Mistake::new(at.clone(), what));
                }
            }
        }
    }
    Ok(entries.into_iter().map(|(entry, _)| entry).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::knowledge::libraries::{Libraries, Sets};

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
        assert_eq!(
            mistake("[[setter]]\nmethods = [\"m\"]\n"),
            "libraries/a.toml:1: `crates` is missing: whose table is this?"
        );
    }

    /// Each text stands after `crates = ["a"]`, so that it begins on line 2.
    #[test]
    fn every_section_and_sort_of_value_is_checked() {
        let of_policy = [
            ("first_s = -1", "`first_s` is a number from 0 on, not -1"),
            ("cap_s = nan", "`cap_s` is a number from 0 on"),
            ("factor = inf", "`factor` is a number from 0 on"),
            ("retries = 2.5", "`retries` is a whole number, not 2.5"),
            ("retries = \"3\"", "invalid type"),
            ("deadline = 1", "invalid type"),
            ("jitter = \"ful\"", "unknown word `ful`; did you mean `full`?"),
            ("args = [\"first\", \"fcator\"]", "unknown word `fcator`; did you mean `factor`?"),
            ("unit = \"sec\"", "unknown word `sec`"),
            ("operation = -1", "invalid value"),
            ("errors = \"al\"", "unknown word `al`; did you mean `all`?"),
            ("setter = 1", "unknown key `setter`"),
        ];
        let of_policy =
            of_policy.map(|(line, what)| (format!("[[policy]]\npaths = [\"a::b\"]\n{line}\n"), 4, what));
        let others = [
            (
                "[[policy]]\n",
                2,
                "the policy names nothing: `paths` or `structs` or `methods` or `macros` or `attributes` is missing",
            ),
            ("[[policy]]\npaths = []\n", 2, "the policy names nothing"),
            ("[[policy]]\npaths = [\"a:b\"]\n", 3, "`a:b` is no path"),
            ("[[policy]]\nstructs = [\"a::*\"]\n", 3, "a library's paths are written out"),
            ("[[policy]]\npaths = \"a::b\"\n", 3, "invalid type"),
            ("[[policy]]\npath = [\"a::b\"]\n", 3, "unknown key `path`; did you mean `paths`?"),
            (
                "[[setter]]\nsets = [\"cap\"]\n",
                2,
                "the setter names nothing: `paths` or `methods` or `fields` or `keys` is missing",
            ),
            ("[[setter]]\nmethods = [\"B::cap\"]\n", 3, "a name of one segment was expected"),
            ("[[setter]]\nfields = [\"\"]\n", 3, "a name of one segment was expected"),
            ("[[setter]]\nmethods = [\"m\"]\nwithout = [\"retires\"]\n", 4, "did you mean `retries`?"),
            (
                "[[driver]]\nerrors = \"all\"\n",
                2,
                "the driver names nothing: `paths` or `methods` or `macros` is missing",
            ),
            (
                "[[driver]]\nmethods = [\"run\"]\nerrors = \"all\"\nfilter = []\n",
                5,
                "did you mean `filters`?",
            ),
            (
                "[[driver]]\nmethods = [\"run\"]\nerrors = \"all\"\nadjusts = [\"a.b\"]\n",
                5,
                "a name of one segment",
            ),
            ("[errors]\npermanent = [\"a b\"]\n", 3, "`a b` is no path"),
            ("[errors]\npermanent_method = []\n", 3, "did you mean `permanent_methods`?"),
            ("[error]\n", 2, "unknown section `error`; did you mean `errors`?"),
            ("policy = 1\n", 2, "expected `[[…]]`, a list of tables"),
            ("policy = [1]\n", 2, "invalid type"),
            ("[[policy]\n", 2, ""),
        ];
        let others = others.map(|(text, line, what)| (text.to_owned(), line, what));
        for (text, line, what) in of_policy.into_iter().chain(others) {
            let told = mistake(&format!("crates = [\"a\"]\n{text}"));
            assert!(told.starts_with(&format!("libraries/a.toml:{line}: ")), "{text}\n{told}");
            assert!(told.contains(what), "{text}\n{told}");
        }
        let told = mistake("crates = [\"our-retry\"]\n");
        assert_eq!(told, "libraries/a.toml:1: `our-retry` is a crate's name as code writes it: `our_retry`");
    }

    #[test]
    fn versions_that_are_none_and_entries_that_meet_are_mistakes() {
        let entry = |versions: &str| {
            format!(
                "crates = [\"a\"]\n[[policy]]\npaths = [\"a::new\"]\nversions = \"<2\"\n[[policy]]\npaths = [\"a::new\"]\nversions = \"{versions}\"\n"
            )
        };
        assert!(Libraries::load([("a.toml", entry(">=2"))]).is_ok());
        assert_eq!(
            mistake(&entry(">=1.5")),
            "libraries/a.toml:5: `a::new` is told twice for the same version"
        );
        assert!(
            mistake(&entry("two")).starts_with("libraries/a.toml:7: no versions: "),
            "{}",
            mistake(&entry("two"))
        );
        assert_eq!(mistake(&entry(">=3, <3")), "libraries/a.toml:7: no version is `>=3, <3`");
        assert_eq!(
            mistake("crates = [\"a\"]\n\n[[driver]]\nerrors = \"all\"\n"),
            "libraries/a.toml:3: the driver names nothing: `paths` or `methods` or `macros` is missing"
        );
        assert_eq!(
            mistake("crates = [\"a\"]\n[[policy]]\npaths = [\"a::new\"]\nfactor = 0.5\n"),
            "libraries/a.toml:2: a `factor` below 1 lets delays shrink: nothing is known of such policies"
        );
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
