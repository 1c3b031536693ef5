//! The nodes that may be asked, in the operator's order of preference.
//!
//! A question goes to the first node that does not rest. One that fails rests
//! for a while, and the next one is asked. All must be of one cluster: a node
//! proves it by its genesis hash before it is asked anything else, and again
//! after every failure, for there may be another one behind its address then.

use crate::{error::RpcError, jsonrpc::JsonRpc};
use primitives::SolanaHash;
use serde::{Serialize, de::DeserializeOwned};
use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::Instant;

/// The pause of a node that failed doubles from the first to the second.
const FIRST_REST: Duration = Duration::from_secs(5);
const LONGEST_REST: Duration = Duration::from_mins(1);

pub(super) const NO_PARAMS: [(); 0] = [];

/// One or more nodes of one cluster.
#[derive(Debug)]
pub(super) struct Nodes {
    all: Vec<Node>,
    genesis: SolanaHash,
}

#[derive(Debug)]
struct Node {
    rpc: JsonRpc,
    standing: Mutex<Standing>,
}

#[derive(Debug, Default)]
struct Standing {
    /// Whether it is known to be of our cluster.
    verified: bool,
    failures: u32,
    rests_until: Option<Instant>,
}

impl Nodes {
    /// Asks the nodes for their genesis until one has the right one: `pinned`,
    /// or what the first node says that says anything.
    pub(super) async fn connect(
        nodes: Vec<JsonRpc>,
        pinned: Option<SolanaHash>,
    ) -> Result<Self, RpcError> {
        let all: Vec<_> = nodes.into_iter().map(Node::new).collect();
        let mut failed = RpcError::NoNode;
        for node in &all {
            let genesis = match (node.genesis().await, pinned) {
                (Ok(theirs), Some(ours)) => node.verify(theirs, ours).map(|()| ours),
                (Ok(theirs), None) => node.verify(theirs, theirs).map(|()| theirs),
                (Err(error), _) => Err(error),
            };
            match genesis {
                Ok(genesis) => return Ok(Self { all, genesis }),
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }

    pub(super) fn genesis(&self) -> SolanaHash {
        self.genesis
    }

    /// Scheme, host and port of each.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|node| node.rpc.node())
    }

    /// One call, of one node after the other until one answers.
    pub(super) async fn call<P: Serialize, T: DeserializeOwned>(
        &self,
        method: &'static str,
        params: &P,
    ) -> Result<T, RpcError> {
        let mut failed = RpcError::NoNode;
        for node in self.awake() {
            match node.call(method, params, self.genesis).await {
                Ok(value) => {
                    node.recover();
                    return Ok(value);
                }
                Err(error) if error.is_about_the_question() => return Err(error),
                Err(error) => {
                    node.rest();
                    failed = error;
                }
            }
        }
        Err(failed)
    }

    /// The nodes to ask: those that do not rest, or all if every one does.
    fn awake(&self) -> Vec<&Node> {
        let now = Instant::now();
        let awake: Vec<_> = self.all.iter().filter(|node| !node.rests(now)).collect();
        if awake.is_empty() {
            self.all.iter().collect()
        } else {
            awake
        }
    }
}

impl Node {
    fn new(rpc: JsonRpc) -> Self {
        Self {
            rpc,
            standing: Mutex::default(),
        }
    }

    async fn genesis(&self) -> Result<SolanaHash, RpcError> {
        self.rpc.call("getGenesisHash", &NO_PARAMS).await
    }

    fn verify(&self, theirs: SolanaHash, ours: SolanaHash) -> Result<(), RpcError> {
        if theirs != ours {
            return Err(RpcError::OtherCluster {
                node: self.rpc.node().into(),
                theirs,
                ours,
            });
        }
        self.standing().verified = true;
        Ok(())
    }

    async fn call<P: Serialize, T: DeserializeOwned>(
        &self,
        method: &'static str,
        params: &P,
        ours: SolanaHash,
    ) -> Result<T, RpcError> {
        let verified = self.standing().verified;
        if !verified {
            self.verify(self.genesis().await?, ours)?;
        }
        self.rpc.call(method, params).await
    }

    fn rests(&self, now: Instant) -> bool {
        self.standing().rests_until.is_some_and(|until| now < until)
    }

    fn recover(&self) {
        let mut standing = self.standing();
        standing.failures = 0;
        standing.rests_until = None;
    }

    fn rest(&self) {
        let mut standing = self.standing();
        let doublings = standing.failures.min(10);
        let rest = FIRST_REST.saturating_mul(1 << doublings).min(LONGEST_REST);
        standing.verified = false;
        standing.failures = standing.failures.saturating_add(1);
        standing.rests_until = Instant::now().checked_add(rest);
    }

    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
