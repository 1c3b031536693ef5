//! Lease tokens, and the keys that they are signed with.

use super::{
    MarketplaceState, Problem,
    body::NoBody,
    catalog::Slug,
    data::{self, Data},
    gate::{Anyone, Holder},
    lease_path::LeasePath,
    refusals::refusals,
    segment::Segment,
};
use crate::http::json_answer::Json;
use axum::{
    extract::State,
    http::{StatusCode, header::CACHE_CONTROL},
    response::{IntoResponse, Response},
};
use leasing::{Jwk, MintError};
use serde::Serialize;
use services::leasing::Minted;
use utoipa::ToSchema;
use utoipa_axum::{router::UtoipaMethodRouter, routes};

/// For how long others may keep the list of keys: less than a new key is in it
/// before it signs.
const KEPT_KEYS: &str = "public, max-age=300";

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 2] {
    [routes!(mint_lease_token), routes!(token_keys)]
}

/// A token that was just minted.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LeaseToken)]
struct MintedBody {
    /// A JWT, to be shown to the validator's gateway.
    token: String,
    /// `Bearer`.
    #[schema(example = "Bearer")]
    token_type: &'static str,
    /// Seconds for which it can be used.
    #[schema(example = 600)]
    expires_in: i64,
    /// Until when it can be used.
    #[schema(format = DateTime, example = "2026-01-31T12:10:00Z")]
    expires_at: String,
    /// The lease's `public_id`.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    lease_id: String,
    /// The validator that it is for, which is its `aud`.
    #[schema(example = "4Nd1mYvKQ2Xv3LwqjPz6yYw1g9oM4n8J7d2c5b6a3XyZ")]
    validator_identity: String,
    /// Where that is reached; null if it has not said.
    #[schema(required, example = "https://sign.harbour.example")]
    endpoint: Option<String>,
}

impl From<Minted> for MintedBody {
    fn from(minted: Minted) -> Self {
        Self {
            token: minted.token,
            token_type: "Bearer",
            expires_in: minted.lifetime.as_secs(),
            expires_at: minted.expires_at.to_string(),
            lease_id: minted.lease.to_string(),
            validator_identity: minted.identity.to_string(),
            endpoint: minted.endpoint,
        }
    }
}

refusals!(MintRefusals: [MEMBER, BODY, KEPT], [
    Forbidden, LeaseEpochOutOfRange, LeaseNotFound, JwtSignFailed, AuditRowEncodingFailed,
    ChainRpcUnavailable,
]);

/// Mint a lease token
///
/// A JWT (ES256) of ten minutes for an active lease whose epochs have begun and
/// are not over, for the trader who booked it or its key. It says `iss` (this market),
/// `aud` (the validator's identity), `sub` (the lease), `jti`, `iat`, `nbf`,
/// `exp`, `mode`, `epoch_start`, `epoch_end` (the epoch after the last) and
/// `trader`. Keys are at `/.well-known/jwks.json`. Every token has its row in
/// the audit log. 12 a minute. 403 is also `lease-not-active`; 503 only until a
/// node has said once which epoch it is.
#[utoipa::path(
    post,
    path = "/v1/leases/{id}/token",
    operation_id = "mintLeaseToken",
    tag = "Leases",
    params(LeasePath),
    responses(
        (status = 200, description = "The token.", body = Data<MintedBody>),
        MintRefusals,
    ),
)]
async fn mint_lease_token(
    State(market): State<MarketplaceState>,
    Holder(asker): Holder,
    segment: Segment,
    _: NoBody,
) -> Result<Response, Problem> {
    let id = segment.id(Slug::LeaseNotFound)?;
    let minted = market.leasing().lease_tokens.mint(asker, id).await;
    let minted = minted.map_err(|error| Problem::of(error, not_minted))?;
    Ok(data::ok(MintedBody::from(minted)))
}

fn not_minted(error: MintError) -> Problem {
    match error {
        MintError::NotFound => Problem::plain(Slug::LeaseNotFound),
        MintError::Forbidden => Problem::plain(Slug::Forbidden),
        MintError::NotActive(state) => {
            let told = format!("the lease is {state}; only an active one has tokens");
            Problem::new(Slug::LeaseNotActive, told).with_status(StatusCode::FORBIDDEN)
        }
        MintError::OutOfRange { epoch, window } => {
            let last = window.end().saturating_sub(1);
            let told = format!(
                "it is epoch {epoch}, and the lease has epochs {} to {last}",
                window.start()
            );
            Problem::new(Slug::LeaseEpochOutOfRange, told)
        }
    }
}

/// The public keys of lease tokens (RFC 7517).
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TokenKeys)]
struct KeysBody {
    /// The keys, those that will sign soon and those that signed of late too.
    keys: Vec<KeyBody>,
}

/// A public key.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TokenKey)]
struct KeyBody {
    /// `EC`.
    #[schema(example = "EC")]
    kty: String,
    /// `P-256`.
    #[schema(example = "P-256")]
    crv: String,
    /// The first coordinate.
    #[schema(example = "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4")]
    x: String,
    /// The second coordinate.
    #[schema(example = "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM")]
    y: String,
    /// `sig`.
    #[serde(rename = "use")]
    #[schema(example = "sig")]
    purpose: Option<String>,
    /// `ES256`.
    #[schema(example = "ES256")]
    alg: Option<String>,
    /// Names it: its thumbprint (RFC 7638).
    #[schema(example = "cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s")]
    kid: String,
}

impl From<Jwk> for KeyBody {
    fn from(key: Jwk) -> Self {
        Self {
            kty: key.kty,
            crv: key.crv,
            x: key.x,
            y: key.y,
            purpose: key.purpose,
            alg: key.alg,
            kid: key.kid,
        }
    }
}

refusals!(KeysRefusals: [COUNTED, KEPT], []);

/// JSON Web Key Set
///
/// For whoever verifies tokens. The same at every replica; a new key is in the
/// list ten minutes before it signs, and for an hour after it signed last. May
/// be kept for five minutes. Flat, as RFC 7517 wants it.
#[utoipa::path(
    get,
    path = "/.well-known/jwks.json",
    operation_id = "tokenKeys",
    tag = "Leases",
    security(()),
    responses(
        (status = 200, description = "The keys.", body = KeysBody),
        KeysRefusals,
    ),
)]
async fn token_keys(
    State(market): State<MarketplaceState>,
    _: Anyone,
) -> Result<Response, Problem> {
    let jwks = market.leasing().lease_tokens.published().await?;
    let body = KeysBody {
        keys: jwks.keys.into_iter().map(KeyBody::from).collect(),
    };
    Ok(([(CACHE_CONTROL, KEPT_KEYS)], Json(body)).into_response())
}
