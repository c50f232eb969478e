use super::{assert_paths, item, krate, krate_of};

#[test]
fn imports_grouped_renamed_and_of_modules() {
    let krate = krate(&[(
        "src/lib.rs",
        "use tokio::time::{self, sleep as nap, Duration as D};\nuse tokio::{net::TcpStream, sync::*};\nuse std::thread;\nuse reqwest as web;\nfn f() {}\n",
    )]);
    assert_paths(
        &krate,
        "f",
        &[
            ("nap", "extern tokio::time::sleep"),
            ("time::sleep", "extern tokio::time::sleep"),
            ("D::from_secs", "extern tokio::time::Duration::from_secs"),
            ("thread::sleep", "extern std::thread::sleep"),
            ("web::get", "extern reqwest::get"),
            ("TcpStream::connect", "extern tokio::net::TcpStream::connect"),
            ("tokio::time::sleep", "extern tokio::time::sleep"),
            ("::tokio::spawn", "extern tokio::spawn"),
            ("unlisted::run", "extern unlisted::run"),
            ("u64::MAX", "extern u64::MAX"),
            // What nobody imported, and what only a glob of another crate could bring.
            ("sleep", "unknown"),
            ("Mutex::new", "unknown"),
            ("Mutex", "unknown"),
        ],
    );
    let globs = krate.foreign_globs(item(&krate, "f"));
    assert_eq!(globs, [["tokio", "sync"]]);
}

#[test]
fn prelude_names_save_the_four_that_everybody_knows() {
    let krate = krate(&[("src/lib.rs", "fn f() {}")]);
    assert_paths(
        &krate,
        "f",
        &[
            ("Vec::new", "extern std::vec::Vec::new"),
            ("Box::pin", "extern std::boxed::Box::pin"),
            ("drop", "extern std::mem::drop"),
            ("Ok", "unknown"),
            ("None", "unknown"),
        ],
    );
}

#[test]
fn the_module_tree_of_files() {
    let krate = krate(&[
        (
            "src/lib.rs",
            "pub mod net;\nmod util { pub fn twice() {} pub mod deep { pub fn f() {} } }\npub fn top() {}",
        ),
        ("src/net/mod.rs", "mod client;\npub use client::Client as Conn;\npub fn dial() {}"),
        (
            "src/net/client.rs",
            "use super::dial as d;\npub struct Client;\nimpl Client { pub fn new() -> Self { Self } fn go(&self) { } }",
        ),
    ]);
    assert_paths(
        &krate,
        "Client::go",
        &[
            ("d", "crate::net::dial"),
            ("super::dial", "crate::net::dial"),
            ("super::super::top", "crate::top"),
            ("self::Client", "crate::net::client::Client"),
            ("Self", "crate::net::client::Client"),
            ("Self::new", "crate::net::client::Client::new"),
            ("crate::net::Conn::new", "crate::net::client::Client::new"),
            ("crate::util::deep::f", "crate::util::deep::f"),
            ("crate::util", "crate::util"),
            ("super", "crate::net"),
            ("app::net::dial", "crate::net::dial"),
            ("dial", "unknown"),
            ("crate::net::missing", "unknown"),
        ],
    );
}

#[test]
fn names_made_by_a_macro_are_not_their_namesakes() {
    let krate = krate(&[
        ("src/lib.rs", "pub mod proto;\npub mod fake;\nfn f() {}"),
        ("src/proto.rs", "include_proto!(\"x\");"),
        ("src/fake.rs", "pub struct Client; impl Client { pub fn new() -> Self { Client } }"),
    ]);
    assert_paths(
        &krate,
        "f",
        &[("crate::proto::Client", "unknown"), ("crate::fake::Client", "crate::fake::Client")],
    );
}

#[test]
fn a_module_that_the_tree_misses_is_looked_through_for_the_only_item() {
    let krate = krate(&[
        ("src/lib.rs", "cfg_if! { if #[cfg(unix)] { mod sys; } }\nfn f() {}"),
        (
            "src/sys/imp.rs",
            "pub fn only() {}\npub struct Conn;\nimpl Conn { pub fn open() {} }\npub fn twice() {}",
        ),
        ("src/sys/other.rs", "pub fn twice() {}"),
    ]);
    assert_paths(
        &krate,
        "f",
        &[
            ("crate::sys::only", "crate::src/sys/imp.rs::only"),
            ("crate::sys::Conn::open", "crate::src/sys/imp.rs::Conn::open"),
            ("crate::sys::twice", "unknown"),
        ],
    );
}

