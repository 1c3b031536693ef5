//! Refunds: what is owed to people who paid.

use super::{
    MarketplaceState, Problem,
    catalog::Slug,
    data::{self, List, Part},
    gate::Member,
    query::{QueryKeys, one},
    refusals::refusals,
};
use axum::{extract::State, response::Response};
use leasing::{PaymentStatus, Refund, RefundStage, format_sol};
use primitives::Lamports;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 1] {
    [routes!(list_refunds)]
}

/// What is owed to somebody who paid for a lease.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Refund)]
pub(super) struct RefundBody {
    /// A ULID.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    id: String,
    /// The lease's `public_id`.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    lease_id: String,
    /// The transaction that brought what is given back, if it paid for nothing;
    /// null if it paid for epochs that cannot be had.
    #[schema(required)]
    stray_signature: Option<String>,
    /// Who owes it: `validator`, of its share, or `platform`, of its fee.
    #[schema(example = "validator")]
    debtor: &'static str,
    /// The wallet that got the money. It may be paid back from any.
    #[schema(example = "7Kq2mYvKQ2Xv3LwqjPz6yYw1g9oM4n8J7d2c5b6a3XyZ")]
    debtor_wallet: String,
    /// The wallet that paid, and is owed.
    #[schema(example = "4Nd1mYvKQ2Xv3LwqjPz6yYw1g9oM4n8J7d2c5b6a3XyZ")]
    creditor_wallet: String,
    /// How much.
    #[schema(value_type = u64, example = 1_425_000_000)]
    amount_lamports: Lamports,
    /// The same in SOL, exactly.
    #[schema(example = "1.425")]
    amount_sol: String,
    /// `open`, or `settled` once it is paid.
    #[schema(example = "open")]
    status: &'static str,
    /// Names the refund, in the link and on the chain.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    memo: String,
    /// A Solana Pay transaction request for whoever owes it; null once it is
    /// paid.
    #[schema(
        required,
        example = "solana:https://lease.example/v1/chain-pay/01KA0XJ8QG3V1B7Z5N9D2T6M4R"
    )]
    solana_pay_url: Option<String>,
    /// The transaction that paid it.
    #[schema(required)]
    settled_signature: Option<String>,
    /// Since when it is owed.
    #[schema(format = DateTime, example = "2026-01-31T12:00:00Z")]
    created_at: String,
}

impl MarketplaceState {
    pub(super) fn refund_body(&self, refund: &Refund) -> RefundBody {
        let memo = refund.payment.memo();
        let is_open = refund.stage == RefundStage::Open;
        let receipt = refund.stage.receipt();
        RefundBody {
            id: refund.id.to_string(),
            lease_id: refund.lease.to_string(),
            stray_signature: refund.stray.map(|signature| signature.to_string()),
            debtor: refund.debtor.as_str(),
            debtor_wallet: refund.owing.to_string(),
            creditor_wallet: refund.creditor().to_string(),
            amount_lamports: refund.amount(),
            amount_sol: format_sol(refund.amount()),
            status: refund.stage.payment_status().as_str(),
            memo: memo.to_string(),
            solana_pay_url: is_open.then(|| self.pay_url(memo)),
            settled_signature: receipt.map(|receipt| receipt.signature.to_string()),
            created_at: refund.created_at.to_string(),
        }
    }
}

/// Which refunds are looked for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
struct RefundsQuery {
    /// `open` or `settled`.
    #[param(value_type = Option<String>, pattern = "^(open|settled)$", example = "open")]
    status: Vec<String>,
    /// At most so many.
    #[param(value_type = Option<u16>, minimum = 1, maximum = 50, default = 20, example = 20)]
    limit: Vec<String>,
    /// `meta.next_cursor` of the page before.
    #[param(value_type = Option<String>, example = "ATAxS0EwWEo4UUczVjFCN1o1TjlEMlQ2TTRS")]
    cursor: Vec<String>,
}

refusals!(RefundsRefusals: [MEMBER, KEPT], [InvalidLimit, InvalidCursor, MalformedRequest]);

/// List refunds that are owed
///
/// By the caller's validators; for staff, by anybody, the platform included. The
/// newest first. Those of one lease are shown with it, to its trader too.
#[utoipa::path(
    get,
    path = "/v1/refunds",
    operation_id = "listRefunds",
    tag = "Payment",
    params(RefundsQuery),
    responses(
        (status = 200, description = "The refunds.", body = List<RefundBody>),
        RefundsRefusals,
    ),
)]
async fn list_refunds(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    QueryKeys(query): QueryKeys<RefundsQuery>,
) -> Result<Response, Problem> {
    let (malformed, must) = (Slug::MalformedRequest, "open or settled");
    let status: Option<PaymentStatus> = one("status", &query.status, malformed, must)?;
    let is_known = |status| matches!(status, PaymentStatus::Open | PaymentStatus::Settled);
    if !status.is_none_or(is_known) {
        return Err(Problem::new(malformed, format!("status must be {must}")));
    }
    let scope = format!("refunds for {} {status:?}", user.id);
    let part = Part::read(&query.limit, &query.cursor, scope, market.cursors())?;
    let refunds = &market.leasing().refunds;
    let page = refunds
        .owed_by(&user, status, part.after, part.limit)
        .await?;
    let text = part.write(&page, market.cursors(), |refund| market.refund_body(refund));
    Ok(data::written(text))
}
