//! A member of a pool, on the wire.

use super::{super::amount::HexAmount, action_body::ActionBody, member_path::PoolAndUser};
use primitives::{Address, Timestamp, U256};
use serde::Serialize;
use services::{DayRate, MemberAt, PastDeed, PastPrices, Restake, StakingPool};
use std::time::Duration;
use trading::staking::{Action, Member, Realised};
use utoipa::ToSchema;

/// Actions that are told, the newest ones.
const MAX_ACTIONS: usize = 100;

const DAY_SECONDS: f64 = 86_400.0;

/// What somebody has in a pool. Who never staked has zeros.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StakingMember)]
#[serde(rename_all = "camelCase")]
pub(super) struct MemberBody {
    #[schema(value_type = String, example = "0x1234")]
    token_address: Address,
    /// What a whole token is worth; 0 without a price.
    #[schema(example = 0.4)]
    token_price_in_usd: f64,
    #[schema(value_type = String, example = "0x1234")]
    pool_address: Address,
    #[schema(value_type = String, example = "0x1234")]
    user_address: Address,
    /// The stake.
    #[schema(value_type = String, example = "0xde0b6b3a7640000")]
    amount: HexAmount,
    #[schema(example = 0.4)]
    amount_in_usd: f64,
    /// STRK.
    #[schema(value_type = String, example = "0x16345785d8a0000")]
    unclaimed_rewards: HexAmount,
    #[schema(example = 0.04)]
    unclaimed_rewards_in_usd: f64,
    /// What is being withdrawn, beside the stake.
    #[schema(value_type = String, example = "0x0")]
    unpool_amount: HexAmount,
    #[schema(example = 0.0)]
    unpool_amount_in_usd: f64,
    /// From when on that can be claimed, in seconds since 1970; null if nothing is
    /// being withdrawn.
    #[schema(example = 1_800_000_000)]
    unpool_time: Option<i64>,
    /// STRK that was ever claimed.
    #[schema(value_type = String, example = "0x0")]
    total_claimed_rewards: HexAmount,
    /// The same at the prices of when it was claimed.
    #[schema(example = 0.0)]
    total_claimed_rewards_historical_usd: f64,
    /// The same at the price of now.
    #[schema(example = 0.0)]
    total_claimed_rewards_usd: f64,
    /// What the user did in this pool, the newest first, at most 100.
    user_actions: Vec<ActionBody>,
    /// How much they did in all.
    #[schema(example = 1)]
    total_user_actions_count: usize,
    /// STRK that the stake earns in a year, at what all stakes earn now, rounded down.
    #[schema(value_type = String, example = "0x12dfb0cb5e88000")]
    expected_yearly_strk_rewards: HexAmount,
    /// What a year earned this member so far, as a part of the stake: all rewards over
    /// what was staked while it was, at the prices of now. Null before the first
    /// stake, and where its history or a price is not known.
    #[schema(example = 0.081)]
    realised_apr: Option<f64>,
    /// What staking the rewards again would bring; null where that is not possible, or
    /// no node says what it costs.
    restake: Option<RestakeBody>,
    /// What stakes in the pool earned on the days before, as far as nodes remember,
    /// the oldest first.
    aprs: Vec<AprBody>,
}

/// What staking rewards again would bring.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StakingRestake)]
#[serde(rename_all = "camelCase")]
struct RestakeBody {
    /// STRK that would be staked.
    #[schema(value_type = String, example = "0x16345785d8a0000")]
    amount: HexAmount,
    /// What the transaction is expected to cost, in the smallest unit of STRK.
    #[schema(value_type = String, example = "0x2386f26fc10000")]
    gas_fees: HexAmount,
    /// Days after which the rewards have earned what that costs, at what stakes earn
    /// now; null if they earn nothing.
    #[schema(example = 41.5)]
    break_even_days: Option<f64>,
}

/// What a stake would have earned in a year, by what was so on a day.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StakingApr)]
struct AprBody {
    /// The end of the day.
    #[schema(format = "date-time", example = "2026-12-01T00:00:00Z")]
    date: String,
    #[schema(example = 0.085)]
    apr: f64,
}

