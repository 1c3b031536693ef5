//! One round of work: look at the node's head and come nearer to it.

use crate::{
    fault::Fault,
    indexer::{
        Indexer, figures::Undone, gauge::lossy, nodes::Chosen, outlook::Outlook,
        pools::is_checkpoint, state::Tip, views::is_share,
    },
};
use arc_swap::ArcSwap;
use chain::{Block, StarknetClient};
use futures_util::{StreamExt, stream};
use market::BlockEffects;
use primitives::{Address, BlockRef, Felt};
use std::sync::Arc;
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

/// What a round did; the next follows at once unless there was nothing to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Round {
    /// There was nothing to do, or another process is the one that writes.
    CaughtUp,
    /// Blocks were applied, up to the head or until told to stop.
    Applied {
        /// How many, at least one; those of a batch were committed together.
        blocks: u64,
    },
    /// The node had replaced blocks, which were taken back.
    RolledBack {
        /// The block that is now the newest.
        to: BlockRef,
    },
    /// What was indexed is of no use any more: all of it was taken back.
    Emptied,
}

/// What became of a batch of blocks.
enum Batch {
    Applied(u64),
    /// The first block does not continue our chain.
    Forked,
}

impl Indexer {
    /// Comes nearer to the node's head. After an error nothing has changed that
    /// was not committed.
    pub async fn round(&mut self, stop: &CancellationToken) -> Result<Round, Fault> {
        let surveyed = self.nodes.survey(self.clock.now()).await;
        if let Ok(chosen) = &surveyed {
            self.note_head(chosen.head);
            if self.serves {
                metrics::gauge!("stoa_node_head_block").set(lossy(chosen.head.number));
            }
        }
        let outcome = match self.catch_up_with_others().await.and(surveyed) {
            Ok(chosen) => self.spend_if_in_charge(&chosen, stop).await,
            Err(fault) => Err(fault),
        };
        let outcome = match outcome {
            Ok(Round::CaughtUp) => self.look_at_shunned().await,
            // Nothing of it was written. From now on we follow.
            Err(fault) if fault.is_of_duty() => Ok(Round::CaughtUp),
            outcome => outcome,
        };
        self.progress.surveyed(&self.nodes.views());
        if outcome.is_ok() {
            self.progress.recovered();
        }
        outcome
    }

    /// Publishes the newest block once more if routes must not pass other tokens
    /// than before: a chain that stands still must not hide that.
    async fn look_at_shunned(&mut self) -> Result<Round, Fault> {
        let (store, known) = (&self.judged, &self.known);
        known.global.refresh(store.chain()).await?;
        if self.state.take_up_shunned(store, known).await? {
            self.state.publish(&self.snapshots);
        }
        Ok(Round::CaughtUp)
    }

    /// While another process writes, there is nothing to do.
    async fn spend_if_in_charge(
        &mut self,
        chosen: &Chosen,
        stop: &CancellationToken,
    ) -> Result<Round, Fault> {
        if !self.takes_charge().await? {
            return Ok(Round::CaughtUp);
        }
        let round = self.spend(chosen, stop).await?;
        if round == Round::CaughtUp {
            self.forget_old().await?;
        }
        Ok(round)
    }

    /// Spends the round with one node, and remembers how it served.
    async fn spend(&mut self, chosen: &Chosen, stop: &CancellationToken) -> Result<Round, Fault> {
        // On the heap: it is large, and rounds are few.
        let outcome = Box::pin(self.come_nearer(chosen, stop)).await;
        match &outcome {
            Ok(_) => self.nodes.served_well(chosen),
            Err(fault) if fault.is_of_a_node() => {
                self.nodes
                    .distrust(chosen, fault.chain_text(), self.clock.now());
            }
            Err(_) => {}
        }
        outcome
    }

    async fn come_nearer(
        &mut self,
        chosen: &Chosen,
        stop: &CancellationToken,
    ) -> Result<Round, Fault> {
        let Some(tip) = self.state.tip else {
            self.choose_first(chosen.head);
            return self.catch_up(chosen, stop).await;
        };
        if self.is_out_of_reach(chosen.head, tip.block) {
            return self.empty(tip.block).await;
        }
        if self.is_disguised(chosen, tip.block).await? {
            self.roll_back(chosen, tip.block).await
        } else if chosen.head.number <= tip.block.number {
            self.compare(chosen, tip).await
        } else {
            self.catch_up(chosen, stop).await
        }
    }

    /// The node is not ahead of us: it stands still, lags behind, or forked.
    async fn compare(&mut self, chosen: &Chosen, tip: Tip) -> Result<Round, Fault> {
        let head = chosen.head;
        let ours = if head.number == tip.block.number {
            Some(tip.block.hash)
        } else {
            self.store.chain().block_hash(head.number).await?
        };
        let first = self.store.chain().first_block().await?;
        let before_our_first = first.is_some_and(|first| head.number < first.number);
        if ours == Some(head.hash) || before_our_first {
            return Ok(Round::CaughtUp);
        }
        self.roll_back(chosen, tip.block).await
    }

