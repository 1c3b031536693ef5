//! Requests at two replicas, against the same ones at a single one: processor time of
//! what serves them. Both follow one PostgreSQL while blocks are added to it, and
//! count in one Redis where it is installed.

use crate::{
    Goal, Row,
    http::{Extras, Server, asking, roomy, router},
    median,
};
use primitives::Clock;
use services::{Follower, IndexerOptions, Nodes, RateLimiter, SharedRedis};
use std::{sync::Arc, time::Duration};
use store::{Location, Store};
use tokio_util::sync::CancellationToken;
use world::{Engine, OwnRedis, Station, TestDatabase, World, spawn_replica};

const TURNS: usize = 7;

/// Requests of a connection to the single replica; to each of two, half as many.
const REQUESTS: usize = 1_000;

pub(crate) fn rows() -> Vec<Row> {
    if std::env::var_os("STOA_TEST_POSTGRES").is_none() {
        println!("replicas are left out: run ./bench where PostgreSQL is installed");
        return Vec::new();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    vec![Row {
        what: "requests at two replicas, CPU time",
        baseline: "as many at one",
        ratio: runtime.block_on(ratio()),
        goal: Goal::AtMost(1.1),
    }]
}

async fn ratio() -> f64 {
    let world = Arc::new(World::with_history(1, 40).await);
    let database = TestDatabase::new(Engine::Postgres).await;
    let store = database.store().await;
    let mut station = world.station_on(store, IndexerOptions::default()).await;
    station.sync().await;
    let redis = has_redis().then(OwnRedis::start);
    let url = redis.as_ref().map(OwnRedis::url);
    let [one, other] = [(); 2].map(|()| replica(&world, &database.location, url.clone()));
    let asked = [
        asking("/v1/starknet/tokens?page=0&size=20"),
        asking("/v3/pools?size=5"),
    ];
    let mut ratios = Vec::new();
    for _ in 0..TURNS {
        let block = one_more(&world, &mut station);
        let (alone, ()) = tokio::join!(one.cost(&asked, REQUESTS), block);
        let block = one_more(&world, &mut station);
        let half = REQUESTS / 2;
        let (first, second, ()) =
            tokio::join!(one.cost(&asked, half), other.cost(&asked, half), block);
        ratios.push(f64::midpoint(first, second) / alone);
    }
    median(ratios)
}

fn has_redis() -> bool {
    let asked = std::process::Command::new("redis-server")
        .arg("--version")
        .output();
    asked.is_ok()
}

async fn one_more(world: &World, station: &mut Station) {
    world.node.mine(1).unwrap();
    station.sync().await;
}

/// A process that only serves, as far as one can be had on a thread.
fn replica(world: &Arc<World>, location: &Location, redis: Option<String>) -> Server {
    let (world, location) = (Arc::clone(world), location.clone());
    Server::start(async move |listener| {
        let clock = Arc::clone(&world.clock) as Arc<dyn Clock>;
        let limiter = match redis {
            Some(url) => {
                let redis = SharedRedis::connect(&url, Arc::clone(&clock)).await;
                Some(RateLimiter::shared(redis.unwrap(), Arc::clone(&clock)))
            }
            None => None,
        };
        let store = Store::open(&location).await.unwrap();
        // Its indexer does nothing.
        let station = world.station_on(store.clone(), IndexerOptions::default());
        let station = station.await;
        let follower = Follower::new(
            store.clone(),
            Nodes::new(Vec::new(), 1),
            world.known.clone(),
            station.snapshots.clone(),
            station.progress.clone(),
            clock,
            IndexerOptions::default().poll,
        );
        let stop = CancellationToken::new();
        spawn_replica(follower, &store, &stop);
        let extras = Extras {
            limiter,
            ..Extras::default()
        };
        let router = router(&world, &station, extras);
        api::serve(listener, router, roomy(), stop, Duration::ZERO).await
    })
}
