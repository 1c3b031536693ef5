//! Money that came and paid for nothing, for staff.

use super::{
    MarketplaceState, Problem,
    body::NoBody,
    catalog::Slug,
    cursor::Position,
    data::{self, Data, List, Part},
    gate::Acting,
    query::{QueryKeys, one},
    refunds::RefundBody,
    refusals::refusals,
    segment::Segment,
};
use axum::{extract::State, response::Response};
use leasing::StrayReason;
use primitives::Lamports;
use serde::{Deserialize, Serialize};
use services::leasing::{NotStaff, StrayLegRow, StrayPlace, StrayRefundError, StrayTransaction};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 2] {
    [routes!(list_strays), routes!(refund_stray)]
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
    /// One of those that the named payments go to, in base58.
    #[schema(example = "7Kq2mYvKQ2Xv3LwqjPz6yYw1g9oM4n8J7d2c5b6a3XyZ")]
    wallet: String,
    /// What it gained.
    #[schema(value_type = u64, example = 2_850_000_000_u64)]
    lamports: Lamports,
    /// The refund by which it is asked back; null if it is not.
    #[schema(required, example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    refund_id: Option<String>,
}

/// A payment that a transaction names.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StrayPayment)]
struct NamedBody {
    /// The payment's memo.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    memo: String,
    /// The `public_id` of the lease that it is of.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    lease_id: String,
    /// Why it was not taken: `short`, `orphaned`, `doubled`, `unclear`,
    /// `unnamed`.
    #[schema(example = "short")]
    reason: &'static str,
}

impl From<&StrayTransaction> for StrayTransactionBody {
    fn from(stray: &StrayTransaction) -> Self {
        let leg = |row: &StrayLegRow| LegBody {
            wallet: row.leg.wallet.to_string(),
            lamports: row.leg.amount,
            refund_id: row.refund.map(|id| id.to_string()),
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

/// List stray payments
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
    QueryKeys(query): QueryKeys<StraysQuery>,
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

refusals!(RefundStrayRefusals: [STAFF, BODY, KEPT], [Forbidden, NotFound]);

/// Refund a stray payment
///
/// For staff: makes a refund of what each wallet gained by the transaction, to
/// its payer, which whoever has the wallet signs: the validator of what came to
/// its payout wallet, the platform of what came to its own. A gain is asked back
/// once; asked for again, the refunds are told again. What came by paying a
/// refund wrongly is not asked back.
#[utoipa::path(
    post,
    path = "/v1/admin/strays/{signature}/refunds",
    operation_id = "refundStray",
    tag = "Administration",
    params((
        "signature" = String, Path,
        description = "The transaction.",
        example = "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW",
    )),
    responses(
        (status = 200, description = "What is owed.", body = Data<Vec<RefundBody>>),
        RefundStrayRefusals,
    ),
)]
async fn refund_stray(
    State(market): State<MarketplaceState>,
    Acting(user): Acting,
    Segment(signature): Segment,
    _: NoBody,
) -> Result<Response, Problem> {
    let none = || Problem::plain(Slug::NotFound);
    let signature = signature.parse().map_err(|_| none())?;
    let owed = market.leasing().strays.refund(&user, signature).await;
    let refused = |error| match error {
        StrayRefundError::NotStaff => Problem::new(Slug::Forbidden, "this needs the role staff"),
        StrayRefundError::NotFound => none(),
    };
    let owed = owed.map_err(|error| Problem::of(error, refused))?;
    let bodies = owed.iter().map(|refund| market.refund_body(refund));
    Ok(data::ok(bodies.collect::<Vec<_>>()))
}
