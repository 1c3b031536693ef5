//! Whom a request is about: the pool and the user of its path.

use super::super::TradeState;
use crate::http::error::{Problems, Rejection, shown};
use primitives::Address;
use serde::Deserialize;
use services::{Fault, MemberAt, Staking, StakingPool, Stale};
use utoipa::IntoParams;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(super) struct MemberPath {
    /// The pool, or the token that it takes.
    #[param(example = "0x1234")]
    pool_address: String,
    /// The member.
    #[param(example = "0x1234")]
    user_address: String,
}

/// A pool of the staker's and somebody who is, was or may become its member.
#[derive(Debug)]
pub(super) struct PoolAndUser<'s> {
    pub(super) staking: &'s Staking,
    pub(super) pool: StakingPool,
    pub(super) user: Address,
}

/// Staking, where it is offered.
pub(super) fn staking(state: &TradeState) -> Result<&Staking, Rejection> {
    state.staking.as_ref().ok_or(Rejection::NoStaking)
}

impl<'s> PoolAndUser<'s> {
    /// The place of a path: the pool is named by its address, or by that of the
    /// token that it takes.
    pub(super) fn read(state: &'s TradeState, path: &MemberPath) -> Result<Self, Rejection> {
        let (pool, user) = (&path.pool_address, &path.user_address);
        let staking = staking(state)?;
        let mut problems = Problems::default();
        let mut address = |name, text: &str| {
            let read = text.parse::<Address>();
            let told = |error| problems.add(format!("{name} {} {error}", shown(text)));
            read.map_err(told).ok()
        };
        let (asked, user) = (address("poolAddress", pool), address("userAddress", user));
        problems.none()?;
        // What is missing is a problem that was told.
        let (asked, user) = asked.zip(user).ok_or(Rejection::Internal)?;
        let staker = staking.staker().ok_or(Rejection::NotReady)?;
        let unknown = || Rejection::UnknownPool {
            asked: pool.clone(),
        };
        let pool = *staker.pool(asked).ok_or_else(unknown)?;
        Ok(Self {
            staking,
            pool,
            user,
        })
    }

    /// The pool and what it takes.
    pub(super) fn contracts(&self) -> [Address; 2] {
        [self.pool.address, self.pool.token]
    }

    /// What the pool tells of the user at the newest block.
    pub(super) async fn member(&self) -> Result<MemberAt, Rejection> {
        let told = self.staking.member(&self.pool, self.user).await;
        told.map_err(|fault| match fault {
            Fault::Node(_) | Fault::NoNode => {
                tracing::warn!(cause = fault.chain_text(), "a pool does not answer");
                Stale::Silent { seconds: None }.into()
            }
            other => other.into(),
        })
    }
}
