//! Tokens that were made to break those who read them. They transfer like any
//! other.

use super::super::contract::{Returned, Revert};
use super::super::contracts::erc20::{Erc20, Fashion};
use super::super::contracts::text::byte_array;
use super::tokens::{Text, Token, own_address, whole};
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
            minter,
        },
        supply: whole(1_000_000, 18),
    })
    .collect()
}

fn endless_name() -> Metadata {
    let name = byte_array(&"Endless".repeat(ENDLESS_WORDS * 31 / 7));
    (Ok(name), Text::Short.encode("ENDLESS"), decimals(18))
}

fn absurd_decimals(value: Felt) -> Metadata {
    (
        Text::Short.encode("Dust"),
        Text::Short.encode("DUST"),
        Ok(vec![value]),
    )
}

/// Control characters, and a mark that turns the reading direction.
fn disguised_name() -> Metadata {
    (
        Text::Bytes.encode("US\u{202e}nioC D\u{7}\r\n\u{0}<b>"),
        Text::Bytes.encode("US\u{200b}DC\u{1b}[31m"),
        decimals(6),
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

fn decimals(value: u8) -> Returned {
    Ok(vec![Felt::from(value)])
}
