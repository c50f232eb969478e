use super::super::{
    Found, Walk, WalkError, Walked, package_folder, package_sources, read, source_file, walk,
};
use std::fs;
use std::path::{Path, PathBuf};

/// A folder that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("retry-lint-source-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn with(self, files: &[(&str, &str)]) -> Self {
        for (name, text) in files {
            let path = self.0.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        self
    }

    fn walk(&self) -> Vec<String> {
        self.below(&walk(std::slice::from_ref(&self.0), &Walk::default()))
    }

    fn below(&self, walked: &Walked) -> Vec<String> {
        let root = self.0.to_string_lossy().replace('\\', "/");
        walked
            .files
            .iter()
            .map(|file| file.shown.trim_start_matches(&root).trim_start_matches('/').to_owned())
            .collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn finds_the_rust_files_of_a_folder_in_order() {
    let folder = Folder::new("order").with(&[
        ("Cargo.toml", "[package]"),
        ("src/lib.rs", ""),
        ("src/b/mod.rs", ""),
        ("src/b.rs", ""),
        ("src/a.txt", ""),
        ("src/.hidden.rs", ""),
        (".hidden/a.rs", ""),
        ("build.rs", ""),
        ("target/debug/x.rs", ""),
        ("src/target/mod.rs", ""),
        ("out/target/CACHEDIR.TAG", ""),
        ("out/target/y.rs", ""),
        ("src/c.rs/inner.rs", ""),
    ]);
    let expected =
        ["build.rs", "src/b.rs", "src/b/mod.rs", "src/c.rs/inner.rs", "src/lib.rs", "src/target/mod.rs"];
    assert_eq!(folder.walk(), expected);
}

#[test]
fn obeys_ignore_files_from_the_repository_down() {
    let folder = Folder::new("ignores").with(&[
        ("repo/.git/HEAD", ""),
        (".gitignore", "*.rs"),
        ("repo/.gitignore", "/gen\n*_out.rs\n!keep_out.rs\nvendor/\n"),
        ("repo/gen/a.rs", ""),
        ("repo/sub/gen/b.rs", ""),
        ("repo/sub/x_out.rs", ""),
        ("repo/sub/keep_out.rs", ""),
        ("repo/sub/.gitignore", "d.rs\n!x_out.rs\n"),
        ("repo/sub/d.rs", ""),
        ("repo/other/d.rs", ""),
        ("repo/other/.ignore", "e.rs\n!f_out.rs\n"),
        ("repo/other/.gitignore", "!e.rs\nf_out.rs\n"),
        ("repo/other/e.rs", ""),
        ("repo/other/f_out.rs", ""),
        ("repo/vendor/g.rs", ""),
        ("repo/vendor/.ignore", "!g.rs"),
        ("repo/module/.git", "gitdir: elsewhere"),
        ("repo/module/h_out.rs", ""),
    ]);
    let expected = [
        "module/h_out.rs",
        "other/d.rs",
        "other/f_out.rs",
        "sub/gen/b.rs",
        "sub/keep_out.rs",
        "sub/x_out.rs",
    ];
    let from = |start: &str, options: &Walk| {
        let walked = walk(&[folder.0.join(start)], options);
        assert!(walked.errors.is_empty());
        folder
            .below(&walked)
            .iter()
            .map(|path| path.trim_start_matches("repo/").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(from("repo", &Walk::default()), expected);
    assert_eq!(from("repo/sub", &Walk::default()), ["sub/gen/b.rs", "sub/keep_out.rs", "sub/x_out.rs"]);
    assert_eq!(from("repo", &Walk { ignore_files: false, ..Walk::default() }).len(), 10);
    // A file or folder that is named is read, whatever is ruled out.
    assert_eq!(from("repo/sub/d.rs", &Walk::default()), ["sub/d.rs"]);
    assert_eq!(from("repo/gen", &Walk::default()), ["gen/a.rs"]);
}

#[test]
fn reads_a_file_once_however_often_it_is_named() {
    let folder = Folder::new("once").with(&[("src/a.rs", ""), ("src/b.rs", "")]);
    let src = folder.0.join("src");
    let paths = [src.clone(), src.join("a.rs"), src.join("../src/a.rs"), src];
    let walked = walk(&paths, &Walk::default());
    let named: Vec<_> = walked.files.iter().map(|file| file.named).collect();
    assert_eq!(folder.below(&walked), ["src/a.rs", "src/b.rs"]);
    assert_eq!(named, [true, false]);
}

#[test]
fn says_which_path_is_missing() {
    let folder = Folder::new("missing").with(&[("a.rs", "")]);
    let walked = walk(&[folder.0.join("no.rs"), folder.0.clone()], &Walk::default());
    assert_eq!(walked.files.len(), 1);
    let [error @ WalkError::Missing { .. }] = walked.errors.as_slice() else { panic!("{:?}", walked.errors) };
    assert!(error.is_fatal());
    assert!(error.to_string().contains("no.rs"));
    let below = WalkError::Unreadable {
        shown: "a".into(),
        named: false,
        source: std::io::ErrorKind::PermissionDenied.into(),
    };
    assert!(!below.is_fatal() && !below.problem().fatal);
}

#[cfg(unix)]
#[test]
fn follows_no_links_and_shows_any_name() {
    use std::ffi::OsStr;
    use std::os::unix::{ffi::OsStrExt, fs::symlink};
    let outside = Folder::new("outside").with(&[("x.rs", "")]);
    let folder = Folder::new("links").with(&[("src/a.rs", "fn a() {}")]);
    symlink(&outside.0, folder.0.join("src/out")).unwrap();
    symlink(outside.0.join("x.rs"), folder.0.join("src/x.rs")).unwrap();
    symlink(&folder.0, folder.0.join("src/round")).unwrap();
    symlink("nowhere", folder.0.join("src/broken.rs")).unwrap();
    fs::write(folder.0.join("src").join(OsStr::from_bytes(b"\xff.rs")), "fn b() {}").unwrap();
    let walked = walk(std::slice::from_ref(&folder.0), &Walk::default());
    assert_eq!(folder.below(&walked), ["src/a.rs", "src/\u{fffd}.rs"]);
    assert!(walked.errors.is_empty());
    assert_eq!(read(&walked.files[1]).unwrap().unwrap().outline.items[0].name, "b");
    // A link that is named itself is followed.
    assert_eq!(walk(&[folder.0.join("src/out")], &Walk::default()).files.len(), 1);
}

#[test]
fn knows_test_code_by_its_path_in_the_package() {
    let folder = Folder::new("tests").with(&[
        ("tests/crate/Cargo.toml", "[package]"),
        ("tests/crate/src/lib.rs", ""),
        ("tests/crate/src/inner/tests.rs", ""),
        ("tests/crate/src/inner/tests/a.rs", ""),
        ("tests/crate/src/testing.rs", ""),
        ("tests/crate/benches/b.rs", ""),
        ("tests/crate/examples/c/main.rs", ""),
        ("tests/crate/tests/d.rs", ""),
    ]);
    let in_test = |walked: Walked| walked.files.into_iter().filter(|file| file.in_test).collect::<Vec<_>>();
    let found = in_test(walk(std::slice::from_ref(&folder.0), &Walk::default()));
    let names: Vec<_> = found.iter().map(|file| file.path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["b.rs", "main.rs", "tests.rs", "a.rs", "d.rs"]);
    let package = folder.0.join("tests/crate");
    assert_eq!(
        in_test(walk(&[package.join("src/lib.rs"), package.join("tests/d.rs")], &Walk::default())).len(),
        1
    );
}

#[test]
fn knows_packages_that_test_others() {
    let packages = [
        "app",
        "app/tests-fuzz",
        "app/crates/e2e",
        "app/testing/runner",
        "app/crates/latest",
        "app/bench-kit/contest",
    ];
    let mut folder = Folder::new("packages");
    for package in packages.iter().chain(&["app/crates/helpers", "testing/alone"]) {
        let name = if package.ends_with("helpers") { "net-test-utils" } else { "net" };
        let manifest = format!("[package]\nname = \"{name}\"");
        let (manifest_at, source_at) = (format!("{package}/Cargo.toml"), format!("{package}/src/lib.rs"));
        folder = folder.with(&[(&manifest_at, &manifest), (&source_at, "")]);
    }
    let found = walk(std::slice::from_ref(&folder.0), &Walk::default()).files;
    let named = found.iter().filter(|file| file.in_test).filter_map(|file| {
        let below = file.path.strip_prefix(folder.0.canonicalize().unwrap()).unwrap();
        Some(below.parent()?.parent()?.to_str()?.to_owned())
    });
    let named: Vec<_> = named.collect();
    assert_eq!(
        named,
        [
            "app/bench-kit/contest",
            "app/crates/e2e",
            "app/crates/helpers",
            "app/testing/runner",
            "app/tests-fuzz"
        ]
    );
    let fuzzer = "#![no_main]\nfuzz_target!(|data: &[u8]| { run(data) });";
    assert!(source_file("a.rs".into(), fuzzer.into()).unwrap().in_test);
}

#[test]
fn reads_text_or_says_why_not() {
    let bad = |bytes: &[u8]| source_file("a.rs".into(), bytes.to_vec()).unwrap_err();
    let problem = bad(b"fn a() {}\n\xc3\xa9 \xff");
    assert_eq!((problem.line, problem.column, problem.fatal), (2, 3, true));
    assert_eq!((bad(b"\xff").line, bad(b"\xff").column), (1, 1));
    let good = source_file("a.rs".into(), "\u{feff}fn a() {}\r\n".into()).unwrap();
    assert_eq!(good.place(good.outline.items[0].span).column, 1);
    assert_eq!(good.slice(good.outline.items[0].span), "fn a() {}");
    assert!(source_file("a.rs".into(), b"#![cfg(test)]".to_vec()).unwrap().in_test);
    let large = bad(&vec![b' '; (64 << 20) + 1]);
    assert_eq!((large.line, large.fatal), (0, true));
}

#[test]
fn leaves_generated_files_out_unless_they_are_named() {
    let text = concat!("// @", "generated\nfn a() {}");
    let folder = Folder::new("generated").with(&[("a.rs", text)]);
    let first = |path: &Path, options: &Walk| walk(&[path.to_owned()], options).files[0].clone();
    let read = |found: &Found| read(found).unwrap().is_some();
    assert!(!read(&first(&folder.0, &Walk::default())));
    assert!(read(&first(&folder.0, &Walk { generated: true, ..Walk::default() })));
    assert!(read(&first(&folder.0.join("a.rs"), &Walk::default())));
    let gone = Found { path: folder.0.join("gone.rs"), ..first(&folder.0, &Walk::default()) };
    assert_eq!(super::super::read(&gone).unwrap_err().line, 0);
}

#[test]
fn finds_the_package_of_a_file() {
    let folder = Folder::new("package").with(&[
        ("Cargo.toml", "[workspace]"),
        ("a/Cargo.toml", "package.name = \"a\""),
        ("a/src/lib.rs", ""),
        ("a/src/deep/er.rs", ""),
        ("a/tests/t.rs", ""),
        ("a/fuzz/Cargo.toml", "[workspace]"),
        ("a/fuzz/f.rs", ""),
        ("b/Cargo.toml", "[package]\nname = broken"),
        ("b/x.rs", ""),
    ]);
    let package = |file: &str| package_folder(&folder.0.join(file));
    let a = folder.0.join("a");
    assert_eq!(package("a/src/deep/er.rs").as_ref(), Some(&a));
    assert_eq!(package("a/fuzz/f.rs").as_ref(), Some(&a));
    assert_eq!(package("b/x.rs"), Some(folder.0.join("b")));
    assert_eq!(package("c.rs"), None);
    assert_eq!(folder.below(&package_sources(&a)), ["a/src/deep/er.rs", "a/src/lib.rs"]);
    assert!(package_sources(&folder.0.join("b")).files.is_empty());
}

#[test]
fn shows_paths_as_they_were_given() {
    // Tests run in the package's own folder.
    let shown = |path: &str| walk(&[path.into()], &Walk::default()).files[0].shown.to_string();
    assert_eq!(shown("./src/source/lines.rs"), "src/source/lines.rs");
    assert_eq!(shown("src/./source/../source/lines.rs"), "src/source/../source/lines.rs");
    assert!(shown("./src/source").starts_with("src/source/"));
    assert!(shown(".").starts_with(|first: char| first.is_ascii_alphanumeric()));
    assert_eq!(package_folder(Path::new("src/lib.rs")), Some(PathBuf::new()));
    // Folders that are not there have no manifest; the search goes on above them.
    let above = package_folder(Path::new("../gone/src/lib.rs"));
    assert!(above.is_none_or(|found| found.starts_with("..") && !found.starts_with("../gone")));
}
