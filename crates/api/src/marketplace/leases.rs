//! Leases: booking, looking, giving up.

use super::{
    MarketplaceState, Problem,
    body::NoBody,
    catalog::Slug,
    data::{self, Data, List, Part},
    fields::Fields,
    gate::{Holder, Member},
    idempotency,
    lease_body::{BookedBody, LeaseBody, LeaseDetailBody},
    lease_path::{IdempotencyHeader, LeasePath},
    query::{QueryKeys, one},
    refusals::refusals,
    segment::Segment,
};
use crate::http::json::JsonText;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};
use leasing::{BookError, Booking, CancelError, EpochWindow, LeaseState, Mode, WindowError};
use primitives::Ulid;
use serde::Deserialize;
use services::{Fault, leasing::LeaseFilter};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 3] {
    [
        routes!(book_lease, list_leases),
        routes!(lease),
        routes!(cancel_lease),
    ]
}

/// What a trader wants.
#[derive(ToSchema)]
#[schema(as = BookingRequest)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only describes the body, which is read in place")]
struct BookingWish {
    /// The validator's `public_id`.
    #[schema(example = "01KA0XHZ2S8Q6N4C1W7E5R3T9Y")]
    validator_id: String,
    /// The first epoch. Past epochs are accepted.
    #[schema(example = 801)]
    epoch_start: i32,
    /// How many epochs.
    #[schema(minimum = 1, maximum = 30, example = 2)]
    epoch_count: i32,
    /// `exclusive` (the default) or `shared`.
    #[schema(default = "exclusive", example = "exclusive")]
    mode: Option<String>,
}

const BOOKING: [&str; 4] = ["validator_id", "epoch_start", "epoch_count", "mode"];

fn read_booking(text: &JsonText) -> Result<Booking, Problem> {
    let fields = Fields::read(text, Slug::MalformedRequest)?.only(&BOOKING)?;
    let validator = fields.parsed("validator_id")?;
    let (start, count) = (fields.number("epoch_start")?, fields.number("epoch_count")?);
    let mode = match fields.text("mode")?.as_deref() {
        None | Some("exclusive") => Mode::Exclusive,
        Some("shared") => Mode::Shared,
        Some(_) => {
            let told = "mode must be exclusive or shared";
            return Err(Problem::new(Slug::MalformedRequest, told));
        }
    };
    Ok(Booking {
        validator,
        window: window(start, count)?,
        mode,
    })
}

/// A number that is not whole, or too long for 64 bits, is out of range too.
fn window(start: &str, count: &str) -> Result<EpochWindow, Problem> {
    let wrong = |error: WindowError| {
        let slug = match error {
            WindowError::Start => Slug::InvalidEpochStart,
            WindowError::Count => Slug::InvalidEpochCount,
            WindowError::Range => Slug::InvalidEpochRange,
        };
        Problem::new(slug, error.to_string())
    };
    let start = start.parse().map_err(|_| wrong(WindowError::Start))?;
    // The first epoch is looked at before the number of epochs.
    let count = count.parse().unwrap_or(0);
    EpochWindow::new(start, count).map_err(wrong)
}

fn not_booked(error: BookError) -> Problem {
    match error {
        BookError::ValidatorNotFound => Problem::plain(Slug::ValidatorNotFound),
        BookError::Forbidden => Problem::new(Slug::Forbidden, "booking needs the role trader"),
        BookError::OwnValidator => Problem::plain(Slug::CannotLeaseOwnValidator),
        BookError::SharedNotOffered => Problem::plain(Slug::SharedNotOffered),
        BookError::TotalOverflow => Problem::plain(Slug::LeaseTotalOverflow),
        // The operator's doing, not the caller's.
        BookError::Unpayable(error) => Fault::Unpayable(error).into(),
        BookError::TooManyUnpaid { limit } => {
            let told = format!("{limit} of your bookings wait for their payment");
            Problem::new(Slug::TooManyUnpaidBookings, told).with("limit", limit)
        }
        BookError::SlotTaken { lease } => Problem::slot_taken(lease),
        BookError::SharedFull { first_full_epoch } => Problem::no_seat(first_full_epoch),
    }
}

impl Problem {
    /// Somebody has some of the epochs.
    pub(super) fn slot_taken(lease: Option<Ulid>) -> Self {
        let problem = Self::new(Slug::LeaseSlotTaken, "some of the epochs are taken");
        match lease {
            Some(id) => problem.with("conflicting_lease_id", id.to_string()),
            None => problem,
        }
    }

    /// In some epoch no seat is free.
    pub(super) fn no_seat(first_full_epoch: i32) -> Self {
        let told = format!("no seat is left in epoch {first_full_epoch}");
        Self::new(Slug::SharedCapacityFull, told).with("first_full_epoch", first_full_epoch)
    }
}

refusals!(BookRefusals: [MEMBER, BODY, GUARDED, KEPT], [
    InvalidEpochStart, InvalidEpochCount, InvalidEpochRange, LeaseTotalOverflow, Forbidden,
    CannotLeaseOwnValidator, ValidatorNotFound, LeaseSlotTaken, SharedCapacityFull,
    SharedNotOffered, TooManyUnpaidBookings,
]);

