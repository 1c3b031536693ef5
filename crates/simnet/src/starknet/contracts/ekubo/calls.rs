//! Calls to the exchange, for those who trade from within the world.

use super::addresses::{CORE, POSITIONS, ROUTER};
use super::maths::SKIP_AHEAD;
use super::pool_key::PoolKey;
use super::wire::Bounds;
use crate::starknet::contract::halves;
use crate::starknet::contracts::erc20::transfer_call;
use crate::starknet::contracts::signed::Signed;
use crate::starknet::transaction::Call;
use primitives::{Felt, U256, selector};

/// One pool on the way of a swap.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hop {
    pub(crate) key: PoolKey,
    /// Zero for none.
    pub(crate) limit: U256,
}

impl Hop {
    fn felts(&self) -> Vec<Felt> {
        let mut felts = self.key.felts().to_vec();
        felts.extend(halves(self.limit));
        felts.push(Felt::from(SKIP_AHEAD));
        felts
    }
}

/// Gives a new pool its price.
pub(crate) fn initialize_call(key: &PoolKey, tick: i32) -> Call {
    let mut calldata = key.felts().to_vec();
    calldata.extend(Signed::of_tick(tick).felts());
    call(CORE, "initialize_pool", calldata)
}

/// Opens a position with what the positions were given before, and takes the
/// rest back.
pub(crate) fn mint_position_call(key: &PoolKey, [lower, upper]: [i32; 2], least: u128) -> Call {
    let mut calldata = key.felts().to_vec();
    calldata.extend(Bounds { lower, upper }.felts());
    calldata.push(Felt::from(least));
    call(POSITIONS, "mint_and_deposit_and_clear_both", calldata)
}

/// Takes liquidity out of the position `id`.
pub(crate) fn withdraw_call(
    id: u64,
    key: &PoolKey,
    [lower, upper]: [i32; 2],
    liquidity: u128,
) -> Call {
    let mut calldata = vec![Felt::from(id)];
    calldata.extend(key.felts());
    calldata.extend(Bounds { lower, upper }.felts());
    calldata.extend([liquidity, 0, 0].map(Felt::from));
    calldata.push(Felt::ZERO);
    call(POSITIONS, "withdraw", calldata)
}

/// Sells `amount` of a token along pools: the payment to the router, the swap,
/// and the clearing of at least `least` of what is bought. What a limit leaves
/// unsold stays in the router.
pub(crate) fn swap_calls(hops: &[Hop], sold: Felt, amount: u128, least: U256) -> Vec<Call> {
    let mut token = sold;
    let mut calldata = vec![Felt::from(hops.len())];
    for hop in hops {
        let [token0, token1] = hop.key.tokens;
        token = if token == token0 { token1 } else { token0 };
        calldata.extend(hop.felts());
    }
    // One pool is asked directly, as other contracts do it.
    let name = if hops.len() == 1 {
        calldata.remove(0);
        "swap"
    } else {
        "multihop_swap"
    };
    calldata.push(sold);
    calldata.extend(Signed::plus(amount).felts());
    let [low, high] = halves(least);
    vec![
        transfer_call(sold, ROUTER, U256::from(amount)),
        call(ROUTER, name, calldata),
        call(ROUTER, "clear_minimum", vec![token, low, high]),
    ]
}

/// Asks the router what selling into one pool would come to.
pub(crate) fn quote_call(hop: &Hop, sold: Felt, amount: u128) -> Call {
    let mut calldata = hop.felts();
    calldata.push(sold);
    calldata.extend(Signed::plus(amount).felts());
    call(ROUTER, "quote_swap", calldata)
}

/// Asks the core for the price of a pool.
pub(crate) fn price_call(key: &PoolKey) -> Call {
    call(CORE, "get_pool_price", key.felts().to_vec())
}

/// Takes back what the router has of a token.
pub(crate) fn clear_call(token: Felt) -> Call {
    call(ROUTER, "clear", vec![token])
}

fn call(to: Felt, name: &str, calldata: Vec<Felt>) -> Call {
    Call {
        to,
        selector: selector(name),
        calldata,
    }
}
