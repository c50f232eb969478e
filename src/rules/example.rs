//! The examples of a page, as small crates with the lines at which they are flagged: documentation that is tested.
//! It parses them into data. Running them needs the detector and is done by a test.

use super::prose::{Block, ProseFault};

/// One Rust block of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// Whether it stands under `## Flags`: the rule fires on it, and no other; else every rule is silent.
    pub fires: bool,
    /// The block's first line in the page, 1-based.
    pub line: u32,
    /// Its files. Code before the first `//@ file:` is `src/lib.rs`.
    pub files: Vec<ExampleFile>,
    /// What `//@ needs:` lists: lines of `[dependencies]`.
    pub needs: Vec<String>,
    /// The lines that `//~` marks.
    pub expected: Vec<Mark>,
}

/// A file of an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExampleFile {
    /// Relative path, `/` between its parts.
    pub path: String,
    /// Its text, without the `//@` lines.
    pub text: String,
}

/// A finding that an example expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The file.
    pub path: String,
    /// Line in the file, 1-based.
    pub line: u32,
    /// The rule.
    pub rule: String,
}

impl Example {
    /// A `Cargo.toml` for it.
    pub fn manifest(&self) -> String {
        let mut text = "[package]\nname = \"example\"\nversion = \"0.1.0\"\nedition = \"2024\"\n".to_owned();
        if !self.needs.is_empty() {
            text.push_str("\n[dependencies]\n");
        }
        for need in &self.needs {
            text.push_str(need);
            text.push('\n');
        }
        text
    }
}

/// Reads a block under one of the two headings; `None` under any other.
pub(super) fn read_example(block: &Block, rule: &str) -> Result<Option<Example>, ProseFault> {
    let fires = match block.heading {
        "Flags" => true,
        "Does not flag" => false,
        _ => return Ok(None),
    };
    let mut example =
        Example { fires, line: block.line, files: Vec::new(), needs: Vec::new(), expected: Vec::new() };
    let mut file = ExampleFile { path: "src/lib.rs".to_owned(), text: String::new() };
    let mut line_in_file = 0;
    for (line, number) in block.code.lines().zip(block.line..) {
        if let Some(directive) = line.trim_start().strip_prefix("//@") {
            match directive.trim().split_once(':') {
                Some(("file", path)) => {
                    let next = ExampleFile { path: path.trim().to_owned(), text: String::new() };
                    keep(&mut example, std::mem::replace(&mut file, next));
                    check_path(&file.path, &example).map_err(|what| (number, what, None))?;
                    line_in_file = 0;
                }
                Some(("needs", need)) => {
                    check_need(need).map_err(|what| (number, what, None))?;
                    example.needs.push(need.trim().to_owned());
                }
                _ => {
                    let what =
                        format!("unknown directive `//@{directive}`: there is `//@ file:` and `//@ needs:`");
                    return Err((number, what, None));
                }
            }
            continue;
        }
        line_in_file += 1;
        file.text.push_str(line);
        file.text.push('\n');
        let Some((_, marked)) = line.split_once("//~") else { continue };
        if marked.trim() != rule || !fires {
            let what = if fires {
                format!(
                    "an example of `{rule}` marks `{}`: it must fire this rule and no other",
                    marked.trim()
                )
            } else {
                "an example that is not flagged has a `//~` mark".to_owned()
            };
            return Err((number, what, None));
        }
        example.expected.push(Mark { path: file.path.clone(), line: line_in_file, rule: rule.to_owned() });
    }
    keep(&mut example, file);
    if fires && example.expected.is_empty() {
        return Err((block.line, format!("no line of this example is marked `//~ {rule}`"), None));
    }
    Ok(Some(example))
}

/// The implied `src/lib.rs` counts only where something was written before the first `//@ file:`.
fn keep(example: &mut Example, file: ExampleFile) {
    if !file.text.trim().is_empty() {
        example.files.push(file);
    }
}

/// Examples are written to disk by tests; a page must not choose where.
fn check_path(path: &str, example: &Example) -> Result<(), String> {
    let inside = path.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
    if !inside || path.contains(['\\', ':']) {
        return Err(format!("`{path}` is not a path inside the example"));
    }
    if example.files.iter().any(|file| file.path == path) {
        return Err(format!("`{path}` is written twice"));
    }
    Ok(())
}

fn check_need(need: &str) -> Result<(), String> {
    match need.parse::<toml::Table>() {
        Ok(table) if table.len() == 1 => Ok(()),
        _ => Err(format!("`{}` is not one line of `[dependencies]`, as in `backon = \"1\"`", need.trim())),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn read(heading: &'static str, code: &str) -> Result<Option<Example>, ProseFault> {
        read_example(&Block { heading, line: 40, code: code.to_owned() }, "no-jitter")
    }

    #[test]
    fn directives_make_a_small_crate() {
        let code = "//@ needs: backon = \"1\"\nfn a() {}\nfn b() {} //~ no-jitter\n//@ file: src/net/mod.rs\nfn c() {}\n\
            fn d() {} //~ no-jitter\n";
        let example = read("Flags", code).unwrap().unwrap();
        assert_eq!(example.needs, ["backon = \"1\""]);
        let paths: Vec<_> = example.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["src/lib.rs", "src/net/mod.rs"]);
        assert_eq!(example.files[1].text, "fn c() {}\nfn d() {} //~ no-jitter\n");
        let marks: Vec<_> = example.expected.iter().map(|mark| (mark.path.as_str(), mark.line)).collect();
        assert_eq!(marks, [("src/lib.rs", 2), ("src/net/mod.rs", 2)]);
        assert!(example.manifest().ends_with("[dependencies]\nbackon = \"1\"\n"));
    }

    #[test]
    fn a_file_directive_on_top_leaves_no_empty_file() {
        let example = read("Does not flag", "//@ file: src/a.rs\nfn a() {}\n").unwrap().unwrap();
        assert_eq!(example.files.len(), 1);
        assert_eq!(example.files[0].path, "src/a.rs");
        assert!(!example.fires);
    }

    #[test]
    fn wrong_marks_and_directives_have_their_line() {
        for (heading, code, line) in [
            ("Flags", "fn a() {}\n", 40),
            ("Flags", "fn a() {}\nfn b() {} //~ fixed-delay\n", 41),
            ("Does not flag", "fn a() {} //~ no-jitter\n", 40),
            ("Flags", "\n\n//@ neds: x = 1\n", 42),
            ("Flags", "//@ needs: backon\n", 40),
            ("Flags", "//@ file: ../a.rs\n", 40),
            ("Flags", "//@ file: /tmp/a.rs\n", 40),
        ] {
            assert_eq!(read(heading, code).unwrap_err().0, line, "{code}");
        }
    }

    #[test]
    fn blocks_elsewhere_are_prose() {
        assert_eq!(read("Why", "fn a() {}\n").unwrap(), None);
    }
}
