//! The ticks of a pool in a contract's storage: the liquidity that changes at
//! each, and a bitmap of those where it does.
//!
//! Both exchanges with positions between ticks keep them alike; words are of
//! different lengths.

use super::signed::Signed;
use crate::starknet::contract::Env;
use crate::starknet::failure::Revert;
use crate::starknet::state::{Key, Variable};
use crate::starknet::syscalls::Syscalls;
use primitives::{Felt, U256};

const NET: Variable = Variable::u256("tick_liquidity_delta");
const GROSS: Variable = Variable::felt("tick_liquidity_net");
const BITMAP: Variable = Variable::u256("tick_bitmap");

/// Words that a search may visit: more than a range of prices has.
pub(super) const MAX_WORDS: u32 = 1_000_000;

/// The ticks of one pool.
#[derive(Debug, Clone, Copy)]
pub(super) struct TickMap {
    pub(super) contract: Felt,
    /// Which pool of the contract it is.
    pub(super) pool: Felt,
    /// Usable ticks are multiples of this.
    pub(super) spacing: i64,
    /// Usable ticks in a word.
    pub(super) word: i64,
    /// The highest tick; the lowest is its opposite.
    pub(super) last: i32,
}

impl TickMap {
    fn read(&self, syscalls: &dyn Syscalls<'_>, variable: Variable, at: Felt) -> U256 {
        syscalls.read(&Key::new(self.contract, variable, &[self.pool, at]))
    }

    /// The liquidity gained when the price rises through a tick.
    pub(super) fn net(&self, syscalls: &dyn Syscalls<'_>, tick: i32) -> Signed {
        Signed::load(self.read(syscalls, NET, Felt::from(tick)))
    }

    /// The liquidity after the price has passed a tick.
    pub(super) fn crossed(
        &self,
        syscalls: &dyn Syscalls<'_>,
        tick: i32,
        rising: bool,
        liquidity: u128,
    ) -> Result<u128, Revert> {
        let net = self.net(syscalls, tick);
        let gained = if rising { net } else { net.opposite() };
        gained
            .i128()
            .and_then(|gained| liquidity.checked_add_signed(gained))
            .ok_or_else(overflow)
    }

    /// Notes that the liquidity between two ticks changes. The running contract
    /// is the one that has them.
    pub(super) fn change(
        &self,
        env: &mut Env<'_, '_>,
        [lower, upper]: [i32; 2],
        change: i128,
    ) -> Result<(), Revert> {
        let negated = change.checked_neg().ok_or_else(overflow)?;
        self.change_tick(env, lower, change, change)?;
        self.change_tick(env, upper, change, negated)
    }

    fn change_tick(
        &self,
        env: &mut Env<'_, '_>,
        tick: i32,
        gross: i128,
        net: i128,
    ) -> Result<(), Revert> {
        let args = [self.pool, Felt::from(tick)];
        let before: u128 = env.read(GROSS, &args).saturating_to();
        let after = before.checked_add_signed(gross).ok_or_else(overflow)?;
        env.write(GROSS, &args, U256::from(after));
        let changed = self
            .net(env.syscalls, tick)
            .i128()
            .and_then(|old| old.checked_add(net))
            .ok_or_else(overflow)?;
        env.write(NET, &args, Signed::of_liquidity(changed).stored());
        if (before == 0) != (after == 0) {
            let (word, bit) = self.place(i64::from(tick).div_euclid(self.spacing));
            let flipped = self.read(env.syscalls, BITMAP, Felt::from(word)) ^ (U256::ONE << bit);
            env.write(BITMAP, &[self.pool, Felt::from(word)], flipped);
        }
        Ok(())
    }

    /// The first tick above `from` that bounds a position, or the last tick of
    /// the word in which the search ends; and which of both it is.
    pub(super) fn next(
        &self,
        syscalls: &dyn Syscalls<'_>,
        from: i32,
        skip_ahead: u128,
    ) -> Result<(i32, bool), Revert> {
        let (mut word, first) = self.place(i64::from(from).div_euclid(self.spacing) + 1);
        let mut seen = self.read(syscalls, BITMAP, Felt::from(word)) >> first << first;
        for skipped in 0..MAX_WORDS {
            let found = (!seen.is_zero()).then(|| seen.trailing_zeros());
            let bit = found.map_or(self.word - 1, |bit| i64::try_from(bit).unwrap_or(i64::MAX));
            let tick = self.tick(word, bit);
            if tick >= self.last.into() {
                let bounds = found.is_some() && tick == i64::from(self.last);
                return Ok((self.last, bounds));
            }
            if found.is_some() || u128::from(skipped) >= skip_ahead {
                return Ok((narrow(tick)?, found.is_some()));
            }
            word += 1;
            seen = self.read(syscalls, BITMAP, Felt::from(word));
        }
        Err(Revert::new("too many words"))
    }

    /// The first tick at or below `from` that bounds a position, or the first
    /// tick of the word in which the search ends; and which of both it is.
    pub(super) fn previous(
        &self,
        syscalls: &dyn Syscalls<'_>,
        from: i32,
        skip_ahead: u128,
    ) -> Result<(i32, bool), Revert> {
        let (mut word, last) = self.place(i64::from(from).div_euclid(self.spacing));
        let above = U256::BITS - 1 - last;
        let mut seen = self.read(syscalls, BITMAP, Felt::from(word)) << above >> above;
        for skipped in 0..MAX_WORDS {
            let found = (!seen.is_zero()).then(|| seen.bit_len() - 1);
            let bit = found.map_or(0, |bit| i64::try_from(bit).unwrap_or(i64::MAX));
            let tick = self.tick(word, bit);
            if tick <= (-self.last).into() {
                let bounds = found.is_some() && tick == i64::from(-self.last);
                return Ok((-self.last, bounds));
            }
            if found.is_some() || u128::from(skipped) >= skip_ahead {
                return Ok((narrow(tick)?, found.is_some()));
            }
            word -= 1;
            seen = self.read(syscalls, BITMAP, Felt::from(word));
        }
        Err(Revert::new("too many words"))
    }

    /// The word and the bit of a usable tick.
    fn place(&self, usable: i64) -> (i64, usize) {
        let bit = usize::try_from(usable.rem_euclid(self.word)).unwrap_or_default();
        (usable.div_euclid(self.word), bit)
    }

    fn tick(&self, word: i64, bit: i64) -> i64 {
        let usable = word.saturating_mul(self.word).saturating_add(bit);
        usable.saturating_mul(self.spacing)
    }
}

fn narrow(tick: i64) -> Result<i32, Revert> {
    i32::try_from(tick).map_err(|_| overflow())
}

pub(super) fn overflow() -> Revert {
    Revert::new("u128_add Overflow")
}
