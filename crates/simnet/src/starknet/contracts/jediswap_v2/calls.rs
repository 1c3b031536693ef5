//! Calls to the exchange, for those who trade from within the world.

use super::addresses::{FACTORY, ROUTER};
use super::pool_id::PoolId;
use crate::starknet::contract::halves;
use crate::starknet::contracts::signed::Signed;
use crate::starknet::transaction::Call;
use primitives::{Felt, U256, selector};

/// Later than any block.
const NO_DEADLINE: u64 = 1 << 40;

/// Creates a pool.
pub(crate) fn create_pool_call(id: &PoolId) -> Call {
    let [token0, token1] = id.tokens;
    let calldata = vec![token0, token1, Felt::from(id.fee)];
    call(FACTORY, "create_pool", calldata)
}

/// Asks for the address of a pool.
pub(super) fn get_pool_call(id: &PoolId) -> Call {
    let [token0, token1] = id.tokens;
    let calldata = vec![token0, token1, Felt::from(id.fee)];
    call(FACTORY, "get_pool", calldata)
}

/// Gives a new pool its price.
pub(crate) fn initialize_call(pool: Felt, sqrt_ratio: U256) -> Call {
    call(pool, "initialize", halves(sqrt_ratio).to_vec())
}

/// Brings liquidity; the pool may spend what it takes.
pub(crate) fn mint_call(pool: Felt, owner: Felt, ticks: [i32; 2], liquidity: u128) -> Call {
    let mut calldata = vec![owner];
    calldata.extend(ticks.map(|tick| Signed::of_tick(tick).felts()).concat());
    calldata.extend([Felt::from(liquidity), Felt::ZERO]);
    call(pool, "mint", calldata)
}

/// Takes liquidity; what it was worth is to be collected.
pub(crate) fn burn_call(pool: Felt, ticks: [i32; 2], liquidity: u128) -> Call {
    let mut calldata = ticks.map(|tick| Signed::of_tick(tick).felts()).concat();
    calldata.push(Felt::from(liquidity));
    call(pool, "burn", calldata)
}

/// Collects all that a position is owed.
pub(crate) fn collect_call(pool: Felt, to: Felt, ticks: [i32; 2]) -> Call {
    let mut calldata = vec![to];
    calldata.extend(ticks.map(|tick| Signed::of_tick(tick).felts()).concat());
    calldata.extend([Felt::from(u128::MAX), Felt::from(u128::MAX)]);
    call(pool, "collect", calldata)
}

/// Sells exactly `amount`, of which the router may spend as much.
pub(crate) fn sell_call(id: &PoolId, sold: Felt, amount: U256, least: U256, to: Felt) -> Call {
    let [token0, token1] = id.tokens;
    let bought = if sold == token0 { token1 } else { token0 };
    let mut calldata = vec![
        sold,
        bought,
        Felt::from(id.fee),
        to,
        Felt::from(NO_DEADLINE),
    ];
    calldata.extend([amount, least, U256::ZERO].map(halves).concat());
    call(ROUTER, "exact_input_single", calldata)
}

fn call(to: Felt, name: &str, calldata: Vec<Felt>) -> Call {
    Call {
        to,
        selector: selector(name),
        calldata,
    }
}
