//! Values as columns hold them: felts are 32 bytes big-endian, times are
//! microseconds since 1970, counters and lamports are checked against the
//! column's range, ids and words are texts.

use crate::error::StoreError;
use primitives::{Address, Felt, Lamports, PublicKey, Signature, Timestamp, Ulid};
use std::str::FromStr;

/// A column of a table, to name in an error.
#[derive(Clone, Copy)]
pub(crate) struct Column {
    pub(crate) table: &'static str,
    pub(crate) name: &'static str,
}

impl Column {
    pub(crate) fn corrupt(self) -> StoreError {
        StoreError::Corrupt {
            table: self.table,
            column: self.name.into(),
        }
    }

    pub(crate) fn bytes(self, bytes: &[u8]) -> Result<[u8; 32], StoreError> {
        bytes.try_into().map_err(|_| self.corrupt())
    }

    pub(crate) fn address(self, bytes: &[u8]) -> Result<Address, StoreError> {
        Address::from_bytes(&self.bytes(bytes)?).ok_or_else(|| self.corrupt())
    }

    pub(crate) fn felt(self, bytes: &[u8]) -> Result<Felt, StoreError> {
        self.address(bytes).map(Address::felt)
    }

    pub(crate) fn time(self, microseconds: i64) -> Result<Timestamp, StoreError> {
        Timestamp::from_microsecond(microseconds).map_err(|_| self.corrupt())
    }

    pub(crate) fn counter(self, stored: i64) -> Result<u64, StoreError> {
        stored.try_into().map_err(|_| self.corrupt())
    }

    pub(crate) fn times(self, microseconds: Option<i64>) -> Result<Option<Timestamp>, StoreError> {
        microseconds.map(|time| self.time(time)).transpose()
    }

    pub(crate) fn id(self, text: &str) -> Result<Ulid, StoreError> {
        self.word(text)
    }

    pub(crate) fn ids(self, text: Option<&str>) -> Result<Option<Ulid>, StoreError> {
        text.map(|text| self.id(text)).transpose()
    }

    pub(crate) fn key(self, bytes: &[u8]) -> Result<PublicKey, StoreError> {
        bytes.try_into().map_err(|_| self.corrupt())
    }

    pub(crate) fn keys(self, bytes: Option<&[u8]>) -> Result<Option<PublicKey>, StoreError> {
        bytes.map(|bytes| self.key(bytes)).transpose()
    }

    pub(crate) fn signature(self, bytes: &[u8]) -> Result<Signature, StoreError> {
        bytes.try_into().map_err(|_| self.corrupt())
    }

    pub(crate) fn lamports(self, stored: i64) -> Result<Lamports, StoreError> {
        self.counter(stored).map(Lamports::new)
    }

    pub(crate) fn narrow<T: TryFrom<i64>>(self, stored: i64) -> Result<T, StoreError> {
        stored.try_into().map_err(|_| self.corrupt())
    }

    pub(crate) fn flag(self, stored: i64) -> Result<bool, StoreError> {
        match stored {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(self.corrupt()),
        }
    }

    /// A value by its text.
    pub(crate) fn word<T: FromStr>(self, text: &str) -> Result<T, StoreError> {
        text.parse().map_err(|_| self.corrupt())
    }

    /// The form in which an amount is stored.
    pub(crate) fn to_stored_lamports(self, amount: Lamports) -> Result<i64, StoreError> {
        self.to_stored(amount.get())
    }

    /// The form in which a counter is stored.
    pub(crate) fn to_stored(self, counter: u64) -> Result<i64, StoreError> {
        counter
            .try_into()
            .map_err(|_| StoreError::OutOfRange { column: self.name })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMN: Column = Column {
        table: "block",
        name: "hash",
    };

    #[test]
    fn values_that_this_program_never_writes_are_corrupt() {
        let errors = [
            COLUMN.felt(&[0; 31]).unwrap_err(),
            COLUMN.felt(&[0xff; 32]).unwrap_err(),
            COLUMN.time(i64::MAX).unwrap_err(),
            COLUMN.counter(-1).unwrap_err(),
        ];
        for error in errors {
            assert_eq!(error.to_string(), "corrupt data in block.hash");
        }
    }

    #[test]
    fn a_counter_beyond_the_column_is_refused_and_not_wrapped() {
        assert!(matches!(
            COLUMN.to_stored(u64::MAX),
            Err(StoreError::OutOfRange { column: "hash" })
        ));
    }
}
