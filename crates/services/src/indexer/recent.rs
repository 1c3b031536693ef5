//! The last blocks. When another process has moved the store to another fork, what
//! they did is known only here.

use market::BlockEffects;
use primitives::{BlockRef, Timestamp};
use std::collections::VecDeque;

/// Blocks that are remembered. A deeper fork is loaded anew.
const LENGTH: usize = 64;

#[derive(Debug, Clone, Default)]
pub(crate) struct Recent(VecDeque<RecentBlock>);

#[derive(Debug, Clone)]
pub(super) struct RecentBlock {
    pub(super) block: BlockRef,
    pub(super) time: Timestamp,
    /// What it did to figures.
    pub(super) figures: Vec<u8>,
}

impl Recent {
    /// After a load: its newest block can be gone back to, and nothing below.
    pub(super) fn beginning_at(tip: Option<(BlockRef, Timestamp)>) -> Self {
        let tip = tip.map(|(block, time)| RecentBlock {
            block,
            time,
            figures: Vec::new(),
        });
        Self(tip.into_iter().collect())
    }

    /// Blocks came on top.
    pub(super) fn note(&mut self, blocks: &[BlockEffects]) {
        let forgotten = blocks.len().saturating_sub(LENGTH);
        self.0
            .extend(blocks.iter().skip(forgotten).map(|effects| RecentBlock {
                block: effects.block,
                time: effects.time,
                figures: effects.figures.clone(),
            }));
        let too_many = self.0.len().saturating_sub(LENGTH);
        self.0.drain(..too_many);
    }

    /// The blocks, the newest first.
    pub(super) fn newest_first(&self) -> impl Iterator<Item = &RecentBlock> {
        self.0.iter().rev()
    }

    /// Forgets the blocks above one.
    pub(super) fn rollback(&mut self, to: u64) {
        self.0.retain(|recent| recent.block.number <= to);
    }
}