    /// Goes back to the last block in common; the fork that replaces ours must
    /// be agreed on first.
    async fn roll_back(&mut self, chosen: &Chosen, tip: BlockRef) -> Result<Round, Fault> {
        self.nodes.confirm(chosen, chosen.head).await?;
        self.outlook = Outlook::default();
        let to = match self.common_ancestor(&chosen.client, tip).await {
            Err(Fault::Diverged { .. }) if self.options.leap.is_some() => {
                return self.empty(tip).await;
            }
            to => to?,
        };
        if to == tip {
            // The node has our tip after all: what did not link to it is no fork.
            return Err(Fault::Unlinked {
                number: tip.number + 1,
            });
        }
        let Undone { figures, cut } = self.figures_at(to, tip).await?;
        let chain = self.store.chain();
        chain.rollback(tip, Some(to), cut.as_ref()).await?;
        let Some(time) = self.store.chain().tip_time().await? else {
            return Err(Fault::Diverged { first: tip });
        };
        let to_tip = Tip { block: to, time };
        self.state
            .rollback(to_tip, figures, &self.store, &self.known)
            .await?;
        self.state.refresh(&self.known);
        self.state.look_anew(&self.known);
        self.publish().await;
        let depth = tip.number - to.number;
        metrics::counter!("stoa_indexer_reorgs_total").increment(1);
        tracing::info!(to.number, depth, "the chain was reorganised");
        Ok(Round::RolledBack { to })
    }

    /// Applies the blocks up to `head`, fetching ahead of the one in hand.
    async fn catch_up(
        &mut self,
        chosen: &Chosen,
        stop: &CancellationToken,
    ) -> Result<Round, Fault> {
        let next = match self.state.tip {
            Some(tip) => tip.block.number + 1,
            None => self.first,
        };
        let node = chosen.client.clone();
        let code_from = self.known.code_from();
        let settled = chosen.head.number.saturating_sub(self.options.unsettled);
        // Each batch is read for what is followed when it is asked for.
        let watch = ArcSwap::new(Arc::clone(self.state.roster.watch()));
        let mut batches = stream::iter(batches(next, chosen.head.number, self.options.batch))
            .map(|range| {
                let (node, watch) = (node.clone(), watch.load_full());
                let code_from = code_from.filter(|_| *range.end() > settled);
                // A task of its own goes on while the batch before is applied.
                AbortOnDropHandle::new(tokio::spawn(async move {
                    node.blocks_with_code(range, &watch, code_from).await
                }))
            })
            .buffered(self.options.prefetch);
        let mut applied = 0;
        while let Some(blocks) = batches.next().await {
            let blocks = blocks.map_err(Fault::Interrupted)??;
            if applied > 0 {
                self.look_again(chosen).await;
            }
            if code_from.is_some() {
                self.look_out(&chosen.client, &blocks, settled).await?;
            }
            match self.apply(chosen, &blocks).await? {
                Batch::Applied(count) => applied += count,
                Batch::Forked => match self.state.tip {
                    Some(tip) => return self.roll_back(chosen, tip.block).await,
                    None => return Err(Fault::Unlinked { number: next }),
                },
            }
            watch.store(Arc::clone(self.state.roster.watch()));
            if stop.is_cancelled() {
                break;
            }
        }
        Ok(match applied {
            0 => Round::CaughtUp,
            blocks => Round::Applied { blocks },
        })
    }

    /// Notes where the node is by now. Catching up may take long, and who asks
    /// how far behind we are must not be told of a head of long ago.
    async fn look_again(&self, chosen: &Chosen) {
        if let Ok(head) = chosen.client.head().await {
            self.note_head(head);
        }
    }

    fn note_head(&self, head: BlockRef) {
        let ours = self.state.tip.map(|tip| tip.block);
        self.progress.answered(head, ours, self.clock.now());
    }

    /// Reads what is due, commits everything in one transaction, publishes.
    async fn apply(&mut self, chosen: &Chosen, blocks: &[Block]) -> Result<Batch, Fault> {
        let before = self.state.tip.map(|tip| tip.block);
        match (before, blocks.first()) {
            (Some(tip), Some(first)) if first.parent_hash != tip.hash => return Ok(Batch::Forked),
            (_, None) => return Ok(Batch::Applied(0)),
            _ => check_links(blocks)?,
        }
        if let Some(last) = blocks.last() {
            self.nodes.confirm(chosen, last.at).await?;
        }
        let figures = self.state.figures.clone();
        let effects = match self.write(&chosen.client, before, blocks).await {
            Ok(effects) => effects,
            Err(fault) => {
                self.outlook = Outlook::default();
                let (store, known) = (&self.store, &self.known);
                self.state.forget_uncommitted(figures, store, known).await?;
                return Err(fault);
            }
        };
        self.state.commit(&effects, &self.known);
        self.publish().await;
        self.count(&effects);
        Ok(Batch::Applied(effects.len() as u64))
    }

