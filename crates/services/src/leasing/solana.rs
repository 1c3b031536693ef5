//! The cluster, as far as the market asks it.

use crate::fault::Fault;
use arc_swap::ArcSwapOption;
use chain::{SolanaClient, VoteAccounts};
use primitives::{Clock, SignedDuration, Timestamp};
use std::sync::Arc;
use tokio::sync::Mutex;

/// How long what the cluster said of its validators is believed.
const VOTES_LIFETIME: SignedDuration = SignedDuration::from_secs(60);

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

/// What the cluster said of its validators.
#[derive(Debug, Clone)]
pub(super) struct ClusterVotes {
    pub(super) at: Timestamp,
    pub(super) epoch: u64,
    pub(super) votes: Arc<VoteAccounts>,
}

/// What the cluster said last.
#[derive(Debug)]
pub(super) struct Votes {
    nodes: SolanaNodes,
    clock: Arc<dyn Clock>,
    /// Held while the cluster is asked, so that it is asked once.
    last: Mutex<Option<ClusterVotes>>,
}

impl Votes {
    pub(super) fn new(nodes: SolanaNodes, clock: Arc<dyn Clock>) -> Self {
        Self {
            nodes,
            clock,
            last: Mutex::default(),
        }
    }

    /// What the cluster says of its validators, at most a minute old.
    pub(super) async fn told(&self) -> Result<ClusterVotes, Fault> {
        let now = self.clock.now();
        let mut last = self.last.lock().await;
        if let Some(told) = &*last
            && now.duration_since(told.at).abs() < VOTES_LIFETIME
        {
            return Ok(told.clone());
        }
        let client = self.nodes.client()?;
        let votes = client.vote_accounts().await.map_err(Fault::Solana)?;
        let position = client.epoch_position().await.map_err(Fault::Solana)?;
        let told = ClusterVotes {
            at: now,
            epoch: position.epoch,
            votes: Arc::new(votes),
        };
        *last = Some(told.clone());
        Ok(told)
    }
}
