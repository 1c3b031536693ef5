//! What those who run Stoa are answered from.

use metrics_exporter_prometheus::PrometheusHandle;
use services::Health;

/// What these routes answer from.
#[derive(Debug, Clone)]
pub(crate) struct OperationState {
    pub(crate) health: Health,
    pub(crate) metrics: PrometheusHandle,
    /// Whether addresses of nodes and texts of errors may be shown.
    pub(crate) tells_all: bool,
}
