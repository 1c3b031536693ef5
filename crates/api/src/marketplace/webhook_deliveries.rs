//! What was sent to webhooks, or is to be.

use super::{
    MarketplaceState, Problem,
    body::NoBody,
    catalog::Slug,
    data::{self, Data, List, Part},
    gate::Member,
    query::{QueryKeys, one},
    refusals::refusals,
    segment::{Segment, TwoSegments},
    webhooks::refused,
};
use axum::{extract::State, response::Response};
use leasing::{DeliveryProblem, DeliveryStatus};
use serde::{Deserialize, Serialize};
use services::leasing::DeliveryRow;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 3] {
    [
        routes!(list_deliveries),
        routes!(test_webhook),
        routes!(redeliver),
    ]
}

/// Something that was sent to a webhook, or is to be.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookDelivery)]
struct DeliveryBody {
    /// A ULID.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    public_id: String,
    /// The `webhook-id` and the body's `id`: the same however often it is sent.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    event_id: String,
    /// What it tells of.
    #[schema(example = "lease.activated")]
    r#type: &'static str,
    /// `pending`, `delivered` or `failed`.
    #[schema(example = "delivered")]
    status: &'static str,
    /// How often it was tried since it was last asked for.
    #[schema(example = 1)]
    attempts: u32,
    /// When it was tried last.
    #[schema(required, format = DateTime, example = "2026-01-31T12:00:00Z")]
    last_attempt_at: Option<String>,
    /// The status of the last answer; null if there was none.
    #[schema(required, example = 200)]
    last_status: Option<u16>,
    /// Why the last attempt failed: `status`, `timeout`, `unreachable`,
    /// `address_refused`, `endpoint_disabled`; null if it did not.
    #[schema(required, example = "timeout")]
    last_problem: Option<&'static str>,
    /// When it is tried next at the earliest; null once it has ended.
    #[schema(required, format = DateTime, example = "2026-01-31T12:00:10Z")]
    next_attempt_at: Option<String>,
    /// Since when.
    #[schema(format = DateTime, example = "2026-01-31T12:00:00Z")]
    created_at: String,
    /// The body, as it is sent.
    #[schema(example = "{\"id\":\"01KA0XJ8QG3V1B7Z5N9D2T6M4R\",\"type\":\"webhook.test\"}")]
    body: String,
}

impl From<&DeliveryRow> for DeliveryBody {
    fn from(row: &DeliveryRow) -> Self {
        Self {
            public_id: row.id.to_string(),
            event_id: row.event_id.to_string(),
            r#type: row.event.as_str(),
            status: row.status.as_str(),
            attempts: row.attempts,
            last_attempt_at: row.tried_at.map(|at| at.to_string()),
            last_status: row.answer,
            last_problem: row.problem.map(DeliveryProblem::as_str),
            next_attempt_at: row.due_at.map(|at| at.to_string()),
            created_at: row.created_at.to_string(),
            body: row.body.clone(),
        }
    }
}

/// Which deliveries are looked for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
struct DeliveriesQuery {
    /// `pending`, `delivered` or `failed`.
    #[param(value_type = Option<String>, pattern = "^(pending|delivered|failed)$", example = "failed")]
    status: Vec<String>,
    /// At most so many.
    #[param(value_type = Option<u16>, minimum = 1, maximum = 50, default = 20, example = 20)]
    limit: Vec<String>,
    /// `meta.next_cursor` of the page before.
    #[param(value_type = Option<String>, example = "ATAxS0EwWEo4UUczVjFCN1o1TjlEMlQ2TTRS")]
    cursor: Vec<String>,
}

refusals!(
    DeliveriesRefusals: [MEMBER, KEPT],
    [InvalidLimit, InvalidCursor, MalformedRequest, NotFound]
);

/// List the deliveries of a webhook
///
/// The newest first. They are kept for 30 days after they ended.
#[utoipa::path(
    get,
    path = "/v1/webhooks/{id}/deliveries",
    operation_id = "listWebhookDeliveries",
    tag = "Webhooks",
    params(
        (
            "id" = String, Path,
            description = "The webhook's `public_id`.",
            example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R",
        ),
        DeliveriesQuery,
    ),
    responses(
        (status = 200, description = "The deliveries.", body = List<DeliveryBody>),
        DeliveriesRefusals,
    ),
)]
async fn list_deliveries(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    segment: Segment,
    QueryKeys(query): QueryKeys<DeliveriesQuery>,
) -> Result<Response, Problem> {
    let must = "pending, delivered or failed";
    let status: Option<DeliveryStatus> =
        one("status", &query.status, Slug::MalformedRequest, must)?;
    let scope = format!("deliveries of {} {status:?}", segment.0);
    let part = Part::read(&query.limit, &query.cursor, scope, market.cursors())?;
    let id = segment.id(Slug::NotFound)?;
    let webhooks = &market.leasing().webhooks;
    let page = webhooks
        .deliveries(&user, id, status, part.after, part.limit)
        .await;
    let page = page.map_err(|error| Problem::of(error, refused))?;
    let text = part.write(&page, market.cursors(), |row| DeliveryBody::from(row));
    Ok(data::written(text))
}

refusals!(TestRefusals: [MEMBER, BODY, KEPT], [Forbidden, NotFound]);

/// Send a test event
///
/// A delivery of the type `webhook.test`, whatever the webhook is told otherwise.
#[utoipa::path(
    post,
    path = "/v1/webhooks/{id}/test",
    operation_id = "testWebhook",
    tag = "Webhooks",
    params((
        "id" = String, Path,
        description = "The webhook's `public_id`.",
        example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R",
    )),
    responses(
        (status = 201, description = "The delivery, which is sent soon.", body = Data<DeliveryBody>),
        TestRefusals,
    ),
)]
async fn test_webhook(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    segment: Segment,
    _: NoBody,
) -> Result<Response, Problem> {
    let id = segment.id(Slug::NotFound)?;
    let row = market.leasing().webhooks.test(&user, id).await;
    let row = row.map_err(|error| Problem::of(error, refused))?;
    Ok(data::created(DeliveryBody::from(&row)))
}

refusals!(RedeliverRefusals: [MEMBER, BODY, KEPT], [Forbidden, NotFound]);

/// Redeliver an event
///
/// As it was, under the same id, with all attempts anew. One that is pending is
/// left as it is.
#[utoipa::path(
    post,
    path = "/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver",
    operation_id = "redeliverWebhookDelivery",
    tag = "Webhooks",
    params(
        (
            "id" = String, Path,
            description = "The webhook's `public_id`.",
            example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R",
        ),
        (
            "delivery_id" = String, Path,
            description = "The delivery's `public_id`.",
            example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R",
        ),
    ),
    responses(
        (status = 200, description = "The delivery, which is sent soon.", body = Data<DeliveryBody>),
        RedeliverRefusals,
    ),
)]
async fn redeliver(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    segments: TwoSegments,
    _: NoBody,
) -> Result<Response, Problem> {
    let (id, delivery) = segments.ids(Slug::NotFound, Slug::NotFound)?;
    let row = market
        .leasing()
        .webhooks
        .redeliver(&user, id, delivery)
        .await;
    let row = row.map_err(|error| Problem::of(error, refused))?;
    Ok(data::ok(DeliveryBody::from(&row)))
}
