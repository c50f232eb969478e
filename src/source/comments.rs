//! Comments that speak to the tool, each with the code that it is about; and attributes that try to. Strings and doc text are no comments.
//! A file that does not name the tool is not even lexed. What a comment says is not read here.

use super::SourceFile;
use super::lexer::{Kind, Lexer, Token};
use crate::body::Span;
use memchr::{memchr, memmem, memrchr};

/// A comment and what it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The comment, its marks included.
    pub span: Span,
    /// What stands between its marks.
    pub inside: Span,
    /// The code before it on its line; else the next statement, arm, argument or item. `None` where nothing follows.
    pub about: Option<Span>,
}

/// A lint of the tool in an attribute: `#[allow(tool::lint)]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolLint {
    /// The path, as far as the lint's name.
    pub span: Span,
    /// What is done with the lint: `allow`, `expect`, …
    pub level: String,
    /// The lint's name, as written.
    pub lint: String,
    /// `#![…]`
    pub inner: bool,
}

/// The comments of a file that name the tool (`tool-name:`), in order. Docs are left out: they speak to readers.
pub fn comments_for(file: &SourceFile, tool: &str) -> Vec<Comment> {
    let text = file.text.as_str();
    if memmem::find(text.as_bytes(), tool.as_bytes()).is_none() {
        return Vec::new();
    }
    let tokens = Tokens::of(text);
    let mut budget = 16 * tokens.code.len() + 1024;
    let mut found = Vec::new();
    for comment in &tokens.comments {
        let Some(inside) = inside(text, *comment) else { continue };
        let words = text.get(inside.start as usize..inside.end as usize).unwrap_or_default();
        if !words.trim_start().starts_with(tool) {
            continue;
        }
        let about = before_on_line(text, *comment).or_else(|| tokens.next(file, *comment, &mut budget));
        found.push(Comment { span: Span { start: comment.start, end: comment.end }, inside, about });
    }
    found
}

/// The lints of the tool (`tool_name::`) in the attributes of a file, in order.
pub fn lints_of(file: &SourceFile, tool: &str) -> Vec<ToolLint> {
    const LEVELS: [&str; 5] = ["allow", "expect", "warn", "deny", "forbid"];
    let text = file.text.as_str();
    if memmem::find(text.as_bytes(), tool.as_bytes()).is_none() {
        return Vec::new();
    }
    let tokens = Tokens::of(text);
    let mut found = Vec::new();
    // the bracket that ends the attribute, whether it is an inner one, and the last level named in it
    let mut attribute: Option<(usize, bool)> = None;
    let mut level = "";
    for (at, token) in tokens.code.iter().enumerate() {
        let inner = tokens.kind(at + 1) == Some(Kind::Punct(b'!'));
        let bracket = at + 1 + usize::from(inner);
        if token.kind == Kind::Punct(b'#') && tokens.kind(bracket) == Some(Kind::Open(b'[')) {
            attribute = tokens.partner(bracket).map(|end| (end, inner));
            level = "";
        }
        let Some((_, inner)) = attribute.filter(|(end, _)| at < *end) else { continue };
        let word = tokens.text(text, at);
        if LEVELS.contains(&word) {
            level = LEVELS.iter().find(|known| **known == word).copied().unwrap_or_default();
        }
        let is_path = tokens.kind(at + 1) == Some(Kind::PathSep) && tokens.kind(at + 2) == Some(Kind::Ident);
        if word == tool && is_path && !level.is_empty() {
            let end = tokens.code.get(at + 2).map_or(token.end, |last| last.end);
            let lint = tokens.text(text, at + 2).to_owned();
            found.push(ToolLint {
                span: Span { start: token.start, end },
                level: level.to_owned(),
                lint,
                inner,
            });
        }
    }
    found
}

/// What stands between the marks of a comment; `None` for docs.
fn inside(text: &str, comment: Token) -> Option<Span> {
    let written = text.get(comment.start as usize..comment.end as usize)?;
    let is_doc = match written.as_bytes() {
        // four slashes and three stars are ruled lines, not docs
        [b'/', b'/', b'/', rest @ ..] => rest.first() != Some(&b'/'),
        [b'/', b'*', b'*', rest @ ..] => !matches!(rest.first(), None | Some(b'*' | b'/')),
        [b'/', b'/' | b'*', b'!', ..] => true,
        _ => false,
    };
    if is_doc {
        return None;
    }
    let closed = written.starts_with("/*") && written.len() >= 4 && written.ends_with("*/");
    let end = comment.end - if closed { 2 } else { 0 };
    Some(Span { start: comment.start + 2, end })
}

/// The code before a comment on its line.
fn before_on_line(text: &str, comment: Token) -> Option<Span> {
    let before = text.get(..comment.start as usize)?;
    let line_start = memrchr(b'\n', before.as_bytes()).map_or(0, |newline| newline + 1);
    let code = before.get(line_start..)?.trim_start_matches('\u{feff}');
    let start = before.len() - code.trim_start().len();
    // a comment before this one is no code
    let is_code = !code.trim().is_empty() && !code.trim_start().starts_with("/*");
    is_code.then_some(Span { start: start as u32, end: comment.start })
}

