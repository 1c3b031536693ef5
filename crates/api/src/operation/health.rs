//! Whether the process lives, and whether it serves fresh data.

use super::OperationState;
use crate::http::{error::Rejection, json_answer::Json};
use amm::book::Standing;
use axum::{
    extract::{RawQuery, State},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use primitives::felt_to_hex;
use serde::Serialize;
use services::{
    ClusterHealth, HistoryView, LedgerHealth, NodeHealth, PartHealth, Product, RedisState, Report,
    SettlementHealth, TakeoverHealth,
};
use url::form_urlencoded;
use utoipa::{IntoParams, ToSchema};

/// A sign of life.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Alive {
    /// Always `ok`.
    #[schema(example = "ok")]
    status: &'static str,
}

/// Whether the data served is fresh.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Readiness {
    /// Whether every part of what was asked about is ready.
    ready: bool,
    /// What keeps all of it from being ready, whatever its parts say.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<&'static str>,
    parts: Parts,
}

/// The parts that products stand on.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Parts {
    /// What trading stands on.
    starknet: Part,
    /// What leasing stands on; absent where there is no marketplace.
    #[serde(skip_serializing_if = "Option::is_none")]
    solana: Option<Cluster>,
    /// Where leases are kept; absent where there is no marketplace.
    #[serde(skip_serializing_if = "Option::is_none")]
    ledger: Option<Ledger>,
    /// Whether all payments of leases are seen; absent where there is no
    /// marketplace. No product depends on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    settlement: Option<Settlement>,
    /// What replicas share; absent where there is none. No product depends on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    redis: Option<SharedPart>,
}

/// What replicas share but can do without.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SharedPart {
    /// Whether it answers.
    ready: bool,
    /// What is wrong with it.
    problem: Option<&'static str>,
}

impl From<RedisState> for SharedPart {
    fn from(state: RedisState) -> Self {
        let problem = match state {
            RedisState::Asked => None,
            RedisState::LeftAlone => Some("it does not answer, and is left alone for a while"),
        };
        Self {
            ready: problem.is_none(),
            problem,
        }
    }
}

/// Where users, keys and leases are kept.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Ledger {
    /// Whether it can be written to.
    ready: bool,
    /// What keeps the part from being ready.
    problem: Option<&'static str>,
    /// What the database says of that. Only the operations listener tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl From<LedgerHealth> for Ledger {
    fn from(ledger: LedgerHealth) -> Self {
        Self {
            ready: ledger.ready,
            problem: ledger.problem,
            error: ledger.error,
        }
    }
}

/// Whether all payments of leases are seen.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Settlement {
    /// Whether payments are looked for, as far as this process does, and no
    /// transaction has waited for long.
    ready: bool,
    /// Transactions that a node lists and cannot show; they are asked for again.
    parked: u64,
    /// Seconds for which the oldest of them has waited.
    parked_seconds: Option<i64>,
    /// What is wrong.
    problem: Option<&'static str>,
}

impl From<SettlementHealth> for Settlement {
    fn from(settlement: SettlementHealth) -> Self {
        Self {
            ready: settlement.ready,
            parked: settlement.parked,
            parked_seconds: settlement.parked_s,
            problem: settlement.problem,
        }
    }
}

/// The cluster that leases are paid on.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Cluster {
    /// Whether it is known where the chain is.
    ready: bool,
    /// The epoch, counted on while no node answers.
    epoch: Option<u64>,
    /// The slot, counted on while no node answers.
    slot: Option<u64>,
    /// Seconds since a node answered.
    silent_seconds: Option<i64>,
    /// What keeps the part from being ready.
    problem: Option<&'static str>,
}

impl From<ClusterHealth> for Cluster {
    fn from(cluster: ClusterHealth) -> Self {
        Self {
            ready: cluster.ready,
            epoch: cluster.epoch,
            slot: cluster.slot,
            silent_seconds: cluster.silent_s,
            problem: cluster.problem,
        }
    }
}

