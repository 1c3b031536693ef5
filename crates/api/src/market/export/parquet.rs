//! Parquet: columns side by side, in groups of rows.

use super::table::{Cell, Column, Kind, Row};
use ::parquet::{
    data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type},
    errors::ParquetError,
    file::{
        properties::WriterProperties,
        writer::{SerializedColumnWriter, SerializedFileWriter},
    },
    schema::parser::parse_message_type,
};
use bytes::Bytes;
use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
};

/// Rows of a group: so many are held until they are written.
const GROUP: usize = 4_096;

/// Writes rows, a group at a time.
pub(super) struct ParquetWriter {
    writer: SerializedFileWriter<Sink>,
    sink: Sink,
    columns: &'static [Column],
    waiting: Vec<Row>,
}

/// Where the bytes go until they are sent.
#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Sink {
    fn take(&self) -> Bytes {
        let mut written = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *written).into()
    }
}

impl io::Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut written = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        written.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl ParquetWriter {
    pub(super) fn new(columns: &'static [Column]) -> Result<Self, ParquetError> {
        let schema = parse_message_type(&schema(columns))?;
        let properties = WriterProperties::builder().build();
        let sink = Sink::default();
        Ok(Self {
            writer: SerializedFileWriter::new(
                sink.clone(),
                Arc::new(schema),
                Arc::new(properties),
            )?,
            sink,
            columns,
            waiting: Vec::new(),
        })
    }

    pub(super) fn write(&mut self, rows: Vec<Row>) -> Result<Bytes, ParquetError> {
        self.waiting.extend(rows);
        if self.waiting.len() >= GROUP {
            self.write_group()?;
        }
        Ok(self.sink.take())
    }

    pub(super) fn finish(mut self) -> Result<Bytes, ParquetError> {
        if !self.waiting.is_empty() {
            self.write_group()?;
        }
        self.writer.close()?;
        Ok(self.sink.take())
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let rows = std::mem::take(&mut self.waiting);
        let mut group = self.writer.next_row_group()?;
        for (place, column) in self.columns.iter().enumerate() {
            let Some(mut writer) = group.next_column()? else {
                break;
            };
            let cells = rows.iter().map(|row| row.get(place).unwrap_or(&Cell::Null));
            write_column(&mut writer, column.kind, cells)?;
            writer.close()?;
        }
        group.close()?;
        Ok(())
    }
}

/// What a reader is told of the columns. Any of them may have gaps.
fn schema(columns: &[Column]) -> String {
    let mut schema = "message stoa {\n".to_owned();
    for Column { name, kind } in columns {
        let words = match kind {
            Kind::Time => ["INT64", name, "(TIMESTAMP(MILLIS,true))"],
            Kind::Number => ["DOUBLE", name, ""],
            Kind::Count => ["INT64", name, ""],
            Kind::Text => ["BYTE_ARRAY", name, "(UTF8)"],
        };
        schema.push_str("OPTIONAL ");
        schema.push_str(&words.join(" "));
        schema.push_str(";\n");
    }
    schema.push('}');
    schema
}

fn write_column<'a>(
    writer: &mut SerializedColumnWriter<'_>,
    kind: Kind,
    cells: impl Iterator<Item = &'a Cell>,
) -> Result<(), ParquetError> {
    match kind {
        Kind::Time | Kind::Count => {
            let (values, levels) = split(cells, whole);
            writer
                .typed::<Int64Type>()
                .write_batch(&values, Some(&levels), None)?;
        }
        Kind::Number => {
            let (values, levels) = split(cells, number);
            writer
                .typed::<DoubleType>()
                .write_batch(&values, Some(&levels), None)?;
        }
        Kind::Text => {
            let (values, levels) = split(cells, text);
            writer
                .typed::<ByteArrayType>()
                .write_batch(&values, Some(&levels), None)?;
        }
    }
    Ok(())
}

/// What there is, and for each cell whether there is anything.
fn split<'a, T>(
    cells: impl Iterator<Item = &'a Cell>,
    value: impl Fn(&Cell) -> Option<T>,
) -> (Vec<T>, Vec<i16>) {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    for cell in cells {
        let value = value(cell);
        levels.push(i16::from(value.is_some()));
        values.extend(value);
    }
    (values, levels)
}

fn whole(cell: &Cell) -> Option<i64> {
    match cell {
        Cell::Time(time) => Some(time.0.saturating_mul(1_000)),
        Cell::Count(count) => i64::try_from(*count).ok(),
        _ => None,
    }
}

fn number(cell: &Cell) -> Option<f64> {
    match cell {
        Cell::Number(number) => Some(*number),
        Cell::Exact(number) => Some(number.nearest()),
        _ => None,
    }
}

fn text(cell: &Cell) -> Option<ByteArray> {
    match cell {
        Cell::Text(text) => Some(text.as_str().into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{date::Time, decimal::Decimal};
    use super::*;
    use ::parquet::{
        file::reader::{FileReader as _, SerializedFileReader},
        record::RowAccessor as _,
    };

    const COLUMNS: [Column; 4] = [
        Kind::Time.called("date"),
        Kind::Number.called("value"),
        Kind::Count.called("block"),
        Kind::Text.called("venue"),
    ];

    fn row(number: i64) -> Row {
        vec![
            Cell::Time(Time(number)),
            Cell::Exact(Decimal::usd(u128::try_from(number).unwrap() * 100_000_000)),
            Cell::Count(u64::try_from(number).unwrap()),
            if number % 3 == 0 {
                Cell::Null
            } else {
                Cell::Text(format!("venue {number}"))
            },
        ]
    }

    #[test]
    fn what_was_written_in_parts_is_read_as_one_file() {
        let mut writer = ParquetWriter::new(&COLUMNS).unwrap();
        let mut file = Vec::new();
        for part in 0..20 {
            let rows = (part * 500..(part + 1) * 500).map(row).collect();
            file.extend(writer.write(rows).unwrap());
        }
        assert!(file.len() > 1_000, "groups are sent when they are full");
        file.extend(writer.finish().unwrap());
        let reader = SerializedFileReader::new(Bytes::from(file)).unwrap();
        assert_eq!(reader.metadata().file_metadata().num_rows(), 10_000);
        for (read, number) in reader.get_row_iter(None).unwrap().zip(0_i64..) {
            let read = read.unwrap();
            assert_eq!(read.get_timestamp_millis(0).unwrap(), number * 1_000);
            #[expect(clippy::cast_precision_loss, reason = "small")]
            let expected = number as f64;
            assert!((read.get_double(1).unwrap() - expected).abs() < 1e-9);
            assert_eq!(read.get_long(2).unwrap(), number);
            let venue = read.get_string(3).ok().cloned();
            let expected = (number % 3 != 0).then(|| format!("venue {number}"));
            assert_eq!(venue, expected);
        }
    }

    #[test]
    fn a_file_without_rows_is_one() {
        let file = ParquetWriter::new(&COLUMNS).unwrap().finish().unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        assert_eq!(reader.metadata().file_metadata().num_rows(), 0);
    }
}
