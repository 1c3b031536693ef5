//! Revoking leases, and the feed that tells gateways of it.

use super::{
    MarketplaceState, Problem,
    catalog::Slug,
    cursor::Position,
    data::{self, Data, List, Part},
    fields::Fields,
    gate::{Anyone, Member},
    idempotency,
    lease_path::{IdempotencyHeader, ValidatorLeasePath},
    query::{QueryKeys, one},
    refunds::RefundBody,
    refusals::refusals,
    segment::TwoSegments,
};
use crate::http::json::JsonText;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};
use leasing::RevokeError;
use primitives::{Lamports, PublicKey, Timestamp, Ulid, is_hidden};
use serde::{Deserialize, Serialize};
use services::leasing::{RevocationPlace, RevocationRow, Revoked};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::UtoipaMethodRouter, routes};

/// The longest reason.
const MAX_REASON_CHARS: usize = 500;

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 2] {
    [routes!(revoke_lease), routes!(list_revocations)]
}

/// Why a lease ends.
#[derive(ToSchema)]
#[schema(as = RevocationRequest)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only describes the body, which is read in place")]
pub(super) struct ReasonWish {
    /// For the audit log, 1 to 500 characters, none of control or format.
    #[schema(
        min_length = 1,
        max_length = 500,
        example = "maintenance of the enclave"
    )]
    reason: String,
}

pub(super) fn read_reason(text: &JsonText) -> Result<String, Problem> {
    let fields = Fields::read(text, Slug::MalformedRequest)?.only(&["reason"])?;
    let reason = fields.required("reason")?;
    let is_good = !reason.trim().is_empty()
        && reason.chars().count() <= MAX_REASON_CHARS
        && !reason.chars().any(is_hidden);
    if !is_good {
        let told = "reason must have 1 to 500 characters, none of control or format";
        return Err(Problem::new(Slug::MalformedRequest, told));
    }
    Ok(reason)
}

/// A lease that was just revoked.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RevokedLease)]
struct RevokedBody {
    /// The lease's `public_id`.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    lease_id: String,
    /// `revoked`.
    #[schema(example = "revoked")]
    state: &'static str,
    /// The epochs that were paid and cannot be had; the running one counts as
    /// used.
    #[schema(example = 2)]
    unused_epochs: i32,
    /// What is owed for them, by all who owe.
    #[schema(value_type = u64, example = 3_000_000_000_u64)]
    refund_due_lamports: Lamports,
    /// The same one by one. Whoever owes one opens its link with a wallet.
    refunds: Vec<RefundBody>,
}

impl MarketplaceState {
    fn revoked_body(&self, revoked: &Revoked) -> RevokedBody {
        let refunds = revoked.refunds.iter();
        RevokedBody {
            lease_id: revoked.lease.id.to_string(),
            state: revoked.lease.state().as_str(),
            unused_epochs: revoked.unused_epochs,
            refund_due_lamports: revoked.refund_due,
            refunds: refunds.map(|refund| self.refund_body(refund)).collect(),
        }
    }
}

refusals!(RevokeRefusals: [MEMBER, BODY, GUARDED, KEPT], [
    Forbidden, ValidatorNotFound, LeaseNotFound, LeaseAlreadyRevoked, LeaseNotActive,
    ChainRpcUnavailable,
]);

/// Revoke a lease
///
/// For the validator's owner and staff: ends a lease that is active or waits for
/// its payment. Epochs that are not used are free at once, and owed to whoever
/// paid: each at the price that was paid for it, the running one counting as
/// used. The platform keeps its part of what was used, rounded down. An unpaid
/// extension is void. Guarded like booking.
#[utoipa::path(
    post,
    path = "/v1/validators/{id}/leases/{lease_id}/revoke",
    operation_id = "revokeLease",
    tag = "Validators",
    params(ValidatorLeasePath, IdempotencyHeader),
    request_body = ReasonWish,
    responses(
        (status = 200, description = "The lease, and what is owed.", body = Data<RevokedBody>),
        RevokeRefusals,
    ),
)]
async fn revoke_lease(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    segments: TwoSegments,
    request: Request,
) -> Result<Response, Problem> {
    // What is wrong with the body comes before what it is about.
    let read = |text: &JsonText| {
        let reason = read_reason(text)?;
        let which = segments.ids(Slug::ValidatorNotFound, Slug::LeaseNotFound)?;
        Ok((which, reason))
    };
    let revoke = async |(which, reason): ((Ulid, Ulid), String), guard| {
        let render =
            |revoked: &Revoked| idempotency::answer(StatusCode::OK, market.revoked_body(revoked));
        let leases = &market.leasing().leases;
        let revoked = leases.revoke(&user, which, &reason, guard, render).await;
        let (_, answer) = revoked.map_err(|error| Problem::of(error, not_revoked))?;
        Ok(answer)
    };
    idempotency::once(&market, &user, request, read, revoke).await
}

