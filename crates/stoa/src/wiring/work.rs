//! What a process does besides answering: it indexes a chain, or follows one that
//! does.

use super::stores::keep_details;
use crate::{ambient::clock, config::Config};
use anyhow::Context as _;
use chain::StarknetClient;
use primitives::Felt;
use services::{
    Doorbell, Duty, Follower, HeadStart, Indexer, IndexerOptions, Known, NearStore, Nodes,
    Progress, Snapshots,
};
use store::Store;
use tokio_util::sync::CancellationToken;

/// What the process does besides answering.
#[derive(Debug)]
pub(crate) enum Work {
    Index(Box<Indexer>, Duty),
    /// The same, on a chain so long that requests are answered before it is done.
    HeadStart(Box<HeadStart>, Duty),
    Follow(Box<Follower>),
}

impl Work {
    pub(crate) async fn run(self, bell: Doorbell, stop: CancellationToken) {
        match self {
            Self::Index(indexer, duty) => duty.during(Box::pin(indexer.run(bell, stop))).await,
            Self::HeadStart(start, duty) => duty.during(Box::pin(start.run(bell, stop))).await,
            Self::Follow(follower) => follower.run(bell, stop).await,
        }
    }

    /// The duty of those who index.
    pub(crate) fn duty(&self) -> Option<&Duty> {
        match self {
            Self::Index(_, duty) | Self::HeadStart(_, duty) => Some(duty),
            Self::Follow(_) => None,
        }
    }

    /// What the part is called when it fails.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Index(..) | Self::HeadStart(..) => "indexer",
            Self::Follow(_) => "follower",
        }
    }
}

/// With nodes it indexes, without any it follows what another process commits, and
/// asks others where the chain is.
pub(super) async fn work(
    config: &Config,
    (store, holder): (&Store, &str),
    chain_id: Felt,
    [nodes, asked]: [Vec<StarknetClient>; 2],
    known: Known,
    published: Snapshots,
    seen: Progress,
) -> anyhow::Result<Work> {
    let poll = config.starknet.poll;
    if nodes.is_empty() {
        let asked = Nodes::new(asked, 1).of_chain(chain_id);
        let follower = Follower::new(store.clone(), asked, known, published, seen, clock(), poll);
        return Ok(Work::Follow(Box::new(follower)));
    }
    let fence = store.chain().fence("indexer");
    let duty = Duty::new(fence.clone(), holder.to_owned(), clock());
    duty.begin().await;
    let options = IndexerOptions {
        duty: Some(duty.clone()),
        keep_details: keep_details(config),
        start_block: config.starknet.start_block,
        poll,
        ..IndexerOptions::default()
    };
    let agreement = usize::try_from(config.starknet.agreement)?;
    let together = || Nodes::new(nodes.clone(), agreement).of_chain(chain_id);
    let indexer = Indexer::open(
        together(),
        store.with_fenced_chain(&fence),
        known,
        published,
        seen,
        clock(),
        options,
    );
    let mut indexer = indexer.await?;
    let near = config.store.data.join("near");
    let leap = config.starknet.head_start;
    let missing = match leap {
        0 => Some(0),
        _ => behind(&mut indexer).await,
    };
    match missing {
        // A later start knows what becomes of what is there.
        None => return Ok(Work::Index(Box::new(indexer), duty)),
        Some(missing) if missing > leap => {}
        Some(_) => {
            let context = || format!("cannot remove {}", near.display());
            NearStore::remove(&near).with_context(context)?;
            return Ok(Work::Index(Box::new(indexer), duty));
        }
    }
    let context = format!("cannot use {}", near.display());
    let near = NearStore::open(near).await.context(context)?;
    let start = HeadStart::open(indexer, together(), near, leap).await?;
    Ok(Work::HeadStart(Box::new(start), duty))
}

/// How many blocks are missing, as far as nodes say.
async fn behind(indexer: &mut Indexer) -> Option<u64> {
    match indexer.behind().await {
        Ok(missing) => Some(missing),
        Err(fault) => {
            let error = fault.chain_text();
            tracing::warn!(error, "no node says how long the chain is");
            None
        }
    }
}
