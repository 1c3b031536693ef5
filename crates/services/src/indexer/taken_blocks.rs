//! The last blocks. When another process has moved the store to another fork, what
//! they did is known only here.

use market::BlockEffects;
use primitives::{BlockRef, Timestamp};
use std::collections::VecDeque;
use store::FigureHistory;

/// Blocks that are remembered. A deeper fork is loaded anew.
const LENGTH: usize = 64;

#[derive(Debug, Clone, Default)]
pub(crate) struct TakenBlocks(VecDeque<TakenBlock>);

#[derive(Debug, Clone)]
pub(super) struct TakenBlock {
    pub(super) block: BlockRef,
    pub(super) time: Timestamp,
    /// What it did to figures, in the store's bytes; empty where the store has none.
    pub(super) figures: Vec<u8>,
}

impl TakenBlocks {
    /// After a load, of the newest blocks: those of which the store says what they
    /// did, above one that can be gone back to.
    pub(super) fn loaded(recent: &[(BlockRef, Timestamp)], history: &FigureHistory) -> Self {
        let kept = history.kept.as_ref().map_or(0, |(block, _)| *block);
        let figures = |number: u64| {
            let place = history.deltas.binary_search_by_key(&number, |it| it.0).ok();
            place.and_then(|place| history.deltas.get(place))
        };
        let newest = recent.iter().rev().take(LENGTH).rev();
        let taken = newest.filter(|(block, _)| block.number >= kept);
        let taken = taken.map(|(block, time)| TakenBlock {
            block: *block,
            time: *time,
            figures: figures(block.number).map_or(Vec::new(), |(.., bytes)| bytes.clone()),
        });
        Self(taken.collect())
    }

    /// Blocks came on top; of more than are remembered, the newest count.
    pub(super) fn note(&mut self, blocks: &[BlockEffects]) {
        let forgotten = blocks.len().saturating_sub(LENGTH);
        self.0
            .extend(blocks.iter().skip(forgotten).map(|effects| TakenBlock {
                block: effects.block,
                time: effects.time,
                figures: effects.figures.clone(),
            }));
        let too_many = self.0.len().saturating_sub(LENGTH);
        self.0.drain(..too_many);
    }

    /// What is remembered, from the tip down.
    pub(super) fn newest_first(&self) -> impl Iterator<Item = &TakenBlock> {
        self.0.iter().rev()
    }

    /// Forgets the blocks above one.
    pub(super) fn rollback(&mut self, to: u64) {
        self.0.retain(|taken| taken.block.number <= to);
    }
}
