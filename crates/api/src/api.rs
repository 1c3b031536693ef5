//! The faces put together.

use crate::{
    config::ApiConfig,
    console, docs,
    http::{limits::Limits, middleware::Middleware, streams::Streams},
    market::{self, MarketState},
    marketplace::MarketplaceState,
    operation::{self, OperationState},
    paymaster::{self, PaymasterState},
    trade::{self, TradeState},
};
use axum::Router;
use metrics_exporter_prometheus::PrometheusHandle;
use primitives::{Clock, Entropy};
use services::{
    ApiKeys, GlobalFeed, Health, RateLimiter, RecurringOrders, Snapshots, Staking, Swaps,
    TradeHistory,
    leasing::Leasing,
    paymaster::{Paymaster, Sponsors},
};
use std::{fmt, sync::Arc};

/// What the faces stand on.
#[derive(Clone)]
pub struct ApiServices {
    /// What requests are answered from.
    pub snapshots: Snapshots,
    /// Quotes, and the calls that execute them.
    pub swaps: Swaps,
    /// Recurring orders, where there is a factory.
    pub orders: Option<RecurringOrders>,
    /// Staking, where there is a staker.
    pub staking: Option<Staking>,
    /// Who builds and relays for others, where there is a forwarder.
    pub paymaster: Option<Paymaster>,
    /// Those who pay for others.
    pub sponsors: Sponsors,
    /// What the wider market says of tokens.
    pub global: GlobalFeed,
    /// The trades of tokens.
    pub trades: TradeHistory,
    /// The lease market, where there is one.
    pub leasing: Option<Leasing>,
    /// Who may ask more often.
    pub keys: ApiKeys,
    /// How often anyone may ask.
    pub limiter: RateLimiter,
    /// Whether the data is fresh.
    pub health: Health,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Where ids come from.
    pub entropy: Arc<dyn Entropy>,
    /// Where the figures are read.
    pub metrics: PrometheusHandle,
}

impl fmt::Debug for ApiServices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiServices").finish_non_exhaustive()
    }
}

/// The HTTP faces.
#[derive(Debug, Clone)]
pub struct Api {
    config: ApiConfig,
    services: ApiServices,
    middleware: Middleware,
    market: MarketState,
    marketplace: Option<MarketplaceState>,
    paymaster: PaymasterState,
    /// What steers networks of our own.
    simulator: Option<Router>,
}

impl Api {
    /// The faces of these services.
    pub fn new(config: ApiConfig, services: ApiServices) -> Self {
        let limits = || {
            Limits::new(
                config.rate_limits,
                config.trusted_proxies.clone(),
                services.limiter.clone(),
                services.keys.clone(),
                Arc::clone(&services.clock),
            )
        };
        let paymaster = PaymasterState::new(services.paymaster.clone(), limits());
        let middleware = Middleware::new(
            config.request_timeout,
            config.max_body_bytes,
            limits(),
            Arc::clone(&services.entropy),
            config.signer.clone(),
            services.snapshots.clone(),
        );
        let streams = Streams::new(config.streams, config.trusted_proxies.clone());
        let market = MarketState::new(
            services.snapshots.clone(),
            services.global.clone(),
            services.orders.clone(),
            streams.clone(),
            services.trades.clone(),
            Arc::clone(&services.clock),
            config.dialect,
        );
        let leasing = services.leasing.clone();
        let marketplace = leasing.map(|leasing| {
            MarketplaceState::new(
                leasing,
                services.limiter.clone(),
                Arc::clone(&services.clock),
                &services.entropy,
                config.trusted_proxies.clone(),
                streams.clone(),
                config.marketplace.clone(),
            )
        });
        Self {
            config,
            services,
            middleware,
            market,
            marketplace,
            paymaster,
            simulator: None,
        }
    }

    /// The same, with routes that steer the simulated networks that all this is about.
    #[must_use]
    pub fn with_simulator(mut self, routes: Router) -> Self {
        self.simulator = Some(routes);
        self
    }

