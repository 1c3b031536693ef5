//! Comma-separated values, as RFC 4180 has them.

use super::table::{Cell, Column, Row};
use bytes::Bytes;
use std::fmt::Write as _;

/// Writes rows, the names of the columns before the first.
pub(super) struct CsvWriter {
    /// Not written yet.
    heading: Option<&'static [Column]>,
}

impl CsvWriter {
    pub(super) const fn new(columns: &'static [Column]) -> Self {
        Self {
            heading: Some(columns),
        }
    }

    pub(super) fn write(&mut self, rows: &[Row]) -> Bytes {
        let mut text = String::new();
        if let Some(columns) = self.heading.take() {
            let names = columns.iter().map(|column| column.name);
            line(&mut text, names, String::push_str);
        }
        for row in rows {
            line(&mut text, row, cell);
        }
        text.into()
    }
}

fn line<T>(text: &mut String, items: impl IntoIterator<Item = T>, put: impl Fn(&mut String, T)) {
    for (place, item) in items.into_iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        put(text, item);
    }
    text.push_str("\r\n");
}

fn cell(text: &mut String, cell: &Cell) {
    // Writing to a text cannot fail.
    let _ = match cell {
        Cell::Time(time) => write!(text, "{time}"),
        Cell::Number(number) => write!(text, "{number}"),
        Cell::Exact(number) => write!(text, "{number}"),
        Cell::Count(count) => write!(text, "{count}"),
        Cell::Text(words) if words.contains(['"', ',', '\r', '\n']) => {
            write!(text, "\"{}\"", words.replace('"', "\"\""))
        }
        Cell::Text(words) => write!(text, "{words}"),
        Cell::Null => Ok(()),
    };
}

#[cfg(test)]
mod tests {
    use super::super::{
        super::{date::Time, decimal::Decimal},
        table::Kind,
    };
    use super::*;

    const COLUMNS: [Column; 3] = [
        Kind::Time.called("date"),
        Kind::Number.called("value"),
        Kind::Text.called("venue"),
    ];

    #[test]
    fn names_come_once_and_texts_are_quoted_where_they_must_be() {
        let mut writer = CsvWriter::new(&COLUMNS);
        let first = [vec![
            Cell::Time(Time(0)),
            Cell::Exact(Decimal::usd(150_000_000)),
            Cell::Text("a \"b\", c".to_owned()),
        ]];
        assert_eq!(
            writer.write(&first),
            "date,value,venue\r\n1970-01-01T00:00:00Z,1.5,\"a \"\"b\"\", c\"\r\n"
        );
        let second = [vec![Cell::Null, Cell::Number(2.5e-9), Cell::Count(7)]];
        assert_eq!(writer.write(&second), ",0.0000000025,7\r\n");
        assert_eq!(writer.write(&[]), "");
    }

    #[test]
    fn a_file_without_rows_has_names() {
        assert_eq!(CsvWriter::new(&COLUMNS).write(&[]), "date,value,venue\r\n");
    }
}
