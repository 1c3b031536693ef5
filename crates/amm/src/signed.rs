//! Numbers of 128 bits with a sign.
//!
//! Contracts count what a pool gains or loses so: the magnitude has the whole
//! range of an amount, which is one bit more than `i128` has room for.

use serde::de::{self, SeqAccess, Visitor};
use serde::ser::SerializeTuple as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::ops::Neg;

/// What is written before a magnitude that `i128` has no room for; nothing else
/// is written so.
const WIDE: i128 = i128::MIN;

/// A magnitude and a sign. Zero has no sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Signed {
    magnitude: u128,
    negative: bool,
}

impl Signed {
    /// Nothing.
    pub const ZERO: Self = Self {
        magnitude: 0,
        negative: false,
    };

    /// The number of this size, below zero or not.
    #[must_use]
    pub const fn new(magnitude: u128, negative: bool) -> Self {
        Self {
            magnitude,
            negative: negative && magnitude > 0,
        }
    }

    /// The number of this size, not below zero.
    #[must_use]
    pub const fn positive(magnitude: u128) -> Self {
        Self::new(magnitude, false)
    }

    /// How far it is from zero.
    #[must_use]
    pub const fn magnitude(self) -> u128 {
        self.magnitude
    }

    /// Whether it is below zero.
    #[must_use]
    pub const fn is_negative(self) -> bool {
        self.negative
    }

    /// An amount after this much came, or went; `None` beyond the amounts that
    /// there are.
    #[must_use]
    pub const fn added_to(self, amount: u128) -> Option<u128> {
        if self.negative {
            amount.checked_sub(self.magnitude)
        } else {
            amount.checked_add(self.magnitude)
        }
    }
}

impl Neg for Signed {
    type Output = Self;

    fn neg(self) -> Self {
        Self::new(self.magnitude, !self.negative)
    }
}

impl From<i128> for Signed {
    fn from(number: i128) -> Self {
        Self::new(number.unsigned_abs(), number < 0)
    }
}

/// Fails where `i128` has no room for it.
impl TryFrom<Signed> for i128 {
    type Error = std::num::TryFromIntError;

    fn try_from(
        Signed {
            magnitude,
            negative,
        }: Signed,
    ) -> Result<Self, Self::Error> {
        let value = Self::try_from(magnitude)?;
        Ok(if negative { -value } else { value })
    }
}

/// As an `i128` where that has room, as it always was; else `WIDE`, magnitude
/// and sign.
impl Serialize for Signed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Ok(number) = i128::try_from(*self) {
            let mut tuple = serializer.serialize_tuple(1)?;
            tuple.serialize_element(&number)?;
            return tuple.end();
        }
        let mut tuple = serializer.serialize_tuple(3)?;
        tuple.serialize_element(&WIDE)?;
        tuple.serialize_element(&self.magnitude)?;
        tuple.serialize_element(&self.negative)?;
        tuple.end()
    }
}

impl<'de> Deserialize<'de> for Signed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_tuple(3, Parts)
    }
}

struct Parts;

impl<'de> Visitor<'de> for Parts {
    type Value = Signed;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a number with a sign")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Signed, A::Error> {
        let missing = |place| de::Error::invalid_length(place, &self);
        let number: i128 = parts.next_element()?.ok_or_else(|| missing(0))?;
        if number != WIDE {
            return Ok(number.into());
        }
        let magnitude = parts.next_element()?.ok_or_else(|| missing(1))?;
        let negative = parts.next_element()?.ok_or_else(|| missing(2))?;
        Ok(Signed::new(magnitude, negative))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn zero_has_no_sign_and_the_largest_magnitudes_have_one() {
        assert_eq!(Signed::new(0, true), Signed::ZERO);
        let most = Signed::new(u128::MAX, false);
        assert_ne!(most, -most);
        assert_eq!(most.added_to(0), Some(u128::MAX));
        assert_eq!(most.added_to(1), None);
        assert_eq!((-most).added_to(u128::MAX), Some(0));
        assert_eq!((-most).added_to(u128::MAX - 1), None);
        assert!(i128::try_from(most).is_err());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_and_small_numbers_are_written_as_ever(
            magnitude in any::<u128>(),
            shift in 0_u32..128,
            negative in any::<bool>(),
            next in any::<u64>(),
        ) {
            let number = Signed::new(magnitude >> shift, negative);
            let bytes = postcard::to_allocvec(&(number, next)).unwrap();
            prop_assert_eq!(postcard::from_bytes::<(Signed, u64)>(&bytes).unwrap(), (number, next));
            if let Ok(small) = i128::try_from(number) {
                prop_assert_eq!(&bytes, &postcard::to_allocvec(&(small, next)).unwrap());
                prop_assert_eq!(Signed::from(small), number);
            }
        }
    }
}
