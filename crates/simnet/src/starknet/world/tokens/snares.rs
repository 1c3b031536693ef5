//! Tokens that take more than they give: one keeps a part of every transfer, one
//! can be bought and not sold. Their pools have inviting prices.
//!
//! Nothing says so but what they do: no list has them, and their names are as
//! good as any.

use super::token::{Token, own_address, whole};
use crate::starknet::contracts::erc20::{Erc20, Fashion};
use crate::starknet::contracts::manner::Manner;
use crate::starknet::contracts::text::Text;
use primitives::Felt;

/// Thousandths that the taxed one keeps.
const TAX: u64 = 50;

/// Name, symbol, supply in whole tokens, the price in dollars.
pub(crate) const SNARES: [(&str, &str, u64, f64); 2] = [
    ("Tithe of Delphi", "TITHE", 40_000_000, 0.05),
    ("Siren", "SIREN", 700_000_000, 0.002),
];

/// The decimals of all of them.
pub(crate) const DECIMALS: u32 = 18;

/// All of them, which `minter` may mint, and which are made for `owner`.
pub(super) fn tokens(minter: Felt, owner: Felt) -> Vec<Token> {
    let taxed = Manner::Taxed {
        owner,
        permille: TAX,
    };
    let manners = [taxed, Manner::Trapped { owner }];
    let snares = SNARES.iter().zip(manners).enumerate();
    snares
        .map(|(index, ((name, symbol, supply, _), manner))| Token {
            address: address(index),
            contract: Erc20 {
                name: Ok(Text::Bytes.encode(name)),
                symbol: Ok(Text::Bytes.encode(symbol)),
                decimals: Ok(vec![Felt::from(DECIMALS)]),
                fashion: Fashion::Modern,
                text: Text::Bytes,
                minter,
                manner,
            },
            supply: whole(*supply, DECIMALS),
        })
        .collect()
}

/// The address of a row of [`SNARES`].
pub(crate) fn address(index: usize) -> Felt {
    own_address("SNARE", index)
}
