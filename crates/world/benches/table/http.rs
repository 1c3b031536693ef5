//! A token page over HTTP against a bare "hello" of the same server library.
//!
//! A server has one thread of its own, and what is compared is the processor
//! time of that thread per request: the load generator does not count.

use crate::{Goal, Row, median};
use api::{Api, ApiConfig, ApiServices, RateLimits};
use axum::{Router, routing::get};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use primitives::{Clock, Entropy, SignedDuration};
use services::{ApiKeys, Health, HealthLimits, Policy, RateLimiter};
use std::sync::{Arc, OnceLock, mpsc};
use std::{net::SocketAddr, time::Duration};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;
use world::{Station, World};

const TURNS: usize = 7;
const CONNECTIONS: usize = 8;
const REQUESTS_PER_CONNECTION: usize = 1_500;

pub(crate) fn token_page() -> Row {
    runtime().block_on(async {
        let world = World::with_history(1, 40).await;
        let mut station = world.station("bench").await;
        station.sync().await;
        let hello = Server::hello();
        let pages = Server::stoa(&world, &station);
        let asked = [asking("/v1/starknet/tokens?page=0&size=20")];
        let mut ratios = Vec::new();
        for _ in 0..TURNS {
            let without = hello.cost_of_hello().await;
            let with = pages.cost(&asked, REQUESTS_PER_CONNECTION).await;
            ratios.push(without / with);
        }
        Row {
            what: "token page of 20, requests",
            baseline: "bare hello, per CPU second of the server",
            ratio: median(ratios),
            goal: Goal::AtLeast(0.5),
        }
    })
}

/// Bare requests per second of one core.
pub(crate) fn hellos_per_second() -> f64 {
    runtime().block_on(async {
        let hello = Server::hello();
        let mut per_second = Vec::new();
        for _ in 0..TURNS {
            per_second.push(1.0 / hello.cost_of_hello().await);
        }
        median(per_second)
    })
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

/// The API as it is served, with limits that are counted but never reached.
fn router(world: &World, station: &Station) -> Router {
    let clock = Arc::clone(&world.clock) as Arc<dyn Clock>;
    let entropy = Arc::clone(&world.entropy) as Arc<dyn Entropy>;
    let policy = Policy {
        limit: u32::MAX,
        window_s: 300,
    };
    let config = ApiConfig {
        rate_limits: Some(RateLimits {
            public: policy,
            keyed: policy,
        }),
        ..ApiConfig::default()
    };
    let limits = HealthLimits {
        max_lag_blocks: 5,
        max_silence: SignedDuration::from_secs(30),
        max_head_age: SignedDuration::from_secs(60),
    };
    let services = ApiServices {
        global: services::GlobalFeed::default(),
        swaps: world.swaps(station),
        snapshots: station.snapshots.clone(),
        keys: ApiKeys::new(
            station.store.clone(),
            Arc::clone(&clock),
            Arc::clone(&entropy),
        ),
        limiter: RateLimiter::local(Arc::clone(&clock)),
        health: Health::new(
            "indexer",
            station.snapshots.clone(),
            station.progress.clone(),
            Arc::clone(&clock),
            limits,
        ),
        clock,
        entropy,
        metrics: metrics(),
    };
    Api::new(config, services).router()
}

/// There is one recorder in a process.
fn metrics() -> PrometheusHandle {
    static METRICS: OnceLock<PrometheusHandle> = OnceLock::new();
    let install = || PrometheusBuilder::new().install_recorder().unwrap();
    METRICS.get_or_init(install).clone()
}

/// A server on a thread of its own.
pub(crate) struct Server {
    address: SocketAddr,
    /// Where the kernel counts that thread's processor time.
    schedstat: String,
}

impl Server {
    /// One that only says hello.
    pub(crate) fn hello() -> Self {
        Self::plain(Router::new().route("/hello", get(|| async { "hello" })))
    }

    /// One without anything that Stoa adds.
    pub(crate) fn plain(router: Router) -> Self {
        Self::start(async move |listener| axum::serve(listener, router).await)
    }

    /// Stoa as it is served.
    pub(crate) fn stoa(world: &World, station: &Station) -> Self {
        let stoa = router(world, station);
        Self::start(async move |listener| {
            api::serve(listener, stoa, CancellationToken::new(), Duration::ZERO).await
        })
    }

    fn start<F: AsyncFnOnce(TcpListener) -> std::io::Result<()> + Send + 'static>(
        serve: F,
    ) -> Self {
        let (tell, told) = mpsc::channel();
        std::thread::spawn(move || {
            runtime().block_on(async move {
                let thread = std::fs::read_link("/proc/thread-self").unwrap();
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                tell.send((listener.local_addr().unwrap(), thread)).unwrap();
                serve(listener).await.unwrap();
            });
        });
        let (address, thread) = told.recv().unwrap();
        Self {
            address,
            schedstat: format!("/proc/{}/schedstat", thread.display()),
        }
    }

    /// Processor seconds per bare request.
    pub(crate) async fn cost_of_hello(&self) -> f64 {
        let asked = [asking("/hello")];
        self.cost(&asked, REQUESTS_PER_CONNECTION).await
    }

    /// Processor seconds per request, when each connection makes so many of
    /// these, one after another.
    pub(crate) async fn cost(&self, requests: &[String], per_connection: usize) -> f64 {
        let before = self.processor_seconds();
        let mut connections = tokio::task::JoinSet::new();
        for number in 0..CONNECTIONS {
            let (early, late) = requests.split_at(number % requests.len());
            let requests = [late, early].concat();
            connections.spawn(ask(self.address, requests, per_connection));
        }
        let asked: u32 = connections.join_all().await.into_iter().sum();
        (self.processor_seconds() - before) / f64::from(asked)
    }

    /// The body of one answer.
    pub(crate) async fn body(&self, request: &str) -> Vec<u8> {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let mut answer = Vec::new();
        exchange(&mut stream, request, &mut answer).await;
        let head = answer.windows(4).position(|four| four == b"\r\n\r\n");
        answer.split_off(head.unwrap() + 4)
    }

    fn processor_seconds(&self) -> f64 {
        let text = std::fs::read_to_string(&self.schedstat).unwrap();
        let nanoseconds: f64 = text.split(' ').next().unwrap().parse().unwrap();
        nanoseconds / 1e9
    }
}

/// A request for a path.
pub(crate) fn asking(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: bench\r\n\r\n")
}

/// Makes requests on one connection, over and over; returns how many.
async fn ask(address: SocketAddr, requests: Vec<String>, times: usize) -> u32 {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let mut answer = Vec::new();
    let mut asked = 0;
    for request in requests.iter().cycle().take(times) {
        exchange(&mut stream, request, &mut answer).await;
        asked += 1;
    }
    asked
}

/// Makes a request and waits for the whole answer.
async fn exchange(stream: &mut TcpStream, request: &str, answer: &mut Vec<u8>) {
    stream.write_all(request.as_bytes()).await.unwrap();
    answer.clear();
    while !is_whole(answer) {
        assert!(
            stream.read_buf(answer).await.unwrap() > 0,
            "connection closed"
        );
    }
}

/// Whether a successful answer has arrived with its whole body.
fn is_whole(answer: &[u8]) -> bool {
    let Some(end) = answer.windows(4).position(|four| four == b"\r\n\r\n") else {
        return false;
    };
    let head = std::str::from_utf8(answer.get(..end).unwrap())
        .unwrap()
        .to_lowercase();
    assert!(head.starts_with("http/1.1 200"), "{head}");
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.unwrap().trim().parse().unwrap();
    answer.len() >= end + 4 + length
}
