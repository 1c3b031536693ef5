//! `GET /staking/v3`.

use super::{super::TradeState, super::amount::HexAmount, member_path::staking};
use crate::http::{
    error::{ErrorAnswers, Rejection},
    json_answer,
};
use axum::{body::Bytes, extract::State, http::header::CONTENT_TYPE, response::IntoResponse};
use primitives::{Address, U256};
use serde::Serialize;
use services::{PoolFigures, StakerVersion, Staking, StakingFigures};
use utoipa::ToSchema;

/// The staker and its pools.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StakingInformation)]
#[serde(rename_all = "camelCase")]
pub(super) struct InfoBody {
    /// STRK that the staker has staked itself.
    #[schema(value_type = String, example = "0x69e10de76676d0800000")]
    self_staked_amount: HexAmount,
    /// 0 if STRK has no price.
    #[schema(example = 200_000.0)]
    self_staked_amount_in_usd: f64,
    #[schema(value_type = String, example = "0x1234")]
    operational_address: Address,
    #[schema(value_type = String, example = "0x1234")]
    reward_address: Address,
    #[schema(value_type = String, example = "0x1234")]
    staker_address: Address,
    /// What the staker keeps of its members' rewards, as a part of them.
    #[schema(example = 0.05)]
    commission: f64,
    delegation_pools: Vec<PoolBody>,
}

/// A pool of the staker's.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DelegationPool)]
#[serde(rename_all = "camelCase")]
struct PoolBody {
    #[schema(value_type = String, example = "0x1234")]
    pool_address: Address,
    #[schema(value_type = String, example = "0x1234")]
    token_address: Address,
    /// What its members have staked.
    #[schema(value_type = String, example = "0x152d02c7e14af6800000")]
    staked_amount: HexAmount,
    /// 0 if the token has no price.
    #[schema(example = 40_000.0)]
    staked_amount_in_usd: f64,
    /// What a stake earns in a year at what all stakes earn now, as a part of itself
    /// and without the commission; 0 where a price is missing.
    #[schema(example = 0.085)]
    apr: f64,
}

/// Describe the staker and its delegation pools
///
/// By what the chain tells, read every few seconds; nothing is configured but who the
/// staker is.
#[utoipa::path(
    get,
    path = "/staking/v3",
    operation_id = "stakingInformation",
    tag = "Staking",
    responses(
        (status = 200, description = "The staker.", body = InfoBody),
        ErrorAnswers,
    ),
)]
pub(super) async fn staking_info(
    State(state): State<TradeState>,
) -> Result<impl IntoResponse, Rejection> {
    let staking = staking(&state)?;
    let version = staking.version().ok_or(Rejection::NotReady)?;
    let known = state.rendered_staker.find(version);
    let text = known.map_or_else(|| write(staking, version, &state), Ok)?;
    Ok(([(CONTENT_TYPE, "application/json")], text))
}

/// Writes the staker, and keeps that for those who ask next.
fn write(
    staking: &Staking,
    version: StakerVersion,
    state: &TradeState,
) -> Result<Bytes, Rejection> {
    let figures = staking.figures().ok_or(Rejection::NotReady)?;
    let text = Bytes::from(json_answer::line(&InfoBody::new(&figures))?);
    state.rendered_staker.keep(version, text.clone());
    Ok(text)
}

impl InfoBody {
    fn new(figures: &StakingFigures) -> Self {
        let staker = &figures.staker;
        Self {
            self_staked_amount: HexAmount(U256::from(staker.own_stake)),
            self_staked_amount_in_usd: figures.own_stake_usd,
            operational_address: staker.operational_address,
            reward_address: staker.reward_address,
            staker_address: staker.address,
            commission: f64::from(staker.commission) / 10_000.0,
            delegation_pools: figures.pools.iter().map(PoolBody::new).collect(),
        }
    }
}

impl PoolBody {
    fn new(figures: &PoolFigures) -> Self {
        let PoolFigures {
            pool,
            stake_usd,
            apr,
        } = figures;
        Self {
            pool_address: pool.address,
            token_address: pool.token,
            staked_amount: HexAmount(U256::from(pool.stake)),
            staked_amount_in_usd: *stake_usd,
            apr: *apr,
        }
    }
}
