//! The lease marketplace as it is served.

use crate::http::{Server, metrics, roomy};
use api::{Api, ApiConfig, ApiServices, MarketplaceLimits};
use axum::Router;
use primitives::{Clock, Entropy, SignedDuration};
use services::paymaster::Sponsors;
use services::{
    ApiKeys, GlobalFeed, Health, HealthLimits, Policy, Progress, RateLimiter, Snapshots,
    TradeHistory, leasing::Leasing,
};
use std::{sync::Arc, time::Duration};
use store::{Location, Store};
use tokio_util::sync::CancellationToken;
use world::{Market, swaps_alone};

/// Serves a market from its own connections to the store, as a replica does.
pub(crate) fn serve(market: &Arc<Market>, location: &Location) -> Server {
    let (market, location) = (Arc::clone(market), location.clone());
    Server::start(async move |listener| {
        let leasing = market.replica(&location).await;
        leasing.epoch_watch().round().await.unwrap();
        let router = router(&market, leasing);
        api::serve(
            listener,
            router,
            roomy(),
            CancellationToken::new(),
            Duration::ZERO,
        )
        .await
    })
}

/// The API, with limits that are counted but never reached.
fn router(market: &Market, leasing: Leasing) -> Router {
    let clock = Arc::clone(&market.clock) as Arc<dyn Clock>;
    let entropy = Arc::clone(&market.entropy) as Arc<dyn Entropy>;
    let policy = Policy {
        limit: 10_000_000,
        window_s: 60,
    };
    let mut config = ApiConfig::default();
    config.marketplace.limits = Some(MarketplaceLimits {
        token_minting: policy,
        lease_creation: policy,
        browsing: policy,
        other: policy,
    });
    let limits = HealthLimits {
        max_lag_blocks: 5,
        max_silence: SignedDuration::from_secs(30),
        max_head_age: SignedDuration::from_secs(60),
    };
    let snapshots = Snapshots::default();
    let (progress, store): (_, Store) = (Progress::default(), market.store.clone());
    let services = ApiServices {
        orders: None,
        staking: None,
        paymaster: None,
        sponsors: Sponsors::new(store.clone(), Arc::clone(&clock), Arc::clone(&entropy)),
        leasing: Some(leasing),
        trades: TradeHistory::new(store.clone(), snapshots.clone()),
        global: GlobalFeed::default(),
        swaps: swaps_alone(
            snapshots.clone(),
            Progress::default(),
            Arc::clone(&clock),
            Arc::clone(&entropy),
        ),
        keys: ApiKeys::new(store, Arc::clone(&clock), Arc::clone(&entropy)),
        limiter: RateLimiter::local(Arc::clone(&clock)),
        health: Health::new(
            "api",
            snapshots.clone(),
            progress,
            Arc::clone(&clock),
            limits,
        ),
        snapshots,
        clock,
        entropy,
        metrics: metrics(),
    };
    Api::new(config, services).marketplace_router().unwrap()
}
