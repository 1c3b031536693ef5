//! One pool in the core's storage, and the walk of a swap through it.

use super::addresses::CORE;
use super::maths::{
    MAX_SQRT_RATIO, MAX_TICK, MIN_SQRT_RATIO, Named, Rounding, sqrt_ratio_at, step, tick_at,
};
use super::pool_key::PoolKey;
use super::wire::{Bounds, Delta, SwapParameters};
use crate::starknet::contract::Env;
use crate::starknet::contracts::arithmetic::ensure;
use crate::starknet::contracts::signed::Signed;
use crate::starknet::contracts::tick_map::{MAX_WORDS, TickMap, overflow};
use crate::starknet::execution::View;
use crate::starknet::failure::Revert;
use crate::starknet::state::{Key, Variable};
use crate::starknet::syscalls::Syscalls;
use primitives::{Felt, OrImpossible as _, U256};

const SQRT_RATIO: Variable = Variable::u256("pool_sqrt_ratio");
const TICK: Variable = Variable::u256("pool_tick");
const LIQUIDITY: Variable = Variable::felt("pool_liquidity");
const POSITION: Variable = Variable::felt("position_liquidity");

/// Ticks in a word of the bitmap.
const WORD: i64 = 251;

/// Where a pool's price is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Snapshot {
    /// Zero where there is no pool.
    pub(crate) sqrt_ratio: U256,
    pub(crate) tick: i32,
    pub(crate) liquidity: u128,
}

/// A pool as the state has it, without asking the core.
pub(crate) fn pool(view: View<'_>, key: &PoolKey) -> Snapshot {
    let id = key.id();
    snapshot(|variable| view.read(&Key::new(CORE, variable, &[id])))
}

/// The variables that a pool's price and liquidity are in.
pub(crate) fn price_keys(key: &PoolKey) -> [Key; 2] {
    let id = key.id();
    [SQRT_RATIO, LIQUIDITY].map(|variable| Key::new(CORE, variable, &[id]))
}

fn snapshot(read: impl Fn(Variable) -> U256) -> Snapshot {
    let tick = Signed::load(read(TICK)).tick();
    let tick = tick.or_impossible("a pool's tick is one");
    Snapshot {
        sqrt_ratio: read(SQRT_RATIO),
        tick: tick.unwrap_or_default(),
        liquidity: read(LIQUIDITY).saturating_to(),
    }
}

/// A pool while the core runs.
pub(super) struct Pool<'p> {
    pub(super) key: &'p PoolKey,
    id: Felt,
}

/// What a swap comes to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Walk {
    pub(super) delta: Delta,
    pub(super) after: Snapshot,
}

impl<'p> Pool<'p> {
    pub(super) fn new(key: &'p PoolKey) -> Self {
        let id = key.id();
        Self { key, id }
    }

    fn variable(&self, variable: Variable, of: Option<Felt>) -> Key {
        match of {
            Some(of) => Key::new(CORE, variable, &[self.id, of]),
            None => Key::new(CORE, variable, &[self.id]),
        }
    }

    pub(super) fn now(&self, syscalls: &dyn Syscalls<'_>) -> Snapshot {
        snapshot(|variable| syscalls.read(&self.variable(variable, None)))
    }

    /// The pool, which must have a price.
    pub(super) fn initialized(&self, syscalls: &dyn Syscalls<'_>) -> Result<Snapshot, Revert> {
        let now = self.now(syscalls);
        ensure(!now.sqrt_ratio.is_zero(), "NOT_INITIALIZED")?;
        Ok(now)
    }

    pub(super) fn write(&self, env: &mut Env<'_, '_>, after: Snapshot) {
        let tick = Signed::of_tick(after.tick).stored();
        env.write(SQRT_RATIO, &[self.id], after.sqrt_ratio);
        env.write(TICK, &[self.id], tick);
        env.write(LIQUIDITY, &[self.id], U256::from(after.liquidity));
    }

    pub(super) fn ticks(&self) -> TickMap {
        TickMap {
            contract: CORE,
            pool: self.id,
            spacing: self.key.tick_spacing.into(),
            word: WORD,
            last: MAX_TICK,
        }
    }

    pub(super) fn position(&self, syscalls: &dyn Syscalls<'_>, position: Felt) -> u128 {
        let key = self.variable(POSITION, Some(position));
        syscalls.read(&key).saturating_to()
    }

