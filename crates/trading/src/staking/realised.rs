//! What a member has earned, and whether staking that again is worth its gas.

use super::{
    checks::Member,
    earnings::{Earnings, YEAR_SECONDS},
    history::Action,
};
use primitives::{Timestamp, U256};

/// [`YEAR_SECONDS`], to divide by.
const YEAR: f64 = 365.0 * 86_400.0;

/// What a member was paid or may claim, and for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Realised {
    /// STRK that was claimed, and that can be.
    pub rewards: U256,
    /// Every stake times the seconds that it was there.
    pub stake_seconds: U256,
}

impl Realised {
    /// What a member realised whose actions these are, from the first stake until
    /// now. None if the actions do not lead from nothing to the present stake: then
    /// what was earned is not known.
    #[must_use]
    pub fn new(
        actions: impl IntoIterator<Item = (Timestamp, Action)>,
        member: &Member,
        now: Timestamp,
    ) -> Option<Self> {
        let mut realised = Self {
            rewards: U256::from(member.unclaimed_rewards),
            stake_seconds: U256::ZERO,
        };
        let mut stake = (now, 0);
        for (time, action) in actions {
            match action {
                Action::Staked { old, new }
                | Action::CancelledWithdrawal { old, new }
                | Action::InitiatedWithdrawal { old, new, .. } => {
                    if old != stake.1 {
                        return None;
                    }
                    realised.hold(stake, time)?;
                    stake = (time, new);
                }
                Action::ClaimedRewards { amount, .. } => {
                    realised.rewards = realised.rewards.checked_add(U256::from(amount))?;
                }
                Action::Withdrew { .. } => {}
            }
        }
        realised.hold(stake, now)?;
        (stake.1 == member.amount).then_some(realised)
    }

    /// Counts a stake from when it was there until a time.
    fn hold(&mut self, (since, stake): (Timestamp, u128), until: Timestamp) -> Option<()> {
        // Before the first stake there is none, however long that was.
        let seconds = until.as_second().saturating_sub(since.as_second()).max(0);
        let held = U256::from(seconds.unsigned_abs()).checked_mul(U256::from(stake))?;
        self.stake_seconds = self.stake_seconds.checked_add(held)?;
        Some(())
    }

    /// What a year earned as a part of the stake, without compounding, where a
    /// whole STRK is worth `strk` times a whole token of these decimals. None
    /// before anything was staked for a second.
    #[must_use]
    pub fn rate(&self, decimals: u8, strk: f64) -> Option<f64> {
        if self.stake_seconds.is_zero() {
            return None;
        }
        let stake_years = f64::from(self.stake_seconds) / YEAR;
        let stake_years = stake_years / 10_f64.powi(i32::from(decimals));
        Some(f64::from(self.rewards) / 1e18 * strk / stake_years)
    }
}

impl Earnings {
    /// Seconds after which rewards that are staked again have earned what gas for
    /// that costs, rounded up; none if they earn nothing.
    #[must_use]
    pub fn break_even_seconds(&self, rewards: u128, gas: u128) -> Option<u64> {
        let yearly = self.yearly(rewards);
        if yearly.is_zero() {
            return None;
        }
        let gas_years = U256::from(gas).checked_mul(U256::from(YEAR_SECONDS))?;
        u64::try_from(gas_years.div_ceil(yearly)).ok()
    }
}
