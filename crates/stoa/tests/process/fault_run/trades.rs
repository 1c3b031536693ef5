//! Somebody who trades: a quote of one replica is built by the other one, or refused
//! for a reason that is documented; and what is executed pays at least its minimum.

use super::starknet::{Landed, Starknet, Wallet, amount, built_call, joined};
use crate::{
    cluster::{Cluster, Part},
    harness::{ETH, STRK, ask, eventually},
    standby::figure,
};
use primitives::{Felt, U256};
use serde_json::{Value, json};
use std::{collections::BTreeMap, time::Duration};
use tokio::time::Instant;

const EXCHANGE: &str = "0x4270219d365d6b017231b52e92b3fb5d7c8378b05e9abc97724537a80e93b0f";

/// What is sold at least.
const PART: u128 = 1_000_000_000_000_000;

/// How long a quote is kept.
const LIFETIME: Duration = Duration::from_secs(30);

const REFUSALS: [&str; 3] = [
    "QUOTE_EXPIRED: ",
    "SLIPPAGE_EXCEEDED: ",
    "INSUFFICIENT_LIQUIDITY: ",
];

/// What was promised.
struct Promise {
    sold: U256,
    least: U256,
}

/// Who trades.
pub(super) struct Trades {
    wallet: Wallet,
    /// By the hash of each transaction.
    promises: BTreeMap<Felt, Promise>,
    refused: u64,
}

impl Trades {
    pub(super) fn new(wallet: Wallet) -> Self {
        Self {
            wallet,
            promises: BTreeMap::new(),
            refused: 0,
        }
    }

    /// Has something quoted by one replica and built by another, and executes it.
    pub(super) async fn trade(
        &mut self,
        cluster: &Cluster,
        node: &Starknet,
        [quoting, building]: [Part; 2],
        parts: u128,
    ) {
        let before = unshared(cluster, [quoting, building]).await;
        let url = format!(
            "{}/swap/v3/quotes?sellTokenAddress={ETH}&buyTokenAddress={STRK}&sellAmount={:#x}",
            cluster.part(quoting).line("api"),
            parts * PART
        );
        let quotes = answered("GET", &url, &Value::Null).await;
        let (asked, quote) = (Instant::now(), &quotes.1[0]);
        assert!(quote.is_object(), "{quotes:?}");
        let body = json!({
            "quoteId": quote["quoteId"], "takerAddress": self.wallet.address, "slippage": 0.01,
        });
        let url = format!("{}/swap/v3/build", cluster.part(building).line("api"));
        let (status, built) = answered("POST", &url, &body).await;
        let Some(calls) = built["calls"].as_array() else {
            let words = built["messages"][0].as_str().unwrap_or_default();
            let is_known = REFUSALS.iter().any(|refusal| words.starts_with(refusal));
            assert!(status == 400 && is_known, "{status} {built}");
            if words.starts_with(REFUSALS[0]) && asked.elapsed() < LIFETIME {
                // Redis did not keep it, and that is counted.
                let now = unshared(cluster, [quoting, building]).await;
                assert!(now > before, "{built}");
            }
            self.refused += 1;
            return;
        };
        let calls: Vec<_> = calls.iter().map(built_call).collect();
        let hash = node.execute(&self.wallet, &calls).await;
        let promise = Promise {
            sold: amount(&quote["sellAmount"]),
            least: amount(&quote["buyAmount"]) * U256::from(99) / U256::from(100),
        };
        self.promises.insert(hash, promise);
    }

    /// What holds once everything has settled.
    pub(super) fn end(&self, landed: &[Landed]) {
        let (mut kept, mut reverted) = (0, 0);
        for it in landed {
            let Some(promise) = self.promises.get(&it.hash()) else {
                continue;
            };
            if let Some(reason) = it.revert_reason() {
                let is_known = reason.contains("Insufficient tokens received");
                assert!(is_known, "{:#x} {reason}", it.hash());
                reverted += 1;
                continue;
            }
            let swap = it.event(EXCHANGE, "Swap").unwrap();
            let [_, _, sold, sold_high, _, bought, bought_high, _] = swap[..] else {
                panic!("{swap:?}");
            };
            assert_eq!(joined(sold, sold_high), promise.sold, "{:#x}", it.hash());
            let bought = joined(bought, bought_high);
            assert!(bought >= promise.least, "{:#x} {bought}", it.hash());
            kept += 1;
        }
        let Self {
            promises, refused, ..
        } = self;
        eprintln!(
            "{} trades sent, {kept} kept, {reverted} reverted, {refused} refused",
            promises.len()
        );
    }
}

/// What a replica answers as soon as it can.
async fn answered(method: &str, url: &str, body: &Value) -> (u16, Value) {
    eventually(url, async || {
        let (status, answer) = ask(method, url, "nobody", &[], body).await;
        assert!(matches!(status, 200 | 400 | 503), "{status} {answer}");
        (status < 500).then_some((status, answer))
    })
    .await
}

/// How often Redis did not keep or give a quote.
async fn unshared(cluster: &Cluster, replicas: [Part; 2]) -> u64 {
    let mut count = 0;
    for part in replicas {
        let of_part = figure(cluster.part(part), "stoa_swap_redis_failures_total").await;
        count += of_part.unwrap_or(0);
    }
    count
}
