//! A cluster whose parts are restarted, killed, paused and left alone: clients notice
//! nothing of what is planned, and nothing that was acknowledged is lost by what is not.

use crate::{
    cluster::{Cluster, Part},
    harness::{ETH, STRK, ask, eventually, get},
    market::book_as,
};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

pub(crate) const UNLIMITED: &[(&str, &str)] = &[("STOA__LIMITS__ENABLED", "false")];

/// Where one asks for quotes of one ETH.
pub(crate) fn quotes_url(base: &str) -> String {
    format!(
        "{base}/swap/v3/quotes?sellTokenAddress={ETH}&buyTokenAddress={STRK}\
         &sellAmount=0xde0b6b3a7640000"
    )
}

/// Clients at once.
const CLIENTS: u64 = 6;

/// What clients do until they are told to stop. Every answer that is not as it should
/// be ends the test.
struct Load {
    clients: JoinSet<()>,
    asked: Arc<AtomicU64>,
    stop: CancellationToken,
}

impl Load {
    fn start(cluster: &Cluster, bearer: &str, validator: &Value) -> Self {
        let (asked, stop) = (Arc::<AtomicU64>::default(), CancellationToken::new());
        let mut clients = JoinSet::new();
        for client in 0..CLIENTS {
            let visitor = Visitor {
                base: cluster.base.clone(),
                bearer: bearer.to_owned(),
                validator: validator["public_id"].clone(),
                http: reqwest::Client::builder()
                    .no_proxy()
                    .tls_certs_only([])
                    .build()
                    .unwrap(),
            };
            let (asked, stop) = (Arc::clone(&asked), stop.clone());
            clients.spawn(async move {
                for round in 0.. {
                    if stop.is_cancelled() {
                        break;
                    }
                    asked.fetch_add(visitor.visit(client, round).await, Ordering::Relaxed);
                }
            });
        }
        Self {
            clients,
            asked,
            stop,
        }
    }

