//! What the staker and the rest of the network stand for: who and where they
//! are, what is staked elsewhere, and what stakes earn.

use crate::starknet::network::{STRK, WBTC};
use primitives::Felt;

/// Where the network's staking contract is.
pub(crate) const STAKING: Felt = felt("0x73746f615f7374616b696e67");

/// Who has what rewards are paid of.
pub(crate) const SUPPLIER: Felt = felt("0x73746f615f737570706c696572");

/// The staker, with whom everybody may stake.
pub(crate) const STAKER: Felt = felt("0x73746f615f7374616b6572");

/// Where the staker's own rewards go, and who works for it.
pub(super) const STAKER_REWARDS: Felt = felt("0x73746f615f7374616b65725f72657761726473");
pub(super) const OPERATOR: Felt = felt("0x73746f615f7374616b65725f6f70657261746f72");

/// The smallest unit of STRK, of which a whole token has so many.
const WHOLE_STRK: u128 = 1_000_000_000_000_000_000;
const WHOLE_WBTC: u128 = 100_000_000;

/// What the staker has staked itself.
pub(super) const OWN_STAKE: u128 = 500_000 * WHOLE_STRK;

/// What the supplier has at the beginning: for pools of this size, decades.
const SUPPLIED: u128 = 5_000_000 * WHOLE_STRK;

/// What the staker takes of its members' rewards, of ten thousand.
pub(super) const COMMISSION: u64 = 500;
pub(super) const COMMISSION_DENOMINATOR: u64 = 10_000;

/// Rewards are told by the epoch, and earned by the second.
pub(super) const EPOCH_SECONDS: u64 = 86_400;

/// Blocks of an epoch, at the network's pace.
pub(super) const EPOCH_BLOCKS: u64 = 43_200;

/// How long a withdrawal takes: 21 days.
pub(super) const EXIT_SECONDS: u64 = 21 * 86_400;

/// A pool of the staker's, and the stakes of its token everywhere.
#[derive(Debug)]
pub(crate) struct PoolTerms {
    pub(crate) pool: Felt,
    pub(crate) token: Felt,
    /// By this an amount is multiplied to have 18 decimals.
    pub(super) normal: u128,
    /// What is staked with others, or by the staker itself.
    pub(super) elsewhere: u128,
    /// STRK that all stakes of the token earn together, in an epoch.
    pub(super) epoch_rewards: u128,
    /// Who is a member from the beginning: so many people, with these stakes, again
    /// and again.
    pub(super) members: usize,
    stakes: [u128; 4],
}

/// The pools: one for STRK, and one for a token of Bitcoin.
pub(crate) static POOLS: [PoolTerms; 2] = [
    PoolTerms {
        pool: felt("0x73746f615f706f6f6c5f7374726b"),
        token: STRK,
        normal: 1,
        elsewhere: 20_000_000 * WHOLE_STRK + OWN_STAKE,
        epoch_rewards: 5_350 * WHOLE_STRK,
        members: 24,
        stakes: [
            5_000 * WHOLE_STRK,
            120_000 * WHOLE_STRK,
            33_300 * WHOLE_STRK,
            WHOLE_STRK / 2,
        ],
    },
    PoolTerms {
        pool: felt("0x73746f615f706f6f6c5f77627463"),
        token: WBTC,
        normal: WHOLE_STRK / WHOLE_WBTC,
        elsewhere: 80 * WHOLE_WBTC,
        epoch_rewards: 1_780 * WHOLE_STRK,
        members: 8,
        stakes: [
            WHOLE_WBTC,
            WHOLE_WBTC / 4,
            3 * WHOLE_WBTC,
            WHOLE_WBTC / 1_000,
        ],
    },
];

impl PoolTerms {
    /// What the members have at the beginning.
    pub(super) fn first_stakes(&self) -> impl Iterator<Item = u128> {
        self.stakes.into_iter().cycle().take(self.members)
    }

    /// All of that.
    pub(super) fn first_stake(&self) -> u128 {
        self.first_stakes().sum()
    }
}

/// What must be there of a token before anybody stakes, and who has it.
pub(crate) fn holdings(token: Felt) -> Vec<(Felt, u128)> {
    let pools = POOLS.iter().filter(|terms| terms.token == token);
    let mut holdings: Vec<_> = pools.map(|it| (it.pool, it.first_stake())).collect();
    if token == STRK {
        holdings.push((SUPPLIER, SUPPLIED));
    }
    holdings
}

const fn felt(hex: &'static str) -> Felt {
    Felt::from_hex_unchecked(hex)
}
