//! Seeded fault runs: a cluster goes through a schedule of commands and faults, and
//! what must always hold is checked after every step. A seed that fails is printed.
//!
//! `cargo xtask simulate --seed N --steps M` runs one of them.

use crate::{
    cluster::{Cluster, Part},
    harness::{ask, call, eventually, get, post},
    market::book_as,
    replicas::{UNLIMITED, quotes_url},
    schedule::{Step, schedule},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use ed25519_dalek::{Signer as _, SigningKey};
use serde_json::{Value, json};
use sqlx::{Connection as _, PgConnection};

/// Leases that share an epoch of a validator.
const SOLD_TWICE: &str = "SELECT count(*) FROM ledger.lease one JOIN ledger.lease other
    ON one.validator_id = other.validator_id AND one.id < other.id
    AND one.epoch_start < other.epoch_end AND other.epoch_start < one.epoch_end
    WHERE one.state IN ('pending_payment', 'active') AND other.state IN ('pending_payment', 'active')";

/// Leases that began without a payment.
const UNPAID: &str = "SELECT count(*) FROM ledger.lease WHERE activated_at IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM ledger.payment
        WHERE lease_id = lease.id AND kind = 'booking' AND status = 'settled')";

/// Payments that one transaction settled twice.
const SETTLED_TWICE: &str = "SELECT count(*) - count(DISTINCT signature) FROM ledger.payment
    WHERE signature IS NOT NULL";

/// A lease that was acknowledged.
struct Acknowledged {
    trader: usize,
    id: String,
    memo: String,
}

struct Run {
    cluster: Cluster,
    traders: [String; 2],
    validator: Value,
    wallet: SigningKey,
    keys: u128,
    leases: Vec<Acknowledged>,
    paused: Option<Part>,
}

impl Run {
    async fn begin() -> Self {
        let cluster = Cluster::start(UNLIMITED).await;
        let accounts = call(cluster.nodes.line("solana"), "sim_accounts", json!({})).await;
        let secret = &accounts["wallets"][3]["secret_key_bytes"];
        let secret: Vec<u8> = serde_json::from_value(secret.clone()).unwrap();
        Self {
            traders: [cluster.bearer("trader"), cluster.bearer("trader")],
            validator: cluster.validator().await,
            wallet: SigningKey::from_bytes(secret[..32].try_into().unwrap()),
            keys: 0,
            leases: Vec::new(),
            paused: None,
            cluster,
        }
    }

    async fn step(&mut self, step: Step) {
        let paused = self.paused.take();
        let (node, solana) = (
            self.cluster.nodes.line("node"),
            self.cluster.nodes.line("solana"),
        );
        match step {
            Step::Book {
                trader,
                start,
                count,
            } => self.book(trader, start, count).await,
            Step::Pay { which } => self.pay(which).await,
            Step::Cancel { which } => self.cancel(which).await,
            Step::Swap => self.swap().await,
            Step::Mine { blocks } => {
                call(node, "sim_mine", json!({ "blocks": blocks })).await;
            }
            Step::Reorganise { depth } => {
                call(node, "sim_reorg", json!({ "depth": depth })).await;
            }
            Step::Finalise => {
                call(solana, "sim_mine", json!({"slots": 40})).await;
            }
            Step::ReorganiseSolana => {
                call(solana, "sim_reorg", json!({})).await;
            }
            Step::Spoil { count } => {
                let fault = json!({"method": "*", "kind": "http_429", "count": count});
                for node in [node, solana] {
                    call(node, "sim_fault", fault.clone()).await;
                }
            }
            Step::Kill(part) if paused != Some(part) => {
                self.cluster.end_part(part, "KILL");
                self.cluster.start_part(part);
            }
            Step::Pause(part) if paused != Some(part) => {
                self.cluster.part(part).signal("STOP");
                self.paused = Some(part);
            }
            Step::Kill(_) | Step::Pause(_) => {}
            Step::RestartRedis => {
                self.cluster.stop_redis();
                self.cluster.start_redis();
            }
        }
        if let Some(part) = paused {
            self.cluster.part(part).signal("CONT");
        }
    }

    /// Asks until somebody answers who can: the same request, as clients do.
    async fn insist(
        &self,
        method: &str,
        path: &str,
        trader: usize,
        key: &str,
        body: &Value,
    ) -> (u16, Value) {
        let url = format!("{}{path}", self.cluster.base);
        let headers = [("idempotency-key", key)];
        let bearer = &self.traders[trader];
        eventually("an answer", async || {
            let (status, answer) = ask(method, &url, bearer, &headers, body).await;
            (status < 500).then_some((status, answer))
        })
        .await
    }

    async fn book(&mut self, trader: usize, start: u64, count: u64) {
        self.keys += 1;
        let body = json!({
            "validator_id": self.validator["public_id"],
            "epoch_start": start, "epoch_count": count,
        });
        let (bearer, base) = (&self.traders[trader], &self.cluster.base);
        let (status, answer) = eventually("an answer", async || {
            let (status, answer) = book_as(bearer, base, self.keys, &body).await;
            (status < 500).then_some((status, answer))
        })
        .await;
        assert!(matches!(status, 201 | 409), "{status} {answer}");
        if status == 201 {
            let text = |place: &str| {
                let text = answer.pointer(place).and_then(Value::as_str);
                text.unwrap().to_owned()
            };
            self.leases.push(Acknowledged {
                trader,
                id: text("/data/lease_id"),
                memo: text("/data/payment/memo"),
            });
        }
    }

