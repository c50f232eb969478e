//! The file that `retry-lint init` writes: every key with what it is for, commented out, so that nothing changes until somebody wants it to.

use super::keys::KEYS;
use std::fmt::Write as _;

/// The file's text.
pub fn template() -> String {
    let mut text = "\
# The configuration of retry-lint. It holds for packages in this folder and below it.
# Remove the `#` before a key to set it; what the command line says goes before it.
"
    .to_owned();
    for key in KEYS {
        // Writing to a String cannot fail.
        let _ = write!(text, "\n# {}\n#{} = {}\n", key.about, key.name, key.sample);
    }
    text
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::template;
    use crate::settings::config::{Source, read};
    use toml::de::DeTable;

    #[test]
    fn it_sets_nothing_and_each_of_its_keys_can_be_set() {
        let written = template();
        assert_eq!(written.parse::<toml::Table>().unwrap().len(), 0);
        let is_key = |line: &str| line.starts_with(|c: char| c.is_ascii_lowercase());
        let set: Vec<&str> =
            written.lines().filter_map(|line| line.strip_prefix('#').filter(|rest| is_key(rest))).collect();
        assert_eq!(set.len(), super::KEYS.len());
        let text = set.join("\n");
        let table = DeTable::parse(&text).unwrap();
        let config = read(Source::default(), table.get_ref()).unwrap();
        assert_eq!((config.levels.len(), config.limits.len(), config.overrides.len()), (2, 1, 1));
    }
}
