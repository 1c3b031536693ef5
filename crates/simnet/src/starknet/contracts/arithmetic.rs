//! Checked arithmetic that reverts in the words of Cairo's own library.

use crate::starknet::contract::Revert;
use primitives::U256;

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
