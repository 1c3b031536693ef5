//! Onboarding sessions: a token with which a validator's host registers
//! without being signed in.

use super::{
    MarketplaceState, Problem,
    body::NoBody,
    catalog::Slug,
    data::{self, Data},
    gate::{Anyone, Member},
    refusals::refusals,
    segment::Segment,
};
use axum::{extract::State, response::Response};
use serde::Serialize;
use services::leasing::OnboardingStatus;
use utoipa::ToSchema;
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 2] {
    [routes!(open_onboarding), routes!(onboarding)]
}

/// A session that was just opened.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OpenedOnboarding)]
struct OpenedBody {
    /// To be sent as `onboard_token` when registering. Shown once, used once.
    #[schema(example = "lo_k3j9x2qr_3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")]
    onboard_token: String,
    /// The caller's `public_id`, which is part of what the identity signs.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    account_id: String,
    /// Until when it can be used.
    #[schema(format = DateTime, example = "2026-02-01T12:00:00Z")]
    expires_at: String,
    /// `pending`.
    #[schema(example = "pending")]
    status: &'static str,
}

/// How far an onboarding is.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Onboarding)]
struct OnboardingBody {
    /// `pending`, `registered` once a validator has registered with it, `listed`
    /// while that validator is listed.
    #[schema(example = "listed")]
    status: &'static str,
    /// The `public_id` of whoever opened it, which is part of what the identity
    /// signs.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    account_id: String,
    /// Who registered with it; null if nobody did.
    #[schema(required, example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    validator_id: Option<String>,
    /// Until when it can be used.
    #[schema(format = DateTime, example = "2026-02-01T12:00:00Z")]
    expires_at: String,
}

const fn word(status: OnboardingStatus) -> &'static str {
    match status {
        OnboardingStatus::Pending => "pending",
        OnboardingStatus::Registered => "registered",
        OnboardingStatus::Listed => "listed",
    }
}

refusals!(OpenRefusals: [MEMBER, BODY, KEPT], []);

/// Open an onboarding session
///
/// A token for the validator's host, which registers with it for the caller and
/// needs no credentials of its own.
#[utoipa::path(
    post,
    path = "/v1/onboarding/sessions",
    operation_id = "openOnboarding",
    tag = "Validators",
    responses(
        (status = 201, description = "The session.", body = Data<OpenedBody>),
        OpenRefusals,
    ),
)]
async fn open_onboarding(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    _: NoBody,
) -> Result<Response, Problem> {
    let opened = market.leasing().onboarding.open(user.id).await?;
    Ok(data::created(OpenedBody {
        onboard_token: opened.token,
        account_id: user.id.to_string(),
        expires_at: opened.expires_at.to_string(),
        status: word(OnboardingStatus::Pending),
    }))
}

refusals!(LookRefusals: [COUNTED, KEPT], [OnboardingSessionNotFound]);

/// Get an onboarding session
///
/// How far it is, for whoever holds its token.
#[utoipa::path(
    get,
    path = "/v1/onboarding/sessions/{onboard_token}",
    operation_id = "onboarding",
    tag = "Validators",
    security(()),
    params((
        "onboard_token" = String, Path,
        description = "The session's token.",
        example = "lo_k3j9x2qr_3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    )),
    responses(
        (status = 200, description = "The session.", body = Data<OnboardingBody>),
        LookRefusals,
    ),
)]
async fn onboarding(
    State(market): State<MarketplaceState>,
    _: Anyone,
    Segment(token): Segment,
) -> Result<Response, Problem> {
    let found = market.leasing().onboarding.find(&token).await?;
    let unknown = || Problem::plain(Slug::OnboardingSessionNotFound);
    let view = found.ok_or_else(unknown)?;
    Ok(data::ok(OnboardingBody {
        status: word(view.status),
        account_id: view.account.to_string(),
        validator_id: view.validator.map(|id| id.to_string()),
        expires_at: view.expires_at.to_string(),
    }))
}
