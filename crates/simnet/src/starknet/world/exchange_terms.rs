//! The terms of the exchange contract on the simulated network.

use super::anchor_list::{HUBS, STABLES};
use crate::starknet::contracts::exchange::{set_fees_calls, set_recipient_call, set_weight_call};
use crate::starknet::transaction::Call;
use primitives::Felt;

/// Hundredths of a per cent for one route and for several: a second swap has to
/// earn the step between them.
const ONE_ROUTE_BPS: u128 = 2;
const MORE_ROUTES_BPS: u128 = 15;

/// What the exchange aims at when a purchase of an exact amount needs more than
/// was quoted.
const EXACT_OUT_BPS: u128 = 5;

/// Who gets the fees: the word `stoa_fees`.
const RECIPIENT: Felt = Felt::from_hex_unchecked("0x73746f615f66656573");

/// The weights of dollars and of the other hubs; other tokens have none.
const STABLE_WEIGHT: u32 = 2;
const HUB_WEIGHT: u32 = 1;

/// The calls of its owner that set the terms.
pub(super) fn calls() -> Vec<Call> {
    let weigh = |tokens: [Felt; 3], weight| tokens.map(|token| set_weight_call(token, weight));
    let mut calls = vec![set_recipient_call(RECIPIENT)];
    calls.extend(set_fees_calls([
        ONE_ROUTE_BPS,
        MORE_ROUTES_BPS,
        EXACT_OUT_BPS,
    ]));
    calls.extend(weigh(STABLES, STABLE_WEIGHT));
    calls.extend(weigh(HUBS, HUB_WEIGHT));
    calls
}
