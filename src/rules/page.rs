//! A rule is a page: TOML front matter between `+++` lines, then prose under fixed headings. This reads one, and refuses what it does not know.
//! It checks a page by itself; whether its messages hold for every site is rehearsed elsewhere.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::condition::Condition;
use super::error::{Fault, RuleError};
use super::example::{Example, read_example};
use super::prose::{Prose, first_sentence, read_prose};
use crate::model::{Change, FACTS, FactInfo, Group, Level, Persona, fact_info};

/// A rule, as its page says it.
#[derive(Debug)]
pub struct Rule {
    /// Its name, and its page's without `.md`.
    pub name: String,
    /// What the fault does.
    pub group: Group,
    /// How loud its findings are, unless settings say otherwise.
    pub level: Level,
    /// Whom it is for.
    pub persona: Persona,
    /// The version it came with; empty for somebody's own rules.
    pub since: String,
    /// What its findings point at, the primary place first.
    pub cites: Vec<Cite>,
    /// The change of policy it proposes.
    pub change: Option<Change>,
    /// What it flags, in one sentence without a full stop.
    pub title: String,
    /// When it fires.
    pub when: Condition,
    /// What its page says.
    pub prose: Prose,
    /// Code that it flags and code that it leaves alone.
    pub examples: Vec<Example>,
    /// Its page's file, as it was named to us.
    pub file: String,
    /// The templates of its findings, with their line in the page.
    pub(super) message: Text,
    pub(super) note: Text,
    pub(super) help: Text,
    pub(super) when_line: u32,
}

/// A fact, or a group of them, whose evidence a finding points at.
#[derive(Debug)]
pub struct Cite {
    /// As the page names it: `delay.growth`, or `delay` for all of them.
    pub name: String,
    /// The facts meant, in the order of the table.
    pub facts: Vec<&'static FactInfo>,
}

/// A template and the line of its key; empty where the page has none.
#[derive(Clone, Debug, Default)]
pub(super) struct Text {
    pub(super) source: String,
    pub(super) line: u32,
}

impl Rule {
    /// Whether it is in the default set: for everyone, and at least a warning.
    pub fn is_default(&self) -> bool {
        self.persona == Persona::Default && self.level >= Level::Warning
    }

    /// The facts that its messages may print: those that `when` or `cites` name.
    pub(super) fn printable(&self) -> Vec<&'static FactInfo> {
        let read = self.when.facts();
        let cited =
            |fact: &FactInfo| self.cites.iter().any(|cite| cite.facts.iter().any(|f| f.name == fact.name));
        FACTS.iter().filter(|fact| read.contains(fact.name) || cited(fact)).collect()
    }
}

/// Reads a page. `file` names it in errors, and its last part must be the rule's name with `.md`.
pub(super) fn read_page(file: &str, text: &str) -> Result<Rule, RuleError> {
    let page = Page { file, text: text.strip_prefix('\u{feff}').unwrap_or(text) };
    let (front, body_start) = page.split()?;
    let table = DeTable::parse(page.slice(&front)).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        page.error_at(front.start + at, error.message().to_owned(), None)
    })?;
    let fields = read_fields(&table)
        .map_err(|fault| page.error_at(front.start + fault.at.start, fault.what, fault.nearest))?;
    let expected = format!("{}.md", fields.name);
    let named = file.rsplit(['/', '\\']).next().unwrap_or(file);
    if named != expected {
        let what = format!("the rule `{}` must be in a file `{expected}`, not `{named}`", fields.name);
        return Err(page.error_at(front.start, what, None));
    }
    let body_line = page.line_of(body_start);
    let below = |(line, what, nearest): (u32, String, Option<String>)| RuleError {
        file: file.to_owned(),
        line: body_line + line - 1,
        what,
        nearest,
    };
    let (prose, blocks) = read_prose(page.slice(&(body_start..page.text.len()))).map_err(below)?;
    let mut examples = Vec::new();
    for block in &blocks {
        if let Some(mut example) = read_example(block, &fields.name).map_err(below)? {
            example.line += body_line - 1;
            examples.push(example);
        }
    }
    let line_of = |text: Option<(String, usize)>| {
        text.map(|(source, at)| Text { source, line: page.line_of(front.start + at) }).unwrap_or_default()
    };
    Ok(Rule {
        title: first_sentence(&prose.what),
        name: fields.name,
        group: fields.group,
        level: fields.level,
        persona: fields.persona,
        since: fields.since,
        cites: fields.cites,
        change: fields.change,
        when: fields.when,
        prose,
        examples,
        file: file.to_owned(),
        message: line_of(Some(fields.message)),
        note: line_of(fields.note),
        help: line_of(fields.help),
        when_line: page.line_of(front.start + fields.when_at),
    })
}

/// The text of a page, and where things are in it.
struct Page<'p> {
    file: &'p str,
    text: &'p str,
}

