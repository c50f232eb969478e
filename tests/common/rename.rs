//! Changes of a source that change nothing of what it does: other names for what it defines itself, another order of arms that exclude each other.
//! On tokens, with their places, so that everything else stays byte for byte.

use super::in_repository;
use proc_macro2::{Delimiter, Group, Ident, Spacing, TokenStream, TokenTree};
use quote::ToTokens as _;
use retry_lint::knowledge::{Knowledge, says};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::OnceLock;
use syn::parse::{ParseStream, Parser as _};

/// Names of the language: keywords, primitive types, and what fragments of macros are called.
const LANGUAGE: &str = "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref \
    return self Self static struct super trait true type unsafe use where while union macro_rules raw biased \
    bool char str f32 f64 i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize \
    block expr expr_2021 ident item lifetime literal meta pat pat_param path stmt tt ty vis yield default";

/// The texts with new names for what they define and nobody else knows: `x1`, `x2`, …, in the style of the old ones. Lines stay.
pub fn renamed(texts: &[&str]) -> Vec<String> {
    let mut names = Names::default();
    for text in texts {
        names.collect(&text.parse().unwrap(), Around::default());
    }
    let new = names.new_names();
    texts.iter().map(|text| with_names(text, &new)).collect()
}

/// What a package defines, and what comes from elsewhere.
#[derive(Default)]
struct Names {
    /// Functions, types, variants, constants, modules.
    defined: BTreeSet<String>,
    /// Variables, parameters and fields.
    variables: BTreeSet<String>,
    foreign: BTreeSet<String>,
    functions: BTreeSet<String>,
    methods_called: BTreeSet<String>,
    /// A path's first segment, and one behind it.
    in_paths: BTreeSet<(String, String)>,
}

/// Where a list of tokens stands.
#[derive(Clone, Copy, Default)]
struct Around {
    /// In a `use`, an attribute, or the arguments of a macro that has its own words.
    foreign: bool,
    /// In the body of an `impl Trait for`: the names of its methods are the trait's.
    of_trait: bool,
    /// In the body of an `enum`.
    variants: bool,
}

impl Names {
    fn collect(&mut self, tokens: &TokenStream, around: Around) {
        let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
        let ident = |at: usize| match tokens.get(at) {
            Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
            _ => None,
        };
        let punct = |at: Option<usize>| match at.and_then(|at| tokens.get(at)) {
            Some(TokenTree::Punct(punct)) => Some(punct.as_char()),
            _ => None,
        };
        let mut inside = Around { variants: false, of_trait: false, ..around };
        let mut in_use = false;
        let mut header: Vec<String> = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            let before = punct(at.checked_sub(1));
            match token {
                TokenTree::Group(group) => {
                    let hash =
                        before == Some('#') || before == Some('!') && punct(at.checked_sub(2)) == Some('#');
                    let attribute = hash && group.delimiter() == Delimiter::Bracket;
                    let foreign = around.foreign || in_use || attribute;
                    self.collect(&group.stream(), Around { foreign, ..inside });
                    if group.delimiter() == Delimiter::Brace {
                        inside = Around { variants: false, of_trait: false, ..around };
                        header.clear();
                    }
                }
                TokenTree::Punct(punct) if punct.as_char() == ';' => {
                    in_use = false;
                    header.clear();
                }
                TokenTree::Ident(name) => {
                    let name = name.to_string();
                    let previous = at.checked_sub(1).and_then(ident);
                    header.push(name.clone());
                    match name.as_str() {
                        "use" => in_use = true,
                        "enum" => inside.variants = true,
                        "for" if header.first().is_some_and(|first| first == "impl") => {
                            inside.of_trait = true;
                        }
                        _ => {}
                    }
                    if around.foreign || in_use {
                        self.foreign.insert(name);
                        continue;
                    }
                    let behind = |at: usize| {
                        at >= 3 && punct(Some(at - 1)) == Some(':') && punct(Some(at - 2)) == Some(':')
                    };
                    let mut root = at;
                    while behind(root) && ident(root - 3).is_some() {
                        root -= 3;
                    }
                    if root != at {
                        self.in_paths.extend(ident(root).map(|root| (root, name.clone())));
                    }
                    let in_path =
                        root != at || punct(Some(at + 1)) == Some(':') && punct(Some(at + 2)) == Some(':');
                    let called = matches!(tokens.get(at + 1), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
                    let makes = ["fn", "struct", "enum", "trait", "mod", "const", "static", "type"];
                    let defines = previous.as_deref().is_some_and(|word| makes.contains(&word));
                    if previous.as_deref() == Some("fn") {
                        self.functions.insert(name.clone());
                    }
                    if before == Some('.') && called {
                        self.methods_called.insert(name.clone());
                    }
                    if before == Some('\'') {
                        self.foreign.insert(name);
                        continue;
                    }
                    if defines && !around.of_trait {
                        self.defined.insert(name);
                    } else if defines || around.of_trait && previous.as_deref() == Some("type") {
                        self.foreign.insert(name);
                    } else if around.variants
                        && matches!(before, None | Some(',' | ']'))
                        && name.starts_with(char::is_uppercase)
                    {
                        self.defined.insert(name);
                    } else if before == Some('.') && !called || in_path {
                        // A field or a path: ours only where something above says so.
                    } else if before == Some('.') || punct(Some(at + 1)) == Some('!') {
                        // A method or a macro: the same.
                    } else if name.starts_with(char::is_lowercase) && !called {
                        // A variable, a parameter, a field where it is declared or set.
                        self.variables.insert(name);
                    }
                }
                _ => {}
            }
        }
    }

