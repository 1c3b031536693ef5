//! What the paymaster answers from.

use crate::http::limits::Limits;
use axum::http::HeaderName;
use services::paymaster::Paymaster;
use std::sync::Arc;

/// Where a sponsor's key is.
pub(super) const X_PAYMASTER_API_KEY: HeaderName = HeaderName::from_static("x-paymaster-api-key");

/// What the route answers from.
#[derive(Debug, Clone)]
pub(crate) struct PaymasterState(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    /// None where there is no forwarder.
    paymaster: Option<Paymaster>,
    limits: Limits,
}

impl PaymasterState {
    pub(crate) fn new(paymaster: Option<Paymaster>, limits: Limits) -> Self {
        Self(Arc::new(Parts { paymaster, limits }))
    }

    pub(super) fn paymaster(&self) -> Option<&Paymaster> {
        self.0.paymaster.as_ref()
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.0.limits
    }
}
