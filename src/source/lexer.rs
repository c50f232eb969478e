//! Rust's tokens, as far as an outline needs them: words, literals, brackets, and the few operators of two bytes that change what follows.
//! It must read any bytes in linear time, without recursion: hostile files end up here first.

use memchr::{memchr, memchr2};

/// A token; its text is `start..end` of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: u32,
    pub(super) end: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A word, keywords and `_` included.
    Ident,
    /// `r#word`: never a keyword.
    RawIdent,
    /// `'a`
    Lifetime,
    /// Strings, characters and numbers of every kind.
    Literal,
    /// `(`, `[`, `{`
    Open(u8),
    /// `)`, `]`, `}`
    Close(u8),
    /// `::`
    PathSep,
    /// `->`
    Arrow,
    /// `=>`
    FatArrow,
    /// `..`, `...`, `..=`
    Dots,
    /// `&&`
    AndAnd,
    /// `||`
    OrOr,
    /// `==`, `!=`, `<=`
    Compare,
    /// `>=`, which may also end a list of generics
    AtLeast,
    /// `<<`, which may also begin two lists of generics
    Shl,
    /// Any other byte.
    Punct(u8),
    /// Line and block comments, docs too.
    Comment,
}

/// The tokens of a text. A clone looks ahead.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    /// Where a string or comment begins that the file never ends.
    pub(super) unterminated: Option<u32>,
}

impl<'t> Lexer<'t> {
    /// Starts behind a byte order mark and a shebang line.
    pub(super) fn new(text: &'t str) -> Self {
        let mut lexer = Self { text, at: 0, unterminated: None };
        if text.starts_with('\u{feff}') {
            lexer.at = '\u{feff}'.len_utf8();
        }
        let rest = lexer.rest();
        // `#![…]` is an attribute; anything else behind `#!` is for the shell.
        if let Some(line) = rest.strip_prefix("#!")
            && !line.trim_start().starts_with('[')
        {
            lexer.at += memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        }
        lexer
    }

