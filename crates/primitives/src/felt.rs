//! Hexadecimal and text forms of the Starknet field element.

use crate::hex::{half_byte, number_to_hex};
use starknet_types_core::felt::Felt;
use thiserror::Error;

/// Why a text is not a field element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum FeltError {
    /// The text does not begin with `0x`.
    #[error("must begin with 0x")]
    NoPrefix,
    /// Nothing, or more than 64 digits, follows the prefix.
    #[error("must have 1 to 64 hexadecimal digits after 0x")]
    Length,
    /// A character is not a hexadecimal digit.
    #[error("has a character that is not a hexadecimal digit")]
    Digit,
    /// The number is not below the field's prime.
    #[error("is not below the Starknet field prime")]
    TooLarge,
}

/// Reads `0x` and 1 to 64 hexadecimal digits, padded or not, of either case.
pub fn felt_from_hex(text: &str) -> Result<Felt, FeltError> {
    let digits = text
        .strip_prefix("0x")
        .or_else(|| text.strip_prefix("0X"))
        .ok_or(FeltError::NoPrefix)?;
    if digits.is_empty() || digits.len() > 64 {
        return Err(FeltError::Length);
    }
    let mut bytes = [0_u8; 32];
    let pairs = digits.as_bytes().rchunks(2);
    for (byte, pair) in bytes.iter_mut().rev().zip(pairs) {
        for digit in pair {
            *byte = *byte << 4 | half_byte(*digit).ok_or(FeltError::Digit)?;
        }
    }
    felt_from_bytes(&bytes).ok_or(FeltError::TooLarge)
}

/// The shortest hexadecimal form, `0x0` for zero.
pub fn felt_to_hex(felt: Felt) -> String {
    number_to_hex(&felt.to_bytes_be())
}

/// The element of a big-endian number, if the number is below the prime.
pub(crate) fn felt_from_bytes(bytes: &[u8; 32]) -> Option<Felt> {
    let felt = Felt::from_bytes_be(bytes);
    (felt.to_bytes_be() == *bytes).then_some(felt)
}

/// Packs up to 31 ASCII characters into an element, as Cairo does with `'text'`.
///
/// # Panics
/// When the text is longer or not ASCII: it is meant for constants of the program.
pub fn short_string(text: &str) -> Felt {
    assert!(
        text.len() <= 31 && text.is_ascii(),
        "not a short string: {text:?}"
    );
    Felt::from_bytes_be_slice(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn short_and_padded_forms_are_the_same_element() {
        let padded = format!("0x{:0>64}", "49d3");
        assert_eq!(felt_from_hex("0x49D3"), felt_from_hex(&padded));
        assert_eq!(felt_to_hex(felt_from_hex("0x00").unwrap()), "0x0");
    }

    #[test]
    fn each_malformed_text_has_its_own_error() {
        let prime = "0x800000000000011000000000000000000000000000000000000000000000001";
        for (text, error) in [
            ("49d3", FeltError::NoPrefix),
            ("", FeltError::NoPrefix),
            ("0x", FeltError::Length),
            (&format!("0x{}", "0".repeat(65)), FeltError::Length),
            ("0xg", FeltError::Digit),
            ("0x+1", FeltError::Digit),
            (prime, FeltError::TooLarge),
        ] {
            assert_eq!(felt_from_hex(text), Err(error), "{text}");
        }
    }

    #[test]
    fn short_strings_are_their_ascii_bytes() {
        assert_eq!(felt_to_hex(short_string("SN_STOA")), "0x534e5f53544f41");
    }

    proptest! {
        #[test]
        fn hex_round_trips(bytes in any::<[u8; 32]>()) {
            let felt = Felt::from_bytes_be(&bytes);
            prop_assert_eq!(felt_from_hex(&felt_to_hex(felt)), Ok(felt));
            prop_assert_eq!(felt_to_hex(felt), felt.to_hex_string());
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in ".{0,80}") {
            let _ = felt_from_hex(&text);
        }
    }
}