/// What trading stands on, as this process has it: blocks, pools and prices.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Part {
    /// What this process does for the part: it indexes, or follows an indexer.
    #[schema(example = "indexer")]
    role: &'static str,
    /// Whether the part does its work.
    ready: bool,
    /// The newest block served.
    block_number: Option<u64>,
    /// That block's hash; null before the first block is served.
    #[schema(example = "0x5f1a")]
    block_hash: Option<String>,
    /// A short name for all pools and prices of the block: the same in every process that
    /// serves it.
    #[schema(example = "5c3a91d07be24f60a1b8c9d2e3f40516")]
    digest: Option<String>,
    /// Seconds since the block's time.
    age_seconds: Option<i64>,
    /// Blocks between it and the newest one known.
    lag_blocks: Option<u64>,
    /// What keeps the part from being ready.
    problem: Option<&'static str>,
    /// What went wrong last. Only the operations listener tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// The nodes that may be asked, the preferred one first. Only the operations
    /// listener tells.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nodes: Vec<Node>,
    /// How many pools can be traded with; absent before the first block. That none
    /// can does not keep the part from being ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pools: Option<TradablePools>,
    /// How far pools are taken over near the chain's head; only while they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    takeover: Option<Takeover>,
    /// How far the chain's history is indexed, while what is served began near its
    /// head: whatever has a memory is provisional until then, and every answer says so
    /// with `x-stoa-provisional`.
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<History>,
}

/// How many pools can be traded with.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TradablePools {
    /// All that are followed.
    total: usize,
    /// Those that routes pass.
    tradable: usize,
    /// Both, and why the others are not traded with.
    #[schema(example = "3 of 4 pools are tradable; 1: their venue is switched off")]
    summary: String,
}

impl From<&Standing> for TradablePools {
    fn from(standing: &Standing) -> Self {
        Self {
            total: standing.pools(),
            tradable: standing.tradable(),
            summary: standing.to_string(),
        }
    }
}

/// How far pools are taken over.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Takeover {
    /// Of the past that has to be read.
    percent: u64,
    /// How long the rest takes at the speed so far.
    seconds_left: Option<u64>,
}

impl From<TakeoverHealth> for Takeover {
    fn from(takeover: TakeoverHealth) -> Self {
        Self {
            percent: takeover.percent,
            seconds_left: takeover.seconds_left,
        }
    }
}

/// How far a history is indexed.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct History {
    /// Its newest block.
    block_number: Option<u64>,
    /// The block that it has to reach.
    of_block_number: u64,
    /// How long that takes at the speed so far.
    seconds_left: Option<u64>,
    /// What went wrong last. Only the operations listener tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl From<HistoryView> for History {
    fn from(history: HistoryView) -> Self {
        Self {
            block_number: history.block,
            of_block_number: history.of,
            seconds_left: history.seconds_left,
            error: history.error,
        }
    }
}

/// A node of the chain.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Node {
    /// Its address, without what may be secret.
    #[schema(example = "https://node.example")]
    name: String,
    /// Its newest block when it last answered.
    block_number: Option<u64>,
    /// Seconds since then.
    silent_seconds: Option<i64>,
    /// What went wrong with it last.
    problem: Option<String>,
}

impl From<NodeHealth> for Node {
    fn from(node: NodeHealth) -> Self {
        Self {
            name: node.name,
            block_number: node.block_number,
            silent_seconds: node.silent_s,
            problem: node.problem,
        }
    }
}

impl From<PartHealth> for Part {
    fn from(part: PartHealth) -> Self {
        Self {
            role: part.role,
            ready: part.ready,
            block_number: part.block.map(|block| block.number),
            block_hash: part.block.map(|block| felt_to_hex(block.hash)),
            digest: part.digest.map(|digest| digest.to_string()),
            age_seconds: part.age_s,
            lag_blocks: part.lag_blocks,
            problem: part.problem,
            error: part.error,
            nodes: part.nodes.into_iter().map(Node::from).collect(),
            pools: part.standing.as_deref().map(TradablePools::from),
            takeover: part.takeover.map(Takeover::from),
            history: part.history.map(History::from),
        }
    }
}

