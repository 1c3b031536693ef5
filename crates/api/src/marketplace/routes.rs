//! All paths of the marketplace.

use super::{
    MarketplaceState, admin, admin_leases, admin_users, admin_validators, audit_log, auth,
    availability, chain_pay, epoch, error_pages, extensions, lease_events, lease_keys,
    lease_tokens, leases, onboarding, openapi, ratings, refunds, responses, revocations,
    service_tokens, stake, stream, tokens, usage, users, validators, webhook_deliveries, webhooks,
};
use axum::{Router, routing::any};
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;

/// Everything under these paths is the marketplace's, whether it exists or not.
const PREFIXES: [&str; 21] = [
    "/v1/admin",
    "/v1/auth",
    "/v1/users",
    "/v1/me",
    "/v1/api-tokens",
    "/v1/validators",
    "/v1/onboarding",
    "/v1/leases",
    "/v1/refunds",
    "/v1/revocations",
    "/v1/chain-pay",
    "/v1/solana-pay",
    "/v1/stake",
    "/v1/leader-schedule",
    "/v1/epoch",
    "/v1/usage",
    "/v1/audit-log",
    "/v1/ratings",
    "/v1/webhooks",
    "/v1/stream",
    "/v1/stream-tickets",
];

impl MarketplaceState {
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
                    .nest(prefix, Router::new().fallback(responses::unknown_path))
                    .route(&format!("{prefix}/"), any(responses::unknown_path))
            })
            .method_not_allowed_fallback(responses::wrong_method)
            .with_state(self.clone())
    }

    /// The same where nothing else is served.
    pub(crate) fn routes_alone(&self) -> Router {
        let rest: Router = Router::new()
            .fallback(responses::unknown_path)
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
        .chain(availability::routes())
        .chain(stake::routes())
        .chain(onboarding::routes())
        .chain(leases::routes())
        .chain(lease_events::routes())
        .chain(extensions::routes())
        .chain(revocations::routes())
        .chain(refunds::routes())
        .chain(lease_keys::routes())
        .chain(lease_tokens::routes())
        .chain(service_tokens::routes())
        .chain(usage::routes())
        .chain(ratings::routes())
        .chain(audit_log::routes())
        .chain(webhooks::routes())
        .chain(webhook_deliveries::routes())
        .chain(stream::routes())
        .chain(chain_pay::routes())
        .chain(epoch::routes())
        .chain(admin::routes())
        .chain(admin_leases::routes())
        .chain(admin_validators::routes())
        .chain(admin_users::routes())
        .fold(openapi::router(), OpenApiRouter::routes)
}

/// The routes, described.
pub(crate) fn document() -> OpenApi {
    documented().into_openapi()
}
