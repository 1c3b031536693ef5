//! Recurring orders over HTTP.

use crate::support::{Answer, Bench, Setting, get, send};
use api::{ApiConfig, Dialect, RateLimits};
use axum::{body::Body, http::Request};
use market::following::Following;
use primitives::{Address, Felt, felt_from_hex};
use serde_json::{Value, json};
use services::{OrderFeed, Policy, RecurringOrders};
use simnet::StarknetNode;
use std::sync::Arc;
use trading::Call;
use world::{Station, World};

const ORDERS: &str = "/dca/v3/orders";
const PREVIEW: &str = "/dca/v3/orders/preview";
const CANCEL: &str = "/dca/v3/orders/0x1234/cancel";
const ETH: &str = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";
const USDC: &str = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8";

/// A chain with a factory, and the API over it.
struct Desk {
    world: World,
    station: Station,
    bench: Bench,
    feed: OrderFeed,
}

impl Desk {
    async fn new(dialect: Dialect) -> Self {
        Box::pin(Self::over(World::with_history(3, 12).await, dialect)).await
    }

    async fn over(mut world: World, dialect: Dialect) -> Self {
        let factory = StarknetNode::recurring_order_factory();
        world.known.following = Arc::new(Following {
            leads: vec![RecurringOrders::lead(factory)],
            ..Following::default()
        });
        let station = Box::pin(world.station("store")).await;
        let config = ApiConfig {
            dialect,
            rate_limits: None,
            ..ApiConfig::default()
        };
        let bench = Bench::configured_of(config, &world, &station);
        let feed = bench.order_feed();
        let mut desk = Self {
            world,
            station,
            bench,
            feed,
        };
        desk.sync().await;
        desk
    }

    async fn sync(&mut self) {
        Box::pin(self.station.sync()).await;
        self.feed.look().await.unwrap();
    }

    async fn post(&self, body: &Value) -> Answer {
        self.post_to(ORDERS, body).await
    }

    async fn post_to(&self, path: &str, body: &Value) -> Answer {
        let request = Request::post(path).header("content-type", "application/json");
        send(&self.bench.router, request, Body::from(body.to_string())).await
    }

    /// Creates an order, as the world's trader.
    async fn create(&mut self, body: &Value) {
        let answer = self.post(body).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        self.world.execute(&calls(&answer.json())).await;
        self.sync().await;
    }

    fn trader(&self) -> String {
        self.world.trader().address.to_string()
    }

    fn order(&self) -> Value {
        json!({
            "traderAddress": self.trader(),
            "sellTokenAddress": ETH,
            "sellAmount": "1000000000000000000",
            "sellAmountPerCycle": "0x429d069189e0000",
            "buyTokenAddress": USDC,
            "frequency": "P1D",
            "pricingStrategy": {},
        })
    }

    async fn list(&self, more: &str) -> Answer {
        let query = format!("{ORDERS}?traderAddress={}{more}", self.trader());
        self.bench.get(&query).await
    }
}

