//! `stoa verify`, as operators run it.

use crate::harness::{Home, Service, call, run, serve, text};
use serde_json::{Value, json};
use store::Location;
use world::{Engine, TestDatabase};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_good_store_is_verified_and_a_changed_row_is_named() {
    let home = Home::new();
    let database = TestDatabase::new(Engine::Postgres).await;
    let Location::Postgres { url } = &database.location else {
        panic!("a database on the server");
    };
    let service = Service::ready(serve(&home.data(), &["--no-sim-people", "--store", url]));
    let node = service.line("node");
    call(node, "sim_pause", json!({})).await;
    let health: Value = serde_json::from_str(&service.get("/readyz").await.body).unwrap();
    let newest = health.pointer("/parts/starknet/blockNumber");
    let from = newest.and_then(Value::as_u64).unwrap() - 30;
    let verify = |from: u64| {
        let from = from.to_string();
        run(&[
            "verify",
            "--from",
            &from,
            "--store",
            url,
            "--starknet-rpc",
            node,
        ])
    };
    let output = verify(from);
    let told = text(&output.stdout);
    assert!(output.status.success(), "{told}{}", text(&output.stderr));
    assert!(told.contains("different"), "{told}");

    let block = from + 7;
    let sql = format!("UPDATE block SET figures = '\\x00' WHERE number = {block}");
    database.execute("chain", &sql).await.unwrap();
    let output = verify(from);
    let told = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{told}");
    let line = format!("block {block}: candles, volumes and prices");
    assert!(told.lines().any(|it| it == line), "{told}");

    let output = verify(u64::MAX / 4);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("the store has the blocks"));
}
