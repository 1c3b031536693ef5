//! From a block of the simulated node to an answer, through every layer.

use crate::support::Bench;
use primitives::SignedDuration;
use world::World;

#[tokio::test]
async fn tokens_of_a_block_are_listed_as_soon_as_it_is_indexed() {
    let world = World::new(1).await;
    let mut station = world.station("store").await;
    let bench = Bench::of(&world, &station);
    bench.get("/v1/starknet/tokens").await.refused(503);
    station.sync().await;
    let page = bench.get("/v1/starknet/tokens?size=100").await.json();
    assert!(page["totalElements"].as_u64().unwrap() >= 60);
    let token = bench.get("/v1/starknet/tokens/strk").await.json();
    assert_eq!(token["name"], "Starknet Token");
    assert_eq!(token["extensions"]["aggregatorId"], "starknet");
}

#[tokio::test]
async fn readiness_follows_the_freshness_of_the_data() {
    let world = World::new(2).await;
    let mut station = world.station("store").await;
    let bench = Bench::of(&world, &station);
    assert_eq!(bench.get("/readyz").await.status, 503);
    station.sync().await;
    let answer = bench.get("/readyz").await;
    assert_eq!(answer.status, 200);
    let part = &answer.json()["parts"]["starknet"];
    assert_eq!(part["blockNumber"], world.node.head().number);
    assert_eq!(part["lagBlocks"], 0);
    assert_eq!(part.get("nodes"), None, "for those who run it alone");
    world.clock.advance(SignedDuration::from_secs(31));
    assert_eq!(bench.get("/readyz").await.status, 503);
    world.node.mine(1).unwrap();
    station.sync().await;
    assert_eq!(bench.get("/readyz").await.status, 200);
}

#[tokio::test]
async fn a_reorganisation_is_seen_by_the_next_request() {
    let world = World::new(3).await;
    let mut station = world.station("store").await;
    let bench = Bench::of(&world, &station);
    station.sync().await;
    let before = bench.get("/readyz").await.json();
    world.node.reorg(2).unwrap();
    station.sync().await;
    let after = bench.get("/readyz").await.json();
    let hash = |answer: &serde_json::Value| answer["parts"]["starknet"]["blockHash"].clone();
    assert_ne!(hash(&before), hash(&after));
    assert_eq!(bench.get("/v1/starknet/tokens").await.status, 200);
}
