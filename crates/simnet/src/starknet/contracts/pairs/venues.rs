//! The venues that are made of pairs, at their public addresses.

use super::rules::{Case, FeeRule, Path, Reserves, Rounding, Rules, Setter, Words};
use super::venue::Venue;
use super::{factory, pair, router};
use crate::starknet::contracts::erc20::Fashion;
use primitives::Felt;
use std::sync::LazyLock;

/// All of them.
pub(crate) static VENUES: [&Venue; 5] = [&JEDISWAP, &TEN_K_SWAP, &SITHSWAP, &STARKDEFI, &NOSTRA];

/// Who has the first shares, since nobody can be the zero address.
const ONE: Felt = Felt::ONE;

/// Who has them elsewhere: the word `deAd`.
const DEAD: Felt = Felt::from_hex_unchecked("0x64654164");

/// The words of contracts in newer Cairo.
const PLAIN_WORDS: Words = Words {
    no_output: "insufficient output amount",
    no_liquidity: "insufficient liquidity",
    bad_receiver: "invalid to",
    no_input: "insufficient input amount",
    k: "invariant K",
    nothing_minted: "insufficient liquidity minted",
    nothing_burned: "insufficient liquidity burned",
    too_large: "overflow",
    same_token: "identical addresses",
    zero_token: "invalid address",
    pair_exists: "pair exists",
    no_pair: "pair does not exist",
    bad_path: "invalid path",
    little_out: "insufficient output amount",
    much_in: "excessive input amount",
    little_a: "insufficient A amount",
    little_b: "insufficient B amount",
    not_owner: "not owner",
};

/// `JediSwap`, the first version.
pub(crate) static JEDISWAP: Venue = Venue {
    rules: Rules {
        name: "JediSwap",
        factory: Felt::from_hex_unchecked(
            "0x00dad44c139a476c7a17fc8141e6db680e9abc9f56fe249a105094c44382c2fd",
        ),
        router: Felt::from_hex_unchecked(
            "0x041fd22b238fa21cfcf5dd45a8548974d8263b3a531a60388411c5e230f97023",
        ),
        case: Case::Snake,
        path: Path::Tokens,
        reserves: Reserves::Timed,
        fee: FeeRule {
            scale: 1_000,
            rounding: Rounding::None,
            leaves: false,
        },
        first_fees: [3, 3],
        setter: Setter::Nobody,
        calls_back: true,
        keyed: false,
        liquidity_events: ["Mint", "Burn"],
        share: ("JediSwap Pair", "JEDI-P", Fashion::Legacy),
        burner: ONE,
        words: Words {
            no_output: "Pair::swap::insufficient output amount",
            no_liquidity: "Pair::swap::insufficient liquidity",
            bad_receiver: "Pair::swap::invalid to",
            no_input: "Pair::swap::insufficient input amount",
            k: "Pair::swap::invariant K",
            nothing_minted: "Pair::mint::insufficient liquidity minted",
            nothing_burned: "Pair::burn::insufficient liquidity burned",
            too_large: "Pair::_update::overflow",
            same_token: "Factory::create_pair::tokenA and tokenB must be different",
            zero_token: "Factory::create_pair::tokenA and tokenB must be non zero",
            pair_exists: "Factory::create_pair::pair already exists for tokenA and tokenB",
            no_pair: "Router::_pair_for::pair does not exist",
            bad_path: "Router::_get_amounts_out::invalid path",
            little_out: "Router::swap_exact_tokens_for_tokens::insufficient output amount",
            much_in: "Router::swap_tokens_for_exact_tokens::excessive input amount",
            little_a: "Router::add_liquidity::insufficient A amount",
            little_b: "Router::add_liquidity::insufficient B amount",
            not_owner: "must be owner",
        },
    },
    pair: LazyLock::new(|| pair::kind(&JEDISWAP.rules)),
    factory: LazyLock::new(|| factory::kind(&JEDISWAP.rules)),
    router: LazyLock::new(|| router::kind(&JEDISWAP.rules)),
};

