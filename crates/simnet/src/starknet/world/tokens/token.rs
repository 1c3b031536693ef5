//! A token before it is deployed.

use crate::starknet::contracts::erc20::{Erc20, Fashion};
use crate::starknet::contracts::manner::Manner;
use crate::starknet::contracts::text::Text;
use crate::starknet::hash::digest;
use primitives::{Felt, U256};

/// What a token will be.
#[derive(Debug)]
pub(crate) struct Token {
    pub(crate) address: Felt,
    pub(crate) contract: Erc20,
    /// About what is minted, in the smallest unit.
    pub(crate) supply: U256,
}

/// An honest token.
pub(crate) fn honest(
    address: Felt,
    (name, symbol, decimals): (&str, &str, u32),
    (text, fashion): (Text, Fashion),
    supply: u64,
    minter: Felt,
) -> Token {
    Token {
        address,
        contract: Erc20 {
            name: Ok(text.encode(name)),
            symbol: Ok(text.encode(symbol)),
            decimals: Ok(vec![Felt::from(decimals)]),
            fashion,
            text,
            minter,
            manner: Manner::Plain,
        },
        supply: whole(supply, decimals),
    }
}

/// Whole tokens in the smallest unit.
pub(crate) fn whole(amount: u64, decimals: u32) -> U256 {
    U256::from(amount).saturating_mul(U256::from(10).saturating_pow(U256::from(decimals)))
}

/// The address of a token that exists on this network only.
pub(crate) fn own_address(group: &str, index: usize) -> Felt {
    digest(group, &[Felt::from(index)])
}