/// Health
///
/// Answers as long as the process does.
#[utoipa::path(
    get,
    path = "/healthz",
    tag = "Operation",
    responses((status = 200, description = "The process lives.", body = Alive)),
)]
pub(crate) async fn healthz() -> Json<Alive> {
    Json(Alive { status: "ok" })
}

/// What is asked about, for the documentation.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only its description is used")]
pub(crate) struct ReadinessQuery {
    /// The product that matters to the caller: `trading`, `leasing` or `paymaster`;
    /// without it, everything that is served.
    #[param(example = "trading")]
    product: Option<String>,
}

/// The product that a query asks about, if it names one.
fn product(query: &str) -> Result<Option<Product>, Rejection> {
    let mut products =
        form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == "product");
    let product = match products.next().as_ref().map(|(_, value)| value.as_ref()) {
        None => return Ok(None),
        Some("trading") => Some(Product::Trading),
        Some("leasing") => Some(Product::Leasing),
        Some("paymaster") => Some(Product::Paymaster),
        Some(_) => None,
    };
    let one = product.filter(|_| products.next().is_none());
    let message = "product must be one of trading, leasing, paymaster";
    one.map(Some)
        .ok_or_else(|| Rejection::invalid(message.to_owned()))
}

/// Readiness
///
/// Whether what is served is fresh and can be relied upon, as a whole or for one
/// product, so that one product's trouble need not take the other out of a load
/// balancer. A product that is not served here is not ready.
#[utoipa::path(
    get,
    path = "/readyz",
    tag = "Operation",
    params(ReadinessQuery),
    responses(
        (status = 200, description = "It is ready.", body = Readiness),
        (status = 503, description = "It is not; the parts say why.", body = Readiness),
    ),
)]
pub(crate) async fn readyz(
    State(state): State<OperationState>,
    RawQuery(query): RawQuery,
) -> Result<Response, Rejection> {
    let product = product(query.as_deref().unwrap_or_default())?;
    let report = state.health.report();
    let ready = match product {
        None => report.is_ready(),
        Some(product) => report.is_product_ready(product).unwrap_or(false),
    };
    Ok(answer(ready, report, state.tells_all))
}

