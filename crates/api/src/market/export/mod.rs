//! Series and trades as files: CSV and Parquet, written as they are read.

mod answer;
mod csv;
mod file;
mod format;
mod parquet;
mod table;
mod writer;

pub(super) use answer::varied;
pub(super) use format::{Format, FormatQuery, WantedFormat};
pub(super) use table::{Cell, Column, Kind, Row};
pub(super) use writer::Broken;