    /// A payment may come twice, too late, or for what was cancelled.
    async fn pay(&self, which: usize) {
        let Some(lease) = self.chosen(which) else {
            return;
        };
        let account = bs58(self.wallet.verifying_key().as_bytes());
        let path = format!("/v1/chain-pay/{}", lease.memo);
        let body = json!({ "account": account });
        let (status, answer) = self.insist("POST", &path, lease.trader, "", &body).await;
        if status != 200 {
            return;
        }
        let transaction = answer["transaction"].as_str().unwrap();
        let mut transaction = STANDARD.decode(transaction).unwrap();
        let signature = self.wallet.sign(&transaction[65..]).to_bytes();
        transaction[1..65].copy_from_slice(&signature);
        let params = json!([STANDARD.encode(&transaction), {"encoding": "base64"}]);
        let body = json!({
            "jsonrpc": "2.0", "id": 1, "method": "sendTransaction", "params": params,
        });
        // The node may be told to refuse it.
        post(
            self.cluster.nodes.line("solana"),
            body.to_string().into_bytes(),
        )
        .await;
    }

    async fn cancel(&mut self, which: usize) {
        self.keys += 1;
        if let Some(lease) = self.chosen(which) {
            let path = format!("/v1/leases/{}/cancel", lease.id);
            let key = format!("{:026}", self.keys);
            let body = json!({});
            let (status, answer) = self.insist("POST", &path, lease.trader, &key, &body).await;
            // It may be active, or over.
            assert!(matches!(status, 200 | 409 | 422), "{status} {answer}");
        }
    }

    fn chosen(&self, which: usize) -> Option<&Acknowledged> {
        self.leases.get(which % self.leases.len().max(1))
    }

    /// A quote of one replica is built by the other, or refused with a reason.
    async fn swap(&self) {
        let base = &self.cluster.base;
        let quotes = eventually("quotes", async || {
            let answer = get(&quotes_url(base), None).await;
            assert!(matches!(answer.status, 200 | 502..=504), "{}", answer.body);
            (answer.status == 200).then_some(answer.body)
        });
        let quotes: Value = serde_json::from_str(&quotes.await).unwrap();
        let body = json!({
            "quoteId": quotes[0]["quoteId"], "takerAddress": "0x1234", "slippage": 0.01,
        });
        let url = format!("{base}/swap/v3/build");
        let (status, built) = eventually("calls", async || {
            let (status, built) = ask("POST", &url, "", &[], &body).await;
            (status < 500).then_some((status, built))
        })
        .await;
        let is_refused = built["messages"].is_array() && status < 500;
        assert!(built["calls"].is_array() || is_refused, "{status} {built}");
    }

    /// What holds at every moment.
    async fn check(&self) {
        let mut ledger = PgConnection::connect(&self.cluster.postgres.url)
            .await
            .unwrap();
        for invariant in [SOLD_TWICE, UNPAID, SETTLED_TWICE] {
            let broken: i64 = sqlx::query_scalar(invariant)
                .fetch_one(&mut ledger)
                .await
                .unwrap();
            assert_eq!(broken, 0, "{invariant}");
        }
        for lease in &self.leases {
            let kept: i64 = sqlx::query_scalar("SELECT count(*) FROM ledger.lease WHERE id = $1")
                .bind(&lease.id)
                .fetch_one(&mut ledger)
                .await
                .unwrap();
            assert_eq!(kept, 1, "{} was acknowledged", lease.id);
        }
    }

    /// Once nothing fails any more: all is served again, every payment that can be is
    /// settled, and the chain half is what a first reading of the chain says.
    async fn end(mut self) {
        if let Some(part) = self.paused.take() {
            self.cluster.part(part).signal("CONT");
        }
        let (node, solana) = (
            self.cluster.nodes.line("node"),
            self.cluster.nodes.line("solana"),
        );
        call(solana, "sim_mine", json!({"slots": 40})).await;
        call(node, "sim_pause", json!({})).await;
        self.cluster.is_whole().await;
        self.cluster.is_at_the_head().await;
        self.check().await;
        self.cluster.verify();
    }
}

fn bs58(bytes: &[u8; 32]) -> String {
    primitives::PublicKey::from_bytes(*bytes).to_string()
}

async fn run(seed: u64, steps: usize) {
    let mut run = Run::begin().await;
    for (number, step) in schedule(seed, steps).into_iter().enumerate() {
        eprintln!("seed {seed}, step {number}: {step:?}");
        run.step(step).await;
        run.check().await;
    }
    run.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn seed_1() {
    run(1, 40).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn seed_2() {
    run(2, 40).await;
}

/// The run that `cargo xtask simulate` asks for.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "cargo xtask simulate"]
async fn chosen_seed() {
    let setting = |name: &str, usual: u64| {
        let value = std::env::var(name);
        value.map_or(usual, |value| value.parse().unwrap())
    };
    let steps = setting("STOA_SIMULATE_STEPS", 100);
    run(
        setting("STOA_SIMULATE_SEED", 3),
        usize::try_from(steps).unwrap(),
    )
    .await;
}
