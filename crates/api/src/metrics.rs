//! Figures about requests, and the page that shows all figures.

use crate::operation::OperationState;
use axum::{
    extract::State,
    http::{Method, StatusCode, header::CONTENT_TYPE},
    response::IntoResponse,
};
use std::{sync::Arc, time::Duration};

/// Requests answered, by method, route and status.
pub const REQUESTS_TOTAL: &str = "stoa_http_requests_total";

/// How long answers took, by route.
pub const REQUEST_SECONDS: &str = "stoa_http_request_seconds";

/// Bounds that show both an answer from memory and one that waited.
pub const REQUEST_SECONDS_BUCKETS: [f64; 12] = [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0,
];

/// A name of bounded variety: callers may invent methods.
pub(crate) fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "OTHER",
    }
}

/// Counts an answer. `route` is the path's template, so that there are no more
/// series than routes.
pub(crate) fn record(method: &'static str, route: &Arc<str>, status: StatusCode, took: Duration) {
    metrics::counter!(
        REQUESTS_TOTAL,
        "method" => method,
        "route" => Arc::clone(route),
        "status" => status.as_str().to_owned(),
    )
    .increment(1);
    metrics::histogram!(REQUEST_SECONDS, "route" => Arc::clone(route)).record(took);
}

/// Figures
///
/// Everything that is measured, as Prometheus text.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "Operation",
    responses((status = 200, description = "Prometheus text.", body = String, content_type = "text/plain")),
)]
pub(crate) async fn metrics_page(State(state): State<OperationState>) -> impl IntoResponse {
    let text = "text/plain; version=0.0.4; charset=utf-8";
    ([(CONTENT_TYPE, text)], state.metrics.render())
}
