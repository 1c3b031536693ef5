//! The elements of an event, taken one after the other.

use amm::Signed;
use primitives::{Address, Felt, U256};

/// Why an event tells nothing of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Untold {
    /// It changes none.
    Nothing,
    /// The venue is not known to have such an event.
    Unknown,
    /// It is one of the venue's, but not of its layout.
    Malformed,
}

/// What was taken, or [`Untold::Malformed`] where the next elements are not what
/// was promised.
type Taken<T> = Result<T, Untold>;

/// The elements that are left.
#[derive(Debug, Clone, Copy)]
pub(in crate::starknet) struct Words<'a> {
    keys: &'a [Felt],
    data: &'a [Felt],
}

impl<'a> Words<'a> {
    /// Keys come before data.
    pub(in crate::starknet) const fn new(keys: &'a [Felt], data: &'a [Felt]) -> Self {
        Self { keys, data }
    }

    pub(in crate::starknet) fn felt(&mut self) -> Taken<Felt> {
        let list = if self.keys.is_empty() {
            &mut self.data
        } else {
            &mut self.keys
        };
        let (first, rest) = list.split_first().ok_or(Untold::Malformed)?;
        *list = rest;
        Ok(*first)
    }

    /// Leaves out as many elements.
    pub(in crate::starknet) fn skip(&mut self, count: usize) -> Taken<()> {
        (0..count).try_for_each(|_| self.felt().map(drop))
    }

    /// How many elements are left.
    pub(in crate::starknet) const fn left(&self) -> usize {
        self.keys.len() + self.data.len()
    }

    /// Nothing is left.
    pub(in crate::starknet) fn end(&self) -> Taken<()> {
        if self.left() == 0 {
            Ok(())
        } else {
            Err(Untold::Malformed)
        }
    }

    pub(in crate::starknet) fn address(&mut self) -> Taken<Address> {
        self.felt().map(Address::new)
    }

    pub(in crate::starknet) fn u128(&mut self) -> Taken<u128> {
        u128::try_from(self.felt()?).map_err(malformed)
    }

    pub(in crate::starknet) fn u64(&mut self) -> Taken<u64> {
        u64::try_from(self.u128()?).map_err(malformed)
    }

    pub(in crate::starknet) fn u32(&mut self) -> Taken<u32> {
        u32::try_from(self.u128()?).map_err(malformed)
    }

    pub(in crate::starknet) fn u8(&mut self) -> Taken<u8> {
        u8::try_from(self.u128()?).map_err(malformed)
    }

    pub(in crate::starknet) fn bool(&mut self) -> Taken<bool> {
        match self.u128()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Untold::Malformed),
        }
    }

    /// Low half, high half.
    pub(in crate::starknet) fn u256(&mut self) -> Taken<U256> {
        let (low, high) = (self.u128()?, self.u128()?);
        Ok(U256::from(low) | (U256::from(high) << 128_usize))
    }

    /// A number of 256 bits that has no more than 128: no token has more.
    pub(in crate::starknet) fn amount(&mut self) -> Taken<u128> {
        let (low, high) = (self.u128()?, self.u128()?);
        if high == 0 {
            Ok(low)
        } else {
            Err(Untold::Malformed)
        }
    }

    /// A number of 256 bits as one that may also be negative elsewhere.
    pub(in crate::starknet) fn gain(&mut self) -> Taken<Signed> {
        self.amount().map(Signed::positive)
    }

    /// A number of 128 bits as one that may also be negative elsewhere.
    pub(in crate::starknet) fn small_gain(&mut self) -> Taken<Signed> {
        self.u128().map(Signed::positive)
    }

    /// Magnitude, sign: the whole range of both.
    pub(in crate::starknet) fn signed(&mut self) -> Taken<Signed> {
        Ok(Signed::new(self.u128()?, self.bool()?))
    }

    /// Magnitude of 256 bits, sign.
    pub(in crate::starknet) fn signed_amount(&mut self) -> Taken<Signed> {
        Ok(Signed::new(self.amount()?, self.bool()?))
    }

    pub(in crate::starknet) fn tick(&mut self) -> Taken<i32> {
        let tick = i128::try_from(self.signed()?).map_err(malformed)?;
        i32::try_from(tick).map_err(malformed)
    }
}

fn malformed<E>(_: E) -> Untold {
    Untold::Malformed
}
