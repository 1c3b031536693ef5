//! Extending leases.

use super::{
    MarketplaceState, Problem,
    catalog::Slug,
    data::Data,
    fields::Fields,
    gate::Member,
    idempotency,
    lease_path::{IdempotencyHeader, LeasePath},
    link::Warning,
    payment_body::PaymentBody,
    refusals::refusals,
    segment::Segment,
};
use crate::http::json::JsonText;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};
use leasing::{EpochWindow, ExtendError, Extension, ExtensionStage, WindowError};
use primitives::Lamports;
use serde::Serialize;
use services::{Fault, leasing::ExtensionWish};
use utoipa::ToSchema;
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 1] {
    [routes!(extend_lease)]
}

/// Further epochs of a lease.
#[derive(ToSchema)]
#[schema(as = ExtensionRequest)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only describes the body, which is read in place")]
struct ExtendWish {
    /// How many epochs, right after the last one. A lease has 30 at most in all.
    #[schema(minimum = 1, maximum = 30, example = 2)]
    epoch_count: i32,
}

fn read_count(text: &JsonText) -> Result<i32, Problem> {
    let fields = Fields::read(text, Slug::MalformedRequest)?.only(&["epoch_count"])?;
    let count = fields.number("epoch_count")?.parse().ok();
    let count = count.filter(|count| (1..=EpochWindow::MAX_COUNT).contains(count));
    count.ok_or_else(|| Problem::new(Slug::InvalidEpochCount, WindowError::Count.to_string()))
}

/// An extension of a lease.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Extension)]
pub(super) struct ExtensionBody {
    /// A ULID.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    id: String,
    /// `open` while it waits for its payment and holds its epochs, `settled` once
    /// the lease has them; `expired` if nobody paid in time, `void` if the lease
    /// ended before, `orphaned` if the payment came when the epochs could no
    /// longer be had.
    #[schema(example = "open")]
    status: &'static str,
    /// Its first epoch, the one after the lease's last.
    #[schema(example = 803)]
    epoch_from: i32,
    /// The epoch after its last.
    #[schema(example = 805)]
    epoch_to: i32,
    /// The price of one epoch when it was asked for.
    #[schema(value_type = u64, example = 1_600_000_000)]
    price_lamports: Lamports,
    /// What all of them cost.
    #[schema(value_type = u64, example = 3_200_000_000_u64)]
    total_lamports: Lamports,
    /// What is to be paid; null unless it is open.
    #[schema(required)]
    payment: Option<PaymentBody>,
    /// The transaction that was taken for its payment.
    #[schema(required)]
    settled_signature: Option<String>,
    /// When it was asked for.
    #[schema(format = DateTime, example = "2026-01-31T12:00:00Z")]
    created_at: String,
}

/// An extension that was just asked for.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ExtendedLease)]
struct ExtendedBody {
    /// The lease's `public_id`.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    lease_id: String,
    /// The epochs that are held for the lease until they are paid.
    extension: ExtensionBody,
    /// What is to be paid.
    payment: PaymentBody,
    /// What the trader should know.
    warnings: Vec<Warning>,
}

impl MarketplaceState {
    pub(super) fn extension_body(&self, extension: &Extension) -> ExtensionBody {
        let (payment, stage) = (&extension.payment, &extension.stage);
        let is_open = matches!(stage, ExtensionStage::Open);
        let receipt = stage.receipt();
        ExtensionBody {
            id: extension.id.to_string(),
            status: stage.payment_status().as_str(),
            epoch_from: extension.window.start(),
            epoch_to: extension.window.end(),
            price_lamports: extension.price,
            total_lamports: payment.total(),
            payment: is_open.then(|| self.payment_body(payment, extension.pay_until)),
            settled_signature: receipt.map(|receipt| receipt.signature.to_string()),
            created_at: extension.created_at.to_string(),
        }
    }

    fn extended_body(&self, extension: &Extension) -> ExtendedBody {
        ExtendedBody {
            lease_id: extension.lease.to_string(),
            extension: self.extension_body(extension),
            payment: self.payment_body(&extension.payment, extension.pay_until),
            warnings: self.link_warning().into_iter().collect(),
        }
    }
}

