//! "Did you mean …": one answer for everything that people spell, in options, comments and files.

/// The name that is meant, if one is near.
pub fn nearest<'n>(typed: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    // Jaro-Winkler forgives a slip anywhere and likes a common start; below this, names have little but letters in common.
    const NEAR: f64 = 0.75;
    names
        .into_iter()
        .map(|name| (strsim::jaro_winkler(&typed.to_lowercase(), name), name))
        .filter(|(likeness, _)| *likeness >= NEAR)
        // The first of equals, so that the answer does not depend on the order of the scan.
        .max_by(|(a, first), (b, second)| a.total_cmp(b).then_with(|| second.cmp(first)))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_name_and_a_stranger_finds_none() {
        let names = ["fixed-delay", "no-delay", "no-jitter", "unbounded"];
        assert_eq!(nearest("fixed-dealy", names), Some("fixed-delay"));
        assert_eq!(nearest("no_jitter", names), Some("no-jitter"));
        assert_eq!(nearest("Unbound", names), Some("unbounded"));
        assert_eq!(nearest("zzz", names), None);
        assert_eq!(nearest("", names), None);
    }
}
