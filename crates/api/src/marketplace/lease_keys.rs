//! Keys of leases: shown once, and replaced at will.

use super::{
    MarketplaceState, Problem,
    body::{Body, NoBody},
    catalog::Slug,
    data::{self, Data},
    fields::Fields,
    gate::Member,
    lease_path::LeasePath,
    refusals::refusals,
    segment::Segment,
};
use axum::{extract::State, response::Response};
use leasing::KeyError;
use serde::Serialize;
use services::leasing::{NewLeaseKey, ReplaceError, RevealError};
use utoipa::ToSchema;
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 2] {
    [routes!(reveal_credentials), routes!(replace_lease_key)]
}

/// What a lessee needs.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LeaseCredentials)]
struct CredentialsBody {
    /// The lease's key, to be sent as `Authorization: Bearer …`. Shown once.
    #[schema(example = "lk_k3j9x2qr_3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")]
    api_key: String,
    /// Its public part.
    #[schema(example = "k3j9x2qr")]
    key_id: String,
    /// Rises with every new key of the lease.
    #[schema(example = 1)]
    key_version: u64,
    /// The lease's `public_id`.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    lease_id: String,
    /// The validator's identity key, in base58.
    #[schema(example = "4Nd1mYvKQ2Xv3LwqjPz6yYw1g9oM4n8J7d2c5b6a3XyZ")]
    validator_identity: String,
    /// Where that is reached; null if it has not said.
    #[schema(required, example = "https://sign.harbour.example")]
    endpoint: Option<String>,
    /// Where the keys of lease tokens are.
    #[schema(example = "https://lease.example/.well-known/jwks.json")]
    jwks_url: String,
}

impl MarketplaceState {
    fn credentials(&self, key: NewLeaseKey) -> CredentialsBody {
        CredentialsBody {
            api_key: key.key,
            key_id: key.id,
            key_version: key.version,
            lease_id: key.lease.to_string(),
            validator_identity: key.identity.to_string(),
            endpoint: key.endpoint,
            jwks_url: format!("{}/.well-known/jwks.json", self.base_url()),
        }
    }
}

fn no_key(error: KeyError) -> Problem {
    match error {
        KeyError::NotFound => Problem::plain(Slug::LeaseNotFound),
        KeyError::Forbidden => Problem::plain(Slug::Forbidden),
        KeyError::NotActive(state) => {
            let told = format!("the lease is {state}; only an active one has a key");
            Problem::new(Slug::LeaseNotActive, told)
        }
        KeyError::Over => Problem::plain(Slug::LeaseExpired),
    }
}

refusals!(RevealRefusals: [MEMBER, BODY, KEPT], [
    Forbidden, LeaseNotFound, CredentialsAlreadyShown, LeaseNotActive, LeaseExpired,
    TokenHashFailure,
]);

/// Show a lease's key
///
/// Makes the key of an active lease and shows it, once, to the trader who booked
/// it. The key reads its lease and mints its tokens, and does nothing else.
#[utoipa::path(
    post,
    path = "/v1/leases/{id}/credentials",
    operation_id = "revealCredentials",
    tag = "Leases",
    params(LeasePath),
    responses(
        (status = 200, description = "The key.", body = Data<CredentialsBody>),
        RevealRefusals,
    ),
)]
async fn reveal_credentials(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    segment: Segment,
    _: NoBody,
) -> Result<Response, Problem> {
    let id = segment.id(Slug::LeaseNotFound)?;
    let shown = market.leasing().lease_keys.reveal(&user, id).await;
    let refused = |error| match error {
        RevealError::Key(error) => no_key(error),
        RevealError::AlreadyShown => Problem::plain(Slug::CredentialsAlreadyShown),
    };
    let key = shown.map_err(|error| Problem::of(error, refused))?;
    Ok(data::ok(market.credentials(key)))
}

/// Another key for a lease.
#[derive(ToSchema)]
#[schema(as = LeaseKeyRequest)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only describes the body, which is read in place")]
struct ReplaceWish {
    /// The `key_version` of the key that is to be replaced; without it, whichever
    /// there is.
    #[schema(minimum = 0, example = 1)]
    expected_version: Option<i64>,
}

refusals!(ReplaceRefusals: [MEMBER, BODY, KEPT], [
    Forbidden, LeaseNotFound, ConcurrentRotation, LeaseNotActive, LeaseExpired, TokenHashFailure,
]);

/// Replace a lease's key
///
/// Makes a new key of an active lease and shows it, once; the old one is worth
/// nothing from then on. If two are asked for at once, or the key is not the
/// expected one, 409 `concurrent-rotation`. The body is an object, perhaps empty.
#[utoipa::path(
    post,
    path = "/v1/leases/{id}/api-keys",
    operation_id = "replaceLeaseKey",
    tag = "Leases",
    params(LeasePath),
    request_body = ReplaceWish,
    responses(
        (status = 201, description = "The new key.", body = Data<CredentialsBody>),
        ReplaceRefusals,
    ),
)]
async fn replace_lease_key(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    segment: Segment,
    Body(text): Body,
) -> Result<Response, Problem> {
    let fields = Fields::read(&text, Slug::MalformedRequest)?.only(&["expected_version"])?;
    let expected = fields.whole("expected_version")?;
    let negative = |_| {
        let told = "expected_version must not be negative";
        Problem::new(Slug::MalformedRequest, told)
    };
    let expected = expected.map(u64::try_from).transpose().map_err(negative)?;
    let id = segment.id(Slug::LeaseNotFound)?;
    let made = market
        .leasing()
        .lease_keys
        .replace(&user, id, expected)
        .await;
    let refused = |error| match error {
        ReplaceError::Key(error) => no_key(error),
        ReplaceError::Concurrent => Problem::plain(Slug::ConcurrentRotation),
    };
    let key = made.map_err(|error| Problem::of(error, refused))?;
    Ok(data::created(market.credentials(key)))
}
