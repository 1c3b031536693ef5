//! Calls to the exchange, for those who trade from within the world.

use super::identity::EXCHANGE;
use super::routes::WHOLE;
use crate::starknet::contract::halves;
use crate::starknet::contracts::erc20::approve_call;
use crate::starknet::transaction::Call;
use primitives::{Felt, U256, selector};

/// One swap on the way: all that there is of a token for another one.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) tokens: [Felt; 2],
    pub(crate) exchange: Felt,
    pub(crate) params: Vec<Felt>,
}

/// Sells exactly `amount` along the steps for at least `least`: the approval
/// and the swap.
pub(crate) fn sell_calls(
    [sold, bought]: [Felt; 2],
    amount: U256,
    least: U256,
    taker: Felt,
    steps: &[Step],
) -> Vec<Call> {
    let mut calldata = vec![sold];
    calldata.extend(halves(amount));
    calldata.push(bought);
    // What is expected is not read; the least is.
    calldata.extend([least, least].map(halves).concat());
    // Nobody integrated the exchange.
    calldata.extend([taker, Felt::ZERO, Felt::ZERO]);
    calldata.push(Felt::from(steps.len()));
    for step in steps {
        calldata.extend(step.tokens);
        calldata.extend([step.exchange, Felt::from(WHOLE)]);
        calldata.push(Felt::from(step.params.len()));
        calldata.extend(&step.params);
    }
    let swap = Call {
        to: EXCHANGE,
        selector: selector("multi_route_swap"),
        calldata,
    };
    vec![approve_call(sold, EXCHANGE, amount), swap]
}