    /// New names, by the order of the old ones; and whether the name is a variable's only, so that a method of that name is another thing.
    fn new_names(&self) -> BTreeMap<String, (String, bool)> {
        let elsewhere =
            |root: &str| !self.defined.contains(root) && !["crate", "self", "super", "Self"].contains(&root);
        let is_foreign = |name: &String| {
            self.methods_called.contains(name) && !self.functions.contains(name)
                || self.in_paths.iter().any(|(root, behind)| behind == name && elsewhere(root))
                || is_listed(name)
        };
        let ours = self.defined.iter().filter(|name| !is_foreign(name)).map(|name| (name, false));
        let variables =
            self.variables.iter().filter(|name| !self.defined.contains(*name)).map(|name| (name, true));
        let ours: BTreeMap<&String, bool> =
            ours.chain(variables).filter(|(name, _)| !self.foreign.contains(*name) && !tells(name)).collect();
        ours.into_iter()
            .zip(1..)
            .map(|((name, only), number)| (name.clone(), (styled(name, number), only)))
            .collect()
    }
}

fn styled(name: &str, number: usize) -> String {
    let letters = || name.chars().filter(|c| c.is_alphabetic());
    if letters().all(char::is_uppercase) && letters().count() > 1 {
        format!("X{number}")
    } else if name.starts_with(char::is_uppercase) {
        format!("X{number}x")
    } else {
        format!("x{number}")
    }
}

/// Whether a name means something whatever it names: to the language, or as a word of the vocabulary.
fn tells(name: &str) -> bool {
    static WORDS: OnceLock<Vec<Vec<String>>> = OnceLock::new();
    let words = WORDS.get_or_init(|| {
        let table = std::fs::read_to_string(in_repository("rules/vocabulary/words.toml")).unwrap();
        let table: toml::Table = table.parse().unwrap();
        let words = table["words"].as_table().unwrap().values();
        words
            .map(|list| list.as_array().unwrap().iter().map(|it| it.as_str().unwrap().to_owned()).collect())
            .collect()
    });
    let of_language =
        LANGUAGE.split_whitespace().any(|word| word == name) || name == "_" || name.starts_with("r#");
    of_language || words.iter().any(|list| says(list, name))
}

