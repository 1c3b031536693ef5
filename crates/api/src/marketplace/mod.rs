//! The lease marketplace: accounts, validators, leases and their payment.
//!
//! Every refusal under its paths is a problem document, whoever refuses.
//! Handlers begin with an extractor of [`gate`], which looks at credentials and
//! then at the caller's bucket; what follows is the order of checks that the
//! API promises: key, body, fields, what is asked for, whose it is, its state,
//! conflicts, what stands behind.

mod auth;
mod body;
mod buckets;
mod catalog;
mod chain_pay;
mod config;
mod cursor;
mod data;
mod epoch;
mod error_pages;
mod face;
mod fields;
mod gate;
mod idempotency;
mod lease_body;
mod leases;
mod link;
mod onboarding;
mod openapi;
mod pages;
mod problem;
mod query;
mod refusals;
mod registration;
mod segment;
mod stake;
mod tokens;
mod users;
mod validator_body;
mod validators;

use crate::{api::ApiServices, config::ApiConfig, http::client_address::AddressRange};
use axum::{Router, routing::any};
use buckets::KnownBearers;
pub use catalog::{Entry, Slug};
pub use config::{MarketplaceConfig, MarketplaceLimits};
use cursor::Cursors;
pub(crate) use openapi::{document, slugs};
use pages::WrittenPages;
use primitives::{Clock, Timestamp};
use problem::Problem;
use services::{RateLimiter, leasing::Leasing};
use std::{fmt, sync::Arc};
use utoipa_axum::router::OpenApiRouter;

/// Everything under these paths is the marketplace's, whether it exists or not.
const PREFIXES: [&str; 12] = [
    "/v1/auth",
    "/v1/users",
    "/v1/me",
    "/v1/api-tokens",
    "/v1/validators",
    "/v1/onboarding",
    "/v1/leases",
    "/v1/chain-pay",
    "/v1/solana-pay",
    "/v1/stake",
    "/v1/leader-schedule",
    "/v1/epoch",
];

/// What these routes answer from. Clones share it.
#[derive(Clone)]
pub(crate) struct MarketplaceState(Arc<Parts>);

struct Parts {
    leasing: Leasing,
    limiter: RateLimiter,
    clock: Arc<dyn Clock>,
    trusted_proxies: Vec<AddressRange>,
    config: MarketplaceConfig,
    errors_url: String,
    cursors: Cursors,
    known_bearers: KnownBearers,
    pages: WrittenPages,
}

impl fmt::Debug for MarketplaceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MarketplaceState").finish_non_exhaustive()
    }
}

impl MarketplaceState {
    pub(crate) fn new(leasing: Leasing, services: &ApiServices, config: &ApiConfig) -> Self {
        let marketplace = config.marketplace.clone();
        let made = || services.entropy.bytes();
        Self(Arc::new(Parts {
            leasing,
            limiter: services.limiter.clone(),
            clock: Arc::clone(&services.clock),
            trusted_proxies: config.trusted_proxies.clone(),
            errors_url: marketplace.errors_url(),
            cursors: Cursors::new(marketplace.cursor_key.unwrap_or_else(made)),
            config: marketplace,
            known_bearers: KnownBearers::default(),
            pages: WrittenPages::default(),
        }))
    }

    fn leasing(&self) -> &Leasing {
        &self.0.leasing
    }

    fn limiter(&self) -> &RateLimiter {
        &self.0.limiter
    }

    fn limits(&self) -> Option<&MarketplaceLimits> {
        self.0.config.limits.as_ref()
    }

    fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    fn trusted_proxies(&self) -> &[AddressRange] {
        &self.0.trusted_proxies
    }

    fn base_url(&self) -> &str {
        &self.0.config.base_url
    }

    fn label(&self) -> &str {
        &self.0.config.label
    }

    fn cursors(&self) -> &Cursors {
        &self.0.cursors
    }

    fn pages(&self) -> &WrittenPages {
        &self.0.pages
    }

    fn known_bearers(&self) -> &KnownBearers {
        &self.0.known_bearers
    }

    /// All routes, and refusals for what is not there.
    pub(crate) fn routes(&self) -> Router {
        let (routes, _) = documented().split_for_parts();
        let routes = routes
            .merge(chain_pay::alias())
            .merge(chain_pay::icon())
            .merge(error_pages::routes());
        PREFIXES
            .iter()
            .fold(routes, |routes, prefix| {
                // A slash at the end is not under what is nested.
                routes
                    .nest(prefix, Router::new().fallback(face::unknown_path))
                    .route(&format!("{prefix}/"), any(face::unknown_path))
            })
            .method_not_allowed_fallback(face::wrong_method)
            .with_state(self.clone())
    }

    /// The same where nothing else is served.
    pub(crate) fn routes_alone(&self) -> Router {
        let rest: Router = Router::new()
            .fallback(face::unknown_path)
            .with_state(self.clone());
        self.routes().merge(rest)
    }
}

/// The routes that the description has.
fn documented() -> OpenApiRouter<MarketplaceState> {
    auth::routes()
        .into_iter()
        .chain(users::routes())
        .chain(tokens::routes())
        .chain(validators::routes())
        .chain(stake::routes())
        .chain(onboarding::routes())
        .chain(leases::routes())
        .chain(chain_pay::routes())
        .chain(epoch::routes())
        .fold(openapi::router(), OpenApiRouter::routes)
}
