//! What the tests of staking share.

use crate::support::{Answer, Bench, send};
use api::ApiConfig;
use axum::{body::Body, http::Request};
use market::following::Following;
use primitives::{Address, Felt, felt_from_hex};
use serde_json::{Value, json};
use services::Staking;
use simnet::{History, StarknetConfig, StarknetNode};
use std::{path::Path, sync::Arc, time::Duration};
use trading::{Call, staking::WithdrawalNames};
use world::{Station, World};

pub(super) const STRK: &str = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d";
pub(super) const DAY: u64 = 86_400;
pub(super) const ONE: u128 = 1_000_000_000_000_000_000;

/// What calls are called here.
const ENTRYPOINTS: [&str; 8] = [
    "approve",
    "enter_delegation_pool",
    "add_to_delegation_pool",
    "exit_delegation_pool_intent",
    "exit_delegation_pool_action",
    "initiate_withdraw",
    "claim_withdraw",
    "claim_rewards",
];

/// A chain with a staker, and the API over it.
pub(super) struct Desk {
    pub(super) world: World,
    pub(super) station: Station,
    pub(super) bench: Bench,
    pub(super) staking: Staking,
}

impl Desk {
    pub(super) async fn new() -> Self {
        Self::with(WithdrawalNames::Documented).await
    }

    pub(super) async fn with(names: WithdrawalNames) -> Self {
        let desk = Self::unread(names).await;
        desk.staking.refresh().await.unwrap();
        desk
    }

    /// The same before the staker was read.
    pub(super) async fn unread(names: WithdrawalNames) -> Self {
        Self::on(World::with_history(3, 12).await, names).await
    }

    /// On a market so large that Bitcoin has a price, in a folder of the caller's.
    pub(super) async fn on_a_large_market(folder: &Path) -> Self {
        let config = StarknetConfig {
            seed: 3,
            block_time: None,
            history: History::blocks(12, Duration::from_secs(2)),
            pools: 120,
            ..StarknetConfig::default()
        };
        let world = World::in_folder(folder, config).await;
        let desk = Self::on(world, WithdrawalNames::Documented).await;
        desk.staking.refresh().await.unwrap();
        desk
    }

    async fn on(mut world: World, names: WithdrawalNames) -> Self {
        let pools = StarknetNode::staking_pools().map(|(pool, _)| pool);
        world.known.following = Arc::new(Following {
            leads: Staking::leads(pools, 0),
            ..Following::default()
        });
        let mut station = world.station("store").await;
        station.sync().await;
        Self::over(world, station, names)
    }

    /// The same chain, read by another store.
    pub(super) async fn anew(&self) -> Value {
        let mut station = self.world.station("another").await;
        station.sync().await;
        let staking = self.world.staking(&station, WithdrawalNames::Documented);
        learn(&staking).await;
        let bench = Bench::configured_of(config(), &self.world, &station).staking(staking);
        bench.get(&self.member_path(STRK)).await.json()
    }

    fn over(world: World, station: Station, names: WithdrawalNames) -> Self {
        let staking = world.staking(&station, names);
        let bench = Bench::configured_of(config(), &world, &station).staking(staking.clone());
        Self {
            world,
            station,
            bench,
            staking,
        }
    }

    pub(super) fn user(&self) -> String {
        self.world.trader().address.to_string()
    }

    pub(super) fn member_path(&self, pool: &str) -> String {
        format!("/staking/v3/pools/{pool}/members/{}", self.user())
    }

    /// What the API says of the user, in the pool of STRK.
    pub(super) async fn member(&self) -> Value {
        let answer = self.bench.get(&self.member_path(STRK)).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> Answer {
        let request = Request::post(path).header("content-type", "application/json");
        send(&self.bench.router, request, Body::from(body.to_string())).await
    }

    /// Asks for calls of the user, in the pool of STRK, with these fields of the
    /// body.
    pub(super) async fn build(&self, action: &str, more: Value) -> Answer {
        let mut body = json!({"userAddress": self.user()});
        let fields = body.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        let path = format!("{}/{action}", self.member_path(STRK));
        self.post(&path, &body).await
    }

    /// The calls, by their names.
    pub(super) async fn calls(&self, action: &str, more: Value) -> Vec<Call> {
        let answer = self.build(action, more).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let built = answer.json();
        assert_eq!(built["chainId"], "0x534e5f53544f41");
        let calls = built["calls"].as_array().unwrap();
        calls.iter().map(call).collect()
    }

    /// Has the user make the calls of an action, and reads the block.
    pub(super) async fn act(&mut self, action: &str, more: Value) {
        let calls = self.calls(action, more).await;
        self.world.execute(&calls).await;
        self.read().await;
    }

    /// Lets time pass.
    pub(super) async fn wait(&mut self, seconds: u64) {
        self.world.node.advance(seconds, 1).unwrap();
        self.read().await;
    }

    pub(super) async fn read(&mut self) {
        self.station.sync().await;
        self.staking.refresh().await.unwrap();
    }
}

/// Reads the staker until all days of the past are known, a few with each reading.
pub(super) async fn learn(staking: &Staking) {
    for _ in 0..4 {
        staking.refresh().await.unwrap();
    }
}

fn config() -> ApiConfig {
    ApiConfig {
        rate_limits: None,
        ..ApiConfig::default()
    }
}

fn call(call: &Value) -> Call {
    let name = call["entrypoint"].as_str().unwrap();
    let entrypoint = ENTRYPOINTS.into_iter().find(|it| *it == name).unwrap();
    let calldata: Vec<Felt> = call["calldata"]
        .as_array()
        .unwrap()
        .iter()
        .map(|felt| felt_from_hex(felt.as_str().unwrap()).unwrap())
        .collect();
    Call {
        to: address(&call["contractAddress"]),
        entrypoint,
        calldata,
    }
}

pub(super) fn address(value: &Value) -> Address {
    value.as_str().unwrap().parse().unwrap()
}

pub(super) fn hex(value: &Value) -> u128 {
    let text = value.as_str().unwrap();
    u128::from_str_radix(text.strip_prefix("0x").unwrap(), 16).unwrap()
}

pub(super) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}
