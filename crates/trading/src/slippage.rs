//! How much worse than quoted a trade may be.

use primitives::U256;
use std::str::FromStr;
use thiserror::Error;

/// Digits after the point that are told apart.
const DECIMALS: usize = 36;

/// All of an amount.
const WHOLE: u128 = 10_u128.pow(36);

/// A part of an amount from nothing to all, exactly as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slippage(u128);

/// Why a text is no slippage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum BadSlippage {
    /// It is no number as JSON writes numbers.
    #[error("is not a number")]
    Malformed,
    /// It is negative or more than one.
    #[error("is not between 0 and 1")]
    OutOfBounds,
    /// It has more digits than are told apart.
    #[error("has more than {DECIMALS} digits after the point")]
    TooFine,
}

impl Slippage {
    /// Five per cent: what holds if nobody says anything.
    pub const DEFAULT: Self = Self(WHOLE / 20);

    /// So many basis points, at most all of them.
    #[must_use]
    pub const fn from_bps(points: u16) -> Self {
        let points = if points < 10_000 { points } else { 10_000 };
        Self(WHOLE / 10_000 * points as u128)
    }

    /// What must at least be bought where this was quoted, rounded down.
    #[must_use]
    pub fn least(self, quoted: U256) -> U256 {
        part(quoted, WHOLE - self.0)
    }

    /// What may at most be sold where this was quoted, rounded down, so that it
    /// is never more than was allowed.
    #[must_use]
    pub fn most(self, quoted: U256) -> U256 {
        quoted.saturating_add(part(quoted, self.0))
    }
}

/// `amount * units / WHOLE`, rounded down.
fn part(amount: U256, units: u128) -> U256 {
    let (units, whole) = (U256::from(units), U256::from(WHOLE));
    // In two parts, since the product of a large amount would not fit.
    let (many, rest) = amount.div_rem(whole);
    many * units + rest * units / whole
}

/// A number as JSON writes it, such as `0.005` or `5e-3`.
impl FromStr for Slippage {
    type Err = BadSlippage;

    fn from_str(text: &str) -> Result<Self, BadSlippage> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, power(exponent)?),
            None => (text, 0),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
            Some(_) => return Err(BadSlippage::Malformed),
            None => (mantissa, ""),
        };
        let is_number = !whole.is_empty() && (whole == "0" || !whole.starts_with('0'));
        let mut digits = whole.bytes().chain(fraction.bytes());
        if !is_number || !digits.all(|digit| digit.is_ascii_digit()) {
            return Err(BadSlippage::Malformed);
        }
        let units = units(whole, fraction, exponent)?;
        if negative && units > 0 {
            return Err(BadSlippage::OutOfBounds);
        }
        Ok(Self(units))
    }
}

/// The exponent of a number. One that no number of interest has counts as the
/// largest or smallest there is.
fn power(text: &str) -> Result<i64, BadSlippage> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(BadSlippage::Malformed);
    }
    let size = digits.parse::<i64>().unwrap_or(FAR).min(FAR);
    Ok(if text.starts_with('-') { -size } else { size })
}

/// An exponent beyond every number of digits that is read.
const FAR: i64 = 1 << 32;

