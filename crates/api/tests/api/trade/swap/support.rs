//! What the tests of swaps share.

use crate::support::{Answer, Bench, send};
use api::{ApiConfig, Dialect};
use axum::{body::Body, http::Request};
use primitives::{Address, felt_from_hex};
use serde_json::{Value, json};
use services::{QuoteStore, SwapOptions};
use trading::Call;
use world::{Station, World, swap_options};

pub(super) const ETH: &str = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";
pub(super) const STRK: &str = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d";
pub(super) const USDC: &str = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8";

/// One ETH.
pub(super) const AMOUNT: &str = "0xde0b6b3a7640000";

/// A chain with exchanges, and the API over it.
pub(super) struct Desk {
    pub(super) world: World,
    pub(super) station: Station,
    pub(super) bench: Bench,
}

impl Desk {
    pub(super) async fn new() -> Self {
        Self::with(Dialect::Plain, swap_options()).await
    }

    pub(super) async fn with(dialect: Dialect, options: SwapOptions) -> Self {
        let mut desk = Self::unread(dialect, options).await;
        desk.station.sync().await;
        desk
    }

    /// The same before any block is read.
    pub(super) async fn unread(dialect: Dialect, options: SwapOptions) -> Self {
        let world = World::with_history(3, 12).await;
        let station = world.station("store").await;
        Self::over(world, station, dialect, options)
    }

    /// The same chain after a restart.
    pub(super) fn reopened(self, station: Station, options: SwapOptions) -> Self {
        Self::over(self.world, station, Dialect::Plain, options)
    }

    fn over(world: World, station: Station, dialect: Dialect, options: SwapOptions) -> Self {
        let config = ApiConfig {
            dialect,
            rate_limits: None,
            ..ApiConfig::default()
        };
        let swaps = world.swaps_with(&station, options, QuoteStore::local());
        let bench = Bench::swapping(config, &world, &station, swaps);
        Self {
            world,
            station,
            bench,
        }
    }

    pub(super) async fn ask(&self, query: &str) -> Answer {
        self.bench.get(&format!("/swap/v3/quotes?{query}")).await
    }

    /// The quotes of a query that is well-formed.
    pub(super) async fn quotes(&self, query: &str) -> Vec<Value> {
        let answer = self.ask(query).await;
        assert_eq!(answer.status, 200, "{query}: {}", answer.text());
        serde_json::from_value(answer.json()).unwrap()
    }

    /// The only quote of a query.
    pub(super) async fn quote(&self, query: &str) -> Value {
        let quotes = self.quotes(query).await;
        assert_eq!(quotes.len(), 1, "{query}");
        quotes[0].clone()
    }

    pub(super) async fn post(&self, body: &str) -> Answer {
        let request = Request::post("/swap/v3/build").header("content-type", "application/json");
        send(&self.bench.router, request, Body::from(body.to_owned())).await
    }

    /// Builds a quote, with further fields of the body.
    pub(super) async fn build(&self, quote: &Value, more: Value) -> Answer {
        let mut body = json!({"quoteId": quote["quoteId"]});
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        self.post(&body.to_string()).await
    }

    /// The calls of a quote for the world's trader.
    pub(super) async fn built(&self, quote: &Value, more: Value) -> Value {
        let answer = self.build(quote, more).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    }

    pub(super) fn trader(&self) -> String {
        self.world.trader().address.to_string()
    }
}

/// ETH for USDC.
pub(super) fn sale(amount: &str) -> String {
    format!("sellTokenAddress={ETH}&buyTokenAddress={USDC}&sellAmount={amount}")
}

pub(super) fn hex(value: &Value) -> u128 {
    let text = value.as_str().unwrap();
    u128::from_str_radix(text.strip_prefix("0x").unwrap(), 16).unwrap()
}

/// Calls as the node takes them.
pub(super) fn calls(built: &Value) -> Vec<Call> {
    let call = |call: &Value| Call {
        to: address(&call["contractAddress"]),
        entrypoint: match call["entrypoint"].as_str().unwrap() {
            "approve" => "approve",
            "multi_route_swap" => "multi_route_swap",
            "swap_exact_token_to" => "swap_exact_token_to",
            other => panic!("{other}"),
        },
        calldata: felts(&call["calldata"]),
    };
    built["calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(call)
        .collect()
}

pub(super) fn address(value: &Value) -> Address {
    value.as_str().unwrap().parse().unwrap()
}

fn felts(calldata: &Value) -> Vec<primitives::Felt> {
    let texts = calldata.as_array().unwrap().iter();
    texts
        .map(|text| felt_from_hex(text.as_str().unwrap()).unwrap())
        .collect()
}
