//! A token page over HTTP against a bare "hello" of the same server library.
//!
//! A server has one thread of its own, and what is compared is the processor
//! time of that thread per request. The load generator does not count: neither
//! its time, nor its memory, of which it uses so little that it does not drive
//! the server's answers out of the processor's caches. Both share one
//! processor: across two, what the kernel hands over costs the server twice as
//! much, and the scheduler would decide from turn to turn whether it does.

use crate::{Goal, Row, median};
use api::{Api, ApiConfig, ApiServices, ConnectionLimits, Connections, RateLimits};
use axum::{Router, routing::get};
use futures_util::future::join_all;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use primitives::{Clock, Entropy, SignedDuration};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use services::paymaster::{Paymaster, Sponsors};
use services::{
    ApiKeys, Health, HealthLimits, Policy, RateLimiter, RecurringOrders, Staking, TradeHistory,
};
use std::sync::{Arc, OnceLock, mpsc};
use std::{net::SocketAddr, time::Duration};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use world::{Station, World};

const TURNS: usize = 7;
const CONNECTIONS: usize = 8;
const REQUESTS_PER_CONNECTION: usize = 1_500;

/// Bytes that a connection of the load generator reads at once; headers must
/// fit in.
const READ_BYTES: usize = 32 * 1024;

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
            goal: Goal::AtLeast(0.4),
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
pub(crate) fn router(world: &World, station: &Station, extras: Extras) -> Router {
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
        orders: extras.orders,
        staking: extras.staking,
        paymaster: extras.paymaster,
        sponsors: Sponsors::new(
            station.store.clone(),
            Arc::clone(&clock),
            Arc::clone(&entropy),
        ),
        leasing: None,
        trades: TradeHistory::new(station.store.clone(), station.snapshots.clone()),
        global: services::GlobalFeed::default(),
        swaps: world.swaps(station),
        snapshots: station.snapshots.clone(),
        keys: ApiKeys::new(
            station.store.clone(),
            Arc::clone(&clock),
            Arc::clone(&entropy),
        ),
        limiter: extras
            .limiter
            .unwrap_or_else(|| RateLimiter::local(Arc::clone(&clock))),
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
pub(crate) fn metrics() -> PrometheusHandle {
    static METRICS: OnceLock<PrometheusHandle> = OnceLock::new();
    let install = || PrometheusBuilder::new().install_recorder().unwrap();
    METRICS.get_or_init(install).clone()
}

/// Connections without a limit of one address: all clients are on this machine.
pub(crate) fn roomy() -> Connections {
    Connections::new(ConnectionLimits {
        per_address: usize::MAX,
        ..ConnectionLimits::default()
    })
}

/// What not every service has.
#[derive(Default)]
pub(crate) struct Extras {
    pub(crate) orders: Option<RecurringOrders>,
    pub(crate) staking: Option<Staking>,
    pub(crate) paymaster: Option<Paymaster>,
    /// Where requests are counted, if not in the process.
    pub(crate) limiter: Option<RateLimiter>,
}

/// A server on a thread of its own.
pub(crate) struct Server {
    address: SocketAddr,
    /// Where the kernel counts the processor time of its threads.
    schedstats: Vec<String>,
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
        Self::stoa_with(world, station, Extras::default())
    }

    /// The same with more in it.
    pub(crate) fn stoa_with(world: &World, station: &Station, extras: Extras) -> Self {
        let stoa = router(world, station, extras);
        Self::start(async move |listener| {
            api::serve(
                listener,
                stoa,
                roomy(),
                CancellationToken::new(),
                Duration::ZERO,
            )
            .await
        })
    }

    /// One that is served by this, on a runtime of its own.
    pub(crate) fn start<F: AsyncFnOnce(TcpListener) -> std::io::Result<()> + Send + 'static>(
        serve: F,
    ) -> Self {
        let (tell, told) = mpsc::channel();
        std::thread::spawn(move || {
            share_processor();
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
            schedstats: vec![format!("/proc/{}/schedstat", thread.display())],
        }
    }

    /// Counts all threads of a name as the server's too.
    pub(crate) fn with_threads(mut self, name: &str) -> Self {
        for task in std::fs::read_dir("/proc/self/task").unwrap() {
            let task = task.unwrap().path();
            if std::fs::read_to_string(task.join("comm")).unwrap().trim() == name {
                let schedstat = task.join("schedstat");
                self.schedstats.push(schedstat.display().to_string());
            }
        }
        self
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
        let mut connections = Vec::new();
        for number in 0..CONNECTIONS {
            // Each begins elsewhere.
            let (early, late) = requests.split_at(number * requests.len() / CONNECTIONS);
            let requests = [late, early].concat();
            connections.push(ask(self.address, requests, per_connection));
        }
        let asked: u32 = beside(join_all(connections)).await.into_iter().sum();
        (self.processor_seconds() - before) / f64::from(asked)
    }

    /// Seconds that a request takes, when one connection makes these, one after
    /// another.
    pub(crate) async fn wait(&self, requests: Vec<String>) -> f64 {
        let (address, times) = (self.address, requests.len());
        beside(async move {
            let start = Instant::now();
            let asked = ask(address, requests, times).await;
            start.elapsed().as_secs_f64() / f64::from(asked)
        })
        .await
    }

    /// The body of one answer.
    pub(crate) async fn body(&self, request: &str) -> Vec<u8> {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut buffer = vec![0; READ_BYTES];
        let (mut body, rest) = head(&mut stream, &mut buffer).await;
        let Rest::Counted(length) = rest else {
            panic!("the length is not told");
        };
        while body.len() < length {
            assert!(stream.read_buf(&mut body).await.unwrap() > 0);
        }
        body
    }

    fn processor_seconds(&self) -> f64 {
        let seconds = self.schedstats.iter().map(|schedstat| {
            let text = std::fs::read_to_string(schedstat).unwrap();
            let nanoseconds: f64 = text.split(' ').next().unwrap().parse().unwrap();
            nanoseconds / 1e9
        });
        seconds.sum()
    }
}

