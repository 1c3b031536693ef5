//! Somebody who orders again and again: no cycle is executed twice, and what is told of
//! orders is what the chain has.

use super::starknet::{Starknet, Wallet, amount, built_call, felt, joined};
use crate::{
    cluster::Cluster,
    harness::{ETH, STRK, USDC, ask, eventually, get},
};
use primitives::{Felt, U256};
use serde_json::{Value, json};
use sqlx::PgConnection;
use std::collections::BTreeMap;

/// What is sold, what is bought, and a part.
const WISHES: [(&str, &str, u128); 3] = [
    (ETH, USDC, 10_000_000_000_000_000),
    (USDC, ETH, 20_000_000),
    (STRK, USDC, 50_000_000_000_000_000_000),
];

/// Cycles for which two transactions may do something.
const KEPT_TWICE: &str = "SELECT count(*) FROM (
    SELECT split_part(purpose, ' attempt ', 1) FROM ledger.send
    WHERE purpose LIKE 'recurring order %' AND superseded = 0 AND state IN ('open', 'landed')
    GROUP BY 1 HAVING count(*) > 1) AS twice";

/// Who orders.
pub(super) struct Orders(Wallet);

/// A cycle that somebody took care of.
struct Kept {
    order: Felt,
    sold: Option<U256>,
}

impl Orders {
    pub(super) fn new(wallet: Wallet) -> Self {
        Self(wallet)
    }

    pub(super) async fn order(
        &self,
        cluster: &Cluster,
        node: &Starknet,
        wish: usize,
        cycles: u128,
    ) {
        let (sold, bought, part) = WISHES[wish];
        let body = json!({
            "traderAddress": self.0.address,
            "sellTokenAddress": sold, "buyTokenAddress": bought,
            "sellAmount": (part * cycles).to_string(),
            "sellAmountPerCycle": part.to_string(),
            "frequency": "PT1M", "pricingStrategy": {},
        });
        let url = format!("{}/dca/v3/orders", cluster.base);
        let built = eventually("an order is built", async || {
            let (status, built) = ask("POST", &url, "nobody", &[], &body).await;
            assert!(matches!(status, 200 | 502..=504), "{status} {built}");
            (status == 200).then_some(built)
        })
        .await;
        let calls = built["calls"].as_array().unwrap();
        let calls: Vec<_> = calls.iter().map(built_call).collect();
        node.execute(&self.0, &calls).await;
    }

    /// What holds at every moment.
    pub(super) async fn check(&self, node: &Starknet, ledger: &mut PgConnection) {
        self.kept(node).await;
        let twice: i64 = sqlx::query_scalar(KEPT_TWICE)
            .fetch_one(ledger)
            .await
            .unwrap();
        assert_eq!(twice, 0, "{KEPT_TWICE}");
    }

    /// The cycles that the chain tells of: each once.
    async fn kept(&self, node: &Starknet) -> Vec<Kept> {
        let events = node.events(&["CycleExecuted", "CycleSkipped"]).await;
        let executed = primitives::selector("CycleExecuted");
        let mut cycles = BTreeMap::new();
        for event in &events {
            let (order, cycle) = (felt(&event["from_address"]), felt(&event["keys"][1]));
            let word = |place: usize| felt(&event["data"][place]);
            let is_executed = felt(&event["keys"][0]) == executed;
            let sold = is_executed.then(|| joined(word(0), word(1)));
            let twice = cycles.insert((order, cycle), Kept { order, sold });
            assert!(twice.is_none(), "a cycle was executed twice: {event}");
        }
        cycles.into_values().collect()
    }

    /// How many cycles the keeper took care of.
    pub(super) async fn count(&self, node: &Starknet) -> usize {
        self.kept(node).await.len()
    }

    /// Once everything has settled, orders are told as they went.
    pub(super) async fn end(&self, cluster: &Cluster, node: &Starknet) {
        let deployed = node.events(&["DcaOrderDeployed"]).await;
        let orders = deployed.iter().map(|event| felt(&event["keys"][1]));
        let mut executed: BTreeMap<Felt, Vec<U256>> =
            orders.map(|order| (order, Vec::new())).collect();
        for kept in self.kept(node).await {
            executed.get_mut(&kept.order).unwrap().extend(kept.sold);
        }
        let trader = self.0.address;
        let url = format!(
            "{}/dca/v3/orders?traderAddress={trader}&size=50",
            cluster.base
        );
        let is_told = |order: &Value| {
            let sold = &executed[&felt(&order["orderAddress"])];
            let part = amount(&order["sellAmountPerCycle"]);
            order["executedTradesCount"] == sold.len() && sold.iter().all(|it| *it == part)
        };
        // Orders are read after the block is.
        eventually("orders are told as they went", async || {
            let told: Value = serde_json::from_str(&get(&url, None).await.body).unwrap();
            let told = told["content"].as_array().unwrap();
            (told.len() == executed.len() && told.iter().all(is_told)).then_some(())
        })
        .await;
        let count: usize = executed.values().map(Vec::len).sum();
        eprintln!("{} orders, {count} cycles executed", executed.len());
    }
}