/// Calls as the node takes them.
fn calls(built: &Value) -> Vec<Call> {
    let felt = |text: &Value| felt_from_hex(text.as_str().unwrap()).unwrap();
    let call = |call: &Value| Call {
        to: Address::new(felt(&call["contractAddress"])),
        entrypoint: match call["entrypoint"].as_str().unwrap() {
            "approve" => "approve",
            "deploy_dca_order" => "deploy_dca_order",
            other => panic!("{other}"),
        },
        calldata: call["calldata"]
            .as_array()
            .unwrap()
            .iter()
            .map(felt)
            .collect::<Vec<Felt>>(),
    };
    built["calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(call)
        .collect()
}

fn with(mut order: Value, field: &str, value: Value) -> Value {
    order[field] = value;
    order
}

#[tokio::test]
async fn an_order_is_an_approval_and_a_deployment() {
    let desk = Desk::new(Dialect::Plain).await;
    let built = desk.post(&desk.order()).await.json();
    assert_eq!(built["chainId"], "0x534e5f53544f41");
    let [approve, deploy] = built["calls"].as_array().unwrap().as_slice() else {
        panic!("{built}");
    };
    let factory = StarknetNode::recurring_order_factory().to_string();
    assert_eq!(approve["contractAddress"], ETH);
    assert_eq!(
        approve["calldata"],
        json!([factory, "0xde0b6b3a7640000", "0x0"])
    );
    assert_eq!(deploy["contractAddress"], factory);
    assert_eq!(deploy["entrypoint"], "deploy_dca_order");
}

#[tokio::test]
async fn an_order_is_listed_with_every_cycle() {
    let mut desk = Desk::new(Dialect::Plain).await;
    let order = desk.order();
    desk.create(&order).await;
    let page = desk.list("").await.json();
    let facts = ["size", "number", "totalElements", "totalPages"].map(|it| page[it].clone());
    assert_eq!(facts, [20, 0, 1, 1].map(Value::from));
    let listed = &page["content"][0];
    assert_eq!(listed["status"], "INDEXING");
    assert_eq!(listed["traderAddress"], desk.trader());
    assert_eq!(listed["sellAmount"], "0xde0b6b3a7640000");
    assert_eq!(listed["iterations"], 3);
    assert_eq!(listed["frequency"], "P1D");
    assert_eq!(listed["pricingStrategy"], json!({}));
    assert_eq!(listed["amountSold"], "0x0");
    assert_eq!(listed["averageAmountBought"], "0x0");
    assert_eq!(listed["pendingTradesCount"], 3);
    assert!(listed.get("closeDate").is_none());
    let trades = listed["trades"].as_array().unwrap();
    assert_eq!(trades.len(), 3);
    assert_eq!(trades[0]["expectedTradeDate"], listed["startDate"]);
    for trade in trades {
        let fields: Vec<&String> = trade.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["expectedTradeDate", "sellAmount", "status"]);
        assert_eq!(trade["status"], "PENDING");
    }
    desk.world.node.mine(1).unwrap();
    desk.sync().await;
    let again = desk.list("&status=ACTIVE").await.json();
    assert_eq!(again["content"][0]["id"], listed["id"]);
    assert_eq!(desk.list("&status=CLOSED").await.json()["totalElements"], 0);
}

#[tokio::test]
async fn one_bound_comes_back_as_the_dialect_has_it() {
    let all = format!("0x{}", "f".repeat(64));
    let both = json!({"tokenToMinAmount": "0x1", "tokenToMaxAmount": all});
    for (dialect, told) in [
        (Dialect::Plain, json!({"tokenToMinAmount": "0x1"})),
        (Dialect::Avnu, both),
    ] {
        let mut desk = Desk::new(dialect).await;
        let bound = json!({"tokenToMinAmount": "1", "tokenToMaxAmount": null});
        let order = with(desk.order(), "pricingStrategy", bound);
        desk.create(&order).await;
        let page = desk.list("").await.json();
        assert_eq!(page["content"][0]["pricingStrategy"], told);
    }
}

#[tokio::test]
async fn a_preview_replays_the_plan_until_now() {
    let minute = std::time::Duration::from_mins(1);
    let world = World::with_spaced_history(3, 24, minute).await;
    let desk = Box::pin(Desk::over(world, Dialect::Plain)).await;
    let order = with(desk.order(), "frequency", json!("PT1M"));
    let preview = desk.post_to(PREVIEW, &order).await.json();
    assert_eq!(preview["iterations"], 3);
    let (cycle, replay) = (&preview["cycle"], &preview["replay"]);
    assert_eq!(cycle["isWithinBounds"], true);
    assert_eq!(replay["executedTradesCount"], 3);
    assert_eq!(replay["skippedTradesCount"], 0);
    assert_eq!(replay["amountSold"], "0xc7d713b49da0000");
    let number = |value: &Value| {
        let digits = value.as_str().unwrap().strip_prefix("0x").unwrap();
        u64::from_str_radix(digits, 16).unwrap()
    };
    // Prices of three minutes ago are not far from now's.
    let (average, now) = (
        number(&replay["averageAmountBought"]),
        number(&cycle["buyAmount"]),
    );
    assert!(average.abs_diff(now) < now / 10, "{average} and {now}");
    let gas = |value: &Value| number(&value["gasFees"]);
    assert_eq!(gas(replay), 3 * gas(cycle));
    let bound = json!({"tokenToMaxAmount": "0x1"});
    let bounded = with(order.clone(), "pricingStrategy", bound);
    let preview = desk.post_to(PREVIEW, &bounded).await.json();
    assert_eq!(preview["cycle"]["isWithinBounds"], false);
    assert_eq!(preview["replay"]["skippedTradesCount"], 3);
    assert_eq!(preview["replay"]["amountBought"], "0x0");
    // A longer plan has fewer cycles with a price than it has cycles.
    let long = with(order, "frequency", json!("P1D"));
    let preview = desk.post_to(PREVIEW, &long).await.json();
    assert_eq!(preview["replay"]["executedTradesCount"], 0);
    assert!(preview["replay"].get("from").is_none());
    let wrong = with(desk.order(), "frequency", json!("daily"));
    desk.post_to(PREVIEW, &wrong).await.refused(400);
}

