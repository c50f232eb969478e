//! `retry-lint explain RULE`: the rule's page.

use super::Status;
use super::args::Options;
use super::configured::here;
use super::error::Stop;
use super::selection::unknown_rule;
use crate::model::Persona;
use crate::report::clean;
use codespan_reporting::term::termcolor::{ColorSpec, WriteColor};

pub(super) fn explain(rule: &str, options: &Options, out: &mut dyn WriteColor) -> Result<Status, Stop> {
    let cards = here(options)?.rules.cards();
    let Some(card) = cards.iter().find(|card| card.name == rule) else {
        let known = cards.iter().map(|card| card.name.as_str());
        return Err(unknown_rule(rule, &format!("unknown rule `{rule}`"), known).into());
    };
    out.set_color(ColorSpec::new().set_bold(true))?;
    write!(out, "{}", clean(&card.name))?;
    out.reset()?;
    let pedantic = if card.persona == Persona::Pedantic { ", pedantic" } else { "" };
    writeln!(out, " ({}, {}{pedantic}): {}", card.group.word(), card.level.word(), clean(&card.title))?;
    writeln!(out)?;
    for line in card.page.trim().lines() {
        writeln!(out, "{}", clean(line))?;
    }
    out.flush()?;
    Ok(Status::Clean)
}
