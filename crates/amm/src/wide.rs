//! Multiplication and division through 512 bits.

use primitives::U256;
use ruint::aliases::U512;

/// `a * b / divisor`, rounded down; `None` if it has more than 256 bits or the
/// divisor is zero.
pub fn mul_div(a: U256, b: U256, divisor: U256) -> Option<U256> {
    divide(a, b, divisor).map(|(quotient, _)| quotient)
}

/// `a * b / divisor`, rounded up; `None` as for [`mul_div`].
pub fn mul_div_up(a: U256, b: U256, divisor: U256) -> Option<U256> {
    let (quotient, exact) = divide(a, b, divisor)?;
    if exact {
        Some(quotient)
    } else {
        quotient.checked_add(U256::ONE)
    }
}

/// The quotient and whether nothing is left over.
fn divide(a: U256, b: U256, divisor: U256) -> Option<(U256, bool)> {
    if divisor.is_zero() {
        return None;
    }
    // Most amounts are small: a division of 256 bits costs half of a wider one.
    if let Some(product) = a.checked_mul(b) {
        let (quotient, rest) = product.div_rem(divisor);
        return Some((quotient, rest.is_zero()));
    }
    let product: U512 = a.widening_mul(b);
    let (quotient, rest) = product.div_rem(U512::from(divisor));
    Some((
        U256::checked_from_limbs_slice(quotient.as_limbs())?,
        rest.is_zero(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_may_be_wider_than_the_result() {
        let max = U256::MAX;
        assert_eq!(mul_div(max, max, max), Some(max));
        assert_eq!(
            mul_div_up(max, U256::from(2), U256::from(4)),
            Some(max / U256::from(2) + U256::ONE)
        );
        assert_eq!(mul_div(max, U256::from(2), U256::ONE), None);
        assert_eq!(mul_div(max, max, U256::ZERO), None);
    }

    #[test]
    fn only_a_rest_rounds_up() {
        let [six, two, four] = [6, 2, 4].map(U256::from);
        assert_eq!(mul_div_up(six, two, four), Some(U256::from(3)));
        assert_eq!(mul_div_up(six, six, four), Some(U256::from(9)));
        assert_eq!(mul_div_up(six, U256::ONE, four), Some(two));
    }
}