#[test]
fn a_file_that_only_a_macro_declares_is_placed_by_its_path() {
    let krate = krate(&[
        ("src/lib.rs", "cfg_if! { if #[cfg(unix)] { mod sys; } }\nfn f() {}"),
        ("src/sys.rs", "pub fn go() {}\nmod below;"),
        ("src/sys/below.rs", "pub fn deep() { }"),
    ]);
    assert_paths(
        &krate,
        "f",
        &[("crate::sys::go", "crate::sys::go"), ("crate::sys::below::deep", "crate::sys::below::deep")],
    );
    assert_paths(&krate, "deep", &[("super::go", "crate::sys::go"), ("crate::f", "crate::f")]);
}

#[test]
fn a_lone_file_knows_its_own_items() {
    let krate = krate(&[(
        "work/net.rs",
        "use super::config::Config;\nuse crate::retry;\nfn connect() {}\npub fn retry() {}",
    )]);
    assert_paths(
        &krate,
        "connect",
        &[
            ("retry", "crate::retry"),
            ("crate::net::retry", "crate::retry"),
            ("super::retry", "crate::retry"),
            ("Config::load", "unknown"),
        ],
    );
}

#[test]
fn globs_of_modules_enums_and_through_re_exports() {
    let krate = krate(&[
        ("src/lib.rs", "pub mod prelude;\nmod kind;\nmod one;\nmod user;"),
        (
            "src/prelude.rs",
            "pub use crate::one::*;\npub use crate::kind::Kind::*;\nuse std::fs;\npub use tokio::time::*;",
        ),
        ("src/kind.rs", "pub enum Kind { Again, Stop(u32) }"),
        ("src/one.rs", "pub fn step() {}\npub const LIMIT: u32 = 3;"),
        ("src/user.rs", "use crate::prelude::*;\nfn f() {}"),
    ]);
    assert_paths(
        &krate,
        "f",
        &[
            ("step", "crate::one::step"),
            ("LIMIT", "crate::one::LIMIT"),
            ("Again", "variant crate::kind::Kind::Again"),
            ("Stop", "variant crate::kind::Kind::Stop"),
            ("sleep", "unknown"),
        ],
    );
    assert_eq!(krate.foreign_globs(item(&krate, "f")), [["tokio", "time"]]);
}

#[test]
fn two_globs_that_bring_the_same_name_bring_none() {
    let krate = krate(&[(
        "src/lib.rs",
        "mod a { pub fn go() {} pub fn own() {} }\nmod b { pub fn go() {} }\nmod c { pub use super::a::*; }\nmod user { use super::a::*; use super::b::*; use super::c::*; fn f() {} }",
    )]);
    assert_paths(&krate, "f", &[("go", "unknown"), ("own", "crate::a::own")]);
}

#[test]
fn imports_that_run_in_a_circle_end() {
    let krate = krate(&[
        ("src/lib.rs", "pub mod a;\npub mod b;\nfn f() {}"),
        ("src/a.rs", "pub use crate::b::*;\npub use crate::b::x as y;"),
        ("src/b.rs", "pub use crate::a::*;\npub use crate::a::y as x;\npub fn real() {}"),
    ]);
    assert_paths(
        &krate,
        "f",
        &[("crate::a::x", "unknown"), ("crate::a::nothing", "unknown"), ("crate::a::real", "crate::b::real")],
    );
}

#[test]
fn items_and_imports_inside_a_body_are_its_own() {
    let krate = krate(&[(
        "src/lib.rs",
        "fn f() { use tokio::time::sleep; const LIMIT: u32 = 3; fn inner() {} }\nfn g() {}\nconst LIMIT: u32 = 9;",
    )]);
    assert_paths(
        &krate,
        "f",
        &[
            ("sleep", "extern tokio::time::sleep"),
            ("inner", "crate::{f#0}::inner"),
            ("LIMIT", "crate::{f#0}::LIMIT"),
        ],
    );
    assert_paths(&krate, "inner", &[("sleep", "extern tokio::time::sleep")]);
    assert_paths(&krate, "g", &[("sleep", "unknown"), ("inner", "unknown"), ("LIMIT", "crate::LIMIT")]);
}

#[test]
fn one_name_in_two_namespaces() {
    let krate = krate(&[
        ("src/lib.rs", "mod retry;\npub use retry::retry;\nfn f() {}"),
        ("src/retry.rs", "pub fn retry() {}\npub struct Policy;"),
    ]);
    assert_paths(&krate, "f", &[("retry", "crate::retry::retry"), ("retry::Policy", "crate::retry::Policy")]);
}

#[test]
fn aliases_lead_to_their_type() {
    let krate = krate(&[(
        "src/lib.rs",
        "type Conn = tokio::net::TcpStream;\ntype Own = inner::Client;\nmod inner { pub struct Client; impl Client { pub fn new() -> Self { Client } } }\ntype A = B; type B = A;\nfn f() {}",
    )]);
    assert_paths(
        &krate,
        "f",
        &[
            ("Conn::connect", "extern tokio::net::TcpStream::connect"),
            ("Own::new", "crate::inner::Client::new"),
            ("A::new", "unknown"),
        ],
    );
}

