//! Tokens that people know, at their addresses on the public network.

use super::token::{Token, honest};
use crate::starknet::contracts::erc20::Fashion::{self, Legacy, Modern};
use crate::starknet::contracts::text::Text::{self, Bytes, Short};
use crate::starknet::network::{STRK, WBTC};
use primitives::Felt;

/// Ether.
pub(crate) const ETH: Felt =
    felt("0x049d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7");

/// A dollar.
pub(crate) const USDC: Felt =
    felt("0x053c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8");

/// Another dollar.
pub(crate) const USDT: Felt =
    felt("0x068f5c6a61780768455de69077e07e89787839bf8166decfbf92b645209c0fb8");

/// A third one.
pub(crate) const DAI: Felt =
    felt("0x05574eb6b8789a91466f902c380d978e472db68170ff82a5b650b95a58ddf4ad");

/// A token of the public network.
#[derive(Debug)]
pub(crate) struct WellKnown {
    pub(crate) address: Felt,
    pub(crate) name: &'static str,
    pub(crate) symbol: &'static str,
    pub(crate) decimals: u32,
    form: (Text, Fashion),
    /// In whole tokens.
    pub(crate) supply: u64,
    /// Its name at aggregators of market data, where it has one.
    pub(crate) aggregator_id: Option<&'static str>,
}

/// From the most to the least used.
pub(crate) const WELL_KNOWN: [WellKnown; 17] = [
    row(
        ETH,
        ("Ether", "ETH", 18),
        (Short, Legacy),
        90_000,
        Some("ethereum"),
    ),
    row(
        STRK,
        ("Starknet Token", "STRK", 18),
        (Short, Modern),
        80_000_000,
        Some("starknet"),
    ),
    row(
        USDC,
        ("USD Coin", "USDC", 6),
        (Short, Legacy),
        120_000_000,
        Some("usd-coin"),
    ),
    row(
        USDT,
        ("Tether USD", "USDT", 6),
        (Short, Legacy),
        60_000_000,
        Some("tether"),
    ),
    row(
        WBTC,
        ("Wrapped BTC", "WBTC", 8),
        (Short, Legacy),
        1_500,
        Some("wrapped-bitcoin"),
    ),
    row(
        felt("0x0057912720381af14b0e5c87aa4718ed5e527eab60b3801ebf702ab09139e38b"),
        ("Wrapped Staked Ether", "wstETH", 18),
        (Bytes, Modern),
        9_000,
        Some("wrapped-steth"),
    ),
    row(
        DAI,
        ("Dai Stablecoin", "DAI", 18),
        (Short, Legacy),
        4_000_000,
        Some("dai"),
    ),
    row(
        felt("0x0124aeb495b947201f5fac96fd1138e326ad86195b98df6dec9009158a533b49"),
        ("Lords", "LORDS", 18),
        (Short, Legacy),
        30_000_000,
        Some("lords"),
    ),
    row(
        felt("0x075afe6402ad5a5c20dd25e10ec3b3986acaa647b77e4ae24b0cbc9a54a27a87"),
        ("Ekubo Protocol", "EKUBO", 18),
        (Short, Modern),
        10_000_000,
        Some("ekubo-protocol"),
    ),
    row(
        felt("0x028d709c875c0ceac3dce7065bec5328186dc89fe254527084d1689910954b0a"),
        ("Endur xSTRK", "xSTRK", 18),
        (Bytes, Modern),
        20_000_000,
        Some("endur-fi-staked-strk"),
    ),
    row(
        felt("0x00c530f2c0aa4c16a0806365b0898499fba372e5df7a7172dc6fe9ba777e8007"),
        ("Nostra", "NSTR", 18),
        (Bytes, Modern),
        60_000_000,
        Some("nostra"),
    ),
    row(
        felt("0x00585c32b625999e6e5e78645ff8df7a9001cf5cf3eb6b80ccdd16cb64bd3a34"),
        ("zkLend Token", "ZEND", 18),
        (Short, Modern),
        40_000_000,
        Some("zklend-2"),
    ),
    row(
        felt("0x03b405a98c9e795d427fe82cdeeeed803f221b52471e3a757574a2b4180793ee"),
        ("Starknet Brother", "BROTHER", 18),
        (Short, Modern),
        900_000_000,
        None,
    ),
    row(
        felt("0x004878d1148318a31829523ee9c6a5ee563af6cd87f90a30809e5b0d27db8a9b"),
        ("Standard Weighted Adalian Yield", "SWAY", 6),
        (Short, Legacy),
        2_000_000_000,
        None,
    ),
    row(
        felt("0x036834a40984312f7f7de8d31e3f6305b325389eaeea5b1c0664b2fb936461a4"),
        ("Lombard Staked Bitcoin", "LBTC", 8),
        (Bytes, Modern),
        400,
        Some("lombard-staked-btc"),
    ),
    row(
        felt("0x0719b5092403233201aa822ce928bd4b551d0cdb071a724edd7dc5e5f57b7f34"),
        ("Uno Re", "UNO", 18),
        (Short, Legacy),
        50_000_000,
        None,
    ),
    row(
        felt("0x070a76fd48ca0ef910631754d77dd822147fe98a569b826ec85e3c33fde586ac"),
        ("Liquity USD", "LUSD", 18),
        (Short, Legacy),
        300_000,
        Some("liquity-usd"),
    ),
];

pub(super) fn tokens(minter: Felt) -> Vec<Token> {
    WELL_KNOWN
        .iter()
        .map(|known| {
            let metadata = (known.name, known.symbol, known.decimals);
            honest(known.address, metadata, known.form, known.supply, minter)
        })
        .collect()
}

#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = (&'static str, &'static str, Text)> {
    WELL_KNOWN
        .iter()
        .map(|known| (known.name, known.symbol, known.form.0))
}

const fn felt(hex: &str) -> Felt {
    Felt::from_hex_unchecked(hex)
}

const fn row(
    address: Felt,
    (name, symbol, decimals): (&'static str, &'static str, u32),
    form: (Text, Fashion),
    supply: u64,
    aggregator_id: Option<&'static str>,
) -> WellKnown {
    WellKnown {
        address,
        name,
        symbol,
        decimals,
        form,
        supply,
        aggregator_id,
    }
}