/// Book a lease
///
/// Holds epochs of a validator for 15 minutes, in which the payment has to be
/// made: open `payment.solana_pay_url` with a wallet, then read the lease until
/// it is `active`, which takes as long as the chain needs to make the payment
/// final. Unpaid, it expires and its epochs are free again; a payment that comes
/// later takes them again if they are free, and is otherwise to be given back. A
/// trader may have 50 unpaid bookings, unless the operator says otherwise.
///
/// The request is guarded: sent again with the same key and the same bytes, it
/// gets the first answer for 24 hours, with `Idempotent-Replayed: true`. A
/// refusal frees the key.
#[utoipa::path(
    post,
    path = "/v1/leases",
    operation_id = "bookLease",
    tag = "Leases",
    params(IdempotencyHeader),
    request_body = BookingWish,
    responses(
        (status = 201, description = "The lease, which waits for its payment.", body = Data<BookedBody>),
        BookRefusals,
    ),
)]
async fn book_lease(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    request: Request,
) -> Result<Response, Problem> {
    let book = async |booking: Booking, guard| {
        let render =
            |booked: &_| idempotency::answer(StatusCode::CREATED, market.booked_body(booked));
        let booked = market
            .leasing()
            .leases
            .book(&user, &booking, guard, render)
            .await;
        let (_, answer) = booked.map_err(|error| Problem::of(error, not_booked))?;
        Ok(answer)
    };
    idempotency::once(&market, &user, request, read_booking, book).await
}

/// Which leases are looked for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
struct LeasesQuery {
    /// Leases in this state: `pending_payment`, `active`, `revoked`, `completed` or
    /// `expired`.
    #[param(value_type = Option<String>, example = "active")]
    state: Vec<String>,
    /// Of this validator, by its `public_id`.
    #[param(value_type = Option<String>, example = "01KA0XHZ2S8Q6N4C1W7E5R3T9Y")]
    validator_id: Vec<String>,
    /// At most so many.
    #[param(value_type = Option<u16>, minimum = 1, maximum = 50, default = 20, example = 20)]
    limit: Vec<String>,
    /// `meta.next_cursor` of the page before.
    #[param(value_type = Option<String>, example = "ATAxS0EwWEo4UUczVjFCN1o1TjlEMlQ2TTRS")]
    cursor: Vec<String>,
}

/// The state that is looked for.
pub(super) fn lease_state(values: &[String]) -> Result<Option<LeaseState>, Problem> {
    let must = "pending_payment, active, revoked, completed or expired";
    one("state", values, Slug::MalformedRequest, must)
}

refusals!(ListRefusals: [MEMBER, KEPT], [InvalidLimit, InvalidCursor, MalformedRequest]);

/// List my leases
///
/// Those that the caller booked, the newest first.
#[utoipa::path(
    get,
    path = "/v1/leases",
    operation_id = "listLeases",
    tag = "Leases",
    params(LeasesQuery),
    responses(
        (status = 200, description = "The leases.", body = List<LeaseBody>),
        ListRefusals,
    ),
)]
async fn list_leases(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    QueryKeys(query): QueryKeys<LeasesQuery>,
) -> Result<Response, Problem> {
    let state = lease_state(&query.state)?;
    let malformed = Slug::MalformedRequest;
    let validator: Option<Ulid> = one("validator_id", &query.validator_id, malformed, "a ULID")?;
    let filter = LeaseFilter { state, validator };
    let scope = format!("leases by {} {filter:?}", user.id);
    let part = Part::read(&query.limit, &query.cursor, scope, market.cursors())?;
    let page = market
        .leasing()
        .leases
        .by_trader(user.id, filter, part.after, part.limit)
        .await?;
    let text = part.write(&page, market.cursors(), |lease| market.lease_body(lease));
    Ok(data::written(text))
}

refusals!(LeaseRefusals: [MEMBER, KEPT], [LeaseNotFound]);

/// Get a lease
///
/// For the trader who booked it, its key, the validator's owner and staff. With
/// its extensions, the money that came for it and was not taken, and what is owed
/// to whoever paid.
#[utoipa::path(
    get,
    path = "/v1/leases/{id}",
    operation_id = "lease",
    tag = "Leases",
    params(LeasePath),
    responses(
        (status = 200, description = "The lease.", body = Data<LeaseDetailBody>),
        LeaseRefusals,
    ),
)]
async fn lease(
    State(market): State<MarketplaceState>,
    Holder(asker): Holder,
    segment: Segment,
) -> Result<Response, Problem> {
    let id = segment.id(Slug::LeaseNotFound)?;
    let lease = market.leasing().leases.find(id, asker).await?;
    let lease = lease.ok_or_else(|| Problem::plain(Slug::LeaseNotFound))?;
    Ok(data::ok(market.lease_detail(&lease)))
}

refusals!(CancelRefusals: [MEMBER, BODY, KEPT], [Forbidden, LeaseNotFound, LeaseNotActive]);

/// Cancel a booking
///
/// Ends a lease that waits for its payment. Its epochs are free at once, and no
/// wallet gets its transaction any more. That is final: a transaction that a
/// wallet got before and sends all the same does not revive the lease; what it
/// paid is shown with it, in `strays`, to be given back.
#[utoipa::path(
    post,
    path = "/v1/leases/{id}/cancel",
    operation_id = "cancelLease",
    tag = "Leases",
    params(LeasePath),
    responses(
        (status = 200, description = "The lease, expired.", body = Data<LeaseBody>),
        CancelRefusals,
    ),
)]
async fn cancel_lease(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    segment: Segment,
    _: NoBody,
) -> Result<Response, Problem> {
    let id = segment.id(Slug::LeaseNotFound)?;
    let cancelled = market.leasing().leases.cancel(&user, id).await;
    let lease = cancelled.map_err(|error| Problem::of(error, not_cancelled))?;
    Ok(data::ok(market.lease_body(&lease)))
}

fn not_cancelled(error: CancelError) -> Problem {
    match error {
        CancelError::NotFound => Problem::plain(Slug::LeaseNotFound),
        CancelError::Forbidden => Problem::plain(Slug::Forbidden),
        CancelError::NotPending(state) => {
            let told = format!(
                "the lease is {state}; only one that waits for its payment can be given up"
            );
            Problem::new(Slug::LeaseNotActive, told)
        }
    }
}
