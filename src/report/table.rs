//! Plain tables for a terminal: columns as wide as they need to be, cut where the terminal is narrower.

use super::clean::{clean, cut_end, cut_start, width};
use codespan_reporting::term::termcolor::{ColorSpec, WriteColor};
use std::io;

/// Between two columns.
const GAP: usize = 2;
/// A column is not cut below this: less tells nothing.
const NARROWEST: usize = 12;

/// Which part of a cell may be left out where there is no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// None.
    Never,
    /// Its start: the end of a path says more.
    Start,
    /// Its end.
    End,
}

/// A column.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its heading.
    pub title: &'static str,
    /// What may be left out of its cells.
    pub cut: Cut,
    /// Its most columns on the screen, where there is room as well.
    pub most: usize,
}

/// Writes a table in at most `room` columns on the screen where that can be done; with `None`, as wide as it is.
pub fn write_table(
    out: &mut dyn WriteColor,
    columns: &[Column],
    rows: &[Vec<String>],
    room: Option<usize>,
) -> io::Result<()> {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| clean(cell)).collect()).collect();
    let widths = widths(columns, &rows, room);
    let titles: Vec<String> = columns.iter().map(|column| column.title.to_owned()).collect();
    out.set_color(ColorSpec::new().set_bold(true))?;
    write_row(out, columns, &widths, &titles)?;
    out.reset()?;
    rows.iter().try_for_each(|row| write_row(out, columns, &widths, row))
}

fn write_row(
    out: &mut dyn WriteColor,
    columns: &[Column],
    widths: &[usize],
    row: &[String],
) -> io::Result<()> {
    let mut line = String::new();
    for ((column, columns_wide), cell) in columns.iter().zip(widths).zip(row) {
        let cell = match column.cut {
            Cut::Never => cell.clone(),
            Cut::Start => cut_start(cell, *columns_wide),
            Cut::End => cut_end(cell, *columns_wide),
        };
        let padding = (columns_wide + GAP).saturating_sub(width(&cell));
        line.push_str(&cell);
        line.extend(std::iter::repeat_n(' ', padding));
    }
    writeln!(out, "{}", line.trim_end())
}

/// The columns' widths: what their widest cells need, then the widest that may be cut gives way until all fit.
fn widths(columns: &[Column], rows: &[Vec<String>], room: Option<usize>) -> Vec<usize> {
    let mut widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(at, column)| {
            let cells = rows.iter().filter_map(|row| row.get(at)).map(|cell| width(cell));
            let widest = cells.max().unwrap_or(0);
            if column.cut == Cut::Never {
                widest.max(width(column.title))
            } else {
                widest.min(column.most).max(width(column.title))
            }
        })
        .collect();
    let Some(room) = room else { return widths };
    let mut excess =
        (widths.iter().sum::<usize>() + GAP * columns.len().saturating_sub(1)).saturating_sub(room);
    while excess > 0 {
        let may_give = widths.iter_mut().zip(columns).filter(|(_, column)| column.cut != Cut::Never);
        let widest =
            may_give.map(|(wide, _)| wide).filter(|wide| **wide > NARROWEST).max_by_key(|wide| **wide);
        let Some(widest) = widest else { break };
        *widest -= 1;
        excess -= 1;
    }
    widths
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use codespan_reporting::term::termcolor::NoColor;

    fn table(room: Option<usize>) -> String {
        let columns = [
            Column { title: "place", cut: Cut::Start, most: usize::MAX },
            Column { title: "operation", cut: Cut::End, most: 30 },
            Column { title: "ends", cut: Cut::Never, most: usize::MAX },
        ];
        let rows = [
            vec![
                "crates/net/src/client.rs:120".to_owned(),
                "客戶端.send(request.clone()).await".to_owned(),
                "never".to_owned(),
            ],
            vec!["a.rs:1".to_owned(), "f\x1b()".to_owned(), "after 5".to_owned()],
        ];
        let mut out = NoColor::new(Vec::new());
        write_table(&mut out, &columns, &rows, room).unwrap();
        String::from_utf8(out.into_inner()).unwrap()
    }

    #[test]
    fn columns_are_as_wide_as_their_cells() {
        assert_eq!(
            table(None),
            "place                         operation                       ends\n\
             crates/net/src/client.rs:120  客戶端.send(request.clone()).…  never\n\
             a.rs:1                        f\\x1b()                         after 5\n"
        );
    }

    #[test]
    fn narrow_terminals_cut_places_at_their_start_and_text_at_its_end() {
        assert_eq!(
            table(Some(50)),
            "place                 operation            ends\n\
             …t/src/client.rs:120  客戶端.send(reques…  never\n\
             a.rs:1                f\\x1b()              after 5\n"
        );
    }

    #[test]
    fn a_terminal_too_narrow_for_anything_still_gets_every_column() {
        assert!(table(Some(1)).lines().all(|line| line.contains("  ")));
    }
}
