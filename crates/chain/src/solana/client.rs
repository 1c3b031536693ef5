//! The client itself; its questions are in the files beside this one.

use super::nodes::{NO_PARAMS, Nodes};
use crate::{
    error::RpcError,
    jsonrpc::{JsonRpc, RpcOptions},
};
use primitives::{Entropy, SolanaHash};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{num::NonZeroU32, sync::Arc};
use url::Url;

/// A client of one or more nodes of one cluster. Clones share connections,
/// limits and what is known of the nodes.
#[derive(Debug, Clone)]
pub struct SolanaClient(Arc<Nodes>);

/// How settled what a node tells must be.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Commitment {
    /// Most of the stake voted for it.
    Confirmed,
    /// It cannot be taken back.
    Finalized,
}

/// Options that most methods take.
#[derive(Serialize)]
pub(super) struct Settled {
    commitment: Commitment,
}

pub(super) const CONFIRMED: Settled = Settled {
    commitment: Commitment::Confirmed,
};
pub(super) const FINALIZED: Settled = Settled {
    commitment: Commitment::Finalized,
};

/// A value as of some slot.
#[derive(Deserialize)]
pub(super) struct InContext<T> {
    pub(super) value: T,
}

impl SolanaClient {
    /// A client of the nodes at `urls`, the most preferred first.
    ///
    /// They must have the genesis `pinned`, or, if there is none, that of the
    /// first node that answers; at least one must answer now. A node of another
    /// cluster is never asked anything else. Where there are several nodes they
    /// share the attempts: another node is the better second attempt.
    pub async fn connect(
        urls: &[Url],
        options: RpcOptions,
        entropy: &Arc<dyn Entropy>,
        pinned: Option<SolanaHash>,
    ) -> Result<Self, RpcError> {
        let share = u32::try_from(urls.len()).unwrap_or(u32::MAX).max(1);
        let options = RpcOptions {
            attempts: NonZeroU32::new(options.attempts.get() / share).unwrap_or(NonZeroU32::MIN),
            ..options
        };
        let nodes = urls
            .iter()
            .map(|url| JsonRpc::new(url.clone(), options, entropy.clone()))
            .collect::<Result<_, _>>()?;
        let nodes = Nodes::connect(nodes, pinned).await?;
        Ok(Self(Arc::new(nodes)))
    }

    /// Which cluster this is.
    pub fn genesis(&self) -> SolanaHash {
        self.0.genesis()
    }

    /// Scheme, host and port of each node, fit to be shown.
    pub fn nodes(&self) -> impl Iterator<Item = &str> {
        self.0.names()
    }

    /// Whether some node says that it keeps up with its cluster.
    pub async fn is_healthy(&self) -> Result<bool, RpcError> {
        match self.call::<_, String>("getHealth", &NO_PARAMS).await {
            Ok(_) => Ok(true),
            Err(error) if error.is_unhealthy() => Ok(false),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn call<P: Serialize, T: DeserializeOwned>(
        &self,
        method: &'static str,
        params: &P,
    ) -> Result<T, RpcError> {
        self.0.call(method, params).await
    }
}
