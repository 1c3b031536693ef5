//! Service tokens: credentials that an owner makes for a validator's gateway.

use super::{
    MarketplaceState, Problem,
    body::Body,
    catalog::Slug,
    data::{self, Data},
    gate::Member,
    refusals::refusals,
    segment::{Segment, Segments},
    tokens::{NewTokenBody, TokenBody, TokenWish, not_made, read_token},
};
use axum::{extract::State, http::StatusCode, response::Response};
use services::leasing::{ServiceTokenError, TokenError};
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 2] {
    [
        routes!(create_service_token, list_service_tokens),
        routes!(revoke_service_token),
    ]
}

fn refused(error: ServiceTokenError) -> Problem {
    match error {
        ServiceTokenError::Token(TokenError::TooMany) => {
            let told = "the validator has as many living tokens as one may have; revoke one";
            Problem::new(Slug::Forbidden, told)
        }
        ServiceTokenError::Token(error) => not_made(error),
        ServiceTokenError::NotFound => Problem::plain(Slug::ValidatorNotFound),
        ServiceTokenError::Forbidden => Problem::plain(Slug::Forbidden),
        ServiceTokenError::Unknown => Problem::plain(Slug::NotFound),
    }
}

refusals!(CreateRefusals: [MEMBER, BODY, KEPT], [Forbidden, ValidatorNotFound]);

/// Make a service token
///
/// Credentials for the gateway of a validator, for its owner. They report the
/// use of that validator's leases, and do nothing else. The secret is shown this
/// once. They are worth nothing once the validator is somebody else's.
#[utoipa::path(
    post,
    path = "/v1/validators/{id}/service-tokens",
    operation_id = "createServiceToken",
    tag = "Usage",
    params((
        "id" = String, Path,
        description = "The validator's `public_id`.",
        example = "01KA0XHZ2S8Q6N4C1W7E5R3T9Y",
    )),
    request_body = TokenWish,
    responses(
        (status = 201, description = "The token, which begins with `sv_`.", body = Data<NewTokenBody>),
        CreateRefusals,
    ),
)]
async fn create_service_token(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    segment: Segment,
    Body(text): Body,
) -> Result<Response, Problem> {
    let (name, expires_at) = read_token(&text)?;
    let id = segment.id(Slug::ValidatorNotFound);
    let tokens = &market.leasing().service_tokens;
    let made = tokens.create(&user, id?, &name, expires_at).await;
    let made = made.map_err(|error| Problem::of(error, refused))?;
    Ok(data::created(NewTokenBody::from(made)))
}

refusals!(ListRefusals: [MEMBER, KEPT], [Forbidden, ValidatorNotFound]);

/// List service tokens
///
/// Those that the validator's owner made, without their secrets, revoked ones
/// too, the oldest first.
#[utoipa::path(
    get,
    path = "/v1/validators/{id}/service-tokens",
    operation_id = "listServiceTokens",
    tag = "Usage",
    params((
        "id" = String, Path,
        description = "The validator's `public_id`.",
        example = "01KA0XHZ2S8Q6N4C1W7E5R3T9Y",
    )),
    responses(
        (status = 200, description = "The tokens.", body = Data<Vec<TokenBody>>),
        ListRefusals,
    ),
)]
async fn list_service_tokens(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    segment: Segment,
) -> Result<Response, Problem> {
    let id = segment.id(Slug::ValidatorNotFound)?;
    let tokens = market.leasing().service_tokens.list(&user, id).await;
    let tokens = tokens.map_err(|error| Problem::of(error, refused))?;
    let bodies = tokens.into_iter().map(TokenBody::from);
    Ok(data::ok(bodies.collect::<Vec<_>>()))
}

refusals!(RevokeRefusals: [MEMBER, KEPT], [Forbidden, ValidatorNotFound, NotFound]);

/// Revoke a service token
///
/// The token cannot be used any more. For the validator's owner.
#[utoipa::path(
    delete,
    path = "/v1/validators/{id}/service-tokens/{token_id}",
    operation_id = "revokeServiceToken",
    tag = "Usage",
    params(
        (
            "id" = String, Path,
            description = "The validator's `public_id`.",
            example = "01KA0XHZ2S8Q6N4C1W7E5R3T9Y",
        ),
        ("token_id" = String, Path, description = "The token's id.", example = "k3j9x2qr"),
    ),
    responses(
        (status = 204, description = "It is revoked."),
        RevokeRefusals,
    ),
)]
async fn revoke_service_token(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    Segments(validator, token): Segments,
) -> Result<StatusCode, Problem> {
    let id = validator.id(Slug::ValidatorNotFound)?;
    let tokens = &market.leasing().service_tokens;
    let revoked = tokens.revoke(&user, id, &token.0).await;
    revoked.map_err(|error| Problem::of(error, refused))?;
    Ok(StatusCode::NO_CONTENT)
}
