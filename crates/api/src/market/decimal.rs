//! Exact decimals: money must not pass through floating point.

use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::value::RawValue;
use std::fmt;

/// Digits after the point of USD that are counted in hundred-millionths.
const USD_DECIMALS: u8 = 8;

/// A number of units of which `10^decimals` are one. It is written exactly and
/// without needless zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decimal {
    pub(super) units: u128,
    pub(super) decimals: u8,
}

impl Decimal {
    /// Hundred-millionths of a dollar.
    pub(super) const fn usd(units: u128) -> Self {
        Self {
            units,
            decimals: USD_DECIMALS,
        }
    }

    /// The nearest number.
    pub(super) fn nearest(self) -> f64 {
        self.to_string().parse().unwrap_or(f64::INFINITY)
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = usize::from(self.decimals);
        let digits = format!("{:0width$}", self.units, width = decimals + 1);
        let (whole, fraction) = digits.split_at(digits.len() - decimals);
        f.write_str(whole)?;
        match fraction.trim_end_matches('0') {
            "" => Ok(()),
            fraction => write!(f, ".{fraction}"),
        }
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = RawValue::from_string(self.to_string());
        number.map_err(S::Error::custom)?.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decimal(units: u128, decimals: u8) -> String {
        serde_json::to_string(&Decimal { units, decimals }).unwrap()
    }

    #[test]
    fn amounts_are_exact_and_without_needless_zeros() {
        for (units, decimals, text) in [
            (0, 0, "0"),
            (0, 18, "0"),
            (1, 0, "1"),
            (100, 0, "100"),
            (100, 2, "1"),
            (1, 18, "0.000000000000000001"),
            (1_500_000, 6, "1.5"),
            (10_000_000_000, 8, "100"),
            (u128::MAX, 36, "340.282366920938463463374607431768211455"),
            (u128::MAX, 0, "340282366920938463463374607431768211455"),
        ] {
            assert_eq!(decimal(units, decimals), text);
        }
    }

    #[test]
    fn the_nearest_number_is_rounded_once() {
        let nearest = |units, decimals| Decimal { units, decimals }.nearest();
        assert!((nearest(1_500_000, 6) - 1.5).abs() < f64::EPSILON);
        let exact = 1e18 / 3.0;
        let near = nearest(333_333_333_333_333_333_333_333, 6);
        assert!((near / exact - 1.0).abs() < 1e-15);
    }

    /// The units that a text of a decimal means.
    fn units(text: &str, decimals: u8) -> u128 {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let width = usize::from(decimals);
        format!("{whole}{part:0<width$}").parse().unwrap()
    }

    proptest! {
        #[test]
        fn an_amount_reads_back_as_itself(amount in any::<u128>(), shift in 0..128_u32, decimals in 0..=36_u8) {
            let amount = amount >> shift;
            let text = decimal(amount, decimals);
            prop_assert_eq!(units(&text, decimals), amount);
            prop_assert!(!text.contains('.') || !text.ends_with(['0', '.']));
            prop_assert!(serde_json::from_str::<f64>(&text).is_ok());
        }
    }
}