impl Page<'_> {
    /// The byte range of the front matter, and where the prose begins.
    fn split(&self) -> Result<(Range<usize>, usize), RuleError> {
        let mut start = None;
        let mut at = 0;
        for line in self.text.split_inclusive('\n') {
            let end = at + line.len();
            match start {
                None if line.trim_end() == "+++" => start = Some(end),
                None => break,
                Some(start) if line.trim_end() == "+++" => return Ok((start..at, end)),
                Some(_) => {}
            }
            at = end;
        }
        let what = match start {
            None => "a page begins with a line `+++`",
            Some(_) => "the front matter is not closed by a line `+++`",
        };
        Err(self.error_at(0, what.to_owned(), None))
    }

    fn slice(&self, range: &Range<usize>) -> &str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    fn line_of(&self, byte: usize) -> u32 {
        let before = self.text.get(..byte).unwrap_or(self.text);
        u32::try_from(before.matches('\n').count()).map_or(u32::MAX, |line| line.saturating_add(1))
    }

    fn error_at(&self, byte: usize, what: String, nearest: Option<String>) -> RuleError {
        RuleError { file: self.file.to_owned(), line: self.line_of(byte), what, nearest }
    }
}

/// The front matter, typed. Texts come with the byte of their key.
struct Fields {
    name: String,
    group: Group,
    level: Level,
    persona: Persona,
    since: String,
    cites: Vec<Cite>,
    change: Option<Change>,
    message: (String, usize),
    note: Option<(String, usize)>,
    help: Option<(String, usize)>,
    when: Condition,
    when_at: usize,
}

const KEYS: [&str; 11] =
    ["name", "group", "level", "persona", "since", "cites", "message", "note", "help", "change", "when"];

fn read_fields(table: &Spanned<DeTable>) -> Result<Fields, Fault> {
    for key in table.get_ref().keys() {
        if !KEYS.contains(&key.get_ref().as_ref()) {
            return Err(Fault::unknown(key.span(), "key", key.get_ref(), KEYS));
        }
    }
    let front = Front { table };
    let when = front.wanted("when")?;
    Ok(Fields {
        name: read_name(front.wanted("name")?)?,
        group: read_word(front.wanted("group")?, "group", Group::WORDS, Group::from_word)?,
        level: read_word(front.wanted("level")?, "level", Level::WORDS, Level::from_word)?,
        persona: front
            .optional("persona")
            .map(|value| read_word(value, "persona", Persona::WORDS, Persona::from_word))
            .transpose()?
            .unwrap_or(Persona::Default),
        since: front.optional("since").map(read_text).transpose()?.unwrap_or_default(),
        cites: read_cites(front.wanted("cites")?)?,
        change: front
            .optional("change")
            .map(|value| read_word(value, "change", Change::WORDS, Change::from_word))
            .transpose()?,
        message: front.template("message")?.ok_or_else(|| missing("message"))?,
        note: front.template("note")?,
        help: front.template("help")?,
        when: Condition::read(when)?,
        when_at: when.span().start,
    })
}

struct Front<'t, 'i> {
    table: &'t Spanned<DeTable<'i>>,
}

impl<'t, 'i> Front<'t, 'i> {
    fn optional(&self, key: &str) -> Option<&'t Spanned<DeValue<'i>>> {
        self.table.get_ref().get(key)
    }

    fn wanted(&self, key: &str) -> Result<&'t Spanned<DeValue<'i>>, Fault> {
        self.optional(key).ok_or_else(|| missing(key))
    }

    fn template(&self, key: &str) -> Result<Option<(String, usize)>, Fault> {
        let Some(value) = self.optional(key) else { return Ok(None) };
        Ok(Some((read_text(value)?, value.span().start)))
    }
}

fn missing(key: &str) -> Fault {
    Fault::new(0..0, format!("the key `{key}` is missing"))
}

fn read_text(value: &Spanned<DeValue>) -> Result<String, Fault> {
    let text = value.get_ref().as_str().map(str::to_owned);
    text.ok_or_else(|| Fault::new(value.span(), "a text is wanted here"))
}

/// Rule names are words of a command line and parts of links.
fn read_name(value: &Spanned<DeValue>) -> Result<String, Fault> {
    let name = read_text(value)?;
    let word = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    if name.split('-').all(word) {
        return Ok(name);
    }
    let what = format!("a rule's name is lower-case words with `-` between them, unlike `{name}`");
    Err(Fault::new(value.span(), what))
}

fn read_word<T>(
    value: &Spanned<DeValue>,
    key: &str,
    words: &'static [&'static str],
    from_word: impl FnOnce(&str) -> Option<T>,
) -> Result<T, Fault> {
    let word = read_text(value)?;
    from_word(&word).ok_or_else(|| {
        let mut fault = Fault::unknown(value.span(), key, &word, words.iter().copied());
        fault.what = format!("{}: it is one of {}", fault.what, words.join(", "));
        fault
    })
}

fn read_cites(value: &Spanned<DeValue>) -> Result<Vec<Cite>, Fault> {
    let Some(names) = value.get_ref().as_array().filter(|names| !names.is_empty()) else {
        return Err(Fault::new(value.span(), "`cites` is a list of facts, the primary one first"));
    };
    let mut cites: Vec<Cite> = Vec::new();
    for value in names {
        let name = read_text(value)?;
        let group = format!("{name}.");
        let facts: Vec<_> = match fact_info(&name) {
            Some(fact) => vec![fact],
            None => FACTS.iter().filter(|fact| fact.name.starts_with(&group)).collect(),
        };
        if facts.is_empty() {
            return Err(Fault::unknown(value.span(), "fact", &name, FACTS.iter().map(|fact| fact.name)));
        }
        cites.push(Cite { name, facts });
    }
    Ok(cites)
}
