//! What an order is about.

use super::plan::{Plan, felt, u64};
use crate::starknet::class::{ADDRESS, Typed, U64, U256 as U256_TYPE};
use crate::starknet::contract::{Calldata, halves};
use crate::starknet::contracts::arithmetic::{div, ensure};
use crate::starknet::failure::Revert;
use primitives::{Felt, U256};

/// What an order is about, in the order of the calldata.
pub(super) const TERMS: &[Typed] = &[
    ("sell_token_address", ADDRESS),
    ("sell_amount", U256_TYPE),
    ("sell_amount_per_cycle", U256_TYPE),
    ("buy_token_address", ADDRESS),
    ("cycle_months", U64),
    ("cycle_seconds", U64),
    ("start_date", U64),
    ("buy_amount_min", U256_TYPE),
    ("buy_amount_max", U256_TYPE),
];

/// What somebody wants to buy again and again.
#[derive(Debug, Clone, Copy)]
pub(super) struct OrderTerms {
    pub(super) sold: Felt,
    pub(super) amount: U256,
    pub(super) per_cycle: U256,
    pub(super) bought: Felt,
    pub(super) plan: Plan,
    /// What a cycle has to buy, at least and at most.
    pub(super) bounds: [U256; 2],
}

impl OrderTerms {
    /// Reads and checks them.
    pub(super) fn read(calldata: &mut Calldata<'_>) -> Result<Self, Revert> {
        let (sold, amount, per_cycle) = (calldata.felt()?, calldata.u256()?, calldata.u256()?);
        let bought = calldata.felt()?;
        let (months, seconds, start) = (u64(calldata)?, u64(calldata)?, u64(calldata)?);
        let bounds = [calldata.u256()?, calldata.u256()?];
        ensure(sold != bought, "Same token")?;
        ensure(
            !per_cycle.is_zero() && per_cycle <= amount,
            "Invalid amount per cycle",
        )?;
        ensure(bounds[0] <= bounds[1], "Invalid bounds")?;
        let cycles = div(amount, per_cycle)?;
        let cycles = u64::try_from(cycles).unwrap_or(u64::MAX);
        Ok(Self {
            sold,
            amount,
            per_cycle,
            bought,
            plan: Plan::new(start, months, seconds, cycles)?,
            bounds,
        })
    }

    /// As they are read.
    pub(super) fn felts(&self) -> Vec<Felt> {
        let mut felts = vec![self.sold];
        felts.extend([self.amount, self.per_cycle].map(halves).concat());
        felts.push(self.bought);
        felts.extend([self.plan.months, self.plan.seconds, self.plan.start].map(felt));
        felts.extend(self.bounds.map(halves).concat());
        felts
    }
}
