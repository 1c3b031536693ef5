//! What the paymaster answers from.

use crate::http::limits::Limits;
use axum::http::HeaderName;
use services::paymaster::Paymaster;
use std::sync::Arc;

/// The header of a sponsor's key; where it is not there, `x-api-key` may have it.
pub(super) const X_PAYMASTER_API_KEY: HeaderName = HeaderName::from_static("x-paymaster-api-key");

/// The paymaster and what its calls count against. Clones share both.
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
