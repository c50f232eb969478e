//! How deep a body nests, counted while it is lexed, so that nothing that recurses (syn, the drop of its trees, our own walks) ever meets a body that is too deep.
//! A hostile file must not get below the counts, so a doubtful token counts as nesting; it must not cost real code anything, so counts end with the statement.

use super::lexer::Kind;
use super::words::Word;

/// Brackets within brackets, lists of generics included; also prefix operators in a row, and closures, `else if`s, assignments in one statement.
pub(super) const DEEPEST: u32 = 128;
/// All of these together: each costs a parser some stack.
const DEEPEST_TOGETHER: u32 = 512;
/// Operators and calls in one chain: they make a tree that leans to one side.
const LONGEST_CHAIN: u32 = 4_096;
/// The same with the deepest that its operands hold.
const DEEPEST_TREE: u32 = LONGEST_CHAIN + DEEPEST_TOGETHER;

/// What is open between two brackets.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools)]
pub(super) struct Counts {
    /// Brackets and lists of generics around this bracket, itself included; 0 outside items.
    pub(super) around: u32,
    /// The same with everything else that is open around it.
    pub(super) around_together: u32,
    /// Lists of generics that are open here.
    pub(super) angles: u32,
    /// How many of them are around the lifetimes of a `for<'a>` that is being read.
    binder: Option<u32>,
    /// Whether the token before ended an operand, so that what follows is infix or postfix.
    pub(super) operand: bool,
    /// A block has just ended: the next token tells whether the statement goes on.
    after_block: bool,
    /// Prefix operators in a row.
    run: u32,
    /// How many there were before the operand.
    run_before: u32,
    /// What stays open to the end of the statement: `if`, `match`, `return`, closures and what was `soft` before them.
    heads: u32,
    /// `=`, `->`, `@` behind the last head; over when the head's block begins.
    soft: u32,
    /// The last head is one that a block follows.
    awaits_block: bool,
    /// Between the bars of a closure's parameters.
    in_bars: bool,
    /// Behind the `.` of a method: its `(` is counted already.
    method: bool,
    /// Operators and calls of this statement.
    chain: u32,
    /// The deepest of the brackets that this statement holds.
    deepest: u32,
    /// The deepest statement so far.
    deepest_statement: u32,
}

impl Counts {
    /// The counts behind a bracket that opens here; `counted` where the bracket is part of an item.
    pub(super) fn inside(&self, counted: bool) -> Self {
        if !counted {
            return Self::default();
        }
        Self { around: self.nesting() + 1, around_together: self.together() + 1, ..Self::default() }
    }

    /// What is wrong, where a limit is passed.
    pub(super) fn exceeded(&self) -> Option<Exceeded> {
        let open = self.nesting().max(self.heads + self.soft).max(self.run);
        if open > DEEPEST || self.together() > DEEPEST_TOGETHER {
            return Some(Exceeded::Nesting);
        }
        (self.chain > LONGEST_CHAIN || self.depth() > DEEPEST_TREE).then_some(Exceeded::Chain)
    }

    /// Takes what a bracket that closes here leaves behind.
    pub(super) fn closed(&mut self, inner: &Self, was: Closed) {
        self.deepest = self.deepest.max(inner.deepest_statement.max(inner.depth()) + 1);
        if was == Closed::Attribute {
            self.operand = false;
            return;
        }
        self.run = 0;
        self.operand = true;
        self.after_block = was == Closed::Block;
    }

    /// Nothing that was open is open any more.
    pub(super) fn end_statement(&mut self) {
        *self = Self {
            around: self.around,
            around_together: self.around_together,
            deepest_statement: self.deepest_statement.max(self.depth()),
            ..Self::default()
        };
    }

    fn nesting(&self) -> u32 {
        self.around + self.angles
    }

    fn together(&self) -> u32 {
        self.around_together + self.angles + self.run + self.heads + self.soft
    }

    fn depth(&self) -> u32 {
        self.chain + self.deepest + self.heads + self.soft
    }

    /// Counts a token; of brackets only what they are to the tokens before them.
    pub(super) fn token(&mut self, kind: Kind, word: Word, ahead: Ahead) {
        if self.after_block {
            self.after_block = false;
            if ends_behind_block(kind, word) {
                self.end_statement();
            }
        }
        match kind {
            Kind::Ident => self.word(word),
            Kind::RawIdent | Kind::Literal => self.take_operand(),
            Kind::Lifetime | Kind::PathSep | Kind::Comment | Kind::Close(_) => self.operand = false,
            Kind::Open(bracket) => self.bracket(bracket),
            Kind::FatArrow => self.end_statement(),
            Kind::Arrow => self.soft(),
            // `|a||b| c`: the end of one closure's parameters and the start of another's.
            Kind::OrOr if self.in_bars => self.fold(1),
            Kind::AtLeast if self.angles > 0 => {
                self.angles -= 1;
                self.soft();
            }
            Kind::Shl if ahead != Ahead::Literal => self.less(2, ahead),
            Kind::Dots | Kind::AndAnd | Kind::OrOr if self.operand => self.infix(),
            Kind::Compare | Kind::AtLeast | Kind::Shl => self.infix(),
            Kind::AndAnd => self.prefix(2),
            // Binds weaker than what follows, like a closure.
            Kind::Dots | Kind::OrOr => self.head(),
            Kind::Punct(byte) => self.punct(byte, ahead),
        }
    }

