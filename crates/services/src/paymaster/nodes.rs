//! Nodes that are asked one after the other until one answers.

use crate::fault::Fault;
use chain::{RpcError, StarknetClient};

/// Nodes in the order of preference.
#[derive(Debug, Clone)]
pub(super) struct AskedNodes(pub(super) Vec<StarknetClient>);

impl AskedNodes {
    /// What the first node says that answers; a transaction that fails is an
    /// answer, too.
    pub(super) async fn ask<T, F>(
        &self,
        question: impl Fn(StarknetClient) -> F + Send,
    ) -> Result<Result<T, RpcError>, Fault>
    where
        F: Future<Output = Result<T, RpcError>> + Send,
    {
        let mut failed = Fault::NoNode;
        for node in &self.0 {
            // Apart: it is large, and asked once in a block for most requests.
            match Box::pin(question(node.clone())).await {
                Err(error) if !error.is_execution_failure() => failed = error.into(),
                answer => return Ok(answer),
            }
        }
        Err(failed)
    }
}
