use super::{item, krate, krate_of, last_expr};
use crate::body::{Ty, TyShape};
use crate::resolve::{innermost, peeled};

/// A type in Rust's words; `impl` and `dyn` are told apart from a type of the same path.
fn words(ty: &Ty) -> String {
    let args: Vec<String> = ty.args.iter().map(words).collect();
    let path = ty.path.join("::");
    match ty.shape {
        TyShape::Tuple => format!("({})", args.join(", ")),
        TyShape::Slice => format!("[{}]", args.join(", ")),
        TyShape::Other => "_".to_owned(),
        TyShape::Impl => format!("impl {path}"),
        TyShape::Dyn => format!("dyn {path}"),
        _ if args.is_empty() => path,
        _ => format!("{path}<{}>", args.join(", ")),
    }
}

const CLIENT: &str = "
use std::sync::{Arc, Mutex, RwLock};
use std::collections::HashMap;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
pub const LIMIT: u32 = 3;
pub static NAME: &str = \"x\";
type Res<T> = std::result::Result<T, Error>;
pub enum Error { Io(std::io::Error), Status { code: u16 }, Gone }
pub struct Config { pub retries: usize, pub wait: Duration }
pub struct Pool<T> { inner: Mutex<Vec<T>> }
impl<T> Pool<T> { pub fn take_one(&self) -> Option<T> { None } }
pub struct Client { http: reqwest::Client, stream: Option<TcpStream>, config: Arc<Config>, pool: Pool<TcpStream>,
    shared: Arc<tokio::sync::Mutex<Option<reqwest::Client>>>, std_lock: Arc<RwLock<Config>>, peers: Vec<Peer>, by_name: HashMap<String, Peer>,
    task: Box<dyn Dial>, pair: (u8, Peer) }
pub struct Peer(TcpStream, u64);
pub trait Dial { fn dial(&self) -> Res<TcpStream>; }
impl Client {
    pub fn new() -> Self { todo!() }
    pub fn with_wait(self, wait: Duration) -> Self { self }
    pub async fn get(&self, url: &str) -> Res<reqwest::Response> { todo!() }
    pub fn later(&self) -> std::pin::Pin<Box<dyn std::future::Future<Output = Res<Peer>> + Send>> { todo!() }
    fn probe(&self, n: u64, dial: impl Dial, url: &str) { EXPR }
}
async fn session() -> Res<Client> { todo!() }
";

/// The type of an expression inside `Client::probe`.
fn type_in_probe(code: &str) -> String {
    let krate = krate(&[("src/lib.rs", &CLIENT.replace("EXPR", code))]);
    let at = item(&krate, "Client::probe");
    let body = krate.body(at).unwrap_or_else(|| panic!("{code} does not parse: {:?}", krate.problems()));
    krate.type_of(at, body, last_expr(body)).map_or("?".to_owned(), |ty| words(&ty))
}

#[track_caller]
fn assert_types(questions: &[(&str, &str)]) {
    for (code, answer) in questions {
        assert_eq!(type_in_probe(code), *answer, "the type of {code}");
    }
}

#[test]
fn literals_casts_constants_and_parameters() {
    assert_types(&[
        ("5u8", "u8"),
        ("5", "?"),
        ("x as u64", "u64"),
        ("LIMIT", "u32"),
        ("NAME", "str"),
        ("n", "u64"),
        ("n * 2", "u64"),
        ("2 * n", "u64"),
        ("n == 3", "bool"),
        ("u32::MAX", "u32"),
        ("Duration::from_secs(1) * 2", "std::time::Duration"),
        ("Instant::now().elapsed()", "std::time::Duration"),
        ("Instant::now() - Instant::now()", "?"),
        ("url.parse::<u16>()?", "u16"),
        ("Duration::from_secs(3).as_millis()", "u128"),
        ("format!(\"{url}\")", "String"),
        ("unheard_of", "?"),
    ]);
}

#[test]
fn fields_and_what_wraps_them() {
    assert_types(&[
        ("self", "crate::Client"),
        ("self.http", "reqwest::Client"),
        ("self.http.clone()", "reqwest::Client"),
        ("&mut self.http", "reqwest::Client"),
        ("self.stream.as_mut().unwrap()", "tokio::net::TcpStream"),
        ("self.config.wait", "std::time::Duration"),
        ("self.shared.lock().await", "Option<reqwest::Client>"),
        ("self.shared.lock().await.as_ref().unwrap()", "reqwest::Client"),
        ("self.std_lock.read().unwrap().retries", "usize"),
        ("self.pair.1", "crate::Peer"),
        ("self.pair.1.0", "tokio::net::TcpStream"),
        ("self.peers[0].1", "u64"),
        ("self.peers.first().unwrap()", "crate::Peer"),
        ("self.by_name.get(url)", "Option<crate::Peer>"),
        ("self.http.get(url)", "?"),
        ("self.nothing", "?"),
    ]);
}

