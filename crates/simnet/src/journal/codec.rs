//! Values as bytes: compact, and read without trust.
//!
//! Numbers take as few bytes as they need. Whatever the bytes are, reading them
//! ends with a value or with none; a length never reserves more than there is.

use primitives::{Felt, OrImpossible as _, U256};
use std::sync::Arc;

/// Elements of a list for which room is made before they are read.
const MAX_RESERVED: usize = 1_024;

/// A value that can be written to bytes and read back.
pub(crate) trait Stored: Sized {
    fn store(&self, out: &mut Vec<u8>);

    /// The value at the beginning of `input`, which moves behind it.
    fn load(input: &mut Input<'_>) -> Option<Self>;
}

/// Bytes that are still to be read.
#[derive(Debug)]
pub(crate) struct Input<'b>(&'b [u8]);

impl<'b> Input<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    /// A text that stays where it is.
    pub(crate) fn text(&mut self) -> Option<&'b str> {
        let length = usize::load(self)?;
        std::str::from_utf8(self.take(length)?).ok()
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }
}

/// The value that `bytes` are, all of them.
pub(crate) fn load<T: Stored>(bytes: &[u8]) -> Option<T> {
    let mut input = Input::new(bytes);
    let value = T::load(&mut input)?;
    input.0.is_empty().then_some(value)
}

/// Implements [`Stored`] for a struct, field by field.
macro_rules! stored_struct {
    ($type:ty { $($field:ident),+ $(,)? }) => {
        impl Stored for $type {
            fn store(&self, out: &mut Vec<u8>) {
                $(self.$field.store(out);)+
            }

            fn load(input: &mut Input<'_>) -> Option<Self> {
                Some(Self { $($field: Stored::load(input)?),+ })
            }
        }
    };
}
pub(crate) use stored_struct;

impl Stored for u8 {
    fn store(&self, out: &mut Vec<u8>) {
        out.push(*self);
    }

    fn load(input: &mut Input<'_>) -> Option<Self> {
        input.byte()
    }
}

