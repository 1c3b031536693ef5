//! Signing in with a wallet.

use super::{
    MarketplaceState, Problem,
    body::Body,
    catalog::Slug,
    data::{self, Data},
    fields::Fields,
    gate::{self, Anyone},
    refusals::refusals,
    users::UserBody,
};
use axum::{extract::State, http::StatusCode, response::Response};
use serde::Serialize;
use services::leasing::{Challenge, NoSession, NotSignedIn, SignedIn};
use utoipa::ToSchema;
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 2] {
    [routes!(auth_challenge), routes!(auth_session, sign_out)]
}

/// Who wants to sign in.
#[derive(ToSchema)]
#[schema(as = ChallengeRequest)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only describes the body, which is read in place")]
struct ChallengeWish {
    /// The wallet's public key in base58.
    #[schema(example = "4Nd1mYvKQ2Xv3LwqjPz6yYw1g9oM4n8J7d2c5b6a3XyZ")]
    address: String,
}

/// A text to sign.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Challenge)]
struct ChallengeBody {
    /// The text, in the form of Sign-In-With-Solana, to be signed as it is.
    message: String,
    /// Names the text when its signature is sent.
    #[schema(example = "k3j9x2qr8vn5zt7bk3j9x2qr")]
    nonce: String,
    /// Until when it can be used.
    #[schema(format = DateTime, example = "2026-01-31T12:05:00Z")]
    expires_at: String,
}

impl From<Challenge> for ChallengeBody {
    fn from(challenge: Challenge) -> Self {
        Self {
            message: challenge.message,
            nonce: challenge.nonce,
            expires_at: challenge.expires_at.to_string(),
        }
    }
}

refusals!(ChallengeRefusals: [COUNTED, BODY, KEPT], []);

/// Request a sign-in challenge
///
/// The first step of signing in: a text for the wallet to sign, in the form of
/// Sign-In-With-Solana. It can be used once.
#[utoipa::path(
    post,
    path = "/v1/auth/challenge",
    operation_id = "authChallenge",
    tag = "Accounts",
    security(()),
    request_body = ChallengeWish,
    responses(
        (status = 200, description = "The text.", body = Data<ChallengeBody>),
        ChallengeRefusals,
    ),
)]
async fn auth_challenge(
    State(market): State<MarketplaceState>,
    _: Anyone,
    Body(text): Body,
) -> Result<Response, Problem> {
    let fields = Fields::read(&text, Slug::MalformedRequest)?.only(&["address"])?;
    let challenge = market
        .leasing()
        .accounts
        .challenge(fields.parsed("address")?)
        .await?;
    Ok(data::ok(ChallengeBody::from(challenge)))
}

/// A signed text.
#[derive(ToSchema)]
#[schema(as = SessionRequest)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only describes the body, which is read in place")]
struct SessionWish {
    /// The wallet's public key in base58.
    #[schema(example = "4Nd1mYvKQ2Xv3LwqjPz6yYw1g9oM4n8J7d2c5b6a3XyZ")]
    address: String,
    /// That of the challenge.
    #[schema(example = "k3j9x2qr8vn5zt7bk3j9x2qr")]
    nonce: String,
    /// The Ed25519 signature over the challenge's message, in base58.
    signature: String,
}

/// A session that a wallet just opened.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Session)]
struct SessionBody {
    /// To be sent as `Authorization: Bearer …`. Shown once.
    #[schema(example = "ls_k3j9x2qr_3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")]
    session_token: String,
    /// Until when it can be used.
    #[schema(format = DateTime, example = "2026-02-01T12:00:00Z")]
    expires_at: String,
    /// Who signed in; null if the wallet has no user yet.
    #[schema(required)]
    user: Option<UserBody>,
}

impl From<SignedIn> for SessionBody {
    fn from(signed_in: SignedIn) -> Self {
        Self {
            session_token: signed_in.token,
            expires_at: signed_in.expires_at.to_string(),
            user: signed_in.user.map(UserBody::from),
        }
    }
}

refusals!(SessionRefusals: [COUNTED, BODY, KEPT], [AuthRequired]);

/// Sign in
///
/// The second step of signing in: the signature over the text gives a session.
/// A wallet without a user may only create one, with `POST /v1/users`.
#[utoipa::path(
    post,
    path = "/v1/auth/session",
    operation_id = "authSession",
    tag = "Accounts",
    security(()),
    request_body = SessionWish,
    responses(
        (status = 200, description = "The session.", body = Data<SessionBody>),
        SessionRefusals,
    ),
)]
async fn auth_session(
    State(market): State<MarketplaceState>,
    _: Anyone,
    Body(text): Body,
) -> Result<Response, Problem> {
    let fields = Fields::read(&text, Slug::MalformedRequest)?;
    let fields = fields.only(&["address", "nonce", "signature"])?;
    let (address, nonce) = (fields.parsed("address")?, fields.required("nonce")?);
    let signature = fields.parsed("signature")?;
    let signed_in = market
        .leasing()
        .accounts
        .sign_in(address, &nonce, signature)
        .await;
    let refused = |NotSignedIn| {
        let told = "the challenge is unknown, used or too old, or this is not its signature";
        Problem::new(Slug::AuthRequired, told)
    };
    let signed_in = signed_in.map_err(|error| Problem::of(error, refused))?;
    Ok(data::ok(SessionBody::from(signed_in)))
}

refusals!(SignOutRefusals: [VISITOR, KEPT], [Forbidden]);

/// Sign out
///
/// Ends the session whose token is sent: it cannot be used any more. An API
/// token is no session; it is revoked with `DELETE /v1/api-tokens/{id}`. A
/// session of an external issuer ends there, or when its token expires.
#[utoipa::path(
    delete,
    path = "/v1/auth/session",
    operation_id = "signOut",
    tag = "Accounts",
    responses(
        (status = 204, description = "The session is over."),
        SignOutRefusals,
    ),
)]
async fn sign_out(
    State(market): State<MarketplaceState>,
    gate::SignedIn(caller): gate::SignedIn,
) -> Result<StatusCode, Problem> {
    let ended = market.leasing().accounts.sign_out(&caller).await;
    let refused = |error| {
        let told = match error {
            NoSession::Lasting => {
                "an API token is no session; revoke it with DELETE /v1/api-tokens/{id}"
            }
            NoSession::External => {
                "the session is its issuer's: sign out there; the token is good until it expires"
            }
        };
        Problem::new(Slug::Forbidden, told)
    };
    ended.map_err(|error| Problem::of(error, refused))?;
    Ok(StatusCode::NO_CONTENT)
}
