//! What the staker's pools are worth and pay.

use super::{
    handle::Staking,
    staker::{Staker, StakingPool},
};
use crate::snapshot::Snapshot;
use primitives::{Address, BlockRef, U256};
use std::sync::Arc;
use trading::usd;

/// The staker, with figures at the prices of the newest snapshot. Where there is no
/// price, nothing is worth anything.
#[derive(Debug, Clone)]
pub struct StakingFigures {
    /// As it was last read of the network's staking contract.
    pub staker: Arc<Staker>,
    /// What its own stake is worth in USD.
    pub own_stake_usd: f64,
    /// The same of its pools, in their order.
    pub pools: Vec<PoolFigures>,
}

/// What a delegation pool holds and earns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PoolFigures {
    /// As it was read with the staker.
    pub pool: StakingPool,
    /// What its stakes are worth in USD.
    pub stake_usd: f64,
    /// What a stake earns in a year, as a part of itself.
    pub apr: f64,
}

/// What figures are made of: one version of each makes the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StakerVersion {
    /// The block that the staker was read at.
    staker: BlockRef,
    /// The block that prices are of.
    prices: BlockRef,
}

impl Staking {
    /// What figures would be made of now; `None` before both are known.
    pub fn version(&self) -> Option<StakerVersion> {
        Some(StakerVersion {
            staker: self.staker()?.at,
            prices: self.inner().snapshots.load()?.head,
        })
    }

    /// The staker and its pools, at the newest prices; `None` before both are
    /// known.
    pub fn figures(&self) -> Option<StakingFigures> {
        let staker = self.staker()?;
        let snapshot = self.inner().snapshots.load()?;
        let strk = self.options().reward_token;
        let own_stake_usd = worth(&snapshot, strk, staker.own_stake);
        let pools = staker.pools.iter();
        let pools = pools.map(|pool| self.pool_figures(&snapshot, *pool));
        Some(StakingFigures {
            own_stake_usd,
            pools: pools.collect(),
            staker,
        })
    }

    fn pool_figures(&self, snapshot: &Snapshot, pool: StakingPool) -> PoolFigures {
        let strk = self.options().reward_token;
        let relative = if pool.token == strk {
            Some(1.0)
        } else {
            let (strk, token) = (price(snapshot, strk), price(snapshot, pool.token));
            strk.zip(token).map(|(strk, token)| strk / token)
        };
        let apr = relative.map_or(0.0, |relative| pool.earnings.rate(relative));
        PoolFigures {
            pool,
            stake_usd: worth(snapshot, pool.token, pool.stake),
            apr: if apr.is_finite() { apr } else { 0.0 },
        }
    }
}

/// What a whole token is worth in USD.
pub(super) fn price(snapshot: &Snapshot, token: Address) -> Option<f64> {
    let figures = &snapshot.figures;
    Some(figures.price(figures.token(token)?)?.usd)
}

/// What an amount is worth in USD; nothing without a price.
pub(super) fn worth(snapshot: &Snapshot, token: Address, amount: u128) -> f64 {
    let unit = crate::worth::unit_usd(&snapshot.figures, token);
    unit.map_or(0.0, |unit| usd(U256::from(amount), unit))
}
