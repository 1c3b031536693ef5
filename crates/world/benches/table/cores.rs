//! Requests per second by the number of cores of a server, against one core. Those who
//! ask have the other half of the machine.

use crate::{
    Goal, Row,
    http::{Extras, ask, asking, roomy, router},
    median,
};
use axum::Router;
use futures_util::future::join_all;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::{net::SocketAddr, time::Duration};
use tokio::{
    net::TcpListener,
    runtime::{Builder, Runtime},
    time::Instant,
};
use tokio_util::sync::CancellationToken;
use world::World;

const TURNS: usize = 5;
const CONNECTIONS_PER_CORE: usize = 16;
const REQUESTS: usize = 1_000;

/// What is measured where the machine has twice as many cores.
const CORES: [(usize, &str); 4] = [
    (2, "token pages per second on 2 cores"),
    (4, "token pages per second on 4 cores"),
    (8, "token pages per second on 8 cores"),
    (16, "token pages per second on 16 cores"),
];

pub(crate) fn rows() -> Vec<Row> {
    let allowed = sched_getaffinity(None).unwrap();
    let processors = (0..CpuSet::MAX_CPU).filter(|processor| allowed.is_set(*processor));
    let processors: Vec<usize> = processors.collect();
    let (serving, asking) = processors.split_at(processors.len() / 2);
    let measured = CORES
        .into_iter()
        .filter(|(cores, _)| *cores <= serving.len());
    let measured: Vec<(usize, &'static str)> = measured.collect();
    if measured.is_empty() {
        println!("requests by number of cores are left out: this needs four cores");
        return Vec::new();
    }
    let asking = runtime(asking);
    let world_runtime = Builder::new_multi_thread().enable_all().build().unwrap();
    let router = world_runtime.block_on(async {
        let world = World::with_history(1, 40).await;
        let mut station = world.station("bench").await;
        station.sync().await;
        router(&world, &station, Extras::default())
    });
    let per_second = |cores: usize| {
        let server = Served::start(router.clone(), serving.get(..cores).unwrap());
        let turns = (0..TURNS).map(|_| asking.block_on(server.per_second(cores)));
        median(turns.collect())
    };
    let alone = per_second(1);
    let rows = measured.into_iter().map(|(cores, what)| Row {
        what,
        baseline: "on one",
        ratio: per_second(cores) / alone,
        goal: Goal::None,
    });
    rows.collect()
}

/// A runtime that keeps to some processors.
fn runtime(processors: &[usize]) -> Runtime {
    let mut allowed = CpuSet::new();
    for processor in processors {
        allowed.set(*processor);
    }
    Builder::new_multi_thread()
        .worker_threads(processors.len())
        .on_thread_start(move || sched_setaffinity(None, &allowed).unwrap())
        .enable_all()
        .build()
        .unwrap()
}

struct Served {
    address: SocketAddr,
    _runtime: Runtime,
}

impl Served {
    fn start(router: Router, processors: &[usize]) -> Self {
        let runtime = runtime(processors);
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let stop = CancellationToken::new();
        runtime.spawn(api::serve(listener, router, roomy(), stop, Duration::ZERO));
        Self {
            address,
            _runtime: runtime,
        }
    }

    async fn per_second(&self, cores: usize) -> f64 {
        let requests = vec![asking("/v1/starknet/tokens?page=0&size=20")];
        let address = self.address;
        let start = Instant::now();
        let asked = (0..cores * CONNECTIONS_PER_CORE)
            .map(|_| tokio::spawn(ask(address, requests.clone(), REQUESTS)));
        let asked = join_all(asked).await;
        let asked: u32 = asked.into_iter().map(Result::unwrap).sum();
        f64::from(asked) / start.elapsed().as_secs_f64()
    }
}
