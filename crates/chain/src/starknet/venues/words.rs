//! The elements of an event, taken one after the other.

use primitives::{Address, Felt, U256};

/// The elements that are left. A method is `None` where the next ones are not
/// what it promises.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words<'a> {
    keys: &'a [Felt],
    data: &'a [Felt],
}

impl<'a> Words<'a> {
    /// Keys come before data.
    pub(super) const fn new(keys: &'a [Felt], data: &'a [Felt]) -> Self {
        Self { keys, data }
    }

    pub(super) fn felt(&mut self) -> Option<Felt> {
        let list = if self.keys.is_empty() {
            &mut self.data
        } else {
            &mut self.keys
        };
        let (first, rest) = list.split_first()?;
        *list = rest;
        Some(*first)
    }

    /// Leaves out as many elements.
    pub(super) fn skip(&mut self, count: usize) -> Option<()> {
        (0..count).try_for_each(|_| self.felt().map(drop))
    }

    /// How many elements are left.
    pub(super) const fn left(&self) -> usize {
        self.keys.len() + self.data.len()
    }

    /// Nothing is left.
    pub(super) fn end(&self) -> Option<()> {
        (self.left() == 0).then_some(())
    }

    pub(super) fn address(&mut self) -> Option<Address> {
        self.felt().map(Address::new)
    }

    pub(super) fn u128(&mut self) -> Option<u128> {
        u128::try_from(self.felt()?).ok()
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        u64::try_from(self.u128()?).ok()
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        u32::try_from(self.u128()?).ok()
    }

    pub(super) fn bool(&mut self) -> Option<bool> {
        match self.u128()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    /// Low half, high half.
    pub(super) fn u256(&mut self) -> Option<U256> {
        let (low, high) = (self.u128()?, self.u128()?);
        Some(U256::from(low) | (U256::from(high) << 128_usize))
    }

    /// A number of 256 bits that has no more than 128: no token has more.
    pub(super) fn amount(&mut self) -> Option<u128> {
        let (low, high) = (self.u128()?, self.u128()?);
        (high == 0).then_some(low)
    }

    /// Magnitude, sign.
    pub(super) fn signed(&mut self) -> Option<i128> {
        let (magnitude, negative) = (self.u128()?, self.bool()?);
        sign(magnitude, negative)
    }

    /// Magnitude of 256 bits, sign.
    pub(super) fn signed_amount(&mut self) -> Option<i128> {
        let (magnitude, negative) = (self.amount()?, self.bool()?);
        sign(magnitude, negative)
    }

    pub(super) fn tick(&mut self) -> Option<i32> {
        i32::try_from(self.signed()?).ok()
    }
}

fn sign(magnitude: u128, negative: bool) -> Option<i128> {
    let value = i128::try_from(magnitude).ok()?;
    Some(if negative { -value } else { value })
}