/// 10kSwap: names in camel case, and a fee in thousandths.
pub(crate) static TEN_K_SWAP: Venue = Venue {
    rules: Rules {
        name: "10kSwap",
        factory: Felt::from_hex_unchecked(
            "0x01c0a36e26a8f822e0d81f20a5a562b16a8f8a3dfd99801367dd2aea8f1a87a2",
        ),
        router: Felt::from_hex_unchecked(
            "0x07a6f98c03379b9513ca84cca1373ff452a7462a3b61598f0af5bb27ad7f76d1",
        ),
        case: Case::Camel,
        path: Path::Tokens,
        reserves: Reserves::Narrow,
        fee: FeeRule {
            scale: 1_000,
            rounding: Rounding::None,
            leaves: false,
        },
        first_fees: [3, 3],
        setter: Setter::Nobody,
        calls_back: false,
        keyed: false,
        liquidity_events: ["Mint", "Burn"],
        share: ("10kSwap Pair Token", "LPT", Fashion::Legacy),
        burner: ONE,
        words: Words {
            no_output: "10kSwap: IOA",
            no_liquidity: "10kSwap: IL",
            bad_receiver: "10kSwap: IT",
            no_input: "10kSwap: IIA",
            k: "10kSwap: K",
            nothing_minted: "10kSwap: ILM",
            nothing_burned: "10kSwap: ILB",
            too_large: "10kSwap: OF",
            same_token: "10kSwap: IA",
            zero_token: "10kSwap: ZA",
            pair_exists: "10kSwap: PE",
            no_pair: "10kSwap: PNE",
            bad_path: "10kSwap: IP",
            little_out: "10kSwap: IOA",
            much_in: "10kSwap: EIA",
            little_a: "10kSwap: IAA",
            little_b: "10kSwap: IBA",
            not_owner: "10kSwap: FB",
        },
    },
    pair: LazyLock::new(|| pair::kind(&TEN_K_SWAP.rules)),
    factory: LazyLock::new(|| factory::kind(&TEN_K_SWAP.rules)),
    router: LazyLock::new(|| router::kind(&TEN_K_SWAP.rules)),
};

/// `SithSwap`: volatile and stable pairs, a fee for each token.
pub(crate) static SITHSWAP: Venue = Venue {
    rules: Rules {
        name: "SithSwap",
        factory: Felt::from_hex_unchecked(
            "0xeaf728d8e09bfbe5f11881f848ca647ba41593502347ed2ec5881e46b57a32",
        ),
        router: Felt::from_hex_unchecked(
            "0x028c858a586fa12123a1ccb337a0a3b369281f91ea00544d0c086524b759f627",
        ),
        case: Case::Camel,
        path: Path::Stable,
        reserves: Reserves::Timed,
        fee: FeeRule {
            scale: 1_000_000,
            rounding: Rounding::Down,
            leaves: true,
        },
        first_fees: [3_000, 400],
        setter: Setter::Owner,
        calls_back: true,
        keyed: false,
        liquidity_events: ["Mint", "Burn"],
        share: ("SithSwap Pair", "SITH-P", Fashion::Legacy),
        burner: ONE,
        words: PLAIN_WORDS,
    },
    pair: LazyLock::new(|| pair::kind(&SITHSWAP.rules)),
    factory: LazyLock::new(|| factory::kind(&SITHSWAP.rules)),
    router: LazyLock::new(|| router::kind(&SITHSWAP.rules)),
};

/// `StarkDefi`, at addresses of this network: its public ones are not known.
pub(crate) static STARKDEFI: Venue = Venue {
    rules: Rules {
        name: "StarkDefi",
        factory: Felt::from_hex_unchecked("0x537461726b4465666920666163746f7279"),
        router: Felt::from_hex_unchecked("0x537461726b4465666920726f75746572"),
        case: Case::Snake,
        path: Path::Tiered,
        reserves: Reserves::Timed,
        fee: FeeRule {
            scale: 10_000,
            rounding: Rounding::Down,
            leaves: true,
        },
        first_fees: [30, 4],
        setter: Setter::Factory,
        calls_back: true,
        keyed: true,
        liquidity_events: ["Mint", "Burn"],
        share: ("StarkDefi Pair", "STARKD-P", Fashion::Modern),
        burner: DEAD,
        words: PLAIN_WORDS,
    },
    pair: LazyLock::new(|| pair::kind(&STARKDEFI.rules)),
    factory: LazyLock::new(|| factory::kind(&STARKDEFI.rules)),
    router: LazyLock::new(|| router::kind(&STARKDEFI.rules)),
};

/// Nostra pools, the second version: each pair has the fee it was created with.
pub(crate) static NOSTRA: Venue = Venue {
    rules: Rules {
        name: "Nostra",
        factory: Felt::from_hex_unchecked(
            "0x02a93ef8c7679a5f9b1fcf7286a6e1cadf2e9192be4bcb5cb2d1b39062697527",
        ),
        router: Felt::from_hex_unchecked(
            "0x049ff5b3a7d38e2b50198f408fa8281635b5bc81ee49ab87ac36c8324c214427",
        ),
        case: Case::Snake,
        path: Path::Pairs,
        reserves: Reserves::Plain,
        fee: FeeRule {
            scale: 1_000_000_000_000_000_000,
            rounding: Rounding::Up,
            leaves: false,
        },
        first_fees: [3_000_000_000_000_000, 3_000_000_000_000_000],
        setter: Setter::Owner,
        calls_back: false,
        keyed: false,
        liquidity_events: ["PairMint", "PairBurn"],
        share: ("Nostra Pair", "NSTR-P", Fashion::Modern),
        burner: ONE,
        words: PLAIN_WORDS,
    },
    pair: LazyLock::new(|| pair::kind(&NOSTRA.rules)),
    factory: LazyLock::new(|| factory::kind(&NOSTRA.rules)),
    router: LazyLock::new(|| router::kind(&NOSTRA.rules)),
};