    /// Commits the effects of blocks, all or none, if `before` is still the newest stored.
    async fn write(
        &mut self,
        node: &StarknetClient,
        before: Option<BlockRef>,
        blocks: &[Block],
    ) -> Result<Vec<BlockEffects>, Fault> {
        let effects = self.effects(node, blocks).await?;
        self.store.chain().append(before, &effects).await?;
        Ok(effects)
    }

    /// The effects of blocks; directory, book and figures take them up on the way, since
    /// what a block means depends on the blocks before it.
    pub(super) async fn effects(
        &mut self,
        node: &StarknetClient,
        blocks: &[Block],
    ) -> Result<Vec<BlockEffects>, Fault> {
        let mut all = Vec::with_capacity(blocks.len());
        let newest = blocks.last().map_or(0, |last| last.at.number);
        let vaults = self.read_vaults(node, blocks).await?;
        for (block, vaults) in blocks.iter().zip(&vaults) {
            // Pools first: a pair that the block brings is a share's token.
            let followed = self.pool_changes(node, block, vaults).await?;
            self.state.leave_trail(block.at.number, newest);
            let due = self.due(block);
            let readings = if due.is_empty() {
                Vec::new()
            } else {
                node.token_readings(&due, block.at).await?
            };
            let (figures, trades) = self.appraise(node, block, &readings, &followed).await?;
            let sighted = self.sighted(node, block).await?;
            let number = block.at.number;
            let effects = BlockEffects {
                block: block.at,
                parent_hash: block.parent_hash,
                time: block.time,
                state_root: Some(block.state_root),
                readings,
                pools: followed.changes,
                checkpoint: is_checkpoint(number).then(|| self.state.book.to_bytes()),
                figures,
                trades,
                pages: self.keep(number),
                followed: sighted,
            };
            self.state.directory.apply(&effects);
            all.push(effects);
        }
        Ok(all)
    }

    /// The tokens that are to be read at a block. Nobody is shown a share of a
    /// pool that no list names.
    fn due(&self, block: &Block) -> Vec<Address> {
        let is_share = |token| is_share(&self.state.book, token);
        let is_shown = |token: &Address| self.known.listings.shows(*token, is_share);
        let mut seen: Vec<Address> = block.tokens_seen().filter(is_shown).collect();
        if self.state.tip.is_none() && block.at.number == self.first {
            // Tokens of pools that were taken over.
            let pools = self.state.book.pools().iter();
            let tokens = pools.flat_map(|view| view.tokens());
            seen.extend(tokens.filter(is_shown));
            seen.sort_unstable();
            seen.dedup();
        }
        self.state.directory.due(block.at.number, &seen)
    }

    fn count(&self, effects: &[BlockEffects]) {
        metrics::counter!("stoa_indexer_blocks_total").increment(effects.len() as u64);
        if !self.serves {
            return;
        }
        self.gauge_tip();
        self.gauge_changed_pools(effects);
        self.gauge_followed(effects);
        if effects.iter().any(|effects| !effects.readings.is_empty()) {
            let seen = self.state.directory.seen();
            metrics::gauge!("stoa_tokens_seen").set(lossy(seen as u64));
            metrics::gauge!("stoa_tokens_listed").set(lossy(self.state.listed() as u64));
        }
    }
}

/// The ranges of at most `size` blocks that make up `from..=to`.
fn batches(from: u64, to: u64, size: u64) -> impl Iterator<Item = std::ops::RangeInclusive<u64>> {
    let size = size.max(1);
    let count = (to + 1).saturating_sub(from).div_ceil(size);
    (0..count).map(move |batch| {
        let first = from + batch * size;
        first..=to.min(first + size - 1)
    })
}

/// A node that reorganises between two answers gives blocks of two forks.
pub(super) fn check_links(blocks: &[Block]) -> Result<(), Fault> {
    let mut parent: Option<Felt> = None;
    for block in blocks {
        if parent.is_some_and(|parent| parent != block.parent_hash) {
            return Err(Fault::Unlinked {
                number: block.at.number,
            });
        }
        parent = Some(block.at.hash);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_cover_the_range_without_gaps() {
        let ranges = |from, to, size| batches(from, to, size).collect::<Vec<_>>();
        assert_eq!(ranges(0, 4, 2), [0..=1, 2..=3, 4..=4]);
        assert_eq!(ranges(3, 3, 64), [3..=3]);
        assert_eq!(ranges(5, 3, 64), []);
    }
}
