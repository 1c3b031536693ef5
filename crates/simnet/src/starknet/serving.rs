//! A node behind its JSON-RPC, with the aggregator beside it.

use super::node::StarknetNode;
use super::{aggregator, rpc};

impl StarknetNode {
    /// The node's JSON-RPC: `POST /starknet` and `/starknet/rpc/v0_9` answer as
    /// version 0.9.0, `/starknet/rpc/v0_10` as 0.10.0. The same over WebSocket,
    /// with subscriptions, at `/starknet/ws` and below `/starknet/ws/rpc`; the
    /// server must let connections be upgraded. Beside it an aggregator of global
    /// market data, at `/aggregator/api/v3`.
    pub fn router(&self) -> axum::Router {
        rpc::router(self.clone()).merge(aggregator::router(self.clone()))
    }
}
