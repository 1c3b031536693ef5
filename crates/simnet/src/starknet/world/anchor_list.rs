//! The tokens that prices can hang on, for those who price the others.

use super::tokens::well_known::{DAI, ETH, USDC, USDT};
use crate::starknet::network::{STRK, WBTC};
use primitives::{Address, Felt};
use serde_json::json;

/// What is meant to be worth a dollar and is in many pools.
pub(super) const STABLES: [Felt; 3] = [USDC, USDT, DAI];

/// What else many pools are with.
pub(super) const HUBS: [Felt; 3] = [ETH, STRK, WBTC];

/// The list as JSON.
pub(crate) fn render() -> String {
    let addresses = |tokens: [Felt; 3]| tokens.map(|token| Address::new(token).to_padded_hex());
    json!({"stables": addresses(STABLES), "hubs": addresses(HUBS)}).to_string()
}
