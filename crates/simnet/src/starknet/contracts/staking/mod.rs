//! Staking: one staker, with whom people stake STRK and a token of Bitcoin in
//! pools, and the rest of the network as a number.
//!
//! Views, calls and events are those of the public network's contracts;
//! `docs/simnet.md` has every rule. What is there at the beginning is written
//! without a transaction, and rewards come by themselves: nothing of it changes
//! what else happens in a world.

mod member;
mod pool;
mod staker;
mod supplier;
mod terms;

pub(crate) use terms::{POOLS, STAKER, STAKING, holdings};

use crate::starknet::execution::Contracts;
use crate::starknet::hash::from_felt;
use crate::starknet::state::Key;
use member::{AMOUNT, CHANGED, REWARD_ADDRESS, STAKED};
use primitives::{Felt, U256};
use std::sync::Arc;

/// Puts the staking contract and its pools where they belong.
pub(crate) fn install(contracts: &mut Contracts) {
    contracts.insert(STAKING, Arc::new(staker::Staking));
    contracts.insert(terms::SUPPLIER, Arc::new(supplier::Supplier));
    for terms in &POOLS {
        contracts.insert(terms.pool, Arc::new(pool::Pool(terms)));
    }
}

/// What the pools' variables are at the beginning, when the first of these people
/// are members: their stakes earn from then on.
pub(crate) fn first_state(people: &[Felt], time: u64) -> Vec<(Key, U256)> {
    let mut state = Vec::new();
    for terms in &POOLS {
        let mut set = |variable, args: &[Felt], value| {
            state.push((Key::new(terms.pool, variable, args), value));
        };
        let mut staked = 0;
        for (person, stake) in people.iter().zip(terms.first_stakes()) {
            set(REWARD_ADDRESS, &[*person], from_felt(*person));
            set(AMOUNT, &[*person], U256::from(stake));
            staked += stake;
        }
        set(STAKED, &[], U256::from(staked));
        set(CHANGED, &[], U256::from(time));
    }
    state
}

#[cfg(test)]
mod tests;
