//! The whole API over simulated networks, in this process, with somebody of every
//! kind in it.

use api::{Api, ApiConfig, ApiServices};
use axum::Router;
use leasing::{Mode, Roles};
use metrics_exporter_prometheus::PrometheusBuilder;
use primitives::{Clock, Entropy, SignedDuration};
use services::{
    ApiKeys, GlobalFeed, Health, HealthLimits, OrderFeed, RateLimiter, RecurringOrders, STRK,
    Staking, TradeHistory,
    leasing::{Issuer, WebhookWish},
    paymaster::Sponsors,
};
use simnet::StarknetNode;
use std::sync::Arc;
use trading::staking::WithdrawalNames;
use world::{IssuerKey, Market, Station, TestIssuer, World, paymaster_options, relayer_options};

/// Everything that must live as long as the router.
pub(crate) struct Service {
    pub(crate) router: Router,
    /// What stands in inputs for what is only known here.
    names: Vec<(&'static str, String)>,
    _ground: (World, Station, Market, TestIssuer),
}

impl Service {
    pub(crate) async fn new() -> Self {
        let world = World::new(1).await;
        let mut station = world.station("fuzz").await;
        station.sync().await;
        let key = IssuerKey::p256(1);
        let issuer = TestIssuer::new(&[&key]).await;
        let trusted = Issuer::new(issuer.options()).expect("an issuer");
        let market = Market::new(1).await;
        let market = market
            .configured(|options| options.issuer = Some(trusted))
            .await;
        let mut names = people(&market).await;
        let claims = issuer.claims("somebody", market.clock.now().as_second());
        names.push(("@session@", key.token(&claims)));
        names.extend(things(&world));
        let router = Api::new(config(), services(&world, &station, &market).await).router();
        Self {
            router,
            names,
            _ground: (world, station, market, issuer),
        }
    }

    /// A text with what is known here in the place of what stands for it.
    pub(crate) fn named(&self, text: &str) -> String {
        let names = self.names.iter();
        names.fold(text.to_owned(), |text, (name, value)| {
            text.replace(name, value)
        })
    }
}

/// Nobody is counted: the same is to be answered however often it is asked.
fn config() -> ApiConfig {
    let mut config = ApiConfig {
        rate_limits: None,
        ..ApiConfig::default()
    };
    config.marketplace.limits = None;
    config
}

async fn services(world: &World, station: &Station, market: &Market) -> ApiServices {
    let clock = Arc::clone(&world.clock) as Arc<dyn Clock>;
    let entropy = Arc::clone(&world.entropy) as Arc<dyn Entropy>;
    let (store, snapshots) = (station.store.clone(), station.snapshots.clone());
    let orders = RecurringOrders::new(StarknetNode::recurring_order_factory());
    let mut feed = OrderFeed::new(orders.clone(), store.clone(), snapshots.clone());
    feed.look().await.expect("orders");
    let limits = HealthLimits {
        max_lag_blocks: 5,
        max_silence: SignedDuration::from_hours(1),
        max_head_age: SignedDuration::from_hours(1),
    };
    ApiServices {
        swaps: world.swaps(station),
        orders: Some(orders),
        staking: Some(staking(world, station).await),
        paymaster: Some(world.paymaster(station, paymaster_options(), relayer_options())),
        sponsors: Sponsors::new(store.clone(), Arc::clone(&clock), Arc::clone(&entropy)),
        global: GlobalFeed::default(),
        trades: TradeHistory::new(store.clone(), snapshots.clone()),
        leasing: Some(market.leasing.clone()),
        keys: ApiKeys::new(store, Arc::clone(&clock), Arc::clone(&entropy)),
        limiter: RateLimiter::local(Arc::clone(&clock)),
        health: Health::new(
            "indexer",
            snapshots.clone(),
            station.progress.clone(),
            Arc::clone(&clock),
            limits,
        ),
        snapshots,
        clock,
        entropy,
        metrics: PrometheusBuilder::new().build_recorder().handle(),
    }
}

async fn staking(world: &World, station: &Station) -> Staking {
    let staking = world.staking(station, WithdrawalNames::Documented);
    staking.refresh().await.expect("a staker");
    staking
}

/// People of the market with their credentials, and what they have.
async fn people(market: &Market) -> Vec<(&'static str, String)> {
    let trader = market.user("trader").await;
    let owner = market.user("owner").await;
    let all = Roles {
        trader: true,
        validator: true,
        staff: true,
    };
    let staff = market.user_with("staff", all).await;
    let validator = market.validator(&owner, 0, 4).await.id;
    let booking = market.booking(validator, 1, 2, Mode::Shared);
    let lease = market.book(&trader, &booking).await.expect("a lease").lease;
    let tokens = &market.leasing.service_tokens;
    let gateway = tokens.create(&owner, validator, "gateway", None).await;
    let wish = WebhookWish {
        url: "https://hooks.example".to_owned(),
        events: "lease.activated".parse().expect("events"),
        description: None,
    };
    let webhook = market.leasing.webhooks.create(&trader, wish).await;
    vec![
        ("@trader@", market.token(&trader).await),
        ("@owner@", market.token(&owner).await),
        ("@staff@", market.token(&staff).await),
        ("@gateway@", gateway.expect("a token").token),
        ("@validator@", validator.to_string()),
        ("@lease@", lease.id.to_string()),
        ("@memo@", lease.payment.memo().to_string()),
        ("@webhook@", webhook.expect("a webhook").id.to_string()),
        ("@user@", trader.id.to_string()),
        ("@key@", market.key().to_string()),
        (
            "@identity@",
            market.chain_validator(0).identity.public_key().to_string(),
        ),
        ("@wallet@", market.wallet(2).public_key().to_string()),
    ]
}

/// What is on the chain.
fn things(world: &World) -> Vec<(&'static str, String)> {
    let [(_, pool), _] = StarknetNode::staking_pools();
    vec![
        (
            "@account@",
            world.node.accounts().swap_remove(0).address.to_string(),
        ),
        ("@strk@", STRK.to_string()),
        ("@pool@", pool.to_string()),
    ]
}
