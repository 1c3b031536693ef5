//! What a member did, on the wire.

use super::super::amount::HexAmount;
use market::following::Fee;
use primitives::{Address, U256, felt_to_hex};
use serde::Serialize;
use services::{PastDeed, PastPrices, StakingPool, fee_token};
use trading::staking::Action;
use utoipa::ToSchema;

/// Something that a member did in the pool.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StakingAction)]
#[serde(rename_all = "camelCase")]
pub(super) struct ActionBody {
    #[schema(example = 1_234)]
    block_number: u64,
    #[schema(format = "date-time", example = "2026-12-01T00:00:00Z")]
    date: String,
    #[schema(example = "0x9abc")]
    transaction_hash: String,
    /// What the transaction cost; null if that is not known.
    gas_fee: Option<GasFeeBody>,
    /// `StakingStake`, `StakingInitiateWithdrawal`, `StakingCancelWithdrawal`,
    /// `StakingWithdraw` or `StakingClaimRewards`.
    #[schema(example = "StakingStake")]
    r#type: &'static str,
    metadata: MetadataBody,
}

/// What a transaction cost.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StakingGasFee)]
struct GasFeeBody {
    #[schema(value_type = String, example = "0x2386f26fc10000")]
    #[serde(rename = "gasFeeAmount")]
    amount: HexAmount,
    /// At the price of its time; absent without one.
    #[schema(example = 0.004)]
    #[serde(rename = "gasFeeAmountUsd", skip_serializing_if = "Option::is_none")]
    usd: Option<f64>,
    #[schema(value_type = String, example = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d")]
    #[serde(rename = "gasFeeTokenAddress")]
    token: Address,
}

/// What belongs to an action; USD values are of its time, and absent without a
/// price.
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = StakingActionMetadata)]
#[serde(rename_all = "camelCase")]
struct MetadataBody {
    #[schema(example = "0x1234")]
    delegation_pool_address: String,
    /// From when on a withdrawal can be claimed.
    #[schema(format = "date-time", example = "2026-12-22T00:00:00Z")]
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_timestamp: Option<String>,
    /// Where rewards went.
    #[schema(value_type = Option<String>, example = "0x1234")]
    #[serde(skip_serializing_if = "Option::is_none")]
    reward_address: Option<Address>,
    /// What is or was withdrawn, or what was claimed.
    #[schema(value_type = Option<String>, example = "0xde0b6b3a7640000")]
    #[serde(skip_serializing_if = "Option::is_none")]
    amount: Option<HexAmount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    amount_usd: Option<f64>,
    /// The stake before.
    #[schema(value_type = Option<String>, example = "0x0")]
    #[serde(skip_serializing_if = "Option::is_none")]
    old_delegated_stake: Option<HexAmount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_delegated_stake_usd: Option<f64>,
    /// The stake after.
    #[schema(value_type = Option<String>, example = "0xde0b6b3a7640000")]
    #[serde(skip_serializing_if = "Option::is_none")]
    new_delegated_stake: Option<HexAmount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_delegated_stake_usd: Option<f64>,
}

impl ActionBody {
    pub(super) fn new(
        deed: &PastDeed,
        pool: &StakingPool,
        strk: Address,
        prices: &PastPrices<'_>,
    ) -> Self {
        let valued = |token, amount: u128| {
            let amount = U256::from(amount);
            let usd = prices.usd(token, amount, deed.time);
            (Some(HexAmount(amount)), usd)
        };
        let mut metadata = MetadataBody {
            delegation_pool_address: pool.address.to_string(),
            ..MetadataBody::default()
        };
        let mut stakes = None;
        let r#type = match deed.action {
            Action::Staked { old, new } => {
                stakes = Some((old, new));
                "StakingStake"
            }
            Action::CancelledWithdrawal { old, new } => {
                stakes = Some((old, new));
                "StakingCancelWithdrawal"
            }
            Action::InitiatedWithdrawal {
                exit,
                amount,
                old,
                new,
            } => {
                stakes = Some((old, new));
                metadata.exit_timestamp = Some(exit.to_string());
                (metadata.amount, metadata.amount_usd) = valued(pool.token, amount);
                "StakingInitiateWithdrawal"
            }
            Action::Withdrew { amount } => {
                (metadata.amount, metadata.amount_usd) = valued(pool.token, amount);
                "StakingWithdraw"
            }
            Action::ClaimedRewards { to, amount } => {
                metadata.reward_address = Some(to);
                (metadata.amount, metadata.amount_usd) = valued(strk, amount);
                "StakingClaimRewards"
            }
        };
        if let Some((old, new)) = stakes {
            let (old, new) = (valued(pool.token, old), valued(pool.token, new));
            (
                metadata.old_delegated_stake,
                metadata.old_delegated_stake_usd,
            ) = old;
            (
                metadata.new_delegated_stake,
                metadata.new_delegated_stake_usd,
            ) = new;
        }
        Self {
            block_number: deed.block,
            date: deed.time.to_string(),
            transaction_hash: felt_to_hex(deed.transaction),
            gas_fee: deed.fee.map(|fee| GasFeeBody::new(fee, deed, prices)),
            r#type,
            metadata,
        }
    }
}

impl GasFeeBody {
    fn new(fee: Fee, deed: &PastDeed, prices: &PastPrices<'_>) -> Self {
        let (token, amount) = (fee_token(fee.unit), U256::from(fee.amount));
        Self {
            amount: HexAmount(amount),
            usd: prices.usd(token, amount, deed.time),
            token,
        }
    }
}
