//! What a block does to what is followed beside pools.
//!
//! Blocks are read for the contracts that were followed when they were asked
//! for. Those that become followed on the way are complete all the same: a block
//! that tells of one is read again, and where its past counts, the blocks with
//! its events are looked up and read. All of it is an effect of the block that
//! made the contract followed, and depends on the chain alone.

use crate::{
    fault::Fault,
    indexer::{Indexer, gauge::lossy},
};
use chain::{Block, RpcError, StarknetClient};
use market::{
    BlockEffects,
    following::{ContractEvent, FollowedContract, FollowedEffects, MAX_FOLLOWED, Sightings, Watch},
};
use primitives::{BlockRef, Felt};
use std::collections::{BTreeMap, BTreeSet};

/// Earlier blocks that are read for the contracts that one block makes followed.
const MAX_PAST_BLOCKS: usize = 16_384;

impl Indexer {
    /// What the block does to what is followed; the roster has taken it up.
    pub(super) async fn sighted(
        &mut self,
        node: &StarknetClient,
        block: &Block,
    ) -> Result<FollowedEffects, Fault> {
        if self.known.following.is_empty() {
            return Ok(FollowedEffects::NONE);
        }
        let at = block.at;
        let mut contracts = self.state.roster.due(at.number);
        let mut events = self.learn(node, at, &contracts).await?;
        let born = self
            .state
            .roster
            .born(events.iter().chain(&block.sightings.events));
        events.extend(self.learn(node, at, &born).await?);
        events.sort_unstable_by_key(ContractEvent::place);
        contracts.extend(born);
        let sightings = if self.state.roster.misses(&block.sightings) {
            self.read_again(node, at).await?
        } else {
            block.sightings.clone()
        };
        let roster = &self.state.roster;
        let told = sightings.events.into_iter();
        events.extend(told.filter(|event| roster.has(event.contract)));
        Ok(FollowedEffects {
            contracts,
            events,
            transactions: sightings.transactions,
        })
    }

    /// Shows how many contracts are followed, if `effects` brought any.
    pub(super) fn gauge_followed(&self, effects: &[BlockEffects]) {
        let mut effects = effects.iter();
        if self.serves && effects.any(|effects| !effects.followed.contracts.is_empty()) {
            let followed = self.state.roster.len();
            metrics::gauge!("stoa_contracts_followed").set(lossy(followed as u64));
            if followed >= MAX_FOLLOWED {
                tracing::warn!(followed, "no further contracts are followed");
            }
        }
    }

    /// Follows contracts from a block on. Returns their events before it.
    async fn learn(
        &mut self,
        node: &StarknetClient,
        at: BlockRef,
        contracts: &[FollowedContract],
    ) -> Result<Vec<ContractEvent>, Fault> {
        for contract in contracts {
            self.state.roster.learn(at.number, contract);
        }
        let mut since = BTreeMap::new();
        for contract in contracts {
            if contract.from_block < at.number {
                since.insert(contract.address, contract.from_block);
            }
        }
        if since.is_empty() {
            return Ok(Vec::new());
        }
        let mut heights = BTreeSet::new();
        for (contract, from) in &since {
            let past = *from..=at.number.saturating_sub(1);
            let found = node.event_heights(*contract, past, MAX_PAST_BLOCKS).await;
            heights.extend(found.map_err(|error| past_fault(error, at))?);
            if heights.len() > MAX_PAST_BLOCKS {
                return Err(long_past(at));
            }
        }
        let heights: Vec<u64> = heights.into_iter().collect();
        let watch = Watch::new(since.keys().copied(), []);
        let mut events = Vec::new();
        let portion = usize::try_from(self.options.batch).unwrap_or(usize::MAX);
        for heights in heights.chunks(portion.clamp(1, chain::MAX_BLOCKS)) {
            let blocks = node.blocks_for(heights.iter().copied(), &watch).await?;
            self.check_past(&blocks).await?;
            for block in blocks {
                let told = block.sightings.events.into_iter();
                events.extend(told.filter(|event| {
                    let from = since.get(&event.contract);
                    from.is_some_and(|from| *from <= event.block)
                }));
            }
        }
        self.still_has(node, at).await?;
        Ok(events)
    }

    /// What the block tells of all that is followed by now.
    async fn read_again(&self, node: &StarknetClient, at: BlockRef) -> Result<Sightings, Fault> {
        let watch = self.state.roster.watch();
        let heights = at.number..=at.number;
        let again = node.blocks_for(heights, watch).await?.pop();
        match again.filter(|again| again.at == at) {
            Some(again) => Ok(again.sightings),
            None => Err(Fault::Unlinked { number: at.number }),
        }
    }

    /// Makes sure that earlier blocks are those that are stored, where they are.
    async fn check_past(&self, blocks: &[Block]) -> Result<(), Fault> {
        let numbers: Vec<u64> = blocks.iter().map(|block| block.at.number).collect();
        let stored = self.store.chain().blocks_at(&numbers).await?;
        let stored: BTreeMap<u64, Felt> = stored.iter().map(|it| (it.number, it.hash)).collect();
        let is_other = |at: BlockRef| stored.get(&at.number).is_some_and(|hash| *hash != at.hash);
        match blocks.iter().find(|block| is_other(block.at)) {
            Some(Block { at, .. }) => Err(Fault::Unlinked { number: at.number }),
            None => Ok(()),
        }
    }

    /// Makes sure that all that was said of earlier blocks is of our fork: a node
    /// that has a block has those before it.
    pub(super) async fn still_has(&self, node: &StarknetClient, at: BlockRef) -> Result<(), Fault> {
        if node.block_hash(at.number).await? == Some(at.hash) {
            Ok(())
        } else {
            Err(Fault::Unlinked { number: at.number })
        }
    }
}

/// A long past is the contract's doing and not the node's.
fn past_fault(error: RpcError, at: BlockRef) -> Fault {
    match error {
        RpcError::LongPast { .. } => long_past(at),
        error => error.into(),
    }
}

const fn long_past(at: BlockRef) -> Fault {
    Fault::LongPast {
        number: at.number,
        limit: MAX_PAST_BLOCKS,
    }
}
