//! How well validators do, from what the node says.

use crate::leases::people;
use rstest::rstest;
use world::{
    Engine::{self, Postgres, Sqlite},
    Market, TestDatabase,
};

#[rstest]
#[tokio::test]
async fn uptime_and_effectiveness_are_what_the_cluster_says(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let market = Market::at(4, &database.location).await;
    let (_, id, _) = people(&market, 0).await;
    let seen = async || {
        let found = market.leasing.validators.find(id, None).await;
        found.unwrap().unwrap().performance
    };
    assert_eq!(seen().await.uptime, None);
    assert_eq!(seen().await.effectiveness, None);
    let mut watch = market.leasing.block_watch();
    let client = market.nodes.client().unwrap();
    let identity = market.chain_validator(0).identity.public_key();
    let (mut slots, mut blocks) = (0, 0);
    for _ in 0..3 {
        // The end of an epoch, as far as it is final.
        market.node.advance_epochs(1).unwrap();
        market.node.mine(1_000).unwrap();
        market.advance(61);
        watch.round().await.unwrap();
        let produced = client.block_production().await.unwrap();
        let led = produced.by_identity.get(&identity).copied();
        let led = led.unwrap_or_default();
        slots += led.slots;
        blocks += led.blocks;
    }
    assert!(slots > 100 && blocks < slots, "{blocks} of {slots}");
    let found = seen().await;
    let uptime = found.uptime.unwrap().millionths();
    assert_eq!(u64::from(uptime), blocks * 1_000_000 / slots);
    let effectiveness = found.effectiveness.unwrap().millionths();
    assert!((850_000..=1_000_000).contains(&effectiveness));
    // What is older than thirty days does not count.
    market.advance(31 * 86_400);
    watch.round().await.unwrap();
    let produced = client.block_production().await.unwrap();
    let led = produced.by_identity.get(&identity).copied();
    assert_eq!(seen().await.uptime, led.unwrap_or_default().uptime());
}

#[tokio::test]
async fn a_node_that_does_not_tell_holds_nothing_else_up() {
    let market = Market::new(5).await;
    people(&market, 0).await;
    let fault = serde_json::json!({"method": "getBlockProduction", "kind": "dropped", "count": 50});
    market.ask("sim_fault", &fault).await;
    market.advance(61);
    assert!(market.leasing.block_watch().round().await.is_err());
    market.watch().await;
}
