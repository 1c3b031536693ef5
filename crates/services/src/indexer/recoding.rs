//! Which contracts get other code in blocks that are long settled, without the state
//! update of each: a contract that has the same code at both ends of a stretch is
//! taken to have it in between, and where the code differs, bisection finds the
//! block.
//!
//! Near the head every block's state update says it, see `chain::Block::recoded`.

use crate::{
    fault::Fault,
    indexer::{Indexer, outlook::Outlook},
};
use chain::{Block, StarknetClient};
use primitives::{Address, BlockRef, Felt};
use std::collections::BTreeMap;

/// Blocks of a stretch. Longer ones cost fewer calls, and may hide more: code that
/// was replaced and put back within one is not seen.
const STRETCH: u64 = 8_192;

/// A contract that has different code at both ends of a stretch.
#[derive(Debug, Clone, Copy)]
struct Changed {
    contract: Address,
    /// Its class at the first block; `None` where nothing was deployed.
    was: Option<Felt>,
    /// Its class at the last one, likewise.
    is: Option<Felt>,
}

impl Indexer {
    /// Looks ahead for blocks that were read without their state updates, at most to
    /// the last one that is settled.
    pub(super) async fn look_out(
        &mut self,
        node: &StarknetClient,
        blocks: &[Block],
        settled: u64,
    ) -> Result<(), Fault> {
        let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else {
            return Ok(());
        };
        if last.at.number > settled || self.outlook.covers(last.at.number) {
            return Ok(());
        }
        let pools = self.state.book.pools();
        // Each once: all pools of a venue may be in one contract.
        let known: BTreeMap<Address, Felt> = pools
            .iter()
            .filter_map(|view| Some((view.contract(), view.class()?)))
            .collect();
        let known: Vec<(Address, Felt)> = known.into_iter().collect();
        let far = first.at.number.saturating_add(STRETCH - 1);
        let end = block_at(node, far.min(settled).max(last.at.number)).await?;
        self.outlook = Outlook {
            end: Some(end),
            recoded: BTreeMap::new(),
        };
        let before = first.at.number.saturating_sub(1);
        self.find_recoded(node, before, &known).await
    }

    /// Looks ahead for contracts that came into being in a block of the stretch.
    pub(super) async fn look_out_for(
        &mut self,
        node: &StarknetClient,
        at: BlockRef,
        new: &[(Address, Felt)],
    ) -> Result<(), Fault> {
        if new.is_empty() || self.outlook.end.is_none_or(|end| end.number <= at.number) {
            return Ok(());
        }
        self.find_recoded(node, at.number, new).await
    }

    /// Finds the blocks after `first`, until the end of the stretch, that give
    /// contracts other code than they had.
    async fn find_recoded(
        &mut self,
        node: &StarknetClient,
        first: u64,
        known: &[(Address, Felt)],
    ) -> Result<(), Fault> {
        let Some(end) = self.outlook.end.filter(|_| !known.is_empty()) else {
            return Ok(());
        };
        let contracts: Vec<Address> = known.iter().map(|(contract, _)| *contract).collect();
        let is = node.classes(&contracts, end).await?;
        let changed = known.iter().zip(is).map(|((contract, was), is)| Changed {
            contract: *contract,
            was: Some(*was),
            is,
        });
        let mut stretches = vec![(first, end.number, differing(changed))];
        while let Some((low, high, changed)) = stretches.pop() {
            if changed.is_empty() {
                continue;
            }
            if high.saturating_sub(low) <= 1 {
                let contracts = changed.iter().map(|changed| changed.contract);
                self.outlook
                    .recoded
                    .entry(high)
                    .or_default()
                    .extend(contracts);
                continue;
            }
            let middle = low + (high - low) / 2;
            let contracts: Vec<Address> = changed.iter().map(|it| it.contract).collect();
            let between = node
                .classes(&contracts, block_at(node, middle).await?)
                .await?;
            let halves = || changed.iter().copied().zip(between.iter().copied());
            let lower = halves().map(|(it, between)| Changed { is: between, ..it });
            let upper = halves().map(|(it, between)| Changed { was: between, ..it });
            stretches.push((low, middle, differing(lower)));
            stretches.push((middle, high, differing(upper)));
        }
        Ok(())
    }
}

fn differing(all: impl Iterator<Item = Changed>) -> Vec<Changed> {
    all.filter(|it| it.was != it.is).collect()
}

async fn block_at(node: &StarknetClient, number: u64) -> Result<BlockRef, Fault> {
    let hash = node.block_hash(number).await?;
    hash.map(|hash| BlockRef { number, hash })
        .ok_or(Fault::Unlinked { number })
}
