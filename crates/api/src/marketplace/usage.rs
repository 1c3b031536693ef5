//! How much leases are used: what gateways report, and what traders see of it.

use super::{
    MarketplaceState, Problem,
    body::Body,
    catalog::Slug,
    data::{self, Data},
    fields::Fields,
    gate::{Holder, Reporter},
    refusals::refusals,
    segment::Segment,
};
use axum::{extract::State, response::Response};
use leasing::{BatchError, MAX_REPORTS, Usage, UsageReport, beginning_of_day};
use primitives::Timestamp;
use serde::Serialize;
use services::leasing::{Ingested, LeaseUsage, UsageDay, UsageError};
use utoipa::ToSchema;
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 2] {
    [routes!(report_usage), routes!(lease_usage)]
}

/// What a gateway reports.
#[derive(ToSchema)]
#[schema(as = UsageReports)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only describes the body, which is read in place")]
struct ReportsWish {
    /// At most 1024, of any leases of the validator.
    #[schema(max_items = 1024)]
    reports: Vec<ReportWish>,
}

/// The use of one lease in some time.
#[derive(ToSchema)]
#[schema(as = UsageReport)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only describes the body, which is read in place")]
struct ReportWish {
    /// A ULID of the gateway's making. A report that comes again under it does
    /// not count again.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    report_id: String,
    /// The lease's `public_id`.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    lease_id: String,
    /// From when.
    #[schema(format = DateTime, example = "2026-01-31T12:00:00Z")]
    window_start: String,
    /// Until when: later, by at most 24 hours. It may be 5 minutes ahead, and
    /// must not have begun more than 90 days ago.
    #[schema(format = DateTime, example = "2026-01-31T12:01:00Z")]
    window_end: String,
    /// Signatures that were made in that time.
    #[schema(minimum = 0, example = 420)]
    signs_delta: i64,
    /// Handshakes that failed in that time; none if it is not given.
    #[schema(minimum = 0, example = 2)]
    handshakes_failed: Option<i64>,
}

/// What became of a batch.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = UsageTaken)]
struct TakenBody {
    /// Reports that count from now on.
    #[schema(example = 1000)]
    accepted: usize,
    /// Reports that counted before, or were there twice.
    #[schema(example = 24)]
    duplicates: usize,
}

impl From<Ingested> for TakenBody {
    fn from(taken: Ingested) -> Self {
        Self {
            accepted: taken.accepted,
            duplicates: taken.duplicates,
        }
    }
}

fn report(fields: &Fields<'_>) -> Result<UsageReport, Problem> {
    let names = [
        "report_id",
        "lease_id",
        "window_start",
        "window_end",
        "signs_delta",
        "handshakes_failed",
    ];
    fields.has_only(&names)?;
    Ok(UsageReport {
        id: fields.parsed("report_id")?,
        lease: fields.parsed("lease_id")?,
        from: fields.parsed::<Timestamp>("window_start")?,
        to: fields.parsed::<Timestamp>("window_end")?,
        usage: Usage {
            signs: count(fields, "signs_delta")?,
            failed: if fields.has("handshakes_failed") {
                count(fields, "handshakes_failed")?
            } else {
                0
            },
        },
    })
}

/// A whole number that is added to a counter.
fn count(fields: &Fields<'_>, name: &str) -> Result<u64, Problem> {
    let text = fields.number(name)?;
    let digits = text.strip_prefix('-').unwrap_or(text);
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let told = format!("{name} must be a whole number, not {text}");
        return Err(Problem::new(Slug::MalformedRequest, told));
    }
    text.parse().map_err(|_| {
        let told = format!("{name} must be from 0 to {}, not {text}", i64::MAX);
        Problem::new(Slug::SignsDeltaOverflow, told)
    })
}

fn too_many(count: usize) -> Problem {
    let told = format!("there are {count} reports; a batch has at most {MAX_REPORTS}");
    Problem::new(Slug::TooManyReports, told)
}

fn not_taken(error: UsageError) -> Problem {
    match error {
        UsageError::Batch(BatchError::TooMany(count)) => too_many(count),
        UsageError::Batch(BatchError::Window(place)) => {
            let told = format!(
                "reports[{place}]: window_end must be later than window_start by at most 24 \
                 hours, at most 5 minutes ahead, and window_start at most 90 days ago"
            );
            Problem::new(Slug::MalformedRequest, told)
        }
        UsageError::Batch(BatchError::Overflow(place)) => {
            let told = format!("reports[{place}]: a count is above {}", i64::MAX);
            Problem::new(Slug::SignsDeltaOverflow, told)
        }
        UsageError::Overflow => Problem::plain(Slug::SignsDeltaOverflow),
        UsageError::LeaseNotFound(id) => {
            let told = format!("the validator has no lease {id}");
            Problem::new(Slug::LeaseNotFound, told)
        }
        UsageError::NotPaid(id, state) => {
            let told = format!("the lease {id} is {state}: it was never paid, and has no use");
            Problem::new(Slug::LeaseNotActive, told)
        }
    }
}

