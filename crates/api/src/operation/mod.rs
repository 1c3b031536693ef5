//! The routes for those who run Stoa.

mod figures;
mod health;
mod process;
mod state;

use figures::{__path_metrics_page, metrics_page};
use health::{__path_healthz, __path_readyz, healthz, readyz};
pub(crate) use state::OperationState;
use utoipa::OpenApi;
use utoipa_axum::{router::OpenApiRouter, routes};

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
