//! Tokens tried out on the simulated node, which may be told that some of them
//! cannot be traded.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use axum::{Router, body::Body, body::Bytes, extract::State, http::Request};
use market::Rehearsed as Outcome;
use primitives::{Address, Felt, U256, felt_to_hex};
use serde_json::{Value, json};
use services::Rehearsals;
use simnet::{History, StarknetConfig};
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::net::TcpListener;
use tower::ServiceExt as _;
use url::Url;
use world::{Station, World, exchange_terms, sale};

const STRK: &str = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d";

/// What the simulated network calls its hostile tokens.
const SNARES: [&str; 2] = ["TITHE", "SIREN"];

/// More than any answer of the node has.
const MAX_BYTES: usize = 1 << 26;

/// A world with small tokens, and with a history in which hostile ones were opened.
async fn world() -> World {
    let folder = tempfile::tempdir().unwrap();
    let config = StarknetConfig {
        seed: 11,
        block_time: None,
        history: History::blocks(124, Duration::from_secs(2)),
        pools: 160,
        ..StarknetConfig::default()
    };
    World::in_folder(&folder.keep(), config).await
}

/// The world's node, except that transactions with some tokens revert.
#[derive(Clone)]
struct Stage {
    node: Router,
    hostile: Arc<Mutex<BTreeSet<Address>>>,
}

