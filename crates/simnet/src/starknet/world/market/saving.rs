//! Providers who stake STRK through the vault, and what the vault earns: at heights
//! that everybody can foresee.

use super::exchanges::AmmMarket;
use super::opening::MOST_WORK;
use crate::starknet::contracts::erc20::approve_call;
use crate::starknet::contracts::vault::{STAKED_STRK, deposit_call, reward_call};
use crate::starknet::network::STRK;
use crate::starknet::transaction::Deed;
use crate::starknet::world::tokens::whole;
use primitives::U256;

/// The block with the first deposit, and how much it is, in STRK.
const FIRST: u64 = 2;
const FIRST_DEPOSIT: u64 = 2_000_000;

/// Blocks between two deposits, and between two payments of rewards.
const DEPOSITS: u64 = 16;
const REWARDS: u64 = 48;

/// What a payment is, in STRK.
const REWARD: u64 = 2;

/// What somebody does with the vault in block `number`.
pub(crate) fn of_block(market: &AmmMarket, number: u64) -> Option<Deed> {
    if !market.is_open() {
        return None;
    }
    let turn = usize::try_from(number / DEPOSITS).ok()?;
    let provider = *market.providers.get(turn % market.providers.len().max(1))?;
    let (amount, is_deposit) = match number {
        FIRST => (whole(FIRST_DEPOSIT, 18), true),
        _ if number < FIRST => return None,
        _ if number.is_multiple_of(REWARDS) => (whole(REWARD, 18), false),
        // Odd amounts, so that rounding shows.
        _ if number.is_multiple_of(DEPOSITS) => (
            whole(100, 18) + U256::from(number) * U256::from(7_777_777_777_u64),
            true,
        ),
        _ => return None,
    };
    let call = if is_deposit {
        deposit_call(STAKED_STRK, amount, provider)
    } else {
        reward_call(STAKED_STRK, amount)
    };
    Some(Deed {
        sender: provider,
        calls: vec![approve_call(STRK, STAKED_STRK, amount), call],
        work: MOST_WORK,
    })
}
