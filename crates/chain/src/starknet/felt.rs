//! Field elements as nodes write them.

use primitives::{Felt, felt_from_hex, felt_to_hex};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, IgnoredAny, SeqAccess, Visitor},
};
use std::fmt;

/// A field element in hexadecimal, read without a copy of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WireFelt(pub(super) Felt);

impl Serialize for WireFelt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&felt_to_hex(self.0))
    }
}

impl<'de> Deserialize<'de> for WireFelt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Hex;

        impl Visitor<'_> for Hex {
            type Value = WireFelt;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a field element in hexadecimal")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<WireFelt, E> {
                felt_from_hex(text)
                    .map(WireFelt)
                    .map_err(|error| E::custom(format_args!("a field element {error}")))
            }
        }

        deserializer.deserialize_str(Hex)
    }
}

/// A number of at most 128 bits from the form of a field element, without the
/// element's arithmetic; `None` for anything else.
pub(super) fn u128_from_hex(text: &str) -> Option<u128> {
    let prefixed = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let digits = prefixed.filter(|digits| (1..=64).contains(&digits.len()))?;
    let digits = digits.trim_start_matches('0');
    if digits.len() > 32 {
        return None;
    }
    digits.chars().try_fold(0, |number, digit| {
        Some(number << 4 | u128::from(digit.to_digit(16)?))
    })
}

/// What a contract returned: at most `LIMIT` elements, or `None` when there are
/// more, however many.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Returned<const LIMIT: usize>(pub(super) Option<Vec<Felt>>);

impl<'de, const LIMIT: usize> Deserialize<'de> for Returned<LIMIT> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bounded<const LIMIT: usize>;

        impl<'de, const LIMIT: usize> Visitor<'de> for Bounded<LIMIT> {
            type Value = Returned<LIMIT>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array of field elements")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
                let mut felts = Vec::new();
                while felts.len() < LIMIT {
                    match items.next_element()? {
                        Some(WireFelt(felt)) => felts.push(felt),
                        None => return Ok(Returned(Some(felts))),
                    }
                }
                let mut surplus = false;
                while items.next_element::<IgnoredAny>()?.is_some() {
                    surplus = true;
                }
                Ok(Returned((!surplus).then_some(felts)))
            }
        }

        deserializer.deserialize_seq(Bounded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn elements_are_read_from_any_hexadecimal_form_and_nothing_else() {
        for text in [r#""0x2A""#, r#""0x002a""#, r#""0x2\u0061""#] {
            let felt: WireFelt = serde_json::from_str(text).unwrap();
            assert_eq!(felt, WireFelt(Felt::from(42)));
        }
        for text in ["42", r#""42""#, r#""0x""#, "null", "[]"] {
            assert!(serde_json::from_str::<WireFelt>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn only_so_many_elements_are_kept() {
        let read = |text| serde_json::from_str::<Returned<2>>(text).unwrap().0;
        assert_eq!(read("[]"), Some(vec![]));
        assert_eq!(read(r#"["0x1","0x2"]"#), Some(vec![1.into(), 2.into()]));
        assert_eq!(read(r#"["0x1","0x2","0x3","0x4"]"#), None);
    }

    proptest! {
        #[test]
        fn short_numbers_are_the_elements_that_fit(text in "(0[xX])?0{0,40}[0-9a-fA-FgG+é]{0,34}") {
            let felt = felt_from_hex(&text).ok();
            let number = felt.and_then(|felt| u128::try_from(felt).ok());
            prop_assert_eq!(u128_from_hex(&text), number);
        }
    }
}
