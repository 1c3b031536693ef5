//! `GET /swap/v3/sources`.

use super::super::TradeState;
use crate::http::error::Rejection;
use axum::{Json, extract::State};
use serde::Serialize;
use utoipa::ToSchema;

/// Where routes may pass.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Source)]
pub(super) struct SourceBody {
    /// Its name, as `excludeSources` takes it.
    #[schema(example = "Ekubo")]
    name: String,
    #[serde(rename = "type")]
    kind: SourceType,
}

/// What a source is.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum SourceType {
    /// An exchange with pools.
    Dex,
}

/// List sources
///
/// The exchanges whose pools routes may pass.
#[utoipa::path(
    get,
    path = "/swap/v3/sources",
    operation_id = "swapSources",
    tag = "Swap",
    responses(
        (status = 200, description = "The sources.", body = Vec<SourceBody>),
        crate::http::error::PlainAnswers,
    ),
)]
pub(super) async fn swap_sources(
    State(state): State<TradeState>,
) -> Result<Json<Vec<SourceBody>>, Rejection> {
    let snapshot = state.snapshot()?;
    let venues = snapshot.pools.registry().venues().iter();
    let sources = venues.filter(|venue| venue.is_routed());
    let bodies = sources.map(|venue| SourceBody {
        name: venue.name.clone(),
        kind: SourceType::Dex,
    });
    Ok(Json(bodies.collect()))
}
