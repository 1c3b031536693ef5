//! Whatever writes a file.

use super::{
    csv::CsvWriter,
    file::File,
    parquet::ParquetWriter,
    table::{Column, Row},
};
use ::parquet::errors::ParquetError;
use bytes::Bytes;
use services::Fault;
use thiserror::Error;

/// What ends a file before its end.
#[derive(Debug, Error)]
pub(in super::super) enum Broken {
    #[error("{}", .0.chain_text())]
    Fault(#[from] Fault),
    #[error("the history of the chain was taken back meanwhile")]
    NoHistory,
    #[error(transparent)]
    Parquet(#[from] ParquetError),
}

pub(super) enum Writer {
    Csv(CsvWriter),
    Parquet(Box<ParquetWriter>),
}

impl Writer {
    pub(super) fn new(file: File, columns: &'static [Column]) -> Result<Self, Broken> {
        Ok(match file {
            File::Csv => Self::Csv(CsvWriter::new(columns)),
            File::Parquet => Self::Parquet(Box::new(ParquetWriter::new(columns)?)),
        })
    }

    pub(super) fn write(&mut self, rows: Vec<Row>) -> Result<Bytes, Broken> {
        Ok(match self {
            Self::Csv(writer) => writer.write(&rows),
            Self::Parquet(writer) => writer.write(rows)?,
        })
    }

    pub(super) fn finish(self) -> Result<Bytes, Broken> {
        Ok(match self {
            Self::Csv(mut writer) => writer.write(&[]),
            Self::Parquet(writer) => writer.finish()?,
        })
    }
}
