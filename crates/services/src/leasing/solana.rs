//! The cluster, as far as the market asks it.

use crate::fault::Fault;
use arc_swap::ArcSwapOption;
use chain::{SolanaClient, VoteAccounts};
use primitives::Timestamp;
use std::sync::Arc;

/// The nodes of a cluster, once one of them has answered. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct SolanaNodes(Arc<ArcSwapOption<SolanaClient>>);

impl SolanaNodes {
    /// Nodes that have answered.
    pub fn connected(client: SolanaClient) -> Self {
        let nodes = Self::default();
        nodes.connect(client);
        nodes
    }

    /// Takes up nodes that have answered now.
    pub fn connect(&self, client: SolanaClient) {
        self.0.store(Some(Arc::new(client)));
    }

    /// The client, if some node has answered yet.
    pub fn client(&self) -> Result<Arc<SolanaClient>, Fault> {
        self.0.load_full().ok_or(Fault::NoSolanaNode)
    }
}

/// The vote accounts that were told last.
#[derive(Debug, Default)]
pub(super) struct Votes(ArcSwapOption<(Timestamp, VoteAccounts)>);