impl Stage {
    async fn open(world: &World) -> (Self, Rehearsed) {
        let stage = Self {
            node: world.node.router(),
            hostile: Arc::default(),
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().fallback(answer).with_state(stage.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        let url: Url = format!("http://{address}").parse().unwrap();
        let mut station = world.station("store").await;
        station.sync().await;
        (stage, Rehearsed { url, station })
    }

    fn set_hostile(&self, tokens: impl IntoIterator<Item = Address>) {
        *self.hostile.lock().unwrap() = tokens.into_iter().collect();
    }

    fn reverts(&self, question: &Value) -> bool {
        let calldata = question.pointer("/params/transactions/0/calldata");
        let hostile = self.hostile.lock().unwrap();
        calldata.and_then(Value::as_array).is_some_and(|felts| {
            let words: BTreeSet<&str> = felts.iter().filter_map(Value::as_str).collect();
            let mut hostile = hostile.iter();
            hostile.any(|token| words.contains(&*felt_to_hex(token.felt())))
        })
    }

    async fn one(&self, question: &Value) -> Value {
        let simulates = question["method"] == "starknet_simulateTransactions";
        if simulates && self.reverts(question) {
            let trace = json!({"execute_invocation": {"revert_reason": "TRANSFER_NOT_ALLOWED"}});
            let result = json!([{"transaction_trace": trace}]);
            return json!({"jsonrpc": "2.0", "id": question["id"], "result": result});
        }
        let request = Request::post("/starknet/rpc/v0_10")
            .header("content-type", "application/json")
            .body(Body::from(question.to_string()))
            .unwrap();
        let answer = self.node.clone().oneshot(request).await.unwrap();
        let body = axum::body::to_bytes(answer.into_body(), MAX_BYTES).await;
        serde_json::from_slice(&body.unwrap()).unwrap()
    }
}

async fn answer(State(stage): State<Stage>, body: Bytes) -> String {
    let question: Value = serde_json::from_slice(&body).unwrap();
    let Some(questions) = question.as_array() else {
        return stage.one(&question).await.to_string();
    };
    let mut answers = Vec::new();
    for question in questions {
        answers.push(stage.one(question).await);
    }
    Value::from(answers).to_string()
}

/// A station whose tokens are tried out on a stage.
struct Rehearsed {
    url: Url,
    station: Station,
}

impl Rehearsed {
    async fn open(&self, world: &World) -> Rehearsals {
        let node = world::client(&self.url, &world.entropy);
        let opened = Rehearsals::open(
            vec![node.clone()],
            self.station.store.clone(),
            self.station.snapshots.clone(),
            self.station.progress.clone(),
            exchange_terms(vec![node]),
            &world.known.anchors,
        );
        opened.await.unwrap()
    }

    /// Rehearses at so many further blocks. Returns how that ended.
    async fn play(
        &mut self,
        world: &World,
        rehearsals: &mut Rehearsals,
        blocks: u32,
    ) -> Vec<(Address, Outcome)> {
        let mut ends = Vec::new();
        for _ in 0..blocks {
            world.node.mine(1).unwrap();
            self.station.sync().await;
            ends.extend(rehearsals.round().await.unwrap());
        }
        // What was learned is found with the next look at the store.
        self.station.sync().await;
        ends
    }

    fn shunned(&self) -> BTreeSet<Address> {
        (*self.station.snapshots.load().unwrap().shunned).clone()
    }
}

fn strk() -> Address {
    STRK.parse().unwrap()
}

/// Small tokens with a pool against an anchor.
fn small_tokens(world: &World, station: &Station) -> BTreeSet<Address> {
    let anchors: BTreeSet<Address> = world.known.anchors.iter().collect();
    let snapshot = station.snapshots.load().unwrap();
    let pools = snapshot.pools.iter();
    let pools = pools.filter(|view| view.router().is_some() && view.curve().is_ok());
    let tokens = pools.flat_map(|view| {
        let [a, b] = view.tokens();
        [(a, b), (b, a)]
    });
    let small = tokens.filter(|(it, other)| !anchors.contains(it) && anchors.contains(other));
    small.map(|(token, _)| token).collect()
}

/// How many quotes there are for a little STRK in a token, and for as many units
/// of the token in STRK.
async fn quotes(world: &World, station: &Station, token: Address) -> [usize; 2] {
    let swaps = world.swaps(station);
    let snapshot = station.snapshots.load().unwrap();
    let mut counts = [0; 2];
    for (count, (sell, buy)) in counts.iter_mut().zip([(strk(), token), (token, strk())]) {
        let wanted = sale(sell, buy, U256::from(10).pow(U256::from(15)));
        *count = swaps
            .quote(wanted, Arc::clone(&snapshot))
            .await
            .unwrap()
            .len();
    }
    counts
}

/// Tokens of the simulated network that keep a part of transfers, or that nobody
/// but their owner can sell.
fn snares(station: &Station) -> BTreeSet<Address> {
    let snapshot = station.snapshots.load().unwrap();
    let tokens = snapshot.tokens.tokens().iter();
    let snares = tokens.filter(|token| SNARES.contains(&&*token.metadata.symbol));
    snares.map(|token| token.address).collect()
}

#[tokio::test]
async fn tokens_pass_if_they_do_what_they_say_and_are_shunned_if_they_do_not() {
    let world = world().await;
    let (_, mut rehearsed) = Stage::open(&world).await;
    let mut rehearsals = rehearsed.open(&world).await;
    let tokens = small_tokens(&world, &rehearsed.station);
    let mut ends = rehearsed.play(&world, &mut rehearsals, 1).await;
    let snares = snares(&rehearsed.station);
    assert_eq!(rehearsed.shunned(), snares, "known from the first block on");
    ends.extend(rehearsed.play(&world, &mut rehearsals, 15).await);
    let of = |wanted: Outcome| -> BTreeSet<Address> {
        let ends = ends.iter().filter(|(_, outcome)| *outcome == wanted);
        ends.map(|(token, _)| *token).collect()
    };
    assert_eq!(snares.len(), SNARES.len());
    assert_eq!(of(Outcome::Failed), snares);
    assert_eq!(rehearsed.shunned(), snares);
    for snare in snares {
        assert_eq!(quotes(&world, &rehearsed.station, snare).await, [0, 0]);
    }
    let passed = of(Outcome::Passed);
    assert!(passed.len() >= 10, "{} passed", passed.len());
    // In the long tail, the pools of a few are too small for a rehearsal.
    let told = passed.len() + rehearsed.shunned().len();
    assert!(told * 5 >= tokens.len() * 4, "{told} of {}", tokens.len());
}

#[tokio::test]
async fn a_token_that_cannot_be_sold_is_passed_by_no_route_until_it_can() {
    let world = world().await;
    let (stage, mut rehearsed) = Stage::open(&world).await;
    let tokens = small_tokens(&world, &rehearsed.station);
    let mut quoted = None;
    for token in tokens.difference(&snares(&rehearsed.station)).copied() {
        // What can only be bought, as shares of a vault, is never tried out.
        if quotes(&world, &rehearsed.station, token).await == [1, 1] {
            quoted = Some(token);
            break;
        }
    }
    let token = quoted.unwrap();
    stage.set_hostile([token]);
    let mut rehearsals = rehearsed.open(&world).await;
    // Every token has its turn within a few blocks.
    rehearsed.play(&world, &mut rehearsals, 10).await;
    assert!(rehearsed.shunned().contains(&token));
    assert_eq!(quotes(&world, &rehearsed.station, token).await, [0, 0]);
    let snapshot = rehearsed.station.snapshots.load().unwrap();
    assert!(
        snapshot.tokens.by_address(token).is_some(),
        "people hold it"
    );

    // A restart and a replica know it from the store.
    let again = world.station("store").await;
    assert_eq!(again.snapshots.load().unwrap().shunned, snapshot.shunned);
    let (mut follower, snapshots, _) = world.replica(&rehearsed.station.store, Vec::new());
    follower.look().await.unwrap();
    assert_eq!(snapshots.load().unwrap().shunned, snapshot.shunned);

    // Others who take over the work find that it behaves.
    stage.set_hostile([]);
    let mut rehearsals = rehearsed.open(&world).await;
    rehearsed.play(&world, &mut rehearsals, 2).await;
    assert!(rehearsed.shunned().contains(&token));
    rehearsed.play(&world, &mut rehearsals, 10).await;
    assert!(!rehearsed.shunned().contains(&token));
    assert_eq!(quotes(&world, &rehearsed.station, token).await[0], 1);
    follower.look().await.unwrap();
    assert!(!snapshots.load().unwrap().shunned.contains(&token));
}

#[tokio::test]
async fn tokens_that_failed_and_then_pass_are_taken_back() {
    let world = world().await;
    let (stage, mut rehearsed) = Stage::open(&world).await;
    let tokens = small_tokens(&world, &rehearsed.station);
    let mut rehearsals = rehearsed.open(&world).await;
    for turn in 0..12 {
        let is_odd = turn % 3 < 2;
        stage.set_hostile(tokens.iter().copied().filter(|_| is_odd));
        rehearsed.play(&world, &mut rehearsals, 1).await;
        let shunned = rehearsed.shunned();
        let are_few = shunned.is_subset(&snares(&rehearsed.station));
        assert_eq!(
            are_few,
            turn >= 2,
            "turn {turn}: {} are shunned",
            shunned.len()
        );
    }
}

#[tokio::test]
async fn anchors_are_never_shunned_and_nobody_is_for_what_an_anchor_does() {
    let world = world().await;
    let (stage, mut rehearsed) = Stage::open(&world).await;
    stage.set_hostile(world.known.anchors.stables.iter().copied());
    let mut rehearsals = rehearsed.open(&world).await;
    let ends = rehearsed.play(&world, &mut rehearsals, 12).await;
    let unclear = ends.iter().filter(|(_, end)| *end == Outcome::Unclear);
    assert!(unclear.count() >= 3);
    let snares = snares(&rehearsed.station);
    assert!(rehearsed.shunned().is_subset(&snares));
    // Whatever the store says.
    let all: Vec<Address> = world.known.anchors.iter().collect();
    let store = rehearsed.station.store.clone();
    let other = Address::new(Felt::from(7));
    store.chain().shun(&all, &[]).await.unwrap();
    store.chain().shun(&[other], &[]).await.unwrap();
    let mut expected = rehearsed.shunned();
    expected.insert(other);
    rehearsed.station.sync().await;
    assert_eq!(rehearsed.shunned(), expected);
}
