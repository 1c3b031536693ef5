//! Whether the process lives, and whether it serves fresh data.

use crate::operation::OperationState;
use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use primitives::felt_to_hex;
use serde::Serialize;
use services::{ClusterHealth, NodeHealth, PartHealth, Report};
use utoipa::ToSchema;

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
    /// Whether every part is ready.
    ready: bool,
    parts: Parts,
}

/// The parts that data comes from.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Parts {
    /// What trading stands on.
    starknet: Part,
    /// What leasing stands on; absent where there is no marketplace.
    #[serde(skip_serializing_if = "Option::is_none")]
    solana: Option<Cluster>,
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

/// One part.
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
    /// Its hash.
    #[schema(example = "0x5f1a")]
    block_hash: Option<String>,
    /// Seconds since the block's time.
    age_seconds: Option<i64>,
    /// Blocks between it and the newest one known.
    lag_blocks: Option<u64>,
    /// What keeps the part from being ready, or what went wrong last.
    problem: Option<String>,
    /// The nodes that may be asked, the preferred one first.
    nodes: Vec<Node>,
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
            age_seconds: part.age_s,
            lag_blocks: part.lag_blocks,
            problem: part.problem,
            nodes: part.nodes.into_iter().map(Node::from).collect(),
        }
    }
}

/// Life
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

/// Readiness
///
/// Whether the data served is fresh, and of which block it is.
#[utoipa::path(
    get,
    path = "/readyz",
    tag = "Operation",
    responses(
        (status = 200, description = "The data is fresh.", body = Readiness),
        (status = 503, description = "It is not; the parts say why.", body = Readiness),
    ),
)]
pub(crate) async fn readyz(State(state): State<OperationState>) -> Response {
    answer(state.health.report())
}

fn answer(report: Report) -> Response {
    let status = if report.ready {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    let body = Readiness {
        ready: report.ready,
        parts: Parts {
            starknet: report.starknet.into(),
            solana: report.solana.map(Cluster::from),
        },
    };
    (status, Json(body)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use primitives::{BlockRef, Felt};
    use serde_json::json;

    fn part() -> PartHealth {
        PartHealth {
            role: "indexer",
            ready: true,
            block: Some(BlockRef {
                number: 7,
                hash: Felt::from(0xabc),
            }),
            age_s: Some(2),
            lag_blocks: Some(0),
            problem: None,
            nodes: vec![NodeHealth {
                name: "http://node.example".to_owned(),
                block_number: Some(7),
                silent_s: Some(1),
                problem: None,
            }],
        }
    }

    #[test]
    fn a_ready_part_shows_its_block() {
        assert_eq!(
            serde_json::to_value(Part::from(part())).unwrap(),
            json!({
                "role": "indexer", "ready": true, "blockNumber": 7, "blockHash": "0xabc",
                "ageSeconds": 2, "lagBlocks": 0, "problem": null, "nodes": [{
                    "name": "http://node.example", "blockNumber": 7, "silentSeconds": 1,
                    "problem": null
                }]
            })
        );
    }

    #[test]
    fn the_status_says_whether_the_whole_is_ready() {
        for (ready, status) in [
            (true, StatusCode::OK),
            (false, StatusCode::SERVICE_UNAVAILABLE),
        ] {
            let report = Report {
                ready,
                starknet: part(),
                solana: None,
            };
            assert_eq!(answer(report).status(), status);
        }
    }
}
