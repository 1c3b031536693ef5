//! Reaching the nodes of a Solana cluster: now, or as soon as one of them answers.

use crate::{ambient::entropy, config::Config};
use anyhow::Context as _;
use chain::{RpcError, RpcOptions, SolanaClient};
use primitives::SolanaHash;
use services::leasing::SolanaNodes;
use std::time::Duration;
use store::Store;
use tokio_util::sync::CancellationToken;
use url::Url;

/// How often nodes are asked that have not answered yet.
const EVERY: Duration = Duration::from_secs(5);

/// Where the nodes of a cluster are.
#[derive(Debug, Clone)]
pub(super) struct ClusterNodes {
    urls: Vec<Url>,
    options: RpcOptions,
    /// The only cluster that is meant.
    genesis: Option<SolanaHash>,
    /// What it is called when it cannot be used.
    name: String,
}

/// Nodes, and the cluster that they are of.
#[derive(Debug)]
pub(super) struct Reached {
    pub(super) nodes: SolanaNodes,
    pub(super) genesis: SolanaHash,
    /// Where none has answered: who asks them again.
    pub(super) late: Option<LateNodes>,
}

/// Nodes that did not answer at the start.
#[derive(Debug, Clone)]
pub(crate) struct LateNodes {
    of: ClusterNodes,
    nodes: SolanaNodes,
}

impl ClusterNodes {
    /// The configured nodes, or else a `simulated` one; none if there is neither.
    pub(super) fn of(config: &Config, simulated: Option<&Url>) -> Option<Self> {
        let (urls, name) = match (&config.solana.rpc, simulated) {
            (Some(urls), _) => (
                urls.iter().map(|url| url.expose().clone()).collect(),
                format!("the Solana node {urls}, see --solana-rpc"),
            ),
            (None, Some(url)) => (vec![url.clone()], "the simulated Solana node".to_owned()),
            (None, None) => return None,
        };
        Some(Self {
            urls,
            options: RpcOptions {
                timeout: config.solana.timeout,
                ..RpcOptions::default()
            },
            genesis: config.solana.genesis,
            name,
        })
    }

    /// Nodes one of which answers now.
    pub(super) async fn reach(&self) -> anyhow::Result<Reached> {
        let connected = self.connect().await;
        connected.map(reached).with_context(|| self.context())
    }

    /// The same; where none answers, the cluster is the one that the ledger was used
    /// for before. A ledger that was used for none, or on a simulated network, says
    /// nothing.
    pub(super) async fn reach_or_remember(
        mut self,
        store: &Store,
        is_simulated: bool,
    ) -> anyhow::Result<Reached> {
        let error = match self.connect().await {
            Ok(client) => return Ok(reached(client)),
            Err(error) => error,
        };
        let ledger = store.ledger();
        let known = ledger.cluster().await?;
        let is_strange = !is_simulated && ledger.has_published_tokens().await?;
        let known = known.filter(|_| error.is_transient() && !is_strange);
        let Some(genesis) = known.filter(|it| self.genesis.is_none_or(|ours| ours == *it)) else {
            return Err(error).with_context(|| self.context());
        };
        let error = format!("{:#}", anyhow::Error::from(error));
        tracing::warn!(
            error,
            "no Solana node answers: what the ledger has is served"
        );
        self.genesis = Some(genesis);
        let nodes = SolanaNodes::default();
        Ok(Reached {
            nodes: nodes.clone(),
            genesis,
            late: Some(LateNodes { of: self, nodes }),
        })
    }

    async fn connect(&self) -> Result<SolanaClient, RpcError> {
        SolanaClient::connect(&self.urls, self.options, &entropy(), self.genesis).await
    }

    fn context(&self) -> String {
        format!("cannot use {}", self.name)
    }
}

fn reached(client: SolanaClient) -> Reached {
    Reached {
        genesis: client.genesis(),
        nodes: SolanaNodes::connected(client),
        late: None,
    }
}

impl LateNodes {
    /// Asks until one answers, and then waits until told to stop.
    pub(crate) async fn run(self, stop: CancellationToken) {
        while let Some(()) = stop.run_until_cancelled(tokio::time::sleep(EVERY)).await {
            match stop.run_until_cancelled(self.of.connect()).await {
                Some(Ok(client)) => {
                    tracing::info!("a Solana node answers");
                    self.nodes.connect(client);
                    return stop.cancelled().await;
                }
                Some(Err(error)) if !error.is_transient() => {
                    let error = format!("{:#}", anyhow::Error::from(error));
                    tracing::warn!(error, "the Solana node cannot be used");
                }
                Some(Err(_)) | None => {}
            }
        }
    }
}