/// Who may know all also sees addresses of nodes and texts of errors.
fn answer(ready: bool, mut report: Report, tells_all: bool) -> Response {
    let status = if ready {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    if !tells_all {
        report.starknet.nodes.clear();
        report.starknet.error = None;
        if let Some(history) = &mut report.starknet.history {
            history.error = None;
        }
        if let Some(market) = &mut report.leasing {
            market.ledger.error = None;
        }
    }
    let market = report.leasing;
    let settlement = market.as_ref().map(|market| market.settlement.into());
    let (solana, ledger) = market.map(|market| (market.cluster, market.ledger)).unzip();
    let body = Readiness {
        ready,
        problem: report.is_leaving.then_some("the process is ending"),
        parts: Parts {
            starknet: report.starknet.into(),
            solana: solana.map(Cluster::from),
            ledger: ledger.map(Ledger::from),
            settlement,
            redis: report.redis.map(SharedPart::from),
        },
    };
    (status, Json(body)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use primitives::{BlockRef, Felt};
    use serde_json::json;
    use services::MarketHealth;
    use std::sync::Arc;

    fn part() -> PartHealth {
        PartHealth {
            role: "indexer",
            ready: true,
            block: Some(BlockRef {
                number: 7,
                hash: Felt::from(0xabc),
            }),
            digest: None,
            age_s: Some(2),
            lag_blocks: Some(0),
            problem: None,
            error: Some("refused".to_owned()),
            nodes: vec![NodeHealth {
                name: "http://node.example".to_owned(),
                block_number: Some(7),
                silent_s: Some(1),
                problem: None,
            }],
            standing: Some(Arc::default()),
            takeover: None,
            history: None,
        }
    }

    #[test]
    fn a_ready_part_shows_its_block() {
        assert_eq!(
            serde_json::to_value(Part::from(part())).unwrap(),
            json!({
                "role": "indexer", "ready": true, "blockNumber": 7, "blockHash": "0xabc",
                "digest": null, "ageSeconds": 2, "lagBlocks": 0, "problem": null,
                "error": "refused", "nodes": [{
                    "name": "http://node.example", "blockNumber": 7, "silentSeconds": 1,
                    "problem": null
                }],
                "pools": { "total": 0, "tradable": 0, "summary": "0 of 0 pools are tradable" }
            })
        );
    }

    #[test]
    fn a_part_that_began_near_the_head_says_how_far_the_rest_is() {
        let part = PartHealth {
            takeover: Some(TakeoverHealth {
                percent: 25,
                seconds_left: Some(30),
            }),
            history: Some(HistoryView {
                block: Some(5),
                of: 9,
                seconds_left: Some(4),
                error: Some("pruned".to_owned()),
            }),
            ..part()
        };
        let told = serde_json::to_value(Part::from(part)).unwrap();
        assert_eq!(told["takeover"], json!({"percent": 25, "secondsLeft": 30}));
        let history =
            json!({"blockNumber": 5, "ofBlockNumber": 9, "secondsLeft": 4, "error": "pruned"});
        assert_eq!(told["history"], history);
    }

    #[test]
    fn the_status_says_whether_the_whole_is_ready() {
        for (ready, status) in [
            (true, StatusCode::OK),
            (false, StatusCode::SERVICE_UNAVAILABLE),
        ] {
            assert_eq!(answer(ready, report(), true).status(), status);
        }
    }

    fn report() -> Report {
        let cluster = ClusterHealth {
            ready: true,
            epoch: Some(1),
            slot: Some(2),
            silent_s: Some(0),
            problem: None,
        };
        let ledger = LedgerHealth {
            ready: false,
            problem: Some("the ledger does not answer"),
            error: Some("db.internal refused".to_owned()),
            parked: services::Parked::default(),
        };
        let settlement = SettlementHealth {
            ready: true,
            parked: 0,
            parked_s: None,
            problem: None,
        };
        Report {
            starknet: part(),
            leasing: Some(MarketHealth {
                cluster,
                ledger,
                settlement,
            }),
            redis: Some(RedisState::LeftAlone),
            has_paymaster: true,
            is_leaving: false,
        }
    }

    #[test]
    fn one_product_does_not_take_the_other_down() {
        let report = report();
        assert!(!report.is_ready());
        for (name, ready) in [
            ("trading", Some(true)),
            ("leasing", Some(false)),
            ("paymaster", Some(true)),
        ] {
            let product = product(&format!("product={name}")).unwrap().unwrap();
            assert_eq!(report.is_product_ready(product), ready);
        }
        assert!(report.starknet.ready && report.redis == Some(RedisState::LeftAlone));
        assert_eq!(product("").unwrap(), None);
        for wrong in [
            "product=",
            "product=Trading",
            "product=trading&product=leasing",
        ] {
            assert!(product(wrong).is_err(), "{wrong}");
        }
    }

    #[tokio::test]
    async fn only_those_who_run_it_see_addresses_and_texts_of_errors() {
        for (tells_all, seen) in [(true, 3), (false, 0)] {
            let body = answer(true, report(), tells_all).into_body();
            let bytes = axum::body::to_bytes(body, 10_000).await.unwrap();
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            let inner = ["node.example", "refused", "db.internal"];
            let found = inner.iter().filter(|inner| text.contains(**inner));
            assert_eq!(found.count(), seen, "{text}");
        }
    }
}
