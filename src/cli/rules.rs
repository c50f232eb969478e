//! `retry-lint rules`: the list.

use super::Status;
use super::args::Options;
use super::configured::here;
use super::error::Stop;
use super::settings::terminal_columns;
use crate::model::Persona;
use crate::report::{Column, Cut, write_table};
use codespan_reporting::term::termcolor::WriteColor;

pub(super) fn rules(options: &Options, out: &mut dyn WriteColor) -> Result<Status, Stop> {
    let columns = [
        Column { title: "rule", cut: Cut::Never, most: usize::MAX },
        Column { title: "level", cut: Cut::Never, most: usize::MAX },
        Column { title: "group", cut: Cut::Never, most: usize::MAX },
        Column { title: "what it flags", cut: Cut::End, most: usize::MAX },
    ];
    let rows: Vec<Vec<String>> = here(options)?
        .rules
        .cards()
        .into_iter()
        .map(|card| {
            let pedantic = if card.persona == Persona::Pedantic { ", pedantic" } else { "" };
            vec![
                card.name,
                format!("{}{pedantic}", card.level.word()),
                card.group.word().to_owned(),
                card.title,
            ]
        })
        .collect();
    write_table(out, &columns, &rows, terminal_columns())?;
    out.flush()?;
    Ok(Status::Clean)
}
