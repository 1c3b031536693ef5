//! Ids that sort by the time at which they were made.

use crate::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::{fmt, str::FromStr};
use thiserror::Error;

/// Crockford's digits: no I, L, O and U.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH: usize = 26;
const RANDOM_BITS: u32 = 80;

/// A ULID: 48 bits of milliseconds since 1970, then 80 random bits.
///
/// Its text is 26 digits of Crockford's base 32. Either case is read, upper
/// case is written, so that texts compare like values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ulid(u128);

/// A text is not a ULID.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("must be a ULID: 26 digits of Crockford's base 32, the first 0 to 7")]
pub struct NotUlid;

impl Ulid {
    /// The id of a moment and some randomness. A time before 1970 counts as
    /// 1970, one after the year 10889 as that year.
    pub fn new(at: Timestamp, random: [u8; 10]) -> Self {
        let most = (1 << 48) - 1;
        let time = u128::try_from(at.as_millisecond()).unwrap_or(0).min(most);
        let random = random
            .iter()
            .fold(0, |number: u128, byte| (number << 8) | u128::from(*byte));
        Self((time << RANDOM_BITS) | random)
    }
}

impl FromStr for Ulid {
    type Err = NotUlid;

    fn from_str(text: &str) -> Result<Self, NotUlid> {
        // The first digit has three of the 128 bits.
        if text.len() != LENGTH || !matches!(text.as_bytes().first(), Some(b'0'..=b'7')) {
            return Err(NotUlid);
        }
        let mut value: u128 = 0;
        for letter in text.bytes() {
            let letter = letter.to_ascii_uppercase();
            let digit = DIGITS.iter().position(|digit| *digit == letter);
            let digit = u128::try_from(digit.ok_or(NotUlid)?).map_err(|_| NotUlid)?;
            value = (value << 5) | digit;
        }
        Ok(Self(value))
    }
}

impl fmt::Display for Ulid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text: String = (0..LENGTH)
            .rev()
            .filter_map(|place| {
                let digit = usize::try_from((self.0 >> (place * 5)) & 31).ok()?;
                DIGITS.get(digit).copied().map(char::from)
            })
            .collect();
        f.pad(&text)
    }
}

impl fmt::Debug for Ulid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ulid({self})")
    }
}

impl Serialize for Ulid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Ulid {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_text_is_that_of_the_specification() {
        // The example of the specification has this time in its first ten digits.
        let at = Timestamp::from_millisecond(1_469_918_176_385).unwrap();
        let text = Ulid::new(at, [0; 10]).to_string();
        assert_eq!(text, "01ARYZ6S410000000000000000");
        let largest = Ulid(u128::MAX).to_string();
        assert_eq!(largest, "7ZZZZZZZZZZZZZZZZZZZZZZZZZ");
    }

    #[test]
    fn other_texts_are_no_ulids() {
        for text in [
            "",
            "01ARYZ6S41000000000000000",
            "01ARYZ6S4100000000000000000",
            "81ARYZ6S410000000000000000",
            "01ARYZ6S41000000000000000U",
            "01ARYZ6S41000000000000000I",
            "01ARYZ6S41000000000000000L",
            "01ARYZ6S41000000000000000O",
            "01ARYZ6S4100000000000000é",
            "936da01f-9abd-4d9d-80c7-02af85c822a8",
        ] {
            assert_eq!(text.parse::<Ulid>(), Err(NotUlid), "{text}");
        }
    }

    #[test]
    fn times_outside_of_its_range_are_cut() {
        let early = Ulid::new(Timestamp::MIN, [0; 10]).to_string();
        assert_eq!(early, "0".repeat(26));
    }

    proptest! {
        #[test]
        fn texts_round_trip_in_either_case(value in any::<u128>()) {
            let id = Ulid(value);
            let text = id.to_string();
            prop_assert_eq!(text.parse(), Ok(id));
            prop_assert_eq!(text.to_lowercase().parse(), Ok(id));
        }

        #[test]
        fn ids_and_their_texts_sort_by_time(
            a in 0_i64..=200_000_000_000_000, b in 0_i64..=200_000_000_000_000,
            low in any::<[u8; 10]>(), high in any::<[u8; 10]>(),
        ) {
            let id = |ms, random| Ulid::new(Timestamp::from_millisecond(ms).unwrap(), random);
            let (x, y) = (id(a, low), id(b, high));
            prop_assert_eq!(x.cmp(&y), x.to_string().cmp(&y.to_string()));
            if a != b {
                prop_assert_eq!(x.cmp(&y), a.cmp(&b));
            }
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in ".{0,30}") {
            let _ = text.parse::<Ulid>();
        }
    }
}
