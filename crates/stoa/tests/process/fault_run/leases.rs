//! Traders who book, pay and cancel leases: no epoch is sold twice, nothing is active
//! unpaid, and nothing that was acknowledged is lost.

use crate::{
    cluster::Cluster,
    harness::{ask, eventually, try_ask},
    market::book_as,
    solana_wallet::SolanaWallet,
};
use serde_json::{Value, json};
use sqlx::PgConnection;

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

/// Two traders with one wallet, and a validator.
pub(super) struct Leases {
    traders: [String; 2],
    validator: Value,
    wallet: SolanaWallet,
    keys: u128,
    acknowledged: Vec<Acknowledged>,
}

impl Leases {
    pub(super) async fn new(cluster: &Cluster) -> Self {
        Self {
            traders: [cluster.bearer("trader"), cluster.bearer("trader")],
            validator: cluster.validator().await,
            wallet: SolanaWallet::funded(cluster.nodes.line("solana")).await,
            keys: 0,
            acknowledged: Vec::new(),
        }
    }

    /// Asks until somebody answers who can: the same request, as clients do.
    async fn insist(&self, url: &str, trader: usize, key: &str, body: &Value) -> (u16, Value) {
        let headers = [("idempotency-key", key)];
        let bearer = &self.traders[trader];
        eventually("an answer", async || {
            let (status, answer) = ask("POST", url, bearer, &headers, body).await;
            (status < 500).then_some((status, answer))
        })
        .await
    }

    pub(super) async fn book(&mut self, cluster: &Cluster, trader: usize, start: u64, count: u64) {
        self.keys += 1;
        let body = json!({
            "validator_id": self.validator["public_id"],
            "epoch_start": start, "epoch_count": count,
        });
        let (bearer, base) = (&self.traders[trader], &cluster.base);
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
            self.acknowledged.push(Acknowledged {
                trader,
                id: text("/data/lease_id"),
                memo: text("/data/payment/memo"),
            });
        }
    }

    /// A payment may come twice, too late, or for what was cancelled.
    pub(super) async fn pay(&self, cluster: &Cluster, which: usize) {
        let Some(lease) = self.chosen(which) else {
            return;
        };
        let url = format!("{}/v1/chain-pay/{}", cluster.base, lease.memo);
        let body = json!({"account": self.wallet.address()});
        let (status, answer) = self.insist(&url, lease.trader, "", &body).await;
        if status != 200 {
            return;
        }
        let params = self.wallet.signed(&answer["transaction"]);
        let body = json!({
            "jsonrpc": "2.0", "id": 1, "method": "sendTransaction", "params": params,
        });
        // The node may be told to refuse it, and its answer to be lost.
        let _ = try_ask("POST", cluster.nodes.line("solana"), "nobody", &[], &body).await;
    }

    pub(super) async fn cancel(&mut self, cluster: &Cluster, which: usize) {
        self.keys += 1;
        if let Some(lease) = self.chosen(which) {
            let url = format!("{}/v1/leases/{}/cancel", cluster.base, lease.id);
            let key = format!("{:026}", self.keys);
            let (status, answer) = self.insist(&url, lease.trader, &key, &json!({})).await;
            // It may be active, or over.
            assert!(matches!(status, 200 | 409 | 422), "{status} {answer}");
        }
    }

    fn chosen(&self, which: usize) -> Option<&Acknowledged> {
        let count = self.acknowledged.len().max(1);
        self.acknowledged.get(which % count)
    }

    /// What holds at every moment.
    pub(super) async fn check(&self, ledger: &mut PgConnection) {
        for invariant in [SOLD_TWICE, UNPAID, SETTLED_TWICE] {
            let broken: i64 = sqlx::query_scalar(invariant)
                .fetch_one(&mut *ledger)
                .await
                .unwrap();
            assert_eq!(broken, 0, "{invariant}");
        }
        for lease in &self.acknowledged {
            let kept: i64 = sqlx::query_scalar("SELECT count(*) FROM ledger.lease WHERE id = $1")
                .bind(&lease.id)
                .fetch_one(&mut *ledger)
                .await
                .unwrap();
            assert_eq!(kept, 1, "{} was acknowledged", lease.id);
        }
    }
}
