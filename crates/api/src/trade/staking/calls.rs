//! The operations that build calls: `POST` below
//! `/staking/v3/pools/{poolAddress}/members/{userAddress}`.

use super::{
    super::{TradeState, built::BuiltBody},
    body::{ActionRequest, AmountDescription, ClaimDescription, UserDescription},
    member_path::{MemberPath, PoolAndUser},
};
use crate::http::{
    error::{FindingBodyAnswers, Rejection},
    json::JsonText,
    json_answer::Json,
};
use axum::extract::{Path, State};
use trading::staking::{
    check_withdrawal, claim_rewards_calls, claim_withdrawal_call, initiate_withdrawal_call,
    restaked_rewards, stake_calls, withdrawal_amount,
};

/// Build the calls that stake
///
/// The approval of what is staked, and `enter_delegation_pool` for somebody who
/// never staked in the pool, or `add_to_delegation_pool`. Rewards of a new member
/// go to `userAddress`.
#[utoipa::path(
    post,
    path = "/staking/v3/pools/{poolAddress}/members/{userAddress}/stake",
    operation_id = "stakingStake",
    tag = "Staking",
    params(MemberPath),
    request_body = AmountDescription,
    responses(
        (status = 200, description = "The calls.", body = BuiltBody),
        FindingBodyAnswers,
    ),
)]
pub(super) async fn stake(
    State(state): State<TradeState>,
    Path(path): Path<MemberPath>,
    text: JsonText,
) -> Result<Json<BuiltBody>, Rejection> {
    let target = PoolAndUser::read(&state, &path)?;
    let amount = text
        .parse::<ActionRequest<'_>>()?
        .read_amount(target.user)?;
    let amount = u128::try_from(amount).map_err(|_| {
        Rejection::invalid("amount must be less than 2^128: pools take no more".to_owned())
    })?;
    let is_member = target.member().await?.member.is_some();
    let calls = stake_calls(target.contracts(), target.user, amount, is_member);
    Ok(Json(BuiltBody::new(state.swaps.chain_id(), calls)))
}

/// Build the call that begins a withdrawal
///
/// The amount leaves the stake, earns nothing any more, and can be claimed when the
/// pool's time for that has passed (21 days on the simulated network). A withdrawal
/// that was begun before and not claimed is replaced: the time begins anew.
#[utoipa::path(
    post,
    path = "/staking/v3/pools/{poolAddress}/members/{userAddress}/initiate-withdraw",
    operation_id = "stakingInitiateWithdraw",
    tag = "Staking",
    params(MemberPath),
    request_body = AmountDescription,
    responses(
        (status = 200, description = "The call.", body = BuiltBody),
        FindingBodyAnswers,
    ),
)]
pub(super) async fn initiate_withdraw(
    State(state): State<TradeState>,
    Path(path): Path<MemberPath>,
    text: JsonText,
) -> Result<Json<BuiltBody>, Rejection> {
    let target = PoolAndUser::read(&state, &path)?;
    let amount = text
        .parse::<ActionRequest<'_>>()?
        .read_amount(target.user)?;
    let known = target.member().await?;
    let amount = withdrawal_amount(known.member.as_ref(), amount)
        .map_err(|bad| Rejection::invalid(bad.to_string()))?;
    let names = target.staking.options().names;
    let call = initiate_withdrawal_call(names, target.pool.address, amount);
    Ok(Json(BuiltBody::new(state.swaps.chain_id(), [call])))
}

/// Build the call that ends a withdrawal
///
/// The pool pays what was withdrawn. Refused before a withdrawal was begun, and
/// before its time has come by the time of the newest block; the message has that
/// time.
#[utoipa::path(
    post,
    path = "/staking/v3/pools/{poolAddress}/members/{userAddress}/claim-withdraw",
    operation_id = "stakingClaimWithdraw",
    tag = "Staking",
    params(MemberPath),
    request_body = UserDescription,
    responses(
        (status = 200, description = "The call.", body = BuiltBody),
        FindingBodyAnswers,
    ),
)]
pub(super) async fn claim_withdraw(
    State(state): State<TradeState>,
    Path(path): Path<MemberPath>,
    text: JsonText,
) -> Result<Json<BuiltBody>, Rejection> {
    let target = PoolAndUser::read(&state, &path)?;
    text.parse::<ActionRequest<'_>>()?.check_user(target.user)?;
    let known = target.member().await?;
    check_withdrawal(known.member.as_ref(), known.snapshot.head_time)
        .map_err(|early| Rejection::invalid(early.to_string()))?;
    let names = target.staking.options().names;
    let call = claim_withdrawal_call(names, target.pool.address, target.user);
    Ok(Json(BuiltBody::new(state.swaps.chain_id(), [call])))
}

/// Build the calls that claim rewards
///
/// The pool pays all rewards in STRK, at any time. With `restake` an approval and
/// `add_to_delegation_pool` follow, for what is unclaimed at the newest block; what
/// is earned until the calls are executed stays with the user.
#[utoipa::path(
    post,
    path = "/staking/v3/pools/{poolAddress}/members/{userAddress}/claim-rewards",
    operation_id = "stakingClaimRewards",
    tag = "Staking",
    params(MemberPath),
    request_body = ClaimDescription,
    responses(
        (status = 200, description = "The calls.", body = BuiltBody),
        FindingBodyAnswers,
    ),
)]
pub(super) async fn claim_rewards(
    State(state): State<TradeState>,
    Path(path): Path<MemberPath>,
    text: JsonText,
) -> Result<Json<BuiltBody>, Rejection> {
    let target = PoolAndUser::read(&state, &path)?;
    let restake = text
        .parse::<ActionRequest<'_>>()?
        .read_restake(target.user)?;
    let restaked = if restake {
        let known = target.member().await?;
        let tokens = [target.pool.token, target.staking.options().reward_token];
        restaked_rewards(known.member.as_ref(), target.user, tokens)
            .map_err(|bad| Rejection::invalid(bad.to_string()))?
    } else {
        None
    };
    let calls = claim_rewards_calls(target.contracts(), target.user, restaked);
    Ok(Json(BuiltBody::new(state.swaps.chain_id(), calls)))
}
