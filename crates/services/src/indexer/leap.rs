//! Beginning near the head of a long chain, and beginning anew where that is
//! cheaper than going on.

use super::{Indexer, Round};
use crate::fault::Fault;
use primitives::BlockRef;

/// Blocks below the head at which pools are taken over: a reorganisation seldom
/// reaches so deep.
pub(super) const SETTLED: u64 = 16;

impl Indexer {
    /// Chooses the first block of a store without any, where it is not given.
    pub(super) fn choose_first(&mut self, head: BlockRef) {
        self.first = self.options.start_block;
        if self.options.leap.is_some() {
            let near = head.number.saturating_sub(SETTLED);
            self.first = near.max(self.options.start_block);
        }
    }

    /// Whether catching up takes longer than beginning anew.
    pub(super) fn is_out_of_reach(&self, head: BlockRef, tip: BlockRef) -> bool {
        let missing = head.number.saturating_sub(tip.number);
        self.options.leap.is_some_and(|most| missing > most)
    }

    /// Takes back everything. What is published stays until there is something else.
    pub(super) async fn empty(&mut self, tip: BlockRef) -> Result<Round, Fault> {
        self.store.chain().rollback(tip, None, None).await?;
        self.state = self.state.reload(&self.store, &self.known).await?;
        tracing::info!(
            tip.number,
            "what was indexed near the head is of no use any more"
        );
        Ok(Round::Emptied)
    }
}
