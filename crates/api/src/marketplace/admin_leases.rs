//! All leases, for staff.

use super::{
    MarketplaceState, Problem,
    catalog::Slug,
    data::{self, List, Part},
    gate::Acting,
    lease_body::LeaseBody,
    leases::lease_state,
    query::{QueryKeys, one},
    refusals::refusals,
};
use axum::{extract::State, response::Response};
use primitives::Ulid;
use serde::Deserialize;
use services::leasing::{LeaseFilter, NotStaff};
use utoipa::IntoParams;
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 1] {
    [routes!(list_all_leases)]
}

/// Which leases are looked for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
struct AllLeasesQuery {
    /// Leases in this state: `pending_payment`, `active`, `revoked`, `completed` or
    /// `expired`.
    #[param(value_type = Option<String>, example = "active")]
    state: Vec<String>,
    /// Of this validator, by its `public_id`.
    #[param(value_type = Option<String>, example = "01KA0XHZ2S8Q6N4C1W7E5R3T9Y")]
    validator_id: Vec<String>,
    /// Booked by this user, by the `public_id`.
    #[param(value_type = Option<String>, example = "01KA0XH1M5D3P7K9F2J4G6B8V0")]
    trader_id: Vec<String>,
    /// At most so many.
    #[param(value_type = Option<u16>, minimum = 1, maximum = 50, default = 20, example = 20)]
    limit: Vec<String>,
    /// `meta.next_cursor` of the page before.
    #[param(value_type = Option<String>, example = "ATAxS0EwWEo4UUczVjFCN1o1TjlEMlQ2TTRS")]
    cursor: Vec<String>,
}

refusals!(AllLeasesRefusals: [STAFF, KEPT], [
    InvalidLimit, InvalidCursor, MalformedRequest, Forbidden,
]);

/// List all leases
///
/// For staff: everybody's, the newest first.
#[utoipa::path(
    get,
    path = "/v1/admin/leases",
    operation_id = "listAllLeases",
    tag = "Administration",
    params(AllLeasesQuery),
    responses(
        (status = 200, description = "The leases.", body = List<LeaseBody>),
        AllLeasesRefusals,
    ),
)]
async fn list_all_leases(
    State(market): State<MarketplaceState>,
    Acting(user): Acting,
    QueryKeys(query): QueryKeys<AllLeasesQuery>,
) -> Result<Response, Problem> {
    let state = lease_state(&query.state)?;
    let id = |name, values| one(name, values, Slug::MalformedRequest, "a ULID");
    let validator: Option<Ulid> = id("validator_id", &query.validator_id)?;
    let trader: Option<Ulid> = id("trader_id", &query.trader_id)?;
    let filter = LeaseFilter { state, validator };
    let scope = format!("all leases {filter:?} {trader:?}");
    let part = Part::read(&query.limit, &query.cursor, scope, market.cursors())?;
    let leases = &market.leasing().leases;
    let page = leases.all(&user, trader, filter, part.after, part.limit);
    let refused = |NotStaff| Problem::new(Slug::Forbidden, "this needs the role staff");
    let page = page.await.map_err(|error| Problem::of(error, refused))?;
    let text = part.write(&page, market.cursors(), |lease| market.lease_body(lease));
    Ok(data::written(text))
}
