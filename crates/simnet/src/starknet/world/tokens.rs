//! The tokens of the network, from the most to the least used.

use super::{hostile, snares, tail, well_known};
use crate::starknet::contracts::erc20::{Erc20, Fashion};
use crate::starknet::contracts::manner::Manner;
use crate::starknet::contracts::text::Text;
use crate::starknet::hash::digest;
use primitives::{Felt, U256};

/// A token before it is deployed.
#[derive(Debug)]
pub(super) struct Token {
    pub(super) address: Felt,
    pub(super) contract: Erc20,
    /// About what is minted, in the smallest unit.
    pub(super) supply: U256,
}

/// All tokens, which `minter` may mint. Those that are made to take from people
/// take for `owner`.
pub(super) fn all(minter: Felt, owner: Felt) -> Vec<Token> {
    let mut tokens = well_known::tokens(minter);
    tokens.extend(tail::tokens(minter));
    tokens.extend(snares::tokens(minter, owner));
    tokens.extend(hostile::tokens(minter));
    tokens
}

/// An honest token.
pub(super) fn honest(
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
pub(super) fn whole(amount: u64, decimals: u32) -> U256 {
    U256::from(amount).saturating_mul(U256::from(10).saturating_pow(U256::from(decimals)))
}

/// The address of a token that exists on this network only.
pub(super) fn own_address(group: &str, index: usize) -> Felt {
    digest(group, &[Felt::from(index)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn honest_tokens_are_many_and_varied() {
        let mut honest = well_known::tokens(Felt::ONE);
        honest.extend(tail::tokens(Felt::ONE));
        assert!(honest.len() >= 64, "{}", honest.len());
        let decimals: HashSet<Felt> = honest
            .iter()
            .map(|token| token.contract.decimals.as_ref().unwrap()[0])
            .collect();
        for expected in [0_u32, 2, 6, 8, 9, 18] {
            assert!(decimals.contains(&Felt::from(expected)), "{expected}");
        }
        for length in [1, 3] {
            assert!(
                honest
                    .iter()
                    .any(|token| token.contract.name.as_ref().unwrap().len() == length)
            );
        }
        for fashion in [Fashion::Legacy, Fashion::Modern] {
            assert!(honest.iter().any(|token| token.contract.fashion == fashion));
        }
    }

    #[test]
    fn short_names_fit_into_one_element() {
        for (name, symbol, text) in well_known::names().chain(tail::names()) {
            assert!(
                text == Text::Bytes || (name.len() <= 31 && symbol.len() <= 31),
                "{name}"
            );
        }
    }
}
