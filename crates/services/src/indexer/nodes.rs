//! The nodes that may be asked, in the operator's order of preference.
//!
//! A round begins with a survey of their heads and is then spent with one node,
//! so that its answers fit together. A node that fails, hangs, lags or follows
//! another chain is passed over for a while; the next round goes to another.

use crate::fault::Fault;
use chain::{RpcError, StarknetClient};
use futures_util::{StreamExt, stream::FuturesUnordered};
use primitives::{BlockRef, Felt, SignedDuration, Timestamp};
use std::time::Duration;
use tokio::time::Instant;

/// Once one node has answered, the others have this long.
const PATIENCE: Duration = Duration::from_millis(500);

/// A preferred node may be this many blocks behind another one.
const TOLERATED_LAG: u64 = 2;

/// The pause of a node that failed doubles from the first to the second.
const FIRST_REST: SignedDuration = SignedDuration::from_secs(1);
const LONGEST_REST: SignedDuration = SignedDuration::from_secs(60);

/// What is known of one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeView {
    /// Scheme, host and port.
    pub name: String,
    /// Its head when it last answered.
    pub head: Option<BlockRef>,
    /// When it last said its head; `None` if it never did.
    pub answered_at: Option<Timestamp>,
    /// What went wrong last, if it has not answered well since.
    pub problem: Option<String>,
}

/// One or more nodes of one chain.
#[derive(Debug)]
pub struct Nodes {
    all: Vec<Node>,
    agreement: usize,
    chain_id: Option<Felt>,
}

#[derive(Debug)]
struct Node {
    client: StarknetClient,
    view: NodeView,
    /// Whether it is known to follow our chain.
    verified: bool,
    failures: u32,
    rests_until: Option<Timestamp>,
    /// Whether it rests for what it said, and not for saying nothing.
    misled: bool,
}

impl Node {
    fn recover(&mut self) {
        self.failures = 0;
        self.rests_until = None;
        self.misled = false;
        self.view.problem = None;
    }

    fn rests(&self, now: Timestamp) -> bool {
        // A clock that was set back must not keep a node resting.
        self.rests_until
            .is_some_and(|until| now < until && until.duration_since(now) <= LONGEST_REST)
    }
}

/// The node that a round is spent with.
#[derive(Debug, Clone)]
pub(crate) struct Chosen {
    index: usize,
    pub(super) client: StarknetClient,
    pub(crate) head: BlockRef,
}

impl Nodes {
    /// Nodes in the order of preference. A block is accepted when `agreement`
    /// of them, at least one, have it.
    pub fn new(clients: Vec<StarknetClient>, agreement: usize) -> Self {
        let nodes = clients.into_iter().map(|client| Node {
            view: NodeView {
                name: client.node().to_owned(),
                head: None,
                answered_at: None,
                problem: None,
            },
            client,
            verified: false,
            failures: 0,
            rests_until: None,
            misled: false,
        });
        Self {
            all: nodes.collect(),
            agreement: agreement.max(1),
            chain_id: None,
        }
    }

    /// The same, of a chain that is known: nodes of another one are passed over, and
    /// none has to answer yet.
    #[must_use]
    pub fn of_chain(self, chain_id: Felt) -> Self {
        Self {
            chain_id: Some(chain_id),
            ..self
        }
    }

    /// Whether there is nobody to ask.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// What is known of each node.
    pub(crate) fn views(&self) -> Vec<NodeView> {
        self.all.iter().map(|node| node.view.clone()).collect()
    }

    /// The chain of the first node that says. From then on, nodes of another
    /// chain are passed over.
    pub(super) async fn chain_id(&mut self) -> Result<Felt, Fault> {
        if let Some(chain_id) = self.chain_id {
            return Ok(chain_id);
        }
        let mut last = Fault::NoNode;
        for node in &self.all {
            match node.client.chain_id().await {
                Ok(chain_id) => {
                    self.chain_id = Some(chain_id);
                    return Ok(chain_id);
                }
                Err(error) => last = error.into(),
            }
        }
        Err(last)
    }