    /// The next token, comments included.
    pub(super) fn next(&mut self) -> Option<Token> {
        self.skip_blanks();
        let start = self.at;
        let first = *self.text.as_bytes().get(start)?;
        let kind = match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => self.word(),
            b'0'..=b'9' => self.number(),
            b'"' => self.string(start + 1),
            b'\'' => self.quote(),
            b'/' if self.byte(start + 1) == b'/' => self.line_comment(),
            b'/' if self.byte(start + 1) == b'*' => self.block_comment(),
            b'(' | b'[' | b'{' => self.take(1, Kind::Open(first)),
            b')' | b']' | b'}' => self.take(1, Kind::Close(first)),
            _ => self.operator(first),
        };
        Some(Token { kind, start: start as u32, end: self.at as u32 })
    }

    /// The next token that is not a comment.
    pub(super) fn next_code(&mut self) -> Option<Token> {
        loop {
            let token = self.next()?;
            if token.kind != Kind::Comment {
                return Some(token);
            }
        }
    }

    /// The text of a token, `r#` left out.
    pub(super) fn text_of(&self, token: Token) -> &'t str {
        let start = token.start as usize + if token.kind == Kind::RawIdent { 2 } else { 0 };
        self.text.get(start..token.end as usize).unwrap_or_default()
    }

    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn bytes_from(&self, at: usize) -> &'t [u8] {
        self.text.as_bytes().get(at..).unwrap_or_default()
    }

    fn take(&mut self, bytes: usize, kind: Kind) -> Kind {
        self.at += bytes;
        kind
    }

    fn skip_blanks(&mut self) {
        loop {
            match self.byte(self.at) {
                b' ' | b'\n' | b'\r' | b'\t' | 0x0b | 0x0c => self.at += 1,
                0x80.. => match self.rest().chars().next() {
                    Some(c) if is_blank(c) => self.at += c.len_utf8(),
                    _ => return,
                },
                _ => return,
            }
        }
    }

    fn skip_word(&mut self) {
        loop {
            match self.byte(self.at) {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => self.at += 1,
                0x80.. => match self.rest().chars().next() {
                    Some(c) if !is_blank(c) => self.at += c.len_utf8(),
                    _ => return,
                },
                _ => return,
            }
        }
    }

    /// A word, or the literal that a prefix like `b`, `r#` or `c` begins.
    fn word(&mut self) -> Kind {
        let start = self.at;
        self.skip_word();
        let word = self.text.as_bytes().get(start..self.at).unwrap_or_default();
        match (self.byte(self.at), word) {
            (b'"', b"b" | b"c") => self.string(self.at + 1),
            (b'\'', b"b") => self.quote(),
            (b'"' | b'#', b"r" | b"br" | b"cr") => self.raw(word == b"r"),
            _ => Kind::Ident,
        }
    }

    /// Behind `r`, `br` or `cr`: a raw string, a raw word, or just the word.
    fn raw(&mut self, may_be_word: bool) -> Kind {
        let hashes = self.bytes_from(self.at).iter().take_while(|&&byte| byte == b'#').count();
        if self.byte(self.at + hashes) == b'"' {
            return self.raw_string(self.at + hashes + 1, hashes);
        }
        if may_be_word && hashes == 1 && is_word_start(self.byte(self.at + 1)) {
            self.at += 1;
            self.skip_word();
            return Kind::RawIdent;
        }
        Kind::Ident
    }

    fn raw_string(&mut self, mut from: usize, hashes: usize) -> Kind {
        while let Some(found) = memchr(b'"', self.bytes_from(from)) {
            from += found + 1;
            let closing = self.bytes_from(from).iter().take(hashes).take_while(|&&byte| byte == b'#').count();
            if closing == hashes {
                self.at = from + hashes;
                return Kind::Literal;
            }
        }
        self.never_ends(Kind::Literal)
    }

    /// A string whose text begins at `from`.
    fn string(&mut self, mut from: usize) -> Kind {
        while let Some(found) = memchr2(b'"', b'\\', self.bytes_from(from)) {
            from += found;
            if self.byte(from) == b'"' {
                self.at = from + 1;
                return Kind::Literal;
            }
            from += 2;
        }
        self.never_ends(Kind::Literal)
    }

    /// At a `'`: a character, a lifetime, or a stray quote.
    fn quote(&mut self) -> Kind {
        let inside = self.at + 1;
        let Some(c) = self.text.get(inside..).and_then(|rest| rest.chars().next()) else {
            return self.take(1, Kind::Punct(b'\''));
        };
        if c == '\\' {
            return self.escaped_char(inside);
        }
        if self.byte(inside + c.len_utf8()) == b'\'' && c != '\'' {
            self.at = inside + c.len_utf8() + 1;
            return Kind::Literal;
        }
        if !is_word_start(self.byte(inside)) {
            return self.take(1, Kind::Punct(b'\''));
        }
        self.at = inside;
        self.skip_word();
        if self.byte(self.at) == b'#' && self.at == inside + 1 && is_word_start(self.byte(self.at + 1)) {
            self.at += 1;
            self.skip_word();
        }
        Kind::Lifetime
    }

    /// A character whose backslash is at `backslash`. It ends on its line, so that a stray quote does not swallow the file.
    fn escaped_char(&mut self, backslash: usize) -> Kind {
        let from = backslash + 2;
        let end = memchr2(b'\'', b'\n', self.bytes_from(from)).map_or(self.text.len(), |found| from + found);
        self.at = if self.byte(end) == b'\'' { end + 1 } else { end };
        Kind::Literal
    }

    /// Also eats the point and exponent of a float; what it gets wrong (`x.0.1` is one number) does not matter here.
    fn number(&mut self) -> Kind {
        let start = self.at;
        self.skip_word();
        if self.byte(self.at) == b'.' && ends_number(self.byte(self.at + 1)) {
            self.at += 1;
            self.skip_word();
        }
        let hex = matches!(self.byte(start + 1), b'x' | b'X');
        let exponent = matches!(self.byte(self.at - 1), b'e' | b'E') && !hex;
        if exponent && matches!(self.byte(self.at), b'+' | b'-') && self.byte(self.at + 1).is_ascii_digit() {
            self.at += 1;
            self.skip_word();
        }
        Kind::Literal
    }

    fn line_comment(&mut self) -> Kind {
        self.at = memchr(b'\n', self.bytes_from(self.at)).map_or(self.text.len(), |found| self.at + found);
        Kind::Comment
    }

    fn block_comment(&mut self) -> Kind {
        let mut from = self.at + 2;
        let mut depth = 1_usize;
        while let Some(found) = memchr2(b'/', b'*', self.bytes_from(from)) {
            from += found;
            match (self.byte(from), self.byte(from + 1)) {
                (b'/', b'*') => depth += 1,
                (b'*', b'/') => depth -= 1,
                _ => {
                    from += 1;
                    continue;
                }
            }
            from += 2;
            if depth == 0 {
                self.at = from;
                return Kind::Comment;
            }
        }
        self.never_ends(Kind::Comment)
    }

    fn operator(&mut self, first: u8) -> Kind {
        match (first, self.byte(self.at + 1)) {
            (b':', b':') => self.take(2, Kind::PathSep),
            (b'-', b'>') => self.take(2, Kind::Arrow),
            (b'=', b'>') => self.take(2, Kind::FatArrow),
            (b'=' | b'!' | b'<', b'=') => self.take(2, Kind::Compare),
            (b'>', b'=') => self.take(2, Kind::AtLeast),
            (b'<', b'<') => self.take(2, Kind::Shl),
            (b'&', b'&') => self.take(2, Kind::AndAnd),
            (b'|', b'|') => self.take(2, Kind::OrOr),
            (b'.', b'.') => {
                let third = matches!(self.byte(self.at + 2), b'.' | b'=');
                self.take(if third { 3 } else { 2 }, Kind::Dots)
            }
            _ => self.take(1, Kind::Punct(first)),
        }
    }

    fn never_ends(&mut self, kind: Kind) -> Kind {
        let start = self.at;
        self.at = self.text.len();
        self.unterminated.get_or_insert(start as u32);
        kind
    }
}

fn is_word_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

/// Whether a `.` before this byte belongs to the number before it, as in `1.5` and `1.;`, not in `1..2`, `1.max(2)`.
fn ends_number(next: u8) -> bool {
    next != b'.' && !is_word_start(next)
}

/// Rust's white space beyond ASCII; a byte order mark counts as well.
fn is_blank(c: char) -> bool {
    matches!(c, '\u{85}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{feff}')
}
