//! What happened to a lease.

use super::{
    MarketplaceState, Problem,
    audit_log::AuditBody,
    catalog::Slug,
    data::{self, List, Part},
    gate::Member,
    lease_path::LeasePath,
    query::QueryKeys,
    refusals::refusals,
    segment::Segment,
};
use axum::{extract::State, response::Response};
use leasing::Asker;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 1] {
    [routes!(lease_events)]
}

/// Which part of it.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
struct EventsQuery {
    /// At most so many.
    #[param(value_type = Option<u16>, minimum = 1, maximum = 50, default = 20, example = 20)]
    limit: Vec<String>,
    /// `meta.next_cursor` of the page before.
    #[param(value_type = Option<String>, example = "ATAxS0EwWEo4UUczVjFCN1o1TjlEMlQ2TTRS")]
    cursor: Vec<String>,
}

refusals!(EventsRefusals: [MEMBER, KEPT], [
    InvalidLimit, InvalidCursor, LeaseNotFound,
]);

/// Events of a lease
///
/// What happened to it, by the audit log, the newest first: for the trader who booked
/// it, the validator's owner and staff.
#[utoipa::path(
    get,
    path = "/v1/leases/{id}/events",
    operation_id = "leaseEvents",
    tag = "Leases",
    params(LeasePath, EventsQuery),
    responses(
        (status = 200, description = "The rows.", body = List<AuditBody>),
        EventsRefusals,
    ),
)]
async fn lease_events(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    segment: Segment,
    QueryKeys(query): QueryKeys<EventsQuery>,
) -> Result<Response, Problem> {
    let scope = format!("events of {}", segment.0);
    let part = Part::read(&query.limit, &query.cursor, scope, market.cursors())?;
    let id = segment.id(Slug::LeaseNotFound)?;
    let lease = market.leasing().leases.find(id, Asker::User(user.party()));
    let lease = lease.await?;
    lease.ok_or_else(|| Problem::plain(Slug::LeaseNotFound))?;
    let log = &market.leasing().audit_log;
    let page = log.of_lease(id, part.after, part.limit).await?;
    let text = part.write(&page, market.cursors(), |row| AuditBody::from(row));
    Ok(data::written(text))
}
