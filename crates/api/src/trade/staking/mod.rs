//! Staking: the staker and its pools, their members, and the calls of members.

mod action_body;
mod body;
mod calls;
mod info;
mod member;
mod member_body;
mod member_path;

use super::TradeState;
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<TradeState>; 6] {
    [
        routes!(info::staking_info),
        routes!(member::staking_member),
        routes!(calls::stake),
        routes!(calls::initiate_withdraw),
        routes!(calls::claim_withdraw),
        routes!(calls::claim_rewards),
    ]
}
