//! Requests that keep coming at half of what the program can take, while blocks come
//! and go and epochs are booked: answers stay quick, and memory stays as it is.
//!
//! Requests are sent when their time has come, whether earlier ones were answered or
//! not, and are timed from then on. The measure is the same program without load.

use crate::{
    harness::{Home, Service, ask, call, serve},
    market::{TRADER, base, book, register},
    replicas::quotes_url,
};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tokio::{
    task::JoinSet,
    time::{Instant, MissedTickBehavior, interval, sleep_until},
};
use tokio_util::task::AbortOnDropHandle;

/// How often somebody asks when it is idle, and for how long.
const IDLE_PER_SECOND: f64 = 25.0;
const IDLE: Duration = Duration::from_secs(20);

/// A slower idle p99 is a stall, next to which any load would look quick.
const IDLE_P99: f64 = 0.25;

/// Clients that ask without a pause, and for how long, to see how much it can take.
const CLIENTS: usize = 16;
const FULL: Duration = Duration::from_secs(10);

/// The p99 under load may be so many times the idle one.
const SLOWER: f64 = 5.0;

/// Memory may grow so much after the first third: there are more blocks.
const LARGER: f64 = 1.1;

struct Clients {
    http: reqwest::Client,
    urls: Vec<String>,
}

impl Clients {
    fn of(base: &str) -> Arc<Self> {
        let paths = [
            "/v3/tokens/table?size=20",
            "/v3/pools?size=5",
            "/v1/validators",
        ];
        let mut urls: Vec<String> = paths.iter().map(|path| format!("{base}{path}")).collect();
        urls.push(quotes_url(base));
        let http = reqwest::Client::builder().no_proxy().tls_certs_only([]);
        Arc::new(Self {
            http: http.build().unwrap(),
            urls,
        })
    }

    async fn ask(&self, number: usize) {
        let url = &self.urls[number % self.urls.len()];
        let answer = self.http.get(url).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{url}");
        answer.bytes().await.unwrap();
    }

    /// Requests per second when each client asks again as soon as it was answered.
    async fn most(self: &Arc<Self>) -> f64 {
        let (begun, mut asking) = (Instant::now(), JoinSet::new());
        for client in 0..CLIENTS {
            let clients = Arc::clone(self);
            asking.spawn(async move {
                let mut asked = 0;
                while begun.elapsed() < FULL {
                    clients.ask(client + asked).await;
                    asked += 1;
                }
                asked
            });
        }
        let asked: usize = asking.join_all().await.into_iter().sum();
        f64::from(u32::try_from(asked).unwrap()) / begun.elapsed().as_secs_f64()
    }

    /// The p99 of how long answers take, in seconds, at a steady rate.
    async fn p99(self: &Arc<Self>, per_second: f64, length: Duration) -> f64 {
        let (begun, mut asking) = (Instant::now(), JoinSet::new());
        for number in 0_u32.. {
            let due = begun + Duration::from_secs_f64(f64::from(number) / per_second);
            if due - begun > length {
                break;
            }
            sleep_until(due).await;
            let clients = Arc::clone(self);
            asking.spawn(async move {
                clients.ask(usize::try_from(number).unwrap()).await;
                due.elapsed().as_secs_f64()
            });
        }
        let mut seconds = asking.join_all().await;
        seconds.sort_by(f64::total_cmp);
        seconds[seconds.len() * 99 / 100]
    }
}

/// Blocks, reorganisations and bookings, until it is dropped.
fn bustle(service: &Service, validator: &Value) -> AbortOnDropHandle<()> {
    let (base, node) = (base(service), service.line("node").to_owned());
    let validator = validator["public_id"].clone();
    AbortOnDropHandle::new(tokio::spawn(async move {
        let mut ticks = interval(Duration::from_secs(1));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        for second in 0_u64.. {
            ticks.tick().await;
            call(&node, "sim_mine", json!({"blocks": 1})).await;
            if second.is_multiple_of(10) {
                call(&node, "sim_reorg", json!({"depth": 3})).await;
            }
            let body = json!({
                "validator_id": validator, "epoch_start": 1_000 + second, "epoch_count": 1,
            });
            let (status, booked) = book(&base, u128::from(second), &body).await;
            assert_eq!(status, 201, "{booked}");
            // Unpaid bookings are limited.
            let lease = booked["data"]["lease_id"].as_str().unwrap();
            let url = format!("{base}/v1/leases/{lease}/cancel");
            let key = format!("1{second:025}");
            let key = [("idempotency-key", key.as_str())];
            let (status, cancelled) = ask("POST", &url, TRADER, &key, &json!({})).await;
            assert_eq!(status, 200, "{cancelled}");
        }
    }))
}

/// Megabytes that a process has in memory.
async fn memory(service: &Service) -> f64 {
    let figures = service.get("/metrics").await.body;
    let mut lines = figures.lines();
    let bytes = lines.find_map(|line| line.strip_prefix("process_resident_memory_bytes "));
    bytes.unwrap().parse::<f64>().unwrap() / 1_048_576.0
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes, and needs the machine for itself: ./test --all"]
async fn at_half_of_what_it_can_take_answers_stay_quick_and_memory_stays() {
    let home = Home::new();
    let flags = ["--no-sim-people", "--no-rate-limit"];
    let mut command = serve(&home.data(), &flags);
    // All clients have one address here.
    command.env("STOA__SERVER__MAX_CONNECTIONS_PER_ADDRESS", "4096");
    let service = Service::ready(command);
    let validator = register(&service, service.line("solana"), &home, &[]).await;
    let clients = Clients::of(&base(&service));
    let most = clients.most().await;
    let idle = clients.p99(IDLE_PER_SECOND, IDLE).await;
    let bustle = bustle(&service, &validator);
    let third = Duration::from_mins(1);
    clients.p99(most / 2.0, third).await;
    let before = memory(&service).await;
    let loaded = clients.p99(most / 2.0, 2 * third).await;
    let after = memory(&service).await;
    assert!(!bustle.is_finished());
    println!(
        "{most:.0} requests/s at most; p99 {:.1} ms idle, {:.1} ms at half of that; \
         {before:.0} MB, then {after:.0} MB",
        idle * 1e3,
        loaded * 1e3,
    );
    assert!(idle <= IDLE_P99, "{idle} s without any load");
    assert!(loaded <= SLOWER * idle, "{loaded} s against {idle} s");
    assert!(after <= LARGER * before, "{after} MB against {before} MB");
}