#[test]
fn associated_functions_of_types_and_traits() {
    let krate = krate(&[(
        "src/lib.rs",
        "pub struct A; pub struct B;\ntrait Dial { fn dial(); fn redial() {} const MAX: u32; }\nimpl Dial for A { fn dial() { f() } const MAX: u32 = 4; }\nimpl A { const FIRST: u32 = 1; }\nimpl Dial for B { fn dial() {} const MAX: u32 = 5; }\nimpl Dial for reqwest::Client { fn dial() { here() } const MAX: u32 = 5; }\nfn f() {}",
    )]);
    assert_paths(
        &krate,
        "f",
        &[
            ("A::dial", "crate::A::dial"),
            ("A::redial", "crate::Dial::redial"),
            ("A::FIRST", "crate::A::FIRST"),
            ("A::MAX", "crate::A::MAX"),
            ("Dial::redial", "crate::Dial::redial"),
            ("Dial::dial", "crate::Dial::dial"),
            ("A::parse", "unknown"),
            ("T::dial", "unknown"),
        ],
    );
    assert_paths(
        &krate,
        "A::dial",
        &[("Self::redial", "crate::Dial::redial"), ("Self::MAX", "crate::A::MAX")],
    );
    assert_paths(
        &krate,
        "Client::dial",
        &[("Self::new", "extern reqwest::Client::new"), ("Self::MAX", "crate::Client::MAX")],
    );
}

#[test]
fn headers_that_lead_back_to_themselves_end() {
    let krate = krate(&[(
        "src/lib.rs",
        "struct Foo; trait T {} impl T for Foo::Foo { fn f() {} } impl T for Self { fn g() {} } type X = Foo::Y; type Y = X::Y; impl X { fn h() {} }\nfn q() {}",
    )]);
    assert_paths(&krate, "q", &[("Foo::f", "unknown"), ("X::h", "unknown"), ("Y::Y::Z", "unknown")]);
    assert_paths(&krate, "Self::g", &[("Self::h", "unknown"), ("Self", "unknown")]);
}

#[test]
fn of_two_definitions_the_one_for_code_of_its_kind() {
    let krate = krate(&[(
        "src/lib.rs",
        "#[cfg(test)] const WAIT: u32 = 1;\n#[cfg(not(test))] const WAIT: u32 = 30;\n#[cfg(unix)] fn go() {}\n#[cfg(windows)] fn go() {}\nfn f() {}\n",
    )]);
    let from = item(&krate, "f");
    let super::Target::Item(at) = krate.path(from, &["WAIT".to_owned()]) else { panic!("WAIT is unknown") };
    assert!(!krate.item(at).unwrap().in_test);
    assert_paths(&krate, "f", &[("go", "unknown")]);
}

#[test]
fn binaries_and_examples_are_roots_of_their_own() {
    let krate = krate_of(
        "[package]\nname = \"my-app\"",
        &[
            ("p/src/lib.rs", "pub mod net;\npub fn lib_only() {}"),
            ("p/src/net.rs", "pub fn dial() {}"),
            ("p/src/main.rs", "mod cli;\nfn main() {}"),
            ("p/src/cli.rs", "pub fn run() {}"),
            ("p/src/bin/tool.rs", "use my_app::net;\nfn tool() {}\nfn own() {}"),
            ("p/examples/demo.rs", "mod helper;\nfn demo() {}"),
            ("p/examples/helper.rs", "pub fn help() {}"),
        ],
    );
    assert_paths(
        &krate,
        "tool",
        &[
            ("net::dial", "crate::net::dial"),
            ("crate::own", "crate::p/src/bin/tool.rs::own"),
            ("crate::lib_only", "unknown"),
        ],
    );
    assert_paths(
        &krate,
        "main",
        &[("cli::run", "crate::p/src/main.rs::cli::run"), ("my_app::lib_only", "crate::lib_only")],
    );
    assert_paths(
        &krate,
        "dial",
        &[("crate::lib_only", "crate::lib_only"), ("my_app::lib_only", "crate::lib_only")],
    );
    assert_paths(&krate, "demo", &[("helper::help", "crate::p/examples/demo.rs::helper::help")]);
}

#[test]
fn a_module_with_a_path_of_its_own() {
    let krate = krate(&[
        ("src/lib.rs", "#[path = \"sys/unix.rs\"]\nmod imp;\nfn f() {}"),
        ("src/sys/unix.rs", "pub fn wait() {}"),
    ]);
    assert_paths(&krate, "f", &[("imp::wait", "crate::imp::wait")]);
}

#[test]
fn a_macro_by_its_name_alone() {
    let krate = krate(&[("src/lib.rs", "mod m { macro_rules! again { () => {} } }\nfn f() {}")]);
    assert_paths(&krate, "f", &[("again", "crate::m::again")]);
}
