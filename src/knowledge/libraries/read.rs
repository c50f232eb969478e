//! Reads a library's table, and says what is wrong with one: file, line, and the nearest word that would have been right.

use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::super::table::{Mistake, read};
use super::holding::Entry;
use super::{Library, Policy};

const SECTIONS: &[&str] =
    &["crates", "runs", "in_place", "unmaintained", "policy", "setter", "driver", "errors"];

/// What one file says.
pub(super) fn library(document: &DeTable<'_>) -> Result<Library, Mistake> {
    let mut made = Library::default();
    for (key, value) in document {
        match key.get_ref().as_ref() {
            "crates" => made.crates = read(value)?,
            "runs" => made.runs = read(value)?,
            "in_place" => made.in_place = read(value)?,
            "unmaintained" => made.unmaintained = Some(read(value)?),
            "policy" => {
                let told = list(value)?;
                told.iter().try_for_each(|(policy, at)| says_something(policy, at))?;
                made.policies = each_once(told)?;
            }
            "setter" => made.setters = each_once(list(value)?)?,
            "driver" => made.drivers = each_once(list(value)?)?,
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

fn list<'a, T: Deserialize<'a>>(value: &'a Spanned<DeValue<'_>>) -> Result<Vec<(T, Range<usize>)>, Mistake> {
    let Some(items) = value.get_ref().as_array() else {
        return Err(Mistake::new(value.span(), "expected `[[…]]`, a list of tables"));
    };
    items
        .iter()
        .map(|item| {
            let entry = read(item).map_err(|mistake: Mistake| mistake.or_at(&item.span()))?;
            Ok((entry, item.span()))
        })
        .collect()
}

fn says_something(policy: &Policy, at: &Range<usize>) -> Result<(), Mistake> {
    let wrong = |what: &str| Err(Mistake::new(at.clone(), what));
    if policy.factor.is_some_and(|factor| factor < 1.0) {
        return wrong("a `factor` below 1 lets delays shrink: nothing is known of such policies");
    }
    if [policy.first_s, policy.cap_s, policy.retries].into_iter().flatten().any(|number| number < 0.0) {
        return wrong("a delay or a number of retries cannot be negative");
    }
    Ok(())
}

/// The entries, none of which names nothing, and no two of which say the same name for one version.
fn each_once<E: Entry>(entries: Vec<(E, Range<usize>)>) -> Result<Vec<E>, Mistake> {
    for (position, (entry, at)) in entries.iter().enumerate() {
        if entry.names().iter().all(|list| list.is_empty()) {
            return Err(Mistake::new(
                at.clone(),
                format!("the entry names nothing: {} are missing", E::LISTS.join(", ")),
            ));
        }
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
            "libraries/a.toml:3: the entry names nothing: paths, methods, macros are missing"
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