/// The number in units of 10⁻³⁶.
fn units(whole: &str, fraction: &str, exponent: i64) -> Result<u128, BadSlippage> {
    let digits = [whole, fraction].concat();
    let from_first = digits.trim_start_matches('0');
    let significant = from_first.trim_end_matches('0');
    if significant.is_empty() {
        return Ok(0);
    }
    // Digits up to the last that counts, and digits before the point.
    let length = |text: &str| i64::try_from(text.len()).map_err(|_| BadSlippage::Malformed);
    let point = length(whole)? + exponent;
    let first = length(&digits)? - length(from_first)?;
    if first < point - 1 {
        return Err(BadSlippage::OutOfBounds);
    }
    let decimals = first + length(significant)? - point;
    let missing = usize::try_from(decimals)
        .ok()
        .map(|decimals| DECIMALS.checked_sub(decimals));
    let missing = missing
        .unwrap_or(Some(DECIMALS))
        .ok_or(BadSlippage::TooFine)?;
    // At most one digit before the point and 36 after it fit.
    let mut units: u128 = 0;
    for digit in significant.bytes() {
        units = units * 10 + u128::from(digit - b'0');
    }
    for _ in 0..missing {
        units *= 10;
    }
    if units > WHOLE {
        return Err(BadSlippage::OutOfBounds);
    }
    Ok(units)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slippage(text: &str) -> Slippage {
        text.parse().unwrap()
    }

    #[test]
    fn one_number_may_be_written_in_many_ways() {
        for text in ["0.05", "0.0500", "5e-2", "5E-02", "0.5e-1", "500e-4"] {
            assert_eq!(slippage(text), Slippage::DEFAULT, "{text}");
        }
        for text in ["0", "-0", "0.0", "0e9999999999999999999", "0E-7"] {
            assert_eq!(slippage(text), Slippage(0), "{text}");
        }
        for text in ["1", "1.000", "10e-1", "0.001e3", "1e0", "1e+0"] {
            assert_eq!(slippage(text), Slippage(WHOLE), "{text}");
        }
        assert_eq!(slippage("1e-36"), Slippage(1));
    }

    #[test]
    fn what_is_no_part_is_refused_with_its_reason() {
        for (text, reason) in [
            ("", BadSlippage::Malformed),
            ("-", BadSlippage::Malformed),
            (".5", BadSlippage::Malformed),
            ("5.", BadSlippage::Malformed),
            ("01", BadSlippage::Malformed),
            ("0x1", BadSlippage::Malformed),
            ("1e", BadSlippage::Malformed),
            ("1e-", BadSlippage::Malformed),
            ("+1", BadSlippage::Malformed),
            ("NaN", BadSlippage::Malformed),
            ("0.٣", BadSlippage::Malformed),
            ("-0.1", BadSlippage::OutOfBounds),
            ("1.0000000000000000000000000001", BadSlippage::OutOfBounds),
            ("9", BadSlippage::OutOfBounds),
            ("12", BadSlippage::OutOfBounds),
            ("1e99999999999999999999", BadSlippage::OutOfBounds),
            ("1e-37", BadSlippage::TooFine),
            ("1e-99999999999999999999", BadSlippage::TooFine),
        ] {
            assert_eq!(text.parse::<Slippage>(), Err(reason), "{text}");
        }
    }

    #[test]
    fn the_minimum_is_that_of_a_swap_seen_on_the_public_network() {
        let least = slippage("0.005").least(U256::from(0x2b1_33f1_u32));
        assert_eq!(least, U256::from(0x2ad_c1c2_u32));
    }

    #[test]
    fn bounds_of_the_largest_amounts_fit() {
        assert_eq!(slippage("0").least(U256::MAX), U256::MAX);
        assert_eq!(slippage("1").least(U256::MAX), U256::ZERO);
        assert_eq!(slippage("0.05").most(U256::MAX), U256::MAX);
    }

    proptest! {
        #[test]
        fn bounds_are_exact_for_any_decimal(amount: u128, digits in 1_u32..19, number: u64) {
            let scale = 10_u64.pow(digits);
            let number = number % (scale + 1);
            let text = if number == scale {
                "1".to_owned()
            } else {
                format!("0.{number:0>width$}", width = usize::try_from(digits).unwrap())
            };
            let [amount, scale, number] =
                [amount, scale.into(), number.into()].map(U256::from);
            let slippage = slippage(&text);
            prop_assert_eq!(slippage.least(amount), amount * (scale - number) / scale);
            prop_assert_eq!(slippage.most(amount), amount * (scale + number) / scale);
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in "[-+0-9.eE]{0,50}|.{0,50}") {
            let _ = text.parse::<Slippage>();
        }
    }
}