#[tokio::test]
async fn orders_are_sorted_filtered_and_paged() {
    let mut desk = Desk::new(Dialect::Plain).await;
    for part in [
        "0xde0b6b3a7640000",
        "0x6f05b59d3b20000",
        "0x429d069189e0000",
    ] {
        let order = with(desk.order(), "sellAmountPerCycle", json!(part));
        desk.create(&order).await;
    }
    desk.world.node.mine(1).unwrap();
    desk.sync().await;
    for (query, iterations) in [
        ("", vec![3, 2, 1]),
        ("&sort=createdAt,asc", vec![1, 2, 3]),
        ("&sort=remainingCycles,asc", vec![1, 2, 3]),
        ("&sort=remainingCycles,desc", vec![3, 2, 1]),
        ("&sort=status,asc", vec![3, 2, 1]),
        ("&size=2", vec![3, 2]),
        ("&size=2&page=1", vec![1]),
        ("&size=50&page=1000000000", vec![]),
        ("&status=INDEXING", vec![]),
    ] {
        let page = desk.list(query).await.json();
        let content = page["content"].as_array().unwrap().iter();
        let listed: Vec<_> = content
            .map(|it| it["iterations"].as_u64().unwrap())
            .collect();
        assert_eq!(listed, iterations, "{query}");
    }
    let nobody = desk.bench.get(&format!("{ORDERS}?traderAddress=0x1")).await;
    assert_eq!(nobody.json()["content"], json!([]));
}

#[tokio::test]
async fn what_cannot_be_ordered_is_refused_in_words() {
    let desk = Desk::new(Dialect::Plain).await;
    let eth = json!(ETH);
    for (field, value, words) in [
        ("traderAddress", json!("0xzz"), "traderAddress"),
        (
            "sellTokenAddress",
            json!("0x123"),
            "0x123 is not a known token",
        ),
        ("buyTokenAddress", eth, "are the same"),
        ("sellAmount", json!("0"), "sellAmount must be more than 0"),
        ("sellAmount", json!(5), "sellAmount must be a text"),
        (
            "sellAmountPerCycle",
            json!("0x0"),
            "sellAmountPerCycle must be more than 0",
        ),
        (
            "sellAmountPerCycle",
            json!("0xde0b6b3a7640001"),
            "more than sellAmount",
        ),
        (
            "sellAmountPerCycle",
            json!("1"),
            "at most 1000 are possible",
        ),
        ("frequency", json!("daily"), "frequency"),
        ("frequency", json!("PT59S"), "frequency"),
        (
            "startDate",
            json!("yesterday"),
            "startDate must be a time of ISO 8601",
        ),
        (
            "startDate",
            json!("2020-01-01T00:00:00Z"),
            "startDate lies so far in the past",
        ),
        (
            "pricingStrategy",
            json!([]),
            "pricingStrategy must be an object",
        ),
        (
            "pricingStrategy",
            json!({"tokenToMinAmount": "2", "tokenToMaxAmount": "1"}),
            "tokenToMinAmount is more than tokenToMaxAmount",
        ),
        (
            "pricingStrategy",
            json!({"tokenToMinAmount": 2}),
            "tokenToMinAmount must be a text",
        ),
    ] {
        let body = with(desk.order(), field, value);
        let messages = desk.post(&body).await.refused(400);
        assert!(messages[0].contains(words), "{field}: {messages:?}");
    }
    let messages = desk.post(&json!({})).await.refused(400);
    assert_eq!(messages.len(), 7, "{messages:?}");
}

#[tokio::test]
async fn what_cannot_be_listed_is_refused_in_words() {
    let desk = Desk::new(Dialect::Plain).await;
    for (query, words) in [
        ("&size=51", "size must be a whole number from 1 to 50"),
        ("&size=0", "size"),
        ("&page=-1", "page"),
        (
            "&sort=name,asc",
            "sort must be one of createdAt, status, remainingCycles",
        ),
        ("&sort=createdAt", "sort"),
        (
            "&sort=createdAt,asc&sort=status,asc",
            "sort may be given once",
        ),
        (
            "&status=OPEN",
            "status must be one of INDEXING, ACTIVE, CLOSED",
        ),
        ("&traderAddress=0x1", "traderAddress may be given once"),
    ] {
        let messages = desk.list(query).await.refused(400);
        assert!(messages[0].contains(words), "{query}: {messages:?}");
    }
    let messages = desk.bench.get(ORDERS).await.refused(400);
    assert_eq!(messages, ["traderAddress is required"]);
    let messages = desk.bench.get(&format!("{ORDERS}?traderAddress=x")).await;
    assert!(messages.refused(400)[0].starts_with("traderAddress"));
}

