//! A node behind its JSON-RPC.

use super::node::SolanaNode;
use super::rpc;
use crate::caller::Caller;

impl SolanaNode {
    /// The node's JSON-RPC at `/solana`: over HTTP, and over WebSocket.
    pub fn router(&self) -> axum::Router {
        rpc::router(self.clone())
    }

    /// Answers a JSON-RPC request as [`Self::router`] does, without HTTP and its
    /// faults; `None` if it asks for no answer.
    pub fn answer(&self, request: &[u8]) -> Option<String> {
        rpc::answer(self, Caller::Own, request).0
    }
}
