//! What staff alone may see and do.

use super::{
    MarketplaceState, Problem,
    body::Body,
    catalog::Slug,
    cursor::Position,
    data::{self, Data, List, Part},
    gate::Acting,
    query::{Asked, one},
    refusals::refusals,
    revocations::{ReasonWish, read_reason},
    segment::Segment,
};
use axum::{extract::State, response::Response};
use leasing::{Leg, ListingStatus, StrayReason};
use primitives::Lamports;
use serde::{Deserialize, Serialize};
use services::leasing::{NotStaff, StopError, StrayPlace, StrayTransaction};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 2] {
    [routes!(list_strays), routes!(stop_validator)]
}

impl Position for StrayPlace {
    fn write(&self) -> String {
        format!("{}:{}", self.slot, self.signature)
    }

    fn read(text: &str) -> Option<Self> {
        let (slot, signature) = text.split_once(':')?;
        Some(Self {
            slot: slot.parse().ok()?,
            signature: signature.parse().ok()?,
        })
    }
}

/// A transaction that brought money which was not taken for a lease.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StrayTransaction)]
struct StrayTransactionBody {
    /// The transaction.
    signature: String,
    /// Where it landed.
    #[schema(example = 345_600_123)]
    slot: u64,
    /// Who paid.
    #[schema(example = "4Nd1mYvKQ2Xv3LwqjPz6yYw1g9oM4n8J7d2c5b6a3XyZ")]
    payer: String,
    /// What wallets gained by it. Each gain stands here once and nowhere else:
    /// the sum over all transactions is what is to be given back.
    legs: Vec<LegBody>,
    /// The payments that it names, by their memos or by their references.
    payments: Vec<NamedBody>,
}

/// What a wallet gained.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StrayLeg)]
struct LegBody {
    /// The wallet.
    #[schema(example = "7Kq2mYvKQ2Xv3LwqjPz6yYw1g9oM4n8J7d2c5b6a3XyZ")]
    wallet: String,
    /// What it gained.
    #[schema(value_type = u64, example = 2_850_000_000_u64)]
    lamports: Lamports,
}

/// A payment that a transaction names.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StrayPayment)]
struct NamedBody {
    /// The payment's memo.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    memo: String,
    /// The lease that it is of.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    lease_id: String,
    /// Why it was not taken: `short`, `orphaned`, `doubled`, `unclear`,
    /// `unnamed`.
    #[schema(example = "short")]
    reason: &'static str,
}

impl From<&StrayTransaction> for StrayTransactionBody {
    fn from(stray: &StrayTransaction) -> Self {
        let leg = |leg: &Leg| LegBody {
            wallet: leg.wallet.to_string(),
            lamports: leg.amount,
        };
        let named = stray.named.iter().map(|(memo, lease, reason)| NamedBody {
            memo: memo.to_string(),
            lease_id: lease.to_string(),
            reason: reason.as_str(),
        });
        Self {
            signature: stray.place.signature.to_string(),
            slot: stray.place.slot,
            payer: stray.payer.to_string(),
            legs: stray.legs.iter().map(leg).collect(),
            payments: named.collect(),
        }
    }
}

/// Which of them are looked for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
struct StraysQuery {
    /// Not taken for this reason.
    #[param(value_type = Option<String>, pattern = "^(short|orphaned|doubled|unclear|unnamed)$", example = "short")]
    reason: Vec<String>,
    /// At most so many.
    #[param(value_type = Option<u16>, minimum = 1, maximum = 50, default = 20, example = 20)]
    limit: Vec<String>,
    /// `meta.next_cursor` of the page before.
    #[param(value_type = Option<String>, example = "ATAxS0EwWEo4UUczVjFCN1o1TjlEMlQ2TTRS")]
    cursor: Vec<String>,
}

refusals!(StraysRefusals: [STAFF, KEPT], [
    InvalidLimit, InvalidCursor, MalformedRequest, Forbidden,
]);

/// List money that came and paid for nothing
///
/// For staff: the transactions that brought it, the newest first, each once,
/// with what each wallet gained by it.
#[utoipa::path(
    get,
    path = "/v1/admin/strays",
    operation_id = "listStrays",
    tag = "Administration",
    params(StraysQuery),
    responses(
        (status = 200, description = "The transactions.", body = List<StrayTransactionBody>),
        StraysRefusals,
    ),
)]
async fn list_strays(
    State(market): State<MarketplaceState>,
    Acting(user): Acting,
    Asked(query): Asked<StraysQuery>,
) -> Result<Response, Problem> {
    let must = "short, orphaned, doubled, unclear or unnamed";
    let reason: Option<StrayReason> = one("reason", &query.reason, Slug::MalformedRequest, must)?;
    let scope = format!("strays {reason:?}");
    let part = Part::read(&query.limit, &query.cursor, scope, market.cursors())?;
    let strays = &market.leasing().strays;
    let page = strays.list(&user, reason, part.after, part.limit).await;
    let refused = |NotStaff| Problem::new(Slug::Forbidden, "this needs the role staff");
    let page = page.map_err(|error| Problem::of(error, refused))?;
    let text = part.write(&page, market.cursors(), |stray| {
        StrayTransactionBody::from(stray)
    });
    Ok(data::written(text))
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
/// it again.
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
