//! What happens to leases, as it happens. `EventSource` sends no credentials, so
//! that a stream is opened with a ticket, which is got with them.

use super::{
    MarketplaceState, Problem,
    body::NoBody,
    catalog::Slug,
    data::{self, Data},
    gate::{Anyone, Member},
    query::{QueryKeys, one},
    refusals::refusals,
};
use crate::http::event_stream::{self, StreamEvent};
use axum::{extract::State, http::request::Parts, response::Response};
use futures_util::{StreamExt, stream};
use primitives::{OrImpossible as _, Ulid};
use serde::{Deserialize, Serialize};
use services::leasing::{LeaseEvent, LeaseNews};
use std::time::Duration;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::UtoipaMethodRouter, routes};

/// How long a stream goes on: who opened it may have lost their rights meanwhile.
const LIFE: Duration = Duration::from_hours(1);

/// How long to wait after a failure of ours.
const PAUSE: Duration = Duration::from_secs(1);

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 2] {
    [routes!(create_stream_ticket), routes!(lease_stream)]
}

/// What opens a stream.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StreamTicket)]
#[serde(rename_all = "camelCase")]
struct TicketBody {
    /// Shown once, used once.
    #[schema(example = "st_k3j9x2qr_0J3v6Yk1m5D3P7K9F2J4G6B8V0n8J7d2c5b6a3XyZw1")]
    ticket: String,
    /// Until when it can be used.
    #[schema(format = DateTime, example = "2026-01-31T12:00:30Z")]
    expires_at: String,
}

refusals!(TicketRefusals: [MEMBER, BODY, KEPT], []);

/// Get a ticket for a stream
///
/// It opens `GET /v1/stream` once, within 30 seconds, at any replica.
#[utoipa::path(
    post,
    path = "/v1/stream-tickets",
    operation_id = "createStreamTicket",
    tag = "Streams",
    responses(
        (status = 201, description = "The ticket.", body = Data<TicketBody>),
        TicketRefusals,
    ),
)]
async fn create_stream_ticket(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    _: NoBody,
) -> Result<Response, Problem> {
    let ticket = market.leasing().news.ticket(user.id).await?;
    Ok(data::created(TicketBody {
        ticket: ticket.text,
        expires_at: ticket.expires_at.to_string(),
    }))
}

/// How a stream is opened.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct LeaseStreamQuery {
    /// From `POST /v1/stream-tickets`.
    #[param(value_type = String, required = true, example = "st_k3j9x2qr_0J3v6Yk1m5D3P7K9F2J4G6B8V0n8J7d2c5b6a3XyZw1")]
    ticket: Vec<String>,
    /// The id of the last event that the client got, where the header `Last-Event-ID`
    /// cannot be sent; the header goes before it. Otherwise the stream begins with what
    /// happens from now on.
    #[param(value_type = Option<u64>, example = 4_711)]
    last_event_id: Vec<String>,
}

/// `lease`: something happened to a lease that the caller may see.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct LeaseEventBody {
    /// The lease's `public_id`.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    lease_id: String,
    /// What happened, in the words of webhooks.
    #[schema(example = "lease.activated")]
    event: &'static str,
    /// Its place in the audit log's chain, which is the event's id too.
    #[schema(example = 4_711)]
    sequence: u64,
    /// When.
    #[schema(format = DateTime, example = "2026-01-31T12:00:00Z")]
    at: String,
}

impl From<&LeaseEvent> for LeaseEventBody {
    fn from(event: &LeaseEvent) -> Self {
        Self {
            lease_id: event.lease.to_string(),
            event: event.event.as_str(),
            sequence: event.position,
            at: event.at.to_string(),
        }
    }
}

refusals!(StreamRefusals: [COUNTED, KEPT], [AuthRequired]);

/// What happens to leases, as it happens
///
/// Server-sent events of the name `lease`: what webhooks are told, of the leases that
/// the ticket's user may see, which for staff are all. Each has an `id` to go on from.
/// A stream ends after an hour; a new ticket opens the next one.
#[utoipa::path(
    get,
    path = "/v1/stream",
    operation_id = "leaseStream",
    tag = "Streams",
    params(LeaseStreamQuery),
    security(()),
    responses(
        (
            status = 200, description = "The events.",
            body = LeaseEventBody, content_type = "text/event-stream",
        ),
        StreamRefusals,
    ),
)]
async fn lease_stream(
    State(market): State<MarketplaceState>,
    _: Anyone,
    QueryKeys(query): QueryKeys<LeaseStreamQuery>,
    request: Parts,
) -> Result<Response, Problem> {
    let malformed = Slug::MalformedRequest;
    let ticket: Option<String> = one("ticket", &query.ticket, malformed, "a ticket")?;
    let said = event_stream::last_event_id(&request.headers).and_then(|id| id.parse().ok());
    let place = one(
        "lastEventId",
        &query.last_event_id,
        malformed,
        "an event's id",
    )?;
    let seat = market.streams().admit(&request)?;
    let news = &market.leasing().news;
    let user = news.redeem(&ticket.unwrap_or_default()).await?;
    let user = user.ok_or_else(|| {
        let told = "the ticket is none, was used, or is over; get another one";
        Problem::new(Slug::AuthRequired, told)
    })?;
    let newest = news.newest().await?;
    let listener = Listener {
        news: news.clone(),
        user,
        position: said.or(place).unwrap_or(newest).min(newest),
    };
    let events = stream::unfold(listener, Listener::next);
    let events = events.take_until(tokio::time::sleep(LIFE));
    Ok(event_stream::answer(events, seat))
}

/// One open stream.
struct Listener {
    news: LeaseNews,
    user: Ulid,
    position: u64,
}

impl Listener {
    /// Waits until there is something to tell.
    async fn next(mut self) -> Option<(Vec<StreamEvent>, Self)> {
        loop {
            match self.news.next(self.user, self.position).await {
                Ok(page) => {
                    let page = page?;
                    self.position = page.position;
                    let events: Option<Vec<_>> = page.events.iter().map(written).collect();
                    let events = events?;
                    if !events.is_empty() {
                        return Some((events, self));
                    }
                }
                Err(fault) => {
                    tracing::warn!(error = fault.chain_text(), "cannot tell of leases");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }
}

fn written(event: &LeaseEvent) -> Option<StreamEvent> {
    let data = serde_json::to_string(&LeaseEventBody::from(event));
    let data = data
        .or_impossible("texts and numbers can be written")
        .ok()?;
    Some(StreamEvent {
        id: event.position.to_string(),
        name: "lease",
        data,
    })
}
