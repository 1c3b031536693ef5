//! The long tail: tokens that exist on this network only, look-alikes of better
//! known ones included.

use super::token::{Token, honest, own_address};
use crate::starknet::contracts::erc20::Fashion;
use crate::starknet::contracts::text::Text;
use primitives::Felt;

/// Name, symbol, decimals, supply in whole tokens.
pub(crate) const TAIL: [(&str, &str, u32, u64); 52] = [
    ("Agora", "AGORA", 18, 10_000_000),
    ("Drachma", "DRM", 6, 250_000_000),
    ("Obol", "OBOL", 2, 900_000_000),
    ("Owl of Athena", "OWL", 18, 1_000_000_000),
    ("Amphora", "AMPH", 18, 3_000_000),
    ("Στοά", "ΣΤΟΑ", 18, 21_000_000),
    ("Peripatos", "PERI", 18, 8_000_000),
    ("Lyceum", "LYC", 9, 40_000_000),
    ("Trireme", "TRI", 8, 700_000),
    ("Piraeus Harbour Shares", "PRHS", 0, 120_000),
    ("Olive", "OLIVE", 18, 600_000_000),
    ("Laurel", "LAUREL", 18, 44_000_000),
    (
        "Hermes Courier Points, a token with a name of more than one word",
        "HCP",
        0,
        5_000_000,
    ),
    ("Marble", "MRBL", 4, 90_000_000),
    ("Stylos", "STYL", 18, 17_000_000),
    ("黄金代币", "黄金", 18, 8_888_888),
    ("Ostrakon Vote", "OSTR", 0, 6_000),
    ("Zeno", "ZENO", 18, 100_000_000),
    ("Chrysippus", "CHRY", 18, 12_500_000),
    ("Cleanthes", "CLEA", 18, 12_500_000),
    ("Euro Drachma", "EURD", 6, 30_000_000),
    ("Silver Talent", "TALENT", 8, 26_000),
    ("Caryatid", "CARY", 18, 6_000_000),
    ("Discobolus", "DISC", 12, 76_000_000),
    ("Epoch Points", "EPOCH", 0, 1_000_000),
    ("Hydra", "HYDRA", 18, 9_000_000_000),
    ("Café Crème", "CAFÉ", 18, 2_300_000),
    ("Ithaca", "ITH", 18, 33_000_000),
    ("Labyrinth", "LABY", 10, 50_000_000),
    ("Minotaur", "MINO", 18, 420_690_000),
    ("Meander", "MNDR", 18, 5_500_000),
    ("Nike", "NIKE", 18, 75_000_000),
    ("Odeon Ticket", "ODEON", 0, 30_000),
    ("Pnyx", "PNYX", 18, 14_000_000),
    ("Quorum", "QRM", 18, 1_800_000),
    ("Rhapsode", "RHAP", 18, 64_000_000),
    ("Sandal", "SNDL", 3, 99_000_000),
    ("ロケット", "ROCKET", 18, 1_000_000_000),
    ("Symposion", "SYMP", 18, 27_000_000),
    ("Theatron", "THTR", 18, 3_600_000),
    ("Wrapped Obol", "wOBOL", 18, 900_000),
    ("Xenia", "XENIA", 18, 11_000_000),
    ("Ypsilon", "YPS", 5, 19_000_000),
    ("Zephyr", "ZEPH", 18, 150_000_000),
    ("Argo Index of Twelve Large Tokens", "ARGO12", 18, 40_000),
    ("🦉 Glaux", "GLAUX", 18, 777_777_777),
    ("Staked Zeno", "sZENO", 18, 40_000_000),
    ("Liquid Drachma", "LDRM", 6, 80_000_000),
    ("Pithos", "PITH", 27, 50_000),
    // Look-alikes: the same names as tokens that people know.
    ("USD Coin", "USDC", 6, 1_000_000_000),
    ("Ether", "ETH", 18, 1_000_000_000),
    ("Starknet Token", "STRK", 18, 1_000_000_000),
];

pub(super) fn tokens(minter: Felt) -> Vec<Token> {
    TAIL.iter()
        .enumerate()
        .map(|(index, (name, symbol, decimals, supply))| {
            let metadata = (*name, *symbol, *decimals);
            honest(address(index), metadata, form(index, name), *supply, minter)
        })
        .collect()
}

/// The address of a row of [`TAIL`].
pub(crate) fn address(index: usize) -> Felt {
    own_address("TAIL", index)
}

/// Forms alternate; what is no plain or short text must be a byte array.
fn form(index: usize, name: &str) -> (Text, Fashion) {
    let fits = name.is_ascii() && name.len() <= 31;
    match index % 3 {
        0 if fits => (Text::Short, Fashion::Legacy),
        1 if fits => (Text::Short, Fashion::Modern),
        _ => (Text::Bytes, Fashion::Modern),
    }
}

#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = (&'static str, &'static str, Text)> {
    TAIL.iter()
        .enumerate()
        .map(|(index, (name, symbol, _, _))| (*name, *symbol, form(index, name).0))
}
