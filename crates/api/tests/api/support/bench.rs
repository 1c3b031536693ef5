//! An API in a known state.

use super::tokens;
use amm::book::Pools;
use api::{Api, ApiConfig, ApiServices};
use axum::Router;
use market::figures::Figures;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusRecorder};
use primitives::{Entropy, ManualClock, SeededEntropy, SignedDuration, Timestamp};
use services::paymaster::Sponsors;
use services::{
    ApiKeys, GlobalFeed, Health, HealthLimits, OrderFeed, Progress, RateLimiter, RecentBlocks,
    RecurringOrders, Snapshot, Snapshots, Staking, Swaps, TradeHistory, Trail, leasing::Leasing,
};
use simnet::StarknetNode;
use std::sync::Arc;
use store::{Location, Store};
use tempfile::TempDir;
use world::{Started, Station, World, swaps_alone};

/// What a test wants to be otherwise.
pub(crate) struct Setting {
    pub(crate) config: ApiConfig,
    /// Tokens beside the named ones; no snapshot at all if none.
    pub(crate) more_tokens: Option<u64>,
    /// Where the store is, if not in a folder that vanishes.
    pub(crate) location: Option<Location>,
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            config: ApiConfig::default(),
            more_tokens: Some(0),
            location: None,
        }
    }
}

pub(crate) struct Bench {
    pub(crate) api: Api,
    pub(crate) router: Router,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) keys: ApiKeys,
    pub(crate) store: Store,
    pub(crate) global: GlobalFeed,
    pub(crate) recorder: PrometheusRecorder,
    config: ApiConfig,
    services: ApiServices,
    snapshots: Snapshots,
    /// Vanishes with the bench.
    folder: Option<TempDir>,
}

impl Bench {
    pub(crate) async fn new() -> Self {
        Self::with(Setting::default()).await
    }

    pub(crate) async fn configured(configure: impl FnOnce(&mut ApiConfig)) -> Self {
        let mut setting = Setting::default();
        configure(&mut setting.config);
        Self::with(setting).await
    }

    pub(crate) async fn with(setting: Setting) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().to_owned();
        let own = Location::Sqlite { dir };
        let location = setting.location.as_ref().unwrap_or(&own);
        let store = Store::open(location).await.unwrap();
        store.migrate().await.unwrap();
        let start = Timestamp::from_millisecond(1_700_000_000_250).unwrap();
        let clock = Arc::new(ManualClock::new(start));
        let (snapshots, progress) = (Snapshots::default(), Progress::default());
        let entropy = Arc::new(SeededEntropy::new(2));
        let swaps = swaps_alone(snapshots.clone(), progress.clone(), clock.clone(), entropy);
        let mut bench = Self::over(setting.config, store, clock, snapshots, progress, swaps);
        bench.folder = Some(folder);
        if let Some(more) = setting.more_tokens {
            bench.publish(more);
        }
        bench
    }

    /// The API over what an indexer of a simulated chain does.
    pub(crate) fn of(world: &World, station: &Station) -> Self {
        Self::configured_of(ApiConfig::default(), world, station)
    }

    /// The same, as the operator wants it.
    pub(crate) fn configured_of(config: ApiConfig, world: &World, station: &Station) -> Self {
        let swaps = world.swaps(station);
        Self::swapping(config, world, station, swaps)
    }

    /// The same, with quotes of the caller's.
    pub(crate) fn swapping(
        config: ApiConfig,
        world: &World,
        station: &Station,
        swaps: Swaps,
    ) -> Self {
        Self::over(
            config,
            station.store.clone(),
            world.clock.clone(),
            station.snapshots.clone(),
            station.progress.clone(),
            swaps,
        )
    }

    /// The API over a start that serves from near the head of a simulated chain.
    pub(crate) fn started(config: ApiConfig, world: &World, started: &Started) -> Self {
        let (snapshots, progress) = (started.snapshots.clone(), started.progress.clone());
        let (clock, entropy) = (world.clock.clone(), world.entropy.clone());
        let swaps = swaps_alone(snapshots.clone(), progress.clone(), clock.clone(), entropy);
        let store = started.store.clone();
        Self::over(config, store, clock, snapshots, progress, swaps)
    }

    fn over(
        config: ApiConfig,
        store: Store,
        clock: Arc<ManualClock>,
        snapshots: Snapshots,
        progress: Progress,
        swaps: Swaps,
    ) -> Self {
        let entropy: Arc<dyn Entropy> = Arc::new(SeededEntropy::new(1));
        let keys = ApiKeys::new(store.clone(), clock.clone(), entropy.clone());
        let limits = HealthLimits {
            max_lag_blocks: 5,
            max_silence: SignedDuration::from_secs(30),
            max_head_age: SignedDuration::from_secs(60),
        };
        let recorder = PrometheusBuilder::new().build_recorder();
        let global = GlobalFeed::default();
        let services = ApiServices {
            orders: Some(RecurringOrders::new(StarknetNode::recurring_order_factory())),
            staking: None,
            paymaster: None,
            sponsors: Sponsors::new(store.clone(), clock.clone(), entropy.clone()),
            leasing: None,
            trades: TradeHistory::new(store.clone(), snapshots.clone()),
            swaps,
            global: global.clone(),
            snapshots: snapshots.clone(),
            keys: keys.clone(),
            limiter: RateLimiter::local(clock.clone()),
            health: Health::new(
                "indexer",
                snapshots.clone(),
                progress,
                clock.clone(),
                limits,
            ),
            clock: clock.clone(),
            entropy,
            metrics: recorder.handle(),
        };
        let api = Api::new(config.clone(), services.clone());
        Self {
            router: api.router(),
            api,
            clock,
            keys,
            store,
            global,
            recorder,
            config,
            services,
            snapshots,
            folder: None,
        }
    }

    /// What keeps the recurring orders of the API up to date.
    pub(crate) fn order_feed(&self) -> OrderFeed {
        let orders = self.services.orders.clone().unwrap();
        OrderFeed::new(orders, self.store.clone(), self.snapshots.clone())
    }

    /// The same API without recurring orders.
    pub(crate) fn without_orders(mut self) -> Self {
        self.services.orders = None;
        self.api = Api::new(self.config.clone(), self.services.clone());
        self.router = self.api.router();
        self
    }

    /// The same API with a lease market.
    pub(crate) fn leasing(mut self, leasing: Leasing) -> Self {
        self.services.leasing = Some(leasing);
        self.api = Api::new(self.config.clone(), self.services.clone());
        self.router = self.api.router();
        self
    }

    /// A router of the same API with another lease market, as another process has it.
    pub(crate) fn with_leasing(&self, leasing: Leasing) -> Router {
        let mut services = self.services.clone();
        services.leasing = Some(leasing);
        Api::new(self.config.clone(), services).router()
    }

    /// The same API with a staker.
    pub(crate) fn staking(mut self, staking: Staking) -> Self {
        self.services.staking = Some(staking);
        self.api = Api::new(self.config.clone(), self.services.clone());
        self.router = self.api.router();
        self
    }

    /// Publishes a block with the named tokens and `more` others.
    pub(crate) fn publish(&self, more: u64) {
        self.snapshots.publish(Snapshot {
            head: tokens::head(),
            head_time: primitives::Clock::now(&*self.clock),
            tokens: Arc::new(tokens::list(more)),
            pools: Pools::default(),
            graph: Arc::default(),
            trail: Trail::default(),
            recent: RecentBlocks::default(),
            figures: Figures::default(),
            shunned: Arc::default(),
            standing: Arc::default(),
            provisional: false,
        });
    }
}