/// Does something on a thread of its own, at the processor of all servers.
pub(crate) async fn beside<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    let (tell, told) = oneshot::channel();
    std::thread::spawn(move || {
        share_processor();
        tell.send(runtime().block_on(work)).ok()
    });
    told.await.unwrap()
}

/// Keeps this thread to the processor of all servers and load generators.
fn share_processor() {
    let allowed = sched_getaffinity(None).unwrap();
    let first = (0..CpuSet::MAX_CPU).find(|processor| allowed.is_set(*processor));
    let mut first_alone = CpuSet::new();
    first_alone.set(first.unwrap());
    sched_setaffinity(None, &first_alone).unwrap();
}

/// A request for a path.
pub(crate) fn asking(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: bench\r\n\r\n")
}

/// The same, as `fetch` of Node asks it.
pub(crate) fn asking_gzip(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: bench\r\nAccept-Encoding: gzip, deflate\r\n\r\n")
}

/// Makes requests on one connection, over and over; returns how many.
pub(crate) async fn ask(address: SocketAddr, requests: Vec<String>, times: usize) -> u32 {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let mut buffer = vec![0; READ_BYTES];
    let mut asked = 0;
    for request in requests.iter().cycle().take(times) {
        stream.write_all(request.as_bytes()).await.unwrap();
        let (begun, mut rest) = head(&mut stream, &mut buffer).await;
        rest.arrive(&begun);
        while !rest.is_over() {
            let read = stream.read(&mut buffer).await.unwrap();
            assert!(read > 0, "connection closed");
            rest.arrive(buffer.get(..read).unwrap());
        }
        asked += 1;
    }
    asked
}

/// Reads the head of a successful answer; returns what arrived of its body
/// together with it, and the whole body that is waited for.
async fn head(stream: &mut TcpStream, buffer: &mut [u8]) -> (Vec<u8>, Rest) {
    let mut filled = 0;
    loop {
        let room = buffer.get_mut(filled..).unwrap();
        let read = stream.read(room).await.unwrap();
        assert!(read > 0, "connection closed");
        filled += read;
        let arrived = buffer.get(..filled).unwrap();
        if let Some(end) = arrived.windows(4).position(|four| four == b"\r\n\r\n") {
            let (head, body) = arrived.split_at(end + 4);
            return (body.to_vec(), Rest::after(head));
        }
    }
}

/// What has not arrived yet of a body.
enum Rest {
    /// So many bytes.
    Counted(usize),
    /// Nobody knows how much. These are the last bytes that arrived.
    Chunked(Vec<u8>),
}

impl Rest {
    /// How a body of chunks ends.
    const END: &[u8] = b"\r\n0\r\n\r\n";

    /// The body that follows the head of a successful answer.
    fn after(head: &[u8]) -> Self {
        let head = std::str::from_utf8(head).unwrap().to_lowercase();
        assert!(head.starts_with("http/1.1 20"), "{head}");
        let mut lines = head.lines();
        match lines.find_map(|line| line.strip_prefix("content-length: ")) {
            Some(length) => Self::Counted(length.trim().parse().unwrap()),
            None => Self::Chunked(Vec::new()),
        }
    }

    fn arrive(&mut self, bytes: &[u8]) {
        match self {
            Self::Counted(left) => *left -= bytes.len(),
            Self::Chunked(last) => {
                let skipped = bytes.len().saturating_sub(Self::END.len());
                last.extend_from_slice(bytes.get(skipped..).unwrap());
                last.drain(..last.len().saturating_sub(Self::END.len()));
            }
        }
    }

    fn is_over(&self) -> bool {
        match self {
            Self::Counted(left) => *left == 0,
            Self::Chunked(last) => last == Self::END,
        }
    }
}