refusals!(ExtendRefusals: [MEMBER, BODY, GUARDED, KEPT], [
    InvalidEpochCount, InvalidEpochRange, LeaseTotalOverflow, Forbidden, LeaseNotFound,
    ValidatorNotFound, LeaseNotActive, LeaseExpired, ExtensionExceedsCap, SharedNotOffered,
    ExtensionAlreadyPending, ExtensionRace, LeaseSlotTaken, SharedCapacityFull,
]);

/// Extend a lease
///
/// Holds the epochs after the lease's last one for 15 minutes, in which they have
/// to be paid, at the validator's current price, like a booking: open
/// `payment.solana_pay_url` with a wallet, then read the lease until its
/// `epoch_end` has moved. Unpaid, the extension lapses and its epochs are free
/// again. A lease has one unpaid extension at a time; it is not completed while
/// one can still be paid. For the trader who booked it, while it is active, its
/// epochs are not over, and the validator is listed.
///
/// Guarded like booking. Of two extensions that are asked for at once one gets
/// `extension-race`.
#[utoipa::path(
    post,
    path = "/v1/leases/{id}/extend",
    operation_id = "extendLease",
    tag = "Leases",
    params(LeasePath, IdempotencyHeader),
    request_body = ExtendWish,
    responses(
        (status = 201, description = "The extension, which waits for its payment.", body = Data<ExtendedBody>),
        ExtendRefusals,
    ),
)]
async fn extend_lease(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    segment: Segment,
    request: Request,
) -> Result<Response, Problem> {
    let leases = &market.leasing().leases;
    // Before the request waits for anybody: whoever comes first meanwhile won.
    let made_before = match segment.id(Slug::LeaseNotFound) {
        Ok(lease) => leases.extensions_made(lease).await?,
        Err(_) => 0,
    };
    // What is wrong with the body comes before what it is about.
    let read = |text: &JsonText| {
        Ok(ExtensionWish {
            count: read_count(text)?,
            lease: segment.id(Slug::LeaseNotFound)?,
            made_before,
        })
    };
    let extend = async |wish: ExtensionWish, guard| {
        let render = |extension: &Extension| {
            idempotency::answer(StatusCode::CREATED, market.extended_body(extension))
        };
        let extended = leases.extend(&user, wish, guard, render).await;
        let (_, answer) = extended.map_err(|error| Problem::of(error, not_extended))?;
        Ok(answer)
    };
    idempotency::once(&market, &user, request, read, extend).await
}

fn not_extended(error: ExtendError) -> Problem {
    match error {
        ExtendError::NotFound => Problem::plain(Slug::LeaseNotFound),
        ExtendError::Forbidden => Problem::plain(Slug::Forbidden),
        ExtendError::NotActive(state) => {
            let told = format!("the lease is {state}; only an active one can be extended");
            Problem::new(Slug::LeaseNotActive, told)
        }
        ExtendError::Over => Problem::plain(Slug::LeaseExpired),
        ExtendError::ExceedsCap => Problem::plain(Slug::ExtensionExceedsCap),
        ExtendError::Range => Problem::new(Slug::InvalidEpochRange, WindowError::Range.to_string()),
        ExtendError::NotListed => {
            let told = "the validator is not listed: nothing more can be had of it";
            Problem::new(Slug::ValidatorNotFound, told)
        }
        ExtendError::SharedNotOffered => Problem::plain(Slug::SharedNotOffered),
        ExtendError::TotalOverflow => Problem::plain(Slug::LeaseTotalOverflow),
        // The operator's doing, not the caller's.
        ExtendError::Unpayable(error) => Fault::Unpayable(error).into(),
        ExtendError::AlreadyPending => Problem::plain(Slug::ExtensionAlreadyPending),
        ExtendError::Race => Problem::plain(Slug::ExtensionRace),
        ExtendError::SlotTaken { lease } => Problem::slot_taken(lease),
        ExtendError::SharedFull { first_full_epoch } => Problem::no_seat(first_full_epoch),
    }
}
