//! What a process does besides answering: it indexes a chain, or follows one that
//! does.

use crate::{ambient::clock, config::Config};
use anyhow::Context as _;
use chain::StarknetClient;
use services::{
    Doorbell, Follower, HeadStart, Indexer, IndexerOptions, Known, NearStore, Nodes, Progress,
    Snapshots,
};
use store::Store;
use tokio_util::sync::CancellationToken;

/// What the process does besides answering.
#[derive(Debug)]
pub(crate) enum Work {
    Index(Box<Indexer>),
    /// The same, on a chain so long that requests are answered before it is done.
    HeadStart(Box<HeadStart>),
    Follow(Box<Follower>),
}

impl Work {
    pub(crate) async fn run(self, bell: Doorbell, stop: CancellationToken) {
        match self {
            Self::Index(indexer) => indexer.run(bell, stop).await,
            Self::HeadStart(start) => start.run(bell, stop).await,
            Self::Follow(follower) => follower.run(stop).await,
        }
    }

    /// What the part is called when it fails.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Index(_) | Self::HeadStart(_) => "indexer",
            Self::Follow(_) => "follower",
        }
    }
}

/// With nodes it indexes, without any it follows what another process commits, and
/// asks others where the chain is.
pub(super) async fn work(
    config: &Config,
    store: &Store,
    [nodes, asked]: [Vec<StarknetClient>; 2],
    known: Known,
    published: Snapshots,
    seen: Progress,
) -> anyhow::Result<Work> {
    let poll = config.starknet.poll;
    if nodes.is_empty() {
        let asked = Nodes::new(asked, 1);
        let follower = Follower::new(store.clone(), asked, known, published, seen, clock(), poll);
        return Ok(Work::Follow(Box::new(follower)));
    }
    let options = IndexerOptions {
        start_block: config.starknet.start_block,
        poll,
        ..IndexerOptions::default()
    };
    let agreement = usize::try_from(config.starknet.agreement)?;
    let together = || Nodes::new(nodes.clone(), agreement);
    let indexer = Indexer::open(
        together(),
        store.clone(),
        known,
        published,
        seen,
        clock(),
        options,
    );
    let mut indexer = indexer.await?;
    let near = config.store.data.join("near");
    let leap = config.starknet.head_start;
    if leap == 0 || !is_further_behind(&mut indexer, leap).await {
        let context = || format!("cannot remove {}", near.display());
        NearStore::remove(&near).with_context(context)?;
        return Ok(Work::Index(Box::new(indexer)));
    }
    let context = format!("cannot use {}", near.display());
    let near = NearStore::open(near).await.context(context)?;
    let start = HeadStart::open(indexer, together(), near, leap).await?;
    Ok(Work::HeadStart(Box::new(start)))
}

/// Whether more blocks are missing than that, as far as nodes say.
async fn is_further_behind(indexer: &mut Indexer, blocks: u64) -> bool {
    match indexer.behind().await {
        Ok(missing) => missing > blocks,
        Err(fault) => {
            let error = fault.chain_text();
            tracing::warn!(error, "no node says how long the chain is");
            false
        }
    }
}
