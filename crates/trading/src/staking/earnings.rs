//! What stakes earn.
//!
//! All stakes of a kind of token earn a fixed amount of STRK together, each
//! according to its size; a staker keeps a commission of what its members earn.
//! What a stake earns is in proportion to the moment: it changes with the sum of
//! all stakes.

use amm::mul_div;
use primitives::U256;

/// Seconds of a year, as the public network counts them.
pub const YEAR_SECONDS: u64 = 365 * 86_400;

/// Commissions are parts of so many.
const WHOLE: u32 = 10_000;

/// What stakes of a pool's token earn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Earnings {
    /// STRK that all stakes earn in an epoch.
    pub epoch_rewards: u128,
    /// How long that is.
    pub epoch_seconds: u64,
    /// All stakes, with 18 decimals.
    pub all_stakes: u128,
    /// The decimals of the pool's token, at most 18.
    pub decimals: u8,
    /// What the staker keeps, in basis points.
    pub commission: u16,
}

impl Earnings {
    /// STRK that a stake earns its member in a year, rounded down.
    #[must_use]
    pub fn yearly(&self, stake: u128) -> U256 {
        self.exact(stake).unwrap_or_default()
    }

    fn exact(&self, stake: u128) -> Option<U256> {
        let missing = 18_u32.checked_sub(self.decimals.into())?;
        let stake = U256::from(stake).checked_mul(U256::from(10_u128.checked_pow(missing)?))?;
        let epochs = YEAR_SECONDS.checked_div(self.epoch_seconds)?;
        let kept = WHOLE.checked_sub(self.commission.into())?;
        let rewards = U256::from(self.epoch_rewards).checked_mul(U256::from(epochs))?;
        let rewards = rewards.checked_mul(U256::from(kept))?;
        let whole = U256::from(self.all_stakes).checked_mul(U256::from(WHOLE))?;
        mul_div(stake, rewards, whole)
    }

    /// What a stake earns in a year as a part of itself, where a whole STRK is worth
    /// `strk` times a whole token of the pool.
    #[must_use]
    pub fn rate(&self, strk: f64) -> f64 {
        // A whole million of tokens, so that what is rounded off does not matter.
        let stake = 10_u128.saturating_pow(u32::from(self.decimals) + 6);
        f64::from(self.yearly(stake)) / 1e24 * strk
    }
}