#[test]
fn constructors_and_own_functions() {
    assert_types(&[
        ("Client::new()", "crate::Client"),
        ("Client::new().with_wait(w)", "crate::Client"),
        ("TcpStream::connect(url).await?", "tokio::net::TcpStream"),
        ("reqwest::Client::new()", "reqwest::Client"),
        ("reqwest::Client::builder()", "?"),
        ("reqwest::get(url)", "?"),
        ("Arc::new(Client::new())", "std::sync::Arc<crate::Client>"),
        ("Arc::clone(&self.config)", "std::sync::Arc<crate::Config>"),
        ("Some(Client::new())", "Option<crate::Client>"),
        ("Config { retries: 1, wait: w }", "crate::Config"),
        ("Error::Gone", "crate::Error"),
        ("Error::Io(e)", "crate::Error"),
        ("session().await", "Result<crate::Client, crate::Error>"),
        ("session().await?", "crate::Client"),
        ("self.get(url).await?", "reqwest::Response"),
        ("self.later().await?.1", "u64"),
        ("dial.dial()?", "tokio::net::TcpStream"),
        ("self.task.dial().unwrap()", "tokio::net::TcpStream"),
        ("self.pool.take_one()?", "tokio::net::TcpStream"),
        ("Vec::<u8>::new()", "Vec<u8>"),
        ("vec![Client::new()]", "Vec<crate::Client>"),
        ("todo()", "?"),
        // Made by a derive, and by one of several impls.
        ("Config::default()", "crate::Config"),
        ("Self::default()", "crate::Client"),
        ("Error::from(5)", "crate::Error"),
        ("Dial::default()", "?"),
        ("Config::load()", "?"),
    ]);
}

#[test]
fn what_patterns_bind() {
    assert_types(&[
        ("let Some(s) = self.stream else { return }; s", "tokio::net::TcpStream"),
        ("if let Some(s) = &mut self.stream { s } else { return }", "tokio::net::TcpStream"),
        ("match self.get(url).await { Ok(r) => r, Err(_) => return }", "reqwest::Response"),
        ("match self.get(url).await { Err(e) => e, Ok(_) => return }", "crate::Error"),
        ("match e { Error::Status { code } => code, _ => return }", "u16"),
        ("match e { Error::Io(inner) => inner, _ => return }", "std::io::Error"),
        ("let (a, b) = (self.http, n); b", "u64"),
        ("let Peer(s, _) = p; s", "tokio::net::TcpStream"),
        ("let x: Config = load(); x.retries", "usize"),
        ("let c; c = Client::new(); c", "crate::Client"),
        ("let mut c = None; c = Some(Client::new()); c", "Option<crate::Client>"),
        ("let w @ (_, p) = self.pair; p", "crate::Peer"),
        ("for p in &self.peers { return p; }\nlet [first, ..] = self.peers; first", "crate::Peer"),
        ("let f = |c: Config| c; f", "?"),
        ("let x = unheard_of(); x", "?"),
        ("let x = x; x", "?"),
    ]);
    assert_types(&[(
        "let mut last = 0u64; for (i, p) in self.peers.iter().enumerate() { last = p.1; }; last",
        "u64",
    )]);
}

#[test]
fn pointers_peeled_and_all_wrappers() {
    let krate = krate(&[("src/lib.rs", CLIENT)]);
    let client = krate.type_of_field("Client", "shared");
    assert_eq!(words(peeled(&client)), "tokio::sync::Mutex<Option<reqwest::Client>>");
    assert_eq!(words(innermost(&client)), "reqwest::Client");
}

#[test]
fn methods_by_type_and_by_name() {
    let krate = krate(&[(
        "src/lib.rs",
        "pub struct A; pub struct B;
impl A { pub fn go(&self) {} pub fn only_here(&self, n: u32) {} pub fn push(&self) {} }
impl B { pub fn go(&self) {} fn new_one() {} }
trait T { fn run(&self); fn idle(&self) {} fn busy(&self) {} }
impl T for A { fn run(&self) {} fn busy(&self) {} }
trait Many { fn each(&self); }
impl Many for A { fn each(&self) {} } impl Many for B { fn each(&self) {} }
trait Ext { fn send_again(&self); } impl Ext for reqwest::Client { fn send_again(&self) {} }
fn f(a: A, client: reqwest::Client, t: &dyn T, m: Box<dyn Many>) {}",
    )]);
    let head = krate.signature(item(&krate, "f")).unwrap();
    let types: Vec<Ty> = head.params.iter().map(|ty| krate.full_type(item(&krate, "f"), ty)).collect();
    let name = |ty: &Ty, name: &str| krate.method(ty, name).map(|at| krate.qualified_name(at));
    let [a, client, dyn_t, many] = types.as_slice() else { panic!() };
    assert_eq!(name(a, "go").as_deref(), Some("A::go"));
    assert_eq!(name(a, "run").as_deref(), Some("A::run"));
    assert_eq!(name(a, "idle").as_deref(), Some("T::idle"));
    assert_eq!(name(a, "missing"), None);
    assert_eq!(name(client, "send_again").as_deref(), Some("Client::send_again"));
    assert_eq!(name(client, "get"), None);
    assert_eq!(name(dyn_t, "run").as_deref(), Some("A::run"));
    assert_eq!(name(dyn_t, "busy").as_deref(), Some("A::busy"));
    assert_eq!(name(many, "each").as_deref(), Some("Many::each"));

    let by_name = |name: &str, args| krate.method_by_name(name, args).map(|at| krate.qualified_name(at));
    assert_eq!(by_name("only_here", 1).as_deref(), Some("A::only_here"));
    assert_eq!(by_name("only_here", 0), None);
    assert_eq!(by_name("go", 0), None);
    assert_eq!(by_name("push", 0), None);
    assert_eq!(by_name("new_one", 0), None);
    assert_eq!(by_name("run", 0).as_deref(), Some("A::run"));
}