    /// The same in an item's header, where nothing compares: only `>` ends a list of generics, and so no brace in one passes for the body's.
    pub(super) fn signature_token(&mut self, kind: Kind, word: Word, ahead: Ahead) {
        let angles = self.angles;
        self.token(kind, word, ahead);
        if !matches!(kind, Kind::Punct(b'>' | b';') | Kind::AtLeast) {
            self.angles = self.angles.max(angles);
        }
    }

    fn word(&mut self, word: Word) {
        match word {
            Word::If | Word::Match | Word::While => {
                self.head();
                self.awaits_block = true;
            }
            Word::For => {
                self.fold(1);
                self.awaits_block = true;
            }
            Word::Jump => self.head(),
            Word::As => {
                self.chain += 1;
                self.operand = false;
            }
            Word::Name | Word::Underscore | Word::MacroRules | Word::Soft | Word::Union => {
                self.take_operand();
            }
            // The name before it was the `raw` of `&raw const`, part of a prefix.
            Word::Const | Word::Mut if self.operand => {
                self.run = self.run_before;
                self.operand = false;
            }
            _ => self.operand = false,
        }
    }

    fn punct(&mut self, byte: u8, ahead: Ahead) {
        match byte {
            b'<' => self.less(1, ahead),
            b'>' if self.angles > 0 => {
                self.angles -= 1;
                // A type or closure follows the lifetimes of `for<'a>`.
                self.operand = self.binder != Some(self.angles);
                if !self.operand {
                    self.binder = None;
                }
            }
            b'.' => {
                self.infix();
                self.method = true;
            }
            b'>' | b'/' | b'%' | b'^' => self.infix(),
            b'?' if self.operand => {
                self.infix();
                self.operand = true;
            }
            b'-' | b'*' | b'&' if self.operand => self.infix(),
            b'-' | b'*' | b'&' => self.prefix(1),
            // Behind an operand it calls a macro.
            b'!' if !self.operand => self.prefix(1),
            b'|' if self.in_bars => {
                self.in_bars = false;
                self.operand = false;
            }
            b'|' if self.operand => self.infix(),
            b'|' => {
                self.head();
                self.in_bars = true;
            }
            // Also joins bounds, so it does not show that a `<` before it was a comparison.
            b'+' => {
                self.chain += 1;
                self.method = false;
                self.operand = false;
            }
            b'=' | b'@' => self.soft(),
            // A comma between bars or in a list of generics separates nothing of the statement.
            b',' if self.angles == 0 && !self.in_bars => self.end_statement(),
            b';' => self.end_statement(),
            _ => self.operand = false,
        }
    }

    fn bracket(&mut self, bracket: u8) {
        if bracket != b'{' {
            let counted = bracket == b'(' && std::mem::take(&mut self.method);
            self.chain += u32::from(self.operand && !counted);
        } else if self.awaits_block {
            // Whatever the condition held is complete.
            self.awaits_block = false;
            self.soft = 0;
            self.angles = 0;
        }
        self.operand = false;
    }

    /// A `<` opens generics unless it can be seen that it compares or shifts.
    fn less(&mut self, count: u32, ahead: Ahead) {
        if ahead == Ahead::AfterValue && self.operand {
            return self.infix();
        }
        if ahead == Ahead::AfterBinder {
            // A `for` has been counted as if it were a loop's.
            self.fold(u32::from(!self.awaits_block));
            self.binder = Some(self.angles);
        }
        self.angles += count;
        self.method = false;
        self.operand = false;
    }

    fn take_operand(&mut self) {
        self.run_before = std::mem::take(&mut self.run);
        self.operand = true;
    }

    fn prefix(&mut self, count: u32) {
        self.run += count;
        self.operand = false;
    }

    fn soft(&mut self) {
        self.soft += 1;
        self.operand = false;
    }

    /// An infix or postfix operator that cannot stand in a list of generics: an open `<` was a comparison.
    fn infix(&mut self) {
        self.chain += 1;
        self.angles = 0;
        self.method = false;
        self.operand = false;
    }

    fn head(&mut self) {
        self.angles = 0;
        self.fold(1);
    }

    fn fold(&mut self, heads: u32) {
        self.heads += self.soft + heads;
        self.soft = 0;
        self.awaits_block = false;
        self.operand = false;
    }
}

/// What must be known of the neighbours of a `<` or a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ahead {
    /// Nothing that matters.
    Other,
    /// The `for` or `unsafe` of `for<'a>` stands before.
    AfterBinder,
    /// A literal follows.
    Literal,
    /// A literal or a closing bracket stands before.
    AfterValue,
}

/// What a closing bracket was the end of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closed {
    /// `( … )`, `[ … ]`
    Group,
    /// `{ … }`
    Block,
    /// `#[ … ]`: an operand follows rather than ends.
    Attribute,
}

/// Which limit was passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exceeded {
    Nesting,
    Chain,
}

impl Exceeded {
    pub(super) fn message(self) -> String {
        match self {
            Self::Nesting => format!("nested deeper than {DEEPEST} levels: this body is not analysed"),
            Self::Chain => {
                format!(
                    "more than {LONGEST_CHAIN} operators or calls in one chain: this body is not analysed"
                )
            }
        }
    }
}

/// Whether a statement is over that a block has just ended, given the token behind the block.
/// A `{` does not end it: `if { a } { b } else if …` is one statement.
fn ends_behind_block(kind: Kind, word: Word) -> bool {
    match kind {
        Kind::Ident => !matches!(word, Word::Else | Word::As),
        Kind::RawIdent | Kind::Literal | Kind::Lifetime | Kind::Punct(b'#') => true,
        _ => false,
    }
}