fn not_revoked(error: RevokeError) -> Problem {
    match error {
        RevokeError::ValidatorNotFound => Problem::plain(Slug::ValidatorNotFound),
        RevokeError::NotFound => Problem::plain(Slug::LeaseNotFound),
        RevokeError::Forbidden => Problem::plain(Slug::Forbidden),
        RevokeError::AlreadyRevoked => Problem::plain(Slug::LeaseAlreadyRevoked),
        RevokeError::NotActive(state) => {
            let told = format!("the lease is {state}, and stays so");
            Problem::new(Slug::LeaseNotActive, told)
        }
    }
}

impl Position for RevocationPlace {
    fn write(&self) -> String {
        format!("{}:{}", self.at.as_microsecond(), self.lease)
    }

    fn read(text: &str) -> Option<Self> {
        let (at, lease) = text.split_once(':')?;
        Some(Self {
            at: Timestamp::from_microsecond(at.parse().ok()?).ok()?,
            lease: lease.parse().ok()?,
        })
    }
}

/// A lease that was revoked.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Revocation)]
struct RevocationBody {
    /// The lease's `public_id`: the `sub` of its tokens.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    lease_id: String,
    /// The validator: the `aud` of its tokens.
    #[schema(example = "4Nd1mYvKQ2Xv3LwqjPz6yYw1g9oM4n8J7d2c5b6a3XyZ")]
    validator_identity: String,
    /// When.
    #[schema(format = DateTime, example = "2026-01-31T12:30:00Z")]
    revoked_at: String,
}

impl From<&RevocationRow> for RevocationBody {
    fn from(row: &RevocationRow) -> Self {
        Self {
            lease_id: row.place.lease.to_string(),
            validator_identity: row.identity.to_string(),
            revoked_at: row.place.at.to_string(),
        }
    }
}

/// Which revocations are looked for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
struct RevocationsQuery {
    /// At or after this time; without it, in the last hour, which is longer than
    /// any token lives.
    #[param(value_type = Option<String>, format = DateTime, example = "2026-01-31T12:00:00Z")]
    since: Vec<String>,
    /// Of the validator with this identity.
    #[param(value_type = Option<String>, example = "4Nd1mYvKQ2Xv3LwqjPz6yYw1g9oM4n8J7d2c5b6a3XyZ")]
    validator: Vec<String>,
    /// At most so many.
    #[param(value_type = Option<u16>, minimum = 1, maximum = 50, default = 20, example = 50)]
    limit: Vec<String>,
    /// `meta.next_cursor` of the page before.
    #[param(value_type = Option<String>, example = "ATAxS0EwWEo4UUczVjFCN1o1TjlEMlQ2TTRS")]
    cursor: Vec<String>,
}

refusals!(RevocationsRefusals: [COUNTED, KEPT], [InvalidLimit, InvalidCursor]);

/// List revoked leases
///
/// For the gateways of validators, the oldest first: a token of a lease that is
/// listed here is not to be let in, though it has not expired. Ask every few
/// seconds, and go on with `meta.next_cursor` until it is null.
#[utoipa::path(
    get,
    path = "/v1/revocations",
    operation_id = "listRevocations",
    tag = "Leases",
    security(()),
    params(RevocationsQuery),
    responses(
        (status = 200, description = "The leases.", body = List<RevocationBody>),
        RevocationsRefusals,
    ),
)]
async fn list_revocations(
    State(market): State<MarketplaceState>,
    _: Anyone,
    QueryKeys(query): QueryKeys<RevocationsQuery>,
) -> Result<Response, Problem> {
    let malformed = Slug::MalformedRequest;
    let since: Option<Timestamp> = one("since", &query.since, malformed, "a time (RFC 3339)")?;
    let must = "a base58 public key";
    let identity: Option<PublicKey> = one("validator", &query.validator, malformed, must)?;
    let scope = format!("revocations {since:?} {identity:?}");
    let part = Part::read(&query.limit, &query.cursor, scope, market.cursors())?;
    let revocations = &market.leasing().revocations;
    let page = revocations
        .since(since, identity, part.after, part.limit)
        .await?;
    let text = part.write(&page, market.cursors(), |row| RevocationBody::from(row));
    Ok(data::written(text))
}
