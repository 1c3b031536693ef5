//! Rows and columns, whatever file they become.

use super::super::{date::Time, decimal::Decimal};

#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Column {
    pub(in super::super) name: &'static str,
    pub(in super::super) kind: Kind,
}

/// What is in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Kind {
    Time,
    Number,
    Count,
    Text,
}

impl Kind {
    pub(in super::super) const fn called(self, name: &'static str) -> Column {
        Column { name, kind: self }
    }
}

/// What is in a row of a column.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) enum Cell {
    Time(Time),
    Number(f64),
    /// A number as well, to the last digit where a file can have it.
    Exact(Decimal),
    Count(u64),
    Text(String),
    Null,
}

/// A cell for each column.
pub(in super::super) type Row = Vec<Cell>;