#[test]
fn types_that_grow_without_end_stop() {
    let krate = krate(&[(
        "src/lib.rs",
        "type A<T> = (B<T>, B<T>); type B<T> = (A<T>, A<T>); type L = L;\nfn f<T: Into<(T, T, T)>>(a: A<u8>, t: T, l: L) { a; t; l }",
    )]);
    let at = item(&krate, "f");
    let body = krate.body(at).unwrap();
    assert!(krate.type_of(at, body, last_expr(body)).is_some());
    for (id, _) in body.exprs() {
        let _ = krate.type_of(at, body, id);
    }
}

#[test]
fn number_types() {
    let questions = [
        ("5u16", Some("u16")),
        ("n * 2", Some("u64")),
        ("1 << n", Some("i32")),
        ("let x = 2; x", Some("i32")),
        ("let x = 1.5; x", Some("f64")),
        ("let x = 100; Duration::from_millis(x); x", Some("u64")),
        ("let base = 100; let d = base * 2; Duration::from_millis(d); base", Some("u64")),
        ("let mut a = 0; if a < LIMIT {} a += 1; a", Some("u32")),
        ("let mut a = 0; unheard_of(a); a", None),
        ("let mut a = 0; println!(\"{}\", a); a", Some("i32")),
        ("let a = 3; 2u64.pow(a); a", Some("u32")),
        ("let a = 3; 2u64.pow(a)", Some("u64")),
        ("2.pow(n) * n", Some("u64")),
        ("let a = 3; self.config.retries > a; a", Some("usize")),
        ("let a = 3; self.peers[a]; a", Some("usize")),
        ("let a = 3; Duration::from_secs(1) * a; a", Some("u32")),
        ("let a = 3; Config { retries: a, wait: w }; a", Some("usize")),
        ("let mut last = 0; for i in 0..self.config.retries { last = i; } last", Some("usize")),
        ("let mut last = 0; for i in 0..=5 { last = i; } last", Some("i32")),
        ("let mut d = 1; loop { d = d * 2; if d > n { break; } } d", Some("u64")),
        ("let mut d = 1; d = unheard_of(d); d", None),
        ("let d = 5 as f32; d", Some("f32")),
        ("let a = 3; self.peers.iter().skip(a); a", Some("usize")),
        ("let a = 3; (0..9).take(a); a", Some("usize")),
        ("let a = 3; reader.take(a); a", None),
        ("let a = 3; unheard_of[a]; a", None),
        ("self.config.retries.min(3)", Some("usize")),
        ("3.min(self.config.retries)", Some("usize")),
        ("let x: u16 = 3; x + 1", Some("u16")),
        ("unheard_of()", None),
    ];
    for (code, answer) in questions {
        let krate = krate(&[("src/lib.rs", &CLIENT.replace("EXPR", &format!("{code};")))]);
        let at = item(&krate, "Client::probe");
        let body = krate.body(at).unwrap_or_else(|| panic!("{code} does not parse"));
        assert_eq!(krate.int_type(at, body, last_expr(body)), answer, "the type of {code}");
    }
}

#[test]
fn number_types_by_what_is_returned() {
    let krate = krate(&[(
        "src/lib.rs",
        "fn f() -> u64 { 3 }\nconst A: u16 = 5 * 2;\nfn g(n: u8) -> u64 { let mut a = 1; if n > 3 { return a; } 0 }",
    )]);
    for (name, answer) in [("f", "u64"), ("A", "u16"), ("g", "u64")] {
        let at = item(&krate, name);
        let body = krate.body(at).unwrap();
        assert_eq!(krate.int_type(at, body, last_expr(body)), Some(answer), "{name}");
    }
}

#[test]
fn bodies_that_do_not_parse_are_problems_with_a_place() {
    let krate = krate_of(
        "",
        &[(
            "src/lib.rs",
            "fn good() { 1 }\n\nfn bad() { let = ; }\nmacro_rules! m { ($x:expr) => { $x + 1 }; }",
        )],
    );
    assert!(krate.problems().is_empty());
    assert!(krate.body(item(&krate, "good")).is_some());
    assert!(krate.body(item(&krate, "bad")).is_none());
    assert!(krate.body(item(&krate, "bad")).is_none());
    assert_eq!(krate.macro_arms(item(&krate, "m")).len(), 1);
    assert!(krate.macro_arms(item(&krate, "good")).is_empty());
    let problems = krate.problems();
    assert_eq!(problems.len(), 1);
    assert_eq!((problems[0].path.as_str(), problems[0].line), ("src/lib.rs", 3));
}
