//! What stays the same of a finding when lines move, files are renamed and code is formatted anew.

use super::Sources;
use crate::model::Finding;

/// A finding's content hash: its rule, the function it is in, what is tried again there, and the text it points at, both without white space.
/// 16 hex digits. Two equal loops in one function have the same one; whoever needs them apart counts them.
pub fn fingerprint(finding: &Finding, sources: &Sources) -> String {
    let mut hash = Fnv::new();
    hash.part(finding.rule.bytes());
    hash.part(finding.site.function.bytes());
    // What is pointed at may be a bare `loop`.
    hash.part(without_blanks(finding.site.operation.text.value().map_or("", String::as_str)));
    hash.part(without_blanks(sources.slice(&finding.place)));
    format!("{:016x}", hash.0)
}

/// Without any white space rather than with it made single: a formatter also adds some where none was.
fn without_blanks(text: &str) -> impl Iterator<Item = u8> {
    text.bytes().filter(|byte| !byte.is_ascii_whitespace())
}

/// FNV-1a with 64 bits: written in a few lines and the same for ever, which std's hasher does not promise. Nobody gains from a collision here.
struct Fnv(u64);

impl Fnv {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Adds a part and an end mark, so that `ab` + `c` differs from `a` + `bc`.
    fn part(&mut self, bytes: impl Iterator<Item = u8>) {
        for byte in bytes.chain([0]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Fact;
    use crate::report::samples;
    use std::sync::Arc;

    #[test]
    fn known_answer_of_the_hash() {
        let mut hash = Fnv::new();
        hash.part(b"foobar".iter().copied());
        // FNV-1a of "foobar" is 85944171f73967e8; one more zero byte multiplies it by the prime.
        assert_eq!(hash.0, 0x8594_4171_f739_67e8_u64.wrapping_mul(0x0100_0000_01b3));
    }

    #[test]
    fn lines_files_and_formatting_do_not_change_it() {
        let (one, one_sources) =
            samples::finding_in("src/a.rs", "fn f() { loop { sleep(d).await; } }", "sleep(d).await");
        let (two, two_sources) = samples::finding_in(
            "other/b.rs",
            "\n\nfn f() {\n loop {\n sleep( d )\r\n    .await; } }",
            "sleep( d )\r\n    .await",
        );
        assert_eq!(fingerprint(&one, &one_sources), fingerprint(&two, &two_sources));
    }

    #[test]
    fn rule_function_and_text_change_it() {
        let (mut finding, sources) = samples::finding_in("src/a.rs", "loop { sleep(d); nap(d) }", "sleep(d)");
        let first = fingerprint(&finding, &sources);
        let (other, other_sources) = samples::finding_in("src/a.rs", "loop { sleep(d); nap(d) }", "nap(d)");
        assert_ne!(first, fingerprint(&other, &other_sources));
        let mut other = finding.clone();
        Arc::make_mut(&mut other.site).operation.text = Fact::known("get(url)".to_owned());
        assert_ne!(first, fingerprint(&other, &sources));
        finding.rule.push('x');
        assert_ne!(first, fingerprint(&finding, &sources));
    }
}
