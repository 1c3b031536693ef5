//! Kinds of files.

/// A kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum File {
    Csv,
    Parquet,
}

impl File {
    pub(super) const fn media_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8",
            Self::Parquet => "application/vnd.apache.parquet",
        }
    }

    pub(super) const fn ending(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Parquet => "parquet",
        }
    }
}
