//! What staff does with validators.

use super::{
    MarketplaceState, Problem,
    body::Body,
    catalog::Slug,
    data::{self, Data},
    gate::Acting,
    refusals::refusals,
    revocations::{ReasonWish, read_reason},
    segment::Segment,
};
use axum::{extract::State, response::Response};
use leasing::ListingStatus;
use serde::Serialize;
use services::leasing::{LiftError, StopError};
use utoipa::ToSchema;
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 2] {
    [routes!(stop_validator), routes!(lift_stop)]
}

/// A validator that was stopped.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StoppedValidator)]
struct StoppedBody {
    /// The validator's `public_id`.
    #[schema(example = "01KA0XHZ2S8Q6N4C1W7E5R3T9Y")]
    validator_id: String,
    /// `stopped`.
    #[schema(example = "stopped")]
    status: &'static str,
    /// How many leases were revoked.
    #[schema(example = 3)]
    revoked_leases: u64,
    /// How many refunds are owed for them; `GET /v1/refunds` lists them.
    #[schema(example = 6)]
    refunds: u64,
}

refusals!(StopRefusals: [STAFF, BODY, KEPT], [Forbidden, ValidatorNotFound, ChainRpcUnavailable]);

/// Stop a validator
///
/// For staff, in an emergency: nothing more can be booked of it or extended,
/// late payments are to be given back, and all its leases are revoked, as by its
/// owner. Asked for again it goes on where it was cut off. Its owner cannot list
/// it again before staff has lifted the stop.
#[utoipa::path(
    post,
    path = "/v1/admin/validators/{id}/stop",
    operation_id = "stopValidator",
    tag = "Administration",
    params((
        "id" = String, Path,
        description = "The validator's `public_id`.",
        example = "01KA0XHZ2S8Q6N4C1W7E5R3T9Y",
    )),
    request_body = ReasonWish,
    responses(
        (status = 200, description = "It is stopped.", body = Data<StoppedBody>),
        StopRefusals,
    ),
)]
async fn stop_validator(
    State(market): State<MarketplaceState>,
    Acting(user): Acting,
    segment: Segment,
    Body(text): Body,
) -> Result<Response, Problem> {
    let reason = read_reason(&text)?;
    let id = segment.id(Slug::ValidatorNotFound)?;
    let stopped = market.leasing().validators.stop(&user, id, &reason).await;
    let refused = |error| match error {
        StopError::Forbidden => Problem::new(Slug::Forbidden, "this needs the role staff"),
        StopError::NotFound => Problem::plain(Slug::ValidatorNotFound),
    };
    let stopped = stopped.map_err(|error| Problem::of(error, refused))?;
    Ok(data::ok(StoppedBody {
        validator_id: id.to_string(),
        status: ListingStatus::Stopped.as_str(),
        revoked_leases: stopped.leases,
        refunds: stopped.refunds,
    }))
}

/// A validator whose stop was lifted.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LiftedValidator)]
struct LiftedBody {
    /// The validator's `public_id`.
    #[schema(example = "01KA0XHZ2S8Q6N4C1W7E5R3T9Y")]
    validator_id: String,
    /// `paused`.
    #[schema(example = "paused")]
    status: &'static str,
}

refusals!(LiftRefusals: [STAFF, BODY, KEPT], [Forbidden, ValidatorNotFound]);

/// Resume a validator
///
/// For staff: the validator is paused, and its owner may list it again. What was
/// revoked stays so. One that is not stopped is refused with `forbidden`.
#[utoipa::path(
    post,
    path = "/v1/admin/validators/{id}/lift-stop",
    operation_id = "liftStop",
    tag = "Administration",
    params((
        "id" = String, Path,
        description = "The validator's `public_id`.",
        example = "01KA0XHZ2S8Q6N4C1W7E5R3T9Y",
    )),
    request_body = ReasonWish,
    responses(
        (status = 200, description = "It is paused.", body = Data<LiftedBody>),
        LiftRefusals,
    ),
)]
async fn lift_stop(
    State(market): State<MarketplaceState>,
    Acting(user): Acting,
    segment: Segment,
    Body(text): Body,
) -> Result<Response, Problem> {
    let reason = read_reason(&text)?;
    let id = segment.id(Slug::ValidatorNotFound)?;
    let validators = &market.leasing().validators;
    let lifted = validators.lift_stop(&user, id, &reason).await;
    let refused = |error| match error {
        LiftError::Forbidden => Problem::new(Slug::Forbidden, "this needs the role staff"),
        LiftError::NotFound => Problem::plain(Slug::ValidatorNotFound),
        LiftError::NotStopped(status) => {
            let told = format!("the validator is {status}, not stopped");
            Problem::new(Slug::Forbidden, told)
        }
    };
    let lifted = lifted.map_err(|error| Problem::of(error, refused))?;
    Ok(data::ok(LiftedBody {
        validator_id: id.to_string(),
        status: lifted.as_str(),
    }))
}