    /// Everything, for one listener; the console too.
    pub fn router(&self) -> Router {
        let whole = self.surround_market(self.trade_routes().merge(self.market_routes()));
        let whole = whole.merge(self.around_paymaster());
        let whole = self.with_console(whole);
        match &self.marketplace {
            Some(state) => whole.merge(self.around_marketplace(state.routes(), state)),
            None => whole,
        }
    }

    /// The trading API, for a listener of its own.
    pub fn trade_router(&self) -> Router {
        let prices = market::trade_routes().with_state(self.market.clone());
        self.surround(self.trade_routes().merge(prices))
    }

    /// The market API, for a listener of its own.
    pub fn market_router(&self) -> Router {
        self.surround_market(self.market_routes())
    }

    /// The marketplace, for a listener of its own, if there is one.
    pub fn marketplace_router(&self) -> Option<Router> {
        let state = self.marketplace.as_ref()?;
        let routes = self.around_marketplace(state.routes_alone(), state);
        Some(routes.merge(self.middleware.around_free(self.free_routes())))
    }

    /// The paymaster, for a listener of its own.
    pub fn paymaster_router(&self) -> Router {
        self.surround(Router::new()).merge(self.around_paymaster())
    }

    /// Adds the pages for people, and what they steer simulated networks by.
    fn with_console(&self, whole: Router) -> Router {
        let settings = console::Settings {
            network: self.config.network.clone(),
            has_leases: self.marketplace.is_some(),
            has_figures: self.config.public_metrics,
            is_simulated: self.simulator.is_some(),
        };
        let free = console::routes(&settings).merge(self.simulator.clone().unwrap_or_default());
        whole
            .merge(self.middleware.around_beside(console::root(&settings)))
            .merge(self.middleware.around_free(free))
    }

    fn around_paymaster(&self) -> Router {
        let routes = paymaster::routes(self.paymaster.clone());
        let product = Arc::new(self.paymaster.clone());
        self.middleware.around_product(routes, product)
    }

    fn around_marketplace(&self, routes: Router, state: &MarketplaceState) -> Router {
        let product = Arc::new(state.clone());
        self.middleware.around_product(routes, product)
    }

    fn trade_routes(&self) -> Router {
        let (snapshots, swaps) = (&self.services.snapshots, &self.services.swaps);
        let state = TradeState::new(
            snapshots.clone(),
            swaps.clone(),
            self.services.orders.clone(),
            self.services.staking.clone(),
            self.services.sponsors.clone(),
            self.config.dialect,
        );
        let (routes, _) = trade::routes(&self.config.network).split_for_parts();
        routes.with_state(state)
    }

    fn market_routes(&self) -> Router {
        let (routes, _) = market::routes().split_for_parts();
        routes.with_state(self.market.clone())
    }

    /// Adds health, figures and documentation to routes, and surrounds all of
    /// them with ids, logs, CORS, limits, deadlines and isolation. The given
    /// routes are rate limited, the added ones are not.
    pub fn surround(&self, routes: Router) -> Router {
        self.middleware.around(routes, self.free_routes())
    }

    /// The same, and the pictures of the market.
    fn surround_market(&self, routes: Router) -> Router {
        let (pictures, _) = market::pictures().split_for_parts();
        let pictures = pictures.with_state(self.market.clone());
        let free = self.free_routes().merge(pictures);
        self.middleware.around(routes, free)
    }

    /// Health with all details, and figures: for those who run the program.
    pub fn operation_router(&self) -> Router {
        let (operation, _) = operation::routes().split_for_parts();
        let state = self.operation_state(true);
        self.middleware.around_free(operation.with_state(state))
    }

    fn operation_state(&self, tells_all: bool) -> OperationState {
        OperationState {
            health: self.services.health.clone(),
            metrics: self.services.metrics.clone(),
            tells_all,
        }
    }

    fn free_routes(&self) -> Router {
        let operation = if self.config.public_metrics {
            operation::routes()
        } else {
            operation::health_routes()
        };
        let (operation, _) = operation.split_for_parts();
        let state = self.operation_state(false);
        let documents = docs::routes(&self.config.network, self.config.dialect);
        operation.with_state(state).merge(documents)
    }
}