refusals!(ReportRefusals: [VISITOR, BODY, KEPT], [
    TooManyReports, SignsDeltaOverflow, Forbidden, LeaseNotFound, LeaseNotActive,
]);

/// Report usage
///
/// For a validator's gateway, with a service token (`sv_`): how much leases of
/// that validator were used. The whole batch is taken, or nothing of it. A
/// `report_id` counts once for a validator, whatever is sent under it again, so
/// that a batch whose answer was lost can be sent again as it is. Times of a
/// lease may overlap; each counts for the day, in UTC, that it begins in.
#[utoipa::path(
    post,
    path = "/v1/usage/reports",
    operation_id = "reportUsage",
    tag = "Usage",
    request_body = ReportsWish,
    responses(
        (status = 200, description = "What became of it.", body = Data<TakenBody>),
        ReportRefusals,
    ),
)]
async fn report_usage(
    State(market): State<MarketplaceState>,
    Reporter(validator): Reporter,
    Body(text): Body,
) -> Result<Response, Problem> {
    let fields = Fields::read(&text, Slug::MalformedRequest)?.only(&["reports"])?;
    let sent = fields.list("reports")?;
    if sent.len() > MAX_REPORTS {
        return Err(too_many(sent.len()));
    }
    let read = |(place, value)| {
        let fields = Fields::of(value, Slug::MalformedRequest);
        let read = fields.and_then(|fields| report(&fields));
        read.map_err(|problem| problem.at(format_args!("reports[{place}]")))
    };
    let reports: Vec<UsageReport> = sent
        .into_iter()
        .enumerate()
        .map(read)
        .collect::<Result<_, _>>()?;
    let taken = market.leasing().usage.ingest(validator, reports).await;
    let taken = taken.map_err(|error| Problem::of(error, not_taken))?;
    Ok(data::ok(TakenBody::from(taken)))
}

/// How much a lease was used.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LeaseUsage)]
struct UsageBody {
    /// The lease's `public_id`.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    lease_id: String,
    /// Signatures in all.
    #[schema(example = 12_000)]
    signs_total: u64,
    /// Handshakes that failed, in all.
    #[schema(example = 3)]
    handshakes_failed_total: u64,
    /// Days with reports, the latest first.
    days: Vec<DayBody>,
}

/// The use of a lease in a day.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = UsageDay)]
struct DayBody {
    /// The day, in UTC.
    #[schema(format = Date, example = "2026-01-31")]
    day: String,
    /// Signatures.
    #[schema(example = 12_000)]
    signs: u64,
    /// Handshakes that failed, as the validator's gateway counted them.
    #[schema(example = 3)]
    handshakes_failed: u64,
}

impl From<&UsageDay> for DayBody {
    fn from(row: &UsageDay) -> Self {
        let day = beginning_of_day(row.day).unwrap_or(Timestamp::UNIX_EPOCH);
        Self {
            day: day.strftime("%F").to_string(),
            signs: row.usage.signs,
            handshakes_failed: row.usage.failed,
        }
    }
}

impl From<&LeaseUsage> for UsageBody {
    fn from(usage: &LeaseUsage) -> Self {
        Self {
            lease_id: usage.lease.to_string(),
            signs_total: usage.total.signs,
            handshakes_failed_total: usage.total.failed,
            days: usage.days.iter().map(DayBody::from).collect(),
        }
    }
}

refusals!(UsageRefusals: [MEMBER, KEPT], [LeaseNotFound, Forbidden]);

/// Get a lease's usage
///
/// By the day, for whoever may look at the lease: the trader who booked it, its
/// key, the validator's owner and staff.
#[utoipa::path(
    get,
    path = "/v1/leases/{id}/usage",
    operation_id = "leaseUsage",
    tag = "Usage",
    params((
        "id" = String, Path,
        description = "The lease's `public_id`.",
        example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R",
    )),
    responses(
        (status = 200, description = "Its use.", body = Data<UsageBody>),
        UsageRefusals,
    ),
)]
async fn lease_usage(
    State(market): State<MarketplaceState>,
    Holder(asker): Holder,
    segment: Segment,
) -> Result<Response, Problem> {
    let id = segment.id(Slug::LeaseNotFound)?;
    let usage = market.leasing().usage.of_lease(id, asker).await?;
    let usage = usage.ok_or_else(|| Problem::plain(Slug::LeaseNotFound))?;
    Ok(data::ok(UsageBody::from(&usage)))
}
