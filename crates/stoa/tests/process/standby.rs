//! Two processes that index into one store: one writes, the other one waits warm.

use crate::harness::{Home, Service, call, eventually, serve, simnet};
use serde_json::{Value, json};
use sqlx::{Connection as _, PgConnection};
use std::{path::Path, time::Duration};
use store::Location;
use tokio::time::Instant;
use world::{Engine, TestDatabase};

/// Twice the time for which a duty is held.
const TAKEOVER: Duration = Duration::from_secs(8);

fn indexer(data: &Path, store: &str, node: &str) -> Service {
    let flags = ["--no-leasing", "--roles", "indexer", "--store", store];
    let flags = [&flags[..], &["--starknet-rpc", node]].concat();
    Service::ready(serve(data, &flags))
}

/// What a process says of itself.
pub(crate) async fn figure(service: &Service, name: &str) -> Option<u64> {
    let metrics = service.get("/metrics").await.body;
    let mut lines = metrics.lines();
    lines.find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
}

async fn is_in_charge(service: &Service) -> bool {
    figure(service, "stoa_duty_held{duty=\"indexer\"}").await == Some(1)
}

async fn served(service: &Service) -> u64 {
    let health: Value = serde_json::from_str(&service.get("/readyz").await.body).unwrap();
    let number = health.pointer("/parts/starknet/blockNumber");
    number.and_then(Value::as_u64).unwrap()
}

/// Waits until a process has taken over, and until it has indexed a block.
async fn takes_over(service: &Service, since: Instant, node: &str) {
    let taken = async || is_in_charge(service).await.then_some(());
    eventually("somebody else is in charge", taken).await;
    let needed = since.elapsed();
    assert!(needed < TAKEOVER, "{needed:?}");
    call(node, "sim_mine", json!({"blocks": 3})).await;
    follows(service, node).await;
}

/// Waits until a process serves the node's newest block.
async fn follows(service: &Service, node: &str) {
    let head = call(node, "starknet_blockNumber", json!([])).await;
    let reached = async || (served(service).await >= head.as_u64().unwrap()).then_some(());
    eventually("the newest block is served", reached).await;
}

async fn duty(database: &str) -> (String, i64) {
    let mut connection = PgConnection::connect(database).await.unwrap();
    let row = sqlx::query_as("SELECT holder, number FROM chain.duty WHERE name = 'indexer'");
    row.fetch_one(&mut connection).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_indexer_takes_over_and_the_first_one_waits_when_it_wakes_up() {
    let home = Home::new();
    let database = TestDatabase::new(Engine::Postgres).await;
    let Location::Postgres { url } = &database.location else {
        panic!("a database on the server");
    };
    let node = Service::ready(simnet(&home.path("node"), &[]));
    let node = node.line("node");
    call(node, "sim_pause", json!({})).await;
    let first = indexer(&home.path("first"), url, node);
    let second = indexer(&home.path("second"), url, node);
    assert!(is_in_charge(&first).await && !is_in_charge(&second).await);
    call(node, "sim_mine", json!({"blocks": 3})).await;
    follows(&first, node).await;
    follows(&second, node).await;
    assert_eq!(figure(&second, "stoa_indexer_blocks_total").await, None);

    let (stopped, written) = (
        Instant::now(),
        figure(&first, "stoa_indexer_blocks_total").await,
    );
    first.signal("STOP");
    takes_over(&second, stopped, node).await;
    let taken = duty(url).await;
    assert_eq!(taken.1, 2);

    first.signal("CONT");
    let waits = async || (!is_in_charge(&first).await).then_some(());
    eventually("it knows that it was replaced", waits).await;
    call(node, "sim_mine", json!({"blocks": 3})).await;
    follows(&first, node).await;
    let blocks = figure(&first, "stoa_indexer_blocks_total").await;
    assert_eq!(blocks, written, "it wrote after it was replaced");
    assert_eq!(duty(url).await, taken);

    let killed = Instant::now();
    second.end_with("KILL");
    takes_over(&first, killed, node).await;
    assert_eq!(duty(url).await.1, 3);

    // One that ends well lets the next one begin at once.
    let second = indexer(&home.path("second"), url, node);
    let ended = Instant::now();
    first.end_with("TERM");
    takes_over(&second, ended, node).await;
}
