//! Pages as bytes.
//!
//! A page begins with a version and a checksum of what follows, the number of
//! its records. Of each record follows by how much its bucket is behind the one before, then what it holds,
//! in integers of seven bits per byte, the lowest first. There is exactly one
//! way to write a page; everything else is refused.

use std::fmt;
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
pub(super) fn put(mut value: u128, out: &mut Vec<u8>) {
    while value >> 7 != 0 {
        out.push(low_bits(value) | 0x80);
        value >>= 7;
    }
    out.push(low_bits(value));
}

fn low_bits(value: u128) -> u8 {
    value.to_le_bytes()[0] & 0x7f
}

/// Bytes that are still to be read.
pub(super) struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(super) fn byte(&mut self) -> Result<u8, PageError> {
        let (first, rest) = self.0.split_first().ok_or(PageError::Short)?;
        self.0 = rest;
        Ok(*first)
    }

    /// An integer of at most 64 bits. Prices are made of these, so that they do
    /// not pay for wider ones.
    pub(super) fn word(&mut self) -> Result<u64, PageError> {
        let mut value = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            let shifted = bits << shift;
            if shifted >> shift != bits || (byte == 0 && shift > 0) {
                return Err(PageError::Malformed);
            }
            value |= shifted;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(PageError::Malformed)
    }

    /// An integer of at most 128 bits.
    pub(super) fn wide(&mut self) -> Result<u128, PageError> {
        let mut value = 0;
        for shift in (0..u128::BITS).step_by(7) {
            let byte = self.byte()?;
            let bits = u128::from(byte & 0x7f);
            let shifted = bits << shift;
            if shifted >> shift != bits || (byte == 0 && shift > 0) {
                return Err(PageError::Malformed);
            }
            value |= shifted;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(PageError::Malformed)
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

    #[test]
    fn an_integer_is_written_in_one_way_only() {
        assert_eq!(Input::new(&[0x80, 0]).word(), Err(PageError::Malformed));
        assert_eq!(Input::new(&[0x80, 0]).wide(), Err(PageError::Malformed));
        assert_eq!(Input::new(&[0x80]).word(), Err(PageError::Short));
        assert_eq!(Input::new(&[0xff; 30]).word(), Err(PageError::Malformed));
        assert_eq!(Input::new(&[0xff; 30]).wide(), Err(PageError::Malformed));
    }

    #[test]
    fn an_integer_too_large_is_refused() {
        let mut bytes = Vec::new();
        put(u128::from(u64::MAX) + 1, &mut bytes);
        assert_eq!(Input::new(&bytes).word(), Err(PageError::Malformed));
    }

    proptest! {
        #[test]
        fn integers_come_back(value: u128, drop in 0_u32..128) {
            let value = value >> drop;
            let mut bytes = Vec::new();
            put(value, &mut bytes);
            let mut input = Input::new(&bytes);
            prop_assert_eq!(input.wide(), Ok(value));
            prop_assert_eq!(input.end(), Ok(()));
            if let Ok(word) = u64::try_from(value) {
                prop_assert_eq!(Input::new(&bytes).word(), Ok(word));
            }
        }
    }
}
