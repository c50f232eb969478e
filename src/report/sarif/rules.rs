//! The rules as SARIF tells them. GitHub shows the help beside an alert, so a rule's page goes in whole, and all rules are told, not only
//! those that spoke: a rule's index is the same in every report.

use super::Message;
use crate::model::{Level, Persona};
use crate::report::{RulePage, rule_url};
use serde::Serialize;
use std::fmt::Write as _;

/// Characters that GitHub takes of a description.
const LONGEST: usize = 1_024;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rule {
    id: String,
    name: String,
    short_description: Message,
    full_description: Message,
    help: Message,
    #[serde(skip_serializing_if = "Option::is_none")]
    help_uri: Option<String>,
    default_configuration: Configuration,
    properties: Properties,
}

#[derive(Serialize)]
struct Configuration {
    enabled: bool,
    level: &'static str,
}

#[derive(Serialize)]
struct Properties {
    tags: [&'static str; 3],
    precision: &'static str,
    #[serde(rename = "problem.severity")]
    severity: &'static str,
}

pub(super) fn rule(page: &RulePage) -> Rule {
    let what = first_paragraph(&page.page);
    let full = if what.is_empty() { page.title.clone() } else { what };
    Rule {
        id: page.name.clone(),
        name: in_camels(&page.name),
        short_description: Message::text(cut(&page.title)),
        full_description: Message::text(cut(&full)),
        help: Message { text: plain(&page.page), markdown: Some(page.page.clone()) },
        help_uri: rule_url(&page.name),
        default_configuration: Configuration {
            enabled: page.level >= Level::Warning && page.persona == Persona::Default,
            level: level_word(page.level),
        },
        properties: Properties {
            tags: ["reliability", "retry", page.group.word()],
            precision: if page.persona == Persona::Default { "high" } else { "medium" },
            severity: match page.level {
                Level::Error => "error",
                Level::Warning => "warning",
                Level::Note | Level::Off => "recommendation",
            },
        },
    }
}

/// A level in SARIF's words.
pub(super) fn level_word(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note | Level::Off => "note",
    }
}

/// `fixed-delay` as `FixedDelay`, which is how names of rules are written.
fn in_camels(name: &str) -> String {
    let parts = name.split('-').map(|part| {
        let mut chars = part.chars();
        let first: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
        first + chars.as_str()
    });
    parts.collect()
}

/// The first paragraph under the first heading, as one line.
fn first_paragraph(page: &str) -> String {
    let lines = page.lines().skip_while(|line| line.starts_with('#') || line.trim().is_empty());
    let lines: Vec<&str> = lines.take_while(|line| !line.trim().is_empty()).collect();
    without_links(&lines.join(" "))
}

fn cut(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST - 1).chain(['…']).collect()
}

/// Markdown for those who show text only: code without fences, headings without marks, links written out.
fn plain(markdown: &str) -> String {
    let mut text = String::with_capacity(markdown.len());
    let mut in_code = false;
    let mut prose = String::new();
    for line in markdown.lines() {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        if !fence && !in_code {
            prose.push_str(line.trim_start_matches('#').trim_start());
            prose.push('\n');
            continue;
        }
        // A link may be broken over two lines: prose is read as a whole.
        text.push_str(&without_links(&std::mem::take(&mut prose)));
        if !fence {
            text.push_str("    ");
            text.push_str(line);
            text.push('\n');
        }
    }
    text.push_str(&without_links(&prose));
    text.trim().to_owned()
}

/// `[words](address)` as `words (address)`.
fn without_links(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        made.push_str(before);
        let link = after.split_once("](").and_then(|(words, tail)| Some((words, tail.split_once(')')?)));
        match link {
            Some((words, (address, tail))) if !words.contains('[') => {
                // Writing to a String cannot fail.
                let _ = write!(made, "{words} ({address})");
                rest = tail;
            }
            _ => {
                made.push('[');
                rest = after;
            }
        }
    }
    made + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_becomes_text() {
        let page = "## Why\n\nSee [the\nreport](https://x.org/1), a[0] and `b`.\n\n```rust\n#[a](b)\nloop {}\n```\n\n## End\n";
        assert_eq!(
            plain(page),
            "Why\n\nSee the\nreport (https://x.org/1), a[0] and `b`.\n\n    #[a](b)\n    loop {}\n\nEnd"
        );
        assert_eq!(first_paragraph(page), "See the report (https://x.org/1), a[0] and `b`.");
    }

    #[test]
    fn names_and_lengths_are_those_that_github_takes() {
        assert_eq!(in_camels("retries-4xx"), "Retries4xx");
        assert_eq!(cut(&"é".repeat(5_000)).chars().count(), LONGEST);
    }
}
