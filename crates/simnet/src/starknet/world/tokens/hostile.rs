//! Tokens that were made to break those who read them. They transfer like any
//! other.

use super::token::{Token, own_address, whole};
use crate::starknet::contracts::erc20::{Erc20, Fashion};
use crate::starknet::contracts::manner::Manner;
use crate::starknet::contracts::text::{Text, byte_array, short};
use crate::starknet::failure::{Returned, Revert};
use primitives::Felt;

/// Words in the endless name: 31 bytes each.
const ENDLESS_WORDS: usize = 4_000;

/// Name, symbol, decimals.
type Metadata = (Returned, Returned, Returned);

pub(super) fn tokens(minter: Felt) -> Vec<Token> {
    [
        endless_name(),
        absurd_decimals(Felt::from(255_u8)),
        absurd_decimals(Felt::MAX),
        disguised_name(),
        reverting(),
        malformed(),
    ]
    .into_iter()
    .enumerate()
    .map(|(index, (name, symbol, decimals))| Token {
        address: own_address("HOSTILE", index),
        contract: Erc20 {
            name,
            symbol,
            decimals,
            fashion: Fashion::Modern,
            text: Text::Bytes,
            minter,
            manner: Manner::Plain,
        },
        supply: whole(1_000_000, 18),
    })
    .collect()
}

fn endless_name() -> Metadata {
    let name = byte_array(&"Endless".repeat(ENDLESS_WORDS * 31 / 7));
    (Ok(name), Ok(short("ENDLESS")), Ok(vec![Felt::from(18_u8)]))
}

fn absurd_decimals(value: Felt) -> Metadata {
    (Ok(short("Dust")), Ok(short("DUST")), Ok(vec![value]))
}

/// Control characters, and a mark that turns the reading direction.
fn disguised_name() -> Metadata {
    (
        Ok(byte_array("US\u{202e}nioC D\u{7}\r\n\u{0}<b>")),
        Ok(byte_array("US\u{200b}DC\u{1b}[31m")),
        Ok(vec![Felt::from(6_u8)]),
    )
}

fn reverting() -> Metadata {
    let revert = || Err(Revert::new("not for you"));
    (revert(), revert(), revert())
}

/// Byte arrays that are none: more words announced than there are, and more
/// bytes left over than fit into a word.
fn malformed() -> Metadata {
    (
        Ok(vec![Felt::MAX, Felt::ONE]),
        Ok(vec![Felt::ZERO, Felt::ONE, Felt::from(40_u8)]),
        Ok(vec![]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_hostile_token_is_hostile_in_its_own_way() {
        let tokens = tokens(Felt::ONE);
        let [endless, dust, _, disguised, reverting, malformed] = &tokens[..] else {
            panic!("{} hostile tokens", tokens.len());
        };
        assert!(endless.contract.name.as_ref().unwrap().len() > 3_900);
        assert_eq!(dust.contract.decimals, Ok(vec![Felt::from(255)]));
        assert!(disguised.contract.name.is_ok());
        assert!(reverting.contract.symbol.is_err());
        let left_over = malformed.contract.symbol.as_ref().unwrap()[2];
        assert!(left_over > Felt::from(31));
    }
}
