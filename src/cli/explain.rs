//! `retry-lint explain RULE`: the rule's page.

use super::Status;
use super::error::Stop;
use super::rooms::Rules;
use super::selection::unknown_rule;
use crate::model::Persona;
use crate::report::clean;
use codespan_reporting::term::termcolor::{ColorSpec, WriteColor};

pub(super) fn explain(rule: &str, out: &mut dyn WriteColor) -> Result<Status, Stop> {
    let cards = Rules::builtin()?.cards();
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