/// Whether the vocabulary lists a function, method, type or macro of this name.
fn is_listed(name: &str) -> bool {
    static LISTED: OnceLock<BTreeSet<String>> = OnceLock::new();
    let listed = LISTED.get_or_init(|| {
        let mut names = BTreeSet::new();
        for entry in Knowledge::builtin().unwrap().entries() {
            let segments =
                entry.paths.iter().chain(&entry.on).flat_map(|path| path.split("::")).map(str::to_owned);
            names.extend(segments.chain(entry.methods.iter().cloned()).chain(entry.macros.iter().cloned()));
        }
        names
    });
    listed.contains(name)
}

fn with_names(text: &str, new: &BTreeMap<String, (String, bool)>) -> String {
    let mut edits: Vec<(Range<usize>, &str)> = Vec::new();
    each_ident(&text.parse().unwrap(), &mut |ident, of_others| {
        if let Some((new, variable)) = new.get(&ident.to_string())
            && !(*variable && of_others)
        {
            edits.push((ident.span().byte_range(), new));
        }
    });
    edits.sort_by_key(|(range, _)| range.start);
    let mut out = String::new();
    let mut done = 0;
    for (range, new) in edits {
        out.push_str(&text[done..range.start]);
        out.push_str(new);
        done = range.end;
    }
    out.push_str(&text[done..]);
    // what a format string captures
    for (old, (new, _)) in new.iter().filter(|(_, (_, variable))| *variable) {
        out = out.replace(&format!("{{{old}}}"), &format!("{{{new}}}"));
        out = out.replace(&format!("{{{old}:"), &format!("{{{new}:"));
    }
    out
}

/// Every identifier but those of labels and lifetimes; and whether it is a method that is called, a macro, or part of a path.
fn each_ident(tokens: &TokenStream, see: &mut dyn FnMut(&Ident, bool)) {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let punct = |at: Option<usize>| match at.and_then(|at| tokens.get(at)) {
        Some(TokenTree::Punct(punct)) => Some((punct.as_char(), punct.spacing() == Spacing::Joint)),
        _ => None,
    };
    for (at, token) in tokens.iter().enumerate() {
        let (before, before_that) = (punct(at.checked_sub(1)), punct(at.checked_sub(2)));
        match token {
            TokenTree::Ident(_) if before == Some(('\'', true)) => {}
            TokenTree::Ident(ident) => {
                let called = matches!(tokens.get(at + 1), Some(TokenTree::Group(it)) if it.delimiter() == Delimiter::Parenthesis);
                let after_dot = matches!(before, Some(('.', _))) && !matches!(before_that, Some(('.', true)));
                let behind_colons = matches!((before_that, before), (Some((':', true)), Some((':', _))));
                let before_colons =
                    punct(Some(at + 1)) == Some((':', true)) && matches!(punct(Some(at + 2)), Some((':', _)));
                let macro_called = matches!(punct(Some(at + 1)), Some(('!', false)));
                see(ident, called && after_dot || behind_colons || before_colons || macro_called);
            }
            TokenTree::Group(group) => each_ident(&group.stream(), see),
            _ => {}
        }
    }
}

/// A text whose arms stand in another order, and where its bytes were before.
pub struct Reordered {
    pub text: String,
    /// Start in the new text, start in the old one; sorted by the new.
    pieces: Vec<(usize, usize)>,
}

impl Reordered {
    /// The line in the old text of a byte of the new one.
    pub fn old_line(&self, old: &str, byte: usize) -> u32 {
        let at = self.pieces.partition_point(|(new, _)| *new <= byte).saturating_sub(1);
        let (new_start, old_start) = self.pieces.get(at).copied().unwrap_or_default();
        let byte = (old_start + byte - new_start).min(old.len());
        1 + old[..byte].matches('\n').count() as u32
    }
}

