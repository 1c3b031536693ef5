//! The tokens of the network, from the most to the least used.

mod hostile;
pub(super) mod snares;
pub(super) mod tail;
mod token;
pub(super) mod well_known;

pub(super) use token::{Token, whole};

use primitives::Felt;

/// All tokens, which `minter` may mint. Those that are made to take from people
/// take for `owner`.
pub(super) fn all(minter: Felt, owner: Felt) -> Vec<Token> {
    let mut tokens = well_known::tokens(minter);
    tokens.extend(tail::tokens(minter));
    tokens.extend(snares::tokens(minter, owner));
    tokens.extend(hostile::tokens(minter));
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::starknet::contracts::erc20::Fashion;
    use crate::starknet::contracts::text::Text;
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