/// The tokens of a file, and which brackets belong together.
struct Tokens {
    code: Vec<Token>,
    comments: Vec<Token>,
    /// For each opening bracket among `code` the one that closes it, `usize::MAX` for all else.
    partners: Vec<usize>,
}

impl Tokens {
    fn of(text: &str) -> Self {
        let mut lexer = Lexer::new(text);
        let (mut code, mut comments) = (Vec::new(), Vec::new());
        while let Some(token) = lexer.next() {
            if token.kind == Kind::Comment { comments.push(token) } else { code.push(token) }
        }
        let mut partners = vec![usize::MAX; code.len()];
        let mut open: Vec<usize> = Vec::new();
        for (at, token) in code.iter().enumerate() {
            match token.kind {
                Kind::Open(_) => open.push(at),
                Kind::Close(_) => {
                    if let Some(partner) = open.pop().and_then(|opener| partners.get_mut(opener)) {
                        *partner = at;
                    }
                }
                _ => {}
            }
        }
        Self { code, comments, partners }
    }

    fn kind(&self, at: usize) -> Option<Kind> {
        self.code.get(at).map(|token| token.kind)
    }

    fn partner(&self, at: usize) -> Option<usize> {
        self.partners.get(at).copied().filter(|partner| *partner != usize::MAX)
    }

    fn text<'t>(&self, text: &'t str, at: usize) -> &'t str {
        let token = self.code.get(at).filter(|token| token.kind == Kind::Ident);
        token.and_then(|token| text.get(token.start as usize..token.end as usize)).unwrap_or_default()
    }

    /// What begins behind a comment: an item, or a statement as far as it goes.
    fn next(&self, file: &SourceFile, comment: Token, budget: &mut usize) -> Option<Span> {
        let mut first = self.code.partition_point(|token| token.start < comment.end);
        let begins = self.code.get(first)?.start;
        while self.kind(first) == Some(Kind::Punct(b'#')) && self.kind(first + 1) == Some(Kind::Open(b'[')) {
            first = self.partner(first + 1)? + 1;
        }
        let start = self.code.get(first)?.start;
        if matches!(self.kind(first), Some(Kind::Close(_))) {
            return None;
        }
        if let Some(item) = item_at(file, start) {
            return Some(Span { start: begins.min(start), end: item.end });
        }
        let end = self.statement_end(&file.text, first, budget);
        Some(Span { start: begins, end: end.unwrap_or_else(|| line_end(&file.text, start)) })
    }

    /// Where the statement, arm, argument or field ends that begins with a token. `None` where the search is given up.
    fn statement_end(&self, text: &str, first: usize, budget: &mut usize) -> Option<u32> {
        let declares = matches!(self.text(text, first), "let" | "const" | "static" | "use" | "type");
        // where a block may stand that ends the statement by itself
        let mut block_begins = first;
        if self.kind(first) == Some(Kind::Lifetime) {
            block_begins = first + 2;
        }
        let mut block_like = self.begins_block(text, block_begins);
        let mut angles = 0_usize;
        let mut end = self.code.get(first)?.end;
        let mut at = first;
        while let Some(token) = self.code.get(at) {
            *budget = budget.checked_sub(1)?;
            match token.kind {
                Kind::Close(_) => return Some(end),
                Kind::Punct(b';') => return Some(token.end),
                Kind::Punct(b',') if !declares && angles == 0 => return Some(token.end),
                Kind::Punct(b'<') if self.kind(at.wrapping_sub(1)) == Some(Kind::PathSep) || angles > 0 => {
                    angles += 1;
                }
                Kind::Punct(b'>') => angles = angles.saturating_sub(1),
                Kind::FatArrow => block_like = self.begins_block(text, at + 1),
                Kind::Open(bracket) => {
                    at = self.partner(at)?;
                    let close = self.code.get(at)?;
                    end = close.end;
                    if bracket == b'{' && block_like && !self.goes_on(text, at + 1) {
                        return Some(end);
                    }
                    at += 1;
                    continue;
                }
                _ => {}
            }
            end = token.end;
            at += 1;
        }
        Some(end)
    }

    fn begins_block(&self, text: &str, at: usize) -> bool {
        let word = self.text(text, at);
        self.kind(at) == Some(Kind::Open(b'{'))
            || matches!(word, "loop" | "while" | "for" | "if" | "match" | "unsafe")
    }

    /// Whether what stands behind a block still belongs to it.
    fn goes_on(&self, text: &str, at: usize) -> bool {
        match self.kind(at) {
            Some(
                Kind::Open(b'{')
                | Kind::Punct(b'.' | b'?' | b'=' | b',')
                | Kind::FatArrow
                | Kind::AndAnd
                | Kind::OrOr,
            ) => true,
            Some(Kind::Ident) => matches!(self.text(text, at), "else" | "in"),
            _ => false,
        }
    }
}

/// The item that begins at a byte.
fn item_at(file: &SourceFile, start: u32) -> Option<Span> {
    let items = &file.outline.items;
    let at = items.partition_point(|item| item.span.start < start);
    items.get(at).filter(|item| item.span.start == start).map(|item| item.span)
}

fn line_end(text: &str, from: u32) -> u32 {
    let rest = text.as_bytes().get(from as usize..).unwrap_or_default();
    from + memchr(b'\n', rest).unwrap_or(rest.len()) as u32
}
