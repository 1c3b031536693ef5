//! The page that shows all figures.

use super::{OperationState, process};
use axum::{extract::State, http::header::CONTENT_TYPE, response::IntoResponse};

/// Metrics
///
/// Everything that is measured, as Prometheus text.
#[utoipa::path(
    get,
    path = "/metrics",
    operation_id = "metrics",
    tag = "Operation",
    responses((status = 200, description = "Prometheus text.", body = String, content_type = "text/plain")),
)]
pub(crate) async fn metrics_page(State(state): State<OperationState>) -> impl IntoResponse {
    let text = "text/plain; version=0.0.4; charset=utf-8";
    let mut figures = state.metrics.render();
    figures.push_str(&process::figures());
    ([(CONTENT_TYPE, text)], figures)
}