impl MemberBody {
    pub(super) fn new(
        target: &PoolAndUser<'_>,
        known: &MemberAt,
        deeds: &[PastDeed],
        restake: Option<Restake>,
    ) -> Self {
        let (pool, strk) = (&target.pool, target.staking.options().reward_token);
        let nobody = Member {
            reward_address: target.user,
            amount: 0,
            unclaimed_rewards: 0,
            unpool_amount: 0,
            unpool_time: None,
        };
        let member = known.member.unwrap_or(nobody);
        let prices = PastPrices::new(&known.snapshot);
        let claimed = Claimed::of(deeds, strk, &prices);
        let newest = deeds.iter().rev().take(MAX_ACTIONS);
        let rates = target.staking.day_rates(pool.address);
        let amount = |amount: u128| HexAmount(U256::from(amount));
        Self {
            token_address: pool.token,
            token_price_in_usd: known.price(pool.token),
            pool_address: pool.address,
            user_address: target.user,
            amount: amount(member.amount),
            amount_in_usd: known.worth(pool.token, member.amount),
            unclaimed_rewards: amount(member.unclaimed_rewards),
            unclaimed_rewards_in_usd: known.worth(strk, member.unclaimed_rewards),
            unpool_amount: amount(member.unpool_amount),
            unpool_amount_in_usd: known.worth(pool.token, member.unpool_amount),
            unpool_time: member.unpool_time.map(Timestamp::as_second),
            total_claimed_rewards: amount(claimed.amount),
            total_claimed_rewards_historical_usd: claimed.usd,
            total_claimed_rewards_usd: known.worth(strk, claimed.amount),
            user_actions: newest
                .map(|deed| ActionBody::new(deed, pool, strk, &prices))
                .collect(),
            total_user_actions_count: deeds.len(),
            expected_yearly_strk_rewards: HexAmount(pool.earnings.yearly(member.amount)),
            realised_apr: realised_apr(target, known, &member, deeds),
            restake: restake.map(|restake| RestakeBody::new(&restake, pool)),
            aprs: rates.iter().map(AprBody::new).collect(),
        }
    }
}

/// What a year earned a member so far.
fn realised_apr(
    target: &PoolAndUser<'_>,
    known: &MemberAt,
    member: &Member,
    deeds: &[PastDeed],
) -> Option<f64> {
    let (pool, strk) = (&target.pool, target.staking.options().reward_token);
    let actions = deeds.iter().map(|deed| (deed.time, deed.action));
    let realised = Realised::new(actions, member, known.snapshot.head_time)?;
    let worth = if pool.token == strk {
        1.0
    } else {
        known.price(strk) / known.price(pool.token)
    };
    let rate = realised.rate(pool.earnings.decimals, worth)?;
    // Without both prices it is nothing, or beyond all numbers.
    (rate.is_finite() && worth > 0.0).then_some(rate)
}

impl RestakeBody {
    fn new(restake: &Restake, pool: &StakingPool) -> Self {
        let Restake { rewards, gas_fee } = *restake;
        let seconds = pool.earnings.break_even_seconds(rewards, gas_fee);
        Self {
            amount: HexAmount(U256::from(rewards)),
            gas_fees: HexAmount(U256::from(gas_fee)),
            break_even_days: seconds.map(|it| Duration::from_secs(it).as_secs_f64() / DAY_SECONDS),
        }
    }
}

/// Rewards that were claimed.
#[derive(Default)]
struct Claimed {
    amount: u128,
    /// What they were worth then.
    usd: f64,
}

impl Claimed {
    fn of(deeds: &[PastDeed], strk: Address, prices: &PastPrices<'_>) -> Self {
        let mut claimed = Self::default();
        for deed in deeds {
            if let Action::ClaimedRewards { amount, .. } = deed.action {
                claimed.amount = claimed.amount.saturating_add(amount);
                let usd = prices.usd(strk, U256::from(amount), deed.time);
                claimed.usd += usd.unwrap_or_default();
            }
        }
        claimed
    }
}

impl AprBody {
    fn new(rate: &DayRate) -> Self {
        Self {
            date: rate.time.to_string(),
            apr: rate.apr,
        }
    }
}
