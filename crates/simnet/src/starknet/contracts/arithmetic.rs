//! Checked arithmetic that reverts in the words of Cairo's own library.

use crate::starknet::failure::Revert;
use primitives::U256;
use ruint::aliases::U512;

pub(crate) fn add(a: U256, b: U256) -> Result<U256, Revert> {
    a.checked_add(b).ok_or_else(|| overflow("add"))
}

pub(crate) fn sub(a: U256, b: U256) -> Result<U256, Revert> {
    a.checked_sub(b).ok_or_else(|| overflow("sub"))
}

pub(crate) fn mul(a: U256, b: U256) -> Result<U256, Revert> {
    a.checked_mul(b).ok_or_else(|| overflow("mul"))
}

/// Rounded down.
pub(crate) fn div(a: U256, b: U256) -> Result<U256, Revert> {
    a.checked_div(b).ok_or_else(|| Revert::new("Division by 0"))
}

/// Rounded up.
pub(crate) fn div_up(a: U256, b: U256) -> Result<U256, Revert> {
    let quotient = div(a, b)?;
    if mul(quotient, b)? == a {
        Ok(quotient)
    } else {
        add(quotient, U256::ONE)
    }
}

/// `a * b / divisor` through 512 bits, rounded down; `too_large` are the words
/// for a result of more than 256 bits.
pub(crate) fn mul_div(a: U256, b: U256, divisor: U256, too_large: &str) -> Result<U256, Revert> {
    wide_div(a, b, divisor, too_large).map(|(quotient, _)| quotient)
}

/// The same, rounded up.
pub(crate) fn mul_div_up(a: U256, b: U256, divisor: U256, too_large: &str) -> Result<U256, Revert> {
    let (quotient, exact) = wide_div(a, b, divisor, too_large)?;
    let rest = U256::from(u8::from(!exact));
    quotient
        .checked_add(rest)
        .ok_or_else(|| Revert::new(too_large))
}

/// The quotient, and whether nothing is left over.
fn wide_div(a: U256, b: U256, divisor: U256, too_large: &str) -> Result<(U256, bool), Revert> {
    ensure(!divisor.is_zero(), "u256 is 0")?;
    let product: U512 = a.widening_mul(b);
    let (quotient, rest) = product.div_rem(U512::from(divisor));
    let quotient = U256::checked_from_limbs_slice(quotient.as_limbs());
    let quotient = quotient.ok_or_else(|| Revert::new(too_large))?;
    Ok((quotient, rest.is_zero()))
}

/// Reverts with `reason` unless something holds.
pub(crate) fn ensure(holds: bool, reason: &str) -> Result<(), Revert> {
    if holds {
        Ok(())
    } else {
        Err(Revert::new(reason))
    }
}

fn overflow(operation: &str) -> Revert {
    Revert::new(format!("u256_{operation} Overflow"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_products_are_divided_and_only_a_rest_rounds_up() {
        let number = |number: u64| U256::from(number);
        let down = |a, b, c| mul_div(a, b, c, "too large");
        let up = |a, b, c| mul_div_up(a, b, c, "too large");
        assert_eq!(down(number(7), number(3), number(4)), Ok(number(5)));
        assert_eq!(up(number(7), number(3), number(4)), Ok(number(6)));
        assert_eq!(up(number(8), number(3), number(4)), Ok(number(6)));
        let most = U256::MAX;
        assert_eq!(down(most, most, most), Ok(most));
        assert_eq!(up(most, most, most), Ok(most));
        let too_large = Err(Revert::new("too large"));
        assert_eq!(down(most, number(2), number(1)), too_large);
        let zero = Err(Revert::new("u256 is 0"));
        assert_eq!(down(most, most, U256::ZERO), zero);
    }
}