/// The text with the arms of each `match` in reverse order, by what they begin with, where that excludes each other.
/// Of two arms with the same beginning the first stays first; an arm for the rest stays last.
pub fn reordered(text: &str) -> Reordered {
    let mut moves: Vec<Vec<(Range<usize>, Range<usize>)>> = Vec::new();
    find_matches(&text.parse().unwrap(), &mut |body| moves.extend(moved_arms(body)));
    // Of nested ones only the outer, which moves the inner with it.
    moves.sort_by_key(|arms| arms.iter().map(|(place, _)| place.start).min());
    let mut done = 0;
    let mut reordered = Reordered { text: String::new(), pieces: Vec::new() };
    for arms in moves {
        if arms.iter().any(|(place, _)| place.start < done) {
            continue;
        }
        for (place, arm) in arms {
            reordered.take(text, done..place.start);
            reordered.take(text, arm.clone());
            if !text[arm.clone()].ends_with([',', '}']) {
                reordered.text.push(',');
            }
            done = place.end;
        }
    }
    reordered.take(text, done..text.len());
    reordered
}

impl Reordered {
    fn take(&mut self, text: &str, range: Range<usize>) {
        self.pieces.push((self.text.len(), range.start));
        self.text.push_str(&text[range]);
    }
}

/// Calls with what follows each `match`, if it may be its body.
fn find_matches(tokens: &TokenStream, see: &mut dyn FnMut(&Group)) {
    let mut open = false;
    for token in tokens.clone() {
        match &token {
            TokenTree::Ident(ident) => open |= *ident == "match",
            TokenTree::Punct(punct) => open &= punct.as_char() != ';',
            TokenTree::Group(group) => {
                if open && group.delimiter() == Delimiter::Brace {
                    see(group);
                }
                find_matches(&group.stream(), see);
            }
            TokenTree::Literal(_) => {}
        }
    }
}

/// Each place of an arm, with the arm that goes there; `None` where nothing moves.
fn moved_arms(body: &Group) -> Option<Vec<(Range<usize>, Range<usize>)>> {
    let arms = (|input: ParseStream<'_>| {
        let mut arms = Vec::new();
        while !input.is_empty() {
            arms.push(input.parse::<syn::Arm>()?);
        }
        Ok(arms)
    })
    .parse2(body.stream())
    .ok()?;
    let rest = arms.last().is_some_and(|arm| beginning(&arm.pat).is_none());
    let movable = arms.get(..arms.len() - usize::from(rest))?;
    let mut groups: Vec<(String, Vec<Range<usize>>)> = Vec::new();
    for arm in movable {
        let (name, range) = (beginning(&arm.pat)?, range_of(arm)?);
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, ranges)) => ranges.push(range),
            None => groups.push((name, vec![range])),
        }
    }
    if groups.len() < 2 {
        return None;
    }
    let places: Option<Vec<Range<usize>>> = movable.iter().map(range_of).collect();
    let moved = groups.into_iter().rev().flat_map(|(_, ranges)| ranges);
    Some(places?.into_iter().zip(moved).collect())
}

/// The variant or literal that a pattern begins with; `None` where it may match anything.
fn beginning(pat: &syn::Pat) -> Option<String> {
    let path = |path: &syn::Path| path.segments.last().map(|segment| segment.ident.to_string());
    match pat {
        syn::Pat::Guard(guard) => beginning(&guard.pat),
        syn::Pat::Lit(lit) => Some(lit.to_token_stream().to_string()),
        syn::Pat::Path(it) => path(&it.path),
        syn::Pat::Struct(it) => path(&it.path),
        syn::Pat::TupleStruct(it) => path(&it.path),
        syn::Pat::Ident(it) if it.ident.to_string().starts_with(char::is_uppercase) => {
            Some(it.ident.to_string())
        }
        syn::Pat::Ident(it) => beginning(&it.subpat.as_ref()?.1),
        _ => None,
    }
}

fn range_of(arm: &syn::Arm) -> Option<Range<usize>> {
    let tokens: Vec<TokenTree> = arm.to_token_stream().into_iter().collect();
    Some(tokens.first()?.span().byte_range().start..tokens.last()?.span().byte_range().end)
}
