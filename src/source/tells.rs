//! What a body's tokens tell about it: loops, recursion, telling words, macros.
//! Generous on purpose: a body that tells nothing is never parsed for its own sake, so what is missed here is missed for good.

use super::lexer::{Kind, Token};
use super::outline::{Reader, is_macro_name};
use super::words::{TellingParts, Word, is_plain_call, is_plain_macro};
use super::{ItemKind, Tells};

impl Reader<'_> {
    /// Notes what a token tells about the innermost item.
    pub(super) fn tell(&mut self, token: Token, word: Word) {
        let telling = is_name(token) && self.telling.in_name(token.start, token.end);
        let Some(item) = self.open.last_mut() else { return };
        let (kind, in_body) = (item.kind, item.in_body);
        item.telling_name |= telling && !in_body;
        if !has_tells(kind) {
            return;
        }
        // A function's own name and signature tell as much as its body: `fn backoff(n: u32) -> Duration { … }`.
        let told = Tells {
            words: telling && (in_body || matches!(kind, ItemKind::Fn | ItemKind::Const | ItemKind::Static)),
            loops: in_body && self.is_loop(word),
            recursion: in_body && kind == ItemKind::Fn && self.names_itself(token),
            macros: in_body && self.calls_macro(token),
            twice: false,
        };
        let call = if in_body && kind == ItemKind::Fn { self.calls(token) } else { None };
        let awaits = in_body && word == Word::Name && self.awaits(token);
        if let Some(item) = self.open.last_mut() {
            if let Some(call) = call {
                item.called.note(call);
            }
            item.called.awaits |= awaits;
            let tells = &mut item.tells;
            tells.twice = item.called.awaits && item.called.twice;
            tells.words |= told.words;
            tells.loops |= told.loops;
            tells.recursion |= told.recursion;
            tells.macros |= told.macros;
        }
    }

    fn is_loop(&self, word: Word) -> bool {
        match word {
            Word::Loop | Word::While => true,
            // `for<'a>` is none.
            Word::For => self.next_kind() != Some(Kind::Punct(b'<')),
            _ => false,
        }
    }

    /// Whether the innermost item's name is called here, or given away as a path to be called.
    fn names_itself(&self, token: Token) -> bool {
        let name = match token.kind {
            // `name(…)`
            Kind::Open(b'(') => self.last.0,
            // `name::<T>(…)`
            Kind::Punct(b'<') if self.last.0.kind == Kind::PathSep => self.before_last.0,
            // `Self::name`
            Kind::Ident | Kind::RawIdent if self.last.0.kind == Kind::PathSep => token,
            _ => return false,
        };
        if !is_name(name) {
            return false;
        }
        let own = self.open.last().and_then(|open| self.out.items.get(open.id.0 as usize));
        own.is_some_and(|own| own.name == self.span_text(name))
    }

    /// The name of what is called here, in short; of what an expression gives, a name that no other has.
    fn calls(&self, token: Token) -> Option<u64> {
        let before = self.last.0;
        match (token.kind, before.kind) {
            (Kind::Open(b'('), Kind::Close(b')')) => Some(0),
            (Kind::Open(b'('), Kind::Ident | Kind::RawIdent) if self.last.1 == Word::Name => {
                let name = self.span_text(before);
                let telling =
                    name.starts_with(|c: char| c.is_lowercase() || c == '_') && !is_plain_call(name);
                telling.then(|| short(name))
            }
            _ => None,
        }
    }

    fn awaits(&self, token: Token) -> bool {
        is_name(token) && self.last.0.kind == Kind::Punct(b'.') && self.span_text(token) == "await"
    }

    fn calls_macro(&self, token: Token) -> bool {
        let opens = matches!(token.kind, Kind::Open(_)) && self.last.0.kind == Kind::Punct(b'!');
        opens && is_macro_name(self.before_last) && !is_plain_macro(self.span_text(self.before_last.0))
    }
}

/// Names that a body has called so far.
#[derive(Debug, Default)]
pub(super) struct Called {
    names: Vec<u64>,
    twice: bool,
    awaits: bool,
}

impl Called {
    /// Names that are remembered in one body: what is sent once more stands near what was sent.
    const MOST: usize = 64;

    fn note(&mut self, name: u64) {
        if self.twice {
            return;
        }
        if self.names.contains(&name) {
            self.twice = true;
            self.names = Vec::new();
        } else if self.names.len() < Self::MOST {
            self.names.push(name);
        }
    }
}

/// A name as a number; two names that give the same one cost time only.
fn short(name: &str) -> u64 {
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Whether a file's name tells of retrying: `src/retry.rs`.
pub(super) fn is_telling_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    TellingParts::new(name).in_name(0, name.len() as u32)
}

fn is_name(token: Token) -> bool {
    matches!(token.kind, Kind::Ident | Kind::RawIdent)
}

fn has_tells(kind: ItemKind) -> bool {
    matches!(kind, ItemKind::Fn | ItemKind::Const | ItemKind::Static | ItemKind::MacroRules)
}
