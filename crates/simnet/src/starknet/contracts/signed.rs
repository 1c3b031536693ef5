//! Signed numbers as contracts pass and keep them: a size and a sign.

use crate::starknet::contract::Calldata;
use crate::starknet::failure::Revert;
use primitives::{Felt, U256};

/// A number with a sign beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Signed {
    pub(super) size: u128,
    pub(super) negative: bool,
}

impl Signed {
    pub(super) const fn plus(size: u128) -> Self {
        Self {
            size,
            negative: false,
        }
    }

    pub(super) const fn minus(size: u128) -> Self {
        Self {
            size,
            negative: size != 0,
        }
    }

    pub(super) const fn opposite(self) -> Self {
        if self.negative {
            Self::plus(self.size)
        } else {
            Self::minus(self.size)
        }
    }

    pub(super) fn of_tick(tick: i32) -> Self {
        Self {
            size: tick.unsigned_abs().into(),
            negative: tick < 0,
        }
    }

    pub(super) fn of_liquidity(liquidity: i128) -> Self {
        Self {
            size: liquidity.unsigned_abs(),
            negative: liquidity < 0,
        }
    }

    pub(super) fn felts(self) -> [Felt; 2] {
        [Felt::from(self.size), Felt::from(self.negative)]
    }

    pub(super) fn read(calldata: &mut Calldata<'_>) -> Result<Self, Revert> {
        let (size, negative) = (calldata.u128()?, calldata.bool()?);
        Ok(if negative {
            Self::minus(size)
        } else {
            Self::plus(size)
        })
    }

    /// As a variable holds it: the sign above the number.
    pub(super) fn stored(self) -> U256 {
        U256::from(self.size) | (U256::from(u8::from(self.negative)) << 128_usize)
    }

    pub(super) fn load(stored: U256) -> Self {
        let [low, high, sign, _] = stored.into_limbs();
        Self {
            size: u128::from(low) | (u128::from(high) << 64),
            negative: sign != 0,
        }
    }

    pub(super) fn i128(self) -> Option<i128> {
        let size = i128::try_from(self.size).ok()?;
        Some(if self.negative { -size } else { size })
    }

    pub(super) fn tick(self) -> Option<i32> {
        i32::try_from(self.i128()?).ok()
    }
}
