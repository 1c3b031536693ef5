//! What a taker has and lets the exchange contract take, as the node tells it.
//!
//! It is asked at the newest block that the node is known to have. Nobody waits
//! long for it: what is not told in time is not known.

use super::quoter::Inner;
use chain::{RpcError, StarknetClient};
use primitives::{Address, BlockRef, U256};

impl Inner {
    /// How much of a token somebody has, if that can be known.
    pub(super) async fn balance(&self, owner: Address, token: Address) -> Option<U256> {
        let ask = |node: StarknetClient, at| async move { node.balance(token, owner, at).await };
        self.told(ask).await
    }

    /// How much of somebody's token the exchange contract may take, if that can
    /// be known.
    pub(super) async fn allowance(&self, owner: Address, token: Address) -> Option<U256> {
        let exchange = self.terms.as_ref()?.exchange();
        let ask = |node: StarknetClient, at| async move {
            node.allowance(token, owner, exchange, at).await
        };
        self.told(ask).await
    }

    /// What the first node says that answers.
    async fn told<A>(&self, ask: impl Fn(StarknetClient, BlockRef) -> A) -> Option<U256>
    where
        A: Future<Output = Result<Option<U256>, RpcError>>,
    {
        let nodes = self.terms.as_ref()?.nodes();
        let at = self.progress.view().node_head?;
        let asked = async {
            for node in nodes {
                match ask(node.clone(), at).await {
                    Ok(told) => return told,
                    Err(error) => {
                        tracing::debug!(%error, "a node does not say what a taker has");
                    }
                }
            }
            None
        };
        let told = tokio::time::timeout(self.options.patience, asked).await;
        told.ok().flatten()
    }
}
