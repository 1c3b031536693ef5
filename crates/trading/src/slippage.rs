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