impl Stored for bool {
    fn store(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn load(input: &mut Input<'_>) -> Option<Self> {
        match input.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

/// Big-endian without leading zeros, after the number of bytes.
fn store_number(bytes: &[u8; 32], out: &mut Vec<u8>) {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    let digits = bytes.get(zeros..).unwrap_or_default();
    let length = u8::try_from(digits.len()).or_impossible("32 bytes are fewer than 256");
    out.push(length.unwrap_or_default());
    out.extend_from_slice(digits);
}

fn load_number(input: &mut Input<'_>) -> Option<[u8; 32]> {
    let length = usize::from(input.byte()?);
    let digits = input.take(length)?;
    let mut bytes = [0; 32];
    let zeros = bytes.len().checked_sub(length)?;
    bytes.get_mut(zeros..)?.copy_from_slice(digits);
    Some(bytes)
}

impl Stored for U256 {
    fn store(&self, out: &mut Vec<u8>) {
        store_number(&self.to_be_bytes(), out);
    }

    fn load(input: &mut Input<'_>) -> Option<Self> {
        load_number(input).map(Self::from_be_bytes)
    }
}

impl Stored for Felt {
    fn store(&self, out: &mut Vec<u8>) {
        store_number(&self.to_bytes_be(), out);
    }

    fn load(input: &mut Input<'_>) -> Option<Self> {
        load_number(input).map(|bytes| Self::from_bytes_be(&bytes))
    }
}

/// Seven bits in a byte, the lowest first; the eighth says that more follow.
macro_rules! stored_integer {
    ($type:ty) => {
        impl Stored for $type {
            fn store(&self, out: &mut Vec<u8>) {
                let mut rest = *self;
                while rest >= 0x80 {
                    out.push(rest.to_le_bytes()[0] | 0x80);
                    rest >>= 7;
                }
                out.push(rest.to_le_bytes()[0]);
            }

            fn load(input: &mut Input<'_>) -> Option<Self> {
                let mut value: Self = 0;
                for shift in (0..Self::BITS).step_by(7) {
                    let byte = input.byte()?;
                    let bits = Self::from(byte & 0x7f);
                    let placed = bits << shift;
                    if placed >> shift != bits {
                        return None;
                    }
                    value |= placed;
                    if byte & 0x80 == 0 {
                        return Some(value);
                    }
                }
                None
            }
        }
    };
}
stored_integer!(u64);
stored_integer!(u128);

impl Stored for usize {
    fn store(&self, out: &mut Vec<u8>) {
        u64::try_from(*self).unwrap_or(u64::MAX).store(out);
    }

    fn load(input: &mut Input<'_>) -> Option<Self> {
        u64::load(input)?.try_into().ok()
    }
}

impl Stored for String {
    fn store(&self, out: &mut Vec<u8>) {
        self.len().store(out);
        out.extend_from_slice(self.as_bytes());
    }

    fn load(input: &mut Input<'_>) -> Option<Self> {
        input.text().map(Self::from)
    }
}

impl<T: Stored> Stored for Option<T> {
    fn store(&self, out: &mut Vec<u8>) {
        self.is_some().store(out);
        if let Some(value) = self {
            value.store(out);
        }
    }

    fn load(input: &mut Input<'_>) -> Option<Self> {
        if bool::load(input)? {
            T::load(input).map(Some)
        } else {
            Some(None)
        }
    }
}

impl<T: Stored> Stored for Vec<T> {
    fn store(&self, out: &mut Vec<u8>) {
        store_list(self, out);
    }

    fn load(input: &mut Input<'_>) -> Option<Self> {
        let length = usize::load(input)?;
        // Every element takes at least one byte.
        if length > input.0.len() {
            return None;
        }
        let mut list = Self::with_capacity(length.min(MAX_RESERVED));
        for _ in 0..length {
            list.push(T::load(input)?);
        }
        Some(list)
    }
}

pub(crate) fn store_list<T: Stored>(list: &[T], out: &mut Vec<u8>) {
    list.len().store(out);
    for element in list {
        element.store(out);
    }
}

impl<T: Stored> Stored for Box<[T]> {
    fn store(&self, out: &mut Vec<u8>) {
        store_list(self, out);
    }

    fn load(input: &mut Input<'_>) -> Option<Self> {
        Vec::load(input).map(Vec::into_boxed_slice)
    }
}

impl<T: Stored> Stored for Arc<T> {
    fn store(&self, out: &mut Vec<u8>) {
        self.as_ref().store(out);
    }

    fn load(input: &mut Input<'_>) -> Option<Self> {
        T::load(input).map(Self::new)
    }
}

impl<A: Stored, B: Stored> Stored for (A, B) {
    fn store(&self, out: &mut Vec<u8>) {
        self.0.store(out);
        self.1.store(out);
    }

    fn load(input: &mut Input<'_>) -> Option<Self> {
        Some((A::load(input)?, B::load(input)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes(value: &impl Stored) -> Vec<u8> {
        let mut out = Vec::new();
        value.store(&mut out);
        out
    }

    type Everything = ((u64, u128), (Vec<Option<String>>, (bool, (U256, Felt))));

    proptest! {
        #[test]
        fn values_come_back_as_they_were(
            integers in any::<(u64, u128)>(),
            texts in prop::collection::vec(prop::option::of(".{0,9}"), 0..5),
            flag: bool,
            number in any::<[u8; 32]>(),
            zeros in 0_usize..=32,
        ) {
            let mut number = number;
            number[..zeros].fill(0);
            let value: Everything = (
                integers,
                (texts, (flag, (U256::from_be_bytes(number), Felt::from_bytes_be(&number)))),
            );
            let stored = bytes(&value);
            prop_assert_eq!(load::<Everything>(&stored), Some(value));
            prop_assert_eq!(load::<Everything>(&stored[..stored.len() - 1]), None);
        }

        #[test]
        fn no_bytes_make_reading_panic(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let _ = load::<Everything>(&bytes);
            let _ = load::<Vec<Vec<u8>>>(&bytes);
        }
    }

    #[test]
    fn small_numbers_take_few_bytes_and_the_largest_fit() {
        assert_eq!(bytes(&7_u64), [7]);
        assert_eq!(bytes(&Felt::ZERO), [0]);
        assert_eq!(bytes(&Felt::from(256)), [2, 1, 0]);
        for value in [0x7f, 0x80, u64::MAX] {
            assert_eq!(load::<u64>(&bytes(&value)), Some(value));
        }
        assert_eq!(load::<u64>(&bytes(&(u128::from(u64::MAX) + 1))), None);
    }

    #[test]
    fn a_length_that_lies_reserves_nothing() {
        assert_eq!(load::<Vec<Felt>>(&bytes(&u64::MAX)), None);
        assert_eq!(load::<String>(&bytes(&u64::MAX)), None);
    }
}
