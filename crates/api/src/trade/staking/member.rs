//! `GET /staking/v3/pools/{poolAddress}/members/{userAddress}`.

use super::{
    super::TradeState,
    member_body::MemberBody,
    member_path::{MemberPath, PoolAndUser},
};
use crate::http::{
    error::{ErrorAnswers, Rejection},
    json_answer::Json,
};
use axum::extract::{Path, State};

/// A block can be taken back between two questions about it; so often both are
/// asked again.
const ATTEMPTS: usize = 3;

/// Describe a member of a pool
///
/// What the pool tells of the user at the newest block, and what the user did there
/// so far, by the pool's events. Who never staked has zeros.
#[utoipa::path(
    get,
    path = "/staking/v3/pools/{poolAddress}/members/{userAddress}",
    operation_id = "stakingMember",
    tag = "Staking",
    params(MemberPath),
    responses(
        (status = 200, description = "The member.", body = MemberBody),
        ErrorAnswers,
    ),
)]
pub(super) async fn staking_member(
    State(state): State<TradeState>,
    Path(path): Path<MemberPath>,
) -> Result<Json<MemberBody>, Rejection> {
    let target = PoolAndUser::read(&state, &path)?;
    for _ in 0..ATTEMPTS {
        let known = target.member().await?;
        let at = known.snapshot.head;
        let (pool, user) = (&target.pool, target.user);
        let history = target.staking.history(pool, user, at);
        let restake = target.staking.restake(pool, user, &known);
        let (history, restake) = tokio::join!(history, restake);
        if let Some(deeds) = history? {
            return Ok(Json(MemberBody::new(&target, &known, &deeds, restake)));
        }
    }
    Err(Rejection::NotReady)
}
