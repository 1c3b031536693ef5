//! Paying with a wallet: Solana Pay's transaction requests.
//!
//! Wallets have no credentials. The answer to their GET is the same for every
//! memo, real or not; their POST is answered with a transaction to sign. Fields
//! that they add are ignored.

use super::{
    MarketplaceState, Problem, body::Body, catalog::Slug, fields::Fields, gate::Anyone,
    refusals::refusals, segment::Segment,
};
use crate::http::{error::shown, json_answer::Json};
use axum::{
    Router,
    extract::State,
    http::header::{CACHE_CONTROL, CONTENT_TYPE},
    response::{IntoResponse, Response},
    routing::get,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use primitives::PublicKey;
use serde::Serialize;
use services::leasing::PayError;
use utoipa::ToSchema;
use utoipa_axum::{router::UtoipaMethodRouter, routes};

const ICON: &str = include_str!("icon.svg");
const ICON_PATH: &str = "/icons/lease.svg";

/// It changes with a release.
const ICON_KEPT: &str = "public, max-age=86400";

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 1] {
    [routes!(payment_request, payment_transaction)]
}

/// The same under the name that the protocol has among people.
pub(super) fn alias() -> Router<MarketplaceState> {
    let both = get(payment_request).post(payment_transaction);
    Router::new().route("/v1/solana-pay/{memo}", both)
}

pub(super) fn icon() -> Router<MarketplaceState> {
    let headers = [(CONTENT_TYPE, "image/svg+xml"), (CACHE_CONTROL, ICON_KEPT)];
    Router::new().route(ICON_PATH, get(move || async move { (headers, ICON) }))
}

/// Who asks for money.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PaymentRequest)]
struct RequestBody<'a> {
    /// What wallets show as the payee.
    #[schema(example = "Stoa validator leases")]
    label: &'a str,
    /// The address of a picture.
    #[schema(example = "https://lease.example/icons/lease.svg")]
    icon: String,
}

refusals!(RequestRefusals: [COUNTED], []);

/// Solana Pay: label and icon
///
/// The same answer for every memo, whether it can be paid or not. Flat, as
/// Solana Pay wants it; also at `/v1/solana-pay/{memo}`.
#[utoipa::path(
    get,
    path = "/v1/chain-pay/{memo}",
    operation_id = "paymentRequest",
    tag = "Payment",
    security(()),
    params((
        "memo" = String, Path,
        description = "The payment's memo.",
        example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R",
    )),
    responses(
        (status = 200, description = "The payee.", body = RequestBody<'_>),
        RequestRefusals,
    ),
)]
async fn payment_request(State(market): State<MarketplaceState>, _: Anyone) -> Response {
    let body = RequestBody {
        label: market.label(),
        icon: format!("{}{ICON_PATH}", market.base_url()),
    };
    Json(body).into_response()
}

/// Who pays.
#[derive(ToSchema)]
#[schema(as = PaymentAccount)]
#[expect(dead_code, reason = "only describes the body, which is read in place")]
struct AccountWish {
    /// The payer's public key in base58.
    #[schema(example = "4Nd1mYvKQ2Xv3LwqjPz6yYw1g9oM4n8J7d2c5b6a3XyZ")]
    account: String,
}

/// A transaction to sign and send.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PaymentTransaction)]
struct TransactionBody {
    /// The unsigned transaction in base64: the memo, and a transfer to each of
    /// the validator and the platform, or one to whoever is owed a refund.
    transaction: String,
    /// What is paid, for the payer to read.
    #[schema(example = "Harbour, epochs 801 to 802: 3 SOL")]
    message: String,
}

refusals!(TransactionRefusals: [COUNTED, BODY, KEPT], [
    ChainPayMemoNotFound, PayerIsPayoutWallet, InvalidAccount, PaymentBelowRent,
    ChainRpcUnavailable,
]);

/// Solana Pay: payment transaction
///
/// A legacy transaction for the payer to sign: it pays validator and platform
/// at once, or a refund, and carries the memo. A refund may be paid from any
/// account but the one that is owed, for as long as it is open. Refusals have a `message` beside the other
/// members, a sentence for people, which wallets show. Fields that wallets add are ignored. Flat, as
/// Solana Pay wants it; also at `/v1/solana-pay/{memo}`.
#[utoipa::path(
    post,
    path = "/v1/chain-pay/{memo}",
    operation_id = "paymentTransaction",
    tag = "Payment",
    security(()),
    params((
        "memo" = String, Path,
        description = "The payment's memo.",
        example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R",
    )),
    request_body = AccountWish,
    responses(
        (status = 200, description = "The transaction.", body = TransactionBody),
        TransactionRefusals,
    ),
)]
async fn payment_transaction(
    State(market): State<MarketplaceState>,
    _: Anyone,
    Segment(memo): Segment,
    Body(text): Body,
) -> Result<Response, Problem> {
    let fields = Fields::read(&text, Slug::MalformedRequest)?;
    let account = account(&fields.required("account")?)?;
    let unsigned = market.leasing().payments.transaction(&memo, account).await;
    let unsigned = unsigned.map_err(|error| Problem::of(error, not_payable))?;
    let body = TransactionBody {
        transaction: STANDARD.encode(unsigned.transaction),
        message: unsigned.message,
    };
    Ok(Json(body).into_response())
}

fn account(text: &str) -> Result<PublicKey, Problem> {
    text.parse().map_err(|error| {
        let told = format!("the account {} {error}", shown(text));
        Problem::new(Slug::InvalidAccount, told)
    })
}

fn not_payable(error: PayError) -> Problem {
    match error {
        PayError::MemoNotFound => Problem::plain(Slug::ChainPayMemoNotFound),
        PayError::InvalidAccount => {
            let told = "this account cannot pay: it is the platform's wallet or a program";
            Problem::new(Slug::InvalidAccount, told)
        }
        PayError::PayerIsPayoutWallet => Problem::plain(Slug::PayerIsPayoutWallet),
        PayError::PayerIsCreditor => {
            let told = "this account is owed the refund: somebody else is to pay it";
            Problem::new(Slug::InvalidAccount, told)
        }
        PayError::WalletBelowRent(lack) => {
            let told = format!(
                "{} must hold {} lamports more before it can be paid this little",
                lack.wallet, lack.missing
            );
            Problem::new(Slug::PaymentBelowRent, told)
        }
    }
}
