//! How many requests a caller may make. Each caller has a few buckets, which
//! fill evenly.

use super::{MarketplaceState, catalog::Slug, config::MarketplaceLimits, problem::Problem};
use crate::http::client_address::ClientAddress;
use axum::http::{Method, request::Parts};
use services::{
    Decision, Policy,
    leasing::{Caller, Session},
};
use std::sync::{Arc, Mutex, PoisonError};

/// What a request is counted as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bucket {
    TokenMinting,
    LeaseCreation,
    Browsing,
    Other,
}

impl Bucket {
    /// The bucket of a route.
    pub(super) fn of(method: &Method, route: &str) -> Self {
        match (method.as_str(), route) {
            ("POST", "/v1/leases/{id}/token") => Self::TokenMinting,
            ("POST", "/v1/leases") => Self::LeaseCreation,
            ("GET" | "HEAD", "/v1/validators" | "/v1/validators/availability") => Self::Browsing,
            _ => Self::Other,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::TokenMinting => "token",
            Self::LeaseCreation => "lease",
            Self::Browsing => "browse",
            Self::Other => "other",
        }
    }

    const fn policy(self, limits: &MarketplaceLimits) -> Policy {
        match self {
            Self::TokenMinting => limits.token_minting,
            Self::LeaseCreation => limits.lease_creation,
            Self::Browsing => limits.browsing,
            Self::Other => limits.other,
        }
    }
}

/// The bucket that a request was counted in last, for the headers of its
/// answer.
#[derive(Debug, Clone, Default)]
pub(super) struct Counted(Arc<Mutex<Option<Decision>>>);

impl Counted {
    fn note(&self, decision: Decision) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(decision);
    }

    pub(super) fn last(&self) -> Option<Decision> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bearers of one address that are looked up in the store without costing it a
/// request.
const LOOKUPS: Policy = Policy {
    limit: 100,
    window_s: 300,
};

impl MarketplaceState {
    /// Whether a further unknown bearer of an address is looked up for nothing.
    pub(super) async fn may_look_up(&self, parts: &Parts) -> bool {
        if self.limits().is_none() {
            return true;
        }
        let trusted = self.trusted_proxies();
        let address = ClientAddress::of(&parts.extensions, &parts.headers, trusted);
        let key = format!("market:lookups:{}", address.key());
        self.limiter().draw(&key, LOOKUPS).await.admitted
    }

    /// Counts a request for the address that it comes from.
    pub(super) async fn count_address(&self, parts: &Parts, bucket: Bucket) -> Result<(), Problem> {
        let trusted = self.trusted_proxies();
        let address = ClientAddress::of(&parts.extensions, &parts.headers, trusted);
        self.count(parts, bucket, &address.key()).await
    }

    /// Counts a request for whoever makes it.
    pub(super) async fn count_caller(
        &self,
        parts: &Parts,
        caller: &Caller,
        bucket: Bucket,
    ) -> Result<(), Problem> {
        let who = match caller {
            Caller::User { user, .. } => format!("user:{}", user.id),
            Caller::Unprovisioned(Session::Wallet { address, .. }) => format!("wallet:{address}"),
            Caller::Unprovisioned(Session::External { identity, .. }) => {
                format!("external:{}", identity.subject)
            }
            Caller::LeaseKey { id, .. } => format!("lease-key:{id}"),
            Caller::Service { id, .. } => format!("service:{id}"),
        };
        self.count(parts, bucket, &who).await
    }

    async fn count(&self, parts: &Parts, bucket: Bucket, who: &str) -> Result<(), Problem> {
        let Some(limits) = self.limits() else {
            return Ok(());
        };
        let policy = bucket.policy(limits);
        let key = format!("market:{}:{who}", bucket.name());
        let decision = self.limiter().draw(&key, policy).await;
        if let Some(counted) = parts.extensions.get::<Counted>() {
            counted.note(decision);
        }
        if decision.admitted {
            return Ok(());
        }
        let seconds = decision.retry_after_s(self.now());
        let told = format!(
            "more than {} requests in {} seconds; try again in {seconds} s",
            policy.limit, policy.window_s
        );
        Err(Problem::new(Slug::RateLimitExceeded, told).retry_after(seconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_have_the_buckets_of_the_table() {
        let limit = |method: Method, route| {
            let policy = Bucket::of(&method, route).policy(&MarketplaceLimits::default());
            (policy.limit, policy.window_s)
        };
        assert_eq!(limit(Method::POST, "/v1/leases/{id}/token"), (12, 60));
        assert_eq!(limit(Method::POST, "/v1/leases"), (10, 60));
        assert_eq!(limit(Method::GET, "/v1/validators"), (600, 60));
        let availability = "/v1/validators/availability";
        assert_eq!(limit(Method::GET, availability), (600, 60));
        assert_eq!(limit(Method::POST, "/v1/validators"), (60, 60));
        assert_eq!(limit(Method::GET, "/v1/leases"), (60, 60));
        assert_eq!(limit(Method::GET, ""), (60, 60));
    }
}
