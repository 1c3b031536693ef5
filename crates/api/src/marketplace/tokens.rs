//! API tokens: credentials that a user makes for programs.

use super::{
    MarketplaceState, Problem,
    body::Body,
    catalog::Slug,
    data::{self, Data},
    fields::Fields,
    gate::Member,
    refusals::refusals,
    segment::Segment,
};
use crate::http::json::JsonText;
use axum::{extract::State, http::StatusCode, response::Response};
use primitives::Timestamp;
use serde::Serialize;
use services::leasing::{NewToken, TokenError, TokenInfo, TokenRevokeError};
use utoipa::ToSchema;
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 2] {
    [
        routes!(create_api_token, list_api_tokens),
        routes!(revoke_api_token),
    ]
}

/// A token that is to be made.
#[derive(ToSchema)]
#[schema(as = ApiTokenRequest)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only describes the body, which is read in place")]
pub(super) struct TokenWish {
    /// What it is called, 1 to 64 characters, none of control or format.
    #[schema(example = "trading bot")]
    name: String,
    /// Until when it can be used; for ever if it is not given.
    #[schema(format = DateTime, example = "2027-01-31T00:00:00Z")]
    expires_at: Option<String>,
}

/// A token that was just made.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NewApiToken)]
pub(super) struct NewTokenBody {
    /// Names it in lists.
    #[schema(example = "k3j9x2qr")]
    id: String,
    /// To be sent as `Authorization: Bearer …`. Shown once.
    #[schema(example = "lm_k3j9x2qr_3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")]
    token: String,
    /// Until when it can be used; null for ever.
    #[schema(required, format = DateTime, example = "2027-01-31T00:00:00Z")]
    expires_at: Option<String>,
}

impl From<NewToken> for NewTokenBody {
    fn from(new: NewToken) -> Self {
        Self {
            id: new.id,
            token: new.token,
            expires_at: new.expires_at.map(|at| at.to_string()),
        }
    }
}

/// A token without its secret.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ApiToken)]
pub(super) struct TokenBody {
    /// Names it.
    #[schema(example = "k3j9x2qr")]
    id: String,
    /// What its user calls it.
    #[schema(example = "trading bot")]
    name: String,
    /// Since when.
    #[schema(format = DateTime, example = "2026-01-31T12:00:00Z")]
    created_at: String,
    /// Until when it can be used; null for ever.
    #[schema(required, format = DateTime, example = "2027-01-31T00:00:00Z")]
    expires_at: Option<String>,
    /// When it was revoked; null if it was not.
    #[schema(required, format = DateTime, example = "2026-06-30T00:00:00Z")]
    revoked_at: Option<String>,
}

impl From<TokenInfo> for TokenBody {
    fn from(token: TokenInfo) -> Self {
        let text = |at: Timestamp| at.to_string();
        Self {
            id: token.id,
            name: token.name,
            created_at: token.created_at.to_string(),
            expires_at: token.expires_at.map(text),
            revoked_at: token.revoked_at.map(text),
        }
    }
}

refusals!(CreateRefusals: [MEMBER, BODY, KEPT], [Forbidden]);

/// Make an API token
///
/// Credentials for a program, with all rights of the user. The secret is shown
/// this once.
#[utoipa::path(
    post,
    path = "/v1/api-tokens",
    operation_id = "createApiToken",
    tag = "Accounts",
    request_body = TokenWish,
    responses(
        (status = 201, description = "The token.", body = Data<NewTokenBody>),
        CreateRefusals,
    ),
)]
async fn create_api_token(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    Body(text): Body,
) -> Result<Response, Problem> {
    let (name, expires_at) = read_token(&text)?;
    let made = market
        .leasing()
        .tokens
        .create(user.id, &name, expires_at)
        .await;
    let made = made.map_err(|error| Problem::of(error, not_made))?;
    Ok(data::created(NewTokenBody::from(made)))
}

/// The name of a token, and until when it can be used.
pub(super) fn read_token(text: &JsonText) -> Result<(String, Option<Timestamp>), Problem> {
    let fields = Fields::read(text, Slug::MalformedRequest)?.only(&["name", "expires_at"])?;
    let name = fields.required("name")?;
    let expires_at = match fields.text("expires_at")? {
        Some(_) => Some(fields.parsed::<Timestamp>("expires_at")?),
        None => None,
    };
    Ok((name, expires_at))
}

pub(super) fn not_made(error: TokenError) -> Problem {
    let malformed = |told: &str| Problem::new(Slug::MalformedRequest, told);
    match error {
        TokenError::Name => {
            malformed("name must have 1 to 64 characters, none of control or format")
        }
        TokenError::Expiry => malformed("expires_at must be later than now"),
        TokenError::TooMany => {
            let told = "you have as many living tokens as one may have; revoke one";
            Problem::new(Slug::Forbidden, told)
        }
        TokenError::NoUser => Problem::plain(Slug::UserNotProvisioned),
    }
}

refusals!(ListRefusals: [MEMBER, KEPT], []);

/// List API tokens
///
/// The caller's tokens without their secrets, revoked ones too, the oldest
/// first.
#[utoipa::path(
    get,
    path = "/v1/api-tokens",
    operation_id = "listApiTokens",
    tag = "Accounts",
    responses(
        (status = 200, description = "The tokens.", body = Data<Vec<TokenBody>>),
        ListRefusals,
    ),
)]
async fn list_api_tokens(
    State(market): State<MarketplaceState>,
    Member(user): Member,
) -> Result<Response, Problem> {
    let tokens = market.leasing().tokens.list(user.id).await?.into_iter();
    Ok(data::ok(tokens.map(TokenBody::from).collect::<Vec<_>>()))
}

refusals!(RevokeRefusals: [MEMBER, KEPT], [Forbidden, NotFound]);

/// Revoke an API token
///
/// The token cannot be used any more.
#[utoipa::path(
    delete,
    path = "/v1/api-tokens/{id}",
    operation_id = "revokeApiToken",
    tag = "Accounts",
    params(("id" = String, Path, description = "The token's id.", example = "k3j9x2qr")),
    responses(
        (status = 204, description = "It is revoked."),
        RevokeRefusals,
    ),
)]
async fn revoke_api_token(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    Segment(id): Segment,
) -> Result<StatusCode, Problem> {
    let revoked = market.leasing().tokens.revoke(user.id, &id).await;
    let refused = |error| match error {
        TokenRevokeError::Unknown => Problem::plain(Slug::NotFound),
        TokenRevokeError::NotOwner => Problem::plain(Slug::Forbidden),
    };
    revoked.map_err(|error| Problem::of(error, refused))?;
    Ok(StatusCode::NO_CONTENT)
}