    /// Changes the liquidity of a position and of what it bounds.
    pub(super) fn change_position(
        &self,
        env: &mut Env<'_, '_>,
        position: Felt,
        bounds: Bounds,
        change: i128,
    ) -> Result<(), Revert> {
        let held = self.position(env.syscalls, position);
        let left = held
            .checked_add_signed(change)
            .ok_or_else(|| Revert::new("u128_sub Overflow"))?;
        env.write(POSITION, &[self.id, position], U256::from(left));
        self.ticks()
            .change(env, [bounds.lower, bounds.upper], change)?;
        let mut now = self.now(env.syscalls);
        if (bounds.lower..bounds.upper).contains(&now.tick) {
            let active = now.liquidity.checked_add_signed(change);
            now.liquidity = active.ok_or_else(overflow)?;
            self.write(env, now);
        }
        Ok(())
    }

    /// Follows an order until it is filled or its limit reached.
    pub(super) fn walk(
        &self,
        syscalls: &dyn Syscalls<'_>,
        rounding: Rounding,
        order: SwapParameters,
    ) -> Result<Walk, Revert> {
        let mut now = self.initialized(syscalls)?;
        // Selling the second token or buying the first one raises the price.
        let rising = order.is_token1 != order.amount.negative;
        check_limit(rising, now.sqrt_ratio, order.limit)?;
        let mut left = order.amount.size;
        let mut other = 0_u128;
        for _ in 0..MAX_WORDS {
            if left == 0 || now.sqrt_ratio == order.limit {
                let delta = delta(order, order.amount.size - left, other);
                return Ok(Walk { delta, after: now });
            }
            let (consumed, calculated);
            (now, consumed, calculated) =
                self.pass(syscalls, rounding, order, rising, now, left)?;
            left = left.checked_sub(consumed).ok_or_else(overflow)?;
            other = other.checked_add(calculated).ok_or_else(overflow)?;
        }
        Err(Revert::new("too many steps"))
    }

    /// One step: to the next tick at most, and through it.
    fn pass(
        &self,
        syscalls: &dyn Syscalls<'_>,
        rounding: Rounding,
        order: SwapParameters,
        rising: bool,
        now: Snapshot,
        left: u128,
    ) -> Result<(Snapshot, u128, u128), Revert> {
        let (tick, bounds_position) = if rising {
            self.ticks().next(syscalls, now.tick, order.skip_ahead)?
        } else {
            self.ticks()
                .previous(syscalls, now.tick, order.skip_ahead)?
        };
        let end = sqrt_ratio_at(tick).ok_or_else(overflow)?;
        let limit = if rising {
            end.min(order.limit)
        } else {
            end.max(order.limit)
        };
        let named = Named {
            amount: left,
            is_bought: order.amount.negative,
            is_token1: order.is_token1,
        };
        let (ratio, liquidity, fee) = (now.sqrt_ratio, now.liquidity, self.key.fee);
        let step = step(rounding, fee, named, ratio, liquidity, limit);
        let step = step.ok_or_else(overflow)?;
        let mut after = Snapshot {
            sqrt_ratio: step.sqrt_ratio,
            ..now
        };
        if step.sqrt_ratio == end {
            after.tick = if rising { tick } else { tick - 1 };
            if bounds_position {
                after.liquidity = self.ticks().crossed(syscalls, tick, rising, liquidity)?;
            }
        } else if step.sqrt_ratio != now.sqrt_ratio {
            after.tick = tick_at(step.sqrt_ratio).ok_or_else(overflow)?;
        }
        Ok((after, step.consumed, step.calculated))
    }
}

fn check_limit(rising: bool, sqrt_ratio: U256, limit: U256) -> Result<(), Revert> {
    ensure((limit > sqrt_ratio) == rising, "LIMIT_DIRECTION")?;
    let within = (MIN_SQRT_RATIO..=MAX_SQRT_RATIO).contains(&limit);
    ensure(within, "LIMIT_MAG")
}

/// What the core takes and gives for an order.
fn delta(order: SwapParameters, named: u128, other: u128) -> Delta {
    let (named, other) = if order.amount.negative {
        (Signed::minus(named), Signed::plus(other))
    } else {
        (Signed::plus(named), Signed::minus(other))
    };
    if order.is_token1 {
        Delta([other, named])
    } else {
        Delta([named, other])
    }
}
