//! Pages as bytes.
//!
//! A page begins with a version and a checksum of what follows, the number of
//! its records. Of each record follows by how much its bucket is behind the one
//! before, then what it holds, in integers as `postcard` has them. There is
//! exactly one way to write a page; everything else is refused.

use primitives::OrImpossible as _;
use serde::Deserialize;
use std::{fmt, mem};
use thiserror::Error;

/// Why bytes are not a page, or pages not a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PageError {
    /// They end within a page.
    #[error("the page ends too early")]
    Short,
    /// They go on after a page.
    #[error("the page has bytes after its end")]
    Long,
    /// They were written by something newer, or are no page at all.
    #[error("the page has the unknown version {0}")]
    Version(u8),
    /// They are not what was written.
    #[error("the page's checksum is wrong")]
    Checksum,
    /// They hold something that no series holds.
    #[error("the page holds what cannot be")]
    Malformed,
    /// The resolution is not one in which series are stored.
    #[error("series are not stored in resolution {0}")]
    Resolution(u8),
    /// A page comes after one that is not before it in time.
    #[error("pages are not in the order of time")]
    Order,
    /// The resolutions do not tell of the same time.
    #[error("pages of some resolutions are missing")]
    Torn,
}

/// The version that is written.
pub(super) const VERSION: u8 = 1;

/// Bytes of the checksum.
const CHECKSUM: usize = 4;

/// Writes the beginning of a page; [`seal`] completes it.
pub(super) fn begin() -> Vec<u8> {
    vec![VERSION, 0, 0, 0, 0]
}

/// Completes a page.
pub(super) fn seal(mut page: Vec<u8>) -> Vec<u8> {
    if let Some((checksum, content)) = page
        .get_mut(1..)
        .and_then(|rest| rest.split_at_mut_checked(CHECKSUM))
    {
        checksum.copy_from_slice(&crc32fast::hash(content).to_le_bytes());
    }
    page
}

/// What a page holds, if it is what was written.
pub(super) fn content(page: &[u8]) -> Result<&[u8], PageError> {
    let (version, rest) = page.split_first().ok_or(PageError::Short)?;
    if *version != VERSION {
        return Err(PageError::Version(*version));
    }
    let (checksum, content) = rest.split_at_checked(CHECKSUM).ok_or(PageError::Short)?;
    if checksum != crc32fast::hash(content).to_le_bytes() {
        return Err(PageError::Checksum);
    }
    Ok(content)
}

/// What a page holds for a bucket.
pub(super) trait Record: Copy + fmt::Debug {
    /// What is read most often. It lies apart, so that reading it brings
    /// nothing else from memory.
    type Head: Copy + fmt::Debug;
    /// What else there is.
    type Rest: Copy + fmt::Debug;

    fn parts(&self) -> (&Self::Head, &Self::Rest);

    fn join(head: Self::Head, rest: Self::Rest) -> Self;

    /// Writes a record that comes after another one of its page.
    fn encode(&self, before: Option<&Self>, out: &mut Vec<u8>);

    /// Reads it again.
    fn decode(input: &mut Input<'_>, before: Option<&Self>) -> Result<Self, PageError>;
}

/// Writes an integer.
pub(super) fn put(value: u128, out: &mut Vec<u8>) {
    let written = postcard::to_extend(&value, mem::take(out));
    *out = written
        .or_impossible("an integer can be written to memory")
        .unwrap_or_default();
}

/// Bytes that are still to be read.
pub(super) struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// An integer. `postcard` would also read one that ends with needless zeros.
    pub(super) fn take<T: Deserialize<'a>>(&mut self) -> Result<T, PageError> {
        let (value, rest) = postcard::take_from_bytes(self.0).map_err(|error| match error {
            postcard::Error::DeserializeUnexpectedEnd => PageError::Short,
            _ => PageError::Malformed,
        })?;
        let taken = self.0.len() - rest.len();
        if taken > 1 && self.0.get(taken - 1) == Some(&0) {
            return Err(PageError::Malformed);
        }
        self.0 = rest;
        Ok(value)
    }

    pub(super) const fn end(&self) -> Result<(), PageError> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(PageError::Long)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn word(bytes: &[u8]) -> Result<u64, PageError> {
        Input::new(bytes).take()
    }

    fn wide(bytes: &[u8]) -> Result<u128, PageError> {
        Input::new(bytes).take()
    }

    #[test]
    fn an_integer_is_written_in_one_way_only() {
        assert_eq!(word(&[0x80, 0]), Err(PageError::Malformed));
        assert_eq!(wide(&[0x80, 0]), Err(PageError::Malformed));
        assert_eq!(word(&[0x80]), Err(PageError::Short));
        assert_eq!(word(&[0xff; 30]), Err(PageError::Malformed));
        assert_eq!(wide(&[0xff; 30]), Err(PageError::Malformed));
    }

    #[test]
    fn an_integer_too_large_is_refused() {
        let mut bytes = Vec::new();
        put(u128::from(u64::MAX) + 1, &mut bytes);
        assert_eq!(word(&bytes), Err(PageError::Malformed));
    }

    /// Pages that were kept are read by every version.
    #[test]
    fn an_integer_has_seven_bits_in_a_byte_and_the_lowest_first() {
        let mut bytes = Vec::new();
        for value in [0, 127, 128, 300, u128::from(u64::MAX)] {
            put(value, &mut bytes);
        }
        let largest = [&[0xff; 9][..], &[1]].concat();
        let expected = [&[0, 127, 0x80, 1, 0xac, 2][..], &largest].concat();
        assert_eq!(bytes, expected);
    }

    proptest! {
        #[test]
        fn integers_come_back(value: u128, drop in 0_u32..128) {
            let value = value >> drop;
            let mut bytes = Vec::new();
            put(value, &mut bytes);
            let mut input = Input::new(&bytes);
            prop_assert_eq!(input.take(), Ok(value));
            prop_assert_eq!(input.end(), Ok(()));
            if let Ok(value) = u64::try_from(value) {
                prop_assert_eq!(word(&bytes), Ok(value));
            }
        }
    }
}
