//! What the tests of market data share.

use crate::support::{Answer, Bench, send};
use api::{ApiConfig, Dialect};
use axum::{body::Body, http::Request};
use primitives::SignedDuration;
use serde_json::Value;
use simnet::{History, StarknetConfig};
use std::time::Duration;
use world::{Station, World};

/// The resolutions, from the finest on.
pub(super) const RESOLUTIONS: [&str; 9] = ["1", "5", "15", "1H", "4H", "1D", "1W", "1M", "1Y"];

/// Minutes between the blocks of a market's history.
const STEP: SignedDuration = SignedDuration::from_mins(7);

/// A chain on which some hours have passed, and the API over it.
pub(super) struct Market {
    pub(super) world: World,
    pub(super) station: Station,
    pub(super) bench: Bench,
}

impl Market {
    pub(super) async fn new(seed: u64) -> Self {
        Self::speaking(seed, Dialect::Plain).await
    }

    pub(super) async fn speaking(seed: u64, dialect: Dialect) -> Self {
        Self::over(World::new(seed).await, dialect).await
    }

    /// One with many small tokens.
    pub(super) async fn wide() -> Self {
        let config = StarknetConfig {
            seed: 19,
            block_time: None,
            history: History::blocks(8, Duration::from_secs(2)),
            ..StarknetConfig::default()
        };
        let folder = tempfile::tempdir().unwrap().keep();
        Self::over(World::in_folder(&folder, config).await, Dialect::Plain).await
    }

    async fn over(world: World, dialect: Dialect) -> Self {
        let mut station = world.station("store").await;
        let config = ApiConfig {
            dialect,
            rate_limits: None,
            ..ApiConfig::default()
        };
        let bench = Bench::configured_of(config, &world, &station);
        station.sync().await;
        let mut market = Self {
            world,
            station,
            bench,
        };
        market.pass(40).await;
        market
    }

    /// Lets blocks come, some minutes apart.
    pub(super) async fn pass(&mut self, blocks: u64) {
        for _ in 0..blocks {
            self.world.clock.advance(STEP);
            self.world.node.mine(1).unwrap();
        }
        self.station.sync().await;
    }

    /// What a path is answered with, which must be a success.
    pub(super) async fn ok(&self, path: &str) -> Answer {
        let answer = self.bench.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer
    }

    pub(super) async fn json(&self, path: &str) -> Value {
        self.ok(path).await.json()
    }

    /// The address of a token of the list.
    pub(super) async fn address(&self, symbol: &str) -> String {
        let token = self.json(&format!("/v1/starknet/tokens/{symbol}")).await;
        token["address"].as_str().unwrap().to_owned()
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> Answer {
        post(&self.bench, path, body.to_string()).await
    }
}

pub(super) async fn post(bench: &Bench, path: &str, body: String) -> Answer {
    let request = Request::post(path).header("content-type", "application/json");
    send(&bench.router, request, Body::from(body)).await
}

/// The market's document.
pub(super) fn document() -> Value {
    let documents = api::openapi_documents();
    let (_, text) = documents
        .iter()
        .find(|(name, _)| *name == "market.json")
        .unwrap();
    serde_json::from_str(text).unwrap()
}

/// An operation of the document.
pub(super) struct Operation {
    pub(super) method: String,
    /// Its path, with a token's address where it takes one.
    pub(super) path: String,
    pub(super) takes_token: bool,
    pub(super) answers: Vec<String>,
    /// The schema of its answer, or of the items of its answer.
    pub(super) schema: String,
}

impl Operation {
    /// All but the stream, whose answers do not end.
    pub(super) fn all(token: &str) -> Vec<Self> {
        let document = document();
        let paths = document["paths"].as_object().unwrap().clone().into_iter();
        let paths = paths.filter(|(path, _)| !path.ends_with("/stream"));
        let operations = paths.flat_map(|(path, item)| {
            let methods = item.as_object().unwrap().clone().into_iter();
            methods.map(move |(method, operation)| (method, path.clone(), operation))
        });
        // Charts and pictures have other words: charts.rs.
        let ours = |path: &str| !path.starts_with("/udf/") && !path.starts_with("/logo/");
        operations
            .filter(|(_, path, _)| ours(path))
            .map(|(method, path, operation)| {
                let answers = operation["responses"].as_object().unwrap();
                let schema = &answers["200"]["content"]["application/json"]["schema"];
                let schema = schema["items"]["$ref"].as_str().or(schema["$ref"].as_str());
                Self {
                    method: method.to_uppercase(),
                    takes_token: path.contains("{tokenAddress}"),
                    path: path.replace("{tokenAddress}", token),
                    answers: answers.keys().cloned().collect(),
                    schema: schema.unwrap().rsplit('/').next().unwrap().to_owned(),
                }
            })
            .collect()
    }

    /// Asks for what can be answered about a token.
    pub(super) async fn ask(&self, bench: &Bench, token: &str, headers: &[(&str, &str)]) -> Answer {
        let query = match (self.method.as_str(), self.path.ends_with("/prices")) {
            ("GET", true) => format!("?token={token}"),
            _ => String::new(),
        };
        let uri = format!("{}{query}", self.path);
        let mut request = Request::builder().method(self.method.as_str()).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = if self.method == "POST" {
            request = request.header("content-type", "application/json");
            Body::from(format!(r#"{{"tokens":["{token}"]}}"#))
        } else {
            Body::empty()
        };
        send(&bench.router, request, body).await
    }
}