    /// Waits until so many requests were answered.
    async fn reaches(&self, count: u64) {
        while self.asked.load(Ordering::Relaxed) < count {
            // A client that ended has failed.
            assert_eq!(self.clients.len(), usize::try_from(CLIENTS).unwrap());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    async fn end(mut self) {
        self.stop.cancel();
        while let Some(ended) = self.clients.join_next().await {
            ended.unwrap();
        }
    }
}

/// One client, on connections that it keeps.
struct Visitor {
    base: String,
    bearer: String,
    validator: Value,
    http: reqwest::Client,
}

impl Visitor {
    /// Reads, computes and, now and then, writes. Returns how many requests that were.
    async fn visit(&self, client: u64, round: u64) -> u64 {
        let base = &self.base;
        let reads = [
            format!("{base}/v3/tokens/table?size=20"),
            format!("{base}/v1/validators"),
            quotes_url(base),
            format!("{base}/v3/pools?size=5"),
        ];
        for url in &reads {
            self.expect(self.http.get(url), 200).await;
        }
        let prices = self.http.post(format!("{base}/v3/tokens/prices"));
        let body = json!({"tokens": [ETH, STRK]}).to_string();
        self.expect(prices.body(body), 200).await;
        if !round.is_multiple_of(8) {
            return 5;
        }
        let epoch = 1_000 + client * 100_000 + round;
        let booking = json!({
            "validator_id": self.validator, "epoch_start": epoch, "epoch_count": 1,
        });
        let request = self.http.post(format!("{base}/v1/leases"));
        let request = request.bearer_auth(&self.bearer);
        let request = request.header("idempotency-key", format!("{epoch:026}"));
        let booked = self.expect(request.body(booking.to_string()), 201).await;
        // Unpaid bookings are limited.
        let booked: Value = serde_json::from_str(&booked).unwrap();
        let id = booked["data"]["lease_id"].as_str().unwrap();
        let request = self.http.post(format!("{base}/v1/leases/{id}/cancel"));
        let request = request.bearer_auth(&self.bearer);
        let request = request.header("idempotency-key", format!("1{epoch:025}"));
        self.expect(request.body("{}"), 200).await;
        7
    }

    async fn expect(&self, request: reqwest::RequestBuilder, status: u16) -> String {
        let request = request.header("content-type", "application/json");
        let answer = request.send().await.unwrap();
        let (found, url) = (answer.status().as_u16(), answer.url().clone());
        let body = answer.text().await.unwrap();
        assert_eq!(found, status, "{url}: {body}");
        body
    }
}

/// Restarts every part in turn, again and again, until so many requests were answered.
async fn restarts_go_unnoticed(requests: u64) {
    let mut cluster = Cluster::start(UNLIMITED).await;
    let (bearer, validator) = (cluster.bearer("trader"), cluster.validator().await);
    let load = Load::start(&cluster, &bearer, &validator);
    loop {
        for part in Part::ALL {
            let before = load.asked.load(Ordering::Relaxed);
            cluster.end_part(part, "TERM");
            cluster.start_part(part);
            load.reaches(before + 1).await;
        }
        if load.asked.load(Ordering::Relaxed) >= requests {
            break;
        }
    }
    load.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rolling_restart_fails_no_request() {
    restarts_go_unnoticed(1_000).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: ./test --all"]
async fn rolling_restarts_fail_none_of_100_000_requests() {
    restarts_go_unnoticed(100_000).await;
}

/// Bookings that were acknowledged, by the epoch that each has.
struct Bookings {
    bearer: String,
    validator: Value,
    next: u64,
    acknowledged: BTreeMap<u64, Value>,
}

impl Bookings {
    /// Books an epoch that nobody has, as soon as that is possible: the same request
    /// again and again, as clients do that were not answered.
    async fn one_more(&mut self, cluster: &Cluster) {
        self.next += 1;
        let epoch = 1_000 + self.next;
        let body = json!({
            "validator_id": self.validator["public_id"], "epoch_start": epoch, "epoch_count": 1,
        });
        let (bearer, base) = (&self.bearer, &cluster.base);
        let booked = eventually("a booking is possible", async || {
            let (status, answer) = book_as(bearer, base, u128::from(epoch), &body).await;
            let is_late = matches!(status, 409 | 500 | 502 | 503 | 504);
            assert!(status == 201 || is_late, "{status} {answer}");
            (status == 201).then_some(answer)
        });
        self.acknowledged
            .insert(epoch, booked.await["data"].clone());
    }

    /// Each is there once, as it was acknowledged.
    async fn are_kept(&self, cluster: &Cluster) {
        for (epoch, booked) in &self.acknowledged {
            let id = booked["lease_id"].as_str().unwrap();
            let url = format!("{}/v1/leases/{id}", cluster.base);
            let (status, kept) = ask("GET", &url, &self.bearer, &[], &Value::Null).await;
            assert_eq!(status, 200, "{epoch}: {kept}");
            for field in ["epoch_start", "epoch_end", "mode"] {
                assert_eq!(kept["data"][field], booked[field], "{field}");
            }
        }
        let ids = self.acknowledged.values().map(|it| it["lease_id"].clone());
        let ids: std::collections::BTreeSet<String> = ids.map(|id| id.to_string()).collect();
        assert_eq!(ids.len(), self.acknowledged.len());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_fails_nothing_acknowledged_is_lost() {
    let mut cluster = Cluster::start(UNLIMITED).await;
    let mut bookings = Bookings {
        bearer: cluster.bearer("trader"),
        validator: cluster.validator().await,
        next: 0,
        acknowledged: BTreeMap::new(),
    };
    bookings.one_more(&cluster).await;
    for part in Part::ALL {
        cluster.end_part(part, "KILL");
        bookings.one_more(&cluster).await;
        cluster.start_part(part);
        cluster.part(part).signal("STOP");
        bookings.one_more(&cluster).await;
        cluster.part(part).signal("CONT");
        bookings.one_more(&cluster).await;
    }
    cluster.stop_redis();
    bookings.one_more(&cluster).await;
    cluster.start_redis();
    cluster.postgres.stop();
    // What is in memory is served, and writes are refused quickly.
    let tokens = format!("{}/v3/tokens/table?size=1", cluster.base);
    assert_eq!(get(&tokens, None).await.status, 200);
    cluster.postgres.start_again();
    bookings.one_more(&cluster).await;
    cluster.is_whole().await;
    bookings.are_kept(&cluster).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_share_limits_and_quotes() {
    const LIMITED: &[(&str, &str)] = &[("STOA__LIMITS__PUBLIC_REQUESTS", "40")];
    let cluster = Cluster::start(LIMITED).await;
    let quotes = quotes_url(cluster.part(Part::First).line("api"));
    let quote: Value = serde_json::from_str(&get(&quotes, None).await.body).unwrap();
    let wanted = json!({
        "quoteId": quote[0]["quoteId"], "takerAddress": "0x1234", "slippage": 0.01,
    });
    let url = format!("{}/swap/v3/build", cluster.part(Part::Second).line("api"));
    let built = crate::harness::post(&url, wanted.to_string().into_bytes()).await;
    let built: Value = serde_json::from_slice(&built).unwrap();
    assert!(built["calls"].is_array(), "{built}");

    let statuses = {
        let mut statuses = Vec::new();
        let path = format!("{}/v1/starknet/tokens?size=1", cluster.base);
        for _ in 0..45 {
            statuses.push(get(&path, None).await.status);
        }
        statuses
    };
    let taken = statuses.iter().filter(|status| **status == 200).count();
    // Two of the forty were the quote and its calls.
    assert_eq!(taken, 38, "{statuses:?}");
    assert!(statuses[38..].iter().all(|status| *status == 429));
}
