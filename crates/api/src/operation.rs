//! The routes for those who run Stoa.

use crate::{
    health::{__path_healthz, __path_readyz, healthz, readyz},
    metrics::{__path_metrics_page, metrics_page},
};
use metrics_exporter_prometheus::PrometheusHandle;
use services::Health;
use utoipa::OpenApi;
use utoipa_axum::{router::OpenApiRouter, routes};

/// What these routes answer from.
#[derive(Debug, Clone)]
pub(crate) struct OperationState {
    pub(crate) health: Health,
    pub(crate) metrics: PrometheusHandle,
    /// Whether addresses of nodes and texts of errors may be shown.
    pub(crate) tells_all: bool,
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Stoa: operation",
        description = "Health, readiness and figures, for those who run Stoa. Not rate limited.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    tags((name = "Operation", description = "How the service is.")),
)]
struct Description;

/// All of them.
pub(crate) fn routes() -> OpenApiRouter<OperationState> {
    health_routes().routes(routes!(metrics_page))
}

/// Those without the figures.
pub(crate) fn health_routes() -> OpenApiRouter<OperationState> {
    OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(healthz))
        .routes(routes!(readyz))
}
