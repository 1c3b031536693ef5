//! `GET /v1/epoch`.

use super::{
    MarketplaceState, Problem,
    catalog::Slug,
    data::{self, Data},
    gate::Anyone,
    refusals::refusals,
};
use axum::{extract::State, response::Response};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 1] {
    [routes!(epoch)]
}

/// Where the chain is.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Epoch)]
struct EpochBody {
    /// The number of the current epoch.
    #[schema(example = 800)]
    epoch: u64,
    /// The slot, counted from the epoch's first.
    #[schema(example = 1234)]
    slot_index: u64,
    /// How many slots the epoch has.
    #[schema(example = 432_000)]
    slots_in_epoch: u64,
    /// When it ends, as far as one can tell; null if one cannot.
    #[schema(required, format = DateTime, example = "2026-02-01T12:00:00Z")]
    estimated_end_at: Option<String>,
    /// Seconds since a node last said something new: what is told beyond that
    /// is reckoned.
    #[schema(example = 1)]
    silent_s: i64,
}

refusals!(EpochRefusals: [COUNTED], [ChainRpcUnavailable]);

/// Current epoch
///
/// By the node, or reckoned from what it last said. 503 only until a node has
/// answered once.
#[utoipa::path(
    get,
    path = "/v1/epoch",
    operation_id = "epoch",
    tag = "Leases",
    security(()),
    responses(
        (status = 200, description = "The epoch.", body = Data<EpochBody>),
        EpochRefusals,
    ),
)]
async fn epoch(State(market): State<MarketplaceState>, _: Anyone) -> Result<Response, Problem> {
    let view = market.leasing().epochs.current();
    let view = view.ok_or_else(|| Problem::plain(Slug::ChainRpcUnavailable))?;
    Ok(data::ok(EpochBody {
        epoch: view.position.epoch,
        slot_index: view.position.slot_index,
        slots_in_epoch: view.position.slots_in_epoch,
        estimated_end_at: view.ends_at.map(|at| at.to_string()),
        silent_s: view.silence.as_secs(),
    }))
}