    /// Asks the nodes for their heads and chooses one: the most preferred that
    /// is not behind the others.
    pub(crate) async fn survey(&mut self, now: Timestamp) -> Result<Chosen, Fault> {
        let chain_id = self.chain_id().await?;
        let mut answers: FuturesUnordered<_> = self
            .awake(now)
            .into_iter()
            .filter_map(|index| Some((index, self.all.get(index)?)))
            .map(|(index, node)| {
                let (client, verified) = (node.client.clone(), node.verified);
                async move { (index, look(&client, verified, chain_id).await) }
            })
            .collect();
        let mut heads = Vec::new();
        let mut failed = Fault::NoNode;
        let mut deadline: Option<Instant> = None;
        loop {
            let next = match deadline {
                Some(deadline) => tokio::time::timeout_at(deadline, answers.next()).await,
                None => Ok(answers.next().await),
            };
            match next {
                Ok(Some((index, Ok(head)))) => {
                    deadline.get_or_insert_with(|| Instant::now() + PATIENCE);
                    heads.push((index, head));
                }
                Ok(Some((index, Err(fault)))) => {
                    self.rest(index, fault.chain_text(), now);
                    failed = fault;
                }
                Ok(None) | Err(_) => break,
            }
        }
        drop(answers);
        for (index, head) in &heads {
            self.answered(*index, *head, now);
        }
        self.choose(&heads, now).ok_or(failed)
    }

    /// Accepts a block when enough nodes have it.
    pub(super) async fn confirm(&self, source: &Chosen, block: BlockRef) -> Result<(), Fault> {
        let mut agreeing = 1;
        let others = self.all.iter().enumerate();
        let mut answers: FuturesUnordered<_> = others
            .filter(|(index, _)| *index != source.index && self.agreement > 1)
            .map(|(_, node)| node.client.block_hash(block.number))
            .collect();
        while agreeing < self.agreement {
            match answers.next().await {
                Some(Ok(Some(hash))) if hash == block.hash => agreeing += 1,
                Some(_) => {}
                None => {
                    return Err(Fault::NoAgreement {
                        number: block.number,
                        agreeing,
                        wanted: self.agreement,
                    });
                }
            }
        }
        Ok(())
    }

    /// Passes a node over for a while that did not serve well.
    pub(super) fn distrust(&mut self, chosen: &Chosen, problem: String, now: Timestamp) {
        self.rest(chosen.index, problem, now);
        if let Some(node) = self.all.get_mut(chosen.index) {
            node.misled = true;
        }
    }

    /// The nodes to ask: those that do not rest, or all if every one does.
    fn awake(&self, now: Timestamp) -> Vec<usize> {
        let indexes: Vec<usize> = (0..)
            .zip(&self.all)
            .filter_map(|(index, node)| (!node.rests(now)).then_some(index))
            .collect();
        if indexes.is_empty() {
            (0..self.all.len()).collect()
        } else {
            indexes
        }
    }

    /// The most preferred node that is not behind the others; one that misled
    /// us only if there is no other.
    fn choose(&self, heads: &[(usize, BlockRef)], now: Timestamp) -> Option<Chosen> {
        let misled = |index: usize| {
            let node = self.all.get(index);
            node.is_some_and(|node| node.misled && node.rests(now))
        };
        let trusted: Vec<_> = heads.iter().filter(|(index, _)| !misled(*index)).collect();
        let candidates = if trusted.is_empty() {
            heads.iter().collect()
        } else {
            trusted
        };
        let highest = candidates.iter().map(|(_, head)| head.number).max()?;
        let (index, head) = candidates
            .into_iter()
            .filter(|(_, head)| head.number.saturating_add(TOLERATED_LAG) >= highest)
            .min_by_key(|(index, _)| *index)?;
        Some(Chosen {
            index: *index,
            client: self.all.get(*index)?.client.clone(),
            head: *head,
        })
    }

    fn answered(&mut self, index: usize, head: BlockRef, now: Timestamp) {
        if let Some(node) = self.all.get_mut(index) {
            node.verified = true;
            node.view.head = Some(head);
            node.view.answered_at = Some(now);
            if !node.misled {
                node.recover();
            }
        }
    }

    fn rest(&mut self, index: usize, problem: String, now: Timestamp) {
        if let Some(node) = self.all.get_mut(index) {
            let doublings = node.failures.min(10);
            let rest = FIRST_REST.saturating_mul(1 << doublings).min(LONGEST_REST);
            node.failures = node.failures.saturating_add(1);
            node.rests_until = now.checked_add(rest).ok();
            node.view.problem = Some(problem);
        }
    }

    /// A round with this node ended well: it is trusted again.
    pub(super) fn served_well(&mut self, chosen: &Chosen) {
        if let Some(node) = self.all.get_mut(chosen.index) {
            node.recover();
        }
    }
}

/// A node's head, once it is known to follow our chain.
async fn look(client: &StarknetClient, verified: bool, ours: Felt) -> Result<BlockRef, Fault> {
    if !verified {
        let theirs = client.chain_id().await?;
        if theirs != ours {
            return Err(Fault::OtherChain { theirs, ours });
        }
    }
    client.head().await.map_err(|error: RpcError| error.into())
}
