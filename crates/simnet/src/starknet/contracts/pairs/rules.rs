//! In what the venues differ: names, shapes of events, fees and words.

use crate::starknet::contracts::erc20::Fashion;
use primitives::Felt;

/// All that makes one venue of pairs different from another.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) name: &'static str,
    pub(crate) factory: Felt,
    pub(crate) router: Felt,
    pub(super) case: Case,
    pub(crate) path: Path,
    pub(super) reserves: Reserves,
    pub(super) fee: FeeRule,
    /// The fees of volatile and of stable pairs, where none is named.
    pub(super) first_fees: [u64; 2],
    pub(super) setter: Setter,
    /// Whether a swap takes data for a call back.
    pub(super) calls_back: bool,
    /// Whether the sender and the receiver are keys of events.
    pub(super) keyed: bool,
    /// The events of a mint and of a burn.
    pub(super) liquidity_events: [&'static str; 2],
    /// Name, symbol and fashion of the pairs as tokens.
    pub(super) share: (&'static str, &'static str, Fashion),
    /// Who got the first shares, which nobody ever has.
    pub(super) burner: Felt,
    pub(super) words: Words,
}

/// How entrypoints are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Snake,
    Camel,
}

impl Case {
    pub(super) fn name(self, snake: &'static str, camel: &'static str) -> &'static str {
        match self {
            Self::Snake => snake,
            Self::Camel => camel,
        }
    }
}

/// How a router is told the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Path {
    /// The tokens in order.
    Tokens,
    /// From, to and whether the pair is stable, for each pair.
    Stable,
    /// The same with the tier of the fee.
    Tiered,
    /// The token that is sold, and the pairs.
    Pairs,
}

/// How a pair tells its reserves, in calls and events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reserves {
    /// As 256-bit numbers; in calls with the time of the last change.
    Timed,
    /// As 256-bit numbers.
    Plain,
    /// In one element each of at most 112 bits; in calls with the time.
    Narrow,
}

/// How the fee on what is sold is counted.
#[derive(Debug, Clone, Copy)]
pub(super) struct FeeRule {
    /// What a fee of everything would be.
    pub(super) scale: u64,
    pub(super) rounding: Rounding,
    /// Whether the fee leaves the pair before its reserves are checked.
    pub(super) leaves: bool,
}

/// How a fee becomes a whole number of units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounding {
    /// It never does: everything else is multiplied instead.
    None,
    Down,
    Up,
}

/// Who may change a pair's fees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Setter {
    Nobody,
    /// The owner, through the factory, with an event.
    Factory,
    /// The owner, at the pair, without a word.
    Owner,
}

/// The venue's own words for what it refuses.
#[derive(Debug)]
pub(super) struct Words {
    pub(super) no_output: &'static str,
    pub(super) no_liquidity: &'static str,
    pub(super) bad_receiver: &'static str,
    pub(super) no_input: &'static str,
    pub(super) k: &'static str,
    pub(super) nothing_minted: &'static str,
    pub(super) nothing_burned: &'static str,
    pub(super) too_large: &'static str,
    pub(super) same_token: &'static str,
    pub(super) zero_token: &'static str,
    pub(super) pair_exists: &'static str,
    pub(super) no_pair: &'static str,
    pub(super) bad_path: &'static str,
    pub(super) little_out: &'static str,
    pub(super) much_in: &'static str,
    pub(super) little_a: &'static str,
    pub(super) little_b: &'static str,
    pub(super) not_owner: &'static str,
}
