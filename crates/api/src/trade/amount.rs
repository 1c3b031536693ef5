//! Whole numbers of up to 256 bits, as clients write and read them.

use crate::http::error::shown;
use primitives::U256;
use serde::{Serialize, Serializer};

/// An amount in hexadecimal, as short as it can be.
#[derive(Debug, Clone, Copy)]
pub(in crate::trade) struct HexAmount(pub(in crate::trade) U256);

impl Serialize for HexAmount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:#x}", self.0))
    }
}

/// Reads a number of hexadecimal digits after `0x`, however many, or of decimal
/// digits.
pub(in crate::trade) fn read_amount(name: &str, text: &str) -> Result<U256, String> {
    let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let (digits, radix) = hexadecimal.map_or((text, 10), |digits| (digits, 16));
    let is_number = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
    if !is_number {
        return Err(format!(
            "{name} must be a whole number, of decimal digits or of hexadecimal ones after 0x, \
             not {}",
            shown(text)
        ));
    }
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Ok(U256::ZERO);
    }
    U256::from_str_radix(digits, radix.into())
        .map_err(|_| format!("{name} must be at most 2^256 - 1, not {}", shown(text)))
}

/// The same, but not nothing.
pub(in crate::trade) fn read_positive(name: &str, text: &str) -> Result<U256, String> {
    let amount = read_amount(name, text)?;
    if amount.is_zero() {
        return Err(format!("{name} must be more than 0, not {}", shown(text)));
    }
    Ok(amount)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn hexadecimal_of_any_length_and_decimal_mean_the_same() {
        for text in ["0x1e", "0X1E", "0x01e", "0x0000001e", "30", "0030"] {
            assert_eq!(read_amount("n", text), Ok(U256::from(30)), "{text}");
        }
        let most = U256::MAX;
        for text in [
            most.to_string(),
            format!("{most:#x}"),
            format!("0x00{most:x}"),
        ] {
            assert_eq!(read_positive("n", &text), Ok(most), "{text}");
        }
    }

    #[test]
    fn what_is_no_amount_is_said_with_the_value() {
        for text in ["", "0x", "-1", "+1", "1.5", "1e18", "0xg", "１", "1 "] {
            let problem = read_amount("sellAmount", text).unwrap_err();
            assert!(problem.ends_with(&format!("not {text:?}")), "{problem}");
        }
        let beyond = format!("0x1{}", "0".repeat(64));
        for text in [&beyond, &"9".repeat(79)] {
            let problem = read_amount("sellAmount", text).unwrap_err();
            assert!(problem.contains("at most 2^256 - 1"), "{problem}");
        }
        for text in ["0", "0x0", "000", "0x0000"] {
            let problem = read_positive("sellAmount", text).unwrap_err();
            assert!(problem.contains("more than 0"), "{problem}");
        }
    }

    proptest! {
        #[test]
        fn every_number_is_read_back(low: u128, high: u128) {
            let number: U256 = U256::from(low) | (U256::from(high) << 128);
            prop_assert_eq!(read_amount("n", &number.to_string()), Ok(number));
            prop_assert_eq!(read_amount("n", &format!("{number:#x}")), Ok(number));
        }

        #[test]
        fn no_text_makes_it_panic(text in ".{0,100}") {
            let _ = read_amount("n", &text);
        }
    }
}