#[tokio::test]
async fn an_order_is_cancelled_with_an_empty_body() {
    let desk = Desk::new(Dialect::Plain).await;
    for body in ["", "{}"] {
        let request = Request::post(CANCEL).header("content-type", "application/json");
        let built = send(&desk.bench.router, request, Body::from(body))
            .await
            .json();
        let call = json!({
            "contractAddress": "0x1234", "entrypoint": "cancel_order", "calldata": [],
        });
        assert_eq!(
            built,
            json!({"chainId": "0x534e5f53544f41", "calls": [call]})
        );
    }
    let request = Request::post("/dca/v3/orders/0xg/cancel");
    let answer = send(&desk.bench.router, request, Body::empty()).await;
    assert!(answer.refused(400)[0].starts_with("orderAddress"));
}

/// Every operation, as somebody asks who may.
async fn ask_all(bench: &Bench, headers: &[(&str, &str)]) -> Vec<Answer> {
    let mut answers = Vec::new();
    let list = format!("{ORDERS}?traderAddress=0x1");
    for request in [
        Request::get(list),
        Request::post(ORDERS).header("content-type", "application/json"),
        Request::post(PREVIEW).header("content-type", "application/json"),
        Request::post(CANCEL),
    ] {
        let request = headers.iter().fold(request, |request, (name, value)| {
            request.header(*name, *value)
        });
        answers.push(send(&bench.router, request, Body::from("{}")).await);
    }
    answers
}

#[tokio::test]
async fn without_a_factory_there_are_no_orders() {
    let bench = Bench::new().await.without_orders();
    for answer in ask_all(&bench, &[]).await {
        let message = "recurring orders are not offered here: no factory is configured";
        assert_eq!(answer.refused(400), [message]);
    }
}

#[tokio::test]
async fn before_the_first_block_nothing_is_answered() {
    let bench = Bench::with(Setting {
        more_tokens: None,
        ..Setting::default()
    })
    .await;
    for answer in ask_all(&bench, &[]).await {
        let message = "no block has been read yet; try again in a moment";
        assert_eq!(answer.refused(503), [message]);
    }
}

#[tokio::test]
async fn a_wrong_key_is_refused_and_a_failing_store_is_our_fault() {
    let bench = Bench::new().await;
    for answer in ask_all(&bench, &[("x-api-key", "nope")]).await {
        answer.refused(401);
    }
    let key = bench.keys.create("test").await.unwrap();
    bench.store.close().await;
    for answer in ask_all(&bench, &[("x-api-key", &key.secret)]).await {
        answer.refused(500);
    }
}

#[tokio::test]
async fn every_operation_is_counted() {
    let none = Policy {
        limit: 0,
        window_s: 300,
    };
    let bench = Bench::configured(|config| {
        config.rate_limits = Some(RateLimits {
            public: none,
            keyed: none,
        });
    })
    .await;
    for answer in ask_all(&bench, &[]).await {
        answer.refused(429);
    }
}

#[tokio::test]
async fn a_body_must_be_json_and_not_too_large() {
    let bench = Bench::configured(|config| config.max_body_bytes = 100).await;
    for path in [ORDERS, PREVIEW] {
        let text = Request::post(path).header("content-type", "text/plain");
        send(&bench.router, text, Body::from("{}"))
            .await
            .refused(415);
        let request = Request::post(path).header("content-type", "application/json");
        let large = format!("{{}}{}", " ".repeat(100));
        send(&bench.router, request, Body::from(large))
            .await
            .refused(413);
    }
}

#[tokio::test]
async fn a_stream_tells_a_trader_when_to_ask_again() {
    let mut desk = Desk::new(Dialect::Plain).await;
    let path = format!("/v3/stream?trader={}", desk.trader());
    let mut stream = desk.bench.open(get(&path)).await;
    let (_, begun) = stream.until("orders").await;
    assert_eq!(begun.data["trader"], desk.trader());
    // Somebody else's blocks change nothing.
    desk.world.node.mine(1).unwrap();
    desk.sync().await;
    desk.create(&desk.order()).await;
    let (before, told) = stream.until("orders").await;
    assert!(before.iter().all(|name| name == "block"), "{before:?}");
    assert_eq!(told.data["blockNumber"], desk.world.node.head().number);
    assert_eq!(desk.list("").await.json()["totalElements"], 1);
}
